// SPDX-License-Identifier: GPL-2.0
/*
 * Histogram64 (HIST64). CUDA SDK, histogram/histogram64.cu: each thread counts at
 * most 255 values in byte counters of its own in shared memory, laid out so that
 * no two threads meet in a bank. Then a block for each bin adds up the blocks'
 * histograms.
 */
#include "benchmarks.h"

#define BINS		64
#define THREADS		64
#define VECTOR		(4 * FLOAT)
/* 255 bytes a thread, in whole vectors */
#define TRIPS		15
/* The SDK's data are 64 MB, its limit 32,768 blocks; it runs 16 times. */
#define BLOCKS		32768
#define LAUNCHES	16

#define DATA		0ULL

#define MERGE_THREADS	256

/* For each byte: its six bits, the counter's place, one more */
#define BYTE		4
#define BYTE_MIX	"I I1 I1 M1 I1 M1"

static void count(struct builder *b, __u32 blocks, __u64 turn_bytes)
{
	__u32 data = ACCESS(b, .base = DATA, .access_bytes = VECTOR,
			    .block_stride = { THREADS * VECTOR },
			    .warp_stride = WARP * VECTOR, .lane_stride = VECTOR,
			    .loop_stride = { (__s64)turn_bytes });

	builder_kernel(b, "histogram64Kernel", blocks, THREADS, 16,
		       THREADS * BINS);
	burst(b, INDEXING, 10, WARP);
	burst(b, SHARED, BINS / 4, WARP);
	builder_barrier(b);
	builder_loop(b, TRIPS);
	builder_load(b, data, WARP, 0);
	burst(b, BYTE_MIX, VECTOR * (BYTE + 2), WARP);
	burst(b, INDEXING, 3, WARP);
	builder_loop_end(b);
	builder_barrier(b);
	burst(b, SHARED, THREADS, WARP);
	burst(b, INDEXING, THREADS + THREADS / 4 * 3, WARP);
	store_own(b, DATA + turn_bytes * TRIPS, THREADS, FLOAT);
}

/* The bins of a column of parts: uncoalesced */
static void merge(struct builder *b, __u32 blocks, __u64 parts, __u64 result)
{
	__u32 column = ACCESS(b, .base = parts, .access_bytes = FLOAT,
			      .block_stride = { FLOAT },
			      .warp_stride = WARP * BINS * FLOAT,
			      .lane_stride = BINS * FLOAT,
			      .loop_stride = { MERGE_THREADS * BINS * FLOAT });
	__u32 sum = ACCESS(b, .base = result, .access_bytes = FLOAT,
			   .block_stride = { FLOAT });

	builder_kernel(b, "mergeHistogram64Kernel", BINS, MERGE_THREADS, 10,
		       MERGE_THREADS * FLOAT);
	builder_loop(b, blocks / MERGE_THREADS);
	builder_load(b, column, WARP, 0);
	burst(b, "I I2 I1 C1", 4, WARP);
	builder_loop_end(b);
	burst(b, SHARED, 1, WARP);
	add_up_block(b, MERGE_THREADS, 1);
	builder_store(b, sum, 1);
}

void build_histogram64(struct builder *b)
{
	__u32 blocks = builder_sized(b, BLOCKS, MERGE_THREADS);
	__u64 turn_bytes = (__u64)blocks * THREADS * VECTOR;
	__u64 parts = DATA + turn_bytes * TRIPS;
	__u64 result = parts + (__u64)blocks * BINS * FLOAT;

	builder_footprint(b, result + BINS * FLOAT);
	count(b, blocks, turn_bytes);
	merge(b, blocks, parts, result);
	builder_again(b, 2, builder_launches(b, LAUNCHES) - 1);
}
