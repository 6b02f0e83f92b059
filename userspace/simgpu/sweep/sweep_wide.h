/* SPDX-License-Identifier: GPL-2.0 */
/* The suite wide-pairs: pairs drawn by lot from all programs and a folder of traces. */
#ifndef SIMGPU_SWEEP_WIDE_H
#define SIMGPU_SWEEP_WIDE_H

#include "sweep.h"

#define WIDE_SUITE	"wide-pairs"

/*
 * Add its pairs; @traces: a folder, or NULL. An exit status; what was wrong has been
 * said.
 */
int suite_add_wide_pairs(struct suite *suite, const char *traces);

/* On standard error, if the sweep's suite is this one, of fewer programs than it takes. */
void suite_warn_of_few(const struct sweep *sweep);

#endif /* SIMGPU_SWEEP_WIDE_H */
