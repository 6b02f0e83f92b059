// SPDX-License-Identifier: GPL-2.0
/*
 * Memory policies: what stride and share say, whose chunks are taken away, and pages that are
 * fetched without faults. test_pager.c has the others, and the pager's times.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <cmocka.h>

#include <simgpu/bits.h>

#include "../../kmod/session/pager_limits.h"
#include "paged.h"

static struct simgpu_place place;
static struct simgpu_placement placement;
static u64 policy_memory[SIMGPU_STATE_BYTES_MAX / 8];

/* --- stride ---------------------------------------------------------------------------------- */

/* A fault of slot 2 on a page of 64 KiB; its memory has 40 pages. */
static void fault_on(u32 page)
{
	memset(&place, 0, sizeof(place));
	memset(&placement, 0, sizeof(placement));
	place.page_bytes = 65536;
	place.count = 1;
	place.slot_count = 3;
	place.tenant[2].pages = 40;
	place.block[0].slot = 2;
	place.block[0].block = page / 32;
	place.block[0].pages = page / 32 ? 8 : 32;
	simgpu_add_bit(place.block[0].faulted, page % 32);
	assert_int_equal(memory_policy_stride.place(&place, policy_memory, &placement), 0);
}

static void expect_fetch(u32 index, u32 first, u32 count)
{
	assert_true(index < placement.fetch_count);
	assert_int_equal(placement.fetch[index].slot, 2);
	assert_int_equal(placement.fetch[index].first, first);
	assert_int_equal(placement.fetch[index].count, count);
}

static void a_stride_is_fetched_once_it_is_sure(void **state)
{
	u32 page, i;

	memset(policy_memory, 0, sizeof(policy_memory));
	for (page = 0; page < 9; page += 3) {
		fault_on(page);
		assert_int_equal(placement.fetch_count, 0);
	}
	fault_on(9);
	/* Up to the memory's end, in the next block, too. */
	assert_int_equal(placement.fetch_count, 10);
	for (i = 0; i < 10; i++)
		expect_fetch(i, 12 + 3 * i, 1);
	/* One other distance leaves a doubt, and the stride stays known. */
	fault_on(30);
	assert_int_equal(placement.fetch_count, 0);
	fault_on(33);
	expect_fetch(0, 36, 1);
	/* The same page again says nothing. */
	fault_on(33);
	expect_fetch(0, 36, 1);
	/* Backwards, after it has been unlearnt. */
	for (page = 20; page > 16; page--) {
		fault_on(page);
		assert_int_equal(placement.fetch_count, 0);
	}
	fault_on(16);
	assert_int_equal(placement.fetch_count, 16);
	expect_fetch(15, 0, 1);
}

static void pages_in_a_row_are_one_fetch(void **state)
{
	u32 page;

	memset(policy_memory, 0, sizeof(policy_memory));
	for (page = 0; page < 4; page++)
		fault_on(page);
	assert_int_equal(placement.fetch_count, 1);
	expect_fetch(0, 4, 16);
}

/* --- share ----------------------------------------------------------------------------------- */

/* Tenants in slots 0, 1 and 3 with a fault each on the first of two pages that make a tree. */
static void ask_share(const u32 *weights, const u32 *shares, u32 chunks)
{
	static const u32 slots[] = { 0, 1, 3 };
	u32 i;

	memset(&place, 0, sizeof(place));
	memset(&placement, 0, sizeof(placement));
	place.page_bytes = 4096;
	place.chunks = chunks;
	place.count = 3;
	place.slot_count = 4;
	for (i = 0; i < 3; i++) {
		struct simgpu_place_tenant *tenant = &place.tenant[slots[i]];

		tenant->pages = 512;
		tenant->weight = weights[i];
		tenant->share_ppm = shares[i];
		tenant->chunks = 4;
		place.block[i].slot = slots[i];
		place.block[i].pages = 512;
		simgpu_add_bit(place.block[i].faulted, 1);
	}
	assert_int_equal(memory_policy_share.place(&place, NULL, &placement), 0);
	assert_int_equal(placement.low[2] + placement.high[2], 0);
}

static void expect_parts(u32 first, u32 second, u32 third)
{
	assert_int_equal(placement.low[0], first);
	assert_int_equal(placement.low[1], second);
	assert_int_equal(placement.low[3], third);
	assert_memory_equal(placement.low, placement.high, sizeof(placement.low));
}

static void parts_follow_weights_and_shares(void **state)
{
	static const u32 even[] = { 1, 1, 1 }, odd[] = { 1, 2, 5 };
	static const u32 none[] = { 0, 0, 0 }, some[] = { 250000, 0, 0 };
	static const u32 many[] = { 800000, 800000, 400000 };

	ask_share(even, none, 12);
	expect_parts(4, 4, 4);
	ask_share(odd, none, 16);
	expect_parts(2, 4, 10);
	/* A quarter for the first; the others divide the rest by 2 and 5. */
	ask_share(odd, some, 28);
	expect_parts(7, 6, 15);
	/* More than there is is cut down. */
	ask_share(odd, many, 20);
	expect_parts(8, 8, 4);
	/* Nobody has less than a chunk. */
	ask_share(odd, none, 3);
	expect_parts(1, 1, 1);
}

static void only_within_its_part_is_prefetched(void **state)
{
	static const u32 weights[] = { 1, 1, 2 }, none[] = { 0, 0, 0 };

	/* Of 4 chunks, these have 4, which are their part or more; the last has 8. */
	ask_share(weights, none, 16);
	assert_int_equal(placement.bring[0][0], 0);
	assert_int_equal(placement.bring[1][0], 0);
	assert_int_equal(placement.bring[2][0], 0xffff);
}

/* --- whose chunks go ------------------------------------------------------------------------- */

static void expect_givers(const struct pager *pager, u32 slot, u64 givers)
{
	assert_int_equal(pager_givers(pager, slot), givers);
}

static void limits_say_who_gives(void **state)
{
	static struct pager pager;
	u32 i;

	for (i = 0; i < SESSION_SLOTS_MAX; i++)
		pager.limit[i].max = U32_MAX;
	pager.used[1] = 5;
	pager.used[2] = 3;
	pager.used[3] = 1;
	/* Nothing is said: anybody. */
	expect_givers(&pager, 0, 0xe);
	expect_givers(&pager, 1, 0xe);
	/* From its high on a tenant takes from itself. */
	pager.said.high[1] = 5;
	expect_givers(&pager, 1, 2);
	expect_givers(&pager, 2, 0xe);
	pager.said.high[1] = 6;
	expect_givers(&pager, 1, 0xe);
	/* So it does at its max, where no chunk is free for it. */
	assert_false(pager_at_most(&pager, 1));
	pager.limit[1].max = 5;
	assert_true(pager_at_most(&pager, 1));
	expect_givers(&pager, 1, 2);
	pager.limit[1].max = U32_MAX;
	/* Who is at its low is spared while others have more than theirs. */
	pager.said.low[2] = 3;
	expect_givers(&pager, 0, 0xa);
	expect_givers(&pager, 2, 0xa);
	pager.limit[1].low = 5;
	pager.limit[3].low = 1;
	expect_givers(&pager, 0, 0xe);
	pager.used[1] = 6;
	expect_givers(&pager, 0, 2);
	pager.used[1] = 5;
	/* Who is at its min gives to nobody but itself. */
	pager.limit[2].min = 3;
	expect_givers(&pager, 0, 0xa);
	expect_givers(&pager, 2, 0xe);
	pager.limit[1].min = 5;
	pager.limit[3].min = 2;
	expect_givers(&pager, 1, 2);
	/* But who has none gets one. */
	expect_givers(&pager, 0, 0xe);
	/* Whoever has none gives none. */
	pager.used[3] = 0;
	expect_givers(&pager, 0, 6);
}

/* Chunks that a tenant of two blocks loses to one that goes through 16, in 8. */
static u64 lost_to_a_stream(const struct simgpu_memory_policy *policy, u64 *stream)
{
	struct trace *steady = trace_steps(2, BLOCK_BYTES, false, 3000);
	struct trace *passing = trace_steps(16, BLOCK_BYTES, false, 2);
	struct bench *bench = paged(16, 64, policy);
	u64 lost;

	manage(bench, 2 * BLOCK_BYTES);
	join(bench, 1);
	assert_int_equal(session_manage(bench->session, 1, 16 * BLOCK_BYTES), 0);
	launch_one(bench, 0, steady);
	launch_one(bench, 1, passing);
	run_to_end(bench);
	lost = counted(bench, 0).chunks_evicted;
	*stream = counted(bench, 1).chunks_evicted;
	bench_free(bench);
	trace_free(steady);
	trace_free(passing);
	return lost;
}

static void share_protects_who_is_within_its_part(void **state)
{
	u64 stream;

	assert_true(lost_to_a_stream(&memory_policy_uvm, &stream) > 0);
	assert_int_equal(lost_to_a_stream(&memory_policy_share, &stream), 0);
	/* It has its four chunks and two that nobody uses, and gives up one of them each time. */
	assert_int_equal(stream, 26);
}

/* --- fetches --------------------------------------------------------------------------------- */

static struct simgpu_fetch wish;

static int fetching_place(const struct simgpu_place *asked, void *state,
			  struct simgpu_placement *out)
{
	out->fetch[0] = wish;
	out->fetch_count = 1;
	return 0;
}

static struct simgpu_memory_policy fetching(u32 slot, u32 first, u32 count)
{
	struct simgpu_memory_policy policy = memory_policy_demand;

	strcpy(policy.name, "fetching");
	policy.place = fetching_place;
	wish = (struct simgpu_fetch) { .slot = slot, .first = first, .count = count };
	return policy;
}

/* Each of 96 pages is read; the first fault fetches the others. */
static void pages_are_fetched_without_faults(void **state)
{
	struct simgpu_memory_policy policy = fetching(0, 0, 96);
	struct trace *trace = trace_steps(96, 65536, false, 1);
	u32 mb;

	for (mb = 4; mb <= 8; mb += 4) {
		struct bench *bench = paged(mb, 64, &policy);
		struct simgpu_counters counters;

		manage(bench, 96 * 65536);
		launch_one(bench, 0, trace);
		run_to_end(bench);
		counters = counted(bench, 0);
		if (mb == 8) {
			assert_int_equal(counters.faults, 1);
			assert_int_equal(counters.pages_in, 96);
			assert_int_equal(counters.pages_prefetched, 95);
		}
		/* What does not fit is not fetched over what has just come. */
		assert_true(counters.faults < 10);
		assert_true(counters.pages_in < 200);
		bench_free(bench);
	}
	trace_free(trace);
}

/* The only chunk stays with the block that faulted. */
static void a_fetch_takes_nothing_from_its_batch(void **state)
{
	struct simgpu_memory_policy policy = fetching(0, 32, 32);
	struct trace *trace = trace_steps(8, 65536, false, 1);
	struct bench *bench = paged(2, 64, &policy);
	struct simgpu_counters counters;

	manage(bench, 2 * BLOCK_BYTES);
	launch_one(bench, 0, trace);
	run_to_end(bench);
	counters = counted(bench, 0);
	assert_int_equal(counters.faults, 8);
	assert_int_equal(counters.pages_in, 8);
	assert_int_equal(counters.chunks_evicted, 0);
	bench_free(bench);
	trace_free(trace);
}

static void expect_refused(struct simgpu_memory_policy policy)
{
	struct trace *trace = trace_steps(2, 65536, false, 1);
	struct bench *bench = paged(4, 64, &policy);
	struct session_memory memory;

	manage(bench, 10 * 65536);
	join(bench, 1);
	launch_one(bench, 0, trace);
	run_to_end(bench);
	session_memory_report(bench->session, &memory);
	assert_string_equal(memory.policy, "uvm");
	assert_string_equal(memory.fell_back,
			    "fetching fetches pages that the tenant does not have (slot 0, block 0)");
	assert_int_equal(counted(bench, 0).faults, 2);
	bench_free(bench);
	trace_free(trace);
}

static void fetches_that_cannot_be_done_are_refused(void **state)
{
	expect_refused(fetching(0, 0, 0));
	expect_refused(fetching(0, 10, 1));
	expect_refused(fetching(0, 2, 9));
	expect_refused(fetching(0, 9, U32_MAX));
	/* It has joined, and has no managed memory. */
	expect_refused(fetching(1, 0, 1));
	expect_refused(fetching(SIMGPU_SLOTS_MAX, 0, 1));
}

/* --- the same bits --------------------------------------------------------------------------- */

static void expect_hashed(struct bench *bench, u32 *value)
{
	u64 hash = session_state_hash(bench->session);

	*value ^= 1;
	assert_int_not_equal(session_state_hash(bench->session), hash);
	*value ^= 1;
	assert_int_equal(session_state_hash(bench->session), hash);
}

static void what_decides_is_hashed(void **state)
{
	struct simgpu_memory_policy policy = fetching(0, 0, 320);
	struct trace *trace = trace_steps(320, 65536, false, 1);
	struct bench *bench = paged(32, 64, &policy);
	struct pager *pager;

	manage(bench, 320 * 65536);
	launch_one(bench, 0, trace);
	do {
		session_run(bench->session, 100);
		pager = bench->session->pager;
	} while (!pager->fetches);
	expect_hashed(bench, &pager->fetches);
	expect_hashed(bench, &pager->fetch[0].first);
	expect_hashed(bench, &pager->fetch[0].count);
	expect_hashed(bench, &pager->said.low[1]);
	expect_hashed(bench, &pager->said.high[63]);
	expect_hashed(bench, &pager->limit[7].min);
	expect_hashed(bench, &pager->limit[7].low);
	expect_hashed(bench, &pager->limit[7].max);
	/* Who leaves is not fetched for. */
	session_leave(bench->session, 0);
	assert_int_equal(pager->fetches, 0);
	assert_int_equal(pager->used[0], 0);
	bench_free(bench);
	trace_free(trace);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_stride_is_fetched_once_it_is_sure),
		cmocka_unit_test(pages_in_a_row_are_one_fetch),
		cmocka_unit_test(parts_follow_weights_and_shares),
		cmocka_unit_test(only_within_its_part_is_prefetched),
		cmocka_unit_test(limits_say_who_gives),
		cmocka_unit_test(share_protects_who_is_within_its_part),
		cmocka_unit_test(pages_are_fetched_without_faults),
		cmocka_unit_test(a_fetch_takes_nothing_from_its_batch),
		cmocka_unit_test(fetches_that_cannot_be_done_are_refused),
		cmocka_unit_test(what_decides_is_hashed),
	};

	return cmocka_run_group_tests_name("memory_policies", tests, make_traces,
					   free_traces);
}
