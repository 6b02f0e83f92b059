// SPDX-License-Identifier: GPL-2.0
/* The tree prefetcher: see prefetch.h. */
#include <simgpu/bits.h>

#include "prefetch.h"

#define BIG_PAGE_BYTES		65536

/* Pages from @first up to @outer that a mask has. */
static u32 count(const u64 *mask, u32 first, u32 outer)
{
	u32 found = 0;

	for (; first < outer; first++)
		found += simgpu_has_bit(mask, first);
	return found;
}

static void add(u64 *mask, u32 first, u32 outer)
{
	for (; first < outer; first++)
		simgpu_add_bit(mask, first);
}

const struct simgpu_param prefetch_params[] = { PREFETCH_PARAM, { .name = NULL } };

/* Bring what is around a faulted page; @wanted: what is resident or will be. */
static void climb(const struct simgpu_fault_block *block, u32 page, u32 big,
		  u64 threshold_ppm, u64 *wanted)
{
	u32 first = page / big * big, size;

	add(wanted, first, min(first + big, block->pages));
	for (size = big; size <= SIMGPU_BLOCK_PAGES_MAX; size *= 2) {
		u32 from = page / size * size;
		u32 to = min(from + size, block->pages);

		if ((u64)count(wanted, from, to) * SIMGPU_PPM > (to - from) * threshold_ppm)
			add(wanted, from, to);
		if (to - from == block->pages)
			break;
	}
}

int prefetch_tree(const struct simgpu_place *place, void *state,
		  struct simgpu_placement *placement)
{
	u32 big = max(BIG_PAGE_BYTES / place->page_bytes, 1U), i, page, word;

	for (i = 0; i < place->count; i++) {
		const struct simgpu_fault_block *block = &place->block[i];
		u64 wanted[SIMGPU_BLOCK_WORDS];

		for (word = 0; word < SIMGPU_BLOCK_WORDS; word++)
			wanted[word] = block->resident[word] | block->faulted[word];
		for (page = 0; page < block->pages; page++)
			if (simgpu_has_bit(block->faulted, page))
				climb(block, page, big, place->params[0], wanted);
		memcpy(placement->bring[i], wanted, sizeof(wanted));
	}
	return 0;
}
