// SPDX-License-Identifier: GPL-2.0
/*
 * Operators of a layer of Llama-2-7B in half precision, but for its matrix products
 * (llama_products.c) and its attention. The kernels are those that Sarathi-Serve and
 * PyTorch run: layernorm_kernels.cu, pos_encoding_kernels.cu and activation_kernels.cu of
 * the first, a token a block and an element a thread and turn; the vectorized elementwise
 * kernel of the second. Instructions are those of the machine code that nvcc 13 makes of
 * them for sm_80: it does not unroll their loops, so that each turn waits for its loads.
 */
#include <stdbool.h>

#include "benchmarks.h"
#include "llama.h"

void llama_again(struct builder *b)
{
	builder_again(b, 1, LLAMA_LAUNCHES - 1);
}

void llama_blocks_are_alike(struct builder *b, __u32 blocks)
{
	builder_row(b, 1);
	builder_run(b, blocks, 0);
}

/* --- elementwise sum: C = A + B, four elements a thread ----------------------------------- */

#define ADD_THREADS	128
#define ADD_BYTES	(4 * HALF)

void build_llama_add(struct builder *b)
{
	__u32 tokens = builder_sized(b, LLAMA_TOKENS, LLAMA_TOKENS_UNIT);
	__u64 bytes = (__u64)tokens * LLAMA_HIDDEN * HALF;

	builder_footprint(b, 3 * bytes);
	builder_kernel(b, "vectorized_elementwise_add",
		       (__u32)(bytes / (ADD_THREADS * ADD_BYTES)), ADD_THREADS, 18, 0);
	burst(b, "I I I I I I1 I1 I2 I2 I2", 10, WARP);
	load_own(b, 0, ADD_THREADS, ADD_BYTES, 1);
	load_own(b, bytes, ADD_THREADS, ADD_BYTES, 3);
	/* To single precision, multiply and add, back; the address of the result between. */
	burst(b, "F F F F F I F F F4 F F4 F4 F4 F2 I10 F2", 16, WARP);
	store_own(b, 2 * bytes, ADD_THREADS, ADD_BYTES);
	burst(b, "C", 1, WARP);
	llama_again(b);
}

/* --- RMSNorm: a block of 1,024 threads a token --------------------------------------------- */

#define NORM_THREADS	1024
#define NORM_TURNS	(LLAMA_HIDDEN / NORM_THREADS)

/* A token's element of a thread and turn */
static __u32 norm_element(struct builder *b, __u64 array, __s64 block_stride)
{
	return ACCESS(b, .base = array, SIDE_BY_SIDE(HALF),
		      .block_stride = { block_stride },
		      .loop_stride = { NORM_THREADS * HALF });
}

/* The sum of a warp's lanes: exchanged, added, five times */
static void add_up_warp(struct builder *b)
{
	burst(b, "M1 F1", 10, WARP);
}

/* What the block's first warp does alone: the mean, its inverse root */
static void invert_root(struct builder *b)
{
	burst(b, "I C S2 F1 F2 F1 F1 F1 F1 C C F3 F1 F1 S1 F1", 16, WARP);
	burst(b, "M1", 1, 1);
}

static void norm_program(struct builder *b, __u64 bytes, bool is_first_warp)
{
	__u32 x = norm_element(b, 0, LLAMA_HIDDEN * HALF);

	burst(b, "I I I C I I1 C1 I I I", 10, WARP);
	builder_loop(b, NORM_TURNS);
	burst(b, "I I I1", 3, WARP);
	builder_load(b, x, WARP, 2);
	builder_after(b, 1);
	burst(b, "I I1 F F1 C3", 5, WARP);
	builder_loop_end(b);
	burst(b, "C I I C I F", 6, WARP);
	add_up_warp(b);
	burst(b, "I I M3", 3, WARP);
	builder_barrier(b);
	burst(b, "I M", 2, WARP);
	add_up_warp(b);
	burst(b, "C", 1, WARP);
	if (is_first_warp)
		invert_root(b);
	burst(b, "C", 1, WARP);
	builder_barrier(b);
	burst(b, "M I", 2, WARP);
	builder_loop(b, NORM_TURNS);
	burst(b, "I I I1", 3, WARP);
	builder_load(b, x, WARP, 4);
	builder_after(b, 1);
	burst(b, "I", 1, WARP);
	/* The weights, which all tokens share */
	builder_load(b, norm_element(b, 2 * bytes, 0), WARP, 5);
	builder_after(b, 1);
	burst(b, "I I1 F F1 F1 F1 I", 7, WARP);
	builder_store(b, norm_element(b, bytes, LLAMA_HIDDEN * HALF), WARP);
	builder_after(b, 1);
	burst(b, "C", 1, WARP);
	builder_loop_end(b);
	burst(b, "C", 1, WARP);
}

void build_llama_norm(struct builder *b)
{
	__u32 tokens = builder_sized(b, LLAMA_TOKENS, LLAMA_TOKENS_UNIT);
	__u64 bytes = (__u64)tokens * LLAMA_HIDDEN * HALF;
	__u32 warp;

	builder_footprint(b, 2 * bytes + LLAMA_HIDDEN * HALF);
	builder_kernel(b, "rms_norm_kernel", tokens, NORM_THREADS, 14, 132);
	norm_program(b, bytes, true);
	builder_program(b);
	norm_program(b, bytes, false);
	for (warp = 0; warp < NORM_THREADS / WARP; warp++)
		builder_warp(b, !!warp, 0);
	llama_blocks_are_alike(b, tokens);
	llama_again(b);
}

/* --- rotary embedding: a block of 512 threads a token, in place ----------------------------- */

#define ROPE_THREADS	512
#define HEAD		128
/* A thread turns two elements of a head, half a head apart. */
#define HALF_HEAD	(HEAD / 2 * HALF)
#define ROPE_TURNS	(LLAMA_HIDDEN / 2 / ROPE_THREADS)
/* Queries, keys and values of a token stand side by side. */
#define ROW		(3 * LLAMA_HIDDEN * HALF)
/* So that patterns of odd warps, which begin half a head before the row, are above 0. */
#define QUERIES		128ULL

/* Elements that a warp turns: an even one the first half of half a head, an odd one the rest. */
static __u32 turned(struct builder *b, __u64 row, __u32 odd)
{
	return ACCESS(b, .base = row - odd * HALF_HEAD / 2, .access_bytes = HALF,
		      .lane_stride = HALF, .warp_stride = HALF_HEAD,
		      .block_stride = { ROW },
		      .loop_stride = { ROPE_THREADS * 2 * HALF });
}

/* Cosines or sines of a token's position */
static __u32 angles(struct builder *b, __u64 array, __u32 odd)
{
	return ACCESS(b, .base = array + odd * WARP * HALF, .access_bytes = HALF,
		      .lane_stride = HALF, .block_stride = { HEAD * HALF });
}

static void rope_turns(struct builder *b, __u64 row, __u64 cosines, __u32 odd)
{
	__u32 x = turned(b, row, odd), y = turned(b, row + HALF_HEAD, odd);

	/* The division of an index by half a head, which the compiler does not know */
	burst(b, "I I I C I S2 S1 I1 S1 I1 I1 I1", 12, WARP);
	builder_loop(b, ROPE_TURNS);
	burst(b, "I I I2 I2 I1 I1 I1 I2 I2 I9 I1 I5 I1 I1 I1 I2 I2 I1 I2 I5 I6 I6 I4 I5 I7 I6",
	      26, WARP);
	builder_load(b, angles(b, cosines + HALF_HEAD, odd), WARP, 14);
	builder_after(b, 1);
	burst(b, "I I I I I I I", 7, WARP);
	builder_load(b, x, WARP, 5);
	builder_load(b, y, WARP, 4);
	builder_load(b, angles(b, cosines, odd), WARP, 4);
	burst(b, "I I1 I F1 F1 F2", 6, WARP);
	builder_store(b, x, WARP);
	builder_after(b, 2);
	builder_store(b, y, WARP);
	builder_after(b, 2);
	burst(b, "C", 1, WARP);
	builder_loop_end(b);
}

static void rope_program(struct builder *b, __u64 positions, __u64 cosines, __u32 odd)
{
	burst(b, "I I I I I2", 5, WARP);
	builder_load(b, ACCESS(b, .base = positions, .access_bytes = 8, .block_stride = { 8 }),
		     WARP, 9);
	builder_after(b, 1);
	burst(b, "I C I I I I1 I1 I2 I I I1 I1 I1 I1 C6", 15, WARP);
	rope_turns(b, QUERIES, cosines, odd);
	burst(b, "C I I1 C1", 4, WARP);
	rope_turns(b, QUERIES + LLAMA_HIDDEN * HALF, cosines, odd);
	burst(b, "C", 1, WARP);
}

void build_llama_rope(struct builder *b)
{
	__u32 tokens = builder_sized(b, LLAMA_TOKENS, LLAMA_TOKENS_UNIT);
	__u64 positions = QUERIES + (__u64)tokens * ROW;
	__u64 cosines = positions + (__u64)tokens * 8;
	__u32 warp;

	builder_footprint(b, cosines + (__u64)tokens * HEAD * HALF);
	builder_kernel(b, "rotary_embedding_kernel", tokens, ROPE_THREADS, 31, 0);
	rope_program(b, positions, cosines, 0);
	builder_program(b);
	rope_program(b, positions, cosines, 1);
	for (warp = 0; warp < ROPE_THREADS / WARP; warp++)
		builder_warp(b, warp % 2, 0);
	llama_blocks_are_alike(b, tokens);
	llama_again(b);
}

/* --- activation: silu(x) * y, a block of 1,024 threads a token ------------------------------- */

#define ACT_THREADS	1024
#define ACT_TURNS	(LLAMA_MLP / ACT_THREADS)
/* Warps that have a turn more than the others */
#define ACT_LONGER	(LLAMA_MLP % ACT_THREADS / WARP)

static __u32 act_element(struct builder *b, __u64 array, __s64 row)
{
	return ACCESS(b, .base = array, SIDE_BY_SIDE(HALF), .block_stride = { row },
		      .loop_stride = { ACT_THREADS * HALF });
}

static void act_program(struct builder *b, __u64 output, __u32 turns)
{
	burst(b, "I I I I1 I I1 C1 I I I I I I1 I1", 14, WARP);
	builder_loop(b, turns);
	burst(b, "I I1 I2 I1", 4, WARP);
	builder_load(b, act_element(b, 0, 2 * LLAMA_MLP * HALF), WARP, 6);
	builder_after(b, 1);
	burst(b, "I I1 I1", 3, WARP);
	builder_load(b, act_element(b, LLAMA_MLP * HALF, 2 * LLAMA_MLP * HALF), WARP, 22);
	builder_after(b, 1);
	/* The exponential function, and a division by a reciprocal that is refined */
	burst(b, "I C F F1 F1 F1 I2 F2 F1 F F2", 11, WARP);
	burst(b, "S2 F1 S1 I F2 F1 F1 F1 F1 C4 C", 11, WARP);
	burst(b, "F4 I F2 I I3 I1 I", 7, WARP);
	builder_store(b, act_element(b, output, LLAMA_MLP * HALF), WARP);
	builder_after(b, 2);
	burst(b, "I I3 I1 C1", 4, WARP);
	builder_loop_end(b);
	burst(b, "C", 1, WARP);
}

void build_llama_act(struct builder *b)
{
	__u32 tokens = builder_sized(b, LLAMA_TOKENS, LLAMA_TOKENS_UNIT);
	__u64 output = (__u64)tokens * 2 * LLAMA_MLP * HALF;
	__u32 warp;

	/* What the last warps would access in the longer program, which they do not run */
	builder_footprint(b, output + (__u64)tokens * LLAMA_MLP * HALF + ACT_THREADS * HALF);
	builder_kernel(b, "silu_and_mul_kernel", tokens, ACT_THREADS, 24, 0);
	act_program(b, output, ACT_TURNS + 1);
	builder_program(b);
	act_program(b, output, ACT_TURNS);
	for (warp = 0; warp < ACT_THREADS / WARP; warp++)
		builder_warp(b, warp >= ACT_LONGER, 0);
	llama_blocks_are_alike(b, tokens);
	llama_again(b);
}
