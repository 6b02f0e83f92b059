/* SPDX-License-Identifier: GPL-2.0 OR LGPL-2.1 */
/* For policies in the kernel, offline and in BPF: SMs that a tenant held, and splits of SMs. */
#ifndef SIMGPU_SPLIT_H
#define SIMGPU_SPLIT_H

#include <simgpu/proposal.h>

/**
 * simgpu_held_milli() - SMs that a tenant held over the epoch
 * @snapshot: of the device
 * @tenant: in it
 *
 * S_k of HSM's Eq. 4. Policies start from what was held, not from what was assigned: an
 * SM that another tenant still drains has not yet done anything for this one.
 *
 * Return: in thousandths.
 */
static inline u64 simgpu_held_milli(const struct simgpu_snapshot *snapshot,
				    const struct simgpu_snapshot_tenant *tenant)
{
	u64 held = fixed_mul_div(tenant->counters.sm_cycles, 1000,
				 snapshot->epoch_cycles);
	u64 most = 1000ULL * snapshot->sms;

	return min(held, most);
}

/**
 * simgpu_has_gradient() - whether NP_k / S_k of a tenant is known
 * @snapshot: of the device
 * @tenant: in it
 *
 * Return: true if it has work, a prediction, and held some SMs.
 */
static inline bool
simgpu_has_gradient(const struct simgpu_snapshot *snapshot,
		    const struct simgpu_snapshot_tenant *tenant)
{
	return tenant->active && tenant->class != SIMGPU_CLASS_UNKNOWN &&
	       simgpu_held_milli(snapshot, tenant);
}

/**
 * simgpu_in_tail() - whether a tenant's kernel is near its end
 * @tenant: thread blocks of all its queues count together
 *
 * Fewer thread blocks are left than the tenant has SMs, and fewer than the kernel had at
 * its start. An epoch in a tail shows nothing about the next kernel, and SMs that a policy
 * takes from a tail are missing then.
 *
 * Return: true in a tail.
 */
static inline bool simgpu_in_tail(const struct simgpu_snapshot_tenant *tenant)
{
	return tenant->blocks_left < tenant->sms &&
	       tenant->blocks_left < tenant->blocks;
}

/**
 * simgpu_split_even() - share the SMs evenly
 * @snapshot: of the device
 * @proposal: the counts of all slots up to the last one that is filled in are set
 *
 * Remainders go to the lowest slots. If there are more tenants than SMs, the highest
 * slots get none.
 */
static inline void simgpu_split_even(const struct simgpu_snapshot *snapshot,
				     struct simgpu_proposal *proposal)
{
	u64 tenants = 0;
	u32 each, over, slot;

	/* No addition: the verifier of BPF would follow it through all possible sums. */
	simgpu_each_slot(slot, snapshot)
		tenants = fixed_add(tenants, !!snapshot->tenants[slot].active);
	each = tenants ? snapshot->sms / (u32)tenants : 0;
	over = tenants ? snapshot->sms % (u32)tenants : 0;
	simgpu_each_slot(slot, snapshot) {
		proposal->sms[slot] = 0;
		if (!snapshot->tenants[slot].active)
			continue;
		proposal->sms[slot] = each;
		if (over) {
			proposal->sms[slot]++;
			over--;
		}
	}
}

/*
 * Takes one SM in turn from each slot that has more than @keep, the highest slots first;
 * returns how many are missing then.
 */
static inline u32 simgpu_split_take(struct simgpu_proposal *proposal, u32 excess,
				    u32 keep)
{
	u32 i, slot;

	simgpu_each(i, SIMGPU_SLOTS_MAX) {
		slot = simgpu_index(SIMGPU_SLOTS_MAX - 1 - i, SIMGPU_SLOTS_MAX);
		if (!excess)
			break;
		if (proposal->sms[slot] > keep) {
			proposal->sms[slot]--;
			excess--;
		}
	}
	return excess;
}

/* Gives one SM in turn to each slot that has some, the lowest slots first. */
static inline u32 simgpu_split_give(struct simgpu_proposal *proposal, u32 left)
{
	u32 slot;

	simgpu_each(slot, SIMGPU_SLOTS_MAX) {
		if (!left)
			break;
		if (proposal->sms[slot]) {
			proposal->sms[slot]++;
			left--;
		}
	}
	return left;
}

/*
 * Makes the sum of the counts equal to all SMs. Rounding is off by less than an SM a slot,
 * but where no weights are given, all SMs but one a slot are left over.
 */
static inline void simgpu_split_settle(const struct simgpu_snapshot *snapshot,
				       u32 given, struct simgpu_proposal *proposal)
{
	u32 excess = given > snapshot->sms ? given - snapshot->sms : 0;
	u32 left = given && given < snapshot->sms ? snapshot->sms - given : 0;
	u32 turn;

	simgpu_each(turn, SIMGPU_SMS_MAX) {
		if (!excess && !left)
			break;
		excess = simgpu_split_take(proposal, excess, 1);
		left = simgpu_split_give(proposal, left);
	}
	/* There are more tenants than SMs: the highest slots get none. */
	simgpu_split_take(proposal, excess, 0);
}

/**
 * simgpu_split_weights() - share the SMs in proportion to weights
 * @snapshot: of the device
 * @weights: by slot, below 2^56 in sum; those of tenants without work are ignored; a
 *	tenant of weight 0 gets one SM
 * @proposal: the counts of all slots up to the last one that is filled in are set
 *
 * Fractions round to nearest, but each tenant gets at least one SM. SMs that are left over
 * go to the lowest slots; SMs that are missing come from the highest slots that have more
 * than one. If there are more tenants than SMs, the highest slots get none.
 */
static inline void simgpu_split_weights(const struct simgpu_snapshot *snapshot,
					const u64 *weights,
					struct simgpu_proposal *proposal)
{
	u64 sum = 0, sms;
	u32 given = 0, slot;

	simgpu_each_slot(slot, snapshot)
		if (snapshot->tenants[slot].active)
			sum = fixed_add(sum, weights[slot]);
	simgpu_each_slot(slot, snapshot) {
		proposal->sms[slot] = 0;
		if (!snapshot->tenants[slot].active)
			continue;
		sms = fixed_add(fixed_mul(weights[slot], snapshot->sms), sum / 2);
		sms = fixed_mul_div(sms, 1, sum);
		proposal->sms[slot] = sms ? (u32)sms : 1;
		given = (u32)fixed_add(given, proposal->sms[slot]);
	}
	simgpu_split_settle(snapshot, given, proposal);
}

/**
 * simgpu_share_all() - let the same tenants share all SMs
 * @snapshot: of the device
 * @sharers: a bit for each of these tenants' slots; 0: SMs have no owner
 * @proposal: its owners and sharers are set
 */
static inline void simgpu_share_all(const struct simgpu_snapshot *snapshot,
				    u64 sharers, struct simgpu_proposal *proposal)
{
	u32 sm;

	proposal->flags |= SIMGPU_SAYS_OWNERS;
	simgpu_each(sm, SIMGPU_SMS_MAX) {
		if (sm >= snapshot->sms)
			break;
		proposal->owner[sm] = sharers ? SIMGPU_SHARED : SIMGPU_NO_OWNER;
		proposal->sharers[sm] = sharers;
	}
}

#endif /* SIMGPU_SPLIT_H */
