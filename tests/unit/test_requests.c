// SPDX-License-Identifier: GPL-2.0
/*
 * The way of a request from an SM to a slice and back, on traces by hand: how
 * many may be under way, what their packets carry, and who waits for them.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <cmocka.h>

#include "device.h"
#include "small.h"
#include "traces.h"

/* An SM, a slice and a channel, whose parts are far from each other. */
static struct gpu_config narrow_config(void)
{
	struct gpu_config config = small_config();

	config.sms = 1;
	config.channels = 1;
	config.llc_slices = 1;
	config.noc_flit_bytes = 256;
	config.noc_latency = 1000;
	return config;
}

/* --- MSHR entries ----------------------------------------------------------------- */

/* 64 warps, 8 random lines each. */
static struct trace *trace_burst(void)
{
	struct builder *b = builder_new("burst", "test");
	u64 bytes = 1ULL << 26;
	struct simgpu_trace_pattern random = {
		.kind = SIMGPU_TRACE_RANDOM, .access_bytes = 128,
		.region_bytes = bytes, .lines = 8,
	};
	u32 pattern = builder_pattern(b, &random);

	builder_kernel(b, "burst", 8, 256, 32, 0);
	builder_load(b, pattern, 32, 0);
	return trace_of(b, bytes);
}

/* An L1 has as many lines under way as it has entries, up to 512. */
static void all_l1_mshrs_are_used(void **state)
{
	static const u32 entries[] = { 1, 128, 255, 256, 300, 512 };
	struct trace *trace = trace_burst();
	u32 i;

	for (i = 0; i < ARRAY_SIZE(entries); i++) {
		struct gpu_config config = narrow_config();
		struct gpu *gpu;

		config.l1_mshrs = entries[i];
		gpu = gpu_make(&config);
		own(gpu, 0, 1, 0);
		gpu_kernel_start(gpu, 0, trace, 0);
		gpu_run(gpu, 900);
		assert_int_equal(gpu->sms[0].mshrs_used, entries[i]);
		finish(gpu, 0, NULL);
		assert_int_equal(gpu->sms[0].mshrs_used, 0);
		assert_int_equal(counters_of(gpu, 0).load_requests, 512);
		free(gpu);
	}
	trace_free(trace);
}

/* And so has a slice, up to 192. */
static void all_llc_mshrs_are_used(void **state)
{
	static const u32 entries[] = { 1, 64, 192 };
	struct trace *trace = trace_burst();
	u32 i;

	for (i = 0; i < ARRAY_SIZE(entries); i++) {
		struct gpu_config config = narrow_config();
		struct gpu *gpu;

		config.l1_mshrs = 512;
		config.llc_mshrs = entries[i];
		config.llc_sets = 256;
		config.llc_to_dram_latency = 1000;
		gpu = gpu_make(&config);
		own(gpu, 0, 1, 0);
		gpu_kernel_start(gpu, 0, trace, 0);
		gpu_run(gpu, 2500);
		assert_int_equal(gpu->slices[0].mshrs_used, entries[i]);
		finish(gpu, 0, NULL);
		assert_int_equal(gpu->slices[0].mshrs_used, 0);
		free(gpu);
	}
	trace_free(trace);
}

/* --- stores ----------------------------------------------------------------------- */

/* A warp, or more, that store lines of their own, @lanes of 4 bytes each. */
static struct trace *trace_stores(u32 blocks, u32 trips, u32 lanes)
{
	struct builder *b = builder_new("stores", "test");
	u64 bytes = 1ULL << 26;
	struct simgpu_trace_pattern lines = {
		.kind = SIMGPU_TRACE_AFFINE, .access_bytes = 4,
		.region_bytes = bytes, .lane_stride = 4,
		.block_stride = { 1 << 16 }, .loop_stride = { 128 },
	};
	u32 pattern = builder_pattern(b, &lines);

	builder_kernel(b, "stores", blocks, 32, 32, 0);
	builder_loop(b, trips);
	builder_store(b, pattern, lanes);
	builder_loop_end(b);
	return trace_of(b, bytes);
}

/* To the end of the kernel, and no further. */
static struct gpu *run_to_end(const struct gpu_config *config,
			      const struct trace *trace)
{
	struct gpu *gpu = gpu_make(config);

	own(gpu, 0, config->sms, 0);
	gpu_kernel_start(gpu, 0, trace, 0);
	finish(gpu, 0, NULL);
	return gpu;
}

/*
 * A kernel ends when its stores have arrived: a round trip, and where a partial
 * store's line is fetched, the way to the memory as well.
 */
static void the_end_waits_for_stores(void **state)
{
	struct gpu_config config = narrow_config();
	struct trace *whole = trace_stores(1, 1, 32);
	struct trace *partial = trace_stores(1, 1, 16);
	struct gpu *gpu = run_to_end(&config, whole);
	u64 trip = gpu_llc_hit_cycles(gpu), dram = gpu_dram_cycles(gpu);

	assert_in_range(gpu_now(gpu), trip, trip + 8);
	assert_int_equal(counters_of(gpu, 0).noc_reply_flits, 1);
	free(gpu);
	gpu = run_to_end(&config, partial);
	assert_in_range(gpu_now(gpu), dram, dram + 12);
	free(gpu);
	trace_free(whole);
	trace_free(partial);
}

/* An SM's entries bound what is under way, and so its bandwidth. */
static void stores_are_bounded(void **state)
{
	static const u32 entries[] = { 1, 8, 64, 512 };
	struct trace *trace = trace_stores(1, 512, 32);
	u32 i;

	for (i = 0; i < ARRAY_SIZE(entries); i++) {
		struct gpu_config config = narrow_config();
		u64 trips = 512 / entries[i], trip;
		struct gpu *gpu;

		config.sm_stores = entries[i];
		config.noc_queue_depth = 1024;
		config.llc_sets = 256;
		gpu = gpu_make(&config);
		trip = gpu_llc_hit_cycles(gpu);
		own(gpu, 0, 1, 0);
		gpu_kernel_start(gpu, 0, trace, 0);
		gpu_run(gpu, 900);
		/* And the one that the load/store unit holds. */
		assert_int_equal(gpu->sms[0].warp_stores[0],
				 entries[i] + (entries[i] < 512));
		finish(gpu, 0, NULL);
		assert_int_equal(gpu->sms[0].warp_stores[0], 0);
		/* And the cycles in which each is sent. */
		assert_in_range(gpu_now(gpu), trips * trip,
				trips * trip + 512 + 4 * trips + 8);
		assert_int_equal(counters_of(gpu, 0).noc_reply_flits, 512);
		free(gpu);
	}
	trace_free(trace);
}

/* What a dropped tenant's stores hold is free again, and nobody else's hurt. */
static void dropped_stores_vanish(void **state)
{
	struct gpu_config config = narrow_config();
	struct trace *trace = trace_stores(1, 512, 32);
	struct gpu *gpu = gpu_make(&config);
	u32 i;

	for (i = 0; i < 20; i++) {
		own(gpu, 0, 1, 0);
		gpu_kernel_start(gpu, 0, trace, 0);
		gpu_run(gpu, gpu_now(gpu) + 500 + i * 97);
		gpu_tenant_drop(gpu, 0);
	}
	own(gpu, 0, 1, 1);
	gpu_kernel_start(gpu, 1, trace, 0);
	finish(gpu, 1, NULL);
	assert_int_equal(counters_of(gpu, 1).noc_reply_flits, 512);
	assert_int_equal(counters_of(gpu, 1).blocks_finished, 1);
	free(gpu);
	trace_free(trace);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(all_l1_mshrs_are_used),
		cmocka_unit_test(all_llc_mshrs_are_used),
		cmocka_unit_test(the_end_waits_for_stores),
		cmocka_unit_test(stores_are_bounded),
		cmocka_unit_test(dropped_stores_vanish),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests_name("requests", tests, NULL, NULL);
}
