/* SPDX-License-Identifier: GPL-2.0 */
/* Curves that several models answer; simgpu/curve.h describes curves. */
#ifndef POLICY_CURVE_H
#define POLICY_CURVE_H

#include <simgpu/snapshot.h>
#include <simgpu/model.h>

void curve_through_origin(u64 held_milli, u64 np_ppm, u32 sms,
			  struct simgpu_curve *out);
void curve_of_tenant(const struct simgpu_snapshot *snapshot,
		     const struct simgpu_snapshot_tenant *tenant,
		     struct simgpu_prediction_tenant *said);

#endif /* POLICY_CURVE_H */
