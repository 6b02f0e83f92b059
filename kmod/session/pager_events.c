// SPDX-License-Identifier: GPL-2.0
/*
 * Events of managed memory for SM policies that list them: a tenant has lost a chunk, it has
 * faulted on one soon after that, or pages that were asked for ahead have come. The first two
 * would come by the thousand where memory is short, so each tells of a tenant once an epoch.
 * A policy that lists none of them changes nothing.
 */
#include "pager_events.h"

/* Tell the policy of an event of a tenant at the end of this window. */
static void tell(struct pager *pager, u32 slot, u32 event)
{
	pager->told[slot] |= event;
	gpu_pager_tells(pager->session->gpu);
}

/* The same, once an epoch; @slots: those of which the policy was told in this one */
static void tell_once(struct pager *pager, u32 slot, u32 event, u64 *slots)
{
	struct pager_events *events = &pager->events;

	if (events->epoch != pager->session->epochs) {
		events->epoch = pager->session->epochs;
		events->pressed = 0;
		events->thrashed = 0;
	}
	if (*slots >> slot & 1)
		return;
	*slots |= 1ULL << slot;
	tell(pager, slot, event);
}

/* pager_tell_pressure() - a chunk of a tenant is taken away */
void pager_tell_pressure(struct pager *pager, u32 slot)
{
	if (lists(pager->session, SIMGPU_ON_MEMORY_PRESSURE))
		tell_once(pager, slot, SIMGPU_ON_MEMORY_PRESSURE, &pager->events.pressed);
}

/* pager_tell_thrashing() - a block has faulted that was evicted at some cycle; 0: it was not */
void pager_tell_thrashing(struct pager *pager, u32 slot, u64 evicted, u64 cycle)
{
	u32 us = pager->policy->lapse_us ?: SIMGPU_LAPSE_US;

	if (evicted && lists(pager->session, SIMGPU_ON_THRASHING) &&
	    cycle <= evicted + pager_cycles_of_us(pager, us))
		tell_once(pager, slot, SIMGPU_ON_THRASHING, &pager->events.thrashed);
}

/* pager_await_prefetch() - pages of a tenant are asked for ahead: tell when they have come */
void pager_await_prefetch(struct pager *pager, u32 slot)
{
	if (lists(pager->session, SIMGPU_ON_PREFETCH_END))
		pager->events.awaited |= 1ULL << slot;
}

/* Tenants with blocks of the batch, or copies, under way */
static u64 slots_under_way(const struct pager *pager)
{
	u32 first = pager->state == PAGER_IDLE ? pager->blocks : pager->block, i;
	u64 slots = 0;

	for (i = first; i < pager->blocks; i++)
		if (pager->asked[i].slot < SESSION_SLOTS_MAX)
			slots |= 1ULL << pager->asked[i].slot;
	for (i = 0; i < pager->copies; i++) {
		const struct copy *copy =
			&pager->copy[(pager->copy_head + i) % PAGER_COPIES];

		if (copy->slot < SESSION_SLOTS_MAX)
			slots |= 1ULL << copy->slot;
	}
	return slots;
}

/*
 * pager_tell_prefetches() - tell of tenants all of whose pages have come that are awaited
 * @fetching: tenants with ranges of which some blocks are in no batch yet
 */
void pager_tell_prefetches(struct pager *pager, u64 fetching)
{
	u64 ended = pager->events.awaited & ~fetching;

	/* Another policy may have come meanwhile. */
	if (!lists(pager->session, SIMGPU_ON_PREFETCH_END))
		pager->events.awaited = 0;
	if (!pager->events.awaited || !ended)
		return;
	ended &= ~slots_under_way(pager);
	pager->events.awaited &= ~ended;
	for (; ended; ended &= ended - 1)
		tell(pager, (u32)__builtin_ctzll(ended), SIMGPU_ON_PREFETCH_END);
}

/* pager_hear() - take what the pager tells: the events of tenants, and of all together */
u32 pager_hear(struct session *session)
{
	struct pager *pager = session->pager;
	u32 events = 0, slot;

	if (!gpu_hear_pager(session->gpu))
		return 0;
	for (slot = 0; slot < SESSION_SLOTS_MAX; slot++) {
		session->tenants[slot].events |= pager->told[slot];
		events |= pager->told[slot];
		pager->told[slot] = 0;
	}
	return events;
}

/* pager_forget_events() - a slot is dropped */
void pager_forget_events(struct pager *pager, u32 slot)
{
	u64 others = ~(1ULL << slot);

	pager->told[slot] = 0;
	pager->events.pressed &= others;
	pager->events.thrashed &= others;
	pager->events.awaited &= others;
}

/* pager_hash_events() - add what decides of which events is told, where any ever was */
u64 pager_hash_events(const struct pager *pager, u64 hash)
{
	const struct pager_events *events = &pager->events;

	return events->pressed | events->thrashed | events->awaited ?
	       hash_bytes(hash, events, sizeof(*events)) : hash;
}
