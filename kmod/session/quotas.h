/* SPDX-License-Identifier: GPL-2.0 */
/* Quotas on shared SMs: setting them, and whether they were kept. */
#ifndef SESSION_QUOTAS_H
#define SESSION_QUOTAS_H

#include "session.h"

struct session_tenant;

/**
 * session_quota_checks() - were quotas kept
 * @session: any
 * @overruns: set to how often more was issued on an SM than a quota and its refills
 *	allow, a warp instruction a scheduler aside, or the accounts did not agree
 *
 * Return: quotas, of a tenant on an SM, that have ended and were looked at.
 */
u64 session_quota_checks(const struct session *session, u64 *overruns);

/* For kmod/session alone. */
bool quotas_are_sound(const struct session *session, struct session_refusal *why);
void quotas_apply(struct session *session);
void quotas_figures(const struct session_tenant *tenant,
		    struct session_quota_figures *out);
void quotas_clear(struct session *session, u32 sm, u32 slot);

#endif /* SESSION_QUOTAS_H */
