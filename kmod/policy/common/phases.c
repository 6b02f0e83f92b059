// SPDX-License-Identifier: GPL-2.0
/*
 * Phases of spatial-temporal multitasking (STM 3). The kernels at the heads of the
 * tenants' queues are divided among phases. The kernels of a phase run together to their
 * ends, all others are held, and phases do not overlap. A kernel that comes while a plan
 * is carried out waits for the next plan.
 */
#include "phases.h"
#include "split.h"

static bool is_running(const struct simgpu_snapshot_tenant *tenant)
{
	return tenant->queue[0].head.flags & SIMGPU_KERNEL_RUNNING;
}

/* Whether the kernel at the head is the next kernel of the launch in the plan. */
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

/* Whether a tenant's kernel or launch in the plan has ended since the last call. */
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
 * Kernels that ran before the policy was set are a phase of their own, outside any plan.
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

/* Collect the kernels with a profile, or those without, in slot order. */
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

/* Whether kernel @index of the plan still waits at the head of its queue. */
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
 * @phases: @running becomes the slots of the present phase whose kernels still wait
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
 * phases_share() - tenants of the present phase share all SMs, the others are held
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
