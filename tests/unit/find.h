/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What the test of the state hash looks for in a busy device: a thing of each
 * kind that has a state, or NULL while there is none.
 */
#ifndef TESTS_FIND_H
#define TESTS_FIND_H

#include "device.h"

typedef void *(*finder)(struct gpu *gpu);

static inline void *device(struct gpu *gpu)
{
	return gpu;
}

static inline void *tenant(struct gpu *gpu)
{
	return &gpu->tenants[0];
}

static inline void *counts(struct gpu *gpu)
{
	return &gpu->counts[0];
}

/* Not in the GPU's memory, but decides what it does. */
static inline void *trace(struct gpu *gpu)
{
	return (void *)gpu->grids[0].trace;
}

static inline void *grid(struct gpu *gpu)
{
	return &gpu->grids[grid_number(0, 0)];
}

/* Of a tenant's second kernel. */
static inline void *second_grid(struct gpu *gpu)
{
	return &gpu->grids[grid_number(2, 5)];
}

static inline void *several(struct gpu *gpu)
{
	return &gpu->tenants[2];
}

/* A kernel with two saved thread blocks. */
static inline void *queued(struct gpu *gpu)
{
	u32 i;

	for (i = 0; i < GPU_SLOTS_MAX * GPU_QUEUES_MAX; i++)
		if (gpu->grids[i].blocks_preempted >= 2)
			return &gpu->grids[i];
	return NULL;
}

static inline void *pool(struct gpu *gpu)
{
	return &gpu->pool;
}

static inline void *saved_block(struct gpu *gpu)
{
	const struct grid *grid = queued(gpu);

	return grid ? &gpu->pool.blocks[grid->saved_head] : NULL;
}

static inline void *saved_warp(struct gpu *gpu)
{
	const struct saved_block *block = saved_block(gpu);

	return block ? &gpu->pool.warps[block->first_warp] : NULL;
}

static inline void *saved_loop(struct gpu *gpu)
{
	struct saved_warp *warp = saved_warp(gpu);

	return warp && warp->loop_depth ? warp : NULL;
}

static inline void *register_set(struct gpu *gpu)
{
	return sm_tenant(gpu, 3, 1);
}

static inline void *sm(struct gpu *gpu)
{
	return &gpu->sms[1];
}

/* The first SM on which something is found. */
static inline void *in_sms(struct gpu *gpu, void *(*find)(struct sm *sm))
{
	void *found = NULL;
	u32 i;

	for (i = 0; !found && i < gpu->config.sms; i++)
		found = find(&gpu->sms[i]);
	return found;
}

static inline void *find_provided(struct sm *sm)
{
	return sm->reserved ? sm : NULL;
}

static inline void *find_draining(struct sm *sm)
{
	return sm->draining ? sm : NULL;
}

/* An SM that waits for its old owner's thread blocks. */
static inline void *draining_sm(struct gpu *gpu)
{
	return in_sms(gpu, find_draining);
}

/* An SM that has been given a thread block beforehand. */
static inline void *provided_sm(struct gpu *gpu)
{
	return in_sms(gpu, find_provided);
}

static inline void *find_replied(struct sm *sm)
{
	return sm->reply_at != NEVER && sm->reply_head != sm->reply_tail ?
	       sm : NULL;
}

/* An SM to which two replies are coming. */
static inline void *replied_sm(struct gpu *gpu)
{
	return in_sms(gpu, find_replied);
}

static inline void *reply(struct gpu *gpu)
{
	struct sm *sm = replied_sm(gpu);

	return sm ? &sm->mshr[sm->reply_head] : NULL;
}

static inline void *find_acked(struct sm *sm)
{
	return sm->ack_at != NEVER && sm->ack_head != sm->ack_tail ? sm : NULL;
}

/* An SM to which two acknowledgments are coming. */
static inline void *acked_sm(struct gpu *gpu)
{
	return in_sms(gpu, find_acked);
}

static inline void *ack(struct gpu *gpu)
{
	struct sm *sm = acked_sm(gpu);

	return sm ? &sm->mshr[sm->ack_head] : NULL;
}

static inline void *find_burst(struct sm *sm)
{
	const struct scheduler *s = &sm->scheduler[0];

	return s->count > s->counted ? &sm->scheduler[0] : NULL;
}

static inline void *burst(struct gpu *gpu)
{
	return in_sms(gpu, find_burst);
}

static inline void *find_block(struct sm *sm)
{
	return sm->block[0].used ? &sm->block[0] : NULL;
}

static inline void *block(struct gpu *gpu)
{
	return in_sms(gpu, find_block);
}

/* One of a kernel that is not in its tenant's first queue. */
static inline void *find_second(struct sm *sm)
{
	u32 i;

	for (i = 0; i < SM_BLOCKS_MAX; i++)
		if (sm->block[i].used && grid_queue(sm->block[i].grid))
			return &sm->block[i];
	return NULL;
}

static inline void *second_block(struct gpu *gpu)
{
	return in_sms(gpu, find_second);
}

static inline void *find_moving(struct sm *sm)
{
	return sm->moving ? &sm->block[lowest_bit(sm->moving)] : NULL;
}

static inline void *moving_block(struct gpu *gpu)
{
	return in_sms(gpu, find_moving);
}

/* A context that is being read is no longer in its tenant's queue. */
static inline void *returning_context(struct gpu *gpu)
{
	struct block *block = moving_block(gpu);

	return block && block->state == BLOCK_RESTORES ?
	       &gpu->pool.blocks[block->saved] : NULL;
}

static inline void *find_warp(struct sm *sm)
{
	return sm->free_warps & 1 ? NULL : &sm->warp[0];
}

static inline void *warp(struct gpu *gpu)
{
	return in_sms(gpu, find_warp);
}

static inline void *find_warp_age(struct sm *sm)
{
	return sm->free_warps & 1 ? NULL : &sm->warp_age[0];
}

static inline void *warp_age(struct gpu *gpu)
{
	return in_sms(gpu, find_warp_age);
}

static inline void *find_loop(struct sm *sm)
{
	struct warp *warp = find_warp(sm);

	return warp && warp->loop_depth == 2 ? warp : NULL;
}

static inline void *loop_warp(struct gpu *gpu)
{
	return in_sms(gpu, find_loop);
}

static inline void *find_warp_load(struct sm *sm)
{
	u32 i;

	for (i = 0; i < 32; i++)
		if (!(sm->free_warps >> i & 1) && sm->warp[i].loads)
			return &sm->warp[i].load[lowest_bit(sm->warp[i].loads)];
	return NULL;
}

static inline void *warp_load(struct gpu *gpu)
{
	return in_sms(gpu, find_warp_load);
}

static inline void *find_late_load(struct sm *sm)
{
	u32 i, mask;

	for (i = 0; i < 32; i++)
		for (mask = sm->free_warps >> i & 1 ? 0 : sm->warp[i].loads; mask;
		     mask &= mask - 1)
			if (sm->warp[i].load[lowest_bit(mask)].lanes)
				return &sm->warp[i].load[lowest_bit(mask)];
	return NULL;
}

/* A load that is charged when it completes. */
static inline void *late_load(struct gpu *gpu)
{
	return in_sms(gpu, find_late_load);
}

static inline void *find_doing_warp(struct sm *sm)
{
	u32 i;

	for (i = 0; i < 32; i++)
		if (!(sm->free_warps >> i & 1) && sm->warp[i].doing)
			return &sm->warp[i];
	return NULL;
}

/* A warp with other instructions that are charged when they complete. */
static inline void *doing_warp(struct gpu *gpu)
{
	return in_sms(gpu, find_doing_warp);
}

static inline void *find_sleep(struct sm *sm)
{
	return sm->sleeping ? &sm->warp_wake[lowest_bit(sm->sleeping)] : NULL;
}

static inline void *sleep_end(struct gpu *gpu)
{
	return in_sms(gpu, find_sleep);
}

static inline bool mshr_is_used(const struct sm *sm, u32 number)
{
	u32 i;

	for (i = sm->mshr_free; i != NO_MSHR; i = sm->mshr[i].next)
		if (i == number)
			return false;
	return true;
}

static inline void *find_mshr(struct sm *sm)
{
	u32 i;

	for (i = 0; i < 32; i++)
		if (sm->mshr[i].waiters && sm->mshr[i].hashed &&
		    mshr_is_used(sm, i))
			return &sm->mshr[i];
	return NULL;
}

static inline void *mshr(struct gpu *gpu)
{
	return in_sms(gpu, find_mshr);
}

static inline void *find_free_mshr(struct sm *sm)
{
	return sm->mshr_free != NO_MSHR ? &sm->mshr_free : NULL;
}

static inline void *free_mshr(struct gpu *gpu)
{
	return in_sms(gpu, find_free_mshr);
}

static inline bool store_is_used(const struct sm *sm, u32 number)
{
	u32 i;

	for (i = sm->store_free; i != NO_MSHR; i = sm->mshr[i].next)
		if (i == number)
			return false;
	return true;
}

static inline void *find_store(struct sm *sm)
{
	u32 i;

	for (i = SM_FIRST_STORE; i < SM_FIRST_STORE + 16; i++)
		if (sm->mshr[i].waiters && store_is_used(sm, i))
			return &sm->mshr[i];
	return NULL;
}

static inline void *store(struct gpu *gpu)
{
	return in_sms(gpu, find_store);
}

static inline void *find_late(struct sm *sm)
{
	return sm->late_count > 1 ? sm : NULL;
}

/* An SM with two requests in the L1's last bank. */
static inline void *late_sm(struct gpu *gpu)
{
	return in_sms(gpu, find_late);
}

static inline void *late(struct gpu *gpu)
{
	struct sm *sm = late_sm(gpu);

	return sm ? &sm->late[sm->late_head] : NULL;
}

static inline void *find_free_store(struct sm *sm)
{
	return sm->store_free != NO_MSHR ? &sm->store_free : NULL;
}

static inline void *free_store(struct gpu *gpu)
{
	return in_sms(gpu, find_free_store);
}

static inline void *find_warp_stores(struct sm *sm)
{
	return sm->free_warps & 1 ? NULL : &sm->warp_stores[0];
}

static inline void *warp_stores(struct gpu *gpu)
{
	return in_sms(gpu, find_warp_stores);
}

static inline void *find_lsu(struct sm *sm)
{
	return sm->lsu.next + 1 < sm->lsu.count ? &sm->lsu : NULL;
}

/* A load/store unit with two lines to go. */
static inline void *lsu(struct gpu *gpu)
{
	return in_sms(gpu, find_lsu);
}

/* The cycle up to which a load/store unit's port is taken, which is to come. */
static inline void *taken_port(struct gpu *gpu)
{
	u32 i;

	for (i = 0; i < gpu->config.sms; i++)
		if (gpu->sms[i].lsu.port_free > gpu->now)
			return &gpu->sms[i].lsu.port_free;
	return NULL;
}

static inline void *lsu_line(struct gpu *gpu)
{
	struct lsu *found = lsu(gpu);

	return found ? &found->line[found->next] : NULL;
}

static inline void *lsu_sectors(struct gpu *gpu)
{
	struct lsu *found = lsu(gpu);

	return found ? &found->sectors[found->next] : NULL;
}

static inline void *l1_words(struct gpu *gpu)
{
	return &gpu->l1[L1_DATA].words[gpu->l1[L1_DATA].set_words];
}

static inline void *l1c_words(struct gpu *gpu)
{
	return &gpu->l1[L1_CONSTANT].words[gpu->l1[L1_CONSTANT].set_words];
}

/* The first slice that has enough of something. */
static inline struct slice *slice_with(struct gpu *gpu, size_t offset, u32 least)
{
	u32 i;

	for (i = 0; i < gpu->config.llc_slices; i++) {
		const u8 *slice = (const u8 *)&gpu->slices[i];

		if (*(const u16 *)(slice + offset) >= least)
			return &gpu->slices[i];
	}
	return NULL;
}

static inline void *slice(struct gpu *gpu)
{
	return &gpu->slices[1];
}

static inline void *asked_slice(struct gpu *gpu)
{
	return slice_with(gpu, offsetof(struct slice, request_count), 2);
}

static inline void *request(struct gpu *gpu)
{
	struct slice *slice = asked_slice(gpu);

	return slice ? &gpu->requests[slice->request_head] : NULL;
}

static inline void *sm_port(struct gpu *gpu)
{
	u32 i;

	for (i = 0; i < gpu->config.sms; i++)
		if (gpu->sm_ports[i].waiting.head != NOBODY)
			return &gpu->sm_ports[i];
	return NULL;
}

static inline void *slice_port(struct gpu *gpu)
{
	u32 i;

	for (i = 0; i < gpu->config.llc_slices; i++)
		if (gpu->slice_ports[i].waiting.head != NOBODY)
			return &gpu->slice_ports[i];
	return NULL;
}

static inline void *waiting_request(struct gpu *gpu)
{
	struct noc_port *port = sm_port(gpu);

	return port ? &gpu->requests[port->waiting.head] : NULL;
}

static inline void *waiting_reply(struct gpu *gpu)
{
	struct noc_port *port = slice_port(gpu);

	return port ? &gpu->replies[port->waiting.head] : NULL;
}

static inline void *done_slice(struct gpu *gpu)
{
	return slice_with(gpu, offsetof(struct slice, done_count), 1);
}

static inline void *done(struct gpu *gpu)
{
	struct slice *slice = done_slice(gpu);

	return slice ? &slice->done[slice->done_head] : NULL;
}

/* What left a slice's queue, and its port does not know yet. */
static inline void *left(struct gpu *gpu)
{
	u32 i;

	for (i = 0; i < gpu->config.llc_slices; i++) {
		struct slice *slice = &gpu->slices[i];

		if (slice->left_in != slice->left_out)
			return &slice->left[slice->left_out];
	}
	return NULL;
}

static inline void *pending_set(struct gpu *gpu)
{
	u32 sets = gpu->config.llc_slices * gpu->config.llc_sets, i;

	for (i = 0; i < sets; i++)
		if (gpu->llc[i].pending & 1)
			return &gpu->llc[i];
	return NULL;
}

static inline void *llc_mshr(struct gpu *gpu)
{
	struct llc_set *set = pending_set(gpu);
	u32 slice = set ? (set - gpu->llc) / gpu->config.llc_sets : 0;

	if (!set || !gpu->slices[slice].mshr[set->mshr[0]].waiters)
		return NULL;
	return &gpu->slices[slice].mshr[set->mshr[0]];
}

static inline void *llc_set(struct gpu *gpu)
{
	return &gpu->llc[5];
}

static inline void *atd_tags(struct gpu *gpu)
{
	return &gpu->atd_tags[gpu->config.llc_ways];
}

static inline void *mirror_tags(struct gpu *gpu)
{
	return &gpu->mirror_tags[gpu->config.llc_ways];
}

static inline void *channel(struct gpu *gpu)
{
	return &gpu->channels[1];
}

static inline void *mirror(struct gpu *gpu)
{
	return &gpu->channels[gpu->config.channels + 1];
}

/* A channel's queue of reads whose bank 0 has an entry. */
static inline struct dram_queue *queue_of_bank_0(struct gpu *gpu, u32 channel)
{
	struct dram_queue *queue = &gpu->channels[channel].queue[DRAM_READS];

	return queue->banks & 1 ? queue : NULL;
}

static inline void *queue(struct gpu *gpu)
{
	return queue_of_bank_0(gpu, 1);
}

static inline void *hit_queue(struct gpu *gpu)
{
	struct dram_queue *found = queue(gpu);

	return found && found->hit_banks ? found : NULL;
}

static inline void *entry(struct gpu *gpu)
{
	struct dram_queue *found = queue(gpu);

	return found ? &found->entry[found->head[0]] : NULL;
}

static inline void *entry_link(struct gpu *gpu)
{
	struct dram_queue *found = queue(gpu);

	return found ? &found->link[found->head[0]] : NULL;
}

static inline void *mirror_entry(struct gpu *gpu)
{
	struct dram_queue *found = queue_of_bank_0(gpu, gpu->config.channels);

	return found ? &found->entry[found->head[0]] : NULL;
}

static inline void *inbox(struct gpu *gpu)
{
	struct channel *channel = &gpu->channels[1];

	return channel->inbox[DRAM_READS].count ? channel : NULL;
}

static inline void *arriving(struct gpu *gpu)
{
	struct channel *channel = inbox(gpu);

	return channel ? inbox_at(channel, DRAM_READS, 0) : NULL;
}

static inline void *channel_counters(struct gpu *gpu)
{
	return &gpu->channel_counters[GPU_SLOTS_MAX + 1];
}

static inline void *sm_counters(struct gpu *gpu)
{
	return &gpu->sm_counters[2];
}

static inline void *sm_issue_slots(struct gpu *gpu)
{
	return &gpu->sm_issue_slots[2];
}

#endif /* TESTS_FIND_H */
