// SPDX-License-Identifier: GPL-2.0
/*
 * error: gives up from the third epoch on. even takes its place, and last_refusal has the
 * kind decide.
 */
#include <simgpu/policy.bpf.h>

static inline int error_decide(const struct simgpu_snapshot *snapshot,
			       struct simgpu_no_state *state,
			       struct simgpu_proposal *proposal)
{
	return snapshot->epoch < 2 ? 0 : -ERANGE;
}

SIMGPU_POLICY(error_decide, struct simgpu_no_state, .name = "error");
