// SPDX-License-Identifier: GPL-2.0
/*
 * concurrent: what GPUs do by themselves where applications have queues of their own
 * (STM 6, Hyper-Q): all kernels at once, left over. The thread blocks of the kernel
 * that started first go first; what they leave room for is the next one's.
 */
#include "../registry.h"

static int concurrent_decide(const struct simgpu_snapshot *snapshot, void *state,
			     struct simgpu_proposal *proposal)
{
	u64 sharers = policy_sharers(snapshot, 0);

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
