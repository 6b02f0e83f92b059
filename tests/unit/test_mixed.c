// SPDX-License-Identifier: GPL-2.0
/*
 * Fine-grained QoS beyond the paper: what rolls over and is divided anew, quota-mixed;
 * and all schemes under goals and params at random, and with all of the paper's programs.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <cmocka.h>

#include "../../userspace/offline/offline.h"
#include "../../userspace/offline/run.h"
#include "../../userspace/workloads/benchmarks.h"
#include "looking.h"
#include "snapshots.h"

#define LENGTH		10000ULL
#define GOAL_IPC	100ULL
#define SMS		16U
#define ROUNDS		60

/* struct asked - a policy, what it is shown, and what it has said */
struct asked {
	struct simgpu_snapshot snapshot;
	struct simgpu_proposal said;
	const struct simgpu_policy *policy;
	void *memory;
};

static void ask(struct asked *it)
{
	memset(&it->said, 0, sizeof(it->said));
	assert_int_equal(it->policy->decide(&it->snapshot, it->memory,
					    &it->said), 0);
}

/* A QoS tenant and another one, of equal thread blocks, on 16 shared SMs. */
static struct asked *ask_first(const struct simgpu_policy *policy)
{
	struct asked *it = calloc(1, sizeof(*it));
	struct simgpu_snapshot *snapshot = &it->snapshot;
	u32 slot, sm;

	it->policy = policy;
	it->memory = calloc(1, policy->state_bytes);
	snapshot_init(snapshot, SMS, LENGTH);
	snapshot->issue_lanes = 128;
	snapshot->sm_threads = 2048;
	snapshot->sm_blocks = 32;
	snapshot->sm_registers = 65536;
	snapshot->sm_shared_bytes = 98304;
	set_params(snapshot, policy);
	for (slot = 0; slot < 2; slot++) {
		struct simgpu_snapshot_tenant *tenant =
			activate(snapshot, slot, 0);

		tenant->queue[0].head.threads = 512;
		tenant->queue[0].head.registers = 16;
		tenant->queue[0].head.blocks_per_sm = 4;
	}
	snapshot->tenants[0].service = SIMGPU_QOS;
	snapshot->tenants[0].goal_ipc_ppm = GOAL_IPC * SIMGPU_PPM;
	snapshot->shared_rows = 2 * SMS;
	for (sm = 0; sm < SMS; sm++)
		for (slot = 0; slot < 2; slot++)
			snapshot->shared[2 * sm + slot] =
				(struct simgpu_snapshot_shared) {
					.sm = sm, .slot = slot, .blocks = 2,
					.block_limit = 2,
				};
	ask(it);
	return it;
}

/* An epoch has ended in which each has issued so many instructions a cycle. */
static void ask_next(struct asked *it, u64 qos_ipc, u64 other_ipc)
{
	const u64 ipc[2] = { qos_ipc, other_ipc };
	u32 slot;

	for (slot = 0; slot < 2; slot++) {
		struct simgpu_snapshot_tenant *tenant =
			&it->snapshot.tenants[slot];

		tenant->total.thread_instructions += ipc[slot] * LENGTH;
		tenant->goal_cycles += LENGTH;
		tenant->goal_instructions += ipc[slot] * LENGTH;
		tenant->goal_promised += tenant->goal_ipc_ppm * LENGTH /
					 SIMGPU_PPM;
	}
	it->snapshot.cycle += LENGTH;
	ask(it);
}

static void ask_free(struct asked *it)
{
	free(it->memory);
	free(it);
}

static void assert_ipc(const struct asked *it, u32 slot, double ipc)
{
	double quota = (double)it->said.quota[slot] / LENGTH;

	assert_true(quota > ipc - 0.01 && quota < ipc + 0.01);
}

static u32 shared_with(const struct asked *it, u32 slot)
{
	u32 count = 0, sm;

	for (sm = 0; sm < SMS; sm++)
		count += it->said.sharers[sm] >> slot & 1;
	return count;
}

/* --- what rolls over ------------------------------------------------------------------ */

static void what_rolls_over_is_divided_anew(void **state)
{
	struct asked *it = ask_first(&policy_quota_rollover);
	s64 quota = it->said.quota[0];

	assert_true(it->said.quota_flags[0] & SIMGPU_QUOTA_KEEP);
	ask_free(it);
	it = ask_first(&policy_quota_rollover);
	set_param(&it->snapshot, it->policy, "spread", 1);
	it->snapshot.shared[0].quota_left = 5000;
	it->snapshot.shared[2].quota_left = -30;
	it->snapshot.shared[3].quota_left = 7000;	/* the other's */
	ask_next(it, GOAL_IPC, 10);
	/* What is unused; debts as well only where that is asked for. */
	assert_int_equal(it->said.quota[0], quota + 5000);
	assert_int_equal(it->said.quota_flags[0],
			 SIMGPU_QUOTA_BY_BLOCKS | SIMGPU_QUOTA_AT_COMPLETION);
	assert_false(it->said.quota_flags[1] & SIMGPU_QUOTA_KEEP);
	set_param(&it->snapshot, it->policy, "debts", 1);
	ask_next(it, GOAL_IPC, 10);
	assert_int_equal(it->said.quota[0], quota + 5000 - 30);
	ask_free(it);
}

/* --- quota-mixed ------------------------------------------------------------------------ */

/* Half a percent above the goal; a debt is asked for in whole, up to as much again. */
static void debts_are_asked_for(void **state)
{
	struct asked *it = ask_first(&policy_quota_mixed);

	assert_ipc(it, 0, 100.5);
	ask_next(it, 90, 10);
	assert_ipc(it, 0, 100.5 + 10.5);
	assert_int_equal(it->said.memory_priority[0], 1);
	assert_int_equal(it->said.memory_priority[1], 0);
	/* The others' product: 90 of 111. */
	assert_ipc(it, 1, 10 * 90 / 111.0);
	ask_next(it, 0, 10);
	assert_ipc(it, 0, 100.5 + 100.5);
	/* Ahead: as much less. */
	ask_next(it, 250, 10);
	assert_ipc(it, 0, 100.5 - 38.5);
	assert_int_equal(it->said.memory_priority[0], 0);
	set_param(&it->snapshot, it->policy, "payback", 10);
	set_param(&it->snapshot, it->policy, "guard", 0);
	ask_next(it, 50, 10);
	assert_ipc(it, 0, 100 + 1);
	ask_free(it);
}

/* The others leave SMs while a goal is missed, but for one, and come back by and by. */
static void others_leave_and_come_back(void **state)
{
	struct asked *it = ask_first(&policy_quota_mixed);
	u32 left, i;

	set_param(&it->snapshot, it->policy, "static_adjustment", 0);
	assert_int_equal(shared_with(it, 1), SMS);
	ask_next(it, 50, 10);
	assert_int_equal(shared_with(it, 1), SMS);
	ask_next(it, 50, 10);
	/* Half is missed: half of half of the SMs, and one. */
	assert_int_equal(shared_with(it, 1), SMS - 5);
	assert_int_equal(shared_with(it, 0), SMS);
	for (i = 0; i < SMS; i++)
		assert_int_equal(it->said.block_limit[i][0],
				 it->said.sharers[i] == 1 ? 4 : 2);
	/* While thread blocks leave, nothing more is asked for. */
	it->snapshot.shared[0].block_limit = 1;
	ask_next(it, 50, 10);
	ask_next(it, 50, 10);
	assert_int_equal(shared_with(it, 1), SMS - 5);
	it->snapshot.shared[0].block_limit = 2;
	for (i = 0; i < 20; i++)
		ask_next(it, 50, 10);
	assert_int_equal(shared_with(it, 1), 1);
	ask_next(it, 5000, 10);
	left = shared_with(it, 1);
	for (i = 0; i < 4; i++)
		ask_next(it, 101, 10);
	assert_int_equal(shared_with(it, 1), left + 1);
	/* Not while a QoS tenant has not used its quota up. */
	it->snapshot.shared[0].quota_left = 1000000;
	for (i = 0; i < 8; i++)
		ask_next(it, 101, 10);
	assert_int_equal(shared_with(it, 1), left + 1);
	/* Who comes later finds all SMs shared. */
	it->snapshot.shared[0].quota_left = 0;
	activate(&it->snapshot, 2, 0)->queue[0] = it->snapshot.tenants[1].queue[0];
	ask(it);
	assert_int_equal(shared_with(it, 1) + shared_with(it, 2), SMS);
	ask_free(it);
}

static void others_never_leave(void **state)
{
	struct asked *it = ask_first(&policy_quota_mixed);
	u32 i;

	set_param(&it->snapshot, it->policy, "late", 0);
	for (i = 0; i < 10; i++)
		ask_next(it, 1, 10);
	assert_int_equal(shared_with(it, 1), SMS);
	ask_free(it);
}

static void assert_blocks(const struct asked *it, u8 qos, u8 other)
{
	u32 sm;

	for (sm = 0; sm < SMS; sm++) {
		assert_int_equal(it->said.block_limit[sm][0], qos);
		assert_int_equal(it->said.block_limit[sm][1], other);
	}
}

static void stay_ahead(struct asked *it, u32 epochs)
{
	while (epochs--)
		ask_next(it, 101, 10);
}

/* While a tenant has what it asks for it leaves thread blocks to the others, one an SM. */
static void blocks_find_a_way_back(void **state)
{
	struct asked *it = ask_first(&policy_quota_mixed);

	set_param(&it->snapshot, it->policy, "late", 0);
	it->snapshot.tenants[0].blocks_left = 1000;
	assert_blocks(it, 2, 2);
	/* 3.6: it lags, and gets one of the others'. */
	ask_next(it, 50, 10);
	assert_blocks(it, 3, 1);
	ask_next(it, 160, 10);
	stay_ahead(it, 2);
	assert_blocks(it, 3, 1);
	stay_ahead(it, 1);
	assert_blocks(it, 2, 2);
	/* An epoch in which it does not use its quota up breaks the row. */
	stay_ahead(it, 3);
	it->snapshot.shared[0].quota_left = 1000000;
	stay_ahead(it, 1);
	it->snapshot.shared[0].quota_left = 0;
	stay_ahead(it, 3);
	assert_blocks(it, 2, 2);
	/* Beyond where it began, too, but it keeps one. */
	stay_ahead(it, 1);
	assert_blocks(it, 1, 3);
	stay_ahead(it, 8);
	assert_blocks(it, 1, 3);
	ask_free(it);
}

/* Not while thread blocks leave, nor where the others have no use for it, nor if told not to. */
static void blocks_stay_where_they_are(void **state)
{
	struct asked *it = ask_first(&policy_quota_mixed);

	it->snapshot.shared[0].block_limit = 1;
	stay_ahead(it, 4);
	assert_blocks(it, 2, 2);
	ask_free(it);
	it = ask_first(&policy_quota_mixed);
	set_param(&it->snapshot, it->policy, "give_back", 0);
	stay_ahead(it, 20);
	assert_blocks(it, 2, 2);
	ask_free(it);
	/* As many of the others' as fit on an SM are there. */
	it = ask_first(&policy_quota_mixed);
	it->snapshot.tenants[1].queue[0].head.blocks_per_sm = 2;
	stay_ahead(it, 20);
	assert_blocks(it, 2, 2);
	ask_free(it);
	/* The paper's policies have no way back. */
	it = ask_first(&policy_quota_rollover);
	stay_ahead(it, 20);
	assert_blocks(it, 2, 2);
	ask_free(it);
}

/* --- at random ---------------------------------------------------------------------------- */

static const struct simgpu_policy *const policies[] = {
	&policy_quota_naive, &policy_quota_history, &policy_quota_elastic,
	&policy_quota_rollover, &policy_quota_rollover_time,
	&policy_quota_mixed, &policy_spart,
};

/* Any param of a policy, within its bounds, but for epochs of millions of cycles. */
static void random_params(struct session_options *options)
{
	const struct simgpu_param *params = options->policy->params;
	u32 i;

	for (i = 0; params[i].name; i++) {
		u64 span = params[i].most - params[i].least;

		if (span > 50000)
			span = 50000;
		if (random_up_to(1))
			options->policy_params[i] = params[i].least +
						    random_up_to(span);
	}
}

static void forget_epoch(void *context, const struct session_epoch *epoch)
{
}

/* A goal of any form: often one that cannot be reached, or of next to nothing. */
static struct session_tenant_options random_goal(u32 slot)
{
	struct session_tenant_options options = { .weight = 1 };

	snprintf(options.name, sizeof(options.name), "t%u", slot);
	options.goal_kind = (u32)random_up_to(SESSION_GOALS - 1);
	if (!options.goal_kind)
		return options;
	options.service = SIMGPU_QOS;
	options.goal = 1 + random_up_to((1ULL << random_up_to(40)) - 1);
	if (options.goal_kind == SESSION_GOAL_IPC && options.goal > 512 * SIMGPU_PPM)
		options.goal = 512 * SIMGPU_PPM;
	return options;
}

/* A change may be refused; then all stays as it is. */
static void change_goal(struct bench *bench, u32 slot)
{
	struct session_tenant_options options = random_goal(slot);

	session_set_tenant(bench->session, slot, &options);
}

/*
 * No quota is ever exceeded, no policy is refused, and once nobody has a goal
 * everybody's work ends.
 */
static void anything_may_be_asked_for(void **state)
{
	const struct trace *traces[] = { middling, copying, brief };
	u32 round, slot, i;

	for (round = 0; round < ROUNDS; round++) {
		struct bench *bench = malloc(sizeof(*bench));
		u64 overruns;

		bench_options(bench, 0);
		bench->options.policy = policies[round % ARRAY_SIZE(policies)];
		session_default_params(&bench->options);
		random_params(&bench->options);
		bench->hooks.epoch = forget_epoch;
		bench_start(bench);
		for (slot = 0; slot < 3; slot++) {
			struct session_tenant_options options = random_goal(slot);

			assert_int_equal(session_join(bench->session, slot,
						      &options), slot);
			launch(bench, slot, traces[slot], 3, 0);
		}
		for (i = 0; i < 8; i++) {
			session_run(bench->session, 1 + random_up_to(9000));
			change_goal(bench, (u32)random_up_to(2));
		}
		for (slot = 0; slot < 3; slot++) {
			struct session_tenant_options options = plain();

			assert_int_equal(session_set_tenant(bench->session,
							    slot, &options), 0);
		}
		session_run(bench->session, 40000000);
		session_quota_checks(bench->session, &overruns);
		assert_int_equal(overruns, 0);
		assert_int_equal(session_last_refusal(bench->session)->kind,
				 SESSION_REFUSED_NOTHING);
		assert_int_equal(session_state(bench->session), SESSION_IDLE);
		bench_free(bench);
	}
}

/* --- the paper's programs ------------------------------------------------------------------ */

#define PROGRAMS	10

static struct trace *programs[PROGRAMS];

static u32 load_programs(void)
{
	u32 count = 0, i;

	for (i = 0; i < BENCHMARK_COUNT; i++) {
		struct trace_error error;
		size_t bytes;
		void *encoded;

		if (!benchmark_in_suite(&benchmarks[i], "fgqos"))
			continue;
		assert_true(count < PROGRAMS);
		encoded = benchmark_trace(&benchmarks[i], SIMGPU_PPM, &bytes);
		assert_non_null(encoded);
		assert_int_equal(offline_load_trace(encoded, bytes, &error,
						    &programs[count++]), 0);
		free(encoded);
	}
	return count;
}

/* Each thread block that has started has ended, is on an SM, or is saved. */
static void assert_no_block_is_lost(const struct gpu *gpu, u32 sms, u32 slot)
{
	struct gpu_kernel_status status;
	u32 resident = 0, sm;

	gpu_kernel_status(gpu, slot, &status);
	for (sm = 0; sm < sms; sm++)
		resident += gpu_sm_blocks(gpu, sm, slot);
	assert_true(status.blocks_issued);
	assert_int_equal(status.blocks_issued, status.blocks_finished +
			 status.blocks_preempted + resident);
}

/* All ten in trios, on their GPU, one with a goal that it cannot reach beside others. */
static void trios_lose_no_block(void **state)
{
	const struct session_tenant_options goal = {
		.name = "goal", .weight = 1, .service = SIMGPU_QOS,
		.goal_kind = SESSION_GOAL_IPC, .goal = 1500 * SIMGPU_PPM,
	};
	u32 trio, slot;

	assert_int_equal(load_programs(), PROGRAMS);
	for (trio = 0; trio < PROGRAMS; trio++) {
		struct bench *bench = malloc(sizeof(*bench));
		u64 overruns;

		bench_options(bench, 0);
		bench->options.config = *gpu_config_find("fg16");
		bench->options.policy = trio % 2 ? &policy_quota_mixed :
						   &policy_quota_rollover;
		session_default_params(&bench->options);
		bench_start(bench);
		assert_int_equal(session_join(bench->session, 0, &goal), 0);
		join(bench, 1);
		join(bench, 2);
		for (slot = 0; slot < 3; slot++)
			launch(bench, slot,
			       programs[(trio + slot) % PROGRAMS], 1, 0);
		session_run(bench->session, 45000);
		for (slot = 0; slot < 3; slot++)
			assert_no_block_is_lost(session_gpu(bench->session), 16,
						slot);
		session_quota_checks(bench->session, &overruns);
		assert_int_equal(overruns, 0);
		bench_free(bench);
	}
	for (slot = 0; slot < PROGRAMS; slot++)
		offline_free_trace(programs[slot]);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(what_rolls_over_is_divided_anew),
		cmocka_unit_test(debts_are_asked_for),
		cmocka_unit_test(others_leave_and_come_back),
		cmocka_unit_test(others_never_leave),
		cmocka_unit_test(blocks_find_a_way_back),
		cmocka_unit_test(blocks_stay_where_they_are),
		cmocka_unit_test_setup(anything_may_be_asked_for,
				       restart_random),
		cmocka_unit_test(trios_lose_no_block),
	};

	return cmocka_run_group_tests(tests, make_traces, free_traces);
}
