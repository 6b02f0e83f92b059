/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The crossbar between SMs and slices of the last-level cache.
 */
#ifndef SIM_NOC_H
#define SIM_NOC_H

#include "sm.h"

/* noc.c */
void noc_prefetch(const struct gpu *gpu, u32 sm, u32 number);
void noc_note_stored(struct gpu *gpu, u32 sm, u32 number, u32 stored);
void noc_send(struct gpu *gpu, u32 sm, u32 number, u64 cycle);
void noc_reply(struct gpu *gpu, u32 slice, u32 sm, u32 number, u32 sector,
	       u32 flits);
void noc_take_requests(struct gpu *gpu, u32 channel);
void noc_take_replies(struct gpu *gpu, u32 sm);
void noc_reply_arrives(struct gpu *gpu, u32 sm, u32 number, u64 arrival);

/* Bits of a cycle that a reply does not keep of its departure. */
#define REPLY_DEPARTURE_LOST	8
#define REPLY_DEPARTURE_MASK	(U32_MAX >> REPLY_DEPARTURE_LOST)

/*
 * The cycle at which a reply leaves its slice. It is less than 2^23 cycles away from @now,
 * since the queue of replies is short (lookup_at()).
 */
static inline u64 reply_departure(const struct reply *reply, u64 now)
{
	u32 ahead = reply->departure - (u32)now;

	return now + (s64)((s32)(ahead << REPLY_DEPARTURE_LOST) >> REPLY_DEPARTURE_LOST);
}

/* noc_ports.c */
void noc_ports_init(struct gpu *gpu);
bool noc_ports_wait(const struct gpu *gpu);
void noc_pass_requests(struct gpu *gpu, u64 from, u64 until);
void noc_pass_replies(struct gpu *gpu, u64 from, u64 until);

#endif /* SIM_NOC_H */
