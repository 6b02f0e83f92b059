// SPDX-License-Identifier: GPL-2.0
/* Kernels of many kinds of memory access; see kinds.h. */
#include "kinds.h"

#define LANES	32
#define THREADS	256
#define WARPS	(THREADS / LANES)
#define LINE	128LL
#define KB	(1LL << 10)
#define MB	(1LL << 20)

/* Begin a kernel of the usual shape whose warps do something in a loop. */
static struct builder *begin(const struct kind *kind)
{
	struct builder *b = builder_new(kind->name, "test");

	builder_kernel(b, kind->name, kind->blocks, THREADS, kind->registers, 0);
	builder_loop(b, kind->trips);
	return b;
}

static struct builder *end(struct builder *b)
{
	builder_compute(b, 2, LANES);
	builder_loop_end(b);
	return b;
}

/* Consecutive warps read consecutive lines, then all go on by a whole grid. */
static struct builder *make_grid(const struct kind *kind, __u64 *footprint)
{
	__s64 whole = (__s64)kind->blocks * WARPS * LINE;
	__u64 bytes = (__u64)(whole * kind->trips);
	struct builder *b = begin(kind);

	builder_load(b, builder_affine(b, 0, bytes, 4, LINE * WARPS, LINE,
				       whole), LANES, 1);
	*footprint = bytes;
	return end(b);
}

/* Warps are @stride bytes apart; each reads line by line from there. */
static struct builder *make_strided(const struct kind *kind, __u64 *footprint)
{
	__u64 bytes = (__u64)kind->stride * WARPS * kind->blocks +
		    (__u64)kind->trips * LINE;
	struct builder *b = begin(kind);

	builder_load(b, builder_affine(b, 0, bytes, 4,
				       kind->stride * WARPS,
				       kind->stride, LINE), LANES, 1);
	*footprint = bytes;
	return end(b);
}

/* Stages of an FFT: each warp reads its partner's line, @stride << n away. */
static struct builder *make_butterfly(const struct kind *kind, __u64 *footprint)
{
	__u64 bytes = (__u64)kind->blocks * WARPS * LINE;
	struct simgpu_trace_pattern partner = {
		.kind = SIMGPU_TRACE_AFFINE, .access_bytes = 4,
		.region_bytes = 2 * bytes,
		.block_stride = { LINE * WARPS },
		.warp_stride = LINE, .lane_stride = 4,
		.xor_bytes = (__u64)kind->stride, .xor_loop = 1,
	};
	struct builder *b = begin(kind);

	builder_load(b, builder_pattern(b, &partner), LANES, 1);
	*footprint = 2 * bytes;
	return end(b);
}

/* Each lane has a row of a matrix, @stride bytes long; line by line along it. */
static struct builder *make_column(const struct kind *kind, __u64 *footprint)
{
	struct simgpu_trace_pattern pattern = {
		.kind = SIMGPU_TRACE_AFFINE, .access_bytes = 4,
		.region_bytes = (__u64)kind->stride * THREADS * kind->blocks,
		.block_stride = { kind->stride * THREADS },
		.warp_stride = kind->stride * LANES,
		.lane_stride = kind->stride,
		.loop_stride = { LINE },
	};
	struct builder *b = begin(kind);

	builder_load(b, builder_pattern(b, &pattern), LANES, 1);
	*footprint = pattern.region_bytes;
	return end(b);
}

/* A cell a thread, nine arrays read and nine written (lattice Boltzmann). */
static struct builder *make_streams(const struct kind *kind, __u64 *footprint)
{
	enum { STREAMS = 9 };
	__u64 bytes = (__u64)kind->blocks * WARPS * LINE;
	struct builder *b = begin(kind);
	__u32 i;

	/* They begin @stride bytes apart, a large power of two. */
	for (i = 0; i < 2 * STREAMS; i++) {
		__u32 pattern = builder_affine(b, i * (__u64)kind->stride, bytes, 4,
					     LINE * WARPS, LINE, 0);

		if (i < STREAMS)
			builder_load(b, pattern, LANES, STREAMS);
		else
			builder_store(b, pattern, LANES);
	}
	*footprint = 2 * STREAMS * (__u64)kind->stride;
	return end(b);
}

/* @stride lines an access, anywhere in 1 GB. */
static struct builder *make_random(const struct kind *kind, __u64 *footprint)
{
	struct simgpu_trace_pattern pattern = {
		.kind = SIMGPU_TRACE_RANDOM, .access_bytes = 4,
		.region_bytes = 1ULL << 30, .lines = (__u32)kind->stride,
		.seed = 7,
	};
	struct builder *b = begin(kind);

	builder_load(b, builder_pattern(b, &pattern), LANES, 0);
	*footprint = pattern.region_bytes;
	return end(b);
}

/* @stride instructions a trip, and nothing else. */
static struct builder *make_compute(const struct kind *kind, __u64 *footprint)
{
	struct builder *b = begin(kind);

	builder_compute(b, (__u32)kind->stride, LANES);
	*footprint = 0;
	return end(b);
}

/* A line of its own for each @stride instructions of a warp. */
static struct builder *make_reading(const struct kind *kind, __u64 *footprint)
{
	__u64 bytes = (__u64)kind->blocks * WARPS * kind->trips * LINE;
	struct builder *b = begin(kind);

	builder_load(b, builder_affine(b, 0, bytes, 4,
				       kind->trips * LINE * WARPS,
				       kind->trips * LINE, LINE), LANES, 8);
	builder_compute(b, (__u32)kind->stride, LANES);
	*footprint = bytes;
	return end(b);
}

const struct kind kinds[KIND_COUNT] = {
	{ "unit-stride", make_grid, 0, 8, 8192, 32, MEMORY_BOUND },
	{ "stride-1K", make_strided, KB, 1, 60000, 32, MEMORY_BOUND },
	{ "stride-4K", make_strided, 4 * KB, 1, 60000, 32, MEMORY_BOUND },
	/* The tenant's space has too few of these: some lines from each. */
	{ "stride-64K", make_strided, 64 * KB, 8, 16000, 32, MEMORY_BOUND },
	{ "stride-1M", make_strided, MB, 64, 1000, 32, MEMORY_BOUND },
	{ "odd-stride", make_strided, 33 * LINE, 1, 60000, 32, MEMORY_BOUND },
	{ "butterfly", make_butterfly, MB, 8, 131072, 32, MEMORY_BOUND },
	{ "matrix-columns", make_column, 16 * KB, 4, 1000, 32, MEMORY_BOUND },
	{ "streams", make_streams, 64 * MB, 1, 8000, 32, LOSES_ROWS },
	{ "streams-few-warps", make_streams, 64 * MB, 1, 8000, 128,
	  MEMORY_BOUND },
	{ "random", make_random, 1, 64, 1000, 32, MEMORY_BOUND },
	{ "gathers", make_random, 32, 4, 1000, 32, MEMORY_BOUND },
	{ "chunks-4K", make_strided, 4 * KB, 32, 2000, 32, LOSES_ROWS },
	{ "compute", make_compute, 48, 40, 20000, 32, COMPUTE_BOUND },
	{ "compute-and-read", make_reading, 200, 8, 20000, 32, COMPUTE_BOUND },
};

struct builder *kind_build(const struct kind *kind, __u64 *footprint_bytes)
{
	return kind->make(kind, footprint_bytes);
}

bool kind_is_strided(const struct kind *kind)
{
	return kind->make == make_strided;
}
