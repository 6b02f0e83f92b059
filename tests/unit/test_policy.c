// SPDX-License-Identifier: GPL-2.0
/*
 * Policies: the moves of hsm-fair, even splits, metrics, and what becomes of proposals
 * that a device cannot do.
 */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <cmocka.h>

#include "../../kmod/policy/common/split.h"
#include "../../kmod/policy/common/tenants.h"
#include "../../kmod/session/session.h"
#include "small.h"
#include "snapshots.h"
#include "traces.h"

#define ROUNDS		200000

/* --- even --- */

static void even_shares_out_all(void **state)
{
	struct simgpu_snapshot *snapshot = malloc(sizeof(*snapshot));
	struct simgpu_proposal proposal;
	u32 sms, round, slot;

	for (sms = 1; sms <= SIMGPU_SMS_MAX; sms++)
		for (round = 0; round < 16; round++) {
			u32 sum = 0, last = U32_MAX, active;

			snapshot_init(snapshot, sms, 500000);
			for (slot = 0; slot < SIMGPU_SLOTS_MAX; slot++)
				if (random_u64() % (round + 1) == 0)
					activate(snapshot, slot, 0);
			active = snapshot->tenants_active;
			memset(&proposal, 0x5a, sizeof(proposal));
			assert_int_equal(policy_even.decide(snapshot, NULL,
							     &proposal), 0);
			assert_int_equal(proposal.flags, 0);
			for (slot = 0; slot < SIMGPU_SLOTS_MAX; slot++) {
				u32 count = proposal.sms[slot];

				if (!snapshot->tenants[slot].active) {
					assert_int_equal(count, 0);
					continue;
				}
				/* Remainders go to the lowest slots. */
				assert_true(count <= last);
				assert_true(count == sms / active ||
					    count == sms / active + 1);
				last = count;
				sum += count;
			}
			assert_int_equal(sum, active ? sms : 0);
		}
	free(snapshot);
}

/* --- hsm-fair --- */

/* The assignment as it stands, which a policy finds in its proposal. */
static void propose(struct simgpu_snapshot *snapshot,
		    struct simgpu_proposal *proposal)
{
	u32 slot;

	set_params(snapshot, &policy_hsm_fair);

	memset(proposal, 0, sizeof(*proposal));
	for (slot = 0; slot < SIMGPU_SLOTS_MAX; slot++)
		proposal->sms[slot] = snapshot->tenants[slot].sms;
	assert_int_equal(policy_hsm_fair.decide(snapshot, NULL, proposal), 0);
}

static void expect_move(u32 sms_a, u64 np_a, u32 sms_b, u64 np_b, u32 to_a,
			u32 to_b)
{
	struct simgpu_snapshot snapshot;
	struct simgpu_proposal proposal;

	snapshot_init(&snapshot, sms_a + sms_b, 500000);
	predicted(&snapshot, 0, sms_a, np_a);
	predicted(&snapshot, 1, sms_b, np_b);
	propose(&snapshot, &proposal);
	assert_int_equal(proposal.sms[0], to_a);
	assert_int_equal(proposal.sms[1], to_b);
}

static void hsm_fair_moves_sms(void **state)
{
	/* x = (0.8 - 0.4) * 40 * 40 / (0.8 * 40 + 0.4 * 40) = 13.3 */
	expect_move(40, 800000, 40, 400000, 27, 53);
	expect_move(40, 400000, 40, 800000, 53, 27);
	/* x = 0.5 * 60 * 20 / (0.9 * 20 + 0.4 * 60) = 14.3 */
	expect_move(60, 900000, 20, 400000, 46, 34);
	/* To the nearest: 0.2 * 1600 / (40 * 1.4) = 5.7 */
	expect_move(40, 800000, 40, 600000, 34, 46);
	/* Of a half the high one keeps the SM: 0.5 * 9 / (3 * 1) = 1.5 */
	expect_move(3, 750000, 3, 250000, 2, 4);
	/* A tenant keeps its last SM. */
	expect_move(40, 1000000, 40, 0, 1, 79);
	expect_move(1, 1000000, 79, 100, 1, 79);
}

static void hsm_fair_lets_fair_ones_be(void **state)
{
	expect_move(40, 500000, 40, 500000, 40, 40);
	expect_move(40, 1000000, 40, 900000, 40, 40);
	expect_move(40, 1000000, 40, 899999, 38, 42);
	expect_move(40, 0, 40, 0, 40, 40);
}

/* What counts is what was held: a move under way is not asked for twice. */
static void hsm_fair_waits_for_moves_under_way(void **state)
{
	struct simgpu_snapshot snapshot;
	struct simgpu_proposal proposal;

	snapshot_init(&snapshot, 80, 500000);
	predicted(&snapshot, 0, 27, 800000)->counters.sm_cycles = 500000 * 40;
	predicted(&snapshot, 1, 53, 400000)->counters.sm_cycles = 500000 * 40;
	propose(&snapshot, &proposal);
	assert_int_equal(proposal.sms[0], 27);
	assert_int_equal(proposal.sms[1], 53);
	/* Held more than both are assigned: a tenant keeps its last SM. */
	snapshot.tenants[0].sms = snapshot.tenants[1].sms = 2;
	propose(&snapshot, &proposal);
	assert_int_equal(proposal.sms[0], 3);
	assert_int_equal(proposal.sms[1], 1);
	/* Who had both of two SMs gives one away. */
	snapshot.tenants[1].sms = 0;
	propose(&snapshot, &proposal);
	assert_int_equal(proposal.sms[0], 1);
	assert_int_equal(proposal.sms[1], 1);
}

static void hsm_fair_works_on_the_extremes(void **state)
{
	struct simgpu_snapshot snapshot;
	struct simgpu_proposal proposal;

	snapshot_init(&snapshot, 80, 500000);
	predicted(&snapshot, 3, 20, 500000);
	predicted(&snapshot, 7, 20, 900000);
	predicted(&snapshot, 8, 20, 300000);
	predicted(&snapshot, 60, 20, 600000);
	propose(&snapshot, &proposal);
	/* x = 0.6 * 400 / (20 * 1.2) = 10 */
	assert_int_equal(proposal.sms[3], 20);
	assert_int_equal(proposal.sms[7], 10);
	assert_int_equal(proposal.sms[8], 30);
	assert_int_equal(proposal.sms[60], 20);
}

static void hsm_fair_passes_over_the_unknown(void **state)
{
	struct simgpu_snapshot snapshot;
	struct simgpu_proposal proposal;

	snapshot_init(&snapshot, 80, 500000);
	predicted(&snapshot, 0, 30, 900000);
	predicted(&snapshot, 1, 30, 100000)->class = SIMGPU_CLASS_UNKNOWN;
	predicted(&snapshot, 2, 20, 800000);
	predicted(&snapshot, 3, 0, 0);
	propose(&snapshot, &proposal);
	/* 0.8 / 0.9 is below the threshold: x = 0.1 * 600 / (18 + 24) = 1.4 */
	assert_int_equal(proposal.sms[0], 29);
	assert_int_equal(proposal.sms[1], 30);
	assert_int_equal(proposal.sms[2], 21);
	assert_int_equal(proposal.sms[3], 0);
}

/* More SMs than thread blocks are useless. */
static void hsm_fair_gives_no_more_than_thread_blocks(void **state)
{
	struct simgpu_snapshot snapshot;
	struct simgpu_proposal proposal;

	snapshot_init(&snapshot, 80, 500000);
	predicted(&snapshot, 0, 40, 800000);
	predicted(&snapshot, 1, 40, 400000)->blocks = 45;
	snapshot.tenants[1].blocks_left = 45;
	propose(&snapshot, &proposal);
	assert_int_equal(proposal.sms[0], 35);
	assert_int_equal(proposal.sms[1], 45);
	/* What is left of a kernel does not count: the next one is as large. */
	snapshot.tenants[1].blocks_left = 41;
	propose(&snapshot, &proposal);
	assert_int_equal(proposal.sms[1], 45);
}

/* Neither the faster nor the slower one: the next kernel begins with what this one had. */
static void hsm_fair_leaves_tails_alone(void **state)
{
	struct simgpu_snapshot snapshot;
	struct simgpu_proposal proposal;
	u32 slot;

	for (slot = 0; slot < 2; slot++) {
		snapshot_init(&snapshot, 80, 500000);
		predicted(&snapshot, 0, 40, 800000);
		predicted(&snapshot, 1, 40, 400000);
		snapshot.tenants[slot].blocks_left = 40;
		propose(&snapshot, &proposal);
		assert_int_equal(proposal.sms[0], 27);
		snapshot.tenants[slot].blocks_left = 39;
		propose(&snapshot, &proposal);
		assert_int_equal(proposal.sms[0], 40);
		assert_int_equal(proposal.sms[1], 40);
	}
	/* A kernel that has no more thread blocks than that is at its start. */
	snapshot.tenants[1].blocks = 39;
	propose(&snapshot, &proposal);
	assert_int_equal(proposal.sms[0], 41);
	/* Others go on without it. */
	snapshot.tenants[1].blocks = 1000;
	predicted(&snapshot, 2, 20, 500000);
	snapshot.tenants[0].sms = 20;
	snapshot.tenants[0].counters.sm_cycles = 20 * 500000;
	propose(&snapshot, &proposal);
	assert_int_equal(proposal.sms[1], 40);
	assert_int_equal(proposal.sms[2], 25);
}

/* On the lines of Figure 9, no other move would bring the two nearer. */
static void hsm_fair_moves_best(void **state)
{
	struct simgpu_snapshot *snapshot = malloc(sizeof(*snapshot));
	struct simgpu_proposal proposal;
	u32 round;

	for (round = 0; round < ROUNDS / 10; round++) {
		u32 a = 1 + random_up_to(78), b = 80 - a;
		u64 np_a = 1 + random_up_to(SIMGPU_PPM - 1);
		u64 np_b = 1 + random_up_to(SIMGPU_PPM - 1);
		double slope_a = (double)np_a / a, slope_b = (double)np_b / b;
		double best, got;
		u32 to_a;

		snapshot_init(snapshot, 80, 500000);
		predicted(snapshot, 0, a, np_a);
		predicted(snapshot, 1, b, np_b);
		propose(snapshot, &proposal);
		assert_int_equal(proposal.sms[0] + proposal.sms[1], 80);
		assert_true(proposal.sms[0] && proposal.sms[1]);
		if (proposal.sms[0] == a)
			continue;
		got = fabs(slope_a * proposal.sms[0] -
			   slope_b * proposal.sms[1]);
		for (best = got, to_a = 1; to_a < 80; to_a++)
			best = fmin(best, fabs(slope_a * to_a -
					       slope_b * (80 - to_a)));
		/* Held SMs count in thousandths. */
		assert_true(got <= best + 0.002 * (slope_a + slope_b));
	}
	free(snapshot);
}

/* --- metrics --- */

static void expect_metrics(const u64 *np_ppm, u32 count, u64 fairness, u64 stp,
			   u64 antt)
{
	struct metrics metrics;

	metrics_compute(np_ppm, count, &metrics);
	assert_int_equal(metrics.fairness_ppm, fairness);
	assert_int_equal(metrics.stp_ppm, stp);
	assert_int_equal(metrics.antt_ppm, antt);
}

static void metrics_are_as_defined(void **state)
{
	const u64 half[] = { 500000, 500000 };
	const u64 mixed[] = { 800000, 400000, 200000 };
	const u64 stuck[] = { 500000, 0 };
	const u64 none[] = { 0, 0 };
	const u64 tiny[] = { 1, 1000000 };

	expect_metrics(half, 2, 1000000, 1000000, 2000000);
	/* 1 / NP: 1.25, 2.5, 5 */
	expect_metrics(mixed, 3, 250000, 1400000, 2916666);
	expect_metrics(mixed, 1, 1000000, 800000, 1250000);
	expect_metrics(stuck, 2, 0, 500000, 0);
	expect_metrics(none, 2, 0, 0, 0);
	expect_metrics(none, 0, 0, 0, 0);
	expect_metrics(tiny, 2, 1, 1000001, 500000500000ULL);
}

/* --- proposals that cannot be done --- */

/** struct trial - a session of three tenants under a policy of the tests */
struct trial {
	struct session *session;
	struct trace *trace;
	u32 epochs;
	u32 fell_back;
	struct session_epoch last;
};

static void note_epoch(void *context, const struct session_epoch *epoch)
{
	struct trial *trial = context;

	trial->epochs++;
	trial->fell_back += epoch->fell_back;
	trial->last = *epoch;
}

/* Tenants are in slots 0 to 2; the small device has 8 SMs. */
static void trial_run(struct trial *trial,
		      int (*decide)(const struct simgpu_snapshot *snapshot,
				    void *state,
				    struct simgpu_proposal *proposal))
{
	struct simgpu_policy policy = { .name = "trial", .decide = decide };
	struct session_options options = {
		.config = small_config(), .seed = 1, .epoch_cycles = 10000,
		.stop_cycle = 35000, .relaunch = true, .gang_size = 3,
		.kernel_end = SESSION_KERNEL_END_CARRY,
		.model = &model_hsm, .policy = &policy,
	};
	struct session_tenant_options tenant = { .name = "t", .weight = 1 };
	struct session_hooks hooks = { .context = trial, .epoch = note_epoch };
	u64 sequence;
	u32 slot;

	session_default_params(&options);
	memset(trial, 0, sizeof(*trial));
	trial->trace = trace_compute(100000, 4, 20);
	assert_int_equal(session_create(&trial->session, &options, &hooks), 0);
	for (slot = 0; slot < 3; slot++)
		assert_int_equal(session_join(trial->session, slot, &tenant),
				 slot);
	for (slot = 0; slot < 3; slot++)
		assert_int_equal(session_launch(trial->session, slot,
						trial->trace, 1, 0, &sequence),
				 0);
	session_run(trial->session, 35000);
	assert_int_equal(session_state(trial->session), SESSION_STOPPED);
	assert_int_equal(trial->epochs, 4);
	session_destroy(trial->session);
	trace_free(trial->trace);
}

static int propose_error(const struct simgpu_snapshot *snapshot, void *state,
			 struct simgpu_proposal *proposal)
{
	proposal->sms[0] = 6;
	proposal->sms[1] = proposal->sms[2] = 1;
	return -EIO;
}

static int propose_too_many(const struct simgpu_snapshot *snapshot, void *state,
			    struct simgpu_proposal *proposal)
{
	proposal->sms[0] = 7;
	proposal->sms[1] = proposal->sms[2] = 1;
	return 0;
}

static int propose_overflow(const struct simgpu_snapshot *snapshot, void *state,
			    struct simgpu_proposal *proposal)
{
	proposal->sms[0] = proposal->sms[1] = 1U << 31;
	proposal->sms[2] = 8;
	return 0;
}

static int propose_starving(const struct simgpu_snapshot *snapshot, void *state,
			    struct simgpu_proposal *proposal)
{
	proposal->sms[0] = 0;
	return 0;
}

static int propose_for_nobody(const struct simgpu_snapshot *snapshot, void *state,
			      struct simgpu_proposal *proposal)
{
	proposal->sms[0] = proposal->sms[1] = proposal->sms[2] = 1;
	proposal->sms[5] = 1;
	return 0;
}

static int propose_unknown_flag(const struct simgpu_snapshot *snapshot, void *state,
				struct simgpu_proposal *proposal)
{
	proposal->flags = 1U << 31;
	return 0;
}

static int propose_strange_priority(const struct simgpu_snapshot *snapshot, void *state,
				    struct simgpu_proposal *proposal)
{
	proposal->flags = SIMGPU_SAYS_MEMORY_PRIORITY;
	proposal->memory_priority[1] = SIMGPU_MEMORY_PRIORITY_MAX + 1;
	return 0;
}

static int propose_strange_owner(const struct simgpu_snapshot *snapshot, void *state,
				 struct simgpu_proposal *proposal)
{
	u32 sm;

	proposal->flags = SIMGPU_SAYS_OWNERS;
	for (sm = 0; sm < snapshot->sms; sm++)
		proposal->owner[sm] = sm % 3;
	proposal->owner[7] = SIMGPU_SLOTS_MAX;
	return 0;
}

static int propose_owner_without_work(const struct simgpu_snapshot *snapshot, void *state,
				      struct simgpu_proposal *proposal)
{
	u32 sm;

	proposal->flags = SIMGPU_SAYS_OWNERS;
	for (sm = 0; sm < snapshot->sms; sm++)
		proposal->owner[sm] = sm % 4;
	return 0;
}

static void impossible_proposals_fall_back(void **state)
{
	int (*const bad[])(const struct simgpu_snapshot *snapshot, void *state,
			   struct simgpu_proposal *proposal) = {
		propose_error, propose_too_many, propose_overflow,
		propose_starving, propose_for_nobody, propose_unknown_flag,
		propose_strange_owner, propose_owner_without_work,
		propose_strange_priority,
	};
	struct trial trial;
	u32 i;

	for (i = 0; i < ARRAY_SIZE(bad); i++) {
		trial_run(&trial, bad[i]);
		/* It is asked once: then even takes its place. */
		assert_int_equal(trial.fell_back, 1);
		assert_false(trial.last.fell_back);
		assert_int_equal(trial.last.tenants[0].sms, 3);
		assert_int_equal(trial.last.tenants[1].sms, 3);
		assert_int_equal(trial.last.tenants[2].sms, 2);
	}
}

static int propose_counts(const struct simgpu_snapshot *snapshot, void *state,
			  struct simgpu_proposal *proposal)
{
	/* It finds the present assignment; one SM stays idle. */
	if (snapshot->epoch == 0 && (proposal->sms[0] != 3 ||
				     proposal->sms[2] != 2))
		return -EIO;
	proposal->sms[0] = 5;
	proposal->sms[1] = proposal->sms[2] = 1;
	return 0;
}

static int propose_owners(const struct simgpu_snapshot *snapshot, void *state,
			  struct simgpu_proposal *proposal)
{
	static const u8 owner[] = { 2, 2, 2, 2, 1, 0, SIMGPU_NO_OWNER, 0 };

	proposal->flags = SIMGPU_SAYS_OWNERS;
	memcpy(proposal->owner, owner, sizeof(owner));
	/* The counts are ignored, even absurd ones. */
	proposal->sms[0] = U32_MAX;
	return 0;
}

static void possible_proposals_are_done(void **state)
{
	struct trial trial;

	trial_run(&trial, propose_counts);
	assert_int_equal(trial.fell_back, 0);
	assert_int_equal(trial.last.tenants[0].sms, 5);
	assert_int_equal(trial.last.tenants[1].sms, 1);
	assert_int_equal(trial.last.tenants[2].sms, 1);
	trial_run(&trial, propose_owners);
	assert_int_equal(trial.fell_back, 0);
	assert_int_equal(trial.last.tenants[0].sms, 2);
	assert_int_equal(trial.last.tenants[1].sms, 1);
	assert_int_equal(trial.last.tenants[2].sms, 4);
}

/* --- sharing --- */

/*
 * On 128 SMs there are rows for 8 tenants on each: those that go first, then those that
 * have SMs already, then the others, each in order.
 */
static void few_share_where_sms_are_many(void **state)
{
	struct simgpu_snapshot *snapshot = malloc(sizeof(*snapshot));
	u32 slot;

	snapshot_init(snapshot, 128, 500000);
	for (slot = 0; slot < 10; slot++)
		activate(snapshot, slot, 0);
	/* Who has both of its own and shared ones has some, too. */
	snapshot->tenants[6].sms = 1;
	snapshot->tenants[6].shared_sms = 1;
	snapshot->tenants[8].shared_sms = 1;
	/* 9 and 63, who has no work; 6 and 8; 0 to 4. */
	assert_int_equal(policy_sharers(snapshot, 1ULL << 9 | 1ULL << 63),
			 1 << 9 | 1 << 6 | 1 << 8 | 0x1f);
	assert_int_equal(policy_sharers(snapshot, 0), 1 << 6 | 1 << 8 | 0x3f);
	assert_int_equal(policy_sharers(snapshot, 0x3ff), 0xff);
	/* Those that go first do so before others that have SMs. */
	for (slot = 0; slot < 7; slot++)
		snapshot->tenants[slot].sms = 1;
	assert_int_equal(policy_sharers(snapshot, 1 << 7 | 1 << 9),
			 1 << 7 | 1 << 9 | 0x3f);
	/* On 102 there are 10, on 103 9. */
	snapshot->sms = 102;
	assert_int_equal(policy_sharers(snapshot, 0), 0x3ff);
	snapshot->sms = 103;
	assert_int_equal(policy_sharers(snapshot, 0), 0x1ff);
	free(snapshot);
}

/* On 128 SMs eight may have all of them; who comes behind them waits, held. */
static void parts_are_as_many_as_rows(void **state)
{
	struct simgpu_snapshot *snapshot = malloc(sizeof(*snapshot));
	struct simgpu_proposal *proposal = calloc(1, sizeof(*proposal));
	u32 slot;

	snapshot_init(snapshot, 128, 500000);
	set_params(snapshot, &policy_mps_share);
	for (slot = 0; slot < 9; slot++) {
		activate(snapshot, slot, 0)->share_ppm = SIMGPU_PPM;
		snapshot->tenants[slot].arrival_cycle = 10 * slot;
	}
	assert_int_equal(policy_mps_share.decide(snapshot, fresh_state(),
						 proposal), 0);
	assert_int_equal(proposal->sharers[0], 0xff);
	assert_int_equal(proposal->sharers[127], 0xff);
	assert_int_equal(proposal->hold, 1 << 8);
	free(proposal);
	free(snapshot);
}

/* Nobody, one, several: nobody's, its own, shared. */
static void sharers_make_owners(void **state)
{
	struct simgpu_snapshot *snapshot = malloc(sizeof(*snapshot));
	struct simgpu_proposal *proposal = calloc(1, sizeof(*proposal));

	snapshot_init(snapshot, 4, 500000);
	memset(proposal->owner, 7, sizeof(proposal->owner));
	proposal->sharers[1] = 1;
	proposal->sharers[2] = 1ULL << 63;
	proposal->sharers[3] = 6;
	proposal->sharers[4] = 6;
	policy_own_or_share(snapshot, proposal);
	assert_int_equal(proposal->owner[0], SIMGPU_NO_OWNER);
	assert_int_equal(proposal->owner[1], 0);
	assert_int_equal(proposal->owner[2], 63);
	assert_int_equal(proposal->owner[3], SIMGPU_SHARED);
	assert_int_equal(proposal->owner[4], 7);
	free(proposal);
	free(snapshot);
}

/* Who had an SM and shares it no more is told. */
static void sharers_of_before_are_told(void **state)
{
	struct simgpu_proposal *proposal = calloc(1, sizeof(*proposal));

	proposal->owner[0] = SIMGPU_NO_OWNER;
	proposal->sharers[0] = 8;
	assert_int_equal(share_sm(0, 3, proposal), 0);
	assert_int_equal(proposal->owner[0], SIMGPU_SHARED);
	assert_int_equal(proposal->sharers[0], 3);
	assert_int_equal(share_sm(0, 6, proposal), 1);
	assert_int_equal(share_sm(0, 0, proposal), 6);
	assert_int_equal(proposal->owner[0], SIMGPU_NO_OWNER);
	proposal->owner[5] = 63;
	assert_true(share_sm(5, 1, proposal) == 1ULL << 63);
	free(proposal);
}

/* The fewest SMs on which a kernel takes no longer than on all, and some slack. */
static void kernels_get_the_sms_that_they_use(void **state)
{
	static const u32 cycles[] = { 4000, 2200, 2100, 2000, 2000 };
	struct simgpu_snapshot *snapshot = malloc(sizeof(*snapshot));
	struct simgpu_snapshot_kernel kernel = { .profile = 1, .blocks = 2 };
	u32 i;

	memset(snapshot, 0, sizeof(*snapshot));
	snapshot_init(snapshot, ARRAY_SIZE(cycles), 500000);
	for (i = 0; i < ARRAY_SIZE(cycles); i++)
		snapshot->profiles[0].point[i].cycles = cycles[i];
	assert_int_equal(kernel_sms(snapshot, &kernel, 0), 4);
	assert_int_equal(kernel_sms(snapshot, &kernel, 49999), 4);
	assert_int_equal(kernel_sms(snapshot, &kernel, 50000), 3);
	assert_int_equal(kernel_sms(snapshot, &kernel, 100000), 2);
	assert_int_equal(kernel_sms(snapshot, &kernel, 999999), 2);
	assert_int_equal(kernel_sms(snapshot, &kernel, 1000000), 1);
	/* Without a profile, as many as it has thread blocks. */
	kernel.profile = 0;
	assert_int_equal(kernel_sms(snapshot, &kernel, 0), 2);
	kernel.blocks = 5;
	assert_int_equal(kernel_sms(snapshot, &kernel, 0), 5);
	kernel.blocks = 6;
	assert_int_equal(kernel_sms(snapshot, &kernel, 0), 5);
	kernel.blocks = 0;
	assert_int_equal(kernel_sms(snapshot, &kernel, 0), 1);
	free(snapshot);
}

/* --- names --- */

static void everything_is_found_by_name(void **state)
{
	const struct simgpu_policy *policy;
	const struct simgpu_model *model;
	u32 i;

	for (i = 0; (policy = registry_policy_at(i)); i++)
		assert_ptr_equal(registry_policy_find(policy->name), policy);
	assert_true(i >= 2);
	for (i = 0; (model = registry_model_at(i)); i++)
		assert_ptr_equal(registry_model_find(model->name), model);
	assert_true(i >= 1);
	assert_null(registry_policy_find("nobody"));
	assert_null(registry_policy_find(""));
	assert_null(registry_model_find("hsm-"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup(even_shares_out_all, restart_random),
		cmocka_unit_test(hsm_fair_moves_sms),
		cmocka_unit_test(hsm_fair_lets_fair_ones_be),
		cmocka_unit_test(hsm_fair_waits_for_moves_under_way),
		cmocka_unit_test(hsm_fair_works_on_the_extremes),
		cmocka_unit_test(hsm_fair_passes_over_the_unknown),
		cmocka_unit_test(hsm_fair_gives_no_more_than_thread_blocks),
		cmocka_unit_test(hsm_fair_leaves_tails_alone),
		cmocka_unit_test_setup(hsm_fair_moves_best, restart_random),
		cmocka_unit_test(metrics_are_as_defined),
		cmocka_unit_test(impossible_proposals_fall_back),
		cmocka_unit_test(possible_proposals_are_done),
		cmocka_unit_test(few_share_where_sms_are_many),
		cmocka_unit_test(parts_are_as_many_as_rows),
		cmocka_unit_test(sharers_make_owners),
		cmocka_unit_test(sharers_of_before_are_told),
		cmocka_unit_test(kernels_get_the_sms_that_they_use),
		cmocka_unit_test(everything_is_found_by_name),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests_name("policy", tests, NULL, NULL);
}
