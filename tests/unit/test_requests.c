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

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(all_l1_mshrs_are_used),
		cmocka_unit_test(all_llc_mshrs_are_used),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests_name("requests", tests, NULL, NULL);
}
