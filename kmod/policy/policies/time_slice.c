// SPDX-License-Identifier: GPL-2.0
/*
 * time-slice: contexts of tenants take turns on the whole GPU, as in drivers where
 * nothing partitions it. At the end of a slice the contexts of all thread blocks are
 * saved, and those of the next tenant are read back, as a part of that tenant's slice.
 * With "urgent" QoS tenants go before the others, and with "ahead" the switch begins
 * before a request of theirs comes that they have announced (after GPreempt, Fan et al.,
 * ATC 2025).
 */
#include "../common/tenants.h"
#include "../registry.h"

/* Indices of its parameters. */
enum {
	SLICE,
	URGENT,
	AHEAD,
};

static const struct simgpu_param params[] = {
	[SLICE] = {
		"slice", SIMGPU_UNIT_CYCLES, 50000, 50000000, 500000,
		"how long a tenant has all SMs, with the switch to it"
	},
	[URGENT] = {
		"urgent", SIMGPU_UNIT_NUMBER, 0, 1, 0,
		"1: QoS tenants have the turn as soon as they have work; 0: all take turns alike"
	},
	[AHEAD] = {
		"ahead", SIMGPU_UNIT_CYCLES, 0, 10000000, 0,
		"with urgent: how long before a QoS tenant's hint says it comes SMs are freed; 0: never"
	},
	{ .name = NULL }
};

/* struct turn - if @given, the slot before @next has the turn until @until; else no slot has */
struct turn {
	u32 next;
	u32 given;
	u64 until;
};

/* The tenants that take turns. */
static u64 who_turns(const struct simgpu_snapshot *snapshot)
{
	u64 urgent = snapshot->policy_params[URGENT] ? urgent_slots(snapshot) : 0;

	return urgent ? urgent : active_slots(snapshot);
}

static bool is_over(const struct simgpu_snapshot *snapshot,
		    const struct turn *turn, u64 slots)
{
	return !turn->given || turn->until <= snapshot->cycle ||
	       !(slots >> (turn->next - 1) & 1);
}

/* The next slot of @slots behind the last turn's, going round, as a turn's @next. */
static u32 next_turn(const struct turn *turn, u64 slots)
{
	u64 behind = turn->next < SIMGPU_SLOTS_MAX ? slots >> turn->next << turn->next : 0;

	return (u32)__builtin_ctzll(behind ? behind : slots) + 1;
}

/*
 * For how long SMs are kept free after the cycle of a hint, and from when before it: as
 * long before as after, so that a wrong hint costs little. Wakes have to be some cycles
 * ahead; what is nearer is due.
 */
static bool is_awaited(const struct simgpu_snapshot *snapshot,
		       const struct simgpu_snapshot_tenant *tenant, u64 ahead)
{
	u64 soon = snapshot->cycle + SIMGPU_WAKE_CYCLES_MIN;

	return tenant->hint_cycle <= soon + ahead &&
	       tenant->hint_cycle + ahead >= soon;
}

/*
 * struct hints - what QoS tenants without work say
 * @wake: when to look at the hints again; 0: never
 * @free: one of them comes soon, so that SMs are to be free
 */
struct hints {
	u64 wake;
	bool free;
};

static struct hints hints_of(const struct simgpu_snapshot *snapshot)
{
	u64 ahead = snapshot->policy_params[AHEAD];
	struct hints hints = { .free = false };
	u32 slot;

	if (!ahead || !snapshot->policy_params[URGENT])
		return hints;
	simgpu_each_slot(slot, snapshot) {
		const struct simgpu_snapshot_tenant *tenant = &snapshot->tenants[slot];
		u64 wake;

		if (tenant->active || !tenant->hint_cycle ||
		    tenant->service != SIMGPU_QOS ||
		    tenant->hint_cycle + ahead < snapshot->cycle + SIMGPU_WAKE_CYCLES_MIN)
			continue;
		wake = is_awaited(snapshot, tenant, ahead) ?
		       tenant->hint_cycle + ahead : tenant->hint_cycle - ahead;
		hints.free |= is_awaited(snapshot, tenant, ahead);
		hints.wake = hints.wake && hints.wake < wake ? hints.wake : wake;
	}
	return hints;
}

/* The end of the slice, or the next look at hints. */
static u64 next_wake(const struct simgpu_snapshot *snapshot, const struct turn *turn,
		     u64 hints)
{
	u64 soon = snapshot->cycle + SIMGPU_WAKE_CYCLES_MIN;

	if (hints && hints < turn->until)
		return hints;
	/* If the wake that stands was for a hint, the slice's end may be too near for one. */
	return snapshot->policy_params[AHEAD] && turn->until < soon ? soon : turn->until;
}

static int time_slice_decide(const struct simgpu_snapshot *snapshot, void *state,
			     struct simgpu_proposal *proposal)
{
	const struct hints hints = hints_of(snapshot);
	u64 slots = who_turns(snapshot);
	struct turn *turn = state;
	u32 slot;

	proposal->flags = SIMGPU_SAYS_HOLD | SIMGPU_SAYS_PREEMPTION;
	proposal->preemption = SIMGPU_LEAVE_SWITCH;
	proposal->hold = 0;
	proposal->wake_cycle = hints.wake;
	if (!snapshot->tenants_active) {
		turn->given = 0;
		return 0;
	}
	if (hints.free && !urgent_slots(snapshot)) {
		turn->given = 0;
		memset(proposal->sms, 0, sizeof(proposal->sms));
		proposal->hold = active_slots(snapshot);
		return 0;
	}
	if (is_over(snapshot, turn, slots)) {
		turn->next = next_turn(turn, slots);
		turn->given = 1;
		turn->until = snapshot->cycle + snapshot->policy_params[SLICE];
	}
	for (slot = 0; slot < SIMGPU_SLOTS_MAX; slot++)
		proposal->sms[slot] = slot + 1 == turn->next ? snapshot->sms : 0;
	proposal->hold = active_slots(snapshot) & ~(1ULL << (turn->next - 1));
	proposal->wake_cycle = next_wake(snapshot, turn, hints.wake);
	return 0;
}

const struct simgpu_policy policy_time_slice = {
	.name = "time-slice",
	.about = "turns on the whole GPU, by context switches",
	.events = SIMGPU_ON_ARRIVAL | SIMGPU_ON_DEPARTURE | SIMGPU_ON_WAKE |
		  SIMGPU_ON_HINT,
	.needs = SIMGPU_NEEDS_NO_MODEL,
	.state_bytes = sizeof(struct turn),
	.params = params,
	.decide = time_slice_decide,
};
