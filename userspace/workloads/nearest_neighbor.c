// SPDX-License-Identifier: GPL-2.0
/*
 * Nearest Neighbor (NN). Rodinia, cuda/nn/nn_cuda.cu, euclid: a thread reads a
 * record's latitude and longitude and writes its distance from a target.
 */
#include "benchmarks.h"

#define THREADS		256
/* The suite's data are some 42,764 records. */
#define BLOCKS		(1U << 20)
#define RECORDS		((__u64)BLOCKS * THREADS)
#define RECORD_BYTES	8

#define DISTANCES	(RECORDS * RECORD_BYTES)
#define END		(DISTANCES + RECORDS * FLOAT)

#define ADDRESSES	16
#define DISTANCE	4
/* Two differences, their squares, and the root of the sum */
#define DISTANCE_MIX	"F F F2 F1 S1"

/* Two loads, which touch the same lines */
void build_nearest_neighbor(struct builder *b)
{
	__u32 field;

	builder_footprint(b, END);
	builder_kernel(b, "euclid", BLOCKS, THREADS, 12, 0);
	burst(b, INDEXING, ADDRESSES, WARP);
	for (field = 0; field < 2; field++)
		builder_load(b, own_element(b, field * FLOAT, THREADS, FLOAT,
					    RECORD_BYTES), WARP, 1);
	burst(b, DISTANCE_MIX, DISTANCE + 1, WARP);
	store_own(b, DISTANCES, THREADS, FLOAT);
}
