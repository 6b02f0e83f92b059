// SPDX-License-Identifier: GPL-2.0
/*
 * time-slice: contexts of tenants take turns on the whole GPU, as in drivers where
 * nothing partitions it. At the end of a slice the contexts of all thread blocks are
 * saved, and those of the next tenant are read back, as a part of that tenant's slice.
 */
#include "../common/tenants.h"
#include "../registry.h"

/* Indices of its parameters. */
enum {
	SLICE,
};

static const struct simgpu_param params[] = {
	[SLICE] = {
		"slice", SIMGPU_UNIT_CYCLES, 50000, 50000000, 500000,
		"how long a tenant has all SMs, with the switch to it"
	},
	{ .name = NULL }
};

/* struct turn - if @given, the slot before @next has the turn until @until; else no slot has */
struct turn {
	u32 next;
	u32 given;
	u64 until;
};

static bool is_over(const struct simgpu_snapshot *snapshot,
		    const struct turn *turn)
{
	return !turn->given || turn->until <= snapshot->cycle ||
	       !snapshot->tenants[turn->next - 1].active;
}

static int time_slice_decide(const struct simgpu_snapshot *snapshot, void *state,
			     struct simgpu_proposal *proposal)
{
	struct turn *turn = state;
	u32 slot;

	proposal->flags = SIMGPU_SAYS_HOLD | SIMGPU_SAYS_PREEMPTION;
	proposal->preemption = SIMGPU_LEAVE_SWITCH;
	proposal->hold = 0;
	if (!snapshot->tenants_active) {
		turn->given = 0;
		return 0;
	}
	if (is_over(snapshot, turn)) {
		turn->next = next_active_slot(snapshot, turn->next +
							SIMGPU_SLOTS_MAX - 1) + 1;
		turn->given = 1;
		turn->until = snapshot->cycle + snapshot->policy_params[SLICE];
	}
	for (slot = 0; slot < SIMGPU_SLOTS_MAX; slot++)
		proposal->sms[slot] = slot + 1 == turn->next ? snapshot->sms : 0;
	proposal->hold = active_slots(snapshot) & ~(1ULL << (turn->next - 1));
	proposal->wake_cycle = turn->until;
	return 0;
}

const struct simgpu_policy policy_time_slice = {
	.name = "time-slice",
	.about = "turns on the whole GPU, by context switches",
	.events = SIMGPU_ON_ARRIVAL | SIMGPU_ON_DEPARTURE | SIMGPU_ON_WAKE,
	.needs = SIMGPU_NEEDS_NO_MODEL,
	.state_bytes = sizeof(struct turn),
	.params = params,
	.decide = time_slice_decide,
};
