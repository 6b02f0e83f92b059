/* SPDX-License-Identifier: GPL-2.0 */
/* How long kernels take. */
#ifndef POLICY_DURATIONS_H
#define POLICY_DURATIONS_H

#include <simgpu/snapshot.h>

/* Kernels of a tenant of which it is remembered how long they took. */
#define DURATIONS_KERNELS	16
#define DURATION_UNKNOWN	U64_MAX

/**
 * struct durations - how long kernels took
 * @began: by slot and queue, 1 + device cycle at which its kernel was let go; 0: it was
 *	not
 * @kernel: likewise, which one, in its trace
 * @cycles: by slot and kernel_place(), what a kernel took last; 0: not known
 */
struct durations {
	u64 began[SIMGPU_SLOTS_MAX][SIMGPU_QUEUES_MAX];
	u32 kernel[SIMGPU_SLOTS_MAX][SIMGPU_QUEUES_MAX];
	u64 cycles[SIMGPU_SLOTS_MAX][DURATIONS_KERNELS];
};

void durations_note(const struct simgpu_snapshot *snapshot,
		    struct durations *durations, u32 slot);
void durations_begin(const struct simgpu_snapshot *snapshot,
		     struct durations *durations, u32 slot, u32 queue);
bool durations_goes_on(const struct simgpu_snapshot *snapshot,
		       const struct durations *durations, u32 slot, u32 queue);
u64 kernel_cycles(const struct simgpu_snapshot *snapshot,
		  const struct durations *durations, u32 slot, u32 queue);

#endif /* POLICY_DURATIONS_H */
