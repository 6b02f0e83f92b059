// SPDX-License-Identifier: GPL-2.0
/*
 * The state hash: everything that decides what a device does next, and everything that it
 * has counted. The hash leaves out what can be computed from the rest. It also leaves out
 * what depends on how gpu_run() was called or how long the channels' batches were: which
 * part has a turn when (a turn that comes too early is harmless), and from which cycle it
 * is worth looking for something.
 *
 * A channel's clock is somewhere between the last message to it and as far as
 * the link's latency lets it run ahead. The hash first runs all channels as far ahead as
 * they may, which changes no result but makes their states comparable.
 *
 * tests/unit/test_hash.c changes every byte of every struct, and lists what is left
 * out, with the reason. It fails for a byte that is neither hashed nor listed.
 *
 * tests/unit/test_hash.c changes every byte of every struct, and lists what is left
 * out, with the reason. It fails for a byte of which neither is said.
 */
#include "sim.h"

/* --- mixing --------------------------------------------------------------------- */

static u64 mix2(u64 hash, u32 low, u32 high)
{
	return hash_mix(hash, low | (u64)high << 32);
}

static u64 mix_tag(u64 hash, const struct dram_tag *tag)
{
	return mix2(hash, tag->slice | tag->mshr << 8,
		    tag->slot | tag->generation << 8);
}

/* --- the device and its tenants --------------------------------------------------- */

/*
 * All fields but the name, how far channels may run ahead, which changes no result, and what
 * only managed memory, what preemption costs or the refresh of single banks needs, where there
 * is none.
 */
static u64 mix_config(u64 hash, const struct gpu_config *config)
{
	bool preemption = preemption_is_costed(config);
	const struct config_field *field;
	u32 i;

	for (i = 0; (field = config_field_at(i)); i++)
		if (field->offset != offsetof(struct gpu_config, channel_batch_clocks) &&
		    (config->managed_mb || !config_field_is_managed(field)) &&
		    (preemption || !config_field_is_of_preemption(field)) &&
		    (config->dram.trfc_bank || !config_field_is_of_bank_refresh(field)))
			hash = hash_mix(hash, config_get(config, field));
	return hash;
}

static u64 mix_counters(u64 hash, const struct simgpu_counters *counters)
{
	struct hash_walk walk = { hash, (const u8 *)counters };

	hash_walk_counters(&walk, counters);
	return walk.hash;
}

static u64 mix_counts(u64 hash, const struct tenant_counts *counts)
{
	hash = hash_mix(hash, counts->issue_slots);
	hash = hash_mix(hash, counts->loads);
	hash = hash_mix(hash, counts->sms_active);
	return mix_counters(hash, &counts->counters);
}

/* The kernel that a queue has or had, and its thread blocks that no SM has been given. */
static u64 mix_grid(u64 hash, const struct gpu *gpu, u32 number)
{
	u32 slot = grid_slot(number);
	const struct grid *grid = &gpu->grids[number];
	const u32 *returned = &gpu->returned[slot * gpu->config.sms * SM_RESERVE];
	struct hash_walk walk;

	if (gpu->tenants[slot].running >> grid_queue(number) & 1) {
		hash = hash_mix(hash, grid->trace->checksum);
		hash = hash_mix(hash, grid->trace->bytes);
	}
	walk = (struct hash_walk) { hash, (const u8 *)&grid->lasts };
	hash_walk_mask(&walk, grid->sms);
	hash = hash_walk_to(&walk, &grid->lasts + 1);
	return hash_bytes(hash, returned, grid->returned * sizeof(u32));
}

static u64 mix_saved_warp(u64 hash, const struct saved_warp *warp)
{
	hash = mix2(hash, warp->op, warp->left);
	hash = mix2(hash, warp->line, warp->accesses);
	hash = hash_bytes(hash, warp->loop_index, warp->loop_depth * sizeof(u32));
	return mix2(hash, warp->index | warp->loop_depth << 16,
		    warp->at_barrier);
}

/* A saved thread block; its place decides where its context lies. */
static u64 mix_saved_block(u64 hash, const struct gpu *gpu, u32 number)
{
	const struct context_pool *pool = &gpu->pool;
	const struct saved_block *saved = &pool->blocks[number];
	u32 warp = saved->first_warp, left = saved->warps_left;

	hash = mix2(hash, number, saved->index);
	hash = mix2(hash, left, saved->at_barrier);
	hash = hash_mix(hash_mix(hash, saved->issued), saved->cycles);
	for (; left && warp != NO_CONTEXT; left--) {
		hash = mix_saved_warp(hash, &pool->warps[warp]);
		warp = pool->warps[warp].next;
	}
	return hash;
}

static u64 mix_saved(u64 hash, const struct gpu *gpu, u32 queue)
{
	const struct grid *grid = &gpu->grids[queue];
	u32 number = grid->saved_head, left = grid->blocks_preempted;

	hash = hash_mix(hash, left);
	for (; left; left--) {
		hash = mix_saved_block(hash, gpu, number);
		number = gpu->pool.blocks[number].next;
	}
	return hash;
}

static u64 mix_slot(u64 hash, const struct gpu *gpu, u32 slot)
{
	u32 queue;

	hash = mix_counts(hash, &gpu->counts[slot]);
	hash = hash_bytes(hash, &gpu->tenants[slot], sizeof(gpu->tenants[slot]));
	for (queue = 0; queue < GPU_QUEUES_MAX; queue++) {
		hash = mix_grid(hash, gpu, grid_number(slot, queue));
		hash = mix_saved(hash, gpu, grid_number(slot, queue));
	}
	return hash;
}

/* The free places, in the order in which they are taken. */
static u64 mix_free_contexts(u64 hash, const struct gpu *gpu)
{
	const struct context_pool *pool = &gpu->pool;
	u32 number;

	hash = mix2(hash, pool->blocks_left, pool->warps_left);
	for (number = pool->free_block; number != NO_CONTEXT;
	     number = pool->blocks[number].next)
		hash = hash_mix(hash, number);
	return hash;
}

/* --- the crossbar's ports ----------------------------------------------------------- */

static u64 mix_request(u64 hash, const struct gpu *gpu, u32 place)
{
	const struct request *request = &gpu->requests[place];

	if (gpu->config.llc_sectors > 1 && request->kind == REQUEST_WRITE_PARTIAL)
		hash = hash_mix(hash, gpu->request_stored[place]);
	if (gpu->config.slice_queue_flits)
		hash = hash_mix(hash, request->flits);
	hash = hash_mix(hash, request->ready);
	hash = mix2(hash, request->line, request->mail.number);
	hash = mix2(hash, request->kind | request->sectors << 4 |
		    request->mail.sender << 8, request->generation);
	return mix2(hash, request->reply_flits, request->set);
}

static u64 mix_mail(u64 hash, const struct mail *mail, u32 flits)
{
	return mix2(hash, mail->number, mail->sender | flits << 16);
}

/* The requests that wait at an SM's port. */
static u64 mix_sm_port(u64 hash, const struct gpu *gpu, u32 index)
{
	const struct noc_port *port = &gpu->sm_ports[index];
	u32 place = port->waiting.head, left = port->flits;

	hash = hash_mix(hash_mix(hash, port->free), left);
	for (; left && place != NOBODY; left--) {
		const struct request *request = &gpu->requests[place];

		hash = mix_mail(hash, &request->mail, request->flits);
		hash = mix_request(hash, gpu, place);
		place = request->mail.next;
		hash = hash_mix(hash, request->slice);
	}
	return hash;
}

/* The replies that wait at a slice's port; its place tells which SM a reply goes to. */
static u64 mix_slice_port(u64 hash, const struct gpu *gpu, u32 index)
{
	const struct noc_port *port = &gpu->slice_ports[index];
	u32 place = port->waiting.head, left = port->flits;

	hash = hash_mix(hash_mix(hash, port->free), left);
	for (; left && place != NOBODY; left--) {
		const struct reply *reply = &gpu->replies[place];

		hash = mix_mail(hash, &reply->mail, reply->flits);
		hash = mix2(hash, place, reply->departure);
		place = reply->mail.next;
	}
	return hash;
}

/* --- SMs --------------------------------------------------------------------------- */

static u64 mix_sm_tenant(u64 hash, const struct sm_tenant *tenant)
{
	hash = mix2(hash, tenant->block_limit, tenant->blocks);
	hash = hash_mix(hash, tenant->quota);
	hash = hash_mix(hash, tenant->refill);
	hash = hash_mix(hash, tenant->thread_instructions);
	hash = hash_mix(hash, tenant->idle_warp_samples);
	return hash_mix(hash, tenant->idle_warps);
}

static u64 mix_warp(u64 hash, const struct warp *warp)
{
	/* The first load also counts the lines that are read of a context. */
	u32 loads = warp->loads | 1;

	hash = mix2(hash, warp->op, warp->left);
	hash = mix2(hash, warp->issued, warp->line);
	hash = mix2(hash, warp->accesses, warp->deadline);
	hash = hash_bytes(hash, warp->loop_index, warp->loop_depth * sizeof(u32));
	hash = mix2(hash, warp->loop_depth | warp->block << 8 |
			  warp->index << 16 | (u32)warp->slot << 24,
		    warp->wait_load | warp->stall << 8);
	hash = hash_mix(hash, warp->loads);
	for (; loads; loads &= loads - 1) {
		const struct warp_load *load = &warp->load[lowest_bit(loads)];

		hash = hash_mix(hash, load->ready);
		hash = mix2(hash, load->deadline, load->pending);
		if (load->lanes)
			hash = hash_mix(hash, load->lanes);
	}
	if (warp->doing)
		hash = hash_mix(hash_mix(hash, warp->doing), warp->done_at);
	return hash;
}

/* The burst that a scheduler issues, as far as it is not counted yet. */
static u64 mix_scheduler(u64 hash, const struct sm *sm, u32 number)
{
	const struct scheduler *s = &sm->scheduler[number];

	hash = hash_mix(hash, sm->free_at[number]);
	hash = mix2(hash, sm->greedy[number] | sm->turn[number] << 8, s->slot);
	hash = hash_mix(hash, s->counted_to);
	if (s->count == s->counted)
		return hash;
	hash = hash_mix(hash, s->start);
	hash = mix2(hash, s->count, s->counted);
	return mix2(hash, s->cycles, s->lanes);
}

static u64 mix_block(u64 hash, const struct gpu *gpu, const struct block *block)
{
	hash = hash_mix(hash, block->warps);
	hash = mix2(hash, block->index, block->slot | block->warps_left << 8 |
		    block->at_barrier << 16 | (u32)block->state << 24);
	hash = hash_mix(hash, block->grid);
	hash = hash_mix(hash_mix(hash, block->issued), block->since);
	if (block->state == BLOCK_RUNS)
		return hash;
	hash = mix2(hash, block->moved, block->saved);
	if (block->state >= BLOCK_RESTORES)
		hash = mix_saved_block(hash, gpu, block->saved);
	return hash;
}

static u64 mix_mshr(u64 hash, const struct mshr *mshr)
{
	u32 i;

	hash = mix2(hash, mshr->line, mshr->waiters | mshr->discard << 8 |
		    mshr->hashed << 9 | mshr->l1 << 10 | mshr->kind << 16 |
		    (u32)mshr->words << 24);
	hash = mix2(hash, mshr->sectors, mshr->parts | mshr->reserved << 8);
	for (i = 0; i < mshr->waiters; i++)
		hash = hash_mix(hash, mshr->waiter[i]);
	return hash;
}

/* Of @count entries beginning with @first: the free ones in their order, and the others. */
static u64 mix_entries(u64 hash, const struct sm *sm, u32 first, u32 count,
		       u32 first_free)
{
	u8 is_free[SM_FIRST_STORE] = { 0 };
	u32 i;

	static_assert(SM_STORES_MAX <= SM_FIRST_STORE, "too many for is_free");
	for (i = first_free; i != NO_MSHR; i = sm->mshr[i].next) {
		hash = hash_mix(hash, i);
		is_free[i - first] = 1;
	}
	for (i = 0; i < count; i++)
		if (!is_free[i])
			hash = mix_mshr(hash, &sm->mshr[first + i]);
	return hash;
}

/* The replies of a list, which are on their way, in order of their arrival. */
static u64 mix_replies(u64 hash, const struct sm *sm, u64 at, u32 head, u32 tail)
{
	u32 i = head, left = SM_ENTRIES_MAX;

	hash = hash_mix(hash, at);
	if (at == NEVER)
		return hash;
	for (; left && i != tail; left--) {
		hash = hash_mix(hash_mix(hash, i), sm->mshr[i].ready);
		i = sm->mshr[i].next_reply % SM_ENTRIES_MAX;
	}
	return hash_mix(hash_mix(hash, i), sm->mshr[i].ready);
}

/*
 * A cycle that has passed means no more than now. Where ports block, a unit that is held up
 * looks more often, or less, by when the driver looked.
 */
static u64 port_taken_until(const struct gpu *gpu, const struct lsu *lsu)
{
	return gpu->config.noc_head_blocking ? max(lsu->port_free, gpu->now) :
					       lsu->port_free;
}

static u64 mix_lsu(u64 hash, const struct gpu *gpu, const struct lsu *lsu)
{
	u32 i;

	hash = hash_mix(hash, port_taken_until(gpu, lsu));
	hash = hash_mix(hash, lsu->count - lsu->next);
	if (lsu->next == lsu->count)
		return hash;
	hash = mix2(hash, lsu->partial >> lsu->next,
		    lsu->kind | lsu->warp << 8 | lsu->load << 16);
	hash = mix2(hash, lsu->slot, lsu->blocked | lsu->words << 8);
	hash = hash_bytes(hash, &lsu->sectors[lsu->next], lsu->count - lsu->next);
	for (i = lsu->next; i < lsu->count; i++)
		if (lsu->stored[i])
			hash = mix2(hash, i, lsu->stored[i]);
	return hash_bytes(hash, &lsu->line[lsu->next],
			  (lsu->count - lsu->next) * sizeof(u32));
}

static u64 mix_warps(u64 hash, const struct sm *sm, u32 warps)
{
	u32 i;

	for (i = 0; i < warps; i++) {
		if (sm->free_warps >> i & 1)
			continue;
		hash = mix_warp(hash, &sm->warp[i]);
		hash = mix2(hash, sm->warp_age[i], sm->warp_stores[i]);
		if (sm->sleeping >> i & 1)
			hash = hash_mix(hash, sm->warp_wake[i]);
	}
	return hash;
}

/* The entries of an SM, or of a copy engine's port, and the answers on their way there. */
static u64 mix_sm_entries(u64 hash, const struct gpu *gpu, const struct sm *sm)
{
	hash = mix_entries(hash, sm, 0, l1_entries(&gpu->config), sm->mshr_free);
	hash = mix_entries(hash, sm, SM_FIRST_STORE, gpu->config.sm_stores,
			   sm->store_free);
	hash = mix_replies(hash, sm, sm->reply_at, sm->reply_head,
			   sm->reply_tail);
	return mix_replies(hash, sm, sm->ack_at, sm->ack_head, sm->ack_tail);
}

static u64 mix_sm(u64 hash, const struct gpu *gpu, const struct sm *sm)
{
	u32 i;

	hash = mix2(hash, sm->owner | sm->next_owner << 8 | sm->blocks << 16 |
			  (u32)sm->draining << 24, sm->mover);
	hash = mix2(hash, sm->moving, sm->threads_used);
	hash = mix2(hash, sm->registers_used, sm->shared_used);
	hash = hash_mix(hash, sm->reserved);
	hash = hash_bytes(hash, sm->reserve, sm->reserved * sizeof(u32));
	if (sm->reserved)
		hash = hash_mix(hash, sm->reserve_grid);
	hash = hash_bytes(hash, sm->worker, sizeof(sm->worker));
	hash = hash_mix(hash, sm->asked_at);
	if (sm->yielding)
		hash = hash_mix(hash_mix(hash, sm->yields_at), sm->yields_to);
	if (sm->moving && sm->context_at > gpu->now)
		hash = hash_mix(hash, sm->context_at);
	hash = hash_mix(hash, sm->quota_slots);
	if (sm->late_quotas)
		hash = hash_mix(hash, sm->late_quotas);
	hash = hash_mix(hash, sm->owned_since);
	hash = hash_mix(hash, sm->split_to);
	hash = hash_bytes(hash, sm->split_turn, sizeof(sm->split_turn));
	hash = hash_mix(hash, sm->free_warps);
	hash = hash_mix(hash, sm->ready);
	hash = hash_mix(hash, sm->sleeping);
	hash = hash_mix(hash, sm->dependent);
	hash = hash_mix(hash, sm->lsu_waiters);
	hash = hash_mix(hash, sm->shared_waiters);
	hash = hash_mix(hash, sm->store_waiters);
	hash = hash_mix(hash, sm->held);
	hash = hash_mix(hash, sm->shared_at);
	hash = hash_mix(hash, sm->in_free);
	hash = hash_mix(hash, sm->out_free);
	hash = mix2(hash, sm->age, sm->mshrs_used);
	hash = hash_mix(hash, sm->late_count);
	for (i = 0; i < sm->late_count; i++)
		hash = hash_mix(hash, sm->late[(sm->late_head + i) %
					       SM_LATE_MAX]);
	for (i = 0; i < sm->schedulers; i++)
		hash = mix_scheduler(hash, sm, i);
	for (i = 0; i < SM_BLOCKS_MAX; i++)
		if (sm->block[i].used)
			hash = mix_block(hash_mix(hash, i), gpu,
					 &sm->block[i]);
	hash = mix_warps(hash, sm, gpu->config.warps_per_sm);
	hash = mix_sm_entries(hash, gpu, sm);
	return mix_lsu(hash, gpu, &sm->lsu);
}

/* --- caches ------------------------------------------------------------------------- */

static u64 mix_l1(u64 hash, const struct l1 *l1, u32 sms)
{
	return hash_bytes(hash, l1->words,
			  sms * l1->sets * l1->set_words * sizeof(u32));
}

static u64 mix_requests(u64 hash, const struct gpu *gpu, u32 index)
{
	const struct slice *slice = &gpu->slices[index];
	u32 place = slice->request_head, left = slice->request_count;

	hash = mix2(hash, slice->request_count,
		    slice->stalled | slice->turn << 8);
	hash = hash_mix(hash, slice->request_at);
	for (; left && place != NOBODY; left--) {
		hash = mix_request(hash, gpu, place);
		place = gpu->requests[place].mail.next;
	}
	return hash;
}

static u64 mix_done(u64 hash, const struct dram_done *done)
{
	hash = hash_mix(hash, done->ready);
	hash = mix_tag(hash, &done->tag);
	hash = mix2(hash, done->waited, done->write | done->activated << 8 |
		    done->reopened << 16);
	hash = mix2(hash, done->bank_busy, done->bank_active);
	return mix2(hash, done->bus_wait, done->sectors);
}

static u64 mix_llc_mshr(u64 hash, const struct llc_mshr *mshr)
{
	u32 i;

	hash = mix2(hash, mshr->set, mshr->way | mshr->waiters << 8 |
		    mshr->dirty << 16 | (u32)mshr->generation << 24);
	for (i = 0; i < mshr->waiters; i++)
		hash = mix2(hash, (mshr->sm[i] & 255) | mshr->flits[i] << 8 |
			    mshr->sm[i] >> 8 << 16, mshr->sm_mshr[i]);
	return mix2(hash, mshr->next, mshr->sector);
}

static u64 mix_llc_mshrs(u64 hash, const struct slice *slice, u32 mshrs)
{
	u8 is_free[LLC_MSHRS_MAX] = { 0 };
	u32 i;

	for (i = slice->mshr_free; i != NONE; i = slice->mshr[i].next) {
		hash = hash_mix(hash, i);
		is_free[i] = 1;
	}
	for (i = 0; i < mshrs; i++)
		if (!is_free[i])
			hash = mix_llc_mshr(hash, &slice->mshr[i]);
	return hash;
}

static u64 mix_slice(u64 hash, const struct gpu *gpu, u32 index)
{
	const struct slice *slice = &gpu->slices[index];
	u32 i;

	hash = hash_mix(hash, slice->in_free);
	hash = hash_mix(hash, slice->out_free);
	hash = mix2(hash, slice->write_credits | slice->mshrs_used << 8,
		    slice->done_count);
	hash = mix_requests(hash, gpu, index);
	if (gpu->config.slice_queue_flits)
		hash = hash_mix(hash_mix(hash, slice->room),
				(u8)(slice->left_in - slice->left_out));
	for (i = slice->left_out; i != slice->left_in; i = (u8)(i + 1))
		hash = hash_mix(hash, slice->left[i]);
	for (i = 0; i < slice->done_count; i++)
		hash = mix_done(hash, &slice->done[(slice->done_head + i) &
						   gpu->shape.done_mask]);
	return mix_llc_mshrs(hash, slice, gpu->config.llc_mshrs);
}

static u64 mix_llc_set(u64 hash, const struct llc_set *set)
{
	u64 mask;

	hash = hash_mix(hash, set->valid);
	hash = hash_mix(hash, set->dirty);
	hash = hash_mix(hash, set->pending);
	hash = hash_mix(hash, set->order);
	for (mask = set->pending; mask; mask &= mask - 1)
		hash = hash_mix(hash, set->mshr[lowest_bit(mask) / 4]);
	return hash_bytes(hash, set->tag, sizeof(set->tag));
}

static u64 mix_caches(u64 hash, const struct gpu *gpu)
{
	const struct gpu_config *config = &gpu->config;
	const size_t set_bytes = config->llc_ways * sizeof(u32);
	u32 i;

	for (i = 0; i < L1_KINDS; i++)
		hash = mix_l1(hash, &gpu->l1[i], config->sms);
	for (i = 0; i < config->llc_slices; i++)
		hash = mix_slice_port(mix_slice(hash, gpu, i), gpu, i);
	for (i = 0; i < config->llc_slices * config->llc_sets; i++)
		hash = mix_llc_set(hash, &gpu->llc[i]);
	if (config->llc_sectors > 1) {
		const size_t slot_ways = GPU_SLOTS_MAX * config->llc_ways *
					 sizeof(struct tag_sectors);

		hash = hash_bytes(hash, gpu->atd_sectors,
				  gpu->shape.atd_sets * slot_ways);
		hash = hash_bytes(hash, gpu->mirror_sectors,
				  gpu->shape.mirror_sets * slot_ways);
	}
	if (config->llc_sectors > 1)
		hash = hash_bytes(hash, gpu->llc_stored,
				  config->llc_slices * config->llc_sets *
				  set_bytes);
	hash = hash_bytes(hash, gpu->atd_tags,
			  GPU_SLOTS_MAX * gpu->shape.atd_sets * set_bytes);
	return hash_bytes(hash, gpu->mirror_tags,
			  GPU_SLOTS_MAX * gpu->shape.mirror_sets * set_bytes);
}

/* --- managed memory ------------------------------------------------------------------- */

static u64 mix_wait(u64 hash, const struct fault_wait *wait)
{
	u32 i;

	hash = hash_mix(hash, wait->wake);
	hash = mix2(hash, wait->partial, wait->count | wait->kind << 8 |
		    wait->load << 16 | (u32)wait->words << 24);
	for (i = 0; i < wait->count; i++) {
		hash = mix2(hash, wait->line[i], wait->stored[i]);
		hash = hash_mix(hash, wait->sectors[i]);
	}
	return hash;
}

static u64 mix_sm_faults(u64 hash, const struct sm *sm,
			 const struct sm_faults *faults)
{
	u64 mask;

	hash = hash_mix(hash, faults->noted);
	hash = hash_bytes(hash, faults->note,
			  faults->noted * sizeof(faults->note[0]));
	hash = hash_mix(hash, sm->faulted);
	for (mask = sm->faulted; mask; mask &= mask - 1)
		hash = mix_wait(hash, &faults->wait[lowest_bit(mask)]);
	return hash;
}

/* A page's time of arrival means something only while it arrives. */
static u64 mix_pages(u64 hash, const struct gpu_page *pages, u32 count)
{
	u32 i;

	for (i = 0; i < count; i++) {
		u32 at = pages[i].state == GPU_PAGE_ARRIVES ? pages[i].arrives : 0;

		hash = mix2(hash, at, pages[i].state | pages[i].touched << 8);
	}
	return hash;
}

static u64 mix_copy_queue(u64 hash, const struct copy_queue *queue)
{
	u32 i;

	hash = mix2(mix2(hash, queue->head, queue->jobs), queue->sending, 0);
	for (i = 0; i < queue->jobs; i++)
		hash = hash_bytes(hash, &queue->job[(queue->head + i) % GPU_COPIES_MAX],
				  sizeof(queue->job[0]));
	return hash;
}

/* An engine's port. */
static u64 mix_engine_port(u64 hash, const struct gpu *gpu, u32 index)
{
	const struct sm *port = &gpu->sms[gpu->config.sms + index];

	hash = hash_mix(hash_mix(hash, port->in_free), port->out_free);
	hash = mix_sm_port(hash, gpu, gpu->config.sms + index);
	return mix_sm_entries(hash, gpu, port);
}

static u64 mix_engine(u64 hash, const struct gpu *gpu, u32 index)
{
	const struct copy_engine *engine = &gpu->managed_memory->engine[index];
	u32 i;

	for (i = 0; i < GPU_COPY_WAYS; i++)
		hash = mix_copy_queue(hash, &engine->queue[i]);
	return mix_engine_port(hash, gpu, index);
}

/* Copies of commands, and the port of their engine, which the pager may have, too. */
static u64 mix_copies(u64 hash, const struct gpu *gpu)
{
	u32 i;

	for (i = 0; i < GPU_COPY_WAYS; i++)
		hash = mix_copy_queue(hash, &gpu->copies->queue[i]);
	return gpu->managed_memory ? hash : mix_engine_port(hash, gpu, 0);
}

static u64 mix_link(u64 hash, const struct gpu *gpu)
{
	u32 i, left, place;

	for (i = 0; i < REMOTE_WAYS; i++) {
		const struct remote_direction *direction =
			&gpu->managed_memory->link.direction[i];

		hash = hash_mix(hash_mix(hash, direction->free), direction->count);
		hash = hash_mix(hash_mix(hash, direction->copies_until), direction->taken);
		place = direction->waiting.head;
		for (left = direction->count; left && place != NOBODY; left--) {
			hash = mix_request(hash, gpu, place);
			place = gpu->requests[place].mail.next;
		}
	}
	hash = hash_bytes(hash, gpu->managed_memory->link.lines,
			  sizeof(gpu->managed_memory->link.lines));
	hash = mix_slice(hash, gpu, gpu->config.llc_slices);
	return mix_slice_port(hash, gpu, gpu->config.llc_slices);
}

static u64 mix_managed(u64 hash, const struct gpu *gpu)
{
	const struct managed *managed = gpu->managed_memory;
	u32 i;

	hash = hash_mix(hash, gpu->managed);
	for (i = 0; i < GPU_SLOTS_MAX; i++)
		hash = mix_pages(hash_mix(hash, managed->count[i]),
				 managed->pages[i], managed->count[i]);
	for (i = 0; i < gpu->config.sms; i++)
		hash = mix_sm_faults(hash, &gpu->sms[i], &managed->sm[i]);
	for (i = 0; i < gpu->engines; i++)
		hash = mix_engine(hash, gpu, i);
	return gpu->remote ? mix_link(hash, gpu) : hash;
}

/* --- memory channels ---------------------------------------------------------------- */

static u64 mix_entry(u64 hash, const struct dram_queue *queue, u32 number)
{
	const struct dram_entry *entry = &queue->entry[number];

	hash = hash_mix(hash, entry->key);
	hash = mix2(hash, entry->since, entry->others_clocks);
	hash = mix_tag(hash, &entry->tag);
	return mix2(hash, queue->link[number].row, entry->activated |
		    entry->reopened << 8 | entry->columns << 16 |
		    (u32)entry->sectors << 24);
}

static u64 mix_dram_queue(u64 hash, const struct dram_queue *queue)
{
	u32 banks, number;

	hash = mix2(hash, queue->count, queue->banks);
	hash = mix2(hash, queue->hit_banks, queue->capped);
	hash = hash_bytes(hash, queue->bypassed, sizeof(queue->bypassed));
	for (banks = queue->banks; banks; banks &= banks - 1) {
		u32 bank = lowest_bit(banks);

		for (number = queue->head[bank]; number != NONE;
		     number = queue->link[number].next)
			hash = mix_entry(hash, queue, number);
		if (queue->hit_banks >> bank & 1)
			hash = hash_mix(hash, queue->entry[queue->hit[bank]].key);
	}
	return hash;
}

static u64 mix_inbox(u64 hash, struct channel *channel, u32 mode)
{
	u32 count = channel->inbox[mode].count, i;

	hash = hash_mix(hash, count);
	for (i = 0; i < count; i++) {
		const struct dram_request *request = inbox_at(channel, mode, i);

		hash = hash_mix(hash, request->ready_clock);
		hash = mix2(hash, request->bank | request->sectors << 8,
			    request->priority);
		hash = mix_tag(hash_mix(hash, request->row), &request->tag);
	}
	return hash;
}

/* A bank's open row and owner, and how long it has served each tenant. */
static u64 mix_bank(u64 hash, const struct channel *channel, u32 bank)
{
	u32 i;

	hash = mix2(hash, channel->row[bank], channel->owner[bank]);
	hash = mix2(hash, channel->owned_since[bank], channel->closed_at[bank]);
	hash = mix2(hash, channel->served[bank], channel->others[bank]);
	hash = hash_mix(hash, channel->bus_others[bank]);
	hash = hash_mix(hash, channel->reopening[bank]);
	for (i = 0; i < DRAM_BOUND; i++)
		hash = hash_mix(hash, channel->bank_next[i][bank]);
	for (i = 0; i < GPU_SLOTS_MAX; i++)
		hash = mix2(hash, channel->share[bank][i].row,
			    channel->share[bank][i].clocks);
	return hash;
}

static u64 mix_dram_tenant(u64 hash, const struct dram_tenant *tenant)
{
	hash = mix2(hash, tenant->since, tenant->banks);
	hash = mix2(hash, tenant->bank_busy, tenant->bank_active);
	hash = mix2(hash, tenant->bus_wait, tenant->bus_data);
	return hash_bytes(hash, tenant->held, sizeof(tenant->held));
}

static u64 mix_channel(u64 hash, const struct gpu *gpu, struct channel *channel)
{
	u32 i;

	hash = hash_mix(hash, channel->clock);
	hash = hash_mix(hash, channel->refresh_due);
	hash = mix2(hash, channel->open, channel->started);
	hash = mix2(hash, channel->mode | channel->next_mode << 8 |
			  channel->oldest_window << 16 |
			  (u32)channel->ranked << 24, channel->fresh);
	if (gpu->config.dram.trfc_bank)
		hash = hash_mix(mix2(hash, channel->refresh_bank, channel->closing),
				channel->bank_due);
	hash = hash_mix(hash, channel->age);
	hash = hash_mix(hash, channel->overdue_look);
	hash = hash_bytes(hash, channel->next, sizeof(channel->next));
	hash = hash_bytes(hash, channel->window, sizeof(channel->window));
	for (i = 0; i < DRAM_WANTS; i++)
		hash = hash_mix(hash, channel->want[i]);
	for (i = 0; i < gpu->config.banks; i++)
		hash = mix_bank(hash, channel, i);
	hash = hash_mix(hash, channel->bus_data);
	for (i = 0; i < GPU_SLOTS_MAX; i++)
		hash = mix_dram_tenant(hash, &channel->tenant[i]);
	for (i = DRAM_READS; i <= DRAM_WRITES; i++) {
		hash = mix_dram_queue(hash, &channel->queue[i]);
		hash = mix_inbox(hash, channel, i);
	}
	return hash;
}

/* The device's channels, and the mirrors'. */
static u64 mix_channels(u64 hash, const struct gpu *gpu)
{
	u32 channels = gpu->config.channels, i;

	for (i = 0; i < channels * GPU_SLOTS_MAX; i++) {
		hash = hash_mix(hash, gpu->channel_counters[i].requests);
		hash = hash_mix(hash, gpu->channel_counters[i].row_activates);
		hash = hash_mix(hash, gpu->channel_counters[i].bus_busy_clocks);
	}
	if (gpu->config.mirrors)
		channels += GPU_SLOTS_MAX;
	for (i = 0; i < channels; i++)
		hash = mix_channel(hash, gpu, &gpu->channels[i]);
	return hash;
}

u64 gpu_state_hash(struct gpu *gpu)
{
	u64 hash = mix_config(0, &gpu->config);
	u32 i;

	for (i = 0; i < gpu->config.channels; i++)
		channel_turn(gpu, i);
	hash = hash_mix(hash, gpu->now);
	hash = hash_bytes(hash, &gpu->lasts, sizeof(gpu->lasts));
	for (i = 0; i < GPU_SLOTS_MAX; i++)
		hash = mix_slot(hash, gpu, i);
	hash = mix_free_contexts(hash, gpu);
	for (i = 0; i < gpu->config.sms * GPU_SLOTS_MAX; i++)
		hash = mix_sm_tenant(hash, &gpu->sm_tenants[i]);
	for (i = 0; i < gpu->config.sms; i++) {
		hash = mix_counters(hash, &gpu->sm_counters[i]);
		hash = hash_mix(hash, gpu->sm_issue_slots[i]);
		hash = mix_sm(hash, gpu, &gpu->sms[i]);
		hash = mix_sm_port(hash, gpu, i);
	}
	if (gpu->core_mhz)
		hash = hash_mix(hash, gpu->core_mhz);
	if (gpu->managed_memory)
		hash = mix_managed(hash, gpu);
	if (gpu->copies)
		hash = mix_copies(hash, gpu);
	return mix_channels(mix_caches(hash, gpu), gpu);
}
