/* SPDX-License-Identifier: GPL-2.0 */
/* Which launches may begin. */
#ifndef SESSION_LAUNCH_TURN_H
#define SESSION_LAUNCH_TURN_H

#include "internal.h"

/*
 * struct launch_memory - who is next in turn for device memory, and how much of it is used
 * @slot: slot of the launch that came first of those that could begin; NEVER in
 *	@arrival: there is none
 * @number: its queue
 * @arrival: when it came
 * @used: memory that launches under way need
 * @next_start: when the next launch could begin of those whose cycle has not come, or that
 *	need no turn
 *
 * It is found in one walk over all queues: a tenant can have 8 of them wait, and to
 * compare each with all others took most of the device's time.
 */
struct launch_memory {
	u32 slot;
	u32 number;
	u64 arrival;
	u64 used;
	u64 next_start;
};

/* When a launch came, or will come. */
static inline u64 launch_arrival_cycle(const struct launch *launch)
{
	return max(launch->arrival_cycle, launch->not_before);
}

/* Whether a launch in a queue is what its owner handed in, and no copy of it. */
static inline bool launch_is_lead(const struct launch *launch, u32 number)
{
	return !launch->trace->queues || launch->lead == number;
}

bool launch_waits(const struct launch *launch);
bool launch_waits_for_others(const struct session_tenant *tenant, u32 number);
void launch_tell_waiting(struct session_tenant *tenant, u64 sequence);
u64 launch_footprint(const struct session_tenant *tenant);
void launch_look_at_memory(const struct session *session, struct launch_memory *out);
bool launch_must_wait(const struct session *session, const struct launch_memory *memory,
		      u32 slot, u32 number, const struct launch *launch);
bool launch_lacks_memory(const struct session *session, u32 slot);
bool launch_can_begin(const struct session *session, const struct launch_memory *memory,
		      u32 slot, u32 number);

#endif /* SESSION_LAUNCH_TURN_H */
