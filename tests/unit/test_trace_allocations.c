// SPDX-License-Identifier: GPL-2.0
/*
 * Allocations in traces: what the validator refuses, each limit from both sides, and which
 * blocks a launch makes managed.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <cmocka.h>

#include "trace_sample.h"

#define MIB		(1ULL << 20)
#define FOOTPRINT	(12 * MIB)
#define DEVICE		SIMGPU_TRACE_DEVICE
#define MANAGED		SIMGPU_TRACE_MANAGED

/* struct part - an allocation */
struct part {
	u64 base;
	u64 bytes;
	enum simgpu_trace_allocation_kind kind;
};

/* A trace with some allocations, up to the first one without a size. */
static struct builder *build(const struct part *parts, u32 most)
{
	struct builder *b = builder_new("allocated", "test");
	u32 i;

	builder_footprint(b, FOOTPRINT);
	builder_kernel(b, "one", 1, 32, 1, 0);
	builder_compute(b, 1, 1);
	for (i = 0; i < most && parts[i].bytes; i++)
		builder_allocation(b, "part", parts[i].base, parts[i].bytes, parts[i].kind);
	return b;
}

#define PARTS(field, reason, ...) \
	do { \
		const struct part parts[] = { __VA_ARGS__ }; \
		expect_built(build(parts, ARRAY_SIZE(parts)), NULL, *(field) ? -EINVAL : 0, \
			     field, reason, __LINE__); \
	} while (0)

static void allocations_lie_in_order_within_the_footprint(void **state)
{
	PARTS("", "", { 0, FOOTPRINT, DEVICE });
	PARTS("", "", { FOOTPRINT - 4096, 4096, MANAGED });
	PARTS("allocations[0].bytes", "reaches past the footprint", { 0, FOOTPRINT + 1, DEVICE });
	PARTS("allocations[0].bytes", "reaches past the footprint",
	      { FOOTPRINT - 4096, 4097, DEVICE });
	PARTS("allocations[0].bytes", "reaches past the footprint", { FOOTPRINT, 1, DEVICE });
	/* Their sum does not fit into 64 bits. */
	PARTS("allocations[0].bytes", "reaches past the footprint",
	      { 4096, U64_MAX - 4095, DEVICE });
	PARTS("allocations[0].bytes", "reaches past the footprint",
	      { U64_MAX - 4095, 4096, DEVICE });
	PARTS("", "", { 0, 4096, DEVICE }, { 4096, 1, DEVICE }, { 8192, 5, DEVICE });
	PARTS("allocations[1].base", "lies in the allocation before",
	      { 0, 4097, DEVICE }, { 4096, 1, DEVICE });
	PARTS("allocations[1].base", "lies in the allocation before",
	      { 4096, 1, DEVICE }, { 4096, 1, DEVICE });
	PARTS("allocations[2].base", "is not in ascending order",
	      { 0, 1, DEVICE }, { 8192, 1, DEVICE }, { 4096, 1, DEVICE });
}

static void allocations_begin_at_pages(void **state)
{
	PARTS("", "", { 4096, 1, DEVICE });
	PARTS("allocations[0].base", "is not a multiple of 4096", { 2048, 1, DEVICE });
	PARTS("allocations[0].base", "is not a multiple of 4096", { 4097, 1, DEVICE });
}

static void kinds_share_no_block(void **state)
{
	static const char reason[] =
		"shares a block of 2 MiB with an allocation of another kind";

	PARTS("", "", { 0, 4096, DEVICE }, { 2 * MIB, 1, MANAGED }, { 4 * MIB, 1, DEVICE });
	PARTS("", "", { 0, 2 * MIB, MANAGED }, { 2 * MIB, 1, DEVICE });
	PARTS("", "", { 0, 4096, MANAGED }, { 4096, 4096, MANAGED });
	PARTS("allocations[1].base", reason, { 0, 4096, DEVICE }, { 4096, 1, MANAGED });
	PARTS("allocations[1].base", reason,
	      { 0, 4096, MANAGED }, { 2 * MIB - 4096, 1, DEVICE });
	/* One byte of it in the next block */
	PARTS("allocations[1].base", reason,
	      { 0, 2 * MIB + 1, MANAGED }, { 2 * MIB + 4096, 1, DEVICE });
	PARTS("allocations[2].base", reason, { 0, 4096, DEVICE },
	      { 2 * MIB, 2 * MIB + 1, MANAGED }, { 4 * MIB + 4096, 1, DEVICE });
}

/* --- fields ------------------------------------------------------------------------------- */

static struct simgpu_trace_allocation *first_of(void *file)
{
	const struct simgpu_trace_header *header = file;

	return (void *)((u8 *)file + header->sections[SIMGPU_TRACE_ALLOCATIONS].offset);
}

/* Functions that each change something of the first allocation. */
#define CHANGE(name, statement) \
	static void name(void *file) \
	{ \
		struct simgpu_trace_allocation *a = first_of(file); \
		statement; \
	}

CHANGE(keep, (void)a)
CHANGE(clear_name, a->name[0] = 0)
CHANGE(break_name, a->name[SIMGPU_TRACE_NAME_BYTES - 1] = 'x')
CHANGE(clear_bytes, a->bytes = 0)
CHANGE(clear_kind, a->kind = 0)
CHANGE(third_kind, a->kind = 3)
CHANGE(set_flag, a->flags = 1)
CHANGE(begin_later, a->first_command = 1)
CHANGE(end_sooner, a->last_command = 0)

static void fields_are_checked(void **state)
{
	static const struct part part = { 4096, 4096, DEVICE };

#define FIELD(change, field, reason) \
	expect_built(build(&part, 1), change, *(field) ? -EINVAL : 0, field, reason, __LINE__)

	FIELD(keep, "", "");
	FIELD(clear_name, "allocations[0].name", "is not a printable name");
	FIELD(break_name, "allocations[0].name", "is not a printable name");
	FIELD(clear_bytes, "allocations[0].bytes", "is zero");
	FIELD(clear_kind, "allocations[0].kind", "is unknown");
	FIELD(third_kind, "allocations[0].kind", "is unknown");
	FIELD(set_flag, "allocations[0].flags", "is not zero");
	FIELD(begin_later, "allocations[0].first_command",
	      "is not zero");
	FIELD(end_sooner, "allocations[0].last_command",
	      "is not that of the end");
#undef FIELD
}

static void a_trace_has_65536_at_most(void **state)
{
	u32 count, i;

	for (count = SIMGPU_TRACE_ALLOCATIONS_MAX; count < SIMGPU_TRACE_ALLOCATIONS_MAX + 2;
	     count++) {
		bool good = count == SIMGPU_TRACE_ALLOCATIONS_MAX;
		struct builder *b = build(NULL, 0);

		builder_footprint(b, (u64)count * 4096);
		for (i = 0; i < count; i++)
			builder_allocation(b, "part", i * 4096ULL, 4096, DEVICE);
		expect_built(b, NULL, good ? 0 : -E2BIG, good ? "" : "sections[13].count",
			     good ? "" : "is more than 2^16 allocations", __LINE__);
	}
}

/* --- versions ----------------------------------------------------------------------------- */

static u32 version_of(struct builder *b)
{
	size_t bytes;
	struct simgpu_trace_header *header = builder_finish(b, 0, &bytes);
	u32 version = header ? header->version : 0;

	free(header);
	builder_free(b);
	return version;
}

static void only_version_4_has_allocations(void **state)
{
	static const struct part part = { 4096, 4096, DEVICE };
	const struct simgpu_trace_point point = { 1, 0 };
	const struct simgpu_trace_profile profile = {
		.config = "a", .sms = 1, .blocks = 1, .memory_bytes = FOOTPRINT,
	};
	struct builder *b;

	assert_int_equal(version_of(build(NULL, 0)), 2);
	assert_int_equal(version_of(build(&part, 1)), 4);
	b = build(&part, 1);
	builder_points(b, &point, 1);
	builder_profile(b, &profile);
	assert_int_equal(version_of(b), 4);
	b = build(&part, 1);
	builder_version_1(b);
	assert_int_equal(version_of(b), 0);
}

/* --- what is managed ---------------------------------------------------------------------- */

static void expect_managed(const struct part *parts, u32 most, const u64 *mib, u32 spans,
			   int line)
{
	struct builder *b = build(parts, most);
	struct trace_error error;
	struct trace *trace;
	u64 memory_bytes;
	size_t bytes;
	void *file = builder_finish(b, 0, &bytes);
	u32 i;

	builder_free(b);
	assert_int_equal(trace_check(file, bytes, &memory_bytes, &error), 0);
	trace = trace_decode(file, port_alloc(memory_bytes));
	free(file);
	if (trace->managed_count != spans)
		fail_msg("line %d: %u spans instead of %u", line, trace->managed_count, spans);
	for (i = 0; i < spans; i++)
		if (trace->managed[i].first != mib[2 * i] * MIB ||
		    trace->managed[i].end != mib[2 * i + 1] * MIB)
			fail_msg("line %d: span %u is %llu to %llu", line, i,
				 trace->managed[i].first, trace->managed[i].end);
	port_free(trace);
}

#define BLOCKS(spans, mib, ...) \
	do { \
		const struct part parts[] = { __VA_ARGS__ }; \
		expect_managed(parts, ARRAY_SIZE(parts), (const u64[]) mib, spans, __LINE__); \
	} while (0)
#define MIBS(...)	{ __VA_ARGS__ }

static void whole_blocks_are_managed(void **state)
{
	BLOCKS(0, MIBS(0), { 0, FOOTPRINT, DEVICE });
	BLOCKS(1, MIBS(0, 12), { 0, FOOTPRINT, MANAGED });
	BLOCKS(1, MIBS(0, 2), { 4096, 1, MANAGED });
	BLOCKS(1, MIBS(2, 4), { 0, 2 * MIB, DEVICE }, { 2 * MIB, 2 * MIB, MANAGED });
	BLOCKS(1, MIBS(2, 6), { 2 * MIB, 2 * MIB + 1, MANAGED });
	/* Of the same block, of neighbours, and of others */
	BLOCKS(1, MIBS(2, 4), { 2 * MIB, 1, MANAGED }, { 3 * MIB, 1, MANAGED });
	BLOCKS(1, MIBS(0, 4), { 0, 1, MANAGED }, { 3 * MIB, 1, MANAGED });
	BLOCKS(1, MIBS(0, 6), { 0, 2 * MIB + 1, MANAGED }, { 3 * MIB, 2 * MIB, MANAGED });
	BLOCKS(2, MIBS(0, 2, 4, 6), { 0, 1, MANAGED }, { 4 * MIB, 1, MANAGED });
	BLOCKS(2, MIBS(0, 2, 6, 8), { 0, 1, MANAGED }, { 2 * MIB, 4 * MIB, DEVICE },
	       { 6 * MIB, 1, MANAGED });
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(allocations_lie_in_order_within_the_footprint),
		cmocka_unit_test(allocations_begin_at_pages),
		cmocka_unit_test(kinds_share_no_block),
		cmocka_unit_test(fields_are_checked),
		cmocka_unit_test(a_trace_has_65536_at_most),
		cmocka_unit_test(only_version_4_has_allocations),
		cmocka_unit_test(whole_blocks_are_managed),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests_name("trace_allocations", tests, NULL, NULL);
}
