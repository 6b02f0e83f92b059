/* SPDX-License-Identifier: GPL-2.0 */
/* simgpu plot of a sweep: what each policy comes to. */
#ifndef SIMGPU_PLOT_SWEEP_H
#define SIMGPU_PLOT_SWEEP_H

#include <json-c/json.h>

/**
 * plot_sweep() - draw the means of a sweep's policies, with their intervals
 * @sweep: what simgpu sweep --json has printed
 * @title: what stands above it; NULL: suite, GPU and length
 * @path: name of the picture
 *
 * Return: an exit status; a message has been printed on failure.
 */
int plot_sweep(struct json_object *sweep, const char *title, const char *path);

#endif /* SIMGPU_PLOT_SWEEP_H */
