// SPDX-License-Identifier: GPL-2.0
/*
 * Holds recorded traces against what a person says they must be. It reads the
 * trace format by itself and shares no code with the recorder or the engine.
 *
 *	test_recorder FOLDER		the recordings made by recorder.sh; TAP
 *	test_recorder --check FILE...	that traces are whole and consistent
 *	test_recorder --compare A B	that all warps do the same in two traces
 *
 * A warp's ops are written as words, in order, loops unrolled:
 *	C6		6 COMPUTE instructions (left out where noted)
 *	L32x1@2		LOAD by 32 lanes, 1 line, 2 instructions until it is used
 *	L32x1@-		LOAD that is not used
 *	S16x1p		STORE by 16 lanes, 1 line, partly written (p)
 *	A32x1@0		ATOMIC
 *	K32x1@0		CONSTANT
 *	H32c2		SHARED by 32 lanes, 2 cycles
 *	B32		BARRIER
 */
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

#include "test_recorder_expand.h"

static int tests;
static int failures;

static void ok(bool passed, const char *format, ...)
{
	va_list args;

	printf("%sok %d - ", passed ? "" : "not ", ++tests);
	va_start(args, format);
	vprintf(format, args);
	va_end(args);
	putchar('\n');
	failures += !passed;
}

/* Files */

static unsigned char *read_file(const char *path, size_t *size)
{
	FILE *file = fopen(path, "rb");
	unsigned char *bytes;

	if (!file)
		return NULL;
	fseek(file, 0, SEEK_END);
	*size = ftell(file);
	rewind(file);
	bytes = malloc(*size + 1);
	if (!bytes || fread(bytes, 1, *size, file) != *size)
		exit(1);
	bytes[*size] = 0;
	fclose(file);
	return bytes;
}

static unsigned char *read_result(const char *folder, const char *name,
				  const char *ending, size_t *size)
{
	char path[4096];

	snprintf(path, sizeof(path), "%s/%s%s", folder, name, ending);
	return read_file(path, size);
}

/* The whole trace */

static bool header_is_right(const struct trace_file *trace)
{
	const struct simgpu_trace_header *header = trace->header;
	struct simgpu_trace_header zeroed = *header;
	uLong crc;

	zeroed.checksum = 0;
	crc = crc32(0, (const Bytef *)&zeroed, sizeof(zeroed));
	crc = crc32(crc, trace->bytes + sizeof(zeroed), trace->size - sizeof(zeroed));
	return header->magic == SIMGPU_TRACE_MAGIC &&
	       header->version == SIMGPU_TRACE_VERSION_V4 &&
	       header->header_bytes == sizeof(*header) &&
	       header->total_bytes == trace->size && header->reserved == 0 &&
	       header->footprint_bytes <= SIMGPU_TRACE_SPACE_BYTES &&
	       header->checksum == crc;
}

static bool sections_are_right(const struct trace_file *trace)
{
	static const size_t element_bytes[] = {
		sizeof(struct simgpu_trace_kernel), sizeof(struct simgpu_trace_program),
		sizeof(struct simgpu_trace_op), sizeof(struct simgpu_trace_pattern),
		sizeof(struct simgpu_trace_warp), sizeof(__u32),
		sizeof(struct simgpu_trace_weight), sizeof(struct simgpu_trace_row),
		sizeof(struct simgpu_trace_run), sizeof(struct simgpu_trace_mix),
		sizeof(struct simgpu_trace_instruction),
		sizeof(struct simgpu_trace_profile), sizeof(struct simgpu_trace_point),
		sizeof(struct simgpu_trace_allocation), sizeof(struct simgpu_trace_command),
	};
	__u64 end = sizeof(struct simgpu_trace_header);
	int i;

	/* The recorder writes them in the order of their numbers. */
	for (i = 0; i < SIMGPU_TRACE_SECTIONS; i++) {
		const struct simgpu_trace_section *s = &trace->header->sections[i];

		if (!s->count)
			continue;
		if (s->offset % 8 || s->offset < end || s->offset - end >= 8)
			return false;
		end = s->offset + s->count * element_bytes[i];
	}
	return end == trace->size;
}

/* Units and passes there are, and nothing waits for what is before the warp's first. */
static bool mix_is_right(const struct step *step, __u64 issued)
{
	__u32 i;

	for (i = 0; i < step->mix_length; i++)
		if (step->mix[i].unit >= SIMGPU_TRACE_UNITS || !step->mix[i].passes ||
		    step->mix[i].passes > SIMGPU_TRACE_PASSES_MAX ||
		    step->mix[i].after > issued + i)
			return false;
	return step->mix_length && step->mix_length <= SIMGPU_TRACE_MIX_MAX &&
	       step->mix_length <= step->op.count;
}

/* @issued: instructions of the warp before it */
static bool step_is_right(const struct trace_file *trace, const struct step *step,
			  __u64 issued)
{
	const struct simgpu_trace_op *op = &step->op;
	bool issues = op->kind == SIMGPU_TRACE_COMPUTE;
	bool waits = is_memory(op) && op->kind != SIMGPU_TRACE_STORE;
	bool barrier = op->kind == SIMGPU_TRACE_BARRIER;
	__u64 lines = trace->header->footprint_bytes / SIMGPU_TRACE_LINE_BYTES;
	__u32 i, j;

	if (!(issues || barrier || is_memory(op)) ||
	    op->active_lanes < 1 || op->active_lanes > 32 ||
	    (issues ? op->issue_cycles || !mix_is_right(step, issued)
		    : op->after > issued) ||
	    (barrier ? op->count != 0 : op->count < 1) ||
	    (!waits && op->consume_after != 0))
		return false;
	for (i = 0; is_memory(op) && i < op->count; i++) {
		if ((step->lines[i] & SIMGPU_TRACE_LINE_INDEX) >= lines ||
		    (step->lines[i] & ~(SIMGPU_TRACE_LINE_INDEX |
					SIMGPU_TRACE_LINE_SKIP |
					SIMGPU_TRACE_LINE_PARTIAL)) ||
		    !(~step->lines[i] & SIMGPU_TRACE_LINE_SKIP) ||
		    (step->lines[i] & SIMGPU_TRACE_LINE_PARTIAL &&
		     op->kind != SIMGPU_TRACE_STORE))
			return false;
		/* Lanes of an atomic that meet are lines of their own. */
		for (j = 0; j < i; j++)
			if (step->lines[j] == step->lines[i] &&
			    op->kind != SIMGPU_TRACE_ATOMIC)
				return false;
	}
	return true;
}

/* Adds the thread instructions of all warps. */
static bool warps_are_right(const struct trace_file *trace,
			    const struct simgpu_trace_kernel *kernel,
			    __u64 *instructions)
{
	struct steps steps = {};
	bool right = true;
	__u64 block, issued;
	__u32 warp;
	size_t i;

	for (block = 0; block < blocks_of(kernel); block++) {
		for (warp = 0; warp < warps_of(kernel); warp++) {
			right &= !expand_warp(trace, kernel, block, warp, &steps);
			for (i = issued = 0; i < steps.count; i++) {
				const struct simgpu_trace_op *op = &steps.steps[i].op;
				bool single = is_memory(op) ||
					      op->kind == SIMGPU_TRACE_BARRIER;

				right &= step_is_right(trace, &steps.steps[i],
						       issued);
				issued += single ? 1 : op->count;
				*instructions += op->active_lanes *
						 (__u64)(single ? 1 : op->count);
			}
		}
	}
	free_steps(&steps);
	return right;
}

/* One after another, from the first op to the last */
static bool programs_are_right(const struct trace_file *trace)
{
	__u64 i, next = 0;

	for (i = 0; i < section_count(trace, SIMGPU_TRACE_PROGRAMS); i++) {
		if (trace->programs[i].first_op != next || !trace->programs[i].op_count)
			return false;
		next += trace->programs[i].op_count;
	}
	return next == section_count(trace, SIMGPU_TRACE_OPS);
}

static bool kernels_are_right(const struct trace_file *trace, __u64 *instructions)
{
	bool right = true;
	__u64 i;

	for (i = 0; i < section_count(trace, SIMGPU_TRACE_KERNELS); i++)
		right &= warps_are_right(trace, &trace->kernels[i], instructions);
	return right;
}

/* Thread instructions that the weights account for. */
static __u64 weighed_instructions(const struct trace_file *trace)
{
	__u64 i, milli = 0;

	for (i = 0; i < section_count(trace, SIMGPU_TRACE_WEIGHTS); i++)
		milli += trace->weights[i].executed * trace->weights[i].milli_instructions;
	return milli / 1000;
}

/* Buffers lie behind one another, at the next page each, up to the footprint. */
static bool allocations_are_right(const struct trace_file *trace)
{
	const struct simgpu_trace_section *s =
		&trace->header->sections[SIMGPU_TRACE_ALLOCATIONS];
	const struct simgpu_trace_allocation *allocations =
		(const void *)(trace->bytes + s->offset);
	__u64 end = 0, i;

	for (i = 0; i < s->count; i++) {
		const struct simgpu_trace_allocation *a = &allocations[i];
		__u64 pages = (a->bytes + 4095) / 4096;

		if (a->base != end || !a->bytes || a->kind != SIMGPU_TRACE_DEVICE ||
		    a->flags || a->first_command || a->last_command != SIMGPU_TRACE_TO_END ||
		    strncmp(a->name, "buffer ", 7))
			return false;
		end += pages * 4096;
	}
	return end == trace->header->footprint_bytes;
}

static void check_whole(const struct trace_file *trace, const char *name)
{
	__u64 instructions = 0;
	__u64 weighed = weighed_instructions(trace);
	__u64 apart;

	ok(header_is_right(trace), "%s: header and checksum", name);
	ok(sections_are_right(trace), "%s: sections", name);
	ok(programs_are_right(trace), "%s: programs", name);
	ok(allocations_are_right(trace), "%s: allocations", name);
	ok(kernels_are_right(trace, &instructions), "%s: kernels, warps, ops, lines",
	   name);
	apart = weighed > instructions ? weighed - instructions : instructions - weighed;
	ok(apart <= weighed / 1000,
	   "%s: ops hold %llu thread instructions, the weights say %llu", name,
	   instructions, weighed);
}

/* One warp */

/* The instructions on shared memory of a burst, each with its passes. */
static size_t print_shared(char *text, size_t room, const struct step *step)
{
	size_t used = 0;
	__u32 i;

	for (i = 0; i < step->op.count && used < room; i++) {
		const struct simgpu_trace_instruction *instruction =
			&step->mix[i % step->mix_length];

		if (instruction->unit == SIMGPU_TRACE_UNIT_SHARED)
			used += snprintf(text + used, room - used, "H%dc%d ",
					 step->op.active_lanes,
					 instruction->passes);
	}
	return used;
}

/* @with_compute: bursts as one word, else only what of them is on shared memory */
static size_t print_step(char *text, size_t room, const struct step *step,
			 bool with_compute)
{
	const struct simgpu_trace_op *op = &step->op;
	int lanes = op->active_lanes;
	bool partial = false;
	char used[16] = "-";
	__u32 i;

	switch (op->kind) {
	case SIMGPU_TRACE_COMPUTE:
		if (!with_compute)
			return print_shared(text, room, step);
		return snprintf(text, room, "C%u ", op->count);
	case SIMGPU_TRACE_BARRIER:
		return snprintf(text, room, "B%d ", lanes);
	case SIMGPU_TRACE_STORE:
		for (i = 0; i < op->count; i++)
			partial |= !!(step->lines[i] & SIMGPU_TRACE_LINE_PARTIAL);
		return snprintf(text, room, "S%dx%u%s ", lanes, op->count,
				partial ? "p" : "");
	default:
		if (op->consume_after != SIMGPU_TRACE_NEVER)
			snprintf(used, sizeof(used), "%u", op->consume_after);
		return snprintf(text, room, "%c%dx%u@%s ",
				op->kind == SIMGPU_TRACE_LOAD ? 'L' :
				op->kind == SIMGPU_TRACE_CONSTANT ? 'K' : 'A',
				lanes, op->count, used);
	}
}

static struct steps steps_of(const struct trace_file *trace,
			     const struct simgpu_trace_kernel *kernel, __u64 number)
{
	struct steps steps = {};
	const char *error = expand_warp(trace, kernel, number / warps_of(kernel),
					number % warps_of(kernel), &steps);

	if (error) {
		printf("Bail out! %s, warp %llu: %s\n", kernel->name, number, error);
		exit(1);
	}
	return steps;
}

/* The words of a warp. */
static void print_warp(char *text, size_t room, const struct trace_file *trace,
		       const struct simgpu_trace_kernel *kernel, __u64 number,
		       bool with_compute)
{
	struct steps steps = steps_of(trace, kernel, number);
	size_t used = 0, i;

	for (i = 0; i < steps.count && used < room; i++)
		used += print_step(text + used, room - used, &steps.steps[i],
				   with_compute);
	text[used < room && used ? used - 1 : 0] = 0;
	free_steps(&steps);
}

static const struct simgpu_trace_kernel *find_kernel(const struct trace_file *trace,
						     const char *name)
{
	__u64 i;

	for (i = 0; i < section_count(trace, SIMGPU_TRACE_KERNELS); i++)
		if (!strcmp(trace->kernels[i].name, name))
			return &trace->kernels[i];
	printf("Bail out! no kernel %s in the trace\n", name);
	exit(1);
}

static void expect_words(const struct trace_file *trace, const char *kernel, __u64 warp,
			 bool with_compute, const char *expected)
{
	char text[4096];

	print_warp(text, sizeof(text), trace, find_kernel(trace, kernel), warp,
		   with_compute);
	ok(!strcmp(text, expected), "%s, warp %llu: %s", kernel, warp, expected);
	if (strcmp(text, expected))
		printf("# got: %s\n", text);
}

/* Everything but COMPUTE */
static void expect(const struct trace_file *trace, const char *kernel, __u64 warp,
		   const char *expected)
{
	expect_words(trace, kernel, warp, false, expected);
}

static void expect_all(const struct trace_file *trace, const char *kernel, __u64 warp,
		       const char *expected)
{
	expect_words(trace, kernel, warp, true, expected);
}

/* A warp's instructions, as builder_mix() reads them; other ops with their distance */
static void expect_chain(const struct trace_file *trace, const char *kernel, __u64 warp,
			 const char *expected)
{
	static const char kinds[] = "?CLSAHB()K";
	struct steps steps = steps_of(trace, find_kernel(trace, kernel), warp);
	char text[4096] = "";
	size_t used = 0, i;
	__u32 j;

	for (i = 0; i < steps.count; i++) {
		const struct step *step = &steps.steps[i];

		if (!step->mix_length)
			used += snprintf(text + used, sizeof(text) - used, "%c/%u ",
					 kinds[step->op.kind], step->op.after);
		for (j = 0; step->mix_length && j < step->op.count; j++)
			used += snprintf(text + used, sizeof(text) - used, "%c%u ",
					 "IFDSTMC"[step->mix[j % step->mix_length].unit],
					 step->mix[j % step->mix_length].after);
	}
	text[used - 1] = 0;
	ok(!strcmp(text, expected), "%s, warp %llu: %s", kernel, warp, expected);
	if (strcmp(text, expected))
		printf("# got: %s\n", text);
	free_steps(&steps);
}

static void expect_shape(const struct trace_file *trace, const char *name, __u32 grid_x,
			 __u32 grid_y, __u32 block_x, __u32 block_y, __u32 shared)
{
	const struct simgpu_trace_kernel *kernel = find_kernel(trace, name);

	ok(kernel->grid[0] == grid_x && kernel->grid[1] == grid_y &&
	   kernel->grid[2] == 1 && kernel->block[0] == block_x &&
	   kernel->block[1] == block_y && kernel->block[2] == 1 &&
	   kernel->shared_bytes == shared,
	   "%s: grid %u x %u, block %u x %u, %u bytes of shared memory", name, grid_x,
	   grid_y, block_x, block_y, shared);
}

/* The lines of a warp, from first to last, in bytes; partial flags left out */
static void expect_lines(const struct trace_file *trace, const char *name, __u64 warp,
			 int count, const __u32 *addresses)
{
	struct steps steps = steps_of(trace, find_kernel(trace, name), warp);
	bool same = true;
	size_t i;
	__u32 j;

	for (i = 0; i < steps.count; i++)
		for (j = 0; is_memory(&steps.steps[i].op) && count &&
		     j < steps.steps[i].op.count; j++, count--)
			same &= (steps.steps[i].lines[j] & SIMGPU_TRACE_LINE_INDEX) *
				128 == *addresses++;
	ok(same && !count, "%s, warp %llu: addresses", name, warp);
	free_steps(&steps);
}

/* Two traces */

static bool steps_are_same(const struct steps *a, const struct steps *b)
{
	size_t i;

	if (a->count != b->count)
		return false;
	for (i = 0; i < a->count; i++)
		if (!is_same_step(&a->steps[i], &b->steps[i]))
			return false;
	return true;
}

/* Whether all warps of a kernel do the same in both. */
static bool kernels_are_same(const struct trace_file *a, const struct trace_file *b, __u64 number)
{
	const struct simgpu_trace_kernel *in_a = &a->kernels[number];
	const struct simgpu_trace_kernel *in_b = &b->kernels[number];
	struct steps from_a = {}, from_b = {};
	bool same = !memcmp(in_a->grid, in_b->grid, sizeof(in_a->grid)) &&
		    !memcmp(in_a->block, in_b->block, sizeof(in_a->block)) &&
		    !strcmp(in_a->name, in_b->name) &&
		    in_a->shared_bytes == in_b->shared_bytes;
	const char *error = NULL;
	__u64 block;
	__u32 warp;

	for (block = 0; same && block < blocks_of(in_a); block++) {
		for (warp = 0; same && warp < warps_of(in_a); warp++) {
			error = expand_warp(a, in_a, block, warp, &from_a);
			if (!error)
				error = expand_warp(b, in_b, block, warp, &from_b);
			same = !error && steps_are_same(&from_a, &from_b);
			if (!same)
				printf("# thread block %llu, warp %u: %s\n", block,
				       warp, error ? error : "not the same");
		}
	}
	free_steps(&from_a);
	free_steps(&from_b);
	return same;
}

/* A copy in which one affine access begins elsewhere is not the same. */
static bool differences_are_found(const struct trace_file *trace)
{
	struct trace_file other = { .size = trace->size };
	struct simgpu_trace_pattern *patterns;
	bool found = true;
	__u32 *lines;
	__u64 i;

	other.bytes = malloc(trace->size);
	if (!other.bytes)
		return false;
	memcpy(other.bytes, trace->bytes, trace->size);
	open_trace(&other);
	patterns = (struct simgpu_trace_pattern *)other.patterns;
	lines = (__u32 *)other.lines;
	for (i = 0; i < section_count(trace, SIMGPU_TRACE_LINES); i++)
		lines[i] += 128;
	for (i = 0; i < section_count(trace, SIMGPU_TRACE_PATTERNS); i++)
		if (patterns[i].kind == SIMGPU_TRACE_AFFINE)
			patterns[i].base += 128;
	for (i = 0; i < 3; i++)
		found &= !kernels_are_same(trace, &other, i);
	free(other.bytes);
	return found;
}

static void check_same(const struct trace_file *a, const struct trace_file *b, const char *what)
{
	__u64 count = section_count(a, SIMGPU_TRACE_KERNELS), i;

	ok(count == section_count(b, SIMGPU_TRACE_KERNELS) &&
	   a->header->footprint_bytes == b->header->footprint_bytes,
	   "%s: kernels and footprint", what);
	for (i = 0; i < count; i++)
		ok(kernels_are_same(a, b, i), "%s: %s, %llu thread blocks", what,
		   a->kernels[i].name, blocks_of(&a->kernels[i]));
}

static void compare_files(char **paths)
{
	struct trace_file a = {}, b = {};

	a.bytes = read_file(paths[0], &a.size);
	b.bytes = read_file(paths[1], &b.size);
	if (open_trace(&a) && open_trace(&b))
		check_same(&a, &b, "the same");
	else
		ok(false, "%s and %s: no traces", paths[0], paths[1]);
	free(a.bytes);
	free(b.bytes);
}

static void test_kernels(const struct trace_file *trace)
{
	/* get_global_id is 3, an address 1, fadd 1, the kernel's end 1. */
	expect_all(trace, "vector_add", 0, "C4 L32x1@2 C1 L32x1@0 C2 S32x1 C1");
	expect_all(trace, "vector_add", 3, "C4 L32x1@2 C1 L32x1@0 C2 S32x1 C1");
	expect_shape(trace, "vector_add", 2, 1, 64, 1, 0);
	/* Buffers lie in the order in which they are first touched. */
	expect_lines(trace, "vector_add", 3, 3,
		     (const __u32[]){ 384, 65536 + 384, 2 * 65536 + 384 });

	/*
	 * The id is a product of two reads, the third instruction; addresses are
	 * its, six before the last. Of an operand that comes later, and an
	 * address, the store waits for the address.
	 */
	expect_chain(trace, "vector_add", 0,
		     "I0 I0 I1 I1 L/1 I3 L/1 F0 I6 S/1 C0");
	/* A sum of shared memory's waits for the second word. */
	expect_chain(trace, "banks", 0,
		     "I0 I1 I2 I1 M1 I5 I6 I1 M1 B/0 M0 I0 M1 F1 I0 S/1 C0");
	expect_chain(trace, "intrinsics", 0,
		     "I0 I0 I1 I1 I1 I1 I2 I1 I1 I7 S/1 C0");
	/* Nothing is known from one basic block to the next. */
	expect_chain(trace, "functions", 0,
		     "I0 I0 I1 I0 I1 C1 I0 L/1 I0 I1 L/1 F0 I0 S/1 "
		     "I0 I0 I1 C1 I0 L/1 I0 I1 L/1 F0 F0 I0 S/1 C0");
	expect_chain(trace, "vectors", 0, "I0 I0 I1 I1 L/1 L/2 I4 S/1 S/2 C0");
	expect_chain(trace, "units", 0,
		     "I0 I0 I1 I1 L/1 D0 I4 S/2 "
		     "I6 L/1 F0 S1 I10 I1 I1 L/1 S5 F1 F1 F1 F1 F1 F1 F1 I0 S/1 "
		     "I0 I1 I1 L/1 S0 I1 S/1 C0");

	expect(trace, "strided", 0, "L32x32@3 S32x32p");
	expect(trace, "odd_lanes", 0, "L16x1@1 S16x1p");
	expect_lines(trace, "odd_lanes", 0, 2, (const __u32[]){ 0, 65536 });

	/* Both sides of a branch, then all lanes together. */
	ok(section_count(trace, SIMGPU_TRACE_KERNELS) == 37, "37 kernels");
	expect(trace, "two_sides", 0,
	       "L8x1@0 S8x1p L24x1@2 L24x1@0 S24x1p S32x1");
	/* Lanes leave a loop one after another and meet after it. */
	expect(trace, "trips", 0, "L24x1@0 L16x1@0 L8x1@0 S32x1");
	/* Lanes that have left the inner loop wait for those that have not. */
	expect(trace, "nested_trips", 0, "S32x1 S16x1p S32x1 S16x1p");

	/* Two words and 32 words in a bank; one word for all; one word each. */
	expect(trace, "banks", 0, "H32c2 H32c32 B32 H32c1 H32c1 S32x1");
	expect_shape(trace, "banks", 1, 1, 32, 1, 4096);
	expect(trace, "atomics", 0,
	       "H32c1 B32 H32c32 B32 H32c1 A32x32@- A32x32@0 S32x1");

	expect(trace, "wide", 0,
	       "L32x4@1 S32x4 L32x8@2 L32x8@1 S32x8p S32x8p");
	expect(trace, "vectors", 0, "L32x2@1 L32x2@0 S32x2p S32x2p");
	/* A vector is one access, however many of its elements the code names. */
	expect(trace, "elements", 0, "L32x4@0 S32x1");
	expect(trace, "built", 0, "L32x1@0 S32x4 S32x1");
	expect(trace, "three", 0, "L32x4@0 S32x4");
	expect(trace, "moved", 0, "L32x4@2 L32x4@0 S32x4 S32x4p");
	expect(trace, "pairs", 0, "L32x4@3 L32x4@0 S32x4p S32x4p");
	/* Neighbours that are aligned alone stay apart; so do those with a store between. */
	expect(trace, "singles", 0, "L32x2@1 S32x2p L32x2@1 S32x2p");
	expect(trace, "apart", 0, "L32x4@1 S32x1 L32x4@1 S32x1");
	expect(trace, "shared_vectors", 0, "L32x1@2 H32c4 B32 H32c4 S32x1");
	expect(trace, "uniform", 0, "L32x1@4 S32x1");
	expect(trace, "part_warp", 0, "S32x1");
	expect(trace, "part_warp", 1, "S8x1");
	expect(trace, "part_warp", 2, "S32x1");
	expect_shape(trace, "own_size", 3, 1, 256, 1, 0);
	expect(trace, "own_size", 23, "S32x1");
	/* What a function returns is used where its caller uses it. */
	expect_all(trace, "functions", 0,
		   "C7 L16x1@5 C2 L16x16@0 C2 S32x1 C5 L16x2@4 C2 L16x16@0 C3 S32x1 C1");
	expect(trace, "early_return", 0, "S32x1");
	expect(trace, "early_return", 1, "S8x1");
	expect_all(trace, "early_return", 2, "C7");
	/* The loop uses what its last turn has loaded. */
	expect_all(trace, "fetch_ahead", 0,
		   "C4 L32x1@7 C6 L32x1@11 C2 S32x1 C7 L32x1@7 C2 S32x1 C4 S32x1 C1");
	expect_shape(trace, "plane", 2, 2, 8, 8, 0);
	expect(trace, "plane", 7, "S32x1");
	expect_lines(trace, "plane", 7, 1, (const __u32[]){ 128 });
	/* A kernel that does what an earlier one did has its programs and warps. */
	ok(trace->kernels[17].first_program == trace->kernels[0].first_program &&
	   trace->kernels[17].first_warp == trace->kernels[0].first_warp,
	   "vector_add again shares all");

	/* id 3, add 1, mul 1, rotation 1, saturating sub 2, xor 1, address 1 */
	expect_all(trace, "intrinsics", 0, "C10 S32x1 C1");

	/* A pointer to __constant memory, a table there, global memory. */
	expect(trace, "constants", 0, "K32x1@2 K32x1@0 L32x1@0 S32x1");
	expect_lines(trace, "constants", 0, 4,
		     (const __u32[]){ 0, 4 * 65536, 2 * 65536, 3 * 65536 });
	/* Of a copy from there only the loads are of constants, and unused. */
	expect(trace, "constant_copies", 0,
	       "K32x2@1 K32x2@0 S32x2p S32x2p K32x1@- K32x1@- S32x8p S32x8p");
}

/* The kernel that was recorded last and has this name. */
static const struct simgpu_trace_kernel *last_kernel(const struct trace_file *trace,
						     const char *name)
{
	const struct simgpu_trace_kernel *found = NULL;
	__u64 i;

	for (i = 0; i < section_count(trace, SIMGPU_TRACE_KERNELS); i++)
		if (!strcmp(trace->kernels[i].name, name))
			found = &trace->kernels[i];
	return found;
}

/* So many ops of any program of a kernel have affine patterns, or are loops. */
static __u32 count_ops(const struct trace_file *trace, const char *name, bool loops)
{
	const struct simgpu_trace_kernel *kernel = last_kernel(trace, name);
	__u32 count = 0, i, j;

	for (i = 0; kernel && i < kernel->program_count; i++) {
		const struct simgpu_trace_program *program =
			&trace->programs[kernel->first_program + i];

		for (j = 0; j < program->op_count; j++) {
			const struct simgpu_trace_op *op =
				&trace->ops[program->first_op + j];

			if (loops)
				count += op->kind == SIMGPU_TRACE_LOOP;
			else
				count += is_memory(op) &&
					 trace->patterns[op->pattern].kind ==
					 SIMGPU_TRACE_AFFINE;
		}
	}
	return count;
}

static void test_group_copies(const struct trace_file *trace)
{
	/* 80 elements: two for the first 16 work-items, one for the others. */
	expect(trace, "group_copy", 0,
	       "L32x1@1 L16x1@0 H27c1 H27c1 B32 H32c1 S32x1 H32c1 S32x4p B32");
	expect(trace, "group_copy", 1, "L32x1@0 H32c1 B32 H32c1 S32x1 B32");
	expect_lines(trace, "group_copy", 0, 3,
		     (const __u32[]){ 0, 256, 2 * 65536 });
}

static void test_compression(const struct trace_file *trace, const struct trace_file *plain)
{
	const struct simgpu_trace_kernel *borders = last_kernel(trace, "borders");
	const struct simgpu_trace_kernel *tiles = last_kernel(trace, "tiles");

	check_same(plain, trace, "without loops and patterns");
	ok(differences_are_found(trace), "the comparison finds differences");
	ok(tiles->first_warp == SIMGPU_TRACE_NO_WARPS && tiles->program_count == 1 &&
	   count_ops(trace, "tiles", false) == 3,
	   "tiles: one program, three patterns");
	/* Corners, sides and inside; the very first ones teach the others. */
	ok(borders->row_count == 3 && borders->table_blocks <= 12,
	   "borders: %u rows, %u thread blocks told apart", borders->row_count,
	   borders->table_blocks);
	/* The last trip is apart: what follows it joins its instructions. */
	ok(count_ops(trace, "products", true) == 3 &&
	   count_ops(trace, "products", false) <= 10,
	   "products: nested loops instead of 68 accesses");
	/* Patterns that serve no second warp would only take room. */
	ok(count_ops(trace, "gather", false) == 0 &&
	   count_ops(trace, "scattered", false) == 0 &&
	   count_ops(trace, "odd_lanes", false) == 0, "where they are smaller, lines");
	ok(trace->size < plain->size, "%zu bytes, %zu plain", trace->size, plain->size);
	ok(count_ops(plain, "products", false) == 0 &&
	   count_ops(plain, "products", true) == 0, "a plain trace has none");
}

static struct trace_file open_result(const char *folder, const char *name)
{
	struct trace_file trace = {};
	size_t size;

	trace.bytes = read_result(folder, name, ".trace", &trace.size);
	if (!open_trace(&trace)) {
		char *text = (char *)read_result(folder, name, ".err", &size);

		printf("Bail out! no trace %s: %s\n", name, text ? text : "");
		exit(1);
	}
	return trace;
}

static void test_forms(const char *folder)
{
	static const char *const programs[] = { "stream", "walsh", "nbody" };
	char name[32];
	size_t i;

	for (i = 0; i < sizeof(programs) / sizeof(programs[0]); i++) {
		struct trace_file small, plain;

		snprintf(name, sizeof(name), "%s-0", programs[i]);
		small = open_result(folder, name);
		snprintf(name, sizeof(name), "%s-1", programs[i]);
		plain = open_result(folder, name);
		check_whole(&small, programs[i]);
		check_same(&plain, &small, programs[i]);
		ok(small.size < plain.size, "%s: %zu bytes, %zu plain", programs[i],
		   small.size, plain.size);
		free(small.bytes);
		free(plain.bytes);
	}
}

/* What is regular is the same however few thread blocks are recorded. */
static void test_sampling(const char *folder)
{
	static const char *const sizes[] = {
		"sampled-2", "sampled-3", "sampled-7", "sampled-100",
	};
	struct trace_file all = open_result(folder, "many");
	struct trace_file sampled = open_result(folder, "sampled");
	struct trace_file only = open_result(folder, "only-sampled");
	size_t i;

	check_same(&all, &sampled, "one of five");
	check_same(&all, &only, "only one of five");
	ok(sampled.kernels[0].sample_n == 5 && all.kernels[0].sample_n == 1,
	   "sampling is told");
	ok(weighed_instructions(&sampled) < weighed_instructions(&all) / 4,
	   "of five thread blocks only one is weighed");
	free(sampled.bytes);
	free(only.bytes);
	for (i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++) {
		__u64 instructions = 0;

		sampled = open_result(folder, sizes[i]);
		ok(kernels_are_right(&sampled, &instructions),
		   "%s: all that thread blocks stand for is inside", sizes[i]);
		free(sampled.bytes);
	}
	/* Fewer than eight would not say how addresses go on. */
	sampled = open_result(folder, "few-sampled");
	ok(sampled.kernels[0].sample_n == 5, "of few thread blocks eight are recorded");
	ok(kernels_are_same(&all, &sampled, 0), "which say it");
	free(all.bytes);
	free(sampled.bytes);
}

static void test_uneven(const char *folder)
{
	struct trace_file trace = open_result(folder, "uneven");

	expect_shape(&trace, "uneven", 3, 1, 64, 1, 4);
	expect(&trace, "uneven", 0, "S32x1 L1x1@0 H1c1 B32 H31c1 S32x1");
	/* 22 are left for the last thread block: one warp, and one that is none. */
	expect(&trace, "uneven", 4, "S22x1p L1x1@0 H1c1 B22 H22c1 S22x1p");
	expect_all(&trace, "uneven", 5, "C1");
	free(trace.bytes);
}

static void test_launches(const char *folder)
{
	struct trace_file trace = open_result(folder, "launches");
	size_t size;
	char *text = (char *)read_result(folder, "launches", ".err", &size);

	ok(section_count(&trace, SIMGPU_TRACE_KERNELS) == SIMGPU_TRACE_KERNELS_MAX &&
	   section_count(&trace, SIMGPU_TRACE_PROGRAMS) == 1,
	   "as many launches as a trace can hold share a program");
	ok(text && strstr(text, "the last 6 are not in the trace"),
	   "the others are told");
	free(text);
	free(trace.bytes);
}

/* A regular kernel costs the same whatever its size. */
static void test_million(const char *folder)
{
	struct trace_file trace = open_result(folder, "million");
	const struct simgpu_trace_kernel *kernel = &trace.kernels[0];

	ok(blocks_of(kernel) == 1 << 20 && kernel->sample_n == 16,
	   "a million thread blocks, one of 16 recorded");
	ok(trace.size < 2048, "in %zu bytes", trace.size);
	expect(&trace, "million", 0, "S8x1");
	expect_lines(&trace, "million", (1 << 20) - 1, 1,
		     (const __u32[]){ (1 << 25) - 128 });
	free(trace.bytes);
}

/* Where a GPU would read what lies behind a buffer, its end is recorded. */
static void test_out_of_bounds(const char *folder)
{
	struct trace_file trace = open_result(folder, "out-of-bounds");
	size_t size;
	char *text = (char *)read_result(folder, "out-of-bounds", ".err", &size);

	expect(&trace, "out_of_bounds", 0, "S32x1p");
	expect_lines(&trace, "out_of_bounds", 0, 1, (const __u32[]){ 65536 - 128 });
	ok(text && strstr(text, "32 accesses of kernel 'out_of_bounds'"),
	   "accesses outside of buffers are told");
	free(text);
	free(trace.bytes);
}

/* Recordings that fail */

static void expect_no_trace(const char *folder, const char *name, int status,
			    const char *reason)
{
	size_t size;
	char *result = (char *)read_result(folder, name, ".status", &size);
	char *messages = (char *)read_result(folder, name, ".err", &size);
	unsigned char *trace = read_result(folder, name, ".trace", &size);
	unsigned char *partial = read_result(folder, name, ".trace.partial", &size);

	ok(!trace && !partial, "%s: no trace", name);
	ok(result && atoi(result) == status, "%s: status %d", name, status);
	ok(messages && (!reason || strstr(messages, reason)), "%s: says '%s'", name,
	   reason ? reason : "");
	free(result);
	free(messages);
}

static void test_failures(const char *folder)
{
	expect_no_trace(folder, "exit-3", 3, NULL);
	expect_no_trace(folder, "abort", 128 + 6, NULL);
	expect_no_trace(folder, "no-kernel", 125, "launched no kernel");
	expect_no_trace(folder, "killed", 128 + 9, NULL);
	expect_no_trace(folder, "limit", 125, "over the limit of 8192 bytes");
	expect_no_trace(folder, "bad-limit", 125, "SIMGPU_RECORD_MAX_BYTES=much");
	expect_no_trace(folder, "bad-sample", 125, "SIMGPU_RECORD_SAMPLE=0x5");
}

static void test_folder(const char *folder)
{
	struct trace_file trace = open_result(folder, "kernels");
	struct trace_file first = open_result(folder, "first");
	struct trace_file plain = open_result(folder, "plain");
	size_t size;
	char *text;

	ok(trace.size == first.size && !memcmp(trace.bytes, first.bytes, first.size),
	   "two recordings are the same to the byte");
	ok(!strcmp(trace.header->name, "kernels test") &&
	   !strcmp(trace.header->source, "simgpu-record 1"), "names");
	ok(trace.header->footprint_bytes == 4 * 65536 + 4096, "footprint");
	check_whole(&trace, "kernels");
	test_kernels(&trace);
	test_group_copies(&trace);
	test_compression(&trace, &plain);
	test_forms(folder);
	test_sampling(folder);
	test_uneven(folder);
	test_out_of_bounds(folder);
	test_launches(folder);
	test_million(folder);
	test_failures(folder);

	text = (char *)read_result(folder, "kernels", ".err", &size);
	ok(text && !size, "quiet without SIMGPU_RECORD_PROGRESS");
	text = (char *)read_result(folder, "progress", ".err", &size);
	ok(text && strstr(text, "vector_add: 2 of 2 thread blocks\n") &&
	   strstr(text, "37 kernels"), "progress");
	text = (char *)read_result(folder, "names", ".missing", &size);
	ok(text && !size, "docs/trace-format.md has the header's names");
	if (text && size)
		printf("# missing names:\n# %s\n", text);
	text = (char *)read_result(folder, "weights", ".missing", &size);
	ok(text && !size, "docs/recorder-internals.md has the recorder's weights");
	if (text && size)
		printf("# missing rows:\n# %s\n", text);
}

static void check_files(char **paths)
{
	for (; *paths; paths++) {
		struct trace_file trace = {};

		trace.bytes = read_file(*paths, &trace.size);
		if (open_trace(&trace))
			check_whole(&trace, *paths);
		else
			ok(false, "%s: no trace", *paths);
		free(trace.bytes);
	}
}

int main(int argc, char **argv)
{
	if (argc < 2) {
		fprintf(stderr, "usage: test_recorder FOLDER | --check FILE... | --compare A B\n");
		return 2;
	}
	if (!strcmp(argv[1], "--check"))
		check_files(argv + 2);
	else if (!strcmp(argv[1], "--compare") && argc == 4)
		compare_files(argv + 2);
	else
		test_folder(argv[1]);
	printf("1..%d\n", tests);
	return failures != 0;
}
