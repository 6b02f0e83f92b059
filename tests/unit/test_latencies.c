// SPDX-License-Identifier: GPL-2.0
/* What policies see of launches: how long the last ones took, who waits, and how large they are. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <cmocka.h>

#include <simgpu/split.h>

#include "../../kmod/session/internal.h"
#include "../../kmod/session/snapshot.h"
#include "looking.h"
#include "random.h"

#define LAUNCHES	(5U * SIMGPU_RECENT_MAX)

/* --- percentiles of the last launches --- */

static int compare(const void *a, const void *b)
{
	const u64 *left = a, *right = b;

	return (*left > *right) - (*left < *right);
}

/* The nearest rank among the last ones, sorted anew. */
static u64 expected(const u64 *taken, u32 count, u32 percent)
{
	u32 recent = min_t(u32, count, SIMGPU_RECENT_MAX);
	u64 sorted[SIMGPU_RECENT_MAX];

	memcpy(sorted, &taken[count - recent], recent * sizeof(sorted[0]));
	qsort(sorted, recent, sizeof(sorted[0]), compare);
	return sorted[(recent * percent + 99) / 100 - 1];
}

static void percentiles_are_of_the_last_launches(void **state)
{
	struct latency *latency = calloc(1, sizeof(*latency));
	struct simgpu_snapshot_latency seen = { 0 };
	u64 taken[LAUNCHES], random = 7;
	u32 i;

	latency_fill_snapshot(latency, &seen);
	assert_int_equal(seen.ended | seen.recent | seen.p50_cycles | seen.p99_cycles, 0);
	for (i = 0; i < LAUNCHES; i++) {
		/* Some are alike, and those of the second half are shorter. */
		random = hash_mix(random, i);
		taken[i] = random % (i < LAUNCHES / 2 ? 1000 : 40);
		latency_add(latency, i, i, i + taken[i], i % 4 ? 0 : i);
		latency_fill_snapshot(latency, &seen);
		assert_int_equal(seen.ended, i + 1);
		assert_int_equal(seen.recent, min_t(u32, i + 1, SIMGPU_RECENT_MAX));
		assert_int_equal(seen.p50_cycles, expected(taken, i + 1, 50));
		assert_int_equal(seen.p95_cycles, expected(taken, i + 1, 95));
		assert_int_equal(seen.p99_cycles, expected(taken, i + 1, 99));
	}
	assert_int_equal(seen.misses, latency->deadline_misses);
	assert_true(seen.misses > 0);
	free(latency);
}

/* --- launches that wait --- */

static const struct simgpu_snapshot_queue *queue_of(struct bench *bench, u32 slot)
{
	snapshot_fill(bench->session);
	return &bench->session->snapshot.tenants[slot].queue[0];
}

static u64 blocks_of(const struct trace *trace)
{
	u64 blocks = 0;
	u32 i;

	for (i = 0; i < trace->kernel_count; i++)
		blocks += trace->kernels[i].blocks;
	return blocks;
}

static void the_oldest_that_waits_is_seen(void **state)
{
	struct bench *bench = bench_new(0);
	const struct simgpu_snapshot_queue *queue;

	join(bench, 0);
	launch(bench, 0, computing, 1, 0);
	session_run(bench->session, 1000);
	queue = queue_of(bench, 0);
	assert_int_equal(queue->waiting, 0);
	assert_int_equal(queue->oldest_cycle | queue->oldest_blocks, 0);
	assert_int_equal(queue->blocks_left, queue->head.blocks_left);
	launch(bench, 0, copying, 1, 0);
	launch(bench, 0, brief, 1, 0);
	session_run(bench->session, 1000);
	queue = queue_of(bench, 0);
	assert_int_equal(queue->waiting, 2);
	assert_int_equal(queue->oldest_cycle, 1000);
	assert_int_equal(queue->oldest_blocks, blocks_of(copying));
	bench_free(bench);
}

/* Of requests that come by themselves, too, which are not made before their turn. */
static void requests_that_wait_have_their_age(void **state)
{
	const struct arrivals_plan plan = {
		.kind = ARRIVALS_EVERY, .every_cycles = 100, .requests = 5, .launches = 1,
	};
	struct bench *bench = bench_new(0);
	const struct simgpu_snapshot_queue *queue;
	u64 last;

	join(bench, 0);
	assert_int_equal(session_arrivals(bench->session, 0, computing, &plan, &last), 0);
	session_run(bench->session, 350);
	queue = queue_of(bench, 0);
	assert_int_equal(queue->waiting, 3);
	assert_int_equal(queue->oldest_cycle, 100);
	assert_int_equal(queue->oldest_blocks, blocks_of(computing));
	bench_free(bench);
}

/* --- what a tenant asks for --- */

static void a_target_is_seen_and_kept_in_its_range(void **state)
{
	struct bench *bench = bench_new(0);
	struct session_tenant_options options = plain();
	u64 before;

	join(bench, 0);
	launch(bench, 0, computing, 1, 0);
	session_run(bench->session, 1000);
	before = session_state_hash(bench->session);
	options.p99_cycles = SESSION_P99_MAX + 1;
	assert_int_equal(session_set_tenant(bench->session, 0, &options), -EINVAL);
	assert_int_equal(session_state_hash(bench->session), before);
	options.p99_cycles = 12345;
	assert_int_equal(session_set_tenant(bench->session, 0, &options), 0);
	assert_true(session_state_hash(bench->session) != before);
	queue_of(bench, 0);
	assert_int_equal(bench->session->snapshot.tenants[0].latency.target_cycles, 12345);
	bench_free(bench);
}

/* --- who has just departed --- */

/* The row of slot 1 when it departed last, and how often it had figures without being active. */
static struct {
	struct simgpu_snapshot_tenant row;
	u32 departures;
	u32 others;
} parting;

static int watch(const struct simgpu_snapshot *snapshot, void *state,
		 struct simgpu_proposal *proposal)
{
	const struct simgpu_snapshot_tenant *tenant = &snapshot->tenants[1];

	if (tenant->events & SIMGPU_ON_DEPARTURE) {
		parting.row = *tenant;
		parting.departures++;
	} else if (!tenant->active && tenant->total.thread_instructions) {
		parting.others++;
	}
	simgpu_split_even(snapshot, proposal);
	return 0;
}

static const struct simgpu_policy watching = {
	.name = "watch", .events = SIMGPU_ON_KNOWN & ~SIMGPU_ON_QUOTA_OUT,
	.needs = SIMGPU_NEEDS_DEPARTED, .decide = watch,
};

static void run_to_departure(struct bench *bench, u32 number)
{
	while (parting.departures < number)
		assert_int_equal(session_run(bench->session, 1000), SESSION_RUNNING);
	assert_int_equal(parting.row.active, 0);
	assert_int_equal(parting.row.weight, 1);
	assert_int_equal(parting.row.total.thread_instructions, issued_by(bench, 1));
}

static void who_departs_is_seen_once_more(void **state)
{
	struct bench *bench = bench_with(&watching, 0);

	memset(&parting, 0, sizeof(parting));
	join(bench, 0);
	join(bench, 1);
	launch(bench, 0, computing, 1000, 0);
	launch(bench, 1, brief, 1, 0);
	run_to_departure(bench, 1);
	assert_int_equal(parting.row.latency.ended, 1);
	assert_true(parting.row.total.thread_instructions > 0);
	session_run(bench->session, 3 * EPOCH);
	launch(bench, 1, brief, 1, 0);
	run_to_departure(bench, 2);
	assert_int_equal(parting.row.latency.ended, 2);
	/* One that leaves while it has work. */
	launch(bench, 1, computing, 1, 0);
	session_run(bench->session, EPOCH / 2);
	session_leave(bench->session, 1);
	run_to_departure(bench, 3);
	session_run(bench->session, 3 * EPOCH);
	assert_int_equal(parting.departures, 3);
	assert_int_equal(parting.others, 0);
	bench_free(bench);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(percentiles_are_of_the_last_launches),
		cmocka_unit_test(the_oldest_that_waits_is_seen),
		cmocka_unit_test(requests_that_wait_have_their_age),
		cmocka_unit_test(a_target_is_seen_and_kept_in_its_range),
		cmocka_unit_test(who_departs_is_seen_once_more),
	};

	return cmocka_run_group_tests_name("latencies", tests, make_traces, free_traces);
}
