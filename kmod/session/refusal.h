/* SPDX-License-Identifier: GPL-2.0 */
/* Why a policy's answer, a parameter or a model was refused. */
#ifndef SESSION_REFUSAL_H
#define SESSION_REFUSAL_H

#include <simgpu/snapshot.h>

/* Why the policy's word was not followed, or a write was refused. */
enum session_refusal_kind {
	SESSION_REFUSED_NOTHING,
	SESSION_REFUSED_DECIDE,		/* the policy returned an error */
	SESSION_REFUSED_PROPOSAL,	/* it proposed what cannot be done */
	SESSION_REFUSED_HOLD,		/* it kept a tenant from all progress */
	SESSION_REFUSED_SLOW,		/* it took too long */
	SESSION_REFUSED_PREDICT,	/* the model failed, or asked for what cannot be done */
	SESSION_REFUSED_PARAM,		/* a param's value */
	SESSION_REFUSED_CONSTANTS,	/* a model's constants */
	SESSION_REFUSED_GONE,		/* the policy was unloaded */
	SESSION_REFUSED_MEMORY,		/* the memory policy failed, or was unloaded */
	SESSION_REFUSED_KINDS
};

#define SESSION_NOWHERE		U32_MAX

/**
 * struct session_refusal - the last refusal or fallback
 * @kind: &enum session_refusal_kind
 * @code: a negative errno
 * @slot: that it is about, or SESSION_NOWHERE
 * @sm: likewise
 * @cycle: device cycle
 * @field: of the proposal, name of the param, or empty
 * @reason: a sentence
 */
struct session_refusal {
	u32 kind;
	s32 code;
	u32 slot;
	u32 sm;
	u64 cycle;
	char field[SIMGPU_NAME_BYTES];
	char reason[128];
};

extern const char *const session_refusal_names[SESSION_REFUSED_KINDS];

void refusal_say(struct session_refusal *why, const char *field, u32 slot, u32 sm,
		 const char *reason);
bool refuse_proposal(struct session_refusal *why, const char *field, u32 slot, u32 sm,
		     const char *reason);

#endif /* SESSION_REFUSAL_H */
