// SPDX-License-Identifier: GPL-2.0
/*
 * Themis' allocation engine (section VII.B, Algorithm 1). For all pairs of tenants, the
 * engine moves an SM from the one to the other if the score rises. It stops when no move
 * helps, when the allocation is good enough, or when a tenant would gain or lose more
 * than max_distance SMs. The policy defines the score.
 */
#include "engine.h"
#include "psp.h"

#define S64_MOST	((s64)(U64_MAX >> 1))

/* Begin with the present SM counts, and the tenants whose slowdown is known. */
static void begin(const struct simgpu_snapshot *snapshot, struct engine *engine,
		  const struct simgpu_proposal *proposal)
{
	u32 slot;

	engine->count = 0;
	for (slot = 0; slot < SIMGPU_SLOTS_MAX; slot++) {
		struct psp_curve *curve = &engine->curves[slot];
		u32 i = engine->count;

		if (!snapshot->tenants[slot].active) {
			memset(curve, 0, sizeof(*curve));
			continue;
		}
		if (!psp_learn(curve, snapshot, &snapshot->tenants[slot]) ||
		    !proposal->sms[slot])
			continue;
		engine->slot[i] = slot;
		engine->before[i] = proposal->sms[slot];
		engine->sms[i] = proposal->sms[slot];
		engine->sd_ppm[i] = psp_slowdown_ppm(curve, snapshot->sms,
						     engine->sms[i]);
		engine->count++;
	}
}

static u32 distance_of(const struct engine *engine, u32 i)
{
	return (u32)fixed_apart(engine->sms[i], engine->before[i]);
}

static u32 distance(const struct engine *engine)
{
	u32 most = 0, i;

	for (i = 0; i < engine->count; i++)
		most = max(most, distance_of(engine, i));
	return most;
}

static void set_sms(const struct simgpu_snapshot *snapshot,
		    struct engine *engine, u32 i, u32 sms)
{
	engine->sms[i] = sms;
	engine->sd_ppm[i] = psp_slowdown_ppm(&engine->curves[engine->slot[i]],
					     snapshot->sms, sms);
}

/* Move an SM from @i to @j if that is possible and the score rises. */
static bool try_move(const struct simgpu_snapshot *snapshot,
		     struct engine *engine, const struct engine_rules *rules,
		     u32 i, u32 j, s64 *score)
{
	u64 most = snapshot->policy_params[ENGINE_MAX_DISTANCE];
	s64 moved;

	if (i == j || engine->sms[i] < 2)
		return false;
	set_sms(snapshot, engine, i, engine->sms[i] - 1);
	set_sms(snapshot, engine, j, engine->sms[j] + 1);
	moved = rules->score(snapshot, engine);
	if (moved > *score && distance_of(engine, i) <= most &&
	    distance_of(engine, j) <= most) {
		*score = moved;
		return true;
	}
	set_sms(snapshot, engine, i, engine->sms[i] + 1);
	set_sms(snapshot, engine, j, engine->sms[j] - 1);
	return false;
}

/* The inner two loops of Algorithm 1. */
static bool try_all_pairs(const struct simgpu_snapshot *snapshot,
			  struct engine *engine,
			  const struct engine_rules *rules, s64 *score)
{
	bool better = false;
	u32 i, j;

	for (i = 0; i < engine->count; i++)
		for (j = 0; j < engine->count; j++)
			better |= try_move(snapshot, engine, rules, i, j,
					   score);
	return better;
}

/*
 * engine_decide() - move SMs as Algorithm 1 says
 * @engine: state between calls; zeroed before the first
 * @rules: score and criterion
 * @proposal: has the present counts; new ones on return
 *
 * Tenants for which the model has made no prediction keep their SMs. A round that gains
 * moves at least one SM, and no tenant gains or loses more than max_distance, which
 * bounds the number of rounds.
 */
void engine_decide(const struct simgpu_snapshot *snapshot,
		   struct engine *engine, const struct engine_rules *rules,
		   struct simgpu_proposal *proposal)
{
	s64 gain = S64_MOST, score;
	u32 rounds = SIMGPU_SMS_MAX, i;

	begin(snapshot, engine, proposal);
	if (engine->count < 2)
		return;
	score = rules->score(snapshot, engine);
	while (rounds-- &&
	       distance(engine) < snapshot->policy_params[ENGINE_MAX_DISTANCE] &&
	       !rules->good_enough(snapshot, engine, gain)) {
		s64 before = score;

		if (!try_all_pairs(snapshot, engine, rules, &score))
			break;
		gain = score - before;
	}
	for (i = 0; i < engine->count; i++)
		proposal->sms[engine->slot[i]] = engine->sms[i];
}
