// SPDX-License-Identifier: GPL-2.0
/* simgpu plan: which kernels run together, in which phase, on how many SMs. */
#include "../../offline/optimal.h"
#include "../../offline/phase.h"
#include "../../offline/run.h"
#include "../json.h"
#include "../made_by.h"
#include "../options.h"
#include "../output.h"
#include "../table.h"
#include "plan_splits.h"
#include "profile.h"
#include "profiles.h"

enum {
	OPTION_ALGORITHM = 256,
	OPTION_PEAK,
	OPTION_PENALTY,
	OPTION_SPLITS,
};

enum algorithm {
	ALGORITHM_STM,
	ALGORITHM_ROTATIONS,
	ALGORITHM_OPTIMAL,
	ALGORITHMS
};

static const char *const algorithm_names[ALGORITHMS] = {
	[ALGORITHM_STM] = "stm",
	[ALGORITHM_ROTATIONS] = "stm-rotations",
	[ALGORITHM_OPTIMAL] = "optimal",
};

static const char about[] =
	"Divide the first kernels of the workloads among phases as the policy stm "
	"does (Algorithm 1 of spatial-temporal multitasking), and print what each "
	"phase is expected to take. Nothing runs, unless the optimum is asked for: "
	"their traces have profiles, which simgpu profile --out writes into them.\v"
	"A phase's penalty is what it is slower for want of bandwidth (Eq. 3); a "
	"kernel's capacity that of its leaky bucket. optimal (Algorithms 2 and 3) "
	"prints what each phase took, too: seconds for two kernels, an hour or two "
	"for five. On gtx480, c2070, gtx680 and k20 the nine built-in programs of the "
	"suite stm have profiles.\n"
	"\n"
	"Examples:\n"
	"  simgpu plan --config gtx480 BH VA BINO\n"
	"  simgpu plan --config gtx480 --splits VA BINO\n"
	"  simgpu profile --out pf.trace PF\n"
	"  simgpu plan pf.trace\n"
	"\n"
	"Exit status: 0; 1 if it failed; 2 for wrong usage.";

static const char *const division_names[OFFLINE_DIVISIONS] = {
	[OFFLINE_BUCKETS] = "buckets",
	[OFFLINE_HANDOVER] = "handover",
	[OFFLINE_PARTITION] = "partition",
};

static const char *const penalty_names[] = {
	[PLAN_PENALTY_UNIFORM] = "uniform",
	[PLAN_PENALTY_MEMORY] = "memory",
	[PLAN_PENALTY_NONE] = "none",
};

/** struct arguments - the parsed command line */
struct arguments {
	const char *config;
	enum algorithm algorithm;
	u64 seed;
	u64 peak_ppm;
	u32 penalty;
	bool splits;
	enum offline_division division;
	bool maps;
	bool json;
	char **names;
	u32 count;
};

#define AT(member)	offsetof(struct arguments, member)

static const struct command_option options[] = {
	{ "config", 0, "NAME|FILE", "The GPU (default hbm80)", TO_TEXT(config) },
	{ "algorithm", OPTION_ALGORITHM, "NAME",
	  "stm (default): kernels in the order given; stm-rotations: the best of "
	  "all rotations of that order; optimal: all phases and all splits are "
	  "measured, of up to five kernels", .kind = OPTION_OWN },
	{ "maps", 0, NULL, "With --json, print the order of thread blocks, too",
	  TO_FLAG(maps) },
	{ "peak", OPTION_PEAK, "PART",
	  "Bandwidth that kernels reach together, of the device's peak (Pb of Eq. 3; "
	  "default 1)", .kind = OPTION_OWN },
	{ "penalty", OPTION_PENALTY, "uniform|memory|none",
	  "For want of bandwidth: Eq. 3 (default), the memory's own time if that is "
	  "longer, or none", .kind = OPTION_OWN },
	{ "splits", OPTION_SPLITS, "buckets|handover|partition",
	  "In place of a plan, measure every way to divide the SMs among all of the "
	  "kernels, beside what each penalty makes of it. buckets (default): as the "
	  "policy stm shares all SMs; partition: each kernel on SMs of its own; "
	  "handover: so, too, but those of one that has ended go to the others",
	  .flags = OPTION_ARG_OPTIONAL },
	{ "seed", 0, "N", "Of what is measured (default 1)", TO_U64(seed, 0, U64_MAX) },
	{ "json", 0, NULL, "Print one JSON document", TO_FLAG(json) },
	{ .name = NULL }
};

static void parse_peak(struct argp_state *state, const char *text, u64 *out)
{
	if (!parse_ppm(text, out) || *out < SIMGPU_PPM / 10 || *out > SIMGPU_PPM)
		argp_error(state, "--peak is 0.1 to 1, not \"%s\"", text);
}

static void check_arguments(struct argp_state *state)
{
	const struct arguments *arguments = state->input;

	if (arguments->count > PLAN_KERNELS_MAX)
		argp_error(state, "a plan has %u kernels at most", PLAN_KERNELS_MAX);
	if (arguments->splits &&
	    (arguments->count < 2 || arguments->count > OPTIMAL_KERNELS_MAX))
		argp_error(state, "--splits is for 2 to %u kernels, not for %u",
			   OPTIMAL_KERNELS_MAX, arguments->count);
	if (arguments->algorithm == ALGORITHM_OPTIMAL &&
	    arguments->count > OPTIMAL_KERNELS_MAX)
		argp_error(state, "--algorithm optimal measures every schedule, of %u kernels at most, not of %u",
			   OPTIMAL_KERNELS_MAX, arguments->count);
}

static error_t parse_argument(int key, char *text, struct argp_state *state)
{
	struct arguments *arguments = state->input;

	switch (key) {
	case OPTION_ALGORITHM:
		arguments->algorithm = option_word(state, "--algorithm", algorithm_names,
						   ALGORITHMS, text);
		return 0;
	case OPTION_PEAK:
		parse_peak(state, text, &arguments->peak_ppm);
		return 0;
	case OPTION_PENALTY:
		arguments->penalty = option_word(state, "--penalty", penalty_names,
						 ARRAY_SIZE(penalty_names), text);
		return 0;
	case OPTION_SPLITS:
		arguments->splits = true;
		if (text)
			arguments->division = option_word(state, "--splits",
							  division_names,
							  OFFLINE_DIVISIONS, text);
		return 0;
	default:
		return ARGP_ERR_UNKNOWN;
	}
}

static const struct command_line command_line = {
	.options = options,
	.own = parse_argument,
	.check = check_arguments,
	.words = "WORKLOAD...",
	.no_words = "no workload is named",
	.list = AT(names),
	.count = AT(count),
	.about = about,
};

/**
 * struct planning - a set of kernels, and its plan
 * @kernels: in the order in which the plan takes them
 * @profiles: by workload
 * @first: workload of the first kernel; the others follow, going round
 * @algorithm: algorithm of the plan
 * @seed: seed of measured runs
 * @division: how measured runs divide the SMs
 * @optimal: the best schedule, if the user asked for it
 * @seconds: time that planning took
 */
struct planning {
	struct profiles *measured;
	struct plan_kernel kernels[PLAN_KERNELS_MAX];
	struct simgpu_snapshot_profile profiles[PLAN_KERNELS_MAX];
	struct plan_set set;
	struct plan_work work;
	struct plan plan;
	u32 first;
	enum algorithm algorithm;
	u64 seed;
	enum offline_division division;
	struct optimal optimal;
	double seconds;
};

/* --- the plan ------------------------------------------------------------------- */

/* Take the profiles of the first kernels; a message names one that is missing. */
static int take_profiles(struct planning *planning, char **arguments)
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
				    arguments[i]);
		memcpy(planning->profiles[i].point, points,
		       config->sms * sizeof(*points));
	}
	return STATUS_OK;
}

/* Take the kernels, beginning with @first and going round. */
static void take_kernels(struct planning *planning, u32 first)
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
}

static void plan_from(struct planning *planning, u32 first)
{
	take_kernels(planning, first);
	plan_make(&planning->set, &planning->work, &planning->plan);
}

static void make_plan(struct planning *planning)
{
	bool rotations = planning->algorithm == ALGORITHM_ROTATIONS;
	u32 count = rotations ? planning->set.count : 1, best = 0, i;
	u64 least = U64_MAX;

	for (i = 0; i < count; i++) {
		plan_from(planning, i);
		if (planning->plan.total >= least)
			continue;
		least = planning->plan.total;
		best = i;
	}
	if (planning->first != best)
		plan_from(planning, best);
}

/* --- the optimum ------------------------------------------------------------------ */

static int measure(void *context, const struct plan_choice *choice, u64 limit,
		   u64 *cycles)
{
	struct planning *planning = context;
	struct offline_program programs[OPTIMAL_KERNELS_MAX];
	u32 i;

	for (i = 0; i < choice->count; i++)
		programs[i] = (struct offline_program) {
			.trace = planning->measured
					 ->workloads[choice->kernel[i]].trace,
			.kernels = 1,
			.sms = choice->sms[i],
		};
	return offline_phase(&planning->measured->config, planning->seed, programs,
			     choice->count, planning->division, limit, cycles);
}

static void on_progress(void *context, u32 done, u32 total)
{
	progress("measuring", done, total);
}

static int find_optimal(struct planning *planning)
{
	const struct optimal_search search = {
		.set = &planning->set,
		.context = planning,
		.measure = measure,
		.progress = on_progress,
	};
	u32 i;
	int ret;

	take_kernels(planning, 0);
	ret = optimal_find(&search, &planning->optimal);
	progress_end();
	if (ret)
		return fail("the schedules cannot be measured: %s", offline_error(ret));
	plan_clear(&planning->set, &planning->plan);
	for (i = 0; i < planning->optimal.phases; i++)
		plan_add_phase(&planning->set, &planning->optimal.phase[i],
			       &planning->work, &planning->plan);
	return STATUS_OK;
}

static int print_splits(struct planning *planning, bool json)
{
	const struct optimal_search search = {
		.set = &planning->set,
		.context = planning,
		.measure = measure,
		.progress = on_progress,
	};
	const char *names[OPTIMAL_KERNELS_MAX];
	u32 i;

	for (i = 0; i < planning->set.count; i++)
		names[i] = planning->measured->workloads[i].name;
	take_kernels(planning, 0);
	return plan_splits(&search, names, planning->measured->config.name,
			   division_names[planning->division], json);
}

static int find_plan(struct planning *planning)
{
	u64 began = offline_wall_ns();
	int ret = STATUS_OK;

	if (planning->algorithm == ALGORITHM_OPTIMAL)
		ret = find_optimal(planning);
	else
		make_plan(planning);
	planning->seconds = (double)(offline_wall_ns() - began) / 1e9;
	return ret;
}

/* --- output ------------------------------------------------------------------------ */

static const struct workload *workload_of(const struct planning *planning, u32 index)
{
	return &planning->measured->workloads[planning->kernels[index].profile];
}

static bool is_measured(const struct planning *planning)
{
	return planning->algorithm == ALGORITHM_OPTIMAL;
}

/* Add mapKernel and mapBlk of Figure 5. */
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
	if (is_measured(planning))
		json_set(object, "cycles_measured",
			 json_u64(planning->optimal.phase_cycles[phase]));
	json_set(object, "penalty", json_ppm(planning->plan.penalty_ppm[phase]));
	if (maps)
		set_maps(object, planning, &choice);
	return object;
}

static void set_measured(struct json_object *object,
			 const struct optimal *optimal)
{
	json_set(object, "cycles_measured", json_u64(optimal->cycles));
	json_set(object, "cycles_sequential_measured",
		 json_u64(optimal->sequential));
	json_set(object, "splits_measured", json_u64(optimal->measured));
	json_set(object, "splits_cut", json_u64(optimal->cut));
	json_set(object, "splits_skipped", json_u64(optimal->skipped));
}

static int print_json(struct planning *planning, bool maps)
{
	struct json_object *document = json_object_new_object();
	struct json_object *phases = json_object_new_array();
	u32 phase;

	made_by_json(document, planning->measured->workloads,
		     planning->measured->workload_count);
	json_set_string(document, "config", planning->measured->config.name);
	json_set_string(document, "algorithm", algorithm_names[planning->algorithm]);
	json_set(document, "seconds",
		 json_decimal_or_null(true, planning->seconds));
	json_set(document, "cycles_estimated", json_u64(planning->plan.total));
	json_set(document, "cycles_sequential", json_u64(planning->plan.sequential));
	if (is_measured(planning))
		set_measured(document, &planning->optimal);
	for (phase = 0; phase < planning->plan.phases; phase++)
		json_object_array_add(phases, phase_json(planning, phase, maps));
	json_set(document, "phases", phases);
	return json_print(document);
}

static int print_table(const struct planning *planning)
{
	struct table *table = table_new(is_measured(planning) ?
		">PHASE|KERNEL|>SMS|>CYCLES|>PENALTY|>MEASURED" :
		">PHASE|KERNEL|>SMS|>CYCLES|>PENALTY");
	const struct optimal *optimal = &planning->optimal;
	const struct plan *plan = &planning->plan;
	u32 phase, i;

	for (phase = 0; phase < plan->phases; phase++) {
		struct plan_choice choice;

		plan_choice_of(&planning->set, &planning->plan, phase, &choice);
		for (i = 0; i < choice.count; i++) {
			table_row(table, "%u|%s|%u|%llu|%.2f", phase + 1,
				  workload_of(planning, choice.kernel[i])->name,
				  choice.sms[i], plan->cycles[phase],
				  ppm_ratio(plan->penalty_ppm[phase]));
			if (is_measured(planning))
				table_cell(table, "%llu",
					   optimal->phase_cycles[phase]);
		}
	}
	table_print(table);
	printf("%llu cycles, %llu one after another\n", plan->total,
	       plan->sequential);
	if (is_measured(planning))
		printf("measured: %llu cycles, %llu one after another; %u runs, %u of them stopped early, %u not made\n",
		       optimal->cycles, optimal->sequential, optimal->measured,
		       optimal->cut, optimal->skipped);
	return STATUS_OK;
}

int plan_command(int argc, char **argv)
{
	struct arguments arguments = { .config = "hbm80", .seed = 1 };
	struct planning *planning = grow(NULL, 1, sizeof(*planning));
	struct profiles measured = { .count = 0 };
	int ret;

	memset(planning, 0, sizeof(*planning));
	parse_command_line(&command_line, argc, argv, 0, &arguments);
	ret = config_load(arguments.config, &measured.config) ?:
	      profiles_open(&measured, arguments.names, arguments.count);
	planning->measured = &measured;
	planning->algorithm = arguments.algorithm;
	planning->seed = arguments.seed;
	planning->division = arguments.division;
	planning->set = (struct plan_set) {
		.kernels = planning->kernels,
		.profiles = planning->profiles,
		.count = arguments.count,
		.sms = measured.config.sms,
		.memory_bytes = (u64)measured.config.memory_mb << 20,
		.peak_ppm = arguments.peak_ppm,
		.penalty = arguments.penalty,
	};
	if (!ret)
		ret = take_profiles(planning, arguments.names);
	if (!ret && arguments.splits)
		ret = print_splits(planning, arguments.json);
	else if (!ret)
		ret = find_plan(planning);
	if (!ret && !arguments.splits)
		ret = arguments.json ? print_json(planning, arguments.maps) :
				       print_table(planning);
	profiles_free(&measured);
	free(planning);
	return ret;
}
