/* SPDX-License-Identifier: GPL-2.0 OR LGPL-2.1 */
/*
 * The struct_ops type by which a BPF program is a policy of a device. Policies do not
 * include this: simgpu/policy.bpf.h makes programs of them.
 */
#ifndef SIMGPU_POLICY_OPS_H
#define SIMGPU_POLICY_OPS_H

#include <simgpu/policy.h>

/* Bytes of a knob's help, the NUL at its end among them. */
#define SIMGPU_HELP_BYTES	96

/**
 * struct simgpu_policy_call - what a program is given
 * @bytes: sizeof(struct simgpu_policy_call)
 *
 * From it kfuncs find the snapshot, the state and the proposal of the call, as buffers
 * whose sizes the program names: the verifier lets it index these by variables, and
 * what it reaches by pointers to structs by constants alone.
 */
struct simgpu_policy_call {
	u64 bytes;
};

/**
 * struct simgpu_policy_param - a knob, without pointers; see &struct simgpu_param
 * @name: of the knob; empty: neither it nor those behind it are there
 * @unit: SIMGPU_UNIT_*
 * @least: smallest value
 * @most: greatest one
 * @initial: its first one
 * @help: one line
 */
struct simgpu_policy_param {
	char name[SIMGPU_NAME_BYTES];
	u64 unit;
	u64 least;
	u64 most;
	u64 initial;
	char help[SIMGPU_HELP_BYTES];
};

/**
 * struct simgpu_policy_ops - a policy that is a BPF program; see &struct simgpu_policy
 * @decide: the program; not sleepable
 * @snapshot_version: SIMGPU_SNAPSHOT_VERSION that it was built with
 * @events: as of &struct simgpu_policy
 * @needs: likewise
 * @state_bytes: likewise
 * @checksum: likewise
 * @maps: how many maps of its own it has; the kernel fills it in
 * @name: likewise
 * @model: likewise
 * @params: its knobs
 */
struct simgpu_policy_ops {
	int (*decide)(struct simgpu_policy_call *call);
	u32 snapshot_version;
	u32 events;
	u32 needs;
	u32 state_bytes;
	u32 checksum;
	u32 maps;
	char name[SIMGPU_NAME_BYTES];
	char model[SIMGPU_NAME_BYTES];
	struct simgpu_policy_param params[SIMGPU_PARAMS_MAX];
};

#endif /* SIMGPU_POLICY_OPS_H */
