// SPDX-License-Identifier: GPL-2.0
/*
 * The owners of SMs, and how the old owner's thread blocks leave: they run to
 * their end (draining), their contexts are saved (context switch), or they are
 * dropped (reset). dispatch.c issues blocks; context.c moves contexts.
 */
#include "sim.h"

static void add_handover(struct simgpu_counters *counters, u64 cycles)
{
	counters->sm_handovers++;
	counters->sm_handover_cycles += cycles;
}

/* The old owner's thread blocks are gone: count the wait for the next owner. */
static void count_handover(struct gpu *gpu, u32 index)
{
	struct sm *sm = &gpu->sms[index];
	u64 cycles = gpu->now - sm->asked_at;

	add_handover(&gpu->sm_counters[index], cycles);
	if (sm->next_owner >= GPU_SLOTS_MAX)
		return;
	add_handover(slot_counters(gpu, sm->next_owner), cycles);
	sm->handed_to = sm->next_owner + 1;
	sm->handed_after = cycles;
	gpu->handed = true;
}

void gpu_set_handover_hook(struct gpu *gpu, gpu_handover_hook hook, void *context)
{
	gpu->handover_hook = hook;
	gpu->handover_context = context;
}

/*
 * preempt_hear() - tell of SMs that have changed hands in a window: blocks come to an SM
 *	between windows, so that it changes hands once at most
 */
void preempt_hear(struct gpu *gpu)
{
	bool handed = false;
	u32 i;

	for (i = 0; i < gpu->views; i++) {
		handed |= gpu->view_of[i]->handed;
		gpu->view_of[i]->handed = false;
	}
	for (i = 0; handed && i < gpu->config.sms; i++) {
		struct sm *sm = &gpu->sms[i];

		if (sm->handed_to && gpu->handover_hook)
			gpu->handover_hook(gpu->handover_context, sm->handed_to - 1U,
					   sm->handed_after);
		sm->handed_to = 0;
	}
}

/*
 * sm_settle_owner() - hand an SM over if its old owner's blocks have left; a drain
 *	that has begun is finished, even if the old owner stays
 */
void sm_settle_owner(struct gpu *gpu, u32 index)
{
	struct sm *sm = &gpu->sms[index];
	u32 i;

	/* Blocks that a yielding SM has in its reserve are taken back at the window's end. */
	if (sm->blocks || (sm->yielding && sm->reserved))
		return;
	if ((sm->draining || sm->yielding) && sm->owner != sm->next_owner)
		count_handover(gpu, index);
	sm->draining = 0;
	sm->yielding = 0;
	if (sm->owner == sm->next_owner)
		return;
	sm_account(gpu, index);
	workers_begin(sm);
	/* The next owner, and the count of its stalls, begin in the next cycle. */
	for (i = 0; i < sm->schedulers; i++) {
		sm->free_at[i] = max(sm->free_at[i], gpu->now + 1);
		sm->scheduler[i].counted_to = sm->free_at[i];
	}
	sm->owner = sm->next_owner;
	l1_flush(gpu, index);
}

/* sm_used_blocks() - places of an SM that have a thread block, a bit each */
u32 sm_used_blocks(const struct sm *sm)
{
	u32 blocks = 0, i;

	for (i = 0; i < SM_BLOCKS_MAX; i++)
		if (sm->block[i].used)
			blocks |= 1U << i;
	return blocks;
}

/*
 * sm_hold_warps() - gather which warps of an SM must not issue: those of blocks
 *	that do not run, those whose quota is used up, and those that wait for a page
 */
void sm_hold_warps(struct gpu *gpu, u32 index)
{
	struct sm *sm = &gpu->sms[index];
	u32 mask = sm->moving;

	if (sm->quota_slots) {
		quota_refill(gpu, index);
		mask = sm_used_blocks(sm);
	}
	sm->held = sm->faulted;
	for (; mask; mask &= mask - 1) {
		const struct block *block = &sm->block[lowest_bit(mask)];

		if (block->state != BLOCK_RUNS ||
		    quota_is_out(gpu, index, block->slot))
			sm->held |= block->warps;
	}
}

/*
 * sm_cut_bursts() - end the bursts of some warps with the instructions that are being
 *	issued
 */
void sm_cut_bursts(struct gpu *gpu, u32 index, u64 warps)
{
	struct sm *sm = &gpu->sms[index];
	u32 i;

	for (i = 0; i < sm->schedulers; i++)
		if (sm->greedy[i] != NONE && (warps & (1ULL << sm->greedy[i])))
			burst_cut(gpu, sm, i);
}

/*
 * Stop thread blocks of an SM, to save them. Those that are being restored need
 * no saving. Blocks that find no place in the pool run on.
 */
static void stop_blocks(struct gpu *gpu, u32 index, u32 blocks)
{
	struct sm *sm = &gpu->sms[index];
	u32 running = blocks & ~sm->moving, mask;
	bool room = context_reserve(gpu, index, running);

	if (running && room)
		context_stops(gpu, sm);
	for (mask = blocks; mask; mask &= mask - 1) {
		u32 number = lowest_bit(mask);
		struct block *block = &sm->block[number];

		if (block->state == BLOCK_RESTORES) {
			block->state = BLOCK_RETURNS;
		} else if (block->state == BLOCK_RUNS && room) {
			sm_cut_bursts(gpu, index, block->warps);
			block->state = BLOCK_STOPS;
			block->moved = 0;
			sm->moving |= 1U << number;
		}
	}
	sm_hold_warps(gpu, index);
	sm_wake(sm, gpu->now + 1);
}

/* --- reset ------------------------------------------------------------------------- */

static void add_reset(struct simgpu_counters *counters, u64 issued, u64 cycles)
{
	counters->reset_blocks++;
	counters->reset_warp_instructions += issued;
	counters->reset_block_cycles += cycles;
}

static void count_reset(struct gpu *gpu, u32 index, const struct block *block)
{
	u64 issued = block_issued(&gpu->sms[index], block);
	u64 cycles = gpu->now - block->since;

	add_reset(slot_counters(gpu, block->slot), issued, cycles);
	add_reset(&gpu->sm_counters[index], issued, cycles);
}

/* sm_free_schedulers() - free the schedulers that issue for some warps in the next cycle */
void sm_free_schedulers(struct gpu *gpu, u32 index, u64 warps)
{
	struct sm *sm = &gpu->sms[index];
	u32 i;

	sm_cut_bursts(gpu, index, warps);
	for (i = 0; i < sm->schedulers; i++)
		if (sm->greedy[i] != NONE && warps >> sm->greedy[i] & 1)
			sm->free_at[i] = min(sm->free_at[i], gpu->now + 1);
}

/* Of @blocks, those that find a place where dropped thread blocks wait */
static u32 queue_dropped(struct gpu *gpu, u32 index, u32 blocks)
{
	u32 dropped = 0, mask;

	for (mask = blocks; mask; mask &= mask - 1)
		if (context_drop(gpu, &gpu->sms[index].block[lowest_bit(mask)]))
			dropped |= mask & -mask;
	return dropped;
}

/*
 * sm_reset_blocks() - drop thread blocks of an SM; blocks whose contexts are being moved
 *	finish that
 */
void sm_reset_blocks(struct gpu *gpu, u32 index, u32 blocks)
{
	struct sm *sm = &gpu->sms[index];
	u64 warps = 0;
	u32 mask;

	for (mask = blocks & sm->moving; mask; mask &= mask - 1)
		if (sm->block[lowest_bit(mask)].state == BLOCK_RESTORES)
			sm->block[lowest_bit(mask)].state = BLOCK_RETURNS;
	blocks = queue_dropped(gpu, index, blocks & ~sm->moving);
	for (mask = blocks; mask; mask &= mask - 1)
		warps |= sm->block[lowest_bit(mask)].warps;
	sm_account(gpu, index);
	sm_free_schedulers(gpu, index, warps);
	lsu_forget(gpu, index, warps);
	for (mask = blocks; mask; mask &= mask - 1) {
		struct block *block = &sm->block[lowest_bit(mask)];

		count_reset(gpu, index, block);
		gpu->dispatch |= 1ULL << block->slot;
		block_clear(gpu, index, block);
	}
	sm_hold_warps(gpu, index);
	sm_settle_owner(gpu, index);
	sm_wake(sm, gpu->now + 1);
	gpu->dispatch_shared = true;
}

/* --- leaving ------------------------------------------------------------------------ */

static void leave(struct gpu *gpu, u32 index, u32 blocks, enum gpu_preemption mode)
{
	if (gpu->config.preempt_level != GPU_LEVEL_WITHIN)
		return;
	if (mode == GPU_PREEMPT_SWITCH)
		stop_blocks(gpu, index, blocks);
	else if (mode == GPU_PREEMPT_RESET)
		sm_reset_blocks(gpu, index, blocks);
}

static u32 blocks_of(const struct sm *sm, u32 slot)
{
	u32 blocks = 0, mask;

	for (mask = sm_used_blocks(sm); mask; mask &= mask - 1)
		if (sm->block[lowest_bit(mask)].slot == slot)
			blocks |= mask & -mask;
	return blocks;
}

/* Of some blocks that stay, the youngest. */
static u32 youngest_block(const struct sm *sm, u32 blocks)
{
	u32 best = lowest_bit(blocks), mask;

	for (mask = blocks; mask; mask &= mask - 1) {
		u32 number = lowest_bit(mask);
		u32 age = sm->warp_age[lowest_bit(sm->block[number].warps)];
		u32 least = sm->warp_age[lowest_bit(sm->block[best].warps)];

		if ((s32)(age - least) > 0)
			best = number;
	}
	return best;
}

/* Let a slot's youngest blocks leave, so that no more than @limit stay. */
static void leave_beyond(struct gpu *gpu, u32 index, u32 slot, u32 limit,
			 enum gpu_preemption mode)
{
	struct sm *sm = &gpu->sms[index];
	u32 stay = blocks_of(sm, slot), going = 0, mask;

	for (mask = stay & sm->moving; mask; mask &= mask - 1)
		if (sm->block[lowest_bit(mask)].state != BLOCK_RESTORES)
			stay &= ~(mask & -mask);
	while (hweight64((u64)stay) > limit) {
		u32 number = youngest_block(sm, stay);

		stay &= ~(1U << number);
		going |= 1U << number;
	}
	if (!going)
		return;
	/* Blocks in the reserve counted on the blocks that leave. */
	if (gpu->worker_blocks)
		dispatch_take_back(gpu, index);
	leave(gpu, index, going, mode);
}

void gpu_sm_set_block_limit(struct gpu *gpu, u32 sm, u32 slot, u32 blocks,
			    enum gpu_preemption mode)
{
	sm_account(gpu, sm);
	sm_tenant(gpu, sm, slot)->block_limit = blocks;
	if (mode != GPU_PREEMPT_DRAIN)
		leave_beyond(gpu, sm, slot, blocks, mode);
	gpu->dispatch |= 1ULL << slot;
}

void gpu_sm_share(struct gpu *gpu, u32 sm)
{
	dispatch_take_back(gpu, sm);
	gpu->sms[sm].next_owner = GPU_SHARED;
	gpu->sms[sm].yielding = 0;
	if (!gpu->sms[sm].draining && gpu->sms[sm].owner != GPU_SHARED) {
		sm_account(gpu, sm);
		gpu->sms[sm].owner = GPU_SHARED;
	}
	gpu->dispatch_shared = true;
}

/* An SM is to change hands: begin the drain; workers that go on get new reserves. */
static void begin_drain(struct gpu *gpu, struct sm *sm, enum gpu_preemption mode)
{
	sm->draining = 1;
	if (!gpu->worker_blocks || sm->owner >= GPU_SLOTS_MAX)
		return;
	if (mode == GPU_PREEMPT_DRAIN)
		gpu->dispatch |= 1ULL << sm->owner;
	else
		workers_stop(sm);
}

/* An SM's blocks begin to leave, if it has any and another owner waits for it. */
static void take_away(struct gpu *gpu, u32 index, enum gpu_preemption mode)
{
	struct sm *sm = &gpu->sms[index];

	sm->yielding = 0;
	if (sm->next_owner != sm->owner && sm->blocks)
		begin_drain(gpu, sm, mode);
	sm_settle_owner(gpu, index);
	if (sm->draining)
		leave(gpu, index, sm_used_blocks(sm), mode);
}

/* --- yielding ------------------------------------------------------------------------- */

/*
 * What hardware and driver need until they stop an SM's blocks: yield_ns for a switch, and
 * the end of its owner's kernels where preemption is possible between kernels only.
 */
static bool must_yield(const struct gpu *gpu, const struct sm *sm,
		       enum gpu_preemption mode)
{
	if (sm->draining || !sm->blocks || sm->next_owner == sm->owner)
		return false;
	return gpu->config.preempt_level == GPU_LEVEL_KERNELS ||
	       (mode == GPU_PREEMPT_SWITCH && gpu->config.yield_ns);
}

/* An SM that already yields goes on doing so, for whoever is to have it now. */
static void begin_yield(struct gpu *gpu, struct sm *sm, enum gpu_preemption mode)
{
	u32 ns = mode == GPU_PREEMPT_SWITCH ? gpu->config.yield_ns : 0;

	if (sm->yielding)
		return;
	sm->yielding = 1;
	sm->yields_at = gpu->now + gpu_cycles_of_ns(gpu->config.core_mhz, ns);
	sm->yields_to = gpu->config.preempt_level == GPU_LEVEL_KERNELS ?
			gpu->starts : 0;
	gpu->yields_due = true;
	if (sm->owner < GPU_SLOTS_MAX)
		gpu->dispatch |= 1ULL << sm->owner;
}

/* Whether a kernel of an SM's owner runs that had started when the SM began to yield. */
static bool kernel_goes_on(const struct gpu *gpu, const struct sm *sm)
{
	u32 queues;

	if (sm->owner >= GPU_SLOTS_MAX)
		return false;
	for (queues = gpu->tenants[sm->owner].running; queues; queues &= queues - 1)
		if (gpu->grids[grid_number(sm->owner, lowest_bit(queues))].started <
		    sm->yields_to)
			return true;
	return false;
}

static void end_yield(struct gpu *gpu, u32 index)
{
	/* A block's end that the SM has put off leaves it nothing to save. */
	sm_take_events(gpu, index, gpu->now);
	dispatch_take_back(gpu, index);
	take_away(gpu, index, GPU_PREEMPT_SWITCH);
	gpu->dispatch_due = true;
}

/*
 * preempt_window() - stop the blocks of SMs that have yielded long enough; at the end of a
 *	window, since contexts find their places between windows
 */
void preempt_window(struct gpu *gpu)
{
	u32 i;

	if (!gpu->yields_due)
		return;
	gpu->yields_due = false;
	for (i = 0; i < gpu->config.sms; i++) {
		const struct sm *sm = &gpu->sms[i];

		if (!sm->yielding)
			continue;
		if (gpu->now >= sm->yields_at && !kernel_goes_on(gpu, sm))
			end_yield(gpu, i);
		else
			gpu->yields_due = true;
	}
}

void gpu_sm_assign(struct gpu *gpu, u32 sm, u32 slot, enum gpu_preemption mode)
{
	dispatch_take_back(gpu, sm);
	if (gpu->sms[sm].next_owner == gpu->sms[sm].owner)
		gpu->sms[sm].asked_at = gpu->now;
	gpu->sms[sm].next_owner = slot;
	if (must_yield(gpu, &gpu->sms[sm], mode))
		begin_yield(gpu, &gpu->sms[sm], mode);
	else
		take_away(gpu, sm, mode);
	if (slot != GPU_NO_TENANT)
		gpu->dispatch |= 1ULL << slot;
}

static enum gpu_sm_state state_of(const struct sm *sm)
{
	enum gpu_sm_state state = GPU_SM_RUNNING;
	u32 mask;

	for (mask = sm->moving; mask; mask &= mask - 1) {
		switch (sm->block[lowest_bit(mask)].state) {
		case BLOCK_STOPS:
		case BLOCK_SAVES:
			return GPU_SM_SAVING;
		default:
			state = GPU_SM_RESTORING;
		}
	}
	return sm->draining ? GPU_SM_DRAINING : state;
}

void gpu_sm_status(const struct gpu *gpu, u32 sm, struct gpu_sm_status *out)
{
	out->owner = gpu->sms[sm].owner;
	out->next_owner = gpu->sms[sm].next_owner;
	out->blocks = gpu->sms[sm].blocks;
	out->state = state_of(&gpu->sms[sm]);
}

u32 gpu_sm_next_owner(const struct gpu *gpu, u32 sm)
{
	return gpu->sms[sm].next_owner;
}
