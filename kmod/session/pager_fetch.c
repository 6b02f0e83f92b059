// SPDX-License-Identifier: GPL-2.0
/*
 * Ranges of pages that nobody has faulted on: those that the memory policy fetches, those that
 * tenants ask for, and those of kernels that the SM policy has prepared. They wait in lists, and
 * each batch takes some blocks from there, behind those with faults. Without faults they are a
 * batch of their own, so that a fault waits for few of them.
 *
 * Each policy has a list, and each tenant. They have a block in turn, so that no tenant waits
 * for all that another one wants, and what a policy says drops nothing of a tenant's.
 */
#include "pager_events.h"
#include "pager_fetch.h"
#include "pager_limits.h"
#include "pager_wanted.h"

#define NOBODY	U32_MAX

/* pager_fetch_fault() - why the fetches of a placement cannot be done, or NULL */
const char *pager_fetch_fault(const struct pager *pager)
{
	const struct simgpu_placement *placement = &pager->placement;
	u32 i;

	if (placement->fetch_count > SIMGPU_FETCHES_MAX)
		return "fetches more ranges than there can be";
	for (i = 0; i < placement->fetch_count; i++) {
		const struct simgpu_fetch *fetch = &placement->fetch[i];
		u32 pages = fetch->slot < SESSION_SLOTS_MAX ?
			    pager->memory[fetch->slot].page_count : 0;

		if (!fetch->count || fetch->first >= pages ||
		    fetch->count > pages - fetch->first)
			return "fetches pages that the tenant does not have";
	}
	return NULL;
}

/* pager_take_fetches() - take those of a sound placement */
void pager_take_fetches(struct pager *pager)
{
	const struct simgpu_placement *placement = &pager->placement;
	u32 room, count;

	if (pager->place.wanted_count)
		pager->fetches = 0;
	room = SIMGPU_FETCHES_MAX - pager->fetches;
	count = min(placement->fetch_count, room);
	memcpy(&pager->fetch[pager->fetches], placement->fetch,
	       count * sizeof(placement->fetch[0]));
	pager->fetches += count;
}

/*
 * pager_prefetch() - a tenant asks for pages that it has. False: it has as many ranges waiting
 *	as it may
 */
bool pager_prefetch(struct pager *pager, u32 slot, u32 first, u32 count)
{
	struct prefetches *waiting = &pager->prefetch[slot];

	if (waiting->count == SESSION_PREFETCHES_MAX)
		return false;
	waiting->range[waiting->count++] = (struct simgpu_fetch) {
		.slot = slot, .first = first, .count = count,
	};
	pager->asking |= 1ULL << slot;
	pager_await_prefetch(pager, slot);
	gpu_call_pager(pager->session->gpu);
	return true;
}

/* pager_has_fetches() - whether ranges wait, of policies or of tenants */
bool pager_has_fetches(const struct pager *pager)
{
	return pager->fetches || pager->asking || pager->prepares;
}

/* pager_fetching() - tenants with ranges that wait, but for those of the memory policy */
u64 pager_fetching(const struct pager *pager)
{
	u64 slots = pager->asking;
	u32 i;

	for (i = 0; i < pager->prepares; i++)
		slots |= 1ULL << pager->prepare[i].slot;
	return slots;
}

/* --- what the SM policy prepares ---------------------------------------------------------- */

/* Of a list of ranges, keep those that are not of some tenants, a bit each. */
static void drop_slots(struct simgpu_fetch *list, u32 *length, u64 slots)
{
	u32 kept = 0, i;

	for (i = 0; i < *length; i++)
		if (!(slots >> list[i].slot & 1))
			list[kept++] = list[i];
	*length = kept;
}

/* pager_drop_prepared() - what was asked for some tenants is not wanted any more */
void pager_drop_prepared(struct pager *pager, u64 slots)
{
	drop_slots(pager->prepare, &pager->prepares, slots);
}

/* Chunks that the pages of a range take, at most */
static u32 chunks_of(const struct pager *pager, const struct simgpu_wanted *wanted)
{
	return (wanted->first + wanted->count - 1) / pager->block_pages -
	       wanted->first / pager->block_pages + 1;
}

/*
 * How many chunks are prepared for each tenant: what its kernels want, up to its maximum; and an
 * even part of the memory where that is more than there is.
 */
static void divide(const struct pager *pager, u32 *chunks)
{
	const struct simgpu_place *place = &pager->place;
	u32 sum = 0, tenants = 0, slot, i;

	memset(chunks, 0, SESSION_SLOTS_MAX * sizeof(*chunks));
	for (i = 0; i < place->wanted_count; i++)
		chunks[place->wanted[i].slot] += chunks_of(pager, &place->wanted[i]);
	for (slot = 0; slot < SESSION_SLOTS_MAX; slot++) {
		chunks[slot] = min(chunks[slot], pager_most(pager, slot));
		sum += chunks[slot];
		tenants += chunks[slot] != 0;
	}
	for (slot = 0; sum > pager->chunks && slot < SESSION_SLOTS_MAX; slot++)
		chunks[slot] = min(chunks[slot], pager->chunks / tenants);
}

/* Add the ranges of present or of next kernels to the list, as far as @chunks last. */
static void add_wanted(struct pager *pager, u32 next, u32 *chunks)
{
	const struct simgpu_place *place = &pager->place;
	u32 i;

	for (i = 0; i < place->wanted_count; i++) {
		const struct simgpu_wanted *wanted = &place->wanted[i];
		u32 *left = &chunks[wanted->slot];
		u32 count = min(chunks_of(pager, wanted), *left);
		u32 outer = (wanted->first / pager->block_pages + count) *
			    pager->block_pages;

		if (wanted->next != next || !count ||
		    pager->prepares == SIMGPU_FETCHES_MAX)
			continue;
		*left -= count;
		pager->prepare[pager->prepares++] = (struct simgpu_fetch) {
			.slot = wanted->slot,
			.first = wanted->first,
			.count = min(wanted->count, outer - wanted->first),
		};
		pager_await_prefetch(pager, wanted->slot);
	}
}

/*
 * pager_prepare() - bring what the next kernels of some tenants may access, a bit for each
 *	tenant; it replaces what is left of an earlier call for the same tenants
 */
void pager_prepare(struct pager *pager, u64 slots)
{
	u32 chunks[SESSION_SLOTS_MAX];

	pager_drop_prepared(pager, slots);
	pager->place.wanted_count = 0;
	pager_fill_wanted(pager, slots, &pager->place);
	divide(pager, chunks);
	add_wanted(pager, 0, chunks);
	add_wanted(pager, 1, chunks);
	gpu_call_pager(pager->session->gpu);
}

/* --- blocks for a batch ------------------------------------------------------------------- */

static void drop_first(struct simgpu_fetch *list, u32 *length)
{
	--*length;
	memmove(&list[0], &list[1], *length * sizeof(list[0]));
}

/* Whether the device lacks a page of a range in a block. */
static bool lacks_some(const struct pager *pager, const struct simgpu_fetch *fetch,
		       u32 count)
{
	const struct gpu_page *page = &pager->memory[fetch->slot].pages[fetch->first];
	u32 i;

	for (i = 0; i < count; i++)
		if (page[i].state == GPU_PAGE_HOST)
			return true;
	return false;
}

/* Add the first @count pages of a range, which are in one block, to the batch. */
static void add_block(struct pager *pager, const struct simgpu_fetch *fetch, u32 count)
{
	struct asked *asked = &pager->asked[pager->blocks++];
	u32 first = fetch->first % pager->block_pages, i;

	memset(asked, 0, sizeof(*asked));
	asked->slot = fetch->slot;
	asked->block = fetch->first / pager->block_pages;
	for (i = first; i < first + count; i++)
		simgpu_add_bit(asked->bring, i);
}

/* Take the first block of a list. Return: whether there is something to bring. */
static bool take_block(struct pager *pager, struct simgpu_fetch *list, u32 *length)
{
	struct simgpu_fetch *fetch = &list[0];
	u32 count = min(fetch->count, pager->block_pages -
			fetch->first % pager->block_pages);
	bool lacks = lacks_some(pager, fetch, count);

	if (lacks)
		add_block(pager, fetch, count);
	fetch->first += count;
	fetch->count -= count;
	if (!fetch->count)
		drop_first(list, length);
	return lacks;
}

/* Who has the next block: tenants in the order of their slots, then the policies. */
static u32 whose_turn(const struct pager *pager)
{
	u64 asking = pager->looks < PAGER_LOOKS ? pager->asking : 0;
	u64 later = pager->turn >= FETCH_TURN_POLICY ? 0 :
		    asking >> pager->turn << pager->turn;

	if (later)
		return (u32)__builtin_ctzll(later);
	if (pager->fetches && (pager->turn <= FETCH_TURN_POLICY || !pager->prepares))
		return FETCH_TURN_POLICY;
	if (pager->prepares)
		return FETCH_TURN_PREPARE;
	return asking ? (u32)__builtin_ctzll(asking) : NOBODY;
}

/* pager_may_fetch() - whether a batch in this window takes something from these ranges */
bool pager_may_fetch(const struct pager *pager)
{
	return whose_turn(pager) != NOBODY;
}

static bool take_block_of(struct pager *pager, u32 who)
{
	struct prefetches *waiting = &pager->prefetch[who % SESSION_SLOTS_MAX];
	bool taken;

	if (who == FETCH_TURN_POLICY) {
		pager->turn = pager->prepares ? FETCH_TURN_PREPARE : 0;
		return take_block(pager, pager->fetch, &pager->fetches);
	}
	if (who == FETCH_TURN_PREPARE) {
		pager->turn = 0;
		return take_block(pager, pager->prepare, &pager->prepares);
	}
	pager->turn = who + 1;
	pager->looks++;
	taken = take_block(pager, waiting->range, &waiting->count);
	if (!waiting->count)
		pager->asking &= ~(1ULL << who);
	return taken;
}

/* pager_add_fetches() - add the next blocks to fetch to a batch */
void pager_add_fetches(struct pager *pager)
{
	u32 left = PAGER_FETCH_BLOCKS, who;

	while (left) {
		who = whose_turn(pager);
		if (who == NOBODY)
			return;
		left -= take_block_of(pager, who);
	}
}

/* pager_forget_fetches() - a slot is dropped */
void pager_forget_fetches(struct pager *pager, u32 slot)
{
	u64 slots = 1ULL << slot;

	drop_slots(pager->fetch, &pager->fetches, slots);
	pager_drop_prepared(pager, slots);
	pager->prefetch[slot].count = 0;
	pager->asking &= ~slots;
}

/*
 * pager_hash_fetches() - add what tenants and the SM policy have asked for to a hash, where any
 *	has
 */
u64 pager_hash_fetches(const struct pager *pager, u64 hash)
{
	u64 slots = pager->asking;

	if (pager->prepares)
		hash = hash_bytes(hash, pager->prepare,
				  pager->prepares * sizeof(pager->prepare[0]));
	if (!slots && !pager->turn)
		return hash;
	hash = hash_mix(hash_mix(hash, slots), pager->turn);
	for (; slots; slots &= slots - 1) {
		const struct prefetches *waiting =
			&pager->prefetch[__builtin_ctzll(slots)];

		hash = hash_bytes(hash, waiting->range,
				  waiting->count * sizeof(waiting->range[0]));
	}
	return hash;
}
