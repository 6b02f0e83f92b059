/* SPDX-License-Identifier: GPL-2.0 */
/* Hints: what tenants say of launches that they expect. */
#ifndef SESSION_HINTS_H
#define SESSION_HINTS_H

#include "session.h"

/**
 * session_hint() - a tenant says when it expects its next launch
 * @session: the session
 * @slot: the tenant
 * @hint: what it says, in place of what it said before; copied. A cycle that has passed
 *	means: at any moment
 *
 * Policies that list SIMGPU_ON_HINT hear of it, and may preempt ahead. It holds until a
 * launch of the tenant begins; nothing follows if none comes.
 *
 * Return: 0; -ERANGE for a cycle or a laxity of more than SESSION_AHEAD_CYCLES_MAX ahead;
 * -EINVAL for a laxity without a cycle, or no such tenant; -ECANCELED after the stop cycle or
 * on a canceled gang.
 */
int session_hint(struct session *session, u32 slot, const struct session_hint *hint);

u64 hints_next(const struct session *session);
void hints_due(struct session *session);

#endif /* SESSION_HINTS_H */
