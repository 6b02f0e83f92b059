/* SPDX-License-Identifier: GPL-2.0 */
/* The report of simgpu trace import. */
#ifndef SIMGPU_TRACE_IMPORT_REPORT_H
#define SIMGPU_TRACE_IMPORT_REPORT_H

#include "trace_import.h"

/* How a report is written */
enum import_form {
	IMPORT_TABLE,
	IMPORT_JSON,
	IMPORT_CSV,
};

/* Prints the report; an exit status. */
int import_report(const struct imported *imported, enum import_form form);

#endif /* SIMGPU_TRACE_IMPORT_REPORT_H */
