// SPDX-License-Identifier: GPL-2.0
/*
 * Advice on managed memory: what stays on the host or on the device, what is freed, what the
 * memory policy makes of it, errors, and journals that repeat it.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <cmocka.h>

#include "journal_of.h"
#include "paged.h"

#define PAGE	65536ULL

static struct trace *readers, *writers, *passers;

static int make_steps(void **state)
{
	/* A set of 3 MiB, which is read or written, and one of 12 MiB. */
	readers = trace_steps(48, PAGE, false, 1);
	writers = trace_steps(48, PAGE, true, 1);
	passers = trace_steps(192, PAGE, false, 1);
	return make_traces(state);
}

static int free_steps(void **state)
{
	trace_free(readers);
	trace_free(writers);
	trace_free(passers);
	return free_traces(state);
}

static int advise(struct bench *bench, u32 slot, u32 advice, u64 offset, u64 bytes)
{
	return session_advise(bench->session, slot, advice, offset, bytes);
}

static void run_one(struct bench *bench, u32 slot, const struct trace *trace)
{
	launch_one(bench, slot, trace);
	run_to_end(bench);
}

static u64 remote_lines(struct bench *bench, u32 slot)
{
	struct session_memory memory;

	session_memory_report(bench->session, &memory);
	return memory.remote_lines[slot];
}

/* Slot 0 has so much managed memory on a device with @mib for it. */
static struct bench *bench_of(u32 mib, u64 managed)
{
	struct bench *bench = paged(mib, 64, &memory_policy_demand);

	manage(bench, managed);
	return bench;
}

/* --- where pages stay ----------------------------------------------------------------------- */

static void what_is_to_stay_on_the_host_does(void **state)
{
	struct bench *bench = bench_of(8, 3 * MIB);

	/* By the block: of the second one there are 16 pages. */
	assert_int_equal(advise(bench, 0, SIMGPU_MEMORY_ON_HOST, 2 * MIB, 1), 0);
	run_one(bench, 0, readers);
	assert_int_equal(counted(bench, 0).pages_in, 32);
	assert_int_equal(remote_lines(bench, 0), 16);
	/* It stays, with no more faults. */
	run_one(bench, 0, readers);
	assert_int_equal(counted(bench, 0).faults, 48);
	bench_free(bench);
}

static void advice_is_taken_back(void **state)
{
	struct bench *bench = bench_of(8, 3 * MIB);

	assert_int_equal(advise(bench, 0, SIMGPU_MEMORY_ON_HOST, 0, 3 * MIB), 0);
	run_one(bench, 0, readers);
	assert_int_equal(remote_lines(bench, 0), 48);
	assert_int_equal(counted(bench, 0).pages_in, 0);
	assert_int_equal(advise(bench, 0, SIMGPU_MEMORY_NORMAL, 0, 2 * MIB), 0);
	run_one(bench, 0, readers);
	/* The first access comes before a window has ended. */
	assert_int_equal(counted(bench, 0).pages_in, 31);
	assert_int_equal(bench->session->pager->memory[0].pages[0].state, GPU_PAGE_HOST);
	assert_int_equal(bench->session->pager->memory[0].pages[32].state, GPU_PAGE_REMOTE);
	bench_free(bench);
}

/* What is on the device when the advice comes is not copied back for it. */
static void what_is_there_stays_there(void **state)
{
	struct bench *bench = bench_of(8, 3 * MIB);

	run_one(bench, 0, readers);
	assert_int_equal(advise(bench, 0, SIMGPU_MEMORY_ON_HOST, 0, 3 * MIB), 0);
	run_one(bench, 0, readers);
	assert_int_equal(counted(bench, 0).faults, 48);
	assert_int_equal(counted(bench, 0).copied_out_bytes, 0);
	assert_int_equal(remote_lines(bench, 0), 0);
	bench_free(bench);
}

/* Whether the first block is there after another tenant's 12 MiB came by 4 MiB of memory. */
static bool first_block_outlasts(u32 advice, bool before)
{
	struct bench *bench = bench_of(4, 3 * MIB);
	bool there;

	join(bench, 1);
	assert_int_equal(session_manage(bench->session, 1, 12 * MIB), 0);
	if (before)
		assert_int_equal(advise(bench, 0, advice, 0, 2 * MIB), 0);
	run_one(bench, 0, readers);
	if (!before)
		assert_int_equal(advise(bench, 0, advice, 0, 2 * MIB), 0);
	run_one(bench, 1, passers);
	there = bench->session->pager->memory[0].chunk[0] != NO_CHUNK;
	assert_int_equal(bench->session->pager->memory[0].chunk[1], NO_CHUNK);
	bench_free(bench);
	return there;
}

static void what_is_to_stay_on_the_device_does(void **state)
{
	assert_false(first_block_outlasts(SIMGPU_MEMORY_NORMAL, true));
	assert_true(first_block_outlasts(SIMGPU_MEMORY_ON_DEVICE, true));
	assert_true(first_block_outlasts(SIMGPU_MEMORY_ON_DEVICE, false));
}

/* A tenant that wants all to stay still gets what it accesses: nothing else can go. */
static void all_of_it_cannot_stay(void **state)
{
	struct bench *bench = bench_of(4, 12 * MIB);

	assert_int_equal(advise(bench, 0, SIMGPU_MEMORY_ON_DEVICE, 0, 12 * MIB), 0);
	run_one(bench, 0, passers);
	assert_int_equal(counted(bench, 0).pages_in, 192);
	assert_int_equal(counted(bench, 0).chunks_evicted, 4);
	bench_free(bench);
}

/* --- what is freed -------------------------------------------------------------------------- */

/* Bytes that are copied to the host where 3 MiB were written and others need the memory. */
static u64 copied_out(u64 offset, u64 bytes)
{
	struct bench *bench = bench_of(4, 3 * MIB);
	u64 out;

	join(bench, 1);
	assert_int_equal(session_manage(bench->session, 1, 12 * MIB), 0);
	run_one(bench, 0, writers);
	if (bytes)
		assert_int_equal(advise(bench, 0, SESSION_ADVICE_FREE, offset, bytes), 0);
	run_one(bench, 1, passers);
	assert_int_equal(bench->session->pager->memory[0].resident, 0);
	out = counted(bench, 0).copied_out_bytes;
	bench_free(bench);
	return out;
}

static void what_is_freed_is_not_copied(void **state)
{
	assert_int_equal(copied_out(0, 0), 3 * MIB);
	assert_int_equal(copied_out(0, 3 * MIB), 0);
	/* Whole pages alone: the second to the 39th here */
	assert_int_equal(copied_out(1, 39 * PAGE), 3 * MIB - 38 * PAGE);
	assert_int_equal(copied_out(PAGE - 1, PAGE), 3 * MIB);
}

static void a_freed_chunk_goes_first(void **state)
{
	struct bench *bench = bench_of(6, 3 * MIB);
	const struct pager_memory *memory;

	join(bench, 1);
	assert_int_equal(session_manage(bench->session, 1, 12 * MIB), 0);
	run_one(bench, 0, readers);
	memory = &bench->session->pager->memory[0];
	/* It came last, so that it would be the last one to go. */
	assert_int_equal(advise(bench, 0, SESSION_ADVICE_FREE, 2 * MIB, MIB), 0);
	launch_one(bench, 1, passers);
	while (memory->chunk[0] != NO_CHUNK && memory->chunk[1] != NO_CHUNK)
		session_run(bench->session, 1000);
	assert_int_not_equal(memory->chunk[0], NO_CHUNK);
	assert_int_equal(memory->chunk[1], NO_CHUNK);
	bench_free(bench);
}

/* What was written again is copied again. */
static void freed_pages_can_be_used(void **state)
{
	struct bench *bench = bench_of(4, 3 * MIB);

	join(bench, 1);
	assert_int_equal(session_manage(bench->session, 1, 12 * MIB), 0);
	run_one(bench, 0, writers);
	assert_int_equal(advise(bench, 0, SESSION_ADVICE_FREE, 0, 3 * MIB), 0);
	run_one(bench, 0, writers);
	assert_int_equal(counted(bench, 0).faults, 48);
	run_one(bench, 1, passers);
	assert_int_equal(counted(bench, 0).copied_out_bytes, 3 * MIB);
	bench_free(bench);
}

/* --- memory policies ------------------------------------------------------------------------ */

static u32 advices_seen;

/* It sees all advice, and brings pages in any case. */
static int brings_all(const struct simgpu_place *place, void *state,
		      struct simgpu_placement *placement)
{
	u32 i;

	for (i = 0; i < place->count; i++) {
		advices_seen |= 1U << place->block[i].advice;
		placement->action[i] = SIMGPU_MEMORY_PIN;
		placement->us[i] = 1;
	}
	return 0;
}

static u64 rank_of_arrival(u32 event, const struct simgpu_chunk *chunk, void *state)
{
	return chunk->arrived;
}

static void a_policy_may_decide_otherwise(void **state)
{
	static const struct simgpu_memory_policy policy = {
		.name = "brings-all",
		.events = SIMGPU_RANK_ON_ARRIVAL,
		.place = brings_all,
		.rank = rank_of_arrival,
	};
	struct bench *bench = paged(8, 64, &policy);

	manage(bench, 3 * MIB);
	advices_seen = 0;
	assert_int_equal(advise(bench, 0, SIMGPU_MEMORY_ON_HOST, 0, 2 * MIB), 0);
	run_one(bench, 0, readers);
	assert_int_equal(counted(bench, 0).pages_in, 48);
	assert_int_equal(advices_seen, 1U << SIMGPU_MEMORY_ON_HOST | 1U << SIMGPU_MEMORY_NORMAL);
	bench_free(bench);
}

/* --- errors, tables that grow, journals ----------------------------------------------------- */

static void bad_advice_is_refused(void **state)
{
	struct bench *bench = bench_of(8, 3 * MIB);
	u64 hash = session_state_hash(bench->session);

	assert_int_equal(advise(bench, 0, SESSION_ADVICE_FREE + 1, 0, 1), -EINVAL);
	assert_int_equal(advise(bench, 0, SIMGPU_MEMORY_ON_HOST, 0, 0), -EINVAL);
	assert_int_equal(advise(bench, 0, SIMGPU_MEMORY_ON_HOST, 0, 3 * MIB + 1), -EINVAL);
	assert_int_equal(advise(bench, 0, SIMGPU_MEMORY_ON_HOST, U64_MAX, 2), -EINVAL);
	assert_int_equal(advise(bench, 0, SIMGPU_MEMORY_ON_HOST, 2, U64_MAX), -EINVAL);
	assert_int_equal(advise(bench, 1, SIMGPU_MEMORY_ON_HOST, 0, 1), -ENXIO);
	assert_int_equal(advise(bench, SESSION_SLOTS_MAX, 0, 0, 1), -ENXIO);
	assert_true(session_state_hash(bench->session) == hash);
	/* Advice decides about what comes, so it is in the hash. */
	assert_int_equal(advise(bench, 0, SIMGPU_MEMORY_ON_HOST, 3 * MIB - 1, 1), 0);
	assert_true(session_state_hash(bench->session) != hash);
	assert_int_equal(advise(bench, 0, SIMGPU_MEMORY_NORMAL, 0, 3 * MIB), 0);
	assert_true(session_state_hash(bench->session) == hash);
	bench_free(bench);
}

static void advice_outlasts_larger_launches(void **state)
{
	struct bench *bench = bench_of(16, 0);
	struct pager_memory *memory;

	launch_managed(bench, 0, readers);
	assert_int_equal(advise(bench, 0, SIMGPU_MEMORY_ON_HOST, 2 * MIB, MIB), 0);
	launch_managed(bench, 0, passers);
	memory = &bench->session->pager->memory[0];
	assert_int_equal(memory->block_count, 6);
	assert_int_equal(memory->advice[0], SIMGPU_MEMORY_NORMAL);
	assert_int_equal(memory->advice[1], SIMGPU_MEMORY_ON_HOST);
	assert_int_equal(memory->advice[2], SIMGPU_MEMORY_NORMAL);
	run_to_end(bench);
	/* Of the 48 accesses to the block's 32 pages, 16 find their lines in an L1. */
	assert_int_equal(remote_lines(bench, 0), 32);
	bench_free(bench);
}

static void live(struct bench *bench, u64 step)
{
	join(bench, 0);
	join(bench, 1);
	launch_managed(bench, 0, passers);
	launch_managed(bench, 1, writers);
	assert_int_equal(advise(bench, 0, SIMGPU_MEMORY_ON_HOST, 0, 2 * MIB), 0);
	assert_int_equal(advise(bench, 1, SIMGPU_MEMORY_ON_DEVICE, 0, MIB), 0);
	run_in_steps(bench, 345678, step);
	assert_int_equal(advise(bench, 1, SESSION_ADVICE_FREE, MIB, MIB + 7), 0);
	launch_managed(bench, 1, writers);
	run_in_steps(bench, 444444, step);
	assert_int_equal(advise(bench, 0, SIMGPU_MEMORY_NORMAL, 0, 12 * MIB), 0);
	launch_managed(bench, 0, passers);
	run_in_steps(bench, 2345678, step);
}

static struct bench *bench_to_live(void)
{
	struct bench *bench = paged(0, 64, &memory_policy_uvm);

	bench->options.managed_mib = 6;
	bench_start(bench);
	return bench;
}

static void journals_repeat_advice(void **state)
{
	const struct trace *const traces[] = { passers, writers };
	struct bench *bench = bench_to_live(), *replayed = bench_to_live();
	const struct journal_event *journal;
	u32 count, given = 0;
	u64 lost;

	live(bench, LONG);
	replay_journal(bench->session, replayed->session, traces, ARRAY_SIZE(traces));
	assert_true(session_state_hash(replayed->session) ==
		    session_state_hash(bench->session));
	expect_same(bench, replayed);
	assert_true(remote_lines(replayed, 0) > 0);
	assert_true(counted(replayed, 0).chunks_evicted > 0);
	journal = journal_of(bench->session, &count, &lost);
	while (count--)
		given += journal[count].kind == JOURNAL_ADVISE;
	assert_int_equal(given, 4);
	bench_free(replayed);
	bench_free(bench);
}

static void pauses_change_nothing(void **state)
{
	struct bench *whole = bench_to_live(), *parts = bench_to_live();

	live(whole, LONG);
	live(parts, 777);
	assert_true(session_state_hash(parts->session) == session_state_hash(whole->session));
	bench_free(whole);
	bench_free(parts);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(what_is_to_stay_on_the_host_does),
		cmocka_unit_test(advice_is_taken_back),
		cmocka_unit_test(what_is_there_stays_there),
		cmocka_unit_test(what_is_to_stay_on_the_device_does),
		cmocka_unit_test(all_of_it_cannot_stay),
		cmocka_unit_test(what_is_freed_is_not_copied),
		cmocka_unit_test(a_freed_chunk_goes_first),
		cmocka_unit_test(freed_pages_can_be_used),
		cmocka_unit_test(a_policy_may_decide_otherwise),
		cmocka_unit_test(bad_advice_is_refused),
		cmocka_unit_test(advice_outlasts_larger_launches),
		cmocka_unit_test(journals_repeat_advice),
		cmocka_unit_test(pauses_change_nothing),
	};

	return cmocka_run_group_tests(tests, make_steps, free_steps);
}
