// SPDX-License-Identifier: GPL-2.0
/*
 * LavaMD (LAVAMD). Rodinia, cuda/lavaMD/kernel/kernel_gpu_cuda.cu: a block has the
 * particles of a box. Those of its own and the 26 boxes around it go into shared
 * memory, box by box, and each thread adds up their forces on its particle, in
 * double precision.
 */
#include "benchmarks.h"

#define THREADS		128
#define PARTICLES	100
/* The suite's space is 10 boxes wide. */
#define WIDTH		30
#define BOXES		(WIDTH * WIDTH * WIDTH)

/* Place and potential; charge; force; where the box and its neighbors are */
#define PLACE_BYTES	32
#define BOX_BYTES	648
#define PLACES		0ULL
#define CHARGES		(PLACES + (__u64)BOXES * PARTICLES * PLACE_BYTES)
#define FORCES		(CHARGES + (__u64)BOXES * PARTICLES * DOUBLE)
#define TABLE		(FORCES + (__u64)BOXES * PARTICLES * PLACE_BYTES)
#define END		(TABLE + (__u64)BOXES * BOX_BYTES)

/* A hundred of 128 threads have a particle. */
#define LANES		25

/* A box around a block's: a row of three, a layer, three layers */
#define BOX(bytes)	((__s64)PARTICLES * (bytes))

/*
 * For each pair: 5 values from shared memory; distance, potential, force; the
 * exponential is 20 more
 */
#define VALUES		5
#define FORCE		17
#define EXPONENTIAL	20
#define PAIR		3
/* All but the force's three components is one chain. */
#define CHAIN_OF_5	"D1 D1 D1 D1 D1 "
#define PAIR_MIX	CHAIN_OF_5 CHAIN_OF_5 CHAIN_OF_5 CHAIN_OF_5 CHAIN_OF_5 \
			"D1 D2 D3 D3 D3 D3 D3 D3 D3 D3 D3 D3 I I1 C1"

/* Load half of a particle's 32 bytes, or its charge; @around: in a box near by */
static __u32 particle(struct builder *b, __u64 array, __s64 bytes,
		      __u32 access_bytes, int around)
{
	__s64 box = BOX(bytes);

	return ACCESS(b, .base = array, .access_bytes = access_bytes,
		      .block_stride = { box, WIDTH * box,
					WIDTH * WIDTH * box },
		      .warp_stride = LANES * bytes, .lane_stride = bytes,
		      .loop_stride = { around ? WIDTH * WIDTH * box : 0,
				       around ? WIDTH * box : 0,
				       around ? box : 0 });
}

static void load_places(struct builder *b, int around)
{
	__u32 half;

	for (half = 0; half < 2; half++)
		builder_load(b, particle(b, PLACES + half * 16, PLACE_BYTES, 16,
					 around), LANES, 1 - half);
	/* Four values, each a load and a store */
	burst(b, INDEXING, 2 + 6, LANES);
	burst(b, "M*2", 4, LANES);
}

static void add_box(struct builder *b)
{
	builder_load(b, ACCESS(b, .base = TABLE, .access_bytes = FLOAT,
			       .block_stride = { BOX_BYTES }), 1, 0);
	burst(b, INDEXING, 20, WARP);
	load_places(b, 1);
	builder_load(b, particle(b, CHARGES, DOUBLE, DOUBLE, 1), LANES, 0);
	burst(b, "M*2", 1, LANES);
	builder_barrier(b);
	builder_loop(b, PARTICLES);
	burst(b, SHARED, VALUES, LANES);
	burst(b, PAIR_MIX, FORCE + EXPONENTIAL + PAIR, LANES);
	builder_loop_end(b);
	builder_barrier(b);
}

/* The sums stay in registers for a box's pairs. */
static void update_forces(struct builder *b)
{
	__u32 half;

	for (half = 0; half < 2; half++)
		builder_load(b, particle(b, FORCES + half * 16, PLACE_BYTES, 16,
					 0), LANES, 1 - half);
	burst(b, DOUBLE_CHAIN, 2, LANES);
	for (half = 0; half < 2; half++)
		builder_store(b, particle(b, FORCES + half * 16, PLACE_BYTES, 16,
					  0), LANES);
}

void build_lava_md(struct builder *b)
{
	builder_footprint(b, END);
	/* The outer boxes have fewer neighbors; the grid is of the inner ones. */
	builder_kernel(b, "kernel_gpu_cuda", WIDTH - 2, THREADS, 40,
		       2 * PARTICLES * PLACE_BYTES + PARTICLES * DOUBLE);
	builder_grid(b, WIDTH - 2, WIDTH - 2, WIDTH - 2);
	burst(b, INDEXING, 30, WARP);
	load_places(b, 0);
	builder_barrier(b);
	builder_loop(b, 3);
	builder_loop(b, 3);
	builder_loop(b, 3);
	add_box(b);
	update_forces(b);
	builder_loop_end(b);
	builder_loop_end(b);
	builder_loop_end(b);
}
