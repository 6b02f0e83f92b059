/* SPDX-License-Identifier: GPL-2.0 OR LGPL-2.1 */
/* What policies in all homes share: what a tenant held, and an even split. */
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

	return held < most ? held : most;
}

/**
 * simgpu_has_gradient() - whether NP_k / S_k of a tenant means something
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
 * simgpu_split_even() - share the SMs evenly
 * @snapshot: of the device
 * @proposal: the counts of all slots are set
 *
 * Remainders go to the lowest slots. Where there are more tenants than SMs the highest
 * ones get none.
 */
static inline void simgpu_split_even(const struct simgpu_snapshot *snapshot,
				     struct simgpu_proposal *proposal)
{
	u64 tenants = 0;
	u32 each, over, slot;

	/* Not by +, which the verifier would follow through all that it can come to. */
	simgpu_each(slot, SIMGPU_SLOTS_MAX)
		tenants = fixed_add(tenants, !!snapshot->tenants[slot].active);
	each = tenants ? snapshot->sms / (u32)tenants : 0;
	over = tenants ? snapshot->sms % (u32)tenants : 0;
	simgpu_each(slot, SIMGPU_SLOTS_MAX) {
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

#endif /* SIMGPU_SPLIT_H */
