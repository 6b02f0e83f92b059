// SPDX-License-Identifier: GPL-2.0
/*
 * Issue limits of queues, and what the driver is told at the ends of windows: slices that
 * are over, and quotas that are used up. dispatch.c issues thread blocks.
 */
#include "sim.h"

/* --- issue limits ------------------------------------------------------------------ */

/* Whether any queue of a slot has a limit. */
static bool is_limited(const struct gpu *gpu, u32 slot)
{
	u32 queue;

	for (queue = 0; queue < GPU_QUEUES_MAX; queue++)
		if (gpu->grids[grid_number(slot, queue)].issue_left !=
		    GPU_NO_LIMIT)
			return true;
	return false;
}

static void set_limit(struct gpu *gpu, u32 slot, u32 queue, u32 blocks)
{
	struct grid *grid = &gpu->grids[grid_number(slot, queue)];
	struct tenant *tenant = &gpu->tenants[slot];

	grid->issue_left = blocks;
	grid->slice_told = !blocks;
	tenant->sliced &= ~(1U << queue);
	if (!tenant->sliced)
		gpu->sliced &= ~(1ULL << slot);
	gpu->limited &= ~(1ULL << slot);
	gpu->limited |= (u64)is_limited(gpu, slot) << slot;
}

void gpu_queue_set_issue_limit(struct gpu *gpu, u32 slot, u32 queue, u32 blocks)
{
	u32 number = grid_number(slot, queue);

	port_assert(queue < GPU_QUEUES_MAX);
	/* A queue without a limit that gets none keeps its SMs' reserves. */
	if (blocks == GPU_NO_LIMIT &&
	    gpu->grids[number].issue_left == GPU_NO_LIMIT)
		return;
	dispatch_take_all_back(gpu, slot);
	set_limit(gpu, slot, queue, blocks);
	gpu->dispatch |= 1ULL << slot;
	gpu->dispatch_shared = true;
}

u32 gpu_queue_issue_left(const struct gpu *gpu, u32 slot, u32 queue)
{
	u32 number = grid_number(slot, queue), i;
	u32 left = gpu->grids[number].issue_left;

	if (left == GPU_NO_LIMIT)
		return left;
	/* Thread blocks in the reserves of SMs have not begun. */
	for (i = 0; i < gpu->config.sms; i++)
		if (gpu->sms[i].reserve_grid == number)
			left += gpu->sms[i].reserved;
	return left;
}

/*
 * issue_forget() - a slot has no limits, as at first
 */
void issue_forget(struct gpu *gpu, u32 slot)
{
	u32 queue;

	for (queue = 0; queue < GPU_QUEUES_MAX; queue++)
		set_limit(gpu, slot, queue, GPU_NO_LIMIT);
	gpu->quotas_out &= ~(1ULL << slot);
	gpu->quotas_told &= ~(1ULL << slot);
}

/* Whether all allowed blocks have begun, and all that began have ended. */
static bool slice_is_over(const struct grid *grid)
{
	return !grid->issue_left && !grid->slice_told &&
	       grid->blocks_finished == grid->next_block - grid->returned;
}

static void end_slices(struct gpu *gpu, u32 slot)
{
	u32 queue;

	for (queue = 0; queue < GPU_QUEUES_MAX; queue++) {
		struct grid *grid = &gpu->grids[grid_number(slot, queue)];

		if (!slice_is_over(grid))
			continue;
		grid->slice_told = true;
		gpu->tenants[slot].sliced |= 1U << queue;
		gpu->sliced |= 1ULL << slot;
	}
}

u64 gpu_take_slices(struct gpu *gpu)
{
	u64 slots = gpu->sliced;

	gpu->sliced = 0;
	return slots;
}

u32 gpu_take_sliced_queues(struct gpu *gpu, u32 slot)
{
	u32 queues = gpu->tenants[slot].sliced;

	gpu->tenants[slot].sliced = 0;
	return queues;
}

/* --- quotas ------------------------------------------------------------------------ */

void gpu_watch_quotas(struct gpu *gpu, bool watch)
{
	gpu->watch_quotas = watch;
	gpu->quotas_out = 0;
	gpu->quotas_told = 0;
}

u64 gpu_take_quotas_out(struct gpu *gpu)
{
	u64 slots = gpu->quotas_out;

	gpu->quotas_out = 0;
	return slots;
}

/* Of the slots with a quota on an SM, those that run there, and those that may go on. */
static void look_at_quotas(const struct gpu *gpu, u32 index, u64 *run, u64 *go_on)
{
	u64 mask;

	for (mask = gpu->sms[index].quota_slots; mask; mask &= mask - 1) {
		u32 slot = lowest_bit(mask);

		if (!sm_tenant(gpu, index, slot)->blocks)
			continue;
		*run |= 1ULL << slot;
		if (!quota_is_out(gpu, index, slot))
			*go_on |= 1ULL << slot;
	}
}

static void find_quotas_out(struct gpu *gpu)
{
	u64 run = 0, go_on = 0, out;
	u32 i;

	for (i = 0; i < gpu->config.sms; i++)
		look_at_quotas(gpu, i, &run, &go_on);
	out = run & ~go_on;
	gpu->quotas_out |= out & ~gpu->quotas_told;
	gpu->quotas_told = out;
}

/* --- where windows end --------------------------------------------------------------- */

/*
 * issue_window() - at the end of a window, find what the driver is to be told
 */
void issue_window(struct gpu *gpu)
{
	u64 slots;

	for (slots = gpu->limited; slots; slots &= slots - 1)
		end_slices(gpu, lowest_bit(slots));
	if (gpu->watch_quotas)
		find_quotas_out(gpu);
}
