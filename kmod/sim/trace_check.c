// SPDX-License-Identifier: GPL-2.0
/*
 * The validator of traces: header, sections, patterns, kernels, and the trace as a whole.
 * trace_check_tables.c, trace_check_programs.c, trace_check_profiles.c,
 * trace_check_allocations.c and trace_check_commands.c have the rest.
 */
#include "trace_check.h"

#define REGISTERS_MAX		255
#define STRIDE_MAX		((s64)SIMGPU_TRACE_SPACE_BYTES)
#define HEADER_BYTES_V1		offsetof(struct simgpu_trace_header, \
					 sections[SIMGPU_TRACE_SECTIONS_V1])

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
	[SIMGPU_TRACE_MIXES] = sizeof(struct simgpu_trace_mix),
	[SIMGPU_TRACE_INSTRUCTIONS] = sizeof(struct simgpu_trace_instruction),
	[SIMGPU_TRACE_PROFILES] = sizeof(struct simgpu_trace_profile),
	[SIMGPU_TRACE_POINTS] = sizeof(struct simgpu_trace_point),
	[SIMGPU_TRACE_ALLOCATIONS] = sizeof(struct simgpu_trace_allocation),
	[SIMGPU_TRACE_COMMANDS] = sizeof(struct simgpu_trace_command),
};

/* --- refusals ---------------------------------------------------------------------- */

static int refuse(struct checker *c, int code, const void *at,
		  const char *reason)
{
	c->error->offset = (u64)((const u8 *)at - c->bytes);
	snprintf(c->error->reason, sizeof(c->error->reason), "%s", reason);
	return code;
}

/* Name the field of an element of a section: "ops[7].count". */
int refuse_element(struct checker *c, int code, const char *section, u64 index,
		   const char *field, const void *at, const char *reason)
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

int refuse_rest(struct checker *c, u32 section, const char *reason)
{
	return refuse_element(c, -EINVAL, "sections", section, "count",
			      &c->header->sections[section], reason);
}

#define HEADER(code, field, reason) \
	refuse_header(c, code, #field, &c->header->field, reason)

/* --- header ---------------------------------------------------------------------------- */

bool name_is_good(const char *name)
{
	u32 i, end = SIMGPU_TRACE_NAME_BYTES;

	for (i = 0; i < SIMGPU_TRACE_NAME_BYTES; i++) {
		if (!name[i])
			end = min(end, i);
		else if (i > end || name[i] < ' ' || name[i] > '~')
			return false;
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

	for (i = 0; i < section_total(c->header); i++) {
		u64 bytes = fixed_mul(s[i].count, element_bytes[i]);

		end[i] = fixed_add(s[i].offset, bytes);
		if (s[i].offset % 8)
			return ELEMENT(-EINVAL, "sections", i, &s[i], offset,
				       "is not a multiple of 8");
		if (s[i].count < least[i])
			return ELEMENT(-EINVAL, "sections", i, &s[i], count,
				       "is zero");
		if (s[i].count && s[i].offset < c->header->header_bytes)
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

	if (c->count < HEADER_BYTES_V1)
		return refuse_header(c, -EINVAL, "header", h,
				     "is longer than the trace");
	if (h->magic != SIMGPU_TRACE_MAGIC)
		return HEADER(-EINVAL, magic, "is not that of a trace");
	if (!section_total(h))
		return HEADER(-EINVAL, version, "is not supported");
	if (h->header_bytes != offsetof(struct simgpu_trace_header, sections) +
			       section_total(h) * sizeof(h->sections[0]))
		return HEADER(-EINVAL, header_bytes, "is not this version's");
	if (c->count < h->header_bytes)
		return refuse_header(c, -EINVAL, "header", h,
				     "is longer than the trace");
	if (h->total_bytes != c->count) {
		char reason[sizeof(c->error->reason)];

		snprintf(reason, sizeof(reason), "is wrong: %llu of %llu bytes are there",
			 (unsigned long long)c->count,
			 (unsigned long long)h->total_bytes);
		return HEADER(-EINVAL, total_bytes, reason);
	}
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

/* Check the region of an affine pattern, whose base and size are signed numbers. */
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

	if (look(c))
		return -EINTR;
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

/* Each kernel's programs either follow those of all kernels before, or are an earlier one's. */
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

/* --- recorded lines, weights ---------------------------------------------------------------- */

/* The reason to refuse a recorded line, or NULL. */
static const char *line_reason(u32 line, u32 known, u64 end)
{
	if (line & ~known)
		return "has an unknown flag";
	if ((line & SIMGPU_TRACE_LINE_SKIP) == SIMGPU_TRACE_LINE_SKIP)
		return "touches no sector";
	if ((line & SIMGPU_TRACE_LINE_INDEX) >= end)
		return "lies past the footprint";
	return NULL;
}

static int check_lines(struct checker *c)
{
	u64 count = section_count(c->header, SIMGPU_TRACE_LINES), i;
	u64 end = c->header->footprint_bytes / SIMGPU_TRACE_LINE_BYTES;
	u32 known = SIMGPU_TRACE_LINE_INDEX | SIMGPU_TRACE_LINE_PARTIAL;

	if (c->header->version > 1)
		known |= SIMGPU_TRACE_LINE_SKIP;
	for (i = 0; i < count; i++) {
		const char *reason = line_reason(c->lines[i], known, end);

		if (look(c))
			return -EINTR;
		if (!reason)
			continue;
		snprintf(c->error->field, sizeof(c->error->field),
			 "lines[%llu]", i);
		return refuse(c, -EINVAL, &c->lines[i], reason);
	}
	return 0;
}

static int check_weights(struct checker *c)
{
	u64 count = section_count(c->header, SIMGPU_TRACE_WEIGHTS), index;

	for (index = 0; index < count; index++) {
		const struct simgpu_trace_weight *w = &c->weights[index];

		if (look(c))
			return -EINTR;
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

/* What is checked without remembering anything. */
static int check_plain(struct checker *c)
{
	u64 kernels = section_count(c->header, SIMGPU_TRACE_KERNELS), i;
	int ret = 0;

	for (i = 0; !ret && i < section_count(c->header, SIMGPU_TRACE_PATTERNS);
	     i++)
		ret = check_pattern(c, i);
	for (i = 0; !ret && i < kernels; i++)
		ret = check_kernel(c, i);
	return ret ?: check_program_ranges(c);
}

static int check_contents(struct checker *c)
{
	int ret = check_tables(c);

	if (!ret)
		ret = check_mixes(c);
	if (!ret)
		ret = check_programs(c);
	if (!ret)
		ret = check_lines_of_warps(c);
	if (!ret)
		ret = check_lines(c);
	if (!ret)
		ret = check_weights(c);
	if (!ret)
		ret = check_profiles(c);
	if (!ret)
		ret = check_allocations(c);
	if (!ret)
		ret = check_commands(c);
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
	c->mixes = section_data(h, SIMGPU_TRACE_MIXES);
	c->instructions = section_data(h, SIMGPU_TRACE_INSTRUCTIONS);
	c->profiles = section_data(h, SIMGPU_TRACE_PROFILES);
	c->points = section_data(h, SIMGPU_TRACE_POINTS);
	c->allocations = section_data(h, SIMGPU_TRACE_ALLOCATIONS);
	c->commands = section_data(h, SIMGPU_TRACE_COMMANDS);
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
		{ SIMGPU_TRACE_ALLOCATIONS, SIMGPU_TRACE_ALLOCATIONS_MAX,
		  "is more than 2^16 allocations" },
		{ SIMGPU_TRACE_COMMANDS, SIMGPU_TRACE_COMMANDS_MAX,
		  "is more than 2^20 commands" },
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
	/* So the memory that a check takes is bounded by the trace's own size. */
	if (section_count(c->header, SIMGPU_TRACE_PROGRAMS) >
	    section_count(c->header, SIMGPU_TRACE_OPS))
		return refuse_rest(c, SIMGPU_TRACE_PROGRAMS,
				   "is more programs than there are ops");
	return 0;
}

static u64 remembered_programs(const struct checker *c)
{
	return section_count(c->header, SIMGPU_TRACE_PROGRAMS);
}

/* One more than the runs: a row may say that it begins behind them. */
static u64 remembered_runs(const struct checker *c)
{
	return section_count(c->header, SIMGPU_TRACE_RUNS) + 1;
}

/* The place behind a red zone that begins at @end. */
static void *behind(void *end)
{
	port_forbid(end, PORT_RED_ZONE);
	return (u8 *)end + PORT_RED_ZONE;
}

/* What a check remembers of each program and each run lies in one piece of memory. */
static void place_scratch(struct checker *c, void *scratch)
{
	c->lines_needed = scratch;
	c->bounds = behind(c->lines_needed + remembered_programs(c));
	c->lists = behind(c->bounds + remembered_programs(c));
}

static void find_trace(struct checker *c, const void *bytes, u64 count,
		       struct trace_error *error)
{
	*c = (struct checker) {
		.bytes = bytes, .count = count, .header = bytes, .error = error,
	};
	memset(error, 0, sizeof(*error));
}

int trace_check_start(const void *bytes, u64 count, u64 *scratch_bytes,
		      struct trace_error *error)
{
	struct checker checker, *c = &checker;
	int ret;

	find_trace(c, bytes, count, error);
	if (count > SIMGPU_TRACE_BYTES_MAX)
		return refuse_header(c, -E2BIG, "trace", bytes,
				     "is longer than 256 MiB");
	ret = check_header(c) ?: check_limits(c);
	if (ret)
		return ret;
	find_sections(c);
	*scratch_bytes = remembered_programs(c) *
			 (sizeof(*c->lines_needed) + sizeof(*c->bounds)) +
			 remembered_runs(c) * sizeof(*c->lists) +
			 2 * PORT_RED_ZONE;
	return check_plain(c);
}

int trace_check_finish(const void *bytes, u64 count, void *scratch,
		       u64 *memory_bytes, struct trace_error *error)
{
	struct checker checker, *c = &checker;
	int ret;

	find_trace(c, bytes, count, error);
	find_sections(c);
	place_scratch(c, scratch);
	ret = check_contents(c);
	*memory_bytes = trace_decoded_bytes(c->header);
	return ret;
}

/* The trace may come from any process; trace.h has the contract. */
int trace_check(const void *bytes, u64 count, u64 *memory_bytes,
		struct trace_error *error)
{
	u64 scratch_bytes;
	void *scratch;
	int ret = trace_check_start(bytes, count, &scratch_bytes, error);

	if (ret)
		return ret;
	scratch = port_alloc(scratch_bytes);
	ret = scratch ? trace_check_finish(bytes, count, scratch, memory_bytes,
					   error) : -ENOMEM;
	port_free(scratch);
	return ret;
}
