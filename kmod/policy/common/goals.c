// SPDX-License-Identifier: GPL-2.0
/*
 * Goals in instructions a cycle, for policies of fine-grained QoS: which tenants have a
 * goal, which ones lag behind, and how much more than its goal a tenant should be given
 * (FGQoS 3.4.2).
 */
#include "goals.h"

/*
 * goal_has() - whether a tenant is a QoS kernel in the paper's words
 *
 * A tenant with a promised NP alone is not: its goal in instructions is not known.
 */
bool goal_has(const struct simgpu_snapshot_tenant *tenant)
{
	return tenant->active && tenant->service == SIMGPU_QOS &&
	       tenant->goal_ipc_ppm;
}

/* goal_lags() - whether a tenant has issued less than its goal has asked for so far */
bool goal_lags(const struct simgpu_snapshot_tenant *tenant)
{
	return goal_has(tenant) &&
	       tenant->goal_instructions < tenant->goal_promised;
}

/* goal_peak_ppm() - thread instructions a cycle that all SMs can issue */
u64 goal_peak_ppm(const struct simgpu_snapshot *snapshot)
{
	return (u64)snapshot->sms * snapshot->issue_lanes * SIMGPU_PPM;
}

/*
 * The paper's alpha, max(goal / history, 1).
 *
 * The history is all cycles with work since the goal was set; before there are any,
 * alpha is 1. Alpha never raises the goal above the device's peak. It is rounded up: a
 * lag of less than a part in a million would never be made up for otherwise.
 */
static u64 alpha_ppm(const struct simgpu_snapshot *snapshot,
		     const struct simgpu_snapshot_tenant *tenant)
{
	u64 most = fixed_ratio_ppm(goal_peak_ppm(snapshot),
				   tenant->goal_ipc_ppm);
	u64 alpha = SIMGPU_PPM;

	if (!goal_lags(tenant))
		return alpha;
	alpha = tenant->goal_instructions ?
		fixed_ratio_ppm(tenant->goal_promised,
				tenant->goal_instructions) + 1 : most;
	return min(alpha, most);
}

/*
 * goal_asked_ppm() - alpha x IPC_goal, but at most what the device can issue
 * @history: whether alpha is that of FGQoS 3.4.2; else alpha is 1
 */
u64 goal_asked_ppm(const struct simgpu_snapshot *snapshot,
		   const struct simgpu_snapshot_tenant *tenant, bool history)
{
	u64 asked = fixed_mul_div(tenant->goal_ipc_ppm,
				  history ? alpha_ppm(snapshot, tenant) :
					    SIMGPU_PPM, SIMGPU_PPM);
	u64 peak = goal_peak_ppm(snapshot);

	return min(asked, peak);
}

/* goal_note_issued() - thread instructions of each tenant since it joined, by slot */
void goal_note_issued(const struct simgpu_snapshot *snapshot, u64 *issued)
{
	u32 slot;

	for (slot = 0; slot < SIMGPU_SLOTS_MAX; slot++)
		issued[slot] = snapshot->tenants[slot].total.thread_instructions;
}
