// SPDX-License-Identifier: GPL-2.0
/*
 * Lattice-Boltzmann Method (LBM). Parboil, lbm/src/cuda/lbm_kernel.cu,
 * performStreamCollide_kernel with SCATTER: a thread block is a row of 120
 * cells. Each cell reads its 19 distributions and its flags from arrays of
 * their own, collides, and writes each distribution to the neighbor that it
 * flows to, in the other grid. The grids change places with each time step.
 */
#include "benchmarks.h"

#define SIZE_X		120
#define SIZE_Y		120
#define SIZE_Z		150
#define TIME_STEPS	8

/* Rows are padded to 128 cells; z has 4 layers of margin (layout_config.h). */
#define ROW_BYTES	(128LL * FLOAT)
#define LAYER_BYTES	(ROW_BYTES * SIZE_Y)
#define ARRAY_BYTES	((__u64)LAYER_BYTES * (SIZE_Z + 4))
#define DIRECTIONS	19
/* All arrays of a grid, the flags the last, and a margin at either end. */
#define GRID_BYTES	((DIRECTIONS + 1) * ARRAY_BYTES + 4 * LAYER_BYTES)

#define GATHER		25
#define COLLIDE		140
/* Density, and momentum in x, y and z: four sums that do not need each other */
#define COLLISION	FOUR_CHAINS

struct direction {
	int x, y, z;
};

/* In the order of lbm.h: C N S E W T B NE NW SE SW NT NB ST SB ET EB WT WB */
static const struct direction directions[DIRECTIONS] = {
	{ 0, 0, 0 }, { 0, 1, 0 }, { 0, -1, 0 }, { 1, 0, 0 }, { -1, 0, 0 },
	{ 0, 0, 1 }, { 0, 0, -1 }, { 1, 1, 0 }, { -1, 1, 0 }, { 1, -1, 0 },
	{ -1, -1, 0 }, { 0, 1, 1 }, { 0, 1, -1 }, { 0, -1, 1 }, { 0, -1, -1 },
	{ 1, 0, 1 }, { 1, 0, -1 }, { -1, 0, 1 }, { -1, 0, -1 },
};

static const struct direction here;

static __u32 cells(struct builder *b, __u32 grid, __u32 array,
		   const struct direction *to)
{
	__s64 first = 2 * LAYER_BYTES + to->x * FLOAT + to->y * ROW_BYTES +
		      to->z * LAYER_BYTES;

	return ACCESS(b, .base = grid * GRID_BYTES + array * ARRAY_BYTES +
				 (__u64)first,
		      SIDE_BY_SIDE(FLOAT),
		      .block_stride = { ROW_BYTES, LAYER_BYTES });
}

static void stream_and_collide(struct builder *b, __u32 from, __u32 to)
{
	__u32 i;

	builder_kernel(b, "performStreamCollide", SIZE_Y, SIZE_X, 63, 0);
	builder_grid(b, SIZE_Y, SIZE_Z, 1);
	burst(b, INDEXING, GATHER, WARP);
	for (i = 0; i <= DIRECTIONS; i++)
		builder_load(b, cells(b, from, i, &here), WARP, DIRECTIONS - i);
	burst(b, COLLISION, COLLIDE, WARP);
	for (i = 0; i < DIRECTIONS; i++)
		builder_store(b, cells(b, to, i, &directions[i]), WARP);
}

void build_lbm(struct builder *b)
{
	builder_footprint(b, 2 * GRID_BYTES);
	stream_and_collide(b, 0, 1);
	stream_and_collide(b, 1, 0);
	builder_again(b, 2, TIME_STEPS / 2 - 1);
}
