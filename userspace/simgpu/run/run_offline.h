/* SPDX-License-Identifier: GPL-2.0 */
/* A run in this process. */
#ifndef SIMGPU_RUN_OFFLINE_H
#define SIMGPU_RUN_OFFLINE_H

#include "run.h"

int run_offline(const struct settings *settings,
		const struct workload *workloads, u32 count,
		struct result *result);

/* @settings is set to the journal's, whose traces are among @workloads'. */
int run_journal(const char *path, struct settings *settings,
		const struct workload *workloads, u32 count,
		struct result *result);

/* The GPU that a journal names. */
int run_journal_config(const char *path, struct gpu_config *out);

/* Makes private runs of all tenants, and computes the figures that need them. */
int run_truth(const struct settings *settings, const struct workload *workloads,
	      struct result *result);

#endif /* SIMGPU_RUN_OFFLINE_H */
