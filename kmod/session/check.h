/* SPDX-License-Identifier: GPL-2.0 */
/* Whether a proposal can be done as a whole, and why it cannot. */
#ifndef SESSION_CHECK_H
#define SESSION_CHECK_H

#include "internal.h"

bool proposal_is_sound(const struct session *session,
		       struct session_refusal *why);
void refusal_say(struct session_refusal *why, const char *field, u32 slot, u32 sm,
		 const char *reason);
bool refuse_word(struct session_refusal *why, const char *field, u32 slot, u32 sm,
		 const char *reason);

#endif /* SESSION_CHECK_H */
