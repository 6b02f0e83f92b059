// SPDX-License-Identifier: GPL-2.0
/*
 * Proactive slowdown prediction (Themis, section VII.A): the slowdown that a tenant would
 * have with other SM counts. The interference factor stays as it is (Eq. 9). Scalability
 * progress, 1 / SD_scal, is read from straight lines: from 0 with no SM, through all SM
 * counts that were tried, to 1 with all SMs (Eq. 10).
 */
#include <simgpu/split.h>
#include "psp.h"

static bool same_kernel(const struct psp_curve *curve,
			const struct simgpu_snapshot_kernel *kernel)
{
	return curve->kernel == kernel->kernel &&
	       curve->blocks == kernel->blocks &&
	       curve->threads == kernel->threads;
}

/* More SMs are never worse: an older point that disagrees with a new one is dropped. */
static bool contradicts(const struct simgpu_knot *old, u32 sms_milli, u32 np_ppm)
{
	return fixed_apart(old->sms_milli, sms_milli) < 500 ||
	       (old->sms_milli < sms_milli && old->np_ppm > np_ppm) ||
	       (old->sms_milli > sms_milli && old->np_ppm < np_ppm);
}

/* psp_add_point() - add what an epoch showed, and drop older points that contradict it */
void psp_add_point(struct psp_curve *curve, u32 sms_milli, u32 np_ppm)
{
	u32 kept = 0, i;

	for (i = 0; i < curve->count; i++)
		if (!contradicts(&curve->points[i], sms_milli, np_ppm))
			curve->points[kept++] = curve->points[i];
	if (kept == PSP_POINTS_MAX) {
		kept--;
		memmove(&curve->points[0], &curve->points[1],
			kept * sizeof(curve->points[0]));
	}
	curve->points[kept++] = (struct simgpu_knot) { sms_milli, np_ppm };
	curve->count = kept;
}

/* psp_follow() - drop all points if the tenant runs another kernel than before */
void psp_follow(struct psp_curve *curve,
		const struct simgpu_snapshot_kernel *kernel)
{
	if (same_kernel(curve, kernel))
		return;
	memset(curve, 0, sizeof(*curve));
	curve->kernel = kernel->kernel;
	curve->blocks = kernel->blocks;
	curve->threads = kernel->threads;
}

/*
 * psp_learn() - add a point for the last epoch of a tenant
 *
 * Some models do not tell Eq. 4's factors apart. Then the whole slowdown counts as
 * scalability.
 *
 * Return: whether the curve can now predict the slowdown with other SM counts.
 */
bool psp_learn(struct psp_curve *curve, const struct simgpu_snapshot *snapshot,
	       const struct simgpu_snapshot_tenant *tenant)
{
	const struct simgpu_snapshot_kernel *kernel = &tenant->queue[0].head;
	u64 held = simgpu_held_milli(snapshot, tenant), progress;

	psp_follow(curve, kernel);
	if (!simgpu_has_gradient(snapshot, tenant) || !tenant->np_ppm) {
		curve->inter_ppm = 0;
		return false;
	}
	progress = tenant->np_ppm;
	curve->inter_ppm = SIMGPU_PPM;
	if (tenant->sd_scal_ppm) {
		progress = fixed_ratio_ppm(SIMGPU_PPM, tenant->sd_scal_ppm);
		curve->inter_ppm = tenant->sd_inter_ppm;
	}
	progress = min(progress, SIMGPU_PPM);
	if (held < 1000ULL * snapshot->sms)
		psp_add_point(curve, (u32)held, (u32)progress);
	return true;
}

/*
 * psp_progress_ppm() - Eq. 10: scalability progress with some SMs
 * @all: SMs of the device
 * @sms: SM count, at most @all
 */
u64 psp_progress_ppm(const struct psp_curve *curve, u32 all, u32 sms)
{
	struct simgpu_knot left = { 0, 0 }, right = { 1000 * all, SIMGPU_PPM };
	u32 at = 1000 * sms, i;

	for (i = 0; i < curve->count; i++) {
		const struct simgpu_knot *point = &curve->points[i];

		if (point->sms_milli <= at && point->sms_milli >= left.sms_milli)
			left = *point;
		if (point->sms_milli > at && point->sms_milli < right.sms_milli)
			right = *point;
	}
	if (at >= right.sms_milli || right.np_ppm < left.np_ppm)
		return right.np_ppm;
	return left.np_ppm + (u64)(right.np_ppm - left.np_ppm) *
			     (at - left.sms_milli) /
			     (right.sms_milli - left.sms_milli);
}

/* psp_slowdown_ppm() - Eq. 9: the slowdown with some SMs, at least 1 */
u64 psp_slowdown_ppm(const struct psp_curve *curve, u32 all, u32 sms)
{
	u64 progress = psp_progress_ppm(curve, all, sms);

	return fixed_ratio_ppm(curve->inter_ppm, progress ? progress : 1);
}
