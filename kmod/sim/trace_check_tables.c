// SPDX-License-Identifier: GPL-2.0
/*
 * The validator of traces: which program each warp runs, for which thread
 * blocks, and whether all recorded lines of a warp exist.
 */
#include "trace_check.h"

static bool same_warps(const struct simgpu_trace_kernel *a,
		       const struct simgpu_trace_kernel *b)
{
	return a->first_warp == b->first_warp && same_programs(a, b) &&
	       a->sample_n == b->sample_n &&
	       a->table_blocks == b->table_blocks &&
	       a->first_row == b->first_row && a->row_count == b->row_count &&
	       !memcmp(a->grid, b->grid, sizeof(a->grid)) &&
	       !memcmp(a->block, b->block, sizeof(a->block));
}

/* --- warp tables ---------------------------------------------------------------------------- */

/* The number of recorded thread blocks of a kernel. */
static u64 recorded_blocks(const struct simgpu_trace_kernel *k)
{
	return (blocks_of(k) + k->sample_n - 1) / k->sample_n;
}

/* The length of a row of thread blocks, as rows and runs count it. */
static u32 row_length(const struct simgpu_trace_kernel *k)
{
	return k->sample_n == 1 ? k->grid[0] : (u32)recorded_blocks(k);
}

static u32 rows_of(const struct simgpu_trace_kernel *k)
{
	return k->sample_n == 1 ? k->grid[1] * k->grid[2] : 1;
}

static void widen(struct bounds *bounds, const struct bounds *by)
{
	u32 i;

	if (!bounds->runs) {
		*bounds = *by;
		return;
	}
	for (i = 0; i < 3; i++) {
		bounds->low[i] = min(bounds->low[i], by->low[i]);
		bounds->high[i] = max(bounds->high[i], by->high[i]);
	}
	bounds->warp_low = min(bounds->warp_low, by->warp_low);
	bounds->warp_high = max(bounds->warp_high, by->warp_high);
}

/*
 * The bounds, in two dimensions beginning with @dimension, of things number @first to
 * @last, if @count of them make one of the next dimension.
 */
static void bound_pair(struct bounds *bounds, u32 dimension, u32 first, u32 last,
		       u32 count)
{
	bool across = first / count != last / count;

	bounds->low[dimension] = across ? 0 : first % count;
	bounds->high[dimension] = across ? count - 1 : last % count;
	bounds->low[dimension + 1] = first / count;
	bounds->high[dimension + 1] = last / count;
}

/* The bounds of rows @first to @last of thread blocks, without x. */
static void bound_rows(const struct simgpu_trace_kernel *k, u32 first, u32 last,
		       struct bounds *bounds)
{
	*bounds = (struct bounds) { .runs = true };
	bound_pair(bounds, 1, first, last, k->grid[1]);
}

/* The bounds of the thread blocks that are like the recorded ones @first to @last. */
static void bound_recorded(const struct simgpu_trace_kernel *k, u32 first,
			   u32 last, struct bounds *bounds)
{
	u64 end = (last + 1ULL) * k->sample_n, blocks = blocks_of(k);
	struct bounds x = { .runs = true };

	first *= k->sample_n;
	last = (u32)(min(end, blocks) - 1);
	bound_rows(k, first / k->grid[0], last / k->grid[0], bounds);
	bound_pair(&x, 0, first, last, k->grid[0]);
	bounds->low[0] = x.low[0];
	bounds->high[0] = x.high[0];
}

#define WARP(field, reason) ELEMENT(-EINVAL, "warps", index, w, field, reason)

/* Widen the bounds of the programs of entry @block of a warp table. */
static void widen_programs(struct checker *c, const struct simgpu_trace_kernel *k,
			   u64 block, struct bounds *bounds)
{
	const struct simgpu_trace_warp *w =
		&c->warps[k->first_warp + block * warps_of(k)];
	u32 i;

	/* If the caller was killed, the next function that can fail reports it. */
	look(c);
	for (i = 0; i < warps_of(k); i++) {
		bounds->warp_low = (u8)i;
		bounds->warp_high = (u8)i;
		widen(&c->bounds[k->first_program + w[i].program], bounds);
	}
}

#define ROW(field, reason) ELEMENT(-EINVAL, "rows", index, row, field, reason)

/* Check the runs of a row that does not share an earlier row's. */
static int check_runs(struct checker *c, const struct simgpu_trace_kernel *k,
		      u64 first, u64 count)
{
	u64 index;
	u32 end = 0;

	for (index = first; index < first + count; index++) {
		const struct simgpu_trace_run *run = &c->runs[index];

		if (look(c))
			return -EINTR;
		if (run->end <= end)
			return ELEMENT(-EINVAL, "runs", index, run, end,
				       "is not behind the run before");
		end = run->end;
		if (run->block >= k->table_blocks)
			return ELEMENT(-EINVAL, "runs", index, run, block,
				       "is not in the warp table");
	}
	if (end != row_length(k))
		return ELEMENT(-EINVAL, "runs", index - 1, &c->runs[index - 1],
			       end, "is not the end of the row");
	c->lists[first].count = (u32)count;
	return 0;
}

/* @next_run: the first run without a row; @least_run: the kernel's first run. */
static int check_row(struct checker *c, const struct simgpu_trace_kernel *k,
		     u64 index, u64 least_run, u64 *next_run)
{
	const struct simgpu_trace_row *row = &c->rows[index];
	u64 runs = section_count(c->header, SIMGPU_TRACE_RUNS);

	if (!row->run_count)
		return ROW(run_count, "is zero");
	if (row->first_run == *next_run) {
		*next_run += row->run_count;
		if (*next_run > runs)
			return ROW(run_count, "reaches past the runs");
		return check_runs(c, k, row->first_run, row->run_count);
	}
	if (row->first_run < least_run || row->first_run > *next_run ||
	    c->lists[row->first_run].count != row->run_count)
		return ROW(first_run, "begins neither new runs nor an earlier row's");
	return 0;
}

/* Widen the bounds of a kernel's programs by the runs of its rows. */
static void widen_by_runs(struct checker *c, const struct simgpu_trace_kernel *k,
			  u64 first, u64 end)
{
	u64 index, i;

	for (index = first; index < end; index += c->lists[index].count) {
		struct bounds bounds = c->lists[index].bounds;
		u32 begin = 0;

		for (i = index; i < index + c->lists[index].count; i++) {
			const struct simgpu_trace_run *run = &c->runs[i];

			if (k->sample_n == 1) {
				bounds.low[0] = begin;
				bounds.high[0] = run->end - 1;
			} else {
				bound_recorded(k, begin, run->end - 1, &bounds);
			}
			widen_programs(c, k, run->block, &bounds);
			begin = run->end;
		}
	}
}

/* Check the rows of a kernel with a warp table of its own. */
static int check_rows(struct checker *c, const struct simgpu_trace_kernel *k,
		      u64 *next_row, u64 *next_run)
{
	u64 index, least_run = *next_run;
	u32 end = 0;
	int ret;

	for (index = *next_row; index < *next_row + k->row_count; index++) {
		const struct simgpu_trace_row *row = &c->rows[index];
		struct bounds bounds;

		if (look(c))
			return -EINTR;
		if (row->end <= end)
			return ROW(end, "is not behind the row before");
		if (row->end > rows_of(k))
			return ROW(end, "is past the grid");
		ret = check_row(c, k, index, least_run, next_run);
		if (ret)
			return ret;
		bound_rows(k, end, row->end - 1, &bounds);
		widen(&c->lists[row->first_run].bounds, &bounds);
		end = row->end;
	}
	if (end != rows_of(k)) {
		const struct simgpu_trace_row *row = &c->rows[--index];

		return ROW(end, "is not the end of the grid");
	}
	*next_row += k->row_count;
	widen_by_runs(c, k, least_run, *next_run);
	return 0;
}

/* Check that the entries of a warp table up to @end name programs of their kernel. */
static int check_entries(struct checker *c, const struct simgpu_trace_kernel *k,
			 u64 end)
{
	u64 index;

	for (index = k->first_warp; index < end; index++) {
		const struct simgpu_trace_warp *w = &c->warps[index];

		if (look(c))
			return -EINTR;
		if (w->program >= k->program_count)
			return WARP(program, "is not one of its kernel's");
	}
	return 0;
}

/* For a table without rows: it has an entry for each recorded thread block, in order. */
static void widen_by_table(struct checker *c, const struct simgpu_trace_kernel *k)
{
	u32 blocks = (u32)recorded_blocks(k), block;
	struct bounds bounds;

	for (block = 0; block < blocks; block++) {
		bound_recorded(k, block, block, &bounds);
		widen_programs(c, k, block, &bounds);
	}
}

/*
 * struct used - how much of the sections about warps earlier kernels have used
 */
struct used {
	u64 warps;
	u64 rows;
	u64 runs;
};

/* Check a warp table that no earlier kernel has. */
static int check_table(struct checker *c, u64 index, struct used *used)
{
	const struct simgpu_trace_kernel *k = &c->kernels[index];
	u64 blocks = k->row_count ? k->table_blocks : recorded_blocks(k);
	u64 rows = section_count(c->header, SIMGPU_TRACE_ROWS);
	int ret;

	used->warps = fixed_add(used->warps, blocks * warps_of(k));
	if (used->warps > section_count(c->header, SIMGPU_TRACE_WARPS))
		return KERNEL(-EINVAL, first_warp, "runs past the warp table");
	ret = check_entries(c, k, used->warps);
	if (ret)
		return ret;
	if (!k->row_count) {
		widen_by_table(c, k);
		return 0;
	}
	if (k->first_row != used->rows)
		return KERNEL(-EINVAL, first_row, "does not follow the rows before");
	if (fixed_add(used->rows, k->row_count) > rows)
		return KERNEL(-EINVAL, row_count, "reaches past the rows");
	return check_rows(c, k, &used->rows, &used->runs);
}

/* For a kernel without a warp table: every warp runs its first program. */
static void widen_without_table(struct checker *c,
				const struct simgpu_trace_kernel *k)
{
	struct bounds bounds = {
		.high = { k->grid[0] - 1, k->grid[1] - 1, k->grid[2] - 1 },
		.warp_high = (u8)(warps_of(k) - 1),
		.runs = true,
	};

	widen(&c->bounds[k->first_program], &bounds);
}

int check_tables(struct checker *c)
{
	u64 kernels = section_count(c->header, SIMGPU_TRACE_KERNELS);
	struct used used = { .warps = 0 };
	u64 index, earlier;
	int ret;

	for (index = 0; index < kernels; index++) {
		const struct simgpu_trace_kernel *k = &c->kernels[index];

		if (k->first_warp == SIMGPU_TRACE_NO_WARPS) {
			widen_without_table(c, k);
			continue;
		}
		if (k->first_warp == used.warps) {
			ret = check_table(c, index, &used);
			if (ret)
				return ret;
			continue;
		}
		for (earlier = 0; earlier < index; earlier++)
			if (same_warps(k, &c->kernels[earlier]))
				break;
		if (earlier == index)
			return KERNEL(-EINVAL, first_warp,
				      "begins neither a new table nor an earlier kernel's");
	}
	if (used.warps != section_count(c->header, SIMGPU_TRACE_WARPS))
		return refuse_rest(c, SIMGPU_TRACE_WARPS,
				   "has warps of no kernel");
	if (used.rows != section_count(c->header, SIMGPU_TRACE_ROWS))
		return refuse_rest(c, SIMGPU_TRACE_ROWS, "has rows of no kernel");
	if (used.runs != section_count(c->header, SIMGPU_TRACE_RUNS))
		return refuse_rest(c, SIMGPU_TRACE_RUNS, "has runs of no row");
	return 0;
}

/* --- recorded lines ------------------------------------------------------------------------- */

/* Check that every warp's recorded lines exist, and that tables follow each other. */
int check_lines_of_warps(struct checker *c)
{
	u64 kernels = section_count(c->header, SIMGPU_TRACE_KERNELS), kernel;
	u64 lines = section_count(c->header, SIMGPU_TRACE_LINES), index = 0;

	for (kernel = 0; kernel < kernels; kernel++) {
		const struct simgpu_trace_kernel *k = &c->kernels[kernel];
		u64 blocks = k->row_count ? k->table_blocks : recorded_blocks(k);
		u64 end = index + blocks * warps_of(k);

		if (k->first_warp == SIMGPU_TRACE_NO_WARPS &&
		    c->lines_needed[k->first_program])
			return refuse_element(c, -EINVAL, "kernels", kernel,
					      "first_warp", &k->first_warp,
					      "is absent, yet lines are recorded");
		if (k->first_warp != index)
			continue;	/* no table, or an earlier kernel's */
		for (; index < end; index++) {
			const struct simgpu_trace_warp *w = &c->warps[index];
			u32 program = k->first_program + w->program;

			if (look(c))
				return -EINTR;
			if (fixed_add(w->first_line, c->lines_needed[program]) >
			    lines)
				return WARP(first_line, "runs past the lines");
		}
	}
	return 0;
}
