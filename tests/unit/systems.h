/* SPDX-License-Identifier: GPL-2.0 */
/* Tenants that are urgent or not, under a policy, for tests of such policies. */
#ifndef TESTS_SYSTEMS_H
#define TESTS_SYSTEMS_H

#include "bench.h"

#define MOMENT	3000

/* Slow blocks that fill the GPU; a few; three; three slow ones; slower than computing. */
static struct trace *slow_blocks, *few_blocks, *three_blocks, *long_three, *slower;

static inline int make_all_traces(void **state)
{
	slow_blocks = trace_compute(64, 1, 100000);
	few_blocks = trace_compute(5, 20, 20);
	three_blocks = trace_compute(3, 20, 20);
	long_three = trace_compute(3, 1, 100000);
	slower = trace_compute(100000, 30, 20);
	return make_traces(state);
}

static inline int free_all_traces(void **state)
{
	trace_free(slow_blocks);
	trace_free(few_blocks);
	trace_free(three_blocks);
	trace_free(long_three);
	trace_free(slower);
	return free_traces(state);
}

/* SMs on which a slot has thread blocks. */
static inline u64 busy_sms(const struct bench *bench, u32 slot)
{
	const struct gpu *gpu = session_gpu(bench->session);
	u64 sms = 0;
	u32 i;

	for (i = 0; i < gpu_config(gpu)->sms; i++)
		if (gpu_sm_blocks(gpu, i, slot))
			sms |= 1ULL << i;
	return sms;
}

/*
 * A kernel of short blocks, of which its profile says that it takes 80,000 cycles on an
 * SM, gains up to @knee SMs, and has that part of the peak bandwidth.
 */
static inline struct trace *trace_profiled(u32 blocks, u32 knee, u32 bandwidth_ppm)
{
	struct builder *builder = builder_new("profiled", "test");
	struct simgpu_trace_point points[8];
	struct simgpu_trace_profile profile = {
		.config = "hbm80", .sms = ARRAY_SIZE(points), .blocks = blocks,
		.memory_bytes = 4096,
	};
	u32 i;

	for (i = 0; i < ARRAY_SIZE(points); i++) {
		points[i].cycles = 80000 / (i < knee ? i + 1 : knee);
		points[i].bandwidth_ppm = bandwidth_ppm;
	}
	builder_footprint(builder, 4096);
	builder_kernel(builder, "profiled", blocks, 256, 32, 0);
	builder_compute(builder, 2000, 32);
	profile.first_point = builder_points(builder, points, ARRAY_SIZE(points));
	builder_profile(builder, &profile);
	return trace_of(builder, 4096);
}

enum kind {
	PLAIN,
	URGENT,
};

static inline struct bench *bench_under(const struct simgpu_policy *policy, u32 each)
{
	struct bench *bench = malloc(sizeof(*bench));

	bench_options(bench, 0);
	bench->options.policy = policy;
	bench->options.kernel_end = SESSION_KERNEL_END_CARRY;
	bench->options.config.sms_per_tpc = each;
	bench->hooks.epoch = NULL;
	session_default_params(&bench->options);
	bench_start(bench);
	return bench;
}

static inline void set_param(struct bench *bench, u32 param, u64 value)
{
	const struct simgpu_policy *policy = bench->options.policy;

	assert_int_equal(session_set_param(bench->session, SESSION_POLICY_PARAMS,
					   policy->params[param].name, value), 0);
}

/* A tenant that has no work so far. */
static inline void come(struct bench *bench, u32 slot, enum kind kind)
{
	struct session_tenant_options options = plain();

	if (kind == URGENT) {
		options.service = SIMGPU_QOS;
		options.target_ppm = SIMGPU_PPM / 2;
	}
	assert_int_equal(session_join(bench->session, slot, &options), slot);
}

static inline void launch_idempotent(struct bench *bench, u32 slot,
				     const struct trace *trace, bool idempotent)
{
	const struct session_launch_options options = {
		.trace = trace, .repeats = 1, .idempotent = idempotent,
	};
	u64 sequence;

	assert_int_equal(session_launch_with(bench->session, slot, &options,
					     &sequence), 0);
}

/* Run until so many launches have ended. */
static inline void run_until_done(struct bench *bench, u32 count)
{
	while (bench->done_count < count) {
		assert_true(session_now(bench->session) < 100000000);
		session_run(bench->session, 50);
	}
}

/* The policy was never refused. */
static inline void end(struct bench *bench)
{
	assert_int_equal(session_last_refusal(bench->session)->kind,
			 SESSION_REFUSED_NOTHING);
	bench_free(bench);
}

#endif /* TESTS_SYSTEMS_H */
