// SPDX-License-Identifier: GPL-2.0
/*
 * Who holds an SM: thread blocks are issued to the SMs of their tenant, and an
 * SM changes hands when the old owner's last thread block has left it
 * (preemption by draining).
 */
#include "sim.h"

static u32 registers_of(const struct trace_kernel *kernel)
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

static void start_warp(struct sm *sm, const struct trace_kernel *kernel,
		       u32 block_number, u32 index)
{
	struct block *block = &sm->block[block_number];
	u32 warp = lowest_bit(sm->free_warps);
	struct warp *w = &sm->warp[warp];

	sm->free_warps &= sm->free_warps - 1;
	block->warps |= 1ULL << warp;
	/* Its loads are set up as they come. */
	memset(w, 0, offsetof(struct warp, load));
	w->block = block_number;
	w->index = index;
	w->wait_load = NONE;
	w->op = kernel->programs[0];
	if (kernel->warps) {
		const struct trace_warp *recorded =
			&kernel->warps[(u64)block->index * kernel->block_warps +
				       index];

		w->op = kernel->programs[recorded->program];
		w->line = recorded->first_line;
	}
	sm->warp_age[warp] = sm->age++;
	warp_ready(sm, warp);
}

static void start_block(struct gpu *gpu, u32 index, u32 slot)
{
	struct tenant *tenant = &gpu->tenants[slot];
	const struct trace_kernel *kernel = tenant->kernel;
	struct sm *sm = &gpu->sms[index];
	u32 number = 0, i;
	struct block *block;

	while (sm->block[number].used)
		number++;
	block = &sm->block[number];
	block->used = 1;
	block->slot = slot;
	block->warps = 0;
	block->at_barrier = 0;
	block->warps_left = kernel->block_warps;
	block->index = tenant->blocks_issued++;
	block->position[0] = block->index % kernel->grid[0];
	block->position[1] = block->index / kernel->grid[0] % kernel->grid[1];
	block->position[2] = block->index / kernel->grid[0] / kernel->grid[1];
	sm->blocks++;
	sm->threads_used += kernel->block_threads;
	sm->registers_used += registers_of(kernel);
	sm->shared_used += kernel->shared_bytes;
	for (i = 0; i < kernel->block_warps; i++)
		start_warp(sm, kernel, number, i);
}

/* Start one thread block on an SM if its owner has one and it fits. */
static bool try_start_block(struct gpu *gpu, u32 index)
{
	struct sm *sm = &gpu->sms[index];
	struct tenant *tenant;

	if (sm->owner == GPU_NO_TENANT || sm->draining)
		return false;
	tenant = &gpu->tenants[sm->owner];
	if (!tenant->running ||
	    tenant->blocks_issued == tenant->kernel->blocks ||
	    !block_fits(gpu, sm, tenant->kernel))
		return false;
	start_block(gpu, index, sm->owner);
	return true;
}

/*
 * sm_refill() - start thread blocks on an SM while they fit
 */
void sm_refill(struct gpu *gpu, u32 index)
{
	bool started = false;

	while (try_start_block(gpu, index))
		started = true;
	if (started)
		gpu_wake(gpu, part_of_sm(index), gpu->now + 1);
}

/*
 * dispatch_blocks() - give a slot's SMs thread blocks, one an SM in turn, as
 *	GPUs do, so that a small grid spreads over all of them
 */
void dispatch_blocks(struct gpu *gpu, u32 slot)
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

/*
 * sm_settle_owner() - hand an SM over if its old owner has left it; a drain
 *	that has begun is finished, even where the old owner stays
 */
void sm_settle_owner(struct gpu *gpu, u32 index)
{
	struct sm *sm = &gpu->sms[index];
	u32 i;

	if (sm->blocks)
		return;
	sm->draining = 0;
	if (sm->owner == sm->next_owner)
		return;
	sm_account(gpu, index);
	/* The next owner begins, and so do its stalls, in the next cycle. */
	for (i = 0; i < sm->schedulers; i++) {
		sm->free_at[i] = later(sm->free_at[i], gpu->now + 1);
		sm->scheduler[i].counted_to = sm->free_at[i];
	}
	sm->owner = sm->next_owner;
	l1_flush(gpu, index);
}

/*
 * block_release() - free what a thread block held of its SM
 */
void block_release(struct sm *sm, const struct trace_kernel *kernel,
		   struct block *block)
{
	block->used = 0;
	block->warps = 0;
	sm->blocks--;
	sm->threads_used -= kernel->block_threads;
	sm->registers_used -= registers_of(kernel);
	sm->shared_used -= kernel->shared_bytes;
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

	block_release(sm, kernel, block);
	tenant->counters.blocks_finished++;
	gpu->sm_counters[index].blocks_finished++;
	if (++tenant->blocks_finished == kernel->blocks) {
		tenant->counters.kernels_finished++;
		tenant->running = 0;
		gpu->finished |= 1ULL << slot;
	}
	sm_settle_owner(gpu, index);
	sm_refill(gpu, index);
}

void gpu_sm_assign(struct gpu *gpu, u32 sm, u32 slot)
{
	gpu->sms[sm].next_owner = slot;
	if (slot != gpu->sms[sm].owner)
		gpu->sms[sm].draining = 1;
	sm_settle_owner(gpu, sm);
	if (slot != GPU_NO_TENANT)
		gpu->dispatch |= 1ULL << slot;
}

void gpu_sm_status(const struct gpu *gpu, u32 sm, struct gpu_sm_status *out)
{
	out->owner = gpu->sms[sm].owner;
	out->next_owner = gpu->sms[sm].next_owner;
	out->blocks = gpu->sms[sm].blocks;
}
