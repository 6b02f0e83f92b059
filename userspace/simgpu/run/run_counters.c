// SPDX-License-Identifier: GPL-2.0
/* A tenant's counters by name, as JSON; simgpu/counter_list.h says what they count. */
#include "../json.h"
#include "../output.h"
#include "run.h"
#include "run_counters.h"

static const char *const names[SIMGPU_COUNTER_COUNT] = {
#define COUNTER(number, name, seen, whole, text) [number] = #name,
#include <simgpu/counter_list.h>
};

struct json_object *counters_json(const struct result_tenant *tenant)
{
	struct json_object *counters = json_object_new_object();
	size_t i;

	for (i = 0; i < ARRAY_SIZE(names); i++)
		json_set(counters, names[i], json_u64(tenant->counters[i]));
	return counters;
}
