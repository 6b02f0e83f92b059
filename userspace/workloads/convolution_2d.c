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

/* The pixel's place, whether it lies in the border, and the addresses */
#define ADDRESSES	23
/* For each pixel read: its address, one multiplication and addition */
#define PIXEL		2
/* The sum goes on from the pixel before, whose load lies between. */
#define PRODUCT		"I F3"

static __u32 pixel(struct builder *b, __u64 image, int x, int y)
{
	return ACCESS(b, .base = image + (__u64)(x * FLOAT + y * ROW_BYTES),
		      .access_bytes = FLOAT,
		      .block_stride = { BLOCK_X * FLOAT, BLOCK_Y * ROW_BYTES },
		      .warp_stride = ROW_BYTES, .lane_stride = FLOAT);
}

/* In the order of the source's sum; each is added before the next is read. */
static void add_row(struct builder *b, int y)
{
	int x;

	for (x = -1; x <= 1; x++) {
		builder_load(b, pixel(b, ORIGIN, x, y), WARP, 1);
		burst(b, PRODUCT, PIXEL, WARP);
	}
}

void build_2dconv(struct builder *b)
{
	builder_footprint(b, 2 * (IMAGE_BYTES + MARGIN_BYTES));
	builder_kernel(b, "Convolution2D", BLOCKS_X, BLOCK_X * BLOCK_Y, 24, 0);
	builder_grid(b, BLOCKS_X, BLOCKS_Y, 1);
	builder_block(b, BLOCK_X, BLOCK_Y, 1);
	burst(b, INDEXING, ADDRESSES, WARP);
	add_row(b, -1);
	add_row(b, 0);
	add_row(b, 1);
	builder_store(b, pixel(b, IMAGE_BYTES + MARGIN_BYTES, 0, 0), WARP);
}
