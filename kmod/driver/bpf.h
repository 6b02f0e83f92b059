/* SPDX-License-Identifier: GPL-2.0 */
/* The kfuncs of policies that are BPF programs; nobody in the kernel calls them. */
#ifndef SIMGPU_BPF_H
#define SIMGPU_BPF_H

#include <simgpu/policy_ops.h>

const u8 *simgpu_call_snapshot(const struct simgpu_policy_call *call,
			       const u32 rdonly_buf_size);
u8 *simgpu_call_state(const struct simgpu_policy_call *call,
		      const u32 rdwr_buf_size);
u8 *simgpu_call_proposal(const struct simgpu_policy_call *call,
			 const u32 rdwr_buf_size);

#endif /* SIMGPU_BPF_H */
