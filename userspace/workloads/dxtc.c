// SPDX-License-Identifier: GPL-2.0
/*
 * DXTC. CUDA SDK, dxtc.cu, compress: a thread block of 64 compresses a tile of
 * 4 x 4 pixels. 16 of its threads load and sort the colors along their main
 * axis; all try 16 of the 992 ways to assign them; the best is found by
 * reduction and written by one thread. The table of the ways is read by all.
 */
#include "benchmarks.h"

#define THREADS		64
/* Thread blocks of an image of 640 x 480; two launches have the paper's instructions. */
#define BLOCKS		19200
#define LAUNCHES	4
#define TILE_BYTES	(16LL * FLOAT)
#define RESULT_BYTES	8LL
#define WAYS		1024

#define IMAGE		0ULL
#define RESULTS		(IMAGE + BLOCKS * TILE_BYTES)
#define TABLE		(RESULTS + BLOCKS * RESULT_BYTES)
#define END		(TABLE + WAYS * FLOAT)

/* Instructions: the axis by power iteration; sorting; one way's error */
#define AXIS		220
#define SORT		60
#define WAY		400
/*
 * 16 colors of three floats, which lie across the banks; of each the factors and
 * its part of six sums
 */
#define COLOR_READS	48
#define COLOR		"M*3 M*3 M*3 I2 I2 I2 I1 I1 F5 F6 F6 F6 F6 F6 F6 F6 F6 " \
			"F6 F6 F6 F6 F6 F6 F6 F6 F6 F6 F6"
/* The divisions of three components each by two determinants */
#define DIVISIONS	6
#define DIVISION	"S*2"
#define REDUCTION	6

static void load_colors(struct builder *b)
{
	__u32 colors = ACCESS(b, .base = IMAGE, .access_bytes = FLOAT,
			      .block_stride = { TILE_BYTES },
			      .lane_stride = FLOAT);

	builder_load(b, colors, 16, 0);
	burst(b, SHARED, 4, 16);
	builder_barrier(b);
	burst(b, "F3", AXIS, 16);
	builder_loop(b, 15);
	burst(b, SHARED, 2, 16);
	builder_barrier(b);
	builder_loop_end(b);
	burst(b, INDEXING, SORT, 16);
	builder_barrier(b);
}

static void try_ways(struct builder *b)
{
	__u32 table = ACCESS(b, .base = TABLE, SIDE_BY_SIDE(FLOAT),
			     .loop_stride = { THREADS * FLOAT });

	builder_loop(b, 16);
	builder_load(b, table, WARP, 4);
	burst(b, COLOR, COLOR_READS + WAY, WARP);
	burst(b, DIVISION, DIVISIONS, WARP);
	builder_loop_end(b);
}

static void find_best(struct builder *b)
{
	builder_loop(b, REDUCTION);
	burst(b, SHARED, 4, 16);
	burst(b, "F I1", 6, 16);
	builder_barrier(b);
	builder_loop_end(b);
}

void build_dxtc(struct builder *b)
{
	__u32 result;

	builder_footprint(b, END);
	result = ACCESS(b, .base = RESULTS, .access_bytes = RESULT_BYTES,
			.block_stride = { RESULT_BYTES });
	builder_kernel(b, "compress", BLOCKS, THREADS, 40, 2048);
	load_colors(b);
	try_ways(b);
	find_best(b);
	builder_store(b, result, 1);
	builder_again(b, 1, LAUNCHES - 1);
}
