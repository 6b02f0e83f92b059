// SPDX-License-Identifier: GPL-2.0
/*
 * Sessions: gangs that repeat to the bit, whatever the steps in which time
 * passes; launches, members that leave, epochs, first runs, the journal.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <cmocka.h>

#include "../../kmod/core/session.h"
#include "small.h"
#include "traces.h"

#define EPOCH		10000ULL
#define STOP		75000ULL
#define EPOCHS_MAX	256
#define DONE_MAX	256
#define ALL_AT_ONCE	U64_MAX

/** struct done - what a launch_done call said */
struct done {
	u32 slot;
	u64 sequence;
	const struct trace *trace;
	int status;
};

/** struct bench - a session, and all that it told */
struct bench {
	struct session_options options;
	struct session_hooks hooks;
	struct session *session;
	u32 epoch_count;
	struct session_epoch epochs[EPOCHS_MAX];
	u32 done_count;
	struct done done[DONE_MAX];
};

static struct trace *computing, *random_reads, *copying, *middling, *brief;
static struct trace *long_blocks;

static int make_traces(void **state)
{
	/* Longer than the gang runs, all three; about half of it; a moment. */
	computing = trace_compute(100000, 10, 20);
	random_reads = trace_random(100000, 20, 4, 1 << 24);
	copying = trace_copy(64, 20, 32);
	middling = trace_compute(64, 20, 20);
	brief = trace_compute(64, 4, 10);
	long_blocks = trace_compute(1000, 1, 100000);
	return 0;
}

static int free_traces(void **state)
{
	trace_free(computing);
	trace_free(random_reads);
	trace_free(copying);
	trace_free(middling);
	trace_free(brief);
	trace_free(long_blocks);
	return 0;
}

static void on_epoch(void *context, const struct session_epoch *epoch)
{
	struct bench *bench = context;

	assert_true(bench->epoch_count < EPOCHS_MAX);
	bench->epochs[bench->epoch_count++] = *epoch;
}

static void on_done(void *context, u32 slot, u64 sequence,
		    const struct trace *trace, int status)
{
	struct bench *bench = context;

	assert_true(bench->done_count < DONE_MAX);
	bench->done[bench->done_count++] = (struct done) {
		slot, sequence, trace, status
	};
}

static void bench_options(struct bench *bench, u32 gang_size)
{
	memset(bench, 0, sizeof(*bench));
	bench->options = (struct session_options) {
		.config = small_config(),
		.seed = 1,
		.epoch_cycles = EPOCH,
		.stop_cycle = gang_size ? STOP : 0,
		.relaunch = gang_size != 0,
		.gang_size = gang_size,
		.model = &model_hsm,
		.policy = &policy_hsm_fair,
	};
	session_default_params(&bench->options);
	bench->hooks = (struct session_hooks) {
		.context = bench, .epoch = on_epoch, .launch_done = on_done,
	};
}

static void bench_start(struct bench *bench)
{
	assert_int_equal(session_create(&bench->session, &bench->options,
					&bench->hooks), 0);
}

static struct bench *bench_new(u32 gang_size)
{
	struct bench *bench = malloc(sizeof(*bench));

	bench_options(bench, gang_size);
	bench_start(bench);
	return bench;
}

static void bench_free(struct bench *bench)
{
	session_destroy(bench->session);
	free(bench);
}

static struct session_tenant_options plain(void)
{
	return (struct session_tenant_options) { .name = "t", .weight = 1 };
}

static void join(struct bench *bench, u32 slot)
{
	struct session_tenant_options options = plain();

	assert_int_equal(session_join(bench->session, slot, &options), slot);
}

static void launch(struct bench *bench, u32 slot, const struct trace *trace,
		   u64 repeats, u64 not_before)
{
	u64 sequence;

	assert_int_equal(session_launch(bench->session, slot, trace, repeats,
					not_before, &sequence), 0);
}

/* The usual gang: in slots 0 and up, one trace each. */
static void launch_gang(struct bench *bench)
{
	const struct trace *traces[] = { computing, random_reads, copying };
	u32 slot;

	for (slot = 0; slot < bench->options.gang_size; slot++)
		join(bench, slot);
	for (slot = 0; slot < bench->options.gang_size; slot++)
		launch(bench, slot, traces[slot % 3], 1, 0);
}

static void run_in_steps(struct bench *bench, u64 cycle, u64 step)
{
	while (session_now(bench->session) < cycle) {
		u64 left = cycle - session_now(bench->session);

		if (session_run(bench->session, left < step ? left : step) !=
		    SESSION_RUNNING)
			break;
	}
}

static struct session_tenant_report report_of(struct bench *bench, u32 slot)
{
	struct session_tenant_report report;

	session_tenant_report(bench->session, slot, &report);
	return report;
}

static void expect_same_epoch(const struct session_epoch *a,
			      const struct session_epoch *b)
{
	u32 i;

	assert_int_equal(a->index, b->index);
	assert_int_equal(a->start_cycle, b->start_cycle);
	assert_int_equal(a->end_cycle, b->end_cycle);
	assert_int_equal(a->predicted, b->predicted);
	assert_int_equal(a->fell_back, b->fell_back);
	assert_memory_equal(&a->metrics, &b->metrics, sizeof(a->metrics));
	assert_int_equal(a->tenant_count, b->tenant_count);
	for (i = 0; i < a->tenant_count; i++) {
		const struct session_epoch_tenant *x = &a->tenants[i];
		const struct session_epoch_tenant *y = &b->tenants[i];

		assert_int_equal(x->slot, y->slot);
		assert_int_equal(x->sms, y->sms);
		assert_int_equal(x->sms_next, y->sms_next);
		assert_int_equal(x->class, y->class);
		assert_int_equal(x->np_ppm, y->np_ppm);
		assert_int_equal(x->first_run, y->first_run);
		assert_memory_equal(&x->figures, &y->figures,
				    sizeof(x->figures));
		assert_memory_equal(&x->counters, &y->counters,
				    sizeof(x->counters));
	}
}

static void expect_same(struct bench *a, struct bench *b)
{
	u32 i;

	assert_int_equal(session_now(a->session), session_now(b->session));
	assert_int_equal(session_state(a->session), session_state(b->session));
	assert_int_equal(session_state_hash(a->session),
			 session_state_hash(b->session));
	assert_int_equal(a->epoch_count, b->epoch_count);
	for (i = 0; i < a->epoch_count; i++)
		expect_same_epoch(&a->epochs[i], &b->epochs[i]);
	for (i = 0; i < SESSION_SLOTS_MAX; i++) {
		struct session_tenant_report x = report_of(a, i);
		struct session_tenant_report y = report_of(b, i);

		assert_memory_equal(&x.figures, &y.figures, sizeof(x.figures));
		assert_memory_equal(&x.counters, &y.counters,
				    sizeof(x.counters));
		assert_int_equal(x.np_run_ppm, y.np_run_ppm);
		assert_int_equal(x.sms, y.sms);
	}
}

/* Epochs follow one another without a gap from @start, each counted once. */
static void expect_tiling(const struct bench *bench, u64 start)
{
	u32 i;

	for (i = 0; i < bench->epoch_count; i++) {
		const struct session_epoch *epoch = &bench->epochs[i];

		assert_int_equal(epoch->index, i);
		assert_int_equal(epoch->start_cycle, start);
		assert_true(epoch->end_cycle > start);
		assert_true(epoch->end_cycle - start <= EPOCH);
		assert_int_equal(epoch->predicted,
				 epoch->end_cycle - start >= EPOCH / 5);
		start = epoch->end_cycle;
	}
}

/* --- the gang repeats --- */

static struct bench *run_gang(u64 step)
{
	struct bench *bench = bench_new(3);

	launch_gang(bench);
	run_in_steps(bench, ALL_AT_ONCE, step);
	return bench;
}

static void gangs_repeat(void **state)
{
	struct bench *a = run_gang(ALL_AT_ONCE), *b = run_gang(ALL_AT_ONCE);

	assert_int_equal(session_state(a->session), SESSION_STOPPED);
	assert_int_equal(session_now(a->session), STOP);
	assert_true(a->epoch_count >= STOP / EPOCH);
	expect_tiling(a, 0);
	expect_same(a, b);
	bench_free(a);
	bench_free(b);
}

static void seeds_matter(void **state)
{
	struct bench *a = run_gang(ALL_AT_ONCE), *b = malloc(sizeof(*b));

	bench_options(b, 3);
	b->options.seed = 2;
	bench_start(b);
	launch_gang(b);
	session_run(b->session, ALL_AT_ONCE);
	assert_int_not_equal(session_state_hash(a->session),
			     session_state_hash(b->session));
	bench_free(a);
	bench_free(b);
}

static void steps_do_not_matter(void **state)
{
	static const u64 steps[] = { 1, 777, 2000, EPOCH, EPOCH - 1 };
	struct bench *whole = run_gang(ALL_AT_ONCE), *stepped;
	u32 i;

	for (i = 0; i < ARRAY_SIZE(steps); i++) {
		stepped = run_gang(steps[i]);
		expect_same(whole, stepped);
		bench_free(stepped);
	}
	bench_free(whole);
}

/* Reading figures on the way changes nothing. */
static void looking_does_not_matter(void **state)
{
	struct bench *a = run_gang(ALL_AT_ONCE), *b = bench_new(3);
	u32 slot;

	launch_gang(b);
	while (session_run(b->session, 1234) == SESSION_RUNNING)
		for (slot = 0; slot < 3; slot++) {
			report_of(b, slot);
			session_state_hash(b->session);
		}
	expect_same(a, b);
	bench_free(a);
	bench_free(b);
}

/* Members join and launch in any order; slots order them. */
static void arrival_does_not_matter(void **state)
{
	struct bench *a = run_gang(ALL_AT_ONCE), *b = bench_new(3);

	join(b, 2);
	launch(b, 2, copying, 1, 0);
	join(b, 0);
	launch(b, 0, computing, 1, 0);
	assert_int_equal(session_run(b->session, 1000), SESSION_WAITING);
	assert_int_equal(session_now(b->session), 0);
	join(b, 1);
	launch(b, 1, random_reads, 1, 0);
	session_run(b->session, ALL_AT_ONCE);
	expect_same(a, b);
	bench_free(a);
	bench_free(b);
}

/* --- the gang's rules --- */

static void gangs_take_their_members_only(void **state)
{
	struct session_tenant_options options = plain();
	struct bench *bench = bench_new(2);
	u64 sequence;

	assert_int_equal(session_state(bench->session), SESSION_WAITING);
	assert_int_equal(session_join(bench->session, 2, &options), -EINVAL);
	assert_int_equal(session_join(bench->session, SESSION_ANY_SLOT,
				      &options), -EINVAL);
	join(bench, 0);
	assert_int_equal(session_join(bench->session, 0, &options), -EBUSY);
	assert_int_equal(session_launch(bench->session, 1, brief, 1, 0,
					&sequence), -EINVAL);
	join(bench, 1);
	launch(bench, 0, brief, 1, 0);
	launch(bench, 1, brief, 1, 0);
	session_run(bench->session, 100);
	assert_int_equal(session_join(bench->session, 1, &options), -EBUSY);
	session_leave(bench->session, 1);
	assert_int_equal(session_join(bench->session, 1, &options), -EBUSY);
	bench_free(bench);
}

static void leaving_before_the_start_cancels(void **state)
{
	struct session_tenant_options options = plain();
	struct bench *bench = bench_new(3);
	u64 sequence;

	join(bench, 0);
	launch(bench, 0, brief, 1, 0);
	launch(bench, 0, computing, 1, 0);
	join(bench, 1);
	launch(bench, 1, brief, 1, 0);
	session_leave(bench->session, 1);
	assert_int_equal(session_state(bench->session), SESSION_CANCELED);
	assert_int_equal(bench->done_count, 3);
	assert_int_equal(bench->done[0].status, -ECANCELED);
	assert_int_equal(bench->done[1].status, -ECANCELED);
	assert_int_equal(bench->done[2].status, -ECANCELED);
	assert_int_equal(session_launch(bench->session, 0, brief, 1, 0,
					&sequence), -ECANCELED);
	assert_int_equal(session_join(bench->session, 2, &options), -EBUSY);
	assert_int_equal(session_run(bench->session, 1000), SESSION_CANCELED);
	assert_int_equal(session_now(bench->session), 0);
	assert_int_equal(bench->epoch_count, 0);
	session_leave(bench->session, 0);
	bench_free(bench);
}

static void stopping_is_exact(void **state)
{
	static const u64 stops[] = { 1, EPOCH - 1, EPOCH, EPOCH + 1, 12345 };
	u32 i;

	for (i = 0; i < ARRAY_SIZE(stops); i++) {
		struct bench *bench = malloc(sizeof(*bench));
		u64 sequence;

		bench_options(bench, 2);
		bench->options.stop_cycle = stops[i];
		bench_start(bench);
		launch_gang(bench);
		run_in_steps(bench, ALL_AT_ONCE, 999);
		assert_int_equal(session_state(bench->session),
				 SESSION_STOPPED);
		assert_int_equal(session_now(bench->session), stops[i]);
		assert_int_equal(bench->epochs[bench->epoch_count - 1].end_cycle,
				 stops[i]);
		expect_tiling(bench, 0);
		/* The stop is a launch's good end. */
		assert_int_equal(bench->done_count, 2);
		assert_int_equal(bench->done[0].status, 0);
		assert_int_equal(session_launch(bench->session, 0, brief, 1, 0,
						&sequence), -ECANCELED);
		assert_int_equal(session_run(bench->session, 1000),
				 SESSION_STOPPED);
		assert_int_equal(session_now(bench->session), stops[i]);
		bench_free(bench);
	}
}

/* --- members that leave --- */

static void the_others_go_on(void **state)
{
	struct bench *bench = bench_new(3);
	struct session_tenant_report before, after;
	u32 i;

	launch_gang(bench);
	session_run(bench->session, 15000);
	before = report_of(bench, 1);
	session_leave(bench->session, 1);
	assert_int_equal(bench->done_count, 1);
	assert_int_equal(bench->done[0].slot, 1);
	assert_int_equal(bench->done[0].status, -ECANCELED);
	after = report_of(bench, 1);
	assert_true(after.left && !after.active);
	assert_memory_equal(&before.counters, &after.counters,
			    sizeof(after.counters));
	assert_int_equal(report_of(bench, 0).sms, 4);
	assert_int_equal(report_of(bench, 1).sms, 0);
	session_run(bench->session, ALL_AT_ONCE);
	assert_int_equal(session_now(bench->session), STOP);
	expect_tiling(bench, 0);
	for (i = 0; i < bench->epoch_count; i++) {
		const struct session_epoch *epoch = &bench->epochs[i];

		assert_int_equal(epoch->tenant_count,
				 epoch->end_cycle <= 15000 ? 3 : 2);
	}
	after = report_of(bench, 1);
	assert_memory_equal(&before.counters, &after.counters,
			    sizeof(after.counters));
	assert_true(report_of(bench, 0).active == false);
	bench_free(bench);
}

static void everybody_may_leave(void **state)
{
	struct bench *bench = bench_new(2);

	launch_gang(bench);
	session_run(bench->session, 5000);
	session_leave(bench->session, 0);
	session_leave(bench->session, 0);
	session_leave(bench->session, 1);
	assert_int_equal(session_run(bench->session, 1000), SESSION_IDLE);
	assert_int_equal(session_now(bench->session), 5000);
	bench_free(bench);
}

/* --- relaunches and first runs --- */

static void first_runs_have_their_own_figures(void **state)
{
	struct bench *again = bench_new(1), *once = malloc(sizeof(*once));
	struct session_tenant_report a, b;

	join(again, 0);
	launch(again, 0, brief, 1, 0);
	session_run(again->session, ALL_AT_ONCE);
	assert_int_equal(session_now(again->session), STOP);

	bench_options(once, 1);
	once->options.stop_cycle = 0;
	once->options.relaunch = false;
	bench_start(once);
	join(once, 0);
	launch(once, 0, brief, 1, 0);
	assert_int_equal(session_run(once->session, ALL_AT_ONCE), SESSION_IDLE);
	assert_true(session_now(once->session) < STOP / 10);

	a = report_of(again, 0);
	b = report_of(once, 0);
	assert_true(a.first_run_done && b.first_run_done);
	assert_memory_equal(&a.figures, &b.figures, sizeof(a.figures));
	assert_int_equal(b.figures.cycles, session_now(once->session));
	assert_int_equal(b.figures.thread_instructions, 64 * 256 * 4 * 10);
	assert_int_equal(b.counters.thread_instructions,
			 b.figures.thread_instructions);
	/* The last run may not have come to its end. */
	assert_true(a.counters.kernels_finished > 10);
	assert_true(a.counters.thread_instructions >=
		    a.counters.kernels_finished * 64 * 256 * 4 * 10);
	bench_free(again);
	bench_free(once);
}

static void unfinished_first_runs_count_so_far(void **state)
{
	struct bench *bench = run_gang(ALL_AT_ONCE);
	struct session_tenant_report report = report_of(bench, 0);
	u64 sum = 0, cycles = 0;
	u32 i;

	assert_false(report.first_run_done);
	assert_int_equal(report.figures.cycles, STOP);
	assert_int_equal(report.figures.thread_instructions,
			 report.counters.thread_instructions);
	/* The run's NP is the epochs' predictions by their cycles. */
	for (i = 0; i < bench->epoch_count; i++) {
		const struct session_epoch *epoch = &bench->epochs[i];
		u64 length = epoch->end_cycle - epoch->start_cycle;

		assert_int_equal(epoch->tenants[0].slot, 0);
		assert_true(epoch->tenants[0].first_run);
		if (!epoch->predicted)
			continue;
		sum += epoch->tenants[0].np_ppm * length;
		cycles += length;
	}
	assert_int_equal(report.np_run_ppm, sum / cycles);
	bench_free(bench);
}

static void predictions_stop_with_the_first_run(void **state)
{
	struct bench *bench = bench_new(2);
	struct session_tenant_report report;
	u64 sum = 0, cycles = 0, end = 0;
	bool over = false;
	u32 i;

	join(bench, 0);
	join(bench, 1);
	launch(bench, 0, random_reads, 1, 0);
	launch(bench, 1, middling, 1, 0);
	session_run(bench->session, ALL_AT_ONCE);
	report = report_of(bench, 1);
	assert_true(report.first_run_done);
	for (i = 0; i < bench->epoch_count; i++) {
		const struct session_epoch *epoch = &bench->epochs[i];
		u64 length = epoch->end_cycle - epoch->start_cycle;

		/* Once over, a first run does not come back. */
		assert_false(over && epoch->tenants[1].first_run);
		over = !epoch->tenants[1].first_run;
		if (over)
			continue;
		end = epoch->end_cycle;
		if (!epoch->predicted)
			continue;
		sum += epoch->tenants[1].np_ppm * length;
		cycles += length;
	}
	assert_true(over);
	assert_int_equal(report.figures.cycles, end);
	assert_int_equal(report.np_run_ppm, sum / cycles);
	bench_free(bench);
}

/* --- the ends of kernels --- */

/* Two tenants, until the second one's kernel has ended for the first time. */
static struct bench *run_to_kernel_end(enum session_kernel_end kernel_end,
				       const struct trace *second)
{
	struct bench *bench = malloc(sizeof(*bench));

	bench_options(bench, 2);
	bench->options.kernel_end = kernel_end;
	bench->options.stop_cycle = 200000;
	bench_start(bench);
	join(bench, 0);
	join(bench, 1);
	launch(bench, 0, computing, 1, 0);
	launch(bench, 1, second, 1, 0);
	while (!report_of(bench, 1).counters.kernels_finished)
		assert_int_equal(session_run(bench->session, 1),
				 SESSION_RUNNING);
	expect_tiling(bench, 0);
	return bench;
}

static void a_kernel_end_may_end_the_epoch(void **state)
{
	struct bench *bench = run_to_kernel_end(SESSION_KERNEL_END_EVEN,
						copying);
	const struct session_epoch *last = &bench->epochs[bench->epoch_count - 1];

	assert_int_equal(last->end_cycle, session_now(bench->session));
	assert_true(last->tenants[1].first_run);
	assert_int_equal(report_of(bench, 0).sms, 4);
	bench_free(bench);
}

/* Epochs go by time, and who had more SMs keeps them. */
static void a_kernel_end_may_carry_on(void **state)
{
	struct bench *bench = run_to_kernel_end(SESSION_KERNEL_END_CARRY,
						copying);
	u32 i;

	assert_int_not_equal(report_of(bench, 0).sms, 4);
	session_run(bench->session, ALL_AT_ONCE);
	for (i = 0; i < bench->epoch_count; i++) {
		assert_int_equal(bench->epochs[i].end_cycle, (i + 1) * EPOCH);
		assert_true(bench->epochs[i].predicted);
	}
	bench_free(bench);
}

/* The same kernel again changes nothing, another one begins an even split. */
static void a_kernel_end_may_ask_what_follows(void **state)
{
	struct bench *bench = run_to_kernel_end(SESSION_KERNEL_END_CHANGED,
						copying);

	assert_int_not_equal(report_of(bench, 0).sms, 4);
	session_run(bench->session, ALL_AT_ONCE);
	assert_int_equal(bench->epochs[0].end_cycle, EPOCH);
	bench_free(bench);
	bench = run_to_kernel_end(SESSION_KERNEL_END_CHANGED, middling);
	assert_int_equal(report_of(bench, 0).sms, 4);
	assert_int_not_equal(bench->epochs[bench->epoch_count - 1].end_cycle,
			     session_now(bench->session));
	bench_free(bench);
}

/*
 * A third tenant comes to one whose blocks end often and one whose blocks last
 * longer than the epochs: what do the SMs do that they lose?
 */
static void expect_preemption(enum session_preemption preemption,
			      enum gpu_sm_state of_short,
			      enum gpu_sm_state of_long)
{
	struct bench *bench = malloc(sizeof(*bench));
	struct gpu_sm_status status;
	u32 sm, shorts = 0, longs = 0;

	bench_options(bench, 0);
	bench->options.policy = &policy_even;
	bench->options.preemption = preemption;
	bench_start(bench);
	join(bench, 0);
	launch(bench, 0, computing, 1, 0);
	join(bench, 1);
	launch(bench, 1, long_blocks, 1, 0);
	session_run(bench->session, 3 * EPOCH);
	join(bench, 2);
	launch(bench, 2, computing, 1, 0);
	session_run(bench->session, 1);
	for (sm = 0; sm < bench->options.config.sms; sm++) {
		gpu_sm_status(session_gpu(bench->session), sm, &status);
		if (status.owner == status.next_owner)
			continue;
		assert_int_equal(status.next_owner, 2);
		assert_int_equal(status.state,
				 status.owner ? of_long : of_short);
		if (status.owner)
			longs++;
		else
			shorts++;
	}
	assert_true(shorts && longs);
	bench_free(bench);
}

static void preemption_is_chosen_for_each_sm(void **state)
{
	expect_preemption(SESSION_PREEMPTION_DRAIN, GPU_SM_DRAINING,
			  GPU_SM_DRAINING);
	expect_preemption(SESSION_PREEMPTION_SWITCH, GPU_SM_SAVING,
			  GPU_SM_SAVING);
	expect_preemption(SESSION_PREEMPTION_ADAPTIVE, GPU_SM_DRAINING,
			  GPU_SM_SAVING);
}

static void a_finished_tenant_keeps_no_sm(void **state)
{
	struct bench *bench = bench_new(0);

	bench->options.gang_size = 0;
	join(bench, 0);
	join(bench, 1);
	launch(bench, 0, computing, 1, 0);
	launch(bench, 1, brief, 1, 0);
	session_run(bench->session, 1);
	assert_int_equal(report_of(bench, 0).sms, 4);
	assert_int_equal(report_of(bench, 1).sms, 4);
	while (report_of(bench, 1).active)
		session_run(bench->session, 100);
	assert_int_equal(report_of(bench, 1).sms, 0);
	assert_int_equal(report_of(bench, 0).sms, 8);
	bench_free(bench);
}

/* --- launches --- */

static void launches_run_in_order(void **state)
{
	struct bench *bench = bench_new(0);
	u32 i;

	join(bench, 0);
	launch(bench, 0, brief, 3, 0);
	launch(bench, 0, copying, 1, 0);
	launch(bench, 0, brief, 1, 0);
	assert_int_equal(session_run(bench->session, ALL_AT_ONCE),
			 SESSION_IDLE);
	assert_int_equal(bench->done_count, 3);
	for (i = 0; i < 3; i++) {
		assert_int_equal(bench->done[i].slot, 0);
		assert_int_equal(bench->done[i].sequence, i + 1);
		assert_int_equal(bench->done[i].status, 0);
	}
	assert_ptr_equal(bench->done[1].trace, copying);
	assert_int_equal(report_of(bench, 0).counters.kernels_finished, 5);
	bench_free(bench);
}

static void the_queue_has_an_end(void **state)
{
	struct bench *bench = bench_new(0);
	u64 sequence;
	u32 i;

	join(bench, 0);
	for (i = 0; i < SESSION_LAUNCHES_MAX; i++) {
		assert_int_equal(session_launch(bench->session, 0, brief, 1, 0,
						&sequence), 0);
		assert_int_equal(sequence, i + 1);
	}
	assert_int_equal(session_launch(bench->session, 0, brief, 1, 0,
					&sequence), -EAGAIN);
	while (!bench->done_count)
		session_run(bench->session, 100);
	assert_int_equal(session_launch(bench->session, 0, brief, 1, 0,
					&sequence), 0);
	assert_int_equal(sequence, SESSION_LAUNCHES_MAX + 1);
	session_run(bench->session, ALL_AT_ONCE);
	assert_int_equal(bench->done_count, SESSION_LAUNCHES_MAX + 1);
	bench_free(bench);
}

static void bad_launches_are_refused(void **state)
{
	struct bench *bench = bench_new(0);
	struct builder *b = builder_new("large", "test");
	struct trace *large;
	u64 sequence;

	builder_kernel(b, "large", 1, 1024, 255, 0);
	builder_compute(b, 1, 32);
	large = trace_of(b, 0);
	join(bench, 5);
	assert_int_equal(session_launch(bench->session, 5, large, 1, 0,
					&sequence), -E2BIG);
	assert_int_equal(session_launch(bench->session, 5, brief, 0, 0,
					&sequence), -EINVAL);
	assert_int_equal(session_launch(bench->session, 4, brief, 1, 0,
					&sequence), -EINVAL);
	assert_int_equal(session_launch(bench->session, SESSION_SLOTS_MAX,
					brief, 1, 0, &sequence), -EINVAL);
	assert_int_equal(session_state(bench->session), SESSION_IDLE);
	bench_free(bench);
	trace_free(large);
}

static void launches_wait_for_their_cycle(void **state)
{
	struct bench *bench = bench_new(0);
	u32 i;

	join(bench, 0);
	join(bench, 1);
	launch(bench, 0, computing, 1, 0);
	launch(bench, 1, brief, 1, 12345);
	session_run(bench->session, 12345);
	assert_int_equal(session_now(bench->session), 12345);
	assert_false(report_of(bench, 1).active);
	assert_int_equal(report_of(bench, 0).sms, 8);
	session_run(bench->session, 1);
	assert_true(report_of(bench, 1).active);
	assert_int_equal(report_of(bench, 1).sms, 4);
	/* A new tenant ends the epoch, and begins an even split. */
	for (i = 0; bench->epochs[i].end_cycle != 12345; i++)
		assert_true(i < bench->epoch_count);
	assert_int_equal(bench->epochs[i].tenant_count, 1);
	assert_int_equal(report_of(bench, 1).figures.cycles, 1);
	bench_free(bench);
}

/* With nobody else at work, time passes until the launch's cycle. */
static void waiting_alone_lets_time_pass(void **state)
{
	struct bench *bench = bench_new(0);

	join(bench, 0);
	launch(bench, 0, brief, 1, 50000);
	assert_int_equal(session_run(bench->session, ALL_AT_ONCE),
			 SESSION_IDLE);
	assert_true(session_now(bench->session) > 50000);
	assert_int_equal(report_of(bench, 0).figures.cycles,
			 session_now(bench->session) - 50000);
	bench_free(bench);
}

static void time_stands_still_without_work(void **state)
{
	struct bench *bench = bench_new(0);
	u64 now;

	assert_int_equal(session_run(bench->session, 1000), SESSION_IDLE);
	assert_int_equal(session_now(bench->session), 0);
	join(bench, 0);
	assert_int_equal(session_run(bench->session, 1000), SESSION_IDLE);
	launch(bench, 0, brief, 1, 0);
	session_run(bench->session, ALL_AT_ONCE);
	now = session_now(bench->session);
	assert_int_equal(session_run(bench->session, 1000), SESSION_IDLE);
	assert_int_equal(session_now(bench->session), now);
	launch(bench, 0, brief, 1, 0);
	assert_int_equal(session_run(bench->session, ALL_AT_ONCE),
			 SESSION_IDLE);
	assert_true(session_now(bench->session) > now);
	bench_free(bench);
}

/* --- tenants without a gang --- */

static void tenants_come_and_go(void **state)
{
	struct session_tenant_options options = plain();
	struct bench *bench = bench_new(0);
	u32 i;

	for (i = 0; i < SESSION_SLOTS_MAX; i++)
		assert_int_equal(session_join(bench->session, SESSION_ANY_SLOT,
					      &options), i);
	assert_int_equal(session_join(bench->session, SESSION_ANY_SLOT,
				      &options), -EBUSY);
	session_leave(bench->session, 7);
	session_leave(bench->session, 3);
	assert_int_equal(session_join(bench->session, SESSION_ANY_SLOT,
				      &options), 3);
	/* A new tenant begins with nothing. */
	launch(bench, 3, brief, 1, 0);
	session_run(bench->session, ALL_AT_ONCE);
	session_leave(bench->session, 3);
	assert_true(report_of(bench, 3).counters.thread_instructions);
	assert_int_equal(session_join(bench->session, 3, &options), 3);
	assert_int_equal(report_of(bench, 3).counters.thread_instructions, 0);
	assert_false(report_of(bench, 3).first_run_done);
	bench_free(bench);
}

/* More tenants than SMs: nobody is lost, and all come to their end. */
static void crowds_come_to_their_end(void **state)
{
	struct bench *bench = bench_new(0);
	u32 slot;

	for (slot = 0; slot < 20; slot++) {
		join(bench, slot);
		launch(bench, slot, brief, 1, 0);
	}
	assert_int_equal(session_run(bench->session, ALL_AT_ONCE),
			 SESSION_IDLE);
	assert_int_equal(bench->done_count, 20);
	for (slot = 0; slot < 20; slot++)
		assert_true(report_of(bench, slot).first_run_done);
	bench_free(bench);
}

static void bad_tenants_are_refused(void **state)
{
	static const struct session_tenant_options bad[] = {
		{ .name = "t", .weight = 0 },
		{ .name = "t", .weight = 1001 },
		{ .name = "t", .weight = 1, .target_ppm = 1 },
		{ .name = "t", .weight = 1, .service = SIMGPU_QOS },
		{ .name = "t", .weight = 1, .service = SIMGPU_QOS,
		  .target_ppm = SIMGPU_PPM + 1 },
		{ .name = "t", .weight = 1, .service = 2 },
	};
	struct bench *bench = bench_new(0);
	struct session_tenant_options options = plain();
	u32 i;

	assert_int_equal(session_set_tenant(bench->session, 0, &options),
			 -EINVAL);
	for (i = 0; i < ARRAY_SIZE(bad); i++)
		assert_int_equal(session_join(bench->session, 0, &bad[i]),
				 -EINVAL);
	assert_int_equal(session_join(bench->session, SESSION_SLOTS_MAX,
				      &options), -EINVAL);
	join(bench, 0);
	for (i = 0; i < ARRAY_SIZE(bad); i++)
		assert_int_equal(session_set_tenant(bench->session, 0, &bad[i]),
				 -EINVAL);
	options.service = SIMGPU_QOS;
	options.target_ppm = SIMGPU_PPM;
	options.weight = 1000;
	assert_int_equal(session_set_tenant(bench->session, 0, &options), 0);
	assert_int_equal(report_of(bench, 0).options.weight, 1000);
	bench_free(bench);
}

/* --- options and knobs --- */

#define OPTIONS_REFUSED(statement)					\
	do {								\
		bench_options(bench, 1);				\
		statement;						\
		assert_int_equal(session_create(&bench->session,	\
						&bench->options,	\
						&bench->hooks), -EINVAL); \
	} while (0)

static void bad_options_are_refused(void **state)
{
	struct bench *bench = malloc(sizeof(*bench));

	OPTIONS_REFUSED(bench->options.epoch_cycles =
			SESSION_EPOCH_CYCLES_MIN - 1);
	OPTIONS_REFUSED(bench->options.epoch_cycles =
			SESSION_EPOCH_CYCLES_MAX + 1);
	OPTIONS_REFUSED(bench->options.stop_cycle = 0);
	OPTIONS_REFUSED(bench->options.kernel_end = SESSION_KERNEL_ENDS);
	OPTIONS_REFUSED(bench->options.preemption = 3);
	OPTIONS_REFUSED(bench->options.gang_size = SESSION_SLOTS_MAX + 1);
	OPTIONS_REFUSED(bench->options.model = NULL);
	OPTIONS_REFUSED(bench->options.policy = NULL);
	OPTIONS_REFUSED(bench->options.config.sms = 0);
	OPTIONS_REFUSED(bench->options.config.core_mhz = 0);
	OPTIONS_REFUSED(bench->options.config.noc_flit_bytes = 0);
	OPTIONS_REFUSED(bench->options.config.bank_groups = 0);
	OPTIONS_REFUSED(bench->options.config.channels = 0);
	free(bench);
}

static u32 sampling_of_a_model_with_tags(u32 llc_slices, u32 llc_sets)
{
	struct bench *bench = malloc(sizeof(*bench));
	const struct gpu_config *config;
	const char *field;
	u32 sampling;

	bench_options(bench, 1);
	bench->options.config.llc_slices = llc_slices;
	bench->options.config.llc_sets = llc_sets;
	bench->options.model = &model_hsm_atd;
	assert_int_equal(bench->options.config.atd_sampling, 0);
	bench_start(bench);
	config = &session_options(bench->session)->config;
	assert_int_equal(gpu_config_check(config, &field), 0);
	sampling = config->atd_sampling;
	bench_free(bench);
	return sampling;
}

/* With every 32nd set, the large cache would have twice the limit. */
static void tags_for_a_model_keep_the_limit(void **state)
{
	const struct gpu_config small = small_config();

	assert_int_equal(small.llc_ways, 16);
	assert_int_equal(sampling_of_a_model_with_tags(small.llc_slices,
						       small.llc_sets),
			 SESSION_ATD_SAMPLING);
	assert_int_equal(sampling_of_a_model_with_tags(16, 4096),
			 2 * SESSION_ATD_SAMPLING);
}

static u32 mirrors_of_a_model(u32 llc_sets)
{
	struct bench *bench = malloc(sizeof(*bench));
	u32 mirrors;

	bench_options(bench, 1);
	bench->options.config.llc_sets = llc_sets;
	bench->options.model = &model_mirror;
	bench_start(bench);
	mirrors = session_options(bench->session)->config.mirrors;
	bench_free(bench);
	return mirrors;
}

static void mirrors_for_a_model_keep_the_limit(void **state)
{
	assert_int_equal(mirrors_of_a_model(16), 1);
	assert_int_equal(mirrors_of_a_model(4096), 0);
}

static void knobs_act_from_the_next_epoch(void **state)
{
	struct bench *bench = bench_new(2);

	launch_gang(bench);
	session_run(bench->session, EPOCH / 2);
	assert_int_equal(session_set_epoch_cycles(bench->session,
						  SESSION_EPOCH_CYCLES_MIN - 1),
			 -EINVAL);
	assert_int_equal(session_set_epoch_cycles(bench->session, 2 * EPOCH),
			 0);
	session_set_policy(bench->session, &policy_even);
	session_set_model(bench->session, &model_hsm);
	assert_int_equal(session_set_param(bench->session, SESSION_MODEL_KNOBS,
					   "c1", SIMGPU_PPM + 1), -EINVAL);
	assert_int_equal(session_set_param(bench->session, SESSION_MODEL_KNOBS,
					   "c3", 1), -ENOENT);
	assert_int_equal(session_set_param(bench->session, SESSION_MODEL_KNOBS,
					   "c1", 250000), 0);
	assert_int_equal(session_params(bench->session,
					SESSION_MODEL_KNOBS)[HSM_C1], 250000);
	session_run(bench->session, ALL_AT_ONCE);
	assert_int_equal(bench->epochs[0].end_cycle, 2 * EPOCH);
	assert_int_equal(bench->epochs[0].tenants[0].sms_next, 4);
	bench_free(bench);
}

/* The present epoch ends at once if it is longer than the new length. */
static void shorter_epochs_act_at_once(void **state)
{
	struct bench *bench = malloc(sizeof(*bench));

	bench_options(bench, 2);
	bench->options.epoch_cycles = 50000;
	bench_start(bench);
	launch_gang(bench);
	session_run(bench->session, 30000);
	assert_int_equal(session_set_epoch_cycles(bench->session, EPOCH), 0);
	session_run(bench->session, ALL_AT_ONCE);
	assert_int_equal(bench->epochs[0].end_cycle, 30000);
	assert_int_equal(bench->epochs[1].end_cycle, 40000);
	assert_int_equal(session_now(bench->session), STOP);
	bench_free(bench);
}

/* --- the journal --- */

/* All kinds of events, at cycles of all sorts. */
static void live_through_everything(struct bench *bench, u64 step)
{
	struct session_tenant_options options = plain();

	launch_gang(bench);
	run_in_steps(bench, 7001, step);
	session_set_policy(bench->session, &policy_even);
	run_in_steps(bench, 12345, step);
	options.weight = 7;
	assert_int_equal(session_set_tenant(bench->session, 1, &options), 0);
	launch(bench, 0, brief, 2, 33333);
	run_in_steps(bench, 20000, step);
	session_leave(bench->session, 1);
	session_set_policy(bench->session, &policy_hsm_fair);
	run_in_steps(bench, 30001, step);
	assert_int_equal(session_set_param(bench->session, SESSION_POLICY_KNOBS,
					   "fair_threshold", 500000), 0);
	session_set_model(bench->session, &model_hsm);
	assert_int_equal(session_set_param(bench->session, SESSION_MODEL_KNOBS,
					   "c2", 300000), 0);
	run_in_steps(bench, 41000, step);
	assert_int_equal(session_set_epoch_cycles(bench->session, 11111), 0);
	run_in_steps(bench, 65432, step);
	session_leave(bench->session, 0);
	run_in_steps(bench, ALL_AT_ONCE, step);
}

static const struct session_replay built_in = {
	.policy = registry_policy_find,
	.model = registry_model_find,
};

static const struct trace *trace_for(const struct journal_event *event)
{
	const struct trace *traces[] = { computing, random_reads, copying,
					 brief };
	u32 i;

	if (event->kind != JOURNAL_LAUNCH)
		return NULL;
	for (i = 0; i < ARRAY_SIZE(traces); i++)
		if (traces[i]->checksum == event->launch.checksum)
			return traces[i];
	return NULL;
}

static void replay(struct bench *from, struct bench *to)
{
	const struct journal_event *events;
	u64 lost;
	u32 count, i;

	events = session_journal(from->session, &count, &lost);
	assert_int_equal(lost, 0);
	for (i = 0; i < count; i++)
		assert_int_equal(session_replay_event(to->session, &events[i],
						      trace_for(&events[i]),
						      &built_in), 0);
	if (session_now(from->session) > session_now(to->session))
		session_run(to->session, session_now(from->session) -
					 session_now(to->session));
}

/* Whatever the steps, and whatever SMs change hands by (steps[i] with mode i). */
static void journals_repeat_a_run(void **state)
{
	static const u64 steps[] = { ALL_AT_ONCE, 2000, 777 };
	u32 i;

	for (i = 0; i < ARRAY_SIZE(steps); i++) {
		struct bench *lived = malloc(sizeof(*lived));
		struct bench *replayed = malloc(sizeof(*replayed));

		bench_options(lived, 3);
		bench_options(replayed, 3);
		lived->options.preemption = i;
		replayed->options.preemption = i;
		bench_start(lived);
		bench_start(replayed);
		live_through_everything(lived, steps[i]);
		assert_int_equal(session_now(lived->session), STOP);
		replay(lived, replayed);
		expect_same(lived, replayed);
		/* A replay journals the same events. */
		assert_int_equal(lived->done_count, replayed->done_count);
		bench_free(lived);
		bench_free(replayed);
	}
}

static void journals_repeat_free_running_tenants(void **state)
{
	struct session_tenant_options options = plain();
	struct bench *lived = bench_new(0), *replayed = bench_new(0);
	int slot;

	slot = session_join(lived->session, SESSION_ANY_SLOT, &options);
	launch(lived, slot, brief, 30, 0);
	session_run(lived->session, 2000);
	slot = session_join(lived->session, SESSION_ANY_SLOT, &options);
	launch(lived, slot, computing, 1, 0);
	session_run(lived->session, 2000);
	session_leave(lived->session, 0);
	session_run(lived->session, 12345);
	session_leave(lived->session, slot);
	/* Idle here: time stands still. */
	session_run(lived->session, 1000);
	slot = session_join(lived->session, SESSION_ANY_SLOT, &options);
	launch(lived, slot, copying, 1, 0);
	session_run(lived->session, 5000);
	replay(lived, replayed);
	expect_same(lived, replayed);
	bench_free(lived);
	bench_free(replayed);
}

static void wrong_journals_are_refused(void **state)
{
	struct bench *bench = bench_new(2);
	struct journal_event event = { .kind = JOURNAL_JOIN };

	event.tenant = plain();
	event.cycle = 100;
	/* Nobody is at work: that cycle never comes. */
	assert_int_equal(session_replay_event(bench->session, &event, NULL,
					      &built_in),
			 -EINVAL);
	event.cycle = 0;
	assert_int_equal(session_replay_event(bench->session, &event, NULL,
					      &built_in), 0);
	assert_int_equal(session_replay_event(bench->session, &event, NULL,
					      &built_in),
			 -EBUSY);
	event = (struct journal_event) { .kind = JOURNAL_LAUNCH };
	event.launch.repeats = 1;
	event.launch.sequence = 1;
	event.launch.checksum = brief->checksum;
	event.launch.trace_bytes = brief->bytes;
	assert_int_equal(session_replay_event(bench->session, &event, NULL,
					      &built_in),
			 -EINVAL);
	assert_int_equal(session_replay_event(bench->session, &event,
					      computing, &built_in), -EINVAL);
	assert_int_equal(session_replay_event(bench->session, &event, brief,
					      &built_in),
			 0);
	event = (struct journal_event) { .kind = JOURNAL_POLICY,
					 .name = "nobody" };
	assert_int_equal(session_replay_event(bench->session, &event, NULL,
					      &built_in),
			 -EINVAL);
	event.kind = 99;
	assert_int_equal(session_replay_event(bench->session, &event, NULL,
					      &built_in),
			 -EINVAL);
	bench_free(bench);
}

static void full_journals_count_what_they_lose(void **state)
{
	struct bench *bench = bench_new(0);
	const struct journal_event *events;
	u64 lost;
	u32 count, i;

	for (i = 0; i < SESSION_JOURNAL_MAX + 10; i++)
		session_set_policy(bench->session, &policy_even);
	events = session_journal(bench->session, &count, &lost);
	assert_int_equal(count, SESSION_JOURNAL_MAX);
	assert_int_equal(lost, 10);
	assert_int_equal(events[count - 1].kind, JOURNAL_POLICY);
	bench_free(bench);
}

/* A policy that asks for everything, SM by SM. */
static int take_all(const struct simgpu_snapshot *snapshot, void *state,
		    struct simgpu_proposal *proposal)
{
	u32 sm;

	proposal->flags = SIMGPU_SAYS_OWNERS;
	for (sm = 0; sm < SIMGPU_SMS_MAX; sm++)
		proposal->owner[sm] = sm < snapshot->sms ? sm % 2 :
							   SIMGPU_NO_OWNER;
	return 0;
}

/* With a limit nobody holds more, whatever the policy proposes. */
static void no_tenant_gets_more_than_the_limit(void **state)
{
	static const struct simgpu_policy greedy = {
		.name = "greedy", .decide = take_all,
	};
	const struct simgpu_policy *policies[] = {
		&policy_even, &policy_hsm_fair, &greedy,
	};
	u32 i, j;

	for (i = 0; i < ARRAY_SIZE(policies); i++) {
		struct bench *bench = malloc(sizeof(*bench));

		bench_options(bench, 2);
		bench->options.sms_most = 3;
		bench->options.policy = policies[i];
		bench_start(bench);
		launch_gang(bench);
		run_in_steps(bench, STOP, ALL_AT_ONCE);
		assert_true(bench->epoch_count > 5);
		for (j = 0; j < bench->epoch_count; j++) {
			const struct session_epoch *epoch = &bench->epochs[j];
			u64 most = 3 * (epoch->end_cycle - epoch->start_cycle);

			assert_false(epoch->fell_back);
			assert_in_range(epoch->tenants[0].sms_next, 1, 3);
			assert_in_range(epoch->tenants[1].sms_next, 1, 3);
			/* All three, where none drains and waits for another. */
			if (policies[i] == &policy_even)
				assert_int_equal(epoch->tenants[0].counters.sm_cycles,
						 most);
		}
		assert_in_range(report_of(bench, 0).sms, 1, 3);
		bench_free(bench);
	}
}

/* A policy that changes nothing and notes the fewest thread blocks left. */
static u32 fewest_left;

static int note_left(const struct simgpu_snapshot *snapshot, void *state,
		     struct simgpu_proposal *proposal)
{
	if (snapshot->tenants[0].active &&
	    snapshot->tenants[0].blocks_left < fewest_left)
		fewest_left = snapshot->tenants[0].blocks_left;
	return 0;
}

/* Who is asked as a kernel ends must not think that no SM is of use. */
static void a_kernel_that_ended_leaves_blocks(void **state)
{
	static const struct simgpu_policy policy = {
		.name = "note", .decide = note_left,
	};
	struct bench *bench = malloc(sizeof(*bench));

	bench_options(bench, 1);
	bench->options.kernel_end = SESSION_KERNEL_END_CARRY;
	bench->options.policy = &policy;
	bench_start(bench);
	join(bench, 0);
	launch(bench, 0, middling, 1, 0);
	fewest_left = U32_MAX;
	session_run(bench->session, ALL_AT_ONCE);
	assert_true(report_of(bench, 0).counters.kernels_finished > 1);
	assert_in_range(fewest_left, 1, 64);
	bench_free(bench);
}

/* --- private runs --- */

/* Three tenants under the oracle, in steps of so many cycles. */
static struct bench *run_oracle(u64 step)
{
	struct bench *bench = malloc(sizeof(*bench));

	bench_options(bench, 3);
	bench->options.model = &model_oracle;
	bench->options.policy = &policy_even;
	bench_start(bench);
	launch_gang(bench);
	run_in_steps(bench, STOP, step);
	assert_int_equal(session_now(bench->session), STOP);
	return bench;
}

/* Cycles in which a slot alone, on all SMs, executes so much of a trace. */
static u64 cycles_alone(u32 slot, const struct trace *trace, u64 instructions)
{
	struct bench *bench = malloc(sizeof(*bench));
	u64 cycles;

	bench_options(bench, 0);
	bench_start(bench);
	join(bench, slot);
	launch(bench, slot, trace, 1000, 0);
	while (report_of(bench, slot).counters.thread_instructions < instructions)
		session_run(bench->session, 10);
	cycles = session_now(bench->session);
	bench_free(bench);
	return cycles;
}

static void the_oracle_knows_the_truth(void **state)
{
	const struct trace *traces[] = { computing, random_reads, copying };
	struct bench *bench = run_oracle(ALL_AT_ONCE);
	u32 slot;

	for (slot = 0; slot < 3; slot++) {
		struct session_tenant_report report = report_of(bench, slot);
		u64 alone = cycles_alone(slot, traces[slot],
					 report.counters.thread_instructions);

		/* All epochs are in it: this is NP over the whole run. */
		assert_in_range(report.np_run_ppm,
				fixed_ratio_ppm(alone, STOP) - 10000,
				fixed_ratio_ppm(alone, STOP) + 10000);
	}
	bench_free(bench);
}

static void private_runs_do_not_depend_on_steps(void **state)
{
	struct bench *a = run_oracle(ALL_AT_ONCE), *b = run_oracle(777);
	u32 slot;

	for (slot = 0; slot < 3; slot++)
		assert_int_equal(report_of(a, slot).np_run_ppm,
				 report_of(b, slot).np_run_ppm);
	bench_free(a);
	bench_free(b);
}

/* A private run goes with its tenant, and the next one begins at 0. */
static void private_runs_end_with_their_tenants(void **state)
{
	struct bench *bench = malloc(sizeof(*bench));
	size_t before;
	u32 round;

	bench_options(bench, 0);
	bench->options.model = &model_oracle;
	bench_start(bench);
	before = session_bytes(bench->session);
	for (round = 0; round < 3; round++) {
		join(bench, 5);
		assert_true(session_bytes(bench->session) >
			    before + gpu_bytes(&bench->options.config) / 2);
		launch(bench, 5, computing, 1, 0);
		session_run(bench->session, 3 * EPOCH);
		assert_in_range(report_of(bench, 5).np_ppm, 980000, SIMGPU_PPM);
		session_leave(bench->session, 5);
		assert_int_equal(session_bytes(bench->session), before);
	}
	/* One that is there at the end goes with the session. */
	join(bench, 5);
	bench_free(bench);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(gangs_repeat),
		cmocka_unit_test(seeds_matter),
		cmocka_unit_test(steps_do_not_matter),
		cmocka_unit_test(looking_does_not_matter),
		cmocka_unit_test(arrival_does_not_matter),
		cmocka_unit_test(gangs_take_their_members_only),
		cmocka_unit_test(leaving_before_the_start_cancels),
		cmocka_unit_test(stopping_is_exact),
		cmocka_unit_test(the_others_go_on),
		cmocka_unit_test(everybody_may_leave),
		cmocka_unit_test(first_runs_have_their_own_figures),
		cmocka_unit_test(unfinished_first_runs_count_so_far),
		cmocka_unit_test(predictions_stop_with_the_first_run),
		cmocka_unit_test(a_kernel_end_may_end_the_epoch),
		cmocka_unit_test(a_kernel_end_may_carry_on),
		cmocka_unit_test(a_kernel_end_may_ask_what_follows),
		cmocka_unit_test(preemption_is_chosen_for_each_sm),
		cmocka_unit_test(a_finished_tenant_keeps_no_sm),
		cmocka_unit_test(launches_run_in_order),
		cmocka_unit_test(the_queue_has_an_end),
		cmocka_unit_test(bad_launches_are_refused),
		cmocka_unit_test(launches_wait_for_their_cycle),
		cmocka_unit_test(waiting_alone_lets_time_pass),
		cmocka_unit_test(time_stands_still_without_work),
		cmocka_unit_test(tenants_come_and_go),
		cmocka_unit_test(crowds_come_to_their_end),
		cmocka_unit_test(bad_tenants_are_refused),
		cmocka_unit_test(knobs_act_from_the_next_epoch),
		cmocka_unit_test(shorter_epochs_act_at_once),
		cmocka_unit_test(journals_repeat_a_run),
		cmocka_unit_test(journals_repeat_free_running_tenants),
		cmocka_unit_test(wrong_journals_are_refused),
		cmocka_unit_test(full_journals_count_what_they_lose),
		cmocka_unit_test(bad_options_are_refused),
		cmocka_unit_test(tags_for_a_model_keep_the_limit),
		cmocka_unit_test(mirrors_for_a_model_keep_the_limit),
		cmocka_unit_test(no_tenant_gets_more_than_the_limit),
		cmocka_unit_test(a_kernel_that_ended_leaves_blocks),
		cmocka_unit_test(the_oracle_knows_the_truth),
		cmocka_unit_test(private_runs_do_not_depend_on_steps),
		cmocka_unit_test(private_runs_end_with_their_tenants),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests_name("session", tests, make_traces,
					   free_traces);
}
