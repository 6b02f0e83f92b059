// SPDX-License-Identifier: GPL-2.0
/*
 * Saturating Histogram (HISTO). Parboil, histo/src/cuda. Four kernels an iteration:
 * prescan finds from an eighth of the image where most of it lies; intermediates
 * turns each value into its bin's place; main counts those of a range of 24 K bins
 * in bytes of shared memory, and the others with atomics in memory; final adds up
 * what the blocks have counted.
 */
#include "benchmarks.h"

/* Parboil's image is 996 x 1040; a row is a block of at most 1024 threads, halved. */
#define WIDTH		2048
#define HEIGHT		32768
#define PIXELS		((__u64)WIDTH * HEIGHT)
#define IMAGE_BYTES	(PIXELS * FLOAT)
#define UNROLL		16
#define ITERATIONS	4

/* A histogram of 4096 x 256 bins, of which two ranges are in shared memory */
#define BINS		(1U << 20)
#define RANGE_BINS	(24 * 1024)
#define RANGES		2
/* For its 15 SMs Parboil takes 14 blocks a range. */
#define PARTS		80
#define MAIN_THREADS	768
#define MAIN_TRIPS	((__u32)(PIXELS / PARTS / MAIN_THREADS / 4 * 4))

#define PRESCAN_BLOCKS	64
#define PRESCAN_THREADS	512

#define IMAGE		0ULL
#define PLACES		(IMAGE + IMAGE_BYTES)
#define PART_COUNTS	(PLACES + IMAGE_BYTES)
#define COUNTS		(PART_COUNTS + (__u64)PARTS * BINS)
#define OVERFLOWS	(COUNTS + BINS * 2)
#define RESULT		(OVERFLOWS + BINS * FLOAT)
#define END		(RESULT + BINS)

/* Instructions of a value: reading it twice; its place; whose it is, counting */
#define AVERAGE		7
#define DEVIATION	7
#define PLACE		17
#define COUNT		22
/* Half of the values are of the block's range; they meet in bins. */
#define COUNT_LANES	16
#define COUNT_SHARED	"M1*4"
/* A value's sum waits for that of the value before; its place is a chain. */
#define SUM_MIX		"I2 I2 F1 I2 I2 I1 C1"
#define PLACE_MIX	"I1 I1 I2"
/* One value of 128 is of no range. */
#define OUTSIDE_EVERY	4

static void prescan(struct builder *b)
{
	__u64 part = IMAGE_BYTES / PRESCAN_BLOCKS;
	__u32 values = ACCESS(b, .base = IMAGE, SIDE_BY_SIDE(FLOAT),
			      .block_stride = { (__s64)part },
			      .loop_stride = { PRESCAN_THREADS * FLOAT });
	__u32 trips = (__u32)(part / 8 / PRESCAN_THREADS / FLOAT), pass;

	builder_kernel(b, "histo_prescan_kernel", PRESCAN_BLOCKS,
		       PRESCAN_THREADS, 18, 2 * PRESCAN_THREADS * FLOAT);
	burst(b, INDEXING, 24, WARP);
	for (pass = 0; pass < 2; pass++) {
		builder_loop(b, trips);
		builder_load(b, values, WARP, 0);
		burst(b, SUM_MIX, pass ? DEVIATION : AVERAGE, WARP);
		builder_loop_end(b);
		burst(b, SHARED, 1, WARP);
	}
	add_up_block(b, PRESCAN_THREADS, 2);
	for (pass = 0; pass < 2; pass++)
		builder_atomic(b, ACCESS(b, .base = RESULT,
					 .access_bytes = FLOAT), 1, 1);
}

static void intermediates(struct builder *b)
{
	__u32 threads = WIDTH / 2, i;
	struct simgpu_trace_pattern row = {
		SIDE_BY_SIDE(FLOAT), .base = IMAGE,
		.block_stride = { UNROLL * WIDTH * FLOAT },
		.loop_stride = { WIDTH * FLOAT },
	};
	struct simgpu_trace_pattern values = row;

	values.access_bytes = values.lane_stride = 2 * FLOAT;
	values.warp_stride = WARP * 2 * FLOAT;
	builder_kernel(b, "histo_intermediates_kernel", HEIGHT / UNROLL,
		       threads, 16, 0);
	burst(b, INDEXING, 20, WARP);
	builder_loop(b, UNROLL);
	builder_load(b, builder_access(b, &values), WARP, 0);
	for (i = 0; i < 2; i++) {
		row.base = PLACES + i * threads * FLOAT;
		burst(b, PLACE_MIX, PLACE, WARP);
		builder_store(b, builder_access(b, &row), WARP);
	}
	builder_loop_end(b);
}

static void count_place(struct builder *b)
{
	__u32 place = ACCESS(b, .base = PLACES, SIDE_BY_SIDE(FLOAT),
			     .block_stride = { MAIN_THREADS * FLOAT },
			     .loop_stride = {
				OUTSIDE_EVERY * PARTS * MAIN_THREADS * FLOAT,
				PARTS * MAIN_THREADS * FLOAT });

	builder_load(b, place, WARP, 0);
	burst(b, PLACE_MIX, COUNT, WARP);
	burst(b, COUNT_SHARED, 1, COUNT_LANES);
}

static void count_outside(struct builder *b)
{
	__u32 i;

	burst(b, "I1", 10, 1);
	for (i = 0; i < 2; i++) {
		__u32 bin = anywhere(b, COUNTS, BINS * 2, 1, FLOAT, 1);

		if (i)
			builder_atomic(b, bin, 1, 0);
		else
			builder_load(b, bin, 1, 0);
	}
}

static void count(struct builder *b)
{
	__u32 part = ACCESS(b, .base = PART_COUNTS, SIDE_BY_SIDE(FLOAT),
			    .block_stride = { BINS, RANGE_BINS },
			    .loop_stride = { MAIN_THREADS * FLOAT });
	__u32 words = RANGE_BINS / 4 / MAIN_THREADS;

	builder_kernel(b, "histo_main_kernel", PARTS, MAIN_THREADS, 20,
		       RANGE_BINS);
	builder_grid(b, PARTS, RANGES, 1);
	burst(b, INDEXING, 20, WARP);
	burst(b, SHARED, words, WARP);
	builder_barrier(b);
	builder_loop(b, MAIN_TRIPS / OUTSIDE_EVERY);
	builder_loop(b, OUTSIDE_EVERY);
	count_place(b);
	builder_loop_end(b);
	count_outside(b);
	builder_loop_end(b);
	builder_barrier(b);
	builder_loop(b, words);
	burst(b, SHARED, 1, WARP);
	burst(b, INDEXING, 8, WARP);
	builder_store(b, part, WARP);
	builder_loop_end(b);
}

/* Bins of no range: a count to a byte, and a zero in its place; four a thread */
static void finish_outside(struct builder *b)
{
	__u32 threads = 512;

	builder_kernel(b, "histo_final_kernel", BINS / 4 / threads, threads, 20,
		       0);
	burst(b, INDEXING, 21, WARP);
	load_own(b, COUNTS, threads, 8, 0);
	store_own(b, COUNTS, threads, 8);
	burst(b, INDEXING, 19, WARP);
	store_own(b, RESULT, threads, FLOAT);
}

/* Bins of the ranges: the sum of all blocks' counts */
static void finish_ranges(struct builder *b)
{
	__u32 threads = 512;
	__u32 part = ACCESS(b, .base = PART_COUNTS, SIDE_BY_SIDE(FLOAT),
			    .block_stride = { threads * FLOAT },
			    .loop_stride = { BINS });

	builder_kernel(b, "histo_final_kernel", RANGES * RANGE_BINS / 4 / threads,
		       threads, 20, 0);
	burst(b, INDEXING, 30, WARP);
	load_own(b, OVERFLOWS, threads, 16, 0);
	store_own(b, OVERFLOWS, threads, 16);
	builder_loop(b, PARTS);
	builder_load(b, part, WARP, 0);
	burst(b, INDEXING, 13, WARP);
	builder_loop_end(b);
	burst(b, INDEXING, 10, WARP);
	store_own(b, RESULT, threads, FLOAT);
}

void build_histo(struct builder *b)
{
	builder_footprint(b, END);
	prescan(b);
	intermediates(b);
	count(b);
	finish_outside(b);
	finish_ranges(b);
	builder_again(b, 5, ITERATIONS - 1);
}
