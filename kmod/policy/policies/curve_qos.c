// SPDX-License-Identifier: GPL-2.0
/*
 * curve-qos: targets by the model's curves. A QoS tenant gets the fewest SMs with which
 * its curve is above the target by some multiple of the curve's error. hsm-qos has a
 * fixed guard band on a line through the origin instead. A QoS tenant gives back SMs only
 * as far as its curve holds. The others' SMs go where the sum of NPs on their curves gains
 * most. The tail of a QoS tenant's kernel is not changed, and SMs move only if several
 * epochs in a row ask for it.
 */
#include <simgpu/split.h>
#include "../common/promise.h"
#include "../registry.h"

/* Indices of its parameters. */
enum {
	CURVE_SURENESS,
	CURVE_MARGIN,
	TAKE_EPOCHS,
	GIVE_EPOCHS,
};

/* How many epochs in a row have asked for more, or for fewer, SMs than a tenant has. */
struct asking {
	u32 epochs;
	u32 sms;	/* the count closest to the present one that they asked for */
};

struct memory {
	struct asking asking[SIMGPU_SLOTS_MAX];
};

/* No tenant is promised to run as if alone. */
#define GOAL_MOST_PPM		990000

static u64 goal_ppm(const struct simgpu_snapshot *snapshot,
		    const struct simgpu_snapshot_tenant *tenant)
{
	u64 guard = fixed_mul_div(tenant->curve.error_ppm,
				  snapshot->policy_params[CURVE_SURENESS],
				  SIMGPU_PPM);
	u64 goal = fixed_add(tenant->target_ppm,
			     fixed_mul_div(tenant->target_ppm, guard,
					   SIMGPU_PPM));

	return min_t(u64, goal, GOAL_MOST_PPM);
}

/* The fewest SMs with which a curve reaches a goal, at most @most. */
static u32 sms_for(const struct simgpu_curve *curve, u64 goal, u32 most)
{
	u32 sms = 1;

	while (sms < most && simgpu_np_at(curve, sms) < goal)
		sms++;
	return sms;
}

static u32 asked_sms(const struct simgpu_snapshot *snapshot,
		     const struct simgpu_snapshot_tenant *tenant)
{
	const struct simgpu_curve *curve = &tenant->curve;
	u64 goal, margin = snapshot->policy_params[CURVE_MARGIN], np;
	u32 most = snapshot->sms, sms;

	if (!simgpu_has_gradient(snapshot, tenant) || !curve->knots ||
	    simgpu_in_tail(tenant))
		return tenant->sms;
	goal = goal_ppm(snapshot, tenant);
	np = simgpu_np_at(curve, tenant->sms);
	if (np >= goal && np <= goal + margin)
		return tenant->sms;
	if (tenant->blocks < most)
		most = tenant->blocks ? tenant->blocks : 1;
	sms = sms_for(curve, goal, most);
	/* Beyond the curve's range SMs only rise: an error there breaks no promise. */
	if (sms < tenant->sms && sms < curve->least_sms)
		sms = min(curve->least_sms, tenant->sms);
	return sms;
}

/*
 * The count that several epochs in a row ask for. A first epoch finds caches cold, and a
 * kernel's tail comes once in several epochs. Thread blocks that were moved stay behind
 * the others, which costs row hits as long as they live. So waiting is better than moving
 * back and forth.
 */
static u32 wanted_sms(const struct simgpu_snapshot *snapshot, u32 slot, void *state)
{
	const struct simgpu_snapshot_tenant *tenant = &snapshot->tenants[slot];
	struct asking *asking = &((struct memory *)state)->asking[slot];
	u32 asked = asked_sms(snapshot, tenant), now = tenant->sms;
	bool more = asked > now, before = asking->sms > now;

	if (asked == now) {
		asking->epochs = 0;
		return now;
	}
	if (more != before)
		asking->epochs = 0;
	if (!asking->epochs || (more ? asked < asking->sms : asked > asking->sms))
		asking->sms = asked;
	asking->epochs++;
	if (asking->epochs < snapshot->policy_params[more ? TAKE_EPOCHS : GIVE_EPOCHS])
		return now;
	asking->epochs = 0;
	return asking->sms;
}

static u64 worth(const struct simgpu_snapshot *snapshot, u32 slot, u32 sms)
{
	const struct simgpu_snapshot_tenant *tenant = &snapshot->tenants[slot];
	u64 before, after;

	if (!simgpu_has_gradient(snapshot, tenant) || sms >= tenant->blocks)
		return 0;
	before = simgpu_np_at(&tenant->curve, sms);
	after = simgpu_np_at(&tenant->curve, sms + 1);
	return fixed_above(after, before);
}

static int curve_qos_decide(const struct simgpu_snapshot *snapshot, void *state,
			    struct simgpu_proposal *proposal)
{
	static const struct promise_rules rules = {
		.wanted = wanted_sms, .worth = worth,
	};
	struct memory *memory = state;
	u32 slot;

	for (slot = 0; slot < SIMGPU_SLOTS_MAX; slot++)
		if (!snapshot->tenants[slot].active)
			memory->asking[slot].epochs = 0;
	promise_decide(snapshot, &rules, state, proposal);
	return 0;
}

static const struct simgpu_param params[] = {
	[CURVE_SURENESS] = {
		"curve_sureness", SIMGPU_UNIT_RATIO, 0, 10 * SIMGPU_PPM, 1000000,
		"how many times what a curve errs by to aim above a target"
	},
	[CURVE_MARGIN] = {
		"curve_margin", SIMGPU_UNIT_RATIO, 0, SIMGPU_PPM, 50000,
		"how far above what it aims at a tenant gives SMs back"
	},
	[TAKE_EPOCHS] = {
		"take_epochs", SIMGPU_UNIT_NUMBER, 1, 100, 2,
		"epochs in a row that have to ask for more SMs"
	},
	[GIVE_EPOCHS] = {
		"give_epochs", SIMGPU_UNIT_NUMBER, 1, 100, 4,
		"epochs in a row that have to ask for fewer SMs"
	},
	{ .name = NULL }
};

const struct simgpu_policy policy_curve_qos = {
	.name = "curve-qos",
	.about = "targets of NP, by curves of NP over SMs",
	.state_bytes = sizeof(struct memory),
	.needs = SIMGPU_NEEDS_CURVES,
	.params = params,
	.model = "mirror",
	.decide = curve_qos_decide,
};
