/* SPDX-License-Identifier: GPL-2.0 */
/* What a run says of managed memory. */
#ifndef SIMGPU_RUN_MEMORY_H
#define SIMGPU_RUN_MEMORY_H

#include "run.h"

void print_memory(const struct settings *settings, const struct result *result);
struct json_object *memory_json(const struct settings *settings,
				const struct result *result);

#endif /* SIMGPU_RUN_MEMORY_H */
