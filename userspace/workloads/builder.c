// SPDX-License-Identifier: GPL-2.0
/* The trace builder; see builder.h. */
#include <ctype.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

#include "builder.h"

/** struct list - elements of a section so far */
struct list {
	void *data;
	size_t count;
	size_t room;
};

/**
 * struct builder - a trace that is being built
 * @mix_slot: hash table of the mixes: 1 + index, or 0
 * @mix_slots: its size, a power of two, at least twice the number of mixes
 * @size_ppm: part of a benchmark's data that the trace has
 * @version: version of the format: 2, 3 with a profile, 4 with an allocation or a command, or 5 with
 *	an op that spins
 * @only: name of the kernel that is kept alone, or NULL
 * @kernels: kernels so far, with those that are not kept
 * @kept: index of the one that is kept alone
 * @skips: what comes next belongs to a kernel that is not kept
 * @failed: whether memory has run out, or a call was invalid
 */
struct builder {
	struct simgpu_trace_header header;
	struct list lists[SIMGPU_TRACE_SECTIONS];
	__u32 *mix_slot;
	__u32 mix_slots;
	__u32 size_ppm;
	__u32 version;
	const char *only;
	__u32 kernels;
	__u32 kept;
	int skips;
	int failed;
};

static const size_t element_bytes[SIMGPU_TRACE_SECTIONS] = {
	sizeof(struct simgpu_trace_kernel),
	sizeof(struct simgpu_trace_program),
	sizeof(struct simgpu_trace_op),
	sizeof(struct simgpu_trace_pattern),
	sizeof(struct simgpu_trace_warp),
	sizeof(__u32),
	sizeof(struct simgpu_trace_weight),
	sizeof(struct simgpu_trace_row),
	sizeof(struct simgpu_trace_run),
	sizeof(struct simgpu_trace_mix),
	sizeof(struct simgpu_trace_instruction),
	sizeof(struct simgpu_trace_profile),
	sizeof(struct simgpu_trace_point),
	sizeof(struct simgpu_trace_allocation),
	sizeof(struct simgpu_trace_command),
};

__u32 trace_sections(__u32 version)
{
	static const __u32 sections[SIMGPU_TRACE_VERSION + 1] = {
		0, SIMGPU_TRACE_SECTIONS_V1, SIMGPU_TRACE_SECTIONS_V2,
		SIMGPU_TRACE_SECTIONS_V3, SIMGPU_TRACE_SECTIONS,
		SIMGPU_TRACE_SECTIONS,
	};

	return sections[version];
}

struct builder *builder_new(const char *name, const char *source)
{
	struct builder *builder = calloc(1, sizeof(*builder));

	if (!builder)
		return NULL;
	strncpy(builder->header.name, name, SIMGPU_TRACE_NAME_BYTES - 1);
	strncpy(builder->header.source, source, SIMGPU_TRACE_NAME_BYTES - 1);
	builder->size_ppm = 1000000;
	builder->version = 2;
	return builder;
}

void builder_source(struct builder *builder, const char *source)
{
	memset(builder->header.source, 0, SIMGPU_TRACE_NAME_BYTES);
	strncpy(builder->header.source, source, SIMGPU_TRACE_NAME_BYTES - 1);
}

void builder_free(struct builder *builder)
{
	int i;

	if (!builder)
		return;
	for (i = 0; i < SIMGPU_TRACE_SECTIONS; i++)
		free(builder->lists[i].data);
	free(builder->mix_slot);
	free(builder);
}

/* Whether elements of a section belong to the present kernel, which is not kept. */
static int is_skipped(const struct builder *builder, int section)
{
	return builder->skips && (section == SIMGPU_TRACE_KERNELS ||
				  section == SIMGPU_TRACE_PROGRAMS ||
				  section == SIMGPU_TRACE_OPS);
}

/* Add a zeroed element to a section; NULL: memory has run out, or it is not kept. */
static void *add(struct builder *builder, int section)
{
	struct list *list = &builder->lists[section];
	size_t bytes = element_bytes[section];
	char *at;

	if (builder->failed || is_skipped(builder, section))
		return NULL;
	if (list->count == list->room) {
		size_t room = list->room ? list->room * 2 : 64;
		void *data = realloc(list->data, room * bytes);

		if (!data) {
			builder->failed = 1;
			return NULL;
		}
		list->data = data;
		list->room = room;
	}
	at = (char *)list->data + list->count++ * bytes;
	return memset(at, 0, bytes);
}

static void *last(struct builder *builder, int section)
{
	struct list *list = &builder->lists[section];

	if (builder->failed || !list->count || is_skipped(builder, section))
		return NULL;
	return (char *)list->data + (list->count - 1) * element_bytes[section];
}

void builder_only(struct builder *builder, const char *kernel)
{
	builder->only = kernel;
}

int builder_kept(const struct builder *builder)
{
	return builder->only ? (int)builder->kept : -1;
}

/* A kernel begins; whether it is kept. */
static int begin_kernel(struct builder *builder, const char *name)
{
	builder->skips = builder->only && (builder->lists[SIMGPU_TRACE_KERNELS].count ||
					   strncmp(name, builder->only,
						   SIMGPU_TRACE_NAME_BYTES - 1));
	if (!builder->skips)
		builder->kept = builder->kernels;
	builder->kernels++;
	return !builder->skips;
}

void builder_kernel(struct builder *builder, const char *name, __u32 blocks,
		    __u32 threads, __u32 registers, __u32 shared_bytes)
{
	struct simgpu_trace_kernel *kernel;
	int i;

	if (!begin_kernel(builder, name))
		return;
	kernel = add(builder, SIMGPU_TRACE_KERNELS);
	if (!kernel)
		return;
	strncpy(kernel->name, name, SIMGPU_TRACE_NAME_BYTES - 1);
	for (i = 1; i < 3; i++)
		kernel->grid[i] = kernel->block[i] = 1;
	kernel->grid[0] = blocks;
	kernel->block[0] = threads;
	kernel->registers_per_thread = registers;
	kernel->shared_bytes = shared_bytes;
	kernel->first_program = builder->lists[SIMGPU_TRACE_PROGRAMS].count;
	kernel->first_warp = SIMGPU_TRACE_NO_WARPS;
	kernel->sample_n = 1;
	builder_program(builder);
}

static void set_sizes(__u32 *sizes, __u32 x, __u32 y, __u32 z)
{
	sizes[0] = x;
	sizes[1] = y;
	sizes[2] = z;
}

void builder_grid(struct builder *builder, __u32 x, __u32 y, __u32 z)
{
	struct simgpu_trace_kernel *kernel = last(builder, SIMGPU_TRACE_KERNELS);

	if (kernel)
		set_sizes(kernel->grid, x, y, z);
}

void builder_block(struct builder *builder, __u32 x, __u32 y, __u32 z)
{
	struct simgpu_trace_kernel *kernel = last(builder, SIMGPU_TRACE_KERNELS);

	if (kernel)
		set_sizes(kernel->block, x, y, z);
}

void builder_again(struct builder *builder, __u32 kernels, __u32 times)
{
	const struct list *list = &builder->lists[SIMGPU_TRACE_KERNELS];
	const struct simgpu_trace_kernel *from;
	struct simgpu_trace_kernel *to;
	__u32 i;

	builder->kernels += kernels * times;
	for (i = 0; i < kernels * times && !builder->only; i++) {
		to = add(builder, SIMGPU_TRACE_KERNELS);
		if (!to)
			return;
		from = list->data;
		*to = from[list->count - 1 - kernels];
	}
}

__u32 builder_program(struct builder *builder)
{
	struct simgpu_trace_kernel *kernel = last(builder, SIMGPU_TRACE_KERNELS);
	struct simgpu_trace_program *program;

	program = add(builder, SIMGPU_TRACE_PROGRAMS);
	if (!program || !kernel)
		return 0;
	program->first_op = builder->lists[SIMGPU_TRACE_OPS].count;
	return kernel->program_count++;
}

__u32 builder_pattern(struct builder *builder,
		      const struct simgpu_trace_pattern *pattern)
{
	struct simgpu_trace_pattern *to = add(builder, SIMGPU_TRACE_PATTERNS);

	if (to)
		*to = *pattern;
	return builder->lists[SIMGPU_TRACE_PATTERNS].count - 1;
}

__u32 builder_affine(struct builder *builder, __u64 base, __u64 region_bytes,
		     __u32 access_bytes, __s64 block_stride, __s64 warp_stride,
		     __s64 loop_stride)
{
	struct simgpu_trace_pattern pattern = {
		.kind = SIMGPU_TRACE_AFFINE,
		.access_bytes = access_bytes,
		.base = base,
		.region_bytes = region_bytes,
		.block_stride = { block_stride },
		.warp_stride = warp_stride,
		.lane_stride = access_bytes,
		.loop_stride = { loop_stride },
	};

	return builder_pattern(builder, &pattern);
}

void builder_footprint(struct builder *builder, __u64 bytes)
{
	builder->header.footprint_bytes = bytes;
}

__u32 builder_access(struct builder *builder,
		     const struct simgpu_trace_pattern *pattern)
{
	struct simgpu_trace_pattern whole = *pattern;

	whole.kind = SIMGPU_TRACE_AFFINE;
	whole.region_bytes = builder->header.footprint_bytes - whole.base;
	return builder_pattern(builder, &whole);
}

void builder_op(struct builder *builder, const struct simgpu_trace_op *op)
{
	struct simgpu_trace_program *program = last(builder,
						    SIMGPU_TRACE_PROGRAMS);
	struct simgpu_trace_op *to = add(builder, SIMGPU_TRACE_OPS);

	if (!program || !to)
		return;
	*to = *op;
	program->op_count++;
}

void builder_slow(struct builder *builder, __u32 count, __u32 lanes,
		  __u32 issue_cycles)
{
	struct simgpu_trace_op op = {
		.kind = SIMGPU_TRACE_COMPUTE, .active_lanes = lanes,
		.issue_cycles = issue_cycles, .count = count,
	};

	builder_op(builder, &op);
}

void builder_compute(struct builder *builder, __u32 count, __u32 lanes)
{
	builder_slow(builder, count, lanes, 1);
}

void builder_shared(struct builder *builder, __u32 count, __u32 lanes,
		    __u32 issue_cycles)
{
	struct simgpu_trace_op op = {
		.kind = SIMGPU_TRACE_SHARED, .active_lanes = lanes,
		.issue_cycles = issue_cycles, .count = count,
	};

	builder_op(builder, &op);
}

/* --- mixes -------------------------------------------------------------------- */

static struct simgpu_trace_instruction *instructions_of(struct builder *builder,
							__u32 index)
{
	const struct simgpu_trace_mix *mixes;
	struct simgpu_trace_instruction *instructions;

	mixes = builder->lists[SIMGPU_TRACE_MIXES].data;
	instructions = builder->lists[SIMGPU_TRACE_INSTRUCTIONS].data;
	return instructions + mixes[index].first_instruction;
}

static __u32 mix_hash(const struct simgpu_trace_instruction *instructions,
		      __u32 count)
{
	return crc32_z(0, (const void *)instructions,
		       count * sizeof(*instructions));
}

static void put_mix(struct builder *builder, __u32 index)
{
	const struct simgpu_trace_mix *mixes;
	__u32 at;

	mixes = builder->lists[SIMGPU_TRACE_MIXES].data;
	at = mix_hash(instructions_of(builder, index),
		      mixes[index].instruction_count);
	for (at &= builder->mix_slots - 1; builder->mix_slot[at];)
		at = (at + 1) & (builder->mix_slots - 1);
	builder->mix_slot[at] = index + 1;
}

/* The number of the mix with these instructions; 0: there is none. */
static __u32 find_mix(struct builder *builder,
		      const struct simgpu_trace_instruction *instructions,
		      __u32 count)
{
	const struct simgpu_trace_mix *mixes;
	__u32 at = mix_hash(instructions, count), number;

	mixes = builder->lists[SIMGPU_TRACE_MIXES].data;
	for (; builder->mix_slots; at++) {
		number = builder->mix_slot[at & (builder->mix_slots - 1)];
		if (!number)
			break;
		if (mixes[number - 1].instruction_count == count &&
		    !memcmp(instructions_of(builder, number - 1), instructions,
			    count * sizeof(*instructions)))
			return number;
	}
	return 0;
}

/* Make room in the hash table for one more mix. */
static void widen_mixes(struct builder *builder)
{
	__u32 count = builder->lists[SIMGPU_TRACE_MIXES].count, slots, i;
	__u32 *slot;

	if (2 * (count + 1) <= builder->mix_slots)
		return;
	slots = builder->mix_slots ? builder->mix_slots * 2 : 64;
	slot = calloc(slots, sizeof(*slot));
	if (!slot) {
		builder->failed = 1;
		return;
	}
	free(builder->mix_slot);
	builder->mix_slot = slot;
	builder->mix_slots = slots;
	for (i = 0; i < count; i++)
		put_mix(builder, i);
}

__u32 builder_mix_of(struct builder *builder,
		     const struct simgpu_trace_instruction *instructions,
		     __u32 count)
{
	struct list *list = &builder->lists[SIMGPU_TRACE_INSTRUCTIONS];
	__u32 number = find_mix(builder, instructions, count), i;
	struct simgpu_trace_instruction *to;
	struct simgpu_trace_mix *mix;

	if (number)
		return number;
	widen_mixes(builder);
	mix = add(builder, SIMGPU_TRACE_MIXES);
	if (!mix)
		return 0;
	mix->first_instruction = list->count;
	mix->instruction_count = count;
	for (i = 0; i < count; i++) {
		to = add(builder, SIMGPU_TRACE_INSTRUCTIONS);
		if (!to)
			return 0;
		*to = instructions[i];
	}
	number = builder->lists[SIMGPU_TRACE_MIXES].count;
	put_mix(builder, number - 1);
	return number;
}

size_t builder_mix_bytes(const struct builder *builder)
{
	return builder->lists[SIMGPU_TRACE_MIXES].count *
	       sizeof(struct simgpu_trace_mix) +
	       builder->lists[SIMGPU_TRACE_INSTRUCTIONS].count *
	       sizeof(struct simgpu_trace_instruction);
}

/* Parse one instruction of a mix's text; returns where it ends, or NULL. */
static const char *read_instruction(const char *text,
				    struct simgpu_trace_instruction *to)
{
	static const char letters[] = "IFDSTMC";
	const char *letter = strchr(letters, *text++);
	unsigned long after, passes = 1;
	char *end = (char *)text;

	after = isdigit((unsigned char)*text) ? strtoul(text, &end, 10) : 0;
	if (*end == '*')
		passes = strtoul(end + 1, &end, 10);
	if (!letter || after > 0xffff || !passes ||
	    passes > SIMGPU_TRACE_PASSES_MAX || (*end && *end != ' '))
		return NULL;
	*to = (struct simgpu_trace_instruction) {
		.unit = letter - letters, .passes = passes, .after = after,
	};
	return end;
}

__u32 builder_mix(struct builder *builder, const char *text)
{
	struct simgpu_trace_instruction list[SIMGPU_TRACE_MIX_MAX];
	__u32 count = 0;

	while (text && *text) {
		if (*text == ' ')
			text++;
		else if (count == SIMGPU_TRACE_MIX_MAX)
			text = NULL;
		else
			text = read_instruction(text, &list[count++]);
	}
	if (!text || !count) {
		builder->failed = 1;
		return 0;
	}
	return builder_mix_of(builder, list, count);
}

void builder_mixed(struct builder *builder, __u32 mix, __u32 count, __u32 lanes)
{
	struct simgpu_trace_op op = {
		.kind = SIMGPU_TRACE_COMPUTE, .active_lanes = lanes,
		.count = count, .mix = mix,
	};

	builder_op(builder, &op);
}

void builder_after(struct builder *builder, __u32 after)
{
	struct simgpu_trace_op *op = last(builder, SIMGPU_TRACE_OPS);

	if (op)
		op->after = after;
}

/* --- memory, barriers, loops -------------------------------------------------- */

static void memory_op(struct builder *builder, enum simgpu_trace_op_kind kind,
		      __u32 pattern, __u32 lanes, __u32 consume_after)
{
	struct simgpu_trace_op op = {
		.kind = kind, .active_lanes = lanes,
		.pattern = pattern, .consume_after = consume_after,
	};

	builder_op(builder, &op);
}

void builder_load(struct builder *builder, __u32 pattern, __u32 lanes,
		  __u32 consume_after)
{
	memory_op(builder, SIMGPU_TRACE_LOAD, pattern, lanes, consume_after);
}

void builder_constant(struct builder *builder, __u32 pattern, __u32 lanes,
		      __u32 consume_after)
{
	memory_op(builder, SIMGPU_TRACE_CONSTANT, pattern, lanes, consume_after);
}

void builder_atomic(struct builder *builder, __u32 pattern, __u32 lanes,
		    __u32 consume_after)
{
	memory_op(builder, SIMGPU_TRACE_ATOMIC, pattern, lanes, consume_after);
}

void builder_store(struct builder *builder, __u32 pattern, __u32 lanes)
{
	memory_op(builder, SIMGPU_TRACE_STORE, pattern, lanes, 0);
}

void builder_barrier(struct builder *builder)
{
	struct simgpu_trace_op op = {
		.kind = SIMGPU_TRACE_BARRIER, .active_lanes = 32,
	};

	builder_op(builder, &op);
}

static void need_version(struct builder *builder, __u32 version)
{
	if (builder->version < version)
		builder->version = version;
}

void builder_spin(struct builder *builder, __u32 lanes)
{
	struct simgpu_trace_op op = {
		.kind = SIMGPU_TRACE_SPIN, .active_lanes = (__u8)lanes,
	};

	builder_op(builder, &op);
	need_version(builder, 5);
}

void builder_loop(struct builder *builder, __u32 trips)
{
	struct simgpu_trace_op op = {
		.kind = SIMGPU_TRACE_LOOP, .count = trips,
	};

	builder_op(builder, &op);
}

void builder_loop_end(struct builder *builder)
{
	struct simgpu_trace_op op = { .kind = SIMGPU_TRACE_LOOP_END };

	builder_op(builder, &op);
}

void builder_warp(struct builder *builder, __u32 program, __u32 first_line)
{
	struct simgpu_trace_kernel *kernel = last(builder, SIMGPU_TRACE_KERNELS);
	struct simgpu_trace_warp *warp = add(builder, SIMGPU_TRACE_WARPS);

	if (!kernel || !warp)
		return;
	warp->program = program;
	warp->first_line = first_line;
	if (kernel->first_warp == SIMGPU_TRACE_NO_WARPS)
		kernel->first_warp = builder->lists[SIMGPU_TRACE_WARPS].count - 1;
}

__u32 builder_line(struct builder *builder, __u32 line)
{
	__u32 *to = add(builder, SIMGPU_TRACE_LINES);

	if (to)
		*to = line;
	return builder->lists[SIMGPU_TRACE_LINES].count - 1;
}

void builder_sample(struct builder *builder, __u32 n)
{
	struct simgpu_trace_kernel *kernel = last(builder, SIMGPU_TRACE_KERNELS);

	if (kernel)
		kernel->sample_n = n;
}

void builder_row(struct builder *builder, __u32 end)
{
	struct simgpu_trace_kernel *kernel = last(builder, SIMGPU_TRACE_KERNELS);
	struct simgpu_trace_row *row = add(builder, SIMGPU_TRACE_ROWS);

	if (!kernel || !row)
		return;
	row->end = end;
	row->first_run = builder->lists[SIMGPU_TRACE_RUNS].count;
	if (!kernel->row_count++)
		kernel->first_row = builder->lists[SIMGPU_TRACE_ROWS].count - 1;
}

void builder_run(struct builder *builder, __u32 end, __u32 block)
{
	struct simgpu_trace_kernel *kernel = last(builder, SIMGPU_TRACE_KERNELS);
	struct simgpu_trace_row *row = last(builder, SIMGPU_TRACE_ROWS);
	struct simgpu_trace_run *run = add(builder, SIMGPU_TRACE_RUNS);

	if (!kernel || !row || !run)
		return;
	run->end = end;
	run->block = block;
	row->run_count++;
	if (block >= kernel->table_blocks)
		kernel->table_blocks = block + 1;
}

void builder_size(struct builder *builder, __u32 ppm)
{
	builder->size_ppm = ppm;
}

__u32 builder_sized(const struct builder *builder, __u32 count, __u32 unit)
{
	__u64 sized = (__u64)count * builder->size_ppm / 1000000 / unit * unit;

	return sized > unit ? (__u32)sized : unit;
}

__u32 builder_sized_log2(const struct builder *builder, __u32 log2, __u32 least)
{
	__u64 ppm = builder->size_ppm;

	for (; log2 > least && ppm <= 500000; ppm *= 2)
		log2--;
	return log2;
}

__u32 builder_launches(const struct builder *builder, __u32 count)
{
	return builder->size_ppm == 1000000 ? count : 1;
}

void builder_seal(void *trace, size_t bytes)
{
	struct simgpu_trace_header *header = trace;

	header->checksum = 0;
	header->checksum = crc32_z(0, trace, bytes);
}

struct builder *builder_of(const void *trace)
{
	const struct simgpu_trace_header *header = trace;
	struct builder *builder = calloc(1, sizeof(*builder));
	__u32 i;

	if (!builder)
		return NULL;
	builder->version = header->version;
	memcpy(&builder->header, header, header->header_bytes);
	for (i = 0; i < trace_sections(header->version); i++) {
		const struct simgpu_trace_section *section = &header->sections[i];
		struct list *list = &builder->lists[i];

		list->data = malloc(section->count * element_bytes[i] + 1);
		if (!list->data) {
			builder_free(builder);
			return NULL;
		}
		memcpy(list->data, (const char *)trace + section->offset,
		       section->count * element_bytes[i]);
		list->count = section->count;
		list->room = section->count;
	}
	return builder;
}

void builder_no_profiles(struct builder *builder)
{
	builder->lists[SIMGPU_TRACE_PROFILES].count = 0;
	builder->lists[SIMGPU_TRACE_POINTS].count = 0;
}

__u32 builder_points(struct builder *builder,
		     const struct simgpu_trace_point *points, __u32 count)
{
	__u32 first = builder->lists[SIMGPU_TRACE_POINTS].count, i;

	for (i = 0; i < count; i++) {
		struct simgpu_trace_point *to = add(builder, SIMGPU_TRACE_POINTS);

		if (to)
			*to = points[i];
	}
	return first;
}

void builder_profile(struct builder *builder,
		     const struct simgpu_trace_profile *profile)
{
	struct simgpu_trace_profile *to = add(builder, SIMGPU_TRACE_PROFILES);

	if (to)
		*to = *profile;
	need_version(builder, 3);
}

void builder_allocation(struct builder *builder, const char *name, __u64 base, __u64 bytes,
			enum simgpu_trace_allocation_kind kind)
{
	struct simgpu_trace_allocation *to = add(builder, SIMGPU_TRACE_ALLOCATIONS);

	need_version(builder, 4);
	if (!to)
		return;
	strncpy(to->name, name, SIMGPU_TRACE_NAME_BYTES - 1);
	to->base = base;
	to->bytes = bytes;
	to->kind = kind;
	to->last_command = SIMGPU_TRACE_TO_END;
}

void builder_command(struct builder *builder, enum simgpu_trace_command_kind kind,
		     __u32 queue, __u32 what, __u32 repeat, __u64 amount)
{
	struct simgpu_trace_command *to = add(builder, SIMGPU_TRACE_COMMANDS);

	need_version(builder, 4);
	if (!to)
		return;
	*to = (struct simgpu_trace_command) {
		.kind = (__u16)kind,
		.queue = (__u16)queue,
		.what = what,
		.repeat = repeat,
		.amount = amount,
	};
}

void builder_version_1(struct builder *builder)
{
	builder->version = 1;
}

/* Set the offsets of the sections; returns the size of the trace. */
static size_t place_sections(struct builder *builder)
{
	struct simgpu_trace_header *header = &builder->header;
	__u32 sections = trace_sections(builder->version), i;
	size_t at;

	header->magic = SIMGPU_TRACE_MAGIC;
	header->version = builder->version;
	header->header_bytes = offsetof(struct simgpu_trace_header, sections) +
			       sections * sizeof(header->sections[0]);
	at = header->header_bytes;
	for (i = 0; i < sections; i++) {
		size_t used = builder->lists[i].count * element_bytes[i];

		header->sections[i].offset = at;
		header->sections[i].count = builder->lists[i].count;
		at += (used + 7) & ~(size_t)7;
	}
	header->total_bytes = at;
	return at;
}

void *builder_finish(struct builder *builder, __u64 footprint_bytes,
		     size_t *bytes)
{
	const struct simgpu_trace_header *header = &builder->header;
	size_t size;
	char *trace;
	__u32 i;

	for (i = trace_sections(builder->version); i < SIMGPU_TRACE_SECTIONS; i++)
		if (builder->lists[i].count)
			builder->failed = 1;
	if (builder->failed || (builder->only && !builder->lists[SIMGPU_TRACE_KERNELS].count))
		return NULL;
	if (footprint_bytes)
		builder->header.footprint_bytes = footprint_bytes;
	size = place_sections(builder);
	trace = calloc(1, size);
	if (!trace)
		return NULL;
	memcpy(trace, header, header->header_bytes);
	for (i = 0; i < trace_sections(builder->version); i++)
		if (builder->lists[i].count)
			memcpy(trace + header->sections[i].offset,
			       builder->lists[i].data,
			       builder->lists[i].count * element_bytes[i]);
	builder_seal(trace, size);
	*bytes = size;
	return trace;
}
