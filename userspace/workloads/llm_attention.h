/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Attention of a language model: FlashAttention-2's kernel, whose thread block has some queries
 * of a head and goes through the keys and values, a tile of them a turn.
 */
#ifndef WORKLOADS_LLM_ATTENTION_H
#define WORKLOADS_LLM_ATTENTION_H

#include <stdbool.h>

#include "llm_products.h"

/* Queries and keys of a tile, at most: rows of arrays are there in multiples of it. */
#define LLM_ATTENTION_TILE	128

/**
 * struct llm_attention - an attention
 * @causal: each of the @tokens of a sequence attends to itself and those before it; else there
 *	is one of them, which attends to all of the context
 * @sequences: how many there are
 * @tokens: of a sequence that have queries
 * @context: of a sequence, tokens that have keys and values
 * @heads: of queries
 * @kv_heads: of keys; each is for as many heads of queries
 * @head: values of a head: 64 or 128
 * @value_bytes: of a value: 1, 2 or 4
 * @queries: of the first token
 * @query_row: bytes from a token to the next
 * @keys: of the first token
 * @values: of the first token
 * @key_row: bytes from a token to the next, of keys and of values
 * @key_sequence: bytes from a sequence to the next, of both
 * @result: of the first token, rows of @heads heads
 * @parts: llm_attention_parts_bytes() of memory
 */
struct llm_attention {
	bool causal;
	__u32 sequences;
	__u32 tokens;
	__u32 context;
	__u32 heads;
	__u32 kv_heads;
	__u32 head;
	__u32 value_bytes;
	__u64 queries;
	__u64 query_row;
	__u64 keys;
	__u64 values;
	__u64 key_row;
	__u64 key_sequence;
	__u64 result;
	__u64 parts;
};

/* Thread blocks that share the context of a head, if it is not causal; 1: they do not. */
__u32 llm_attention_splits(const struct llm_gpu *gpu, const struct llm_attention *attention);
/* Memory for the results of these blocks, in single precision; 0: it has none. */
__u64 llm_attention_parts_bytes(const struct llm_gpu *gpu,
				const struct llm_attention *attention);

/* Begins the attention's kernels; returns how many. */
__u32 llm_attention(struct builder *b, const struct llm_gpu *gpu,
		    const struct llm_attention *attention);

#endif /* WORKLOADS_LLM_ATTENTION_H */
