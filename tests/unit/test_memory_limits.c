// SPDX-License-Identifier: GPL-2.0
/*
 * Limits of managed memory that the session's owner sets, for tenants and for groups of them:
 * who gives up chunks, what that is worth to a tenant beside a stream, and that a journal
 * repeats it. test_memory_policies.c has the limits of policies.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <cmocka.h>

#include "../../kmod/session/pager_limits.h"
#include "journal_of.h"
#include "paged.h"

#define SLOT(slot)	(1ULL << (slot))

static struct trace *steady, *passing;

static int make_readers(void **state)
{
	steady = trace_steps(2, BLOCK_BYTES, false, 3000);
	passing = trace_steps(16, BLOCK_BYTES, false, 2);
	return make_traces(state);
}

static int free_readers(void **state)
{
	trace_free(steady);
	trace_free(passing);
	return free_traces(state);
}

/* --- who gives ------------------------------------------------------------------------------- */

static void expect_givers(const struct pager *pager, u32 slot, u64 givers)
{
	assert_int_equal(pager_givers(pager, slot), givers);
}

/* What a tenant says and what its SM policy says: the larger protection, the lower most. */
static void limits_of_tenants_count_beside_policies(void **state)
{
	static struct session session;
	static struct pager pager = { .session = &session };
	struct session_memory_limits *one = &session.tenants[1].options.memory;

	pager.used[1] = 5;
	pager.used[2] = 3;
	one->min = 4 * BLOCK_BYTES + 1;
	expect_givers(&pager, 0, SLOT(2));
	/* It takes from others, too, rather than from what it has below its min. */
	expect_givers(&pager, 1, SLOT(2));
	session.controls.memory_min[1] = BLOCK_BYTES;
	expect_givers(&pager, 0, SLOT(2));
	one->min = 0;
	expect_givers(&pager, 0, SLOT(1) | SLOT(2));
	one->low = 5 * BLOCK_BYTES;
	expect_givers(&pager, 0, SLOT(2));
	session.controls.memory_low[2] = 3 * BLOCK_BYTES;
	expect_givers(&pager, 0, SLOT(1) | SLOT(2));
	one->max = 5 * BLOCK_BYTES;
	session.controls.memory_max[1] = 6 * BLOCK_BYTES;
	assert_true(pager_at_most(&pager, 1));
	expect_givers(&pager, 1, SLOT(1));
	one->max = 7 * BLOCK_BYTES;
	assert_false(pager_at_most(&pager, 1));
	session.controls.memory_max[1] = 0;
	one->max = 1;
	assert_true(pager_at_most(&pager, 1));
	one->max = 0;
	assert_false(pager_at_most(&pager, 1));
}

static void limits_of_groups_are_of_what_all_have(void **state)
{
	static struct session session;
	static struct pager pager = { .session = &session };
	struct session_memory_group *outer = &session.memory_groups[3];
	struct session_memory_group *inner = &session.memory_groups[7];

	pager.used[1] = 2;
	pager.used[2] = 3;
	pager.used[3] = 4;
	outer->slots = SLOT(0) | SLOT(1) | SLOT(2);
	inner->slots = SLOT(0) | SLOT(1);
	/* Five chunks: others take none, and members take from others. */
	outer->limits.min = 5 * BLOCK_BYTES;
	expect_givers(&pager, 3, SLOT(3));
	expect_givers(&pager, 4, SLOT(3));
	expect_givers(&pager, 0, SLOT(3));
	pager.used[3] = 0;
	expect_givers(&pager, 0, SLOT(1) | SLOT(2));
	pager.used[3] = 4;
	outer->limits.min = 4 * BLOCK_BYTES;
	expect_givers(&pager, 3, SLOT(1) | SLOT(2) | SLOT(3));
	/* Below its low a group takes from outside, as long as anybody there is above. */
	outer->limits.low = 5 * BLOCK_BYTES;
	expect_givers(&pager, 0, SLOT(3));
	expect_givers(&pager, 2, SLOT(3));
	session.tenants[3].options.memory.low = 4 * BLOCK_BYTES;
	expect_givers(&pager, 0, SLOT(1) | SLOT(2) | SLOT(3));
	outer->limits.low = 0;
	session.tenants[3].options.memory.low = 0;
	/* At its max a member takes from the members, of the innermost group that is full. */
	outer->limits.max = 5 * BLOCK_BYTES;
	assert_true(pager_at_most(&pager, 0));
	assert_false(pager_at_most(&pager, 3));
	expect_givers(&pager, 0, SLOT(1) | SLOT(2));
	inner->limits.max = 2 * BLOCK_BYTES;
	expect_givers(&pager, 0, SLOT(1));
	expect_givers(&pager, 2, SLOT(1) | SLOT(2));
	/* A min in there does not keep the only one who can give. */
	session.tenants[1].options.memory.min = 2 * BLOCK_BYTES;
	expect_givers(&pager, 0, SLOT(1));
	expect_givers(&pager, 2, SLOT(2));
	inner->limits.max = 3 * BLOCK_BYTES;
	expect_givers(&pager, 0, SLOT(2));
	outer->limits.max = 6 * BLOCK_BYTES;
	assert_false(pager_at_most(&pager, 0));
}

/* --- beside a stream ------------------------------------------------------------------------- */

struct outcome {
	u64 lost;
	u64 stream_lost;
	u32 stream_most;
};

/*
 * A tenant of two blocks beside one that goes through 16, in 8 chunks; with limits of each, and
 * those of both, or of the stream alone, as a group.
 */
static struct outcome beside_a_stream(const struct session_memory_limits *its,
				      const struct session_memory_limits *streams,
				      const struct session_memory_group *group)
{
	struct bench *bench = paged(16, 64, &memory_policy_uvm);
	struct session_tenant_options options = {
		.name = "t", .weight = 1, .memory = *its,
	};
	struct outcome outcome = { 0 };

	manage(bench, 2 * BLOCK_BYTES);
	assert_int_equal(session_set_tenant(bench->session, 0, &options), 0);
	join(bench, 1);
	options.memory = *streams;
	assert_int_equal(session_set_tenant(bench->session, 1, &options), 0);
	assert_int_equal(session_manage(bench->session, 1, 16 * BLOCK_BYTES), 0);
	if (group)
		assert_int_equal(session_set_memory_group(bench->session, 0, group), 0);
	launch_one(bench, 0, steady);
	launch_one(bench, 1, passing);
	while (session_run(bench->session, 5000) == SESSION_RUNNING)
		outcome.stream_most = max(outcome.stream_most,
					  bench->session->pager->used[1]);
	outcome.lost = counted(bench, 0).chunks_evicted;
	outcome.stream_lost = counted(bench, 1).chunks_evicted;
	bench_free(bench);
	return outcome;
}

static void limits_keep_a_tenant_from_a_stream(void **state)
{
	const struct session_memory_limits none = { 0 };
	struct session_memory_limits limits = none;
	struct session_memory_group group = { .slots = SLOT(1) };
	struct outcome outcome = beside_a_stream(&none, &none, NULL);

	assert_true(outcome.lost > 0);
	assert_true(outcome.stream_most > 6);
	limits.min = 2 * BLOCK_BYTES;
	outcome = beside_a_stream(&limits, &none, NULL);
	assert_int_equal(outcome.lost, 0);
	limits = (struct session_memory_limits) { .low = 2 * BLOCK_BYTES };
	assert_int_equal(beside_a_stream(&limits, &none, NULL).lost, 0);
	/* With a low for all that it has the stream is spared alike. */
	assert_true(beside_a_stream(&limits, &(struct session_memory_limits) {
					.low = 16 * BLOCK_BYTES }, NULL).lost > 0);
	limits = (struct session_memory_limits) { .max = 3 * BLOCK_BYTES + 5 };
	outcome = beside_a_stream(&none, &limits, NULL);
	assert_int_equal(outcome.lost, 0);
	assert_int_equal(outcome.stream_most, 3);
	/* It comes by 16 blocks twice, and keeps three. */
	assert_int_equal(outcome.stream_lost, 29);
	group.limits = limits;
	outcome = beside_a_stream(&none, &none, &group);
	assert_int_equal(outcome.lost, 0);
	assert_int_equal(outcome.stream_most, 3);
	assert_int_equal(outcome.stream_lost, 29);
	/* Four for both: the steady one loses chunks again. */
	group.slots = SLOT(0) | SLOT(1);
	group.limits.max = 4 * BLOCK_BYTES;
	outcome = beside_a_stream(&none, &none, &group);
	assert_true(outcome.lost > 0);
	assert_true(outcome.stream_most <= 4);
}

/* A max that is lowered under what a tenant has: its next fault takes the rest away. */
static void a_lower_max_takes_memory_away(void **state)
{
	struct bench *bench = paged(16, 64, &memory_policy_uvm);
	struct session_tenant_options options = { .name = "t", .weight = 1 };

	manage(bench, 16 * BLOCK_BYTES);
	launch_one(bench, 0, passing);
	while (bench->session->pager->used[0] < 8)
		session_run(bench->session, 5000);
	options.memory.max = 2 * BLOCK_BYTES;
	assert_int_equal(session_set_tenant(bench->session, 0, &options), 0);
	session_run(bench->session, 500000);
	assert_int_equal(bench->session->pager->used[0], 2);
	run_to_end(bench);
	assert_int_equal(bench->session->pager->used[0], 2);
	bench_free(bench);
}

/* --- the session ----------------------------------------------------------------------------- */

static void bad_limits_are_refused(void **state)
{
	struct bench *bench = paged(16, 64, &memory_policy_uvm);
	struct session_tenant_options options = { .name = "t", .weight = 1 };
	struct session_memory_group group = { .slots = SLOT(0) };
	u64 hash;

	manage(bench, BLOCK_BYTES);
	hash = session_state_hash(bench->session);
	options.memory = (struct session_memory_limits) { .min = 2, .max = 1 };
	assert_int_equal(session_set_tenant(bench->session, 0, &options), -EINVAL);
	assert_int_equal(session_join(bench->session, 1, &options), -EINVAL);
	group.limits = options.memory;
	assert_int_equal(session_set_memory_group(bench->session, 0, &group), -EINVAL);
	group.limits.min = 1;
	assert_int_equal(session_set_memory_group(bench->session, SESSION_MEMORY_GROUPS_MAX,
						  &group), -EINVAL);
	group.slots |= SLOT(1);
	assert_int_equal(session_set_memory_group(bench->session, 0, &group), -EINVAL);
	assert_true(session_state_hash(bench->session) == hash);
	group.slots = SLOT(0);
	assert_int_equal(session_set_memory_group(bench->session, 31, &group), 0);
	assert_true(session_state_hash(bench->session) != hash);
	/* Nobody is in it any more, and the next tenant of the slot is not. */
	session_leave(bench->session, 0);
	assert_int_equal(bench->session->memory_groups[31].slots, 0);
	join(bench, 0);
	assert_int_equal(bench->session->memory_groups[31].slots, 0);
	assert_int_equal(bench->session->tenants[0].options.memory.max, 0);
	bench_free(bench);
}

/* Limits that come and go under way, also between two decisions */
static void live(struct bench *bench)
{
	struct session_tenant_options options = {
		.name = "t", .weight = 1, .memory.max = 3 * BLOCK_BYTES,
	};
	struct session_memory_group group = {
		.slots = SLOT(0) | SLOT(1), .limits = { .max = 5 * BLOCK_BYTES },
	};

	join(bench, 0);
	join(bench, 1);
	launch_managed(bench, 0, steady);
	launch_managed(bench, 1, passing);
	session_run(bench->session, 700001);
	assert_int_equal(session_set_tenant(bench->session, 1, &options), 0);
	session_run(bench->session, 300007);
	options.memory = (struct session_memory_limits) { .low = 4 * BLOCK_BYTES };
	assert_int_equal(session_set_tenant(bench->session, 1, &options), 0);
	session_run(bench->session, 200003);
	options.memory = (struct session_memory_limits) { .min = BLOCK_BYTES };
	assert_int_equal(session_set_tenant(bench->session, 0, &options), 0);
	assert_int_equal(session_set_memory_group(bench->session, 1, &group), 0);
	session_run(bench->session, 400003);
	session_leave(bench->session, 0);
	session_run(bench->session, 400003);
}

static struct bench *bench_to_live(void)
{
	struct bench *bench = paged(16, 64, &memory_policy_uvm);

	bench_start(bench);
	return bench;
}

static void journals_repeat_limits(void **state)
{
	const struct trace *const traces[] = { steady, passing };
	struct bench *bench = bench_to_live(), *replayed = bench_to_live();

	live(bench);
	replay_journal(bench->session, replayed->session, traces, ARRAY_SIZE(traces));
	assert_true(session_state_hash(replayed->session) ==
		    session_state_hash(bench->session));
	expect_same(bench, replayed);
	assert_int_equal(replayed->session->memory_groups[1].slots, SLOT(1));
	bench_free(replayed);
	bench_free(bench);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(limits_of_tenants_count_beside_policies),
		cmocka_unit_test(limits_of_groups_are_of_what_all_have),
		cmocka_unit_test(limits_keep_a_tenant_from_a_stream),
		cmocka_unit_test(a_lower_max_takes_memory_away),
		cmocka_unit_test(bad_limits_are_refused),
		cmocka_unit_test(journals_repeat_limits),
	};

	return cmocka_run_group_tests_name("memory limits", tests, make_readers, free_readers);
}
