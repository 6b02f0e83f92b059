// SPDX-License-Identifier: GPL-2.0
/*
 * Services that batch their requests: which step follows which, when tokens come, to the cycle;
 * who is told of ends; kills, resets, refusals; and journals, slices and the state hash.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <cmocka.h>

#include "../../kmod/session/batching.h"
#include "../../kmod/session/internal.h"
#include "../../kmod/session/launch.h"
#include "bench.h"
#include "journal_of.h"

#define KERNEL		SIMGPU_TRACE_COMMAND_KERNEL
#define DELAY		SIMGPU_TRACE_COMMAND_DELAY
#define STEP		SIMGPU_TRACE_COMMAND_STEP
#define REQUEST		SIMGPU_TRACE_COMMAND_REQUEST

#define SEEN_MAX	256

/* struct step - a command of queue 0 */
struct step {
	u16 kind;
	u32 what;
	u64 amount;
};

/* Nanoseconds of steps */
#define PREFILL_NS	10000
#define LONGER_NS	40000
#define ONE_NS		2000
#define TWO_NS		3000
#define FOUR_NS		5000

/*
 * Prefills of 100 and of 1,000 tokens, and decodes of one, two and four requests of 1,000. Each
 * launches kernel 0 to 4, and then rests.
 */
#define STEPS	\
	{ KERNEL, 0, 0 }, { DELAY, 0, PREFILL_NS }, { STEP, 0, 100 }, \
	{ KERNEL, 1, 0 }, { DELAY, 0, LONGER_NS }, { STEP, 0, 1000 }, \
	{ KERNEL, 2, 0 }, { DELAY, 0, ONE_NS }, { STEP, 1, 1000 }, \
	{ KERNEL, 3, 0 }, { DELAY, 0, TWO_NS }, { STEP, 2, 1000 }, \
	{ KERNEL, 4, 0 }, { DELAY, 0, FOUR_NS }, { STEP, 4, 1000 }
/* The same without kernels */
#define RESTS	\
	{ DELAY, 0, PREFILL_NS }, { STEP, 0, 100 }, { DELAY, 0, LONGER_NS }, { STEP, 0, 1000 }, \
	{ DELAY, 0, ONE_NS }, { STEP, 1, 1000 }, { DELAY, 0, TWO_NS }, { STEP, 2, 1000 }, \
	{ DELAY, 0, FOUR_NS }, { STEP, 4, 1000 }

static struct trace *make(const struct step *steps, u32 count)
{
	struct builder *b = builder_new("steps", "test");
	u32 i;

	for (i = 0; i < 5; i++) {
		builder_kernel(b, "kernel", 8 + i, 256, 32, 0);
		builder_compute(b, 200, 32);
	}
	for (i = 0; i < count; i++)
		builder_command(b, steps[i].kind, 0, steps[i].what, 1, steps[i].amount);
	return trace_of(b, 0);
}

#define TRACE(...) \
	({ const struct step steps[] = { __VA_ARGS__ }; make(steps, ARRAY_SIZE(steps)); })

/* struct lab - a session, and the kernels that it started; the bench comes first */
struct lab {
	struct bench bench;
	u32 kernel[SEEN_MAX];
	u32 count;
};

static void on_start(void *context, u32 slot, u32 queue, u64 sequence,
		     const struct trace *trace, u32 kernel)
{
	struct lab *lab = context;

	assert_true(lab->count < SEEN_MAX);
	lab->kernel[lab->count++] = kernel;
}

static struct lab *lab_new(void)
{
	struct lab *lab = calloc(1, sizeof(*lab));

	bench_options_even(&lab->bench, 0, SESSION_EPOCH_CYCLES_MAX);
	lab->bench.hooks = (struct session_hooks) {
		.context = lab, .epoch = on_epoch, .launch_done = on_done,
		.kernel_start = on_start,
	};
	bench_start(&lab->bench);
	join(&lab->bench, 0);
	return lab;
}

static void lab_free(struct lab *lab)
{
	session_destroy(lab->bench.session);
	free(lab);
}

static struct session_tenant *tenant_of(struct lab *lab)
{
	return &lab->bench.session->tenants[0];
}

static u64 cycles_of_ns(const struct lab *lab, u64 ns)
{
	return (ns * lab->bench.options.config.core_mhz + 999) / 1000;
}

static int come(struct lab *lab, const struct trace *trace, const u64 *list, u64 requests,
		u32 batching)
{
	const struct arrivals_plan plan = {
		.kind = ARRIVALS_LIST, .launches = 1, .requests = requests, .list = list,
		.batching = batching,
	};
	u64 last;

	return session_arrivals(lab->bench.session, 0, trace, &plan, &last);
}

static void run_dry(struct lab *lab)
{
	session_run(lab->bench.session, ALL_AT_ONCE);
	assert_int_equal(session_state(lab->bench.session), SESSION_IDLE);
}

static void expect_times(const struct times *times, u64 count, u64 cycles)
{
	assert_int_equal(times->count, count);
	assert_int_equal(times->cycles, cycles);
}

static void expect_batch(struct lab *lab, u64 decodes, u64 decoded)
{
	assert_int_equal(tenant_of(lab)->batch.decodes, decodes);
	assert_int_equal(tenant_of(lab)->batch.decoded, decoded);
	assert_int_equal(report_of(&lab->bench, 0).batch_ppm,
			 decodes ? decoded * SIMGPU_PPM / decodes : 0);
}

/* The kernels that have started, by their numbers */
#define EXPECT_KERNELS(lab, ...) \
	do { \
		static const u32 want[] = { __VA_ARGS__ }; \
		assert_int_equal((lab)->count, ARRAY_SIZE(want)); \
		assert_memory_equal((lab)->kernel, want, sizeof(want)); \
	} while (0)

/* --- the order of steps ----------------------------------------------------------------- */

/*
 * The second request comes during the prefill of the first: its prefill follows, then a decode of
 * both, with which it ends, and one of the first alone.
 */
static void two_requests_to_the_cycle(void **state)
{
	struct trace *trace = TRACE(RESTS, { REQUEST, 100, 3 }, { REQUEST, 50, 2 });
	const u64 list[] = { 0, 5000 };
	struct lab *lab = lab_new();
	u64 prefill = cycles_of_ns(lab, PREFILL_NS), one = cycles_of_ns(lab, ONE_NS);
	u64 two = cycles_of_ns(lab, TWO_NS);
	const struct latency *latency = &tenant_of(lab)->latency;

	assert_int_equal(come(lab, trace, list, 2, 4), 0);
	run_dry(lab);
	expect_times(&tenant_of(lab)->first_tokens, 2, prefill + 2 * prefill - 5000);
	expect_times(&tenant_of(lab)->tokens, 3, (prefill + two) + two + one);
	expect_batch(lab, 2, 3);
	assert_int_equal(latency->launches, 2);
	assert_int_equal(latency->wait_cycles, prefill - 5000);
	assert_int_equal(latency->run_cycles, (2 * prefill + two + one) + (prefill + two));
	assert_int_equal(session_now(lab->bench.session), 2 * prefill + two + one);
	lab_free(lab);
	trace_free(trace);
}

static void steps_run_their_kernels(void **state)
{
	struct trace *trace = TRACE(STEPS, { REQUEST, 100, 3 }, { REQUEST, 50, 2 });
	const u64 list[] = { 0, 5000 };
	struct lab *lab = lab_new();

	assert_int_equal(come(lab, trace, list, 2, 4), 0);
	run_dry(lab);
	EXPECT_KERNELS(lab, 0, 0, 3, 2);
	assert_int_equal(tenant_of(lab)->first_tokens.count, 2);
	assert_int_equal(report_of(&lab->bench, 0).latency.launches, 2);
	assert_true(tenant_of(lab)->first_run_done);
	lab_free(lab);
	trace_free(trace);
}

/* A request that comes during a decode begins when that has ended; one that comes later waits. */
static void a_prefill_waits_for_the_decode(void **state)
{
	struct trace *trace = TRACE(RESTS, { REQUEST, 100, 3 }, { REQUEST, 50, 1 });
	struct lab *lab = lab_new();
	u64 prefill = cycles_of_ns(lab, PREFILL_NS), one = cycles_of_ns(lab, ONE_NS);
	const u64 list[] = { 0, prefill + 7 };

	assert_int_equal(come(lab, trace, list, 2, 4), 0);
	run_dry(lab);
	/* It has one token, and so is over with its prefill. */
	expect_times(&tenant_of(lab)->first_tokens, 2, prefill + one - 7 + prefill);
	expect_times(&tenant_of(lab)->tokens, 2, one + prefill + one);
	expect_batch(lab, 2, 2);
	lab_free(lab);
	trace_free(trace);
}

/* Three come at once and two may run: the third one begins when one of them has ended. */
static void no_more_run_than_the_plan_says(void **state)
{
	struct trace *trace = TRACE(STEPS, { REQUEST, 100, 2 }, { REQUEST, 50, 4 });
	const u64 list[] = { 0, 0, 0 };
	struct lab *lab = lab_new();
	u32 most = 0;

	assert_int_equal(come(lab, trace, list, 3, 2), 0);
	while (session_state(lab->bench.session) == SESSION_RUNNING ||
	       session_now(lab->bench.session) == 0) {
		session_run(lab->bench.session, 100);
		most = max(most, tenant_of(lab)->batch.running);
		if (tenant_of(lab)->batch.running == 2 && lab->count == 2)
			assert_int_equal(launch_waiting(lab->bench.session, 0, 0), 1);
	}
	assert_int_equal(most, 2);
	/* Both begin; the first ends with a decode; the third; both of the others; it ends. */
	EXPECT_KERNELS(lab, 0, 0, 3, 0, 3, 2);
	lab_free(lab);
	trace_free(trace);
}

/* One at a time is what there is without batching. */
static void one_at_a_time(void **state)
{
	struct trace *trace = TRACE(RESTS, { REQUEST, 100, 2 }, { REQUEST, 500, 3 });
	const u64 list[] = { 0, 0 };
	struct lab *lab = lab_new();
	u64 prefill = cycles_of_ns(lab, PREFILL_NS), one = cycles_of_ns(lab, ONE_NS);
	u64 longer = cycles_of_ns(lab, LONGER_NS);

	assert_int_equal(come(lab, trace, list, 2, 1), 0);
	run_dry(lab);
	expect_times(&tenant_of(lab)->first_tokens, 2, 2 * prefill + one + longer);
	expect_times(&tenant_of(lab)->tokens, 3, 3 * one);
	expect_batch(lab, 3, 3);
	lab_free(lab);
	trace_free(trace);
}

/* None comes for a while: the next one begins when it comes. */
static void an_idle_service_waits(void **state)
{
	struct trace *trace = TRACE(STEPS, { REQUEST, 100, 2 });
	const u64 list[] = { 0, 500000 };
	struct lab *lab = lab_new();
	u64 first;

	assert_int_equal(come(lab, trace, list, 2, 4), 0);
	session_run(lab->bench.session, 400000);
	assert_int_equal(tenant_of(lab)->batch.running, 0);
	assert_int_equal(lab->count, 2);
	assert_int_equal(lab->bench.done_count, 1);
	first = tenant_of(lab)->first_tokens.cycles;
	run_dry(lab);
	EXPECT_KERNELS(lab, 0, 2, 0, 2);
	assert_int_equal(tenant_of(lab)->first_tokens.cycles, 2 * first);
	lab_free(lab);
	trace_free(trace);
}

/*
 * Which step it is: the first that has room for as many requests and their tokens together. Decodes
 * of one request have 10 and 20 tokens, of two 10 and 15.
 */
static void steps_go_by_tokens(void **state)
{
	struct trace *trace = TRACE({ KERNEL, 0, 0 }, { STEP, 0, 9 }, { KERNEL, 1, 0 }, { STEP, 1, 10 },
				    { KERNEL, 2, 0 }, { STEP, 1, 20 }, { KERNEL, 3, 0 },
				    { STEP, 2, 10 }, { KERNEL, 4, 0 }, { STEP, 2, 15 },
				    { REQUEST, 9, 4 }, { REQUEST, 6, 4 });
	const u64 list[] = { 0, 1000000, 1000000 };
	struct lab *lab = lab_new();

	assert_int_equal(come(lab, trace, list, 1, 2), 0);
	run_dry(lab);
	/* Its decodes read 10, 11 and 12 tokens. */
	EXPECT_KERNELS(lab, 0, 1, 2, 2);
	lab->count = 0;
	assert_int_equal(come(lab, trace, list + 1, 2, 2), 0);
	run_dry(lab);
	/*
	 * 6 and 9 tokens of context: 7 and 10, 8 and 11 are up to 20; 9 and 12 are 21. The second
	 * request of the plan is the first one of the list again.
	 */
	EXPECT_KERNELS(lab, 0, 0, 3, 3, 4);
	lab_free(lab);
	trace_free(trace);
}

/* There is no step that is large enough: it is the last one for as many requests. */
static void the_largest_step_has_to_do(void **state)
{
	struct trace *trace = TRACE({ KERNEL, 0, 0 }, { STEP, 0, 9 }, { KERNEL, 1, 0 }, { STEP, 0, 5 },
				    { KERNEL, 2, 0 }, { STEP, 1, 10 }, { KERNEL, 3, 0 },
				    { STEP, 1, 8 }, { REQUEST, 100, 2 });
	const u64 list[] = { 0 };
	struct lab *lab = lab_new();

	assert_int_equal(come(lab, trace, list, 1, 1), 0);
	run_dry(lab);
	EXPECT_KERNELS(lab, 1, 3);
	lab_free(lab);
	trace_free(trace);
}

/* --- who is told ------------------------------------------------------------------------ */

/* The second and the third request end first; all are told with the first one, in order. */
static void ends_are_told_in_order(void **state)
{
	struct trace *trace = TRACE(STEPS, { REQUEST, 100, 6 }, { REQUEST, 50, 1 }, { REQUEST, 50, 2 },
				    { REQUEST, 50, 9 });
	const u64 list[] = { 0, 0, 0, 0 };
	struct lab *lab = lab_new();
	struct bench *bench = &lab->bench;

	assert_int_equal(come(lab, trace, list, 4, 4), 0);
	run_dry(lab);
	assert_int_equal(report_of(bench, 0).latency.launches, 4);
	assert_int_equal(bench->done_count, 2);
	assert_int_equal(bench->done[0].sequence, 3);
	assert_int_equal(bench->done[1].sequence, 4);
	assert_int_equal(bench->done[0].status | bench->done[1].status, 0);
	assert_null(tenant_of(lab)->arrivals.trace);
	lab_free(lab);
	trace_free(trace);
}

/* A kill ends all that run, and the next one begins. */
static void a_kill_ends_all_that_run(void **state)
{
	struct trace *trace = TRACE(STEPS, { REQUEST, 100, 100 }, { REQUEST, 50, 100 },
				    { REQUEST, 50, 2 });
	const u64 list[] = { 0, 0, 0 };
	struct lab *lab = lab_new();
	struct bench *bench = &lab->bench;

	assert_int_equal(come(lab, trace, list, 3, 2), 0);
	session_run(bench->session, 100000);
	assert_int_equal(tenant_of(lab)->batch.running, 2);
	lab->count = 0;
	launch_kill(bench->session, 0, 0, -ETIMEDOUT, false);
	launch_go_on(bench->session, 0);
	assert_int_equal(bench->done_count, 1);
	assert_int_equal(bench->done[0].sequence, 2);
	assert_int_equal(bench->done[0].status, -ETIMEDOUT);
	run_dry(lab);
	EXPECT_KERNELS(lab, 0, 2);
	assert_int_equal(bench->done_count, 2);
	assert_int_equal(bench->done[1].sequence, 3);
	assert_int_equal(report_of(bench, 0).latency.launches, 1);
	lab_free(lab);
	trace_free(trace);
}

/* Who leaves while requests run hears of them, and of those that never came. */
static void who_leaves_is_told(void **state)
{
	struct trace *trace = TRACE(STEPS, { REQUEST, 100, 100 });
	const u64 list[] = { 0, 0, 900000000 };
	struct lab *lab = lab_new();
	struct bench *bench = &lab->bench;

	assert_int_equal(come(lab, trace, list, 3, 2), 0);
	session_run(bench->session, 100000);
	session_leave(bench->session, 0);
	assert_int_equal(bench->done_count, 2);
	assert_int_equal(bench->done[0].sequence, 2);
	assert_int_equal(bench->done[0].status, -ECANCELED);
	assert_int_equal(bench->done[1].sequence, 3);
	assert_int_equal(tenant_of(lab)->batch.running, 0);
	lab_free(lab);
	trace_free(trace);
}

/* A step that begins again gives its tokens once. */
static void a_restart_repeats_the_step(void **state)
{
	struct trace *trace = TRACE(STEPS, { REQUEST, 100, 3 });
	const u64 list[] = { 0 };
	struct lab *lab = lab_new();

	assert_int_equal(come(lab, trace, list, 1, 1), 0);
	while (lab->count < 2)
		session_run(lab->bench.session, 10);
	launch_restart(lab->bench.session, 0, 0);
	run_dry(lab);
	EXPECT_KERNELS(lab, 0, 2, 2, 2);
	assert_int_equal(tenant_of(lab)->first_tokens.count, 1);
	assert_int_equal(tenant_of(lab)->tokens.count, 2);
	lab_free(lab);
	trace_free(trace);
}

/* Policies see the kernel of the step that would follow now, and the first deadline. */
static void the_next_step_is_seen(void **state)
{
	struct trace *trace = TRACE(STEPS, { REQUEST, 100, 2 });
	const u64 list[] = { 0, 7000 };
	const struct arrivals_plan plan = {
		.kind = ARRIVALS_LIST, .launches = 1, .requests = 2, .list = list,
		.batching = 2, .deadline_cycles = 1000000,
	};
	struct lab *lab = lab_new();
	struct session *session = lab->bench.session;
	struct launch launch;
	u32 kernel;
	u64 last;

	assert_int_equal(session_arrivals(session, 0, trace, &plan, &last), 0);
	session_run(session, 100);
	assert_true(launch_next_kernel(session, 0, 0, &launch, &kernel));
	assert_int_equal(kernel, 2);
	session_run(session, 7000);
	assert_true(launch_next_kernel(session, 0, 0, &launch, &kernel));
	assert_int_equal(kernel, 0);
	while (lab->count < 3)
		session_run(session, 10);
	EXPECT_KERNELS(lab, 0, 0, 3);
	assert_int_equal(present_launch(&tenant_of(lab)->queue[0])->deadline, 1000000);
	/* Both requests end with this decode. */
	assert_false(launch_next_kernel(session, 0, 0, &launch, &kernel));
	lab_free(lab);
	trace_free(trace);
}

/* --- refusals ----------------------------------------------------------------------------- */

static void what_does_not_fit_is_refused(void **state)
{
	struct trace *steps = TRACE(STEPS, { REQUEST, 100, 2 });
	struct trace *none = TRACE({ KERNEL, 0, 0 });
	const u64 list[] = { 0 };
	struct arrivals_plan plan = {
		.kind = ARRIVALS_LIST, .launches = 2, .requests = 1, .list = list, .batching = 4,
	};
	struct lab *lab = lab_new();
	u64 sequence;

	assert_int_equal(session_launch(lab->bench.session, 0, steps, 1, 0, &sequence),
			 -EOPNOTSUPP);
	assert_int_equal(come(lab, steps, list, 1, 0), -EOPNOTSUPP);
	assert_int_equal(come(lab, steps, list, 1, 5), -EINVAL);
	assert_int_equal(come(lab, none, list, 1, 1), -EINVAL);
	assert_string_equal(arrivals_check(&plan), "launches");
	plan.launches = 1;
	assert_null(arrivals_check(&plan));
	plan.batching = TRACE_BATCH_MAX + 1;
	assert_string_equal(arrivals_check(&plan), "batching");
	assert_int_equal(come(lab, steps, list, 1, 4), 0);
	run_dry(lab);
	lab_free(lab);
	trace_free(steps);
	trace_free(none);
}

/* The pager does not know which step is next. */
static void managed_memory_is_refused(void **state)
{
	struct trace *steps = TRACE(STEPS, { REQUEST, 100, 2 });
	const u64 list[] = { 0 };
	struct lab *lab = calloc(1, sizeof(*lab));

	bench_options(&lab->bench, 0);
	lab->bench.options.config.managed_mb = 64;
	bench_start(&lab->bench);
	join(&lab->bench, 0);
	assert_int_equal(session_manage(lab->bench.session, 0, 1 << 20), 0);
	assert_int_equal(come(lab, steps, list, 1, 4), -EOPNOTSUPP);
	lab_free(lab);
	trace_free(steps);
}

/* --- the same bits -------------------------------------------------------------------------- */

/* Requests at random beside another tenant, until nothing is left or a cycle has come */
static void begin_some(struct lab *lab, const struct trace *trace)
{
	const struct arrivals_plan plan = {
		.kind = ARRIVALS_POISSON, .launches = 1, .requests = 12, .seed = 5,
		.rate = ARRIVALS_RATE_MAX / 20000, .batching = 3,
	};
	u64 last;

	join(&lab->bench, 1);
	launch(&lab->bench, 1, computing, 1, 0);
	assert_int_equal(session_arrivals(lab->bench.session, 0, trace, &plan, &last), 0);
}

static struct trace *some_requests(void)
{
	return TRACE(STEPS, { REQUEST, 100, 5 }, { REQUEST, 1000, 2 }, { REQUEST, 30, 9 });
}

static void slices_give_the_same_bits(void **state)
{
	struct trace *trace = some_requests();
	struct lab *whole = lab_new(), *parts = lab_new();

	begin_some(whole, trace);
	begin_some(parts, trace);
	session_run(whole->bench.session, 400000);
	run_in_steps(&parts->bench, 400000, 333);
	assert_int_equal(tenant_of(parts)->tokens.count, tenant_of(whole)->tokens.count);
	assert_true(tenant_of(whole)->tokens.count > 20);
	assert_true(report_of(&whole->bench, 0).batch_ppm > SIMGPU_PPM);
	assert_int_equal(session_state_hash(parts->bench.session),
			 session_state_hash(whole->bench.session));
	lab_free(whole);
	lab_free(parts);
	trace_free(trace);
}

static void a_journal_repeats_it(void **state)
{
	struct trace *trace = some_requests();
	const struct trace *traces[] = { trace, computing };
	struct lab *from = lab_new(), *to = calloc(1, sizeof(*to));

	to->bench.options = from->bench.options;
	bench_start(&to->bench);
	begin_some(from, trace);
	session_run(from->bench.session, 250000);
	replay_journal(from->bench.session, to->bench.session, traces, 2);
	assert_true(tenant_of(from)->tokens.count > 10);
	assert_int_equal(session_state_hash(to->bench.session),
			 session_state_hash(from->bench.session));
	lab_free(from);
	lab_free(to);
	trace_free(trace);
}

/* Each byte of what lasts shows in the hash, and so does how many may run. */
static void the_hash_has_batches(void **state)
{
	struct trace *trace = some_requests();
	struct lab *lab = lab_new();
	u8 *bytes = (u8 *)&tenant_of(lab)->batch;
	u64 hash;
	u32 i;

	begin_some(lab, trace);
	session_run(lab->bench.session, 150000);
	hash = session_state_hash(lab->bench.session);
	for (i = 0; i < sizeof(struct batch); i++) {
		bytes[i] ^= 0x40;
		assert_int_not_equal(session_state_hash(lab->bench.session), hash);
		bytes[i] ^= 0x40;
	}
	tenant_of(lab)->arrivals.plan.batching++;
	assert_int_not_equal(session_state_hash(lab->bench.session), hash);
	tenant_of(lab)->arrivals.plan.batching--;
	assert_int_equal(session_state_hash(lab->bench.session), hash);
	lab_free(lab);
	trace_free(trace);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(two_requests_to_the_cycle),
		cmocka_unit_test(steps_run_their_kernels),
		cmocka_unit_test(a_prefill_waits_for_the_decode),
		cmocka_unit_test(no_more_run_than_the_plan_says),
		cmocka_unit_test(one_at_a_time),
		cmocka_unit_test(an_idle_service_waits),
		cmocka_unit_test(steps_go_by_tokens),
		cmocka_unit_test(the_largest_step_has_to_do),
		cmocka_unit_test(ends_are_told_in_order),
		cmocka_unit_test(a_kill_ends_all_that_run),
		cmocka_unit_test(who_leaves_is_told),
		cmocka_unit_test(a_restart_repeats_the_step),
		cmocka_unit_test(the_next_step_is_seen),
		cmocka_unit_test(what_does_not_fit_is_refused),
		cmocka_unit_test(managed_memory_is_refused),
		cmocka_unit_test(slices_give_the_same_bits),
		cmocka_unit_test(a_journal_repeats_it),
		cmocka_unit_test(the_hash_has_batches),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests_name("batching", tests, make_traces, free_traces);
}
