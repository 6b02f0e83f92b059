// SPDX-License-Identifier: GPL-2.0
/*
 * Sampled time of request streams: every request that a leap passes is counted, at its own
 * cycle; latencies and work are near what they are when all time is simulated; and it
 * leaps the same wherever the owner pauses, and when a journal is replayed.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <cmocka.h>

#include "../../kmod/session/internal.h"
#include "../../kmod/session/journal_replay.h"
#include "bench.h"
#include "journal_of.h"
#include "random.h"

#define CYCLES		12000000ULL
/* A request of @service takes some 9,000 cycles alone, and 13,000 beside another tenant. */
#define RATE_LOW	(20 * SIMGPU_PPM)

static struct trace *service, *batch, *memory_batch;

static int make_all(void **state)
{
	make_traces(state);
	service = trace_compute(40, 20, 20);
	batch = trace_compute(3000, 4, 20);
	memory_batch = trace_stream(600, 8, 20);
	return 0;
}

static int free_all(void **state)
{
	trace_free(service);
	trace_free(batch);
	trace_free(memory_batch);
	return free_traces(state);
}

/**
 * struct world - a session, and what it told of requests
 * @ended: requests of each slot that have ended, in order
 * @passed: of these, those that leaps have passed
 * @epoch_end: where the last epoch ended: they follow one another without a gap
 * @issued: thread instructions of each slot in all epochs
 */
struct world {
	struct bench bench;
	u64 ended[SESSION_SLOTS_MAX];
	u64 passed[SESSION_SLOTS_MAX];
	u64 last_passed[SESSION_SLOTS_MAX];
	u64 epoch_end;
	u64 issued[SESSION_SLOTS_MAX];
};

static void count_end(void *context, u32 slot, u32 queue, u64 sequence,
		      const struct trace *trace, int status)
{
	struct world *world = context;

	if (!status && !queue && trace == service)
		assert_int_equal(sequence, ++world->ended[slot]);
}

static void count_passed(void *context, u32 slot, u64 sequence, u64 start, u64 end)
{
	struct world *world = context;

	assert_true(start < end);
	assert_true(end > world->last_passed[slot]);
	assert_int_equal(sequence, world->ended[slot] + 1);
	world->last_passed[slot] = end;
	world->passed[slot]++;
}

static void count_epoch(void *context, const struct session_epoch *epoch)
{
	struct world *world = context;
	u32 i;

	assert_true(epoch->start_cycle >= world->epoch_end);
	world->epoch_end = epoch->end_cycle;
	for (i = 0; i < epoch->tenant_count; i++)
		world->issued[epoch->tenants[i].slot] +=
			epoch->tenants[i].counters.thread_instructions;
}

static struct world *world_new(u32 percent, const struct simgpu_policy *policy)
{
	struct world *world = calloc(1, sizeof(*world));
	struct bench *bench = &world->bench;

	bench_options(bench, 0);
	bench->options.sampled = (u8)percent;
	bench->options.policy = policy;
	bench->options.kernel_end = SESSION_KERNEL_END_CARRY;
	bench->options.epoch_cycles = 500000;
	session_default_params(&bench->options);
	bench->hooks = (struct session_hooks) {
		.context = world, .launch_done = count_end, .passed = count_passed,
		.epoch = count_epoch,
	};
	bench_start(bench);
	return world;
}

static void world_free(struct world *world)
{
	session_destroy(world->bench.session);
	free(world);
}

static struct arrivals_plan poisson(u64 rate)
{
	return (struct arrivals_plan) {
		.kind = ARRIVALS_POISSON, .launches = 1,
		.requests = ARRIVALS_REQUESTS_MAX, .seed = 7, .rate = rate,
	};
}

static void serve(struct world *world, u32 slot, const struct arrivals_plan *plan)
{
	u64 last;

	join(&world->bench, slot);
	assert_int_equal(session_arrivals(world->bench.session, slot, service, plan, &last),
			 0);
}

/* A service in slot 0, at a rate, and a tenant that always has work. */
static struct world *start_pair(u32 percent, const struct simgpu_policy *policy,
				const struct trace *beside, u64 rate)
{
	struct world *world = world_new(percent, policy);
	struct arrivals_plan plan = poisson(rate);

	serve(world, 0, &plan);
	if (beside) {
		join(&world->bench, 1);
		launch(&world->bench, 1, beside, 1000000, 0);
	}
	return world;
}

static u64 now(const struct world *world)
{
	return session_now(world->bench.session);
}

static void run_to(struct world *world, u64 cycle)
{
	run_in_steps(&world->bench, cycle, cycle);
}

static u64 mean_of(const struct session_tenant_report *report)
{
	return report->latency.wait_mean_ns + report->latency.run_mean_ns;
}

static void expect_near(u64 exact, u64 sampled, u32 thousandths)
{
	assert_true(exact);
	if (fixed_apart(exact, sampled) > exact * thousandths / 1000)
		fail_msg("%llu is not near %llu", sampled, exact);
}

/* --- near what is simulated -------------------------------------------------------------- */

/* How far sampled figures may be off, in thousandths */
struct within {
	u32 mean;
	u32 p99;
	u32 work;
};

static void expect_near_exact(const struct simgpu_policy *policy, const struct trace *beside,
			      u64 rate, struct within within)
{
	struct world *exact = start_pair(0, policy, beside, rate);
	struct world *sampled = start_pair(5, policy, beside, rate);
	struct session_tenant_report a, b;
	u32 slot;

	run_to(sampled, CYCLES);
	run_to(exact, now(sampled));
	a = report_of(&exact->bench, 0);
	b = report_of(&sampled->bench, 0);
	assert_int_equal(a.passed.requests, 0);
	assert_int_equal(sampled->passed[0], b.passed.requests);
	if (b.passed.requests < b.latency.launches / 2)
		fail_msg("%llu of %llu", b.passed.requests, b.latency.launches);
	assert_true(leapt(&sampled->bench) > CYCLES / 2);
	/* The same requests have come: one may be under way in one and over in the other. */
	assert_true(fixed_apart(a.latency.launches, b.latency.launches) <= 1);
	assert_true(fixed_apart(a.counters.kernels_finished,
				b.counters.kernels_finished) <= 1);
	expect_near(mean_of(&a), mean_of(&b), within.mean);
	expect_near(a.latency.latency_p99_ns, b.latency.latency_p99_ns, within.p99);
	for (slot = 0; slot < (beside ? 2 : 1); slot++)
		expect_near(issued_by(&exact->bench, slot), issued_by(&sampled->bench, slot),
			    within.work);
	world_free(exact);
	world_free(sampled);
}

static void latencies_are_near(void **state)
{
	const struct within within = { 30, 60, 10 };

	expect_near_exact(&policy_even, batch, RATE_LOW, within);
	expect_near_exact(&policy_even, memory_batch, RATE_LOW, within);
}

/* Alone: between requests nothing runs at all. */
static void services_alone_leap(void **state)
{
	const struct within within = { 20, 40, 10 };

	expect_near_exact(&policy_even, NULL, RATE_LOW, within);
}

/* A policy that hears of arrivals: its epochs go on over them, and it is asked at each end. */
static void epochs_stay_where_they_were(void **state)
{
	const struct within within = { 30, 80, 20 };

	expect_near_exact(registry_policy_find("mig"), batch, RATE_LOW, within);
}

static void epochs_are_asked_at(void **state)
{
	struct world *world = start_pair(5, registry_policy_find("mig"), batch, RATE_LOW);

	run_to(world, CYCLES);
	assert_true(world->passed[0] > 50);
	assert_int_equal(world->bench.session->epochs,
			 now(world) / world->bench.options.epoch_cycles);
	world_free(world);
}

/* Two services: each is passed by its own requests, and the other one slows it down. */
static void two_services_leap(void **state)
{
	struct session_tenant_report exact[2], sampled[2];
	u64 until = CYCLES, passed = 0;
	u32 i, slot;

	for (i = 0; i < 2; i++) {
		struct world *world = start_pair(i ? 0 : 5, &policy_even, batch, RATE_LOW / 2);
		struct arrivals_plan plan = poisson(RATE_LOW);
		struct session_tenant_report *report = i ? exact : sampled;

		serve(world, 2, &plan);
		run_to(world, until);
		until = now(world);
		for (slot = 0; slot < 2; slot++) {
			report[slot] = report_of(&world->bench, 2 * slot);
			passed += report[slot].passed.requests;
		}
		world_free(world);
	}
	assert_true(passed > 100);
	for (slot = 0; slot < 2; slot++) {
		assert_true(fixed_apart(exact[slot].latency.launches,
					sampled[slot].latency.launches) <= 1);
		expect_near(mean_of(&exact[slot]), mean_of(&sampled[slot]), 60);
		expect_near(exact[slot].counters.thread_instructions,
			    sampled[slot].counters.thread_instructions, 40);
	}
}

/* The exact mean is within the interval that is told, and so is what was sampled. */
static void intervals_are_told(void **state)
{
	struct world *exact, *sampled = start_pair(5, &policy_even, memory_batch, RATE_LOW);
	struct session_tenant_report a, b;

	run_to(sampled, 5 * CYCLES);
	exact = start_pair(0, &policy_even, memory_batch, RATE_LOW);
	b = report_of(&sampled->bench, 0);
	assert_true(b.latency.launches >= 1000);
	assert_true(b.passed.mean_ns[0] < mean_of(&b));
	assert_true(b.passed.mean_ns[1] > mean_of(&b));
	assert_true(b.passed.p99_ns[0] <= b.latency.latency_p99_ns);
	assert_true(b.passed.p99_ns[1] >= b.latency.latency_p99_ns);
	/* At most twice what was asked for, and a part of a leap. */
	assert_true(b.passed.mean_ns[1] < mean_of(&b) * 115 / 100);
	run_to(exact, now(sampled));
	a = report_of(&exact->bench, 0);
	assert_in_range(mean_of(&a), b.passed.mean_ns[0], b.passed.mean_ns[1]);
	assert_in_range(a.latency.latency_p99_ns, b.passed.p99_ns[0], b.passed.p99_ns[1]);
	world_free(exact);
	world_free(sampled);
}

/* Of too few requests a percentile has no interval. */
static void few_requests_have_no_percentile(void **state)
{
	struct world *world = start_pair(5, &policy_even, batch, RATE_LOW);
	struct session_tenant_report report;

	run_to(world, CYCLES);
	report = report_of(&world->bench, 0);
	assert_true(report.passed.requests && report.latency.launches < 1000);
	assert_true(report.passed.mean_ns[1]);
	assert_int_equal(report.passed.p99_ns[1], 0);
	world_free(world);
}

/* What a leap counts in an epoch is in that epoch, of services as of others. */
static void epochs_have_all(void **state)
{
	struct world *world = start_pair(5, &policy_even, batch, RATE_LOW);
	u32 slot;

	run_to(world, CYCLES);
	assert_true(world->passed[0] > 50);
	session_leave(world->bench.session, 1);
	for (slot = 0; slot < 2; slot++) {
		u64 issued = issued_by(&world->bench, slot);

		/* All epochs that have ended; the present one is short. */
		assert_true(world->issued[slot] <= issued);
		assert_true(world->issued[slot] > issued * 99 / 100);
	}
	world_free(world);
}

static void parts_stay_within_wholes(void **state)
{
	struct world *world = start_pair(5, &policy_even, memory_batch, RATE_LOW);
	u64 cycles = 0;
	u32 slot;

	run_to(world, CYCLES);
	assert_true(world->passed[0] > 50);
	for (slot = 0; slot < 2; slot++) {
		struct simgpu_counters counters = report_of(&world->bench, slot).counters;

		assert_true(counters.l1_misses <= counters.l1_accesses);
		assert_true(counters.llc_misses <= counters.llc_accesses);
		assert_true(counters.row_activates <=
			    counters.dram_fills + counters.dram_writebacks);
		assert_true(counters.sm_active_cycles <= counters.sm_cycles);
		cycles += counters.sm_cycles;
	}
	assert_true(cycles <= now(world) * world->bench.options.config.sms);
	world_free(world);
}

/* --- what has to be exact ------------------------------------------------------------------ */

static void expect_no_request_leapt(struct world *world)
{
	run_to(world, CYCLES);
	assert_true(report_of(&world->bench, 0).latency.launches > 50);
	assert_int_equal(report_of(&world->bench, 0).passed.requests, 0);
	assert_int_equal(world->passed[0], 0);
	world_free(world);
}

static void a_high_load_is_exact(void **state)
{
	expect_no_request_leapt(start_pair(5, &policy_even, batch, 5 * RATE_LOW / 2));
}

static void private_runs_need_exact_time(void **state)
{
	struct world *world = start_pair(5, &policy_even, batch, RATE_LOW);

	session_set_model(world->bench.session, &model_oracle);
	/* The model needs runs that the session did not make at its start. */
	if (session_needs(world->bench.session) & SIMGPU_NEEDS_PRIVATE_RUNS)
		expect_no_request_leapt(world);
	else
		world_free(world);
}

/* A goal counts the time with work. */
static void goals_need_exact_time(void **state)
{
	struct world *world = world_new(5, &policy_even);
	struct session_tenant_options options = plain();
	struct arrivals_plan plan = poisson(RATE_LOW);
	u64 last;

	options.service = SIMGPU_QOS;
	options.goal_kind = SESSION_GOAL_IPC;
	options.goal = 20 * SIMGPU_PPM;
	assert_int_equal(session_join(world->bench.session, 0, &options), 0);
	assert_int_equal(session_arrivals(world->bench.session, 0, service, &plan, &last), 0);
	join(&world->bench, 1);
	launch(&world->bench, 1, batch, 1000000, 0);
	expect_no_request_leapt(world);
}

static void off_is_off(void **state)
{
	struct world *world = start_pair(0, &policy_even, batch, RATE_LOW);

	assert_null(world->bench.session->services);
	expect_no_request_leapt(world);
}

/* The last request ends where it would end, and each has been counted once. */
static void the_last_request_is_simulated(void **state)
{
	u64 ends[2];
	u32 i;

	for (i = 0; i < 2; i++) {
		struct world *world = world_new(i ? 5 : 0, &policy_even);
		struct arrivals_plan plan = poisson(RATE_LOW);

		plan.requests = 220;
		serve(world, 0, &plan);
		assert_int_equal(session_run(world->bench.session, ALL_AT_ONCE),
				 SESSION_IDLE);
		assert_int_equal(world->ended[0], 220);
		assert_int_equal(report_of(&world->bench, 0).latency.launches, 220);
		assert_int_equal(world->passed[0] > 100, i);
		assert_true(world->passed[0] < 220);
		ends[i] = session_end_cycle(world->bench.session);
		world_free(world);
	}
	assert_true(fixed_apart(ends[0], ends[1]) < 2000);
}

/* --- a load that changes -------------------------------------------------------------------- */

#define LISTED	600

/* Requests that come every 50,000 cycles, and from a third of them on every @gap. */
static struct arrivals_plan changing(u64 gap)
{
	static u64 list[LISTED];
	u64 cycle = 0;
	u32 i;

	for (i = 0; i < LISTED; i++) {
		list[i] = cycle + random_below(5000);
		cycle += i < LISTED / 3 ? 50000 : gap;
	}
	return (struct arrivals_plan) {
		.kind = ARRIVALS_LIST, .launches = 1, .requests = LISTED, .list = list,
	};
}

static void expect_near_changing(u64 gap, u64 least, u64 most, u32 thousandths)
{
	struct session_tenant_report reports[2];
	u32 i;

	for (i = 0; i < 2; i++) {
		struct world *world = world_new(i ? 5 : 0, &policy_even);
		struct arrivals_plan plan;

		random_state = 0x9e3779b97f4a7c15ULL;
		plan = changing(gap);
		serve(world, 0, &plan);
		join(&world->bench, 1);
		launch(&world->bench, 1, batch, 1000000, 0);
		while (report_of(&world->bench, 0).latency.launches < LISTED)
			session_run(world->bench.session, 100000);
		reports[i] = report_of(&world->bench, 0);
		assert_int_equal(world->ended[0], LISTED);
		world_free(world);
	}
	assert_int_equal(reports[0].passed.requests, 0);
	assert_in_range(reports[1].passed.requests, least, most);
	expect_near(mean_of(&reports[0]), mean_of(&reports[1]), thousandths);
	expect_near(reports[0].latency.latency_p99_ns, reports[1].latency.latency_p99_ns,
		    3 * thousandths);
}

/* Waiting times follow from the arrivals, so a leap may go on where more of them come. */
static void a_load_that_grows_a_bit_leaps(void **state)
{
	expect_near_changing(30000, LISTED / 2, LISTED, 30);
}

/* Where requests come faster than they are served, those are simulated. */
static void an_overload_is_exact(void **state)
{
	expect_near_changing(7000, 20, LISTED / 3 + 8, 30);
}

/* --- where it pauses, and replays ------------------------------------------------------------ */

static void expect_alike(struct world *a, struct world *b)
{
	u32 slot;

	assert_int_equal(now(a), now(b));
	assert_int_equal(session_state_hash(a->bench.session),
			 session_state_hash(b->bench.session));
	assert_memory_equal(a->ended, b->ended, sizeof(a->ended));
	assert_memory_equal(a->passed, b->passed, sizeof(a->passed));
	assert_memory_equal(a->issued, b->issued, sizeof(a->issued));
	for (slot = 0; slot < SESSION_SLOTS_MAX; slot++) {
		struct session_passed x = report_of(&a->bench, slot).passed;
		struct session_passed y = report_of(&b->bench, slot).passed;

		assert_memory_equal(&x, &y, sizeof(x));
	}
}

static void steps_do_not_matter(void **state)
{
	static const u64 steps[] = { 613, 10000, 777777 };
	struct world *whole = start_pair(5, &policy_even, batch, RATE_LOW);
	u32 i;

	run_to(whole, CYCLES);
	assert_true(whole->passed[0] > 50);
	for (i = 0; i < ARRAY_SIZE(steps); i++) {
		struct world *stepped = start_pair(5, &policy_even, batch, RATE_LOW);

		run_in_steps(&stepped->bench, CYCLES, steps[i]);
		expect_alike(whole, stepped);
		world_free(stepped);
	}
	world_free(whole);
}

/* Nor within idle time, in which an epoch's length passes: the next one begins with a request. */
static void steps_do_not_matter_to_idle_time(void **state)
{
	static const u32 percents[] = { 0, 5 };
	u32 i;

	for (i = 0; i < ARRAY_SIZE(percents); i++) {
		const struct simgpu_policy *policy = registry_policy_find("mig");
		struct world *whole = start_pair(percents[i], policy, NULL, RATE_LOW / 20);
		struct world *stepped = start_pair(percents[i], policy, NULL, RATE_LOW / 20);

		run_to(whole, CYCLES);
		run_in_steps(&stepped->bench, CYCLES, 77777);
		expect_alike(whole, stepped);
		world_free(whole);
		world_free(stepped);
	}
}

static void replay(struct world *from, struct world *to)
{
	const struct trace *const traces[] = { service, batch, memory_batch };

	replay_journal(from->bench.session, to->bench.session, traces, ARRAY_SIZE(traces));
}

/* Somebody comes while a leap is under way: that takes effect at the end of its part. */
static void replays_leap_alike(void **state)
{
	struct world *world = start_pair(5, &policy_even, batch, RATE_LOW), *replayed;
	struct arrivals_plan plan = poisson(RATE_LOW / 2);

	run_to(world, CYCLES / 2);
	assert_true(world->passed[0] > 20);
	serve(world, 3, &plan);
	run_to(world, now(world) + CYCLES / 2);
	session_leave(world->bench.session, 1);
	run_to(world, now(world) + CYCLES / 2);
	assert_int_equal(session_set_sampled(world->bench.session, 0), 0);
	run_to(world, now(world) + CYCLES / 20);
	replayed = world_new(5, &policy_even);
	replay(world, replayed);
	expect_alike(world, replayed);
	world_free(world);
	world_free(replayed);
}

/* --- all that may happen ------------------------------------------------------------------- */

#define LIFE_EVENTS	12
#define LIFE_SLOTS	4

static void arrive(struct world *world, u32 slot)
{
	struct arrivals_plan plan = poisson(RATE_LOW / (1 + random_below(3)));
	u64 last;

	plan.seed = random_below(1000);
	plan.launches = 1 + random_below(2);
	if (random_below(2))
		plan.requests = 1 + random_below(200);
	if (random_below(4) == 0) {
		plan.kind = ARRIVALS_EVERY;
		plan.every_cycles = 30000 + random_below(50000);
	}
	plan.deadline_cycles = random_below(2) * 20000;
	session_arrivals(world->bench.session, slot, service, &plan, &last);
}

static void happen(struct world *world)
{
	struct session *session = world->bench.session;
	static const u8 percents[] = { 0, 5, 20, 50 };
	const char *const policies[] = { "even", "mig", "reef", "hsm-fair" };
	const struct trace *traces[] = { batch, memory_batch };
	u32 slot = random_below(LIFE_SLOTS);
	bool present = report_of(&world->bench, slot).present &&
		       !report_of(&world->bench, slot).left;
	u64 sequence;

	switch (random_below(10)) {
	case 0:
		session_set_sampled(session, percents[random_below(4)]);
		break;
	case 1:
		session_set_epoch_cycles(session, 100000 + random_below(900000));
		break;
	case 2:
		session_set_policy(session,
				   registry_policy_find(policies[random_below(4)]));
		break;
	case 3:
		if (present) {
			session_leave(session, slot);
			world->ended[slot] = 0;
		}
		break;
	default:
		if (!present) {
			join(&world->bench, slot);
			world->ended[slot] = 0;
			world->last_passed[slot] = 0;
		}
		if (slot)
			arrive(world, slot);
		else
			session_launch(session, slot, traces[random_below(2)],
				       1 + random_below(3000000), 0, &sequence);
	}
}

/* A life with its hash after each event; @step 0: as far as the next event at once. */
static void live(u32 seed, u64 step, u64 hashes[LIFE_EVENTS], u64 *passed)
{
	struct world *world = world_new(50, &policy_even);
	u64 until = 0;
	u32 i;

	random_state = seed * 0x9e3779b97f4a7c15ULL;
	for (i = 0; i < LIFE_EVENTS; i++) {
		happen(world);
		until += random_below(3000000);
		run_in_steps(&world->bench, until, step ? step : until);
		hashes[i] = session_state_hash(world->bench.session);
	}
	for (i = 0; i < LIFE_SLOTS; i++)
		*passed += world->passed[i];
	world_free(world);
}

static void lives_do_not_depend_on_steps(void **state)
{
	u64 whole[LIFE_EVENTS], stepped[LIFE_EVENTS], passed = 0, ignored = 0;
	u32 seed;

	for (seed = 1; seed <= 4; seed++) {
		live(seed, 0, whole, &passed);
		live(seed, 1 + 7613 * (seed % 7), stepped, &ignored);
		assert_memory_equal(whole, stepped, sizeof(whole));
	}
	assert_true(passed > 200);
	assert_int_equal(passed, ignored);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(latencies_are_near),
		cmocka_unit_test(services_alone_leap),
		cmocka_unit_test(epochs_stay_where_they_were),
		cmocka_unit_test(epochs_are_asked_at),
		cmocka_unit_test(two_services_leap),
		cmocka_unit_test(intervals_are_told),
		cmocka_unit_test(few_requests_have_no_percentile),
		cmocka_unit_test(epochs_have_all),
		cmocka_unit_test(parts_stay_within_wholes),
		cmocka_unit_test(a_high_load_is_exact),
		cmocka_unit_test(private_runs_need_exact_time),
		cmocka_unit_test(goals_need_exact_time),
		cmocka_unit_test(off_is_off),
		cmocka_unit_test(the_last_request_is_simulated),
		cmocka_unit_test(a_load_that_grows_a_bit_leaps),
		cmocka_unit_test(an_overload_is_exact),
		cmocka_unit_test(steps_do_not_matter),
		cmocka_unit_test(steps_do_not_matter_to_idle_time),
		cmocka_unit_test(replays_leap_alike),
		cmocka_unit_test(lives_do_not_depend_on_steps),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests_name("services", tests, make_all, free_all);
}
