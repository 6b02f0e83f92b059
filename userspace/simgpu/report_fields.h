/* SPDX-License-Identifier: GPL-2.0 */
/*
 * A tenant's report from what sysfs and JSON say: both have the same figures under the
 * same names, and in the same units.
 */
#ifndef SIMGPU_REPORT_FIELDS_H
#define SIMGPU_REPORT_FIELDS_H

#include "command.h"

/* The name of a figure; NULL behind the last one. */
const char *report_field_name(u32 index);

/**
 * report_field_set() - put a figure where it belongs
 * @report: gets it, and the flag that says that it is known
 * @index: of the figure, as report_field_name() has it
 * @value: in the unit of sysfs and JSON
 */
void report_field_set(struct simgpu_tenant_report *report, u32 index,
		      double value);

#endif /* SIMGPU_REPORT_FIELDS_H */
