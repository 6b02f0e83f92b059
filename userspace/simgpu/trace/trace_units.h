/* SPDX-License-Identifier: GPL-2.0 */
/* The units that the instructions of a trace's bursts need, and their dependences. */
#ifndef SIMGPU_TRACE_UNITS_H
#define SIMGPU_TRACE_UNITS_H

#include "trace_view.h"

/* Name of a unit, such as "fp32". */
const char *unit_name(u32 unit);

/**
 * struct unit_counts - counts of a unit
 * @warp: warp instructions
 * @thread: thread instructions
 * @passes: passes of the unit that the warp instructions take
 * @waiting: warp instructions that need the result of an earlier one
 * @distance: how many instructions before them that one is, summed over @waiting
 */
struct unit_counts {
	u64 warp;
	u64 thread;
	u64 passes;
	u64 waiting;
	u64 distance;
};

/* Adds an op that is executed @times times; an op without a mix adds nothing. */
void count_units(const struct view *view, const struct simgpu_trace_op *op,
		 u64 times, struct unit_counts *units);
void add_units(struct unit_counts *to, const struct unit_counts *from,
	       u64 times);

/* Prints a newline and a table; nothing if no op has a mix. */
void print_units(const struct unit_counts *units);
/* The counts as an object by the names of units. */
struct json_object *units_json(const struct unit_counts *units);

#endif /* SIMGPU_TRACE_UNITS_H */
