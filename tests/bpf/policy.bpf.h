/* SPDX-License-Identifier: GPL-2.0 */
/* What a policy needs to be a BPF program: the kfuncs, and a program around it. */
#ifndef SIMGPU_TEST_POLICY_BPF_H
#define SIMGPU_TEST_POLICY_BPF_H

#include "interface.h"
#include <bpf/bpf_helpers.h>
#include <bpf/bpf_tracing.h>

extern const u8 *simgpu_bpf_snapshot(const struct simgpu_bpf_call *call,
				     const u32 rdonly_buf_size) __ksym;
extern u8 *simgpu_bpf_state(struct simgpu_bpf_call *call,
			    const u32 rdwr_buf_size) __ksym;
extern u8 *simgpu_bpf_proposal(struct simgpu_bpf_call *call,
			       const u32 rdwr_buf_size) __ksym;

/**
 * SIMGPU_BPF_POLICY() - make this file a policy
 * @its_name: of the policy, and of the map that is attached
 * @its_decide: a function (snapshot, state, proposal) that returns 0 or an errno
 * @its_state: type of its state
 */
#define SIMGPU_BPF_POLICY(its_name, its_decide, its_state)		\
char _license[] SEC("license") = "GPL";					\
									\
SEC("struct_ops/decide")						\
int BPF_PROG(its_name##_program, struct simgpu_bpf_call *call)		\
{									\
	const void *snapshot = simgpu_bpf_snapshot(call,		\
					sizeof(struct simgpu_snapshot)); \
	void *state = simgpu_bpf_state(call, sizeof(its_state));	\
	void *proposal = simgpu_bpf_proposal(call,			\
					sizeof(struct simgpu_proposal)); \
									\
	if (!snapshot || !state || !proposal)				\
		return -ENOMEM;						\
	return its_decide(snapshot, state, proposal);			\
}									\
									\
SEC(".struct_ops.link")							\
struct simgpu_bpf_policy its_name = {					\
	.decide = (void *)its_name##_program,				\
	.snapshot_version = SIMGPU_SNAPSHOT_VERSION,			\
	.state_bytes = sizeof(its_state),				\
	.name = #its_name,						\
}

#endif /* SIMGPU_TEST_POLICY_BPF_H */
