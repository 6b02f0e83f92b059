// SPDX-License-Identifier: GPL-2.0
/*
 * Particle Filter, naive (PFN). Rodinia,
 * cuda/particlefilter/ex_particle_CUDA_naive_seq.cu, kernel: each thread walks
 * through the cumulative weights until they exceed its particle's number, and
 * takes over the place of the particle that it has come to.
 */
#include "benchmarks.h"

#define THREADS		128
/* The suite's example has 1000 particles; a launch for each frame. */
#define BLOCKS		1024
#define PARTICLES	((__u64)BLOCKS * THREADS)
#define FRAMES		2

/* x, y; weights; numbers; new x, y */
#define ARRAY_BYTES	(PARTICLES * DOUBLE)
enum { X, Y, WEIGHTS, NUMBERS, NEW_X, NEW_Y, ARRAYS };

/* Numbers are in order, like the weights: a thread walks half of them. */
#define STEPS		((__u32)PARTICLES / 2)
/* For each step: compare, branch, next, end */
#define STEP		4
#define STEP_MIX	"D C1 I I1"

void build_particle_filter_naive(struct builder *b)
{
	__u32 weight, i;

	builder_footprint(b, ARRAYS * ARRAY_BYTES);
	weight = ACCESS(b, .base = WEIGHTS * ARRAY_BYTES,
			.access_bytes = DOUBLE, .loop_stride = { DOUBLE });
	builder_kernel(b, "kernel", BLOCKS, THREADS, 14, 0);
	burst(b, INDEXING, 14, WARP);
	load_own(b, NUMBERS * ARRAY_BYTES, THREADS, DOUBLE, 0);
	builder_loop(b, STEPS);
	builder_load(b, weight, WARP, 0);
	burst(b, STEP_MIX, STEP, WARP);
	builder_loop_end(b);
	for (i = 0; i < 2; i++) {
		/* The particles that neighbors come to are neighbors. */
		load_own(b, (X + i) * ARRAY_BYTES, THREADS, DOUBLE, 0);
		burst(b, INDEXING, 2, WARP);
		store_own(b, (NEW_X + i) * ARRAY_BYTES, THREADS, DOUBLE);
	}
	builder_again(b, 1, FRAMES - 1);
}
