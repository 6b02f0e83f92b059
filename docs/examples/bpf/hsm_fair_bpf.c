// SPDX-License-Identifier: GPL-2.0
/*
 * hsm-fair-bpf: HSM-Fair (HSM section 4.3), SM for SM as the built-in hsm-fair. While
 * predicted fairness is below a threshold, SMs move from the tenant with the highest
 * NP to the one with the lowest, as many as make the two equal on lines through the
 * origin (Figure 9). Good where tenants are memory-bound to different degrees.
 */
#include <simgpu/policy.bpf.h>

/* Its parameters */
enum {
	FAIR_THRESHOLD,
};

/* Its gauges */
enum {
	NP_OF_BEST,
};

/**
 * struct extremes - in the state, for the verifier follows no more than a few variables
 * @high: slot with the highest NP
 * @low: with the lowest
 */
struct extremes {
	u32 high;
	u32 low;
};

static inline u64 np_of(const struct simgpu_snapshot *snapshot, u32 slot)
{
	return snapshot->tenants[simgpu_index(slot, SIMGPU_SLOTS_MAX)].np_ppm;
}

static inline void find_extremes(const struct simgpu_snapshot *snapshot,
				 struct extremes *found)
{
	u32 slot;

	found->high = SIMGPU_SLOTS_MAX;
	found->low = SIMGPU_SLOTS_MAX;
	simgpu_each_slot(slot, snapshot) {
		if (!simgpu_has_gradient(snapshot, &snapshot->tenants[slot]) ||
		    simgpu_in_tail(&snapshot->tenants[slot]))
			continue;
		if (found->high == SIMGPU_SLOTS_MAX ||
		    np_of(snapshot, slot) > np_of(snapshot, found->high))
			found->high = slot;
		if (found->low == SIMGPU_SLOTS_MAX ||
		    np_of(snapshot, slot) < np_of(snapshot, found->low))
			found->low = slot;
	}
}

/*
 * What the tenant with the high NP should keep of the SMs that it held, to the
 * nearest: S_high - x, where x makes NP_high / S_high * (S_high - x) equal
 * NP_low / S_low * (S_low + x):
 * x = (NP_high - NP_low) * S_high * S_low / (NP_high * S_low + NP_low * S_high)
 */
static inline u32 sms_to_keep(const struct simgpu_snapshot *snapshot,
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

/* At least an SM each, and to the slower no more than it has thread blocks (2.3.1). */
static inline u32 bounded(u32 keep, u32 both, u32 blocks)
{
	if (keep < 1)
		keep = 1;
	if (keep > both - 1)
		keep = both - 1;
	if (both - keep > blocks)
		keep = both - blocks;
	return keep;
}

/* Each NP as a part of the greatest: SMs move while the least is below the threshold. */
static inline void tell(const struct simgpu_snapshot *snapshot, u64 greatest_ppm,
			struct simgpu_proposal *proposal)
{
	u32 slot;

	simgpu_each_slot(slot, snapshot)
		if (simgpu_has_gradient(snapshot, &snapshot->tenants[slot]))
			proposal->gauges[slot][NP_OF_BEST] =
				(s64)fixed_ratio_ppm(np_of(snapshot, slot), greatest_ppm);
}

static inline int hsm_fair_bpf_decide(const struct simgpu_snapshot *snapshot,
				      struct extremes *found,
				      struct simgpu_proposal *proposal)
{
	const struct simgpu_snapshot_tenant *tall, *small;
	u32 high, low, both, keep;

	find_extremes(snapshot, found);
	if (found->high == found->low)
		return 0;
	high = simgpu_index(found->high, SIMGPU_SLOTS_MAX);
	low = simgpu_index(found->low, SIMGPU_SLOTS_MAX);
	tall = &snapshot->tenants[high];
	small = &snapshot->tenants[low];
	if (!tall->np_ppm)
		return 0;
	tell(snapshot, tall->np_ppm, proposal);
	if (fixed_ratio_ppm(small->np_ppm, tall->np_ppm) >=
	    snapshot->policy_params[FAIR_THRESHOLD])
		return 0;
	both = tall->sms + small->sms;
	if (both < 2)
		return 0;
	keep = bounded(sms_to_keep(snapshot, tall, small), both,
		       small->blocks);
	proposal->sms[high] = keep;
	proposal->sms[low] = both - keep;
	return 0;
}

SIMGPU_POLICY(hsm_fair_bpf_decide, struct extremes,
	      .name = "hsm-fair-bpf",
	      .params = SIMGPU_PARAMS({ "fair_threshold", SIMGPU_UNIT_RATIO, 0,
					SIMGPU_PPM, 900000,
					"predicted fairness below which SMs move (HSM 4.3)" }),
	      .gauges = SIMGPU_GAUGES({ "np_of_best", SIMGPU_UNIT_RATIO,
					"predicted NP as a part of the greatest; SMs move while the least is below fair_threshold" }));
