/* SPDX-License-Identifier: GPL-2.0 */
/* Quotas on shared SMs: setting them, and checking that they are kept */
#ifndef SESSION_QUOTAS_H
#define SESSION_QUOTAS_H

#include "session.h"

struct session_tenant;

/**
 * session_quota_checks() - how many quotas were checked
 * @session: the session
 * @overruns: set to the number of failed checks: more was issued on an SM than a quota and
 *	its refills allow, plus a warp instruction a scheduler, or the accounts disagreed
 *
 * Return: number of quotas, of a tenant on an SM, that have ended and were checked.
 */
u64 session_quota_checks(const struct session *session, u64 *overruns);

/* Used only in kmod/session */
bool quotas_are_sound(const struct session *session, struct session_refusal *why);
void quotas_apply(struct session *session);
void quotas_figures(const struct session_tenant *tenant,
		    struct session_quota_figures *out);
void quotas_clear(struct session *session, u32 sm, u32 slot);

#endif /* SESSION_QUOTAS_H */
