// SPDX-License-Identifier: GPL-2.0
/*
 * Leukocyte Tracking (LEUKOCYTE). Rodinia, cuda/leukocyte/CUDA. In the first frame
 * GICOV_kernel reads the image's gradients, a texture, at 150 points of 7 circles
 * around each pixel, and dilate_kernel the result in a disk of 25 x 25; then, frame by
 * frame, a block for each of 36 cells lets a vector flow converge in shared
 * memory (IMGVF_kernel).
 */
#include "benchmarks.h"

/* The suite's video is 640 x 219 pixels; columns lie together. */
#define COLUMN		219
#define COLUMNS		640
#define COLUMN_BYTES	((__s64)COLUMN * FLOAT)
#define IMAGE_BYTES	(((__u64)COLUMN_BYTES * COLUMNS + 127) / 128 * 128)
#define RADIUS		22

#define GRADIENT_X	0ULL
#define GRADIENT_Y	(GRADIENT_X + IMAGE_BYTES)
#define GICOV		(GRADIENT_Y + IMAGE_BYTES)
#define DILATED		(GICOV + IMAGE_BYTES)

#define CIRCLES		7
#define POINTS		150
#define DISK		25
/* Mean places of a row of DISK that are in the disk */
#define DISK_ROW	18

/* A cell's part of the image and of its flow: 41 x 81 pixels, 11 a thread */
#define CELLS		36
#define CELL_THREADS	320
#define CELL_TRIPS	11
#define CELL_BYTES	(CELL_THREADS * CELL_TRIPS * FLOAT)
#define FLOW		(DILATED + IMAGE_BYTES)
#define PARTS		(FLOW + CELLS * CELL_BYTES)
#define END		(PARTS + CELLS * CELL_BYTES)
#define FRAMES		4
/* Until it has converged: some hundred rounds of at most 500 */
#define ROUNDS		100

/* For each point: where; four constants, projection, mean and variance with a division */
#define POINT		20
#define POINT_MIX	"I2 I2 F1 F2 F2"
#define DIVISION	"S1*2"
#define PLACE		8
/* For each pixel's flow: eight differences, each with an arc tangent, and two sums */
#define NEIGHBORS	8
#define ARC_TANGENT	22
#define PIXEL		70
/* An arc tangent is a division and a polynomial; two go side by side. */
#define FLOW_MIX	"S2 F2 F2 F2 F2 F2 F2 F2 F2 F2 F2 F2 F2 F2 F2 F2 F2 F2 F2 " \
			"F2 F2 F2"

/* A column's pixels around a block's: circles and disks stay near. */
static __u32 pixels(struct builder *b, __u64 image, __s64 outer_bytes,
		    __s64 inner_bytes, __u32 columns_a_block)
{
	return ACCESS(b, .base = image, SIDE_BY_SIDE(FLOAT),
		      .block_stride = { columns_a_block * COLUMN_BYTES },
		      .loop_stride = { outer_bytes, inner_bytes });
}

static void find_circles(struct builder *b)
{
	/* Points go around: 40 columns in 150 steps, the next circle begins there. */
	__s64 step_bytes = 40 * COLUMN_BYTES / POINTS / FLOAT * FLOAT;

	builder_kernel(b, "GICOV_kernel", COLUMNS - 2 * RADIUS,
		       COLUMN - 2 * RADIUS, 16, 0);
	burst(b, INDEXING, 12, WARP);
	builder_loop(b, CIRCLES);
	builder_loop(b, POINTS);
	builder_load(b, pixels(b, GRADIENT_X, 0, step_bytes, 1), WARP, 1);
	builder_load(b, pixels(b, GRADIENT_Y, 0, step_bytes, 1), WARP, 0);
	burst(b, POINT_MIX, POINT, WARP);
	burst(b, DIVISION, 1, WARP);
	builder_loop_end(b);
	burst(b, TWO_CHAINS, 14, WARP);
	builder_loop_end(b);
	builder_store(b, pixels(b, GICOV, 0, 0, 1), WARP);
}

static void dilate(struct builder *b)
{
	__u32 threads = 176;
	__u32 blocks = COLUMN * (COLUMNS - DISK) / threads;

	builder_kernel(b, "dilate_kernel", blocks, threads, 12, 0);
	burst(b, INDEXING, 20, WARP);
	builder_loop(b, DISK);
	burst(b, INDEXING, (DISK - DISK_ROW) * PLACE, WARP);
	builder_loop(b, DISK_ROW);
	burst(b, INDEXING, PLACE, WARP);
	builder_load(b, ACCESS(b, .base = GICOV, SIDE_BY_SIDE(FLOAT),
			       .block_stride = { threads * FLOAT },
			       .loop_stride = { FLOAT, COLUMN_BYTES }), WARP, 0);
	burst(b, "F I1", 2, WARP);
	builder_loop_end(b);
	builder_loop_end(b);
	store_own(b, DILATED, threads, FLOAT);
}

static __u32 part(struct builder *b, __u64 array, __u32 loop)
{
	struct simgpu_trace_pattern pixel = {
		.base = array, SIDE_BY_SIDE(FLOAT),
		.block_stride = { CELL_BYTES },
	};

	pixel.loop_stride[loop] = CELL_THREADS * FLOAT;
	return builder_access(b, &pixel);
}

static void converge(struct builder *b)
{
	builder_loop(b, ROUNDS);
	builder_loop(b, CELL_TRIPS);
	burst(b, SHARED, NEIGHBORS + 1, WARP);
	burst(b, FLOW_MIX, PIXEL + NEIGHBORS * ARC_TANGENT, WARP);
	builder_load(b, part(b, PARTS, 1), WARP, 0);
	burst(b, CHAIN, 6, WARP);
	burst(b, SHARED, 2, WARP);
	builder_barrier(b);
	builder_loop_end(b);
	burst(b, SHARED, 1, WARP);
	add_up_block(b, CELL_THREADS, 1);
	builder_loop_end(b);
}

static void track_cells(struct builder *b)
{
	builder_kernel(b, "IMGVF_kernel", CELLS, CELL_THREADS, 40,
		       41 * 81 * FLOAT + CELL_THREADS * FLOAT + 8);
	builder_loop(b, CELL_TRIPS);
	burst(b, INDEXING, 12, WARP);
	builder_load(b, part(b, FLOW, 0), WARP, 0);
	burst(b, SHARED, 1, WARP);
	builder_loop_end(b);
	builder_barrier(b);
	converge(b);
	builder_loop(b, CELL_TRIPS);
	burst(b, INDEXING, 12, WARP);
	burst(b, SHARED, 1, WARP);
	builder_store(b, part(b, FLOW, 0), WARP);
	builder_loop_end(b);
}

void build_leukocyte(struct builder *b)
{
	builder_footprint(b, END);
	find_circles(b);
	dilate(b);
	track_cells(b);
	builder_again(b, 1, FRAMES - 1);
}
