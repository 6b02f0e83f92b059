// SPDX-License-Identifier: GPL-2.0
/* The list of what a profile says; see activities.h. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "activities.h"

/**
 * struct names - texts, each once
 * @slots: a hash table with open addressing; NULL: free
 * @size: slots, a power of two
 * @count: texts
 */
struct names {
	char **slots;
	size_t size;
	size_t count;
};

#define NAMES_FIRST	256
/* Unknown activities that are told apart */
#define UNKNOWN_MAX	64

/* FNV-1a */
static uint64_t hash_text(const char *text)
{
	uint64_t hash = 14695981039346656037ULL;

	for (; *text; text++)
		hash = (hash ^ (unsigned char)*text) * 1099511628211ULL;
	return hash;
}

static size_t names_slot(const struct names *names, const char *text)
{
	size_t at = hash_text(text) & (names->size - 1);

	while (names->slots[at] && strcmp(names->slots[at], text))
		at = (at + 1) & (names->size - 1);
	return at;
}

static int names_widen(struct names *names)
{
	struct names wide = { .size = names->size * 2, .count = names->count };
	size_t i;

	wide.slots = calloc(wide.size, sizeof(*wide.slots));
	if (!wide.slots)
		return -ENOMEM;
	for (i = 0; i < names->size; i++)
		if (names->slots[i])
			wide.slots[names_slot(&wide, names->slots[i])] = names->slots[i];
	free(names->slots);
	*names = wide;
	return 0;
}

const char *activities_text(struct activities *activities, const char *text)
{
	struct names *names = activities->names;
	size_t at;

	if (names->count * 2 >= names->size && names_widen(names))
		return NULL;
	at = names_slot(names, text);
	if (!names->slots[at]) {
		names->slots[at] = strdup(text);
		names->count += !!names->slots[at];
	}
	return names->slots[at];
}

int activities_open(struct activities *activities)
{
	memset(activities, 0, sizeof(*activities));
	activities->names = calloc(1, sizeof(*activities->names));
	if (!activities->names)
		return -ENOMEM;
	activities->names->size = NAMES_FIRST;
	activities->names->slots = calloc(NAMES_FIRST, sizeof(char *));
	return activities->names->slots ? 0 : -ENOMEM;
}

void activities_close(struct activities *activities)
{
	size_t i;

	for (i = 0; activities->names && activities->names->slots &&
	     i < activities->names->size; i++)
		free(activities->names->slots[i]);
	if (activities->names)
		free(activities->names->slots);
	free(activities->names);
	free(activities->list);
	free(activities->unknown);
	memset(activities, 0, sizeof(*activities));
}

int activities_add(struct activities *activities, const struct activity *activity)
{
	struct activity *to;

	if (activities->count == activities->room) {
		size_t room = activities->room ? activities->room * 2 : 1024;

		to = realloc(activities->list, room * sizeof(*to));
		if (!to)
			return -ENOMEM;
		activities->list = to;
		activities->room = room;
	}
	to = &activities->list[activities->count];
	*to = *activity;
	to->name = activities_text(activities, activity->name ? activity->name : "");
	if (!to->name)
		return -ENOMEM;
	activities->count++;
	return 0;
}

int activities_unknown(struct activities *activities, const char *name)
{
	const char *text = activities_text(activities, activities->unknown_count <
					   UNKNOWN_MAX ? name : "others");
	struct unknown_activity *more;
	size_t i;

	if (!text)
		return -ENOMEM;
	for (i = 0; i < activities->unknown_count; i++) {
		if (activities->unknown[i].name == text) {
			activities->unknown[i].count++;
			return 0;
		}
	}
	more = realloc(activities->unknown, (i + 1) * sizeof(*more));
	if (!more)
		return -ENOMEM;
	activities->unknown = more;
	more[i] = (struct unknown_activity){ text, 1 };
	activities->unknown_count++;
	return 0;
}

int activities_check(const struct activities *activities,
		     char reason[IMPORT_REASON_BYTES])
{
	size_t counts[ACTIVITY_KINDS] = { 0 }, i;

	for (i = 0; i < activities->count; i++) {
		const struct activity *activity = &activities->list[i];

		counts[activity->kind]++;
		if (activity->kind == ACTIVITY_KERNEL && !activity->grid[0]) {
			snprintf(reason, IMPORT_REASON_BYTES,
				 "the profile does not say the grid of kernel \"%.80s\"; "
				 "--assume-grid BLOCKS,THREADS gives all such kernels one",
				 activity->name);
			return -EINVAL;
		}
	}
	if (counts[ACTIVITY_KERNEL])
		return 0;
	snprintf(reason, IMPORT_REASON_BYTES,
		 counts[ACTIVITY_COPY] + counts[ACTIVITY_SET] ?
		 "the profile has no kernel, only copies" :
		 "the profile has no activity of a GPU: it was taken on the CPU alone, "
		 "or without ProfilerActivity.CUDA");
	return -EINVAL;
}

bool activity_call_matters(const char *name)
{
	static const char *const words[] = {
		"Launch", "Memcpy", "Memset", "EventRecord", "WaitEvent", "Synchronize",
		"EventQuery", "StreamQuery",
	};
	size_t i;

	for (i = 0; i < sizeof(words) / sizeof(*words); i++)
		if (strstr(name, words[i]))
			return true;
	return false;
}
