// SPDX-License-Identifier: GPL-2.0
/*
 * MRI Gridding (MRI-GRIDDING). Parboil, mri-gridding/src/cuda/GPU_kernels.cu and
 * sort.cu: samples anywhere in a space are spread over a regular grid. They are
 * binned by the cell that they lie in, sorted by radix, four bits a pass, and
 * reordered; then a block of 64 threads makes 8 x 4 x 8 points of the grid, four a
 * thread, from all samples in the rows of cells around it.
 */
#include "benchmarks.h"

/* Parboil's smaller input: 2,655,910 samples for 128 x 128 x 128; four times that */
#define SIZE_X		256
#define SIZE_Y		256
#define SIZE_Z		128
#define CELLS		((__u64)SIZE_X * SIZE_Y * SIZE_Z)
#define THREADS		512
#define BLOCKS		20736
#define SAMPLES		((__u64)BLOCKS * THREADS)

/* Six floats: place, value, weight; sorted, value and place have arrays. */
#define SAMPLE_BYTES	24
#define VALUE_BYTES	8
#define PLACE_BYTES	16

#define SAMPLE		0ULL
#define BIN_COUNTS	(SAMPLE + SAMPLES * SAMPLE_BYTES)
/* Two buffers of keys and values */
#define KEYS		(BIN_COUNTS + (CELLS + 1) * FLOAT + 124)
#define BUFFER_BYTES	(2 * SAMPLES * FLOAT)
#define DIGITS		(KEYS + 2 * BUFFER_BYTES)
#define SORT_THREADS	256
#define SORT_KEYS	(4 * SORT_THREADS)
#define SORT_BLOCKS	((__u32)(SAMPLES / SORT_KEYS))
#define DIGITS_BYTES	((__u64)SORT_BLOCKS * 16 * FLOAT)
#define SORTED_VALUES	(DIGITS + DIGITS_BYTES)
#define SORTED_PLACES	(SORTED_VALUES + SAMPLES * VALUE_BYTES)
#define GRID		(SORTED_PLACES + SAMPLES * PLACE_BYTES)
#define DENSITY		(GRID + CELLS * 8)
#define END		(DENSITY + CELLS * FLOAT)

/* 2^23 cells and one for what does not fit */
#define PASSES		6
/* Samples come along trajectories: a warp's lie in so many lines of the grid. */
#define CELL_LINES	8
/* x, y and z: a product each, an integer, and then one index of them */
#define CELL_MIX	"F F F S3 S3 S3 I1 I1"
/* A digit's keys of a block are side by side in the result. */
#define DIGIT_LINES	2

static void bin_samples(struct builder *b)
{
	__u32 field;

	builder_kernel(b, "binning_kernel", BLOCKS, THREADS, 16, 0);
	burst(b, INDEXING, 14, WARP);
	for (field = 0; field < 3; field++)
		builder_load(b, own_element(b, SAMPLE + field * FLOAT, THREADS,
					    FLOAT, SAMPLE_BYTES), WARP,
			     2 - field);
	burst(b, CELL_MIX, 14, WARP);
	builder_load(b, anywhere(b, BIN_COUNTS, CELLS * FLOAT, CELL_LINES,
				 FLOAT, 1), WARP, 0);
	burst(b, "I1", 3, WARP);
	builder_atomic(b, anywhere(b, BIN_COUNTS, CELLS * FLOAT, CELL_LINES,
				   FLOAT, 1), WARP, 0);
	burst(b, "I1", 4, WARP);
	store_own(b, KEYS, THREADS, FLOAT);
	store_own(b, KEYS + SAMPLES * FLOAT, THREADS, FLOAT);
}

/* One bit: flags, their scan over 1024 in shared memory, new places */
static void split_by_bit(struct builder *b)
{
	burst(b, SHARED, 4, WARP);
	burst(b, INDEXING, 20, WARP);
	add_up_block(b, SORT_KEYS, 1);
	add_up_block(b, SORT_KEYS, 2);
	burst(b, "M*2", 5, WARP);
	burst(b, INDEXING, 30, WARP);
	builder_barrier(b);
}

static void sort_blocks(struct builder *b, __u64 buffer)
{
	__u32 array, i;

	builder_kernel(b, "splitSort", SORT_BLOCKS, SORT_THREADS, 24,
		       (SORT_KEYS + SORT_KEYS / 16 + 64) * FLOAT);
	burst(b, INDEXING, 16, WARP);
	for (array = 0; array < 2; array++)
		load_own(b, buffer + array * SAMPLES * FLOAT, SORT_THREADS, 16,
			 1 - array);
	builder_barrier(b);
	burst(b, "M*6", 4, WARP);
	burst(b, INDEXING, 16, WARP);
	builder_loop(b, 4);
	split_by_bit(b);
	builder_loop_end(b);
	for (array = 0; array < 2; array++)
		for (i = 0; i < 4; i++)
			builder_store(b, own_element(b, buffer +
				array * SAMPLES * FLOAT + i * WARP * FLOAT,
				SORT_THREADS, FLOAT, 16), WARP / 4);
	builder_store(b, ACCESS(b, .base = DIGITS, .access_bytes = FLOAT,
				.block_stride = { FLOAT },
				.warp_stride = 2 * SORT_BLOCKS * FLOAT,
				.lane_stride = SORT_BLOCKS * FLOAT), 2);
}

/* The digits' counts become the places where each block's keys go. */
static void scan_digits(struct builder *b)
{
	__u32 threads = 512;
	__u32 blocks = (__u32)(DIGITS_BYTES / FLOAT / (2 * threads));
	__u32 i;

	builder_kernel(b, "scan_L1_kernel", blocks, threads, 12,
		       2 * threads * FLOAT);
	burst(b, INDEXING, 12, WARP);
	for (i = 0; i < 2; i++)
		load_own(b, DIGITS + i * DIGITS_BYTES / 2 / 128 * 128, threads,
			 FLOAT, 1 - i);
	burst(b, SHARED, 2, WARP);
	add_up_block(b, 2 * threads, 1);
	add_up_block(b, 2 * threads, 2);
	for (i = 0; i < 2; i++)
		store_own(b, DIGITS + i * DIGITS_BYTES / 2 / 128 * 128, threads,
			  FLOAT);
}

static void rearrange(struct builder *b, __u64 from, __u64 to)
{
	__u32 array, i;

	builder_kernel(b, "splitRearrange", SORT_BLOCKS, SORT_THREADS, 20, 192);
	burst(b, INDEXING, 16, WARP);
	builder_load(b, ACCESS(b, .base = DIGITS, .access_bytes = FLOAT,
			       .block_stride = { FLOAT },
			       .warp_stride = 2 * SORT_BLOCKS * FLOAT,
			       .lane_stride = SORT_BLOCKS * FLOAT), 2, 2);
	for (array = 0; array < 2; array++)
		load_own(b, from + array * SAMPLES * FLOAT, SORT_THREADS, 16,
			 1 - array);
	builder_barrier(b);
	burst(b, "M*2", 12, WARP);
	burst(b, INDEXING, 24, WARP);
	for (array = 0; array < 2; array++)
		for (i = 0; i < 4; i++)
			builder_store(b, anywhere(b, to +
				array * SAMPLES * FLOAT, SAMPLES * FLOAT,
				DIGIT_LINES, 64, array * 4 + i), WARP);
}

/* The sorted samples' old places: a line each, and now and then the next */
static void reorder_samples(struct builder *b)
{
	builder_kernel(b, "reorder_kernel", BLOCKS, THREADS, 16, 0);
	burst(b, INDEXING, 10, WARP);
	load_own(b, KEYS + SAMPLES * FLOAT, THREADS, FLOAT, 0);
	burst(b, "I1", 3, WARP);
	builder_load(b, anywhere(b, SAMPLE, SAMPLES * SAMPLE_BYTES, WARP,
				 SAMPLE_BYTES, 3), WARP, 0);
	/* The other five fields are in the L1 by then. */
	burst(b, INDEXING, 5 + 8, WARP);
	store_own(b, SORTED_VALUES, THREADS, VALUE_BYTES);
	store_own(b, SORTED_PLACES, THREADS, PLACE_BYTES);
}

/* The cutoff is 2.37 cells: 13 x 9 rows of 13 cells around 8 x 4 x 8 points. */
#define ROWS_Z		13
#define ROWS_Y		9
#define ROW_SAMPLES	16
/* For each sample and warp: distances from four points; 18% of these come near one. */
#define DISTANCES	28
#define NEAR		24
#define NEAR_LANES	7
/* Four points' distances side by side */
#define DISTANCES_MIX	FOUR_CHAINS

/* Sorted samples of a row of cells, one a cell */
static __u32 row(struct builder *b, __u64 array, __s64 bytes, __s64 lane_bytes)
{
	return ACCESS(b, .base = array, .access_bytes = (__u32)bytes,
		      .block_stride = { 8 * bytes, 4 * SIZE_X * bytes,
					7LL * SIZE_X * SIZE_Y * bytes },
		      .warp_stride = 0, .lane_stride = lane_bytes,
		      .loop_stride = { SIZE_X * SIZE_Y * bytes,
				       SIZE_X * bytes });
}

static void spread_row(struct builder *b)
{
	burst(b, INDEXING, 12, WARP);
	builder_load(b, row(b, BIN_COUNTS, FLOAT, 0), WARP, 1);
	builder_load(b, row(b, BIN_COUNTS + 13 * FLOAT, FLOAT, 0), WARP, 0);
	burst(b, INDEXING, 12, WARP);
	builder_barrier(b);
	builder_load(b, row(b, SORTED_VALUES, VALUE_BYTES, VALUE_BYTES),
		     ROW_SAMPLES / 2, 1);
	builder_load(b, row(b, SORTED_PLACES, PLACE_BYTES, PLACE_BYTES),
		     ROW_SAMPLES / 2, 0);
	burst(b, SHARED, 6, ROW_SAMPLES / 2);
	builder_barrier(b);
	builder_loop(b, ROW_SAMPLES);
	burst(b, SHARED, 6, WARP);
	burst(b, DISTANCES_MIX, DISTANCES, WARP);
	burst(b, TWO_CHAINS, NEAR, NEAR_LANES);
	burst(b, "S1", 1, NEAR_LANES);
	builder_loop_end(b);
}

/* A warp's four points in z, of 4 rows of 8 points each */
static void store_points(struct builder *b, __u64 array, __s64 bytes)
{
	__s64 plane_bytes = SIZE_X * SIZE_Y * bytes;
	__u32 points = ACCESS(b, .base = array, .access_bytes = (__u32)bytes,
			      .block_stride = { 8 * bytes, 4 * SIZE_X * bytes,
						8 * plane_bytes },
			      .warp_stride = plane_bytes, .lane_stride = bytes,
			      .loop_stride = { 2 * plane_bytes,
					       SIZE_X * bytes });

	builder_loop(b, 4);
	builder_loop(b, 4);
	builder_store(b, points, 8);
	builder_loop_end(b);
	builder_loop_end(b);
}

static void grid_samples(struct builder *b)
{
	builder_kernel(b, "gridding_GPU", SIZE_X / 8, 64, 40, 64 * 6 * FLOAT);
	builder_grid(b, SIZE_X / 8, SIZE_Y / 4 - 4, SIZE_Z / 8);
	builder_block(b, 8, 4, 2);
	burst(b, INDEXING, 120, WARP);
	builder_loop(b, ROWS_Z);
	builder_loop(b, ROWS_Y);
	spread_row(b);
	builder_loop_end(b);
	builder_loop_end(b);
	burst(b, TWO_CHAINS, 34, WARP);
	store_points(b, GRID, 8);
	store_points(b, DENSITY, FLOAT);
}

void build_mri_gridding(struct builder *b)
{
	__u32 odd;

	builder_footprint(b, END);
	bin_samples(b);
	for (odd = 0; odd < 2; odd++) {
		__u64 from = KEYS + odd * BUFFER_BYTES;

		sort_blocks(b, from);
		scan_digits(b);
		rearrange(b, from, KEYS + !odd * BUFFER_BYTES);
	}
	builder_again(b, 6, PASSES / 2 - 1);
	reorder_samples(b);
	grid_samples(b);
}
