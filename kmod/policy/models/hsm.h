/* SPDX-License-Identifier: GPL-2.0 */
/* HSM's equations, which other models use, too. */
#ifndef MODEL_HSM_H
#define MODEL_HSM_H

#include <simgpu/model.h>

/* HSM 4.2, Prediction Latency: for one kernel, in core cycles. */
#define HSM_LATENCY_CYCLES	181

/* Mean error of NP on Table 2's pairs, 1,000,000 cycles under an even split. */
#define HSM_ERROR_PPM		112000

/* Loads are in parts per billion: a tenant's own is often small beside others'. */
#define PARTS_PER_BILLION	1000000000ULL

u64 hsm_supply_ppm(const struct simgpu_snapshot *snapshot,
		   const struct simgpu_counters *counters);
u64 hsm_compute_np_ppm(const struct simgpu_snapshot *snapshot,
		       const struct simgpu_snapshot_tenant *tenant);
u64 hsm_own_load_ppb(const struct simgpu_snapshot *snapshot,
		     const struct simgpu_counters *counters);
u64 hsm_load_ppb(const struct simgpu_snapshot *snapshot);
bool hsm_is_memory_bound(const struct simgpu_snapshot *snapshot,
			 const struct simgpu_counters *counters,
			 u64 private_ppm);
void hsm_predict_tenant(const struct simgpu_snapshot *snapshot,
			const struct simgpu_snapshot_tenant *tenant,
			u64 private_ppm, struct simgpu_prediction_tenant *out);

#endif /* MODEL_HSM_H */
