// SPDX-License-Identifier: GPL-2.0
/*
 * working-sets: SMs are shared evenly, and what kernels may access is brought to the device
 * before they fault on it. When a kernel comes to the head of a queue, the policy has its
 * tenant prepared, which brings the working sets of this kernel and of the next one. Each tenant
 * keeps as much of the memory as its kernels want, up to an even part of it. Good for tenants
 * whose sets together are larger than the memory. Memory policies see the same kernels (prepare
 * does); an SM policy also knows who has the SMs next.
 */
#include <simgpu/policy.bpf.h>
#include <simgpu/split.h>

/* Its parameters */
enum {
	PREPARE,
};

/**
 * struct sets - the state: a count, for people who look at it
 * @prepared: how often tenants were prepared
 */
struct sets {
	u64 prepared;
};

/* Bytes of an even part of the memory, of tenants with work that have managed memory. */
static inline u64 even_part(const struct simgpu_snapshot *snapshot)
{
	u64 tenants = 0;
	u32 slot;

	simgpu_each_slot(slot, snapshot)
		tenants = fixed_add(tenants, !!snapshot->tenants[slot].managed_bytes);
	return tenants ? snapshot->managed_bytes / tenants : 0;
}

static inline int working_sets_decide(const struct simgpu_snapshot *snapshot,
				      struct sets *sets, struct simgpu_proposal *proposal)
{
	u64 part = even_part(snapshot);
	u32 slot;

	simgpu_split_even(snapshot, proposal);
	proposal->flags |= SIMGPU_SAYS_MEMORY | SIMGPU_SAYS_PREPARE;
	simgpu_each_slot(slot, snapshot) {
		const struct simgpu_snapshot_tenant *tenant = &snapshot->tenants[slot];

		proposal->memory_low[slot] = min(tenant->wanted_bytes, part);
		if (!tenant->managed_bytes || !snapshot->policy_params[PREPARE] ||
		    !(tenant->events & (SIMGPU_ON_ARRIVAL | SIMGPU_ON_KERNEL_READY)))
			continue;
		proposal->prepare |= 1ULL << slot;
		sets->prepared++;
	}
	return 0;
}

SIMGPU_POLICY(working_sets_decide, struct sets,
	      .name = "working-sets",
	      .events = SIMGPU_ON_ARRIVAL | SIMGPU_ON_DEPARTURE | SIMGPU_ON_KERNEL_READY,
	      .needs = SIMGPU_NEEDS_NO_MODEL,
	      .params = SIMGPU_PARAMS({ "prepare", SIMGPU_UNIT_NUMBER, 0, 1, 1,
					"1: kernels' working sets are brought ahead; 0: pages come by faults" }));
