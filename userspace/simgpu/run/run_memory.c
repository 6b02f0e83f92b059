// SPDX-License-Identifier: GPL-2.0
/* Managed memory in results: a table of what pages came and went, and the device's part as JSON. */
#include "../json.h"
#include "../memory_options.h"
#include "../output.h"
#include "../table.h"
#include "run_memory.h"

#define CHUNK_MIB	(GPU_CHUNK_BYTES >> 20)

static double mib(u64 bytes)
{
	return (double)bytes / (1 << 20);
}

void print_memory(const struct settings *settings, const struct result *result)
{
	const struct session_memory *memory = &result->memory;
	struct table *table = table_new(
		"TENANT|>FAULTS|>BATCHES|>PAGES IN|>AGAIN|>PREFETCHED|>EVICTED|>MIB IN|>MIB OUT|>RESIDENT|>REMOTE LINES");
	size_t i;

	for (i = 0; i < result->tenant_count; i++) {
		const struct result_tenant *tenant = &result->tenants[i];
		const u64 *counters = tenant->counters;

		table_row(table, "%u:%s|%llu|%llu|%llu|%llu|%llu|%llu|%.1f|%.1f|%llu|%llu",
			  tenant->slot, tenant->options.name,
			  counters[SIMGPU_COUNTER_FAULTS],
			  counters[SIMGPU_COUNTER_FAULT_BATCHES],
			  counters[SIMGPU_COUNTER_PAGES_IN],
			  counters[SIMGPU_COUNTER_PAGES_AGAIN],
			  counters[SIMGPU_COUNTER_PAGES_PREFETCHED],
			  counters[SIMGPU_COUNTER_PAGES_EVICTED],
			  mib(counters[SIMGPU_COUNTER_COPIED_IN_BYTES]),
			  mib(counters[SIMGPU_COUNTER_COPIED_OUT_BYTES]),
			  memory->resident_pages[tenant->slot],
			  memory->remote_lines[tenant->slot]);
	}
	putchar('\n');
	table_print(table);
	print_paragraph("Managed memory: %u MiB under %s, %u of %u chunks of 2 MiB in use; pages of %u KiB.",
			memory->chunks * CHUNK_MIB, memory->policy,
			memory->chunks_used, memory->chunks,
			settings_config(settings)->page_kb);
	if (*memory->fell_back)
		print_paragraph("The memory policy was replaced by uvm: %s.",
				memory->fell_back);
}

struct json_object *memory_json(const struct settings *settings,
				const struct result *result)
{
	const struct session_memory *memory = &result->memory;
	struct json_object *object = json_object_new_object();

	memory_settings_json(object, settings, memory->chunks * CHUNK_MIB,
			     memory->policy);
	json_set(object, "replaced", *memory->fell_back ?
		 json_object_new_string(memory->fell_back) : NULL);
	json_set(object, "chunks", json_u64(memory->chunks));
	json_set(object, "chunks_used", json_u64(memory->chunks_used));
	return object;
}
