/* SPDX-License-Identifier: GPL-2.0 */
/* The cost of waiting, beyond the bandwidth that a tenant loses. */
#ifndef MODEL_HSM_WAITING_H
#define MODEL_HSM_WAITING_H

#include <simgpu/snapshot.h>

u64 hsm_idle_latency_ppm(const struct simgpu_snapshot *snapshot,
			 const struct simgpu_counters *counters, u64 misses);
u64 hsm_waiting_np_ppm(const struct simgpu_snapshot *snapshot,
		       const struct simgpu_snapshot_tenant *tenant, bool memory,
		       u64 misses, u64 load);

#endif /* MODEL_HSM_WAITING_H */
