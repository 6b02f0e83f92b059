// SPDX-License-Identifier: GPL-2.0
/*
 * Phases of spatial-temporal multitasking (STM 3): the kernels at the heads of the
 * tenants' queues are divided among phases; those of a phase run together to their
 * ends, all others are held, and phases do not overlap. Who comes while a plan is
 * carried out waits for the next one.
 */
#include "phases.h"
#include "split.h"

static bool is_running(const struct simgpu_snapshot_tenant *tenant)
{
	return tenant->queue[0].head.flags & SIMGPU_KERNEL_RUNNING;
}

/* Whether what has come to the head is the next kernel of the launch that is planned. */
static bool launch_goes_on(const struct simgpu_snapshot_tenant *tenant,
			   struct phases *phases, u32 slot)
{
	const struct simgpu_snapshot_kernel *head = &tenant->queue[0].head;
	u32 i;

	for (i = 0; i < phases->count; i++) {
		if (phases->slot[i] != slot ||
		    phases->sequence[i] != head->sequence ||
		    phases->kernel[i] >= head->kernel)
			continue;
		phases->kernel[i] = head->kernel;
		return true;
	}
	return false;
}

/* Whether what a tenant has in the plan has come to its end since it was asked last. */
static bool has_ended(const struct simgpu_snapshot_tenant *tenant,
		      struct phases *phases, u32 slot)
{
	if (!tenant->active || tenant->events & SIMGPU_ON_DEPARTURE)
		return true;
	if (!(tenant->events & SIMGPU_ON_KERNEL_END))
		return false;
	return !phases->whole || !launch_goes_on(tenant, phases, slot);
}

/**
 * phases_go_on() - take note of what has ended, and go on to the next phase
 * @snapshot: the device
 * @phases: what the policy remembers
 *
 * What ran before the policy came is a phase of its own, which no plan has made.
 *
 * Return: true if a phase runs, or the plan has a next one, which now begins; false
 * if a new plan is due: phases_collect(), the plan, then phases_begin().
 */
bool phases_go_on(const struct simgpu_snapshot *snapshot, struct phases *phases)
{
	u32 slot;

	for (slot = 0; slot < SIMGPU_SLOTS_MAX; slot++) {
		const struct simgpu_snapshot_tenant *tenant =
			&snapshot->tenants[slot];

		if (has_ended(tenant, phases, slot))
			phases->running &= ~(1ULL << slot);
		if (!tenant->active)
			phases->preempted &= ~(1ULL << slot);
		if (tenant->active && is_running(tenant))
			phases->running |= 1ULL << slot & ~phases->preempted;
	}
	while (!phases->running && phases->phase + 1 < phases->plan.phases) {
		phases->phase++;
		phases_begin(snapshot, phases);
	}
	return phases->running;
}

/* Those with a profile, or without, in slot order. */
static void collect(const struct simgpu_snapshot *snapshot,
		    struct phases *phases, bool profiled)
{
	u32 slot;

	for (slot = 0; slot < SIMGPU_SLOTS_MAX; slot++) {
		const struct simgpu_snapshot_tenant *tenant =
			&snapshot->tenants[slot];
		const struct simgpu_snapshot_kernel *head =
			&tenant->queue[0].head;

		if (!tenant->active || !head->profile == profiled)
			continue;
		phases->slot[phases->count] = slot;
		phases->sequence[phases->count] = head->sequence;
		phases->kernel[phases->count] = head->kernel;
		phases->count++;
	}
}

/**
 * phases_collect() - the kernels that wait at the heads of queues: those with a
 *	profile, then the others
 * @snapshot: the device
 * @phases: @count, @profiled, @slot, @sequence and @kernel are filled in, the rest
 *	is zero
 */
void phases_collect(const struct simgpu_snapshot *snapshot, struct phases *phases)
{
	memset(phases, 0, sizeof(*phases));
	collect(snapshot, phases, true);
	phases->profiled = phases->count;
	collect(snapshot, phases, false);
}

/* Kernel @index of the plan is still what waits at the head of its queue. */
static bool still_waits(const struct simgpu_snapshot *snapshot,
			const struct phases *phases, u32 index)
{
	const struct simgpu_snapshot_tenant *tenant =
		&snapshot->tenants[phases->slot[index]];

	return tenant->active &&
	       tenant->queue[0].head.sequence == phases->sequence[index] &&
	       tenant->queue[0].head.kernel == phases->kernel[index];
}

/**
 * phases_begin() - the kernels of the present phase run from now on
 * @snapshot: the device
 * @phases: @running becomes those of its present phase that still wait
 */
void phases_begin(const struct simgpu_snapshot *snapshot, struct phases *phases)
{
	u32 i;

	phases->running = 0;
	for (i = 0; i < phases->count; i++)
		if (phases->plan.phase[i] == phases->phase &&
		    still_waits(snapshot, phases, i))
			phases->running |= 1ULL << phases->slot[i];
	phases->preempted &= ~phases->running;
}

/**
 * phases_share() - those of the present phase share all SMs, the others are held
 * @snapshot: the device
 * @phases: what the policy remembers
 * @proposal: filled in; thread blocks go in the order of the leaky buckets
 */
void phases_share(const struct simgpu_snapshot *snapshot,
		  const struct phases *phases, struct simgpu_proposal *proposal)
{
	u32 slot;

	proposal->flags = SIMGPU_SAYS_HOLD | SIMGPU_SAYS_BLOCK_ORDER;
	proposal->block_order = SIMGPU_ORDER_LEAKY_BUCKET;
	proposal->hold = ~phases->running;
	for (slot = 0; slot < SIMGPU_SLOTS_MAX; slot++)
		proposal->bucket[slot] = phases->bucket[slot] ?
					 phases->bucket[slot] : 1;
	policy_share_all(snapshot, phases->running, proposal);
}
