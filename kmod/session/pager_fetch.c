// SPDX-License-Identifier: GPL-2.0
/*
 * Ranges of pages that the memory policy fetches. They wait in a list, and each batch takes
 * some blocks from its front, behind those with faults. Without faults they are a batch of
 * their own, so that a fault waits for few of them.
 */
#include "pager_fetch.h"

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

static void drop_first(struct pager *pager)
{
	pager->fetches--;
	memmove(&pager->fetch[0], &pager->fetch[1],
		pager->fetches * sizeof(pager->fetch[0]));
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

/* pager_add_fetches() - add the next blocks to fetch to a batch */
void pager_add_fetches(struct pager *pager)
{
	u32 left = PAGER_FETCH_BLOCKS;

	while (pager->fetches && left) {
		struct simgpu_fetch *fetch = &pager->fetch[0];
		u32 count = min(fetch->count, pager->block_pages -
				fetch->first % pager->block_pages);

		if (lacks_some(pager, fetch, count)) {
			add_block(pager, fetch, count);
			left--;
		}
		fetch->first += count;
		fetch->count -= count;
		if (!fetch->count)
			drop_first(pager);
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
}
