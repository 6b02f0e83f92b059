// SPDX-License-Identifier: GPL-2.0
/*
 * Caches whose lines are fetched by sectors of 32 bytes: what is asked for,
 * counted, fetched and written back, on traces by hand; and stores that miss.
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

#define REGION		(1 << 20)
#define RUN		100000

static struct gpu_config sector_config(u32 l1, u32 llc)
{
	struct gpu_config config = small_config();

	config.l1_sectors = l1;
	config.llc_sectors = llc;
	config.noc_flit_bytes = 40;
	return config;
}

/*
 * A warp that reads the first @lanes words of a line, then those @shift bytes
 * further on, both waited for.
 */
static struct trace *trace_two_loads(u32 lanes, u32 shift)
{
	struct builder *b = builder_new("two loads", "test");
	u32 first = builder_affine(b, 0, REGION, 4, 0, 0, 0);
	u32 second = builder_affine(b, shift, REGION, 4, 0, 0, 0);

	builder_kernel(b, "two loads", 1, 32, 32, 0);
	builder_load(b, first, lanes, 0);
	builder_load(b, second, lanes, 0);
	return trace_of(b, 2 * REGION);
}

/* What two loads come to, by the sectors of both caches. */
static void only_touched_sectors_are_fetched(void **state)
{
	static const struct {
		u32 l1, llc, lanes, shift;
		u32 accesses, misses, llc_accesses, fills, reply_flits;
	} cases[] = {
		/* 32 bytes: another sector of the line; the same one */
		{ 1, 1, 8, 64, 2, 1, 1, 1, 4 },
		{ 4, 4, 8, 64, 2, 2, 2, 2, 2 },
		{ 4, 4, 8, 0, 2, 1, 1, 1, 1 },
		/* Whole lines, the same, and the next one. */
		{ 4, 4, 32, 0, 8, 4, 4, 4, 4 },
		{ 4, 4, 32, 128, 8, 8, 8, 8, 8 },
		/* Half of the second one is there. */
		{ 4, 4, 32, 64, 8, 6, 6, 6, 6 },
		/* Sectors in one of the caches alone. */
		{ 4, 1, 8, 64, 2, 2, 2, 1, 2 },
		{ 4, 1, 32, 0, 8, 4, 4, 1, 4 },
		{ 1, 4, 8, 64, 2, 1, 4, 4, 4 },
		{ 1, 4, 32, 128, 2, 2, 8, 8, 8 },
	};
	u32 i;

	for (i = 0; i < ARRAY_SIZE(cases); i++) {
		struct gpu_config config = sector_config(cases[i].l1,
							 cases[i].llc);
		struct trace *trace = trace_two_loads(cases[i].lanes,
						      cases[i].shift);
		struct gpu *gpu = run_alone(&config, trace);
		struct simgpu_counters c = counters_of(gpu, 0);

		assert_int_equal(c.l1_accesses, cases[i].accesses);
		assert_int_equal(c.l1_misses, cases[i].misses);
		assert_int_equal(c.llc_accesses, cases[i].llc_accesses);
		assert_int_equal(c.dram_fills, cases[i].fills);
		assert_int_equal(c.noc_reply_flits, cases[i].reply_flits);
		free(gpu);
		trace_free(trace);
	}
}

/* A warp that stores @lanes words of a line, and one that reads a lot. */
static struct trace *trace_evict(u32 lanes)
{
	struct builder *b = builder_new("evict", "test");
	u32 line = builder_affine(b, 0, REGION, 4, 0, 0, 0);
	struct simgpu_trace_pattern stream = {
		.kind = SIMGPU_TRACE_AFFINE, .access_bytes = 4,
		.base = REGION, .region_bytes = 8 * REGION, .lane_stride = 4,
		.loop_stride = { 128 },
	};
	u32 reads = builder_pattern(b, &stream);

	builder_kernel(b, "evict", 1, 32, 32, 0);
	builder_store(b, line, lanes);
	builder_loop(b, 20000);
	builder_load(b, reads, 32, 4);
	builder_loop_end(b);
	return trace_of(b, 9 * REGION);
}

/* Sectors that were not written are not written back. */
static void only_dirty_sectors_are_written_back(void **state)
{
	static const struct {
		u32 lanes, fills, writes;
	} cases[] = {
		{ 8, 0, 1 }, { 16, 0, 2 }, { 32, 0, 4 },
		/* Part of a sector: it is fetched, as are all of the store's. */
		{ 4, 1, 1 }, { 12, 2, 2 },
	};
	u32 i;

	for (i = 0; i < ARRAY_SIZE(cases); i++) {
		struct gpu_config config = sector_config(4, 4);
		struct trace *trace = trace_evict(cases[i].lanes);
		struct gpu *gpu = run_alone(&config, trace);
		struct simgpu_counters c = counters_of(gpu, 0);

		assert_int_equal(c.dram_fills, 80000 + cases[i].fills);
		assert_int_equal(c.dram_writebacks, cases[i].writes);
		assert_int_equal(c.bus_busy_clocks,
				 c.dram_fills + (cases[i].writes + 1) / 2);
		free(gpu);
		trace_free(trace);
	}
}

/* Recorded lines name the sectors that they touch. */
static void recorded_sectors_are_fetched(void **state)
{
	static const u32 skips[] = { 0, 1, 7, 9, 14 };
	u32 i, line, sectors;

	for (i = 0; i < ARRAY_SIZE(skips); i++) {
		struct builder *b = builder_new("recorded", "test");
		struct simgpu_trace_pattern recorded = {
			.kind = SIMGPU_TRACE_RECORDED,
		};
		u32 pattern = builder_pattern(b, &recorded);
		struct gpu_config config = sector_config(4, 4);
		struct simgpu_trace_op op = {
			.kind = SIMGPU_TRACE_LOAD, .active_lanes = 32,
			.count = 3, .pattern = pattern,
		};
		struct simgpu_counters c;
		struct trace *trace;
		struct gpu *gpu;

		builder_kernel(b, "recorded", 1, 32, 32, 0);
		builder_op(b, &op);
		builder_warp(b, 0, 0);
		for (line = 0; line < 3; line++)
			builder_line(b, (line * 9 + 1) |
				     skips[i] << SIMGPU_TRACE_LINE_SKIP_SHIFT);
		trace = trace_of(b, REGION);
		gpu = run_alone(&config, trace);
		c = counters_of(gpu, 0);
		sectors = 3 * (4 - (u32)__builtin_popcount(skips[i]));
		assert_int_equal(c.l1_accesses, sectors);
		assert_int_equal(c.dram_fills, sectors);
		free(gpu);
		trace_free(trace);
	}
}

static u64 run_mixed(const struct gpu_config *config, u32 step)
{
	struct trace *traces[] = {
		trace_copy(24, 6, 12), trace_random(24, 9, 4, 1ULL << 26),
	};
	struct gpu *gpu = gpu_make(config);
	u64 hash;
	u32 i;

	own(gpu, 0, 4, 0);
	own(gpu, 4, 4, 1);
	for (i = 0; i < 2; i++)
		gpu_kernel_start(gpu, i, traces[i], 0);
	while (gpu_now(gpu) < RUN) {
		gpu_run(gpu, (gpu_now(gpu) / step + 1) * step);
		gpu_take_finished(gpu);
	}
	for (i = 0; i < 2; i++)
		assert_int_equal(counters_of(gpu, i).blocks_finished, 24);
	hash = gpu_state_hash(gpu);
	free(gpu);
	for (i = 0; i < 2; i++)
		trace_free(traces[i]);
	return hash;
}

/* Neither how far channels run ahead nor where gpu_run() pauses shows. */
static void batches_and_pauses_do_not_show(void **state)
{
	static const u32 sectors[][2] = { { 1, 4 }, { 4, 1 }, { 4, 4 } };
	u32 i;

	for (i = 0; i < ARRAY_SIZE(sectors); i++) {
		struct gpu_config config = sector_config(sectors[i][0],
							 sectors[i][1]);
		u64 hash = run_mixed(&config, RUN);

		config.channel_batch_clocks = 1;
		assert_int_equal(run_mixed(&config, RUN), hash);
		config.channel_batch_clocks = 7;
		assert_int_equal(run_mixed(&config, 100), hash);
	}
}

/* A tenant that is dropped in the middle leaves nothing that blocks the next. */
static void drop_leaves_nothing(u32 queue_flits)
{
	struct gpu_config config = sector_config(4, 4);
	struct trace *trace = trace_copy(300, 6, 12);
	struct gpu *gpu;
	u32 i, j;

	config.llc_mshrs = 8;
	config.noc_head_blocking = queue_flits != 0;
	config.slice_queue_flits = queue_flits;
	gpu = gpu_make(&config);
	for (i = 0; i < 30; i++) {
		own(gpu, 0, config.sms, 0);
		gpu_kernel_start(gpu, 0, trace, 0);
		gpu_run(gpu, gpu_now(gpu) + 200 + i * 37);
		gpu_tenant_drop(gpu, 0);
	}
	gpu_run(gpu, gpu_now(gpu) + 20000);
	for (i = 0; i < config.llc_slices; i++)
		assert_int_equal(gpu->slices[i].mshrs_used, 0);
	for (i = 0; i < config.llc_slices * config.llc_sets; i++) {
		assert_int_equal(gpu->llc[i].valid | gpu->llc[i].pending, 0);
		for (j = 0; j < config.llc_ways; j++)
			assert_int_equal(gpu->llc[i].tag[j], NO_LINE);
	}
	free(gpu);
	trace_free(trace);
}

static void a_drop_leaves_nothing(void **state)
{
	u32 flits;

	for (flits = 0; flits <= 240; flits += 8)
		drop_leaves_nothing(flits);
}

/*
 * Where entries are short the last sectors of lines fall behind, as many as their
 * bank's queue holds, beyond the entries; and all come in the end.
 */
static void the_last_bank_falls_behind(void **state)
{
	static const u32 entries[] = { 1, 5, 64, 512 };
	struct trace *trace = trace_stream(16, 48, 1);
	u32 i;

	for (i = 0; i < ARRAY_SIZE(entries); i++) {
		struct gpu_config config = sector_config(4, 4);
		u32 most = 0;
		struct gpu *gpu;

		config.sms = 2;
		config.l1_mshrs = entries[i];
		config.sm_stores = 1;
		gpu = gpu_make(&config);
		own(gpu, 0, 2, 0);
		gpu_kernel_start(gpu, 0, trace, 0);
		while (!gpu_take_finished(gpu)) {
			struct sm *sm = &gpu->sms[0];

			gpu_run(gpu, gpu_now(gpu) + 50);
			assert_true(sm->mshrs_used - sm->late_loads <=
				    (int)entries[i]);
			if (sm->late_count > most)
				most = sm->late_count;
		}
		assert_int_equal(most, SM_LATE_MAX);
		assert_int_equal(gpu->sms[0].late_count, 0);
		assert_int_equal(gpu->sms[0].late_loads, 0);
		assert_int_equal(gpu->sms[0].mshrs_used, 0);
		assert_int_equal(counters_of(gpu, 0).dram_fills,
				 16 * 8 * 48 * 4);
		free(gpu);
	}
	trace_free(trace);
}

/* --- stores that miss --------------------------------------------------------------- */

/* A warp that stores @written words of a line, then reads @read of them, or 0. */
static struct trace *trace_store_load(u32 written, u32 read)
{
	struct builder *b = builder_new("store and load", "test");
	u32 line = builder_affine(b, 0, REGION, 4, 0, 0, 0);

	builder_kernel(b, "store and load", 1, 32, 32, 0);
	builder_store(b, line, written);
	if (read)
		builder_load(b, line, read, 0);
	return trace_of(b, REGION);
}

/* What a store that misses fetches, writes and leaves for a read. */
static void stores_that_miss(void **state)
{
	static const struct {
		u32 sectors, allocate, written, read;
		u32 misses, fills, writes;
	} cases[] = {
		{ 1, GPU_ALLOCATE_FETCH, 32, 0, 1, 0, 0 },
		{ 1, GPU_ALLOCATE_FETCH, 32, 32, 1, 0, 0 },
		{ 1, GPU_ALLOCATE_FETCH, 16, 0, 1, 1, 0 },
		{ 1, GPU_ALLOCATE_FETCH, 16, 32, 1, 1, 0 },
		{ 1, GPU_ALLOCATE_LAZY, 32, 32, 1, 0, 0 },
		{ 1, GPU_ALLOCATE_LAZY, 16, 0, 1, 0, 0 },
		{ 1, GPU_ALLOCATE_LAZY, 16, 32, 2, 1, 0 },
		{ 1, GPU_ALLOCATE_NONE, 32, 0, 1, 0, 1 },
		{ 1, GPU_ALLOCATE_NONE, 16, 32, 2, 1, 1 },
		{ 1, GPU_ALLOCATE_ALWAYS, 32, 0, 1, 1, 0 },
		{ 1, GPU_ALLOCATE_ALWAYS, 16, 32, 1, 1, 0 },
		/* By sectors: one wholly written, one in part. */
		{ 4, GPU_ALLOCATE_FETCH, 8, 8, 1, 0, 0 },
		{ 4, GPU_ALLOCATE_FETCH, 4, 8, 1, 1, 0 },
		{ 4, GPU_ALLOCATE_LAZY, 8, 32, 4, 3, 0 },
		{ 4, GPU_ALLOCATE_LAZY, 4, 0, 1, 0, 0 },
		{ 4, GPU_ALLOCATE_LAZY, 4, 32, 5, 4, 0 },
		{ 4, GPU_ALLOCATE_NONE, 8, 8, 2, 1, 1 },
		{ 4, GPU_ALLOCATE_ALWAYS, 8, 8, 1, 1, 0 },
	};
	u32 i;

	for (i = 0; i < ARRAY_SIZE(cases); i++) {
		struct gpu_config config = sector_config(cases[i].sectors,
							 cases[i].sectors);
		struct trace *trace = trace_store_load(cases[i].written,
						       cases[i].read);
		struct simgpu_counters c;
		struct gpu *gpu;

		config.llc_write_allocate = cases[i].allocate;
		gpu = run_alone(&config, trace);
		c = counters_of(gpu, 0);
		if (c.llc_misses != cases[i].misses ||
		    c.dram_fills != cases[i].fills ||
		    c.dram_writebacks != cases[i].writes)
			fail_msg("case %u: %llu misses, %llu fills, %llu writes",
				 i, c.llc_misses, c.dram_fills,
				 c.dram_writebacks);
		free(gpu);
		trace_free(trace);
	}
}

/* An L1 that allocates has what was wholly written. */
static void stores_fill_a_lazy_l1(void **state)
{
	static const struct {
		u32 allocate, written, read, misses;
	} cases[] = {
		{ GPU_ALLOCATE_NONE, 8, 8, 1 },
		{ GPU_ALLOCATE_LAZY, 8, 8, 0 },
		{ GPU_ALLOCATE_LAZY, 32, 32, 0 },
		{ GPU_ALLOCATE_LAZY, 8, 32, 3 },
		{ GPU_ALLOCATE_LAZY, 4, 8, 1 },
	};
	u32 i;

	for (i = 0; i < ARRAY_SIZE(cases); i++) {
		struct gpu_config config = sector_config(4, 4);
		struct trace *trace = trace_store_load(cases[i].written,
						       cases[i].read);
		struct gpu *gpu;

		config.l1_write_allocate = cases[i].allocate;
		gpu = run_alone(&config, trace);
		assert_int_equal(counters_of(gpu, 0).l1_misses,
				 cases[i].misses);
		free(gpu);
		trace_free(trace);
	}
}

/* --- sectors that several stores fill ------------------------------------------------- */

/* A warp stores @parts quarters of each sector of a line, in turn, and reads the line. */
static struct trace *trace_fill(u32 parts)
{
	struct builder *b = builder_new("fill", "test");
	u32 whole = builder_affine(b, 0, REGION, 4, 0, 0, 0), part;

	builder_kernel(b, "fill", 1, 32, 32, 0);
	for (part = 0; part < parts; part++) {
		struct simgpu_trace_pattern eight = {
			.kind = SIMGPU_TRACE_AFFINE, .access_bytes = 8,
			.base = part * 8, .region_bytes = REGION - part * 8,
			.lane_stride = 32,
		};

		builder_store(b, builder_pattern(b, &eight), 4);
	}
	builder_compute(b, 3000, 32);
	builder_load(b, whole, 32, 0);
	return trace_of(b, 2 * REGION);
}

/* As in GPGPU-Sim, which has a mask of bytes: a read fetches what is not whole. */
static void stores_together_fill_a_sector(void **state)
{
	static const struct {
		u32 parts, ways, l1_misses, fills;
	} cases[] = {
		/* An L1 of few ways only knows sectors that one store fills. */
		{ 3, 4, 4, 4 }, { 4, 4, 4, 0 },
		{ 3, 32, 4, 4 }, { 4, 32, 0, 0 },
	};
	u32 i;

	for (i = 0; i < ARRAY_SIZE(cases); i++) {
		struct gpu_config config = sector_config(4, 4);
		struct trace *trace = trace_fill(cases[i].parts);
		struct gpu *gpu;

		config.l1_sets = 4;
		config.l1_ways = cases[i].ways;
		config.llc_write_allocate = GPU_ALLOCATE_LAZY;
		config.l1_write_allocate = GPU_ALLOCATE_LAZY;
		gpu = run_alone(&config, trace);
		assert_int_equal(counters_of(gpu, 0).l1_misses,
				 cases[i].l1_misses);
		assert_int_equal(counters_of(gpu, 0).dram_fills,
				 cases[i].fills);
		free(gpu);
		trace_free(trace);
	}
}

/* --- L1s of few sets of many ways ------------------------------------------------------- */

/* One warp reads @lines lines, each @stride lines behind the last, and all of them again. */
static struct trace *trace_again(u32 lines, u32 stride)
{
	struct builder *b = builder_new("again", "test");
	struct simgpu_trace_pattern rows = {
		.kind = SIMGPU_TRACE_AFFINE, .access_bytes = 4,
		.region_bytes = 64 * REGION,
		.loop_stride = { 0, (s64)stride * GPU_LINE_BYTES },
	};
	u32 row = builder_pattern(b, &rows);

	builder_kernel(b, "again", 1, 32, 32, 0);
	builder_loop(b, 2);
	builder_loop(b, lines);
	builder_load(b, row, 1, 0);
	builder_loop_end(b);
	builder_loop_end(b);
	return trace_of(b, 65 * REGION);
}

static u64 l1_misses_again(u32 lines, u32 stride)
{
	struct gpu_config config = sector_config(4, 4);
	struct trace *trace = trace_again(lines, stride);
	struct gpu *gpu;
	u64 misses;

	config.l1_sets = 4;
	config.l1_ways = 64;
	gpu = run_alone(&config, trace);
	misses = counters_of(gpu, 0).l1_misses;
	free(gpu);
	trace_free(trace);
	return misses;
}

/* A column of a matrix lies in one set; what fits there is found again. */
static void a_column_lies_in_one_set(void **state)
{
	assert_int_equal(l1_misses_again(64, 32), 64);
	assert_int_equal(l1_misses_again(65, 32), 130);
	assert_int_equal(l1_misses_again(256, 1), 256);
	assert_int_equal(l1_misses_again(257, 1), 257 + 65);
}

/* A miss keeps its way: so many lines of a set can be on their way, and no more. */
static void no_more_lines_come_than_a_set_has_ways(void **state)
{
	struct gpu_config config = sector_config(4, 4);
	struct builder *b = builder_new("column", "test");
	struct simgpu_trace_pattern rows = {
		.kind = SIMGPU_TRACE_AFFINE, .access_bytes = 4,
		.region_bytes = 64 * REGION, .lane_stride = 4096,
		.warp_stride = 32 * 4096,
	};
	u32 row = builder_pattern(b, &rows), most = 0, i;
	struct trace *trace;
	struct gpu *gpu;

	builder_kernel(b, "column", 1, 8 * 32, 32, 0);
	builder_load(b, row, 32, 0);
	trace = trace_of(b, 65 * REGION);
	config.l1_sets = 4;
	config.l1_ways = 64;
	gpu = gpu_make(&config);
	own(gpu, 0, config.sms, 0);
	gpu_kernel_start(gpu, 0, trace, 0);
	for (i = 1; i < 20000; i++) {
		gpu_run(gpu, i);
		most = max(most, (u32)gpu->sms[0].mshrs_used);
	}
	assert_int_equal(most, 64);
	assert_int_equal(counters_of(gpu, 0).l1_misses, 256);
	free(gpu);
	trace_free(trace);
}

/* --- schedulers at the load/store unit --------------------------------------------------- */

/* With loose round robin each of four schedulers gets the unit once, for a load of 32 lines. */
static void schedulers_take_turns_at_the_unit(void **state)
{
	struct gpu_config config = sector_config(4, 4);
	struct builder *b = builder_new("column", "test");
	struct simgpu_trace_pattern rows = {
		.kind = SIMGPU_TRACE_AFFINE, .access_bytes = 4,
		.region_bytes = 64 * REGION, .lane_stride = 4096,
		.warp_stride = 32 * 4096,
	};
	u32 row = builder_pattern(b, &rows), seen = 0, warps = 0, last = NONE, i;
	struct trace *trace;
	struct gpu *gpu;

	builder_kernel(b, "column", 1, 16 * 32, 32, 0);
	builder_load(b, row, 32, 0);
	trace = trace_of(b, 65 * REGION);
	config.schedulers_per_sm = 4;
	config.warp_policy = GPU_WARP_LRR;
	config.l1_mshrs = 512;
	gpu = gpu_make(&config);
	own(gpu, 0, config.sms, 0);
	gpu_kernel_start(gpu, 0, trace, 0);
	for (i = 1; warps < 4 && i < 2000; i++) {
		const struct lsu *lsu = &gpu->sms[0].lsu;

		gpu_run(gpu, i);
		if (!lsu->count || lsu->warp == last)
			continue;
		last = lsu->warp;
		seen |= 1U << last % 4;
		warps++;
	}
	assert_int_equal(warps, 4);
	assert_int_equal(seen, 15);
	free(gpu);
	trace_free(trace);
}

/* --- IPOLY ------------------------------------------------------------------------------ */

static u32 bits_of(u32 value, u32 mask)
{
	return hweight64(value & mask) & 1;
}

/* GPGPU-Sim's equations for 16 slices (hashing.cc), for the 13 bits above that it has. */
static u32 ipoly_of_16(u32 above, u32 index)
{
	return index ^ (bits_of(above, 0x0f59) | bits_of(above, 0x11eb) << 1 |
			bits_of(above, 0x03d6) << 2 |
			bits_of(above, 0x07ac) << 3);
}

static void ipoly_is_gpgpu_sims(void **state)
{
	struct gpu_config config = sector_config(4, 4);
	struct gpu *gpu;
	u32 i;

	config.channels = 8;
	config.llc_slices = 16;
	config.address_hash = GPU_HASH_IPOLY;
	gpu = gpu_make(&config);
	for (i = 0; i < 1 << 12; i++) {
		/* A pair of lines; above it the channel, then the bit that tells slices apart. */
		u32 channel = i & 7, low = i >> 3 & 1, above = i >> 4;

		assert_int_equal(address_slice(gpu, i * 2),
				 ipoly_of_16(above, channel << 1 | low));
	}
	free(gpu);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(stores_together_fill_a_sector),
		cmocka_unit_test(a_column_lies_in_one_set),
		cmocka_unit_test(no_more_lines_come_than_a_set_has_ways),
		cmocka_unit_test(schedulers_take_turns_at_the_unit),
		cmocka_unit_test(ipoly_is_gpgpu_sims),
		cmocka_unit_test(only_touched_sectors_are_fetched),
		cmocka_unit_test(only_dirty_sectors_are_written_back),
		cmocka_unit_test(recorded_sectors_are_fetched),
		cmocka_unit_test(batches_and_pauses_do_not_show),
		cmocka_unit_test(a_drop_leaves_nothing),
		cmocka_unit_test(the_last_bank_falls_behind),
		cmocka_unit_test(stores_that_miss),
		cmocka_unit_test(stores_fill_a_lazy_l1),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests_name("sectors", tests, NULL, NULL);
}
