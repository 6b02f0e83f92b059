// SPDX-License-Identifier: GPL-2.0
/*
 * Decisions: when policies and models are asked, what each part of a proposal does
 * to the device, what is refused, and what remains when a policy goes.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <cmocka.h>

#include "../../kmod/core/journal.h"
#include "bench.h"

#define CALLS_MAX	512

/* What the policies of these tests saw, and what they are to say. */
static struct {
	u32 count;
	struct {
		u64 cycle;
		u32 events;
		u32 of_tenant[4];
		u32 active;
	} call[CALLS_MAX];
	struct simgpu_snapshot last;
	struct simgpu_proposal say;
	bool says;
	u64 wake_after;
} seen;

static int look(const struct simgpu_snapshot *snapshot, void *state,
		struct simgpu_proposal *proposal)
{
	u32 slot;

	assert_true(seen.count < CALLS_MAX);
	seen.call[seen.count].cycle = snapshot->cycle;
	seen.call[seen.count].events = snapshot->events;
	seen.call[seen.count].active = snapshot->tenants_active;
	for (slot = 0; slot < 4; slot++)
		seen.call[seen.count].of_tenant[slot] =
			snapshot->tenants[slot].events;
	seen.count++;
	seen.last = *snapshot;
	if (seen.says)
		*proposal = seen.say;
	if (seen.wake_after)
		proposal->wake_cycle = snapshot->cycle + seen.wake_after;
	return 0;
}

static const struct simgpu_policy looking = {
	.name = "look",
	.events = SIMGPU_ON_KNOWN,
	.needs = SIMGPU_NEEDS_SHARED_ROWS,
	.state_bytes = 64,
	.decide = look,
};

static struct bench *bench_with(const struct simgpu_policy *policy,
				u32 gang_size)
{
	struct bench *bench = malloc(sizeof(*bench));

	memset(&seen, 0, sizeof(seen));
	bench_options(bench, gang_size);
	bench->options.policy = policy;
	bench->options.kernel_end = SESSION_KERNEL_END_CARRY;
	session_default_params(&bench->options);
	bench_start(bench);
	return bench;
}

/* Even, but with nothing said of it: what a proposal begins with. */
static void say_even(u32 tenants)
{
	u32 slot;

	memset(&seen.say, 0, sizeof(seen.say));
	for (slot = 0; slot < tenants; slot++)
		seen.say.sms[slot] = 8 / tenants;
	memset(seen.say.block_limit, SIMGPU_ANY_BLOCKS,
	       sizeof(seen.say.block_limit));
	for (slot = 0; slot < SIMGPU_SLOTS_MAX; slot++)
		seen.say.quota[slot] = SIMGPU_NO_QUOTA;
	seen.says = true;
}

static void say_shared(u64 sharers)
{
	u32 sm;

	say_even(2);
	seen.say.flags = SIMGPU_SAYS_OWNERS;
	for (sm = 0; sm < 8; sm++) {
		seen.say.owner[sm] = SIMGPU_SHARED;
		seen.say.sharers[sm] = sharers;
	}
}

/* --- events --- */

static void each_event_is_told(void **state)
{
	struct bench *bench = bench_with(&looking, 0);

	join(bench, 0);
	launch(bench, 0, brief, 1, 0);
	join(bench, 1);
	launch(bench, 1, brief, 1, 0);
	session_run(bench->session, 1);
	/* Both come at cycle 0, a boundary, and wait until it was asked. */
	assert_int_equal(seen.count, 1);
	assert_int_equal(seen.call[0].cycle, 0);
	assert_int_equal(seen.call[0].events,
			 SIMGPU_ON_ARRIVAL | SIMGPU_ON_KERNEL_READY);
	assert_int_equal(seen.call[0].of_tenant[1],
			 SIMGPU_ON_ARRIVAL | SIMGPU_ON_KERNEL_READY);
	assert_int_equal(seen.call[0].of_tenant[2], 0);
	assert_int_equal(seen.call[0].active, 2);
	assert_int_equal(seen.last.tenants[0].queue[0].head.flags,
			 SIMGPU_KERNEL_PRESENT);
	bench_free(bench);
}

/* Nobody gave them SMs: the policy did not, and an even split is not for it. */
static void nothing_is_split_for_who_listens(void **state)
{
	struct bench *bench = bench_with(&looking, 0);

	say_even(1);
	seen.say.sms[0] = 3;
	join(bench, 0);
	launch(bench, 0, computing, 1, 0);
	session_run(bench->session, 3 * EPOCH);
	assert_int_equal(report_of(bench, 0).sms, 3);
	assert_int_equal(bench->epoch_count, 3);
	assert_int_equal(bench->epochs[1].tenants[0].sms, 3);
	assert_int_equal(session_last_refusal(bench->session)->kind,
			 SESSION_REFUSED_NOTHING);
	bench_free(bench);
}

static void kernel_ends_come_at_boundaries(void **state)
{
	struct bench *bench = bench_with(&looking, 0);
	u32 ends = 0, i;

	say_even(1);
	join(bench, 0);
	launch(bench, 0, brief, 5, 0);
	session_run(bench->session, ALL_AT_ONCE);
	for (i = 0; i < seen.count; i++) {
		if (seen.call[i].events & ~SIMGPU_ON_EPOCH)
			assert_int_equal(seen.call[i].cycle %
					 SESSION_DECISION_CYCLES, 0);
		ends += !!(seen.call[i].events & SIMGPU_ON_KERNEL_END);
	}
	/* The last one ends as time stops: nobody waits for an answer. */
	assert_in_range(ends, 4, 5);
	assert_int_equal(report_of(bench, 0).counters.kernels_finished, 5);
	bench_free(bench);
}

static void departures_are_told(void **state)
{
	struct bench *bench = bench_with(&looking, 0);

	join(bench, 0);
	launch(bench, 0, computing, 1, 0);
	join(bench, 1);
	launch(bench, 1, computing, 1, 0);
	say_even(2);
	session_run(bench->session, 500);
	assert_int_equal(seen.count, 1);
	say_even(1);
	session_leave(bench->session, 1);
	session_run(bench->session, 200);
	assert_int_equal(seen.count, 2);
	assert_int_equal(seen.call[1].cycle, 600);
	assert_int_equal(seen.call[1].events, SIMGPU_ON_DEPARTURE);
	assert_int_equal(seen.call[1].of_tenant[1], SIMGPU_ON_DEPARTURE);
	assert_int_equal(seen.call[1].active, 1);
	assert_int_equal(report_of(bench, 0).sms, 8);
	bench_free(bench);
}

static void wakes_come_when_they_were_asked_for(void **state)
{
	struct bench *bench = bench_with(&looking, 0);
	u32 wakes = 0, i;

	say_even(1);
	seen.wake_after = 1700;
	join(bench, 0);
	launch(bench, 0, computing, 1, 0);
	session_run(bench->session, 20001);
	for (i = 1; i < seen.count; i++) {
		if (!(seen.call[i].events & SIMGPU_ON_WAKE))
			continue;
		assert_int_equal(seen.call[i].cycle,
				 seen.call[i - 1].cycle + 1700);
		wakes++;
	}
	/* Each epoch's end names a new one, too. */
	assert_int_equal(wakes, 10);
	bench_free(bench);
}

/* An epoch's end and a wake of the same cycle are one call. */
static void events_of_one_cycle_are_one_call(void **state)
{
	struct bench *bench = bench_with(&looking, 0);

	say_even(1);
	seen.wake_after = EPOCH;
	join(bench, 0);
	launch(bench, 0, computing, 1, 0);
	session_run(bench->session, EPOCH + 1);
	assert_int_equal(seen.count, 2);
	assert_int_equal(seen.call[1].events, SIMGPU_ON_EPOCH | SIMGPU_ON_WAKE);
	bench_free(bench);
}

/* --- holding --- */

static void held_kernels_do_not_start(void **state)
{
	struct bench *bench = bench_with(&looking, 0);
	struct gpu_kernel_status kernel;

	say_even(2);
	seen.say.flags = SIMGPU_SAYS_HOLD;
	seen.say.hold = 2;
	seen.say.sms[0] = 8;
	seen.say.sms[1] = 0;
	join(bench, 0);
	launch(bench, 0, computing, 1, 0);
	join(bench, 1);
	launch(bench, 1, brief, 1, 0);
	session_run(bench->session, 2 * EPOCH);
	gpu_kernel_status(session_gpu(bench->session), 1, &kernel);
	assert_false(kernel.running);
	assert_true(report_of(bench, 1).held);
	assert_true(report_of(bench, 1).active);
	assert_int_equal(report_of(bench, 1).sms, 0);
	assert_int_equal(seen.last.tenants[1].held, 1);
	assert_int_equal(seen.last.tenants[1].queue[0].head.flags,
			 SIMGPU_KERNEL_PRESENT);
	/* Let go, it starts with the next decision. */
	say_even(2);
	seen.say.flags = SIMGPU_SAYS_HOLD;
	session_run(bench->session, 3 * EPOCH);
	assert_int_equal(report_of(bench, 1).counters.kernels_finished, 1);
	bench_free(bench);
}

static void nobody_is_held_for_ever(void **state)
{
	struct bench *bench = malloc(sizeof(*bench));
	const struct session_refusal *why;

	memset(&seen, 0, sizeof(seen));
	bench_options(bench, 0);
	bench->options.policy = &looking;
	bench->options.hold_cycles = 40000;
	session_default_params(&bench->options);
	bench_start(bench);
	say_even(2);
	seen.say.flags = SIMGPU_SAYS_HOLD;
	seen.say.hold = 2;
	seen.say.sms[0] = 8;
	seen.say.sms[1] = 0;
	join(bench, 0);
	launch(bench, 0, computing, 1, 0);
	join(bench, 1);
	launch(bench, 1, brief, 1, 0);
	session_run(bench->session, 39999);
	assert_true(report_of(bench, 1).held);
	session_run(bench->session, 5002);
	why = session_last_refusal(bench->session);
	assert_int_equal(why->kind, SESSION_REFUSED_HOLD);
	assert_int_equal(why->slot, 1);
	assert_string_equal(why->field, "hold");
	assert_in_range(why->cycle, 40000, 45000);
	assert_false(report_of(bench, 1).held);
	assert_int_equal(report_of(bench, 1).sms, 4);
	session_run(bench->session, 2 * EPOCH);
	assert_int_equal(report_of(bench, 1).counters.kernels_finished, 1);
	bench_free(bench);
}

/* Without a hold: a quota of nothing that nobody fills again. */
static void nobody_is_starved_by_quotas(void **state)
{
	struct bench *bench = malloc(sizeof(*bench));

	memset(&seen, 0, sizeof(seen));
	bench_options(bench, 0);
	bench->options.policy = &looking;
	bench->options.hold_cycles = 40000;
	session_default_params(&bench->options);
	bench_start(bench);
	say_shared(3);
	seen.say.flags |= SIMGPU_SAYS_QUOTAS;
	seen.say.quota[1] = 0;
	join(bench, 0);
	launch(bench, 0, computing, 1, 0);
	join(bench, 1);
	launch(bench, 1, brief, 1, 0);
	session_run(bench->session, 60000);
	assert_int_equal(session_last_refusal(bench->session)->kind,
			 SESSION_REFUSED_HOLD);
	assert_int_equal(session_last_refusal(bench->session)->slot, 1);
	assert_int_equal(report_of(bench, 1).counters.kernels_finished, 1);
	bench_free(bench);
}

/* --- sharing --- */

static struct gpu_sm_tenant registers_of(struct bench *bench, u32 sm, u32 slot)
{
	struct gpu_sm_tenant registers;

	gpu_sm_tenant(session_gpu(bench->session), sm, slot, &registers);
	return registers;
}

static u32 owner_now(struct bench *bench, u32 sm)
{
	struct gpu_sm_status status;

	gpu_sm_status(session_gpu(bench->session), sm, &status);
	return status.owner;
}

/* Room for three thread blocks of each on an SM, so that neither takes it all. */
static void say_three_blocks(void)
{
	u32 sm, slot;

	seen.say.flags |= SIMGPU_SAYS_BLOCK_LIMITS;
	for (sm = 0; sm < 8; sm++)
		for (slot = 0; slot < 2; slot++)
			seen.say.block_limit[sm][slot] = 3;
}

static struct bench *share_between(u64 sharers)
{
	struct bench *bench = bench_with(&looking, 0);

	say_shared(sharers);
	say_three_blocks();
	join(bench, 0);
	launch(bench, 0, computing, 1, 0);
	join(bench, 1);
	launch(bench, 1, random_reads, 1, 0);
	/* Past what it said at the second epoch's end, which takes a while. */
	session_run(bench->session, 2 * EPOCH + 1000);
	return bench;
}

static void shared_sms_have_both(void **state)
{
	struct bench *bench = share_between(3);
	u32 sm, slot;

	for (sm = 0; sm < 8; sm++) {
		assert_int_equal(owner_now(bench, sm), GPU_SHARED);
		for (slot = 0; slot < 2; slot++)
			assert_true(registers_of(bench, sm, slot).blocks > 0);
	}
	assert_int_equal(report_of(bench, 0).sms, 8);
	assert_int_equal(report_of(bench, 0).shared_sms, 8);
	assert_int_equal(seen.last.shared_rows, 16);
	assert_int_equal(seen.last.shared[3].sm, 1);
	assert_int_equal(seen.last.shared[3].slot, 1);
	assert_true(seen.last.shared[3].blocks > 0);
	assert_int_equal(seen.last.tenants[0].shared_sms, 8);
	assert_int_equal(seen.last.tenants[0].sms, 0);
	bench_free(bench);
}

static void strangers_stay_out_of_shared_sms(void **state)
{
	struct bench *bench = bench_with(&looking, 0);
	u32 sm;

	/* Half of the SMs for the first two, half for the third alone. */
	say_shared(3);
	say_three_blocks();
	for (sm = 4; sm < 8; sm++)
		seen.say.owner[sm] = 2;
	join(bench, 0);
	launch(bench, 0, computing, 1, 0);
	join(bench, 1);
	launch(bench, 1, random_reads, 1, 0);
	join(bench, 2);
	launch(bench, 2, random_reads, 1, 0);
	session_run(bench->session, 2 * EPOCH);
	for (sm = 0; sm < 8; sm++) {
		assert_int_equal(!registers_of(bench, sm, 2).blocks, sm < 4);
		assert_int_equal(!registers_of(bench, sm, 0).blocks, sm >= 4);
	}
	/* A slot that is taken anew is a stranger, too. */
	session_leave(bench->session, 1);
	join(bench, 1);
	launch(bench, 1, random_reads, 1, 0);
	for (sm = 0; sm < 4; sm++)
		seen.say.sharers[sm] = 1;
	seen.say.owner[7] = 1;
	session_run(bench->session, EPOCH);
	for (sm = 0; sm < 4; sm++)
		assert_int_equal(registers_of(bench, sm, 1).blocks, 0);
	bench_free(bench);
}

static void block_limits_hold(void **state)
{
	struct bench *bench = share_between(3);
	u32 sm;

	seen.say.flags |= SIMGPU_SAYS_BLOCK_LIMITS | SIMGPU_SAYS_PREEMPTION;
	seen.say.preemption = SIMGPU_LEAVE_SWITCH;
	for (sm = 0; sm < 8; sm++)
		seen.say.block_limit[sm][0] = 1;
	session_run(bench->session, 3 * EPOCH);
	for (sm = 0; sm < 8; sm++) {
		assert_int_equal(registers_of(bench, sm, 0).block_limit, 1);
		assert_in_range(registers_of(bench, sm, 0).blocks, 0, 1);
	}
	/* What is not said again remains. */
	seen.say.flags = SIMGPU_SAYS_OWNERS;
	session_run(bench->session, EPOCH);
	assert_int_equal(registers_of(bench, 0, 0).block_limit, 1);
	bench_free(bench);
}

static void quotas_are_divided_by_blocks(void **state)
{
	struct bench *bench = share_between(3);
	s64 sum = 0;
	u32 sm;

	seen.say.flags |= SIMGPU_SAYS_QUOTAS;
	seen.say.quota[0] = 80000;
	seen.say.quota_flags[0] = SIMGPU_QUOTA_BY_BLOCKS;
	/* To the end of the epoch, and on until the answer takes effect. */
	session_run(bench->session, EPOCH - 1000 + 2 * 181);
	for (sm = 0; sm < 8; sm++) {
		assert_true(registers_of(bench, sm, 0).quota_left <= 80000);
		assert_int_equal(registers_of(bench, sm, 1).quota_left,
				 GPU_NO_QUOTA);
		sum += registers_of(bench, sm, 0).quota_left;
	}
	assert_in_range(sum, 80000 - 8, 80000);
	/* Used up, and nobody fills it: the next epoch's is what is left. */
	session_run(bench->session, EPOCH - 2 * 181 - 10);
	for (sm = 0; sm < 8; sm++)
		assert_true(registers_of(bench, sm, 0).quota_left <= 0);
	bench_free(bench);
}

static void a_rest_may_be_kept(void **state)
{
	struct bench *bench = share_between(3);
	s64 before;

	seen.say.flags |= SIMGPU_SAYS_QUOTAS;
	seen.say.quota[0] = 1LL << 40;
	session_run(bench->session, EPOCH);
	before = registers_of(bench, 0, 0).quota_left;
	assert_in_range(before, 1, 1LL << 40);
	seen.say.quota[0] = 5;
	seen.say.quota_flags[0] = SIMGPU_QUOTA_KEEP;
	session_run(bench->session, EPOCH);
	assert_true(registers_of(bench, 0, 0).quota_left > 1LL << 39);
	seen.say.quota_flags[0] = 0;
	session_run(bench->session, EPOCH);
	assert_true(registers_of(bench, 0, 0).quota_left <= 5);
	bench_free(bench);
}

/* Two of the same kind; one's bucket is four times as large as the other's. */
static void buckets_order_the_blocks(void **state)
{
	struct bench *bench = bench_with(&looking, 0);
	u64 first, second;
	u32 slot;

	say_shared(3);
	seen.say.flags |= SIMGPU_SAYS_BLOCK_ORDER;
	seen.say.block_order = SIMGPU_ORDER_LEAKY_BUCKET;
	for (slot = 0; slot < SIMGPU_SLOTS_MAX; slot++)
		seen.say.bucket[slot] = 1;
	seen.say.bucket[1] = 4;
	join(bench, 0);
	launch(bench, 0, computing, 1, 0);
	join(bench, 1);
	launch(bench, 1, computing, 1, 0);
	session_run(bench->session, 10 * EPOCH);
	assert_int_equal(session_last_refusal(bench->session)->kind,
			 SESSION_REFUSED_NOTHING);
	first = report_of(bench, 0).counters.blocks_finished;
	second = report_of(bench, 1).counters.blocks_finished;
	assert_in_range(1000 * first / second, 3500, 4500);
	bench_free(bench);
}

/* Nothing of a policy remains when another one comes. */
static void a_new_policy_starts_from_cleared_controls(void **state)
{
	struct bench *bench = share_between(3);
	u32 sm, slot;

	seen.say.flags |= SIMGPU_SAYS_BLOCK_LIMITS | SIMGPU_SAYS_QUOTAS |
			  SIMGPU_SAYS_MEMORY_PRIORITY | SIMGPU_SAYS_PREEMPTION |
			  SIMGPU_SAYS_IDLE_SAMPLES;
	seen.say.idle_sample_cycles = 50;
	seen.say.preemption = SIMGPU_LEAVE_SWITCH;
	seen.say.memory_priority[1] = 3;
	for (slot = 0; slot < 2; slot++) {
		seen.say.quota[slot] = 100000;
		seen.say.refill[slot] = 100000;
		for (sm = 0; sm < 8; sm++)
			seen.say.block_limit[sm][slot] = 2;
	}
	session_run(bench->session, 2 * EPOCH);
	assert_true(report_of(bench, 0).counters.idle_warp_samples > 0);
	session_set_policy(bench->session, &policy_even);
	for (sm = 0; sm < 8; sm++) {
		for (slot = 0; slot < SIMGPU_SLOTS_MAX; slot++) {
			struct gpu_sm_tenant registers =
				registers_of(bench, sm, slot);

			assert_int_equal(registers.block_limit, GPU_NO_LIMIT);
			assert_int_equal(registers.quota_left, GPU_NO_QUOTA);
		}
	}
	assert_int_equal(report_of(bench, 0).sms, 4);
	assert_int_equal(report_of(bench, 0).shared_sms, 0);
	/* Those that drain are their new owners' before long. */
	session_run(bench->session, 20 * EPOCH);
	for (sm = 0; sm < 8; sm++)
		assert_true(owner_now(bench, sm) < 2);
	bench_free(bench);
}

/* --- what is refused --- */

struct bad {
	const char *field;
	void (*say)(void);
};

static void bad_flags(void) { seen.say.flags = 1U << 30; }
static void bad_later(void) { seen.say.flags = SIMGPU_SAYS_ISSUE_LIMITS; }
static void bad_counts(void) { seen.say.sms[0] = 7; }
static void bad_starving(void) { seen.say.sms[1] = 0; }
static void bad_absent(void) { seen.say.sms[0] = 3; seen.say.sms[9] = 1; }

static void bad_owner(void)
{
	say_shared(3);
	seen.say.owner[5] = SIMGPU_SLOTS_MAX;
}

static void bad_nobody_shares(void)
{
	say_shared(3);
	seen.say.sharers[2] = 0;
}

static void bad_limits(void)
{
	say_shared(3);
	seen.say.flags |= SIMGPU_SAYS_BLOCK_LIMITS;
	memset(seen.say.block_limit, 0, sizeof(seen.say.block_limit));
}

static void bad_quota(void)
{
	seen.say.flags = SIMGPU_SAYS_QUOTAS;
	seen.say.quota[3] = -1;
}

static void bad_refill(void)
{
	seen.say.flags = SIMGPU_SAYS_QUOTAS;
	seen.say.refill[3] = SIMGPU_QUOTA_MAX + 1;
}

static void bad_quota_flags(void)
{
	seen.say.flags = SIMGPU_SAYS_QUOTAS;
	seen.say.quota_flags[63] = 8;
}

static void bad_order(void)
{
	seen.say.flags = SIMGPU_SAYS_BLOCK_ORDER;
	seen.say.block_order = SIMGPU_ORDER_RANK;
}

static void bad_bucket(void)
{
	seen.say.flags = SIMGPU_SAYS_BLOCK_ORDER;
	seen.say.block_order = SIMGPU_ORDER_LEAKY_BUCKET;
}

static void bad_preemption(void)
{
	seen.say.flags = SIMGPU_SAYS_PREEMPTION;
	seen.say.preemption = SIMGPU_LEAVE_RESET;
}

static void bad_samples(void)
{
	seen.say.flags = SIMGPU_SAYS_IDLE_SAMPLES;
	seen.say.idle_sample_cycles = SIMGPU_IDLE_SAMPLE_CYCLES_MIN - 1;
}

static void bad_priority(void)
{
	seen.say.flags = SIMGPU_SAYS_MEMORY_PRIORITY;
	seen.say.memory_priority[1] = SIMGPU_MEMORY_PRIORITY_MAX + 1;
}

static void bad_wake(void) { seen.say.wake_cycle = 1; }
static void bad_near_wake(void) { seen.wake_after = 999; }

static const struct bad bad[] = {
	{ "flags", bad_flags }, { "flags", bad_later },
	{ "sms", bad_counts }, { "sms", bad_starving }, { "sms", bad_absent },
	{ "owner", bad_owner }, { "sharers", bad_nobody_shares },
	{ "owner", bad_limits }, { "quota", bad_quota },
	{ "refill", bad_refill }, { "quota_flags", bad_quota_flags },
	{ "block_order", bad_order }, { "bucket", bad_bucket },
	{ "preemption", bad_preemption },
	{ "idle_sample_cycles", bad_samples },
	{ "memory_priority", bad_priority }, { "wake_cycle", bad_wake },
	{ "wake_cycle", bad_near_wake },
};

static void expect_journalled(struct bench *bench, const char *field)
{
	const struct journal_event *events;
	char line[JOURNAL_LINE_BYTES];
	u64 lost;
	u32 count;

	events = session_journal(bench->session, &count, &lost);
	assert_int_equal(events[count - 1].kind, JOURNAL_FALLBACK);
	assert_int_equal(events[count - 1].cycle, EPOCH);
	journal_print_event(line, &events[count - 1]);
	assert_non_null(strstr(line, "10000 fallback kind=proposal code=-22"));
	assert_non_null(strstr(line, field));
}

static void what_cannot_be_done_is_refused(void **state)
{
	u32 i, sm;

	for (i = 0; i < ARRAY_SIZE(bad); i++) {
		struct bench *bench = bench_with(&looking, 0);
		const struct session_refusal *why =
			session_last_refusal(bench->session);

		say_even(2);
		join(bench, 0);
		launch(bench, 0, computing, 1, 0);
		join(bench, 1);
		launch(bench, 1, random_reads, 1, 0);
		session_run(bench->session, EPOCH / 2);
		assert_int_equal(why->kind, SESSION_REFUSED_NOTHING);
		bad[i].say();
		session_run(bench->session, EPOCH);
		assert_int_equal(why->kind, SESSION_REFUSED_PROPOSAL);
		assert_int_equal(why->code, -EINVAL);
		assert_string_equal(why->field, bad[i].field);
		assert_true(*why->reason);
		assert_int_equal(why->cycle, EPOCH);
		/* In full: even is in force, and nothing else was done. */
		for (sm = 0; sm < 8; sm++)
			assert_true(owner_now(bench, sm) < 2);
		assert_true(bench->epochs[0].fell_back);
		expect_journalled(bench, bad[i].field);
		bench_free(bench);
	}
}

static void too_many_rows_are_refused(void **state)
{
	struct bench *bench = malloc(sizeof(*bench));
	u32 sm, slot;

	memset(&seen, 0, sizeof(seen));
	bench_options(bench, 0);
	bench->options.config = *gpu_config_find("hbm80");
	bench->options.policy = &looking;
	session_default_params(&bench->options);
	bench_start(bench);
	for (slot = 0; slot < 13; slot++) {
		join(bench, slot);
		launch(bench, slot, computing, 1, 0);
	}
	say_shared(0);
	for (sm = 0; sm < 80; sm++) {
		seen.say.owner[sm] = SIMGPU_SHARED;
		/* 80 x 12 = 960 rows are fine, and 64 more. */
		seen.say.sharers[sm] = sm < 64 ? 0x1fff : 0xfff;
	}
	session_run(bench->session, 1);
	assert_int_equal(session_last_refusal(bench->session)->kind,
			 SESSION_REFUSED_NOTHING);
	assert_int_equal(report_of(bench, 12).shared_sms, 64);
	seen.say.sharers[64] = 0x1fff;
	session_run(bench->session, EPOCH + 1);
	assert_int_equal(session_last_refusal(bench->session)->kind,
			 SESSION_REFUSED_PROPOSAL);
	assert_string_equal(session_last_refusal(bench->session)->field,
			    "sharers");
	bench_free(bench);
}

/* --- models --- */

#define SPAN	2000ULL

static struct {
	u32 calls;
	u32 probe;
	u64 constant;
} model;

static int probing_predict(const struct simgpu_snapshot *snapshot,
			   const void *constants, void *state,
			   struct simgpu_prediction *prediction)
{
	u64 *calls = state;

	model.calls++;
	model.constant = constants ? *(const u64 *)constants : 0;
	prediction->probe = model.probe;
	prediction->probe_slot = (u32)(++*calls % 2);
	prediction->wake_cycle = snapshot->cycle + SPAN;
	prediction->tenants[0].class = SIMGPU_CLASS_COMPUTE;
	prediction->tenants[0].np_ppm = 500000;
	prediction->tenants[0].curve.knots = 1;
	return 0;
}

static const struct simgpu_model probing = {
	.name = "probe",
	.events = SIMGPU_ON_WAKE,
	.state_bytes = sizeof(u64),
	.constants_bytes = sizeof(u64),
	.constants_version = 3,
	.predict = probing_predict,
};

static struct bench *probe(u32 kind)
{
	struct bench *bench = malloc(sizeof(*bench));

	memset(&model, 0, sizeof(model));
	model.probe = kind;
	bench_options(bench, 2);
	bench->options.model = &probing;
	bench->options.policy = &policy_even;
	bench->options.kernel_end = SESSION_KERNEL_END_CARRY;
	session_default_params(&bench->options);
	bench_start(bench);
	join(bench, 0);
	join(bench, 1);
	launch(bench, 0, computing, 1, 0);
	launch(bench, 1, random_reads, 1, 0);
	return bench;
}

static void models_are_woken(void **state)
{
	struct bench *bench = probe(SIMGPU_PROBE_PRIORITY);

	session_run(bench->session, 3 * EPOCH + 1);
	/* At each epoch's end and four times in each, but for the first. */
	assert_int_equal(model.calls, 3 + 2 * 4);
	assert_int_equal(report_of(bench, 0).np_ppm, 500000);
	assert_int_equal(session_last_refusal(bench->session)->kind,
			 SESSION_REFUSED_NOTHING);
	bench_free(bench);
}

static u32 sms_of(struct bench *bench, u32 slot)
{
	struct gpu_sm_status status;
	u32 count = 0, sm;

	for (sm = 0; sm < 8; sm++) {
		gpu_sm_status(session_gpu(bench->session), sm, &status);
		count += status.next_owner == slot;
	}
	return count;
}

/* All others are held for a while, and have what they had afterwards. */
static void models_may_see_a_tenant_alone(void **state)
{
	struct bench *bench = probe(SIMGPU_PROBE_ALONE);

	session_run(bench->session, EPOCH + 500);
	assert_int_equal(sms_of(bench, 1), 8);
	/* For everybody else it still has its own. */
	assert_int_equal(report_of(bench, 0).sms, 4);
	session_run(bench->session, SPAN);
	assert_int_equal(sms_of(bench, 0), 8);
	model.probe = SIMGPU_PROBE_NONE;
	session_run(bench->session, SPAN);
	assert_int_equal(sms_of(bench, 0), 4);
	assert_int_equal(sms_of(bench, 1), 4);
	bench_free(bench);
}

static void bad_probes_are_refused(void **state)
{
	struct bench *bench = probe(7);

	session_run(bench->session, 2 * EPOCH);
	assert_int_equal(session_last_refusal(bench->session)->kind,
			 SESSION_REFUSED_PREDICT);
	assert_int_equal(sms_of(bench, 0), 4);
	bench_free(bench);
}

/* --- constants --- */

struct constants {
	struct simgpu_constants_header header;
	u64 value;
};

static struct constants good_constants(void)
{
	struct constants c = {
		.header = {
			.magic = SIMGPU_CONSTANTS_MAGIC, .version = 3,
			.length = sizeof(c), .model = "probe",
			.config = "hbm80",
		},
		.value = 77,
	};

	c.header.checksum = port_crc32(0, &c.value, sizeof(c.value));
	return c;
}

static void expect_refused(struct bench *bench, const struct constants *c,
			   u32 bytes, const char *field)
{
	const struct session_refusal *why = session_last_refusal(bench->session);

	assert_int_equal(session_set_constants(bench->session, c, bytes),
			 -EINVAL);
	assert_int_equal(why->kind, SESSION_REFUSED_CONSTANTS);
	assert_string_equal(why->field, field);
	assert_true(*why->reason);
}

static void constants_are_checked(void **state)
{
	struct bench *bench = probe(SIMGPU_PROBE_NONE);
	struct constants c = good_constants();

	assert_int_equal(session_set_constants(bench->session, &c, sizeof(c)),
			 0);
	session_run(bench->session, EPOCH + 1);
	assert_int_equal(model.constant, 77);
	c.value++;
	expect_refused(bench, &c, sizeof(c), "checksum");
	c = good_constants();
	expect_refused(bench, &c, sizeof(c) - 1, "length");
	expect_refused(bench, &c, sizeof(c.header) - 1, "length");
	c.header.version = 4;
	expect_refused(bench, &c, sizeof(c), "version");
	c = good_constants();
	strcpy(c.header.model, "hsm");
	expect_refused(bench, &c, sizeof(c), "model");
	c = good_constants();
	strcpy(c.header.config, "k20");
	expect_refused(bench, &c, sizeof(c), "config");
	c = good_constants();
	c.header.magic = 0;
	expect_refused(bench, &c, sizeof(c), "magic");
	session_run(bench->session, EPOCH);
	assert_int_equal(model.constant, 77);
	bench_free(bench);
}

/* --- curves --- */

static void curves_are_read(void **state)
{
	const struct simgpu_curve curve = {
		.knots = 3,
		.knot = { { 0, 0 }, { 40000, 800000 }, { 80000, 600000 } },
	};
	const struct simgpu_curve none = { .knots = 0 };

	assert_int_equal(simgpu_np_at(&curve, 0), 0);
	assert_int_equal(simgpu_np_at(&curve, 10), 200000);
	assert_int_equal(simgpu_np_at_milli(&curve, 1), 20);
	assert_int_equal(simgpu_np_at(&curve, 40), 800000);
	assert_int_equal(simgpu_np_at(&curve, 60), 700000);
	assert_int_equal(simgpu_np_at_milli(&curve, 40001), 799995);
	assert_int_equal(simgpu_np_at(&curve, 128), 600000);
	assert_int_equal(simgpu_np_at(&none, 5), 0);
}

/* HSM's line through the origin, as its model answers it. */
static void models_answer_curves(void **state)
{
	struct bench *bench = bench_with(&looking, 0);
	const struct simgpu_snapshot_tenant *tenant = &seen.last.tenants[0];
	u64 np;

	say_even(2);
	join(bench, 0);
	launch(bench, 0, computing, 1, 0);
	join(bench, 1);
	launch(bench, 1, computing, 1, 0);
	session_run(bench->session, EPOCH + 1);
	assert_int_equal(tenant->class, SIMGPU_CLASS_COMPUTE);
	assert_int_equal(tenant->np_ppm, 500000);
	assert_int_equal(tenant->curve.least_sms, 1);
	assert_int_equal(tenant->curve.most_sms, 8);
	for (np = 0; np <= 8; np++)
		assert_int_equal(simgpu_np_at(&tenant->curve, (u32)np),
				 np * 125000);
	bench_free(bench);
}

/* --- state --- */

static int count_calls(const struct simgpu_snapshot *snapshot, void *state,
		       struct simgpu_proposal *proposal)
{
	u64 *calls = state;

	++*calls;
	seen.count = (u32)*calls;
	return 0;
}

static const struct simgpu_policy counting = {
	.name = "count", .state_bytes = 8, .decide = count_calls,
};

static void state_is_kept_and_hashed(void **state)
{
	struct bench *bench = bench_with(&counting, 2);
	u64 hash;

	launch_gang(bench);
	session_run(bench->session, 3 * EPOCH + 500);
	assert_int_equal(seen.count, 3);
	hash = session_state_hash(bench->session);
	/* The same device, with another policy of the same mind. */
	session_set_policy(bench->session, &counting);
	assert_int_not_equal(session_state_hash(bench->session), hash);
	session_run(bench->session, EPOCH);
	assert_int_equal(seen.count, 1);
	bench_free(bench);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(each_event_is_told),
		cmocka_unit_test(nothing_is_split_for_who_listens),
		cmocka_unit_test(kernel_ends_come_at_boundaries),
		cmocka_unit_test(departures_are_told),
		cmocka_unit_test(wakes_come_when_they_were_asked_for),
		cmocka_unit_test(events_of_one_cycle_are_one_call),
		cmocka_unit_test(held_kernels_do_not_start),
		cmocka_unit_test(nobody_is_held_for_ever),
		cmocka_unit_test(nobody_is_starved_by_quotas),
		cmocka_unit_test(shared_sms_have_both),
		cmocka_unit_test(strangers_stay_out_of_shared_sms),
		cmocka_unit_test(block_limits_hold),
		cmocka_unit_test(quotas_are_divided_by_blocks),
		cmocka_unit_test(a_rest_may_be_kept),
		cmocka_unit_test(buckets_order_the_blocks),
		cmocka_unit_test(a_new_policy_starts_from_cleared_controls),
		cmocka_unit_test(what_cannot_be_done_is_refused),
		cmocka_unit_test(too_many_rows_are_refused),
		cmocka_unit_test(models_are_woken),
		cmocka_unit_test(models_may_see_a_tenant_alone),
		cmocka_unit_test(bad_probes_are_refused),
		cmocka_unit_test(constants_are_checked),
		cmocka_unit_test(curves_are_read),
		cmocka_unit_test(models_answer_curves),
		cmocka_unit_test(state_is_kept_and_hashed),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests_name("decide", tests, make_traces,
					   free_traces);
}
