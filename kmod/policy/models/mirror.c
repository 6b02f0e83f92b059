// SPDX-License-Identifier: GPL-2.0
/*
 * mirror: our own model, without constants to train. Alone, a tenant would need
 * for an epoch's work at least
 *
 *  - the time for which that work keeps the memory channels busy. Its mirror, a
 *    channel and its part of the last-level cache that see only this tenant's
 *    accesses, has measured it;
 *  - the time that its SMs need. All SMs together need the share S_k / S of the
 *    epoch (HSM's Eq. 4), less what they waited because lines took longer than
 *    in an idle GPU: of the cycles without an issue, the part L0 / L would be
 *    left, L the mean time of a line and L0 what it would be with nothing in
 *    the way and the mirror's misses. A kernel of few thread blocks waits by
 *    these, not by SMs.
 *
 * NP is the longer of the two over the epoch, and says the class. On a device
 * that began without mirrors it is hsm.
 */
#include "../registry.h"

/* The mirror's clocks, of one channel, for all accesses of the epoch. */
static u64 channel_time_ppm(const struct simgpu_snapshot *snapshot,
			    const struct simgpu_counters *counters)
{
	u64 seen = fixed_mul(counters->mirror_accesses, snapshot->channels);
	u64 clocks;

	if (!seen)
		return 0;
	clocks = fixed_mul_div(counters->mirror_clocks, counters->llc_accesses,
			       seen);
	return fixed_ratio_ppm(clocks, snapshot->memory_clocks);
}

/* L0 / L, at most 1. */
static u64 idle_latency_ppm(const struct simgpu_snapshot *snapshot,
			    const struct simgpu_counters *counters)
{
	return hsm_idle_latency_ppm(snapshot, counters,
				    fixed_ratio_ppm(counters->mirror_requests,
						    counters->mirror_accesses));
}

/* The share of an epoch that the SMs of the whole GPU would need. */
static u64 sm_time_ppm(const struct simgpu_snapshot *snapshot,
		       const struct simgpu_snapshot_tenant *tenant)
{
	const struct simgpu_counters *counters = &tenant->counters;
	u64 idle = fixed_ratio_ppm(counters->idle_cycles,
				   fixed_mul(counters->sm_cycles,
					     snapshot->schedulers));
	u64 waiting;

	if (idle > SIMGPU_PPM)
		idle = SIMGPU_PPM;
	waiting = fixed_mul_div(idle, idle_latency_ppm(snapshot, counters),
				SIMGPU_PPM);
	return (hsm_compute_np_ppm(snapshot, tenant) * (SIMGPU_PPM - idle) +
		hsm_blocks_np_ppm(snapshot, tenant) * waiting) / SIMGPU_PPM;
}

static void predict_tenant(const struct simgpu_snapshot *snapshot,
			   const struct simgpu_snapshot_tenant *tenant,
			   struct simgpu_prediction_tenant *out)
{
	u64 channels = channel_time_ppm(snapshot, &tenant->counters);
	u64 sms = sm_time_ppm(snapshot, tenant);

	if (!snapshot->mirrors) {
		hsm_predict_tenant(snapshot, tenant,
				   hsm_supply_ppm(snapshot, &tenant->counters),
				   SIMGPU_PPM, out);
		return;
	}
	if (!tenant->counters.thread_instructions)
		return;
	out->class = channels > sms ? SIMGPU_CLASS_MEMORY :
				      SIMGPU_CLASS_COMPUTE;
	out->np_ppm = channels > sms ? channels : sms;
	curve_of_tenant(snapshot, tenant, out);
}

static int mirror_predict(const struct simgpu_snapshot *snapshot,
			  const void *constants, void *state,
			  struct simgpu_prediction *prediction)
{
	u32 slot;

	for (slot = 0; slot < SIMGPU_SLOTS_MAX; slot++)
		if (snapshot->tenants[slot].active)
			predict_tenant(snapshot, &snapshot->tenants[slot],
				       &prediction->tenants[slot]);
	return 0;
}

const struct simgpu_model model_mirror = {
	.name = "mirror",
	.latency_cycles = HSM_LATENCY_CYCLES,
	.params = hsm_params,
	.trained = hsm_trained,
	.needs = SIMGPU_NEEDS_MIRRORS,
	.predict = mirror_predict,
};
