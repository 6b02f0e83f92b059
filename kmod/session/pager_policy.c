// SPDX-License-Identifier: GPL-2.0
/*
 * The pager asks the memory policy which pages to bring, and checks what it answers. A policy
 * that fails is replaced by uvm (memory_policy.c).
 */
#include "memory_policy.h"
#include "pager_chunks.h"
#include "pager_fetch.h"
#include "pager_policy.h"
#include "pager_wanted.h"

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

static void fill_tenants(const struct pager *pager, struct simgpu_place *place)
{
	const struct session *session = pager->session;
	u32 sms[SESSION_SLOTS_MAX], slot;

	sms_of_each(session, sms);
	for (slot = 0; slot < SESSION_SLOTS_MAX; slot++) {
		const struct session_tenant_options *options =
			&session->tenants[slot].options;
		struct simgpu_place_tenant *tenant = &place->tenant[slot];

		if (!pager->memory[slot].page_count)
			continue;
		tenant->pages = pager->memory[slot].page_count;
		tenant->chunks = pager->used[slot];
		tenant->weight = options->weight;
		tenant->share_ppm = options->share_ppm;
		tenant->sms = sms[slot] + sms_shared(session, slot);
		place->slot_count = slot + 1;
	}
}

static void fill_params(struct pager *pager)
{
	memcpy(pager->place.params, pager->session->memory_params,
	       sizeof(pager->place.params));
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
	fill_params(pager);
	fill_tenants(pager, place);
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
		block->advice = pager->memory[asked->slot].advice[asked->block];
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
	return pager_fetch_fault(pager);
}

/* Ask about some blocks of the batch, or of kernels; uvm answers for a policy that fails. */
static void ask(struct pager *pager)
{
	int ret = memory_policy_place(pager);
	const char *reason = ret == -ETIMEDOUT ? "took too long" :
			     ret ? "returned an error" : find_fault(pager);

	if (!reason)
		return;
	memory_policy_fails(pager, ret < 0 ? ret : -EINVAL, reason);
	fill_params(pager);
	memory_policy_place(pager);
}

/* Keep what a placement says beside the pages of blocks. */
static void take_placement(struct pager *pager)
{
	memcpy(pager->said.low, pager->placement.low, sizeof(pager->said.low));
	memcpy(pager->said.high, pager->placement.high, sizeof(pager->said.high));
	pager_take_fetches(pager);
}

/* What is done about a block: as the policy says; if it says nothing, as the tenant does. */
static void take_action(const struct pager *pager, u32 index, struct asked *asked)
{
	static const u8 advised[SIMGPU_MEMORY_ADVICES] = {
		[SIMGPU_MEMORY_NORMAL] = SIMGPU_MEMORY_MIGRATE,
		[SIMGPU_MEMORY_ON_DEVICE] = SIMGPU_MEMORY_PIN,
		[SIMGPU_MEMORY_ON_HOST] = SIMGPU_MEMORY_REMOTE,
	};

	asked->action = pager->placement.action[index];
	asked->us = pager->placement.us[index];
	if (asked->action == SIMGPU_MEMORY_MIGRATE) {
		asked->action = advised[pager->place.block[index].advice];
		asked->us = 0;
	}
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
		take_placement(pager);
		for (i = 0; i < count; i++) {
			struct asked *asked = &pager->asked[first + i];

			memcpy(asked->bring, pager->placement.bring[i],
			       sizeof(asked->bring));
			take_action(pager, i, asked);
		}
	}
}

/*
 * pager_tell_kernels() - ask the policy what to fetch for kernels, if it wants to know of them
 *	and others have come to the heads of queues
 */
void pager_tell_kernels(struct pager *pager, u64 cycle)
{
	if (!(pager->policy->events & SIMGPU_PLACE_ON_KERNELS) ||
	    !pager_heads_changed(pager))
		return;
	fill_place(pager, cycle, 0, 0);
	pager_fill_wanted(pager, U64_MAX, &pager->place);
	if (!pager->place.wanted_count)
		return;
	ask(pager);
	take_placement(pager);
}
