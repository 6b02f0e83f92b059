// SPDX-License-Identifier: GPL-2.0
/*
 * What tenants ask for of their managed memory: pages come as fast as they can be copied and
 * no sooner, behind faults, in turn among tenants and the memory policy; errors; the end of a
 * tenant; and journals that repeat it.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <cmocka.h>

#include "../../kmod/session/settings.h"
#include "journal_of.h"
#include "paged.h"

#define PAGE		65536ULL
/* Of a launch that lets time pass, and of one that does not start any more. */
#define LATER		2000000ULL
#define NEVER_MIND	90000000ULL

static struct trace *three, *wide;

static int make_readers(void **state)
{
	three = trace_steps(48, PAGE, false, 1);
	wide = trace_steps(160, PAGE, false, 1);
	return make_traces(state);
}

static int free_readers(void **state)
{
	trace_free(three);
	trace_free(wide);
	return free_traces(state);
}

/* Slot 0 has so much managed memory on a device with @mib for it. */
static struct bench *bench_of(u32 mib, u64 managed)
{
	struct bench *bench = paged(mib, 64, &memory_policy_demand);

	manage(bench, managed);
	return bench;
}

static void launch_later(struct bench *bench, u32 slot, const struct trace *trace, u64 cycle)
{
	launch(bench, slot, trace, 1, cycle);
}

static int want(struct bench *bench, u32 slot, u64 offset, u64 bytes)
{
	return session_prefetch(bench->session, slot, offset, bytes);
}

/* Pages of a slot that are on the device. */
static u32 pages_there(struct bench *bench, u32 slot)
{
	const struct pager_memory *memory = &bench->session->pager->memory[slot];
	u32 there = 0, i;

	for (i = 0; i < memory->page_count; i++)
		there += memory->pages[i].state == GPU_PAGE_DEVICE;
	return there;
}

/* The cycles that the link needs for so many bytes, with nothing else. */
static u64 link_cycles(struct bench *bench, u64 bytes)
{
	const struct gpu_config *config = &bench->options.config;

	return bytes * config->core_mhz / config->link_in_mb_per_s;
}

/*
 * 40 blocks that are there are looked at, a few in each window, before those that are not; a
 * tenant that asks for all it has again and again keeps nobody from going on.
 */
static void what_is_there_is_passed_over(void **state)
{
	const u32 blocks = 48, block_pages = 2 * MIB / PAGE;
	struct bench *bench = bench_of(2 * blocks, 2 * blocks * MIB);
	u32 i;

	assert_int_equal(want(bench, 0, 0, 80 * MIB), 0);
	launch_later(bench, 0, three, 20 * LATER);
	session_run(bench->session, 10 * LATER);
	assert_int_equal(pages_there(bench, 0), 40 * block_pages);
	for (i = 0; i < SESSION_PREFETCHES_MAX; i++)
		assert_int_equal(want(bench, 0, 0, 2 * blocks * MIB), 0);
	session_run(bench->session, gpu_window(&bench->options.config) + 1);
	assert_in_range(bench->session->pager->looks, 1, PAGER_LOOKS);
	assert_int_equal(bench->session->pager->prefetch[0].count, SESSION_PREFETCHES_MAX);
	run_to_end(bench);
	assert_int_equal(pages_there(bench, 0), blocks * block_pages);
	assert_int_equal(bench->session->pager->prefetch[0].count, 0);
	assert_int_equal(counted(bench, 0).faults, 0);
	bench_free(bench);
}

/* --- pages come ----------------------------------------------------------------------------- */

static void a_set_that_has_come_has_no_fault(void **state)
{
	struct bench *bench = bench_of(8, 3 * MIB), *faulting = bench_of(8, 3 * MIB);
	struct simgpu_counters counters;
	u64 took;

	assert_int_equal(want(bench, 0, 0, 3 * MIB), 0);
	launch_later(bench, 0, three, LATER);
	took = run_to_end(bench) - LATER;
	counters = counted(bench, 0);
	assert_int_equal(counters.faults, 0);
	assert_int_equal(counters.fault_batches, 0);
	assert_int_equal(counters.pages_in, 48);
	assert_int_equal(counters.pages_prefetched, 48);
	assert_int_equal(counters.copied_in_bytes, 3 * MIB);
	/* A warp that waits for 48 faults in turn takes much longer. */
	launch_later(faulting, 0, three, LATER);
	assert_true(run_to_end(faulting) - LATER > 10 * took);
	assert_int_equal(counted(faulting, 0).faults, 48);
	bench_free(faulting);
	bench_free(bench);
}

/* A launch that asks for its pages, as a call after one with managed memory does */
static void launches_ask_for_their_pages(void **state)
{
	struct bench *bench = bench_of(8, 0);
	struct session_launch_options options = {
		.trace = three, .repeats = 1, .not_before = LATER, .prefetch = true,
	};
	struct bench *called = bench_of(8, 3 * MIB);
	u64 sequence;
	u32 i;

	assert_int_equal(session_launch_with(bench->session, 0, &options, &sequence), -ENXIO);
	options.managed = true;
	assert_int_equal(session_launch_with(bench->session, 0, &options, &sequence), 0);
	launch_later(called, 0, three, LATER);
	assert_int_equal(want(called, 0, 0, 3 * MIB), 0);
	for (i = 1; i < SESSION_PREFETCHES_MAX; i++)
		assert_int_equal(want(bench, 0, 0, 1), 0);
	assert_int_equal(session_launch_with(bench->session, 0, &options, &sequence), -ENOSPC);
	/* It was not queued. */
	assert_int_equal(run_to_end(bench), run_to_end(called));
	assert_int_equal(counted(bench, 0).faults, 0);
	assert_int_equal(counted(bench, 0).pages_prefetched, 48);
	bench_free(bench);
	bench_free(called);
}

static void pages_come_as_fast_as_they_are_copied(void **state)
{
	struct bench *bench = bench_of(32, 24 * MIB);
	u64 least = link_cycles(bench, 24 * MIB), half;

	assert_int_equal(want(bench, 0, 0, 24 * MIB), 0);
	launch_later(bench, 0, three, NEVER_MIND);
	session_run(bench->session, least / 2);
	half = pages_there(bench, 0);
	assert_true(half > 120 && half <= 192);
	session_run(bench->session, least - least / 2);
	assert_true(pages_there(bench, 0) < 384);
	session_run(bench->session, least / 4);
	assert_int_equal(pages_there(bench, 0), 384);
	/* Nothing is left to do. */
	assert_false(pager_is_busy(bench->session));
	bench_free(bench);
}

/* Without launches no time passes. */
static void pages_wait_for_time(void **state)
{
	struct bench *bench = bench_of(8, 3 * MIB);

	assert_int_equal(want(bench, 0, 0, 3 * MIB), 0);
	assert_int_equal(session_run(bench->session, LATER), SESSION_IDLE);
	assert_int_equal(session_now(bench->session), 0);
	assert_int_equal(pages_there(bench, 0), 0);
	/* Another tenant's launch will do; until it starts, the device is not empty. */
	join(bench, 1);
	launch_later(bench, 1, brief, LATER);
	assert_int_equal(session_empty_cycles(bench->session), 0);
	session_run(bench->session, LATER - 1);
	assert_int_equal(pages_there(bench, 0), 48);
	assert_int_equal(session_empty_cycles(bench->session), 1);
	bench_free(bench);
}

static void ranges_are_rounded_outward(void **state)
{
	struct bench *bench = bench_of(8, 3 * MIB - 1);
	const struct pager_memory *memory;

	assert_int_equal(want(bench, 0, 2 * PAGE - 1, 2), 0);
	assert_int_equal(want(bench, 0, 4 * PAGE, PAGE), 0);
	assert_int_equal(want(bench, 0, 33 * PAGE - 1, 1), 0);
	/* The last page is a whole one. */
	assert_int_equal(want(bench, 0, 3 * MIB - 1, 1), 0);
	launch_later(bench, 0, three, NEVER_MIND);
	session_run(bench->session, LATER);
	memory = &bench->session->pager->memory[0];
	assert_int_equal(memory->page_count, 48);
	assert_int_equal(pages_there(bench, 0), 5);
	assert_int_equal(memory->pages[1].state, GPU_PAGE_DEVICE);
	assert_int_equal(memory->pages[2].state, GPU_PAGE_DEVICE);
	assert_int_equal(memory->pages[4].state, GPU_PAGE_DEVICE);
	assert_int_equal(memory->pages[32].state, GPU_PAGE_DEVICE);
	assert_int_equal(memory->pages[47].state, GPU_PAGE_DEVICE);
	/* What is there is not brought again. */
	assert_int_equal(want(bench, 0, 0, 6 * PAGE), 0);
	session_run(bench->session, LATER);
	assert_int_equal(counted(bench, 0).pages_in, 8);
	assert_int_equal(counted(bench, 0).pages_again, 0);
	bench_free(bench);
}

/* The end of a set that is too large takes the place of its beginning. */
static void more_than_there_is(void **state)
{
	struct bench *bench = bench_of(4, 10 * MIB);
	const struct pager *pager;

	assert_int_equal(want(bench, 0, 0, 10 * MIB), 0);
	launch_later(bench, 0, wide, 2 * LATER);
	session_run(bench->session, 2 * LATER - 1);
	pager = bench->session->pager;
	assert_false(pager_is_busy(bench->session));
	assert_int_equal(pages_there(bench, 0), 64);
	assert_true(counted(bench, 0).chunks_evicted >= 1);
	assert_int_not_equal(pager->memory[0].chunk[4], NO_CHUNK);
	assert_int_equal(pager->memory[0].chunk[0], NO_CHUNK);
	run_to_end(bench);
	assert_true(counted(bench, 0).faults > 0);
	bench_free(bench);
}

/* --- errors --------------------------------------------------------------------------------- */

static void bad_ranges_are_refused(void **state)
{
	struct bench *bench = bench_of(8, 3 * MIB);
	u64 hash = session_state_hash(bench->session);

	assert_int_equal(want(bench, 0, 0, 0), -EINVAL);
	assert_int_equal(want(bench, 0, 0, 3 * MIB + 1), -EINVAL);
	assert_int_equal(want(bench, 0, 1, 3 * MIB), -EINVAL);
	assert_int_equal(want(bench, 0, 3 * MIB, 1), -EINVAL);
	assert_int_equal(want(bench, 0, U64_MAX, 2), -EINVAL);
	assert_int_equal(want(bench, 0, 2, U64_MAX), -EINVAL);
	assert_int_equal(want(bench, 1, 0, 1), -ENXIO);
	assert_int_equal(want(bench, SESSION_SLOTS_MAX, 0, 1), -ENXIO);
	join(bench, 1);
	assert_int_equal(want(bench, 1, 0, 1), -ENXIO);
	session_leave(bench->session, 1);
	session_leave(bench->session, 0);
	assert_int_equal(want(bench, 0, 0, 1), -ENXIO);
	bench_free(bench);
	/* None of it has left anything. */
	bench = bench_of(8, 3 * MIB);
	assert_true(session_state_hash(bench->session) == hash);
	assert_int_equal(want(bench, 0, 3 * MIB - 1, 1), 0);
	assert_true(session_state_hash(bench->session) != hash);
	bench_free(bench);
	/* No memory is managed here. */
	bench = bench_new(0);
	join(bench, 0);
	assert_int_equal(want(bench, 0, 0, 1), -ENXIO);
	bench_free(bench);
}

static void few_ranges_wait(void **state)
{
	struct bench *bench = bench_of(8, 3 * MIB);
	u64 hash;
	u32 i;

	join(bench, 1);
	assert_int_equal(session_manage(bench->session, 1, MIB), 0);
	for (i = 0; i < SESSION_PREFETCHES_MAX; i++)
		assert_int_equal(want(bench, 0, i * PAGE, PAGE), 0);
	hash = session_state_hash(bench->session);
	assert_int_equal(want(bench, 0, 20 * PAGE, PAGE), -ENOSPC);
	assert_true(session_state_hash(bench->session) == hash);
	/* Those of others are not counted. */
	assert_int_equal(want(bench, 1, 0, PAGE), 0);
	launch_later(bench, 0, three, NEVER_MIND);
	session_run(bench->session, LATER);
	assert_int_equal(pages_there(bench, 0), SESSION_PREFETCHES_MAX);
	assert_int_equal(pages_there(bench, 1), 1);
	assert_int_equal(want(bench, 0, 20 * PAGE, PAGE), 0);
	bench_free(bench);
}

static void stopped_sessions_bring_nothing(void **state)
{
	struct bench *bench = malloc(sizeof(*bench));
	struct session_launch_options options = {
		.trace = three, .repeats = 1, .managed = true,
	};
	u64 sequence;

	bench_options(bench, 1);
	bench->options.managed_mib = 8;
	bench->options.stop_cycle = 100000;
	bench_start(bench);
	join(bench, 0);
	assert_int_equal(session_launch_with(bench->session, 0, &options, &sequence), 0);
	assert_int_equal(want(bench, 0, 0, 1), 0);
	assert_int_equal(session_run(bench->session, LONG), SESSION_STOPPED);
	assert_int_equal(want(bench, 0, 0, 1), -ECANCELED);
	bench_free(bench);
}

/* --- turns ---------------------------------------------------------------------------------- */

/* The second tenant does not wait for all that the first one wants. */
static void tenants_take_turns(void **state)
{
	struct bench *bench = bench_of(64, 20 * MIB);
	u32 first, second;

	join(bench, 5);
	assert_int_equal(session_manage(bench->session, 5, 20 * MIB), 0);
	assert_int_equal(want(bench, 0, 0, 20 * MIB), 0);
	assert_int_equal(want(bench, 5, 0, 20 * MIB), 0);
	launch_later(bench, 0, three, NEVER_MIND);
	while (pages_there(bench, 0) < 160)
		session_run(bench->session, 10000);
	first = pages_there(bench, 0);
	second = pages_there(bench, 5);
	/* A batch has four blocks of 32 pages, two of each. */
	assert_in_range(second, first - 64, first + 64);
	session_run(bench->session, 2 * LATER);
	assert_int_equal(pages_there(bench, 0), 320);
	assert_int_equal(pages_there(bench, 5), 320);
	bench_free(bench);
}

/* The end of a tenant's run, beside another that asks for much, or for nothing. */
static u64 end_beside(u64 wanted, u64 *faults, u32 *came)
{
	struct bench *bench = bench_of(160, 3 * MIB);

	join(bench, 1);
	assert_int_equal(session_manage(bench->session, 1, 128 * MIB), 0);
	if (wanted)
		assert_int_equal(want(bench, 1, 0, wanted), 0);
	launch_one(bench, 0, three);
	launch_later(bench, 1, brief, NEVER_MIND);
	while (bench->session->tenants[0].pending)
		session_run(bench->session, 1000);
	*faults = counted(bench, 0).faults;
	*came = pages_there(bench, 1);
	wanted = session_now(bench->session);
	bench_free(bench);
	return wanted;
}

/* A fault waits for the blocks of one batch, not for all that another one wants. */
static void faults_come_first(void **state)
{
	u64 alone, beside, faults, most;
	struct bench *bench = bench_of(8, 0);
	u32 came;

	alone = end_beside(0, &faults, &came);
	assert_int_equal(faults, 48);
	assert_int_equal(came, 0);
	beside = end_beside(128 * MIB, &faults, &came);
	assert_int_equal(faults, 48);
	assert_true(came > 32);
	/* Copies of four blocks each, in runs, with a tenth for what is around them. */
	most = 48 * link_cycles(bench, PAGER_FETCH_BLOCKS * BLOCK_BYTES) * 11 / 10;
	assert_true(beside > alone);
	assert_true(beside < alone + most);
	bench_free(bench);
}

/* With other kernels the policy replaces what it fetches, and nothing that a tenant wants. */
static void policies_drop_nothing_of_a_tenant(void **state)
{
	struct bench *bench = paged(64, 64, &memory_policy_prepare);
	const struct pager *pager;
	u32 i;

	manage(bench, 40 * MIB);
	assert_int_equal(want(bench, 0, 20 * MIB, 20 * MIB), 0);
	launch_one(bench, 0, three);
	launch_one(bench, 0, wide);
	launch_later(bench, 0, brief, NEVER_MIND);
	session_run(bench->session, 100000);
	assert_int_equal(session_set_memory_policy(bench->session,
						   SESSION_MEMORY_POLICY_demand), 0);
	assert_int_equal(session_set_memory_policy(bench->session,
						   SESSION_MEMORY_POLICY_prepare), 0);
	session_run(bench->session, 2 * LATER);
	pager = bench->session->pager;
	assert_int_equal(pager->asking, 0);
	for (i = 320; i < 640; i++)
		assert_int_equal(pager->memory[0].pages[i].state, GPU_PAGE_DEVICE);
	/* Nor does it wait for ever: its own ranges came, too. */
	assert_int_equal(pages_there(bench, 0), 320 + 160);
	bench_free(bench);
}

/* --- tenants leave, journals ---------------------------------------------------------------- */

static void who_leaves_wants_nothing(void **state)
{
	struct bench *bench = bench_of(32, 24 * MIB);

	join(bench, 1);
	assert_int_equal(session_manage(bench->session, 1, MIB), 0);
	assert_int_equal(want(bench, 0, 0, 24 * MIB), 0);
	assert_int_equal(want(bench, 1, 0, MIB), 0);
	launch_later(bench, 1, brief, NEVER_MIND);
	session_run(bench->session, 50000);
	assert_true(bench->session->pager->asking & 1);
	session_leave(bench->session, 0);
	assert_int_equal(bench->session->pager->asking & 1, 0);
	join(bench, 0);
	assert_int_equal(session_manage(bench->session, 0, 24 * MIB), 0);
	session_run(bench->session, LATER);
	assert_int_equal(counted(bench, 0).pages_in, 0);
	assert_int_equal(pages_there(bench, 1), 16);
	assert_false(pager_is_busy(bench->session));
	/* The next one in the slot gets what it wants itself. */
	assert_int_equal(want(bench, 0, 0, 1), 0);
	session_run(bench->session, LATER);
	assert_int_equal(counted(bench, 0).pages_in, 1);
	bench_free(bench);
}

/* Too little memory for two tenants that fault and ask. */
static void live(struct bench *bench, u64 step)
{
	join(bench, 0);
	join(bench, 1);
	launch_managed(bench, 0, wide);
	launch_managed(bench, 1, three);
	assert_int_equal(want(bench, 1, MIB, 2 * MIB), 0);
	run_in_steps(bench, 123456, step);
	assert_int_equal(want(bench, 0, 5 * MIB + 1, 3 * MIB), 0);
	assert_int_equal(want(bench, 0, 0, MIB), 0);
	run_in_steps(bench, 444444, step);
	launch_managed(bench, 0, three);
	assert_int_equal(want(bench, 0, 0, 10 * MIB), 0);
	session_leave(bench->session, 1);
	run_in_steps(bench, 600001, step);
	assert_int_equal(want(bench, 0, 9 * MIB, MIB), 0);
	run_in_steps(bench, 800000, step);
}

static struct bench *bench_to_live(void)
{
	struct bench *bench = paged(0, 64, &memory_policy_prepare);

	bench->options.managed_mib = 6;
	bench_start(bench);
	return bench;
}

static void journals_repeat_what_was_asked_for(void **state)
{
	const struct trace *const traces[] = { three, wide };
	struct bench *bench = bench_to_live(), *replayed = bench_to_live();
	const struct journal_event *journal;
	u32 count, asked = 0;
	u64 lost;

	live(bench, LONG);
	replay_journal(bench->session, replayed->session, traces, ARRAY_SIZE(traces));
	assert_true(session_state_hash(replayed->session) ==
		    session_state_hash(bench->session));
	expect_same(bench, replayed);
	assert_true(counted(replayed, 0).chunks_evicted > 0);
	journal = journal_of(bench->session, &count, &lost);
	while (count--)
		asked += journal[count].kind == JOURNAL_PREFETCH;
	assert_int_equal(asked, 5);
	bench_free(replayed);
	bench_free(bench);
}

/* A tenant that asks without an end uses up its own part of a full journal. */
static void a_full_journal_keeps_the_part_of_others(void **state)
{
	struct bench *bench = paged(8, 64, &memory_policy_demand);
	u64 lost;

	bench->hooks.journal_chunk = no_chunk;
	manage(bench, 3 * MIB);
	join(bench, 1);
	launch_later(bench, 0, three, NEVER_MIND);
	while (!journal_lost(bench->session)) {
		assert_int_equal(want(bench, 0, 0, 1), 0);
		session_run(bench->session, 1000);
	}
	lost = journal_lost(bench->session);
	assert_int_equal(session_set_epoch_cycles(bench->session, EPOCH), 0);
	session_leave(bench->session, 1);
	assert_int_equal(journal_lost(bench->session), lost);
	bench_free(bench);
}

static void pauses_change_nothing(void **state)
{
	static const u64 steps[] = { 777, 2000 };
	struct bench *bench = bench_to_live();
	u64 hash;
	u32 i;

	live(bench, LONG);
	hash = session_state_hash(bench->session);
	bench_free(bench);
	for (i = 0; i < ARRAY_SIZE(steps); i++) {
		bench = bench_to_live();
		live(bench, steps[i]);
		assert_true(session_state_hash(bench->session) == hash);
		bench_free(bench);
	}
}

/* All that decides what comes next is in the state hash. */
static void what_waits_shows(void **state)
{
	struct bench *bench = bench_of(8, 3 * MIB);
	struct pager *pager = bench->session->pager;
	u64 hash = session_state_hash(bench->session);

	assert_int_equal(want(bench, 0, 0, MIB), 0);
	assert_true(session_state_hash(bench->session) != hash);
	hash = session_state_hash(bench->session);
	pager->prefetch[0].range[0].first++;
	assert_true(session_state_hash(bench->session) != hash);
	pager->prefetch[0].range[0].first--;
	pager->prefetch[0].range[0].count--;
	assert_true(session_state_hash(bench->session) != hash);
	pager->prefetch[0].range[0].count++;
	pager->turn++;
	assert_true(session_state_hash(bench->session) != hash);
	pager->turn--;
	assert_int_equal(want(bench, 0, 0, MIB), 0);
	assert_true(session_state_hash(bench->session) != hash);
	bench_free(bench);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_set_that_has_come_has_no_fault),
		cmocka_unit_test(launches_ask_for_their_pages),
		cmocka_unit_test(pages_come_as_fast_as_they_are_copied),
		cmocka_unit_test(pages_wait_for_time),
		cmocka_unit_test(ranges_are_rounded_outward),
		cmocka_unit_test(more_than_there_is),
		cmocka_unit_test(bad_ranges_are_refused),
		cmocka_unit_test(few_ranges_wait),
		cmocka_unit_test(stopped_sessions_bring_nothing),
		cmocka_unit_test(tenants_take_turns),
		cmocka_unit_test(faults_come_first),
		cmocka_unit_test(policies_drop_nothing_of_a_tenant),
		cmocka_unit_test(who_leaves_wants_nothing),
		cmocka_unit_test(journals_repeat_what_was_asked_for),
		cmocka_unit_test(a_full_journal_keeps_the_part_of_others),
		cmocka_unit_test(what_is_there_is_passed_over),
		cmocka_unit_test(pauses_change_nothing),
		cmocka_unit_test(what_waits_shows),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests_name("prefetch", tests, make_readers, free_readers);
}
