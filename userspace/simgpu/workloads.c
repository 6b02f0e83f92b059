// SPDX-License-Identifier: GPL-2.0
/*
 * simgpu workloads lists the built-in workloads; simgpu trace save writes the trace of
 * one to a file.
 */
#include <stdio.h>

#include <linux/simgpu_trace.h>

#include "../workloads/benchmarks.h"
#include "json.h"
#include "options.h"
#include "output.h"
#include "names.h"
#include "table.h"
#include "workload.h"

static const char about[] =
	"List the built-in workloads: the benchmarks of four papers, and operators of a "
	"language model, as warp programs. Each is named wherever a trace file can be.\v"
	"PAPERS use it; CLASS is HSM's, else Themis', if either says one; KERNELS "
	"counts the launches of a run; MEMORY is "
	"the device memory that it touches. Which program's loops a workload "
	"follows, and with which sizes: docs/workloads.md.\n"
	"\n"
	"Examples:\n"
	"  simgpu workloads\n"
	"  simgpu workloads --suite themis\n"
	"  simgpu run --offline PVC DXTC\n"
	"  simgpu trace info LBM\n"
	"\n"
	"Exit status: 0; 1 if it failed; 2 for wrong usage.";

/**
 * struct list_options - the parsed command line
 */
struct list_options {
	const char *suite;
	bool json;
};

#define AT(member)	offsetof(struct list_options, member)

static const struct command_option options[] = {
	{ "suite", 's', "NAME",
	  "Those of a suite, or of a paper: hsm, fgqos, themis, themis-training, "
	  "themis-test, stm; all: of every paper", TO_TEXT(suite) },
	{ "json", 'j', NULL, "Print one JSON document", TO_FLAG(json) },
	{ .name = NULL }
};

static const struct command_line command_line = {
	.options = options,
	.about = about,
};

/**
 * struct row - a workload in the list
 * @kernels: kernel launches of a run
 * @bytes: size of the trace
 */
struct row {
	const struct benchmark *benchmark;
	u64 kernels;
	u64 footprint_bytes;
	u64 bytes;
};

static int fill_row(const struct benchmark *benchmark, struct row *row)
{
	const struct simgpu_trace_header *header;
	size_t bytes;
	void *trace = benchmark_trace(benchmark, SIMGPU_PPM, &bytes);

	if (!trace)
		return fail("out of memory");
	header = trace;
	*row = (struct row) {
		.benchmark = benchmark,
		.kernels = header->sections[SIMGPU_TRACE_KERNELS].count,
		.footprint_bytes = header->footprint_bytes,
		.bytes = bytes,
	};
	free(trace);
	return STATUS_OK;
}

static struct json_object *papers_json(const struct benchmark *benchmark)
{
	struct json_object *array = json_object_new_array();
	const char *name;
	u32 i;

	for (i = 0; (name = benchmark_set_name(benchmark, i)); i++)
		json_object_array_add(array, json_object_new_string(name));
	return array;
}

static struct json_object *row_json(const struct row *row)
{
	struct json_object *item = json_object_new_object();
	const char *class = benchmark_class_name(row->benchmark);

	json_set_string(item, "name", row->benchmark->name);
	json_set_string(item, "title", row->benchmark->title);
	json_set_string(item, "suite", row->benchmark->suite);
	json_set(item, "papers", papers_json(row->benchmark));
	json_set(item, "class", class ? json_object_new_string(class) : NULL);
	json_set(item, "kernels", json_u64(row->kernels));
	json_set(item, "footprint_bytes", json_u64(row->footprint_bytes));
	json_set(item, "trace_bytes", json_u64(row->bytes));
	return item;
}

static int print_json(const struct row *rows, u32 count)
{
	struct json_object *object = json_object_new_object();
	struct json_object *array = json_object_new_array();
	u32 i;

	for (i = 0; i < count; i++)
		json_object_array_add(array, row_json(&rows[i]));
	json_set(object, "workloads", array);
	return json_print(object);
}

/* Names of the sets that a workload is in, with commas; subsets are left out. */
static void papers_text(const struct benchmark *benchmark, char *text,
			size_t size)
{
	const char *name;
	size_t used = 0;
	u32 i;

	text[0] = 0;
	for (i = 0; (name = benchmark_set_name(benchmark, i)); i++) {
		if (strchr(name, '-'))
			continue;
		used += (size_t)snprintf(text + used, size - used, "%s%s",
					 used ? "," : "", name);
	}
}

static int print_table(const struct row *rows, u32 count)
{
	struct table *table = table_new(tables_are_wide ?
		"NAME|TITLE|SUITE|CLASS|>KERNELS|>MIB|PAPERS" :
		"NAME|TITLE|SUITE|CLASS|>KERNELS|>MIB");
	char papers[64];
	u32 i;

	for (i = 0; i < count; i++) {
		const struct benchmark *benchmark = rows[i].benchmark;

		papers_text(benchmark, papers, sizeof(papers));
		table_row(table, "%s|%s|%s|%s|%llu|%.1f", benchmark->name,
			  benchmark->title, benchmark->suite,
			  benchmark_class_name(benchmark) ?: "-", rows[i].kernels,
			  (double)rows[i].footprint_bytes / MIB);
		if (tables_are_wide)
			table_cell(table, "%s", papers);
	}
	table_print(table);
	return STATUS_OK;
}

int workloads_command(int argc, char **argv)
{
	struct list_options list = { .suite = NULL };
	struct row rows[BENCHMARK_COUNT_ALL];
	u32 count = 0, i;

	parse_command_line(&command_line, argc, argv, 0, &list);
	for (i = 0; i < BENCHMARK_COUNT_ALL; i++)
		if ((!list.suite || benchmark_in_suite(&benchmarks[i], list.suite)) &&
		    fill_row(&benchmarks[i], &rows[count++]))
			return STATUS_FAILED;
	if (!count)
		return fail_usage("there is no suite \"%s\"; simgpu workloads shows them",
				  list.suite);
	return list.json ? print_json(rows, count) : print_table(rows, count);
}

/* --- simgpu trace save --- */

static const char about_save[] =
	"Write the trace of a built-in workload into a file.\v"
	"Examples:\n"
	"  simgpu trace save LBM lbm.sgtr\n"
	"\n"
	"Exit status: 0; 1 if it failed; 2 for wrong usage.";

static error_t parse_save(int key, char *text, struct argp_state *state)
{
	char ***names = state->input;

	(void)text;
	switch (key) {
	case ARGP_KEY_ARGS:
		*names = state->argv + state->next;
		if (state->argc - state->next == 2)
			return 0;
		/* fallthrough */
	case ARGP_KEY_NO_ARGS:
		argp_error(state, "say which workload, and into which file");
		return 0;
	default:
		return ARGP_ERR_UNKNOWN;
	}
}

static const struct argp argp_save = {
	.parser = parse_save,
	.args_doc = "WORKLOAD FILE",
	.doc = about_save,
};

int trace_save_command(int argc, char **argv)
{
	const struct benchmark *benchmark;
	char **names = NULL;
	size_t count;
	void *trace;
	int ret;

	parse_arguments(&argp_save, argc, argv, 0, &names);
	benchmark = benchmark_find(names[0]);
	if (!benchmark)
		return no_workload(names[0]);
	trace = benchmark_trace(benchmark, SIMGPU_PPM, &count);
	if (!trace)
		return fail("out of memory");
	ret = write_file(names[1], trace, count);
	free(trace);
	return ret;
}
