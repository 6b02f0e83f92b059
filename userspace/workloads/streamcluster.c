// SPDX-License-Identifier: GPL-2.0
/*
 * Streamcluster (SC). Rodinia, cuda/streamcluster/streamcluster_cuda.cu,
 * kernel_compute_cost: a thread has a point and finds its distance from a
 * candidate center, dimension by dimension from an array of each; then its
 * weight, cost and center, and, gathered from a row of the work memory, what
 * opening the center would save. pgain() launches it for each candidate.
 */
#include "benchmarks.h"

#define THREADS		512
/* The suite has 65,536 points of 256 dimensions, and starts with few centers. */
#define BLOCKS		1280
#define POINTS		((__u64)BLOCKS * THREADS)
#define DIMENSIONS	256
#define CENTERS		16
#define LAUNCHES	4

/* struct Point: weight, pointer, assign, cost */
#define POINT_BYTES	32
#define WORK_BYTES	((CENTERS + 1) * FLOAT)

#define COORDINATES	0ULL
#define TABLE		(COORDINATES + POINTS * DIMENSIONS * FLOAT)
#define POINT_ARRAY	(TABLE + POINTS * FLOAT)
#define WORK		(POINT_ARRAY + POINTS * POINT_BYTES)
#define END		(WORK + (POINTS + 1) * WORK_BYTES)

/* For each dimension: two addresses, a difference, its square, the loop */
#define DIMENSION	8
#define COST		25
/* Difference and square, which goes to the sum; two addresses; the loop */
#define SQUARE		"F F1 I2 I2 I2 I2 I1 C1"

static void distance(struct builder *b)
{
	__u32 own = ACCESS(b, .base = COORDINATES, SIDE_BY_SIDE(FLOAT),
			   .block_stride = { THREADS * FLOAT },
			   .loop_stride = { (__s64)POINTS * FLOAT });
	__u32 center = ACCESS(b, .base = COORDINATES + POINTS / 2 * FLOAT,
			      .access_bytes = FLOAT,
			      .loop_stride = { (__s64)POINTS * FLOAT });

	builder_loop(b, DIMENSIONS);
	builder_load(b, own, WARP, 1);
	builder_load(b, center, WARP, 0);
	burst(b, SQUARE, DIMENSION, WARP);
	builder_loop_end(b);
}

void build_streamcluster(struct builder *b)
{
	builder_footprint(b, END);
	builder_kernel(b, "kernel_compute_cost", BLOCKS, THREADS, 24, 0);
	distance(b);
	builder_load(b, own_element(b, POINT_ARRAY, THREADS, FLOAT,
				    POINT_BYTES), WARP, 2);
	load_own(b, TABLE, THREADS, FLOAT, 0);
	burst(b, TWO_CHAINS, COST, WARP);
	builder_load(b, own_element(b, WORK, THREADS, FLOAT, WORK_BYTES), WARP,
		     0);
	burst(b, CHAIN, 2, WARP);
	builder_store(b, own_element(b, WORK, THREADS, FLOAT, WORK_BYTES), WARP);
	builder_again(b, 1, LAUNCHES - 1);
}
