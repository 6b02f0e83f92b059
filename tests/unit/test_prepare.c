// SPDX-License-Identifier: GPL-2.0
/*
 * What an SM policy hears of managed memory and has brought: events of pressure, thrashing and
 * pages that have come, and working sets that are prepared.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <cmocka.h>

#include "paged.h"

#define PAGE		65536ULL
#define EVENTS		(SIMGPU_ON_MEMORY_PRESSURE | SIMGPU_ON_THRASHING | \
			 SIMGPU_ON_PREFETCH_END)

/* What the policy is to say at its first call, and what it has heard. */
static struct {
	u64 prepare;
	u64 hold;
	u64 most[2];
	bool at_each_call;
} say;

static struct {
	u32 calls;
	u32 count[3];
	u64 slots[3];
	u64 first[3];
	u64 last[3];
	u64 free_bytes;
} heard;

static void hear(const struct simgpu_snapshot *snapshot)
{
	u32 kind, slot;

	heard.free_bytes = snapshot->managed_free_bytes;
	for (kind = 0; kind < 3; kind++) {
		u32 event = SIMGPU_ON_MEMORY_PRESSURE << kind;

		if (!(snapshot->events & event))
			continue;
		if (!heard.count[kind]++)
			heard.first[kind] = snapshot->cycle;
		heard.last[kind] = snapshot->cycle;
		for (slot = 0; slot < SIMGPU_SLOTS_MAX; slot++)
			if (snapshot->tenants[slot].events & event)
				heard.slots[kind] |= 1ULL << slot;
	}
}

static int decide(const struct simgpu_snapshot *snapshot, void *state,
		  struct simgpu_proposal *proposal)
{
	hear(snapshot);
	policy_even.decide(snapshot, state, proposal);
	proposal->flags |= SIMGPU_SAYS_HOLD | SIMGPU_SAYS_MEMORY;
	proposal->hold = say.hold;
	memcpy(proposal->memory_max, say.most, sizeof(say.most));
	if (!heard.calls++ || say.at_each_call) {
		proposal->flags |= SIMGPU_SAYS_PREPARE;
		proposal->prepare = say.prepare;
	}
	return 0;
}

static const struct simgpu_policy preparing = {
	.name = "preparing", .decide = decide,
	.events = SIMGPU_ON_ARRIVAL | SIMGPU_ON_DEPARTURE | SIMGPU_ON_KERNEL_READY,
};

static const struct simgpu_policy hearing = {
	.name = "hearing", .decide = decide,
	.events = SIMGPU_ON_ARRIVAL | SIMGPU_ON_DEPARTURE | SIMGPU_ON_KERNEL_READY | EVENTS,
};

static struct bench *bench_with_policy(u32 managed_mib, const struct simgpu_policy *policy)
{
	struct bench *bench = paged(managed_mib, 64, &memory_policy_demand);

	memset(&heard, 0, sizeof(heard));
	bench->options.policy = policy;
	return bench;
}

static u32 resident(const struct bench *bench, u32 slot)
{
	return bench->session->pager->memory[slot].resident;
}

static void expect_sound(const struct bench *bench)
{
	assert_string_equal(bench->session->refusal.reason, "");
	assert_int_equal(bench->session->refusal.kind, SESSION_REFUSED_NOTHING);
}

static int reset(void **state)
{
	memset(&say, 0, sizeof(say));
	return 0;
}

/* --- prepare ------------------------------------------------------------------------------ */

/* Cycles until slot 0 has ended that reads 96 pages once, and its faults. */
static u64 run_once_with(const struct simgpu_policy *policy, u64 *faults)
{
	struct trace *trace = trace_steps(96, PAGE, false, 1);
	struct bench *bench = bench_with_policy(8, policy);
	u64 cycles;

	manage(bench, 96 * PAGE);
	launch_one(bench, 0, trace);
	cycles = run_to_end(bench);
	expect_sound(bench);
	*faults = counted(bench, 0).faults;
	assert_int_equal(counted(bench, 0).pages_in, 96);
	bench_free(bench);
	trace_free(trace);
	return cycles;
}

static void prepared_pages_come_before_their_faults(void **state)
{
	u64 faults, ahead, with, without;

	without = run_once_with(&preparing, &faults);
	assert_int_equal(faults, 96);
	say.prepare = 1;
	with = run_once_with(&preparing, &ahead);
	assert_true(ahead <= 3);
	assert_true(with * 4 < without);
}

/* A tenant that is held faults on nothing: what comes is what was prepared. */
static void a_held_tenant_is_prepared(void **state)
{
	struct trace *trace = trace_steps(40, PAGE, false, 1);
	struct bench *bench = bench_with_policy(8, &preparing);

	say.prepare = 1;
	say.hold = 1;
	manage(bench, 40 * PAGE);
	launch_one(bench, 0, trace);
	join(bench, 1);
	launch_one(bench, 1, brief);
	session_run(bench->session, 1000000);
	expect_sound(bench);
	assert_int_equal(resident(bench, 0), 40);
	assert_int_equal(counted(bench, 0).faults, 0);
	assert_int_equal(counted(bench, 0).pages_prefetched, 40);
	bench_free(bench);
	trace_free(trace);
}

/* Two held tenants want 6 chunks each. Prepared chunks of each then. */
static void prepare_two(u32 managed_mib, u32 *chunks)
{
	struct trace *trace = trace_steps(6 * 32, PAGE, false, 1);
	struct bench *bench = bench_with_policy(managed_mib, &preparing);

	say.prepare = 3;
	say.hold = 3;
	say.at_each_call = true;
	manage(bench, 6 * BLOCK_BYTES);
	join(bench, 1);
	assert_int_equal(session_manage(bench->session, 1, 6 * BLOCK_BYTES), 0);
	launch_one(bench, 0, trace);
	launch_one(bench, 1, trace);
	session_run(bench->session, 3000000);
	expect_sound(bench);
	chunks[0] = bench->session->pager->used[0];
	chunks[1] = bench->session->pager->used[1];
	/* Nothing that was prepared made way for the rest. */
	assert_int_equal(counted(bench, 0).chunks_evicted, 0);
	assert_int_equal(counted(bench, 1).chunks_evicted, 0);
	bench_free(bench);
	trace_free(trace);
}

static void sets_that_do_not_fit_have_even_parts(void **state)
{
	u32 chunks[2];

	prepare_two(24, chunks);
	assert_int_equal(chunks[0], 6);
	assert_int_equal(chunks[1], 6);
	prepare_two(20, chunks);
	assert_int_equal(chunks[0], 5);
	assert_int_equal(chunks[1], 5);
	/* A maximum leaves more to the other one. */
	say.most[1] = 2 * BLOCK_BYTES;
	prepare_two(20, chunks);
	assert_int_equal(chunks[0], 6);
	assert_int_equal(chunks[1], 2);
}

static void only_managed_memory_is_prepared(void **state)
{
	struct bench *bench = bench_with_policy(8, &preparing);

	say.prepare = 2;
	manage(bench, BLOCK_BYTES);
	join(bench, 1);
	launch_one(bench, 1, brief);
	session_run(bench->session, 1000);
	assert_string_equal(bench->session->refusal.field, "prepare");
	assert_int_equal(bench->session->refusal.slot, 1);
	assert_string_equal(bench->session->refusal.reason,
			    "a tenant without managed memory is to be prepared");
	assert_ptr_equal(bench->session->policy, &policy_even);
	bench_free(bench);
}

/* Another decision for the same tenant replaces the ranges that are left; another policy all. */
static void what_is_left_is_replaced(void **state)
{
	struct trace *trace = trace_steps(320, PAGE, false, 1);
	struct bench *bench = bench_with_policy(32, &preparing);
	struct pager *pager;

	say.prepare = 1;
	say.hold = 1;
	say.at_each_call = true;
	manage(bench, 320 * PAGE);
	launch_one(bench, 0, trace);
	join(bench, 1);
	session_run(bench->session, 1000);
	launch_one(bench, 1, brief);
	session_run(bench->session, 1000);
	pager = bench->session->pager;
	assert_true(heard.calls >= 2);
	assert_int_equal(pager->prepares, 1);
	assert_int_equal(pager->prepare[0].first, 0);
	session_set_policy(bench->session, &policy_even);
	assert_int_equal(pager->prepares, 0);
	bench_free(bench);
	trace_free(trace);
}

/* --- events ------------------------------------------------------------------------------- */

enum { PRESSURE, THRASHING, PREFETCH_END };

static void the_end_of_a_prefetch_is_told(void **state)
{
	struct trace *trace = trace_steps(40, PAGE, false, 1);
	struct bench *bench = bench_with_policy(8, &hearing);
	u64 before = 0;

	say.prepare = 1;
	say.hold = 1;
	manage(bench, 64 * PAGE);
	launch_one(bench, 0, trace);
	join(bench, 1);
	launch_one(bench, 1, brief);
	assert_true(session_run(bench->session, 1) != SESSION_IDLE);
	assert_int_equal(heard.free_bytes, 8 * MIB);
	while (!heard.count[PREFETCH_END]) {
		before = session_now(bench->session);
		assert_true(before < 1000000);
		session_run(bench->session, 100);
	}
	/* No sooner than the last page is there, and in the window after that. */
	assert_int_equal(bench->session->pager->copies, 0);
	assert_int_equal(resident(bench, 0), 40);
	assert_int_equal(heard.slots[PREFETCH_END], 1);
	assert_int_equal(heard.free_bytes, 4 * MIB);
	session_run(bench->session, 1000000);
	assert_int_equal(heard.count[PREFETCH_END], 1);
	/* What the tenant asks for itself is told, too; also if all of it is there. */
	assert_int_equal(session_prefetch(bench->session, 0, 40 * PAGE, 2 * PAGE), 0);
	session_run(bench->session, 200000);
	assert_int_equal(heard.count[PREFETCH_END], 2);
	assert_int_equal(session_prefetch(bench->session, 0, 0, PAGE), 0);
	session_run(bench->session, 2000);
	assert_int_equal(heard.count[PREFETCH_END], 3);
	assert_int_equal(heard.slots[PREFETCH_END], 1);
	expect_sound(bench);
	bench_free(bench);
	trace_free(trace);
}

/* Slot 1 passes through 6 blocks, @passes times, with room for 4; slot 0 has nothing managed. */
static void pass_through(const struct simgpu_policy *policy, u64 epoch, u32 passes, u64 cycles)
{
	struct trace *trace = trace_steps(6, BLOCK_BYTES, false, passes);
	struct bench *bench = bench_with_policy(8, policy);

	bench->options.epoch_cycles = epoch;
	manage(bench, 0);
	join(bench, 1);
	assert_int_equal(session_manage(bench->session, 1, 6 * BLOCK_BYTES), 0);
	launch_one(bench, 1, trace);
	session_run(bench->session, cycles);
	expect_sound(bench);
	bench_free(bench);
	trace_free(trace);
}

static void pressure_is_told_once_an_epoch(void **state)
{
	pass_through(&hearing, SESSION_EPOCH_CYCLES_MAX, 1, 1000000);
	assert_int_equal(heard.count[PRESSURE], 1);
	assert_int_equal(heard.slots[PRESSURE], 2);
	assert_int_equal(heard.count[PREFETCH_END], 0);
	/* Four blocks fit: a fault takes 31,975 cycles, and one more than that had to go. */
	assert_in_range(heard.first[PRESSURE], 4 * 30000, 5 * 34000);
	/* Epochs end in the middle of more passes than they last. */
	pass_through(&hearing, 1000000, 1000, 3500000);
	assert_int_equal(heard.count[PRESSURE], 4);
	assert_in_range(heard.last[PRESSURE], 3000000, 3100000);
}

static void thrashing_is_told_within_the_lapse(void **state)
{
	/* A block comes back after two more faults of 40,000 cycles: in 57 of 500 us. */
	pass_through(&hearing, SESSION_EPOCH_CYCLES_MAX, 3, 3000000);
	assert_int_equal(heard.count[THRASHING], 1);
	assert_int_equal(heard.slots[THRASHING], 2);
	assert_true(heard.first[THRASHING] > heard.first[PRESSURE]);
	/* One pass takes none away that comes back. */
	pass_through(&hearing, SESSION_EPOCH_CYCLES_MAX, 1, 3000000);
	assert_int_equal(heard.count[THRASHING], 0);
	assert_int_equal(heard.count[PRESSURE], 1);
}

/* Who lists none of them is not asked, and who listens only changes nothing. */
static void events_alone_change_nothing(void **state)
{
	struct trace *trace = trace_steps(6, BLOCK_BYTES, false, 20);
	const struct simgpu_policy *policies[] = { &preparing, &hearing };
	u64 ends[2], calls[2];
	u32 i;

	for (i = 0; i < 2; i++) {
		struct bench *bench = bench_with_policy(8, policies[i]);

		manage(bench, 6 * BLOCK_BYTES);
		launch_one(bench, 0, trace);
		ends[i] = run_to_end(bench);
		calls[i] = heard.calls;
		if (!i)
			assert_int_equal(heard.count[PRESSURE] + heard.count[THRASHING], 0);
		bench_free(bench);
	}
	assert_true(ends[0] == ends[1]);
	assert_int_equal(calls[1], calls[0] + 2);
	trace_free(trace);
}

/* --- the same bits ------------------------------------------------------------------------ */

/* The hash after some life, in which the owner pauses every @step cycles. */
static u64 hash_in_steps(u64 step)
{
	struct trace *trace = trace_steps(6 * 32, PAGE, true, 3);
	struct bench *bench = bench_with_policy(16, &hearing);
	u64 hash;

	say.prepare = 3;
	say.at_each_call = true;
	bench->options.epoch_cycles = 700000;
	manage(bench, 6 * BLOCK_BYTES);
	join(bench, 1);
	assert_int_equal(session_manage(bench->session, 1, 6 * BLOCK_BYTES), 0);
	launch_one(bench, 0, trace);
	launch_one(bench, 1, trace);
	run_in_steps(bench, 2000000, step);
	expect_sound(bench);
	assert_true(heard.count[PRESSURE] && heard.count[PREFETCH_END]);
	hash = session_state_hash(bench->session);
	bench_free(bench);
	trace_free(trace);
	return hash;
}

static void pauses_change_nothing(void **state)
{
	u64 hash = hash_in_steps(2000000);

	assert_true(hash_in_steps(333) == hash);
	assert_true(hash_in_steps(100000) == hash);
}

static void expect_hashed(struct bench *bench, void *field)
{
	u64 hash = session_state_hash(bench->session);
	u8 *byte = field;

	*byte ^= 1;
	assert_true(session_state_hash(bench->session) != hash);
	*byte ^= 1;
	assert_true(session_state_hash(bench->session) == hash);
}

static void what_decides_is_hashed(void **state)
{
	struct trace *trace = trace_steps(320, PAGE, false, 1);
	struct bench *bench = bench_with_policy(32, &hearing);
	struct pager *pager;

	say.prepare = 1;
	manage(bench, 320 * PAGE);
	launch_one(bench, 0, trace);
	session_run(bench->session, 1000);
	pager = bench->session->pager;
	assert_int_equal(pager->prepares, 1);
	assert_int_equal(pager->events.awaited, 1);
	expect_hashed(bench, &pager->prepare[0].first);
	expect_hashed(bench, &pager->prepare[0].count);
	expect_hashed(bench, &pager->prepares);
	expect_hashed(bench, &pager->events.pressed);
	expect_hashed(bench, &pager->events.thrashed);
	expect_hashed(bench, &pager->events.awaited);
	expect_hashed(bench, &pager->events.epoch);
	expect_hashed(bench, &pager->turn);
	/* Of a tenant that leaves nothing is left. */
	session_leave(bench->session, 0);
	assert_int_equal(pager->prepares, 0);
	assert_int_equal(pager->events.awaited, 0);
	bench_free(bench);
	trace_free(trace);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup(prepared_pages_come_before_their_faults, reset),
		cmocka_unit_test_setup(a_held_tenant_is_prepared, reset),
		cmocka_unit_test_setup(sets_that_do_not_fit_have_even_parts, reset),
		cmocka_unit_test_setup(only_managed_memory_is_prepared, reset),
		cmocka_unit_test_setup(what_is_left_is_replaced, reset),
		cmocka_unit_test_setup(the_end_of_a_prefetch_is_told, reset),
		cmocka_unit_test_setup(pressure_is_told_once_an_epoch, reset),
		cmocka_unit_test_setup(thrashing_is_told_within_the_lapse, reset),
		cmocka_unit_test_setup(events_alone_change_nothing, reset),
		cmocka_unit_test_setup(pauses_change_nothing, reset),
		cmocka_unit_test_setup(what_decides_is_hashed, reset),
	};

	return cmocka_run_group_tests_name("prepare", tests, make_traces, free_traces);
}
