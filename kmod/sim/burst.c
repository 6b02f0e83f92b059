// SPDX-License-Identifier: GPL-2.0
/*
 * Bursts: instructions of one warp that its scheduler issues as one event, how
 * long they are, and what is counted of them. Who issues: sm.c.
 */
#include "sim.h"

/* Instructions of a burst in which some wait for others. */
#define BURST_SHORTEST		8U
#define BURST_LONGEST		64U

/* --- accounting --------------------------------------------------------------- */

static void flush_stalls(struct simgpu_counters *counters, const u64 *stalls)
{
	counters->stall_memory_cycles += stalls[STALL_MEMORY];
	counters->stall_lsu_cycles += stalls[STALL_LSU];
	counters->stall_barrier_cycles += stalls[STALL_BARRIER];
	counters->stall_empty_cycles += stalls[STALL_EMPTY];
	counters->stall_dependence_cycles += stalls[STALL_DEPENDENCE];
}

/* Add what a scheduler has counted to its tenant's and its SM's counters. */
static void flush_scheduler(struct gpu *gpu, u32 index, struct scheduler *s)
{
	struct tenant_counts *tenant = &gpu->counts[s->slot];
	struct simgpu_counters *counters = &gpu->sm_counters[index];

	tenant->issue_slots += s->issue_slots;
	tenant->counters.warp_instructions += s->warp_instructions;
	tenant->counters.thread_instructions += s->thread_instructions;
	gpu->sm_issue_slots[index] += s->issue_slots;
	counters->warp_instructions += s->warp_instructions;
	counters->thread_instructions += s->thread_instructions;
	flush_stalls(&tenant->counters, s->stalls);
	flush_stalls(counters, s->stalls);
	memset(s->stalls, 0, sizeof(s->stalls));
	sm_tenant(gpu, index, s->slot)->thread_instructions +=
		s->thread_instructions;
	s->issue_slots = 0;
	s->warp_instructions = 0;
	s->thread_instructions = 0;
}

static void count_instructions(struct scheduler *s, u32 count)
{
	s->counted += count;
	s->warp_instructions += count;
	s->thread_instructions += (u64)count * s->lanes;
}

/* The burst is over, at @end: count what was not counted of it. */
static void count_burst(struct scheduler *s, u64 end)
{
	s->issue_slots += end - s->counted_to;
	s->counted_to = end;
	count_instructions(s, s->count - s->counted);
}

/*
 * Count what a scheduler, free at @free_at, has issued in the cycles up to and
 * without @end.
 */
static void count_until(struct scheduler *s, u64 free_at, u64 end)
{
	u64 issued;

	if (end >= free_at) {
		count_burst(s, free_at);
		return;
	}
	if (end <= s->counted_to)
		return;
	s->issue_slots += end - s->counted_to;
	s->counted_to = end;
	issued = ((end - s->start) * s->count + s->cycles - 1) / s->cycles;
	count_instructions(s, (u32)issued - s->counted);
}

/*
 * sm_account() - bring an SM's and its tenant's counters up to gpu->now,
 *	bursts under way included
 */
void sm_account(struct gpu *gpu, u32 index)
{
	struct sm *sm = &gpu->sms[index];
	u32 i;

	for (i = 0; i < sm->schedulers; i++) {
		count_until(&sm->scheduler[i], sm->free_at[i], gpu->now + 1);
		flush_scheduler(gpu, index, &sm->scheduler[i]);
	}
	lsu_account(gpu, index);
	if (sm->owner != GPU_NO_TENANT) {
		u64 cycles = gpu->now - sm->owned_since;

		if (sm->owner == GPU_SHARED)
			share_account(gpu, index, gpu->now);
		else
			slot_counters(gpu, sm->owner)->sm_cycles += cycles;
		gpu->sm_counters[index].sm_cycles += cycles;
	}
	sm->owned_since = gpu->now;
	sm->split_to = gpu->now;
}

/*
 * burst_part() - what is @whole for op->per instructions, for @count of an op of
 *	which @left have not been issued: so that parts add up to the whole
 */
u64 burst_part(const struct trace_op *op, u32 whole, u32 left, u32 count)
{
	u64 done = op->count - left;

	return (done + count) * whole / op->per - done * whole / op->per;
}

/*
 * count_shared() - accesses to shared memory are counted when their burst begins,
 *	or, below zero, is cut
 */
void count_shared(struct gpu *gpu, const struct sm *sm, u32 slot, s64 accesses)
{
	slot_counters(gpu, slot)->shared_accesses += accesses;
	gpu->sm_counters[sm - gpu->sms].shared_accesses += accesses;
}

/*
 * burst_cut() - end a scheduler's burst with the instruction that it issues
 *	now; its warp gets the others back
 */
void burst_cut(struct gpu *gpu, struct sm *sm, u32 number)
{
	struct scheduler *s = &sm->scheduler[number];
	const struct trace_op *op;
	struct warp *w;
	u32 rest;

	count_until(s, sm->free_at[number], gpu->now + 1);
	rest = s->count - s->counted;
	if (!rest)
		return;
	/* Only compute instructions are issued after others of a burst. */
	w = &sm->warp[sm->greedy[number]];
	if (!w->left)
		w->op--;
	w->left += rest;
	w->issued -= rest;
	op = &gpu->grids[w->grid].trace->ops[w->op];
	if (op->shared_count)
		count_shared(gpu, sm, s->slot,
			     -(s64)burst_part(op, op->shared_count, w->left,
					      rest));
	if (sm->quota_slots)
		quota_charge(gpu, sm - gpu->sms, s->slot,
			     -(s64)rest * s->lanes);
	sm->free_at[number] = s->start + ((u64)s->counted * s->cycles +
					  s->count - 1) / s->count;
	s->cycles = (u32)(sm->free_at[number] - s->start);
	s->count = s->counted;
	/* What it began to wait for ahead of the burst's end has time again. */
	w->wait_load = NONE;
	sm->sleeping &= ~(1ULL << sm->greedy[number]);
	sm->dependent &= sm->sleeping;
	warp_ready(sm, sm->greedy[number]);
}

/*
 * burst_begin() - a warp issues from now on
 * @count: instructions
 * @cycles: that they hold its scheduler's issue slot
 * @lanes: active ones of each
 */
void burst_begin(struct gpu *gpu, struct sm *sm, u32 warp, u32 count, u32 cycles,
		 u32 lanes)
{
	u32 number = scheduler_of(sm, warp);
	struct scheduler *s = &sm->scheduler[number];
	u32 slot = sm->warp[warp].slot;

	if (sm->owner == GPU_SHARED)
		share_account(gpu, sm - gpu->sms, gpu->now - 1);
	count_burst(s, sm->free_at[number]);
	if (slot != s->slot)
		flush_scheduler(gpu, sm - gpu->sms, s);
	s->stalls[sm->warp[warp].stall] += gpu->now - sm->free_at[number];
	sm->greedy[number] = warp;
	sm->turn[number] = warp;
	s->slot = slot;
	s->start = gpu->now;
	s->counted_to = gpu->now;
	s->count = count;
	s->counted = 0;
	s->cycles = cycles;
	s->lanes = lanes;
	sm->free_at[number] = gpu->now + cycles;
	sm->warp[warp].issued += count;
	if (sm->quota_slots)
		quota_charge(gpu, sm - gpu->sms, slot, (s64)count * lanes);
}

/*
 * burst_limit() - how many instructions of an op a warp may issue in one burst
 * @left: those that it has not issued
 *
 * Of independent ones as many as there are. Others leave gaps, which other warps
 * fill, but a burst holds the issue slot without gaps: warps come one after the
 * other where they would go side by side. That costs nothing where the warps are
 * enough to fill all gaps, or there is one; else bursts are so short that the
 * last warp begins soon beside the time that all take.
 */
u32 burst_limit(const struct gpu *gpu, const struct sm *sm, u32 warp,
		const struct trace_op *op, u32 left)
{
	u64 mine = gpu->shape.scheduler_warps << scheduler_of(sm, warp);
	u64 limit = BURST_LONGEST, warps;

	if (gpu->config.warp_policy == GPU_WARP_LRR)
		return 1;
	if (op->kind == TRACE_SHARED || op->span == op->slots)
		return op->per;
	/* Where shared memory is the narrowest, its schedulers meet there. */
	if (op->shared_cycles * sm->schedulers > op->slots)
		return BURST_SHORTEST;
	warps = hweight64((sm->ready | sm->dependent) & ~sm->held & mine);
	if (warps > 1 && warps * op->slots < op->span) {
		limit = (u64)left * op->span / (32 * op->per * (warps - 1));
		if (limit < BURST_SHORTEST)
			return BURST_SHORTEST;
	}
	if (limit > BURST_LONGEST)
		limit = BURST_LONGEST;
	/* In equal parts, which fit into each other's gaps. */
	return left > limit ? left / (left / (u32)limit + 1) + 1 : left;
}

/* burst_slots() - cycles that a part of an op holds the issue slot, one at least */
u32 burst_slots(const struct trace_op *op, u32 left, u32 count)
{
	u64 slots = count;

	if (op->slots != op->per)
		slots = burst_part(op, op->slots, left, count);
	return slots ? (u32)slots : 1;
}

/* burst_span() - from its beginning to the first instruction behind it */
u64 burst_span(const struct trace_op *op, u32 left, u32 count)
{
	if (op->span == op->per)
		return count;
	return burst_part(op, op->span, left, count);
}
