// SPDX-License-Identifier: GPL-2.0
/*
 * Proposals: whether a policy's answer can be done, and which SMs change hands
 * to do it.
 */
#include "core.h"

#define PROPOSAL_FLAGS	(SIMGPU_PROPOSAL_OWNERS | \
			 SIMGPU_PROPOSAL_MEMORY_PRIORITY)

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

static bool priorities_exist(const struct simgpu_proposal *proposal)
{
	u32 slot;

	for (slot = 0; slot < SIMGPU_SLOTS_MAX; slot++)
		if (proposal->memory_priority[slot] > SIMGPU_MEMORY_PRIORITY_MAX)
			return false;
	return true;
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

	if (proposal->flags & ~PROPOSAL_FLAGS || proposal->reserved)
		return false;
	if ((proposal->flags & SIMGPU_PROPOSAL_MEMORY_PRIORITY) &&
	    !priorities_exist(proposal))
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

/*
 * Whether an SM is left by a drain (HSM 4.2: in the last epoch more thread
 * blocks ended there than it can run concurrently, so they are short).
 */
static bool drains_soon(const struct session *session, u32 sm)
{
	const struct session_tenant *tenant;
	struct gpu_sm_status status;
	const struct trace *trace;

	gpu_sm_status(session->gpu, sm, &status);
	if (!status.blocks)
		return true;
	tenant = &session->tenants[status.owner];
	trace = tenant->launch[tenant->head].trace;
	return session->sm_finished[sm] >
	       gpu_kernel_blocks_per_sm(&session->initial.config,
					&trace->kernels[tenant->kernel]);
}

static void assign(struct session *session, u32 sm, u32 slot)
{
	const struct session_hooks *hooks = &session->hooks;
	enum gpu_preemption mode = GPU_PREEMPT_DRAIN;
	struct gpu_sm_status status;

	if (session->initial.preemption == SESSION_PREEMPTION_SWITCH ||
	    (session->initial.preemption == SESSION_PREEMPTION_ADAPTIVE &&
	     !drains_soon(session, sm)))
		mode = GPU_PREEMPT_SWITCH;
	if (hooks->preempt) {
		gpu_sm_status(session->gpu, sm, &status);
		if (status.blocks && status.owner != slot)
			hooks->preempt(hooks->context, sm, status.owner, slot,
				       mode == GPU_PREEMPT_SWITCH);
	}
	gpu_sm_assign(session->gpu, sm, slot, mode);
}

static void apply_counts(struct session *session)
{
	const struct simgpu_proposal *proposal = &session->proposal;
	const struct gpu *gpu = session->gpu;
	u32 slot, have;

	for (slot = 0; slot < SIMGPU_SLOTS_MAX; slot++)
		for (have = sms_assigned(gpu, slot); have > proposal->sms[slot];
		     have--)
			assign(session, pick_sm(gpu, slot), GPU_NO_TENANT);
	for (slot = 0; slot < SIMGPU_SLOTS_MAX; slot++) {
		if (!proposal->sms[slot])
			continue;
		for (have = sms_assigned(gpu, slot); have < proposal->sms[slot];
		     have++)
			assign(session, pick_sm(gpu, GPU_NO_TENANT), slot);
	}
}

/*
 * proposal_limit() - leave no slot more than so many SMs (0: no limit)
 */
void proposal_limit(struct simgpu_proposal *proposal, u32 sms_most)
{
	u32 have[SIMGPU_SLOTS_MAX] = { 0 }, i;

	if (!sms_most)
		return;
	for (i = 0; i < SIMGPU_SLOTS_MAX; i++)
		if (proposal->sms[i] > sms_most)
			proposal->sms[i] = sms_most;
	if (!(proposal->flags & SIMGPU_PROPOSAL_OWNERS))
		return;
	for (i = 0; i < SIMGPU_SMS_MAX; i++)
		if (proposal->owner[i] < SIMGPU_SLOTS_MAX &&
		    have[proposal->owner[i]]++ >= sms_most)
			proposal->owner[i] = SIMGPU_NO_OWNER;
}

static void apply_priorities(struct session *session)
{
	const struct simgpu_proposal *proposal = &session->proposal;
	bool set = proposal->flags & SIMGPU_PROPOSAL_MEMORY_PRIORITY;
	u32 slot;

	for (slot = 0; slot < SIMGPU_SLOTS_MAX; slot++)
		gpu_set_memory_priority(session->gpu, slot,
					set ? proposal->memory_priority[slot] :
					0);
}

static void apply_owners(struct session *session)
{
	const struct simgpu_proposal *proposal = &session->proposal;
	const struct gpu *gpu = session->gpu;
	struct gpu_sm_status status;
	u32 sm;

	for (sm = 0; sm < gpu_config(gpu)->sms; sm++) {
		gpu_sm_status(gpu, sm, &status);
		if (status.next_owner != proposal->owner[sm])
			assign(session, sm, proposal->owner[sm]);
	}
}

/*
 * proposal_apply() - assign SMs and priorities as the session's sound proposal
 *	says
 */
void proposal_apply(struct session *session)
{
	apply_priorities(session);
	if (session->proposal.flags & SIMGPU_PROPOSAL_OWNERS)
		apply_owners(session);
	else
		apply_counts(session);
	if (session->hooks.repartition)
		session->hooks.repartition(session->hooks.context);
}
