// SPDX-License-Identifier: GPL-2.0
/*
 * VectorAdd (VA). CUDA SDK, vectorAdd/vectorAdd.cu, VecAdd: C = A + B, a thread an
 * element.
 */
#include "benchmarks.h"

#define THREADS		256
/* The SDK adds 50,000 elements. */
#define BLOCKS		(1U << 20)
#define ARRAY_BYTES	((__u64)BLOCKS * THREADS * FLOAT)

#define ADDRESSES	12

void build_vector_add(struct builder *b)
{
	builder_footprint(b, 3 * ARRAY_BYTES);
	builder_kernel(b, "VecAdd", BLOCKS, THREADS, 16, 0);
	burst(b, INDEXING, ADDRESSES, WARP);
	load_own(b, 0, THREADS, FLOAT, 1);
	load_own(b, ARRAY_BYTES, THREADS, FLOAT, 0);
	burst(b, CHAIN, 1, WARP);
	store_own(b, 2 * ARRAY_BYTES, THREADS, FLOAT);
}
