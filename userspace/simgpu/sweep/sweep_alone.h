/* SPDX-License-Identifier: GPL-2.0 */
/* Each tenant of a sweep alone. */
#ifndef SIMGPU_SWEEP_ALONE_H
#define SIMGPU_SWEEP_ALONE_H

#include "sweep_kept.h"

/* Options of private runs, with the seed of that index; an exit status. */
int sweep_alone_options(const struct sweep *sweep, u32 seed,
			struct session_options *options);

/* Appends everything that decides a workload's private run in a slot. */
void sweep_describe_alone(const struct sweep *sweep,
			  const struct session_options *options, u32 workload,
			  u32 slot, struct kept *kept);

/* When all mixes have run, makes the private runs that they need. An exit status. */
int sweep_find_truth(struct sweep *sweep);

#endif /* SIMGPU_SWEEP_ALONE_H */
