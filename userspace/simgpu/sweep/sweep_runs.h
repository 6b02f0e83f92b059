/* SPDX-License-Identifier: GPL-2.0 */
/* The runs of a sweep. */
#ifndef SIMGPU_SWEEP_RUNS_H
#define SIMGPU_SWEEP_RUNS_H

#include "sweep.h"

/*
 * Run what is not in the folder yet, or of that this command's part: mixes first,
 * private runs once all mixes are there. An exit status.
 */
int sweep_run_all(struct sweep *sweep);

/*
 * Whether a run and all that its figures are held against are made; only in a sweep
 * that was stopped they are not.
 */
bool sweep_is_whole(const struct sweep_run *run);

/* Whether the policy or the model was refused: its figures are not theirs. */
bool sweep_is_refused(const struct sweep_run *run);

/* Whether a run is whole, and its figures are those of its policy and model. */
bool sweep_counts(const struct sweep_run *run);

/* What was refused, as in JSON of runs; empty: nothing. */
const char *sweep_refused_text(const struct sweep_run *run);

/* In how many runs of a policy that have been made it, or its model, was refused. */
u32 sweep_refused(const struct sweep *sweep, u32 policy);

#endif /* SIMGPU_SWEEP_RUNS_H */
