// SPDX-License-Identifier: GPL-2.0
/*
 * Issue limits: a kernel begins so many thread blocks and no more, and the policy
 * hears when they have run. Events of quotas that are used up. Both come at the same
 * cycles however the device is run, and nothing of them outlasts the policy.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <cmocka.h>

#include "../../kmod/session/internal.h"
#include "../../kmod/sim/sim.h"
#include "looking.h"
#include "journal_of.h"

#define LONG_ENOUGH	20000000ULL

/* --- the hardware ------------------------------------------------------------------------ */

static struct gpu *gpu_make(const struct gpu_config *config)
{
	void *memory = aligned_alloc(64, (gpu_bytes(config) + 63) & ~63UL);

	return gpu_init(memory, config, 1);
}

static void own_all(struct gpu *gpu, u32 slot)
{
	u32 i;

	for (i = 0; i < gpu->config.sms; i++)
		gpu_sm_assign(gpu, i, slot, GPU_PREEMPT_DRAIN);
}

static struct gpu_kernel_status status_of(const struct gpu *gpu, u32 slot, u32 queue)
{
	struct gpu_kernel_status status;

	gpu_queue_status(gpu, slot, queue, &status);
	return status;
}

/* Run until a slice of a slot's queue is over. */
static void wait_for_slice(struct gpu *gpu, u32 slot, u32 queue)
{
	u64 slots;

	while (!(slots = gpu_take_slices(gpu))) {
		assert_true(gpu_now(gpu) < LONG_ENOUGH);
		gpu_run(gpu, LONG_ENOUGH);
	}
	assert_int_equal(slots, 1ULL << slot);
	assert_int_equal(gpu_take_sliced_queues(gpu, slot), 1U << queue);
	assert_int_equal(gpu_now(gpu) % gpu_window(&gpu->config), 0);
}

/* Slices of any size, below and above what the SMs hold and are given beforehand. */
static void a_slice_is_as_large_as_it_was_said(void **state)
{
	static const u32 sizes[] = { 1, 3, 64, 70, 200, 7 };
	struct gpu_config config = small_config();
	struct trace *trace = trace_compute(400, 3, 50);
	struct gpu *gpu = gpu_make(&config);
	u32 begun = 0, i;
	u64 at;

	own_all(gpu, 0);
	for (i = 0; i < ARRAY_SIZE(sizes); i++) {
		gpu_queue_set_issue_limit(gpu, 0, 2, sizes[i]);
		assert_int_equal(gpu_queue_issue_left(gpu, 0, 2), sizes[i]);
		if (!i)
			gpu_queue_start(gpu, 0, 2, trace, 0);
		wait_for_slice(gpu, 0, 2);
		begun += sizes[i];
		assert_int_equal(status_of(gpu, 0, 2).blocks_issued, begun);
		assert_int_equal(status_of(gpu, 0, 2).blocks_finished, begun);
		assert_int_equal(gpu_queue_issue_left(gpu, 0, 2), 0);
		/* It is told within a window. */
		at = status_of(gpu, 0, 2).ended_at;
		assert_true(gpu_now(gpu) - at <= gpu_window(&config));
	}
	/* No more begins, and it is told once. */
	gpu_run(gpu, gpu_now(gpu) + 50000);
	assert_int_equal(gpu_take_slices(gpu), 0);
	assert_int_equal(status_of(gpu, 0, 2).blocks_issued, begun);
	gpu_queue_set_issue_limit(gpu, 0, 2, GPU_NO_LIMIT);
	gpu_run(gpu, LONG_ENOUGH);
	assert_int_equal(gpu_take_finished(gpu), 1);
	assert_int_equal(status_of(gpu, 0, 2).blocks_finished, 400);
	free(gpu);
	trace_free(trace);
}

/* What is left of a limit is the next kernel's, and a queue's limit is its alone. */
static void a_limit_is_the_queues(void **state)
{
	struct gpu_config config = small_config();
	struct trace *trace = trace_compute(10, 3, 50);
	struct gpu *gpu = gpu_make(&config);

	own_all(gpu, 0);
	gpu_queue_set_issue_limit(gpu, 0, 1, 14);
	gpu_queue_start(gpu, 0, 1, trace, 0);
	gpu_queue_start(gpu, 0, 0, trace, 0);
	while (status_of(gpu, 0, 0).running || status_of(gpu, 0, 1).running) {
		gpu_run(gpu, LONG_ENOUGH);
		assert_int_equal(gpu_take_finished(gpu), 1);
	}
	assert_int_equal(gpu_take_slices(gpu), 0);
	gpu_queue_start(gpu, 0, 1, trace, 0);
	wait_for_slice(gpu, 0, 1);
	assert_int_equal(status_of(gpu, 0, 1).blocks_finished, 4);
	assert_true(status_of(gpu, 0, 1).running);
	/* A limit of none is no slice. */
	gpu_queue_set_issue_limit(gpu, 0, 1, 0);
	gpu_run(gpu, gpu_now(gpu) + 10000);
	assert_int_equal(gpu_take_slices(gpu), 0);
	assert_int_equal(status_of(gpu, 0, 1).blocks_issued, 4);
	/* Who comes to a slot has none. */
	gpu_tenant_drop(gpu, 0);
	own_all(gpu, 0);
	gpu_queue_start(gpu, 0, 1, trace, 0);
	gpu_run(gpu, LONG_ENOUGH);
	assert_int_equal(gpu_take_finished(gpu), 1);
	free(gpu);
	trace_free(trace);
}

/* A saved block that comes back has begun already: it needs no place in the limit. */
static void saved_blocks_do_not_count_twice(void **state)
{
	struct gpu_config config = small_config();
	struct trace *trace = trace_compute(100, 30, 100);
	struct gpu *gpu = gpu_make(&config);
	u32 i;

	own_all(gpu, 0);
	gpu_queue_set_issue_limit(gpu, 0, 0, 20);
	gpu_queue_start(gpu, 0, 0, trace, 0);
	gpu_run(gpu, 3000);
	for (i = 0; i < config.sms; i++)
		gpu_sm_assign(gpu, i, GPU_NO_TENANT, GPU_PREEMPT_SWITCH);
	gpu_run(gpu, 40000);
	assert_int_equal(status_of(gpu, 0, 0).blocks_preempted, 20);
	assert_int_equal(gpu_take_slices(gpu), 0);
	own_all(gpu, 0);
	wait_for_slice(gpu, 0, 0);
	assert_int_equal(status_of(gpu, 0, 0).blocks_finished, 20);
	free(gpu);
	trace_free(trace);
}

/* --- a policy that slices --------------------------------------------------------------- */

#define SLICE	24

/* struct turns - whose slice it is; @slices: how many were given */
struct turns {
	u32 slot;
	u32 given;
	u64 slices;
};

/* The next one with work behind @slot, and it may be it. */
static u32 next_slot(const struct simgpu_snapshot *snapshot, u32 slot)
{
	u32 i;

	for (i = 1; i <= SIMGPU_SLOTS_MAX; i++)
		if (snapshot->tenants[(slot + i) % SIMGPU_SLOTS_MAX].active)
			return (slot + i) % SIMGPU_SLOTS_MAX;
	return SIMGPU_SLOTS_MAX;
}

/* Its slice is over, or it has gone. */
static bool turn_is_over(const struct simgpu_snapshot *snapshot,
			 const struct turns *turns)
{
	const struct simgpu_snapshot_tenant *tenant =
		&snapshot->tenants[turns->slot];

	if (!turns->given || !tenant->active)
		return true;
	if (!(tenant->events & SIMGPU_ON_SLICE_END))
		return false;
	/* The event names the queue, and its blocks have run. */
	assert_true(tenant->queue[0].events & SIMGPU_ON_SLICE_END);
	assert_int_equal(tenant->queue[0].issue_left, 0);
	return true;
}

/* Tenants have all SMs by turns, a slice of thread blocks each. */
static int slice(const struct simgpu_snapshot *snapshot, void *state,
		 struct simgpu_proposal *proposal)
{
	struct turns *turns = state;
	u32 sm;

	proposal->flags = SIMGPU_SAYS_OWNERS | SIMGPU_SAYS_HOLD;
	proposal->hold = ~0ULL;
	assert_int_equal(proposal->issue_limit[3][7], SIMGPU_KEEP_ISSUE_LIMIT);
	if (turn_is_over(snapshot, turns)) {
		turns->given = 1;
		turns->slot = next_slot(snapshot, turns->slot);
		if (turns->slot == SIMGPU_SLOTS_MAX) {
			memset(turns, 0, sizeof(*turns));
			return 0;
		}
		turns->slices++;
		proposal->flags |= SIMGPU_SAYS_ISSUE_LIMITS;
		proposal->issue_limit[turns->slot][0] = SLICE;
		for (sm = 0; sm < snapshot->sms; sm++)
			proposal->owner[sm] = (u8)turns->slot;
	}
	proposal->hold = ~(1ULL << turns->slot);
	return 0;
}

static const struct simgpu_policy slicing = {
	.name = "slicing",
	.events = SIMGPU_ON_ARRIVAL | SIMGPU_ON_DEPARTURE | SIMGPU_ON_SLICE_END,
	.state_bytes = sizeof(struct turns),
	.decide = slice,
};

static struct bench *bench_slicing(u32 tenants)
{
	struct bench *bench = bench_with(&slicing, 0);
	u32 slot;

	for (slot = 0; slot < tenants; slot++) {
		join(bench, slot);
		launch(bench, slot, slot % 2 ? copying : middling, 3, 0);
	}
	return bench;
}

static u64 turns_taken(const struct bench *bench)
{
	const struct turns *turns = bench->session->policy_state;

	return turns->slices;
}

/* Three launches of 64 blocks each: slices of 24 of which the last one is short. */
static void tenants_take_turns_by_slices(void **state)
{
	struct bench *bench = bench_slicing(3);
	u32 slot;

	run_in_steps(bench, 3000000, 3000000);
	assert_int_equal(session_last_refusal(bench->session)->kind,
			 SESSION_REFUSED_NOTHING);
	assert_int_equal(session_state(bench->session), SESSION_IDLE);
	for (slot = 0; slot < 3; slot++)
		assert_int_equal(report_of(bench, slot).counters.blocks_finished,
				 3 * 64);
	assert_true(bench->done_count == 3);
	bench_free(bench);
}

/* Nobody else's block begins in a slice. */
static void nobody_begins_in_anothers_slice(void **state)
{
	struct bench *bench = bench_slicing(4);
	u64 had[4] = { 0 }, steps = 0;

	while (session_run(bench->session, 200) == SESSION_RUNNING) {
		u32 running = 0, slot;

		for (slot = 0; slot < 4; slot++) {
			struct gpu_kernel_status status =
				status_of(session_gpu(bench->session), slot, 0);

			running += status.blocks_issued != status.blocks_finished;
			had[slot] = status.blocks_issued;
		}
		assert_true(running <= 1);
		steps += turns_taken(bench) > 4;
	}
	assert_true(steps > 10 && had[3]);
	bench_free(bench);
}

/* Wherever the session pauses, and on however many threads: the same. */
static void slices_come_at_the_same_cycles(void **state)
{
	static const u64 steps[] = { 1, 77, 200, 1000, 12345 };
	struct bench *whole = bench_slicing(3);
	u32 i;

	run_in_steps(whole, 120000, 120000);
	assert_true(turns_taken(whole) > 5);
	for (i = 0; i < ARRAY_SIZE(steps); i++) {
		struct bench *bench = bench_slicing(3);

		run_in_steps(bench, 120000, steps[i]);
		assert_true(session_state_hash(bench->session) ==
			    session_state_hash(whole->session));
		bench_free(bench);
	}
	bench_free(whole);
}

/* --- what does not last ------------------------------------------------------------------ */

/* A policy that gives everybody one slice and nothing more is replaced by even. */
static int slice_once(const struct simgpu_snapshot *snapshot, void *state,
		      struct simgpu_proposal *proposal)
{
	u32 *said = state;

	proposal->sms[0] = proposal->sms[1] = 4;
	if ((*said)++)
		return 0;
	proposal->flags = SIMGPU_SAYS_ISSUE_LIMITS;
	proposal->issue_limit[0][0] = 5;
	proposal->issue_limit[1][0] = 0;
	return 0;
}

static const struct simgpu_policy forgetful = {
	.name = "forgetful",
	.events = SIMGPU_ON_KERNEL_READY,
	.state_bytes = sizeof(u32),
	.decide = slice_once,
};

static void a_limit_without_end_is_no_lasting_one(void **state)
{
	struct bench *bench = malloc(sizeof(*bench));
	const struct session_refusal *why;

	bench_options(bench, 0);
	bench->options.policy = &forgetful;
	bench->options.hold_cycles = 40000;
	bench->hooks.epoch = NULL;
	session_default_params(&bench->options);
	bench_start(bench);
	join(bench, 0);
	join(bench, 1);
	launch(bench, 0, middling, 1, 0);
	launch(bench, 1, computing, 1, 0);
	why = session_last_refusal(bench->session);
	session_run(bench->session, 39000);
	assert_int_equal(why->kind, SESSION_REFUSED_NOTHING);
	assert_int_equal(report_of(bench, 0).counters.blocks_finished, 5);
	session_run(bench->session, 16000);
	assert_int_equal(why->kind, SESSION_REFUSED_HOLD);
	assert_string_equal(why->field, "issue_limit");
	assert_int_equal(why->slot, 0);
	assert_int_equal(gpu_queue_issue_left(session_gpu(bench->session), 0, 0),
			 GPU_NO_LIMIT);
	session_run(bench->session, 100000);
	assert_int_equal(report_of(bench, 0).counters.blocks_finished, 64);
	bench_free(bench);
}

/* Whoever sets another policy ends the limits, and who takes a slot has none. */
static void limits_go_with_policy_and_tenant(void **state)
{
	struct bench *bench = bench_with(&forgetful, 0);

	join(bench, 0);
	join(bench, 1);
	launch(bench, 0, middling, 1, 0);
	launch(bench, 1, computing, 1, 0);
	session_run(bench->session, 5000);
	assert_int_equal(gpu_queue_issue_left(session_gpu(bench->session), 0, 0),
			 0);
	session_leave(bench->session, 0);
	assert_int_equal(gpu_queue_issue_left(session_gpu(bench->session), 0, 0),
			 GPU_NO_LIMIT);
	session_set_policy(bench->session, &policy_even);
	assert_int_equal(bench->session->controls.hold, 0);
	bench_free(bench);
}

/* --- resets ------------------------------------------------------------------------------ */

#define TURN	2600

/* Two tenants have seven SMs by turns, a few of their blocks' times each, by reset. */
static int take_by_reset(const struct simgpu_snapshot *snapshot, void *state,
			 struct simgpu_proposal *proposal)
{
	u32 turn = snapshot->cycle / TURN % 2;

	if (snapshot->tenants_active < 2)
		return 0;
	assert_true(snapshot->tenants[0].queue[0].head.flags &
		    SIMGPU_KERNEL_IDEMPOTENT);
	proposal->flags = SIMGPU_SAYS_PREEMPTION;
	proposal->preemption = SIMGPU_LEAVE_RESET;
	proposal->sms[turn] = 7;
	proposal->sms[!turn] = 1;
	proposal->wake_cycle = snapshot->cycle + TURN;
	return 0;
}

static const struct simgpu_policy resetting = {
	.name = "resetting",
	.events = SIMGPU_ON_WAKE | SIMGPU_ON_KERNEL_READY,
	.decide = take_by_reset,
};

static void launch_idempotent(struct bench *bench, u32 slot,
			      const struct trace *trace, bool idempotent)
{
	const struct session_launch_options options = {
		.trace = trace, .repeats = 2, .idempotent = idempotent,
	};
	u64 sequence;

	assert_int_equal(session_launch_with(bench->session, slot, &options,
					     &sequence), 0);
}

static struct bench *bench_resetting(bool second)
{
	struct bench *bench = bench_with(&resetting, 0);

	join(bench, 0);
	join(bench, 1);
	launch_idempotent(bench, 0, copying, true);
	launch_idempotent(bench, 1, middling, second);
	return bench;
}

static void a_reset_loses_no_block(void **state)
{
	static const u64 steps[] = { 1000000, 999, 61 };
	u64 hash = 0, journal = 0;
	u32 i, slot;

	for (i = 0; i < ARRAY_SIZE(steps); i++) {
		struct bench *bench = bench_resetting(true);
		const struct journal_event *events;
		u64 lost, middle;
		u32 count;

		run_in_steps(bench, 20000, steps[i]);
		middle = session_state_hash(bench->session);
		assert_true(!hash || hash == middle);
		hash = middle;
		run_in_steps(bench, 1000000, steps[i]);
		assert_int_equal(session_state(bench->session), SESSION_IDLE);
		assert_int_equal(session_last_refusal(bench->session)->kind,
				 SESSION_REFUSED_NOTHING);
		for (slot = 0; slot < 2; slot++) {
			struct simgpu_counters c =
				report_of(bench, slot).counters;

			assert_int_equal(c.blocks_finished, 2 * 64);
			assert_true(c.reset_blocks > 20);
			assert_int_equal(c.context_lines, 0);
		}
		/* 8 warps of 20 x 20 instructions a block. */
		assert_int_equal(report_of(bench, 1).counters.warp_instructions -
				 report_of(bench, 1).counters.reset_warp_instructions,
				 2ULL * 64 * 8 * 20 * 20);
		events = journal_of(bench->session, &count, &lost);
		for (; count > 0; count--)
			journal += events[count - 1].kind == JOURNAL_LAUNCH &&
				   events[count - 1].launch.idempotent;
		bench_free(bench);
	}
	assert_int_equal(journal, 2 * ARRAY_SIZE(steps));
}

/* Whose launch does not say so is not reset: the policy is refused, and even follows. */
static void only_the_idempotent_are_reset(void **state)
{
	struct bench *bench = bench_resetting(false);

	session_run(bench->session, 6 * TURN);
	expect_proposal_refused(bench, "preemption", 1);
	assert_int_equal(report_of(bench, 1).counters.reset_blocks, 0);
	session_run(bench->session, 1000000);
	assert_int_equal(session_state(bench->session), SESSION_IDLE);
	assert_int_equal(report_of(bench, 1).counters.blocks_finished, 128);
	bench_free(bench);
}

/* --- quotas that are used up ---------------------------------------------------------------- */

#define QUOTA	4000

static const struct simgpu_policy hearing = {
	.name = "hearing",
	.events = SIMGPU_ON_KNOWN,
	.decide = look,
};

/* Both tenants on all SMs; slot 0 with a quota that is said again when it is out. */
static void say_quota(s64 second)
{
	say_shared(3);
	seen.say.flags |= SIMGPU_SAYS_QUOTAS;
	seen.say.quota[0] = QUOTA;
	seen.say.quota[1] = second;
}

static struct bench *bench_quota(s64 second)
{
	struct bench *bench = bench_with(&hearing, 0);

	bench->options.epoch_cycles = SESSION_EPOCH_CYCLES_MAX;
	join(bench, 0);
	join(bench, 1);
	say_quota(second);
	launch(bench, 0, computing, 1, 0);
	launch(bench, 1, computing, 1, 0);
	return bench;
}

static u32 calls_with(u32 event, u32 slot)
{
	u32 count = 0, i;

	for (i = 0; i < seen.count; i++)
		count += seen.call[i].events & event &&
			 seen.call[i].of_tenant[slot] & event;
	return count;
}

/* Each time, at a boundary, for the one whose quota it is. */
static void a_quota_that_is_out_is_told(void **state)
{
	struct bench *bench = bench_quota(SIMGPU_NO_QUOTA);
	struct gpu_sm_tenant registers;
	u64 given;
	u32 i;

	session_run(bench->session, 9000);
	assert_true(calls_with(SIMGPU_ON_QUOTA_OUT, 0) > 3);
	assert_int_equal(calls_with(SIMGPU_ON_QUOTA_OUT, 1), 0);
	for (i = 0; i < seen.count; i++)
		if (seen.call[i].events & SIMGPU_ON_QUOTA_OUT)
			assert_int_equal(seen.call[i].cycle %
					 GPU_BOUNDARY_CYCLES, 0);
	/* All of what was given before was used when it was told. */
	given = (u64)QUOTA * calls_with(SIMGPU_ON_QUOTA_OUT, 0);
	for (i = 0; i < 8; i++) {
		gpu_sm_tenant(session_gpu(bench->session), i, 0, &registers);
		assert_true(registers.thread_instructions >= given);
	}
	/* Said no more, it is told no more. */
	seen.say.flags &= ~SIMGPU_SAYS_QUOTAS;
	session_run(bench->session, 2000);
	i = calls_with(SIMGPU_ON_QUOTA_OUT, 0);
	session_run(bench->session, 9000);
	assert_int_equal(calls_with(SIMGPU_ON_QUOTA_OUT, 0), i);
	bench_free(bench);
}

static void quotas_are_out_at_the_same_cycles(void **state)
{
	u64 hash = 0, step;
	u32 calls = 0;

	for (step = 9999; step > 30; step /= 7) {
		struct bench *bench = bench_quota(3 * QUOTA);

		run_in_steps(bench, 9000, step);
		if (!hash) {
			hash = session_state_hash(bench->session);
			calls = seen.count;
		}
		assert_true(session_state_hash(bench->session) == hash);
		assert_int_equal(seen.count, calls);
		bench_free(bench);
	}
	assert_true(calls_with(SIMGPU_ON_QUOTA_OUT, 1) > 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_slice_is_as_large_as_it_was_said),
		cmocka_unit_test(a_limit_is_the_queues),
		cmocka_unit_test(saved_blocks_do_not_count_twice),
		cmocka_unit_test(tenants_take_turns_by_slices),
		cmocka_unit_test(nobody_begins_in_anothers_slice),
		cmocka_unit_test(slices_come_at_the_same_cycles),
		cmocka_unit_test(a_limit_without_end_is_no_lasting_one),
		cmocka_unit_test(limits_go_with_policy_and_tenant),
		cmocka_unit_test(a_reset_loses_no_block),
		cmocka_unit_test(only_the_idempotent_are_reset),
		cmocka_unit_test(a_quota_that_is_out_is_told),
		cmocka_unit_test(quotas_are_out_at_the_same_cycles),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests_name("slices", tests, make_traces,
					   free_traces);
}
