// SPDX-License-Identifier: GPL-2.0
/*
 * simgpu workloads: the list of the built-in workloads; simgpu trace save: the
 * trace of one as a file.
 */
#include <stdio.h>

#include <linux/simgpu_trace.h>

#include "../workloads/benchmarks.h"
#include "output.h"
#include "workload.h"

static const struct argp_option options[] = {
	{ "json", 'j', 0, 0, "Print one JSON document", 0 },
	{ 0 }
};

static const char about[] =
	"List the built-in workloads: the benchmarks of HSM's Table 2 as warp "
	"programs. Each is named wherever a trace file can be.\v"
	"CLASS is the paper's; KERNELS counts the launches of a run; MEMORY is "
	"the device memory that it touches. Which program's loops a workload "
	"follows, and with which sizes: docs/workloads.md.\n"
	"\n"
	"Examples:\n"
	"  simgpu workloads\n"
	"  simgpu run --offline PVC DXTC\n"
	"  simgpu trace info LBM\n"
	"\n"
	"Exit status: 0; 1 if it failed; 2 for wrong usage.";

static error_t parse_argument(int key, char *text, struct argp_state *state)
{
	(void)text;
	if (key == 'j')
		*(bool *)state->input = true;
	else
		return ARGP_ERR_UNKNOWN;
	return 0;
}

static const struct argp argp = {
	.options = options,
	.parser = parse_argument,
	.doc = about,
};

/**
 * struct row - what the list says of a workload
 * @kernels: launches of a run
 * @bytes: of the trace
 */
struct row {
	const struct benchmark *benchmark;
	u64 kernels;
	u64 footprint_bytes;
	u64 bytes;
};

static const char *class_of(const struct benchmark *benchmark)
{
	return benchmark->memory_bound ? "memory" : "compute";
}

static int fill_row(const struct benchmark *benchmark, struct row *row)
{
	const struct simgpu_trace_header *header;
	size_t bytes;
	void *trace = benchmark_trace(benchmark, &bytes);

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

static int print_json(const struct row *rows)
{
	struct json_object *object = json_object_new_object();
	struct json_object *array = json_object_new_array();
	u32 i;

	for (i = 0; i < BENCHMARK_COUNT; i++) {
		const struct row *row = &rows[i];
		struct json_object *item = json_object_new_object();

		json_set_string(item, "name", row->benchmark->name);
		json_set_string(item, "title", row->benchmark->title);
		json_set_string(item, "suite", row->benchmark->suite);
		json_set_string(item, "class", class_of(row->benchmark));
		json_set(item, "kernels", json_u64(row->kernels));
		json_set(item, "footprint_bytes",
			 json_u64(row->footprint_bytes));
		json_set(item, "trace_bytes", json_u64(row->bytes));
		json_object_array_add(array, item);
	}
	json_set(object, "workloads", array);
	return json_print(object);
}

static int print_table(const struct row *rows)
{
	struct table *table =
		table_new("NAME|TITLE|SUITE|CLASS|>KERNELS|>MEMORY");
	u32 i;

	for (i = 0; i < BENCHMARK_COUNT; i++) {
		const struct benchmark *benchmark = rows[i].benchmark;

		table_cell(table, "%s", benchmark->name);
		table_cell(table, "%s", benchmark->title);
		table_cell(table, "%s", benchmark->suite);
		table_cell(table, "%s", class_of(benchmark));
		table_cell(table, "%llu", rows[i].kernels);
		table_cell(table, "%.1f MiB",
			   (double)rows[i].footprint_bytes / MIB);
	}
	table_print(table);
	return STATUS_OK;
}

int workloads_command(int argc, char **argv)
{
	struct row rows[BENCHMARK_COUNT];
	bool json = false;
	u32 i;

	argp_parse(&argp, argc, argv, 0, NULL, &json);
	for (i = 0; i < BENCHMARK_COUNT; i++)
		if (fill_row(&benchmarks[i], &rows[i]))
			return STATUS_FAILED;
	return json ? print_json(rows) : print_table(rows);
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

	argp_parse(&argp_save, argc, argv, 0, NULL, &names);
	benchmark = benchmark_find(names[0]);
	if (!benchmark)
		return fail("there is no workload \"%s\"; simgpu workloads lists them",
			    names[0]);
	trace = benchmark_trace(benchmark, &count);
	if (!trace)
		return fail("out of memory");
	ret = write_file(names[1], trace, count);
	free(trace);
	return ret;
}
