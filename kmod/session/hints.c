// SPDX-License-Identifier: GPL-2.0
/*
 * Hints: a tenant says when it expects its next launch, or requests that come by
 * themselves are announced ahead. The policy hears of it; nothing else follows.
 */
#include "decide.h"
#include "hints.h"
#include "internal.h"
#include "launch.h"

static void take_hint(struct session *session, u32 slot, const struct session_hint *hint)
{
	struct session_tenant *tenant = &session->tenants[slot];

	tenant->hint = *hint;
	tenant->events |= SIMGPU_ON_HINT;
	decide_events(session, SIMGPU_ON_HINT);
}

int session_hint(struct session *session, u32 slot, const struct session_hint *hint)
{
	const struct session_tenant *tenant = &session->tenants[slot];

	if (!is_member(session, slot) || (hint->laxity && !hint->cycle))
		return -EINVAL;
	if (session->stopped || session->canceled)
		return -ECANCELED;
	if (hint->laxity > SESSION_AHEAD_CYCLES_MAX ||
	    hint->cycle > fixed_add(session_now(session), SESSION_AHEAD_CYCLES_MAX))
		return -ERANGE;
	if (!memcmp(hint, &tenant->hint, sizeof(*hint)))
		return 0;
	journal_add(session, JOURNAL_HINT, slot)->hint = *hint;
	take_hint(session, slot, hint);
	return 0;
}

/* --- requests that come by themselves --------------------------------------------------- */

/* When a tenant's next request is to be announced; NEVER: there is none, or it was. */
static u64 announced_at(const struct session *session, u32 slot)
{
	const struct session_tenant *tenant = &session->tenants[slot];
	const struct arrivals *arrivals = &tenant->arrivals;
	u64 comes;

	if (!arrivals->plan.hint_cycles || !arrivals->trace ||
	    !(tenant->pending & ~begun_queues(tenant) & 1))
		return NEVER;
	comes = present_launch(&tenant->queue[0])->not_before;
	if (comes <= session_now(session) || tenant->hint.cycle == comes)
		return NEVER;
	return fixed_above(comes, arrivals->plan.hint_cycles);
}

/* hints_next() - when the next request is announced; NEVER: there is none to announce */
u64 hints_next(const struct session *session)
{
	u64 next = NEVER;
	u32 slot;

	for (slot = 0; slot < SESSION_SLOTS_MAX; slot++)
		next = min(next, announced_at(session, slot));
	return next;
}

/* hints_due() - announce the requests whose time for that has come */
void hints_due(struct session *session)
{
	u32 slot;

	for (slot = 0; slot < SESSION_SLOTS_MAX; slot++) {
		const struct session_tenant *tenant = &session->tenants[slot];

		if (announced_at(session, slot) > session_now(session))
			continue;
		take_hint(session, slot, &(struct session_hint) {
			.cycle = present_launch(&tenant->queue[0])->not_before,
		});
	}
}
