// SPDX-License-Identifier: GPL-2.0
/* A tenant's advice on its managed memory: what it changes at once. pager_policy.c heeds it. */
#include "advice.h"
#include "managed.h"
#include "pager_chunks.h"

/* The chunk of a block, or NULL */
static struct chunk *chunk_of(struct pager *pager, const struct pager_memory *memory, u32 block)
{
	return memory->chunk[block] == NO_CHUNK ? NULL : &pager->chunk[memory->chunk[block]];
}

/* Advice for a block. What the one before has done ends at the next window. */
static void set_advice(struct pager *pager, struct pager_memory *memory, u32 block, u8 advice)
{
	struct chunk *chunk = chunk_of(pager, memory, block);
	u8 before = memory->advice[block];

	if (before == advice)
		return;
	memory->advice[block] = advice;
	if (before == SIMGPU_MEMORY_ON_HOST && memory->blocks[block].remote_until) {
		memory->blocks[block].remote_until = 1;
		pager->remote_next = 0;
	}
	if (chunk && before == SIMGPU_MEMORY_ON_DEVICE)
		chunk->pinned = 0;
	if (chunk && advice == SIMGPU_MEMORY_ON_DEVICE)
		chunk->pinned = PAGER_NEVER;
}

/* What is in pages @first to @outer - 1 is of no use: as if they were as on the host. */
static void discard_pages(struct pager *pager, struct pager_memory *memory, u32 first, u32 outer)
{
	u32 block = first / pager->block_pages, from = block * pager->block_pages, i;
	struct chunk *chunk = chunk_of(pager, memory, block);
	u32 to = min(from + pager->block_pages, memory->page_count);

	port_pause();
	for (i = first; i < outer; i++)
		memory->pages[i].touched &= ~GPU_PAGE_WRITTEN;
	if (chunk && first == from && outer == to) {
		chunk->is.rank = 0;
		chunk->pinned = 0;
	}
}

static void take_advice(struct pager *pager, u32 slot, u32 advice, u64 offset, u64 bytes)
{
	struct pager_memory *memory = &pager->memory[slot];
	u32 page_bytes = pager_page_bytes(pager), first, outer, block;

	first = (u32)((offset + page_bytes - 1) / page_bytes);
	outer = (u32)((offset + bytes) / page_bytes);
	for (block = (u32)(offset / GPU_CHUNK_BYTES);
	     block <= (offset + bytes - 1) / GPU_CHUNK_BYTES; block++) {
		u32 from = max(first, block * pager->block_pages);
		u32 to = min(outer, (block + 1) * pager->block_pages);

		if (advice != SESSION_ADVICE_FREE)
			set_advice(pager, memory, block, (u8)advice);
		else if (from < to)
			discard_pages(pager, memory, from, to);
	}
}

int session_advise(struct session *session, u32 slot, u32 advice, u64 offset, u64 bytes)
{
	struct journal_event *event;
	int ret = managed_check_range(session, slot, offset, bytes);

	if (ret)
		return ret;
	if (advice > SESSION_ADVICE_FREE)
		return -EINVAL;
	take_advice(session->pager, slot, advice, offset, bytes);
	event = journal_add(session, JOURNAL_ADVISE, slot);
	event->advise.advice = advice;
	event->advise.offset = offset;
	event->advise.bytes = bytes;
	return 0;
}
