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
 * struct gpu_trips - the loop in which the warps of a queue's kernel do their work
 * @left: trips by which its thread blocks on SMs can move on, all together: blocks that end
 *	are followed by others, and once these run out none is to end. 0 without such a loop
 * @trip_instructions: thread instructions of a trip of a thread block
 */
struct gpu_trips {
	u64 left;
	u64 trip_instructions;
};

/**
 * gpu_queue_trips() - by how much a queue's thread blocks on SMs can move on
 * @gpu: the device, which does not change
 * @slot: the tenant
 * @queue: one of its queues
 * @out: filled in; zeros if the queue has no kernel with such a loop
 */
void gpu_queue_trips(struct gpu *gpu, u32 slot, u32 queue, struct gpu_trips *out);

/**
 * gpu_queue_advance() - leave out trips of a queue's thread blocks on SMs
 * @gpu: the device
 * @slot: the tenant
 * @queue: one of its queues
 * @trips: at most as many as gpu_queue_trips() says, of which each block gets a part by how
 *	fast it has been
 *
 * A block that would end becomes the next one of its grid. Its own counts as finished, in the
 * counters, too. A block that would stand outside of the loop stops before its end, and
 * one that is there stays.
 *
 * Return: thread instructions that are left out, at most those of @trips.
 */
u64 gpu_queue_advance(struct gpu *gpu, u32 slot, u32 queue, u64 trips);

/* Take the thread blocks that finished out of a tally: of a slot, and of SMs that it owns. */
void gpu_tally_without_blocks(const struct gpu *gpu, u32 slot, u64 *tally);

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
