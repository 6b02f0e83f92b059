// SPDX-License-Identifier: GPL-2.0
/*
 * no-bounds: an index that comes from the snapshot, and that nobody has compared with the
 * length of the array. The verifier refuses the program. simgpu_index() makes an index of it.
 */
#include <simgpu/policy.bpf.h>

static inline int no_bounds_decide(const struct simgpu_snapshot *snapshot,
				   struct simgpu_no_state *state,
				   struct simgpu_proposal *proposal)
{
	u64 slot = snapshot->epoch;

	proposal->sms[slot] = 1;
	return 0;
}

SIMGPU_POLICY(no_bounds_decide, struct simgpu_no_state, .name = "no-bounds");
