// SPDX-License-Identifier: GPL-2.0
/*
 * The session's part of the state hash: what lasts is taken whole, and what pointers lead
 * to by its content. kmod/sim/state_hash.c has the hardware's part.
 *
 * Left out, with the reason:
 *
 * - hooks, sizes and addresses of memory: they belong to the host;
 * - snapshot, prediction, epoch, and a proposal that is not pending: filled in anew
 *   before each use;
 * - the journal, and whose options no decision has used yet: they are the past, and
 *   decide nothing;
 * - the last refusal, tenants' names and figures of latencies: for people;
 * - a tenant's counters as they were last read (@last): read anew before each use;
 * - a tenant's state when the session stopped (@stopped, @shares, @waiting): follows
 *   from the rest;
 * - whether a tenant starved in the last epoch, and the policy's gauges and notes: they
 *   are told, and decide nothing;
 * - places of a queue without a launch, and slots in which nobody ever was.
 * tests/unit/test_session_hash.c changes every byte of the session.
 */
#include "batching.h"
#include "commands.h"
#include "copies.h"
#include "failures.h"
#include "internal.h"
#include "managed.h"
#include "pager.h"
#include "params.h"
#include "power.h"
#include "registers.h"
#include "sampling.h"
#include "services.h"
#include "sight.h"
#include "state_hash.h"

static u64 mix_queue(u64 hash, const struct queue *queue)
{
	u32 i;

	hash = hash_bytes(hash, &queue->lasts, sizeof(queue->lasts));
	for (i = 0; i < queue->launches; i++) {
		const struct launch *launch =
			&queue->launch[(queue->head + i) % SESSION_LAUNCHES_MAX];

		hash = hash_mix(hash, launch->trace->checksum);
		hash = hash_bytes(hash, &launch->lasts, sizeof(launch->lasts));
	}
	return hash;
}

/* The plan's list is represented by its checksum, which is in @lasts. */
static u64 mix_arrivals(u64 hash, const struct arrivals *arrivals)
{
	hash = hash_mix(hash, arrivals->trace ? arrivals->trace->checksum : 0);
	hash = hash_bytes(hash, &arrivals->plan.lasts,
			  sizeof(arrivals->plan.lasts));
	if (arrivals->plan.hint_cycles)
		hash = hash_mix(hash, arrivals->plan.hint_cycles);
	if (arrivals->plan.batching)
		hash = hash_mix(hash, arrivals->plan.batching);
	return hash_bytes(hash, &arrivals->lasts, sizeof(arrivals->lasts));
}

static u64 mix_private_run(u64 hash, const struct private_run *run)
{
	hash = hash_bytes(hash, &run->lasts, sizeof(run->lasts));
	return run->gpu ? hash_mix(hash, gpu_state_hash(run->gpu)) : hash;
}

/* What lasts of a tenant, masks of SMs among it. */
static u64 mix_lasts_of(u64 hash, const struct session_tenant *tenant)
{
	struct hash_walk walk = { hash, (const u8 *)&tenant->lasts };
	u32 i;

	for (i = 0; i < SESSION_LAUNCH_MASKS_MAX; i++)
		hash_walk_mask(&walk, tenant->launch_masks[i]);
	hash_walk_mask(&walk, tenant->masks.sms);
	hash_walk_counters(&walk, &tenant->epoch_base);
	hash_walk_counters(&walk, &tenant->seen);
	return hash_walk_to(&walk, &tenant->lasts + 1);
}

/* Limits of memory decide only where there are any. */
static u64 mix_limits(u64 hash, const struct session_memory_limits *limits)
{
	return limits->min || limits->low || limits->max ?
	       hash_bytes(hash, limits, sizeof(*limits)) : hash;
}

/* Requests and tokens decide and count only where a trace has marks of them. */
static u64 mix_requests(u64 hash, const struct session_tenant *tenant)
{
	u32 i;

	for (i = 0; i < SESSION_QUEUES_MAX; i++)
		if (tenant->requests[i].begun || tenant->requests[i].counted)
			hash = hash_bytes(hash_mix(hash, i), &tenant->requests[i],
					  sizeof(tenant->requests[i]));
	if (tenant->first_tokens.count)
		hash = hash_bytes(hash, &tenant->first_tokens.lasts,
				  sizeof(tenant->first_tokens.lasts));
	if (tenant->tokens.count)
		hash = hash_bytes(hash, &tenant->tokens.lasts, sizeof(tenant->tokens.lasts));
	return hash;
}

static u64 mix_tenant(u64 hash, const struct session *session, u32 slot)
{
	const struct session_tenant *tenant = &session->tenants[slot];
	u32 i;

	hash = mix_lasts_of(hash, tenant);
	hash = hash_bytes(hash, &tenant->options.lasts,
			  sizeof(tenant->options.lasts));
	hash = mix_limits(hash, &tenant->options.memory);
	if (tenant->options.p99_cycles)
		hash = hash_mix(hash, tenant->options.p99_cycles);
	if (tenant->hint.cycle)
		hash = hash_bytes(hash, &tenant->hint, sizeof(tenant->hint));
	hash = hash_bytes(hash, &tenant->latency.lasts,
			  sizeof(tenant->latency.lasts));
	for (i = 0; i < SESSION_QUEUES_MAX; i++)
		hash = mix_queue(hash, &tenant->queue[i]);
	hash = commands_hash(tenant, hash);
	hash = copies_hash_tenant(tenant, hash);
	hash = mix_requests(hash, tenant);
	hash = batching_hash(tenant, hash);
	hash = mix_arrivals(hash, &tenant->arrivals);
	return mix_private_run(hash, &session->private_runs[slot]);
}

/* The counters of earlier epochs. */
static u64 mix_past(u64 hash, const struct session *session)
{
	struct hash_walk walk = { hash, (const u8 *)session->past };
	u64 count = session->initial.counter_delay, i;
	u32 slot;

	for (i = 0; i < count; i++) {
		const struct past *past = &session->past[i];

		for (slot = 0; slot < SESSION_SLOTS_MAX; slot++)
			hash_walk_counters(&walk, &past->counters[slot]);
		for (slot = 0; slot < SESSION_SLOTS_MAX; slot++)
			hash_walk_counters(&walk, &past->total[slot]);
	}
	return walk.hash;
}

/* Model and policy: their names, states and constants. */
static u64 mix_deciders(u64 hash, const struct session *session)
{
	hash = hash_bytes(hash, session->policy->name, SIMGPU_NAME_BYTES);
	hash = hash_bytes(hash, session->model->name, SIMGPU_NAME_BYTES);
	hash = hash_bytes(hash, session->policy_state,
			  session->policy->state_bytes);
	hash = hash_bytes(hash, session->model_state,
			  session->model->state_bytes);
	return hash_bytes(hash, session->constants, session->constants_bytes);
}

/* Arrays by SM: most of what lies behind these SMs is @rest, and not hashed. */
#define HASHED_SMS	128
#define WALK_SMS(walk, array, rest)					\
	hash_walk_over(walk, array, sizeof(array),			\
		       HASHED_SMS * sizeof((array)[0]), rest)

/* @owner: what owners behind HASHED_SMS mostly are */
static void walk_proposal(struct hash_walk *walk,
			  const struct simgpu_proposal *proposal, u64 owner)
{
	WALK_SMS(walk, proposal->owner, owner);
	WALK_SMS(walk, proposal->sharers, 0);
	WALK_SMS(walk, proposal->block_limit, U64_MAX);
	hash_walk_over(walk, proposal->memory_min, sizeof(proposal->memory_min), 0, 0);
	hash_walk_over(walk, proposal->memory_low, sizeof(proposal->memory_low), 0, 0);
	hash_walk_over(walk, proposal->memory_max, sizeof(proposal->memory_max), 0, 0);
	hash_walk_over(walk, proposal->recovery, sizeof(proposal->recovery), 0, 0);
	hash_walk_over(walk, &proposal->clock_mhz, sizeof(u64), 0, 0);
	hash_walk_over(walk, &proposal->prepare, sizeof(u64), 0, 0);
	hash_walk_over(walk, proposal->hold_copies, sizeof(proposal->hold_copies), 0, 0);
	hash_walk_over(walk, proposal->copy_priority, sizeof(proposal->copy_priority), 0, 0);
	/* From here on it is empty once the policy has answered. */
	hash_walk_over(walk, proposal->gauges,
		       sizeof(*proposal) - offsetof(struct simgpu_proposal, gauges), 0, 0);
	static_assert(SIMGPU_ANY_BLOCKS == 0xff && SIMGPU_NO_OWNER == 0xff, "U64_MAX");
}

/* What lasts of the session. */
static u64 mix_lasts(u64 hash, const struct session *session)
{
	struct hash_walk walk = { hash, (const u8 *)&session->lasts };

	WALK_SMS(&walk, session->sm_base, 0);
	WALK_SMS(&walk, session->sm_finished, 0);
	WALK_SMS(&walk, session->quota_watch, 0);
	walk_proposal(&walk, &session->controls, 0);
	WALK_SMS(&walk, session->probe.before, 0);
	return hash_walk_to(&walk, &session->lasts + 1);
}

/* The proposal that is pending. */
static u64 mix_proposal(u64 hash, const struct simgpu_proposal *proposal)
{
	struct hash_walk walk = { hash, (const u8 *)proposal };

	walk_proposal(&walk, proposal, U64_MAX);
	return hash_walk_to(&walk, proposal + 1);
}

u64 session_state_hash(struct session *session)
{
	const struct gpu_config *config = &session->initial.config;
	u64 hash = gpu_state_hash(session->gpu);
	u32 slot;

	hash = mix_lasts(hash, session);
	hash = hash_bytes(hash, &session->initial.lasts,
			  sizeof(session->initial.lasts));
	hash = mix_deciders(hash, session);
	hash = hash_bytes(hash, session->registers, registers_bytes(config));
	hash = mix_past(hash, session);
	hash = sampling_hash(session, hash);
	hash = services_hash(session, hash);
	hash = copies_hash(session, hash);
	hash = session->pager ? pager_hash(session, hash) : managed_hash(session, hash);
	hash = managed_hash_limits(session, hash);
	hash = params_hash_memory(session, hash);
	hash = failures_hash(session, hash);
	hash = power_hash(session, hash);
	if (session->apply_cycle != NEVER)
		hash = mix_proposal(hash, &session->proposal);
	for (slot = 0; slot < SESSION_SLOTS_MAX; slot++) {
		/* A caller that compares hashes with a replay has seen the options. */
		session->tenants[slot].unseen = NULL;
		if (session->tenants[slot].joined)
			hash = mix_tenant(hash_mix(hash, slot), session, slot);
	}
	return hash;
}
