// SPDX-License-Identifier: GPL-2.0
/*
 * Commands in traces: what the validator refuses, each limit from both sides, and what the
 * decoder makes of them.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <cmocka.h>

#include "trace_sample.h"
#include "traces.h"

#define MIB	(1ULL << 20)

#define KERNEL		SIMGPU_TRACE_COMMAND_KERNEL
#define COPY_IN		SIMGPU_TRACE_COMMAND_COPY_IN
#define COPY_OUT	SIMGPU_TRACE_COMMAND_COPY_OUT
#define COPY		SIMGPU_TRACE_COMMAND_COPY
#define SET		SIMGPU_TRACE_COMMAND_SET
#define RECORD		SIMGPU_TRACE_COMMAND_RECORD
#define WAIT		SIMGPU_TRACE_COMMAND_WAIT
#define DELAY		SIMGPU_TRACE_COMMAND_DELAY
#define MARK		SIMGPU_TRACE_COMMAND_MARK
#define STEP		SIMGPU_TRACE_COMMAND_STEP
#define REQUEST		SIMGPU_TRACE_COMMAND_REQUEST

/* Two kernels; allocation 0 is on the device, allocation 1 is managed. */
static struct builder *build(const struct simgpu_trace_command *commands, u32 count)
{
	struct builder *b = builder_new("commands", "test");
	u32 i;

	builder_footprint(b, 4 * MIB);
	builder_kernel(b, "one", 1, 32, 1, 0);
	builder_compute(b, 1, 1);
	builder_kernel(b, "two", 1, 32, 1, 0);
	builder_compute(b, 1, 1);
	builder_allocation(b, "device", 4096, 4097, SIMGPU_TRACE_DEVICE);
	builder_allocation(b, "managed", 2 * MIB, 4096, SIMGPU_TRACE_MANAGED);
	for (i = 0; i < count; i++)
		builder_command(b, commands[i].kind, commands[i].queue, commands[i].what,
				commands[i].repeat, commands[i].amount);
	return b;
}

/* A kernel, then a command: it is good, or field @field of it is not. */
#define SECOND(code, field, reason, ...) \
	do { \
		const struct simgpu_trace_command commands[] = { \
			{ KERNEL, 0, 1, 1, 0, 0 }, { __VA_ARGS__ }, \
		}; \
		expect_built(build(commands, 2), NULL, code, \
			     (code) ? "commands[1]." field : "", (code) ? reason : "", \
			     __LINE__); \
	} while (0)
#define GOOD(...)	SECOND(0, "", "", __VA_ARGS__)

static void kinds_are_known(void **state)
{
	SECOND(-EINVAL, "kind", "is unknown", 0, 0, 0, 1, 0, 0);
	SECOND(-EINVAL, "kind", "is unknown", REQUEST + 1, 0, 0, 1, 0, 0);
	GOOD(MARK, 0, 0, 1, 0, 0);
}

static void queues_are_eight(void **state)
{
	GOOD(KERNEL, 7, 0, 1, 0, 0);
	SECOND(-EINVAL, "queue", "is not below 8", KERNEL, 8, 0, 1, 0, 0);
	SECOND(-EINVAL, "queue", "is not below 8", MARK, 0xffff, 0, 1, 0, 0);
}

static void kernels_are_those_of_the_trace(void **state)
{
	GOOD(KERNEL, 0, 1, 1, 0, 0);
	SECOND(-EINVAL, "what", "is no kernel's index", KERNEL, 0, 2, 1, 0, 0);
	SECOND(-EINVAL, "amount", "is not zero", KERNEL, 0, 1, 1, 0, 1);
}

static void copies_name_memory_of_the_device(void **state)
{
	static const u16 kinds[] = { COPY_IN, COPY_OUT, COPY, SET };
	u32 i;

	for (i = 0; i < ARRAY_SIZE(kinds); i++) {
		u16 kind = kinds[i];

		GOOD(kind, 0, 0, 1, 0, 1);
		GOOD(kind, 0, 0, 1, 0, SIMGPU_TRACE_COPY_BYTES_MAX);
		SECOND(-E2BIG, "amount", "is more than 2^40 bytes", kind, 0, 0, 1, 0,
		       SIMGPU_TRACE_COPY_BYTES_MAX + 1);
		SECOND(-EINVAL, "amount", "is zero", kind, 0, 0, 1, 0, 0);
		SECOND(-EINVAL, "what", "is that of a MANAGED allocation", kind, 0, 1, 1, 0, 1);
		SECOND(-EINVAL, "what", "is no allocation's index", kind, 0, 2, 1, 0, 1);
	}
}

static void events_have_numbers(void **state)
{
	static const u16 kinds[] = { RECORD, WAIT };
	u32 i;

	for (i = 0; i < ARRAY_SIZE(kinds); i++) {
		u16 kind = kinds[i];

		GOOD(kind, 0, SIMGPU_TRACE_EVENTS_MAX - 1, 1, 0, 0);
		SECOND(-E2BIG, "what", "is not below 2^16", kind, 0,
		       SIMGPU_TRACE_EVENTS_MAX, 1, 0, 0);
		SECOND(-EINVAL, "amount", "is not zero", kind, 0, 0, 1, 0, 1);
		SECOND(-EINVAL, "repeat", "is not 1", kind, 0, 0, 2, 0, 0);
	}
}

static void delays_and_marks_are_checked(void **state)
{
	GOOD(DELAY, 0, 0, 1, 0, 1);
	GOOD(DELAY, 0, 0, 1, 0, SIMGPU_TRACE_DELAY_NS_MAX);
	SECOND(-E2BIG, "amount", "is more than 2^40 nanoseconds", DELAY, 0, 0, 1, 0,
	       SIMGPU_TRACE_DELAY_NS_MAX + 1);
	SECOND(-EINVAL, "amount", "is zero", DELAY, 0, 0, 1, 0, 0);
	SECOND(-EINVAL, "what", "is not zero", DELAY, 0, 1, 1, 0, 1);
	GOOD(MARK, 3, SIMGPU_TRACE_MARK_FIRST_TOKEN, 1, 0, 0);
	GOOD(MARK, 0, SIMGPU_TRACE_MARK_TOKEN, 1, 0, 0);
	GOOD(MARK, 0, SIMGPU_TRACE_MARK_REQUEST, 1, 0, 0);
	SECOND(-EINVAL, "what", "is no kind of mark", MARK, 0, SIMGPU_TRACE_MARK_REQUEST + 1, 1, 0,
	       0);
	SECOND(-EINVAL, "what", "is no kind of mark", MARK, 0, U32_MAX, 1, 0, 0);
	SECOND(-EINVAL, "amount", "is not zero", MARK, 0, 0, 1, 0, 1);
	SECOND(-EINVAL, "repeat", "is not 1", MARK, 0, 0, 2, 0, 0);
}

static void repeats_are_bounded(void **state)
{
	const struct simgpu_trace_command most[] = {
		{ KERNEL, 0, 0, U32_MAX, 0, 0 }, { KERNEL, 0, 0, 1, 0, 0 }, { KERNEL, 0, 0, 1, 0, 0 },
	};

	SECOND(-EINVAL, "repeat", "is zero", KERNEL, 0, 0, 0, 0, 0);
	expect_built(build(most, 2), NULL, 0, "", "", __LINE__);
	expect_built(build(most, 3), NULL, -E2BIG, "commands[2].repeat",
		     "makes the sum of all more than 2^32", __LINE__);
}

static struct simgpu_trace_command *first_of(void *file)
{
	const struct simgpu_trace_header *header = file;

	return (void *)((u8 *)file + header->sections[SIMGPU_TRACE_COMMANDS].offset);
}

static void set_reserved(void *file)
{
	first_of(file)->reserved = 1;
}

static void reserved_is_zero(void **state)
{
	const struct simgpu_trace_command command = { KERNEL, 0, 0, 1, 0, 0 };

	expect_built(build(&command, 1), set_reserved, -EINVAL, "commands[0].reserved",
		     "is not zero", __LINE__);
}

static void some_command_takes_time(void **state)
{
	const struct simgpu_trace_command none[] = {
		{ RECORD, 0, 0, 1, 0, 0 }, { WAIT, 1, 0, 1, 0, 0 }, { MARK, 0, 0, 1, 0, 0 }, { DELAY, 0, 0, 1, 0, 1 },
	};

	expect_built(build(none, 3), NULL, -EINVAL, "sections[14].count",
		     "is not zero, yet no command takes time", __LINE__);
	expect_built(build(none, 4), NULL, 0, "", "", __LINE__);
	expect_built(build(none, 0), NULL, 0, "", "", __LINE__);
}

#define END		{ MARK, 0, SIMGPU_TRACE_MARK_REQUEST, 1, 0, 0 }

/* Some commands: they are good, or a field is not. */
#define COMMANDS(code, field, reason, ...) \
	do { \
		const struct simgpu_trace_command commands[] = { __VA_ARGS__ }; \
		expect_built(build(commands, ARRAY_SIZE(commands)), NULL, code, field, reason, \
			     __LINE__); \
	} while (0)

static void requests_are_whole(void **state)
{
	COMMANDS(0, "", "", { KERNEL, 0, 0, 1, 0, 0 }, END, { DELAY, 0, 0, 1, 0, 9 }, END);
	COMMANDS(-EINVAL, "commands[2].what", "ends a request without time",
		 { KERNEL, 0, 0, 1, 0, 0 }, END, END);
	COMMANDS(-EINVAL, "commands[0].what", "ends a request without time", END,
		 { KERNEL, 0, 0, 1, 0, 0 });
	COMMANDS(-EINVAL, "commands[2].kind", "stands behind the last request",
		 { KERNEL, 0, 0, 1, 0, 0 }, END, { KERNEL, 0, 0, 1, 0, 0 });
	COMMANDS(-EINVAL, "commands[1].queue", "is not 0, as requests need",
		 { KERNEL, 0, 0, 1, 0, 0 }, { KERNEL, 1, 0, 1, 0, 0 }, { KERNEL, 2, 0, 1, 0, 0 },
		 END);
}

#define WORK		{ KERNEL, 0, 0, 1, 0, 0 }
#define PREFILL		{ STEP, 0, 0, 1, 0, 100 }
#define DECODE		{ STEP, 0, 2, 1, 0, 100 }
#define ASKED		{ REQUEST, 0, 7, 1, 0, 9 }
#define STEPS		WORK, PREFILL, WORK, DECODE

/* Steps of both kinds in queue 0, then requests, and nothing else. */
static void steps_are_whole(void **state)
{
	COMMANDS(0, "", "", STEPS, ASKED);
	COMMANDS(0, "", "", STEPS, WORK, PREFILL, ASKED, ASKED);
	COMMANDS(-EINVAL, "commands[2].what", "ends a step without time", WORK, PREFILL, DECODE,
		 ASKED);
	COMMANDS(-EINVAL, "commands[1].kind", "is a REQUEST that follows no STEP", WORK, ASKED);
	COMMANDS(-EINVAL, "commands[0].kind", "is a REQUEST that follows no STEP", ASKED, STEPS);
	COMMANDS(-EINVAL, "commands[5].kind", "is a REQUEST that follows no STEP", STEPS, WORK,
		 ASKED);
	COMMANDS(-EINVAL, "commands[5].kind", "stands behind a REQUEST", STEPS, ASKED, WORK);
	COMMANDS(-EINVAL, "commands[5].kind", "stands behind a REQUEST", STEPS, ASKED, PREFILL);
	COMMANDS(-EINVAL, "commands[3].kind", "is no REQUEST, with which STEPs end", STEPS);
	COMMANDS(-EINVAL, "commands[0].kind", "is a MARK, which goes without STEPs",
		 { MARK, 0, 0, 1, 0, 0 }, STEPS, ASKED);
	COMMANDS(-EINVAL, "commands[1].kind", "is a MARK, which goes without STEPs", WORK, END,
		 STEPS, ASKED);
	COMMANDS(-EINVAL, "commands[0].queue", "is not 0, as steps need",
		 { KERNEL, 1, 0, 1, 0, 0 }, STEPS, ASKED);
	COMMANDS(-EINVAL, "sections[14].count", "is not zero, yet no STEP is a prefill, or all are",
		 WORK, PREFILL, ASKED);
	COMMANDS(-EINVAL, "sections[14].count", "is not zero, yet no STEP is a prefill, or all are",
		 WORK, DECODE, ASKED);
}

/* The first step is good, or a field of it is not. */
#define STEP_OF(code, field, reason, ...) \
	COMMANDS(code, (code) ? "commands[1]." field : "", reason, WORK, { STEP, __VA_ARGS__ }, \
		 STEPS, ASKED)
#define REQUEST_OF(code, field, reason, ...) \
	COMMANDS(code, (code) ? "commands[4]." field : "", reason, STEPS, { REQUEST, __VA_ARGS__ })

static void steps_and_requests_have_limits(void **state)
{
	STEP_OF(0, "", "", 0, SIMGPU_TRACE_BATCH_MAX, 1, 0, SIMGPU_TRACE_CONTEXT_MAX);
	STEP_OF(-E2BIG, "what", "is more than 64 requests", 0, SIMGPU_TRACE_BATCH_MAX + 1, 1, 0, 1);
	STEP_OF(-E2BIG, "amount", "is more than 2^20 tokens", 0, 1, 1, 0,
		SIMGPU_TRACE_CONTEXT_MAX + 1);
	STEP_OF(-EINVAL, "amount", "is zero", 0, 1, 1, 0, 0);
	STEP_OF(-EINVAL, "repeat", "is not 1", 0, 1, 2, 0, 1);
	REQUEST_OF(0, "", "", 0, SIMGPU_TRACE_CONTEXT_MAX, 1, 0, SIMGPU_TRACE_CONTEXT_MAX);
	REQUEST_OF(-EINVAL, "what", "is zero", 0, 0, 1, 0, 1);
	REQUEST_OF(-E2BIG, "what", "is more than 2^20 tokens", 0, SIMGPU_TRACE_CONTEXT_MAX + 1, 1, 0,
		   1);
	REQUEST_OF(-EINVAL, "amount", "is zero", 0, 1, 1, 0, 0);
	REQUEST_OF(-E2BIG, "amount", "is more than 2^20 tokens", 0, 1, 1, 0,
		   SIMGPU_TRACE_CONTEXT_MAX + 1);
	REQUEST_OF(-EINVAL, "repeat", "is not 1", 0, 1, 3, 0, 1);
}

static void a_trace_has_1024_steps_at_most(void **state)
{
	u32 count, i;

	for (count = SIMGPU_TRACE_STEPS_MAX; count < SIMGPU_TRACE_STEPS_MAX + 2; count++) {
		bool good = count == SIMGPU_TRACE_STEPS_MAX;
		struct builder *b = build(NULL, 0);

		for (i = 0; i < count; i++) {
			builder_command(b, KERNEL, 0, 0, 1, 0);
			builder_command(b, STEP, 0, i % 2, 1, 5);
		}
		builder_command(b, REQUEST, 0, 1, 1, 1);
		expect_built(b, NULL, good ? 0 : -E2BIG, good ? "" : "commands[2049].kind",
			     good ? "" : "is one STEP more than 1024", __LINE__);
	}
}

static void a_trace_has_2_20_at_most(void **state)
{
	u32 count, i;

	for (count = SIMGPU_TRACE_COMMANDS_MAX; count < SIMGPU_TRACE_COMMANDS_MAX + 2; count++) {
		bool good = count == SIMGPU_TRACE_COMMANDS_MAX;
		struct builder *b = build(NULL, 0);

		for (i = 0; i < count; i++)
			builder_command(b, KERNEL, i % 8, 0, 1, 0);
		expect_built(b, NULL, good ? 0 : -E2BIG, good ? "" : "sections[14].count",
			     good ? "" : "is more than 2^20 commands", __LINE__);
	}
}

/* --- the decoder -------------------------------------------------------------------------- */

static void steps_are_decoded(void **state)
{
	const struct simgpu_trace_command commands[] = {
		{ KERNEL, 0, 0, 1, 0, 0 }, PREFILL, { KERNEL, 0, 1, 3, 0, 0 },
		{ KERNEL, 0, 0, 1, 0, 0 }, { STEP, 0, 4, 1, 0, 512 }, ASKED,
		{ REQUEST, 0, 70, 1, 0, 90 },
	};
	struct trace *trace = trace_of(build(commands, ARRAY_SIZE(commands)), 0);

	assert_int_equal(trace->batch_most, 4);
	assert_int_equal(trace->request_count, 2);
	assert_int_equal(trace->request_first[1], 2);
	assert_int_equal(trace->request_first[2], 5);
	assert_int_equal(trace_step(trace, 0)->what, 0);
	assert_int_equal(trace_step(trace, 1)->what, 4);
	assert_int_equal(trace_step(trace, 1)->amount, 512);
	assert_int_equal(trace_requests(trace), 2);
	assert_int_equal(trace_request(trace, 0)->what, 7);
	assert_int_equal(trace_request(trace, 3)->amount, 90);
	/* Each step has its own kernels, and no next one behind its end. */
	assert_int_equal(trace->commands[0].next_kernel, TRACE_NO_COMMAND);
	assert_int_equal(trace->commands[2].next_kernel, 3);
	assert_int_equal(trace->commands[2].rest_blocks, 1);
	trace_free(trace);
}

static void requests_begin_behind_one_another(void **state)
{
	const struct simgpu_trace_command commands[] = {
		{ KERNEL, 0, 0, 1, 0, 0 }, { RECORD, 0, 7, 1, 0, 0 }, END,
		{ KERNEL, 0, 1, 1, 0, 0 }, { KERNEL, 0, 0, 2, 0, 0 }, END,
		{ WAIT, 0, 7, 1, 0, 0 }, { DELAY, 0, 0, 1, 0, 5 }, END,
	};
	struct trace *trace = trace_of(build(commands, ARRAY_SIZE(commands)), 0);

	assert_int_equal(trace->request_count, 3);
	assert_int_equal(trace->request_first[0], 0);
	assert_int_equal(trace->request_first[1], 3);
	assert_int_equal(trace->request_first[2], 6);
	assert_int_equal(trace->request_first[3], 9);
	/* No kernel of the next request is one's next. */
	assert_int_equal(trace->commands[0].next_kernel, TRACE_NO_COMMAND);
	assert_int_equal(trace->commands[3].next_kernel, 4);
	assert_int_equal(trace->commands[4].next_kernel, TRACE_NO_COMMAND);
	/* Its events are those of earlier ones. */
	assert_int_equal(trace->commands[6].what, 2);
	assert_false(trace->marks || trace->tokens);
	trace_free(trace);
}

static void commands_are_sorted_by_queue(void **state)
{
	const struct simgpu_trace_command commands[] = {
		{ KERNEL, 5, 1, 3, 0, 0 }, { KERNEL, 2, 0, 1, 0, 0 }, { COPY_IN, 5, 0, 1, 0, 9 },
		{ MARK, 2, 0, 1, 0, 0 }, { KERNEL, 5, 0, 1, 0, 0 },
	};
	struct trace *trace = trace_of(build(commands, 5), 0);

	assert_int_equal(trace->command_count, 5);
	/* The launch's own queue is always among them. */
	assert_int_equal(trace->queues, 1 | 1 << 2 | 1 << 5);
	assert_int_equal(trace->queue_first[2], 0);
	assert_int_equal(trace->queue_first[3], 2);
	assert_int_equal(trace->queue_first[5], 2);
	assert_int_equal(trace->queue_first[6], 5);
	assert_int_equal(trace->queue_first[8], 5);
	assert_int_equal(trace->commands[1].kind, TRACE_COMMAND_MARK);
	assert_int_equal(trace->commands[2].what, 1);
	assert_int_equal(trace->commands[2].repeat, 3);
	assert_int_equal(trace->commands[2].next_kernel, 4);
	assert_int_equal(trace->commands[3].next_kernel, 4);
	assert_int_equal(trace->commands[4].next_kernel, TRACE_NO_COMMAND);
	assert_int_equal(trace->commands[0].next_kernel, TRACE_NO_COMMAND);
	assert_int_equal(trace->commands[3].line, 32);
	assert_int_equal(trace->commands[3].lines, 33);
	assert_int_equal(trace->commands[3].amount, 9);
	assert_true(trace->marks && trace->copies);
	trace_free(trace);
}

/* It is the last RECORD before it, in whatever queue; or none. */
static void waits_are_for_the_last_record(void **state)
{
	const struct simgpu_trace_command commands[] = {
		{ WAIT, 0, 7, 1, 0, 0 }, { RECORD, 1, 7, 1, 0, 0 }, { WAIT, 0, 7, 1, 0, 0 }, { RECORD, 2, 7, 1, 0, 0 },
		{ RECORD, 1, 3, 1, 0, 0 }, { WAIT, 0, 7, 1, 0, 0 }, { WAIT, 0, 3, 1, 0, 0 }, { RECORD, 0, 7, 1, 0, 0 },
		{ KERNEL, 0, 0, 1, 0, 0 },
	};
	struct trace *trace = trace_of(build(commands, 9), 0);
	const struct trace_command *of = trace->commands;

	assert_int_equal(of[0].what, 0);
	assert_int_equal(of[1].queue, 1);
	assert_int_equal(of[1].what, trace->queue_first[1] + 1);
	assert_int_equal(of[2].queue, 2);
	assert_int_equal(of[2].what, trace->queue_first[2] + 1);
	assert_int_equal(of[3].queue, 1);
	assert_int_equal(of[3].what, trace->queue_first[1] + 2);
	assert_false(trace->marks || trace->copies);
	trace_free(trace);
}

static void without_commands_nothing_is_taken(void **state)
{
	struct trace *trace = trace_of(build(NULL, 0), 0);

	assert_int_equal(trace->command_count, 0);
	assert_int_equal(trace->queues, 0);
	trace_free(trace);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(kinds_are_known),
		cmocka_unit_test(queues_are_eight),
		cmocka_unit_test(kernels_are_those_of_the_trace),
		cmocka_unit_test(copies_name_memory_of_the_device),
		cmocka_unit_test(events_have_numbers),
		cmocka_unit_test(delays_and_marks_are_checked),
		cmocka_unit_test(requests_are_whole),
		cmocka_unit_test(steps_are_whole),
		cmocka_unit_test(steps_and_requests_have_limits),
		cmocka_unit_test(a_trace_has_1024_steps_at_most),
		cmocka_unit_test(steps_are_decoded),
		cmocka_unit_test(requests_begin_behind_one_another),
		cmocka_unit_test(repeats_are_bounded),
		cmocka_unit_test(reserved_is_zero),
		cmocka_unit_test(some_command_takes_time),
		cmocka_unit_test(a_trace_has_2_20_at_most),
		cmocka_unit_test(commands_are_sorted_by_queue),
		cmocka_unit_test(waits_are_for_the_last_record),
		cmocka_unit_test(without_commands_nothing_is_taken),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
