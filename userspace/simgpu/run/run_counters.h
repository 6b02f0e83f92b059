/* SPDX-License-Identifier: GPL-2.0 */
/* Counters of a run. */
#ifndef SIMGPU_RUN_COUNTERS_H
#define SIMGPU_RUN_COUNTERS_H

#include "run.h"

/* A tenant's counters since it joined, by name. */
struct json_object *counters_json(const struct result_tenant *tenant);

#endif /* SIMGPU_RUN_COUNTERS_H */
