// SPDX-License-Identifier: GPL-2.0
/*
 * Slowdowns as the product of two factors (Themis, Eq. 4): the loss because a tenant has
 * fewer SMs than the device, and the loss because other tenants use the cache and the
 * memory.
 */
#include "factors.h"
#include "hsm.h"

static u64 clamp_sd(u64 sd_ppm)
{
	if (sd_ppm < SIMGPU_PPM)
		return SIMGPU_PPM;
	return min(sd_ppm, FACTORS_SD_MOST_PPM);
}

/*
 * factors_say() - set both factors of a prediction, and NP, 1 over their product
 * @scal_ppm: slowdown by SMs; clamped to 1 to 1000
 * @inter_ppm: slowdown by interference; clamped to 1 to 1000
 *
 * NP is always above 0 and at most 1.
 */
void factors_say(u64 scal_ppm, u64 inter_ppm,
		 struct simgpu_prediction_tenant *out)
{
	const u64 cube = SIMGPU_PPM * SIMGPU_PPM * SIMGPU_PPM;

	out->sd_scal_ppm = clamp_sd(scal_ppm);
	out->sd_inter_ppm = clamp_sd(inter_ppm);
	out->np_ppm = cube / (out->sd_scal_ppm * out->sd_inter_ppm);
	if (!out->np_ppm)
		out->np_ppm = 1;
}

/*
 * factors_sms_ppm() - S_max / S_k: the slowdown of a kernel that gains with each SM. HSM
 *	caps the slowdowns of other models at it (HSM 5)
 */
u64 factors_sms_ppm(const struct simgpu_snapshot *snapshot,
		    const struct simgpu_snapshot_tenant *tenant)
{
	u64 np = hsm_compute_np_ppm(snapshot, tenant);

	return np ? clamp_sd(SIMGPU_PPM * SIMGPU_PPM / np) :
		    FACTORS_SD_MOST_PPM;
}

/*
 * factors_class() - derive a class for models that do not predict one
 *
 * A tenant whose slowdown by SMs is clearly below S_max / S_k could not use all SMs: it
 * is memory-bound.
 */
void factors_class(const struct simgpu_snapshot *snapshot,
		   const struct simgpu_snapshot_tenant *tenant,
		   struct simgpu_prediction_tenant *out)
{
	u64 most = factors_sms_ppm(snapshot, tenant);

	out->class = out->sd_scal_ppm < most - most / 10 ?
		     SIMGPU_CLASS_MEMORY : SIMGPU_CLASS_COMPUTE;
}
