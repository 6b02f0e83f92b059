// SPDX-License-Identifier: GPL-2.0
/* Prefetches as uvm does, and evicts the chunk that its block has had for longest. */
#include <simgpu/memory_policy.h>

#include "../common/prefetch.h"
#include "../registry.h"

static u64 fifo_rank(u32 event, const struct simgpu_chunk *chunk, void *state)
{
	return chunk->began;
}

const struct simgpu_memory_policy memory_policy_fifo = {
	.name = "fifo",
	.about = "the oldest chunk leaves first",
	.events = SIMGPU_RANK_ON_ARRIVAL,
	.place = prefetch_tree,
	.rank = fifo_rank,
	.params = prefetch_params,
};
