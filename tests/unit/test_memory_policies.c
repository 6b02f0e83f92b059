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
#include "../../kmod/session/params.h"
#include "../../kmod/session/settings.h"
#include "../../kmod/session/snapshot.h"
#include "journal_of.h"
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
	params_initial(memory_policy_stride.params, place.params);
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
	params_initial(memory_policy_share.params, place.params);
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
	static struct session session;
	static struct pager pager = { .session = &session };
	struct simgpu_proposal *controls = &session.controls;

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
	controls->memory_max[1] = 5 * BLOCK_BYTES + BLOCK_BYTES - 1;
	assert_true(pager_at_most(&pager, 1));
	expect_givers(&pager, 1, 2);
	controls->memory_max[1] = 6 * BLOCK_BYTES;
	assert_false(pager_at_most(&pager, 1));
	/* A chunk is the least. */
	controls->memory_max[3] = 1;
	assert_true(pager_at_most(&pager, 3));
	pager.used[3] = 0;
	assert_false(pager_at_most(&pager, 3));
	pager.used[3] = 1;
	controls->memory_max[1] = controls->memory_max[3] = 0;
	/* Who is at its low is spared while others have more than theirs. */
	pager.said.low[2] = 3;
	expect_givers(&pager, 0, 0xa);
	expect_givers(&pager, 2, 0xa);
	controls->memory_low[1] = 5 * BLOCK_BYTES;
	controls->memory_low[3] = 1;
	expect_givers(&pager, 0, 0xe);
	pager.used[1] = 6;
	expect_givers(&pager, 0, 2);
	pager.used[1] = 5;
	/* Who is at its min gives to nobody but itself. */
	controls->memory_min[2] = 2 * BLOCK_BYTES + 1;
	expect_givers(&pager, 0, 0xa);
	expect_givers(&pager, 2, 0xe);
	controls->memory_min[1] = 5 * BLOCK_BYTES;
	controls->memory_min[3] = 2 * BLOCK_BYTES;
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

/* --- what an SM policy says and sees ---------------------------------------------------------- */

static struct simgpu_snapshot_tenant shown[2];
static u64 shown_managed;
static struct simgpu_proposal said;

static int saying_decide(const struct simgpu_snapshot *snapshot, void *state,
			 struct simgpu_proposal *proposal)
{
	policy_even.decide(snapshot, state, proposal);
	memcpy(shown, snapshot->tenants, sizeof(shown));
	shown_managed = snapshot->managed_bytes;
	proposal->flags |= SIMGPU_SAYS_MEMORY;
	memcpy(proposal->memory_min, said.memory_min, sizeof(said.memory_min));
	memcpy(proposal->memory_low, said.memory_low, sizeof(said.memory_low));
	memcpy(proposal->memory_max, said.memory_max, sizeof(said.memory_max));
	return 0;
}

static struct simgpu_policy saying(void)
{
	struct simgpu_policy policy = {
		.name = "saying", .decide = saying_decide,
		.events = SIMGPU_ON_ARRIVAL | SIMGPU_ON_DEPARTURE,
	};

	memset(&said, 0, sizeof(said));
	return policy;
}

/* As lost_to_a_stream() under uvm, with what @said says; chunks of the stream at its end. */
static u64 lost_with_limits(const struct simgpu_policy *policy, u64 *stream_used)
{
	struct trace *steady = trace_steps(2, BLOCK_BYTES, false, 3000);
	struct trace *passing = trace_steps(16, BLOCK_BYTES, false, 2);
	struct bench *bench = paged(16, 64, NULL);
	u64 lost;

	bench->options.policy = policy;
	manage(bench, 2 * BLOCK_BYTES);
	join(bench, 1);
	assert_int_equal(session_manage(bench->session, 1, 16 * BLOCK_BYTES), 0);
	launch_one(bench, 0, steady);
	launch_one(bench, 1, passing);
	run_to_end(bench);
	assert_ptr_equal(bench->session->policy, policy);
	lost = counted(bench, 0).chunks_evicted;
	*stream_used = bench->session->pager->used[1];
	bench_free(bench);
	trace_free(steady);
	trace_free(passing);
	return lost;
}

static void proposals_limit_memory(void **state)
{
	struct simgpu_policy policy = saying();
	u64 used;

	assert_true(lost_with_limits(&policy, &used) > 0);
	said.memory_min[0] = 2 * BLOCK_BYTES;
	assert_int_equal(lost_with_limits(&policy, &used), 0);
	policy = saying();
	said.memory_low[0] = 2 * BLOCK_BYTES;
	assert_int_equal(lost_with_limits(&policy, &used), 0);
	assert_int_equal(used, 6);
	/* A chunk less is lost again and again. */
	said.memory_low[0] = BLOCK_BYTES;
	assert_true(lost_with_limits(&policy, &used) > 0);
	policy = saying();
	said.memory_max[1] = 3 * BLOCK_BYTES;
	assert_int_equal(lost_with_limits(&policy, &used), 0);
	assert_int_equal(used, 3);
}

static void a_policy_sees_managed_memory(void **state)
{
	struct simgpu_policy policy = saying();
	struct trace *trace = trace_steps(3, BLOCK_BYTES, false, 1);
	struct bench *bench = paged(8, 64, NULL);

	bench->options.policy = &policy;
	bench->options.epoch_cycles = 1000000;
	manage(bench, 3 * BLOCK_BYTES);
	join(bench, 1);
	launch_one(bench, 0, trace);
	launch_one(bench, 1, brief);
	session_run(bench->session, 1);
	assert_int_equal(shown_managed, 8 * MIB);
	assert_int_equal(shown[0].managed_bytes, 3 * BLOCK_BYTES);
	assert_int_equal(shown[0].resident_bytes, 0);
	/* The last line is in the first page of its block. */
	assert_int_equal(shown[0].wanted_bytes, 2 * BLOCK_BYTES + 65536);
	assert_int_equal(shown[1].managed_bytes, 0);
	assert_int_equal(shown[1].wanted_bytes, 0);
	/* Two faults and a half. */
	session_run(bench->session, 60000);
	snapshot_fill(bench->session);
	assert_int_equal(bench->session->snapshot.tenants[0].resident_bytes,
			 bench->session->pager->used[0] * BLOCK_BYTES);
	assert_in_range(bench->session->pager->used[0], 1, 2);
	bench_free(bench);
	trace_free(trace);
}

static void expect_proposal_refused(const char *field, const char *reason)
{
	static struct simgpu_policy policy;
	struct simgpu_proposal keep = said;
	struct bench *bench = paged(8, 64, NULL);

	policy = saying();
	said = keep;
	bench->options.policy = &policy;
	manage(bench, BLOCK_BYTES);
	join(bench, 1);
	assert_int_equal(session_manage(bench->session, 1, BLOCK_BYTES), 0);
	launch_one(bench, 0, brief);
	launch_one(bench, 1, brief);
	session_run(bench->session, 1);
	if (field) {
		assert_string_equal(bench->session->refusal.field, field);
		assert_string_equal(bench->session->refusal.reason, reason);
	} else {
		assert_int_equal(bench->session->refusal.kind, SESSION_REFUSED_NOTHING);
	}
	bench_free(bench);
}

static void limits_that_do_not_fit_are_refused(void **state)
{
	static const char much[] = "the least memory of all tenants is more than there is";

	/* There are four chunks, and the other tenant needs one. */
	memset(&said, 0, sizeof(said));
	said.memory_min[0] = 3 * BLOCK_BYTES;
	expect_proposal_refused(NULL, NULL);
	said.memory_min[1] = BLOCK_BYTES;
	expect_proposal_refused(NULL, NULL);
	said.memory_min[1] = BLOCK_BYTES + 1;
	expect_proposal_refused("memory_min", much);
	memset(&said, 0, sizeof(said));
	said.memory_min[0] = 3 * BLOCK_BYTES + 1;
	expect_proposal_refused("memory_min", much);
	said.memory_min[0] = U64_MAX;
	said.memory_min[1] = U64_MAX;
	expect_proposal_refused("memory_min", much);
	memset(&said, 0, sizeof(said));
	said.memory_min[2] = 1;
	expect_proposal_refused("memory_min", "a slot without a tenant gets memory");
	memset(&said, 0, sizeof(said));
	said.memory_min[0] = BLOCK_BYTES;
	said.memory_max[0] = BLOCK_BYTES;
	expect_proposal_refused(NULL, NULL);
	said.memory_max[0]--;
	expect_proposal_refused("memory_max", "a tenant's most memory is below its least");
	/* Low may be above all there is, and max may be anything. */
	memset(&said, 0, sizeof(said));
	said.memory_low[0] = U64_MAX;
	said.memory_max[1] = 1;
	expect_proposal_refused(NULL, NULL);
}

/* --- working sets ----------------------------------------------------------------------------- */

static void expect_span(const struct trace_span *span, u64 first, u64 end)
{
	assert_int_equal(span->first, first);
	assert_int_equal(span->end, end);
}

/* A kernel with accesses of several kinds; spans that are near become one. */
static void kernels_reach_what_they_access(void **state)
{
	static const struct simgpu_trace_pattern rows = {
		.access_bytes = 4, .base = 64 * MIB, .lane_stride = 4, .warp_stride = 128,
		.block_stride = { 4096, 8 * 4096 }, .loop_stride = { MIB, -256 },
	};
	static const struct simgpu_trace_pattern groups = {
		.access_bytes = 8, .base = 0, .lane_stride = 8, .group_lanes = 8,
		.group_stride = 32 * MIB,
	};
	struct builder *b = builder_new("reach", "test");
	struct trace_span span[TRACE_SPANS_MAX];
	struct trace *trace;
	u32 first, second;

	builder_footprint(b, 256 * MIB);
	builder_kernel(b, "rows", 16, 64, 16, 0);
	builder_grid(b, 8, 2, 1);
	first = builder_access(b, &rows);
	second = builder_affine(b, 200 * MIB, 4 * MIB, 4, 4096, 128, 0);
	builder_loop(b, 3);
	builder_loop(b, 5);
	builder_load(b, first, 32, 0);
	builder_loop_end(b);
	builder_loop_end(b);
	builder_store(b, second, 32);
	builder_kernel(b, "groups", 1, 32, 16, 0);
	builder_load(b, builder_access(b, &groups), 32, 0);
	builder_kernel(b, "nothing", 1, 32, 16, 0);
	builder_compute(b, 10, 32);
	trace = trace_of(b, 0);
	assert_int_equal(trace_reach(trace, 0, span, 0), 2);
	/* 4 steps of -256 below; above 7 + 8 blocks, a warp, a lane and 2 steps of 1 MiB. */
	expect_span(&span[0], 64 * MIB - 1024,
		    66 * MIB + 15 * 4096 + 128 + 31 * 4 + 4);
	assert_int_equal(span[1].first, 200 * MIB);
	assert_in_range(span[1].end, 200 * MIB + 7 * 4096 + 128 + 128, 204 * MIB);
	assert_int_equal(trace_reach(trace, 1, span, 0), 1);
	expect_span(&span[0], 0, 96 * MIB + 7 * 8 + 8);
	assert_int_equal(trace_reach(trace, 2, span, 0), 0);
	/* Others are added to those that are there. */
	span[0] = (struct trace_span) { 97 * MIB, 98 * MIB };
	span[1] = (struct trace_span) { 120 * MIB, 121 * MIB };
	assert_int_equal(trace_reach(trace, 1, span, 2), 2);
	trace_free(trace);
}

/* More arrays than there is room for: no access is forgotten. */
static void many_spans_become_fewer(void **state)
{
	struct builder *b = builder_new("many", "test");
	struct trace_span span[TRACE_SPANS_MAX];
	struct trace *trace;
	u32 count, i, k;

	builder_footprint(b, 256 * MIB);
	builder_kernel(b, "many", 1, 32, 16, 0);
	for (i = 0; i < 20; i++) {
		struct simgpu_trace_pattern pattern = {
			.access_bytes = 4, .lane_stride = 4,
			.base = (i * 7 % 20) * 10 * MIB,
		};

		builder_load(b, builder_access(b, &pattern), 32, 0);
	}
	trace = trace_of(b, 0);
	count = trace_reach(trace, 0, span, 0);
	assert_in_range(count, 1, TRACE_SPANS_MAX);
	for (i = 0; i < 20; i++) {
		for (k = 0; k < count; k++)
			if (span[k].first <= i * 10 * MIB &&
			    span[k].end >= i * 10 * MIB + 128)
				break;
		assert_true(k < count);
	}
	trace_free(trace);
}

/* All of a kernel's pages are fetched as it begins: it faults on the first ones only. */
static void prepare_brings_sets_before_their_faults(void **state)
{
	struct trace *trace = trace_steps(96, 65536, false, 1);
	u64 faults[2], ends[2];
	u32 i;

	for (i = 0; i < 2; i++) {
		struct bench *bench = paged(8, 64, i ? &memory_policy_prepare :
						       &memory_policy_demand);

		manage(bench, 96 * 65536);
		launch_one(bench, 0, trace);
		ends[i] = run_to_end(bench);
		faults[i] = counted(bench, 0).faults;
		assert_int_equal(counted(bench, 0).pages_in, 96);
		bench_free(bench);
	}
	assert_int_equal(faults[0], 96);
	assert_true(faults[1] <= 3);
	assert_true(ends[1] * 4 < ends[0]);
	trace_free(trace);
}

static void ask_prepare(u32 chunks, const struct simgpu_wanted *wanted, u32 count)
{
	memset(&place, 0, sizeof(place));
	memset(&placement, 0, sizeof(placement));
	memset(policy_memory, 0, sizeof(policy_memory));
	place.page_bytes = 65536;
	place.chunks = chunks;
	place.slot_count = 3;
	place.tenant[0].pages = place.tenant[1].pages = place.tenant[2].pages = 3200;
	place.tenant[0].sms = place.tenant[2].sms = 4;
	place.wanted_count = count;
	memcpy(place.wanted, wanted, count * sizeof(*wanted));
	assert_int_equal(memory_policy_prepare.place(&place, policy_memory, &placement), 0);
}

static void prepare_divides_what_is_too_little(void **state)
{
	static const struct simgpu_wanted wanted[] = {
		{ .slot = 0, .first = 0, .count = 64 },
		{ .slot = 0, .first = 640, .count = 64, .next = 1 },
		{ .slot = 1, .first = 0, .count = 320 },
		{ .slot = 2, .first = 40, .count = 320 },
	};

	ask_prepare(20, wanted, 4);
	assert_int_equal(placement.low[0], 4);
	assert_int_equal(placement.low[1], 0);
	assert_int_equal(placement.low[2], 11);
	assert_int_equal(placement.fetch_count, 3);
	expect_fetch(1, 40, 320);
	/* What comes next is fetched last. */
	assert_int_equal(placement.fetch[2].slot, 0);
	assert_int_equal(placement.fetch[2].first, 640);
	/* Of 12 chunks each tenant with SMs has 6; one begins in the middle of a chunk. */
	ask_prepare(12, wanted, 4);
	assert_int_equal(placement.low[0], 4);
	assert_int_equal(placement.low[2], 6);
	expect_fetch(1, 40, 6 * 32 - 8);
	/* What was said of kernels counts at faults, too. */
	place.wanted_count = 0;
	place.count = 1;
	place.block[0].pages = 32;
	place.block[0].faulted[0] = 1;
	params_initial(memory_policy_prepare.params, place.params);
	memset(&placement, 0, sizeof(placement));
	assert_int_equal(memory_policy_prepare.place(&place, policy_memory, &placement), 0);
	assert_int_equal(placement.low[2], 6);
	assert_int_equal(placement.fetch_count, 0);
	assert_int_equal(placement.bring[0][0], 1);
}

/* --- plug-ins --------------------------------------------------------------------------------- */

static void only_whole_policies_are_good(void **state)
{
	struct simgpu_memory_policy policy;
	u32 i;

	for (i = 0; registry_memory_policy_at(i); i++)
		assert_true(memory_policy_is_good(registry_memory_policy_at(i)));
	policy = memory_policy_demand;
	policy.events = SIMGPU_MEMORY_EVENTS;
	assert_true(memory_policy_is_good(&policy));
	policy.events++;
	assert_false(memory_policy_is_good(&policy));
	policy.events = SIMGPU_RANK_ON_USE;
	policy.rank = NULL;
	assert_false(memory_policy_is_good(&policy));
	policy.events = SIMGPU_PLACE_ON_KERNELS;
	assert_true(memory_policy_is_good(&policy));
	policy.state_bytes = SIMGPU_STATE_BYTES_MAX;
	assert_true(memory_policy_is_good(&policy));
	policy.state_bytes++;
	assert_false(memory_policy_is_good(&policy));
	policy.state_bytes = 0;
	policy.place = NULL;
	assert_false(memory_policy_is_good(&policy));
}

/* Ranks by the state, which counts its calls: a replay has to come to the same. */
static u64 counting_rank(u32 event, const struct simgpu_chunk *chunk, void *state)
{
	return ++*(u64 *)state * 7919 % 1009;
}

static struct simgpu_memory_policy plugged(void)
{
	struct simgpu_memory_policy policy = memory_policy_demand;

	strcpy(policy.name, "plugged");
	policy.events = SIMGPU_RANK_ON_ARRIVAL | SIMGPU_RANK_ON_USE;
	policy.state_bytes = sizeof(u64);
	policy.source = SIMGPU_SOURCE_PLUGIN;
	policy.checksum = 77;
	policy.rank = counting_rank;
	return policy;
}

static struct simgpu_memory_policy found;

static const struct simgpu_memory_policy *find_plugged(const char *name)
{
	return strcmp(name, found.name) ? NULL : &found;
}

/* The event by which the journal names the policy that was set. */
static const struct journal_event *event_of(const struct bench *bench, enum journal_kind kind)
{
	const struct journal_event *events;
	u32 count, i;
	u64 lost;

	events = journal_of(bench->session, &count, &lost);
	for (i = 0; i < count; i++)
		if (events[i].kind == kind)
			return &events[i];
	return NULL;
}

static void journals_name_policies_that_are_not_built_in(void **state)
{
	static const struct session_replay none, given = { .memory_policy = find_plugged };
	struct bench *bench = paged(8, 64, NULL), *other = paged(8, 64, NULL);
	const struct journal_event *event;

	found = plugged();
	bench_start(bench);
	bench_start(other);
	session_use_memory_policy(bench->session, &found);
	assert_ptr_equal(session_memory_policy(bench->session), &found);
	assert_null(event_of(bench, JOURNAL_MEMORY_POLICY));
	event = event_of(bench, JOURNAL_MEMORY_PLUGIN);
	assert_string_equal(event->name, "plugged");
	assert_int_equal(event->source, SIMGPU_SOURCE_PLUGIN);
	assert_int_equal(event->checksum, 77);
	assert_int_equal(session_replay_event(other->session, event, NULL, &none), -EINVAL);
	found.checksum++;
	assert_int_equal(session_replay_event(other->session, event, NULL, &given), -EINVAL);
	found.checksum--;
	assert_true(session_state_hash(other->session) != session_state_hash(bench->session));
	assert_int_equal(session_replay_event(other->session, event, NULL, &given), 0);
	assert_int_equal(session_state_hash(other->session),
			 session_state_hash(bench->session));
	/* Built-in ones stay a word. */
	assert_int_equal(session_set_memory_policy(bench->session,
						   SESSION_MEMORY_POLICY_lfu), 0);
	assert_int_equal(event_of(bench, JOURNAL_MEMORY_POLICY)->memory_policy,
			 SESSION_MEMORY_POLICY_lfu);
	bench_free(bench);
	bench_free(other);
}

/* struct calls - what hooks were asked, and from when on a rank takes too long */
struct calls {
	u32 places;
	u32 ranks;
	u32 fail_from;
	char reason[128];
};

static int hooked_place(void *context, const struct simgpu_memory_policy *policy,
			const struct simgpu_place *place, void *state,
			struct simgpu_placement *placement)
{
	((struct calls *)context)->places++;
	return policy->place(place, state, placement);
}

static int hooked_rank(void *context, const struct simgpu_memory_policy *policy, u32 event,
		       const struct simgpu_chunk *chunk, void *state, u64 *rank)
{
	struct calls *calls = context;

	if (++calls->ranks == calls->fail_from)
		return -ETIMEDOUT;
	*rank = policy->rank(event, chunk, state);
	return 0;
}

static void hooked_fall(void *context, const struct session_refusal *why)
{
	strcpy(((struct calls *)context)->reason, why->reason);
}

/* Reads all of 12 MiB on a device of 8, twice, under a policy that the hooks call. */
static struct bench *hooked(const struct simgpu_memory_policy *policy, struct calls *calls)
{
	struct trace *trace = trace_steps(192, 65536, false, 2);
	struct bench *bench = paged(8, 64, policy);

	manage(bench, 192 * 65536);
	bench->session->hooks = (struct session_hooks) {
		.context = calls, .place = hooked_place, .rank = hooked_rank,
		.memory_fell_back = hooked_fall,
	};
	launch_one(bench, 0, trace);
	run_to_end(bench);
	trace_free(trace);
	return bench;
}

static void the_owner_calls_policies(void **state)
{
	struct simgpu_memory_policy policy = plugged();
	struct calls calls = { 0 };
	struct bench *bench = hooked(&policy, &calls);

	assert_int_equal(calls.places, counted(bench, 0).fault_batches);
	assert_true(calls.ranks > calls.places);
	assert_string_equal(calls.reason, "");
	assert_int_equal(session_last_refusal(bench->session)->kind, SESSION_REFUSED_NOTHING);
	bench_free(bench);
	memset(&calls, 0, sizeof(calls));
	/* Of a built-in one its owner counts the batches; its ranks are short. */
	bench = hooked(&memory_policy_lfu, &calls);
	assert_int_equal(calls.places, counted(bench, 0).fault_batches);
	assert_int_equal(calls.ranks, 0);
	bench_free(bench);
}

static void expect_fallback(struct bench *bench, const char *reason)
{
	const struct session_refusal *why = session_last_refusal(bench->session);
	const struct journal_event *event = event_of(bench, JOURNAL_FALLBACK);
	const struct pager *pager = bench->session->pager;
	struct session_memory memory;
	u32 i;

	assert_int_equal(why->kind, SESSION_REFUSED_MEMORY);
	assert_string_equal(why->reason, reason);
	assert_int_equal(why->slot, 0);
	assert_int_equal(event->fallback.kind, SESSION_REFUSED_MEMORY);
	assert_int_equal(event->fallback.slot, 0);
	assert_int_equal(event->cycle, why->cycle);
	assert_ptr_equal(session_memory_policy(bench->session), &memory_policy_uvm);
	session_memory_report(bench->session, &memory);
	assert_string_equal(memory.policy, "uvm");
	assert_string_equal(memory.fell_back, reason);
	for (i = 0; i < pager->chunks; i++)
		assert_int_equal(pager->chunk[i].is.rank, pager->chunk[i].is.arrived);
}

/* Whatever fails: the reason names the block, and nothing of the policy's order stays. */
static void uvm_replaces_a_policy_whose_rank_fails(void **state)
{
	struct simgpu_memory_policy policy = plugged();
	struct calls calls = { .fail_from = 70 };
	struct bench *bench = hooked(&policy, &calls);

	assert_int_equal(calls.ranks, 70);
	assert_non_null(strstr(calls.reason, "plugged took too long for a rank (slot 0, block "));
	assert_int_equal(session_last_refusal(bench->session)->code, -ETIMEDOUT);
	expect_fallback(bench, calls.reason);
	bench_free(bench);
}

static int no_more(const struct simgpu_place *place, void *state,
		   struct simgpu_placement *placement)
{
	return ++*(u64 *)state > 50 ? -EDOM : 0;
}

static void uvm_replaces_a_policy_whose_place_fails(void **state)
{
	struct simgpu_memory_policy policy = plugged();
	struct calls calls = { 0 };
	struct bench *bench;

	policy.place = no_more;
	bench = hooked(&policy, &calls);
	assert_non_null(strstr(calls.reason, "plugged returned an error (slot 0, block "));
	assert_int_equal(session_last_refusal(bench->session)->code, -EDOM);
	expect_fallback(bench, calls.reason);
	bench_free(bench);
}

/* No replay finds that out, so the journal has uvm as if it was set. */
static void uvm_replaces_a_policy_that_its_owner_takes_away(void **state)
{
	struct simgpu_memory_policy policy = plugged();
	struct calls calls = { 0 };
	struct bench *bench = hooked(&policy, &calls);

	session_memory_policy_is_slow(bench->session);
	assert_ptr_equal(session_memory_policy(bench->session), &memory_policy_uvm);
	assert_non_null(strstr(session_last_refusal(bench->session)->reason,
			       "plugged took too long (slot 0, block "));
	assert_int_equal(event_of(bench, JOURNAL_MEMORY_POLICY)->memory_policy,
			 SESSION_MEMORY_POLICY_uvm);
	assert_null(event_of(bench, JOURNAL_FALLBACK));
	session_use_memory_policy(bench->session, &policy);
	session_memory_policy_is_gone(bench->session);
	assert_ptr_equal(session_memory_policy(bench->session), &memory_policy_uvm);
	assert_string_equal(session_last_refusal(bench->session)->reason,
			    "plugged was unloaded");
	assert_string_equal(bench->session->pager->fell_back, "plugged was unloaded");
	bench_free(bench);
	/* Nor has it to be in use. */
	bench = paged(8, 64, &policy);
	bench_start(bench);
	session_memory_policy_is_gone(bench->session);
	assert_ptr_equal(session_memory_policy(bench->session), &memory_policy_uvm);
	bench_free(bench);
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
	expect_hashed(bench, (u32 *)&pager->heads[0]);
	expect_hashed(bench, (u32 *)&bench->session->controls.memory_min[7]);
	expect_hashed(bench, (u32 *)&bench->session->controls.memory_low[0]);
	expect_hashed(bench, (u32 *)&bench->session->controls.memory_max[63]);
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
		cmocka_unit_test(proposals_limit_memory),
		cmocka_unit_test(a_policy_sees_managed_memory),
		cmocka_unit_test(limits_that_do_not_fit_are_refused),
		cmocka_unit_test(kernels_reach_what_they_access),
		cmocka_unit_test(many_spans_become_fewer),
		cmocka_unit_test(prepare_brings_sets_before_their_faults),
		cmocka_unit_test(prepare_divides_what_is_too_little),
		cmocka_unit_test(only_whole_policies_are_good),
		cmocka_unit_test(journals_name_policies_that_are_not_built_in),
		cmocka_unit_test(the_owner_calls_policies),
		cmocka_unit_test(uvm_replaces_a_policy_whose_rank_fails),
		cmocka_unit_test(uvm_replaces_a_policy_whose_place_fails),
		cmocka_unit_test(uvm_replaces_a_policy_that_its_owner_takes_away),
		cmocka_unit_test(what_decides_is_hashed),
	};

	return cmocka_run_group_tests_name("memory_policies", tests, make_traces,
					   free_traces);
}
