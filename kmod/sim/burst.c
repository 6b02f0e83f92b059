// SPDX-License-Identifier: GPL-2.0
/* Bursts: how they are counted, and how one is cut. burst.h has how they begin. */
#include "burst.h"

/* --- accounting --------------------------------------------------------------- */

static void flush_stalls(struct simgpu_counters *counters, const u64 *stalls)
{
	counters->stall_memory_cycles += stalls[STALL_MEMORY];
	counters->stall_lsu_cycles += stalls[STALL_LSU];
	counters->stall_barrier_cycles += stalls[STALL_BARRIER];
	counters->stall_empty_cycles += stalls[STALL_EMPTY];
	counters->stall_dependence_cycles += stalls[STALL_DEPENDENCE];
	counters->stall_fault_cycles += stalls[STALL_FAULT];
}

/*
 * flush_scheduler() - add a scheduler's counts to the counters of its tenant and its
 *	SM
 */
void flush_scheduler(struct gpu *gpu, u32 index, struct scheduler *s)
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

/*
 * Count what a scheduler that is free at @free_at has issued in the cycles before @end.
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
 * count_shared() - count accesses to shared memory: when their burst begins or, with a
 *	number below zero, when it is cut
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
	u64 free_at;
	u32 rest;

	count_until(s, sm->free_at[number], gpu->now + 1);
	rest = s->count - s->counted;
	if (!rest)
		return;
	/* If a burst has several instructions, all but the first are compute ones. */
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
	free_at = sm->free_at[number];
	sm->free_at[number] = s->start + ((u64)s->counted * s->cycles +
					  s->count - 1) / s->count;
	if (sm->quota_slots) {
		quota_charge(gpu, sm - gpu->sms, s->slot,
			     -(s64)rest * s->lanes);
		quota_take_back(gpu, sm - gpu->sms, sm->greedy[number],
				rest * s->lanes, free_at - sm->free_at[number]);
	}
	s->cycles = (u32)(sm->free_at[number] - s->start);
	s->count = s->counted;
	/* The wait that it began ahead of the burst's end is void: it has time again. */
	w->wait_load = NONE;
	sm->sleeping &= ~(1ULL << sm->greedy[number]);
	sm->dependent &= sm->sleeping;
	warp_ready(sm, sm->greedy[number]);
}
