/* SPDX-License-Identifier: GPL-2.0 */
/* What `simgpu trace info` and `trace dump --commands` say of a checked trace's commands. */
#ifndef SIMGPU_TRACE_COMMANDS_H
#define SIMGPU_TRACE_COMMANDS_H

#include <json-c/json.h>

struct view;

/* A summary: an element, or a line, for each kind that a queue has. */
struct json_object *commands_json(const struct view *view);
void commands_print(const struct view *view);
/* Each command, a line, in the order of the section. */
void commands_dump(const struct view *view);

#endif /* SIMGPU_TRACE_COMMANDS_H */
