// SPDX-License-Identifier: GPL-2.0
/*
 * Controls: what a policy can set beside the owners of SMs. Each control is a row of one
 * table. By its row it is shown to the policy, checked, applied, and reset. A row names a
 * function for what it cannot express. Owners of SMs are in apply.c, quotas in quotas.c,
 * resets in check.c.
 *
 * Controls in force are in session->controls. This is a proposal in which only the fields
 * of these rows and the sharers (apply.c) are used.
 */
#include "affinity.h"
#include "apply.h"
#include "controls.h"
#include "internal.h"
#include "launch.h"
#include "pager_fetch.h"
#include "pager_limits.h"
#include "power.h"
#include "quotas.h"

#include <simgpu/member.h>

enum shape {
	VALUE,			/* one for the device */
	SLOTS_MASK,		/* a mask of slots */
	BY_SLOT,		/* one for each slot */
	BY_SM_AND_SLOT,
	BY_SLOT_AND_QUEUE,
};

/*
 * struct control - a field of the proposal
 * @name: name of the field
 * @flag: SIMGPU_SAYS_*, by which a policy says that it sets the field
 * @offset: offset in &struct simgpu_proposal
 * @width: bytes of a value
 * @count: number of values
 * @shape: what the values belong to
 * @shown: the policy finds the values in force; otherwise it finds zeros
 * @once: takes effect once, and is not kept
 * @neutral: value until a policy sets one, and for the next tenant of a slot; of a mask:
 *	all bits
 * @most: greatest value; 0: any
 * @most_of: greatest value by configuration; of a mask, number of bits
 * @mask: values are masks of what the GPU has, and must not be empty
 * @reason: why other values are refused
 * @check: further check
 * @apply: tells the hardware after the value is in force; NULL: it is read when needed
 * @before_sms: comes into force before SMs change owner
 */
struct control {
	const char *name;
	u32 flag;
	u32 offset;
	u32 width;
	u32 count;
	enum shape shape;
	bool shown;
	bool once;
	bool mask;
	bool before_sms;
	u64 neutral;
	u64 most;
	u32 (*most_of)(const struct gpu_config *config);
	const char *reason;
	bool (*check)(const struct session *session, struct session_refusal *why);
	void (*apply)(struct session *session);
};

/* --- functions of single rows ---------------------------------------------------------- */

static u32 channels_of(const struct gpu_config *config)
{
	return config->channels;
}

static u32 ways_of(const struct gpu_config *config)
{
	return config->llc_ways;
}

static u32 blocks_of(const struct gpu_config *config)
{
	return config->blocks_per_sm;
}

static bool buckets_are_sound(const struct session *session,
			      struct session_refusal *why)
{
	const struct simgpu_proposal *proposal = &session->proposal;
	u32 slot;

	if (proposal->block_order != SIMGPU_ORDER_LEAKY_BUCKET)
		return true;
	for (slot = 0; slot < SIMGPU_SLOTS_MAX; slot++)
		if (!proposal->bucket[slot] ||
		    proposal->bucket[slot] > SIMGPU_BUCKET_MAX)
			return refuse_proposal(why, "bucket", slot, SESSION_NOWHERE,
					       "a bucket's capacity is out of its range");
	return true;
}

static bool samples_are_sound(const struct session *session,
			      struct session_refusal *why)
{
	u32 cycles = session->proposal.idle_sample_cycles;

	return !cycles || cycles >= SIMGPU_IDLE_SAMPLE_CYCLES_MIN ||
	       refuse_proposal(why, "idle_sample_cycles", SESSION_NOWHERE, SESSION_NOWHERE,
			       "samples of idle warps are less than 10 cycles apart");
}

/* Refuse a limit for a slot without a tenant: it would be kept for the next tenant. */
static bool issue_limits_are_sound(const struct session *session,
				   struct session_refusal *why)
{
	const struct simgpu_proposal *proposal = &session->proposal;
	u32 slot, queue;

	for (slot = 0; slot < SIMGPU_SLOTS_MAX; slot++) {
		if (is_member(session, slot))
			continue;
		for (queue = 0; queue < SIMGPU_QUEUES_MAX; queue++)
			if (proposal->issue_limit[slot][queue] &&
			    proposal->issue_limit[slot][queue] !=
			    SIMGPU_KEEP_ISSUE_LIMIT)
				return refuse_proposal(why, "issue_limit", slot,
						       SESSION_NOWHERE,
						       "a slot without a tenant gets an issue limit");
	}
	return true;
}

/* controls_set_priorities() - set the policy's priorities, not those of a model's probe */
void controls_set_priorities(struct session *session)
{
	u32 slot;

	for (slot = 0; slot < SIMGPU_SLOTS_MAX; slot++)
		gpu_set_memory_priority(session->gpu, slot,
					session->controls.memory_priority[slot]);
}

static void apply_priorities(struct session *session)
{
	if (session->probe.kind == SIMGPU_PROBE_PRIORITY)
		session->probe.kind = SIMGPU_PROBE_NONE;
	controls_set_priorities(session);
}

static void apply_masks(struct session *session)
{
	u32 slot;

	for (slot = 0; slot < SIMGPU_SLOTS_MAX; slot++)
		masks_apply(session, slot);
}

static void apply_workers(struct session *session)
{
	gpu_set_worker_blocks(session->gpu, session->controls.worker_blocks);
}

static void apply_ranks(struct session *session)
{
	u32 slot;

	for (slot = 0; slot < SIMGPU_SLOTS_MAX; slot++)
		gpu_set_rank(session->gpu, slot, session->controls.rank[slot]);
}

static void apply_sm_blocks(struct session *session)
{
	gpu_set_shared_blocks(session->gpu,
			      session->controls.sm_blocks ?: U32_MAX);
}

static void apply_order(struct session *session)
{
	static const enum gpu_block_order orders[] = {
		[SIMGPU_ORDER_ROUND_ROBIN] = GPU_ORDER_ROUND_ROBIN,
		[SIMGPU_ORDER_LEAKY_BUCKET] = GPU_ORDER_LEAKY_BUCKET,
		[SIMGPU_ORDER_ARRIVAL] = GPU_ORDER_ARRIVAL,
		[SIMGPU_ORDER_RANK] = GPU_ORDER_RANK,
	};
	const struct simgpu_proposal *controls = &session->controls;
	u32 slot;

	if (controls->block_order == SIMGPU_ORDER_LEAKY_BUCKET)
		for (slot = 0; slot < SIMGPU_SLOTS_MAX; slot++)
			gpu_set_bucket(session->gpu, slot,
				       controls->bucket[slot]);
	gpu_set_block_order(session->gpu, orders[controls->block_order]);
}

static void apply_issue_limits(struct session *session)
{
	const struct simgpu_proposal *proposal = &session->proposal;
	u32 slot, queue;

	for (slot = 0; slot < SIMGPU_SLOTS_MAX; slot++)
		for (queue = 0; queue < SIMGPU_QUEUES_MAX; queue++)
			if (proposal->issue_limit[slot][queue] !=
			    SIMGPU_KEEP_ISSUE_LIMIT && is_member(session, slot))
				launch_slice(session, slot, queue,
					     proposal->issue_limit[slot][queue]);
}

/* The minimums fit the device's memory, and tenants' own maximums. */
static bool memory_is_sound(const struct session *session, struct session_refusal *why)
{
	const struct simgpu_proposal *proposal = &session->proposal;
	u64 chunks = 0;
	u32 slot;

	for (slot = 0; slot < SIMGPU_SLOTS_MAX; slot++) {
		u64 least = proposal->memory_min[slot];
		u64 most = proposal->memory_max[slot];

		if (least && !is_member(session, slot))
			return refuse_proposal(why, "memory_min", slot, SESSION_NOWHERE,
					       "a slot without a tenant gets memory");
		if (most && least > most)
			return refuse_proposal(why, "memory_max", slot, SESSION_NOWHERE,
					       "a tenant's most memory is below its least");
		chunks = fixed_add(chunks, pager_needs(session, slot, least));
	}
	return chunks <= session->initial.config.managed_mb / (GPU_CHUNK_BYTES >> 20) ||
	       refuse_proposal(why, "memory_min", SESSION_NOWHERE, SESSION_NOWHERE,
			       "the least memory of all tenants is more than there is");
}

/* Only pages of managed memory come and go. */
static bool prepare_is_sound(const struct session *session, struct session_refusal *why)
{
	u64 slots = session->proposal.prepare;

	for (; slots; slots &= slots - 1) {
		u32 slot = (u32)__builtin_ctzll(slots);

		if (!managed_is(session, slot))
			return refuse_proposal(why, "prepare", slot, SESSION_NOWHERE,
					       "a tenant without managed memory is to be prepared");
	}
	return true;
}

static void apply_prepare(struct session *session)
{
	if (session->proposal.prepare && session->pager)
		pager_prepare(session->pager, session->proposal.prepare);
}

static void apply_samples(struct session *session)
{
	gpu_set_idle_sampling(session->gpu,
			      session->controls.idle_sample_cycles);
}

static bool clock_is_sound(const struct session *session, struct session_refusal *why)
{
	return power_has_clock(session, session->proposal.clock_mhz) ||
	       refuse_proposal(why, "clock_mhz", SESSION_NOWHERE, SESSION_NOWHERE,
			       "the SMs cannot have that clock");
}

/* Only what has failed recovers, and a kernel with a fault cannot go on. */
static bool recovery_is_sound(const struct session *session, struct session_refusal *why)
{
	const struct simgpu_proposal *proposal = &session->proposal;
	u32 slot, queue;

	for (slot = 0; slot < SIMGPU_SLOTS_MAX; slot++)
		for (queue = 0; queue < SIMGPU_QUEUES_MAX; queue++) {
			u32 said = proposal->recovery[slot][queue];
			u32 found = session->failures.tenant[slot].queue[queue].found;

			if (said && !found)
				return refuse_proposal(why, "recovery", slot, SESSION_NOWHERE,
						       "a queue is to recover whose launch has not failed");
			if (said == SIMGPU_RECOVER_WAIT && found != SIMGPU_FAILED_TIMEOUT)
				return refuse_proposal(why, "recovery", slot, SESSION_NOWHERE,
						       "a kernel with a fault cannot go on");
		}
	return true;
}

/* --- the table ------------------------------------------------------------------------ */

#define AT(field) \
	.name = #field, .offset = offsetof(struct simgpu_proposal, field)
#define ONE(field) \
	AT(field), .shape = VALUE, .count = 1, \
	.width = sizeof(((struct simgpu_proposal *)0)->field)
#define EACH_SLOT(field) \
	AT(field), .shape = BY_SLOT, .count = SIMGPU_SLOTS_MAX, \
	.width = sizeof(((struct simgpu_proposal *)0)->field[0])

/* In the order in which they take effect */
static const struct control table[] = {
	{ EACH_SLOT(memory_priority), .flag = SIMGPU_SAYS_MEMORY_PRIORITY,
	  .shown = true, .before_sms = true, .most = SIMGPU_MEMORY_PRIORITY_MAX,
	  .reason = "a memory priority is above 3", .apply = apply_priorities },
	{ EACH_SLOT(channels), .flag = SIMGPU_SAYS_CHANNELS, .shown = true,
	  .before_sms = true, .mask = true, .most_of = channels_of,
	  .reason = "a mask has no memory channel, or one that there is not",
	  .apply = apply_masks },
	{ EACH_SLOT(llc_ways), .flag = SIMGPU_SAYS_LLC_WAYS, .shown = true,
	  .before_sms = true, .mask = true, .most_of = ways_of,
	  .reason = "a mask has no way of the last-level cache, or one that there is not",
	  .apply = apply_masks },
	/* Workers leave by the values in force when their SMs are taken. */
	{ ONE(worker_blocks), .flag = SIMGPU_SAYS_WORKERS, .before_sms = true,
	  .most = SIMGPU_WORKER_BLOCKS_MAX,
	  .reason = "a worker does not run so many thread blocks before it looks",
	  .apply = apply_workers },
	{ ONE(preemption), .flag = SIMGPU_SAYS_PREEMPTION, .shown = true,
	  .before_sms = true, .most = SIMGPU_LEAVE_RESET,
	  .reason = "thread blocks cannot leave an SM in that way" },
	{ AT(hold), .shape = SLOTS_MASK, .count = 1, .width = sizeof(u64),
	  .flag = SIMGPU_SAYS_HOLD, .shown = true, .before_sms = true },
	{ EACH_SLOT(hold_queues), .flag = SIMGPU_SAYS_HOLD_QUEUES, .shown = true,
	  .before_sms = true },
	{ EACH_SLOT(hold_copies), .flag = SIMGPU_SAYS_HOLD_COPIES, .shown = true,
	  .before_sms = true },
	{ EACH_SLOT(copy_priority), .flag = SIMGPU_SAYS_COPY_PRIORITY, .shown = true,
	  .before_sms = true, .most = SIMGPU_COPY_PRIORITY_MAX,
	  .reason = "a priority of copies is above 3" },
	{ AT(block_limit), .shape = BY_SM_AND_SLOT, .width = sizeof(u8),
	  .count = SIMGPU_SMS_MAX * SIMGPU_SLOTS_MAX,
	  .flag = SIMGPU_SAYS_BLOCK_LIMITS, .shown = true,
	  .neutral = SIMGPU_ANY_BLOCKS, .apply = shares_set_limits },
	{ EACH_SLOT(quota), .flag = SIMGPU_SAYS_QUOTAS,
	  .neutral = (u64)SIMGPU_NO_QUOTA, .check = quotas_are_sound },
	{ EACH_SLOT(refill), .flag = SIMGPU_SAYS_QUOTAS },
	{ EACH_SLOT(quota_flags), .flag = SIMGPU_SAYS_QUOTAS,
	  .apply = quotas_apply },
	{ EACH_SLOT(rank), .flag = SIMGPU_SAYS_RANKS, .shown = true,
	  .apply = apply_ranks },
	{ ONE(sm_blocks), .flag = SIMGPU_SAYS_SM_BLOCKS, .most_of = blocks_of,
	  .reason = "an SM does not hold so many thread blocks",
	  .apply = apply_sm_blocks },
	{ EACH_SLOT(bucket), .flag = SIMGPU_SAYS_BLOCK_ORDER, .neutral = 1,
	  .check = buckets_are_sound },
	{ ONE(block_order), .flag = SIMGPU_SAYS_BLOCK_ORDER,
	  .most = SIMGPU_ORDER_RANK,
	  .reason = "there is no such order of thread blocks",
	  .apply = apply_order },
	{ AT(issue_limit), .shape = BY_SLOT_AND_QUEUE, .width = sizeof(u32),
	  .count = SIMGPU_SLOTS_MAX * SIMGPU_QUEUES_MAX,
	  .flag = SIMGPU_SAYS_ISSUE_LIMITS, .shown = true, .once = true,
	  .neutral = SIMGPU_KEEP_ISSUE_LIMIT,
	  .check = issue_limits_are_sound, .apply = apply_issue_limits },
	{ ONE(idle_sample_cycles), .flag = SIMGPU_SAYS_IDLE_SAMPLES,
	  .check = samples_are_sound, .apply = apply_samples },
	{ EACH_SLOT(memory_min), .flag = SIMGPU_SAYS_MEMORY, .shown = true,
	  .check = memory_is_sound },
	{ EACH_SLOT(memory_low), .flag = SIMGPU_SAYS_MEMORY, .shown = true },
	{ EACH_SLOT(memory_max), .flag = SIMGPU_SAYS_MEMORY, .shown = true },
	{ AT(prepare), .shape = SLOTS_MASK, .count = 1, .width = sizeof(u64),
	  .flag = SIMGPU_SAYS_PREPARE, .once = true,
	  .check = prepare_is_sound, .apply = apply_prepare },
	/* What it says, recovery.c does. */
	{ AT(recovery), .shape = BY_SLOT_AND_QUEUE, .width = sizeof(u8),
	  .count = SIMGPU_SLOTS_MAX * SIMGPU_QUEUES_MAX,
	  .flag = SIMGPU_SAYS_RECOVERY, .once = true,
	  .most = SIMGPU_RECOVER_RESET_DEVICE,
	  .reason = "nothing of the kind can be done about a failure",
	  .check = recovery_is_sound },
	{ ONE(clock_mhz), .flag = SIMGPU_SAYS_CLOCK, .shown = true,
	  .check = clock_is_sound, .apply = power_apply },
};

/* --- values ----------------------------------------------------------------------------- */

static u64 value_at(const struct simgpu_proposal *proposal,
		    const struct control *control, u32 index)
{
	return member_get(proposal, control->offset + index * control->width,
			  control->width);
}

static void set_value(struct simgpu_proposal *proposal,
		      const struct control *control, u32 index, u64 value)
{
	member_set(proposal, control->offset + index * control->width,
		   control->width, value);
}

static u64 neutral_of(const struct session *session, const struct control *control)
{
	return control->mask ?
	       first_bits(control->most_of(&session->initial.config)) :
	       control->neutral;
}

/* Number of values that concern the device, which may have fewer SMs than there is room for */
static u32 count_of(const struct session *session, const struct control *control)
{
	return control->shape == BY_SM_AND_SLOT ?
	       session->initial.config.sms * SIMGPU_SLOTS_MAX : control->count;
}

static void make_neutral(const struct session *session,
			 struct simgpu_proposal *proposal,
			 const struct control *control)
{
	u64 neutral = neutral_of(session, control);
	u32 i;

	if (control->width == sizeof(u8)) {
		memset((u8 *)proposal + control->offset, (u8)neutral, control->count);
		return;
	}
	for (i = 0; i < control->count; i++)
		set_value(proposal, control, i, neutral);
}

static void copy(const struct session *session, const struct control *control,
		 const struct simgpu_proposal *from, struct simgpu_proposal *to)
{
	memcpy((u8 *)to + control->offset, (const u8 *)from + control->offset,
	       control->width * count_of(session, control));
}

/* The slot of a value, or SESSION_NOWHERE */
static u32 slot_of(const struct control *control, u32 index)
{
	switch (control->shape) {
	case BY_SLOT:
		return index;
	case BY_SM_AND_SLOT:
		return index % SIMGPU_SLOTS_MAX;
	case BY_SLOT_AND_QUEUE:
		return index / SIMGPU_QUEUES_MAX;
	default:
		return SESSION_NOWHERE;
	}
}

/* --- all rows ------------------------------------------------------------------------------ */

/* controls_present() - copy the controls in force to a zeroed proposal for a policy */
void controls_present(const struct session *session,
		      struct simgpu_proposal *proposal)
{
	u32 i;

	for (i = 0; i < ARRAY_SIZE(table); i++)
		if (table[i].shown)
			copy(session, &table[i], &session->controls, proposal);
}

/* Whether there are values that are refused by themselves */
static bool has_range(const struct control *control)
{
	return control->mask || control->most || control->most_of;
}

static bool is_in_range(const struct session *session,
			const struct control *control, u64 value)
{
	u64 most = control->most;

	if (control->mask)
		return value && !(value & ~neutral_of(session, control));
	if (control->most_of)
		most = control->most_of(&session->initial.config);
	return !most || value <= most;
}

static bool control_is_sound(const struct session *session,
			     const struct control *control,
			     struct session_refusal *why)
{
	u32 count = has_range(control) ? control->count : 0, i;

	for (i = 0; i < count; i++)
		if (!is_in_range(session, control,
				 value_at(&session->proposal, control, i)))
			return refuse_proposal(why, control->name, slot_of(control, i),
					       SESSION_NOWHERE, control->reason);
	return !control->check || control->check(session, why);
}

/* controls_are_sound() - whether the proposal's controls can be applied */
bool controls_are_sound(const struct session *session, struct session_refusal *why)
{
	u32 i;

	for (i = 0; i < ARRAY_SIZE(table); i++)
		if (session->proposal.flags & table[i].flag &&
		    !control_is_sound(session, &table[i], why))
			return false;
	return true;
}

/* controls_apply() - apply the controls of a sound proposal, those that come before SMs
 *	change owner, or those that come after
 */
void controls_apply(struct session *session, bool before_sms)
{
	u32 i;

	for (i = 0; i < ARRAY_SIZE(table); i++) {
		const struct control *control = &table[i];

		if (control->before_sms != before_sms ||
		    !(session->proposal.flags & control->flag))
			continue;
		if (!control->once)
			copy(session, control, &session->proposal,
			     &session->controls);
		if (control->apply)
			control->apply(session);
	}
}

/* controls_neutral() - return to the values of a cold start, without telling the hardware */
void controls_neutral(struct session *session)
{
	u32 i;

	memset(&session->controls, 0, sizeof(session->controls));
	for (i = 0; i < ARRAY_SIZE(table); i++)
		make_neutral(session, &session->controls, &table[i]);
	session->controls.preemption = (u32)session->initial.preemption;
}

/*
 * controls_forget_slot() - reset a dropped slot's controls in a proposal, in force or
 *	pending, so that they are not used for the slot's next tenant
 */
void controls_forget_slot(const struct session *session,
			  struct simgpu_proposal *proposal, u32 slot)
{
	u32 i, k;

	for (i = 0; i < ARRAY_SIZE(table); i++) {
		const struct control *control = &table[i];

		if (control->shape == SLOTS_MASK)
			set_value(proposal, control, 0,
				  value_at(proposal, control, 0) &
				  ~(1ULL << slot));
		for (k = 0; k < count_of(session, control); k++)
			if (slot_of(control, k) == slot)
				set_value(proposal, control, k,
					  neutral_of(session, control));
	}
}
