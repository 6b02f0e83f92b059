/* SPDX-License-Identifier: GPL-2.0 */
/* A sweep as JSON, CSV and tables. */
#ifndef SIMGPU_SWEEP_REPORT_H
#define SIMGPU_SWEEP_REPORT_H

#include "sweep.h"

/* What its figures were made of, and of which part, in all reports. */
void sweep_made_json(struct json_object *object, const struct sweep *sweep);

/* The line of tables above figures of a sweep that was stopped. */
void sweep_print_partial(const struct sweep *sweep);

/* sweep.csv in the folder, and a summary on standard output; an exit status. */
int sweep_report(const struct sweep *sweep);

#endif /* SIMGPU_SWEEP_REPORT_H */
