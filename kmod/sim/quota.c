// SPDX-License-Identifier: GPL-2.0
/*
 * Quotas: how many thread instructions a tenant may issue on an SM, and the
 * samples of idle warps that show whether a tenant has too many warps there
 * (FGQoS 3.3 to 3.6). A policy decides about the quotas.
 */
#include "sim.h"

static bool has_quota(const struct sm *sm, u32 slot)
{
	return (sm->quota_slots >> slot) & 1;
}

/* quota_is_out() - whether a slot's quota on an SM is used up */
bool quota_is_out(const struct gpu *gpu, u32 index, u32 slot)
{
	return has_quota(&gpu->sms[index], slot) &&
	       sm_tenant(gpu, index, slot)->quota <= 0;
}

/*
 * quota_cut() - how long a burst may be: at most its scheduler's part of what is
 *	left, so that the other schedulers go on beside it; at least one instruction
 * @count: instructions that the warp could issue
 * @lanes: active lanes of each
 */
u32 quota_cut(const struct gpu *gpu, u32 index, u32 slot, u32 count, u32 lanes)
{
	const struct sm *sm = &gpu->sms[index];
	u64 most;

	if (!has_quota(sm, slot))
		return count;
	most = (u64)sm_tenant(gpu, index, slot)->quota /
	       (lanes * sm->schedulers);
	most = max_t(u64, most, 1);
	return (u32)min_t(u64, most, count);
}

/*
 * quota_charge() - charge a burst that begins or, with a number below zero, give back
 *	what a cut burst has not issued
 */
void quota_charge(struct gpu *gpu, u32 index, u32 slot, s64 instructions)
{
	struct sm_tenant *tenant = sm_tenant(gpu, index, slot);

	if (!has_quota(&gpu->sms[index], slot))
		return;
	tenant->quota -= instructions;
	if (tenant->quota <= 0)
		sm_hold_warps(gpu, index);
}

/* Slots with a quota whose thread blocks run on an SM, or come back there. */
static u64 bounded_slots(const struct sm *sm)
{
	u64 slots = 0;
	u32 i;

	for (i = 0; i < SM_BLOCKS_MAX; i++)
		if (sm->block[i].used && (sm->block[i].state == BLOCK_RUNS ||
					  sm->block[i].state == BLOCK_RESTORES))
			slots |= 1ULL << sm->block[i].slot;
	return slots & sm->quota_slots;
}

/* How often a refill must be added until it brings a quota above zero. */
static u64 refills_needed(const struct sm_tenant *tenant)
{
	return tenant->refill ? (u64)-tenant->quota / (u64)tenant->refill + 1 :
				NEVER;
}

/*
 * quota_refill() - once all slots that run on an SM have used up their quotas,
 *	add to each its refill until one may go on
 */
void quota_refill(struct gpu *gpu, u32 index)
{
	u64 slots = bounded_slots(&gpu->sms[index]), times = NEVER, mask;

	for (mask = slots; mask; mask &= mask - 1) {
		u32 slot = lowest_bit(mask);

		if (!quota_is_out(gpu, index, slot))
			return;
		times = min(times,
			    refills_needed(sm_tenant(gpu, index, slot)));
	}
	if (times == NEVER)
		return;
	for (mask = slots; mask; mask &= mask - 1) {
		struct sm_tenant *tenant = sm_tenant(gpu, index,
						     lowest_bit(mask));

		tenant->quota += (s64)times * tenant->refill;
	}
}

static u64 warps_of(const struct sm *sm, u32 slot)
{
	u64 warps = 0;
	u32 i;

	for (i = 0; i < SM_BLOCKS_MAX; i++)
		if (sm->block[i].used && sm->block[i].slot == slot)
			warps |= sm->block[i].warps;
	return warps;
}

static u64 warps_of_all(const struct sm *sm, u64 slots)
{
	u64 warps = 0;
	u32 i;

	for (i = 0; i < SM_BLOCKS_MAX; i++)
		if (sm->block[i].used && slots >> sm->block[i].slot & 1)
			warps |= sm->block[i].warps;
	return warps;
}

static void set_quota(struct gpu *gpu, u32 sm, u32 slot,
		      const struct gpu_quota *quota)
{
	struct sm_tenant *tenant = sm_tenant(gpu, sm, slot);

	port_assert(quota->refill >= 0 && quota->refill <= GPU_QUOTA_MAX);
	port_assert(quota->left >= -GPU_QUOTA_MAX);
	port_assert(quota->left <= GPU_QUOTA_MAX ||
		    quota->left == GPU_NO_QUOTA);
	gpu->quotas_told &= ~(1ULL << slot);
	tenant->quota = quota->left;
	tenant->refill = quota->refill;
	if (quota->left == GPU_NO_QUOTA)
		gpu->sms[sm].quota_slots &= ~(1ULL << slot);
	else
		gpu->sms[sm].quota_slots |= 1ULL << slot;
}

void gpu_sm_set_quotas(struct gpu *gpu, u32 sm, u64 slots,
		       const struct gpu_quota *quotas)
{
	u64 rest;

	/* The old quotas have bounded the bursts under way, if at all. */
	sm_cut_bursts(gpu, sm, warps_of_all(&gpu->sms[sm], slots));
	for (rest = slots; rest; rest &= rest - 1)
		set_quota(gpu, sm, lowest_bit(rest), &quotas[lowest_bit(rest)]);
	sm_hold_warps(gpu, sm);
	sm_wake(&gpu->sms[sm], gpu->now + 1);
}

void gpu_sm_set_quota(struct gpu *gpu, u32 sm, u32 slot, s64 left, s64 refill)
{
	struct gpu_quota quotas[GPU_SLOTS_MAX];

	quotas[slot] = (struct gpu_quota) { left, refill };
	gpu_sm_set_quotas(gpu, sm, 1ULL << slot, quotas);
}

s64 gpu_sm_quota_left(const struct gpu *gpu, u32 sm, u32 slot)
{
	s64 left = sm_tenant(gpu, sm, slot)->quota;
	u32 i;

	if (left == GPU_NO_QUOTA)
		return left;
	/* Instructions that bursts under way have not issued yet. */
	for (i = 0; i < gpu->sms[sm].schedulers; i++) {
		const struct scheduler *s = &gpu->sms[sm].scheduler[i];

		if (s->slot == slot)
			left += (s64)(s->count - s->counted) * s->lanes;
	}
	return left;
}

/* --- idle warps --------------------------------------------------------------------- */

void gpu_set_idle_sampling(struct gpu *gpu, u64 interval_cycles)
{
	gpu->sample_interval = interval_cycles;
	gpu->sample_at = interval_cycles ? gpu->now + interval_cycles : NEVER;
}

static void sample_tenant(struct gpu *gpu, u32 index, u32 slot, u64 idle)
{
	struct sm_tenant *registers = sm_tenant(gpu, index, slot);
	struct simgpu_counters *tenant = slot_counters(gpu, slot);
	struct simgpu_counters *sm = &gpu->sm_counters[index];
	u32 count = hweight64(idle & warps_of(&gpu->sms[index], slot));

	registers->idle_warp_samples++;
	registers->idle_warps += count;
	tenant->idle_warp_samples++;
	tenant->idle_warps += count;
	sm->idle_warp_samples++;
	sm->idle_warps += count;
}

/*
 * idle_sample() - take a sample of an SM at the end of a cycle. Nothing may have changed
 *	there in that cycle or after it
 */
void idle_sample(struct gpu *gpu, u32 index, u64 cycle)
{
	const struct sm *sm = &gpu->sms[index];
	u64 idle, slots = 0;
	u32 i;

	sm_take_events(gpu, index, cycle);
	idle = sm_idle_warps(sm, cycle);
	for (i = 0; i < SM_BLOCKS_MAX; i++)
		if (sm->block[i].used)
			slots |= 1ULL << sm->block[i].slot;
	for (; slots; slots &= slots - 1)
		sample_tenant(gpu, index, lowest_bit(slots), idle);
}
