/* SPDX-License-Identifier: GPL-2.0 */
/* The contexts of thread blocks that have left their SM, or are leaving it. */
#ifndef SIM_CONTEXT_H
#define SIM_CONTEXT_H

#include "sm.h"

/*
 * How many GPUs full of thread blocks and warps can be saved at a time: at most
 * CONTEXT_GPUS_MAX, enough for some twenty tenants that take turns on a small GPU.
 * Larger GPUs can save CONTEXT_WARPS warps, so that the pool stays below 1 MB, and at
 * least CONTEXT_GPUS_MIN GPUs full.
 */
#define CONTEXT_GPUS_MAX	24
#define CONTEXT_GPUS_MIN	4
#define CONTEXT_WARPS		20480
/* The save area of a tenant: the top lines of its space, but not the very last one. */
#define CONTEXT_LINES_MAX	0x2000000U
#define CONTEXT_TOP		((1U << LINE_SLOT_SHIFT) - 1)
#define NO_CONTEXT		U32_MAX

PORT_NO_HOLES_BEGIN

/*
 * struct saved_block - a thread block that has left its SM, or is leaving; a dropped
 *	one has no warps
 * @next: next one in its kernel's queue, or in the free list
 * @first_warp: first of its warps, which are in the order of their index
 * @issued: warp instructions that it has issued so far
 * @cycles: cycles that it was on an SM
 */
struct saved_block {
	u32 next;
	u32 first_warp;
	u32 index;
	u8 warps_left;
	u8 at_barrier;
	u8 unused[2];
	u64 issued;
	u64 cycles;
};

/* struct saved_warp - the state that a warp needs to go on; @next: next one of its block */
struct saved_warp {
	u32 next;
	u32 op;
	u32 left;
	u32 line;
	u32 accesses;
	u32 loop_index[TRACE_LOOP_DEPTH_MAX];
	u16 index;
	u8 loop_depth;
	u8 at_barrier;
};

/*
 * struct context_pool - places for saved thread blocks and their warps
 * @free_block: first free place of @blocks, NO_CONTEXT for none
 * @free_warp: first free place of @warps
 * @blocks_left: free places of @blocks that are not reserved; @warps_left: of @warps
 */
struct context_pool {
	struct saved_block *blocks;
	struct saved_warp *warps;
	u32 free_block;
	u32 free_warp;
	u32 blocks_left;
	u32 warps_left;
};

PORT_NO_HOLES_END

/* context.c */
u32 context_gpus(const struct gpu_config *config);
void context_shape(const struct gpu_config *config, struct gpu_shape *shape);
void context_init(struct gpu *gpu);
bool context_reserve(struct gpu *gpu, u32 sm, u32 blocks);
bool context_drop(struct gpu *gpu, const struct block *block);
u32 context_take(struct gpu *gpu, u32 grid);
void context_stops(struct gpu *gpu, struct sm *sm);
void context_returns(struct gpu *gpu, struct sm *sm);
void context_turn(struct gpu *gpu, u32 sm);
u64 context_next_turn(const struct gpu *gpu, const struct sm *sm);
void context_forget(struct gpu *gpu, u32 sm, u32 block);
void context_forget_grid(struct gpu *gpu, u32 grid);
void context_forget_queue(struct gpu *gpu, u32 slot);
void context_free(struct gpu *gpu, u32 number);
void context_queue(struct gpu *gpu, u32 grid, u32 number);

#endif /* SIM_CONTEXT_H */
