// SPDX-License-Identifier: GPL-2.0
/*
 * Sampled time: it passes the same wherever the owner pauses, is near what all time
 * simulated would have been, leaves exact what has to be, and counts nothing twice.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <cmocka.h>

#include "../../kmod/session/internal.h"
#include "../../kmod/sim/leap.h"
#include "bench.h"
#include "journal_of.h"
#include "random.h"

#define CYCLES	3000000ULL

static struct bench *sampled_bench(u32 gang_size, u32 percent)
{
	struct bench *bench = malloc(sizeof(*bench));

	bench_options_even(bench, gang_size, CYCLES / 20);
	bench->options.sampled = (u8)percent;
	if (gang_size)
		bench->options.stop_cycle = CYCLES;
	return bench;
}

/* Epochs follow each other, and each has the set length. */
static void expect_epochs(const struct bench *bench)
{
	u32 i;

	assert_int_equal(bench->epoch_count, 20);
	for (i = 0; i < bench->epoch_count; i++) {
		assert_int_equal(bench->epochs[i].start_cycle, i * CYCLES / 20);
		assert_int_equal(bench->epochs[i].end_cycle, (i + 1) * CYCLES / 20);
	}
}

static struct bench *run_gang(u32 percent, u64 step)
{
	struct bench *bench = sampled_bench(3, percent);

	bench_start(bench);
	launch_gang(bench);
	while (session_run(bench->session, step) == SESSION_RUNNING)
		;
	return bench;
}

/* --- where it pauses, and how much is simulated ------------------------------------------ */

static void steps_do_not_matter(void **state)
{
	static const u64 steps[] = { 999, 10000, CYCLES / 20, CYCLES / 3 };
	struct bench *whole = run_gang(5, ALL_AT_ONCE), *stepped;
	u32 i;

	assert_true(leapt(whole) > CYCLES / 2);
	assert_int_equal(session_now(whole->session), CYCLES);
	expect_epochs(whole);
	for (i = 0; i < ARRAY_SIZE(steps); i++) {
		stepped = run_gang(5, steps[i]);
		expect_same(whole, stepped);
		bench_free(stepped);
	}
	bench_free(whole);
}

/* Nor do they where somebody comes between two looks, and where that ends an epoch. */
static struct bench *run_with_arrival(u64 step)
{
	struct bench *bench = sampled_bench(0, 5);

	bench_start(bench);
	join(bench, 0);
	launch(bench, 0, computing, 1, 0);
	run_in_steps(bench, 110648, step);
	join(bench, 1);
	launch(bench, 1, random_reads, 1, 0);
	run_in_steps(bench, CYCLES, step);
	return bench;
}

static void steps_do_not_matter_at_arrivals(void **state)
{
	struct bench *whole = run_with_arrival(CYCLES);
	struct bench *stepped = run_with_arrival(10);

	assert_true(leapt(whole) > CYCLES / 2);
	expect_same(whole, stepped);
	bench_free(whole);
	bench_free(stepped);
}

/* Two that have so many blocks that they never end, and one of short kernels. */
static void counts_are_near(void **state)
{
	struct bench *exact = run_gang(0, ALL_AT_ONCE);
	struct bench *sampled = run_gang(5, ALL_AT_ONCE);
	u32 slot;

	assert_int_equal(leapt(exact), 0);
	for (slot = 0; slot < 3; slot++) {
		u64 a = issued_by(exact, slot), b = issued_by(sampled, slot);

		assert_true(a && fixed_apart(a, b) < a / 25);
	}
	bench_free(exact);
	bench_free(sampled);
}

/* How a launch ended that was alone on the device */
struct ending {
	u64 cycle;
	u64 leapt;
	struct simgpu_counters counters;
};

static struct ending run_to_end(const struct trace *trace, u64 repeats, u32 percent)
{
	struct bench *bench = sampled_bench(0, percent);
	struct ending ending;

	bench_start(bench);
	join(bench, 0);
	launch(bench, 0, trace, repeats, 0);
	assert_int_equal(session_run(bench->session, ALL_AT_ONCE), SESSION_IDLE);
	assert_int_equal(bench->done_count, 1);
	ending = (struct ending){
		.cycle = session_end_cycle(bench->session), .leapt = leapt(bench),
		.counters = report_of(bench, 0).counters,
	};
	bench_free(bench);
	return ending;
}

/*
 * Sampled, a launch ends near when it ends else, up to @thousandths of that, and has done the
 * same work up to 1%.
 */
static struct ending expect_end_in_time(const struct trace *trace, u64 repeats,
					u32 thousandths)
{
	struct ending exact = run_to_end(trace, repeats, 0);
	struct ending sampled = run_to_end(trace, repeats, 5);
	u64 instructions = exact.counters.thread_instructions;
	u64 blocks = exact.counters.blocks_finished;

	assert_int_equal(exact.leapt, 0);
	assert_true(fixed_apart(exact.cycle, sampled.cycle) <
		    exact.cycle * thousandths / 1000);
	assert_true(fixed_apart(instructions, sampled.counters.thread_instructions) <
		    instructions / 100);
	assert_true(fixed_apart(blocks, sampled.counters.blocks_finished) < blocks / 100);
	assert_int_equal(exact.counters.kernels_finished,
			 sampled.counters.kernels_finished);
	return sampled;
}

/* Blocks that a leap passed are missing at the end, so work ends when it would have. */
static void work_ends_in_time(void **state)
{
	struct trace *trace = trace_stream(20000, 8, 20);
	struct ending ending = expect_end_in_time(trace, 1, 20);

	assert_true(ending.leapt > ending.cycle / 2);
	trace_free(trace);
}

/* Launches that a leap passed are missing, too: of 400 runs of a short trace each counts. */
static void launches_end_in_time(void **state)
{
	struct ending ending = expect_end_in_time(middling, 400, 20);

	assert_int_equal(ending.counters.kernels_finished, 400);
	assert_true(ending.leapt > ending.cycle / 2);
}

/* Two tenants launch, and it goes on until the second one's launch has ended. */
static struct bench *run_beside(u32 percent, const struct trace *first, u64 first_repeats,
				const struct trace *second, u64 second_repeats, u64 step)
{
	struct bench *bench = sampled_bench(0, percent);

	bench_start(bench);
	join(bench, 0);
	join(bench, 1);
	launch(bench, 0, first, first_repeats, 0);
	launch(bench, 1, second, second_repeats, 0);
	while (!bench->done_count)
		session_run(bench->session, step);
	assert_int_equal(bench->done[0].slot, 1);
	return bench;
}

/*
 * The same beside another tenant, whose long kernels make for many short leaps: of each of
 * them a part of a kernel is left over, which must not be lost.
 */
static u64 work_beside(u32 percent, u64 *cycles, u64 *passed)
{
	struct trace *lasting = trace_compute(4000, 20, 20);
	struct trace *shorter = trace_stream(64, 40, 100);
	struct bench *bench = run_beside(percent, lasting, 40, shorter, 60, 10000);
	u64 work = issued_by(bench, 1);

	*cycles = session_now(bench->session);
	*passed = leapt(bench);
	bench_free(bench);
	trace_free(lasting);
	trace_free(shorter);
	return work;
}

static void work_is_kept_beside_others(void **state)
{
	u64 cycles[2], passed;
	u64 exact = work_beside(0, &cycles[0], &passed);
	u64 sampled = work_beside(5, &cycles[1], &passed);

	assert_true(passed > cycles[1] / 4);
	assert_true(fixed_apart(exact, sampled) < exact / 50);
	assert_true(fixed_apart(cycles[0], cycles[1]) < cycles[0] / 50);
}

/*
 * Kernels of a tenant end one after the other within a kernel of another one. The longer one is
 * measured by its thread blocks, the others whole, so leaps pass their ends.
 */
static u64 end_beside_longer_kernel(u32 percent, u64 *passed)
{
	struct trace *longer = trace_compute(400000, 20, 20);
	struct trace *shorter = trace_stream(8000, 10, 20);
	struct bench *bench = run_beside(percent, longer, 1, shorter, 12, 100000);
	u64 end;

	assert_int_equal(report_of(bench, 1).counters.kernels_finished, 12);
	assert_int_equal(report_of(bench, 0).counters.kernels_finished, 0);
	end = session_now(bench->session);
	*passed = leapt(bench);
	bench_free(bench);
	trace_free(longer);
	trace_free(shorter);
	return end;
}

static void ends_are_passed_beside_longer_kernels(void **state)
{
	u64 passed, exact, sampled;

	exact = end_beside_longer_kernel(0, &passed);
	assert_int_equal(passed, 0);
	sampled = end_beside_longer_kernel(5, &passed);
	assert_true(fixed_apart(exact, sampled) < exact / 50);
	assert_true(passed > sampled / 100 * 96);
}

/* Two standard errors are told, of which one is at most what was asked for. */
static void errors_are_told(void **state)
{
	struct bench *bench = run_gang(5, ALL_AT_ONCE);
	u32 slot;

	for (slot = 0; slot < 3; slot++) {
		u32 error_ppm = report_of(bench, slot).leapt_error_ppm;

		assert_true(error_ppm > 0 && error_ppm <= 2 * 5 * SIMGPU_PPM / 100);
	}
	assert_int_equal(report_of(bench, 3).leapt_error_ppm, 0);
	bench_free(bench);
}

/* --- counters ------------------------------------------------------------------------- */

static void parts_stay_within_wholes(void **state)
{
	struct bench *bench = run_gang(5, ALL_AT_ONCE);
	const struct gpu_config *config = &bench->options.config;
	u64 cycles = 0;
	u32 slot;

	for (slot = 0; slot < 3; slot++) {
		struct simgpu_counters counters = report_of(bench, slot).counters;

		assert_true(counters.l1_misses <= counters.l1_accesses);
		assert_true(counters.llc_misses <= counters.llc_accesses);
		assert_true(counters.row_activates <=
			    counters.dram_fills + counters.dram_writebacks);
		assert_true(counters.sm_active_cycles <= counters.sm_cycles);
		cycles += counters.sm_cycles;
	}
	assert_true(cycles <= CYCLES * config->sms);
	assert_true(cycles > CYCLES * config->sms * 9 / 10);
	bench_free(bench);
}

/* A leap as long as its stretch counts the same again, whatever is counted. */
static void a_leap_counts_its_stretch(void **state)
{
	struct bench *bench = sampled_bench(3, 0);
	const struct gpu_config *config = &bench->options.config;
	size_t count = gpu_tally_count(config), i;
	u64 *tally[3];
	struct gpu *gpu;
	u64 counted = 0;

	bench_start(bench);
	launch_gang(bench);
	gpu = bench->session->gpu;
	for (i = 0; i < 3; i++)
		tally[i] = calloc(count, sizeof(u64));
	session_run(bench->session, 40000);
	gpu_tally(gpu, tally[0]);
	session_run(bench->session, 40000);
	gpu_tally(gpu, tally[1]);
	for (i = 0; i < count; i++)
		tally[2][i] = tally[1][i] - tally[0][i];
	gpu_count_leap(gpu, tally[2], 40000, 40000);
	gpu_tally(gpu, tally[2]);
	for (i = 0; i < count; i++) {
		/* These are the session's to count. */
		if (i < GPU_SLOTS_MAX * (SIMGPU_COUNTER_PLACES + 1) &&
		    i % (SIMGPU_COUNTER_PLACES + 1) == SIMGPU_PLACE_kernels_finished)
			continue;
		assert_int_equal(tally[2][i] - tally[1][i],
				 tally[1][i] - tally[0][i]);
		counted += tally[1][i] != tally[0][i];
	}
	assert_true(counted > 100);
	for (i = 0; i < 3; i++)
		free(tally[i]);
	bench_free(bench);
}

/* --- what has to be exact ------------------------------------------------------------------ */

/* A private run does what the tenant does on the device: nothing may be left out. */
static void private_runs_need_exact_time(void **state)
{
	struct bench *bench = sampled_bench(2, 5);

	bench->options.model = &model_oracle;
	bench->options.stop_cycle = CYCLES / 10;
	session_default_params(&bench->options);
	bench_start(bench);
	launch_gang(bench);
	session_run(bench->session, ALL_AT_ONCE);
	assert_int_equal(leapt(bench), 0);
	bench_free(bench);
}

/* Quotas run out within an epoch, which a leap over it would not see. */
static void quotas_need_exact_time(void **state)
{
	struct session_tenant_options options = plain();
	struct bench *bench = sampled_bench(2, 5);

	bench->options.policy = registry_policy_find("quota-rollover");
	session_default_params(&bench->options);
	bench_start(bench);
	options.service = SIMGPU_QOS;
	options.goal_kind = SESSION_GOAL_IPC;
	options.goal = 20 * SIMGPU_PPM;
	assert_int_equal(session_join(bench->session, 0, &options), 0);
	join(bench, 1);
	launch(bench, 0, computing, 1, 0);
	launch(bench, 1, random_reads, 1, 0);
	session_run(bench->session, CYCLES / 5);
	assert_true(gpu_has_quotas(session_gpu(bench->session)));
	assert_int_equal(leapt(bench), 0);
	bench_free(bench);
}

/* More tenants than SMs: those without one have work, and do none of it. */
static void expect_idle(u32 tenants)
{
	struct bench *bench = sampled_bench(tenants, 20);
	u32 slot, without = 0;

	bench_start(bench);
	launch_gang(bench);
	session_run(bench->session, ALL_AT_ONCE);
	assert_true(leapt(bench) > CYCLES / 4);
	for (slot = 0; slot < tenants; slot++)
		without += !issued_by(bench, slot);
	assert_int_equal(without, tenants - bench->options.config.sms);
	bench_free(bench);
}

static void tenants_without_sms_do_nothing(void **state)
{
	expect_idle(12);
	expect_idle(SESSION_SLOTS_MAX);
}

/* Tenants on SMs and channels of their own: sampled, they do what they do else. */
static void masks_hold(void **state)
{
	const struct session_masks masks[] = {
		{ .sms = { 0x3c }, .channels = 0x2 }, { .sms = { 0xc3 }, .channels = 0x1 },
	};
	u64 issued[2][2];
	u32 i, slot;

	for (i = 0; i < 2; i++) {
		struct bench *bench = sampled_bench(0, i ? 5 : 0);

		bench_start(bench);
		for (slot = 0; slot < 2; slot++) {
			join(bench, slot);
			assert_int_equal(session_set_masks(bench->session, slot,
							   &masks[slot]), 0);
		}
		launch(bench, 0, computing, 1, 0);
		launch(bench, 1, random_reads, 1, 0);
		session_run(bench->session, CYCLES);
		assert_true(!i == !leapt(bench));
		for (slot = 0; slot < 2; slot++) {
			assert_int_equal(set_of_sms(bench, slot), masks[slot].sms[0]);
			issued[i][slot] = issued_by(bench, slot);
		}
		bench_free(bench);
	}
	for (slot = 0; slot < 2; slot++)
		assert_true(fixed_apart(issued[0][slot], issued[1][slot]) <
			    issued[0][slot] / 25);
}

/* Slot 0 has two SMs from the middle on, all others but two before. */
static int change_sides(const struct simgpu_snapshot *snapshot, void *state,
			struct simgpu_proposal *proposal)
{
	u32 sm, few = snapshot->cycle < CYCLES / 2 ? 1 : 0;

	proposal->flags |= SIMGPU_SAYS_OWNERS;
	for (sm = 0; sm < snapshot->sms; sm++)
		proposal->owner[sm] = (u8)(sm < 2 ? few : 1 - few);
	return 0;
}

/* What was measured on other SMs does not hold, though the same kernels run. */
static void measurements_are_of_their_sms(void **state)
{
	static const struct simgpu_policy changing = { .name = "changing", .decide = change_sides };
	u64 issued[2][2];
	u32 i, slot;

	for (i = 0; i < 2; i++) {
		struct bench *bench = sampled_bench(2, i ? 5 : 0);

		bench->options.policy = &changing;
		bench_start(bench);
		launch_gang(bench);
		session_run(bench->session, ALL_AT_ONCE);
		assert_true(!i == !leapt(bench));
		for (slot = 0; slot < 2; slot++)
			issued[i][slot] = issued_by(bench, slot);
		bench_free(bench);
	}
	for (slot = 0; slot < 2; slot++)
		assert_true(fixed_apart(issued[0][slot], issued[1][slot]) <
			    issued[0][slot] / 25);
}

/* Nothing changes while time leaps but what the policy says at an epoch's end. */
static void expect_moves(u32 preemption)
{
	struct bench *bench = sampled_bench(2, 5);

	bench->options.policy = &policy_hsm_fair;
	bench->options.preemption = preemption;
	session_default_params(&bench->options);
	bench_start(bench);
	launch_gang(bench);
	session_run(bench->session, ALL_AT_ONCE);
	assert_true(leapt(bench) > 0);
	assert_true(report_of(bench, 0).sms != report_of(bench, 1).sms);
	assert_int_equal(report_of(bench, 0).counters.preempted_blocks +
			 report_of(bench, 1).counters.preempted_blocks > 0,
			 preemption == SESSION_PREEMPTION_SWITCH);
	expect_epochs(bench);
	bench_free(bench);
}

static void a_move_is_measured_anew(void **state)
{
	expect_moves(SESSION_PREEMPTION_DRAIN);
	expect_moves(SESSION_PREEMPTION_SWITCH);
}

static void replay(struct bench *from, struct bench *to)
{
	const struct trace *const traces[] = { computing, random_reads };

	replay_journal(from->session, to->session, traces, ARRAY_SIZE(traces));
}

/* Somebody comes, and somebody leaves: a leap ends first, and the journal says when. */
static void replays_leap_alike(void **state)
{
	struct bench *bench = sampled_bench(0, 5);
	struct bench *replayed = sampled_bench(0, 5);

	bench_start(bench);
	bench_start(replayed);
	join(bench, 0);
	launch(bench, 0, computing, 1, 0);
	session_run(bench->session, CYCLES / 3);
	join(bench, 1);
	launch(bench, 1, random_reads, 1, 0);
	session_run(bench->session, CYCLES / 3);
	session_set_epoch_cycles(bench->session, CYCLES / 30);
	session_run(bench->session, CYCLES / 3);
	session_leave(bench->session, 0);
	session_run(bench->session, CYCLES / 3);
	assert_true(leapt(bench) > CYCLES / 3);
	replay(bench, replayed);
	expect_same(bench, replayed);
	bench_free(bench);
	bench_free(replayed);
}

/* Two tenants without a gang, who never end. */
static struct bench *start_two(u32 percent)
{
	struct bench *bench = sampled_bench(0, percent);

	bench_start(bench);
	join(bench, 0);
	join(bench, 1);
	launch(bench, 0, computing, 1, 0);
	launch(bench, 1, random_reads, 1, 0);
	return bench;
}

/* A part of a leap ends with an epoch; the leap goes on behind it. */
static void run_into_a_leap(struct bench *bench)
{
	u64 before;

	do {
		before = leapt(bench);
		session_run(bench->session, 1);
	} while (leapt(bench) == before ||
		 session_now(bench->session) % (CYCLES / 20));
}

/* Who leaves between two parts of a leap does nothing in the second. */
static void who_left_does_nothing_more(void **state)
{
	struct bench *bench = start_two(5);
	u64 before, issued;

	run_into_a_leap(bench);
	session_leave(bench->session, 0);
	issued = issued_by(bench, 0);
	before = leapt(bench);
	session_run(bench->session, 1);
	assert_int_equal(leapt(bench), before);
	session_run(bench->session, CYCLES / 3);
	assert_int_equal(issued_by(bench, 0), issued);
	assert_true(leapt(bench) > before);
	bench_free(bench);
}

/* --- a percentage that changes ------------------------------------------------------------- */

static void set_sampled(struct bench *bench, u64 percent)
{
	assert_int_equal(session_set_sampled(bench->session, percent), 0);
}

/* Device cycles that are leapt in a third of the time. */
static u64 leapt_in_a_third(struct bench *bench)
{
	u64 before = leapt(bench);

	session_run(bench->session, CYCLES / 3);
	return leapt(bench) - before;
}

static void it_begins_and_ends_in_the_middle(void **state)
{
	struct bench *replayed = sampled_bench(0, 0), *bench = start_two(0);

	assert_int_equal(leapt_in_a_third(bench), 0);
	set_sampled(bench, 5);
	assert_true(leapt_in_a_third(bench) > CYCLES / 10);
	set_sampled(bench, 20);
	assert_true(leapt_in_a_third(bench) > CYCLES / 10);
	set_sampled(bench, 0);
	assert_int_equal(leapt_in_a_third(bench), 0);
	assert_true(leapt(bench) > CYCLES / 5);
	set_sampled(bench, 5);
	assert_true(leapt_in_a_third(bench) > CYCLES / 10);
	bench_start(replayed);
	replay(bench, replayed);
	assert_int_equal(leapt(replayed), leapt(bench));
	expect_same(bench, replayed);
	bench_free(bench);
	bench_free(replayed);
}

/* What was to be leapt is simulated, or measured anew: a leap needs two stretches before it. */
static void a_leap_ends_with_its_percentage(void **state)
{
	static const u64 percents[] = { 0, 4 };
	u32 i;

	for (i = 0; i < ARRAY_SIZE(percents); i++) {
		struct bench *bench = start_two(5);
		u64 before;

		run_into_a_leap(bench);
		before = leapt(bench);
		set_sampled(bench, percents[i]);
		assert_int_equal(leapt(bench), before);
		session_run(bench->session, 90000);
		assert_int_equal(leapt(bench), before);
		session_run(bench->session, CYCLES / 3);
		assert_int_equal(leapt(bench) > before, percents[i] > 0);
		bench_free(bench);
	}
}

/* A gang whose percentage is set after a third of its time. */
static struct bench *set_after_a_third(u64 step)
{
	struct bench *bench = sampled_bench(3, 0);

	bench_start(bench);
	launch_gang(bench);
	while (session_now(bench->session) < CYCLES / 3)
		session_run(bench->session,
			    min(step, CYCLES / 3 - session_now(bench->session)));
	set_sampled(bench, 5);
	while (session_run(bench->session, step) == SESSION_RUNNING)
		;
	return bench;
}

static void steps_do_not_matter_to_a_change(void **state)
{
	static const u64 steps[] = { 999, 10000, CYCLES / 7 };
	struct bench *whole = set_after_a_third(ALL_AT_ONCE), *stepped;
	u32 i;

	assert_true(leapt(whole) > CYCLES / 4);
	expect_epochs(whole);
	for (i = 0; i < ARRAY_SIZE(steps); i++) {
		stepped = set_after_a_third(steps[i]);
		expect_same(whole, stepped);
		bench_free(stepped);
	}
	bench_free(whole);
}

static u32 events_of(const struct bench *bench)
{
	u64 lost;

	return session_journal_count(bench->session, &lost);
}

/* The percentage in force is no change, nor is one that is refused: not a bit of it. */
static void no_change_is_no_event(void **state)
{
	struct bench *bench = start_two(0);
	size_t bytes = session_bytes(bench->session);
	u32 events = events_of(bench);
	u64 hash;

	session_run(bench->session, CYCLES / 10);
	hash = session_state_hash(bench->session);
	set_sampled(bench, 0);
	assert_int_equal(session_set_sampled(bench->session, SESSION_SAMPLED_MAX + 1),
			 -EINVAL);
	assert_int_equal(session_set_sampled(bench->session, U64_MAX), -EINVAL);
	assert_int_equal(session_state_hash(bench->session), hash);
	assert_int_equal(session_bytes(bench->session), bytes);
	assert_int_equal(events_of(bench), events);
	set_sampled(bench, SESSION_SAMPLED_MAX);
	assert_int_not_equal(session_state_hash(bench->session), hash);
	assert_true(session_bytes(bench->session) > bytes);
	assert_int_equal(events_of(bench), events + 1);
	hash = session_state_hash(bench->session);
	set_sampled(bench, SESSION_SAMPLED_MAX);
	assert_int_equal(session_state_hash(bench->session), hash);
	assert_int_equal(events_of(bench), events + 1);
	bench_free(bench);
}

/* --- all that may happen ------------------------------------------------------------------ */

#define LIFE_EVENTS	25
#define LIFE_SLOTS	3

/* One of the things that an owner or a tenant may do between two runs, at random. */
static void happen(struct bench *bench)
{
	const struct session_masks masks[] = {
		{ }, { .sms = { 0x3f } }, { .sms = { 0xfc }, .channels = 0x1 },
	};
	const struct trace *traces[] = { computing, random_reads, copying, middling };
	static const u8 percents[] = { 0, 2, 10, 50 };
	u32 slot = random_below(LIFE_SLOTS);
	bool present = report_of(bench, slot).present && !report_of(bench, slot).left;

	switch (random_below(8)) {
	case 0:
		session_set_sampled(bench->session, percents[random_below(4)]);
		break;
	case 1:
		session_set_epoch_cycles(bench->session, 20000 + random_below(100000));
		break;
	case 2:
		session_set_policy(bench->session, random_below(2) ? &policy_even :
						   &policy_hsm_fair);
		break;
	case 3:
		if (present)
			session_leave(bench->session, slot);
		break;
	case 4:
		if (present)
			session_set_masks(bench->session, slot,
					  &masks[random_below(3)]);
		break;
	default:
		if (!present)
			join(bench, slot);
		launch(bench, slot, traces[random_below(4)], 1 + random_below(300),
		       random_below(2) * (session_now(bench->session) + 12345));
	}
}

/* A life with its hash after each event; @step 0: as far as the next event at once. */
static void live(u32 seed, u64 step, u64 hashes[LIFE_EVENTS], u64 *passed)
{
	struct bench *bench = sampled_bench(0, 5);
	u64 until = 0;
	u32 i;

	random_state = seed * 0x9e3779b97f4a7c15ULL;
	bench_start(bench);
	for (i = 0; i < LIFE_EVENTS; i++) {
		happen(bench);
		until += random_below(300000);
		run_in_steps(bench, until, step ? step : until);
		hashes[i] = session_state_hash(bench->session);
	}
	*passed += leapt(bench);
	bench_free(bench);
}

static void lives_do_not_depend_on_steps(void **state)
{
	u64 whole[LIFE_EVENTS], stepped[LIFE_EVENTS], passed = 0, ignored = 0;
	u32 seed;

	for (seed = 1; seed <= 6; seed++) {
		live(seed, 0, whole, &passed);
		live(seed, 1 + 613 * (seed % 7), stepped, &ignored);
		assert_memory_equal(whole, stepped, sizeof(whole));
	}
	assert_true(passed > CYCLES);
}

/* Who comes in the place of another, with the same trace, between two looks is another. */
static void a_successor_is_measured_anew(void **state)
{
	struct bench *bench = sampled_bench(0, 5);
	u64 before;

	bench_start(bench);
	join(bench, 0);
	launch(bench, 0, computing, 1, 0);
	session_run(bench->session, CYCLES / 2 + 12345);
	before = leapt(bench);
	assert_true(before > CYCLES / 4);
	session_leave(bench->session, 0);
	join(bench, 0);
	launch(bench, 0, computing, 1, 0);
	session_run(bench->session, CYCLES);
	assert_true(leapt(bench) > before);
	/* As much as 8 SMs can do, and no more. */
	assert_true(issued_by(bench, 0) < 3 * CYCLES * 1024);
	bench_free(bench);
}

/* --- traces that do the same again -------------------------------------------------------- */

static void add_kernel(struct builder *builder, u32 trips, u32 burst)
{
	builder_kernel(builder, "k", 64, 256, 32, 0);
	builder_loop(builder, trips);
	builder_compute(builder, burst, 32);
	builder_loop_end(builder);
}

/* @pairs times a kernel of many instructions and one of few. */
static struct trace *phases(u32 pairs)
{
	struct builder *builder = builder_new("phases", "test");
	u32 i;

	for (i = 0; i < pairs; i++) {
		add_kernel(builder, 40, 20);
		add_kernel(builder, 20, 20);
	}
	return trace_of(builder, 0);
}

static void periods_are_found(void **state)
{
	struct trace *twice = trace_compute_twice(64, 20, 20);
	struct trace *alternating = phases(3), *once = phases(1);

	assert_int_equal(computing->period, 1);
	assert_int_equal(twice->kernel_count, 2);
	assert_int_equal(twice->period, 1);
	assert_int_equal(alternating->kernel_count, 6);
	assert_int_equal(alternating->period, 2);
	assert_int_equal(once->period, 2);
	trace_free(twice);
	trace_free(alternating);
	trace_free(once);
}

/* Both kinds of kernels count as often as they would have run, and the trace goes on there. */
static void phases_alternate(void **state)
{
	struct trace *trace = phases(500);
	struct ending ending = expect_end_in_time(trace, 1, 10);

	assert_int_equal(ending.counters.kernels_finished, 1000);
	assert_true(ending.leapt > 0);
	trace_free(trace);
}

/* Each kernel does more than the one before, as where a loop runs over a triangle. */
static void later_kernels_differ(void **state)
{
	struct builder *builder = builder_new("triangle", "test");
	struct ending ending;
	struct trace *trace;
	u32 i;

	for (i = 1; i <= 120; i++)
		add_kernel(builder, i, 20);
	trace = trace_of(builder, 0);
	assert_int_equal(trace->period, 120);
	ending = expect_end_in_time(trace, 1, 10);
	assert_int_equal(ending.counters.kernels_finished, 120);
	trace_free(trace);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(steps_do_not_matter),
		cmocka_unit_test(steps_do_not_matter_at_arrivals),
		cmocka_unit_test(counts_are_near),
		cmocka_unit_test(work_ends_in_time),
		cmocka_unit_test(launches_end_in_time),
		cmocka_unit_test(work_is_kept_beside_others),
		cmocka_unit_test(ends_are_passed_beside_longer_kernels),
		cmocka_unit_test(errors_are_told),
		cmocka_unit_test(parts_stay_within_wholes),
		cmocka_unit_test(a_leap_counts_its_stretch),
		cmocka_unit_test(private_runs_need_exact_time),
		cmocka_unit_test(quotas_need_exact_time),
		cmocka_unit_test(tenants_without_sms_do_nothing),
		cmocka_unit_test(masks_hold),
		cmocka_unit_test(measurements_are_of_their_sms),
		cmocka_unit_test(a_move_is_measured_anew),
		cmocka_unit_test(replays_leap_alike),
		cmocka_unit_test(who_left_does_nothing_more),
		cmocka_unit_test(it_begins_and_ends_in_the_middle),
		cmocka_unit_test(a_leap_ends_with_its_percentage),
		cmocka_unit_test(steps_do_not_matter_to_a_change),
		cmocka_unit_test(no_change_is_no_event),
		cmocka_unit_test(a_successor_is_measured_anew),
		cmocka_unit_test(lives_do_not_depend_on_steps),
		cmocka_unit_test(periods_are_found),
		cmocka_unit_test(phases_alternate),
		cmocka_unit_test(later_kernels_differ),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests_name("sampling", tests, make_traces,
					   free_traces);
}
