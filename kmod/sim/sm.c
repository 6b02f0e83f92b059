// SPDX-License-Identifier: GPL-2.0
/*
 * Streaming multiprocessors: warps that run their programs, and schedulers that
 * pick among them (greedy, then oldest, or loose round robin). A burst of
 * instructions of one warp is one event. Their memory instructions: lsu.c.
 * Which thread blocks an SM holds is decided in dispatch.c and preempt.c.
 */
#include "sim.h"

/* --- accounting --------------------------------------------------------------- */

static void flush_stalls(struct simgpu_counters *counters, const u64 *stalls)
{
	counters->stall_memory_cycles += stalls[STALL_MEMORY];
	counters->stall_lsu_cycles += stalls[STALL_LSU];
	counters->stall_barrier_cycles += stalls[STALL_BARRIER];
	counters->stall_empty_cycles += stalls[STALL_EMPTY];
}

/* Add what a scheduler has counted to its tenant's and its SM's counters. */
static void flush_scheduler(struct gpu *gpu, u32 index, struct scheduler *s)
{
	struct tenant *tenant = &gpu->tenants[s->slot];
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

/* The burst is over, at @end: count what was not counted of it. */
static void count_burst(struct scheduler *s, u64 end)
{
	s->issue_slots += end - s->counted_to;
	s->warp_instructions += s->count;
	s->thread_instructions += (u64)s->count * s->lanes;
	s->counted_to = end;
	s->count = 0;
}

/*
 * Count what a scheduler, free at @free_at, has issued in the cycles up to and
 * without @end.
 */
static void count_until(struct scheduler *s, u64 free_at, u64 end)
{
	u64 count;

	if (end >= free_at) {
		count_burst(s, free_at);
		return;
	}
	if (end > s->counted_to) {
		s->issue_slots += end - s->counted_to;
		s->counted_to = end;
	}
	if (!s->count || end <= s->start)
		return;
	count = (end - 1 - s->start) / s->issue_cycles + 1;
	s->count -= count;
	s->start += count * s->issue_cycles;
	s->warp_instructions += count;
	s->thread_instructions += count * s->lanes;
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
			gpu->tenants[sm->owner].counters.sm_cycles += cycles;
		gpu->sm_counters[index].sm_cycles += cycles;
	}
	sm->owned_since = gpu->now;
	sm->split_to = gpu->now;
}

/* Accesses to shared memory are counted when their burst begins, or is cut. */
static void count_shared(struct gpu *gpu, const struct sm *sm, u32 slot,
			 s64 accesses)
{
	gpu->tenants[slot].counters.shared_accesses += accesses;
	gpu->sm_counters[sm - gpu->sms].shared_accesses += accesses;
}

/*
 * burst_cut() - end a scheduler's burst with the instruction that it issues
 *	now; its warp gets the others back
 */
void burst_cut(struct gpu *gpu, struct sm *sm, u32 number)
{
	struct scheduler *s = &sm->scheduler[number];
	struct warp *w;

	count_until(s, sm->free_at[number], gpu->now + 1);
	if (!s->count)
		return;
	/* Only compute instructions are issued after others of a burst. */
	w = &sm->warp[sm->greedy[number]];
	if (!w->left)
		w->op--;
	w->left += s->count;
	w->issued -= s->count;
	if (gpu->tenants[s->slot].trace->ops[w->op].kind == TRACE_SHARED)
		count_shared(gpu, sm, s->slot, -(s64)s->count);
	if (sm->quota_slots)
		quota_charge(gpu, sm - gpu->sms, s->slot,
			     -(s64)s->count * s->lanes);
	s->count = 0;
	sm->free_at[number] = s->start;
	/* What it began to wait for ahead of the burst's end has time again. */
	w->wait_load = NONE;
	sm->sleeping &= ~(1ULL << sm->greedy[number]);
	warp_ready(sm, sm->greedy[number]);
}

/* --- warps ---------------------------------------------------------------------- */

/* Which scheduler has a warp: every @schedulers-th of the SM is its. */
static u32 scheduler_of(const struct sm *sm, u32 warp)
{
	return warp & (sm->schedulers - 1);
}

void warp_ready(struct sm *sm, u32 warp)
{
	sm->ready |= 1ULL << warp;
}

static void warp_unready(struct sm *sm, u32 warp, enum stall why)
{
	sm->ready &= ~(1ULL << warp);
	sm->warp[warp].stall = why;
}

static void warp_sleep(struct sm *sm, u32 warp, u64 until)
{
	warp_unready(sm, warp, STALL_MEMORY);
	sm->warp_wake[warp] = until;
	sm->sleeping |= 1ULL << warp;
	if (until < sm->next_sleeper)
		sm->next_sleeper = until;
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
			warp_ready(sm, warp);
		} else if (at < sm->next_sleeper) {
			sm->next_sleeper = at;
		}
	}
}

/* Whether a load's data is there; if not, the warp waits for it. */
static bool load_settle(struct gpu *gpu, struct sm *sm, u32 warp, u32 load)
{
	struct warp *w = &sm->warp[warp];

	if (w->load[load].pending) {
		w->wait_load = load;
		warp_unready(sm, warp, STALL_MEMORY);
		return false;
	}
	if (w->load[load].ready > gpu->now) {
		warp_sleep(sm, warp, w->load[load].ready);
		return false;
	}
	w->loads &= ~(1U << load);
	return true;
}

/*
 * How many instructions a warp may issue before it needs data that it does not
 * have; 0: it now waits for that data.
 */
static u32 issue_allowance(struct gpu *gpu, struct sm *sm, u32 warp)
{
	struct warp *w = &sm->warp[warp];
	u32 least = U32_MAX, mask;

	if (w->deadline != w->issued)
		return w->deadline - w->issued;
	for (mask = w->loads; mask; mask &= mask - 1) {
		u32 load = lowest_bit(mask);
		u32 left = w->load[load].deadline - w->issued;

		if (left)
			least = left < least ? left : least;
		else if (!load_settle(gpu, sm, warp, load))
			return 0;
	}
	/* Without loads it is as far as can be. */
	w->deadline = w->issued + least;
	return least;
}

static void begin_burst(struct gpu *gpu, struct sm *sm, u32 warp, u32 count,
			u32 issue_cycles, u32 lanes)
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
	s->issue_cycles = issue_cycles;
	s->lanes = lanes;
	sm->free_at[number] = gpu->now + (u64)count * issue_cycles;
	sm->warp[warp].issued += count;
	if (sm->quota_slots)
		quota_charge(gpu, sm - gpu->sms, slot, (s64)count * lanes);
}

static void issue_compute(struct gpu *gpu, struct sm *sm, u32 warp,
			  const struct trace_op *op, u32 allowance)
{
	struct warp *w = &sm->warp[warp];
	u32 left = w->left ? w->left : op->count;
	u32 count = left < allowance ? left : allowance;

	/* Round robin: it is another warp's turn after each instruction. */
	if (gpu->config.warp_policy == GPU_WARP_LRR)
		count = 1;
	if (sm->quota_slots)
		count = quota_cut(gpu, sm - gpu->sms, w->slot,
				  count, op->active_lanes);

	w->left = left - count;
	if (!w->left)
		w->op++;
	begin_burst(gpu, sm, warp, count, op->issue_cycles, op->active_lanes);
	if (op->kind == TRACE_SHARED)
		count_shared(gpu, sm, w->slot, count);
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

static void issue_barrier(struct gpu *gpu, struct sm *sm, u32 warp,
			  const struct trace_op *op)
{
	struct warp *w = &sm->warp[warp];
	struct block *block = &sm->block[w->block];

	w->op++;
	begin_burst(gpu, sm, warp, 1, 1, op->active_lanes);
	w->wait_load = WAIT_BARRIER;
	warp_unready(sm, warp, STALL_BARRIER);
	if (++block->at_barrier == block->warps_left)
		release_barrier(sm, block);
}

static void loop_end(const struct gpu *gpu, struct warp *w,
		     const struct trace_op *op)
{
	const struct trace_op *ops = gpu->tenants[w->slot].trace->ops;
	u32 depth = w->loop_depth - 1;

	/* A decoded LOOP_END names its LOOP's first body op in @pattern. */
	if (++w->loop_index[depth] < ops[op->pattern - 1].count) {
		w->op = op->pattern;
	} else {
		w->loop_depth = depth;
		w->op++;
	}
}

static void warp_exit(struct gpu *gpu, u32 index, u32 warp)
{
	struct sm *sm = &gpu->sms[index];
	u32 number = sm->warp[warp].block;
	struct block *block = &sm->block[number];

	sm->ready &= ~(1ULL << warp);
	/* Its place may go to a young warp at once: that one is not the greedy. */
	sm->greedy[scheduler_of(sm, warp)] = NONE;
	block->warps &= ~(1ULL << warp);
	sm->free_warps |= 1ULL << warp;
	block->warps_left--;
	if (!block->warps_left)
		block_finish(gpu, index, number);
	else if (block->at_barrier == block->warps_left)
		release_barrier(sm, block);
}

/* What an op is for the load/store unit: nobody waits for a reduction. */
static u32 lsu_kind(const struct trace_op *op)
{
	return op->kind == TRACE_ATOMIC && op->consume_after == TRACE_NEVER ?
	       LSU_REDUCE : op->kind;
}

/* False: the warp must wait, for the unit or for one of its loads. */
static bool issue_memory(struct gpu *gpu, u32 index, u32 warp,
			 const struct trace_op *op)
{
	struct sm *sm = &gpu->sms[index];
	struct warp *w = &sm->warp[warp];
	struct lsu *lsu = &sm->lsu;
	u32 load = NONE, kind = lsu_kind(op);

	if (!lsu_idle(sm, gpu->now)) {
		warp_unready(sm, warp, STALL_LSU);
		sm->lsu_waiters |= 1ULL << warp;
		return false;
	}
	if (kind != TRACE_STORE && kind != LSU_REDUCE) {
		if (w->loads == (1U << WARP_LOADS) - 1) {
			/* All entries in use: wait for the lowest. */
			if (!load_settle(gpu, sm, warp, 0))
				return false;
		}
		load = lowest_bit(~(u64)w->loads);
	}
	begin_burst(gpu, sm, warp, 1, 1, op->active_lanes);
	w->op++;
	if (load != NONE) {
		w->loads |= 1U << load;
		w->load[load].deadline = w->issued + op->consume_after;
		if (op->consume_after < w->deadline - w->issued)
			w->deadline = w->issued + op->consume_after;
		w->load[load].pending = 1;
		w->load[load].ready = 0;
	}
	lsu_begin(gpu, index, kind, warp, load);
	address_lines(gpu, sm, warp, op, lsu);
	if (op->kind == TRACE_STORE)
		lsu->stores += lsu->count;
	lsu_run(gpu, index);
	return true;
}

/* --- schedulers ------------------------------------------------------------------- */

/*
 * If a warp needs data after its burst that will not be there then, it begins
 * to wait for it now, which saves the turn in which it would be found out.
 */
static void wait_ahead(struct sm *sm, u32 warp, u64 free_at)
{
	struct warp *w = &sm->warp[warp];
	u32 mask;

	for (mask = w->loads; mask; mask &= mask - 1) {
		u32 load = lowest_bit(mask);

		if (w->load[load].deadline != w->issued)
			continue;
		if (w->load[load].pending) {
			w->wait_load = load;
			warp_unready(sm, warp, STALL_MEMORY);
		} else if (w->load[load].ready > free_at) {
			warp_sleep(sm, warp, w->load[load].ready);
		}
		return;
	}
}

/*
 * After a memory instruction the greedy warp goes on at once: what it computes
 * next, as far as it needs no data, joins the burst and saves a turn.
 */
static void extend_burst(const struct gpu *gpu, struct sm *sm, u32 warp)
{
	struct warp *w = &sm->warp[warp];
	u32 number = scheduler_of(sm, warp);
	struct scheduler *s = &sm->scheduler[number];
	const struct trace_op *op = &gpu->tenants[s->slot].trace->ops[w->op];
	u32 allowance = w->deadline - w->issued, count;

	if (allowance && op->kind == TRACE_COMPUTE && op->issue_cycles == 1 &&
	    op->active_lanes == s->lanes && !sm->quota_slots &&
	    gpu->config.warp_policy == GPU_WARP_GTO) {
		count = op->count < allowance ? op->count : allowance;
		w->left = op->count - count;
		if (!w->left)
			w->op++;
		w->issued += count;
		s->count += count;
		sm->free_at[number] += count;
	}
	if (w->deadline == w->issued)
		wait_ahead(sm, warp, sm->free_at[number]);
}

/*
 * Run a warp until it holds the issue slot (true) or has to wait or has ended
 * (false).
 */
static bool warp_issue(struct gpu *gpu, u32 index, u32 warp)
{
	struct sm *sm = &gpu->sms[index];
	struct warp *w = &sm->warp[warp];
	const struct trace_op *ops = gpu->tenants[w->slot].trace->ops;
	u32 allowance = issue_allowance(gpu, sm, warp);

	while (allowance) {
		const struct trace_op *op = &ops[w->op];

		switch (op->kind) {
		case TRACE_COMPUTE:
		case TRACE_SHARED:
			issue_compute(gpu, sm, warp, op, allowance);
			return true;
		case TRACE_LOAD:
		case TRACE_STORE:
		case TRACE_ATOMIC:
		case TRACE_CONSTANT:
			if (!issue_memory(gpu, index, warp, op))
				return false;
			extend_burst(gpu, sm, warp);
			return true;
		case TRACE_BARRIER:
			issue_barrier(gpu, sm, warp, op);
			return true;
		case TRACE_LOOP:
			w->loop_index[w->loop_depth++] = 0;
			w->op++;
			break;
		case TRACE_LOOP_END:
			loop_end(gpu, w, op);
			break;
		default:
			/* What it still waits for would find another warp here. */
			while (w->loads)
				if (!load_settle(gpu, sm, warp,
						 lowest_bit(w->loads)))
					return false;
			if (sm->warp_stores[warp]) {
				sm->store_waiters |= 1ULL << warp;
				warp_unready(sm, warp, STALL_MEMORY);
				return false;
			}
			warp_exit(gpu, index, warp);
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

/* The next warp after the one whose turn it was. */
static u32 next_warp(u32 turn, u64 mask)
{
	u64 later_ones = mask & ~((2ULL << turn) - 1);

	return lowest_bit(later_ones ? later_ones : mask);
}

static u32 choose_warp(const struct gpu *gpu, const struct sm *sm, u32 number,
		       u64 able)
{
	u32 greedy = sm->greedy[number];

	if (gpu->config.warp_policy == GPU_WARP_LRR)
		return next_warp(sm->turn[number], able);
	if (greedy != NONE && (able & (1ULL << greedy)))
		return greedy;
	return oldest_warp(sm, able);
}

/* The warps that schedulers may pick now. */
static u64 able_warps(const struct gpu *gpu, const struct sm *sm)
{
	return (sm->ready | if_set(lsu_idle(sm, gpu->now), sm->lsu_waiters)) &
	       ~sm->held;
}

static void scheduler_turn(struct gpu *gpu, u32 index, u32 number)
{
	struct sm *sm = &gpu->sms[index];
	u64 warps = gpu->shape.scheduler_warps << number;

	for (;;) {
		u64 able = able_warps(gpu, sm) & warps;
		u32 warp;

		if (!able)
			return;
		warp = choose_warp(gpu, sm, number, able);
		sm->lsu_waiters &= ~(1ULL << warp);
		warp_ready(sm, warp);
		if (warp_issue(gpu, index, warp))
			return;
	}
}

/*
 * sm_idle_warps() - the warps that could issue at the end of this cycle but are
 *	not those that their schedulers issue
 */
u64 sm_idle_warps(const struct gpu *gpu, const struct sm *sm)
{
	u64 idle = sm->ready | sm->lsu_waiters;
	u32 i;

	for (i = 0; i < sm->schedulers; i++)
		if (sm->free_at[i] > gpu->sample_at && sm->greedy[i] != NONE)
			idle &= ~(1ULL << sm->greedy[i]);
	return idle & ~sm->held;
}

/* When the first of an SM's schedulers is free. */
static u64 first_free(const struct sm *sm)
{
	u64 first = sm->free_at[0];
	u32 i;

	for (i = 1; i < sm->schedulers; i++)
		first = sooner(first, sm->free_at[i]);
	return first;
}

/*
 * sm_wants_acks() - whether anybody waits for an acknowledgment: a warp that
 *	would end, a context that moves, or the load/store unit for an entry
 */
bool sm_wants_acks(const struct sm *sm)
{
	return sm->store_waiters || sm->moving ||
	       (sm->lsu.next < sm->lsu.count && sm->lsu.blocked == LSU_STORES);
}

/* When the next warp wakes, or a reply comes that somebody waits for. */
static u64 next_event(const struct sm *sm)
{
	u64 event = sooner(sm->next_sleeper, sm->reply_at);

	return sm->ack_at < event && sm_wants_acks(sm) ? sm->ack_at : event;
}

/*
 * When the schedulers have something to do next. Data that comes and warps that
 * wake while their scheduler issues a burst wait for its end: no turn is needed
 * before. (There is no branch on which scheduler has what: nobody foresees it.)
 */
static __always_inline u64 next_issue(const struct gpu *gpu,
				      const struct sm *sm)
{
	u64 event = next_event(sm), next = NEVER;
	u64 waiters = if_set(sm->lsu.next == sm->lsu.count,
			     sm->lsu_waiters & ~sm->held);
	u64 ready = sm->ready & ~sm->held, warps = gpu->shape.scheduler_warps;
	u32 i;

	if (!(ready | waiters))
		return later(event, first_free(sm));
	for (i = 0; i < sm->schedulers; i++, warps <<= 1) {
		/* NEVER without a waiter, and in the end 0 with a ready warp. */
		u64 at = sm->lsu.port_free | if_set(!(waiters & warps), NEVER);

		at = if_set(!(ready & warps), sooner(at, event));
		next = sooner(next, later(at, sm->free_at[i]));
	}
	return next;
}

/*
 * Whether replies and warps that wake need a turn at once, be the schedulers
 * busy or not: the load/store unit asks again in each turn, or contexts move.
 */
static bool events_are_urgent(const struct sm *sm)
{
	return sm->moving || sm->lsu.next < sm->lsu.count || sm->late_count;
}

/*
 * sm_wants_reply() - the cycle at which an SM wants to know of a reply
 * @arrival: of the reply, which is its first
 */
u64 sm_wants_reply(const struct sm *sm, u64 arrival)
{
	return events_are_urgent(sm) ? arrival :
				       later(arrival, first_free(sm));
}

/* From when the injection queue has room. */
static u64 lsu_port_at(const struct gpu *gpu, const struct sm *sm)
{
	return later(sm->out_free, gpu->config.noc_queue_depth) -
	       gpu->config.noc_queue_depth;
}

/* When an SM needs its next turn. */
static u64 next_turn(const struct gpu *gpu, const struct sm *sm)
{
	const struct lsu *lsu = &sm->lsu;
	u64 next = next_issue(gpu, sm);

	if (events_are_urgent(sm))
		next = sooner(next, next_event(sm));
	if (lsu->next < lsu->count && lsu->blocked == LSU_PORT)
		next = sooner(next, lsu_port_at(gpu, sm));
	if (sm->late_count && !mshrs_are_full(&gpu->config, sm))
		next = sooner(next, lsu_port_at(gpu, sm));
	if (sm->moving)
		next = sooner(next, context_next_turn(gpu, sm));
	return later(next, gpu->now + 1);
}

/* Take replies and wake warps up to a cycle: whether there were replies. */
static __always_inline bool take_events(struct gpu *gpu, u32 index, u64 cycle)
{
	struct sm *sm = &gpu->sms[index];
	bool replied = false;

	while (sm->reply_at <= cycle) {
		lsu_take_reply(gpu, index);
		replied = true;
	}
	while (sm->ack_at <= cycle) {
		lsu_take_ack(gpu, index);
		replied = true;
	}
	if (sm->next_sleeper <= cycle)
		wake_sleepers(sm, cycle);
	return replied;
}

/*
 * sm_take_events() - take the replies and wake the warps of an SM up to a
 *	cycle, which it puts off to its next turn
 */
void sm_take_events(struct gpu *gpu, u32 index, u64 cycle)
{
	take_events(gpu, index, cycle);
}

/*
 * sm_turn() - what an SM does in this cycle
 */
void sm_turn(struct gpu *gpu, u32 index)
{
	struct sm *sm = &gpu->sms[index];
	bool replied = take_events(gpu, index, gpu->now);
	u64 next;
	u32 i;

	if (sm->lsu.next < sm->lsu.count)
		lsu_retry(gpu, index, replied);
	if (sm->moving)
		context_turn(gpu, index);
	for (i = 0; (sm->ready | sm->lsu_waiters) && i < sm->schedulers; i++)
		if (sm->free_at[i] <= gpu->now)
			scheduler_turn(gpu, index, i);
	if (sm->late_count && sm->lsu.next == sm->lsu.count)
		lsu_send_late(gpu, index);
	next = next_turn(gpu, sm);
	if (next != NEVER)
		gpu_wake(gpu, part_of_sm(index), next);
}

/* --- life --------------------------------------------------------------------------- */

void sm_init(struct gpu *gpu, u32 index)
{
	struct sm *sm = &gpu->sms[index];
	u32 warps = gpu->config.warps_per_sm, i;

	sm->owner = GPU_NO_TENANT;
	sm->next_owner = GPU_NO_TENANT;
	sm->schedulers = gpu->config.schedulers_per_sm;
	sm->next_sleeper = NEVER;
	sm->free_warps = warps == 64 ? ~0ULL : (1ULL << warps) - 1;
	sm->reply_at = NEVER;
	sm->ack_at = NEVER;
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
 * block_clear() - take a thread block off its SM, where it never was
 */
void block_clear(struct gpu *gpu, u32 index, struct block *block)
{
	struct sm *sm = &gpu->sms[index];
	u64 warps = block->warps;
	u32 i;

	for (i = 0; i < sm->schedulers; i++)
		if (sm->greedy[i] != NONE && (warps & (1ULL << sm->greedy[i])))
			sm->greedy[i] = NONE;
	sm->ready &= ~warps;
	sm->sleeping &= ~warps;
	sm->lsu_waiters &= ~warps;
	sm->store_waiters &= ~warps;
	sm->free_warps |= warps;
	for (; warps; warps &= warps - 1)
		sm->warp_stores[lowest_bit(warps)] = 0;
	block_release(gpu, index, block);
}

/*
 * sm_drop_tenant() - make a slot's thread blocks on an SM vanish
 *
 * Replies to their loads still come, to entries that nobody waits for.
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
	if (lsu->next < lsu->count && lsu->slot == slot) {
		lsu->blocked = LSU_GOES_ON;
		lsu->count = lsu->next;
	}
	for (i = 0; i < sm->schedulers; i++) {
		struct scheduler *s = &sm->scheduler[i];

		if (sm->free_at[i] > gpu->now && s->slot == slot) {
			sm->free_at[i] = gpu->now + 1;
			s->count = 0;
		}
	}
	for (i = 0; i < SM_BLOCKS_MAX; i++) {
		if (!sm->block[i].used || sm->block[i].slot != slot)
			continue;
		context_forget(gpu, index, i);
		block_clear(gpu, index, &sm->block[i]);
	}
	sm_hold_warps(gpu, index);
}
