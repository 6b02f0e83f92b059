// SPDX-License-Identifier: GPL-2.0
/*
 * hold: a policy that holds. One tenant has the whole GPU for a kernel, the others
 * are held; at each kernel's end the turn goes to the next one with work. Whoever
 * waits keeps its place and starts nothing.
 */
#include <simgpu/plugin.h>

/* struct turn - whose it is */
struct turn {
	u32 slot;
};

/* The next slot with work, from the one after @slot on; @slot itself comes last. */
static u32 next_with_work(const struct simgpu_snapshot *snapshot, u32 slot)
{
	u32 i;

	for (i = 1; i <= SIMGPU_SLOTS_MAX; i++) {
		u32 next = (slot + i) % SIMGPU_SLOTS_MAX;

		if (snapshot->tenants[next].active)
			return next;
	}
	return slot;
}

static int decide(const struct simgpu_snapshot *snapshot, void *state,
		  struct simgpu_proposal *proposal)
{
	struct turn *turn = state;
	const struct simgpu_snapshot_tenant *present =
		&snapshot->tenants[turn->slot];
	u32 slot;

	if (!snapshot->tenants_active)
		return 0;
	if (!present->active || present->events & SIMGPU_ON_KERNEL_END)
		turn->slot = next_with_work(snapshot, turn->slot);
	proposal->flags |= SIMGPU_SAYS_HOLD;
	proposal->hold = ~(1ULL << turn->slot);
	for (slot = 0; slot < SIMGPU_SLOTS_MAX; slot++)
		proposal->sms[slot] = slot == turn->slot ? snapshot->sms : 0;
	return 0;
}

static const struct simgpu_policy holding = {
	.name = "hold",
	.events = SIMGPU_ON_ARRIVAL | SIMGPU_ON_DEPARTURE |
		  SIMGPU_ON_KERNEL_READY | SIMGPU_ON_KERNEL_END,
	.state_bytes = sizeof(struct turn),
	.decide = decide,
};

SIMGPU_POLICY_PLUGIN(holding);
