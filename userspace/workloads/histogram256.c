// SPDX-License-Identifier: GPL-2.0
/*
 * Histogram256 (HIST256). CUDA SDK, histogram/histogram256.cu: a fixed grid walks
 * over the data, four bytes a thread and turn; each warp counts in a histogram
 * of its own in shared memory, where lanes that meet in a bin try again. Then
 * a block for each bin adds up the blocks' histograms.
 */
#include "benchmarks.h"

#define BINS		256
#define WARPS		6
#define THREADS		(WARPS * WARP)
#define BLOCKS		240
/* The SDK's data are 64 MB, its runs 16. */
#define TRIPS		1456
#define LAUNCHES	16

#define TURN_BYTES	((__u64)BLOCKS * THREADS * FLOAT)
#define DATA		0ULL
#define PARTS_BYTES	((__u64)BLOCKS * BINS * FLOAT)

#define MERGE_THREADS	256

/*
 * For each byte: its bin, and a try: read, add, tag, write, read, compare, branch.
 * 32 lanes in 256 bins: hardly half of the bytes need a second try, of few
 * lanes; random bins meet in a bank three at a time.
 */
#define BYTE		3
#define TRY		4
#define TRY_SHARED	3
#define BYTE_MIX	"I1 I1 I1"
#define TRY_MIX		"M1*3"
#define SECOND_LANES	2

static void count_byte(struct builder *b)
{
	burst(b, BYTE_MIX, BYTE + TRY, WARP);
	burst(b, TRY_MIX, TRY_SHARED, WARP);
	burst(b, BYTE_MIX, TRY, SECOND_LANES);
	burst(b, "M1", TRY_SHARED, SECOND_LANES);
}

static void count(struct builder *b, __u32 trips, __u64 parts)
{
	__u32 data = ACCESS(b, .base = DATA, SIDE_BY_SIDE(FLOAT),
			    .block_stride = { THREADS * FLOAT },
			    .loop_stride = { TURN_BYTES });
	__u32 part = ACCESS(b, .base = parts, SIDE_BY_SIDE(FLOAT),
			    .block_stride = { BINS * FLOAT });
	__u32 i;

	builder_kernel(b, "histogram256Kernel", BLOCKS, THREADS, 16,
		       WARPS * BINS * FLOAT);
	burst(b, SHARED, BINS / WARP, WARP);
	builder_barrier(b);
	builder_loop(b, trips);
	builder_load(b, data, WARP, 0);
	for (i = 0; i < 4; i++)
		count_byte(b);
	burst(b, INDEXING, 3, WARP);
	builder_loop_end(b);
	builder_barrier(b);
	burst(b, SHARED, WARPS, WARP);
	burst(b, INDEXING, 3 * WARPS, WARP);
	builder_store(b, part, WARP);
}

/* The bins of a column of parts: uncoalesced */
static void merge(struct builder *b, __u64 parts)
{
	__u32 column = ACCESS(b, .base = parts, .access_bytes = FLOAT,
			      .block_stride = { FLOAT },
			      .warp_stride = (BLOCKS / 8) * BINS * FLOAT,
			      .lane_stride = BINS * FLOAT);
	__u32 sum = ACCESS(b, .base = parts + PARTS_BYTES, .access_bytes = FLOAT,
			   .block_stride = { FLOAT });

	builder_kernel(b, "mergeHistogram256Kernel", BINS, MERGE_THREADS, 10,
		       MERGE_THREADS * FLOAT);
	builder_load(b, column, BLOCKS / 8, 0);
	burst(b, SHARED, 1, WARP);
	add_up_block(b, MERGE_THREADS, 1);
	builder_store(b, sum, 1);
}

void build_histogram256(struct builder *b)
{
	__u32 trips = builder_sized(b, TRIPS, 1);
	__u64 parts = DATA + TURN_BYTES * trips;

	builder_footprint(b, parts + PARTS_BYTES + BINS * FLOAT);
	count(b, trips, parts);
	merge(b, parts);
	builder_again(b, 2, builder_launches(b, LAUNCHES) - 1);
}
