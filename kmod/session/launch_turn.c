// SPDX-License-Identifier: GPL-2.0
/*
 * Which launches may begin: those that wait neither for others of their tenant nor for device
 * memory. Nothing begins here; launch.c does that.
 */
#include "commands.h"
#include "internal.h"
#include "launch_turn.h"
#include "pager_parts.h"

/* --- waiting for others of the tenant ------------------------------------------------- */

/* launch_waits() - whether a launch names others that have to end before it begins */
bool launch_waits(const struct launch *launch)
{
	u32 i;

	for (i = 0; i < SESSION_WAITS_MAX; i++)
		if (launch->wait[i])
			return true;
	return false;
}

/* Whether the first launch of a queue has to wait until it is the first one of others, too. */
static bool waits_for_queues(const struct session_tenant *tenant, u32 number)
{
	const struct launch *launch = present_launch(&tenant->queue[number]);
	u32 queues = launch_queues_of(launch, number);

	if (!launch_is_lead(launch, number))
		return true;
	for (; queues; queues &= queues - 1) {
		const struct queue *queue = &tenant->queue[__builtin_ctz(queues)];

		if (present_launch(queue)->sequence != launch->sequence)
			return true;
	}
	return false;
}

/* launch_waits_for_others() - whether the first launch of a queue waits for other launches */
bool launch_waits_for_others(const struct session_tenant *tenant, u32 number)
{
	const struct launch *launch = present_launch(&tenant->queue[number]);

	return launch_waits(launch) || waits_for_queues(tenant, number);
}

/* Remove a launch that has ended from those that a launch waits for. */
static void forget_wait(struct session_tenant *tenant, struct launch *launch,
			u64 sequence)
{
	u32 i;

	for (i = 0; i < SESSION_WAITS_MAX; i++) {
		if (launch->wait[i] != sequence)
			continue;
		launch->wait[i] = 0;
		tenant->waits--;
	}
}

/* launch_tell_waiting() - a launch has ended: those that waited for it do not wait any more */
void launch_tell_waiting(struct session_tenant *tenant, u64 sequence)
{
	u32 mask, i;

	for (mask = tenant->waits ? tenant->pending : 0; mask; mask &= mask - 1) {
		struct queue *queue = &tenant->queue[__builtin_ctz(mask)];

		for (i = 0; i < queue->launches; i++)
			forget_wait(tenant, &queue->launch[(queue->head + i) %
							  SESSION_LAUNCHES_MAX],
				    sequence);
	}
}

/* --- device memory ------------------------------------------------------------------- */

/*
 * The memory that launches under way need, without those of some queues. They share an
 * address space, so it is the memory of the largest one.
 */
static u64 footprint_without(const struct session_tenant *tenant, u32 without)
{
	u32 mask = begun_queues(tenant) & ~without;
	u64 most = 0;

	for (; mask; mask &= mask - 1) {
		const struct queue *queue = &tenant->queue[__builtin_ctz(mask)];
		u64 bytes = present_launch(queue)->trace->footprint_bytes;

		most = max(bytes, most);
	}
	return most;
}

/*
 * Whether a tenant's launches wait until the footprints of others leave room. Managed memory
 * is none of this: the pager divides memory of its own among those who have it.
 */
static bool needs_room(const struct session *session, u32 slot)
{
	return session->initial.config.memory_mb && !managed_is_all(session, slot);
}

/* launch_footprint() - device memory that a tenant's launches under way need */
u64 launch_footprint(const struct session_tenant *tenant)
{
	return footprint_without(tenant, 0);
}

/* Whether a queue's launch could begin if there is memory. */
static bool is_due(const struct session *session, u32 slot, u32 number)
{
	const struct session_tenant *tenant = &session->tenants[slot];
	const struct queue *queue = &tenant->queue[number];
	const struct launch *launch = present_launch(queue);

	return tenant->pending & ~begun_queues(tenant) & 1U << number &&
	       launch->not_before <= session_now(session) &&
	       !launch_waits_for_others(tenant, number);
}

static void look_at_queues(const struct session *session, u32 slot,
			   struct launch_memory *out)
{
	const struct session_tenant *tenant = &session->tenants[slot];
	u32 mask;

	for (mask = tenant->pending & ~begun_queues(tenant); mask;
	     mask &= mask - 1) {
		u32 number = (u32)__builtin_ctz(mask);
		const struct launch *launch =
			present_launch(&tenant->queue[number]);

		if (launch_waits_for_others(tenant, number))
			continue;
		if (launch->not_before > session_now(session) ||
		    !needs_room(session, slot)) {
			out->next_start = min(out->next_start,
					      launch->not_before);
			continue;
		}
		/* Of launches that came together the lowest slot and queue is first. */
		if (launch_arrival_cycle(launch) >= out->arrival)
			continue;
		out->slot = slot;
		out->number = number;
		out->arrival = launch_arrival_cycle(launch);
	}
}

/* launch_look_at_memory() - find whose turn it is, and how much memory is used */
void launch_look_at_memory(const struct session *session, struct launch_memory *out)
{
	u32 slot;

	memset(out, 0, sizeof(*out));
	out->arrival = NEVER;
	out->next_start = NEVER;
	if (!session->initial.config.memory_mb)
		return;
	for (slot = 0; slot < SESSION_SLOTS_MAX; slot++) {
		if (needs_room(session, slot))
			out->used += managed_leaves(session, slot,
						    launch_footprint(&session->tenants[slot]));
		look_at_queues(session, slot, out);
	}
}

/* Whether a launch that is due in another queue came before one of @number. */
static bool others_are_first(const struct launch_memory *memory, u32 slot, u32 number,
			     const struct launch *launch)
{
	u64 mine = launch_arrival_cycle(launch);

	if (memory->arrival == NEVER ||
	    (memory->slot == slot && memory->number == number))
		return false;
	if (memory->arrival != mine)
		return memory->arrival < mine;
	return memory->slot < slot ||
	       (memory->slot == slot && memory->number < number);
}

/* Whether launches under way leave too little memory for this one. */
static bool lacks_memory(const struct session *session,
			 const struct launch_memory *memory, u32 slot, u32 number,
			 const struct launch *launch)
{
	const struct session_tenant *tenant = &session->tenants[slot];
	u64 own = max(footprint_without(tenant, 1U << number),
		      launch->trace->footprint_bytes);

	return memory->used - managed_leaves(session, slot, launch_footprint(tenant)) +
	       managed_leaves(session, slot, own) > (u64)session->initial.config.memory_mb << 20;
}

/*
 * launch_must_wait() - whether a launch that is due cannot begin only for want of memory.
 * Launches that are due begin in the order in which they came. A smaller one must not
 * overtake one that waits, which could then wait for ever.
 */
bool launch_must_wait(const struct session *session, const struct launch_memory *memory,
		      u32 slot, u32 number, const struct launch *launch)
{
	return needs_room(session, slot) &&
	       (others_are_first(memory, slot, number, launch) ||
		lacks_memory(session, memory, slot, number, launch));
}

static bool waits_for_memory(const struct session *session,
			     const struct launch_memory *memory, u32 slot, u32 number)
{
	const struct queue *queue = &session->tenants[slot].queue[number];

	return is_due(session, slot, number) &&
	       launch_must_wait(session, memory, slot, number, present_launch(queue));
}

/* launch_lacks_memory() - whether some launch of a tenant waits only for memory */
bool launch_lacks_memory(const struct session *session, u32 slot)
{
	const struct session_tenant *tenant = &session->tenants[slot];
	u32 mask = tenant->pending & ~begun_queues(tenant);
	struct launch_memory memory;

	if (!mask || !session->initial.config.memory_mb)
		return false;
	launch_look_at_memory(session, &memory);
	for (; mask; mask &= mask - 1)
		if (waits_for_memory(session, &memory, slot,
				     (u32)__builtin_ctz(mask)))
			return true;
	return false;
}

/* launch_can_begin() - whether the first launch of a queue may begin now */
bool launch_can_begin(const struct session *session, const struct launch_memory *memory,
		      u32 slot, u32 number)
{
	const struct queue *queue = &session->tenants[slot].queue[number];

	/* All others wait for the first one: there is no need to look at them. */
	if (needs_room(session, slot) &&
	    (memory->arrival == NEVER || memory->slot != slot ||
	     memory->number != number))
		return false;
	return is_due(session, slot, number) &&
	       !launch_must_wait(session, memory, slot, number, present_launch(queue));
}
