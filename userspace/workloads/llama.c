// SPDX-License-Identifier: GPL-2.0
/*
 * Operators of a layer of Llama-2-7B in half precision, but for its attention, each as a
 * workload: the kernels are those of llm_operators.c and llm_products.c.
 */
#include "benchmarks.h"
#include "llm_operators.h"
#include "llm_products.h"

#define HALF			2
/* The model: hidden size, heads, and inner size of its gated MLP */
#define LLAMA_HIDDEN		4096ULL
#define LLAMA_HEADS		32
#define LLAMA_HEAD		128
#define LLAMA_MLP		11008ULL
/* Tokens at once at size 1; a part of them is a multiple of 64. */
#define LLAMA_TOKENS		4096
#define LLAMA_TOKENS_UNIT	64
/* Launches of an operator: what an earlier one left in the caches is there for the next. */
#define LLAMA_LAUNCHES		3

static __u32 tokens_of(const struct builder *b)
{
	return builder_sized(b, LLAMA_TOKENS, LLAMA_TOKENS_UNIT);
}

/* Every launch but the first, of the last @kernels. */
static void again(struct builder *b, __u32 kernels)
{
	builder_again(b, kernels, LLAMA_LAUNCHES - 1);
}

void build_llama_add(struct builder *b)
{
	__u64 bytes = tokens_of(b) * LLAMA_HIDDEN * HALF;

	builder_footprint(b, 3 * bytes);
	llm_add(b, &(struct llm_add){
		.kernel = "vectorized_elementwise_add", .bytes = bytes, .value_bytes = HALF,
		.y = bytes, .sum = 2 * bytes,
	});
	again(b, 1);
}

void build_llama_norm(struct builder *b)
{
	__u32 tokens = tokens_of(b);
	__u64 bytes = tokens * LLAMA_HIDDEN * HALF;

	builder_footprint(b, 2 * bytes + LLAMA_HIDDEN * HALF);
	llm_norm(b, &(struct llm_norm){
		.kernel = "rms_norm_kernel", .tokens = tokens, .width = LLAMA_HIDDEN,
		.value_bytes = HALF, .out = bytes, .weights = 2 * bytes,
	});
	again(b, 1);
}

/* So that patterns of odd warps, which begin half a head before the row, are above 0. */
#define QUERIES		128ULL

void build_llama_rope(struct builder *b)
{
	__u32 tokens = tokens_of(b);
	__u64 positions = QUERIES + tokens * 3 * LLAMA_HIDDEN * HALF;
	__u64 cosines = positions + (__u64)tokens * 8;

	builder_footprint(b, cosines + (__u64)tokens * LLAMA_HEAD * HALF);
	llm_rope(b, &(struct llm_rope){
		.kernel = "rotary_embedding_kernel", .tokens = tokens, .heads = LLAMA_HEADS,
		.kv_heads = LLAMA_HEADS, .head = LLAMA_HEAD, .value_bytes = HALF,
		.row = QUERIES, .positions = positions, .cosines = cosines,
	});
	again(b, 1);
}

/* Values behind the arrays, as llm_act() asks for */
#define ACT_BEHIND	1024

void build_llama_act(struct builder *b)
{
	__u32 tokens = tokens_of(b);
	__u64 out = tokens * 2 * LLAMA_MLP * HALF;

	builder_footprint(b, out + tokens * LLAMA_MLP * HALF + ACT_BEHIND * HALF);
	llm_act(b, &(struct llm_act){
		.kernel = "silu_and_mul_kernel", .tokens = tokens, .width = LLAMA_MLP,
		.value_bytes = HALF, .out = out,
	});
	again(b, 1);
}

static void build_product(struct builder *b, const struct llm_generation *of, __u32 depth,
			  __u32 outputs)
{
	__u32 tokens = tokens_of(b);
	struct llm_tile tile = llm_tile_fixed(of, tokens, outputs, depth);
	struct llm_product product = {
		.kernel = of->kernel, .tokens = tokens, .depth = depth, .outputs = outputs,
		.value_bytes = HALF,
	};
	__u64 rows = llm_product_rows(&tile, tokens), elements = rows * outputs;

	product.weights = rows * depth * HALF;
	product.result = product.weights + (__u64)outputs * depth * HALF;
	product.parts = product.result + elements * HALF;
	builder_footprint(b, product.parts + llm_product_parts_bytes(&tile, tokens, outputs));
	again(b, llm_product(b, of, &tile, &product));
}

#define PRODUCT(name, depth, outputs)						\
void build_llama_##name(struct builder *b)					\
{										\
	build_product(b, &llm_ampere, depth, outputs);				\
}										\
										\
void build_llama_##name##_sm90(struct builder *b)				\
{										\
	build_product(b, &llm_hopper, depth, outputs);				\
}

PRODUCT(qkv, LLAMA_HIDDEN, 3 * LLAMA_HIDDEN)
PRODUCT(out, LLAMA_HIDDEN, LLAMA_HIDDEN)
PRODUCT(up, LLAMA_HIDDEN, 2 * LLAMA_MLP)
PRODUCT(down, LLAMA_MLP, LLAMA_HIDDEN)
