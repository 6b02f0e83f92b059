/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Sets of programs of spatial-temporal multitasking (STM 6): each program's trace runs
 * once, from the same moment on, and what counts is when the last one has ended. Their
 * profiles are measured first, the optimum is searched for, and the report says what
 * each policy gains.
 */
#ifndef SIMGPU_SWEEP_SETS_H
#define SIMGPU_SWEEP_SETS_H

#include "sweep_kept.h"

/* A policy that only such sweeps have: the best schedule, found by measuring. */
#define SETS_OPTIMAL	"stm-optimal"

/* Whether a run is of that policy. */
bool sweep_sets_is_optimal(const struct sweep_run *run);
/* Put a run's policy and model into the settings. */
void sweep_choose(const struct sweep *sweep, u32 policy, struct settings *settings);

/* What options say that goes with such a suite, or does not; an exit status. */
int sweep_sets_check(struct sweep *sweep);

/* Of so many programs so many sets, as --sets says; an exit status. */
int sweep_sets_thin(struct sweep *sweep);

/* Give all programs their profiles of the GPU; an exit status. */
int sweep_sets_profile(struct sweep *sweep);

/*
 * What the plan of a run's set is expected to take, if its policy plans by profiles,
 * into @run->estimated.
 */
void sweep_sets_estimate(struct sweep_run *run,
			 const struct session_options *options);

/**
 * sweep_sets_optimal() - find the best schedule of a run's set
 * @run: @cycle and @estimated are filled in
 * @options: of the session
 *
 * What is found of each part of the set is kept in the sweep's folder: many sets have
 * it.
 *
 * Return: 0 or a negative errno.
 */
int sweep_sets_optimal(struct sweep_run *run,
		       const struct session_options *options);

/* sets.csv in the folder, and a summary on standard output; an exit status. */
int sweep_sets_report(const struct sweep *sweep);

#endif /* SIMGPU_SWEEP_SETS_H */
