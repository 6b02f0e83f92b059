// SPDX-License-Identifier: GPL-2.0
/* Curves that several models answer; simgpu/curve.h describes curves. */
#include <simgpu/split.h>
#include "curve.h"

static void add_knot(struct simgpu_curve *curve, u64 sms_milli, u64 np_ppm)
{
	curve->knot[curve->knots].sms_milli = (u32)sms_milli;
	curve->knot[curve->knots++].np_ppm = (u32)np_ppm;
}

/*
 * curve_through_origin() - HSM's line (section 4.3, Figure 9)
 * @held_milli: SMs that a tenant held, in thousandths
 * @np_ppm: its NP with them, at most 1
 * @sms: SMs of the device
 *
 * The curve is NP_k / S_k times the SMs, and 1 from where that reaches 1. Without a
 * point (no SMs held, or no NP) the curve is empty.
 */
void curve_through_origin(u64 held_milli, u64 np_ppm, u32 sms,
			  struct simgpu_curve *out)
{
	u64 all = 1000ULL * sms, knee;

	memset(out, 0, sizeof(*out));
	if (!held_milli || !np_ppm)
		return;
	out->least_sms = 1;
	out->most_sms = sms;
	add_knot(out, 0, 0);
	knee = fixed_mul_div(held_milli, SIMGPU_PPM, np_ppm);
	if (knee >= all) {
		add_knot(out, all, fixed_mul_div(np_ppm, all, held_milli));
		return;
	}
	add_knot(out, knee, SIMGPU_PPM);
	add_knot(out, all, SIMGPU_PPM);
}

/* curve_of_tenant() - curve_through_origin() of a tenant's SMs and predicted NP */
void curve_of_tenant(const struct simgpu_snapshot *snapshot,
		     const struct simgpu_snapshot_tenant *tenant,
		     struct simgpu_prediction_tenant *said)
{
	u64 np = min(said->np_ppm, SIMGPU_PPM);

	curve_through_origin(simgpu_held_milli(snapshot, tenant), np,
			     snapshot->sms, &said->curve);
}
