/* SPDX-License-Identifier: GPL-2.0 */
/* Static resources of shared SMs (FGQoS 3.6). */
#ifndef POLICY_BLOCKS_H
#define POLICY_BLOCKS_H

#include <simgpu/proposal.h>

/**
 * struct blocks_kernel - what a tenant's thread blocks need
 * @present: 1 if the tenant has work
 * @qos: 1 if the tenant has a goal
 * @threads: threads of a thread block, in whole warps
 * @registers: registers of a thread block
 * @shared_bytes: shared memory of a thread block
 * @most: thread blocks that an SM can hold if no other tenant is there
 */
struct blocks_kernel {
	u32 present;
	u32 qos;
	u32 threads;
	u32 registers;
	u32 shared_bytes;
	u32 most;
};

/**
 * struct blocks_row - idle warps of a tenant on a shared SM
 * @key: SM x slots + slot
 * @idle: thread blocks' worth of idle warps over the last epoch (FGQoS 3.6)
 * @samples: samples of idle warps since the tenant joined, modulo 2^32
 * @warps: idle warps in these samples, modulo 2^32
 */
struct blocks_row {
	u32 key;
	u32 idle;
	u32 samples;
	u32 warps;
};

/**
 * struct blocks - thread blocks that each tenant may have on each SM
 * @kernels: by slot
 * @sharers: by SM, a bit for each slot
 * @limit: by SM and slot
 * @alone: by SM, 1 if tenants without a goal have left it
 * @row_count: entries of @rows
 * @known: 1 if @idle of the rows is known: no row has come or gone
 * @swaps: thread blocks that victims gave up
 * @reserved: zero
 * @rows: in the order of the snapshot's rows
 */
struct blocks {
	struct blocks_kernel kernels[SIMGPU_SLOTS_MAX];
	u64 sharers[SIMGPU_SMS_MAX];
	u8 limit[SIMGPU_SMS_MAX][SIMGPU_SLOTS_MAX];
	u8 alone[SIMGPU_SMS_MAX];
	u32 row_count;
	u32 known;
	u32 swaps;
	u32 reserved;
	struct blocks_row rows[SIMGPU_SHARED_ROWS_MAX];
};

bool blocks_changed(const struct simgpu_snapshot *snapshot,
		    struct blocks *blocks);
void blocks_split(const struct simgpu_snapshot *snapshot,
		  struct blocks *blocks);
void blocks_sample(const struct simgpu_snapshot *snapshot,
		   struct blocks *blocks);
void blocks_adjust(const struct simgpu_snapshot *snapshot,
		   struct blocks *blocks, bool one_swap);
void blocks_share_all(struct blocks *blocks);
void blocks_leave(const struct simgpu_snapshot *snapshot, struct blocks *blocks,
		  u32 count);
bool blocks_return(const struct simgpu_snapshot *snapshot,
		   struct blocks *blocks);
void blocks_give_back(const struct simgpu_snapshot *snapshot,
		      struct blocks *blocks);
void blocks_say(const struct simgpu_snapshot *snapshot,
		const struct blocks *blocks, struct simgpu_proposal *proposal);

#endif /* POLICY_BLOCKS_H */
