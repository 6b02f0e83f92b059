/* SPDX-License-Identifier: GPL-2.0 */
/*
 * A policy that touches everything which is hard to reach for a BPF program, from
 * one source for all homes: SMs by weight and by an average of the DRAM requests
 * of each tenant, shared SMs where the snapshot has rows of them, quotas and limits
 * that follow. It is an example of how such a policy is written, not a good one.
 */
#ifndef SIMGPU_TEST_WEIGHTED_H
#define SIMGPU_TEST_WEIGHTED_H

#include <simgpu/policy.h>

#define WEIGHTED_HISTORY	32510

/**
 * struct weighted_state - what the policy keeps, scratch among it
 * @calls: decisions so far
 * @average: by slot, of weighted demands over calls
 * @idle: by slot, idle warps on shared SMs in this call
 * @history: SMs given away in each call, in a ring
 */
struct weighted_state {
	u64 calls;
	u64 average[SIMGPU_SLOTS_MAX];
	u64 idle[SIMGPU_SLOTS_MAX];
	u32 history[WEIGHTED_HISTORY];
};

static_assert(sizeof(struct weighted_state) == SIMGPU_STATE_BYTES_MAX,
	      "the largest state that there is");

/* Launches that wait, over the queues of a tenant, and blocks at their heads. */
static inline u64 weighted_backlog(const struct simgpu_snapshot_tenant *tenant)
{
	u64 backlog = 0;
	u32 q;

	simgpu_each(q, SIMGPU_QUEUES_MAX) {
		if (q >= tenant->queue_count)
			break;
		backlog += tenant->queue[q].waiting;
		if (tenant->queue[q].head.flags & SIMGPU_KERNEL_PRESENT)
			backlog += tenant->queue[q].head.blocks_left;
	}
	return backlog;
}

/* Averages the demands; returns their sum. */
static inline u64 weighted_learn(const struct simgpu_snapshot *snapshot,
				 struct weighted_state *state)
{
	u64 sum = 0;
	u32 i;

	simgpu_each(i, SIMGPU_SLOTS_MAX) {
		const struct simgpu_snapshot_tenant *tenant =
			&snapshot->tenants[i];
		u64 demand;

		state->idle[i] = 0;
		if (!tenant->active) {
			state->average[i] = 0;
			continue;
		}
		demand = fixed_mul(simgpu_dram_requests(&tenant->counters),
				   tenant->weight);
		demand = fixed_add(demand, weighted_backlog(tenant));
		demand = fixed_mul_div(demand, tenant->np_ppm, SIMGPU_PPM);
		state->average[i] += demand / 4 - state->average[i] / 4;
		sum = fixed_add(sum, state->average[i]);
	}
	return sum;
}

/* The slots of the snapshot's rows share the SMs that these name. */
static inline void weighted_share(const struct simgpu_snapshot *snapshot,
				  struct weighted_state *state,
				  struct simgpu_proposal *proposal)
{
	u32 row, sm, slot;

	simgpu_each(row, SIMGPU_SHARED_ROWS_MAX) {
		const struct simgpu_snapshot_shared *shared =
			&snapshot->shared[row];

		if (row >= snapshot->shared_rows)
			break;
		sm = simgpu_index(shared->sm, SIMGPU_SMS_MAX);
		slot = simgpu_index(shared->slot, SIMGPU_SLOTS_MAX);
		proposal->owner[sm] = SIMGPU_SHARED;
		proposal->sharers[sm] |= 1ULL << slot;
		proposal->block_limit[sm][slot] =
			shared->blocks > 7 ? 8 : shared->blocks + 1;
		state->idle[slot] += shared->idle_warps;
	}
}

/* SM counts in proportion to the averages; returns how many are given away. */
static inline u32 weighted_count(const struct simgpu_snapshot *snapshot,
				 const struct weighted_state *state, u64 sum,
				 struct simgpu_proposal *proposal)
{
	u32 i, given = 0, most = 0;

	simgpu_each(i, SIMGPU_SLOTS_MAX) {
		proposal->sms[i] = (u32)fixed_mul_div(state->average[i],
						      snapshot->sms, sum);
		given += proposal->sms[i];
		if (state->average[i] >
		    state->average[simgpu_index(most, SIMGPU_SLOTS_MAX)])
			most = i;
	}
	if (given < snapshot->sms)
		proposal->sms[simgpu_index(most, SIMGPU_SLOTS_MAX)] +=
			snapshot->sms - given;
	return given;
}

/* The next slot after @slot that is to have SMs; SIMGPU_SLOTS_MAX if none is. */
static inline u32 weighted_next(const struct simgpu_proposal *proposal,
				u32 slot)
{
	u32 i;

	simgpu_each(i, SIMGPU_SLOTS_MAX)
		if (i > slot && proposal->sms[i])
			break;
	return i;
}

/* SMs that are not shared go to their owners in order of slots. */
static inline void weighted_own(const struct simgpu_snapshot *snapshot,
				struct simgpu_proposal *proposal)
{
	u32 sm, slot = 0, taken = 0;

	simgpu_each(sm, SIMGPU_SMS_MAX) {
		if (sm >= snapshot->sms)
			break;
		if (proposal->owner[sm] == SIMGPU_SHARED)
			continue;
		if (slot < SIMGPU_SLOTS_MAX &&
		    taken >= proposal->sms[simgpu_index(slot, SIMGPU_SLOTS_MAX)]) {
			slot = weighted_next(proposal, slot);
			taken = 0;
		}
		proposal->owner[sm] = slot < SIMGPU_SLOTS_MAX ?
			(u8)slot : SIMGPU_NO_OWNER;
		taken++;
	}
}

/* What the curve promises is the quota; who idles gets half of it again. */
static inline void weighted_quotas(const struct simgpu_snapshot *snapshot,
				   const struct weighted_state *state,
				   struct simgpu_proposal *proposal)
{
	u32 i;

	simgpu_each(i, SIMGPU_SLOTS_MAX) {
		const struct simgpu_snapshot_tenant *tenant =
			&snapshot->tenants[i];
		u64 np = simgpu_np_at(&tenant->curve, proposal->sms[i]);
		u64 ratio = fixed_ratio_ppm(state->average[i],
					    tenant->service_cycles);

		u64 quota = np * 1000 + (ratio & U32_MAX);

		proposal->quota[i] = (s64)quota;
		proposal->refill[i] = state->idle[i] ? (s64)(quota / 2) : 0;
		proposal->quota_flags[i] = SIMGPU_QUOTA_KEEP;
		proposal->memory_priority[i] =
			tenant->service == SIMGPU_QOS ?
			SIMGPU_MEMORY_PRIORITY_MAX : 0;
	}
}

/* The decision itself: see struct simgpu_policy. */
static inline int weighted_decide(const struct simgpu_snapshot *snapshot,
				  struct weighted_state *state,
				  struct simgpu_proposal *proposal)
{
	u64 sum;
	u32 given;

	if (snapshot->version != SIMGPU_SNAPSHOT_VERSION)
		return -EINVAL;
	sum = weighted_learn(snapshot, state);
	weighted_share(snapshot, state, proposal);
	given = weighted_count(snapshot, state, sum, proposal);
	weighted_own(snapshot, proposal);
	weighted_quotas(snapshot, state, proposal);
	state->history[simgpu_index(state->calls % WEIGHTED_HISTORY,
				    WEIGHTED_HISTORY)] = given;
	state->calls++;
	proposal->wake_cycle = snapshot->cycle + SIMGPU_WAKE_CYCLES_MIN;
	proposal->flags = SIMGPU_SAYS_OWNERS | SIMGPU_SAYS_MEMORY_PRIORITY |
			  SIMGPU_SAYS_BLOCK_LIMITS | SIMGPU_SAYS_QUOTAS;
	return 0;
}

#endif /* SIMGPU_TEST_WEIGHTED_H */
