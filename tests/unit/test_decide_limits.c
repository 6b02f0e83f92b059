// SPDX-License-Identifier: GPL-2.0
/*
 * Limits of what a policy may say: the last that can be done, done; the first that
 * cannot, refused with the slot and the SM that it is about.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <cmocka.h>

#include "looking.h"

#define ALL		SESSION_NOWHERE
#define WAYS		0xffffU
#define SAYS(name)	SIMGPU_SAYS_##name
#define SET(field, value) \
	{ offsetof(struct simgpu_proposal, field), \
	  sizeof(((struct simgpu_proposal *)NULL)->field), (u64)(value) }

/**
 * struct word - a proposal that differs from an even split
 * @flags: of it
 * @set: what differs, each a field, how long it is, and its value
 * @field: that is refused; NULL: none
 * @slot: that the refusal is about
 * @sm: likewise
 * @reason: that it gives
 */
struct word {
	u32 flags;
	struct {
		size_t at;
		size_t bytes;
		u64 value;
	} set[2];
	const char *field;
	u32 slot;
	u32 sm;
	const char *reason;
};

#define GOOD	.field = NULL
#define BAD(said, its_slot, its_sm, why) \
	.field = (said), .slot = (its_slot), .sm = (its_sm), .reason = (why)

static const struct word words[] = {
	{ SAYS(KNOWN) & ~(SAYS(OWNERS) | SAYS(PREEMPTION)), .set = {}, GOOD },
	{ SIMGPU_SAYS_COPY_PRIORITY << 1, .set = {},
	  BAD("flags", ALL, ALL, "it has unknown flags") },
	/* Priorities. */
	{ SAYS(MEMORY_PRIORITY), { SET(memory_priority[0], 3) }, GOOD },
	{ 0, { SET(memory_priority[0], 4) }, GOOD },
	{ SAYS(MEMORY_PRIORITY), { SET(memory_priority[0], 4) },
	  BAD("memory_priority", 0, ALL, "a memory priority is above 3") },
	{ SAYS(MEMORY_PRIORITY), { SET(memory_priority[63], 4) },
	  BAD("memory_priority", 63, ALL, "a memory priority is above 3") },
	{ SAYS(COPY_PRIORITY), { SET(copy_priority[63], 3) }, GOOD },
	{ 0, { SET(copy_priority[63], 4) }, GOOD },
	{ SAYS(COPY_PRIORITY), { SET(copy_priority[63], 4) },
	  BAD("copy_priority", 63, ALL, "a priority of copies is above 3") },
	{ SAYS(HOLD_COPIES), { SET(hold_copies[0], 0xff), SET(hold_copies[63], 0x80) }, GOOD },
	/* Clocks. */
	{ SAYS(CLOCK), { SET(clock_mhz, 680) }, GOOD },
	{ 0, { SET(clock_mhz, 681) }, GOOD },
	{ SAYS(CLOCK), { SET(clock_mhz, 681) },
	  BAD("clock_mhz", ALL, ALL, "the SMs cannot have that clock") },
	/* Masks. */
	{ SAYS(CHANNELS), { SET(channels[0], 0xf), SET(channels[63], 8) }, GOOD },
	{ SAYS(CHANNELS), { SET(channels[63], 0x1f) },
	  BAD("channels", 63, ALL, "a mask has no memory channel, or one that there is not") },
	{ SAYS(CHANNELS), { SET(channels[0], 0) },
	  BAD("channels", 0, ALL, "a mask has no memory channel, or one that there is not") },
	{ SAYS(LLC_WAYS), { SET(channels[0], 0) }, GOOD },
	{ SAYS(LLC_WAYS), { SET(llc_ways[0], WAYS), SET(llc_ways[63], 0x8000) },
	  GOOD },
	{ SAYS(LLC_WAYS), { SET(llc_ways[63], WAYS + 1) },
	  BAD("llc_ways", 63, ALL, "a mask has no way of the last-level cache, or one that there is not") },
	{ SAYS(LLC_WAYS), { SET(llc_ways[0], 0) },
	  BAD("llc_ways", 0, ALL, "a mask has no way of the last-level cache, or one that there is not") },
	{ SAYS(CHANNELS), { SET(llc_ways[0], 0) }, GOOD },
	/* Counts. */
	{ 0, { SET(sms[0], 4), SET(sms[1], 4) }, GOOD },
	{ 0, { SET(sms[0], 1), SET(sms[1], 1) }, GOOD },
	{ 0, { SET(sms[0], 5), SET(sms[1], 4) },
	  BAD("sms", ALL, ALL, "the counts are more than there are SMs") },
	{ 0, { SET(sms[0], U32_MAX), SET(sms[1], 4) },
	  BAD("sms", ALL, ALL, "the counts are more than there are SMs") },
	{ 0, { SET(sms[0], 8), SET(sms[1], 0) },
	  BAD("sms", 1, ALL, "a tenant with work that is not held gets no SM") },
	{ SAYS(HOLD), { SET(sms[1], 0), SET(hold, 2) }, GOOD },
	{ SAYS(HOLD), { SET(sms[1], 0), SET(hold, ~2ULL) },
	  BAD("sms", 1, ALL, "a tenant with work that is not held gets no SM") },
	{ 0, { SET(sms[1], 0), SET(hold, 2) },
	  BAD("sms", 1, ALL, "a tenant with work that is not held gets no SM") },
	{ 0, { SET(sms[1], 3), SET(sms[63], 1) },
	  BAD("sms", 63, ALL, "a tenant without work gets SMs") },
	/* Owners: of the even SMs slot 0, of the odd ones slot 1. */
	{ SAYS(OWNERS), .set = {}, GOOD },
	{ SAYS(OWNERS), { SET(owner[7], SIMGPU_NO_OWNER) }, GOOD },
	{ SAYS(OWNERS), { SET(sms[0], 9), SET(sms[63], 1) }, GOOD },
	{ SAYS(OWNERS), { SET(owner[7], SIMGPU_SLOTS_MAX - 1) },
	  BAD("owner", 63, 7, "a tenant without work gets an SM") },
	{ SAYS(OWNERS), { SET(owner[0], 2) },
	  BAD("owner", 2, 0, "a tenant without work gets an SM") },
	{ SAYS(OWNERS), { SET(owner[7], SIMGPU_SLOTS_MAX) },
	  BAD("owner", ALL, 7, "an SM's owner is no slot") },
	{ SAYS(OWNERS), { SET(owner[8], SIMGPU_SLOTS_MAX) }, GOOD },
	{ SAYS(OWNERS), { SET(owner[7], SIMGPU_SHARED) },
	  BAD("sharers", ALL, 7, "a shared SM has no sharers") },
	{ SAYS(OWNERS), { SET(owner[7], SIMGPU_SHARED),
			  SET(sharers[7], 1ULL << 63) }, GOOD },
	/* Quotas. */
	{ SAYS(QUOTAS), { SET(quota[63], 0), SET(refill[63], 0) }, GOOD },
	{ SAYS(QUOTAS), { SET(quota[0], SIMGPU_QUOTA_MAX),
			  SET(refill[0], SIMGPU_QUOTA_MAX) }, GOOD },
	{ SAYS(QUOTAS), { SET(quota[63], -1) },
	  BAD("quota", 63, ALL, "a quota is out of its range") },
	{ SAYS(QUOTAS), { SET(quota[0], SIMGPU_QUOTA_MAX + 1) },
	  BAD("quota", 0, ALL, "a quota is out of its range") },
	{ SAYS(QUOTAS), { SET(refill[63], SIMGPU_QUOTA_MAX + 1) },
	  BAD("refill", 63, ALL, "a refill is out of its range") },
	{ SAYS(QUOTAS), { SET(refill[0], -1) },
	  BAD("refill", 0, ALL, "a refill is out of its range") },
	{ SAYS(QUOTAS), { SET(quota_flags[0], SIMGPU_QUOTA_FLAGS |
						 SIMGPU_QUOTA_KEEP) }, GOOD },
	{ SAYS(QUOTAS), { SET(quota_flags[0], 16) },
	  BAD("quota_flags", 0, ALL, "a quota has unknown flags") },
	{ 0, { SET(quota[0], -1), SET(quota_flags[0], 16) }, GOOD },
	/* Orders. */
	{ SAYS(BLOCK_ORDER), { SET(block_order, SIMGPU_ORDER_RANK),
			       SET(bucket[0], 0) }, GOOD },
	{ SAYS(BLOCK_ORDER), { SET(block_order, SIMGPU_ORDER_RANK + 1) },
	  BAD("block_order", ALL, ALL, "there is no such order of thread blocks") },
	{ 0, { SET(block_order, SIMGPU_ORDER_RANK + 1) }, GOOD },
	{ SAYS(BLOCK_ORDER), { SET(block_order, SIMGPU_ORDER_LEAKY_BUCKET),
			       SET(bucket[63], SIMGPU_BUCKET_MAX) }, GOOD },
	{ SAYS(BLOCK_ORDER), { SET(block_order, SIMGPU_ORDER_LEAKY_BUCKET),
			       SET(bucket[63], SIMGPU_BUCKET_MAX + 1) },
	  BAD("bucket", 63, ALL, "a bucket's capacity is out of its range") },
	{ SAYS(BLOCK_ORDER), { SET(block_order, SIMGPU_ORDER_LEAKY_BUCKET),
			       SET(bucket[0], 0) },
	  BAD("bucket", 0, ALL, "a bucket's capacity is out of its range") },
	/* What fits, and what a worker runs. */
	{ SAYS(SM_BLOCKS), { SET(sm_blocks, 16) }, GOOD },
	{ SAYS(SM_BLOCKS), { SET(sm_blocks, 17) },
	  BAD("sm_blocks", ALL, ALL, "an SM does not hold so many thread blocks") },
	{ 0, { SET(sm_blocks, 17) }, GOOD },
	{ SAYS(WORKERS), { SET(worker_blocks, SIMGPU_WORKER_BLOCKS_MAX) }, GOOD },
	{ SAYS(WORKERS), { SET(worker_blocks, SIMGPU_WORKER_BLOCKS_MAX + 1) },
	  BAD("worker_blocks", ALL, ALL, "a worker does not run so many thread blocks before it looks") },
	{ 0, { SET(worker_blocks, SIMGPU_WORKER_BLOCKS_MAX + 1) }, GOOD },
	/* Limits of who is not there. */
	{ SAYS(ISSUE_LIMITS), { SET(issue_limit[0][7], 5), }, GOOD },
	{ SAYS(ISSUE_LIMITS), { SET(issue_limit[63][7],
				    SIMGPU_KEEP_ISSUE_LIMIT) }, GOOD },
	{ SAYS(ISSUE_LIMITS), { SET(issue_limit[63][7], 1) },
	  BAD("issue_limit", 63, ALL, "a slot without a tenant gets an issue limit") },
	{ SAYS(ISSUE_LIMITS), { SET(issue_limit[2][0], 1) },
	  BAD("issue_limit", 2, ALL, "a slot without a tenant gets an issue limit") },
	{ 0, { SET(issue_limit[63][7], 1) }, GOOD },
	/* Parameters. */
	{ SAYS(PREEMPTION), { SET(preemption, SIMGPU_LEAVE_ADAPTIVE) }, GOOD },
	{ SAYS(PREEMPTION), { SET(preemption, SIMGPU_LEAVE_RESET) }, GOOD },
	{ SAYS(PREEMPTION), { SET(preemption, SIMGPU_LEAVE_RESET + 1) },
	  BAD("preemption", ALL, ALL, "thread blocks cannot leave an SM in that way") },
	{ 0, { SET(preemption, SIMGPU_LEAVE_RESET + 1) }, GOOD },
	{ SAYS(IDLE_SAMPLES), { SET(idle_sample_cycles, 10) }, GOOD },
	{ SAYS(IDLE_SAMPLES), { SET(idle_sample_cycles, 0) }, GOOD },
	{ SAYS(IDLE_SAMPLES), { SET(idle_sample_cycles, 9) },
	  BAD("idle_sample_cycles", ALL, ALL, "samples of idle warps are less than 10 cycles apart") },
	{ SAYS(IDLE_SAMPLES), { SET(idle_sample_cycles, 1) },
	  BAD("idle_sample_cycles", ALL, ALL, "samples of idle warps are less than 10 cycles apart") },
	{ 0, { SET(idle_sample_cycles, 9) }, GOOD },
	/* Cycles are those of the device: the epoch ends at 10000. */
	{ 0, { SET(wake_cycle, 11000) }, GOOD },
	{ 0, { SET(wake_cycle, 10999) },
	  BAD("wake_cycle", ALL, ALL, "a wake is less than 1000 cycles ahead") },
	{ 0, { SET(wake_cycle, 1) },
	  BAD("wake_cycle", ALL, ALL, "a wake is less than 1000 cycles ahead") },
};

/* What can be done in all its parts, whatever the flags say. */
static void say_well(void)
{
	u32 i;

	say_even(2);
	memset(seen.say.owner, SIMGPU_NO_OWNER, sizeof(seen.say.owner));
	for (i = 0; i < 8; i++)
		seen.say.owner[i] = i % 2;
	for (i = 0; i < SIMGPU_SLOTS_MAX; i++) {
		seen.say.channels[i] = 1;
		seen.say.llc_ways[i] = 1;
		seen.say.bucket[i] = 1;
	}
}

static void say(const struct word *word)
{
	u32 i;

	say_well();
	seen.say.flags = word->flags;
	for (i = 0; i < ARRAY_SIZE(word->set); i++)
		memcpy((char *)&seen.say + word->set[i].at, &word->set[i].value,
		       word->set[i].bytes);
}

static struct bench *bench_for_two(const struct simgpu_policy *policy)
{
	struct bench *bench = bench_with(policy, 0);

	say_even(2);
	join(bench, 0);
	launch(bench, 0, computing, 1, 0);
	join(bench, 1);
	launch(bench, 1, random_reads, 1, 0);
	session_run(bench->session, EPOCH - 1);
	assert_int_equal(session_last_refusal(bench->session)->kind,
			 SESSION_REFUSED_NOTHING);
	return bench;
}

static void expect_said(const struct bench *bench, u32 number,
			const struct word *word)
{
	const struct session_refusal *why = session_last_refusal(bench->session);

	if (!word->field) {
		if (why->kind != SESSION_REFUSED_NOTHING)
			fail_msg("%u: refused: %s: %s", number, why->field,
				 why->reason);
		return;
	}
	if (why->kind != SESSION_REFUSED_PROPOSAL)
		fail_msg("%u: not refused: %s", number, word->reason);
	assert_string_equal(why->field, word->field);
	assert_string_equal(why->reason, word->reason);
	assert_int_equal(why->code, -EINVAL);
	assert_int_equal(why->slot, word->slot);
	assert_int_equal(why->sm, word->sm);
	assert_int_equal(why->cycle, EPOCH);
}

static void limits_are_the_last_that_can_be_done(void **state)
{
	u32 i;

	for (i = 0; i < ARRAY_SIZE(words); i++) {
		struct bench *bench = bench_for_two(&looking);

		say(&words[i]);
		session_run(bench->session, 1);
		expect_said(bench, i, &words[i]);
		bench_free(bench);
	}
}

/* SMs of a TPC go together, with the same sharers. */
static void tpcs_are_kept_whole(void **state)
{
	const struct word cases[] = {
		{ 0, { SET(owner[5], 0) },
		  BAD("owner", ALL, 5, "the SMs of a TPC go to different owners") },
		{ 0, { SET(owner[5], SIMGPU_NO_OWNER) },
		  BAD("owner", ALL, 5, "the SMs of a TPC go to different owners") },
		{ 0, { SET(sharers[7], 1) },
		  BAD("owner", ALL, 7, "the SMs of a TPC go to different owners") },
		{ 0, { SET(sharers[5], 1) }, GOOD },
		{ 0, .set = {}, GOOD },
	};
	u32 i, sm;

	for (i = 0; i < ARRAY_SIZE(cases); i++) {
		struct bench *bench = bench_prepared(&looking, 0);

		bench->options.config.sms_per_tpc = 2;
		bench_start(bench);
		say(&cases[i]);
		seen.say.flags = SIMGPU_SAYS_OWNERS;
		for (sm = 0; sm < 8; sm++) {
			if (sm != 5 || !cases[i].set[0].bytes ||
			    cases[i].set[0].at !=
			    offsetof(struct simgpu_proposal, owner[5]))
				seen.say.owner[sm] = sm < 4 ? 0 : sm < 6 ? 1 :
							      SIMGPU_SHARED;
			if (sm >= 6 && !seen.say.sharers[sm])
				seen.say.sharers[sm] = 3;
		}
		join(bench, 0);
		join(bench, 1);
		launch(bench, 0, computing, 1, 0);
		launch(bench, 1, computing, 1, 0);
		session_run(bench->session, 1);
		if (cases[i].field) {
			const struct session_refusal *why =
				session_last_refusal(bench->session);

			assert_string_equal(why->field, cases[i].field);
			assert_string_equal(why->reason, cases[i].reason);
			assert_int_equal(why->slot, cases[i].slot);
			assert_int_equal(why->sm, cases[i].sm);
		} else {
			expect_said(bench, i, &cases[i]);
		}
		bench_free(bench);
	}
}

/* Where tenants are more than TPCs, some may go without. */
static void where_sms_are_scarce_some_get_none(void **state)
{
	struct bench *bench;
	u32 tenants, slot;

	for (tenants = 8; tenants <= 9; tenants++) {
		bench = bench_with(&looking, 0);
		say_even(8);
		seen.say.sms[7] = 0;
		for (slot = 0; slot < tenants; slot++) {
			join(bench, slot);
			launch(bench, slot, computing, 1, 0);
		}
		session_run(bench->session, 1);
		assert_int_equal(session_last_refusal(bench->session)->kind,
				 tenants == 8 ? SESSION_REFUSED_PROPOSAL :
						SESSION_REFUSED_NOTHING);
		if (tenants == 8)
			assert_int_equal(session_last_refusal(bench->session)->slot,
					 7);
		bench_free(bench);
	}
}

/* The first and the last slot are slots like the others. */
static void slot_0_may_be_empty(void **state)
{
	struct bench *bench = bench_with(&looking, 0);
	const struct session_refusal *why = session_last_refusal(bench->session);

	say_even(2);
	seen.say.sms[0] = 0;
	seen.say.sms[63] = 4;
	seen.say.flags = SIMGPU_SAYS_ISSUE_LIMITS;
	memset(seen.say.issue_limit, 0, sizeof(seen.say.issue_limit));
	join(bench, 1);
	join(bench, 63);
	launch(bench, 1, computing, 1, 0);
	launch(bench, 63, computing, 1, 0);
	session_run(bench->session, 1);
	assert_int_equal(why->kind, SESSION_REFUSED_NOTHING);
	assert_int_equal(report_of(bench, 63).sms, 4);
	seen.say.issue_limit[0][7] = 1;
	session_run(bench->session, EPOCH);
	expect_proposal_refused(bench, "issue_limit", 0);
	bench_free(bench);
}

/* A wake that stands may be named again; another one has to be ahead. */
static void a_wake_that_stands_may_be_named_again(void **state)
{
	struct bench *bench = bench_for_two(&looking);
	const struct session_refusal *why = session_last_refusal(bench->session);

	say_well();
	seen.say.wake_cycle = 20500;
	session_run(bench->session, 1);
	/* At 20000, the end of the next epoch, it is 500 cycles ahead. */
	session_run(bench->session, EPOCH);
	assert_int_equal(why->kind, SESSION_REFUSED_NOTHING);
	assert_int_equal(seen.last.cycle, 20000);
	seen.say.wake_cycle = 0;
	session_run(bench->session, 500);
	assert_int_equal(seen.last.cycle, 20500);
	assert_int_equal(seen.last.events, SIMGPU_ON_WAKE);
	bench_free(bench);
}

static void who_lists_no_wakes_names_none(void **state)
{
	static const struct simgpu_policy deaf = {
		.name = "deaf", .events = SIMGPU_ON_KNOWN & ~SIMGPU_ON_WAKE &
					  ~SIMGPU_ON_QUOTA_OUT,
		.decide = look,
	};
	struct bench *bench = bench_for_two(&deaf);

	say_well();
	seen.say.wake_cycle = 50000;
	session_run(bench->session, 1);
	assert_string_equal(session_last_refusal(bench->session)->field,
			    "wake_cycle");
	assert_string_equal(session_last_refusal(bench->session)->reason,
			    "a policy that does not list wakes names one");
	bench_free(bench);
}

/* --- resets --- */

/* Both on all SMs, three thread blocks each; slot 0 may be reset, slot 1 not. */
static struct bench *bench_of_sharers(void)
{
	const struct session_launch_options resettable = {
		.trace = computing, .repeats = 1, .idempotent = true,
	};
	struct bench *bench = bench_with(&looking, 0);
	u64 sequence;
	u32 sm;

	say_shared(3);
	seen.say.flags |= SIMGPU_SAYS_BLOCK_LIMITS;
	for (sm = 0; sm < 8; sm++) {
		seen.say.block_limit[sm][0] = 3;
		seen.say.block_limit[sm][1] = 3;
	}
	join(bench, 0);
	assert_int_equal(session_launch_with(bench->session, 0, &resettable,
					     &sequence), 0);
	join(bench, 1);
	launch(bench, 1, computing, 1, 0);
	session_run(bench->session, EPOCH - 1);
	for (sm = 0; sm < 8; sm++)
		assert_int_equal(gpu_sm_blocks(session_gpu(bench->session), sm,
					       1), 3);
	seen.say.flags |= SIMGPU_SAYS_PREEMPTION;
	seen.say.preemption = SIMGPU_LEAVE_RESET;
	return bench;
}

/* Who may not be reset keeps its place: as sharer, with as many thread blocks. */
static void resets_spare_who_keeps_its_place(void **state)
{
	const struct word cases[] = {
		{ 0, .set = {}, GOOD },
		{ 0, { SET(block_limit[2][1], 2) },
		  BAD("preemption", 1, 2, "a kernel is to be reset whose launch is not idempotent") },
		{ 0, { SET(block_limit[2][0], 2) }, GOOD },
		{ 0, { SET(sharers[7], 1) },
		  BAD("preemption", 1, 7, "a kernel is to be reset whose launch is not idempotent") },
		{ 0, { SET(sharers[7], 2) }, GOOD },
		{ 0, { SET(owner[3], 0) },
		  BAD("preemption", 1, 3, "a kernel is to be reset whose launch is not idempotent") },
		{ 0, { SET(owner[3], 1) }, GOOD },
		{ 0, { SET(owner[3], SIMGPU_NO_OWNER) },
		  BAD("preemption", 1, 3, "a kernel is to be reset whose launch is not idempotent") },
		{ 0, { SET(preemption, SIMGPU_LEAVE_SWITCH),
		       SET(owner[3], 0) }, GOOD },
	};
	u32 i, j;

	for (i = 0; i < ARRAY_SIZE(cases); i++) {
		struct bench *bench = bench_of_sharers();

		for (j = 0; j < ARRAY_SIZE(cases[i].set); j++)
			memcpy((char *)&seen.say + cases[i].set[j].at,
			       &cases[i].set[j].value, cases[i].set[j].bytes);
		session_run(bench->session, 1);
		expect_said(bench, i, &cases[i]);
		bench_free(bench);
	}
}

/* By counts, in slot 0: who keeps as many keeps all of them. */
static void resets_by_counts_spare_who_keeps_as_many(void **state)
{
	struct bench *bench = bench_with(&looking, 0);
	const struct session_refusal *why = session_last_refusal(bench->session);

	say_even(2);
	seen.say.flags = SIMGPU_SAYS_PREEMPTION;
	seen.say.preemption = SIMGPU_LEAVE_RESET;
	join(bench, 0);
	join(bench, 1);
	launch(bench, 0, computing, 1, 0);
	launch(bench, 1, computing, 1, 0);
	session_run(bench->session, EPOCH);
	assert_int_equal(why->kind, SESSION_REFUSED_NOTHING);
	seen.say.sms[0] = 3;
	session_run(bench->session, EPOCH);
	assert_int_equal(why->kind, SESSION_REFUSED_PROPOSAL);
	assert_int_equal(why->slot, 0);
	assert_int_equal(why->sm, ALL);
	bench_free(bench);
}

/* Limits that are not said again bind nobody to them. */
static void resets_go_by_what_is_said(void **state)
{
	struct bench *bench = bench_of_sharers();

	seen.say.flags &= ~SIMGPU_SAYS_BLOCK_LIMITS;
	memset(seen.say.block_limit, 0, sizeof(seen.say.block_limit));
	session_run(bench->session, 1);
	assert_int_equal(session_last_refusal(bench->session)->kind,
			 SESSION_REFUSED_NOTHING);
	/* And counts end all sharing: slot 1 would lose its thread blocks. */
	say_even(2);
	session_run(bench->session, EPOCH);
	assert_int_equal(session_last_refusal(bench->session)->kind,
			 SESSION_REFUSED_PROPOSAL);
	assert_int_equal(session_last_refusal(bench->session)->slot, 1);
	assert_int_equal(session_last_refusal(bench->session)->sm, ALL);
	bench_free(bench);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(limits_are_the_last_that_can_be_done),
		cmocka_unit_test(tpcs_are_kept_whole),
		cmocka_unit_test(where_sms_are_scarce_some_get_none),
		cmocka_unit_test(slot_0_may_be_empty),
		cmocka_unit_test(a_wake_that_stands_may_be_named_again),
		cmocka_unit_test(who_lists_no_wakes_names_none),
		cmocka_unit_test(resets_spare_who_keeps_its_place),
		cmocka_unit_test(resets_by_counts_spare_who_keeps_as_many),
		cmocka_unit_test(resets_go_by_what_is_said),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests_name("decide_limits", tests, make_traces,
					   free_traces);
}
