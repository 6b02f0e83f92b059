/* SPDX-License-Identifier: GPL-2.0 */
/* Curves of NP through the SM counts that a tenant has had. */
#ifndef POLICY_SEEN_CURVE_H
#define POLICY_SEEN_CURVE_H

#include <simgpu/model.h>
#include "psp.h"

/**
 * struct seen_curve - the SM counts that a tenant has had, and its NP there
 * @points: the SM counts and NPs; @points.inter_ppm is not used
 * @shape_ppm: mean distance of the measured NP from the curve at SM counts that were
 *	new, as a part of NP
 * @learned: 1 once a new SM count was measured
 */
struct seen_curve {
	struct psp_curve points;
	u32 shape_ppm;
	u32 learned;
};

/**
 * struct seen_curves - the state of a model that answers such curves
 * @slot: by slot
 */
struct seen_curves {
	struct seen_curve slot[SIMGPU_SLOTS_MAX];
};

void seen_curves_answer(struct seen_curves *curves,
			const struct simgpu_snapshot *snapshot, u32 error_ppm,
			struct simgpu_prediction *prediction);
void seen_curve_answer(struct seen_curve *curve,
		       const struct simgpu_snapshot *snapshot,
		       const struct simgpu_snapshot_tenant *tenant,
		       u32 error_ppm, struct simgpu_prediction_tenant *said);

#endif /* POLICY_SEEN_CURVE_H */
