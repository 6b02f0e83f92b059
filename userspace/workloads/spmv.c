// SPDX-License-Identifier: GPL-2.0
/*
 * Sparse Matrix-Vector Product (SPMV). Parboil, spmv/src/cuda/jds_kernels.cu,
 * spmv_jds: the matrix in jagged diagonals, rows sorted by their length. A thread
 * has a row: from each diagonal it reads a value and a column, side by side with its
 * neighbors, and an element of the vector, wherever that lies.
 */
#include "benchmarks.h"

#define THREADS		256
/* Parboil's larger matrix, Dubcova3, has 146,689 rows; these are 8 times that. */
#define BLOCKS		4608
#define ROWS		((__u64)BLOCKS * THREADS)
/* Its 3,636,643 entries are 25 a row. */
#define DIAGONALS	25
#define LAUNCHES	50

#define VALUES		0ULL
#define COLUMNS		(VALUES + ROWS * DIAGONALS * FLOAT)
#define PERMUTATION	(COLUMNS + ROWS * DIAGONALS * FLOAT)
#define VECTOR		(PERMUTATION + ROWS * FLOAT)
#define RESULT		(VECTOR + ROWS * FLOAT)
#define END		(RESULT + ROWS * FLOAT)

/* Rows of a length are those of a mesh, with gaps. */
#define GATHERED_LINES	8
#define SCATTERED_LINES	4

#define SETUP		14
/* For each diagonal: its start from constant memory, addresses, one product */
#define DIAGONAL	12
/* The sum goes on once a turn. */
#define DIAGONAL_MIX	"F I2 I2 I2 I2 I2 I2 I2 I2 I2 I1 C1"

static __u32 entry(struct builder *b, __u64 array)
{
	return ACCESS(b, .base = array, SIDE_BY_SIDE(FLOAT),
		      .block_stride = { THREADS * FLOAT },
		      .loop_stride = { (__s64)ROWS * FLOAT });
}

/* The column is known one turn ahead; value and element are used a turn later. */
void build_spmv(struct builder *b)
{
	builder_footprint(b, END);
	builder_kernel(b, "spmv_jds", BLOCKS, THREADS, 20, 0);
	burst(b, INDEXING, SETUP, WARP);
	builder_loop(b, DIAGONALS);
	builder_load(b, entry(b, VALUES), WARP, DIAGONAL + 2);
	builder_load(b, entry(b, COLUMNS), WARP, DIAGONAL);
	builder_load(b, anywhere(b, VECTOR, ROWS * FLOAT, GATHERED_LINES, FLOAT,
				 0), WARP, DIAGONAL);
	burst(b, DIAGONAL_MIX, DIAGONAL, WARP);
	builder_loop_end(b);
	load_own(b, PERMUTATION, THREADS, FLOAT, 0);
	burst(b, INDEXING, 2, WARP);
	builder_store(b, anywhere(b, RESULT, ROWS * FLOAT, SCATTERED_LINES,
				  WARP, 1), WARP);
	builder_again(b, 1, LAUNCHES - 1);
}
