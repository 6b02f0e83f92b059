// SPDX-License-Identifier: GPL-2.0
/*
 * even: an equal share of the SMs for each tenant with work (HSM section 5).
 * It is the baseline that other policies are compared with, and the session's fallback.
 */
#include "../common/split.h"
#include "../registry.h"

static int even_decide(const struct simgpu_snapshot *snapshot, void *state,
		       struct simgpu_proposal *proposal)
{
	policy_split_even(snapshot, proposal);
	return 0;
}

const struct simgpu_policy policy_even = {
	.name = "even",
	.about = "equal SMs for each tenant with work",
	.decide = even_decide,
};
