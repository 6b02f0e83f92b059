/* SPDX-License-Identifier: GPL-2.0 */
/* Phases of the optimal split. */
#ifndef OFFLINE_PHASE_H
#define OFFLINE_PHASE_H

#include "optimal.h"

/**
 * offline_phase() - how long programs take together
 * @config: configuration of the GPU
 * @seed: seed of all random numbers
 * @programs: in the order of their slots
 * @count: number of programs, up to SIMGPU_SLOTS_MAX
 * @division: how they share the SMs; except for OFFLINE_BUCKETS the sum of their SMs is
 *	at most the GPU's
 * @limit: core cycles after which the run is stopped
 * @cycles: set to core cycles until all have ended, or to PLAN_NEVER past @limit
 *
 * The run begins with empty caches. Under OFFLINE_BUCKETS the capacities of the leaky
 * buckets are those that the policy stm sets. When a program goes on to another
 * kernel, they become those of the kernels that run then.
 *
 * Return: 0; -ENODATA if a kernel has no profile for the GPU; -E2BIG if a thread block
 * does not fit on an SM; -ENOMEM.
 */
int offline_phase(const struct gpu_config *config, u64 seed,
		  const struct offline_program *programs, u32 count,
		  enum offline_division division, u64 limit, u64 *cycles);

#endif /* OFFLINE_PHASE_H */
