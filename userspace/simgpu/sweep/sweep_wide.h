/* SPDX-License-Identifier: GPL-2.0 */
/* The suite wide-pairs: pairs drawn at random from all programs and a folder of traces. */
#ifndef SIMGPU_SWEEP_WIDE_H
#define SIMGPU_SWEEP_WIDE_H

#include "sweep.h"

#define WIDE_SUITE	"wide-pairs"

/*
 * Adds its pairs; @traces: a folder, or NULL. An exit status; a message has been printed
 * on failure.
 */
int suite_add_wide_pairs(struct suite *suite, const char *traces);

/* Warns if the sweep's suite is this one with too few programs. */
void suite_warn_of_few(const struct sweep *sweep);

#endif /* SIMGPU_SWEEP_WIDE_H */
