// SPDX-License-Identifier: GPL-2.0
/*
 * newest-first: a memory policy that evicts the chunk into which pages came most recently, and
 * brings what faulted. Passes over a set that is larger than the memory then keep the part
 * that came first; whatever is needed for a short time only stays for ever.
 */
#include <simgpu/plugin.h>

static int place(const struct simgpu_place *asked, void *state,
		 struct simgpu_placement *placement)
{
	return 0;
}

static u64 rank(u32 event, const struct simgpu_chunk *chunk, void *state)
{
	return U64_MAX - chunk->arrived;
}

static const struct simgpu_memory_policy newest_first = {
	.name = "newest-first",
	.events = SIMGPU_RANK_ON_ARRIVAL,
	.place = place,
	.rank = rank,
};

SIMGPU_MEMORY_POLICY_PLUGIN(newest_first);
