/* SPDX-License-Identifier: GPL-2.0 */
/* Which SMs a tenant has, and what it has on them. */
#ifndef SESSION_SHARES_H
#define SESSION_SHARES_H

#include <simgpu/proposal.h>

/* Words of a set of SMs, a bit each. */
#define SESSION_SM_WORDS	(SIMGPU_SMS_MAX / 64)

/**
 * struct session_shares - what a tenant has on SMs
 * @own: SMs that are its alone, by number
 * @shared: shared ones on which it may have thread blocks
 * @blocks: thread blocks that it has on SMs
 * @bounded: whether a quota bounds it on any of the shared ones
 * @quota_left: thread instructions that are left of its quotas there; below 0 where
 *	more was issued than they allow
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
u32 sms_shared(const struct session *session, u32 slot);
bool may_be_reset(const struct session *session, u32 slot);
void shares_fill(const struct session *session, u32 slot,
		 struct session_shares *out);

#endif /* SESSION_SHARES_H */
