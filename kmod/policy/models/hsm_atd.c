// SPDX-License-Identifier: GPL-2.0
/*
 * hsm-atd: HSM with auxiliary tag directories (HSM section 4.1). Where co-runners evict
 * a tenant's lines from the last-level cache, the tenant asks DRAM for more than it
 * would alone. Only the tenant's own accesses fill its directory, which so counts the
 * misses that the tenant would have alone. Eq. 2 and Eq. 5 then use the requests that
 * the same instructions need alone. Kernels that mostly wait have the law of
 * hsm_waiting.c, unless the parameter "waiting" is 0: then all is as in the paper.
 */
#include "../registry.h"
#include "hsm.h"
#include "hsm_line.h"
#include "hsm_waiting.h"

/*
 * Misses alone for each miss in company. 1 without a directory, or where one of the two
 * is unknown: then hsm-atd predicts the same as a model without directories.
 */
static u64 private_requests_ppm(const struct simgpu_counters *counters)
{
	u64 alone;

	if (!counters->atd_accesses || !counters->llc_misses ||
	    counters->atd_hits > counters->atd_accesses)
		return SIMGPU_PPM;
	alone = fixed_mul_div(counters->llc_accesses,
			      counters->atd_accesses - counters->atd_hits,
			      counters->atd_accesses);
	return fixed_ratio_ppm(alone, counters->llc_misses);
}

static void predict_tenant(const struct simgpu_snapshot *snapshot,
			   const struct simgpu_snapshot_tenant *tenant, u64 load,
			   struct simgpu_prediction_tenant *out)
{
	u64 requests = private_requests_ppm(&tenant->counters);

	if (snapshot->model_params[HSM_WAITING])
		hsm_waiting_predict_tenant(snapshot, tenant, load, requests, out);
	else
		hsm_predict_tenant(snapshot, tenant, requests, out);
}

static int hsm_atd_predict(const struct simgpu_snapshot *snapshot,
			   const void *constants, void *state,
			   struct simgpu_prediction *prediction)
{
	u64 load = hsm_load_ppb(snapshot);
	u32 slot;

	for (slot = 0; slot < SIMGPU_SLOTS_MAX; slot++) {
		const struct simgpu_snapshot_tenant *tenant =
			&snapshot->tenants[slot];

		if (tenant->active)
			predict_tenant(snapshot, tenant, load,
				       &prediction->tenants[slot]);
	}
	return 0;
}

static const struct simgpu_param params[] = {
	[HSM_C1] = HSM_C1_PARAM,
	[HSM_C2] = HSM_C2_PARAM,
	[HSM_WAITING] = HSM_WAITING_PARAM,
	{ .name = NULL }
};

const struct simgpu_model model_hsm_atd = {
	.name = "hsm-atd",
	.assumes = SIMGPU_ASSUMES_OWN_SMS | SIMGPU_ASSUMES_NOT_HELD |
		   SIMGPU_ASSUMES_BUSY_SMS,
	.latency_cycles = HSM_LATENCY_CYCLES,
	.params = params,
	.trained = hsm_trained,
	.needs = SIMGPU_NEEDS_TAGS,
	.predict = hsm_atd_predict,
};
