// SPDX-License-Identifier: GPL-2.0
/*
 * simgpu trace convert: an Accel-Sim trace as one of ours, checked before it
 * gets its name. The reading: userspace/accelsim.
 */
/* For asprintf. */
#define _GNU_SOURCE
#include <fcntl.h>
#include <libgen.h>
#include <sys/stat.h>
#include <unistd.h>

#include <linux/simgpu_trace.h>

#include "../../accelsim/accelsim.h"
#include "../json.h"
#include "../options.h"
#include "../output.h"
#include "../workload.h"
#include "trace_view.h"

static const char about[] =
	"Convert a trace of Accel-Sim's tracer: a kernelslist.g, whose kernels "
	"lie beside it, or the .traceg or .tracez of one kernel; a .traceg and a list may be "
	".gz, .xz, .zst or .bz2, and - is standard input.\v"
	"Every access keeps its lines and sectors, every load the number of "
	"instructions up to the first use of its data, every other instruction "
	"its unit and which one it waits for. Instructions without an active lane are "
	"not issued, and not counted. A list with copies or several CUDA streams becomes a "
	"trace with commands: each stream is a queue.\n"
	"\n"
	"Examples:\n"
	"  simgpu trace convert traces/kernelslist.g\n"
	"  simgpu trace convert --kernels traces/kernelslist.g\n"
	"  simgpu trace convert -o add.sgtr kernel-1.traceg.xz\n"
	"  xz -dc kernel-1.traceg.xz | simgpu trace convert -o add.sgtr -\n"
	"\n"
	"Exit status: 0; 1 if there is no trace; 2 for wrong usage.";

/** struct arguments - the parsed command line */
struct arguments {
	const char *input;
	const char *output;
	const char *name;
	u64 max_bytes;
	bool kernels;
	bool json;
};

#define AT(member)	offsetof(struct arguments, member)

static const struct command_option options[] = {
	{ "output", 'o', "FILE", "The trace (default: NAME.sgtr)", TO_TEXT(output) },
	{ "name", 'n', "NAME",
	  "Name in the trace (default: the input's, without its endings)",
	  .kind = OPTION_OWN },
	{ "max-bytes", 'm', "N",
	  "Give up if the trace becomes larger (default and most: 268435456)",
	  TO_U64(max_bytes, 1, SIMGPU_TRACE_BYTES_MAX) },
	{ "kernels", 0, NULL, "Write the kernels, one after the other, and no commands",
	  TO_FLAG(kernels) },
	{ "json", 0, NULL, "Print one JSON document", TO_FLAG(json) },
	{ .name = NULL }
};

static error_t parse_argument(int key, char *text, struct argp_state *state)
{
	struct arguments *arguments = state->input;

	switch (key) {
	case 'n':
		arguments->name = option_trace_name(state, text);
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

static const struct command_line command_line = {
	.options = options,
	.own = parse_argument,
	.words = "FILE",
	.no_words = "name a kernelslist.g, or a .traceg or .tracez file",
	.about = about,
};

/* --- messages ----------------------------------------------------------------------- */

static void hear_warning(void *context, const char *text)
{
	(void)context;
	warn("%s", text);
}

static void hear_progress(void *context, const char *file, uint64_t done,
			  uint64_t total)
{
	(void)context;
	progress(file, done, total);
}

/* --- the file ----------------------------------------------------------------------- */

/* A name of the input's: of a list, its folder's. */
static char *default_name(const char *input)
{
	const char *file = strrchr(input, '/');
	char *path, *name;

	if (!strcmp(input, "-"))
		return strdup("stdin");
	if (!strstr(file ? file : input, "kernelslist"))
		return trace_name_of(input, "accelsim");
	path = realpath(input, NULL);
	name = trace_name_of(path ? dirname(path) : "", "accelsim");
	free(path);
	return name;
}

static int write_all(int fd, const char *bytes, size_t count)
{
	while (count) {
		ssize_t written = write(fd, bytes, count);

		if (written < 0)
			return -errno;
		bytes += written;
		count -= (size_t)written;
	}
	return 0;
}

/* Write the whole file, or leave none. */
static int save(const char *path, const void *bytes, size_t count)
{
	char *temporary;
	int fd, ret;

	if (asprintf(&temporary, "%s.converting-XXXXXX", path) < 0)
		return fail("out of memory");
	fd = mkostemp(temporary, O_CLOEXEC);
	if (fd < 0) {
		ret = fail("%s: %s", path, strerror(errno));
		free(temporary);
		return ret;
	}
	ret = write_all(fd, bytes, count);
	if (!ret && fchmod(fd, 0644))
		ret = -errno;
	if (close(fd) && !ret)
		ret = -errno;
	if (!ret && rename(temporary, path))
		ret = -errno;
	if (ret) {
		unlink(temporary);
		fail("%s: %s", path, strerror(-ret));
	}
	free(temporary);
	return ret ? STATUS_FAILED : STATUS_OK;
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

/* --- the result --------------------------------------------------------------------- */

static int print_json_counts(const char *path,
			     const struct accelsim_counts *counts, size_t bytes)
{
	struct json_object *object = json_object_new_object();

	json_set_string(object, "trace", path);
	json_set(object, "bytes", json_u64(bytes));
	json_set(object, "kernels", json_u64(counts->kernels));
	json_set(object, "queues", json_u64(counts->queues));
	json_set(object, "copies", json_u64(counts->copies));
	json_set(object, "copied_bytes", json_u64(counts->copied_bytes));
	json_set(object, "unknown_opcodes", json_u64(counts->unknown_opcodes));
	json_set(object, "warp_instructions",
		 json_u64(counts->warp_instructions));
	json_set(object, "thread_instructions",
		 json_u64(counts->thread_instructions));
	json_set(object, "memory_instructions",
		 json_u64(counts->memory_instructions));
	json_set(object, "lines", json_u64(counts->lines));
	json_set(object, "streams", json_u64(counts->streams));
	return json_print(object);
}

static int report(const struct arguments *arguments, const char *path,
		  const struct accelsim_counts *counts, size_t bytes)
{
	char commands[96] = "";

	if (arguments->json)
		return print_json_counts(path, counts, bytes);
	if (counts->copies || counts->queues > 1)
		snprintf(commands, sizeof(commands), " in %llu queue%s, %llu cop%s of %llu bytes",
			 (u64)counts->queues, counts->queues == 1 ? "" : "s",
			 (u64)counts->copies, counts->copies == 1 ? "y" : "ies",
			 (u64)counts->copied_bytes);
	print_escaped(stdout, "%s: %llu kernel%s%s, %zu bytes; %llu warp instructions (%llu thread instructions), %llu of them on memory with %llu lines\n",
	       path, (u64)counts->kernels, counts->kernels == 1 ? "" : "s",
	       commands, bytes, (u64)counts->warp_instructions,
	       (u64)counts->thread_instructions,
	       (u64)counts->memory_instructions, (u64)counts->lines);
	if (counts->unknown_opcodes)
		printf("%llu warp instructions have opcodes that are not known\n",
		       (u64)counts->unknown_opcodes);
	return STATUS_OK;
}

static int convert(const struct arguments *arguments, const char *name,
		   const char *output)
{
	static const struct accelsim_listener listener = {
		.warning = hear_warning, .progress = hear_progress,
	};
	size_t most = arguments->max_bytes ? arguments->max_bytes :
					     SIMGPU_TRACE_BYTES_MAX;
	struct accelsim_counts counts;
	char *error = NULL;
	size_t bytes;
	void *trace;
	int ret;

	trace = accelsim_convert(arguments->input, name, most, arguments->kernels,
				 &listener, &counts, &bytes, &error);
	progress_end();
	if (!trace) {
		ret = fail("%s; no trace was written",
			   error ? error : "out of memory");
		free(error);
		return ret;
	}
	ret = check(output, trace, bytes);
	if (!ret)
		ret = save(output, trace, bytes);
	if (!ret)
		ret = report(arguments, output, &counts, bytes);
	free(trace);
	return ret;
}

int trace_convert_command(int argc, char **argv)
{
	struct arguments arguments = { .input = NULL };
	char *name, *output = NULL;
	int ret;

	parse_command_line(&command_line, argc, argv, 0, &arguments);
	name = arguments.name ? strdup(arguments.name) : default_name(arguments.input);
	if (arguments.output)
		output = strdup(arguments.output);
	else if (name && asprintf(&output, "%s.sgtr", name) < 0)
		output = NULL;
	if (name && output)
		ret = convert(&arguments, name, output);
	else
		ret = fail("out of memory");
	free(output);
	free(name);
	return ret;
}
