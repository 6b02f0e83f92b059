// SPDX-License-Identifier: GPL-2.0
/*
 * Instructions that wait for others: how long a warp alone takes (trace_timing.c),
 * and several warps of a scheduler between them; the units' intervals; shared
 * memory, which an SM has one of; loads in flight.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <cmocka.h>

#include "device.h"
#include "traces.h"

#define LATENCY	9	/* of FP32 and integers, see one_sm() */

/* One SM with two schedulers, greedy then oldest. */
static struct gpu_config one_sm(void)
{
	struct gpu_config config = *gpu_config_find("hbm80");

	config.sms = 1;
	config.unit[TRACE_FP32] = (struct trace_unit) { LATENCY, 1 };
	config.unit[TRACE_INTEGER] = (struct trace_unit) { LATENCY, 1 };
	config.unit[TRACE_SFU] = (struct trace_unit) { 25, 4 };
	config.unit[TRACE_SHARED_MEMORY] = (struct trace_unit) { 25, 1 };
	return config;
}

/* Blocks of a warp, each of which runs @count instructions of a mix. */
static struct trace *mixed(u32 warps, const char *mix, u32 count)
{
	struct builder *b = builder_new("mixed", "test");

	builder_kernel(b, "mixed", warps, 32, 32, 0);
	builder_mixed(b, builder_mix(b, mix), count, 32);
	return trace_of(b, 0);
}

static u64 run_on(const struct gpu_config *config, struct trace *trace,
		  struct simgpu_counters *counters)
{
	struct gpu *gpu = gpu_make(config);
	u64 cycles;

	own(gpu, 0, config->sms, 0);
	gpu_kernel_start(gpu, 0, trace, 0);
	finish(gpu, 0, NULL);
	cycles = ended(gpu, 0);
	*counters = counters_of(gpu, 0);
	free(gpu);
	trace_free(trace);
	return cycles;
}

static u64 cycles_of(u32 warps, const char *mix, u32 count)
{
	const struct gpu_config config = one_sm();
	struct simgpu_counters counters;
	u64 cycles = run_on(&config, mixed(warps, mix, count), &counters);

	assert_int_equal(counters.warp_instructions, (u64)warps * count);
	assert_int_equal(counters.thread_instructions, (u64)warps * count * 32);
	return cycles;
}

/* A warp alone: exactly its chain of results. */
static void test_alone(void **state)
{
	/* The last result has to come, and the block begins in cycle 1. */
	assert_int_equal(cycles_of(1, "F1", 400), 1 + 400 * LATENCY);
	assert_int_equal(cycles_of(1, "F3", 300), 1 + 300 / 3 * LATENCY + 2);
	assert_int_equal(cycles_of(1, "F", 400), 1 + 399 + LATENCY);
	assert_int_equal(cycles_of(1, "F0 I1", 400),
			 1 + 199 * (LATENCY + 1) + 2 * LATENCY);
	assert_int_equal(cycles_of(1, "S", 100), 1 + 99 * 4 + 25);
	assert_int_equal(cycles_of(1, "M1", 100), 1 + 100 * 25);
	assert_int_equal(cycles_of(1, "M1*4", 100), 1 + 100 * 28);
}

/*
 * Several warps of one scheduler: each has every second place. Up to nine find
 * room in each other's gaps; more go in turns of nine, the oldest first, as
 * Accel-Sim has it: 32 warps a scheduler take four times as long as one.
 */
static void test_several_warps(void **state)
{
	static const u32 warps[] = { 2, 4, 8, 16 };
	u64 alone = cycles_of(1, "F1", 400);
	u32 i;

	for (i = 0; i < ARRAY_SIZE(warps); i++)
		assert_in_range(cycles_of(warps[i], "F1", 400), alone,
				alone * 105 / 100);
	assert_in_range(cycles_of(32, "F1", 400), alone * 18 / 10,
			alone * 22 / 10);
	assert_in_range(cycles_of(64, "F1", 400), alone * 36 / 10,
			alone * 44 / 10);
	/* Independent instructions: the issue slots, whoever has them. */
	assert_in_range(cycles_of(32, "F", 400), 32 / 2 * 400,
			32 / 2 * 400 + 2 * LATENCY);
}

/* A unit with half the lanes takes two cycles; others issue beside it. */
static void test_intervals(void **state)
{
	struct gpu_config config = one_sm();
	struct simgpu_counters counters;

	config.unit[TRACE_FP32].interval = 2;
	assert_in_range(run_on(&config, mixed(32, "F", 400), &counters),
			2 * 16 * 400, 2 * 16 * 400 + LATENCY);
	assert_in_range(run_on(&config, mixed(32, "F I", 400), &counters),
			16 * 400, 16 * 400 + LATENCY + 1);
}

/* Shared memory is the SM's, not a scheduler's: one pass a cycle for all. */
static void test_shared_memory(void **state)
{
	const struct gpu_config config = one_sm();
	struct simgpu_counters counters;
	u64 cycles = run_on(&config, mixed(32, "M", 100), &counters);

	assert_in_range(cycles, 32 * 100, 32 * 100 + 60);
	assert_int_equal(counters.shared_accesses, 32 * 100);
	cycles = run_on(&config, mixed(32, "M*8", 100), &counters);
	assert_in_range(cycles, 32 * 100 * 8, 32 * 100 * 8 + 300);
	/* Few warps that wait for each word: its latency. */
	cycles = run_on(&config, mixed(2, "M F1", 200), &counters);
	assert_in_range(cycles, 100 * 26, 100 * 26 + 4 * LATENCY);
	assert_int_equal(counters.shared_accesses, 2 * 100);
}

static struct trace *after_load(u32 after)
{
	struct builder *b = builder_new("loop", "test");
	u32 lines = builder_affine(b, 0, 128, 4, 0, 0, 0);

	builder_kernel(b, "loop", 1, 32, 32, 0);
	builder_loop(b, 1000);
	builder_mixed(b, builder_mix(b, "I0"), 1, 32);
	builder_load(b, lines, 32, SIMGPU_TRACE_NEVER);
	builder_after(b, after);
	builder_mixed(b, builder_mix(b, "I3"), 1, 32);
	builder_loop_end(b);
	return trace_of(b, 128);
}

/* What a load's address, and a trip's first instruction, wait for is seen. */
static void test_across_ops(void **state)
{
	const struct gpu_config config = one_sm();
	struct simgpu_counters counters;
	u64 first = run_on(&config, after_load(0), &counters);

	/* A trip's last instruction waits for that of the one before. */
	assert_in_range(first, 1000 * LATENCY, 1050 * LATENCY);
	/* The load for its address, the last instruction comes behind it. */
	assert_in_range(run_on(&config, after_load(1), &counters),
			1000 * (LATENCY + 2) - LATENCY,
			1050 * (LATENCY + 2));
}

/* A chain that joins the burst of a memory instruction takes as long as it does alone. */
static void test_behind_a_store(void **state)
{
	const struct gpu_config config = one_sm();
	struct builder *b = builder_new("store", "test");
	u32 lines = builder_affine(b, 0, 128, 4, 0, 0, 0);
	struct simgpu_counters counters;

	builder_kernel(b, "store", 1, 32, 32, 0);
	builder_loop(b, 100);
	builder_store(b, lines, 32);
	builder_mixed(b, builder_mix(b, "F1"), 100, 32);
	builder_mixed(b, builder_mix(b, "I0"), 1, 32);
	builder_loop_end(b);
	/* The integer waits for its turn only, not for the last result. */
	assert_in_range(run_on(&config, trace_of(b, 128), &counters),
			100 * 99 * LATENCY, 100 * 100 * LATENCY);
}

/* Idle cycles by cause: all that a chain leaves are its latency's. */
static void test_stalls(void **state)
{
	const struct gpu_config config = one_sm();
	struct simgpu_counters counters;

	run_on(&config, mixed(2, "F1", 4000), &counters);
	assert_in_range(counters.stall_dependence_cycles,
			2 * 4000 * (LATENCY - 1) * 98 / 100,
			2 * 4000 * (LATENCY - 1));
	assert_int_equal(counters.stall_memory_cycles, 0);
}

/* 20 times 96 loads of lines of their own, so many at a time, each then used. */
static u64 cycles_of_loads(u32 at_a_time)
{
	const struct gpu_config config = one_sm();
	struct builder *b = builder_new("loads", "test");
	struct simgpu_counters counters;
	u32 i;

	builder_kernel(b, "loads", 1, 32, 32, 0);
	builder_loop(b, 20);
	for (i = 0; i < 96; i++) {
		builder_load(b, builder_affine(b, i * 128, 20 * 96 * 128, 4, 0,
					       0, 96 * 128),
			     32, at_a_time - 1);
		if (i % at_a_time == at_a_time - 1)
			builder_compute(b, at_a_time, 32);
	}
	builder_loop_end(b);
	return run_on(&config, trace_of(b, 20 * 96 * 128 + 96 * 128), &counters);
}

/* More loads in flight are never slower: none waits for one that is not needed. */
static void test_loads_in_flight(void **state)
{
	u64 one = cycles_of_loads(1), eight = cycles_of_loads(8);
	u64 sixteen = cycles_of_loads(16), most = cycles_of_loads(48);

	assert_true(eight * 4 < one);
	assert_true(sixteen < eight);
	assert_true(most <= sixteen);
}

/*
 * 32 loads are in flight, the sixth is needed first, and a little later the last, which is
 * of many lines; then comes one more, and a chain.
 */
static u64 cycles_of_one_more(u32 lines_of_last)
{
	const struct gpu_config config = one_sm();
	struct builder *b = builder_new("more", "test");
	struct simgpu_trace_pattern wide = {
		.kind = SIMGPU_TRACE_AFFINE, .access_bytes = 4,
		.base = 31 * 4096, .region_bytes = 4096,
		.lane_stride = 4 * lines_of_last,
	};
	struct simgpu_counters counters;
	u32 i;

	builder_kernel(b, "more", 1, 32, 32, 0);
	for (i = 0; i < 32; i++)
		builder_load(b, i == 31 ? builder_pattern(b, &wide) :
			     builder_affine(b, i * 4096, 128, 4, 0, 0, 0),
			     32, i == 5 || i == 31 ? 100 : 1000);
	builder_load(b, builder_affine(b, 32 * 4096, 128, 4, 0, 0, 0), 32,
		     SIMGPU_TRACE_NEVER);
	builder_mixed(b, builder_mix(b, "F1"), 900, 32);
	return run_on(&config, trace_of(b, 33 * 4096), &counters);
}

/* Where all entries are in use a load waits for what is needed first, not for others. */
static void test_full_of_loads(void **state)
{
	u64 plain = cycles_of_one_more(1);

	assert_in_range(cycles_of_one_more(32), plain, plain + 10);
}

/* Older traces have no dependences. */
static void test_without_mixes(void **state)
{
	const struct gpu_config config = one_sm();
	struct simgpu_counters counters;
	struct builder *b = builder_new("plain", "test");

	builder_kernel(b, "plain", 1, 32, 32, 0);
	builder_compute(b, 1000, 32);
	builder_slow(b, 100, 32, 4);
	builder_shared(b, 100, 32, 2);
	assert_in_range(run_on(&config, trace_of(b, 0), &counters), 1600, 1602);
	assert_int_equal(counters.warp_instructions, 1200);
	assert_int_equal(counters.shared_accesses, 100);
}

/* A burst of more instructions than are timed at once, and a long chain in it. */
static void test_long_bursts(void **state)
{
	assert_int_equal(cycles_of(1, "F1", 100000), 1 + 100000 * LATENCY);
	/* A round: 9 until the second, 1, 8 until the fourth, and 1. */
	assert_in_range(cycles_of(1, "F2 I1 I0 S2", 100000),
			100000 / 4 * 19, 100000 / 4 * 19 + 30);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_alone),
		cmocka_unit_test(test_several_warps),
		cmocka_unit_test(test_intervals),
		cmocka_unit_test(test_shared_memory),
		cmocka_unit_test(test_across_ops),
		cmocka_unit_test(test_behind_a_store),
		cmocka_unit_test(test_stalls),
		cmocka_unit_test(test_loads_in_flight),
		cmocka_unit_test(test_full_of_loads),
		cmocka_unit_test(test_without_mixes),
		cmocka_unit_test(test_long_bursts),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
