// SPDX-License-Identifier: GPL-2.0
/*
 * An example of a policy in a module of its own: "all-but-one" gives the tenant
 * with the greatest weight all SMs that the others can do without, which is all
 * but one for each of them. It shows what a policy sees (the snapshot) and
 * says (the proposal), and is good for measuring how a program fares alone
 * while others are still resident.
 *
 *   insmod simgpu_all_but_one.ko
 *   echo all-but-one > /sys/class/simgpu/simgpu0/policy
 */
#include <simgpu/plugin.h>

/* The active tenant with the greatest weight, the first of several. */
static u32 favourite(const struct simgpu_snapshot *snapshot)
{
	u32 best = SIMGPU_SLOTS_MAX, slot;

	for (slot = 0; slot < SIMGPU_SLOTS_MAX; slot++) {
		if (!snapshot->tenants[slot].active)
			continue;
		if (best == SIMGPU_SLOTS_MAX ||
		    snapshot->tenants[slot].weight >
		    snapshot->tenants[best].weight)
			best = slot;
	}
	return best;
}

static int decide(const struct simgpu_snapshot *snapshot, void *state,
		  struct simgpu_proposal *proposal)
{
	u32 best = favourite(snapshot), slot;

	/* More tenants than SMs: the device's even split knows what to do. */
	if (best == SIMGPU_SLOTS_MAX ||
	    snapshot->tenants_active > snapshot->sms)
		return 0;
	for (slot = 0; slot < SIMGPU_SLOTS_MAX; slot++)
		proposal->sms[slot] = snapshot->tenants[slot].active;
	proposal->sms[best] = snapshot->sms - (snapshot->tenants_active - 1);
	return 0;
}

static const struct simgpu_policy all_but_one = {
	.name = "all-but-one",
	.decide = decide,
};

SIMGPU_POLICY_PLUGIN(all_but_one);
