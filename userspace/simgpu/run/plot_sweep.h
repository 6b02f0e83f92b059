/* SPDX-License-Identifier: GPL-2.0 */
/* simgpu plot of a sweep: what each policy comes to. */
#ifndef SIMGPU_PLOT_SWEEP_H
#define SIMGPU_PLOT_SWEEP_H

#include <json-c/json.h>

struct plot_points;

/**
 * plot_sweep_check() - whether there is something to draw
 * @sweep: what simgpu sweep --json has printed
 * @points: whether its single runs are to be drawn, too, which sweeps of mixes alone have
 *
 * Return: an exit status; a message has been printed on failure.
 */
int plot_sweep_check(struct json_object *sweep, bool points);

/**
 * plot_sweep() - draw the means of a sweep's policies, with their intervals
 * @sweep: what simgpu sweep --json has printed, and plot_sweep_check() has accepted
 * @points: its single runs; empty: they are not drawn
 * @title: what stands above it; NULL: suite, GPU, length, and what is drawn
 * @path: name of the picture
 *
 * Return: an exit status; a message has been printed on failure.
 */
int plot_sweep(struct json_object *sweep, const struct plot_points *points,
	       const char *title, const char *path);

#endif /* SIMGPU_PLOT_SWEEP_H */
