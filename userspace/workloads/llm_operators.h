/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Operators of a language model that are no products: sums, normalization, rotary embedding,
 * activation, copies. Each function begins a kernel. Addresses are bytes of the trace's
 * memory, multiples of a line; a row of an array is a token.
 */
#ifndef WORKLOADS_LLM_OPERATORS_H
#define WORKLOADS_LLM_OPERATORS_H

#include "common.h"

/* All @blocks of the present kernel, in one row, run the programs of its one table entry. */
void llm_blocks_are_alike(struct builder *b, __u32 blocks);

/**
 * struct llm_add - the sum of two arrays
 * @kernel: the kernel's name
 * @bytes: of an array; the last thread block may reach up to 2 KiB beyond
 * @value_bytes: of a value: 1, 2 or 4
 * @x: one array
 * @y: the other one
 * @sum: the result
 */
struct llm_add {
	const char *kernel;
	__u64 bytes;
	__u32 value_bytes;
	__u64 x;
	__u64 y;
	__u64 sum;
};

void llm_add(struct builder *b, const struct llm_add *add);

/**
 * struct llm_norm - RMSNorm of rows
 * @kernel: the kernel's name
 * @tokens: rows
 * @width: values of a row, a multiple of a warp
 * @value_bytes: of a value: 1, 2 or 4
 * @x: the rows
 * @out: the result
 * @weights: a row that all tokens share
 */
struct llm_norm {
	const char *kernel;
	__u32 tokens;
	__u32 width;
	__u32 value_bytes;
	__u64 x;
	__u64 out;
	__u64 weights;
};

void llm_norm(struct builder *b, const struct llm_norm *norm);

/**
 * struct llm_rope - rotary embedding of queries and keys, in place
 * @kernel: the kernel's name
 * @tokens: rows
 * @heads: of queries
 * @kv_heads: of keys
 * @head: values of a head, a multiple of two warps
 * @value_bytes: of a value: 1, 2 or 4
 * @row: queries, keys and values of a token side by side; at least half a head of memory
 *	stands before the first one
 * @positions: of the tokens, 8 bytes each
 * @cosines: cosines and sines of a token's position, @head values
 */
struct llm_rope {
	const char *kernel;
	__u32 tokens;
	__u32 heads;
	__u32 kv_heads;
	__u32 head;
	__u32 value_bytes;
	__u64 row;
	__u64 positions;
	__u64 cosines;
};

void llm_rope(struct builder *b, const struct llm_rope *rope);

/**
 * struct llm_act - silu(x) * y of the two halves of a row
 * @kernel: the kernel's name
 * @tokens: rows
 * @width: values of a half, a multiple of a warp
 * @value_bytes: of a value: 1, 2 or 4
 * @in: the rows, of twice the width; 2,048 values of memory stand behind both arrays
 * @out: the result
 */
struct llm_act {
	const char *kernel;
	__u32 tokens;
	__u32 width;
	__u32 value_bytes;
	__u64 in;
	__u64 out;
};

void llm_act(struct builder *b, const struct llm_act *act);

/**
 * struct llm_copy - a part of each row is copied
 * @kernel: the kernel's name
 * @tokens: rows of a sequence
 * @sequences: how many there are
 * @width: values that are copied of a row, a multiple of a warp
 * @value_bytes: of a value: 1, 2 or 4
 * @from: the first row's part
 * @from_row: bytes from a row to the next
 * @from_sequence: bytes from a sequence to the next
 * @to: where the first row's part goes to
 * @to_row: bytes from a row to the next there
 * @to_sequence: bytes from a sequence to the next there
 */
struct llm_copy {
	const char *kernel;
	__u32 tokens;
	__u32 sequences;
	__u32 width;
	__u32 value_bytes;
	__u64 from;
	__u64 from_row;
	__u64 from_sequence;
	__u64 to;
	__u64 to_row;
	__u64 to_sequence;
};

void llm_copy(struct builder *b, const struct llm_copy *copy);

#endif /* WORKLOADS_LLM_OPERATORS_H */
