// SPDX-License-Identifier: GPL-2.0
/*
 * Traces: the validator and the decoder. The format is
 * include/uapi/linux/simgpu_trace.h; no other file of the engine knows it.
 *
 * The validator trusts nothing: every offset, count and index is checked
 * before it is used, sums and products with overflow in mind, and the work is
 * linear in the size of the trace because no two programs or warp tables may
 * share elements unless they are the same.
 */
#include <linux/simgpu_trace.h>

#include <simgpu/fixed.h>
#include <simgpu/port.h>

#include "trace.h"

#define LANES			32
#define REGISTERS_MAX		255
#define ISSUE_CYCLES_MAX	1024
#define STRIDE_MAX		((s64)SIMGPU_TRACE_SPACE_BYTES)

/*
 * struct bounds - the thread blocks and warps that run a program
 * @low: least x, y, z of its thread blocks
 * @high: greatest
 * @warp_low: least number of its warps in their thread blocks
 * @warp_high: greatest
 * @runs: whether any warp runs it; else all is zero
 */
struct bounds {
	u32 low[3];
	u32 high[3];
	u8 warp_low;
	u8 warp_high;
	bool runs;
};

/*
 * struct run_list - the runs of a row, by the first of them
 * @count: runs; 0 where no row's list begins
 * @bounds: the rows that have it; x is not used
 */
struct run_list {
	u32 count;
	struct bounds bounds;
};

/*
 * struct checker - the trace under inspection
 * @lines_needed: by program: recorded lines that a warp running it takes
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
	u64 *lines_needed;
	struct bounds *bounds;
	struct run_list *lists;
	struct trace_error *error;
};

static const u32 element_bytes[SIMGPU_TRACE_SECTIONS] = {
	[SIMGPU_TRACE_KERNELS] = sizeof(struct simgpu_trace_kernel),
	[SIMGPU_TRACE_PROGRAMS] = sizeof(struct simgpu_trace_program),
	[SIMGPU_TRACE_OPS] = sizeof(struct simgpu_trace_op),
	[SIMGPU_TRACE_PATTERNS] = sizeof(struct simgpu_trace_pattern),
	[SIMGPU_TRACE_WARPS] = sizeof(struct simgpu_trace_warp),
	[SIMGPU_TRACE_LINES] = sizeof(u32),
	[SIMGPU_TRACE_WEIGHTS] = sizeof(struct simgpu_trace_weight),
	[SIMGPU_TRACE_ROWS] = sizeof(struct simgpu_trace_row),
	[SIMGPU_TRACE_RUNS] = sizeof(struct simgpu_trace_run),
};

static u64 section_count(const struct simgpu_trace_header *header, u32 section)
{
	return header->sections[section].count;
}

static const void *section_data(const struct simgpu_trace_header *header,
				u32 section)
{
	return (const u8 *)header + header->sections[section].offset;
}

/* --- refusals ---------------------------------------------------------------------- */

static int refuse(struct checker *c, int code, const void *at,
		  const char *reason)
{
	c->error->offset = (u64)((const u8 *)at - c->bytes);
	snprintf(c->error->reason, sizeof(c->error->reason), "%s", reason);
	return code;
}

/* Name the field of an element of a section: "ops[7].count". */
static int refuse_element(struct checker *c, int code, const char *section,
			  u64 index, const char *field, const void *at,
			  const char *reason)
{
	snprintf(c->error->field, sizeof(c->error->field), "%s[%llu].%s",
		 section, index, field);
	return refuse(c, code, at, reason);
}

static int refuse_header(struct checker *c, int code, const char *field,
			 const void *at, const char *reason)
{
	snprintf(c->error->field, sizeof(c->error->field), "%s", field);
	return refuse(c, code, at, reason);
}

#define HEADER(code, field, reason) \
	refuse_header(c, code, #field, &c->header->field, reason)
#define ELEMENT(code, list, index, item, field, reason) \
	refuse_element(c, code, list, index, #field, &(item)->field, reason)

/* --- header ---------------------------------------------------------------------------- */

static bool name_is_good(const char *name)
{
	u32 i, end = SIMGPU_TRACE_NAME_BYTES;

	for (i = 0; i < SIMGPU_TRACE_NAME_BYTES; i++) {
		if (!name[i]) {
			if (i < end)
				end = i;
		} else if (i > end || name[i] < ' ' || name[i] > '~') {
			return false;
		}
	}
	return end && end < SIMGPU_TRACE_NAME_BYTES;
}

static u32 checksum(const void *bytes, u64 count)
{
	const struct simgpu_trace_header *header = bytes;
	size_t before = offsetof(struct simgpu_trace_header, checksum);
	size_t after = before + sizeof(header->checksum);
	u32 zero = 0, crc;

	crc = port_crc32(0, bytes, before);
	crc = port_crc32(crc, &zero, sizeof(zero));
	return port_crc32(crc, (const u8 *)bytes + after, count - after);
}

static int check_sections(struct checker *c)
{
	const struct simgpu_trace_section *s = c->header->sections;
	u64 least[SIMGPU_TRACE_SECTIONS] = { 1, 1, 1 };
	u64 end[SIMGPU_TRACE_SECTIONS];
	u32 i, j;

	for (i = 0; i < SIMGPU_TRACE_SECTIONS; i++) {
		u64 bytes = fixed_mul(s[i].count, element_bytes[i]);

		end[i] = fixed_add(s[i].offset, bytes);
		if (s[i].offset % 8)
			return ELEMENT(-EINVAL, "sections", i, &s[i], offset,
				       "is not a multiple of 8");
		if (s[i].count < least[i])
			return ELEMENT(-EINVAL, "sections", i, &s[i], count,
				       "is zero");
		if (s[i].count && s[i].offset < sizeof(*c->header))
			return ELEMENT(-EINVAL, "sections", i, &s[i], offset,
				       "lies in the header");
		if (end[i] > c->count)
			return ELEMENT(-EINVAL, "sections", i, &s[i], count,
				       "reaches past the end of the trace");
		for (j = 0; j < i; j++)
			if (s[i].count && s[j].count && s[i].offset < end[j] &&
			    s[j].offset < end[i])
				return ELEMENT(-EINVAL, "sections", i, &s[i],
					       offset, "overlaps another section");
	}
	return 0;
}

static int check_header(struct checker *c)
{
	const struct simgpu_trace_header *h = c->header;

	if (c->count < sizeof(*h))
		return refuse_header(c, -EINVAL, "header", h,
				     "is longer than the trace");
	if (h->magic != SIMGPU_TRACE_MAGIC)
		return HEADER(-EINVAL, magic, "is not that of a trace");
	if (h->version != SIMGPU_TRACE_VERSION)
		return HEADER(-EINVAL, version, "is not supported");
	if (h->header_bytes != sizeof(*h))
		return HEADER(-EINVAL, header_bytes, "is not this version's");
	if (h->total_bytes != c->count)
		return HEADER(-EINVAL, total_bytes,
			      "is not the size of the trace");
	if (h->checksum != checksum(c->bytes, c->count))
		return HEADER(-EINVAL, checksum, "does not match the contents");
	if (h->reserved)
		return HEADER(-EINVAL, reserved, "is not zero");
	if (!name_is_good(h->name))
		return HEADER(-EINVAL, name, "is not a printable name");
	if (!name_is_good(h->source))
		return HEADER(-EINVAL, source, "is not a printable name");
	if (h->footprint_bytes > SIMGPU_TRACE_SPACE_BYTES)
		return HEADER(-E2BIG, footprint_bytes,
			      "is beyond a tenant's address space");
	return check_sections(c);
}

/* --- patterns ------------------------------------------------------------------------------ */

static bool stride_is_good(s64 stride)
{
	return stride >= -STRIDE_MAX && stride <= STRIDE_MAX;
}

/* Fields that a kind of pattern does not use must be zero. */
static bool affine_fields_are_zero(const struct simgpu_trace_pattern *p)
{
	u32 i;

	for (i = 0; i < 3; i++)
		if (p->block_stride[i])
			return false;
	for (i = 0; i < SIMGPU_TRACE_LOOP_DEPTH_MAX; i++)
		if (p->loop_stride[i])
			return false;
	return !p->warp_stride && !p->lane_stride && !p->group_stride &&
	       !p->group_lanes && !p->xor_bytes && !p->xor_loop;
}

#define PATTERN(field, reason) \
	ELEMENT(-EINVAL, "patterns", index, p, field, reason)

/* Of an affine pattern, of which base and size are signed numbers. */
static int check_region(struct checker *c, u64 index,
			const struct simgpu_trace_pattern *p)
{
	s64 end;

	if (__builtin_add_overflow((s64)p->base, (s64)p->region_bytes, &end) ||
	    end > (s64)c->header->footprint_bytes)
		return PATTERN(region_bytes, "reaches past the footprint");
	return 0;
}

/* Whether no lane's access can straddle two lines. */
static bool affine_is_aligned(const struct simgpu_trace_pattern *p)
{
	u64 all = p->base | p->xor_bytes | (u64)p->warp_stride |
		  (u64)p->lane_stride | (u64)p->group_stride;
	u32 i;

	for (i = 0; i < 3; i++)
		all |= (u64)p->block_stride[i];
	for (i = 0; i < SIMGPU_TRACE_LOOP_DEPTH_MAX; i++)
		all |= (u64)p->loop_stride[i];
	return !(all & (p->access_bytes - 1));
}

static int check_affine(struct checker *c, u64 index,
			const struct simgpu_trace_pattern *p)
{
	u32 i;

	if (!p->access_bytes || p->access_bytes > 16 ||
	    (p->access_bytes & (p->access_bytes - 1)))
		return PATTERN(access_bytes, "is not 1, 2, 4, 8 or 16");
	if (!affine_is_aligned(p))
		return PATTERN(access_bytes,
			       "does not divide the base, XOR and strides");
	for (i = 0; i < 3; i++)
		if (!stride_is_good(p->block_stride[i]))
			return PATTERN(block_stride, "is out of range");
	for (i = 0; i < SIMGPU_TRACE_LOOP_DEPTH_MAX; i++)
		if (!stride_is_good(p->loop_stride[i]))
			return PATTERN(loop_stride, "is out of range");
	if (!stride_is_good(p->warp_stride))
		return PATTERN(warp_stride, "is out of range");
	if (!stride_is_good(p->lane_stride))
		return PATTERN(lane_stride, "is out of range");
	if (!stride_is_good(p->group_stride))
		return PATTERN(group_stride, "is out of range");
	if (p->group_lanes >= LANES)
		return PATTERN(group_lanes, "is not below 32");
	if (p->group_stride && !p->group_lanes)
		return PATTERN(group_stride, "is set without groups");
	if (p->xor_bytes && (s64)p->xor_bytes >= (s64)p->region_bytes)
		return PATTERN(xor_bytes, "is not below region_bytes");
	if (p->xor_bytes > SIMGPU_TRACE_SPACE_BYTES)
		return PATTERN(xor_bytes, "is beyond a tenant's address space");
	if (p->xor_loop > SIMGPU_TRACE_LOOP_DEPTH_MAX)
		return PATTERN(xor_loop, "names no loop");
	if (p->seed)
		return PATTERN(seed, "is not zero");
	if (p->lines)
		return PATTERN(lines, "is not zero");
	return check_region(c, index, p);
}

static int check_random(struct checker *c, u64 index,
			const struct simgpu_trace_pattern *p)
{
	if (!p->access_bytes || p->access_bytes > SIMGPU_TRACE_LINE_BYTES)
		return PATTERN(access_bytes, "is not 1 to 128");
	if (p->base % SIMGPU_TRACE_LINE_BYTES)
		return PATTERN(base, "is not a multiple of 128");
	if (p->region_bytes < SIMGPU_TRACE_LINE_BYTES)
		return PATTERN(region_bytes, "is below 128");
	if (!p->lines || p->lines > LANES)
		return PATTERN(lines, "is not 1 to 32");
	if (!affine_fields_are_zero(p))
		return PATTERN(block_stride,
			       "or another affine field is not zero");
	if (fixed_add(p->base, p->region_bytes) > c->header->footprint_bytes)
		return PATTERN(region_bytes, "reaches past the footprint");
	return 0;
}

static int check_pattern(struct checker *c, u64 index)
{
	const struct simgpu_trace_pattern *p = &c->patterns[index];

	switch (p->kind) {
	case SIMGPU_TRACE_AFFINE:
		return check_affine(c, index, p);
	case SIMGPU_TRACE_RANDOM:
		return check_random(c, index, p);
	case SIMGPU_TRACE_RECORDED:
		if (p->access_bytes || p->base || p->region_bytes || p->seed ||
		    p->lines || !affine_fields_are_zero(p))
			return PATTERN(kind, "is RECORDED, yet a field is set");
		return 0;
	default:
		return PATTERN(kind, "is unknown");
	}
}

/* --- kernels ------------------------------------------------------------------------------- */

static u64 threads_of(const struct simgpu_trace_kernel *k)
{
	return fixed_mul(fixed_mul(k->block[0], k->block[1]), k->block[2]);
}

static u64 blocks_of(const struct simgpu_trace_kernel *k)
{
	return fixed_mul(fixed_mul(k->grid[0], k->grid[1]), k->grid[2]);
}

static u32 warps_of(const struct simgpu_trace_kernel *k)
{
	return (u32)((threads_of(k) + LANES - 1) / LANES);
}

#define KERNEL(code, field, reason) \
	ELEMENT(code, "kernels", index, k, field, reason)

static int check_kernel(struct checker *c, u64 index)
{
	const struct simgpu_trace_kernel *k = &c->kernels[index];

	if (!name_is_good(k->name))
		return KERNEL(-EINVAL, name, "is not a printable name");
	if (!blocks_of(k))
		return KERNEL(-EINVAL, grid, "has a zero");
	if (blocks_of(k) > SIMGPU_TRACE_BLOCKS_MAX)
		return KERNEL(-E2BIG, grid, "has too many thread blocks");
	if (!threads_of(k))
		return KERNEL(-EINVAL, block, "has a zero");
	if (threads_of(k) > SIMGPU_TRACE_BLOCK_THREADS_MAX)
		return KERNEL(-E2BIG, block, "has too many threads");
	if (!k->registers_per_thread ||
	    k->registers_per_thread > REGISTERS_MAX)
		return KERNEL(-EINVAL, registers_per_thread, "is not 1 to 255");
	if (k->shared_bytes > (1U << 20))
		return KERNEL(-E2BIG, shared_bytes, "is beyond any SM's");
	if (!k->program_count)
		return KERNEL(-EINVAL, program_count, "is zero");
	if (!k->sample_n)
		return KERNEL(-EINVAL, sample_n, "is zero");
	if (!k->row_count)
		return k->table_blocks || k->first_row ?
		       KERNEL(-EINVAL, row_count, "is zero, yet rows are described") : 0;
	if (k->first_warp == SIMGPU_TRACE_NO_WARPS)
		return KERNEL(-EINVAL, row_count, "is set without a warp table");
	if (!k->table_blocks || k->table_blocks > SIMGPU_TRACE_BLOCKS_MAX)
		return KERNEL(-EINVAL, table_blocks, "is not 1 to 2^31");
	return 0;
}

static bool same_programs(const struct simgpu_trace_kernel *a,
			  const struct simgpu_trace_kernel *b)
{
	return a->first_program == b->first_program &&
	       a->program_count == b->program_count;
}

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

/* Each kernel's programs are new and follow the last ones, or an earlier's. */
static int check_program_ranges(struct checker *c)
{
	u64 kernels = section_count(c->header, SIMGPU_TRACE_KERNELS);
	u64 programs = section_count(c->header, SIMGPU_TRACE_PROGRAMS);
	u64 index, next = 0, first;

	for (index = 0; index < kernels; index++) {
		const struct simgpu_trace_kernel *k = &c->kernels[index];

		if (k->first_program == next) {
			next += k->program_count;
		} else {
			for (first = 0; first < index; first++)
				if (same_programs(k, &c->kernels[first]))
					break;
			if (first == index)
				return KERNEL(-EINVAL, first_program,
					      "begins neither a new range nor an earlier kernel's");
		}
		if (next > programs)
			return KERNEL(-EINVAL, program_count,
				      "reaches past the programs");
	}
	if (next != programs)
		return refuse_element(c, -EINVAL, "sections",
				      SIMGPU_TRACE_PROGRAMS, "count",
				      &c->header->sections[SIMGPU_TRACE_PROGRAMS],
				      "has programs of no kernel");
	return 0;
}

/* --- warp tables ---------------------------------------------------------------------------- */

/* Thread blocks that were recorded. */
static u64 recorded_blocks(const struct simgpu_trace_kernel *k)
{
	return (blocks_of(k) + k->sample_n - 1) / k->sample_n;
}

/* Rows of thread blocks, and how long they are, as rows and runs count them. */
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
		if (by->low[i] < bounds->low[i])
			bounds->low[i] = by->low[i];
		if (by->high[i] > bounds->high[i])
			bounds->high[i] = by->high[i];
	}
	if (by->warp_low < bounds->warp_low)
		bounds->warp_low = by->warp_low;
	if (by->warp_high > bounds->warp_high)
		bounds->warp_high = by->warp_high;
}

/*
 * The bounds of things number @first to @last, of which @count make one of the
 * next dimension, in two dimensions from @dimension on.
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

/* The bounds of rows @first to @last of thread blocks, x left out. */
static void bound_rows(const struct simgpu_trace_kernel *k, u32 first, u32 last,
		       struct bounds *bounds)
{
	*bounds = (struct bounds) { .runs = true };
	bound_pair(bounds, 1, first, last, k->grid[1]);
}

/* The bounds of the thread blocks that recorded ones @first to @last stand for. */
static void bound_recorded(const struct simgpu_trace_kernel *k, u32 first,
			   u32 last, struct bounds *bounds)
{
	u64 end = (last + 1ULL) * k->sample_n, blocks = blocks_of(k);
	struct bounds x = { .runs = true };

	first *= k->sample_n;
	last = (u32)((end < blocks ? end : blocks) - 1);
	bound_rows(k, first / k->grid[0], last / k->grid[0], bounds);
	bound_pair(&x, 0, first, last, k->grid[0]);
	bounds->low[0] = x.low[0];
	bounds->high[0] = x.high[0];
}

#define WARP(field, reason) ELEMENT(-EINVAL, "warps", index, w, field, reason)

/* The programs of entry @block of a warp table run within these bounds too. */
static void widen_programs(struct checker *c, const struct simgpu_trace_kernel *k,
			   u64 block, struct bounds *bounds)
{
	const struct simgpu_trace_warp *w =
		&c->warps[k->first_warp + block * warps_of(k)];
	u32 i;

	for (i = 0; i < warps_of(k); i++) {
		bounds->warp_low = (u8)i;
		bounds->warp_high = (u8)i;
		widen(&c->bounds[k->first_program + w[i].program], bounds);
	}
}

#define ROW(field, reason) ELEMENT(-EINVAL, "rows", index, row, field, reason)

/* The runs of a row that no row before it has. */
static int check_runs(struct checker *c, const struct simgpu_trace_kernel *k,
		      u64 first, u64 count)
{
	u64 index;
	u32 end = 0;

	for (index = first; index < first + count; index++) {
		const struct simgpu_trace_run *run = &c->runs[index];

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

/* @next_run: the first that no row has; @least_run: the kernel's first. */
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

/* What the runs of a kernel's rows mean for the bounds of its programs. */
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

/* The rows of a kernel that has a warp table of its own. */
static int check_rows(struct checker *c, const struct simgpu_trace_kernel *k,
		      u64 *next_row, u64 *next_run)
{
	u64 index, least_run = *next_run;
	u32 end = 0;
	int ret;

	for (index = *next_row; index < *next_row + k->row_count; index++) {
		const struct simgpu_trace_row *row = &c->rows[index];
		struct bounds bounds;

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

/* Entries of a warp table up to @end name programs of their kernel. */
static int check_entries(struct checker *c, const struct simgpu_trace_kernel *k,
			 u64 end)
{
	u64 index;

	for (index = k->first_warp; index < end; index++) {
		const struct simgpu_trace_warp *w = &c->warps[index];

		if (w->program >= k->program_count)
			return WARP(program, "is not one of its kernel's");
	}
	return 0;
}

/* A table without rows: an entry for each recorded thread block, in order. */
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
 * struct used - how much of the sections about warps earlier kernels have
 */
struct used {
	u64 warps;
	u64 rows;
	u64 runs;
};

/* A warp table that no earlier kernel has. */
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

/* Without a warp table every warp runs the kernel's first program. */
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

static int refuse_rest(struct checker *c, u32 section, const char *reason)
{
	return refuse_element(c, -EINVAL, "sections", section, "count",
			      &c->header->sections[section], reason);
}

static int check_tables(struct checker *c)
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

/* --- programs ------------------------------------------------------------------------------- */

/*
 * struct walk - a program being read, op by op
 * @depth: open loops
 * @trips: of each open loop
 * @times: how often the present op runs
 * @issues: whether the present body, by depth, issues an instruction
 * @instructions: warp instructions so far
 * @lines: recorded lines so far
 */
struct walk {
	const struct bounds *bounds;
	u32 depth;
	u32 trips[SIMGPU_TRACE_LOOP_DEPTH_MAX];
	u64 times[SIMGPU_TRACE_LOOP_DEPTH_MAX + 1];
	bool issues[SIMGPU_TRACE_LOOP_DEPTH_MAX + 1];
	u64 instructions;
	u64 lines;
};

#define OP(code, field, reason) ELEMENT(code, "ops", index, op, field, reason)

/* Add stride * (first ... last) to a range of addresses; false: overflow. */
static bool extend(s64 *low, s64 *high, s64 stride, u32 first, u32 last)
{
	s64 begin, end;

	if (__builtin_mul_overflow(stride, (s64)first, &begin) ||
	    __builtin_mul_overflow(stride, (s64)last, &end))
		return false;
	return !__builtin_add_overflow(*low, stride < 0 ? end : begin, low) &&
	       !__builtin_add_overflow(*high, stride < 0 ? begin : end, high);
}

static bool extend_lanes(const struct simgpu_trace_pattern *p, u32 lanes,
			 s64 *low, s64 *high)
{
	u32 group = p->group_lanes && p->group_lanes < lanes ?
		    p->group_lanes : lanes;

	return extend(low, high, p->lane_stride, 0, group - 1) &&
	       extend(low, high, p->group_stride, 0, (lanes - 1) / group);
}

/*
 * The least address of an affine access and the end of the greatest; false:
 * overflow. In the order in which the engine adds, so that it cannot overflow.
 */
static bool affine_range(const struct simgpu_trace_pattern *p,
			 const struct walk *walk, u32 lanes, s64 *low, s64 *high)
{
	const struct bounds *bounds = walk->bounds;
	u32 i;

	*low = (s64)p->base;
	*high = (s64)p->base;
	for (i = 0; i < 3; i++)
		if (!extend(low, high, p->block_stride[i], bounds->low[i],
			    bounds->high[i]))
			return false;
	if (!extend(low, high, p->warp_stride, bounds->warp_low,
		    bounds->warp_high))
		return false;
	for (i = 0; i < walk->depth; i++)
		if (!extend(low, high, p->loop_stride[i], 0, walk->trips[i] - 1))
			return false;
	return extend_lanes(p, lanes, low, high) &&
	       !__builtin_add_overflow(*high, (s64)p->access_bytes, high);
}

static int check_affine_use(struct checker *c, const struct walk *walk,
			    u64 index, const struct simgpu_trace_op *op)
{
	const struct simgpu_trace_pattern *p = &c->patterns[op->pattern];
	u64 mask = p->xor_bytes;
	s64 low, high;

	if (p->xor_loop) {
		u32 shift;

		if (p->xor_loop > walk->depth)
			return OP(-EINVAL, pattern, "XORs with a loop that is not open");
		shift = walk->trips[p->xor_loop - 1] - 1;
		if (shift > 32 || mask > (SIMGPU_TRACE_SPACE_BYTES >> shift))
			return OP(-EINVAL, pattern, "XORs beyond its region");
		mask <<= shift;
	}
	/* a ^ b <= a + b, and it is never negative. */
	if (!affine_range(p, walk, op->active_lanes, &low, &high) || low < 0 ||
	    __builtin_add_overflow(high, (s64)mask, &high) ||
	    high > (s64)(p->base + p->region_bytes))
		return OP(-EINVAL, pattern, "leaves its region");
	return 0;
}

static int check_memory_op(struct checker *c, struct walk *walk, u64 index,
			   const struct simgpu_trace_op *op)
{
	const struct simgpu_trace_pattern *p;

	if (op->pattern >= section_count(c->header, SIMGPU_TRACE_PATTERNS))
		return OP(-EINVAL, pattern, "names no pattern");
	p = &c->patterns[op->pattern];
	if (op->issue_cycles)
		return OP(-EINVAL, issue_cycles, "is not zero");
	if (op->consume_after && op->kind == SIMGPU_TRACE_STORE)
		return OP(-EINVAL, consume_after, "is set on a store");
	if (p->kind == SIMGPU_TRACE_RECORDED) {
		if (!op->count || op->count > LANES)
			return OP(-EINVAL, count, "is not 1 to 32 lines");
		walk->lines = fixed_add(walk->lines,
					fixed_mul(walk->times[walk->depth],
						  op->count));
		return 0;
	}
	if (op->count)
		return OP(-EINVAL, count, "is not zero");
	if (p->kind == SIMGPU_TRACE_AFFINE)
		return check_affine_use(c, walk, index, op);
	return 0;
}

static int check_loop(struct checker *c, struct walk *walk, u64 index,
		      const struct simgpu_trace_op *op)
{
	if (op->active_lanes || op->issue_cycles || op->pattern ||
	    op->consume_after)
		return OP(-EINVAL, kind, "is a loop's, yet a field is set");
	if (op->kind == SIMGPU_TRACE_LOOP) {
		if (!op->count)
			return OP(-EINVAL, count, "is zero");
		if (walk->depth == SIMGPU_TRACE_LOOP_DEPTH_MAX)
			return OP(-E2BIG, kind, "nests loops too deep");
		walk->trips[walk->depth] = op->count;
		walk->times[walk->depth + 1] =
			fixed_mul(walk->times[walk->depth], op->count);
		walk->depth++;
		walk->issues[walk->depth] = false;
		return 0;
	}
	if (op->count)
		return OP(-EINVAL, count, "is not zero");
	if (!walk->depth)
		return OP(-EINVAL, kind, "ends a loop that was not begun");
	if (!walk->issues[walk->depth])
		return OP(-EINVAL, kind, "ends a loop that issues nothing");
	walk->depth--;
	walk->issues[walk->depth] = true;
	return 0;
}

static int check_issuing_op(struct checker *c, struct walk *walk, u64 index,
			    const struct simgpu_trace_op *op)
{
	bool burst = op->kind == SIMGPU_TRACE_COMPUTE ||
		     op->kind == SIMGPU_TRACE_SHARED;
	u64 instructions = burst ? op->count : 1;

	if (!op->active_lanes || op->active_lanes > LANES)
		return OP(-EINVAL, active_lanes, "is not 1 to 32");
	walk->issues[walk->depth] = true;
	instructions = fixed_mul(instructions, walk->times[walk->depth]);
	walk->instructions = fixed_add(walk->instructions, instructions);
	if (walk->instructions > SIMGPU_TRACE_WARP_INSTRUCTIONS_MAX)
		return OP(-E2BIG, count, "makes the program too long");
	if (!burst && op->kind != SIMGPU_TRACE_BARRIER)
		return check_memory_op(c, walk, index, op);
	if (op->pattern)
		return OP(-EINVAL, pattern, "is not zero");
	if (op->consume_after)
		return OP(-EINVAL, consume_after, "is not zero");
	if (burst && !op->count)
		return OP(-EINVAL, count, "is zero");
	if (burst && (!op->issue_cycles || op->issue_cycles > ISSUE_CYCLES_MAX))
		return OP(-EINVAL, issue_cycles, "is not 1 to 1024");
	if (!burst && (op->count || op->issue_cycles))
		return OP(-EINVAL, count, "is set on a barrier");
	return 0;
}

static int check_op(struct checker *c, struct walk *walk, u64 index)
{
	const struct simgpu_trace_op *op = &c->ops[index];

	switch (op->kind) {
	case SIMGPU_TRACE_LOOP:
	case SIMGPU_TRACE_LOOP_END:
		return check_loop(c, walk, index, op);
	case SIMGPU_TRACE_COMPUTE:
	case SIMGPU_TRACE_LOAD:
	case SIMGPU_TRACE_STORE:
	case SIMGPU_TRACE_ATOMIC:
	case SIMGPU_TRACE_SHARED:
	case SIMGPU_TRACE_BARRIER:
	case SIMGPU_TRACE_CONSTANT:
		return check_issuing_op(c, walk, index, op);
	default:
		return OP(-EINVAL, kind, "is unknown");
	}
}

#define PROGRAM(field, reason) \
	ELEMENT(-EINVAL, "programs", index, p, field, reason)

/* @next_op: where the program must begin; set to where the next one must. */
static int check_program(struct checker *c, u64 index, u64 *next_op)
{
	const struct simgpu_trace_program *p = &c->programs[index];
	u64 ops = section_count(c->header, SIMGPU_TRACE_OPS), i;
	struct walk walk = { .bounds = &c->bounds[index], .times = { 1 } };
	int ret;

	if (p->first_op != *next_op)
		return PROGRAM(first_op, "does not follow the program before");
	if (!p->op_count)
		return PROGRAM(op_count, "is zero");
	*next_op += p->op_count;
	if (*next_op > ops)
		return PROGRAM(op_count, "reaches past the ops");
	for (i = p->first_op; i < *next_op; i++) {
		ret = check_op(c, &walk, i);
		if (ret)
			return ret;
	}
	if (walk.depth)
		return PROGRAM(op_count, "leaves a loop open");
	c->lines_needed[index] = walk.lines;
	return 0;
}

static int check_programs(struct checker *c)
{
	u64 programs = section_count(c->header, SIMGPU_TRACE_PROGRAMS);
	u64 index, next_op = 0;
	int ret;

	for (index = 0; index < programs; index++) {
		ret = check_program(c, index, &next_op);
		if (ret)
			return ret;
	}
	if (next_op != section_count(c->header, SIMGPU_TRACE_OPS))
		return refuse_rest(c, SIMGPU_TRACE_OPS, "has ops of no program");
	return 0;
}

/* --- recorded lines ------------------------------------------------------------------------- */

/* Every warp's recorded lines are there; tables follow each other in order. */
static int check_lines_of_warps(struct checker *c)
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
			continue;	/* none, or an earlier kernel's */
		for (; index < end; index++) {
			const struct simgpu_trace_warp *w = &c->warps[index];
			u32 program = k->first_program + w->program;

			if (fixed_add(w->first_line, c->lines_needed[program]) >
			    lines)
				return WARP(first_line, "runs past the lines");
		}
	}
	return 0;
}

static int check_lines(struct checker *c)
{
	u64 count = section_count(c->header, SIMGPU_TRACE_LINES), i;
	u64 end = c->header->footprint_bytes / SIMGPU_TRACE_LINE_BYTES;

	for (i = 0; i < count; i++) {
		u32 known = SIMGPU_TRACE_LINE_INDEX | SIMGPU_TRACE_LINE_PARTIAL;
		u32 line = c->lines[i];

		if (!(line & ~known) && (line & SIMGPU_TRACE_LINE_INDEX) < end)
			continue;
		snprintf(c->error->field, sizeof(c->error->field),
			 "lines[%llu]", i);
		return refuse(c, -EINVAL, &c->lines[i],
			      line & ~known ? "has an unknown flag" :
					      "lies past the footprint");
	}
	return 0;
}

static int check_weights(struct checker *c)
{
	u64 count = section_count(c->header, SIMGPU_TRACE_WEIGHTS), index;

	for (index = 0; index < count; index++) {
		const struct simgpu_trace_weight *w = &c->weights[index];

		if (!name_is_good(w->name))
			return ELEMENT(-EINVAL, "weights", index, w, name,
				       "is not a printable name");
		if (w->reserved)
			return ELEMENT(-EINVAL, "weights", index, w, reserved,
				       "is not zero");
	}
	return 0;
}

/* --- the whole ------------------------------------------------------------------------------- */

static u64 decoded_bytes(const struct simgpu_trace_header *h)
{
	u64 programs = section_count(h, SIMGPU_TRACE_PROGRAMS);

	return sizeof(struct trace) +
	       section_count(h, SIMGPU_TRACE_KERNELS) *
	       sizeof(struct trace_kernel) +
	       section_count(h, SIMGPU_TRACE_PATTERNS) *
	       sizeof(struct trace_pattern) +
	       (section_count(h, SIMGPU_TRACE_OPS) + programs) *
	       sizeof(struct trace_op) +
	       section_count(h, SIMGPU_TRACE_WARPS) * sizeof(struct trace_warp) +
	       section_count(h, SIMGPU_TRACE_ROWS) * sizeof(struct trace_row) +
	       section_count(h, SIMGPU_TRACE_RUNS) * sizeof(struct trace_run) +
	       (section_count(h, SIMGPU_TRACE_LINES) + programs) * sizeof(u32);
}

static int check_contents(struct checker *c)
{
	u64 kernels = section_count(c->header, SIMGPU_TRACE_KERNELS), i;
	int ret = 0;

	for (i = 0; !ret && i < section_count(c->header, SIMGPU_TRACE_PATTERNS);
	     i++)
		ret = check_pattern(c, i);
	for (i = 0; !ret && i < kernels; i++)
		ret = check_kernel(c, i);
	if (!ret)
		ret = check_program_ranges(c);
	if (!ret)
		ret = check_tables(c);
	if (!ret)
		ret = check_programs(c);
	if (!ret)
		ret = check_lines_of_warps(c);
	if (!ret)
		ret = check_lines(c);
	if (!ret)
		ret = check_weights(c);
	return ret;
}

static void find_sections(struct checker *c)
{
	const struct simgpu_trace_header *h = c->header;

	c->kernels = section_data(h, SIMGPU_TRACE_KERNELS);
	c->programs = section_data(h, SIMGPU_TRACE_PROGRAMS);
	c->ops = section_data(h, SIMGPU_TRACE_OPS);
	c->patterns = section_data(h, SIMGPU_TRACE_PATTERNS);
	c->warps = section_data(h, SIMGPU_TRACE_WARPS);
	c->lines = section_data(h, SIMGPU_TRACE_LINES);
	c->weights = section_data(h, SIMGPU_TRACE_WEIGHTS);
	c->rows = section_data(h, SIMGPU_TRACE_ROWS);
	c->runs = section_data(h, SIMGPU_TRACE_RUNS);
}

static int check_limits(struct checker *c)
{
	static const struct {
		u32 section;
		u64 most;
		const char *reason;
	} limits[] = {
		{ SIMGPU_TRACE_KERNELS, SIMGPU_TRACE_KERNELS_MAX,
		  "is more than 1024 kernels" },
		{ SIMGPU_TRACE_ROWS, SIMGPU_TRACE_RUNS_MAX,
		  "is more than 2^20 rows" },
		{ SIMGPU_TRACE_RUNS, SIMGPU_TRACE_RUNS_MAX,
		  "is more than 2^20 runs" },
	};
	u32 i;

	for (i = 0; i < ARRAY_SIZE(limits); i++) {
		u32 section = limits[i].section;

		if (section_count(c->header, section) > limits[i].most)
			return refuse_element(c, -E2BIG, "sections", section,
					      "count",
					      &c->header->sections[section],
					      limits[i].reason);
	}
	return 0;
}

/* What the checks remember; contents are checked with it. */
static int check_with_memory(struct checker *c)
{
	u64 programs = section_count(c->header, SIMGPU_TRACE_PROGRAMS);
	u64 runs = section_count(c->header, SIMGPU_TRACE_RUNS);
	int ret = -ENOMEM;

	c->lines_needed = port_alloc(programs * sizeof(*c->lines_needed));
	c->bounds = port_alloc(programs * sizeof(*c->bounds));
	/* One more than there are runs: a row may claim to begin behind them. */
	c->lists = port_alloc((runs + 1) * sizeof(*c->lists));
	if (c->lines_needed && c->bounds && c->lists)
		ret = check_contents(c);
	port_free(c->lines_needed);
	port_free(c->bounds);
	port_free(c->lists);
	return ret;
}

/* A trace may come from any process: see trace.h for the contract. */
int trace_check(const void *bytes, u64 count, u64 *memory_bytes,
		struct trace_error *error)
{
	struct checker checker = {
		.bytes = bytes, .count = count, .header = bytes, .error = error,
	}, *c = &checker;
	int ret;

	memset(error, 0, sizeof(*error));
	if (count > SIMGPU_TRACE_BYTES_MAX)
		return refuse_header(c, -E2BIG, "trace", bytes,
				     "is longer than 256 MiB");
	ret = check_header(c);
	if (!ret)
		ret = check_limits(c);
	if (ret)
		return ret;
	find_sections(c);
	ret = check_with_memory(c);
	*memory_bytes = decoded_bytes(c->header);
	return ret;
}

/* --- decoding --------------------------------------------------------------------------------- */

static void *take(u8 **memory, u64 count, u64 bytes)
{
	void *at = *memory;

	*memory += count * bytes;
	return at;
}

static void decode_pattern(const struct simgpu_trace_pattern *from,
			   struct trace_pattern *to)
{
	to->kind = from->kind;
	to->access_bytes = from->access_bytes;
	to->base = from->base;
	to->region_bytes = from->region_bytes;
	memcpy(to->block_stride, from->block_stride, sizeof(to->block_stride));
	to->warp_stride = from->warp_stride;
	to->lane_stride = from->lane_stride;
	to->group_stride = from->group_stride;
	memcpy(to->loop_stride, from->loop_stride, sizeof(to->loop_stride));
	to->xor_bytes = from->xor_bytes;
	to->xor_loop = from->xor_loop;
	to->seed = from->seed;
	to->lines = from->lines;
	to->group_lanes = from->group_lanes;
}

/* Copy a program's ops; a loop's end learns where its body begins. */
static void decode_program(const struct simgpu_trace_op *from, u32 count,
			   struct trace_op *ops, u32 first)
{
	u32 open[SIMGPU_TRACE_LOOP_DEPTH_MAX], depth = 0, i;

	for (i = 0; i < count; i++) {
		struct trace_op *to = &ops[first + i];

		to->kind = from[i].kind;
		to->active_lanes = from[i].active_lanes;
		to->issue_cycles = from[i].issue_cycles;
		to->count = from[i].count;
		to->pattern = from[i].pattern;
		/* Distances must stay far from the counter's wrap. */
		to->consume_after = from[i].consume_after < (1U << 30) ?
				    from[i].consume_after : (1U << 30);
		if (to->kind == TRACE_LOOP)
			open[depth++] = first + i + 1;
		else if (to->kind == TRACE_LOOP_END)
			to->pattern = open[--depth];
	}
	ops[first + count].kind = TRACE_END;
}

static void decode_kernel(const struct simgpu_trace_kernel *from,
			  struct trace_kernel *to, const u32 *programs,
			  const struct trace_warp *warps)
{
	memcpy(to->name, from->name, sizeof(to->name));
	memcpy(to->grid, from->grid, sizeof(to->grid));
	to->blocks = (u32)blocks_of(from);
	to->block_threads = (u32)threads_of(from);
	to->block_warps = warps_of(from);
	to->registers_per_thread = from->registers_per_thread;
	to->shared_bytes = from->shared_bytes;
	to->programs = programs + from->first_program;
	to->warps = from->first_warp == SIMGPU_TRACE_NO_WARPS ?
		    NULL : warps + from->first_warp;
	to->sample_n = from->sample_n;
	to->row_count = from->row_count;
}

/* Elements that are the same in the file and in memory. */
static void *decode_same(const struct simgpu_trace_header *h, u32 section,
			 u32 bytes, u8 **memory)
{
	u64 count = section_count(h, section);
	void *to = take(memory, count, bytes);

	if (count)
		memcpy(to, section_data(h, section), count * bytes);
	return to;
}

struct trace *trace_decode(const void *bytes, void *memory)
{
	const struct simgpu_trace_header *h = bytes;
	const struct simgpu_trace_program *programs =
		section_data(h, SIMGPU_TRACE_PROGRAMS);
	const struct simgpu_trace_op *ops = section_data(h, SIMGPU_TRACE_OPS);
	const struct simgpu_trace_kernel *kernels =
		section_data(h, SIMGPU_TRACE_KERNELS);
	const struct simgpu_trace_pattern *patterns =
		section_data(h, SIMGPU_TRACE_PATTERNS);
	u64 program_count = section_count(h, SIMGPU_TRACE_PROGRAMS);
	u64 pattern_count = section_count(h, SIMGPU_TRACE_PATTERNS);
	u64 i;
	u8 *at = memory;
	struct trace *trace = take(&at, 1, sizeof(*trace));
	struct trace_kernel *to_kernels;
	struct trace_pattern *to_patterns;
	struct trace_op *to_ops;
	struct trace_warp *to_warps;
	struct trace_row *to_rows;
	struct trace_run *to_runs;
	u32 *starts;

	trace->kernel_count = section_count(h, SIMGPU_TRACE_KERNELS);
	to_kernels = take(&at, trace->kernel_count, sizeof(*to_kernels));
	to_patterns = take(&at, pattern_count, sizeof(*to_patterns));
	to_ops = take(&at, section_count(h, SIMGPU_TRACE_OPS) + program_count,
		      sizeof(*to_ops));
	to_warps = decode_same(h, SIMGPU_TRACE_WARPS, sizeof(*to_warps), &at);
	to_rows = decode_same(h, SIMGPU_TRACE_ROWS, sizeof(*to_rows), &at);
	to_runs = decode_same(h, SIMGPU_TRACE_RUNS, sizeof(*to_runs), &at);
	trace->lines = decode_same(h, SIMGPU_TRACE_LINES, sizeof(u32), &at);
	starts = take(&at, program_count, sizeof(*starts));

	memcpy(trace->name, h->name, sizeof(trace->name));
	trace->checksum = h->checksum;
	trace->bytes = h->total_bytes;
	trace->memory_bytes = decoded_bytes(h);
	trace->footprint_bytes = h->footprint_bytes;
	for (i = 0; i < pattern_count; i++)
		decode_pattern(&patterns[i], &to_patterns[i]);
	for (i = 0; i < program_count; i++) {
		starts[i] = programs[i].first_op + (u32)i;
		decode_program(&ops[programs[i].first_op], programs[i].op_count,
			       to_ops, starts[i]);
	}
	for (i = 0; i < trace->kernel_count; i++) {
		decode_kernel(&kernels[i], &to_kernels[i], starts, to_warps);
		to_kernels[i].rows = to_rows + kernels[i].first_row;
		to_kernels[i].runs = to_runs;
	}
	trace->kernels = to_kernels;
	trace->patterns = to_patterns;
	trace->ops = to_ops;
	return trace;
}

/* --- the warp table at run time --------------------------------------------------------------- */

static const struct trace_row *find_row(const struct trace_kernel *kernel, u32 row)
{
	u32 low = 0, high = kernel->row_count - 1;

	while (low < high) {
		u32 middle = low + (high - low) / 2;

		if (row < kernel->rows[middle].end)
			high = middle;
		else
			low = middle + 1;
	}
	return &kernel->rows[low];
}

static const struct trace_run *find_run(const struct trace_run *runs, u32 count,
					u32 place)
{
	u32 low = 0, high = count - 1;

	while (low < high) {
		u32 middle = low + (high - low) / 2;

		if (place < runs[middle].end)
			high = middle;
		else
			low = middle + 1;
	}
	return &runs[low];
}

const struct trace_warp *trace_warp(const struct trace_kernel *kernel, u32 block,
				    u32 warp)
{
	const struct trace_row *row;

	if (kernel->sample_n > 1)
		block /= kernel->sample_n;
	if (kernel->row_count) {
		u32 length = kernel->sample_n > 1 ? U32_MAX : kernel->grid[0];

		row = find_row(kernel, block / length);
		block = find_run(kernel->runs + row->first_run, row->run_count,
				 block % length)->block;
	}
	return &kernel->warps[(u64)block * kernel->block_warps + warp];
}
