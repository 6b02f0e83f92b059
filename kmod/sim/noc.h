/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The crossbar between SMs and slices of the last-level cache.
 */
#ifndef SIM_NOC_H
#define SIM_NOC_H

#include "sm.h"

/* noc.c */
void noc_prefetch(const struct gpu *gpu, u32 sm, u32 number);
void noc_send(struct gpu *gpu, u32 sm, u32 number, u64 cycle);
void noc_reply(struct gpu *gpu, u32 slice, u32 sm, u32 number, u32 sector,
	       u32 flits);
void noc_take_requests(struct gpu *gpu, u32 channel);
void noc_take_replies(struct gpu *gpu, u32 sm);

#endif /* SIM_NOC_H */
