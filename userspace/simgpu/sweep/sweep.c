// SPDX-License-Identifier: GPL-2.0
/* simgpu sweep: its command line. */
#include "../interrupt.h"
#include "../jobs.h"
#include "../options.h"
#include "../plugin.h"
#include "sweep_axes.h"
#include "sweep_report.h"
#include "sweep_requests.h"
#include "sweep_runs.h"
#include "sweep_serve.h"
#include "sweep_serve_report.h"
#include "sweep_sets.h"
#include "sweep_sets_report.h"
#include "sweep_suite.h"
#include "sweep_wide.h"

/* More runs are taken for an error on the command line. */
#define SWEEP_RUNS_MAX	1000000
#define DEADLINE_MAX	(1000 * SIMGPU_PPM)
/* Default of --deadline for services beside best-effort work */
#define DEADLINE_SERVE	(5 * SIMGPU_PPM)

enum {
	OPTION_TARGET = 256,
	OPTION_DEADLINE,
	OPTION_PART,
};

static const char about[] =
	"Run every mix of a suite under each policy, offline, and each of its "
	"workloads alone, and tell fairness, STP, ANTT, the model's error and "
	"if targets were met. An interrupted sweep continues where it was when "
	"its command is given again.\v"
	"In a mix of both classes the first memory-bound tenant has priority, in "
	"others one that the seed chooses; a mix in a file may say target=NP itself. "
	"A target is met if the actual NP after the warm-up reaches it; of a tenant whose first "
	"run ends before that it is not judged.\n"
	"Tenants of a mix may have several queues, and requests that come by themselves "
	"(queues=, arrivals=, load= and their like); their latency, goodput and missed "
	"deadlines stand beside the rest.\n"
	"Policies stand in the order given, as POLICY@MODEL. With axes, each mix runs at "
	"each point of them; the means are over all points, and JSON has those of each "
	"under by_target, by_weights, by_split, by_goal, by_load and by_kernel_end.\n"
	"DIR/sweep.csv has a row for each policy, mix, point, seed and tenant; error_log is "
	"log(predicted / actual), and error_class, error_line, error_drift and error_rest "
	"are its parts (docs/sweeps.md).\n"
	"\n"
	"With --part, hosts that share DIR make the runs of a sweep together: once for "
	"the mixes, once more for the workloads alone; the same command without --part "
	"then finds all of them and reports. tools/sweep-parallel does this under GNU "
	"parallel or Slurm.\n"
	"\n"
	"In the suites stm-sets and stm-kernel-sets each trace runs once, with profiles that are measured "
	"first, and means say what policies gain over sequential and concurrent; it has "
	"the policy stm-optimal, the best schedule, found by measuring (docs/stm.md).\n"
	"In the suite serve-pairs the first tenant's requests come at a --load, and means are "
	"its latencies over those alone, the part of requests within their deadline, and "
	"the other's throughput (docs/sweeps.md).\n"
	"\n"
	"Examples:\n"
	"  simgpu sweep --policy even,hsm-fair@hsm,hsm-fair@mirror --out build/pairs\n"
	"  simgpu sweep --suite hsm-hetero --policy proportional,hsm-qos \\\n"
	"    --targets 0.5:0.9:0.1\n"
	"  simgpu sweep --suite ./services --load 0.1:0.9:0.1 --cycles 5000000 \\\n"
	"    --json\n"
	"  simgpu sweep --suite hsm-compute --seeds 5 --cycles 1000000 --json\n"
	"  simgpu sweep --suite stm-sets --config gtx480 \\\n"
	"    --policy sequential,concurrent,stm\n"
	"  simgpu sweep --suite serve-pairs --load 0.1:0.9:0.1 --policy mig,reef \\\n"
	"    --json\n"
	"  echo STREAM:size=0.05,managed=1 PF >paged; simgpu sweep --suite ./paged \\\n"
	"    --memory 256M --memory-policy lfu --policy even,time-slice\n"
	"  printf 'LBM DXTC\\nPVC:weight=3 SC BINO\\n' >mine; simgpu sweep \\\n"
	"    --suite ./mine\n"
	"\n"
	"A run in which the policy was refused and even took its place, or in which the model "
	"failed, is counted as refused, and is in no mean.\n"
	"\n"
	"Exit status: 0, whatever the figures are; 1 if it failed; 2 for wrong usage; 3 if "
	"a policy or a model was refused in some run; 130 after Ctrl-C, 143 after SIGTERM.";

static void parse_part(struct argp_state *state, struct sweep *sweep,
		       const char *text)
{
	char number[16];
	size_t length = strcspn(text, "/");
	u64 part = 0, parts = 0;

	snprintf(number, sizeof(number), "%.*s", (int)length, text);
	if (length >= sizeof(number) || !text[length] ||
	    !parse_number(text + length + 1, 1, SWEEP_PARTS_MAX, &parts) ||
	    !parse_number(number, 1, parts, &part))
		argp_error(state, "--part takes K/N with K from 1 to N, N at most %d, not \"%s\"",
			   SWEEP_PARTS_MAX, text);
	sweep->part = (u32)part - 1;
	sweep->parts = (u32)parts;
}

static void check_options(struct argp_state *state)
{
	const struct sweep *sweep = state->input;
	u64 most = U64_MAX - sweep->seeds + 1;

	if (sweep->json + sweep->csv + sweep->details > 1)
		argp_error(state, "--json, --csv and --details exclude each other");
	if (sweep->target_given &&
	    sweep_axes_set(&sweep->axes) & AXIS_SETS_TARGET)
		argp_error(state, "--target is for sweeps without an axis that says who has which target");
	if (sweep->experiment.settings.session.seed > most)
		argp_error(state, "the last of %llu seeds is too large",
			   sweep->seeds);
}

#define AT(member)	offsetof(struct sweep, member)

static const struct command_option options[] = {
	{ "suite", 0, "NAME|FILE",
	  "Of --list-suites (default hsm-pairs), or a file with a mix a line",
	  TO_TEXT(suite_name) },
	{ "traces", 0, "DIR",
	  "Of wide-pairs: draw from the files *.sgtr and *.trace in DIR, too, and in its folders, whose names are their sources",
	  TO_TEXT(traces) },
	{ "list-suites", 0, NULL, "Print the suites that have names, and end",
	  TO_FLAG(list_suites) },
	{ "policy", 'p', "POLICY,...",
	  "Policies, each over the whole suite, with @MODEL behind those that ask another model than --model (default even), or files as for simgpu run",
	  TO_TEXT(policy_list) },
	{ "seeds", 0, "N",
	  "Each mix with N seeds, from --seed on: means over them, with a 95% interval",
	  TO_U64(seeds, 1, SWEEP_SEEDS_MAX) },
	{ "repeat", 0, NULL, NULL, .flags = OPTION_ALIAS },
	{ "target", OPTION_TARGET, "NP",
	  "What the tenant with priority is promised (default 0.8, without --weights; 0: none has)",
	  .kind = OPTION_OWN },
	{ "deadline", OPTION_DEADLINE, "X",
	  "Requests at a load have until X times what they take alone, unless they have deadline= (default 5 in serve-pairs, else none)",
	  .kind = OPTION_OWN },
	{ "warmup", 0, "N",
	  "Core cycles before a target is held against a tenant (default 2000000)",
	  TO_U64(warmup_cycles, 0, U64_MAX) },
	{ "jobs", 'J', "N", "Runs at a time (default: one a core)",
	  TO_U64(workers, 1, 1024) },
	{ "out", 0, "DIR",
	  "Where figures are kept and sweep.csv is written (default sweep)",
	  TO_TEXT(folder) },
	{ "part", OPTION_PART, "K/N",
	  "Make only the Kth of N shares of the runs, to divide a sweep among hosts",
	  .kind = OPTION_OWN },
	{ "every", 0, "N",
	  "Thin the suite: only each Nth of its mixes, from the first on",
	  TO_U64(every, 1, SWEEP_RUNS_MAX) },
	{ "sets", 0, "N=M,...",
	  "Thin stm-sets or stm-kernel-sets: of the sets of N programs only M, drawn by --seed",
	  TO_TEXT(sets) },
	{ "reference", 0, "POLICY",
	  "Of --policy the one that the others are held against (default the first)",
	  TO_TEXT(reference_name) },
	{ "details", 0, NULL,
	  "A second table: intervals over programs, medians, what errors are made of, and in how many mixes fairness is better than the reference's",
	  TO_FLAG(details) },
	{ "json", 0, NULL, "Print one JSON document", TO_FLAG(json) },
	{ "csv", 0, NULL, "Print the means as CSV, a row for each policy and its parts",
	  TO_FLAG(csv) },
	{ .name = NULL }
};

static error_t parse_argument(int key, char *text, struct argp_state *state)
{
	struct sweep *sweep = state->input;

	switch (key) {
	case ARGP_KEY_INIT:
		state->child_inputs[1] = &sweep->axes;
		state->child_inputs[2] = &sweep->memory;
		return 0;
	case OPTION_TARGET:
		if (!parse_ppm(text, &sweep->target_ppm) ||
		    sweep->target_ppm > SIMGPU_PPM)
			argp_error(state, "--target is an NP from 0 to 1, not \"%s\"",
				   text);
		sweep->target_given = true;
		return 0;
	case OPTION_DEADLINE:
		if (!parse_ppm(text, &sweep->deadline_ppm) ||
		    !sweep->deadline_ppm || sweep->deadline_ppm > DEADLINE_MAX)
			argp_error(state, "--deadline is above 0 up to 1000, not \"%s\"",
				   text);
		return 0;
	case OPTION_PART:
		parse_part(state, sweep, text);
		return 0;
	default:
		return ARGP_ERR_UNKNOWN;
	}
}

static struct argp_child children[] = {
	{ &experiment_argp, 0, NULL, 0 },
	{ .argp = NULL },
	{ .argp = NULL },
	{ 0 }
};

static const struct command_line command_line = {
	.options = options,
	.own = parse_argument,
	.check = check_options,
	.children = children,
	.about = about,
};

/* --- what was asked for --- */

static int load_contender(struct contender *contender,
			  const struct settings *settings)
{
	bool optimal = !strcmp(contender->policy, SETS_OPTIMAL);
	int ret;

	if (optimal)
		contender->policy = "stm";
	ret = contender_load(contender, settings);
	if (optimal)
		contender->policy = SETS_OPTIMAL;
	return ret;
}

static int add_policy(struct sweep *sweep, char *text)
{
	struct contender *contender = &sweep->policies[sweep->policy_count];
	char *label = sweep->labels[sweep->policy_count];
	u32 i;
	int ret;

	if (sweep->policy_count == SWEEP_POLICIES_MAX)
		return fail_usage("there can be %d policies", SWEEP_POLICIES_MAX);
	*contender = contender_split(text);
	ret = load_contender(contender, &sweep->experiment.settings);
	if (ret)
		return ret;
	contender_label(contender, label);
	for (i = 0; i < sweep->policy_count; i++)
		if (!strcmp(sweep->labels[i], label))
			return fail_usage("--policy has %s twice", label);
	sweep->policy_count++;
	return STATUS_OK;
}

static int add_policies(struct sweep *sweep)
{
	char *rest = sweep->policy_list, *text;
	int ret = STATUS_OK;

	while (!ret && (text = strsep(&rest, ",")))
		ret = add_policy(sweep, text);
	return ret;
}

/* Find the reference by its label, or by the policy's name if only one label has it. */
static int find_reference(struct sweep *sweep)
{
	const char *name = sweep->reference_name;
	u32 found = 0, i;

	for (i = 0; name && i < sweep->policy_count; i++) {
		if (strcmp(name, sweep->labels[i]) &&
		    strcmp(name, sweep->policies[i].policy))
			continue;
		sweep->reference = i;
		found++;
	}
	if (name && found != 1)
		return fail_usage("--reference %s is %s of --policy", name,
				  found ? "more than one" : "none");
	return STATUS_OK;
}

/* Only policies that leave SMs as they are can hold a split. */
static int check_split(const struct sweep *sweep)
{
	u32 i;

	if (!sweep_axes_split(&sweep->axes))
		return STATUS_OK;
	for (i = 0; i < sweep->policy_count; i++)
		if (strcmp(sweep->policies[i].policy, "even") &&
		    strcmp(sweep->policies[i].policy, "proportional") &&
		    strcmp(sweep->policies[i].policy, "bubble-flux"))
			return fail_usage("--split is for policies that leave SMs as they are, even, proportional and bubble-flux, not %s",
					  sweep->policies[i].policy);
	return STATUS_OK;
}

/* Checksum this program and its plug-ins. Figures made by other programs are not used. */
static int checksum_program(u32 *out)
{
	int ret;

	*out = 0;
	ret = checksum_file("/proc/self/exe", out);
	return ret ? ret : plugin_checksum(out);
}

/*
 * Whether --target applies to the tenant with priority. It does not if an axis sets
 * targets. If an axis sets weights, it applies only if it was given: beside a target,
 * weights would have little effect.
 */
static bool has_priority(const struct sweep *sweep)
{
	u32 sets = sweep_axes_set(&sweep->axes);

	if (sets & AXIS_SETS_TARGET || !sweep->target_ppm)
		return false;
	return sweep->target_given || !(sets & AXIS_SETS_WEIGHT);
}

/*
 * Check that a mix can run: requests that arrive come in one queue, whatever an axis says,
 * and at a load only without faults; and a tenant's masks fit the GPU.
 */
static int check_mix(const struct sweep *sweep, const struct gpu_config *config,
		     const struct mix *mix)
{
	u32 slot;

	for (slot = 0; slot < mix->count; slot++) {
		const struct workload *workload =
			&sweep->suite.workloads[mix->workload[slot]];

		if (mix->arrivals[slot].given && workload->queues.count > 1)
			return fail_usage("--load is for tenants with one queue, but the first of the mix %s has several",
					  mix->name);
		if (mix->arrivals[slot].load_ppm && workload->paged)
			return fail_usage("managed=1 does not go with a load, a rate that is measured without faults (%s)",
					  mix->name);
		if (masks_check(mix->options[slot].name, config,
				&mix->masks[slot], &workload->queues))
			return STATUS_USAGE;
	}
	return STATUS_OK;
}

/* Make the suite's mixes at each point. */
static int make_mixes(struct sweep *sweep)
{
	u32 mixes = sweep->suite.mix_count, i;
	u32 count = mixes * sweep_axes_points(&sweep->axes);
	bool priority = has_priority(sweep);
	struct session_options options;
	int ret;

	ret = settings_options(&sweep->experiment.settings, &options);
	if (ret)
		return ret;
	sweep->core_mhz = options.config.core_mhz;
	if (!priority)
		sweep->target_ppm = 0;
	sweep->mixes = grow(NULL, count, sizeof(*sweep->mixes));
	for (i = 0; !ret && i < count; i++) {
		struct mix *mix = &sweep->mixes[i];

		*mix = sweep->suite.mixes[i % mixes];
		if (priority && !mix_has_target(mix))
			mix_promise(mix, mix->priority, sweep->target_ppm);
		ret = sweep_axes_apply(&sweep->axes, i / mixes,
				       options.config.sms, mix);
		ret = ret ? ret : check_mix(sweep, &options.config, mix);
	}
	return ret;
}

/* A deadline is a multiple of the time that a request takes alone. */
static int check_deadline(struct sweep *sweep)
{
	if (sweep->suite.serves && !sweep->deadline_ppm)
		sweep->deadline_ppm = DEADLINE_SERVE;
	if (sweep->deadline_ppm && !sweep_takes_deadline(sweep))
		return fail_usage("--deadline is for requests that come at a load, and have no deadline= of their own");
	return STATUS_OK;
}

static int count_runs(struct sweep *sweep)
{
	u64 count = sweep->policy_count * sweep->seeds *
		    sweep_axes_points(&sweep->axes) * sweep->suite.mix_count;

	if (count > SWEEP_RUNS_MAX)
		return fail_usage("these are %llu runs; a sweep has %u at most",
				  count, SWEEP_RUNS_MAX);
	sweep->run_count = (u32)count;
	return STATUS_OK;
}

static int make_runs(struct sweep *sweep)
{
	u32 mixes = sweep->suite.mix_count, seeds = (u32)sweep->seeds;
	u32 points = sweep_axes_points(&sweep->axes), i;

	sweep->runs = calloc(sweep->run_count, sizeof(*sweep->runs));
	if (!sweep->runs)
		return fail("out of memory");
	for (i = 0; i < sweep->run_count; i++) {
		struct sweep_run *run = &sweep->runs[i];

		run->sweep = sweep;
		run->seed = i / mixes % seeds;
		run->point = i / mixes / seeds % points;
		run->policy = i / mixes / seeds / points;
		run->mix = &sweep->mixes[run->point * mixes + i % mixes];
	}
	return STATUS_OK;
}

/* Each parameter that was set has to belong to one of the policies or models. */
static int check_params(const struct sweep *sweep)
{
	struct settings settings = sweep->experiment.settings;
	struct session_options options;
	u32 known = 0, i;
	int ret;

	for (i = 0; i < sweep->policy_count; i++) {
		sweep_choose(sweep, i, &settings);
		ret = settings_options(&settings, &options);
		if (!ret)
			ret = set_params_apply(&settings.params, &options, &known);
		if (ret)
			return ret;
	}
	return set_params_check(&settings.params, known, &options);
}

/* Turn the command line into the list of runs; an exit status. */
static int prepare(struct sweep *sweep)
{
	int ret = experiment_load(&sweep->experiment);

	if (!ret)
		ret = memory_options_apply(&sweep->memory, &sweep->experiment);
	if (!ret)
		ret = add_policies(sweep);
	if (!ret)
		ret = find_reference(sweep);
	if (!ret)
		ret = check_split(sweep);
	if (!ret)
		ret = check_params(sweep);
	if (!ret)
		ret = checksum_program(&sweep->program);
	if (!ret)
		ret = suite_load(sweep->suite_name, sweep->traces,
				 sweep->experiment.settings.session.seed,
				 settings_config(&sweep->experiment.settings),
				 &sweep->suite);
	if (!ret)
		suite_warn_of_few(sweep);
	if (!ret)
		ret = sweep_sets_check(sweep);
	if (!ret)
		ret = sweep_serve_check(sweep);
	if (!ret)
		ret = sweep_sets_thin(sweep);
	if (!ret)
		suite_thin(&sweep->suite, (u32)sweep->every);
	if (!ret)
		ret = count_runs(sweep);
	if (!ret)
		ret = make_mixes(sweep);
	if (!ret)
		ret = check_deadline(sweep);
	if (!ret)
		ret = make_runs(sweep);
	return ret || !sweep->suite.serves ? ret : sweep_serve_add_alone(sweep);
}

static int report(const struct sweep *sweep)
{
	if (sweep->suite.once)
		return sweep_sets_report(sweep);
	return sweep->suite.serves ? sweep_serve_report(sweep) :
				     sweep_report(sweep);
}

/* Of runs that other parts have made, too. The figures of refused runs are nobody's. */
static int tell_refused(const struct sweep *sweep)
{
	u32 each = sweep->run_count / sweep->policy_count, i;

	for (i = 0; i < sweep->policy_count; i++)
		if (sweep_refused(sweep, i))
			warn("%s was refused in %u of %u runs, which have no figures: even ran in its place, its model failed, or uvm ran in the memory policy's place; simgpu run tells why",
			     sweep->labels[i], sweep_refused(sweep, i), each);
	return sweep_refused(sweep, SWEEP_ANY_POLICY) ? STATUS_REFUSED : STATUS_OK;
}

/* A sweep was stopped: report the runs that are complete. What was made stays in the folder. */
static int report_part(const struct sweep *sweep)
{
	u32 made = 0, i;

	for (i = 0; i < sweep->run_count; i++)
		made += sweep->runs[i].made;
	warn("stopped by %s: %u of %u runs are made and kept in %s; the same command goes on from there",
	     interrupt_name(), made, sweep->run_count, sweep->folder);
	return report(sweep);
}

int sweep_command(int argc, char **argv)
{
	char even[] = "even";
	struct sweep sweep = {
		.suite_name = "hsm-pairs",
		.folder = "sweep",
		.policy_list = even,
		.target_ppm = 800000,
		.seeds = 1,
		.every = 1,
		.warmup_cycles = 2000000,
		.parts = 1,
		.workers = jobs_workers_default(),
	};
	int ret;

	/* HSM 4.2. */
	experiment_begin(&sweep.experiment, SESSION_PREEMPTION_ADAPTIVE);
	sweep.experiment.settings.rivals = true;
	children[1].argp = sweep_axes_argp();
	children[2].argp = memory_argp();
	parse_command_line(&command_line, argc, argv, 0, &sweep);
	if (sweep.list_suites)
		return suite_list(sweep.json);
	ret = prepare(&sweep);
	if (!ret)
		interrupt_catch();
	if (!ret)
		ret = sweep_run_all(&sweep);
	if (!ret && interrupted())
		ret = report_part(&sweep);
	else if (!ret && sweep.incomplete)
		warn("part %u of %u is made; runs of other parts are missing still",
		     sweep.part + 1, sweep.parts);
	else if (!ret)
		ret = report(&sweep);
	if (!ret)
		ret = tell_refused(&sweep);
	free(sweep.runs);
	free(sweep.mixes);
	free(sweep.alone_mixes);
	free(sweep.windows);
	free(sweep.requests);
	suite_free(&sweep.suite);
	sweep_axes_free(&sweep.axes);
	return interrupt_status(ret);
}
