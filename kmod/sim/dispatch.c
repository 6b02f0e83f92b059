// SPDX-License-Identifier: GPL-2.0
/*
 * Issuing thread blocks to SMs: whether one fits, which is next, and what it
 * holds there until it ends. Preempted ones go before new ones.
 */
#include "sim.h"

u32 registers_of(const struct trace_kernel *kernel)
{
	return kernel->block_threads * kernel->registers_per_thread;
}

bool gpu_kernel_fits(const struct gpu_config *config,
		     const struct trace_kernel *kernel)
{
	return kernel->block_threads <= config->threads_per_sm &&
	       kernel->block_warps <= config->warps_per_sm &&
	       registers_of(kernel) <= config->registers_per_sm &&
	       kernel->shared_bytes <= config->shared_bytes_per_sm;
}

static u32 least_times(u32 most, u32 have, u32 need)
{
	return need && have / need < most ? have / need : most;
}

u32 gpu_kernel_blocks_per_sm(const struct gpu_config *config,
			     const struct trace_kernel *kernel)
{
	u32 blocks = config->blocks_per_sm;

	blocks = least_times(blocks, config->threads_per_sm,
			     kernel->block_threads);
	blocks = least_times(blocks, config->warps_per_sm, kernel->block_warps);
	blocks = least_times(blocks, config->registers_per_sm,
			     registers_of(kernel));
	return least_times(blocks, config->shared_bytes_per_sm,
			   kernel->shared_bytes);
}

/* Whether an SM has room for one more thread block of a kernel. */
static bool block_fits(const struct gpu *gpu, const struct sm *sm,
		       const struct trace_kernel *kernel)
{
	const struct gpu_config *config = &gpu->config;
	u32 threads = sm->threads_used + kernel->block_threads;
	u32 registers = sm->registers_used + registers_of(kernel);
	u32 shared = sm->shared_used + kernel->shared_bytes;

	return sm->blocks < config->blocks_per_sm &&
	       threads <= config->threads_per_sm &&
	       registers <= config->registers_per_sm &&
	       shared <= config->shared_bytes_per_sm &&
	       hweight64(sm->free_warps) >= kernel->block_warps;
}

/* Give a thread block a place for a warp; returns its number. */
static u32 place_warp(struct sm *sm, u32 block_number)
{
	struct block *block = &sm->block[block_number];
	u32 warp = lowest_bit(sm->free_warps);
	struct warp *w = &sm->warp[warp];

	sm->free_warps &= sm->free_warps - 1;
	block->warps |= 1ULL << warp;
	/* Its loads are set up as they come, but for what context.c counts in. */
	memset(w, 0, offsetof(struct warp, load[1]));
	w->slot = block->slot;
	w->block = block_number;
	w->wait_load = NONE;
	sm->warp_age[warp] = sm->age++;
	return warp;
}

static void start_warp(struct sm *sm, const struct trace_kernel *kernel,
		       u32 block_number, u32 index)
{
	u32 block_index = sm->block[block_number].index;
	u32 warp = place_warp(sm, block_number);
	struct warp *w = &sm->warp[warp];

	w->index = index;
	w->op = kernel->programs[0];
	if (kernel->warps) {
		const struct trace_warp *recorded =
			trace_warp(kernel, block_index, index);

		w->op = kernel->programs[recorded->program];
		w->line = recorded->first_line;
	}
	warp_ready(sm, warp);
}

/* A new thread block: its warps begin. */
static void begin_block(struct gpu *gpu, struct sm *sm, u32 number)
{
	struct block *block = &sm->block[number];
	struct tenant *tenant = &gpu->tenants[block->slot];
	const struct trace_kernel *kernel = tenant->kernel;
	u32 i;

	block->at_barrier = 0;
	block->state = BLOCK_RUNS;
	block->warps_left = kernel->block_warps;
	block->index = tenant->blocks_issued++;
	for (i = 0; i < kernel->block_warps; i++)
		start_warp(sm, kernel, number, i);
}

/* A saved thread block: its warps go on when its context is there. */
static void resume_block(struct gpu *gpu, struct sm *sm, u32 number, u32 saved)
{
	struct block *block = &sm->block[number];
	u32 i;

	block->at_barrier = gpu->pool.blocks[saved].at_barrier;
	block->state = BLOCK_RESTORES;
	block->warps_left = gpu->pool.blocks[saved].warps_left;
	block->index = gpu->pool.blocks[saved].index;
	block->moved = 0;
	block->saved = saved;
	sm->moving |= 1U << number;
	for (i = 0; i < block->warps_left; i++)
		sm->warp[place_warp(sm, number)].wait_load = WAIT_CONTEXT;
}

static void start_block(struct gpu *gpu, u32 index, u32 slot)
{
	const struct trace_kernel *kernel = gpu->tenants[slot].kernel;
	u32 saved = context_take(gpu, slot), number = 0;
	struct sm *sm = &gpu->sms[index];
	struct block *block;

	while (sm->block[number].used)
		number++;
	block = &sm->block[number];
	block->used = 1;
	block->slot = slot;
	block->warps = 0;
	if (saved == NO_CONTEXT)
		begin_block(gpu, sm, number);
	else
		resume_block(gpu, sm, number, saved);
	block->position[0] = block->index % kernel->grid[0];
	block->position[1] = block->index / kernel->grid[0] % kernel->grid[1];
	block->position[2] = block->index / kernel->grid[0] / kernel->grid[1];
	share_block_came(gpu, index, slot);
	sm->blocks++;
	sm->threads_used += kernel->block_threads;
	sm->registers_used += registers_of(kernel);
	sm->shared_used += kernel->shared_bytes;
	if (sm->quota_slots)
		sm_hold_warps(gpu, index);
}

/* Whether a slot is below its limit of thread blocks on an SM. */
static bool below_limit(const struct gpu *gpu, u32 index, u32 slot)
{
	u32 limit = sm_tenant(gpu, index, slot)->block_limit;

	return limit == GPU_NO_LIMIT ||
	       gpu_sm_blocks(gpu, index, slot) < limit;
}

static bool tenant_has_block(const struct tenant *tenant)
{
	return tenant->running && (tenant->blocks_preempted ||
				   tenant->blocks_issued < tenant->blocks);
}

/* Start one thread block on an SM if its owner has one and it fits. */
static bool try_start_block(struct gpu *gpu, u32 index)
{
	struct sm *sm = &gpu->sms[index];
	struct tenant *tenant;

	if (sm->owner >= GPU_SLOTS_MAX || sm->draining)
		return false;
	tenant = &gpu->tenants[sm->owner];
	if (!tenant_has_block(tenant) || !block_fits(gpu, sm, tenant->kernel) ||
	    !below_limit(gpu, index, sm->owner))
		return false;
	start_block(gpu, index, sm->owner);
	return true;
}

/*
 * sm_refill() - start thread blocks on an SM while they fit; shared SMs get
 *	theirs when the cycle is over, in the order of all
 */
void sm_refill(struct gpu *gpu, u32 index)
{
	bool started = false;

	if (gpu->sms[index].owner == GPU_SHARED)
		gpu->dispatch_shared = true;
	while (try_start_block(gpu, index))
		started = true;
	if (started)
		gpu_wake(gpu, part_of_sm(index), gpu->now + 1);
}

/*
 * Give a slot's SMs thread blocks, one an SM in turn, as GPUs do, so that a
 * small grid spreads over all of them.
 */
static void dispatch_blocks(struct gpu *gpu, u32 slot)
{
	bool started = true;
	u32 i;

	while (started) {
		started = false;
		for (i = 0; i < gpu->config.sms; i++) {
			if (gpu->sms[i].owner != slot ||
			    !try_start_block(gpu, i))
				continue;
			started = true;
			gpu_wake(gpu, part_of_sm(i), gpu->now + 1);
		}
	}
}

/* --- shared SMs: whose thread block is next (STM 4.1) ----------------------------- */

static bool takes_from_all(const struct sm *sm)
{
	return sm->owner == GPU_SHARED && !sm->draining;
}

/* The first shared SM from @from on with room for a slot's block, or NONE. */
static u32 find_room(const struct gpu *gpu, u32 slot, u32 from)
{
	const struct tenant *tenant = &gpu->tenants[slot];
	u32 i;

	for (i = 0; i < gpu->config.sms; i++) {
		u32 index = (from + i) % gpu->config.sms;
		const struct sm *sm = &gpu->sms[index];

		if (takes_from_all(sm) && block_fits(gpu, sm, tenant->kernel) &&
		    below_limit(gpu, index, slot))
			return index;
	}
	return NONE;
}

/* Slots that have a block to issue and may have one more on some shared SM. */
static u64 slots_that_wait(const struct gpu *gpu)
{
	u64 waiting = 0, mask;
	u32 i;

	for (mask = gpu->running; mask; mask &= mask - 1) {
		u32 slot = lowest_bit(mask);

		if (!tenant_has_block(&gpu->tenants[slot]))
			continue;
		for (i = 0; i < gpu->config.sms; i++) {
			if (!takes_from_all(&gpu->sms[i]) ||
			    !below_limit(gpu, i, slot))
				continue;
			waiting |= 1ULL << slot;
			break;
		}
	}
	return waiting;
}

/* Let cycles of the algorithm pass until a bucket among @slots is full. */
static void fill_buckets(struct gpu *gpu, u64 slots)
{
	u32 cycles = U32_MAX;
	u64 mask;

	for (mask = slots; mask; mask &= mask - 1) {
		struct tenant *tenant = &gpu->tenants[lowest_bit(mask)];
		u32 left = tenant->bucket_tokens < tenant->bucket_capacity ?
			   tenant->bucket_capacity - tenant->bucket_tokens : 1;

		cycles = left < cycles ? left : cycles;
	}
	for (mask = slots; mask; mask &= mask - 1) {
		u32 slot = lowest_bit(mask);
		struct tenant *tenant = &gpu->tenants[slot];

		tenant->bucket_tokens += cycles;
		if (tenant->bucket_tokens < tenant->bucket_capacity)
			continue;
		tenant->bucket_tokens = 0;
		gpu->bucket_full |= 1ULL << slot;
	}
}

/* The slot at the head of the queue that the buckets fill, or NONE. */
static u32 queue_head(struct gpu *gpu)
{
	u64 slots = slots_that_wait(gpu);

	gpu->bucket_full &= slots;
	if (slots && !gpu->bucket_full)
		fill_buckets(gpu, slots);
	return slots ? lowest_bit(gpu->bucket_full) : NONE;
}

/* Whose block goes next and, in @sm, where; NONE: nobody's can. */
static u32 next_in_queue(struct gpu *gpu, u32 *sm)
{
	u32 slot = queue_head(gpu);

	if (slot == NONE)
		return NONE;
	*sm = find_room(gpu, slot, gpu->order_sm);
	if (*sm == NONE)
		return NONE;
	gpu->bucket_full &= ~(1ULL << slot);
	gpu->order_sm = (*sm + 1) % gpu->config.sms;
	return slot;
}

/* Likewise, when the slots take turns. */
static u32 next_in_turn(struct gpu *gpu, u32 *sm)
{
	u32 i;

	for (i = 0; i < GPU_SLOTS_MAX; i++) {
		u32 slot = (gpu->order_slot + i) % GPU_SLOTS_MAX;
		struct tenant *tenant = &gpu->tenants[slot];

		if (!tenant_has_block(tenant))
			continue;
		*sm = find_room(gpu, slot, tenant->next_sm);
		if (*sm == NONE)
			continue;
		gpu->order_slot = (slot + 1) % GPU_SLOTS_MAX;
		tenant->next_sm = (*sm + 1) % gpu->config.sms;
		return slot;
	}
	return NONE;
}

static void dispatch_shared(struct gpu *gpu)
{
	u32 slot, sm;

	for (;;) {
		slot = gpu->block_order == GPU_ORDER_LEAKY_BUCKET ?
		       next_in_queue(gpu, &sm) : next_in_turn(gpu, &sm);
		if (slot == NONE)
			return;
		start_block(gpu, sm, slot);
		gpu_wake(gpu, part_of_sm(sm), gpu->now + 1);
	}
}

void gpu_set_block_order(struct gpu *gpu, enum gpu_block_order order)
{
	gpu->block_order = order;
	gpu->dispatch_shared = true;
}

void gpu_set_bucket(struct gpu *gpu, u32 slot, u32 capacity)
{
	port_assert(capacity);
	gpu->tenants[slot].bucket_capacity = capacity;
}

/*
 * dispatch_waiting() - issue the thread blocks of all slots in gpu->dispatch:
 *	they, or room for them, came from somewhere else than their own SMs; and
 *	those of shared SMs
 *
 * Between two cycles, so that the order of turns does not show.
 */
void dispatch_waiting(struct gpu *gpu)
{
	gpu->dispatch_shared = false;
	while (gpu->dispatch) {
		dispatch_blocks(gpu, lowest_bit(gpu->dispatch));
		gpu->dispatch &= gpu->dispatch - 1;
	}
	dispatch_shared(gpu);
}

/*
 * block_release() - free what a thread block held of its SM
 */
void block_release(struct gpu *gpu, u32 index, struct block *block)
{
	const struct trace_kernel *kernel = gpu->tenants[block->slot].kernel;
	struct sm *sm = &gpu->sms[index];

	block->used = 0;
	block->warps = 0;
	sm->blocks--;
	sm->threads_used -= kernel->block_threads;
	sm->registers_used -= registers_of(kernel);
	sm->shared_used -= kernel->shared_bytes;
	share_block_left(gpu, index, block->slot);
}

/*
 * block_finish() - a thread block's last warp has ended
 */
void block_finish(struct gpu *gpu, u32 index, u32 number)
{
	struct sm *sm = &gpu->sms[index];
	struct block *block = &sm->block[number];
	u32 slot = block->slot;
	struct tenant *tenant = &gpu->tenants[slot];
	const struct trace_kernel *kernel = tenant->kernel;

	block_release(gpu, index, block);
	tenant->counters.blocks_finished++;
	gpu->sm_counters[index].blocks_finished++;
	if (++tenant->blocks_finished == kernel->blocks) {
		share_account_all(gpu);
		tenant->counters.kernels_finished++;
		gpu->running &= ~(1ULL << slot);
		tenant->counters.refreshes += refreshes_due(gpu);
		tenant->running = 0;
		gpu->finished |= 1ULL << slot;
	}
	if (sm->quota_slots)
		sm_hold_warps(gpu, index);
	sm_settle_owner(gpu, index);
	sm_refill(gpu, index);
}
