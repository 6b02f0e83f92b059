// SPDX-License-Identifier: GPL-2.0
/*
 * Parts of the GPU: a set of TPCs for each tenant. Parts of several tenants may overlap.
 */
#include <simgpu/bits.h>

#include "parts.h"
#include "split.h"

/* tpc_count() - TPCs of the device */
u32 tpc_count(const struct simgpu_snapshot *snapshot)
{
	return snapshot->sms / snapshot->sms_per_tpc;
}

/* tpcs_for() - the fewest TPCs that have @sms SMs, or all TPCs */
u32 tpcs_for(const struct simgpu_snapshot *snapshot, u32 sms)
{
	u32 tpcs = (sms + snapshot->sms_per_tpc - 1) / snapshot->sms_per_tpc;

	return min(tpcs, tpc_count(snapshot));
}

/* has_tpc() - whether a TPC is in a part */
bool has_tpc(const struct part *part, u32 tpc)
{
	return simgpu_has_bit(part->tpcs, tpc);
}

/* take_tpc() - add a TPC to a part that does not have it */
void take_tpc(struct parts *parts, struct part *part, u32 tpc)
{
	simgpu_add_bit(part->tpcs, tpc);
	part->count++;
	parts->users[tpc]++;
}

/* leave_tpc() - take a TPC out of a part that has it */
void leave_tpc(struct parts *parts, struct part *part, u32 tpc)
{
	part->tpcs[tpc / 64] &= ~(1ULL << tpc % 64);
	part->count--;
	parts->users[tpc]--;
}

/* leave_all_tpcs() - take all TPCs out of a part */
void leave_all_tpcs(struct parts *parts, struct part *part)
{
	u32 tpc;

	for (tpc = 0; part->count; tpc++)
		if (has_tpc(part, tpc))
			leave_tpc(parts, part, tpc);
}

/*
 * tpc_with_fewest_users() - of the TPCs that a part does not have, the one with the
 *	fewest users, then the lowest; NO_TPC: the part has all
 */
u32 tpc_with_fewest_users(const struct parts *parts, const struct part *part,
			  u32 tpcs)
{
	u32 best = NO_TPC, tpc;

	for (tpc = 0; tpc < tpcs; tpc++)
		if (!has_tpc(part, tpc) &&
		    (best == NO_TPC || parts->users[tpc] < parts->users[best]))
			best = tpc;
	return best;
}

/* first_come() - of at least one slot, the one that came first, then the lowest */
u32 first_come(const struct parts *parts, u64 slots)
{
	u32 first = (u32)__builtin_ctzll(slots);

	for (; slots; slots &= slots - 1) {
		u32 slot = (u32)__builtin_ctzll(slots);

		if (parts->of[slot].since < parts->of[first].since)
			first = slot;
	}
	return first;
}

/* parts_say() - propose each SM's sharers: the tenants with work whose part has its TPC */
void parts_say(const struct simgpu_snapshot *snapshot, const struct parts *parts,
	       struct simgpu_proposal *proposal)
{
	u32 slot, sm;

	proposal->flags |= SIMGPU_SAYS_OWNERS;
	memset(proposal->sharers, 0, snapshot->sms * sizeof(u64));
	for (slot = 0; slot < SIMGPU_SLOTS_MAX; slot++)
		for (sm = 0; snapshot->tenants[slot].active && sm < snapshot->sms;
		     sm++)
			if (has_tpc(&parts->of[slot],
				    sm / snapshot->sms_per_tpc))
				proposal->sharers[sm] |= 1ULL << slot;
	policy_own_or_share(snapshot, proposal);
}
