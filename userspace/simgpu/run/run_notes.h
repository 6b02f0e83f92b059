/* SPDX-License-Identifier: GPL-2.0 */
/* What a run's table does not say. */
#ifndef SIMGPU_RUN_NOTES_H
#define SIMGPU_RUN_NOTES_H

#include "run.h"

/* Prints a line for each thing that the table does not show (run_notes.c). */
void print_notes(const struct settings *settings, const struct result *result);

#endif /* SIMGPU_RUN_NOTES_H */
