/* SPDX-License-Identifier: GPL-2.0 */
/* Policies that are BPF programs: between bpf.c and bpf_call.c. */
#ifndef SIMGPU_BPF_H
#define SIMGPU_BPF_H

#include <linux/list.h>
#include <linux/rwsem.h>

#include <simgpu/policy_ops.h>

#include "driver.h"

/**
 * struct simgpu_bpf_policy - an attached program
 * @list: in simgpu_bpf_policies
 * @policy: as all others see it
 * @said: what it says of itself: names and texts of @params are there
 * @params: its knobs, and an end
 * @lock: held for reading while the program is called
 * @program: NULL once it has been taken back; under @lock
 * @kdata: what the kernel calls it by
 */
struct simgpu_bpf_policy {
	struct list_head list;
	struct simgpu_policy policy;
	struct simgpu_policy_ops said;
	struct simgpu_param params[SIMGPU_PARAMS_MAX + 1];
	struct rw_semaphore lock; /* program */
	const struct simgpu_policy_ops *program;
	const void *kdata;
};

/**
 * struct simgpu_bpf_call - a call of a program
 * @call: what the program is given
 * @snapshot: of the session
 * @state: likewise
 * @state_bytes: that are the program's
 * @proposal: of the session
 */
struct simgpu_bpf_call {
	struct simgpu_policy_call call;
	const struct simgpu_snapshot *snapshot;
	void *state;
	u32 state_bytes;
	struct simgpu_proposal *proposal;
};

/* The kfuncs; nobody in the kernel calls them. */
const u8 *simgpu_call_snapshot(const struct simgpu_policy_call *call,
			       const u32 rdonly_buf_size);
u8 *simgpu_call_state(const struct simgpu_policy_call *call,
		      const u32 rdwr_buf_size);
u8 *simgpu_call_proposal(const struct simgpu_policy_call *call,
			 const u32 rdwr_buf_size);
void simgpu_bpf_init(void);
bool simgpu_bpf_is_there(void);

#endif /* SIMGPU_BPF_H */
