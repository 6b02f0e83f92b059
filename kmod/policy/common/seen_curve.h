/* SPDX-License-Identifier: GPL-2.0 */
/* Curves through what was seen. */
#ifndef POLICY_SEEN_CURVE_H
#define POLICY_SEEN_CURVE_H

#include <simgpu/model.h>
#include "psp.h"

/**
 * struct seen_curve - what is known of a tenant's kernel
 * @points: SM counts that it had, and its NP there; @points.inter_ppm is not used
 * @shape_ppm: how far NP was from the curve at counts that were new to it, as a part of
 *	NP, averaged
 * @learned: whether it was seen at such a count yet
 */
struct seen_curve {
	struct psp_curve points;
	u32 shape_ppm;
	u32 learned;
};

/**
 * struct seen_curves - the state of a model that answers them
 * @slot: by slot
 */
struct seen_curves {
	struct seen_curve slot[SIMGPU_SLOTS_MAX];
};

void seen_curve_answer(struct seen_curve *curve,
		       const struct simgpu_snapshot *snapshot,
		       const struct simgpu_snapshot_tenant *tenant,
		       u32 error_ppm, struct simgpu_prediction_tenant *said);

#endif /* POLICY_SEEN_CURVE_H */
