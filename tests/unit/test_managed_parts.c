// SPDX-License-Identifier: GPL-2.0
/*
 * Tenants of whose memory a part is managed, as the allocations of their traces say: what
 * faults and what does not, launches that want more of it, and device memory for the rest.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <cmocka.h>

#include "../../kmod/session/pager_wanted.h"
#include "journal_of.h"
#include "paged.h"

#define DEVICE		SIMGPU_TRACE_DEVICE
#define MANAGED		SIMGPU_TRACE_MANAGED
#define PAGE		65536ULL

/* struct part - an allocation, in MiB */
struct part {
	u64 first;
	u64 end;
	enum simgpu_trace_allocation_kind kind;
};

/* A warp reads a line of every 64 KiB from @from to @to (MiB), some times. */
static struct trace *trace_parts(u64 mib, u64 from, u64 to, const struct part *parts,
				 u32 count)
{
	struct builder *b = builder_new("parts", "test");
	struct simgpu_trace_pattern pattern = {
		.base = from * MIB, .access_bytes = 4, .lane_stride = 4,
		.loop_stride = { 0, PAGE },
	};
	u32 i;

	builder_footprint(b, mib * MIB);
	for (i = 0; i < count; i++)
		builder_allocation(b, "part", parts[i].first * MIB,
				   (parts[i].end - parts[i].first) * MIB, parts[i].kind);
	builder_kernel(b, "parts", 1, 32, 16, 0);
	builder_access(b, &pattern);
	builder_loop(b, 2);
	builder_loop(b, (u32)((to - from) * MIB / PAGE));
	builder_load(b, 0, 32, 0);
	builder_compute(b, 1, 32);
	builder_loop_end(b);
	builder_loop_end(b);
	return trace_of(b, 0);
}

#define TRACE(mib, from, to, ...) \
	trace_parts(mib, from, to, (const struct part[]) { __VA_ARGS__ }, \
		    sizeof((const struct part[]) { __VA_ARGS__ }) / sizeof(struct part))

static struct bench *bench_of(u32 managed_mib)
{
	struct bench *bench = paged(managed_mib, 64, &memory_policy_demand);

	manage(bench, 0);
	return bench;
}

static int launch_flag(struct bench *bench, u32 queue, const struct trace *trace, bool managed)
{
	const struct session_launch_options options = {
		.trace = trace, .repeats = 1, .queue = queue, .managed = managed,
	};
	u64 sequence;

	return session_launch_with(bench->session, 0, &options, &sequence);
}

static int launch_in(struct bench *bench, u32 queue, const struct trace *trace)
{
	return launch_flag(bench, queue, trace, false);
}

/* Which blocks of slot 0 are managed, a letter each: M, or . for those that are not */
static void expect_blocks(struct bench *bench, const char *blocks)
{
	const struct pager *pager = bench->session->pager;
	const struct pager_memory *memory = &pager->memory[0];
	u32 managed = 0, i;

	assert_int_equal(memory->block_count, strlen(blocks));
	for (i = 0; i < memory->page_count; i++) {
		bool fixed = memory->pages[i].state == GPU_PAGE_FIXED;

		assert_int_equal(fixed, blocks[i / pager->block_pages] == '.');
		managed += !fixed;
	}
	assert_int_equal(report_of(bench, 0).managed_bytes, managed * PAGE);
	assert_int_equal(memory->fixed, memory->page_count - managed);
}

/* Pages that are not managed take no time, and no memory of the pager. */
static void only_managed_blocks_fault(void **state)
{
	struct trace *trace = TRACE(12, 0, 12, { 0, 4, DEVICE }, { 4, 8, MANAGED },
				    { 8, 12, DEVICE });
	struct trace *beside = TRACE(12, 0, 4, { 0, 4, DEVICE }, { 4, 8, MANAGED });
	struct trace *plain = TRACE(12, 0, 4);
	struct bench *bench = bench_of(8), *other;
	struct session_memory memory;

	assert_int_equal(launch_in(bench, 0, trace), 0);
	expect_blocks(bench, "..MM..");
	run_to_end(bench);
	assert_int_equal(counted(bench, 0).pages_in, 64);
	assert_int_equal(counted(bench, 0).faults, 64);
	assert_int_equal(report_of(bench, 0).resident_bytes, 4 * MIB);
	session_memory_report(bench->session, &memory);
	assert_int_equal(memory.managed_pages[0], 64);
	assert_int_equal(memory.chunks_used, 2);
	bench_free(bench);
	/* Who accesses nothing of it runs as if none were managed, to the cycle. */
	bench = bench_of(8);
	other = bench_of(8);
	assert_int_equal(launch_in(bench, 0, beside), 0);
	assert_int_equal(launch_in(other, 0, plain), 0);
	assert_int_equal(run_to_end(bench), run_to_end(other));
	assert_int_equal(counted(bench, 0).faults, 0);
	assert_int_equal(counted(bench, 0).llc_misses, counted(other, 0).llc_misses);
	bench_free(bench);
	bench_free(other);
	trace_free(trace);
	trace_free(beside);
	trace_free(plain);
}

/* A trace that has all of its memory as managed runs as with the flag, to the last bit. */
static void all_of_it_is_as_with_the_flag(void **state)
{
	struct trace *all = TRACE(12, 0, 12, { 0, 12, MANAGED });
	struct trace *plain = TRACE(12, 0, 12);
	struct bench *bench = bench_of(8), *other = bench_of(8);

	assert_int_equal(launch_in(bench, 0, all), 0);
	assert_int_equal(launch_flag(other, 0, plain, true), 0);
	expect_blocks(bench, "MMMMMM");
	assert_int_equal(run_to_end(bench), run_to_end(other));
	assert_true(counted(bench, 0).pages_evicted > 0);
	assert_true(session_state_hash(bench->session) == session_state_hash(other->session));
	bench_free(bench);
	bench_free(other);
	trace_free(all);
	trace_free(plain);
}

/* With the flag all of the footprint is managed, whatever the allocations say. */
static void the_flag_counts_more(void **state)
{
	struct trace *trace = TRACE(8, 0, 8, { 0, 2, DEVICE }, { 2, 4, MANAGED });
	struct bench *bench = bench_of(8);

	assert_int_equal(launch_flag(bench, 0, trace, true), 0);
	expect_blocks(bench, "MMMM");
	/* What is managed stays so. */
	assert_int_equal(launch_in(bench, 0, trace), 0);
	expect_blocks(bench, "MMMM");
	run_to_end(bench);
	assert_int_equal(counted(bench, 0).pages_in, 128);
	bench_free(bench);
	trace_free(trace);
}

static void launches_of_a_tenant_share_what_is_managed(void **state)
{
	struct trace *first = TRACE(6, 0, 6, { 2, 4, MANAGED });
	struct trace *second = TRACE(6, 0, 6, { 0, 2, MANAGED });
	struct trace *larger = TRACE(12, 0, 12, { 2, 4, MANAGED }, { 8, 10, MANAGED });
	struct trace *small = TRACE(4, 0, 4), *large = TRACE(16, 0, 4);
	struct bench *bench = bench_of(16);

	assert_int_equal(launch_in(bench, 0, first), 0);
	expect_blocks(bench, ".M.");
	/* Memory that a launch under way has on the device stays there. */
	assert_int_equal(launch_in(bench, 1, second), -EBUSY);
	assert_int_equal(launch_flag(bench, 1, second, true), -EBUSY);
	expect_blocks(bench, ".M.");
	/* It grows while launches are under way, and so does what is managed. */
	assert_int_equal(launch_in(bench, 1, larger), 0);
	expect_blocks(bench, ".M..M.");
	assert_int_equal(launch_in(bench, 2, small), 0);
	assert_int_equal(launch_in(bench, 2, large), -EINVAL);
	run_to_end(bench);
	assert_int_equal(launch_in(bench, 1, second), 0);
	expect_blocks(bench, "MM..M.");
	assert_int_equal(launch_in(bench, 0, first), 0);
	run_to_end(bench);
	/* The flag reaches as far as the footprint. */
	assert_int_equal(launch_flag(bench, 1, second, true), 0);
	expect_blocks(bench, "MMM.M.");
	run_to_end(bench);
	bench_free(bench);
	trace_free(first);
	trace_free(second);
	trace_free(larger);
	trace_free(small);
	trace_free(large);
}

/* A footprint that ends in a block: when memory grows there, the block stays what it was. */
static void blocks_stay_whole_when_memory_grows(void **state)
{
	struct trace *managed = TRACE(3, 0, 3, { 2, 3, MANAGED });
	struct trace *fixed = TRACE(3, 0, 3, { 0, 1, MANAGED });
	struct trace *grown = TRACE(6, 0, 6, { 4, 6, MANAGED });
	struct trace *over = TRACE(6, 0, 6, { 2, 4, MANAGED });
	struct bench *bench = bench_of(8);

	assert_int_equal(launch_in(bench, 0, managed), 0);
	expect_blocks(bench, ".M");
	session_run(bench->session, 100000);
	assert_int_equal(launch_in(bench, 1, grown), 0);
	expect_blocks(bench, ".MM");
	run_to_end(bench);
	assert_int_equal(counted(bench, 0).pages_in, 64);
	bench_free(bench);
	bench = bench_of(8);
	assert_int_equal(launch_in(bench, 0, fixed), 0);
	expect_blocks(bench, "M.");
	assert_int_equal(launch_in(bench, 1, over), -EBUSY);
	assert_int_equal(launch_in(bench, 1, grown), 0);
	expect_blocks(bench, "M.M");
	run_to_end(bench);
	assert_int_equal(launch_in(bench, 1, over), 0);
	expect_blocks(bench, "MMM");
	run_to_end(bench);
	bench_free(bench);
	trace_free(managed);
	trace_free(fixed);
	trace_free(grown);
	trace_free(over);
}

static void some_launches_cannot_have_it(void **state)
{
	const struct arrivals_plan plan = {
		.kind = ARRIVALS_EVERY, .requests = 2, .launches = 1, .every_cycles = 1000,
	};
	struct trace *trace = TRACE(4, 0, 4, { 2, 4, MANAGED });
	struct trace *plain = TRACE(4, 0, 4);
	struct bench *bench = bench_of(0);
	u64 sequence, faults;

	assert_int_equal(launch_in(bench, 0, trace), -EOPNOTSUPP);
	assert_int_equal(session_arrivals(bench->session, 0, trace, &plan, &sequence),
			 -EOPNOTSUPP);
	assert_int_equal(launch_in(bench, 0, plain), 0);
	bench_free(bench);
	bench = bench_of(8);
	assert_int_equal(session_set_sampled(bench->session, 5), 0);
	assert_int_equal(launch_in(bench, 0, trace), -EOPNOTSUPP);
	bench_free(bench);
	bench = bench_of(2);
	/* Launches without it are under way. */
	assert_int_equal(launch_in(bench, 0, plain), 0);
	assert_int_equal(launch_in(bench, 1, trace), -EBUSY);
	run_to_end(bench);
	/* Requests run in what a launch has made managed. */
	assert_int_equal(session_arrivals(bench->session, 0, trace, &plan, &sequence),
			 -EOPNOTSUPP);
	assert_int_equal(launch_in(bench, 0, trace), 0);
	run_to_end(bench);
	faults = counted(bench, 0).faults;
	assert_int_equal(faults, 32);
	assert_int_equal(session_arrivals(bench->session, 0, trace, &plan, &sequence), 0);
	run_to_end(bench);
	assert_int_equal(counted(bench, 0).faults, faults);
	/* They make nothing managed themselves. */
	session_leave(bench->session, 0);
	join(bench, 0);
	assert_int_equal(session_arrivals(bench->session, 0, trace, &plan, &sequence),
			 -EOPNOTSUPP);
	bench_free(bench);
	trace_free(trace);
	trace_free(plain);
}

/* What is not managed takes device memory as that of other tenants does, and waits for it. */
static void the_rest_takes_device_memory(void **state)
{
	struct trace *trace = TRACE(12, 4, 12, { 4, 12, MANAGED });
	struct trace *more = TRACE(12, 4, 12, { 6, 12, MANAGED });
	struct trace *large = TRACE(11, 0, 4), *small = TRACE(4, 0, 4);
	struct bench *bench = paged(16, 64, NULL);

	/* 4 MiB of it are left, so 12 MiB beside 11 do not fit, but beside 4 they do. */
	bench->options.config.memory_mb = 12;
	manage(bench, 0);
	join(bench, 1);
	join(bench, 2);
	assert_int_equal(launch_in(bench, 0, trace), 0);
	launch(bench, 1, large, 1, 0);
	launch(bench, 2, small, 1, 0);
	session_run(bench->session, 500);
	assert_true(report_of(bench, 0).active);
	assert_true(report_of(bench, 1).waits_for_memory);
	assert_true(report_of(bench, 2).waits_for_memory);
	run_to_end(bench);
	launch(bench, 2, small, 1, 0);
	assert_int_equal(launch_in(bench, 0, trace), 0);
	session_run(bench->session, 500);
	assert_true(report_of(bench, 0).active);
	assert_true(report_of(bench, 2).active);
	run_to_end(bench);
	bench_free(bench);
	/* To the byte: 4 MiB, then 6. */
	bench = paged(16, 64, NULL);
	bench->options.config.memory_mb = 5;
	manage(bench, 0);
	assert_int_equal(launch_in(bench, 0, more), -ENOSPC);
	assert_int_equal(launch_in(bench, 0, trace), 0);
	/* With what that one has managed it fits. */
	assert_int_equal(launch_in(bench, 0, more), 0);
	assert_int_equal(launch_in(bench, 0, large), 0);
	run_to_end(bench);
	bench_free(bench);
	bench = paged(16, 64, NULL);
	bench->options.config.memory_mb = 3;
	manage(bench, 0);
	assert_int_equal(launch_in(bench, 0, trace), -ENOSPC);
	assert_int_equal(launch_flag(bench, 0, trace, true), 0);
	run_to_end(bench);
	bench_free(bench);
	trace_free(trace);
	trace_free(more);
	trace_free(large);
	trace_free(small);
}

/* Policies hear of managed pages alone. */
static void sets_are_of_managed_pages(void **state)
{
	struct trace *trace = TRACE(12, 0, 12, { 2, 6, MANAGED }, { 10, 12, MANAGED });
	struct bench *bench = paged(8, 64, &memory_policy_prepare);
	struct simgpu_snapshot_tenant snapshot = { 0 };
	struct simgpu_place *place = calloc(1, sizeof(*place));
	const struct pager *pager;

	manage(bench, 0);
	assert_int_equal(launch_in(bench, 0, trace), 0);
	session_run(bench->session, 1000);
	pager = bench->session->pager;
	pager_fill_wanted(pager, U64_MAX, place);
	assert_int_equal(place->wanted_count, 2);
	assert_int_equal(place->wanted[0].first, 32);
	assert_int_equal(place->wanted[0].count, 64);
	assert_int_equal(place->wanted[1].first, 160);
	assert_int_equal(place->wanted[1].count, 32);
	pager_fill_snapshot(bench->session, 0, &snapshot);
	assert_int_equal(snapshot.managed_bytes, 6 * MIB);
	assert_int_equal(snapshot.wanted_bytes, 6 * MIB);
	run_to_end(bench);
	/* They were brought before they faulted, and nothing else was. */
	assert_int_equal(counted(bench, 0).pages_in, 96);
	assert_true(counted(bench, 0).faults < 96);
	assert_string_equal(pager->fell_back, "");
	bench_free(bench);
	free(place);
	trace_free(trace);
}

/* A tenant may ask for all of its memory: what is not managed is there. */
static void asking_brings_managed_pages(void **state)
{
	struct trace *trace = TRACE(8, 0, 8, { 2, 4, MANAGED });
	struct bench *bench = bench_of(8);

	assert_int_equal(launch_in(bench, 0, trace), 0);
	assert_int_equal(session_prefetch(bench->session, 0, 0, 8 * MIB), 0);
	assert_int_equal(session_prefetch(bench->session, 0, 0, 8 * MIB + 1), -EINVAL);
	run_to_end(bench);
	assert_int_equal(counted(bench, 0).pages_in, 32);
	assert_int_equal(report_of(bench, 0).resident_bytes, 2 * MIB);
	bench_free(bench);
	trace_free(trace);
}

/* --- the same bits ------------------------------------------------------------------------ */

static struct trace *writer(void)
{
	struct builder *b = builder_new("writer", "test");
	struct simgpu_trace_pattern pattern = {
		.access_bytes = 4, .lane_stride = 4, .loop_stride = { 4096 },
		.block_stride = { 2 * (s64)MIB },
	};

	builder_footprint(b, 16 * MIB);
	builder_allocation(b, "a", 2 * MIB, 6 * MIB, MANAGED);
	builder_allocation(b, "b", 10 * MIB, 6 * MIB, MANAGED);
	builder_kernel(b, "writer", 8, 32, 16, 0);
	builder_access(b, &pattern);
	builder_loop(b, 512);
	builder_store(b, 0, 32);
	builder_load(b, 0, 32, 0);
	builder_loop_end(b);
	builder_again(b, 1, 2);
	return trace_of(b, 0);
}

/* More than the memory is managed: pages go and come beside those that stay. */
static void nothing_is_lost_and_nothing_depends_on_pauses(void **state)
{
	struct trace *trace = writer();
	struct bench *bench = bench_of(8), *steps = bench_of(8);
	struct bench *replayed = paged(8, 64, &memory_policy_demand);
	const struct trace *const traces[] = { trace };

	bench_start(replayed);
	assert_int_equal(launch_in(bench, 0, trace), 0);
	assert_int_equal(launch_in(steps, 0, trace), 0);
	run_to_end(bench);
	assert_int_equal((counted(bench, 0).pages_in - counted(bench, 0).pages_evicted) * PAGE,
			 report_of(bench, 0).resident_bytes);
	assert_true(counted(bench, 0).pages_evicted > 64);
	assert_true(counted(bench, 0).copied_out_bytes > 0);
	assert_int_equal(session_state(bench->session), SESSION_IDLE);
	run_in_steps(steps, LONG, 777);
	assert_int_equal(session_end_cycle(bench->session), session_end_cycle(steps->session));
	assert_true(session_state_hash(bench->session) == session_state_hash(steps->session));
	replay_journal(bench->session, replayed->session, traces, 1);
	run_to_end(replayed);
	assert_true(session_state_hash(bench->session) ==
		    session_state_hash(replayed->session));
	bench_free(bench);
	bench_free(steps);
	bench_free(replayed);
	trace_free(trace);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(only_managed_blocks_fault),
		cmocka_unit_test(all_of_it_is_as_with_the_flag),
		cmocka_unit_test(the_flag_counts_more),
		cmocka_unit_test(launches_of_a_tenant_share_what_is_managed),
		cmocka_unit_test(blocks_stay_whole_when_memory_grows),
		cmocka_unit_test(some_launches_cannot_have_it),
		cmocka_unit_test(the_rest_takes_device_memory),
		cmocka_unit_test(sets_are_of_managed_pages),
		cmocka_unit_test(asking_brings_managed_pages),
		cmocka_unit_test(nothing_is_lost_and_nothing_depends_on_pauses),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests_name("managed_parts", tests, make_traces, free_traces);
}
