// SPDX-License-Identifier: GPL-2.0
/*
 * hsm: the Hybrid Slowdown Model (Zhao et al., ASPLOS'20, section 2). It says
 * whether a tenant is memory- or compute-bound and predicts its normalized
 * progress (NP) from counters of the shared run alone.
 */
#include "../registry.h"

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

/* Data bus clocks that there were. */
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
 * hsm_compute_np_ppm() - Eq. 4: NP = S_k / S, S_k averaged over the epoch. A kernel of fewer thread
 * blocks than the GPU has SMs could not use more alone either: thread blocks
 * take the place of SMs (section 2.3.1).
 */
u64 hsm_compute_np_ppm(const struct simgpu_snapshot *snapshot,
		       const struct simgpu_snapshot_tenant *tenant)
{
	u64 held = tenant->counters.sm_cycles, most = snapshot->sms;

	if (tenant->blocks < most)
		most = tenant->blocks;
	most = fixed_mul(most, snapshot->epoch_cycles);
	return fixed_ratio_ppm(held < most ? held : most, most);
}

/*
 * hsm_idle_latency_ppm() - how long a load would take in an idle GPU, where
 *	@misses of the accesses to the last-level cache miss, over how long it takes
 *	here; at most 1
 */
u64 hsm_idle_latency_ppm(const struct simgpu_snapshot *snapshot,
			 const struct simgpu_counters *counters, u64 misses)
{
	u64 least, mean;

	/* Write-backs may be counted, too. */
	if (misses > SIMGPU_PPM)
		misses = SIMGPU_PPM;
	least = snapshot->llc_hit_cycles * (SIMGPU_PPM - misses) +
		snapshot->dram_cycles * misses;
	mean = fixed_ratio_ppm(counters->load_cycles, counters->load_requests);
	return mean > least ? fixed_ratio_ppm(least, mean) : SIMGPU_PPM;
}

/* Thread blocks that are on so many SMs at once: all, or what they can hold. */
static u64 blocks_at_once(const struct simgpu_snapshot_tenant *tenant, u64 sms)
{
	u64 most = fixed_mul(sms, tenant->queue[0].head.blocks_per_sm);

	return most < tenant->blocks ? most : tenant->blocks;
}

/*
 * hsm_blocks_np_ppm() - thread blocks that run at once, over those that would alone
 *
 * By these a kernel waits for memory, as long as it does not saturate it. With many
 * thread blocks it is S_k / S; a kernel of two for each SM or fewer may have all
 * of them on fewer SMs, too. (Section 2.3.1 has thread blocks take the place of SMs
 * in compute-bound kernels alone.)
 */
u64 hsm_blocks_np_ppm(const struct simgpu_snapshot *snapshot,
		      const struct simgpu_snapshot_tenant *tenant)
{
	u64 sms = tenant->counters.sm_cycles / snapshot->epoch_cycles;

	if (tenant->blocks > 2 * snapshot->sms)
		return hsm_compute_np_ppm(snapshot, tenant);
	return fixed_ratio_ppm(blocks_at_once(tenant, sms),
			       blocks_at_once(tenant, snapshot->sms));
}

/* Loads are often small beside others'. */
#define PARTS_PER_BILLION	1000000000ULL

/* What a tenant uses of what the memory can deliver at its row buffer hit rate. */
static u64 load_ppb(const struct simgpu_snapshot *snapshot,
		    const struct simgpu_counters *counters)
{
	return fixed_mul_div(counters->bus_busy_clocks,
			     SIMGPU_PPM * PARTS_PER_BILLION,
			     fixed_mul(bus_clocks(snapshot),
				       hsm_supply_ppm(snapshot, counters)));
}

/*
 * hsm_load_ppb() - what all tenants use of what the memory can deliver, in parts per
 *	billion
 */
u64 hsm_load_ppb(const struct simgpu_snapshot *snapshot)
{
	u64 all = 0;
	u32 slot;

	for (slot = 0; slot < SIMGPU_SLOTS_MAX; slot++)
		all = fixed_add(all, load_ppb(snapshot,
					      &snapshot->tenants[slot].counters));
	return all;
}

/*
 * Of the time that a tenant's requests wait here, the part that they would wait alone:
 * as in an open queue, whose waiting goes by load / (1 - load).
 */
static u64 own_waiting_ppm(const struct simgpu_snapshot *snapshot,
			   const struct simgpu_counters *counters, u64 all)
{
	u64 own = load_ppb(snapshot, counters);

	if (all <= own)
		return SIMGPU_PPM;
	if (all >= PARTS_PER_BILLION)
		return 0;
	return fixed_mul_div(fixed_ratio_ppm(own, all), PARTS_PER_BILLION - all,
			     PARTS_PER_BILLION - own);
}

/*
 * hsm_alone_latency_ppm() - how long a load would take alone, over how long it takes
 *	here, of a kernel whose thread blocks are few: all that it has are there at
 *	once in any case
 * @misses: as of hsm_idle_latency_ppm()
 * @load: of hsm_load_ppb()
 */
u64 hsm_alone_latency_ppm(const struct simgpu_snapshot *snapshot,
			  const struct simgpu_counters *counters, u64 misses,
			  u64 load)
{
	u64 idle = hsm_idle_latency_ppm(snapshot, counters, misses);

	return idle + fixed_mul_div(SIMGPU_PPM - idle,
				    own_waiting_ppm(snapshot, counters, load),
				    SIMGPU_PPM);
}

/*
 * The least NP of a memory-bound kernel of few thread blocks. Eq. 5 takes it for
 * granted that it saturates the memory alone, for which they may be too few. By
 * Little's law it has alone at most the bandwidth of so many more thread blocks at
 * once, each as much faster as a load takes longer here than alone.
 */
static u64 few_blocks_np_ppm(const struct simgpu_snapshot *snapshot,
			     const struct simgpu_snapshot_tenant *tenant,
			     u64 load)
{
	const struct simgpu_counters *counters = &tenant->counters;
	u64 misses = fixed_ratio_ppm(counters->llc_misses,
				     counters->llc_accesses);

	if (tenant->blocks > 2 * snapshot->sms)
		return 0;
	return fixed_mul_div(hsm_alone_latency_ppm(snapshot, counters, misses,
						   load),
			     hsm_blocks_np_ppm(snapshot, tenant), SIMGPU_PPM);
}

/*
 * hsm_predict_tenant() - class and NP of one tenant
 * @load: of hsm_load_ppb()
 * @private_ppm: DRAM requests that the tenant would have made alone, for each
 *	that it made: 1 where that is not known
 */
void hsm_predict_tenant(const struct simgpu_snapshot *snapshot,
			const struct simgpu_snapshot_tenant *tenant, u64 load,
			u64 private_ppm, struct simgpu_prediction_tenant *out)
{
	const struct simgpu_counters *counters = &tenant->counters;
	u64 supply = hsm_supply_ppm(snapshot, counters);
	u64 requests = fixed_mul_div(simgpu_dram_requests(counters),
				     private_ppm, SIMGPU_PPM);
	u64 least;

	if (!counters->thread_instructions)
		return;
	if (demand_ppm(snapshot, counters, requests) > supply && supply) {
		/*
		 * Eq. 5: NP = B_k / (c1 * RBH_k + c2), B_k a fraction of the
		 * clocks that there were and the rest in ppm: one division.
		 */
		out->class = SIMGPU_CLASS_MEMORY;
		out->np_ppm = fixed_mul_div(counters->bus_busy_clocks,
					    fixed_mul(SIMGPU_PPM, private_ppm),
					    fixed_mul(bus_clocks(snapshot),
						      supply));
		least = few_blocks_np_ppm(snapshot, tenant, load);
		if (out->np_ppm < least)
			out->np_ppm = least;
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
	struct seen_curves *curves = state;
	u64 load = hsm_load_ppb(snapshot);
	u32 slot;

	for (slot = 0; slot < SIMGPU_SLOTS_MAX; slot++) {
		const struct simgpu_snapshot_tenant *tenant =
			&snapshot->tenants[slot];
		struct simgpu_prediction_tenant *out =
			&prediction->tenants[slot];

		if (!tenant->active)
			continue;
		hsm_predict_tenant(snapshot, tenant, load, SIMGPU_PPM, out);
		if (out->class != SIMGPU_CLASS_UNKNOWN)
			seen_curve_answer(&curves->slot[slot], snapshot, tenant,
					  HSM_ERROR_PPM, out);
	}
	return 0;
}

const struct simgpu_model model_hsm = {
	.name = "hsm",
	.latency_cycles = HSM_LATENCY_CYCLES,
	.params = hsm_params,
	.trained = hsm_trained,
	.state_bytes = sizeof(struct seen_curves),
	.predict = hsm_predict,
};
