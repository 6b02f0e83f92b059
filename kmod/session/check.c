// SPDX-License-Identifier: GPL-2.0
/*
 * Whether a policy's answer can be done, as a whole. The first thing that cannot
 * is named; nothing is changed here. Its controls: controls.c.
 */
#include "check.h"
#include "controls.h"
#include "internal.h"
#include "refusal.h"

static bool flags_exist(const struct simgpu_proposal *proposal,
			struct session_refusal *why)
{
	const u32 all = SESSION_NOWHERE;

	if (proposal->flags & ~SIMGPU_SAYS_KNOWN)
		return refuse_proposal(why, "flags", all, all, "it has unknown flags");
	return true;
}

/* --- who is where ------------------------------------------------------------------- */

static u64 hold_of(const struct session *session)
{
	const struct simgpu_proposal *proposal = &session->proposal;

	return proposal->flags & SIMGPU_SAYS_HOLD ? proposal->hold :
						    session->controls.hold;
}

static bool may_place(const struct simgpu_proposal *proposal,
		      const struct simgpu_proposal *controls, u32 sm, u32 slot)
{
	if (proposal->flags & SIMGPU_SAYS_BLOCK_LIMITS)
		return proposal->block_limit[sm][slot];
	return controls->block_limit[sm][slot];
}

/* Count the SMs on which each slot could have thread blocks. */
static bool count_owners(const struct session *session, u32 *places,
			 struct session_refusal *why)
{
	const struct simgpu_proposal *proposal = &session->proposal;
	u32 rows = 0, sm, slot;

	for (sm = 0; sm < session->initial.config.sms; sm++) {
		u32 owner = proposal->owner[sm];
		u64 rest = proposal->sharers[sm];

		if (owner == SIMGPU_NO_OWNER)
			continue;
		if (owner != SIMGPU_SHARED) {
			if (owner >= SIMGPU_SLOTS_MAX)
				return refuse_proposal(why, "owner", SESSION_NOWHERE, sm,
						       "an SM's owner is no slot");
			places[owner] += may_place(proposal, &session->controls,
						   sm, owner);
			continue;
		}
		if (!rest)
			return refuse_proposal(why, "sharers", SESSION_NOWHERE, sm,
					       "a shared SM has no sharers");
		for (; rest; rest &= rest - 1) {
			slot = (u32)__builtin_ctzll(rest);
			places[slot] += may_place(proposal, &session->controls,
						  sm, slot);
			rows++;
		}
	}
	if (rows > SIMGPU_SHARED_ROWS_MAX)
		return refuse_proposal(why, "sharers", SESSION_NOWHERE, SESSION_NOWHERE,
				       "there are more than 1024 rows of shared SM and tenant");
	return true;
}

static bool counts_add_up(const struct session *session, u32 *places,
			  struct session_refusal *why)
{
	u64 sum = 0;
	u32 slot;

	for (slot = 0; slot < SIMGPU_SLOTS_MAX; slot++) {
		places[slot] = session->proposal.sms[slot];
		sum += places[slot];
	}
	if (sum > session->initial.config.sms)
		return refuse_proposal(why, "sms", SESSION_NOWHERE, SESSION_NOWHERE,
				       "the counts are more than there are SMs");
	return true;
}

/* Inactive slots get no SMs. Active ones get a place, or the policy holds them. */
static bool tenants_are_served(const struct session *session, const u32 *places,
			       struct session_refusal *why)
{
	const struct simgpu_snapshot *snapshot = &session->snapshot;
	bool owners = session->proposal.flags & SIMGPU_SAYS_OWNERS;
	const char *field = owners ? "owner" : "sms";
	bool scarce = snapshot->tenants_active >
		      snapshot->sms / snapshot->sms_per_tpc;
	u64 hold = hold_of(session);
	u32 slot;

	for (slot = 0; slot < SIMGPU_SLOTS_MAX; slot++) {
		if (snapshot->tenants[slot].active) {
			if (!places[slot] && !scarce && !(hold >> slot & 1))
				return refuse_proposal(why, field, slot, SESSION_NOWHERE,
						       "a tenant with work that is not held gets no SM");
		} else if (places[slot] && !owners) {
			return refuse_proposal(why, field, slot, SESSION_NOWHERE,
					       "a tenant without work gets SMs");
		}
	}
	return true;
}

/* All SMs of a TPC have to change owner together. */
static bool tpcs_are_whole(const struct session *session,
			   struct session_refusal *why)
{
	const struct simgpu_proposal *proposal = &session->proposal;
	const struct gpu_config *config = &session->initial.config;
	u32 sm;

	for (sm = 0; sm < config->sms; sm++) {
		u32 first = first_of_tpc(config, sm);

		if (proposal->owner[sm] != proposal->owner[first] ||
		    (proposal->owner[sm] == SIMGPU_SHARED &&
		     proposal->sharers[sm] != proposal->sharers[first]))
			return refuse_proposal(why, "owner", SESSION_NOWHERE, sm,
					       "the SMs of a TPC go to different owners");
	}
	return true;
}

/* With a map of owners, an owner needs work; a sharer does not. */
static bool owners_have_work(const struct session *session,
			     struct session_refusal *why)
{
	const struct simgpu_proposal *proposal = &session->proposal;
	u32 sm;

	for (sm = 0; sm < session->initial.config.sms; sm++) {
		u32 owner = proposal->owner[sm];

		if (owner < SIMGPU_SLOTS_MAX &&
		    !session->snapshot.tenants[owner].active)
			return refuse_proposal(why, "owner", owner, sm,
					       "a tenant without work gets an SM");
	}
	return true;
}

static bool places_are_sound(const struct session *session,
			     struct session_refusal *why)
{
	u32 places[SIMGPU_SLOTS_MAX] = { 0 };

	if (session->proposal.flags & SIMGPU_SAYS_OWNERS) {
		if (!count_owners(session, places, why) ||
		    !tpcs_are_whole(session, why) ||
		    !owners_have_work(session, why))
			return false;
	} else if (!counts_add_up(session, places, why)) {
		return false;
	}
	return tenants_are_served(session, places, why);
}

/* --- wakes ---------------------------------------------------------------------------- */

static bool wake_is_sound(const struct session *session,
			  struct session_refusal *why)
{
	const struct simgpu_proposal *proposal = &session->proposal;
	const u32 all = SESSION_NOWHERE;

	if (!proposal->wake_cycle)
		return true;
	if (!lists(session, SIMGPU_ON_WAKE))
		return refuse_proposal(why, "wake_cycle", all, all,
				       "a policy that does not list wakes names one");
	/* One that stands may be named again, however near it has come. */
	if (proposal->wake_cycle != session->wake_cycle &&
	    proposal->wake_cycle <
	    session_now(session) + SIMGPU_WAKE_CYCLES_MIN)
		return refuse_proposal(why, "wake_cycle", all, all,
				       "a wake is less than 1000 cycles ahead");
	return true;
}

/* --- resets -------------------------------------------------------------------------- */

static bool resets(const struct session *session)
{
	const struct simgpu_proposal *proposal = &session->proposal;

	return (proposal->flags & SIMGPU_SAYS_PREEMPTION ?
		proposal->preemption : session->controls.preemption) ==
	       SIMGPU_LEAVE_RESET;
}

/* Whether a slot keeps its place on an SM on which it has thread blocks */
static bool keeps_place(const struct session *session, u32 sm, u32 slot)
{
	const struct simgpu_proposal *proposal = &session->proposal;
	u32 owner = proposal->owner[sm];

	if (owner == SIMGPU_SHARED && !(proposal->sharers[sm] >> slot & 1))
		return false;
	if (owner != SIMGPU_SHARED && owner != slot &&
	    owner != owner_of(session, sm))
		return false;
	return !(proposal->flags & SIMGPU_SAYS_BLOCK_LIMITS) ||
	       gpu_sm_blocks(session->gpu, sm, slot) <=
	       proposal->block_limit[sm][slot];
}

/* Whether a proposal of counts takes SMs from a slot */
static bool loses_count(const struct session *session, u32 slot)
{
	u32 sm;

	if (session->proposal.sms[slot] < sms_assigned(session, slot))
		return true;
	for (sm = 0; sm < session->initial.config.sms; sm++)
		if (session->controls.sharers[sm] &&
		    gpu_sm_blocks(session->gpu, sm, slot))
			return true;
	return false;
}

static bool loses_place(const struct session *session, u32 slot, u32 *sm)
{
	*sm = SESSION_NOWHERE;
	if (!(session->proposal.flags & SIMGPU_SAYS_OWNERS))
		return loses_count(session, slot);
	for (*sm = 0; *sm < session->initial.config.sms; ++*sm)
		if (gpu_sm_blocks(session->gpu, *sm, slot) &&
		    !keeps_place(session, *sm, slot))
			return true;
	return false;
}

/* Only thread blocks that may run twice may be reset. */
static bool resets_are_sound(const struct session *session,
			     struct session_refusal *why)
{
	u32 slot, sm;

	if (!resets(session))
		return true;
	for (slot = 0; slot < SIMGPU_SLOTS_MAX; slot++)
		if (session->tenants[slot].running &&
		    !may_be_reset(session, slot) &&
		    loses_place(session, slot, &sm))
			return refuse_proposal(why, "preemption", slot, sm,
					       "a kernel is to be reset whose launch is not idempotent");
	return true;
}

/*
 * proposal_is_sound() - whether the device can do what a policy proposes
 * @why: set to the reason if it cannot
 */
bool proposal_is_sound(const struct session *session,
		       struct session_refusal *why)
{
	const struct simgpu_proposal *proposal = &session->proposal;

	return flags_exist(proposal, why) && controls_are_sound(session, why) &&
	       places_are_sound(session, why) && resets_are_sound(session, why) &&
	       wake_is_sound(session, why);
}
