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
/* CACHE_DELTA and CACHE_STEP of the SDK */
#define DELTA		32
#define WINDOW		(THREADS - DELTA)
#define LEVEL_BYTES	((STEPS + 32LL) * FLOAT)

#define EXPIRY		20
#define STEP		5
#define WINDOWING	14

static __u32 level(struct builder *b, __u32 loop, __s64 loop_bytes)
{
	struct simgpu_trace_pattern pattern = {
		.access_bytes = FLOAT, .block_stride = { LEVEL_BYTES },
		.warp_stride = WARP * FLOAT, .lane_stride = FLOAT,
	};

	pattern.loop_stride[loop] = loop_bytes;
	return builder_access(b, &pattern);
}

/* A window: 32 steps, two at a time from one shared array to the other. */
static void walk_window(struct builder *b)
{
	builder_compute(b, WINDOWING, WARP);
	builder_load(b, level(b, 1, WINDOW * FLOAT), WARP, 0);
	builder_shared(b, 1, WARP, 1);
	builder_loop(b, DELTA);
	builder_barrier(b);
	builder_shared(b, 3, WARP, 1);
	builder_compute(b, STEP, WARP);
	builder_loop_end(b);
	builder_barrier(b);
	builder_shared(b, 1, WARP, 1);
	builder_store(b, level(b, 1, WINDOW * FLOAT), WARP - DELTA / 8);
}

void build_binomial(struct builder *b)
{
	__u32 windows;

	builder_footprint(b, OPTIONS * LEVEL_BYTES + MIB);
	builder_kernel(b, "binomialOptions", OPTIONS, THREADS, 20,
		       2 * (THREADS + 1) * FLOAT);
	builder_loop(b, STEPS / THREADS);
	builder_compute(b, EXPIRY, WARP);
	builder_store(b, level(b, 0, THREADS * FLOAT), WARP);
	builder_loop_end(b);
	/* The level shrinks by a window with every seven turns of 32 steps. */
	for (windows = (STEPS + WINDOW - 1) / WINDOW; windows; windows--) {
		builder_loop(b, WINDOW / DELTA);
		builder_loop(b, windows);
		walk_window(b);
		builder_loop_end(b);
		builder_loop_end(b);
	}
}
