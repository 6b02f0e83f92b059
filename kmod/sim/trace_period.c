// SPDX-License-Identifier: GPL-2.0
/* After how many kernels a trace does the same again. */
#include "trace.h"

/* Ops of two kernels are compared up to so many; longer programs count as different. */
#define COMPARED_OPS	256

static bool same_pattern(const struct trace *trace, const struct trace_op *a,
			 const struct trace_op *b)
{
	if (trace_op_is_memory(a))
		return a->pattern == b->pattern ||
		       !memcmp(&trace->patterns[a->pattern],
			       &trace->patterns[b->pattern],
			       sizeof(*trace->patterns));
	return a->kind == TRACE_LOOP_END || a->pattern == b->pattern;
}

bool trace_same_op(const struct trace *trace, const struct trace_op *a,
		   const struct trace_op *b)
{
	return a->kind == b->kind && a->active_lanes == b->active_lanes &&
	       a->issue_cycles == b->issue_cycles && a->count == b->count &&
	       a->consume_after == b->consume_after &&
	       same_pattern(trace, a, b);
}

static bool same_program(const struct trace *trace, u32 a, u32 b)
{
	u32 i;

	for (i = 0; a != b && i < COMPARED_OPS; i++) {
		if (!trace_same_op(trace, &trace->ops[a + i], &trace->ops[b + i]))
			return false;
		if (trace->ops[a + i].kind == TRACE_END)
			return true;
	}
	return a == b;
}

static bool does_the_same(const struct trace *trace, const struct trace_kernel *a,
			  const struct trace_kernel *b)
{
	return !memcmp(a->grid, b->grid, sizeof(a->grid)) &&
	       a->block_threads == b->block_threads &&
	       a->registers_per_thread == b->registers_per_thread &&
	       a->shared_bytes == b->shared_bytes &&
	       a->instructions == b->instructions && !a->warps && !b->warps &&
	       same_program(trace, a->programs[0], b->programs[0]);
}

static bool repeats_after(const struct trace *trace, u32 period)
{
	u32 i;

	for (i = period; i < trace->kernel_count; i++)
		if (!does_the_same(trace, &trace->kernels[i],
				   &trace->kernels[i - period]))
			return false;
	return true;
}

u32 trace_period(const struct trace *trace)
{
	u32 period;

	for (period = 1; period <= TRACE_PERIOD_MAX; period++)
		if (!(trace->kernel_count % period) &&
		    repeats_after(trace, period))
			return period;
	return trace->kernel_count;
}
