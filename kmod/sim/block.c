// SPDX-License-Identifier: GPL-2.0
/*
 * Thread blocks on an SM: how they come, and how they leave it. dispatch.c decides which
 * thread blocks an SM gets.
 */
#include "sim.h"

/* --- coming ----------------------------------------------------------------------- */

/* Give a thread block a place for a warp; returns its number. */
static u32 place_warp(struct sm *sm, u32 block_number)
{
	struct block *block = &sm->block[block_number];
	u32 warp = lowest_bit(sm->free_warps);
	struct warp *w = &sm->warp[warp];

	sm->free_warps &= sm->free_warps - 1;
	block->warps |= 1ULL << warp;
	/* A load is set up when it is issued, except for the one in which context.c counts. */
	memset(w, 0, offsetof(struct warp, load[1]));
	w->slot = block->slot;
	w->grid = block->grid;
	w->block = block_number;
	w->wait_load = NONE;
	sm->warp_age[warp] = sm->age++;
	return warp;
}

static void start_warp(const struct gpu *gpu, struct sm *sm, u32 block_number, u32 index)
{
	const struct grid *grid = &gpu->grids[sm->block[block_number].grid];
	const struct trace_kernel *kernel = grid->kernel;
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
	if (grid->spins)
		w->op = grid->trace->spin;
	warp_ready(sm, warp);
}

/* A new thread block: its warps begin. */
static void begin_block(const struct gpu *gpu, struct sm *sm, u32 number)
{
	struct block *block = &sm->block[number];
	const struct trace_kernel *kernel = gpu->grids[block->grid].kernel;
	u32 i;

	block->at_barrier = 0;
	block->state = BLOCK_RUNS;
	block->issued = 0;
	block->since = gpu->now;
	block->warps_left = kernel->block_warps;
	for (i = 0; i < kernel->block_warps; i++)
		start_warp(gpu, sm, number, i);
}

/* A saved thread block: its warps go on when its context is there. */
static void resume_block(struct gpu *gpu, struct sm *sm, u32 number, u32 saved)
{
	struct block *block = &sm->block[number];
	u32 i;

	block->at_barrier = gpu->pool.blocks[saved].at_barrier;
	block->state = BLOCK_RESTORES;
	block->issued = gpu->pool.blocks[saved].issued;
	block->since = gpu->now - gpu->pool.blocks[saved].cycles;
	block->warps_left = gpu->pool.blocks[saved].warps_left;
	block->moved = 0;
	block->saved = saved;
	context_returns(gpu, sm);
	sm->moving |= 1U << number;
	for (i = 0; i < block->warps_left; i++)
		sm->warp[place_warp(sm, number)].wait_load = WAIT_CONTEXT;
}

/* block_fits() - whether an SM has room for one more thread block of a kernel */
bool block_fits(const struct gpu *gpu, const struct sm *sm,
		const struct trace_kernel *kernel)
{
	const struct gpu_config *config = &gpu->config;
	u32 threads = sm->threads_used + kernel->block_threads;
	u32 registers = sm->registers_used + registers_of(kernel);
	u32 shared = sm->shared_used + kernel->shared_bytes;
	u32 most = sm->owner == GPU_SHARED ? gpu->shared_blocks :
		   config->blocks_per_sm;

	return sm->blocks < most &&
	       threads <= config->threads_per_sm &&
	       registers <= config->registers_per_sm &&
	       shared <= config->shared_bytes_per_sm &&
	       hweight64(sm->free_warps) >= kernel->block_warps;
}

/* block_becomes() - a place for a thread block has the one of that number in the kernel */
void block_becomes(const struct gpu *gpu, struct block *block, u32 number)
{
	const struct trace_kernel *kernel = gpu->grids[block->grid].kernel;

	block->index = number;
	block->position[0] = number % kernel->grid[0];
	block->position[1] = number / kernel->grid[0] % kernel->grid[1];
	block->position[2] = number / kernel->grid[0] / kernel->grid[1];
}

/*
 * block_start_at() - a thread block comes to an SM, where it begins in the next cycle
 * @number: its place there, which is free
 * @grid: its kernel, see grid_number()
 * @block_index: number of the thread block in that kernel
 * @saved: the place of its context in the pool, or NO_CONTEXT for a new one
 */
void block_start_at(struct gpu *gpu, u32 index, u32 number, u32 grid,
		    u32 block_index, u32 saved)
{
	const struct trace_kernel *kernel = gpu->grids[grid].kernel;
	struct sm *sm = &gpu->sms[index];
	struct block *block = &sm->block[number];

	block->used = 1;
	block->slot = grid_slot(grid);
	block->grid = grid;
	block->warps = 0;
	block_becomes(gpu, block, block_index);
	if (saved == NO_CONTEXT) {
		begin_block(gpu, sm, number);
		worker_begins(gpu, sm, number);
	} else {
		resume_block(gpu, sm, number, saved);
	}
	share_block_came(gpu, index, block->slot);
	if (gpu->bounded)
		tell_place(gpu, block->slot, GPU_PLACE_SM, index);
	sm->blocks++;
	sm->threads_used += kernel->block_threads;
	sm->registers_used += registers_of(kernel);
	sm->shared_used += kernel->shared_bytes;
	if (sm->quota_slots)
		sm_hold_warps(gpu, index);
	sm_wake(sm, gpu->now + 1);
}

/* block_start() - block_start_at() at the first free place */
void block_start(struct gpu *gpu, u32 index, u32 grid, u32 block_index, u32 saved)
{
	u32 place = 0;

	while (gpu->sms[index].block[place].used)
		place++;
	block_start_at(gpu, index, place, grid, block_index, saved);
}

/*
 * sm_refill() - start thread blocks from the SM's reserve while they fit
 */
void sm_refill(struct gpu *gpu, u32 index)
{
	struct sm *sm = &gpu->sms[index];

	while (sm->reserved && !sm->draining &&
	       block_fits(gpu, sm, gpu->grids[sm->reserve_grid].kernel) &&
	       below_limit(gpu, index, sm->owner))
		block_start(gpu, index, sm->reserve_grid,
			    sm->reserve[--sm->reserved], NO_CONTEXT);
}

/* --- leaving ----------------------------------------------------------------------- */

/*
 * sm_notify() - tell dispatch.c of a thread block whose context was moved
 * @saved: its place in the pool
 */
void sm_notify(struct gpu *gpu, u32 index, u32 grid, enum notice_kind kind,
	       u32 saved)
{
	struct sm *sm = &gpu->sms[index];

	port_assert(sm->notices < SM_NOTICES_MAX);
	gpu->noticed = true;
	sm->notice[sm->notices++] = (struct notice) {
		.at = gpu->now,
		.saved = saved,
		.grid = grid,
		.kind = kind,
	};
}

/*
 * block_issued() - warp instructions that a thread block has issued so far
 */
u64 block_issued(const struct sm *sm, const struct block *block)
{
	u64 issued = block->issued, mask;

	for (mask = block->warps; mask; mask &= mask - 1)
		issued += sm->warp[lowest_bit(mask)].issued;
	return issued;
}

/* block_clear() - take a thread block off its SM without a trace */
void block_clear(struct gpu *gpu, u32 index, struct block *block)
{
	const struct trace_kernel *kernel = gpu->grids[block->grid].kernel;
	struct sm *sm = &gpu->sms[index];
	u64 warps = block->warps;
	u32 i;

	for (i = 0; i < sm->schedulers; i++)
		if (sm->greedy[i] != NONE && (warps & (1ULL << sm->greedy[i])))
			sm->greedy[i] = NONE;
	sm->ready &= ~warps;
	sm->sleeping &= ~warps;
	sm->dependent &= ~warps;
	sm->lsu_waiters &= ~warps;
	sm->shared_waiters &= ~warps;
	sm->store_waiters &= ~warps;
	sm->free_warps |= warps;
	if (sm->has_late)
		quota_flush(gpu, index, warps);
	if (sm->has_faulted)
		fault_forget(sm, warps);
	for (; warps; warps &= warps - 1)
		sm->warp_stores[lowest_bit(warps)] = 0;
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
	struct tenant_counts *counts = &gpu->counts[block->slot];
	u32 queue = grid_queue(block->grid);

	counts->blocks_ended[queue]++;
	counts->ended_at[queue] = max(counts->ended_at[queue], gpu->now);
	counts->counters.blocks_finished++;
	gpu->sm_counters[index].blocks_finished++;
	block_clear(gpu, index, block);
	if (sm->quota_slots)
		sm_hold_warps(gpu, index);
	if (gpu->worker_blocks)
		worker_goes_on(gpu, index, number);
	sm_settle_owner(gpu, index);
	sm_refill(gpu, index);
}
