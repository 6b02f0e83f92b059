/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Goals in instructions a cycle in a sweep, as fine-grained QoS reports them
 * (Wang et al., ISCA'17, 4.1): how many cases reach theirs, by how much, and what is
 * left for the other tenants.
 */
#ifndef SIMGPU_SWEEP_GOALS_H
#define SIMGPU_SWEEP_GOALS_H

#include "sweep_figures.h"

/*
 * Adds the figures of a policy's cases to its object: over all of them, and by goal, class
 * and program. Only if sweep_has_goals().
 */
void sweep_goals_json(const struct sweep *sweep, u32 policy,
		      struct json_object *object);

#endif /* SIMGPU_SWEEP_GOALS_H */
