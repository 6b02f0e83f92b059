/* SPDX-License-Identifier: GPL-2.0 */
/* Policies that are BPF programs: shared by bpf.c and bpf_call.c. */
#ifndef SIMGPU_BPF_H
#define SIMGPU_BPF_H

#include <linux/list.h>
#include <linux/rwsem.h>

#include <simgpu/policy_ops.h>

#include "driver.h"
#include "plugins.h"

/**
 * struct simgpu_bpf_policy - an attached program
 * @list: in simgpu_bpf_policies
 * @policy: the policy that others see
 * @memory: or the memory policy
 * @kind: which of the two
 * @said: the program's own description, with names and texts of @params
 * @params: its parameters, and the end of the table
 * @gauges: its gauges, and the end of the table
 * @lock: held for reading while the program is called
 * @program: NULL once further calls are blocked; under @lock
 * @kdata: the kernel's name for the program
 */
struct simgpu_bpf_policy {
	struct list_head list;
	union {
		struct simgpu_policy policy;
		struct simgpu_memory_policy memory;
	};
	enum simgpu_plugin_kind kind;
	struct simgpu_policy_ops said;
	struct simgpu_param params[SIMGPU_PARAMS_MAX + 1];
	struct simgpu_gauge gauges[SIMGPU_GAUGES_MAX + 1];
	struct rw_semaphore lock; /* program */
	const struct simgpu_policy_ops *program;
	const void *kdata;
};

/**
 * struct simgpu_bpf_call - a call of a program
 * @call: the program's argument
 * @asked: what it is asked about: snapshot, place or chunk of the session
 * @asked_bytes: bytes of that
 * @state: state of the policy
 * @state_bytes: bytes of @state that are the program's
 * @answer: proposal or placement of the session; NULL: it answers with a number
 * @answer_bytes: bytes of that
 */
struct simgpu_bpf_call {
	struct simgpu_policy_call call;
	const void *asked;
	u32 asked_bytes;
	u32 state_bytes;
	void *state;
	void *answer;
	u32 answer_bytes;
};

/* The kfuncs; only programs call them. */
const u8 *simgpu_call_snapshot(const struct simgpu_policy_call *call,
			       const u32 rdonly_buf_size);
u8 *simgpu_call_state(const struct simgpu_policy_call *call,
		      const u32 rdwr_buf_size);
u8 *simgpu_call_proposal(const struct simgpu_policy_call *call,
			 const u32 rdwr_buf_size);
void simgpu_bpf_init(void);
bool simgpu_bpf_is_there(void);

#endif /* SIMGPU_BPF_H */
