/* SPDX-License-Identifier: GPL-2.0 */
/* How long kernels take, for policies that let one kernel after another start. */
#ifndef POLICY_DURATIONS_H
#define POLICY_DURATIONS_H

#include <simgpu/snapshot.h>

/* How many kernels of a tenant have a remembered duration. */
#define DURATIONS_KERNELS	16
#define DURATION_UNKNOWN	U64_MAX

/**
 * struct durations - how long kernels took
 * @began: by slot and queue, 1 + device cycle at which the policy let the kernel start;
 *	0: it has not
 * @kernel: by slot and queue, index of that kernel in its trace
 * @cycles: by slot and kernel_place(), how long a kernel took last; 0: unknown
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
