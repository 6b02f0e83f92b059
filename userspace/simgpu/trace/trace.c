// SPDX-License-Identifier: GPL-2.0
/* simgpu trace: the table of its subcommands, and trace check. */
#include "../dispatch.h"
#include "../options.h"
#include "../workload.h"

static const struct command commands[] = {
	{ "info", "say what is in trace files", trace_info_command },
	{ "check", "check trace files to the last field", trace_check_command },
	{ "dump", "print what a warp does", trace_dump_command },
	{ "convert", "convert Accel-Sim traces", trace_convert_command },
	{ "import", "make a trace of a profile of a real GPU", trace_import_command },
	{ "llm", "make a trace of a language model", trace_llm_command },
	{ "save", "write a built-in workload's trace into a file", trace_save_command },
	{ "record", "record an OpenCL program's kernels", trace_record_command },
	{ 0 }
};

int trace_command(int argc, char **argv)
{
	return dispatch(commands, "Look at trace files, check, record and convert them.",
			argc, argv);
}

static const char about[] =
	"Check trace files as a device does at upload. Every field is looked "
	"at; what is wrong is named with its place and the reason.\v"
	"Examples:\n"
	"  simgpu trace check stream.sgtr\n"
	"  simgpu trace check traces/*.sgtr && echo all good\n"
	"\n"
	"Exit status: 0 if all are good; 1 if one is not; 2 for wrong usage.";

/** struct arguments - the parsed command line */
struct arguments {
	u32 count;
	char **files;
};

static const struct command_option options[] = { { .name = NULL } };

static const struct command_line command_line = {
	.options = options,
	.words = "FILE...",
	.no_words = "name at least one trace file",
	.list = offsetof(struct arguments, files),
	.count = offsetof(struct arguments, count),
	.about = about,
};

static int check_file(const char *path)
{
	struct trace_error error = { 0 };
	u64 memory_bytes;
	size_t count;
	void *bytes = read_trace(path, NULL, 0, NULL, &count);
	int ret;

	if (!bytes)
		return STATUS_FAILED;
	ret = trace_check(bytes, count, &memory_bytes, &error);
	free(bytes);
	if (!ret) {
		print_escaped(stdout, "%s: good, %zu bytes, %llu once uploaded\n", path,
		       count, memory_bytes);
		return STATUS_OK;
	}
	if (!*error.field)
		return fail("%s: %s", path, strerror(-ret));
	explain_refusal(path, error.offset, error.field, error.reason);
	return STATUS_FAILED;
}

int trace_check_command(int argc, char **argv)
{
	struct arguments arguments = { .count = 0 };
	int ret = STATUS_OK;
	u32 i;

	parse_command_line(&command_line, argc, argv, 0, &arguments);
	for (i = 0; i < arguments.count; i++)
		if (check_file(arguments.files[i]))
			ret = STATUS_FAILED;
	return ret;
}
