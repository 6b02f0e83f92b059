// SPDX-License-Identifier: GPL-2.0
/*
 * krisp: as many SMs for each kernel as it needs (Chow et al., KRISP, HPCA 2023). When a
 * tenant's kernels come, they get whole TPCs that the fewest other tenants have, and keep
 * them until they end. Up to a limit these TPCs may be shared with other tenants. If
 * there are too few, a kernel begins on fewer SMs than it needs; if there are none, it
 * waits.
 */
#include "../common/parts.h"
#include "../common/tenants.h"
#include "../registry.h"

/* Indices of its parameters. */
enum {
	OVERLAP,
	SLACK,
};

static const struct simgpu_param params[] = {
	[OVERLAP] = {
		"overlap", SIMGPU_UNIT_RATIO, 0, SIMGPU_PPM, 0,
		"part of the GPU's SMs that a tenant may get although others have them"
	},
	[SLACK] = {
		"slack", SIMGPU_UNIT_RATIO, 0, SIMGPU_PPM, 100000,
		"by how much a kernel with a profile may be slower than on all SMs"
	},
	{ .name = NULL }
};

/*
 * A tenant leaves its TPCs when its last kernel has ended. A tenant that waits has
 * waited since then, or since its kernels came.
 */
static void release_parts(const struct simgpu_snapshot *snapshot, struct parts *parts)
{
	const u32 ends = SIMGPU_ON_KERNEL_END | SIMGPU_ON_ARRIVAL;
	u32 slot;

	for (slot = 0; slot < SIMGPU_SLOTS_MAX; slot++) {
		const struct simgpu_snapshot_tenant *tenant =
			&snapshot->tenants[slot];
		struct part *part = &parts->of[slot];

		if (running_queues(tenant) ||
		    (tenant->active && part->count && !(tenant->events & ends)))
			continue;
		if (part->count || !waiting_queues(tenant))
			part->since = 0;
		leave_all_tpcs(parts, part);
	}
}

/* TPCs of a part that other tenants have, too. */
static u32 overlap_of(const struct parts *parts, const struct part *part)
{
	u32 count = 0, tpc;

	for (tpc = 0; tpc < SIMGPU_SMS_MAX; tpc++)
		count += has_tpc(part, tpc) && parts->users[tpc] > 1;
	return count;
}

/* Rows of shared SM and tenant that all parts together take. */
static u32 rows_of(const struct simgpu_snapshot *snapshot, const struct parts *parts)
{
	u32 rows = 0, slot;

	for (slot = 0; slot < SIMGPU_SLOTS_MAX; slot++)
		rows += parts->of[slot].count * snapshot->sms_per_tpc;
	return rows;
}

/* Take as many TPCs as a tenant's kernels need, as far as free ones and the limit allow. */
static void grow_part(const struct simgpu_snapshot *snapshot, struct parts *parts,
		      u32 slot)
{
	const u64 *params = snapshot->policy_params;
	struct part *part = &parts->of[slot];
	u32 wanted = tpcs_for(snapshot, tenant_sms(snapshot,
						   &snapshot->tenants[slot],
						   params[SLACK]));
	u32 limit = (u32)fixed_mul_div(tpc_count(snapshot), params[OVERLAP],
				       SIMGPU_PPM);
	u32 rows = SIMGPU_SHARED_ROWS_MAX - rows_of(snapshot, parts);
	u32 overlap = overlap_of(parts, part), tpc;

	for (; part->count < wanted && rows >= snapshot->sms_per_tpc;
	     rows -= snapshot->sms_per_tpc) {
		tpc = tpc_with_fewest_users(parts, part, tpc_count(snapshot));
		if (parts->users[tpc] && overlap++ >= limit)
			return;
		take_tpc(parts, part, tpc);
	}
}

/* Slots with a kernel that has not started, or without any of the TPCs that they need. */
static u64 needy_slots(const struct simgpu_snapshot *snapshot, struct parts *parts)
{
	u64 needy = 0;
	u32 slot;

	for (slot = 0; slot < SIMGPU_SLOTS_MAX; slot++) {
		const struct simgpu_snapshot_tenant *tenant =
			&snapshot->tenants[slot];
		struct part *part = &parts->of[slot];

		if (!waiting_queues(tenant) &&
		    (part->count || !running_queues(tenant)))
			continue;
		needy |= 1ULL << slot;
		if (!part->since)
			part->since = snapshot->cycle + 1;
	}
	return needy;
}

static int krisp_decide(const struct simgpu_snapshot *snapshot, void *state,
			struct simgpu_proposal *proposal)
{
	struct parts *parts = state;
	u64 needy, without = 0;
	u32 slot, sm;

	release_parts(snapshot, parts);
	needy = needy_slots(snapshot, parts);
	while (needy) {
		slot = first_come(parts, needy);
		needy &= ~(1ULL << slot);
		grow_part(snapshot, parts, slot);
	}
	parts_say(snapshot, parts, proposal);
	/* Shared SMs stay shared, so that no tenant drains because another one left. */
	for (sm = 0; snapshot->policy_params[OVERLAP] && sm < snapshot->sms; sm++)
		share_sm(sm, proposal->sharers[sm], proposal);
	for (slot = 0; slot < SIMGPU_SLOTS_MAX; slot++)
		if (!parts->of[slot].count)
			without |= 1ULL << slot;
	proposal->flags = SIMGPU_SAYS_OWNERS | SIMGPU_SAYS_HOLD;
	proposal->hold = without;
	return 0;
}

const struct simgpu_policy policy_krisp = {
	.name = "krisp",
	.about = "each kernel on as many SMs as it needs (after KRISP)",
	.events = SIMGPU_ON_ARRIVAL | SIMGPU_ON_DEPARTURE |
		  SIMGPU_ON_KERNEL_READY | SIMGPU_ON_KERNEL_END,
	.needs = SIMGPU_NEEDS_PROFILES | SIMGPU_NEEDS_NO_MODEL,
	.state_bytes = sizeof(struct parts),
	.params = params,
	.decide = krisp_decide,
};
