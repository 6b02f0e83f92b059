/* SPDX-License-Identifier: GPL-2.0 */
/* Dividing SMs by weights, evenly, or to be shared. */
#ifndef POLICY_SPLIT_H
#define POLICY_SPLIT_H

#include <simgpu/proposal.h>

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
