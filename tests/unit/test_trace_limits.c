// SPDX-License-Identifier: GPL-2.0
/*
 * The limits of the trace format, each from both sides: its last good value, and the
 * first one beyond, which is refused by name.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <cmocka.h>

#include "trace_sample.h"

static void expect_sample(struct sample *s, int code, const char *field,
			  const char *reason, int line)
{
	builder_seal(s, sizeof(*s));
	expect_verdict(s, sizeof(*s), code, field, reason, line);
	free(s);
}

/* A sample that statements on "s" have changed is good, or is refused. */
#define GOOD(...)	JUDGED(0, "", "", __VA_ARGS__)
#define BAD(field, reason, ...)	JUDGED(-EINVAL, field, reason, __VA_ARGS__)
#define JUDGED(code, field, reason, ...)				\
	do {								\
		struct sample *s = sample_new();			\
									\
		__VA_ARGS__;						\
		expect_sample(s, code, field, reason, __LINE__);	\
	} while (0)

/* --- fields with a range ------------------------------------------------------------------ */

#define SPACE	((s64)SIMGPU_TRACE_SPACE_BYTES)

/*
 * struct range - of a field of the sample that has one
 * @at: the field
 * @bytes: of it
 * @step: from one good value to the next
 * @least: good, and so is @most
 * @below: why what is less is refused; NULL: there is none
 * @above: why what is more is
 * @code: of that
 */
struct range {
	size_t at;
	size_t bytes;
	s64 step;
	s64 least;
	s64 most;
	const char *field;
	const char *below;
	const char *above;
	int code;
};

#define RANGE(member, name, step, least, most, below, above, code)	\
	{ offsetof(struct sample, member),				\
	  sizeof(((struct sample *)0)->member), step, least, most, name,\
	  below, above, code }
#define RANGE_OF(member, name, least, most, reason)			\
	RANGE(member, name, 1, least, most, reason, reason, -EINVAL)
#define STRIDE(member, name)						\
	RANGE(patterns[UPWARD].member, "patterns[5]." name, 16, -SPACE,	\
	      SPACE, "is out of range", "is out of range", -EINVAL)

static const struct range ranges[] = {
	RANGE(kernels[1].grid[0], "kernels[1].grid", 1, 1, 1LL << 31,
	      "has a zero", "has too many thread blocks", -E2BIG),
	RANGE(kernels[1].grid[2], "kernels[1].grid", 1, 1, 1LL << 29,
	      "has a zero", "has too many thread blocks", -E2BIG),
	RANGE(kernels[1].block[0], "kernels[1].block", 1, 1, 1024,
	      "has a zero", "has too many threads", -E2BIG),
	RANGE(kernels[1].block[1], "kernels[1].block", 1, 1, 16,
	      "has a zero", "has too many threads", -E2BIG),
	RANGE_OF(kernels[1].registers_per_thread,
		 "kernels[1].registers_per_thread", 1, 255,
		 "is not 1 to 255"),
	RANGE(kernels[1].shared_bytes, "kernels[1].shared_bytes", 1, 0, 1 << 20,
	      NULL, "is beyond any SM's", -E2BIG),
	RANGE_OF(ops[COMPUTE].active_lanes, "ops[2].active_lanes", 1, 32,
		 "is not 1 to 32"),
	RANGE_OF(ops[RANDOM_ATOMIC].active_lanes, "ops[8].active_lanes", 1, 32,
		 "is not 1 to 32"),
	RANGE_OF(ops[COMPUTE].issue_cycles, "ops[2].issue_cycles", 1, 1024,
		 "is not 1 to 1024"),
	RANGE_OF(ops[SHARED].issue_cycles, "ops[3].issue_cycles", 1, 1024,
		 "is not 1 to 1024"),
	RANGE_OF(instructions[1].passes, "instructions[1].passes", 1, 64,
		 "is not 1 to 64"),
	RANGE(instructions[1].unit, "instructions[1].unit", 1, 0,
	      SIMGPU_TRACE_UNITS - 1, NULL, "is unknown", -EINVAL),
	RANGE_OF(patterns[RANDOM].lines, "patterns[2].lines", 1, 32,
		 "is not 1 to 32"),
	RANGE_OF(patterns[RANDOM].access_bytes, "patterns[2].access_bytes", 1,
		 128, "is not 1 to 128"),
	RANGE(patterns[RANDOM].region_bytes, "patterns[2].region_bytes", 1, 128,
	      (1 << 20) - (1 << 17), "is below 128",
	      "reaches past the footprint", -EINVAL),
	RANGE(patterns[UPWARD].region_bytes, "patterns[5].region_bytes", 16, 0,
	      (1 << 20) - (1 << 16), NULL, "reaches past the footprint",
	      -EINVAL),
	RANGE(patterns[UPWARD].xor_bytes, "patterns[5].xor_bytes", 16, 0,
	      (1 << 16) - 16, NULL, "is not below region_bytes", -EINVAL),
	RANGE(patterns[UPWARD].xor_loop, "patterns[5].xor_loop", 1, 0, 4, NULL,
	      "names no loop", -EINVAL),
	RANGE(patterns[UPWARD].group_lanes, "patterns[5].group_lanes", 1, 1, 31,
	      NULL, "is not below 32", -EINVAL),
	RANGE(patterns[UPWARD].seed, "patterns[5].seed", 1, 0, 0, NULL,
	      "is not zero", -EINVAL),
	RANGE(patterns[UPWARD].lines, "patterns[5].lines", 1, 0, 0, NULL,
	      "is not zero", -EINVAL),
	STRIDE(block_stride[0], "block_stride"),
	STRIDE(block_stride[1], "block_stride"),
	STRIDE(block_stride[2], "block_stride"),
	STRIDE(loop_stride[0], "loop_stride"),
	STRIDE(loop_stride[1], "loop_stride"),
	STRIDE(loop_stride[2], "loop_stride"),
	STRIDE(loop_stride[3], "loop_stride"),
	STRIDE(warp_stride, "warp_stride"),
	STRIDE(lane_stride, "lane_stride"),
	STRIDE(group_stride, "group_stride"),
	RANGE(header.footprint_bytes, "footprint_bytes", 1, 1 << 20, SPACE, NULL,
	      "is beyond a tenant's address space", -E2BIG),
	RANGE(weights[0].reserved, "weights[0].reserved", 1, 0, 0, NULL,
	      "is not zero", -EINVAL),
	RANGE(header.reserved, "reserved", 1, 0, 0, NULL, "is not zero",
	      -EINVAL),
};

/*
 * A sample in which each of these fields may be anything in its range: no op uses the
 * pattern of which most are.
 */
static struct sample *loose_sample(void)
{
	struct sample *s = sample_new();

	s->ops[INNER_LOAD].pattern = RANDOM;
	s->patterns[UPWARD] = (struct simgpu_trace_pattern) {
		.kind = SIMGPU_TRACE_AFFINE, .access_bytes = 16,
		.base = 1 << 16, .region_bytes = 1 << 16, .group_lanes = 1,
		.group_stride = 16,
	};
	return s;
}

static void expect_field(const struct range *r, s64 value, int code,
			 const char *reason)
{
	struct sample *s = loose_sample();

	memcpy((char *)s + r->at, &value, r->bytes);
	builder_seal(s, sizeof(*s));
	expect_verdict(s, sizeof(*s), code, code ? r->field : "", reason,
	       (int)(r - ranges));
	free(s);
}

/* Where one fails, the line is its place in the table. */
static void ranges_end_where_they_say(void **state)
{
	const struct range *r;

	for (r = ranges; r < ranges + ARRAY_SIZE(ranges); r++) {
		expect_field(r, r->least, 0, "");
		expect_field(r, r->most, 0, "");
		if (r->below)
			expect_field(r, r->least - r->step, -EINVAL, r->below);
		expect_field(r, r->most + r->step, r->code, r->above);
	}
}

/* --- names -------------------------------------------------------------------------------- */

static void names_are_printable_and_end(void **state)
{
	GOOD(memset(s->header.name, 'x', SIMGPU_TRACE_NAME_BYTES - 1));
	BAD("name", "is not a printable name",
	    memset(s->header.name, 'x', SIMGPU_TRACE_NAME_BYTES));
	GOOD(memset(s->header.name + 1, 0, SIMGPU_TRACE_NAME_BYTES - 1));
	GOOD(s->header.name[0] = ' ', s->header.name[1] = '~');
	BAD("name", "is not a printable name", s->header.name[0] = ' ' - 1);
	BAD("name", "is not a printable name", s->header.name[0] = '~' + 1);
	BAD("name", "is not a printable name",
	    s->header.name[SIMGPU_TRACE_NAME_BYTES - 1] = 'x');
}

/* --- header and sections ------------------------------------------------------------------ */

/* Just as long as its header: that can be read, and says that nothing follows. */
static void headers_may_be_all_there_is(void **state)
{
	static const u32 sections[] = {
		SIMGPU_TRACE_SECTIONS_V1, SIMGPU_TRACE_SECTIONS_V2,
		SIMGPU_TRACE_SECTIONS_V3, SIMGPU_TRACE_SECTIONS,
		SIMGPU_TRACE_SECTIONS,
	};
	u32 i;

	for (i = 0; i < ARRAY_SIZE(sections); i++) {
		u64 bytes = offsetof(struct simgpu_trace_header,
				     sections[sections[i]]);
		struct sample *s = sample_new();

		memset(s->header.sections, 0, sizeof(s->header.sections));
		s->header.version = (u16)(i + 1);
		s->header.header_bytes = (u16)bytes;
		s->header.total_bytes = bytes;
		builder_seal(s, bytes);
		expect_verdict(s, bytes, -EINVAL, "sections[0].count", "is zero",
		       __LINE__);
		expect_verdict(s, bytes - 1, -EINVAL, "header",
		       "is longer than the trace", __LINE__);
		free(s);
	}
}

/* It is as long as it may be, if not as it says. */
static void files_may_have_256_mib(void **state)
{
	struct sample *s = sample_new();
	char reason[64];

	snprintf(reason, sizeof(reason),
		 "is wrong: 268435456 of %zu bytes are there", sizeof(*s));
	expect_verdict(s, 256ULL << 20, -EINVAL, "total_bytes", reason, __LINE__);
	expect_verdict(s, (256ULL << 20) + 1, -E2BIG, "trace", "is longer than 256 MiB",
	       __LINE__);
	free(s);
}

/* An absent section lies nowhere, wherever it is said to begin. */
static void sections_may_touch_but_not_overlap(void **state)
{
	GOOD(s->header.sections[SIMGPU_TRACE_PROFILES].offset =
	     s->header.sections[SIMGPU_TRACE_OPS].offset + 8);
	GOOD(s->header.sections[SIMGPU_TRACE_PROFILES].offset = 8);
	GOOD(s->header.sections[SIMGPU_TRACE_WEIGHTS].count = 0,
	     s->header.sections[SIMGPU_TRACE_WEIGHTS].offset =
	     s->header.sections[SIMGPU_TRACE_RUNS].offset + 8);
	BAD("sections[0].offset", "lies in the header",
	    s->header.sections[0].offset -= 8);
	/* The first, the last before it, and one that reaches into a later one. */
	BAD("sections[6].offset", "overlaps another section",
	    s->header.sections[6].offset = s->header.sections[0].offset);
	BAD("sections[1].offset", "overlaps another section",
	    s->header.sections[1].offset -= 8);
	BAD("sections[3].offset", "overlaps another section",
	    s->header.sections[1].offset = s->header.sections[3].offset + 8,
	    s->header.sections[1].count = 1);
}

/* --- patterns ----------------------------------------------------------------------------- */

/* Each field that an affine pattern alone has, in one of each other kind. */
static void other_patterns_have_no_affine_fields(void **state)
{
	static const size_t fields[] = {
#define FIELD(name)	offsetof(struct simgpu_trace_pattern, name)
		FIELD(block_stride[0]), FIELD(block_stride[1]),
		FIELD(block_stride[2]), FIELD(warp_stride), FIELD(lane_stride),
		FIELD(group_stride), FIELD(loop_stride[0]),
		FIELD(loop_stride[1]), FIELD(loop_stride[2]),
		FIELD(loop_stride[3]), FIELD(xor_bytes), FIELD(xor_loop),
		FIELD(group_lanes),
	};
	u32 i;

	for (i = 0; i < ARRAY_SIZE(fields); i++) {
		BAD("patterns[2].block_stride",
		    "or another affine field is not zero",
		    ((u8 *)&s->patterns[RANDOM])[fields[i]] = 1);
		BAD("patterns[3].kind", "is RECORDED, yet a field is set",
		    ((u8 *)&s->patterns[RECORDED])[fields[i]] = 1);
	}
}

/* Each in which an affine access that is not aligned may hide. */
static void accesses_are_aligned(void **state)
{
	static const size_t fields[] = {
		FIELD(base), FIELD(block_stride[0]), FIELD(block_stride[1]),
		FIELD(block_stride[2]), FIELD(warp_stride), FIELD(lane_stride),
		FIELD(group_stride), FIELD(loop_stride[0]),
		FIELD(loop_stride[1]), FIELD(loop_stride[2]),
		FIELD(loop_stride[3]), FIELD(xor_bytes),
	};
	u32 bytes, i;

	for (bytes = 2; bytes <= 16; bytes *= 2) {
		for (i = 0; i < ARRAY_SIZE(fields); i++) {
			struct sample *s = loose_sample();
			u8 *field = (u8 *)&s->patterns[UPWARD] + fields[i];

			s->patterns[UPWARD].access_bytes = bytes;
			*field = (u8)bytes;
			builder_seal(s, sizeof(*s));
			expect_verdict(s, sizeof(*s), 0, "", "", __LINE__);
			*field = (u8)(bytes / 2);
			expect_sample(s, -EINVAL, "patterns[5].access_bytes",
				      "does not divide the base, XOR and strides",
				      __LINE__);
		}
	}
}

/* The mask's place: a region that lies partly before the space. */
static void masks_may_be_as_large_as_the_space(void **state)
{
	struct sample *s = loose_sample();
	struct simgpu_trace_pattern *p = &s->patterns[UPWARD];

	p->base = 0ULL - (1ULL << 34);
	p->region_bytes = 1ULL << 34;
	p->xor_bytes = SIMGPU_TRACE_SPACE_BYTES;
	builder_seal(s, sizeof(*s));
	expect_verdict(s, sizeof(*s), 0, "", "", __LINE__);
	p->xor_bytes += 16;
	expect_sample(s, -EINVAL, "patterns[5].xor_bytes",
		      "is beyond a tenant's address space", __LINE__);
}

/*
 * A mask that is shifted leaves the space with its last trip: 2^32 of them with a byte,
 * as far as 64 bits go; and the region one trip earlier.
 */
static void shifted_masks_stay_in_their_region(void **state)
{
	GOOD(s->ops[LOOP].count = 10, s->patterns[AFFINE].loop_stride[0] = 0,
	     s->patterns[SHUFFLED].region_bytes = (64 << 9) + 32 * 8);
	BAD("ops[4].pattern", "leaves its region",
	    s->ops[LOOP].count = 10, s->patterns[AFFINE].loop_stride[0] = 0,
	    s->patterns[SHUFFLED].region_bytes = (64 << 9) + 32 * 8 - 1);
	/* The mask of the outer loop, in the inner one, which shifts no further. */
	BAD("ops[4].pattern", "leaves its region",
	    s->ops[LOOP].count = 28, s->patterns[AFFINE].loop_stride[0] = 0,
	    s->patterns[SHUFFLED].xor_bytes = 1 << 5);
	BAD("ops[4].pattern", "XORs beyond its region",
	    s->ops[LOOP].count = 29, s->patterns[AFFINE].loop_stride[0] = 0,
	    s->patterns[SHUFFLED].xor_bytes = 1 << 5);
	/* No mask: any number of trips up to 33 shifts it. */
	GOOD(s->ops[LOOP].count = 33, s->patterns[AFFINE].loop_stride[0] = 0,
	     s->patterns[SHUFFLED].xor_bytes = 0);
	BAD("ops[4].pattern", "XORs beyond its region",
	    s->ops[LOOP].count = 34, s->patterns[AFFINE].loop_stride[0] = 0,
	    s->patterns[SHUFFLED].xor_bytes = 0);
}

/* Sums that 64 bits do not hold are no addresses, whichever way they go. */
static void regions_do_not_wrap_around(void **state)
{
	/* 2^31 thread blocks times a stride of the space: 2^64. */
	BAD("ops[7].pattern", "leaves its region",
	    s->ops[RANDOM_LOAD].pattern = PLAIN,
	    s->patterns[PLAIN].region_bytes = 1 << 20,
	    s->patterns[PLAIN].block_stride[0] = -SPACE,
	    s->kernels[1].grid[0] = 1U << 31);
	/* From the least number down, and from the greatest up. */
	BAD("ops[1].pattern", "leaves its region",
	    s->patterns[AFFINE].base = 1ULL << 63,
	    s->patterns[AFFINE].region_bytes = (1ULL << 63) - 1,
	    s->patterns[AFFINE].block_stride[0] = -128);
	BAD("ops[1].pattern", "leaves its region",
	    s->patterns[AFFINE].base = 1ULL << 63,
	    s->patterns[AFFINE].region_bytes = (1ULL << 63) - 1,
	    s->patterns[AFFINE].block_stride[0] = 0,
	    s->patterns[AFFINE].warp_stride = -128);
	BAD("ops[1].pattern", "leaves its region",
	    s->patterns[AFFINE].base = (1ULL << 63) - 128,
	    s->patterns[AFFINE].region_bytes = (1ULL << 63) + 128,
	    s->patterns[AFFINE].block_stride[0] = 128);
}

static void accesses_are_of_up_to_16_bytes(void **state)
{
	u32 bytes;

	for (bytes = 0; bytes <= 33; bytes++) {
		bool good = bytes == 1 || bytes == 2 || bytes == 4 ||
			    bytes == 8 || bytes == 16;
		struct sample *s = loose_sample();

		s->patterns[UPWARD].access_bytes = bytes;
		/* Nothing that it would have to divide. */
		s->patterns[UPWARD].base = 0;
		s->patterns[UPWARD].group_stride = 0;
		expect_sample(s, good ? 0 : -EINVAL,
			      good ? "" : "patterns[5].access_bytes",
			      good ? "" : "is not 1, 2, 4, 8 or 16", __LINE__);
	}
}

/* A mask as large as the space leaves no room for an address, if it is shifted by 0. */
static void a_mask_of_the_space_is_in_reach(void **state)
{
	BAD("ops[4].pattern", "leaves its region",
	    s->patterns[AFFINE].loop_stride[0] = 0, s->ops[LOOP].count = 1,
	    s->header.footprint_bytes = SIMGPU_TRACE_SPACE_BYTES,
	    s->patterns[SHUFFLED].base = 0ULL - (1ULL << 34),
	    s->patterns[SHUFFLED].region_bytes = 1ULL << 34,
	    s->patterns[SHUFFLED].xor_bytes = SIMGPU_TRACE_SPACE_BYTES);
}

/* --- programs ----------------------------------------------------------------------------- */

/* 256 times 2^32 - 1, and what else the loop has, and 256 or 257 behind it. */
static void programs_have_2_to_the_40_instructions(void **state)
{
	u32 i;

	for (i = 0; i < 2; i++)
		JUDGED(i ? -E2BIG : 0, i ? "ops[6].count" : "",
		       i ? "makes the program too long" : "",
		       s->ops[LOOP].count = 256,
		       s->patterns[AFFINE].loop_stride[0] = 0,
		       s->ops[STORE].pattern = PLAIN,
		       s->ops[COMPUTE].count = U32_MAX - 4,
		       sample_op(s, BARRIER, SIMGPU_TRACE_COMPUTE, 256 + i, 0));
}

/* A program of @depth loops around an instruction. */
static int check_nested(u32 depth, struct trace_error *error,
			u64 *instructions)
{
	struct builder *b = builder_new("nested", "test");
	u64 memory_bytes;
	struct trace *trace;
	size_t bytes;
	void *file;
	u32 i;
	int ret;

	builder_kernel(b, "nested", 5, 64, 32, 0);
	for (i = 0; i < depth; i++)
		builder_loop(b, 2 + i);
	builder_compute(b, 7, 3);
	for (i = 0; i < depth; i++) {
		builder_loop_end(b);
		builder_barrier(b);
	}
	file = builder_finish(b, 0, &bytes);
	builder_free(b);
	assert_non_null(file);
	ret = trace_check(file, bytes, &memory_bytes, error);
	if (!ret) {
		trace = trace_decode(file, port_alloc(memory_bytes));
		*instructions = trace->kernels[0].instructions;
		port_free(trace);
	}
	free(file);
	return ret;
}

/* An earlier loop's instructions are not those of the next. */
static void every_loop_issues_something(void **state)
{
	BAD("ops[4].kind", "ends a loop that issues nothing",
	    sample_op(s, 2, SIMGPU_TRACE_LOOP_END, 0, 0),
	    sample_op(s, 3, SIMGPU_TRACE_LOOP, 2, 0),
	    sample_op(s, 4, SIMGPU_TRACE_LOOP_END, 0, 0),
	    sample_op(s, 5, SIMGPU_TRACE_COMPUTE, 1, 0));
}

static void loops_nest_four_deep(void **state)
{
	/* Of 3 lanes, and behind each loop a barrier, of 32. */
	static const u64 of_a_warp[] = {
		21, 2 * 21 + 32, 2 * (3 * 21 + 32) + 32,
		2 * (3 * (4 * 21 + 32) + 32) + 32,
		2 * (3 * (4 * (5 * 21 + 32) + 32) + 32) + 32,
	};
	struct trace_error error;
	u64 instructions;
	u32 depth;

	for (depth = 0; depth <= 4; depth++) {
		assert_int_equal(check_nested(depth, &error, &instructions), 0);
		assert_int_equal(instructions, 5 * 2 * of_a_warp[depth]);
	}
	assert_int_equal(check_nested(5, &error, &instructions), -E2BIG);
	assert_string_equal(error.field, "ops[4].kind");
	assert_string_equal(error.reason, "nests loops too deep");
}

/* What an op must leave alone, op by op. */
static void ops_have_no_fields_of_others(void **state)
{
	BAD("ops[5].kind", "is a loop's, yet a field is set",
	    s->ops[LOOP_END].active_lanes = 1);
	BAD("ops[6].consume_after", "is not zero",
	    s->ops[BARRIER].consume_after = 1);
	BAD("ops[6].pattern", "is not zero", s->ops[BARRIER].pattern = 1);
	BAD("ops[3].issue_cycles", "is not 1 to 1024",
	    s->ops[SHARED].issue_cycles = 0);
	BAD("ops[14].consume_after", "is not zero",
	    s->ops[LAST_COMPUTE].consume_after = 1);
	BAD("ops[14].count", "is zero", s->ops[LAST_COMPUTE].count = 0);
	/* Barriers, loads and stores wait for results; so may 65535 before. */
	GOOD(s->ops[BARRIER].after = 0xffff, s->ops[LOAD].after = 0xffff,
	     s->ops[STORE].after = 0xffff);
	/* Random patterns take no count either. */
	BAD("ops[8].count", "is not zero", s->ops[RANDOM_ATOMIC].count = 1);
	/* Both mixes have a name; so has the last pattern. */
	GOOD(s->ops[LAST_COMPUTE].mix = 2);
	BAD("ops[14].mix", "names no mix", s->ops[LAST_COMPUTE].mix = 3);
	GOOD(s->ops[LAST_STORE].pattern = RANDOM);
}

/* --- how many there may be ----------------------------------------------------------------- */

static void traces_have_1024_kernels(void **state)
{
	u32 i;

	for (i = 0; i < 2; i++) {
		struct builder *b = builder_new("many", "test");

		builder_kernel(b, "k", 1, 1, 1, 0);
		builder_compute(b, 1, 1);
		builder_again(b, 1, 1023 + i);
		expect_built(b, NULL, i ? -E2BIG : 0,
			     i ? "sections[0].count" : "",
			     i ? "is more than 1024 kernels" : "", __LINE__);
	}
}

/* All rows have the first one's run. */
static void share_runs(void *file)
{
	struct simgpu_trace_header *header = file;
	struct simgpu_trace_section *s =
		&header->sections[SIMGPU_TRACE_ROWS];
	struct simgpu_trace_row *rows = (void *)((char *)file + s->offset);
	u64 i;

	for (i = 1; i < s->count; i++) {
		rows[i].first_run = 0;
		rows[i].run_count = 1;
	}
}

static struct builder *with_grid(u32 x, u32 y)
{
	struct builder *b = builder_new("grid", "test");

	builder_kernel(b, "k", 1, 32, 1, 0);
	builder_compute(b, 1, 1);
	builder_warp(b, 0, 0);
	builder_grid(b, x, y, 1);
	return b;
}

static void traces_have_2_to_the_20_rows_and_runs(void **state)
{
	const u32 most = 1U << 20;
	u32 more, i;

	for (more = 0; more < 2; more++) {
		struct builder *b = with_grid(1, most + more);

		for (i = 1; i <= most + more; i++) {
			builder_row(b, i);
			if (i == 1)
				builder_run(b, 1, 0);
		}
		expect_built(b, share_runs, more ? -E2BIG : 0,
			     more ? "sections[7].count" : "",
			     more ? "is more than 2^20 rows" : "", __LINE__);
		b = with_grid(most + more, 1);
		builder_row(b, 1);
		for (i = 1; i <= most + more; i++)
			builder_run(b, i, 0);
		expect_built(b, NULL, more ? -E2BIG : 0,
			     more ? "sections[8].count" : "",
			     more ? "is more than 2^20 runs" : "", __LINE__);
	}
}

static void mixes_have_1024_instructions(void **state)
{
	static struct simgpu_trace_instruction instructions[1024];
	struct builder *b = builder_new("mix", "test");
	u32 i;

	for (i = 0; i < ARRAY_SIZE(instructions); i++)
		instructions[i].passes = 1;
	builder_kernel(b, "k", 1, 32, 1, 0);
	builder_mixed(b, builder_mix_of(b, instructions,
					ARRAY_SIZE(instructions)), 1, 1);
	expect_built(b, NULL, 0, "", "", __LINE__);
	BAD("mixes[0].instruction_count", "reaches past the instructions",
	    s->mixes[0].instruction_count = 5,
	    s->mixes[1].first_instruction = 5);
	BAD("instructions[0].unit", "is unknown",
	    s->instructions[0].unit = SIMGPU_TRACE_UNITS);
	BAD("instructions[3].passes", "is not 1 to 64",
	    s->instructions[3].passes = 65);
	BAD("sections[10].count", "has instructions of no mix",
	    s->mixes[0].instruction_count = 2,
	    s->mixes[1].first_instruction = 2);
}

/*
 * Of an op are counted its instructions, or as many as show its rhythm: 240, or two
 * rounds, an even number of rounds of its mix. 2^26 is a limit of their sum.
 */
static void ops_name_2_to_the_26_instructions(void **state)
{
	/* Whole rounds of 1024: two of them each, and one op more or less. */
	const u32 ops = (1U << 26) / 2048;
	static struct simgpu_trace_instruction instructions[1024];
	u32 more, i;

	for (i = 0; i < ARRAY_SIZE(instructions); i++)
		instructions[i].passes = 1;
	for (more = 0; more < 2; more++) {
		struct builder *b = builder_new("mixed", "test");
		u32 mix = builder_mix_of(b, instructions,
					 ARRAY_SIZE(instructions));

		builder_kernel(b, "k", 1, 32, 1, 0);
		for (i = 0; i < ops - 1; i++)
			builder_mixed(b, mix, 2048 + i % 2, 1);
		builder_mixed(b, mix, 2047, 1);
		builder_mixed(b, mix, 1 + more, 1);
		expect_built(b, NULL, more ? -E2BIG : 0,
			     more ? "ops[32768].mix" : "", more ?
			     "is one too many: ops name 2^26 instructions" : "",
			     __LINE__);
	}
}

/* --- warps and lines ----------------------------------------------------------------------- */

static void kernels_know_who_has_rows_and_tables(void **state)
{
	u32 i;

	BAD("kernels[4].table_blocks", "is not 1 to 2^31",
	    s->kernels[4].table_blocks = (1U << 31) + 1);
	/* Two entries each, of which the last is nobody's. */
	BAD("kernels[4].first_warp", "runs past the warp table",
	    s->kernels[4].table_blocks = 1U << 31);
	BAD("kernels[6].first_warp", "runs past the warp table",
	    s->kernels[6].grid[0] = 9);
	/* An earlier one's table, of which one thing is another. */
	BAD("kernels[3].first_warp",
	    "begins neither a new table nor an earlier kernel's",
	    s->kernels[3].sample_n = 2);
	BAD("kernels[3].first_warp",
	    "begins neither a new table nor an earlier kernel's",
	    s->kernels[3].block[0] = 63);
	BAD("kernels[3].first_warp",
	    "begins neither a new table nor an earlier kernel's",
	    s->kernels[3].first_program = 0,
	    s->kernels[3].program_count = 1);
	BAD("kernels[5].first_warp",
	    "begins neither a new table nor an earlier kernel's",
	    s->kernels[5] = s->kernels[4], s->kernels[5].row_count = 0,
	    s->kernels[5].first_row = 0, s->kernels[5].table_blocks = 0);
	BAD("kernels[5].first_warp",
	    "begins neither a new table nor an earlier kernel's",
	    s->kernels[5] = s->kernels[4], s->kernels[5].table_blocks = 1);
	BAD("kernels[5].first_warp",
	    "begins neither a new table nor an earlier kernel's",
	    s->kernels[5] = s->kernels[4], s->kernels[5].first_row = 3);
	BAD("kernels[5].first_warp",
	    "begins neither a new table nor an earlier kernel's",
	    s->kernels[5] = s->kernels[4], s->kernels[5].row_count = 2);
	GOOD(s->kernels[3].shared_bytes = 7, s->kernels[3].name[0] = 'x');
	/* That of the very first. */
	for (i = 0; i < 2; i++) {
		struct builder *b = with_grid(1, 1);

		builder_again(b, 1, 1 + i);
		expect_built(b, NULL, 0, "", "", __LINE__);
	}
}

/* What sectors of a line are touched is of version 2. */
static void version_1_has_whole_lines(void **state)
{
	u32 version, line;

	for (version = 1; version <= 2; version++) {
		struct builder *b = builder_new("old", "test");
		struct simgpu_trace_pattern recorded = {
			.kind = SIMGPU_TRACE_RECORDED,
		};

		if (version == 1)
			builder_version_1(b);
		builder_footprint(b, 128 * 9);
		builder_kernel(b, "k", 1, 32, 1, 0);
		builder_op(b, &(struct simgpu_trace_op) {
			.kind = SIMGPU_TRACE_STORE, .active_lanes = 32,
			.count = 2,
			.pattern = builder_pattern(b, &recorded),
		});
		line = 8 | 0xeU << SIMGPU_TRACE_LINE_SKIP_SHIFT;
		builder_line(b, 8 | SIMGPU_TRACE_LINE_PARTIAL);
		builder_line(b, line);
		builder_warp(b, 0, 0);
		expect_built(b, NULL, version == 1 ? -EINVAL : 0,
			     version == 1 ? "lines[1]" : "", version == 1 ?
			     "has an unknown flag" : "", __LINE__);
	}
	/* All of the lines, and only whole lines of the footprint. */
	BAD("lines[0]", "has an unknown flag", s->lines[0] |= 1U << 30);
	GOOD(s->lines[0] = (1 << 13) - 1,
	     s->lines[7] = ((1 << 13) - 1) | SIMGPU_TRACE_LINE_PARTIAL);
	BAD("lines[0]", "lies past the footprint", s->lines[0] = 1 << 13);
	BAD("lines[0]", "touches no sector",
	    s->lines[0] |= 0xfU << SIMGPU_TRACE_LINE_SKIP_SHIFT);
	/* As many as 32 at a time. */
	BAD("warps[0].first_line", "runs past the lines",
	    s->ops[RECORDED_LOAD].count = 32);
	BAD("ops[9].count", "is not 1 to 32 lines",
	    s->ops[RECORDED_LOAD].count = 33);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(ranges_end_where_they_say),
		cmocka_unit_test(names_are_printable_and_end),
		cmocka_unit_test(headers_may_be_all_there_is),
		cmocka_unit_test(files_may_have_256_mib),
		cmocka_unit_test(sections_may_touch_but_not_overlap),
		cmocka_unit_test(other_patterns_have_no_affine_fields),
		cmocka_unit_test(accesses_are_aligned),
		cmocka_unit_test(accesses_are_of_up_to_16_bytes),
		cmocka_unit_test(masks_may_be_as_large_as_the_space),
		cmocka_unit_test(shifted_masks_stay_in_their_region),
		cmocka_unit_test(regions_do_not_wrap_around),
		cmocka_unit_test(a_mask_of_the_space_is_in_reach),
		cmocka_unit_test(programs_have_2_to_the_40_instructions),
		cmocka_unit_test(every_loop_issues_something),
		cmocka_unit_test(loops_nest_four_deep),
		cmocka_unit_test(ops_have_no_fields_of_others),
		cmocka_unit_test(traces_have_1024_kernels),
		cmocka_unit_test(traces_have_2_to_the_20_rows_and_runs),
		cmocka_unit_test(mixes_have_1024_instructions),
		cmocka_unit_test(ops_name_2_to_the_26_instructions),
		cmocka_unit_test(kernels_know_who_has_rows_and_tables),
		cmocka_unit_test(version_1_has_whole_lines),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests_name("trace_limits", tests, NULL, NULL);
}
