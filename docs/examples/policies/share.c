// SPDX-License-Identifier: GPL-2.0
/*
 * share: a policy that shares. All tenants are on all SMs at once (simultaneous
 * multikernel). What each may issue there until the next epoch is its weight's part
 * of the parameter quota. A tenant that has used up its part waits until all have; then each
 * gets the same again.
 */
#include <simgpu/plugin.h>

/* Its parameters */
enum {
	QUOTA,
};

static const struct simgpu_param params[] = {
	[QUOTA] = {
		"quota", SIMGPU_UNIT_NUMBER, 1000, 1000000000, 200000,
		"thread instructions on an SM, for all tenants together"
	},
	{ .name = NULL }
};

static u64 weights(const struct simgpu_snapshot *snapshot, u64 *tenants)
{
	u64 sum = 0;
	u32 slot;

	*tenants = 0;
	for (slot = 0; slot < SIMGPU_SLOTS_MAX; slot++) {
		if (!snapshot->tenants[slot].active)
			continue;
		*tenants |= 1ULL << slot;
		sum += snapshot->tenants[slot].weight;
	}
	return sum;
}

static void open_sms(const struct simgpu_snapshot *snapshot, u64 tenants,
		     struct simgpu_proposal *proposal)
{
	u32 sm;

	proposal->flags |= SIMGPU_SAYS_OWNERS;
	for (sm = 0; sm < snapshot->sms; sm++) {
		proposal->owner[sm] = SIMGPU_SHARED;
		proposal->sharers[sm] = tenants;
	}
}

/*
 * On each SM a tenant may have its part of the thread blocks that fit there alone.
 * Otherwise those whose blocks take long would come to have all places, and a quota
 * binds only who has a block.
 */
static void limit_blocks(const struct simgpu_snapshot *snapshot,
			 struct simgpu_proposal *proposal)
{
	u32 slot, sm;

	proposal->flags |= SIMGPU_SAYS_BLOCK_LIMITS;
	for (slot = 0; slot < SIMGPU_SLOTS_MAX; slot++) {
		const struct simgpu_snapshot_tenant *tenant =
			&snapshot->tenants[slot];
		u32 limit = tenant->queue[0].head.blocks_per_sm;

		if (!tenant->active)
			continue;
		limit = limit / snapshot->tenants_active;
		for (sm = 0; sm < snapshot->sms; sm++)
			proposal->block_limit[sm][slot] = (u8)(limit ? limit : 1);
	}
}

static int decide(const struct simgpu_snapshot *snapshot, void *state,
		  struct simgpu_proposal *proposal)
{
	u64 quota = snapshot->policy_params[QUOTA], tenants, sum;
	u32 slot;

	sum = weights(snapshot, &tenants);
	if (!tenants)
		return 0;
	open_sms(snapshot, tenants, proposal);
	limit_blocks(snapshot, proposal);
	proposal->flags |= SIMGPU_SAYS_QUOTAS;
	for (slot = 0; slot < SIMGPU_SLOTS_MAX; slot++) {
		u64 part = quota * snapshot->tenants[slot].weight / sum;

		proposal->quota[slot] = SIMGPU_NO_QUOTA;
		if (!snapshot->tenants[slot].active)
			continue;
		proposal->quota[slot] = (s64)part;
		proposal->refill[slot] = (s64)part;
	}
	return 0;
}

static const struct simgpu_policy sharing = {
	.name = "share",
	.events = SIMGPU_ON_ARRIVAL | SIMGPU_ON_DEPARTURE |
		  SIMGPU_ON_KERNEL_END,
	.params = params,
	.decide = decide,
};

SIMGPU_POLICY_PLUGIN(sharing);
