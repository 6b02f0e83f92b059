// SPDX-License-Identifier: GPL-2.0
/*
 * What the validator of traces refuses, and how it says so: the sample is
 * broken field by field, and its checksum repaired.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <cmocka.h>

#include "trace_sample.h"

static void expect_refusal(const void *bytes, u64 count, int code, u64 offset,
			   const char *field, const char *reason, int line)
{
	struct trace_error error;
	u64 memory_bytes;
	int ret = trace_check(bytes, count, &memory_bytes, &error);

	if (ret == code && error.offset == offset &&
	    !strcmp(error.field, field) && !strcmp(error.reason, reason))
		return;
	fail_msg("line %d: %d \"%s %s\" at %llu instead of %d \"%s %s\" at %llu",
		 line, ret, error.field, error.reason, error.offset, code,
		 field, reason, offset);
}

/*
 * Break a fresh sample by a statement on "s", and expect a refusal that points
 * at the member @at.
 */
#define REFUSED(code, at, field, reason, ...)				\
	do {								\
		struct sample *s = sample_new();			\
									\
		__VA_ARGS__;						\
		builder_seal(s, sizeof(*s));				\
		expect_refusal(s, sizeof(*s), code,			\
			       offsetof(struct sample, at), field,	\
			       reason, __LINE__);			\
		free(s);						\
	} while (0)

/* --- what is refused: the header and its sections --- */

static void bad_headers_are_refused(void **state)
{
	struct sample *s = sample_new();
	char wrong_size[64];

	snprintf(wrong_size, sizeof(wrong_size),
		 "is wrong: %zu of %zu bytes are there", sizeof(*s),
		 sizeof(*s) - 8);
	expect_refusal(s, SIMGPU_TRACE_BYTES_MAX + 1, -E2BIG, 0, "trace",
		       "is longer than 256 MiB", __LINE__);
	expect_refusal(s, sizeof(s->header) - 1, -EINVAL, 0, "header",
		       "is longer than the trace", __LINE__);
	s->header.checksum ^= 1;
	expect_refusal(s, sizeof(*s), -EINVAL,
		       offsetof(struct sample, header.checksum), "checksum",
		       "does not match the contents", __LINE__);
	free(s);

	REFUSED(-EINVAL, header.magic, "magic", "is not that of a trace",
		s->header.magic++);
	REFUSED(-EINVAL, header.version, "version", "is not supported",
		s->header.version = SIMGPU_TRACE_VERSION + 1);
	REFUSED(-EINVAL, header.version, "version", "is not supported",
		s->header.version = 0);
	REFUSED(-EINVAL, header.header_bytes, "header_bytes",
		"is not this version's", s->header.version = 1);
	REFUSED(-EINVAL, header.header_bytes, "header_bytes",
		"is not this version's", s->header.header_bytes += 8);
	REFUSED(-EINVAL, header.total_bytes, "total_bytes",
		wrong_size, s->header.total_bytes -= 8);
	REFUSED(-EINVAL, header.reserved, "reserved", "is not zero",
		s->header.reserved = 1);
	REFUSED(-EINVAL, header.name, "name", "is not a printable name",
		s->header.name[0] = 0);
	REFUSED(-EINVAL, header.name, "name", "is not a printable name",
		s->header.name[2] = '\n');
	REFUSED(-EINVAL, header.name, "name", "is not a printable name",
		s->header.name[2] = (char)0xe9);
	REFUSED(-EINVAL, header.name, "name", "is not a printable name",
		s->header.name[20] = 'x');
	REFUSED(-EINVAL, header.name, "name", "is not a printable name",
		memset(s->header.name, 'x', sizeof(s->header.name)));
	REFUSED(-EINVAL, header.source, "source", "is not a printable name",
		s->header.source[0] = 0);
	REFUSED(-E2BIG, header.footprint_bytes, "footprint_bytes",
		"is beyond a tenant's address space",
		s->header.footprint_bytes = SIMGPU_TRACE_SPACE_BYTES + 1);
}

static void bad_sections_are_refused(void **state)
{
	REFUSED(-EINVAL, header.sections[2].offset, "sections[2].offset",
		"is not a multiple of 8", s->header.sections[2].offset += 4);
	REFUSED(-EINVAL, header.sections[0].count, "sections[0].count",
		"is zero", s->header.sections[0].count = 0);
	REFUSED(-EINVAL, header.sections[1].count, "sections[1].count",
		"is zero", s->header.sections[1].count = 0);
	REFUSED(-EINVAL, header.sections[2].count, "sections[2].count",
		"is zero", s->header.sections[2].count = 0);
	REFUSED(-EINVAL, header.sections[5].offset, "sections[5].offset",
		"lies in the header", s->header.sections[5].offset = 0);
	REFUSED(-EINVAL, header.sections[10].count, "sections[10].count",
		"reaches past the end of the trace",
		s->header.sections[10].count++);
	REFUSED(-EINVAL, header.sections[10].count, "sections[10].count",
		"reaches past the end of the trace",
		s->header.sections[10].count = U64_MAX / 16);
	REFUSED(-EINVAL, header.sections[10].count, "sections[10].count",
		"reaches past the end of the trace",
		s->header.sections[10].offset = ~7ULL);
	REFUSED(-EINVAL, header.sections[8].offset, "sections[8].offset",
		"overlaps another section",
		s->header.sections[8].offset -= 8);
	REFUSED(-EINVAL, header.sections[4].offset, "sections[4].offset",
		"overlaps another section",
		s->header.sections[4] = s->header.sections[1]);
}

/* Each program has an op, so the check needs no memory to know that these cannot be. */
static void more_programs_than_ops_are_refused(void **state)
{
	struct sample *s = sample_new();
	u64 most = s->header.sections[SIMGPU_TRACE_OPS].count, scratch_bytes = 0;
	struct trace_error error;
	size_t bytes = sizeof(*s) + (most + 1) * sizeof(struct simgpu_trace_program);

	s = realloc(s, bytes);
	assert_non_null(s);
	memset(s + 1, 0, bytes - sizeof(*s));
	s->header.sections[SIMGPU_TRACE_PROGRAMS].offset = sizeof(*s);
	s->header.sections[SIMGPU_TRACE_PROGRAMS].count = most + 1;
	s->header.total_bytes = bytes;
	builder_seal(s, bytes);
	assert_int_equal(trace_check_start(s, bytes, &scratch_bytes, &error),
			 -EINVAL);
	assert_string_equal(error.field, "sections[1].count");
	assert_string_equal(error.reason, "is more programs than there are ops");
	assert_int_equal(scratch_bytes, 0);
	free(s);
}

static void many_kernels_are_refused(void **state)
{
	struct builder *b = builder_new("many", "test_trace");
	size_t bytes;
	void *trace;
	u32 i;

	for (i = 0; i <= SIMGPU_TRACE_KERNELS_MAX; i++) {
		builder_kernel(b, "k", 1, 1, 1, 0);
		builder_compute(b, 1, 1);
	}
	trace = builder_finish(b, 0, &bytes);
	builder_free(b);
	assert_non_null(trace);
	expect_refusal(trace, bytes, -E2BIG,
		       offsetof(struct simgpu_trace_header, sections[0]),
		       "sections[0].count", "is more than 1024 kernels",
		       __LINE__);
	free(trace);
}

/* --- what is refused: patterns --- */

#define AT(index, field) patterns[index].field

static void bad_affine_patterns_are_refused(void **state)
{
	REFUSED(-EINVAL, AT(0, access_bytes), "patterns[0].access_bytes",
		"is not 1, 2, 4, 8 or 16", s->patterns[0].access_bytes = 0);
	REFUSED(-EINVAL, AT(0, access_bytes), "patterns[0].access_bytes",
		"is not 1, 2, 4, 8 or 16", s->patterns[0].access_bytes = 3);
	REFUSED(-EINVAL, AT(0, access_bytes), "patterns[0].access_bytes",
		"is not 1, 2, 4, 8 or 16", s->patterns[0].access_bytes = 32);
	REFUSED(-EINVAL, AT(0, access_bytes), "patterns[0].access_bytes",
		"does not divide the base, XOR and strides",
		s->patterns[0].base = 2);
	REFUSED(-EINVAL, AT(0, access_bytes), "patterns[0].access_bytes",
		"does not divide the base, XOR and strides",
		s->patterns[0].block_stride[2] = 6);
	REFUSED(-EINVAL, AT(0, access_bytes), "patterns[0].access_bytes",
		"does not divide the base, XOR and strides",
		s->patterns[0].warp_stride = -2);
	REFUSED(-EINVAL, AT(0, access_bytes), "patterns[0].access_bytes",
		"does not divide the base, XOR and strides",
		s->patterns[0].lane_stride = 1);
	REFUSED(-EINVAL, AT(0, access_bytes), "patterns[0].access_bytes",
		"does not divide the base, XOR and strides",
		s->patterns[0].loop_stride[3] = 1);
	REFUSED(-EINVAL, AT(0, access_bytes), "patterns[0].access_bytes",
		"does not divide the base, XOR and strides",
		s->patterns[0].xor_bytes = 1);
	REFUSED(-EINVAL, AT(0, block_stride), "patterns[0].block_stride",
		"is out of range", s->patterns[0].block_stride[1] = 1LL << 34);
	REFUSED(-EINVAL, AT(0, loop_stride), "patterns[0].loop_stride",
		"is out of range", s->patterns[0].loop_stride[3] = -(1LL << 34));
	REFUSED(-EINVAL, AT(0, warp_stride), "patterns[0].warp_stride",
		"is out of range", s->patterns[0].warp_stride = 1LL << 34);
	REFUSED(-EINVAL, AT(0, lane_stride), "patterns[0].lane_stride",
		"is out of range", s->patterns[0].lane_stride = 1LL << 34);
	REFUSED(-EINVAL, AT(0, xor_bytes), "patterns[0].xor_bytes",
		"is not below region_bytes",
		s->patterns[0].xor_bytes = s->patterns[0].region_bytes);
	REFUSED(-EINVAL, AT(0, xor_bytes), "patterns[0].xor_bytes",
		"is not below region_bytes",
		s->patterns[0].xor_bytes = 128,
		s->patterns[0].region_bytes = -256ULL);
	REFUSED(-EINVAL, AT(0, xor_bytes), "patterns[0].xor_bytes",
		"is beyond a tenant's address space",
		s->patterns[0].xor_bytes = 1ULL << 62,
		s->patterns[0].base = 0ULL - (1ULL << 62),
		s->patterns[0].region_bytes = (1ULL << 62) + 128);
	REFUSED(-EINVAL, AT(0, xor_loop), "patterns[0].xor_loop",
		"names no loop", s->patterns[0].xor_loop = 5);
	REFUSED(-EINVAL, AT(0, seed), "patterns[0].seed", "is not zero",
		s->patterns[0].seed = 1);
	REFUSED(-EINVAL, AT(0, lines), "patterns[0].lines", "is not zero",
		s->patterns[0].lines = 1);
	REFUSED(-EINVAL, ops[LOAD].pattern, "ops[1].pattern",
		"leaves its region", s->patterns[0].region_bytes = 0);
	REFUSED(-EINVAL, ops[LOAD].pattern, "ops[1].pattern",
		"leaves its region", s->patterns[0].region_bytes = -128ULL);
	REFUSED(-EINVAL, AT(0, region_bytes), "patterns[0].region_bytes",
		"reaches past the footprint",
		s->patterns[0].region_bytes = (1 << 20) + 1);
	REFUSED(-EINVAL, AT(0, region_bytes), "patterns[0].region_bytes",
		"reaches past the footprint",
		s->patterns[0].base = 1 << 20);
	REFUSED(-EINVAL, ops[LOAD].pattern, "ops[1].pattern",
		"leaves its region", s->patterns[0].region_bytes = 1ULL << 63);
	REFUSED(-EINVAL, AT(0, region_bytes), "patterns[0].region_bytes",
		"reaches past the footprint",
		s->patterns[0].base = (1ULL << 63) - 128);
	REFUSED(-EINVAL, AT(5, group_lanes), "patterns[5].group_lanes",
		"is not below 32", s->patterns[5].group_lanes = 32);
	REFUSED(-EINVAL, AT(5, group_stride), "patterns[5].group_stride",
		"is set without groups", s->patterns[5].group_lanes = 0);
	REFUSED(-EINVAL, AT(5, group_stride), "patterns[5].group_stride",
		"is out of range", s->patterns[5].group_stride = 1LL << 34);
	REFUSED(-EINVAL, AT(5, access_bytes), "patterns[5].access_bytes",
		"does not divide the base, XOR and strides",
		s->patterns[5].group_stride = 2);
}

static void bad_other_patterns_are_refused(void **state)
{
	REFUSED(-EINVAL, AT(2, access_bytes), "patterns[2].access_bytes",
		"is not 1 to 128", s->patterns[2].access_bytes = 0);
	REFUSED(-EINVAL, AT(2, access_bytes), "patterns[2].access_bytes",
		"is not 1 to 128", s->patterns[2].access_bytes = 129);
	REFUSED(-EINVAL, AT(2, base), "patterns[2].base",
		"is not a multiple of 128", s->patterns[2].base += 64);
	REFUSED(-EINVAL, AT(2, region_bytes), "patterns[2].region_bytes",
		"is below 128", s->patterns[2].region_bytes = 127);
	REFUSED(-EINVAL, AT(2, lines), "patterns[2].lines", "is not 1 to 32",
		s->patterns[2].lines = 0);
	REFUSED(-EINVAL, AT(2, lines), "patterns[2].lines", "is not 1 to 32",
		s->patterns[2].lines = 33);
	REFUSED(-EINVAL, AT(2, block_stride), "patterns[2].block_stride",
		"or another affine field is not zero",
		s->patterns[2].lane_stride = 4);
	REFUSED(-EINVAL, AT(2, block_stride), "patterns[2].block_stride",
		"or another affine field is not zero",
		s->patterns[2].block_stride[1] = 4);
	REFUSED(-EINVAL, AT(2, block_stride), "patterns[2].block_stride",
		"or another affine field is not zero",
		s->patterns[2].loop_stride[2] = 4);
	REFUSED(-EINVAL, AT(2, block_stride), "patterns[2].block_stride",
		"or another affine field is not zero",
		s->patterns[2].xor_loop = 1);
	REFUSED(-EINVAL, AT(2, region_bytes), "patterns[2].region_bytes",
		"reaches past the footprint",
		s->patterns[2].region_bytes = 1 << 20);
	REFUSED(-EINVAL, AT(3, kind), "patterns[3].kind",
		"is RECORDED, yet a field is set", s->patterns[3].base = 128);
	REFUSED(-EINVAL, AT(3, kind), "patterns[3].kind",
		"is RECORDED, yet a field is set", s->patterns[3].xor_bytes = 1);
	REFUSED(-EINVAL, AT(3, kind), "patterns[3].kind",
		"is RECORDED, yet a field is set", s->patterns[3].access_bytes = 4);
	REFUSED(-EINVAL, AT(3, kind), "patterns[3].kind",
		"is RECORDED, yet a field is set", s->patterns[3].region_bytes = 4);
	REFUSED(-EINVAL, AT(3, kind), "patterns[3].kind",
		"is RECORDED, yet a field is set", s->patterns[3].seed = 1);
	REFUSED(-EINVAL, AT(3, kind), "patterns[3].kind",
		"is RECORDED, yet a field is set", s->patterns[3].lines = 1);
	REFUSED(-EINVAL, AT(3, kind), "patterns[3].kind",
		"is RECORDED, yet a field is set",
		s->patterns[3].group_lanes = 1);
	REFUSED(-EINVAL, AT(2, block_stride), "patterns[2].block_stride",
		"or another affine field is not zero",
		s->patterns[2].group_stride = 4);
	REFUSED(-EINVAL, AT(1, kind), "patterns[1].kind", "is unknown",
		s->patterns[1].kind = 4);
	REFUSED(-EINVAL, AT(1, kind), "patterns[1].kind", "is unknown",
		s->patterns[1].kind = 0);
}

/* --- what is refused: kernels --- */

static void bad_kernels_are_refused(void **state)
{
	REFUSED(-EINVAL, kernels[0].name, "kernels[0].name",
		"is not a printable name", s->kernels[0].name[0] = 1);
	REFUSED(-EINVAL, kernels[0].grid, "kernels[0].grid", "has a zero",
		s->kernels[0].grid[1] = 0);
	REFUSED(-E2BIG, kernels[1].grid, "kernels[1].grid",
		"has too many thread blocks",
		s->kernels[1].grid[0] = (1U << 31) + 1);
	REFUSED(-E2BIG, kernels[1].grid, "kernels[1].grid",
		"has too many thread blocks",
		s->kernels[1].grid[0] = s->kernels[1].grid[1] =
		s->kernels[1].grid[2] = U32_MAX);
	REFUSED(-EINVAL, kernels[2].block, "kernels[2].block", "has a zero",
		s->kernels[2].block[2] = 0);
	REFUSED(-E2BIG, kernels[2].block, "kernels[2].block",
		"has too many threads", s->kernels[2].block[0] = 1025);
	REFUSED(-E2BIG, kernels[2].block, "kernels[2].block",
		"has too many threads",
		s->kernels[2].block[0] = s->kernels[2].block[1] =
		s->kernels[2].block[2] = U32_MAX);
	REFUSED(-EINVAL, kernels[3].registers_per_thread,
		"kernels[3].registers_per_thread", "is not 1 to 255",
		s->kernels[3].registers_per_thread = 0);
	REFUSED(-EINVAL, kernels[3].registers_per_thread,
		"kernels[3].registers_per_thread", "is not 1 to 255",
		s->kernels[3].registers_per_thread = 256);
	REFUSED(-E2BIG, kernels[0].shared_bytes, "kernels[0].shared_bytes",
		"is beyond any SM's",
		s->kernels[0].shared_bytes = (1 << 20) + 1);
	REFUSED(-EINVAL, kernels[0].program_count, "kernels[0].program_count",
		"is zero", s->kernels[0].program_count = 0);
	REFUSED(-EINVAL, kernels[0].sample_n, "kernels[0].sample_n",
		"is zero", s->kernels[0].sample_n = 0);
	REFUSED(-EINVAL, kernels[0].row_count, "kernels[0].row_count",
		"is zero, yet rows are described",
		s->kernels[0].table_blocks = 1);
	REFUSED(-EINVAL, kernels[0].row_count, "kernels[0].row_count",
		"is zero, yet rows are described",
		s->kernels[0].first_row = 1);
	REFUSED(-EINVAL, kernels[0].row_count, "kernels[0].row_count",
		"is set without a warp table", s->kernels[0].row_count = 1);
	REFUSED(-EINVAL, kernels[4].table_blocks, "kernels[4].table_blocks",
		"is not 1 to 2^31", s->kernels[4].table_blocks = 0);
	REFUSED(-EINVAL, kernels[4].table_blocks, "kernels[4].table_blocks",
		"is not 1 to 2^31",
		s->kernels[4].table_blocks = (1U << 31) + 1);
}

/* --- what is refused: rows and runs --- */

static void bad_rows_are_refused(void **state)
{
	REFUSED(-EINVAL, kernels[4].first_warp, "kernels[4].first_warp",
		"runs past the warp table", s->kernels[4].table_blocks = 8);
	REFUSED(-EINVAL, kernels[5].first_warp, "kernels[5].first_warp",
		"begins neither a new table nor an earlier kernel's",
		s->kernels[4].table_blocks = 3);
	REFUSED(-EINVAL, kernels[5].first_row, "kernels[5].first_row",
		"does not follow the rows before", s->kernels[5].first_row = 0);
	REFUSED(-EINVAL, kernels[5].row_count, "kernels[5].row_count",
		"reaches past the rows", s->kernels[5].row_count = U32_MAX);
	REFUSED(-EINVAL, rows[1].end, "rows[1].end",
		"is not behind the row before", s->rows[1].end = 1);
	REFUSED(-EINVAL, rows[2].end, "rows[2].end", "is past the grid",
		s->rows[2].end = 4);
	REFUSED(-EINVAL, rows[2].end, "rows[2].end",
		"is not the end of the grid", s->kernels[4].grid[2] = 2);
	REFUSED(-EINVAL, rows[3].end, "rows[3].end", "is past the grid",
		s->rows[3].end = 2);
	REFUSED(-EINVAL, rows[0].run_count, "rows[0].run_count", "is zero",
		s->rows[0].run_count = 0);
	REFUSED(-EINVAL, rows[3].run_count, "rows[3].run_count",
		"reaches past the runs", s->rows[3].run_count = 4);
	REFUSED(-EINVAL, rows[2].first_run, "rows[2].first_run",
		"begins neither new runs nor an earlier row's",
		s->rows[2].run_count = 1);
	REFUSED(-EINVAL, rows[2].first_run, "rows[2].first_run",
		"begins neither new runs nor an earlier row's",
		s->rows[2].first_run = 2, s->rows[2].run_count = 1);
	REFUSED(-EINVAL, rows[2].first_run, "rows[2].first_run",
		"begins neither new runs nor an earlier row's",
		s->rows[2].first_run = U32_MAX);
	/* Those of another kernel, although the row is as long. */
	REFUSED(-EINVAL, rows[3].first_run, "rows[3].first_run",
		"begins neither new runs nor an earlier row's",
		s->rows[3].first_run = 1, s->rows[3].run_count = 2);
	REFUSED(-EINVAL, header.sections[7], "sections[7].count",
		"has rows of no kernel", s->kernels[5].row_count = 0,
		s->kernels[5].first_row = 0, s->kernels[5].table_blocks = 0,
		s->kernels[5].sample_n = 4);
}

/* @section: of these elements, one more than there may be, behind the sample */
static void expect_too_many(u32 section, u64 element_bytes, const char *field,
			    const char *reason)
{
	u64 count = SIMGPU_TRACE_RUNS_MAX + 1;
	u64 bytes = sizeof(struct sample) + count * element_bytes;
	struct sample *s = sample_new(), *large = calloc(1, bytes);

	assert_non_null(large);
	*large = *s;
	large->header.sections[section].offset = sizeof(*s);
	large->header.sections[section].count = count;
	large->header.total_bytes = bytes;
	builder_seal(large, bytes);
	expect_refusal(large, bytes, -E2BIG,
		       offsetof(struct sample, header.sections) +
		       section * sizeof(s->header.sections[0]), field, reason,
		       __LINE__);
	free(large);
	free(s);
}

static void many_rows_are_refused(void **state)
{
	expect_too_many(SIMGPU_TRACE_ROWS, sizeof(struct simgpu_trace_row),
			"sections[7].count", "is more than 2^20 rows");
	expect_too_many(SIMGPU_TRACE_RUNS, sizeof(struct simgpu_trace_run),
			"sections[8].count", "is more than 2^20 runs");
}

static void bad_runs_are_refused(void **state)
{
	REFUSED(-EINVAL, runs[2].end, "runs[2].end",
		"is not behind the run before", s->runs[2].end = 1);
	REFUSED(-EINVAL, runs[0].end, "runs[0].end",
		"is not behind the run before", s->runs[0].end = 0);
	REFUSED(-EINVAL, runs[0].end, "runs[0].end",
		"is not the end of the row", s->runs[0].end = 5);
	REFUSED(-EINVAL, runs[5].end, "runs[5].end",
		"is not the end of the row", s->runs[5].end = 5);
	REFUSED(-EINVAL, runs[2].end, "runs[2].end",
		"is not the end of the row", s->runs[2].end = 3);
	REFUSED(-EINVAL, runs[2].block, "runs[2].block",
		"is not in the warp table", s->runs[2].block = 2);
	REFUSED(-EINVAL, header.sections[8], "sections[8].count",
		"has runs of no row", s->rows[3].run_count = 1,
		s->runs[3].end = 4);
	/* What the thread blocks that run it reach: now also row 0 ... */
	REFUSED(-EINVAL, ops[INNER_LOAD].pattern, "ops[18].pattern",
		"leaves its region", s->runs[0].block = 1);
	/* ... column 0, ... */
	REFUSED(-EINVAL, ops[INNER_LOAD].pattern, "ops[18].pattern",
		"leaves its region", s->runs[1].block = 1);
	/* ... or what one of the sampled stands for; its row is not 0. */
	REFUSED(-EINVAL, ops[INNER_LOAD].pattern, "ops[18].pattern",
		"leaves its region", s->runs[3].block = 1);
	REFUSED(-EINVAL, ops[INNER_LOAD].pattern, "ops[18].pattern",
		"leaves its region", s->warps[10].program = 1);
	REFUSED(-EINVAL, ops[INNER_LOAD].pattern, "ops[18].pattern",
		"leaves its region", s->patterns[UPWARD].group_lanes = 4);
}

static void bad_program_ranges_are_refused(void **state)
{
	REFUSED(-EINVAL, kernels[0].first_program, "kernels[0].first_program",
		"begins neither a new range nor an earlier kernel's",
		s->kernels[0].first_program = 1);
	REFUSED(-EINVAL, kernels[3].first_program, "kernels[3].first_program",
		"begins neither a new range nor an earlier kernel's",
		s->kernels[3].program_count = 1);
	REFUSED(-EINVAL, kernels[3].first_program, "kernels[3].first_program",
		"begins neither a new range nor an earlier kernel's",
		s->kernels[3].first_program = U32_MAX);
	REFUSED(-EINVAL, kernels[4].program_count, "kernels[4].program_count",
		"reaches past the programs",
		s->kernels[4].program_count = 3,
		s->kernels[5].program_count = 3);
	REFUSED(-EINVAL, kernels[2].program_count, "kernels[2].program_count",
		"reaches past the programs",
		s->kernels[2].program_count = U32_MAX);
	REFUSED(-EINVAL, header.sections[1], "sections[1].count",
		"has programs of no kernel",
		s->kernels[4].program_count = 1,
		s->kernels[5].program_count = 1,
		s->kernels[6].program_count = 1);
}

/* --- what is refused: programs and ops --- */

static void bad_programs_are_refused(void **state)
{
	REFUSED(-EINVAL, programs[0].first_op, "programs[0].first_op",
		"does not follow the program before",
		s->programs[0].first_op = 1);
	REFUSED(-EINVAL, programs[2].first_op, "programs[2].first_op",
		"does not follow the program before",
		s->programs[2].first_op = 0);
	REFUSED(-EINVAL, programs[1].op_count, "programs[1].op_count",
		"is zero", s->programs[1].op_count = 0);
	REFUSED(-EINVAL, programs[5].op_count, "programs[5].op_count",
		"reaches past the ops", s->programs[5].op_count++);
	REFUSED(-EINVAL, programs[3].op_count, "programs[3].op_count",
		"reaches past the ops", s->programs[3].op_count = U32_MAX);
	REFUSED(-EINVAL, programs[0].op_count, "programs[0].op_count",
		"leaves a loop open",
		sample_op(s, LOOP_END, SIMGPU_TRACE_COMPUTE, 1, 0));
	REFUSED(-EINVAL, header.sections[2], "sections[2].count",
		"has ops of no program", s->programs[5].op_count--);
}

static void nest_loops(struct sample *s, u32 depth)
{
	while (depth--)
		sample_op(s, depth, SIMGPU_TRACE_LOOP, 1, 0);
}

static void bad_loops_are_refused(void **state)
{
	REFUSED(-EINVAL, ops[LOOP].kind, "ops[0].kind",
		"is a loop's, yet a field is set",
		s->ops[LOOP].active_lanes = 1);
	REFUSED(-EINVAL, ops[LOOP].kind, "ops[0].kind",
		"is a loop's, yet a field is set",
		s->ops[LOOP].issue_cycles = 1);
	REFUSED(-EINVAL, ops[LOOP_END].kind, "ops[5].kind",
		"is a loop's, yet a field is set", s->ops[LOOP_END].pattern = 1);
	REFUSED(-EINVAL, ops[LOOP].kind, "ops[0].kind",
		"is a loop's, yet a field is set",
		s->ops[LOOP].consume_after = 1);
	REFUSED(-EINVAL, ops[LOOP].count, "ops[0].count", "is zero",
		s->ops[LOOP].count = 0);
	REFUSED(-EINVAL, ops[LOOP_END].count, "ops[5].count", "is not zero",
		s->ops[LOOP_END].count = 1);
	REFUSED(-EINVAL, ops[0].kind, "ops[0].kind",
		"ends a loop that was not begun",
		sample_op(s, LOOP, SIMGPU_TRACE_LOOP_END, 0, 0));
	REFUSED(-EINVAL, ops[1].kind, "ops[1].kind",
		"ends a loop that issues nothing",
		sample_op(s, LOAD, SIMGPU_TRACE_LOOP_END, 0, 0));
	/* A body that only holds an empty body issues nothing either. */
	REFUSED(-EINVAL, ops[2].kind, "ops[2].kind",
		"ends a loop that issues nothing",
		sample_op(s, LOAD, SIMGPU_TRACE_LOOP, 1, 0),
		sample_op(s, COMPUTE, SIMGPU_TRACE_LOOP_END, 0, 0));
	REFUSED(-E2BIG, ops[4].kind, "ops[4].kind", "nests loops too deep",
		nest_loops(s, 5));
}

/* The last op of the last program, which is in no loop, may spin: test_failures. */
static void only_a_program_s_last_op_spins(void **state)
{
	REFUSED(-EINVAL, ops[LAST_CONSTANT].kind, "ops[16].kind", "is of version 5",
		s->header.version = 4,
		sample_op(s, LAST_CONSTANT, SIMGPU_TRACE_SPIN, 0, 0));
	REFUSED(-EINVAL, ops[COMPUTE].kind, "ops[2].kind", "spins in a loop",
		sample_op(s, COMPUTE, SIMGPU_TRACE_SPIN, 0, 0));
	REFUSED(-EINVAL, ops[LAST_CONSTANT].active_lanes, "ops[16].active_lanes",
		"is not 1 to 32",
		sample_op(s, LAST_CONSTANT, SIMGPU_TRACE_SPIN, 0, 0),
		s->ops[LAST_CONSTANT].active_lanes = 0);
	REFUSED(-EINVAL, ops[LAST_CONSTANT].kind, "ops[16].kind",
		"spins, yet a field is set",
		sample_op(s, LAST_CONSTANT, SIMGPU_TRACE_SPIN, 1, 0));
}

static void bad_ops_are_refused(void **state)
{
	REFUSED(-EINVAL, ops[COMPUTE].kind, "ops[2].kind", "is unknown",
		s->ops[COMPUTE].kind = 0);
	REFUSED(-EINVAL, ops[COMPUTE].kind, "ops[2].kind", "is unknown",
		s->ops[COMPUTE].kind = SIMGPU_TRACE_SPIN + 1);
	REFUSED(-EINVAL, ops[COMPUTE].active_lanes, "ops[2].active_lanes",
		"is not 1 to 32", s->ops[COMPUTE].active_lanes = 0);
	REFUSED(-EINVAL, ops[LOAD].active_lanes, "ops[1].active_lanes",
		"is not 1 to 32", s->ops[LOAD].active_lanes = 33);
	REFUSED(-E2BIG, ops[COMPUTE].count, "ops[2].count",
		"makes the program too long",
		s->ops[LOOP].count = 257, s->ops[COMPUTE].count = U32_MAX,
		s->patterns[AFFINE].loop_stride[0] = 0);
	REFUSED(-EINVAL, ops[SHARED].pattern, "ops[3].pattern",
		"is not zero", s->ops[SHARED].pattern = 1);
	REFUSED(-EINVAL, ops[SHARED].consume_after, "ops[3].consume_after",
		"is not zero", s->ops[SHARED].consume_after = 1);
	REFUSED(-EINVAL, ops[SHARED].count, "ops[3].count", "is zero",
		s->ops[SHARED].count = 0);
	REFUSED(-EINVAL, ops[COMPUTE].issue_cycles, "ops[2].issue_cycles",
		"is not 1 to 1024", s->ops[COMPUTE].issue_cycles = 0);
	REFUSED(-EINVAL, ops[COMPUTE].issue_cycles, "ops[2].issue_cycles",
		"is not 1 to 1024", s->ops[COMPUTE].issue_cycles = 1025);
	REFUSED(-EINVAL, ops[BARRIER].count, "ops[6].count",
		"is set on a barrier", s->ops[BARRIER].count = 1);
}

static void bad_mixes_are_refused(void **state)
{
	REFUSED(-EINVAL, ops[COMPUTE].mix, "ops[2].mix", "names no mix",
		s->ops[COMPUTE].mix = 3);
	REFUSED(-EINVAL, ops[LAST_COMPUTE].issue_cycles,
		"ops[14].issue_cycles", "is set beside a mix",
		s->ops[LAST_COMPUTE].issue_cycles = 1);
	REFUSED(-EINVAL, mixes[0].first_instruction,
		"mixes[0].first_instruction", "does not follow the mix before",
		s->mixes[0].first_instruction = 1);
	REFUSED(-EINVAL, mixes[1].first_instruction,
		"mixes[1].first_instruction", "does not follow the mix before",
		s->mixes[1].first_instruction = 0);
	REFUSED(-EINVAL, mixes[0].instruction_count,
		"mixes[0].instruction_count", "is zero",
		s->mixes[0].instruction_count = 0);
	REFUSED(-E2BIG, mixes[0].instruction_count,
		"mixes[0].instruction_count", "is more than 1024",
		s->mixes[0].instruction_count = 1025);
	REFUSED(-EINVAL, mixes[1].instruction_count,
		"mixes[1].instruction_count", "reaches past the instructions",
		s->mixes[1].instruction_count = 2);
	REFUSED(-EINVAL, header.sections[SIMGPU_TRACE_INSTRUCTIONS],
		"sections[10].count", "has instructions of no mix",
		s->header.sections[SIMGPU_TRACE_MIXES].count = 1);
	REFUSED(-EINVAL, instructions[2].unit, "instructions[2].unit",
		"is unknown", s->instructions[2].unit = SIMGPU_TRACE_UNITS);
	REFUSED(-EINVAL, instructions[2].passes, "instructions[2].passes",
		"is not 1 to 64", s->instructions[2].passes = 0);
	REFUSED(-EINVAL, instructions[2].passes, "instructions[2].passes",
		"is not 1 to 64", s->instructions[2].passes = 65);
}

/* Ops that would take too long to time, together. */
static void too_many_mixed_are_refused(void **state)
{
	struct builder *b = builder_new("mixed", "test");
	u32 mix = builder_mix(b, "F1"), i;
	struct trace_error error;
	u64 memory_bytes;
	size_t bytes;
	void *trace;

	builder_kernel(b, "mixed", 1, 32, 32, 0);
	for (i = 0; i < SIMGPU_TRACE_MIXED_MAX / 240 + 1; i++)
		builder_mixed(b, mix, 1000, 32);
	trace = builder_finish(b, 0, &bytes);
	assert_non_null(trace);
	assert_int_equal(trace_check(trace, bytes, &memory_bytes, &error),
			 -E2BIG);
	assert_string_equal(error.reason,
			    "is one too many: ops name 2^26 instructions");
	builder_free(b);
	free(trace);
}

/* Check a trace of version 1 whose barrier waits for a result, or does not. */
static int check_version_1(u32 after, struct trace_error *error)
{
	struct builder *b = builder_new("old", "test");
	u64 memory_bytes;
	size_t bytes;
	void *trace;
	int ret;

	builder_version_1(b);
	builder_kernel(b, "old", 1, 32, 32, 0);
	builder_compute(b, 10, 32);
	builder_barrier(b);
	builder_after(b, after);
	trace = builder_finish(b, 0, &bytes);
	assert_non_null(trace);
	ret = trace_check(trace, bytes, &memory_bytes, error);
	builder_free(b);
	free(trace);
	return ret;
}

/* What version 2 has brought is refused in a file of version 1. */
static void dependences_in_version_1_are_refused(void **state)
{
	struct trace_error error;

	assert_int_equal(check_version_1(0, &error), 0);
	assert_int_equal(check_version_1(1, &error), -EINVAL);
	assert_string_equal(error.field, "ops[1].issue_cycles");
}

static void bad_memory_ops_are_refused(void **state)
{
	REFUSED(-EINVAL, ops[LOAD].pattern, "ops[1].pattern",
		"names no pattern", s->ops[LOAD].pattern = 6);
	REFUSED(-EINVAL, ops[STORE].consume_after, "ops[4].consume_after",
		"is set on a store", s->ops[STORE].consume_after = 1);
	REFUSED(-EINVAL, ops[LOAD].count, "ops[1].count", "is not zero",
		s->ops[LOAD].count = 1);
	REFUSED(-EINVAL, ops[LAST_CONSTANT].count, "ops[16].count",
		"is not zero", s->ops[LAST_CONSTANT].count = 1);
	REFUSED(-EINVAL, ops[LAST_CONSTANT].pattern, "ops[16].pattern",
		"names no pattern", s->ops[LAST_CONSTANT].pattern = 6);
	REFUSED(-EINVAL, ops[LAST_CONSTANT].active_lanes, "ops[16].active_lanes",
		"is not 1 to 32", s->ops[LAST_CONSTANT].active_lanes = 0);
	REFUSED(-EINVAL, ops[RECORDED_LOAD].count, "ops[9].count",
		"is not 1 to 32 lines", s->ops[RECORDED_LOAD].count = 0);
	REFUSED(-EINVAL, ops[RECORDED_LOAD].count, "ops[9].count",
		"is not 1 to 32 lines", s->ops[RECORDED_LOAD].count = 33);
	REFUSED(-EINVAL, ops[RANDOM_LOAD].pattern, "ops[7].pattern",
		"XORs with a loop that is not open",
		s->ops[RANDOM_LOAD].pattern = SHUFFLED);
	REFUSED(-EINVAL, ops[STORE].pattern, "ops[4].pattern",
		"XORs beyond its region", s->ops[LOOP].count = 34,
		s->patterns[AFFINE].loop_stride[0] = 0);
	REFUSED(-EINVAL, ops[STORE].pattern, "ops[4].pattern",
		"XORs beyond its region", s->ops[LOOP].count = 30,
		s->patterns[AFFINE].loop_stride[0] = 0);
	REFUSED(-EINVAL, ops[STORE].pattern, "ops[4].pattern",
		"leaves its region", s->ops[LOOP].count = 12,
		s->patterns[AFFINE].loop_stride[0] = 0);
	/* One more block, warp, lane or trip, or a byte less region. */
	REFUSED(-EINVAL, ops[LOAD].pattern, "ops[1].pattern",
		"leaves its region", s->kernels[0].grid[0]++);
	REFUSED(-EINVAL, ops[LOAD].pattern, "ops[1].pattern",
		"leaves its region", s->kernels[0].block[0]++);
	REFUSED(-EINVAL, ops[LOAD].pattern, "ops[1].pattern",
		"leaves its region", s->patterns[AFFINE].lane_stride += 4);
	REFUSED(-EINVAL, ops[LOAD].pattern, "ops[1].pattern",
		"leaves its region", s->ops[LOOP].count++);
	REFUSED(-EINVAL, ops[LOAD].pattern, "ops[1].pattern",
		"leaves its region", s->patterns[AFFINE].region_bytes--);
	REFUSED(-EINVAL, ops[LOAD].pattern, "ops[1].pattern",
		"leaves its region", s->patterns[AFFINE].block_stride[0] = -4);
	REFUSED(-EINVAL, ops[RANDOM_LOAD].pattern, "ops[7].pattern",
		"leaves its region",
		s->ops[RANDOM_LOAD].pattern = PLAIN,
		s->patterns[PLAIN].block_stride[0] = SIMGPU_TRACE_SPACE_BYTES,
		s->kernels[1].grid[0] = 1U << 31);
	REFUSED(-EINVAL, ops[LOAD].pattern, "ops[1].pattern",
		"leaves its region", s->ops[LOOP].count = U32_MAX,
		s->patterns[AFFINE].loop_stride[0] = SIMGPU_TRACE_SPACE_BYTES);
}

/* Programs are checked for the largest kernel that runs them, first or last. */
static void shared_programs_are_checked_for_all(void **state)
{
	REFUSED(-EINVAL, ops[LOAD].pattern, "ops[1].pattern",
		"leaves its region", s->kernels[3] = s->kernels[0],
		s->kernels[0].grid[0] = 5);
	REFUSED(-EINVAL, ops[LOAD].pattern, "ops[1].pattern",
		"leaves its region", s->kernels[3] = s->kernels[0],
		s->kernels[3].grid[0] = 5);
}

/* --- what is refused: the recording --- */

static void bad_recordings_are_refused(void **state)
{
	REFUSED(-EINVAL, warps[1].program, "warps[1].program",
		"is not one of its kernel's", s->warps[1].program = 2);
	REFUSED(-EINVAL, warps[3].first_line, "warps[3].first_line",
		"runs past the lines", s->warps[3].first_line = 7);
	REFUSED(-EINVAL, warps[3].first_line, "warps[3].first_line",
		"runs past the lines", s->warps[3].first_line = U32_MAX);
	REFUSED(-EINVAL, warps[1].first_line, "warps[1].first_line",
		"runs past the lines", s->ops[RECORDED_LOOP].count = U32_MAX);
	REFUSED(-EINVAL, kernels[2].first_warp, "kernels[2].first_warp",
		"is absent, yet lines are recorded",
		s->kernels[2].first_warp = SIMGPU_TRACE_NO_WARPS);
	REFUSED(-EINVAL, kernels[2].first_warp, "kernels[2].first_warp",
		"runs past the warp table", s->kernels[2].grid[0] = 6);
	REFUSED(-EINVAL, kernels[2].first_warp, "kernels[2].first_warp",
		"runs past the warp table", s->kernels[2].grid[0] = 1U << 31,
		s->patterns[PLAIN].block_stride[0] = 0);
	REFUSED(-EINVAL, kernels[2].first_warp, "kernels[2].first_warp",
		"begins neither a new table nor an earlier kernel's",
		s->kernels[2].first_warp = 1);
	REFUSED(-EINVAL, kernels[3].first_warp, "kernels[3].first_warp",
		"begins neither a new table nor an earlier kernel's",
		s->kernels[3].grid[0] = 1);
	REFUSED(-EINVAL, header.sections[4], "sections[4].count",
		"has warps of no kernel", s->kernels[6].grid[0] = 4);
	REFUSED(-EINVAL, lines[2], "lines[2]", "has an unknown flag",
		s->lines[2] |= 1U << 30);
	REFUSED(-EINVAL, lines[2], "lines[2]", "touches no sector",
		s->lines[2] |= SIMGPU_TRACE_LINE_SKIP);
	REFUSED(-EINVAL, lines[7], "lines[7]", "lies past the footprint",
		s->lines[7] = 1 << 13);
	REFUSED(-EINVAL, lines[7], "lines[7]", "lies past the footprint",
		s->lines[7] = SIMGPU_TRACE_LINE_INDEX);
	REFUSED(-EINVAL, weights[1].name, "weights[1].name",
		"is not a printable name", s->weights[1].name[0] = 0);
	REFUSED(-EINVAL, weights[0].reserved, "weights[0].reserved",
		"is not zero", s->weights[0].reserved = 1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(bad_headers_are_refused),
		cmocka_unit_test(bad_sections_are_refused),
		cmocka_unit_test(more_programs_than_ops_are_refused),
		cmocka_unit_test(many_kernels_are_refused),
		cmocka_unit_test(bad_affine_patterns_are_refused),
		cmocka_unit_test(bad_other_patterns_are_refused),
		cmocka_unit_test(bad_kernels_are_refused),
		cmocka_unit_test(bad_rows_are_refused),
		cmocka_unit_test(many_rows_are_refused),
		cmocka_unit_test(bad_runs_are_refused),
		cmocka_unit_test(bad_program_ranges_are_refused),
		cmocka_unit_test(bad_programs_are_refused),
		cmocka_unit_test(bad_loops_are_refused),
		cmocka_unit_test(only_a_program_s_last_op_spins),
		cmocka_unit_test(bad_ops_are_refused),
		cmocka_unit_test(bad_mixes_are_refused),
		cmocka_unit_test(too_many_mixed_are_refused),
		cmocka_unit_test(dependences_in_version_1_are_refused),
		cmocka_unit_test(bad_memory_ops_are_refused),
		cmocka_unit_test(shared_programs_are_checked_for_all),
		cmocka_unit_test(bad_recordings_are_refused),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests_name("trace_refusals", tests, NULL, NULL);
}
