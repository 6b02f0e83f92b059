// SPDX-License-Identifier: GPL-2.0
/*
 * dase: a reconstruction of DASE (Hu et al., ICPP'16). Only its abstract and HSM's
 * section 6.1 were at hand; docs/themis.md says line by line what is known and what was
 * chosen. The model adds up the time that other tenants cost a tenant's requests, one by
 * one: waiting while a bank serves others, rows that others have closed, lines that
 * others have evicted from the cache, and waiting for the data bus. That time is divided
 * by the number of banks that work for the tenant at once. As a part of the time that the
 * tenant's SMs wait for memory, it gives the slowdown by interference. The slowdown for
 * the SMs that the tenant lacks is S_max / S_k.
 *
 * There is an exception where all tenants together exhaust the bandwidth and a tenant
 * waits for memory most of the time: SMs are not what it lacks. Alone it would move as
 * much data as all tenants move now.
 *
 * dase-capped caps a slowdown at S_max / S_k (HSM 5).
 */
#include "../common/curve.h"
#include "../registry.h"
#include "factors.h"
#include "hsm.h"

/* Interference is at most this part of a tenant's waiting: some of it would remain alone. */
#define LOST_MOST_PPM	950000

/* Memory clocks by which a tenant's DRAM requests were late, added up over all requests. */
static u64 late_clocks(const struct simgpu_snapshot *snapshot,
		       const struct simgpu_counters *counters)
{
	u64 row = snapshot->dram.trp + snapshot->dram.trcd;
	u64 late = fixed_add(counters->bank_interference_clocks,
			     counters->bus_wait_clocks);

	return fixed_add(late, fixed_mul(counters->row_interference, row));
}

/* Hits in the auxiliary tags that other tenants have made misses in the cache. */
static u64 contention_misses(const struct simgpu_counters *counters)
{
	u64 alone = fixed_mul_div(counters->llc_accesses, counters->atd_hits,
				  counters->atd_accesses);
	u64 hits = counters->llc_misses < counters->llc_accesses ?
		   counters->llc_accesses - counters->llc_misses : 0;

	return fixed_above(alone, hits);
}

/* The part of the epoch that interference took, with requests served side by side. */
static u64 interference_ppm(const struct simgpu_snapshot *snapshot,
			    const struct simgpu_counters *counters)
{
	u64 fetch = snapshot->dram_cycles > snapshot->llc_hit_cycles ?
		    snapshot->dram_cycles - snapshot->llc_hit_cycles : 0;
	u64 misses = fixed_mul_div(fixed_mul(contention_misses(counters), fetch),
				   snapshot->memory_clocks,
				   snapshot->epoch_cycles);
	u64 late = fixed_add(late_clocks(snapshot, counters), misses);
	/* Banks that work for the tenant at a time, at least one. */
	u64 banks = fixed_ratio_ppm(counters->bank_busy_clocks,
				    counters->bank_active_clocks);
	u64 clocks = fixed_mul(snapshot->memory_clocks, snapshot->channels);

	banks = max(banks, SIMGPU_PPM);
	return fixed_mul_div(fixed_mul_div(late, SIMGPU_PPM, clocks), SIMGPU_PPM,
			     banks);
}

/* The part of the scheduler cycles of a tenant's SMs in which they waited for data. */
static u64 waiting_ppm(const struct simgpu_snapshot *snapshot,
		       const struct simgpu_counters *counters)
{
	u64 part = fixed_ratio_ppm(counters->stall_memory_cycles,
				   fixed_mul(counters->sm_cycles,
					     snapshot->schedulers));

	return min(part, SIMGPU_PPM);
}

static u64 inter_ppm(const struct simgpu_snapshot *snapshot,
		     const struct simgpu_counters *counters)
{
	u64 part = interference_ppm(snapshot, counters), lost;

	part = min(part, SIMGPU_PPM);
	lost = part * waiting_ppm(snapshot, counters) / SIMGPU_PPM;
	lost = min_t(u64, lost, LOST_MOST_PPM);
	return SIMGPU_PPM * SIMGPU_PPM / (SIMGPU_PPM - lost);
}

/* Indices of its parameters. */
enum {
	EXHAUSTED,
	WAITS,
};

static const struct simgpu_param params[] = {
	[EXHAUSTED] = {
		"exhausted", SIMGPU_UNIT_RATIO, 0, SIMGPU_PPM, 500000,
		"part of the peak bandwidth from which memory is what tenants lack"
	},
	[WAITS] = {
		"waits", SIMGPU_UNIT_RATIO, 0, SIMGPU_PPM, 200000,
		"part of the time that a tenant's SMs wait for memory from which it is one of these"
	},
	{ .name = NULL }
};

/* Data bus clocks of all tenants. */
static u64 bus_clocks_of_all(const struct simgpu_snapshot *snapshot)
{
	u64 sum = 0;
	u32 slot;

	for (slot = 0; slot < SIMGPU_SLOTS_MAX; slot++)
		if (snapshot->tenants[slot].active)
			sum = fixed_add(sum, snapshot->tenants[slot]
						     .counters.bus_busy_clocks);
	return sum;
}

static bool lacks_bandwidth(const struct simgpu_snapshot *snapshot,
			    const struct simgpu_counters *counters, u64 busy)
{
	u64 clocks = fixed_mul(snapshot->memory_clocks, snapshot->channels);

	return counters->bus_busy_clocks &&
	       fixed_ratio_ppm(busy, clocks) >=
		       snapshot->model_params[EXHAUSTED] &&
	       waiting_ppm(snapshot, counters) >= snapshot->model_params[WAITS];
}

static void predict_tenant(const struct simgpu_snapshot *snapshot,
			   const struct simgpu_snapshot_tenant *tenant,
			   u64 busy, bool capped,
			   struct simgpu_prediction_tenant *out)
{
	const struct simgpu_counters *counters = &tenant->counters;
	u64 most = factors_sms_ppm(snapshot, tenant);
	u64 scal = most, inter;

	out->class = SIMGPU_CLASS_COMPUTE;
	if (lacks_bandwidth(snapshot, counters, busy)) {
		out->class = SIMGPU_CLASS_MEMORY;
		scal = SIMGPU_PPM;
		inter = fixed_ratio_ppm(busy, counters->bus_busy_clocks);
	} else {
		inter = inter_ppm(snapshot, counters);
	}
	if (capped && inter > fixed_ratio_ppm(most, scal))
		inter = fixed_ratio_ppm(most, scal);
	factors_say(scal, inter, out);
	curve_of_tenant(snapshot, tenant, out);
}

static int predict(const struct simgpu_snapshot *snapshot, bool capped,
		   struct simgpu_prediction *prediction)
{
	u64 busy = bus_clocks_of_all(snapshot);
	u32 slot;

	for (slot = 0; slot < SIMGPU_SLOTS_MAX; slot++) {
		const struct simgpu_snapshot_tenant *tenant =
			&snapshot->tenants[slot];

		if (tenant->active && tenant->counters.thread_instructions)
			predict_tenant(snapshot, tenant, busy, capped,
				       &prediction->tenants[slot]);
	}
	return 0;
}

static int dase_predict(const struct simgpu_snapshot *snapshot,
			const void *constants, void *state,
			struct simgpu_prediction *prediction)
{
	return predict(snapshot, false, prediction);
}

static int dase_capped_predict(const struct simgpu_snapshot *snapshot,
			       const void *constants, void *state,
			       struct simgpu_prediction *prediction)
{
	return predict(snapshot, true, prediction);
}

const struct simgpu_model model_dase = {
	.name = "dase",
	.assumes = SIMGPU_ASSUMES_OWN_SMS | SIMGPU_ASSUMES_NOT_HELD,
	.latency_cycles = HSM_LATENCY_CYCLES,
	.params = params,
	.needs = SIMGPU_NEEDS_TAGS,
	.predict = dase_predict,
};

const struct simgpu_model model_dase_capped = {
	.name = "dase-capped",
	.assumes = SIMGPU_ASSUMES_OWN_SMS | SIMGPU_ASSUMES_NOT_HELD,
	.latency_cycles = HSM_LATENCY_CYCLES,
	.params = params,
	.needs = SIMGPU_NEEDS_TAGS,
	.predict = dase_capped_predict,
};
