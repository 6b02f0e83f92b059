/* SPDX-License-Identifier: GPL-2.0 */
/* Parts of the GPU: a set of TPCs for each tenant. */
#ifndef POLICY_PARTS_H
#define POLICY_PARTS_H

#include <simgpu/proposal.h>

#define PART_WORDS	(SIMGPU_SMS_MAX / 64)
#define NO_TPC		SIMGPU_SMS_MAX

/**
 * struct part - TPCs of a tenant
 * @since: device cycle since which the tenant has had work, or 1 + the cycle since which
 *	it has waited; the policy chooses
 * @tpcs: a bit for each TPC
 * @count: TPCs in @tpcs
 * @reserved: zero
 */
struct part {
	u64 since;
	u64 tpcs[PART_WORDS];
	u32 count;
	u32 reserved;
};

/**
 * struct parts - TPCs of all tenants
 * @of: by slot; a tenant without work has no TPCs
 * @users: by TPC, how many parts have it
 */
struct parts {
	struct part of[SIMGPU_SLOTS_MAX];
	u8 users[SIMGPU_SMS_MAX];
};

u32 tpc_count(const struct simgpu_snapshot *snapshot);
u32 tpcs_for(const struct simgpu_snapshot *snapshot, u32 sms);
bool has_tpc(const struct part *part, u32 tpc);
void take_tpc(struct parts *parts, struct part *part, u32 tpc);
void leave_tpc(struct parts *parts, struct part *part, u32 tpc);
void leave_all_tpcs(struct parts *parts, struct part *part);
u32 tpc_with_fewest_users(const struct parts *parts, const struct part *part,
			  u32 tpcs);
u32 first_come(const struct parts *parts, u64 slots);
void parts_say(const struct simgpu_snapshot *snapshot, const struct parts *parts,
	       struct simgpu_proposal *proposal);

#endif /* POLICY_PARTS_H */
