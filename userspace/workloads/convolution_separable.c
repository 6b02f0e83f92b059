// SPDX-License-Identifier: GPL-2.0
/*
 * Convolution Separable (CONVS). CUDA SDK, convolutionSeparable.cu: a filter
 * of 17 taps along the rows, then along the columns. Blocks are 16 threads
 * wide, so a warp has two rows of 16 pixels; a thread loads 8 pixels and the
 * halo at either end into shared memory and makes 8 results from there.
 */
#include "benchmarks.h"

/* The SDK's image is 3072 x 3072; kernels on this one are as long as the paper's. */
#define WIDTH		6144LL
#define HEIGHT		5120LL
#define ROW_BYTES	(WIDTH * FLOAT)
#define IMAGE_BYTES	((__u64)(ROW_BYTES * HEIGHT))
#define MARGIN_BYTES	((__u64)(ROW_BYTES * 16))
#define LAUNCHES	8

#define HALF		16
#define STEPS		8
#define TAPS		17
#define ROWS_Y		4
#define COLUMNS_Y	8

#define SOURCE		MARGIN_BYTES
#define MIDDLE		(SOURCE + IMAGE_BYTES + 2 * MARGIN_BYTES)
#define RESULT		(MIDDLE + IMAGE_BYTES + 2 * MARGIN_BYTES)
#define END		(RESULT + IMAGE_BYTES + 2 * MARGIN_BYTES)

/* For each tap, besides the value: its coefficient, multiply-add */
#define TAP		2
/* One sum; the loop is unrolled, and its values are read ahead. */
#define TAPS_MIX	"I F2"
/* Instructions for each load and result besides the taps */
#define LOADING		3
#define WRITING		2

/**
 * struct tile - the pixels of a block
 * @block_bytes: from block to block, in x and y
 * @step_bytes: from one of a thread's pixels to its next
 */
struct tile {
	const char *name;
	__u32 threads;
	__u32 grid_x;
	__u32 grid_y;
	__s64 block_bytes[2];
	__s64 step_bytes;
};

static const struct tile rows = {
	"convolutionRows", HALF * ROWS_Y, WIDTH / (HALF * STEPS),
	HEIGHT / ROWS_Y, { HALF * STEPS * FLOAT, ROWS_Y * ROW_BYTES },
	HALF * FLOAT,
};

static const struct tile columns = {
	"convolutionColumns", HALF * COLUMNS_Y, WIDTH / HALF,
	HEIGHT / (COLUMNS_Y * STEPS),
	{ HALF * FLOAT, COLUMNS_Y * STEPS * ROW_BYTES }, COLUMNS_Y * ROW_BYTES,
};

/* Half a warp's 16 pixels, @steps steps into the tile. */
static __u32 pixels(struct builder *b, const struct tile *tile, __u64 image,
		    __u32 half, int steps)
{
	return ACCESS(b, .base = image + half * ROW_BYTES +
				 (__u64)(steps * tile->step_bytes),
		      .access_bytes = FLOAT,
		      .block_stride = { tile->block_bytes[0],
					tile->block_bytes[1] },
		      .warp_stride = 2 * ROW_BYTES, .lane_stride = FLOAT,
		      .loop_stride = { tile->step_bytes });
}

static void convolve(struct builder *b, const struct tile *tile, __u64 from,
		     __u64 to)
{
	__u32 half;

	builder_kernel(b, tile->name, tile->grid_x, tile->threads, 24,
		       tile->threads * (STEPS + 2) * FLOAT);
	builder_grid(b, tile->grid_x, tile->grid_y, 1);
	builder_block(b, HALF, tile->threads / HALF, 1);
	builder_loop(b, STEPS + 2);
	for (half = 0; half < 2; half++)
		builder_load(b, pixels(b, tile, from, half, -1), HALF,
			     2 * (LOADING + 3));
	burst(b, "I2 I2 I2 M", LOADING + 1, WARP);
	builder_loop_end(b);
	builder_barrier(b);
	builder_loop(b, STEPS);
	burst(b, SHARED, TAPS, WARP);
	burst(b, TAPS_MIX, TAPS * TAP + WRITING, WARP);
	for (half = 0; half < 2; half++)
		builder_store(b, pixels(b, tile, to, half, 0), HALF);
	builder_loop_end(b);
}

void build_convolution(struct builder *b)
{
	builder_footprint(b, END);
	convolve(b, &rows, SOURCE, MIDDLE);
	convolve(b, &columns, MIDDLE, RESULT);
	builder_again(b, 2, LAUNCHES / 2 - 1);
}
