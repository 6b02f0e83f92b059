// SPDX-License-Identifier: GPL-2.0
/*
 * simgpu trace import: a profile of a real program as a trace with synthetic kernels. The
 * reading, the templates and the search: userspace/import. The report:
 * trace_import_report.c.
 */
/* For asprintf. */
#define _GNU_SOURCE
#include <linux/simgpu_trace.h>

#include "../../import/reader.h"
#include "../interrupt.h"
#include "../jobs.h"
#include "../options.h"
#include "../workload.h"
#include "trace_import_report.h"
#include "trace_view.h"

static const char about[] =
	"Make a trace of a profile of a program that ran on a real GPU: of PyTorch's "
	"profiler (trace events in JSON, also compressed with gzip), of Nsight Systems "
	"(nsys export --type sqlite), or of rocprofv3 (its ..._kernel_trace.csv).\v"
	"A profile knows names, sizes and times of kernels, but no instructions and no "
	"addresses. So the kernels of the trace are synthetic: each has the profile's grid, "
	"block, registers and shared memory, the warp program of a class that its name "
	"tells, such as gemm or elementwise, and as many instructions and accesses as take the "
	"median of its recorded times, alone on the GPU of --config. The report says for each "
	"how near that is. Copies, streams, events and gaps of the host become commands of the "
	"trace.\n"
	"\n"
	"Examples:\n"
	"  simgpu trace import -o job.sgtr profile.json.gz\n"
	"  simgpu trace import --config a100 --csv profile.json >kernels.csv\n"
	"  simgpu trace import --kernels -o kernels.sgtr profile.json.gz\n"
	"\n"
	"Exit status: 0; 1 if there is no trace; 2 for wrong usage.";

/** struct arguments - the parsed command line */
struct arguments {
	const char *input;
	const char *output;
	const char *name;
	const char *config;
	u64 workers;
	u32 grid[2];
	bool kernels;
	bool json;
	bool csv;
};

#define AT(member)	offsetof(struct arguments, member)

enum {
	KEY_GRID = 256,
};

static const struct command_option options[] = {
	{ "output", 'o', "FILE", "The trace (default: NAME.sgtr)", TO_TEXT(output) },
	{ "name", 'n', "NAME",
	  "Name in the trace (default: the profile's, without its endings)",
	  .kind = OPTION_OWN },
	{ "config", 0, "NAME|FILE", "The GPU (default: the profile's, if it is an A100, an H100 or a V100)",
	  TO_TEXT(config) },
	{ "assume-grid", KEY_GRID, "BLOCKS,THREADS",
	  "Grid of the kernels whose grid the profile does not say", .kind = OPTION_OWN },
	{ "kernels", 0, NULL, "Write each kernel once, and no commands", TO_FLAG(kernels) },
	{ "jobs", 'J', "N", "Kernels at a time (default: one a core)",
	  TO_U64(workers, 1, 1024) },
	{ "json", 0, NULL, "Print one JSON document", TO_FLAG(json) },
	{ "csv", 0, NULL, "Print a line for each kernel, for spreadsheets", TO_FLAG(csv) },
	{ .name = NULL }
};

static void parse_grid(struct argp_state *state, char *text, u32 grid[2])
{
	char *comma = strchr(text, ',');

	if (!comma)
		argp_error(state, "--assume-grid takes BLOCKS,THREADS");
	else
		*comma = '\0';
	grid[0] = (u32)option_number(state, "--assume-grid", text, 1, SIMGPU_TRACE_BLOCKS_MAX - 1);
	grid[1] = (u32)option_number(state, "--assume-grid", comma + 1, 1,
				     SIMGPU_TRACE_BLOCK_THREADS_MAX);
}

static error_t parse_argument(int key, char *text, struct argp_state *state)
{
	struct arguments *arguments = state->input;

	switch (key) {
	case 'n':
		arguments->name = option_trace_name(state, text);
		return 0;
	case KEY_GRID:
		parse_grid(state, text, arguments->grid);
		return 0;
	case ARGP_KEY_ARG:
		if (arguments->input)
			argp_error(state, "\"%s\" is one file too many", text);
		arguments->input = text;
		return 0;
	default:
		return ARGP_ERR_UNKNOWN;
	}
}

static void check_arguments(struct argp_state *state)
{
	const struct arguments *arguments = state->input;

	if (arguments->json && arguments->csv)
		argp_error(state, "--json and --csv exclude each other");
	if (arguments->grid[0] && !arguments->config)
		argp_error(state, "--assume-grid goes with --config alone");
}

static const struct command_line command_line = {
	.options = options,
	.own = parse_argument,
	.check = check_arguments,
	.words = "FILE",
	.no_words = "name a profile",
	.about = about,
};

/* --- the GPU ------------------------------------------------------------------------ */

/* A card's memory tells those of one name apart. */
static const struct card {
	const char *word;
	u64 least_bytes;
	const char *config;
} cards[] = {
	{ "A100", 60ULL << 30, "a100-80" },
	{ "A100", 0, "a100" },
	{ "H100", 0, "h100" },
	{ "V100", 0, "v100" },
};

static int choose_config(struct imported *imported, const char *named)
{
	const struct activities *activities = &imported->activities;
	size_t i;

	if (named)
		return config_load(named, &imported->config);
	for (i = 0; activities->device && i < sizeof(cards) / sizeof(*cards); i++)
		if (strstr(activities->device, cards[i].word) &&
		    activities->device_bytes >= cards[i].least_bytes)
			return config_load(cards[i].config, &imported->config);
	if (activities->device)
		return fail("%s: no configuration is known for its GPU, \"%s\": name one with --config",
			    imported->path, activities->device);
	return fail("%s: the profile does not name its GPU: name one with --config",
		    imported->path);
}

/* --- the profile -------------------------------------------------------------------- */

static void assume_grid(struct activities *activities, const u32 grid[2])
{
	size_t i;

	for (i = 0; i < activities->count; i++) {
		struct activity *activity = &activities->list[i];
		u32 axis;

		if (activity->kind != ACTIVITY_KERNEL || activity->grid[0])
			continue;
		for (axis = 0; axis < 3; axis++) {
			activity->grid[axis] = axis ? 1 : grid[0];
			activity->block[axis] = axis ? 1 : grid[1];
		}
	}
}

static int read_profile(struct imported *imported, const struct arguments *arguments)
{
	char reason[IMPORT_REASON_BYTES] = "out of memory";
	int ret;

	if (activities_open(&imported->activities))
		return fail("out of memory");
	ret = profile_read(imported->path, &imported->activities, reason);
	if (ret)
		return fail("%s: %s", imported->path, reason);
	if (arguments->grid[0])
		assume_grid(&imported->activities, arguments->grid);
	if (activities_check(&imported->activities, reason))
		return fail("%s: %s", imported->path, reason);
	ret = choose_config(imported, arguments->config);
	if (ret)
		return ret;
	ret = program_make(&imported->activities, &imported->program);
	if (ret == -E2BIG)
		return fail("%s: it becomes more than %u commands: profile fewer iterations",
			    imported->path, PROGRAM_COMMANDS_MAX);
	return ret ? fail("out of memory") : STATUS_OK;
}

/* --- the search --------------------------------------------------------------------- */

static void fit_one(struct jobs *jobs, u32 index, void *context)
{
	struct imported *imported = context;
	struct fit *fit = &imported->fits[index];

	if (fit_kernel(&imported->config, fit, interrupted) == -ENOMEM)
		fit->reason = "memory ran out";
	jobs_progress(jobs, fit->wanted_ns);
}

static int fit_all(struct imported *imported, u64 workers)
{
	const struct program *program = &imported->program;
	u64 total = 0;
	u32 i;

	imported->fits = grow(NULL, program->kernel_count, sizeof(*imported->fits));
	for (i = 0; i < program->kernel_count; i++) {
		const struct program_kernel *kernel = &program->kernels[i];

		imported->fits[i] = (struct fit){
			.synthetic = { .kernel = kernel->activity,
				       .class = class_of(kernel->activity) },
			.wanted_ns = kernel->median_ns,
		};
		total += kernel->median_ns;
	}
	interrupt_catch();
	jobs_run("kernels", program->kernel_count, workers, fit_one, imported, total);
	if (interrupted())
		return interrupt_status(STATUS_FAILED);
	return STATUS_OK;
}

/* A trace has room for so many kernels; those that take the least time are left out. */
static int compare_totals(const void *a, const void *b)
{
	const struct program_kernel *one = *(const struct program_kernel *const *)a;
	const struct program_kernel *other = *(const struct program_kernel *const *)b;

	if (one->total_ns != other->total_ns)
		return one->total_ns < other->total_ns ? 1 : -1;
	return (one > other) - (one < other);
}

static void leave_out(struct imported *imported)
{
	const struct program *program = &imported->program;
	const struct program_kernel **order;
	u32 i, kept = 0;

	order = grow(NULL, program->kernel_count, sizeof(*order));
	for (i = 0; i < program->kernel_count; i++)
		order[i] = &program->kernels[i];
	qsort(order, program->kernel_count, sizeof(*order), compare_totals);
	for (i = 0; i < program->kernel_count; i++) {
		struct fit *fit = &imported->fits[order[i] - program->kernels];

		if (!fit->simulated_ns || kept++ < SIMGPU_TRACE_KERNELS_MAX)
			continue;
		fit->simulated_ns = 0;
		fit->reason = "a trace has room for 1024 kernels and others take more time";
	}
	free(order);
}

/* --- the trace ---------------------------------------------------------------------- */

/* Most memory of what is copied; larger copies go through it again. */
#define COPIED_BYTES_MAX	(1ULL << 30)

static u64 copied_bytes(const struct imported *imported)
{
	u64 bytes = imported->program.copy_bytes_max;

	if (imported->kernels_alone || !bytes)
		return 0;
	if (bytes > COPIED_BYTES_MAX)
		bytes = COPIED_BYTES_MAX;
	return (bytes + SIMGPU_TRACE_ALLOCATION_ALIGN - 1) / SIMGPU_TRACE_ALLOCATION_ALIGN *
		SIMGPU_TRACE_ALLOCATION_ALIGN;
}

/* Give each kernel memory of its own as long as there is; the rest begins at the front. */
static u64 place_kernels(struct imported *imported)
{
	u64 first = copied_bytes(imported), at = first, most = first;
	bool again = false;
	u32 i;

	for (i = 0; i < imported->program.kernel_count; i++) {
		struct fit *fit = &imported->fits[i];
		u64 bytes;

		if (!fit->simulated_ns)
			continue;
		bytes = synthetic_bytes(&fit->synthetic);
		if (at + bytes > SIMGPU_TRACE_SPACE_BYTES) {
			again = true;
			at = first + bytes > SIMGPU_TRACE_SPACE_BYTES ? 0 : first;
		}
		imported->reused += again;
		fit->synthetic.base = at;
		at += bytes;
		if (at > most)
			most = at;
	}
	return most;
}

/* A kernel that is not in the trace is a delay of its time. */
static void build_command(struct builder *builder, const struct imported *imported,
			  struct simgpu_trace_command command, const u32 *number)
{
	if (command.kind == SIMGPU_TRACE_COMMAND_KERNEL) {
		const struct fit *fit = &imported->fits[command.what];

		command.what = fit->simulated_ns ? number[command.what] : 0;
		if (!fit->simulated_ns) {
			command.kind = SIMGPU_TRACE_COMMAND_DELAY;
			command.amount = fit->wanted_ns ? fit->wanted_ns : 1;
			if (command.amount > PROGRAM_AMOUNT_MAX)
				command.amount = PROGRAM_AMOUNT_MAX;
		}
	}
	builder_command(builder, command.kind, command.queue, command.what, command.repeat,
			command.amount);
}

/* Write kernels, and commands unless @kernels_alone. */
static void *build_trace(struct imported *imported, bool kernels_alone, u64 footprint,
			 size_t *bytes)
{
	const struct program *program = &imported->program;
	struct builder *builder = builder_new(imported->name, "synthetic: trace import");
	u32 *number = grow(NULL, program->kernel_count, sizeof(*number)), count = 0, i;
	void *trace;
	size_t at;

	if (!builder) {
		free(number);
		return NULL;
	}
	builder_footprint(builder, footprint);
	for (i = 0; i < program->kernel_count; i++) {
		number[i] = count;
		if (!imported->fits[i].simulated_ns)
			continue;
		synthetic_build(builder, &imported->fits[i].synthetic);
		count++;
	}
	if (copied_bytes(imported))
		builder_allocation(builder, "copied", 0, copied_bytes(imported),
				   SIMGPU_TRACE_DEVICE);
	for (at = 0; !kernels_alone && at < program->command_count; at++)
		build_command(builder, imported, program->commands[at], number);
	trace = builder_finish(builder, 0, bytes);
	builder_free(builder);
	free(number);
	return trace;
}

static int check(const char *path, const void *bytes, size_t count)
{
	struct trace_error error = { 0 };
	u64 memory_bytes;

	if (!trace_check(bytes, count, &memory_bytes, &error))
		return STATUS_OK;
	explain_refusal(path, error.offset, error.field, error.reason);
	return STATUS_FAILED;
}

static int write_trace(struct imported *imported)
{
	u64 footprint = place_kernels(imported);
	size_t bytes;
	void *trace;
	int ret;

	trace = build_trace(imported, imported->kernels_alone, footprint, &bytes);
	if (!trace)
		return fail("out of memory");
	ret = check(imported->output, trace, bytes);
	imported->trace_bytes = bytes;
	if (!ret)
		ret = write_file(imported->output, trace, bytes);
	free(trace);
	return ret;
}

static int import(struct imported *imported, const struct arguments *arguments)
{
	u32 usable = 0, i;
	int ret = read_profile(imported, arguments);

	if (ret)
		return ret;
	ret = fit_all(imported, arguments->workers);
	if (ret)
		return ret;
	leave_out(imported);
	for (i = 0; i < imported->program.kernel_count; i++)
		usable += !!imported->fits[i].simulated_ns;
	if (!usable)
		return fail("%s: none of its kernels can run on %s: %s", imported->path,
			    imported->config.name, imported->fits[0].reason);
	ret = write_trace(imported);
	if (ret)
		return ret;
	return import_report(imported, arguments->json ? IMPORT_JSON :
			     arguments->csv ? IMPORT_CSV : IMPORT_TABLE);
}

int trace_import_command(int argc, char **argv)
{
	struct arguments arguments = { .workers = jobs_workers_default() };
	struct imported *imported = grow(NULL, 1, sizeof(*imported));
	char *name, *output = NULL;
	int ret;

	parse_command_line(&command_line, argc, argv, 0, &arguments);
	memset(imported, 0, sizeof(*imported));
	name = arguments.name ? strdup(arguments.name) :
	       trace_name_of(arguments.input, "profile");
	if (arguments.output)
		output = strdup(arguments.output);
	else if (name && asprintf(&output, "%s.sgtr", name) < 0)
		output = NULL;
	if (name && output) {
		imported->path = arguments.input;
		imported->output = output;
		imported->name = name;
		imported->kernels_alone = arguments.kernels;
		ret = import(imported, &arguments);
	} else {
		ret = fail("out of memory");
	}
	free(imported->fits);
	program_free(&imported->program);
	activities_close(&imported->activities);
	free(imported);
	free(output);
	free(name);
	return ret;
}
