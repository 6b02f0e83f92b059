// SPDX-License-Identifier: GPL-2.0
/*
 * How much runs on an SM at a time: thread blocks as long as threads, warps, registers,
 * shared memory and places last, to the last one of each; and a warp's loads.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <cmocka.h>

#include "device.h"
#include "random.h"
#include "small.h"
#include "traces.h"

#define SLOT	5

/* --- thread blocks ----------------------------------------------------------------------- */

/* A whole SM's worth of something is a thread block's at most. */
static void a_block_may_need_all_of_an_sm(void **state)
{
	/* 512 threads, 16 warps, 64 registers each, 4096 bytes. */
	static const struct {
		u32 threads;
		u32 warps;
		u32 registers;
		u32 shared;
		bool fits;
	} cases[] = {
		{ 512, 16, 512 * 64, 4096, true },
		{ 511, 16, 512 * 64, 4096, false },
		{ 512, 15, 512 * 64, 4096, false },
		{ 512, 16, 512 * 64 - 1, 4096, false },
		{ 512, 16, 512 * 64, 4095, false },
	};
	const struct trace_kernel kernel = {
		.block_threads = 512, .block_warps = 16,
		.registers_per_thread = 64, .shared_bytes = 4096,
	};
	u32 i;

	for (i = 0; i < ARRAY_SIZE(cases); i++) {
		struct gpu_config config = small_config();

		config.threads_per_sm = cases[i].threads;
		config.warps_per_sm = cases[i].warps;
		config.registers_per_sm = cases[i].registers;
		config.shared_bytes_per_sm = cases[i].shared;
		assert_int_equal(gpu_kernel_fits(&config, &kernel),
				 cases[i].fits);
		assert_int_equal(gpu_kernel_blocks_per_sm(&config, &kernel),
				 cases[i].fits);
	}
}

static u32 least(u32 a, u32 b)
{
	return a < b ? a : b;
}

/*
 * As many run as are said to, on an SM of one's own and on a shared one, and that is as
 * often as what is scarcest is there. What is held in part is held in the whole block.
 */
static void as_many_blocks_run_as_fit(void **state)
{
	u32 round, shared, seen = 0;

	random_state = 88172645463325252ULL;
	for (round = 0; round < 200; round++) {
		u32 threads = 1 + random_below(512), expected;
		u32 registers = 1 + random_below(100);
		u32 bytes = random_below(3) ? random_below(9000) : 0;
		struct builder *b = builder_new("fits", "test");
		struct gpu_config config = small_config();
		struct trace *trace;

		builder_kernel(b, "fits", 100, threads, registers, bytes);
		builder_compute(b, 10000, 32);
		trace = trace_of(b, 0);
		config.sms = 1;
		config.warps_per_sm = 32 + random_below(33);
		config.blocks_per_sm = 1 + random_below(32);
		/* Often just so much that one more would fit, or is too much. */
		config.threads_per_sm = threads * (1 + random_below(8)) +
					random_below(3) - 1;
		config.threads_per_sm = least(config.threads_per_sm, 2048);
		if (config.threads_per_sm < 32)
			config.threads_per_sm = 32;
		config.shared_bytes_per_sm = bytes * (1 + random_below(8)) +
					     random_below(2);
		expected = config.threads_per_sm / threads;
		expected = least(expected, config.blocks_per_sm);
		expected = least(expected, config.warps_per_sm /
				 ((threads + 31) / 32));
		expected = least(expected, config.registers_per_sm /
				 (threads * registers));
		if (bytes)
			expected = least(expected,
					 config.shared_bytes_per_sm / bytes);
		assert_int_equal(gpu_kernel_blocks_per_sm(&config,
							  trace->kernels),
				 expected);
		assert_int_equal(gpu_kernel_fits(&config, trace->kernels),
				 expected > 0);
		seen |= 1U << expected;
		for (shared = 0; expected && shared < 2; shared++) {
			struct gpu *gpu = gpu_make(&config);

			if (shared)
				gpu_sm_share(gpu, 0);
			else
				own(gpu, 0, 1, SLOT);
			gpu_kernel_start(gpu, SLOT, trace, 0);
			gpu_run(gpu, 1);
			assert_int_equal(gpu_sm_blocks(gpu, 0, SLOT), expected);
			/* No more come before the first has ended. */
			gpu_run(gpu, 5000);
			assert_int_equal(gpu_sm_blocks(gpu, 0, SLOT), expected);
			free(gpu);
		}
		trace_free(trace);
	}
	/* None, one, and each number up to 7. */
	assert_int_equal(seen & 0xff, 0xff);
}

/* --- loads of a warp --------------------------------------------------------------------- */

#define LOADS	40

/* A warp that loads @count lines, and needs the first @needs instructions later. */
static struct trace *trace_of_loads(u32 count, u32 needs)
{
	struct builder *b = builder_new("loads", "test");
	u32 i;

	builder_kernel(b, "loads", 1, 32, 32, 0);
	for (i = 0; i < count; i++)
		builder_load(b, builder_affine(b, (u64)i << 12, 128, 4, 0, 0, 0),
			     32, needs);
	builder_compute(b, 3, 32);
	return trace_of(b, (u64)LOADS << 12);
}

static u64 load_requests(const struct gpu_config *config, u32 count, u32 needs,
			 u64 cycles)
{
	struct trace *trace = trace_of_loads(count, needs);
	struct gpu *gpu = gpu_make(config);
	struct simgpu_counters c;

	own(gpu, 0, 1, SLOT);
	gpu_kernel_start(gpu, SLOT, trace, 0);
	gpu_run(gpu, cycles);
	c = counters_of(gpu, SLOT);
	free(gpu);
	trace_free(trace);
	return c.load_requests;
}

/*
 * So many loads of a warp are under way as it may issue before it needs the first one's
 * data, and no more than 32, however long it could go on.
 */
static void a_warp_has_so_many_loads_under_way(void **state)
{
	static const struct {
		u32 count;
		u32 needs;
		u32 sent;
	} cases[] = {
		{ LOADS, 0, 1 }, { LOADS, 1, 2 }, { LOADS, 5, 6 },
		{ LOADS, 30, 31 }, { LOADS, 31, 32 }, { LOADS, 32, 32 },
		{ LOADS, 100, 32 }, { 33, 100, 32 }, { 32, 100, 32 },
		{ 7, 100, 7 },
	};
	struct gpu_config config = small_config();
	u32 i;

	/* Far enough that nothing has come back. */
	config.noc_latency = 1000;
	config.l1_mshrs = 64;
	config.noc_queue_depth = 1024;
	for (i = 0; i < ARRAY_SIZE(cases); i++) {
		assert_int_equal(load_requests(&config, cases[i].count,
					       cases[i].needs, 1500),
				 cases[i].sent);
		assert_int_equal(load_requests(&config, cases[i].count,
					       cases[i].needs, 400000),
				 cases[i].count);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_block_may_need_all_of_an_sm),
		cmocka_unit_test(as_many_blocks_run_as_fit),
		cmocka_unit_test(a_warp_has_so_many_loads_under_way),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests_name("occupancy", tests, NULL, NULL);
}
