/* SPDX-License-Identifier: GPL-2.0 */
/* The link to the host, as SMs see it: a slice behind the others, without a cache. */
#ifndef SIM_REMOTE_H
#define SIM_REMOTE_H

#include "parts.h"

/* Whether what crosses the link comes to the device or goes to the host. */
enum remote_way {
	REMOTE_IN,
	REMOTE_OUT,
	REMOTE_WAYS,
};

PORT_NO_HOLES_BEGIN

/*
 * struct remote_direction - a direction of the link
 * @free: time from which on it is free, in cycles times its rate in MB/s: so a line's bytes
 *	times core_mhz are a whole number
 * @waiting: requests whose answer is known, the first one first. The cycle of the answer
 *	is in @ready of the request
 * @count: how many
 * @copies_until: cycle until which copies take it, as the pager has said last
 * @taken: time that lines have taken while there were copies, in the unit of @free, and of
 *	which the pager was not told
 */
struct remote_direction {
	u64 free;
	u64 copies_until;
	u64 taken;
	struct mailbox waiting;
	u32 count;
	u32 unused;
};

/*
 * struct remote_link - the link to the host
 * @direction: by &enum remote_way
 * @lines: by slot, requests that it has taken
 */
struct remote_link {
	struct remote_direction direction[REMOTE_WAYS];
	u64 lines[GPU_SLOTS_MAX];
};

PORT_NO_HOLES_END

/* remote.c */
void remote_init(struct remote_link *link);
void remote_run(struct gpu *gpu, u64 until);
bool remote_busy(const struct gpu *gpu);

#endif /* SIM_REMOTE_H */
