// SPDX-License-Identifier: GPL-2.0
/*
 * bw-app: application-aware partitioning of the memory bandwidth (HSM section
 * 6.4; Jog et al., GPGPU-7). SMs are divided evenly. The memory controllers first serve
 * the tenant that used the least bandwidth in the last epoch.
 */
#include "../common/split.h"
#include "../registry.h"

/* How many tenants used more bandwidth; of equal ones, those in higher slots count. */
static u32 count_above(const struct simgpu_snapshot *snapshot, u32 slot)
{
	u64 own = snapshot->tenants[slot].counters.bus_busy_clocks;
	u32 above = 0, other;

	for (other = 0; other < SIMGPU_SLOTS_MAX; other++) {
		const struct simgpu_snapshot_tenant *tenant =
			&snapshot->tenants[other];
		u64 busy = tenant->counters.bus_busy_clocks;

		if (tenant->active && other != slot &&
		    (busy > own || (busy == own && other > slot)))
			above++;
	}
	return above;
}

static int bw_app_decide(const struct simgpu_snapshot *snapshot, void *state,
			 struct simgpu_proposal *proposal)
{
	u32 slot;

	policy_split_even(snapshot, proposal);
	proposal->flags = SIMGPU_SAYS_MEMORY_PRIORITY;
	for (slot = 0; slot < SIMGPU_SLOTS_MAX; slot++) {
		u32 above;

		if (!snapshot->tenants[slot].active)
			continue;
		above = count_above(snapshot, slot);
		proposal->memory_priority[slot] =
			min(above, SIMGPU_MEMORY_PRIORITY_MAX);
	}
	return 0;
}

const struct simgpu_policy policy_bw_app = {
	.name = "bw-app",
	.about = "even SMs; memory serves who uses least bandwidth first",
	.decide = bw_app_decide,
};
