// SPDX-License-Identifier: GPL-2.0
/*
 * Copies under policies: what a policy sees of them and when it is asked, which copies wait for
 * it and how long, whose go first, and what a policy that says nothing of them changes.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <cmocka.h>

#include "../../kmod/policy/common/split.h"
#include "../../kmod/session/internal.h"
#include "bench.h"
#include "journal_of.h"

#define KERNEL		SIMGPU_TRACE_COMMAND_KERNEL
#define COPY_IN		SIMGPU_TRACE_COMMAND_COPY_IN
#define COPY_OUT	SIMGPU_TRACE_COMMAND_COPY_OUT
#define SET		SIMGPU_TRACE_COMMAND_SET
#define DELAY		SIMGPU_TRACE_COMMAND_DELAY
#define MIB		(1ULL << 20)
#define CALLS_MAX	512

/* struct step - a command */
struct step {
	u16 kind;
	u16 queue;
	u32 what;
	u64 amount;
};

/* A trace with a kernel of some 2,000 cycles and an allocation of 64 MiB. */
static struct trace *make(const struct step *steps, u32 count)
{
	struct builder *b = builder_new("copies", "test");
	u32 i;

	builder_kernel(b, "brief", 64, 256, 32, 0);
	builder_loop(b, 4);
	builder_compute(b, 20, 32);
	builder_loop_end(b);
	builder_allocation(b, "all", 0, 64 * MIB, SIMGPU_TRACE_DEVICE);
	for (i = 0; i < count; i++)
		builder_command(b, steps[i].kind, steps[i].queue, steps[i].what, 1,
				steps[i].amount);
	return trace_of(b, 64 * MIB);
}

#define TRACE(...) \
	({ const struct step steps[] = { __VA_ARGS__ }; make(steps, ARRAY_SIZE(steps)); })

/* struct call - a call of the policy, and what it saw of slots 0 and 1 */
struct call {
	u64 cycle;
	u32 events;
	struct simgpu_snapshot_tenant tenant[2];
};

/* What the policy below saw, and what it says. */
static struct call calls[CALLS_MAX];
static u32 call_count;
static u8 hold_copies[SIMGPU_SLOTS_MAX], copy_priority[SIMGPU_SLOTS_MAX];
static u64 hold_until, wake_at;

static int look(const struct simgpu_snapshot *snapshot, void *state,
		struct simgpu_proposal *proposal)
{
	struct call *call = &calls[call_count++];

	assert_true(call_count < CALLS_MAX);
	call->cycle = snapshot->cycle;
	call->events = snapshot->events;
	memcpy(call->tenant, snapshot->tenants, sizeof(call->tenant));
	policy_split_even(snapshot, proposal);
	proposal->flags |= SIMGPU_SAYS_HOLD_COPIES | SIMGPU_SAYS_COPY_PRIORITY;
	if (snapshot->cycle < hold_until)
		memcpy(proposal->hold_copies, hold_copies, sizeof(hold_copies));
	else
		memset(proposal->hold_copies, 0, sizeof(hold_copies));
	memcpy(proposal->copy_priority, copy_priority, sizeof(copy_priority));
	proposal->wake_cycle = snapshot->cycle + SIMGPU_WAKE_CYCLES_MIN <= wake_at ? wake_at : 0;
	return 0;
}

static const struct simgpu_policy listening = {
	.name = "listening", .decide = look,
	.events = SIMGPU_ON_ARRIVAL | SIMGPU_ON_DEPARTURE | SIMGPU_ON_COPY_READY |
		  SIMGPU_ON_COPY_END | SIMGPU_ON_WAKE,
};

/* Hears of arrivals, and not of copies. */
static const struct simgpu_policy deaf = {
	.name = "deaf", .decide = look, .events = SIMGPU_ON_ARRIVAL | SIMGPU_ON_DEPARTURE,
};

/* Hears of nothing. */
static const struct simgpu_policy silent = { .name = "silent", .decide = look };

static struct bench *prepared(const struct simgpu_policy *policy)
{
	struct bench *bench = malloc(sizeof(*bench));

	bench_options(bench, 0);
	bench->options.policy = policy;
	bench->options.epoch_cycles = SESSION_EPOCH_CYCLES_MAX;
	bench->options.kernel_end = SESSION_KERNEL_END_CARRY;
	session_default_params(&bench->options);
	call_count = 0;
	memset(hold_copies, 0, sizeof(hold_copies));
	memset(copy_priority, 0, sizeof(copy_priority));
	hold_until = 0;
	wake_at = 0;
	return bench;
}

static struct bench *started(const struct simgpu_policy *policy)
{
	struct bench *bench = prepared(policy);

	bench_start(bench);
	join(bench, 0);
	join(bench, 1);
	return bench;
}

static void run_dry(struct bench *bench)
{
	session_run(bench->session, ALL_AT_ONCE);
	assert_int_equal(session_state(bench->session), SESSION_IDLE);
}

/* Cycles in which bytes cross the link to the device, with the setup of a copy */
static u64 link_cycles(const struct bench *bench, u64 bytes)
{
	const struct gpu_config *config = &bench->options.config;

	return bytes * config->core_mhz / config->link_in_mb_per_s +
	       (u64)config->link_setup_ns * config->core_mhz / 1000;
}

static u32 window_of(const struct bench *bench)
{
	return gpu_window(&bench->options.config);
}

/* The first call about an event. */
static const struct call *call_about(u32 event)
{
	u32 i;

	for (i = 0; i < call_count; i++)
		if (calls[i].events & event)
			return &calls[i];
	fail_msg("the policy was not asked about event %#x", event);
	return NULL;
}

/* The cycles in which the first launches of slots 0 and 1 end, to some 200 cycles. */
static void run_to_ends(struct bench *bench, u64 *ends)
{
	u32 seen;

	for (seen = 0; session_state(bench->session) == SESSION_RUNNING;) {
		session_run(bench->session, 200);
		for (; seen < bench->done_count; seen++)
			ends[bench->done[seen].slot] = session_now(bench->session);
	}
}

/* --- what is seen ----------------------------------------------------------------------- */

static void a_policy_sees_copies(void **state)
{
	struct trace *trace = TRACE({ COPY_IN, 0, 0, MIB }, { COPY_OUT, 1, 0, 2 * MIB },
				    { SET, 2, 0, 4096 }, { DELAY, 3, 0, 9000000 });
	struct bench *bench = started(&listening);
	const struct simgpu_snapshot_tenant *tenant;
	static const u64 bytes[] = { MIB, 2 * MIB, 4096 };
	const struct call *call;
	u32 i, ends = 0;

	session_set_queue(bench->session, 1, 1, 2);
	launch(bench, 1, trace, 1, 0);
	run_dry(bench);
	call = call_about(SIMGPU_ON_COPY_READY);
	tenant = &call->tenant[1];
	assert_true(call->cycle <= window_of(bench));
	assert_int_equal(tenant->active, 0);
	assert_int_equal(tenant->events, SIMGPU_ON_COPY_READY);
	assert_int_equal(tenant->queue_count, 4);
	assert_int_equal(tenant->queue[1].priority, 2);
	assert_int_equal(tenant->copies_waiting, 3);
	assert_int_equal(tenant->copies_running, 0);
	assert_int_equal(tenant->copy_bytes_left, 3 * MIB + 4096);
	for (i = 0; i < 3; i++) {
		assert_int_equal(tenant->queue[i].copy.flags, SIMGPU_COPY_PRESENT);
		assert_int_equal(tenant->queue[i].copy.way, i);
		assert_int_equal(tenant->queue[i].copy.bytes, bytes[i]);
		assert_int_equal(tenant->queue[i].copy.bytes_left, bytes[i]);
	}
	assert_int_equal(tenant->queue[3].copy.flags, 0);
	/* The set ends first. */
	call = call_about(SIMGPU_ON_COPY_END);
	tenant = &call->tenant[1];
	assert_int_equal(tenant->copies_waiting, 0);
	assert_int_equal(tenant->copies_running, 2);
	assert_int_equal(tenant->queue[2].copy.flags, 0);
	assert_int_equal(tenant->queue[0].copy.flags,
			 SIMGPU_COPY_PRESENT | SIMGPU_COPY_RUNNING);
	assert_true(tenant->queue[0].copy.bytes_left < MIB);
	assert_int_equal(tenant->copy_bytes_left, tenant->queue[0].copy.bytes_left +
			 tenant->queue[1].copy.bytes_left);
	for (i = 0; i < call_count; i++)
		ends += !!(calls[i].events & SIMGPU_ON_COPY_END);
	assert_int_equal(ends, 3);
	bench_free(bench);
	trace_free(trace);
}

/* The link's rates are known, so a policy can say how long a copy takes. */
static int look_at_link(const struct simgpu_snapshot *snapshot, void *state,
			struct simgpu_proposal *proposal)
{
	const struct gpu_config config = small_config();

	assert_int_equal(snapshot->link_in_mb_per_s, config.link_in_mb_per_s);
	assert_int_equal(snapshot->link_out_mb_per_s, config.link_out_mb_per_s);
	return look(snapshot, state, proposal);
}

static const struct simgpu_policy measuring = {
	.name = "measuring", .decide = look_at_link, .events = SIMGPU_ON_COPY_READY,
};

static void a_policy_sees_the_link(void **state)
{
	struct trace *trace = TRACE({ COPY_IN, 0, 0, 1 });
	struct bench *bench = started(&measuring);

	launch(bench, 0, trace, 1, 0);
	run_dry(bench);
	assert_int_equal(call_count, 1);
	bench_free(bench);
	trace_free(trace);
}

/* Who does not list these events is not asked, and copies are as they are under even. */
static void who_does_not_listen_changes_nothing(void **state)
{
	static const struct simgpu_policy *const policies[] = { &policy_even, &silent };
	struct trace *trace = TRACE({ COPY_IN, 0, 0, MIB }, { KERNEL, 0, 0, 0 },
				    { KERNEL, 0, 0, 0 }, { KERNEL, 0, 0, 0 },
				    { KERNEL, 0, 0, 0 }, { COPY_OUT, 1, 0, MIB });
	u64 ends[ARRAY_SIZE(policies)], hash[ARRAY_SIZE(policies)];
	u32 i, k;

	for (i = 0; i < ARRAY_SIZE(policies); i++) {
		struct bench *bench = prepared(policies[i]);

		bench->options.epoch_cycles = SESSION_EPOCH_CYCLES_MIN;
		bench_start(bench);
		join(bench, 0);
		join(bench, 1);
		launch(bench, 0, trace, 3, 0);
		launch(bench, 1, trace, 2, 1000);
		run_dry(bench);
		ends[i] = session_now(bench->session);
		hash[i] = gpu_state_hash(bench->session->gpu);
		for (k = 0; k < call_count; k++)
			assert_int_equal(calls[k].events & (SIMGPU_ON_COPY_READY |
							    SIMGPU_ON_COPY_END), 0);
		bench_free(bench);
	}
	assert_true(call_count);
	assert_int_equal(ends[0], ends[1]);
	assert_int_equal(hash[0], hash[1]);
	trace_free(trace);
}

/* --- holding ---------------------------------------------------------------------------- */

/* A queue's copies wait until they are let go; others, and those under way, go on. */
static void copies_are_held_by_queue(void **state)
{
	struct trace *trace = TRACE({ COPY_IN, 0, 0, MIB }, { COPY_OUT, 1, 0, MIB });
	struct bench *bench = started(&listening);
	u64 takes = link_cycles(bench, MIB);
	const struct call *last;

	hold_copies[0] = 2;
	hold_until = 5 * takes;
	wake_at = 5 * takes;
	launch(bench, 0, trace, 1, 0);
	session_run(bench->session, 2 * takes);
	/* The first queue's has ended, the other one's has not begun. */
	last = &calls[call_count - 1];
	assert_int_equal(last->events, SIMGPU_ON_COPY_END);
	assert_int_equal(last->tenant[0].queue[0].events, SIMGPU_ON_COPY_END);
	assert_int_equal(last->tenant[0].copies_waiting, 1);
	assert_int_equal(last->tenant[0].copies_running, 0);
	assert_int_equal(report_of(bench, 0).counters.copied_out_bytes, 0);
	run_dry(bench);
	assert_in_range(session_now(bench->session), 6 * takes,
			6 * takes + takes / 50 + 2 * window_of(bench));
	assert_int_equal(report_of(bench, 0).counters.copied_out_bytes, MIB);
	assert_int_equal(session_last_refusal(bench->session)->kind, SESSION_REFUSED_NOTHING);
	bench_free(bench);
	trace_free(trace);
}

/* What the policy makes a copy wait is a part of its wait. */
static void a_held_copy_waits(void **state)
{
	struct trace *trace = TRACE({ COPY_IN, 0, 0, MIB }, { COPY_OUT, 1, 0, MIB });
	struct bench *bench = started(&listening);
	struct session_copies copies;

	hold_copies[0] = 2;
	hold_until = 500000;
	wake_at = 500000;
	launch(bench, 0, trace, 1, 0);
	session_run(bench->session, 400000);
	copies = report_of(bench, 0).copies;
	assert_int_equal(copies.ended, 1);
	assert_int_equal(copies.waiting, 1);
	assert_int_equal(copies.running, 0);
	assert_int_equal(copies.bytes_left, MIB);
	run_dry(bench);
	copies = report_of(bench, 0).copies;
	assert_int_equal(copies.ended, 2);
	/* The other one waited for the decision alone. */
	assert_in_range(bench->session->tenants[0].copies.waits.cycles, 500000,
			500000 + 3 * window_of(bench));
	bench_free(bench);
	trace_free(trace);
}

/* What has begun goes on when its queue is held. */
static void a_copy_that_has_begun_goes_on(void **state)
{
	struct trace *trace = TRACE({ COPY_IN, 0, 0, 4 * MIB });
	struct trace *other = TRACE({ COPY_OUT, 0, 0, 1 });
	struct bench *bench = started(&listening);
	u64 takes = link_cycles(bench, 4 * MIB), ends[2];

	launch(bench, 0, trace, 1, 0);
	session_run(bench->session, takes / 2);
	hold_copies[0] = 0xff;
	hold_until = U64_MAX;
	launch(bench, 1, other, 1, 0);
	run_to_ends(bench, ends);
	assert_in_range(ends[0], takes, takes + takes / 50 + 1000);
	bench_free(bench);
	trace_free(other);
	trace_free(trace);
}

/* A hold that was said before a copy came keeps it, too, though nobody is asked about it. */
static void a_hold_needs_no_events(void **state)
{
	struct trace *works = TRACE({ KERNEL, 0, 0, 0 }, { DELAY, 0, 0, 500000 },
				    { KERNEL, 0, 0, 0 });
	struct trace *copies = TRACE({ COPY_IN, 0, 0, 65536 });
	struct bench *bench = started(&deaf);

	hold_copies[1] = 1;
	hold_until = 100000;
	launch(bench, 0, works, 1, 0);
	launch(bench, 1, copies, 1, 10000);
	session_run(bench->session, 100000);
	assert_int_equal(bench->done_count, 0);
	assert_int_equal(report_of(bench, 1).counters.copied_in_bytes, 0);
	run_dry(bench);
	/* The first tenant's second kernel was the next thing that it was asked about. */
	assert_int_equal(bench->done_count, 2);
	assert_int_equal(report_of(bench, 1).counters.copied_in_bytes, 65536);
	bench_free(bench);
	trace_free(works);
	trace_free(copies);
}

/* A policy that keeps a copy for hold_cycles is replaced, and the copy begins. */
static void a_hold_has_a_limit(void **state)
{
	struct trace *trace = TRACE({ COPY_IN, 0, 0, MIB });
	struct bench *bench = prepared(&listening);
	const struct session_refusal *why;

	bench->options.hold_cycles = 800000;
	bench_start(bench);
	join(bench, 0);
	join(bench, 1);
	hold_copies[1] = 1;
	hold_until = U64_MAX;
	launch(bench, 1, trace, 1, 0);
	session_run(bench->session, 700000);
	assert_int_equal(session_last_refusal(bench->session)->kind, SESSION_REFUSED_NOTHING);
	assert_int_equal(bench->done_count, 0);
	/* So a device without work must not sleep. */
	assert_int_equal(session_empty_cycles(bench->session), 0);
	run_dry(bench);
	why = session_last_refusal(bench->session);
	assert_int_equal(why->kind, SESSION_REFUSED_HOLD);
	assert_int_equal(why->slot, 1);
	assert_string_equal(why->field, "hold_copies");
	assert_in_range(why->cycle, 800000, 900000 + window_of(bench));
	assert_int_equal(bench->done_count, 1);
	bench_free(bench);
	trace_free(trace);
}

/* Another policy finds nothing held; a tenant that leaves takes its copies with it. */
static void a_hold_ends_with_its_policy_and_its_tenant(void **state)
{
	struct trace *trace = TRACE({ COPY_IN, 0, 0, MIB });
	struct bench *bench = started(&listening);

	memset(hold_copies, 0xff, sizeof(hold_copies));
	hold_until = U64_MAX;
	launch(bench, 0, trace, 1, 0);
	launch(bench, 1, trace, 1, 0);
	session_run(bench->session, 1000);
	session_leave(bench->session, 1);
	assert_int_equal(bench->session->controls.hold_copies[0], 0xff);
	assert_int_equal(bench->session->controls.hold_copies[1], 0);
	session_set_policy(bench->session, &policy_even);
	assert_int_equal(bench->session->controls.hold_copies[0], 0);
	run_dry(bench);
	assert_int_equal(report_of(bench, 0).counters.copied_in_bytes, MIB);
	bench_free(bench);
	trace_free(trace);
}

/* With decision_cycles a copy begins so long after the policy was asked. */
static void a_decision_takes_time(void **state)
{
	struct trace *trace = TRACE({ COPY_IN, 0, 0, MIB });
	struct bench *bench = prepared(&listening);
	u64 takes = link_cycles(bench, MIB);

	bench->options.decision_cycles = 50000;
	bench_start(bench);
	join(bench, 0);
	launch(bench, 0, trace, 1, 0);
	run_dry(bench);
	assert_in_range(session_now(bench->session), 50000 + takes,
			50000 + takes + takes / 50 + 2 * window_of(bench));
	bench_free(bench);
	trace_free(trace);
}

/* --- order ------------------------------------------------------------------------------ */

/* Ends of two copies of 4 MiB, of which the second one comes in the middle of the first. */
static void ends_with(u8 priority, u16 second_kind, u64 *ends)
{
	struct trace *one = TRACE({ COPY_IN, 0, 0, 4 * MIB });
	struct trace *two = TRACE({ second_kind, 0, 0, 4 * MIB });
	struct bench *bench = started(&listening);

	copy_priority[1] = priority;
	launch(bench, 0, one, 1, 0);
	launch(bench, 1, two, 1, link_cycles(bench, 2 * MIB));
	run_to_ends(bench, ends);
	assert_int_equal(bench->done_count, 2);
	bench_free(bench);
	trace_free(one);
	trace_free(two);
}

static void the_highest_priority_goes_first(void **state)
{
	struct bench *bench = prepared(&listening);
	u64 two = link_cycles(bench, 2 * MIB), six = link_cycles(bench, 6 * MIB);
	u64 eight = link_cycles(bench, 8 * MIB), ends[2];

	/* In turns: when they meet the first one has 2 MiB left. */
	ends_with(0, COPY_IN, ends);
	assert_in_range(ends[0], six * 97 / 100, six * 102 / 100);
	assert_in_range(ends[1], eight * 97 / 100, eight * 102 / 100);
	ends_with(3, COPY_IN, ends);
	assert_in_range(ends[0], eight * 97 / 100, eight * 102 / 100);
	assert_in_range(ends[1], six * 97 / 100, six * 102 / 100);
	/* The other way is nobody's concern. */
	ends_with(3, COPY_OUT, ends);
	assert_in_range(ends[0], 2 * two * 97 / 100, 2 * two * 102 / 100);
	assert_in_range(ends[1], six * 97 / 100, six * 102 / 100);
	free(bench);
}

/* --- repeats ---------------------------------------------------------------------------- */

/* Holds each copy for some time, and then another one. */
static int hold_in_turn(const struct simgpu_snapshot *snapshot, void *state,
			struct simgpu_proposal *proposal)
{
	u32 *turns = state;

	policy_split_even(snapshot, proposal);
	proposal->flags |= SIMGPU_SAYS_HOLD_COPIES | SIMGPU_SAYS_COPY_PRIORITY;
	proposal->hold_copies[0] = ++*turns % 3 ? 0 : 1;
	proposal->hold_copies[1] = *turns % 2 ? 3 : 0;
	proposal->copy_priority[*turns % 2] = (u8)(*turns % 4);
	proposal->wake_cycle = snapshot->cycle + 3000;
	return 0;
}

static const struct simgpu_policy turning = {
	.name = "turning", .decide = hold_in_turn, .state_bytes = sizeof(u32),
	.events = SIMGPU_ON_ARRIVAL | SIMGPU_ON_DEPARTURE | SIMGPU_ON_COPY_READY |
		  SIMGPU_ON_COPY_END | SIMGPU_ON_WAKE,
};

static struct trace *mixed(void)
{
	return TRACE({ COPY_IN, 0, 0, 700001 }, { KERNEL, 1, 0, 0 }, { COPY_OUT, 1, 0, 90000 },
		     { KERNEL, 0, 0, 0 }, { SET, 0, 0, 500000 }, { COPY_IN, 1, 0, 300000 },
		     { DELAY, 1, 0, 4000 }, { COPY_OUT, 0, 0, 100000 });
}

/* At any cycle a journal makes the same session again; slices change nothing. */
static void journals_and_slices_repeat_it(void **state)
{
	struct trace *trace = mixed();
	u64 cycle, ends = 0;

	for (cycle = 1000; cycle < 300000; cycle += 29989) {
		struct bench *from = started(&turning), *to = prepared(&turning);
		u64 at;

		bench_start(to);
		launch(from, 0, trace, 2, 0);
		launch(from, 1, trace, 2, 0);
		for (at = 0; at < cycle; at += 997)
			session_run(from->session, min_t(u64, 997, cycle - at));
		replay_journal(from->session, to->session, (const struct trace *[]) { trace }, 1);
		assert_int_equal(session_state_hash(from->session),
				 session_state_hash(to->session));
		run_dry(from);
		run_dry(to);
		assert_int_equal(session_end_cycle(from->session),
				 session_end_cycle(to->session));
		assert_true(!ends || ends == session_end_cycle(to->session));
		ends = session_end_cycle(to->session);
		bench_free(from);
		bench_free(to);
	}
	trace_free(trace);
}

/* What a policy says of copies is in the hash once it differs from nothing. */
static void the_hash_has_what_is_said(void **state)
{
	struct bench *bench = started(&policy_even);
	u8 *bytes[] = {
		&bench->session->controls.hold_copies[0],
		&bench->session->controls.hold_copies[63],
		&bench->session->controls.copy_priority[0],
		&bench->session->controls.copy_priority[63],
	};
	u64 hash = session_state_hash(bench->session);
	u32 i;

	for (i = 0; i < ARRAY_SIZE(bytes); i++) {
		*bytes[i] ^= 1;
		assert_int_not_equal(session_state_hash(bench->session), hash);
		*bytes[i] ^= 1;
	}
	assert_int_equal(session_state_hash(bench->session), hash);
	bench_free(bench);
}

/* --- orion ------------------------------------------------------------------------------ */

/* Ends of a best-effort copy of 1 MiB that comes with a high-priority one of 4 MiB. */
static void ends_under_orion(u64 free_copies, u16 kind, u64 *ends)
{
	struct trace *long_one = TRACE({ COPY_IN, 0, 0, 4 * MIB });
	struct trace *short_one = TRACE({ kind, 0, 0, MIB });
	struct session_tenant_options options = plain();
	struct bench *bench = prepared(&policy_orion);

	bench_start(bench);
	join(bench, 0);
	options.service = SIMGPU_QOS;
	options.target_ppm = SIMGPU_PPM / 2;
	assert_int_equal(session_join(bench->session, 1, &options), 1);
	assert_int_equal(session_set_param(bench->session, SESSION_POLICY_PARAMS, "free_copies",
					   free_copies), 0);
	launch(bench, 1, long_one, 1, 0);
	launch(bench, 0, short_one, 1, 0);
	run_to_ends(bench, ends);
	assert_int_equal(bench->done_count, 2);
	assert_int_equal(session_last_refusal(bench->session)->kind, SESSION_REFUSED_NOTHING);
	bench_free(bench);
	trace_free(long_one);
	trace_free(short_one);
}

static void orion_keeps_the_link_free(void **state)
{
	struct bench *bench = prepared(&policy_orion);
	u64 one = link_cycles(bench, MIB), four = link_cycles(bench, 4 * MIB);
	u64 five = link_cycles(bench, 5 * MIB), ends[2];

	/* In turns the short one takes twice its time, and the long one both times. */
	ends_under_orion(1, COPY_IN, ends);
	assert_in_range(ends[0], 2 * one * 97 / 100, 2 * one * 105 / 100);
	assert_in_range(ends[1], five * 97 / 100, five * 102 / 100);
	ends_under_orion(0, COPY_IN, ends);
	assert_in_range(ends[0], five * 97 / 100, five * 102 / 100);
	assert_in_range(ends[1], four * 97 / 100, four * 102 / 100);
	/* The other direction is free. */
	ends_under_orion(0, COPY_OUT, ends);
	assert_in_range(ends[0], one * 97 / 100, one * 105 / 100);
	free(bench);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_policy_sees_copies),
		cmocka_unit_test(a_policy_sees_the_link),
		cmocka_unit_test(who_does_not_listen_changes_nothing),
		cmocka_unit_test(copies_are_held_by_queue),
		cmocka_unit_test(a_held_copy_waits),
		cmocka_unit_test(a_copy_that_has_begun_goes_on),
		cmocka_unit_test(a_hold_needs_no_events),
		cmocka_unit_test(a_hold_has_a_limit),
		cmocka_unit_test(a_hold_ends_with_its_policy_and_its_tenant),
		cmocka_unit_test(a_decision_takes_time),
		cmocka_unit_test(the_highest_priority_goes_first),
		cmocka_unit_test(journals_and_slices_repeat_it),
		cmocka_unit_test(the_hash_has_what_is_said),
		cmocka_unit_test(orion_keeps_the_link_free),
	};

	return cmocka_run_group_tests(tests, make_traces, free_traces);
}
