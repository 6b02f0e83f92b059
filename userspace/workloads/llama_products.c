// SPDX-License-Identifier: GPL-2.0
/*
 * Matrix products of a layer of Llama-2-7B in half precision: activations, a row a token,
 * times the transposed weights, a row an output. Tiled kernels for tensor cores as NVIDIA's
 * libraries have them: a block of the result for each thread block, whose warps copy the next
 * columns of both matrices into shared memory, without registers, while they multiply the
 * present ones. A tensor instruction is one of 16 x 8 x 16, or as much of a larger one.
 */
#include <stdbool.h>

#include "benchmarks.h"
#include "llama.h"

/* Bytes that a lane copies at once */
#define COPY		16
/* Rows and columns of the result that a warp has */
#define WARP_TILE	64
/* What a tensor instruction multiplies: rows and columns of the result, and depth */
#define TENSOR_ROWS	16
#define TENSOR_COLUMNS	8
#define TENSOR_DEPTH	16
#define SETUP		60
/* Addresses and the loop, of a turn */
#define TURN		8

/**
 * struct generation - the instructions that a program is written for
 * @kernel: its kernel's name
 * @depth: columns of both matrices a turn; a row of them is copied by lanes of @COPY bytes
 * @stages: tiles in shared memory, at most: one is multiplied, the others are on their way
 * @shared: bytes of shared memory that they may take
 * @registers: of a thread
 * @reads_operands: warps read what they multiply from shared memory into registers
 * @cluster: thread blocks beside each other that have the same weights, and of these each
 *	copies a part for all
 */
struct generation {
	const char *kernel;
	__u32 depth;
	__u32 stages;
	__u32 shared;
	__u32 registers;
	bool reads_operands;
	__u32 cluster;
};

/* CUTLASS' multistage kernel of 128 x 256 x 32 */
static const struct generation ampere = {
	"s16816gemm_tn", .depth = 32, .stages = 3, .shared = 128 << 10, .registers = 240,
	.reads_operands = true, .cluster = 1,
};

/*
 * CUTLASS' kernel for warp groups of 128 x 256 x 64 in clusters of 2 x 1: instructions of four
 * warps take operands from shared memory, and what one block of a cluster copies arrives in both
 * (TMA multicast). The other block's copy costs nothing here.
 */
static const struct generation hopper = {
	"sm90_gemm_tn", .depth = 64, .stages = 4, .shared = 192 << 10, .registers = 168,
	.reads_operands = false, .cluster = 2,
};

/**
 * struct shape - how a product is cut into thread blocks
 * @rows: of activations a block, a multiple of 64
 * @columns: of outputs a block, a multiple of 64
 * @parts: blocks that share a place of the result, each with a part of the depth
 * @cluster: blocks of a cluster; more than 1 only with one part
 */
struct shape {
	__u32 rows;
	__u32 columns;
	__u32 parts;
	__u32 cluster;
};

/* Blocks a kernel has at least if its blocks are wide; and if several share the depth */
#define WIDE_WANTED	512
#define BLOCKS_WANTED	128

/*
 * Blocks are narrower where a large GPU would get too few of them. With less than 128 tokens
 * several blocks share the depth.
 */
static struct shape shape_of(const struct generation *of, __u32 tokens, __u32 outputs,
			     __u32 depth)
{
	struct shape shape = { 128, 256, 1, 1 };

	if (tokens >= shape.rows * of->cluster)
		shape.cluster = of->cluster;
	if (tokens / shape.rows * (outputs / shape.columns) >= WIDE_WANTED)
		return shape;
	shape.columns = 128;
	if (tokens >= shape.rows)
		return shape;
	shape.rows = 64;
	while (outputs / shape.columns * shape.parts < BLOCKS_WANTED &&
	       depth / of->depth % (2 * shape.parts) == 0)
		shape.parts *= 2;
	return shape;
}

/* A warp has 64 x 64 of the result, or one of a group 16 whole rows. */
static __u32 warps_of(const struct generation *of, const struct shape *shape)
{
	if (of->reads_operands)
		return shape->rows / WARP_TILE * (shape->columns / WARP_TILE);
	return shape->rows / TENSOR_ROWS;
}

/* Tensor instructions of a warp in a turn */
static __u32 tensor_of(const struct generation *of, const struct shape *shape)
{
	return shape->rows / TENSOR_ROWS * (shape->columns / TENSOR_COLUMNS) *
		(of->depth / TENSOR_DEPTH) / warps_of(of, shape);
}

/* Reads of 16 x 16 of an operand by a warp in a turn */
static __u32 operands_of(const struct generation *of)
{
	return of->reads_operands ? 2 * (WARP_TILE / 16) * (of->depth / TENSOR_DEPTH) : 0;
}

static __u32 stage_bytes(const struct generation *of, const struct shape *shape)
{
	return (shape->rows + shape->columns) * of->depth * HALF;
}

static __u32 stages_of(const struct generation *of, const struct shape *shape)
{
	__u32 fit = of->shared / stage_bytes(of, shape);

	return fit < of->stages ? fit : of->stages;
}

/* Rows that a warp copies at once */
static __u32 warp_rows(const struct generation *of)
{
	return WARP * COPY / (of->depth * HALF);
}

/*
 * Bytes from a block to the next one of its cluster, down the rows, along the columns, and to
 * the next part
 */
static void set_strides(struct simgpu_trace_pattern *pattern, const struct shape *shape,
			__s64 member, __s64 row, __s64 column, __s64 part)
{
	bool cluster = shape->cluster > 1;

	pattern->block_stride[0] = cluster ? member : row;
	pattern->block_stride[1] = cluster ? shape->cluster * row : column;
	pattern->block_stride[2] = cluster ? column : part;
}

/* A warp's share of the next columns of a matrix, of which the block copies @rows */
static void copy_rows(struct builder *b, const struct generation *of,
		      const struct shape *shape, struct simgpu_trace_pattern copy, __u32 rows,
		      __u32 depth, __u32 *left)
{
	__u32 at_once = warps_of(of, shape) * warp_rows(of), first;

	copy.access_bytes = COPY;
	copy.lane_stride = COPY;
	copy.group_lanes = of->depth * HALF / COPY;
	copy.group_stride = depth * HALF;
	copy.warp_stride = (__s64)warp_rows(of) * depth * HALF;
	copy.loop_stride[0] = of->depth * HALF;
	for (first = 0; first < rows; first += at_once) {
		/* What is copied is needed after the turns of the other stages. */
		builder_load(b, builder_access(b, &copy), WARP, --*left);
		copy.base += (__u64)at_once * depth * HALF;
	}
}

/* A turn: copies of the next columns, then the products of the present ones */
static void multiply(struct builder *b, const struct generation *of, __u64 weights, __u32 depth,
		     const struct shape *shape)
{
	__u32 own_columns = shape->columns / shape->cluster;
	__u32 copies = (shape->rows + own_columns) / (warps_of(of, shape) * warp_rows(of));
	__u32 products = operands_of(of) + tensor_of(of, shape);
	__u32 turn = copies + TURN + products + 1;
	__u32 left = (stages_of(of, shape) - 1) * turn - 1;
	__s64 row_bytes = (__s64)depth * HALF, part = row_bytes / shape->parts;
	struct simgpu_trace_pattern activation = { .base = 0 }, weight = { .base = weights };

	set_strides(&activation, shape, shape->rows * row_bytes, shape->rows * row_bytes, 0, part);
	set_strides(&weight, shape, own_columns * row_bytes, 0, shape->columns * row_bytes, part);
	builder_loop(b, depth / shape->parts / of->depth);
	copy_rows(b, of, shape, activation, shape->rows, depth, &left);
	copy_rows(b, of, shape, weight, own_columns, depth, &left);
	burst(b, INDEXING, TURN, WARP);
	/* A tensor instruction adds to what the one of 16 columns earlier has added to. */
	if (of->reads_operands)
		burst(b, "M*4 T40 T40 T40 T40", products, WARP);
	else
		burst(b, shape->columns == 256 ? "T32" : "T16", products, WARP);
	builder_barrier(b);
	builder_loop_end(b);
}

/* The result goes through shared memory, so that a warp writes whole rows of the block's. */
static void write_result(struct builder *b, const struct generation *of, __u64 result,
			 __u32 outputs, __u32 bytes, const struct shape *shape, __u64 part_bytes)
{
	__s64 row = (__s64)outputs * bytes;
	__u32 lanes = shape->columns * bytes / COPY, warps = warps_of(of, shape);
	__s64 rows = WARP / lanes * row;
	struct simgpu_trace_pattern write = {
		.base = result, .access_bytes = COPY, .lane_stride = COPY,
		.group_lanes = lanes % WARP, .group_stride = lanes % WARP ? row : 0,
		.warp_stride = rows, .loop_stride = { warps * rows },
	};

	set_strides(&write, shape, shape->rows * row, shape->rows * row, shape->columns * bytes,
		    (__s64)part_bytes);
	builder_loop(b, shape->rows * lanes / WARP / warps);
	burst(b, "F F M2 M1 I I1", 6, WARP);
	builder_store(b, builder_access(b, &write), WARP);
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

/* The @rows of blocks, each of a cluster, and @columns of blocks, or blocks that share them */
static void set_grid(struct builder *b, const struct shape *shape, __u32 rows, __u32 columns)
{
	if (shape->cluster > 1)
		builder_grid(b, shape->cluster, rows / shape->cluster, columns);
	else
		builder_grid(b, rows, columns, shape->parts);
}

static void build_product(struct builder *b, const struct generation *of, __u32 depth,
			  __u32 outputs)
{
	__u32 tokens = builder_sized(b, LLAMA_TOKENS, LLAMA_TOKENS_UNIT);
	struct shape shape = shape_of(of, tokens, outputs, depth);
	__u32 unit = shape.rows * shape.cluster;
	__u32 rows = (tokens + unit - 1) / unit * shape.cluster;
	__u64 weights = (__u64)rows * shape.rows * depth * HALF;
	__u64 result = weights + (__u64)outputs * depth * HALF;
	__u64 elements = (__u64)rows * shape.rows * outputs;
	__u64 parts = result + elements * HALF;

	builder_footprint(b, parts + (shape.parts > 1 ? shape.parts * elements * FLOAT : 0));
	builder_kernel(b, of->kernel, rows * (outputs / shape.columns) * shape.parts,
		       warps_of(of, &shape) * WARP, of->registers,
		       stages_of(of, &shape) * stage_bytes(of, &shape));
	set_grid(b, &shape, rows, outputs / shape.columns);
	burst(b, INDEXING, SETUP, WARP);
	multiply(b, of, weights, depth, &shape);
	if (shape.parts > 1) {
		write_result(b, of, parts, outputs, FLOAT, &shape, elements * FLOAT);
		add_parts(b, parts, result, (__u32)elements, &shape);
		builder_again(b, 2, LLAMA_LAUNCHES - 1);
	} else {
		write_result(b, of, result, outputs, HALF, &shape, 0);
		llama_again(b);
	}
}

#define PRODUCT(name, depth, outputs)						\
void build_llama_##name(struct builder *b)					\
{										\
	build_product(b, &ampere, depth, outputs);				\
}										\
										\
void build_llama_##name##_sm90(struct builder *b)				\
{										\
	build_product(b, &hopper, depth, outputs);				\
}

PRODUCT(qkv, LLAMA_HIDDEN, 3 * LLAMA_HIDDEN)
PRODUCT(out, LLAMA_HIDDEN, LLAMA_HIDDEN)
PRODUCT(up, LLAMA_HIDDEN, 2 * LLAMA_MLP)
PRODUCT(down, LLAMA_MLP, LLAMA_HIDDEN)
