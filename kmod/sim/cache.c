// SPDX-License-Identifier: GPL-2.0
/*
 * The caches: the SMs' L1 data caches (tags only; misses are tracked by the
 * load/store unit) and the slices of the last-level cache with their MSHRs.
 */
#include "sim.h"

/* --- least recently used ------------------------------------------------- */

/* A set's order: 4-bit way numbers, the most recently used one lowest. */
#define LRU_FRESH	0xfedcba9876543210ULL

static u64 lru_touch(u64 order, u32 way)
{
	u64 same = order ^ (0x1111111111111111ULL * way);
	/* The lowest zero nibble of @same: where @way stands. */
	u64 zero = (same - 0x1111111111111111ULL) & ~same &
		   0x8888888888888888ULL;
	u32 shift = lowest_bit(zero) & ~3U;
	u64 younger = order & ((1ULL << shift) - 1);
	u64 older = shift == 60 ? 0 : order >> (shift + 4) << (shift + 4);

	return older | (younger << 4) | way;
}

static u32 lru_way(u64 order, u32 rank)
{
	return (order >> (rank * 4)) & 15;
}

/* --- L1 data cache -------------------------------------------------------- */

static u32 l1_set(const struct gpu *gpu, u32 sm, u32 line)
{
	u32 sets = gpu->config.l1_sets;

	return sm * sets + ((line ^ (line >> 6) ^ (line >> 12)) & (sets - 1));
}

/*
 * l1_lookup() - whether an SM's L1 has a line; a hit makes it the youngest
 */
bool l1_lookup(struct gpu *gpu, u32 sm, u32 line)
{
	u32 ways = gpu->config.l1_ways, set = l1_set(gpu, sm, line), way;
	const u32 *tags = &gpu->l1_tags[set * ways];

	for (way = 0; way < ways; way++) {
		if (tags[way] == line) {
			gpu->l1_order[set] = lru_touch(gpu->l1_order[set], way);
			return true;
		}
	}
	return false;
}

/* Put a line that has arrived in place of the oldest; L1s hold nothing dirty. */
void l1_fill(struct gpu *gpu, u32 sm, u32 line)
{
	u32 ways = gpu->config.l1_ways, set = l1_set(gpu, sm, line), way;

	way = lru_way(gpu->l1_order[set], ways - 1);
	gpu->l1_tags[set * ways + way] = line;
	gpu->l1_order[set] = lru_touch(gpu->l1_order[set], way);
}

void l1_flush(struct gpu *gpu, u32 sm)
{
	u32 sets = gpu->config.l1_sets, lines = gpu->shape.l1_lines, i;

	memset(&gpu->l1_tags[sm * lines], 0xff, lines * sizeof(*gpu->l1_tags));
	for (i = 0; i < sets; i++)
		gpu->l1_order[sm * sets + i] = LRU_FRESH;
}

/* --- last-level cache ------------------------------------------------------ */

static u32 llc_set(const struct gpu *gpu, u32 slice, u32 line)
{
	u32 hash = line * 0x9e3779b1U;

	hash ^= hash >> 15;
	hash *= 0x85ebca77U;
	return slice * gpu->config.llc_sets +
	       (u32)(((u64)hash * gpu->config.llc_sets) >> 32);
}

static void slice_init(struct gpu *gpu, u32 index)
{
	struct slice *slice = &gpu->slices[index];
	u32 i;

	slice->credits = gpu->shape.slice_queue;
	slice->wait_head = NOBODY;
	slice->wait_tail = NOBODY;
	slice->write_credits = gpu->config.llc_write_credits;
	for (i = 0; i < gpu->config.llc_mshrs; i++)
		slice->mshr[i].next_free = i + 1;
	slice->mshr[gpu->config.llc_mshrs - 1].next_free = NONE;
}

void cache_init(struct gpu *gpu)
{
	const struct gpu_config *config = &gpu->config;
	u32 lines = config->llc_slices * gpu->shape.llc_lines, i;

	for (i = 0; i < config->sms; i++)
		l1_flush(gpu, i);
	for (i = 0; i < lines; i++)
		gpu->llc_tags[i] = NO_LINE;
	for (i = 0; i < config->llc_slices * config->llc_sets; i++)
		gpu->llc_order[i] = LRU_FRESH;
	for (i = 0; i < config->llc_slices; i++)
		slice_init(gpu, i);
}

#define BYTES		0x0101010101010101ULL
#define TOP_BITS	0x8080808080808080ULL

static u8 partial_tag(u32 line)
{
	return (u8)(line ^ (line >> 7) ^ (line >> 15));
}

/*
 * The entry (set * ways + way) that holds a line, or NO_LINE. A byte of each
 * tag, eight to a word, tells which ways are worth a look: the bytes of @same
 * are zero there, and @maybe has their top bits (and, rarely, one too many).
 */
static u32 llc_find(const struct gpu *gpu, u32 set, u32 line)
{
	u32 base = set * gpu->config.llc_ways, word;

	for (word = 0; word < CACHE_WAYS_MAX / 8; word++) {
		u64 same = gpu->llc_partial[set][word] ^
			   (BYTES * partial_tag(line));
		u64 maybe = (same - BYTES) & ~same & TOP_BITS;

		for (; maybe; maybe &= maybe - 1) {
			u32 way = word * 8 + lowest_bit(maybe) / 8;

			if (way < gpu->config.llc_ways &&
			    gpu->llc_tags[base + way] == line)
				return base + way;
		}
	}
	return NO_LINE;
}

static void llc_set_tag(struct gpu *gpu, u32 set, u32 entry, u32 line)
{
	u32 way = entry - set * gpu->config.llc_ways, shift = way % 8 * 8;
	u64 *word = &gpu->llc_partial[set][way / 8];

	gpu->llc_tags[entry] = line;
	*word = (*word & ~(0xffULL << shift)) |
		((u64)partial_tag(line) << shift);
}

/* The oldest entry of a set that is not being fetched, or NO_LINE. */
static u32 llc_victim(const struct gpu *gpu, u32 set)
{
	u32 ways = gpu->config.llc_ways, rank;
	u64 order = gpu->llc_order[set];

	for (rank = ways; rank-- > 0;) {
		u32 entry = set * ways + lru_way(order, rank);

		if (!(gpu->llc_state[entry] & LLC_PENDING))
			return entry;
	}
	return NO_LINE;
}

static void llc_touch(struct gpu *gpu, u32 set, u32 entry)
{
	u32 way = entry - set * gpu->config.llc_ways;

	gpu->llc_order[set] = lru_touch(gpu->llc_order[set], way);
}

/* Let a request wait for a pending line; false: the MSHR entry is full. */
static bool mshr_merge(struct llc_mshr *mshr, const struct request *request)
{
	if (request->kind == REQUEST_ATOMIC || request->kind >= REQUEST_WRITE)
		mshr->dirty = 1;
	if (request->kind >= REQUEST_WRITE)
		return true;
	if (mshr->waiters == MSHR_MERGES)
		return false;
	mshr->sm[mshr->waiters] = request->sm;
	mshr->sm_mshr[mshr->waiters] = request->mshr;
	mshr->waiters++;
	return true;
}

/* Fetch a line into an entry for a request. */
static void llc_fetch(struct gpu *gpu, u32 index, u32 entry,
		      const struct request *request)
{
	struct slice *slice = &gpu->slices[index];
	u32 number = slice->mshr_free;
	struct llc_mshr *mshr = &slice->mshr[number];

	slice->mshr_free = mshr->next_free;
	slice->mshrs_used++;
	mshr->entry = entry - index * gpu->shape.llc_lines;
	mshr->waiters = 0;
	mshr->dirty = 0;
	mshr->generation = request->generation;
	mshr_merge(mshr, request);
	gpu->llc_state[entry] = LLC_PENDING;
	gpu->llc_mshr[entry] = number;
	channel_send(gpu, index, request->line, false, number,
		     request->generation);
}

/*
 * A miss on a line that nobody fetches yet. False: it must wait for an MSHR
 * entry, a way, or a write credit, one of which comes with a completion.
 */
static bool llc_allocate(struct gpu *gpu, u32 index, u32 set,
			 const struct request *request)
{
	struct slice *slice = &gpu->slices[index];
	u32 entry = llc_victim(gpu, set), victim;

	if (entry == NO_LINE)
		return false;
	if (request->kind != REQUEST_WRITE && slice->mshr_free == NONE)
		return false;
	if (gpu->llc_state[entry] & LLC_DIRTY) {
		if (!slice->write_credits)
			return false;
		slice->write_credits--;
		victim = gpu->llc_tags[entry];
		channel_send(gpu, index, victim, true, NONE,
			     gpu->tenants[line_slot(victim)].generation);
	}
	llc_set_tag(gpu, set, entry, request->line);
	llc_touch(gpu, set, entry);
	if (request->kind == REQUEST_WRITE)
		gpu->llc_state[entry] = LLC_VALID | LLC_DIRTY;
	else
		llc_fetch(gpu, index, entry, request);
	return true;
}

static bool llc_lookup(struct gpu *gpu, u32 index, const struct request *request)
{
	struct tenant *tenant = &gpu->tenants[line_slot(request->line)];
	u32 set = llc_set(gpu, index, request->line);
	u32 entry = llc_find(gpu, set, request->line);

	if (entry != NO_LINE && !(gpu->llc_state[entry] & LLC_PENDING)) {
		llc_touch(gpu, set, entry);
		if (request->kind != REQUEST_READ)
			gpu->llc_state[entry] |= LLC_DIRTY;
		if (request->kind < REQUEST_WRITE)
			noc_reply(gpu, index, request->sm, request->mshr);
		tenant->counters.llc_accesses++;
		return true;
	}
	if (entry != NO_LINE) {
		u32 number = gpu->llc_mshr[entry];

		if (!mshr_merge(&gpu->slices[index].mshr[number], request))
			return false;
	} else if (!llc_allocate(gpu, index, set, request)) {
		return false;
	}
	tenant->counters.llc_accesses++;
	tenant->counters.llc_misses++;
	return true;
}

/* What a dropped tenant left on its way: only its L1 MSHR entry is answered. */
static void answer_stale(struct gpu *gpu, u32 index,
			 const struct request *request)
{
	if (request->kind < REQUEST_WRITE)
		noc_reply(gpu, index, request->sm, request->mshr);
}

static void serve_request(struct gpu *gpu, u32 index)
{
	struct slice *slice = &gpu->slices[index];
	u32 depth = gpu->shape.slice_queue;
	const struct request *request =
		&gpu->requests[index * depth + slice->request_head];
	u32 slot = line_slot(request->line);

	if (request->generation != gpu->tenants[slot].generation) {
		answer_stale(gpu, index, request);
	} else if (!llc_lookup(gpu, index, request)) {
		slice->stalled = 1;
		return;
	}
	if (++slice->request_head == depth)
		slice->request_head = 0;
	slice->request_count--;
	noc_release(gpu, index);
}

static void finish_fetch(struct gpu *gpu, u32 index, u32 number, bool live)
{
	struct slice *slice = &gpu->slices[index];
	struct llc_mshr *mshr = &slice->mshr[number];
	u32 entry = index * gpu->shape.llc_lines + mshr->entry, i;

	if (live) {
		gpu->llc_state[entry] = LLC_VALID |
					(mshr->dirty ? LLC_DIRTY : 0);
	} else {
		gpu->llc_state[entry] = 0;
		gpu->llc_tags[entry] = NO_LINE;
	}
	for (i = 0; i < mshr->waiters; i++)
		noc_reply(gpu, index, mshr->sm[i], mshr->sm_mshr[i]);
	mshr->next_free = slice->mshr_free;
	slice->mshr_free = number;
	slice->mshrs_used--;
}

static void serve_done(struct gpu *gpu, u32 index, const struct dram_done *done)
{
	struct tenant *tenant = &gpu->tenants[done->slot];
	bool live = done->generation == tenant->generation;

	if (live) {
		tenant->counters.bus_busy_clocks += gpu->limits.burst;
		tenant->counters.row_activates += done->activated;
		if (done->write)
			tenant->counters.dram_writebacks++;
		else
			tenant->counters.dram_fills++;
	}
	if (done->write)
		gpu->slices[index].write_credits++;
	else
		finish_fetch(gpu, index, done->mshr, live);
	gpu->slices[index].stalled = 0;
}

/* When the request at the head of a slice's queue can be looked up. */
static u64 head_ready_at(const struct gpu *gpu, u32 index)
{
	const struct slice *slice = &gpu->slices[index];
	const struct request *head;

	if (!slice->request_count || slice->stalled)
		return NEVER;
	head = &gpu->requests[index * gpu->shape.slice_queue +
			      slice->request_head];
	return later(head->ready, noc_reply_room_at(gpu, index));
}

/*
 * slice_turn() - what a slice does in this cycle: take what has come back from
 *	memory, then look up one request
 */
void slice_turn(struct gpu *gpu, u32 index)
{
	struct slice *slice = &gpu->slices[index];
	u32 part = part_of_slice(gpu, index);
	u64 next;

	while (slice->done_count &&
	       slice->done[slice->done_head].ready <= gpu->now) {
		serve_done(gpu, index, &slice->done[slice->done_head]);
		slice->done_head = (slice->done_head + 1) %
				   ARRAY_SIZE(slice->done);
		slice->done_count--;
	}
	if (slice->done_count)
		gpu_wake(gpu, part, slice->done[slice->done_head].ready);
	next = head_ready_at(gpu, index);
	if (next <= gpu->now) {
		serve_request(gpu, index);
		next = head_ready_at(gpu, index);
		if (next <= gpu->now)
			next = gpu->now + 1;
	}
	if (next != NEVER)
		gpu_wake(gpu, part, next);
}

/*
 * llc_drop() - forget a slot's lines without writing them back; those that are
 *	being fetched go when they come
 */
void llc_drop(struct gpu *gpu, u32 slot)
{
	u32 lines = gpu->config.llc_slices * gpu->shape.llc_lines, i;

	for (i = 0; i < lines; i++) {
		if (gpu->llc_tags[i] != NO_LINE &&
		    line_slot(gpu->llc_tags[i]) == slot &&
		    !(gpu->llc_state[i] & LLC_PENDING)) {
			gpu->llc_tags[i] = NO_LINE;
			gpu->llc_state[i] = 0;
		}
	}
}
