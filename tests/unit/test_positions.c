// SPDX-License-Identifier: GPL-2.0
/*
 * Where a thread block is in its grid: what the validator takes for the bounds of a
 * program's thread blocks and warps, against all of those that run it one by one, in
 * grids of three dimensions, whole and sampled, with rows and without; and the lines
 * that the device touches for them.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "device.h"
#include "random.h"
#include "small.h"
#include "traces.h"

#define PROGRAMS	2
#define WARPS		2
#define LANES		32
#define SIDE_MOST	5
#define BLOCKS_MOST	(SIDE_MOST * SIDE_MOST * SIDE_MOST)
#define SHAPES		400

/*
 * struct shape - a kernel: which program each thread block's warps run
 * @sample_n: one of so many was recorded
 * @program: by recorded thread block and warp
 * @low, @high: least and greatest x, y, z and warp of each program
 */
struct shape {
	u32 grid[3];
	u32 sample_n;
	bool has_rows;
	u32 program[BLOCKS_MOST][WARPS];
	u32 low[PROGRAMS][4];
	u32 high[PROGRAMS][4];
	s64 stride[PROGRAMS][4];
	s64 base[PROGRAMS];
	s64 end[PROGRAMS];
};

static u32 blocks_in(const struct shape *shape)
{
	return shape->grid[0] * shape->grid[1] * shape->grid[2];
}

static u32 recorded_in(const struct shape *shape)
{
	return (blocks_in(shape) + shape->sample_n - 1) / shape->sample_n;
}

/* A program of a place that it may be in. */
static void note(struct shape *shape, u32 program, const u32 *at)
{
	u32 i;

	for (i = 0; i < 4; i++) {
		if (at[i] < shape->low[program][i])
			shape->low[program][i] = at[i];
		if (at[i] > shape->high[program][i])
			shape->high[program][i] = at[i];
	}
}

/*
 * Each program's box, by all thread blocks and warps. A row's runs bound x, and the
 * rows that share them y and z, so thread blocks of a row are counted one by one, too.
 */
static void note_all(struct shape *shape)
{
	u32 block, warp;

	memset(shape->low, 0xff, sizeof(shape->low));
	memset(shape->high, 0, sizeof(shape->high));
	for (block = 0; block < blocks_in(shape); block++)
		for (warp = 0; warp < WARPS; warp++) {
			u32 at[4] = {
				block % shape->grid[0],
				block / shape->grid[0] % shape->grid[1],
				block / shape->grid[0] / shape->grid[1], warp,
			};

			note(shape, shape->program[block / shape->sample_n][warp], at);
		}
}

/* From the least address, which is 0, to the end of the greatest. */
static void bound_addresses(struct shape *shape)
{
	u32 program, i;

	for (program = 0; program < PROGRAMS; program++) {
		s64 low = 0, high = 0;

		for (i = 0; i < 4; i++) {
			s64 stride = (s64)random_below(2000) - 1000, a, b;

			stride *= 4;
			shape->stride[program][i] = stride;
			a = stride * shape->low[program][i];
			b = stride * shape->high[program][i];
			low += a < b ? a : b;
			high += a < b ? b : a;
		}
		shape->base[program] = -low;
		shape->end[program] = high - low + 4 * LANES;
	}
}

static struct shape random_shape(void)
{
	struct shape shape = { .sample_n = 1 };
	u32 i, warp;

	for (i = 0; i < 3; i++)
		shape.grid[i] = 1 + random_below(SIDE_MOST);
	if (random_below(2))
		shape.sample_n = 1 + random_below(7);
	shape.has_rows = random_below(2);
	/* Mostly in stretches, so that not all boxes are the grid. */
	for (i = 0; i < BLOCKS_MOST; i++)
		for (warp = 0; warp < WARPS; warp++)
			shape.program[i][warp] = !i || !random_below(8)
					       ? random_below(PROGRAMS)
					       : shape.program[i - 1][warp];
	/* Both run, or one would be bounded by nothing. */
	shape.program[0][0] = 0;
	shape.program[0][1] = 1;
	note_all(&shape);
	bound_addresses(&shape);
	return shape;
}

/* The warp table: an entry a recorded thread block; with rows, a run for each. */
static void add_table(struct builder *b, const struct shape *shape)
{
	u32 length = shape->sample_n == 1 ? shape->grid[0] : recorded_in(shape);
	u32 i, warp;

	for (i = 0; i < recorded_in(shape); i++)
		for (warp = 0; warp < WARPS; warp++)
			builder_warp(b, shape->program[i][warp], 0);
	for (i = 0; shape->has_rows && i < recorded_in(shape); i++) {
		if (i % length == 0)
			builder_row(b, i / length + 1);
		builder_run(b, i % length + 1, i);
	}
}

/*
 * What the validator says of the shape, where one program's base and region's end are
 * moved by so much.
 */
static int checked(const struct shape *shape, u32 moved, s64 base, s64 end)
{
	struct builder *b = builder_new("positions", "test");
	struct trace_error error = {};
	u32 program, i;
	u64 memory_bytes;
	size_t bytes;
	void *trace;
	int ret;

	builder_kernel(b, "positions", blocks_in(shape), WARPS * 32, 32, 0);
	builder_grid(b, shape->grid[0], shape->grid[1], shape->grid[2]);
	builder_sample(b, shape->sample_n);
	for (program = 0; program < PROGRAMS; program++) {
		struct simgpu_trace_pattern pattern = {
			.kind = SIMGPU_TRACE_AFFINE, .access_bytes = 4,
			.lane_stride = 4,
			.base = shape->base[program] + (program == moved) * base,
			.warp_stride = shape->stride[program][3],
		};

		pattern.region_bytes = shape->end[program] +
				       (program == moved) * end - pattern.base;
		for (i = 0; i < 3; i++)
			pattern.block_stride[i] = shape->stride[program][i];
		if (program)
			builder_program(b);
		builder_load(b, builder_pattern(b, &pattern), LANES,
			     SIMGPU_TRACE_NEVER);
	}
	add_table(b, shape);
	trace = builder_finish(b, 1 << 20, &bytes);
	assert_non_null(trace);
	ret = trace_check(trace, bytes, &memory_bytes, &error);
	if (ret)
		assert_string_equal(error.reason, "leaves its region");
	free(trace);
	builder_free(b);
	return ret;
}

static void bounds_are_those_of_all_blocks(void **state)
{
	u32 i, program;

	random_state = 21;
	for (i = 0; i < SHAPES; i++) {
		struct shape shape = random_shape();

		assert_int_equal(checked(&shape, 0, 0, 0), 0);
		for (program = 0; program < PROGRAMS; program++) {
			assert_int_not_equal(checked(&shape, program, 0, -1), 0);
			assert_int_not_equal(checked(&shape, program, -4, 0), 0);
		}
	}
}

/* --- the device ------------------------------------------------------------------------ */

/* One line for each place, if every dimension has its own stride. */
static void blocks_touch_the_lines_of_their_place(void **state)
{
	static const u32 grid[] = { 3, 4, 5 };
	const u32 places = 3 * 4 * 5 * WARPS;
	struct simgpu_trace_pattern pattern = {
		.kind = SIMGPU_TRACE_AFFINE, .access_bytes = 4, .lane_stride = 4,
		.warp_stride = 128, .block_stride = { 2 * 128, 6 * 128, 24 * 128 },
		.region_bytes = places * 128,
	};
	struct gpu_config config = small_config();
	struct simgpu_counters counters;
	struct trace *trace;
	struct builder *b = builder_new("places", "test");
	struct gpu *gpu;

	builder_kernel(b, "places", 3 * 4 * 5, WARPS * 32, 32, 0);
	builder_grid(b, grid[0], grid[1], grid[2]);
	builder_load(b, builder_pattern(b, &pattern), LANES, SIMGPU_TRACE_NEVER);
	trace = trace_of(b, places * 128);
	gpu = run_alone(&config, trace);
	counters = counters_of(gpu, 0);
	/* Two of a place would meet in a cache. */
	assert_int_equal(counters.l1_accesses, places);
	assert_int_equal(counters.llc_misses, places);
	free(gpu);
	trace_free(trace);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(bounds_are_those_of_all_blocks),
		cmocka_unit_test(blocks_touch_the_lines_of_their_place),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
