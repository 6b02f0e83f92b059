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

#include "../../kmod/session/affinity.h"
#include "../../kmod/session/apply.h"
#include "../../kmod/session/internal.h"
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
		assert_int_equal(proposal->sms[63], cases[i].has);
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

/* Which TPC is given up: that with the fewest thread blocks on all its SMs together. */
static void the_emptiest_tpc_is_given_up(void **state)
{
	static const struct {
		u32 empty;	/* SM without thread blocks; 8: none */
		u64 kept;
	} cases[] = {
		{ 8, 0x3f }, { 0, 0xfc }, { 1, 0xfc }, { 4, 0xcf }, { 5, 0xcf },
	};
	u32 i;

	for (i = 0; i < ARRAY_SIZE(cases); i++) {
		struct bench *bench = bench_of(8, 2, 0);

		if (cases[i].empty < 8)
			gpu_sm_set_block_limit(bench->session->gpu,
					       cases[i].empty, 0, 0,
					       GPU_PREEMPT_DRAIN);
		say_even(1);
		join(bench, 0);
		launch(bench, 0, long_blocks, 1, 0);
		session_run(bench->session, 5000);
		assert_int_equal(hweight64(set_of_sms(bench, 0)), 8);
		seen.say.sms[0] = 6;
		session_run(bench->session, EPOCH);
		assert_int_equal(set_of_sms(bench, 0), cases[i].kept);
		bench_free(bench);
	}
}

/* --- what is said, and what is not ---------------------------------------------------------- */

/* Everything at once, and none of it as it is at first. */
static void say_all(void)
{
	u32 slot, sm;

	say_even(2);
	seen.say.hold = 2;
	seen.say.preemption = SIMGPU_LEAVE_SWITCH;
	for (slot = 0; slot < SIMGPU_SLOTS_MAX; slot++) {
		seen.say.hold_queues[slot] = 6;
		seen.say.hold_copies[slot] = 5;
		seen.say.copy_priority[slot] = 1;
		seen.say.memory_priority[slot] = 2;
		seen.say.rank[slot] = 5;
		seen.say.channels[slot] = 1;
		seen.say.llc_ways[slot] = 2;
	}
	memset(seen.say.issue_limit, 0xff, sizeof(seen.say.issue_limit));
	seen.say.issue_limit[1][7] = 4;
	for (sm = 0; sm < SIMGPU_SMS_MAX; sm++)
		memset(seen.say.block_limit[sm], 3,
		       sizeof(seen.say.block_limit[sm]));
}

/* Which parts of that a session does. */
static u32 parts_done(const struct session *session)
{
	const struct simgpu_proposal *now = &session->controls;
	const struct gpu *gpu = session_gpu(session);
	u32 flags = 0;

	flags |= now->hold == 2 ? SIMGPU_SAYS_HOLD : 0;
	flags |= now->preemption == SIMGPU_LEAVE_SWITCH ?
		 SIMGPU_SAYS_PREEMPTION : 0;
	flags |= now->hold_queues[63] == 6 ? SIMGPU_SAYS_HOLD_QUEUES : 0;
	flags |= now->hold_copies[63] == 5 ? SIMGPU_SAYS_HOLD_COPIES : 0;
	flags |= now->copy_priority[63] == 1 ? SIMGPU_SAYS_COPY_PRIORITY : 0;
	flags |= now->memory_priority[63] == 2 ? SIMGPU_SAYS_MEMORY_PRIORITY : 0;
	flags |= now->rank[63] == 5 ? SIMGPU_SAYS_RANKS : 0;
	flags |= now->channels[63] == 1 ? SIMGPU_SAYS_CHANNELS : 0;
	flags |= now->llc_ways[63] == 2 ? SIMGPU_SAYS_LLC_WAYS : 0;
	flags |= now->block_limit[7][63] == 3 ? SIMGPU_SAYS_BLOCK_LIMITS : 0;
	flags |= gpu_queue_issue_left(gpu, 1, 7) == 4 ?
		 SIMGPU_SAYS_ISSUE_LIMITS : 0;
	return flags;
}

/* Each part is done if its flag says so, and left as it is if not. */
static void only_what_is_said_is_done(void **state)
{
	static const u32 flags[] = {
		0, SIMGPU_SAYS_HOLD, SIMGPU_SAYS_PREEMPTION,
		SIMGPU_SAYS_HOLD_QUEUES, SIMGPU_SAYS_MEMORY_PRIORITY,
		SIMGPU_SAYS_RANKS, SIMGPU_SAYS_CHANNELS, SIMGPU_SAYS_LLC_WAYS,
		SIMGPU_SAYS_BLOCK_LIMITS, SIMGPU_SAYS_ISSUE_LIMITS,
		SIMGPU_SAYS_HOLD_COPIES, SIMGPU_SAYS_COPY_PRIORITY,
		SIMGPU_SAYS_HOLD | SIMGPU_SAYS_RANKS | SIMGPU_SAYS_LLC_WAYS,
	};
	u32 i;

	for (i = 0; i < ARRAY_SIZE(flags); i++) {
		struct bench *bench = bench_of(8, 1, 0);
		struct session *session = bench->session;

		join(bench, 0);
		join(bench, 1);
		launch(bench, 0, computing, 1, 0);
		launch(bench, 1, computing, 1, 0);
		say_all();
		seen.say.flags = flags[i];
		session_run(session, 500);
		assert_int_equal(session_last_refusal(session)->kind,
				 SESSION_REFUSED_NOTHING);
		assert_int_equal(parts_done(session), flags[i]);
		/* What is not said again stays. */
		say_even(2);
		session_run(session, EPOCH);
		assert_int_equal(parts_done(session), flags[i]);
		bench_free(bench);
	}
}

/* What a policy found when it was asked, before it said anything. */
static struct simgpu_proposal found;

static int find_and_say(const struct simgpu_snapshot *snapshot, void *state,
			struct simgpu_proposal *proposal)
{
	found = *proposal;
	return look(snapshot, state, proposal);
}

static const struct simgpu_policy finding = {
	.name = "find", .events = SIMGPU_ON_KNOWN & ~SIMGPU_ON_QUOTA_OUT,
	.needs = SIMGPU_NEEDS_SHARED_ROWS, .decide = find_and_say,
};

static struct bench *bench_that_finds(const struct trace *first)
{
	struct bench *bench = bench_with(&finding, 0);

	join(bench, 0);
	join(bench, 1);
	launch(bench, 0, first, 1, 0);
	launch(bench, 1, computing, 1, 0);
	return bench;
}

/* A policy finds what it said last where that lasts, and nothing said where not. */
static void a_policy_finds_what_it_said(void **state)
{
	const u32 lasting = SIMGPU_SAYS_HOLD | SIMGPU_SAYS_PREEMPTION |
			    SIMGPU_SAYS_HOLD_QUEUES | SIMGPU_SAYS_RANKS |
			    SIMGPU_SAYS_MEMORY_PRIORITY | SIMGPU_SAYS_CHANNELS |
			    SIMGPU_SAYS_LLC_WAYS | SIMGPU_SAYS_BLOCK_LIMITS |
			    SIMGPU_SAYS_HOLD_COPIES | SIMGPU_SAYS_COPY_PRIORITY;
	struct bench *bench = bench_that_finds(computing);
	u32 slot, sm;

	say_all();
	seen.say.flags = lasting | SIMGPU_SAYS_ISSUE_LIMITS | SIMGPU_SAYS_QUOTAS;
	seen.say.wake_cycle = 5000;
	seen.say.sms[0] = 3;
	session_run(bench->session, 1);
	assert_int_equal(found.channels[0], 0xf);
	assert_int_equal(found.llc_ways[63], 0xffff);
	assert_int_equal(found.block_limit[0][0], SIMGPU_ANY_BLOCKS);
	assert_int_equal(found.owner[0], NONE);
	seen.say.wake_cycle = 0;
	session_run(bench->session, 5000);
	assert_int_equal(seen.last.events, SIMGPU_ON_WAKE);
	assert_int_equal(found.hold, 2);
	assert_int_equal(found.preemption, SIMGPU_LEAVE_SWITCH);
	for (slot = 0; slot < SIMGPU_SLOTS_MAX; slot++) {
		assert_int_equal(found.hold_queues[slot], 6);
		assert_int_equal(found.hold_copies[slot], 5);
		assert_int_equal(found.copy_priority[slot], 1);
		assert_int_equal(found.memory_priority[slot], 2);
		assert_int_equal(found.rank[slot], 5);
		assert_int_equal(found.channels[slot], 1);
		assert_int_equal(found.llc_ways[slot], 2);
		assert_int_equal(found.block_limit[7][slot], 3);
		assert_int_equal(found.sms[slot], slot == 0 ? 3 : slot == 1 ? 4 : 0);
		assert_int_equal(found.issue_limit[slot][7],
				 SIMGPU_KEEP_ISSUE_LIMIT);
		assert_int_equal(found.quota[slot], 0);
	}
	for (sm = 0; sm < 8; sm++)
		assert_int_equal(found.owner[sm], owner_of(bench->session, sm));
	assert_int_equal(found.owner[8], NONE);
	assert_int_equal(found.flags, 0);
	assert_int_equal(found.wake_cycle, 0);
	bench_free(bench);
}

/* SMs of who has no work any more are nobody's in what it finds; sharers are told. */
static void who_has_no_work_is_no_owner(void **state)
{
	struct bench *bench = bench_that_finds(brief);
	u32 sm;

	say_even(2);
	session_run(bench->session, 1);
	say_shared(2);
	session_run(bench->session, 4999);
	assert_int_equal(bench->done_count, 1);
	assert_int_equal(seen.last.events & SIMGPU_ON_DEPARTURE,
			 SIMGPU_ON_DEPARTURE);
	for (sm = 0; sm < 8; sm++)
		assert_int_equal(found.owner[sm], sm < 4 ? 1 : NONE);
	assert_int_equal(found.sms[0], 0);
	assert_int_equal(found.sms[1], 4);
	session_run(bench->session, EPOCH);
	for (sm = 0; sm < 8; sm++) {
		assert_int_equal(found.owner[sm], BOTH);
		assert_int_equal(found.sharers[sm], 2);
	}
	assert_int_equal(found.sharers[8], 0);
	bench_free(bench);
}

/* One of several shared SMs gets an owner: it has no sharers, and no rows, any more. */
static void an_sm_with_an_owner_has_no_sharers(void **state)
{
	struct bench *bench = bench_that_finds(computing);
	u32 i;

	say_shared(3);
	session_run(bench->session, EPOCH);
	assert_int_equal(seen.last.shared_rows, 16);
	seen.say.owner[3] = 1;
	session_run(bench->session, EPOCH);
	session_run(bench->session, EPOCH);
	assert_int_equal(session_last_refusal(bench->session)->kind,
			 SESSION_REFUSED_NOTHING);
	assert_int_equal(found.sharers[3], 0);
	assert_int_equal(found.owner[3], 1);
	assert_int_equal(found.sharers[2], 3);
	assert_int_equal(seen.last.shared_rows, 14);
	for (i = 0; i < seen.last.shared_rows; i++)
		assert_true(seen.last.shared[i].sm != 3);
	assert_int_equal(seen.last.tenants[1].sms, 1);
	assert_int_equal(seen.last.tenants[1].shared_sms, 7);
	/* To the hardware it is open to its owner. */
	assert_int_equal(gpu_sm_block_limit(session_gpu(bench->session), 3, 1),
			 GPU_NO_LIMIT);
	bench_free(bench);
}

static void count_words(void *context)
{
	++*(u32 *)context;
}

/* Who owns the session hears of each word that is done, and of none that is not. */
static void words_that_are_done_are_told(void **state)
{
	struct bench *bench = bench_prepared(&looking, 0);
	u32 words = 0;

	bench->hooks = (struct session_hooks) {
		.context = &words, .repartition = count_words,
	};
	bench_start(bench);
	say_even(1);
	join(bench, 0);
	launch(bench, 0, computing, 1, 0);
	session_run(bench->session, 1000);
	assert_int_equal(words, 1);
	session_run(bench->session, EPOCH);
	assert_int_equal(words, 2);
	/* In the place of a word that cannot be done comes the even split's. */
	seen.say.sms[0] = 9;
	session_run(bench->session, EPOCH);
	assert_int_equal(words, 3);
	bench_free(bench);
}

/* --- how thread blocks leave --------------------------------------------------------------- */

/* By SM, how its thread blocks left it last; those of who cares are 1 + SIMGPU_LEAVE_*. */
static u32 ways[8];

static void note_way(void *context, u32 sm, u32 from, u32 to, u32 how)
{
	ways[sm] = 1 + how;
}

/* Slot 0 has four SMs with long thread blocks, of which SM 4 is the first. */
static struct bench *bench_to_leave(u32 preemption, const struct trace *trace,
				    u32 queues)
{
	struct bench *bench = bench_prepared(&looking, 0);
	u64 sequence;
	u32 i;

	bench->hooks.preempt = note_way;
	bench_start(bench);
	say_even(2);
	seen.say.flags = SIMGPU_SAYS_PREEMPTION;
	seen.say.preemption = preemption;
	join(bench, 0);
	join(bench, 1);
	for (i = 0; i < queues; i++) {
		const struct session_launch_options options = {
			.trace = trace, .repeats = 1, .queue = i,
			.idempotent = true,
		};

		assert_int_equal(session_launch_with(bench->session, 0, &options,
						     &sequence), 0);
	}
	launch(bench, 1, computing, 1, 0);
	session_run(bench->session, EPOCH - 1);
	memset(ways, 0, sizeof(ways));
	return bench;
}

/* At the epoch's end all SMs but the first of slot 0's are said to be slot 1's. */
static void say_all_but_one(struct bench *bench)
{
	u32 sm;

	seen.say.flags |= SIMGPU_SAYS_OWNERS;
	for (sm = 0; sm < 8; sm++)
		seen.say.owner[sm] = sm != 4;
	session_run(bench->session, 1);
	assert_int_equal(session_last_refusal(bench->session)->kind,
			 SESSION_REFUSED_NOTHING);
	assert_int_equal(ways[5], 0);
}

/*
 * Thread blocks are short where more ended in an epoch than there is room for at a time
 * (HSM 4.2): those are waited for, and longer ones saved. Of one kernel the room is what
 * the SM can hold of it, of several it is what is there.
 */
static void short_thread_blocks_are_waited_for(void **state)
{
	struct trace *few = trace_compute(8, 1, 100000);
	u32 queues, room, sm;

	for (queues = 1; queues <= 2; queues++) {
		struct bench *bench = bench_to_leave(SIMGPU_LEAVE_ADAPTIVE, few,
						     queues);
		struct session *session = bench->session;

		assert_int_equal(set_of_sms(bench, 0), 0xf0);
		room = gpu_sm_blocks(session_gpu(session), 5, 0);
		assert_int_equal(room, 2 * queues);
		if (queues == 1)
			room = gpu_kernel_blocks_per_sm(
				gpu_config(session_gpu(session)),
				&few->kernels[0]);
		say_all_but_one(bench);
		session->sm_finished[5] = room - 1;
		session->sm_finished[6] = room;
		session->sm_finished[7] = room + 1;
		/* The word takes effect after the model's time. */
		session_run(session, 500);
		for (sm = 0; sm < 5; sm++)
			assert_int_equal(ways[sm], 0);
		assert_int_equal(ways[5], 1 + SIMGPU_LEAVE_SWITCH);
		assert_int_equal(ways[6], 1 + SIMGPU_LEAVE_SWITCH);
		assert_int_equal(ways[7], 1 + SIMGPU_LEAVE_DRAIN);
		bench_free(bench);
	}
	trace_free(few);
}

/* Where the policy says how, it is so on each SM, whatever ended there. */
static void thread_blocks_leave_as_it_is_said(void **state)
{
	static const u32 said[] = {
		SIMGPU_LEAVE_DRAIN, SIMGPU_LEAVE_SWITCH, SIMGPU_LEAVE_RESET,
	};
	u32 i, sm;

	for (i = 0; i < ARRAY_SIZE(said); i++) {
		struct bench *bench = bench_to_leave(said[i], long_blocks, 1);

		say_all_but_one(bench);
		bench->session->sm_finished[7] = 1000;
		session_run(bench->session, 500);
		for (sm = 5; sm < 8; sm++)
			assert_int_equal(ways[sm], 1 + said[i]);
		assert_int_equal(ways[4], 0);
		session_run(bench->session, 1000);
		assert_int_equal(report_of(bench, 0).counters.reset_blocks != 0,
				 said[i] == SIMGPU_LEAVE_RESET);
		bench_free(bench);
	}
}

static void launch_again(struct bench *bench, u32 slot)
{
	const struct session_launch_options options = {
		.trace = long_blocks, .repeats = 1, .idempotent = true,
	};
	u64 sequence;

	join(bench, slot);
	assert_int_equal(session_launch_with(bench->session, slot, &options,
					     &sequence), 0);
}

/*
 * A word that is sound when it is said may find another kernel when it takes effect:
 * what may not run twice is not reset then, whoever else may be there.
 */
static void who_may_not_run_twice_is_not_reset(void **state)
{
	static const bool may[][2] = {
		{ true, true }, { true, false }, { false, true },
		{ false, false },
	};
	u32 i, slot, sm;

	for (i = 0; i < ARRAY_SIZE(may); i++) {
		struct bench *bench = bench_of(8, 1, 0);

		say_shared(3);
		seen.say.flags |= SIMGPU_SAYS_BLOCK_LIMITS |
				  SIMGPU_SAYS_PREEMPTION;
		seen.say.preemption = SIMGPU_LEAVE_RESET;
		for (sm = 0; sm < 8; sm++)
			memset(seen.say.block_limit[sm], 3, 2);
		launch_again(bench, 0);
		launch_again(bench, 1);
		session_run(bench->session, EPOCH - 1);
		for (sm = 0; sm < 8; sm++)
			seen.say.block_limit[sm][1] = 1;
		session_run(bench->session, 1);
		assert_int_equal(gpu_sm_blocks(session_gpu(bench->session), 7, 1),
				 3);
		for (slot = 0; slot < 2; slot++)
			bench->session->tenants[slot].queue[0].launch[0]
				.idempotent = may[i][slot];
		session_run(bench->session, 500);
		assert_int_equal(session_last_refusal(bench->session)->kind,
				 SESSION_REFUSED_NOTHING);
		assert_int_equal(report_of(bench, 0).counters.reset_blocks, 0);
		assert_int_equal(report_of(bench, 1).counters.reset_blocks,
				 may[i][1] ? 8 * 2 : 0);
		bench_free(bench);
	}
}

/* No work is dropped on the word of a policy that is not asked any more. */
static void resets_end_with_their_policy(void **state)
{
	struct bench *bench = bench_to_leave(SIMGPU_LEAVE_RESET, long_blocks, 1);
	u32 sm;

	say_shared(3);
	seen.say.flags |= SIMGPU_SAYS_BLOCK_LIMITS;
	session_run(bench->session, EPOCH);
	assert_int_equal(session_last_refusal(bench->session)->kind,
			 SESSION_REFUSED_NOTHING);
	assert_int_equal(bench->session->controls.preemption,
			 SIMGPU_LEAVE_RESET);
	memset(ways, 0, sizeof(ways));
	session_set_policy(bench->session, &policy_even);
	session_run(bench->session, EPOCH);
	for (sm = 0; sm < 8; sm++)
		assert_true(ways[sm] != 1 + SIMGPU_LEAVE_RESET);
	assert_int_equal(report_of(bench, 0).counters.reset_blocks, 0);
	bench_free(bench);
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
	struct simgpu_proposal *controls = &session->controls;
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
		cmocka_unit_test(the_emptiest_tpc_is_given_up),
		cmocka_unit_test(only_what_is_said_is_done),
		cmocka_unit_test(a_policy_finds_what_it_said),
		cmocka_unit_test(who_has_no_work_is_no_owner),
		cmocka_unit_test(an_sm_with_an_owner_has_no_sharers),
		cmocka_unit_test(words_that_are_done_are_told),
		cmocka_unit_test(short_thread_blocks_are_waited_for),
		cmocka_unit_test(thread_blocks_leave_as_it_is_said),
		cmocka_unit_test(who_may_not_run_twice_is_not_reset),
		cmocka_unit_test(resets_end_with_their_policy),
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
