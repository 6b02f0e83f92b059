// SPDX-License-Identifier: GPL-2.0
/*
 * slices: software preemption, as a runtime can do it without help from the hardware.
 * Each kernel is launched in slices of so many thread blocks. When a slice has ended, the
 * next tenant's slice is launched. Each slice costs a launch (launch_cycles).
 */
#include "../common/tenants.h"
#include "../registry.h"

/* Indices of its parameters. */
enum {
	BLOCKS,
};

static const struct simgpu_param params[] = {
	[BLOCKS] = {
		"blocks", SIMGPU_UNIT_NUMBER, 1, 1000000, 640,
		"thread blocks of a slice"
	},
	{ .name = NULL }
};

/* struct turn - @queues of @slot run a slice each; the next turn goes to @next or a later slot */
struct turn {
	u32 slot;
	u32 next;
	u32 queues;
};

/* Queues of a tenant with a kernel, a bit each. */
static u32 present_queues(const struct simgpu_snapshot_tenant *tenant)
{
	u32 queues = 0, i;

	for (i = 0; tenant->active && i < tenant->queue_count; i++)
		if (tenant->queue[i].head.flags & SIMGPU_KERNEL_PRESENT)
			queues |= 1U << i;
	return queues;
}

/* A slice ends with its last block, or with its kernel. */
static void note_ends(const struct simgpu_snapshot_tenant *tenant,
		      struct turn *turn)
{
	const u32 ends = SIMGPU_ON_SLICE_END | SIMGPU_ON_KERNEL_END;
	u32 left;

	turn->queues &= present_queues(tenant);
	for (left = turn->queues; left; left &= left - 1)
		if (tenant->queue[__builtin_ctz(left)].events & ends)
			turn->queues &= ~(left & -left);
}

/* Let the next tenant with kernels begin a slice of each of them. */
static void begin_turn(const struct simgpu_snapshot *snapshot, struct turn *turn,
		       struct simgpu_proposal *proposal)
{
	u32 tenants = snapshot->tenants_active, i;

	/* The tenant of the last turn is asked last. */
	for (; tenants && !turn->queues; tenants--) {
		turn->slot = next_active_slot(snapshot, turn->next +
							SIMGPU_SLOTS_MAX - 1);
		turn->next = (turn->slot + 1) % SIMGPU_SLOTS_MAX;
		turn->queues = present_queues(&snapshot->tenants[turn->slot]);
	}
	if (!turn->queues)
		return;
	proposal->flags |= SIMGPU_SAYS_ISSUE_LIMITS;
	for (i = 0; i < SIMGPU_QUEUES_MAX; i++)
		proposal->issue_limit[turn->slot][i] =
			(u32)snapshot->policy_params[BLOCKS];
}

static int slices_decide(const struct simgpu_snapshot *snapshot, void *state,
			 struct simgpu_proposal *proposal)
{
	struct turn *turn = state;
	u32 slot;

	proposal->flags = SIMGPU_SAYS_HOLD | SIMGPU_SAYS_PREEMPTION;
	proposal->preemption = SIMGPU_LEAVE_DRAIN;
	proposal->hold = 0;
	turn->slot %= SIMGPU_SLOTS_MAX;
	turn->next %= SIMGPU_SLOTS_MAX;
	if (turn->queues)
		note_ends(&snapshot->tenants[turn->slot], turn);
	if (!turn->queues)
		begin_turn(snapshot, turn, proposal);
	for (slot = 0; slot < SIMGPU_SLOTS_MAX; slot++)
		proposal->sms[slot] = 0;
	if (!turn->queues) {
		/* No tenant has a kernel yet; all tenants with work are held until then. */
		proposal->hold = active_slots(snapshot);
		return 0;
	}
	proposal->sms[turn->slot] = snapshot->sms;
	proposal->hold = active_slots(snapshot) & ~(1ULL << turn->slot);
	return 0;
}

const struct simgpu_policy policy_slices = {
	.name = "slices",
	.about = "kernels in slices of thread blocks, in turn",
	.events = SIMGPU_ON_ARRIVAL | SIMGPU_ON_DEPARTURE | SIMGPU_ON_KERNEL_READY |
		  SIMGPU_ON_KERNEL_END | SIMGPU_ON_SLICE_END,
	.needs = SIMGPU_NEEDS_NO_MODEL,
	.state_bytes = sizeof(struct turn),
	.params = params,
	.decide = slices_decide,
};
