// SPDX-License-Identifier: GPL-2.0
/*
 * hsm: the Hybrid Slowdown Model (Zhao et al., ASPLOS'20, section 2), Eq. 2 to 5 and
 * nothing else. It classes a tenant as memory- or compute-bound and predicts its
 * normalized progress (NP) from counters of the shared run alone. hsm-waiting adds a law
 * of ours for kernels that mostly wait (hsm_waiting.c).
 */
#include "../common/curve.h"
#include "../common/seen_curve.h"
#include "../registry.h"
#include "hsm.h"
#include "hsm_line.h"

/* Row buffer hit rate: 1 - activates / requests. */
static u64 row_hit_rate_ppm(const struct simgpu_counters *counters)
{
	u64 requests = simgpu_dram_requests(counters);

	if (counters->row_activates >= requests)
		return 0;
	return SIMGPU_PPM - fixed_ratio_ppm(counters->row_activates, requests);
}

/*
 * hsm_supply_ppm() - utilization that a tenant's RBH allows: c1 * RBH + c2
 *	(Eq. 3 over B_Max)
 */
u64 hsm_supply_ppm(const struct simgpu_snapshot *snapshot,
		   const struct simgpu_counters *counters)
{
	return fixed_add(fixed_mul_div(snapshot->model_params[HSM_C1],
				       row_hit_rate_ppm(counters), SIMGPU_PPM),
			 snapshot->model_params[HSM_C2]);
}

/* Data bus clocks of all channels in the epoch. */
static u64 bus_clocks(const struct simgpu_snapshot *snapshot)
{
	return fixed_mul(snapshot->memory_clocks, snapshot->channels);
}

/*
 * Eq. 2 over B_Max: (I_max / I_k) * MemAccesses * ReqSize * f / E, as a
 * fraction of peak: the time that the requests hold a data bus, over the
 * time that there was. I_max is what the whole GPU could execute.
 */
static u64 demand_ppm(const struct simgpu_snapshot *snapshot,
		      const struct simgpu_counters *counters, u64 requests)
{
	u64 most = snapshot->epoch_cycles * snapshot->sms *
		   snapshot->issue_lanes;
	u64 busy = fixed_mul(requests, snapshot->peak_clocks_per_line);

	return fixed_ratio_ppm(fixed_mul_div(busy, most,
					     counters->thread_instructions),
			       bus_clocks(snapshot));
}

/*
 * hsm_compute_np_ppm() - Eq. 4: NP = S_k / S, with S_k averaged over the epoch
 *
 * A kernel of fewer thread blocks than the GPU has SMs could not use more SMs alone
 * either: for it, S is the number of thread blocks (section 2.3.1).
 */
u64 hsm_compute_np_ppm(const struct simgpu_snapshot *snapshot,
		       const struct simgpu_snapshot_tenant *tenant)
{
	u64 held = tenant->counters.sm_cycles, most = snapshot->sms;

	most = min_t(u64, most, tenant->blocks);
	most = fixed_mul(most, snapshot->epoch_cycles);
	return fixed_ratio_ppm(min(held, most), most);
}

/*
 * hsm_own_load_ppb() - the part that a tenant uses of what the memory can deliver at the
 *	tenant's row buffer hit rate, in parts per billion
 */
u64 hsm_own_load_ppb(const struct simgpu_snapshot *snapshot,
		     const struct simgpu_counters *counters)
{
	return fixed_mul_div(counters->bus_busy_clocks,
			     SIMGPU_PPM * PARTS_PER_BILLION,
			     fixed_mul(bus_clocks(snapshot),
				       hsm_supply_ppm(snapshot, counters)));
}

/*
 * hsm_load_ppb() - the part that all tenants use of what the memory can deliver, in parts
 *	per billion
 */
u64 hsm_load_ppb(const struct simgpu_snapshot *snapshot)
{
	u64 all = 0;
	u32 slot;

	for (slot = 0; slot < SIMGPU_SLOTS_MAX; slot++)
		all = fixed_add(all, hsm_own_load_ppb(snapshot,
						      &snapshot->tenants[slot].counters));
	return all;
}

/*
 * hsm_is_memory_bound() - Eq. 2 and 3: whether the tenant's demand exceeds what the
 *	memory can deliver at the tenant's row buffer hit rate
 * @private_ppm: see hsm_predict_tenant()
 */
bool hsm_is_memory_bound(const struct simgpu_snapshot *snapshot,
			 const struct simgpu_counters *counters, u64 private_ppm)
{
	u64 supply = hsm_supply_ppm(snapshot, counters);
	u64 requests = fixed_mul_div(simgpu_dram_requests(counters),
				     private_ppm, SIMGPU_PPM);

	return counters->thread_instructions && supply &&
	       demand_ppm(snapshot, counters, requests) > supply;
}

/*
 * hsm_predict_tenant() - class and NP of one tenant, by Eq. 2 to 5
 * @private_ppm: DRAM requests that the tenant would have made alone, for each
 *	request that it made; 1 if unknown
 */
void hsm_predict_tenant(const struct simgpu_snapshot *snapshot,
			const struct simgpu_snapshot_tenant *tenant,
			u64 private_ppm, struct simgpu_prediction_tenant *out)
{
	const struct simgpu_counters *counters = &tenant->counters;

	if (!counters->thread_instructions)
		return;
	if (hsm_is_memory_bound(snapshot, counters, private_ppm)) {
		/*
		 * Eq. 5: NP = B_k / (c1 * RBH_k + c2). B_k is a fraction of the
		 * epoch's clocks and the rest is in ppm, so that one division does.
		 */
		out->class = SIMGPU_CLASS_MEMORY;
		out->np_ppm = fixed_mul_div(counters->bus_busy_clocks,
					    fixed_mul(SIMGPU_PPM, private_ppm),
					    fixed_mul(bus_clocks(snapshot),
						      hsm_supply_ppm(snapshot,
								     counters)));
	} else {
		out->class = SIMGPU_CLASS_COMPUTE;
		out->np_ppm = hsm_compute_np_ppm(snapshot, tenant);
	}
	curve_of_tenant(snapshot, tenant, out);
}

static int hsm_predict(const struct simgpu_snapshot *snapshot,
		       const void *constants, void *state,
		       struct simgpu_prediction *prediction)
{
	u32 slot;

	for (slot = 0; slot < SIMGPU_SLOTS_MAX; slot++) {
		const struct simgpu_snapshot_tenant *tenant =
			&snapshot->tenants[slot];

		if (tenant->active)
			hsm_predict_tenant(snapshot, tenant, SIMGPU_PPM,
					   &prediction->tenants[slot]);
	}
	seen_curves_answer(state, snapshot, HSM_ERROR_PPM, prediction);
	return 0;
}

const struct simgpu_model model_hsm = {
	.name = "hsm",
	.assumes = SIMGPU_ASSUMES_OWN_SMS | SIMGPU_ASSUMES_NOT_HELD |
		   SIMGPU_ASSUMES_BUSY_SMS,
	.latency_cycles = HSM_LATENCY_CYCLES,
	.params = hsm_params,
	.trained = hsm_trained,
	.state_bytes = sizeof(struct seen_curves),
	.predict = hsm_predict,
};
