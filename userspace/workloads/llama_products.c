// SPDX-License-Identifier: GPL-2.0
/*
 * Matrix products of a layer of Llama-2-7B in half precision: activations, a row a token,
 * times the transposed weights, a row an output. A tiled kernel for tensor cores as NVIDIA's
 * libraries have them (CUTLASS: 128 x 256 x 32, three stages): a block of 128 x 256 of the
 * result, eight warps of 64 x 64, which copy the columns after the next 32 of both matrices
 * into shared memory, without registers, while they multiply the present ones. A tensor
 * instruction is one of 16 x 8 x 16.
 */
#include "benchmarks.h"
#include "llama.h"

#define DEPTH		32
/* Bytes that a lane copies at once; so many lanes copy a row of a tile. */
#define COPY		16
#define ROW_LANES	(DEPTH * HALF / COPY)
#define WARP_ROWS	(WARP / ROW_LANES)
/* Of a warp: tensor instructions of 32 columns, and reads of 16 x 16 of an operand */
#define WARP_TILE	64
#define TENSOR		(WARP_TILE / 16 * (WARP_TILE / 8) * (DEPTH / 16))
#define OPERANDS	(2 * (WARP_TILE / 16) * (DEPTH / 16))
/* Tiles in shared memory: one is multiplied, the others are on their way. */
#define STAGES		3
#define REGISTERS	240
#define SETUP		60
/* Addresses and the loop, of a turn */
#define TURN		8

/**
 * struct shape - how a product is cut into thread blocks
 * @rows: of activations a block, a multiple of 64
 * @columns: of outputs a block, a multiple of 64
 * @parts: blocks that share a place of the result, each with a part of the depth
 */
struct shape {
	__u32 rows;
	__u32 columns;
	__u32 parts;
};

/* Blocks a kernel has at least if its blocks are wide; and if several share the depth */
#define WIDE_WANTED	512
#define BLOCKS_WANTED	128

/*
 * Blocks are narrower where a large GPU would get too few of them. With less than 128 tokens
 * several blocks share the depth.
 */
static struct shape shape_of(__u32 tokens, __u32 outputs, __u32 depth)
{
	struct shape shape = { 128, 256, 1 };

	if (tokens / shape.rows * (outputs / shape.columns) >= WIDE_WANTED)
		return shape;
	shape.columns = 128;
	if (tokens >= shape.rows)
		return shape;
	shape.rows = 64;
	while (outputs / shape.columns * shape.parts < BLOCKS_WANTED &&
	       depth / DEPTH % (2 * shape.parts) == 0)
		shape.parts *= 2;
	return shape;
}

static __u32 warps_of(const struct shape *shape)
{
	return shape->rows / WARP_TILE * (shape->columns / WARP_TILE);
}

/* Rows of a matrix of @depth columns that a block copies, from the first of a warp on */
static void copy_rows(struct builder *b, __u64 matrix, __u32 rows, __u32 depth,
		      const struct shape *shape, unsigned int dimension, __u32 *left)
{
	__u32 warps = warps_of(shape), first;

	for (first = 0; first < rows; first += warps * WARP_ROWS) {
		struct simgpu_trace_pattern copy = {
			.base = matrix + (__u64)first * depth * HALF,
			.access_bytes = COPY, .lane_stride = COPY,
			.group_lanes = ROW_LANES, .group_stride = depth * HALF,
			.warp_stride = (__s64)WARP_ROWS * depth * HALF,
			.loop_stride = { DEPTH * HALF },
		};

		copy.block_stride[dimension] = (__s64)rows * depth * HALF;
		copy.block_stride[2] = (__s64)(depth / shape->parts) * HALF;
		/* What is copied is needed after the turns of the other stages. */
		builder_load(b, builder_access(b, &copy), WARP, --*left);
	}
}

/* A turn: copies of the next columns, then the products of the present ones */
static void multiply(struct builder *b, __u64 weights, __u32 depth, const struct shape *shape)
{
	__u32 copies = (shape->rows + shape->columns) / (warps_of(shape) * WARP_ROWS);
	__u32 turn = copies + TURN + OPERANDS + TENSOR + 1;
	__u32 left = (STAGES - 1) * turn - 1;

	builder_loop(b, depth / shape->parts / DEPTH);
	copy_rows(b, 0, shape->rows, depth, shape, 0, &left);
	copy_rows(b, weights, shape->columns, depth, shape, 1, &left);
	burst(b, INDEXING, TURN, WARP);
	/* A tensor instruction adds to what the one of the turn's other half has added to. */
	burst(b, "M*4 T40 T40 T40 T40", OPERANDS + TENSOR, WARP);
	builder_barrier(b);
	builder_loop_end(b);
}

/* The result goes through shared memory, so that a warp writes whole rows of the block's. */
static void write_result(struct builder *b, __u64 result, __u32 outputs, __u32 bytes,
			 const struct shape *shape, __u64 part_bytes)
{
	__s64 row = (__s64)outputs * bytes;
	__u32 lanes = shape->columns * bytes / COPY;
	__s64 rows = WARP / lanes * row;

	builder_loop(b, shape->rows * lanes / WARP / warps_of(shape));
	burst(b, "F F M2 M1 I I1", 6, WARP);
	builder_store(b, ACCESS(b, .base = result, .access_bytes = COPY, .lane_stride = COPY,
				.group_lanes = lanes % WARP,
				.group_stride = lanes % WARP ? row : 0,
				.warp_stride = rows, .loop_stride = { warps_of(shape) * rows },
				.block_stride = { shape->rows * row, shape->columns * bytes,
						  (__s64)part_bytes }), WARP);
	builder_after(b, 1);
	builder_loop_end(b);
}

#define SUM_THREADS	256

/* The parts of a result, in single precision, are added: four elements a thread. */
static void add_parts(struct builder *b, __u64 parts, __u64 result, __u32 elements,
		      const struct shape *shape)
{
	__u32 part;

	builder_kernel(b, "splitKreduce_kernel", elements / 4 / SUM_THREADS, SUM_THREADS, 32, 0);
	burst(b, INDEXING, 16, WARP);
	for (part = 0; part < shape->parts; part++)
		load_own(b, parts + (__u64)part * elements * 4, SUM_THREADS, 4 * FLOAT,
			 shape->parts - 1 - part);
	burst(b, FOUR_CHAINS, 4 * shape->parts, WARP);
	store_own(b, result, SUM_THREADS, 4 * HALF);
}

static void build_product(struct builder *b, __u32 depth, __u32 outputs)
{
	__u32 tokens = builder_sized(b, LLAMA_TOKENS, LLAMA_TOKENS_UNIT);
	struct shape shape = shape_of(tokens, outputs, depth);
	__u32 rows = (tokens + shape.rows - 1) / shape.rows;
	__u64 weights = (__u64)rows * shape.rows * depth * HALF;
	__u64 result = weights + (__u64)outputs * depth * HALF;
	__u64 elements = (__u64)rows * shape.rows * outputs;
	__u64 parts = result + elements * HALF;

	builder_footprint(b, parts + (shape.parts > 1 ? shape.parts * elements * FLOAT : 0));
	builder_kernel(b, "s16816gemm_tn", rows * (outputs / shape.columns) * shape.parts,
		       warps_of(&shape) * WARP, REGISTERS,
		       STAGES * (shape.rows + shape.columns) * DEPTH * HALF);
	builder_grid(b, rows, outputs / shape.columns, shape.parts);
	burst(b, INDEXING, SETUP, WARP);
	multiply(b, weights, depth, &shape);
	if (shape.parts > 1) {
		write_result(b, parts, outputs, FLOAT, &shape, elements * FLOAT);
		add_parts(b, parts, result, (__u32)elements, &shape);
		builder_again(b, 2, LLAMA_LAUNCHES - 1);
	} else {
		write_result(b, result, outputs, HALF, &shape, 0);
		llama_again(b);
	}
}

void build_llama_qkv(struct builder *b)
{
	build_product(b, LLAMA_HIDDEN, 3 * LLAMA_HIDDEN);
}

void build_llama_out(struct builder *b)
{
	build_product(b, LLAMA_HIDDEN, LLAMA_HIDDEN);
}

void build_llama_up(struct builder *b)
{
	build_product(b, LLAMA_HIDDEN, 2 * LLAMA_MLP);
}

void build_llama_down(struct builder *b)
{
	build_product(b, LLAMA_MLP, LLAMA_HIDDEN);
}
