// SPDX-License-Identifier: GPL-2.0
/*
 * BinomialOptions (BINO). CUDA SDK, binomialOptions_kernel.cu: a thread block
 * walks down one option's tree of 2048 steps. The tree's level lies in global
 * memory; 256 values of it at a time are taken into shared memory, advanced by
 * 32 steps there, and written back.
 */
#include "benchmarks.h"

#define THREADS		256
/* The SDK has 512 options. */
#define OPTIONS		1920
#define STEPS		2048
/* Steps of the smaller size; the work of a block grows with their square. */
#define STEPS_SMALL	512
/* CACHE_DELTA and CACHE_STEP of the SDK */
#define DELTA		32
#define WINDOW		(THREADS - DELTA)

#define EXPIRY		20
#define STEP		5
#define WINDOWING	14
/* Two values in, two products, one out; the loop */
#define STEP_MIX	"M M F1 F1 M1 I I1 C1"
/* A price by an exponential */
#define EXPIRY_MIX	"I2 I2 F1 S1 F1"

static __s64 level_bytes(__u32 steps)
{
	return (steps + 32LL) * FLOAT;
}

static __u32 level(struct builder *b, __u32 steps, __u32 loop, __s64 loop_bytes)
{
	struct simgpu_trace_pattern pattern = {
		SIDE_BY_SIDE(FLOAT), .block_stride = { level_bytes(steps) },
	};

	pattern.loop_stride[loop] = loop_bytes;
	return builder_access(b, &pattern);
}

/* A window: 32 steps, two at a time from one shared array to the other. */
static void walk_window(struct builder *b, __u32 steps)
{
	burst(b, INDEXING, WINDOWING, WARP);
	builder_load(b, level(b, steps, 1, WINDOW * FLOAT), WARP, 0);
	burst(b, SHARED, 1, WARP);
	builder_loop(b, DELTA);
	builder_barrier(b);
	burst(b, STEP_MIX, 3 + STEP, WARP);
	builder_loop_end(b);
	builder_barrier(b);
	burst(b, SHARED, 1, WARP);
	builder_store(b, level(b, steps, 1, WINDOW * FLOAT), WARP - DELTA / 8);
}

void build_binomial(struct builder *b)
{
	__u32 options = builder_sized(b, OPTIONS, 1);
	__u32 steps = options < OPTIONS ? STEPS_SMALL : STEPS, windows;

	builder_footprint(b, options * level_bytes(steps) + MIB);
	builder_kernel(b, "binomialOptions", options, THREADS, 20,
		       2 * (THREADS + 1) * FLOAT);
	builder_loop(b, steps / THREADS);
	burst(b, EXPIRY_MIX, EXPIRY, WARP);
	builder_store(b, level(b, steps, 0, THREADS * FLOAT), WARP);
	builder_loop_end(b);
	/* The level shrinks by a window with every seven turns of 32 steps. */
	for (windows = (steps + WINDOW - 1) / WINDOW; windows; windows--) {
		builder_loop(b, WINDOW / DELTA);
		builder_loop(b, windows);
		walk_window(b, steps);
		builder_loop_end(b);
		builder_loop_end(b);
	}
}
