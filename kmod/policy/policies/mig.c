// SPDX-License-Identifier: GPL-2.0
/*
 * mig: NVIDIA's Multi-Instance GPU. The GPU is divided into partitions, each with its own
 * SMs, memory channels and ways of the last-level cache. A tenant has a seat in one
 * partition and keeps it while it stays: what one partition leaves idle, no other uses.
 * Tenants in the same partition share all of it.
 */
#include "../common/parts.h"
#include "../common/split.h"
#include "../common/tenants.h"
#include "../registry.h"

/* Indices of its parameters. */
enum {
	PARTITIONS,
	FIRST,
	MEMORY,
};

#define PARTITIONS_MOST	16
/* The seat of a tenant that has none. */
#define NO_SEAT		0

static const struct simgpu_param params[] = {
	[PARTITIONS] = {
		"partitions", SIMGPU_UNIT_NUMBER, 1, PARTITIONS_MOST, 2,
		"into how many partitions the GPU is divided, as far as there are TPCs, channels and ways"
	},
	[FIRST] = {
		"first", SIMGPU_UNIT_RATIO, 0, SIMGPU_PPM, 0,
		"part of the GPU that the first one has, where urgent tenants are seated; 0: as much as each other"
	},
	[MEMORY] = {
		"memory", SIMGPU_UNIT_NUMBER, 0, 1, 1,
		"1: channels and ways are divided, too; 0: SMs alone"
	},
	{ .name = NULL }
};

/**
 * struct seats - the partition of each slot
 * @issued: by slot, thread instructions since it joined; a lower number than before
 *	shows that another tenant is in the slot
 * @seat: by slot, its partition, from 1, or NO_SEAT
 * @partitions: number of partitions when the seats were given
 * @reserved: zero
 */
struct seats {
	u64 issued[SIMGPU_SLOTS_MAX];
	u8 seat[SIMGPU_SLOTS_MAX];
	u32 partitions;
	u32 reserved;
};

/* --- partitions ----------------------------------------------------------------------- */

/* Each partition needs at least one SM, channel and way. */
static u32 partition_count(const struct simgpu_snapshot *snapshot)
{
	u32 count = (u32)snapshot->policy_params[PARTITIONS];

	count = min(count, tpc_count(snapshot));
	count = min(count, snapshot->channels);
	count = min(count, snapshot->llc_ways);
	return count ? count : 1;
}

/* Where partition @index begins among @count things in a row. */
static u32 begin_of(const struct simgpu_snapshot *snapshot, u32 partitions,
		    u32 index, u32 count)
{
	u64 first_ppm = snapshot->policy_params[FIRST];
	u32 first;

	if (!index || partitions == 1)
		return index ? count : 0;
	if (!first_ppm)
		return count * index / partitions;
	first = (u32)fixed_mul_div(count, first_ppm, SIMGPU_PPM);
	first = min(first ? first : 1, count - partitions + 1);
	return first + (count - first) * (index - 1) / (partitions - 1);
}

static u64 bits_of(const struct simgpu_snapshot *snapshot, u32 partitions, u32 index,
		   u32 count)
{
	u32 i = begin_of(snapshot, partitions, index, count);
	u64 mask = 0;

	for (; i < begin_of(snapshot, partitions, index + 1, count); i++)
		mask |= 1ULL << i;
	return mask;
}

/* --- seats ---------------------------------------------------------------------------- */

/* The load of a partition: tenants with work weigh more than all others together. */
static u32 load_of(const struct simgpu_snapshot *snapshot, const struct seats *seats,
		   u32 seat)
{
	u32 load = 0, slot;

	for (slot = 0; slot < SIMGPU_SLOTS_MAX; slot++)
		if (seats->seat[slot] == seat)
			load += snapshot->tenants[slot].active ?
				SIMGPU_SLOTS_MAX : 1;
	return load;
}

/* Seat a tenant in the emptiest partition: of equal ones the first if urgent, else the last. */
static void take_seat(const struct simgpu_snapshot *snapshot, struct seats *seats,
		      u32 slot)
{
	bool urgent = is_urgent(&snapshot->tenants[slot]);
	u32 best = NO_SEAT, least = 0, seat;

	for (seat = 1; seat <= seats->partitions; seat++) {
		u32 load = load_of(snapshot, seats, seat);

		if (best != NO_SEAT && (load > least || (load == least && urgent)))
			continue;
		best = seat;
		least = load;
	}
	seats->seat[slot] = (u8)best;
}

/* Another tenant in a slot has no seat; if the partitions have changed, none has one. */
static void forget_seats(const struct simgpu_snapshot *snapshot, struct seats *seats)
{
	u32 partitions = partition_count(snapshot), slot;

	for (slot = 0; slot < SIMGPU_SLOTS_MAX; slot++) {
		const struct simgpu_snapshot_tenant *tenant =
			&snapshot->tenants[slot];
		u64 issued = tenant->total.thread_instructions;

		if (tenant->active && issued < seats->issued[slot])
			seats->seat[slot] = NO_SEAT;
		if (tenant->active)
			seats->issued[slot] = issued;
		if (partitions != seats->partitions)
			seats->seat[slot] = NO_SEAT;
	}
	seats->partitions = partitions;
}

static void seat_tenants(const struct simgpu_snapshot *snapshot, struct seats *seats)
{
	u64 urgent = urgent_slots(snapshot), left;
	u32 slot;

	forget_seats(snapshot, seats);
	for (left = active_slots(snapshot); left; left &= ~(1ULL << slot)) {
		slot = (u32)__builtin_ctzll(left & urgent ? left & urgent : left);
		if (seats->seat[slot] == NO_SEAT)
			take_seat(snapshot, seats, slot);
	}
}

/* --- what it says --------------------------------------------------------------------- */

static void say_memory(const struct simgpu_snapshot *snapshot,
		       const struct seats *seats, u32 slot,
		       struct simgpu_proposal *proposal)
{
	u32 partitions = seats->partitions, index = seats->seat[slot] - 1U;

	/* With the parameter memory at 0, all tenants share channels and ways. */
	if (!snapshot->policy_params[MEMORY]) {
		partitions = 1;
		index = 0;
	}
	proposal->channels[slot] = bits_of(snapshot, partitions, index,
					   snapshot->channels);
	proposal->llc_ways[slot] = (u32)bits_of(snapshot, partitions, index,
						snapshot->llc_ways);
}

static int mig_decide(const struct simgpu_snapshot *snapshot, void *state,
		      struct simgpu_proposal *proposal)
{
	struct seats *seats = state;
	u64 sharers[PARTITIONS_MOST] = { 0 };
	u32 index, slot, sm;

	seat_tenants(snapshot, seats);
	proposal->flags = SIMGPU_SAYS_OWNERS | SIMGPU_SAYS_CHANNELS |
			  SIMGPU_SAYS_LLC_WAYS | SIMGPU_SAYS_HOLD;
	proposal->hold = 0;
	for (slot = 0; slot < SIMGPU_SLOTS_MAX; slot++) {
		if (!snapshot->tenants[slot].active)
			continue;
		index = seats->seat[slot] - 1U;
		/* The rows of shared SMs limit the tenants: the last ones wait. */
		if (hweight64(sharers[index]) <
		    SIMGPU_SHARED_ROWS_MAX / snapshot->sms)
			sharers[index] |= 1ULL << slot;
		else
			proposal->hold |= 1ULL << slot;
		say_memory(snapshot, seats, slot, proposal);
	}
	for (index = 0, sm = 0; sm < snapshot->sms; sm++) {
		while (sm / snapshot->sms_per_tpc >=
		       begin_of(snapshot, seats->partitions, index + 1,
				tpc_count(snapshot)))
			index++;
		proposal->sharers[sm] = sharers[index];
	}
	policy_own_or_share(snapshot, proposal);
	return 0;
}

const struct simgpu_policy policy_mig = {
	.name = "mig",
	.about = "partitions of SMs, channels and cache (after MIG)",
	.events = SIMGPU_ON_ARRIVAL | SIMGPU_ON_DEPARTURE,
	.needs = SIMGPU_NEEDS_NO_MODEL,
	.state_bytes = sizeof(struct seats),
	.params = params,
	.decide = mig_decide,
};
