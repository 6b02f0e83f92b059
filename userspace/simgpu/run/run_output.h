/* SPDX-License-Identifier: GPL-2.0 */
/* A run as JSON, CSV and tables. */
#ifndef SIMGPU_RUN_OUTPUT_H
#define SIMGPU_RUN_OUTPUT_H

#include "run.h"

int print_result_json(const struct settings *settings,
		      const struct result *result);

int print_result_csv(const struct result *result);

/* @kernels: print the table of kernels, too */
int print_result(const struct settings *settings, const struct result *result,
		 bool kernels);

#endif /* SIMGPU_RUN_OUTPUT_H */
