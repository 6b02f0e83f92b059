/* SPDX-License-Identifier: GPL-2.0 */
/* Clock and power in results, where a clock or a cap was set or the clock has changed. */
#ifndef SIMGPU_RUN_POWER_H
#define SIMGPU_RUN_POWER_H

#include "run.h"

struct json_object;

void print_power(const struct settings *settings, const struct result *result);
struct json_object *power_json(const struct result *result);

#endif /* SIMGPU_RUN_POWER_H */
