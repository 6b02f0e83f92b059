// SPDX-License-Identifier: GPL-2.0
/*
 * The pager asks the memory policy which pages to bring, and checks what it answers. A policy
 * that fails is replaced by uvm.
 */
#include "pager_chunks.h"
#include "pager_policy.h"

static void set_resident(const struct pager *pager, struct simgpu_fault_block *to)
{
	const struct pager_memory *memory = &pager->memory[to->slot];
	u32 first = to->block * pager->block_pages, i;

	for (i = 0; i < to->pages; i++) {
		const struct gpu_page *page = &memory->pages[first + i];

		if (!page_is_away(page))
			simgpu_add_bit(to->resident, i);
		if (!page_is_away(page) && page->touched & GPU_PAGE_WRITTEN)
			simgpu_add_bit(to->written, i);
		if (simgpu_has_bit(to->faulted, i) && memory->past[first + i] & PAST_EVICTED)
			to->again++;
	}
}

static void fill_place(struct pager *pager, u64 cycle, u32 first, u32 count)
{
	struct simgpu_place *place = &pager->place;
	u32 i;

	memset(place, 0, sizeof(*place));
	place->cycle = cycle;
	place->chunks = pager->chunks;
	place->chunks_free = pager->chunks_free;
	place->page_bytes = pager_page_bytes(pager);
	place->count = count;
	for (i = 0; i < count; i++) {
		const struct asked *asked = &pager->asked[first + i];
		const struct block_past *past =
			&pager->memory[asked->slot].blocks[asked->block];
		struct simgpu_fault_block *block = &place->block[i];

		block->slot = asked->slot;
		block->block = asked->block;
		block->pages = pager_block_pages(pager, asked->slot, asked->block);
		block->faults = asked->faults;
		block->thrashes = past->thrashes;
		block->throttled = past->throttled;
		memcpy(block->faulted, asked->faulted, sizeof(block->faulted));
		set_resident(pager, block);
	}
}

/* Why a placement cannot be done, or NULL. */
static const char *find_fault(const struct pager *pager)
{
	u32 i, page;

	for (i = 0; i < pager->place.count; i++) {
		if (pager->placement.action[i] >= SIMGPU_MEMORY_ACTIONS)
			return "answers with an unknown action";
		if (pager->placement.us[i] > SIMGPU_MEMORY_US_MAX)
			return "answers with a time that is too long";
		for (page = pager->place.block[i].pages;
		     page < SIMGPU_BLOCK_PAGES_MAX; page++)
			if (simgpu_has_bit(pager->placement.bring[i], page))
				return "brings pages behind a block's end";
	}
	return NULL;
}

static void fall_back(struct pager *pager, const char *reason)
{
	snprintf(pager->fell_back, sizeof(pager->fell_back), "%s %s (slot %u, block %u)",
		 pager->policy->name, reason, pager->place.block[0].slot,
		 pager->place.block[0].block);
	pager->policy = &memory_policy_uvm;
}

/* Ask about some blocks of the batch. */
static void ask(struct pager *pager)
{
	const char *reason = "returned an error";

	memset(&pager->placement, 0, sizeof(pager->placement));
	if (!pager->policy->place(&pager->place, pager->policy_state,
				  &pager->placement)) {
		reason = find_fault(pager);
		if (!reason)
			return;
	}
	fall_back(pager, reason);
	memset(&pager->placement, 0, sizeof(pager->placement));
	pager->policy->place(&pager->place, pager->policy_state, &pager->placement);
}

/*
 * pager_ask() - decide what is done about the blocks of a batch, which began at @cycle, but
 *	for those about which that was decided before
 */
void pager_ask(struct pager *pager, u64 cycle)
{
	u32 first, count, i;

	for (first = pager->decided; first < pager->blocks; first += count) {
		count = min_t(u32, pager->blocks - first, SIMGPU_PLACE_BLOCKS_MAX);
		fill_place(pager, cycle, first, count);
		ask(pager);
		for (i = 0; i < count; i++) {
			struct asked *asked = &pager->asked[first + i];

			memcpy(asked->bring, pager->placement.bring[i],
			       sizeof(asked->bring));
			asked->action = pager->placement.action[i];
			asked->us = pager->placement.us[i];
		}
	}
}
