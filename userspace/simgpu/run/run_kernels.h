/* SPDX-License-Identifier: GPL-2.0 */
/* Kernels of a run. */
#ifndef SIMGPU_RUN_KERNELS_H
#define SIMGPU_RUN_KERNELS_H

#include "run.h"

/* The run's kernels (run_kernels.c): as JSON, and as a table in which runs of equal
 * ones are a row.
 */
struct json_object *kernels_json(const struct result *result);
void print_kernels(const struct result *result);

#endif /* SIMGPU_RUN_KERNELS_H */
