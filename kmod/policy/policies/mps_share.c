// SPDX-License-Identifier: GPL-2.0
/*
 * mps-share: a client's part of the SMs, as in NVIDIA's MPS
 * (CUDA_MPS_ACTIVE_THREAD_PERCENTAGE, static partitions). A tenant runs on as many SMs as
 * its share says, rounded up, or on an even part if it has no share. It gets the SMs that
 * the fewest others have, so that SMs are shared only if the shares' sum is above 1. With
 * the parameter static, parts do not overlap, and a tenant that does not fit waits.
 */
#include "../common/parts.h"
#include "../common/tenants.h"
#include "../registry.h"

/* Indices of its parameters. */
enum {
	STATIC,
};

static const struct simgpu_param params[] = {
	[STATIC] = {
		"static", SIMGPU_UNIT_NUMBER, 0, 1, 0,
		"1: parts are nobody else's, and who does not fit waits; 0: they may overlap"
	},
	{ .name = NULL }
};

/* --- one part ------------------------------------------------------------------------ */

/* The TPC of a part that should go: the one with the most users, then the highest. */
static u32 best_to_leave(const struct parts *parts, const struct part *part, u32 tpcs)
{
	u32 best = NO_TPC, tpc;

	for (tpc = 0; tpc < tpcs; tpc++)
		if (has_tpc(part, tpc) &&
		    (best == NO_TPC || parts->users[tpc] >= parts->users[best]))
			best = tpc;
	return best;
}

static void shrink(struct parts *parts, struct part *part, u32 tpcs, u32 wanted)
{
	while (part->count > wanted)
		leave_tpc(parts, part, best_to_leave(parts, part, tpcs));
}

static u32 free_tpcs(const struct parts *parts, u32 tpcs)
{
	u32 count = 0, tpc;

	for (tpc = 0; tpc < tpcs; tpc++)
		count += !parts->users[tpc];
	return count;
}

/* --- all parts ------------------------------------------------------------------------ */

/*
 * TPCs that a tenant should have: as many as its share says, or an even part. The first
 * tenants get the TPCs that are left over.
 */
static u32 wanted_tpcs(const struct simgpu_snapshot *snapshot, u32 slot, u32 rank)
{
	u32 share_ppm = (u32)snapshot->tenants[slot].share_ppm;
	u32 tpcs = tpc_count(snapshot), tenants = snapshot->tenants_active;
	u32 even = tpcs / tenants + (rank < tpcs % tenants);

	if (!share_ppm)
		return even ? even : 1;
	return (share_ppm * tpcs + (u32)SIMGPU_PPM - 1) / (u32)SIMGPU_PPM;
}

static void recount(struct parts *parts, struct part *part, u32 tpcs)
{
	struct part had = *part;
	u32 tpc;

	part->count = 0;
	memset(part->tpcs, 0, sizeof(part->tpcs));
	for (tpc = 0; tpc < tpcs; tpc++)
		if (has_tpc(&had, tpc))
			take_tpc(parts, part, tpc);
}

/* Tenants without work, and new ones in a slot, have no part; the others keep theirs. */
static void keep_parts(const struct simgpu_snapshot *snapshot, struct parts *parts)
{
	u32 slot;

	memset(parts->users, 0, sizeof(parts->users));
	for (slot = 0; slot < SIMGPU_SLOTS_MAX; slot++) {
		const struct simgpu_snapshot_tenant *tenant =
			&snapshot->tenants[slot];
		struct part *part = &parts->of[slot];

		if (tenant->active && part->since == tenant->arrival_cycle) {
			recount(parts, part, tpc_count(snapshot));
			continue;
		}
		memset(part, 0, sizeof(*part));
		if (tenant->active)
			part->since = tenant->arrival_cycle;
	}
}

/* Parts grow in the order in which tenants came. Returns the slots that do not fit. */
static u64 grow(const struct simgpu_snapshot *snapshot, struct parts *parts,
		const u32 *wanted)
{
	u32 tpcs = tpc_count(snapshot), rows = 0;
	u64 left = active_slots(snapshot), waiting = 0;

	while (left) {
		u32 slot = first_come(parts, left), more;
		struct part *part = &parts->of[slot];

		left &= ~(1ULL << slot);
		more = wanted[slot] - part->count;
		rows += wanted[slot] * snapshot->sms_per_tpc;
		/* First come, first served: do not overtake a waiting tenant. */
		if (rows > SIMGPU_SHARED_ROWS_MAX ||
		    (snapshot->policy_params[STATIC] &&
		     (waiting || more > free_tpcs(parts, tpcs)))) {
			if (!part->count)
				waiting |= 1ULL << slot;
			continue;
		}
		for (; more; more--)
			take_tpc(parts, part, tpc_with_fewest_users(parts, part, tpcs));
	}
	return waiting;
}

static u64 divide(const struct simgpu_snapshot *snapshot, struct parts *parts)
{
	u32 wanted[SIMGPU_SLOTS_MAX] = { 0 }, rank = 0, slot;

	keep_parts(snapshot, parts);
	for (slot = 0; slot < SIMGPU_SLOTS_MAX; slot++) {
		if (!snapshot->tenants[slot].active)
			continue;
		wanted[slot] = wanted_tpcs(snapshot, slot, rank++);
		shrink(parts, &parts->of[slot], tpc_count(snapshot),
		       wanted[slot]);
	}
	return grow(snapshot, parts, wanted);
}

static int mps_share_decide(const struct simgpu_snapshot *snapshot, void *state,
			    struct simgpu_proposal *proposal)
{
	struct parts *parts = state;

	proposal->flags = SIMGPU_SAYS_HOLD;
	proposal->hold = snapshot->tenants_active ? divide(snapshot, parts) : 0;
	parts_say(snapshot, parts, proposal);
	return 0;
}

const struct simgpu_policy policy_mps_share = {
	.name = "mps-share",
	.about = "a tenant's share of SMs is a limit, as with NVIDIA's MPS",
	.events = SIMGPU_ON_ARRIVAL | SIMGPU_ON_DEPARTURE,
	.needs = SIMGPU_NEEDS_NO_MODEL,
	.state_bytes = sizeof(struct parts),
	.params = params,
	.decide = mps_share_decide,
};
