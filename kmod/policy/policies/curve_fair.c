// SPDX-License-Identifier: GPL-2.0
/*
 * curve-fair: fairness by the model's curves. hsm-fair's lines through the origin promise
 * a saturated tenant too much. While fairness is below a threshold, SMs move one by one
 * from the tenant with the highest NP on its curve to the one with the lowest. They
 * move as long as that order stays and both curves hold. The larger the curves' errors,
 * the fewer of these moves are made. Any number of tenants; a kernel's tail is not
 * changed.
 */
#include <simgpu/split.h>
#include "../registry.h"
#include "fair.h"

/* Indices of its parameters. */
enum {
	FAIR_THRESHOLD,
};

/* However large the errors are, a quarter of the moves are made. */
#define UNSURE_MOST_PPM		750000

/**
 * struct search - the SMs that tenants would have
 * @sms: by slot
 * @usable: a bit for each slot that takes part
 */
struct search {
	u32 sms[SIMGPU_SLOTS_MAX];
	u64 usable;
};

static bool is_usable(const struct simgpu_snapshot *snapshot,
		      const struct simgpu_snapshot_tenant *tenant)
{
	return simgpu_has_gradient(snapshot, tenant) && tenant->curve.knots &&
	       tenant->sms && !simgpu_in_tail(tenant);
}

static void begin(const struct simgpu_snapshot *snapshot, struct search *search)
{
	u32 slot;

	search->usable = 0;
	for (slot = 0; slot < SIMGPU_SLOTS_MAX; slot++) {
		search->sms[slot] = snapshot->tenants[slot].sms;
		if (is_usable(snapshot, &snapshot->tenants[slot]))
			search->usable |= 1ULL << slot;
	}
}

static u64 np_of(const struct simgpu_snapshot *snapshot,
		 const struct search *search, u32 slot)
{
	return simgpu_np_at(&snapshot->tenants[slot].curve, search->sms[slot]);
}

static void find_extremes(const struct simgpu_snapshot *snapshot,
			  const struct search *search, u32 *high, u32 *low)
{
	u64 rest;

	*high = *low = (u32)__builtin_ctzll(search->usable);
	for (rest = search->usable; rest; rest &= rest - 1) {
		u32 slot = (u32)__builtin_ctzll(rest);
		u64 np = np_of(snapshot, search, slot);

		if (np > np_of(snapshot, search, *high))
			*high = slot;
		if (np < np_of(snapshot, search, *low))
			*low = slot;
	}
}

/* Move one SM, if the curves hold there and the order of the two tenants stays. */
static bool try_move(const struct simgpu_snapshot *snapshot,
		     struct search *search)
{
	const struct simgpu_snapshot_tenant *giver, *taker;
	u32 high, low;

	find_extremes(snapshot, search, &high, &low);
	giver = &snapshot->tenants[high];
	taker = &snapshot->tenants[low];
	if (high == low || search->sms[high] < 2 ||
	    search->sms[high] <= giver->curve.least_sms ||
	    search->sms[low] >= taker->curve.most_sms ||
	    search->sms[low] >= taker->blocks)
		return false;
	search->sms[high]--;
	search->sms[low]++;
	if (np_of(snapshot, search, high) >= np_of(snapshot, search, low))
		return true;
	search->sms[high]++;
	search->sms[low]--;
	return false;
}

/* Make at most @most moves; returns how many. */
static u32 move(const struct simgpu_snapshot *snapshot, u32 most,
		struct search *search)
{
	u32 moves = 0;

	while (moves < most && try_move(snapshot, search))
		moves++;
	return moves;
}

static bool is_fair(const struct simgpu_snapshot *snapshot,
		    const struct search *search)
{
	u32 high, low;

	find_extremes(snapshot, search, &high, &low);
	return fixed_ratio_ppm(np_of(snapshot, search, low),
			       np_of(snapshot, search, high)) >=
	       snapshot->policy_params[FAIR_THRESHOLD];
}

/* The error of the least exact curve. */
static u64 unsure_ppm(const struct simgpu_snapshot *snapshot,
		      const struct search *search)
{
	u64 most = 0, rest;

	for (rest = search->usable; rest; rest &= rest - 1) {
		u32 slot = (u32)__builtin_ctzll(rest);
		u64 error = snapshot->tenants[slot].curve.error_ppm;

		most = max(most, error);
	}
	return min_t(u64, most, UNSURE_MOST_PPM);
}

static int curve_fair_decide(const struct simgpu_snapshot *snapshot,
			     void *state, struct simgpu_proposal *proposal)
{
	struct search *search = state;
	u32 moves, slot;

	begin(snapshot, search);
	if (!search->usable || is_fair(snapshot, search))
		return 0;
	/* An SM moves at most once: from one side of equality to the other. */
	moves = move(snapshot, snapshot->sms, search);
	moves -= (u32)(moves * unsure_ppm(snapshot, search) / SIMGPU_PPM);
	begin(snapshot, search);
	move(snapshot, moves, search);
	for (slot = 0; slot < SIMGPU_SLOTS_MAX; slot++)
		if (search->usable >> slot & 1)
			proposal->sms[slot] = search->sms[slot];
	return 0;
}

static const struct simgpu_param params[] = {
	[FAIR_THRESHOLD] = FAIR_THRESHOLD_PARAM,
	{ .name = NULL }
};

const struct simgpu_policy policy_curve_fair = {
	.name = "curve-fair",
	.about = "equal NP, by curves of NP over SMs",
	.needs = SIMGPU_NEEDS_CURVES,
	.state_bytes = sizeof(struct search),
	.params = params,
	.model = "mirror",
	.decide = curve_fair_decide,
};
