// SPDX-License-Identifier: GPL-2.0
/*
 * Sum of Absolute Differences (SAD). Parboil, sad/src/cuda/sad4.cu and
 * largerBlocks.cu: motion search of an H.264 encoder. mb_sad_calc: a block has 4 x
 * 4 pixels of a frame and compares them with the reference frame, a texture, at
 * 33 x 33 positions, 18 a thread. larger_sad_calc_8 and _16 add up the results of
 * neighbors for all larger blocks of pixels, two positions in a word.
 */
#include "benchmarks.h"

/* Parboil's larger frame has 120 x 67 macroblocks of 16 x 16 pixels. */
#define MACRO_X		160
#define MACRO_Y		100
#define MACROS		((__u64)MACRO_X * MACRO_Y)
#define BLOCKS_X	(4 * MACRO_X)
#define BLOCKS_Y	(4 * MACRO_Y)

#define PIXEL		2
#define PITCH		((__s64)BLOCKS_X * 4 * PIXEL)
#define FRAME_BYTES	((__u64)PITCH * BLOCKS_Y * 4)
/* The search's margin around the reference */
#define MARGIN_BYTES	(64ULL << 10)

/* 1089 positions, padded to 1096, of 2 bytes */
#define SUMS_BYTES	2192LL
#define POSITION_PAIRS	545

/* Sums of a macroblock, by the size of blocks: 16, 8, 8 and 4, 2, 2 and 1 */
#define SUMS_4X4	(2 * (FRAME_BYTES + MARGIN_BYTES))
#define SUMS_8		(SUMS_4X4 + 16 * MACROS * SUMS_BYTES)
#define SUMS_8X8	(SUMS_8 + 16 * MACROS * SUMS_BYTES)
#define SUMS_16		(SUMS_8X8 + 4 * MACROS * SUMS_BYTES)
#define END		(SUMS_16 + 5 * MACROS * SUMS_BYTES + 4096)

#define THREADS		61
/* 61 threads are a warp of 32 and one of 29. */
#define LANES		30
#define TRIPLETS	6
/* Three positions: in each of four rows six pixels, twelve differences */
#define ROW_PIXELS	6
#define DIFFERENCES	12
#define POSITIONS	12
/* Three differences, each taken to its sum */
#define DIFFERENCE_MIX	"I3 I3 I3"

/* Texture in tiles: a warp's window lies together, 18 positions a lane. */
static __u32 reference(struct builder *b, __u32 pixel)
{
	return ACCESS(b, .base = FRAME_BYTES + pixel * PIXEL,
		      .access_bytes = PIXEL,
		      .block_stride = { 16 * PIXEL, 4 * PITCH },
		      .warp_stride = WARP * 18 * PIXEL,
		      .lane_stride = 18 * PIXEL,
		      .loop_stride = { 3 * PIXEL, 64 });
}

static void compare_positions(struct builder *b)
{
	__u32 pixel;

	burst(b, INDEXING, POSITIONS, LANES);
	builder_loop(b, 4);
	for (pixel = 0; pixel < ROW_PIXELS; pixel++)
		builder_load(b, reference(b, pixel), LANES,
			     ROW_PIXELS - 1 - pixel);
	burst(b, SHARED, DIFFERENCES, LANES);
	burst(b, DIFFERENCE_MIX, 3 * DIFFERENCES + 3, LANES);
	builder_loop_end(b);
	burst(b, "M*2", 3, LANES);
}

/* The block's 2192 bytes, 8 a lane: half of them by either warp */
static void store_sums(struct builder *b)
{
	struct simgpu_trace_pattern sums = {
		.base = SUMS_4X4, .access_bytes = 8,
		.block_stride = { SUMS_BYTES, BLOCKS_X * SUMS_BYTES },
		.warp_stride = SUMS_BYTES / 2, .lane_stride = 8,
		.loop_stride = { WARP * 8 },
	};

	builder_loop(b, 4);
	burst(b, "M*2", 1, WARP);
	burst(b, INDEXING, 3, WARP);
	builder_store(b, builder_access(b, &sums), 32);
	builder_loop_end(b);
	sums.base += 4 * WARP * 8;
	sums.loop_stride[0] = 0;
	burst(b, SHARED, 1, 9);
	builder_store(b, builder_access(b, &sums), 9);
}

static void search(struct builder *b)
{
	__u32 pixels;

	builder_kernel(b, "mb_sad_calc", BLOCKS_X, THREADS, 32,
		       SUMS_BYTES + 32);
	builder_grid(b, BLOCKS_X, BLOCKS_Y, 1);
	pixels = ACCESS(b, .base = 0, .access_bytes = 4 * PIXEL,
			.block_stride = { 4 * PIXEL, 4 * PITCH },
			.lane_stride = PITCH);
	burst(b, INDEXING, 40, LANES);
	builder_load(b, pixels, 4, 0);
	burst(b, INDEXING, 1, 12);
	burst(b, SHARED, 1, 16);
	builder_barrier(b);
	burst(b, INDEXING, 30, LANES);
	builder_loop(b, TRIPLETS);
	compare_positions(b);
	builder_loop_end(b);
	builder_barrier(b);
	burst(b, INDEXING, 20, WARP);
	store_sums(b);
}

/* Pairs of positions, of the @nth of a macroblock's sums of some size */
static __u32 pairs(struct builder *b, __u64 sums, __u32 a_macro, __u32 nth,
		   __u32 a_warp)
{
	__s64 macro_bytes = a_macro * SUMS_BYTES;

	return ACCESS(b, .base = sums + nth * (__u64)SUMS_BYTES,
		      .access_bytes = FLOAT,
		      .block_stride = { macro_bytes, MACRO_X * macro_bytes },
		      .warp_stride = a_warp * SUMS_BYTES, .lane_stride = FLOAT,
		      .loop_stride = { WARP * FLOAT });
}

/* Four sums in; out: two pairs each way, and all of them */
static void add_neighbors(struct builder *b, const char *name, __u32 warps,
			  __u64 in, __u32 in_macro, __u64 pairs_out,
			  __u64 all_out)
{
	static const __u32 fourth[] = { 0, 1, 4, 5 };
	__u32 i;

	builder_kernel(b, name, MACRO_X, warps * WARP, 20, 0);
	builder_grid(b, MACRO_X, MACRO_Y, 1);
	builder_block(b, WARP, warps, 1);
	burst(b, INDEXING, 50, WARP);
	builder_loop(b, POSITION_PAIRS / WARP);
	for (i = 0; i < 4; i++)
		builder_load(b, pairs(b, in, in_macro,
				      warps == 1 ? i : fourth[i], 2), WARP,
			     3 - i);
	burst(b, INDEXING, 15, WARP);
	for (i = 0; i < 4; i++)
		builder_store(b, pairs(b, pairs_out, in_macro, i, 4), WARP);
	builder_store(b, pairs(b, all_out, in_macro / 4, 0, 1), WARP);
	builder_loop_end(b);
}

void build_sad(struct builder *b)
{
	builder_footprint(b, END);
	search(b);
	add_neighbors(b, "larger_sad_calc_8", 4, SUMS_4X4, 16, SUMS_8,
		      SUMS_8X8);
	add_neighbors(b, "larger_sad_calc_16", 1, SUMS_8X8, 4, SUMS_16,
		      SUMS_16 + 4 * MACROS * SUMS_BYTES);
}
