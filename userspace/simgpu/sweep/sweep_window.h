/* SPDX-License-Identifier: GPL-2.0 */
/* The span of a run that is judged. */
#ifndef SIMGPU_SWEEP_WINDOW_H
#define SIMGPU_SWEEP_WINDOW_H

#include "sweep.h"

/* Whether tenants have goals in instructions a cycle. */
bool sweep_has_goals(const struct sweep *sweep);

/* What a tenant of a run does alone in a span as long; NULL if nobody asks. */
const struct session_figures *sweep_window(const struct sweep_run *run, u32 slot);

/* Before any mix runs, measures the windows alone that goals refer to. An exit status. */
int sweep_find_windows(struct sweep *sweep);

#endif /* SIMGPU_SWEEP_WINDOW_H */
