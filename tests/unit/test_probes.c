// SPDX-License-Identifier: GPL-2.0
/*
 * What a model may ask to see (a tenant alone, or served first), at the limits; how long
 * that lasts, whatever the policy says and whoever leaves meanwhile; and that what it
 * says between epochs is of now only.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "../../kmod/session/apply.h"
#include "../../kmod/session/internal.h"
#include "../../kmod/sim/sim.h"
#include "looking.h"

#define ALONE	SIMGPU_PROBE_ALONE
#define FIRST	SIMGPU_PROBE_PRIORITY

/* What the model of these tests asks for, and says. */
static struct {
	u32 calls;
	u32 probe;
	u32 slot;
	u64 wake_after;
	u64 between_ppm;
	struct simgpu_prediction_tenant said;
	u32 preempted;
} asks;

static int ask(const struct simgpu_snapshot *snapshot, const void *constants,
	       void *state, struct simgpu_prediction *prediction)
{
	asks.calls++;
	prediction->probe = asks.probe;
	prediction->probe_slot = asks.slot;
	if (asks.wake_after)
		prediction->wake_cycle = snapshot->cycle + asks.wake_after;
	prediction->tenants[0] = asks.said;
	prediction->tenants[0].class = SIMGPU_CLASS_COMPUTE;
	prediction->tenants[0].np_ppm = snapshot->events & SIMGPU_ON_EPOCH ?
					500000 : asks.between_ppm;
	return 0;
}

static const struct simgpu_model asking = {
	.name = "ask", .predict = ask,
	.events = SIMGPU_ON_WAKE | SIMGPU_ON_KERNEL_END,
};

static void on_preempt(void *context, u32 sm, u32 from, u32 to, u32 how)
{
	asks.preempted++;
}

/* Two tenants with four SMs each, which keep them where the policy says nothing. */
static struct bench *bench_that_asks(u32 probe, u32 slot, u64 wake_after)
{
	struct bench *bench = bench_prepared(&looking, 0);

	memset(&asks, 0, sizeof(asks));
	asks.probe = probe;
	asks.slot = slot;
	asks.wake_after = wake_after;
	asks.between_ppm = 500000;
	bench->options.model = &asking;
	bench->hooks.preempt = on_preempt;
	session_default_params(&bench->options);
	bench_start(bench);
	say_even(2);
	join(bench, 0);
	join(bench, 1);
	launch(bench, 0, computing, 1, 0);
	launch(bench, 1, computing, 1, 0);
	session_run(bench->session, 1000);
	seen.says = false;
	return bench;
}

/* A wake is 1,000 cycles ahead at least, and a probe has one and is of who has work. */
static void probes_are_taken_to_their_limits(void **state)
{
	static const struct {
		u32 probe;
		u32 slot;
		u64 wake_after;
		bool good;
	} cases[] = {
		{ SIMGPU_PROBE_NONE, 0, 0, true },
		{ SIMGPU_PROBE_NONE, SIMGPU_SLOTS_MAX, 0, true },
		{ SIMGPU_PROBE_NONE, 0, 1000, true },
		{ SIMGPU_PROBE_NONE, 0, 999, false },
		{ ALONE, 1, 1000, true }, { ALONE, 0, 1000, true },
		{ ALONE, 1, 999, false }, { ALONE, 1, 0, false },
		{ FIRST, 1, 1000, true }, { FIRST, 1, 0, false },
		{ ALONE + 1, 1, 1000, false },
		{ ALONE, 2, 1000, false }, { FIRST, 63, 1000, false },
		{ ALONE, SIMGPU_SLOTS_MAX, 1000, false },
	};
	u32 i;

	for (i = 0; i < ARRAY_SIZE(cases); i++) {
		struct bench *bench = bench_that_asks(cases[i].probe,
						      cases[i].slot,
						      cases[i].wake_after);
		const struct session_refusal *why =
			session_last_refusal(bench->session);
		bool alone = cases[i].good && cases[i].probe == ALONE;

		session_run(bench->session, EPOCH - 500);
		assert_int_equal(why->kind, cases[i].good ?
				 SESSION_REFUSED_NOTHING :
				 SESSION_REFUSED_PREDICT);
		assert_int_equal(sms_of(bench, 0), !alone ? 4 :
						   cases[i].slot ? 0 : 8);
		assert_int_equal(sms_of(bench, 1), !alone ? 4 :
						   cases[i].slot ? 8 : 0);
		if (!cases[i].good) {
			assert_string_equal(why->field, "probe");
			assert_int_equal(why->slot, cases[i].slot);
			assert_int_equal(why->cycle, EPOCH);
		}
		/* A wake that was refused does not come. */
		session_run(bench->session, 1000);
		assert_int_equal(asks.calls, cases[i].good &&
					     cases[i].wake_after ? 2 : 1);
		bench_free(bench);
	}
}

/* One that cannot be done ends the one before it. */
static void a_refused_probe_ends_the_one_before(void **state)
{
	struct bench *bench = bench_that_asks(ALONE, 1, 2000);

	session_run(bench->session, EPOCH - 500);
	assert_int_equal(sms_of(bench, 1), 8);
	asks.wake_after = 999;
	session_run(bench->session, 2000);
	assert_int_equal(asks.calls, 2);
	assert_int_equal(session_last_refusal(bench->session)->kind,
			 SESSION_REFUSED_PREDICT);
	assert_int_equal(sms_of(bench, 0), 4);
	assert_int_equal(sms_of(bench, 1), 4);
	bench_free(bench);
}

/* What it sees already is not begun again: that would cost two preemptions. */
static void a_probe_that_goes_on_preempts_nobody(void **state)
{
	struct bench *bench = bench_that_asks(ALONE, 1, 2000);
	u32 before;

	session_run(bench->session, EPOCH - 500);
	assert_true(asks.preempted);
	before = asks.preempted;
	session_run(bench->session, 8000);
	assert_int_equal(asks.calls, 5);
	assert_int_equal(asks.preempted, before);
	assert_int_equal(sms_of(bench, 1), 8);
	/* Another one's is another probe. */
	asks.slot = 0;
	session_run(bench->session, 2000);
	assert_int_equal(sms_of(bench, 0), 8);
	/* As is one of another kind. */
	asks.probe = FIRST;
	session_run(bench->session, 2000);
	assert_int_equal(sms_of(bench, 0), 4);
	assert_int_equal(sms_of(bench, 1), 4);
	bench_free(bench);
}

/* A word that leaves all SMs where they are lets a tenant be alone; another ends that. */
static void words_that_move_no_sm_end_no_probe(void **state)
{
	static const struct {
		u32 flags;
		u32 sms[2];	/* by counts */
		u32 sm;		/* by owners, nobody's from now on; 8: none */
		bool ends;
	} cases[] = {
		{ 0, { 4, 4 }, 8, false }, { 0, { 3, 4 }, 8, true },
		{ 0, { 4, 3 }, 8, true }, { 0, { 5, 3 }, 8, true },
		{ SIMGPU_SAYS_OWNERS, { 0, 0 }, 8, false },
		{ SIMGPU_SAYS_OWNERS, { 0, 0 }, 0, true },
		{ SIMGPU_SAYS_OWNERS, { 0, 0 }, 7, true },
	};
	u32 i, sm;

	for (i = 0; i < ARRAY_SIZE(cases); i++) {
		struct bench *bench = bench_that_asks(ALONE, 1, 15000);

		session_run(bench->session, EPOCH - 500);
		assert_int_equal(sms_of(bench, 1), 8);
		say_even(2);
		seen.say.flags = cases[i].flags;
		seen.say.sms[0] = cases[i].sms[0];
		seen.say.sms[1] = cases[i].sms[1];
		for (sm = 0; sm < 8; sm++)
			seen.say.owner[sm] = sm == cases[i].sm ? SIMGPU_NO_OWNER :
				(u8)owner_of(bench->session, sm);
		session_run(bench->session, EPOCH);
		assert_int_equal(session_last_refusal(bench->session)->kind,
				 SESSION_REFUSED_NOTHING);
		assert_int_equal(sms_of(bench, 1) == 8, !cases[i].ends);
		if (cases[i].ends && !cases[i].flags) {
			assert_int_equal(sms_of(bench, 0), cases[i].sms[0]);
			assert_int_equal(sms_of(bench, 1), cases[i].sms[1]);
		}
		bench_free(bench);
	}
}

/* What the memory controllers were told of slots 0, 1 and 63. */
static void expect_priorities(const struct bench *bench, u32 first, u32 second,
			      u32 last)
{
	const struct gpu *gpu = bench->session->gpu;

	assert_int_equal(gpu->memory_priority[0], first);
	assert_int_equal(gpu->memory_priority[1], second);
	assert_int_equal(gpu->memory_priority[63], last);
}

/* A policy that says who is served first ends a probe that does; others do not. */
static void priorities_end_a_probe_by_priority(void **state)
{
	static const struct {
		u32 flags;
		u32 kind;
	} cases[] = {
		{ 0, FIRST },
		{ SIMGPU_SAYS_MEMORY_PRIORITY, SIMGPU_PROBE_NONE },
	};
	u32 i;

	for (i = 0; i < ARRAY_SIZE(cases); i++) {
		struct bench *bench = bench_that_asks(FIRST, 1, 15000);

		session_run(bench->session, EPOCH - 500);
		assert_int_equal(bench->session->probe.kind, FIRST);
		expect_priorities(bench, 0, SIMGPU_MEMORY_PRIORITY_MAX, 0);
		/* To the policy nobody has another priority than before. */
		assert_int_equal(seen.last.tenants[1].memory_priority, 0);
		asks.probe = SIMGPU_PROBE_NONE;
		asks.wake_after = 0;
		say_even(2);
		seen.say.flags = cases[i].flags;
		seen.wake_after = 0;
		join(bench, 2);
		launch(bench, 2, brief, 1, 0);
		seen.say.sms[1] = 3;
		seen.say.sms[2] = 1;
		seen.say.memory_priority[0] = 2;
		seen.say.memory_priority[63] = 1;
		session_run(bench->session, 300);
		assert_int_equal(session_last_refusal(bench->session)->kind,
				 SESSION_REFUSED_NOTHING);
		assert_int_equal(bench->session->probe.kind, cases[i].kind);
		if (cases[i].flags)
			expect_priorities(bench, 2, 0, 1);
		/* When it is over those are as the policy has them. */
		session_run(bench->session, EPOCH);
		expect_priorities(bench, cases[i].flags ? 2 : 0, 0,
				  cases[i].flags ? 1 : 0);
		bench_free(bench);
	}
}

/* With who is alone the probe goes; who was held and leaves has no SM to come back to. */
static void a_probe_ends_with_whom_it_is_about(void **state)
{
	struct bench *bench = bench_that_asks(ALONE, 1, 5000);

	session_run(bench->session, EPOCH - 500);
	assert_int_equal(sms_of(bench, 1), 8);
	session_leave(bench->session, 1);
	assert_int_equal(sms_of(bench, 0), 4);
	session_run(bench->session, 500);
	assert_int_equal(sms_of(bench, 0), 4);
	assert_int_equal(sms_of(bench, GPU_NO_TENANT), 4);
	bench_free(bench);

	bench = bench_that_asks(ALONE, 1, 5000);
	session_run(bench->session, EPOCH - 500);
	session_leave(bench->session, 0);
	assert_int_equal(sms_of(bench, 1), 8);
	asks.probe = SIMGPU_PROBE_NONE;
	asks.wake_after = 0;
	session_run(bench->session, 5000);
	assert_int_equal(sms_of(bench, 1), 4);
	assert_int_equal(sms_of(bench, GPU_NO_TENANT), 4);
	bench_free(bench);
}

/* SMs that tenants shared before one of them was alone they share again. */
static void shared_sms_are_shared_after_a_probe(void **state)
{
	struct bench *bench = bench_that_asks(SIMGPU_PROBE_NONE, 0, 0);

	say_shared(3);
	session_run(bench->session, EPOCH);
	assert_int_equal(sms_of(bench, GPU_SHARED), 8);
	asks.probe = ALONE;
	asks.wake_after = 5000;
	session_run(bench->session, EPOCH);
	assert_int_equal(sms_of(bench, 0), 8);
	asks.probe = SIMGPU_PROBE_NONE;
	asks.wake_after = 0;
	session_run(bench->session, 5000);
	assert_int_equal(sms_of(bench, GPU_SHARED), 8);
	assert_int_equal(session_last_refusal(bench->session)->kind,
			 SESSION_REFUSED_NOTHING);
	bench_free(bench);
}

/* The policy that is asked at an epoch's end sees what was said of that epoch. */
static void a_policy_sees_what_was_said(void **state)
{
	const struct simgpu_snapshot_tenant *tenant = &seen.last.tenants[0];
	struct bench *bench = bench_that_asks(SIMGPU_PROBE_NONE, 0, 0);

	asks.said = (struct simgpu_prediction_tenant) {
		.sd_scal_ppm = 1250000,
		.sd_inter_ppm = 1600000,
		.curve = {
			.knots = 2, .least_sms = 1, .most_sms = 8,
			.error_ppm = 7,
			.knot = { { 0, 0 }, { 8000, 1000000 } },
		},
	};
	session_run(bench->session, EPOCH - 1000);
	assert_int_equal(seen.last.events & SIMGPU_ON_EPOCH, SIMGPU_ON_EPOCH);
	assert_int_equal(tenant->class, SIMGPU_CLASS_COMPUTE);
	assert_int_equal(tenant->np_ppm, 500000);
	assert_int_equal(tenant->sd_scal_ppm, 1250000);
	assert_int_equal(tenant->sd_inter_ppm, 1600000);
	assert_memory_equal(&tenant->curve, &asks.said.curve,
			    sizeof(tenant->curve));
	/* Of the other one nothing was said. */
	assert_int_equal(seen.last.tenants[1].class, SIMGPU_CLASS_UNKNOWN);
	assert_int_equal(seen.last.tenants[1].np_ppm, 0);
	assert_int_equal(seen.last.tenants[1].curve.knots, 0);
	bench_free(bench);
}

/* An NP of a run is of its epochs: what is said at kernels' ends and wakes is not in it. */
static void what_is_said_between_epochs_is_not_of_the_run(void **state)
{
	struct bench *bench = bench_that_asks(SIMGPU_PROBE_NONE, 0, 3000);

	asks.between_ppm = 100000;
	join(bench, 2);
	launch(bench, 2, brief, 1000, 0);
	session_run(bench->session, 3 * EPOCH + 2500);
	/* At three ends, at three wakes in each of two epochs, and at kernels' ends. */
	assert_true(asks.calls > 3 + 6);
	assert_int_equal(report_of(bench, 0).np_ppm, 100000);
	assert_int_equal(report_of(bench, 0).np_run.run_ppm, 500000);
	assert_int_equal(report_of(bench, 0).np_run.compute_ppm, 500000);
	bench_free(bench);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(probes_are_taken_to_their_limits),
		cmocka_unit_test(a_refused_probe_ends_the_one_before),
		cmocka_unit_test(a_probe_that_goes_on_preempts_nobody),
		cmocka_unit_test(words_that_move_no_sm_end_no_probe),
		cmocka_unit_test(priorities_end_a_probe_by_priority),
		cmocka_unit_test(a_probe_ends_with_whom_it_is_about),
		cmocka_unit_test(shared_sms_are_shared_after_a_probe),
		cmocka_unit_test(a_policy_sees_what_was_said),
		cmocka_unit_test(what_is_said_between_epochs_is_not_of_the_run),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests_name("probes", tests, make_traces,
					   free_traces);
}
