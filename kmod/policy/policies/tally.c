// SPDX-License-Identifier: GPL-2.0
/*
 * tally: best-effort kernels in slices of bounded turnaround (Zhao et al., Tally, ASPLOS
 * 2025). Best-effort kernels run while no high-priority kernel is there, in slices that
 * take no longer than a bound; the slices of each kernel are measured to find their size.
 * A high-priority kernel begins at once, and no slice begins beside it.
 */
#include "../common/slicing.h"
#include "../common/split.h"
#include "../common/tenants.h"
#include "../registry.h"

/* Indices of its parameters. */
enum {
	TURNAROUND,
	SLICED,
};

static const struct simgpu_param params[] = {
	[TURNAROUND] = {
		"turnaround", SIMGPU_UNIT_CYCLES, 1000, 50000000, 44240,
		"what a slice takes at most (Tally: 0.0316 ms, here at 1.4 GHz)"
	},
	[SLICED] = {
		"sliced", SIMGPU_UNIT_NUMBER, 0, 1, 1,
		"1: best-effort kernels run in slices; 0: as a whole, once they have begun"
	},
	{ .name = NULL }
};

/* Hold best-effort kernels; those that run in slices stop at the end of a slice. */
static void hold_others(const struct simgpu_snapshot *snapshot, u64 others,
			struct simgpu_proposal *proposal)
{
	for (; others; others &= others - 1) {
		u32 slot = (u32)__builtin_ctzll(others);

		proposal->hold_queues[slot] =
			(u8)waiting_queues(&snapshot->tenants[slot]);
	}
}

static void run_others(const struct simgpu_snapshot *snapshot,
		       struct slicing *slicing, u64 others,
		       struct simgpu_proposal *proposal)
{
	for (; others; others &= others - 1) {
		u32 slot = (u32)__builtin_ctzll(others);

		if (snapshot->policy_params[SLICED])
			slicing_give(snapshot, slicing, slot, proposal);
		else
			slicing_end(snapshot, slot, proposal);
	}
}

static int tally_decide(const struct simgpu_snapshot *snapshot, void *state,
			struct simgpu_proposal *proposal)
{
	u64 urgent = urgent_slots(snapshot), rest;
	u64 sharers = policy_sharers(snapshot, urgent);
	struct slicing *slicing = state;
	u32 slot;

	for (slot = 0; slot < SIMGPU_SLOTS_MAX; slot++)
		slicing_note(snapshot, slicing, slot,
			     snapshot->policy_params[TURNAROUND]);
	proposal->flags = SIMGPU_SAYS_HOLD | SIMGPU_SAYS_HOLD_QUEUES;
	proposal->hold = ~sharers;
	memset(proposal->hold_queues, 0, sizeof(proposal->hold_queues));
	say_urgent_first(urgent, proposal);
	policy_share_all(snapshot, sharers, proposal);
	for (rest = urgent; rest; rest &= rest - 1)
		slicing_end(snapshot, (u32)__builtin_ctzll(rest), proposal);
	if (slots_with_kernels(snapshot, urgent))
		hold_others(snapshot, sharers & ~urgent, proposal);
	else
		run_others(snapshot, slicing, sharers & ~urgent, proposal);
	return 0;
}

const struct simgpu_policy policy_tally = {
	.name = "tally",
	.about = "best-effort kernels in short slices (after Tally)",
	.events = SIMGPU_ON_ARRIVAL | SIMGPU_ON_DEPARTURE |
		  SIMGPU_ON_KERNEL_READY | SIMGPU_ON_KERNEL_END |
		  SIMGPU_ON_SLICE_END,
	.needs = SIMGPU_NEEDS_NO_MODEL,
	.state_bytes = sizeof(struct slicing),
	.params = params,
	.decide = tally_decide,
};
