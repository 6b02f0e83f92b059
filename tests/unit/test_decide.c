// SPDX-License-Identifier: GPL-2.0
/*
 * Decisions: when policies are asked, what each part of a proposal does to the
 * device, and what remains when a policy goes.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <cmocka.h>

#include "looking.h"

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
/* Policies see to which cgroup a tenant belongs. */
static void cgroups_are_seen(void **state)
{
	struct session_tenant_options options = plain();
	struct bench *bench = bench_with(&looking, 0);
	int slot;

	join(bench, 0);
	launch(bench, 0, computing, 1, 0);
	options.cgroup = 4711;
	slot = session_join(bench->session, 1, &options);
	launch(bench, slot, computing, 1, 0);
	session_run(bench->session, 2 * EPOCH);
	assert_int_equal(seen.last.tenants[0].cgroup, 0);
	assert_int_equal(seen.last.tenants[slot].cgroup, 4711);
	bench_free(bench);
}

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

/*
 * Five kernels, with boundaries so many cycles apart, of which an epoch has a whole
 * number; when the policy hears of the last.
 */
static u64 brief_kernels_end(u32 distance)
{
	struct bench *bench = bench_prepared(&looking, 0);
	u32 ends = 0, i;
	u64 last = 0;

	bench->options.config.boundary_cycles = distance;
	bench_start(bench);
	say_even(1);
	join(bench, 0);
	launch(bench, 0, brief, 5, 0);
	session_run(bench->session, ALL_AT_ONCE);
	for (i = 0; i < seen.count; i++) {
		if (seen.call[i].events & ~SIMGPU_ON_EPOCH)
			assert_int_equal(seen.call[i].cycle % distance, 0);
		if (seen.call[i].events & SIMGPU_ON_KERNEL_END) {
			last = seen.call[i].cycle;
			ends++;
		}
	}
	/* The last one ends as time stops: nobody waits for an answer. */
	assert_in_range(ends, 4, 5);
	assert_int_equal(report_of(bench, 0).counters.kernels_finished, 5);
	bench_free(bench);
	return last;
}

static void kernel_ends_come_at_boundaries(void **state)
{
	u64 soon = brief_kernels_end(GPU_BOUNDARY_CYCLES);

	/* Each next kernel waits for the boundary at which the policy hears of the last. */
	assert_true(brief_kernels_end(10 * GPU_BOUNDARY_CYCLES) > soon);
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

/* Three tenants with work where there are SMs for two. */
static struct bench *bench_of_three(u32 sms_per_tpc)
{
	struct bench *bench = bench_prepared(&looking, 0);
	u32 slot;

	bench->options.hold_cycles = 40000;
	bench->options.config.sms = 2 * sms_per_tpc;
	bench->options.config.sms_per_tpc = sms_per_tpc;
	bench_start(bench);
	for (slot = 0; slot < 3; slot++) {
		join(bench, slot);
		launch(bench, slot, computing, 1, 0);
	}
	say_even(3);
	seen.say.sms[0] = sms_per_tpc;
	seen.say.sms[1] = sms_per_tpc;
	seen.say.sms[2] = 0;
	return bench;
}

/* Where SMs are too few it is nobody's fault, unless the policy keeps some back. */
static void scarce_sms_are_nobodys_fault(void **state)
{
	static const struct {
		u32 sms_per_tpc;
		u32 flags;
		u32 slot;	/* that makes no progress, by the fault of the policy */
		const char *field;
		u32 limited;	/* slot that may begin one thread block */
	} cases[] = {
		{ 1, 0, SESSION_NOWHERE, "", 1 },
		{ 2, 0, SESSION_NOWHERE, "", 1 },
		{ 1, SIMGPU_SAYS_HOLD, 2, "hold", 1 },
		{ 1, SIMGPU_SAYS_OWNERS, 2, "", 1 },
		{ 1, SIMGPU_SAYS_ISSUE_LIMITS, 2, "", 1 },
		{ 1, SIMGPU_SAYS_ISSUE_LIMITS, 2, "", 0 },
	};
	u32 i;

	for (i = 0; i < ARRAY_SIZE(cases); i++) {
		struct bench *bench = bench_of_three(cases[i].sms_per_tpc);
		const struct session_refusal *why =
			session_last_refusal(bench->session);

		seen.say.flags = cases[i].flags;
		seen.say.hold = 4;
		memset(seen.say.issue_limit, 0xff, sizeof(seen.say.issue_limit));
		memset(seen.say.owner, SIMGPU_SHARED, 2);
		seen.say.sharers[0] = 1;
		seen.say.sharers[1] = 2;
		seen.say.issue_limit[cases[i].limited][0] = 1;
		session_run(bench->session, 1);
		memset(seen.say.issue_limit, 0xff, sizeof(seen.say.issue_limit));
		session_run(bench->session, 100000);
		if (cases[i].slot == SESSION_NOWHERE) {
			assert_int_equal(why->kind, SESSION_REFUSED_NOTHING);
		} else {
			assert_int_equal(why->kind, SESSION_REFUSED_HOLD);
			assert_int_equal(why->slot, cases[i].slot);
			assert_string_equal(why->field, cases[i].field);
		}
		bench_free(bench);
	}
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

/* Owners are named SM by SM: those past the session's limit are nobody's. */
static void a_limit_of_sms_holds_for_owners(void **state)
{
	struct bench *bench = malloc(sizeof(*bench));
	u32 sm;

	memset(&seen, 0, sizeof(seen));
	bench_options(bench, 0);
	bench->options.policy = &looking;
	bench->options.kernel_end = SESSION_KERNEL_END_CARRY;
	bench->options.sms_most = 3;
	session_default_params(&bench->options);
	bench_start(bench);
	say_even(2);
	seen.say.flags = SIMGPU_SAYS_OWNERS;
	for (sm = 0; sm < 8; sm++)
		seen.say.owner[sm] = sm >= 5;
	join(bench, 0);
	launch(bench, 0, computing, 1, 0);
	join(bench, 1);
	launch(bench, 1, computing, 1, 0);
	session_run(bench->session, 2 * EPOCH);
	for (sm = 0; sm < 8; sm++)
		assert_int_equal(owner_now(bench, sm), sm < 3 ? 0 :
				 sm < 5 ? GPU_NO_TENANT : 1);
	assert_int_equal(session_last_refusal(bench->session)->kind,
			 SESSION_REFUSED_NOTHING);
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
		cmocka_unit_test(cgroups_are_seen),
		cmocka_unit_test(nothing_is_split_for_who_listens),
		cmocka_unit_test(kernel_ends_come_at_boundaries),
		cmocka_unit_test(departures_are_told),
		cmocka_unit_test(wakes_come_when_they_were_asked_for),
		cmocka_unit_test(events_of_one_cycle_are_one_call),
		cmocka_unit_test(held_kernels_do_not_start),
		cmocka_unit_test(nobody_is_held_for_ever),
		cmocka_unit_test(scarce_sms_are_nobodys_fault),
		cmocka_unit_test(nobody_is_starved_by_quotas),
		cmocka_unit_test(shared_sms_have_both),
		cmocka_unit_test(strangers_stay_out_of_shared_sms),
		cmocka_unit_test(a_limit_of_sms_holds_for_owners),
		cmocka_unit_test(block_limits_hold),
		cmocka_unit_test(quotas_are_divided_by_blocks),
		cmocka_unit_test(a_rest_may_be_kept),
		cmocka_unit_test(buckets_order_the_blocks),
		cmocka_unit_test(a_new_policy_starts_from_cleared_controls),
		cmocka_unit_test(state_is_kept_and_hashed),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests_name("decide", tests, make_traces,
					   free_traces);
}
