/* SPDX-License-Identifier: GPL-2.0 */
/* Epochs of a run as a table. */
#ifndef SIMGPU_RUN_EPOCHS_H
#define SIMGPU_RUN_EPOCHS_H

#include "run.h"

/* Prints epochs (run_epochs.c); consecutive ones that are alike share a row. */
void print_epochs(const struct result *result);

#endif /* SIMGPU_RUN_EPOCHS_H */
