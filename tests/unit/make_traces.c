// SPDX-License-Identifier: GPL-2.0
/*
 * Writes small traces for tests that run commands: compute, stream, copy and
 * random, as files NAME.trace in the folder that is given.
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

int main(int argc, char **argv)
{
	if (argc != 2) {
		fprintf(stderr, "usage: make_traces FOLDER\n");
		return 2;
	}
	save_compute(argv[1]);
	save_stream(argv[1], "stream", 0);
	save_stream(argv[1], "copy", 1);
	save_random(argv[1]);
	return 0;
}
