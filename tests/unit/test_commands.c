// SPDX-License-Identifier: GPL-2.0
/*
 * Launches of traces with commands: what runs when, in which order and how often; delays,
 * marks and copies to the cycle; what follows when they are dropped; and journals, slices
 * and the state hash.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <cmocka.h>

#include "../../kmod/session/copies.h"
#include "../../kmod/session/internal.h"
#include "../../kmod/session/snapshot.h"
#include "../../kmod/session/launch.h"
#include "bench.h"
#include "journal_of.h"

#define KERNEL		SIMGPU_TRACE_COMMAND_KERNEL
#define COPY_IN		SIMGPU_TRACE_COMMAND_COPY_IN
#define COPY_OUT	SIMGPU_TRACE_COMMAND_COPY_OUT
#define COPY		SIMGPU_TRACE_COMMAND_COPY
#define SET		SIMGPU_TRACE_COMMAND_SET
#define RECORD		SIMGPU_TRACE_COMMAND_RECORD
#define WAIT		SIMGPU_TRACE_COMMAND_WAIT
#define DELAY		SIMGPU_TRACE_COMMAND_DELAY
#define MARK		SIMGPU_TRACE_COMMAND_MARK
/* What marks end */
#define FIRST		SIMGPU_TRACE_MARK_FIRST_TOKEN
#define TOKEN		SIMGPU_TRACE_MARK_TOKEN
#define REQUEST		SIMGPU_TRACE_MARK_REQUEST

#define MIB		(1ULL << 20)
#define EVENTS_MAX	4096
/* Indices of the kernels of a trace */
enum { BRIEF, LONG, FEW };

/* struct step - a command */
struct step {
	u16 kind;
	u16 queue;
	u32 what;
	u32 repeat;
	u64 amount;
};

static void add_kernel(struct builder *b, const char *name, u32 blocks, u32 trips)
{
	builder_kernel(b, name, blocks, 256, 32, 0);
	builder_loop(b, trips);
	builder_compute(b, 20, 32);
	builder_loop_end(b);
}

/* Kernels brief, long and few (of 4 blocks), and allocations of 64 MiB and 1 MiB. */
static struct trace *make(const struct step *steps, u32 count)
{
	struct builder *b = builder_new("commands", "test");
	u32 i;

	add_kernel(b, "brief", 64, 4);
	add_kernel(b, "long", 64, 20);
	add_kernel(b, "few", 4, 100);
	builder_allocation(b, "large", 0, 64 * MIB, SIMGPU_TRACE_DEVICE);
	builder_allocation(b, "small", 64 * MIB, MIB, SIMGPU_TRACE_DEVICE);
	for (i = 0; i < count; i++)
		builder_command(b, steps[i].kind, steps[i].queue, steps[i].what,
				steps[i].repeat, steps[i].amount);
	return trace_of(b, 65 * MIB);
}

#define TRACE(...) \
	({ const struct step steps[] = { __VA_ARGS__ }; make(steps, ARRAY_SIZE(steps)); })

/* struct seen - a kernel that started or finished */
struct seen {
	bool finish;
	u32 queue;
	u32 kernel;
	u64 cycle;
};

/* struct lab - a session, and what its kernels did; the bench comes first */
struct lab {
	struct bench bench;
	struct seen seen[EVENTS_MAX];
	u32 count;
};

static void see(struct lab *lab, bool finish, u32 queue, u32 kernel, u64 cycle)
{
	assert_true(lab->count < EVENTS_MAX);
	lab->seen[lab->count++] = (struct seen) { finish, queue, kernel, cycle };
}

static void on_start(void *context, u32 slot, u32 queue, u64 sequence,
		     const struct trace *trace, u32 kernel)
{
	struct lab *lab = context;

	see(lab, false, queue, kernel, session_now(lab->bench.session));
}

static void on_finish(void *context, u32 slot, u32 queue, u64 sequence,
		      const struct trace *trace, u32 kernel, u64 ended)
{
	see(context, true, queue, kernel, ended);
}

static struct lab *lab_options(void)
{
	struct lab *lab = calloc(1, sizeof(*lab));

	bench_options_even(&lab->bench, 0, SESSION_EPOCH_CYCLES_MAX);
	lab->bench.hooks = (struct session_hooks) {
		.context = lab, .epoch = on_epoch, .launch_done = on_done,
		.kernel_start = on_start, .kernel_finish = on_finish,
	};
	return lab;
}

static struct lab *lab_new(void)
{
	struct lab *lab = lab_options();

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

static int try_in(struct lab *lab, const struct trace *trace, u32 queue, u64 repeats)
{
	const struct session_launch_options options = {
		.trace = trace, .repeats = repeats, .queue = queue,
	};
	u64 sequence;

	return session_launch_with(lab->bench.session, 0, &options, &sequence);
}

static void expect_seen(const struct lab *lab, u32 index, bool finish, u32 queue, u32 kernel)
{
	assert_true(index < lab->count);
	assert_int_equal(lab->seen[index].finish, finish);
	assert_int_equal(lab->seen[index].queue, queue);
	assert_int_equal(lab->seen[index].kernel, kernel);
}

static u64 cycles_of_ns(const struct lab *lab, u64 ns)
{
	return (ns * lab->bench.options.config.core_mhz + 999) / 1000;
}

/* --- kernels -------------------------------------------------------------------------- */

/* They run in the order of the commands, as often as those say, and no others do. */
static void kernels_run_as_commands_say(void **state)
{
	static const u32 order[] = { LONG, LONG, BRIEF, LONG };
	struct trace *trace = TRACE({ KERNEL, 0, LONG, 2, 0 }, { KERNEL, 0, BRIEF, 1, 0 },
				    { KERNEL, 0, LONG, 1, 0 });
	struct lab *lab = lab_new();
	u32 i;

	launch(&lab->bench, 0, trace, 1, 0);
	run_dry(lab);
	assert_int_equal(lab->count, 8);
	for (i = 0; i < 4; i++) {
		expect_seen(lab, 2 * i, false, 0, order[i]);
		expect_seen(lab, 2 * i + 1, true, 0, order[i]);
	}
	assert_int_equal(lab->bench.done_count, 1);
	lab_free(lab);
	trace_free(trace);
}

/* The same kernels take the same cycles as without commands. */
static void kernels_alone_take_as_long_as_ever(void **state)
{
	struct trace *with = TRACE({ KERNEL, 0, BRIEF, 1, 0 }, { KERNEL, 0, LONG, 1, 0 },
				   { KERNEL, 0, FEW, 1, 0 });
	struct trace *without = make(NULL, 0);
	struct lab *a = lab_new(), *b = lab_new();
	u32 i;

	launch(&a->bench, 0, with, 2, 0);
	run_dry(a);
	launch(&b->bench, 0, without, 2, 0);
	run_dry(b);
	assert_int_equal(a->count, 12);
	assert_int_equal(b->count, 12);
	for (i = 0; i < a->count; i++)
		assert_int_equal(a->seen[i].cycle, b->seen[i].cycle);
	assert_int_equal(report_of(&a->bench, 0).latency.latency_p50_ns,
			 report_of(&b->bench, 0).latency.latency_p50_ns);
	lab_free(a);
	lab_free(b);
	trace_free(with);
	trace_free(without);
}

static void a_kernel_runs_a_thousand_times(void **state)
{
	struct trace *trace = TRACE({ KERNEL, 0, FEW, 1000, 0 });
	struct lab *lab = lab_new();

	launch(&lab->bench, 0, trace, 2, 0);
	run_dry(lab);
	assert_int_equal(lab->count, 4000);
	assert_int_equal(report_of(&lab->bench, 0).counters.kernels_finished, 2000);
	lab_free(lab);
	trace_free(trace);
}

/* --- queues and events ---------------------------------------------------------------- */

static void queues_overlap(void **state)
{
	struct trace *apart = TRACE({ KERNEL, 0, FEW, 1, 0 }, { KERNEL, 3, FEW, 1, 0 });
	struct trace *behind = TRACE({ KERNEL, 0, FEW, 2, 0 });
	struct lab *a = lab_new(), *b = lab_new();

	launch(&a->bench, 0, apart, 1, 0);
	run_dry(a);
	launch(&b->bench, 0, behind, 1, 0);
	run_dry(b);
	assert_true(a->seen[a->count - 1].cycle < b->seen[b->count - 1].cycle * 3 / 4);
	/* One completion, of the queue of the launch */
	assert_int_equal(a->bench.done_count, 1);
	assert_int_equal(a->bench.done[0].queue, 0);
	assert_int_equal(report_of(&a->bench, 0).queue_count, 4);
	lab_free(a);
	lab_free(b);
	trace_free(apart);
	trace_free(behind);
}

/* Queue 1 waits for queue 0's long kernel, and queue 0 then for queue 1's brief one. */
static void events_order_queues(void **state)
{
	struct trace *trace = TRACE({ KERNEL, 0, LONG, 1, 0 }, { RECORD, 0, 5, 1, 0 },
				    { WAIT, 1, 5, 1, 0 }, { KERNEL, 1, BRIEF, 1, 0 },
				    { RECORD, 1, 6, 1, 0 }, { WAIT, 0, 6, 1, 0 },
				    { KERNEL, 0, FEW, 1, 0 });
	struct lab *lab = lab_new();

	launch(&lab->bench, 0, trace, 2, 0);
	run_dry(lab);
	assert_int_equal(lab->count, 12);
	expect_seen(lab, 0, false, 0, LONG);
	expect_seen(lab, 1, true, 0, LONG);
	expect_seen(lab, 2, false, 1, BRIEF);
	expect_seen(lab, 3, true, 1, BRIEF);
	expect_seen(lab, 4, false, 0, FEW);
	/* Events are those of one run: the second one begins with queue 0 again. */
	expect_seen(lab, 6, false, 0, LONG);
	expect_seen(lab, 8, false, 1, BRIEF);
	lab_free(lab);
	trace_free(trace);
}

/* A wait for an event that nothing has recorded before it is none, as CUDA has it. */
static void a_wait_without_a_record_is_none(void **state)
{
	struct trace *trace = TRACE({ WAIT, 1, 5, 1, 0 }, { KERNEL, 1, BRIEF, 1, 0 },
				    { KERNEL, 0, LONG, 1, 0 }, { RECORD, 0, 5, 1, 0 });
	struct lab *lab = lab_new();

	launch(&lab->bench, 0, trace, 1, 0);
	run_dry(lab);
	assert_int_equal(lab->count, 4);
	expect_seen(lab, 1, false, 1, BRIEF);
	assert_int_equal(lab->seen[1].cycle, lab->seen[0].cycle);
	lab_free(lab);
	trace_free(trace);
}

/* Queues count from that of the launch, which holds them all from its beginning to its end. */
static void a_launch_holds_its_queues(void **state)
{
	struct trace *both = TRACE({ KERNEL, 0, BRIEF, 1, 0 }, { KERNEL, 1, LONG, 1, 0 });
	struct trace *last = TRACE({ KERNEL, 7, BRIEF, 1, 0 });
	struct lab *lab = lab_new();

	assert_int_equal(try_in(lab, last, 1, 1), -EINVAL);
	assert_int_equal(try_in(lab, both, 7, 1), -EINVAL);
	/* The second launch needs queue 3, which the first one has until its end. */
	assert_int_equal(try_in(lab, both, 2, 1), 0);
	assert_int_equal(try_in(lab, both, 3, 1), 0);
	assert_int_equal(try_in(lab, brief, 4, 1), 0);
	session_run(lab->bench.session, 1);
	assert_int_equal(lab->count, 2);
	expect_seen(lab, 0, false, 2, BRIEF);
	expect_seen(lab, 1, false, 3, LONG);
	run_dry(lab);
	assert_true(lab->seen[2].finish && lab->seen[3].finish);
	expect_seen(lab, 4, false, 3, BRIEF);
	expect_seen(lab, 5, false, 4, LONG);
	assert_int_equal(lab->bench.done_count, 3);
	assert_int_equal(lab->bench.done[0].queue, 2);
	assert_int_equal(lab->bench.done[1].queue, 3);
	assert_int_equal(lab->bench.done[2].queue, 4);
	lab_free(lab);
	trace_free(both);
	trace_free(last);
}

/* Sixteen launches fit into each queue that a launch takes. */
static void each_queue_needs_room(void **state)
{
	struct trace *both = TRACE({ KERNEL, 0, BRIEF, 1, 0 }, { KERNEL, 1, BRIEF, 1, 0 });
	struct lab *lab = lab_new();
	u32 i;

	for (i = 0; i < SESSION_LAUNCHES_MAX; i++)
		assert_int_equal(try_in(lab, brief, 1, 1), 0);
	assert_int_equal(try_in(lab, both, 0, 1), -EAGAIN);
	assert_int_equal(try_in(lab, both, 2, 1), 0);
	run_dry(lab);
	assert_int_equal(lab->bench.done_count, SESSION_LAUNCHES_MAX + 1);
	lab_free(lab);
	trace_free(both);
}

/* --- delays and marks ----------------------------------------------------------------- */

static void delays_last_to_the_cycle(void **state)
{
	struct trace *trace = TRACE({ DELAY, 0, 0, 1, 10001 }, { KERNEL, 0, BRIEF, 1, 0 },
				    { DELAY, 0, 0, 3, 7001 }, { KERNEL, 0, BRIEF, 1, 0 });
	struct lab *lab = lab_new();

	launch(&lab->bench, 0, trace, 1, 500);
	session_run(lab->bench.session, 600);
	assert_false(report_of(&lab->bench, 0).active);
	run_dry(lab);
	assert_int_equal(lab->count, 4);
	assert_int_equal(lab->seen[0].cycle, 500 + cycles_of_ns(lab, 10001));
	assert_int_equal(lab->seen[2].cycle,
			 lab->seen[1].cycle + 3 * cycles_of_ns(lab, 7001));
	lab_free(lab);
	trace_free(trace);
}

/* Each mark is a latency: the first from the arrival, others from the mark before. */
static void marks_are_latencies(void **state)
{
	struct trace *trace = TRACE({ DELAY, 0, 0, 1, 10000 }, { MARK, 0, 0, 1, 0 },
				    { DELAY, 0, 0, 1, 20000 }, { MARK, 0, 0, 1, 0 });
	struct lab *lab = lab_new();
	struct latency_figures latency;

	launch(&lab->bench, 0, trace, 2, 1000);
	run_dry(lab);
	latency = report_of(&lab->bench, 0).latency;
	assert_int_equal(latency.launches, 4);
	assert_in_range(latency.latency_p50_ns, 9800, 10200);
	assert_in_range(latency.latency_p99_ns, 19600, 20400);
	assert_int_equal(latency.wait_p99_ns, 0);
	assert_int_equal(lab->bench.done_count, 1);
	lab_free(lab);
	trace_free(trace);
}

/* Many commands without time do not take the device for long: they go on in the next cycle. */
static void commands_without_time_take_a_cycle_in_the_end(void **state)
{
	struct builder *b = builder_new("marks", "test");
	struct lab *lab = lab_new();
	struct trace *trace;
	u32 i;

	add_kernel(b, "brief", 64, 4);
	for (i = 0; i < 3 * 4096; i++)
		builder_command(b, MARK, 0, 0, 1, 0);
	builder_command(b, KERNEL, 0, 0, 1, 0);
	trace = trace_of(b, 0);
	launch(&lab->bench, 0, trace, 1, 0);
	run_dry(lab);
	assert_int_equal(lab->seen[0].cycle, 3);
	assert_int_equal(report_of(&lab->bench, 0).latency.launches, 3 * 4096);
	lab_free(lab);
	trace_free(trace);
}

/* A tenant without a kernel has no work: it arrives and departs between the kernels. */
static void a_delay_is_no_work(void **state)
{
	struct trace *trace = TRACE({ KERNEL, 0, BRIEF, 1, 0 }, { DELAY, 0, 0, 1, 100000 },
				    { KERNEL, 0, BRIEF, 1, 0 });
	struct lab *lab = lab_new();
	struct session_tenant_report report;

	join(&lab->bench, 1);
	launch(&lab->bench, 1, computing, 1, 0);
	launch(&lab->bench, 0, trace, 1, 0);
	session_run(lab->bench.session, 100);
	assert_int_equal(report_of(&lab->bench, 0).sms, 4);
	session_run(lab->bench.session, 60000);
	report = report_of(&lab->bench, 0);
	assert_false(report.active);
	assert_int_equal(report.sms, 0);
	assert_int_equal(report.queue[0].state, SESSION_QUEUE_WAITING);
	assert_int_equal(report_of(&lab->bench, 1).sms, 8);
	session_run(lab->bench.session, cycles_of_ns(lab, 100000));
	assert_int_equal(report_of(&lab->bench, 0).counters.kernels_finished, 2);
	lab_free(lab);
	trace_free(trace);
}

/* --- tokens and requests -------------------------------------------------------------- */

static const struct session_tenant *tenant_of(const struct lab *lab)
{
	return &lab->bench.session->tenants[0];
}

static void expect_times(const struct times *times, u64 count, u64 cycles)
{
	assert_int_equal(times->count, count);
	assert_int_equal(times->cycles, cycles);
}

/*
 * First tokens count from the arrival, in later runs of a launch from the end of the run before;
 * further ones from the token before them. The launches are latencies as ever.
 */
static void tokens_are_counted_to_the_cycle(void **state)
{
	struct trace *trace = TRACE({ DELAY, 0, 0, 1, 50001 }, { MARK, 0, FIRST, 1, 0 },
				    { DELAY, 0, 0, 1, 3001 }, { MARK, 0, TOKEN, 1, 0 },
				    { DELAY, 0, 0, 2, 2001 }, { MARK, 0, TOKEN, 1, 0 },
				    { DELAY, 0, 0, 1, 701 });
	struct lab *lab = lab_new();
	u64 first = cycles_of_ns(lab, 50001), second = cycles_of_ns(lab, 3001);
	u64 third = 2 * cycles_of_ns(lab, 2001), rest = cycles_of_ns(lab, 701), one;
	struct session_tenant_report report;

	one = first + second + third + rest;
	launch(&lab->bench, 0, trace, 2, 1000);
	/* It comes while the other one runs, and waits. */
	launch(&lab->bench, 0, trace, 1, 1500);
	run_dry(lab);
	expect_times(&tenant_of(lab)->first_tokens, 3, 2 * first + (2 * one - 500 + first));
	expect_times(&tenant_of(lab)->tokens, 6, 3 * (second + third));
	report = report_of(&lab->bench, 0);
	assert_int_equal(report.first_tokens.count, 3);
	assert_int_equal(report.first_tokens.mean_ns,
			 tenant_of(lab)->first_tokens.cycles / 3 * 1000 /
			 lab->bench.options.config.core_mhz);
	assert_in_range(report.first_tokens.p50_ns, 49200, 50900);
	assert_in_range(report.tokens.p50_ns, 2950, 3100);
	assert_in_range(report.tokens.p99_ns, 3930, 4100);
	assert_int_equal(report.latency.launches, 2);
	assert_int_equal(tenant_of(lab)->latency.wait_cycles + tenant_of(lab)->latency.run_cycles,
			 2 * one + 3 * one - 500);
	lab_free(lab);
	trace_free(trace);
}

/* Request 0 has a brief kernel, request 1 a long one and one of few blocks. */
static struct trace *two_requests(void)
{
	return TRACE({ KERNEL, 0, BRIEF, 1, 0 }, { MARK, 0, FIRST, 1, 0 }, { MARK, 0, REQUEST, 1, 0 },
		     { KERNEL, 0, LONG, 1, 0 }, { MARK, 0, FIRST, 1, 0 },
		     { KERNEL, 0, FEW, 1, 0 }, { MARK, 0, TOKEN, 1, 0 }, { MARK, 0, REQUEST, 1, 0 });
}

/* Each run does the next request, whatever launch it is of, and then the first one again. */
static void a_run_does_one_request(void **state)
{
	static const u32 order[] = { BRIEF, LONG, FEW, BRIEF, LONG, FEW };
	struct trace *trace = two_requests();
	struct lab *lab = lab_new();
	u32 i;

	launch(&lab->bench, 0, trace, 3, 0);
	launch(&lab->bench, 0, trace, 1, 0);
	run_dry(lab);
	assert_int_equal(lab->count, 2 * ARRAY_SIZE(order));
	for (i = 0; i < ARRAY_SIZE(order); i++)
		expect_seen(lab, 2 * i, false, 0, order[i]);
	assert_int_equal(lab->bench.done_count, 2);
	assert_int_equal(tenant_of(lab)->first_tokens.count, 4);
	assert_int_equal(tenant_of(lab)->tokens.count, 2);
	/* A queue counts its own. */
	assert_int_equal(try_in(lab, trace, 3, 1), 0);
	run_dry(lab);
	expect_seen(lab, 2 * ARRAY_SIZE(order), false, 3, BRIEF);
	lab_free(lab);
	trace_free(trace);
}

/* Thread blocks that a queue's run has left, and those of the launch that waits behind it. */
static void expect_sizes(struct lab *lab, u64 left, u64 oldest)
{
	const struct simgpu_snapshot_queue *queue =
		&lab->bench.session->snapshot.tenants[0].queue[0];

	snapshot_fill(lab->bench.session);
	assert_int_equal(queue->blocks_left, left);
	assert_int_equal(queue->oldest_blocks, oldest);
}

/* Policies see how large requests are: that which runs, and the next one. */
static void requests_have_sizes(void **state)
{
	struct trace *trace = TRACE({ KERNEL, 0, BRIEF, 3, 0 }, { MARK, 0, REQUEST, 1, 0 },
				    { DELAY, 0, 0, 1, 10000 }, { KERNEL, 0, LONG, 1, 0 },
				    { KERNEL, 0, FEW, 2, 0 }, { MARK, 0, REQUEST, 1, 0 });
	struct lab *lab = lab_new();

	launch(&lab->bench, 0, trace, 1, 0);
	launch(&lab->bench, 0, trace, 1, 0);
	session_run(lab->bench.session, 300);
	expect_sizes(lab, 3 * 64, 64 + 2 * 4);
	while (lab->count < 2)
		session_run(lab->bench.session, 200);
	expect_sizes(lab, 2 * 64, 64 + 2 * 4);
	while (lab->count < 7)
		session_run(lab->bench.session, 200);
	expect_seen(lab, 6, false, 0, LONG);
	expect_sizes(lab, 64 + 2 * 4, 0);
	lab_free(lab);
	trace_free(trace);
}

/* Launches of other traces between them make no difference. */
static void other_launches_are_no_requests(void **state)
{
	struct trace *trace = two_requests();
	struct lab *lab = lab_new();

	launch(&lab->bench, 0, trace, 1, 0);
	launch(&lab->bench, 0, brief, 1, 0);
	launch(&lab->bench, 0, trace, 1, 0);
	run_dry(lab);
	assert_int_equal(lab->count, 8);
	expect_seen(lab, 0, false, 0, BRIEF);
	expect_seen(lab, 4, false, 0, LONG);
	expect_seen(lab, 6, false, 0, FEW);
	lab_free(lab);
	trace_free(trace);
}

/* Requests that come by themselves have their own sizes, in the order in which they come. */
static void arrivals_are_requests(void **state)
{
	struct trace *trace = TRACE({ DELAY, 0, 0, 1, 30000 }, { MARK, 0, FIRST, 1, 0 },
				    { MARK, 0, REQUEST, 1, 0 }, { DELAY, 0, 0, 1, 1000 },
				    { MARK, 0, FIRST, 1, 0 }, { MARK, 0, REQUEST, 1, 0 });
	const u64 list[] = { 0, 100, 200000 };
	const struct arrivals_plan plan = {
		.kind = ARRIVALS_LIST, .launches = 1, .requests = 3, .list = list,
	};
	struct lab *lab = lab_new();
	u64 longer = cycles_of_ns(lab, 30000), shorter = cycles_of_ns(lab, 1000), last;

	assert_int_equal(session_arrivals(lab->bench.session, 0, trace, &plan, &last), 0);
	run_dry(lab);
	/* The second one waits for the first; the third is the first one's size again. */
	expect_times(&tenant_of(lab)->first_tokens, 3, longer + (longer + shorter - 100) + longer);
	assert_int_equal(report_of(&lab->bench, 0).latency.launches, 3);
	lab_free(lab);
	trace_free(trace);
}

/* A run that begins again does the same request once more. */
static void a_restart_keeps_its_request(void **state)
{
	struct trace *trace = two_requests();
	struct lab *lab = lab_new();

	launch(&lab->bench, 0, trace, 2, 0);
	while (lab->count < 3)
		session_run(lab->bench.session, 10);
	expect_seen(lab, 2, false, 0, LONG);
	launch_restart(lab->bench.session, 0, 0);
	assert_int_equal(tenant_of(lab)->requests[0].begun, 2);
	run_dry(lab);
	assert_int_equal(lab->seen[lab->count - 1].kernel, FEW);
	assert_int_equal(tenant_of(lab)->first_tokens.count, 2);
	lab_free(lab);
	trace_free(trace);
}

/* Requests and tokens are hashed where there are any. */
static void the_hash_has_tokens(void **state)
{
	struct trace *trace = two_requests();
	struct lab *lab = lab_new();
	struct session_tenant *tenant = &lab->bench.session->tenants[0];
	u8 *bytes[] = {
		(u8 *)&tenant->requests[0].begun, (u8 *)&tenant->requests[0].counted,
		(u8 *)&tenant->first_tokens.count, (u8 *)&tenant->first_tokens.cycles,
		(u8 *)&tenant->first_tokens.taken[LATENCY_BUCKETS - 1],
		(u8 *)&tenant->tokens.cycles, (u8 *)&tenant->tokens.taken[0],
	};
	u64 hash;
	u32 i;

	launch(&lab->bench, 0, trace, 4, 0);
	run_dry(lab);
	hash = session_state_hash(lab->bench.session);
	for (i = 0; i < ARRAY_SIZE(bytes); i++) {
		*bytes[i] ^= 0x40;
		assert_int_not_equal(session_state_hash(lab->bench.session), hash);
		*bytes[i] ^= 0x40;
	}
	assert_int_equal(session_state_hash(lab->bench.session), hash);
	lab_free(lab);
	trace_free(trace);
}

/* --- copies --------------------------------------------------------------------------- */

static u64 link_cycles(const struct lab *lab, u64 bytes)
{
	const struct gpu_config *config = &lab->bench.options.config;

	return bytes * config->core_mhz / config->link_in_mb_per_s +
	       cycles_of_ns(lab, config->link_setup_ns);
}

/* The time of a run of one copy */
static u64 time_of(struct trace *trace)
{
	struct lab *lab = lab_new();
	u64 now;

	launch(&lab->bench, 0, trace, 1, 0);
	run_dry(lab);
	now = session_now(lab->bench.session);
	lab_free(lab);
	return now;
}

static void a_copy_alone_goes_at_the_links_rate(void **state)
{
	struct trace *in = TRACE({ COPY_IN, 0, 0, 1, 64 * MIB });
	struct trace *out = TRACE({ COPY_OUT, 0, 0, 1, 64 * MIB });
	struct trace *bit = TRACE({ COPY_IN, 0, 0, 1, 1 });
	struct lab *lab = lab_new();
	u64 want = link_cycles(lab, 64 * MIB);

	launch(&lab->bench, 0, in, 1, 0);
	run_dry(lab);
	assert_in_range(session_now(lab->bench.session), want, want + want / 500 + 1000);
	assert_int_equal(report_of(&lab->bench, 0).counters.copied_in_bytes, 64 * MIB);
	assert_in_range(time_of(out), want, want + want / 500 + 1000);
	assert_in_range(time_of(bit), link_cycles(lab, 1), link_cycles(lab, 1) + 1000);
	lab_free(lab);
	trace_free(in);
	trace_free(out);
	trace_free(bit);
}

/* Two copies of a direction take turns; those of both directions do not meet. */
static void copies_share_a_direction(void **state)
{
	struct trace *same = TRACE({ COPY_IN, 0, 0, 1, 8 * MIB }, { COPY_IN, 1, 0, 1, 4 * MIB });
	struct trace *both = TRACE({ COPY_IN, 0, 0, 1, 8 * MIB }, { COPY_OUT, 1, 1, 1, 8 * MIB });
	struct lab *lab = lab_new();
	u64 eight = link_cycles(lab, 8 * MIB), twelve = link_cycles(lab, 12 * MIB);

	assert_in_range(time_of(same), twelve, twelve * 101 / 100);
	assert_in_range(time_of(both), eight, eight * 101 / 100);
	lab_free(lab);
	trace_free(same);
	trace_free(both);
}

/* The short one ends after twice its time, not behind the long one. */
static void copies_take_turns(void **state)
{
	struct trace *trace = TRACE({ COPY_IN, 0, 0, 1, 8 * MIB }, { COPY_IN, 1, 0, 1, 2 * MIB },
				    { KERNEL, 1, BRIEF, 1, 0 });
	struct lab *lab = lab_new();
	u64 want = link_cycles(lab, 4 * MIB);

	launch(&lab->bench, 0, trace, 1, 0);
	run_dry(lab);
	assert_in_range(lab->seen[0].cycle, want * 97 / 100, want * 103 / 100);
	lab_free(lab);
	trace_free(trace);
}

static void kernels_run_beside_copies(void **state)
{
	struct trace *trace = TRACE({ COPY_IN, 0, 0, 1, 8 * MIB }, { KERNEL, 1, BRIEF, 1, 0 },
				    { RECORD, 0, 0, 1, 0 }, { WAIT, 1, 0, 1, 0 },
				    { KERNEL, 1, FEW, 1, 0 });
	struct lab *lab = lab_new();
	u64 want = link_cycles(lab, 8 * MIB);

	launch(&lab->bench, 0, trace, 1, 0);
	run_dry(lab);
	assert_int_equal(lab->seen[0].cycle, 0);
	assert_true(lab->seen[1].cycle < want / 2);
	assert_in_range(lab->seen[2].cycle, want, want * 101 / 100);
	lab_free(lab);
	trace_free(trace);
}

/* A kernel that reads all the time, @blocks of 8 warps, 64 lines each; beside it steps */
static struct trace *reading(const struct step *steps, u32 count)
{
	struct builder *b = builder_new("reading", "test");
	u32 pattern, i;

	builder_footprint(b, 64 * MIB);
	pattern = builder_affine(b, 0, 64 * MIB, 4, 8 * 64 * 128, 64 * 128, 128);
	builder_kernel(b, "read", 1024, 256, 32, 0);
	builder_loop(b, 64);
	builder_load(b, pattern, 32, 8);
	builder_loop_end(b);
	builder_allocation(b, "all", 0, 64 * MIB, SIMGPU_TRACE_DEVICE);
	for (i = 0; i < count; i++)
		builder_command(b, steps[i].kind, steps[i].queue, steps[i].what,
				steps[i].repeat, steps[i].amount);
	return trace_of(b, 64 * MIB);
}

static u64 reading_time(const struct step *steps, u32 count, u32 engines, u64 *lines)
{
	struct trace *trace = reading(steps, count);
	struct lab *lab = lab_options();
	struct simgpu_counters counters;
	u64 cycles;

	lab->bench.options.config.copy_engines = engines;
	bench_start(&lab->bench);
	join(&lab->bench, 0);
	launch(&lab->bench, 0, trace, 1, 0);
	run_dry(lab);
	cycles = lab->seen[1].cycle - lab->seen[0].cycle;
	counters = report_of(&lab->bench, 0).counters;
	*lines = counters.dram_fills + counters.dram_writebacks;
	lab_free(lab);
	trace_free(trace);
	return cycles;
}

/*
 * With a copy engine a kernel that takes all of the memory's bandwidth is slower beside copies,
 * which add their lines to its own; without one copies take the link alone.
 */
static void copies_and_kernels_share_memory(void **state)
{
	const struct step steps[] = {
		{ KERNEL, 0, 0, 1, 0 }, { COPY_IN, 1, 0, 1, 8 * MIB }, { COPY_OUT, 2, 0, 1, 8 * MIB },
	};
	u64 alone, beside, without, lines, more, same;

	alone = reading_time(steps, 1, 1, &lines);
	beside = reading_time(steps, 3, 1, &more);
	without = reading_time(steps, 3, 0, &same);
	printf("# %llu cycles alone, %llu beside copies, %llu beside copies without an engine\n",
	       alone, beside, without);
	assert_true(beside > alone * 102 / 100);
	assert_int_equal(without, alone);
	assert_true(more > lines + 8 * MIB / 128);
	assert_int_equal(same, lines);
}

/* Copies go to memory that is on the device. */
/* Cycles for which a copy's first piece keeps the link to the device busy, with the setup */
static u64 first_piece_cycles(const struct lab *lab)
{
	const struct gpu_config *config = &lab->bench.options.config;

	return cycles_of_ns(lab, config->link_setup_ns) +
	       (COPY_PIECE_BYTES * config->core_mhz + config->link_in_mb_per_s - 1) /
	       config->link_in_mb_per_s;
}

static void expect_copies(struct lab *lab, u64 ended, u64 waiting, u64 running, u64 left)
{
	const struct session_copies copies = report_of(&lab->bench, 0).copies;

	assert_int_equal(copies.ended, ended);
	assert_int_equal(copies.waiting, waiting);
	assert_int_equal(copies.running, running);
	assert_int_equal(copies.bytes_left, left);
}

/* A copy waits until the link is free for its first piece; how long is told when it has ended. */
static void waits_of_copies_are_told(void **state)
{
	struct trace *trace = TRACE({ COPY_IN, 0, 0, 1, 4 * MIB }, { COPY_IN, 1, 0, 1, MIB },
				    { COPY_OUT, 2, 0, 2, MIB }, { KERNEL, 3, BRIEF, 1, 0 });
	struct lab *lab = lab_new();
	u64 waits = first_piece_cycles(lab);
	struct session_copies copies;

	expect_copies(lab, 0, 0, 0, 0);
	launch(&lab->bench, 0, trace, 1, 0);
	expect_copies(lab, 0, 0, 0, 0);
	session_run(lab->bench.session, waits - 1);
	expect_copies(lab, 0, 1, 2, 6 * MIB - 3 * COPY_PIECE_BYTES);
	session_run(lab->bench.session, 1);
	copies = report_of(&lab->bench, 0).copies;
	assert_int_equal(copies.waiting, 0);
	assert_int_equal(copies.running, 3);
	assert_int_equal(copies.waits.count, 0);
	run_dry(lab);
	expect_copies(lab, 4, 0, 0, 0);
	copies = report_of(&lab->bench, 0).copies;
	assert_int_equal(copies.bytes, 7 * MIB);
	/* The others found their ways free. */
	assert_int_equal(lab->bench.session->tenants[0].copies.waits.cycles, waits);
	assert_int_equal(copies.waits.mean_ns,
			 waits / 4 * 1000 / lab->bench.options.config.core_mhz);
	lab_free(lab);
	trace_free(trace);
}

/* Sets and copies on the device count; a copy that is dropped has not ended. */
static void dropped_copies_have_not_ended(void **state)
{
	struct trace *sets = TRACE({ SET, 0, 0, 1, MIB }, { COPY, 0, 0, 1, MIB });
	struct trace *trace = TRACE({ COPY_IN, 0, 0, 1, 64 * MIB });
	struct lab *lab = lab_new();

	launch(&lab->bench, 0, sets, 1, 0);
	run_dry(lab);
	expect_copies(lab, 2, 0, 0, 0);
	assert_int_equal(report_of(&lab->bench, 0).copies.bytes, 2 * MIB);
	launch(&lab->bench, 0, trace, 1, 0);
	session_run(lab->bench.session, 1000);
	assert_int_equal(report_of(&lab->bench, 0).copies.running, 1);
	session_leave(lab->bench.session, 0);
	expect_copies(lab, 2, 0, 0, 0);
	/* Who comes next has none of them. */
	join(&lab->bench, 0);
	assert_int_equal(report_of(&lab->bench, 0).copies.ended, 0);
	assert_int_equal(report_of(&lab->bench, 0).copies.bytes, 0);
	lab_free(lab);
	trace_free(sets);
	trace_free(trace);
}

/* At the stop cycle launches are dropped, and what their copies did then is told. */
static void a_stop_keeps_what_copies_did(void **state)
{
	struct trace *trace = TRACE({ COPY_IN, 0, 0, 1, 64 * MIB }, { COPY_OUT, 1, 0, 1, MIB });
	struct lab *lab = lab_options();

	lab->bench.options.stop_cycle = 200000;
	bench_start(&lab->bench);
	join(&lab->bench, 0);
	launch(&lab->bench, 0, trace, 1, 0);
	session_run(lab->bench.session, 199999);
	assert_int_equal(report_of(&lab->bench, 0).copies.ended, 1);
	assert_int_equal(report_of(&lab->bench, 0).copies.running, 1);
	session_run(lab->bench.session, ALL_AT_ONCE);
	assert_int_equal(session_state(lab->bench.session), SESSION_STOPPED);
	assert_int_equal(report_of(&lab->bench, 0).copies.ended, 1);
	assert_int_equal(report_of(&lab->bench, 0).copies.running, 1);
	assert_in_range(report_of(&lab->bench, 0).copies.bytes_left, 32 * MIB, 63 * MIB);
	lab_free(lab);
	trace_free(trace);
}

/* What is told of copies is hashed where there are any. */
static void the_hash_has_waits_of_copies(void **state)
{
	struct trace *trace = TRACE({ COPY_IN, 0, 0, 1, MIB }, { COPY_IN, 1, 0, 1, MIB });
	struct lab *lab = lab_new();
	struct tenant_copies *copies = &lab->bench.session->tenants[0].copies;
	u64 hash;
	u32 i;

	launch(&lab->bench, 0, trace, 1, 0);
	run_dry(lab);
	hash = session_state_hash(lab->bench.session);
	for (i = 0; i < sizeof(copies->lasts) + sizeof(copies->waits.lasts); i++) {
		u8 *byte = i < sizeof(copies->lasts) ? (u8 *)&copies->lasts + i :
			   (u8 *)&copies->waits.lasts + (i - sizeof(copies->lasts));

		*byte ^= 0x40;
		assert_int_not_equal(session_state_hash(lab->bench.session), hash);
		*byte ^= 0x40;
	}
	assert_int_equal(session_state_hash(lab->bench.session), hash);
	lab_free(lab);
	trace_free(trace);
}

static void managed_memory_is_not_copied(void **state)
{
	struct trace *trace = TRACE({ COPY_IN, 0, 0, 1, 1 });
	struct lab *lab = lab_options();
	struct session_launch_options options = {
		.trace = trace, .repeats = 1, .managed = true,
	};
	const struct arrivals_plan plan = {
		.kind = ARRIVALS_EVERY, .every_cycles = 10000, .requests = 5, .launches = 1,
	};
	struct session *session;
	u64 sequence;

	lab->bench.options.config.managed_mb = 4;
	bench_start(&lab->bench);
	session = lab->bench.session;
	join(&lab->bench, 0);
	assert_int_equal(session_launch_with(session, 0, &options, &sequence), -EOPNOTSUPP);
	options.trace = brief;
	assert_int_equal(session_launch_with(session, 0, &options, &sequence), 0);
	assert_int_equal(try_in(lab, trace, 0, 1), -EOPNOTSUPP);
	run_dry(lab);
	assert_int_equal(session_arrivals(session, 0, trace, &plan, &sequence), -EOPNOTSUPP);
	join(&lab->bench, 1);
	launch(&lab->bench, 1, trace, 1, 0);
	run_dry(lab);
	lab_free(lab);
	trace_free(trace);
}

/* --- ends ----------------------------------------------------------------------------- */

static int join_any(struct lab *lab)
{
	struct session_tenant_options options = plain();

	return session_join(lab->bench.session, SESSION_ANY_SLOT, &options);
}

static struct trace *mixed(void)
{
	return TRACE({ COPY_IN, 0, 0, 2, 700001 }, { RECORD, 0, 1, 1, 0 },
		     { KERNEL, 1, FEW, 2, 0 }, { WAIT, 1, 1, 1, 0 }, { KERNEL, 1, LONG, 3, 0 },
		     { RECORD, 1, 2, 1, 0 }, { WAIT, 0, 2, 1, 0 }, { DELAY, 0, 0, 1, 3000 },
		     { SET, 0, 1, 1, 500000 }, { COPY, 2, 1, 1, 90000 }, { KERNEL, 0, FEW, 1, 0 },
		     { MARK, 0, 0, 1, 0 }, { COPY_OUT, 0, 0, 1, 100000 });
}

/* Whenever a tenant leaves, another one finds the device as it should. */
static void a_tenant_may_leave_at_any_time(void **state)
{
	struct trace *trace = mixed();
	u64 cycle;

	for (cycle = 1; cycle < 200000; cycle += 7919) {
		struct lab *lab = lab_new();

		join(&lab->bench, 1);
		launch(&lab->bench, 0, trace, 3, 0);
		launch(&lab->bench, 0, trace, 1, 0);
		launch(&lab->bench, 1, trace, 1, 0);
		session_run(lab->bench.session, cycle);
		session_leave(lab->bench.session, 0);
		assert_int_equal(join_any(lab), 2);
		launch(&lab->bench, 2, trace, 1, 0);
		run_dry(lab);
		assert_int_equal(lab->bench.done_count, 4);
		lab_free(lab);
	}
	trace_free(trace);
}

/* struct life - what must not depend on slices */
struct life {
	u64 hash;
	u64 end;
	u32 count;
	struct seen seen[EVENTS_MAX];
};

static void live(struct lab *lab, const struct trace *trace, u64 slice, struct life *life)
{
	u64 sequence;

	join(&lab->bench, 1);
	launch(&lab->bench, 0, trace, 2, 0);
	launch(&lab->bench, 1, trace, 1, 5000);
	launch(&lab->bench, 0, trace, 1, 0);
	assert_int_equal(session_launch(lab->bench.session, 1, middling, 1, 0, &sequence), 0);
	while (session_state(lab->bench.session) == SESSION_RUNNING)
		session_run(lab->bench.session, slice);
	life->hash = session_state_hash(lab->bench.session);
	life->end = session_end_cycle(lab->bench.session);
	life->count = lab->count;
	memcpy(life->seen, lab->seen, sizeof(life->seen));
}

static void slices_change_nothing(void **state)
{
	static const u64 slices[] = { 997, 100, 12345 };
	struct trace *trace = mixed();
	struct life *once = calloc(2, sizeof(*once)), *sliced = once + 1;
	struct lab *lab = lab_new();
	u32 i;

	live(lab, trace, ALL_AT_ONCE, once);
	lab_free(lab);
	assert_int_equal(once->count, 4 * 2 * 6 + 2);
	for (i = 0; i < ARRAY_SIZE(slices); i++) {
		lab = lab_new();
		live(lab, trace, slices[i], sliced);
		assert_memory_equal(once->seen, sliced->seen, sizeof(once->seen));
		assert_int_equal(once->end, sliced->end);
		assert_int_equal(once->hash, sliced->hash);
		lab_free(lab);
	}
	free(once);
	trace_free(trace);
}

/* At any cycle a journal makes the same session again, to the hash. */
static void journals_repeat_it(void **state)
{
	struct trace *trace = mixed();
	const struct trace *traces[] = { trace, middling };
	u64 cycle;

	for (cycle = 1000; cycle < 150000; cycle += 14983) {
		struct lab *from = lab_new(), *to = lab_options();

		bench_start(&to->bench);
		launch(&from->bench, 0, trace, 2, 0);
		assert_int_equal(try_in(from, middling, 1, 1), 0);
		assert_int_equal(try_in(from, trace, 4, 1), 0);
		session_run(from->bench.session, cycle);
		replay_journal(from->bench.session, to->bench.session, traces, 2);
		assert_int_equal(session_state_hash(from->bench.session),
				 session_state_hash(to->bench.session));
		lab_free(from);
		lab_free(to);
	}
	trace_free(trace);
}

/* Each byte of how far a launch has come decides what follows. */
static void the_hash_has_all_parts(void **state)
{
	struct trace *trace = mixed();
	struct lab *lab = lab_new();
	struct session *session = lab->bench.session;
	u64 hash;
	u32 i;

	launch(&lab->bench, 0, trace, 1, 0);
	session_run(session, 1000);
	hash = session_state_hash(session);
	for (i = 0; i < 3 * sizeof(struct launch_part); i++) {
		u8 *byte = (u8 *)session->tenants[0].part + i;

		*byte ^= 1;
		assert_int_not_equal(session_state_hash(session), hash);
		*byte ^= 1;
	}
	assert_true(copies_fly(session));
	for (i = 0; i < sizeof(session->copy_free); i++) {
		u8 *byte = (u8 *)session->copy_free + i;

		*byte ^= 1;
		assert_int_not_equal(session_state_hash(session), hash);
		*byte ^= 1;
	}
	assert_int_equal(session_state_hash(session), hash);
	lab_free(lab);
	trace_free(trace);
}

/* --- gangs, requests, memory, sampled time -------------------------------------------- */

static void a_gang_launches_it_again(void **state)
{
	struct trace *trace = mixed();
	struct lab *lab = lab_options();
	struct session_tenant_report report;

	lab->bench.options.gang_size = 2;
	lab->bench.options.stop_cycle = 1000000;
	lab->bench.options.relaunch = true;
	bench_start(&lab->bench);
	join(&lab->bench, 0);
	join(&lab->bench, 1);
	launch(&lab->bench, 0, trace, 1, 0);
	launch(&lab->bench, 1, computing, 1, 0);
	session_run(lab->bench.session, ALL_AT_ONCE);
	assert_int_equal(session_state(lab->bench.session), SESSION_STOPPED);
	report = report_of(&lab->bench, 0);
	assert_true(report.first_run_done);
	assert_true(report.counters.kernels_finished >= 12);
	assert_true(report.latency.launches >= 2);
	lab_free(lab);
	trace_free(trace);
}

/* Requests that come by themselves may be of such a trace: each takes all its queues. */
static void requests_run_commands(void **state)
{
	struct trace *trace = mixed();
	struct lab *lab = lab_new();
	const struct arrivals_plan plan = {
		.kind = ARRIVALS_EVERY, .every_cycles = 10000, .requests = 5, .launches = 2,
	};
	struct session_tenant_report report;
	u64 sequence;

	assert_int_equal(session_arrivals(lab->bench.session, 0, trace, &plan, &sequence), 0);
	run_dry(lab);
	report = report_of(&lab->bench, 0);
	assert_int_equal(report.counters.kernels_finished, 5 * 2 * 6);
	assert_int_equal(report.latency.launches, 10);
	assert_int_equal(lab->bench.done_count, 5);
	lab_free(lab);
	trace_free(trace);
}

/* A launch that copies keeps its memory, and one that waits for memory begins behind it. */
static void memory_stays_while_it_copies(void **state)
{
	struct trace *trace = TRACE({ KERNEL, 0, BRIEF, 1, 0 }, { COPY_OUT, 0, 0, 1, 4 * MIB },
				    { KERNEL, 0, BRIEF, 1, 0 });
	struct lab *lab = lab_options();

	lab->bench.options.config.memory_mb = 100;
	bench_start(&lab->bench);
	join(&lab->bench, 0);
	join(&lab->bench, 1);
	launch(&lab->bench, 0, trace, 1, 0);
	launch(&lab->bench, 1, trace, 1, 0);
	session_run(lab->bench.session, 100000);
	assert_false(report_of(&lab->bench, 0).active);
	assert_true(report_of(&lab->bench, 1).waits_for_memory);
	run_dry(lab);
	assert_int_equal(lab->bench.done_count, 2);
	assert_int_equal(lab->bench.done[0].slot, 0);
	assert_true(lab->seen[4].cycle >= lab->seen[3].cycle);
	lab_free(lab);
	trace_free(trace);
}

/* Time does not leap over it: all is simulated. */
static void time_does_not_leap(void **state)
{
	struct trace *trace = TRACE({ KERNEL, 0, LONG, 100, 0 }, { DELAY, 0, 0, 1, 10 },
				    { KERNEL, 0, LONG, 100, 0 });
	struct session_sampling sampling;
	struct lab *lab = lab_options();

	lab->bench.options.sampled = 10;
	bench_start(&lab->bench);
	join(&lab->bench, 0);
	launch(&lab->bench, 0, trace, 1, 0);
	run_dry(lab);
	session_sampling(lab->bench.session, &sampling);
	assert_int_equal(sampling.leaps, 0);
	assert_int_equal(report_of(&lab->bench, 0).counters.kernels_finished, 200);
	lab_free(lab);
	trace_free(trace);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(kernels_run_as_commands_say),
		cmocka_unit_test(kernels_alone_take_as_long_as_ever),
		cmocka_unit_test(a_kernel_runs_a_thousand_times),
		cmocka_unit_test(queues_overlap),
		cmocka_unit_test(events_order_queues),
		cmocka_unit_test(a_wait_without_a_record_is_none),
		cmocka_unit_test(a_launch_holds_its_queues),
		cmocka_unit_test(each_queue_needs_room),
		cmocka_unit_test(delays_last_to_the_cycle),
		cmocka_unit_test(marks_are_latencies),
		cmocka_unit_test(commands_without_time_take_a_cycle_in_the_end),
		cmocka_unit_test(a_delay_is_no_work),
		cmocka_unit_test(tokens_are_counted_to_the_cycle),
		cmocka_unit_test(a_run_does_one_request),
		cmocka_unit_test(requests_have_sizes),
		cmocka_unit_test(other_launches_are_no_requests),
		cmocka_unit_test(arrivals_are_requests),
		cmocka_unit_test(a_restart_keeps_its_request),
		cmocka_unit_test(the_hash_has_tokens),
		cmocka_unit_test(a_copy_alone_goes_at_the_links_rate),
		cmocka_unit_test(copies_share_a_direction),
		cmocka_unit_test(copies_take_turns),
		cmocka_unit_test(kernels_run_beside_copies),
		cmocka_unit_test(copies_and_kernels_share_memory),
		cmocka_unit_test(waits_of_copies_are_told),
		cmocka_unit_test(dropped_copies_have_not_ended),
		cmocka_unit_test(a_stop_keeps_what_copies_did),
		cmocka_unit_test(the_hash_has_waits_of_copies),
		cmocka_unit_test(managed_memory_is_not_copied),
		cmocka_unit_test(a_tenant_may_leave_at_any_time),
		cmocka_unit_test(slices_change_nothing),
		cmocka_unit_test(journals_repeat_it),
		cmocka_unit_test(the_hash_has_all_parts),
		cmocka_unit_test(a_gang_launches_it_again),
		cmocka_unit_test(requests_run_commands),
		cmocka_unit_test(memory_stays_while_it_copies),
		cmocka_unit_test(time_does_not_leap),
	};

	return cmocka_run_group_tests(tests, make_traces, free_traces);
}
