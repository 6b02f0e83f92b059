// SPDX-License-Identifier: GPL-2.0
/*
 * hsm-qos: HSM-QoS (HSM section 4.3). A QoS tenant is brought to its target and
 * a guard band above it, on the line through the origin (gradient NP_k / S_k,
 * Figure 9); once it is further above its target than a margin, it gives back
 * what it does not need. What QoS tenants leave goes where the sum of NPs, and so
 * system throughput, gains most. Any number of tenants of both kinds. The tail of a QoS
 * tenant's kernel is left alone.
 */
#include "../registry.h"

/* Its knobs. */
enum {
	QOS_GUARD,
	QOS_MARGIN,
};

/*
 * SMs that a QoS tenant should have: S_k * goal / NP_k, rounded up, if it misses
 * its goal or is past the margin; else what it has. In a kernel's tail it keeps that, so
 * that the next kernel begins with what this one had.
 */
static u32 wanted_sms(const struct simgpu_snapshot *snapshot,
		      const struct simgpu_snapshot_tenant *tenant)
{
	const u64 *params = snapshot->policy_params;
	u64 goal = tenant->target_ppm + params[QOS_GUARD];
	u64 upper = tenant->target_ppm + params[QOS_MARGIN];
	u64 milli;
	u32 most = snapshot->sms;

	if (!simgpu_has_gradient(snapshot, tenant) || !tenant->np_ppm ||
	    simgpu_in_tail(tenant))
		return tenant->sms;
	if (goal > SIMGPU_PPM)
		goal = SIMGPU_PPM;
	if (tenant->np_ppm >= goal && tenant->np_ppm <= upper)
		return tenant->sms;
	if (tenant->blocks < most)
		most = tenant->blocks;
	milli = fixed_mul_div(simgpu_held_milli(snapshot, tenant), goal,
			      tenant->np_ppm);
	milli = fixed_add(milli, 999) / 1000;
	if (milli > most)
		milli = most;
	return milli ? (u32)milli : 1;
}

/* NP that one more SM is worth, NP_k / S_k; 0 where that is not known. */
static u64 gradient_ppm(const struct simgpu_snapshot *snapshot,
			const struct simgpu_snapshot_tenant *tenant)
{
	if (!simgpu_has_gradient(snapshot, tenant))
		return 0;
	return fixed_mul_div(tenant->np_ppm, 1000,
			     simgpu_held_milli(snapshot, tenant));
}

/*
 * Whether one more SM than @sms is worth something to a tenant: there are thread
 * blocks for it, and on its line it does not yet run as if it were alone.
 */
static bool can_use(const struct simgpu_snapshot *snapshot, u32 slot, u32 sms)
{
	const struct simgpu_snapshot_tenant *tenant = &snapshot->tenants[slot];

	return sms < tenant->blocks &&
	       fixed_mul(gradient_ppm(snapshot, tenant), sms) < SIMGPU_PPM;
}

/*
 * Take an SM from the best-effort tenant to whom it is worth least, and give one
 * to whom it is worth most; ties go to the lowest slot. With nobody who can use
 * it, an SM goes to the first who has some, so that none lies idle.
 */
static u32 cheapest_to_take(const struct simgpu_snapshot *snapshot,
			    const struct simgpu_proposal *proposal)
{
	u32 best = SIMGPU_SLOTS_MAX, slot;
	u64 least = U64_MAX;

	for (slot = 0; slot < SIMGPU_SLOTS_MAX; slot++) {
		const struct simgpu_snapshot_tenant *tenant =
			&snapshot->tenants[slot];
		u64 worth = 0;

		if (!tenant->active || tenant->service == SIMGPU_QOS ||
		    proposal->sms[slot] < 2)
			continue;
		if (can_use(snapshot, slot, proposal->sms[slot] - 1))
			worth = gradient_ppm(snapshot, tenant);
		if (worth < least) {
			best = slot;
			least = worth;
		}
	}
	return best;
}

static u32 dearest_to_give(const struct simgpu_snapshot *snapshot,
			   const struct simgpu_proposal *proposal)
{
	u32 best = SIMGPU_SLOTS_MAX, slot;
	u64 most = 0;

	for (slot = 0; slot < SIMGPU_SLOTS_MAX; slot++) {
		const struct simgpu_snapshot_tenant *tenant =
			&snapshot->tenants[slot];
		u64 worth;

		if (!tenant->active || tenant->service == SIMGPU_QOS)
			continue;
		worth = 1;
		if (can_use(snapshot, slot, proposal->sms[slot]))
			worth += gradient_ppm(snapshot, tenant);
		if (worth > most) {
			best = slot;
			most = worth;
		}
	}
	return best;
}

/* Make the sum right by moving SMs of best-effort tenants. */
static void balance(const struct simgpu_snapshot *snapshot,
		    struct simgpu_proposal *proposal)
{
	u32 sum = 0, slot;

	for (slot = 0; slot < SIMGPU_SLOTS_MAX; slot++)
		sum += proposal->sms[slot];
	for (; sum > snapshot->sms; sum--) {
		slot = cheapest_to_take(snapshot, proposal);
		if (slot == SIMGPU_SLOTS_MAX)
			return;
		proposal->sms[slot]--;
	}
	for (; sum < snapshot->sms; sum++) {
		slot = dearest_to_give(snapshot, proposal);
		if (slot == SIMGPU_SLOTS_MAX)
			return;
		proposal->sms[slot]++;
	}
}

/*
 * Targets that cannot all be met: best-effort tenants keep an SM each, and QoS
 * tenants divide the others by what they want.
 */
static void split_shortage(const struct simgpu_snapshot *snapshot,
			   struct simgpu_proposal *proposal)
{
	u64 weights[SIMGPU_SLOTS_MAX] = { 0 };
	u32 slot;

	for (slot = 0; slot < SIMGPU_SLOTS_MAX; slot++)
		if (snapshot->tenants[slot].service == SIMGPU_QOS)
			weights[slot] = proposal->sms[slot];
	policy_split(snapshot, weights, proposal);
}

static int hsm_qos_decide(const struct simgpu_snapshot *snapshot, void *state,
			  struct simgpu_proposal *proposal)
{
	u32 promised = 0, others = 0, slot;

	for (slot = 0; slot < SIMGPU_SLOTS_MAX; slot++) {
		const struct simgpu_snapshot_tenant *tenant =
			&snapshot->tenants[slot];

		if (!tenant->active)
			continue;
		if (tenant->service == SIMGPU_QOS) {
			proposal->sms[slot] = wanted_sms(snapshot, tenant);
			promised += proposal->sms[slot];
		} else {
			others++;
		}
	}
	if (promised + others > snapshot->sms)
		split_shortage(snapshot, proposal);
	else
		balance(snapshot, proposal);
	return 0;
}

/*
 * HSM section 4.3: a target of 0.8 is aimed at as 0.9, to make up for the model's
 * errors. Giving back begins above that.
 */
static const struct simgpu_param params[] = {
	[QOS_GUARD] = {
		"qos_guard", SIMGPU_UNIT_RATIO, 0, SIMGPU_PPM, 100000,
		"how far above a target to aim, for the model's errors (HSM 4.3)"
	},
	[QOS_MARGIN] = {
		"qos_margin", SIMGPU_UNIT_RATIO, 0, SIMGPU_PPM, 150000,
		"how far above a target a tenant gives SMs back (HSM 4.3)"
	},
	{ .name = NULL }
};

const struct simgpu_policy policy_hsm_qos = {
	.name = "hsm-qos",
	.params = params,
	.decide = hsm_qos_decide,
};
