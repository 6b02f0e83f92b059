// SPDX-License-Identifier: GPL-2.0
/* simgpu run: its options, and the choice among the ways to run */
#include "../contender.h"
#include "../inject.h"
#include "../interrupt.h"
#include "../memory_options.h"
#include "../names.h"
#include "../options.h"
#include "../plugin.h"
#include "result.h"
#include "run.h"
#include "run_device.h"
#include "run_offline.h"
#include "run_output.h"
#include "run_seeds.h"
#include "timeline.h"

#define OPTION_SMS	256
#define OPTION_INJECT	257

static const char about[] =
	"Run an experiment: each WORKLOAD is a tenant, a process of its own on "
	"a device. A WORKLOAD is a name from simgpu workloads or a trace file, "
	"NAME[:key=value,...]; keys: weight=1..1000, target=NP (makes it a QoS tenant), "
	"share=PART (of the SMs, for mps-share), p99=CYCLES (that 99 of 100 launches are to stay within, for policies that look at that), name=TEXT, start=CYCLE (it does not "
	"begin before), managed=1 (its pages come to --memory when they are accessed), managed=NAME+... (those of some allocations of its trace), prefetch=1 (with these: it asks for all of them at cycle 0), advise=host or device (offline: where they are to stay), memory_min=SIZE, memory_low=SIZE and memory_max=SIZE (limits of its managed memory, as --memory), size=PART and kernel=NAME (of a built-in workload: part of its data, "
	"and its first kernel of this name alone). "
	"A workload whose requests come by themselves has arrivals=poisson:RATE (requests "
	"in a million cycles), arrivals=every:CYCLES, arrivals=FILE (a cycle a line), or "
	"load=X (times the rate at which it completes alone), and requests=N (how "
	"many; else until --cycles), launches=N (of its trace for each, default 1), "
	"deadline=CYCLES, hint=CYCLES (so long before it comes each request is announced to the policy), "
	"batching=N (so many run at once at most, of a trace made by simgpu trace llm --batching). "
	"queues=N launches the trace in each of N queues of the tenant, up to 8, which "
	"run at once; wait=QUEUE:QUEUE+... has the launch in the first one wait for those in "
	"the others; priority=QUEUE:NUMBER, -3 to 3, the highest first. "
	"mask=LIST keeps the tenant to some SMs, mask=QUEUE:LIST the launch in one of its "
	"queues, channels=LIST to memory channels, ways=LIST to ways of the last-level cache; "
	"a LIST is as 0-9+20. idempotent=1: "
	"a policy may drop its thread blocks, which begin again from nothing.\v"
	"The same experiment gives the same counters and the same state_hash "
	"on a device and offline, as often as it is run.\n"
	"\n"
	"Examples:\n"
	"  simgpu run --offline LBM DXTC\n"
	"  simgpu run --offline --config my.conf stream.sgtr\n"
	"  simgpu run --policy hsm-fair --truth a.sgtr b.sgtr:weight=2,name=b2\n"
	"  simgpu run --offline --policy hsm-fair@mirror LBM DXTC\n"
	"  simgpu run --json --cycles 1000000 a.sgtr a.sgtr | jq .tenants\n"
	"  simgpu run --offline --json LBM DXTC | simgpu plot -o run.svg\n"
	"  simgpu run --offline --journal saved-journal a.sgtr b.sgtr\n"
	"  simgpu run --offline --cycles 20000000 SGEMM:load=0.5,deadline=900000 LBM\n"
	"  simgpu run --offline SCAN:queues=3,wait=2:0+1,priority=2:3 LBM\n"
	"  simgpu run --offline --memory 256M STREAM:size=0.05,managed=1\n"
	"  simgpu run --offline --timeout-cycles 200000 --inject hang:tenant=0 LBM\n"
	"  simgpu run --offline --policy cumask LBM:mask=0-49,channels=0-15 \\\n"
	"    DXTC:mask=40-79\n"
	"\n"
	"An NP with a ~ before it may be wrong: the model does not hold there, as a line "
	"below the table and np_doubts in JSON say. In JSON, np, np_predicted and np_actual are null where they are not "
	"known, such as np before the first prediction. A tenant's cycles are "
	"those of its first run, its counters are since it joined.\n"
	"Ctrl-C or SIGTERM ends a run early: what there is so far is printed, and "
	"\"partial\" is true in JSON. A second one ends the command at once.\n"
	"Exit status: 0; 1 if the run failed, a tenant died, or a journal's "
	"state hash differs; 2 for wrong usage; 3 if the policy was refused, so that even "
	"ran in its place, the model failed, or uvm ran in the memory policy's place: the figures are not theirs then (but 0 of a "
	"journal, which is repeated); 130 after Ctrl-C, 143 after SIGTERM.";

#define SEEDS_MAX	1000

/**
 * struct arguments - the parsed command line
 * @contender: parsed from --policy; has no policy if that was not given
 * @memory: managed memory
 */
struct arguments {
	struct experiment experiment;
	struct contender contender;
	struct memory_options memory;
	bool offline;
	bool device_given;
	bool truth;
	u32 seeds;
	bool json;
	bool csv;
	const char *journal;
	bool kernels;
	const char *timeline;
	bool notes;
	char *workloads[SESSION_SLOTS_MAX];
	u32 count;
};

#define AT(member)	offsetof(struct arguments, member)

static const struct command_option options[] = {
	{ "offline", 0, NULL, "Simulate in this process; needs no module",
	  TO_FLAG(offline) },
	{ "device", 'd', "N", "Run on /dev/simgpuN (default 0)",
	  TO_U32(experiment.settings.device, 0, SIMGPU_DEVICES_MAX), .given = AT(device_given) },
	{ "policy", 'p', "NAME[@MODEL]|FILE[@MODEL]",
	  "Who gets which SMs (default even; see simgpu policy list), and the model that it asks (default that of --model); offline also a shared object with a policy, whose name has a '/'",
	  .kind = OPTION_OWN },
	{ "sms", OPTION_SMS, "N",
	  "With --offline: give no tenant more than N SMs (default: no limit)",
	  .kind = OPTION_OWN },
	{ "inject", OPTION_INJECT, "KIND[:KEY=VALUE,...]", inject_help, .kind = OPTION_OWN },
	{ "truth", 0, NULL, "Run each tenant alone as well, offline, for the actual NP",
	  TO_FLAG(truth) },
	{ "repeat", 'r', "N",
	  "Run it N times, with seeds from --seed on: mean, deviation and 95% interval of cycles, IPC, NP, STP, ANTT and fairness, predicted, and with --truth actual; the rest is the first's",
	  TO_U32(seeds, 1, SEEDS_MAX) },
	{ "seeds", 0, NULL, NULL, .flags = OPTION_ALIAS },
	{ "json", 0, NULL, "Print one JSON document", TO_FLAG(json) },
	{ "kernels", 0, NULL,
	  "With --offline: also print each kernel's cycles and IPC (JSON always has them)",
	  TO_FLAG(kernels) },
	{ "timeline", 0, "FILE",
	  "With --offline: write what happens over time, as trace events that ui.perfetto.dev and chrome://tracing show; compressed if FILE ends in .gz",
	  TO_TEXT(timeline) },
	{ "notes", 0, NULL,
	  "Also print the last notes that the policy has written about its decisions, 256 at most (in JSON, notes); on a device root may do so",
	  TO_FLAG(notes) },
	{ "csv", 0, NULL, "Print a line for each epoch and tenant, for spreadsheets",
	  TO_FLAG(csv) },
	{ "journal", 0, "FILE",
	  "With --offline: repeat the run of a device's journal; its first line has the options, the workloads supply the traces, and --policy FILE.so or --memory-policy FILE.so the policy, if it is a plug-in",
	  TO_TEXT(journal) },
	{ .name = NULL }
};

static void check_injections(struct argp_state *state, const struct arguments *arguments)
{
	const struct settings *settings = &arguments->experiment.settings;
	const struct injections *injections = &settings->injections;
	u32 i;

	for (i = 0; i < injections->count; i++) {
		const struct session_injection *injection = &injections->list[i];

		if (injection->slot != SESSION_INJECT_ANY &&
		    injection->slot >= arguments->count)
			argp_error(state, "--inject names tenant %u of %u, which count from 0",
				   injection->slot, arguments->count);
		if ((injection->kind == SESSION_FAILURE_HANG ||
		     injection->kind == SESSION_FAILURE_COPY) &&
		    !settings->session.stop_cycle && !settings->session.timeout_cycles)
			argp_error(state, "what hangs has no end: --inject %s needs --timeout-cycles, or --cycles",
				   session_failure_names[injection->kind]);
	}
}

static void check_arguments(struct argp_state *state)
{
	const struct arguments *arguments = state->input;
	const struct settings *settings = &arguments->experiment.settings;

	if (!arguments->count)
		argp_error(state, "name at least one workload");
	if (arguments->offline && arguments->device_given)
		argp_error(state, "--offline uses no device");
	if (arguments->experiment.config_file && !arguments->offline)
		argp_error(state, "--config %s needs --offline: a device does not take configuration files yet",
			   arguments->experiment.config_file);
	if (arguments->contender.policy && !arguments->offline &&
	    contender_is_file(&arguments->contender))
		argp_error(state, "--policy %s needs --offline; a device takes policies from modules",
			   arguments->contender.policy);
	if (settings->session.sms_most && !arguments->offline)
		argp_error(state, "--sms needs --offline");
	if (arguments->memory.policy && plugin_is_file(arguments->memory.policy) &&
	    !arguments->offline)
		argp_error(state, "a memory policy from a file needs --offline");
	if (settings->threads > 1 && !arguments->offline && !arguments->truth)
		argp_error(state, "--threads needs --offline; a device's are a file in sysfs");
	if (settings->params.count && !arguments->offline)
		argp_error(state, "--set needs --offline; a device's are files in sysfs");
	if (arguments->json && arguments->csv)
		argp_error(state, "--json and --csv exclude each other");
	if (arguments->seeds > 1 && (arguments->csv || arguments->journal))
		argp_error(state, "--repeat goes neither with --csv nor with --journal");
	if (settings->session.seed > U64_MAX - arguments->seeds + 1)
		argp_error(state, "the last of %u seeds is too large",
			   arguments->seeds);
	if ((arguments->kernels || arguments->timeline) && !arguments->offline)
		argp_error(state, "--kernels and --timeline need --offline");
	if (arguments->kernels && (arguments->json || arguments->csv))
		argp_error(state, "--kernels is for people; JSON has them anyway, CSV does not");
	if ((arguments->timeline || arguments->notes) && arguments->seeds > 1)
		argp_error(state, "--timeline and --notes are of one seed");
	if (arguments->notes && arguments->csv)
		argp_error(state, "CSV has no notes; JSON has them with --notes");
	if (settings->session.sampled &&
	    (settings->session.timeout_cycles || settings->injections.count))
		argp_error(state, "--timeout-cycles and --inject do not go with --sampled: time cannot leap over failures");
	check_injections(state, arguments);
	if (arguments->journal && !arguments->offline)
		argp_error(state, "--journal needs --offline");
	if (arguments->journal &&
	    (arguments->experiment.given || arguments->memory.mib ||
	     (arguments->memory.policy && !plugin_is_file(arguments->memory.policy))))
		argp_error(state, "the journal has the experiment's options; beside it there may be files of the policies, the model and its constants");
}

static void parse_policy(struct argp_state *state, struct arguments *arguments,
			 char *text)
{
	struct contender contender = contender_split(text);
	char unused[SIMGPU_NAME_MAX];

	if (!contender_is_file(&contender))
		option_name(state, "--policy", unused, contender.policy);
	if (contender.model)
		option_name(state, "--policy NAME@", unused, contender.model);
	arguments->contender = contender;
	/* A journal names its policies, so with one only the file of a plug-in is allowed. */
	if (!contender_is_file(&contender))
		arguments->experiment.given = text;
}

static error_t parse_argument(int key, char *text, struct argp_state *state)
{
	struct arguments *arguments = state->input;
	struct settings *settings = &arguments->experiment.settings;

	switch (key) {
	case ARGP_KEY_INIT:
		state->child_inputs[1] = &arguments->memory;
		return 0;
	case 'p':
		parse_policy(state, arguments, text);
		return 0;
	case OPTION_SMS:
		settings->session.sms_most = (u32)option_number(state, "--sms", text, 1,
							SIMGPU_SMS_MAX);
		arguments->experiment.given = text;
		return 0;
	case OPTION_INJECT:
		inject_parse(state, &settings->injections, text);
		arguments->experiment.given = "inject";
		return 0;
	case ARGP_KEY_ARG:
		if (arguments->count == SESSION_SLOTS_MAX)
			argp_error(state, "there can be %d workloads",
				   SESSION_SLOTS_MAX);
		arguments->workloads[arguments->count++] = text;
		return 0;
	default:
		return ARGP_ERR_UNKNOWN;
	}
}

static struct argp_child children[] = {
	{ &experiment_argp, 0, NULL, 0 },
	{ .argp = NULL },
	{ 0 }
};

static const struct command_line command_line = {
	.options = options,
	.own = parse_argument,
	.check = check_arguments,
	.children = children,
	.words = "WORKLOAD...",
	.about = about,
};

static int check_managed(const struct arguments *arguments,
			 const struct workload *workload)
{
	const struct settings *settings = &arguments->experiment.settings;

	if (arguments->journal && workload->managed)
		return fail_usage("managed=1 goes without --journal, which says what is managed");
	if (workload->arrivals.given && !workload->managed)
		return fail_usage("%s: requests that come by themselves make no memory managed; with --offline managed=1 does it",
				  workload->name);
	if (!arguments->offline && workload->arrivals.given)
		return fail_usage("managed=1 with requests that come by themselves needs --offline: on a device launches alone have it");
	if (settings->session.sampled)
		return fail_usage("managed=1 does not go with --sampled: time cannot leap over faults");
	if (workload->arrivals.load_ppm)
		return fail_usage("managed=1 does not go with load=, a rate that is measured without faults");
	return STATUS_OK;
}

/* Read the traces that this process runs, or that the tenants' private runs need. */
static int read_workloads(const struct arguments *arguments,
			  struct workload *workloads)
{
	const struct gpu_config *config =
		settings_config(&arguments->experiment.settings);
	struct gpu_config recorded;
	int ret = STATUS_OK;
	u32 i;

	if (arguments->journal) {
		ret = run_journal_config(arguments->journal, &recorded);
		/* Its lines say when there is memory for managed pages. */
		recorded.managed_mb = max_t(u32, recorded.managed_mb, GPU_CHUNK_BYTES >> 20);
		config = &recorded;
	}
	for (i = 0; !ret && i < arguments->count; i++) {
		ret = workload_read(arguments->workloads[i], config, &workloads[i]);
		if (!ret && workloads[i].paged)
			ret = check_managed(arguments, &workloads[i]);
		if (!ret && (arguments->offline || arguments->truth ||
			     workloads[i].arrivals.load_ppm ||
			     workloads[i].arrivals.plan.batching))
			ret = workload_decode(&workloads[i], config);
		if (!ret && workloads[i].trace && !arguments->journal)
			ret = arrivals_check_batching(&workloads[i].arrivals, workloads[i].path,
						      workloads[i].trace);
	}
	return ret;
}

/* Set what journals do not contain: how requests arrive. */
static int settle_arrivals(const struct arguments *arguments,
			   struct workload *workloads)
{
	const struct settings *settings = &arguments->experiment.settings;
	struct session_options options;
	int ret = STATUS_OK;
	u32 i;

	for (i = 0; !ret && !arguments->journal && i < arguments->count; i++) {
		struct workload *workload = &workloads[i];

		if (!workload->arrivals.given)
			continue;
		ret = settings_options(settings, &options);
		ret = ret ? ret : arrivals_settle(&workload->arrivals, &options,
						  workload->trace,
						  settings->threads);
	}
	return ret;
}

static int run(struct arguments *arguments, const struct workload *workloads,
	       struct result *result)
{
	struct settings *settings = &arguments->experiment.settings;

	if (arguments->journal)
		return run_journal(arguments->journal, settings, workloads,
				   arguments->count, result);
	if (arguments->offline)
		return run_offline(settings, workloads, arguments->count,
				   result);
	return run_device(settings, workloads, arguments->count, result);
}

static int print(const struct arguments *arguments, const struct result *result)
{
	const struct settings *settings = &arguments->experiment.settings;

	if (arguments->json)
		return print_result_json(settings, result);
	if (arguments->csv)
		return print_result_csv(result);
	return print_result(settings, result, arguments->kernels);
}

/* Run, then make the private runs. */
static int run_with_truth(struct arguments *arguments,
			  const struct workload *workloads,
			  struct result *result)
{
	int ret = run(arguments, workloads, result), then;

	if (!result->complete)
		return ret;
	result_summarize(result);
	if (!arguments->truth || result->partial)
		return ret;
	then = run_truth(&arguments->experiment.settings,
			 arguments->journal ? NULL : workloads, result);
	if (then)
		result->complete = false;
	return ret ? ret : then;
}

/* Run with each seed, and merge the results into the first one. */
static int run_seeds(struct arguments *arguments, struct workload *workloads,
		     struct result *results)
{
	u64 *seed = &arguments->experiment.settings.session.seed, first = *seed;
	int ret = STATUS_OK;
	u32 i;

	for (i = 0; !ret && !interrupted() && i < arguments->seeds; i++) {
		*seed = first + i;
		ret = settle_arrivals(arguments, workloads);
		if (!ret)
			ret = run_with_truth(arguments, workloads, &results[i]);
	}
	*seed = first;
	if (arguments->seeds == 1)
		return ret;
	/* Drop a run that was stopped, unless it is the only one. */
	if (interrupted() && i > 1) {
		i -= !results[i - 1].complete || results[i - 1].partial;
		results[0].partial = i < arguments->seeds;
		ret = STATUS_OK;
	}
	if (!ret && i > 1)
		ret = result_merge(results, i);
	if (ret)
		results[0].complete = false;
	return ret;
}

static int open_timeline(const struct arguments *arguments,
			 struct result *result)
{
	if (!arguments->timeline)
		return STATUS_OK;
	result->timeline = timeline_open(arguments->timeline);
	return result->timeline ? STATUS_OK : STATUS_FAILED;
}

/* Programs that read the figures may not look for that. */
static int tell_refused(const struct arguments *arguments,
			const struct result *result)
{
	const struct settings *settings = &arguments->experiment.settings;
	bool model = result->refusal.kind == SESSION_REFUSED_PREDICT;

	warn("%s %s was refused (%s%s%s): the figures are not its own",
	     model ? "the model" : "the policy",
	     model ? settings->model : settings->policy,
	     session_refusal_names[result->refusal.kind],
	     *result->refusal.reason ? ": " : "", result->refusal.reason);
	return STATUS_REFUSED;
}

/* The same of a memory policy. */
static int tell_replaced(const struct session_memory *memory)
{
	warn("the memory policy was replaced by uvm (%s): the figures are not its own",
	     memory->fell_back);
	return STATUS_REFUSED;
}

static int run_and_print(struct arguments *arguments, struct workload *workloads)
{
	struct result *results = calloc(arguments->seeds, sizeof(*results));
	int ret, then = STATUS_OK;
	u32 i;

	if (!results)
		return fail("out of memory");
	interrupt_catch();
	results[0].notes_wanted = arguments->notes;
	ret = open_timeline(arguments, results);
	if (!ret)
		ret = run_seeds(arguments, workloads, results);
	then = timeline_close(results[0].timeline, results[0].complete);
	ret = ret ? ret : then;
	if (results[0].partial)
		warn("stopped by %s; the results are partial", interrupt_name());
	if (results[0].complete)
		then = print(arguments, &results[0]);
	/* A journal is to be repeated, refusals and all. */
	if (!ret && !then && results[0].refused && !arguments->journal)
		then = tell_refused(arguments, &results[0]);
	if (!ret && !then && *results[0].memory.fell_back)
		then = tell_replaced(&results[0].memory);
	for (i = 0; i < arguments->seeds; i++)
		result_free(&results[i]);
	free(results);
	return interrupt_status(ret ? ret : then);
}

/* Choose the policy; a device may have policies and models that this process lacks. */
static int choose_policy(struct arguments *arguments)
{
	struct contender *contender = &arguments->contender;
	struct settings *settings = &arguments->experiment.settings;
	int ret = STATUS_OK;

	if (!contender->policy)
		return STATUS_OK;
	contender_default(contender);
	if (contender_is_file(contender))
		ret = contender_load(contender, settings);
	if (!ret)
		contender_choose(contender, settings);
	return ret;
}

/* Check parameters, except a device's: only the device knows those of its policy. */
static int check_params(const struct arguments *arguments)
{
	const struct settings *settings = &arguments->experiment.settings;

	if (!arguments->offline || arguments->journal)
		return STATUS_OK;
	return settings_check_params(settings);
}

int run_command(int argc, char **argv)
{
	struct arguments arguments = {
		.seeds = 1,
	};
	struct workload *workloads;
	int ret;
	u32 i;

	experiment_begin(&arguments.experiment, SESSION_PREEMPTION_DRAIN);
	children[1].argp = memory_argp();
	parse_command_line(&command_line, argc, argv, 0, &arguments);
	arguments.memory.of_device = !arguments.offline;
	ret = experiment_load(&arguments.experiment);
	if (!ret)
		ret = memory_options_apply(&arguments.memory, &arguments.experiment);
	if (!ret)
		ret = choose_policy(&arguments);
	if (!ret)
		ret = check_params(&arguments);
	if (ret)
		return ret;
	workloads = calloc(arguments.count, sizeof(*workloads));
	if (!workloads)
		return fail("out of memory");
	ret = read_workloads(&arguments, workloads);
	if (!ret)
		ret = run_and_print(&arguments, workloads);
	for (i = 0; i < arguments.count; i++)
		workload_free(&workloads[i]);
	free(workloads);
	return ret;
}
