/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Sets of programs of spatial-temporal multitasking (STM 6): each program's trace runs
 * once, all begin at the same time, and the figure is the end of the last one. Their
 * profiles are measured first, the optimum is searched for, and the report has the gain
 * of each policy.
 */
#ifndef SIMGPU_SWEEP_SETS_H
#define SIMGPU_SWEEP_SETS_H

#include "sweep_kept.h"

/* A policy that only such sweeps have: the best schedule, found by measuring. */
#define SETS_OPTIMAL	"stm-optimal"

/* Whether a run is one of that policy. */
bool sweep_sets_is_optimal(const struct sweep_run *run);
/* Put a run's policy and model into the settings. */
void sweep_choose(const struct sweep *sweep, u32 policy, struct settings *settings);

/* Checks which options go with such a suite; an exit status. */
int sweep_sets_check(struct sweep *sweep);

/* Keeps as many sets of each size as --sets says; an exit status. */
int sweep_sets_thin(struct sweep *sweep);

/* Gives all programs profiles for the GPU; an exit status. */
int sweep_sets_profile(struct sweep *sweep);

/*
 * Sets @run->estimated to the time that the plan of a run's set is expected to take, if
 * its policy plans by profiles.
 */
void sweep_sets_estimate(struct sweep_run *run,
			 const struct session_options *options);

/**
 * sweep_sets_optimal() - find the best schedule of a run's set
 * @run: @cycle and @estimated are filled in
 * @options: options of the session
 *
 * The result of each part of the set is kept in the sweep's folder, since many sets have
 * the same part.
 *
 * Return: 0 or a negative errno.
 */
int sweep_sets_optimal(struct sweep_run *run,
		       const struct session_options *options);

#endif /* SIMGPU_SWEEP_SETS_H */
