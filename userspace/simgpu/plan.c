// SPDX-License-Identifier: GPL-2.0
/* simgpu plan: which kernels run together, in which phase, on how many SMs. */
#include "output.h"
#include "profile.h"

enum {
	OPTION_CONFIG = 256,
	OPTION_ALGORITHM,
	OPTION_MAPS,
	OPTION_JSON,
};

static const struct argp_option options[] = {
	{ "config", OPTION_CONFIG, "NAME|FILE", 0, "The GPU (default hbm80)", 0 },
	{ "algorithm", OPTION_ALGORITHM, "NAME", 0,
	  "stm (default): kernels in the order given; stm-rotations: the best of "
	  "all rotations of that order", 0 },
	{ "maps", OPTION_MAPS, 0, 0,
	  "With --json, print the order of thread blocks, too", 0 },
	{ "json", OPTION_JSON, 0, 0, "Print one JSON document", 0 },
	{ 0 }
};

static const char about[] =
	"Divide the first kernels of the workloads among phases as the policy stm "
	"does (Algorithm 1 of spatial-temporal multitasking), and print what each "
	"phase is expected to take. Nothing runs: their traces have profiles, which "
	"simgpu profile --out writes into them.\v"
	"A phase's penalty is what it is slower for want of bandwidth (Eq. 3); a "
	"kernel's capacity that of its leaky bucket.\n"
	"\n"
	"Examples:\n"
	"  simgpu profile --config gtx480 --out va.trace VA:size=card\n"
	"  simgpu profile --config gtx480 --out bino.trace BINO:size=card\n"
	"  simgpu plan --config gtx480 va.trace bino.trace\n"
	"\n"
	"Exit status: 0; 1 if it failed; 2 for wrong usage.";

/** struct arguments - the parsed command line */
struct arguments {
	const char *config;
	bool rotations;
	bool maps;
	bool json;
	char **names;
	u32 count;
};

static error_t parse_argument(int key, char *text, struct argp_state *state)
{
	struct arguments *arguments = state->input;

	switch (key) {
	case OPTION_CONFIG:
		arguments->config = text;
		return 0;
	case OPTION_ALGORITHM:
		arguments->rotations = !strcmp(text, "stm-rotations");
		if (!arguments->rotations && strcmp(text, "stm"))
			argp_error(state, "--algorithm is stm or stm-rotations, not \"%s\"",
				   text);
		return 0;
	case OPTION_MAPS:
		arguments->maps = true;
		return 0;
	case OPTION_JSON:
		arguments->json = true;
		return 0;
	case ARGP_KEY_ARGS:
		arguments->names = state->argv + state->next;
		arguments->count = (u32)(state->argc - state->next);
		if (arguments->count > PLAN_KERNELS_MAX)
			argp_error(state, "a plan has %u kernels at most",
				   PLAN_KERNELS_MAX);
		return 0;
	case ARGP_KEY_NO_ARGS:
		argp_error(state, "no workload is named");
		return 0;
	default:
		return ARGP_ERR_UNKNOWN;
	}
}

static const struct argp argp = {
	.options = options,
	.parser = parse_argument,
	.args_doc = "WORKLOAD...",
	.doc = about,
};

/**
 * struct planning - a set of kernels, and its plan
 * @kernels: in the order in which the plan takes them
 * @profiles: by workload
 * @first: workload of the first kernel; the others follow in a circle
 * @seconds: that planning took
 */
struct planning {
	struct profiles *measured;
	struct plan_kernel kernels[PLAN_KERNELS_MAX];
	struct simgpu_snapshot_profile profiles[PLAN_KERNELS_MAX];
	struct plan_set set;
	struct plan_work work;
	struct plan plan;
	u32 first;
	double seconds;
};

/* --- the plan ------------------------------------------------------------------- */

/* The profiles of the first kernels; says whose is missing. */
static int take_profiles(struct planning *planning)
{
	const struct gpu_config *config = &planning->measured->config;
	u32 i;

	for (i = 0; i < planning->set.count; i++) {
		const struct workload *workload = &planning->measured->workloads[i];
		const struct trace_point *points =
			trace_profile(workload->trace, config->name, config->sms, 0);

		if (!points)
			return fail("%s has no profile for %s; simgpu profile --config %s --out FILE %s makes one",
				    workload->path, config->name, config->name,
				    workload->path);
		memcpy(planning->profiles[i].point, points,
		       config->sms * sizeof(*points));
	}
	return STATUS_OK;
}

static void plan_from(struct planning *planning, u32 first)
{
	u32 count = planning->set.count, i;

	planning->first = first;
	for (i = 0; i < count; i++) {
		u32 index = (first + i) % count;
		const struct trace *trace =
			planning->measured->workloads[index].trace;

		planning->kernels[i] = (struct plan_kernel) {
			.blocks = trace->kernels[0].blocks,
			.profile = index,
			.memory_bytes = trace->footprint_bytes,
		};
	}
	plan_make(&planning->set, &planning->work, &planning->plan);
}

static void make_plan(struct planning *planning, bool rotations)
{
	u32 count = rotations ? planning->set.count : 1, best = 0, i;
	u64 least = U64_MAX, began = offline_wall_ns();

	for (i = 0; i < count; i++) {
		plan_from(planning, i);
		if (planning->plan.total >= least)
			continue;
		least = planning->plan.total;
		best = i;
	}
	if (planning->first != best)
		plan_from(planning, best);
	planning->seconds = (double)(offline_wall_ns() - began) / 1e9;
}

/* --- output ------------------------------------------------------------------------ */

static const struct workload *workload_of(const struct planning *planning, u32 index)
{
	return &planning->measured->workloads[planning->kernels[index].profile];
}

/* mapKernel and mapBlk of Figure 5. */
static void set_maps(struct json_object *object, struct planning *planning,
		     const struct plan_choice *choice)
{
	struct json_object *map_kernel = json_object_new_array();
	struct json_object *map_block = json_object_new_array();
	u32 placed[PLAN_KERNELS_MAX] = { 0 }, blocks = 0, count, i;
	u8 *order;

	for (i = 0; i < choice->count; i++)
		blocks += planning->kernels[choice->kernel[i]].blocks;
	order = grow(NULL, blocks, sizeof(*order));
	count = plan_interleave(&planning->set, choice, &planning->work, order,
				blocks);
	for (i = 0; i < count; i++) {
		json_object_array_add(map_kernel, json_u64(order[i]));
		json_object_array_add(map_block, json_u64(placed[order[i]]++));
	}
	free(order);
	json_set(object, "map_kernel", map_kernel);
	json_set(object, "map_block", map_block);
}

static struct json_object *phase_json(struct planning *planning, u32 phase, bool maps)
{
	struct json_object *object = json_object_new_object();
	struct json_object *kernels = json_object_new_array();
	struct plan_choice choice;
	u32 i;

	plan_choice_of(&planning->set, &planning->plan, phase, &choice);
	for (i = 0; i < choice.count; i++) {
		struct json_object *kernel = json_object_new_object();

		json_set_string(kernel, "name",
				workload_of(planning, choice.kernel[i])->name);
		json_set(kernel, "sms", json_u64(choice.sms[i]));
		json_set(kernel, "capacity",
			 json_u64(planning->plan.bucket[choice.kernel[i]]));
		json_object_array_add(kernels, kernel);
	}
	json_set(object, "kernels", kernels);
	json_set(object, "cycles_estimated", json_u64(planning->plan.cycles[phase]));
	json_set(object, "penalty", json_ppm(planning->plan.penalty_ppm[phase]));
	if (maps)
		set_maps(object, planning, &choice);
	return object;
}

static int print_json(struct planning *planning, bool maps)
{
	struct json_object *document = json_object_new_object();
	struct json_object *phases = json_object_new_array();
	u32 phase;

	json_set_string(document, "config", planning->measured->config.name);
	json_set(document, "seconds",
		 json_decimal_or_null(true, planning->seconds));
	json_set(document, "cycles_estimated", json_u64(planning->plan.total));
	json_set(document, "cycles_sequential", json_u64(planning->plan.sequential));
	for (phase = 0; phase < planning->plan.phases; phase++)
		json_object_array_add(phases, phase_json(planning, phase, maps));
	json_set(document, "phases", phases);
	return json_print(document);
}

static int print_table(const struct planning *planning)
{
	struct table *table = table_new(">PHASE|KERNEL|>SMS|>CYCLES|>PENALTY");
	const struct plan *plan = &planning->plan;
	u32 phase, i;

	for (phase = 0; phase < plan->phases; phase++) {
		struct plan_choice choice;

		plan_choice_of(&planning->set, &planning->plan, phase, &choice);
		for (i = 0; i < choice.count; i++) {
			table_cell(table, "%u", phase + 1);
			table_cell(table, "%s",
				   workload_of(planning, choice.kernel[i])->name);
			table_cell(table, "%u", choice.sms[i]);
			table_cell(table, "%llu", plan->cycles[phase]);
			table_ppm(table, true, plan->penalty_ppm[phase], 2);
		}
	}
	table_print(table);
	printf("%llu cycles, %llu one after another\n", plan->total,
	       plan->sequential);
	return STATUS_OK;
}

int plan_command(int argc, char **argv)
{
	struct arguments arguments = { .config = "hbm80" };
	struct planning *planning = grow(NULL, 1, sizeof(*planning));
	struct profiles measured = { .count = 0 };
	int ret;

	memset(planning, 0, sizeof(*planning));
	argp_parse(&argp, argc, argv, 0, NULL, &arguments);
	ret = config_load(arguments.config, &measured.config) ?:
	      profiles_open(&measured, arguments.names, arguments.count);
	planning->measured = &measured;
	planning->set = (struct plan_set) {
		.kernels = planning->kernels,
		.profiles = planning->profiles,
		.count = arguments.count,
		.sms = measured.config.sms,
		.memory_bytes = (u64)measured.config.memory_mb << 20,
	};
	if (!ret)
		ret = take_profiles(planning);
	if (!ret) {
		make_plan(planning, arguments.rotations);
		ret = arguments.json ? print_json(planning, arguments.maps) :
				       print_table(planning);
	}
	profiles_free(&measured);
	free(planning);
	return ret;
}
