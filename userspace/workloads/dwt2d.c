// SPDX-License-Identifier: GPL-2.0
/*
 * DWT2D. Rodinia, cuda/dwt2d/dwt_cuda/fdwt53.cu, fdwt53Kernel<64, 8>, one
 * level of the forward 5/3 wavelet transform: a thread block slides a window
 * of 64 x 8 pixels down the image. It loads a window's rows and three columns
 * of its neighbors, transforms them in shared memory, and writes low and high
 * coefficients into the four bands: even columns by its first warp, odd ones
 * by its second. (Wide images get windows of 192 columns, three warps a band.)
 */
#include "benchmarks.h"

#define WINDOW_X	64
#define WINDOW_Y	8
#define COLUMNS		(WINDOW_X * 256LL)
/* launchFDWT53Kernel() cuts the image into 15 bands of rows. */
#define BANDS		15
#define STEPS		120
#define ROWS		(BANDS * STEPS * WINDOW_Y)

#define ROW_BYTES	(COLUMNS * FLOAT)
#define IMAGE_BYTES	((__u64)ROW_BYTES * ROWS)
/* Output: the bands LL and HL of the first rows, LH and HH of the others. */
#define BAND_BYTES	(IMAGE_BYTES / 4)
#define MARGIN_BYTES	((__u64)ROW_BYTES * WINDOW_Y)

/* Instructions of a window's row: loading; predict and update each way */
#define LOADING		3
#define VERTICAL	5
#define HORIZONTAL	4
#define WRITING		4
/* For each row: two values in, a half of their sum, one out; addresses besides */
#define LIFT		"M M I1 I1 I1 M1 I2 I2"
#define LIFT_ACROSS	"M M I1 I1 I1 M1 I2"

/* A row of the window: loop 0 is the window, loop 1 the row in it. */
static __u32 pixels(struct builder *b, __s64 column, __s64 warp_bytes)
{
	return ACCESS(b, .base = MARGIN_BYTES + (__u64)(column * FLOAT),
		      .access_bytes = FLOAT,
		      .block_stride = { WINDOW_X * FLOAT,
					ROW_BYTES * WINDOW_Y * STEPS },
		      .warp_stride = warp_bytes, .lane_stride = FLOAT,
		      .loop_stride = { ROW_BYTES * WINDOW_Y, ROW_BYTES });
}

/* A row of a band, by the warp that has its columns. */
static __u32 coefficients(struct builder *b, __u32 high)
{
	return ACCESS(b, .base = 2 * MARGIN_BYTES + IMAGE_BYTES +
				 high * 2 * BAND_BYTES,
		      .access_bytes = FLOAT,
		      .block_stride = { WINDOW_X / 2 * FLOAT,
					ROW_BYTES / 2 * WINDOW_Y / 2 * STEPS },
		      .warp_stride = BAND_BYTES, .lane_stride = FLOAT,
		      .loop_stride = { ROW_BYTES / 2 * WINDOW_Y / 2,
				       ROW_BYTES / 2 });
}

static void slide_window(struct builder *b)
{
	builder_loop(b, WINDOW_Y);
	builder_load(b, pixels(b, 0, WARP * FLOAT), WARP, LOADING + 2);
	builder_load(b, pixels(b, -3, 0), 3, LOADING);
	burst(b, "I2 I2 I2 M", LOADING + 1, WARP);
	builder_loop_end(b);
	burst(b, LIFT, (3 + VERTICAL) * WINDOW_Y, WARP);
	builder_barrier(b);
	burst(b, LIFT_ACROSS, (3 + HORIZONTAL) * WINDOW_Y, WARP);
	builder_barrier(b);
	builder_loop(b, WINDOW_Y / 2);
	burst(b, "M M I2 I2 I2 I2", 2 + WRITING, WARP);
	builder_store(b, coefficients(b, 0), WARP);
	builder_store(b, coefficients(b, 1), WARP);
	builder_loop_end(b);
	builder_barrier(b);
}

void build_dwt2d(struct builder *b)
{
	builder_footprint(b, 2 * MARGIN_BYTES + 2 * IMAGE_BYTES);
	builder_kernel(b, "fdwt53Kernel", COLUMNS / WINDOW_X, WINDOW_X, 32,
		       (WINDOW_X + 4) * (WINDOW_Y + 3) * FLOAT);
	builder_grid(b, COLUMNS / WINDOW_X, BANDS, 1);
	builder_loop(b, STEPS);
	slide_window(b);
	builder_loop_end(b);
}
