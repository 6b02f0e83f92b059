// SPDX-License-Identifier: GPL-2.0
/*
 * wake: a policy with a clock of its own, faster than the epochs'. Every so many
 * cycles (a parameter) the memory controllers' favour goes to another tenant, and one SM
 * goes with it.
 */
#include <simgpu/plugin.h>

/* Its parameters */
enum {
	INTERVAL,
};

static const struct simgpu_param params[] = {
	[INTERVAL] = {
		"interval", SIMGPU_UNIT_CYCLES, SIMGPU_WAKE_CYCLES_MIN, 1000000,
		10000, "how long a tenant is favoured"
	},
	{ .name = NULL }
};

/* struct favour - who has it */
struct favour {
	u32 slot;
};

static u32 next_with_work(const struct simgpu_snapshot *snapshot, u32 slot)
{
	u32 i;

	for (i = 1; i <= SIMGPU_SLOTS_MAX; i++) {
		u32 next = (slot + i) % SIMGPU_SLOTS_MAX;

		if (snapshot->tenants[next].active)
			return next;
	}
	return slot;
}

static int decide(const struct simgpu_snapshot *snapshot, void *state,
		  struct simgpu_proposal *proposal)
{
	struct favour *favour = state;
	u32 before = favour->slot;

	if (!snapshot->tenants_active)
		return 0;
	favour->slot = next_with_work(snapshot, before);
	proposal->wake_cycle = snapshot->cycle +
			       snapshot->policy_params[INTERVAL];
	proposal->flags |= SIMGPU_SAYS_MEMORY_PRIORITY;
	memset(proposal->memory_priority, 0, sizeof(proposal->memory_priority));
	proposal->memory_priority[favour->slot] = SIMGPU_MEMORY_PRIORITY_MAX;
	if (proposal->sms[before] > 1) {
		proposal->sms[before]--;
		proposal->sms[favour->slot]++;
	}
	return 0;
}

static const struct simgpu_policy waking = {
	.name = "wake",
	.events = SIMGPU_ON_WAKE,
	.state_bytes = sizeof(struct favour),
	.params = params,
	.decide = decide,
};

SIMGPU_POLICY_PLUGIN(waking);
