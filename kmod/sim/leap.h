/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Leaps: time that passes without being simulated. What a measured stretch counted is
 * counted again, in proportion, and thread blocks that would have run are left out of
 * their grids. Caches, queues and resident thread blocks stay as they are. The device's
 * clock stands still: who leaps keeps the time that was leapt.
 */
#ifndef SIM_LEAP_H
#define SIM_LEAP_H

#include "gpu.h"

/* Numbers in a tally of a GPU. */
size_t gpu_tally_count(const struct gpu_config *config);

/**
 * gpu_tally() - write down all counts: of slots, of SMs, of slots on SMs, and of channels
 * @gpu: the device
 * @tally: gpu_tally_count() numbers
 */
void gpu_tally(struct gpu *gpu, u64 *tally);

/**
 * gpu_count_leap() - count what a leap counts
 * @gpu: the device
 * @counted: what a stretch has counted: a tally at its end, less one at its beginning
 * @stretch: its cycles, above 0
 * @leap: cycles of the leap
 *
 * To each count the stretch's is added, times @leap / @stretch, rounded down: so a part is
 * at most its whole, as before. Kernels that have finished are left to gpu_count_kernels().
 */
void gpu_count_leap(struct gpu *gpu, const u64 *counted, u64 stretch, u64 leap);

/* Count kernels of a slot that finish in a leap. */
void gpu_count_kernels(struct gpu *gpu, u32 slot, u64 kernels);

/**
 * gpu_queue_left() - thread blocks that no SM has been given
 * @gpu: the device
 * @slot: the tenant
 * @queue: below GPU_QUEUES_MAX
 *
 * Return: blocks of the queue's kernel that have neither begun nor are in an SM's reserve,
 * without those that SMs gave back; 0 if it has no kernel.
 */
u32 gpu_queue_left(const struct gpu *gpu, u32 slot, u32 queue);

/**
 * gpu_queue_skip() - leave out thread blocks of a queue's kernel, which count as finished
 * @gpu: the device
 * @slot: the tenant
 * @queue: a queue with a kernel
 * @blocks: less than gpu_queue_left()
 */
void gpu_queue_skip(struct gpu *gpu, u32 slot, u32 queue, u32 blocks);

/**
 * gpu_is_settled() - whether everything runs where it is to run
 * @gpu: the device
 *
 * Return: false while an SM changes hands, thread blocks are saved or read back, or wait
 * for that.
 */
bool gpu_is_settled(const struct gpu *gpu);

/* Whether any quota is in force. */
bool gpu_has_quotas(const struct gpu *gpu);

#endif /* SIM_LEAP_H */
