// SPDX-License-Identifier: GPL-2.0
/*
 * A quota of device memory for each tenant: a tenant with share= gets that part, the others
 * divide the rest by their weights. A tenant that has used up its part evicts its own chunks;
 * one that has not evicts those of a tenant that has more than its part. What is prefetched
 * counts, too: a tenant at its quota gets what it faulted on and no more. The idea is that of
 * gpu_ext (arXiv 2512.12615), whose policies evict and prefetch by tenants' quotas; the parts
 * are those of the dmem cgroup's low and of memory.high. Within a tenant it evicts as uvm.
 */
#include <simgpu/memory_policy.h>

#include "../common/prefetch.h"
#include "../common/rank.h"
#include "../registry.h"

/* Parts of the device that tenants ask for, at most all of it; and the others' weights. */
static void add_up(const struct simgpu_place *place, u64 *asked_ppm, u64 *weights)
{
	u32 slot;

	*asked_ppm = *weights = 0;
	for (slot = 0; slot < place->slot_count; slot++) {
		const struct simgpu_place_tenant *tenant = &place->tenant[slot];

		if (!tenant->pages)
			continue;
		*asked_ppm += tenant->share_ppm;
		if (!tenant->share_ppm)
			*weights += tenant->weight;
	}
}

/* Chunks of a tenant's part, at least one. */
static u32 part_of(const struct simgpu_place *place,
		   const struct simgpu_place_tenant *tenant, u64 asked_ppm, u64 weights)
{
	u64 whole = max_t(u64, asked_ppm, SIMGPU_PPM);
	u64 rest_ppm = whole - asked_ppm, part;

	if (tenant->share_ppm)
		part = fixed_mul_div(place->chunks, tenant->share_ppm, whole);
	else
		part = fixed_mul_div(fixed_mul_div(place->chunks, rest_ppm, whole),
				     tenant->weight, weights);
	return max_t(u32, part, 1);
}

static int share_place(const struct simgpu_place *place, void *state,
		       struct simgpu_placement *placement)
{
	u64 asked_ppm, weights;
	u32 slot, i;

	prefetch_tree(place, state, placement);
	add_up(place, &asked_ppm, &weights);
	for (slot = 0; slot < place->slot_count; slot++) {
		const struct simgpu_place_tenant *tenant = &place->tenant[slot];

		if (!tenant->pages)
			continue;
		placement->low[slot] = part_of(place, tenant, asked_ppm, weights);
		placement->high[slot] = placement->low[slot];
	}
	for (i = 0; i < place->count; i++) {
		slot = place->block[i].slot;
		if (place->tenant[slot].chunks >= placement->high[slot])
			memset(placement->bring[i], 0, sizeof(placement->bring[i]));
	}
	return 0;
}

const struct simgpu_memory_policy memory_policy_share = {
	.name = "share",
	.about = "who has more than its share gives up first",
	.events = SIMGPU_RANK_ON_ARRIVAL,
	.place = share_place,
	.rank = rank_by_arrival,
	.params = prefetch_params,
};
