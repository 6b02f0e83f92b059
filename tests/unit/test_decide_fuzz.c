// SPDX-License-Identifier: GPL-2.0
/*
 * Decisions of all sorts in any order: whatever policies say and tenants do, a
 * proposal is done in full or refused in full, no thread block is lost or runs
 * twice, everybody gets on, and the same again gives the same bits.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <cmocka.h>

#include "bench.h"
#include "mask_checker.h"

/* Of each; SIMGPU_FUZZ asks for another number of proposals and events. */
#define ROUNDS		1000
#define TENANTS		4

static u64 seed;

static u32 rounds(void)
{
	const char *text = getenv("SIMGPU_FUZZ");

	return text ? (u32)strtoul(text, NULL, 10) : ROUNDS;
}

static u64 random_u64(void)
{
	seed ^= seed << 13;
	seed ^= seed >> 7;
	seed ^= seed << 17;
	return seed;
}

static u32 below(u32 bound)
{
	return (u32)(random_u64() % bound);
}

/* --- proposals of all sorts --- */

static struct {
	struct simgpu_proposal said;
	u32 calls;
} fuzz;

/* Mostly at least one for each, and no more than there are. */
static void random_counts(const struct simgpu_snapshot *snapshot,
			  struct simgpu_proposal *p)
{
	u32 slot, left = snapshot->sms - snapshot->tenants_active +
			 !below(40);

	for (slot = 0; slot < SIMGPU_SLOTS_MAX; slot++) {
		u32 more = below(left + 1);

		p->sms[slot] = 0;
		if (!snapshot->tenants[slot].active)
			continue;
		p->sms[slot] = more + !!below(60);
		left -= more;
	}
	if (!below(100))
		p->sms[below(SIMGPU_SLOTS_MAX)]++;
}

/* A place for each on the first SMs, anything on the others. */
static void random_owners(const struct simgpu_snapshot *snapshot,
			  struct simgpu_proposal *p)
{
	u32 sm;

	p->flags |= SIMGPU_SAYS_OWNERS;
	for (sm = 0; sm < snapshot->sms; sm++) {
		u32 slot = sm < TENANTS ? sm : below(TENANTS);
		bool active = snapshot->tenants[slot].active;

		p->owner[sm] = active ? (u8)slot : SIMGPU_NO_OWNER;
		p->sharers[sm] = 1ULL << slot | below(1 << TENANTS);
		if (below(2))
			p->owner[sm] = SIMGPU_SHARED;
		if (!below(300))
			p->owner[sm] = (u8)random_u64();
		if (!below(300))
			p->sharers[sm] = 0;
	}
}

static void random_quotas(struct simgpu_proposal *p)
{
	u32 slot;

	p->flags |= SIMGPU_SAYS_QUOTAS;
	for (slot = 0; slot < SIMGPU_SLOTS_MAX; slot++) {
		p->quota[slot] = SIMGPU_NO_QUOTA;
		if (slot >= TENANTS)
			continue;
		if (below(3))
			p->quota[slot] = (s64)(random_u64() >> (20 + below(40)));
		p->refill[slot] = (s64)(random_u64() >> (30 + below(34)));
		p->quota_flags[slot] = below(16);
		if (!below(1000))
			p->quota[slot] = (s64)random_u64();
	}
}

static void random_limits(struct simgpu_proposal *p)
{
	u32 sm, slot;

	p->flags |= SIMGPU_SAYS_BLOCK_LIMITS;
	memset(p->block_limit, SIMGPU_ANY_BLOCKS, sizeof(p->block_limit));
	for (sm = 0; sm < 8; sm++)
		for (slot = 0; slot < TENANTS; slot++)
			p->block_limit[sm][slot] =
				(u8)(below(500) ? 1 + below(8) : below(2) * 255);
}

/* Mostly some of four channels and of 16 ways, now and then none or too many. */
static void random_masks(struct simgpu_proposal *p)
{
	u32 slot;

	p->flags |= SIMGPU_SAYS_CHANNELS | SIMGPU_SAYS_LLC_WAYS;
	for (slot = 0; slot < TENANTS; slot++) {
		p->channels[slot] = 1 + below(15 + !below(300));
		p->llc_ways[slot] = 1 + below(0xffff);
		if (!below(500))
			p->llc_ways[slot] = 0;
	}
}

/* Of some queues; those that are to begin few blocks wait for the next word. */
static void random_issue_limits(const struct simgpu_snapshot *snapshot,
				struct simgpu_proposal *p)
{
	u32 slot, queue;

	p->flags |= SIMGPU_SAYS_ISSUE_LIMITS;
	for (slot = 0; slot < TENANTS; slot++)
		for (queue = 0; queue < 4; queue++)
			if (snapshot->tenants[slot].active && below(2))
				p->issue_limit[slot][queue] =
					below(3) * below(40);
	if (!below(200))
		p->issue_limit[TENANTS + below(9)][below(8)] = 1;
}

static void random_rest(const struct simgpu_snapshot *snapshot,
			struct simgpu_proposal *p)
{
	u32 slot;

	if (!below(3)) {
		p->flags |= SIMGPU_SAYS_HOLD;
		p->hold = random_u64() & random_u64();
	}
	if (!below(4)) {
		p->flags |= SIMGPU_SAYS_MEMORY_PRIORITY;
		for (slot = 0; slot < TENANTS; slot++)
			p->memory_priority[slot] = (u8)below(4 + !below(200));
	}
	if (!below(4)) {
		p->flags |= SIMGPU_SAYS_BLOCK_ORDER;
		p->block_order = below(4 + !below(100));
		for (slot = 0; slot < SIMGPU_SLOTS_MAX; slot++)
			p->bucket[slot] = 1 + below(5);
	}
	if (!below(6)) {
		p->flags |= SIMGPU_SAYS_SM_BLOCKS;
		p->sm_blocks = below(5 + 100 * !below(100));
	}
	if (!below(8)) {
		p->flags |= SIMGPU_SAYS_WORKERS;
		p->worker_blocks = below(6 + 2000 * !below(100));
	}
	if (!below(4)) {
		p->flags |= SIMGPU_SAYS_RANKS | SIMGPU_SAYS_HOLD_QUEUES;
		for (slot = 0; slot < TENANTS; slot++) {
			p->rank[slot] = below(3);
			p->hold_queues[slot] = random_u64() & random_u64();
		}
	}
	if (!below(6)) {
		p->flags |= SIMGPU_SAYS_HOLD_COPIES | SIMGPU_SAYS_COPY_PRIORITY;
		for (slot = 0; slot < TENANTS; slot++) {
			p->hold_copies[slot] = random_u64() & random_u64();
			p->copy_priority[slot] = (u8)below(4 + !below(200));
		}
	}
	if (!below(4)) {
		p->flags |= SIMGPU_SAYS_PREEMPTION;
		p->preemption = below(12) ? below(3 + !below(100)) :
					    SIMGPU_LEAVE_RESET;
	}
	if (!below(4)) {
		p->flags |= SIMGPU_SAYS_IDLE_SAMPLES;
		p->idle_sample_cycles = below(3) * (10 - !below(50) + below(200));
	}
	if (!below(5))
		random_issue_limits(snapshot, p);
	if (!below(3))
		p->wake_cycle = snapshot->cycle + 1000 - !below(50) +
				below(3000);
	if (!below(400))
		p->flags |= (u32)random_u64();
}

static int say_anything(const struct simgpu_snapshot *snapshot, void *state,
			struct simgpu_proposal *p)
{
	u64 *calls = state;

	fuzz.calls++;
	/* The same again from the same state: no other input. */
	seed = 88172645463325252ULL + ++*calls * 7919 + snapshot->cycle;
	random_u64();
	if (!below(500))
		return -EIO;
	if (below(2))
		random_counts(snapshot, p);
	else
		random_owners(snapshot, p);
	if (!below(3))
		random_quotas(p);
	if (!below(3))
		random_limits(p);
	if (!below(4))
		random_masks(p);
	random_rest(snapshot, p);
	fuzz.said = *p;
	return 0;
}

static const struct simgpu_policy anything = {
	.name = "anything",
	.events = SIMGPU_ON_KNOWN,
	.needs = SIMGPU_NEEDS_SHARED_ROWS,
	.state_bytes = sizeof(u64),
	.decide = say_anything,
};

static u32 next_owner(struct bench *bench, u32 sm)
{
	struct gpu_sm_status status;

	gpu_sm_status(session_gpu(bench->session), sm, &status);
	return status.next_owner;
}

/* What it said of SMs is so. */
static void expect_done(struct bench *bench, const struct simgpu_proposal *p)
{
	struct gpu_sm_tenant registers;
	u32 count[SIMGPU_SLOTS_MAX] = { 0 }, sm, slot;

	for (sm = 0; sm < 8; sm++) {
		u32 owner = next_owner(bench, sm);

		if (owner < SIMGPU_SLOTS_MAX)
			count[owner]++;
		if (!(p->flags & SIMGPU_SAYS_OWNERS)) {
			assert_int_not_equal(owner, GPU_SHARED);
			continue;
		}
		assert_int_equal(owner, p->owner[sm]);
		for (slot = 0; owner == GPU_SHARED && slot < TENANTS; slot++) {
			gpu_sm_tenant(session_gpu(bench->session), sm, slot,
				      &registers);
			if (!(p->sharers[sm] >> slot & 1))
				assert_int_equal(registers.block_limit, 0);
		}
	}
	for (slot = 0; slot < TENANTS; slot++) {
		if (!(p->flags & SIMGPU_SAYS_OWNERS))
			assert_int_equal(count[slot], p->sms[slot]);
		/* What the policy found, where it said nothing. */
		assert_int_equal(gpu_channels(session_gpu(bench->session), slot),
				 p->channels[slot]);
		assert_int_equal(gpu_llc_ways(session_gpu(bench->session), slot),
				 p->llc_ways[slot]);
	}
}

/* Nothing of it is. */
static void expect_fallen_back(struct bench *bench)
{
	struct gpu_sm_tenant registers;
	u32 sm, slot;

	for (sm = 0; sm < 8; sm++) {
		assert_true(next_owner(bench, sm) < TENANTS);
		for (slot = 0; slot < TENANTS; slot++) {
			gpu_sm_tenant(session_gpu(bench->session), sm, slot,
				      &registers);
			assert_int_equal(registers.block_limit, GPU_NO_LIMIT);
			assert_int_equal(registers.quota_left, GPU_NO_QUOTA);
		}
	}
	for (slot = 0; slot < TENANTS; slot++) {
		assert_int_equal(report_of(bench, slot).sms, 2);
		assert_int_equal(gpu_channels(session_gpu(bench->session), slot),
				 0xf);
		assert_int_equal(gpu_llc_ways(session_gpu(bench->session), slot),
				 0xffff);
	}
}

/* Let it speak again and again: at epochs, wakes and its policies' beginnings. */
static void proposals_are_done_or_refused_in_full(void **state)
{
	u32 done = 0, refused = 0, round;
	struct mask_checker checker;

	for (round = 0; done + refused < rounds(); round++) {
		struct bench *bench = malloc(sizeof(*bench));
		const struct session_refusal *why;
		u32 slot;

		bench_options(bench, 0);
		bench->options.policy = &anything;
		bench->options.epoch_cycles = SESSION_EPOCH_CYCLES_MIN;
		bench->options.seed = round;
		bench->hooks.epoch = NULL;
		session_default_params(&bench->options);
		bench_start(bench);
		mask_checker_follow(&checker,
				    (struct gpu *)session_gpu(bench->session));
		why = session_last_refusal(bench->session);
		for (slot = 0; slot < TENANTS; slot++) {
			join(bench, slot);
			launch(bench, slot, slot % 2 ? computing : random_reads,
			       1, 0);
		}
		/* Another beginning each round. */
		session_run(bench->session, 1 + round % 900);
		while (why->kind == SESSION_REFUSED_NOTHING &&
		       done + refused < rounds()) {
			u32 calls = fuzz.calls;

			session_run(bench->session, 1 + round % 37);
			if (fuzz.calls == calls ||
			    why->kind != SESSION_REFUSED_NOTHING)
				continue;
			/* Until an answer at an epoch's end takes effect. */
			session_run(bench->session, 181 * TENANTS);
			if (why->kind == SESSION_REFUSED_NOTHING &&
			    fuzz.calls == calls + 1)
				expect_done(bench, &fuzz.said);
			done += fuzz.calls - calls;
		}
		if (why->kind != SESSION_REFUSED_NOTHING) {
			assert_true(*why->reason);
			expect_fallen_back(bench);
			refused++;
		}
		bench_free(bench);
	}
	print_message("# %u proposals done, %u refused\n", done, refused);
	assert_true(done > rounds() / 2);
	assert_true(refused > rounds() / 100);
}

/* --- orders of events --- */

static const struct simgpu_policy *const policies[] = {
	&anything, &policy_even, &policy_hsm_fair, &policy_hsm_qos,
	&policy_bw_app, &policy_proportional, &policy_cumask, &policy_mps_share,
	&policy_slices, &policy_flep, &policy_stm_merged, &policy_mig,
	&policy_reef, &policy_orion, &policy_tally,
	&policy_krisp, &policy_lithos,
};

static struct trace *with_copies;

/* Copies each way beside a kernel, and a set behind it. */
static int make_all_traces(void **state)
{
	struct builder *b = builder_new("with-copies", "test");

	builder_kernel(b, "brief", 64, 64, 16, 0);
	builder_compute(b, 20, 32);
	builder_allocation(b, "all", 0, 1 << 20, SIMGPU_TRACE_DEVICE);
	builder_command(b, SIMGPU_TRACE_COMMAND_COPY_IN, 0, 0, 2, 100000);
	builder_command(b, SIMGPU_TRACE_COMMAND_KERNEL, 0, 0, 1, 0);
	builder_command(b, SIMGPU_TRACE_COMMAND_COPY_OUT, 1, 0, 1, 70000);
	builder_command(b, SIMGPU_TRACE_COMMAND_SET, 0, 0, 1, 200000);
	with_copies = trace_of(b, 1 << 20);
	return make_traces(state);
}

static int free_all_traces(void **state)
{
	trace_free(with_copies);
	return free_traces(state);
}

/* In one of three queues, mostly; some wait for others, and some cannot be. */
static void launch_somewhere(struct bench *bench, u32 slot)
{
	struct session_launch_options options = {
		.trace = below(5) ? below(2) ? brief : copying : with_copies,
		.repeats = 1 + below(3),
		.not_before = below(3) ? 0 :
			      session_now(bench->session) + below(5000),
		.queue = below(3) + 6 * !below(40),
		.idempotent = below(4),
		.wait = { below(4) ? 0 : below(12), below(4) ? 0 : below(12) },
		.sms = { below(3) ? 0 : below(256) + !below(50) * 256 },
	};
	u64 sequence;

	session_launch_with(bench->session, slot, &options, &sequence);
}

/* Some of eight SMs, four channels and 16 ways, of each kind perhaps none. */
static void keep_to_something(struct bench *bench, u32 slot)
{
	const struct session_masks masks = {
		.sms = { below(256 + !below(50)) },
		.channels = below(16),
		.llc_ways = below(0x10000),
	};

	session_set_masks(bench->session, slot, &masks);
}

static void change_something(struct bench *bench, bool *present)
{
	u32 slot = below(TENANTS);

	switch (below(10)) {
	case 9:
		keep_to_something(bench, slot);
		break;
	case 0:
		session_set_policy(bench->session,
				   policies[below(ARRAY_SIZE(policies))]);
		break;
	case 1:
		session_set_epoch_cycles(bench->session, 10000 + below(20000));
		break;
	case 2:
		if (present[slot])
			session_leave(bench->session, slot);
		present[slot] = false;
		break;
	case 3:
		session_set_queue(bench->session, slot, below(3),
				  (s32)below(7) - 3);
		break;
	default:
		if (!present[slot])
			join(bench, slot);
		present[slot] = true;
		launch_somewhere(bench, slot);
	}
}

/* All that is launched comes to its end, and each kernel has all its blocks. */
static void finish_everything(struct bench *bench, const bool *present)
{
	u32 slot;

	session_set_policy(bench->session, &policy_even);
	assert_int_equal(session_run(bench->session, 100000000), SESSION_IDLE);
	for (slot = 0; slot < TENANTS; slot++) {
		struct session_tenant_report report = report_of(bench, slot);

		if (!present[slot])
			continue;
		/* All traces have one kernel of 64 blocks. */
		assert_int_equal(report.counters.blocks_finished,
				 64 * report.counters.kernels_finished);
		assert_false(report.active);
		assert_int_equal(report.sms, 0);
	}
}

static u64 live(u64 start, u32 events, u64 step)
{
	struct bench *bench = malloc(sizeof(*bench));
	bool present[TENANTS] = { false };
	struct mask_checker checker;
	u64 mine = start, hash;
	u32 i;

	bench_options(bench, 0);
	bench->hooks.epoch = NULL;
	bench->hooks.launch_done = NULL;
	bench->options.policy = &anything;
	bench->options.hold_cycles = 20000;
	bench->options.kernel_end = (enum session_kernel_end)(start % 3);
	bench->options.decision_cycles = start % 5 * 900;
	bench->options.counter_noise = start % 7 * 10;
	bench->options.counter_delay = start % 3;
	session_default_params(&bench->options);
	bench_start(bench);
	mask_checker_follow(&checker, (struct gpu *)session_gpu(bench->session));
	for (i = 0; i < events; i++) {
		/* The policy draws numbers, too: each keeps its own. */
		seed = mine;
		change_something(bench, present);
		mine = random_u64();
		run_in_steps(bench, session_now(bench->session) + mine % 3000,
			     step);
	}
	hash = session_state_hash(bench->session);
	finish_everything(bench, present);
	bench_free(bench);
	return hash;
}

static void orders_of_events_lose_nothing(void **state)
{
	u64 round;

	for (round = 0; round < rounds() / 100; round++)
		live(0x9e3779b97f4a7c15ULL * (round + 1), 100, ALL_AT_ONCE);
}

static void steps_do_not_matter(void **state)
{
	u64 round;

	for (round = 1; round < 9; round++)
		assert_int_equal(live(round * 77777, 60, ALL_AT_ONCE),
				 live(round * 77777, 60, 1 + round * 37));
}

/* --- changes under load --- */

static u32 change_count;

static void count_change(void *context, const struct session_epoch *epoch)
{
	change_count++;
}

static void policies_change_under_load(void **state)
{
	struct bench *bench = malloc(sizeof(*bench));
	u32 i, slot;

	bench_options(bench, 0);
	bench->hooks.epoch = count_change;
	bench_start(bench);
	for (slot = 0; slot < TENANTS; slot++) {
		join(bench, slot);
		launch(bench, slot, slot % 2 ? computing : random_reads, 1, 0);
	}
	for (i = 0; i < 100; i++) {
		session_set_policy(bench->session,
				   policies[i % ARRAY_SIZE(policies)]);
		session_run(bench->session, 1 + i * 137 % 9000);
	}
	session_set_policy(bench->session, &policy_even);
	/* Until the last thread block has left that was somebody else's. */
	session_run(bench->session, 20 * EPOCH);
	for (slot = 0; slot < TENANTS; slot++)
		assert_int_equal(report_of(bench, slot).sms, 2);
	assert_true(change_count > 20);
	bench_free(bench);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(proposals_are_done_or_refused_in_full),
		cmocka_unit_test(orders_of_events_lose_nothing),
		cmocka_unit_test(steps_do_not_matter),
		cmocka_unit_test(policies_change_under_load),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests_name("decide_fuzz", tests, make_all_traces,
					   free_all_traces);
}
