// SPDX-License-Identifier: GPL-2.0
/*
 * bad-proposal: a fault of its own making. Everybody is promised all SMs, which cannot
 * be done: even takes its place, and last_refusal has the kind proposal.
 */
#include <simgpu/policy.bpf.h>

static inline int bad_proposal_decide(const struct simgpu_snapshot *snapshot,
				      struct simgpu_no_state *state,
				      struct simgpu_proposal *proposal)
{
	u32 slot;

	simgpu_each(slot, SIMGPU_SLOTS_MAX)
		proposal->sms[slot] = snapshot->sms;
	return 0;
}

SIMGPU_POLICY(bad_proposal_decide, struct simgpu_no_state,
	      .name = "bad-proposal");
