// SPDX-License-Identifier: GPL-2.0
/*
 * mirror: our own model, without constants to train. Three times bound from below how
 * long a tenant would need alone for an epoch's work:
 *
 *  - The time for which the work keeps the memory channels busy. The tenant's mirror
 *    measures it: one channel and its part of the last-level cache, which see only this
 *    tenant's accesses.
 *  - The time that its SMs need. All SMs together need the share S_k / S of the epoch
 *    (HSM's Eq. 4), less the time that they waited because lines took longer than in an
 *    idle GPU (sm_time_ppm()). A kernel that mostly waits (hsm_waiting.c) needs its own
 *    time instead, unless the parameter "waiting" is 0.
 *  - The time that the last-level cache's ports to the crossbar need for its flits.
 *
 * NP is these three times over the epoch, joined to about the longest (join_ppm()). The
 * class is memory if the channels need the longest. Without mirrors, on a device that
 * began under another model, it predicts the same as hsm-waiting, or hsm.
 */
#include "../common/seen_curve.h"
#include "../registry.h"
#include "hsm.h"
#include "hsm_line.h"
#include "hsm_waiting.h"

/* Mean error of NP on Table 2's pairs, 1,000,000 cycles under an even split. */
#define MIRROR_ERROR_PPM	41000

/* HSM's line is for devices without mirrors. */
static const struct simgpu_param params[] = {
	[HSM_C1] = HSM_C1_PARAM,
	[HSM_C2] = HSM_C2_PARAM,
	[HSM_WAITING] = HSM_WAITING_PARAM,
	{ .name = NULL }
};

/* The mirror's clocks, which are of one channel, scaled to all accesses of the epoch. */
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

/* A port carries a flit a cycle each way; all slices get equally many flits. */
static u64 port_time_ppm(const struct simgpu_snapshot *snapshot,
			 const struct simgpu_counters *counters)
{
	u64 flits = counters->noc_reply_flits;

	flits = max(flits, counters->noc_request_flits);
	return fixed_ratio_ppm(flits, fixed_mul(snapshot->llc_slices,
						snapshot->epoch_cycles));
}

/*
 * The share of an epoch that the SMs of the whole GPU would need.
 *
 * Here the SMs issue for the part B of it and wait for loads for the rest, 1 - B. Other
 * warps' issuing covers a part of each wait. With squares for that, the waits are
 * W = sqrt(1 - B^2) long here and W L0 / L alone, and the whole is
 * sqrt(B^2 + (W L0 / L)^2). L is the mean latency of a line, L0 the latency without
 * contention at the mirror's @misses.
 */
static u64 sm_time_ppm(const struct simgpu_snapshot *snapshot,
		       const struct simgpu_snapshot_tenant *tenant, u64 misses)
{
	const struct simgpu_counters *counters = &tenant->counters;
	u64 idle = fixed_ratio_ppm(counters->idle_cycles,
				   fixed_mul(counters->sm_cycles,
					     snapshot->schedulers));
	u64 latency = hsm_idle_latency_ppm(snapshot, counters, misses);
	u64 issued = fixed_above(SIMGPU_PPM, idle);
	u64 waits = SIMGPU_PPM * SIMGPU_PPM - issued * issued;

	waits = fixed_mul_div(waits, latency * latency, SIMGPU_PPM * SIMGPU_PPM);
	return fixed_mul_div(hsm_compute_np_ppm(snapshot, tenant),
			     fixed_sqrt(issued * issued + waits), SIMGPU_PPM);
}

static u64 longest_ppm(u64 channels, u64 sms, u64 ports)
{
	u64 longest = max(channels, sms);

	return max(longest, ports);
}

/*
 * A tenant that needs two resources for about as long does not always use them at once.
 * So alone it takes longer than for either: the fourth root of the sum of fourth powers.
 */
static u64 join_ppm(u64 channels, u64 sms, u64 ports)
{
	u64 times[] = { channels, sms, ports };
	u64 longest = longest_ppm(channels, sms, ports), sum = 0;
	u32 i;

	for (i = 0; i < ARRAY_SIZE(times); i++) {
		u64 part = fixed_ratio_ppm(times[i], longest);
		u64 square = part * part / SIMGPU_PPM;

		sum += square * square / SIMGPU_PPM;
	}
	sum = fixed_sqrt(fixed_sqrt(sum * SIMGPU_PPM) * SIMGPU_PPM);
	return fixed_mul_div(longest, sum, SIMGPU_PPM);
}

/* NP of a kernel that mostly waits; 0: it does not, or has no law of its own. */
static u64 waiting_np_ppm(const struct simgpu_snapshot *snapshot,
			  const struct simgpu_snapshot_tenant *tenant, u64 misses,
			  u64 load)
{
	bool memory = hsm_is_memory_bound(snapshot, &tenant->counters, SIMGPU_PPM);

	if (!snapshot->model_params[HSM_WAITING])
		return 0;
	return hsm_waiting_np_ppm(snapshot, tenant, memory, misses, load);
}

static void predict_alone(const struct simgpu_snapshot *snapshot,
			  const struct simgpu_snapshot_tenant *tenant, u64 load,
			  struct simgpu_prediction_tenant *out)
{
	const struct simgpu_counters *counters = &tenant->counters;
	u64 misses = fixed_ratio_ppm(counters->mirror_requests,
				     counters->mirror_accesses);
	u64 waiting = waiting_np_ppm(snapshot, tenant, misses, load);
	u64 sms = waiting ? waiting : sm_time_ppm(snapshot, tenant, misses);
	u64 channels = channel_time_ppm(snapshot, counters);
	u64 ports = port_time_ppm(snapshot, counters);

	out->class = channels > sms && channels > ports ?
		     SIMGPU_CLASS_MEMORY : SIMGPU_CLASS_COMPUTE;
	/* hsm_waiting_np_ppm() has already added up what a kernel waits for. */
	out->np_ppm = waiting ? longest_ppm(channels, sms, ports) :
				join_ppm(channels, sms, ports);
}

static void predict_tenant(const struct simgpu_snapshot *snapshot,
			   const struct simgpu_snapshot_tenant *tenant, u64 load,
			   struct simgpu_prediction_tenant *out)
{
	if (snapshot->mirrors && tenant->counters.thread_instructions)
		predict_alone(snapshot, tenant, load, out);
	else if (!snapshot->mirrors && snapshot->model_params[HSM_WAITING])
		hsm_waiting_predict_tenant(snapshot, tenant, load, SIMGPU_PPM, out);
	else if (!snapshot->mirrors)
		hsm_predict_tenant(snapshot, tenant, SIMGPU_PPM, out);
}

static int mirror_predict(const struct simgpu_snapshot *snapshot,
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
	seen_curves_answer(state, snapshot, MIRROR_ERROR_PPM, prediction);
	return 0;
}

const struct simgpu_model model_mirror = {
	.name = "mirror",
	.assumes = SIMGPU_ASSUMES_OWN_SMS | SIMGPU_ASSUMES_NOT_HELD,
	.latency_cycles = HSM_LATENCY_CYCLES,
	.params = params,
	.trained = hsm_trained,
	.needs = SIMGPU_NEEDS_MIRRORS,
	.state_bytes = sizeof(struct seen_curves),
	.predict = mirror_predict,
};
