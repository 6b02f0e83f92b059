/* SPDX-License-Identifier: GPL-2.0 */
/* Kernels in slices of thread blocks, each of which takes no longer than a bound. */
#ifndef POLICY_SLICING_H
#define POLICY_SLICING_H

#include <simgpu/proposal.h>

/* How many kernels of a tenant have a remembered slice size. */
#define SLICING_KERNELS	16

/**
 * struct slicing_kernel - the slice size of a kernel
 * @kernel: its index in its trace
 * @blocks: its thread blocks
 * @threads: threads of a thread block
 * @queue: queue in which it runs
 * @slice: thread blocks of its next slice; 0: it has not run so far
 */
struct slicing_kernel {
	u32 kernel;
	u32 blocks;
	u16 threads;
	u16 queue;
	u32 slice;
};

/**
 * struct slicing_run - the slice of a queue that runs now
 * @began: device cycle at which it began; 0 with @blocks 0
 * @blocks: thread blocks of the slice; 0: no slice runs
 * @kernel: index of its kernel in its trace
 */
struct slicing_run {
	u64 began;
	u32 blocks;
	u32 kernel;
};

/**
 * struct slicing - slice sizes that were found, and the slices that run
 * @known: by slot and kernel_place()
 * @run: by slot and queue
 */
struct slicing {
	struct slicing_kernel known[SIMGPU_SLOTS_MAX][SLICING_KERNELS];
	struct slicing_run run[SIMGPU_SLOTS_MAX][SIMGPU_QUEUES_MAX];
};

void slicing_note(const struct simgpu_snapshot *snapshot, struct slicing *slicing,
		  u32 slot, u64 bound);
bool slicing_runs(const struct slicing *slicing, u32 slot);
void slicing_give(const struct simgpu_snapshot *snapshot, struct slicing *slicing,
		  u32 slot, struct simgpu_proposal *proposal);
void slicing_end(const struct simgpu_snapshot *snapshot, u32 slot,
		 struct simgpu_proposal *proposal);

#endif /* POLICY_SLICING_H */
