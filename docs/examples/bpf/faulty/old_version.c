// SPDX-License-Identifier: GPL-2.0
/*
 * old-version: says that it was built for another version of the snapshot, whose fields
 * may have stood elsewhere. It is not loaded.
 */
#include <simgpu/policy.bpf.h>

#undef SIMGPU_SNAPSHOT_VERSION
#define SIMGPU_SNAPSHOT_VERSION	1

static inline int old_version_decide(const struct simgpu_snapshot *snapshot,
				     struct simgpu_no_state *state,
				     struct simgpu_proposal *proposal)
{
	return 0;
}

SIMGPU_POLICY(old_version_decide, struct simgpu_no_state,
	      .name = "old-version");
