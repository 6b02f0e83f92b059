// SPDX-License-Identifier: GPL-2.0
/*
 * no-decide: a policy without the one function that it must have, written without
 * SIMGPU_POLICY(), which sees to that. It is not loaded.
 */
#include <simgpu/policy.bpf.h>

#ifdef __bpf__

SEC(".struct_ops.link")
struct simgpu_policy_ops simgpu_policy = {
	.snapshot_version = SIMGPU_SNAPSHOT_VERSION,
	.name = "no-decide",
};

#endif
