// SPDX-License-Identifier: GPL-2.0
/*
 * reef: real-time tenants before best-effort ones (Han et al., REEF, OSDI 2022). When a
 * real-time kernel comes, thread blocks of idempotent best-effort kernels are dropped and
 * begin again later; those of other kernels run to their end. A real-time kernel is
 * padded: best-effort kernels run on the SMs that it has no thread blocks for.
 */
#include "../common/parts.h"
#include "../common/split.h"
#include "../common/tenants.h"
#include "../registry.h"

/* Indices of its parameters. */
enum {
	RESET,
	PADDING,
};

static const struct simgpu_param params[] = {
	[RESET] = {
		"reset", SIMGPU_UNIT_NUMBER, 0, 1, 1,
		"1: idempotent best-effort kernels are reset for a real-time one; 0: they drain"
	},
	[PADDING] = {
		"padding", SIMGPU_UNIT_NUMBER, 0, 1, 1,
		"1: best-effort kernels have the SMs that a real-time one leaves; 0: they wait"
	},
	{ .name = NULL }
};

/**
 * struct reef - the state of the policy
 * @settled: slots whose thread blocks are all on SMs where they have a place: none of
 *	them drains
 */
struct reef {
	u64 settled;
};

/* The slots with kernels of which some may not be reset. */
static u64 not_idempotent(const struct simgpu_snapshot *snapshot)
{
	u64 mask = 0;
	u32 slot, i;

	for (slot = 0; slot < SIMGPU_SLOTS_MAX; slot++) {
		const struct simgpu_snapshot_tenant *tenant =
			&snapshot->tenants[slot];
		u32 running = running_queues(tenant);

		for (i = 0; running >> i; i++)
			if (running >> i & 1 &&
			    !(tenant->queue[i].head.flags &
			      SIMGPU_KERNEL_IDEMPOTENT))
				mask |= 1ULL << slot;
	}
	return mask;
}

/* A tenant whose kernels have not started has no thread blocks, so none that drain. */
static u64 without_blocks(const struct simgpu_snapshot *snapshot)
{
	u64 mask = 0;
	u32 slot;

	for (slot = 0; slot < SIMGPU_SLOTS_MAX; slot++)
		if (!running_queues(&snapshot->tenants[slot]))
			mask |= 1ULL << slot;
	return mask;
}

/*
 * SMs of the real-time kernels: one for each of their thread blocks, in whole TPCs. Without
 * padding it is all SMs, and without such kernels none.
 */
static u32 urgent_sms(const struct simgpu_snapshot *snapshot, u64 urgent)
{
	u32 sms = 0;

	urgent = slots_with_kernels(snapshot, urgent);
	if (urgent && !snapshot->policy_params[PADDING])
		return snapshot->sms;
	for (; urgent; urgent &= urgent - 1) {
		u32 slot = (u32)__builtin_ctzll(urgent);
		u32 blocks = snapshot->tenants[slot].blocks;

		if (blocks > snapshot->sms - sms)
			return snapshot->sms;
		sms += blocks;
	}
	return tpcs_for(snapshot, sms) * snapshot->sms_per_tpc;
}

/* Reset, unless thread blocks have to leave that may not be reset. */
static u32 way_to_leave(const struct simgpu_snapshot *snapshot, struct reef *reef,
			u64 losers)
{
	u64 fixed = not_idempotent(snapshot);

	reef->settled |= without_blocks(snapshot);
	if (snapshot->policy_params[RESET] &&
	    !(fixed & (losers | ~reef->settled)))
		return SIMGPU_LEAVE_RESET;
	reef->settled &= ~losers | without_blocks(snapshot);
	return SIMGPU_LEAVE_DRAIN;
}

static int reef_decide(const struct simgpu_snapshot *snapshot, void *state,
		       struct simgpu_proposal *proposal)
{
	u64 urgent = urgent_slots(snapshot), losers = 0;
	u64 sharers = policy_sharers(snapshot, urgent);
	u32 sms = urgent_sms(snapshot, urgent & sharers), sm;

	for (sm = 0; sm < snapshot->sms; sm++) {
		u64 here = sharers;

		if (sms)
			here &= sm < sms ? urgent : ~urgent;
		losers |= share_sm(sm, here, proposal);
	}
	proposal->flags = SIMGPU_SAYS_OWNERS | SIMGPU_SAYS_HOLD |
			  SIMGPU_SAYS_PREEMPTION;
	proposal->preemption = way_to_leave(snapshot, state, losers);
	proposal->hold = ~sharers;
	if (sms == snapshot->sms)
		proposal->hold |= ~urgent;
	return 0;
}

const struct simgpu_policy policy_reef = {
	.name = "reef",
	.about = "urgent kernels drop best-effort blocks (after REEF)",
	.events = SIMGPU_ON_ARRIVAL | SIMGPU_ON_DEPARTURE |
		  SIMGPU_ON_KERNEL_READY | SIMGPU_ON_KERNEL_END,
	.needs = SIMGPU_NEEDS_NO_MODEL,
	.state_bytes = sizeof(struct reef),
	.params = params,
	.decide = reef_decide,
};
