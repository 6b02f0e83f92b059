// SPDX-License-Identifier: GPL-2.0
/*
 * stm: spatial-temporal multitasking (Liang et al., TPDS 2015). Profiles say which
 * kernels run together, in which phase, on how many SMs each (Algorithm 1); leaky
 * buckets give each its share of the SMs, which all of a phase share. stm-partition
 * does the same with SMs of one's own; stm-merged as the paper measured it, with each
 * phase as one kernel whose thread blocks take as much room as the greatest of theirs
 * (STM 4.2, 5). sequential is what both are held against:
 * one kernel after another, in the order in which launches came.
 */
#include "../plan.h"
#include "../registry.h"

/**
 * struct stm - what stm remembers
 * @phases: the plan, and how far it has come
 * @kernels: that it was made of
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

/* A phase of its own for each kernel from @index on. */
static void plan_alone(const struct simgpu_snapshot *snapshot,
		       struct phases *phases, u32 index)
{
	struct plan *plan = &phases->plan;

	for (; index < phases->count; index++) {
		plan->phase[index] = (u8)plan->phases++;
		plan->sms[index] = (u8)snapshot->sms;
	}
}

static void make_plan(const struct simgpu_snapshot *snapshot, struct stm *stm)
{
	struct phases *phases = &stm->phases;
	struct plan_set set = {
		.kernels = stm->kernels,
		.profiles = snapshot->profiles,
		.sms = snapshot->sms,
		.memory_bytes = snapshot->memory_bytes,
	};
	u32 i;

	phases_collect(snapshot, phases);
	set.count = phases->profiled;
	for (i = 0; i < set.count; i++) {
		const struct simgpu_snapshot_tenant *tenant =
			&snapshot->tenants[phases->slot[i]];

		stm->kernels[i] = (struct plan_kernel) {
			.blocks = tenant->queue[0].head.blocks,
			.profile = tenant->queue[0].head.profile - 1,
			.memory_bytes = tenant->footprint_bytes,
		};
	}
	if (set.count)
		plan_make(&set, &stm->work, &phases->plan);
	plan_alone(snapshot, phases, set.count);
	for (i = 0; i < phases->count; i++) {
		phases->sms[phases->slot[i]] = phases->plan.sms[i];
		phases->bucket[phases->slot[i]] = phases->plan.bucket[i];
	}
	phases_begin(snapshot, phases);
}

/* --- merged kernels --------------------------------------------------------------- */

#define WARP_THREADS	32

static u32 greater_of(u32 a, u32 b)
{
	return a > b ? a : b;
}

static u32 least_times(u32 most, u32 have, u64 need)
{
	return need && have / need < most ? (u32)(have / need) : most;
}

/*
 * Thread blocks of a phase's merged kernel that an SM holds: each has the most threads,
 * and each thread the most registers, of all its kernels (STM, Appendix C). At least
 * one: a compiler would spill the registers that are too many.
 */
static u32 merged_blocks(const struct simgpu_snapshot *snapshot,
			 const struct phases *phases, u32 phase)
{
	u32 threads = 0, registers = 0, shared_bytes = 0, blocks, i;
	u64 whole;

	for (i = 0; i < phases->count; i++) {
		const struct simgpu_snapshot_kernel *head =
			&snapshot->tenants[phases->slot[i]].queue[0].head;

		if (phases->plan.phase[i] != phase)
			continue;
		threads = greater_of(threads, head->threads);
		registers = greater_of(registers, head->registers);
		shared_bytes = greater_of(shared_bytes, head->shared_bytes);
	}
	whole = ((u64)threads + WARP_THREADS - 1) / WARP_THREADS * WARP_THREADS;
	blocks = least_times(snapshot->sm_blocks, snapshot->sm_threads, whole);
	blocks = least_times(blocks, snapshot->sm_registers, whole * registers);
	blocks = least_times(blocks, snapshot->sm_shared_bytes, shared_bytes);
	return blocks ? blocks : 1;
}

static void merge_phases(const struct simgpu_snapshot *snapshot, struct stm *stm)
{
	u32 phase;

	for (phase = 0; phase < stm->phases.plan.phases; phase++)
		stm->sm_blocks[phase] = merged_blocks(snapshot, &stm->phases,
						      phase);
}

/* --- policies ----------------------------------------------------------------------- */

static int stm_decide(const struct simgpu_snapshot *snapshot, void *state,
		      struct simgpu_proposal *proposal)
{
	struct stm *stm = state;

	if (!phases_go_on(snapshot, &stm->phases))
		make_plan(snapshot, stm);
	phases_share(snapshot, &stm->phases, proposal);
	return 0;
}

/* What ran before the policy came is merged with nothing. */
static int stm_merged_decide(const struct simgpu_snapshot *snapshot, void *state,
			     struct simgpu_proposal *proposal)
{
	struct stm *stm = state;

	if (!phases_go_on(snapshot, &stm->phases)) {
		make_plan(snapshot, stm);
		merge_phases(snapshot, stm);
	}
	phases_share(snapshot, &stm->phases, proposal);
	proposal->flags |= SIMGPU_SAYS_SM_BLOCKS;
	proposal->sm_blocks = stm->phases.plan.phases ?
			      stm->sm_blocks[stm->phases.phase] : 0;
	return 0;
}

/* What a kernel that ends early leaves is nobody's, as in a partition. */
static int stm_partition_decide(const struct simgpu_snapshot *snapshot,
				void *state, struct simgpu_proposal *proposal)
{
	struct stm *stm = state;
	u32 slot, left = snapshot->sms;

	if (!phases_go_on(snapshot, &stm->phases))
		make_plan(snapshot, stm);
	proposal->flags = SIMGPU_SAYS_HOLD;
	proposal->hold = ~stm->phases.running;
	for (slot = 0; slot < SIMGPU_SLOTS_MAX; slot++) {
		u32 sms = stm->phases.sms[slot];

		/* Of those that ran before the policy came there is no plan. */
		if (!sms || sms > left)
			sms = left ? 1 : 0;
		if (!(stm->phases.running >> slot & 1))
			sms = 0;
		proposal->sms[slot] = sms;
		left -= sms;
	}
	return 0;
}

/* The order in which launches came, ties to the lowest slot. */
static void sort_by_arrival(const struct simgpu_snapshot *snapshot,
			    struct phases *phases)
{
	u32 i, at;

	for (i = 1; i < phases->count; i++) {
		u32 slot = phases->slot[i], kernel = phases->kernel[i];
		u64 sequence = phases->sequence[i];
		u64 came = snapshot->tenants[slot].queue[0].head.arrival_cycle;

		for (at = i; at; at--) {
			u32 other = phases->slot[at - 1];
			u64 before = snapshot->tenants[other].queue[0].head
					     .arrival_cycle;

			if (before < came || (before == came && other < slot))
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

static int sequential_decide(const struct simgpu_snapshot *snapshot, void *state,
			     struct simgpu_proposal *proposal)
{
	struct phases *phases = state;

	if (!phases_go_on(snapshot, phases)) {
		phases_collect(snapshot, phases);
		sort_by_arrival(snapshot, phases);
		plan_alone(snapshot, phases, 0);
		phases_begin(snapshot, phases);
	}
	phases_share(snapshot, phases, proposal);
	return 0;
}

const struct simgpu_policy policy_stm = {
	.name = "stm",
	.events = PHASES_EVENTS,
	.needs = SIMGPU_NEEDS_PROFILES,
	.state_bytes = sizeof(struct stm),
	.decide = stm_decide,
};

const struct simgpu_policy policy_stm_merged = {
	.name = "stm-merged",
	.events = PHASES_EVENTS,
	.needs = SIMGPU_NEEDS_PROFILES,
	.state_bytes = sizeof(struct stm),
	.decide = stm_merged_decide,
};

const struct simgpu_policy policy_stm_partition = {
	.name = "stm-partition",
	.events = PHASES_EVENTS,
	.needs = SIMGPU_NEEDS_PROFILES,
	.state_bytes = sizeof(struct stm),
	.decide = stm_partition_decide,
};

const struct simgpu_policy policy_sequential = {
	.name = "sequential",
	.events = PHASES_EVENTS,
	.state_bytes = sizeof(struct phases),
	.decide = sequential_decide,
};
