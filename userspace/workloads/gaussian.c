// SPDX-License-Identifier: GPL-2.0
/*
 * Gaussian Elimination (GAUSSIAN). Rodinia, cuda/gaussian/gaussian.cu: for each
 * column, Fan1 makes the multipliers of the rows below, and Fan2 subtracts the
 * pivot's row from them. Fan2's blocks are 4 x 4 threads, x down the rows: a warp
 * has 16 threads in four rows.
 */
#include "benchmarks.h"

/* The suite's matrices have up to 2048 rows; these are the first columns of one. */
#define SIZE		8192LL
#define COLUMNS		8
#define ROW_BYTES	(SIZE * FLOAT)
#define MATRIX_BYTES	((__u64)(SIZE * ROW_BYTES))

#define MULTIPLIERS	0ULL
#define MATRIX		MATRIX_BYTES
#define VECTOR		(2 * MATRIX_BYTES)
#define END		(VECTOR + SIZE * FLOAT)

#define FAN1_THREADS	512
#define FAN2_WIDTH	4
#define FAN2_THREADS	(FAN2_WIDTH * FAN2_WIDTH)

#define FAN1		16
#define DIVISION	"S*2"
#define FAN2		22

static void fan1(struct builder *b)
{
	struct simgpu_trace_pattern below = {
		.base = MATRIX, .access_bytes = FLOAT,
		.block_stride = { FAN1_THREADS * ROW_BYTES },
		.warp_stride = WARP * ROW_BYTES, .lane_stride = ROW_BYTES,
	};

	builder_kernel(b, "Fan1", SIZE / FAN1_THREADS, FAN1_THREADS, 12, 0);
	burst(b, INDEXING, FAN1, WARP);
	builder_load(b, builder_access(b, &below), WARP, 1);
	builder_load(b, ACCESS(b, .base = MATRIX, .access_bytes = FLOAT), WARP,
		     0);
	burst(b, DIVISION, 1, WARP);
	below.base = MULTIPLIERS;
	builder_store(b, builder_access(b, &below), WARP);
}

/* Four rows of the block: their first elements, or those of its four columns */
static __u32 rows(struct builder *b, __u64 array, __s64 column_bytes)
{
	return ACCESS(b, .base = array,
		      .access_bytes = column_bytes ? 16 : FLOAT,
		      .block_stride = { FAN2_WIDTH * ROW_BYTES, column_bytes },
		      .lane_stride = ROW_BYTES);
}

/* An access of 16 threads to four rows stands as one of four lanes. */
static void load_rows(struct builder *b, __u64 array, __s64 column_bytes,
		      __u32 consume_after)
{
	builder_load(b, rows(b, array, column_bytes), FAN2_WIDTH,
		     consume_after);
	burst(b, INDEXING, 1, FAN2_THREADS - FAN2_WIDTH);
}

static void fan2(struct builder *b)
{
	__u32 pivot = ACCESS(b, .base = MATRIX, .access_bytes = FLOAT,
			     .block_stride = { 0, FAN2_WIDTH * FLOAT },
			     .lane_stride = FLOAT);

	builder_kernel(b, "Fan2", SIZE / FAN2_WIDTH, FAN2_THREADS, 14, 0);
	builder_grid(b, SIZE / FAN2_WIDTH, SIZE / FAN2_WIDTH, 1);
	builder_block(b, FAN2_WIDTH, FAN2_WIDTH, 1);
	burst(b, INDEXING, FAN2, FAN2_THREADS);
	load_rows(b, MULTIPLIERS, 0, 3);
	builder_load(b, pivot, FAN2_WIDTH, 2);
	load_rows(b, MATRIX, FAN2_WIDTH * FLOAT, 1);
	burst(b, CHAIN, 1, FAN2_THREADS);
	builder_store(b, rows(b, MATRIX, FAN2_WIDTH * FLOAT), FAN2_WIDTH);
}

void build_gaussian(struct builder *b)
{
	builder_footprint(b, END);
	fan1(b);
	fan2(b);
	builder_again(b, 2, COLUMNS - 1);
}
