// SPDX-License-Identifier: GPL-2.0
/*
 * Particle Filter, float (PFF). Rodinia,
 * cuda/particlefilter/ex_particle_CUDA_float_seq.cu. Four kernels a frame:
 * likelihood_kernel moves each thread's particle at random, writes the indices of
 * the 69 pixels of a disk around it into an array, a row a particle, reads them
 * back and gathers the pixels; sum_kernel adds up the blocks' sums in one thread;
 * normalize_weights_kernel divides by that; find_index_kernel walks through the
 * cumulative weights as the naive version does.
 */
#include "benchmarks.h"

#define THREADS		512
/* The suite's example has 1000 particles and 10 frames of 128 x 128. */
#define BLOCKS		128
#define PARTICLES	((__u64)BLOCKS * THREADS)
#define FRAMES		4
#define PIXELS		69
#define VIDEO_BYTES	(128ULL * 128 * 10)

#define ARRAY_BYTES	(PARTICLES * DOUBLE)
enum {
	X, Y, NEW_X, NEW_Y, WEIGHTS, CUMULATIVE, NUMBERS, LIKELIHOOD, SEEDS,
	SUMS, ARRAYS
};

#define DISK		(ARRAYS * ARRAY_BYTES)
#define VIDEO		(DISK + 1024)
#define INDICES		(VIDEO + VIDEO_BYTES)
#define END		(INDICES + PARTICLES * PIXELS * FLOAT)

/* Two normal random numbers: each a square root, a cosine and a logarithm */
#define RANDOM		160
/* For each pixel: round x and y, index, its absolute value; (p-100)^2 - (p-228)^2 */
#define INDEX		22
#define DIFFERENCE	6
#define DOUBLES		8
/* The pixels around a warp's particles */
#define PIXEL_LINES	8
#define STEPS		((__u32)PARTICLES / 2)
#define STEP		4
/* A comparison of doubles, whether that is it, the next one */
#define STEP_MIX	"D C1 I I1"

static __u64 array(__u32 index)
{
	return index * ARRAY_BYTES;
}

static __u32 index_of_pixel(struct builder *b)
{
	__s64 row_bytes = PIXELS * FLOAT;

	return ACCESS(b, .base = INDICES, .access_bytes = FLOAT,
		      .block_stride = { THREADS * row_bytes },
		      .warp_stride = WARP * row_bytes, .lane_stride = row_bytes,
		      .loop_stride = { FLOAT });
}

static void move_particles(struct builder *b)
{
	__u32 i;

	for (i = 0; i < 2; i++) {
		load_own(b, array(NEW_X + i), THREADS, DOUBLE, 1);
		store_own(b, array(X + i), THREADS, DOUBLE);
	}
	store_own(b, array(WEIGHTS), THREADS, DOUBLE);
	for (i = 0; i < 2; i++) {
		load_own(b, array(SEEDS), THREADS, FLOAT, 0);
		burst(b, "I1", RANDOM / 2, WARP);
		burst(b, DOUBLE_CHAIN, RANDOM / 2, WARP);
		store_own(b, array(SEEDS), THREADS, FLOAT);
		store_own(b, array(X + i), THREADS, DOUBLE);
	}
	builder_barrier(b);
}

/* The disk's pixel, as x and y; where it is for this particle */
static void write_index(struct builder *b)
{
	__u32 i;

	for (i = 0; i < 2; i++) {
		load_own(b, array(X + i), THREADS, DOUBLE, 1);
		builder_load(b, ACCESS(b, .base = DISK + i * FLOAT,
				       .access_bytes = FLOAT,
				       .loop_stride = { 2 * FLOAT }), WARP, 0);
	}
	burst(b, INDEXING, INDEX, WARP);
	burst(b, DOUBLE_CHAIN, DOUBLES, WARP);
	builder_store(b, index_of_pixel(b), WARP);
}

static void add_pixel(struct builder *b)
{
	builder_load(b, index_of_pixel(b), WARP, 0);
	burst(b, INDEXING, 2, WARP);
	builder_load(b, anywhere(b, VIDEO, VIDEO_BYTES, PIXEL_LINES, 1, 0), WARP,
		     0);
	burst(b, INDEXING, DIFFERENCE, WARP);
	burst(b, DOUBLE_CHAIN, DOUBLES, WARP);
}

static void likelihood(struct builder *b)
{
	builder_kernel(b, "likelihood_kernel", BLOCKS, THREADS, 32,
		       THREADS * DOUBLE);
	burst(b, INDEXING, 16, WARP);
	move_particles(b);
	builder_loop(b, PIXELS);
	write_index(b);
	builder_loop_end(b);
	builder_loop(b, PIXELS);
	add_pixel(b);
	builder_loop_end(b);
	store_own(b, array(LIKELIHOOD), THREADS, DOUBLE);
	burst(b, DOUBLE_CHAIN, 30, WARP);
	store_own(b, array(WEIGHTS), THREADS, DOUBLE);
	burst(b, "M*2", 2, WARP);
	add_up_block(b, THREADS, 2);
	builder_store(b, ACCESS(b, .base = array(SUMS), .access_bytes = DOUBLE,
				.block_stride = { DOUBLE }), 1);
}

/* One thread; the launch's others have nothing to do. */
static void add_sums(struct builder *b)
{
	__u32 sum = ACCESS(b, .base = array(SUMS), .access_bytes = DOUBLE,
			   .loop_stride = { DOUBLE });

	builder_kernel(b, "sum_kernel", 1, WARP, 12, 0);
	builder_loop(b, BLOCKS);
	builder_load(b, sum, 1, 0);
	burst(b, "D6 I I1 C1 I", 1 + 4, 1);
	builder_loop_end(b);
}

static void normalize(struct builder *b)
{
	builder_kernel(b, "normalize_weights_kernel", BLOCKS, THREADS, 16, 16);
	burst(b, INDEXING, 12, WARP);
	builder_barrier(b);
	load_own(b, array(WEIGHTS), THREADS, DOUBLE, 0);
	burst(b, DOUBLE_CHAIN, 10, WARP);
	store_own(b, array(WEIGHTS), THREADS, DOUBLE);
	builder_barrier(b);
	builder_barrier(b);
	burst(b, DOUBLE_CHAIN, 12, WARP);
	store_own(b, array(NUMBERS), THREADS, DOUBLE);
}

/* Its first thread, before that: the cumulative weights, one after the other */
static void accumulate(struct builder *b)
{
	__u32 weight = ACCESS(b, .base = array(WEIGHTS), .access_bytes = DOUBLE,
			      .loop_stride = { DOUBLE });
	__u32 sum = ACCESS(b, .base = array(CUMULATIVE), .access_bytes = DOUBLE,
			   .loop_stride = { DOUBLE });

	builder_kernel(b, "normalize_weights_kernel", 1, WARP, 16, 16);
	builder_loop(b, (__u32)PARTICLES);
	builder_load(b, weight, 1, 0);
	burst(b, "D6", 1, 1);
	builder_store(b, sum, 1);
	burst(b, "I I1 C1", 3, 1);
	builder_loop_end(b);
}

static void find_index(struct builder *b)
{
	__u32 i;

	builder_kernel(b, "find_index_kernel", BLOCKS, THREADS, 14, 0);
	burst(b, INDEXING, 14, WARP);
	load_own(b, array(NUMBERS), THREADS, DOUBLE, 0);
	builder_loop(b, STEPS);
	builder_load(b, ACCESS(b, .base = array(CUMULATIVE),
			       .access_bytes = DOUBLE,
			       .loop_stride = { DOUBLE }), WARP, 0);
	burst(b, STEP_MIX, STEP, WARP);
	builder_loop_end(b);
	for (i = 0; i < 2; i++) {
		load_own(b, array(X + i), THREADS, DOUBLE, 0);
		store_own(b, array(NEW_X + i), THREADS, DOUBLE);
	}
}

void build_particle_filter(struct builder *b)
{
	builder_footprint(b, END);
	likelihood(b);
	add_sums(b);
	accumulate(b);
	normalize(b);
	find_index(b);
	builder_again(b, 5, FRAMES - 1);
}
