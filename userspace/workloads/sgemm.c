// SPDX-License-Identifier: GPL-2.0
/*
 * Dense Matrix Multiplication (SGEMM). Parboil, sgemm/src/cuda/sgemm_kernel.cu,
 * mysgemmNT: C = A x B^T, all by columns. A block has 128 x 16 of C, a thread 16 in
 * a row; 8 columns of B at a time go into shared memory, A comes from memory.
 */
#include "benchmarks.h"

#define TILE_N		16
#define TILE_K		8
#define THREADS		(TILE_N * TILE_K)
/* Parboil's larger matrices: 1024 x 992 and 992 x 1056 */
#define M		2048LL
#define N		4224LL
#define K		1984LL

#define A		0ULL
#define B		(A + (__u64)(M * K) * FLOAT)
#define C		(B + (__u64)(N * K) * FLOAT)
#define END		(C + (__u64)(M * N) * FLOAT)

#define SETUP		40
/* For each tile of B: its element's address, the loop; COLUMN: for each column of A */
#define TILE		12
#define COLUMN		2
/*
 * 16 sums side by side; their values of B are all read before. Addresses and the
 * loop go between them.
 */
#define SUMS		"F16"

/* Half a warp's 16 elements of B: a row of the tile */
static __u32 row_of_b(struct builder *b, __u32 half)
{
	return ACCESS(b, .base = B + half * N * FLOAT, .access_bytes = FLOAT,
		      .block_stride = { 0, TILE_N * FLOAT },
		      .warp_stride = 2 * N * FLOAT, .lane_stride = FLOAT,
		      .loop_stride = { TILE_K * N * FLOAT });
}

static void add_tile(struct builder *b)
{
	__u32 half;

	for (half = 0; half < 2; half++)
		builder_load(b, row_of_b(b, half), TILE_N, 1 - half);
	burst(b, SHARED, 1, WARP);
	burst(b, INDEXING, TILE, WARP);
	builder_barrier(b);
	builder_loop(b, TILE_K);
	builder_load(b, ACCESS(b, .base = A, SIDE_BY_SIDE(FLOAT),
			       .block_stride = { THREADS * FLOAT },
			       .loop_stride = { TILE_K * M * FLOAT,
						M * FLOAT }), WARP, 1);
	burst(b, SHARED, TILE_N, WARP);
	burst(b, SUMS, TILE_N + COLUMN, WARP);
	builder_loop_end(b);
	builder_barrier(b);
}

static __u32 result(struct builder *b)
{
	return ACCESS(b, .base = C, SIDE_BY_SIDE(FLOAT),
		      .block_stride = { THREADS * FLOAT, TILE_N * M * FLOAT },
		      .loop_stride = { M * FLOAT });
}

void build_sgemm(struct builder *b)
{
	builder_footprint(b, END);
	builder_kernel(b, "mysgemmNT", M / THREADS, THREADS, 40,
		       TILE_K * TILE_N * FLOAT);
	builder_grid(b, M / THREADS, N / TILE_N, 1);
	builder_block(b, TILE_N, TILE_K, 1);
	burst(b, INDEXING, SETUP, WARP);
	builder_loop(b, K / TILE_K);
	add_tile(b);
	builder_loop_end(b);
	builder_loop(b, TILE_N);
	builder_load(b, result(b), WARP, 1);
	burst(b, CHAIN, 4, WARP);
	builder_store(b, result(b), WARP);
	builder_loop_end(b);
}
