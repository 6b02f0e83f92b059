// SPDX-License-Identifier: GPL-2.0
/* Asking a policy that is a BPF program. */
#include "bpf.h"
#include "bpf_call.h"

/**
 * simgpu_bpf_decide() - ask a policy that is a BPF program
 * @policy: the policy
 * @snapshot: as for its decide()
 * @state: as for its decide()
 * @proposal: as for its decide()
 *
 * Return: what the program returns; -ENOENT if its calls are blocked.
 */
int simgpu_bpf_decide(const struct simgpu_policy *policy,
		      const struct simgpu_snapshot *snapshot, void *state,
		      struct simgpu_proposal *proposal)
{
	struct simgpu_bpf_policy *bpf =
		container_of(policy, struct simgpu_bpf_policy, policy);
	struct simgpu_bpf_call call = {
		.call.bytes = sizeof(call.call),
		.snapshot = snapshot,
		.state = state,
		.state_bytes = policy->state_bytes,
		.proposal = proposal,
	};
	int ret = -ENOENT;

	down_read(&bpf->lock);
	if (bpf->program)
		ret = bpf->program->decide(&call.call);
	up_read(&bpf->lock);
	return ret;
}
