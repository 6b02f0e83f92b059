// SPDX-License-Identifier: GPL-2.0
/* Pages of the traced program's addresses; see pages.h. */
#include <errno.h>
#include <stdlib.h>

#include "pages.h"

#define PAGES_MAX	(SIMGPU_TRACE_SPACE_BYTES / PAGE_BYTES)

static uint32_t hash(uint64_t number)
{
	return (uint32_t)((number * 0x9e3779b97f4a7c15ULL) >> 32);
}

static void put(struct pages *pages, uint32_t index)
{
	uint32_t at = hash(pages->number[index]) & (pages->slots - 1);

	while (pages->slot[at])
		at = (at + 1) & (pages->slots - 1);
	pages->slot[at] = index + 1;
}

/* Doubles the room; the hash table is at most half full. */
static int grow(struct pages *pages)
{
	uint32_t room = pages->room ? pages->room * 2 : 1024, i;
	uint64_t *number = realloc(pages->number, room * sizeof(*number));
	uint32_t *slot;

	if (!number)
		return -ENOMEM;
	pages->number = number;
	slot = calloc(2 * (size_t)room, sizeof(*slot));
	if (!slot)
		return -ENOMEM;
	free(pages->slot);
	pages->slot = slot;
	pages->slots = 2 * room;
	pages->room = room;
	for (i = 0; i < pages->count; i++)
		put(pages, i);
	return 0;
}

int64_t pages_find(struct pages *pages, uint64_t address)
{
	uint64_t number = address / PAGE_BYTES;
	uint32_t at;
	int ret;

	if (pages->slots) {
		at = hash(number) & (pages->slots - 1);
		for (; pages->slot[at]; at = (at + 1) & (pages->slots - 1))
			if (pages->number[pages->slot[at] - 1] == number)
				return pages->slot[at] - 1;
	}
	if (pages->count == PAGES_MAX)
		return -E2BIG;
	if (pages->count == pages->room) {
		ret = grow(pages);
		if (ret)
			return ret;
	}
	pages->number[pages->count] = number;
	put(pages, pages->count);
	return pages->count++;
}

struct ranked {
	uint64_t number;
	uint32_t index;
};

static int compare(const void *a, const void *b)
{
	const struct ranked *left = a, *right = b;

	return (left->number > right->number) - (left->number < right->number);
}

uint32_t *pages_order(const struct pages *pages)
{
	struct ranked *sorted = calloc(pages->count + 1, sizeof(*sorted));
	uint32_t *order = calloc(pages->count + 1, sizeof(*order)), i;

	for (i = 0; sorted && i < pages->count; i++)
		sorted[i] = (struct ranked) { pages->number[i], i };
	if (sorted && order) {
		qsort(sorted, pages->count, sizeof(*sorted), compare);
		for (i = 0; i < pages->count; i++)
			order[sorted[i].index] = i;
	} else {
		free(order);
		order = NULL;
	}
	free(sorted);
	return order;
}

void pages_free(struct pages *pages)
{
	free(pages->number);
	free(pages->slot);
}
