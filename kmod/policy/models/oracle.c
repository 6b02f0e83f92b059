// SPDX-License-Identifier: GPL-2.0
/*
 * oracle: the measured truth, for comparison. The session runs each tenant alone, beside
 * the device, up to the same point (kmod/session/private_run.c). NP is the time of that
 * run over the epoch. The class is HSM's. Only the shape of its curve has an error.
 */
#include "../common/seen_curve.h"
#include "../registry.h"
#include "hsm.h"
#include "hsm_line.h"

static int oracle_predict(const struct simgpu_snapshot *snapshot,
			  const void *constants, void *state,
			  struct simgpu_prediction *prediction)
{
	u32 slot;

	for (slot = 0; slot < SIMGPU_SLOTS_MAX; slot++) {
		const struct simgpu_snapshot_tenant *tenant =
			&snapshot->tenants[slot];
		struct simgpu_prediction_tenant *out =
			&prediction->tenants[slot];

		if (!tenant->active || !tenant->private_cycles)
			continue;
		hsm_predict_tenant(snapshot, tenant, SIMGPU_PPM, out);
		out->np_ppm = fixed_ratio_ppm(tenant->private_cycles,
					      snapshot->epoch_cycles);
	}
	seen_curves_answer(state, snapshot, 0, prediction);
	return 0;
}

const struct simgpu_model model_oracle = {
	.name = "oracle",
	.latency_cycles = HSM_LATENCY_CYCLES,
	.params = hsm_params,
	.trained = hsm_trained,
	.needs = SIMGPU_NEEDS_PRIVATE_RUNS,
	.state_bytes = sizeof(struct seen_curves),
	.predict = oracle_predict,
};
