// SPDX-License-Identifier: GPL-2.0
/* Why a policy's answer, a parameter or a model was refused. */
#include "refusal.h"

const char *const session_refusal_names[SESSION_REFUSED_KINDS] = {
	[SESSION_REFUSED_NOTHING] = "none",
	[SESSION_REFUSED_DECIDE] = "decide",
	[SESSION_REFUSED_PROPOSAL] = "proposal",
	[SESSION_REFUSED_HOLD] = "hold",
	[SESSION_REFUSED_SLOW] = "slow",
	[SESSION_REFUSED_PREDICT] = "predict",
	[SESSION_REFUSED_PARAM] = "param",
	[SESSION_REFUSED_CONSTANTS] = "constants",
	[SESSION_REFUSED_GONE] = "gone",
	[SESSION_REFUSED_MEMORY] = "memory",
};

/*
 * refusal_say() - say why
 * @field: of the proposal
 * @slot: that it is about, or SESSION_NOWHERE
 * @sm: likewise
 * @reason: a sentence
 *
 * Kinds and codes of others than proposals are set by the caller afterwards.
 */
void refusal_say(struct session_refusal *why, const char *field, u32 slot, u32 sm,
		 const char *reason)
{
	u32 kind = why->kind;

	memset(why, 0, sizeof(*why));
	why->kind = kind;
	why->code = -EINVAL;
	why->slot = slot;
	why->sm = sm;
	snprintf(why->field, sizeof(why->field), "%s", field);
	snprintf(why->reason, sizeof(why->reason), "%s", reason);
}

/* refuse_proposal() - the same for checks that are one line: false, with the reason */
bool refuse_proposal(struct session_refusal *why, const char *field, u32 slot, u32 sm,
		     const char *reason)
{
	refusal_say(why, field, slot, sm, reason);
	return false;
}
