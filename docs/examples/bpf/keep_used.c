// SPDX-License-Identifier: GPL-2.0
/*
 * keep-used: a memory policy. It evicts the chunk that was in use at the fewest batches, as the
 * built-in lfu does; of chunks that were used alike, that of the tenant for which pages came
 * less often. It brings all pages of a block of which some were evicted, else what faulted.
 */
#include <simgpu/policy.bpf.h>

/**
 * struct keep_used - the state
 * @came: by slot, how often pages came into a chunk of it
 * @batches: calls of place() for faults
 */
struct keep_used {
	u64 came[SIMGPU_SLOTS_MAX];
	u64 batches;
};

/* Those of the 64 pages of a mask's word that are among the first @pages of a block. */
simgpu_apart u64 keep_used_pages(u32 pages, u32 word)
{
	u32 first = word * 64;

	if (pages <= first)
		return 0;
	return pages - first >= 64 ? ~0ULL : (1ULL << (pages - first)) - 1;
}

static inline int keep_used_place(const struct simgpu_place *asked,
				  struct keep_used *state,
				  struct simgpu_placement *placement)
{
	u32 i, word;

	state->batches++;
	simgpu_each_below(i, asked->count, SIMGPU_PLACE_BLOCKS_MAX) {
		if (!asked->block[i].again)
			continue;
		for (word = 0; word < SIMGPU_BLOCK_WORDS; word++)
			placement->bring[i][word] =
				keep_used_pages(asked->block[i].pages, word);
	}
	return 0;
}

static inline u64 keep_used_rank(u32 event, const struct simgpu_chunk *chunk,
				 struct keep_used *state)
{
	u32 slot = simgpu_index(chunk->slot, SIMGPU_SLOTS_MAX);

	if (event == SIMGPU_RANK_ON_ARRIVAL)
		state->came[slot]++;
	return chunk->uses << 32 | (state->came[slot] & 0xffffffff);
}

SIMGPU_MEMORY_POLICY(keep_used_place, keep_used_rank, struct keep_used,
		     .name = "keep-used",
		     .events = SIMGPU_RANK_ON_ARRIVAL | SIMGPU_RANK_ON_USE);
