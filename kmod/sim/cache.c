// SPDX-License-Identifier: GPL-2.0
/*
 * The caches: the SMs' L1 data and constant caches (tags only; misses are
 * tracked by the load/store unit) and the slices of the last-level cache with
 * their MSHRs.
 */
#include "sim.h"

/* --- L1 caches ------------------------------------------------------------ */

/*
 * l1_fill() - add sectors that have arrived to their line, or replace the oldest
 *	line; L1s hold nothing dirty
 */
void l1_fill(const struct l1 *l1, u32 sm, u32 line, u32 sectors)
{
	struct l1_set *set = l1_set(l1, sm, line);
	u32 oldest = l1->ways - 1, way;

	if (l1->sectors > 1 && l1->big_sets) {
		l1_big_fill(l1, sm, line, sectors);
		return;
	}
	way = lru_way(set->order, oldest);
	if (l1->sectors > 1) {
		u32 found = l1_find(l1, set, line);
		u64 *valid = l1_valid(l1, set);

		if (found != NONE) {
			*valid |= (u64)sectors << found * 4;
			set->order = lru_touch(set->order, found);
			return;
		}
		*valid &= ~((u64)TRACE_ALL_SECTORS << way * 4);
		*valid |= (u64)sectors << way * 4;
	}
	set->tag[way] = line;
	set->order = lru_renew(set->order, oldest);
}

static void flush_one(const struct l1 *l1, u32 sm)
{
	u32 words = l1->set_words, i;

	memset(&l1->words[sm * l1->sets * words], 0xff,
	       l1->sets * words * sizeof(*l1->words));
	for (i = 0; i < l1->sets; i++)
		l1_set_at(l1, sm, i)->order = LRU_FRESH;
}

void l1_flush(struct gpu *gpu, u32 sm)
{
	u32 kind, i;

	for (kind = 0; kind < L1_KINDS; kind++)
		if (!gpu->l1[kind].big_sets)
			flush_one(&gpu->l1[kind], sm);
	if (!gpu->l1[L1_DATA].big_sets)
		return;
	l1_big_flush(&gpu->l1[L1_DATA], sm);
	for (i = 0; i < SM_FIRST_STORE; i++)
		gpu->sms[sm].mshr[i].reserved = 0;
}

/* l1_drop() - forget @count lines from @first on, and no others */
void l1_drop(struct gpu *gpu, u32 sm, u32 first, u32 count)
{
	u32 kind, i, way;

	for (kind = 0; kind < L1_KINDS; kind++) {
		const struct l1 *l1 = &gpu->l1[kind];

		if (l1->big_sets) {
			l1_big_drop(l1, sm, first, count);
			continue;
		}
		for (i = 0; i < l1->sets; i++) {
			struct l1_set *set = l1_set_at(l1, sm, i);

			for (way = 0; way < l1->ways; way++)
				if (set->tag[way] - first < count)
					set->tag[way] = NO_LINE;
		}
	}
}

/* --- last-level cache ------------------------------------------------------ */

static u32 llc_set_of(const struct gpu *gpu, const struct request *request)
{
	return request->slice * gpu->config.llc_sets + request->set;
}

/* llc_prefetch() - a request will be served in the window that begins */
void llc_prefetch(const struct gpu *gpu, const struct request *request)
{
	const struct llc_set *set = &gpu->llc[llc_set_of(gpu, request)];

	__builtin_prefetch(set, 1);
	__builtin_prefetch(set->tag, 1);
}

static_assert(LLC_MSHRS_MAX + LLC_WRITES_MAX <= LLC_DONE_MAX,
	      "a slice's ring has too few places");

static void slice_init(struct gpu *gpu, u32 index)
{
	struct slice *slice = &gpu->slices[index];
	u32 i;

	slice->turn_at = NEVER;
	slice->request_at = NEVER;
	slice->done_at = NEVER;
	slice->request_head = NOBODY;
	slice->room = gpu->config.slice_queue_flits;
	slice->write_credits = gpu->config.llc_write_credits;
	for (i = 0; i < gpu->config.llc_mshrs; i++)
		slice->mshr[i].next = i + 1;
	slice->mshr[gpu->config.llc_mshrs - 1].next = NONE;
}

void cache_init(struct gpu *gpu)
{
	const struct gpu_config *config = &gpu->config;
	u32 sets = config->llc_slices * config->llc_sets, i;

	for (i = 0; i < config->sms; i++)
		l1_flush(gpu, i);
	for (i = 0; i < sets; i++) {
		gpu->llc[i].order = LRU_FRESH;
		memset(gpu->llc[i].tag, 0xff, sizeof(gpu->llc[i].tag));
	}
	for (i = 0; i < slices_of(config); i++)
		slice_init(gpu, i);
}

#define BYTES		0x0101010101010101ULL
#define TOP_BITS	0x8080808080808080ULL

static u8 partial_tag(u32 line)
{
	return (u8)(line ^ (line >> 7) ^ (line >> 15));
}

/*
 * The way that holds a line, or NONE. A byte of each tag, eight to a word,
 * tells which ways have to be compared: the bytes of @same are zero there, and
 * @maybe has their top bits (and, rarely, one too many).
 */
static u32 llc_find(const struct llc_set *set, u32 line)
{
	u64 wanted = BYTES * partial_tag(line);
	u32 word;

	for (word = 0; word < ARRAY_SIZE(set->partial); word++) {
		u64 same = set->partial[word] ^ wanted;
		u64 maybe = (same - BYTES) & ~same & TOP_BITS;

		for (; maybe; maybe &= maybe - 1) {
			u32 way = word * 8 + lowest_bit(maybe) / 8;

			if (set->tag[way] == line)
				return way;
		}
	}
	return NONE;
}

static void llc_set_tag(struct llc_set *set, u32 way, u32 line)
{
	u32 shift = way % 8 * 8;
	u64 *word = &set->partial[way / 8];

	set->tag[way] = line;
	*word = (*word & ~(0xffULL << shift)) |
		((u64)partial_tag(line) << shift);
}

/* The bits of all sectors of a way, and of one sector. */
static u64 way_bits(u32 way)
{
	return (u64)TRACE_ALL_SECTORS << way * 4;
}

static u64 sector_bit(u32 way, u32 sector)
{
	return 1ULL << (way * 4 + sector);
}

/*
 * The rank of the oldest way among those that a slot may use and that are not being
 * fetched, or NONE.
 */
static u32 llc_victim_rank(const struct gpu *gpu, const struct llc_set *set, u32 slot)
{
	u64 kept = set->pending;
	u32 rank;

	if (gpu->bounded)
		kept |= gpu->tenants[slot].closed_ways;
	for (rank = gpu->config.llc_ways; rank-- > 0;)
		if (!(kept & way_bits(lru_way(set->order, rank))))
			return rank;
	return NONE;
}

/* Whether a request needs the contents of the line. */
static bool needs_line(const struct gpu *gpu, const struct request *request)
{
	return llc_fetches(gpu, request->kind);
}

/*
 * Let a request wait for a pending line, unless it only writes. False: the MSHR
 * entry is full.
 */
static bool mshr_merge(const struct gpu *gpu, struct llc_mshr *mshr,
		       const struct request *request)
{
	bool waits = needs_line(gpu, request);

	if (waits && mshr->waiters == MSHR_MERGES)
		return false;
	if (request->kind != REQUEST_READ)
		mshr->dirty = 1;
	if (!waits)
		return true;
	mshr->sm[mshr->waiters] = request->mail.sender;
	mshr->sm_mshr[mshr->waiters] = request->mail.number;
	mshr->flits[mshr->waiters] = request->reply_flits;
	mshr->waiters++;
	return true;
}

/* Fetch a sector into a way for a request. */
static void llc_fetch(struct gpu *gpu, u32 index, u32 set_index, u32 way,
		      u32 sector, const struct request *request)
{
	struct slice *slice = &gpu->slices[index];
	struct llc_set *set = &gpu->llc[set_index];
	u32 number = slice->mshr_free;
	struct llc_mshr *mshr = &slice->mshr[number];

	slice->mshr_free = mshr->next;
	if (slice->mshr_free != NONE)
		__builtin_prefetch(&slice->mshr[slice->mshr_free], 1);
	slice->mshrs_used++;
	mshr->set = set_index - index * gpu->config.llc_sets;
	mshr->way = way;
	mshr->waiters = 0;
	mshr->dirty = 0;
	mshr->generation = request->generation;
	mshr->sector = sector;
	mshr_merge(gpu, mshr, request);
	mshr->next = set->pending & way_bits(way) ? set->mshr[way] : NONE;
	set->pending |= sector_bit(way, sector);
	set->mshr[way] = number;
	channel_send(gpu, index, request->line, DRAM_READS,
		     gpu->config.llc_sectors > 1 ? 1 : TRACE_SECTORS, number,
		     request->generation);
}

/* The MSHR entry by which a sector of a way is fetched. */
static struct llc_mshr *llc_mshr_of(struct slice *slice,
				    const struct llc_set *set, u32 way,
				    u32 sector)
{
	struct llc_mshr *mshr = &slice->mshr[set->mshr[way]];

	while (mshr->sector != sector)
		mshr = &slice->mshr[mshr->next];
	return mshr;
}

/* Write back the dirty sectors of a way. */
static void llc_write_back(struct gpu *gpu, u32 index,
			   const struct llc_set *set, u32 way)
{
	u32 sectors = hweight64(set->dirty & way_bits(way));
	u32 victim = set->tag[way];

	gpu->slices[index].write_credits--;
	channel_send(gpu, index, victim, DRAM_WRITES,
		     gpu->config.llc_sectors > 1 ? sectors : TRACE_SECTORS,
		     NONE, gpu->tenants[line_slot(victim)].generation);
}

/* What stores have written in a way since its line came there. */
static u32 *llc_stored(const struct gpu *gpu, const struct llc_set *set, u32 way)
{
	return &gpu->llc_stored[(set - gpu->llc) * gpu->config.llc_ways + way];
}

/*
 * Replace the oldest of a slot's ways by a line. NONE: the request must wait for a way or
 * a write credit; a completion brings one.
 */
static u32 llc_replace(struct gpu *gpu, u32 index, struct llc_set *set, u32 line)
{
	u32 rank = llc_victim_rank(gpu, set, line_slot(line));
	u32 way;

	if (rank == NONE)
		return NONE;
	way = lru_way(set->order, rank);
	if (set->dirty & way_bits(way)) {
		if (!gpu->slices[index].write_credits)
			return NONE;
		llc_write_back(gpu, index, set, way);
	}
	if (gpu->bounded)
		tell_place(gpu, line_slot(line), GPU_PLACE_WAY, way);
	llc_set_tag(set, way, line);
	if (gpu->config.llc_sectors > 1)
		*llc_stored(gpu, set, way) = 0;
	set->order = lru_renew(set->order, rank);
	set->valid &= ~way_bits(way);
	set->dirty &= ~way_bits(way);
	return way;
}

/*
 * A store without a fetch: a sector can be read when stores have written all of its bytes.
 * (GPGPU-Sim has a mask of the bytes.)
 */
static void llc_write(const struct gpu *gpu, struct llc_set *set, u32 way,
		      u32 sector, const struct request *request)
{
	u64 bit = sector_bit(way, sector);
	bool whole = request->kind != REQUEST_WRITE_PARTIAL;

	set->dirty |= bit;
	if (gpu->config.llc_sectors > 1 && !whole) {
		u32 *stored = llc_stored(gpu, set, way);

		*stored = stored_together(*stored, stored_bytes(1U << sector, 0xff) &
				gpu->request_stored[request - gpu->requests]);
		whole = stored_sectors(*stored) >> sector & 1;
	}
	set->valid |= if_set(whole, bit);
}

/* A store that finds no line goes on to the memory. False: no write credit. */
static bool llc_write_through(struct gpu *gpu, u32 index,
			      const struct request *request)
{
	if (!gpu->slices[index].write_credits)
		return false;
	gpu->slices[index].write_credits--;
	channel_send(gpu, index, request->line, DRAM_WRITES,
		     gpu->config.llc_sectors > 1 ? 1 : TRACE_SECTORS, NONE,
		     request->generation);
	return true;
}

/*
 * A miss on a sector that is not being fetched; its line may be in @way. False: the
 * request must wait for an MSHR entry, a way or a write credit.
 */
static bool llc_allocate(struct gpu *gpu, u32 index, u32 set_index, u32 way,
			 u32 sector, const struct request *request)
{
	struct llc_set *set = &gpu->llc[set_index];
	bool fetch = needs_line(gpu, request);

	if (!fetch && gpu->config.llc_write_allocate == GPU_ALLOCATE_NONE)
		return llc_write_through(gpu, index, request);
	if (fetch && gpu->slices[index].mshr_free == NONE)
		return false;
	if (way == NONE)
		way = llc_replace(gpu, index, set, request->line);
	else
		set->order = lru_touch(set->order, way);
	if (way == NONE)
		return false;
	if (fetch)
		llc_fetch(gpu, index, set_index, way, sector, request);
	else
		llc_write(gpu, set, way, sector, request);
	return true;
}

static void reply(struct gpu *gpu, u32 index, const struct request *request)
{
	noc_reply(gpu, index, request->mail.sender, request->mail.number,
		  lowest_bit(request->sectors), request->reply_flits);
}

/* Show an access that was taken to its tenant's directory. */
static __always_inline void show_directory(struct gpu *gpu, u32 set,
					   const struct request *request,
					   bool pending)
{
	if (gpu->config.llc_sectors > 1)
		atd_access_sector(gpu, set, request, pending);
	else
		atd_access(gpu, set, request->line, pending);
}

/* And to its mirror. */
static __always_inline void show_mirror(struct gpu *gpu, u32 set,
					const struct request *request)
{
	if (gpu->config.llc_sectors > 1)
		mirror_access_sector(gpu, set, request);
	else
		mirror_access(gpu, set, request->line, request->kind);
}

/*
 * Look up a sector for a request. False: the request has to wait, as in llc_allocate(), or
 * for a place in the entry of a fetch.
 */
static bool llc_lookup(struct gpu *gpu, u32 index, const struct request *request)
{
	u32 sector = lowest_bit(request->sectors);
	struct simgpu_counters *counters =
		slot_counters(gpu, line_slot(request->line));
	u32 set_index = llc_set_of(gpu, request);
	struct llc_set *set = &gpu->llc[set_index];
	u32 way = llc_find(set, request->line);
	u64 bit = way != NONE ? sector_bit(way, sector) : 0;
	bool was_pending = set->pending & bit;

	if (set->valid & bit) {
		set->order = lru_touch(set->order, way);
		if (request->kind != REQUEST_READ)
			set->dirty |= bit;
		reply(gpu, index, request);
		counters->llc_accesses++;
		if (gpu->config.atd_sampling)
			show_directory(gpu, set_index, request, false);
		if (set_index < gpu->shape.mirror_sets)
			show_mirror(gpu, set_index, request);
		return true;
	}
	if (set->pending & bit) {
		if (!mshr_merge(gpu, llc_mshr_of(&gpu->slices[index], set, way,
						 sector), request))
			return false;
	} else if ((set->dirty & bit) && !needs_line(gpu, request)) {
		/* The sector has been written in part before. */
		set->order = lru_touch(set->order, way);
		llc_write(gpu, set, way, sector, request);
	} else {
		if (!llc_allocate(gpu, index, set_index, way, sector, request))
			return false;
		counters->llc_misses++;
	}
	/* A request that needs the contents is answered when they have come. */
	if (!needs_line(gpu, request))
		reply(gpu, index, request);
	counters->llc_accesses++;
	if (gpu->config.atd_sampling)
		show_directory(gpu, set_index, request,
			       gpu->config.llc_sectors == 1 ?
			       way != NONE || needs_line(gpu, request) :
			       was_pending || needs_line(gpu, request));
	if (set_index < gpu->shape.mirror_sets)
		show_mirror(gpu, set_index, request);
	return true;
}

/* One sector of a request; false: it has to wait. */
static bool serve(struct gpu *gpu, u32 index, struct request *request)
{
	u32 slot = line_slot(request->line);

	if (request->generation != gpu->tenants[slot].generation) {
		/* A dropped tenant's request: the reply frees its entry. */
		reply(gpu, index, request);
		request->sectors &= request->sectors - 1;
		return true;
	}
	if (!llc_lookup(gpu, index, request))
		return false;
	/* The next sector is looked up in the next cycle. */
	request->sectors &= request->sectors - 1;
	if (!request->sectors &&
	    gpu->now > request->ready + gpu->config.noc_queue_depth)
		slot_counters(gpu, slot)->queue_full_stalls++;
	return true;
}

/*
 * In the functions below a request is found by the link to it: the queue's head, or the
 * next of the one before it. Requests have arrived up to a link that is NOBODY, or that
 * leads to a request with a later cycle.
 */
static struct request *request_at(const struct gpu *gpu, const u32 *link)
{
	return &gpu->requests[*link];
}

static bool has_arrived(const struct gpu *gpu, const u32 *link)
{
	return *link != NOBODY && request_at(gpu, link)->ready <= gpu->now;
}

/* How many turns it takes until it is an SM's turn. */
static u32 turns_to(const struct gpu *gpu, const struct slice *slice, u32 sm)
{
	u32 senders = gpu_senders(gpu);

	return (sm + senders - slice->turn - 1) % senders;
}

/*
 * The link to the first request of the SM whose turn is next, among requests that have
 * arrived, and SMs without a bit in @tried; NULL: there is none.
 */
static u32 *next_by_turn(const struct gpu *gpu, struct slice *slice,
			 const u64 *tried)
{
	u32 *link = &slice->request_head, *best = NULL, least = U32_MAX;

	for (; has_arrived(gpu, link); link = &request_at(gpu, link)->mail.next) {
		u32 sm = request_at(gpu, link)->mail.sender;

		if (simgpu_has_bit(tried, sm) ||
		    turns_to(gpu, slice, sm) >= least)
			continue;
		least = turns_to(gpu, slice, sm);
		best = link;
	}
	return best;
}

/* Take a request that has been served out of the queue. */
static void remove_request(const struct gpu *gpu, struct slice *slice, u32 *link)
{
	leave_queue(gpu, slice, request_at(gpu, link));
	*link = request_at(gpu, link)->mail.next;
	if (*link != NOBODY)
		return;
	/* It was the last one: the one before it now is, if there is any. */
	slice->request_tail = slice->request_head;
	for (link = &slice->request_head; *link != NOBODY;
	     link = &request_at(gpu, link)->mail.next)
		slice->request_tail = *link;
}

/* The request that serve_any() tries after this one. */
static u32 *next_try(const struct gpu *gpu, struct slice *slice, u32 *link,
		     u64 *tried)
{
	u32 sm = request_at(gpu, link)->mail.sender;

	if (gpu->config.slice_arbitration == GPU_ARBITRATE_SM) {
		tried[sm / 64] |= 1ULL << sm % 64;
		return next_by_turn(gpu, slice, tried);
	}
	link = &request_at(gpu, link)->mail.next;
	return has_arrived(gpu, link) ? link : NULL;
}

/* The cycle at which the next request that has not arrived may be looked up. */
static u64 next_arrival(const struct gpu *gpu, const struct slice *slice)
{
	const u32 *link = &slice->request_head;

	while (has_arrived(gpu, link))
		link = &request_at(gpu, link)->mail.next;
	return *link == NOBODY ? NEVER : request_at(gpu, link)->ready;
}

/*
 * Serve the first request that need not wait. With turns among SMs, it is the first such
 * request of the SM whose turn it is; then requests of one SM do not overtake each other.
 */
static void serve_any(struct gpu *gpu, u32 index)
{
	struct slice *slice = &gpu->slices[index];
	u64 tried[(GPU_SENDERS_MAX + 63) / 64] = { 0 };
	u32 *link = &slice->request_head;

	if (gpu->config.slice_arbitration == GPU_ARBITRATE_SM)
		link = next_by_turn(gpu, slice, tried);
	else if (!has_arrived(gpu, link))
		link = NULL;
	while (link && !serve(gpu, index, request_at(gpu, link)))
		link = next_try(gpu, slice, link, tried);
	/* All that have arrived wait, but the next one to arrive may not have to. */
	slice->stalled = !link;
	if (!link) {
		slice->request_at = next_arrival(gpu, slice);
		return;
	}
	slice->turn = request_at(gpu, link)->mail.sender;
	if (!request_at(gpu, link)->sectors)
		remove_request(gpu, slice, link);
	slice->request_at = slice->request_head == NOBODY ? NEVER :
			    request_at(gpu, &slice->request_head)->ready;
}

static void serve_request(struct gpu *gpu, u32 index)
{
	struct slice *slice = &gpu->slices[index];
	struct request *request = request_at(gpu, &slice->request_head);

	if (gpu->config.slice_arbitration != GPU_ARBITRATE_ORDER) {
		serve_any(gpu, index);
		return;
	}
	if (!serve(gpu, index, request)) {
		slice->stalled = 1;
		slice->request_at = NEVER;
		return;
	}
	if (request->sectors)
		return;
	leave_queue(gpu, slice, request);
	slice->request_head = request->mail.next;
	slice->request_at = NEVER;
	if (slice->request_head != NOBODY) {
		request = request_at(gpu, &slice->request_head);
		slice->request_at = request->ready;
		llc_prefetch(gpu, request);
		/* The next request's set is needed when this one's turn is over. */
		if (request->mail.next != NOBODY)
			__builtin_prefetch(&gpu->requests[request->mail.next]);
	}
}

/*
 * A line of which nothing is left goes. One of a dropped tenant may have sectors that were
 * asked for since, by the tenant that has the slot now.
 */
static void llc_forget(struct llc_set *set, u32 way)
{
	if (!((set->valid | set->pending) & way_bits(way)))
		set->tag[way] = NO_LINE;
}

static void finish_fetch(struct gpu *gpu, u32 index, u32 number, bool live)
{
	struct slice *slice = &gpu->slices[index];
	struct llc_mshr *mshr = &slice->mshr[number];
	struct llc_set *set = &gpu->llc[index * gpu->config.llc_sets + mshr->set];
	u64 bit = sector_bit(mshr->way, mshr->sector);
	u8 *link = &set->mshr[mshr->way];
	u32 i;

	if (gpu->config.atd_sampling && gpu->config.llc_sectors > 1)
		atd_fill_sector(gpu, set - gpu->llc, set->tag[mshr->way],
				mshr->sector);
	else if (gpu->config.atd_sampling)
		atd_fill(gpu, set - gpu->llc, set->tag[mshr->way]);
	while (*link != number)
		link = &slice->mshr[*link].next;
	*link = mshr->next;
	set->pending &= ~bit;
	if (live) {
		set->valid |= bit;
		set->dirty |= if_set(mshr->dirty, bit);
	} else {
		llc_forget(set, mshr->way);
	}
	for (i = 0; i < mshr->waiters; i++)
		noc_reply(gpu, index, mshr->sm[i], mshr->sm_mshr[i],
			  mshr->sector, mshr->flits[i]);
	mshr->next = slice->mshr_free;
	slice->mshr_free = number;
	slice->mshrs_used--;
}

static void count_done(struct gpu *gpu, u32 index, const struct dram_done *done)
{
	struct simgpu_counters *counters = slot_counters(gpu, done->tag.slot);
	/* The unit of counts: lines, or sectors where the cache has them. */
	u32 count = done->sectors * gpu->config.llc_sectors / TRACE_SECTORS;

	count_request(gpu, index, done, count);
	counters->bus_busy_clocks += gpu->limits.burst_of[done->sectors];
	counters->row_activates += done->activated;
	counters->row_interference += done->reopened;
	counters->bank_interference_clocks += done->waited;
	counters->bank_busy_clocks += done->bank_busy;
	counters->bank_active_clocks += done->bank_active;
	counters->bus_wait_clocks += done->bus_wait;
	if (done->write)
		counters->dram_writebacks += count;
	else
		counters->dram_fills += count;
}

static void serve_done(struct gpu *gpu, u32 index, const struct dram_done *done)
{
	bool live = done->tag.generation ==
		    gpu->tenants[done->tag.slot].generation;

	if (live)
		count_done(gpu, index, done);
	if (done->write)
		gpu->slices[index].write_credits++;
	else
		finish_fetch(gpu, index, done->tag.mshr, live);
}

/* Take the first completion; a stalled request may try again. */
static void take_done(struct gpu *gpu, u32 index)
{
	struct slice *slice = &gpu->slices[index];

	serve_done(gpu, index, &slice->done[slice->done_head]);
	slice->done_head = (slice->done_head + 1) & gpu->shape.done_mask;
	slice->done_at = NEVER;
	if (--slice->done_count) {
		const struct dram_done *next = &slice->done[slice->done_head];

		slice->done_at = next->ready;
		if (!next->write)
			__builtin_prefetch(&gpu->llc[index * gpu->config.llc_sets +
						     slice->mshr[next->tag.mshr].set]);
	} else {
		/* The ring's first places are in the host's caches still. */
		slice->done_head = 0;
	}
	if (slice->stalled) {
		slice->stalled = 0;
		slice->request_at = gpu->now;
	}
}

/* The cycle at which the first request can be looked up: the reply queue must have room. */
static u64 lookup_at(const struct gpu *gpu, const struct slice *slice)
{
	u32 queue = gpu->shape.reply_queue;

	if (slice->request_at == NEVER)
		return NEVER;
	return max(slice->request_at + queue, slice->out_free) - queue;
}

/*
 * slice_turn() - a slice's work in this cycle: take a completion from memory, then look
 *	up one request
 */
void slice_turn(struct gpu *gpu, u32 index)
{
	struct slice *slice = &gpu->slices[index];
	u64 next;

	while (slice->done_at <= gpu->now)
		take_done(gpu, index);
	next = lookup_at(gpu, slice);
	if (next <= gpu->now) {
		serve_request(gpu, index);
		next = max(lookup_at(gpu, slice), gpu->now + 1);
	}
	next = min(next, slice->done_at);
	if (next != NEVER)
		slice_wake(slice, next);
}

/*
 * llc_drop() - forget a slot's lines without writing them back; lines that are
 *	being fetched go when they come
 */
void llc_drop(struct gpu *gpu, u32 slot)
{
	u32 sets = gpu->config.llc_slices * gpu->config.llc_sets, i, way;

	for (i = 0; i < sets; i++) {
		struct llc_set *set = &gpu->llc[i];

		for (way = 0; way < gpu->config.llc_ways; way++) {
			if (set->tag[way] == NO_LINE ||
			    line_slot(set->tag[way]) != slot)
				continue;
			set->valid &= ~way_bits(way);
			set->dirty &= ~way_bits(way);
			llc_forget(set, way);
		}
	}
}

/* Let a way go, with a write-back if it is dirty. False: there is no write credit. */
static bool llc_flush_way(struct gpu *gpu, u32 index, struct llc_set *set, u32 way,
			  bool write_back)
{
	if (write_back && set->dirty & way_bits(way)) {
		if (!gpu->slices[index].write_credits)
			return false;
		llc_write_back(gpu, index, set, way);
	}
	set->valid &= ~way_bits(way);
	set->dirty &= ~way_bits(way);
	set->tag[way] = NO_LINE;
	return true;
}

/*
 * llc_flush() - forget @count lines from @first on, of which no SM waits for any
 * @write_back: dirty ones go to the memory first
 *
 * Return: whether none is left: a line that is being fetched, or finds no write credit, stays.
 */
bool llc_flush(struct gpu *gpu, u32 first, u32 count, bool write_back)
{
	u32 sets = gpu->config.llc_slices * gpu->config.llc_sets, i, way;
	bool done = true;

	for (i = 0; i < sets; i++) {
		struct llc_set *set = &gpu->llc[i];

		for (way = 0; way < gpu->config.llc_ways; way++) {
			if (set->tag[way] == NO_LINE ||
			    set->tag[way] - first >= count)
				continue;
			if (set->pending & way_bits(way) ||
			    !llc_flush_way(gpu, i / gpu->config.llc_sets, set, way,
					   write_back))
				done = false;
		}
	}
	return done;
}
