// SPDX-License-Identifier: GPL-2.0
/*
 * hsm-fair: HSM-Fair (HSM section 4.3). While predicted fairness is below a threshold,
 * SMs move from the tenant with the highest NP to the one with the lowest: as many as
 * make the two equal on lines through the origin (Figure 9). Among more than two tenants
 * only these two change. A kernel's tail is not changed.
 */
#include <simgpu/split.h>
#include "../registry.h"
#include "fair.h"

/* Indices of its parameters. */
enum {
	FAIR_THRESHOLD,
};

/* Indices of its gauges. */
enum {
	NP_OF_BEST,
};

/* Each NP as a part of the greatest: SMs move while the least is below the threshold. */
static void tell(const struct simgpu_snapshot *snapshot, u64 greatest_ppm,
		 struct simgpu_proposal *proposal)
{
	const struct simgpu_snapshot_tenant *tenants = snapshot->tenants;
	u32 slot;

	for (slot = 0; slot < SIMGPU_SLOTS_MAX; slot++)
		if (simgpu_has_gradient(snapshot, &tenants[slot]))
			proposal->gauges[slot][NP_OF_BEST] =
				(s64)fixed_ratio_ppm(tenants[slot].np_ppm, greatest_ppm);
}

/*
 * How many of the SMs that it held the tenant with the high NP should keep, to the
 * nearest: S_high - x, where x makes NP_high / S_high * (S_high - x) equal
 * NP_low / S_low * (S_low + x):
 * x = (NP_high - NP_low) * S_high * S_low / (NP_high * S_low + NP_low * S_high)
 */
static u32 sms_to_keep(const struct simgpu_snapshot *snapshot,
		       const struct simgpu_snapshot_tenant *high,
		       const struct simgpu_snapshot_tenant *low)
{
	u64 s_high = simgpu_held_milli(snapshot, high);
	u64 s_low = simgpu_held_milli(snapshot, low);
	u64 above = (high->np_ppm - low->np_ppm) * s_high;
	u64 below = high->np_ppm * s_low + low->np_ppm * s_high;
	u64 moved = fixed_mul_div(above, s_low, below);

	return (u32)((s_high - moved + 500) / 1000);
}

static int hsm_fair_decide(const struct simgpu_snapshot *snapshot, void *state,
			   struct simgpu_proposal *proposal)
{
	const struct simgpu_snapshot_tenant *tenants = snapshot->tenants;
	u32 high = SIMGPU_SLOTS_MAX, low = SIMGPU_SLOTS_MAX, both, keep, slot;

	for (slot = 0; slot < SIMGPU_SLOTS_MAX; slot++) {
		if (!simgpu_has_gradient(snapshot, &tenants[slot]) ||
		    simgpu_in_tail(&tenants[slot]))
			continue;
		if (high == SIMGPU_SLOTS_MAX ||
		    tenants[slot].np_ppm > tenants[high].np_ppm)
			high = slot;
		if (low == SIMGPU_SLOTS_MAX ||
		    tenants[slot].np_ppm < tenants[low].np_ppm)
			low = slot;
	}
	if (high == low || !tenants[high].np_ppm)
		return 0;
	tell(snapshot, tenants[high].np_ppm, proposal);
	if (fixed_ratio_ppm(tenants[low].np_ppm, tenants[high].np_ppm) >=
	    snapshot->policy_params[FAIR_THRESHOLD])
		return 0;
	both = tenants[high].sms + tenants[low].sms;
	if (both < 2)
		return 0;
	keep = sms_to_keep(snapshot, &tenants[high], &tenants[low]);
	keep = max_t(u32, keep, 1);
	keep = min(keep, both - 1);
	/* More SMs than thread blocks are of no use (section 2.3.1). */
	if (both - keep > tenants[low].blocks)
		keep = both - tenants[low].blocks;
	proposal->sms[high] = keep;
	proposal->sms[low] = both - keep;
	return 0;
}

static const struct simgpu_param params[] = {
	[FAIR_THRESHOLD] = FAIR_THRESHOLD_PARAM,
	{ .name = NULL }
};

static const struct simgpu_gauge gauges[] = {
	[NP_OF_BEST] = {
		"np_of_best", SIMGPU_UNIT_RATIO,
		"predicted NP as a part of the greatest; SMs move while the least is below fair_threshold"
	},
	{ .name = NULL }
};

const struct simgpu_policy policy_hsm_fair = {
	.name = "hsm-fair",
	.about = "equal NP, by HSM: SMs go from the greatest to the least",
	.params = params,
	.gauges = gauges,
	.model = "hsm",
	.decide = hsm_fair_decide,
};
