// SPDX-License-Identifier: GPL-2.0
/*
 * Warp programs of the classes. Each is a loop of loads, instructions and stores, whose
 * turns the fit chooses, and a tail of dependent instructions. What an instruction waits for
 * is as in the workloads that were written by hand: products as CUTLASS has them
 * (llama_products.c), streams as PyTorch's vectorized elementwise kernel.
 */
#include <stdlib.h>
#include <string.h>

#include "../workloads/common.h"
#include "templates.h"

#define PAGE		4096ULL
/* An array of so much memory begins again at its front; it is more than any cache. */
#define ARRAY_BYTES	(256ULL << 20)
/* Most memory of all arrays that are larger than that since a kernel has so many blocks */
#define ARRAYS_BYTES_MAX (7ULL << 30)
/* Bytes that a lane accesses at once */
#define WIDE		16
#define SETUP		16
/* Depth of a tile of a product: single precision on FP32 units, half on tensor cores */
#define DEPTH_FP32	8
#define DEPTH_TENSOR	32
/* Rows, columns and depth of a tensor instruction */
#define TENSOR_PRODUCT	(16 * 8 * 16)
/* A multiple of it is the size of a row that an embedding reads. */
#define ROW_LINES	4

/**
 * struct shape - of a kernel to be written
 * @threads: of a thread block
 * @warps: of a thread block
 * @lanes: active in every warp
 * @blocks: thread blocks
 * @inner: turns after which the arrays begin again
 */
struct shape {
	uint32_t threads;
	uint32_t warps;
	uint32_t lanes;
	uint64_t blocks;
	uint32_t inner;
};

static uint64_t greater(uint64_t a, uint64_t b)
{
	return a > b ? a : b;
}

static uint32_t access_bytes(const struct synthetic *s)
{
	return s->class->family == FAMILY_TILES || strstr(s->kernel->name, "vectorized") ||
	       strstr(s->kernel->name, "aligned16") || strstr(s->kernel->name, "nccl") ?
		WIDE : FLOAT;
}

/* Bytes that a thread block has of an array in a turn */
static uint64_t block_bytes(const struct synthetic *s, const struct shape *shape)
{
	return (uint64_t)shape->warps * WARP * access_bytes(s);
}

/**
 * struct tiles - a turn of a product
 * @loads: copies of a warp from each matrix
 * @products: instructions that multiply, of a warp
 * @operands: reads of shared memory, of a warp
 */
struct tiles {
	uint32_t loads[2];
	uint32_t products;
	uint32_t operands;
};

/* As many as there are for each warp, at least one */
static uint32_t a_warp(uint64_t whole, uint32_t warps)
{
	uint64_t part = whole / warps;

	return part ? (uint32_t)part : 1;
}

static struct tiles tiles_of(const struct synthetic *s, const struct shape *shape)
{
	bool tensor = class_has_tensor(s->kernel->name);
	uint64_t depth = tensor ? DEPTH_TENSOR : DEPTH_FP32, bytes = tensor ? 2 : FLOAT;
	uint32_t rows, columns;
	struct tiles tiles;

	class_tile(s->kernel, &rows, &columns);
	tiles.loads[0] = a_warp(rows * depth * bytes / (WARP * WIDE), shape->warps);
	tiles.loads[1] = a_warp(columns * depth * bytes / (WARP * WIDE), shape->warps);
	tiles.products = a_warp((uint64_t)rows * columns * depth /
				(tensor ? TENSOR_PRODUCT : WARP), shape->warps);
	/* A value that is read serves four tensor instructions, or 16 products of single ones. */
	tiles.operands = a_warp(tiles.products / (tensor ? 4 : 16), 1);
	return tiles;
}

/* Bytes that a thread block has of the larger array in a turn */
static uint64_t turn_bytes(const struct synthetic *s, const struct shape *shape)
{
	struct tiles tiles;

	if (s->class->family != FAMILY_TILES)
		return block_bytes(s, shape);
	tiles = tiles_of(s, shape);
	return greater(tiles.loads[0], tiles.loads[1]) * block_bytes(s, shape);
}

static struct shape shape_of(const struct synthetic *s)
{
	const struct activity *kernel = s->kernel;
	struct shape shape = { .inner = 1 };
	uint64_t inner;

	shape.threads = kernel->block[0] * kernel->block[1] * kernel->block[2];
	shape.warps = (shape.threads + WARP - 1) / WARP;
	shape.lanes = shape.threads < WARP ? shape.threads : WARP;
	shape.blocks = (uint64_t)kernel->grid[0] * kernel->grid[1] * kernel->grid[2];
	inner = ARRAY_BYTES / (shape.blocks * turn_bytes(s, &shape));
	if (inner > s->turns + !!s->extra)
		inner = s->turns + !!s->extra;
	if (inner > 1)
		shape.inner = (uint32_t)inner;
	return shape;
}

static uint32_t arrays_of(const struct synthetic *s)
{
	return s->class->family == FAMILY_TILES ? 3 : s->class->loads + s->class->stores;
}

/*
 * Strides that put blocks side by side, @unit bytes each. Where an array would become larger
 * than the limit, all blocks of the dimension have the same elements.
 */
static uint64_t set_strides(__s64 strides[3], const struct synthetic *s,
			    const uint32_t grid[3], uint64_t unit)
{
	uint64_t bytes = unit, most = ARRAYS_BYTES_MAX / arrays_of(s);
	int i;

	for (i = 0; i < 3; i++) {
		bool fits = bytes <= most / grid[i];

		strides[i] = fits ? (int64_t)bytes : 0;
		bytes *= fits ? grid[i] : 1;
	}
	return bytes;
}

/* Blocks in a row share the tiles of one matrix, those in a column those of the other. */
static uint64_t matrix_strides(__s64 strides[3], const struct synthetic *s, uint32_t matrix,
			   uint64_t unit)
{
	const uint32_t *grid = s->kernel->grid;
	const uint32_t seen[3] = { matrix ? 1 : grid[0], matrix ? grid[1] : 1, grid[2] };
	uint64_t bytes = set_strides(strides, s, seen, unit);

	strides[matrix ? 0 : 1] = 0;
	return bytes;
}

/* Bytes of each array, as many as the largest one needs */
static uint64_t array_bytes(const struct synthetic *s, const struct shape *shape)
{
	uint64_t unit = block_bytes(s, shape), bytes;
	__s64 strides[3];
	struct tiles tiles;
	uint32_t matrix;

	bytes = set_strides(strides, s, s->kernel->grid, unit);
	if (s->class->family != FAMILY_TILES)
		return bytes * shape->inner;
	tiles = tiles_of(s, shape);
	for (matrix = 0; matrix < 2; matrix++)
		bytes = greater(bytes, matrix_strides(strides, s, matrix,
						      tiles.loads[matrix] * unit * shape->inner));
	return bytes;
}

static uint64_t round_up(uint64_t bytes)
{
	return (bytes + PAGE - 1) / PAGE * PAGE;
}

const char *synthetic_refusal(const struct activity *kernel)
{
	uint64_t blocks = (uint64_t)kernel->grid[0] * kernel->grid[1];
	uint64_t threads = (uint64_t)kernel->block[0] * kernel->block[1];

	if (blocks > SIMGPU_TRACE_BLOCKS_MAX || blocks * kernel->grid[2] > SIMGPU_TRACE_BLOCKS_MAX)
		return "it has more than 2^31 thread blocks";
	if (threads > SIMGPU_TRACE_BLOCK_THREADS_MAX ||
	    threads * kernel->block[2] > SIMGPU_TRACE_BLOCK_THREADS_MAX)
		return "its thread blocks have more than 1024 threads";
	return NULL;
}

uint64_t synthetic_bytes(const struct synthetic *synthetic)
{
	struct shape shape = shape_of(synthetic);

	return round_up(array_bytes(synthetic, &shape)) * arrays_of(synthetic);
}

uint64_t synthetic_moved(const struct synthetic *synthetic)
{
	const struct kernel_class *class = synthetic->class;
	struct shape shape = shape_of(synthetic);
	uint64_t all = (uint64_t)shape.warps * shape.lanes * access_bytes(synthetic);
	uint64_t rows = (uint64_t)shape.warps * ROW_LINES * FLOAT;
	uint64_t turns = shape.blocks * synthetic->turns + synthetic->extra;
	struct tiles tiles;

	if (class->family == FAMILY_STREAM)
		return turns * all * (class->loads + class->stores);
	if (class->family == FAMILY_GATHER)
		return turns * (rows * class->loads + all * class->stores);
	tiles = tiles_of(synthetic, &shape);
	return turns * all * (tiles.loads[0] + tiles.loads[1]) +
		(synthetic->turns ? shape.blocks : synthetic->extra) * all;
}

/* --- streams --------------------------------------------------------------------------- */

static uint32_t element(struct builder *b, const struct synthetic *s, const struct shape *shape,
			uint32_t array)
{
	struct simgpu_trace_pattern pattern = {
		.base = (int64_t)(s->base + array * round_up(array_bytes(s, shape))),
		.access_bytes = access_bytes(s),
		.lane_stride = access_bytes(s), .warp_stride = (int64_t)WARP * access_bytes(s),
	};
	/* Loop 0 begins the arrays again, loop 1 goes through them. */
	pattern.loop_stride[1] = (int64_t)set_strides(pattern.block_stride, s, s->kernel->grid,
						      block_bytes(s, shape));
	return builder_access(b, &pattern);
}

static uint32_t rows_anywhere(struct builder *b, const struct synthetic *s,
			      const struct shape *shape, uint32_t array)
{
	uint64_t bytes = round_up(array_bytes(s, shape));

	return anywhere(b, s->base + array * bytes, bytes, ROW_LINES, FLOAT, array + 1);
}

static void stream_turn(struct builder *b, const struct synthetic *s, const struct shape *shape)
{
	uint32_t i;

	burst(b, INDEXING, 4, shape->lanes);
	for (i = 0; i < s->class->loads; i++) {
		uint32_t pattern = s->class->family == FAMILY_GATHER ?
			rows_anywhere(b, s, shape, i) : element(b, s, shape, i);

		/* All loads are on their way before the first one's data is needed. */
		builder_load(b, pattern, shape->lanes, s->class->loads - i);
	}
	burst(b, s->class->mix, s->class->count, shape->lanes);
	for (i = 0; i < s->class->stores; i++) {
		builder_store(b, element(b, s, shape, s->class->loads + i), shape->lanes);
		builder_after(b, 1);
	}
}

/* --- products -------------------------------------------------------------------------- */

static void copy_tiles(struct builder *b, const struct synthetic *s, const struct shape *shape,
		       const struct tiles *tiles, uint32_t matrix, uint32_t consume_after)
{
	uint64_t unit = block_bytes(s, shape), turn = tiles->loads[matrix] * unit;
	struct simgpu_trace_pattern pattern = {
		.base = (int64_t)(s->base + matrix * round_up(array_bytes(s, shape))),
		.access_bytes = WIDE, .lane_stride = WIDE, .warp_stride = WARP * WIDE,
		.loop_stride = { 0, (int64_t)turn },
	};
	uint32_t i;

	matrix_strides(pattern.block_stride, s, matrix, turn * shape->inner);
	for (i = 0; i < tiles->loads[matrix]; i++) {
		builder_load(b, builder_access(b, &pattern), shape->lanes, consume_after - i);
		pattern.base += (int64_t)unit;
	}
}

static void tiles_turn(struct builder *b, const struct synthetic *s, const struct shape *shape)
{
	bool tensor = class_has_tensor(s->kernel->name);
	bool attention = strcmp(s->class->name, "attention") == 0;
	struct tiles tiles = tiles_of(s, shape);
	uint32_t work = tiles.products + tiles.operands;
	/* What is copied is needed in the next turn. */
	uint32_t after = work + tiles.loads[0] + tiles.loads[1];

	copy_tiles(b, s, shape, &tiles, 0, after);
	copy_tiles(b, s, shape, &tiles, 1, after - tiles.loads[0]);
	burst(b, INDEXING, 8, shape->lanes);
	if (tensor)
		burst(b, "M*4 T40 T40 T40 T40", work, shape->lanes);
	else
		burst(b, "M F16 F16 F16 F16 F16 F16 F16 F16 F16 F16 F16 F16 F16 F16 F16 F16", work,
		      shape->lanes);
	/* Exponential functions of the scores, and the greatest one */
	if (attention)
		burst(b, "F S1 F1 F", a_warp(tiles.products / 2, 1), shape->lanes);
	builder_barrier(b);
}

static void write_result(struct builder *b, const struct synthetic *s, const struct shape *shape)
{
	struct simgpu_trace_pattern pattern = {
		.base = (int64_t)(s->base + 2 * round_up(array_bytes(s, shape))),
		.access_bytes = WIDE, .lane_stride = WIDE, .warp_stride = WARP * WIDE,
	};

	set_strides(pattern.block_stride, s, s->kernel->grid, block_bytes(s, shape));
	builder_store(b, builder_access(b, &pattern), shape->lanes);
	builder_after(b, 1);
}

/* --- kernels --------------------------------------------------------------------------- */

static void turn(struct builder *b, const struct synthetic *s, const struct shape *shape)
{
	if (s->class->family == FAMILY_TILES)
		tiles_turn(b, s, shape);
	else
		stream_turn(b, s, shape);
}

/* @outer times through the arrays, @inner turns each; nothing if one of them is 0 */
static void loops(struct builder *b, const struct synthetic *s, const struct shape *shape,
		  uint32_t outer, uint32_t inner)
{
	if (!outer || !inner)
		return;
	builder_loop(b, outer);
	builder_loop(b, inner);
	turn(b, s, shape);
	builder_loop_end(b);
	builder_loop_end(b);
}

static void program(struct builder *b, const struct synthetic *s, const struct shape *shape,
		    uint32_t turns)
{
	burst(b, INDEXING, SETUP, shape->lanes);
	loops(b, s, shape, turns / shape->inner, shape->inner);
	loops(b, s, shape, 1, turns % shape->inner);
	if (turns && s->class->family == FAMILY_TILES)
		write_result(b, s, shape);
	if (turns && s->class->adds_up)
		add_up_block(b, shape->threads, 1);
	if (s->tail)
		burst(b, CHAIN, s->tail, shape->lanes);
}

/*
 * The first @s->extra blocks are like the table's block 0, the others like its block 1: whole
 * rows of the grid, then the row in which that changes, then the rest.
 */
static void divide_blocks(struct builder *b, const struct synthetic *s, const struct shape *shape)
{
	const uint32_t *grid = s->kernel->grid;
	uint32_t rows = grid[1] * grid[2], whole = s->extra / grid[0], within = s->extra % grid[0];
	uint32_t warp;

	for (warp = 0; warp < 2 * shape->warps; warp++)
		builder_warp(b, warp >= shape->warps, 0);
	if (whole) {
		builder_row(b, whole);
		builder_run(b, grid[0], 0);
	}
	if (within) {
		builder_row(b, whole + 1);
		builder_run(b, within, 0);
		builder_run(b, grid[0], 1);
	}
	if (whole + !!within < rows) {
		builder_row(b, rows);
		builder_run(b, grid[0], 1);
	}
}

void synthetic_build(struct builder *builder, const struct synthetic *s)
{
	const struct activity *kernel = s->kernel;
	struct shape shape = shape_of(s);
	char name[SIMGPU_TRACE_NAME_BYTES];

	class_short_name(kernel->name, name, sizeof(name));
	builder_kernel(builder, name, 1, 1,
		       kernel->registers ? kernel->registers : SYNTHETIC_REGISTERS,
		       s->shared_bytes);
	builder_grid(builder, kernel->grid[0], kernel->grid[1], kernel->grid[2]);
	builder_block(builder, kernel->block[0], kernel->block[1], kernel->block[2]);
	program(builder, s, &shape, s->turns + !!s->extra);
	if (!s->extra)
		return;
	builder_program(builder);
	program(builder, s, &shape, s->turns);
	divide_blocks(builder, s, &shape);
}

void *synthetic_trace(const struct synthetic *synthetic, size_t *bytes)
{
	struct builder *builder = builder_new("synthetic", "simgpu trace import");
	struct synthetic alone = *synthetic;
	void *trace = NULL;

	if (!builder)
		return NULL;
	alone.base = 0;
	builder_footprint(builder, synthetic_bytes(&alone));
	synthetic_build(builder, &alone);
	trace = builder_finish(builder, 0, bytes);
	builder_free(builder);
	return trace;
}
