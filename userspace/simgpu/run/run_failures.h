/* SPDX-License-Identifier: GPL-2.0 */
/* Failures in results. */
#ifndef SIMGPU_RUN_FAILURES_H
#define SIMGPU_RUN_FAILURES_H

#include "run.h"

struct json_object;

/* Whether something failed, or was ended for what others did. */
bool result_has_failures(const struct result *result);
void print_failures(const struct result *result);
/* The device's part; what is a tenant's stands with the tenant. */
struct json_object *failures_json(const struct result *result);

#endif /* SIMGPU_RUN_FAILURES_H */
