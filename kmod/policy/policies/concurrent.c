// SPDX-License-Identifier: GPL-2.0
/*
 * concurrent: what GPUs do by themselves where applications have queues of their own
 * (STM 6, Hyper-Q): all kernels at once, left over. The thread blocks of the kernel
 * that started first go first; what they leave room for is the next one's.
 */
#include "../registry.h"

/* Rows of shared SMs that there are for tenants: who comes last waits. */
static u64 sharers_of(const struct simgpu_snapshot *snapshot)
{
	u32 most = SIMGPU_SHARED_ROWS_MAX / snapshot->sms, count = 0, slot;
	u64 sharers = 0;

	/* Those that run stay; the others come in the order of slots. */
	for (slot = 0; slot < SIMGPU_SLOTS_MAX; slot++) {
		const struct simgpu_snapshot_tenant *tenant =
			&snapshot->tenants[slot];

		if (!tenant->active || !tenant->shared_sms || count == most)
			continue;
		sharers |= 1ULL << slot;
		count++;
	}
	for (slot = 0; slot < SIMGPU_SLOTS_MAX && count < most; slot++) {
		if (!snapshot->tenants[slot].active || sharers >> slot & 1)
			continue;
		sharers |= 1ULL << slot;
		count++;
	}
	return sharers;
}

static int concurrent_decide(const struct simgpu_snapshot *snapshot, void *state,
			     struct simgpu_proposal *proposal)
{
	u64 sharers = sharers_of(snapshot);

	proposal->flags = SIMGPU_SAYS_HOLD | SIMGPU_SAYS_BLOCK_ORDER;
	proposal->block_order = SIMGPU_ORDER_ARRIVAL;
	proposal->hold = ~sharers;
	policy_share_all(snapshot, sharers, proposal);
	return 0;
}

const struct simgpu_policy policy_concurrent = {
	.name = "concurrent",
	.events = SIMGPU_ON_ARRIVAL | SIMGPU_ON_DEPARTURE |
		  SIMGPU_ON_KERNEL_READY,
	.decide = concurrent_decide,
};
