// SPDX-License-Identifier: GPL-2.0
/*
 * Managed memory of tenants as launches and settings have it: which launches manage memory,
 * memory that grows, tables that the caller brings, settings, and journals that repeat it.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <cmocka.h>

#include "../../kmod/session/pager_parts.h"
#include "../../kmod/session/settings.h"
#include "bench.h"
#include "journal_of.h"

#define MIB	(1ULL << 20)
#define LONG	400000000ULL

static struct trace *small, *large, *wide;

/* A warp reads a line of every 64 KiB of so much memory, some times. */
static struct trace *trace_reading(const char *name, u64 bytes, u32 passes)
{
	struct builder *b = builder_new(name, "test");
	struct simgpu_trace_pattern pattern = {
		.access_bytes = 4, .lane_stride = 4, .loop_stride = { 0, 65536 },
	};

	builder_footprint(b, bytes);
	builder_kernel(b, name, 1, 32, 16, 0);
	builder_access(b, &pattern);
	builder_loop(b, passes);
	builder_loop(b, (u32)(bytes >> 16));
	builder_load(b, 0, 32, 0);
	builder_compute(b, 1, 32);
	builder_loop_end(b);
	builder_loop_end(b);
	return trace_of(b, 0);
}

static int make_readers(void **state)
{
	small = trace_reading("small", 4 * MIB, 2);
	large = trace_reading("large", 12 * MIB, 2);
	wide = trace_copy(2000, 20, 32);
	return make_traces(state);
}

static int free_readers(void **state)
{
	free(small);
	free(large);
	trace_free(wide);
	return free_traces(state);
}

/* A session without tenants. */
static struct bench *bench_empty(u32 managed_mib)
{
	struct bench *bench = malloc(sizeof(*bench));

	bench_options(bench, 0);
	bench->options.managed_mib = managed_mib;
	bench->options.policy = &policy_even;
	bench->options.epoch_cycles = SESSION_EPOCH_CYCLES_MAX;
	session_default_params(&bench->options);
	bench_start(bench);
	return bench;
}

static struct bench *bench_of(u32 managed_mib)
{
	struct bench *bench = bench_empty(managed_mib);

	join(bench, 0);
	return bench;
}

static int launch_in(struct bench *bench, u32 slot, u32 queue, const struct trace *trace,
		     bool managed)
{
	const struct session_launch_options options = {
		.trace = trace, .repeats = 1, .queue = queue, .managed = managed,
	};
	u64 sequence;

	return session_launch_with(bench->session, slot, &options, &sequence);
}

static void run_out(struct bench *bench)
{
	assert_int_equal(session_run(bench->session, LONG), SESSION_IDLE);
}

/* What is told of a slot's managed memory, beside the table of its pages. */
static void expect_managed(struct bench *bench, u32 slot, u64 managed_bytes)
{
	struct session_tenant_report report = report_of(bench, slot);
	const struct pager *pager = bench->session->pager;
	struct session_memory memory;
	u64 resident = 0;
	u32 i;

	session_memory_report(bench->session, &memory);
	for (i = 0; pager && i < pager->memory[slot].page_count; i++)
		resident += pager->memory[slot].pages[i].state != GPU_PAGE_HOST;
	assert_int_equal(report.managed_bytes, managed_bytes);
	assert_int_equal(report.resident_bytes, resident << 16);
	assert_int_equal(memory.managed_pages[slot], managed_bytes >> 16);
	assert_int_equal(memory.resident_pages[slot], resident);
}

static void launches_manage_their_footprint(void **state)
{
	struct bench *bench = bench_of(8);

	assert_int_equal(launch_in(bench, 0, 0, small, true), 0);
	expect_managed(bench, 0, 4 * MIB);
	run_out(bench);
	expect_managed(bench, 0, 4 * MIB);
	assert_int_equal(report_of(bench, 0).resident_bytes, 4 * MIB);
	assert_true(report_of(bench, 0).counters.faults > 0);
	/* Larger than the memory: pages leave again. */
	assert_int_equal(launch_in(bench, 0, 0, large, true), 0);
	run_out(bench);
	expect_managed(bench, 0, 12 * MIB);
	assert_int_equal(report_of(bench, 0).resident_bytes, 8 * MIB);
	assert_true(report_of(bench, 0).counters.pages_evicted > 0);
	/* It does not shrink. */
	assert_int_equal(launch_in(bench, 0, 0, small, true), 0);
	expect_managed(bench, 0, 12 * MIB);
	bench_free(bench);
}

/* All of a tenant's memory is managed, or none. */
static void launches_without_keep_to_what_is_managed(void **state)
{
	const struct arrivals_plan plan = {
		.kind = ARRIVALS_EVERY, .requests = 2, .launches = 1, .every_cycles = 1000,
	};
	struct bench *bench = bench_of(16);
	u64 sequence, faults;

	assert_int_equal(launch_in(bench, 0, 0, small, false), 0);
	assert_int_equal(launch_in(bench, 0, 1, small, true), -EBUSY);
	run_out(bench);
	assert_int_equal(report_of(bench, 0).counters.faults, 0);
	assert_int_equal(launch_in(bench, 0, 1, small, true), 0);
	assert_int_equal(launch_in(bench, 0, 0, large, false), -EINVAL);
	run_out(bench);
	assert_int_equal(session_arrivals(bench->session, 0, large, &plan, &sequence), -EINVAL);
	assert_int_equal(session_arrivals(bench->session, 0, small, &plan, &sequence), 0);
	run_out(bench);
	faults = report_of(bench, 0).counters.faults;
	assert_true(faults > 0);
	assert_int_equal(launch_in(bench, 0, 0, large, true), 0);
	assert_int_equal(launch_in(bench, 0, 1, large, false), 0);
	run_out(bench);
	assert_true(report_of(bench, 0).counters.faults > faults);
	/* Other tenants are not concerned, nor the next one in the slot. */
	join(bench, 1);
	assert_int_equal(launch_in(bench, 1, 0, large, false), 0);
	session_leave(bench->session, 0);
	join(bench, 0);
	assert_int_equal(launch_in(bench, 0, 0, large, false), 0);
	expect_managed(bench, 0, 0);
	bench_free(bench);
}

static void some_sessions_have_no_managed_memory(void **state)
{
	struct bench *bench = bench_of(0);

	assert_int_equal(launch_in(bench, 0, 0, small, true), -EOPNOTSUPP);
	assert_int_equal(session_set_managed_mib(bench->session, 8), 0);
	assert_int_equal(launch_in(bench, 0, 0, small, true), 0);
	/* The hardware was made without any, and has a copy engine all the same. */
	run_out(bench);
	assert_int_not_equal(report_of(bench, 0).counters.pages_in, 0);
	bench_free(bench);
	bench = bench_of(8);
	assert_int_equal(session_set_sampled(bench->session, 5), 0);
	assert_int_equal(launch_in(bench, 0, 0, small, true), -EOPNOTSUPP);
	bench_free(bench);
}

/* While kernels run, with pages on the device and on their way. */
static void memory_grows_in_the_middle(void **state)
{
	struct bench *bench = bench_of(8), *replayed = bench_empty(8);
	const struct trace *const traces[] = { small, large };
	u64 resident;

	assert_int_equal(launch_in(bench, 0, 0, small, true), 0);
	session_run(bench->session, 300000);
	resident = report_of(bench, 0).resident_bytes;
	assert_true(resident > 0 && resident < 4 * MIB);
	assert_int_equal(launch_in(bench, 0, 1, large, true), 0);
	expect_managed(bench, 0, 12 * MIB);
	assert_int_equal(report_of(bench, 0).resident_bytes, resident);
	session_run(bench->session, 1234567);
	replay_journal(bench->session, replayed->session, traces, ARRAY_SIZE(traces));
	assert_true(session_state_hash(replayed->session) ==
		    session_state_hash(bench->session));
	run_out(bench);
	expect_managed(bench, 0, 12 * MIB);
	bench_free(replayed);
	bench_free(bench);
}

static void callers_may_bring_tables(void **state)
{
	struct bench *bench = bench_of(8);
	struct session_tables_need need;
	struct session_tables *tables, *brought;
	struct session_launch_options options = {
		.trace = large, .repeats = 1, .managed = true, .tables = &tables,
	};
	u64 sequence;

	need = session_tables_need(bench->session, SESSION_ANY_SLOT, 4 * MIB + 1);
	assert_int_equal(need.page_kib, 64);
	assert_int_equal(need.pages, 65);
	assert_true(session_tables_bytes(need) >= 65 * 5 + 3 * 4);
	/* Too small: the session makes its own. */
	tables = brought = session_tables_make(need);
	assert_int_equal(session_launch_with(bench->session, 0, &options, &sequence), 0);
	assert_ptr_equal(tables, brought);
	port_free(brought);
	expect_managed(bench, 0, 12 * MIB);
	assert_int_equal(session_tables_need(bench->session, 0, 12 * MIB).pages, 0);
	/* Large enough, and needed: taken over. */
	join(bench, 1);
	need = session_tables_need(bench->session, 1, 12 * MIB);
	assert_int_equal(need.pages, 192);
	tables = session_tables_make(need);
	assert_int_equal(session_launch_with(bench->session, 1, &options, &sequence), 0);
	assert_null(tables);
	/* Not needed. */
	tables = brought = session_tables_make(need);
	assert_int_equal(session_launch_with(bench->session, 1, &options, &sequence), 0);
	assert_ptr_equal(tables, brought);
	port_free(brought);
	run_out(bench);
	expect_managed(bench, 1, 12 * MIB);
	/* A trace without memory has a page. */
	assert_int_equal(session_tables_need(bench->session, SESSION_ANY_SLOT, 0).pages, 1);
	bench_free(bench);
}

static void settings_change_while_nobody_uses_them(void **state)
{
	struct bench *bench = bench_of(8);
	struct session_memory memory;
	u64 hash;

	assert_int_equal(session_set_managed_mib(bench->session, 3), -EINVAL);
	assert_int_equal(session_set_managed_mib(bench->session,
						SESSION_MANAGED_MIB_MAX + 2), -EINVAL);
	hash = session_state_hash(bench->session);
	assert_int_equal(session_set_managed_mib(bench->session, 16), 0);
	assert_true(session_state_hash(bench->session) != hash);
	assert_int_equal(launch_in(bench, 0, 0, large, true), 0);
	assert_int_equal(session_set_managed_mib(bench->session, 8), -EBUSY);
	assert_int_equal(session_set_managed_mib(bench->session, 16), 0);
	run_out(bench);
	assert_int_equal(report_of(bench, 0).resident_bytes, 12 * MIB);
	session_leave(bench->session, 0);
	session_memory_report(bench->session, &memory);
	assert_int_equal(memory.chunks, 8);
	assert_int_equal(memory.chunks_used, 0);
	assert_int_equal(session_set_managed_mib(bench->session, 4), 0);
	join(bench, 0);
	assert_int_equal(launch_in(bench, 0, 0, large, true), 0);
	run_out(bench);
	assert_int_equal(report_of(bench, 0).resident_bytes, 4 * MIB);
	session_leave(bench->session, 0);
	/* Back to what the configuration says: none. */
	assert_int_equal(session_set_managed_mib(bench->session, 0), 0);
	join(bench, 0);
	assert_int_equal(launch_in(bench, 0, 0, small, true), -EOPNOTSUPP);
	bench_free(bench);
}

/*
 * A tenant leaves an idle device with copies of it under way, both ways, or with pages on the
 * host. No time passes there, so nobody could wait for their end.
 */
static void sizes_change_with_copies_of_a_gone_tenant(void **state)
{
	struct bench *bench = bench_of(4);
	struct session_memory memory;
	const struct pager *pager;
	u32 out = 0, in = 0, i;

	for (i = 0; i < 400; i++) {
		bench->epoch_count = 0;
		bench->done_count = 0;
		if (i)
			join(bench, 0);
		assert_int_equal(launch_in(bench, 0, 0, wide, true), 0);
		session_run(bench->session, 100000 + 30011 * (u64)i);
		pager = bench->session->pager;
		in += pager->copies > 0;
		out += pager->outs > 0;
		session_leave(bench->session, 0);
		assert_int_equal(session_set_managed_mib(bench->session, i % 3 * 4), 0);
		session_memory_report(bench->session, &memory);
		assert_int_equal(memory.chunks, i % 3 * 2);
		assert_int_equal(session_set_managed_mib(bench->session, 4), 0);
		if (in > 20 && out > 2)
			break;
	}
	assert_true(in > 20 && out > 2);
	join(bench, 0);
	assert_int_equal(launch_in(bench, 0, 0, large, true), 0);
	run_out(bench);
	expect_managed(bench, 0, 12 * MIB);
	assert_int_equal(report_of(bench, 0).resident_bytes, 4 * MIB);
	bench_free(bench);
}

static void policies_change_under_way(void **state)
{
	struct bench *bench = bench_of(8);
	struct session_memory memory;
	u64 hash;

	assert_int_equal(session_set_memory_policy(bench->session, SESSION_MEMORY_POLICIES),
			 -EINVAL);
	assert_int_equal(session_set_memory_policy(bench->session, U64_MAX), -EINVAL);
	hash = session_state_hash(bench->session);
	assert_int_equal(session_set_memory_policy(bench->session,
						   SESSION_MEMORY_POLICY_demand), 0);
	assert_true(session_state_hash(bench->session) != hash);
	assert_int_equal(launch_in(bench, 0, 0, large, true), 0);
	session_run(bench->session, 2000000);
	session_memory_report(bench->session, &memory);
	assert_string_equal(memory.policy, "demand");
	assert_int_equal(report_of(bench, 0).counters.pages_prefetched, 0);
	assert_int_equal(session_set_memory_policy(bench->session,
						   SESSION_MEMORY_POLICY_all), 0);
	run_out(bench);
	session_memory_report(bench->session, &memory);
	assert_string_equal(memory.policy, "all");
	assert_true(report_of(bench, 0).counters.pages_prefetched > 0);
	bench_free(bench);
}

/* A policy that is set gives its ranks to what is on the device. */
static void ranks_are_those_of_the_policy_in_force(void **state)
{
	struct bench *bench = bench_of(16);
	const struct pager *pager;
	u32 i, used = 0;

	assert_int_equal(launch_in(bench, 0, 0, large, true), 0);
	run_out(bench);
	assert_int_equal(session_set_memory_policy(bench->session,
						   SESSION_MEMORY_POLICY_fifo), 0);
	pager = bench->session->pager;
	for (i = 0; i < pager->chunks; i++) {
		if (chunk_is_free(&pager->chunk[i]))
			continue;
		used++;
		assert_int_equal(pager->chunk[i].is.rank, pager->chunk[i].is.began);
	}
	assert_int_equal(used, 6);
	bench_free(bench);
}

static void live(struct bench *bench)
{
	assert_int_equal(session_set_memory_policy(bench->session,
						   SESSION_MEMORY_POLICY_lfu), 0);
	assert_int_equal(session_set_managed_mib(bench->session, 12), 0);
	join(bench, 1);
	assert_int_equal(launch_in(bench, 0, 0, large, true), 0);
	session_run(bench->session, 777777);
	assert_int_equal(launch_in(bench, 1, 0, small, true), 0);
	session_run(bench->session, 1000001);
	assert_int_equal(session_set_memory_policy(bench->session,
						   SESSION_MEMORY_POLICY_uvm), 0);
	session_run(bench->session, 2000003);
	session_leave(bench->session, 0);
	session_run(bench->session, 100000);
	join(bench, 0);
	assert_int_equal(launch_in(bench, 0, 0, small, true), 0);
	session_run(bench->session, 55555);
	session_leave(bench->session, 0);
	session_leave(bench->session, 1);
	assert_int_equal(session_set_managed_mib(bench->session, 6), 0);
	join(bench, 0);
	assert_int_equal(launch_in(bench, 0, 0, large, true), 0);
	session_run(bench->session, 555555);
}

static void journals_repeat_managed_memory(void **state)
{
	struct bench *bench = bench_of(8), *replayed = bench_empty(8);
	const struct trace *const traces[] = { small, large };

	live(bench);
	replay_journal(bench->session, replayed->session, traces, ARRAY_SIZE(traces));
	assert_true(session_state_hash(replayed->session) ==
		    session_state_hash(bench->session));
	assert_true(report_of(replayed, 0).counters.faults > 0);
	expect_same(bench, replayed);
	bench_free(bench);
	bench_free(replayed);
}

/* The driver counts on a tenant's tables being freed when it leaves. */
static void leaving_a_stopped_session_frees_tables(void **state)
{
	struct bench *bench = malloc(sizeof(*bench));

	bench_options(bench, 1);
	bench->options.managed_mib = 8;
	bench->options.stop_cycle = 1000000;
	bench_start(bench);
	join(bench, 0);
	assert_int_equal(launch_in(bench, 0, 0, large, true), 0);
	assert_int_equal(session_run(bench->session, LONG), SESSION_STOPPED);
	expect_managed(bench, 0, 12 * MIB);
	session_leave(bench->session, 0);
	assert_null(bench->session->pager->memory[0].tables);
	session_state_hash(bench->session);
	bench_free(bench);
}

/* A block leaves the caches in the same window, wherever the owner pauses. */
static void pauses_change_nothing(void **state)
{
	static const u64 steps[] = { LONG, 2000, 777 };
	const struct trace *const traces[] = { wide, random_reads };
	u64 hash[ARRAY_SIZE(steps)], at;
	u32 i, trace;

	for (trace = 0; trace < ARRAY_SIZE(traces); trace++) {
		for (i = 0; i < ARRAY_SIZE(steps); i++) {
			struct bench *bench = bench_of(2);

			assert_int_equal(launch_in(bench, 0, 0, traces[trace], true), 0);
			for (at = 0; at < 3000000; at = session_now(bench->session))
				session_run(bench->session, min(steps[i], 3000000 - at));
			assert_true(report_of(bench, 0).counters.chunks_evicted > 3);
			hash[i] = session_state_hash(bench->session);
			bench_free(bench);
		}
		assert_true(hash[0] == hash[1]);
		assert_true(hash[0] == hash[2]);
	}
}

/* A fault takes longer than the least limit on holding: the policy is not to blame. */
static void who_waits_for_pages_is_not_held(void **state)
{
	struct bench *bench = malloc(sizeof(*bench));

	bench_options(bench, 0);
	bench->options.managed_mib = 8;
	bench->options.epoch_cycles = SESSION_EPOCH_CYCLES_MAX;
	bench->options.hold_cycles = SESSION_HOLD_CYCLES_MIN;
	bench_start(bench);
	join(bench, 0);
	assert_int_equal(launch_in(bench, 0, 0, large, true), 0);
	run_out(bench);
	assert_int_equal(session_last_refusal(bench->session)->kind, SESSION_REFUSED_NOTHING);
	bench_free(bench);
}

static void bad_sizes_are_refused_at_the_cold_start(void **state)
{
	struct bench *bench = malloc(sizeof(*bench));
	struct session *session;

	bench_options(bench, 0);
	bench->options.managed_mib = 7;
	assert_int_equal(session_create(&session, &bench->options, &(struct session_hooks) {}),
			 -EINVAL);
	free(bench);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(launches_manage_their_footprint),
		cmocka_unit_test(launches_without_keep_to_what_is_managed),
		cmocka_unit_test(some_sessions_have_no_managed_memory),
		cmocka_unit_test(memory_grows_in_the_middle),
		cmocka_unit_test(callers_may_bring_tables),
		cmocka_unit_test(settings_change_while_nobody_uses_them),
		cmocka_unit_test(sizes_change_with_copies_of_a_gone_tenant),
		cmocka_unit_test(policies_change_under_way),
		cmocka_unit_test(ranks_are_those_of_the_policy_in_force),
		cmocka_unit_test(journals_repeat_managed_memory),
		cmocka_unit_test(leaving_a_stopped_session_frees_tables),
		cmocka_unit_test(pauses_change_nothing),
		cmocka_unit_test(who_waits_for_pages_is_not_held),
		cmocka_unit_test(bad_sizes_are_refused_at_the_cold_start),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests_name("managed", tests, make_readers, free_readers);
}
