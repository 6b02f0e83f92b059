// SPDX-License-Identifier: GPL-2.0
/*
 * Prefetches as uvm does, and evicts the chunk that was seen in use at the fewest batches
 * since it came. How often a batch's time an access falls in is not seen: accesses leave a
 * mark, which is taken away at the batch.
 */
#include <simgpu/memory_policy.h>

#include "../common/prefetch.h"
#include "../registry.h"

static u64 lfu_rank(u32 event, const struct simgpu_chunk *chunk, void *state)
{
	return chunk->uses;
}

const struct simgpu_memory_policy memory_policy_lfu = {
	.name = "lfu",
	.about = "the least used chunk leaves first",
	.events = SIMGPU_RANK_ON_ARRIVAL | SIMGPU_RANK_ON_USE,
	.place = prefetch_tree,
	.rank = lfu_rank,
	.params = prefetch_params,
};
