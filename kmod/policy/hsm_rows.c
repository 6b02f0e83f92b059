// SPDX-License-Identifier: GPL-2.0
/*
 * hsm-rows: HSM with row directories, our own variant. HSM takes the row buffer
 * hit rate of shared mode for that of private mode (insight #5). In company it is
 * lower: a tenant that goes slower has its requests to a row further apart, and
 * the row is closed between them. What does not change is how near they are in
 * the tenant's own sequence of requests. So this model draws its line through
 * that, the row locality: the share of requests whose row is among the tenant's
 * own last ones. Locality among writes is worth less: they wait for drains, and
 * turning the bus costs what their hits save.
 */
#include "registry.h"

/* Writes of a tenant's DRAM requests. */
static u64 write_share_ppm(const struct simgpu_counters *counters)
{
	return fixed_ratio_ppm(counters->dram_writebacks,
			       simgpu_dram_requests(counters));
}

/*
 * rows_c1 * L * (1 - rows_writes * w) + rows_c2, L the row locality and w the
 * share of writes. Without directories it is hsm's line.
 */
static u64 supply_ppm(const struct simgpu_snapshot *snapshot,
		      const struct simgpu_counters *counters)
{
	const struct simgpu_tunables *tunables = &snapshot->tunables;
	u64 locality, lost;

	if (!counters->row_samples)
		return hsm_supply_ppm(snapshot, counters);
	locality = fixed_ratio_ppm(counters->row_repeats,
				   counters->row_samples);
	lost = fixed_mul_div(tunables->rows_writes_ppm,
			     write_share_ppm(counters), SIMGPU_PPM);
	locality = fixed_mul_div(locality,
				 lost < SIMGPU_PPM ? SIMGPU_PPM - lost : 0,
				 SIMGPU_PPM);
	return fixed_add(fixed_mul_div(tunables->rows_c1_ppm, locality,
				       SIMGPU_PPM),
			 tunables->rows_c2_ppm);
}

static int hsm_rows_predict(const struct simgpu_snapshot *snapshot,
			    struct simgpu_prediction *prediction)
{
	u32 slot;

	for (slot = 0; slot < SIMGPU_SLOTS_MAX; slot++) {
		const struct simgpu_snapshot_tenant *tenant =
			&snapshot->tenants[slot];

		if (tenant->active)
			hsm_predict_tenant(snapshot, tenant,
					   supply_ppm(snapshot,
						      &tenant->counters),
					   SIMGPU_PPM,
					   &prediction->tenants[slot]);
	}
	return 0;
}

const struct simgpu_model model_hsm_rows = {
	.name = "hsm-rows",
	.latency_cycles = HSM_LATENCY_CYCLES,
	.flags = SIMGPU_MODEL_ROWS,
	.predict = hsm_rows_predict,
};
