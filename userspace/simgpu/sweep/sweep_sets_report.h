/* SPDX-License-Identifier: GPL-2.0 */
/* What a sweep says of sets of mixes. */
#ifndef SIMGPU_SWEEP_SETS_REPORT_H
#define SIMGPU_SWEEP_SETS_REPORT_H

#include "sweep_sets.h"

/* Writes sets.csv into the folder, and a summary to standard output; an exit status. */
int sweep_sets_report(const struct sweep *sweep);

#endif /* SIMGPU_SWEEP_SETS_REPORT_H */
