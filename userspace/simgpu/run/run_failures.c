// SPDX-License-Identifier: GPL-2.0
/* Failures in results: a table of tenants, and the device's part as JSON. */
#include "../json.h"
#include "../output.h"
#include "../table.h"
#include "run_failures.h"

bool result_has_failures(const struct result *result)
{
	size_t i;

	for (i = 0; i < result->tenant_count; i++)
		if (report_has_failed(&result->tenants[i].report))
			return true;
	return result->failures.found;
}

/* What the session counts; a device does not tell it. */
static void print_times(const struct session_failure_times *times)
{
	if (!times->found)
		return;
	print_paragraph("Failures: %llu, found %llu core cycles after they happened (mean; at most %llu); what they held up could go on %llu later (mean; at most %llu).",
			times->found, times->detection_mean_cycles,
			times->detection_max_cycles, times->recovery_mean_cycles,
			times->recovery_max_cycles);
	if (times->sm_resets || times->device_resets || times->lost)
		print_paragraph("SMs were reset %llu times, the device %llu times; it was lost %llu times.",
				times->sm_resets, times->device_resets, times->lost);
}

void print_failures(const struct result *result)
{
	struct table *table = table_new(
		"TENANT|>TIMEOUTS|>FAULTS|>KILLS|>RESETS|>REPEATED|>CANCELED|>STRIKES|BANNED");
	size_t i;

	for (i = 0; i < result->tenant_count; i++) {
		const struct result_tenant *tenant = &result->tenants[i];
		const struct simgpu_tenant_report *report = &tenant->report;

		if (!report_has_failed(report))
			continue;
		table_row(table, "%u:%s|%llu|%llu|%llu|%llu|%llu|%llu|%llu|%s", tenant->slot,
			  tenant->options.name, report->timeouts, report->faults,
			  report->kills, report->resets, report->launches_repeated,
			  report->launches_canceled, report->strikes,
			  report->flags & SIMGPU_REPORT_BANNED ? "yes" : "no");
	}
	putchar('\n');
	table_print(table);
	print_times(&result->failures);
}

struct json_object *failures_json(const struct result *result)
{
	const struct session_failure_times *times = &result->failures;
	struct json_object *object = json_object_new_object();

	json_set(object, "found", json_u64(times->found));
	json_set(object, "lost", json_u64(times->lost));
	json_set(object, "sm_resets", json_u64(times->sm_resets));
	json_set(object, "device_resets", json_u64(times->device_resets));
	json_set(object, "detection_mean_cycles", json_u64(times->detection_mean_cycles));
	json_set(object, "detection_max_cycles", json_u64(times->detection_max_cycles));
	json_set(object, "recovery_mean_cycles", json_u64(times->recovery_mean_cycles));
	json_set(object, "recovery_max_cycles", json_u64(times->recovery_max_cycles));
	return object;
}
