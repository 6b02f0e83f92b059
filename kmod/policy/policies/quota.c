// SPDX-License-Identifier: GPL-2.0
/*
 * Fine-grained QoS (Wang et al., ISCA'17): all SMs are shared, and each tenant has a
 * quota of thread instructions an epoch. The five schemes of sections 3.4 and 4.5 differ
 * in what happens to quotas that are used up early, or not at all. quota-mixed is our
 * own: a QoS tenant is given what it has missed, on any SM, and some SMs alone where
 * sharing is not enough. The epoch is the policy's own: its wakes do not move with kernel
 * ends or arrivals.
 */
#include "../common/blocks.h"
#include "../common/goals.h"
#include "../common/tenants.h"
#include "../registry.h"

/* Indices of its parameters. */
enum {
	EPOCH,
	HISTORY,
	ADJUST,
	ONE_SWAP,
	AT_ISSUE,
	/* of quota-rollover */
	SPREAD,
	DEBTS,
	/* of quota-mixed, which has no parameter history */
	GUARD = HISTORY,
	PAYBACK = SPREAD,
	PRIORITY,
	LATE,
	EARLY,
	GIVE_BACK,
};

/* The first artificial goal of best-effort tenants, and the least one (3.5). */
#define LEAST_IPC_PPM	SIMGPU_PPM
/* A quota is at least a warp instruction on each SM; with less a tenant makes no progress. */
#define LEAST_QUOTA	32

/**
 * struct scheme - how the six schemes differ
 * @elastic: when all quotas of an SM are used up, an epoch of that SM begins (3.4.3)
 * @rollover: the unused quota of QoS tenants is added to their next one (3.4.4)
 * @time: the other tenants wait until QoS quotas are used up (4.5)
 * @mixed: the quota of a QoS tenant is its goal and a part of what it has missed, and
 *	the other tenants leave SMs to it
 */
struct scheme {
	bool elastic;
	bool rollover;
	bool time;
	bool mixed;
};

/**
 * struct quotas - the state of the policy
 * @begun: 1 while an epoch is under way
 * @start: device cycle at which it began
 * @next: device cycle at which it ends
 * @active: slots that have a quota
 * @issued: by slot, thread instructions at @start, since it joined
 * @goal_ppm: by slot, instructions a cycle that its quota stands for; for best-effort
 *	tenants the artificial goal
 * @refill: by slot, what is added to its quota when all quotas are used up
 * @late: epochs in a row in which a QoS tenant lagged, and fell back further
 * @early: epochs in a row in which each had what it was owed, and used most of its quota
 * @spare: the same, since tenants with goals last left something to the others
 * @reserved: 0
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
	u16 late;
	u16 early;
	u16 spare;
	u16 reserved;
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

/*
 * quota-mixed asks for the goal, a guard above it, and a part of what the tenant has
 * missed of both since the goal was set: so that it catches up in PAYBACK epochs. It asks
 * for less if the tenant has issued more. The quota is at most twice the goal, since the
 * other tenants' quotas shrink by as much.
 */
static u64 mixed_asked_ppm(const struct simgpu_snapshot *snapshot,
			   const struct simgpu_snapshot_tenant *tenant)
{
	const u64 *params = snapshot->policy_params;
	u64 above = SIMGPU_PPM + params[GUARD];
	u64 aim = fixed_mul_div(tenant->goal_ipc_ppm, above, SIMGPU_PPM);
	u64 due = fixed_mul_div(tenant->goal_promised, above, SIMGPU_PPM);
	u64 issued = tenant->goal_instructions, peak = goal_peak_ppm(snapshot);
	u64 span = params[EPOCH] * params[PAYBACK], asked, ahead;

	if (issued > due) {
		ahead = fixed_ratio_ppm(issued - due, span);
		return fixed_above(aim, ahead);
	}
	asked = fixed_add(aim, fixed_ratio_ppm(due - issued, span));
	asked = min(asked, 2 * aim);
	return min(asked, peak);
}

static u64 asked_ppm(const struct simgpu_snapshot *snapshot,
		     const struct scheme *scheme,
		     const struct simgpu_snapshot_tenant *tenant)
{
	if (scheme->mixed)
		return mixed_asked_ppm(snapshot, tenant);
	return goal_asked_ppm(snapshot, tenant,
			      snapshot->policy_params[HISTORY]);
}

/* IPC_epoch: over the epoch that ends, or the part of it in which the tenant had work. */
static u64 epoch_ipc_ppm(const struct simgpu_snapshot *snapshot,
			 const struct quotas *state, u32 slot)
{
	const struct simgpu_snapshot_tenant *tenant = &snapshot->tenants[slot];
	u64 from = state->start;

	from = max(from, tenant->arrival_cycle);
	return fixed_ratio_ppm(tenant->total.thread_instructions -
			       state->issued[slot], snapshot->cycle - from);
}

/*
 * 3.5: the product over QoS tenants of IPC_epoch / (alpha x IPC_goal), in parts per
 * million. alpha is that of the epoch that begins.
 */
static u64 product_ppm(const struct simgpu_snapshot *snapshot,
		       const struct scheme *scheme, const struct quotas *state)
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
						asked_ppm(snapshot, scheme,
							  tenant));
	}
	return product;
}

/* The artificial goal of a best-effort tenant; 1 at first, and never below 1. */
static u64 artificial_ppm(const struct simgpu_snapshot *snapshot,
			  const struct quotas *state, u32 slot, u64 product)
{
	u64 goal = LEAST_IPC_PPM, peak = goal_peak_ppm(snapshot);

	if (state->active >> slot & 1)
		goal = fixed_mul_div(epoch_ipc_ppm(snapshot, state, slot),
				     product, SIMGPU_PPM);
	if (goal < LEAST_IPC_PPM)
		return LEAST_IPC_PPM;
	return min(goal, peak);
}

/*
 * Eq. 1: thread instructions for @cycles, and one more for each SM. Dividing the quota
 * among SMs rounds each part down, and a goal has no tolerance.
 */
static s64 quota_for(const struct simgpu_snapshot *snapshot, u64 goal_ppm,
		     u64 cycles)
{
	u64 quota = fixed_add(fixed_mul_div(goal_ppm, cycles, SIMGPU_PPM),
			      snapshot->sms);
	u64 floor = (u64)LEAST_QUOTA * snapshot->sms;

	return (s64)max(quota, floor);
}

/*
 * What is left of a tenant's quotas on all SMs. Instructions beyond a quota, its debts, are
 * subtracted if @debts is not 0.
 */
static s64 left_of(const struct simgpu_snapshot *snapshot, u32 slot, u64 debts)
{
	s64 left = 0;
	u32 i;

	for (i = 0; i < snapshot->shared_rows; i++) {
		s64 quota = snapshot->shared[i].quota_left;

		if (snapshot->shared[i].slot == slot &&
		    quota != SIMGPU_NO_QUOTA && (quota > 0 || debts))
			left += quota;
	}
	return left;
}

/*
 * Roll over what is left: on each SM what is left there, or the sum divided anew. In the
 * paper only unused quota rolls over, and debts are forgiven.
 */
static void roll_over(const struct simgpu_snapshot *snapshot, u32 slot,
		      struct simgpu_proposal *proposal)
{
	u64 debts = snapshot->policy_params[DEBTS];
	s64 quota;

	if (!snapshot->policy_params[SPREAD]) {
		proposal->quota_flags[slot] |= SIMGPU_QUOTA_KEEP;
		if (!debts)
			proposal->quota_flags[slot] |= SIMGPU_QUOTA_UNUSED;
		return;
	}
	quota = proposal->quota[slot] + left_of(snapshot, slot, debts);
	proposal->quota[slot] = quota > 0 ? quota : 0;
}

/* How quotas are divided, and when instructions are charged. */
static u32 flags_of(const struct simgpu_snapshot *snapshot)
{
	return SIMGPU_QUOTA_BY_BLOCKS |
	       (snapshot->policy_params[AT_ISSUE] ? 0 :
						    SIMGPU_QUOTA_AT_COMPLETION);
}

/* Propose a scheme's quota for the rest of an epoch, @cycles. */
static void say_quota(const struct simgpu_snapshot *snapshot,
		      const struct scheme *scheme, struct quotas *state,
		      u32 slot, u64 cycles, struct simgpu_proposal *proposal)
{
	bool qos = goal_has(&snapshot->tenants[slot]);
	s64 quota = quota_for(snapshot, state->goal_ppm[slot], cycles);

	proposal->quota_flags[slot] = flags_of(snapshot);
	state->refill[slot] = qos && !scheme->elastic ? 0 : quota;
	proposal->quota[slot] = !qos && scheme->time ? 0 : quota;
	proposal->refill[slot] = state->refill[slot];
	if (qos && scheme->rollover)
		roll_over(snapshot, slot, proposal);
}

static void say_no_quotas(struct simgpu_proposal *proposal)
{
	u32 slot;

	for (slot = 0; slot < SIMGPU_SLOTS_MAX; slot++)
		proposal->quota[slot] = SIMGPU_NO_QUOTA;
}

/* Propose the quota that a tenant has now. */
static void keep_quota(const struct simgpu_snapshot *snapshot,
		       const struct quotas *state, u32 slot,
		       struct simgpu_proposal *proposal)
{
	proposal->quota[slot] = 0;
	proposal->refill[slot] = state->refill[slot];
	proposal->quota_flags[slot] = flags_of(snapshot) | SIMGPU_QUOTA_KEEP;
}

/* Begin an epoch: quotas for all tenants. */
static void begin_epoch(const struct simgpu_snapshot *snapshot,
			const struct scheme *scheme, struct quotas *state,
			struct simgpu_proposal *proposal)
{
	u64 product = product_ppm(snapshot, scheme, state);
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
			goal_has(tenant) ? asked_ppm(snapshot, scheme, tenant) :
			artificial_ppm(snapshot, state, slot, product);
		say_quota(snapshot, scheme, state, slot, length, proposal);
	}
	goal_note_issued(snapshot, state->issued);
	state->start = snapshot->cycle;
	state->next = snapshot->cycle + length;
}

/* A tenant has come or gone within the epoch: the epoch goes on for the others. */
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
			keep_quota(snapshot, state, slot, proposal);
			continue;
		}
		state->issued[slot] = tenant->total.thread_instructions;
		state->goal_ppm[slot] = goal_has(tenant) ?
					asked_ppm(snapshot, scheme, tenant) :
					LEAST_IPC_PPM;
		say_quota(snapshot, scheme, state, slot,
			  state->next - snapshot->cycle, proposal);
	}
}

/* No tenant has work: the next one begins a new epoch. */
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

/* quota-mixed: memory controllers serve tenants that lag first. */
static void say_priorities(const struct simgpu_snapshot *snapshot,
			   struct simgpu_proposal *proposal)
{
	u32 slot;

	proposal->flags |= SIMGPU_SAYS_MEMORY_PRIORITY;
	for (slot = 0; slot < SIMGPU_SLOTS_MAX; slot++)
		proposal->memory_priority[slot] =
			snapshot->policy_params[PRIORITY] &&
			goal_lags(&snapshot->tenants[slot]);
}

/* The greatest part of its goal that any lagging QoS tenant has missed in the epoch. */
static u64 missed_ppm(const struct simgpu_snapshot *snapshot,
		      const struct quotas *state)
{
	u64 most = 0;
	u32 slot;

	for (slot = 0; slot < SIMGPU_SLOTS_MAX; slot++) {
		const struct simgpu_snapshot_tenant *tenant =
			&snapshot->tenants[slot];
		u64 part;

		if (!goal_lags(tenant) || !(state->active >> slot & 1))
			continue;
		part = fixed_ratio_ppm(epoch_ipc_ppm(snapshot, state, slot),
				       tenant->goal_ipc_ppm);
		if (part < SIMGPU_PPM && SIMGPU_PPM - part > most)
			most = SIMGPU_PPM - part;
	}
	return most;
}

/* Whether no tenant lags, and each QoS tenant has used most of its quota. */
static bool all_are_early(const struct simgpu_snapshot *snapshot,
			  const struct quotas *state)
{
	u32 slot;

	for (slot = 0; slot < SIMGPU_SLOTS_MAX; slot++) {
		const struct simgpu_snapshot_tenant *tenant =
			&snapshot->tenants[slot];
		u64 quota = quota_for(snapshot, state->goal_ppm[slot],
				      snapshot->policy_params[EPOCH]);

		if (goal_has(tenant) &&
		    (goal_lags(tenant) || !(state->active >> slot & 1) ||
		     left_of(snapshot, slot, 1) > (s64)quota / 32))
			return false;
	}
	return true;
}

/*
 * quota-mixed, at an epoch's end. If a QoS tenant goes on to lag, the other tenants leave
 * it SMs: half as many as a line through the origin says. They come back to one SM at a
 * time. When they are back on all, they get thread blocks of tenants with goals, too.
 */
static void mix(const struct simgpu_snapshot *snapshot, struct quotas *state)
{
	const u64 *params = snapshot->policy_params;
	u64 missed = missed_ppm(snapshot, state);

	state->late = missed ? state->late + 1 : 0;
	state->early = all_are_early(snapshot, state) ? state->early + 1 : 0;
	state->spare = state->early ? state->spare + 1 : 0;
	if (params[LATE] && state->late >= params[LATE]) {
		blocks_leave(snapshot, &state->blocks,
			     (u32)fixed_mul_div(snapshot->sms, missed,
						2 * SIMGPU_PPM) + 1);
		state->late = 0;
	} else if (state->early >= params[EARLY]) {
		if (blocks_return(snapshot, &state->blocks))
			state->spare = 0;
		state->early = 0;
	}
	if (params[GIVE_BACK] && state->spare >= params[GIVE_BACK]) {
		blocks_give_back(snapshot, &state->blocks);
		state->spare = 0;
	}
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
	if (active != state->active)
		blocks_share_all(&state->blocks);
	divide_blocks(snapshot, state, epoch);
	if (epoch && state->begun && scheme->mixed)
		mix(snapshot, state);
	if (epoch)
		begin_epoch(snapshot, scheme, state, proposal);
	else if (active != state->active && anybody_has_goal(snapshot))
		go_on(snapshot, scheme, state, active, proposal);
	else if (active != state->active)
		say_no_quotas(proposal);
	if (epoch || active != state->active)
		proposal->flags |= SIMGPU_SAYS_QUOTAS;
	if (epoch && scheme->mixed)
		say_priorities(snapshot, proposal);
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

#define AT_ISSUE_PARAM(_initial) {					\
	"at_issue", SIMGPU_UNIT_NUMBER, 0, 1, _initial,			\
	"1: instructions are charged when they issue; 0: when they complete (FGQoS 3.4.1)" \
}

static const struct simgpu_param naive_params[] = {
	[EPOCH] = EPOCH_PARAM, [HISTORY] = HISTORY_PARAM(0),
	[ADJUST] = ADJUST_PARAM, [ONE_SWAP] = ONE_SWAP_PARAM,
	[AT_ISSUE] = AT_ISSUE_PARAM(0),
	{ .name = NULL }
};

static const struct simgpu_param params[] = {
	[EPOCH] = EPOCH_PARAM, [HISTORY] = HISTORY_PARAM(1),
	[ADJUST] = ADJUST_PARAM, [ONE_SWAP] = ONE_SWAP_PARAM,
	[AT_ISSUE] = AT_ISSUE_PARAM(0),
	{ .name = NULL }
};

static const struct simgpu_param rollover_params[] = {
	[EPOCH] = EPOCH_PARAM, [HISTORY] = HISTORY_PARAM(1),
	[ADJUST] = ADJUST_PARAM, [ONE_SWAP] = ONE_SWAP_PARAM,
	[AT_ISSUE] = AT_ISSUE_PARAM(0),
	[SPREAD] = {
		"spread", SIMGPU_UNIT_NUMBER, 0, 1, 0,
		"1: what rolls over is divided anew among all SMs; 0: it stays on its own (FGQoS 3.4.4)"
	},
	[DEBTS] = {
		"debts", SIMGPU_UNIT_NUMBER, 0, 1, 0,
		"1: what was issued beyond a quota rolls over, too; 0: only what is unused (FGQoS 3.4.4)"
	},
	{ .name = NULL }
};

static const struct simgpu_param mixed_params[] = {
	[EPOCH] = EPOCH_PARAM,
	[GUARD] = {
		"guard", SIMGPU_UNIT_RATIO, 0, 100000, 5000,
		"how far above the goal quotas aim, as a part of it"
	},
	[ADJUST] = ADJUST_PARAM, [ONE_SWAP] = ONE_SWAP_PARAM,
	[AT_ISSUE] = AT_ISSUE_PARAM(1),
	[PAYBACK] = {
		"payback", SIMGPU_UNIT_NUMBER, 1, 1000, 1,
		"epochs in which what was missed is to be made up for"
	},
	[PRIORITY] = {
		"priority", SIMGPU_UNIT_NUMBER, 0, 1, 1,
		"1: requests of a tenant that lags behind its goal are served first"
	},
	[LATE] = {
		"late", SIMGPU_UNIT_NUMBER, 0, 1000, 2,
		"epochs in a row that a goal is missed before the others leave SMs; 0: they never do"
	},
	[EARLY] = {
		"early", SIMGPU_UNIT_NUMBER, 1, 1000, 4,
		"epochs in a row that quotas are used up before the others come back to an SM"
	},
	[GIVE_BACK] = {
		"give_back", SIMGPU_UNIT_NUMBER, 0, 1000, 4,
		"epochs in a row that quotas are used up before tenants with goals leave a thread block an SM to the others; 0: they never do"
	},
	{ .name = NULL }
};

#define QUOTA_POLICY(_symbol, _name, _about, _params, ...)		\
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
	.about = _about,						\
	.events = SIMGPU_ON_ARRIVAL | SIMGPU_ON_DEPARTURE |		\
		  SIMGPU_ON_KERNEL_END | SIMGPU_ON_WAKE,		\
	.needs = SIMGPU_NEEDS_IDLE_SAMPLES | SIMGPU_NEEDS_SHARED_ROWS |	\
		 SIMGPU_NEEDS_NO_MODEL,					\
	.state_bytes = sizeof(struct quotas),				\
	.params = _params,						\
	.decide = _symbol##_decide,					\
}

QUOTA_POLICY(quota_naive, "quota-naive",
	     "goals by quotas of instructions on shared SMs",
	     naive_params, .elastic = false);
QUOTA_POLICY(quota_history, "quota-history",
	     "quota-naive, and more for who lags behind",
	     params, .elastic = false);
QUOTA_POLICY(quota_elastic, "quota-elastic",
	     "quota-history; a new epoch when all quotas are used",
	     params, .elastic = true);
QUOTA_POLICY(quota_rollover, "quota-rollover",
	     "quota-history; unused quota is kept",
	     rollover_params, .rollover = true);
QUOTA_POLICY(quota_rollover_time, "quota-rollover-time",
	     "quota-rollover; others wait for goals",
	     rollover_params, .rollover = true, .time = true);
QUOTA_POLICY(quota_mixed, "quota-mixed",
	     "quotas with debts, memory priority and SMs apart",
	     mixed_params, .mixed = true);
