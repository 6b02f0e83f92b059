// SPDX-License-Identifier: GPL-2.0
/*
 * Srad_v2 (SRAD). Rodinia, cuda/srad/srad_v2/srad_kernel.cu: speckle-reducing
 * diffusion. srad_cuda_1 reads tiles of 16 x 16 pixels with their borders and
 * writes four derivatives and the diffusion coefficient; srad_cuda_2 reads
 * these and updates the image. A warp has two rows of 16 pixels.
 */
#include "benchmarks.h"

#define TILE		16
/* The suite's image is 2048 x 2048. */
#define BLOCKS_X	512
#define BLOCKS_Y	256
#define ROW_BYTES	((__s64)BLOCKS_X * TILE * FLOAT)
#define MARGIN_BYTES	((__u64)ROW_BYTES)
#define IMAGE_BYTES	((__u64)ROW_BYTES * TILE * BLOCKS_Y + 2 * MARGIN_BYTES)

enum { J, C, E, W, N, S, IMAGES };

/*
 * Instructions: which of four borders, or of two; derivatives and coefficient,
 * some in double precision
 */
#define BORDERS		95
#define TWO_BORDERS	60
#define COEFFICIENT	60
#define DOUBLES		10
/* Which border: conditions, and a difference each; what follows from them */
#define BORDERS_MIX	"I2 I2 F3 C2"
#define UPDATE		65

/* A row of 16, @x and @y from its place; @warp_bytes: 0 for a block's border */
static __u32 pixels(struct builder *b, __u32 image, int x, int y,
		    __s64 warp_bytes)
{
	return ACCESS(b, .base = image * IMAGE_BYTES + MARGIN_BYTES +
				 (__u64)(x * FLOAT + y * ROW_BYTES),
		      .access_bytes = FLOAT,
		      .block_stride = { TILE * FLOAT, TILE * ROW_BYTES },
		      .warp_stride = warp_bytes, .lane_stride = FLOAT);
}

/* A column of 16 at a side of the tile: one pixel for each of a warp's rows. */
static __u32 side(struct builder *b, __u32 image, int x)
{
	return ACCESS(b, .base = image * IMAGE_BYTES + MARGIN_BYTES +
				 (__u64)(x * FLOAT),
		      .access_bytes = FLOAT,
		      .block_stride = { TILE * FLOAT, TILE * ROW_BYTES },
		      .warp_stride = 2 * ROW_BYTES, .lane_stride = ROW_BYTES);
}

static void load_tile(struct builder *b, __u32 image)
{
	__u32 row;

	for (row = 0; row < 2; row++)
		builder_load(b, pixels(b, image, 0, row, 2 * ROW_BYTES), TILE,
			     1 - row);
	burst(b, SHARED, 1, WARP);
}

static void load_border(struct builder *b, __u32 image, int y)
{
	builder_load(b, pixels(b, image, 0, y, 0), TILE, 1);
	burst(b, SHARED, 1, WARP);
}

static void load_side(struct builder *b, __u32 image, int x)
{
	builder_load(b, side(b, image, x), 2, 1);
	burst(b, SHARED, 1, WARP);
}

static void store_tile(struct builder *b, __u32 image)
{
	__u32 row;

	for (row = 0; row < 2; row++)
		builder_store(b, pixels(b, image, 0, row, 2 * ROW_BYTES), TILE);
}

static void begin(struct builder *b, const char *name, __u32 tiles)
{
	builder_kernel(b, name, BLOCKS_X, TILE * TILE, 28,
		       tiles * TILE * TILE * FLOAT);
	builder_grid(b, BLOCKS_X, BLOCKS_Y, 1);
	builder_block(b, TILE, TILE, 1);
}

static void srad_1(struct builder *b)
{
	__u32 image;

	begin(b, "srad_cuda_1", 6);
	load_border(b, J, -1);
	load_border(b, J, TILE);
	builder_barrier(b);
	load_side(b, J, -1);
	load_side(b, J, TILE);
	builder_barrier(b);
	load_tile(b, J);
	builder_barrier(b);
	burst(b, BORDERS_MIX, BORDERS, WARP);
	burst(b, TWO_CHAINS, COEFFICIENT, WARP);
	burst(b, DOUBLE_CHAIN, DOUBLES, WARP);
	builder_barrier(b);
	for (image = C; image < IMAGES; image++)
		store_tile(b, image);
}

static void srad_2(struct builder *b)
{
	__u32 image;

	begin(b, "srad_cuda_2", 5);
	load_tile(b, J);
	builder_barrier(b);
	load_border(b, C, TILE);
	builder_barrier(b);
	load_side(b, C, TILE);
	builder_barrier(b);
	load_tile(b, C);
	builder_barrier(b);
	burst(b, BORDERS_MIX, TWO_BORDERS, WARP);
	for (image = E; image < IMAGES; image++)
		load_tile(b, image);
	burst(b, TWO_CHAINS, UPDATE, WARP);
	store_tile(b, J);
}

void build_srad(struct builder *b)
{
	builder_footprint(b, IMAGES * IMAGE_BYTES);
	srad_1(b);
	srad_2(b);
}
