/* SPDX-License-Identifier: GPL-2.0 OR LGPL-2.1 */
/*
 * The parameters of a slowdown model or a policy, numbers that users set; and the gauges of a
 * policy, numbers that it shows to users.
 */
#ifndef SIMGPU_PARAMS_H
#define SIMGPU_PARAMS_H

#include <simgpu/fixed.h>

/* Bytes of a name, with the NUL at its end. */
#define SIMGPU_NAME_BYTES	32
/* Most parameters of a model or a policy. */
#define SIMGPU_PARAMS_MAX	16

/* Where a model or a policy comes from. */
#define SIMGPU_SOURCE_BUILT_IN	0
#define SIMGPU_SOURCE_PLUGIN	1
#define SIMGPU_SOURCE_BPF	2
#define SIMGPU_SOURCE_BPF_MAPS	3	/* BPF, with maps of its own */
#define SIMGPU_SOURCES		4

/* The unit of a parameter's value. */
#define SIMGPU_UNIT_NUMBER	0	/* a plain number */
#define SIMGPU_UNIT_RATIO	1	/* in parts per million, shown as a decimal */
#define SIMGPU_UNIT_CYCLES	2	/* core cycles */

/**
 * struct simgpu_param - a parameter
 * @name: lower case, digits and underscores, without a unit; NULL ends a table
 * @unit: SIMGPU_UNIT_*
 * @least: smallest value, in its unit
 * @most: greatest value
 * @initial: its value until a user sets another
 * @help: one line, for people
 *
 * A model or a policy finds the values in the snapshot, at the index that the
 * parameter has in its table.
 */
struct simgpu_param {
	const char *name;
	u32 unit;
	u64 least;
	u64 most;
	u64 initial;
	const char *help;
};

/* Most gauges of a policy. */
#define SIMGPU_GAUGES_MAX	16

/**
 * struct simgpu_gauge - a figure that a policy tells of itself, for each tenant
 * @name: lower case, digits and underscores, without a unit; NULL ends a table
 * @unit: SIMGPU_UNIT_*; values are signed
 * @help: one line, for people
 *
 * The policy writes the values into its proposal, at the index that the gauge has in its
 * table. They are shown, and decide nothing.
 */
struct simgpu_gauge {
	const char *name;
	u32 unit;
	const char *help;
};

#endif /* SIMGPU_PARAMS_H */
