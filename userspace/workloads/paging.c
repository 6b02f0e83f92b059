// SPDX-License-Identifier: GPL-2.0
/*
 * Accesses over a set of a chosen size, for managed memory: a stream, a random stream, a
 * pointer chase and k-means, as in gpu_ext's experiments on unified memory. Its streams touch 25 GB in
 * 0.86 ms, which cannot be every byte of a memory of 1.8 TB/s: here a thread reads one word of
 * 4 KiB, which is a line of 128 bytes. Thread blocks are few, and go through the set in
 * turns, so that what they access at a time is small beside it. size=1 is 4 GiB.
 */
#include "benchmarks.h"

#define BLOCKS		64
#define THREADS		64
#define STRIDE		4096
/* What all threads access in a turn, and the turns of the whole set */
#define TURN_BYTES	((__u64)BLOCKS * THREADS * STRIDE)
#define TURNS		256
/* As often as the reference repeats its streams; a random one takes long. */
#define LAUNCHES	5
#define RANDOM_LAUNCHES	2
#define LINES		32
#define STEPS		4096
/* Of k-means: passes, centres, and what is read of a centre for a point */
#define PASSES		5
#define CENTRES		8
#define CENTRE_BYTES	128
/* Centres and their sums have a block of 2 MiB for themselves, before the points. */
#define CENTRES_END	(2ULL << 20)

static __u32 turns_of(struct builder *b)
{
	__u32 turns = builder_sized(b, TURNS, 1);

	builder_footprint(b, turns * TURN_BYTES);
	builder_allocation(b, "set", 0, turns * TURN_BYTES, SIMGPU_TRACE_DEVICE);
	return turns;
}

/* In each turn thread t of the grid reads the word at t * STRIDE. */
void build_stream(struct builder *b)
{
	__u32 turns = turns_of(b);

	builder_kernel(b, "stream", BLOCKS, THREADS, 16, 0);
	builder_loop(b, turns);
	burst(b, INDEXING, 4, WARP);
	builder_load(b, ACCESS(b, .base = 0, .access_bytes = FLOAT,
			       .block_stride = { (__s64)THREADS * STRIDE },
			       .warp_stride = (__s64)WARP * STRIDE,
			       .lane_stride = STRIDE,
			       .loop_stride = { (__s64)TURN_BYTES }), WARP, 0);
	burst(b, CHAIN, 1, WARP);
	builder_loop_end(b);
	builder_again(b, 1, LAUNCHES - 1);
}

/* As many words, anywhere in the set. */
void build_random_stream(struct builder *b)
{
	__u32 turns = turns_of(b);

	builder_kernel(b, "random_stream", BLOCKS, THREADS, 16, 0);
	builder_loop(b, turns);
	burst(b, INDEXING, 4, WARP);
	builder_load(b, anywhere(b, 0, turns * TURN_BYTES, LINES, FLOAT, 1), WARP, 0);
	burst(b, CHAIN, 1, WARP);
	builder_loop_end(b);
	builder_again(b, 1, RANDOM_LAUNCHES - 1);
}

/* One warp reads one word after another; each address is what it has read before. */
void build_chase(struct builder *b)
{
	__u32 turns = turns_of(b);

	builder_kernel(b, "chase", 1, WARP, 16, 0);
	builder_loop(b, STEPS);
	builder_load(b, anywhere(b, 0, turns * TURN_BYTES, 1, FLOAT, 1), WARP, 0);
	burst(b, CHAIN, 1, WARP);
	builder_loop_end(b);
}

/*
 * K-means (Lloyd 1982): in each pass, each point is compared with all centres, and the nearest
 * one is noted; then the centres are found anew. Points are passed over, one word of each, as
 * in the stream; the centres are read for every point, and written once a pass.
 */
static void assign_points(struct builder *b, __u32 turns)
{
	builder_kernel(b, "assign", BLOCKS, THREADS, 24, 0);
	builder_loop(b, turns);
	burst(b, INDEXING, 4, WARP);
	builder_load(b, ACCESS(b, .base = CENTRES_END, .access_bytes = FLOAT,
			       .block_stride = { (__s64)THREADS * STRIDE },
			       .warp_stride = (__s64)WARP * STRIDE,
			       .lane_stride = STRIDE,
			       .loop_stride = { (__s64)TURN_BYTES }), WARP, 0);
	builder_loop(b, CENTRES);
	builder_load(b, ACCESS(b, .base = 0, .access_bytes = FLOAT,
			       .loop_stride = { 0, CENTRE_BYTES }), WARP, 2);
	burst(b, "I I1 F F1 F1 C1", 6, WARP);
	builder_loop_end(b);
	builder_store(b, ACCESS(b, .base = CENTRES_END + turns * TURN_BYTES,
				.access_bytes = FLOAT,
				.block_stride = { THREADS * FLOAT },
				.warp_stride = WARP * FLOAT, .lane_stride = FLOAT,
				.loop_stride = { (__s64)BLOCKS * THREADS * FLOAT }),
		      WARP);
	builder_loop_end(b);
}

/* A block adds up what belongs to each centre, and writes the centres. */
static void move_centres(struct builder *b, __u32 turns)
{
	builder_kernel(b, "move", 1, CENTRES * WARP, 24, 0);
	builder_loop(b, turns);
	builder_load(b, ACCESS(b, .base = CENTRES_END + turns * TURN_BYTES,
			       .access_bytes = FLOAT,
			       .warp_stride = WARP * FLOAT, .lane_stride = FLOAT,
			       .loop_stride = { (__s64)BLOCKS * THREADS * FLOAT }),
		     WARP, 2);
	burst(b, "I F1", 4, WARP);
	builder_loop_end(b);
	burst(b, "F1", 8, WARP);
	builder_store(b, ACCESS(b, .base = 0, .access_bytes = FLOAT,
				.warp_stride = CENTRE_BYTES, .lane_stride = FLOAT), WARP);
}

void build_kmeans_set(struct builder *b)
{
	__u32 turns = builder_sized(b, TURNS, 1);
	__u64 points_end = CENTRES_END + turns * TURN_BYTES;
	__u64 nearest_bytes = (__u64)turns * BLOCKS * THREADS * FLOAT;

	builder_footprint(b, points_end + nearest_bytes);
	builder_allocation(b, "centres", 0, CENTRES * CENTRE_BYTES, SIMGPU_TRACE_DEVICE);
	builder_allocation(b, "points", CENTRES_END, turns * TURN_BYTES, SIMGPU_TRACE_DEVICE);
	builder_allocation(b, "nearest", points_end, nearest_bytes, SIMGPU_TRACE_DEVICE);
	assign_points(b, turns);
	move_centres(b, turns);
	builder_again(b, 2, PASSES - 1);
}
