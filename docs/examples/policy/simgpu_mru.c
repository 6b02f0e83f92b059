// SPDX-License-Identifier: GPL-2.0
/*
 * An example of a memory policy in a module of its own: "mru" evicts the chunk that was in use
 * most recently, and brings what faulted. Passes over a set that is larger than the memory
 * then keep a part of it, where an order by arrival evicts each page before its next use.
 *
 *   insmod simgpu_mru.ko
 *   echo mru > /sys/class/simgpu/simgpu0/memory_policy
 */
#include <simgpu/plugin.h>

static int place(const struct simgpu_place *asked, void *state,
		 struct simgpu_placement *placement)
{
	return 0;
}

static u64 rank(u32 event, const struct simgpu_chunk *chunk, void *state)
{
	return U64_MAX - (chunk->used > chunk->arrived ? chunk->used : chunk->arrived);
}

static const struct simgpu_memory_policy mru = {
	.name = "mru",
	.events = SIMGPU_RANK_ON_ARRIVAL | SIMGPU_RANK_ON_USE,
	.place = place,
	.rank = rank,
};

SIMGPU_MEMORY_POLICY_PLUGIN(mru);
