// SPDX-License-Identifier: GPL-2.0
/*
 * Prefetches as uvm does, and evicts the chunk that was seen in use at the fewest batches
 * since it came. How often a batch's time an access falls in is not seen: accesses leave a
 * mark, which is taken away at the batch.
 */
#include <simgpu/memory_policy.h>

#include "../common/prefetch.h"
#include "../registry.h"

static int lfu_place(const struct simgpu_place *place, void *state,
		     struct simgpu_placement *placement)
{
	prefetch_tree(place, placement);
	return 0;
}

static u64 lfu_rank(u32 event, const struct simgpu_chunk *chunk, void *state)
{
	return chunk->uses;
}

const struct simgpu_memory_policy memory_policy_lfu = {
	.name = "lfu",
	.events = SIMGPU_RANK_ON_ARRIVAL | SIMGPU_RANK_ON_USE,
	.place = lfu_place,
	.rank = lfu_rank,
};
