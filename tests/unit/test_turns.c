// SPDX-License-Identifier: GPL-2.0
/*
 * Turns on the whole GPU: of the policy time-slice, by time, for more tenants than there
 * are SMs; and of the policy slices, by so many thread blocks of a kernel.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <cmocka.h>

#include <simgpu/split.h>
#include "../../kmod/session/internal.h"
#include "looking.h"

/* --- by time ----------------------------------------------------------------- */

#define MANY	20

/* More tenants than the eight SMs; each has work for some slices. */
static struct bench *bench_of_many(const struct simgpu_policy *policy)
{
	struct bench *bench = malloc(sizeof(*bench));
	u32 slot;

	bench_options(bench, 0);
	bench->options.policy = policy;
	bench->options.kernel_end = SESSION_KERNEL_END_CARRY;
	bench->hooks.epoch = NULL;
	session_default_params(&bench->options);
	bench->options.policy_params[0] = 50000;
	bench_start(bench);
	for (slot = 0; slot < MANY; slot++) {
		join(bench, slot);
		launch(bench, slot, slot % 2 ? computing : long_blocks, 1, 0);
	}
	return bench;
}

/* In one round everybody gets on, and no block runs to its end for want of a place. */
static void many_get_on_by_turns(void **state)
{
	struct bench *bench = bench_of_many(&policy_time_slice);
	u64 share = 50000 * 8;
	u32 slot;

	/* It began at the first decision boundary; a second round has begun. */
	session_run(bench->session, (MANY + 1) * 50000 + 1000);
	assert_int_equal(session_last_refusal(bench->session)->kind,
			 SESSION_REFUSED_NOTHING);
	for (slot = 0; slot < MANY; slot++) {
		struct session_tenant_report report = report_of(bench, slot);

		assert_true(report.counters.warp_instructions > 10000);
		assert_true(report.counters.context_lines > 0);
		/* A slice each, but for the switch at its end, and the first one two. */
		if (slot > 1)
			assert_in_range(report.counters.sm_cycles, share * 9 / 10,
					share * 13 / 10);
		assert_int_equal(report.held, slot != 1);
		assert_false(report.waits_for_sms);
		assert_int_equal(report.sms, slot == 1 ? 8 : 0);
		if (!(slot % 2))
			assert_int_equal(report.counters.blocks_finished, 0);
	}
	bench_free(bench);
}

static void turns_come_at_the_same_cycles(void **state)
{
	static const u64 steps[] = { 130000, 200, 7777 };
	u64 hash = 0;
	u32 i;

	for (i = 0; i < ARRAY_SIZE(steps); i++) {
		struct bench *bench = bench_of_many(&policy_time_slice);

		run_in_steps(bench, 130000, steps[i]);
		if (!i)
			hash = session_state_hash(bench->session);
		assert_true(session_state_hash(bench->session) == hash);
		bench_free(bench);
	}
}

/* Alone a tenant has all of the GPU, and whoever comes back goes on with its turn. */
static void turns_end_with_the_others(void **state)
{
	struct bench *bench = bench_of_many(&policy_time_slice);
	u32 slot;

	session_run(bench->session, 60000);
	for (slot = 0; slot < MANY - 1; slot++)
		session_leave(bench->session, slot);
	session_run(bench->session, 100000);
	assert_int_equal(report_of(bench, MANY - 1).sms, 8);
	assert_false(report_of(bench, MANY - 1).held);
	session_leave(bench->session, MANY - 1);
	session_run(bench->session, 1000);
	slot = (u32)session_join(bench->session, SESSION_ANY_SLOT,
				 &(struct session_tenant_options){
					.name = "t", .weight = 1 });
	launch(bench, slot, middling, 1, 0);
	session_run(bench->session, 1000000);
	assert_int_equal(session_state(bench->session), SESSION_IDLE);
	assert_int_equal(session_last_refusal(bench->session)->kind,
			 SESSION_REFUSED_NOTHING);
	bench_free(bench);
}

/* Without turns those without an SM say so, at the stop cycle, too. */
static void without_turns_the_rest_waits(void **state)
{
	struct bench *bench = bench_of_many(&policy_even);
	u32 slot;

	session_run(bench->session, 300000);
	for (slot = 0; slot < MANY; slot++) {
		struct session_tenant_report report = report_of(bench, slot);

		assert_int_equal(report.sms, slot < 8);
		assert_int_equal(report.waits_for_sms, slot >= 8);
		assert_int_equal(report.counters.warp_instructions > 0, slot < 8);
	}
	bench_free(bench);
}

/* Nine tenants, the last without an SM, which then gets that of another. */
static struct bench *bench_of_nine(u32 loser)
{
	struct bench *bench = bench_prepared(&looking, 0);
	u32 slot;

	bench_start(bench);
	for (slot = 0; slot < 9; slot++) {
		join(bench, slot);
		launch(bench, slot, middling, 100, 0);
	}
	say_even(8);
	seen.say.flags = SIMGPU_SAYS_OWNERS;
	for (slot = 0; slot < 8; slot++)
		seen.say.owner[slot] = (u8)slot;
	session_run(bench->session, EPOCH + 1000);
	assert_false(report_of(bench, loser).waits_for_sms);
	assert_true(report_of(bench, 8).waits_for_sms);
	seen.say.owner[loser] = 8;
	/* The model takes its time for each of them before that is done. */
	session_run(bench->session, EPOCH + EPOCH / 2);
	assert_int_equal(report_of(bench, loser).sms, 0);
	assert_int_equal(session_last_refusal(bench->session)->kind,
			 SESSION_REFUSED_NOTHING);
	return bench;
}

/* Whose thread blocks still run on an SM that it has lost, on any, does not wait for one. */
static void who_drains_does_not_wait(void **state)
{
	u32 sm;

	for (sm = 0; sm < 8; sm++) {
		struct bench *bench = bench_of_nine(sm);

		assert_false(report_of(bench, sm).waits_for_sms);
		session_run(bench->session, 20 * EPOCH);
		assert_true(report_of(bench, sm).waits_for_sms);
		bench_free(bench);
	}
}

/* --- the policy slices ---------------------------------------------------------------- */

#define PIECE	16

static struct bench *bench_of_slices(u32 tenants, u32 launch_cycles)
{
	struct bench *bench = malloc(sizeof(*bench));
	u32 slot;

	bench_options(bench, 0);
	bench->options.policy = &policy_slices;
	bench->options.config.launch_cycles = launch_cycles;
	bench->hooks.epoch = NULL;
	session_default_params(&bench->options);
	bench->options.policy_params[0] = PIECE;
	bench_start(bench);
	for (slot = 0; slot < tenants; slot++) {
		join(bench, slot);
		launch(bench, slot, slot % 2 ? copying : middling, 2, 0);
	}
	return bench;
}

/* Thread blocks of a slot on all SMs. */
static u32 blocks_of(struct bench *bench, u32 slot)
{
	return report_of(bench, slot).shares.blocks;
}

/* Never two tenants at once, never more than a slice, and no block lost or run twice. */
static void kernels_are_launched_in_slices(void **state)
{
	struct bench *bench = bench_of_slices(3, 0);
	u32 changes = 0, last = 3, slot;

	while (session_state(bench->session) != SESSION_IDLE) {
		u32 busy = 0;

		session_run(bench->session, 50);
		for (slot = 0; slot < 3; slot++) {
			u32 blocks = blocks_of(bench, slot);

			assert_true(blocks <= PIECE);
			busy += !!blocks;
			if (!blocks)
				continue;
			changes += slot != last;
			last = slot;
		}
		assert_true(busy <= 1);
	}
	/* 64 blocks a launch, two launches, three tenants: 24 slices, by turns. */
	assert_int_equal(changes, 24);
	assert_int_equal(bench->done_count, 3);
	for (slot = 0; slot < 3; slot++)
		assert_int_equal(report_of(bench, slot).counters.blocks_finished,
				 128);
	assert_int_equal(session_last_refusal(bench->session)->kind,
			 SESSION_REFUSED_NOTHING);
	bench_free(bench);
}

/* A turn ends, too, that is of another queue than the first. */
static void slices_of_any_queue_end_turns(void **state)
{
	struct session_launch_options options = {
		.trace = middling, .repeats = 1, .queue = 3,
	};
	struct bench *bench = bench_of_slices(0, 0);
	u64 sequence;

	join(bench, 0);
	join(bench, 1);
	assert_int_equal(session_launch_with(bench->session, 0, &options,
					     &sequence), 0);
	launch(bench, 1, copying, 1, 0);
	session_run(bench->session, 500000);
	assert_int_equal(bench->done_count, 2);
	assert_int_equal(session_last_refusal(bench->session)->kind,
			 SESSION_REFUSED_NOTHING);
	bench_free(bench);
}

#define LAUNCH	3000

/* struct slicer - what the policy below has seen */
static struct {
	u64 calls;
	u64 ended;
	u32 looks;
} slicer;

/* Five thread blocks at a time; while they are launched they are all left. */
static int slice_by_five(const struct simgpu_snapshot *snapshot, void *state,
			 struct simgpu_proposal *proposal)
{
	const struct simgpu_snapshot_queue *queue = &snapshot->tenants[0].queue[0];
	bool ended = queue->events & SIMGPU_ON_SLICE_END;

	if (ended || !slicer.calls++) {
		simgpu_split_even(snapshot, proposal);
		proposal->flags |= SIMGPU_SAYS_ISSUE_LIMITS;
		proposal->issue_limit[0][0] = 5;
	}
	if (ended) {
		slicer.ended = snapshot->cycle;
	} else if (slicer.ended && snapshot->cycle < slicer.ended + LAUNCH) {
		assert_int_equal(queue->issue_left, 5);
		slicer.looks++;
	}
	proposal->wake_cycle = snapshot->cycle + SIMGPU_WAKE_CYCLES_MIN;
	return 0;
}

static const struct simgpu_policy by_five = {
	.name = "by-five",
	.events = SIMGPU_ON_KNOWN & ~SIMGPU_ON_QUOTA_OUT,
	.decide = slice_by_five,
};

static void slices_are_left_while_they_are_launched(void **state)
{
	struct bench *bench = malloc(sizeof(*bench));

	memset(&slicer, 0, sizeof(slicer));
	bench_options(bench, 0);
	bench->options.policy = &by_five;
	bench->options.config.launch_cycles = LAUNCH;
	session_default_params(&bench->options);
	bench_start(bench);
	join(bench, 0);
	launch(bench, 0, middling, 1, 0);
	session_run(bench->session, 40000);
	assert_true(slicer.looks > 5);
	assert_int_equal(session_last_refusal(bench->session)->kind,
			 SESSION_REFUSED_NOTHING);
	bench_free(bench);
}

static u64 cycles_alone(u32 launch_cycles)
{
	struct bench *bench = bench_of_slices(1, launch_cycles);
	u64 cycles;

	while (session_state(bench->session) != SESSION_IDLE)
		session_run(bench->session, 100);
	assert_int_equal(report_of(bench, 0).counters.blocks_finished, 128);
	cycles = session_now(bench->session);
	bench_free(bench);
	return cycles;
}

/* Two launches of four slices each: alone, they cost eight launches. */
static void a_slice_costs_a_launch(void **state)
{
	u64 free = cycles_alone(0), paid = cycles_alone(1000);

	assert_in_range(paid - free, 8 * 1000, 8 * 1000 + 8 * 300);
}

/* Slices that are being launched are part of the state. */
static void slices_are_launched_at_the_same_cycles(void **state)
{
	static const u64 steps[] = { 40000, 100, 777 };
	u64 hash = 0;
	u32 i;

	for (i = 0; i < ARRAY_SIZE(steps); i++) {
		struct bench *bench = bench_of_slices(2, 700);

		run_in_steps(bench, 9000, steps[i]);
		if (!i)
			hash = session_state_hash(bench->session);
		assert_true(session_state_hash(bench->session) == hash);
		bench_free(bench);
	}
}

/* Who comes or goes in the middle of a turn: the others get on. */
static void slices_go_on_when_tenants_go(void **state)
{
	struct bench *bench = bench_of_slices(3, 700);

	session_run(bench->session, 1500);
	session_leave(bench->session, 0);
	session_run(bench->session, 2000);
	session_leave(bench->session, 1);
	join(bench, 1);
	launch(bench, 1, brief, 1, 0);
	session_run(bench->session, 10000000);
	assert_int_equal(session_state(bench->session), SESSION_IDLE);
	assert_int_equal(report_of(bench, 1).counters.blocks_finished, 64);
	assert_int_equal(report_of(bench, 2).counters.blocks_finished, 128);
	bench_free(bench);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(many_get_on_by_turns),
		cmocka_unit_test(turns_come_at_the_same_cycles),
		cmocka_unit_test(turns_end_with_the_others),
		cmocka_unit_test(without_turns_the_rest_waits),
		cmocka_unit_test(who_drains_does_not_wait),
		cmocka_unit_test(kernels_are_launched_in_slices),
		cmocka_unit_test(slices_of_any_queue_end_turns),
		cmocka_unit_test(slices_are_left_while_they_are_launched),
		cmocka_unit_test(a_slice_costs_a_launch),
		cmocka_unit_test(slices_are_launched_at_the_same_cycles),
		cmocka_unit_test(slices_go_on_when_tenants_go),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests_name("turns", tests, make_traces,
					   free_traces);
}
