// SPDX-License-Identifier: GPL-2.0
/*
 * MonteCarlo (MONTECARLO). CUDA SDK, MonteCarlo/MonteCarlo_kernel.cuh,
 * MonteCarloOneBlockPerOption: a block an option; its threads run over the paths'
 * random samples, the same for all options, and add up call values and their
 * squares.
 */
#include "benchmarks.h"

#define THREADS		256
/* The SDK has 256 options, 1,536 at most, and 2^18 paths. */
#define OPTIONS		1536
#define PATHS		(1U << 21)
/* Paths at the smaller size, as in the SDK */
#define PATHS_SMALL	(1U << 18)

#define SAMPLES		0ULL

/* For each path: scale, value, its maximum with 0, two sums, the loop */
#define PATH		9
#define PATH_MIX	"F F1 S1 F1 F1 F1 F2 I I1 C1"

void build_monte_carlo(struct builder *b)
{
	__u32 options = builder_sized(b, OPTIONS, 1), sample, value;
	__u32 paths = options < OPTIONS ? PATHS_SMALL : PATHS;
	__u64 values = SAMPLES + (__u64)paths * FLOAT;

	builder_footprint(b, values + (__u64)options * 2 * FLOAT);
	sample = ACCESS(b, .base = SAMPLES, SIDE_BY_SIDE(FLOAT),
			.loop_stride = { THREADS * FLOAT });
	value = ACCESS(b, .base = values, .access_bytes = 2 * FLOAT,
		       .block_stride = { 2 * FLOAT });
	builder_kernel(b, "MonteCarloOneBlockPerOption", options, THREADS, 16,
		       2 * THREADS * FLOAT);
	burst(b, INDEXING, 10, WARP);
	builder_loop(b, paths / THREADS);
	builder_load(b, sample, WARP, 0);
	burst(b, PATH_MIX, PATH + 1, WARP);
	builder_loop_end(b);
	burst(b, SHARED, 2, WARP);
	add_up_block(b, THREADS, 2);
	builder_store(b, value, 1);
}
