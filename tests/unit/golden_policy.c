// SPDX-License-Identifier: GPL-2.0
/*
 * A policy that says something of everything, by turns, whatever it sees: what the
 * shipped ones say only now and then.
 */
#include <simgpu/split.h>
#include "../../kmod/policy/common/split.h"
#include "golden_policy.h"

#define WAKE_CYCLES	1700

static bool is_active(const struct simgpu_snapshot *snapshot, u32 slot)
{
	return snapshot->tenants[slot].active;
}

static void say_quotas(struct simgpu_proposal *p, u64 turn)
{
	u32 slot;

	p->flags |= SIMGPU_SAYS_QUOTAS;
	for (slot = 0; slot < SIMGPU_SLOTS_MAX; slot++) {
		p->quota[slot] = slot % 3 == turn % 3 ? SIMGPU_NO_QUOTA :
			(s64)(9000 * (slot + 1) + 100 * turn);
		p->refill[slot] = slot % 2 ? (s64)(3000 + 7 * turn) : 0;
		p->quota_flags[slot] = (slot + turn) % 4;
	}
}

static void say_limits(struct simgpu_proposal *p, u64 turn)
{
	u32 sm, slot;

	p->flags |= SIMGPU_SAYS_BLOCK_LIMITS | SIMGPU_SAYS_SM_BLOCKS;
	memset(p->block_limit, SIMGPU_ANY_BLOCKS, sizeof(p->block_limit));
	for (sm = 0; sm < SIMGPU_SMS_MAX; sm++)
		for (slot = 0; slot < 4; slot++)
			p->block_limit[sm][slot] = 1 + (sm + slot + turn) % 5;
	p->sm_blocks = turn % 2 ? 6 : 0;
}

static void say_order(struct simgpu_proposal *p, u64 turn)
{
	u32 slot;

	p->flags |= SIMGPU_SAYS_BLOCK_ORDER | SIMGPU_SAYS_RANKS |
		    SIMGPU_SAYS_MEMORY_PRIORITY;
	p->block_order = turn / 8 % 4;
	for (slot = 0; slot < SIMGPU_SLOTS_MAX; slot++) {
		p->bucket[slot] = 1 + (slot + turn) % 7;
		p->rank[slot] = (slot + turn) % 3;
		p->memory_priority[slot] = (slot + turn) % 4;
	}
}

/* All but a channel, and half of the ways. */
static void say_masks(const struct simgpu_snapshot *snapshot,
		      struct simgpu_proposal *p, u64 turn)
{
	u64 all = ~0ULL >> (64 - snapshot->channels);
	u32 slot;

	p->flags |= SIMGPU_SAYS_CHANNELS | SIMGPU_SAYS_LLC_WAYS;
	for (slot = 0; slot < SIMGPU_SLOTS_MAX; slot++) {
		p->channels[slot] = all & ~(1ULL << (slot + turn) % snapshot->channels);
		p->llc_ways[slot] = slot % 2 ? 0x5a5a : 0x00ff;
		p->llc_ways[slot] &= ~0U >> (32 - snapshot->llc_ways);
	}
}

/* A tenant and a queue wait; blocks leave in another way; slices and workers. */
static void say_rest(const struct simgpu_snapshot *snapshot,
		     struct simgpu_proposal *p, u64 turn, u32 modes)
{
	u32 slot;

	p->flags |= SIMGPU_SAYS_PREEMPTION | SIMGPU_SAYS_WORKERS |
		    SIMGPU_SAYS_IDLE_SAMPLES | SIMGPU_SAYS_HOLD_QUEUES;
	p->preemption = turn / 8 % modes;
	p->worker_blocks = turn / 8 % 3;
	p->idle_sample_cycles = 100 + (u32)turn;
	for (slot = 0; slot < SIMGPU_SLOTS_MAX; slot++)
		p->hold_queues[slot] = (slot + turn) % 2 ? 0x02 : 0;
	if (turn % 16 < 8)
		return;
	p->flags |= SIMGPU_SAYS_ISSUE_LIMITS | SIMGPU_SAYS_HOLD;
	p->hold = 1ULL << turn / 16 % 3;
	for (slot = 0; slot < 4; slot++)
		if (is_active(snapshot, slot))
			p->issue_limit[slot][0] = 5 + slot;
}

static void say_sms(const struct simgpu_snapshot *snapshot,
		    struct simgpu_proposal *p, u64 turn)
{
	u64 sharers = 0;
	u32 slot;

	for (slot = 0; slot < SIMGPU_SLOTS_MAX; slot++)
		if (is_active(snapshot, slot))
			sharers |= 1ULL << slot;
	if (turn / 5 % 2 && sharers) {
		policy_share_all(snapshot, sharers, p);
		p->sharers[snapshot->sms - 1] = sharers & -sharers;
		p->sharers[snapshot->sms - 1] |= snapshot->sms_per_tpc > 1 ?
						 sharers : 0;
		return;
	}
	simgpu_split_even(snapshot, p);
}

static int say_by_turns(const struct simgpu_snapshot *snapshot, void *state,
			struct simgpu_proposal *p, u32 modes)
{
	u64 turn = (*(u64 *)state)++;

	say_sms(snapshot, p, turn);
	switch (turn % 8) {
	case 1:
	case 6:
		say_quotas(p, turn);
		break;
	case 2:
		say_limits(p, turn);
		break;
	case 3:
		say_order(p, turn);
		break;
	case 4:
		say_masks(snapshot, p, turn);
		break;
	case 5:
		say_rest(snapshot, p, turn, modes);
		break;
	}
	p->wake_cycle = snapshot->cycle + WAKE_CYCLES;
	return 0;
}

static int decide_by_turns(const struct simgpu_snapshot *snapshot, void *state,
			   struct simgpu_proposal *proposal)
{
	return say_by_turns(snapshot, state, proposal, 3);
}

/* With resets, too: for tenants all of whose launches are idempotent. */
static int decide_with_resets(const struct simgpu_snapshot *snapshot, void *state,
			      struct simgpu_proposal *proposal)
{
	return say_by_turns(snapshot, state, proposal, 4);
}

/* Nobody is ever given anything to do. */
static int decide_to_hold(const struct simgpu_snapshot *snapshot, void *state,
			  struct simgpu_proposal *proposal)
{
	proposal->flags = SIMGPU_SAYS_HOLD;
	proposal->hold = ~0ULL;
	return 0;
}

const struct simgpu_policy golden_by_turns = {
	.name = "by-turns",
	.events = SIMGPU_ON_KNOWN,
	.needs = SIMGPU_NEEDS_SHARED_ROWS | SIMGPU_NEEDS_IDLE_SAMPLES |
		 SIMGPU_NEEDS_PROFILES | SIMGPU_NEEDS_CURVES,
	.state_bytes = sizeof(u64),
	.decide = decide_by_turns,
};

const struct simgpu_policy golden_resets = {
	.name = "resets",
	.events = SIMGPU_ON_KNOWN,
	.needs = SIMGPU_NEEDS_SHARED_ROWS,
	.state_bytes = sizeof(u64),
	.decide = decide_with_resets,
};

const struct simgpu_policy golden_holds = {
	.name = "holds",
	.events = SIMGPU_ON_ARRIVAL,
	.decide = decide_to_hold,
};
