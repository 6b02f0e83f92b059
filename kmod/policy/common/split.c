// SPDX-License-Identifier: GPL-2.0
/*
 * Dividing SMs. This is the one place where fractions become numbers of SMs, so that all
 * policies round alike. Only active tenants get SMs; each gets at least one while there
 * are enough.
 */
#include <simgpu/split.h>
#include "split.h"

/*
 * policy_split() - divide all SMs by weights
 * @weights: by slot, below 2^56 in sum; those of inactive tenants are ignored; a tenant
 *	of weight 0 gets one SM
 *
 * Fractions round to nearest; SMs that are left over go to the lowest slots
 * (docs/glossary.md, Who holds an SM).
 */
void policy_split(const struct simgpu_snapshot *snapshot, const u64 *weights,
		  struct simgpu_proposal *proposal)
{
	policy_clear(proposal);
	simgpu_split_weights(snapshot, weights, proposal);
}

/* policy_split_even() - divide the SMs evenly; remainders go to the lowest slots */
void policy_split_even(const struct simgpu_snapshot *snapshot,
		       struct simgpu_proposal *proposal)
{
	policy_clear(proposal);
	simgpu_split_even(snapshot, proposal);
}

/*
 * policy_own_or_share() - an SM with one sharer becomes that tenant's own, one with
 *	several stays shared, and one without gets no owner
 */
void policy_own_or_share(const struct simgpu_snapshot *snapshot,
			 struct simgpu_proposal *proposal)
{
	u32 sm;

	for (sm = 0; sm < snapshot->sms; sm++) {
		u64 sharers = proposal->sharers[sm];

		proposal->owner[sm] = SIMGPU_SHARED;
		if (!sharers)
			proposal->owner[sm] = SIMGPU_NO_OWNER;
		else if (!(sharers & (sharers - 1)))
			proposal->owner[sm] = (u8)__builtin_ctzll(sharers);
	}
}

/*
 * policy_share_all() - the same tenants share all SMs; without tenants, no SM has an
 *	owner
 */
void policy_share_all(const struct simgpu_snapshot *snapshot, u64 sharers,
		      struct simgpu_proposal *proposal)
{
	simgpu_share_all(snapshot, sharers, proposal);
}

static bool takes_turn(const struct simgpu_snapshot *snapshot, u32 slot, u64 first,
		       u32 turn)
{
	const struct simgpu_snapshot_tenant *tenant = &snapshot->tenants[slot];
	u32 its = 2;

	if (first >> slot & 1)
		its = 0;
	else if (tenant->sms + tenant->shared_sms)
		its = 1;
	return tenant->active && its == turn;
}

/*
 * policy_sharers() - tenants with work that may share all SMs; the rows of shared SMs
 *	limit how many
 * @first: slots that are taken before the others
 *
 * Then come the slots that have SMs already, then the others in the order of slots. The
 * policy has to hold tenants that do not fit.
 */
u64 policy_sharers(const struct simgpu_snapshot *snapshot, u64 first)
{
	u32 most = SIMGPU_SHARED_ROWS_MAX / snapshot->sms, count = 0, turn, slot;
	u64 sharers = 0;

	for (turn = 0; turn < 3; turn++) {
		for (slot = 0; slot < SIMGPU_SLOTS_MAX && count < most; slot++) {
			if (!takes_turn(snapshot, slot, first, turn))
				continue;
			sharers |= 1ULL << slot;
			count++;
		}
	}
	return sharers;
}
