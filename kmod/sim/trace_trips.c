// SPDX-License-Identifier: GPL-2.0
/* The loop in which the warps of a kernel do nearly all of their work, and what a trip has. */
#include "trace.h"

/* A program's ops are searched up to so many. */
#define SEARCHED_OPS	4096
/* The loop has so many trips at least, and so many eighths of the program's instructions. */
#define TRIPS_LEAST	16
#define EIGHTHS_LEAST	7

/* The index of the op that ends the loop which begins at an index */
static u32 loop_end(const struct trace_op *ops, u32 loop)
{
	u32 depth = 1, i;

	for (i = loop + 1; depth; i++) {
		depth += ops[i].kind == TRACE_LOOP;
		depth -= ops[i].kind == TRACE_LOOP_END;
	}
	return i - 1;
}

/* Whether an op's accesses change their shape with the loops whose trips are counted. */
static bool changes(const struct trace *trace, const struct trace_op *op,
		    const struct trace_trips *trips)
{
	u32 loop = trace_op_is_memory(op) ? trace->patterns[op->pattern].xor_loop : 0;

	return loop && loop <= trips->depth;
}

/* Add what an op does in so many passes over it. */
static void add_op(const struct trace *trace, const struct trace_op *op, u64 times,
		   struct trace_trips *trips)
{
	u64 count = fixed_mul(times, trace_op_instructions(op));

	trips->warp_instructions = fixed_add(trips->warp_instructions, count);
	trips->thread_instructions = fixed_add(trips->thread_instructions,
					       fixed_mul(count, op->active_lanes));
	if (trace_op_is_memory(op) &&
	    trace->patterns[op->pattern].kind == TRACE_RANDOM)
		trips->accesses += (u32)times;
	if (changes(trace, op, trips))
		trips->trips = 0;
}

/* Count what a trip has; if trips are not alike there are none. */
static void count_trip(const struct trace *trace, struct trace_trips *trips)
{
	const struct trace_op *op = &trace->ops[trips->first + trips->depth];
	const struct trace_op *end = op + trips->ops;
	u64 times[TRACE_LOOP_DEPTH_MAX + 1] = { 1 };
	u32 depth = 0;

	for (; op < end; op++) {
		if (op->kind == TRACE_LOOP) {
			times[depth + 1] = fixed_mul(times[depth], op->count);
			depth++;
		} else if (op->kind == TRACE_LOOP_END) {
			depth--;
		} else {
			add_op(trace, op, times[depth], trips);
		}
	}
}

/* The loops that begin at an op, one right within the other, as one loop */
static struct trace_trips nest_at(const struct trace *trace, u32 first, u32 end)
{
	struct trace_trips trips = { .first = first, .depth = 1, .nests = 1 };
	const struct trace_op *ops = trace->ops;

	while (ops[first + trips.depth].kind == TRACE_LOOP &&
	       loop_end(ops, first + trips.depth) == end - trips.depth)
		trips.depth++;
	trips.ops = end + 1 - first - 2 * trips.depth;
	trips.trips = trace_nest_trips(&trips, ops, 0);
	return trips;
}

/* Whether a nest is right behind others, and its trips are like theirs. */
static bool goes_on(const struct trace *trace, const struct trace_trips *trips,
		    const struct trace_trips *nest)
{
	const struct trace_op *a = &trace->ops[trips->first + trips->depth];
	const struct trace_op *b = &trace->ops[nest->first + nest->depth];
	u32 i;

	if (nest->first != trips->first + trips->nests * trace_nest_ops(trips) ||
	    nest->depth != trips->depth || nest->ops != trips->ops)
		return false;
	for (i = 0; i < nest->ops; i++)
		if (!trace_same_op(trace, &a[i], &b[i]))
			return false;
	return true;
}

static u64 work_of(const struct trace_trips *trips)
{
	return fixed_mul(trips->trips, trips->thread_instructions);
}

void trace_trips(const struct trace *trace, const struct trace_kernel *kernel,
		 struct trace_trips *out)
{
	u32 begin = kernel->programs[0], op, end;
	struct trace_trips run = { };

	*out = run;
	if (kernel->warps)
		return;
	for (op = begin; trace->ops[op].kind != TRACE_END; op = end + 1) {
		struct trace_trips nest;

		if (op - begin >= SEARCHED_OPS) {
			*out = (struct trace_trips){ };
			return;
		}
		end = op;
		if (trace->ops[op].kind != TRACE_LOOP)
			continue;
		end = loop_end(trace->ops, op);
		nest = nest_at(trace, op, end);
		if (run.nests && goes_on(trace, &run, &nest)) {
			run.nests++;
			run.trips = fixed_add(run.trips, nest.trips);
		} else {
			run = nest;
			count_trip(trace, &run);
		}
		if (work_of(&run) > work_of(out))
			*out = run;
	}
	if (out->trips < TRIPS_LEAST || out->trips > U32_MAX ||
	    fixed_mul(work_of(out), 8) <
	    fixed_mul(trace_warp_instructions(kernel), EIGHTHS_LEAST))
		*out = (struct trace_trips){ };
}
