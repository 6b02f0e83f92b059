// SPDX-License-Identifier: GPL-2.0
/*
 * The decoder: makes a trace that the engine can run of one that the validator has
 * accepted. Also the lookup of warps in a warp table.
 */
#include "trace_format.h"

/* Rounded up to a multiple of eight, so that the array behind it is aligned. */
#define TIMED_FOR_BYTES	((TRACE_UNITS * sizeof(struct trace_unit) + 7) & ~7UL)

/* Of how many kernels a trace keeps the points of what remains, and how many of each. */
static u64 rest_kernels(const struct simgpu_trace_header *h)
{
	return min(section_count(h, SIMGPU_TRACE_KERNELS),
		   section_count(h, SIMGPU_TRACE_PROFILES));
}

static u64 rest_points(const struct simgpu_trace_header *h)
{
	return min_t(u64, section_count(h, SIMGPU_TRACE_POINTS),
		     SIMGPU_TRACE_PROFILE_SMS_MAX);
}

/* With an end behind each program, and a program that spins. */
#define SPIN_OPS	2

static u64 decoded_ops(const struct simgpu_trace_header *h)
{
	return section_count(h, SIMGPU_TRACE_OPS) +
	       section_count(h, SIMGPU_TRACE_PROGRAMS) + SPIN_OPS;
}

u64 trace_decoded_bytes(const struct simgpu_trace_header *h)
{
	u64 programs = section_count(h, SIMGPU_TRACE_PROGRAMS);

	return sizeof(struct trace) + TIMED_FOR_BYTES +
	       sizeof(struct trace_found) +
	       rest_kernels(h) * rest_points(h) * sizeof(struct trace_point) +
	       section_count(h, SIMGPU_TRACE_KERNELS) * sizeof(u32) +
	       section_count(h, SIMGPU_TRACE_KERNELS) *
	       sizeof(struct trace_kernel) +
	       section_count(h, SIMGPU_TRACE_PATTERNS) *
	       sizeof(struct trace_pattern) +
	       decoded_ops(h) * sizeof(struct trace_op) +
	       section_count(h, SIMGPU_TRACE_WARPS) * sizeof(struct trace_warp) +
	       section_count(h, SIMGPU_TRACE_ROWS) * sizeof(struct trace_row) +
	       section_count(h, SIMGPU_TRACE_RUNS) * sizeof(struct trace_run) +
	       section_count(h, SIMGPU_TRACE_MIXES) * sizeof(struct trace_mix) +
	       section_count(h, SIMGPU_TRACE_INSTRUCTIONS) *
	       sizeof(struct trace_instruction) +
	       section_count(h, SIMGPU_TRACE_PROFILES) *
	       sizeof(struct trace_profile) +
	       section_count(h, SIMGPU_TRACE_POINTS) *
	       sizeof(struct trace_point) +
	       section_count(h, SIMGPU_TRACE_ALLOCATIONS) *
	       sizeof(struct trace_span) +
	       trace_commands_bytes(h) +
	       (programs + section_count(h, SIMGPU_TRACE_RUNS)) * sizeof(u64) +
	       (section_count(h, SIMGPU_TRACE_LINES) + programs) * sizeof(u32);
}

static void *take(u8 **memory, u64 count, u64 bytes)
{
	void *at = *memory;

	*memory += count * bytes;
	return at;
}

static void decode_pattern(const struct simgpu_trace_pattern *from,
			   struct trace_pattern *to)
{
	to->kind = from->kind;
	to->access_bytes = from->access_bytes;
	to->base = from->base;
	to->region_bytes = from->region_bytes;
	memcpy(to->block_stride, from->block_stride, sizeof(to->block_stride));
	to->warp_stride = from->warp_stride;
	to->lane_stride = from->lane_stride;
	to->group_stride = from->group_stride;
	memcpy(to->loop_stride, from->loop_stride, sizeof(to->loop_stride));
	to->xor_bytes = from->xor_bytes;
	to->xor_loop = from->xor_loop;
	to->seed = from->seed;
	to->lines = from->lines;
	to->group_lanes = from->group_lanes;
}

/* Have the warps issue instructions at @at for ever. */
static void decode_spin(struct trace_op *ops, u32 at, u32 lanes)
{
	ops[at] = (struct trace_op) {
		.kind = TRACE_COMPUTE, .active_lanes = (u8)lanes, .issue_cycles = 1,
		.count = TRACE_SPIN_COUNT,
	};
	ops[at + 1] = (struct trace_op) { .kind = TRACE_END, .body = at + 1 };
}

/* Copy a program's ops, and store in each loop's end where its body begins. */
static void decode_program(const struct simgpu_trace_op *from, u32 count,
			   struct trace_op *ops, u32 first)
{
	u32 open[SIMGPU_TRACE_LOOP_DEPTH_MAX], depth = 0, i;

	for (i = 0; i < count; i++) {
		struct trace_op *to = &ops[first + i];

		if (!(i % 4096))
			port_pause();
		to->kind = from[i].kind;
		to->active_lanes = from[i].active_lanes;
		to->issue_cycles = from[i].issue_cycles;
		to->count = from[i].count;
		to->pattern = from[i].pattern;
		/* A distance must stay far from where the warp's counter wraps. */
		to->consume_after = min(from[i].consume_after, TRACE_NEVER);
		if (to->kind == TRACE_LOOP)
			open[depth++] = first + i + 1;
		else if (to->kind == TRACE_LOOP_END)
			to->body = open[--depth];
	}
	ops[first + count] = (struct trace_op) { .kind = TRACE_END };
	if (from[count - 1].kind == SIMGPU_TRACE_SPIN)
		decode_spin(ops, first + count - 1, from[count - 1].active_lanes);
}

static void decode_kernel(const struct simgpu_trace_kernel *from,
			  struct trace_kernel *to, const u32 *programs,
			  const struct trace_warp *warps)
{
	memcpy(to->name, from->name, sizeof(to->name));
	memcpy(to->grid, from->grid, sizeof(to->grid));
	to->blocks = (u32)blocks_of(from);
	to->block_threads = (u32)threads_of(from);
	to->block_warps = warps_of(from);
	to->registers_per_thread = from->registers_per_thread;
	to->shared_bytes = from->shared_bytes;
	to->programs = programs + from->first_program;
	to->warps = from->first_warp == SIMGPU_TRACE_NO_WARPS ?
		    NULL : warps + from->first_warp;
	to->sample_n = from->sample_n;
	to->row_count = from->row_count;
}

static void sum_blocks(struct trace_kernel *kernels, u32 count)
{
	u64 blocks = 0;

	while (count--) {
		blocks += kernels[count].blocks;
		kernels[count].rest_blocks = blocks;
	}
}

/*
 * The thread instructions of a kernel. Kernels that share a warp table are alike, which
 * the validator has checked, and are counted once: a table may be long, and kernels many.
 */
static void count_instructions(const struct simgpu_trace_header *h, u64 index,
			       struct trace_kernel *to, const u64 *programs,
			       u64 *lists)
{
	const struct simgpu_trace_kernel *kernels =
		section_data(h, SIMGPU_TRACE_KERNELS);
	u64 i;

	for (i = 0; to[index].warps && i < index; i++) {
		if (kernels[i].first_warp != kernels[index].first_warp)
			continue;
		to[index].instructions = to[i].instructions;
		return;
	}
	to[index].instructions = trace_count_kernel(&to[index], programs, lists);
}

/* Copy elements that are the same in the file and in memory. */
static void *decode_same(const struct simgpu_trace_header *h, u32 section,
			 u32 bytes, u8 **memory)
{
	u64 count = section_count(h, section);
	void *to = take(memory, count, bytes);

	if (count)
		port_copy(to, section_data(h, section), count * bytes);
	return to;
}

/* The blocks of the MANAGED allocations; those that follow each other are one span. */
static void decode_managed(const struct simgpu_trace_header *h,
			   struct trace *trace, struct trace_span *to)
{
	const struct simgpu_trace_allocation *from =
		section_data(h, SIMGPU_TRACE_ALLOCATIONS);
	const u64 block = TRACE_MEMORY_BLOCK_BYTES;
	u64 i;

	static_assert(TRACE_MEMORY_BLOCK_BYTES == SIMGPU_TRACE_MEMORY_BLOCK_BYTES,
		      "a block");
	trace->managed = to;
	for (i = 0; i < section_count(h, SIMGPU_TRACE_ALLOCATIONS); i++) {
		u64 first = from[i].base / block * block;
		u64 end = (from[i].base + from[i].bytes + block - 1) / block * block;

		if (!(i % 4096))
			port_pause();
		if (from[i].kind != SIMGPU_TRACE_MANAGED)
			continue;
		if (!trace->managed_count || first > to[trace->managed_count - 1].end)
			to[trace->managed_count++].first = first;
		to[trace->managed_count - 1].end = end;
	}
}

struct trace *trace_decode(const void *bytes, void *memory)
{
	const struct simgpu_trace_header *h = bytes;
	const struct simgpu_trace_program *programs =
		section_data(h, SIMGPU_TRACE_PROGRAMS);
	const struct simgpu_trace_op *ops = section_data(h, SIMGPU_TRACE_OPS);
	const struct simgpu_trace_kernel *kernels =
		section_data(h, SIMGPU_TRACE_KERNELS);
	const struct simgpu_trace_pattern *patterns =
		section_data(h, SIMGPU_TRACE_PATTERNS);
	u64 program_count = section_count(h, SIMGPU_TRACE_PROGRAMS);
	u64 pattern_count = section_count(h, SIMGPU_TRACE_PATTERNS);
	u64 i;
	u8 *at = memory;
	struct trace *trace = take(&at, 1, sizeof(*trace));
	struct trace_kernel *to_kernels;
	struct trace_pattern *to_patterns;
	struct trace_op *to_ops;
	struct trace_warp *to_warps;
	struct trace_row *to_rows;
	struct trace_run *to_runs;
	struct trace_span *to_managed;
	u64 *counts, *lists;
	void *commands;
	u32 *starts;

	trace->timed_for = take(&at, 1, TIMED_FOR_BYTES);
	trace->found = take(&at, 1, sizeof(*trace->found));
	trace->kernel_count = section_count(h, SIMGPU_TRACE_KERNELS);
	to_kernels = take(&at, trace->kernel_count, sizeof(*to_kernels));
	to_patterns = take(&at, pattern_count, sizeof(*to_patterns));
	to_ops = take(&at, decoded_ops(h), sizeof(*to_ops));
	counts = take(&at, program_count, sizeof(*counts));
	lists = take(&at, section_count(h, SIMGPU_TRACE_RUNS), sizeof(*lists));
	to_managed = take(&at, section_count(h, SIMGPU_TRACE_ALLOCATIONS),
			  sizeof(*to_managed));
	commands = take(&at, 1, trace_commands_bytes(h));
	to_warps = decode_same(h, SIMGPU_TRACE_WARPS, sizeof(*to_warps), &at);
	to_rows = decode_same(h, SIMGPU_TRACE_ROWS, sizeof(*to_rows), &at);
	to_runs = decode_same(h, SIMGPU_TRACE_RUNS, sizeof(*to_runs), &at);
	trace->profiles = decode_same(h, SIMGPU_TRACE_PROFILES,
				      sizeof(*trace->profiles), &at);
	trace->profile_count = section_count(h, SIMGPU_TRACE_PROFILES);
	trace->points = decode_same(h, SIMGPU_TRACE_POINTS,
				    sizeof(*trace->points), &at);
	trace->rest_points = rest_points(h);
	trace->rest = take(&at, rest_kernels(h) * trace->rest_points,
			   sizeof(*trace->rest));
	trace->mixes = decode_same(h, SIMGPU_TRACE_MIXES,
				   sizeof(*trace->mixes), &at);
	trace->instructions = decode_same(h, SIMGPU_TRACE_INSTRUCTIONS,
					  sizeof(*trace->instructions), &at);
	trace->of_kernel = take(&at, trace->kernel_count,
				sizeof(*trace->of_kernel));
	trace->lines = decode_same(h, SIMGPU_TRACE_LINES, sizeof(u32), &at);
	starts = take(&at, program_count, sizeof(*starts));

	memcpy(trace->name, h->name, sizeof(trace->name));
	trace->checksum = h->checksum;
	trace->bytes = h->total_bytes;
	trace->memory_bytes = trace_decoded_bytes(h);
	trace->footprint_bytes = h->footprint_bytes;
	decode_managed(h, trace, to_managed);
	for (i = 0; i < pattern_count; i++)
		decode_pattern(&patterns[i], &to_patterns[i]);
	port_pause();
	for (i = 0; i < program_count; i++) {
		starts[i] = programs[i].first_op + (u32)i;
		decode_program(&ops[programs[i].first_op], programs[i].op_count,
			       to_ops, starts[i]);
		counts[i] = trace_count_program(to_ops + starts[i]);
		trace->spins |= counts[i] == TRACE_NO_END;
	}
	for (i = 0; i < trace->kernel_count; i++) {
		decode_kernel(&kernels[i], &to_kernels[i], starts, to_warps);
		to_kernels[i].rows = to_rows + kernels[i].first_row;
		to_kernels[i].runs = to_runs;
		count_instructions(h, i, to_kernels,
				   counts + kernels[i].first_program, lists);
	}
	sum_blocks(to_kernels, trace->kernel_count);
	trace->kernels = to_kernels;
	trace_decode_commands(h, trace, commands);
	trace->patterns = to_patterns;
	trace->op_count = decoded_ops(h);
	trace->spin = (u32)trace->op_count - SPIN_OPS;
	decode_spin(to_ops, trace->spin, LANES);
	trace->ops = to_ops;
	trace->period = trace_period(trace);
	for (i = 0; i < trace->period; i++)
		trace->period_instructions =
			fixed_add(trace->period_instructions,
				  trace->kernels[i].instructions);
	return trace;
}

/* --- the warp table at run time --------------------------------------------------------------- */

static const struct trace_row *find_row(const struct trace_kernel *kernel, u32 row)
{
	u32 low = 0, high = kernel->row_count - 1;

	while (low < high) {
		u32 middle = low + (high - low) / 2;

		if (row < kernel->rows[middle].end)
			high = middle;
		else
			low = middle + 1;
	}
	return &kernel->rows[low];
}

static const struct trace_run *find_run(const struct trace_run *runs, u32 count,
					u32 place)
{
	u32 low = 0, high = count - 1;

	while (low < high) {
		u32 middle = low + (high - low) / 2;

		if (place < runs[middle].end)
			high = middle;
		else
			low = middle + 1;
	}
	return &runs[low];
}

const struct trace_warp *trace_warp(const struct trace_kernel *kernel, u32 block,
				    u32 warp)
{
	const struct trace_row *row;

	if (kernel->sample_n > 1)
		block /= kernel->sample_n;
	if (kernel->row_count) {
		u32 length = kernel->sample_n > 1 ? U32_MAX : kernel->grid[0];

		row = find_row(kernel, block / length);
		block = find_run(kernel->runs + row->first_run, row->run_count,
				 block % length)->block;
	}
	return &kernel->warps[(u64)block * kernel->block_warps + warp];
}
