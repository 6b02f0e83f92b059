// SPDX-License-Identifier: GPL-2.0
/*
 * Srad_v1 (SRAD1). Rodinia, cuda/srad/srad_v1: speckle-reducing diffusion with the
 * image in one dimension, a thread a pixel. An iteration: prepare copies the image
 * and its squares; reduce adds them up, level by level in the same array; srad
 * makes four derivatives and the coefficient, srad2 updates the image. Where a
 * pixel's neighbors are stands in arrays of indices.
 */
#include "benchmarks.h"

#define THREADS		512
/* The suite's image is 458 x 502, its iterations 100. */
#define ROWS		4096LL
#define BLOCKS		32768
#define PIXELS		((__u64)BLOCKS * THREADS)
#define COLUMN_BYTES	(ROWS * FLOAT)
#define ITERATIONS	3

/* An image has a column before and after it. */
#define IMAGE_BYTES	(PIXELS * FLOAT + 2 * COLUMN_BYTES)
enum { I, SUMS, SQUARES, N, S, E, W, C, IMAGES };

#define INDICES		(IMAGES * IMAGE_BYTES)
#define END		(INDICES + 4 * COLUMN_BYTES)

#define PREPARE		16
#define PLACE		45
#define COEFFICIENT	45
#define DOUBLES		12
/* Row and column by division */
#define PLACE_MIX	"I1 I1 I2"
#define UPDATE		12

static __u64 image(__u32 index)
{
	return index * IMAGE_BYTES + COLUMN_BYTES;
}

static void load_pixel(struct builder *b, __u32 from, __s64 offset,
		       __u32 consume_after)
{
	load_own(b, image(from) + (__u64)offset, THREADS, FLOAT, consume_after);
}

/* Above and below: the row's index; left and right: the column's, all the same */
static void load_index(struct builder *b, __u32 which, int column)
{
	__u64 array = INDICES + which * COLUMN_BYTES;

	builder_load(b, ACCESS(b, .base = array, .access_bytes = FLOAT,
			       .warp_stride = column ? 0 : WARP * FLOAT,
			       .lane_stride = column ? 0 : FLOAT), WARP, 1);
	burst(b, INDEXING, 2, WARP);
}

static void prepare(struct builder *b)
{
	builder_kernel(b, "prepare", BLOCKS, THREADS, 12, 0);
	burst(b, INDEXING, PREPARE, WARP);
	load_pixel(b, I, 0, 0);
	store_own(b, image(SUMS), THREADS, FLOAT);
	load_pixel(b, I, 0, 0);
	burst(b, CHAIN, 1, WARP);
	store_own(b, image(SQUARES), THREADS, FLOAT);
}

/* Sums that lie @apart elements apart become one a block. */
static void reduce(struct builder *b, __u32 blocks, __s64 apart)
{
	__u32 i;

	builder_kernel(b, "reduce", blocks, THREADS, 16, 2 * THREADS * FLOAT);
	burst(b, INDEXING, 20, WARP);
	for (i = SUMS; i <= SQUARES; i++)
		builder_load(b, own_element(b, image(i), THREADS, FLOAT,
					    apart * FLOAT), WARP, 1);
	burst(b, SHARED, 2, WARP);
	add_up_block(b, THREADS, 2);
	for (i = SUMS; i <= SQUARES; i++)
		builder_store(b, ACCESS(b, .base = image(i),
					.access_bytes = FLOAT,
					.block_stride = {
						THREADS * apart * FLOAT }), 1);
}

static void srad(struct builder *b)
{
	__u32 i;

	builder_kernel(b, "srad", BLOCKS, THREADS, 26, 0);
	burst(b, PLACE_MIX, PLACE, WARP);
	load_pixel(b, I, 0, 2);
	load_index(b, 0, 0);
	load_pixel(b, I, -FLOAT, 2);
	load_index(b, 1, 0);
	load_pixel(b, I, FLOAT, 2);
	load_index(b, 2, 1);
	load_pixel(b, I, -COLUMN_BYTES, 2);
	load_index(b, 3, 1);
	load_pixel(b, I, COLUMN_BYTES, 0);
	burst(b, TWO_CHAINS, COEFFICIENT, WARP);
	burst(b, DOUBLE_CHAIN, DOUBLES, WARP);
	for (i = N; i <= C; i++)
		store_own(b, image(i), THREADS, FLOAT);
}

static void srad2(struct builder *b)
{
	__u32 i;

	builder_kernel(b, "srad2", BLOCKS, THREADS, 20, 0);
	burst(b, PLACE_MIX, PLACE, WARP);
	load_pixel(b, C, 0, 2);
	load_index(b, 1, 0);
	load_pixel(b, C, FLOAT, 2);
	load_index(b, 3, 1);
	load_pixel(b, C, COLUMN_BYTES, 2);
	for (i = N; i <= W; i++)
		load_pixel(b, i, 0, 1);
	load_pixel(b, I, 0, 1);
	burst(b, TWO_CHAINS, UPDATE, WARP);
	burst(b, DOUBLE_CHAIN, 4, WARP);
	store_own(b, image(I), THREADS, FLOAT);
}

void build_srad_v1(struct builder *b)
{
	builder_footprint(b, END);
	prepare(b);
	reduce(b, BLOCKS, 1);
	reduce(b, BLOCKS / THREADS, THREADS);
	srad(b);
	srad2(b);
	builder_again(b, 5, ITERATIONS - 1);
}
