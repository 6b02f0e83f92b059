// SPDX-License-Identifier: GPL-2.0
/*
 * flep: preemption by software inside kernels (FLEP, ASPLOS 2017). Kernels run as
 * workers. Before every so many thread blocks a worker checks a flag, and leaves if its
 * SM is wanted. Tenants take turns on all SMs, fair by the time that they had (FFS).
 * Urgent tenants go first (HPF). They take either all SMs, or the SMs that their kernels
 * fill: then the turns continue on the other SMs.
 */
#include "../common/parts.h"
#include "../common/tenants.h"
#include "../registry.h"

/* Indices of its parameters. */
enum {
	WORKER_BLOCKS,
	SLICE,
	SPATIAL,
};

static const struct simgpu_param params[] = {
	[WORKER_BLOCKS] = {
		"worker_blocks", SIMGPU_UNIT_NUMBER, 1, 1000, 1,
		"thread blocks that a worker runs between two looks at the flag"
	},
	[SLICE] = {
		"slice", SIMGPU_UNIT_CYCLES, 50000, 50000000, 500000,
		"how long the tenant with the greatest weight has all SMs; others in proportion"
	},
	[SPATIAL] = {
		"spatial", SIMGPU_UNIT_NUMBER, 0, 1, 1,
		"1: an urgent kernel takes the SMs that its thread blocks fill; 0: all"
	},
	{ .name = NULL }
};

/* Urgent tenants take turns among themselves: classes of turns. */
enum {
	URGENT,
	OTHERS,
	CLASSES,
};

/* No slot has the turn; a holder is 1 + the slot. */
#define NO_HOLDER	0
/* A turn is at least 1 / this of the slice, and so longer than 1,000 cycles. */
#define SHORTEST	16

/**
 * struct flep - the state of the policy
 * @credit: by slot, cycles on all SMs that the tenant may still have; below zero if
 *	workers stayed longer than that
 * @service: by slot, the service received when the credit was last updated
 * @arrival: by slot, device cycle since which it has had work
 * @until: device cycle at which the turns end; 0: there are none
 * @holder: by class, 1 + the slot whose turn it is
 */
struct flep {
	s64 credit[SIMGPU_SLOTS_MAX];
	u64 service[SIMGPU_SLOTS_MAX];
	u64 arrival[SIMGPU_SLOTS_MAX];
	u64 until;
	u32 holder[CLASSES];
};

/* --- turns ---------------------------------------------------------------------------- */

/* Charge tenants for their SMs since the last call; a new tenant owes nothing. */
static void charge(const struct simgpu_snapshot *snapshot, struct flep *flep)
{
	u32 slot;

	for (slot = 0; slot < SIMGPU_SLOTS_MAX; slot++) {
		const struct simgpu_snapshot_tenant *tenant =
			&snapshot->tenants[slot];
		u64 had = tenant->service_cycles - flep->service[slot];

		if (!tenant->active)
			continue;
		if (tenant->arrival_cycle != flep->arrival[slot] ||
		    tenant->service_cycles < flep->service[slot])
			flep->credit[slot] = 0;
		else
			flep->credit[slot] -= (s64)had;
		flep->service[slot] = tenant->service_cycles;
		flep->arrival[slot] = tenant->arrival_cycle;
	}
}

static s64 shortest_turn(const struct simgpu_snapshot *snapshot)
{
	return (s64)(snapshot->policy_params[SLICE] / SHORTEST);
}

/* What a turn gives a tenant, by its weight over the greatest weight in @slots. */
static s64 turn_of(const struct simgpu_snapshot *snapshot, u64 slots, u32 slot)
{
	u32 most = 1;
	u64 left;

	for (left = slots; left; left &= left - 1) {
		u32 weight = snapshot->tenants[__builtin_ctzll(left)].weight;

		most = max(weight, most);
	}
	return (s64)fixed_mul_div(snapshot->policy_params[SLICE],
				  snapshot->tenants[slot].weight, most);
}

/* The next slot of @slots after the holder, going round. */
static u32 next_of(u64 slots, u32 holder)
{
	u64 behind = holder < SIMGPU_SLOTS_MAX ? slots >> holder << holder : 0;

	return (u32)__builtin_ctzll(behind ? behind : slots);
}

/*
 * Each tenant in turn gets another turn's credit. It has its turn if its credit is long
 * enough: a tenant that stayed too long before is passed over. In the end one tenant is
 * taken.
 */
static void next_turn(const struct simgpu_snapshot *snapshot, struct flep *flep,
		      u64 slots, u32 *holder)
{
	u32 tries, slot;

	for (tries = 0; tries < 2 * SIMGPU_SLOTS_MAX; tries++) {
		slot = next_of(slots, *holder);
		*holder = slot + 1;
		flep->credit[slot] += turn_of(snapshot, slots, slot);
		if (flep->credit[slot] >= shortest_turn(snapshot))
			return;
	}
}

static bool is_over(const struct simgpu_snapshot *snapshot, const struct flep *flep,
		    u64 slots, u32 holder)
{
	if (holder == NO_HOLDER || !(slots >> (holder - 1) & 1))
		return true;
	return flep->until <= snapshot->cycle &&
	       flep->credit[holder - 1] < shortest_turn(snapshot);
}

/*
 * Decide whose turn it is in each class, and until when: when the first of them could
 * have used up its credit.
 */
static void take_turns(const struct simgpu_snapshot *snapshot, struct flep *flep,
		       const u64 *slots)
{
	u64 cycles = U64_MAX;
	u32 class;

	for (class = 0; class < CLASSES; class++) {
		u32 *holder = &flep->holder[class];
		s64 credit;

		if (!slots[class]) {
			*holder = NO_HOLDER;
			continue;
		}
		if (is_over(snapshot, flep, slots[class], *holder))
			next_turn(snapshot, flep, slots[class], holder);
		credit = flep->credit[*holder - 1];
		credit = max(credit, shortest_turn(snapshot));
		cycles = min_t(u64, credit, cycles);
	}
	if (cycles == U64_MAX)
		flep->until = 0;
	else if (flep->until <= snapshot->cycle)
		flep->until = snapshot->cycle + cycles;
}

/* --- SMs ------------------------------------------------------------------------------ */

/* SMs that an urgent tenant's kernels take, in whole TPCs. */
static u32 sms_taken(const struct simgpu_snapshot *snapshot, u32 slot)
{
	const struct simgpu_snapshot_tenant *tenant = &snapshot->tenants[slot];
	u32 sms = 0, i;

	if (!snapshot->policy_params[SPATIAL])
		return snapshot->sms;
	for (i = 0; i < tenant->queue_count && sms < snapshot->sms; i++)
		if (kernel_is_present(&tenant->queue[i]))
			sms += kernel_sms_filled(&tenant->queue[i].head);
	return tpcs_for(snapshot, min(sms, snapshot->sms)) *
	       snapshot->sms_per_tpc;
}

/* Urgent tenants, beginning with the holder, get the SMs that they take while there are some. */
static u32 give_urgent(const struct simgpu_snapshot *snapshot, u64 slots, u32 holder,
		       struct simgpu_proposal *proposal)
{
	u32 left = snapshot->sms, slot;

	for (; slots && left; slots &= ~(1ULL << slot)) {
		slot = next_of(slots, holder - 1);
		proposal->sms[slot] = sms_taken(snapshot, slot);
		proposal->sms[slot] = min(proposal->sms[slot], left);
		left -= proposal->sms[slot];
	}
	return left;
}

static int flep_decide(const struct simgpu_snapshot *snapshot, void *state,
		       struct simgpu_proposal *proposal)
{
	u64 active = active_slots(snapshot), urgent = urgent_slots(snapshot);
	u64 slots[CLASSES] = {
		[URGENT] = slots_with_kernels(snapshot, urgent),
		[OTHERS] = slots_with_kernels(snapshot, active & ~urgent),
	};
	struct flep *flep = state;
	u32 left, slot;

	charge(snapshot, flep);
	take_turns(snapshot, flep, slots);
	memset(proposal->sms, 0, sizeof(proposal->sms));
	left = give_urgent(snapshot, slots[URGENT], flep->holder[URGENT], proposal);
	if (left && slots[OTHERS])
		proposal->sms[flep->holder[OTHERS] - 1] = left;
	proposal->flags = SIMGPU_SAYS_HOLD | SIMGPU_SAYS_PREEMPTION |
			  SIMGPU_SAYS_WORKERS;
	proposal->preemption = SIMGPU_LEAVE_DRAIN;
	proposal->worker_blocks = (u32)snapshot->policy_params[WORKER_BLOCKS];
	proposal->hold = active;
	for (slot = 0; slot < SIMGPU_SLOTS_MAX; slot++)
		if (proposal->sms[slot])
			proposal->hold &= ~(1ULL << slot);
	proposal->wake_cycle = flep->until;
	return 0;
}

const struct simgpu_policy policy_flep = {
	.name = "flep",
	.about = "turns on the GPU; urgent kernels preempt (after FLEP)",
	.events = SIMGPU_ON_ARRIVAL | SIMGPU_ON_DEPARTURE | SIMGPU_ON_KERNEL_READY |
		  SIMGPU_ON_KERNEL_END | SIMGPU_ON_WAKE,
	.needs = SIMGPU_NEEDS_NO_MODEL,
	.state_bytes = sizeof(struct flep),
	.params = params,
	.decide = flep_decide,
};
