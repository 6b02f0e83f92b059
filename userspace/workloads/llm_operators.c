// SPDX-License-Identifier: GPL-2.0
/*
 * Operators of a language model, but for its matrix products (llm_products.c) and its
 * attention (llm_attention.c). The kernels are those that Sarathi-Serve and PyTorch run:
 * layernorm_kernels.cu, pos_encoding_kernels.cu, activation_kernels.cu and cache_kernels.cu of
 * the first, a token a block and an element a thread and turn; the vectorized elementwise
 * kernel of the second. Instructions are those of the machine code that nvcc 13 makes of
 * them for sm_80: it does not unroll their loops, so that each turn waits for its loads. The
 * copy's were counted from its source. They are those for half precision, also for values of
 * another size.
 */
#include <stdbool.h>

#include "llm_operators.h"

void llm_blocks_are_alike(struct builder *b, __u32 blocks)
{
	builder_row(b, 1);
	builder_run(b, blocks, 0);
}

/* The most threads, up to @most, of which whole turns make up both numbers of elements */
static __u32 threads_for(__u32 elements, __u32 others, __u32 most, __u32 unit)
{
	__u32 threads = most / unit * unit;

	while (threads > unit && (elements % threads || others % threads))
		threads -= unit;
	return threads;
}

/* --- elementwise sum: C = A + B, four elements a thread ----------------------------------- */

#define ADD_THREADS	128
#define ADD_VALUES	4

void llm_add(struct builder *b, const struct llm_add *add)
{
	__u32 bytes = ADD_VALUES * add->value_bytes, block = ADD_THREADS * bytes;

	builder_kernel(b, add->kernel, (__u32)((add->bytes + block - 1) / block), ADD_THREADS,
		       18, 0);
	burst(b, "I I I I I I1 I1 I2 I2 I2", 10, WARP);
	load_own(b, add->x, ADD_THREADS, bytes, 1);
	load_own(b, add->y, ADD_THREADS, bytes, 3);
	/* To single precision, multiply and add, back; the address of the result between. */
	burst(b, "F F F F F I F F F4 F F4 F4 F4 F2 I10 F2", 16, WARP);
	store_own(b, add->sum, ADD_THREADS, bytes);
	burst(b, "C", 1, WARP);
}

/* --- RMSNorm: a block a token, of 1,024 threads where they divide the row -------------------- */

#define NORM_THREADS	1024

/* A token's element of a thread and turn */
static __u32 row_element(struct builder *b, __u64 array, __u32 bytes, __u64 row, __u32 threads)
{
	return ACCESS(b, .base = array, SIDE_BY_SIDE(bytes),
		      .block_stride = { (__s64)row },
		      .loop_stride = { threads * bytes });
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

static void norm_program(struct builder *b, const struct llm_norm *norm, __u32 threads,
			 bool is_first_warp)
{
	__u32 bytes = norm->value_bytes, turns = norm->width / threads;
	__u64 row = (__u64)norm->width * bytes;
	__u32 x = row_element(b, norm->x, bytes, row, threads);

	burst(b, "I I I C I I1 C1 I I I", 10, WARP);
	builder_loop(b, turns);
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
	builder_loop(b, turns);
	burst(b, "I I I1", 3, WARP);
	builder_load(b, x, WARP, 4);
	builder_after(b, 1);
	burst(b, "I", 1, WARP);
	/* The weights, which all tokens share */
	builder_load(b, row_element(b, norm->weights, bytes, 0, threads), WARP, 5);
	builder_after(b, 1);
	burst(b, "I I1 F F1 F1 F1 I", 7, WARP);
	builder_store(b, row_element(b, norm->out, bytes, row, threads), WARP);
	builder_after(b, 1);
	burst(b, "C", 1, WARP);
	builder_loop_end(b);
	burst(b, "C", 1, WARP);
}

void llm_norm(struct builder *b, const struct llm_norm *norm)
{
	__u32 threads = threads_for(norm->width, norm->width, NORM_THREADS, WARP), warp;

	builder_kernel(b, norm->kernel, norm->tokens, threads, 14, 132);
	norm_program(b, norm, threads, true);
	if (threads > WARP) {
		builder_program(b);
		norm_program(b, norm, threads, false);
	}
	for (warp = 0; warp < threads / WARP; warp++)
		builder_warp(b, !!warp, 0);
	llm_blocks_are_alike(b, norm->tokens);
}

/* --- rotary embedding: a block of up to 512 threads a token, in place ----------------------- */

#define ROPE_THREADS	512

/*
 * Elements that a warp turns. A thread turns two of a head, half a head apart, so that half a
 * head is @part 0 to (half a head / a warp - 1).
 */
static __u32 turned(struct builder *b, const struct llm_rope *rope, __u64 row, __u32 threads,
		    __u32 part)
{
	__u32 bytes = rope->value_bytes;
	__u64 row_bytes = (rope->heads + 2ULL * rope->kv_heads) * rope->head * bytes;

	return ACCESS(b, .base = (__s64)row - (__s64)(part * WARP * bytes), .access_bytes = bytes,
		      .lane_stride = bytes, .warp_stride = 2 * WARP * bytes,
		      .block_stride = { (__s64)row_bytes },
		      .loop_stride = { threads * 2 * bytes });
}

/* Cosines or sines of a token's position */
static __u32 angles(struct builder *b, const struct llm_rope *rope, __u64 array, __u32 part)
{
	__u32 bytes = rope->value_bytes;

	return ACCESS(b, .base = array + (__u64)part * WARP * bytes, .access_bytes = bytes,
		      .lane_stride = bytes, .block_stride = { rope->head * bytes });
}

static void rope_turns(struct builder *b, const struct llm_rope *rope, __u64 row, __u32 heads,
		       __u32 threads, __u32 part)
{
	__u64 half = (__u64)rope->head / 2 * rope->value_bytes;
	__u32 x = turned(b, rope, row, threads, part);
	__u32 y = turned(b, rope, row + half, threads, part);

	/* The division of an index by half a head, which the compiler does not know */
	burst(b, "I I I C I S2 S1 I1 S1 I1 I1 I1", 12, WARP);
	builder_loop(b, heads * rope->head / 2 / threads);
	burst(b, "I I I2 I2 I1 I1 I1 I2 I2 I9 I1 I5 I1 I1 I1 I2 I2 I1 I2 I5 I6 I6 I4 I5 I7 I6",
	      26, WARP);
	builder_load(b, angles(b, rope, rope->cosines + half, part), WARP, 14);
	builder_after(b, 1);
	burst(b, "I I I I I I I", 7, WARP);
	builder_load(b, x, WARP, 5);
	builder_load(b, y, WARP, 4);
	builder_load(b, angles(b, rope, rope->cosines, part), WARP, 4);
	burst(b, "I I1 I F1 F1 F2", 6, WARP);
	builder_store(b, x, WARP);
	builder_after(b, 2);
	builder_store(b, y, WARP);
	builder_after(b, 2);
	burst(b, "C", 1, WARP);
	builder_loop_end(b);
}

static void rope_program(struct builder *b, const struct llm_rope *rope, __u32 threads,
			 __u32 part)
{
	__u64 keys = rope->row + (__u64)rope->heads * rope->head * rope->value_bytes;

	burst(b, "I I I I I2", 5, WARP);
	builder_load(b, ACCESS(b, .base = rope->positions, .access_bytes = 8,
			       .block_stride = { 8 }), WARP, 9);
	builder_after(b, 1);
	burst(b, "I C I I I I1 I1 I2 I I I1 I1 I1 I1 C6", 15, WARP);
	rope_turns(b, rope, rope->row, rope->heads, threads, part);
	burst(b, "C I I1 C1", 4, WARP);
	rope_turns(b, rope, keys, rope->kv_heads, threads, part);
	burst(b, "C", 1, WARP);
}

void llm_rope(struct builder *b, const struct llm_rope *rope)
{
	__u32 half = rope->head / 2, parts = half / WARP, part, warp;
	__u32 threads = threads_for(rope->heads * half, rope->kv_heads * half, ROPE_THREADS,
				    half);

	builder_kernel(b, rope->kernel, rope->tokens, threads, 31, 0);
	for (part = 0; part < parts; part++) {
		if (part)
			builder_program(b);
		rope_program(b, rope, threads, part);
	}
	for (warp = 0; warp < threads / WARP; warp++)
		builder_warp(b, warp % parts, 0);
	llm_blocks_are_alike(b, rope->tokens);
}

/* --- activation: silu(x) * y, a block of 1,024 threads a token ------------------------------- */

#define ACT_THREADS	1024

static void act_program(struct builder *b, const struct llm_act *act, __u32 threads,
			__u32 turns)
{
	__u32 bytes = act->value_bytes;
	__u64 half = (__u64)act->width * bytes;

	burst(b, "I I I I1 I I1 C1 I I I I I I1 I1", 14, WARP);
	builder_loop(b, turns);
	burst(b, "I I1 I2 I1", 4, WARP);
	builder_load(b, row_element(b, act->in, bytes, 2 * half, threads), WARP, 6);
	builder_after(b, 1);
	burst(b, "I I1 I1", 3, WARP);
	builder_load(b, row_element(b, act->in + half, bytes, 2 * half, threads), WARP, 22);
	builder_after(b, 1);
	/* The exponential function, and a division by a reciprocal that is refined */
	burst(b, "I C F F1 F1 F1 I2 F2 F1 F F2", 11, WARP);
	burst(b, "S2 F1 S1 I F2 F1 F1 F1 F1 C4 C", 11, WARP);
	burst(b, "F4 I F2 I I3 I1 I", 7, WARP);
	builder_store(b, row_element(b, act->out, bytes, half, threads), WARP);
	builder_after(b, 2);
	burst(b, "I I3 I1 C1", 4, WARP);
	builder_loop_end(b);
	burst(b, "C", 1, WARP);
}

void llm_act(struct builder *b, const struct llm_act *act)
{
	__u32 threads = act->width < ACT_THREADS ? act->width : ACT_THREADS;
	__u32 turns = act->width / threads, warp;
	/* Warps that have a turn more than the others */
	__u32 longer = act->width % threads / WARP;

	builder_kernel(b, act->kernel, act->tokens, threads, 24, 0);
	if (longer) {
		act_program(b, act, threads, turns + 1);
		builder_program(b);
	}
	act_program(b, act, threads, turns);
	for (warp = 0; warp < threads / WARP; warp++)
		builder_warp(b, longer && warp >= longer, 0);
	llm_blocks_are_alike(b, act->tokens);
}

/* --- copy: keys and values into the cache, a block of up to 512 threads a token --------------- */

#define COPY_THREADS	512

static __u32 copied(struct builder *b, const struct llm_copy *copy, __u32 threads, __u64 array,
		    __u64 row, __u64 sequence)
{
	return ACCESS(b, .base = (__s64)array, SIDE_BY_SIDE(copy->value_bytes),
		      .block_stride = { (__s64)row, (__s64)sequence },
		      .loop_stride = { threads * copy->value_bytes });
}

void llm_copy(struct builder *b, const struct llm_copy *copy)
{
	__u32 threads = threads_for(copy->width, copy->width, COPY_THREADS, WARP);

	builder_kernel(b, copy->kernel, copy->tokens * copy->sequences, threads, 24, 0);
	builder_grid(b, copy->tokens, copy->sequences, 1);
	burst(b, "I I I I1 I2 I1 C1", 14, WARP);
	builder_loop(b, copy->width / threads);
	burst(b, INDEXING, 12, WARP);
	builder_load(b, copied(b, copy, threads, copy->from, copy->from_row, copy->from_sequence),
		     WARP, 1);
	builder_after(b, 1);
	builder_store(b, copied(b, copy, threads, copy->to, copy->to_row, copy->to_sequence), WARP);
	builder_after(b, 2);
	burst(b, "I I1 C1", 3, WARP);
	builder_loop_end(b);
	burst(b, "C", 1, WARP);
}
