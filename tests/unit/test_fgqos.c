// SPDX-License-Identifier: GPL-2.0
/*
 * Fine-grained QoS: the schemes of quotas on Figure 4's example, the artificial goal of
 * 3.5, static resources of 3.6, and the spatial rival. In sessions: test_goals.c.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <unistd.h>
#include <cmocka.h>

#include "../../kmod/policy/common/blocks.h"
#include "../../kmod/session/journal.h"
#include "looking.h"
#include "snapshots.h"

#define LENGTH	10000ULL

/* --- the schemes on Figure 4's example -------------------------------------------------- */

/* One SM, one scheduler: warp instructions of 32 are issued one by one. */
static struct bench *figure_4(void)
{
	struct bench *bench = malloc(sizeof(*bench));

	memset(&seen, 0, sizeof(seen));
	bench_options(bench, 0);
	bench->options.config.sms = 1;
	bench->options.config.schedulers_per_sm = 1;
	bench->options.policy = &looking;
	bench->options.kernel_end = SESSION_KERNEL_END_CARRY;
	session_default_params(&bench->options);
	bench_start(bench);
	return bench;
}

/* A device of one SM with a QoS tenant whose quota is @quota, and another one. */
static void figure_4_snapshot(struct simgpu_snapshot *snapshot,
			      const struct simgpu_policy *policy, u64 quota)
{
	u32 slot;

	snapshot_init(snapshot, 1, EPOCH);
	snapshot->issue_lanes = 32;
	snapshot->sm_threads = 2048;
	snapshot->sm_blocks = 32;
	snapshot->sm_registers = 65536;
	snapshot->sm_shared_bytes = 98304;
	snapshot->tenants_active = 2;
	set_params(snapshot, policy);
	for (slot = 0; slot < 2; slot++) {
		struct simgpu_snapshot_tenant *tenant =
			activate(snapshot, slot, 0);

		tenant->queue[0].head.threads = 256;
		tenant->queue[0].head.registers = 16;
		tenant->queue[0].head.blocks_per_sm = 8;
		tenant->blocks_left = 1000;
	}
	snapshot->tenants[0].service = SIMGPU_QOS;
	/* One more is added for what is lost when it is divided. */
	snapshot->tenants[0].goal_ipc_ppm = (quota - 1) * SIMGPU_PPM / LENGTH;
}

/* What a scheme says of both, with the paper's numbers: 100 and 50. */
static void say_figure_4(const struct simgpu_policy *policy, u64 quota)
{
	struct simgpu_snapshot *snapshot = calloc(1, sizeof(*snapshot));
	struct simgpu_proposal *said = calloc(1, sizeof(*said));
	void *memory = calloc(1, policy->state_bytes);

	figure_4_snapshot(snapshot, policy, quota);
	assert_int_equal(policy->decide(snapshot, memory, said), 0);
	assert_true(said->flags & SIMGPU_SAYS_QUOTAS);
	assert_true(said->flags & SIMGPU_SAYS_OWNERS);
	assert_int_equal(said->quota[1] ? said->quota[1] : said->refill[1],
			 LENGTH + 1);
	seen.say = *said;
	seen.say.wake_cycle = 0;
	seen.say.quota[1] = said->quota[1] ? 50 : 0;
	seen.say.refill[1] = 50;
	seen.says = true;
	free(memory);
	free(said);
	free(snapshot);
}

static s64 left_of(struct bench *bench, u32 slot)
{
	return gpu_sm_quota_left(session_gpu(bench->session), 0, slot);
}

/* Thread instructions that have been charged: those that have completed. */
static s64 charged_by(struct bench *bench, u32 slot)
{
	struct gpu_sm_tenant now;

	gpu_sm_tenant(session_gpu(bench->session), 0, slot, &now);
	return (s64)(now.thread_instructions -
		     gpu_sm_under_way(session_gpu(bench->session), 0, slot));
}

static struct bench *run_figure_4(const struct simgpu_policy *policy, u64 quota,
				  const struct trace *first, u64 cycles)
{
	struct bench *bench = figure_4();

	say_figure_4(policy, quota);
	join(bench, 0);
	join(bench, 1);
	launch(bench, 0, first, 1, 0);
	launch(bench, 1, computing, 1, 0);
	session_run(bench->session, cycles);
	return bench;
}

/* 4a: once both are out, the other one's quota is added again, and again. */
static void naive_refills_the_others(void **state)
{
	struct bench *bench = run_figure_4(&policy_quota_naive, 100,
					   computing, 2000);
	u64 issued;

	/* Four warp instructions: 100 - 128. */
	assert_int_equal(issued_by(bench, 0), 128);
	assert_int_equal(left_of(bench, 0), -28);
	issued = issued_by(bench, 1);
	assert_true(issued > 1000 * 32);
	assert_in_range(left_of(bench, 1) + 32, 1, 32 + 50);
	/* 50 n - charged: no other amount was ever added. */
	assert_int_equal((left_of(bench, 1) + charged_by(bench, 1)) % 50, 0);
	/* The next epoch: both as at first, what was left is gone. */
	session_run(bench->session, EPOCH - 2000 + 1000);
	assert_int_equal(issued_by(bench, 0), 256);
	assert_int_equal(left_of(bench, 0), -28);
	bench_free(bench);
}

/* 4b: once both are out, both quotas are added to what the counters are. */
static void elastic_refills_all(void **state)
{
	struct bench *bench = run_figure_4(&policy_quota_elastic, 100,
					   computing, 9000);
	u64 qos = issued_by(bench, 0), other = issued_by(bench, 1);

	assert_true(qos > 1000 * 32);
	assert_in_range(qos * 100 / other, 195, 205);
	assert_int_equal((left_of(bench, 0) + charged_by(bench, 0)) % 100, 0);
	assert_int_equal((left_of(bench, 1) + charged_by(bench, 1)) % 50, 0);
	bench_free(bench);
}

/* 4c: what a QoS kernel has not used is added to its next quota; not the other's. */
static void rollover_keeps_what_is_left(void **state)
{
	const s64 quota = 300000;
	struct bench *bench = run_figure_4(&policy_quota_rollover, (u64)quota,
					   random_reads, 5000);
	s64 issued;

	session_run(bench->session, EPOCH - 5000 + 500);
	issued = (s64)issued_by(bench, 0);
	assert_in_range(issued, 1, quota - 1);
	assert_int_equal(left_of(bench, 0), 2 * quota - charged_by(bench, 0));
	assert_true(left_of(bench, 1) <= 50);
	bench_free(bench);
	/* Naive discards it. */
	bench = run_figure_4(&policy_quota_naive, (u64)quota, random_reads,
			     5000);
	session_run(bench->session, EPOCH - 5000 + 500);
	assert_true(left_of(bench, 0) <= quota);
	bench_free(bench);
}

/* 3.4.1 and 3.4.4 at first; by parameters, as issued and with debts. */
static void charging_is_the_papers_at_first(void **state)
{
	static const struct simgpu_policy *const policies[] = {
		&policy_quota_naive, &policy_quota_history, &policy_quota_elastic,
		&policy_quota_rollover, &policy_quota_rollover_time,
	};
	const u32 whole = SIMGPU_QUOTA_BY_BLOCKS, late = SIMGPU_QUOTA_AT_COMPLETION;
	struct simgpu_snapshot *snapshot = calloc(1, sizeof(*snapshot));
	struct simgpu_proposal *said = calloc(1, sizeof(*said));
	u32 i, ours;

	for (i = 0; i < 2 * ARRAY_SIZE(policies); i++) {
		const struct simgpu_policy *policy = policies[i / 2];
		void *memory = calloc(1, policy->state_bytes);
		u32 rolls = 0;

		ours = i % 2;
		memset(snapshot, 0, sizeof(*snapshot));
		memset(said, 0, sizeof(*said));
		figure_4_snapshot(snapshot, policy, 100);
		if (ours) {
			set_param(snapshot, policy, "at_issue", 1);
			set_param(snapshot, policy, "debts", 1);
		}
		assert_int_equal(policy->decide(snapshot, memory, said), 0);
		if (policies[i / 2] == &policy_quota_rollover ||
		    policies[i / 2] == &policy_quota_rollover_time)
			rolls = SIMGPU_QUOTA_KEEP | (ours ? 0 : SIMGPU_QUOTA_UNUSED);
		assert_int_equal(said->quota_flags[0], whole | rolls | (ours ? 0 : late));
		assert_int_equal(said->quota_flags[1], whole | (ours ? 0 : late));
		free(memory);
	}
	free(said);
	free(snapshot);
}

/* 3.4.4: only what is unused rolls over; what was issued beyond a quota is forgiven. */
static void rollover_forgives_debts(void **state)
{
	const s64 quota = 20000;
	struct bench *bench = run_figure_4(&policy_quota_rollover, (u64)quota,
					   random_reads, EPOCH - 100);
	s64 debt = left_of(bench, 0), charged = charged_by(bench, 0);

	/* More than a warp instruction: loads were under way. */
	assert_in_range(-debt, 100, GPU_UNDER_WAY_MOST * 64);
	session_run(bench->session, 600);
	assert_int_equal(left_of(bench, 0),
			 quota - (charged_by(bench, 0) - charged));
	seen.say.quota_flags[0] &= ~SIMGPU_QUOTA_UNUSED;
	session_run(bench->session, EPOCH - 600);
	debt = left_of(bench, 0);
	charged = charged_by(bench, 0);
	session_run(bench->session, 600);
	assert_true(debt < -32);
	assert_int_equal(left_of(bench, 0),
			 quota + debt - (charged_by(bench, 0) - charged));
	bench_free(bench);
}

/* 4.5: the others issue nothing while a QoS kernel has quota left. */
static void time_blocks_the_others(void **state)
{
	struct bench *bench = run_figure_4(&policy_quota_rollover_time, 64001,
					   computing, 100);

	while (left_of(bench, 0) > 64) {
		assert_int_equal(issued_by(bench, 1), 0);
		session_run(bench->session, 50);
	}
	session_run(bench->session, 1000);
	assert_true(issued_by(bench, 1) > 0);
	bench_free(bench);
}

/* --- history and the artificial goal ----------------------------------------------------- */

struct epochs {
	struct simgpu_snapshot *snapshot;
	struct simgpu_proposal *said;
	void *memory;
	const struct simgpu_policy *policy;
};

static struct epochs epochs_begin(const struct simgpu_policy *policy, u32 qos)
{
	struct epochs it = {
		.snapshot = calloc(1, sizeof(struct simgpu_snapshot)),
		.said = calloc(1, sizeof(struct simgpu_proposal)),
		.memory = calloc(1, policy->state_bytes),
		.policy = policy,
	};
	u32 slot;

	figure_4_snapshot(it.snapshot, policy, 101);
	it.snapshot->issue_lanes = 4096;
	for (slot = 1; slot < qos; slot++) {
		it.snapshot->tenants[slot] = it.snapshot->tenants[0];
		it.snapshot->tenants[slot + 1] = it.snapshot->tenants[2];
	}
	it.snapshot->tenants[qos] = it.snapshot->tenants[0];
	it.snapshot->tenants[qos].service = SIMGPU_BEST_EFFORT;
	it.snapshot->tenants[qos].goal_ipc_ppm = 0;
	for (slot = 0; slot < qos; slot++)
		it.snapshot->tenants[slot].goal_ipc_ppm = 100 * SIMGPU_PPM;
	it.snapshot->tenants_active = qos + 1;
	assert_int_equal(policy->decide(it.snapshot, it.memory, it.said), 0);
	return it;
}

/* Each has issued so many instructions a cycle in an epoch that ends now. */
static void epochs_next(struct epochs *it, const u64 *ipc, u32 count)
{
	u32 slot;

	for (slot = 0; slot < count; slot++) {
		struct simgpu_snapshot_tenant *tenant =
			&it->snapshot->tenants[slot];

		tenant->total.thread_instructions += ipc[slot] * LENGTH;
		tenant->goal_cycles += LENGTH;
		tenant->goal_instructions += ipc[slot] * LENGTH;
		tenant->goal_promised += tenant->goal_ipc_ppm * LENGTH /
					 SIMGPU_PPM;
	}
	it->snapshot->cycle += LENGTH;
	memset(it->said, 0, sizeof(*it->said));
	assert_int_equal(it->policy->decide(it->snapshot, it->memory, it->said),
			 0);
	assert_int_equal(it->said->wake_cycle, it->snapshot->cycle + LENGTH);
}

static void epochs_end(struct epochs *it)
{
	free(it->snapshot);
	free(it->said);
	free(it->memory);
}

static void assert_quota(const struct epochs *it, u32 slot, double ipc)
{
	double quota = (double)it->said->quota[slot] / LENGTH;

	assert_true(quota > ipc - 0.01 && quota < ipc + 0.01);
}

/* Who comes when nobody has work finds a new epoch, not what is left of the last one. */
static void epochs_begin_anew_after_a_rest(void **state)
{
	struct epochs it = epochs_begin(&policy_quota_history, 1);
	u32 slot;

	it.snapshot->cycle += LENGTH / 2;
	for (slot = 0; slot < 2; slot++)
		it.snapshot->tenants[slot].active = 0;
	assert_int_equal(it.policy->decide(it.snapshot, it.memory, it.said), 0);
	it.snapshot->cycle += 10;
	for (slot = 0; slot < 2; slot++)
		it.snapshot->tenants[slot].active = 1;
	memset(it.said, 0, sizeof(*it.said));
	assert_int_equal(it.policy->decide(it.snapshot, it.memory, it.said), 0);
	assert_int_equal(it.said->wake_cycle, it.snapshot->cycle + LENGTH);
	assert_quota(&it, 0, 100);
	epochs_end(&it);
}

/* 3.4.2: alpha = max(goal / history, 1), over all epochs. */
static void history_makes_up(void **state)
{
	struct epochs it = epochs_begin(&policy_quota_history, 1);

	epochs_next(&it, (u64[]) { 80, 10 }, 2);
	assert_quota(&it, 0, 125);
	epochs_next(&it, (u64[]) { 120, 10 }, 2);
	assert_quota(&it, 0, 100);
	epochs_next(&it, (u64[]) { 130, 10 }, 2);
	assert_quota(&it, 0, 100);
	epochs_end(&it);
	it = epochs_begin(&policy_quota_naive, 1);
	epochs_next(&it, (u64[]) { 80, 10 }, 2);
	assert_quota(&it, 0, 100);
	epochs_end(&it);
}

/* 3.5, with one and two QoS tenants; never below 1, and not stuck there. */
static void artificial_goals_are_the_product(void **state)
{
	struct epochs it = epochs_begin(&policy_quota_history, 1);

	assert_quota(&it, 1, 1);
	epochs_next(&it, (u64[]) { 100, 40 }, 2);
	assert_quota(&it, 1, 40);
	/* 50 of an asked 133: history is 75. */
	epochs_next(&it, (u64[]) { 50, 40 }, 2);
	assert_quota(&it, 1, 40 * 50 / (100 * 100 / 75.0));
	/* A stalled one: nothing for the others but the floor; then again more. */
	epochs_next(&it, (u64[]) { 0, 15 }, 2);
	assert_quota(&it, 1, 1);
	epochs_next(&it, (u64[]) { 400, 15 }, 2);
	assert_true(it.said->quota[1] > 15 * (s64)LENGTH);
	epochs_end(&it);
	it = epochs_begin(&policy_quota_naive, 2);
	epochs_next(&it, (u64[]) { 80, 50, 40 }, 3);
	assert_quota(&it, 2, 40 * 0.8 * 0.5);
	epochs_end(&it);
}

/* --- static resources ------------------------------------------------------------------- */

static void add_kernel(struct simgpu_snapshot *snapshot, u32 slot, bool qos,
		       u32 threads, u32 shared_bytes)
{
	struct simgpu_snapshot_tenant *tenant = activate(snapshot, slot, 0);

	tenant->queue[0].head.threads = threads;
	tenant->queue[0].head.registers = 16;
	tenant->queue[0].head.shared_bytes = shared_bytes;
	tenant->queue[0].head.blocks_per_sm = 2048 / threads;
	tenant->blocks_left = 100000;
	tenant->service = qos ? SIMGPU_QOS : SIMGPU_BEST_EFFORT;
	tenant->goal_ipc_ppm = qos ? SIMGPU_PPM : 0;
	snapshot->tenants_active++;
}

static struct simgpu_snapshot *sixteen_sms(void)
{
	struct simgpu_snapshot *snapshot = calloc(1, sizeof(*snapshot));

	snapshot_init(snapshot, 16, EPOCH);
	snapshot->sm_threads = 2048;
	snapshot->sm_blocks = 32;
	snapshot->sm_registers = 65536;
	snapshot->sm_shared_bytes = 98304;
	return snapshot;
}

/* The paper's example: a QoS kernel on 16 SMs, two others on 8 each. */
static void others_share_the_sms(void **state)
{
	struct simgpu_snapshot *snapshot = sixteen_sms();
	struct blocks *blocks = calloc(1, sizeof(*blocks));
	u32 sm;

	add_kernel(snapshot, 0, true, 256, 0);
	add_kernel(snapshot, 1, false, 128, 0);
	add_kernel(snapshot, 2, false, 512, 0);
	assert_true(blocks_changed(snapshot, blocks));
	assert_false(blocks_changed(snapshot, blocks));
	blocks_split(snapshot, blocks);
	for (sm = 0; sm < 16; sm++) {
		assert_int_equal(blocks->sharers[sm], sm < 8 ? 3 : 5);
		assert_int_equal(blocks->limit[sm][0], 4);
		assert_int_equal(blocks->limit[sm][1], sm < 8 ? 8 :
				 SIMGPU_ANY_BLOCKS);
		assert_int_equal(blocks->limit[sm][2], sm < 8 ?
				 SIMGPU_ANY_BLOCKS : 2);
	}
	free(blocks);
	free(snapshot);
}

/* 2048 / 3 threads are fewer than HISTO's blocks have: one each, and less for others. */
static void large_blocks_get_one(void **state)
{
	struct simgpu_snapshot *snapshot = sixteen_sms();
	struct blocks *blocks = calloc(1, sizeof(*blocks));

	add_kernel(snapshot, 0, true, 768, 0);
	add_kernel(snapshot, 1, true, 1024, 0);
	add_kernel(snapshot, 2, false, 128, 0);
	blocks_changed(snapshot, blocks);
	blocks_split(snapshot, blocks);
	assert_int_equal(blocks->limit[5][0], 1);
	assert_int_equal(blocks->limit[5][1], 1);
	assert_int_equal(blocks->limit[5][2], 2);
	/* Two that need all shared memory: the one without a goal waits. */
	snapshot->tenants[0].queue[0].head.shared_bytes = 98304;
	snapshot->tenants[2].queue[0].head.shared_bytes = 98304;
	assert_true(blocks_changed(snapshot, blocks));
	blocks_split(snapshot, blocks);
	assert_int_equal(blocks->limit[5][0], 1);
	assert_int_equal(blocks->limit[5][1], 1);
	assert_int_equal(blocks->limit[5][2], 1);
	free(blocks);
	free(snapshot);
}

/* Rows of one SM: slots, their thread blocks, and idle warps in a sample. */
static void set_row(struct simgpu_snapshot *snapshot,
		    const struct blocks *blocks, u32 slot, u32 idle_blocks)
{
	struct simgpu_snapshot_shared *row = &snapshot->shared[slot];

	*row = (struct simgpu_snapshot_shared) {
		.slot = slot,
		.blocks = blocks->limit[0][slot],
		.block_limit = blocks->limit[0][slot],
		.idle_warp_samples = row->idle_warp_samples + 100,
		.idle_warps = row->idle_warps + 100 * idle_blocks *
			      blocks->kernels[slot].threads / 32,
	};
	if (snapshot->shared_rows <= slot)
		snapshot->shared_rows = slot + 1;
}

/* Three QoS tenants and one without on an SM of full registers. */
static void victims_are_chosen_by_three_rules(void **state)
{
	static const struct {
		bool with_best_effort;
		u32 idle[3];		/* of slots 1 to 3 */
		u64 history[3];		/* of slots 1 and 2, in parts of the goal */
		u32 victim;		/* 0: nobody */
	} cases[] = {
		{ true, { 9, 0, 0 }, { 9, 9 }, 3 },
		{ false, { 0, 2, 0 }, { 1, 1 }, 2 },
		{ false, { 1, 1, 0 }, { 1, 1 }, 0 },
		{ false, { 1, 1, 0 }, { 9, 1 }, 1 },
		{ false, { 0, 3, 0 }, { 9, 1 }, 2 },
	};
	u32 i, slot;

	for (i = 0; i < ARRAY_SIZE(cases); i++) {
		struct simgpu_snapshot *snapshot = sixteen_sms();
		struct blocks *blocks = calloc(1, sizeof(*blocks));
		u32 before[4], count = cases[i].with_best_effort ? 4 : 3;

		snapshot->sms = 1;
		for (slot = 0; slot < count; slot++)
			add_kernel(snapshot, slot, slot < 3, 128, 0);
		blocks_changed(snapshot, blocks);
		blocks_split(snapshot, blocks);
		while (blocks->limit[0][0] * count < 16)
			blocks->limit[0][0]++;
		/* Slot 0 lags; the table says how the others do. */
		snapshot->tenants[0].goal_promised = 1000;
		snapshot->tenants[0].goal_instructions = 900;
		for (slot = 1; slot < 3; slot++) {
			snapshot->tenants[slot].goal_promised = 1000;
			snapshot->tenants[slot].goal_instructions =
				1000 * cases[i].history[slot - 1];
		}
		for (slot = 0; slot < count; slot++)
			set_row(snapshot, blocks, slot, 0);
		blocks_sample(snapshot, blocks);
		blocks_adjust(snapshot, blocks, false);
		/* Nothing is known of the first epoch. */
		assert_int_equal(blocks->swaps, 0);
		for (slot = 0; slot < count; slot++)
			set_row(snapshot, blocks, slot, slot ?
				cases[i].idle[slot - 1] : 0);
		blocks_sample(snapshot, blocks);
		/* Room that is there is used before anybody gives way. */
		while (!blocks->swaps) {
			for (slot = 0; slot < 4; slot++)
				before[slot] = blocks->limit[0][slot];
			blocks_adjust(snapshot, blocks, false);
			if (before[0] == blocks->limit[0][0])
				break;
		}
		assert_int_equal(blocks->swaps, !!cases[i].victim);
		for (slot = 1; slot < count; slot++)
			assert_int_equal(blocks->limit[0][slot],
					 before[slot] -
					 (slot == cases[i].victim));
		/* While one leaves, nobody else has to. */
		snapshot->shared[1].block_limit = 0;
		before[0] = blocks->limit[0][0];
		blocks_adjust(snapshot, blocks, false);
		assert_int_equal(blocks->limit[0][0], before[0]);
		free(blocks);
		free(snapshot);
	}
}

/* --- the spatial rival ------------------------------------------------------------------- */

static void spart_climbs(void **state)
{
	struct simgpu_snapshot *snapshot = sixteen_sms();
	struct simgpu_proposal *said = calloc(1, sizeof(*said));
	void *memory = calloc(1, policy_spart.state_bytes);
	struct simgpu_snapshot_tenant *qos;

	set_params(snapshot, &policy_spart);
	set_param(snapshot, &policy_spart, "history", 0);
	add_kernel(snapshot, 0, true, 256, 0);
	add_kernel(snapshot, 1, false, 256, 0);
	qos = &snapshot->tenants[0];
	qos->goal_ipc_ppm = 120 * SIMGPU_PPM;
	policy_spart.decide(snapshot, memory, said);
	assert_int_equal(said->sms[0], 8);
	/* 80 with 8: a line says 12 and a little. */
	qos->sms = 8;
	qos->total.thread_instructions = 80 * 20000;
	snapshot->cycle = 20000;
	policy_spart.decide(snapshot, memory, said);
	assert_int_equal(said->sms[0], 13);
	assert_int_equal(said->sms[1], 3);
	/* 135 with 13 is 124 with 12: one is given back. */
	qos->sms = 13;
	qos->total.thread_instructions += 135 * 20000;
	snapshot->cycle = 40000;
	policy_spart.decide(snapshot, memory, said);
	assert_int_equal(said->sms[0], 12);
	assert_int_equal(said->sms[1], 4);
	/* As many as there are, but for one for the other. */
	qos->sms = 12;
	qos->total.thread_instructions += 10 * 20000;
	snapshot->cycle = 60000;
	policy_spart.decide(snapshot, memory, said);
	assert_int_equal(said->sms[0], 15);
	assert_int_equal(said->sms[1], 1);
	/* Who has none, and is to reach something, gets one. */
	qos->sms = 0;
	snapshot->cycle = 80000;
	policy_spart.decide(snapshot, memory, said);
	assert_int_equal(said->sms[0], 1);
	assert_int_equal(said->sms[1], 15);
	free(memory);
	free(said);
	free(snapshot);
}

/* Somebody leaves, and another one has work in the same slot at once: policies cope. */
static void slots_may_change_hands_at_once(void **state)
{
	const struct simgpu_policy *policy;
	u32 i;

	for (i = 0; (policy = registry_policy_at(i)); i++) {
		struct bench *bench = bench_prepared(policy, 0);

		bench_start(bench);
		join(bench, 0);
		join(bench, 1);
		launch(bench, 0, computing, 1, 0);
		launch(bench, 1, computing, 1, 0);
		session_run(bench->session, 3000);
		session_leave(bench->session, 0);
		join(bench, 0);
		launch(bench, 0, computing, 1, 0);
		session_run(bench->session, 3000);
		if (session_last_refusal(bench->session)->kind != SESSION_REFUSED_NOTHING)
			fail_msg("%s: %s", policy->name,
				 session_last_refusal(bench->session)->reason);
		bench_free(bench);
	}
}

/* An epoch ends while nobody has work: each policy returns, soon. */
static void nobody_has_work(void **state)
{
	struct simgpu_proposal *said = calloc(1, sizeof(*said));
	const struct simgpu_policy *policy;
	u32 i;

	alarm(60);
	for (i = 0; (policy = registry_policy_at(i)); i++) {
		struct simgpu_snapshot *snapshot = sixteen_sms();
		void *memory = calloc(1, policy->state_bytes + 1);

		set_params(snapshot, policy);
		policy->decide(snapshot, memory, said);
		snapshot->cycle += 100000000;
		assert_int_equal(policy->decide(snapshot, memory, said), 0);
		free(memory);
		free(snapshot);
	}
	alarm(0);
	free(said);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(naive_refills_the_others),
		cmocka_unit_test(elastic_refills_all),
		cmocka_unit_test(rollover_keeps_what_is_left),
		cmocka_unit_test(charging_is_the_papers_at_first),
		cmocka_unit_test(rollover_forgives_debts),
		cmocka_unit_test(time_blocks_the_others),
		cmocka_unit_test(epochs_begin_anew_after_a_rest),
		cmocka_unit_test(history_makes_up),
		cmocka_unit_test(artificial_goals_are_the_product),
		cmocka_unit_test(others_share_the_sms),
		cmocka_unit_test(large_blocks_get_one),
		cmocka_unit_test(victims_are_chosen_by_three_rules),
		cmocka_unit_test(spart_climbs),
		cmocka_unit_test(slots_may_change_hands_at_once),
		cmocka_unit_test(nobody_has_work),
	};

	return cmocka_run_group_tests(tests, make_traces, free_traces);
}
