// SPDX-License-Identifier: GPL-2.0
/*
 * Copies that tenants ask for without a trace: the traces that are made of them, their place
 * among launches, what they are not, and journals with them.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <cmocka.h>

#include <linux/simgpu_trace.h>

#include "../../kmod/session/internal.h"
#include "bench.h"
#include "journal_of.h"

#define MIB		(1ULL << 20)
#define SPACE		SIMGPU_TRACE_SPACE_BYTES
#define KINDS		(TRACE_COMMAND_SET - TRACE_COMMAND_COPY_IN + 1)

static const struct trace_copy in_8 = { .kind = TRACE_COMMAND_COPY_IN, .bytes = 8 * MIB };
static const struct trace_copy out_8 = {
	.kind = TRACE_COMMAND_COPY_OUT, .offset = 16 * MIB, .bytes = 8 * MIB,
};

static struct trace *trace_of_copy(const struct trace_copy *copy)
{
	u64 encoded[TRACE_COPY_BYTES / sizeof(u64)], memory_bytes;
	struct trace_error error;

	assert_int_equal(trace_copy_check(copy), 0);
	trace_make_copy(copy, encoded);
	if (trace_check(encoded, sizeof(encoded), &memory_bytes, &error))
		fail_msg("%s %s", error.field, error.reason);
	return trace_decode(encoded, port_alloc(memory_bytes));
}

/* --- traces ----------------------------------------------------------------------------- */

/* Whatever can be asked for is a trace with this one command, on the bytes that were named. */
static void copies_are_traces(void **state)
{
	static const struct { u64 offset, bytes; } places[] = {
		{ 0, 1 }, { 4096, 129 }, { 3 * MIB, 64 * MIB }, { 0, SPACE },
		{ SPACE - SPACE % 4096, SPACE % 4096 },
	};
	u32 i, kind;

	for (i = 0; i < KINDS * ARRAY_SIZE(places); i++) {
		const struct trace_copy copy = {
			.kind = TRACE_COMMAND_COPY_IN + i % KINDS,
			.offset = places[i / KINDS].offset, .bytes = places[i / KINDS].bytes,
		};
		struct trace *trace = trace_of_copy(&copy);
		const struct trace_command *command = &trace->commands[0];

		assert_int_equal(trace->command_count, 1);
		assert_int_equal(trace->queues, 1);
		assert_true(trace->copies);
		assert_false(trace->marks);
		assert_int_equal(trace->footprint_bytes, copy.offset + copy.bytes);
		assert_int_equal(command->kind, copy.kind);
		assert_int_equal(command->amount, copy.bytes);
		assert_int_equal(command->line, copy.offset / 128);
		assert_int_equal(command->lines, (copy.bytes + 127) / 128);
		assert_int_equal(command->next_kernel, TRACE_NO_COMMAND);
		trace_free(trace);
	}
	for (kind = TRACE_COMMAND_COPY_IN; kind <= TRACE_COMMAND_SET; kind++) {
		struct trace_copy copy = { .kind = kind, .offset = 4096, .bytes = 1 };
		struct trace *one = trace_of_copy(&copy), *other;

		copy.offset = 8192;
		other = trace_of_copy(&copy);
		assert_int_not_equal(one->checksum, other->checksum);
		trace_free(one);
		trace_free(other);
	}
}

static void what_cannot_be_is_refused(void **state)
{
	static const struct {
		struct trace_copy copy;
		int ret;
	} bad[] = {
		{ { .bytes = 1 }, -EINVAL },
		{ { .kind = TRACE_COMMAND_KERNEL, .bytes = 1 }, -EINVAL },
		{ { .kind = TRACE_COMMAND_RECORD, .bytes = 1 }, -EINVAL },
		{ { .kind = TRACE_COMMAND_SET }, -EINVAL },
		{ { .kind = TRACE_COMMAND_SET, .offset = 128, .bytes = 1 }, -EINVAL },
		{ { .kind = TRACE_COMMAND_SET, .bytes = SPACE + 1 }, -E2BIG },
		{ { .kind = TRACE_COMMAND_SET, .offset = SPACE - SPACE % 4096,
		    .bytes = SPACE % 4096 + 1 }, -E2BIG },
		{ { .kind = TRACE_COMMAND_SET, .offset = -4096ULL, .bytes = 8192 }, -E2BIG },
		{ { .kind = TRACE_COMMAND_SET, .offset = 4096, .bytes = U64_MAX }, -E2BIG },
	};
	u32 i;

	for (i = 0; i < ARRAY_SIZE(bad); i++)
		assert_int_equal(trace_copy_check(&bad[i].copy), bad[i].ret);
}

/* --- among launches --------------------------------------------------------------------- */

/* struct lab - a session, and what its kernels did; the bench comes first */
struct lab {
	struct bench bench;
	u64 started, finished;
};

static void on_start(void *context, u32 slot, u32 queue, u64 sequence,
		     const struct trace *trace, u32 kernel)
{
	struct lab *lab = context;

	lab->started = session_now(lab->bench.session);
}

static void on_finish(void *context, u32 slot, u32 queue, u64 sequence,
		      const struct trace *trace, u32 kernel, u64 ended)
{
	((struct lab *)context)->finished = ended;
}

static struct lab *lab_options(u32 gang_size)
{
	struct lab *lab = calloc(1, sizeof(*lab));

	bench_options_even(&lab->bench, gang_size, SESSION_EPOCH_CYCLES_MAX);
	lab->bench.hooks = (struct session_hooks) {
		.context = lab, .kernel_start = on_start, .kernel_finish = on_finish,
		.launch_done = on_done,
	};
	return lab;
}

static struct lab *lab_new(void)
{
	struct lab *lab = lab_options(0);

	bench_start(&lab->bench);
	join(&lab->bench, 0);
	return lab;
}

static void lab_free(struct lab *lab)
{
	session_destroy(lab->bench.session);
	free(lab);
}

static void run_dry(struct lab *lab)
{
	session_run(lab->bench.session, ALL_AT_ONCE);
	assert_int_equal(session_state(lab->bench.session), SESSION_IDLE);
}

/* Queue a launch, or a copy, behind another one; 0: behind none. Return: its number. */
static u64 enqueue(struct lab *lab, u32 queue, const struct trace *trace,
		   const struct trace_copy *copy, u64 behind)
{
	const struct session_launch_options options = {
		.trace = trace, .repeats = 1, .queue = queue, .wait = { behind },
		.copy = copy ? *copy : (struct trace_copy) { 0 },
	};
	u64 sequence;

	assert_int_equal(session_launch_with(lab->bench.session, 0, &options, &sequence), 0);
	return sequence;
}

/* Cycles in which bytes cross the link to the device, with the setup of a copy */
static u64 link_cycles(const struct lab *lab, u64 bytes)
{
	const struct gpu_config *config = &lab->bench.options.config;

	return bytes * config->core_mhz / config->link_in_mb_per_s +
	       (u64)config->link_setup_ns * config->core_mhz / 1000;
}

/* Copies of both directions cross beside each other and a kernel; numbers are in one count. */
static void copies_run_beside_kernels(void **state)
{
	struct trace *in = trace_of_copy(&in_8), *out = trace_of_copy(&out_8);
	struct lab *lab = lab_new();
	u64 takes = link_cycles(lab, 8 * MIB);
	u32 i;

	assert_int_equal(enqueue(lab, 1, in, &in_8, 0), 1);
	assert_int_equal(enqueue(lab, 0, middling, NULL, 0), 2);
	assert_int_equal(enqueue(lab, 2, out, &out_8, 0), 3);
	run_dry(lab);
	assert_int_equal(lab->started, 0);
	assert_true(lab->finished < takes / 2);
	assert_in_range(session_now(lab->bench.session), takes, takes * 101 / 100);
	assert_int_equal(lab->bench.done_count, 3);
	for (i = 0; i < 3; i++)
		assert_int_equal(lab->bench.done[i].status, 0);
	assert_int_equal(report_of(&lab->bench, 0).counters.copied_in_bytes, 8 * MIB);
	assert_int_equal(report_of(&lab->bench, 0).counters.copied_out_bytes, 8 * MIB);
	assert_int_equal(report_of(&lab->bench, 0).copies.ended, 2);
	lab_free(lab);
	trace_free(in);
	trace_free(out);
}

/* A launch waits for a copy that it names, a copy for a launch, and both for those before them. */
static void waits_and_order_hold(void **state)
{
	struct trace *in = trace_of_copy(&in_8), *out = trace_of_copy(&out_8);
	struct lab *lab = lab_new();
	u64 takes = link_cycles(lab, 8 * MIB), first;

	/* In another queue, by its number. */
	first = enqueue(lab, 1, in, &in_8, 0);
	first = enqueue(lab, 0, brief, NULL, first);
	enqueue(lab, 2, out, &out_8, first);
	run_dry(lab);
	assert_in_range(lab->started, takes, takes * 101 / 100);
	assert_true(lab->finished > lab->started);
	assert_in_range(session_now(lab->bench.session), lab->finished + takes,
			lab->finished + takes * 101 / 100);
	lab_free(lab);
	/* In the same queue, as they come. */
	lab = lab_new();
	enqueue(lab, 0, in, &in_8, 0);
	enqueue(lab, 0, brief, NULL, 0);
	enqueue(lab, 0, out, &out_8, 0);
	run_dry(lab);
	assert_in_range(lab->started, takes, takes * 101 / 100);
	assert_in_range(session_now(lab->bench.session), lab->finished + takes,
			lab->finished + takes * 101 / 100);
	assert_int_equal(lab->bench.done[1].sequence, 2);
	lab_free(lab);
	trace_free(in);
	trace_free(out);
}

/* A queue is full of copies as it is of launches, and they wait for no unknown number. */
static void limits_are_those_of_launches(void **state)
{
	struct trace *in = trace_of_copy(&in_8);
	struct lab *lab = lab_new();
	struct session_launch_options options = {
		.trace = in, .repeats = 1, .copy = in_8, .queue = SESSION_QUEUES_MAX,
	};
	struct session *session = lab->bench.session;
	u64 sequence, i;

	assert_int_equal(session_launch_with(session, 0, &options, &sequence), -EINVAL);
	options.queue = 7;
	options.wait[3] = 1;
	assert_int_equal(session_launch_with(session, 0, &options, &sequence), -EINVAL);
	options.wait[3] = 0;
	for (i = 1; i <= SESSION_LAUNCHES_MAX; i++) {
		assert_int_equal(session_launch_with(session, 0, &options, &sequence), 0);
		assert_int_equal(sequence, i);
	}
	assert_int_equal(session_launch_with(session, 0, &options, &sequence), -EAGAIN);
	/* One in the same queue. */
	options.queue = 6;
	options.wait[0] = 3;
	assert_int_equal(session_launch_with(session, 0, &options, &sequence), 0);
	options.wait[0] = sequence;
	assert_int_equal(session_launch_with(session, 0, &options, &sequence), -EINVAL);
	session_leave(session, 0);
	assert_int_equal(lab->bench.done_count, SESSION_LAUNCHES_MAX + 1);
	assert_int_equal(lab->bench.done[0].status, -ECANCELED);
	lab_free(lab);
	trace_free(in);
}

static void managed_memory_is_not_copied(void **state)
{
	struct trace *in = trace_of_copy(&in_8);
	struct lab *lab = lab_options(0);
	struct session_launch_options options = {
		.trace = brief, .repeats = 1, .managed = true,
	};
	u64 sequence;

	lab->bench.options.config.managed_mb = 4;
	bench_start(&lab->bench);
	join(&lab->bench, 0);
	assert_int_equal(session_launch_with(lab->bench.session, 0, &options, &sequence), 0);
	options = (struct session_launch_options) { .trace = in, .repeats = 1, .copy = in_8 };
	assert_int_equal(session_launch_with(lab->bench.session, 0, &options, &sequence),
			 -EOPNOTSUPP);
	run_dry(lab);
	lab_free(lab);
	trace_free(in);
}

/* --- what they are not ------------------------------------------------------------------ */

/* A copy has no latency, and the first run is that of the first launch. */
static void a_copy_is_no_launch_in_figures(void **state)
{
	struct trace *in = trace_of_copy(&in_8);
	struct session_tenant_report report, alone;
	struct lab *lab = lab_new();

	launch(&lab->bench, 0, middling, 1, 0);
	run_dry(lab);
	alone = report_of(&lab->bench, 0);
	assert_true(alone.first_run_done);
	lab_free(lab);

	lab = lab_new();
	enqueue(lab, 0, in, &in_8, 0);
	run_dry(lab);
	report = report_of(&lab->bench, 0);
	assert_int_equal(report.copies.ended, 1);
	assert_int_equal(report.latency.launches, 0);
	assert_false(report.first_run_done);
	assert_int_equal(report.figures.cycles, 0);
	/* The copy behind it, and one in another queue, do not put off the end of the run. */
	enqueue(lab, 0, middling, NULL, 0);
	enqueue(lab, 0, in, &in_8, 0);
	enqueue(lab, 3, in, &in_8, 0);
	while (lab->bench.done_count < 2)
		session_run(lab->bench.session, 100);
	report = report_of(&lab->bench, 0);
	assert_int_equal(report.latency.launches, 1);
	assert_true(report.first_run_done);
	assert_in_range(report.figures.cycles, alone.figures.cycles * 95 / 100,
			alone.figures.cycles * 105 / 100);
	assert_int_equal(report.figures.thread_instructions, alone.figures.thread_instructions);
	run_dry(lab);
	assert_int_equal(report_of(&lab->bench, 0).latency.launches, 1);
	assert_int_equal(report_of(&lab->bench, 0).copies.ended, 3);
	lab_free(lab);
	trace_free(in);
}

/* What a tenant said of its next launch stays until that comes. */
static void a_copy_is_not_what_a_hint_meant(void **state)
{
	struct trace *in = trace_of_copy(&in_8);
	const struct session_hint hint = { .cycle = 5000000 };
	struct lab *lab = lab_new();

	assert_int_equal(session_hint(lab->bench.session, 0, &hint), 0);
	enqueue(lab, 0, in, &in_8, 0);
	session_run(lab->bench.session, 10000);
	assert_int_equal(lab->bench.session->tenants[0].hint.cycle, hint.cycle);
	run_dry(lab);
	enqueue(lab, 0, brief, NULL, 0);
	run_dry(lab);
	assert_int_equal(lab->bench.session->tenants[0].hint.cycle, 0);
	lab_free(lab);
	trace_free(in);
}

/* A gang starts when its members have launched or copied, and makes each copy once. */
static void a_gang_copies_once(void **state)
{
	struct trace *in = trace_of_copy(&in_8);
	struct session_launch_options options = {
		.trace = in, .repeats = 1, .copy = in_8, .more = true,
	};
	struct lab *lab = lab_options(2);
	struct session *session;
	u64 sequence;

	lab->bench.options.stop_cycle = 4 * link_cycles(lab, 8 * MIB);
	bench_start(&lab->bench);
	session = lab->bench.session;
	join(&lab->bench, 0);
	join(&lab->bench, 1);
	launch(&lab->bench, 1, brief, 1, 0);
	assert_int_equal(session_launch_with(session, 0, &options, &sequence), 0);
	assert_int_equal(session_state(session), SESSION_WAITING);
	options.more = false;
	options.queue = 1;
	assert_int_equal(session_launch_with(session, 0, &options, &sequence), 0);
	assert_int_equal(session_state(session), SESSION_RUNNING);
	session_run(session, ALL_AT_ONCE);
	assert_int_equal(session_state(session), SESSION_STOPPED);
	assert_int_equal(report_of(&lab->bench, 0).copies.ended, 2);
	assert_int_equal(report_of(&lab->bench, 0).counters.copied_in_bytes, 16 * MIB);
	/* The other member's launch began again and again. */
	assert_true(report_of(&lab->bench, 1).counters.kernels_finished > 10);
	lab_free(lab);
	trace_free(in);
}

/* --- journals ---------------------------------------------------------------------------- */

/* At any cycle a journal makes the same session again, to the hash. */
static void journals_repeat_them(void **state)
{
	struct trace *in = trace_of_copy(&in_8), *out = trace_of_copy(&out_8);
	const struct trace *traces[] = { in, out, middling };
	struct lab *lab = lab_options(0);
	u64 cycle, end = link_cycles(lab, 15 * MIB);

	free(lab);
	for (cycle = 1000; cycle < end; cycle += end / 7) {
		struct lab *from = lab_new(), *to = lab_options(0);
		const struct journal_event *events;
		u64 first, lost;
		u32 count;

		bench_start(&to->bench);
		enqueue(from, 0, middling, NULL, 0);
		first = enqueue(from, 1, in, &in_8, 0);
		session_run(from->bench.session, 500);
		enqueue(from, 0, middling, NULL, first);
		enqueue(from, 2, out, &out_8, first);
		session_run(from->bench.session, cycle);
		events = journal_of(from->bench.session, &count, &lost);
		assert_int_equal(events[count - 1].kind, JOURNAL_COPY);
		assert_memory_equal(&events[count - 1].copy.is, &out_8, sizeof(out_8));
		assert_int_equal(events[count - 1].copy.wait[0], first);
		replay_journal(from->bench.session, to->bench.session, traces, 3);
		assert_int_equal(session_state_hash(from->bench.session),
				 session_state_hash(to->bench.session));
		run_dry(from);
		run_dry(to);
		assert_int_equal(session_state_hash(from->bench.session),
				 session_state_hash(to->bench.session));
		lab_free(from);
		lab_free(to);
	}
	trace_free(in);
	trace_free(out);
}

/* A replay takes no other trace than the one that is made of the copy. */
static void a_replay_wants_the_copys_trace(void **state)
{
	static const struct session_replay nothing;
	struct trace *in = trace_of_copy(&in_8), *out = trace_of_copy(&out_8);
	struct journal_event event = {
		.kind = JOURNAL_COPY,
		.copy = {
			.sequence = 1, .checksum = in->checksum, .trace_bytes = in->bytes,
			.is = in_8,
		},
	};
	struct lab *lab = lab_new();
	struct session *session = lab->bench.session;

	assert_int_equal(session_replay_event(session, &event, NULL, &nothing), -EINVAL);
	assert_int_equal(session_replay_event(session, &event, out, &nothing), -EINVAL);
	assert_int_equal(session_replay_event(session, &event, in, &nothing), 0);
	assert_int_equal(session_replay_event(session, &event, in, &nothing), -EINVAL);
	lab_free(lab);
	trace_free(in);
	trace_free(out);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(copies_are_traces),
		cmocka_unit_test(what_cannot_be_is_refused),
		cmocka_unit_test(copies_run_beside_kernels),
		cmocka_unit_test(waits_and_order_hold),
		cmocka_unit_test(limits_are_those_of_launches),
		cmocka_unit_test(managed_memory_is_not_copied),
		cmocka_unit_test(a_copy_is_no_launch_in_figures),
		cmocka_unit_test(a_copy_is_not_what_a_hint_meant),
		cmocka_unit_test(a_gang_copies_once),
		cmocka_unit_test(journals_repeat_them),
		cmocka_unit_test(a_replay_wants_the_copys_trace),
	};

	return cmocka_run_group_tests(tests, make_traces, free_traces);
}
