/* SPDX-License-Identifier: GPL-2.0 */
/* The single runs of a sweep, which simgpu plot draws as points over the means. */
#ifndef SIMGPU_PLOT_POINTS_H
#define SIMGPU_PLOT_POINTS_H

#include <json-c/json.h>

/** enum plot_figure - what is drawn of a sweep, in the order of the panels */
enum plot_figure {
	PLOT_FAIRNESS,
	PLOT_STP,
	PLOT_ANTT,
	PLOT_ERROR,
	PLOT_FIGURES
};

/**
 * struct plot_point - a value of which a mean is made
 * @policy: index of the policy in the sweep
 * @figure: which figure: one of a run, but of PLOT_ERROR one of a tenant
 * @value: as the sweep has it, without a unit
 */
struct plot_point {
	size_t policy;
	enum plot_figure figure;
	double value;
};

/** struct plot_points - @count points, in the order of the file's rows */
struct plot_points {
	struct plot_point *points;
	size_t count;
};

/**
 * plot_points_read() - read the runs of a sweep
 * @path: the sweep.csv that the sweep wrote
 * @sweep: what simgpu sweep --json printed: the file has to have as many runs, of these
 *	policies
 * @out: filled in; free @out->points, also after a failure
 *
 * Refused runs have no points, and starved ones none of ANTT, as they are in no mean.
 *
 * Return: an exit status; a message has been printed on failure.
 */
int plot_points_read(const char *path, struct json_object *sweep, struct plot_points *out);

#endif /* SIMGPU_PLOT_POINTS_H */
