/* SPDX-License-Identifier: GPL-2.0 */
/* Slowdowns as the product of two factors (Themis, Eq. 4). */
#ifndef MODEL_FACTORS_H
#define MODEL_FACTORS_H

#include <simgpu/model.h>

/* The greatest value of each factor of a slowdown. */
#define FACTORS_SD_MOST_PPM	(1000 * SIMGPU_PPM)

void factors_say(u64 scal_ppm, u64 inter_ppm,
		 struct simgpu_prediction_tenant *out);
void factors_class(const struct simgpu_snapshot *snapshot,
		   const struct simgpu_snapshot_tenant *tenant,
		   struct simgpu_prediction_tenant *out);
u64 factors_sms_ppm(const struct simgpu_snapshot *snapshot,
		    const struct simgpu_snapshot_tenant *tenant);

#endif /* MODEL_FACTORS_H */
