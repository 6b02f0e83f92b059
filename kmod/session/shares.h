/* SPDX-License-Identifier: GPL-2.0 */
/* The SMs that a tenant has, and its thread blocks and quotas on them */
#ifndef SESSION_SHARES_H
#define SESSION_SHARES_H

#include <simgpu/proposal.h>

/* Words of a set of SMs, with a bit for each SM */
#define SESSION_SM_WORDS	(SIMGPU_SMS_MAX / 64)

/**
 * struct session_shares - a tenant's share of the SMs
 * @own: number of SMs that it has alone
 * @shared: number of shared SMs on which it may have thread blocks
 * @blocks: its thread blocks on SMs
 * @bounded: whether a quota limits it on any shared SM
 * @quota_left: thread instructions left of its quotas; negative if more was issued than
 *	they allow
 */
struct session_shares {
	u64 own[SESSION_SM_WORDS];
	u64 shared[SESSION_SM_WORDS];
	u32 blocks;
	bool bounded;
	s64 quota_left;
};

struct session;

u32 owner_of(const struct session *session, u32 sm);
u32 sms_assigned(const struct session *session, u32 slot);
void sms_of_each(const struct session *session, u32 *counts);
u32 sms_shared(const struct session *session, u32 slot);
bool may_be_reset(const struct session *session, u32 slot);
void shares_fill(const struct session *session, u32 slot,
		 struct session_shares *out);

#endif /* SESSION_SHARES_H */
