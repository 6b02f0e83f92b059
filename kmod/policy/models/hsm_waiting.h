/* SPDX-License-Identifier: GPL-2.0 */
/* HSM with a law of its own for kernels that mostly wait. */
#ifndef MODEL_HSM_WAITING_H
#define MODEL_HSM_WAITING_H

#include <simgpu/model.h>

u64 hsm_idle_latency_ppm(const struct simgpu_snapshot *snapshot,
			 const struct simgpu_counters *counters, u64 misses);
u64 hsm_waiting_np_ppm(const struct simgpu_snapshot *snapshot,
		       const struct simgpu_snapshot_tenant *tenant, bool memory,
		       u64 misses, u64 load);
void hsm_waiting_predict_tenant(const struct simgpu_snapshot *snapshot,
				const struct simgpu_snapshot_tenant *tenant,
				u64 load, u64 private_ppm,
				struct simgpu_prediction_tenant *out);

#endif /* MODEL_HSM_WAITING_H */
