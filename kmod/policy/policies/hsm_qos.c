// SPDX-License-Identifier: GPL-2.0
/*
 * hsm-qos: HSM-QoS (HSM section 4.3). A QoS tenant that misses its target gets the SMs
 * for it, on the line through the origin (gradient NP_k / S_k, Figure 9). If its NP is
 * further above the target than a margin, it keeps as many SMs as exceed the target
 * marginally. The parameter qos_guard makes it aim above the target in both cases. SMs
 * that QoS tenants leave go where the sum of NPs, and so system throughput, gains most.
 * Any number of tenants of both kinds. The tail of a QoS tenant's kernel is not changed.
 */
#include <simgpu/split.h>
#include "../common/promise.h"
#include "../registry.h"

/* Indices of its parameters. */
enum {
	QOS_GUARD,
	QOS_MARGIN,
};

/*
 * SMs that a QoS tenant should have: S_k * goal / NP_k, rounded up, if the tenant misses
 * its goal or is past the margin; else what it has. In a kernel's tail it keeps its SMs,
 * so that the next kernel begins with them.
 */
static u32 wanted_sms(const struct simgpu_snapshot *snapshot, u32 slot, void *state)
{
	const struct simgpu_snapshot_tenant *tenant = &snapshot->tenants[slot];
	const u64 *params = snapshot->policy_params;
	u64 goal = tenant->target_ppm + params[QOS_GUARD];
	u64 upper = tenant->target_ppm + params[QOS_MARGIN];
	u64 milli;
	u32 most = snapshot->sms;

	if (!simgpu_has_gradient(snapshot, tenant) || !tenant->np_ppm ||
	    simgpu_in_tail(tenant))
		return tenant->sms;
	goal = min(goal, SIMGPU_PPM);
	if (tenant->np_ppm >= goal && tenant->np_ppm <= upper)
		return tenant->sms;
	most = min(most, tenant->blocks);
	milli = fixed_mul_div(simgpu_held_milli(snapshot, tenant), goal,
			      tenant->np_ppm);
	milli = fixed_add(milli, 999) / 1000;
	milli = min_t(u64, milli, most);
	return milli ? (u32)milli : 1;
}

/* NP that one more SM is worth, NP_k / S_k; 0 if unknown. */
static u64 gradient_ppm(const struct simgpu_snapshot *snapshot,
			const struct simgpu_snapshot_tenant *tenant)
{
	if (!simgpu_has_gradient(snapshot, tenant))
		return 0;
	return fixed_mul_div(tenant->np_ppm, 1000,
			     simgpu_held_milli(snapshot, tenant));
}

/*
 * The gradient, if there are thread blocks for one more SM than @sms and the tenant's
 * line has not reached its speed alone; else 0.
 */
static u64 worth(const struct simgpu_snapshot *snapshot, u32 slot, u32 sms)
{
	const struct simgpu_snapshot_tenant *tenant = &snapshot->tenants[slot];
	u64 gradient = gradient_ppm(snapshot, tenant);

	return sms < tenant->blocks && fixed_mul(gradient, sms) < SIMGPU_PPM ?
	       gradient : 0;
}

static int hsm_qos_decide(const struct simgpu_snapshot *snapshot, void *state,
			  struct simgpu_proposal *proposal)
{
	static const struct promise_rules rules = {
		.wanted = wanted_sms, .worth = worth,
	};

	promise_decide(snapshot, &rules, state, proposal);
	return 0;
}

/*
 * HSM section 4.3: a tenant with a target of 0.8 gives SMs back above 0.9, so that it
 * "marginally outperforms" 0.8. "To account for model inaccuracies" the paper lets users
 * set a target above what they need, 0.9 for 0.8: that is a guard of 0.1.
 */
static const struct simgpu_param params[] = {
	[QOS_GUARD] = {
		"qos_guard", SIMGPU_UNIT_RATIO, 0, SIMGPU_PPM, 0,
		"how far above a target to aim, for the model's errors (HSM 4.3)"
	},
	[QOS_MARGIN] = {
		"qos_margin", SIMGPU_UNIT_RATIO, 0, SIMGPU_PPM, 100000,
		"how far above a target a tenant gives SMs back (HSM 4.3)"
	},
	{ .name = NULL }
};

const struct simgpu_policy policy_hsm_qos = {
	.name = "hsm-qos",
	.about = "targets of NP, by HSM; what is left goes to the others",
	.params = params,
	.model = "hsm",
	.decide = hsm_qos_decide,
};
