/* SPDX-License-Identifier: GPL-2.0 OR LGPL-2.1 */
/*
 * The struct_ops type by which a device uses a BPF program as a policy. Policies do not
 * include this file: simgpu/policy.bpf.h makes programs of them.
 */
#ifndef SIMGPU_POLICY_OPS_H
#define SIMGPU_POLICY_OPS_H

#include <simgpu/memory_policy.h>
#include <simgpu/policy.h>

/* Bytes of a parameter's help, with the NUL at its end. */
#define SIMGPU_HELP_BYTES	96

/**
 * struct simgpu_policy_call - the argument of a program
 * @bytes: sizeof(struct simgpu_policy_call)
 *
 * From it kfuncs return what the program is asked (a snapshot, faults, a chunk), the state and
 * where the answer goes (a proposal, a placement), as buffers whose sizes the program names.
 * The verifier lets a program index such a buffer by variables; through a pointer to a struct
 * it would only allow constants.
 */
struct simgpu_policy_call {
	u64 bytes;
};

/**
 * struct simgpu_policy_param - a &struct simgpu_param without pointers
 * @name: name of the parameter; an empty one ends the list
 * @unit: SIMGPU_UNIT_*
 * @least: smallest value
 * @most: greatest value
 * @initial: first value
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
 * struct simgpu_policy_gauge - a &struct simgpu_gauge without pointers
 * @name: name of the gauge; an empty one ends the list
 * @unit: SIMGPU_UNIT_*
 * @help: one line
 */
struct simgpu_policy_gauge {
	char name[SIMGPU_NAME_BYTES];
	u64 unit;
	char help[SIMGPU_HELP_BYTES];
};

/**
 * struct simgpu_policy_ops - a policy that is a BPF program; see &struct simgpu_policy. One
 *	with @place and @rank is a memory policy; see &struct simgpu_memory_policy
 * @decide: the program; not sleepable. NULL for a memory policy, which has no needs, model and
 *	parameters
 * @place: of a memory policy: asked about a &struct simgpu_place, answers with a
 *	&struct simgpu_placement; NULL for others
 * @rank: of a memory policy: the number by which a &struct simgpu_chunk is chosen, at an event
 *	SIMGPU_RANK_ON_*; NULL for others
 * @snapshot_version: SIMGPU_SNAPSHOT_VERSION that it was built with
 * @events: see &struct simgpu_policy
 * @needs: see &struct simgpu_policy
 * @state_bytes: see &struct simgpu_policy
 * @checksum: see &struct simgpu_policy
 * @maps: number of its own maps; the kernel fills it in
 * @lapse_us: of a memory policy: see &struct simgpu_memory_policy
 * @name: see &struct simgpu_policy
 * @model: see &struct simgpu_policy
 * @params: its parameters
 * @gauges: its gauges; a memory policy has none
 */
struct simgpu_policy_ops {
	int (*decide)(struct simgpu_policy_call *call);
	int (*place)(struct simgpu_policy_call *call);
	u64 (*rank)(struct simgpu_policy_call *call, u32 event);
	u32 snapshot_version;
	u32 events;
	u32 needs;
	u32 state_bytes;
	u32 checksum;
	u32 maps;
	u32 lapse_us;
	char name[SIMGPU_NAME_BYTES];
	char model[SIMGPU_NAME_BYTES];
	struct simgpu_policy_param params[SIMGPU_PARAMS_MAX];
	struct simgpu_policy_gauge gauges[SIMGPU_GAUGES_MAX];
};

#endif /* SIMGPU_POLICY_OPS_H */
