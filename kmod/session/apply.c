// SPDX-License-Identifier: GPL-2.0
/*
 * Apply a sound proposal: which SMs change owner and how their thread blocks leave them,
 * the limits and quotas of shared SMs, priorities, and orders. What lasts is kept in the
 * session's controls.
 */
#include "../policy/common/split.h"
#include "affinity.h"
#include "apply.h"
#include "controls.h"
#include "failures.h"
#include "internal.h"
#include "managed.h"
#include "pager_fetch.h"
#include "power.h"
#include "quotas.h"

/* --- who has what -------------------------------------------------------------------- */

/*
 * proposal_count() - SMs that a proposal gives a slot, shared ones included
 */
u32 proposal_count(const struct simgpu_snapshot *snapshot,
		   const struct simgpu_proposal *proposal, u32 slot)
{
	u32 count = 0, sm;

	if (!(proposal->flags & SIMGPU_SAYS_OWNERS))
		return proposal->sms[slot];
	for (sm = 0; sm < snapshot->sms; sm++)
		count += proposal->owner[sm] == slot ||
			 (proposal->owner[sm] == SIMGPU_SHARED &&
			  proposal->sharers[sm] >> slot & 1);
	return count;
}

/* proposal_begin() - fill in the limits of SMs that the device does not have */
void proposal_begin(struct session *session)
{
	struct simgpu_proposal *proposal = &session->proposal;

	memset(proposal->block_limit, SIMGPU_ANY_BLOCKS, sizeof(proposal->block_limit));
}

/*
 * proposal_present() - propose the present assignment, as in session->snapshot
 */
void proposal_present(struct session *session)
{
	struct simgpu_proposal *proposal = &session->proposal;
	const struct simgpu_snapshot *snapshot = &session->snapshot;
	u32 slot, sm;

	policy_clear(proposal);
	controls_present(session, proposal);
	for (slot = 0; slot < SIMGPU_SLOTS_MAX; slot++)
		if (snapshot->tenants[slot].active)
			proposal->sms[slot] = snapshot->tenants[slot].sms;
	memset(proposal->owner, SIMGPU_NO_OWNER, sizeof(proposal->owner));
	for (sm = 0; sm < snapshot->sms; sm++) {
		u32 owner = owner_of(session, sm);

		if (owner < SIMGPU_SLOTS_MAX &&
		    !snapshot->tenants[owner].active)
			owner = SIMGPU_NO_OWNER;
		proposal->owner[sm] = (u8)owner;
		proposal->sharers[sm] = session->controls.sharers[sm];
	}
}

/* Take a TPC from the slot that has the most; among equals, from the highest slot. */
static void take_tpc(u32 *tpcs)
{
	u32 most = 0, slot;

	for (slot = 0; slot < SIMGPU_SLOTS_MAX; slot++)
		if (tpcs[slot] >= tpcs[most])
			most = slot;
	tpcs[most]--;
}

/* Give a TPC to the slot with the largest remainder; among equals, to the lowest slot. */
static void give_tpc(u32 *tpcs, u32 *rest)
{
	u32 most = 0, slot;

	for (slot = 1; slot < SIMGPU_SLOTS_MAX; slot++)
		if (rest[slot] > rest[most])
			most = slot;
	tpcs[most] += !!rest[most];
	rest[most] = 0;
}

/*
 * Round the counts to whole TPCs. Their sum stays, rounded down. Each slot that gets an SM
 * gets at least a TPC, as long as there are enough TPCs.
 */
static void proposal_round(const struct gpu_config *config,
			   struct simgpu_proposal *proposal)
{
	u32 tpcs[SIMGPU_SLOTS_MAX], rest[SIMGPU_SLOTS_MAX] = { 0 };
	u32 each = config->sms_per_tpc, sum = 0, given = 0, slot;

	if (each == 1 || proposal->flags & SIMGPU_SAYS_OWNERS)
		return;
	for (slot = 0; slot < SIMGPU_SLOTS_MAX; slot++) {
		u32 sms = proposal->sms[slot];

		tpcs[slot] = sms && sms < each ? 1 : sms / each;
		if (sms > each)
			rest[slot] = sms % each;
		sum += sms;
		given += tpcs[slot];
	}
	for (; given > config->sms / each; given--)
		take_tpc(tpcs);
	for (; given < sum / each; given++)
		give_tpc(tpcs, rest);
	for (slot = 0; slot < SIMGPU_SLOTS_MAX; slot++)
		proposal->sms[slot] = tpcs[slot] * each;
}

/* Leave no slot more than @sms_most SMs (0: no limit), in whole TPCs. */
static void proposal_limit(const struct gpu_config *config,
			   struct simgpu_proposal *proposal, u32 sms_most)
{
	u32 have[SIMGPU_SLOTS_MAX] = { 0 }, i;

	if (!sms_most)
		return;
	sms_most = max(sms_most, config->sms_per_tpc);
	sms_most = first_of_tpc(config, sms_most);
	for (i = 0; i < SIMGPU_SLOTS_MAX; i++)
		proposal->sms[i] = min(proposal->sms[i], sms_most);
	if (!(proposal->flags & SIMGPU_SAYS_OWNERS))
		return;
	for (i = 0; i < config->sms; i++)
		if (proposal->owner[i] < SIMGPU_SLOTS_MAX &&
		    have[proposal->owner[i]]++ >= sms_most)
			proposal->owner[i] = SIMGPU_NO_OWNER;
}

/*
 * proposal_fit() - fit a sound proposal to the session's limit of SMs and to whole TPCs
 */
void proposal_fit(struct session *session)
{
	const struct gpu_config *config = &session->initial.config;

	proposal_limit(config, &session->proposal, session->initial.sms_most);
	proposal_round(config, &session->proposal);
}

/* --- SMs change hands ------------------------------------------------------------------ */

/* Thread blocks on the TPC whose first SM is @first */
static u32 tpc_blocks(const struct session *session, u32 first)
{
	struct gpu_sm_status status;
	u32 blocks = 0, i;

	for (i = 0; i < session->initial.config.sms_per_tpc; i++) {
		gpu_sm_status(session->gpu, first + i, &status);
		blocks += status.blocks;
	}
	return blocks;
}

/*
 * Choose the next TPC to take from @from, and return its first SM. TPCs in @slot's mask go
 * first (without @inside: those outside it), then those with the fewest thread blocks,
 * then the highest index (docs/glossary.md, Who holds an SM).
 */
static u32 pick_tpc(const struct session *session, u32 from, u32 slot, bool inside)
{
	const struct gpu_config *config = &session->initial.config;
	u32 best = SIMGPU_SMS_MAX, fewest = U32_MAX, sm;
	bool best_suits = false;

	for (sm = 0; sm < config->sms; sm += config->sms_per_tpc) {
		bool suits;
		u32 blocks;

		if (gpu_sm_next_owner(session->gpu, sm) != from)
			continue;
		suits = masks_have_sm(session, slot, sm) == inside;
		if (best_suits && !suits)
			continue;
		blocks = tpc_blocks(session, sm);
		if (suits == best_suits && blocks > fewest)
			continue;
		best = sm;
		best_suits = suits;
		fewest = blocks;
	}
	return best;
}

/* How many thread blocks of its owner's kernel an SM can run concurrently */
static u32 concurrent_blocks(const struct session *session,
			     const struct gpu_sm_status *status)
{
	const struct session_tenant *tenant;
	const struct queue *queue;

	/* A shared SM runs several kernels: take the present count. */
	if (status->owner >= SIMGPU_SLOTS_MAX)
		return status->blocks;
	tenant = &session->tenants[status->owner];
	/* At the stop cycle launches end, but their thread blocks stay. */
	if (!tenant->pending || tenant->pending & (tenant->pending - 1))
		return status->blocks;
	queue = &tenant->queue[__builtin_ctz(tenant->pending)];
	return gpu_kernel_blocks_per_sm(&session->initial.config,
					present_kernel(queue));
}

/*
 * Whether the adaptive way drains this SM (HSM 4.2): if in the last epoch more thread
 * blocks ended on it than it can run concurrently, they are short.
 */
static bool drains_soon(const struct session *session, u32 sm)
{
	struct gpu_sm_status status;

	gpu_sm_status(session->gpu, sm, &status);
	return !status.blocks || session->sm_finished[sm] >
				 concurrent_blocks(session, &status);
}

/*
 * Whether the thread blocks of @slots on an SM may be reset. A proposal to reset others is
 * refused, but the kernels may have changed since.
 */
static bool all_may_be_reset(const struct session *session, u32 sm, u64 slots)
{
	for (; slots; slots &= slots - 1) {
		u32 slot = (u32)__builtin_ctzll(slots);

		if (gpu_sm_blocks(session->gpu, sm, slot) &&
		    !may_be_reset(session, slot))
			return false;
	}
	return true;
}

/* How thread blocks of @slots leave an SM. */
static enum gpu_preemption leaving_mode(const struct session *session, u32 sm,
					u64 slots)
{
	u32 preemption = session->controls.preemption;

	if (preemption == SIMGPU_LEAVE_RESET &&
	    all_may_be_reset(session, sm, slots))
		return GPU_PREEMPT_RESET;
	if (preemption == SIMGPU_LEAVE_SWITCH ||
	    (preemption == SIMGPU_LEAVE_ADAPTIVE && !drains_soon(session, sm)))
		return GPU_PREEMPT_SWITCH;
	return GPU_PREEMPT_DRAIN;
}

/* The number by which hooks know a mode */
static u32 way_of(enum gpu_preemption mode)
{
	return mode == GPU_PREEMPT_RESET ? SIMGPU_LEAVE_RESET :
	       mode == GPU_PREEMPT_SWITCH ? SIMGPU_LEAVE_SWITCH :
					    SIMGPU_LEAVE_DRAIN;
}

static void assign(struct session *session, u32 sm, u32 slot)
{
	const struct session_hooks *hooks = &session->hooks;
	enum gpu_preemption mode = leaving_mode(session, sm, ~0ULL);
	struct gpu_sm_status status;

	if (hooks->preempt) {
		gpu_sm_status(session->gpu, sm, &status);
		if (status.blocks && status.owner != slot)
			hooks->preempt(hooks->context, sm, status.owner, slot,
				       way_of(mode));
	}
	gpu_sm_assign(session->gpu, sm, slot, mode);
}

static void assign_tpc(struct session *session, u32 first, u32 slot)
{
	u32 i;

	for (i = 0; i < session->initial.config.sms_per_tpc; i++)
		assign(session, first + i, slot);
}

static void apply_counts(struct session *session)
{
	const struct simgpu_proposal *proposal = &session->proposal;
	u32 each = session->initial.config.sms_per_tpc, slot;
	u32 have[SIMGPU_SLOTS_MAX];

	sms_of_each(session, have);
	for (slot = 0; slot < SIMGPU_SLOTS_MAX; slot++)
		for (; have[slot] > proposal->sms[slot]; have[slot] -= each)
			assign_tpc(session, pick_tpc(session, slot, slot, false),
				   GPU_NO_TENANT);
	for (slot = 0; slot < SIMGPU_SLOTS_MAX; slot++)
		for (; have[slot] < proposal->sms[slot]; have[slot] += each)
			assign_tpc(session, pick_tpc(session, GPU_NO_TENANT,
						     slot, true), slot);
}

/* --- shared SMs ------------------------------------------------------------------------ */

/* The limit that the hardware needs for a slot's thread blocks on an SM */
static u32 limit_of(const struct session *session, u32 sm, u32 slot)
{
	const struct simgpu_proposal *controls = &session->controls;

	if (controls->sharers[sm] && !(controls->sharers[sm] >> slot & 1))
		return 0;
	if (controls->block_limit[sm][slot] == SIMGPU_ANY_BLOCKS)
		return GPU_NO_LIMIT;
	return controls->block_limit[sm][slot];
}

static void set_limits(struct session *session, u32 sm)
{
	u32 slot;

	for (slot = 0; slot < SIMGPU_SLOTS_MAX; slot++) {
		u32 limit = limit_of(session, sm, slot);

		if (gpu_sm_block_limit(session->gpu, sm, slot) != limit)
			gpu_sm_set_block_limit(session->gpu, sm, slot, limit,
					       leaving_mode(session, sm,
							    1ULL << slot));
	}
}

static void clear_quotas(struct session *session, u32 sm)
{
	u32 slot;

	for (slot = 0; slot < SIMGPU_SLOTS_MAX; slot++)
		if (gpu_sm_quota_left(session->gpu, sm, slot) != GPU_NO_QUOTA)
			quotas_clear(session, sm, slot);
}

/* An SM is no longer shared: drop its limits and quotas. */
static void end_sharing(struct session *session, u32 sm)
{
	session->controls.sharers[sm] = 0;
	set_limits(session, sm);
	clear_quotas(session, sm);
}

/* @sharers share an SM from now on; no other slot may place thread blocks on it. */
static void share(struct session *session, u32 sm, u64 sharers)
{
	session->any_shared = true;
	if (session->controls.sharers[sm] != sharers) {
		session->controls.sharers[sm] = sharers;
		set_limits(session, sm);
	}
	if (owner_of(session, sm) != GPU_SHARED)
		gpu_sm_share(session->gpu, sm);
}

static void apply_owners(struct session *session)
{
	const struct simgpu_proposal *proposal = &session->proposal;
	u32 sm;

	session->any_shared = false;
	for (sm = 0; sm < session->initial.config.sms; sm++) {
		u32 owner = proposal->owner[sm], had = owner_of(session, sm);

		if (owner == SIMGPU_SHARED) {
			share(session, sm, proposal->sharers[sm]);
			continue;
		}
		if (had == GPU_SHARED)
			end_sharing(session, sm);
		if (had != owner)
			assign(session, sm, owner);
	}
}

/* The proposal gives only counts: free the shared SMs first. */
static void free_shared(struct session *session)
{
	u32 sm;

	if (!session->any_shared)
		return;
	for (sm = 0; sm < session->initial.config.sms; sm++) {
		if (owner_of(session, sm) != GPU_SHARED)
			continue;
		end_sharing(session, sm);
		assign(session, sm, GPU_NO_TENANT);
	}
	session->any_shared = false;
}

/* shares_set_limits() - set the limits of thread blocks on all SMs */
void shares_set_limits(struct session *session)
{
	u32 sm;

	for (sm = 0; sm < session->initial.config.sms; sm++)
		set_limits(session, sm);
}

/* controls_idle_samples() - take 100 idle samples an epoch if model or policy needs them */
void controls_idle_samples(struct session *session)
{
	u64 interval = session->epoch_cycles / 100;

	if (!(session_needs(session) & SIMGPU_NEEDS_IDLE_SAMPLES))
		interval = 0;
	gpu_set_idle_sampling(session->gpu, interval);
}

/* --- the whole -------------------------------------------------------------------------- */

static bool moves_sms(const struct session *session)
{
	const struct simgpu_proposal *proposal = &session->proposal;
	u32 have[SIMGPU_SLOTS_MAX], slot, sm;

	if (!(proposal->flags & SIMGPU_SAYS_OWNERS)) {
		sms_of_each(session, have);
		for (slot = 0; slot < SIMGPU_SLOTS_MAX; slot++)
			if (proposal->sms[slot] != have[slot])
				return true;
		return session->any_shared;
	}
	for (sm = 0; sm < session->initial.config.sms; sm++)
		if (proposal->owner[sm] != owner_of(session, sm))
			return true;
	return false;
}

/*
 * proposal_apply() - do what the session's sound proposal says
 */
void proposal_apply(struct session *session)
{
	const struct simgpu_proposal *proposal = &session->proposal;
	bool alone = session->probe.kind == SIMGPU_PROBE_ALONE;

	controls_apply(session, true);
	if (alone && moves_sms(session))
		probe_end(session);
	if (session->probe.kind != SIMGPU_PROBE_ALONE) {
		if (proposal->flags & SIMGPU_SAYS_OWNERS) {
			apply_owners(session);
		} else {
			free_shared(session);
			apply_counts(session);
		}
	}
	controls_apply(session, false);
	failures_answered(session, proposal, FAILING_ASKED);
	doubts_note(session);
	if (session->hooks.repartition)
		session->hooks.repartition(session->hooks.context);
}

static void clear_issue_limits(struct session *session, u32 slot)
{
	u32 queue;

	session->tenants[slot].slicing = 0;
	for (queue = 0; queue < SIMGPU_QUEUES_MAX; queue++)
		gpu_queue_set_issue_limit(session->gpu, slot, queue,
					  GPU_NO_LIMIT);
}

/*
 * controls_clear() - return to the controls of a cold start
 *
 * The owners of SMs stay; the caller makes an even split next.
 */
void controls_clear(struct session *session)
{
	struct simgpu_proposal *controls = &session->controls;
	u32 slot, sm;

	/* A policy that is no longer asked must not cause work to be dropped. */
	if (controls->preemption == SIMGPU_LEAVE_RESET)
		controls->preemption = (u32)session->initial.preemption;
	free_shared(session);
	controls_neutral(session);
	shares_set_limits(session);
	for (sm = 0; sm < session->initial.config.sms; sm++)
		clear_quotas(session, sm);
	for (slot = 0; slot < SIMGPU_SLOTS_MAX; slot++) {
		gpu_set_memory_priority(session->gpu, slot, 0);
		gpu_set_bucket(session->gpu, slot, 1);
		gpu_set_rank(session->gpu, slot, 0);
		masks_apply(session, slot);
		clear_issue_limits(session, slot);
		session->tenants[slot].quota.last = 0;
	}
	gpu_set_shared_blocks(session->gpu, U32_MAX);
	gpu_set_worker_blocks(session->gpu, 0);
	gpu_set_block_order(session->gpu, GPU_ORDER_ROUND_ROBIN);
	power_apply(session);
	if (session->pager)
		pager_drop_prepared(session->pager, U64_MAX);
	controls_idle_samples(session);
}

/*
 * controls_forget() - reset the controls of a slot that was dropped
 *
 * Its registers are as at first. The shared SMs stay closed to the slot's next tenant.
 */
void controls_forget(struct session *session, u32 slot)
{
	struct simgpu_proposal *controls = &session->controls;
	u32 sm;

	controls_forget_slot(session, controls, slot);
	memset(&session->tenants[slot].masks, 0,
	       sizeof(session->tenants[slot].masks));
	managed_forget_slot(session, slot);
	clear_issue_limits(session, slot);
	if (session->probe.slot == slot)
		probe_end(session);
	for (sm = 0; sm < session->initial.config.sms; sm++) {
		bool shared = controls->sharers[sm];

		if (session->probe.before[sm] == slot)
			session->probe.before[sm] = GPU_NO_TENANT;
		session->quota_watch[sm][slot].bounded = false;
		controls->sharers[sm] &= ~(1ULL << slot);
		if (shared && !controls->sharers[sm])
			assign(session, sm, GPU_NO_TENANT);
		set_limits(session, sm);
	}
}

/*
 * proposal_forget() - remove a dropped slot from a waiting proposal
 *
 * So the slot's next tenant gets nothing that was meant for the last one.
 */
void proposal_forget(struct session *session, u32 slot)
{
	struct simgpu_proposal *proposal = &session->proposal;
	u32 sm;

	controls_forget_slot(session, proposal, slot);
	proposal->sms[slot] = 0;
	for (sm = 0; sm < SIMGPU_SMS_MAX; sm++) {
		proposal->sharers[sm] &= ~(1ULL << slot);
		if (proposal->owner[sm] == slot ||
		    (proposal->owner[sm] == SIMGPU_SHARED &&
		     !proposal->sharers[sm]))
			proposal->owner[sm] = SIMGPU_NO_OWNER;
	}
}

/* --- what a model wants to see ------------------------------------------------------------ */

static void hold_others(struct session *session, u32 slot)
{
	u32 sm;

	for (sm = 0; sm < session->initial.config.sms; sm++)
		session->probe.before[sm] = (u8)owner_of(session, sm);
	session->probe.kind = SIMGPU_PROBE_ALONE;
	for (sm = 0; sm < session->initial.config.sms; sm++)
		if (session->probe.before[sm] != slot)
			assign(session, sm, slot);
}

/* probe_begin() - begin the probe that session->prediction asks for */
void probe_begin(struct session *session)
{
	const struct simgpu_prediction *said = &session->prediction;
	u32 slot;

	session->probe.slot = said->probe_slot;
	if (said->probe == SIMGPU_PROBE_ALONE) {
		hold_others(session, said->probe_slot);
	} else if (said->probe == SIMGPU_PROBE_PRIORITY) {
		session->probe.kind = SIMGPU_PROBE_PRIORITY;
		for (slot = 0; slot < SIMGPU_SLOTS_MAX; slot++)
			gpu_set_memory_priority(session->gpu, slot,
						slot == said->probe_slot ?
						SIMGPU_MEMORY_PRIORITY_MAX : 0);
	}
}

static void return_sm(struct session *session, u32 sm, u32 owner)
{
	struct gpu_sm_status status;

	gpu_sm_status(session->gpu, sm, &status);
	if (owner == GPU_SHARED && status.next_owner != GPU_SHARED)
		gpu_sm_share(session->gpu, sm);
	else if (status.next_owner != owner)
		assign(session, sm, owner);
}

/* probe_end() - return to the state before the probe */
void probe_end(struct session *session)
{
	u32 kind = session->probe.kind, sm;

	session->probe.kind = SIMGPU_PROBE_NONE;
	if (kind == SIMGPU_PROBE_PRIORITY)
		controls_set_priorities(session);
	if (kind == SIMGPU_PROBE_ALONE)
		for (sm = 0; sm < session->initial.config.sms; sm++)
			return_sm(session, sm, session->probe.before[sm]);
}
