// SPDX-License-Identifier: GPL-2.0
/* Which SMs a tenant has, and what it has on them. */
#include "internal.h"
#include "shares.h"

/* owner_of() - the owner that an SM has, or will have once it is drained; probes do not count */
u32 owner_of(const struct session *session, u32 sm)
{
	if (session->probe.kind == SIMGPU_PROBE_ALONE)
		return session->probe.before[sm];
	return gpu_sm_next_owner(session->gpu, sm);
}

/* sms_assigned() - SMs of its own that a slot has or gets */
u32 sms_assigned(const struct session *session, u32 slot)
{
	u32 count = 0, sm;

	for (sm = 0; sm < session->initial.config.sms; sm++)
		count += owner_of(session, sm) == slot;
	return count;
}

/* sms_of_each() - sms_assigned() of all slots at once; @counts has SESSION_SLOTS_MAX elements */
void sms_of_each(const struct session *session, u32 *counts)
{
	u32 sm;

	memset(counts, 0, SESSION_SLOTS_MAX * sizeof(*counts));
	for (sm = 0; sm < session->initial.config.sms; sm++) {
		u32 owner = owner_of(session, sm);

		if (owner < SESSION_SLOTS_MAX)
			counts[owner]++;
	}
}

/* sms_shared() - shared SMs on which a slot may place thread blocks */
u32 sms_shared(const struct session *session, u32 slot)
{
	const struct simgpu_proposal *controls = &session->controls;
	u32 count = 0, sm;

	if (!session->any_shared)
		return 0;
	for (sm = 0; sm < session->initial.config.sms; sm++)
		count += controls->sharers[sm] >> slot & 1 &&
			 controls->block_limit[sm][slot];
	return count;
}

/* may_be_reset() - whether thread blocks of all kernels of a slot may run twice */
bool may_be_reset(const struct session *session, u32 slot)
{
	const struct session_tenant *tenant = &session->tenants[slot];
	u32 mask;

	for (mask = tenant->running; mask; mask &= mask - 1)
		if (!present_launch(&tenant->queue[__builtin_ctz(mask)])->idempotent)
			return false;
	return true;
}

/* --- for reports --- */

static void add_sm(u64 *words, u32 sm)
{
	simgpu_add_bit(words, sm);
}

/* Add a shared SM on which the slot may have thread blocks. */
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
 * shares_fill() - a slot's present share of the SMs
 *
 * An SM that changes owner counts for its next owner. Thread blocks that are leaving it
 * count for the slot to which they belong.
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
