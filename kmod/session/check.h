/* SPDX-License-Identifier: GPL-2.0 */
/* Whether a proposal can be done as a whole. */
#ifndef SESSION_CHECK_H
#define SESSION_CHECK_H

#include "internal.h"

bool proposal_is_sound(const struct session *session,
		       struct session_refusal *why);

#endif /* SESSION_CHECK_H */
