// SPDX-License-Identifier: GPL-2.0
/*
 * Quotas: how many thread instructions a tenant may issue on an SM, and the
 * samples of idle warps that show whether a tenant has too many warps there
 * (FGQoS 3.3 to 3.6). A policy decides about the quotas.
 */
#include "burst.h"

static bool has_quota(const struct sm *sm, u32 slot)
{
	return (sm->quota_slots >> slot) & 1;
}

/* Whether a slot's instructions on an SM are charged when they complete. */
static bool is_late(const struct sm *sm, u32 slot)
{
	return (sm->late_quotas >> slot) & 1;
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
	/* A burst completes as a whole, so it has to be short beside a quota. */
	if (is_late(sm, slot))
		count = min(count, BURST_SHORTEST);
	most = (u64)sm_tenant(gpu, index, slot)->quota /
	       (lanes * sm->schedulers);
	most = max_t(u64, most, 1);
	return (u32)min_t(u64, most, count);
}

/*
 * quota_charge() - charge a burst that begins or, with a number below zero, give back
 *	what a cut burst has not issued; unless instructions are charged when they complete
 */
void quota_charge(struct gpu *gpu, u32 index, u32 slot, s64 instructions)
{
	struct sm_tenant *tenant = sm_tenant(gpu, index, slot);

	if (!has_quota(&gpu->sms[index], slot) || is_late(&gpu->sms[index], slot))
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

static u64 warps_of_all(const struct sm *sm, u64 slots)
{
	u64 warps = 0;
	u32 i;

	for (i = 0; i < SM_BLOCKS_MAX; i++)
		if (sm->block[i].used && slots >> sm->block[i].slot & 1)
			warps |= sm->block[i].warps;
	return warps;
}

/* --- instructions that are charged when they complete (FGQoS 3.4.1) ----------------- */

/* A warp has something that completes in a cycle to come. */
static void completes_at(struct gpu *gpu, u32 index, u32 warp, u64 at)
{
	struct sm *sm = &gpu->sms[index];

	at = max(at, gpu->now + 1);
	sm->completing |= 1ULL << warp;
	sm->complete_at = min(sm->complete_at, at);
}

/*
 * quota_begin() - instructions of a warp have begun, which complete in the cycle @at
 *
 * If the warp's last ones have not completed, because it did not wait for them, all
 * complete together.
 */
void quota_begin(struct gpu *gpu, u32 index, u32 warp, u32 instructions, u64 at)
{
	struct warp *w = &gpu->sms[index].warp[warp];

	if (!is_late(&gpu->sms[index], w->slot))
		return;
	w->done_at = w->doing ? max(w->done_at, at) : at;
	w->doing += instructions;
	completes_at(gpu, index, warp, w->done_at);
}

/*
 * quota_take_back() - a warp's burst was cut
 * @instructions: that it has not issued
 * @cycles: by which it ends earlier
 */
void quota_take_back(struct gpu *gpu, u32 index, u32 warp, u32 instructions, u64 cycles)
{
	struct warp *w = &gpu->sms[index].warp[warp];

	if (w->doing < instructions)
		return;
	w->doing -= instructions;
	w->done_at = max(w->done_at - cycles, gpu->now + 1);
	if (w->doing)
		completes_at(gpu, index, warp, w->done_at);
}

/* quota_load_issued() - a warp has issued a load, which completes when its data has come */
void quota_load_issued(struct gpu *gpu, u32 index, u32 warp, u32 load, u32 lanes)
{
	struct warp *w = &gpu->sms[index].warp[warp];

	if (is_late(&gpu->sms[index], w->slot))
		w->load[load].lanes = (u16)lanes;
}

/* What of a warp completes up to a cycle. */
static u32 take_completed(struct warp *w, u64 cycle)
{
	u32 sum = 0, mask;

	if (w->doing && w->done_at <= cycle) {
		sum = w->doing;
		w->doing = 0;
	}
	for (mask = w->loads; mask; mask &= mask - 1) {
		struct warp_load *load = &w->load[lowest_bit(mask)];

		if (!load->lanes || load->pending || load->ready > cycle)
			continue;
		sum += load->lanes;
		load->lanes = 0;
	}
	return sum;
}

static_assert(GPU_UNDER_WAY_MOST >= (WARP_LOADS + 2 * BURST_SHORTEST) * GPU_LANES,
	      "what a warp has under way");

/* The next cycle at which something of a warp completes, as far as it is known. */
static u64 next_completion(const struct warp *w)
{
	u64 at = w->doing ? w->done_at : NEVER;
	u32 mask;

	for (mask = w->loads; mask; mask &= mask - 1) {
		const struct warp_load *load = &w->load[lowest_bit(mask)];

		if (load->lanes && !load->pending)
			at = min(at, load->ready);
	}
	return at;
}

/* The warps of a slot on an SM. */
static u64 warps_of(const struct sm *sm, u32 slot)
{
	return warps_of_all(sm, 1ULL << slot);
}

/* Charge what has completed; if that uses a quota up, the slot's bursts end at once. */
static void charge_completed(struct gpu *gpu, u32 index, u32 slot, u32 instructions)
{
	struct sm_tenant *tenant = sm_tenant(gpu, index, slot);
	bool was_out = tenant->quota <= 0;

	tenant->quota -= instructions;
	if (was_out || tenant->quota > 0)
		return;
	sm_hold_warps(gpu, index);
	if (quota_is_out(gpu, index, slot))
		sm_cut_bursts(gpu, index, warps_of(&gpu->sms[index], slot));
}

/*
 * quota_load_came() - the data of a load has come, or comes in the cycle that it says. If
 *	it has come, the warp may go on in this cycle, and give the load's entry to another
 */
void quota_load_came(struct gpu *gpu, u32 index, u32 warp, u32 load)
{
	struct sm *sm = &gpu->sms[index];
	struct warp *w = &sm->warp[warp];
	u32 lanes = w->load[load].lanes;

	if (!lanes)
		return;
	if (w->load[load].ready > gpu->now) {
		completes_at(gpu, index, warp, w->load[load].ready);
		return;
	}
	w->load[load].lanes = 0;
	if (is_late(sm, w->slot))
		charge_completed(gpu, index, w->slot, lanes);
}

/* quota_complete() - charge what completes on an SM up to a cycle */
void quota_complete(struct gpu *gpu, u32 index, u64 cycle)
{
	struct sm *sm = &gpu->sms[index];
	u64 mask = sm->completing;

	sm->complete_at = NEVER;
	for (; mask; mask &= mask - 1) {
		u32 warp = lowest_bit(mask), sum;
		struct warp *w = &sm->warp[warp];
		u64 next;

		sum = take_completed(w, cycle);
		if (sum && is_late(sm, w->slot))
			charge_completed(gpu, index, w->slot, sum);
		next = next_completion(w);
		if (next == NEVER)
			sm->completing &= ~(1ULL << warp);
		else
			completes_at(gpu, index, warp, next);
	}
}

/*
 * quota_flush() - some warps of an SM end or vanish: what they have under way counts as
 *	completed. The caller gathers which warps are held
 */
void quota_flush(struct gpu *gpu, u32 index, u64 warps)
{
	struct sm *sm = &gpu->sms[index];

	for (; warps; warps &= warps - 1) {
		struct warp *w = &sm->warp[lowest_bit(warps)];
		u32 sum = w->doing, mask;

		w->doing = 0;
		for (mask = w->loads; mask; mask &= mask - 1) {
			sum += w->load[lowest_bit(mask)].lanes;
			w->load[lowest_bit(mask)].lanes = 0;
		}
		if (is_late(sm, w->slot))
			sm_tenant(gpu, index, w->slot)->quota -= sum;
	}
}

u64 gpu_sm_under_way(const struct gpu *gpu, u32 index, u32 slot)
{
	const struct sm *sm = &gpu->sms[index];
	u64 sum = 0, warps;
	u32 i, mask;

	if (!is_late(sm, slot))
		return 0;
	for (warps = warps_of(sm, slot); warps; warps &= warps - 1) {
		const struct warp *w = &sm->warp[lowest_bit(warps)];

		sum += w->doing;
		for (mask = w->loads; mask; mask &= mask - 1)
			sum += w->load[lowest_bit(mask)].lanes;
	}
	/* Of bursts under way, what they have not issued yet. */
	for (i = 0; i < sm->schedulers; i++)
		if (sm->scheduler[i].slot == slot)
			sum -= (sm->scheduler[i].count - sm->scheduler[i].counted) *
			       sm->scheduler[i].lanes;
	return sum;
}

/* Charge a slot's instructions when they complete, or when they issue. */
static void set_late(struct gpu *gpu, u32 index, u32 slot, bool late)
{
	struct sm *sm = &gpu->sms[index];

	/* What is under way was not charged when it issued, and will not be. */
	if (is_late(sm, slot) && !late)
		quota_flush(gpu, index, warps_of(sm, slot));
	sm->late_quotas &= ~(1ULL << slot);
	sm->late_quotas |= (u64)late << slot;
	sm->has_late = !!sm->late_quotas;
}

/* --- setting -------------------------------------------------------------------------- */

static void set_quota(struct gpu *gpu, u32 sm, u32 slot,
		      const struct gpu_quota *quota)
{
	struct sm_tenant *tenant = sm_tenant(gpu, sm, slot);

	port_assert(quota->refill >= 0 && quota->refill <= GPU_QUOTA_MAX);
	port_assert(quota->left >= -GPU_QUOTA_MAX);
	port_assert(quota->left <= GPU_QUOTA_MAX ||
		    quota->left == GPU_NO_QUOTA);
	gpu->quotas_told &= ~(1ULL << slot);
	set_late(gpu, sm, slot, quota->at_completion &&
		 quota->left != GPU_NO_QUOTA);
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

	quotas[slot] = (struct gpu_quota) { left, refill, false };
	gpu_sm_set_quotas(gpu, sm, 1ULL << slot, quotas);
}

s64 gpu_sm_quota_left(const struct gpu *gpu, u32 sm, u32 slot)
{
	s64 left = sm_tenant(gpu, sm, slot)->quota;
	u32 i;

	if (left == GPU_NO_QUOTA || is_late(&gpu->sms[sm], slot))
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
