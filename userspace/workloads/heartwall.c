// SPDX-License-Identifier: GPL-2.0
/*
 * Heart Wall Tracking (HEARTWALL). Rodinia, cuda/heartwall/kernel.cu: a launch a
 * frame, a block for each of 51 points of the wall. It convolves the point's
 * template of 51 x 51 pixels with 81 x 81 pixels of the frame around it, makes
 * sums of the frame and of its squares along columns and rows, correlates, and
 * convolves the result with a mask.
 */
#include "benchmarks.h"

#define THREADS		256
#define WALL_POINTS	51
#define FRAMES		4

#define TEMPLATE	51
#define WINDOW		81
#define RESULT		(TEMPLATE + WINDOW - 1)
#define PADDED		(WINDOW + 2 * TEMPLATE)

/* Arrays of a point, from memory: each is written and read by its block alone */
#define TEMPLATE_BYTES	(TEMPLATE * TEMPLATE * FLOAT / 128 * 128 + 128)
#define WINDOW_BYTES	(WINDOW * WINDOW * FLOAT / 128 * 128 + 128)
#define RESULT_BYTES	((RESULT * RESULT / THREADS + 1) * THREADS * FLOAT)
#define PADDED_BYTES	((PADDED * PADDED / THREADS + 1) * THREADS * FLOAT)
#define POINT_BYTES	((__s64)TEMPLATE_BYTES + WINDOW_BYTES + \
			 RESULT_BYTES + PADDED_BYTES)
#define WINDOW_AT	TEMPLATE_BYTES
#define RESULT_AT	(WINDOW_AT + WINDOW_BYTES)
#define PADDED_AT	(RESULT_AT + RESULT_BYTES)

/*
 * Each of 131 x 131 results has as many products as template and window overlap:
 * 51^2 x 81^2 in all, about 31 x 32 a result
 */
#define RESULT_TRIPS	(RESULT_BYTES / (THREADS * FLOAT))
#define OVERLAP_ROWS	31
#define OVERLAP_COLUMNS	32
/* For each product: two addresses, a multiplication, a sum, the loop */
#define PRODUCT		7
#define PRODUCT_MIX	"I I F F1 I I1 C1"
#define PLACE		40
/* The mask has 20 x 20 and more places, most of them zero: its rows and columns */
#define MASK		20

#define PADDED_TRIPS	(PADDED_BYTES / (THREADS * FLOAT))
/* Passes over the padded frame that each thread makes: copies, squares, sums */
#define PASSES		10
#define ELEMENT		18
#define ELEMENT_MIX	"I2 I2 F1"

static __u32 element(struct builder *b, __u64 at, __s64 warp_bytes,
		     __s64 lane_bytes, const __s64 *loop_bytes)
{
	return ACCESS(b, .base = at, .access_bytes = FLOAT,
		      .block_stride = { POINT_BYTES }, .warp_stride = warp_bytes,
		      .lane_stride = lane_bytes,
		      .loop_stride = { loop_bytes[0], loop_bytes[1],
				       loop_bytes[2] });
}

/* Lanes are a column's results: they read the same of one, neighbors of the other. */
static void convolve(struct builder *b, __u32 trips, __u32 rows, __u32 columns)
{
	static const __s64 own[] = { THREADS * FLOAT, 0, 0 };
	static const __s64 in_template[] = { 0, TEMPLATE * FLOAT, FLOAT };
	static const __s64 in_window[] = { FLOAT, WINDOW * FLOAT, FLOAT };

	builder_loop(b, trips);
	burst(b, INDEXING, PLACE, WARP);
	builder_loop(b, rows);
	burst(b, INDEXING, 4, WARP);
	builder_loop(b, columns);
	builder_load(b, element(b, 0, 0, 0, in_template), WARP, 3);
	builder_load(b, element(b, WINDOW_AT, 2 * FLOAT, FLOAT, in_window), WARP,
		     2);
	burst(b, PRODUCT_MIX, PRODUCT, WARP);
	builder_loop_end(b);
	builder_loop_end(b);
	builder_store(b, element(b, RESULT_AT, WARP * FLOAT, FLOAT, own), WARP);
	builder_loop_end(b);
	builder_barrier(b);
}

static void pass_over_frame(struct builder *b)
{
	static const __s64 turn[] = { THREADS * FLOAT, 0, 0 };
	__u32 pixel = element(b, PADDED_AT, WARP * FLOAT, FLOAT, turn);

	builder_loop(b, PADDED_TRIPS);
	builder_load(b, pixel, WARP, 0);
	burst(b, ELEMENT_MIX, ELEMENT, WARP);
	builder_store(b, pixel, WARP);
	builder_loop_end(b);
	builder_barrier(b);
}

/* A thread a column, or row: 183 of 256, one element after the other */
static void sum_columns(struct builder *b)
{
	static const __s64 down[] = { FLOAT, 0, 0 };
	__u32 pixel = element(b, PADDED_AT, 0, PADDED * FLOAT, down);

	builder_loop(b, PADDED);
	builder_load(b, pixel, PADDED / (THREADS / WARP), 0);
	burst(b, "F I I1 C1 I", 5, PADDED / (THREADS / WARP));
	builder_store(b, pixel, PADDED / (THREADS / WARP));
	builder_loop_end(b);
	builder_barrier(b);
}

void build_heartwall(struct builder *b)
{
	__u32 i;

	builder_footprint(b, WALL_POINTS * POINT_BYTES);
	builder_kernel(b, "kernel", WALL_POINTS, THREADS, 32, 10 << 10);
	convolve(b, RESULT_TRIPS, OVERLAP_ROWS, OVERLAP_COLUMNS);
	for (i = 0; i < PASSES; i++)
		pass_over_frame(b);
	for (i = 0; i < 4; i++)
		sum_columns(b);
	convolve(b, RESULT_TRIPS, MASK, MASK);
	builder_again(b, 1, FRAMES - 1);
}
