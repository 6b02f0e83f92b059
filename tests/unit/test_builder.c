// SPDX-License-Identifier: GPL-2.0
/* What the builder of traces writes, read back field by field. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "../../userspace/workloads/builder.h"

static const void *section(const void *trace, int id)
{
	const struct simgpu_trace_header *header = trace;

	return (const char *)trace + header->sections[id].offset;
}

static struct builder *begin(void)
{
	struct builder *builder = builder_new("test", "test");

	builder_kernel(builder, "kernel", 1, 32, 32, 0);
	return builder;
}

static void test_text(void **state)
{
	static const struct simgpu_trace_instruction expected[] = {
		{ SIMGPU_TRACE_UNIT_INTEGER, 1, 0 },
		{ SIMGPU_TRACE_UNIT_FP32, 1, 4 },
		{ SIMGPU_TRACE_UNIT_FP64, 1, 1 },
		{ SIMGPU_TRACE_UNIT_SFU, 1, 65535 },
		{ SIMGPU_TRACE_UNIT_TENSOR, 2, 0 },
		{ SIMGPU_TRACE_UNIT_SHARED, 64, 3 },
		{ SIMGPU_TRACE_UNIT_CONTROL, 1, 0 },
	};
	struct builder *builder = begin();
	const struct simgpu_trace_header *header;
	const struct simgpu_trace_mix *mixes;
	const struct simgpu_trace_op *op;
	void *trace;
	size_t bytes;

	assert_int_equal(builder_mix(builder,
				     "I F4 D1 S65535  T*2 M3*64 C0"), 1);
	builder_mixed(builder, 1, 70, 16);
	builder_barrier(builder);
	builder_after(builder, 9);
	trace = builder_finish(builder, 128, &bytes);
	header = trace;
	assert_int_equal(header->version, 2);
	assert_int_equal(header->header_bytes,
			 offsetof(struct simgpu_trace_header,
				  sections[SIMGPU_TRACE_SECTIONS_V2]));
	assert_int_equal(header->sections[SIMGPU_TRACE_MIXES].count, 1);
	mixes = section(trace, SIMGPU_TRACE_MIXES);
	assert_int_equal(mixes[0].first_instruction, 0);
	assert_int_equal(mixes[0].instruction_count, 7);
	assert_int_equal(header->sections[SIMGPU_TRACE_INSTRUCTIONS].count, 7);
	assert_memory_equal(section(trace, SIMGPU_TRACE_INSTRUCTIONS), expected,
			    sizeof(expected));
	op = section(trace, SIMGPU_TRACE_OPS);
	assert_int_equal(op->kind, SIMGPU_TRACE_COMPUTE);
	assert_int_equal(op->issue_cycles, 0);
	assert_int_equal(op->active_lanes, 16);
	assert_int_equal(op->count, 70);
	assert_int_equal(op->mix, 1);
	assert_int_equal(op[1].after, 9);
	free(trace);
	builder_free(builder);
}

/* A thousand different mixes, each asked for twice; the last ones are prefixes. */
static void test_once(void **state)
{
	struct simgpu_trace_instruction list[1000];
	struct builder *builder = begin();
	const struct simgpu_trace_mix *mixes;
	void *trace;
	size_t bytes;
	__u32 i;

	for (i = 0; i < 1000; i++)
		list[i] = (struct simgpu_trace_instruction) {
			.passes = 1, .after = i,
		};
	for (i = 0; i < 2000; i++)
		assert_int_equal(builder_mix_of(builder, list, i % 1000 + 1),
				 i % 1000 + 1);
	assert_int_equal(builder_mix(builder, "I I1 I2"), 3);
	assert_int_equal(builder_mix(builder, "I I1 I1"), 1001);
	assert_int_equal(builder_mix_bytes(builder),
			 1001 * 8 + (500 * 1001 + 3) * 4);
	trace = builder_finish(builder, 128, &bytes);
	mixes = section(trace, SIMGPU_TRACE_MIXES);
	for (i = 0; i < 1000; i++) {
		assert_int_equal(mixes[i].first_instruction, i * (i + 1) / 2);
		assert_int_equal(mixes[i].instruction_count, i + 1);
	}
	free(trace);
	builder_free(builder);
}

static void test_refused(void **state)
{
	static const char *const texts[] = {
		"", " ", "X", "I F4,F", "I65536", "I*0", "I*65", "II", "i",
	};
	size_t bytes, i;

	for (i = 0; i < sizeof(texts) / sizeof(texts[0]); i++) {
		struct builder *builder = begin();

		assert_int_equal(builder_mix(builder, texts[i]), 0);
		assert_null(builder_finish(builder, 128, &bytes));
		builder_free(builder);
	}
}

static void test_version_1(void **state)
{
	struct builder *builder = begin();
	const struct simgpu_trace_header *header;
	void *trace;
	size_t bytes;

	builder_compute(builder, 5, 32);
	builder_version_1(builder);
	trace = builder_finish(builder, 128, &bytes);
	header = trace;
	assert_int_equal(header->version, 1);
	assert_int_equal(header->header_bytes, 240);
	assert_int_equal(header->total_bytes, bytes);
	assert_int_equal(header->sections[SIMGPU_TRACE_KERNELS].offset, 240);
	free(trace);
	builder_mix(builder, "I");
	assert_null(builder_finish(builder, 128, &bytes));
	builder_free(builder);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_text),
		cmocka_unit_test(test_once),
		cmocka_unit_test(test_refused),
		cmocka_unit_test(test_version_1),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests_name("builder", tests, NULL, NULL);
}
