// SPDX-License-Identifier: GPL-2.0
/* A policy that is refused: it gives nobody SMs. */
#include <simgpu/plugin.h>
static int decide(const struct simgpu_snapshot *snapshot, void *state,
		  struct simgpu_proposal *proposal)
{
	memset(proposal->sms, 0, sizeof(proposal->sms));
	return 0;
}
static const struct simgpu_policy bad = { .name = "bad", .decide = decide };
SIMGPU_POLICY_PLUGIN(bad);
