// SPDX-License-Identifier: GPL-2.0
/*
 * Curves through measured points: NP at the SM counts that a tenant has had, 0 at no SM,
 * and 1 at all SMs, where the tenant is alone. Outside the counts that it has had, the
 * curve is the mean of two extremes. Both go through the nearest point (h, NP) of S SMs:
 *
 *  - Nothing is saturated: NP is HSM's line through the origin, up to 1.
 *  - A resource that all share is saturated. Tenants get it in proportion to their SMs,
 *    and an SM of this tenant weighs r times as much as one of the others:
 *    NP(x) = r x / (r x + S - x). That is NP at h for r = NP (S - h) / (h (1 - NP)),
 *    and 1 at S.
 *
 * For a compute-bound tenant both are the same line (r = 1).
 */
#include <simgpu/split.h>
#include "curve.h"
#include "psp.h"
#include "seen_curve.h"

/* Points that a curve shows; its ends and the extremes take its other knots. */
#define SHOWN			4
/* SM counts that are no farther apart than this count as one, in thousandths of an SM. */
#define NEAR			4000
/* Above this NP, r would be more exact than NP is. */
#define SATURATED_PPM		980000
/* Error of the curve's shape at a new SM count, before one was measured. */
#define SHAPE_FIRST_PPM		50000
#define SHAPE_MOST_PPM		500000

/* The second extreme at @at of @all SMs, in thousandths of an SM. */
static u64 shared_ppm(const struct simgpu_knot *seen, u64 all, u64 at)
{
	u64 np = min_t(u32, seen->np_ppm, SATURATED_PPM);
	u64 own = np * (all - seen->sms_milli) * at;
	u64 others = (SIMGPU_PPM - np) * seen->sms_milli * (all - at);

	return fixed_ratio_ppm(own, own + others);
}

static u64 beyond_ppm(const struct simgpu_knot *seen, u64 all, u64 at)
{
	u64 line = seen->np_ppm * at / seen->sms_milli;

	line = min(line, SIMGPU_PPM);
	return (line + shared_ppm(seen, all, at)) / 2;
}

static void add_knot(struct simgpu_curve *curve, u64 sms_milli, u64 np_ppm)
{
	struct simgpu_knot *knot = &curve->knot[curve->knots++];

	knot->sms_milli = (u32)sms_milli;
	knot->np_ppm = (u32)np_ppm;
}

/* Copies the latest points to @out in the order of SM counts; returns how many. */
static u32 sort_points(const struct psp_curve *points,
		       struct simgpu_knot out[SHOWN])
{
	u32 first = points->count > SHOWN ? points->count - SHOWN : 0;
	u32 count = 0, i, k;

	for (i = first; i < points->count; i++) {
		for (k = count++; k && out[k - 1].sms_milli >
				       points->points[i].sms_milli; k--)
			out[k] = out[k - 1];
		out[k] = points->points[i];
	}
	return count;
}

/* The curve holds from half the least count that was seen to half the way to all SMs. */
static void set_range(const struct simgpu_knot *least,
		      const struct simgpu_knot *most, u64 all,
		      struct simgpu_curve *out)
{
	out->least_sms = least->sms_milli / 2000;
	if (!out->least_sms)
		out->least_sms = 1;
	out->most_sms = (u32)((most->sms_milli + all) / 2000);
}

/* Draw the curve; there is at least one point. */
static void draw(const struct seen_curve *curve, u64 all,
		 struct simgpu_curve *out)
{
	struct simgpu_knot points[SHOWN];
	u32 count = sort_points(&curve->points, points), i;
	const struct simgpu_knot *last = &points[count - 1];
	u64 at;

	memset(out, 0, sizeof(*out));
	set_range(&points[0], last, all, out);
	add_knot(out, 0, 0);
	at = points[0].sms_milli / 2;
	add_knot(out, at, beyond_ppm(&points[0], all, at));
	for (i = 0; i < count; i++)
		add_knot(out, points[i].sms_milli, points[i].np_ppm);
	at = (last->sms_milli + all) / 2;
	add_knot(out, at, beyond_ppm(last, all, at));
	add_knot(out, all, SIMGPU_PPM);
}

/* The point nearest to a count, less than NEAR away; NULL: the count is new. */
static struct simgpu_knot *find_near(struct psp_curve *points, u64 held)
{
	struct simgpu_knot *nearest = NULL;
	u64 least = NEAR, apart;
	u32 i;

	for (i = 0; i < points->count; i++) {
		u64 seen = points->points[i].sms_milli;

		apart = fixed_apart(seen, held);
		if (apart < least) {
			nearest = &points->points[i];
			least = apart;
		}
	}
	return nearest;
}

/*
 * Another NP at a count that was seen before comes from time, not from SMs. So all points
 * move by the same factor, and the nearest point moves to the present SM count.
 */
static void follow_time(struct psp_curve *points, struct simgpu_knot *near,
			u64 held, u64 np)
{
	u64 before = near->np_ppm;
	u32 i;

	near->sms_milli = (u32)held;
	for (i = 0; i < points->count; i++) {
		u64 moved = fixed_mul_div(points->points[i].np_ppm, np, before);

		moved = min(moved, SIMGPU_PPM);
		points->points[i].np_ppm = moved ? (u32)moved : 1;
	}
	psp_add_point(points, (u32)held, (u32)np);
}

/* At a new count, compare the NP that the curve said with the measured one. */
static void learn_shape(struct seen_curve *curve, u64 all, u64 held, u64 np)
{
	struct simgpu_curve before;
	u64 said, off;

	if (!curve->points.count)
		return;
	draw(curve, all, &before);
	said = simgpu_np_at_milli(&before, held);
	off = fixed_ratio_ppm(fixed_apart(said, np), np);
	off = min_t(u64, off, SHAPE_MOST_PPM);
	curve->shape_ppm = (u32)((3 * curve->shape_ppm + off) / 4);
	curve->learned = 1;
}

static void learn(struct seen_curve *curve, u64 all, u64 held, u64 np)
{
	struct simgpu_knot *near = find_near(&curve->points, held);

	if (near) {
		follow_time(&curve->points, near, held, np);
		return;
	}
	learn_shape(curve, all, held, np);
	psp_add_point(&curve->points, (u32)held, (u32)np);
}

/* Drop points at SM counts that this device does not have: another device's. */
static void forget_others(struct psp_curve *points, u64 all)
{
	u32 kept = 0, i;

	for (i = 0; i < points->count; i++)
		if (points->points[i].sms_milli < all)
			points->points[kept++] = points->points[i];
	points->count = kept;
}

/*
 * seen_curve_answer() - answer a curve through present and earlier predictions
 * @curve: state of the tenant; zeroed before the first call
 * @error_ppm: mean error of the model's NP; the error of the curve's shape is added
 * @said: the prediction of this epoch; its curve is set
 */
void seen_curve_answer(struct seen_curve *curve,
		       const struct simgpu_snapshot *snapshot,
		       const struct simgpu_snapshot_tenant *tenant,
		       u32 error_ppm, struct simgpu_prediction_tenant *said)
{
	u64 all = 1000ULL * snapshot->sms;
	u64 held = simgpu_held_milli(snapshot, tenant);
	u64 np = min(said->np_ppm, SIMGPU_PPM);

	psp_follow(&curve->points, &tenant->queue[0].head);
	forget_others(&curve->points, all);
	if (!curve->learned && !curve->shape_ppm)
		curve->shape_ppm = SHAPE_FIRST_PPM;
	/* Less than two SMs cannot be halved, and a kernel's tail looks like another kernel. */
	if (held >= 2000 && held < all && np && !simgpu_in_tail(tenant))
		learn(curve, all, held, np);
	if (curve->points.count)
		draw(curve, all, &said->curve);
	else
		curve_of_tenant(snapshot, tenant, said);
	said->curve.error_ppm = error_ppm + curve->shape_ppm;
}

/*
 * seen_curves_answer() - seen_curve_answer() for all tenants whose class is predicted
 * @curves: state of the model
 */
void seen_curves_answer(struct seen_curves *curves,
			const struct simgpu_snapshot *snapshot, u32 error_ppm,
			struct simgpu_prediction *prediction)
{
	u32 slot;

	for (slot = 0; slot < SIMGPU_SLOTS_MAX; slot++) {
		const struct simgpu_snapshot_tenant *tenant =
			&snapshot->tenants[slot];
		struct simgpu_prediction_tenant *said =
			&prediction->tenants[slot];

		if (tenant->active && said->class != SIMGPU_CLASS_UNKNOWN)
			seen_curve_answer(&curves->slot[slot], snapshot, tenant,
					  error_ppm, said);
	}
}
