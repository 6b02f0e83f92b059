/* SPDX-License-Identifier: GPL-2.0 */
/* Themis' allocation engine (VII.B, Algorithm 1). */
#ifndef POLICY_ENGINE_H
#define POLICY_ENGINE_H

#include <simgpu/proposal.h>
#include "psp.h"

/**
 * struct engine - the state of a policy that searches with the engine
 * @curves: by slot
 * @count: tenants among whom SMs move: those with a known slowdown
 * @reserved: zero
 * @slot: slot of each of these tenants
 * @before: SMs that the tenant has now
 * @sms: SMs that the tenant would have
 * @sd_ppm: slowdown that is expected with @sms
 */
struct engine {
	struct psp_curve curves[SIMGPU_SLOTS_MAX];
	u32 count;
	u32 reserved;
	u32 slot[SIMGPU_SLOTS_MAX];
	u32 before[SIMGPU_SLOTS_MAX];
	u32 sms[SIMGPU_SLOTS_MAX];
	u64 sd_ppm[SIMGPU_SLOTS_MAX];
};

/**
 * struct engine_rules - what an allocation is worth (Algorithm 1)
 * @score: the score of an allocation; a higher one is better
 * @good_enough: whether to stop the search; @gain is what the last round added to the score
 */
struct engine_rules {
	s64 (*score)(const struct simgpu_snapshot *snapshot,
		     const struct engine *engine);
	bool (*good_enough)(const struct simgpu_snapshot *snapshot,
			    const struct engine *engine, s64 gain);
};

/* The first parameter of all policies that search with the engine. */
enum {
	ENGINE_MAX_DISTANCE,
};

#define ENGINE_MAX_DISTANCE_PARAM {					\
	"max_distance", SIMGPU_UNIT_NUMBER, 1, SIMGPU_SMS_MAX, 5,	\
	"SMs that a tenant gains or loses in a decision at most (Themis, maxDist)" \
}

void engine_decide(const struct simgpu_snapshot *snapshot,
		   struct engine *engine, const struct engine_rules *rules,
		   struct simgpu_proposal *proposal);

#endif /* POLICY_ENGINE_H */
