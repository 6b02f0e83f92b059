/* SPDX-License-Identifier: GPL-2.0 */
/* A run on a device. */
#ifndef SIMGPU_RUN_DEVICE_H
#define SIMGPU_RUN_DEVICE_H

#include "run.h"

/*
 * These return an exit status; a message has been printed on failure. A failed run may
 * still be complete: a tenant died, or a journal's state hash differs.
 */
int run_device(const struct settings *settings, const struct workload *workloads,
	       u32 count, struct result *result);

#endif /* SIMGPU_RUN_DEVICE_H */
