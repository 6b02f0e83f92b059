/* SPDX-License-Identifier: GPL-2.0 OR LGPL-2.1 */
/*
 * Curves: what a model predicts for SM counts that were never tried. HSM's line through
 * the origin, a point with a cap (DASE), a line that saturates and Themis' prediction
 * ahead are all a few knots with straight lines between them.
 */
#ifndef SIMGPU_CURVE_H
#define SIMGPU_CURVE_H

#include <simgpu/fixed.h>

#define SIMGPU_CURVE_KNOTS_MAX	8

/**
 * struct simgpu_knot - a point of a curve
 * @sms_milli: SMs, in thousandths
 * @np_ppm: normalized progress there
 */
struct simgpu_knot {
	u32 sms_milli;
	u32 np_ppm;
};

/**
 * struct simgpu_curve - NP as a function of SMs
 * @knots: number of knots; 0: the model predicts no curve
 * @least_sms: least SM count for which the curve holds
 * @most_sms: greatest SM count for which it holds
 * @error_ppm: how far NP may be from the curve where it holds, as a part of NP: the
 *	model's own estimate of its mean error; 0: no estimate
 * @knot: the knots, in rising order of @sms_milli; straight lines join them
 */
struct simgpu_curve {
	u32 knots;
	u32 least_sms;
	u32 most_sms;
	u32 error_ppm;
	struct simgpu_knot knot[SIMGPU_CURVE_KNOTS_MAX];
};

/**
 * simgpu_np_at_milli() - read a curve between SM counts
 * @curve: with rising knots
 * @sms_milli: SMs, in thousandths
 *
 * Left of the first knot and right of the last the curve is level.
 *
 * Return: NP in parts per million, rounded down; 0 for a curve without knots.
 */
static inline u64 simgpu_np_at_milli(const struct simgpu_curve *curve,
				     u64 sms_milli)
{
	const struct simgpu_knot *left = &curve->knot[0], *right;
	u64 width, rise;
	u32 i;

	if (!curve->knots)
		return 0;
	for (i = 0; i < SIMGPU_CURVE_KNOTS_MAX; i++) {
		right = &curve->knot[i];
		if (i >= curve->knots || sms_milli <= right->sms_milli)
			break;
		left = right;
	}
	if (i == 0 || i >= curve->knots || i >= SIMGPU_CURVE_KNOTS_MAX)
		return left->np_ppm;
	width = right->sms_milli - left->sms_milli;
	sms_milli -= left->sms_milli;
	if (right->np_ppm >= left->np_ppm) {
		rise = right->np_ppm - left->np_ppm;
		return left->np_ppm + rise * sms_milli / width;
	}
	rise = left->np_ppm - right->np_ppm;
	return left->np_ppm - (rise * sms_milli + width - 1) / width;
}

/**
 * simgpu_np_at() - read a curve
 * @curve: with rising knots
 * @sms: SM count; least_sms and most_sms say whether the curve holds there
 *
 * Return: see simgpu_np_at_milli().
 */
static inline u64 simgpu_np_at(const struct simgpu_curve *curve, u32 sms)
{
	return simgpu_np_at_milli(curve, 1000ULL * sms);
}

#endif /* SIMGPU_CURVE_H */
