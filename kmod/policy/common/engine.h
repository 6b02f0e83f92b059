/* SPDX-License-Identifier: GPL-2.0 */
/* Themis' allocation engine (VII.B, Algorithm 1). */
#ifndef POLICY_ENGINE_H
#define POLICY_ENGINE_H

#include <simgpu/proposal.h>
#include "psp.h"

/**
 * struct engine - the state of a policy that searches with it
 * @curves: by slot
 * @count: tenants among whom SMs move: those of which something is known
 * @reserved: zero
 * @slot: of each
 * @before: SMs that it has
 * @sms: and would have
 * @sd_ppm: its slowdown with these
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
 * @score: more is better
 * @good_enough: whether to stop searching; @gain is what the last round brought
 */
struct engine_rules {
	s64 (*score)(const struct simgpu_snapshot *snapshot,
		     const struct engine *engine);
	bool (*good_enough)(const struct simgpu_snapshot *snapshot,
			    const struct engine *engine, s64 gain);
};

/* The first knob of all that search with it. */
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
