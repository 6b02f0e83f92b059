/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Kernels that end before their end, and kernels that do not end: what a driver does to a
 * device that hangs, and how one is made to hang. Part of gpu.h.
 */
#ifndef SIM_KILL_H
#define SIM_KILL_H

struct gpu;

/**
 * gpu_queue_spin() - from now on a queue's kernel has no end
 * @gpu: the device
 * @slot: the tenant
 * @queue: a queue with a kernel
 *
 * Each warp of its thread blocks, also of those that begin or come back later, issues
 * instructions for ever, as SIMGPU_TRACE_SPIN does, instead of what follows in its program. A
 * warp that waits at a barrier, or for data, does so when it has that. Only gpu_queue_drop()
 * and gpu_tenant_drop() end the kernel.
 */
void gpu_queue_spin(struct gpu *gpu, u32 slot, u32 queue);

/**
 * gpu_queue_drop() - end a queue's kernel now, on the spot
 * @gpu: the device
 * @slot: the tenant
 * @queue: below GPU_QUEUES_MAX, with a kernel or without
 *
 * Its thread blocks vanish, saved and dropped ones too; the slot's other kernels go on. What
 * its stores have written stays, requests on their way finish without effect. It is not
 * reported by gpu_take_finished(). The slot keeps its SMs, limits, masks and counters; an issue
 * limit of the queue is gone.
 */
void gpu_queue_drop(struct gpu *gpu, u32 slot, u32 queue);

/**
 * gpu_sm_queues() - whose thread blocks an SM runs
 * @gpu: the device
 * @sm: index of the SM
 * @slot: the tenant
 *
 * Return: a bit for each queue of the slot that has thread blocks there whose contexts are not
 * being moved.
 */
u32 gpu_sm_queues(const struct gpu *gpu, u32 sm, u32 slot);

/**
 * gpu_sm_reset() - drop all thread blocks of an SM, which then does nothing for a time
 * @gpu: the device
 * @sm: index of the SM
 * @cycles: no warp issues there for so many core cycles
 *
 * The blocks begin again from nothing where their tenants next have room, as with
 * GPU_PREEMPT_RESET (issue.h): blocks that may not run twice have to be dropped before. Blocks
 * that find no place in the pool stay; blocks whose contexts are being moved finish that. The
 * SM keeps its owner and its limits. Without blocks that stay, its caches are cold.
 */
void gpu_sm_reset(struct gpu *gpu, u32 sm, u64 cycles);

/**
 * gpu_reset() - all kernels end, and the caches are cold; the clock goes on
 * @gpu: the device
 *
 * As gpu_queue_drop() of each queue. Lines leave all caches without a write-back. Open rows are
 * left to the refresh. Who owns which SM, limits and counters stay.
 */
void gpu_reset(struct gpu *gpu);

#endif /* SIM_KILL_H */
