// SPDX-License-Identifier: GPL-2.0
/*
 * Hints: what tenants say of launches that they expect, by a call or with requests that come
 * by themselves; what policies see of them, and time-slice, which preempts ahead.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <cmocka.h>

#include "../../kmod/session/session.h"
#include "../../kmod/session/internal.h"
#include "journal_of.h"
#include "looking.h"

#define AT		40000ULL

static const struct session_hint hint = { .cycle = AT, .laxity = 700 };

/* It notes what it is asked, and splits SMs evenly. */
static int look_and_split(const struct simgpu_snapshot *snapshot, void *state,
			  struct simgpu_proposal *proposal)
{
	look(snapshot, state, proposal);
	return policy_even.decide(snapshot, state, proposal);
}

static const struct simgpu_policy listening = {
	.name = "listen",
	.events = SIMGPU_ON_KNOWN & ~SIMGPU_ON_QUOTA_OUT,
	.decide = look_and_split,
};

/* Slot 0 works; slot 1 is there and has no work. */
static struct bench *bench_of_two(void)
{
	struct bench *bench = bench_with(&listening, 0);

	join(bench, 0);
	join(bench, 1);
	launch(bench, 0, computing, 1, 0);
	session_run(bench->session, 5000);
	return bench;
}

/* How often the policy was asked about some event since call @from. */
static u32 asked_about(u32 event, u32 from)
{
	u32 count = 0, i;

	for (i = from; i < seen.count; i++)
		count += !!(seen.call[i].events & event);
	return count;
}

/* --- a tenant's call --------------------------------------------------------------------- */

static void a_hint_is_an_event(void **state)
{
	struct bench *bench = bench_of_two();
	u32 before = seen.count;

	assert_int_equal(session_hint(bench->session, 1, &hint), 0);
	session_run(bench->session, 1000);
	assert_int_equal(seen.count, before + 1);
	assert_int_equal(seen.call[before].events, SIMGPU_ON_HINT);
	assert_int_equal(seen.call[before].of_tenant[1], SIMGPU_ON_HINT);
	assert_int_equal(seen.call[before].of_tenant[0], 0);
	/* It is seen before it has work, with who it is. */
	assert_int_equal(seen.last.slot_count, 2);
	assert_int_equal(seen.last.tenants[1].active, 0);
	assert_int_equal(seen.last.tenants[1].hint_cycle, AT);
	assert_int_equal(seen.last.tenants[1].hint_laxity, 700);
	assert_int_equal(seen.last.tenants[0].hint_cycle, 0);
	/* What it has said already is no news. */
	assert_int_equal(session_hint(bench->session, 1, &hint), 0);
	session_run(bench->session, 1000);
	assert_int_equal(seen.count, before + 1);
	bench_free(bench);
}

static void a_hint_holds_until_a_launch_begins(void **state)
{
	const struct session_hint none = { .cycle = 0 };
	struct bench *bench = bench_of_two();

	session_hint(bench->session, 1, &hint);
	session_run(bench->session, AT + 20000 - session_now(bench->session));
	/* It has passed; the tenant may come all the same. */
	assert_int_equal(seen.last.tenants[1].hint_cycle, AT);
	launch(bench, 1, brief, 1, session_now(bench->session) + 3000);
	session_run(bench->session, 2000);
	assert_int_equal(seen.last.tenants[1].hint_cycle, AT);
	session_run(bench->session, 2000);
	assert_int_equal(seen.last.tenants[1].active, 1);
	assert_int_equal(seen.last.tenants[1].hint_cycle, 0);
	assert_int_equal(seen.last.tenants[1].hint_laxity, 0);
	/* Or until the tenant takes it back. */
	session_run(bench->session, 30000);
	assert_int_equal(seen.last.tenants[1].active, 0);
	assert_int_equal(session_hint(bench->session, 1, &hint), 0);
	session_run(bench->session, 500);
	assert_int_equal(seen.last.tenants[1].hint_cycle, AT);
	assert_int_equal(session_hint(bench->session, 1, &none), 0);
	session_run(bench->session, 500);
	assert_int_equal(seen.last.tenants[1].events, SIMGPU_ON_HINT);
	assert_int_equal(seen.last.tenants[1].hint_cycle, 0);
	/* Who leaves is expected no more. */
	session_hint(bench->session, 1, &hint);
	session_leave(bench->session, 1);
	session_run(bench->session, 12000);
	assert_int_equal(seen.last.tenants[1].hint_cycle, 0);
	bench_free(bench);
}

static void what_makes_no_sense_is_refused(void **state)
{
	struct bench *bench = bench_of_two();
	u64 most = session_now(bench->session) + SESSION_AHEAD_CYCLES_MAX;

#define SAY(error, ...) \
	assert_int_equal(session_hint(bench->session, 1, \
				      &(struct session_hint) { __VA_ARGS__ }), error)
	SAY(-ERANGE, .cycle = most + 1);
	SAY(-ERANGE, .cycle = U64_MAX);
	SAY(-ERANGE, .cycle = AT, .laxity = SESSION_AHEAD_CYCLES_MAX + 1);
	SAY(-EINVAL, .laxity = 1);
	assert_int_equal(session_hint(bench->session, 2, &hint), -EINVAL);
	assert_int_equal(seen.last.tenants[1].hint_cycle, 0);
	SAY(0, .cycle = most, .laxity = SESSION_AHEAD_CYCLES_MAX);
	/* One that has passed is no fault of the tenant: time goes on while it calls. */
	SAY(0, .cycle = 1);
#undef SAY
	bench_free(bench);
}

static void a_stopped_session_takes_none(void **state)
{
	struct bench *bench = bench_with(&listening, 1);

	launch_gang(bench);
	session_run(bench->session, ALL_AT_ONCE);
	assert_int_equal(session_hint(bench->session, 0, &hint), -ECANCELED);
	bench_free(bench);
}

/* As is one that the policy does not list, a hint changes nothing by itself. */
static void without_a_policy_that_listens_nothing_follows(void **state)
{
	struct bench *with = bench_new(0), *without = bench_new(0);
	struct bench *benches[] = { with, without };
	u32 i;

	for (i = 0; i < 2; i++) {
		join(benches[i], 0);
		join(benches[i], 1);
		launch(benches[i], 0, computing, 1, 0);
		session_run(benches[i]->session, 5000);
		if (!i)
			session_hint(with->session, 1, &hint);
		session_run(benches[i]->session, 60000);
		launch(benches[i], 1, brief, 1, 0);
		session_run(benches[i]->session, 40000);
	}
	expect_same(with, without);
	bench_free(with);
	bench_free(without);
}

/* A session with a hint goes on in another way: the state hash tells, and a replay repeats. */
static void hints_are_hashed_and_replayed(void **state)
{
	struct bench *bench = bench_of_two(), *again;
	u64 hash = session_state_hash(bench->session);
	const struct trace *traces[] = { computing };

	session_hint(bench->session, 1, &hint);
	assert_int_not_equal(session_state_hash(bench->session), hash);
	session_run(bench->session, 9000);
	hash = session_state_hash(bench->session);
	bench->session->tenants[1].hint.laxity ^= 1;
	assert_int_not_equal(session_state_hash(bench->session), hash);
	bench->session->tenants[1].hint.laxity ^= 1;
	again = bench_with(&listening, 0);
	replay_journal(bench->session, again->session, traces, 1);
	session_run(again->session, session_now(bench->session) -
				    session_now(again->session));
	assert_int_equal(session_state_hash(again->session), hash);
	assert_int_equal(seen.last.tenants[1].hint_cycle, AT);
	bench_free(bench);
	bench_free(again);
}

/* --- requests that come by themselves ------------------------------------------------------ */

static void requests_are_announced(void **state)
{
	static const u64 come[] = { 500, 30000, 31000, 60000 };
	static const struct arrivals_plan plan = {
		.kind = ARRIVALS_LIST, .launches = 1, .requests = 4, .list = come,
		.hint_cycles = 9000,
	};
	struct bench *bench = bench_with(&listening, 0), *plain;
	struct arrivals_plan silent = plan;
	u64 last, hash;
	u32 i, hints = 0;

	join(bench, 0);
	assert_int_equal(session_arrivals(bench->session, 0, brief, &plan, &last), 0);
	run_in_steps(bench, 100000, 777);
	for (i = 0; i < seen.count; i++) {
		static const u64 expected[] = { 0, 21000, 51000 };

		if (!(seen.call[i].events & SIMGPU_ON_HINT))
			continue;
		/*
		 * At the next boundary. The first is announced at once; the third came before
		 * the second had ended.
		 */
		assert_in_range(seen.call[i].cycle, expected[hints],
				expected[hints] + 200);
		hints++;
	}
	assert_int_equal(hints, 3);
	/* The plan of hints is part of the state; without them no policy hears any. */
	silent.hint_cycles = 0;
	plain = bench_with(&listening, 0);
	join(plain, 0);
	assert_int_equal(session_arrivals(plain->session, 0, brief, &silent, &last), 0);
	hash = session_state_hash(plain->session);
	plain->session->tenants[0].arrivals.plan.hint_cycles = 1;
	assert_int_not_equal(session_state_hash(plain->session), hash);
	plain->session->tenants[0].arrivals.plan.hint_cycles = 0;
	run_in_steps(plain, 100000, 777);
	assert_int_equal(asked_about(SIMGPU_ON_HINT, 0), 0);
	silent.hint_cycles = ARRIVALS_CYCLES_MAX + 1;
	assert_string_equal(arrivals_check(&silent), "hint_cycles");
	bench_free(bench);
	bench_free(plain);
}

/* --- time-slice ------------------------------------------------------------------------------ */

static void set(struct bench *bench, const char *name, u64 value)
{
	assert_int_equal(session_set_param(bench->session, SESSION_POLICY_PARAMS, name,
					   value), 0);
}

/*
 * The median latency of a QoS tenant's requests, in ns. What the tenant waits for SMs is
 * counted, and told with the tenant.
 */
static u64 latency_with(u64 urgent, u64 ahead, u64 hint_cycles)
{
	const struct arrivals_plan plan = {
		.kind = ARRIVALS_EVERY, .launches = 1, .requests = 6,
		.every_cycles = 400000, .hint_cycles = hint_cycles,
	};
	struct session_tenant_options options = {
		.name = "q", .weight = 1, .service = SIMGPU_QOS, .target_ppm = 500000,
	};
	struct bench *bench = bench_prepared(&policy_time_slice, 0);
	struct session_tenant_report report;
	u64 last;

	bench->options.config.yield_ns = 20000;
	bench->options.epoch_cycles = 500000;
	bench_start(bench);
	set(bench, "urgent", urgent);
	set(bench, "ahead", ahead);
	join(bench, 0);
	assert_int_equal(session_join(bench->session, 1, &options), 1);
	launch(bench, 0, computing, 1, 0);
	assert_int_equal(session_arrivals(bench->session, 1, brief, &plan, &last), 0);
	session_run(bench->session, 3000000);
	report = report_of(bench, 1);
	assert_int_equal(report.latency.launches, 6);
	assert_false(bench->session->fell_back);
	if (report.counters.sm_handovers)
		assert_int_equal(report.preemption.mean_ns,
				 report.counters.sm_handover_cycles /
				 report.counters.sm_handovers * 1000 / 1400);
	else
		assert_int_equal(report.preemption.mean_ns, 0);
	/* Yield and switch take 20 us and more; SMs that are free take nothing. */
	if (urgent && !(ahead && hint_cycles))
		assert_in_range(report.preemption.mean_ns, 20000, 60000);
	assert_true(report.preemption.p99_ns * 102 / 100 >= report.preemption.mean_ns);
	/* The other tenant had the rest of the time. */
	assert_true(issued_by(bench, 0) > 0);
	bench_free(bench);
	return report.latency.latency_p50_ns;
}

static void time_slice_preempts_ahead(void **state)
{
	u64 turns = latency_with(0, 0, 0);
	u64 unhinted = latency_with(1, 0, 0);
	u64 hinted = latency_with(1, 80000, 80000);

	/* The rest of another's slice; yield and switch, 20 us and more; or next to nothing. */
	assert_true(turns > 2 * unhinted);
	assert_true(unhinted > hinted + 20000);
	/* Both halves are needed: the hint, and the policy's heed. */
	assert_int_equal(latency_with(1, 0, 80000), unhinted);
	assert_int_equal(latency_with(1, 80000, 0), unhinted);
	assert_int_equal(latency_with(0, 80000, 80000), turns);
}

/* A hint that nothing follows costs the others its time, and no more. */
static void a_wrong_hint_costs_little(void **state)
{
	struct session_tenant_options options = {
		.name = "q", .weight = 1, .service = SIMGPU_QOS, .target_ppm = 500000,
	};
	struct bench *bench = bench_prepared(&policy_time_slice, 0);
	u64 before, now;
	u32 i;

	bench->options.epoch_cycles = 500000;
	bench_start(bench);
	set(bench, "urgent", 1);
	set(bench, "ahead", 20000);
	join(bench, 0);
	assert_int_equal(session_join(bench->session, 1, &options), 1);
	join(bench, 2);
	launch(bench, 0, computing, 1, 0);
	session_run(bench->session, 100000);
	session_hint(bench->session, 1, &(struct session_hint) { .cycle = 150000 });
	/* Nor does a best-effort tenant's hint take anything from others. */
	session_hint(bench->session, 2, &(struct session_hint) { .cycle = 101000 });
	session_run(bench->session, 28000);
	assert_int_equal(report_of(bench, 0).sms, 8);
	session_run(bench->session, 12000);
	assert_int_equal(report_of(bench, 0).sms, 0);
	session_run(bench->session, 20000);
	before = issued_by(bench, 0);
	session_run(bench->session, 8000);
	assert_int_equal(issued_by(bench, 0), before);
	session_run(bench->session, 4000);
	assert_int_equal(report_of(bench, 0).sms, 8);
	session_run(bench->session, 100000);
	assert_true(issued_by(bench, 0) > before);
	/* Hints one after the other, from anywhere near, are never a fault of the policy. */
	for (i = 0; i < 60; i++) {
		now = session_now(bench->session);
		session_hint(bench->session, 1, &(struct session_hint) {
			.cycle = now + i * 7919 % 30000 });
		session_run(bench->session, 1 + i * 997 % 9000);
	}
	assert_false(bench->session->fell_back);
	assert_ptr_equal(bench->session->policy, &policy_time_slice);
	bench_free(bench);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_hint_is_an_event),
		cmocka_unit_test(a_hint_holds_until_a_launch_begins),
		cmocka_unit_test(what_makes_no_sense_is_refused),
		cmocka_unit_test(a_stopped_session_takes_none),
		cmocka_unit_test(without_a_policy_that_listens_nothing_follows),
		cmocka_unit_test(hints_are_hashed_and_replayed),
		cmocka_unit_test(requests_are_announced),
		cmocka_unit_test(time_slice_preempts_ahead),
		cmocka_unit_test(a_wrong_hint_costs_little),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests_name("hints", tests, make_traces, free_traces);
}
