// SPDX-License-Identifier: GPL-2.0
/*
 * VectorAdd (VA). CUDA SDK, vectorAdd/vectorAdd.cu, VecAdd: C = A + B, a thread an
 * element.
 */
#include "benchmarks.h"

#define THREADS		256
/* The SDK adds 50,000 elements. */
#define BLOCKS		(1U << 20)

#define ADDRESSES	12

void build_vector_add(struct builder *b)
{
	__u32 blocks = builder_sized(b, BLOCKS, 1);
	__u64 array_bytes = (__u64)blocks * THREADS * FLOAT;

	builder_footprint(b, 3 * array_bytes);
	builder_kernel(b, "VecAdd", blocks, THREADS, 16, 0);
	burst(b, INDEXING, ADDRESSES, WARP);
	load_own(b, 0, THREADS, FLOAT, 1);
	load_own(b, array_bytes, THREADS, FLOAT, 0);
	burst(b, CHAIN, 1, WARP);
	store_own(b, 2 * array_bytes, THREADS, FLOAT);
}
