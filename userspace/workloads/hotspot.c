// SPDX-License-Identifier: GPL-2.0
/*
 * HOTSPOT. Rodinia, cuda/hotspot/hotspot.cu, calculate_temp: a pyramid of time
 * steps. A block of 16 x 16 threads loads temperature and power of its tile,
 * advances it by some steps in shared memory, each of which makes the valid
 * part smaller by a ring, and writes what is left in the middle.
 */
#include "benchmarks.h"

#define TILE		16
/* Steps of a launch, the program's argument pyramid_height */
#define HEIGHT		5
#define LEFT		(TILE - 2 * HEIGHT)
#define BLOCKS		1366
#define LAUNCHES	2

#define ROW_BYTES	(8448LL * FLOAT)
#define MARGIN_BYTES	((__u64)ROW_BYTES * TILE)
#define GRID_BYTES	((__u64)ROW_BYTES * 8448)

#define POWER		0ULL
#define TEMPERATURE	(POWER + GRID_BYTES)
#define RESULT		(TEMPERATURE + GRID_BYTES)
#define END		(RESULT + GRID_BYTES + MARGIN_BYTES)

#define SETUP		40
#define STEP		24
#define RANGES		16
/* Three differences, in x, y and to the surroundings, come together. */
#define STEP_MIX	"F3"

static __u32 cells(struct builder *b, __u64 grid, __u32 row)
{
	return ACCESS(b, .base = grid + row * ROW_BYTES, .access_bytes = FLOAT,
		      .block_stride = { LEFT * FLOAT, LEFT * ROW_BYTES },
		      .warp_stride = 2 * ROW_BYTES, .lane_stride = FLOAT);
}

/* A step: the warps' two rows, less a ring; idle rows are left out on average. */
static void advance(struct builder *b, __u32 step)
{
	__u32 valid = TILE - 2 * step - 2;
	__u32 lanes = 2 * valid * valid / TILE;

	burst(b, INDEXING, RANGES, WARP);
	burst(b, SHARED, 7, lanes);
	burst(b, STEP_MIX, STEP, lanes);
	builder_barrier(b);
	burst(b, SHARED, 2, lanes);
	builder_barrier(b);
}

void build_hotspot(struct builder *b)
{
	__u32 i;

	builder_footprint(b, END);
	builder_kernel(b, "calculate_temp", BLOCKS, TILE * TILE, 32,
		       3 * TILE * TILE * FLOAT);
	builder_grid(b, BLOCKS, BLOCKS, 1);
	builder_block(b, TILE, TILE, 1);
	burst(b, INDEXING, SETUP, WARP);
	for (i = 0; i < 2; i++) {
		builder_load(b, cells(b, TEMPERATURE, i), TILE, 2);
		builder_load(b, cells(b, POWER, i), TILE, 1);
	}
	burst(b, SHARED, 2, WARP);
	builder_barrier(b);
	for (i = 0; i < HEIGHT; i++)
		advance(b, i);
	builder_store(b, cells(b, RESULT, 0), LEFT);
	builder_again(b, 1, LAUNCHES - 1);
}
