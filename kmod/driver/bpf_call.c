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
		.asked = snapshot,
		.asked_bytes = sizeof(*snapshot),
		.state = state,
		.state_bytes = policy->state_bytes,
		.answer = proposal,
		.answer_bytes = sizeof(*proposal),
	};
	int ret = -ENOENT;

	down_read(&bpf->lock);
	if (bpf->program)
		ret = bpf->program->decide(&call.call);
	up_read(&bpf->lock);
	return ret;
}

static struct simgpu_bpf_policy *
simgpu_bpf_memory(const struct simgpu_memory_policy *policy)
{
	return container_of(policy, struct simgpu_bpf_policy, memory);
}

/**
 * simgpu_bpf_place() - ask a memory policy that is a BPF program
 * @policy: the memory policy
 * @place: as for its place()
 * @state: as for its place()
 * @placement: as for its place()
 *
 * Return: what the program returns; -ENOENT if its calls are blocked.
 */
int simgpu_bpf_place(const struct simgpu_memory_policy *policy,
		     const struct simgpu_place *place, void *state,
		     struct simgpu_placement *placement)
{
	struct simgpu_bpf_policy *bpf = simgpu_bpf_memory(policy);
	struct simgpu_bpf_call call = {
		.call.bytes = sizeof(call.call),
		.asked = place,
		.asked_bytes = sizeof(*place),
		.state = state,
		.state_bytes = policy->state_bytes,
		.answer = placement,
		.answer_bytes = sizeof(*placement),
	};
	int ret = -ENOENT;

	down_read(&bpf->lock);
	if (bpf->program)
		ret = bpf->program->place(&call.call);
	up_read(&bpf->lock);
	return ret;
}

/**
 * simgpu_bpf_rank() - ask a memory policy that is a BPF program for a chunk's rank
 * @policy: the memory policy
 * @event: as for its rank()
 * @chunk: as for its rank()
 * @state: as for its rank()
 * @rank: set to what the program returns
 *
 * Return: 0; -ENOENT if its calls are blocked.
 */
int simgpu_bpf_rank(const struct simgpu_memory_policy *policy, u32 event,
		    const struct simgpu_chunk *chunk, void *state, u64 *rank)
{
	struct simgpu_bpf_policy *bpf = simgpu_bpf_memory(policy);
	struct simgpu_bpf_call call = {
		.call.bytes = sizeof(call.call),
		.asked = chunk,
		.asked_bytes = sizeof(*chunk),
		.state = state,
		.state_bytes = policy->state_bytes,
	};
	int ret = -ENOENT;

	down_read(&bpf->lock);
	if (bpf->program) {
		*rank = bpf->program->rank(&call.call, event);
		ret = 0;
	}
	up_read(&bpf->lock);
	return ret;
}
