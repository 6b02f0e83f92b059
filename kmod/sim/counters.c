// SPDX-License-Identifier: GPL-2.0
/*
 * Reading the register file: event counts of tenants and SMs, and the state
 * hash.
 */
#include "sim.h"

static u64 idle_slots(u64 sm_cycles, u32 schedulers, u64 issue_slots)
{
	u64 slots = sm_cycles * schedulers;

	return slots > issue_slots ? slots - issue_slots : 0;
}

void gpu_tenant_counters(struct gpu *gpu, u32 slot, struct simgpu_counters *out)
{
	const struct tenant *tenant = &gpu->tenants[slot];

	*out = tenant->counters;
	/* As if the loads under way ended now; see load_begin(). */
	out->load_cycles += tenant->loads * gpu->now;
	out->idle_cycles = idle_slots(out->sm_cycles,
				      gpu->config.schedulers_per_sm,
				      tenant->issue_slots);
}

void gpu_sm_counters(struct gpu *gpu, u32 sm, struct simgpu_counters *out)
{
	*out = gpu->sm_counters[sm];
	out->idle_cycles = idle_slots(out->sm_cycles,
				      gpu->config.schedulers_per_sm,
				      gpu->sm_issue_slots[sm]);
}

static struct gpu_channel_counters *find_channel(const struct gpu *gpu,
						 u32 channel, u32 slot)
{
	return &gpu->channel_counters[channel * GPU_SLOTS_MAX + slot];
}

void gpu_channel_counters(const struct gpu *gpu, u32 channel, u32 slot,
			  struct gpu_channel_counters *out)
{
	*out = *find_channel(gpu, channel, slot);
}

void gpu_channel_status(const struct gpu *gpu, u32 channel,
			struct gpu_channel_status *out)
{
	const struct channel *from = &gpu->channels[channel];
	u32 slices = gpu->shape.slices_per_channel, i;

	memset(out, 0, sizeof(*out));
	out->reads = from->queue[DRAM_READS].count;
	out->writes = from->queue[DRAM_WRITES].count;
	out->arriving = from->inbox[DRAM_READS].count +
			from->inbox[DRAM_WRITES].count;
	for (i = channel * slices; i < (channel + 1) * slices; i++) {
		out->slice_requests += gpu->slices[i].request_count;
		out->slice_waiting += gpu->slices[i].wait_count;
	}
}

/*
 * count_request() - a request of a slice's channel, at the cycle at which the
 *	slice hears that it was served
 */
void count_request(struct gpu *gpu, u32 slice, const struct dram_done *done)
{
	struct gpu_channel_counters *counters =
		find_channel(gpu, slice / gpu->shape.slices_per_channel,
			     done->tag.slot);

	counters->requests++;
	counters->row_activates += done->activated;
	counters->bus_busy_clocks += gpu->limits.burst;
}

void gpu_tenant_reset_counters(struct gpu *gpu, u32 slot)
{
	struct tenant *tenant = &gpu->tenants[slot];
	u32 i;

	for (i = 0; i < gpu->config.channels; i++)
		memset(find_channel(gpu, i, slot), 0,
		       sizeof(*gpu->channel_counters));
	memset(&tenant->counters, 0, sizeof(tenant->counters));
	tenant->issue_slots = 0;
	for (i = 0; i < gpu->config.sms; i++) {
		sm_tenant(gpu, i, slot)->thread_instructions = 0;
		sm_tenant(gpu, i, slot)->idle_warp_samples = 0;
		sm_tenant(gpu, i, slot)->idle_warps = 0;
	}
}

/* --- state hash --------------------------------------------------------------------- */

static u64 mix(u64 hash, u64 value)
{
	hash = (hash ^ value) * 0x9e3779b97f4a7c15ULL;
	return hash ^ (hash >> 29);
}

static u64 mix_words(u64 hash, const u32 *words, u32 count)
{
	u32 i;

	for (i = 0; i < count; i++)
		hash = mix(hash, words[i]);
	return hash;
}

static u64 mix_counters(u64 hash, const struct simgpu_counters *counters)
{
	const u64 *values = (const u64 *)counters;
	u32 i;

	for (i = 0; i < sizeof(*counters) / sizeof(*values); i++)
		hash = mix(hash, values[i]);
	return hash;
}

static u64 mix_directories(u64 hash, const struct gpu *gpu)
{
	u32 tags = gpu->shape.atd_sets * gpu->config.llc_ways, i;

	for (i = 0; i < GPU_SLOTS_MAX; i++)
		hash = mix_words(hash, &gpu->atd_tags[i * tags], tags);
	return hash;
}

static u64 mix_mirrors(u64 hash, const struct gpu *gpu)
{
	u32 tags = gpu->shape.mirror_sets * gpu->config.llc_ways, i;

	for (i = 0; i < GPU_SLOTS_MAX; i++) {
		hash = mix_words(hash, &gpu->mirror_tags[i * tags], tags);
		hash = mix(hash, gpu->channels[gpu->config.channels + i].clock);
	}
	return hash;
}

/* The rows' part of the snapshots, where models see it channel by channel. */
static u64 mix_channels(u64 hash, const struct gpu *gpu)
{
	u32 count = gpu->config.channels * GPU_SLOTS_MAX, i;

	for (i = 0; i < count; i++) {
		hash = mix(hash, gpu->channel_counters[i].requests);
		hash = mix(hash, gpu->channel_counters[i].row_activates);
	}
	return hash;
}

static u64 mix_saved_warp(u64 hash, const struct saved_warp *warp)
{
	hash = mix(hash, warp->op | (u64)warp->left << 32);
	hash = mix(hash, warp->line | (u64)warp->accesses << 32);
	hash = mix_words(hash, warp->loop_index, warp->loop_depth);
	return mix(hash, warp->index | (u32)warp->at_barrier << 16);
}

static u64 mix_queue(u64 hash, const struct context_pool *pool,
		     const struct tenant *tenant)
{
	u32 number = tenant->queue_head, left = tenant->blocks_preempted, warp;

	hash = mix(hash, left);
	for (; left; left--) {
		const struct saved_block *saved = &pool->blocks[number];

		hash = mix(hash, number | (u64)saved->index << 32);
		hash = mix(hash, saved->warps_left | saved->at_barrier << 8);
		for (warp = saved->first_warp; warp != NO_CONTEXT;
		     warp = pool->warps[warp].next)
			hash = mix_saved_warp(hash, &pool->warps[warp]);
		number = saved->next;
	}
	return hash;
}

static u64 mix_tenant(u64 hash, const struct tenant *tenant)
{
	hash = mix_counters(hash, &tenant->counters);
	hash = mix(hash, tenant->issue_slots);
	hash = mix(hash, tenant->loads);
	hash = mix(hash, tenant->generation);
	hash = mix(hash, tenant->running);
	hash = mix(hash, tenant->kernel_index);
	hash = mix(hash, tenant->blocks_issued);
	return mix(hash, tenant->blocks_finished);
}

static u64 mix_warp(u64 hash, const struct warp *warp)
{
	hash = mix(hash, warp->op);
	hash = mix(hash, warp->left);
	hash = mix(hash, warp->issued);
	hash = mix(hash, warp->line);
	hash = mix(hash, warp->accesses);
	hash = mix_words(hash, warp->loop_index, warp->loop_depth);
	return mix(hash, warp->loads | warp->wait_load << 8);
}

/* Thread blocks that do not run. */
static u64 mix_moving(u64 hash, const struct sm *sm)
{
	u32 mask;

	hash = mix(hash, sm->moving | (u64)sm->mover << 32);
	for (mask = sm->moving; mask; mask &= mask - 1) {
		const struct block *block = &sm->block[lowest_bit(mask)];

		hash = mix(hash, block->state | block->slot << 8);
		hash = mix(hash, block->moved | (u64)block->saved << 32);
	}
	return hash;
}

static u64 mix_sm(u64 hash, const struct sm *sm, u32 warps)
{
	u32 i;

	hash = mix(hash, sm->owner | sm->next_owner << 8 | sm->blocks << 16);
	hash = mix(hash, sm->free_warps);
	hash = mix(hash, sm->sleeping);
	hash = mix(hash, sm->lsu_waiters);
	hash = mix(hash, sm->out_free);
	hash = mix(hash, sm->in_free);
	hash = mix(hash, sm->lsu.port_free);
	hash = mix(hash, sm->lsu.count - sm->lsu.next);
	hash = mix(hash, sm->mshrs_used);
	hash = mix(hash, sm->ready);
	hash = mix(hash, sm->reply_at);
	for (i = 0; i < sm->schedulers; i++)
		hash = mix(hash, sm->free_at[i]);
	for (i = 0; i < warps; i++)
		if (!(sm->free_warps & (1ULL << i)))
			hash = mix_warp(hash, &sm->warp[i]);
	return mix_moving(hash, sm);
}

static u64 mix_l1(u64 hash, const struct l1 *l1, u32 sms)
{
	return mix_words(hash, l1->words, sms * l1->sets * l1->set_words);
}

static u64 mix_slice(u64 hash, const struct slice *slice)
{
	hash = mix(hash, slice->in_free);
	hash = mix(hash, slice->out_free);
	hash = mix(hash, slice->credits | (u64)slice->request_count << 16 |
			 (u64)slice->wait_count << 32);
	return mix(hash, slice->write_credits | slice->mshrs_used << 8 |
			 slice->stalled << 16);
}

static u64 mix_llc_set(u64 hash, const struct llc_set *set)
{
	hash = mix(hash, set->dirty | (u64)set->pending << 16);
	return mix_words(mix(hash, set->order), set->tag, CACHE_WAYS_MAX);
}

/* Limits, and what decides the order of thread blocks on shared SMs. */
static u64 mix_sharing(u64 hash, const struct gpu *gpu)
{
	u32 i;

	hash = mix(hash, gpu->block_order);
	hash = mix(hash, gpu->bucket_full);
	hash = mix(hash, gpu->order_slot);
	hash = mix(hash, gpu->order_sm);
	for (i = 0; i < GPU_SLOTS_MAX; i++) {
		const struct tenant *tenant = &gpu->tenants[i];

		hash = mix(hash, tenant->next_sm);
		hash = mix(hash, tenant->bucket_tokens);
		hash = mix(hash, tenant->bucket_capacity);
	}
	for (i = 0; i < gpu->config.sms * GPU_SLOTS_MAX; i++) {
		const struct sm_tenant *tenant = &gpu->sm_tenants[i];

		hash = mix(hash, tenant->block_limit);
		hash = mix(hash, tenant->quota);
		hash = mix(hash, tenant->refill);
		hash = mix(hash, tenant->idle_warps);
	}
	return mix(hash, gpu->sample_interval);
}

u64 gpu_state_hash(struct gpu *gpu)
{
	const struct gpu_config *config = &gpu->config;
	u64 hash = mix(gpu->seed, gpu->now);
	u32 i;

	for (i = 0; i < GPU_SLOTS_MAX; i++) {
		hash = mix_tenant(hash, &gpu->tenants[i]);
		hash = mix_queue(hash, &gpu->pool, &gpu->tenants[i]);
		hash = mix(hash, gpu->memory_priority[i]);
	}
	hash = mix_sharing(hash, gpu);
	for (i = 0; i < config->sms; i++) {
		hash = mix_counters(hash, &gpu->sm_counters[i]);
		hash = mix_sm(hash, &gpu->sms[i], config->warps_per_sm);
	}
	for (i = 0; i < L1_KINDS; i++)
		hash = mix_l1(hash, &gpu->l1[i], config->sms);
	for (i = 0; i < config->llc_slices; i++)
		hash = mix_slice(hash, &gpu->slices[i]);
	for (i = 0; i < config->llc_slices * config->llc_sets; i++)
		hash = mix_llc_set(hash, &gpu->llc[i]);
	if (config->atd_sampling)
		hash = mix_directories(hash, gpu);
	if (config->mirrors)
		hash = mix_mirrors(hash, gpu);
	if (config->hardware_counters)
		hash = mix_channels(hash, gpu);
	return hash;
}
