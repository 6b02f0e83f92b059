/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What a driver can do to a kernel that runs: let a queue begin so many thread blocks
 * and no more, and hear when they have run, or when a tenant's quotas are used up; and
 * drop thread blocks, which begin again. Part of gpu.h.
 *
 * GPU_PREEMPT_RESET drops thread blocks on the spot: nothing of what they have done is
 * kept, their SM is free in the next cycle, and they wait to begin again from nothing,
 * before any new block of their kernel, where their tenant next has room. What they
 * have stored stays stored, so that only kernels can be treated so whose blocks may
 * run twice; which those are the driver knows. Replies to their loads are not
 * counted any more, and fill no L1. Blocks whose context is being saved or read
 * are not dropped: they are saved, or go back to where they waited. The device can
 * keep as many dropped blocks and saved ones together as saved ones alone; those that
 * find no place drain. Counted: reset_blocks, reset_warp_instructions,
 * reset_block_cycles of &struct simgpu_counters.
 */
#ifndef SIM_ISSUE_H
#define SIM_ISSUE_H

struct gpu;

/**
 * gpu_queue_set_issue_limit() - let a queue's kernels begin so many thread blocks
 * @gpu: the device
 * @slot: the tenant
 * @queue: below GPU_QUEUES_MAX, with a kernel or without
 * @blocks: that may begin from now on, of the kernel that the queue has and of those
 *	that follow; 0: none; GPU_NO_LIMIT, as at first: any number
 *
 * Thread blocks that have begun before go on, and saved or dropped ones begin again
 * without counting anew. When as many have begun and every block of the kernel that
 * began has ended, the slice is over: gpu_take_slices() tells so, once. Until the
 * limit is set again none begins. A limit of 0 is no slice, and nothing is told of
 * it. It lasts until it is set again or the slot is dropped.
 */
void gpu_queue_set_issue_limit(struct gpu *gpu, u32 slot, u32 queue, u32 blocks);

/* Thread blocks that a queue may still begin; GPU_NO_LIMIT: any number. */
u32 gpu_queue_issue_left(const struct gpu *gpu, u32 slot, u32 queue);

/**
 * gpu_take_slices() - slots of which a slice is over since the last call
 * @gpu: the device
 *
 * An interrupt status, as gpu_take_finished(): gpu_run() stops where it becomes
 * other than 0, at a multiple of gpu_window() cycles, and does not go on before it
 * has been taken.
 *
 * Return: a bit for each slot; of which queues: gpu_take_sliced_queues().
 */
u64 gpu_take_slices(struct gpu *gpu);

/**
 * gpu_take_sliced_queues() - which queues' slices are over
 * @gpu: the device
 * @slot: one that gpu_take_slices() has named
 *
 * Return: a bit for each queue whose slice is over since the last call, and whose
 * limit has not been set since.
 */
u32 gpu_take_sliced_queues(struct gpu *gpu, u32 slot);

/**
 * gpu_watch_quotas() - whether the driver wants to hear of quotas that are used up
 * @gpu: the device
 * @watch: from now on; at first it does not
 */
void gpu_watch_quotas(struct gpu *gpu, bool watch);

/**
 * gpu_take_quotas_out() - slots whose quotas were used up since the last call
 * @gpu: the device
 *
 * A slot's quotas are used up when it has a quota and thread blocks on some SM, and
 * on each such SM may begin no further instruction. That is looked at where
 * windows end (gpu_window()), and told once, until a quota of the slot has been set
 * or refilled. gpu_run() stops for it as for gpu_take_slices().
 *
 * Return: a bit for each; 0 while nobody watches.
 */
u64 gpu_take_quotas_out(struct gpu *gpu);

#endif /* SIM_ISSUE_H */
