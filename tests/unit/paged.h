/* SPDX-License-Identifier: GPL-2.0 */
/* Shared by the tests of managed memory: sessions that have some, and traces of steps. */
#ifndef TESTS_PAGED_H
#define TESTS_PAGED_H

#include "../../kmod/session/pager_parts.h"
#include "bench.h"

#define MIB		(1ULL << 20)
#define LONG		200000000ULL
#define BLOCK_BYTES	(2 * MIB)

static inline struct bench *paged(u32 managed_mib, u32 page_kb,
			   const struct simgpu_memory_policy *policy)
{
	struct bench *bench = malloc(sizeof(*bench));

	bench_options(bench, 0);
	bench->options.config.managed_mb = managed_mib;
	bench->options.config.page_kb = page_kb;
	bench->options.memory_policy = policy;
	bench->options.policy = &policy_even;
	bench->options.epoch_cycles = SESSION_EPOCH_CYCLES_MAX;
	session_default_params(&bench->options);
	return bench;
}

/* Start a session whose slot 0 has managed memory. */
static inline void manage(struct bench *bench, u64 bytes)
{
	bench_start(bench);
	join(bench, 0);
	if (bytes)
		assert_int_equal(session_manage(bench->session, 0, bytes), 0);
}

static inline void launch_one(struct bench *bench, u32 slot, const struct trace *trace)
{
	u64 sequence;

	assert_int_equal(session_launch(bench->session, slot, trace, 1, 0, &sequence), 0);
}

static inline void launch_managed(struct bench *bench, u32 slot, const struct trace *trace)
{
	const struct session_launch_options options = {
		.trace = trace, .repeats = 1, .managed = true,
	};
	u64 sequence;

	assert_int_equal(session_launch_with(bench->session, slot, &options, &sequence), 0);
}

static inline u64 run_to_end(struct bench *bench)
{
	assert_int_equal(session_run(bench->session, LONG), SESSION_IDLE);
	return session_end_cycle(bench->session);
}

static inline struct simgpu_counters counted(struct bench *bench, u32 slot)
{
	struct session_tenant_report report;

	session_tenant_report(bench->session, slot, &report);
	return report.counters;
}

/* A warp reads, or writes, a line at each of @count addresses, @stride apart, in turn. */
static inline struct trace *trace_steps(u32 count, u64 stride, bool write, u32 passes)
{
	struct builder *b = builder_new("steps", "test");
	struct simgpu_trace_pattern pattern = {
		.access_bytes = 4, .lane_stride = 4, .loop_stride = { 0, (s64)stride },
	};
	u32 place;

	builder_footprint(b, count * stride);
	builder_kernel(b, "steps", 1, 32, 16, 0);
	place = builder_access(b, &pattern);
	builder_loop(b, passes);
	builder_loop(b, count);
	if (write)
		builder_store(b, place, 32);
	else
		builder_load(b, place, 32, 0);
	builder_compute(b, 1, 32);
	builder_loop_end(b);
	builder_loop_end(b);
	return trace_of(b, 0);
}

#endif /* TESTS_PAGED_H */
