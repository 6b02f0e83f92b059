// SPDX-License-Identifier: GPL-2.0
/*
 * How many thread instructions a decoded kernel executes. The session needs the number to
 * turn a goal in time into instructions a cycle (FGQoS 3.2).
 */
#include "trace_format.h"

/**
 * trace_count_program() - thread instructions of a warp that runs a program
 * @op: its first op; a TRACE_END is behind its last
 *
 * Return: active lanes of all instructions, saturating; TRACE_NO_END if it spins.
 */
u64 trace_count_program(const struct trace_op *op)
{
	u64 times[TRACE_LOOP_DEPTH_MAX + 1] = { 1 }, sum = 0;
	u32 depth = 0;

	for (; op->kind != TRACE_END; op++) {
		if (op->kind == TRACE_LOOP) {
			times[depth + 1] = fixed_mul(times[depth], op->count);
			depth++;
			continue;
		}
		if (op->kind == TRACE_LOOP_END) {
			depth--;
			continue;
		}
		sum = fixed_add(sum, fixed_mul(times[depth],
					       fixed_mul(trace_op_instructions(op),
							 op->active_lanes)));
	}
	return op->body ? TRACE_NO_END : sum;
}

/* Count one thread block of the warp table. */
static u64 count_block(const struct trace_kernel *kernel, u64 block,
		       const u64 *programs)
{
	const struct trace_warp *warp =
		&kernel->warps[block * kernel->block_warps];
	u64 sum = 0;
	u32 i;

	for (i = 0; i < kernel->block_warps; i++)
		sum = fixed_add(sum, programs[warp[i].program]);
	port_pause();
	return sum;
}

/* How many thread blocks are like the recorded ones from @first to before @end. */
static u64 blocks_recorded_as(const struct trace_kernel *kernel, u64 first,
			      u64 end)
{
	u64 last = fixed_mul(end, kernel->sample_n);

	last = min_t(u64, last, kernel->blocks);
	return last - first * kernel->sample_n;
}

/* Count a row of thread blocks. */
static u64 count_row(const struct trace_kernel *kernel,
		     const struct trace_row *row, const u64 *programs)
{
	u64 sum = 0, place = 0;
	u32 i;

	for (i = 0; i < row->run_count; i++) {
		const struct trace_run *run = &kernel->runs[row->first_run + i];
		u64 blocks = run->end - place;

		if (kernel->sample_n > 1)
			blocks = blocks_recorded_as(kernel, place, run->end);
		sum = fixed_add(sum, fixed_mul(blocks,
					       count_block(kernel, run->block,
							   programs)));
		place = run->end;
	}
	return sum;
}

/* Count all rows. Rows share runs, so each list of runs is counted once and remembered. */
static u64 count_rows(const struct trace_kernel *kernel, const u64 *programs,
		      u64 *lists)
{
	u32 first = 0, i;
	u64 sum = 0;

	for (i = 0; i < kernel->row_count; i++) {
		const struct trace_row *row = &kernel->rows[i];
		u64 *list = &lists[row->first_run];

		if (!*list)
			*list = fixed_add(count_row(kernel, row, programs), 1);
		sum = fixed_add(sum, fixed_mul(*list - 1, row->end - first));
		first = row->end;
	}
	return sum;
}

/**
 * trace_count_kernel() - thread instructions of all warps of a kernel
 * @kernel: a decoded kernel, except for this number
 * @programs: thread instructions of a warp, by its program
 * @lists: by run, zero at first: counts of rows whose runs begin there
 *
 * Time is linear in the kernel's part of the warp table, its rows and runs.
 *
 * Return: their sum, saturating.
 */
u64 trace_count_kernel(const struct trace_kernel *kernel, const u64 *programs,
		       u64 *lists)
{
	u64 sum = 0, i;

	if (!kernel->warps)
		return fixed_mul(fixed_mul(kernel->blocks, kernel->block_warps),
				 programs[0]);
	if (kernel->row_count)
		return count_rows(kernel, programs, lists);
	for (i = 0; i * kernel->sample_n < kernel->blocks; i++)
		sum = fixed_add(sum,
				fixed_mul(blocks_recorded_as(kernel, i, i + 1),
					  count_block(kernel, i, programs)));
	return sum;
}
