// SPDX-License-Identifier: GPL-2.0
/*
 * remember: a policy that remembers. It averages each tenant's predicted NP over
 * the last epochs, and moves one SM an epoch from the tenant with the highest
 * average to the one with the lowest, while they are further apart than the parameter gap.
 * One epoch that is out of the ordinary, such as the tail of a kernel, moves little.
 */
#include <simgpu/plugin.h>

/* Its parameters */
enum {
	GAP,
	MEMORY,
};

static const struct simgpu_param params[] = {
	[GAP] = {
		"gap", SIMGPU_UNIT_RATIO, 0, SIMGPU_PPM, 50000,
		"difference of average NPs that is left alone"
	},
	[MEMORY] = {
		"memory", SIMGPU_UNIT_NUMBER, 1, 1000, 4,
		"epochs over which an average goes"
	},
	{ .name = NULL }
};

/**
 * struct memory - what it keeps between two calls
 * @arrival_cycle: of the tenant in each slot: another one begins anew
 * @average_ppm: NP, averaged; 0: none yet
 */
struct memory {
	u64 arrival_cycle[SIMGPU_SLOTS_MAX];
	u64 average_ppm[SIMGPU_SLOTS_MAX];
};

static void remember(struct memory *memory, u32 slot, u64 epochs,
		     const struct simgpu_snapshot_tenant *tenant)
{
	u64 *average = &memory->average_ppm[slot];

	if (memory->arrival_cycle[slot] != tenant->arrival_cycle)
		*average = 0;
	memory->arrival_cycle[slot] = tenant->arrival_cycle;
	if (!*average)
		*average = tenant->np_ppm;
	else
		*average = (*average * (epochs - 1) + tenant->np_ppm) / epochs;
}

static int decide(const struct simgpu_snapshot *snapshot, void *state,
		  struct simgpu_proposal *proposal)
{
	u32 high = SIMGPU_SLOTS_MAX, low = SIMGPU_SLOTS_MAX, slot;
	struct memory *memory = state;
	const u64 *average = memory->average_ppm;

	for (slot = 0; slot < SIMGPU_SLOTS_MAX; slot++) {
		const struct simgpu_snapshot_tenant *tenant =
			&snapshot->tenants[slot];

		if (!tenant->active || tenant->class == SIMGPU_CLASS_UNKNOWN)
			continue;
		remember(memory, slot, snapshot->policy_params[MEMORY], tenant);
		if (high == SIMGPU_SLOTS_MAX || average[slot] > average[high])
			high = slot;
		if (low == SIMGPU_SLOTS_MAX || average[slot] < average[low])
			low = slot;
	}
	if (high == low || proposal->sms[high] < 2 ||
	    average[high] - average[low] <= snapshot->policy_params[GAP])
		return 0;
	proposal->sms[high]--;
	proposal->sms[low]++;
	return 0;
}

static const struct simgpu_policy remembering = {
	.name = "remember",
	.state_bytes = sizeof(struct memory),
	.params = params,
	.decide = decide,
};

SIMGPU_POLICY_PLUGIN(remembering);
