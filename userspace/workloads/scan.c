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
#define DATA_BYTES	((__u64)BLOCKS * BLOCK_BYTES)
#define LAUNCHES	2

#define SOURCE		0ULL
#define RESULT		(SOURCE + DATA_BYTES)
#define SUMS		(RESULT + DATA_BYTES)
#define END		(SUMS + (__u64)BLOCKS * FLOAT)

#define ADDRESSES	10
/* Within a thread, before and after */
#define VECTOR_SUMS	15
/* A warp's scan: five steps without barriers */
#define STEPS		5

/* Warps scan, one of them scans their sums, all add these. */
static void scan_block(struct builder *b)
{
	builder_shared(b, 2 + 3 * STEPS, WARP, 1);
	builder_compute(b, 3 + STEPS, WARP);
	builder_barrier(b);
	builder_shared(b, 1, 1, 1);
	builder_barrier(b);
	builder_shared(b, 1 + 3 * STEPS, 1, 1);
	builder_compute(b, STEPS, 1);
	builder_barrier(b);
	builder_shared(b, 1, WARP, 1);
}

static void scan_parts(struct builder *b)
{
	builder_kernel(b, "scanExclusiveShared", BLOCKS, THREADS, 18,
		       2 * THREADS * FLOAT);
	builder_compute(b, ADDRESSES, WARP);
	load_own(b, SOURCE, THREADS, VECTOR, 0);
	builder_compute(b, VECTOR_SUMS, WARP);
	scan_block(b);
	store_own(b, RESULT, THREADS, VECTOR);
}

/* A block's sum: its last element, of the source and of its scan */
static __u32 last_element(struct builder *b, __u64 array)
{
	return own_element(b, array + BLOCK_BYTES - FLOAT, THREADS, FLOAT,
			   BLOCK_BYTES);
}

static void scan_sums(struct builder *b)
{
	builder_kernel(b, "scanExclusiveShared2", BLOCKS / THREADS, THREADS, 18,
		       2 * THREADS * FLOAT);
	builder_compute(b, ADDRESSES, WARP);
	builder_load(b, last_element(b, RESULT), WARP, 1);
	builder_load(b, last_element(b, SOURCE), WARP, 0);
	scan_block(b);
	store_own(b, SUMS, THREADS, FLOAT);
}

static void add_sums(struct builder *b)
{
	__u32 sum = ACCESS(b, .base = SUMS, .access_bytes = FLOAT,
			   .block_stride = { FLOAT });

	builder_kernel(b, "uniformUpdate", BLOCKS, THREADS, 12, FLOAT);
	builder_compute(b, ADDRESSES, WARP);
	builder_load(b, sum, 1, 0);
	builder_shared(b, 1, 1, 1);
	builder_barrier(b);
	load_own(b, RESULT, THREADS, VECTOR, 1);
	builder_shared(b, 1, WARP, 1);
	builder_compute(b, 4, WARP);
	store_own(b, RESULT, THREADS, VECTOR);
}

void build_scan(struct builder *b)
{
	builder_footprint(b, END);
	scan_parts(b);
	scan_sums(b);
	add_sums(b);
	builder_again(b, 3, LAUNCHES - 1);
}
