// SPDX-License-Identifier: GPL-2.0
/* Which SMs a tenant has, and what it has on them; for reports alone. */
#include "apply.h"
#include "internal.h"
#include "shares.h"

static void add_sm(u64 *words, u32 sm)
{
	words[sm / 64] |= 1ULL << sm % 64;
}

/* An SM that is shared, and on which the slot may have thread blocks. */
static void add_shared(const struct session *session, u32 sm, u32 slot,
		       struct session_shares *out)
{
	struct gpu_sm_tenant row;

	add_sm(out->shared, sm);
	gpu_sm_tenant(session->gpu, sm, slot, &row);
	if (row.quota_left == GPU_NO_QUOTA)
		return;
	out->bounded = true;
	out->quota_left += row.quota_left;
}

/*
 * shares_fill() - what a slot has on SMs now
 *
 * An SM that changes hands counts for whom it goes to; the thread blocks that leave
 * it count for whom they belong to.
 */
void shares_fill(const struct session *session, u32 slot,
		 struct session_shares *out)
{
	const struct simgpu_proposal *controls = &session->controls;
	u32 sm;

	memset(out, 0, sizeof(*out));
	for (sm = 0; sm < session->initial.config.sms; sm++) {
		out->blocks += gpu_sm_blocks(session->gpu, sm, slot);
		if (controls->sharers[sm] >> slot & 1 &&
		    controls->block_limit[sm][slot])
			add_shared(session, sm, slot, out);
		else if (owner_of(session, sm) == slot)
			add_sm(out->own, sm);
	}
}
