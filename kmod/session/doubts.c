// SPDX-License-Identifier: GPL-2.0
/*
 * Where a model's prediction may be wrong: what it takes for granted of a tenant, and an
 * epoch was otherwise. Readers are told; nothing is decided by it.
 */
#include "internal.h"

const char *const session_doubt_names[SESSION_DOUBTS] = {
	"shared-sms",
	"held",
	"memory-waits",
	"old",
};

/* A tenant waits too much for memory from this part of its scheduler cycles on: a fifth. */
#define WAITS_PART	5

/* Whether all work that a tenant has is held; a tenant without work is not held. */
static bool is_all_held(const struct session *session, u32 slot)
{
	u32 queues = working_queues(&session->tenants[slot]), mask;

	for (mask = queues; mask; mask &= mask - 1)
		if (!is_held(session, slot, (u32)__builtin_ctz(mask)))
			return false;
	return queues;
}

/* doubts_note() - who is held and who shares SMs now, until the policy says otherwise */
void doubts_note(struct session *session)
{
	u32 slot;

	for (slot = 0; slot < SESSION_SLOTS_MAX; slot++) {
		if (!is_member(session, slot))
			continue;
		if (is_all_held(session, slot))
			session->held_slots |= 1ULL << slot;
		if (sms_shared(session, slot))
			session->sharing_slots |= 1ULL << slot;
	}
}

/* doubts_begin() - an epoch begins */
void doubts_begin(struct session *session)
{
	session->held_slots = 0;
	session->sharing_slots = 0;
	doubts_note(session);
}

/* Whether others use more of the memory's time than a tenant. */
static bool others_load_memory(const struct simgpu_snapshot *snapshot, u32 slot)
{
	u64 all = 0;
	u32 other;

	for (other = 0; other < SESSION_SLOTS_MAX; other++)
		all = fixed_add(all, snapshot->tenants[other].counters.bus_busy_clocks);
	return all / 2 > snapshot->tenants[slot].counters.bus_busy_clocks;
}

static bool waits_for_memory(const struct simgpu_snapshot *snapshot, u32 slot)
{
	const struct simgpu_counters *counters = &snapshot->tenants[slot].counters;
	u64 cycles = fixed_add(counters->warp_instructions, counters->idle_cycles);

	return counters->stall_memory_cycles > cycles / WAITS_PART &&
	       others_load_memory(snapshot, slot);
}

/*
 * doubts_of() - why the prediction of a tenant for the epoch that ends may be wrong, as of
 *	the last doubts_note()
 * @said: whether the model has said something of this epoch
 *
 * Return: those of SIMGPU_ASSUMES_* that the model takes for granted and were not so, and
 * SESSION_DOUBT_OLD; 0: none, or no prediction.
 */
u32 doubts_of(const struct session *session, u32 slot, bool said)
{
	u32 class = session->tenants[slot].predicted.class, doubts = 0;

	if (class == SIMGPU_CLASS_UNKNOWN)
		return 0;
	if (session->sharing_slots >> slot & 1)
		doubts |= SIMGPU_ASSUMES_OWN_SMS;
	if (session->held_slots >> slot & 1)
		doubts |= SIMGPU_ASSUMES_NOT_HELD;
	if (class == SIMGPU_CLASS_COMPUTE && waits_for_memory(&session->snapshot, slot))
		doubts |= SIMGPU_ASSUMES_BUSY_SMS;
	return (doubts & session->model->assumes) | (said ? 0 : SESSION_DOUBT_OLD);
}
