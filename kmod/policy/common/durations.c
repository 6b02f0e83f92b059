// SPDX-License-Identifier: GPL-2.0
/* How long kernels take: by their profiles, or as long as the last time. */
#include "durations.h"
#include "tenants.h"

/* durations_note() - take note of a tenant's kernels that have ended */
void durations_note(const struct simgpu_snapshot *snapshot,
		    struct durations *durations, u32 slot)
{
	const struct simgpu_snapshot_tenant *tenant = &snapshot->tenants[slot];
	u32 i;

	for (i = 0; i < SIMGPU_QUEUES_MAX; i++) {
		u64 *began = &durations->began[slot][i];
		u32 events = tenant->active ? tenant->queue[i].events :
					      tenant->events;
		u32 place = kernel_place(i, durations->kernel[slot][i],
					 DURATIONS_KERNELS);

		if (!*began)
			continue;
		if (events & SIMGPU_ON_KERNEL_END)
			durations->cycles[slot][place] =
				snapshot->cycle + 1 - *began;
		if (!tenant->active || events & SIMGPU_ON_KERNEL_END ||
		    tenant->events & SIMGPU_ON_ARRIVAL)
			*began = 0;
	}
}

/* durations_begin() - the policy lets the kernel at the head of a queue start now */
void durations_begin(const struct simgpu_snapshot *snapshot,
		     struct durations *durations, u32 slot, u32 queue)
{
	durations->began[slot][queue] = snapshot->cycle + 1;
	durations->kernel[slot][queue] =
		snapshot->tenants[slot].queue[queue].head.kernel;
}

/* durations_goes_on() - whether the policy has let the kernel at the head start before */
bool durations_goes_on(const struct simgpu_snapshot *snapshot,
		       const struct durations *durations, u32 slot, u32 queue)
{
	return durations->began[slot][queue] ||
	       kernel_is_running(&snapshot->tenants[slot].queue[queue]);
}

/*
 * kernel_cycles() - how long the kernel at the head of a queue takes
 *
 * Return: by its profile, on all SMs; without a profile, as long as the last time; else
 * DURATION_UNKNOWN.
 */
u64 kernel_cycles(const struct simgpu_snapshot *snapshot,
		  const struct durations *durations, u32 slot, u32 queue)
{
	const struct simgpu_snapshot_kernel *kernel =
		&snapshot->tenants[slot].queue[queue].head;
	u64 cycles = durations->cycles[slot][kernel_place(queue, kernel->kernel,
							  DURATIONS_KERNELS)];

	if (kernel->profile)
		return snapshot->profiles[kernel->profile - 1]
			       .point[snapshot->sms - 1].cycles;
	return cycles ? cycles : DURATION_UNKNOWN;
}
