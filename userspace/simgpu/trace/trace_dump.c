// SPDX-License-Identifier: GPL-2.0
/*
 * simgpu trace dump: the program of one warp as text, op by op, with the addresses
 * that its memory ops begin with.
 */
#include "../json.h"
#include "../options.h"
#include "../output.h"
#include "trace_commands.h"
#include "trace_units.h"
#include "trace_view.h"
#include "../workload.h"

static const char about[] =
	"Print what a warp does, a line an op; what is in a loop is indented. TRACE is "
	"a file or a built-in workload.\v"
	"An affine access says which bytes lane 0 touches in the first round of all "
	"loops, and how far it is from lane to lane (and from group to group of lanes) "
	"and from round to round of each loop, the outermost first. A recorded one says "
	"the lines that the warp has recorded for its first round. A line has 128 "
	"bytes. Instructions of a mix are said as unit, passes of it where they are "
	"several, and how many instructions before is the one whose result it needs. "
	"With --commands it prints the commands of the trace instead, a line each.\n"
	"\n"
	"Examples:\n"
	"  simgpu trace dump stream.sgtr\n"
	"  simgpu trace dump --kernel 1 --block 17 --warp 3 LBM\n"
	"  simgpu trace dump --commands training.sgtr\n"
	"\n"
	"Exit status: 0; 1 if the trace is not good, or has no such warp; 2 for wrong "
	"usage.";

/**
 * struct arguments - the parsed command line
 * @warp: number of the warp in thread block @block
 * @commands: print the commands of the trace
 */
struct arguments {
	u64 kernel;
	u64 block;
	u64 warp;
	bool commands;
	const char *path;
};

#define AT(member)	offsetof(struct arguments, member)

static const struct command_option options[] = {
	{ "kernel", 0, "N", "The kernel, by its place in the trace (default 0)",
	  TO_U64(kernel, 0, U32_MAX) },
	{ "block", 0, "N", "The thread block: x + grid.x * (y + grid.y * z) (default 0)",
	  TO_U64(block, 0, U32_MAX) },
	{ "warp", 0, "N", "The warp of the thread block (default 0)",
	  TO_U64(warp, 0, U32_MAX) },
	{ "commands", 0, NULL, "Print the commands of the trace, no warp", TO_FLAG(commands) },
	{ .name = NULL }
};

static const struct command_line command_line = {
	.options = options,
	.words = "TRACE",
	.no_words = "name a trace",
	.word = AT(path),
	.about = about,
};

/**
 * struct warp - the warp that is printed
 * @number: number in the kernel
 * @line: its next recorded line
 * @depth: number of loops around the present op
 */
struct warp {
	const struct view *view;
	const struct simgpu_trace_kernel *kernel;
	u64 number;
	u64 line;
	u32 depth;
};

static void print_affine(const struct warp *warp,
			 const struct simgpu_trace_pattern *p)
{
	const u32 loop[SIMGPU_TRACE_LOOP_DEPTH_MAX] = { 0 };
	u32 i;

	printf(", affine, %u bytes at 0x%llx", p->access_bytes,
	       view_affine_address(warp->kernel, warp->number, p, warp->depth,
				   loop, 0));
	printf(", lane %+lld", p->lane_stride);
	if (p->group_lanes)
		printf(", each %u lanes %+lld", p->group_lanes, p->group_stride);
	for (i = 0; i < warp->depth; i++)
		printf(", loop %u %+lld", i, p->loop_stride[i]);
	if (!p->xor_bytes)
		return;
	printf(", xor 0x%llx", p->xor_bytes);
	if (p->xor_loop)
		printf(" << index of loop %u", p->xor_loop - 1);
}

static void print_recorded(struct warp *warp, const struct simgpu_trace_op *op)
{
	u32 i;

	printf(", recorded, lines at");
	for (i = 0; i < op->count; i++) {
		u32 line = warp->view->lines[warp->line++];

		printf(" 0x%llx", (u64)(line & SIMGPU_TRACE_LINE_INDEX) *
				  SIMGPU_TRACE_LINE_BYTES);
		if (line & SIMGPU_TRACE_LINE_SKIP)
			printf(" (without sectors 0x%x)",
			       (line & SIMGPU_TRACE_LINE_SKIP) >>
			       SIMGPU_TRACE_LINE_SKIP_SHIFT);
		if (line & SIMGPU_TRACE_LINE_PARTIAL)
			printf(" (in part)");
	}
}

static void print_memory(struct warp *warp, const struct simgpu_trace_op *op)
{
	const struct simgpu_trace_pattern *p = &warp->view->patterns[op->pattern];

	if (p->kind == SIMGPU_TRACE_AFFINE)
		print_affine(warp, p);
	else if (p->kind == SIMGPU_TRACE_RANDOM)
		printf(", random, %u lines in 0x%llx to 0x%llx", p->lines,
		       p->base, p->base + p->region_bytes - 1);
	else
		print_recorded(warp, op);
	if (op->kind == SIMGPU_TRACE_STORE)
		return;
	if (op->consume_after == SIMGPU_TRACE_NEVER)
		printf(", needed by none");
	else
		printf(", needed after %u more", op->consume_after);
}

/* Print the instructions that a mix issues in turn; @op has a mix. */
static void print_mix(const struct view *view, const struct simgpu_trace_op *op)
{
	const struct simgpu_trace_mix *mix = &view->mixes[op->mix - 1];
	u32 i;

	printf(":");
	for (i = 0; i < mix->instruction_count; i++) {
		const struct simgpu_trace_instruction *instruction =
			&view->instructions[mix->first_instruction + i];

		printf(" %s", unit_name(instruction->unit));
		if (instruction->passes > 1)
			printf("*%u", instruction->passes);
		if (instruction->after)
			printf("<-%u", instruction->after);
	}
}

static void print_op(struct warp *warp, u32 number,
		     const struct simgpu_trace_op *op)
{
	if (op->kind == SIMGPU_TRACE_LOOP_END)
		warp->depth--;
	printf("%4u  %*s%s", number, (int)(2 * warp->depth), "",
	       op_kind_name(op->kind));
	if (op->kind == SIMGPU_TRACE_LOOP) {
		printf(" %u, %u times", warp->depth++, op->count);
	} else if (op->kind == SIMGPU_TRACE_LOOP_END) {
		printf(" %u", warp->depth);
	} else if (touches_memory(op->kind)) {
		printf(", %u lanes", op->active_lanes);
		print_memory(warp, op);
	} else if (op->kind == SIMGPU_TRACE_SPIN) {
		printf(" for ever, %u lanes", op->active_lanes);
	} else if (op->kind != SIMGPU_TRACE_BARRIER) {
		printf(" %u, %u lanes", op->count, op->active_lanes);
		if (op->kind == SIMGPU_TRACE_COMPUTE && op->mix)
			print_mix(warp->view, op);
		else if (op->issue_cycles > 1)
			printf(", %u cycles each", op->issue_cycles);
	}
	putchar('\n');
}

static int dump(const struct view *view, const struct arguments *arguments)
{
	const struct simgpu_trace_program *program;
	const struct simgpu_trace_kernel *kernel;
	struct simgpu_trace_warp entry;
	struct warp warp = { .view = view };
	u32 warps, i;

	if (arguments->commands) {
		commands_dump(view);
		return flush_output();
	}
	if (arguments->kernel >= section_count(view, SIMGPU_TRACE_KERNELS))
		return fail("%s has %llu kernels, the last one is number %llu",
			    arguments->path,
			    section_count(view, SIMGPU_TRACE_KERNELS),
			    section_count(view, SIMGPU_TRACE_KERNELS) - 1);
	kernel = &view->kernels[arguments->kernel];
	warps = kernel_warps(kernel);
	if (arguments->block >= kernel_blocks(kernel) || arguments->warp >= warps)
		return fail("kernel %llu of %s has %llu thread blocks of %u warps, which count from 0",
			    arguments->kernel, arguments->path,
			    kernel_blocks(kernel), warps);
	warp.kernel = kernel;
	warp.number = arguments->block * warps + arguments->warp;
	entry = view_warp(view, kernel, warp.number);
	warp.line = entry.first_line;
	program = &view->programs[kernel->first_program + entry.program];
	print_escaped(stdout, "%s, kernel %llu \"%.*s\", thread block %llu of %llu, warp %llu of %u: program %u of %u\n",
	       arguments->path, arguments->kernel, (int)sizeof(kernel->name),
	       kernel->name, arguments->block, kernel_blocks(kernel),
	       arguments->warp, warps, entry.program, kernel->program_count);
	for (i = 0; i < program->op_count; i++)
		print_op(&warp, i, &view->ops[program->first_op + i]);
	return flush_output();
}

int trace_dump_command(int argc, char **argv)
{
	struct arguments arguments = { .path = NULL };
	struct workload workload;
	struct view view;
	int ret;

	parse_command_line(&command_line, argc, argv, 0, &arguments);
	ret = workload_open(arguments.path, NULL, &workload);
	if (!ret)
		ret = workload_decode(&workload, NULL);
	if (!ret) {
		view = view_of(workload.bytes);
		ret = dump(&view, &arguments);
	}
	workload_free(&workload);
	return ret;
}
