/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Bursts: instructions of one warp that its scheduler issues as one event: how
 * long bursts are, and what is counted when one begins. sm.c issues them.
 */
#ifndef SIM_BURST_H
#define SIM_BURST_H

#include "sim.h"

/* A burst has at least this many instructions if some of them wait for others. */
#define BURST_SHORTEST		8U
#define BURST_LONGEST		64U

/*
 * struct turn - constants of an SM's turn. Every function that is given a turn is
 *	inlined, so that the compiler can specialize it: where @plain and
 *	@schedulers are constants it leaves out the code for other cases
 * @now: the cycle
 * @index: number of the SM
 * @schedulers: schedulers of the SM
 * @plain: schedulers are greedy, and the SM has one owner and no quotas
 */
struct turn {
	struct gpu *gpu;
	struct sm *sm;
	u64 now;
	u32 index;
	u32 schedulers;
	bool plain;
};

/* The scheduler of a warp; and below, the warps of scheduler 0. */
static __always_inline u32 turn_scheduler(const struct turn *turn, u32 warp)
{
	return warp & (turn->schedulers - 1);
}

static __always_inline u64 turn_warps(const struct turn *turn)
{
	return turn->plain ? ~0ULL / 3 : turn->gpu->shape.scheduler_warps;
}

/* --- how long ------------------------------------------------------------------- */

/*
 * burst_part() - the part of @whole, a cost of op->per instructions, that @count
 *	instructions take, when @left of the op have not been issued: parts add up
 *	to the whole
 */
static inline u64 burst_part(const struct trace_op *op, u32 whole, u32 left,
			     u32 count)
{
	u64 done = op->count - left;

	return (done + count) * whole / op->per - done * whole / op->per;
}

/*
 * burst_limit() - how many instructions of an op a warp may issue in one burst
 * @left: those that it has not issued
 *
 * Independent instructions may all be in one burst. Dependent ones leave gaps, which
 * other warps would fill, but a burst holds the issue slot without gaps: warps come one
 * after the other instead of side by side. That costs nothing if there are enough warps
 * to fill all gaps, or just one. Else bursts are so short that the last warp begins soon
 * compared with the time that all of them take.
 */
static __always_inline u32 burst_limit(const struct turn *turn, u32 warp,
				       const struct trace_op *op, u32 left)
{
	const struct sm *sm = turn->sm;
	u64 mine = turn_warps(turn) << turn_scheduler(turn, warp);
	u64 limit = BURST_LONGEST, warps;

	if (!turn->plain && turn->gpu->config.warp_policy == GPU_WARP_LRR)
		return 1;
	if (op->kind == TRACE_SHARED || op->span == op->slots)
		return op->per;
	/* If shared memory is the bottleneck, schedulers take turns there anyway. */
	if (op->shared_cycles * turn->schedulers > op->slots)
		return BURST_SHORTEST;
	warps = hweight64((sm->ready | sm->dependent) & ~sm->held & mine);
	if (warps > 1 && warps * op->slots < op->span) {
		limit = (u64)left * op->span / (32 * op->per * (warps - 1));
		if (limit < BURST_SHORTEST)
			return BURST_SHORTEST;
	}
	limit = min_t(u64, limit, BURST_LONGEST);
	/* Equal parts fit into each other's gaps. */
	return left > limit ? left / (left / (u32)limit + 1) + 1 : left;
}

/* burst_slots() - cycles for which a part of an op holds the issue slot, at least one */
static inline u32 burst_slots(const struct trace_op *op, u32 left, u32 count)
{
	u64 slots = count;

	if (op->slots != op->per)
		slots = burst_part(op, op->slots, left, count);
	return slots ? (u32)slots : 1;
}

/* burst_span() - cycles from a burst's beginning to the first instruction behind it */
static inline u64 burst_span(const struct trace_op *op, u32 left, u32 count)
{
	if (op->span == op->per)
		return count;
	return burst_part(op, op->span, left, count);
}

/* --- how one begins ------------------------------------------------------------- */

static inline void count_instructions(struct scheduler *s, u32 count)
{
	s->counted += count;
	s->warp_instructions += count;
	s->thread_instructions += (u64)count * s->lanes;
}

/* The burst ends at @end: count the rest of it. */
static inline void count_burst(struct scheduler *s, u64 end)
{
	s->issue_slots += end - s->counted_to;
	s->counted_to = end;
	count_instructions(s, s->count - s->counted);
}

/*
 * burst_begin() - a warp begins to issue
 * @count: instructions of the burst
 * @cycles: the SM's cycles for which they hold the scheduler's issue slot
 * @lanes: active lanes of each
 */
static __always_inline void burst_begin(const struct turn *turn, u32 warp,
					u32 count, u32 cycles, u32 lanes)
{
	struct sm *sm = turn->sm;
	struct warp *w = &sm->warp[warp];
	u32 number = turn_scheduler(turn, warp), slot = w->slot;
	struct scheduler *s = &sm->scheduler[number];
	u64 free_at = sm->free_at[number];
	u32 held = (u32)sm_span(turn->gpu, turn->now, cycles);

	if (!turn->plain && sm->owner == GPU_SHARED)
		share_account(turn->gpu, turn->index, turn->now - 1);
	count_burst(s, free_at);
	if (slot != s->slot)
		flush_scheduler(turn->gpu, turn->index, s);
	s->stalls[w->stall] += turn->now - free_at;
	sm->greedy[number] = warp;
	sm->turn[number] = warp;
	s->slot = slot;
	s->start = turn->now;
	s->counted_to = turn->now;
	s->count = count;
	s->counted = 0;
	s->cycles = held;
	s->lanes = lanes;
	sm->free_at[number] = turn->now + held;
	w->issued += count;
	if (!turn->plain && sm->quota_slots)
		quota_charge(turn->gpu, turn->index, slot, (s64)count * lanes);
}

#endif /* SIM_BURST_H */
