/* SPDX-License-Identifier: GPL-2.0 */
/* Suites: the mixes of a sweep. */
#ifndef SIMGPU_SWEEP_SUITE_H
#define SIMGPU_SWEEP_SUITE_H

#include "sweep.h"

/**
 * suite_load() - a suite by name, or from a file with a mix a line
 * @name: of the table in sweep_suite.c, or a file
 * @traces: folder of traces that wide-pairs draws from, too; NULL: none
 * @seed: chooses which tenant has priority where the paper chooses at random
 * @config: the GPU that it is for, or NULL; it decides the size of built-in workloads
 * @out: filled in; suite_free() frees what it holds
 *
 * Return: an exit status; a message has been printed on failure.
 */
int suite_load(const char *name, const char *traces, u64 seed,
	       const struct gpu_config *config, struct suite *out);

void suite_free(struct suite *suite);

/* Keeps every @every-th mix, beginning with the first. */
void suite_thin(struct suite *suite, u32 every);

/* Prints the table of suites; an exit status. */
int suite_list(bool json);

#endif /* SIMGPU_SWEEP_SUITE_H */
