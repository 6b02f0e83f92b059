// SPDX-License-Identifier: GPL-2.0
/*
 * Queues of a tenant in a session: several run at once, launches wait for those of
 * other queues, policies see each and may hold it; and journals, threads and the
 * state hash know of all that.
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
#include "../../kmod/session/journal.h"
#include "bench.h"
#include "journal_of.h"
#include "random.h"

static u64 launch_in(struct bench *bench, u32 queue, const struct trace *trace,
		     u64 first, u64 second)
{
	const struct session_launch_options options = {
		.trace = trace,
		.repeats = 1,
		.queue = queue,
		.wait = { first, second },
	};
	u64 sequence;

	assert_int_equal(session_launch_with(bench->session, 0, &options,
					     &sequence), 0);
	return sequence;
}

static struct bench *bench_for_one(void)
{
	struct bench *bench = malloc(sizeof(*bench));

	bench_options(bench, 0);
	bench->options.policy = &policy_even;
	bench->options.epoch_cycles = SESSION_EPOCH_CYCLES_MAX;
	bench->options.kernel_end = SESSION_KERNEL_END_CARRY;
	session_default_params(&bench->options);
	bench_start(bench);
	join(bench, 0);
	return bench;
}

static u64 run_dry(struct bench *bench)
{
	session_run(bench->session, ALL_AT_ONCE);
	assert_int_equal(session_state(bench->session), SESSION_IDLE);
	return session_end_cycle(bench->session);
}

static void expect_done(const struct bench *bench, u32 index, u32 queue,
			u64 sequence)
{
	assert_true(index < bench->done_count);
	assert_int_equal(bench->done[index].queue, queue);
	assert_int_equal(bench->done[index].sequence, sequence);
	assert_int_equal(bench->done[index].status, 0);
}

/* --- what runs when --------------------------------------------------------------------- */

/*
 * A kernel of 4 blocks leaves half of the SMs idle, and another queue's uses
 * that. In one queue they run one after the other.
 */
static void queues_overlap(void **state)
{
	struct trace *few = trace_compute(4, 20, 100);
	struct bench *apart = bench_for_one(), *behind = bench_for_one();
	u64 alone, both;

	launch_in(behind, 3, few, 0, 0);
	launch_in(behind, 3, few, 0, 0);
	both = run_dry(behind);
	launch_in(apart, 3, few, 0, 0);
	launch_in(apart, 0, few, 0, 0);
	alone = run_dry(apart);
	assert_true(alone < both * 3 / 4);
	assert_int_equal(apart->done_count, 2);
	assert_int_equal(behind->done_count, 2);
	expect_done(behind, 0, 3, 1);
	expect_done(behind, 1, 3, 2);
	bench_free(apart);
	bench_free(behind);
	trace_free(few);
}

/* A short launch is not kept by a long one of another queue, as it is behind it. */
static void nobody_waits_at_the_head_of_another_line(void **state)
{
	struct bench *bench = bench_for_one();

	launch_in(bench, 0, copying, 0, 0);
	launch_in(bench, 0, brief, 0, 0);
	session_set_queue(bench->session, 0, 1, 3);
	launch_in(bench, 1, brief, 0, 0);
	run_dry(bench);
	assert_int_equal(bench->done_count, 3);
	expect_done(bench, 0, 1, 3);
	expect_done(bench, 1, 0, 1);
	expect_done(bench, 2, 0, 2);
	bench_free(bench);
}

/** struct span - when a launch's kernel started and finished */
struct span {
	struct session *session;
	u64 started[32];
	u64 finished[32];
};

static void on_start(void *context, u32 slot, u32 queue, u64 sequence,
		     const struct trace *trace, u32 kernel)
{
	struct span *span = context;

	span->started[sequence] = session_now(span->session);
}

static void on_finish(void *context, u32 slot, u32 queue, u64 sequence,
		      const struct trace *trace, u32 kernel, u64 ended)
{
	struct span *span = context;

	span->finished[sequence] = session_now(span->session);
}

/* Two queues overlap, and a third one's launch waits for both. */
static void launches_wait_for_others(void **state)
{
	struct span span = { 0 };
	struct bench *bench = malloc(sizeof(*bench));
	u64 first, second, third, fourth;

	bench_options(bench, 0);
	bench->options.policy = &policy_even;
	session_default_params(&bench->options);
	bench->hooks = (struct session_hooks) {
		.context = &span,
		.kernel_start = on_start,
		.kernel_finish = on_finish,
	};
	bench_start(bench);
	span.session = bench->session;
	join(bench, 0);
	first = launch_in(bench, 0, middling, 0, 0);
	second = launch_in(bench, 1, brief, 0, 0);
	third = launch_in(bench, 2, brief, first, second);
	fourth = launch_in(bench, 1, brief, third, 0);
	run_dry(bench);
	assert_true(span.started[second] < span.finished[first]);
	assert_true(span.started[third] == span.finished[first]);
	assert_true(span.started[third] >= span.finished[second]);
	assert_true(span.started[fourth] == span.finished[third]);
	/* What has ended is waited for no more. */
	first = launch_in(bench, 5, brief, fourth, second);
	run_dry(bench);
	assert_true(span.started[first] == span.finished[fourth]);
	bench_free(bench);
}

/* Who waits for a launch waits for its first end: runs that follow are of a gang only. */
static void a_launch_that_runs_again_has_ended(void **state)
{
	struct span span = { 0 };
	struct bench *bench = malloc(sizeof(*bench));
	u64 first, second, third, now;

	bench_options(bench, 1);
	bench->options.stop_cycle = 10000000;
	bench->options.policy = &policy_even;
	session_default_params(&bench->options);
	bench->hooks = (struct session_hooks) {
		.context = &span,
		.kernel_start = on_start,
		.kernel_finish = on_finish,
	};
	bench_start(bench);
	span.session = bench->session;
	join(bench, 0);
	first = launch_in(bench, 0, middling, 0, 0);
	second = launch_in(bench, 1, brief, first, 0);
	while (!span.started[second])
		session_run(bench->session, 100);
	assert_int_equal(span.started[second], span.finished[first]);
	session_run(bench->session, 1000);
	now = session_now(bench->session);
	assert_true(span.finished[first] < now);
	third = launch_in(bench, 2, brief, first, 0);
	session_run(bench->session, 1);
	assert_int_equal(span.started[third], now);
	/* One behind it in its queue may name it, too, and begins when this run ends. */
	third = launch_in(bench, 0, brief, first, 0);
	now = session_now(bench->session);
	while (!span.started[third])
		session_run(bench->session, 1000);
	assert_true(span.started[first] < now);
	assert_int_equal(span.started[third], span.finished[first]);
	bench_free(bench);
}

/* While launches let one another go, the tenant never rests. */
static void a_chain_is_one_piece_of_work(void **state)
{
	struct bench *bench = bench_for_one();
	u64 last = 0;
	u32 i;

	for (i = 0; i < SESSION_QUEUES_MAX; i++)
		last = launch_in(bench, i, brief, last, 0);
	run_dry(bench);
	/* One epoch, cut short by its end. */
	assert_int_equal(bench->epoch_count, 1);
	assert_int_equal(bench->done_count, SESSION_QUEUES_MAX);
	bench_free(bench);
}

/* --- refusals ------------------------------------------------------------------------- */

static void bad_launches_change_nothing(void **state)
{
	struct bench *bench = bench_for_one();
	struct session_launch_options options = {
		.trace = brief, .repeats = 1,
	};
	u64 sequence = 77, hash, lost;
	u32 events, after, i;

	launch_in(bench, 0, brief, 0, 0);
	launch_in(bench, 1, brief, 0, 0);
	hash = session_state_hash(bench->session);
	journal_of(bench->session, &events, &lost);
#define REFUSED(change) do { \
	struct session_launch_options bad = options; \
	\
	change; \
	assert_int_equal(session_launch_with(bench->session, 0, &bad, \
					     &sequence), -EINVAL); \
} while (0)
	/* A ninth queue. */
	REFUSED(bad.queue = SESSION_QUEUES_MAX);
	/* Itself, which is the only circle there could be; and unknown ones. */
	REFUSED(bad.wait[0] = 3);
	REFUSED(bad.wait[3] = 4);
	REFUSED(bad.wait[1] = U64_MAX);
	/* One of its own queue. */
	REFUSED((bad.queue = 1, bad.wait[0] = 2));
#undef REFUSED
	assert_int_equal(session_set_queue(bench->session, 0,
					   SESSION_QUEUES_MAX, 0), -EINVAL);
	assert_int_equal(session_set_queue(bench->session, 0, 0, 4), -EINVAL);
	assert_int_equal(session_set_queue(bench->session, 0, 0, -4), -EINVAL);
	assert_int_equal(session_set_queue(bench->session, 1, 0, 1), -EINVAL);
	assert_int_equal(sequence, 77);
	assert_true(session_state_hash(bench->session) == hash);
	journal_of(bench->session, &after, &lost);
	assert_int_equal(after, events);
	/* A queue is full; another one is not. */
	for (i = 1; i < SESSION_LAUNCHES_MAX; i++)
		launch_in(bench, 1, brief, 0, 0);
	options.queue = 1;
	assert_int_equal(session_launch_with(bench->session, 0, &options,
					     &sequence), -EAGAIN);
	launch_in(bench, 7, brief, 0, 0);
	run_dry(bench);
	assert_int_equal(bench->done_count, SESSION_LAUNCHES_MAX + 2);
	bench_free(bench);
}

/* --- policies --------------------------------------------------------------------------- */

static struct simgpu_snapshot seen;
static u32 asked;

static int hold_second(const struct simgpu_snapshot *snapshot, void *state,
		       struct simgpu_proposal *proposal)
{
	u32 *calls = state;

	policy_split_even(snapshot, proposal);
	seen = *snapshot;
	asked++;
	proposal->flags |= SIMGPU_SAYS_HOLD_QUEUES | SIMGPU_SAYS_RANKS |
			   SIMGPU_SAYS_BLOCK_ORDER;
	proposal->block_order = SIMGPU_ORDER_RANK;
	proposal->rank[0] = 9;
	/* Until the first one has ended. */
	proposal->hold_queues[0] = (*calls)++ ? 0 : 2;
	return 0;
}

static const struct simgpu_policy policy_hold_second = {
	.name = "hold-second",
	.events = SIMGPU_ON_ARRIVAL | SIMGPU_ON_KERNEL_READY |
		  SIMGPU_ON_KERNEL_END,
	.state_bytes = sizeof(u32),
	.decide = hold_second,
};

/* Each queue with its kernel and the next one; one that is held does not start. */
static void policies_see_and_hold_queues(void **state)
{
	struct bench *bench = malloc(sizeof(*bench));
	struct session_tenant_report report;

	bench_options(bench, 0);
	bench->options.policy = &policy_hold_second;
	session_default_params(&bench->options);
	bench_start(bench);
	join(bench, 0);
	session_set_queue(bench->session, 0, 2, -2);
	launch_in(bench, 0, middling, 0, 0);
	launch_in(bench, 1, brief, 0, 0);
	launch_in(bench, 2, brief, 1, 0);
	launch_in(bench, 2, middling, 0, 0);
	asked = 0;
	session_run(bench->session, 300);
	assert_int_equal(asked, 1);
	assert_int_equal(seen.tenants[0].queue_count, 3);
	assert_int_equal(seen.tenants[0].blocks, 128);
	assert_int_equal(seen.tenants[0].queue[0].head.flags,
			 SIMGPU_KERNEL_PRESENT);
	assert_int_equal(seen.tenants[0].queue[1].head.sequence, 2);
	/* It waits for an event: there is nothing at its head yet. */
	assert_int_equal(seen.tenants[0].queue[2].head.flags, 0);
	assert_int_equal(seen.tenants[0].queue[2].waiting, 1);
	assert_int_equal(seen.tenants[0].queue[2].priority, -2);
	session_tenant_report(bench->session, 0, &report);
	assert_int_equal(report.queue_count, 3);
	assert_int_equal(report.queue[0].state, SESSION_QUEUE_RUNNING);
	assert_int_equal(report.queue[1].state, SESSION_QUEUE_READY);
	assert_true(report.queue[1].held);
	assert_int_equal(report.queue[2].state, SESSION_QUEUE_WAITING);
	assert_int_equal(report.waiting, 1);
	run_dry(bench);
	assert_int_equal(session_last_refusal(bench->session)->kind,
			 SESSION_REFUSED_NOTHING);
	assert_int_equal(bench->done_count, 4);
	expect_done(bench, 0, 0, 1);
	bench_free(bench);
}

/* --- gangs, relaunches, first runs ---------------------------------------------------- */

/* A gang starts when the last launch of each member is there. */
static void a_gang_waits_for_all_launches(void **state)
{
	struct bench *bench = bench_new(2);
	struct session_launch_options options = {
		.trace = brief, .repeats = 1, .more = true,
	};
	struct session_tenant_report report;
	u64 sequence;

	join(bench, 0);
	join(bench, 1);
	launch(bench, 1, random_reads, 1, 0);
	assert_int_equal(session_launch_with(bench->session, 0, &options,
					     &sequence), 0);
	assert_int_equal(session_state(bench->session), SESSION_WAITING);
	options.queue = 4;
	options.more = false;
	options.wait[0] = sequence;
	assert_int_equal(session_launch_with(bench->session, 0, &options,
					     &sequence), 0);
	assert_int_equal(session_state(bench->session), SESSION_RUNNING);
	session_run(bench->session, ALL_AT_ONCE);
	assert_int_equal(session_state(bench->session), SESSION_STOPPED);
	/* Both are launched again; the first run is that of both. */
	session_tenant_report(bench->session, 0, &report);
	assert_true(report.first_run_done);
	assert_int_equal(report.queue_count, 5);
	assert_int_equal(report.queue[0].state, SESSION_QUEUE_RUNNING);
	assert_int_equal(report.queue[1].state, SESSION_QUEUE_EMPTY);
	assert_int_equal(report.queue[4].state, SESSION_QUEUE_RUNNING);
	assert_true(report.figures.thread_instructions >=
		    2 * 64 * 256 * 4 * 10);
	assert_true(report.counters.thread_instructions >
		    2 * report.figures.thread_instructions);
	bench_free(bench);
}

/* --- memory ------------------------------------------------------------------------------- */

/* Queues of a tenant share its address space, so their footprints do not add up. */
static void footprints_of_a_tenant_do_not_add_up(void **state)
{
	struct trace *large = trace_random(64, 4, 4, 40ULL << 20);
	struct bench *bench = malloc(sizeof(*bench));
	struct session_tenant_report report;
	u64 sequence;

	bench_options(bench, 0);
	bench->options.policy = &policy_even;
	bench->options.config.memory_mb = 64;
	session_default_params(&bench->options);
	bench_start(bench);
	join(bench, 0);
	join(bench, 1);
	launch_in(bench, 0, large, 0, 0);
	launch_in(bench, 1, large, 0, 0);
	assert_int_equal(session_launch(bench->session, 1, large, 1, 0,
					&sequence), 0);
	session_run(bench->session, 1000);
	session_tenant_report(bench->session, 0, &report);
	assert_int_equal(report.queue[0].state, SESSION_QUEUE_RUNNING);
	assert_int_equal(report.queue[1].state, SESSION_QUEUE_RUNNING);
	assert_false(report.waits_for_memory);
	session_tenant_report(bench->session, 1, &report);
	assert_true(report.waits_for_memory);
	run_dry(bench);
	assert_int_equal(bench->done_count, 3);
	bench_free(bench);
	trace_free(large);
}

/* --- journals and the state hash ---------------------------------------------------------- */

static const struct simgpu_policy *find_policy(const char *name)
{
	return &policy_even;
}

static const struct trace *trace_named(const struct journal_event *event)
{
	const struct trace *const traces[] = { brief, middling, copying };
	u32 i;

	for (i = 0; i < ARRAY_SIZE(traces); i++)
		if (event->kind == JOURNAL_LAUNCH &&
		    traces[i]->checksum == event->launch.checksum)
			return traces[i];
	return NULL;
}

/* Repeat a journal, of which each event goes through its text. */
static u64 repeat(struct bench *from, u64 until)
{
	const struct session_replay given = { .policy = find_policy };
	const struct journal_names names = { .policy = find_policy };
	struct bench *bench = malloc(sizeof(*bench));
	const struct journal_event *events;
	char text[JOURNAL_LINE_BYTES], reason[128];
	u64 lost, hash;
	u32 count, i;

	memcpy(bench, from, sizeof(*bench));
	bench->hooks.context = bench;
	bench->done_count = 0;
	bench->epoch_count = 0;
	bench_start(bench);
	events = journal_of(from->session, &count, &lost);
	for (i = 0; i < count; i++) {
		struct journal_line line;
		const char *at = text;

		journal_print_event(text, &events[i]);
		assert_int_equal(journal_parse_line(&at, &names, &line, reason,
						    sizeof(reason)), 0);
		assert_int_equal(session_replay_event(bench->session,
						      &line.event,
						      trace_named(&line.event),
						      &given), 0);
	}
	session_run(bench->session, until - session_now(bench->session));
	hash = session_state_hash(bench->session);
	bench_free(bench);
	return hash;
}

static void journals_repeat(void **state)
{
	struct bench *bench = bench_for_one();
	const struct session_masks masks = {
		.sms = { 0x3f }, .channels = 0x7, .llc_ways = 0xf00f,
	};
	const struct session_launch_options masked = {
		.trace = middling, .repeats = 1, .queue = 4, .sms = { 0x16 },
	};
	u64 first, second, third;

	first = launch_in(bench, 0, copying, 0, 0);
	second = launch_in(bench, 6, middling, 0, 0);
	session_run(bench->session, 777);
	launch_in(bench, 2, brief, first, second);
	session_set_masks(bench->session, 0, &masks);
	session_launch_with(bench->session, 0, &masked, &third);
	session_set_queue(bench->session, 0, 6, -3);
	session_set_queue(bench->session, 0, 2, 2);
	launch_in(bench, 2, brief, 0, 0);
	session_run(bench->session, 3000);
	assert_true(repeat(bench, session_now(bench->session)) ==
		    session_state_hash(bench->session));
	run_dry(bench);
	assert_true(repeat(bench, session_now(bench->session)) ==
		    session_state_hash(bench->session));
	bench_free(bench);
}

/* A line that says what cannot be is refused. */
static void bad_lines_are_refused(void **state)
{
	static const char *const lines[] = {
		"5 queue slot=0 queue=8 priority=0\n",
		"5 masks slot=64 sms0=0x1 sms1=0x0 channels=0x1 llc_ways=0x1\n",
		"5 masks slot=0 sms0=1 sms1=0x0 channels=0x1 llc_ways=0x1\n",
		"5 masks slot=0 sms0=0x1 channels=0x1 llc_ways=0x1\n",
		"5 masks slot=0 sms0=0x1 sms1=0x0 llc_ways=0x1\n",
		"5 queue slot=0 queue=1 priority=4\n",
		"5 queue slot=0 queue=1 priority=-4\n",
		"5 queue slot=0 queue=1 priority=-\n",
		"5 queue slot=0 queue=1 priority=\"1\"\n",
		"5 queue slot=0 queue=1\n",
		"5 queue slot=0 priority=1\n",
		"5 launch slot=0 sequence=1 checksum=0x00000001 bytes=8 repeats=1 not_before_cycle=0 queue=8\n",
		"5 launch slot=0 sequence=1 checksum=0x00000001 bytes=8 repeats=1 not_before_cycle=0 more=2\n",
		"5 launch slot=0 sequence=1 checksum=0x00000001 bytes=8 repeats=1 not_before_cycle=0 wait2=x\n",
	};
	const struct journal_names names = { .policy = find_policy };
	struct journal_line line;
	char reason[128];
	u32 i;

	for (i = 0; i < ARRAY_SIZE(lines); i++) {
		const char *at = lines[i];

		assert_int_equal(journal_parse_line(&at, &names, &line, reason,
						    sizeof(reason)), -EINVAL);
	}
}

/* Each thing that a queue remembers is in the state hash. */
static void every_field_shows(void **state)
{
	struct bench *bench = bench_for_one();
	struct session_tenant *tenant = &bench->session->tenants[0];
	struct simgpu_proposal *controls = &bench->session->controls;
	struct queue *queue = &tenant->queue[2];
	u64 hash;

	launch_in(bench, 0, copying, 0, 0);
	launch_in(bench, 2, brief, 1, 0);
	session_run(bench->session, 500);
	hash = session_state_hash(bench->session);
#define SHOWS(field) do { \
	typeof(field) was = field; \
	\
	field = was ^ 1; \
	assert_true(session_state_hash(bench->session) != hash); \
	field = was; \
	assert_true(session_state_hash(bench->session) == hash); \
} while (0)
	SHOWS(tenant->running);
	SHOWS(tenant->ready);
	SHOWS(tenant->launching);
	SHOWS(tenant->pending);
	SHOWS(tenant->more);
	SHOWS(queue->kernel);
	SHOWS(queue->priority);
	SHOWS(queue->ran);
	SHOWS(queue->launches);
	SHOWS(queue->launch[queue->head].sequence);
	SHOWS(queue->launch[queue->head].not_before);
	SHOWS(queue->launch[queue->head].wait[0]);
	SHOWS(queue->launch[queue->head].wait[3]);
	SHOWS(queue->launch[queue->head].done);
	SHOWS(controls->hold_queues[5]);
	SHOWS(controls->rank[5]);
#undef SHOWS
	bench_free(bench);
}

/* --- anything at any time -------------------------------------------------------------------- */

/* A launch of any kind; returns whether the session took it. */
static bool any_launch(struct bench *bench, u64 *made)
{
	const struct trace *const traces[] = { brief, middling };
	struct session_launch_options options = {
		.trace = traces[random_below(ARRAY_SIZE(traces))],
		.repeats = 1 + random_below(2),
		.queue = random_below(SESSION_QUEUES_MAX + 1),
		.not_before = random_below(4) ? 0 :
			      session_now(bench->session) + random_below(3000),
		.wait = { random_below((u32)*made + 3),
			  random_below((u32)*made + 2) },
	};
	u64 sequence;
	int ret = session_launch_with(bench->session, 0, &options, &sequence);

	if (ret) {
		assert_true(ret == -EINVAL || ret == -EAGAIN);
		return false;
	}
	*made = sequence;
	return true;
}

/* Each launch that was taken ends once, in order within its queue. */
static void every_launch_ends_once(void **state)
{
	u64 seed;

	for (seed = 1; seed <= 6; seed++) {
		u64 made = 0, last[SESSION_QUEUES_MAX] = { 0 };
		struct bench *bench = bench_for_one();
		bool ended[DONE_MAX] = { false };
		u32 i, taken = 0;

		random_state = seed * 104729;
		for (i = 0; i < 120; i++) {
			taken += any_launch(bench, &made);
			if (!random_below(4))
				session_run(bench->session,
					    1 + random_below(4000));
			if (!random_below(9))
				session_set_queue(bench->session, 0,
						  random_below(8),
						  (s32)random_below(7) - 3);
		}
		run_dry(bench);
		assert_int_equal(bench->done_count, taken);
		assert_int_equal(made, taken);
		for (i = 0; i < taken; i++) {
			struct done *done = &bench->done[i];

			assert_int_equal(done->status, 0);
			assert_false(ended[done->sequence]);
			ended[done->sequence] = true;
			assert_true(done->sequence > last[done->queue]);
			last[done->queue] = done->sequence;
		}
		bench_free(bench);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(queues_overlap),
		cmocka_unit_test(nobody_waits_at_the_head_of_another_line),
		cmocka_unit_test(launches_wait_for_others),
		cmocka_unit_test(a_launch_that_runs_again_has_ended),
		cmocka_unit_test(a_chain_is_one_piece_of_work),
		cmocka_unit_test(bad_launches_change_nothing),
		cmocka_unit_test(policies_see_and_hold_queues),
		cmocka_unit_test(a_gang_waits_for_all_launches),
		cmocka_unit_test(footprints_of_a_tenant_do_not_add_up),
		cmocka_unit_test(journals_repeat),
		cmocka_unit_test(bad_lines_are_refused),
		cmocka_unit_test(every_field_shows),
		cmocka_unit_test(every_launch_ends_once),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests_name("queues", tests, make_traces,
					   free_traces);
}
