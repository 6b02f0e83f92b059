// SPDX-License-Identifier: GPL-2.0
/*
 * Prefetches by the stride of a tenant's faults, in place of uvm's tree: a table of one entry
 * for each tenant, with the last page that faulted, the distance to the one before it, and a
 * counter of two bits for how often the distance was the same (Chen and Baer, IEEE
 * Transactions on Computers 44(5), 1995, whose table has an entry for each load; a fault tells
 * its page, not its load). At 2 and above the next pages at that distance are fetched, in
 * later blocks, too. Evicts as uvm.
 */
#include <simgpu/bits.h>
#include <simgpu/memory_policy.h>

#include "../common/rank.h"
#include "../registry.h"

/* The greatest value of the counter */
#define SUREST		3

enum { AHEAD, SURE };

static const struct simgpu_param params[] = {
	{ "ahead", SIMGPU_UNIT_NUMBER, 1, SIMGPU_FETCHES_MAX, 16,
	  "pages that are fetched ahead" },
	{ "sure", SIMGPU_UNIT_NUMBER, 1, SUREST, 2,
	  "how often more a distance was the same than not before they are" },
	{ .name = NULL }
};

/* struct stride - what is known of a tenant's faults; pages count from 1 */
struct stride {
	u32 last;
	s32 distance;
	u32 sure;
	u32 unused;
};

struct stride_state {
	struct stride of[SIMGPU_SLOTS_MAX];
};

static void learn(struct stride *stride, u32 page)
{
	s32 distance = (s32)(page - stride->last);

	if (!stride->last) {
		stride->last = page;
		return;
	}
	if (!distance)
		return;
	stride->last = page;
	if (distance == stride->distance)
		stride->sure = min_t(u32, stride->sure + 1, SUREST);
	else if (stride->sure)
		stride->sure--;
	else
		stride->distance = distance;
}

/* Fetch one page after the others, or more at once where they follow each other. */
static void fetch(struct simgpu_placement *placement, u32 slot, u32 page)
{
	u32 count = placement->fetch_count;
	struct simgpu_fetch *last = count ? &placement->fetch[count - 1] : NULL;

	if (last && last->slot == slot && last->first + last->count == page) {
		last->count++;
		return;
	}
	if (count == SIMGPU_FETCHES_MAX)
		return;
	placement->fetch[placement->fetch_count++] = (struct simgpu_fetch) {
		.slot = slot, .first = page, .count = 1,
	};
}

static void fetch_ahead(const struct simgpu_place *place, const struct stride *stride,
			u32 slot, struct simgpu_placement *placement)
{
	s64 page = (s64)stride->last - 1;
	u32 i;

	if (stride->sure < place->params[SURE])
		return;
	for (i = 0; i < place->params[AHEAD]; i++) {
		page += stride->distance;
		if (page < 0 || page >= place->tenant[slot].pages)
			return;
		fetch(placement, slot, (u32)page);
	}
}

static int stride_place(const struct simgpu_place *place, void *state,
			struct simgpu_placement *placement)
{
	u32 block_pages = simgpu_block_pages(place), i, page;
	struct stride_state *strides = state;
	u64 faulted = 0;

	for (i = 0; i < place->count; i++) {
		const struct simgpu_fault_block *block = &place->block[i];

		for (page = 0; page < block->pages; page++)
			if (simgpu_has_bit(block->faulted, page))
				learn(&strides->of[block->slot],
				      block->block * block_pages + page + 1);
		faulted |= 1ULL << block->slot;
	}
	for (; faulted; faulted &= faulted - 1) {
		u32 slot = (u32)__builtin_ctzll(faulted);

		fetch_ahead(place, &strides->of[slot], slot, placement);
	}
	return 0;
}

const struct simgpu_memory_policy memory_policy_stride = {
	.name = "stride",
	.about = "what a stride of faults comes to next",
	.events = SIMGPU_RANK_ON_ARRIVAL,
	.state_bytes = sizeof(struct stride_state),
	.place = stride_place,
	.rank = rank_by_arrival,
	.params = params,
};
