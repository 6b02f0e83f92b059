// SPDX-License-Identifier: GPL-2.0
/*
 * The pager: one server that takes batches of faults and brings their pages. It is called
 * at the end of each window of the hardware, and its clock is exact: what it decides at the
 * first end of a window after some cycle counts from that cycle.
 *
 * A batch takes its fixed time, then for each block, in the order of the first faults, the
 * time of a block and of its pages. If no chunk is free it first takes one away: nobody finds
 * its pages from then on, their lines leave the caches, and those that were written are
 * copied to the host. Pages are copied in runs, each with the set-up time of the link, while
 * the server goes on with the next block. The batch ends when its last page has come.
 *
 * The link's times are known when a copy is queued. If the device has a copy engine, that
 * moves the lines through slices and channels at these times, or later (gpu_copy()). Pages
 * have come when the link is done, and a window after the last line's acknowledgment, as SMs
 * are told where windows end. Nothing that was written has to go to the memory before it is
 * copied out, since the engine reads through the last-level cache; what that still holds of a
 * chunk when the copies are over is forgotten.
 */
#include "pager_chunks.h"
#include "pager_events.h"
#include "pager_fetch.h"
#include "pager_limits.h"
#include "pager_policy.h"
#include "pager_turn.h"

/* --- pages on their way --------------------------------------------------------------- */

static u32 copy_place(const struct pager *pager, u32 index)
{
	return (pager->copy_head + index) % PAGER_COPIES;
}

static struct copy *copy_at(struct pager *pager, u32 index)
{
	return &pager->copy[copy_place(pager, index)];
}

static void set_pages(struct pager *pager, const struct copy *copy,
		      enum gpu_page_state state)
{
	struct gpu_page *page = &pager->memory[copy->slot].pages[copy->page];
	u32 i;

	for (i = 0; i < copy->count; i++) {
		page[i].state = (u8)state;
		page[i].arrives = (u16)copy->at;
	}
	pager->came = true;
}

/* Copies of a tenant that has left arrive nowhere. */
static bool copy_is_live(const struct copy *copy)
{
	return copy->slot < SESSION_SLOTS_MAX;
}

/* A copy, and all behind it, arrive no sooner than at a cycle. */
static void put_off(struct pager *pager, u32 first, u64 cycle)
{
	u32 i;

	for (i = first; i < pager->copies && copy_at(pager, i)->at < cycle; i++) {
		struct copy *copy = copy_at(pager, i);
		u32 chunk;

		copy->at = cycle;
		if (!copy_is_live(copy))
			continue;
		chunk = pager->memory[copy->slot].chunk[copy->page /
							pager->block_pages];
		pager->chunk[chunk].is.arrived =
			max(pager->chunk[chunk].is.arrived, cycle);
	}
	if (i > first && pager->state == PAGER_IDLE)
		pager->free_at = max(pager->free_at, cycle);
}

/* Hear of which copies the device has taken all lines; others come after this window. */
static void hear_of_copies(struct pager *pager, u64 now)
{
	struct gpu *gpu = pager->session->gpu;
	u32 window = gpu_window(pager_config(pager));
	u64 cycle;

	if (!pager_has_engine(pager)) {
		pager->heard = pager->copies;
		return;
	}
	while (pager->heard < pager->copies &&
	       gpu_copy_done(gpu, PAGER_ENGINE, GPU_COPY_IN, &cycle))
		put_off(pager, pager->heard++, cycle + window);
	put_off(pager, pager->heard, now + window + 1);
}

/* The copies that have arrived. */
static void take_arrivals(struct pager *pager, u64 now)
{
	while (pager->heard && copy_at(pager, 0)->at <= now) {
		if (copy_is_live(copy_at(pager, 0)))
			set_pages(pager, copy_at(pager, 0), GPU_PAGE_DEVICE);
		pager->copy_head = copy_place(pager, 1);
		pager->copies--;
		pager->heard--;
	}
}

/* Tell the hardware of those that will arrive before the pager is called again. */
static void tell_arrivals(struct pager *pager, u64 until)
{
	u32 i;

	for (i = 0; i < pager->heard && copy_at(pager, i)->at <= until; i++)
		if (copy_is_live(copy_at(pager, i)))
			set_pages(pager, copy_at(pager, i), GPU_PAGE_ARRIVES);
}

/* --- a batch begins ------------------------------------------------------------------- */

static struct asked *asked_of(struct pager *pager, u32 slot, u32 block)
{
	struct asked *asked;
	u32 i;

	for (i = 0; i < pager->blocks; i++)
		if (pager->asked[i].slot == slot && pager->asked[i].block == block)
			return &pager->asked[i];
	asked = &pager->asked[pager->blocks++];
	memset(asked, 0, sizeof(*asked));
	asked->slot = slot;
	asked->block = block;
	return asked;
}

/* A block that was evicted has faulted: see whether it thrashes. */
static void note_thrashing(struct pager *pager, struct block_past *past, u64 cycle)
{
	u64 lapse = pager_cycles_of_us(pager, pager->policy->lapse_us);

	if (!past->evicted || !lapse)
		return;
	if (cycle > past->evicted + lapse) {
		past->thrashes = 0;
		past->throttled = 0;
	} else {
		past->thrashes++;
	}
	past->evicted = 0;
}

/* A fault of a page that came meanwhile for another one is counted, and no more. */
static void take_fault(struct pager *pager, const struct gpu_fault *fault)
{
	const struct pager_memory *memory = &pager->memory[fault->slot];
	u32 block = fault->page / pager->block_pages;
	u32 page = fault->page % pager->block_pages;
	struct asked *asked;

	gpu_pager_counters(pager->session->gpu, fault->slot)->faults++;
	if (memory->pages[fault->page].state != GPU_PAGE_HOST)
		return;
	pager_tell_thrashing(pager, fault->slot, memory->blocks[block].evicted, fault->cycle);
	note_thrashing(pager, &memory->blocks[block], fault->cycle);
	asked = asked_of(pager, fault->slot, block);
	asked->faults++;
	simgpu_add_bit(asked->faulted, page);
	if (memory->chunk[block] != NO_CHUNK)
		pager->chunk[memory->chunk[block]].batch = pager->batch;
}

static void tell_batch(const struct pager *pager, u32 faults)
{
	const struct session_hooks *hooks = &pager->session->hooks;

	if (hooks->faults_taken)
		hooks->faults_taken(hooks->context, pager->clock, faults, pager->blocks);
}

/* Begin with the blocks whose faults are due now. Return: the cycle since which they are. */
static u64 take_delayed(struct pager *pager, u64 now)
{
	u64 due = PAGER_NEVER;
	u32 i;

	pager->blocks = 0;
	for (i = 0; i < pager->delays && pager->delayed[i].at <= now; i++) {
		due = min(due, pager->delayed[i].at);
		pager->asked[pager->blocks++] = pager->delayed[i];
	}
	pager->delays -= i;
	memmove(&pager->delayed[0], &pager->delayed[i],
		pager->delays * sizeof(pager->delayed[0]));
	pager->decided = pager->blocks;
	return due;
}

/* Count the faults that were taken. Return: the cycle of the first one. */
static u64 note_faults(struct pager *pager, u32 count)
{
	u64 slots = 0, first = PAGER_NEVER;
	u32 i;

	for (i = 0; i < count; i++) {
		take_fault(pager, &pager->faults[i]);
		slots |= 1ULL << pager->faults[i].slot;
		first = min(first, pager->faults[i].cycle);
	}
	for (; slots; slots &= slots - 1)
		gpu_pager_counters(pager->session->gpu,
				   (u32)__builtin_ctzll(slots))->fault_batches++;
	return first;
}

/* Faults for which the batch has room */
static u32 room_for_faults(const struct pager *pager)
{
	return min_t(u32, pager_config(pager)->fault_batch,
		     GPU_FAULT_BATCH_MAX - min_t(u32, pager->blocks, GPU_FAULT_BATCH_MAX));
}

/* Take the faults of a batch. Return: the cycle of the first one. */
static u64 take_faults(struct pager *pager, u32 *taken)
{
	*taken = pager_collect(pager, room_for_faults(pager));
	return note_faults(pager, *taken);
}

/*
 * Without faults, what is fetched is a batch. It takes no time of its own: nobody has
 * interrupted the server. False: there is nothing to fetch.
 */
static bool begin_fetches(struct pager *pager, u64 now)
{
	if (!pager_may_fetch(pager))
		return false;
	pager->batch++;
	pager->block = 0;
	pager->clock = max(pager->free_at, now);
	pager_add_fetches(pager);
	pager->state = PAGER_BLOCKS;
	return true;
}

/* Begin a batch with the faults that there are, or with fetches. False: there is neither. */
static bool begin_batch(struct pager *pager, u64 now)
{
	const struct gpu_config *config = pager_config(pager);
	u64 first = take_delayed(pager, now);
	u32 faults;

	pager->batch++;
	first = min(first, take_faults(pager, &faults));
	if (first == PAGER_NEVER) {
		pager->batch--;
		return begin_fetches(pager, now);
	}
	pager->block = 0;
	pager->clock = max(pager->free_at, first);
	tell_batch(pager, faults);
	pager_note_uses(pager, pager->clock);
	pager_ask(pager, pager->clock);
	pager_by_turns(pager, 0);
	pager_begin_round(pager);
	pager_add_fetches(pager);
	pager->clock += pager_cycles(pager, config->fault_batch_ns);
	pager->state = PAGER_BLOCKS;
	return true;
}

/* Take tenants into the batch whose faults came when it had begun, as if it began anew. */
static void join_batch(struct pager *pager, u64 slots)
{
	u32 turn = pager_turn(pager), count;

	pager_drop_served(pager);
	pager->decided = pager->blocks;
	count = pager_collect_late(pager, slots, room_for_faults(pager));
	note_faults(pager, count);
	tell_batch(pager, count);
	pager_ask(pager, pager->clock);
	pager_by_turns(pager, turn);
	pager_begin_round(pager);
	pager->clock += pager_cycles(pager, pager_config(pager)->fault_batch_ns);
}

/* A block of the batch has been served. */
static void next_block(struct pager *pager)
{
	pager->block++;
	pager->round -= pager->round > 0;
	pager->owed = false;
}

/* --- a block -------------------------------------------------------------------------- */

/* The pages of a block to bring: what the policy says, and what has faulted. */
static u32 pages_to_bring(const struct pager *pager, struct asked *asked)
{
	const struct gpu_page *page =
		&pager->memory[asked->slot].pages[asked->block * pager->block_pages];
	u32 pages = pager_block_pages(pager, asked->slot, asked->block), count = 0, i;

	for (i = 0; i < SIMGPU_BLOCK_WORDS; i++)
		asked->bring[i] |= asked->faulted[i];
	for (i = 0; i < pages; i++) {
		if (!page_may_come(&page[i]))
			asked->bring[i / 64] &= ~(1ULL << i % 64);
		count += simgpu_has_bit(asked->bring, i);
	}
	return count;
}

static void count_page_in(struct pager *pager, const struct asked *asked, u32 page)
{
	struct simgpu_counters *counters = gpu_pager_counters(pager->session->gpu,
							      asked->slot);
	u8 *past = &pager->memory[asked->slot].past[asked->block * pager->block_pages +
						    page];
	bool faulted = simgpu_has_bit(asked->faulted, page);

	counters->pages_in++;
	counters->pages_prefetched += !faulted;
	counters->pages_again += *past & PAST_EVICTED;
	counters->copied_in_bytes += pager_page_bytes(pager);
	*past &= PAST_EVICTED;
	if (!faulted)
		*past |= PAST_PREFETCHED;
}

/* Copy a run of pages, as soon as the server is done with the block and the link is free. */
static u64 copy_in(struct pager *pager, const struct asked *asked, u32 page, u32 count,
		   u64 now)
{
	u32 mb_per_s = pager_config(pager)->link_in_mb_per_s, i;
	struct copy *copy = copy_at(pager, pager->copies++);

	pager->link_in = max(max(pager->link_in, pager->clock) +
			     pager_copy_cycles(pager, count, mb_per_s), now + 1);
	*copy = (struct copy) {
		.at = pager->link_in,
		.slot = asked->slot,
		.page = asked->block * pager->block_pages + page,
		.count = count,
	};
	for (i = page; i < page + count; i++)
		count_page_in(pager, asked, i);
	set_pages(pager, copy, GPU_PAGE_COMING);
	pager->memory[asked->slot].resident += count;
	if (pager_has_engine(pager))
		pager_send(pager, GPU_COPY_IN, asked->slot, copy->page, count, copy->at);
	else
		pager->heard++;
	return copy->at;
}

/* The number of runs of a mask. */
static u32 count_runs(const u64 *mask)
{
	u32 runs = 0, i;

	for (i = 0; i < SIMGPU_BLOCK_PAGES_MAX; i++)
		runs += simgpu_has_bit(mask, i) && (!i || !simgpu_has_bit(mask, i - 1));
	return runs;
}

/* Pages in a row that a mask has, from @first on. */
static u32 run_of(const u64 *mask, u32 first, u32 pages)
{
	u32 end = first;

	while (end < pages && simgpu_has_bit(mask, end))
		end++;
	return end - first;
}

static u64 copy_runs_in(struct pager *pager, const struct asked *asked, u64 now)
{
	u32 i = 0, run;
	u64 last = 0;

	while (i < pager->block_pages) {
		run = run_of(asked->bring, i, pager->block_pages);
		if (run)
			last = copy_in(pager, asked, i, run, now);
		i += run + 1;
	}
	return last;
}

/* A chunk for a block that has none; NO_CHUNK: one has to be taken away first. */
static u32 give_chunk(struct pager *pager, const struct asked *asked)
{
	u32 *has = &pager->memory[asked->slot].chunk[asked->block];

	if (*has != NO_CHUNK)
		return *has;
	*has = pager_at_most(pager, asked->slot) ? NO_CHUNK : pager_free_chunk(pager);
	if (*has == NO_CHUNK)
		return NO_CHUNK;
	pager->chunks_free--;
	pager->used[asked->slot]++;
	pager->chunk[*has].is = (struct simgpu_chunk) {
		.slot = asked->slot,
		.block = asked->block,
		.began = pager->clock,
	};
	return *has;
}

static void tell_evicted(const struct pager *pager, const struct simgpu_chunk *is)
{
	const struct session_hooks *hooks = &pager->session->hooks;

	if (hooks->evicted)
		hooks->evicted(hooks->context, pager->clock, is->slot, is->block);
}

/*
 * Begin to take a chunk away. False: none can go now. What is fetched without a fault does
 * not wait, and takes nothing from a block of its batch: it is dropped.
 */
static bool begin_eviction(struct pager *pager, const struct asked *asked, u64 now)
{
	u32 victim = pager_victim(pager, now, asked->slot);

	if (!asked->faults &&
	    (victim == NO_CHUNK || pager->chunk[victim].batch == pager->batch)) {
		next_block(pager);
		return true;
	}
	if (victim == NO_CHUNK)
		return false;
	pager_unmap(pager, victim);
	tell_evicted(pager, &pager->chunk[victim].is);
	pager_tell_pressure(pager, pager->chunk[victim].is.slot);
	pager->victim = victim;
	pager->clock += pager_cycles(pager, pager_config(pager)->evict_ns);
	pager->owed = pager_is_shared(pager);
	pager->state = PAGER_FLUSH;
	return true;
}

/* Of a block's pages to bring, those in @mask are in a state from now on. */
static void set_states(struct pager *pager, const struct asked *asked, const u64 *mask,
		       enum gpu_page_state state)
{
	struct gpu_page *page =
		&pager->memory[asked->slot].pages[asked->block * pager->block_pages];
	u32 i;

	for (i = 0; i < pager->block_pages; i++)
		if (simgpu_has_bit(mask, i) && simgpu_has_bit(asked->bring, i))
			page[i].state = (u8)state;
}

/* Answer a block's faults later. False: there is no room for that. */
static bool delay(struct pager *pager, const struct asked *asked)
{
	u32 i = pager->delays;

	if (asked->action != SIMGPU_MEMORY_THROTTLE || i == PAGER_DELAYED)
		return false;
	set_states(pager, asked, asked->faulted, GPU_PAGE_DELAYED);
	pager->memory[asked->slot].blocks[asked->block].throttled++;
	/* A policy may answer with different times. */
	for (; i && pager->delayed[i - 1].at >
		    pager->clock + pager_cycles_of_us(pager, asked->us); i--)
		pager->delayed[i] = pager->delayed[i - 1];
	pager->delayed[i] = *asked;
	pager->delayed[i].at = pager->clock + pager_cycles_of_us(pager, asked->us);
	pager->delayed[i].action = SIMGPU_MEMORY_MIGRATE;
	pager->delays++;
	return true;
}

/* The cycle until which an answer holds that is given now. */
static u64 holds_until(const struct pager *pager, const struct asked *asked)
{
	return asked->us ? pager->clock + pager_cycles_of_us(pager, asked->us) :
			   PAGER_NEVER;
}

/* The pages of a block are mapped on the host now. */
static void map_remote(struct pager *pager)
{
	const struct asked *asked = &pager->asked[pager->block];
	struct block_past *past;

	pager->state = PAGER_BLOCKS;
	next_block(pager);
	if (asked->slot == SESSION_SLOTS_MAX)
		return;
	gpu_use_remote(pager->session->gpu);
	set_states(pager, asked, asked->bring, GPU_PAGE_REMOTE);
	past = &pager->memory[asked->slot].blocks[asked->block];
	past->remote_until = max(past->remote_until, holds_until(pager, asked));
	pager->remote_next = min(pager->remote_next, past->remote_until);
	pager->came = true;
}

/* What there is to do for the next block, if no pages are to be brought now. */
static bool serve_without_pages(struct pager *pager, struct asked *asked)
{
	const struct gpu_config *config = pager_config(pager);
	u32 pages = asked->slot < SESSION_SLOTS_MAX ?
		    pages_to_bring(pager, asked) : 0;

	if (pages && asked->action == SIMGPU_MEMORY_REMOTE) {
		pager->clock += pager_cycles(pager, config->fault_block_ns) +
			(u64)pages * pager_cycles(pager, config->fault_page_ns);
		pager->state = PAGER_MAP;
		return true;
	}
	if (pages && !delay(pager, asked))
		return false;
	next_block(pager);
	return true;
}

/* Bring the pages of the next block. False: it has to wait for the end of a window. */
static bool serve_block(struct pager *pager, u64 now)
{
	const struct gpu_config *config = pager_config(pager);
	struct asked *asked = &pager->asked[pager->block];
	u32 pages, chunk;

	if (serve_without_pages(pager, asked))
		return true;
	pages = pages_to_bring(pager, asked);
	if (pager->copies + count_runs(asked->bring) > PAGER_COPIES)
		return false;
	chunk = give_chunk(pager, asked);
	if (chunk == NO_CHUNK)
		return begin_eviction(pager, asked, now);
	pager->clock += pager_cycles(pager, config->fault_block_ns) +
			(u64)pages * pager_cycles(pager, config->fault_page_ns);
	pager->chunk[chunk].is.arrived = copy_runs_in(pager, asked, now);
	pager->chunk[chunk].batch = pager->batch;
	if (asked->action == SIMGPU_MEMORY_PIN)
		pager->chunk[chunk].pinned = holds_until(pager, asked);
	pager_rank(pager, &pager->chunk[chunk], SIMGPU_RANK_ON_ARRIVAL);
	next_block(pager);
	return true;
}

/* Drop the lines of the victim, of which no page is there any more. */
static bool drop_victim(struct pager *pager, bool write_back)
{
	const struct simgpu_chunk *is = &pager->chunk[pager->victim].is;

	return gpu_flush_block(pager->session->gpu, is->slot, is->block, write_back);
}

/* The victim's lines leave the caches, then its pages the device; or an engine reads them. */
static bool flush_victim(struct pager *pager)
{
	const struct simgpu_chunk *is = &pager->chunk[pager->victim].is;

	if (pager_has_engine(pager)) {
		if (!gpu_block_is_quiet(pager->session->gpu, is->slot, is->block))
			return false;
		pager_copy_out(pager, pager->victim);
		pager->state = PAGER_OUT;
		return true;
	}
	if (!drop_victim(pager, true))
		return false;
	pager_copy_out(pager, pager->victim);
	pager_release(pager, pager->victim);
	pager->state = PAGER_BLOCKS;
	return true;
}

/* When the engine has read all that was written, nobody needs the victim's lines. */
static bool end_copies_out(struct pager *pager)
{
	u64 cycle;

	while (pager->outs && gpu_copy_done(pager->session->gpu, PAGER_ENGINE,
					    GPU_COPY_OUT, &cycle)) {
		pager->clock = max(pager->clock, cycle);
		pager->outs--;
	}
	if (pager->outs || !drop_victim(pager, false))
		return false;
	pager_release(pager, pager->victim);
	pager->state = PAGER_BLOCKS;
	return true;
}

/* --- windows -------------------------------------------------------------------------- */

/* What waited for the end of a window goes on there, not before. */
static bool resume(struct pager *pager, u64 now)
{
	if (pager->waited)
		pager->clock = max(pager->clock, now);
	pager->waited = false;
	return pager->clock <= now;
}

/* The batch ends when its last page has come. */
static bool end_batch(struct pager *pager)
{
	pager->free_at = pager->clock;
	if (pager->copies)
		pager->free_at = max(pager->clock,
				     copy_at(pager, pager->copies - 1)->at);
	pager->state = PAGER_IDLE;
	return true;
}

/* The next block, or those of tenants that come late, or nothing while the link is behind. */
static bool serve_next(struct pager *pager, u64 now)
{
	u64 from = pager_link_from(pager), late;

	if (from > pager->clock) {
		pager->clock = from;
		return true;
	}
	late = pager_late(pager);
	if (!late)
		return serve_block(pager, now);
	join_batch(pager, late);
	return true;
}

static bool go_on(struct pager *pager, u64 now)
{
	if (pager->state == PAGER_MAP) {
		map_remote(pager);
		return true;
	}
	if (pager->state == PAGER_FLUSH)
		return flush_victim(pager);
	if (pager->state == PAGER_OUT)
		return end_copies_out(pager);
	return pager->block == pager->blocks ? end_batch(pager) :
					       serve_next(pager, now);
}

/* The server's next step. False: there is none before a later window ends. */
static bool serve(struct pager *pager, u64 now)
{
	if (pager->state == PAGER_IDLE)
		return pager->free_at <= now && begin_batch(pager, now);
	if (!resume(pager, now))
		return false;
	pager->waited = !go_on(pager, now);
	return !pager->waited;
}

/* The pages of a block stay on the host no longer. Return: whether its time is over. */
static bool unmap_remote(struct pager *pager, struct pager_memory *memory, u32 block,
			 u64 now)
{
	u32 first = block * pager->block_pages, i;
	u32 outer = min(first + pager->block_pages, memory->page_count);

	if (!memory->blocks[block].remote_until ||
	    memory->blocks[block].remote_until > now)
		return false;
	memory->blocks[block].remote_until = 0;
	for (i = first; i < outer; i++)
		if (memory->pages[i].state == GPU_PAGE_REMOTE)
			memory->pages[i].state = GPU_PAGE_HOST;
	return true;
}

static void look_at_remote(struct pager *pager, u64 now)
{
	u32 slot, block;

	if (pager->remote_next > now)
		return;
	pager->remote_next = PAGER_NEVER;
	for (slot = 0; slot < SESSION_SLOTS_MAX; slot++) {
		struct pager_memory *memory = &pager->memory[slot];

		for (block = 0; block < memory->block_count; block++)
			if (!unmap_remote(pager, memory, block, now) &&
			    memory->blocks[block].remote_until)
				pager->remote_next =
					min(pager->remote_next,
					    memory->blocks[block].remote_until);
	}
}

/*
 * Lines of remote pages and copies share the link. What lines have taken of it delays the copies
 * that are queued from now on, since the times of those under way are known.
 */
static void share_link(struct pager *pager)
{
	struct gpu *gpu = pager->session->gpu;

	pager->link_in += gpu_share_link(gpu, GPU_COPY_IN, pager->link_in);
	pager->link_out += gpu_share_link(gpu, GPU_COPY_OUT, pager->link_out);
}

/* pager_window() - what the hardware calls at the end of each window, see gpu_set_pager() */
bool pager_window(void *context, u64 now)
{
	struct pager *pager = context;

	pager->came = false;
	pager->looks = 0;
	hear_of_copies(pager, now);
	take_arrivals(pager, now);
	look_at_remote(pager, now);
	pager_tell_kernels(pager, now);
	while (serve(pager, now))
		;
	pager_tell_prefetches(pager, pager_fetching(pager));
	share_link(pager);
	tell_arrivals(pager, now + gpu_window(pager_config(pager)));
	if (pager->came)
		gpu_pages_came(pager->session->gpu);
	return pager->state != PAGER_IDLE || pager->copies || pager->delays || pager->asking;
}

/* --- a tenant leaves ------------------------------------------------------------------ */

static void forget_delayed(struct pager *pager, u32 slot)
{
	u32 stay = 0, i;

	for (i = 0; i < pager->delays; i++)
		if (pager->delayed[i].slot != slot)
			pager->delayed[stay++] = pager->delayed[i];
	pager->delays = stay;
}

/*
 * pager_forget() - a slot is dropped: its chunks are free, and what is under way comes for
 *	nobody
 */
void pager_forget(struct session *session, u32 slot)
{
	struct pager *pager = session->pager;
	u32 i;

	if (!pager || !pager->memory[slot].page_count)
		return;
	if ((pager->state == PAGER_FLUSH || pager->state == PAGER_OUT) &&
	    pager->chunk[pager->victim].is.slot == slot)
		pager->state = PAGER_BLOCKS;
	for (i = 0; i < pager->chunks; i++)
		if (pager->chunk[i].is.slot == slot)
			pager_release(pager, i);
	for (i = 0; i < pager->copies; i++)
		if (copy_at(pager, i)->slot == slot)
			copy_at(pager, i)->slot = SESSION_SLOTS_MAX;
	for (i = pager->block; i < pager->blocks; i++)
		if (pager->asked[i].slot == slot)
			pager->asked[i].slot = SESSION_SLOTS_MAX;
	pager_forget_fetches(pager, slot);
	pager_forget_events(pager, slot);
	forget_delayed(pager, slot);
	free_tables(&pager->memory[slot]);
}

/* pager_is_busy() - whether there are pages to bring, or on their way */
bool pager_is_busy(const struct session *session)
{
	const struct pager *pager = session->pager;

	return pager && (pager->state != PAGER_IDLE || pager->copies ||
			 pager_has_fetches(pager));
}

/* pager_waits() - whether accesses of a tenant wait for pages */
bool pager_waits(const struct session *session, u32 slot)
{
	return session->pager && gpu_waits_for_pages(session->gpu, slot);
}

/* --- what is told --------------------------------------------------------------------- */

u32 session_memory_chunks(const struct session *session, u32 *used)
{
	const struct pager *pager = session->pager;

	*used = pager ? pager->chunks - pager->chunks_free : 0;
	return pager ? pager->chunks : 0;
}

void session_memory_report(const struct session *session, struct session_memory *out)
{
	const struct pager *pager = session->pager;
	u32 slot;

	memset(out, 0, sizeof(*out));
	if (!pager)
		return;
	memcpy(out->policy, pager->policy->name, sizeof(out->policy));
	memcpy(out->fell_back, pager->fell_back, sizeof(out->fell_back));
	out->chunks = session_memory_chunks(session, &out->chunks_used);
	for (slot = 0; slot < SESSION_SLOTS_MAX; slot++) {
		out->managed_pages[slot] = pager->memory[slot].page_count -
					   pager->memory[slot].fixed;
		out->resident_pages[slot] = pager->memory[slot].resident;
		out->remote_lines[slot] = gpu_remote_lines(session->gpu, slot);
	}
}

/* pager_figures() - bytes of a slot's managed memory, and those on the device or on their way */
void pager_figures(const struct session *session, u32 slot, u64 *managed_bytes,
		   u64 *resident_bytes)
{
	const struct pager *pager = session->pager;

	*managed_bytes = 0;
	*resident_bytes = 0;
	if (!pager)
		return;
	*managed_bytes = pager_managed_bytes(pager, slot);
	*resident_bytes = (u64)pager->memory[slot].resident * pager_page_bytes(pager);
}

/* Add a tenant's advice, if it has given any. */
static u64 hash_advice(const struct pager_memory *memory, u64 hash)
{
	u32 i;

	for (i = 0; i < memory->block_count; i++)
		if (memory->advice[i])
			return hash_bytes(hash, memory->advice, memory->block_count);
	return hash;
}

/*
 * pager_hash() - add the pager's state to a hash. The tables of pages are in the hardware's;
 *	which block has which chunk follows from the chunks
 */
u64 pager_hash(const struct session *session, u64 hash)
{
	const struct pager *pager = session->pager;
	u32 i;

	hash = hash_bytes(hash, &pager->lasts, sizeof(pager->lasts));
	hash = hash_bytes(hash, pager->fetch, pager->fetches * sizeof(pager->fetch[0]));
	hash = pager_hash_events(pager, pager_hash_fetches(pager, hash));
	hash = hash_bytes(hash, pager->policy->name, SIMGPU_NAME_BYTES);
	hash = hash_bytes(hash, pager->policy_state, pager->policy->state_bytes);
	hash = hash_bytes(hash, pager->chunk, pager->chunks * sizeof(*pager->chunk));
	for (i = 0; i < SESSION_SLOTS_MAX; i++) {
		const struct pager_memory *memory = &pager->memory[i];

		hash = hash_bytes(hash, memory->past, memory->page_count);
		hash = hash_bytes(hash, memory->blocks,
				  memory->block_count * sizeof(*memory->blocks));
		hash = hash_advice(memory, hash);
	}
	hash = hash_bytes(hash, pager->delayed, pager->delays * sizeof(pager->delayed[0]));
	for (i = 0; i < pager->copies; i++)
		hash = hash_bytes(hash, &pager->copy[copy_place(pager, i)],
				  sizeof(pager->copy[0]));
	return hash_bytes(hash, pager->asked,
			  pager->state == PAGER_IDLE ? 0 :
			  pager->blocks * sizeof(pager->asked[0]));
}
