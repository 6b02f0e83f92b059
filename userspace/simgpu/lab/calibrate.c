// SPDX-License-Identifier: GPL-2.0
/*
 * simgpu calibrate: each built-in workload alone on the whole GPU, compared with
 * HSM's Table 2. Only this file has the paper's figures; the workloads do not use them.
 */
#include "../../offline/run.h"
#include "../../workloads/benchmarks.h"
#include "../jobs.h"
#include "../json.h"
#include "../options.h"
#include "../output.h"
#include "../table.h"
#include "../workload.h"

static const char about[] =
	"Run each workload of HSM's Table 2, of another suite, or those that are "
	"named, alone on all SMs, offline, and print its class, speed and use of "
	"the memory beside what the paper says: HSM of hbm80, Themis the class.\v"
	"ipc_derived is the paper's instruction count over 5,000,000 cycles, which "
	"is an inference: the paper does not print IPC. The figures are those of "
	"the first run, if that ends in time (first_run_done). The class is the last "
	"epoch's, of 500,000 cycles; it is unknown in runs of less than 100,000.\n"
	"\n"
	"Examples:\n"
	"  simgpu calibrate\n"
	"  simgpu calibrate --cycles 1000000 LBM DXTC\n"
	"  simgpu calibrate --suite themis --config themis60\n"
	"\n"
	"Exit status: 0, whatever the figures are; 1 if it failed; 2 for wrong "
	"usage.";

/**
 * struct paper - a row of HSM's Table 2
 * @mpki_ppm: misses of the last-level cache per 1,000 instructions
 * @instructions_millions: instructions in the 5,000,000 cycles that it simulates
 */
struct paper {
	const char *name;
	u64 mpki_ppm;
	u64 instructions_millions;
};

#define PAPER_CYCLES	5000000

static const struct paper papers[] = {
	{ "PVC", 4790000, 1350 }, { "LBM", 6090000, 1240 },
	{ "BH", 1540000, 5410 }, { "DWT2D", 2720000, 3470 },
	{ "EULER3D", 4390000, 2240 }, { "FWT", 2230000, 3630 },
	{ "2DCONV", 1210000, 11030 }, { "SC", 3420000, 3170 },
	{ "CONVS", 1140000, 7540 }, { "SRAD", 1090000, 5270 },
	{ "DXTC", 400, 18680 }, { "HOTSPOT", 80000, 18280 },
	{ "PF", 60000, 10830 }, { "BINO", 20000, 23600 },
	{ "MRI-Q", 10000, 9950 },
};

/**
 * struct job - the run of a workload
 * @paper: row of the same name; NULL: HSM has none
 * @ret: 0 or a negative errno
 */
struct job {
	const struct benchmark *benchmark;
	const struct paper *paper;
	int ret;
	struct session_tenant_report report;
};

/**
 * struct calibration - the command line, and the runs
 * @suite: suite whose workloads run; NULL: the named workloads, or HSM's
 */
struct calibration {
	struct gpu_config config;
	const char *config_name;
	u64 cycles;
	u64 seed;
	u64 workers;
	bool json;
	u32 count;
	const char *suite;
	struct job jobs[BENCHMARK_COUNT];
};

#define AT(member)	offsetof(struct calibration, member)

static const struct command_option options[] = {
	{ "config", 0, "NAME|FILE", "The GPU (default hbm80)", TO_TEXT(config_name) },
	{ "cycles", 'c', "N", "Length of each run (default 5000000)",
	  TO_U64(cycles, 1, 1000000000000ULL) },
	{ "seed", 's', "N", "Of everything random (default 1)",
	  TO_U64(seed, 0, U64_MAX) },
	{ "jobs", 'J', "N", "Runs at a time (default: one a core)",
	  TO_U64(workers, 1, 1024) },
	{ "suite", 0, "NAME",
	  "A paper's workloads (default hsm): see simgpu workloads; or all",
	  TO_TEXT(suite) },
	{ "json", 0, NULL, "Print one JSON document", TO_FLAG(json) },
	{ .name = NULL }
};

/* --- the command line --- */

static const struct paper *find_paper(const char *name)
{
	u32 i;

	for (i = 0; i < ARRAY_SIZE(papers); i++)
		if (!strcmp(papers[i].name, name))
			return &papers[i];
	return NULL;
}

static void add_job(struct calibration *calibration,
		    const struct benchmark *benchmark)
{
	struct job *job = &calibration->jobs[calibration->count++];

	job->benchmark = benchmark;
	job->paper = find_paper(benchmark->name);
}

static void add_suite(struct calibration *calibration, const char *suite)
{
	u32 i;

	for (i = 0; i < BENCHMARK_COUNT; i++)
		if (benchmark_in_suite(&benchmarks[i], suite))
			add_job(calibration, &benchmarks[i]);
}

static void add_named(struct argp_state *state, const char *name)
{
	struct calibration *calibration = state->input;
	const struct benchmark *benchmark = benchmark_find(name);
	u32 i;

	if (!benchmark)
		argp_error(state, "there is no workload \"%s\"; simgpu workloads lists them",
			   name);
	for (i = 0; i < calibration->count; i++)
		if (calibration->jobs[i].benchmark == benchmark)
			argp_error(state, "%s is named twice", name);
	add_job(calibration, benchmark);
}

static void choose_suite(struct argp_state *state)
{
	struct calibration *calibration = state->input;

	if (calibration->suite && calibration->count)
		argp_error(state, "--suite and names of workloads exclude each other");
	if (!calibration->count)
		add_suite(calibration, calibration->suite ?: "hsm");
	if (!calibration->count)
		argp_error(state, "there is no suite \"%s\"; simgpu workloads shows them",
			   calibration->suite);
}

static error_t parse_argument(int key, char *text, struct argp_state *state)
{
	if (key != ARGP_KEY_ARG)
		return ARGP_ERR_UNKNOWN;
	add_named(state, text);
	return 0;
}

static const struct command_line command_line = {
	.options = options,
	.own = parse_argument,
	.check = choose_suite,
	.words = "[WORKLOAD...]",
	.about = about,
};

/* --- the runs --- */

static struct trace *load(const struct benchmark *benchmark)
{
	struct trace_error error;
	struct trace *trace = NULL;
	size_t bytes;
	void *encoded = benchmark_trace(benchmark, SIMGPU_PPM, &bytes);

	if (encoded && offline_load_trace(encoded, bytes, &error, &trace))
		trace = NULL;
	free(encoded);
	return trace;
}

static void run_job(struct jobs *jobs, u32 index, void *context)
{
	struct calibration *calibration = context;
	struct job *job = &calibration->jobs[index];
	struct jobs_watch watch = { .jobs = jobs };
	const struct offline_observer observer = {
		.context = &watch,
		.progress = jobs_follow,
	};
	struct offline_tenant tenant = { .options.weight = 1 };
	struct trace *trace = load(job->benchmark);
	struct session_options options = {
		.config = calibration->config,
		.model = registry_model_find("hsm"),
		.policy = registry_policy_find("even"),
		.seed = calibration->seed,
		.epoch_cycles = SESSION_EPOCH_CYCLES_DEFAULT,
		.stop_cycle = calibration->cycles,
		.relaunch = true,
		.kernel_end = SESSION_KERNEL_END_EVEN,
	};
	u64 wall_ns;

	session_default_params(&options);
	strcpy(tenant.options.name, job->benchmark->name);
	tenant.trace = trace;
	job->ret = trace ? offline_run_one(&options, &tenant, 0, &observer,
					   &job->report, &wall_ns) : -ENOMEM;
	offline_free_trace(trace);
}

static int check_jobs(const struct calibration *calibration)
{
	int ret = STATUS_OK;
	u32 i;

	for (i = 0; i < calibration->count; i++)
		if (calibration->jobs[i].ret)
			ret = fail_alone(calibration->jobs[i].benchmark->name,
					 calibration->jobs[i].ret);
	return ret;
}

/* --- output --- */

static u64 derived_ipc_ppm(const struct paper *paper)
{
	return paper->instructions_millions * (1000000 * SIMGPU_PPM /
					       PAPER_CYCLES);
}

static void set_paper(struct json_object *object, const struct job *job)
{
	const char *class = benchmark_class_name(job->benchmark);

	json_set(object, "class_paper",
		 class ? json_object_new_string(class) : NULL);
	json_set(object, "ipc_derived",
		 job->paper ? json_ppm(derived_ipc_ppm(job->paper)) : NULL);
	json_set(object, "llc_mpki_paper",
		 job->paper ? json_ppm(job->paper->mpki_ppm) : NULL);
}

static struct json_object *job_json(const struct job *job)
{
	struct json_object *object = json_object_new_object();
	const struct session_tenant_report *report = &job->report;
	const struct simgpu_counters *counters = &report->counters;

	json_set_string(object, "name", job->benchmark->name);
	json_set_string(object, "class", class_name(report->class));
	set_paper(object, job);
	json_set(object, "ipc", json_ppm(report->figures.ipc_ppm));
	json_set(object, "llc_mpki", json_ppm(report->figures.llc_mpki_ppm));
	json_set(object, "rbh", json_ppm(report->figures.rbh_ppm));
	json_set(object, "bandwidth", json_ppm(report->figures.bandwidth_ppm));
	json_set(object, "llc_misses", json_u64(counters->llc_misses));
	json_set(object, "dram_requests",
		 json_u64(simgpu_dram_requests(counters)));
	json_set(object, "kernels_finished",
		 json_u64(counters->kernels_finished));
	json_set(object, "first_run_done",
		 json_object_new_boolean(report->first_run_done));
	return object;
}

static int print_json(const struct calibration *calibration)
{
	struct json_object *object = json_object_new_object();
	struct json_object *array = json_object_new_array();
	u32 i;

	json_set_string(object, "config", calibration->config.name);
	json_set(object, "cycles", json_u64(calibration->cycles));
	json_set(object, "seed", json_u64(calibration->seed));
	for (i = 0; i < calibration->count; i++)
		json_object_array_add(array, job_json(&calibration->jobs[i]));
	json_set(object, "workloads", array);
	return json_print(object);
}

static int print_table(const struct calibration *calibration)
{
	struct table *table =
		table_new("NAME|CLASS|SAID|>IPC|>DERIVED|>MPKI|>PAPER|>RBH|>BANDWIDTH|>KERNELS");
	u32 i;

	for (i = 0; i < calibration->count; i++) {
		const struct job *job = &calibration->jobs[i];
		const struct session_figures *figures = &job->report.figures;

		table_cell(table, "%s", job->benchmark->name);
		table_cell(table, "%s", class_name(job->report.class));
		table_cell(table, "%s",
			   benchmark_class_name(job->benchmark) ?: "-");
		table_ppm(table, true, figures->ipc_ppm, 0);
		table_ppm(table, job->paper,
			  job->paper ? derived_ipc_ppm(job->paper) : 0, 0);
		table_ppm(table, true, figures->llc_mpki_ppm, 4);
		table_ppm(table, job->paper,
			  job->paper ? job->paper->mpki_ppm : 0, 4);
		table_ppm(table, true, figures->rbh_ppm, 2);
		table_ppm(table, true, figures->bandwidth_ppm, 3);
		table_cell(table, "%llu",
			   job->report.counters.kernels_finished);
	}
	table_print(table);
	return STATUS_OK;
}

int calibrate_command(int argc, char **argv)
{
	struct calibration *calibration = calloc(1, sizeof(*calibration));
	int ret;

	if (!calibration)
		return fail("out of memory");
	calibration->config_name = "hbm80";
	calibration->cycles = PAPER_CYCLES;
	calibration->seed = 1;
	calibration->workers = jobs_workers_default();
	parse_command_line(&command_line, argc, argv, 0, calibration);
	ret = config_load(calibration->config_name, &calibration->config);
	if (!ret) {
		jobs_run("calibrating", calibration->count,
			 calibration->workers, run_job, calibration,
			 calibration->cycles * calibration->count);
		ret = check_jobs(calibration);
	}
	if (!ret)
		ret = calibration->json ? print_json(calibration) :
					  print_table(calibration);
	free(calibration);
	return ret;
}
