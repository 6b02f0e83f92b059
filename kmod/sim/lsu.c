// SPDX-License-Identifier: GPL-2.0
/*
 * The load/store unit of an SM: one memory instruction at a time, line by line
 * through an L1, and the misses that wait in its MSHR entries.
 */
#include "sim.h"

/* --- accounting --------------------------------------------------------------- */

static void count_accesses(struct simgpu_counters *counters,
			   const struct lsu *lsu)
{
	counters->l1_accesses += lsu->accesses[L1_DATA];
	counters->l1_misses += lsu->misses[L1_DATA];
	counters->l1c_accesses += lsu->accesses[L1_CONSTANT];
	counters->l1c_misses += lsu->misses[L1_CONSTANT];
	counters->l1_stores += lsu->stores;
}

/*
 * lsu_account() - add what an SM's unit has counted to the counters of its
 *	tenant and of the SM
 */
void lsu_account(struct gpu *gpu, u32 index)
{
	struct lsu *lsu = &gpu->sms[index].lsu;

	count_accesses(slot_counters(gpu, lsu->slot), lsu);
	count_accesses(&gpu->sm_counters[index], lsu);
	memset(lsu->accesses, 0, sizeof(lsu->accesses));
	memset(lsu->misses, 0, sizeof(lsu->misses));
	lsu->stores = 0;
}

/* --- misses ---------------------------------------------------------------------- */

/* One line of a load has come, or the unit is done with the load. */
static void warp_data_arrived(struct gpu *gpu, u32 index, u32 warp, u32 load)
{
	struct sm *sm = &gpu->sms[index];
	struct warp *w = &sm->warp[warp];

	if (--w->load[load].pending)
		return;
	if (sm->has_late)
		quota_load_came(gpu, index, warp, load);
	if (w->wait_load != load)
		return;
	w->wait_load = NONE;
	warp_ready(sm, warp);
}

/* One line of a store is acknowledged, or the unit is done with the store. */
static void store_arrived(struct sm *sm, u32 warp)
{
	if (--sm->warp_stores[warp] || !(sm->store_waiters & (1ULL << warp)))
		return;
	sm->store_waiters &= ~(1ULL << warp);
	warp_ready(sm, warp);
}

static u32 bucket_of(u32 line)
{
	return (line * 0x9e3779b1U) >> 24;
}

static struct mshr *mshr_find(struct sm *sm, u32 line, u32 sectors,
			      enum l1_kind kind)
{
	u32 i;

	for (i = sm->mshr_bucket[bucket_of(line)]; i != NO_MSHR; i = sm->mshr[i].next)
		if (sm->mshr[i].line == line && sm->mshr[i].l1 == kind &&
		    sm->mshr[i].sectors == sectors)
			return &sm->mshr[i];
	return NULL;
}

static void mshr_add_waiter(struct sm *sm, struct mshr *mshr)
{
	struct lsu *lsu = &sm->lsu;

	mshr->waiter[mshr->waiters++] = lsu->warp * WARP_LOADS + lsu->load;
	sm->warp[lsu->warp].load[lsu->load].pending++;
}

/*
 * The time from a line's request to its arrival is added to its tenant's load_cycles. The
 * beginning is subtracted and the end added, so lines under way are not in it yet;
 * gpu_tenant_counters() adds those.
 */
static void load_begin(struct gpu *gpu, u32 line)
{
	struct tenant_counts *tenant = &gpu->counts[line_slot(line)];

	tenant->loads++;
	tenant->counters.load_requests++;
	tenant->counters.load_cycles -= gpu->now;
}

static void load_end(struct gpu *gpu, u32 line, u64 cycle)
{
	struct tenant_counts *tenant = &gpu->counts[line_slot(line)];

	tenant->loads--;
	tenant->counters.load_cycles += cycle;
}

/* Set which sectors an entry's request is for, and how many replies it gets. */
static void set_sectors(const struct gpu *gpu, struct mshr *mshr, u32 line,
			u32 sectors)
{
	mshr->line = line;
	mshr->sectors = sectors;
	mshr->parts = gpu->config.llc_sectors > 1 ? sector_count(sectors) : 1;
}

/* Whether the injection queue at an SM's request port is full. */
static bool port_is_full(const struct gpu *gpu, const struct sm *sm)
{
	return sm->out_free > gpu->now + gpu->config.noc_queue_depth;
}

/*
 * An L1 with sectors has a bank for each of a line's four, and each bank a queue.
 * If several banks want the request port, or an MSHR entry, lower banks go first (as in
 * GPGPU-Sim). So the last bank falls behind by as much as its queue can hold, while
 * a warp's next instruction only waits for a place in that queue. Where SMs are
 * held back, the last sector of a line therefore comes to the memory long after the
 * others, and its row may have to be opened again.
 */
static bool last_bank(const struct gpu *gpu, u32 sectors)
{
	return gpu->config.l1_sectors > 1 &&
	       sectors == 1U << (TRACE_SECTORS - 1);
}

/* What holds a request back; a load may also lack an MSHR entry. */
static enum lsu_block lsu_obstacle(const struct gpu *gpu, const struct sm *sm,
				   bool store)
{
	if (!store && mshrs_are_full(&gpu->config, sm))
		return LSU_MSHR;
	return port_is_full(gpu, sm) ? LSU_PORT : LSU_GOES_ON;
}

/* The same; but a request of the last bank is not held back while its queue has room. */
static enum lsu_block lsu_held(const struct gpu *gpu, const struct sm *sm,
			       u32 sectors, bool store)
{
	if (last_bank(gpu, sectors) && sm->late_count < SM_LATE_MAX)
		return LSU_GOES_ON;
	return lsu_obstacle(gpu, sm, store);
}

static void send_first_late(struct gpu *gpu, u32 index)
{
	struct sm *sm = &gpu->sms[index];
	u32 number = sm->late[sm->late_head];

	sm->late_head = (sm->late_head + 1) % SM_LATE_MAX;
	sm->late_count--;
	sm->late_loads -= number < SM_FIRST_STORE;
	/* Its tenant, or its thread block, was dropped. */
	if (!sm->mshr[number].waiters)
		mshr_release(gpu, index, number, gpu->now);
	else
		noc_send(gpu, index, number, gpu->now);
}

/* lsu_send_late() - send waiting requests of the last bank, if port and entries are free */
void lsu_send_late(struct gpu *gpu, u32 index)
{
	struct sm *sm = &gpu->sms[index];

	while (sm->late_count &&
	       lsu_obstacle(gpu, sm, sm->late[sm->late_head] >=
					     SM_FIRST_STORE) == LSU_GOES_ON)
		send_first_late(gpu, index);
}

/* Send an entry's request, or put it behind the others of its bank. */
static __always_inline void send_entry(struct gpu *gpu, u32 index, u32 number)
{
	struct sm *sm = &gpu->sms[index];
	bool store = number >= SM_FIRST_STORE;

	/* A load's own entry is in use already. */
	if (!last_bank(gpu, sm->mshr[number].sectors) ||
	    (!sm->late_count && !port_is_full(gpu, sm) &&
	     (store || sm->mshrs_used <= gpu->config.l1_mshrs))) {
		noc_send(gpu, index, number, sm->lsu.port_free);
		return;
	}
	if (sm->late_count == SM_LATE_MAX)
		send_first_late(gpu, index);
	sm->late[(sm->late_head + sm->late_count) % SM_LATE_MAX] = number;
	sm->late_count++;
	sm->late_loads += !store;
}

/* Take an entry for a line of a load or an atomic, and send its request. */
static __always_inline void mshr_take(struct gpu *gpu, u32 index, u32 line,
				      u32 sectors, u32 kind, enum l1_kind l1)
{
	struct sm *sm = &gpu->sms[index];
	struct mshr *mshr = &sm->mshr[sm->mshr_free];
	u32 number = sm->mshr_free, bucket = bucket_of(line);
	bool hashed = kind == REQUEST_READ;

	sm->mshr_free = mshr->next;
	noc_prefetch(gpu, index, sm->mshr_free);
	sm->mshrs_used++;
	set_sectors(gpu, mshr, line, sectors);
	mshr->waiters = 0;
	mshr->discard = !hashed;
	mshr->hashed = hashed;
	mshr->l1 = l1;
	mshr->kind = kind;
	if (!hashed)
		mshr->words = sm->lsu.words;
	else if (gpu->config.llc_sectors > 1)
		mshr->words = SECTOR_WORDS;
	else
		mshr->words = SECTOR_WORDS * sector_count(sectors);
	if (hashed) {
		mshr->next = sm->mshr_bucket[bucket];
		sm->mshr_bucket[bucket] = number;
	}
	mshr_add_waiter(sm, mshr);
	load_begin(gpu, line);
	send_entry(gpu, index, number);
}

static void count_reply(struct gpu *gpu, const struct mshr *mshr, u32 words)
{
	u32 parts = gpu->config.llc_sectors > 1 ?
		    sector_count(mshr->sectors) : 1;

	slot_counters(gpu, line_slot(mshr->line))->noc_reply_flits +=
		parts * gpu->shape.packet_flits[words];
}

static void store_release(struct sm *sm, u32 number)
{
	sm->mshr[number].waiters = 0;
	sm->mshr[number].next = sm->store_free;
	sm->store_free = number;
}

/* An entry's line needs no way of the L1 any more. */
static noinline void give_up_way(struct gpu *gpu, u32 index, struct mshr *mshr)
{
	l1_big_release(&gpu->l1[L1_DATA], index, mshr->reserved, mshr->sectors);
	mshr->reserved = 0;
}

/* Take an entry out of the table by which lines find it. */
static void mshr_unhash(struct sm *sm, u32 number)
{
	struct mshr *mshr = &sm->mshr[number];
	u16 *link = &sm->mshr_bucket[bucket_of(mshr->line)];

	if (!mshr->hashed)
		return;
	while (*link != number)
		link = &sm->mshr[*link].next;
	*link = mshr->next;
}

/*
 * mshr_release() - free an entry
 * @cycle: at which its line has come
 */
void mshr_release(struct gpu *gpu, u32 index, u32 number, u64 cycle)
{
	struct sm *sm = &gpu->sms[index];
	struct mshr *mshr = &sm->mshr[number];

	if (mshr->kind >= REQUEST_REDUCE) {
		store_release(sm, number);
		return;
	}
	/* Loads of a dropped tenant, or thread block, have ended with it. */
	if (mshr->waiters) {
		load_end(gpu, mshr->line, cycle);
		count_reply(gpu, mshr, mshr->words);
	}
	if (mshr->reserved)
		give_up_way(gpu, index, mshr);
	mshr_unhash(sm, number);
	mshr->waiters = 0;
	mshr->next = sm->mshr_free;
	sm->mshr_free = number;
	sm->mshrs_used--;
}

/*
 * Look up one line of a load or an atomic in its L1, and send it on if it misses. Inlined
 * for each kind of L1, so that the usual kind does not pay for the other.
 */
static __always_inline enum lsu_block lsu_read(struct gpu *gpu, u32 index,
					       u32 line, u32 sectors,
					       enum l1_kind kind)
{
	struct sm *sm = &gpu->sms[index];
	struct lsu *lsu = &sm->lsu;
	struct warp_load *load = &sm->warp[lsu->warp].load[lsu->load];
	bool atomic = kind == L1_DATA && lsu->kind == TRACE_ATOMIC;
	const struct l1 *l1 = &gpu->l1[kind];
	bool reserves = !atomic && l1->sectors > 1 && l1->big_sets;
	enum lsu_block block;
	struct mshr *pending;
	u32 number;

	if (!atomic && l1_lookup(&gpu->l1[kind], index, line, sectors)) {
		load->ready = lsu->port_free +
			      sm_span(gpu, lsu->port_free, gpu->config.l1_hit_latency);
		lsu->accesses[kind]++;
		return LSU_GOES_ON;
	}
	pending = atomic ? NULL : mshr_find(sm, line, sectors, kind);
	if (pending) {
		if (pending->waiters == MSHR_MERGES)
			return LSU_MSHR;
		mshr_add_waiter(sm, pending);
	} else {
		if (reserves && !l1_big_has_room(l1, index, line))
			return LSU_MSHR;
		block = lsu_held(gpu, sm, sectors, false);
		if (block != LSU_GOES_ON)
			return block;
		number = sm->mshr_free;
		mshr_take(gpu, index, line, sectors,
			  atomic ? REQUEST_ATOMIC : REQUEST_READ, kind);
		if (reserves)
			sm->mshr[number].reserved =
				l1_big_reserve(l1, index, line, sectors);
	}
	if (!atomic) {
		lsu->accesses[kind]++;
		lsu->misses[kind]++;
	}
	return LSU_GOES_ON;
}

/* One line of a saved context; it does not go through the L1, which it would only pollute. */
static enum lsu_block lsu_restore(struct gpu *gpu, u32 index, u32 line)
{
	struct sm *sm = &gpu->sms[index];
	u32 number = sm->mshr_free;
	enum lsu_block block = lsu_obstacle(gpu, sm, false);

	if (block != LSU_GOES_ON)
		return block;
	mshr_take(gpu, index, line, TRACE_ALL_SECTORS, REQUEST_READ, L1_DATA);
	sm->mshr[number].discard = 1;
	return LSU_GOES_ON;
}

/*
 * A store allocates in an L1 that does so: sectors that it writes as a whole can be read
 * from then on; others can be read if they could before.
 */
static void write_l1(struct gpu *gpu, u32 index, const struct mshr *mshr,
		     u32 stored)
{
	const struct l1 *l1 = &gpu->l1[L1_DATA];

	if (mshr->kind < REQUEST_WRITE)
		return;
	if (l1->big_sets)
		l1_big_write(l1, index, mshr->line, stored);
	else
		l1_fill(l1, index, mshr->line,
			mshr->kind == REQUEST_WRITE ? mshr->sectors : 0);
}

/* What the unit's store writes in some sectors of its line. */
static u32 stored_now(const struct lsu *lsu, u32 sectors, u32 kind)
{
	if (kind == REQUEST_WRITE)
		return stored_bytes(sectors, SECTOR_BYTES);
	return lsu->stored[lsu->next] & stored_bytes(sectors, 0xff);
}

/*
 * One line of a store or a reduction, past the L1. An entry of its own waits for the
 * slice's acknowledgment, and the warp cannot end before that.
 */
static __always_inline enum lsu_block lsu_store(struct gpu *gpu, u32 index,
						u32 line, u32 sectors, u32 kind)
{
	struct sm *sm = &gpu->sms[index];
	u32 number = sm->store_free;
	enum lsu_block block;
	struct mshr *mshr;

	if (number == NO_MSHR)
		return LSU_STORES;
	block = lsu_held(gpu, sm, sectors, true);
	if (block != LSU_GOES_ON)
		return block;
	mshr = &sm->mshr[number];
	sm->store_free = mshr->next;
	noc_prefetch(gpu, index, sm->store_free);
	set_sectors(gpu, mshr, line, sectors);
	mshr->kind = kind;
	mshr->words = kind == REQUEST_REDUCE ? sm->lsu.words :
		      SECTOR_WORDS * sector_count(sectors);
	mshr->waiters = 1;
	mshr->waiter[0] = sm->lsu.warp;
	sm->warp_stores[sm->lsu.warp]++;
	if (gpu->shape.sectored) {
		u32 stored = stored_now(&sm->lsu, sectors, kind);

		noc_note_stored(gpu, index, number, stored);
		if (gpu->config.l1_write_allocate == GPU_ALLOCATE_LAZY)
			write_l1(gpu, index, mshr, stored);
	}
	send_entry(gpu, index, number);
	return LSU_GOES_ON;
}

/* Send a line, or sectors of it, as the LSU's instruction asks. */
static __always_inline enum lsu_block lsu_send(struct gpu *gpu, u32 index,
					       u32 line, u32 sectors)
{
	const struct lsu *lsu = &gpu->sms[index].lsu;

	switch (lsu->kind) {
	case TRACE_STORE:
		return lsu_store(gpu, index, line, sectors,
				 lsu->partial >> lsu->next & 1 ?
				 REQUEST_WRITE_PARTIAL : REQUEST_WRITE);
	case LSU_REDUCE:
		return lsu_store(gpu, index, line, sectors, REQUEST_REDUCE);
	case LSU_RESTORE:
		return lsu_restore(gpu, index, line);
	case TRACE_CONSTANT:
		return lsu_read(gpu, index, line, TRACE_ALL_SECTORS,
				L1_CONSTANT);
	default:
		return lsu_read(gpu, index, line, sectors, L1_DATA);
	}
}

/* lsu_send() for any sectors: the usual, whole lines, do not pay for them. */
static noinline enum lsu_block lsu_send_some(struct gpu *gpu, u32 index, u32 line,
					     u32 sectors)
{
	return lsu_send(gpu, index, line, sectors);
}

/*
 * For caches with sectors. An L1 with sectors looks up and sends each sector on its
 * own; one without loads whole lines. Up to four go in a cycle, as each has its
 * bank.
 */
static enum lsu_block lsu_send_sectors(struct gpu *gpu, u32 index, u32 line)
{
	struct lsu *lsu = &gpu->sms[index].lsu;
	u8 *left = &lsu->sectors[lsu->next];
	enum lsu_block block;

	if (gpu->config.l1_sectors == 1)
		return lsu_send_some(gpu, index, line,
				     lsu->kind == TRACE_LOAD ?
				     TRACE_ALL_SECTORS : *left);
	if (lsu->kind == LSU_RESTORE || lsu->kind == TRACE_CONSTANT)
		return lsu_send_some(gpu, index, line, TRACE_ALL_SECTORS);
	for (; *left; *left &= *left - 1) {
		block = lsu_send_some(gpu, index, line, *left & -*left);
		if (block != LSU_GOES_ON)
			return block;
	}
	return LSU_GOES_ON;
}

/*
 * Send lines of the unit's instruction where some slot has managed memory: lines whose pages
 * are missing are set aside. Return: whether all lines have been sent.
 */
static noinline bool lsu_run_managed(struct gpu *gpu, u32 index)
{
	struct sm *sm = &gpu->sms[index];
	struct lsu *lsu = &sm->lsu;
	bool full;

	while (lsu->next < lsu->count) {
		u32 line = lsu->line[lsu->next];

		lsu->port_free = max(lsu->port_free, gpu->now);
		lsu->blocked = LSU_GOES_ON;
		if (!fault_line(gpu, index, line, &full))
			lsu->blocked = full ? LSU_FAULTS : LSU_GOES_ON;
		else if (gpu->shape.sectored)
			lsu->blocked = lsu_send_sectors(gpu, index, line);
		else
			lsu->blocked = lsu_send_some(gpu, index, line,
						     TRACE_ALL_SECTORS);
		if (lsu->blocked != LSU_GOES_ON)
			return false;
		lsu->port_free += sm_span(gpu, lsu->port_free, 1);
		lsu->next++;
	}
	if (sm->faulted >> lsu->warp & 1)
		return false;
	fault_hold(gpu, index, lsu->warp);
	return true;
}

/*
 * lsu_run() - send lines of the unit's instruction until it is done or held back
 */
void lsu_run(struct gpu *gpu, u32 index)
{
	struct sm *sm = &gpu->sms[index];
	struct lsu *lsu = &sm->lsu;

	if (__builtin_expect(gpu->managed != 0, 0) && !lsu_run_managed(gpu, index))
		return;
	while (lsu->next < lsu->count) {
		u32 line = lsu->line[lsu->next];

		lsu->port_free = max(lsu->port_free, gpu->now);
		if (gpu->shape.sectored)
			lsu->blocked = lsu_send_sectors(gpu, index, line);
		else
			lsu->blocked = lsu_send(gpu, index, line,
						TRACE_ALL_SECTORS);
		if (lsu->blocked != LSU_GOES_ON)
			return;
		lsu->port_free += sm_span(gpu, lsu->port_free, 1);
		lsu->next++;
	}
	if (is_store(lsu->kind))
		store_arrived(sm, lsu->warp);
	else
		warp_data_arrived(gpu, index, lsu->warp, lsu->load);
}

/*
 * Whether the obstacle that holds the unit back may be gone, by what @came. A line that a
 * load waits for a port to ask for may itself have come.
 */
static bool may_go_on(const struct gpu *gpu, const struct sm *sm, u32 came)
{
	return came & lsu_waits_for(sm) ||
	       (sm->lsu.blocked >= LSU_PORT && !port_is_full(gpu, sm));
}

/*
 * lsu_retry() - go on with an instruction that was held back, if the obstacle may be
 *	gone; fault_turn() does it for LSU_FAULTS
 * @came: CAME_DATA: an entry was freed, or can take more waiters; CAME_ACK: an entry
 *	for stores was freed
 */
void lsu_retry(struct gpu *gpu, u32 index, u32 came)
{
	struct sm *sm = &gpu->sms[index];
	struct lsu *lsu = &sm->lsu;

	if (lsu->blocked != LSU_PORT && !came)
		return;
	if (may_go_on(gpu, sm, came))
		lsu_run(gpu, index);
	else
		/* The unit has used this cycle, even if in vain. */
		lsu->port_free = max(lsu->port_free, gpu->now);
}

/*
 * lsu_take_reply() - take the first reply: put its line into its L1, and let its warps
 *	go on
 */
void lsu_take_reply(struct gpu *gpu, u32 index)
{
	struct sm *sm = &gpu->sms[index];
	u32 number = sm->reply_head, i;
	struct mshr *mshr = &sm->mshr[number];

	pop_reply(sm);
	if (!mshr->discard)
		l1_fill(&gpu->l1[mshr->l1], index, mshr->line, mshr->sectors);
	for (i = 0; i < mshr->waiters; i++)
		warp_data_arrived(gpu, index, mshr->waiter[i] / WARP_LOADS,
				  mshr->waiter[i] % WARP_LOADS);
	mshr_release(gpu, index, number, mshr->ready);
}

/*
 * lsu_take_ack() - take the first acknowledgment: free its entry, and let a warp
 *	without other stores end
 */
void lsu_take_ack(struct gpu *gpu, u32 index)
{
	struct sm *sm = &gpu->sms[index];
	u32 number = sm->ack_head;
	const struct mshr *mshr = &sm->mshr[number];

	pop_ack(sm);
	if (mshr->waiters) {
		count_reply(gpu, mshr, 0);
		store_arrived(sm, mshr->waiter[0]);
	}
	store_release(sm, number);
}

/* --- warps that vanish ----------------------------------------------------------- */

/* Remove some warps' loads from an entry's waiters; if none is left, the load ends. */
static void forget_waiters(struct gpu *gpu, u32 index, u32 number, u64 warps)
{
	struct sm *sm = &gpu->sms[index];
	struct mshr *mshr = &sm->mshr[number];
	u32 stay = 0, i;

	for (i = 0; i < mshr->waiters; i++)
		if (!(warps >> mshr->waiter[i] / WARP_LOADS & 1))
			mshr->waiter[stay++] = mshr->waiter[i];
	if (mshr->waiters && !stay) {
		load_end(gpu, mshr->line, gpu->now);
		if (mshr->reserved)
			give_up_way(gpu, index, mshr);
		mshr_unhash(sm, number);
		mshr->hashed = 0;
		mshr->discard = 1;
	}
	mshr->waiters = (u8)stay;
}

/*
 * lsu_forget() - some warps of an SM vanish: replies to them go to no warp, and what
 *	they were about to send is not sent
 */
void lsu_forget(struct gpu *gpu, u32 index, u64 warps)
{
	struct sm *sm = &gpu->sms[index];
	struct lsu *lsu = &sm->lsu;
	u32 i;

	for (i = 0; i < l1_entries(&gpu->config); i++)
		forget_waiters(gpu, index, i, warps);
	for (i = SM_FIRST_STORE; i < SM_FIRST_STORE + gpu->config.sm_stores; i++)
		if (sm->mshr[i].waiters && warps >> sm->mshr[i].waiter[0] & 1)
			sm->mshr[i].waiters = 0;
	if (lsu_is_held(sm) && warps >> lsu->warp & 1) {
		lsu->blocked = LSU_GOES_ON;
		lsu->count = lsu->next;
	}
	fault_forget(sm, warps);
}
