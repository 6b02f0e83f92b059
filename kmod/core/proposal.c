// SPDX-License-Identifier: GPL-2.0
/*
 * Proposals: whether a policy's answer can be done, and which SMs change hands
 * to do it.
 */
#include "core.h"

/*
 * proposal_count() - SMs that a proposal gives a slot
 */
u32 proposal_count(const struct simgpu_snapshot *snapshot,
		   const struct simgpu_proposal *proposal, u32 slot)
{
	u32 count = 0, sm;

	if (!(proposal->flags & SIMGPU_PROPOSAL_OWNERS))
		return proposal->sms[slot];
	for (sm = 0; sm < snapshot->sms; sm++)
		count += proposal->owner[sm] == slot;
	return count;
}

static bool owners_exist(const struct simgpu_snapshot *snapshot,
			 const struct simgpu_proposal *proposal)
{
	u32 sm;

	for (sm = 0; sm < snapshot->sms; sm++)
		if (proposal->owner[sm] != SIMGPU_NO_OWNER &&
		    proposal->owner[sm] >= SIMGPU_SLOTS_MAX)
			return false;
	return true;
}

/*
 * proposal_is_sound() - whether the device can do what a policy proposes
 *
 * Known flags only; SMs for active tenants and no others, at least one each
 * while there are SMs enough; in sum no more than there are.
 */
bool proposal_is_sound(const struct simgpu_snapshot *snapshot,
		       const struct simgpu_proposal *proposal)
{
	bool scarce = snapshot->tenants_active > snapshot->sms;
	u64 sum = 0;
	u32 slot;

	if (proposal->flags & ~SIMGPU_PROPOSAL_OWNERS || proposal->reserved)
		return false;
	if ((proposal->flags & SIMGPU_PROPOSAL_OWNERS) &&
	    !owners_exist(snapshot, proposal))
		return false;
	for (slot = 0; slot < SIMGPU_SLOTS_MAX; slot++) {
		u32 count = proposal_count(snapshot, proposal, slot);
		bool active = snapshot->tenants[slot].active;

		if (active ? !count && !scarce : !!count)
			return false;
		sum += count;
	}
	return sum <= snapshot->sms;
}

/*
 * proposal_present() - the assignment as it stands
 */
void proposal_present(const struct simgpu_snapshot *snapshot,
		      struct simgpu_proposal *proposal)
{
	u32 slot;

	memset(proposal, 0, sizeof(*proposal));
	for (slot = 0; slot < SIMGPU_SLOTS_MAX; slot++)
		if (snapshot->tenants[slot].active)
			proposal->sms[slot] = snapshot->tenants[slot].sms;
}

u32 sms_assigned(const struct gpu *gpu, u32 slot)
{
	struct gpu_sm_status status;
	u32 count = 0, sm;

	for (sm = 0; sm < gpu_config(gpu)->sms; sm++) {
		gpu_sm_status(gpu, sm, &status);
		count += status.next_owner == slot;
	}
	return count;
}

/*
 * The SM to take next from @slot (or, with GPU_NO_TENANT, from nobody): idle
 * ones first, then those with the fewest thread blocks, then the highest index
 * (definitions.md, Who holds an SM).
 */
static u32 pick_sm(const struct gpu *gpu, u32 slot)
{
	u32 best = SIMGPU_SMS_MAX, fewest = U32_MAX, sm;
	struct gpu_sm_status status;

	for (sm = 0; sm < gpu_config(gpu)->sms; sm++) {
		gpu_sm_status(gpu, sm, &status);
		if (status.next_owner == slot && status.blocks <= fewest) {
			best = sm;
			fewest = status.blocks;
		}
	}
	return best;
}

static void apply_counts(struct gpu *gpu, const struct simgpu_proposal *proposal)
{
	u32 slot, have;

	for (slot = 0; slot < SIMGPU_SLOTS_MAX; slot++)
		for (have = sms_assigned(gpu, slot); have > proposal->sms[slot];
		     have--)
			gpu_sm_assign(gpu, pick_sm(gpu, slot), GPU_NO_TENANT,
				      GPU_PREEMPT_DRAIN);
	for (slot = 0; slot < SIMGPU_SLOTS_MAX; slot++) {
		if (!proposal->sms[slot])
			continue;
		for (have = sms_assigned(gpu, slot); have < proposal->sms[slot];
		     have++)
			gpu_sm_assign(gpu, pick_sm(gpu, GPU_NO_TENANT), slot,
				      GPU_PREEMPT_DRAIN);
	}
}

/*
 * proposal_apply() - assign the SMs as a sound proposal says
 */
void proposal_apply(struct gpu *gpu, const struct simgpu_proposal *proposal)
{
	struct gpu_sm_status status;
	u32 sm;

	if (!(proposal->flags & SIMGPU_PROPOSAL_OWNERS)) {
		apply_counts(gpu, proposal);
		return;
	}
	for (sm = 0; sm < gpu_config(gpu)->sms; sm++) {
		gpu_sm_status(gpu, sm, &status);
		if (status.next_owner != proposal->owner[sm])
			gpu_sm_assign(gpu, sm, proposal->owner[sm],
				      GPU_PREEMPT_DRAIN);
	}
}
