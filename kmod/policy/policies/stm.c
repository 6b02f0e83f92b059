// SPDX-License-Identifier: GPL-2.0
/*
 * stm: spatial-temporal multitasking (Liang et al., TPDS 2015). By the kernels' profiles
 * Algorithm 1 decides which kernels run together, in which phase, on how many SMs each.
 * The kernels of a phase share all SMs; leaky buckets give each kernel its part.
 *
 * stm-partition gives each kernel SMs of its own instead. stm-merged does as the paper
 * measured it: each phase is one kernel, whose thread blocks take as much room as the
 * greatest of the phase (STM 4.2, 5). sequential is the baseline: one kernel after
 * another, in the order of their launches.
 */
#include "../common/phases.h"
#include "../common/plan.h"
#include "../registry.h"

/* Indices of its parameters, behind those of plans. */
enum {
	WHOLE = PLAN_PARAMS,
	REPLAN,
};

static const struct simgpu_param params[] = {
	[PLAN_PARAM_PENALTY] = {
		"penalty", SIMGPU_UNIT_NUMBER, PLAN_PENALTY_UNIFORM,
		PLAN_PENALTY_NONE, PLAN_PENALTY_UNIFORM,
		"for want of bandwidth: 0: Eq. 3; 1: the memory's own time, where that is longer; 2: none"
	},
	[PLAN_PARAM_PEAK] = {
		"peak", SIMGPU_UNIT_RATIO, 100000, SIMGPU_PPM, SIMGPU_PPM,
		"bandwidth that kernels reach together, of the device's peak (Pb of Eq. 3)"
	},
	[WHOLE] = {
		"whole", SIMGPU_UNIT_NUMBER, 0, 1, 0,
		"0: a phase is of the kernels at the heads of queues; 1: of all that their launches have left"
	},
	[REPLAN] = {
		"replan", SIMGPU_UNIT_NUMBER, 0, 1, 0,
		"0: a launch that comes waits for the next plan; 1: it makes a new one, and who has no place in its first phase is preempted"
	},
	{ .name = NULL }
};

/**
 * struct stm - the state of the policy
 * @phases: the plan, and the phase that runs
 * @kernels: kernels of which the plan was made
 * @sm_blocks: by phase, thread blocks of its merged kernel that an SM holds
 * @work: workspace
 */
struct stm {
	struct phases phases;
	struct plan_kernel kernels[PLAN_KERNELS_MAX];
	u32 sm_blocks[PLAN_KERNELS_MAX];
	struct plan_work work;
};

static_assert(sizeof(struct stm) <= SIMGPU_STATE_BYTES_MAX, "of a policy");

/* --- plans ------------------------------------------------------------------------- */

/* Give each kernel from @index on a phase of its own. */
static void plan_alone(const struct simgpu_snapshot *snapshot,
		       struct phases *phases, u32 index)
{
	struct plan *plan = &phases->plan;

	for (; index < phases->count; index++) {
		plan->phase[index] = (u8)plan->phases++;
		plan->sms[index] = (u16)snapshot->sms;
	}
}

/* Sort the first @count kernels of the plan by their keys (insertion sort). */
static void sort_kernels(const struct simgpu_snapshot *snapshot,
			 struct phases *phases, u32 count,
			 u64 (*key)(const struct simgpu_snapshot *, u32))
{
	u32 i, at;

	for (i = 1; i < count; i++) {
		u32 slot = phases->slot[i], kernel = phases->kernel[i];
		u64 sequence = phases->sequence[i], its = key(snapshot, slot);

		for (at = i; at; at--) {
			u32 other = phases->slot[at - 1];
			u64 before = key(snapshot, other);

			if (before < its || (before == its && other < slot))
				break;
			phases->slot[at] = other;
			phases->sequence[at] = phases->sequence[at - 1];
			phases->kernel[at] = phases->kernel[at - 1];
		}
		phases->slot[at] = slot;
		phases->sequence[at] = sequence;
		phases->kernel[at] = kernel;
	}
}

/* The kernel at the head of a slot's first queue, or all that its launch has left. */
static struct plan_kernel plan_kernel_of(const struct simgpu_snapshot *snapshot,
					 u32 slot)
{
	const struct simgpu_snapshot_tenant *tenant = &snapshot->tenants[slot];
	const struct simgpu_snapshot_kernel *head = &tenant->queue[0].head;
	struct plan_kernel kernel = {
		.blocks = head->blocks,
		.profile = head->profile - 1,
		.memory_bytes = tenant->footprint_bytes,
	};

	if (snapshot->policy_params[WHOLE] && head->launch_profile) {
		u32 all = snapshot->sms - 1;
		const struct simgpu_snapshot_profile *profiles =
			snapshot->profiles;
		/* Assume that all blocks of the launch take as long as the first kernel's. */
		u64 whole = profiles[head->launch_profile - 1].point[all].cycles;
		u64 first = profiles[head->profile - 1].point[all].cycles;
		u64 blocks = fixed_mul_div(head->blocks, whole, first);

		kernel.profile = head->launch_profile - 1;
		kernel.blocks = (u32)min_t(u64, blocks, U32_MAX);
	}
	if (head->flags & SIMGPU_KERNEL_RUNNING && head->blocks_left < head->blocks)
		kernel.done = head->blocks - head->blocks_left;
	return kernel;
}

/* Core cycles that a kernel with a profile has left, alone on all SMs. */
static u64 cycles_left(const struct simgpu_snapshot *snapshot, u32 slot)
{
	struct plan_kernel kernel = plan_kernel_of(snapshot, slot);

	return fixed_mul_div(snapshot->profiles[kernel.profile]
				     .point[snapshot->sms - 1].cycles,
			     kernel.blocks - kernel.done, kernel.blocks);
}

static void make_plan(const struct simgpu_snapshot *snapshot, struct stm *stm)
{
	struct phases *phases = &stm->phases;
	struct plan_set set = {
		.kernels = stm->kernels,
		.profiles = snapshot->profiles,
		.sms = snapshot->sms,
		.memory_bytes = snapshot->memory_bytes,
		.peak_ppm = snapshot->policy_params[PLAN_PARAM_PEAK],
		.penalty = (u32)snapshot->policy_params[PLAN_PARAM_PENALTY],
	};
	u32 i;

	phases_collect(snapshot, phases);
	phases->whole = snapshot->policy_params[WHOLE] != 0;
	set.count = phases->profiled;
	if (snapshot->policy_params[REPLAN])
		sort_kernels(snapshot, phases, set.count, cycles_left);
	for (i = 0; i < set.count; i++)
		stm->kernels[i] = plan_kernel_of(snapshot, phases->slot[i]);
	if (set.count)
		plan_make(&set, &stm->work, &phases->plan);
	plan_alone(snapshot, phases, set.count);
	for (i = 0; i < phases->count; i++) {
		phases->sms[phases->slot[i]] = phases->plan.sms[i];
		phases->bucket[phases->slot[i]] = phases->plan.bucket[i];
		if (snapshot->tenants[phases->slot[i]].queue[0].head.flags &
		    SIMGPU_KERNEL_RUNNING)
			phases->preempted |= 1ULL << phases->slot[i];
	}
	phases_begin(snapshot, phases);
}

/* Whether a launch that the plan does not know has come to the head of a queue. */
static bool somebody_came(const struct simgpu_snapshot *snapshot,
			  const struct phases *phases)
{
	u64 known = 0;
	u32 slot, i;

	for (i = 0; i < phases->count; i++) {
		slot = phases->slot[i];
		if (phases->sequence[i] ==
		    snapshot->tenants[slot].queue[0].head.sequence)
			known |= 1ULL << slot;
	}
	for (slot = 0; slot < SIMGPU_SLOTS_MAX; slot++)
		if (snapshot->tenants[slot].active && !(known >> slot & 1) &&
		    snapshot->tenants[slot].queue[0].head.flags)
			return true;
	return false;
}

/*
 * Whether a new plan is due: the last one has been carried out, or a tenant has come that
 * need not wait for that.
 */
static bool is_due(const struct simgpu_snapshot *snapshot, struct stm *stm)
{
	return !phases_go_on(snapshot, &stm->phases) ||
	       (snapshot->policy_params[REPLAN] &&
		somebody_came(snapshot, &stm->phases));
}

static u64 interval_of(const struct simgpu_snapshot *snapshot,
		       const struct phases *phases, u32 slot)
{
	const struct simgpu_snapshot_kernel *head =
		&snapshot->tenants[slot].queue[0].head;
	struct plan_kernel kernel = { .blocks = head->blocks };
	struct plan_set set = {
		.kernels = &kernel, .profiles = snapshot->profiles, .count = 1,
		.sms = snapshot->sms,
	};

	if (!head->profile || !phases->sms[slot])
		return 1;
	kernel.profile = head->profile - 1;
	return plan_interval(&set, 0, phases->sms[slot]);
}

/* Where a launch has gone on to its next kernel, adapt the buckets to that kernel. */
static void follow_launches(const struct simgpu_snapshot *snapshot,
			    struct phases *phases)
{
	u64 longest = 0, rest;

	for (rest = phases->running; rest; rest &= rest - 1) {
		u64 interval = interval_of(snapshot, phases,
					   (u32)__builtin_ctzll(rest));

		longest = max(longest, interval);
	}
	for (rest = phases->running; rest; rest &= rest - 1) {
		u32 slot = (u32)__builtin_ctzll(rest);

		phases->bucket[slot] =
			plan_capacity(interval_of(snapshot, phases, slot),
				      longest);
	}
}

/* Make a plan or follow the present one; returns whether the plan is new. */
static bool plan_or_follow(const struct simgpu_snapshot *snapshot, struct stm *stm)
{
	if (is_due(snapshot, stm)) {
		make_plan(snapshot, stm);
		return true;
	}
	if (stm->phases.whole)
		follow_launches(snapshot, &stm->phases);
	return false;
}

/* Tenants that have to wait leave their SMs at once. */
static void say_preemption(const struct simgpu_snapshot *snapshot,
			   struct simgpu_proposal *proposal)
{
	if (!snapshot->policy_params[REPLAN])
		return;
	proposal->flags |= SIMGPU_SAYS_PREEMPTION;
	proposal->preemption = SIMGPU_LEAVE_SWITCH;
}

/* --- merged kernels --------------------------------------------------------------- */

#define WARP_THREADS	32

static u32 least_times(u32 most, u32 have, u64 need)
{
	return need && have / need < most ? (u32)(have / need) : most;
}

/*
 * Thread blocks of a phase's merged kernel that an SM holds. Each has the most threads of
 * all kernels of the phase, and each thread the most registers (STM, Appendix C). An SM
 * holds at least one: a compiler would spill registers that do not fit.
 */
static u32 merged_blocks(const struct simgpu_snapshot *snapshot, u64 slots)
{
	u32 threads = 0, registers = 0, shared_bytes = 0, blocks;
	u64 whole;

	for (; slots; slots &= slots - 1) {
		const struct simgpu_snapshot_kernel *head =
			&snapshot->tenants[__builtin_ctzll(slots)].queue[0].head;

		threads = max(threads, head->threads);
		registers = max(registers, head->registers);
		shared_bytes = max(shared_bytes, head->shared_bytes);
	}
	whole = ((u64)threads + WARP_THREADS - 1) / WARP_THREADS * WARP_THREADS;
	blocks = least_times(snapshot->sm_blocks, snapshot->sm_threads, whole);
	blocks = least_times(blocks, snapshot->sm_registers, whole * registers);
	blocks = least_times(blocks, snapshot->sm_shared_bytes, shared_bytes);
	return blocks ? blocks : 1;
}

static void merge_phases(const struct simgpu_snapshot *snapshot, struct stm *stm)
{
	const struct phases *phases = &stm->phases;
	u64 slots[PLAN_KERNELS_MAX] = { 0 };
	u32 i;

	for (i = 0; i < phases->count; i++)
		slots[phases->plan.phase[i]] |= 1ULL << phases->slot[i];
	for (i = 0; i < phases->plan.phases; i++)
		stm->sm_blocks[i] = merged_blocks(snapshot, slots[i]);
}

/* --- policies ----------------------------------------------------------------------- */

static int stm_decide(const struct simgpu_snapshot *snapshot, void *state,
		      struct simgpu_proposal *proposal)
{
	struct stm *stm = state;

	plan_or_follow(snapshot, stm);
	phases_share(snapshot, &stm->phases, proposal);
	say_preemption(snapshot, proposal);
	return 0;
}

/* Kernels that ran before the policy was set are not merged. */
static int stm_merged_decide(const struct simgpu_snapshot *snapshot, void *state,
			     struct simgpu_proposal *proposal)
{
	struct stm *stm = state;
	const struct phases *phases = &stm->phases;

	if (plan_or_follow(snapshot, stm))
		merge_phases(snapshot, stm);
	else if (phases->whole && phases->running)
		stm->sm_blocks[phases->phase] =
			merged_blocks(snapshot, phases->running);
	phases_share(snapshot, &stm->phases, proposal);
	proposal->flags |= SIMGPU_SAYS_SM_BLOCKS;
	proposal->sm_blocks = phases->plan.phases ?
			      stm->sm_blocks[phases->phase] : 0;
	say_preemption(snapshot, proposal);
	return 0;
}

/* As in a partition, SMs of a kernel that ends early stay idle until the phase ends. */
static int stm_partition_decide(const struct simgpu_snapshot *snapshot,
				void *state, struct simgpu_proposal *proposal)
{
	struct stm *stm = state;
	u32 slot, left = snapshot->sms;

	plan_or_follow(snapshot, stm);
	proposal->flags = SIMGPU_SAYS_HOLD;
	proposal->hold = ~stm->phases.running;
	for (slot = 0; slot < SIMGPU_SLOTS_MAX; slot++) {
		u32 sms = stm->phases.sms[slot];

		/* Kernels that ran before the policy was set have no plan. */
		if (!sms || sms > left)
			sms = left ? 1 : 0;
		if (!(stm->phases.running >> slot & 1))
			sms = 0;
		proposal->sms[slot] = sms;
		left -= sms;
	}
	say_preemption(snapshot, proposal);
	return 0;
}

static u64 arrival_of(const struct simgpu_snapshot *snapshot, u32 slot)
{
	return snapshot->tenants[slot].queue[0].head.arrival_cycle;
}

static int sequential_decide(const struct simgpu_snapshot *snapshot, void *state,
			     struct simgpu_proposal *proposal)
{
	struct phases *phases = state;

	if (!phases_go_on(snapshot, phases)) {
		phases_collect(snapshot, phases);
		sort_kernels(snapshot, phases, phases->count, arrival_of);
		plan_alone(snapshot, phases, 0);
		phases_begin(snapshot, phases);
	}
	phases_share(snapshot, phases, proposal);
	return 0;
}

const struct simgpu_policy policy_stm = {
	.name = "stm",
	.about = "phases of kernels by profiles; SMs by leaky buckets",
	.events = PHASES_EVENTS,
	.needs = SIMGPU_NEEDS_PROFILES,
	.state_bytes = sizeof(struct stm),
	.params = params,
	.decide = stm_decide,
};

const struct simgpu_policy policy_stm_merged = {
	.name = "stm-merged",
	.about = "stm with the cost of merging kernels",
	.events = PHASES_EVENTS,
	.needs = SIMGPU_NEEDS_PROFILES,
	.state_bytes = sizeof(struct stm),
	.params = params,
	.decide = stm_merged_decide,
};

const struct simgpu_policy policy_stm_partition = {
	.name = "stm-partition",
	.about = "stm with SMs of their own for each kernel",
	.events = PHASES_EVENTS,
	.needs = SIMGPU_NEEDS_PROFILES,
	.state_bytes = sizeof(struct stm),
	.params = params,
	.decide = stm_partition_decide,
};

const struct simgpu_policy policy_sequential = {
	.name = "sequential",
	.about = "one kernel after another, in order of launch",
	.events = PHASES_EVENTS,
	.state_bytes = sizeof(struct phases),
	.decide = sequential_decide,
};
