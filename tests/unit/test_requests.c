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

#define WARPS		8	/* of the blocks of traces.h */

/* An SM, a slice and a channel, whose parts are far from each other. */
static struct gpu_config narrow_config(void)
{
	struct gpu_config config = small_config();

	config.sms = 1;
	config.channels = 1;
	config.llc_slices = 1;
	config.noc_flit_bytes = 256;
	config.noc_latency = 1000;
	config.noc_head_blocking = 0;
	config.slice_queue_flits = 0;
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

	assert_in_range(ended(gpu, 0), trip, trip + 8);
	assert_int_equal(counters_of(gpu, 0).noc_reply_flits, 1);
	free(gpu);
	gpu = run_to_end(&config, partial);
	assert_in_range(ended(gpu, 0), dram, dram + 12);
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
		assert_in_range(ended(gpu, 0), trips * trip,
				trips * trip + 512 + 4 * trips + 8);
		assert_int_equal(counters_of(gpu, 0).noc_reply_flits, 512);
		free(gpu);
	}
	trace_free(trace);
}

/* Cycles in which so many SMs store 512 lines each, which no cache has to write back. */
static u64 stores_take(u32 sms, u32 blocking)
{
	struct trace *trace = trace_stores(sms, 512, 32);
	struct gpu_config config = small_config();
	struct gpu *gpu;
	u64 cycles;

	config.blocks_per_sm = 1;
	config.llc_sets = 1024;
	config.sm_stores = 512;
	config.noc_flit_bytes = 256;
	config.noc_queue_depth = 1024;
	config.noc_head_blocking = blocking;
	config.slice_queue_flits = 0;
	gpu = gpu_make(&config);
	own(gpu, 0, sms, 0);
	gpu_kernel_start(gpu, 0, trace, 0);
	finish(gpu, 0, NULL);
	cycles = ended(gpu, 0);
	free(gpu);
	trace_free(trace);
	return cycles;
}

/*
 * Where the first packet at a port holds up those behind it, eight SMs that store at random
 * get much less through the crossbar; an SM alone, which finds all ports free, does not.
 */
static void heads_hold_up_what_is_behind(void **state)
{
	assert_int_equal(stores_take(1, 0), stores_take(1, 1));
	assert_true(stores_take(8, 1) * 10 > stores_take(8, 0) * 12);
	print_message("# 8 SMs: %llu, %llu\n", stores_take(8, 0), stores_take(8, 1));
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

/* --- atomics ---------------------------------------------------------------------- */

/* A warp, or more, whose lanes are @stride bytes apart, in groups if any. */
static struct trace *trace_atomic(u32 blocks, u32 bytes, s64 stride, u32 group,
				  s64 group_stride, u32 consume)
{
	struct builder *b = builder_new("atomic", "test");
	struct simgpu_trace_pattern lanes = {
		.kind = SIMGPU_TRACE_AFFINE, .access_bytes = bytes,
		.region_bytes = 1 << 20, .lane_stride = stride,
		.group_lanes = group, .group_stride = group_stride,
	};
	u32 pattern = builder_pattern(b, &lanes);

	builder_kernel(b, "atomic", blocks, 32, 32, 0);
	builder_atomic(b, pattern, 32, consume);
	return trace_of(b, 1 << 20);
}

/*
 * Lanes of a sector share a request as long as they want different words of it.
 * The request carries what its lanes give, the reply what they get; that of a
 * reduction nothing.
 */
static void atomics_carry_their_lanes(void **state)
{
	static const struct {
		u32 bytes;
		s64 stride;
		u32 group;
		s64 group_stride;
		u32 requests;
		u32 flits;	/* of 8 bytes: control, and the data */
	} cases[] = {
		{ 4, 4, 0, 0, 4, 1 + 4 },	/* side by side */
		{ 8, 8, 0, 0, 8, 1 + 4 },
		{ 4, 0, 0, 0, 32, 1 + 1 },	/* a hot word */
		{ 4, 8, 0, 0, 8, 1 + 2 },	/* each second word */
		{ 4, 128, 0, 0, 32, 1 + 1 },	/* a line each */
		{ 4, 4, 8, 0, 4, 1 + 4 },	/* four lanes a word */
		{ 4, 0, 8, 4, 8, 1 + 2 },	/* eight lanes a word */
	};
	static const u32 consume[] = { 0, SIMGPU_TRACE_NEVER };
	u32 i, reduce;

	for (i = 0; i < 2 * ARRAY_SIZE(cases); i++) {
		struct gpu_config config = narrow_config();
		struct simgpu_counters c;
		struct trace *trace;
		struct gpu *gpu;
		u32 n = i / 2;

		reduce = i % 2;
		config.noc_flit_bytes = 8;
		trace = trace_atomic(1, cases[n].bytes, cases[n].stride,
				     cases[n].group, cases[n].group_stride,
				     consume[reduce]);
		gpu = run_to_end(&config, trace);
		c = counters_of(gpu, 0);
		assert_int_equal(c.llc_accesses, cases[n].requests);
		assert_int_equal(c.noc_request_flits,
				 cases[n].requests * cases[n].flits);
		if (reduce) {
			assert_int_equal(c.noc_reply_flits, cases[n].requests);
			assert_int_equal(c.load_requests, 0);
		} else {
			assert_int_equal(c.noc_reply_flits,
					 cases[n].requests * cases[n].flits);
			assert_int_equal(c.load_requests, cases[n].requests);
		}
		free(gpu);
		trace_free(trace);
	}
}

/* A slice performs one atomic a cycle: a hot word serializes all lanes. */
static void hot_words_serialize(void **state)
{
	struct gpu_config config = small_config();
	struct trace *hot, *spread;
	u64 cycles, lanes;
	struct gpu *gpu;

	config.noc_flit_bytes = 256;
	hot = trace_atomic(64, 4, 0, 0, 0, SIMGPU_TRACE_NEVER);
	spread = trace_atomic(64, 4, 4096, 0, 0, SIMGPU_TRACE_NEVER);
	lanes = 64 * 32;
	gpu = run_to_end(&config, hot);
	cycles = gpu_now(gpu);
	assert_in_range(cycles, lanes, lanes + 2 * gpu_dram_cycles(gpu));
	assert_int_equal(counters_of(gpu, 0).llc_misses, 1);
	free(gpu);
	gpu = run_to_end(&config, spread);
	assert_int_equal(counters_of(gpu, 0).llc_accesses, lanes);
	assert_true(gpu_now(gpu) < cycles / 2);
	free(gpu);
	trace_free(hot);
	trace_free(spread);
}

/* The warp goes on without a reduction's end, but not without an atomic's. */
static void nothing_waits_for_reductions(void **state)
{
	static const u32 consume[] = { 0, SIMGPU_TRACE_NEVER };
	struct gpu_config config = narrow_config();
	u32 i;

	for (i = 0; i < 2; i++) {
		struct builder *b = builder_new("uses", "test");
		u32 one = builder_affine(b, 0, 128, 4, 0, 0, 0);
		struct simgpu_counters c;
		struct trace *trace;
		struct gpu *gpu;

		builder_kernel(b, "uses", 1, 32, 32, 0);
		builder_atomic(b, one, 1, consume[i]);
		builder_compute(b, 100, 32);
		trace = trace_of(b, 128);
		gpu = gpu_make(&config);
		own(gpu, 0, 1, 0);
		gpu_kernel_start(gpu, 0, trace, 0);
		gpu_run(gpu, 500);
		c = counters_of(gpu, 0);
		assert_int_equal(c.warp_instructions, i ? 101 : 1);
		finish(gpu, 0, NULL);
		assert_true(gpu_now(gpu) >= gpu_dram_cycles(gpu));
		free(gpu);
		trace_free(trace);
	}
}

/* --- addresses -------------------------------------------------------------------- */

/*
 * GPGPU-Sim's mapping: all slices get equally many lines of each run that is as
 * long as a row of every bank, and no two lines one place.
 */
static void ipoly_spreads_evenly(void **state)
{
	static const u32 channels[] = { 1, 4, 8, 32 };
	u32 i, line;

	for (i = 0; i < ARRAY_SIZE(channels); i++) {
		struct gpu_config config = small_config();
		u32 slices = 2 * channels[i], lines, row;
		u32 *of_slice, *of_row;
		struct gpu *gpu;
		u8 bank;

		config.channels = channels[i];
		config.llc_slices = slices;
		config.address_hash = GPU_HASH_IPOLY;
		gpu = gpu_make(&config);
		lines = channels[i] * config.banks * config.row_lines;
		of_slice = calloc(slices, sizeof(*of_slice));
		of_row = calloc(channels[i] * config.banks * 4,
				sizeof(*of_row));
		for (line = 0; line < 4 * lines; line++) {
			u32 slice = address_slice(gpu, line);

			row = address_row(gpu, line, &bank);
			of_slice[slice]++;
			assert_true(row < 4 && bank < config.banks);
			of_row[(slice / 2 * config.banks + bank) * 4 + row]++;
		}
		for (line = 0; line < slices; line++)
			assert_int_equal(of_slice[line], 4 * lines / slices);
		for (line = 0; line < channels[i] * config.banks * 4; line++)
			assert_int_equal(of_row[line], config.row_lines);
		free(of_slice);
		free(of_row);
		free(gpu);
	}
}

/* --- a neighbour's load ------------------------------------------------------------- */

#define HOT_LINES	64

/* A warp that reads lines which are in the cache, one after another, past its L1. */
static struct trace *trace_hot(u32 trips)
{
	struct builder *b = builder_new("hot", "test");
	u32 word = builder_affine(b, 0, HOT_LINES * 128, 4, 0, 0, 0);

	builder_kernel(b, "hot", 1, 32, 32, 0);
	builder_loop(b, trips);
	builder_atomic(b, word, 1, 0);
	builder_loop_end(b);
	return trace_of(b, HOT_LINES * 128);
}

/* Mean cycles of a hit, while another tenant's random reads saturate memory. */
static u64 hit_latency(u32 arbitration, u32 depth, u64 *neighbour)
{
	struct gpu_config config = small_config();
	struct trace *hot = trace_hot(100);
	struct trace *load = trace_random(4000, 200, 8, 1ULL << 28);
	struct simgpu_counters c;
	struct gpu *gpu;
	u64 done = 0;

	config.slice_arbitration = arbitration;
	config.noc_head_blocking = depth != 0;
	config.slice_queue_flits = depth;
	gpu = gpu_make(&config);
	own(gpu, 0, 1, 0);
	own(gpu, 1, 7, 1);
	gpu_kernel_start(gpu, 1, load, 0);
	gpu_run(gpu, 20000);
	gpu_kernel_start(gpu, 0, hot, 0);
	while (!(done & 1)) {
		assert_true(gpu_now(gpu) < LONG_ENOUGH);
		gpu_run(gpu, LONG_ENOUGH);
		done = gpu_take_finished(gpu);
	}
	c = counters_of(gpu, 0);
	*neighbour = counters_of(gpu, 1).dram_fills * 1000 / gpu_now(gpu);
	free(gpu);
	trace_free(hot);
	trace_free(load);
	return c.load_cycles / c.load_requests;
}

/*
 * In order a hit waits behind all misses that wait; else it passes them in the
 * slice, and waits for a place in its queue alone. Memory stays saturated.
 */
static void hits_under_load(void **state)
{
	u64 order_fills, first_fills, turn_fills;
	u64 order = hit_latency(GPU_ARBITRATE_ORDER, 0, &order_fills);
	u64 first = hit_latency(GPU_ARBITRATE_FIRST, 0, &first_fills);
	u64 turn = hit_latency(GPU_ARBITRATE_SM, 0, &turn_fills);

	print_message("# a hit takes %llu cycles in order, %llu first, %llu by SM\n",
		      order, first, turn);
	print_message("# fills a thousand cycles: %llu, %llu, %llu\n",
		      order_fills, first_fills, turn_fills);
	assert_true(first < order);
	assert_true(turn < order);
	assert_in_range(first_fills, order_fills * 19 / 20,
			order_fills * 21 / 20);
	assert_in_range(turn_fills, order_fills * 19 / 20,
			order_fills * 21 / 20);
}

/*
 * Where a slice's queue has an end, no more wait there, and those before it wait in the SMs
 * that sent them: a hit comes sooner, and the others still saturate memory.
 */
static void queues_end(void **state)
{
	static const u32 depths[] = { 0, 160, 40 };
	u64 latency[3], fills[3];
	u32 i;

	for (i = 0; i < 3; i++)
		latency[i] = hit_latency(GPU_ARBITRATE_ORDER, depths[i], &fills[i]);
	print_message("# a hit takes %llu cycles, %llu behind 160 flits, %llu behind 40\n",
		      latency[0], latency[1], latency[2]);
	assert_true(latency[1] * 2 < latency[0]);
	assert_true(latency[2] < latency[1]);
	assert_in_range(fills[1], fills[0] * 19 / 20, fills[0] * 21 / 20);
}

/* All that is asked for comes, whichever is next, and batches do not show. */
static void arbitration_loses_nothing(void **state)
{
	u32 arbitration, batch;

	for (arbitration = 0; arbitration <= GPU_ARBITRATE_SM; arbitration++) {
		u64 hash = 0;

		for (batch = 1; batch <= 16; batch *= 4) {
			struct gpu_config config = small_config();
			struct trace *trace = trace_copy(60, 6, 12);
			struct simgpu_counters c;
			struct gpu *gpu;

			config.slice_arbitration = arbitration;
			config.channel_batch_clocks = batch;
			config.llc_mshrs = 4;
			config.noc_queue_depth = 2;
			gpu = run_alone(&config, trace);
			c = counters_of(gpu, 0);
			assert_int_equal(c.llc_accesses, 60 * WARPS * 6 * 2);
			assert_int_equal(c.blocks_finished, 60);
			if (batch > 1)
				assert_int_equal(gpu_state_hash(gpu), hash);
			hash = gpu_state_hash(gpu);
			free(gpu);
			trace_free(trace);
		}
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(all_l1_mshrs_are_used),
		cmocka_unit_test(all_llc_mshrs_are_used),
		cmocka_unit_test(the_end_waits_for_stores),
		cmocka_unit_test(stores_are_bounded),
		cmocka_unit_test(heads_hold_up_what_is_behind),
		cmocka_unit_test(dropped_stores_vanish),
		cmocka_unit_test(atomics_carry_their_lanes),
		cmocka_unit_test(hot_words_serialize),
		cmocka_unit_test(nothing_waits_for_reductions),
		cmocka_unit_test(ipoly_spreads_evenly),
		cmocka_unit_test(hits_under_load),
		cmocka_unit_test(queues_end),
		cmocka_unit_test(arbitration_loses_nothing),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests_name("requests", tests, NULL, NULL);
}
