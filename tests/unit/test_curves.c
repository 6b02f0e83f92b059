// SPDX-License-Identifier: GPL-2.0
/*
 * Curves of models, and the policies that read them: what a curve says between and beyond
 * the counts that were seen, what mirror knows of ports, and what curve-fair and curve-qos
 * make of curves.
 */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <cmocka.h>

#include "../../kmod/policy/common/seen_curve.h"
#include "../../kmod/session/session.h"
#include "small.h"
#include "snapshots.h"

#define EPOCH_CYCLES	500000ULL

/* --- curves --- */

static struct seen_curve known;

/* An epoch in which slot 0 held so many of 80 SMs and made such progress. */
static struct simgpu_curve see(u32 sms, u64 np_ppm, u32 error_ppm)
{
	static struct simgpu_snapshot snapshot;
	struct simgpu_prediction_tenant said = { .np_ppm = np_ppm };

	snapshot_init(&snapshot, 80, EPOCH_CYCLES);
	seen_curve_answer(&known, &snapshot,
			  predicted(&snapshot, 0, sms, np_ppm), error_ppm,
			  &said);
	return said.curve;
}

static int forget(void **state)
{
	memset(&known, 0, sizeof(known));
	return 0;
}

static void expect_np(const struct simgpu_curve *curve, u32 sms, double np)
{
	u64 said = simgpu_np_at(curve, sms);

	if (fabs((double)said - np * SIMGPU_PPM) > 3)
		fail_msg("%u SMs: %llu is not %.6f", sms, said, np);
}

static void compute_bound_is_a_line(void **state)
{
	struct simgpu_curve curve = see(40, 500000, 0);
	u32 sms;

	for (sms = 0; sms <= 80; sms += 10)
		expect_np(&curve, sms, sms / 80.0);
	assert_int_equal(curve.least_sms, 20);
	assert_int_equal(curve.most_sms, 60);
}

/*
 * 0.8 with half of the SMs: the line says 1 with 60, the share 4 * 60 / (4 * 60 + 20); with
 * 20 they say 0.4 and 80 / (80 + 60).
 */
static void beyond_it_is_the_mean_of_two(void **state)
{
	struct simgpu_curve curve = see(40, 800000, 56000);

	expect_np(&curve, 40, 0.8);
	expect_np(&curve, 60, (1 + 240.0 / 260) / 2);
	expect_np(&curve, 20, (0.4 + 80.0 / 140) / 2);
	expect_np(&curve, 80, 1);
	assert_int_equal(curve.error_ppm, 56000 + 50000);
}

static void curves_go_through_what_was_seen(void **state)
{
	struct simgpu_curve curve;

	see(40, 500000, 0);
	see(60, 900000, 0);
	curve = see(50, 800000, 0);
	expect_np(&curve, 40, 0.5);
	expect_np(&curve, 50, 0.8);
	expect_np(&curve, 60, 0.9);
	expect_np(&curve, 45, 0.65);
	assert_int_equal(curve.least_sms, 20);
	assert_int_equal(curve.most_sms, 70);
	/* More SMs are never worse: the later word drives the earlier one out. */
	curve = see(70, 700000, 0);
	expect_np(&curve, 70, 0.7);
	expect_np(&curve, 40, 0.5);
	assert_true(simgpu_np_at(&curve, 60) < 700000);
	/* Less of it where it was before is time's doing: all of the curve goes down. */
	curve = see(41, 400000, 0);
	expect_np(&curve, 41, 0.4);
	expect_np(&curve, 70, 0.56);
}

/* Whatever time does, what a curve says is above 0 and at most 1. */
static void time_moves_no_point_out_of_range(void **state)
{
	struct simgpu_curve curve;
	u32 i;

	see(40, 500000, 0);
	see(60, 900000, 0);
	curve = see(40, 900000, 0);
	expect_np(&curve, 40, 0.9);
	for (i = 0; i < curve.knots; i++)
		assert_true(curve.knot[i].np_ppm <= SIMGPU_PPM);
	expect_np(&curve, 60, 1);
	/* And down: a tenth of a part in a million is one. */
	forget(NULL);
	see(20, 100000, 0);
	see(40, 500000, 0);
	curve = see(40, 1, 0);
	for (i = 1; i < curve.knots; i++)
		if (curve.knot[i].sms_milli == 20000)
			assert_int_equal(curve.knot[i].np_ppm, 1);
}

/* What it errs by where it was not before. */
static void curves_learn_how_far_they_err(void **state)
{
	struct simgpu_curve curve = see(40, 500000, 0);

	assert_int_equal(curve.error_ppm, 50000);
	/* It has 0.75 there: no error, and a quarter less in the mean. */
	curve = see(60, 750000, 0);
	assert_int_equal(curve.error_ppm, 37500);
	/* Halfway 0.625 was said, not 0.5: 25%. */
	curve = see(50, 500000, 0);
	assert_int_equal(curve.error_ppm, (3 * 37500 + 250000) / 4);
	/* Where it was already, nothing is learned of its shape. */
	curve = see(50, 400000, 0);
	assert_int_equal(curve.error_ppm, (3 * 37500 + 250000) / 4);
}

static void a_tail_shows_another_kernel(void **state)
{
	static struct simgpu_snapshot snapshot;
	struct simgpu_prediction_tenant said = { .np_ppm = 10000 };
	struct simgpu_snapshot_tenant *tenant;

	see(40, 500000, 0);
	snapshot_init(&snapshot, 80, EPOCH_CYCLES);
	tenant = predicted(&snapshot, 0, 20, 10000);
	tenant->blocks_left = 5;
	seen_curve_answer(&known, &snapshot, tenant, 0, &said);
	expect_np(&said.curve, 20, 0.25);
	/* Another kernel begins anew. */
	tenant->blocks_left = tenant->blocks;
	tenant->queue[0].head.kernel = 3;
	seen_curve_answer(&known, &snapshot, tenant, 0, &said);
	expect_np(&said.curve, 20, 0.01);
}

/* --- mirror --- */

static void mirror_knows_the_ports(void **state)
{
	static struct simgpu_snapshot snapshot;
	static struct seen_curves curves;
	static struct simgpu_prediction prediction;
	struct simgpu_counters *c;

	snapshot_init(&snapshot, 80, EPOCH_CYCLES);
	c = &predicted(&snapshot, 0, 40, 0)->counters;
	c->thread_instructions = 1000;
	c->noc_reply_flits = 64 * EPOCH_CYCLES * 8 / 10;
	memset(&prediction, 0, sizeof(prediction));
	model_mirror.predict(&snapshot, NULL, &curves, &prediction);
	/* (0.8^4 + 0.5^4)^(1/4): half of the SMs, which do not wait. */
	assert_in_range(prediction.tenants[0].np_ppm, 828906, 828916);
	assert_int_equal(prediction.tenants[0].class, SIMGPU_CLASS_COMPUTE);
	c->noc_request_flits = 64 * EPOCH_CYCLES * 9 / 10;
	model_mirror.predict(&snapshot, NULL, &curves, &prediction);
	assert_in_range(prediction.tenants[0].np_ppm, 920703, 920713);
}

/* --- policies --- */

static struct simgpu_snapshot snapshot;

/* A tenant whose model has seen it as it is. */
static struct simgpu_snapshot_tenant *with_curve(u32 slot, u32 sms, u64 np_ppm,
						 u32 error_ppm)
{
	struct simgpu_snapshot_tenant *tenant =
		predicted(&snapshot, slot, sms, np_ppm);

	memset(&known, 0, sizeof(known));
	tenant->curve = see(sms, np_ppm, 0);
	tenant->curve.error_ppm = error_ppm;
	return tenant;
}

/* What a policy says of this epoch, with what it remembers of those before. */
static void expect_now(const struct simgpu_policy *policy, void *memory, u32 first,
		       u32 second)
{
	static struct simgpu_proposal proposal;
	u32 slot;

	set_params(&snapshot, policy);
	memset(&proposal, 0, sizeof(proposal));
	for (slot = 0; slot < SIMGPU_SLOTS_MAX; slot++)
		proposal.sms[slot] = snapshot.tenants[slot].sms;
	assert_int_equal(policy->decide(&snapshot, memory, &proposal), 0);
	assert_int_equal(proposal.sms[0], first);
	assert_int_equal(proposal.sms[1], second);
}

/* What a policy says at the first epoch that it sees. */
static void expect_sms(const struct simgpu_policy *policy, u32 first, u32 second)
{
	expect_now(policy, fresh_state(), first, second);
}

/* What curve-qos says of the same epoch over and over. */
static void expect_in_the_end(u32 first, u32 second)
{
	const u32 epochs = snapshot.tenants[0].sms < first ? 2 : 4;
	void *memory = fresh_state();
	u32 i;

	for (i = 1; i < epochs; i++)
		expect_now(&policy_curve_qos, memory, snapshot.tenants[0].sms,
			   snapshot.tenants[1].sms);
	expect_now(&policy_curve_qos, memory, first, second);
}

/*
 * One is saturated: 0.9 with 40 SMs, and (0.45 + 180 / 240) / 2 = 0.6 with 20 by its curve.
 * The other is a line. With 26 and 54 they have 0.69 and 0.675; with 25 it would be the slower one.
 */
static void curve_fair_makes_equal(void **state)
{
	snapshot_init(&snapshot, 80, EPOCH_CYCLES);
	with_curve(0, 40, 900000, 0);
	with_curve(1, 40, 500000, 0);
	expect_sms(&policy_curve_fair, 26, 54);
	/* Of 14 moves a tenth is not made, then three quarters. */
	snapshot.tenants[1].curve.error_ppm = 100000;
	expect_sms(&policy_curve_fair, 27, 53);
	snapshot.tenants[0].curve.error_ppm = SIMGPU_PPM;
	expect_sms(&policy_curve_fair, 36, 44);
}

static void curve_fair_stays_where_curves_hold(void **state)
{
	snapshot_init(&snapshot, 80, EPOCH_CYCLES);
	with_curve(0, 40, 900000, 0)->curve.least_sms = 33;
	with_curve(1, 40, 500000, 0);
	expect_sms(&policy_curve_fair, 33, 47);
	snapshot.tenants[1].curve.most_sms = 45;
	expect_sms(&policy_curve_fair, 35, 45);
	/* Fair ones stay as they are, tails too, and models without curves move nothing. */
	with_curve(0, 40, 550000, 0);
	expect_sms(&policy_curve_fair, 40, 40);
	with_curve(0, 40, 900000, 0)->blocks_left = 30;
	expect_sms(&policy_curve_fair, 40, 40);
	with_curve(0, 40, 900000, 0)->curve.knots = 0;
	expect_sms(&policy_curve_fair, 40, 40);
}

static void curve_qos_reaches_its_goal(void **state)
{
	snapshot_init(&snapshot, 80, EPOCH_CYCLES);
	with_curve(0, 40, 500000, 0);
	snapshot.tenants[0].service = SIMGPU_QOS;
	snapshot.tenants[0].target_ppm = 800000;
	with_curve(1, 40, 300000, 0);
	/* A line, 0.8 at 64. */
	expect_in_the_end(64, 16);
	/* No more than it has thread blocks, and than there are. */
	snapshot.tenants[0].blocks = 50;
	expect_in_the_end(50, 30);
	snapshot.tenants[0].blocks = 70;
	expect_in_the_end(64, 16);
	snapshot.tenants[0].blocks = U32_MAX;
	/* 10% above it, 0.88, where it is not sure. */
	snapshot.tenants[0].curve.error_ppm = 100000;
	expect_in_the_end(71, 9);
	/* Nothing moves from 0.88 to 0.93. */
	with_curve(0, 60, 920000, 100000);
	snapshot.tenants[0].service = SIMGPU_QOS;
	snapshot.tenants[1].sms = 20;
	expect_in_the_end(60, 20);
	/* It gives back, but no further than half of what was seen. */
	with_curve(0, 60, 990000, 0);
	snapshot.tenants[0].target_ppm = 100000;
	expect_in_the_end(30, 50);
	/* And in a tail nothing. */
	snapshot.tenants[0].blocks_left = 20;
	expect_in_the_end(60, 20);
}

/* A target of 0.8 on a line, of which an epoch shows so much with so many SMs. */
static void show(u32 sms, u64 np_ppm)
{
	with_curve(0, sms, np_ppm, 0);
	snapshot.tenants[0].service = SIMGPU_QOS;
	snapshot.tenants[0].target_ppm = 800000;
	snapshot.tenants[1].sms = 80 - sms;
}

/* More SMs after two epochs that ask for them, fewer after four, and of all the closest. */
static void curve_qos_moves_on_what_stays(void **state)
{
	void *memory = fresh_state();

	snapshot_init(&snapshot, 80, EPOCH_CYCLES);
	with_curve(1, 40, 300000, 0);
	show(40, 400000);
	expect_now(&policy_curve_qos, memory, 40, 40);
	show(40, 500000);
	expect_now(&policy_curve_qos, memory, 64, 16);
	/* Twice more anew; an epoch that asks for nothing, or for fewer, begins again. */
	expect_now(&policy_curve_qos, memory, 40, 40);
	show(40, 820000);
	expect_now(&policy_curve_qos, memory, 40, 40);
	show(40, 500000);
	expect_now(&policy_curve_qos, memory, 40, 40);
	show(40, 900000);
	expect_now(&policy_curve_qos, memory, 40, 40);
	show(40, 500000);
	expect_now(&policy_curve_qos, memory, 40, 40);
	expect_now(&policy_curve_qos, memory, 64, 16);
	show(60, 990000);
	expect_now(&policy_curve_qos, memory, 60, 20);
	show(60, 900000);
	expect_now(&policy_curve_qos, memory, 60, 20);
	show(60, 990000);
	expect_now(&policy_curve_qos, memory, 60, 20);
	expect_now(&policy_curve_qos, memory, 52, 28);
}

/* Whoever comes into a slot has asked for nothing. */
static void curve_qos_forgets_who_left(void **state)
{
	void *memory = fresh_state();

	snapshot_init(&snapshot, 80, EPOCH_CYCLES);
	with_curve(1, 40, 300000, 0);
	show(40, 500000);
	expect_now(&policy_curve_qos, memory, 40, 40);
	snapshot.tenants[0].active = 0;
	expect_now(&policy_curve_qos, memory, 40, 40);
	show(40, 500000);
	expect_now(&policy_curve_qos, memory, 40, 40);
	expect_now(&policy_curve_qos, memory, 64, 16);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup(compute_bound_is_a_line, forget),
		cmocka_unit_test_setup(beyond_it_is_the_mean_of_two, forget),
		cmocka_unit_test_setup(curves_go_through_what_was_seen, forget),
		cmocka_unit_test_setup(time_moves_no_point_out_of_range, forget),
		cmocka_unit_test_setup(curves_learn_how_far_they_err, forget),
		cmocka_unit_test_setup(a_tail_shows_another_kernel, forget),
		cmocka_unit_test(mirror_knows_the_ports),
		cmocka_unit_test(curve_fair_makes_equal),
		cmocka_unit_test(curve_fair_stays_where_curves_hold),
		cmocka_unit_test(curve_qos_reaches_its_goal),
		cmocka_unit_test(curve_qos_moves_on_what_stays),
		cmocka_unit_test(curve_qos_forgets_who_left),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests_name("curves", tests, NULL, NULL);
}
