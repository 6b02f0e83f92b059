/* SPDX-License-Identifier: GPL-2.0 */
/*
 * A decoder-only language model as a trace: which kernels a step of it launches, where its
 * memory lies, and the commands that run it.
 */
#ifndef WORKLOADS_LLM_H
#define WORKLOADS_LLM_H

#include <stdbool.h>

#include "llm_products.h"

/**
 * struct llm_model - the shape of a model with RMSNorm, rotary embedding and a gated MLP
 * @name: on command lines
 * @layers: how many it has
 * @hidden: values of a token between operators
 * @heads: of queries
 * @kv_heads: of keys and values; @heads is a multiple
 * @head: values of a head: 64 or 128
 * @mlp: inner values of the MLP
 * @vocabulary: outputs of the head
 */
struct llm_model {
	const char *name;
	__u32 layers;
	__u32 hidden;
	__u32 heads;
	__u32 kv_heads;
	__u32 head;
	__u32 mlp;
	__u32 vocabulary;
};

/* Built-in shapes; the last one has no name. */
extern const struct llm_model llm_models[];

/**
 * struct llm_step - a pass through the model
 * @prefill: all tokens of the context at once; else the last one of each sequence
 * @batch: sequences at once
 * @context: tokens of a sequence; those of a decode step with the one that it reads
 */
struct llm_step {
	bool prefill;
	__u32 batch;
	__u32 context;
};

/* Limits of arguments: what @layers and so on may be at most, so that no product overflows. */
#define LLM_LAYERS_MAX		1024
#define LLM_WIDTH_MAX		(1U << 20)
#define LLM_HEADS_MAX		1024
#define LLM_BATCH_MAX		4096
#define LLM_CONTEXT_MAX		(1U << 20)
/* Tokens of a step */
#define LLM_TOKENS_MAX		(1U << 20)
/* hidden, mlp and the heads' values together are multiples of this, the vocabulary of 64. */
#define LLM_WIDTH_UNIT		128
#define LLM_VOCABULARY_UNIT	64

/**
 * struct llm_plan - what a trace is made of
 * @model: the model; @layers of it are in the trace
 * @value_bytes: of a value: 1, 2 or 4
 * @whole: with the embedding, the head, and copies of token numbers from and to the host; else
 *	layers alone
 * @generation: of the products
 * @gpu: the GPU
 * @cache_bytes: of its last-level cache
 * @slots: layers that have memory of their own; the others have the same in turn. 0:
 *	llm_plan() chooses
 * @each: how often in a row each operator is launched; 0: once
 * @steps: the kinds of passes
 * @step_count: how many
 */
struct llm_plan {
	struct llm_model model;
	__u32 value_bytes;
	bool whole;
	const struct llm_generation *generation;
	struct llm_gpu gpu;
	__u64 cache_bytes;
	__u32 slots;
	__u32 each;
	const struct llm_step *steps;
	__u32 step_count;
};

/**
 * struct llm_layout - where memory of the trace lies: addresses
 * @layer_bytes: weights, keys and values of a layer
 * @bytes: all
 * @sequence_tokens: keys and values that a sequence has room for
 */
struct llm_layout {
	__u64 tokens;
	__u64 stream;
	__u64 normed;
	__u64 delta;
	__u64 qkv;
	__u64 attended;
	__u64 up;
	__u64 activated;
	__u64 logits;
	__u64 parts;
	__u64 positions;
	__u64 cosines;
	__u64 norm_weights;
	__u64 table;
	__u64 head;
	__u64 layers;
	__u64 layer_bytes;
	__u64 bytes;
	__u32 sequence_tokens;
};

/**
 * struct llm_operator - an operator of a step
 * @name: as the kernels are named
 * @kernel: index of its first kernel
 * @kernels: how many it has
 * @layer: it is of a layer, and runs once in each
 * @slot: of these layers, those that use this one's memory
 * @flops: floating-point operations, those that its result needs
 * @bytes: of its inputs, weights and result
 * @tile: of a product; else 0 rows
 */
struct llm_operator {
	const char *name;
	__u32 kernel;
	__u32 kernels;
	bool layer;
	__u32 slot;
	__u64 flops;
	__u64 bytes;
	struct llm_tile tile;
};

/* Operators of a layer, and of the rest of a step, at most */
#define LLM_LAYER_OPERATORS	12
#define LLM_OTHER_OPERATORS	3

/**
 * llm_check() - is a shape one that the kernels are for?
 *
 * Return: NULL, or what is wrong with it.
 */
const char *llm_check(const struct llm_model *model);

/**
 * llm_plan() - place a trace's memory
 * @plan: @slots is set if it is 0: so many layers that they are 4 times as large as the
 *	last-level cache together, or all
 * @layout: filled in; @bytes may be more than a trace can have
 *
 * Return: false if a product has no tile, or memory ran out.
 */
bool llm_plan(struct llm_plan *plan, struct llm_layout *layout);

/**
 * llm_emit_step() - add the kernels of a step
 * @kernel: index of the next kernel; set to that behind them
 * @operators: filled in: of each slot those of a layer, in order, and then the others
 *
 * Return: how many operators there are.
 */
__u32 llm_emit_step(struct builder *b, const struct llm_plan *plan,
		    const struct llm_layout *layout, const struct llm_step *step, __u32 *kernel,
		    struct llm_operator *operators);

/* Operators of a step, all slots of @plan together, at most */
__u32 llm_operators_most(const struct llm_plan *plan);

/**
 * llm_command_step() - add the commands of a step
 * @queue: of the launch
 * @operators: of the step
 * @count: how many
 *
 * With copies of token numbers if the plan is @whole: allocation 0 is where they lie.
 *
 * Return: how many commands were added.
 */
__u32 llm_command_step(struct builder *b, const struct llm_plan *plan,
		       const struct llm_step *step, __u32 queue,
		       const struct llm_operator *operators, __u32 count);

/* Names the allocations, which llm_command_step() needs; to be called once. */
void llm_allocate(struct builder *b, const struct llm_layout *layout);

/* The tokens that a step computes */
__u64 llm_step_tokens(const struct llm_step *step);

#endif /* WORKLOADS_LLM_H */
