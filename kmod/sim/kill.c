// SPDX-License-Identifier: GPL-2.0
/*
 * Kernels that are made to spin, kernels that are killed, and resets of SMs and of the device.
 * preempt.c has how thread blocks leave an SM that changes hands.
 */
#include "sim.h"

/* Thread blocks of a kernel on an SM, a bit each. */
static u32 blocks_of_grid(const struct sm *sm, u32 grid)
{
	u32 blocks = 0, mask;

	for (mask = sm_used_blocks(sm); mask; mask &= mask - 1)
		if (sm->block[lowest_bit(mask)].grid == grid)
			blocks |= mask & -mask;
	return blocks;
}

static u64 warps_of(const struct sm *sm, u32 blocks)
{
	u64 warps = 0;

	for (; blocks; blocks &= blocks - 1)
		warps |= sm->block[lowest_bit(blocks)].warps;
	return warps;
}

/* --- spinning ------------------------------------------------------------------------- */

/* The warps of a kernel on an SM go over to spinning with their next instruction. */
static void spin_on(struct gpu *gpu, u32 index, u32 grid)
{
	struct sm *sm = &gpu->sms[index];
	u64 warps = warps_of(sm, blocks_of_grid(sm, grid) & ~sm->moving);

	if (!warps)
		return;
	sm_account(gpu, index);
	sm_cut_bursts(gpu, index, warps);
	for (; warps; warps &= warps - 1)
		warp_spin(&sm->warp[lowest_bit(warps)], gpu->grids[grid].trace);
	sm_wake(sm, gpu->now + 1);
}

void gpu_queue_spin(struct gpu *gpu, u32 slot, u32 queue)
{
	u32 number = grid_number(slot, queue), i;

	port_assert(gpu->tenants[slot].running >> queue & 1);
	gpu->grids[number].spins = true;
	/* A kernel whose thread blocks have all ended has no warp that could spin. */
	for (i = 0; i < gpu->config.sms; i++)
		spin_on(gpu, i, number);
}

/* --- killing -------------------------------------------------------------------------- */

/* Thread blocks vanish from an SM. */
static void drop_blocks(struct gpu *gpu, u32 index, u32 blocks)
{
	struct sm *sm = &gpu->sms[index];
	u64 warps = warps_of(sm, blocks);

	if (!blocks)
		return;
	sm_account(gpu, index);
	sm_free_schedulers(gpu, index, warps);
	lsu_forget(gpu, index, warps);
	for (; blocks; blocks &= blocks - 1) {
		u32 number = lowest_bit(blocks);

		context_forget(gpu, index, number);
		block_clear(gpu, index, &sm->block[number]);
	}
	sm_hold_warps(gpu, index);
	sm_settle_owner(gpu, index);
	if (sm->owner < GPU_SLOTS_MAX)
		gpu->dispatch |= 1ULL << sm->owner;
	sm_wake(sm, gpu->now + 1);
}

/* What SMs have said of a queue's blocks in a window that is not over. */
static void forget_ends(struct gpu *gpu, u32 slot, u32 queue)
{
	u32 i;

	for (i = 0; i < gpu->views; i++) {
		struct tenant_counts *counts = &gpu->view_of[i]->counts[slot];

		counts->blocks_ended[queue] = 0;
		counts->ended_at[queue] = 0;
		counts->issued_at[queue] = 0;
	}
}

/* A queue has no kernel any more. */
static void end_queue(struct gpu *gpu, u32 slot, u32 queue)
{
	struct tenant *tenant = &gpu->tenants[slot];
	u32 others = ~(1U << queue);

	tenant->ending &= others;
	tenant->finished &= others;
	if (!tenant->ending)
		gpu->ending &= ~(1ULL << slot);
	if (!tenant->finished)
		gpu->finished &= ~(1ULL << slot);
	if (!(tenant->running >> queue & 1))
		return;
	tenant->running &= others;
	if (tenant->running)
		return;
	slot_counters(gpu, slot)->refreshes += refreshes_due(gpu);
	gpu->running &= ~(1ULL << slot);
}

void gpu_queue_drop(struct gpu *gpu, u32 slot, u32 queue)
{
	u32 number = grid_number(slot, queue), i;
	struct grid *grid = &gpu->grids[number];

	port_assert(queue < GPU_QUEUES_MAX);
	dispatch_take_all_back(gpu, slot);
	for (i = 0; i < gpu->config.sms; i++)
		drop_blocks(gpu, i, blocks_of_grid(&gpu->sms[i], number));
	context_forget_grid(gpu, number);
	forget_ends(gpu, slot, queue);
	end_queue(gpu, slot, queue);
	grid->returned = 0;
	grid->spins = false;
	gpu_queue_set_issue_limit(gpu, slot, queue, GPU_NO_LIMIT);
	gpu->dispatch |= 1ULL << slot;
	gpu->dispatch_shared = true;
}

/* --- resets --------------------------------------------------------------------------- */

u32 gpu_sm_queues(const struct gpu *gpu, u32 sm, u32 slot)
{
	const struct sm *at = &gpu->sms[sm];
	u32 queues = 0, mask;

	for (mask = sm_used_blocks(at) & ~at->moving; mask; mask &= mask - 1) {
		const struct block *block = &at->block[lowest_bit(mask)];

		if (block->slot == slot)
			queues |= 1U << grid_queue(block->grid);
	}
	return queues;
}

/* An SM issues nothing for a time. */
static void hold_sm(struct gpu *gpu, u32 index, u64 cycles)
{
	struct sm *sm = &gpu->sms[index];
	u32 i;

	for (i = 0; i < sm->schedulers; i++) {
		/* A scheduler that issues for a block that stays goes on after that. */
		if (sm->free_at[i] > gpu->now + 1)
			continue;
		sm->free_at[i] = gpu->now + max_t(u64, cycles, 1);
		sm->scheduler[i].counted_to = sm->free_at[i];
	}
}

void gpu_sm_reset(struct gpu *gpu, u32 sm, u64 cycles)
{
	dispatch_take_back(gpu, sm);
	if (gpu->sms[sm].blocks)
		sm_reset_blocks(gpu, sm, sm_used_blocks(&gpu->sms[sm]));
	sm_account(gpu, sm);
	hold_sm(gpu, sm, cycles);
	if (!gpu->sms[sm].blocks)
		l1_flush(gpu, sm);
	if (gpu->sms[sm].owner < GPU_SLOTS_MAX)
		gpu->dispatch |= 1ULL << gpu->sms[sm].owner;
	gpu->dispatch_shared = true;
}

void gpu_reset(struct gpu *gpu)
{
	u32 slot, queue, sm;

	for (slot = 0; slot < GPU_SLOTS_MAX; slot++) {
		for (queue = 0; queue < GPU_QUEUES_MAX; queue++)
			if (gpu->tenants[slot].running >> queue & 1)
				gpu_queue_drop(gpu, slot, queue);
		llc_drop(gpu, slot);
	}
	for (sm = 0; sm < gpu->config.sms; sm++)
		l1_flush(gpu, sm);
}
