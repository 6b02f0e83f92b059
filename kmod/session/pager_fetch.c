// SPDX-License-Identifier: GPL-2.0
/*
 * Ranges of pages that nobody has faulted on: those that the memory policy fetches, and those
 * that tenants ask for. They wait in lists, and each batch takes some blocks from there, behind
 * those with faults. Without faults they are a batch of their own, so that a fault waits for
 * few of them.
 *
 * The policy has a list, and each tenant. They have a block in turn, so that no tenant waits
 * for all that another one wants, and what the policy says drops nothing of a tenant's.
 */
#include "pager_fetch.h"

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
	gpu_call_pager(pager->session->gpu);
	return true;
}

/* pager_has_fetches() - whether ranges wait, of the policy or of tenants */
bool pager_has_fetches(const struct pager *pager)
{
	return pager->fetches || pager->asking;
}

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

/* Who has the next block: tenants in the order of their slots, then the policy. */
static u32 whose_turn(const struct pager *pager)
{
	u64 asking = pager->looks < PAGER_LOOKS ? pager->asking : 0;
	u64 later = pager->turn == FETCH_TURN_POLICY ? 0 :
		    asking >> pager->turn << pager->turn;

	if (later)
		return (u32)__builtin_ctzll(later);
	if (pager->fetches)
		return FETCH_TURN_POLICY;
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
		pager->turn = 0;
		return take_block(pager, pager->fetch, &pager->fetches);
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
	u32 kept = 0, i;

	for (i = 0; i < pager->fetches; i++)
		if (pager->fetch[i].slot != slot)
			pager->fetch[kept++] = pager->fetch[i];
	pager->fetches = kept;
	pager->prefetch[slot].count = 0;
	pager->asking &= ~(1ULL << slot);
}

/* pager_hash_fetches() - add what tenants have asked for to a hash, where any has */
u64 pager_hash_fetches(const struct pager *pager, u64 hash)
{
	u64 slots = pager->asking;

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
