// SPDX-License-Identifier: GPL-2.0
/*
 * themis-fair: Themis-Fair (section VII.C, Algorithm 2). SMs move by Algorithm 1 until
 * slowdowns are proportional to the reciprocals of weights. The score is unfairness
 * (Eq. 11), and an allocation is good enough below a threshold. dase-fair and bubble-psp
 * are the same policy over other models. bubble-flux moves nothing: it is its model's
 * stages beside an even split.
 */
#include "../common/engine.h"
#include "../common/split.h"
#include "../registry.h"

/* Indices of its parameters. */
enum {
	DISTANCE = ENGINE_MAX_DISTANCE,
	THRESHOLD,
};

/* Eq. 11, in ppm. Weights need no common sum, which cancels out. */
static u64 unfairness_ppm(const struct simgpu_snapshot *snapshot,
			  const struct engine *engine)
{
	u64 least = U64_MAX, most = 0;
	u32 i;

	for (i = 0; i < engine->count; i++) {
		u64 value = fixed_mul(engine->sd_ppm[i],
			snapshot->tenants[engine->slot[i]].weight);

		least = min(least, value);
		most = max(most, value);
	}
	return most ? fixed_ratio_ppm(most - least, most) : 0;
}

static s64 score(const struct simgpu_snapshot *snapshot,
		 const struct engine *engine)
{
	return -(s64)unfairness_ppm(snapshot, engine);
}

static bool good_enough(const struct simgpu_snapshot *snapshot,
			const struct engine *engine, s64 gain)
{
	return unfairness_ppm(snapshot, engine) <
	       snapshot->policy_params[THRESHOLD];
}

static const struct engine_rules rules = {
	.score = score,
	.good_enough = good_enough,
};

static int themis_fair_decide(const struct simgpu_snapshot *snapshot,
			      void *state, struct simgpu_proposal *proposal)
{
	engine_decide(snapshot, state, &rules, proposal);
	return 0;
}

static int bubble_flux_decide(const struct simgpu_snapshot *snapshot,
			      void *state, struct simgpu_proposal *proposal)
{
	policy_split_even(snapshot, proposal);
	return 0;
}

static const struct simgpu_param params[] = {
	[DISTANCE] = ENGINE_MAX_DISTANCE_PARAM,
	[THRESHOLD] = {
		"unfairness_threshold", SIMGPU_UNIT_RATIO, 0, SIMGPU_PPM, 100000,
		"predicted unfairness (Eq. 11) below which SMs stay (Themis, thres)"
	},
	{ .name = NULL }
};

const struct simgpu_policy policy_themis_fair = {
	.name = "themis-fair",
	.about = "Algorithm 1 of Themis until unfairness is low",
	.state_bytes = sizeof(struct engine),
	.params = params,
	.model = "themis",
	.decide = themis_fair_decide,
};

const struct simgpu_policy policy_dase_fair = {
	.name = "dase-fair",
	.about = "the same engine as themis-fair, over DASE",
	.state_bytes = sizeof(struct engine),
	.params = params,
	.model = "dase-capped",
	.decide = themis_fair_decide,
};

const struct simgpu_policy policy_bubble_psp = {
	.name = "bubble-psp",
	.about = "the same engine as themis-fair, over Bubble-Flux",
	.state_bytes = sizeof(struct engine),
	.params = params,
	.model = "bubble-flux",
	.decide = themis_fair_decide,
};

const struct simgpu_policy policy_bubble_flux = {
	.name = "bubble-flux",
	.about = "even SMs, and stages in which a tenant is alone",
	.model = "bubble-flux",
	.decide = bubble_flux_decide,
};
