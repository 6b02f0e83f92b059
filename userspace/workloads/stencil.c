// SPDX-License-Identifier: GPL-2.0
/*
 * 7-point Stencil (STENCIL). Parboil, stencil/src/cuda/kernels.cu,
 * block2D_hybrid_coarsen_x: a block has a tile of 64 x 4 and walks along z; a
 * thread makes two results a plane. The tile's present plane is in shared memory,
 * those before and after it in registers, and what borders on it is read from
 * memory.
 */
#include "benchmarks.h"

#define TILE_X		64
#define TILE_Y		4
#define THREADS		(TILE_X / 2 * TILE_Y)
/* Parboil's default: 512 x 512 x 64, 100 iterations */
#define SIZE_X		512
#define SIZE_Y		512
#define SIZE_Z		64
#define ITERATIONS	100

#define ROW_BYTES	((__s64)SIZE_X * FLOAT)
#define PLANE_BYTES	(ROW_BYTES * SIZE_Y)
#define MARGIN_BYTES	((__u64)ROW_BYTES)
#define GRID_BYTES	((__u64)PLANE_BYTES * SIZE_Z + 2 * MARGIN_BYTES)

#define SETUP		90
/* For each result: where it lies in tile and grid, seven values, two products */
#define RESULT		20
/* Six neighbors are added up, in two chains besides their addresses. */
#define RESULT_MIX	"I2 F2 I2 F2 I2"
/* For each plane: the loop, and the registers that move on */
#define PLANE		8
/* A border's row is read by one of four warps. */
#define BORDER_LANES	(WARP / TILE_Y)

/* @half of a warp's row, @x, @y and @z from the plane that loop 0 begins with */
static __u32 points(struct builder *b, __u64 grid, __u32 half, int x, int y,
		    int z, __s64 warp_bytes)
{
	__s64 at = (__s64)half * WARP * FLOAT + x * FLOAT + y * ROW_BYTES +
		   z * PLANE_BYTES;

	return ACCESS(b, .base = grid + MARGIN_BYTES + (__u64)at,
		      .access_bytes = FLOAT,
		      .block_stride = { TILE_X * FLOAT, TILE_Y * ROW_BYTES },
		      .warp_stride = warp_bytes, .lane_stride = FLOAT,
		      .loop_stride = { PLANE_BYTES });
}

static void first_planes(struct builder *b, __u64 from)
{
	__u32 half, z;

	burst(b, INDEXING, SETUP, WARP);
	burst(b, SHARED, 2, WARP);
	builder_barrier(b);
	for (half = 0; half < 2; half++)
		for (z = 0; z < 2; z++)
			builder_load(b, points(b, from, half, 0, 0, (int)z,
					       ROW_BYTES), WARP, 1);
	burst(b, SHARED, 2, WARP);
	builder_barrier(b);
}

static void make_result(struct builder *b, __u64 from, __u64 to, __u32 half)
{
	builder_load(b, points(b, from, half, 0, 0, 2, ROW_BYTES), WARP,
		     RESULT);
	builder_load(b, points(b, from, half, 0, TILE_Y, 1, 0), BORDER_LANES, 3);
	builder_load(b, points(b, from, half, 0, -1, 1, 0), BORDER_LANES, 2);
	builder_load(b, points(b, from, half, half ? WARP : -1, 0, 1,
			       ROW_BYTES), 1, 1);
	burst(b, SHARED, 5, WARP);
	burst(b, RESULT_MIX, RESULT, WARP);
	builder_store(b, points(b, to, half, 0, 0, 1, ROW_BYTES), WARP);
}

static void iteration(struct builder *b, __u64 from, __u64 to)
{
	builder_kernel(b, "block2D_hybrid_coarsen_x", SIZE_X / TILE_X, THREADS,
		       32, TILE_X * TILE_Y * FLOAT);
	builder_grid(b, SIZE_X / TILE_X, SIZE_Y / TILE_Y, 1);
	builder_block(b, TILE_X / 2, TILE_Y, 1);
	first_planes(b, from);
	builder_loop(b, SIZE_Z - 2);
	make_result(b, from, to, 0);
	make_result(b, from, to, 1);
	builder_barrier(b);
	burst(b, SHARED, 4, WARP);
	burst(b, INDEXING, PLANE, WARP);
	builder_barrier(b);
	builder_loop_end(b);
}

void build_stencil(struct builder *b)
{
	builder_footprint(b, 2 * GRID_BYTES);
	iteration(b, 0, GRID_BYTES);
	iteration(b, GRID_BYTES, 0);
	builder_again(b, 2, ITERATIONS / 2 - 1);
}
