// SPDX-License-Identifier: GPL-2.0
/*
 * Two Point Angular Correlation (TPACF). Parboil, tpacf/src/cuda/tpacf_kernel.cu,
 * gen_hists: a block compares a set of points with another, or with itself: 256
 * points at a time go into shared memory, and each thread takes its point's
 * product with all of them, looks for its bin by binary search in constant memory,
 * and counts it in one of 128 histograms in shared memory.
 */
#include "benchmarks.h"

#define THREADS		256
/* Parboil's larger input: 100 sets of 10,391 points, here to whole blocks */
#define SETS		100
#define BLOCKS		(2 * SETS + 1)
#define TURNS		41
#define SET_BYTES	((__u64)TURNS * THREADS * FLOAT)
#define ARRAY_BYTES	((SETS + 1) * SET_BYTES)

#define BINS		20
#define HISTOGRAMS	128
#define RESULT		(3 * ARRAY_BYTES)
#define END		(RESULT + BLOCKS * BINS * FLOAT)

/* For each pair: the product, five steps of a search, whether and where it counts */
#define PRODUCT		3
#define STEPS		5
#define STEP		5
#define COUNT		10
/*
 * Lanes look in several places of constant memory, four passes a read, and meet in
 * histograms. A step of the search waits for the one before.
 */
#define CONSTANTS	(STEPS + 2)
#define SEARCH_STEP	"I1*4 F1 I1 I1 I1 C1 "
#define PAIR_MIX	"F F1 F1 " SEARCH_STEP SEARCH_STEP SEARCH_STEP SEARCH_STEP \
			SEARCH_STEP "I1*4 I1*4 I1 I1 I1 I1 I1 I1 I1 I1 I1 I1"
#define COUNT_MIX	"M1*4"

/* Points of a block's set: x, y and z; the second half of the grid has all sets. */
static void load_points(struct builder *b, __u32 loop, __s64 block_bytes)
{
	struct simgpu_trace_pattern points = {
		SIDE_BY_SIDE(FLOAT), .block_stride = { block_bytes },
	};
	__u32 i;

	points.loop_stride[loop] = THREADS * FLOAT;
	for (i = 0; i < 3; i++) {
		points.base = i * ARRAY_BYTES;
		builder_load(b, builder_access(b, &points), WARP, 2 - i);
	}
	burst(b, INDEXING, 9, WARP);
}

static void compare_pairs(struct builder *b)
{
	builder_loop(b, THREADS);
	burst(b, SHARED, 3, WARP);
	burst(b, PAIR_MIX, PRODUCT + STEPS * STEP + COUNT + CONSTANTS, WARP);
	burst(b, COUNT_MIX, 1, WARP);
	builder_loop_end(b);
}

void build_tpacf(struct builder *b)
{
	__s64 block_bytes = (__s64)(SET_BYTES / 2) / FLOAT * FLOAT;

	builder_footprint(b, END);
	builder_kernel(b, "gen_hists", BLOCKS, THREADS, 24,
		       3 * THREADS * FLOAT + BINS * HISTOGRAMS * FLOAT);
	burst(b, SHARED, BINS * HISTOGRAMS / THREADS, WARP);
	builder_loop(b, TURNS);
	load_points(b, 0, 0);
	burst(b, "M*2", 3, WARP);
	builder_barrier(b);
	builder_loop(b, TURNS);
	load_points(b, 1, block_bytes);
	compare_pairs(b);
	builder_loop_end(b);
	builder_loop_end(b);
	builder_loop(b, BINS / 4);
	add_up_block(b, HISTOGRAMS, 1);
	builder_loop_end(b);
	builder_store(b, ACCESS(b, .base = RESULT, .access_bytes = FLOAT,
				.block_stride = { BINS * FLOAT },
				.lane_stride = FLOAT), BINS / 8);
}
