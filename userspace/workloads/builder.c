// SPDX-License-Identifier: GPL-2.0
/* The trace builder; see builder.h. */
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

#include "builder.h"

/** struct list - elements of a section so far */
struct list {
	void *data;
	size_t count;
	size_t room;
};

struct builder {
	struct simgpu_trace_header header;
	struct list lists[SIMGPU_TRACE_SECTIONS];
	int failed;
};

static const size_t element_bytes[SIMGPU_TRACE_SECTIONS] = {
	sizeof(struct simgpu_trace_kernel),
	sizeof(struct simgpu_trace_program),
	sizeof(struct simgpu_trace_op),
	sizeof(struct simgpu_trace_pattern),
	sizeof(struct simgpu_trace_warp),
	sizeof(__u32),
	sizeof(struct simgpu_trace_weight),
	sizeof(struct simgpu_trace_row),
	sizeof(struct simgpu_trace_run),
};

struct builder *builder_new(const char *name, const char *source)
{
	struct builder *builder = calloc(1, sizeof(*builder));

	if (!builder)
		return NULL;
	strncpy(builder->header.name, name, SIMGPU_TRACE_NAME_BYTES - 1);
	strncpy(builder->header.source, source, SIMGPU_TRACE_NAME_BYTES - 1);
	return builder;
}

void builder_free(struct builder *builder)
{
	int i;

	if (!builder)
		return;
	for (i = 0; i < SIMGPU_TRACE_SECTIONS; i++)
		free(builder->lists[i].data);
	free(builder);
}

/* Add a zeroed element to a section; NULL when memory has run out. */
static void *add(struct builder *builder, int section)
{
	struct list *list = &builder->lists[section];
	size_t bytes = element_bytes[section];
	char *at;

	if (builder->failed)
		return NULL;
	if (list->count == list->room) {
		size_t room = list->room ? list->room * 2 : 64;
		void *data = realloc(list->data, room * bytes);

		if (!data) {
			builder->failed = 1;
			return NULL;
		}
		list->data = data;
		list->room = room;
	}
	at = (char *)list->data + list->count++ * bytes;
	return memset(at, 0, bytes);
}

static void *last(struct builder *builder, int section)
{
	struct list *list = &builder->lists[section];

	if (builder->failed || !list->count)
		return NULL;
	return (char *)list->data + (list->count - 1) * element_bytes[section];
}

void builder_kernel(struct builder *builder, const char *name, __u32 blocks,
		    __u32 threads, __u32 registers, __u32 shared_bytes)
{
	struct simgpu_trace_kernel *kernel;
	int i;

	kernel = add(builder, SIMGPU_TRACE_KERNELS);
	if (!kernel)
		return;
	strncpy(kernel->name, name, SIMGPU_TRACE_NAME_BYTES - 1);
	for (i = 1; i < 3; i++)
		kernel->grid[i] = kernel->block[i] = 1;
	kernel->grid[0] = blocks;
	kernel->block[0] = threads;
	kernel->registers_per_thread = registers;
	kernel->shared_bytes = shared_bytes;
	kernel->first_program = builder->lists[SIMGPU_TRACE_PROGRAMS].count;
	kernel->first_warp = SIMGPU_TRACE_NO_WARPS;
	kernel->sample_n = 1;
	builder_program(builder);
}

static void set_sizes(__u32 *sizes, __u32 x, __u32 y, __u32 z)
{
	sizes[0] = x;
	sizes[1] = y;
	sizes[2] = z;
}

void builder_grid(struct builder *builder, __u32 x, __u32 y, __u32 z)
{
	struct simgpu_trace_kernel *kernel = last(builder, SIMGPU_TRACE_KERNELS);

	if (kernel)
		set_sizes(kernel->grid, x, y, z);
}

void builder_block(struct builder *builder, __u32 x, __u32 y, __u32 z)
{
	struct simgpu_trace_kernel *kernel = last(builder, SIMGPU_TRACE_KERNELS);

	if (kernel)
		set_sizes(kernel->block, x, y, z);
}

void builder_again(struct builder *builder, __u32 kernels, __u32 times)
{
	const struct list *list = &builder->lists[SIMGPU_TRACE_KERNELS];
	const struct simgpu_trace_kernel *from;
	struct simgpu_trace_kernel *to;
	__u32 i;

	for (i = 0; i < kernels * times; i++) {
		to = add(builder, SIMGPU_TRACE_KERNELS);
		if (!to)
			return;
		from = list->data;
		*to = from[list->count - 1 - kernels];
	}
}

__u32 builder_program(struct builder *builder)
{
	struct simgpu_trace_kernel *kernel = last(builder, SIMGPU_TRACE_KERNELS);
	struct simgpu_trace_program *program;

	program = add(builder, SIMGPU_TRACE_PROGRAMS);
	if (!program || !kernel)
		return 0;
	program->first_op = builder->lists[SIMGPU_TRACE_OPS].count;
	return kernel->program_count++;
}

__u32 builder_pattern(struct builder *builder,
		      const struct simgpu_trace_pattern *pattern)
{
	struct simgpu_trace_pattern *to = add(builder, SIMGPU_TRACE_PATTERNS);

	if (to)
		*to = *pattern;
	return builder->lists[SIMGPU_TRACE_PATTERNS].count - 1;
}

__u32 builder_affine(struct builder *builder, __u64 base, __u64 region_bytes,
		     __u32 access_bytes, __s64 block_stride, __s64 warp_stride,
		     __s64 loop_stride)
{
	struct simgpu_trace_pattern pattern = {
		.kind = SIMGPU_TRACE_AFFINE,
		.access_bytes = access_bytes,
		.base = base,
		.region_bytes = region_bytes,
		.block_stride = { block_stride },
		.warp_stride = warp_stride,
		.lane_stride = access_bytes,
		.loop_stride = { loop_stride },
	};

	return builder_pattern(builder, &pattern);
}

void builder_footprint(struct builder *builder, __u64 bytes)
{
	builder->header.footprint_bytes = bytes;
}

__u32 builder_access(struct builder *builder,
		     const struct simgpu_trace_pattern *pattern)
{
	struct simgpu_trace_pattern whole = *pattern;

	whole.kind = SIMGPU_TRACE_AFFINE;
	whole.region_bytes = builder->header.footprint_bytes - whole.base;
	return builder_pattern(builder, &whole);
}

void builder_op(struct builder *builder, const struct simgpu_trace_op *op)
{
	struct simgpu_trace_program *program = last(builder,
						    SIMGPU_TRACE_PROGRAMS);
	struct simgpu_trace_op *to = add(builder, SIMGPU_TRACE_OPS);

	if (!program || !to)
		return;
	*to = *op;
	program->op_count++;
}

void builder_slow(struct builder *builder, __u32 count, __u32 lanes,
		  __u32 issue_cycles)
{
	struct simgpu_trace_op op = {
		.kind = SIMGPU_TRACE_COMPUTE, .active_lanes = lanes,
		.issue_cycles = issue_cycles, .count = count,
	};

	builder_op(builder, &op);
}

void builder_compute(struct builder *builder, __u32 count, __u32 lanes)
{
	builder_slow(builder, count, lanes, 1);
}

void builder_shared(struct builder *builder, __u32 count, __u32 lanes,
		    __u32 issue_cycles)
{
	struct simgpu_trace_op op = {
		.kind = SIMGPU_TRACE_SHARED, .active_lanes = lanes,
		.issue_cycles = issue_cycles, .count = count,
	};

	builder_op(builder, &op);
}

void builder_load(struct builder *builder, __u32 pattern, __u32 lanes,
		  __u32 consume_after)
{
	struct simgpu_trace_op op = {
		.kind = SIMGPU_TRACE_LOAD, .active_lanes = lanes,
		.pattern = pattern, .consume_after = consume_after,
	};

	builder_op(builder, &op);
}

void builder_constant(struct builder *builder, __u32 pattern, __u32 lanes,
		      __u32 consume_after)
{
	struct simgpu_trace_op op = {
		.kind = SIMGPU_TRACE_CONSTANT, .active_lanes = lanes,
		.pattern = pattern, .consume_after = consume_after,
	};

	builder_op(builder, &op);
}

void builder_atomic(struct builder *builder, __u32 pattern, __u32 lanes,
		    __u32 consume_after)
{
	struct simgpu_trace_op op = {
		.kind = SIMGPU_TRACE_ATOMIC, .active_lanes = lanes,
		.pattern = pattern, .consume_after = consume_after,
	};

	builder_op(builder, &op);
}

void builder_store(struct builder *builder, __u32 pattern, __u32 lanes)
{
	struct simgpu_trace_op op = {
		.kind = SIMGPU_TRACE_STORE, .active_lanes = lanes,
		.pattern = pattern,
	};

	builder_op(builder, &op);
}

void builder_barrier(struct builder *builder)
{
	struct simgpu_trace_op op = {
		.kind = SIMGPU_TRACE_BARRIER, .active_lanes = 32,
	};

	builder_op(builder, &op);
}

void builder_loop(struct builder *builder, __u32 trips)
{
	struct simgpu_trace_op op = {
		.kind = SIMGPU_TRACE_LOOP, .count = trips,
	};

	builder_op(builder, &op);
}

void builder_loop_end(struct builder *builder)
{
	struct simgpu_trace_op op = { .kind = SIMGPU_TRACE_LOOP_END };

	builder_op(builder, &op);
}

void builder_warp(struct builder *builder, __u32 program, __u32 first_line)
{
	struct simgpu_trace_kernel *kernel = last(builder, SIMGPU_TRACE_KERNELS);
	struct simgpu_trace_warp *warp = add(builder, SIMGPU_TRACE_WARPS);

	if (!kernel || !warp)
		return;
	warp->program = program;
	warp->first_line = first_line;
	if (kernel->first_warp == SIMGPU_TRACE_NO_WARPS)
		kernel->first_warp = builder->lists[SIMGPU_TRACE_WARPS].count - 1;
}

__u32 builder_line(struct builder *builder, __u32 line)
{
	__u32 *to = add(builder, SIMGPU_TRACE_LINES);

	if (to)
		*to = line;
	return builder->lists[SIMGPU_TRACE_LINES].count - 1;
}

void builder_sample(struct builder *builder, __u32 n)
{
	struct simgpu_trace_kernel *kernel = last(builder, SIMGPU_TRACE_KERNELS);

	if (kernel)
		kernel->sample_n = n;
}

void builder_row(struct builder *builder, __u32 end)
{
	struct simgpu_trace_kernel *kernel = last(builder, SIMGPU_TRACE_KERNELS);
	struct simgpu_trace_row *row = add(builder, SIMGPU_TRACE_ROWS);

	if (!kernel || !row)
		return;
	row->end = end;
	row->first_run = builder->lists[SIMGPU_TRACE_RUNS].count;
	if (!kernel->row_count++)
		kernel->first_row = builder->lists[SIMGPU_TRACE_ROWS].count - 1;
}

void builder_run(struct builder *builder, __u32 end, __u32 block)
{
	struct simgpu_trace_kernel *kernel = last(builder, SIMGPU_TRACE_KERNELS);
	struct simgpu_trace_row *row = last(builder, SIMGPU_TRACE_ROWS);
	struct simgpu_trace_run *run = add(builder, SIMGPU_TRACE_RUNS);

	if (!kernel || !row || !run)
		return;
	run->end = end;
	run->block = block;
	row->run_count++;
	if (block >= kernel->table_blocks)
		kernel->table_blocks = block + 1;
}

void builder_seal(void *trace, size_t bytes)
{
	struct simgpu_trace_header *header = trace;

	header->checksum = 0;
	header->checksum = crc32_z(0, trace, bytes);
}

void *builder_finish(struct builder *builder, __u64 footprint_bytes,
		     size_t *bytes)
{
	struct simgpu_trace_header *header = &builder->header;
	size_t at = sizeof(*header);
	char *trace;
	int i;

	if (builder->failed)
		return NULL;
	for (i = 0; i < SIMGPU_TRACE_SECTIONS; i++) {
		size_t used = builder->lists[i].count * element_bytes[i];

		header->sections[i].offset = at;
		header->sections[i].count = builder->lists[i].count;
		at += (used + 7) & ~(size_t)7;
	}
	header->magic = SIMGPU_TRACE_MAGIC;
	header->version = SIMGPU_TRACE_VERSION;
	header->header_bytes = sizeof(*header);
	header->total_bytes = at;
	if (footprint_bytes)
		header->footprint_bytes = footprint_bytes;
	trace = calloc(1, at);
	if (!trace)
		return NULL;
	memcpy(trace, header, sizeof(*header));
	for (i = 0; i < SIMGPU_TRACE_SECTIONS; i++)
		if (builder->lists[i].count)
			memcpy(trace + header->sections[i].offset,
			       builder->lists[i].data,
			       builder->lists[i].count * element_bytes[i]);
	builder_seal(trace, at);
	*bytes = at;
	return trace;
}
