/* SPDX-License-Identifier: GPL-2.0 */
/* simgpu stat around a command. */
#ifndef SIMGPU_STAT_RUN_H
#define SIMGPU_STAT_RUN_H

#include "stat.h"

/* Runs a command and prints the figures of its tenants; returns its exit status. */
int stat_run(const struct stat_arguments *arguments);

#endif /* SIMGPU_STAT_RUN_H */
