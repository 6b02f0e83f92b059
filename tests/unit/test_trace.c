// SPDX-License-Identifier: GPL-2.0
/*
 * The validator of traces: what it refuses and how it says so, and that what
 * it lets pass runs safely. One sample has every section and kind of op; the
 * tests break it field by field and repair its checksum.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <cmocka.h>

#include "../../kmod/core/session.h"
#include "../../userspace/workloads/builder.h"
#include "small.h"

#define RUN_CYCLES	20000
#define MUTATIONS	20000

/*
 * The sample: its file is this struct. Kernel 0 has affine patterns, 1 random
 * ones, 2 recorded lines, and 3 runs as 2 does, from the same programs and
 * warps. Kernel 4 has a 4x3 grid whose warps are told by rows and runs: all of
 * row 0, and the first of each other row, run program 0, the others program 1,
 * which touches what lies a row further up. Of kernel 5, one of three thread
 * blocks was recorded; kernel 6 has no rows, and two of its five.
 */
struct sample {
	struct simgpu_trace_header header;
	struct simgpu_trace_kernel kernels[7];
	struct simgpu_trace_program programs[6];
	struct simgpu_trace_op ops[20];
	struct simgpu_trace_pattern patterns[6];
	struct simgpu_trace_warp warps[11];
	__u32 lines[8];
	struct simgpu_trace_weight weights[2];
	struct simgpu_trace_row rows[4];
	struct simgpu_trace_run runs[6];
};

enum { AFFINE, SHUFFLED, RANDOM, RECORDED, PLAIN, UPWARD };
enum { GRID_KERNEL = 4, SAMPLED_KERNEL, TABLE_KERNEL };

/* Where ops are in the sample. */
enum {
	LOOP, LOAD, COMPUTE, SHARED, STORE, LOOP_END, BARRIER,
	RANDOM_LOAD, RANDOM_ATOMIC,
	RECORDED_LOAD, RECORDED_COMPUTE,
	RECORDED_LOOP, RECORDED_STORE, RECORDED_LOOP_END,
	LAST_COMPUTE, LAST_STORE, LAST_CONSTANT,
	EDGE_COMPUTE, INNER_LOAD, INNER_COMPUTE,
};

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

static void op(struct sample *s, u32 index, u8 kind, u32 count, u32 pattern)
{
	bool loop = kind == SIMGPU_TRACE_LOOP || kind == SIMGPU_TRACE_LOOP_END;
	bool burst = kind == SIMGPU_TRACE_COMPUTE || kind == SIMGPU_TRACE_SHARED;

	s->ops[index] = (struct simgpu_trace_op) {
		.kind = kind, .active_lanes = loop ? 0 : 32,
		.issue_cycles = burst ? 2 : 0, .count = count,
		.pattern = pattern,
	};
}

static void program(struct sample *s, u32 index, u32 first, u32 last)
{
	s->programs[index].first_op = first;
	s->programs[index].op_count = last - first + 1;
}

static void fill_programs(struct sample *s)
{
	op(s, LOOP, SIMGPU_TRACE_LOOP, 3, 0);
	op(s, LOAD, SIMGPU_TRACE_LOAD, 0, AFFINE);
	op(s, COMPUTE, SIMGPU_TRACE_COMPUTE, 5, 0);
	op(s, SHARED, SIMGPU_TRACE_SHARED, 2, 0);
	op(s, STORE, SIMGPU_TRACE_STORE, 0, SHUFFLED);
	op(s, LOOP_END, SIMGPU_TRACE_LOOP_END, 0, 0);
	op(s, BARRIER, SIMGPU_TRACE_BARRIER, 0, 0);
	program(s, 0, LOOP, BARRIER);
	op(s, RANDOM_LOAD, SIMGPU_TRACE_LOAD, 0, RANDOM);
	op(s, RANDOM_ATOMIC, SIMGPU_TRACE_ATOMIC, 0, RANDOM);
	program(s, 1, RANDOM_LOAD, RANDOM_ATOMIC);
	op(s, RECORDED_LOAD, SIMGPU_TRACE_LOAD, 2, RECORDED);
	op(s, RECORDED_COMPUTE, SIMGPU_TRACE_COMPUTE, 1, 0);
	program(s, 2, RECORDED_LOAD, RECORDED_COMPUTE);
	op(s, RECORDED_LOOP, SIMGPU_TRACE_LOOP, 2, 0);
	op(s, RECORDED_STORE, SIMGPU_TRACE_STORE, 1, RECORDED);
	op(s, RECORDED_LOOP_END, SIMGPU_TRACE_LOOP_END, 0, 0);
	op(s, LAST_COMPUTE, SIMGPU_TRACE_COMPUTE, 1, 0);
	op(s, LAST_STORE, SIMGPU_TRACE_STORE, 0, PLAIN);
	op(s, LAST_CONSTANT, SIMGPU_TRACE_CONSTANT, 0, PLAIN);
	program(s, 3, RECORDED_LOOP, LAST_CONSTANT);
	op(s, EDGE_COMPUTE, SIMGPU_TRACE_COMPUTE, 1, 0);
	program(s, 4, EDGE_COMPUTE, EDGE_COMPUTE);
	op(s, INNER_LOAD, SIMGPU_TRACE_LOAD, 0, UPWARD);
	op(s, INNER_COMPUTE, SIMGPU_TRACE_COMPUTE, 1, 0);
	program(s, 5, INNER_LOAD, INNER_COMPUTE);
	s->ops[INNER_LOAD].consume_after = SIMGPU_TRACE_NEVER;
	s->ops[LOAD].consume_after = 2;
	s->ops[LAST_CONSTANT].consume_after = 1;
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

static struct sample *sample_new(void)
{
	struct sample *s = calloc(1, sizeof(*s));

	assert_non_null(s);
	fill_header(s);
	fill_kernels(s);
	fill_patterns(s);
	fill_programs(s);
	fill_recording(s);
	fill_rows(s);
	builder_seal(s, sizeof(*s));
	return s;
}

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

#define ACCEPTED(...)							\
	do {								\
		struct sample *s = sample_new();			\
		struct trace_error error;				\
		u64 memory_bytes;					\
									\
		__VA_ARGS__;						\
		builder_seal(s, sizeof(*s));				\
		if (trace_check(s, sizeof(*s), &memory_bytes, &error))	\
			fail_msg("line %d: refused: %s %s", __LINE__,	\
				 error.field, error.reason);		\
		free(s);						\
	} while (0)

/* --- running what was accepted --- */

static struct trace *decode(const void *bytes, u64 memory_bytes)
{
	void *memory = port_alloc(memory_bytes);

	assert_non_null(memory);
	return trace_decode(bytes, memory);
}

/* Alone on a small device, for a while; the sanitizers look on. */
static void run(const struct trace *trace)
{
	struct session_options options = {
		.config = small_config(), .seed = 1,
		.epoch_cycles = SESSION_EPOCH_CYCLES_MIN,
		.stop_cycle = RUN_CYCLES, .relaunch = true,
		.model = &model_hsm, .policy = &policy_even,
		.tunables = registry_tunables(""),
	};
	struct session_tenant_options tenant = { .name = "t", .weight = 1 };
	struct session_hooks hooks = { .context = NULL };
	struct session *session;
	u64 sequence;
	int ret;

	assert_int_equal(session_create(&session, &options, &hooks), 0);
	assert_int_equal(session_join(session, 0, &tenant), 0);
	ret = session_launch(session, 0, trace, 1, 0, &sequence);
	assert_true(!ret || ret == -E2BIG);
	if (!ret) {
		session_run(session, RUN_CYCLES);
		assert_int_equal(session_now(session), RUN_CYCLES);
	}
	session_destroy(session);
}

/* Whether it was accepted; then it has run. */
static bool check_and_run(const void *bytes, u64 count)
{
	struct trace_error error;
	struct trace *trace;
	u64 memory_bytes;
	int ret = trace_check(bytes, count, &memory_bytes, &error);

	if (ret) {
		assert_true(ret == -EINVAL || ret == -E2BIG);
		assert_true(*error.field && *error.reason);
		assert_true(error.offset < count || !count);
		return false;
	}
	trace = decode(bytes, memory_bytes);
	run(trace);
	port_free(trace);
	return true;
}

/* --- what is good --- */

static void the_sample_is_good(void **state)
{
	struct sample *s = sample_new();

	assert_true(check_and_run(s, sizeof(*s)));
	free(s);
}

static void decoding_keeps_all(void **state)
{
	struct sample *s = sample_new();
	struct trace_error error;
	struct trace *trace;
	u64 memory_bytes;

	assert_int_equal(trace_check(s, sizeof(*s), &memory_bytes, &error), 0);
	trace = decode(s, memory_bytes);
	assert_string_equal(trace->name, "sample");
	assert_int_equal(trace->checksum, s->header.checksum);
	assert_int_equal(trace->bytes, sizeof(*s));
	assert_int_equal(trace->memory_bytes, memory_bytes);
	assert_int_equal(trace->footprint_bytes, 1 << 20);
	assert_int_equal(trace->kernel_count, 7);
	assert_int_equal(trace->kernels[0].blocks, 4);
	assert_int_equal(trace->kernels[0].block_threads, 64);
	assert_int_equal(trace->kernels[0].block_warps, 2);
	assert_int_equal(trace->kernels[0].shared_bytes, 1024);
	assert_null(trace->kernels[0].warps);
	assert_ptr_equal(trace->kernels[2].warps, trace->kernels[3].warps);
	assert_ptr_equal(trace->kernels[2].programs,
			 trace->kernels[3].programs);
	/* Each program got an op that ends it. */
	assert_int_equal(trace->kernels[1].programs[0], BARRIER + 2);
	assert_int_equal(trace->ops[BARRIER + 1].kind, TRACE_END);
	assert_int_equal(trace->ops[LOAD].consume_after, 2);
	/* Three programs end before it. */
	assert_int_equal(trace->ops[LAST_CONSTANT + 3].kind, TRACE_CONSTANT);
	assert_int_equal(trace->ops[LAST_CONSTANT + 3].consume_after, 1);
	assert_int_equal(trace->ops[SHARED].issue_cycles, 2);
	assert_int_equal(trace->patterns[SHUFFLED].xor_bytes, 64);
	assert_int_equal(trace->kernels[2].warps[3].first_line, 6);
	assert_int_equal(trace->lines[3], 15 | TRACE_LINE_PARTIAL);
	assert_int_equal(trace->patterns[UPWARD].group_lanes, 16);
	assert_int_equal(trace->patterns[UPWARD].group_stride, 512);
	port_free(trace);
	free(s);
}

/* Which entry of the warp table each thread block of a kernel has. */
static void expect_entries(const struct trace *trace, u32 kernel,
			   const u32 *entries)
{
	const struct trace_kernel *k = &trace->kernels[kernel];
	u32 block;

	for (block = 0; block < k->blocks; block++)
		assert_ptr_equal(trace_warp(k, block, 0),
				 &k->warps[entries[block]]);
}

static void blocks_find_their_entries(void **state)
{
	static const u32 grid[] = { 0, 0, 0, 0, 0, 1, 1, 1, 0, 1, 1, 1 };
	static const u32 sampled[] = { 0, 0, 0, 2, 2, 2, 2, 2, 2, 1, 1, 1 };
	static const u32 table[] = { 0, 0, 0, 0, 1 };
	static const u32 plain[] = { 0, 2 };
	struct sample *s = sample_new();
	struct trace_error error;
	struct trace *trace;
	u64 memory_bytes;

	assert_int_equal(trace_check(s, sizeof(*s), &memory_bytes, &error), 0);
	trace = decode(s, memory_bytes);
	expect_entries(trace, 2, plain);
	expect_entries(trace, GRID_KERNEL, grid);
	expect_entries(trace, SAMPLED_KERNEL, sampled);
	expect_entries(trace, TABLE_KERNEL, table);
	assert_ptr_equal(trace_warp(&trace->kernels[2], 1, 1),
			 &trace->kernels[2].warps[3]);
	port_free(trace);
	free(s);
}

/* Run a kernel of the sample to its end, alone on a small device. */
static struct simgpu_counters run_kernel(u32 kernel)
{
	struct gpu_config config = small_config();
	void *memory = aligned_alloc(64, (gpu_bytes(&config) + 63) & ~63UL);
	struct sample *s = sample_new();
	struct simgpu_counters counters;
	struct trace_error error;
	struct trace *trace;
	u64 memory_bytes;
	struct gpu *gpu;
	u32 i;

	assert_non_null(memory);
	assert_int_equal(trace_check(s, sizeof(*s), &memory_bytes, &error), 0);
	trace = decode(s, memory_bytes);
	gpu = gpu_init(memory, &config, 1);
	for (i = 0; i < config.sms; i++)
		gpu_sm_assign(gpu, i, 0, GPU_PREEMPT_DRAIN);
	gpu_kernel_start(gpu, 0, trace, kernel);
	gpu_run(gpu, RUN_CYCLES);
	gpu_tenant_counters(gpu, 0, &counters);
	assert_int_equal(counters.blocks_finished, trace->kernels[kernel].blocks);
	gpu_tenant_drop(gpu, 0);
	port_free(trace);
	free(memory);
	free(s);
	return counters;
}

static void blocks_run_their_programs(void **state)
{
	struct simgpu_counters counters = run_kernel(GRID_KERNEL);

	/* Six edges of one instruction, six more with a load before it. */
	assert_int_equal(counters.warp_instructions, 6 + 6 * 2);
	/* Two groups of lanes, each 64 bytes within a line. */
	assert_int_equal(counters.l1_accesses, 6 * 2);
	counters = run_kernel(SAMPLED_KERNEL);
	assert_int_equal(counters.warp_instructions, 9 + 3 * 2);
	counters = run_kernel(TABLE_KERNEL);
	assert_int_equal(counters.warp_instructions, 5);
}

static void builder_makes_good_traces(void **state)
{
	struct builder *b = builder_new("built", "test_trace");
	u32 pattern = builder_affine(b, 0, 1 << 20, 4, 2048, 1024, 128);
	size_t bytes;
	void *trace;

	builder_kernel(b, "one", 16, 64, 32, 0);
	builder_loop(b, 8);
	builder_load(b, pattern, 32, 1);
	builder_compute(b, 3, 31);
	builder_barrier(b);
	builder_store(b, pattern, 17);
	builder_constant(b, pattern, 32, 0);
	builder_loop_end(b);
	builder_kernel(b, "two", 1, 1, 1, 0);
	builder_compute(b, 1, 1);
	trace = builder_finish(b, 1 << 20, &bytes);
	builder_free(b);
	assert_non_null(trace);
	assert_true(check_and_run(trace, bytes));
	free(trace);
}

static void limits_are_good(void **state)
{
	ACCEPTED(s->kernels[0].registers_per_thread = 255);
	ACCEPTED(s->kernels[0].registers_per_thread = 1);
	ACCEPTED(s->kernels[0].shared_bytes = 1 << 20);
	ACCEPTED(s->kernels[1].block[0] = 4, s->kernels[1].block[1] = 16,
		 s->kernels[1].block[2] = 16);
	ACCEPTED(s->kernels[1].grid[0] = 1U << 31);
	ACCEPTED(s->kernels[1].grid[2] = 1U << 29);
	ACCEPTED(s->ops[COMPUTE].issue_cycles = 1024);
	ACCEPTED(s->ops[COMPUTE].issue_cycles = 1);
	ACCEPTED(s->ops[COMPUTE].active_lanes = 1);
	ACCEPTED(s->ops[LOAD].consume_after = U32_MAX);
	ACCEPTED(s->header.footprint_bytes = SIMGPU_TRACE_SPACE_BYTES);
	ACCEPTED(s->ops[LAST_CONSTANT].consume_after = U32_MAX);
	ACCEPTED(s->ops[RECORDED_LOAD].kind = SIMGPU_TRACE_CONSTANT);
	ACCEPTED(s->lines[0] = (1 << 13) - 1);
	ACCEPTED(s->patterns[RANDOM].lines = 32);
	ACCEPTED(s->patterns[RANDOM].access_bytes = 128);
	ACCEPTED(s->patterns[RANDOM].region_bytes = 128);
	ACCEPTED(s->header.sections[SIMGPU_TRACE_WEIGHTS].count = 0);
	/* The last lane of the last warp of the last block ends at the region. */
	ACCEPTED(s->patterns[AFFINE].base = (1 << 20) -
		 s->patterns[AFFINE].region_bytes);
	/* Backwards from the end, to the very start. */
	ACCEPTED(s->patterns[AFFINE].block_stride[0] = -2 * 3 * 128,
		 s->patterns[AFFINE].base = 3 * 2 * 3 * 128);
	/* 40 bits of warp instructions: 2^32 - 1 twice in a loop of 128 ... */
	ACCEPTED(s->ops[LOOP].count = 1, s->ops[COMPUTE].count = U32_MAX,
		 s->patterns[AFFINE].loop_stride[0] = 0);
	/* Any base is good that the thread blocks at hand make good. */
	ACCEPTED(s->patterns[UPWARD].base = (u64)-1024 - 64 + (1 << 20) - 4096,
		 s->patterns[UPWARD].region_bytes = 4096 + 1024 + 64);
	ACCEPTED(s->patterns[UPWARD].base = (1 << 20) + (1 << 17),
		 s->patterns[UPWARD].block_stride[1] = -(1 << 18),
		 s->patterns[UPWARD].region_bytes = 0ULL - (1 << 17));
	ACCEPTED(s->patterns[UPWARD].group_lanes = 31,
		 s->patterns[UPWARD].group_stride = -64,
		 s->patterns[UPWARD].base = (u64)-1024);
	ACCEPTED(s->ops[INNER_LOAD].active_lanes = 16,
		 s->patterns[UPWARD].group_stride = 1 << 30);
	/* All in one row that is sampled, whatever n is. */
	ACCEPTED(s->kernels[TABLE_KERNEL].sample_n = 3);
	ACCEPTED(s->kernels[SAMPLED_KERNEL].name[0] = 'x',
		 s->kernels[GRID_KERNEL].table_blocks = 2);
	/* The mask is shifted by up to the last trip's index. */
	ACCEPTED(s->ops[LOOP].count = 10,
		 s->patterns[AFFINE].loop_stride[0] = 0);
}

/* --- what is refused: the header and its sections --- */

static void bad_headers_are_refused(void **state)
{
	struct sample *s = sample_new();

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
		s->header.version = 2);
	REFUSED(-EINVAL, header.header_bytes, "header_bytes",
		"is not this version's", s->header.header_bytes += 8);
	REFUSED(-EINVAL, header.total_bytes, "total_bytes",
		"is not the size of the trace", s->header.total_bytes -= 8);
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
	REFUSED(-EINVAL, header.sections[8].count, "sections[8].count",
		"reaches past the end of the trace",
		s->header.sections[8].count++);
	REFUSED(-EINVAL, header.sections[8].count, "sections[8].count",
		"reaches past the end of the trace",
		s->header.sections[8].count = U64_MAX / 16);
	REFUSED(-EINVAL, header.sections[8].count, "sections[8].count",
		"reaches past the end of the trace",
		s->header.sections[8].offset = ~7ULL);
	REFUSED(-EINVAL, header.sections[8].offset, "sections[8].offset",
		"overlaps another section",
		s->header.sections[8].offset -= 8);
	REFUSED(-EINVAL, header.sections[4].offset, "sections[4].offset",
		"overlaps another section",
		s->header.sections[4] = s->header.sections[1]);
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
		op(s, LOOP_END, SIMGPU_TRACE_COMPUTE, 1, 0));
	REFUSED(-EINVAL, header.sections[2], "sections[2].count",
		"has ops of no program", s->programs[5].op_count--);
}

static void nest_loops(struct sample *s, u32 depth)
{
	while (depth--)
		op(s, depth, SIMGPU_TRACE_LOOP, 1, 0);
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
		op(s, LOOP, SIMGPU_TRACE_LOOP_END, 0, 0));
	REFUSED(-EINVAL, ops[1].kind, "ops[1].kind",
		"ends a loop that issues nothing",
		op(s, LOAD, SIMGPU_TRACE_LOOP_END, 0, 0));
	/* A body that only holds an empty body issues nothing either. */
	REFUSED(-EINVAL, ops[2].kind, "ops[2].kind",
		"ends a loop that issues nothing",
		op(s, LOAD, SIMGPU_TRACE_LOOP, 1, 0),
		op(s, COMPUTE, SIMGPU_TRACE_LOOP_END, 0, 0));
	REFUSED(-E2BIG, ops[4].kind, "ops[4].kind", "nests loops too deep",
		nest_loops(s, 5));
}

static void bad_ops_are_refused(void **state)
{
	REFUSED(-EINVAL, ops[COMPUTE].kind, "ops[2].kind", "is unknown",
		s->ops[COMPUTE].kind = 0);
	REFUSED(-EINVAL, ops[COMPUTE].kind, "ops[2].kind", "is unknown",
		s->ops[COMPUTE].kind = 10);
	REFUSED(-EINVAL, ops[COMPUTE].active_lanes, "ops[2].active_lanes",
		"is not 1 to 32", s->ops[COMPUTE].active_lanes = 0);
	REFUSED(-EINVAL, ops[LOAD].active_lanes, "ops[1].active_lanes",
		"is not 1 to 32", s->ops[LOAD].active_lanes = 33);
	REFUSED(-E2BIG, ops[COMPUTE].count, "ops[2].count",
		"makes the program too long",
		s->ops[LOOP].count = 257, s->ops[COMPUTE].count = U32_MAX,
		s->patterns[AFFINE].loop_stride[0] = 0);
	REFUSED(-EINVAL, ops[COMPUTE].pattern, "ops[2].pattern",
		"is not zero", s->ops[COMPUTE].pattern = 1);
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
	REFUSED(-EINVAL, ops[BARRIER].count, "ops[6].count",
		"is set on a barrier", s->ops[BARRIER].issue_cycles = 1);
}

static void bad_memory_ops_are_refused(void **state)
{
	REFUSED(-EINVAL, ops[LOAD].pattern, "ops[1].pattern",
		"names no pattern", s->ops[LOAD].pattern = 6);
	REFUSED(-EINVAL, ops[LOAD].issue_cycles, "ops[1].issue_cycles",
		"is not zero", s->ops[LOAD].issue_cycles = 1);
	REFUSED(-EINVAL, ops[STORE].consume_after, "ops[4].consume_after",
		"is set on a store", s->ops[STORE].consume_after = 1);
	REFUSED(-EINVAL, ops[LOAD].count, "ops[1].count", "is not zero",
		s->ops[LOAD].count = 1);
	REFUSED(-EINVAL, ops[LAST_CONSTANT].count, "ops[16].count",
		"is not zero", s->ops[LAST_CONSTANT].count = 1);
	REFUSED(-EINVAL, ops[LAST_CONSTANT].issue_cycles, "ops[16].issue_cycles",
		"is not zero", s->ops[LAST_CONSTANT].issue_cycles = 1);
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

/* Programs are checked for the largest kernel that runs them. */
static void shared_programs_are_checked_for_all(void **state)
{
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
	REFUSED(-EINVAL, lines[7], "lines[7]", "lies past the footprint",
		s->lines[7] = 1 << 13);
	REFUSED(-EINVAL, lines[7], "lines[7]", "lies past the footprint",
		s->lines[7] = SIMGPU_TRACE_LINE_INDEX);
	REFUSED(-EINVAL, weights[1].name, "weights[1].name",
		"is not a printable name", s->weights[1].name[0] = 0);
	REFUSED(-EINVAL, weights[0].reserved, "weights[0].reserved",
		"is not zero", s->weights[0].reserved = 1);
}

/* --- damage without and with a good checksum --- */

/* A copy in memory of exactly its size: the sanitizer sees any read past it. */
static void *exact_copy(const void *bytes, size_t count)
{
	void *copy = malloc(count ? count : 1);

	assert_non_null(copy);
	return memcpy(copy, bytes, count);
}

static void truncated_traces_are_refused(void **state)
{
	struct sample *s = sample_new();
	size_t count;

	for (count = 0; count < sizeof(*s); count++) {
		struct simgpu_trace_header *copy = exact_copy(s, count);

		assert_false(check_and_run(copy, count));
		if (count >= sizeof(*copy)) {
			copy->total_bytes = count;
			builder_seal(copy, count);
			assert_false(check_and_run(copy, count));
		}
		free(copy);
	}
	free(s);
}

static void flip(void *bytes, size_t bit)
{
	((u8 *)bytes)[bit / 8] ^= 1 << (bit % 8);
}

static void flipped_bits_are_refused(void **state)
{
	struct sample *s = sample_new();
	size_t bit;

	for (bit = 0; bit < sizeof(*s) * 8; bit++) {
		flip(s, bit);
		assert_false(check_and_run(s, sizeof(*s)));
		flip(s, bit);
	}
	free(s);
}

static void sealed_flips_are_refused_or_safe(void **state)
{
	size_t bit, ran = 0;

	for (bit = 0; bit < sizeof(struct sample) * 8; bit++) {
		struct sample *s = sample_new();

		flip(s, bit);
		builder_seal(s, sizeof(*s));
		ran += check_and_run(s, sizeof(*s));
		free(s);
	}
	/* Else this would have tested little. */
	assert_true(ran > 1000);
}

static u64 random_u64(u64 *state)
{
	*state ^= *state >> 12;
	*state ^= *state << 25;
	*state ^= *state >> 27;
	return *state * 0x2545f4914f6cdd1dULL;
}

/* A few words replaced at once, often by values at an edge. */
static void mutate(struct sample *s, u64 *random)
{
	static const u64 values[] = {
		0, 1, 2, 31, 32, 33, 64, 127, 128, 255, 1024, 1 << 16, 1 << 20,
		1ULL << 31, U32_MAX, 1ULL << 33, 1ULL << 62, 1ULL << 63,
		U64_MAX,
	};
	u32 words = 1 + random_u64(random) % 4;

	while (words--) {
		size_t at = random_u64(random) % (sizeof(*s) / 4) * 4;
		u64 value = values[random_u64(random) % ARRAY_SIZE(values)];
		u8 *byte = (u8 *)s + at;

		switch (random_u64(random) % 4) {
		case 0:
			memcpy(byte, &value, at + 8 <= sizeof(*s) ? 8 : 4);
			break;
		case 1:
			memcpy(byte, &value, 4);
			break;
		case 2:
			*byte = (u8)random_u64(random);
			break;
		default:
			*byte += random_u64(random) % 2 ? 1 : -1;
			break;
		}
	}
}

static void mutations_are_refused_or_safe(void **state)
{
	u64 random = 0xbad5eed;
	u32 i, ran = 0;

	for (i = 0; i < MUTATIONS; i++) {
		struct sample *s = sample_new();

		mutate(s, &random);
		builder_seal(s, sizeof(*s));
		ran += check_and_run(s, sizeof(*s));
		free(s);
	}
	assert_true(ran > 100);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_sample_is_good),
		cmocka_unit_test(decoding_keeps_all),
		cmocka_unit_test(blocks_find_their_entries),
		cmocka_unit_test(blocks_run_their_programs),
		cmocka_unit_test(builder_makes_good_traces),
		cmocka_unit_test(limits_are_good),
		cmocka_unit_test(bad_headers_are_refused),
		cmocka_unit_test(bad_sections_are_refused),
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
		cmocka_unit_test(bad_ops_are_refused),
		cmocka_unit_test(bad_memory_ops_are_refused),
		cmocka_unit_test(shared_programs_are_checked_for_all),
		cmocka_unit_test(bad_recordings_are_refused),
		cmocka_unit_test(truncated_traces_are_refused),
		cmocka_unit_test(flipped_bits_are_refused),
		cmocka_unit_test(sealed_flips_are_refused_or_safe),
		cmocka_unit_test(mutations_are_refused_or_safe),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests_name("trace", tests, NULL, NULL);
}
