/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Small valid traces, made in memory: a compute-bound kernel, a stream of
 * loads, and one with something in every section. Nothing here looks at the
 * device.
 */
#ifndef TRACE_BUILDER_H
#define TRACE_BUILDER_H

#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <linux/simgpu_trace.h>

/* Bytes that the largest of these traces needs. */
#define TRACE_BUILDER_BYTES	4096

/**
 * struct built_trace - an encoded trace
 * @bytes: of it
 * @size: how many
 */
struct built_trace {
	_Alignas(8) unsigned char bytes[TRACE_BUILDER_BYTES];
	size_t size;
};

static inline uint32_t trace_crc32(const unsigned char *bytes, size_t count)
{
	uint32_t crc = ~0U;
	size_t i;
	int bit;

	for (i = 0; i < count; i++) {
		crc ^= bytes[i];
		for (bit = 0; bit < 8; bit++)
			crc = crc >> 1 ^ (crc & 1 ? 0xedb88320U : 0);
	}
	return ~crc;
}

static inline struct simgpu_trace_header *trace_header(struct built_trace *trace)
{
	return (struct simgpu_trace_header *)trace->bytes;
}

/* After any change: the checksum as it must be. */
static inline void trace_seal(struct built_trace *trace)
{
	struct simgpu_trace_header *header = trace_header(trace);

	header->checksum = 0;
	header->checksum = trace_crc32(trace->bytes, trace->size);
}

static inline void trace_begin(struct built_trace *trace, const char *name,
			       uint64_t footprint_bytes)
{
	struct simgpu_trace_header *header = trace_header(trace);

	memset(trace, 0, sizeof(*trace));
	header->magic = SIMGPU_TRACE_MAGIC;
	header->version = SIMGPU_TRACE_VERSION;
	header->header_bytes = sizeof(*header);
	strncpy(header->name, name, sizeof(header->name) - 1);
	strncpy(header->source, "kselftest", sizeof(header->source) - 1);
	header->footprint_bytes = footprint_bytes;
	trace->size = sizeof(*header);
}

static inline void *trace_section(struct built_trace *trace,
				  enum simgpu_trace_section_id id,
				  const void *elements, size_t element_bytes,
				  size_t count)
{
	struct simgpu_trace_section *section = &trace_header(trace)->sections[id];
	void *place = trace->bytes + trace->size;

	if (trace->size + count * element_bytes + 8 > sizeof(trace->bytes))
		abort();
	section->offset = trace->size;
	section->count = count;
	memcpy(place, elements, count * element_bytes);
	trace->size = (trace->size + count * element_bytes + 7) & ~7UL;
	return place;
}

static inline void trace_end(struct built_trace *trace)
{
	trace_header(trace)->total_bytes = trace->size;
	trace_seal(trace);
}

/**
 * struct trace_part - memory that a program has allocated
 * @base: its first byte
 * @bytes: its size
 * @kind: &enum simgpu_trace_allocation_kind
 */
struct trace_part {
	uint64_t base;
	uint64_t bytes;
	uint32_t kind;
};

/* Say of a trace that is finished, or is about to be, what it has allocated: up to four. */
static inline void trace_allocate(struct built_trace *trace,
				  const struct trace_part *parts, size_t count)
{
	struct simgpu_trace_allocation all[4] = { 0 };
	size_t i;

	if (count > 4)
		abort();
	for (i = 0; i < count; i++) {
		strcpy(all[i].name, "part");
		all[i].base = parts[i].base;
		all[i].bytes = parts[i].bytes;
		all[i].kind = parts[i].kind;
		all[i].last_command = SIMGPU_TRACE_TO_END;
	}
	trace_section(trace, SIMGPU_TRACE_ALLOCATIONS, all, sizeof(all[0]), count);
	trace_end(trace);
}

/* The bytes of a section of a finished trace. */
static inline void *trace_find(struct built_trace *trace,
			       enum simgpu_trace_section_id id)
{
	return trace->bytes + trace_header(trace)->sections[id].offset;
}

static inline struct simgpu_trace_kernel trace_kernel_1d(const char *name,
							 uint32_t blocks,
							 uint32_t threads)
{
	struct simgpu_trace_kernel kernel = {
		.grid = { blocks, 1, 1 },
		.block = { threads, 1, 1 },
		.registers_per_thread = 16,
		.program_count = 1,
		.first_warp = SIMGPU_TRACE_NO_WARPS,
		.sample_n = 1,
	};

	strncpy(kernel.name, name, sizeof(kernel.name) - 1);
	return kernel;
}

/**
 * build_compute() - a kernel that only computes
 * @trace: set to it
 * @blocks: thread blocks, of 256 threads
 * @trips: of a loop of 100 warp instructions
 */
static inline void build_compute(struct built_trace *trace, uint32_t blocks,
				 uint32_t trips)
{
	const struct simgpu_trace_kernel kernel =
		trace_kernel_1d("compute", blocks, 256);
	const struct simgpu_trace_op ops[] = {
		{ .kind = SIMGPU_TRACE_LOOP, .count = trips },
		{ .kind = SIMGPU_TRACE_COMPUTE, .active_lanes = 32,
		  .issue_cycles = 1, .count = 100 },
		{ .kind = SIMGPU_TRACE_LOOP_END },
	};
	const struct simgpu_trace_program program = { .op_count = 3 };

	trace_begin(trace, "compute", 0);
	trace_section(trace, SIMGPU_TRACE_KERNELS, &kernel, sizeof(kernel), 1);
	trace_section(trace, SIMGPU_TRACE_PROGRAMS, &program, sizeof(program),
		      1);
	trace_section(trace, SIMGPU_TRACE_OPS, ops, sizeof(ops[0]), 3);
	trace_end(trace);
}

/**
 * build_strides() - a kernel whose warps each read lines that are equally far apart
 * @trace: set to it
 * @blocks: thread blocks, of 256 threads
 * @trips: lines that each warp reads
 * @stride: bytes from one of them to the next; a warp begins where the one before ends
 */
static inline void build_strides(struct built_trace *trace, uint32_t blocks,
				 uint32_t trips, uint64_t stride)
{
	const uint64_t warp_bytes = trips * stride;
	const uint64_t region_bytes = warp_bytes * 8 * blocks;
	const struct simgpu_trace_kernel kernel =
		trace_kernel_1d("stream", blocks, 256);
	const struct simgpu_trace_op ops[] = {
		{ .kind = SIMGPU_TRACE_LOOP, .count = trips },
		{ .kind = SIMGPU_TRACE_LOAD, .active_lanes = 32,
		  .consume_after = 2 },
		{ .kind = SIMGPU_TRACE_COMPUTE, .active_lanes = 32,
		  .issue_cycles = 1, .count = 3 },
		{ .kind = SIMGPU_TRACE_LOOP_END },
	};
	const struct simgpu_trace_program program = { .op_count = 4 };
	const struct simgpu_trace_pattern pattern = {
		.kind = SIMGPU_TRACE_AFFINE,
		.access_bytes = 4,
		.region_bytes = region_bytes,
		.block_stride = { (int64_t)warp_bytes * 8 },
		.warp_stride = (int64_t)warp_bytes,
		.lane_stride = 4,
		.loop_stride = { (int64_t)stride },
	};

	trace_begin(trace, "stream", region_bytes);
	trace_section(trace, SIMGPU_TRACE_KERNELS, &kernel, sizeof(kernel), 1);
	trace_section(trace, SIMGPU_TRACE_PROGRAMS, &program, sizeof(program),
		      1);
	trace_section(trace, SIMGPU_TRACE_OPS, ops, sizeof(ops[0]), 4);
	trace_section(trace, SIMGPU_TRACE_PATTERNS, &pattern, sizeof(pattern),
		      1);
	trace_end(trace);
}

/**
 * build_stream() - a kernel that reads memory from one end to the other
 * @trace: set to it
 * @blocks: thread blocks, of 256 threads
 * @trips: lines that each warp reads
 */
static inline void build_stream(struct built_trace *trace, uint32_t blocks,
				uint32_t trips)
{
	build_strides(trace, blocks, trips, SIMGPU_TRACE_LINE_BYTES);
}

/* Every kind of op and pattern, nested loops, a warp table, weights, an allocation. */
static inline void build_everything(struct built_trace *trace)
{
	const uint64_t footprint_bytes = 1 << 20;
	const struct trace_part all = { 0, footprint_bytes, SIMGPU_TRACE_DEVICE };
	/* Affine and random, two loops deep. */
	const struct simgpu_trace_op looping[9] = {
		{ .kind = SIMGPU_TRACE_LOOP, .count = 3 },
		{ .kind = SIMGPU_TRACE_LOAD, .active_lanes = 32,
		  .pattern = 0, .consume_after = 1 },
		{ .kind = SIMGPU_TRACE_LOOP, .count = 2 },
		{ .kind = SIMGPU_TRACE_COMPUTE, .active_lanes = 31,
		  .issue_cycles = 2, .count = 5 },
		{ .kind = SIMGPU_TRACE_ATOMIC, .active_lanes = 1,
		  .pattern = 1 },
		{ .kind = SIMGPU_TRACE_LOOP_END },
		{ .kind = SIMGPU_TRACE_STORE, .active_lanes = 32,
		  .pattern = 0 },
		{ .kind = SIMGPU_TRACE_LOOP_END },
		{ .kind = SIMGPU_TRACE_BARRIER, .active_lanes = 32 },
	};
	const struct simgpu_trace_op recorded[4] = {
		{ .kind = SIMGPU_TRACE_LOAD, .active_lanes = 32, .count = 2,
		  .pattern = 2 },
		{ .kind = SIMGPU_TRACE_SHARED, .active_lanes = 32,
		  .issue_cycles = 4, .count = 3 },
		{ .kind = SIMGPU_TRACE_STORE, .active_lanes = 16, .count = 1,
		  .pattern = 2 },
		{ .kind = SIMGPU_TRACE_BARRIER, .active_lanes = 32 },
	};
	/* The first kernel runs the first program, the second the others. */
	const struct simgpu_trace_program programs[] = {
		{ .first_op = 0, .op_count = 9 },
		{ .first_op = 9, .op_count = 9 },
		{ .first_op = 18, .op_count = 4 },
	};
	const struct simgpu_trace_pattern patterns[] = {
		{ .kind = SIMGPU_TRACE_AFFINE, .access_bytes = 4, .base = 4096,
		  .region_bytes = 65536, .block_stride = { 4096, 8192 },
		  .warp_stride = 1024, .lane_stride = 4,
		  .loop_stride = { 128 }, .xor_bytes = 64 },
		{ .kind = SIMGPU_TRACE_RANDOM, .access_bytes = 32,
		  .base = 131072, .region_bytes = 65536, .seed = 5,
		  .lines = 2 },
		{ .kind = SIMGPU_TRACE_RECORDED },
	};
	const struct simgpu_trace_warp warps[] = {
		{ .program = 0, .first_line = 0 },
		{ .program = 1, .first_line = 0 },
		{ .program = 1, .first_line = 3 },
		{ .program = 0, .first_line = 0 },
	};
	const uint32_t lines[] = {
		7, 8, 9 | SIMGPU_TRACE_LINE_PARTIAL, 10, 11, 4095,
	};
	const struct simgpu_trace_weight weight = {
		.name = "fmul", .milli_instructions = 1000, .executed = 12,
	};
	struct simgpu_trace_kernel kernels[] = {
		trace_kernel_1d("first", 2, 64),
		trace_kernel_1d("second", 2, 64),
	};
	struct simgpu_trace_op ops[22];

	memcpy(&ops[0], looping, sizeof(looping));
	memcpy(&ops[9], looping, sizeof(looping));
	memcpy(&ops[18], recorded, sizeof(recorded));
	kernels[0].grid[1] = 2;
	kernels[0].shared_bytes = 1024;
	kernels[1].first_program = 1;
	kernels[1].program_count = 2;
	kernels[1].first_warp = 0;

	trace_begin(trace, "everything", footprint_bytes);
	trace_section(trace, SIMGPU_TRACE_KERNELS, kernels, sizeof(kernels[0]),
		      2);
	trace_section(trace, SIMGPU_TRACE_PROGRAMS, programs,
		      sizeof(programs[0]), 3);
	trace_section(trace, SIMGPU_TRACE_OPS, ops, sizeof(ops[0]), 22);
	trace_section(trace, SIMGPU_TRACE_PATTERNS, patterns,
		      sizeof(patterns[0]), 3);
	trace_section(trace, SIMGPU_TRACE_WARPS, warps, sizeof(warps[0]), 4);
	trace_section(trace, SIMGPU_TRACE_LINES, lines, sizeof(lines[0]), 6);
	trace_section(trace, SIMGPU_TRACE_WEIGHTS, &weight, sizeof(weight), 1);
	trace_allocate(trace, &all, 1);
}

#endif /* TRACE_BUILDER_H */
