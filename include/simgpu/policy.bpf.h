/* SPDX-License-Identifier: GPL-2.0 OR LGPL-2.1 */
/*
 * One source file makes a policy in all forms: clang makes a BPF program of it, which
 * `simgpu policy load` loads into a live device; gcc makes the shared object for `simgpu
 * run --offline --policy ./FILE.so`; kbuild makes a module. docs/bpf.md shows how.
 */
#ifndef SIMGPU_POLICY_BPF_H
#define SIMGPU_POLICY_BPF_H

#include <simgpu/metrics.h>
#include <simgpu/random.h>
#include <simgpu/split.h>

/**
 * struct simgpu_no_state - the state of a policy that has none
 */
struct simgpu_no_state {
};

#ifdef __bpf__

#include <simgpu/policy_ops.h>
#include <bpf/bpf_helpers.h>
#include <bpf/bpf_tracing.h>

#ifndef SIMGPU_PLUGIN_CHECKSUM
#define SIMGPU_PLUGIN_CHECKSUM	0
#endif

/* NULL if the device's struct is smaller, or the policy's state_bytes are fewer. */
const u8 *simgpu_call_snapshot(const struct simgpu_policy_call *call,
			       const u32 rdonly_buf_size) __ksym;
u8 *simgpu_call_state(const struct simgpu_policy_call *call,
		      const u32 rdwr_buf_size) __ksym;
u8 *simgpu_call_proposal(const struct simgpu_policy_call *call,
			 const u32 rdwr_buf_size) __ksym;

#define SIMGPU_PARAMS(...)	{ __VA_ARGS__ }
#define SIMGPU_GAUGES(...)	{ __VA_ARGS__ }

#define SIMGPU_POLICY(its_decide, its_state, ...)			\
char simgpu_license[] SEC("license") = "GPL";				\
									\
SEC("struct_ops/decide")						\
int BPF_PROG(simgpu_program, struct simgpu_policy_call *call)		\
{									\
	const void *snapshot = simgpu_call_snapshot(call,		\
					sizeof(struct simgpu_snapshot)); \
	void *proposal = simgpu_call_proposal(call,			\
					sizeof(struct simgpu_proposal)); \
	void *state = (void *)proposal;					\
									\
	if (sizeof(its_state))						\
		state = simgpu_call_state(call, sizeof(its_state) ?: 1); \
	if (!snapshot || !state || !proposal)				\
		return -ENOMEM;						\
	return its_decide(snapshot, state, proposal);			\
}									\
									\
SEC(".struct_ops.link")							\
struct simgpu_policy_ops simgpu_policy = {				\
	.decide = (void *)simgpu_program,				\
	.snapshot_version = SIMGPU_SNAPSHOT_VERSION,			\
	.state_bytes = sizeof(its_state),				\
	.checksum = SIMGPU_PLUGIN_CHECKSUM,				\
	__VA_ARGS__							\
}

#define SIMGPU_MEMORY_POLICY(its_place, its_rank, its_state, ...)	\
char simgpu_license[] SEC("license") = "GPL";				\
									\
SEC("struct_ops/place")							\
int BPF_PROG(simgpu_place_program, struct simgpu_policy_call *call)	\
{									\
	const void *place = simgpu_call_snapshot(call,			\
					sizeof(struct simgpu_place));	\
	void *placement = simgpu_call_proposal(call,			\
					sizeof(struct simgpu_placement)); \
	void *state = (void *)placement;				\
									\
	if (sizeof(its_state))						\
		state = simgpu_call_state(call, sizeof(its_state) ?: 1); \
	if (!place || !state || !placement)				\
		return -ENOMEM;						\
	return its_place(place, state, placement);			\
}									\
									\
SEC("struct_ops/rank")							\
u64 BPF_PROG(simgpu_rank_program, struct simgpu_policy_call *call,	\
	     u32 event)							\
{									\
	const void *chunk = simgpu_call_snapshot(call,			\
					sizeof(struct simgpu_chunk));	\
	void *state = NULL;						\
									\
	if (sizeof(its_state))						\
		state = simgpu_call_state(call, sizeof(its_state) ?: 1); \
	if (!chunk || (sizeof(its_state) && !state))			\
		return 0;						\
	return its_rank(event, chunk, state);				\
}									\
									\
SEC(".struct_ops.link")							\
struct simgpu_policy_ops simgpu_policy = {				\
	.place = (void *)simgpu_place_program,				\
	.rank = (void *)simgpu_rank_program,				\
	.snapshot_version = SIMGPU_SNAPSHOT_VERSION,			\
	.state_bytes = sizeof(its_state),				\
	.checksum = SIMGPU_PLUGIN_CHECKSUM,				\
	__VA_ARGS__							\
}

#else

#include <simgpu/plugin.h>

/**
 * SIMGPU_PARAMS() - the parameters of a policy
 *
 * Each is a &struct simgpu_param in braces: name, unit, least, most, first value, help.
 */
#define SIMGPU_PARAMS(...)						\
	((const struct simgpu_param[]) { __VA_ARGS__, { .name = NULL } })

/**
 * SIMGPU_GAUGES() - the gauges of a policy
 *
 * Each is a &struct simgpu_gauge in braces: name, unit, help.
 */
#define SIMGPU_GAUGES(...)						\
	((const struct simgpu_gauge[]) { __VA_ARGS__, { .name = NULL } })

/**
 * SIMGPU_POLICY() - make this file a policy
 * @its_decide: a function (snapshot, state, proposal) that returns 0 or a negative errno
 * @its_state: type of its state; struct simgpu_no_state if it has none
 *
 * Further members of &struct simgpu_policy follow: at least .name; .params is a
 * SIMGPU_PARAMS(), .gauges a SIMGPU_GAUGES().
 */
#define SIMGPU_POLICY(its_decide, its_state, ...)			\
static int simgpu_native(const struct simgpu_snapshot *snapshot,	\
			 void *state, struct simgpu_proposal *proposal)	\
{									\
	return its_decide(snapshot, (its_state *)state, proposal);	\
}									\
									\
static const struct simgpu_policy simgpu_native_policy = {		\
	.decide = simgpu_native,					\
	.state_bytes = sizeof(its_state),				\
	__VA_ARGS__							\
};									\
									\
SIMGPU_POLICY_PLUGIN(simgpu_native_policy)

/**
 * SIMGPU_MEMORY_POLICY() - make this file a memory policy
 * @its_place: a function (asked, state, placement) that returns 0 or a negative errno
 * @its_rank: a function (event, chunk, state) that returns the chunk's rank
 * @its_state: type of its state; struct simgpu_no_state if it has none
 *
 * Further members of &struct simgpu_memory_policy follow: at least .name and .events.
 */
#define SIMGPU_MEMORY_POLICY(its_place, its_rank, its_state, ...)	\
static int simgpu_native_place(const struct simgpu_place *place,	\
			       void *state,				\
			       struct simgpu_placement *placement)	\
{									\
	return its_place(place, state, placement);			\
}									\
									\
static u64 simgpu_native_rank(u32 event, const struct simgpu_chunk *chunk, \
			      void *state)				\
{									\
	return its_rank(event, chunk, state);				\
}									\
									\
static const struct simgpu_memory_policy simgpu_native_memory_policy = { \
	.place = simgpu_native_place,					\
	.rank = simgpu_native_rank,					\
	.state_bytes = sizeof(its_state),				\
	__VA_ARGS__							\
};									\
									\
SIMGPU_MEMORY_POLICY_PLUGIN(simgpu_native_memory_policy)

#endif

#endif /* SIMGPU_POLICY_BPF_H */
