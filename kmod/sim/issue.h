/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What a driver can do to a kernel that runs: let a queue begin only so many thread blocks,
 * and be told when these have ended, or when a tenant's quotas are used up; and
 * drop thread blocks, which begin again. Part of gpu.h.
 *
 * GPU_PREEMPT_RESET drops thread blocks on the spot. Nothing of their state is kept, and
 * their SM is free in the next cycle. They begin again from nothing where their tenant
 * next has room, before any new block of their kernel. Their stores remain, so this only
 * suits kernels whose blocks may run twice; the driver has to know which those are.
 * Replies to their loads are not counted any more, and fill no L1.
 *
 * Blocks whose context is being saved or read are not dropped: they are saved, or go
 * back to where they waited. Dropped and saved blocks share the device's places for saved
 * ones; blocks that find no place drain. Counted: reset_blocks, reset_warp_instructions,
 * reset_block_cycles of &struct simgpu_counters.
 */
#ifndef SIM_ISSUE_H
#define SIM_ISSUE_H

struct gpu;

/**
 * gpu_queue_set_issue_limit() - let a queue's kernels begin only so many thread blocks
 * @gpu: the device
 * @slot: the tenant
 * @queue: below GPU_QUEUES_MAX, with a kernel or without
 * @blocks: blocks that may begin from now on, of the queue's present kernel and of later
 *	ones; 0: none; GPU_NO_LIMIT, the first value: any number
 *
 * Thread blocks that have begun before go on, and saved or dropped ones begin again
 * without counting anew. When that many have begun and every block of the kernel that
 * began has ended, the slice is over: gpu_take_slices() reports it once. Then none begins
 * until the limit is set again. A limit of 0 is no slice and is not reported. A limit
 * lasts until it is set again or the slot is dropped.
 * it. It lasts until it is set again or the slot is dropped.
 */
void gpu_queue_set_issue_limit(struct gpu *gpu, u32 slot, u32 queue, u32 blocks);

/* Thread blocks that a queue may still begin; GPU_NO_LIMIT: any number. */
u32 gpu_queue_issue_left(const struct gpu *gpu, u32 slot, u32 queue);

/**
 * gpu_take_slices() - slots with a slice that has ended since the last call
 * @gpu: the device
 *
 * An interrupt status, like gpu_take_finished(): gpu_run() stops where it becomes
 * other than 0, at a multiple of gpu_window() cycles, and does not go on before it
 * has been taken. gpu_take_sliced_queues() says which queues.
 *
 * Return: a bit for each slot.
 */
u64 gpu_take_slices(struct gpu *gpu);

/**
 * gpu_take_sliced_queues() - queues whose slices are over
 * @gpu: the device
 * @slot: a slot that gpu_take_slices() has returned
 *
 * Return: a bit for each queue whose slice is over since the last call, and whose
 * limit has not been set since.
 */
u32 gpu_take_sliced_queues(struct gpu *gpu, u32 slot);

/**
 * gpu_watch_quotas() - whether to report quotas that are used up
 * @gpu: the device
 * @watch: from now on; false at first
 */
void gpu_watch_quotas(struct gpu *gpu, bool watch);

/**
 * gpu_take_quotas_out() - slots whose quotas were used up since the last call
 * @gpu: the device
 *
 * A slot's quotas are used up when it has a quota and thread blocks on some SM, and
 * may issue no further instruction on any such SM. That is checked at the ends of
 * windows (gpu_window()), and reported once, until a quota of the slot has been set
 * or refilled. gpu_run() stops for it as for gpu_take_slices().
 *
 * Return: a bit for each slot; 0 without gpu_watch_quotas().
 */
u64 gpu_take_quotas_out(struct gpu *gpu);

#endif /* SIM_ISSUE_H */
