// SPDX-License-Identifier: GPL-2.0
/* The allocations of a trace, for people; see trace_allocations.h. */
#include "../json.h"
#include "../table.h"
#include "trace_allocations.h"
#include "trace_view.h"

static const char *kind_name(u32 kind)
{
	return kind == SIMGPU_TRACE_MANAGED ? "managed" : "device";
}

struct json_object *allocations_json(const struct view *view)
{
	struct json_object *array = json_object_new_array();
	u64 i;

	for (i = 0; i < section_count(view, SIMGPU_TRACE_ALLOCATIONS); i++) {
		const struct simgpu_trace_allocation *allocation = &view->allocations[i];
		struct json_object *object = json_object_new_object();

		json_set_string(object, "name", allocation->name);
		json_set(object, "base", json_u64(allocation->base));
		json_set(object, "bytes", json_u64(allocation->bytes));
		json_set_string(object, "kind", kind_name(allocation->kind));
		json_object_array_add(array, object);
	}
	return array;
}

void allocations_print(const struct view *view)
{
	struct table *table = table_new("ALLOCATION|>BASE|>BYTES|>KIND");
	u64 i;

	for (i = 0; i < section_count(view, SIMGPU_TRACE_ALLOCATIONS); i++) {
		const struct simgpu_trace_allocation *allocation = &view->allocations[i];

		table_row(table, "%s|%llu|%llu|%s", allocation->name, allocation->base,
			  allocation->bytes, kind_name(allocation->kind));
	}
	putchar('\n');
	table_print(table);
}
