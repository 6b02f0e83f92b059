// SPDX-License-Identifier: GPL-2.0
/*
 * FastWalshTransform (FWT). CUDA SDK, fastWalshTransform_kernel.cu,
 * fwtBatchGPU: radix-4 butterflies in place. While their stride exceeds what
 * fits into shared memory, a pass is a kernel (fwtBatch2Kernel) in which each
 * thread reads four elements that lie a stride apart and writes them back; the
 * last 10 of the log2 steps are one kernel on shared memory (fwtBatch1Kernel).
 */
#include "benchmarks.h"

/* The SDK transforms 2^23 elements; kernels on these are as long as the paper's. */
#define LOG2_DATA	26
#define LOG2_ELEMENTARY	11
#define THREADS		256

#define ADDRESSES	22
#define BUTTERFLY	26
/* Sums and differences of four elements, and where they lie */
#define RADIX_4		"F4 I2 I2"

/* A thread's element @index of four; blocks: x within a stride, y beyond it. */
static __u32 element(struct builder *b, __u64 stride, __u32 index)
{
	return ACCESS(b, .base = index * stride * FLOAT, SIDE_BY_SIDE(FLOAT),
		      .block_stride = { THREADS * FLOAT,
					(__s64)(4 * stride * FLOAT) });
}

static void global_pass(struct builder *b, __u32 log2_data, __u64 stride)
{
	__u32 x = (__u32)(stride / THREADS), i;
	__u32 y = (__u32)((1ULL << log2_data) / 4 / stride);

	builder_kernel(b, "fwtBatch2Kernel", x, THREADS, 20, 0);
	builder_grid(b, x, y, 1);
	burst(b, INDEXING, ADDRESSES, WARP);
	for (i = 0; i < 4; i++)
		builder_load(b, element(b, stride, i), WARP, 3 - i);
	burst(b, RADIX_4, BUTTERFLY, WARP);
	for (i = 0; i < 4; i++)
		builder_store(b, element(b, stride, i), WARP);
}

/* 256 threads have 1024 elements: five passes of radix 4. */
static void shared_passes(struct builder *b, __u32 log2_data, __u32 log2_shared)
{
	__u32 threads = (1 << log2_shared) / 4;
	__u32 data = ACCESS(b, .base = 0, SIDE_BY_SIDE(FLOAT),
			    .block_stride = { FLOAT << log2_shared },
			    .loop_stride = { threads * FLOAT });

	builder_kernel(b, "fwtBatch1Kernel", 1 << (log2_data - log2_shared),
		       threads, 20, FLOAT << log2_shared);
	builder_loop(b, 4);
	builder_load(b, data, WARP, 1);
	burst(b, SHARED, 1, WARP);
	builder_loop_end(b);
	builder_loop(b, (log2_shared + 1) / 2);
	builder_barrier(b);
	burst(b, SHARED, 4, WARP);
	burst(b, RADIX_4, BUTTERFLY, WARP);
	burst(b, SHARED, 4, WARP);
	builder_loop_end(b);
	builder_barrier(b);
	builder_loop(b, 4);
	burst(b, SHARED, 1, WARP);
	builder_store(b, data, WARP);
	builder_loop_end(b);
}

void build_walsh(struct builder *b)
{
	__u32 log2_data = builder_sized_log2(b, LOG2_DATA, LOG2_ELEMENTARY + 2);
	__u32 log2;

	builder_footprint(b, FLOAT * (1ULL << log2_data));
	for (log2 = log2_data; log2 > LOG2_ELEMENTARY; log2 -= 2)
		global_pass(b, log2_data, (1ULL << log2) / 4);
	/* The steps that the passes on global memory, two steps each, leave */
	shared_passes(b, log2_data, log2);
}
