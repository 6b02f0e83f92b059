// SPDX-License-Identifier: GPL-2.0
/*
 * advice: shares the SMs by weights that a process outside the kernel writes, while it
 * runs, into a map of the policy's own; without any it is even. It shows such a map. Good
 * where what decides is not in the snapshot: a cluster's scheduler, a contract, a model too
 * large for a kernel. The price: what the process wrote is not in the journal, so such a
 * run does not replay. As a shared object, offline, it gets no advice.
 */
#include <simgpu/policy.bpf.h>

/* Weights by slot, at most a million each; 0: none was given. */
u64 advice[SIMGPU_SLOTS_MAX];

/**
 * struct advised - scratch, which is too much for the stack
 * @weights: by slot
 */
struct advised {
	u64 weights[SIMGPU_SLOTS_MAX];
};

static inline int advice_decide(const struct simgpu_snapshot *snapshot,
				struct advised *advised,
				struct simgpu_proposal *proposal)
{
	bool any = false;
	u32 slot;

	simgpu_each_slot(slot, snapshot) {
		u64 weight = advice[slot];

		advised->weights[slot] = weight < SIMGPU_PPM ? weight : SIMGPU_PPM;
		any |= weight && snapshot->tenants[slot].active;
	}
	if (any)
		simgpu_split_weights(snapshot, advised->weights, proposal);
	else
		simgpu_split_even(snapshot, proposal);
	return 0;
}

SIMGPU_POLICY(advice_decide, struct advised,
	      .name = "advice",
	      .needs = SIMGPU_NEEDS_NO_MODEL);
