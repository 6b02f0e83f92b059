// SPDX-License-Identifier: GPL-2.0
/*
 * Streaming multiprocessors: warps that run their programs, and schedulers that
 * pick among them (greedy, then oldest, or loose round robin). A burst of
 * instructions of one warp is one event (burst.c). lsu.c has memory instructions,
 * dispatch.c and preempt.c decide which thread blocks an SM holds, and block.c has
 * how they come and leave.
 */
#include "burst.h"

/* --- warps ---------------------------------------------------------------------- */

void warp_ready(struct sm *sm, u32 warp)
{
	sm->ready |= 1ULL << warp;
}

static void wake_sleepers(struct sm *sm, u64 now)
{
	u64 mask;

	sm->next_sleeper = NEVER;
	for (mask = sm->sleeping; mask; mask &= mask - 1) {
		u32 warp = lowest_bit(mask);
		u64 at = sm->warp_wake[warp];

		if (at <= now) {
			sm->sleeping &= ~(1ULL << warp);
			sm->dependent &= ~(1ULL << warp);
			warp_ready(sm, warp);
		} else if (at < sm->next_sleeper) {
			sm->next_sleeper = at;
		}
	}
}

/* Whether a load's data has come; if not, the warp waits for it. */
static __always_inline bool load_settle(const struct turn *turn, u32 warp,
					u32 load)
{
	struct sm *sm = turn->sm;
	struct warp *w = &sm->warp[warp];

	if (w->load[load].pending) {
		w->wait_load = load;
		warp_unready(sm, warp, STALL_MEMORY);
		return false;
	}
	if (w->load[load].ready > turn->now) {
		warp_sleep(sm, warp, w->load[load].ready, STALL_MEMORY);
		return false;
	}
	w->loads &= ~(1U << load);
	return true;
}

/*
 * How many instructions a warp may issue before it needs data that it does not
 * have; 0: it now waits for that data.
 */
static __always_inline u32 issue_allowance(const struct turn *turn, u32 warp)
{
	struct warp *w = &turn->sm->warp[warp];
	u32 least = U32_MAX, mask;

	if (w->deadline != w->issued)
		return w->deadline - w->issued;
	for (mask = w->loads; mask; mask &= mask - 1) {
		u32 load = lowest_bit(mask);
		u32 left = w->load[load].deadline - w->issued;

		if (left)
			least = min(left, least);
		else if (!load_settle(turn, warp, load))
			return 0;
	}
	/* Without loads the deadline is as far away as possible. */
	w->deadline = w->issued + least;
	return least;
}

/*
 * After its burst a warp waits: for the results that its next instruction needs
 * (until @ready), or for data that will not be there when the scheduler is free.
 * Beginning that wait now saves the turn in which it would be discovered.
 */
static __always_inline void wait_ahead(const struct turn *turn, u32 warp,
				       u64 ready)
{
	struct sm *sm = turn->sm;
	u64 free_at = sm->free_at[turn_scheduler(turn, warp)];
	enum stall why = STALL_DEPENDENCE;
	struct warp *w = &sm->warp[warp];
	u32 mask = w->deadline == w->issued ? w->loads : 0;

	for (; mask; mask &= mask - 1) {
		u32 load = lowest_bit(mask);

		if (w->load[load].deadline != w->issued)
			continue;
		if (w->load[load].pending) {
			w->wait_load = load;
			warp_unready(sm, warp, STALL_MEMORY);
			return;
		}
		if (w->load[load].ready > ready) {
			ready = w->load[load].ready;
			why = STALL_MEMORY;
		}
	}
	if (ready > free_at)
		warp_sleep(sm, warp, ready, why);
}

/* Shared memory serves one burst at a time: other warps wait for it. */
static bool wait_for_shared(const struct turn *turn, u32 warp,
			    const struct trace_op *op)
{
	struct sm *sm = turn->sm;

	if (!op->shared_count || sm->shared_at <= turn->now)
		return false;
	warp_unready(sm, warp, STALL_LSU);
	sm->shared_waiters |= 1ULL << warp;
	return true;
}

/* Occupy shared memory for a part of an op; Return: the cycle at which it is free. */
static u64 take_shared(const struct turn *turn, u32 warp,
		       const struct trace_op *op, u32 left, u32 count)
{
	struct sm *sm = turn->sm;

	count_shared(turn->gpu, sm, sm->warp[warp].slot,
		     burst_part(op, op->shared_count, left, count));
	sm->shared_at = turn->now +
			sm_span(turn->gpu, turn->now,
				burst_part(op, op->shared_cycles, left, count));
	return sm->shared_at;
}

static __always_inline void issue_compute(const struct turn *turn, u32 warp,
					  const struct trace_op *op,
					  u32 allowance)
{
	struct sm *sm = turn->sm;
	struct warp *w = &sm->warp[warp];
	u32 left = w->left ? w->left : op->count;
	u32 count = min(left, allowance);
	u32 limit = burst_limit(turn, warp, op, left);
	u64 ready;

	count = min(count, limit);
	if (!turn->plain && sm->quota_slots)
		count = quota_cut(turn->gpu, turn->index, w->slot, count,
				  op->active_lanes);

	w->left = left - count;
	if (!w->left)
		w->op++;
	burst_begin(turn, warp, count, burst_slots(op, left, count),
		    op->active_lanes);
	ready = turn->now + sm_span(turn->gpu, turn->now, burst_span(op, left, count));
	if (op->shared_count)
		ready = max(ready, take_shared(turn, warp, op, left, count));
	if (!turn->plain && sm->has_late)
		quota_begin(turn->gpu, turn->index, warp,
			    count * op->active_lanes, ready);
	wait_ahead(turn, warp, ready);
}

static void release_barrier(struct sm *sm, struct block *block)
{
	u64 mask;

	block->at_barrier = 0;
	for (mask = block->warps; mask; mask &= mask - 1) {
		u32 warp = lowest_bit(mask);

		if (sm->warp[warp].wait_load == WAIT_BARRIER) {
			sm->warp[warp].wait_load = NONE;
			warp_ready(sm, warp);
		}
	}
}

static void issue_barrier(const struct turn *turn, u32 warp,
			  const struct trace_op *op)
{
	struct sm *sm = turn->sm;
	struct warp *w = &sm->warp[warp];
	struct block *block = &sm->block[w->block];

	w->op++;
	burst_begin(turn, warp, 1, 1, op->active_lanes);
	if (!turn->plain && sm->has_late)
		quota_begin(turn->gpu, turn->index, warp, op->active_lanes,
			    turn->now + 1);
	w->wait_load = WAIT_BARRIER;
	warp_unready(sm, warp, STALL_BARRIER);
	if (++block->at_barrier == block->warps_left)
		release_barrier(sm, block);
}

static void loop_end(struct warp *w, const struct trace_op *ops,
		     const struct trace_op *op)
{
	u32 depth = w->loop_depth - 1;

	if (++w->loop_index[depth] < ops[op->body - 1].count) {
		w->op = op->body;
	} else {
		w->loop_depth = depth;
		w->op++;
	}
}

static void warp_exit(const struct turn *turn, u32 warp)
{
	struct sm *sm = turn->sm;
	u32 number = sm->warp[warp].block;
	struct block *block = &sm->block[number];

	sm->ready &= ~(1ULL << warp);
	/* A young warp may get its place at once, and must not count as the greedy one. */
	sm->greedy[turn_scheduler(turn, warp)] = NONE;
	if (!turn->plain && sm->has_late) {
		quota_flush(turn->gpu, turn->index, 1ULL << warp);
		sm_hold_warps(turn->gpu, turn->index);
	}
	block->issued += sm->warp[warp].issued;
	block->warps &= ~(1ULL << warp);
	sm->free_warps |= 1ULL << warp;
	block->warps_left--;
	if (!block->warps_left)
		block_finish(turn->gpu, turn->index, number);
	else if (block->at_barrier == block->warps_left)
		release_barrier(sm, block);
}

/*
 * An entry for a load. If all are in use, it is one whose data has come; if none has,
 * NONE, and the warp waits for the load that it needs first.
 */
static u32 free_load(const struct turn *turn, u32 warp)
{
	struct warp *w = &turn->sm->warp[warp];
	u32 first = 0, i;

	if (w->loads != U32_MAX)
		return lowest_bit(~(u64)w->loads);
	for (i = 0; i < WARP_LOADS; i++) {
		const struct warp_load *load = &w->load[i];

		if (!load->pending && load->ready <= turn->now) {
			w->loads &= ~(1U << i);
			return i;
		}
		if (load->deadline - w->issued <
		    w->load[first].deadline - w->issued)
			first = i;
	}
	load_settle(turn, warp, first);
	return NONE;
}

/* The kind of an op for the load/store unit: an atomic without a waiter is a reduction. */
static u32 lsu_kind(const struct trace_op *op)
{
	return op->kind == TRACE_ATOMIC && op->consume_after == TRACE_NEVER ?
	       LSU_REDUCE : op->kind;
}

/* False: the warp must wait, for the unit or for one of its loads. */
static __always_inline bool issue_memory(const struct turn *turn, u32 warp,
					 const struct trace_op *op)
{
	struct sm *sm = turn->sm;
	struct warp *w = &sm->warp[warp];
	struct lsu *lsu = &sm->lsu;
	u32 load = NONE, kind = lsu_kind(op);

	if (!lsu_idle(sm, turn->now)) {
		warp_unready(sm, warp, STALL_LSU);
		sm->lsu_waiters |= 1ULL << warp;
		return false;
	}
	if (kind != TRACE_STORE && kind != LSU_REDUCE) {
		load = free_load(turn, warp);
		if (load == NONE)
			return false;
	}
	burst_begin(turn, warp, 1, 1, op->active_lanes);
	w->op++;
	if (load != NONE) {
		w->loads |= 1U << load;
		w->load[load].deadline = w->issued + op->consume_after;
		if (op->consume_after < w->deadline - w->issued)
			w->deadline = w->issued + op->consume_after;
		w->load[load].pending = 1;
		w->load[load].ready = 0;
	}
	/* A store has no result: it completes when it has issued. */
	if (!turn->plain && sm->has_late && load == NONE)
		quota_begin(turn->gpu, turn->index, warp, op->active_lanes,
			    turn->now + 1);
	else if (!turn->plain && sm->has_late)
		quota_load_issued(turn->gpu, turn->index, warp, load,
				  op->active_lanes);
	lsu_begin(turn->gpu, sm, turn->index, kind, warp, load);
	address_lines(turn->gpu, sm, warp, op, lsu);
	if (op->kind == TRACE_STORE)
		lsu->stores += lsu->count;
	lsu_run(turn->gpu, turn->index);
	return true;
}

/* --- schedulers ------------------------------------------------------------------- */

/*
 * After a memory instruction the greedy warp goes on at once: its next compute
 * instructions, as far as they need no data, join the burst, which saves a turn.
 */
static __always_inline void extend_burst(const struct turn *turn, u32 warp,
					 const struct trace_op *ops, u32 span)
{
	struct sm *sm = turn->sm;
	struct warp *w = &sm->warp[warp];
	u32 number = turn_scheduler(turn, warp);
	struct scheduler *s = &sm->scheduler[number];
	const struct trace_op *op = &ops[w->op];
	u32 allowance = w->deadline - w->issued, count, limit;
	u64 cycles = span;

	if (allowance && span == 1 && op->kind == TRACE_COMPUTE &&
	    op->slots == op->per && !op->shared_count &&
	    op->active_lanes == s->lanes &&
	    (turn->plain || (!sm->quota_slots &&
			     turn->gpu->config.warp_policy == GPU_WARP_GTO))) {
		limit = burst_limit(turn, warp, op, op->count);
		count = min(op->count, allowance);
		count = min(count, limit);
		cycles += burst_span(op, op->count, count);
		w->left = op->count - count;
		if (!w->left)
			w->op++;
		w->issued += count;
		s->count += count;
		s->cycles = (u32)sm_span(turn->gpu, turn->now, s->count);
		sm->free_at[number] = turn->now + s->cycles;
	}
	wait_ahead(turn, warp, turn->now + sm_span(turn->gpu, turn->now, cycles));
}

/* Step over an op that issues nothing. */
static void pass_loop(struct warp *w, const struct trace_op *ops,
		      const struct trace_op *op)
{
	if (op->kind == TRACE_LOOP_END) {
		loop_end(w, ops, op);
		return;
	}
	w->loop_index[w->loop_depth++] = 0;
	w->op++;
}

/* End a warp's program; the warp may have to wait before it can leave. */
static void issue_end(const struct turn *turn, u32 warp)
{
	struct warp *w = &turn->sm->warp[warp];
	u64 *issued_at = &turn->gpu->counts[w->slot].issued_at[grid_queue(w->grid)];

	/* Loads that it still waits for must not find another warp in its place. */
	while (w->loads)
		if (!load_settle(turn, warp, lowest_bit(w->loads)))
			return;
	if (w->stall != STALL_ENDED)
		*issued_at = max(*issued_at, turn->now);
	if (turn->sm->warp_stores[warp]) {
		turn->sm->store_waiters |= 1ULL << warp;
		warp_unready(turn->sm, warp, STALL_ENDED);
		return;
	}
	warp_exit(turn, warp);
}

/*
 * Run a warp until it holds the issue slot (true) or has to wait or has ended
 * (false).
 */
static __always_inline bool warp_issue(const struct turn *turn, u32 warp)
{
	struct warp *w = &turn->sm->warp[warp];
	const struct trace_op *ops = turn->gpu->grids[w->grid].ops;
	u32 allowance = issue_allowance(turn, warp);

	while (allowance) {
		const struct trace_op *op = &ops[w->op];

		switch (op->kind) {
		case TRACE_COMPUTE:
		case TRACE_SHARED:
			if (wait_for_shared(turn, warp, op))
				return false;
			issue_compute(turn, warp, op, allowance);
			return true;
		case TRACE_LOAD:
		case TRACE_STORE:
		case TRACE_ATOMIC:
		case TRACE_CONSTANT:
			if (!issue_memory(turn, warp, op))
				return false;
			extend_burst(turn, warp, ops, op->span);
			return true;
		case TRACE_BARRIER:
			issue_barrier(turn, warp, op);
			return true;
		case TRACE_LOOP:
		case TRACE_LOOP_END:
			pass_loop(w, ops, op);
			break;
		default:
			if (op->body) {
				w->op = op->body - 1;
				break;
			}
			issue_end(turn, warp);
			return false;
		}
	}
	return false;
}

static u32 oldest_warp(const struct sm *sm, u64 mask)
{
	u32 best = lowest_bit(mask);

	for (mask &= mask - 1; mask; mask &= mask - 1) {
		u32 warp = lowest_bit(mask);

		if ((s32)(sm->warp_age[warp] - sm->warp_age[best]) < 0)
			best = warp;
	}
	return best;
}

/* The next warp in @mask after the one whose turn it was. */
static u32 next_warp(u32 turn, u64 mask)
{
	u64 later_ones = mask & ~((2ULL << turn) - 1);

	return lowest_bit(later_ones ? later_ones : mask);
}

static __always_inline u32 choose_warp(const struct turn *turn, u32 number,
				       u64 able)
{
	const struct sm *sm = turn->sm;
	u32 greedy = sm->greedy[number];

	if (!turn->plain && turn->gpu->config.warp_policy == GPU_WARP_LRR)
		return next_warp(sm->turn[number], able);
	if (greedy != NONE && (able & (1ULL << greedy)))
		return greedy;
	return oldest_warp(sm, able);
}

/* The warps that schedulers may pick now. */
static __always_inline u64 able_warps(const struct turn *turn)
{
	const struct sm *sm = turn->sm;

	return (sm->ready | if_set(lsu_idle(sm, turn->now), sm->lsu_waiters) |
		if_set(sm->shared_at <= turn->now, sm->shared_waiters)) &
	       ~sm->held;
}

/* A scheduler's work in this cycle, if it is free. */
static __always_inline void scheduler_turn(const struct turn *turn, u32 number)
{
	u64 warps = turn_warps(turn) << number, able;
	struct sm *sm = turn->sm;

	/* One branch for both, as each alone is hard to predict. */
	able = if_set(sm->free_at[number] <= turn->now, able_warps(turn) & warps);
	for (; able; able = able_warps(turn) & warps) {
		u32 warp = choose_warp(turn, number, able);
		u64 bit = 1ULL << warp;

		if (!(sm->ready & bit)) {
			sm->lsu_waiters &= ~bit;
			sm->shared_waiters &= ~bit;
			sm->ready |= bit;
		}
		if (warp_issue(turn, warp))
			return;
	}
}

/*
 * sm_idle_warps() - the warps that could issue at the end of this cycle but that
 *	their schedulers do not issue
 */
u64 sm_idle_warps(const struct sm *sm, u64 cycle)
{
	u64 idle = sm->ready | sm->lsu_waiters | sm->shared_waiters;
	u32 i;

	for (i = 0; i < sm->schedulers; i++)
		if (sm->free_at[i] > cycle && sm->greedy[i] != NONE)
			idle &= ~(1ULL << sm->greedy[i]);
	return idle & ~sm->held;
}

/* The cycle at which the first of an SM's schedulers is free. */
static u64 first_free(const struct sm *sm)
{
	u64 first = sm->free_at[0];
	u32 i;

	for (i = 1; i < sm->schedulers; i++)
		first = min(first, sm->free_at[i]);
	return first;
}

/*
 * sm_wants_acks() - whether an acknowledgment has a waiter: a warp that
 *	would end, a context that moves, or the load/store unit for an entry
 */
bool sm_wants_acks(const struct sm *sm)
{
	return ((sm->store_waiters | sm->moving) != 0) |
	       (lsu_is_held(sm) & (sm->lsu.blocked == LSU_STORES));
}

/* The cycle at which the next warp wakes, or a reply with a waiter comes. */
static u64 next_event(const struct sm *sm)
{
	u64 event = min(sm->next_sleeper, sm->reply_at);

	return min(event, sm->ack_at | if_set(!sm_wants_acks(sm), NEVER));
}

/*
 * The cycle at which the schedulers have something to do next. Data that comes and warps
 * that wake while their scheduler issues a burst wait for its end: no turn is needed
 * before. (No branch depends on which scheduler has what, for that is hard to predict.)
 */
static __always_inline u64 next_issue(const struct turn *turn, u64 event)
{
	const struct sm *sm = turn->sm;
	u64 next = NEVER;
	u64 waiters = if_set(sm->lsu.next == sm->lsu.count,
			     sm->lsu_waiters & ~sm->held);
	u64 ready = sm->ready & ~sm->held, warps = turn_warps(turn);
	u64 shared = sm->shared_waiters & ~sm->held;
	u32 i;

	if (!(ready | waiters | shared))
		return max(event, first_free(sm));
	/* Mostly no warp waits for a unit. */
	if (!(waiters | shared)) {
		for (i = 0; i < turn->schedulers; i++, warps <<= 1)
			next = min(next, max(if_set(!(ready & warps), event),
					     sm->free_at[i]));
		return next;
	}
	for (i = 0; i < turn->schedulers; i++, warps <<= 1) {
		/* NEVER without a waiter; the result is 0 with a ready warp. */
		u64 at = sm->lsu.port_free | if_set(!(waiters & warps), NEVER);

		at = min(at, sm->shared_at |
				if_set(!(shared & warps), NEVER));
		at = if_set(!(ready & warps), min(at, event));
		next = min(next, max(at, sm->free_at[i]));
	}
	return next;
}

/*
 * Whether all that comes, and warps that wake, need a turn at once, even while the
 * schedulers are busy: because contexts move, instructions are subtracted from a quota when
 * they complete, or pages come.
 */
static bool events_are_urgent(const struct sm *sm)
{
	return (sm->moving | sm->late_count | sm->has_late | sm->has_faulted) != 0;
}

/*
 * sm_wants_reply() - the cycle at which an SM needs a turn for a reply
 * @arrival: of the reply, which is its first
 * @came: CAME_DATA or CAME_ACK
 */
u64 sm_wants_reply(const struct sm *sm, u64 arrival, u32 came)
{
	if (events_are_urgent(sm) || (lsu_is_held(sm) && lsu_waits_for(sm) & came))
		return arrival;
	return max(arrival, first_free(sm));
}

/* The cycle at which the load/store unit, which is held back, may go on. */
static __always_inline u64 lsu_next_turn(const struct gpu *gpu, const struct sm *sm)
{
	u64 next = is_store(sm->lsu.kind) ? NEVER : sm->reply_at;

	switch (sm->lsu.blocked) {
	case LSU_STORES:
		return sm->ack_at;
	case LSU_PORT:
		return min(next, port_room_at(&gpu->config, sm));
	default:
		return next;
	}
}

/* End a turn in which the load/store unit may be held back, or contexts move. */
static __always_inline void end_urgent_turn(const struct turn *turn)
{
	struct gpu *gpu = turn->gpu;
	struct sm *sm = turn->sm;
	const struct lsu *lsu = &sm->lsu;
	u64 event, next;

	if (sm->late_count && lsu->next == lsu->count)
		lsu_send_late(gpu, turn->index);
	event = next_event(sm);
	next = next_issue(turn, event);
	if (events_are_urgent(sm))
		next = min(next, event);
	if (lsu_is_held(sm))
		next = min(next, lsu_next_turn(gpu, sm));
	if (sm->late_count && !mshrs_are_full(&gpu->config, sm))
		next = min(next, port_room_at(&gpu->config, sm));
	if (sm->moving)
		next = min(next, context_next_turn(gpu, sm));
	if (sm->has_faulted)
		next = min(next, fault_next_turn(gpu, sm, turn->index));
	if (sm->has_late)
		next = min(next, sm->complete_at);
	sm_wake(sm, max(next, turn->now + 1));
}

/* Take replies and wake warps up to a cycle. Return: CAME_*, what came. */
static __always_inline u32 take_events(struct gpu *gpu, u32 index, u64 cycle)
{
	struct sm *sm = &gpu->sms[index];
	u32 came = 0;

	while (sm->reply_at <= cycle) {
		lsu_take_reply(gpu, index);
		came |= CAME_DATA;
	}
	while (sm->ack_at <= cycle) {
		lsu_take_ack(gpu, index);
		came |= CAME_ACK;
	}
	if (sm->next_sleeper <= cycle)
		wake_sleepers(sm, cycle);
	return came;
}

/*
 * sm_take_events() - take the replies and wake the warps of an SM up to a
 *	cycle, which it otherwise puts off to its next turn
 *
 * While its clock is lowered, what came since its last cycle began is left to the next one: the
 * load/store unit may wait for it, and learns of it in a turn alone.
 */
void sm_take_events(struct gpu *gpu, u32 index, u64 cycle)
{
	take_events(gpu, index, __builtin_expect(!gpu->core_mhz, 1) ?
		    cycle : clock_seen(gpu, cycle));
}

/*
 * The scheduler that goes first. Each cycle it is another one, as in GPGPU-Sim; where
 * warps take turns, so do schedulers at the load/store unit. Otherwise a unit that is busy
 * for a multiple of their number would always be found idle by the same one.
 */
static __always_inline u32 first_scheduler(const struct turn *turn)
{
	if (!turn->plain && turn->gpu->config.warp_policy == GPU_WARP_LRR &&
	    lsu_idle(turn->sm, turn->now))
		return turn->sm->lsu.warp + 1;
	return (u32)(__builtin_expect(!turn->gpu->core_mhz, 1) ? turn->now :
		     clock_ticks(turn->gpu, turn->now));
}

/* An SM's work in this cycle. */
static __always_inline void take_turn(const struct turn *turn)
{
	struct sm *sm = turn->sm;
	u32 came = take_events(turn->gpu, turn->index, turn->now);
	u32 first, i;

	if (!turn->plain && sm->has_late && sm->complete_at <= turn->now)
		quota_complete(turn->gpu, turn->index, turn->now);
	if (lsu_is_held(sm) | events_are_urgent(sm)) {
		if (lsu_is_held(sm))
			lsu_retry(turn->gpu, turn->index, came);
		if (sm->moving)
			context_turn(turn->gpu, turn->index);
		if (sm->has_faulted)
			fault_turn(turn->gpu, turn->index);
	}
	first = first_scheduler(turn);
	for (i = 0; i < turn->schedulers; i++)
		scheduler_turn(turn, (first + i) & (turn->schedulers - 1U));
	if (lsu_is_held(sm) | events_are_urgent(sm))
		end_urgent_turn(turn);
	else
		sm_wake(sm, max(next_issue(turn, next_event(sm)),
				turn->now + 1));
}

/* Whether no cycle of the SM begins now: then its turn comes when the next one does. */
static noinline bool clock_waits(const struct gpu *gpu, struct sm *sm)
{
	u64 next = gpu->now - 1 + clock_span(gpu, gpu->now - 1, 1);

	if (next == gpu->now)
		return false;
	sm_wake(sm, next);
	return true;
}

/*
 * sm_turn() - an SM's work in this cycle
 *
 * The usual kind of turn is compiled on its own, without code for other kinds.
 */
void sm_turn(struct gpu *gpu, u32 index)
{
	struct sm *sm = &gpu->sms[index];
	struct turn turn = {
		.gpu = gpu,
		.sm = sm,
		.now = gpu->now,
		.index = index,
	};

	if (__builtin_expect(gpu->core_mhz != 0, 0) && clock_waits(gpu, sm))
		return;
	if (gpu->config.warp_policy == GPU_WARP_GTO && sm->schedulers == 2 &&
	    !sm->quota_slots && sm->owner != GPU_SHARED) {
		turn.plain = true;
		turn.schedulers = 2;
		take_turn(&turn);
	} else {
		turn.plain = false;
		turn.schedulers = sm->schedulers;
		take_turn(&turn);
	}
}

/* --- life --------------------------------------------------------------------------- */

void sm_init(struct gpu *gpu, u32 index)
{
	struct sm *sm = &gpu->sms[index];
	u32 warps = gpu->config.warps_per_sm, i;

	sm->owner = GPU_NO_TENANT;
	sm->next_owner = GPU_NO_TENANT;
	sm->schedulers = gpu->config.schedulers_per_sm;
	sm->turn_at = NEVER;
	sm->next_sleeper = NEVER;
	sm->free_warps = warps == 64 ? ~0ULL : (1ULL << warps) - 1;
	sm->reply_at = NEVER;
	sm->ack_at = NEVER;
	sm->complete_at = NEVER;
	memset(sm->greedy, NONE, sizeof(sm->greedy));
	sm->mover = NONE;
	memset(sm->mshr_bucket, 0xff, sizeof(sm->mshr_bucket));
	for (i = 0; i < l1_entries(&gpu->config); i++)
		sm->mshr[i].next = i + 1;
	sm->mshr[i - 1].next = NO_MSHR;
	sm->store_free = SM_FIRST_STORE;
	for (i = SM_FIRST_STORE; i < SM_FIRST_STORE + gpu->config.sm_stores; i++)
		sm->mshr[i].next = i + 1;
	sm->mshr[i - 1].next = NO_MSHR;
}

/*
 * sm_drop_tenant() - make a slot's thread blocks on an SM vanish
 *
 * Replies to their loads still come, to entries without waiters.
 */
void sm_drop_tenant(struct gpu *gpu, u32 index, u32 slot)
{
	struct sm *sm = &gpu->sms[index];
	struct lsu *lsu = &sm->lsu;
	u32 i;

	sm_account(gpu, index);
	for (i = 0; i < SM_FIRST_STORE + gpu->config.sm_stores; i++) {
		if (line_slot(sm->mshr[i].line) != slot)
			continue;
		sm->mshr[i].waiters = 0;
		sm->mshr[i].discard = 1;
	}
	if (lsu_is_held(sm) && lsu->slot == slot) {
		lsu->blocked = LSU_GOES_ON;
		lsu->count = lsu->next;
	}
	for (i = 0; i < sm->schedulers; i++) {
		struct scheduler *s = &sm->scheduler[i];

		if (sm->free_at[i] > gpu->now && s->slot == slot) {
			sm->free_at[i] = gpu->now + 1;
			s->count = s->counted;
		}
	}
	if (sm->owner == slot)
		sm->reserved = 0;
	for (i = 0; i < SM_BLOCKS_MAX; i++) {
		if (!sm->block[i].used || sm->block[i].slot != slot)
			continue;
		context_forget(gpu, index, i);
		block_clear(gpu, index, &sm->block[i]);
	}
	sm_hold_warps(gpu, index);
}
