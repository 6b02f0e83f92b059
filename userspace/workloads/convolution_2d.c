// SPDX-License-Identifier: GPL-2.0
/*
 * 2D-convolution (2DCONV). PolyBench-GPU, CUDA/2DCONV/2DConvolution.cu,
 * Convolution2D_kernel: a thread a pixel, blocks of 32 x 8; each reads its
 * pixel and the eight around it straight from global memory and writes one.
 */
#include "benchmarks.h"

#define BLOCK_X		32
#define BLOCK_Y		8
/* PolyBench's image is 4096 x 4096; this one lasts long enough. */
#define BLOCKS_X	128
#define BLOCKS_Y	12288

#define ROW_BYTES	((__s64)BLOCKS_X * BLOCK_X * FLOAT)
#define IMAGE_BYTES	((__u64)ROW_BYTES * BLOCK_Y * BLOCKS_Y)
#define MARGIN_BYTES	((__u64)ROW_BYTES * 4)

#define ORIGIN		(MARGIN_BYTES / 2)

#define ADDRESSES	16
/* Of each pixel read: its address, one multiplication and addition */
#define PIXEL		3

static __u32 pixel(struct builder *b, __u64 image, int x, int y)
{
	return ACCESS(b, .base = image + (__u64)(x * FLOAT + y * ROW_BYTES),
		      .access_bytes = FLOAT,
		      .block_stride = { BLOCK_X * FLOAT, BLOCK_Y * ROW_BYTES },
		      .warp_stride = ROW_BYTES, .lane_stride = FLOAT);
}

/* A column of three pixels; the last of the loads is waited for at once. */
static void load_column(struct builder *b, int x)
{
	int y;

	for (y = -1; y <= 1; y++)
		builder_load(b, pixel(b, ORIGIN, x, y), WARP, 1 - y);
	builder_compute(b, 3 * PIXEL, WARP);
}

void build_2dconv(struct builder *b)
{
	builder_footprint(b, 2 * (IMAGE_BYTES + MARGIN_BYTES));
	builder_kernel(b, "Convolution2D", BLOCKS_X, BLOCK_X * BLOCK_Y, 24, 0);
	builder_grid(b, BLOCKS_X, BLOCKS_Y, 1);
	builder_block(b, BLOCK_X, BLOCK_Y, 1);
	builder_compute(b, ADDRESSES, WARP);
	load_column(b, 0);
	load_column(b, -1);
	load_column(b, 1);
	builder_store(b, pixel(b, IMAGE_BYTES + MARGIN_BYTES, 0, 0), WARP);
}
