// SPDX-License-Identifier: GPL-2.0
/* Small traces for the unit tests; see traces.h. */
#include <stdio.h>
#include <stdlib.h>

#include "traces.h"

#define THREADS	256
#define WARPS	(THREADS / 32)
#define LINE	128

struct trace *trace_of(struct builder *builder, u64 footprint_bytes)
{
	struct trace_error error;
	struct trace *trace;
	u64 memory_bytes;
	size_t bytes;
	void *encoded;

	encoded = builder_finish(builder, footprint_bytes, &bytes);
	builder_free(builder);
	if (!encoded || trace_check(encoded, bytes, &memory_bytes, &error)) {
		fprintf(stderr, "test trace refused: %s %s\n", error.field,
			error.reason);
		abort();
	}
	trace = trace_decode(encoded, port_alloc(memory_bytes));
	free(encoded);
	return trace;
}

void trace_free(struct trace *trace)
{
	port_free(trace);
}

static void add_compute(struct builder *b, const char *name, u32 blocks,
			u32 trips, u32 burst)
{
	builder_kernel(b, name, blocks, THREADS, 32, 0);
	builder_loop(b, trips);
	builder_compute(b, burst, 32);
	builder_loop_end(b);
}

struct trace *trace_compute(u32 blocks, u32 trips, u32 burst)
{
	struct builder *b = builder_new("compute", "test");

	add_compute(b, "compute", blocks, trips, burst);
	return trace_of(b, 0);
}

/* A region in which every warp of every block has @trips lines of its own. */
static u32 own_lines(struct builder *b, u64 base, u64 bytes, u32 trips)
{
	return builder_affine(b, base, bytes, 4, (s64)trips * LINE * WARPS,
			      (s64)trips * LINE, LINE);
}

struct trace *trace_compute_twice(u32 blocks, u32 trips, u32 burst)
{
	struct builder *b = builder_new("twice", "test");

	add_compute(b, "first", blocks, trips, burst);
	add_compute(b, "second", blocks, trips, burst);
	return trace_of(b, 0);
}

struct trace *trace_stream(u32 blocks, u32 trips, u32 burst)
{
	struct builder *b = builder_new("stream", "test");
	u64 bytes = (u64)blocks * WARPS * trips * LINE;
	u32 pattern = own_lines(b, 0, bytes, trips);

	builder_kernel(b, "stream", blocks, THREADS, 32, 0);
	builder_loop(b, trips);
	builder_load(b, pattern, 32, 0);
	builder_compute(b, burst, 32);
	builder_loop_end(b);
	return trace_of(b, bytes);
}

struct trace *trace_copy(u32 blocks, u32 trips, u32 lanes)
{
	struct builder *b = builder_new("copy", "test");
	u64 bytes = (u64)blocks * WARPS * trips * LINE;
	u32 from = own_lines(b, 0, bytes, trips);
	u32 to = own_lines(b, bytes, bytes, trips);

	builder_kernel(b, "copy", blocks, THREADS, 32, 0);
	builder_loop(b, trips);
	builder_load(b, from, 32, 1);
	builder_compute(b, 2, 32);
	builder_store(b, to, lanes);
	builder_loop_end(b);
	return trace_of(b, 2 * bytes);
}

struct trace *trace_random(u32 blocks, u32 trips, u32 lines, u64 region_bytes)
{
	struct simgpu_trace_pattern pattern = {
		.kind = SIMGPU_TRACE_RANDOM, .access_bytes = 4,
		.region_bytes = region_bytes, .lines = lines, .seed = 7,
	};
	struct builder *b = builder_new("random", "test");
	u32 index = builder_pattern(b, &pattern);

	builder_kernel(b, "random", blocks, THREADS, 32, 0);
	builder_loop(b, trips);
	builder_load(b, index, 32, 0);
	builder_compute(b, 2, 32);
	builder_loop_end(b);
	return trace_of(b, region_bytes);
}

/* One warp's lines: three single ones and a pair, @trips times. */
static void record_pairs(struct builder *b, u32 trips, u64 *random)
{
	u32 i;

	for (i = 0; i < 4 * trips; i++) {
		u32 line;

		*random ^= *random << 13;
		*random ^= *random >> 7;
		*random ^= *random << 17;
		line = (u32)(*random >> 20) & 0x1fffffe;
		builder_line(b, line);
		if (i % 4 == 3)
			builder_line(b, line + 1);
	}
}

struct trace *trace_pairs(u32 blocks, u32 trips)
{
	struct simgpu_trace_pattern pattern = { .kind = SIMGPU_TRACE_RECORDED };
	struct simgpu_trace_op load = {
		.kind = SIMGPU_TRACE_LOAD, .active_lanes = 32,
	};
	struct builder *b = builder_new("pairs", "test");
	u64 random = 88172645463325252ULL;
	u32 i;

	load.pattern = builder_pattern(b, &pattern);
	builder_kernel(b, "pairs", blocks, THREADS, 32, 0);
	for (i = 0; i < 4 * trips; i++) {
		load.count = i % 4 == 3 ? 2 : 1;
		builder_op(b, &load);
		builder_compute(b, 2, 32);
	}
	for (i = 0; i < blocks * WARPS; i++) {
		builder_warp(b, 0, i * trips * 5);
		record_pairs(b, trips, &random);
	}
	return trace_of(b, 1ULL << 32);
}

struct trace *trace_varied(u32 blocks, u32 trips, u64 region_bytes)
{
	struct builder *b = builder_new("mixed", "test");
	struct simgpu_trace_pattern random = {
		.kind = SIMGPU_TRACE_RANDOM, .access_bytes = 4,
		.region_bytes = region_bytes, .lines = 4, .seed = 7,
	};
	u32 pattern = builder_pattern(b, &random);
	u32 shared = builder_affine(b, 0, region_bytes, 4, 4096, 512, 4);

	builder_kernel(b, "mixed", blocks, 256, 32, 1024);
	builder_loop(b, trips);
	builder_loop(b, 3);
	builder_load(b, pattern, 32, 2);
	builder_compute(b, 9, 32);
	builder_constant(b, shared, 32, 0);
	builder_store(b, pattern, 16);
	builder_loop_end(b);
	builder_atomic(b, shared, 32, 0);
	builder_barrier(b);
	builder_loop_end(b);
	return trace_of(b, region_bytes);
}
