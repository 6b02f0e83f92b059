// SPDX-License-Identifier: GPL-2.0
/* simgpu profile: the speed of kernels alone on each number of SMs. */
#include "../demangle.h"
#include "../jobs.h"
#include "../json.h"
#include "../made_by.h"
#include "../options.h"
#include "../output.h"
#include "../table.h"
#include "profile.h"
#include "profiles.h"

static const char about[] =
	"Run each kernel of the workloads alone on one SM, on two, and so on up to "
	"all, offline and from empty caches, and print how many core cycles it "
	"takes and which part of the peak bandwidth it reaches: what the policy stm "
	"and simgpu plan go by.\v"
	"With --out the profile becomes a part of the trace, beside those that it "
	"has for other GPUs. With --dummy each kernel also runs on all SMs beside "
	"a kernel of the same shape that computes only, of as many thread blocks as "
	"leave it the SMs in question: that is how the paper measures, on cards "
	"whose SMs cannot be set apart.\n"
	"\n"
	"Examples:\n"
	"  simgpu profile --config gtx480 BINO VA\n"
	"  simgpu profile --config gtx480 --out va.trace VA\n"
	"\n"
	"Exit status: 0; 1 if it failed; 2 for wrong usage.";

/** struct arguments - the parsed command line */
struct arguments {
	const char *config;
	const char *out;
	u64 seed;
	u64 workers;
	bool dummy;
	bool json;
	char **names;
	u32 count;
};

#define AT(member)	offsetof(struct arguments, member)

static const struct command_option options[] = {
	{ "config", 0, "NAME|FILE", "The GPU (default hbm80)", TO_TEXT(config) },
	{ "out", 'o', "FILE", "Write the workload's trace with its profile into FILE",
	  TO_TEXT(out) },
	{ "dummy", 0, NULL, "Measure beside a dummy kernel, too, and print both",
	  TO_FLAG(dummy) },
	{ "seed", 's', "N", "Of everything random (default 1)",
	  TO_U64(seed, 0, U64_MAX) },
	{ "jobs", 'J', "N", "Runs at a time (default: one a core)",
	  TO_U64(workers, 1, 1024) },
	{ "json", 0, NULL, "Print one JSON document", TO_FLAG(json) },
	{ .name = NULL }
};

static void check_arguments(struct argp_state *state)
{
	const struct arguments *arguments = state->input;

	if (arguments->out && arguments->count > 1)
		argp_error(state, "--out takes one workload");
}

static const struct command_line command_line = {
	.options = options,
	.check = check_arguments,
	.words = "WORKLOAD...",
	.no_words = "no workload is named",
	.list = AT(names),
	.count = AT(count),
	.about = about,
};

/* --- output ------------------------------------------------------------------------ */

static struct json_object *point_json(const struct kernel_profile *row, u32 sms,
				      bool dummy)
{
	struct json_object *object = json_object_new_object();
	const struct simgpu_profile_point *point = &row->points[sms - 1];
	const struct simgpu_profile_point *beside = &row->dummy[sms - 1];

	json_set(object, "sms", json_u64(sms));
	json_set(object, "cycles", json_u64(point->cycles));
	json_set(object, "bandwidth", json_ppm(point->bandwidth_ppm));
	if (!dummy)
		return object;
	json_set(object, "cycles_dummy",
		 beside->cycles ? json_u64(beside->cycles) : NULL);
	json_set(object, "bandwidth_dummy",
		 json_ppm_or_null(beside->cycles, beside->bandwidth_ppm));
	return object;
}

static int print_json(const struct profiles *profiles, bool dummy)
{
	struct json_object *document = json_object_new_object();
	struct json_object *array = json_object_new_array();
	u32 i, sms;

	made_by_json(document, profiles->workloads, profiles->workload_count);
	json_set_string(document, "config", profiles->config.name);
	for (i = 0; i < profiles->count; i++) {
		const struct kernel_profile *row = &profiles->rows[i];
		const struct workload *workload =
			&profiles->workloads[row->workload];
		const struct trace_kernel *kernel =
			&workload->trace->kernels[row->kernel];
		struct json_object *object = json_object_new_object();
		struct json_object *points = json_object_new_array();

		json_set_string(object, "name", workload->name);
		json_set(object, "kernel", json_u64(row->kernel));
		json_set_string(object, "kernel_name", kernel->name);
		json_set_demangled(object, kernel->name);
		json_set(object, "blocks", json_u64(kernel->blocks));
		json_set(object, "memory_bytes",
			 json_u64(workload->trace->footprint_bytes));
		for (sms = 1; sms <= profiles->config.sms; sms++)
			json_object_array_add(points, point_json(row, sms, dummy));
		json_set(object, "points", points);
		json_object_array_add(array, object);
	}
	json_set(document, "profiles", array);
	return json_print(document);
}

/* A cell with how much longer a kernel takes beside the dummy. */
static void difference_cell(struct table *table, const struct kernel_profile *row,
			    u32 sms)
{
	double alone = row->points[sms - 1].cycles;

	if (row->dummy[sms - 1].cycles)
		table_cell(table, "%+.1f%%",
			   (row->dummy[sms - 1].cycles / alone - 1) * 100);
	else
		table_cell(table, "-");
}

/* Print the table; kernels that equal another one are left out. */
static int print_table(const struct profiles *profiles, bool dummy)
{
	struct table *table = table_new(dummy ?
		"NAME|KERNEL|>BLOCKS|>SMS|>CYCLES|>SPEEDUP|>BANDWIDTH|>DUMMY" :
		"NAME|KERNEL|>BLOCKS|>SMS|>CYCLES|>SPEEDUP|>BANDWIDTH");
	u32 i, sms;

	for (i = 0; i < profiles->count; i++) {
		const struct kernel_profile *row = &profiles->rows[i];
		const struct workload *workload =
			&profiles->workloads[row->workload];
		const struct trace_kernel *kernel =
			&workload->trace->kernels[row->kernel];

		for (sms = 1; row->same_as == i && sms <= profiles->config.sms;
		     sms++) {
			const struct simgpu_profile_point *point =
				&row->points[sms - 1];

			table_cell(table, "%s", workload->name);
			table_kernel(table, kernel->name);
			table_row(table, "%u|%u|%u|%.2f|%.3f", kernel->blocks, sms,
				  point->cycles,
				  ppm_ratio(fixed_ratio_ppm(row->points[0].cycles,
							    point->cycles)),
				  ppm_ratio(point->bandwidth_ppm));
			if (dummy)
				difference_cell(table, row, sms);
		}
	}
	table_print(table);
	return STATUS_OK;
}

int profile_command(int argc, char **argv)
{
	struct arguments arguments = {
		.config = "hbm80", .seed = 1, .workers = jobs_workers_default(),
	};
	struct profiles profiles = { .count = 0 };
	int ret;

	parse_command_line(&command_line, argc, argv, 0, &arguments);
	ret = config_load(arguments.config, &profiles.config);
	if (ret)
		return ret;
	ret = profiles_open(&profiles, arguments.names, arguments.count);
	if (!ret)
		ret = profiles_measure(&profiles, arguments.workers,
				       arguments.seed, arguments.dummy);
	if (!ret && arguments.out)
		ret = profiles_write(&profiles, arguments.out);
	if (!ret && arguments.json)
		ret = print_json(&profiles, arguments.dummy);
	else if (!ret && !arguments.out)
		ret = print_table(&profiles, arguments.dummy);
	profiles_free(&profiles);
	return ret;
}
