/* SPDX-License-Identifier: GPL-2.0 */
/* Figures of a tenant's report, with the names and units that sysfs and JSON have */
#ifndef SIMGPU_REPORT_FIELDS_H
#define SIMGPU_REPORT_FIELDS_H

#include <json-c/json.h>

#include "command.h"

/* The figure of that name, or NULL */
const struct figure *report_field_find(const char *name);
/* Whether a figure is a list of SMs, channels or ways. Others are numbers. */
bool report_field_is_list(const struct figure *figure);

/**
 * report_field_set() - set a figure that is not a list
 * @report: gets the figure, and the flag that it is known
 * @figure: the figure
 * @value: in the unit of sysfs and JSON
 */
void report_field_set(struct simgpu_tenant_report *report,
		      const struct figure *figure, double value);

/* Adds all figures of a report by name; null: not known. */
void report_fields_json(struct json_object *object,
			const struct simgpu_tenant_report *report);

/* Whether a tenant's queues have come to copies, or to sets of memory. */
bool report_has_copies(const struct simgpu_tenant_report *report);

/*
 * Whether a tenant had work and issued nothing: its NP is 0. One whose work has not come
 * yet has no NP.
 */
bool report_is_starved(const struct simgpu_tenant_report *report);

/* Adds what a GPU has taken. */
void report_energies_json(struct json_object *object,
			  const struct device_report *report);

#endif /* SIMGPU_REPORT_FIELDS_H */
