// SPDX-License-Identifier: GPL-2.0
/*
 * BlackScholes (BH). CUDA SDK 4, BlackScholes/BlackScholes_kernel.cuh,
 * BlackScholesGPU: a fixed grid walks over the options; each thread reads an
 * option's price, strike and years, and writes its call and put values. The
 * kernel is launched again and again over the same arrays.
 */
#include "benchmarks.h"

/* The SDK's launch, and its 4,000,000 options to a whole number of turns. */
#define BLOCKS		480
#define THREADS		128
#define TRIPS		65
#define LAUNCHES	32

#define TURN_BYTES	((__u64)BLOCKS * THREADS * FLOAT)

/* For each turn: index and addresses; CND() twice; on the SFU, log, exp, sqrt, rcp */
#define ADDRESSES	16
#define ARITHMETIC	70
#define SPECIAL		8
/* Two polynomials side by side; a special function every now and then */
#define OPTION		"S2 F2 F2 F2 F2 F2 F2 F2 F2 F2"

static __u32 option_array(struct builder *b, __u64 array_bytes, __u32 index)
{
	return ACCESS(b, .base = array_bytes * index, SIDE_BY_SIDE(FLOAT),
		      .block_stride = { THREADS * FLOAT },
		      .loop_stride = { TURN_BYTES });
}

void build_black_scholes(struct builder *b)
{
	__u32 trips = builder_sized(b, TRIPS, 1), i;
	__u64 array_bytes = TURN_BYTES * trips;

	builder_footprint(b, 5 * array_bytes);
	builder_kernel(b, "BlackScholesGPU", BLOCKS, THREADS, 24, 0);
	builder_loop(b, trips);
	burst(b, INDEXING, ADDRESSES, WARP);
	for (i = 0; i < 3; i++)
		builder_load(b, option_array(b, array_bytes, i), WARP, 2 - i);
	burst(b, OPTION, SPECIAL + ARITHMETIC, WARP);
	for (i = 3; i < 5; i++)
		builder_store(b, option_array(b, array_bytes, i), WARP);
	builder_loop_end(b);
	builder_again(b, 1, builder_launches(b, LAUNCHES) - 1);
}
