/* SPDX-License-Identifier: GPL-2.0 */
/* Which units the instructions of a trace's bursts need, and how they depend. */
#ifndef SIMGPU_TRACE_UNITS_H
#define SIMGPU_TRACE_UNITS_H

#include "trace_view.h"

/* "fp32", ... */
const char *unit_name(u32 unit);

/**
 * struct unit_counts - of a unit
 * @warp: warp instructions
 * @thread: thread instructions
 * @passes: of the unit that the warp instructions take
 * @waiting: warp instructions that need the result of an earlier one
 * @distance: how many instructions before them that is, summed over @waiting
 */
struct unit_counts {
	u64 warp;
	u64 thread;
	u64 passes;
	u64 waiting;
	u64 distance;
};

/* Add what an op does that is executed @times times; nothing without a mix. */
void count_units(const struct view *view, const struct simgpu_trace_op *op,
		 u64 times, struct unit_counts *units);
void add_units(struct unit_counts *to, const struct unit_counts *from,
	       u64 times);

/* A table, and a newline before it, or nothing if no op has a mix. */
void print_units(const struct unit_counts *units);
/* By name of the unit. */
struct json_object *units_json(const struct unit_counts *units);

#endif /* SIMGPU_TRACE_UNITS_H */
