/* SPDX-License-Identifier: GPL-2.0 */
/* What a sweep says of services. */
#ifndef SIMGPU_SWEEP_SERVE_REPORT_H
#define SIMGPU_SWEEP_SERVE_REPORT_H

#include "sweep_serve.h"

/* Writes serve.csv into the folder, and a summary to standard output; an exit status. */
int sweep_serve_report(const struct sweep *sweep);

#endif /* SIMGPU_SWEEP_SERVE_REPORT_H */
