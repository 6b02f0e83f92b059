// SPDX-License-Identifier: GPL-2.0
/*
 * The validator of traces: what it lets pass, and that this runs safely,
 * however it was damaged. What it refuses is in test_trace_refusals.c.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <cmocka.h>

#include "../../kmod/policy/registry.h"
#include "../../kmod/session/session.h"
#include "small.h"
#include "trace_sample.h"

#define RUN_CYCLES	20000
#define MUTATIONS	20000

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
	};
	struct session_tenant_options tenant = { .name = "t", .weight = 1 };
	struct session_hooks hooks = { .context = NULL };
	struct session *session;
	u64 sequence;
	int ret;

	session_default_params(&options);
	session_default_params(&options);
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

static void limits_are_taken(void **state)
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
		cmocka_unit_test(limits_are_taken),
		cmocka_unit_test(truncated_traces_are_refused),
		cmocka_unit_test(flipped_bits_are_refused),
		cmocka_unit_test(sealed_flips_are_refused_or_safe),
		cmocka_unit_test(mutations_are_refused_or_safe),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests_name("trace", tests, NULL, NULL);
}
