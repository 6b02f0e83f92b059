// SPDX-License-Identifier: GPL-2.0
/*
 * writes-snapshot: keeps a number in the snapshot, which is the same for the model and the
 * policy and is read-only. The verifier refuses the program. The state is for that.
 */
#include <simgpu/policy.bpf.h>

static inline int writes_snapshot_decide(const struct simgpu_snapshot *snapshot,
					 struct simgpu_no_state *state,
					 struct simgpu_proposal *proposal)
{
	((struct simgpu_snapshot *)snapshot)->epoch = 1;
	return 0;
}

SIMGPU_POLICY(writes_snapshot_decide, struct simgpu_no_state, .name = "writes-snapshot");
