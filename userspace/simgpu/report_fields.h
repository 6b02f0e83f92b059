/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Figures of a tenant's report as sysfs and JSON have them: under the same names, and in
 * the same units.
 */
#ifndef SIMGPU_REPORT_FIELDS_H
#define SIMGPU_REPORT_FIELDS_H

#include <json-c/json.h>

#include "command.h"

/* The figure of that name; NULL: there is none. */
const struct figure *report_field_find(const char *name);
/* Whether a figure is a list of SMs, channels or ways; else it is a number. */
bool report_field_is_list(const struct figure *figure);

/**
 * report_field_set() - put a figure that is no list where it belongs
 * @report: gets it, and the flag that says that it is known
 * @figure: which
 * @value: in the unit of sysfs and JSON
 */
void report_field_set(struct simgpu_tenant_report *report,
		      const struct figure *figure, double value);

/* Adds all figures of a report by their names; null: not known. */
void report_fields_json(struct json_object *object,
			const struct simgpu_tenant_report *report);

/* Adds what a GPU has taken. */
void report_energies_json(struct json_object *object,
			  const struct device_report *report);

#endif /* SIMGPU_REPORT_FIELDS_H */
