// SPDX-License-Identifier: GPL-2.0
/*
 * Matrix products of a language model. Tiled kernels for tensor cores as NVIDIA's libraries
 * have them: a block of the result for each thread block, whose warps copy the next
 * columns of both matrices into shared memory, without registers, while they multiply the
 * present ones. A tensor instruction is one of 16 x 8 x 32 bytes, or as much of a larger one.
 */
#include <stdio.h>

#include "common.h"
#include "llm_products.h"

/* Rows and columns of the result that a warp has */
#define WARP_TILE	64
#define SETUP		60
/* Addresses and the loop, of a turn */
#define TURN		8

const struct llm_generation llm_ampere = {
	"s16816gemm_tn", .turn_bytes = 64, .stages = 3, .shared = 128 << 10, .registers = 240,
	.reads_operands = true, .cluster = 1,
};

const struct llm_generation llm_hopper = {
	"sm90_gemm_tn", .turn_bytes = 128, .stages = 4, .shared = 192 << 10, .registers = 168,
	.reads_operands = false, .cluster = 2,
};

/* Blocks a kernel has at least if its blocks are wide; and if several share the depth */
#define WIDE_WANTED	512
#define BLOCKS_WANTED	128
/* Bytes of a value, of the products whose tile is fixed */
#define HALF		2

struct llm_tile llm_tile_fixed(const struct llm_generation *of, __u32 tokens, __u32 outputs,
			       __u32 depth)
{
	struct llm_tile tile = {
		.rows = 128, .columns = 256, .parts = 1, .cluster = 1,
		.warp_rows = WARP_TILE, .warp_columns = WARP_TILE,
	};

	if (tokens >= tile.rows * of->cluster)
		tile.cluster = of->cluster;
	if (tokens / tile.rows * (outputs / tile.columns) < WIDE_WANTED)
		tile.columns = 128;
	if (tokens >= tile.rows)
		return tile;
	tile.rows = 64;
	while (outputs / tile.columns * tile.parts < BLOCKS_WANTED &&
	       depth * HALF / of->turn_bytes % (2 * tile.parts) == 0)
		tile.parts *= 2;
	return tile;
}

/* A warp of one group has 16 whole rows. */
static __u32 warps_of(const struct llm_generation *of, const struct llm_tile *tile)
{
	if (of->reads_operands)
		return tile->rows / tile->warp_rows * (tile->columns / tile->warp_columns);
	return tile->rows / LLM_TENSOR_ROWS;
}

/* Of a thread: besides a number that all tiles need, its part of the result */
static __u32 registers_of(const struct llm_generation *of, const struct llm_tile *tile)
{
	if (!of->reads_operands)
		return of->registers;
	return of->registers - WARP_TILE * WARP_TILE / WARP +
		tile->warp_rows * tile->warp_columns / WARP;
}

/* Tensor instructions of a thread block in a turn */
static __u32 tensor_of(const struct llm_generation *of, const struct llm_tile *tile)
{
	return tile->rows / LLM_TENSOR_ROWS * (tile->columns / LLM_TENSOR_COLUMNS) *
		(of->turn_bytes / LLM_TENSOR_BYTES);
}

static __u32 stage_bytes(const struct llm_generation *of, const struct llm_tile *tile)
{
	return (tile->rows + tile->columns) * of->turn_bytes;
}

static __u32 stages_of(const struct llm_generation *of, const struct llm_tile *tile)
{
	__u32 fit = of->shared / stage_bytes(of, tile);

	return fit < of->stages ? fit : of->stages;
}

static __u32 turns_of(const struct llm_generation *of, const struct llm_tile *tile,
		      __u64 row_bytes)
{
	return (__u32)(row_bytes / tile->parts / of->turn_bytes);
}

__u64 llm_product_rows(const struct llm_tile *tile, __u32 tokens)
{
	__u32 unit = tile->rows * tile->cluster;

	return (tokens + unit - 1) / unit * unit;
}

__u64 llm_product_parts_bytes(const struct llm_tile *tile, __u32 tokens, __u32 outputs)
{
	if (tile->parts == 1)
		return 0;
	return tile->parts * llm_product_rows(tile, tokens) * outputs * FLOAT;
}

/* --- the choice of a tile ------------------------------------------------------------------- */

/* Parts that the depth is cut into, at most */
#define PARTS_MAX	16
/* Rows of the smallest tiles */
#define ROWS_LEAST	64

static const struct llm_tile tiles[] = {
	{ .rows = 128, .columns = 256, .warp_rows = 64, .warp_columns = 64 },
	{ .rows = 128, .columns = 128, .warp_rows = 64, .warp_columns = 64 },
	{ .rows = 128, .columns = 64, .warp_rows = 64, .warp_columns = 32 },
	{ .rows = 64, .columns = 256, .warp_rows = 32, .warp_columns = 128 },
	{ .rows = 64, .columns = 128, .warp_rows = 32, .warp_columns = 64 },
	{ .rows = 64, .columns = 64, .warp_rows = 32, .warp_columns = 32 },
};

static __u32 least_of(__u32 a, __u32 b)
{
	return a < b ? a : b;
}

/* Thread blocks that an SM has at once; 0: not one fits. */
static __u32 blocks_at_once(const struct llm_generation *of, const struct llm_gpu *gpu,
			    const struct llm_tile *tile)
{
	__u32 threads = warps_of(of, tile) * WARP, stages = stages_of(of, tile);
	__u32 fit = least_of(gpu->blocks, gpu->threads / threads);

	if (stages < 2)
		return 0;
	fit = least_of(fit, gpu->registers / (threads * registers_of(of, tile)));
	return least_of(fit, gpu->shared / (stages * stage_bytes(of, tile)));
}

/*
 * Cycles of a turn of @blocks on an SM: tensor instructions of all its schedulers, what passes
 * its port, or the time until copies have come, which the other stages hide.
 */
static __u64 turn_cycles(const struct llm_generation *of, const struct llm_gpu *gpu,
			 const struct llm_tile *tile, __u32 blocks)
{
	__u32 schedulers = least_of(gpu->schedulers, blocks * warps_of(of, tile));
	__u64 tensor = (__u64)blocks * tensor_of(of, tile) * gpu->tensor_cycles / schedulers;
	__u64 port = (__u64)blocks * of->turn_bytes *
		     (tile->rows + tile->columns / tile->cluster) / gpu->port_bytes;
	__u64 wait = gpu->latency / (stages_of(of, tile) - 1);
	__u64 most = tensor > port ? tensor : port;

	return most > wait ? most : wait;
}

/**
 * struct estimate - cycles that a product takes with a tile, about
 * @cycles: all in all; 0: it cannot have the tile
 * @sm_cycles: of the SM with most blocks, if the memory kept no one waiting
 */
struct estimate {
	__u64 cycles;
	__u64 sm_cycles;
};

static bool is_better(struct estimate one, struct estimate other)
{
	if (!one.cycles || !other.cycles)
		return one.cycles;
	if (one.cycles != other.cycles)
		return one.cycles < other.cycles;
	return one.sm_cycles < other.sm_cycles;
}

static struct estimate estimate_with(const struct llm_generation *of, const struct llm_gpu *gpu,
				     const struct llm_product *product,
				     const struct llm_tile *tile)
{
	__u64 row_bytes = (__u64)product->depth * product->value_bytes;
	__u64 rows = llm_product_rows(tile, product->tokens);
	__u64 blocks = rows / tile->rows * (product->outputs / tile->columns) * tile->parts;
	__u64 own = (blocks + gpu->sms - 1) / gpu->sms;
	__u32 at_once = blocks_at_once(of, gpu, tile);
	__u32 result_bytes = tile->parts > 1 ? FLOAT : product->value_bytes;
	__u64 memory = product->outputs * row_bytes / gpu->memory_bytes;
	struct estimate estimate = { 0 };

	if (!at_once || product->outputs % tile->columns ||
	    row_bytes % (tile->parts * of->turn_bytes) ||
	    tile->columns * result_bytes > WARP * LLM_COPY_BYTES)
		return estimate;
	estimate.sm_cycles = own / at_once * turn_cycles(of, gpu, tile, at_once);
	if (own % at_once)
		estimate.sm_cycles += turn_cycles(of, gpu, tile, (__u32)(own % at_once));
	estimate.sm_cycles *= turns_of(of, tile, row_bytes);
	/* Its first copies, its result */
	estimate.sm_cycles += (own + at_once - 1) / at_once * 2 * gpu->latency;
	estimate.cycles = estimate.sm_cycles > memory ? estimate.sm_cycles : memory;
	if (tile->parts > 1)
		estimate.cycles += 2 * gpu->latency + 2 * tile->parts * product->tokens *
				   product->outputs * FLOAT / ((__u64)gpu->sms * gpu->port_bytes);
	return estimate;
}

struct llm_tile llm_tile_choose(const struct llm_generation *of, const struct llm_gpu *gpu,
				const struct llm_product *product)
{
	struct llm_tile best = { .rows = 0 };
	struct estimate least = { 0 };
	size_t i;

	for (i = 0; i < sizeof(tiles) / sizeof(*tiles); i++) {
		struct llm_tile tile = tiles[i];

		/* Rows of which none is a token would be multiplied for nothing. */
		if (tile.rows > ROWS_LEAST && product->tokens <= tile.rows / 2)
			continue;
		for (tile.parts = 1; tile.parts <= PARTS_MAX; tile.parts *= 2) {
			struct estimate estimate;

			tile.cluster = tile.parts == 1 && product->tokens >= tile.rows * of->cluster ?
				       of->cluster : 1;
			estimate = estimate_with(of, gpu, product, &tile);
			if (is_better(estimate, least)) {
				best = tile;
				least = estimate;
			}
		}
	}
	return best;
}

/* --- the kernels ---------------------------------------------------------------------------- */

/* Rows that a warp copies at once */
static __u32 warp_rows(const struct llm_generation *of)
{
	return WARP * LLM_COPY_BYTES / of->turn_bytes;
}

/* Rows of a block of activations that there are: of the only one, those of tokens */
static __u32 rows_there(const struct llm_tile *tile, const struct llm_product *product,
			__u32 at_once)
{
	__u32 rows = least_of(tile->rows, product->tokens);

	return least_of(tile->rows, (rows + at_once - 1) / at_once * at_once);
}

/*
 * Bytes from a block to the next one of its cluster, down the rows, along the columns, and to
 * the next part
 */
static void set_strides(struct simgpu_trace_pattern *pattern, const struct llm_tile *tile,
			__s64 member, __s64 row, __s64 column, __s64 part)
{
	bool cluster = tile->cluster > 1;

	pattern->block_stride[0] = cluster ? member : row;
	pattern->block_stride[1] = cluster ? tile->cluster * row : column;
	pattern->block_stride[2] = cluster ? column : part;
}

/* A warp's share of the next columns of a matrix, of which the block copies @rows */
static void copy_rows(struct builder *b, const struct llm_generation *of, __u32 at_once,
		      struct simgpu_trace_pattern copy, __u32 rows, __u64 row_bytes, __u32 *left)
{
	__u32 first;

	copy.access_bytes = LLM_COPY_BYTES;
	copy.lane_stride = LLM_COPY_BYTES;
	copy.group_lanes = of->turn_bytes / LLM_COPY_BYTES;
	copy.group_stride = (__s64)row_bytes;
	copy.warp_stride = (__s64)(warp_rows(of) * row_bytes);
	copy.loop_stride[0] = of->turn_bytes;
	for (first = 0; first < rows; first += at_once) {
		/* What is copied is needed after the turns of the other stages. */
		builder_load(b, builder_access(b, &copy), WARP, --*left);
		copy.base += (__s64)(at_once * row_bytes);
	}
}

static __u32 divisor_of(__u32 a, __u32 b)
{
	while (b) {
		__u32 rest = a % b;

		a = b;
		b = rest;
	}
	return a;
}

/* Text of a mix, of some hundred instructions at most */
#define MIX_BYTES	2048

void llm_multiply(struct builder *b, __u32 reads, __u32 tensor, __u32 sums)
{
	__u32 both = divisor_of(reads, tensor), apart = sums * (reads + tensor) / tensor;
	__u32 i, done = 0;
	char text[MIX_BYTES];
	size_t at = 0;

	for (i = 1; i <= reads / both; i++) {
		at += (size_t)snprintf(text + at, sizeof(text) - at, "%sM*4", at ? " " : "");
		for (; done < tensor / both * i / (reads / both) && at < sizeof(text); done++)
			at += (size_t)snprintf(text + at, sizeof(text) - at, " T%u", apart);
		if (at >= sizeof(text))
			break;
	}
	burst(b, text, reads + tensor, WARP);
}

static void multiply(struct builder *b, const struct llm_generation *of,
		     const struct llm_tile *tile, const struct llm_product *product)
{
	__u64 row_bytes = (__u64)product->depth * product->value_bytes;
	__u32 own_columns = tile->columns / tile->cluster;
	__u32 at_once = warps_of(of, tile) * warp_rows(of);
	__u32 rows = rows_there(tile, product, at_once);
	__u32 copies = (rows + own_columns + at_once - 1) / at_once;
	__u32 tensor = tensor_of(of, tile) / warps_of(of, tile);
	__u32 reads = of->reads_operands ? (tile->warp_rows + tile->warp_columns) / 16 *
		      (of->turn_bytes / LLM_TENSOR_BYTES) : 0;
	__u32 turn = copies + TURN + reads + tensor + 1;
	__u32 left = (stages_of(of, tile) - 1) * turn - 1;
	struct simgpu_trace_pattern activation = { .base = (__s64)product->activations };
	struct simgpu_trace_pattern weight = { .base = (__s64)product->weights };
	__s64 part = (__s64)(row_bytes / tile->parts);

	set_strides(&activation, tile, (__s64)(tile->rows * row_bytes),
		    (__s64)(tile->rows * row_bytes), 0, part);
	set_strides(&weight, tile, (__s64)(own_columns * row_bytes), 0,
		    (__s64)(tile->columns * row_bytes), part);
	builder_loop(b, turns_of(of, tile, row_bytes));
	copy_rows(b, of, at_once, activation, rows, row_bytes, &left);
	copy_rows(b, of, at_once, weight, own_columns, row_bytes, &left);
	burst(b, INDEXING, TURN, WARP);
	/* Instructions of a warp group add to what the one of the row before has added to. */
	if (of->reads_operands)
		llm_multiply(b, reads, tensor, tensor / (of->turn_bytes / LLM_TENSOR_BYTES));
	else
		burst(b, tile->columns == 256 ? "T32" : tile->columns == 128 ? "T16" : "T8",
		      tensor, WARP);
	builder_barrier(b);
	builder_loop_end(b);
}

/* The result goes through shared memory, so that a warp writes whole rows of the block's. */
static void write_result(struct builder *b, const struct llm_generation *of,
			 const struct llm_tile *tile, const struct llm_product *product,
			 __u64 result, __u32 bytes, __u64 part_bytes)
{
	__s64 row = (__s64)product->outputs * bytes;
	__u32 lanes = tile->columns * bytes / LLM_COPY_BYTES, warps = warps_of(of, tile);
	/* A row of a tile has no more than a warp stores at once. */
	__u32 at_once = warps * WARP / lanes;
	__s64 rows = WARP / lanes * row;
	struct simgpu_trace_pattern write = {
		.base = (__s64)result, .access_bytes = LLM_COPY_BYTES,
		.lane_stride = LLM_COPY_BYTES,
		.group_lanes = lanes % WARP, .group_stride = lanes % WARP ? row : 0,
		.warp_stride = rows, .loop_stride = { warps * rows },
	};

	set_strides(&write, tile, tile->rows * row, tile->rows * row, tile->columns * bytes,
		    (__s64)part_bytes);
	builder_loop(b, rows_there(tile, product, at_once) / at_once);
	burst(b, "F F M2 M1 I I1", 6, WARP);
	builder_store(b, builder_access(b, &write), WARP);
	builder_after(b, 1);
	builder_loop_end(b);
}

#define SUM_THREADS	256

/* The parts of a result, in single precision, are added: four elements a thread. */
static void add_parts(struct builder *b, const struct llm_tile *tile,
		      const struct llm_product *product, __u64 part_bytes)
{
	__u64 elements = (__u64)product->tokens * product->outputs;
	__u32 part;

	builder_kernel(b, "splitKreduce_kernel",
		       (__u32)((elements + 4 * SUM_THREADS - 1) / (4 * SUM_THREADS)), SUM_THREADS,
		       32, 0);
	burst(b, INDEXING, 16, WARP);
	for (part = 0; part < tile->parts; part++)
		load_own(b, product->parts + part * part_bytes, SUM_THREADS, 4 * FLOAT,
			 tile->parts - 1 - part);
	burst(b, FOUR_CHAINS, 4 * tile->parts, WARP);
	store_own(b, product->result, SUM_THREADS, 4 * product->value_bytes);
}

/* A row of blocks, or of clusters, for each row of the result; columns, or parts of the depth */
static void set_grid(struct builder *b, const struct llm_tile *tile, __u32 rows, __u32 columns)
{
	if (tile->cluster > 1)
		builder_grid(b, tile->cluster, rows / tile->cluster, columns);
	else
		builder_grid(b, rows, columns, tile->parts);
}

__u32 llm_product(struct builder *b, const struct llm_generation *of,
		  const struct llm_tile *tile, const struct llm_product *product)
{
	__u32 rows = (__u32)(llm_product_rows(tile, product->tokens) / tile->rows);
	__u32 columns = product->outputs / tile->columns;
	__u64 part_bytes = llm_product_parts_bytes(tile, product->tokens, product->outputs) /
			   tile->parts;

	builder_kernel(b, product->kernel, rows * columns * tile->parts,
		       warps_of(of, tile) * WARP, registers_of(of, tile),
		       stages_of(of, tile) * stage_bytes(of, tile));
	set_grid(b, tile, rows, columns);
	burst(b, INDEXING, SETUP, WARP);
	multiply(b, of, tile, product);
	if (tile->parts == 1) {
		write_result(b, of, tile, product, product->result, product->value_bytes, 0);
		return 1;
	}
	write_result(b, of, tile, product, product->parts, FLOAT, part_bytes);
	add_parts(b, tile, product, part_bytes);
	return 2;
}
