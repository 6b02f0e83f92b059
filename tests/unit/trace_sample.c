// SPDX-License-Identifier: GPL-2.0
/* See trace_sample.h. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <cmocka.h>

#include "trace_sample.h"

static void place(struct sample *s, u32 section, const void *at, u64 count)
{
	s->header.sections[section].offset = (u64)((const char *)at -
						   (const char *)s);
	s->header.sections[section].count = count;
}

#define PLACE(s, section, array) \
	place(s, section, (s)->array, ARRAY_SIZE((s)->array))

static void fill_header(struct sample *s)
{
	s->header.magic = SIMGPU_TRACE_MAGIC;
	s->header.version = SIMGPU_TRACE_VERSION;
	s->header.header_bytes = sizeof(s->header);
	s->header.total_bytes = sizeof(*s);
	strcpy(s->header.name, "sample");
	strcpy(s->header.source, "test_trace");
	s->header.footprint_bytes = 1 << 20;
	PLACE(s, SIMGPU_TRACE_KERNELS, kernels);
	PLACE(s, SIMGPU_TRACE_PROGRAMS, programs);
	PLACE(s, SIMGPU_TRACE_OPS, ops);
	PLACE(s, SIMGPU_TRACE_PATTERNS, patterns);
	PLACE(s, SIMGPU_TRACE_WARPS, warps);
	PLACE(s, SIMGPU_TRACE_LINES, lines);
	PLACE(s, SIMGPU_TRACE_WEIGHTS, weights);
	PLACE(s, SIMGPU_TRACE_ROWS, rows);
	PLACE(s, SIMGPU_TRACE_RUNS, runs);
	PLACE(s, SIMGPU_TRACE_MIXES, mixes);
	PLACE(s, SIMGPU_TRACE_INSTRUCTIONS, instructions);
}

static void fill_kernel(struct simgpu_trace_kernel *k, const char *name,
			u32 blocks, u32 first_program, u32 program_count,
			u64 first_warp)
{
	strcpy(k->name, name);
	k->grid[0] = blocks;
	k->grid[1] = k->grid[2] = k->block[1] = k->block[2] = 1;
	k->block[0] = 64;
	k->registers_per_thread = 32;
	k->first_program = first_program;
	k->program_count = program_count;
	k->first_warp = first_warp;
	k->sample_n = 1;
}

static void fill_kernels(struct sample *s)
{
	fill_kernel(&s->kernels[0], "affine", 4, 0, 1, SIMGPU_TRACE_NO_WARPS);
	s->kernels[0].shared_bytes = 1024;
	fill_kernel(&s->kernels[1], "random", 4, 1, 1, SIMGPU_TRACE_NO_WARPS);
	fill_kernel(&s->kernels[2], "recorded", 2, 2, 2, 0);
	s->kernels[3] = s->kernels[2];
	strncpy(s->kernels[3].name, "again", sizeof(s->kernels[3].name));
	fill_kernel(&s->kernels[GRID_KERNEL], "grid", 4, 4, 2, 4);
	s->kernels[GRID_KERNEL].grid[1] = 3;
	s->kernels[GRID_KERNEL].block[0] = 32;
	s->kernels[GRID_KERNEL].table_blocks = 2;
	s->kernels[GRID_KERNEL].row_count = 3;
	s->kernels[SAMPLED_KERNEL] = s->kernels[GRID_KERNEL];
	s->kernels[SAMPLED_KERNEL].first_warp = 6;
	s->kernels[SAMPLED_KERNEL].sample_n = 3;
	s->kernels[SAMPLED_KERNEL].table_blocks = 3;
	s->kernels[SAMPLED_KERNEL].first_row = 3;
	s->kernels[SAMPLED_KERNEL].row_count = 1;
	fill_kernel(&s->kernels[TABLE_KERNEL], "table", 5, 4, 2, 9);
	s->kernels[TABLE_KERNEL].block[0] = 32;
	s->kernels[TABLE_KERNEL].sample_n = 4;
}

static void fill_rows(struct sample *s)
{
	static const struct simgpu_trace_row rows[] = {
		{ 1, 0, 1 }, { 2, 1, 2 }, { 3, 1, 2 }, { 1, 3, 3 },
	};
	static const struct simgpu_trace_run runs[] = {
		{ 4, 0 }, { 1, 0 }, { 4, 1 }, { 1, 0 }, { 3, 2 }, { 4, 1 },
	};
	static const u32 programs[] = { 0, 1, 0, 1, 0, 0, 0 };
	u32 i;

	memcpy(s->rows, rows, sizeof(rows));
	memcpy(s->runs, runs, sizeof(runs));
	for (i = 0; i < ARRAY_SIZE(programs); i++)
		s->warps[4 + i].program = programs[i];
}

static void fill_patterns(struct sample *s)
{
	s->patterns[AFFINE] = (struct simgpu_trace_pattern) {
		.kind = SIMGPU_TRACE_AFFINE, .access_bytes = 4,
		.region_bytes = 4 * 2 * 3 * 128,
		.block_stride = { 2 * 3 * 128 }, .warp_stride = 3 * 128,
		.lane_stride = 4, .loop_stride = { 128 },
	};
	s->patterns[SHUFFLED] = (struct simgpu_trace_pattern) {
		.kind = SIMGPU_TRACE_AFFINE, .access_bytes = 8,
		.base = 1 << 16, .region_bytes = 1 << 16,
		.lane_stride = 8, .xor_bytes = 64, .xor_loop = 1,
	};
	s->patterns[RANDOM] = (struct simgpu_trace_pattern) {
		.kind = SIMGPU_TRACE_RANDOM, .access_bytes = 4,
		.base = 1 << 17, .region_bytes = 1 << 16, .lines = 4,
		.seed = 7,
	};
	s->patterns[RECORDED].kind = SIMGPU_TRACE_RECORDED;
	s->patterns[PLAIN] = s->patterns[AFFINE];
	s->patterns[PLAIN].loop_stride[0] = 0;
	/* Two groups of 16 lanes; row 0 and column 0 would be before the space. */
	s->patterns[UPWARD] = (struct simgpu_trace_pattern) {
		.kind = SIMGPU_TRACE_AFFINE, .access_bytes = 4,
		.base = (u64)-1024 - 64, .region_bytes = 4096,
		.block_stride = { 64, 1024 }, .lane_stride = 4,
		.group_lanes = 16, .group_stride = 512,
	};
}

void sample_op(struct sample *s, u32 index, u8 kind, u32 count, u32 pattern)
{
	bool loop = kind == SIMGPU_TRACE_LOOP || kind == SIMGPU_TRACE_LOOP_END;
	bool burst = kind == SIMGPU_TRACE_COMPUTE || kind == SIMGPU_TRACE_SHARED;

	s->ops[index] = (struct simgpu_trace_op) {
		.kind = kind, .active_lanes = loop ? 0 : 32,
		.issue_cycles = burst ? 2 : 0, .count = count,
		.pattern = pattern,
	};
}

void sample_program(struct sample *s, u32 index, u32 first, u32 last)
{
	s->programs[index].first_op = first;
	s->programs[index].op_count = last - first + 1;
}

static void fill_programs(struct sample *s)
{
	sample_op(s, LOOP, SIMGPU_TRACE_LOOP, 3, 0);
	sample_op(s, LOAD, SIMGPU_TRACE_LOAD, 0, AFFINE);
	sample_op(s, COMPUTE, SIMGPU_TRACE_COMPUTE, 5, 0);
	sample_op(s, SHARED, SIMGPU_TRACE_SHARED, 2, 0);
	sample_op(s, STORE, SIMGPU_TRACE_STORE, 0, SHUFFLED);
	sample_op(s, LOOP_END, SIMGPU_TRACE_LOOP_END, 0, 0);
	sample_op(s, BARRIER, SIMGPU_TRACE_BARRIER, 0, 0);
	sample_program(s, 0, LOOP, BARRIER);
	sample_op(s, RANDOM_LOAD, SIMGPU_TRACE_LOAD, 0, RANDOM);
	sample_op(s, RANDOM_ATOMIC, SIMGPU_TRACE_ATOMIC, 0, RANDOM);
	sample_program(s, 1, RANDOM_LOAD, RANDOM_ATOMIC);
	sample_op(s, RECORDED_LOAD, SIMGPU_TRACE_LOAD, 2, RECORDED);
	sample_op(s, RECORDED_COMPUTE, SIMGPU_TRACE_COMPUTE, 1, 0);
	sample_program(s, 2, RECORDED_LOAD, RECORDED_COMPUTE);
	sample_op(s, RECORDED_LOOP, SIMGPU_TRACE_LOOP, 2, 0);
	sample_op(s, RECORDED_STORE, SIMGPU_TRACE_STORE, 1, RECORDED);
	sample_op(s, RECORDED_LOOP_END, SIMGPU_TRACE_LOOP_END, 0, 0);
	sample_op(s, LAST_COMPUTE, SIMGPU_TRACE_COMPUTE, 1, 0);
	sample_op(s, LAST_STORE, SIMGPU_TRACE_STORE, 0, PLAIN);
	sample_op(s, LAST_CONSTANT, SIMGPU_TRACE_CONSTANT, 0, PLAIN);
	sample_program(s, 3, RECORDED_LOOP, LAST_CONSTANT);
	sample_op(s, EDGE_COMPUTE, SIMGPU_TRACE_COMPUTE, 1, 0);
	sample_program(s, 4, EDGE_COMPUTE, EDGE_COMPUTE);
	sample_op(s, INNER_LOAD, SIMGPU_TRACE_LOAD, 0, UPWARD);
	sample_op(s, INNER_COMPUTE, SIMGPU_TRACE_COMPUTE, 1, 0);
	sample_program(s, 5, INNER_LOAD, INNER_COMPUTE);
	s->ops[INNER_LOAD].consume_after = SIMGPU_TRACE_NEVER;
	s->ops[LOAD].consume_after = 2;
	s->ops[LAST_CONSTANT].consume_after = 1;
}

/* The first mix is LAST_COMPUTE's, the second one nobody's. */
static void fill_mixes(struct sample *s)
{
	u32 i;

	for (i = 0; i < ARRAY_SIZE(s->instructions); i++) {
		s->instructions[i].unit = i;
		s->instructions[i].passes = 1;
		s->instructions[i].after = i;
	}
	s->mixes[0].instruction_count = 3;
	s->mixes[1].first_instruction = 3;
	s->mixes[1].instruction_count = 1;
	s->ops[LAST_COMPUTE].mix = 1;
	s->ops[LAST_COMPUTE].issue_cycles = 0;
	s->ops[LAST_STORE].after = 1;
}

static void fill_recording(struct sample *s)
{
	u32 i;

	for (i = 0; i < 4; i++) {
		s->warps[i].program = i % 2;
		s->warps[i].first_line = 2 * i;
	}
	for (i = 0; i < ARRAY_SIZE(s->lines); i++)
		s->lines[i] = i * 5 | (i % 2 ? SIMGPU_TRACE_LINE_PARTIAL : 0);
	for (i = 0; i < ARRAY_SIZE(s->weights); i++) {
		strcpy(s->weights[i].name, i ? "load" : "fmul");
		s->weights[i].milli_instructions = 1000;
		s->weights[i].executed = 12345;
	}
}

struct sample *sample_new(void)
{
	struct sample *s = calloc(1, sizeof(*s));

	assert_non_null(s);
	fill_header(s);
	fill_kernels(s);
	fill_patterns(s);
	fill_programs(s);
	fill_mixes(s);
	fill_recording(s);
	fill_rows(s);
	builder_seal(s, sizeof(*s));
	return s;
}

void expect_verdict(const void *bytes, u64 count, int code, const char *field,
		    const char *reason, int line)
{
	struct trace_error error;
	u64 memory_bytes;
	int ret = trace_check(bytes, count, &memory_bytes, &error);

	if (ret != code || strcmp(error.field, field) ||
	    strcmp(error.reason, reason))
		fail_msg("line %d: %d \"%s %s\" instead of %d \"%s %s\"", line,
			 ret, error.field, error.reason, code, field, reason);
}

void expect_built(struct builder *b, void (*patch)(void *file), int code,
		  const char *field, const char *reason, int line)
{
	size_t bytes;
	void *file = builder_finish(b, 0, &bytes);

	builder_free(b);
	assert_non_null(file);
	if (patch) {
		patch(file);
		builder_seal(file, bytes);
	}
	expect_verdict(file, bytes, code, field, reason, line);
	free(file);
}
