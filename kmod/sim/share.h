/* SPDX-License-Identifier: GPL-2.0 */
/* The limits of each tenant on each SM: thread blocks and quotas. */
#ifndef SIM_SHARE_H
#define SIM_SHARE_H

#include "parts.h"

/*
 * struct sm_tenant - the registers of a slot on an SM, see struct gpu_sm_tenant
 * @blocks: its thread blocks there
 * @quota: what is left of its quota when the bursts under way have ended; or, if
 *	instructions are subtracted when they complete, what is left now
 */
struct sm_tenant {
	u32 block_limit;
	u32 blocks;
	s64 quota;
	s64 refill;
	u64 thread_instructions;
	u64 idle_warp_samples;
	u64 idle_warps;
};

/* share.c */
void share_init(struct gpu *gpu);
void share_account(struct gpu *gpu, u32 sm, u64 end);
void share_forget(struct gpu *gpu, u32 slot);
void share_block_came(struct gpu *gpu, u32 sm, u32 slot);
void share_block_left(struct gpu *gpu, u32 sm, u32 slot);

/* quota.c */
bool quota_is_out(const struct gpu *gpu, u32 sm, u32 slot);
u32 quota_cut(const struct gpu *gpu, u32 sm, u32 slot, u32 count, u32 lanes);
void quota_charge(struct gpu *gpu, u32 sm, u32 slot, s64 instructions);
void quota_refill(struct gpu *gpu, u32 sm);
void quota_begin(struct gpu *gpu, u32 sm, u32 warp, u32 instructions, u64 at);
void quota_take_back(struct gpu *gpu, u32 sm, u32 warp, u32 instructions, u64 cycles);
void quota_load_issued(struct gpu *gpu, u32 sm, u32 warp, u32 load, u32 lanes);
void quota_load_came(struct gpu *gpu, u32 sm, u32 warp, u32 load);
void quota_complete(struct gpu *gpu, u32 sm, u64 cycle);
void quota_flush(struct gpu *gpu, u32 sm, u64 warps);
void idle_sample(struct gpu *gpu, u32 sm, u64 cycle);

#endif /* SIM_SHARE_H */
