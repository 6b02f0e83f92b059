// SPDX-License-Identifier: GPL-2.0
/*
 * Static resources of shared SMs (FGQoS 3.6): what fits exactly, who gives way where it
 * does not, how SMs are divided among many, and which SMs are left to tenants with goals
 * and come back (docs/fgqos.md, Static resources and quota-mixed).
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <cmocka.h>

#include "../../kmod/policy/common/blocks.h"
#include "snapshots.h"

#define ANY	SIMGPU_ANY_BLOCKS
#define QOS	true
#define OTHER	false

/** struct places - a device, and who may have how many thread blocks where */
struct places {
	struct simgpu_snapshot *snapshot;
	struct blocks *blocks;
};

static struct places places_of(u32 sms)
{
	struct places it = {
		.snapshot = calloc(1, sizeof(*it.snapshot)),
		.blocks = calloc(1, sizeof(*it.blocks)),
	};

	snapshot_init(it.snapshot, sms, 10000);
	it.snapshot->sm_threads = 2048;
	it.snapshot->sm_blocks = 32;
	it.snapshot->sm_registers = 65536;
	it.snapshot->sm_shared_bytes = 98304;
	return it;
}

static void places_free(struct places *it)
{
	free(it->snapshot);
	free(it->blocks);
}

static struct simgpu_snapshot_kernel *add(struct places *it, u32 slot, bool qos,
					  u32 threads)
{
	struct simgpu_snapshot_tenant *tenant = activate(it->snapshot, slot, 0);

	tenant->queue[0].head.threads = threads;
	tenant->queue[0].head.registers = 16;
	tenant->queue[0].head.shared_bytes = 0;
	tenant->queue[0].head.blocks_per_sm = 2048 / threads;
	tenant->blocks_left = 100000;
	tenant->service = qos ? SIMGPU_QOS : SIMGPU_BEST_EFFORT;
	tenant->goal_ipc_ppm = qos ? SIMGPU_PPM : 0;
	return &tenant->queue[0].head;
}

static void split(struct places *it)
{
	blocks_changed(it->snapshot, it->blocks);
	blocks_split(it->snapshot, it->blocks);
}

static void expect_limits(const struct places *it, u32 sm, u32 first, u32 second)
{
	assert_int_equal(it->blocks->limit[sm][0], first);
	assert_int_equal(it->blocks->limit[sm][1], second);
}

/* --- the symmetric start ---------------------------------------------------------------- */

/* Of each resource exactly as much as is needed is enough, and one less is not. */
static void what_fits_exactly_is_placed(void **state)
{
	static const struct {
		u32 blocks;
		u32 registers;
		u32 shared_bytes;
		u32 second;
	} cases[] = {
		/* 16 thread blocks of 128 threads, 2,048 registers, 1,000 bytes. */
		{ 16, 32768, 16000, 8 },
		{ 15, 32768, 16000, 7 },
		{ 16, 32767, 16000, 7 },
		{ 16, 32768, 15999, 7 },
		{ 14, 32768, 16000, 7 },
	};
	u32 i;

	for (i = 0; i < ARRAY_SIZE(cases); i++) {
		struct places it = places_of(1);

		it.snapshot->sm_blocks = cases[i].blocks;
		it.snapshot->sm_registers = cases[i].registers;
		it.snapshot->sm_shared_bytes = cases[i].shared_bytes;
		add(&it, 0, OTHER, 128)->shared_bytes = 1000;
		add(&it, 1, OTHER, 128)->shared_bytes = 1000;
		split(&it);
		/* Of several with as many threads the highest slot gives way. */
		expect_limits(&it, 0, cases[i].blocks == 14 ? 7 : 8,
			      cases[i].second);
		places_free(&it);
	}
}

/* Thread blocks are of whole warps, and nobody is given more than an SM holds of it. */
static void limits_are_of_whole_warps_and_what_an_sm_holds(void **state)
{
	static const struct {
		u32 threads;
		u32 most;
		u32 limit;
	} cases[] = {
		/* Half of 2,048 threads. */
		{ 128, 16, 8 }, { 97, 16, 8 }, { 96, 16, 10 }, { 129, 16, 6 },
		{ 1, 64, 31 }, { 128, 7, 7 }, { 1024, 2, 1 }, { 1025, 1, 1 },
	};
	u32 i;

	for (i = 0; i < ARRAY_SIZE(cases); i++) {
		struct places it = places_of(1);

		add(&it, 0, OTHER, 1)->threads = cases[i].threads;
		it.snapshot->tenants[0].queue[0].head.blocks_per_sm = cases[i].most;
		add(&it, 1, OTHER, 1024)->blocks_per_sm = 1;
		if (cases[i].threads > 1024)
			it.snapshot->sm_threads = 2079;
		split(&it);
		expect_limits(&it, 0, cases[i].limit, 1);
		places_free(&it);
	}
}

/* Whoever has most threads gives way, not who has most thread blocks; one is kept. */
static void who_has_most_threads_gives_way(void **state)
{
	static const struct {
		u32 threads[2];
		u32 blocks;
		u32 limit[2];
	} cases[] = {
		/* Of 1,024 threads each: 2 and 16 thread blocks, or 2 and 10 (960). */
		{ { 512, 64 }, 18, { 2, 16 } },
		{ { 512, 64 }, 17, { 2, 15 } },
		{ { 512, 64 }, 16, { 1, 15 } },
		{ { 512, 64 }, 15, { 1, 14 } },
		{ { 512, 64 }, 2, { 1, 1 } },
		{ { 512, 96 }, 11, { 1, 10 } },
		{ { 96, 512 }, 11, { 10, 1 } },
		{ { 96, 512 }, 10, { 9, 1 } },
	};
	u32 i;

	for (i = 0; i < ARRAY_SIZE(cases); i++) {
		struct places it = places_of(1);

		it.snapshot->sm_blocks = cases[i].blocks;
		add(&it, 0, OTHER, cases[i].threads[0]);
		add(&it, 1, OTHER, cases[i].threads[1]);
		split(&it);
		expect_limits(&it, 0, cases[i].limit[0], cases[i].limit[1]);
		places_free(&it);
	}
}

/*
 * Where not even one thread block each fits, the largest waits, those without a goal
 * first; the others have its room.
 */
static void the_largest_waits_for_room(void **state)
{
	static const struct {
		bool qos[2];
		u32 threads[2];
		u32 all;
		u32 limit[2];
	} cases[] = {
		{ { OTHER, OTHER }, { 1024, 512 }, 1536, { 1, 1 } },
		{ { OTHER, OTHER }, { 1024, 512 }, 1535, { 1, 2 } },
		{ { OTHER, OTHER }, { 512, 1024 }, 1535, { 2, 1 } },
		{ { QOS, QOS }, { 512, 1024 }, 1535, { 2, 1 } },
		{ { QOS, OTHER }, { 1024, 512 }, 1535, { 1, 1 } },
		{ { OTHER, QOS }, { 512, 1024 }, 1535, { 1, 1 } },
		{ { OTHER, QOS }, { 1024, 512 }, 1535, { 1, 2 } },
	};
	u32 i;

	for (i = 0; i < ARRAY_SIZE(cases); i++) {
		struct places it = places_of(1);

		add(&it, 0, cases[i].qos[0], cases[i].threads[0]);
		add(&it, 1, cases[i].qos[1], cases[i].threads[1]);
		it.snapshot->sm_threads = cases[i].all;
		split(&it);
		expect_limits(&it, 0, cases[i].limit[0], cases[i].limit[1]);
		places_free(&it);
	}
}

/* Of two as large the one in the higher slot waits, whatever else it needs. */
static void of_two_as_large_the_higher_slot_waits(void **state)
{
	static const u32 cases[][3] = {
		/* Shared memory of each, and how many the lower one has then. */
		{ 60000, 40000, 1 }, { 40000, 60000, 2 },
	};
	u32 i;

	for (i = 0; i < ARRAY_SIZE(cases); i++) {
		struct places it = places_of(1);

		add(&it, 0, OTHER, 128)->shared_bytes = cases[i][0];
		add(&it, 1, OTHER, 128)->shared_bytes = cases[i][1];
		split(&it);
		expect_limits(&it, 0, cases[i][2], 1);
		places_free(&it);
	}
}

/* Threads are equal even where there is room for more; one thread block at least. */
static void equal_threads_leave_a_rest(void **state)
{
	static const struct {
		u32 threads[3];
		u32 limit[3];
	} cases[] = {
		/* A third of 2,048 threads is 682. */
		{ { 256, 256, 256 }, { 2, 2, 2 } },
		{ { 341, 341, 341 }, { 1, 1, 1 } },
		{ { 768, 32, 256 }, { 1, 21, 2 } },
	};
	u32 i, slot;

	for (i = 0; i < ARRAY_SIZE(cases); i++) {
		struct places it = places_of(1);

		for (slot = 0; slot < 3; slot++)
			add(&it, slot, OTHER, cases[i].threads[slot]);
		split(&it);
		for (slot = 0; slot < 3; slot++)
			assert_int_equal(it.blocks->limit[0][slot],
					 cases[i].limit[slot]);
		places_free(&it);
	}
}

/* A thread block that fits nowhere keeps nobody from having an answer. */
static void what_fits_nowhere_waits_too(void **state)
{
	struct places it = places_of(1);

	add(&it, 0, QOS, 1024)->registers = 1000;
	split(&it);
	assert_int_equal(it.blocks->limit[0][0], 1);
	assert_int_equal(it.blocks->sharers[0], 1);
	places_free(&it);
}

/* Equal parts: of the SMs, or, where the tenants are more, of the tenants. */
static void others_have_equal_parts_of_the_sms(void **state)
{
	static const struct {
		u32 tenants;
		u64 sharers[4];
	} cases[] = {
		{ 1, { 0x1, 0x1, 0x1, 0x1 } },
		{ 2, { 0x1, 0x1, 0x2, 0x2 } },
		{ 3, { 0x1, 0x1, 0x2, 0x4 } },
		{ 4, { 0x1, 0x2, 0x4, 0x8 } },
		{ 5, { 0x11, 0x2, 0x4, 0x8 } },
		{ 9, { 0x111, 0x22, 0x44, 0x88 } },
	};
	u32 i, j;

	for (i = 0; i < ARRAY_SIZE(cases); i++) {
		struct places it = places_of(4);

		for (j = 0; j < cases[i].tenants; j++)
			add(&it, j, OTHER, 64);
		add(&it, 63, QOS, 64);
		split(&it);
		for (j = 0; j < 4; j++)
			assert_int_equal(it.blocks->sharers[j],
					 cases[i].sharers[j] | 1ULL << 63);
		places_free(&it);
	}
}

/*
 * A snapshot has 1,024 rows of shared SM and tenant. Up to there tenants with goals are
 * on all SMs; beyond they have parts, as the others.
 */
static void goals_are_on_all_sms_as_far_as_there_are_rows(void **state)
{
	static const struct {
		u32 sms;
		u32 qos;
		u32 others;
		bool all;
	} cases[] = {
		{ 128, 7, 0, true }, { 128, 7, 57, true }, { 128, 8, 0, false },
		{ 32, 31, 31, true }, { 32, 31, 33, false },
		{ 16, 63, 0, true }, { 16, 64, 0, false },
		{ 17, 59, 5, true }, { 17, 60, 4, false },
	};
	u32 i, j;

	for (i = 0; i < ARRAY_SIZE(cases); i++) {
		struct places it = places_of(cases[i].sms);
		u32 rows = 0, on = 0;

		for (j = 0; j < cases[i].qos + cases[i].others; j++)
			add(&it, j, j < cases[i].qos, 32);
		split(&it);
		for (j = 0; j < cases[i].sms; j++) {
			rows += hweight64(it.blocks->sharers[j]);
			on += it.blocks->sharers[j] & 1;
		}
		assert_true(rows <= SIMGPU_SHARED_ROWS_MAX);
		assert_int_equal(on == cases[i].sms, cases[i].all);
		places_free(&it);
	}
}

/* Another kernel, a goal that comes or goes, or somebody new: all is split again. */
static void whatever_is_placed_otherwise_is_a_change(void **state)
{
	struct places it = places_of(4);
	struct simgpu_snapshot_kernel *head = add(&it, 63, QOS, 64);
	u32 *const fields[] = {
		&head->threads, &head->registers, &head->shared_bytes,
		&head->blocks_per_sm,
	};
	u32 i;

	assert_true(blocks_changed(it.snapshot, it.blocks));
	for (i = 0; i < ARRAY_SIZE(fields); i++) {
		*fields[i] += 32;
		assert_true(blocks_changed(it.snapshot, it.blocks));
		assert_false(blocks_changed(it.snapshot, it.blocks));
	}
	it.snapshot->tenants[63].goal_ipc_ppm = 0;
	assert_true(blocks_changed(it.snapshot, it.blocks));
	add(&it, 0, OTHER, 64);
	assert_true(blocks_changed(it.snapshot, it.blocks));
	it.snapshot->tenants[63].active = 0;
	assert_true(blocks_changed(it.snapshot, it.blocks));
	/* A goal that is higher is no other place. */
	it.snapshot->tenants[0].goal_ipc_ppm = 1;
	assert_false(blocks_changed(it.snapshot, it.blocks));
	places_free(&it);
}

/* --- one thread block more -------------------------------------------------------------- */

/* Rows of all sharers, each with as many thread blocks as it may have. */
static void look(struct places *it, const u32 *idle_warps)
{
	struct simgpu_snapshot *snapshot = it->snapshot;
	u32 count = 0, sm;
	u64 mask;

	for (sm = 0; sm < snapshot->sms; sm++) {
		for (mask = it->blocks->sharers[sm]; mask; mask &= mask - 1) {
			u32 slot = (u32)__builtin_ctzll(mask);
			struct simgpu_snapshot_shared *row =
				&snapshot->shared[count++];

			row->sm = sm;
			row->slot = slot;
			row->blocks = it->blocks->limit[sm][slot];
			row->block_limit = row->blocks;
			row->idle_warp_samples += 100;
			row->idle_warps += 100 * (idle_warps ?
						  idle_warps[slot] : 0);
		}
	}
	snapshot->shared_rows = count;
	/* What a row of before has left behind the last one is nobody's. */
	snapshot->shared[count] = (struct simgpu_snapshot_shared) {
		.blocks = 1000,
	};
	blocks_sample(snapshot, it->blocks);
}

static void lag(struct places *it, u32 slot)
{
	it->snapshot->tenants[slot].goal_promised = 1000;
	it->snapshot->tenants[slot].goal_instructions = 999;
}

/* One with a goal, four thread blocks of 128 threads, and room for more. */
static struct places one_that_lags(u32 sms)
{
	struct places it = places_of(sms);
	u32 sm;

	add(&it, 0, QOS, 128);
	split(&it);
	for (sm = 0; sm < sms; sm++)
		it.blocks->limit[sm][0] = 4;
	lag(&it, 0);
	look(&it, NULL);
	look(&it, NULL);
	return it;
}

/* Who lags gets one more on each SM, as long as it has a use for it. */
static void who_lags_gets_one_more_if_it_can_use_it(void **state)
{
	static const struct {
		u64 issued;
		u32 idle_warps;
		u32 most;
		u32 left;
		u32 limit;
	} cases[] = {
		{ 999, 0, 16, 100, 5 },
		{ 1000, 0, 16, 100, 4 },
		/* One thread block's worth of idle warps is four warps. */
		{ 999, 7, 16, 100, 5 },
		{ 999, 8, 16, 100, 4 },
		{ 999, 0, 5, 100, 5 },
		{ 999, 0, 4, 100, 4 },
		/* Of the two SMs together it has eight. */
		{ 999, 0, 16, 9, 5 },
		{ 999, 0, 16, 8, 4 },
	};
	u32 i;

	for (i = 0; i < ARRAY_SIZE(cases); i++) {
		struct places it = one_that_lags(2);

		it.snapshot->tenants[0].goal_instructions = cases[i].issued;
		it.snapshot->tenants[0].queue[0].head.blocks_per_sm =
			cases[i].most;
		it.snapshot->tenants[0].blocks_left = cases[i].left;
		blocks_changed(it.snapshot, it.blocks);
		look(&it, &cases[i].idle_warps);
		blocks_adjust(it.snapshot, it.blocks, false);
		assert_int_equal(it.blocks->limit[0][0], cases[i].limit);
		assert_int_equal(it.blocks->limit[1][0], cases[i].limit);
		assert_int_equal(it.blocks->swaps, 0);
		places_free(&it);
	}
}

/* On each SM the first of those that lag, and only that one. */
static void the_first_that_lags_gets_one(void **state)
{
	static const struct {
		bool lags[3];
		u32 getter;
	} cases[] = {
		{ { true, true, true }, 0 }, { { false, true, true }, 1 },
		{ { false, false, true }, 2 }, { { false, false, false }, 3 },
	};
	u32 i, slot;

	for (i = 0; i < ARRAY_SIZE(cases); i++) {
		struct places it = places_of(1);

		for (slot = 0; slot < 3; slot++) {
			add(&it, slot, QOS, 128);
			if (cases[i].lags[slot])
				lag(&it, slot);
		}
		split(&it);
		look(&it, NULL);
		look(&it, NULL);
		blocks_adjust(it.snapshot, it.blocks, false);
		for (slot = 0; slot < 3; slot++)
			assert_int_equal(it.blocks->limit[0][slot],
					 5 + (slot == cases[i].getter));
		places_free(&it);
	}
}

/* While a row is new, or was another one's, nothing is known of idle warps. */
static void rows_that_came_or_went_tell_nothing(void **state)
{
	struct places it = one_that_lags(2);

	it.snapshot->shared_rows = 1;
	blocks_sample(it.snapshot, it.blocks);
	blocks_adjust(it.snapshot, it.blocks, false);
	assert_int_equal(it.blocks->limit[0][0], 4);
	/* As many as before, but one of another SM. */
	it.snapshot->shared[0].sm = 1;
	blocks_sample(it.snapshot, it.blocks);
	blocks_adjust(it.snapshot, it.blocks, false);
	assert_int_equal(it.blocks->limit[0][0], 4);
	it.snapshot->shared[0].slot = 1;
	blocks_sample(it.snapshot, it.blocks);
	blocks_adjust(it.snapshot, it.blocks, false);
	assert_int_equal(it.blocks->limit[0][0], 4);
	blocks_sample(it.snapshot, it.blocks);
	blocks_adjust(it.snapshot, it.blocks, false);
	assert_int_equal(it.blocks->limit[0][0], 5);
	places_free(&it);
}

/* Samples count from the last look, not from the beginning. */
static void idle_warps_are_those_since_the_last_look(void **state)
{
	struct places it = one_that_lags(1);
	u32 idle = 400;

	look(&it, &idle);
	assert_int_equal(it.blocks->rows[0].idle, 100);
	look(&it, NULL);
	assert_int_equal(it.blocks->rows[0].idle, 0);
	idle = 11;
	look(&it, &idle);
	assert_int_equal(it.blocks->rows[0].idle, 2);
	/* No sample since: nothing is idle. */
	blocks_sample(it.snapshot, it.blocks);
	assert_int_equal(it.blocks->rows[0].idle, 0);
	places_free(&it);
}

/* Full SMs: slot 0 lags, and slot 1 without a goal has eight of the sixteen. */
static struct places full(u32 sms)
{
	struct places it = places_of(sms);

	it.snapshot->sm_blocks = 16;
	add(&it, 0, QOS, 128);
	add(&it, 1, OTHER, 128);
	split(&it);
	lag(&it, 0);
	look(&it, NULL);
	look(&it, NULL);
	return it;
}

/* Thread blocks of a victim leave on each SM, or on one of the device in an epoch. */
static void one_swap_is_one_of_the_whole_device(void **state)
{
	struct places all = full(3), one = full(3);
	u32 sm;

	blocks_adjust(all.snapshot, all.blocks, false);
	blocks_adjust(one.snapshot, one.blocks, true);
	for (sm = 0; sm < 3; sm++) {
		expect_limits(&all, sm, 9, 7);
		expect_limits(&one, sm, sm ? 8 : 9, sm ? 8 : 7);
	}
	assert_int_equal(all.blocks->swaps, 3);
	assert_int_equal(one.blocks->swaps, 1);
	places_free(&all);
	places_free(&one);
}

/* As many of a victim's as make room, of which it keeps one; else nobody gives way. */
static void a_victim_gives_what_is_needed_and_keeps_one(void **state)
{
	static const struct {
		u32 threads;	/* of slot 0's thread blocks, the other's have 128 */
		u32 had[2];
		u32 has[2];
	} cases[] = {
		{ 512, { 2, 8 }, { 3, 4 } },
		{ 512, { 3, 4 }, { 3, 4 } },
		{ 512, { 2, 5 }, { 3, 4 } },
		{ 256, { 7, 2 }, { 7, 2 } },
		{ 256, { 6, 3 }, { 7, 2 } },
		{ 128, { 14, 2 }, { 15, 1 } },
		{ 128, { 15, 1 }, { 15, 1 } },
	};
	u32 i;

	for (i = 0; i < ARRAY_SIZE(cases); i++) {
		struct places it = places_of(1);
		u32 moved = cases[i].had[1] - cases[i].has[1];

		add(&it, 0, QOS, cases[i].threads)->blocks_per_sm = 16;
		add(&it, 1, OTHER, 128);
		split(&it);
		it.blocks->limit[0][0] = cases[i].had[0];
		it.blocks->limit[0][1] = cases[i].had[1];
		lag(&it, 0);
		look(&it, NULL);
		look(&it, NULL);
		blocks_adjust(it.snapshot, it.blocks, false);
		expect_limits(&it, 0, cases[i].has[0], cases[i].has[1]);
		assert_int_equal(it.blocks->swaps, moved);
		places_free(&it);
	}
}

/* History x (1 - n / N) has to stay above the goal, not at it; N is of all SMs. */
static void a_victim_with_a_goal_can_lose_it(void **state)
{
	static const struct {
		u64 issued;
		u32 limit;
	} cases[] = {
		/* One of its 16 on two SMs. */
		{ 16000, 8 }, { 16016, 7 },
	};
	u32 i;

	for (i = 0; i < ARRAY_SIZE(cases); i++) {
		struct places it = places_of(2);

		it.snapshot->sm_blocks = 16;
		add(&it, 0, QOS, 128);
		add(&it, 1, QOS, 128);
		split(&it);
		lag(&it, 0);
		it.snapshot->tenants[1].goal_promised = 15000;
		it.snapshot->tenants[1].goal_instructions = cases[i].issued;
		look(&it, NULL);
		look(&it, NULL);
		blocks_adjust(it.snapshot, it.blocks, true);
		expect_limits(&it, 0, 16 - cases[i].limit, cases[i].limit);
		places_free(&it);
	}
}

/* Of several that the same rule is about, the one with most idle; then the lowest slot. */
static void of_several_victims_the_idlest_gives_way(void **state)
{
	static const struct {
		u32 idle[4];
		u32 victim;
	} cases[] = {
		{ { 0, 0, 0, 0 }, 1 },
		{ { 0, 0, 4, 0 }, 2 },
		{ { 0, 4, 4, 0 }, 1 },
		{ { 0, 4, 4, 8 }, 3 },
		{ { 0, 8, 4, 4 }, 1 },
	};
	u32 i, slot;

	for (i = 0; i < ARRAY_SIZE(cases); i++) {
		struct places it = places_of(1);

		it.snapshot->sm_blocks = 16;
		add(&it, 0, QOS, 128);
		for (slot = 1; slot < 4; slot++)
			add(&it, slot, OTHER, 128);
		split(&it);
		lag(&it, 0);
		look(&it, NULL);
		look(&it, cases[i].idle);
		blocks_adjust(it.snapshot, it.blocks, false);
		assert_int_equal(it.blocks->limit[0][0], 5);
		for (slot = 1; slot < 4; slot++)
			assert_int_equal(it.blocks->limit[0][slot],
					 4 - (slot == cases[i].victim));
		places_free(&it);
	}
}

/* Where nobody gives way to one whose thread blocks are large, the next one is asked. */
static void who_cannot_be_given_any_lets_the_next_one(void **state)
{
	struct places it = places_of(1);

	add(&it, 0, QOS, 1024);
	add(&it, 1, QOS, 128)->blocks_per_sm = 16;
	split(&it);
	it.blocks->limit[0][1] = 7;
	lag(&it, 0);
	lag(&it, 1);
	look(&it, NULL);
	look(&it, NULL);
	blocks_adjust(it.snapshot, it.blocks, false);
	expect_limits(&it, 0, 1, 8);
	assert_int_equal(it.blocks->swaps, 0);
	places_free(&it);
}

/* --- SMs that are left to tenants with goals --------------------------------------------- */

/* One with a goal on eight SMs, two others on four each; of 256, 128, 128 threads. */
static struct places half_and_half(void)
{
	struct places it = places_of(8);

	add(&it, 0, QOS, 256);
	add(&it, 1, OTHER, 128);
	add(&it, 2, OTHER, 128);
	split(&it);
	return it;
}

/* Others leave in turn, whoever has most SMs, from the highest SM on; each keeps one. */
static void others_leave_sms_and_keep_one_each(void **state)
{
	static const u32 order[] = { 7, 3, 6, 2, 5, 1 };
	struct places it = half_and_half();
	u32 i, sm;

	for (i = 0; i < ARRAY_SIZE(order); i++) {
		assert_int_equal(it.blocks->limit[order[i]][0], 4);
		blocks_leave(it.snapshot, it.blocks, 1);
		assert_true(it.blocks->alone[order[i]]);
		assert_int_equal(it.blocks->sharers[order[i]], 1);
		/* Who stays has the room. */
		assert_int_equal(it.blocks->limit[order[i]][0], 8);
	}
	blocks_leave(it.snapshot, it.blocks, 9);
	assert_int_equal(it.blocks->sharers[0], 3);
	assert_int_equal(it.blocks->sharers[4], 5);
	for (sm = 0; sm < 8; sm++)
		assert_int_equal(it.blocks->alone[sm], sm % 4 != 0);
	places_free(&it);
}

/* As many as are asked for at once, and none while thread blocks are still leaving. */
static void as_many_sms_are_left_as_are_asked_for(void **state)
{
	struct places it = half_and_half();

	look(&it, NULL);
	blocks_leave(it.snapshot, it.blocks, 0);
	assert_int_equal(it.blocks->sharers[7], 5);
	it.snapshot->shared[15].blocks++;
	blocks_leave(it.snapshot, it.blocks, 3);
	assert_int_equal(it.blocks->sharers[7], 5);
	it.snapshot->shared[15].blocks--;
	blocks_leave(it.snapshot, it.blocks, 3);
	assert_int_equal(it.blocks->sharers[7], 1);
	assert_int_equal(it.blocks->sharers[3], 1);
	assert_int_equal(it.blocks->sharers[6], 1);
	assert_int_equal(it.blocks->sharers[2], 3);
	places_free(&it);
}

/* Where nobody has a goal there is nobody to leave an SM to. */
static void without_goals_no_sm_is_left(void **state)
{
	struct places it = places_of(4);
	u32 sm;

	add(&it, 0, OTHER, 128);
	add(&it, 5, OTHER, 128);
	split(&it);
	blocks_leave(it.snapshot, it.blocks, 4);
	for (sm = 0; sm < 4; sm++)
		assert_int_equal(it.blocks->sharers[sm], sm < 2 ? 1 : 32);
	places_free(&it);
}

/* They come back to one SM at a time, from the lowest on, and have their part there. */
static void others_come_back_to_one_sm_at_a_time(void **state)
{
	struct places it = half_and_half();

	blocks_leave(it.snapshot, it.blocks, 3);
	assert_true(blocks_return(it.snapshot, it.blocks));
	assert_int_equal(it.blocks->sharers[3], 3);
	assert_int_equal(it.blocks->sharers[6], 1);
	assert_int_equal(it.blocks->limit[3][0], 4);
	assert_int_equal(it.blocks->limit[3][1], 8);
	assert_true(blocks_return(it.snapshot, it.blocks));
	assert_int_equal(it.blocks->sharers[6], 5);
	assert_true(blocks_return(it.snapshot, it.blocks));
	assert_int_equal(it.blocks->sharers[7], 5);
	assert_false(blocks_return(it.snapshot, it.blocks));
	places_free(&it);
}

/* SMs that were left stay so when all is split again, until they are to be shared. */
static void sms_that_were_left_stay_so(void **state)
{
	struct places it = half_and_half();

	blocks_leave(it.snapshot, it.blocks, 1);
	blocks_split(it.snapshot, it.blocks);
	assert_int_equal(it.blocks->sharers[7], 1);
	assert_int_equal(it.blocks->sharers[6], 5);
	/* Whose goal went needs no SM of its own: the others are everywhere. */
	it.snapshot->tenants[0].goal_ipc_ppm = 0;
	split(&it);
	assert_int_equal(it.blocks->sharers[7], 4);
	it.snapshot->tenants[0].goal_ipc_ppm = SIMGPU_PPM;
	blocks_share_all(it.blocks);
	split(&it);
	assert_int_equal(it.blocks->sharers[7], 5);
	assert_false(blocks_return(it.snapshot, it.blocks));
	places_free(&it);
}

/* --- and one back ------------------------------------------------------------------------- */

/* A thread block goes back where that makes room for one of those without a goal. */
static void one_goes_back_where_it_makes_room(void **state)
{
	static const struct {
		u32 threads[2];
		u32 had[2];
		u32 most;
		u32 has[2];
	} cases[] = {
		{ { 256, 128 }, { 7, 2 }, 16, { 6, 4 } },
		{ { 256, 128 }, { 7, 2 }, 3, { 6, 3 } },
		/* It has all that an SM can hold of it already. */
		{ { 256, 128 }, { 7, 2 }, 2, { 7, 2 } },
		/* Too little for one of the other's. */
		{ { 128, 512 }, { 8, 2 }, 4, { 8, 2 } },
		{ { 128, 512 }, { 5, 2 }, 4, { 4, 3 } },
		/* One is kept. */
		{ { 1024, 128 }, { 1, 2 }, 16, { 1, 2 } },
		{ { 1024, 128 }, { 2, 0 }, 16, { 1, 8 } },
	};
	u32 i;

	for (i = 0; i < ARRAY_SIZE(cases); i++) {
		struct places it = places_of(1);

		add(&it, 0, QOS, cases[i].threads[0]);
		add(&it, 1, OTHER, cases[i].threads[1])->blocks_per_sm =
			cases[i].most;
		split(&it);
		it.blocks->limit[0][0] = cases[i].had[0];
		it.blocks->limit[0][1] = cases[i].had[1];
		look(&it, NULL);
		it.snapshot->shared[1].blocks++;
		blocks_give_back(it.snapshot, it.blocks);
		expect_limits(&it, 0, cases[i].had[0], cases[i].had[1]);
		it.snapshot->shared[1].blocks--;
		blocks_give_back(it.snapshot, it.blocks);
		expect_limits(&it, 0, cases[i].has[0], cases[i].has[1]);
		places_free(&it);
	}
}

/* Who has most gives, of several the lowest slot; and never who has no goal. */
static void who_has_most_of_those_with_a_goal_gives(void **state)
{
	static const struct {
		u32 had[3];
		u32 giver;
	} cases[] = {
		{ { 2, 3, 3 }, 1 }, { { 3, 3, 2 }, 0 }, { { 2, 3, 9 }, 1 },
		{ { 4, 3, 9 }, 0 },
	};
	u32 i, slot;

	for (i = 0; i < ARRAY_SIZE(cases); i++) {
		struct places it = places_of(1);
		u32 sum = 0;

		for (slot = 0; slot < 3; slot++)
			add(&it, slot, slot < 2, 128);
		split(&it);
		for (slot = 0; slot < 3; slot++) {
			it.blocks->limit[0][slot] = cases[i].had[slot];
			sum += cases[i].had[slot];
		}
		it.snapshot->sm_blocks = sum;
		blocks_give_back(it.snapshot, it.blocks);
		for (slot = 0; slot < 2; slot++)
			assert_int_equal(it.blocks->limit[0][slot],
					 cases[i].had[slot] -
					 (slot == cases[i].giver));
		assert_int_equal(it.blocks->limit[0][2], cases[i].had[2] + 1);
		places_free(&it);
	}
}

/* All of it is said: every SM is shared, with its limits, and who is too many is saved. */
static void all_sms_are_shared_within_limits(void **state)
{
	struct simgpu_proposal *said = calloc(1, sizeof(*said));
	struct places it = half_and_half();
	u32 sm;

	memset(said->owner, SIMGPU_NO_OWNER, sizeof(said->owner));
	said->flags = SIMGPU_SAYS_QUOTAS;
	blocks_say(it.snapshot, it.blocks, said);
	assert_int_equal(said->flags, SIMGPU_SAYS_QUOTAS | SIMGPU_SAYS_OWNERS |
				      SIMGPU_SAYS_BLOCK_LIMITS |
				      SIMGPU_SAYS_PREEMPTION);
	assert_int_equal(said->preemption, SIMGPU_LEAVE_SWITCH);
	for (sm = 0; sm < 8; sm++) {
		assert_int_equal(said->owner[sm], SIMGPU_SHARED);
		assert_int_equal(said->sharers[sm], sm < 4 ? 3 : 5);
		assert_int_equal(said->block_limit[sm][0], 4);
		assert_int_equal(said->block_limit[sm][3], ANY);
	}
	assert_int_equal(said->owner[8], SIMGPU_NO_OWNER);
	places_free(&it);
	free(said);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(what_fits_exactly_is_placed),
		cmocka_unit_test(limits_are_of_whole_warps_and_what_an_sm_holds),
		cmocka_unit_test(who_has_most_threads_gives_way),
		cmocka_unit_test(the_largest_waits_for_room),
		cmocka_unit_test(of_two_as_large_the_higher_slot_waits),
		cmocka_unit_test(equal_threads_leave_a_rest),
		cmocka_unit_test(what_fits_nowhere_waits_too),
		cmocka_unit_test(others_have_equal_parts_of_the_sms),
		cmocka_unit_test(goals_are_on_all_sms_as_far_as_there_are_rows),
		cmocka_unit_test(whatever_is_placed_otherwise_is_a_change),
		cmocka_unit_test(who_lags_gets_one_more_if_it_can_use_it),
		cmocka_unit_test(the_first_that_lags_gets_one),
		cmocka_unit_test(rows_that_came_or_went_tell_nothing),
		cmocka_unit_test(idle_warps_are_those_since_the_last_look),
		cmocka_unit_test(one_swap_is_one_of_the_whole_device),
		cmocka_unit_test(a_victim_gives_what_is_needed_and_keeps_one),
		cmocka_unit_test(a_victim_with_a_goal_can_lose_it),
		cmocka_unit_test(of_several_victims_the_idlest_gives_way),
		cmocka_unit_test(who_cannot_be_given_any_lets_the_next_one),
		cmocka_unit_test(others_leave_sms_and_keep_one_each),
		cmocka_unit_test(as_many_sms_are_left_as_are_asked_for),
		cmocka_unit_test(without_goals_no_sm_is_left),
		cmocka_unit_test(others_come_back_to_one_sm_at_a_time),
		cmocka_unit_test(sms_that_were_left_stay_so),
		cmocka_unit_test(one_goes_back_where_it_makes_room),
		cmocka_unit_test(who_has_most_of_those_with_a_goal_gives),
		cmocka_unit_test(all_sms_are_shared_within_limits),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests_name("blocks", tests, NULL, NULL);
}
