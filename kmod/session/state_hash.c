// SPDX-License-Identifier: GPL-2.0
/*
 * The session's part of the fingerprint: what decides the future beside the
 * hardware. kmod/sim/state_hash.c has the hardware's.
 */
#include "internal.h"

/* Of arrays and of structs without holes. */
static u64 mix_bytes(u64 hash, const void *bytes, size_t count)
{
	return hash_mix(hash, port_crc32(0, bytes, count) | (u64)count << 32);
}

static u64 mix_launch(u64 hash, const struct session_tenant *tenant,
		      const struct launch *launch)
{
	u32 i;

	hash = hash_mix(hash, launch->trace->checksum);
	hash = hash_mix(hash, launch->sequence);
	hash = hash_mix(hash, launch->repeats_left);
	hash = hash_mix(hash, launch->not_before);
	hash = hash_mix(hash, launch->arrival_cycle);
	for (i = 0; i < SESSION_WAITS_MAX; i++)
		if (launch->wait[i])
			hash = hash_mix(hash, launch->wait[i]);
	if (launch->idempotent)
		hash = hash_mix(hash, SIMGPU_KERNEL_IDEMPOTENT);
	if (launch->deadline)
		hash = hash_mix(hash, launch->deadline);
	return !launch->mask ? hash :
	       mix_bytes(hash, tenant->launch_masks[launch->mask - 1],
			 sizeof(tenant->launch_masks[0]));
}

static u64 mix_launches(u64 hash, const struct session_tenant *tenant,
			const struct queue *queue)
{
	u32 i;

	for (i = 0; i < queue->launches; i++)
		hash = mix_launch(hash, tenant,
				  &queue->launch[(queue->head + i) %
						 SESSION_LAUNCHES_MAX]);
	return hash;
}

/* Who keeps to nothing has the fingerprint that was before there were masks. */
static u64 mix_masks(u64 hash, const struct session_masks *masks)
{
	const struct session_masks none = { 0 };

	return memcmp(masks, &none, sizeof(none)) ?
	       mix_bytes(hash, masks, sizeof(*masks)) : hash;
}

/* What only those have that use several queues, or give them priorities. */
static u64 mix_queues(u64 hash, const struct session_tenant *tenant)
{
	u32 i;

	if (tenant->queues == 1 && !tenant->queue[0].priority && !tenant->more)
		return hash;
	hash = hash_mix(hash, tenant->running | tenant->ready << 8 |
			 tenant->launching << 16 | (u64)tenant->pending << 24 |
			 (u64)tenant->more << 32);
	for (i = 0; i < tenant->queues; i++) {
		const struct queue *queue = &tenant->queue[i];

		hash = hash_mix(hash, (u32)queue->priority |
				 (u64)queue->ran << 32);
		if (queue->launches && present_launch(queue)->done)
			hash = hash_mix(hash, i);
		if (!i)
			continue;
		hash = hash_mix(hash, queue->kernel |
				 (u64)queue->launches << 32);
		hash = mix_launches(hash, tenant, queue);
		if (tenant->launching >> i & 1)
			hash = hash_mix(hash, queue->launch_cycle);
	}
	return hash;
}

/* What only those have whose slices have ended, or are being launched. */
static u64 mix_slices(u64 hash, const struct session_tenant *tenant)
{
	u32 i;

	for (i = 0; i < tenant->queues; i++) {
		const struct queue *queue = &tenant->queue[i];

		if (queue->events & SIMGPU_ON_SLICE_END)
			hash = hash_mix(hash, i | (u64)queue->events << 32);
		if (!(tenant->slicing >> i & 1))
			continue;
		hash = hash_mix(hash, i | (u64)queue->slice_blocks << 32);
		hash = hash_mix(hash, queue->launch_cycle);
	}
	return hash;
}

static u64 mix_arrivals(u64 hash, const struct arrivals *arrivals)
{
	const struct arrivals_plan *plan = &arrivals->plan;

	hash = hash_mix(hash, plan->kind | (u64)plan->launches << 32);
	hash = hash_mix(hash, plan->requests);
	hash = hash_mix(hash, plan->seed);
	hash = hash_mix(hash, plan->rate);
	hash = hash_mix(hash, plan->every_cycles);
	if (plan->deadline_cycles)
		hash = hash_mix(hash, plan->deadline_cycles);
	hash = hash_mix(hash, arrivals->begin);
	hash = hash_mix(hash, arrivals->next.request);
	hash = hash_mix(hash, arrivals->next.cycle);
	hash = hash_mix(hash, arrivals->next.position);
	return hash_mix(hash, arrivals->checksum | (u64)arrivals->more << 32);
}

/* Without a goal the fingerprint is as it was before there were any. */
static u64 mix_goal(u64 hash, const struct session_tenant *tenant)
{
	const struct goal *goal = &tenant->goal;

	if (tenant->options.goal_kind) {
		hash = hash_mix(hash, tenant->options.goal_kind);
		hash = hash_mix(hash, tenant->options.goal);
	}
	if (!goal->kind)
		return hash;
	hash = hash_mix(hash, goal->kind);
	hash = hash_mix(hash, goal->value);
	hash = hash_mix(hash, goal->seen);
	hash = hash_mix(hash, goal->issued);
	hash = hash_mix(hash, goal->cycles);
	return hash_mix(hash, goal->promised);
}

/* What only those have of whom others see wrong or old counters, or decide late. */
static u64 mix_seen(u64 hash, const struct session *session,
		    const struct session_tenant *tenant)
{
	const struct session_options *options = &session->initial;

	if (options->decision_cycles)
		hash = hash_mix(hash, tenant->decided);
	return options->counter_noise | options->counter_delay ?
	       mix_bytes(hash, &tenant->seen, sizeof(tenant->seen)) : hash;
}

/* Where model and policy see and say everything at once, as before there was else. */
static u64 mix_sight(u64 hash, const struct session *session)
{
	const struct session_options *options = &session->initial;

	if (options->decision_cycles | options->counter_noise)
		hash = hash_mix(hash_mix(hash, options->decision_cycles),
				options->counter_noise);
	if (options->counter_delay)
		hash = hash_mix(hash_mix(hash, options->counter_delay),
				session->past_at);
	return session->past ?
	       mix_bytes(hash, session->past, seen_bytes(options)) : hash;
}

/* Those of resets and hand-overs only where there was one. */
static u64 mix_counters(u64 hash, const struct simgpu_counters *counters)
{
	const size_t bytes = offsetof(struct simgpu_counters, reset_blocks);

	hash = mix_bytes(hash, counters, bytes);
	return counters->reset_blocks | counters->sm_handovers ?
	       mix_bytes(hash, &counters->reset_blocks,
			 sizeof(*counters) - bytes) : hash;
}

static u64 mix_tenant(u64 hash, const struct session_tenant *tenant)
{
	const struct queue *first = &tenant->queue[0];

	hash = hash_mix(hash, (tenant->running & 1) | (tenant->ready & 1) << 1 |
			 tenant->started << 2 | tenant->first_run_done << 3);
	hash = hash_mix(hash, first->kernel | (u64)first->launches << 32);
	hash = mix_launches(hash, tenant, first);
	if (tenant->launching & 1)
		hash = hash_mix(hash, first->launch_cycle);
	hash = mix_queues(hash, tenant);
	hash = mix_slices(hash, tenant);
	if (tenant->arrivals.trace)
		hash = mix_arrivals(hash, &tenant->arrivals);
	hash = hash_mix(hash, tenant->start_cycle);
	hash = hash_mix(hash, tenant->first_run_end);
	hash = hash_mix(hash, tenant->arrival_cycle);
	hash = hash_mix(hash, tenant->options.service |
			 (u64)tenant->options.weight << 32);
	hash = hash_mix(hash, tenant->options.target_ppm);
	if (tenant->options.cgroup)
		hash = hash_mix(hash, tenant->options.cgroup);
	if (tenant->options.share_ppm)
		hash = hash_mix(hash, tenant->options.share_ppm);
	hash = mix_goal(hash, tenant);
	hash = mix_masks(hash, &tenant->masks);
	hash = hash_mix(hash, tenant->class | (u64)tenant->events << 32);
	hash = hash_mix(hash, tenant->np_ppm);
	hash = hash_mix(hash, tenant->np_run.cycles);
	hash = hash_mix(hash, tenant->np_run.sum);
	if (tenant->sd_scal_ppm | tenant->sd_inter_ppm) {
		hash = hash_mix(hash, tenant->sd_scal_ppm);
		hash = hash_mix(hash, tenant->sd_inter_ppm);
	}
	hash = mix_bytes(hash, &tenant->curve, sizeof(tenant->curve));
	hash = hash_mix(hash, tenant->progress_cycle);
	return mix_counters(hash, &tenant->epoch_base);
}

static u64 mix_controls(u64 hash, const struct controls *controls)
{
	u32 slot;

	hash = hash_mix(hash, controls->hold);
	hash = hash_mix(hash, controls->preemption | controls->any_shared << 8);
	hash = mix_bytes(hash, controls->sharers, sizeof(controls->sharers));
	hash = mix_bytes(hash, controls->block_limit,
			 sizeof(controls->block_limit));
	hash = mix_bytes(hash, controls->memory_priority,
			 sizeof(controls->memory_priority));
	for (slot = 0; slot < SESSION_SLOTS_MAX; slot++)
		if (controls->hold_queues[slot] | controls->rank[slot])
			hash = hash_mix(hash_mix(hash, slot),
					controls->hold_queues[slot] |
					(u64)controls->rank[slot] << 32);
	for (slot = 0; slot < SESSION_SLOTS_MAX; slot++)
		if (controls->channels[slot] | controls->llc_ways[slot])
			hash = hash_mix(hash_mix(hash, controls->channels[slot]),
					slot |
					(u64)controls->llc_ways[slot] << 32);
	return hash;
}

static u64 mix_probe(u64 hash, const struct probe *probe)
{
	if (!probe->kind)
		return hash_mix(hash, 0);
	hash = hash_mix(hash, probe->kind | (u64)probe->slot << 32);
	return mix_bytes(hash, probe->before, sizeof(probe->before));
}

/* Model and policy: their knobs, states and constants. */
static u64 mix_deciders(u64 hash, const struct session *session)
{
	hash = mix_bytes(hash, session->policy->name, SIMGPU_NAME_BYTES);
	hash = mix_bytes(hash, session->model->name, SIMGPU_NAME_BYTES);
	hash = mix_bytes(hash, session->policy_params,
			 sizeof(session->policy_params));
	hash = mix_bytes(hash, session->model_params,
			 sizeof(session->model_params));
	hash = mix_bytes(hash, session->policy_state,
			 session->policy->state_bytes);
	hash = mix_bytes(hash, session->model_state,
			 session->model->state_bytes);
	return mix_bytes(hash, session->constants, session->constants_bytes);
}

/* What has been said and waits. */
static u64 mix_proposal(u64 hash, const struct simgpu_proposal *proposal)
{
	hash = hash_mix(hash, proposal->flags | (u64)proposal->block_order << 32);
	hash = hash_mix(hash, proposal->preemption |
			 (u64)proposal->idle_sample_cycles << 32);
	hash = hash_mix(hash, proposal->hold);
	hash = mix_bytes(hash, proposal->sms, sizeof(proposal->sms));
	if (proposal->flags & SIMGPU_SAYS_OWNERS) {
		hash = mix_bytes(hash, proposal->owner,
				 sizeof(proposal->owner));
		hash = mix_bytes(hash, proposal->sharers,
				 sizeof(proposal->sharers));
	}
	if (proposal->flags & SIMGPU_SAYS_MEMORY_PRIORITY)
		hash = mix_bytes(hash, proposal->memory_priority,
				 sizeof(proposal->memory_priority));
	if (proposal->flags & SIMGPU_SAYS_BLOCK_LIMITS)
		hash = mix_bytes(hash, proposal->block_limit,
				 sizeof(proposal->block_limit));
	if (proposal->flags & SIMGPU_SAYS_RANKS)
		hash = mix_bytes(hash, proposal->rank, sizeof(proposal->rank));
	if (proposal->flags & SIMGPU_SAYS_HOLD_QUEUES)
		hash = mix_bytes(hash, proposal->hold_queues,
				 sizeof(proposal->hold_queues));
	if (proposal->flags & SIMGPU_SAYS_SM_BLOCKS)
		hash = hash_mix(hash, proposal->sm_blocks);
	if (proposal->flags & SIMGPU_SAYS_WORKERS)
		hash = hash_mix(hash, proposal->worker_blocks);
	if (proposal->flags & SIMGPU_SAYS_CHANNELS)
		hash = mix_bytes(hash, proposal->channels,
				 sizeof(proposal->channels));
	if (proposal->flags & SIMGPU_SAYS_LLC_WAYS)
		hash = mix_bytes(hash, proposal->llc_ways,
				 sizeof(proposal->llc_ways));
	if (proposal->flags & SIMGPU_SAYS_ISSUE_LIMITS)
		hash = mix_bytes(hash, proposal->issue_limit,
				 sizeof(proposal->issue_limit));
	if (proposal->flags & SIMGPU_SAYS_QUOTAS) {
		hash = mix_bytes(hash, proposal->quota,
				 sizeof(proposal->quota));
		hash = mix_bytes(hash, proposal->refill,
				 sizeof(proposal->refill));
		hash = mix_bytes(hash, proposal->quota_flags,
				 sizeof(proposal->quota_flags));
	}
	return mix_bytes(hash, proposal->bucket, sizeof(proposal->bucket));
}

/*
 * Where launches cost nothing and each SM stands for itself, the fingerprint is as it
 * was before there was anything else.
 */
static u64 mix_launch_costs(u64 hash, const struct gpu_config *config)
{
	if (config->sms_per_tpc > 1)
		hash = hash_mix(hash, config->sms_per_tpc);
	if (config->launch_cycles)
		hash = hash_mix(hash, config->launch_cycles);
	if (config->memory_mb)
		hash = hash_mix(hash, (u64)config->memory_mb << 32);
	if (config->boundary_cycles != GPU_BOUNDARY_CYCLES)
		hash = hash_mix(hash, ~(u64)config->boundary_cycles);
	return hash;
}

u64 session_state_hash(struct session *session)
{
	u64 hash = gpu_state_hash(session->gpu);
	u32 slot;

	hash = mix_launch_costs(hash, &session->initial.config);
	hash = mix_deciders(hash, session);
	hash = mix_sight(hash, session);
	hash = mix_controls(hash, &session->controls);
	hash = mix_probe(hash, &session->probe);
	hash = hash_mix(hash, session->epoch_cycles);
	hash = hash_mix(hash, session->epoch_start);
	hash = hash_mix(hash, session->epochs);
	hash = hash_mix(hash, session->events);
	hash = hash_mix(hash, session->decision_cycle);
	hash = hash_mix(hash, session->wake_cycle);
	hash = hash_mix(hash, session->model_wake_cycle);
	hash = hash_mix(hash, session->watch_cycle);
	hash = hash_mix(hash, session->apply_cycle);
	if (session->apply_cycle != NEVER)
		hash = mix_proposal(hash, &session->proposal);
	for (slot = 0; slot < SESSION_SLOTS_MAX; slot++) {
		/* Who compares it with a replay has looked. */
		session->tenants[slot].unseen = NULL;
		if (!is_member(session, slot))
			continue;
		hash = mix_tenant(hash, &session->tenants[slot]);
		hash = mix_seen(hash, session, &session->tenants[slot]);
	}
	return hash;
}
