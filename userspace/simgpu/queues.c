// SPDX-License-Identifier: GPL-2.0
/* Keys of a workload for its queues; see queues.h. */
#include "../offline/run.h"
#include "queues.h"

#define QUEUE_LAST	(SESSION_QUEUES_MAX - 1)

/* Parse a queue's number, up to @end; false if there is none. */
static bool read_queue(const char **at, const char *end, u32 *queue)
{
	if (**at < '0' || **at > '0' + QUEUE_LAST || !strchr(end, (*at)[1]))
		return false;
	*queue = (u32)(**at - '0');
	(*at)++;
	return true;
}

static int parse_wait(struct offline_queues *queues, const char *value)
{
	const char *at = value;
	u32 queue, other, count = 0;

	if (!read_queue(&at, ":", &queue) || !*at)
		return fail_usage("wait is QUEUE:QUEUE+..., queues being 0 to %d, not \"%s\"",
				  QUEUE_LAST, value);
	do {
		at++;
		if (!read_queue(&at, "+", &other))
			return fail_usage("wait is QUEUE:QUEUE+..., queues being 0 to %d, not \"%s\"",
					  QUEUE_LAST, value);
		queues->waits[queue] |= 1U << other;
		count++;
	} while (*at);
	if (__builtin_popcount(queues->waits[queue]) > SESSION_WAITS_MAX)
		return fail_usage("a launch waits for %d others at most",
				  SESSION_WAITS_MAX);
	return STATUS_OK;
}

static int parse_priority(struct offline_queues *queues, const char *value)
{
	const char *at = value;
	bool negative;
	u64 number;
	u32 queue;

	if (!read_queue(&at, ":", &queue) || !*at++)
		return fail_usage("priority is QUEUE:NUMBER, not \"%s\"", value);
	negative = *at == '-';
	if (!parse_number(at + negative, 0, SESSION_QUEUE_PRIORITY_MAX, &number))
		return fail_usage("a queue's priority is %d to %d, not \"%s\"",
				  -SESSION_QUEUE_PRIORITY_MAX,
				  SESSION_QUEUE_PRIORITY_MAX, at);
	queues->priority[queue] = (s8)(negative ? -(s8)number : (s8)number);
	return STATUS_OK;
}

static int parse_idempotent(struct offline_queues *queues, const char *value)
{
	u64 number;

	if (!parse_number(value, 0, 1, &number))
		return fail_usage("idempotent is 0 or 1, not \"%s\"", value);
	queues->idempotent = number;
	return STATUS_OK;
}

int queues_key(struct offline_queues *queues, const char *key,
	       const char *value, bool *known)
{
	u64 count;

	*known = true;
	if (!strcmp(key, "wait"))
		return parse_wait(queues, value);
	if (!strcmp(key, "priority"))
		return parse_priority(queues, value);
	if (!strcmp(key, "idempotent"))
		return parse_idempotent(queues, value);
	*known = !strcmp(key, "queues");
	if (!*known)
		return STATUS_OK;
	if (!parse_number(value, 1, SESSION_QUEUES_MAX, &count))
		return fail_usage("queues is 1 to %d, not \"%s\"",
				  SESSION_QUEUES_MAX, value);
	queues->count = (u32)count;
	return STATUS_OK;
}

int queues_check(const struct offline_queues *queues)
{
	u32 count = queues->count ? queues->count : 1, i;
	u8 order[SESSION_QUEUES_MAX];

	for (i = 0; i < SESSION_QUEUES_MAX; i++)
		if ((i >= count && (queues->waits[i] || queues->priority[i])) ||
		    queues->waits[i] >> count)
			return fail_usage("a queue that there is not waits, is waited for or has a priority: queues=%u ends with %u",
					  count, count - 1);
	if (offline_queues_order(queues, order) != count)
		return fail_usage("queues wait for one another in a circle");
	return STATUS_OK;
}
