// SPDX-License-Identifier: GPL-2.0
/*
 * One kernel of an Accel-Sim trace: its header, then thread blocks in any
 * order, each with its warps' instructions. Grammar: docs/accelsim.md.
 */
#include <ctype.h>
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "coalesce.h"
#include "convert.h"
#include "kernel.h"
#include "programs.h"

#define NOBODY		UINT32_MAX
#define REGISTERS_DEFAULT	32
#define REGISTERS_MAX	255
/* The most shared memory of a thread block on any GPU. */
#define SHARED_BYTES_MAX (228U << 10)
/* Bytes of the window through which generic addresses reach shared memory. */
#define SHARED_WINDOW	(16U << 20)
#define PROGRESS_LINES	65536

/**
 * struct kernel - the kernel that is being read
 * @stream: CUDA stream in which it was launched; 0 is the default one
 * @warp_program: program of each warp of the grid; NOBODY until it was read
 * @warp_line: first recorded line of each warp
 * @block: thread block that is being read, or NOBODY
 * @warp: number of the warp that is being read
 */
struct kernel {
	char name[SIMGPU_TRACE_NAME_BYTES];
	uint32_t grid[3];
	uint32_t block_dim[3];
	uint32_t registers;
	uint32_t shared_bytes;
	uint64_t shared_base;
	uint64_t stream;
	struct dialect dialect;
	uint32_t warps_per_block;
	uint64_t warps;
	uint32_t *warp_program;
	uint32_t *warp_line;
	struct programs programs;
	uint32_t block;
	uint32_t warp;
};

/* --- header --------------------------------------------------------------------------- */

/* The value of "KEY = VALUE" if the line has that key, else NULL. */
static const char *value_of(const char *line, const char *key)
{
	size_t length = strlen(key);

	if (strncmp(line, key, length))
		return NULL;
	line += length;
	while (*line == ' ')
		line++;
	if (*line != '=')
		return NULL;
	do
		line++;
	while (*line == ' ');
	return line;
}

static void copy_name(char *name, const char *from)
{
	size_t i;

	memset(name, 0, SIMGPU_TRACE_NAME_BYTES);
	for (i = 0; i < SIMGPU_TRACE_NAME_BYTES - 1 && from[i]; i++)
		name[i] = from[i] >= ' ' && from[i] <= '~' ? from[i] : '?';
	if (!i)
		strcpy(name, "kernel");
}

/* A number of the header; if it is out of range, @fallback and a warning. */
static uint32_t header_number(struct conversion *conversion, const char *key,
			      const char *text, uint32_t most,
			      uint32_t fallback)
{
	char *end;
	unsigned long value = strtoul(text, &end, 10);

	while (isspace((unsigned char)*end))
		end++;
	if (end != text && !*end && *text != '-' && value <= most)
		return (uint32_t)value;
	caution(conversion, "%s is \"%s\"; taken as %u", key, text, fallback);
	return fallback;
}

static int header_size(struct conversion *conversion, const char *key,
		       const char *text, uint32_t size[3])
{
	if (sscanf(text, "(%u,%u,%u)", &size[0], &size[1], &size[2]) == 3 &&
	    size[0] && size[1] && size[2])
		return 0;
	return refuse(conversion, "%s is \"%s\", not three numbers from 1", key,
		      text);
}

/* The next one may write its lines otherwise. */
#define TRACER_VERSION_MAX	6
/* Of a trace that does not say it. */
#define TRACER_VERSION_DEFAULT	5
#define BINARY_VERSION_MAX	9999

static int header_version(struct conversion *conversion, struct kernel *kernel,
			  const char *text)
{
	uint32_t version = header_number(conversion, "-accelsim tracer version", text,
					 100, TRACER_VERSION_DEFAULT);

	if (version > TRACER_VERSION_MAX)
		return refuse(conversion, "this is a trace of tracer version %u; versions up to %d are read",
			      version, TRACER_VERSION_MAX);
	kernel->dialect.tracer_version = version;
	return 0;
}

/* A number that CUDA gives: the default stream's is 0, those of others are addresses. */
static void header_stream(struct conversion *conversion, struct kernel *kernel,
			  const char *text)
{
	char *end;

	errno = 0;
	kernel->stream = strtoull(text, &end, 0);
	while (isspace((unsigned char)*end))
		end++;
	if (!errno && end != text && !*end && *text != '-')
		return;
	kernel->stream = 0;
	caution(conversion, "-cuda stream id is \"%s\"; taken as 0", text);
}

static int header_line(struct conversion *conversion, struct kernel *kernel,
		       const char *line)
{
	const char *text;

	if ((text = value_of(line, "-kernel name")))
		copy_name(kernel->name, text);
	else if ((text = value_of(line, "-grid dim")))
		return header_size(conversion, "-grid dim", text, kernel->grid);
	else if ((text = value_of(line, "-block dim")))
		return header_size(conversion, "-block dim", text,
				   kernel->block_dim);
	else if ((text = value_of(line, "-shmem base_addr")))
		kernel->shared_base = strtoull(text, NULL, 16);
	else if ((text = value_of(line, "-shmem")))
		kernel->shared_bytes = header_number(conversion, "-shmem", text,
						     SHARED_BYTES_MAX, 0);
	else if ((text = value_of(line, "-nregs")))
		kernel->registers = header_number(conversion, "-nregs", text,
						  REGISTERS_MAX,
						  REGISTERS_DEFAULT);
	else if ((text = value_of(line, "-accelsim tracer version")))
		return header_version(conversion, kernel, text);
	else if ((text = value_of(line, "-binary version")))
		kernel->dialect.binary_version =
			header_number(conversion, "-binary version", text,
				      BINARY_VERSION_MAX, 0);
	else if ((text = value_of(line, "-cuda stream id")))
		header_stream(conversion, kernel, text);
	else if ((text = value_of(line, "-enable lineinfo")))
		kernel->dialect.lineinfo =
			header_number(conversion, "-enable lineinfo", text, 1,
				      0);
	return 0;
}

static int next_line(struct conversion *conversion, char **line)
{
	int ret = source_line(conversion->source, line);

	return ret < 0 ? refuse_line(conversion, ret) : ret;
}

/* Read the header, up to the first line that begins with '#'. */
static int read_header(struct conversion *conversion, struct kernel *kernel)
{
	char *line;
	int ret;

	for (;;) {
		ret = next_line(conversion, &line);
		if (ret < 0)
			return ret;
		if (!ret)
			return refuse(conversion, "the file ends in its header");
		if (*line == '#')
			return 0;
		if (header_line(conversion, kernel, line))
			return -1;
	}
}

/* Allocate what the header says that the kernel needs. */
static int begin_kernel(struct conversion *conversion, struct kernel *kernel)
{
	uint64_t blocks = (uint64_t)kernel->grid[0] * kernel->grid[1];
	uint64_t threads = (uint64_t)kernel->block_dim[0] *
			   kernel->block_dim[1];

	if (!kernel->grid[0] || !kernel->block_dim[0])
		return refuse(conversion, "the header has no -grid dim or no -block dim");
	if (blocks > SIMGPU_TRACE_BLOCKS_MAX ||
	    blocks * kernel->grid[2] > SIMGPU_TRACE_BLOCKS_MAX)
		return refuse(conversion, "the grid has more than 2^31 thread blocks");
	if (threads > SIMGPU_TRACE_BLOCK_THREADS_MAX ||
	    threads * kernel->block_dim[2] > SIMGPU_TRACE_BLOCK_THREADS_MAX)
		return refuse(conversion, "thread blocks have more than %u threads",
			      SIMGPU_TRACE_BLOCK_THREADS_MAX);
	blocks *= kernel->grid[2];
	threads *= kernel->block_dim[2];
	kernel->warps_per_block = (uint32_t)(threads + WARP_LANES - 1) /
				  WARP_LANES;
	kernel->warps = blocks * kernel->warps_per_block;
	if (account(conversion, kernel->warps *
				sizeof(struct simgpu_trace_warp)))
		return -1;
	kernel->warp_program = malloc(kernel->warps * sizeof(uint32_t));
	kernel->warp_line = malloc(kernel->warps * sizeof(uint32_t));
	if (!kernel->warp_program || !kernel->warp_line)
		return refuse(conversion, "no memory");
	memset(kernel->warp_program, 0xff, kernel->warps * sizeof(uint32_t));
	return 0;
}

/* --- lines of a memory instruction ----------------------------------------------------- */

static int add_line(struct conversion *conversion, uint32_t line)
{
	if (conversion->line_count == conversion->line_room) {
		size_t room = conversion->line_room ?
			      conversion->line_room * 2 : 65536;
		uint32_t *lines = realloc(conversion->lines,
					  room * sizeof(*lines));

		if (!lines)
			return refuse(conversion, "no memory");
		conversion->lines = lines;
		conversion->line_room = room;
	}
	conversion->lines[conversion->line_count++] = line;
	return account(conversion, sizeof(line));
}

/* @lines, @flags: lines of the traced program and their flags, @count of them */
static int record_touched(struct conversion *conversion, const uint64_t *lines,
			  const uint32_t *flags, size_t count)
{
	size_t i;

	for (i = 0; i < count; i++) {
		uint64_t address = lines[i] * SIMGPU_TRACE_LINE_BYTES;
		int64_t page = pages_find(&conversion->pages, address);
		uint32_t line;

		if (page == -E2BIG)
			return refuse(conversion, "the program touches more than 8 GiB, in pages of 2 MiB");
		if (page < 0)
			return refuse(conversion, "no memory");
		line = (uint32_t)page * PAGE_LINES +
		       (uint32_t)(lines[i] % PAGE_LINES);
		if (add_line(conversion, line | flags[i]))
			return -1;
	}
	conversion->counts->memory_instructions++;
	conversion->counts->lines += count;
	return (int)count;
}

static int record_lines(struct conversion *conversion,
			const struct instruction *instruction)
{
	struct bulk_lines *bulk = &conversion->bulk;
	struct touched touched;
	const char *problem;

	if (!instruction->bulk.count) {
		coalesce(instruction, &touched);
		return record_touched(conversion, touched.line, touched.flags,
				      touched.count);
	}
	problem = bulk_coalesce(instruction, bulk);
	if (problem)
		return refuse(conversion, "the instruction %s", problem);
	return record_touched(conversion, bulk->line, bulk->flags, bulk->count);
}

/* --- warps ---------------------------------------------------------------------------------- */

static bool touches_memory(const struct kernel *kernel,
			   struct instruction *instruction)
{
	if (!needs_addresses(instruction->kind))
		return false;
	if (instruction->bulk.count)
		return true;
	/* A generic access may be to shared memory. */
	if (kernel->shared_base &&
	    instruction->address[0] - kernel->shared_base < SHARED_WINDOW) {
		instruction->kind = INSTRUCTION_SHARED;
		instruction->unit = SIMGPU_TRACE_UNIT_SHARED;
		return false;
	}
	return true;
}

/* Warn once of an unknown opcode; only of the first few. */
static void mention_opcode(struct conversion *conversion, const char *opcode)
{
	size_t length = strcspn(opcode, "."), i;

	for (i = 0; i < conversion->unknown_count; i++)
		if (!strncmp(conversion->unknown[i], opcode, length) &&
		    !conversion->unknown[i][length])
			return;
	if (i == UNKNOWN_MAX)
		return;
	memcpy(conversion->unknown[i], opcode, length);
	conversion->unknown_count++;
	caution(conversion, "opcode %s is not known; taken as integer arithmetic",
		conversion->unknown[i]);
}

__attribute__((format(printf, 3, 4)))
static void mention_once(struct conversion *conversion, enum remark remark,
			 const char *format, ...)
{
	va_list arguments;

	if (conversion->remarked[remark])
		return;
	conversion->remarked[remark] = true;
	va_start(arguments, format);
	caution_list(conversion, format, arguments);
	va_end(arguments);
}

/* What the trace's form cannot say of an instruction is said once. */
static void simplify(struct conversion *conversion, const struct kernel *kernel,
		     struct instruction *instruction)
{
	uint32_t warps = (instruction->barrier_threads + WARP_LANES - 1) / WARP_LANES;

	if (!instruction->is_known) {
		conversion->counts->unknown_opcodes++;
		mention_opcode(conversion, instruction->opcode);
	}
	if (instruction->bulk.is_lost)
		mention_once(conversion, REMARK_LOST, "the tracer wrote %s, a bulk copy of one transfer, without its address; it touches no memory here",
			     instruction->opcode);
	if (instruction->kind == INSTRUCTION_BARRIER && warps &&
	    warps < kernel->warps_per_block) {
		instruction->kind = INSTRUCTION_COMPUTE;
		mention_once(conversion, REMARK_BARRIER, "a barrier of %u of the %u warps of a thread block is not waited at",
			     warps, kernel->warps_per_block);
	}
}

static int read_instruction(struct conversion *conversion,
			    struct kernel *kernel, char *line)
{
	struct instruction instruction;
	const char *problem = instruction_parse(line, &kernel->dialect,
						&instruction);
	int lines = 0;

	if (problem)
		return refuse(conversion, "the instruction %s", problem);
	if (!instruction.lanes || instruction.kind == INSTRUCTION_MARKER)
		return 0;
	simplify(conversion, kernel, &instruction);
	if (touches_memory(kernel, &instruction)) {
		lines = record_lines(conversion, &instruction);
		if (lines < 0)
			return -1;
	}
	conversion->counts->warp_instructions++;
	conversion->counts->thread_instructions += instruction.lanes;
	warp_add(&conversion->warp, &instruction, (uint32_t)lines);
	return conversion->warp.failed ? refuse(conversion, "no memory") : 0;
}

static int read_instructions(struct conversion *conversion,
			     struct kernel *kernel, uint64_t count)
{
	char *line;
	int ret;

	while (count) {
		ret = next_line(conversion, &line);
		if (ret < 0)
			return ret;
		if (!ret)
			return refuse(conversion, "the file ends %llu instructions early",
				      (unsigned long long)count);
		if (*line == '#')
			return refuse(conversion, "the warp has %llu instructions less than it says",
				      (unsigned long long)count);
		if (!*line)
			continue;
		if (read_instruction(conversion, kernel, line))
			return -1;
		count--;
	}
	return 0;
}

/* For a warp that issues nothing: a program has at least one instruction. */
static void add_exit(struct warp_ops *warp)
{
	const struct instruction nothing = {
		.kind = INSTRUCTION_COMPUTE, .lanes = 1,
		.unit = SIMGPU_TRACE_UNIT_CONTROL,
	};

	warp_add(warp, &nothing, 0);
}

/* A new program: count its bytes, and the instructions of mixes that it names. */
static int account_program(struct conversion *conversion)
{
	const struct warp_ops *warp = &conversion->warp;
	size_t mix_bytes = builder_mix_bytes(conversion->builder);
	size_t new_bytes = mix_bytes - conversion->mix_bytes;

	conversion->mix_bytes = mix_bytes;
	conversion->mixed += warp->mixed;
	if (conversion->mixed > SIMGPU_TRACE_MIXED_MAX)
		return refuse(conversion, "the programs of the warps name more than %llu different instructions",
			      SIMGPU_TRACE_MIXED_MAX);
	return account(conversion, warp->count * sizeof(*warp->ops) +
				   sizeof(struct simgpu_trace_program) +
				   new_bytes);
}

static int read_warp(struct conversion *conversion, struct kernel *kernel,
		     uint64_t instructions)
{
	uint64_t index = (uint64_t)kernel->block * kernel->warps_per_block +
			 kernel->warp;
	struct warp_ops *warp = &conversion->warp;
	size_t first_line = conversion->line_count;
	size_t known = kernel->programs.count;
	int64_t program;

	if (kernel->block == NOBODY || kernel->warp >= kernel->warps_per_block)
		return refuse(conversion, "instructions of no warp of the thread block");
	if (kernel->warp_program[index] != NOBODY)
		return refuse(conversion, "the warp was there before");
	warp_begin(warp, conversion->builder);
	if (read_instructions(conversion, kernel, instructions))
		return -1;
	if (!warp->instructions)
		add_exit(warp);
	warp_end(warp);
	program = warp->failed ? -ENOMEM :
				 programs_find(&kernel->programs, warp->ops,
					       warp->count);
	if (program < 0)
		return refuse(conversion, "no memory");
	kernel->warp_program[index] = (uint32_t)program;
	kernel->warp_line[index] = (uint32_t)first_line;
	kernel->warp = NOBODY;
	if (kernel->programs.count == known)
		return 0;
	return account_program(conversion);
}

/* --- thread blocks -------------------------------------------------------------------------- */

static int begin_block(struct conversion *conversion, struct kernel *kernel,
		       const char *text)
{
	uint32_t at[3];

	if (sscanf(text, "%u,%u,%u", &at[0], &at[1], &at[2]) != 3 ||
	    at[0] >= kernel->grid[0] || at[1] >= kernel->grid[1] ||
	    at[2] >= kernel->grid[2])
		return refuse(conversion, "thread block %s is not in the grid",
			      text);
	kernel->block = at[0] + kernel->grid[0] *
			(at[1] + kernel->grid[1] * at[2]);
	return 0;
}

static int body_line(struct conversion *conversion, struct kernel *kernel,
		     const char *line)
{
	const char *text;

	if ((text = value_of(line, "thread block")))
		return begin_block(conversion, kernel, text);
	if ((text = value_of(line, "warp"))) {
		kernel->warp = (uint32_t)strtoul(text, NULL, 10);
		return 0;
	}
	if ((text = value_of(line, "insts")))
		return read_warp(conversion, kernel, strtoull(text, NULL, 10));
	if (!strncmp(line, "#END_TB", 7))
		kernel->block = NOBODY;
	/* Comments, and keys that some tracers add, are skipped. */
	if (*line == '#' || !*line || strchr(line, '='))
		return 0;
	return refuse(conversion, "\"%.40s\" is no line of a thread block",
		      line);
}

static void report_progress(const struct conversion *conversion)
{
	const struct accelsim_listener *listener = conversion->listener;

	if (listener->progress)
		listener->progress(listener->context, conversion->file,
				   source_read_bytes(conversion->source),
				   source_file_bytes(conversion->source));
}

static int read_blocks(struct conversion *conversion, struct kernel *kernel)
{
	uint64_t reported = 0;
	char *line;
	int ret;

	for (;;) {
		ret = next_line(conversion, &line);
		if (ret <= 0)
			return ret;
		if (body_line(conversion, kernel, line))
			return -1;
		if (source_line_number(conversion->source) - reported >
		    PROGRESS_LINES) {
			reported = source_line_number(conversion->source);
			report_progress(conversion);
		}
	}
}

/* --- the finished kernel ------------------------------------------------------------------ */

static int find_missing_warp(struct conversion *conversion,
			     const struct kernel *kernel)
{
	uint64_t i;

	for (i = 0; i < kernel->warps; i++)
		if (kernel->warp_program[i] == NOBODY)
			return refuse(conversion, "warp %llu of thread block %llu is missing",
				      (unsigned long long)(i % kernel->warps_per_block),
				      (unsigned long long)(i / kernel->warps_per_block));
	return 0;
}

static int build_kernel(struct conversion *conversion,
			const struct kernel *kernel)
{
	struct builder *builder = conversion->builder;
	uint64_t i, op;

	builder_kernel(builder, kernel->name, 1, 1, kernel->registers,
		       kernel->shared_bytes);
	builder_grid(builder, kernel->grid[0], kernel->grid[1], kernel->grid[2]);
	builder_block(builder, kernel->block_dim[0], kernel->block_dim[1],
		      kernel->block_dim[2]);
	for (i = 0; i < kernel->programs.count; i++) {
		const struct program *program = &kernel->programs.list[i];

		if (i)
			builder_program(builder);
		for (op = 0; op < program->count; op++)
			builder_op(builder,
				   &kernel->programs.ops[program->first + op]);
	}
	for (i = 0; i < kernel->warps; i++)
		builder_warp(builder, kernel->warp_program[i],
			     kernel->warp_line[i]);
	conversion->counts->kernels++;
	return script_kernel(&conversion->script, kernel->stream) ?
	       refuse(conversion, "no memory") : 0;
}

int convert_kernel(struct conversion *conversion)
{
	struct kernel kernel = {
		.name = "kernel", .registers = REGISTERS_DEFAULT,
		.dialect = { .tracer_version = TRACER_VERSION_DEFAULT },
		.block = NOBODY, .warp = NOBODY,
	};
	int ret;

	ret = read_header(conversion, &kernel);
	if (!ret)
		ret = begin_kernel(conversion, &kernel);
	if (!ret)
		ret = read_blocks(conversion, &kernel);
	if (!ret)
		ret = find_missing_warp(conversion, &kernel);
	if (!ret) {
		report_progress(conversion);
		ret = build_kernel(conversion, &kernel);
	}
	programs_free(&kernel.programs);
	free(kernel.warp_program);
	free(kernel.warp_line);
	return ret;
}
