// SPDX-License-Identifier: GPL-2.0
/* The whole block of each fault; the chunk into which pages came least recently goes. */
#include <simgpu/bits.h>
#include <simgpu/memory_policy.h>

#include "../common/rank.h"
#include "../registry.h"

static int all_place(const struct simgpu_place *place, void *state,
		     struct simgpu_placement *placement)
{
	u32 i, page;

	for (i = 0; i < place->count; i++)
		for (page = 0; page < place->block[i].pages; page++)
			simgpu_add_bit(placement->bring[i], page);
	return 0;
}

const struct simgpu_memory_policy memory_policy_all = {
	.name = "all",
	.about = "the whole block of 2 MiB",
	.events = SIMGPU_RANK_ON_ARRIVAL,
	.place = all_place,
	.rank = rank_by_arrival,
};
