// SPDX-License-Identifier: GPL-2.0
/*
 * proportional: a fixed share of the SMs for each tenant, whatever use the tenant makes
 * of them. A QoS tenant's share is its target (HSM section 6.3: 64 of 80 SMs for a target
 * of 0.8). The others divide the rest by their weights. Without a QoS tenant it is the
 * weighted static split that Themis compares itself with (Themis section VII).
 */
#include "../common/split.h"
#include "../registry.h"

static int proportional_decide(const struct simgpu_snapshot *snapshot,
			       void *state, struct simgpu_proposal *proposal)
{
	const struct simgpu_snapshot_tenant *tenants = snapshot->tenants;
	u64 weights[SIMGPU_SLOTS_MAX] = { 0 };
	u64 promised = 0, sum = 0, rest;
	u32 slot;

	for (slot = 0; slot < SIMGPU_SLOTS_MAX; slot++) {
		if (!tenants[slot].active)
			continue;
		if (tenants[slot].service == SIMGPU_QOS)
			promised += tenants[slot].target_ppm;
		else
			sum += tenants[slot].weight;
	}
	rest = fixed_above(SIMGPU_PPM, promised);
	for (slot = 0; slot < SIMGPU_SLOTS_MAX; slot++) {
		if (!tenants[slot].active)
			continue;
		if (tenants[slot].service == SIMGPU_QOS)
			weights[slot] = tenants[slot].target_ppm;
		else if (promised)
			weights[slot] = fixed_mul_div(rest,
						      tenants[slot].weight, sum);
		else
			weights[slot] = tenants[slot].weight;
	}
	policy_split(snapshot, weights, proposal);
	return 0;
}

const struct simgpu_policy policy_proportional = {
	.name = "proportional",
	.about = "SMs by target or weight, fixed",
	.decide = proportional_decide,
};
