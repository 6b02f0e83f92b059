/* SPDX-License-Identifier: GPL-2.0 */
/* What `simgpu trace info` says of the allocations of a checked trace. */
#ifndef SIMGPU_TRACE_ALLOCATIONS_H
#define SIMGPU_TRACE_ALLOCATIONS_H

#include <json-c/json.h>

struct view;

struct json_object *allocations_json(const struct view *view);
void allocations_print(const struct view *view);

#endif /* SIMGPU_TRACE_ALLOCATIONS_H */
