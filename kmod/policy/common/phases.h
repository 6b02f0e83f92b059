/* SPDX-License-Identifier: GPL-2.0 */
/* Phases of spatial-temporal multitasking (STM 3), as policies carry them out. */
#ifndef POLICY_PHASES_H
#define POLICY_PHASES_H

#include "plan.h"

/**
 * struct phases - the state of a policy that runs kernels in phases
 * @running: slots of the present phase whose kernels have not ended
 * @preempted: slots whose kernels have started, and wait for their phase since a new
 *	plan was made
 * @count: kernels of the plan
 * @profiled: how many of them, the first ones, have a profile
 * @phase: index of the present phase
 * @whole: 1 if each kernel of the plan stands for all that its launch has left; the
 *	phase then lasts until the launch has ended
 * @slot: slot of each kernel of the plan
 * @sequence: launch of each kernel of the plan
 * @kernel: index of each kernel in its trace
 * @bucket: by slot, capacity of its leaky bucket
 * @sms: by slot, SMs that the plan gives it
 * @plan: made from the kernels that were ready when the last plan was over
 */
struct phases {
	u64 running;
	u64 preempted;
	u32 count;
	u32 profiled;
	u32 phase;
	u32 whole;
	u32 slot[PLAN_KERNELS_MAX];
	u64 sequence[PLAN_KERNELS_MAX];
	u32 kernel[PLAN_KERNELS_MAX];
	u32 bucket[PLAN_KERNELS_MAX];
	u32 sms[PLAN_KERNELS_MAX];
	struct plan plan;
};

/* Events that a policy with phases lists. */
#define PHASES_EVENTS	(SIMGPU_ON_ARRIVAL | SIMGPU_ON_DEPARTURE | \
			 SIMGPU_ON_KERNEL_READY | SIMGPU_ON_KERNEL_END)

bool phases_go_on(const struct simgpu_snapshot *snapshot, struct phases *phases);
void phases_collect(const struct simgpu_snapshot *snapshot,
		    struct phases *phases);
void phases_begin(const struct simgpu_snapshot *snapshot, struct phases *phases);
void phases_share(const struct simgpu_snapshot *snapshot,
		  const struct phases *phases, struct simgpu_proposal *proposal);

#endif /* POLICY_PHASES_H */
