// SPDX-License-Identifier: GPL-2.0
/*
 * reset: a policy that drops thread blocks. Tenants whose launches are idempotent are
 * the batch, all others are urgent. By turns, a period each, the urgent have most SMs
 * and the batch has. What the batch has to give up goes at once, by reset, and the
 * urgent give theirs back by a context switch. The batch begins its blocks in slices.
 */
#include <simgpu/plugin.h>

/* Its parameters */
enum {
	PERIOD,
	SLICE,
};

static const struct simgpu_param params[] = {
	[PERIOD] = {
		"period", SIMGPU_UNIT_CYCLES, 2000, 10000000, 20000,
		"how long the urgent, and then the batch, have most SMs"
	},
	[SLICE] = {
		"slice", SIMGPU_UNIT_NUMBER, 1, 1000000, 500,
		"thread blocks that a queue of the batch may begin at a time"
	},
	{ .name = NULL }
};

/* struct turn - @urgent: they have most SMs, until the cycle @until */
struct turn {
	u64 urgent;
	u64 until;
};

/* Whether all kernels of a tenant may be reset. */
static bool is_batch(const struct simgpu_snapshot_tenant *tenant)
{
	u32 queue;

	for (queue = 0; queue < SIMGPU_QUEUES_MAX; queue++) {
		u32 flags = tenant->queue[queue].head.flags;

		if (flags & SIMGPU_KERNEL_PRESENT &&
		    !(flags & SIMGPU_KERNEL_IDEMPOTENT))
			return false;
	}
	return true;
}

static u32 count(const struct simgpu_snapshot *snapshot, bool batch)
{
	u32 tenants = 0, slot;

	for (slot = 0; slot < SIMGPU_SLOTS_MAX; slot++)
		tenants += snapshot->tenants[slot].active &&
			   is_batch(&snapshot->tenants[slot]) == batch;
	return tenants;
}

/* Give one kind so many SMs, evenly. Return: whether any of them loses some. */
static bool give(const struct simgpu_snapshot *snapshot, bool batch, u32 sms,
		 struct simgpu_proposal *proposal)
{
	u32 left = count(snapshot, batch), slot;
	bool loses = false;

	for (slot = 0; slot < SIMGPU_SLOTS_MAX; slot++) {
		u32 part;

		if (!snapshot->tenants[slot].active ||
		    is_batch(&snapshot->tenants[slot]) != batch)
			continue;
		part = sms / left;
		loses |= part < proposal->sms[slot];
		proposal->sms[slot] = part;
		sms -= part;
		left--;
	}
	return loses;
}

/* Where a slice is over, or has never been said, the next one begins. */
static void give_slices(const struct simgpu_snapshot *snapshot, u32 slot,
			struct simgpu_proposal *proposal)
{
	const struct simgpu_snapshot_tenant *tenant = &snapshot->tenants[slot];
	u32 queue;

	if (!tenant->active || !is_batch(tenant))
		return;
	for (queue = 0; queue < SIMGPU_QUEUES_MAX; queue++) {
		if (queue >= tenant->queue_count ||
		    (tenant->queue[queue].issue_left != SIMGPU_NO_LIMIT &&
		     !(tenant->queue[queue].events & SIMGPU_ON_SLICE_END)))
			continue;
		proposal->flags |= SIMGPU_SAYS_ISSUE_LIMITS;
		proposal->issue_limit[slot][queue] =
			(u32)snapshot->policy_params[SLICE];
	}
}

static int decide(const struct simgpu_snapshot *snapshot, void *state,
		  struct simgpu_proposal *proposal)
{
	u32 urgent = count(snapshot, false), batch = count(snapshot, true), sms;
	struct turn *turn = state;
	u32 slot;

	if (urgent + batch > snapshot->sms || !(urgent + batch))
		return 0;
	if (turn->until <= snapshot->cycle) {
		turn->urgent = !turn->urgent;
		turn->until = snapshot->cycle + snapshot->policy_params[PERIOD];
	}
	proposal->wake_cycle = turn->until;
	/* Three quarters, unless the others would be without, or are not there. */
	sms = turn->urgent ? snapshot->sms * 3 / 4 : snapshot->sms / 4;
	if (sms < urgent || !batch)
		sms = batch ? urgent : snapshot->sms;
	if (snapshot->sms - sms < batch || !urgent)
		sms = urgent ? snapshot->sms - batch : 0;
	proposal->flags |= SIMGPU_SAYS_PREEMPTION;
	proposal->preemption = SIMGPU_LEAVE_RESET;
	if (give(snapshot, false, sms, proposal))
		proposal->preemption = SIMGPU_LEAVE_SWITCH;
	give(snapshot, true, snapshot->sms - sms, proposal);
	for (slot = 0; slot < SIMGPU_SLOTS_MAX; slot++)
		give_slices(snapshot, slot, proposal);
	return 0;
}

static const struct simgpu_policy resetting = {
	.name = "reset",
	.events = SIMGPU_ON_ARRIVAL | SIMGPU_ON_DEPARTURE | SIMGPU_ON_WAKE |
		  SIMGPU_ON_SLICE_END,
	.state_bytes = sizeof(struct turn),
	.params = params,
	.decide = decide,
};

SIMGPU_POLICY_PLUGIN(resetting);
