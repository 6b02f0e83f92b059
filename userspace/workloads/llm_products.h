/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Matrix products of a language model: activations, a row a token, times the transposed
 * weights, a row an output.
 */
#ifndef WORKLOADS_LLM_PRODUCTS_H
#define WORKLOADS_LLM_PRODUCTS_H

#include <stdbool.h>

#include "builder.h"

/* Bytes that a lane copies at once into shared memory */
#define LLM_COPY_BYTES		16
/* What a tensor instruction multiplies: rows and columns of the result, and bytes of the depth */
#define LLM_TENSOR_ROWS		16
#define LLM_TENSOR_COLUMNS	8
#define LLM_TENSOR_BYTES	32

/**
 * struct llm_generation - the instructions that a product is written for
 * @kernel: its kernel's name in NVIDIA's libraries
 * @turn_bytes: of a row of both matrices that a turn multiplies
 * @stages: tiles in shared memory, at most: one is multiplied, the others are on their way
 * @shared: bytes of shared memory that they may take
 * @registers: of a thread
 * @reads_operands: warps read what they multiply from shared memory into registers
 * @cluster: thread blocks beside each other that have the same weights, and of these each
 *	copies a part for all
 */
struct llm_generation {
	const char *kernel;
	__u32 turn_bytes;
	__u32 stages;
	__u32 shared;
	__u32 registers;
	bool reads_operands;
	__u32 cluster;
};

/* CUTLASS' multistage kernel of 128 x 256 x 32 */
extern const struct llm_generation llm_ampere;
/*
 * CUTLASS' kernel for warp groups of 128 x 256 x 64 in clusters of 2 x 1: instructions of four
 * warps take operands from shared memory, and what one block of a cluster copies arrives in both
 * (TMA multicast). The other block's copy costs nothing here.
 */
extern const struct llm_generation llm_hopper;

/**
 * struct llm_gpu - what the choice of tiles needs to know of a GPU
 * @sms: its SMs
 * @shared: bytes of shared memory of an SM
 * @registers: of an SM
 * @threads: of an SM, at most
 * @blocks: of an SM, at most
 * @tensor_cycles: between two tensor instructions of a scheduler
 * @schedulers: of an SM
 * @memory_bytes: of the memory in a core cycle, at most
 * @port_bytes: that an SM gets from the last-level cache in a core cycle, at most
 * @latency: core cycles of a read that misses in the last-level cache, of an idle GPU
 */
struct llm_gpu {
	__u32 sms;
	__u32 shared;
	__u32 registers;
	__u32 threads;
	__u32 blocks;
	__u32 tensor_cycles;
	__u32 schedulers;
	__u32 memory_bytes;
	__u32 port_bytes;
	__u32 latency;
};

/**
 * struct llm_tile - how a product is cut into thread blocks
 * @rows: of activations a block, a multiple of 64
 * @columns: of outputs a block, a multiple of 64
 * @parts: blocks that share a place of the result, each with a part of the depth
 * @cluster: blocks of a cluster; more than 1 only with one part
 * @warp_rows: of the result a warp, unless its instructions are those of a warp group
 * @warp_columns: of the result a warp
 */
struct llm_tile {
	__u32 rows;
	__u32 columns;
	__u32 parts;
	__u32 cluster;
	__u32 warp_rows;
	__u32 warp_columns;
};

/**
 * struct llm_product - a product
 * @kernel: the kernel's name
 * @tokens: rows of activations; llm_product_rows() of them are in memory
 * @depth: values of a row
 * @outputs: rows of weights; a multiple of the tile's columns
 * @value_bytes: of a value: 1, 2 or 4
 * @activations: address of the first row
 * @weights: address of the first row
 * @result: address of the first row, of @outputs values
 * @parts: address of llm_product_parts_bytes(), if blocks share the depth
 */
struct llm_product {
	const char *kernel;
	__u32 tokens;
	__u32 depth;
	__u32 outputs;
	__u32 value_bytes;
	__u64 activations;
	__u64 weights;
	__u64 result;
	__u64 parts;
};

/*
 * The tile of products in half precision that are to run on any GPU: narrow where a large GPU
 * would get too few blocks. With less than 128 tokens several blocks share the depth.
 */
struct llm_tile llm_tile_fixed(const struct llm_generation *of, __u32 tokens, __u32 outputs,
			       __u32 depth);

/**
 * llm_tile_choose() - the tile with which a product ends first on a GPU, by an estimate
 * @of: a generation whose @shared is what the GPU has
 * @gpu: the GPU
 * @product: names, addresses and @activations are not looked at
 *
 * The estimate is that of the SM with most blocks: how many it has one after the other, and
 * how long a turn of those takes that it has at once.
 *
 * Return: the tile; of 0 rows if there is none, as depth or outputs are no multiples of what
 * the smallest one needs.
 */
struct llm_tile llm_tile_choose(const struct llm_generation *of, const struct llm_gpu *gpu,
				const struct llm_product *product);

/* Rows of activations and of the result in memory: whole tiles */
__u64 llm_product_rows(const struct llm_tile *tile, __u32 tokens);
/* Memory for the parts of a result, in single precision; 0: it has none. */
__u64 llm_product_parts_bytes(const struct llm_tile *tile, __u32 tokens, __u32 outputs);

/**
 * llm_multiply() - add a warp's part of a product whose operands it reads from shared memory
 * @reads: of 16 x 32 bytes of an operand
 * @tensor: tensor instructions, a multiple of the greatest divisor that it shares with @reads
 * @sums: results of 16 x 8 of the warp, to which tensor instructions add in turn
 */
void llm_multiply(struct builder *b, __u32 reads, __u32 tensor, __u32 sums);

/* Begins the product's kernels; returns how many. */
__u32 llm_product(struct builder *b, const struct llm_generation *of,
		  const struct llm_tile *tile, const struct llm_product *product);

#endif /* WORKLOADS_LLM_PRODUCTS_H */
