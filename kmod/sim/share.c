// SPDX-License-Identifier: GPL-2.0
/*
 * SMs that several tenants share: the registers of each tenant on each SM, and which
 * tenant is charged for an SM's cycles. dispatch.c issues thread blocks there.
 */
#include "sim.h"

static void registers_reset(struct gpu *gpu, u32 index, u32 slot)
{
	struct sm_tenant *tenant = sm_tenant(gpu, index, slot);

	tenant->block_limit = GPU_NO_LIMIT;
	tenant->quota = GPU_NO_QUOTA;
	tenant->refill = 0;
	gpu->sms[index].quota_slots &= ~(1ULL << slot);
	gpu->sms[index].late_quotas &= ~(1ULL << slot);
	gpu->sms[index].has_late = !!gpu->sms[index].late_quotas;
}

void share_init(struct gpu *gpu)
{
	u32 i, slot;

	gpu->sample_at = NEVER;
	for (slot = 0; slot < GPU_SLOTS_MAX; slot++) {
		gpu->tenants[slot].bucket_capacity = 1;
		issue_forget(gpu, slot);
		for (i = 0; i < gpu->config.sms; i++)
			registers_reset(gpu, i, slot);
	}
}

/* share_forget() - a slot was dropped: reset its controls */
void share_forget(struct gpu *gpu, u32 slot)
{
	u32 i;

	for (i = 0; i < gpu->config.sms; i++)
		registers_reset(gpu, i, slot);
	issue_forget(gpu, slot);
	gpu->tenants[slot].bucket_capacity = 1;
	gpu->tenants[slot].bucket_tokens = 0;
	gpu->tenants[slot].next_sm = 0;
	gpu->tenants[slot].next_queue = 0;
	gpu->tenants[slot].rank = 0;
	memset(gpu->tenants[slot].priority, 0,
	       sizeof(gpu->tenants[slot].priority));
	gpu->dispatch_shared = true;
}

/* --- whose a shared SM's cycles are ------------------------------------------------ */

/*
 * Give cycles to @count slots in turn, one each. @turn goes on from call to call, so
 * that it does not matter in how many pieces cycles are given.
 */
static void give_in_turn(struct gpu *gpu, const u8 *slots, u32 count, u64 *turn,
			 u64 cycles)
{
	u64 end = *turn + cycles;
	u32 i;

	for (i = 0; i < count; i++)
		slot_counters(gpu, slots[i])->sm_cycles +=
			(end + count - 1 - i) / count -
			(*turn + count - 1 - i) / count;
	*turn = end;
}

/* In cycles in which no warp issued, the slots that may use the SM take turns. */
static void give_idle(struct gpu *gpu, u32 index, u64 cycles)
{
	u8 slots[GPU_SLOTS_MAX];
	u32 count = 0;
	u64 mask;

	for (mask = gpu->running; mask; mask &= mask - 1) {
		u32 slot = lowest_bit(mask);

		if (sm_tenant(gpu, index, slot)->block_limit)
			slots[count++] = slot;
	}
	if (count)
		give_in_turn(gpu, slots, count, &gpu->sms[index].split_turn[0],
			     cycles);
}

/*
 * share_account() - give each cycle of a shared SM, up to and with @end, to one
 *	of the slots that issue in it: they take turns, each as often as it holds
 *	issue slots
 *
 * To be called before a burst begins, so that none began between sm->split_to and now.
 */
void share_account(struct gpu *gpu, u32 index, u64 end)
{
	struct sm *sm = &gpu->sms[index];

	while (sm->split_to < end) {
		u64 first = sm->split_to + 1, last = end;
		u8 slots[SM_SCHEDULERS_MAX];
		u32 count = 0, i;

		for (i = 0; i < sm->schedulers; i++) {
			if (sm->free_at[i] <= first)
				continue;
			slots[count++] = sm->scheduler[i].slot;
			last = min(last, sm->free_at[i] - 1);
		}
		if (count)
			give_in_turn(gpu, slots, count, &sm->split_turn[count],
				     last - sm->split_to);
		else
			give_idle(gpu, index, last - sm->split_to);
		sm->split_to = last;
	}
}

/*
 * share_block_came() - a slot has one more thread block on an SM, which has not
 *	been counted there yet; with its first block the SM becomes active for the slot.
 *	(The cycle in which the block comes is subtracted, the one in which it leaves is
 *	added; counters.c adds the present cycle until then)
 */
void share_block_came(struct gpu *gpu, u32 index, u32 slot)
{
	struct tenant_counts *tenant = &gpu->counts[slot];

	if (!gpu->sms[index].blocks)
		gpu->sm_counters[index].sm_active_cycles -= gpu->now;
	if (sm_tenant(gpu, index, slot)->blocks++)
		return;
	tenant->sms_active++;
	tenant->counters.sm_active_cycles -= gpu->now;
}

/*
 * share_block_left() - a thread block of a slot is no longer counted on an SM
 */
void share_block_left(struct gpu *gpu, u32 index, u32 slot)
{
	struct tenant_counts *tenant = &gpu->counts[slot];

	if (!gpu->sms[index].blocks)
		gpu->sm_counters[index].sm_active_cycles += gpu->now;
	if (--sm_tenant(gpu, index, slot)->blocks)
		return;
	tenant->sms_active--;
	tenant->counters.sm_active_cycles += gpu->now;
}

u32 gpu_sm_blocks(const struct gpu *gpu, u32 sm, u32 slot)
{
	return sm_tenant(gpu, sm, slot)->blocks;
}

u32 gpu_sm_block_limit(const struct gpu *gpu, u32 sm, u32 slot)
{
	return sm_tenant(gpu, sm, slot)->block_limit;
}

void gpu_sm_tenant(const struct gpu *gpu, u32 sm, u32 slot,
		   struct gpu_sm_tenant *out)
{
	const struct sm_tenant *tenant = sm_tenant(gpu, sm, slot);

	out->blocks = tenant->blocks;
	out->block_limit = tenant->block_limit;
	out->quota_left = gpu_sm_quota_left(gpu, sm, slot);
	out->refill = tenant->refill;
	out->thread_instructions = tenant->thread_instructions;
	out->idle_warp_samples = tenant->idle_warp_samples;
	out->idle_warps = tenant->idle_warps;
}
