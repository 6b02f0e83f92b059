/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The crossbar between SMs and slices of the last-level cache.
 */
#ifndef SIM_NOC_H
#define SIM_NOC_H

#include "sm.h"

/* noc.c */
void noc_send(struct gpu *gpu, u32 sm, u32 mshr, u64 cycle);
void noc_reply(struct gpu *gpu, u32 slice, u32 sm, u32 mshr);
void noc_release(struct gpu *gpu, u32 slice);
u32 noc_next_in_line(const struct gpu *gpu, u32 id);

#endif /* SIM_NOC_H */
