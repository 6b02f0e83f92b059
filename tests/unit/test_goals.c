// SPDX-License-Identifier: GPL-2.0
/*
 * Goals of tenants: their forms, their changes, and the schemes of quotas that pursue
 * them in sessions, whose accounts are held against the quotas.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <cmocka.h>

#include "../../kmod/session/journal.h"
#include "looking.h"
#include "journal_of.h"

static const struct simgpu_policy *const policies[] = {
	&policy_quota_naive, &policy_quota_history, &policy_quota_elastic,
	&policy_quota_rollover, &policy_quota_rollover_time,
	&policy_quota_mixed, &policy_spart,
};

static struct session_tenant_options with_goal(u32 kind, u64 goal)
{
	struct session_tenant_options options = plain();

	options.service = SIMGPU_QOS;
	options.goal_kind = kind;
	options.goal = goal;
	return options;
}

/* --- goals ---------------------------------------------------------------------------- */

/* What a trace is said to execute is what the engine counts. */
static void kernels_know_their_instructions(void **state)
{
	const struct trace *traces[] = { middling, brief, copying };
	u32 i;

	for (i = 0; i < 3; i++) {
		struct bench *bench = bench_new(0);

		join(bench, 0);
		launch(bench, 0, traces[i], 1, 0);
		session_run(bench->session, ALL_AT_ONCE);
		assert_int_equal(report_of(bench, 0).counters.thread_instructions,
				 traces[i]->kernels[0].instructions);
		bench_free(bench);
	}
}

/* The same goal in three forms; 3.2: IPC = instructions / (frequency x time). */
static void forms_are_one_goal(void **state)
{
	const u64 instructions = computing->kernels[0].instructions;
	const u64 mhz = small_config().core_mhz;
	/* Of 100 instructions a cycle. */
	const u64 ns = instructions * 10 / mhz;
	const u64 rate_ppm = 1000000000ULL * SIMGPU_PPM / ns;
	const struct session_tenant_options forms[] = {
		with_goal(SESSION_GOAL_IPC, 100 * SIMGPU_PPM),
		with_goal(SESSION_GOAL_KERNEL_TIME, ns),
		with_goal(SESSION_GOAL_RATE, rate_ppm),
	};
	u32 i;

	for (i = 0; i < 3; i++) {
		struct bench *bench = bench_with(&looking, 0);
		struct session_tenant_report report;

		say_even(1);
		assert_int_equal(session_join(bench->session, 0, &forms[i]), 0);
		launch(bench, 0, computing, 1, 0);
		session_run(bench->session, 2 * EPOCH);
		assert_true(llabs((long long)seen.last.tenants[0].goal_ipc_ppm -
				  100000000) < 200);
		report = report_of(bench, 0);
		assert_int_equal(report.goal.cycles, 2 * EPOCH);
		assert_int_equal(report.goal.instructions,
				 report.counters.thread_instructions);
		assert_in_range(report.goal.promised, 2 * EPOCH * 100 - 10,
				2 * EPOCH * 100 + 10);
		assert_true(report.goal.met);
		bench_free(bench);
	}
}

static void bad_goals_are_refused(void **state)
{
	const struct gpu_config config = small_config();
	const u64 peak = (u64)config.sms * config.schedulers_per_sm * 32 *
			 SIMGPU_PPM;
	const struct session_tenant_options good = with_goal(SESSION_GOAL_IPC,
							     peak);
	struct session_tenant_options bad[] = {
		with_goal(SESSION_GOAL_IPC, peak + 1),
		with_goal(SESSION_GOAL_IPC, 0),
		with_goal(SESSION_GOALS, 1),
		with_goal(SESSION_GOAL_NONE, 5),
		with_goal(SESSION_GOAL_RATE, 5),
	};
	struct bench *bench = bench_new(0);
	u32 i;

	bad[4].service = SIMGPU_BEST_EFFORT;
	for (i = 0; i < ARRAY_SIZE(bad); i++)
		assert_int_equal(session_join(bench->session, 0, &bad[i]),
				 -EINVAL);
	assert_int_equal(session_join(bench->session, 0, &good), 0);
	for (i = 0; i < ARRAY_SIZE(bad); i++)
		assert_int_equal(session_set_tenant(bench->session, 0, &bad[i]),
				 -EINVAL);
	assert_int_equal(report_of(bench, 0).options.goal, peak);
	bench_free(bench);
}

static void replay_all(struct bench *from, struct bench *to)
{
	const struct session_replay given = {
		.policy = registry_policy_find, .model = registry_model_find,
	};
	const struct journal_event *events;
	u32 count, i;
	u64 lost;

	events = journal_of(from->session, &count, &lost);
	assert_int_equal(lost, 0);
	for (i = 0; i < count; i++)
		assert_int_equal(session_replay_event(to->session, &events[i],
						      events[i].slot ?
						      random_reads : computing,
						      &given), 0);
	run_in_steps(to, session_now(from->session), 777);
}

/* A goal of which only the number changes counts anew, too, from the next epoch on. */
static void a_greater_goal_counts_anew(void **state)
{
	struct session_tenant_options options =
		with_goal(SESSION_GOAL_IPC, 20 * SIMGPU_PPM);
	struct bench *bench = bench_with(&policy_quota_rollover, 0);

	assert_int_equal(session_join(bench->session, 0, &options), 0);
	launch(bench, 0, computing, 1, 0);
	session_run(bench->session, 34000);
	options.goal++;
	assert_int_equal(session_set_tenant(bench->session, 0, &options), 0);
	session_run(bench->session, 30000);
	assert_int_equal(report_of(bench, 0).goal.cycles, 64000 - 40000);
	bench_free(bench);
}

/* A goal that changes counts anew, twice between two looks as if once; it replays. */
static void changed_goals_replay(void **state)
{
	struct session_tenant_options options =
		with_goal(SESSION_GOAL_IPC, 50 * SIMGPU_PPM);
	struct bench *a = bench_with(&policy_quota_rollover, 0);
	struct bench *b = bench_with(&policy_quota_rollover, 0);
	u64 hash;

	assert_int_equal(session_join(a->session, 0, &options), 0);
	join(a, 1);
	launch(a, 0, computing, 1, 0);
	launch(a, 1, random_reads, 1, 0);
	session_run(a->session, 34000);
	hash = session_state_hash(a->session);
	options.goal = 20 * SIMGPU_PPM;
	assert_int_equal(session_set_tenant(a->session, 0, &options), 0);
	assert_true(hash != session_state_hash(a->session));
	session_run(a->session, 1500);
	options = with_goal(SESSION_GOAL_KERNEL_TIME, 40000000);
	assert_int_equal(session_set_tenant(a->session, 0, &options), 0);
	session_run(a->session, 30000);
	/* In force since the epoch's end at 40,000. */
	assert_int_equal(report_of(a, 0).goal.cycles, 65500 - 40000);
	replay_all(a, b);
	assert_int_equal(session_state_hash(a->session),
			 session_state_hash(b->session));
	bench_free(a);
	bench_free(b);
}

/* --- in sessions -------------------------------------------------------------------------- */

static struct bench *bench_of(const struct simgpu_policy *policy, u32 sms,
			      u32 schedulers)
{
	struct bench *bench = malloc(sizeof(*bench));

	bench_options(bench, 3);
	bench->options.config.sms = sms;
	bench->options.config.schedulers_per_sm = schedulers;
	bench->options.policy = policy;
	session_default_params(&bench->options);
	bench_start(bench);
	return bench;
}

static void launch_goals(struct bench *bench, const struct trace *first)
{
	const struct session_tenant_options options =
		with_goal(SESSION_GOAL_IPC, 20 * SIMGPU_PPM);

	assert_int_equal(session_join(bench->session, 0, &options), 0);
	join(bench, 1);
	join(bench, 2);
	launch(bench, 0, first, 1, 0);
	launch(bench, 1, random_reads, 1, 0);
	launch(bench, 2, middling, 1, 0);
}

/*
 * Each policy, with kernels that end in the middle of epochs, on a device with one SM or
 * scheduler, too: nothing is refused, no quota is exceeded, and pauses do not show.
 */
static void sessions_keep_quotas(void **state)
{
	static const u32 sizes[][2] = { { 8, 2 }, { 3, 1 }, { 1, 2 }, { 1, 1 } };
	struct trace *twice = trace_compute_twice(64, 10, 20);
	u64 checks, overruns;
	u32 i, k, slot;

	for (i = 0; i < ARRAY_SIZE(policies); i++) {
		for (k = 0; k < ARRAY_SIZE(sizes); k++) {
			struct bench *a = bench_of(policies[i], sizes[k][0],
						   sizes[k][1]);
			struct bench *b = bench_of(policies[i], sizes[k][0],
						   sizes[k][1]);

			launch_goals(a, twice);
			launch_goals(b, twice);
			session_run(a->session, ALL_AT_ONCE);
			run_in_steps(b, STOP, 613);
			expect_same(a, b);
			if (policies[i] != &policy_spart) {
				checks = session_quota_checks(a->session,
							      &overruns);
				assert_true(checks > 6 * sizes[k][0]);
				assert_int_equal(overruns, 0);
			}
			for (slot = 0; slot < 3; slot++)
				assert_true(policies[i] == &policy_spart ||
					    issued_by(a, slot));
			if (sizes[k][0] >= 3)
				assert_int_equal(session_last_refusal(
					a->session)->kind,
					SESSION_REFUSED_NOTHING);
			bench_free(a);
			bench_free(b);
		}
	}
	trace_free(twice);
}

/* It has what it asked for, and not much more, where that can be. */
static void rollover_reaches_a_goal(void **state)
{
	struct bench *bench = bench_of(&policy_quota_rollover, 8, 2);
	struct session_tenant_report report;

	launch_goals(bench, computing);
	session_run(bench->session, ALL_AT_ONCE);
	report = report_of(bench, 0);
	assert_int_equal(report.goal.ipc_ppm, 20 * SIMGPU_PPM);
	assert_int_equal(report.goal.cycles, STOP);
	assert_true(report.goal.met);
	assert_true(report.goal.instructions < report.goal.promised * 11 / 10);
	assert_in_range(report.quota.used_ppm, 900000, 1010000);
	assert_true(report.quota.blocks_ppm);
	bench_free(bench);
}

/* A block that does not fit beside the other's runs when that leaves. */
static void what_does_not_fit_waits(void **state)
{
	struct bench *bench = bench_with(&policy_quota_rollover, 0);
	const struct session_tenant_options options =
		with_goal(SESSION_GOAL_IPC, 20 * SIMGPU_PPM);
	struct builder *b = builder_new("large", "test");
	struct trace *large;

	builder_kernel(b, "large", 32, 256, 32,
		       bench->options.config.shared_bytes_per_sm);
	builder_compute(b, 200, 32);
	large = trace_of(b, 0);
	assert_int_equal(session_join(bench->session, 0, &options), 0);
	join(bench, 1);
	launch(bench, 0, large, 3, 0);
	launch(bench, 1, large, 3, 0);
	session_run(bench->session, ALL_AT_ONCE);
	assert_int_equal(session_state(bench->session), SESSION_IDLE);
	assert_int_equal(report_of(bench, 0).counters.blocks_finished, 96);
	assert_int_equal(report_of(bench, 1).counters.blocks_finished, 96);
	bench_free(bench);
	trace_free(large);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(kernels_know_their_instructions),
		cmocka_unit_test(forms_are_one_goal),
		cmocka_unit_test(bad_goals_are_refused),
		cmocka_unit_test(a_greater_goal_counts_anew),
		cmocka_unit_test(changed_goals_replay),
		cmocka_unit_test(sessions_keep_quotas),
		cmocka_unit_test(rollover_reaches_a_goal),
		cmocka_unit_test(what_does_not_fit_waits),
	};

	return cmocka_run_group_tests(tests, make_traces, free_traces);
}
