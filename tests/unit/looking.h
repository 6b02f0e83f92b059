/* SPDX-License-Identifier: GPL-2.0 */
/* A policy that notes what it is asked, and says what a test wants it to. */
#ifndef TESTS_LOOKING_H
#define TESTS_LOOKING_H

#include "../../kmod/policy/registry.h"
#include "bench.h"

#define CALLS_MAX	512

/* What the policies of these tests saw, and what they are to say. */
static struct {
	u32 count;
	struct {
		u64 cycle;
		u32 events;
		u32 of_tenant[4];
		u32 active;
	} call[CALLS_MAX];
	struct simgpu_snapshot last;
	struct simgpu_proposal say;
	bool says;
	u64 wake_after;
} seen;

static inline int look(const struct simgpu_snapshot *snapshot, void *state,
		struct simgpu_proposal *proposal)
{
	u32 slot;

	assert_true(seen.count < CALLS_MAX);
	seen.call[seen.count].cycle = snapshot->cycle;
	seen.call[seen.count].events = snapshot->events;
	seen.call[seen.count].active = snapshot->tenants_active;
	for (slot = 0; slot < 4; slot++)
		seen.call[seen.count].of_tenant[slot] =
			snapshot->tenants[slot].events;
	seen.count++;
	seen.last = *snapshot;
	if (seen.says)
		*proposal = seen.say;
	if (seen.wake_after)
		proposal->wake_cycle = snapshot->cycle + seen.wake_after;
	return 0;
}

static const struct simgpu_policy looking = {
	.name = "look",
	.events = SIMGPU_ON_KNOWN & ~SIMGPU_ON_QUOTA_OUT,
	.needs = SIMGPU_NEEDS_SHARED_ROWS,
	.state_bytes = 64,
	.decide = look,
};

/* A bench that has not started yet. */
static inline struct bench *bench_prepared(const struct simgpu_policy *policy,
					   u32 gang_size)
{
	struct bench *bench = malloc(sizeof(*bench));

	memset(&seen, 0, sizeof(seen));
	bench_options(bench, gang_size);
	bench->options.policy = policy;
	bench->options.kernel_end = SESSION_KERNEL_END_CARRY;
	session_default_params(&bench->options);
	return bench;
}

static inline struct bench *bench_with(const struct simgpu_policy *policy,
				       u32 gang_size)
{
	struct bench *bench = bench_prepared(policy, gang_size);

	bench_start(bench);
	return bench;
}

/* The latest proposal was refused because of what a field says of a slot. */
static inline void expect_proposal_refused(const struct bench *bench,
					   const char *field, u32 slot)
{
	const struct session_refusal *why = session_last_refusal(bench->session);

	assert_int_equal(why->kind, SESSION_REFUSED_PROPOSAL);
	assert_string_equal(why->field, field);
	assert_int_equal(why->slot, slot);
}

/* Even, but with nothing said of it: what a proposal begins with. */
static inline void say_even(u32 tenants)
{
	u32 slot;

	memset(&seen.say, 0, sizeof(seen.say));
	for (slot = 0; slot < tenants; slot++)
		seen.say.sms[slot] = 8 / tenants;
	memset(seen.say.block_limit, SIMGPU_ANY_BLOCKS,
	       sizeof(seen.say.block_limit));
	for (slot = 0; slot < SIMGPU_SLOTS_MAX; slot++)
		seen.say.quota[slot] = SIMGPU_NO_QUOTA;
	seen.says = true;
}

static inline void say_shared(u64 sharers)
{
	u32 sm;

	say_even(2);
	seen.say.flags = SIMGPU_SAYS_OWNERS;
	for (sm = 0; sm < 8; sm++) {
		seen.say.owner[sm] = SIMGPU_SHARED;
		seen.say.sharers[sm] = sharers;
	}
}

static inline u32 owner_now(struct bench *bench, u32 sm)
{
	struct gpu_sm_status status;

	gpu_sm_status(session_gpu(bench->session), sm, &status);
	return status.owner;
}

/* SMs that a slot has, or gets when they have drained. */
static inline u32 sms_of(const struct bench *bench, u32 slot)
{
	struct gpu_sm_status status;
	u32 count = 0, sm;

	for (sm = 0; sm < 8; sm++) {
		gpu_sm_status(session_gpu(bench->session), sm, &status);
		count += status.next_owner == slot;
	}
	return count;
}

#endif /* TESTS_LOOKING_H */
