// SPDX-License-Identifier: GPL-2.0
/*
 * Writes small traces for tests that run commands: compute, chain, stream, copy,
 * random, rows, mixes, few16 and few120 (streams of so many thread blocks), short, mixed,
 * which reads managed memory and writes what is not, and job, which has commands of all kinds,
 * as files NAME.trace in the folder that is given.
 */
#include <stdio.h>
#include <stdlib.h>

#include "../../userspace/workloads/builder.h"

#define LINE	128
#define WARPS	8
#define TRIPS	8

static void save(const char *folder, const char *name, struct builder *builder,
		 __u64 footprint_bytes)
{
	char path[4096];
	size_t bytes;
	void *trace;
	FILE *file;

	snprintf(path, sizeof(path), "%s/%s.trace", folder, name);
	trace = builder_finish(builder, footprint_bytes, &bytes);
	file = fopen(path, "w");
	if (!trace || !file || fwrite(trace, bytes, 1, file) != 1 ||
	    fclose(file)) {
		fprintf(stderr, "make_traces: cannot write %s\n", path);
		exit(1);
	}
	free(trace);
	builder_free(builder);
}

static __u32 own_lines(struct builder *b, __u64 base, __u64 bytes)
{
	return builder_affine(b, base, bytes, 4, TRIPS * LINE * WARPS,
			      TRIPS * LINE, LINE);
}

static void save_compute(const char *folder)
{
	struct builder *b = builder_new("compute", "make_traces");

	builder_kernel(b, "compute", 2000, 32 * WARPS, 32, 0);
	builder_loop(b, 40);
	builder_compute(b, 20, 32);
	builder_loop_end(b);
	save(folder, "compute", b, 0);
}

/* Computes what needs the result before it, and special functions among that. */
static void save_chain(const char *folder)
{
	struct builder *b = builder_new("chain", "make_traces");

	builder_kernel(b, "chain", 2000, 32 * WARPS, 32, 0);
	builder_loop(b, 10);
	builder_mixed(b, builder_mix(b, "F1 I1 F2 S1"), 40, 32);
	builder_loop_end(b);
	save(folder, "chain", b, 0);
}

/* Reads a line a trip; with @stores also writes one. */
static void save_stream(const char *folder, const char *name, int stores)
{
	struct builder *b = builder_new(name, "make_traces");
	__u64 bytes = 4000ULL * WARPS * TRIPS * LINE;
	__u32 from = own_lines(b, 0, bytes);
	__u32 to = stores ? own_lines(b, bytes, bytes) : 0;

	builder_kernel(b, name, 4000, 32 * WARPS, 32, 0);
	builder_loop(b, TRIPS);
	builder_load(b, from, 32, 1);
	builder_compute(b, 2, 32);
	if (stores)
		builder_store(b, to, 32);
	builder_barrier(b);
	builder_loop_end(b);
	save(folder, name, b, stores ? 2 * bytes : bytes);
}

/* Each warp waits for a line after the other: too few to fill the channels. */
static void save_few(const char *folder, const char *name, __u32 blocks)
{
	const __u32 trips = 64;
	const __u64 block_bytes = WARPS * trips * LINE;
	struct builder *b = builder_new(name, "make_traces");
	__u32 lines = builder_affine(b, 0, blocks * block_bytes, 4, block_bytes,
				     trips * LINE, LINE);

	builder_kernel(b, name, blocks, 32 * WARPS, 32, 0);
	builder_loop(b, trips);
	builder_load(b, lines, 32, 0);
	builder_compute(b, 4, 32);
	builder_loop_end(b);
	save(folder, name, b, blocks * block_bytes);
}

/* Kernels of some thousand cycles, one after another, as of Rodinia's nn. */
static void save_short(const char *folder)
{
	const __u32 kernels = 100, blocks = 313, warps = 2;
	const __u64 bytes = (__u64)blocks * warps * LINE;
	struct builder *b = builder_new("short", "make_traces");
	__u32 from = builder_affine(b, 0, bytes, 4, warps * LINE, LINE, 0);
	__u32 to = builder_affine(b, bytes, bytes, 4, warps * LINE, LINE, 0);
	__u32 i;

	for (i = 0; i < kernels; i++) {
		builder_kernel(b, "short", blocks, 32 * warps, 32, 0);
		builder_load(b, from, 32, 0);
		builder_compute(b, 20, 32);
		builder_load(b, from, 32, 0);
		builder_compute(b, 20, 32);
		builder_store(b, to, 32);
	}
	save(folder, "short", b, 2 * bytes);
}

/* A grid whose border runs another program, and one that is sampled. */
static void save_rows(const char *folder)
{
	struct simgpu_trace_pattern pattern = {
		.kind = SIMGPU_TRACE_AFFINE, .access_bytes = 4,
		.base = -1024 - 64ULL, .region_bytes = 1 << 16,
		.block_stride = { 64, 1024 }, .lane_stride = 4,
		.group_lanes = 16, .group_stride = 512,
	};
	struct builder *b = builder_new("rows", "make_traces");
	__u32 inner = builder_pattern(b, &pattern), i;

	for (i = 0; i < 2; i++) {
		builder_kernel(b, "rows", 4, 32, 32, 0);
		builder_grid(b, 4, 3, 1);
		builder_compute(b, 3, 32);
		builder_program(b);
		builder_load(b, inner, 32, SIMGPU_TRACE_NEVER);
		builder_warp(b, 0, 0);
		builder_warp(b, 1, 0);
		builder_row(b, 1);
		if (i)
			builder_sample(b, 3);
		builder_run(b, i ? 3 : 4, 0);
		if (!i)
			builder_row(b, 3);
		if (!i)
			builder_run(b, 1, 0);
		builder_run(b, 4, 1);
	}
	save(folder, "rows", b, 1 << 17);
}

/*
 * Each unit, in mixes shorter and longer than what is issued of them; an atomic
 * that nothing waits for; recorded lines with sectors left out.
 */
static void save_mixes(const char *folder)
{
	struct simgpu_trace_pattern recorded = {
		.kind = SIMGPU_TRACE_RECORDED,
	};
	struct simgpu_trace_op op = {
		.kind = SIMGPU_TRACE_STORE, .active_lanes = 32, .after = 2,
		.count = 2,
	};
	struct builder *b = builder_new("mixes", "make_traces");
	__u32 own = own_lines(b, 0, 1 << 20), i;

	op.pattern = builder_pattern(b, &recorded);
	builder_kernel(b, "mixes", 4, 32, 32, 1024);
	builder_loop(b, 5);
	builder_mixed(b, builder_mix(b, "I M*8 F1 F2 D1 S C1"), 40, 32);
	builder_load(b, own, 32, 2);
	builder_after(b, 1);
	builder_mixed(b, builder_mix(b, "T T1 M3 M3*2 I60"), 3, 16);
	builder_atomic(b, own, 8, SIMGPU_TRACE_NEVER);
	builder_barrier(b);
	builder_loop_end(b);
	builder_op(b, &op);
	for (i = 0; i < 4; i++)
		builder_warp(b, 0, 0);
	builder_line(b, 3 | 5 << SIMGPU_TRACE_LINE_SKIP_SHIFT);
	builder_line(b, 4 | SIMGPU_TRACE_LINE_PARTIAL);
	save(folder, "mixes", b, 1 << 20);
}

static void save_random(const char *folder)
{
	struct simgpu_trace_pattern pattern = {
		.kind = SIMGPU_TRACE_RANDOM, .access_bytes = 4,
		.region_bytes = 1ULL << 28, .lines = 4, .seed = 7,
	};
	struct builder *b = builder_new("random", "make_traces");
	__u32 index = builder_pattern(b, &pattern);

	builder_kernel(b, "random", 1000, 32 * WARPS, 32, 0);
	builder_loop(b, 20);
	builder_load(b, index, 32, 0);
	builder_compute(b, 2, 32);
	builder_loop_end(b);
	save(folder, "random", b, pattern.region_bytes);
}

/* A stream from managed memory, whose results lie on the device behind it. */
static void save_mixed(const char *folder)
{
	struct builder *b = builder_new("mixed", "make_traces");
	const __u64 bytes = 500ULL * WARPS * TRIPS * LINE, behind = 4ULL << 20;
	__u32 from = own_lines(b, 0, bytes), to = own_lines(b, behind, bytes);

	builder_allocation(b, "read", 0, bytes, SIMGPU_TRACE_MANAGED);
	builder_allocation(b, "written", behind, bytes, SIMGPU_TRACE_DEVICE);
	builder_kernel(b, "mixed", 500, 32 * WARPS, 32, 0);
	builder_loop(b, TRIPS);
	builder_load(b, from, 32, 1);
	builder_compute(b, 2, 32);
	builder_store(b, to, 32);
	builder_loop_end(b);
	save(folder, "mixed", b, behind + bytes);
}

/*
 * Two iterations: what the next one reads is copied in one queue while a stream runs in
 * another, and results are copied out beside the next iteration.
 */
static void save_job(const char *folder)
{
	const __u64 bytes = 500ULL * WARPS * TRIPS * LINE, behind = 4ULL << 20;
	struct builder *b = builder_new("job", "make_traces");
	__u32 from = own_lines(b, 0, bytes), to = own_lines(b, behind, bytes), i;

	builder_allocation(b, "read", 0, bytes, SIMGPU_TRACE_DEVICE);
	builder_allocation(b, "written", behind, bytes, SIMGPU_TRACE_DEVICE);
	builder_kernel(b, "stream", 500, 32 * WARPS, 32, 0);
	builder_loop(b, TRIPS);
	builder_load(b, from, 32, 1);
	builder_store(b, to, 32);
	builder_loop_end(b);
	builder_kernel(b, "compute", 40, 32 * WARPS, 32, 0);
	builder_compute(b, 400, 32);
	builder_command(b, SIMGPU_TRACE_COMMAND_SET, 0, 1, 1, 65536);
	for (i = 0; i < 2; i++) {
		builder_command(b, SIMGPU_TRACE_COMMAND_COPY_IN, 1, 0, 1, 200000);
		builder_command(b, SIMGPU_TRACE_COMMAND_RECORD, 1, 1, 1, 0);
		builder_command(b, SIMGPU_TRACE_COMMAND_WAIT, 0, 1, 1, 0);
		builder_command(b, SIMGPU_TRACE_COMMAND_KERNEL, 0, 0, 1, 0);
		builder_command(b, SIMGPU_TRACE_COMMAND_KERNEL, 0, 1, 3, 0);
		builder_command(b, SIMGPU_TRACE_COMMAND_RECORD, 0, 2, 1, 0);
		builder_command(b, SIMGPU_TRACE_COMMAND_WAIT, 2, 2, 1, 0);
		builder_command(b, SIMGPU_TRACE_COMMAND_COPY_OUT, 2, 1, 1, 100000);
		builder_command(b, SIMGPU_TRACE_COMMAND_COPY, 2, 0, 1, 30000);
		builder_command(b, SIMGPU_TRACE_COMMAND_DELAY, 0, 0, 1, 2500);
		builder_command(b, SIMGPU_TRACE_COMMAND_MARK, 0, 0, 1, 0);
	}
	save(folder, "job", b, behind + bytes);
}

/* Two requests of different sizes, with their tokens */
static void save_requests(const char *folder)
{
	struct builder *b = builder_new("requests", "make_traces");
	__u32 token, request;

	builder_kernel(b, "prefill", 300, 32 * WARPS, 32, 0);
	builder_compute(b, 400, 32);
	builder_kernel(b, "decode", 40, 32 * WARPS, 32, 0);
	builder_compute(b, 200, 32);
	for (request = 0; request < 2; request++) {
		builder_command(b, SIMGPU_TRACE_COMMAND_KERNEL, 0, 0, request + 1, 0);
		builder_command(b, SIMGPU_TRACE_COMMAND_MARK, 0, SIMGPU_TRACE_MARK_FIRST_TOKEN, 1, 0);
		for (token = 0; token < 3 - request; token++) {
			builder_command(b, SIMGPU_TRACE_COMMAND_KERNEL, 0, 1, 1, 0);
			builder_command(b, SIMGPU_TRACE_COMMAND_MARK, 0, SIMGPU_TRACE_MARK_TOKEN, 1,
					0);
		}
		builder_command(b, SIMGPU_TRACE_COMMAND_MARK, 0, SIMGPU_TRACE_MARK_REQUEST, 1, 0);
	}
	save(folder, "requests", b, 0);
}

/* Steps of a service that batches its requests, and these */
static void save_steps(const char *folder)
{
	struct builder *b = builder_new("steps", "make_traces");
	__u32 batch, request;

	builder_kernel(b, "prefill", 300, 32 * WARPS, 32, 0);
	builder_compute(b, 400, 32);
	builder_kernel(b, "decode", 40, 32 * WARPS, 32, 0);
	builder_compute(b, 200, 32);
	builder_command(b, SIMGPU_TRACE_COMMAND_KERNEL, 0, 0, 1, 0);
	builder_command(b, SIMGPU_TRACE_COMMAND_STEP, 0, 0, 1, 256);
	for (batch = 1; batch <= 4; batch *= 2) {
		builder_command(b, SIMGPU_TRACE_COMMAND_KERNEL, 0, 1, batch, 0);
		builder_command(b, SIMGPU_TRACE_COMMAND_STEP, 0, batch, 1, 512);
	}
	for (request = 0; request < 3; request++)
		builder_command(b, SIMGPU_TRACE_COMMAND_REQUEST, 0, 100 + request, 1, 4 - request);
	save(folder, "steps", b, 0);
}

int main(int argc, char **argv)
{
	if (argc != 2) {
		fprintf(stderr, "usage: make_traces FOLDER\n");
		return 2;
	}
	save_compute(argv[1]);
	save_chain(argv[1]);
	save_stream(argv[1], "stream", 0);
	save_stream(argv[1], "copy", 1);
	save_random(argv[1]);
	save_rows(argv[1]);
	save_mixes(argv[1]);
	save_few(argv[1], "few16", 16);
	save_few(argv[1], "few120", 120);
	save_short(argv[1]);
	save_mixed(argv[1]);
	save_job(argv[1]);
	save_requests(argv[1]);
	save_steps(argv[1]);
	return 0;
}
