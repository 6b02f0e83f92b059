// SPDX-License-Identifier: GPL-2.0
/*
 * Policies that keep promises or divide by weight: proportional, hsm-qos,
 * bw-app, and how fractions become SMs.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <cmocka.h>

#include "../../kmod/policy/common/split.h"
#include "snapshots.h"

#define ROUNDS	20000

/* The assignment as it stands, which a policy finds in its proposal. */
static void propose(const struct simgpu_policy *policy,
		    struct simgpu_snapshot *snapshot,
		    struct simgpu_proposal *proposal)
{
	u32 slot;

	/* Whatever the params are at first. */
	set_param(snapshot, policy, "qos_guard", 50000);
	set_param(snapshot, policy, "qos_margin", 100000);
	memset(proposal, 0, sizeof(*proposal));
	for (slot = 0; slot < SIMGPU_SLOTS_MAX; slot++)
		proposal->sms[slot] = snapshot->tenants[slot].sms;
	assert_int_equal(policy->decide(snapshot, NULL, proposal), 0);
}

static struct simgpu_snapshot_tenant *qos(struct simgpu_snapshot_tenant *tenant,
					  u64 target_ppm)
{
	tenant->service = SIMGPU_QOS;
	tenant->target_ppm = target_ppm;
	return tenant;
}

static void expect_sms(const struct simgpu_policy *policy,
		       struct simgpu_snapshot *snapshot, u32 first,
		       u32 second, u32 third)
{
	struct simgpu_proposal proposal;

	propose(policy, snapshot, &proposal);
	assert_int_equal(proposal.sms[0], first);
	assert_int_equal(proposal.sms[1], second);
	assert_int_equal(proposal.sms[2], third);
}

/* --- fractions --- */

static void expect_split(u32 sms, u64 a, u64 b, u64 c, u32 to_a, u32 to_b,
			 u32 to_c)
{
	const u64 weights[SIMGPU_SLOTS_MAX] = { a, b, c };
	struct simgpu_snapshot snapshot;
	struct simgpu_proposal proposal;

	snapshot_init(&snapshot, sms, 500000);
	activate(&snapshot, 0, 0);
	activate(&snapshot, 1, 0);
	activate(&snapshot, 2, 0);
	policy_split(&snapshot, weights, &proposal);
	assert_int_equal(proposal.sms[0], to_a);
	assert_int_equal(proposal.sms[1], to_b);
	assert_int_equal(proposal.sms[2], to_c);
}

static void fractions_round_to_nearest(void **state)
{
	expect_split(80, 1, 1, 2, 20, 20, 40);
	/* 22.9, 22.9, 34.3 */
	expect_split(80, 2, 2, 3, 23, 23, 34);
	/* 26.7 each: one too many; remainders are the lowest slots'. */
	expect_split(80, 1, 1, 1, 27, 27, 26);
	/* 3.33 each: one left over. */
	expect_split(10, 5, 5, 5, 4, 3, 3);
	/* At least one, taken where there are more. */
	expect_split(80, 1, 1000, 1000, 1, 40, 39);
	expect_split(80, 0, 0, 0, 27, 27, 26);
	expect_split(80, 0, 7, 0, 1, 78, 1);
	/* Not enough for all. */
	expect_split(2, 1, 1, 9, 1, 1, 0);
	expect_split(80, 1ULL << 32, 1, 1, 78, 1, 1);
}

/* --- proportional --- */

static void proportional_keeps_its_share(void **state)
{
	struct simgpu_snapshot snapshot;

	/* HSM 6.3: 64 of 80 SMs. */
	snapshot_init(&snapshot, 80, 500000);
	predicted(&snapshot, 0, 40, 500000);
	qos(predicted(&snapshot, 1, 40, 500000), 800000);
	expect_sms(&policy_proportional, &snapshot, 16, 64, 0);
	/* Others divide the rest by weight. */
	predicted(&snapshot, 2, 0, 0)->weight = 3;
	expect_sms(&policy_proportional, &snapshot, 4, 64, 12);
	/* More than the GPU is promised: all are cut alike, one keeps one. */
	qos(&snapshot.tenants[2], 800000);
	expect_sms(&policy_proportional, &snapshot, 1, 40, 39);
}

static void proportional_splits_by_weight(void **state)
{
	struct simgpu_snapshot snapshot;

	snapshot_init(&snapshot, 80, 500000);
	activate(&snapshot, 0, 40)->weight = 30;
	activate(&snapshot, 1, 40)->weight = 10;
	expect_sms(&policy_proportional, &snapshot, 60, 20, 0);
}

/* --- hsm-qos --- */

/* A pair on 80 SMs, the first with a target of 0.8. */
static void expect_pair(u32 sms, u64 np_ppm, u32 to_first)
{
	struct simgpu_snapshot snapshot;

	snapshot_init(&snapshot, 80, 500000);
	qos(predicted(&snapshot, 0, sms, np_ppm), 800000);
	predicted(&snapshot, 1, 80 - sms, 300000);
	expect_sms(&policy_hsm_qos, &snapshot, to_first, 80 - to_first, 0);
}

static void hsm_qos_reaches_the_target(void **state)
{
	/* To 0.85, the target and the guard band: 40 * 0.85 / 0.5, up. */
	expect_pair(40, 500000, 68);
	expect_pair(40, 799999, 43);
	expect_pair(40, 845000, 41);
	/* Between goal and margin nothing moves. */
	expect_pair(40, 850000, 40);
	expect_pair(40, 900000, 40);
	/* Past it, what is not needed goes back: 40 * 0.85 / 0.900001. */
	expect_pair(40, 900001, 38);
	expect_pair(72, 1000000, 62);
	/* The other one keeps its last SM. */
	expect_pair(40, 100000, 79);
	expect_pair(40, 1, 79);
	/* Without a prediction it stays. */
	expect_pair(40, 0, 40);
}

/* HSM 4.3 with its own numbers, which are the first values of the parameters. */
static void hsm_qos_is_the_papers_at_first(void **state)
{
	static const struct {
		u64 np_ppm;
		u32 sms;
	} cases[] = {
		/* Below 0.8 as many as reach it: 40 * 0.8 / 0.5, and rounded up. */
		{ 500000, 64 }, { 790000, 41 },
		/* Up to 0.9 nothing moves; above it as many as exceed 0.8 marginally. */
		{ 800000, 40 }, { 900000, 40 }, { 900001, 36 }, { 990000, 33 },
	};
	u32 i, slot;

	for (i = 0; i < ARRAY_SIZE(cases); i++) {
		struct simgpu_proposal proposal = { .flags = 0 };
		struct simgpu_snapshot snapshot;

		snapshot_init(&snapshot, 80, 500000);
		set_params(&snapshot, &policy_hsm_qos);
		qos(predicted(&snapshot, 0, 40, cases[i].np_ppm), 800000);
		predicted(&snapshot, 1, 40, 300000);
		for (slot = 0; slot < 2; slot++)
			proposal.sms[slot] = 40;
		assert_int_equal(policy_hsm_qos.decide(&snapshot, NULL, &proposal), 0);
		assert_int_equal(proposal.sms[0], cases[i].sms);
		assert_int_equal(proposal.sms[1], 80 - cases[i].sms);
	}
}

static void hsm_qos_never_aims_above_one(void **state)
{
	struct simgpu_snapshot snapshot;

	snapshot_init(&snapshot, 80, 500000);
	qos(predicted(&snapshot, 0, 40, 500000), 990000);
	predicted(&snapshot, 1, 40, 500000);
	expect_sms(&policy_hsm_qos, &snapshot, 79, 1, 0);
}

/* SMs are taken where they are worth least and given where they are worth most. */
static void hsm_qos_spends_for_throughput(void **state)
{
	struct simgpu_snapshot snapshot;

	snapshot_init(&snapshot, 80, 500000);
	qos(predicted(&snapshot, 0, 40, 500000), 800000);
	predicted(&snapshot, 1, 30, 600000);
	predicted(&snapshot, 2, 10, 100000);
	/* 28 more: nine of the third, whose gradient is half, then 19. */
	expect_sms(&policy_hsm_qos, &snapshot, 68, 11, 1);
	snapshot.tenants[0].np_ppm = 1000000;
	/* Six back: to the second, up to an NP of 1 at 50 SMs. */
	expect_sms(&policy_hsm_qos, &snapshot, 34, 36, 10);
	snapshot.tenants[1].np_ppm = 960000;
	/* It could use 32; the rest is the third's. */
	expect_sms(&policy_hsm_qos, &snapshot, 34, 32, 14);
	/* Thread blocks bound what is useful. */
	snapshot.tenants[2].blocks = 12;
	snapshot.tenants[1].blocks = 31;
	expect_sms(&policy_hsm_qos, &snapshot, 34, 34, 12);
}

/* 79 SMs, of which ten thread blocks are left: the next kernel begins with 79, too. */
static void hsm_qos_leaves_tails_alone(void **state)
{
	struct simgpu_snapshot snapshot;

	snapshot_init(&snapshot, 80, 500000);
	qos(predicted(&snapshot, 0, 79, 700000), 800000)->blocks = 500;
	predicted(&snapshot, 1, 1, 300000);
	snapshot.tenants[0].blocks_left = 10;
	expect_sms(&policy_hsm_qos, &snapshot, 79, 1, 0);
	/* Nor does it give back what a fast tail does not need. */
	snapshot.tenants[0].np_ppm = SIMGPU_PPM;
	expect_sms(&policy_hsm_qos, &snapshot, 79, 1, 0);
	snapshot.tenants[0].blocks_left = 79;
	expect_sms(&policy_hsm_qos, &snapshot, 68, 12, 0);
}

/* Who would need more than there is, or than it has thread blocks, counts with those. */
static void hsm_qos_asks_for_no_more_than_there_is(void **state)
{
	struct simgpu_snapshot snapshot;

	snapshot_init(&snapshot, 80, 500000);
	/* 40 * 0.85 / 0.1 are 340 SMs; the other one keeps 40: 80 to 40. */
	qos(predicted(&snapshot, 0, 40, 100000), 800000);
	qos(predicted(&snapshot, 1, 40, 850000), 800000);
	expect_sms(&policy_hsm_qos, &snapshot, 53, 27, 0);
	snapshot.tenants[0].blocks = 50;
	expect_sms(&policy_hsm_qos, &snapshot, 44, 36, 0);
	snapshot.tenants[0].blocks = 40;
	expect_sms(&policy_hsm_qos, &snapshot, 40, 40, 0);
}

/* What it held in part of the epoch only is what counts, but for where it stays. */
static void hsm_qos_goes_by_what_was_held(void **state)
{
	static const struct {
		u64 np_ppm;
		u32 sms;
	} cases[] = {
		/* Of its 40 it held 20: at the goal and the margin it stays. */
		{ 850000, 40 }, { 900000, 40 }, { 849000, 21 }, { 900001, 19 },
		{ 425000, 40 }, { 424000, 41 },
	};
	u32 i;

	for (i = 0; i < ARRAY_SIZE(cases); i++) {
		struct simgpu_snapshot snapshot;
		struct simgpu_snapshot_tenant *tenant;

		snapshot_init(&snapshot, 80, 500000);
		tenant = qos(predicted(&snapshot, 0, 40, cases[i].np_ppm),
			     800000);
		tenant->counters.sm_cycles /= 2;
		predicted(&snapshot, 1, 40, 300000);
		expect_sms(&policy_hsm_qos, &snapshot, cases[i].sms,
			   80 - cases[i].sms, 0);
	}
}

static void hsm_qos_shares_a_shortage(void **state)
{
	struct simgpu_snapshot snapshot;

	snapshot_init(&snapshot, 80, 500000);
	qos(predicted(&snapshot, 0, 30, 300000), 750000);
	qos(predicted(&snapshot, 1, 30, 300000), 350000);
	predicted(&snapshot, 2, 20, 500000);
	/* They want 80 and 40. */
	expect_sms(&policy_hsm_qos, &snapshot, 53, 26, 1);
}

/* Whatever the snapshot, the answer can be done, and nothing lies idle. */
static void hsm_qos_is_always_sound(void **state)
{
	struct simgpu_snapshot *snapshot = malloc(sizeof(*snapshot));
	struct simgpu_proposal proposal;
	u32 round, slot, sum, best_effort;

	for (round = 0; round < ROUNDS; round++) {
		u32 count = 1 + random_up_to(15);

		snapshot_init(snapshot, count + random_up_to(128 - count),
			      500000);
		best_effort = 0;
		for (slot = 0; slot < count; slot++) {
			struct simgpu_snapshot_tenant *tenant =
				predicted(snapshot, slot,
					  snapshot->sms / count,
					  random_up_to(SIMGPU_PPM) >>
					  random_up_to(20));

			tenant->blocks_left = 1 + random_up_to(100);
			if (random_up_to(2) == 0)
				qos(tenant, 1 + random_up_to(SIMGPU_PPM - 1));
			else
				best_effort++;
			if (random_up_to(9) == 0)
				tenant->class = SIMGPU_CLASS_UNKNOWN;
		}
		propose(&policy_hsm_qos, snapshot, &proposal);
		for (sum = 0, slot = 0; slot < SIMGPU_SLOTS_MAX; slot++) {
			assert_int_equal(!proposal.sms[slot], slot >= count);
			sum += proposal.sms[slot];
		}
		assert_true(sum <= snapshot->sms);
		if (best_effort)
			assert_int_equal(sum, snapshot->sms);
	}
	free(snapshot);
}

/* --- bw-app --- */

static void bw_app_prefers_the_modest(void **state)
{
	static const u64 busy[] = { 500, 100, 900, 100, 50, 0 };
	/* Of equal ones the lower slot goes first; there are four levels. */
	static const u8 expected[] = { 1, 3, 0, 2, 3, 3 };
	struct simgpu_snapshot snapshot;
	struct simgpu_proposal proposal;
	u32 slot;

	snapshot_init(&snapshot, 80, 500000);
	for (slot = 0; slot < 6; slot++)
		activate(&snapshot, slot, 13)->counters.bus_busy_clocks =
			busy[slot];
	snapshot.tenants[9].counters.bus_busy_clocks = 10000;
	propose(&policy_bw_app, &snapshot, &proposal);
	assert_int_equal(proposal.flags, SIMGPU_SAYS_MEMORY_PRIORITY);
	assert_memory_equal(proposal.memory_priority, expected, 6);
	assert_int_equal(proposal.memory_priority[9], 0);
	assert_int_equal(proposal.sms[0], 14);
	assert_int_equal(proposal.sms[5], 13);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(fractions_round_to_nearest),
		cmocka_unit_test(proportional_keeps_its_share),
		cmocka_unit_test(proportional_splits_by_weight),
		cmocka_unit_test(hsm_qos_is_the_papers_at_first),
		cmocka_unit_test(hsm_qos_reaches_the_target),
		cmocka_unit_test(hsm_qos_never_aims_above_one),
		cmocka_unit_test(hsm_qos_spends_for_throughput),
		cmocka_unit_test(hsm_qos_leaves_tails_alone),
		cmocka_unit_test(hsm_qos_asks_for_no_more_than_there_is),
		cmocka_unit_test(hsm_qos_goes_by_what_was_held),
		cmocka_unit_test(hsm_qos_shares_a_shortage),
		cmocka_unit_test_setup(hsm_qos_is_always_sound, restart_random),
		cmocka_unit_test(bw_app_prefers_the_modest),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests_name("qos", tests, NULL, NULL);
}
