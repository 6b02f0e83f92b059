// SPDX-License-Identifier: GPL-2.0
/*
 * cumask: SMs are shared by the masks of tenants and launches, as AMD's drivers do with
 * CU masks. An SM goes to the tenants, one or several, whose kernels have it in their
 * masks; a kernel without a mask has all SMs. A kernel's mask is fixed while it runs.
 */
#include <simgpu/bits.h>

#include "../common/split.h"
#include "../registry.h"

#define MASK_WORDS	(SIMGPU_SMS_MAX / 64)

static void add_queue(const struct simgpu_snapshot_queue *queue, u64 *mask)
{
	u64 any = 0;
	u32 i;

	for (i = 0; i < MASK_WORDS; i++)
		any |= queue->sm_mask[i];
	for (i = 0; i < MASK_WORDS; i++)
		mask[i] |= any ? queue->sm_mask[i] : U64_MAX;
}

/* SMs in the masks of a tenant's kernels, and how many there are. */
static u32 mask_of(const struct simgpu_snapshot *snapshot, u32 slot, u64 *mask)
{
	const struct simgpu_snapshot_tenant *tenant = &snapshot->tenants[slot];
	u32 count = 0, i;

	memset(mask, 0, MASK_WORDS * sizeof(*mask));
	for (i = 0; i < tenant->queue_count; i++)
		if (tenant->queue[i].head.flags & SIMGPU_KERNEL_PRESENT)
			add_queue(&tenant->queue[i], mask);
	for (i = 0; i < snapshot->sms; i++)
		count += simgpu_has_bit(mask, i);
	return count;
}

static void share(const struct simgpu_snapshot *snapshot, u32 slot,
		  const u64 *mask, struct simgpu_proposal *proposal)
{
	u32 i;

	for (i = 0; i < snapshot->sms; i++)
		if (simgpu_has_bit(mask, i))
			proposal->sharers[i] |= 1ULL << slot;
}

/*
 * Let in tenants whose kernels run (@running), or the others, as far as there are rows
 * of shared SMs. A tenant that does not fit waits.
 */
static u32 let_in(const struct simgpu_snapshot *snapshot, bool running, u32 rows,
		  struct simgpu_proposal *proposal)
{
	u64 mask[MASK_WORDS];
	u32 slot;

	for (slot = 0; slot < SIMGPU_SLOTS_MAX; slot++) {
		const struct simgpu_snapshot_tenant *tenant =
			&snapshot->tenants[slot];
		u32 count;

		if (!tenant->active ||
		    running != !!(tenant->sms + tenant->shared_sms))
			continue;
		count = mask_of(snapshot, slot, mask);
		if (!count || rows + count > SIMGPU_SHARED_ROWS_MAX)
			continue;
		rows += count;
		proposal->hold &= ~(1ULL << slot);
		share(snapshot, slot, mask, proposal);
	}
	return rows;
}

static int cumask_decide(const struct simgpu_snapshot *snapshot, void *state,
			 struct simgpu_proposal *proposal)
{
	u32 rows;

	proposal->flags = SIMGPU_SAYS_OWNERS | SIMGPU_SAYS_HOLD;
	proposal->hold = U64_MAX;
	memset(proposal->sharers, 0, snapshot->sms * sizeof(u64));
	rows = let_in(snapshot, true, 0, proposal);
	let_in(snapshot, false, rows, proposal);
	policy_own_or_share(snapshot, proposal);
	return 0;
}

const struct simgpu_policy policy_cumask = {
	.name = "cumask",
	.about = "each tenant on the SMs of its mask, as AMD does",
	.events = SIMGPU_ON_ARRIVAL | SIMGPU_ON_DEPARTURE |
		  SIMGPU_ON_KERNEL_READY,
	.needs = SIMGPU_NEEDS_NO_MODEL,
	.decide = cumask_decide,
};
