/* SPDX-License-Identifier: GPL-2.0 */
/* The plot of a trace. */
#ifndef SIMGPU_TRACE_PLOT_H
#define SIMGPU_TRACE_PLOT_H

#include "trace_view.h"

/**
 * plot_trace() - draw the addresses that a trace's kernels touch, and in which order
 * @path: path of the picture, which is SVG or PNG by its ending
 *
 * Return: an exit status; a message has been printed on failure.
 */
int plot_trace(const struct view *view, const char *path);

#endif /* SIMGPU_TRACE_PLOT_H */
