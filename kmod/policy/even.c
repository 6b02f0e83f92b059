// SPDX-License-Identifier: GPL-2.0
/*
 * even: an equal share of the SMs for each tenant with work (HSM section 5).
 * It shows what no policy does, and it is what the session falls back to.
 */
#include "registry.h"

/*
 * policy_split_even() - share the SMs evenly; remainders go to the lowest slots
 */
void policy_split_even(const struct simgpu_snapshot *snapshot,
		       struct simgpu_proposal *proposal)
{
	u32 active = snapshot->tenants_active, seen = 0, slot;

	memset(proposal, 0, sizeof(*proposal));
	if (!active)
		return;
	for (slot = 0; slot < SIMGPU_SLOTS_MAX; slot++) {
		if (!snapshot->tenants[slot].active)
			continue;
		proposal->sms[slot] = snapshot->sms / active +
				      (seen < snapshot->sms % active);
		seen++;
	}
}

static int even_propose(const struct simgpu_snapshot *snapshot,
			struct simgpu_proposal *proposal)
{
	policy_split_even(snapshot, proposal);
	return 0;
}

const struct simgpu_policy policy_even = {
	.name = "even",
	.propose = even_propose,
};
