// SPDX-License-Identifier: GPL-2.0
/*
 * Several tenants fault: the pager serves them in turn. How long a tenant waits for its faults
 * beside one that thrashes, in which order blocks are served, and that results do not depend on
 * where the owner pauses.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <cmocka.h>

#include "../../kmod/session/pager_turn.h"
#include "journal_of.h"
#include "paged.h"

#define CHASED	40
#define TENANTS		32

static struct trace *chase, *thrash;

static int make_readers(void **state)
{
	/* One warp that waits for a fault after the other; and many that read and write. */
	chase = trace_steps(CHASED, 65536, false, 1);
	thrash = trace_copy(4000, 20, 32);
	return make_traces(state);
}

static int free_readers(void **state)
{
	trace_free(chase);
	trace_free(thrash);
	return free_traces(state);
}

/* The tenant that chases has memory of its own; the other one may thrash in 4 MiB. */
static struct bench *bench_beside(bool thrasher)
{
	struct bench *bench = paged(8, 64, &memory_policy_demand);
	struct session_tenant_options options = {
		.name = "chase", .weight = 1, .memory.min = 4 * MIB,
	};

	bench_start(bench);
	join(bench, 0);
	assert_int_equal(session_set_tenant(bench->session, 0, &options), 0);
	join(bench, 1);
	if (thrasher) {
		launch_managed(bench, 1, thrash);
		session_run(bench->session, 1000000);
	}
	launch_managed(bench, 0, chase);
	return bench;
}

/* Cycles that a fault of the chasing tenant takes in the mean, until it has had all of them. */
static u64 cycles_a_fault(bool thrasher)
{
	struct bench *bench = bench_beside(thrasher);
	u64 begin = session_now(bench->session), took;

	while (counted(bench, 0).faults < CHASED &&
	       session_now(bench->session) - begin < 100000000)
		session_run(bench->session, 1000);
	took = session_now(bench->session) - begin;
	assert_int_equal(counted(bench, 0).faults, CHASED);
	assert_int_equal(counted(bench, 0).chunks_evicted, 0);
	if (thrasher)
		assert_true(counted(bench, 1).chunks_evicted > 10);
	bench_free(bench);
	return took / CHASED;
}

/*
 * Beside the other one a fault waits for a block in service, for what the link has, and for the
 * time of a batch. Without turns it took four times as long as alone.
 */
static void one_that_thrashes_does_not_starve_another(void **state)
{
	u64 alone = cycles_a_fault(false), beside = cycles_a_fault(true);

	assert_true(alone > 20000 && alone < 40000);
	assert_true(beside > alone);
	print_message("# a fault takes %llu cycles alone, %llu beside\n", alone, beside);
	assert_true(2 * beside < 5 * alone);
}

/* 64 warps, each of which reads a line of a block of 2 MiB of its own, then of the next one. */
static struct trace *trace_wide(void)
{
	struct builder *b = builder_new("wide", "test");
	const struct simgpu_trace_pattern pattern = {
		.access_bytes = 4, .lane_stride = 4, .loop_stride = { BLOCK_BYTES },
		.warp_stride = 4 * BLOCK_BYTES, .block_stride = { 32 * BLOCK_BYTES },
	};
	u32 place;

	builder_footprint(b, 256 * BLOCK_BYTES);
	builder_kernel(b, "wide", 8, 256, 16, 0);
	place = builder_access(b, &pattern);
	builder_loop(b, 4);
	builder_load(b, place, 32, 0);
	builder_compute(b, 1, 32);
	builder_loop_end(b);
	return trace_of(b, 0);
}

/*
 * As many tenants as SMs that all have faults at any time: the slots decide nothing. Before, whoever
 * joined a batch began the turns anew, so that the first slot alone was served.
 */
static void many_that_fault_are_served_alike(void **state)
{
	struct bench *bench = paged(TENANTS * 512, 64, &memory_policy_demand);
	struct trace *wide = trace_wide();
	u64 least = U64_MAX, most = 0;
	u32 slot;

	bench->options.config.sms = TENANTS;
	bench_start(bench);
	for (slot = 0; slot < TENANTS; slot++) {
		join(bench, slot);
		launch_managed(bench, slot, wide);
	}
	session_run(bench->session, 6000000);
	for (slot = 0; slot < TENANTS; slot++) {
		least = min(least, counted(bench, slot).pages_in);
		most = max(most, counted(bench, slot).pages_in);
	}
	print_message("# %llu to %llu pages each\n", least, most);
	/* As many as the link takes: 3.3 us each. Without rounds each block took a batch's time. */
	assert_true(least > 35);
	assert_true(most * 4 < least * 5);
	bench_free(bench);
	trace_free(wide);
}

/* --- the order ------------------------------------------------------------------------------ */

static void blocks_are_served_by_turns(void **state)
{
	static const u32 slots[] = { 3, 3, 3, 1, 3, 1, 2, 3, 1 };
	static const u32 turns[] = { 1, 2, 3, 1, 3, 3, 3, 3, 1 };
	struct bench *bench = bench_beside(false);
	struct pager *pager = bench->session->pager;
	u32 before[4] = { 0 }, i;

	pager->memory[1].page_count = 1;
	for (i = 0; i < ARRAY_SIZE(slots); i++)
		pager->asked[i] = (struct asked) { .slot = slots[i], .block = i, .faults = 1 };
	/* The last one is fetched. */
	pager->asked[8].faults = 0;
	pager->blocks = ARRAY_SIZE(slots);
	pager_by_turns(pager, 0);
	pager_begin_round(pager);
	assert_int_equal(pager->round, 2);
	for (i = 0; i < ARRAY_SIZE(slots); i++) {
		u32 slot = pager->asked[i].slot;

		assert_int_equal(slot, turns[i]);
		assert_int_equal(slots[pager->asked[i].block], slot);
		/* A tenant's own order stays. */
		assert_true(!before[slot] || pager->asked[i].block >= before[slot]);
		before[slot] = pager->asked[i].block;
	}
	assert_int_equal(pager->asked[8].block, 8);
	/* Who joins does not begin the turns anew: slot 1 was served, so 2 is next. */
	pager->block = 1;
	assert_int_equal(pager_turn(pager), 2);
	pager_drop_served(pager);
	assert_int_equal(pager_turn(pager), 2);
	pager->asked[0].slot = 3;
	pager->asked[1].slot = 2;
	pager_by_turns(pager, 3);
	assert_int_equal(pager->asked[0].slot, 3);
	assert_int_equal(pager->asked[1].slot, 1);
	assert_int_equal(pager->asked[2].slot, 2);
	pager->round = 0;
	pager->blocks = 0;
	pager->memory[1].page_count = 0;
	bench_free(bench);
}

/* --- the same bits --------------------------------------------------------------------------- */

static void pauses_change_nothing(void **state)
{
	static const u64 steps[] = { 5000000, 2000, 777 };
	u64 hash[ARRAY_SIZE(steps)], until;
	u32 i;

	for (i = 0; i < ARRAY_SIZE(steps); i++) {
		struct bench *bench = bench_beside(true);

		until = session_now(bench->session) + 700000;
		while (session_now(bench->session) < until)
			session_run(bench->session,
				    min(steps[i], until - session_now(bench->session)));
		assert_true(counted(bench, 0).faults > 2);
		hash[i] = session_state_hash(bench->session);
		bench_free(bench);
	}
	assert_true(hash[0] == hash[1]);
	assert_true(hash[0] == hash[2]);
}

static void journals_repeat_it(void **state)
{
	const struct trace *const traces[] = { chase, thrash };
	struct bench *bench = bench_beside(true);
	struct bench *replayed = paged(8, 64, &memory_policy_demand);

	bench_start(replayed);
	session_run(bench->session, 500000);
	session_leave(bench->session, 0);
	session_run(bench->session, 100000);
	replay_journal(bench->session, replayed->session, traces, ARRAY_SIZE(traces));
	assert_true(session_state_hash(replayed->session) ==
		    session_state_hash(bench->session));
	bench_free(replayed);
	bench_free(bench);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(one_that_thrashes_does_not_starve_another),
		cmocka_unit_test(many_that_fault_are_served_alike),
		cmocka_unit_test(blocks_are_served_by_turns),
		cmocka_unit_test(pauses_change_nothing),
		cmocka_unit_test(journals_repeat_it),
	};

	return cmocka_run_group_tests_name("pager turn", tests, make_readers, free_readers);
}
