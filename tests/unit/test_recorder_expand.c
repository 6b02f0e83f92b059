// SPDX-License-Identifier: GPL-2.0
/* Unrolls and coalesces; see test_recorder_expand.h. */
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "test_recorder_expand.h"

#define LANES	32

const char past_footprint[] = "an address is past the footprint";
const char past_mixes[] = "an op names instructions that are not there";

/* One warp on its way through its program. */
struct walk {
	const struct trace_file *trace;
	const struct simgpu_trace_program *program;
	__u64 at[3];
	__u32 warp;
	__u64 line;
	__u64 loop[SIMGPU_TRACE_LOOP_DEPTH_MAX];
	__u32 depth;
	struct steps *steps;
	const char *error;
};

static const void *section(const struct trace_file *trace, int id)
{
	return trace->bytes + trace->header->sections[id].offset;
}

__u64 section_count(const struct trace_file *trace, int id)
{
	if (trace->header->version == 1 && id >= SIMGPU_TRACE_SECTIONS_V1)
		return 0;
	return trace->header->sections[id].count;
}

bool open_trace(struct trace_file *trace)
{
	if (!trace->bytes ||
	    trace->size < offsetof(struct simgpu_trace_header, sections) +
			  SIMGPU_TRACE_SECTIONS_V1 *
			  sizeof(struct simgpu_trace_section))
		return false;
	trace->header = (const void *)trace->bytes;
	trace->kernels = section(trace, SIMGPU_TRACE_KERNELS);
	trace->programs = section(trace, SIMGPU_TRACE_PROGRAMS);
	trace->ops = section(trace, SIMGPU_TRACE_OPS);
	trace->patterns = section(trace, SIMGPU_TRACE_PATTERNS);
	trace->warps = section(trace, SIMGPU_TRACE_WARPS);
	trace->lines = section(trace, SIMGPU_TRACE_LINES);
	trace->weights = section(trace, SIMGPU_TRACE_WEIGHTS);
	trace->rows = section(trace, SIMGPU_TRACE_ROWS);
	trace->runs = section(trace, SIMGPU_TRACE_RUNS);
	if (trace->header->version == 1)
		return true;
	trace->mixes = section(trace, SIMGPU_TRACE_MIXES);
	trace->instructions = section(trace, SIMGPU_TRACE_INSTRUCTIONS);
	return true;
}

__u64 blocks_of(const struct simgpu_trace_kernel *kernel)
{
	return (__u64)kernel->grid[0] * kernel->grid[1] * kernel->grid[2];
}

__u32 warps_of(const struct simgpu_trace_kernel *kernel)
{
	return (kernel->block[0] * kernel->block[1] * kernel->block[2] + LANES - 1) /
	       LANES;
}

bool is_memory(const struct simgpu_trace_op *op)
{
	return op->kind == SIMGPU_TRACE_LOAD || op->kind == SIMGPU_TRACE_STORE ||
	       op->kind == SIMGPU_TRACE_ATOMIC || op->kind == SIMGPU_TRACE_CONSTANT;
}

/* Which of the thread blocks in the warp table a thread block is like. */
static __u64 table_block(const struct trace_file *trace,
			 const struct simgpu_trace_kernel *kernel, __u64 block)
{
	const struct simgpu_trace_row *row = &trace->rows[kernel->first_row];
	const struct simgpu_trace_run *run;
	__u64 number = 0;

	block /= kernel->sample_n;
	if (!kernel->row_count)
		return block;
	if (kernel->sample_n == 1) {
		number = block / kernel->grid[0];
		block %= kernel->grid[0];
	}
	while (row->end <= number)
		row++;
	for (run = &trace->runs[row->first_run]; run->end <= block; run++)
		;
	return run->block;
}

static struct step *add_step(struct walk *walk, const struct simgpu_trace_op *op)
{
	struct steps *steps = walk->steps;

	if (steps->count == steps->room) {
		steps->room = steps->room ? 2 * steps->room : 256;
		steps->steps = realloc(steps->steps,
				       steps->room * sizeof(*steps->steps));
		if (!steps->steps)
			abort();
	}
	memset(&steps->steps[steps->count], 0, sizeof(*steps->steps));
	steps->steps[steps->count].op = *op;
	steps->steps[steps->count].op.pattern = 0;
	return &steps->steps[steps->count++];
}

static __u64 lane_address(const struct walk *walk,
			  const struct simgpu_trace_pattern *p, __u32 lane)
{
	__u32 group = p->group_lanes ? p->group_lanes : LANES;
	__u64 address = p->base + walk->warp * p->warp_stride;
	__u64 mask = p->xor_bytes;
	__u32 i;

	for (i = 0; i < 3; i++)
		address += walk->at[i] * p->block_stride[i];
	for (i = 0; i < walk->depth; i++)
		address += walk->loop[i] * p->loop_stride[i];
	address += lane % group * p->lane_stride + lane / group * p->group_stride;
	if (p->xor_loop)
		mask <<= walk->loop[p->xor_loop - 1];
	return address ^ mask;
}

/* A compute op names its instructions, all of them. */
static void find_mix(struct walk *walk, const struct simgpu_trace_op *op,
		     struct step *step)
{
	const struct trace_file *trace = walk->trace;
	const struct simgpu_trace_mix *mix = &trace->mixes[op->mix - 1];

	if (op->mix > section_count(trace, SIMGPU_TRACE_MIXES) ||
	    mix->first_instruction + (__u64)mix->instruction_count >
		    section_count(trace, SIMGPU_TRACE_INSTRUCTIONS)) {
		walk->error = past_mixes;
		return;
	}
	step->mix = &trace->instructions[mix->first_instruction];
	step->mix_length = mix->instruction_count;
}

/* Which sectors of a line are touched, and whether one of them is in part. */
static __u32 line_flags(const unsigned char *written, bool store)
{
	__u32 flags = 0, bytes, i, j;

	for (i = 0; i < SIMGPU_TRACE_LINE_BYTES / 32; i++) {
		for (bytes = j = 0; j < 32; j++)
			bytes += written[32 * i + j] != 0;
		if (!bytes)
			flags |= 1U << (SIMGPU_TRACE_LINE_SKIP_SHIFT + i);
		else if (store && bytes < 32)
			flags |= SIMGPU_TRACE_LINE_PARTIAL;
	}
	return flags;
}

/*
 * The requests of an affine atomic: lanes share one for a sector of 32 bytes as long
 * as no two want the same byte. A lane's bytes lie in one sector.
 */
static void coalesce_atomic(struct walk *walk, const struct simgpu_trace_pattern *p,
			    struct step *step)
{
	__u32 taken[LANES], lane, bytes, line, i;

	for (lane = 0; lane < step->op.active_lanes; lane++) {
		__u64 address = lane_address(walk, p, lane);

		if (address + p->access_bytes >
		    walk->trace->header->footprint_bytes) {
			walk->error = past_footprint;
			return;
		}
		bytes = ((1U << p->access_bytes) - 1) << address % 32;
		line = address / SIMGPU_TRACE_LINE_BYTES;
		line |= SIMGPU_TRACE_LINE_SKIP & ~(1U <<
			(SIMGPU_TRACE_LINE_SKIP_SHIFT + address / 32 % 4));
		for (i = 0; i < step->op.count; i++)
			if (step->lines[i] == line && !(taken[i] & bytes))
				break;
		if (i == step->op.count) {
			step->lines[step->op.count++] = line;
			taken[i] = 0;
		}
		taken[i] |= bytes;
	}
}

/* The lines of an affine access, byte by byte. */
static void coalesce(struct walk *walk, const struct simgpu_trace_pattern *p,
		     struct step *step)
{
	static unsigned char written[LANES][SIMGPU_TRACE_LINE_BYTES];
	bool store = step->op.kind == SIMGPU_TRACE_STORE;
	__u32 lane, byte, i;

	memset(written, 0, sizeof(written));
	if (step->op.kind == SIMGPU_TRACE_ATOMIC) {
		coalesce_atomic(walk, p, step);
		return;
	}
	for (lane = 0; lane < step->op.active_lanes; lane++) {
		for (byte = 0; byte < p->access_bytes; byte++) {
			__u64 address = lane_address(walk, p, lane) + byte;

			if (address >= walk->trace->header->footprint_bytes) {
				walk->error = past_footprint;
				return;
			}
			for (i = 0; i < step->op.count; i++)
				if (step->lines[i] ==
				    address / SIMGPU_TRACE_LINE_BYTES)
					break;
			if (i == LANES) {
				walk->error = "an access has more than 32 lines";
				return;
			}
			if (i == step->op.count)
				step->lines[step->op.count++] =
					address / SIMGPU_TRACE_LINE_BYTES;
			/* The device would take them for different bytes. */
			if (written[i][address % SIMGPU_TRACE_LINE_BYTES]++ && store)
				walk->error = "lanes of a store overlap";
		}
	}
	for (i = 0; i < step->op.count; i++)
		step->lines[i] |= line_flags(written[i], store);
}

static void access_memory(struct walk *walk, const struct simgpu_trace_op *op)
{
	const struct simgpu_trace_pattern *p = &walk->trace->patterns[op->pattern];
	struct step *step = add_step(walk, op);

	if (p->kind == SIMGPU_TRACE_AFFINE) {
		coalesce(walk, p, step);
	} else if (p->kind == SIMGPU_TRACE_RECORDED && op->count <= LANES &&
		   walk->line + op->count <=
			   section_count(walk->trace, SIMGPU_TRACE_LINES)) {
		memcpy(step->lines, &walk->trace->lines[walk->line],
		       op->count * sizeof(__u32));
		walk->line += op->count;
	} else if (p->kind != SIMGPU_TRACE_RANDOM) {
		walk->error = "an access has no lines";
	}
}

/* Ops @at to the end of the loop or program; returns the op behind it. */
static __u32 run(struct walk *walk, __u32 at)
{
	while (!walk->error && at < walk->program->op_count) {
		const struct simgpu_trace_op *op =
			&walk->trace->ops[walk->program->first_op + at++];
		__u32 trip, body = at;

		if (walk->steps->most && walk->steps->count >= walk->steps->most)
			walk->error = "is too long";

		if (op->kind == SIMGPU_TRACE_LOOP_END)
			return at;
		if (op->kind != SIMGPU_TRACE_LOOP) {
			if (is_memory(op))
				access_memory(walk, op);
			else if (op->kind == SIMGPU_TRACE_COMPUTE && op->mix)
				find_mix(walk, op, add_step(walk, op));
			else
				add_step(walk, op);
			continue;
		}
		if (walk->depth == SIMGPU_TRACE_LOOP_DEPTH_MAX || !op->count) {
			walk->error = "a loop is wrong";
			return at;
		}
		walk->depth++;
		for (trip = 0; trip < op->count && !walk->error; trip++) {
			walk->loop[walk->depth - 1] = trip;
			at = run(walk, body);
		}
		walk->depth--;
	}
	return at;
}

const char *expand_warp(const struct trace_file *trace,
			const struct simgpu_trace_kernel *kernel, __u64 block,
			__u32 warp, struct steps *steps)
{
	struct walk walk = {
		.trace = trace, .warp = warp, .steps = steps,
		.at = { block % kernel->grid[0],
			block / kernel->grid[0] % kernel->grid[1],
			block / kernel->grid[0] / kernel->grid[1] },
		.program = &trace->programs[kernel->first_program],
	};

	steps->count = 0;
	if (kernel->first_warp != SIMGPU_TRACE_NO_WARPS) {
		const struct simgpu_trace_warp *entry =
			&trace->warps[kernel->first_warp + warp +
				      table_block(trace, kernel, block) *
				      warps_of(kernel)];

		if (entry->program >= kernel->program_count)
			return "a warp's program is not its kernel's";
		walk.program += entry->program;
		walk.line = entry->first_line;
	}
	run(&walk, 0);
	return walk.error;
}

bool is_same_step(const struct step *a, const struct step *b)
{
	return !memcmp(&a->op, &b->op, sizeof(a->op)) &&
	       !memcmp(a->lines, b->lines, sizeof(a->lines)) &&
	       a->mix_length == b->mix_length &&
	       (!a->mix_length || !memcmp(a->mix, b->mix, a->mix_length *
					  sizeof(*a->mix)));
}

void free_steps(struct steps *steps)
{
	free(steps->steps);
	steps->steps = NULL;
	steps->count = steps->room = 0;
}
