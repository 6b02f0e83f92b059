// SPDX-License-Identifier: GPL-2.0
/*
 * Fine-grained QoS (Wang et al., ISCA'17): all SMs are shared, and each tenant has a
 * quota of thread instructions an epoch. Five schemes of section 3.4 and 4.5 that
 * differ in what is done with quotas that are used up early, or not at all. The
 * epoch is the policy's own: wakes that neither kernel ends nor arrivals move.
 */
#include "../registry.h"

/* Its knobs. */
enum {
	EPOCH,
	HISTORY,
	ADJUST,
	ONE_SWAP,
};

/* The artificial goal of best-effort tenants at first, and its floor (3.5). */
#define LEAST_IPC_PPM	SIMGPU_PPM
/* A quota is at least a warp instruction on each SM: who has none never moves. */
#define LEAST_QUOTA	32

/**
 * struct scheme - what tells the five apart
 * @elastic: quotas that all are used up begin an epoch of that SM (3.4.3)
 * @rollover: what QoS tenants have not used is added to their next quota (3.4.4)
 * @time: the others wait until QoS quotas are used up (4.5)
 */
struct scheme {
	bool elastic;
	bool rollover;
	bool time;
};

/**
 * struct quotas - between two calls
 * @begun: whether an epoch is under way
 * @start: device cycle at which it began
 * @next: at which it ends
 * @active: slots that have a quota
 * @issued: thread instructions of each at @start, since it joined
 * @goal_ppm: instructions a cycle that its quota stands for; of best-effort
 *	tenants the artificial goal
 * @refill: that is added when all are used up
 * @blocks: static resources
 */
struct quotas {
	u64 begun;
	u64 start;
	u64 next;
	u64 active;
	u64 issued[SIMGPU_SLOTS_MAX];
	u64 goal_ppm[SIMGPU_SLOTS_MAX];
	s64 refill[SIMGPU_SLOTS_MAX];
	struct blocks blocks;
};

static_assert(sizeof(struct quotas) <= SIMGPU_STATE_BYTES_MAX, "state");

static bool anybody_has_goal(const struct simgpu_snapshot *snapshot)
{
	u32 slot;

	for (slot = 0; slot < SIMGPU_SLOTS_MAX; slot++)
		if (goal_has(&snapshot->tenants[slot]))
			return true;
	return false;
}

static u64 asked_ppm(const struct simgpu_snapshot *snapshot,
		     const struct simgpu_snapshot_tenant *tenant)
{
	return goal_asked_ppm(snapshot, tenant,
			      snapshot->policy_params[HISTORY]);
}

/* IPC_epoch: over the epoch that ends, or since it has had work. */
static u64 epoch_ipc_ppm(const struct simgpu_snapshot *snapshot,
			 const struct quotas *state, u32 slot)
{
	const struct simgpu_snapshot_tenant *tenant = &snapshot->tenants[slot];
	u64 from = state->start;

	if (tenant->arrival_cycle > from)
		from = tenant->arrival_cycle;
	return fixed_ratio_ppm(tenant->total.thread_instructions -
			       state->issued[slot], snapshot->cycle - from);
}

/*
 * 3.5: the product over QoS tenants of IPC_epoch / (alpha x IPC_goal), in parts per
 * million. alpha is that of the epoch that begins.
 */
static u64 product_ppm(const struct simgpu_snapshot *snapshot,
		       const struct quotas *state)
{
	u64 product = SIMGPU_PPM;
	u32 slot;

	for (slot = 0; slot < SIMGPU_SLOTS_MAX; slot++) {
		const struct simgpu_snapshot_tenant *tenant =
			&snapshot->tenants[slot];

		if (goal_has(tenant) && state->active >> slot & 1)
			product = fixed_mul_div(product,
						epoch_ipc_ppm(snapshot, state,
							      slot),
						asked_ppm(snapshot, tenant));
	}
	return product;
}

/* The artificial goal of a best-effort tenant; at first, and at least, 1. */
static u64 artificial_ppm(const struct simgpu_snapshot *snapshot,
			  const struct quotas *state, u32 slot, u64 product)
{
	u64 goal = LEAST_IPC_PPM, peak = goal_peak_ppm(snapshot);

	if (state->active >> slot & 1)
		goal = fixed_mul_div(epoch_ipc_ppm(snapshot, state, slot),
				     product, SIMGPU_PPM);
	if (goal < LEAST_IPC_PPM)
		return LEAST_IPC_PPM;
	return goal < peak ? goal : peak;
}

/*
 * Eq. 1: thread instructions for @cycles, and one more for each SM: when they are
 * divided each part is rounded down, and a goal has no tolerance.
 */
static s64 quota_for(const struct simgpu_snapshot *snapshot, u64 goal_ppm,
		     u64 cycles)
{
	u64 quota = fixed_add(fixed_mul_div(goal_ppm, cycles, SIMGPU_PPM),
			      snapshot->sms);
	u64 floor = (u64)LEAST_QUOTA * snapshot->sms;

	return (s64)(quota > floor ? quota : floor);
}

/* A quota of a scheme for what is left of an epoch, @cycles. */
static void say_quota(const struct simgpu_snapshot *snapshot,
		      const struct scheme *scheme, struct quotas *state,
		      u32 slot, u64 cycles, struct simgpu_proposal *proposal)
{
	bool qos = goal_has(&snapshot->tenants[slot]);
	s64 quota = quota_for(snapshot, state->goal_ppm[slot], cycles);

	proposal->quota_flags[slot] = SIMGPU_QUOTA_BY_BLOCKS;
	if (qos && scheme->rollover)
		proposal->quota_flags[slot] |= SIMGPU_QUOTA_KEEP;
	state->refill[slot] = qos && !scheme->elastic ? 0 : quota;
	proposal->quota[slot] = !qos && scheme->time ? 0 : quota;
	proposal->refill[slot] = state->refill[slot];
}

static void say_no_quotas(struct simgpu_proposal *proposal)
{
	u32 slot;

	for (slot = 0; slot < SIMGPU_SLOTS_MAX; slot++)
		proposal->quota[slot] = SIMGPU_NO_QUOTA;
}

/* What a tenant has stays as it is. */
static void keep_quota(const struct quotas *state, u32 slot,
		       struct simgpu_proposal *proposal)
{
	proposal->quota[slot] = 0;
	proposal->refill[slot] = state->refill[slot];
	proposal->quota_flags[slot] = SIMGPU_QUOTA_BY_BLOCKS |
				      SIMGPU_QUOTA_KEEP;
}

/* An epoch begins: quotas of all. */
static void begin_epoch(const struct simgpu_snapshot *snapshot,
			const struct scheme *scheme, struct quotas *state,
			struct simgpu_proposal *proposal)
{
	u64 product = product_ppm(snapshot, state);
	u64 length = snapshot->policy_params[EPOCH];
	bool goals = anybody_has_goal(snapshot);
	u32 slot;

	say_no_quotas(proposal);
	for (slot = 0; slot < SIMGPU_SLOTS_MAX; slot++) {
		const struct simgpu_snapshot_tenant *tenant =
			&snapshot->tenants[slot];

		if (!tenant->active || !goals)
			continue;
		state->goal_ppm[slot] =
			goal_has(tenant) ? asked_ppm(snapshot, tenant) :
			artificial_ppm(snapshot, state, slot, product);
		say_quota(snapshot, scheme, state, slot, length, proposal);
	}
	goal_note_issued(snapshot, state->issued);
	state->start = snapshot->cycle;
	state->next = snapshot->cycle + length;
}

/* Somebody has come or gone in the middle: the epoch goes on for the others. */
static void go_on(const struct simgpu_snapshot *snapshot,
		  const struct scheme *scheme, struct quotas *state, u64 active,
		  struct simgpu_proposal *proposal)
{
	u32 slot;

	say_no_quotas(proposal);
	for (slot = 0; slot < SIMGPU_SLOTS_MAX; slot++) {
		const struct simgpu_snapshot_tenant *tenant =
			&snapshot->tenants[slot];

		if (!(active >> slot & 1))
			continue;
		if (state->active >> slot & 1) {
			keep_quota(state, slot, proposal);
			continue;
		}
		state->issued[slot] = tenant->total.thread_instructions;
		state->goal_ppm[slot] = goal_has(tenant) ?
					asked_ppm(snapshot, tenant) :
					LEAST_IPC_PPM;
		say_quota(snapshot, scheme, state, slot,
			  state->next - snapshot->cycle, proposal);
	}
}

/* Nobody has work: the next one finds a new epoch. */
static int rest(struct quotas *state)
{
	state->begun = 0;
	state->active = 0;
	return 0;
}

static void divide_blocks(const struct simgpu_snapshot *snapshot,
			  struct quotas *state, bool epoch)
{
	struct blocks *blocks = &state->blocks;

	if (blocks_changed(snapshot, blocks)) {
		blocks_split(snapshot, blocks);
		if (epoch)
			blocks_sample(snapshot, blocks);
		return;
	}
	if (!epoch)
		return;
	blocks_sample(snapshot, blocks);
	if (snapshot->policy_params[ADJUST])
		blocks_adjust(snapshot, blocks,
			      snapshot->policy_params[ONE_SWAP]);
}

static int quota_decide(const struct simgpu_snapshot *snapshot,
			const struct scheme *scheme, struct quotas *state,
			struct simgpu_proposal *proposal)
{
	u64 active = active_slots(snapshot);
	bool epoch;

	if (!active)
		return rest(state);
	if (!state->begun) {
		proposal->flags |= SIMGPU_SAYS_IDLE_SAMPLES;
		proposal->idle_sample_cycles =
			(u32)snapshot->policy_params[EPOCH] / 100;
	}
	epoch = !state->begun || snapshot->cycle >= state->next;
	divide_blocks(snapshot, state, epoch);
	if (epoch)
		begin_epoch(snapshot, scheme, state, proposal);
	else if (active != state->active && anybody_has_goal(snapshot))
		go_on(snapshot, scheme, state, active, proposal);
	else if (active != state->active)
		say_no_quotas(proposal);
	if (epoch || active != state->active)
		proposal->flags |= SIMGPU_SAYS_QUOTAS;
	blocks_say(snapshot, &state->blocks, proposal);
	proposal->wake_cycle = state->next;
	state->active = active;
	state->begun = 1;
	return 0;
}

#define EPOCH_PARAM {							\
	"quota_epoch", SIMGPU_UNIT_CYCLES, 1000, 10000000, 10000,	\
	"length of an epoch of quotas (FGQoS 4.1)"			\
}

#define HISTORY_PARAM(_initial) {					\
	"history", SIMGPU_UNIT_NUMBER, 0, 1, _initial,			\
	"1: quotas grow by goal / history while a goal is missed (FGQoS 3.4.2)" \
}

#define ADJUST_PARAM {							\
	"static_adjustment", SIMGPU_UNIT_NUMBER, 0, 1, 1,		\
	"1: thread blocks are swapped for who misses a goal (FGQoS 3.6)" \
}

#define ONE_SWAP_PARAM {						\
	"one_swap", SIMGPU_UNIT_NUMBER, 0, 1, 0,			\
	"1: for one SM of the device an epoch, not for each"		\
}

static const struct simgpu_param naive_params[] = {
	[EPOCH] = EPOCH_PARAM, [HISTORY] = HISTORY_PARAM(0),
	[ADJUST] = ADJUST_PARAM, [ONE_SWAP] = ONE_SWAP_PARAM,
	{ .name = NULL }
};

static const struct simgpu_param params[] = {
	[EPOCH] = EPOCH_PARAM, [HISTORY] = HISTORY_PARAM(1),
	[ADJUST] = ADJUST_PARAM, [ONE_SWAP] = ONE_SWAP_PARAM,
	{ .name = NULL }
};

#define QUOTA_POLICY(_symbol, _name, _params, ...)			\
static int _symbol##_decide(const struct simgpu_snapshot *snapshot,	\
			    void *state,				\
			    struct simgpu_proposal *proposal)		\
{									\
	static const struct scheme scheme = { __VA_ARGS__ };		\
									\
	return quota_decide(snapshot, &scheme, state, proposal);	\
}									\
									\
const struct simgpu_policy policy_##_symbol = {				\
	.name = _name,							\
	.events = SIMGPU_ON_ARRIVAL | SIMGPU_ON_DEPARTURE |		\
		  SIMGPU_ON_KERNEL_END | SIMGPU_ON_WAKE,		\
	.needs = SIMGPU_NEEDS_IDLE_SAMPLES | SIMGPU_NEEDS_SHARED_ROWS |	\
		 SIMGPU_NEEDS_NO_MODEL,					\
	.state_bytes = sizeof(struct quotas),				\
	.params = _params,						\
	.decide = _symbol##_decide,					\
}

QUOTA_POLICY(quota_naive, "quota-naive", naive_params, .elastic = false);
QUOTA_POLICY(quota_history, "quota-history", params, .elastic = false);
QUOTA_POLICY(quota_elastic, "quota-elastic", params, .elastic = true);
QUOTA_POLICY(quota_rollover, "quota-rollover", params, .rollover = true);
QUOTA_POLICY(quota_rollover_time, "quota-rollover-time", params,
	     .rollover = true, .time = true);
