// SPDX-License-Identifier: GPL-2.0
/*
 * scaled: a model with constants. It takes every tenant for compute-bound, as HSM's
 * Eq. 4 has it, and corrects the NP by a factor that was learned for the GPU: a
 * number in parts per million for each SM count, in the constants. Without constants
 * the factor is a parameter.
 */
#include <simgpu/plugin.h>

/* Its parameters */
enum {
	FACTOR,
};

static const struct simgpu_param params[] = {
	[FACTOR] = {
		"factor", SIMGPU_UNIT_RATIO, 0, 2 * SIMGPU_PPM, SIMGPU_PPM,
		"what the share of the SMs is multiplied by, without constants"
	},
	{ .name = NULL }
};

/* struct factors - its constants: by SM count, from 1 */
struct factors {
	u64 ppm[SIMGPU_SMS_MAX];
};

static u64 factor_ppm(const struct simgpu_snapshot *snapshot,
		      const struct factors *factors, u64 sms)
{
	if (!factors)
		return snapshot->model_params[FACTOR];
	if (sms < 1)
		sms = 1;
	return factors->ppm[sms <= SIMGPU_SMS_MAX ? sms - 1 :
						    SIMGPU_SMS_MAX - 1];
}

static int predict(const struct simgpu_snapshot *snapshot,
		   const void *constants, void *state,
		   struct simgpu_prediction *prediction)
{
	u64 all = snapshot->epoch_cycles * snapshot->sms;
	u32 slot;

	for (slot = 0; slot < SIMGPU_SLOTS_MAX; slot++) {
		const struct simgpu_snapshot_tenant *tenant =
			&snapshot->tenants[slot];
		u64 held = tenant->counters.sm_cycles;

		if (!tenant->active)
			continue;
		prediction->tenants[slot].class = SIMGPU_CLASS_COMPUTE;
		prediction->tenants[slot].np_ppm =
			fixed_mul_div(fixed_ratio_ppm(held, all),
				      factor_ppm(snapshot, constants,
						 held / snapshot->epoch_cycles),
				      SIMGPU_PPM);
	}
	return 0;
}

static const struct simgpu_model scaled = {
	.name = "scaled",
	.constants_bytes = sizeof(struct factors),
	.constants_version = 1,
	.params = params,
	.predict = predict,
};

SIMGPU_MODEL_PLUGIN(scaled);
