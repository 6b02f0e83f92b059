// SPDX-License-Identifier: GPL-2.0
/*
 * themis-qos: Themis-QoS (section VII.D). The paper does not give its score; here, while
 * a tenant misses its target, it is minus the greatest miss, else the sum of the other
 * tenants' progress. An allocation is good enough if it meets all targets and the last
 * round gained no more than a thousandth. dase-qos is the same policy over another model.
 */
#include "../common/engine.h"
#include "../registry.h"

/* Indices of its parameters. */
enum {
	DISTANCE = ENGINE_MAX_DISTANCE,
	GUARD,
};

#define LEAST_GAIN_PPM	1000

static u64 progress_ppm(const struct engine *engine, u32 i)
{
	u64 np = fixed_ratio_ppm(SIMGPU_PPM, engine->sd_ppm[i]);

	return min(np, SIMGPU_PPM);
}

/* The greatest miss of a target by any tenant. */
static u64 greatest_miss_ppm(const struct simgpu_snapshot *snapshot,
			     const struct engine *engine)
{
	u64 most = 0;
	u32 i;

	for (i = 0; i < engine->count; i++) {
		const struct simgpu_snapshot_tenant *tenant =
			&snapshot->tenants[engine->slot[i]];
		u64 target = tenant->target_ppm + snapshot->policy_params[GUARD];

		if (tenant->service != SIMGPU_QOS)
			continue;
		target = min(target, SIMGPU_PPM);
		if (target > progress_ppm(engine, i) &&
		    target - progress_ppm(engine, i) > most)
			most = target - progress_ppm(engine, i);
	}
	return most;
}

static s64 score(const struct simgpu_snapshot *snapshot,
		 const struct engine *engine)
{
	u64 miss = greatest_miss_ppm(snapshot, engine), sum = 0;
	u32 i;

	if (miss)
		return -(s64)miss;
	for (i = 0; i < engine->count; i++)
		if (snapshot->tenants[engine->slot[i]].service != SIMGPU_QOS)
			sum += progress_ppm(engine, i);
	return (s64)sum;
}

static bool good_enough(const struct simgpu_snapshot *snapshot,
			const struct engine *engine, s64 gain)
{
	return gain < LEAST_GAIN_PPM && !greatest_miss_ppm(snapshot, engine);
}

static const struct engine_rules rules = {
	.score = score,
	.good_enough = good_enough,
};

static int themis_qos_decide(const struct simgpu_snapshot *snapshot,
			     void *state, struct simgpu_proposal *proposal)
{
	engine_decide(snapshot, state, &rules, proposal);
	return 0;
}

static const struct simgpu_param params[] = {
	[DISTANCE] = ENGINE_MAX_DISTANCE_PARAM,
	[GUARD] = {
		"qos_guard", SIMGPU_UNIT_RATIO, 0, SIMGPU_PPM, 0,
		"how far above a target to aim, for the model's errors (Themis has none)"
	},
	{ .name = NULL }
};

const struct simgpu_policy policy_themis_qos = {
	.name = "themis-qos",
	.about = "Algorithm 1 of Themis, targets first",
	.state_bytes = sizeof(struct engine),
	.params = params,
	.model = "themis",
	.decide = themis_qos_decide,
};

const struct simgpu_policy policy_dase_qos = {
	.name = "dase-qos",
	.about = "the same engine as themis-qos, over DASE",
	.state_bytes = sizeof(struct engine),
	.params = params,
	.model = "dase-capped",
	.decide = themis_qos_decide,
};
