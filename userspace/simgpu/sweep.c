// SPDX-License-Identifier: GPL-2.0
/* simgpu sweep: its command line. */
#include "jobs.h"
#include "plugin.h"
#include "sweep.h"

enum {
	OPTION_SUITE = 256,
	OPTION_OUT,
	OPTION_TARGET,
	OPTION_WARMUP,
	OPTION_PART,
	OPTION_JSON,
	OPTION_CSV,
};

static const struct argp_option options[] = {
	{ "suite", OPTION_SUITE, "NAME|FILE", 0,
	  "hsm-pairs (105, the default), hsm-memory (45), hsm-compute (10), hsm-hetero (50), hsm-quads (30), or a file with a mix a line", 0 },
	{ "policy", 'p', "NAME,...", 0,
	  "Policies, each over the whole suite (default even), or files as for simgpu run", 0 },
	{ "target", OPTION_TARGET, "NP", 0,
	  "What the tenant with priority is promised (default 0.8; 0: none has)", 0 },
	{ "warmup", OPTION_WARMUP, "N", 0,
	  "Core cycles before a target is held against a tenant (default 2000000)", 0 },
	{ "jobs", 'J', "N", 0, "Runs at a time (default: one a core)", 0 },
	{ "out", OPTION_OUT, "DIR", 0,
	  "Where figures are kept and sweep.csv is written (default sweep)", 0 },
	{ "part", OPTION_PART, "K/N", 0,
	  "Make only the Kth of N shares of the runs, to divide a sweep among hosts", 0 },
	{ "json", OPTION_JSON, 0, 0, "Print one JSON document", 0 },
	{ "csv", OPTION_CSV, 0, 0,
	  "Print the means as CSV, a row for each policy and kind of mix", 0 },
	{ 0 }
};

static const char about[] =
	"Run each mix of a suite under each policy, offline, and each of its "
	"workloads alone, and print fairness, STP, ANTT, the model's error and "
	"whether targets were met. An interrupted sweep goes on where it was when "
	"the same command is given again.\v"
	"In a mix of both classes the first memory-bound tenant has priority, in "
	"others one that the seed chooses; a mix in a file may say target=NP itself. "
	"A target is met if the actual NP after the warm-up reaches it. Preemption is "
	"adaptive unless --preemption says otherwise.\n"
	"DIR/sweep.csv has a row for each policy, mix and tenant; error_class, error_line, "
	"error_drift and error_rest are what the error is made of (docs/hsm.md).\n"
	"\n"
	"With --part, hosts that share DIR make the runs of a sweep together: once for "
	"the mixes, once more for the workloads alone; the same command without --part "
	"then finds all of them and reports. tools/sweep-parallel does this under GNU "
	"parallel or Slurm.\n"
	"\n"
	"Examples:\n"
	"  simgpu sweep --policy even,hsm-fair --out build/pairs\n"
	"  simgpu sweep --suite hsm-hetero --policy proportional,hsm-qos --cycles 1000000\n"
	"  printf 'LBM DXTC\\nPVC:weight=3 SC BINO\\n' >mine; simgpu sweep --suite ./mine\n"
	"\n"
	"Exit status: 0, whatever the figures are; 1 if it failed; 2 for wrong "
	"usage.";

static void parse_policies(struct argp_state *state, struct sweep *sweep,
			   char *text)
{
	char *rest = text;
	const char *name;

	sweep->policy_count = 0;
	while ((name = strsep(&rest, ","))) {
		if (sweep->policy_count == SWEEP_POLICIES_MAX)
			argp_error(state, "there can be %d policies",
				   SWEEP_POLICIES_MAX);
		if (plugin_is_file(name)) {
			const struct simgpu_policy *policy = plugin_load(name);

			if (!policy)
				exit(STATUS_FAILED);
			name = policy->name;
		}
		if (!plugin_find_policy(name))
			argp_error(state, "there is no policy \"%s\"", name);
		sweep->policies[sweep->policy_count++] = name;
	}
}

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

static error_t parse_argument(int key, char *text, struct argp_state *state)
{
	struct sweep *sweep = state->input;

	switch (key) {
	case ARGP_KEY_INIT:
		state->child_inputs[0] = &sweep->experiment;
		return 0;
	case OPTION_SUITE:
		sweep->suite_name = text;
		return 0;
	case 'p':
		parse_policies(state, sweep, text);
		return 0;
	case OPTION_TARGET:
		if (!parse_ppm(text, &sweep->target_ppm) ||
		    sweep->target_ppm > SIMGPU_PPM)
			argp_error(state, "--target is an NP from 0 to 1, not \"%s\"",
				   text);
		return 0;
	case OPTION_WARMUP:
		sweep->warmup_cycles = option_number(state, "--warmup", text, 0,
						     U64_MAX);
		return 0;
	case 'J':
		sweep->workers = option_number(state, "--jobs", text, 1, 1024);
		return 0;
	case OPTION_OUT:
		sweep->folder = text;
		return 0;
	case OPTION_PART:
		parse_part(state, sweep, text);
		return 0;
	case OPTION_JSON:
		sweep->json = true;
		return 0;
	case OPTION_CSV:
		sweep->csv = true;
		return 0;
	case ARGP_KEY_END:
		if (sweep->json && sweep->csv)
			argp_error(state, "--json and --csv exclude each other");
		return 0;
	default:
		return ARGP_ERR_UNKNOWN;
	}
}

static const struct argp_child children[] = {
	{ &experiment_argp, 0, NULL, 0 },
	{ 0 }
};

static const struct argp argp = {
	.options = options,
	.parser = parse_argument,
	.children = children,
	.doc = about,
};

/* Of this program and its plug-ins: figures of others are not used. */
static int checksum_program(u32 *out)
{
	int ret;

	*out = 0;
	ret = checksum_file("/proc/self/exe", out);
	return ret ? ret : plugin_checksum(out);
}

static int make_runs(struct sweep *sweep)
{
	u32 mixes = sweep->suite.mix_count, i;

	sweep->run_count = sweep->policy_count * mixes;
	sweep->runs = calloc(sweep->run_count, sizeof(*sweep->runs));
	if (!sweep->runs)
		return fail("out of memory");
	for (i = 0; i < sweep->run_count; i++) {
		sweep->runs[i].sweep = sweep;
		sweep->runs[i].mix = &sweep->suite.mixes[i % mixes];
		sweep->runs[i].policy = sweep->policies[i / mixes];
	}
	return STATUS_OK;
}

static int check_settings(struct sweep *sweep)
{
	struct settings *settings = &sweep->experiment.settings;
	struct session_options unused;

	strcpy(settings->policy, sweep->policies[0]);
	return settings_options(settings, &unused);
}

int sweep_command(int argc, char **argv)
{
	struct sweep sweep = {
		.experiment.settings = settings_default,
		.suite_name = "hsm-pairs",
		.folder = "sweep",
		.policies = { "even" },
		.policy_count = 1,
		.target_ppm = 800000,
		.warmup_cycles = 2000000,
		.parts = 1,
		.workers = jobs_workers_default(),
	};
	int ret;

	/* HSM 4.2. */
	sweep.experiment.settings.preemption = SIMGPU_PREEMPTION_ADAPTIVE;
	argp_parse(&argp, argc, argv, 0, NULL, &sweep);
	ret = experiment_load(&sweep.experiment);
	if (!ret)
		ret = check_settings(&sweep);
	if (!ret)
		ret = checksum_program(&sweep.program);
	if (!ret)
		ret = suite_load(sweep.suite_name,
				 sweep.experiment.settings.seed,
				 sweep.target_ppm, &sweep.suite);
	if (!ret)
		ret = make_runs(&sweep);
	if (!ret)
		ret = sweep_run_all(&sweep);
	if (!ret && sweep.incomplete)
		warn("part %u of %u is made; runs of other parts are missing still",
		     sweep.part + 1, sweep.parts);
	else if (!ret)
		ret = sweep_report(&sweep);
	free(sweep.runs);
	suite_free(&sweep.suite);
	return ret;
}
