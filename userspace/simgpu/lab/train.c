// SPDX-License-Identifier: GPL-2.0
/*
 * simgpu train: finds the constants of a model for a GPU. For hsm that is the line of
 * its Figure 3: memory-bound programs run alone on all SMs, and the least-squares line
 * through the share of the peak bandwidth that each reaches, over its row buffer hit rate
 * (HSM sections 2.3.2 and 6.5). For themis it is a net (train_themis.c), for asm-gpm
 * clusters (train_gpm.c).
 */
#include <math.h>

#include "../../offline/run.h"
#include "../../workloads/benchmarks.h"
#include "../experiment.h"
#include "../jobs.h"
#include "../json.h"
#include "../options.h"
#include "../output.h"
#include "../table.h"
#include "train_gpm.h"
#include "train_themis.h"
#include "../workload.h"

#define OPTION_ADD	256

/* Cycles of a run of a program beside a producer, unless --cycles is given. */
#define THEMIS_CYCLES	1000000

static const char about[] =
	"Train a model on a GPU: run the memory-bound workloads of HSM's Table 2, or "
	"those that are named, alone on all SMs, offline, and fit the line "
	"bandwidth = c1 x RBH + c2 through them; where that would fall, a level one.\v"
	"A workload is a name or a trace file. Those that are compute-bound on this GPU "
	"by HSM's own line, or by the one that --set gives, are shown and left out. Couples are lines through only two of "
	"the points: how much they differ is how much the choice of programs matters.\n"
	"For themis it runs the 15 training programs of its Table III, or those that are named, "
	"beside producers of pressure on the cache and on the memory, at each level and each split of the SMs, for --cycles "
	"each (default 1000000), and trains a net of 312 weights (docs/themis.md). For asm-gpm it runs them alone, on the "
	"SMs of each of five splits and on all, and makes eight clusters of how they scale.\n"
	"\n"
	"Examples:\n"
	"  simgpu train --model hsm\n"
	"  simgpu train --config gddr5_40 --json\n"
	"  simgpu train --model themis --config themis60 --out themis60.bin --json\n"
	"  simgpu train --model asm-gpm --config themis60 --out asm-gpm.bin --json\n"
	"  simgpu train --model themis --levels 4 --splits 20:60,60:20 \\\n"
	"    --cycles 200000\n"
	"  echo 0.58 > /sys/class/simgpu/simgpu0/c1\n"
	"  simgpu run --offline --set c1=0.58 --set c2=0.33 LBM DXTC\n"
	"\n"
	"Exit status: 0; 1 if it failed, or fewer than two points have "
	"different RBH; 2 for wrong usage.";

#define POINTS_MAX	64

/**
 * struct point - a program alone
 * @used: whether it is memory-bound here
 */
struct point {
	struct workload workload;
	int ret;
	u32 class;
	bool used;
	struct session_figures figures;
};

/* struct line - bandwidth = c1 x RBH + c2, and the part of the variance that it explains */
struct line {
	double c1;
	double c2;
	double r2;
};

/* struct training - the command line, and the runs */
struct training {
	struct experiment experiment;
	u64 below_ppm;
	u64 above_ppm;
	u64 workers;
	bool json;
	struct train_themis themis;
	const char *added[POINTS_MAX];
	struct session_options options;
	struct point points[POINTS_MAX];
	u32 count;
	const char *names[POINTS_MAX];
	u32 name_count;
};

#define AT(member)	offsetof(struct training, member)

static const struct command_option options[] = {
	{ "below", 0, "RBH", "Couples take one program below this (default 0.3)",
	  TO_RATIO(below_ppm, SIMGPU_PPM) },
	{ "above", 0, "RBH", "And one above this (default 0.7; HSM section 6.5)",
	  TO_RATIO(above_ppm, SIMGPU_PPM) },
	{ "jobs", 'J', "N", "Runs at a time (default: one a core)",
	  TO_U64(workers, 1, 1024) },
	{ "json", 0, NULL, "Print one JSON document", TO_FLAG(json) },
	{ .help = "Of themis and asm-gpm:", .group = 2 },
	{ "out", 0, "FILE",
	  "Where the constants are written, for --constants and for sysfs",
	  .group = 2, TO_TEXT(themis.out) },
	{ "splits", 0, "SMS:SMS,...",
	  "SMs of program and producer (default a sixth of all, two, ... five)",
	  .group = 2, TO_TEXT(themis.splits) },
	{ "add", OPTION_ADD, "WORKLOAD", "One more program; may be repeated",
	  .group = 2 },
	{ .help = "Of themis alone:", .group = 3 },
	{ "samples", 0, "FILE",
	  "Where samples are kept; with those of a file that is there nothing is run",
	  .group = 3, TO_TEXT(themis.samples) },
	{ "levels", 0, "N", "Levels of each pressure producer, 1 to 12 (default 12)",
	  .group = 3, TO_U64(themis.levels, 1, 12) },
	{ "rounds", 0, "N", "Of training at most (default 12000)",
	  .group = 3, TO_U64(themis.rounds, 1, 10000000) },
	{ "seeds", 0, "N",
	  "Seeds that are tried, from --seed on; that with the least error on programs that were held out is taken (default 5)",
	  .group = 3, TO_U64(themis.seeds, 1, THEMIS_SEEDS_MAX) },
	{ "shift", 0, "DEVIATIONS",
	  "From the inputs' origin, where a net without biases says 0, to their mean (default 6)",
	  .group = 3, TO_RATIO(themis.shift_ppm, 100 * SIMGPU_PPM) },
	{ .name = NULL }
};

/* --- the command line --- */

static bool is_themis(const struct training *training)
{
	return !strcmp(training->experiment.settings.model, "themis");
}

static bool is_gpm(const struct training *training)
{
	return !strcmp(training->experiment.settings.model, "asm-gpm");
}

static void check_model(struct argp_state *state)
{
	const struct training *training = state->input;
	const char *model = training->experiment.settings.model;

	if (strcmp(model, "hsm") && !is_themis(training) && !is_gpm(training))
		argp_error(state, "hsm, themis and asm-gpm can be trained, not \"%s\"",
			   model);
}

static void add_program(struct argp_state *state, struct training *training,
			const char *name)
{
	if (training->themis.added_count == POINTS_MAX)
		argp_error(state, "there can be %d of --add", POINTS_MAX);
	training->added[training->themis.added_count++] = name;
}

static error_t parse_argument(int key, char *text, struct argp_state *state)
{
	struct training *training = state->input;

	switch (key) {
	case OPTION_ADD:
		add_program(state, training, text);
		return 0;
	case ARGP_KEY_ARG:
		if (training->name_count == POINTS_MAX)
			argp_error(state, "there can be %d workloads",
				   POINTS_MAX);
		training->names[training->name_count++] = text;
		return 0;
	default:
		return ARGP_ERR_UNKNOWN;
	}
}

static const struct argp_child children[] = {
	{ &experiment_argp, 0, NULL, 0 },
	{ 0 }
};

static const struct command_line command_line = {
	.options = options,
	.own = parse_argument,
	.check = check_model,
	.children = children,
	.words = "[WORKLOAD...]",
	.about = about,
};

static int add_point(struct training *training, const char *name)
{
	struct workload *workload = &training->points[training->count].workload;
	int ret = workload_open(name, NULL, workload);

	if (!ret)
		ret = workload_decode(workload, &training->options.config);
	training->count++;
	return ret;
}

/* HSM's training set: the memory-bound programs of its Table 2. */
static int add_points(struct training *training)
{
	int ret = STATUS_OK;
	u32 i;

	for (i = 0; !ret && i < training->name_count; i++)
		ret = add_point(training, training->names[i]);
	for (i = 0; !ret && !training->name_count && i < BENCHMARK_COUNT; i++)
		if (benchmarks[i].hsm == CLASS_MEMORY)
			ret = add_point(training, benchmarks[i].name);
	return ret;
}

/* --- the runs --- */

static void run_point(struct jobs *jobs, u32 index, void *context)
{
	struct training *training = context;
	struct point *point = &training->points[index];
	struct jobs_watch watch = { .jobs = jobs };
	const struct offline_observer observer = {
		.context = &watch, .progress = jobs_follow,
	};
	struct offline_tenant tenant = { .trace = point->workload.trace };
	struct session_tenant_report report = { 0 };
	u64 wall_ns;

	workload_options(&point->workload, &tenant.options);
	point->ret = offline_run_one(&training->options, &tenant,
				     training->experiment.settings.threads,
				     &observer, &report, &wall_ns);
	point->figures = report.figures;
	point->class = report.class;
	point->used = point->class == SIMGPU_CLASS_MEMORY;
}

static int check_points(const struct training *training)
{
	int ret = STATUS_OK;
	u32 i;

	for (i = 0; i < training->count; i++)
		if (training->points[i].ret)
			ret = fail_alone(training->points[i].workload.name,
					 training->points[i].ret);
	return ret;
}

/* --- the line --- */

static double rbh_of(const struct point *point)
{
	return (double)point->figures.rbh_ppm / SIMGPU_PPM;
}

static double bandwidth_of(const struct point *point)
{
	return (double)point->figures.bandwidth_ppm / SIMGPU_PPM;
}

static double on_line(const struct line *line, const struct point *point)
{
	return line->c1 * rbh_of(point) + line->c2;
}

static double explained(const struct training *training, const struct line *line)
{
	double mean = 0, total = 0, left = 0, n = 0;
	u32 i;

	for (i = 0; i < training->count; i++) {
		if (!training->points[i].used)
			continue;
		mean += bandwidth_of(&training->points[i]);
		n++;
	}
	mean /= n;
	for (i = 0; i < training->count; i++) {
		const struct point *point = &training->points[i];
		double y = bandwidth_of(point);

		if (!point->used)
			continue;
		total += (y - mean) * (y - mean);
		left += (y - on_line(line, point)) * (y - on_line(line, point));
	}
	return total > 0 ? 1 - left / total : 1;
}

/* Least squares; false if the points do not determine a line. */
static bool fit(const struct training *training, struct line *line)
{
	double n = 0, x = 0, y = 0, xx = 0, xy = 0, spread;
	u32 i;

	for (i = 0; i < training->count; i++) {
		const struct point *point = &training->points[i];

		if (!point->used)
			continue;
		n++;
		x += rbh_of(point);
		y += bandwidth_of(point);
		xx += rbh_of(point) * rbh_of(point);
		xy += rbh_of(point) * bandwidth_of(point);
	}
	spread = n * xx - x * x;
	if (spread < 1e-9)
		return false;
	line->c1 = (n * xy - x * y) / spread;
	/* HSM cannot use a line that falls: take the best level line. */
	if (line->c1 < 0)
		line->c1 = 0;
	line->c2 = (y - line->c1 * x) / n;
	line->r2 = explained(training, line);
	return true;
}

static struct line couple(const struct point *low, const struct point *high)
{
	double c1 = (bandwidth_of(high) - bandwidth_of(low)) /
		    (rbh_of(high) - rbh_of(low));

	return (struct line) {
		.c1 = c1, .c2 = bandwidth_of(low) - c1 * rbh_of(low), .r2 = 1,
	};
}

static bool is_couple(const struct training *training, const struct point *low,
		      const struct point *high)
{
	return low->used && high->used &&
	       low->figures.rbh_ppm < training->below_ppm &&
	       high->figures.rbh_ppm > training->above_ppm;
}

/* --- output --- */

static u64 rounded_ppm(double value)
{
	return value > 0 ? (u64)llround(value * SIMGPU_PPM) : 0;
}

static struct json_object *point_json(const struct point *point)
{
	struct json_object *object = json_object_new_object();

	json_set_string(object, "name", point->workload.name);
	json_set_string(object, "class", class_name(point->class));
	json_set(object, "used", json_object_new_boolean(point->used));
	json_set(object, "rbh", json_ppm(point->figures.rbh_ppm));
	json_set(object, "bandwidth", json_ppm(point->figures.bandwidth_ppm));
	return object;
}

static struct json_object *couples_json(const struct training *training)
{
	struct json_object *array = json_object_new_array();
	u32 low, high;

	for (low = 0; low < training->count; low++) {
		for (high = 0; high < training->count; high++) {
			const struct point *a = &training->points[low];
			const struct point *b = &training->points[high];
			struct json_object *object;
			struct line line;

			if (!is_couple(training, a, b))
				continue;
			line = couple(a, b);
			object = json_object_new_object();
			json_set_string(object, "low", a->workload.name);
			json_set_string(object, "high", b->workload.name);
			json_set(object, "c1", json_decimal_or_null(true, line.c1));
			json_set(object, "c2", json_decimal_or_null(true, line.c2));
			json_object_array_add(array, object);
		}
	}
	return array;
}

static int print_json(const struct training *training, const struct line *line)
{
	struct json_object *object = json_object_new_object();
	struct json_object *points = json_object_new_array();
	const char *config = training->options.config.name;
	struct session_options built_in = training->options;
	u32 i;

	session_default_params(&built_in);
	json_set_string(object, "model", "hsm");
	json_set_string(object, "config", config);
	json_set(object, "cycles", json_u64(training->options.stop_cycle));
	json_set(object, "c1", json_decimal_or_null(true, line->c1));
	json_set(object, "c2", json_decimal_or_null(true, line->c2));
	json_set(object, "r2", json_decimal_or_null(true, line->r2));
	json_set(object, "c1_built_in", json_ppm(built_in.model_params[HSM_C1]));
	json_set(object, "c2_built_in", json_ppm(built_in.model_params[HSM_C2]));
	for (i = 0; i < training->count; i++)
		json_object_array_add(points,
				      point_json(&training->points[i]));
	json_set(object, "points", points);
	json_set(object, "couples", couples_json(training));
	return json_print(object);
}

static void print_couples(const struct training *training)
{
	double c1_least = INFINITY, c1_most = -INFINITY;
	double c2_least = INFINITY, c2_most = -INFINITY;
	u32 low, high, count = 0;

	for (low = 0; low < training->count; low++) {
		for (high = 0; high < training->count; high++) {
			struct line line;

			if (!is_couple(training, &training->points[low],
				       &training->points[high]))
				continue;
			line = couple(&training->points[low],
				      &training->points[high]);
			count++;
			c1_least = fmin(c1_least, line.c1);
			c1_most = fmax(c1_most, line.c1);
			c2_least = fmin(c2_least, line.c2);
			c2_most = fmax(c2_most, line.c2);
		}
	}
	printf("%u couples of RBH below %.2f and above %.2f", count,
	       (double)training->below_ppm / SIMGPU_PPM,
	       (double)training->above_ppm / SIMGPU_PPM);
	if (count)
		printf(": c1 from %.3f to %.3f, c2 from %.3f to %.3f", c1_least,
		       c1_most, c2_least, c2_most);
	putchar('\n');
}

static int print_table(const struct training *training, const struct line *line)
{
	struct table *table =
		table_new("NAME|CLASS|>RBH|>BANDWIDTH|>ON THE LINE|>ERROR");
	u32 i;

	for (i = 0; i < training->count; i++) {
		const struct point *point = &training->points[i];
		double at = on_line(line, point);
		double error = fabs(at - bandwidth_of(point)) /
			       bandwidth_of(point);

		table_row(table, "%s|%s|%.3f|%.3f", point->workload.name,
			  class_name(point->class), ppm_ratio(point->figures.rbh_ppm),
			  ppm_ratio(point->figures.bandwidth_ppm));
		table_ppm(table, point->used, rounded_ppm(at), 3);
		table_ppm(table, point->used, rounded_ppm(error), 3);
	}
	table_print(table);
	printf("\nc1 %.6f, c2 %.6f, R2 %.4f\n", line->c1, line->c2, line->r2);
	print_couples(training);
	return STATUS_OK;
}

/* Train Themis and its rivals. */
static int train_others(struct training *training)
{
	struct train_themis *themis = &training->themis;
	struct settings *settings = &training->experiment.settings;

	if (settings->session.stop_cycle == settings_default.session.stop_cycle)
		settings->session.stop_cycle = THEMIS_CYCLES;
	themis->settings = settings;
	themis->workers = training->workers;
	themis->programs = training->names;
	themis->program_count = training->name_count;
	themis->added = training->added;
	themis->json = training->json;
	return is_gpm(training) ? train_gpm(themis) : train_themis(themis);
}

static int train(struct training *training)
{
	struct session_options unknown;
	struct line line;
	int ret = experiment_load(&training->experiment);

	if (!ret && (is_themis(training) || is_gpm(training)))
		return train_others(training);
	if (!ret)
		ret = settings_options(&training->experiment.settings,
				       &training->options);
	/* The speed of DRAM does not depend on its size, so programs need not fit. */
	training->options.config.memory_mb = 0;
	if (!ret)
		ret = add_points(training);
	if (ret)
		return ret;
	/* A built-in line must not choose the points of the next one. */
	unknown = training->options;
	unknown.config.name[0] = '\0';
	session_default_params(&unknown);
	memcpy(training->options.model_params, unknown.model_params,
	       sizeof(unknown.model_params));
	ret = set_params_apply(&training->experiment.settings.params,
			  &training->options, NULL);
	if (ret)
		return ret;
	jobs_run("training", training->count, training->workers, run_point,
		 training, training->options.stop_cycle * training->count);
	ret = check_points(training);
	if (ret)
		return ret;
	if (!fit(training, &line))
		return fail("there are not two memory-bound programs of different RBH to draw a line through");
	return training->json ? print_json(training, &line) :
				print_table(training, &line);
}

int train_command(int argc, char **argv)
{
	struct training *training = calloc(1, sizeof(*training));
	int ret;
	u32 i;

	if (!training)
		return fail("out of memory");
	experiment_begin(&training->experiment, SESSION_PREEMPTION_DRAIN);
	training->themis.rounds = 12000;
	training->themis.seeds = 5;
	training->themis.shift_ppm = 6 * SIMGPU_PPM;
	training->below_ppm = 300000;
	training->above_ppm = 700000;
	training->workers = jobs_workers_default();
	parse_command_line(&command_line, argc, argv, 0, training);
	ret = train(training);
	for (i = 0; i < training->count; i++)
		workload_free(&training->points[i].workload);
	free(training);
	return ret;
}
