/* SPDX-License-Identifier: GPL-2.0 */
/* Dividing SMs by weights, evenly, or to be shared. */
#ifndef POLICY_SPLIT_H
#define POLICY_SPLIT_H

#include <simgpu/proposal.h>

/*
 * policy_clear() - zero all of a proposal but what it says of each SM (@owner, @sharers and
 *	@block_limit), which counts with its flags only
 */
static inline void policy_clear(struct simgpu_proposal *proposal)
{
	const u32 quota = offsetof(struct simgpu_proposal, quota);
	u8 *bytes = (u8 *)proposal;

	memset(bytes, 0, offsetof(struct simgpu_proposal, owner));
	memset(proposal->memory_priority, 0, sizeof(proposal->memory_priority));
	memset(bytes + quota, 0, offsetof(struct simgpu_proposal, gauges) - quota);
}

void policy_split(const struct simgpu_snapshot *snapshot, const u64 *weights,
		  struct simgpu_proposal *proposal);
void policy_share_all(const struct simgpu_snapshot *snapshot, u64 sharers,
		      struct simgpu_proposal *proposal);
u64 policy_sharers(const struct simgpu_snapshot *snapshot, u64 first);
void policy_own_or_share(const struct simgpu_snapshot *snapshot,
			 struct simgpu_proposal *proposal);
void policy_split_even(const struct simgpu_snapshot *snapshot,
		       struct simgpu_proposal *proposal);

#endif /* POLICY_SPLIT_H */
