// SPDX-License-Identifier: GPL-2.0
/*
 * What is made of a sound proposal before it is done: whole TPCs, no more SMs than the
 * session's limit; and what remains of one when somebody leaves or the model looks.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "../../kmod/core/core.h"
#include "looking.h"

#define NONE	SIMGPU_NO_OWNER
#define BOTH	SIMGPU_SHARED

static struct bench *bench_of(u32 sms, u32 sms_per_tpc, u32 sms_most)
{
	struct bench *bench = bench_prepared(&looking, 0);

	bench->options.config.sms = sms;
	bench->options.config.sms_per_tpc = sms_per_tpc;
	bench->options.sms_most = sms_most;
	bench_start(bench);
	return bench;
}

/* --- whole TPCs ------------------------------------------------------------------------- */

/*
 * As many TPCs as SMs in sum, rounded down. Who gets an SM gets a TPC; then those of
 * whose SMs most is left over, then the lowest slot; where there are too few, who has
 * most gives one back, of several the highest slot.
 */
static void counts_become_whole_tpcs(void **state)
{
	static const struct {
		u32 sms;
		u32 each;
		u32 said[5];
		u32 done[5];
	} cases[] = {
		{ 8, 1, { 3, 5 }, { 3, 5 } },
		{ 8, 2, { 3, 3, 2 }, { 4, 2, 2 } },
		{ 8, 2, { 2, 3, 3 }, { 2, 4, 2 } },
		{ 8, 2, { 1, 1, 1, 1 }, { 2, 2, 2, 2 } },
		{ 8, 2, { 1, 1, 1, 1, 1 }, { 2, 2, 2, 2, 0 } },
		{ 8, 2, { 5, 1, 1, 1 }, { 2, 2, 2, 2 } },
		{ 8, 2, { 1, 5, 1, 1 }, { 2, 2, 2, 2 } },
		{ 8, 2, { 3, 5 }, { 4, 4 } },
		{ 8, 2, { 2, 5 }, { 2, 4 } },
		{ 8, 2, { 1, 7 }, { 2, 6 } },
		{ 8, 2, { 0, 7 }, { 0, 6 } },
		{ 8, 2, { 0, 8 }, { 0, 8 } },
		{ 8, 4, { 2, 6 }, { 4, 4 } },
		{ 8, 4, { 1, 1, 6 }, { 4, 4, 0 } },
		{ 12, 4, { 6, 6 }, { 8, 4 } },
		{ 12, 4, { 5, 7 }, { 4, 8 } },
		{ 12, 4, { 3, 9 }, { 4, 8 } },
		{ 12, 4, { 4, 7 }, { 4, 4 } },
		{ 12, 4, { 0, 0, 5, 6 }, { 0, 0, 4, 4 } },
		{ 12, 4, { 0, 0, 5, 7 }, { 0, 0, 4, 8 } },
	};
	u32 i, slot;

	for (i = 0; i < ARRAY_SIZE(cases); i++) {
		struct bench *bench = bench_of(cases[i].sms, cases[i].each, 0);
		struct simgpu_proposal *proposal = &bench->session->proposal;

		for (slot = 0; slot < 5; slot++)
			proposal->sms[slot] = cases[i].said[slot];
		proposal_fit(bench->session);
		for (slot = 0; slot < 5; slot++)
			if (proposal->sms[slot] != cases[i].done[slot])
				fail_msg("%u: slot %u has %u", i, slot,
					 proposal->sms[slot]);
		/* Where owners are said, counts are nobody's business. */
		proposal->flags = SIMGPU_SAYS_OWNERS;
		proposal->sms[0] = 3;
		proposal_fit(bench->session);
		assert_int_equal(proposal->sms[0], 3);
		bench_free(bench);
	}
}

/* Nobody has more SMs of its own than the limit, in whole TPCs, and a TPC at least. */
static void limits_are_in_whole_tpcs(void **state)
{
	static const struct {
		u32 each;
		u32 most;
		u32 has;
	} cases[] = {
		{ 1, 0, 8 }, { 1, 1, 1 }, { 1, 3, 3 }, { 1, 8, 8 }, { 1, 9, 8 },
		{ 2, 1, 2 }, { 2, 2, 2 }, { 2, 3, 2 }, { 2, 4, 4 }, { 4, 3, 4 },
	};
	u32 i, sm, own;

	for (i = 0; i < ARRAY_SIZE(cases); i++) {
		struct bench *bench = bench_of(8, cases[i].each, cases[i].most);
		struct simgpu_proposal *proposal = &bench->session->proposal;

		proposal->sms[0] = 8;
		proposal->sms[63] = 8;
		proposal_fit(bench->session);
		assert_int_equal(proposal->sms[0], cases[i].has);
		bench_free(bench);
		bench = bench_of(8, cases[i].each, cases[i].most);
		proposal = &bench->session->proposal;
		proposal->flags = SIMGPU_SAYS_OWNERS;
		memset(proposal->owner, NONE, sizeof(proposal->owner));
		for (sm = 0; sm < 8; sm++)
			proposal->owner[sm] = 63;
		proposal_fit(bench->session);
		for (sm = 0, own = 0; sm < 8; sm++)
			own += proposal->owner[sm] == 63;
		assert_int_equal(own, cases[i].has);
		/* The first ones are those that it keeps; shared ones stay so. */
		assert_int_equal(proposal->owner[cases[i].has - 1], 63);
		memset(proposal->owner, BOTH, 8);
		proposal_fit(bench->session);
		assert_int_equal(proposal->owner[0], BOTH);
		assert_int_equal(proposal->owner[7], BOTH);
		bench_free(bench);
	}
}

static void counts_of_a_proposal_have_shared_sms(void **state)
{
	struct simgpu_snapshot *snapshot = calloc(1, sizeof(*snapshot));
	struct simgpu_proposal *said = calloc(1, sizeof(*said));

	snapshot->sms = 4;
	said->sms[1] = 9;
	assert_int_equal(proposal_count(snapshot, said, 1), 9);
	said->flags = SIMGPU_SAYS_OWNERS;
	memcpy(said->owner, (u8[]) { 1, BOTH, BOTH, NONE, 1 }, 5);
	said->sharers[0] = 1;
	said->sharers[1] = 3;
	said->sharers[2] = 1;
	said->sharers[3] = 2;
	assert_int_equal(proposal_count(snapshot, said, 1), 2);
	assert_int_equal(proposal_count(snapshot, said, 0), 2);
	assert_int_equal(proposal_count(snapshot, said, 2), 0);
	free(said);
	free(snapshot);
}

/* --- who leaves while a word waits ---------------------------------------------------------- */

static void words_of_who_left_are_forgotten(void **state)
{
	struct bench *bench = bench_of(8, 1, 0);
	struct simgpu_proposal *said = &bench->session->proposal;
	u32 sm;

	said->hold = 7;
	for (sm = 0; sm < SIMGPU_SLOTS_MAX; sm++) {
		said->sms[sm] = 2;
		said->hold_queues[sm] = 3;
	}
	memset(said->issue_limit, 0, sizeof(said->issue_limit));
	memcpy(said->owner, (u8[]) { 1, BOTH, BOTH, NONE, 2, BOTH }, 6);
	said->sharers[1] = 2;
	said->sharers[2] = 3;
	said->sharers[5] = 1;
	said->owner[127] = 1;
	proposal_forget(bench->session, 1);
	assert_int_equal(said->hold, 5);
	assert_int_equal(said->sms[1], 0);
	assert_int_equal(said->sms[2], 2);
	assert_int_equal(said->hold_queues[1], 0);
	assert_int_equal(said->hold_queues[0], 3);
	assert_int_equal(said->issue_limit[1][0], SIMGPU_KEEP_ISSUE_LIMIT);
	assert_int_equal(said->issue_limit[1][7], SIMGPU_KEEP_ISSUE_LIMIT);
	assert_int_equal(said->issue_limit[0][7], 0);
	assert_int_equal(said->issue_limit[2][0], 0);
	/* Its own, one that it shared with nobody else, one with slot 0. */
	assert_memory_equal(said->owner, ((u8[]) { NONE, NONE, BOTH, NONE, 2, BOTH }),
			    6);
	assert_int_equal(said->owner[127], NONE);
	assert_int_equal(said->sharers[1], 0);
	assert_int_equal(said->sharers[2], 1);
	bench_free(bench);
}

/* Who comes next in its slot finds nothing of what was said of it. */
static void registers_of_who_left_are_as_at_first(void **state)
{
	struct bench *bench = bench_of(8, 1, 0);
	struct session *session = bench->session;
	struct controls *controls = &session->controls;
	u32 sm;

	say_shared(3);
	for (sm = 4; sm < 8; sm++)
		seen.say.sharers[sm] = 2;
	seen.say.flags |= SIMGPU_SAYS_RANKS | SIMGPU_SAYS_HOLD_QUEUES |
			  SIMGPU_SAYS_BLOCK_LIMITS | SIMGPU_SAYS_ISSUE_LIMITS |
			  SIMGPU_SAYS_MEMORY_PRIORITY | SIMGPU_SAYS_HOLD;
	memset(seen.say.issue_limit, 0xff, sizeof(seen.say.issue_limit));
	seen.say.hold = 3;
	seen.say.rank[1] = 5;
	seen.say.hold_queues[1] = 2;
	seen.say.issue_limit[1][7] = 4;
	seen.say.memory_priority[1] = 2;
	for (sm = 0; sm < 8; sm++)
		seen.say.block_limit[sm][1] = 1;
	join(bench, 0);
	join(bench, 1);
	launch(bench, 0, computing, 1, 0);
	launch(bench, 1, computing, 1, 0);
	session_run(session, 500);
	assert_int_equal(session_last_refusal(session)->kind,
			 SESSION_REFUSED_NOTHING);
	assert_int_equal(gpu_queue_issue_left(session_gpu(session), 1, 7), 4);
	assert_int_equal(controls->memory_priority[1], 2);
	session_leave(session, 1);
	assert_int_equal(controls->hold, 1);
	assert_int_equal(controls->rank[1], 0);
	assert_int_equal(controls->hold_queues[1], 0);
	assert_int_equal(controls->memory_priority[1], 0);
	assert_int_equal(gpu_queue_issue_left(session_gpu(session), 1, 7),
			 GPU_NO_LIMIT);
	for (sm = 0; sm < 8; sm++) {
		assert_int_equal(controls->block_limit[sm][1], SIMGPU_ANY_BLOCKS);
		assert_int_equal(controls->sharers[sm], sm < 4);
		assert_int_equal(owner_of(session, sm),
				 sm < 4 ? GPU_SHARED : GPU_NO_TENANT);
		/* Those that are shared stay closed. */
		assert_int_equal(gpu_sm_block_limit(session_gpu(session), sm, 1),
				 sm < 4 ? 0 : GPU_NO_LIMIT);
	}
	bench_free(bench);
}

/* A slice that was on its way under one policy does not come under the next one. */
static void slices_end_with_their_policy(void **state)
{
	struct bench *bench = bench_of(8, 1, 0);
	struct session_tenant *tenant = &bench->session->tenants[1];

	join(bench, 1);
	launch(bench, 1, computing, 1, 0);
	say_even(1);
	seen.say.sms[0] = 0;
	seen.say.sms[1] = 8;
	session_run(bench->session, 500);
	tenant->slicing = 1;
	tenant->queue[0].launch_cycle = 1000;
	tenant->queue[0].slice_blocks = 3;
	session_set_policy(bench->session, &policy_even);
	assert_int_equal(tenant->slicing, 0);
	session_run(bench->session, 1000);
	assert_int_equal(gpu_queue_issue_left(session_gpu(bench->session), 1, 0),
			 GPU_NO_LIMIT);
	bench_free(bench);
}

/* --- limits that were said before ------------------------------------------------------------ */

/* With limits of before, a tenant may own an SM, or share it, and have no place there. */
static void limits_of_before_count_as_places(void **state)
{
	static const u8 owners[] = { 1, BOTH };
	u32 i;

	for (i = 0; i < ARRAY_SIZE(owners); i++) {
		struct bench *bench = bench_of(8, 1, 0);
		const struct session_refusal *why =
			session_last_refusal(bench->session);

		say_shared(3);
		seen.say.flags |= SIMGPU_SAYS_BLOCK_LIMITS;
		seen.say.block_limit[7][1] = 0;
		join(bench, 0);
		join(bench, 1);
		launch(bench, 0, computing, 1, 0);
		launch(bench, 1, computing, 1, 0);
		session_run(bench->session, EPOCH);
		assert_int_equal(why->kind, SESSION_REFUSED_NOTHING);
		say_shared(1);
		seen.say.owner[6] = owners[i];
		seen.say.sharers[6] = 2;
		session_run(bench->session, EPOCH);
		assert_int_equal(why->kind, SESSION_REFUSED_NOTHING);
		say_shared(1);
		seen.say.owner[7] = owners[i];
		seen.say.sharers[7] = 2;
		session_run(bench->session, EPOCH);
		expect_proposal_refused(bench, "owner", 1);
		bench_free(bench);
	}
}

/* --- masks of launches -------------------------------------------------------------------- */

/* Places of masks that launches under way have are taken, wherever the ring begins. */
static void masks_under_way_keep_their_places(void **state)
{
	struct session_tenant *tenant = calloc(1, sizeof(*tenant));
	struct queue *queue = &tenant->queue[7];
	u64 sms[SESSION_MASK_WORDS] = { 0 };
	u32 i;

	assert_int_equal(masks_place(tenant, sms), 0);
	sms[1] = 1;
	assert_int_equal(masks_place(tenant, sms), 1);
	tenant->pending = 0x80;
	queue->head = SESSION_LAUNCHES_MAX - 1;
	queue->launches = 3;
	queue->launch[SESSION_LAUNCHES_MAX - 1].mask = 1;
	queue->launch[1].mask = 2;
	/* One that has ended, and one of a queue without launches, do not count. */
	queue->launch[2].mask = 3;
	tenant->queue[0].launch[0].mask = 4;
	for (i = 0; i < SESSION_LAUNCH_MASKS_MAX; i++)
		tenant->launch_masks[i][0] = i + 1;
	assert_int_equal(masks_place(tenant, sms), 3);
	/* The same mask needs no other place. */
	memset(sms, 0, sizeof(sms));
	sms[0] = 2;
	assert_int_equal(masks_place(tenant, sms), 2);
	sms[0] = 8;
	assert_int_equal(masks_place(tenant, sms), 8);
	/* All are under way: there is no place. */
	queue->launches = SESSION_LAUNCH_MASKS_MAX;
	for (i = 0; i < SESSION_LAUNCH_MASKS_MAX; i++)
		queue->launch[(queue->head + i) % SESSION_LAUNCHES_MAX].mask = i + 1;
	sms[0] = 9;
	assert_int_equal(masks_place(tenant, sms), -EAGAIN);
	sms[0] = 1;
	assert_int_equal(masks_place(tenant, sms), 1);
	free(tenant);
}

static void masks_meet_or_not(void **state)
{
	struct session_masks masks = { .channels = 0 };
	u64 sms[SESSION_MASK_WORDS] = { 0 };

	sms[1] = 1;
	assert_true(session_masks_meet(&masks, sms));
	masks.sms[0] = 1;
	assert_false(session_masks_meet(&masks, sms));
	masks.sms[1] = 3;
	assert_true(session_masks_meet(&masks, sms));
	sms[1] = 0;
	assert_true(session_masks_meet(&masks, sms));
	sms[0] = 2;
	assert_false(session_masks_meet(&masks, sms));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(counts_become_whole_tpcs),
		cmocka_unit_test(limits_are_in_whole_tpcs),
		cmocka_unit_test(counts_of_a_proposal_have_shared_sms),
		cmocka_unit_test(words_of_who_left_are_forgotten),
		cmocka_unit_test(registers_of_who_left_are_as_at_first),
		cmocka_unit_test(slices_end_with_their_policy),
		cmocka_unit_test(limits_of_before_count_as_places),
		cmocka_unit_test(masks_under_way_keep_their_places),
		cmocka_unit_test(masks_meet_or_not),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests_name("apply", tests, make_traces,
					   free_traces);
}
