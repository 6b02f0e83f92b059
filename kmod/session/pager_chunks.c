// SPDX-License-Identifier: GPL-2.0
/* Chunks of device memory: which one is taken away, and how its pages leave. */
#include "memory_policy.h"
#include "pager_chunks.h"
#include "pager_limits.h"

/* pager_copy_cycles() - for how long some pages keep a link busy */
u64 pager_copy_cycles(const struct pager *pager, u32 pages, u32 mb_per_s)
{
	const struct gpu_config *config = pager_config(pager);
	u64 bytes = (u64)pages * pager_page_bytes(pager);

	return pager_cycles(pager, config->link_setup_ns) +
	       (bytes * config->core_mhz + mb_per_s - 1) / mb_per_s;
}

/* pager_send() - tell the engine of a copy of pages, with which the link is done at @at */
void pager_send(struct pager *pager, enum gpu_copy_way way, u32 slot, u32 page,
		u32 pages, u64 at)
{
	u32 lines = pager_page_bytes(pager) / GPU_LINE_BYTES;
	const struct gpu_copy copy = {
		.at = at,
		.slot = slot,
		.line = page * lines,
		.count = pages * lines,
	};

	gpu_copy(pager->session->gpu, PAGER_ENGINE, way, &copy);
}

/* pager_block_pages() - pages that a slot has in a block: all, but for the last one */
u32 pager_block_pages(const struct pager *pager, u32 slot, u32 block)
{
	return min(pager->memory[slot].page_count - block * pager->block_pages,
		   pager->block_pages);
}

/* Take away the marks of accesses to a chunk; whether there were any. */
static bool take_marks(const struct pager *pager, const struct chunk *chunk)
{
	const struct pager_memory *memory = &pager->memory[chunk->is.slot];
	u32 first = chunk->is.block * pager->block_pages, i;
	u32 pages = pager_block_pages(pager, chunk->is.slot, chunk->is.block);
	bool any = false;

	for (i = first; i < first + pages; i++) {
		if (!(memory->pages[i].touched & GPU_PAGE_READ))
			continue;
		memory->pages[i].touched &= ~GPU_PAGE_READ;
		memory->past[i] |= PAST_USED;
		any = true;
	}
	return any;
}

/* pager_note_uses() - see which chunks were accessed, if the policy wants to know */
void pager_note_uses(struct pager *pager, u64 cycle)
{
	u32 asked = 0, i;

	if (!(pager->policy->events & SIMGPU_RANK_ON_USE))
		return;
	for (i = 0; i < pager->chunks; i++) {
		struct chunk *chunk = &pager->chunk[i];

		if (chunk_is_free(chunk) || !take_marks(pager, chunk))
			continue;
		chunk->is.used = cycle;
		chunk->is.uses++;
		if (asked++ < SIMGPU_RANKS_MAX)
			pager_rank(pager, chunk, SIMGPU_RANK_ON_USE);
	}
}

/* pager_free_chunk() - the first chunk that nobody uses, or NO_CHUNK */
u32 pager_free_chunk(struct pager *pager)
{
	u32 i;

	for (i = 0; pager->chunks_free && i < pager->chunks; i++)
		if (chunk_is_free(&pager->chunk[i]))
			return i;
	return NO_CHUNK;
}

/* Whether a chunk goes before another one, which has a lower index. */
static bool goes_first(const struct pager *pager, const struct chunk *chunk,
		       const struct chunk *other)
{
	bool asked = chunk->batch == pager->batch;
	bool other_asked = other->batch == pager->batch;
	bool pinned = chunk->pinned > pager->clock;
	bool other_pinned = other->pinned > pager->clock;

	if (pinned != other_pinned)
		return other_pinned;
	return asked == other_asked ? chunk->is.rank < other->is.rank : other_asked;
}

/*
 * pager_victim() - the chunk that is taken away next for a slot; NO_CHUNK: all that may go
 *	have pages that are on their way, or have just come. Blocks of the present batch go
 *	if there are no others
 */
u32 pager_victim(const struct pager *pager, u64 now, u32 slot)
{
	u64 givers = pager_givers(pager, slot);
	u64 kept = PAGER_KEPT_WINDOWS * gpu_window(pager_config(pager));
	u32 best = NO_CHUNK, i;

	for (i = 0; i < pager->chunks; i++) {
		const struct chunk *chunk = &pager->chunk[i];

		if (chunk_is_free(chunk) || chunk->is.arrived + kept > now ||
		    !(givers >> chunk->is.slot & 1))
			continue;
		if (best == NO_CHUNK ||
		    goes_first(pager, chunk, &pager->chunk[best]))
			best = i;
	}
	return best;
}

/* Count a page that leaves. */
static void count_page(struct pager *pager, struct simgpu_counters *counters,
		       u32 slot, u32 page)
{
	u8 *past = &pager->memory[slot].past[page];
	u8 touched = pager->memory[slot].pages[page].touched;

	counters->pages_evicted++;
	if (*past & PAST_PREFETCHED && !(*past & PAST_USED) && !touched)
		counters->pages_unused++;
	*past = PAST_EVICTED;
	pager->memory[slot].resident--;
}

/* pager_unmap() - no access finds a chunk's pages any more; those that were written keep that */
void pager_unmap(struct pager *pager, u32 victim)
{
	const struct simgpu_chunk *is = &pager->chunk[victim].is;
	const struct pager_memory *memory = &pager->memory[is->slot];
	u32 first = is->block * pager->block_pages, i;
	u32 pages = pager_block_pages(pager, is->slot, is->block);
	struct simgpu_counters *counters = gpu_pager_counters(pager->session->gpu,
							      is->slot);

	counters->chunks_evicted++;
	memory->blocks[is->block].evicted = pager->clock;
	for (i = first; i < first + pages; i++) {
		if (page_is_away(&memory->pages[i]))
			continue;
		count_page(pager, counters, is->slot, i);
		memory->pages[i].state = GPU_PAGE_HOST;
	}
}

/* Pages in a row that were written. They lose the mark. */
static u32 take_written(struct gpu_page *page, u32 pages)
{
	u32 run;

	for (run = 0; run < pages; run++) {
		bool written = page[run].touched & GPU_PAGE_WRITTEN;

		page[run].touched = 0;
		if (!written)
			break;
	}
	return run;
}

/* pager_copy_out() - copy the written pages of a chunk to the host, run by run, from @clock on */
void pager_copy_out(struct pager *pager, u32 victim)
{
	const struct simgpu_chunk *is = &pager->chunk[victim].is;
	u32 first = is->block * pager->block_pages, i, run;
	struct gpu_page *page = &pager->memory[is->slot].pages[first];
	u32 pages = pager_block_pages(pager, is->slot, is->block);
	u32 mb_per_s = pager_config(pager)->link_out_mb_per_s;

	for (i = 0; i < pages; i += run + 1) {
		run = take_written(&page[i], pages - i);
		if (!run)
			continue;
		pager->link_out = max(pager->link_out, pager->clock) +
				  pager_copy_cycles(pager, run, mb_per_s);
		pager->clock = pager->link_out;
		if (pager_has_engine(pager)) {
			pager_send(pager, GPU_COPY_OUT, is->slot, first + i, run,
				   pager->link_out);
			pager->outs++;
		}
		gpu_pager_counters(pager->session->gpu, is->slot)->copied_out_bytes +=
			(u64)run * pager_page_bytes(pager);
	}
}

/* pager_release() - a chunk is nobody's from now on */
void pager_release(struct pager *pager, u32 index)
{
	struct chunk *chunk = &pager->chunk[index];

	if (chunk->is.slot < SESSION_SLOTS_MAX) {
		pager->memory[chunk->is.slot].chunk[chunk->is.block] = NO_CHUNK;
		pager->used[chunk->is.slot]--;
	}
	memset(chunk, 0, sizeof(*chunk));
	chunk->is.slot = SESSION_SLOTS_MAX;
	pager->chunks_free++;
}
