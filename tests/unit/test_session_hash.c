// SPDX-License-Identifier: GPL-2.0
/*
 * The session's part of the fingerprint: each thing that decides the future is in it, to
 * its last bit, and what is not in force is not.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <cmocka.h>

#include "../../kmod/session/internal.h"
#include "looking.h"

/**
 * struct place - a field of the session
 * @name: for whom it fails
 * @at: where it is
 * @bytes: how many it has
 */
struct place {
	const char *name;
	size_t at;
	size_t bytes;
};

#define PLACE(field) \
	{ #field, offsetof(struct session, field), \
	  sizeof(((struct session *)NULL)->field) }
#define OF_TENANT(field)	PLACE(tenants[1].field)
#define OF_QUEUE(field)		OF_TENANT(queue[0].field), OF_TENANT(queue[1].field)
/* In a ring: the first one may be the last in it. */
#define LAST	(SESSION_LAUNCHES_MAX - 1)
#define OF_LAUNCH(field) \
	OF_TENANT(queue[0].launch[LAST].field), \
	OF_TENANT(queue[0].launch[0].field), OF_TENANT(queue[1].launch[0].field)

static const struct place places[] = {
	PLACE(policy_params), PLACE(model_params),
	PLACE(initial.decision_cycles), PLACE(initial.counter_noise),
	PLACE(initial.config.sms_per_tpc), PLACE(initial.config.launch_cycles),
	PLACE(initial.config.memory_mb), PLACE(initial.config.boundary_cycles),
	PLACE(controls.hold), PLACE(controls.preemption),
	PLACE(controls.any_shared), PLACE(controls.sharers),
	PLACE(controls.block_limit), PLACE(controls.memory_priority),
	PLACE(controls.hold_queues), PLACE(controls.rank),
	PLACE(controls.channels), PLACE(controls.llc_ways),
	PLACE(probe.kind), PLACE(probe.slot), PLACE(probe.before),
	PLACE(epoch_cycles), PLACE(epoch_start), PLACE(epochs), PLACE(events),
	PLACE(decision_cycle), PLACE(wake_cycle), PLACE(model_wake_cycle),
	PLACE(watch_cycle), PLACE(apply_cycle),
	OF_TENANT(running), OF_TENANT(ready), OF_TENANT(launching),
	OF_TENANT(pending), OF_TENANT(slicing), OF_TENANT(more),
	OF_TENANT(started), OF_TENANT(first_run_done), OF_TENANT(decided),
	OF_TENANT(start_cycle), OF_TENANT(first_run_end),
	OF_TENANT(arrival_cycle), OF_TENANT(progress_cycle),
	OF_TENANT(class), OF_TENANT(events), OF_TENANT(np_ppm),
	OF_TENANT(np_run.cycles), OF_TENANT(np_run.sum),
	OF_TENANT(sd_scal_ppm), OF_TENANT(sd_inter_ppm), OF_TENANT(curve),
	OF_TENANT(epoch_base), OF_TENANT(seen),
	OF_TENANT(options.service), OF_TENANT(options.weight),
	OF_TENANT(options.target_ppm), OF_TENANT(options.cgroup),
	OF_TENANT(options.share_ppm), OF_TENANT(options.goal_kind),
	OF_TENANT(options.goal),
	OF_TENANT(goal.kind), OF_TENANT(goal.value), OF_TENANT(goal.seen),
	OF_TENANT(goal.issued), OF_TENANT(goal.cycles), OF_TENANT(goal.promised),
	OF_TENANT(masks), OF_TENANT(launch_masks[0]),
	OF_TENANT(arrivals.plan.kind), OF_TENANT(arrivals.plan.launches),
	OF_TENANT(arrivals.plan.requests), OF_TENANT(arrivals.plan.seed),
	OF_TENANT(arrivals.plan.rate), OF_TENANT(arrivals.plan.every_cycles),
	OF_TENANT(arrivals.begin), OF_TENANT(arrivals.next.request),
	OF_TENANT(arrivals.next.cycle), OF_TENANT(arrivals.next.position),
	OF_TENANT(arrivals.checksum), OF_TENANT(arrivals.more),
	OF_QUEUE(kernel), OF_QUEUE(priority), OF_QUEUE(events),
	OF_QUEUE(launch_cycle), OF_QUEUE(slice_blocks), OF_QUEUE(ran),
	OF_LAUNCH(sequence), OF_LAUNCH(repeats_left), OF_LAUNCH(not_before),
	OF_LAUNCH(arrival_cycle), OF_LAUNCH(wait), OF_LAUNCH(idempotent),
	OF_LAUNCH(deadline), OF_TENANT(arrivals.plan.deadline_cycles),
	OF_TENANT(queue[0].launch[LAST].done), OF_TENANT(queue[1].launch[0].done),
};

/* What a proposal says, and under which flag. */
static const struct {
	struct place place;
	u32 flag;
} said[] = {
	{ PLACE(proposal.block_order), 0 }, { PLACE(proposal.preemption), 0 },
	{ PLACE(proposal.idle_sample_cycles), 0 }, { PLACE(proposal.hold), 0 },
	{ PLACE(proposal.sms), 0 }, { PLACE(proposal.bucket), 0 },
	{ PLACE(proposal.owner), SIMGPU_SAYS_OWNERS },
	{ PLACE(proposal.sharers), SIMGPU_SAYS_OWNERS },
	{ PLACE(proposal.memory_priority), SIMGPU_SAYS_MEMORY_PRIORITY },
	{ PLACE(proposal.block_limit), SIMGPU_SAYS_BLOCK_LIMITS },
	{ PLACE(proposal.rank), SIMGPU_SAYS_RANKS },
	{ PLACE(proposal.hold_queues), SIMGPU_SAYS_HOLD_QUEUES },
	{ PLACE(proposal.sm_blocks), SIMGPU_SAYS_SM_BLOCKS },
	{ PLACE(proposal.worker_blocks), SIMGPU_SAYS_WORKERS },
	{ PLACE(proposal.channels), SIMGPU_SAYS_CHANNELS },
	{ PLACE(proposal.llc_ways), SIMGPU_SAYS_LLC_WAYS },
	{ PLACE(proposal.issue_limit), SIMGPU_SAYS_ISSUE_LIMITS },
	{ PLACE(proposal.quota), SIMGPU_SAYS_QUOTAS },
	{ PLACE(proposal.refill), SIMGPU_SAYS_QUOTAS },
	{ PLACE(proposal.quota_flags), SIMGPU_SAYS_QUOTAS },
};

/* Two queues, of two launches and of one. */
static void fill_queues(struct session_tenant *tenant)
{
	u32 i;

	tenant->queues = 2;
	tenant->launching = 3;
	tenant->slicing = 3;
	tenant->queue[0].head = LAST;
	tenant->queue[0].launches = 2;
	tenant->queue[0].launch[LAST].trace = brief;
	tenant->queue[1].launches = 1;
	for (i = 0; i < 2; i++) {
		tenant->queue[i].events = SIMGPU_ON_SLICE_END;
		tenant->queue[i].launch[0].trace = brief;
		tenant->queue[i].launch[0].mask = 1;
		tenant->queue[i].launch[0].wait[1] = 7;
	}
}

/* All is in force that may be. */
static struct bench *bench_with_all(void)
{
	struct bench *bench = bench_with(&looking, 0);
	struct session *session = bench->session;
	struct session_tenant *tenant = &session->tenants[1];

	join(bench, 1);
	fill_queues(tenant);
	tenant->arrivals.trace = brief;
	tenant->options.goal_kind = SESSION_GOAL_RATE;
	tenant->goal.kind = SESSION_GOAL_RATE;
	tenant->epoch_base.reset_blocks = 5;
	tenant->sd_scal_ppm = 6;
	tenant->sd_inter_ppm = 6;
	tenant->masks.channels = 2;
	session->initial.decision_cycles = 2;
	session->initial.counter_noise = 2;
	session->probe.kind = 2;
	session->apply_cycle = 1000;
	session->proposal.flags = SIMGPU_SAYS_KNOWN;
	session->initial.config.sms_per_tpc = 2;
	return bench;
}

static void drop(struct bench *bench)
{
	/* What is made up above was never launched. */
	memset(&bench->session->tenants[1], 0,
	       sizeof(bench->session->tenants[1]));
	bench_free(bench);
}

/* The fingerprint, if a byte of a field had other bits. */
static u64 hash_with(struct session *session, const struct place *place,
		     size_t byte, u8 bits)
{
	u8 *at = (u8 *)session + place->at + byte;
	u64 hash;

	*at ^= bits;
	hash = session_state_hash(session);
	*at ^= bits;
	return hash;
}

static void expect_in(struct session *session, const struct place *place)
{
	u64 hash = session_state_hash(session);

	if (hash_with(session, place, 0, 1) == hash)
		fail_msg("%s is not in it", place->name);
	if (place->bytes > 1 &&
	    hash_with(session, place, place->bytes - 1, 0x80) == hash)
		fail_msg("the last bit of %s is not in it", place->name);
	assert_true(session_state_hash(session) == hash);
}

static void expect_not_in(struct session *session, const struct place *place)
{
	if (hash_with(session, place, 0, 1) != session_state_hash(session))
		fail_msg("%s is in it", place->name);
}

static void all_that_decides_is_in_it(void **state)
{
	struct bench *bench = bench_with_all();
	struct session *session = bench->session;
	u32 i;

	for (i = 0; i < ARRAY_SIZE(places); i++)
		expect_in(session, &places[i]);
	for (i = 0; i < ARRAY_SIZE(said); i++)
		expect_in(session, &said[i].place);
	drop(bench);
}

static void what_a_proposal_does_not_say_is_not(void **state)
{
	struct bench *bench = bench_with_all();
	struct session *session = bench->session;
	u32 i;

	for (i = 0; i < ARRAY_SIZE(said); i++) {
		session->proposal.flags = SIMGPU_SAYS_KNOWN & ~said[i].flag;
		if (said[i].flag)
			expect_not_in(session, &said[i].place);
		else
			expect_in(session, &said[i].place);
	}
	/* One that has taken effect says nothing any more. */
	session->proposal.flags = SIMGPU_SAYS_KNOWN;
	session->apply_cycle = NEVER;
	for (i = 0; i < ARRAY_SIZE(said); i++)
		expect_not_in(session, &said[i].place);
	drop(bench);
}

/* Nor is what nothing looks at: cycles of launches that are not being launched, ... */
static void what_is_not_in_force_is_not(void **state)
{
	static const struct place cold[] = {
		OF_TENANT(queue[0].launch_cycle), OF_TENANT(queue[1].launch_cycle),
		OF_TENANT(queue[0].slice_blocks), OF_TENANT(queue[1].slice_blocks),
		OF_TENANT(goal.value), OF_TENANT(goal.seen), OF_TENANT(goal.issued),
		OF_TENANT(goal.cycles), OF_TENANT(goal.promised),
		OF_TENANT(options.goal), OF_TENANT(launch_masks[0]),
		OF_TENANT(launch_masks[1]), OF_TENANT(seen), OF_TENANT(decided),
		OF_TENANT(arrivals.begin), OF_TENANT(queue[0].launch[1].sequence),
		OF_TENANT(queue[1].launch[1].sequence),
		PLACE(probe.slot), PLACE(probe.before), PLACE(past_at),
		/* And what others only read of it. */
		OF_TENANT(waiting), OF_TENANT(latency), PLACE(journal_count),
	};
	struct bench *bench = bench_with_all();
	struct session *session = bench->session;
	struct session_tenant *tenant = &session->tenants[1];
	u32 i;

	tenant->launching = 0;
	tenant->slicing = 0;
	tenant->arrivals.trace = NULL;
	tenant->options.goal_kind = 0;
	tenant->goal.kind = 0;
	tenant->queue[0].launch[0].mask = 0;
	tenant->queue[1].launch[0].mask = 0;
	session->initial.decision_cycles = 0;
	session->initial.counter_noise = 0;
	session->probe.kind = 0;
	for (i = 0; i < ARRAY_SIZE(cold); i++)
		expect_not_in(session, &cold[i]);
	/* A tenant that is gone has none. */
	tenant->left = true;
	expect_not_in(session, &(struct place) OF_TENANT(np_ppm));
	drop(bench);
}

/* With old counters, those of all epochs until then. */
static void the_past_is_in_it(void **state)
{
	struct bench *bench = bench_prepared(&looking, 0);
	struct session *session;
	u64 hash;
	u32 i;

	bench->options.counter_delay = 3;
	bench_start(bench);
	session = bench->session;
	join(bench, 1);
	hash = session_state_hash(session);
	for (i = 0; i < 3; i++) {
		session->past[i].cycles++;
		assert_true(session_state_hash(session) != hash);
		session->past[i].cycles--;
		session->past[i].total[SESSION_SLOTS_MAX - 1].idle_warps++;
		assert_true(session_state_hash(session) != hash);
		session->past[i].total[SESSION_SLOTS_MAX - 1].idle_warps--;
	}
	expect_in(session, &(struct place) PLACE(past_at));
	expect_in(session, &(struct place) OF_TENANT(seen));
	session->initial.counter_delay = 2;
	assert_true(session_state_hash(session) != hash);
	bench_free(bench);
}

/* Another number in each field, that no flag of it goes to waste. */
static void number_all(struct session *session)
{
	u32 i;

	for (i = 0; i < ARRAY_SIZE(places) + ARRAY_SIZE(said); i++) {
		const struct place *place = i < ARRAY_SIZE(places) ?
			&places[i] : &said[i - ARRAY_SIZE(places)].place;
		u8 *at = (u8 *)session + place->at;

		at[0] ^= place->bytes > 1 ? (i + 1) | 1 : 1;
		if (place->bytes > 1)
			at[place->bytes - 1] ^= 0x80 | i;
	}
}

/*
 * A journal ends with the fingerprint: in another order, or with other distances, those
 * of before would be bad, and nobody else would notice.
 */
static void the_fingerprint_is_a_format(void **state)
{
	struct bench *bench = bench_with_all();
	struct session *before = malloc(sizeof(*before));
	u64 hash;

	*before = *bench->session;
	number_all(bench->session);
	hash = session_state_hash(bench->session);
	*bench->session = *before;
	free(before);
	assert_int_equal(hash, 0x74c7c6bc79908cffULL);
	drop(bench);
}

/* What only some have changes nothing for the others: their journals stay good. */
static void fingerprints_of_before_stay(void **state)
{
	struct bench *bench = bench_with(&looking, 0);
	struct session *session = bench->session;
	u64 hash;

	join(bench, 1);
	hash = session_state_hash(session);
	/* The usual boundary, TPC, launch, memory. */
	assert_int_equal(session->initial.config.sms_per_tpc, 1);
	assert_int_equal(session->initial.config.boundary_cycles,
			 GPU_BOUNDARY_CYCLES);
	expect_not_in(session, &(struct place) OF_TENANT(queue[1].ran));
	expect_not_in(session, &(struct place) OF_TENANT(queue[0].ran));
	expect_not_in(session, &(struct place) OF_TENANT(pending));
	session->tenants[1].epoch_base.sm_handover_cycles = 1;
	assert_true(session_state_hash(session) == hash);
	session->tenants[1].epoch_base.sm_handovers = 1;
	assert_true(session_state_hash(session) != hash);
	bench_free(bench);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(all_that_decides_is_in_it),
		cmocka_unit_test(what_a_proposal_does_not_say_is_not),
		cmocka_unit_test(what_is_not_in_force_is_not),
		cmocka_unit_test(the_past_is_in_it),
		cmocka_unit_test(the_fingerprint_is_a_format),
		cmocka_unit_test(fingerprints_of_before_stay),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests_name("session_hash", tests, make_traces,
					   free_traces);
}
