// SPDX-License-Identifier: GPL-2.0
/*
 * K-means (KMEANS). Rodinia, cuda/kmeans/kmeans_cuda_kernel.cu: invert_mapping
 * turns the points' features from rows into columns; then, again and again,
 * kmeansPoint reads all features of a thread's point from a texture for each
 * cluster, whose center is in constant memory, and writes the nearest one.
 */
#include "benchmarks.h"

#define THREADS		256
/* The suite's kdd_cup: 494,020 or 819,200 points of 34 features, 5 clusters */
#define BLOCKS		12800
#define POINTS		((__u64)BLOCKS * THREADS)
#define FEATURES	34
#define CLUSTERS	5
#define ITERATIONS	3

#define ROWS		0ULL
#define COLUMNS		(ROWS + POINTS * FEATURES * FLOAT)
#define MEMBERSHIP	(COLUMNS + POINTS * FEATURES * FLOAT)
#define END		(MEMBERSHIP + POINTS * FLOAT)

#define SETUP		10
/* For each feature: two addresses, a difference, its square, the loop */
#define FEATURE		6
#define FEATURE_MIX	"I I F F1 I C1"
#define CLUSTER		5

static __u32 column(struct builder *b, __s64 outer_bytes, __s64 inner_bytes)
{
	return ACCESS(b, .base = COLUMNS, SIDE_BY_SIDE(FLOAT),
		      .block_stride = { THREADS * FLOAT },
		      .loop_stride = { outer_bytes, inner_bytes });
}

static void invert_mapping(struct builder *b)
{
	__u32 row = ACCESS(b, .base = ROWS, .access_bytes = FLOAT,
			   .block_stride = { THREADS * FEATURES * FLOAT },
			   .warp_stride = WARP * FEATURES * FLOAT,
			   .lane_stride = FEATURES * FLOAT,
			   .loop_stride = { FLOAT });

	builder_kernel(b, "invert_mapping", BLOCKS, THREADS, 12, 0);
	burst(b, INDEXING, SETUP, WARP);
	builder_loop(b, FEATURES);
	builder_load(b, row, WARP, 0);
	burst(b, INDEXING, FEATURE, WARP);
	builder_store(b, column(b, (__s64)POINTS * FLOAT, 0), WARP);
	builder_loop_end(b);
}

static void find_nearest(struct builder *b)
{
	builder_kernel(b, "kmeansPoint", BLOCKS, THREADS, 16, 0);
	burst(b, INDEXING, SETUP, WARP);
	builder_loop(b, CLUSTERS);
	builder_loop(b, FEATURES);
	builder_load(b, column(b, 0, (__s64)POINTS * FLOAT), WARP, 2);
	burst(b, FEATURE_MIX, FEATURE, WARP);
	builder_loop_end(b);
	burst(b, "F I1 I1 C1 I", CLUSTER, WARP);
	builder_loop_end(b);
	store_own(b, MEMBERSHIP, THREADS, FLOAT);
}

void build_kmeans(struct builder *b)
{
	builder_footprint(b, END);
	invert_mapping(b);
	find_nearest(b);
	builder_again(b, 1, ITERATIONS - 1);
}
