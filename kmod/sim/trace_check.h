/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The parts of the validator, and how they report why a trace is refused.
 *
 * The validator trusts nothing: it checks every offset, count and index before it uses
 * it, and computes sums and products without overflow. The work is linear in the
 * size of the trace because no two programs or warp tables may share elements
 * unless they are the same.
 */
#ifndef SIM_TRACE_CHECK_H
#define SIM_TRACE_CHECK_H

#include "trace_format.h"

/*
 * struct bounds - the thread blocks and warps that run a program
 * @low: least x, y, z of its thread blocks
 * @high: greatest x, y, z of its thread blocks
 * @warp_low: least number of its warps in their thread blocks
 * @warp_high: greatest number of its warps in their thread blocks
 * @runs: whether any warp runs it; else all fields are zero
 */
struct bounds {
	u32 low[3];
	u32 high[3];
	u8 warp_low;
	u8 warp_high;
	bool runs;
};

/*
 * struct run_list - the runs of a row, indexed by the first of them
 * @count: number of runs; 0 where no row's list begins
 * @bounds: bounds of the rows with this list; x is not used
 */
struct run_list {
	u32 count;
	struct bounds bounds;
};

/*
 * struct checker - the state of a check
 * @looked: elements that were checked
 * @mixed: instructions of mixes that ops have named, see SIMGPU_TRACE_MIXED_MAX
 * @lines_needed: by program: recorded lines that a warp of it consumes
 * @bounds: by program
 * @lists: by run
 */
struct checker {
	const u8 *bytes;
	u64 count;
	const struct simgpu_trace_header *header;
	const struct simgpu_trace_kernel *kernels;
	const struct simgpu_trace_program *programs;
	const struct simgpu_trace_op *ops;
	const struct simgpu_trace_pattern *patterns;
	const struct simgpu_trace_warp *warps;
	const u32 *lines;
	const struct simgpu_trace_weight *weights;
	const struct simgpu_trace_row *rows;
	const struct simgpu_trace_run *runs;
	const struct simgpu_trace_mix *mixes;
	const struct simgpu_trace_instruction *instructions;
	const struct simgpu_trace_profile *profiles;
	const struct simgpu_trace_point *points;
	const struct simgpu_trace_allocation *allocations;
	const struct simgpu_trace_command *commands;
	u64 looked;
	u64 mixed;
	u64 *lines_needed;
	struct bounds *bounds;
	struct run_list *lists;
	struct trace_error *error;
};

/* trace_check.c: refuse the field @at, called "section[index].field". Return: @code. */
int refuse_element(struct checker *c, int code, const char *section, u64 index,
		   const char *field, const void *at, const char *reason);
/* Refuse a section with elements that are not used. */
int refuse_rest(struct checker *c, u32 section, const char *reason);

#define ELEMENT(code, list, index, item, field, reason) \
	refuse_element(c, code, list, index, #field, &(item)->field, reason)
#define KERNEL(code, field, reason) \
	ELEMENT(code, "kernels", index, k, field, reason)

static inline bool same_programs(const struct simgpu_trace_kernel *a,
				 const struct simgpu_trace_kernel *b)
{
	return a->first_program == b->first_program &&
	       a->program_count == b->program_count;
}

/* Count one more element that is checked. Return: 0; -EINTR if the caller was killed. */
static inline int look(struct checker *c)
{
	return ++c->looked % 4096 || !port_pause() ? 0 : -EINTR;
}

/* trace_check.c: whether a name is printable ASCII, ended and padded with NULs. */
bool name_is_good(const char *name);

/* trace_check_tables.c */
int check_tables(struct checker *c);
int check_lines_of_warps(struct checker *c);

/* trace_check_programs.c */
int check_mixes(struct checker *c);
int check_programs(struct checker *c);

/* trace_check_profiles.c */
int check_profiles(struct checker *c);

/* trace_check_allocations.c */
int check_allocations(struct checker *c);

/* trace_check_commands.c */
int check_commands(struct checker *c);

#endif /* SIM_TRACE_CHECK_H */
