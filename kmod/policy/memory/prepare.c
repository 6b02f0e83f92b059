// SPDX-License-Identifier: GPL-2.0
/*
 * Working sets are brought before their kernels fault on them, as MSched does: when another
 * kernel comes to the head of a queue, or a tenant gets the SMs, what the kernels of tenants
 * with SMs may access is fetched, then what the kernels after them may. Tenants without SMs
 * give up their chunks first. Where the sets are larger than the memory, each tenant with SMs
 * has an even part of it, and what is behind that comes by faults. Faults bring what they
 * bring under uvm, and the order of eviction is uvm's.
 */
#include <simgpu/memory_policy.h>

#include "../common/prefetch.h"
#include "../common/rank.h"
#include "../registry.h"

/* struct prepare_state - chunks that a tenant's kernels want, at most its part */
struct prepare_state {
	u32 low[SIMGPU_SLOTS_MAX];
};

/* Chunks that a range of pages takes, at most. */
static u32 chunks_of(const struct simgpu_place *place, const struct simgpu_wanted *wanted)
{
	u32 block_pages = simgpu_block_pages(place);

	return (wanted->first + wanted->count - 1) / block_pages -
	       wanted->first / block_pages + 1;
}

static bool runs(const struct simgpu_place *place, u32 slot)
{
	return place->tenant[slot].sms;
}

/* How many chunks each tenant with SMs wants, now and next; the sum of all. */
static u32 add_up(const struct simgpu_place *place, u32 *chunks)
{
	u32 sum = 0, i;

	memset(chunks, 0, SIMGPU_SLOTS_MAX * sizeof(*chunks));
	for (i = 0; i < place->wanted_count; i++) {
		const struct simgpu_wanted *wanted = &place->wanted[i];
		u32 count = min(chunks_of(place, wanted), place->chunks);

		if (!runs(place, wanted->slot))
			continue;
		chunks[wanted->slot] = min(chunks[wanted->slot] + count, place->chunks);
		sum += count;
	}
	return sum;
}

/* Cut tenants' chunks down to even parts, if there are too few. */
static void limit_parts(const struct simgpu_place *place, u32 sum, u32 *chunks)
{
	u32 running = 0, slot;

	if (sum <= place->chunks)
		return;
	for (slot = 0; slot < place->slot_count; slot++)
		running += !!chunks[slot];
	for (slot = 0; slot < place->slot_count; slot++)
		chunks[slot] = min(chunks[slot], place->chunks / running);
}

/* Fetch the ranges of present or of next kernels, as far as their tenants' parts last. */
static void fetch_all(const struct simgpu_place *place, u32 next, u32 *left,
		      struct simgpu_placement *placement)
{
	u32 block_pages = simgpu_block_pages(place), i;

	for (i = 0; i < place->wanted_count; i++) {
		const struct simgpu_wanted *wanted = &place->wanted[i];
		u32 chunks = min(chunks_of(place, wanted), left[wanted->slot]);
		u32 behind = (wanted->first / block_pages + chunks) * block_pages;

		if (wanted->next != next || !chunks)
			continue;
		left[wanted->slot] -= chunks;
		placement->fetch[placement->fetch_count++] = (struct simgpu_fetch) {
			.slot = wanted->slot,
			.first = wanted->first,
			.count = min(wanted->count, behind - wanted->first),
		};
	}
}

static int prepare_place(const struct simgpu_place *place, void *state,
			 struct simgpu_placement *placement)
{
	struct prepare_state *prepare = state;
	u32 left[SIMGPU_SLOTS_MAX];

	if (place->count)
		prefetch_tree(place, NULL, placement);
	if (place->wanted_count) {
		limit_parts(place, add_up(place, prepare->low), prepare->low);
		memcpy(left, prepare->low, sizeof(left));
		fetch_all(place, 0, left, placement);
		fetch_all(place, 1, left, placement);
	}
	memcpy(placement->low, prepare->low, sizeof(placement->low));
	return 0;
}

const struct simgpu_memory_policy memory_policy_prepare = {
	.name = "prepare",
	.about = "working sets of the next kernels, before they start",
	.events = SIMGPU_RANK_ON_ARRIVAL | SIMGPU_PLACE_ON_KERNELS,
	.state_bytes = sizeof(struct prepare_state),
	.place = prepare_place,
	.rank = rank_by_arrival,
	.params = prefetch_params,
};
