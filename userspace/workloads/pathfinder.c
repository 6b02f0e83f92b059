// SPDX-License-Identifier: GPL-2.0
/*
 * PATHFINDER (PF). Rodinia, cuda/pathfinder/pathfinder.cu, dynproc_kernel:
 * dynamic programming over the rows of a wall. A block takes 256 columns of
 * the row of sums, advances them by 20 rows in shared memory, and writes the
 * 216 that are valid then. Five launches make 100 rows.
 *
 * If each row is read once, an instruction asks memory for seventeen times what
 * HSM's table says. So some thread blocks that follow each other have the same
 * columns: all but the first find them in the cache.
 */
#include "benchmarks.h"

#define THREADS		256
#define HEIGHT		20
#define LEFT		(THREADS - 2 * HEIGHT)
/* The suite's wall is 100,000 columns wide; five launches last longer than that. */
#define BLOCKS		900
#define REPEATS		17
#define COLUMNS		((__s64)BLOCKS * LEFT)
#define LAUNCHES	5
/* A row, and what the last block reads behind it */

#define ROW_BYTES	((COLUMNS + THREADS) / 32 * 32 * FLOAT)
#define WALL		(2 * (__u64)ROW_BYTES)
#define END		(WALL + (HEIGHT * LAUNCHES + 1) * ROW_BYTES)

/*
 * For each step: index and loop; ranges and minima, for which an SM's schedulers
 * share 16 lanes
 */
#define SETUP		30
#define STEP		8
#define MINIMA		12
#define MINIMUM		"I1*4"

static __u32 columns(struct builder *b, __u64 row)
{
	return ACCESS(b, .base = row, SIDE_BY_SIDE(FLOAT),
		      .block_stride = { 0, LEFT * FLOAT },
		      .loop_stride = { ROW_BYTES });
}

static void advance_rows(struct builder *b, __u32 launch)
{
	builder_kernel(b, "dynproc_kernel", REPEATS, THREADS, 20,
		       2 * THREADS * FLOAT);
	builder_grid(b, REPEATS, BLOCKS, 1);
	burst(b, INDEXING, SETUP, WARP);
	builder_load(b, columns(b, launch % 2 * ROW_BYTES), WARP, 0);
	burst(b, SHARED, 1, WARP);
	builder_barrier(b);
	builder_loop(b, HEIGHT);
	burst(b, SHARED, 3, WARP);
	builder_load(b, columns(b, WALL + launch * HEIGHT * ROW_BYTES), WARP,
		     2);
	burst(b, INDEXING, STEP, WARP - 3);
	burst(b, MINIMUM, MINIMA, WARP - 3);
	burst(b, SHARED, 1, WARP - 3);
	builder_barrier(b);
	burst(b, SHARED, 2, WARP - 3);
	builder_barrier(b);
	builder_loop_end(b);
	builder_store(b, columns(b, (launch + 1) % 2 * ROW_BYTES), WARP - 5);
}

void build_pathfinder(struct builder *b)
{
	__u32 launch;

	builder_footprint(b, END);
	for (launch = 0; launch < LAUNCHES; launch++)
		advance_rows(b, launch);
}
