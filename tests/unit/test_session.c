// SPDX-License-Identifier: GPL-2.0
/*
 * Sessions: gangs that repeat to the bit, whatever the steps in which time
 * passes; launches, members that leave, epochs, first runs.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <cmocka.h>

#include "bench.h"

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

static bool is_over(void *context)
{
	struct bench *bench = context;

	return ++bench->asked >= bench->over_after;
}

static void run_until_over(void *context, struct gpu *gpu, u64 until, bool may_pause)
{
	while (gpu_next_step(gpu, until) != GPU_STEP_DONE) {
		gpu_take_step(gpu, 0);
		if (may_pause && is_over(context))
			until = gpu_soonest_end(gpu);
	}
}

/* The owner's time is over again and again, at each step or seldom: in private runs, too. */
static void pauses_do_not_matter(void **state)
{
	static const u32 steps[] = { UINT32_MAX, 1, 2, 7, 100 };
	struct bench *bench[ARRAY_SIZE(steps)];
	u32 i, calls;

	for (i = 0; i < ARRAY_SIZE(steps); i++) {
		bench[i] = malloc(sizeof(*bench[i]));
		bench_options(bench[i], 3);
		bench[i]->options.model = &model_oracle;
		bench[i]->over_after = steps[i];
		bench[i]->hooks.run_gpu = run_until_over;
		bench[i]->hooks.time_is_over = is_over;
		bench_start(bench[i]);
		launch_gang(bench[i]);
		for (calls = 1; session_run(bench[i]->session, ALL_AT_ONCE) ==
				SESSION_RUNNING; calls++)
			bench[i]->asked = 0;
		assert_true(i ? calls > 2 * STOP / steps[i] / 1000 : calls == 1);
		expect_same(bench[0], bench[i]);
	}
	for (i = 0; i < ARRAY_SIZE(steps); i++)
		bench_free(bench[i]);
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
	assert_int_equal(b.figures.cycles, session_end_cycle(once->session));
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
	assert_int_equal(report.np_run.run_ppm, sum / cycles);
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
	/* Which the session hears of at the end of a window. */
	assert_in_range(report.figures.cycles,
			end - gpu_window(&bench->options.config) + 1, end);
	assert_int_equal(report.np_run.run_ppm, sum / cycles);
	bench_free(bench);
}

/* --- the ends of kernels --- */

/* From the first epoch's end on the first tenant has six of eight SMs. */
static int six_and_two(const struct simgpu_snapshot *snapshot, void *state,
		       struct simgpu_proposal *proposal)
{
	proposal->sms[0] = 6;
	proposal->sms[1] = 2;
	return 0;
}

static const struct simgpu_policy lopsided = {
	.name = "lopsided", .decide = six_and_two,
};

/* Two tenants, until the second one's kernel has ended for the first time. */
static struct bench *run_to_kernel_end(enum session_kernel_end kernel_end,
				       const struct trace *second)
{
	struct bench *bench = malloc(sizeof(*bench));

	bench_options(bench, 2);
	bench->options.policy = &lopsided;
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

/* Kernels far shorter than an epoch: nobody falls silent for them. */
static void short_kernels_are_predicted(void **state)
{
	struct bench *bench = malloc(sizeof(*bench));
	u32 i;

	bench_options(bench, 2);
	bench->options.kernel_end = SESSION_KERNEL_END_CARRY;
	bench_start(bench);
	join(bench, 0);
	join(bench, 1);
	launch(bench, 0, brief, 1, 0);
	launch(bench, 1, computing, 1, 0);
	session_run(bench->session, ALL_AT_ONCE);
	assert_true(report_of(bench, 0).counters.kernels_finished > 20);
	assert_true(report_of(bench, 0).first_run_done);
	/* Of an epoch that its first run is only the beginning of. */
	assert_in_range(report_of(bench, 0).np_run.run_ppm, 425000, 575000);
	for (i = 0; i < 7; i++) {
		assert_true(bench->epochs[i].predicted);
		assert_int_equal(bench->epochs[i].tenants[0].class,
				 SIMGPU_CLASS_COMPUTE);
		assert_int_equal(bench->epochs[i].tenants[0].first_run, !i);
	}
	bench_free(bench);
}

/* The same kernel again changes nothing, another one begins an even split. */
static void a_kernel_end_may_ask_what_follows(void **state)
{
	struct trace *twice = trace_compute_twice(100, 20, 20);
	struct bench *bench = run_to_kernel_end(SESSION_KERNEL_END_CHANGED,
						copying);

	assert_int_not_equal(report_of(bench, 0).sms, 4);
	bench_free(bench);
	bench = run_to_kernel_end(SESSION_KERNEL_END_CARRY, twice);
	assert_int_not_equal(report_of(bench, 0).sms, 4);
	bench_free(bench);
	bench = run_to_kernel_end(SESSION_KERNEL_END_CHANGED, twice);
	assert_int_equal(report_of(bench, 0).sms, 4);
	/* The epoch goes on all the same. */
	assert_true(bench->epochs[bench->epoch_count - 1].end_cycle % EPOCH == 0);
	bench_free(bench);
	trace_free(twice);
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

/* An epoch that is cut shorter than a fifth of its length is not predicted. */
static void a_fifth_of_an_epoch_is_predicted(void **state)
{
	static const u64 cycles[] = { 1800, 2000, 2200 };
	u32 i;

	for (i = 0; i < ARRAY_SIZE(cycles); i++) {
		struct bench *bench = bench_new(0);

		join(bench, 0);
		join(bench, 1);
		launch(bench, 0, computing, 1, 0);
		launch(bench, 1, computing, 1, cycles[i]);
		session_run(bench->session, EPOCH);
		assert_int_equal(bench->epoch_count, 1);
		assert_int_equal(bench->epochs[0].end_cycle, cycles[i]);
		assert_int_equal(bench->epochs[0].predicted,
				 cycles[i] >= EPOCH / 5);
		/* It had all SMs, all the time, and the next one has an even split. */
		assert_int_equal(bench->epochs[0].tenants[0].sms, 8);
		bench_free(bench);
	}
}

/* NPs are weighed by their cycles, by class; a last bit counts if it is all there is. */
static void predictions_of_a_run_are_weighed(void **state)
{
	const struct session_counted whole = { .cycles = 300 };
	const struct session_counted half = { .cycles = 150 };
	const struct session_counted bit = { .cycles = 50, .last_bit = true };
	struct session_np np = { .cycles = 0 };
	struct session_np_figures out;

	session_np_figures(&np, &out);
	assert_int_equal(out.run_ppm, 0);
	session_np_add(&np, SIMGPU_CLASS_UNKNOWN, 900000, &whole);
	assert_int_equal(np.cycles, 0);
	session_np_add(&np, SIMGPU_CLASS_COMPUTE, 200000, &bit);
	session_np_figures(&np, &out);
	assert_int_equal(out.run_ppm, 200000);
	memset(&np, 0, sizeof(np));
	session_np_add(&np, SIMGPU_CLASS_COMPUTE, 600000, &whole);
	session_np_add(&np, SIMGPU_CLASS_MEMORY, 300000, &half);
	session_np_add(&np, SIMGPU_CLASS_MEMORY, 1, &bit);
	session_np_figures(&np, &out);
	assert_int_equal(out.run_ppm, 500000);
	assert_int_equal(out.compute_ppm, 600000);
	assert_int_equal(out.memory_ppm, 300000);
	assert_int_equal(out.memory_part_ppm, 333333);
}

/* A launch may end when it may begin, and now; nobody can end before. */
static void deadlines_are_ahead(void **state)
{
	static const struct {
		u64 not_before;
		u64 deadline;
		int status;
	} cases[] = {
		{ 5000, 5000, 0 }, { 5000, 4999, -EINVAL }, { 5000, 0, 0 },
		{ 0, 1000, 0 }, { 0, 999, -EINVAL }, { 0, 1, -EINVAL },
		{ 500, 999, -EINVAL }, { 500, 1000, 0 },
	};
	struct bench *bench = bench_new(0);
	u64 sequence;
	u32 i;

	join(bench, 0);
	launch(bench, 0, computing, 1, 0);
	session_run(bench->session, 1000);
	for (i = 0; i < ARRAY_SIZE(cases); i++) {
		const struct session_launch_options options = {
			.trace = brief, .repeats = 1,
			.not_before = cases[i].not_before,
			.deadline = cases[i].deadline,
		};

		assert_int_equal(session_launch_with(bench->session, 0, &options,
						     &sequence),
				 cases[i].status);
	}
	bench_free(bench);
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
			 session_end_cycle(bench->session) - 50000);
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

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(gangs_repeat),
		cmocka_unit_test(seeds_matter),
		cmocka_unit_test(steps_do_not_matter),
		cmocka_unit_test(pauses_do_not_matter),
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
		cmocka_unit_test(short_kernels_are_predicted),
		cmocka_unit_test(a_kernel_end_may_ask_what_follows),
		cmocka_unit_test(preemption_is_chosen_for_each_sm),
		cmocka_unit_test(a_finished_tenant_keeps_no_sm),
		cmocka_unit_test(launches_run_in_order),
		cmocka_unit_test(the_queue_has_an_end),
		cmocka_unit_test(bad_launches_are_refused),
		cmocka_unit_test(deadlines_are_ahead),
		cmocka_unit_test(a_fifth_of_an_epoch_is_predicted),
		cmocka_unit_test(predictions_of_a_run_are_weighed),
		cmocka_unit_test(launches_wait_for_their_cycle),
		cmocka_unit_test(waiting_alone_lets_time_pass),
		cmocka_unit_test(time_stands_still_without_work),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests_name("session", tests, make_traces,
					   free_traces);
}
