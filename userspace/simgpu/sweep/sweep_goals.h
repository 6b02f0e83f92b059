/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What goals in instructions a cycle make of a sweep, as fine-grained QoS reports it
 * (Wang et al., ISCA'17, 4.1): how many cases reach theirs, by how much, and what is
 * left for the others.
 */
#ifndef SIMGPU_SWEEP_GOALS_H
#define SIMGPU_SWEEP_GOALS_H

#include "sweep_figures.h"

/*
 * Add the figures of a policy's cases to its object: all of them, and by goal, class
 * and program. Only where sweep_has_goals().
 */
void sweep_goals_json(const struct sweep *sweep, u32 policy,
		      struct json_object *object);

#endif /* SIMGPU_SWEEP_GOALS_H */
