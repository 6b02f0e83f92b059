// SPDX-License-Identifier: GPL-2.0
/*
 * keeps: counts its calls in a variable of its own, which no hash has and no replay would
 * find. It is not loaded. What a policy keeps belongs into its state.
 */
#include <simgpu/policy.bpf.h>

static u32 calls;

static inline int keeps_decide(const struct simgpu_snapshot *snapshot,
			       struct simgpu_no_state *state,
			       struct simgpu_proposal *proposal)
{
	return ++calls ? 0 : -EINVAL;
}

SIMGPU_POLICY(keeps_decide, struct simgpu_no_state, .name = "keeps");
