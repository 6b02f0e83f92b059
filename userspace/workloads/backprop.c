// SPDX-License-Identifier: GPL-2.0
/*
 * Back Propagation (BACKPROP). Rodinia, cuda/backprop/backprop_cuda_kernel.cu: a
 * block of 16 x 16 threads has 16 inputs' weights to 16 hidden units, in rows of
 * 17. bpnn_layerforward_CUDA multiplies them with the inputs and adds them up in
 * shared memory; bpnn_adjust_weights_cuda moves weights and their last changes.
 */
#include "benchmarks.h"

#define SIDE		16
#define THREADS		(SIDE * SIDE)
/* The suite's default is 65,536 inputs. */
#define BLOCKS		393216
#define INPUTS		((__u64)BLOCKS * SIDE)
#define ROW_BYTES	((__s64)(SIDE + 1) * FLOAT)

#define WEIGHTS		0ULL
#define CHANGES		(WEIGHTS + (INPUTS + 1) * ROW_BYTES + 60)
#define UNITS		(CHANGES + (INPUTS + 1) * ROW_BYTES + 60)
#define SUMS		(UNITS + (INPUTS + 32) * FLOAT)
#define END		(SUMS + INPUTS * FLOAT)

#define ADDRESSES	25
/* For each level of the sum: which threads take part */
#define LEVELS		4
#define LEVEL		9
#define CHANGE		30
#define DOUBLES		7
/* A division by a power of two, its remainder, and whether it is zero */
#define LEVEL_MIX	"I I1 C1"

/* Half a warp's row of 16 weights; the bias comes first. */
static __u32 row(struct builder *b, __u64 array, __u32 half)
{
	return ACCESS(b, .base = array + ROW_BYTES + FLOAT + half * ROW_BYTES,
		      .access_bytes = FLOAT,
		      .block_stride = { 0, SIDE * ROW_BYTES },
		      .warp_stride = 2 * ROW_BYTES, .lane_stride = FLOAT);
}

static void load_rows(struct builder *b, __u64 array, __u32 consume_after)
{
	builder_load(b, row(b, array, 0), SIDE, consume_after + 1);
	builder_load(b, row(b, array, 1), SIDE, consume_after);
}

static void store_rows(struct builder *b, __u64 array)
{
	builder_store(b, row(b, array, 0), SIDE);
	builder_store(b, row(b, array, 1), SIDE);
}

/* The inputs of a warp's two rows */
static void load_inputs(struct builder *b, __u32 lanes)
{
	builder_load(b, ACCESS(b, .base = UNITS + FLOAT, .access_bytes = FLOAT,
			       .block_stride = { 0, SIDE * FLOAT },
			       .warp_stride = 2 * FLOAT,
			       .lane_stride = FLOAT), 2, 0);
	if (lanes > 2)
		burst(b, INDEXING, 1, lanes - 2);
}

static void begin(struct builder *b, const char *name, __u32 shared_bytes)
{
	builder_kernel(b, name, 1, THREADS, 16, shared_bytes);
	builder_grid(b, 1, BLOCKS, 1);
	builder_block(b, SIDE, SIDE, 1);
	burst(b, INDEXING, ADDRESSES, WARP);
}

static void layer_forward(struct builder *b)
{
	begin(b, "bpnn_layerforward_CUDA", (THREADS + SIDE) * FLOAT);
	load_inputs(b, 2);
	burst(b, SHARED, 1, 2);
	builder_barrier(b);
	load_rows(b, WEIGHTS, 0);
	burst(b, SHARED, 1, WARP);
	builder_barrier(b);
	burst(b, "M M F1 M1 I2 I2", 6, WARP);
	builder_barrier(b);
	builder_loop(b, LEVELS);
	burst(b, LEVEL_MIX, LEVEL, WARP);
	burst(b, "M M M1", 3, WARP / LEVELS);
	builder_barrier(b);
	builder_loop_end(b);
	burst(b, SHARED, 1, WARP);
	store_rows(b, WEIGHTS);
	builder_barrier(b);
	burst(b, SHARED, 1, 2);
	builder_store(b, ACCESS(b, .base = SUMS, .access_bytes = FLOAT,
				.block_stride = { 0, SIDE * FLOAT },
				.warp_stride = 2 * FLOAT,
				.lane_stride = FLOAT), 2);
}

static void adjust_weights(struct builder *b)
{
	begin(b, "bpnn_adjust_weights_cuda", 0);
	load_inputs(b, WARP);
	load_rows(b, CHANGES, 2);
	load_rows(b, WEIGHTS, 0);
	burst(b, TWO_CHAINS, CHANGE, WARP);
	burst(b, DOUBLE_CHAIN, DOUBLES, WARP);
	store_rows(b, WEIGHTS);
	store_rows(b, CHANGES);
	builder_barrier(b);
}

void build_backprop(struct builder *b)
{
	builder_footprint(b, END);
	layer_forward(b);
	adjust_weights(b);
}
