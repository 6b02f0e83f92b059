// SPDX-License-Identifier: GPL-2.0
/*
 * Scan (SCAN). CUDA SDK, scan/scan.cu, scanExclusiveLarge: blocks scan 1024
 * elements each, four a thread; one more kernel scans the blocks' sums, which it
 * gathers from their last elements; the last adds them to every element.
 */
#include "benchmarks.h"

#define THREADS		256
#define VECTOR		(4 * FLOAT)
#define BLOCK_BYTES	(THREADS * VECTOR)
/* The SDK scans 2^22 elements or more at a time, again and again. */
#define BLOCKS		131072
#define LAUNCHES	2

/** struct arrays - the thread blocks that scan, and where the arrays lie */
struct arrays {
	__u32 blocks;
	__u64 source;
	__u64 result;
	__u64 sums;
};

#define ADDRESSES	10
/* Within a thread, before and after */
#define VECTOR_SUMS	15
/* A warp's scan: five steps without barriers */
#define STEPS		5
/* A step: its neighbor's value in, the sum, and out */
#define STEP_MIX	"M1 M1 I1"

/* Warps scan, one of them scans their sums, all add these. */
static void scan_block(struct builder *b)
{
	burst(b, STEP_MIX, 5 + 4 * STEPS, WARP);
	builder_barrier(b);
	burst(b, SHARED, 1, 1);
	builder_barrier(b);
	burst(b, "M1 M1 M1 I1", 1 + 4 * STEPS, 1);
	builder_barrier(b);
	burst(b, SHARED, 1, WARP);
}

static void scan_parts(struct builder *b, const struct arrays *at)
{
	builder_kernel(b, "scanExclusiveShared", at->blocks, THREADS, 18,
		       2 * THREADS * FLOAT);
	burst(b, INDEXING, ADDRESSES, WARP);
	load_own(b, at->source, THREADS, VECTOR, 0);
	burst(b, "I1", VECTOR_SUMS, WARP);
	scan_block(b);
	store_own(b, at->result, THREADS, VECTOR);
}

/* A block's sum: its last element, of the source and of its scan */
static __u32 last_element(struct builder *b, __u64 array)
{
	return own_element(b, array + BLOCK_BYTES - FLOAT, THREADS, FLOAT,
			   BLOCK_BYTES);
}

static void scan_sums(struct builder *b, const struct arrays *at)
{
	builder_kernel(b, "scanExclusiveShared2", at->blocks / THREADS, THREADS,
		       18, 2 * THREADS * FLOAT);
	burst(b, INDEXING, ADDRESSES, WARP);
	builder_load(b, last_element(b, at->result), WARP, 1);
	builder_load(b, last_element(b, at->source), WARP, 0);
	scan_block(b);
	store_own(b, at->sums, THREADS, FLOAT);
}

static void add_sums(struct builder *b, const struct arrays *at)
{
	__u32 sum = ACCESS(b, .base = at->sums, .access_bytes = FLOAT,
			   .block_stride = { FLOAT });

	builder_kernel(b, "uniformUpdate", at->blocks, THREADS, 12, FLOAT);
	burst(b, INDEXING, ADDRESSES, WARP);
	builder_load(b, sum, 1, 0);
	burst(b, SHARED, 1, 1);
	builder_barrier(b);
	load_own(b, at->result, THREADS, VECTOR, 1);
	burst(b, SHARED, 1, WARP);
	burst(b, "I4", 4, WARP);
	store_own(b, at->result, THREADS, VECTOR);
}

void build_scan(struct builder *b)
{
	__u32 blocks = builder_sized(b, BLOCKS, THREADS);
	__u64 bytes = (__u64)blocks * BLOCK_BYTES;
	struct arrays at = {
		.blocks = blocks, .source = 0, .result = bytes, .sums = 2 * bytes,
	};

	builder_footprint(b, at.sums + (__u64)blocks * FLOAT);
	scan_parts(b, &at);
	scan_sums(b, &at);
	add_sums(b, &at);
	builder_again(b, 3, builder_launches(b, LAUNCHES) - 1);
}
