/* SPDX-License-Identifier: GPL-2.0 */
/* Goals of tenants in instructions a cycle, for policies of fine-grained QoS (FGQoS). */
#ifndef POLICY_GOALS_H
#define POLICY_GOALS_H

#include <simgpu/snapshot.h>

bool goal_has(const struct simgpu_snapshot_tenant *tenant);
bool goal_lags(const struct simgpu_snapshot_tenant *tenant);
u64 goal_asked_ppm(const struct simgpu_snapshot *snapshot,
		   const struct simgpu_snapshot_tenant *tenant, bool history);
void goal_note_issued(const struct simgpu_snapshot *snapshot, u64 *issued);
u64 goal_peak_ppm(const struct simgpu_snapshot *snapshot);

#endif /* POLICY_GOALS_H */
