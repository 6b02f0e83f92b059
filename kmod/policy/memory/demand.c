// SPDX-License-Identifier: GPL-2.0
/* The pages that faulted and no others; the chunk into which pages came least recently goes. */
#include <simgpu/memory_policy.h>

#include "../common/rank.h"
#include "../registry.h"

static int demand_place(const struct simgpu_place *place, void *state,
			struct simgpu_placement *placement)
{
	return 0;
}

const struct simgpu_memory_policy memory_policy_demand = {
	.name = "demand",
	.about = "what is asked for, and no more",
	.events = SIMGPU_RANK_ON_ARRIVAL,
	.place = demand_place,
	.rank = rank_by_arrival,
};
