// SPDX-License-Identifier: GPL-2.0
/*
 * The SMs' constant caches: exact counts of accesses and misses, next to the
 * data caches and apart from them.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <cmocka.h>

#include "../../kmod/sim/sim.h"
#include "traces.h"

#define LONG_ENOUGH	20000000ULL
#define LINE		GPU_LINE_BYTES
/* The lines of themis60's constant cache: 8 KB. */
#define CACHE_LINES	64

static struct gpu *gpu_make(const struct gpu_config *config)
{
	const char *field;
	void *memory;

	assert_int_equal(gpu_config_check(config, &field), 0);
	memory = aligned_alloc(64, (gpu_bytes(config) + 63) & ~63UL);
	memset(memory, 0x5a, gpu_bytes(config));
	return gpu_init(memory, config, 1);
}

static void own(struct gpu *gpu, u32 first, u32 count, u32 slot)
{
	u32 i;

	for (i = first; i < first + count; i++)
		gpu_sm_assign(gpu, i, slot, GPU_PREEMPT_DRAIN);
}

static void finish(struct gpu *gpu, u64 mask)
{
	u64 done = 0;

	while ((done & mask) != mask) {
		assert_true(gpu_now(gpu) < LONG_ENOUGH);
		gpu_run(gpu, LONG_ENOUGH);
		done |= gpu_take_finished(gpu);
	}
}

static struct simgpu_counters counters_of(struct gpu *gpu, u32 slot)
{
	struct simgpu_counters counters;

	gpu_tenant_counters(gpu, slot, &counters);
	return counters;
}

/* One tenant alone on all SMs, to its end; frees the trace. */
static struct simgpu_counters run_alone(const struct gpu_config *config,
					struct trace *trace, u64 *cycles)
{
	struct gpu *gpu = gpu_make(config);
	struct simgpu_counters counters;
	struct gpu_kernel_status status;

	own(gpu, 0, config->sms, 0);
	gpu_kernel_start(gpu, 0, trace, 0);
	finish(gpu, 1);
	counters = counters_of(gpu, 0);
	gpu_kernel_status(gpu, 0, &status);
	if (cycles)
		*cycles = status.ended_at;
	free(gpu);
	trace_free(trace);
	return counters;
}

static struct gpu_config themis(u32 sms)
{
	struct gpu_config config = *gpu_config_find("themis60");

	config.sms = sms;
	return config;
}

/* The line at @base, which all warps read. */
static u32 one_line(struct builder *b, u64 base)
{
	return builder_affine(b, base, LINE, 4, 0, 0, 0);
}

/* --- counts --- */

/* A warp of each block reads a line, then the others do, @blocks at a time. */
static struct trace *trace_broadcast(u32 blocks)
{
	struct builder *b = builder_new("broadcast", "test");
	u32 line = one_line(b, 0), i;

	builder_kernel(b, "broadcast", blocks, 256, 32, 0);
	builder_constant(b, line, 32, 0);
	builder_barrier(b);
	builder_program(b);
	builder_barrier(b);
	builder_constant(b, line, 32, 0);
	for (i = 0; i < blocks * 8; i++)
		builder_warp(b, i % 8 != 0, 0);
	return trace_of(b, LINE);
}

static void a_line_misses_once_an_sm(void **state)
{
	const struct gpu_config *config = gpu_config_find("themis60");
	struct trace *trace = trace_broadcast(60);
	struct gpu *gpu = gpu_make(config);
	struct simgpu_counters c;
	u32 i;

	own(gpu, 0, 60, 0);
	gpu_kernel_start(gpu, 0, trace, 0);
	finish(gpu, 1);
	c = counters_of(gpu, 0);
	assert_int_equal(c.l1c_accesses, 60 * 8);
	assert_int_equal(c.l1c_misses, 60);
	assert_int_equal(c.l1_accesses, 0);
	assert_int_equal(c.l1_misses, 0);
	assert_int_equal(c.llc_accesses, 60);
	assert_int_equal(c.dram_fills, 1);
	for (i = 0; i < 60; i++) {
		gpu_sm_counters(gpu, i, &c);
		assert_int_equal(c.l1c_accesses, 8);
		assert_int_equal(c.l1c_misses, 1);
	}
	free(gpu);
	trace_free(trace);
}

/* Warps that ask at once miss, but for one line only one goes to the slice. */
static void misses_merge(void **state)
{
	struct gpu_config config = themis(1);
	struct builder *b = builder_new("at-once", "test");
	u32 line = one_line(b, 0);
	struct simgpu_counters c;

	builder_kernel(b, "at-once", 1, 256, 32, 0);
	builder_constant(b, line, 32, 0);
	c = run_alone(&config, trace_of(b, LINE), NULL);
	assert_int_equal(c.l1c_accesses, 8);
	assert_int_equal(c.l1c_misses, 8);
	assert_int_equal(c.llc_accesses, 1);
}

/* One warp reads @lines lines in a row, ten times over. */
static struct trace *trace_passes(u32 lines)
{
	const struct simgpu_trace_pattern pattern = {
		.kind = SIMGPU_TRACE_AFFINE, .access_bytes = 4,
		.region_bytes = lines * LINE, .lane_stride = 4,
		.loop_stride = { 0, LINE },
	};
	struct builder *b = builder_new("passes", "test");
	u32 index = builder_pattern(b, &pattern);

	builder_kernel(b, "passes", 1, 32, 32, 0);
	builder_loop(b, 10);
	builder_loop(b, lines);
	builder_constant(b, index, 32, 0);
	builder_loop_end(b);
	builder_loop_end(b);
	return trace_of(b, lines * LINE);
}

/*
 * 8 KB fit. With a line more, the three of its set, two ways wide, drive out
 * each other in every pass; with twice as many, all lines do.
 */
static void what_does_not_fit_misses(void **state)
{
	static const u32 misses[][2] = {
		{ CACHE_LINES / 2, CACHE_LINES / 2 },
		{ CACHE_LINES, CACHE_LINES },
		{ CACHE_LINES + 1, CACHE_LINES + 1 + 9 * 3 },
		{ 2 * CACHE_LINES, 10 * 2 * CACHE_LINES },
	};
	struct gpu_config config = themis(1);
	u32 i;

	for (i = 0; i < ARRAY_SIZE(misses); i++) {
		u32 lines = misses[i][0];
		struct simgpu_counters c = run_alone(&config,
						     trace_passes(lines), NULL);

		assert_int_equal(c.l1c_accesses, 10 * lines);
		assert_int_equal(c.l1c_misses, misses[i][1]);
		assert_int_equal(c.llc_accesses, misses[i][1]);
		assert_int_equal(c.llc_misses, lines);
	}
}

static void without_sets_all_hit(void **state)
{
	struct gpu_config config = *gpu_config_find("hbm80");
	u64 loads = 10 * 2 * CACHE_LINES, cycles;
	struct simgpu_counters c;

	assert_int_equal(config.l1c_sets, 0);
	c = run_alone(&config, trace_passes(2 * CACHE_LINES), &cycles);
	assert_int_equal(c.l1c_accesses, loads);
	assert_int_equal(c.l1c_misses, 0);
	assert_int_equal(c.llc_accesses, 0);
	/* Each is waited for, as a hit of the L1 is. */
	assert_in_range(cycles, loads * config.l1_hit_latency,
			loads * (config.l1_hit_latency + 1) + 10);
}

/* Lanes @stride bytes apart, one access. */
static struct trace *trace_lanes(s64 stride)
{
	const struct simgpu_trace_pattern pattern = {
		.kind = SIMGPU_TRACE_AFFINE, .access_bytes = 4,
		.region_bytes = 32 * LINE, .lane_stride = stride,
	};
	struct builder *b = builder_new("lanes", "test");
	u32 index = builder_pattern(b, &pattern);

	builder_kernel(b, "lanes", 1, 32, 32, 0);
	builder_constant(b, index, 32, 0);
	return trace_of(b, 32 * LINE);
}

/* One access for each line, one a cycle. */
static void lines_are_looked_up_one_by_one(void **state)
{
	static const u32 lines[] = { 1, 1, 4, 32 };
	static const s64 strides[] = { 0, 4, 16, 128 };
	struct gpu_config config = *gpu_config_find("hbm80");
	u64 first = 0, cycles;
	u32 i;

	for (i = 0; i < ARRAY_SIZE(strides); i++) {
		struct simgpu_counters c = run_alone(&config,
						     trace_lanes(strides[i]),
						     &cycles);

		assert_int_equal(c.l1c_accesses, lines[i]);
		assert_int_equal(c.warp_instructions, 1);
		if (!i)
			first = cycles;
		assert_int_equal(cycles, first + lines[i] - 1);
	}
}

/* --- beside the data cache --- */

static void add_load(struct builder *b, bool constant, u32 line, u32 after)
{
	if (constant)
		builder_constant(b, line, 32, after);
	else
		builder_load(b, line, 32, after);
}

/* A line misses in both L1s, at once too, and then hits in both. */
static void caches_share_no_lines(void **state)
{
	struct gpu_config config = themis(1);
	u32 first, at_once;

	for (at_once = 0; at_once < 2; at_once++) {
		for (first = 0; first < 2; first++) {
			struct builder *b = builder_new("both", "test");
			u32 line = one_line(b, 0);
			struct simgpu_counters c;

			builder_kernel(b, "both", 1, 32, 32, 0);
			add_load(b, first, line, at_once);
			add_load(b, !first, line, 0);
			/* Both have come. */
			add_load(b, first, line, 0);
			add_load(b, !first, line, 0);
			c = run_alone(&config, trace_of(b, LINE), NULL);
			assert_int_equal(c.l1_accesses, 2);
			assert_int_equal(c.l1_misses, 1);
			assert_int_equal(c.l1c_accesses, 2);
			assert_int_equal(c.l1c_misses, 1);
			assert_int_equal(c.llc_accesses, 2);
			assert_int_equal(c.dram_fills, 1);
		}
	}
}

/* Loads and constant loads of one region, at random, and stores to it. */
static struct trace *trace_mixed(u32 blocks, u32 lines)
{
	struct simgpu_trace_pattern pattern = {
		.kind = SIMGPU_TRACE_RANDOM, .access_bytes = 4,
		.region_bytes = 1 << 16, .lines = lines, .seed = 7,
	};
	struct builder *b = builder_new("mixed", "test");
	u32 data = builder_pattern(b, &pattern), constants;

	pattern.seed = 8;
	constants = builder_pattern(b, &pattern);
	builder_kernel(b, "mixed", blocks, 256, 32, 0);
	builder_loop(b, 10);
	builder_load(b, data, 32, 2);
	builder_constant(b, constants, 32, 1);
	builder_compute(b, 2, 32);
	builder_store(b, data, 32);
	builder_loop_end(b);
	return trace_of(b, 1 << 16);
}

/* Two entries and queues of one: misses wait for each other, none is lost. */
static void back_pressure_loses_nothing(void **state)
{
	struct gpu_config wide = themis(4), tight = wide;
	struct simgpu_counters c;
	u64 fast, slow;

	tight.l1_mshrs = 2;
	tight.noc_queue_depth = 1;
	tight.llc_mshrs = 1;
	run_alone(&wide, trace_mixed(40, 32), &fast);
	c = run_alone(&tight, trace_mixed(40, 32), &slow);
	assert_true(slow > fast);
	assert_int_equal(c.blocks_finished, 40);
	assert_int_equal(c.l1_accesses, 40 * 8 * 10 * 32);
	assert_int_equal(c.l1c_accesses, 40 * 8 * 10 * 32);
}

static void sms_count_what_tenants_do(void **state)
{
	struct gpu_config config = themis(8);
	struct trace *trace = trace_mixed(40, 4);
	struct gpu *gpu = gpu_make(&config);
	struct simgpu_counters c;
	u64 accesses = 0, misses = 0;
	u32 i;

	own(gpu, 0, 6, 0);
	own(gpu, 6, 2, 1);
	for (i = 0; i < 2; i++)
		gpu_kernel_start(gpu, i, trace, 0);
	finish(gpu, 3);
	for (i = 0; i < 2; i++) {
		c = counters_of(gpu, i);
		assert_int_equal(c.l1c_accesses, 40 * 8 * 10 * 4);
		assert_in_range(c.l1c_misses, 1, c.l1c_accesses);
		accesses += c.l1c_accesses;
		misses += c.l1c_misses;
	}
	for (i = 0; i < config.sms; i++) {
		gpu_sm_counters(gpu, i, &c);
		accesses -= c.l1c_accesses;
		misses -= c.l1c_misses;
	}
	assert_int_equal(accesses, 0);
	assert_int_equal(misses, 0);
	free(gpu);
	trace_free(trace);
}

/* --- the life of an SM --- */

static void an_sm_that_changes_hands_forgets(void **state)
{
	struct gpu_config config = themis(1);
	struct trace *trace = trace_broadcast(1);
	struct gpu *gpu = gpu_make(&config);
	/* Cold; still its own; given away and back. */
	static const u32 misses[] = { 1, 1, 2 };
	u32 i;

	for (i = 0; i < 3; i++) {
		if (i == 2)
			own(gpu, 0, 1, 1);
		own(gpu, 0, 1, 0);
		gpu_kernel_start(gpu, 0, trace, 0);
		finish(gpu, 1);
		assert_int_equal(counters_of(gpu, 0).l1c_accesses, 8 * (i + 1));
		assert_int_equal(counters_of(gpu, 0).l1c_misses, misses[i]);
	}
	free(gpu);
	trace_free(trace);
}

/* A tenant that is dropped, or preempted, with misses under way. */
static void misses_may_lose_their_warps(void **state)
{
	struct gpu_config config = themis(4);
	struct trace *trace = trace_mixed(40, 16);
	u64 cycle;

	for (cycle = 100; cycle < 6000; cycle += 197) {
		struct gpu *gpu = gpu_make(&config);
		u32 i;

		own(gpu, 0, 4, 0);
		gpu_kernel_start(gpu, 0, trace, 0);
		gpu_run(gpu, cycle);
		for (i = 0; i < 4; i++)
			gpu_sm_assign(gpu, i, 1, GPU_PREEMPT_SWITCH);
		gpu_run(gpu, cycle + 50);
		gpu_tenant_drop(gpu, 0);
		own(gpu, 0, 4, 1);
		gpu_kernel_start(gpu, 1, trace, 0);
		finish(gpu, 2);
		assert_int_equal(counters_of(gpu, 1).l1c_accesses,
				 40 * 8 * 10 * 16);
		free(gpu);
	}
	trace_free(trace);
}

/* Saved blocks go on with constant loads, each of which is counted once. */
static void preempted_blocks_go_on(void **state)
{
	struct gpu_config config = themis(4);
	struct trace *trace = trace_mixed(40, 16);
	struct gpu *gpu = gpu_make(&config);
	u32 i, turn;

	own(gpu, 0, 4, 0);
	gpu_kernel_start(gpu, 0, trace, 0);
	for (turn = 1; turn <= 6; turn++) {
		gpu_run(gpu, turn * 1500);
		for (i = 0; i < 4; i++)
			gpu_sm_assign(gpu, i, turn % 2, GPU_PREEMPT_SWITCH);
	}
	finish(gpu, 1);
	assert_true(counters_of(gpu, 0).preempted_blocks > 0);
	assert_int_equal(counters_of(gpu, 0).l1c_accesses, 40 * 8 * 10 * 16);
	free(gpu);
	trace_free(trace);
}

/* --- repeatable --- */

static void batches_do_not_show(void **state)
{
	static const u32 batches[] = { 1, 7, 16, 64 };
	struct gpu_config config = themis(8);
	struct trace *trace = trace_mixed(80, 4);
	u64 first = 0;
	u32 i;

	for (i = 0; i < ARRAY_SIZE(batches); i++) {
		struct gpu *gpu;

		config.channel_batch_clocks = batches[i];
		gpu = gpu_make(&config);
		own(gpu, 0, 8, 0);
		gpu_kernel_start(gpu, 0, trace, 0);
		finish(gpu, 1);
		gpu_run(gpu, gpu_now(gpu) + 20000);
		if (!i)
			first = gpu_state_hash(gpu);
		assert_int_equal(gpu_state_hash(gpu), first);
		free(gpu);
	}
	trace_free(trace);
}

/* The hash sees each tag of each SM. */
static void the_hash_sees_the_caches(void **state)
{
	struct gpu_config config = themis(2);
	struct gpu *gpu = gpu_make(&config);
	const struct l1 *l1 = &gpu->l1[L1_CONSTANT];
	u64 hash = gpu_state_hash(gpu);
	u32 i;

	assert_int_equal(l1->sets * l1->ways, CACHE_LINES);
	for (i = 0; i < 2 * l1->sets * l1->set_words; i++) {
		l1->words[i] ^= 1;
		assert_true(gpu_state_hash(gpu) != hash);
		l1->words[i] ^= 1;
	}
	assert_int_equal(gpu_state_hash(gpu), hash);
	free(gpu);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_line_misses_once_an_sm),
		cmocka_unit_test(misses_merge),
		cmocka_unit_test(what_does_not_fit_misses),
		cmocka_unit_test(without_sets_all_hit),
		cmocka_unit_test(lines_are_looked_up_one_by_one),
		cmocka_unit_test(caches_share_no_lines),
		cmocka_unit_test(back_pressure_loses_nothing),
		cmocka_unit_test(sms_count_what_tenants_do),
		cmocka_unit_test(an_sm_that_changes_hands_forgets),
		cmocka_unit_test(misses_may_lose_their_warps),
		cmocka_unit_test(preempted_blocks_go_on),
		cmocka_unit_test(batches_do_not_show),
		cmocka_unit_test(the_hash_sees_the_caches),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests_name("constant", tests, NULL, NULL);
}
