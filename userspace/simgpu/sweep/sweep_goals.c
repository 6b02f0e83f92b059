// SPDX-License-Identifier: GPL-2.0
/* Goals of a sweep's cases; see sweep_goals.h. */
#include "../json.h"
#include "../output.h"
#include "sweep_axes.h"
#include "sweep_goals.h"
#include "sweep_runs.h"
#include "sweep_window.h"

#define PJ_PER_J	1e12

/* Class of a case, from the classes of all its programs (Figure 7) */
enum class_of_case {
	CASE_COMPUTE,	/* CC */
	CASE_BOTH,	/* CM */
	CASE_MEMORY,	/* MM */
	CASE_CLASSES
};

static const char *const class_names[CASE_CLASSES] = { "CC", "CM", "MM" };

/* Groups of cases by how far they miss, in percent of the goal (Figure 5) */
static const u32 missed_below[] = { 1, 5, 10, 20, 100 };

/* Figures that are printed with an interval */
enum goal_figure {
	GOAL_REACH,		/* of each case: 1 if all goals are reached, else 0 */
	GOAL_OVERSHOOT,		/* of each tenant with a goal, in cases that reach all goals */
	GOAL_THROUGHPUT,	/* of the other tenants in these cases, relative to alone */
	GOAL_COMMON,		/* the same, in cases in which all policies reach all goals */
	GOAL_PER_JOULE,		/* thread instructions per joule, of each case */
	GOAL_FIGURES
};

static const char *const figure_names[GOAL_FIGURES] = {
	"reach", "overshoot", "throughput", "throughput_common",
	"instructions_per_joule"
};

/**
 * struct goals - figures of some cases
 * @cases: number of cases; a case is a run
 * @reached: cases in which all tenants with a goal reach it
 * @values: values of each figure, each with the programs of its case
 * @counts: number of these values
 * @contexts: part of the memory channels' time used for contexts, summed over cases
 * @missed: cases that miss by less than each of @missed_below
 */
struct goals {
	u32 cases;
	u32 reached;
	struct observation *values[GOAL_FIGURES];
	u32 counts[GOAL_FIGURES];
	double contexts;
	u32 missed[ARRAY_SIZE(missed_below)];
};

static void observe(struct goals *goals, enum goal_figure figure,
		    const struct sweep_run *run, double value)
{
	u32 count = goals->counts[figure]++;

	goals->values[figure] = grow(goals->values[figure], count + 1,
				     sizeof(struct observation));
	goals->values[figure][count] = sweep_observation(run, value);
}

static void free_goals(struct goals *goals)
{
	u32 i;

	for (i = 0; i < GOAL_FIGURES; i++)
		free(goals->values[i]);
}

static double alone_of(const struct sweep_run *run, u32 slot)
{
	return (double)sweep_window(run, slot)->thread_instructions;
}

/* Whether a tenant issued at least its goal; computed in whole numbers, without tolerance */
static bool has_reached(const struct sweep_run *run, u32 slot)
{
	u64 alone = sweep_window(run, slot)->thread_instructions;
	u64 part = run->mix->goal_ppm[slot];
	u64 issued = run->tenants[slot].window_instructions;

	return fixed_mul(issued, SIMGPU_PPM) >= fixed_mul(alone, part);
}

static double over_goal(const struct sweep_run *run, u32 slot)
{
	return (double)run->tenants[slot].window_instructions * SIMGPU_PPM /
	       (alone_of(run, slot) * (double)run->mix->goal_ppm[slot]);
}

static bool case_reached(const struct sweep_run *run)
{
	u32 slot;

	for (slot = 0; slot < run->mix->count; slot++)
		if (run->mix->goal_ppm[slot] && !has_reached(run, slot))
			return false;
	return true;
}

/* Whether all policies reach the goals of this case. Runs of a policy are in order. */
static bool all_reach(const struct sweep_run *run)
{
	const struct sweep *sweep = run->sweep;
	u32 each = sweep->run_count / sweep->policy_count;
	u32 index = (u32)(run - sweep->runs) % each, policy;

	for (policy = 0; policy < sweep->policy_count; policy++) {
		const struct sweep_run *other = &sweep->runs[policy * each + index];

		if (!sweep_counts(other) || !case_reached(other))
			return false;
	}
	return true;
}

/* Mean throughput of the tenants without a goal, or -1 if there are none */
static double others_throughput(const struct sweep_run *run)
{
	double sum = 0;
	u32 count = 0, slot;

	for (slot = 0; slot < run->mix->count; slot++) {
		if (run->mix->goal_ppm[slot])
			continue;
		sum += (double)run->tenants[slot].window_instructions /
		       alone_of(run, slot);
		count++;
	}
	return count ? sum / count : -1;
}

static void add_miss(struct goals *goals, const struct sweep_run *run)
{
	double worst = 1;
	u32 slot, i;

	for (slot = 0; slot < run->mix->count; slot++)
		if (run->mix->goal_ppm[slot] && over_goal(run, slot) < worst)
			worst = over_goal(run, slot);
	for (i = 0; i < ARRAY_SIZE(missed_below); i++)
		if ((1 - worst) * 100 < missed_below[i] || missed_below[i] == 100) {
			goals->missed[i]++;
			return;
		}
}

static void add_success(struct goals *goals, const struct sweep_run *run)
{
	double others = others_throughput(run);
	u32 slot;

	goals->reached++;
	for (slot = 0; slot < run->mix->count; slot++) {
		if (run->mix->goal_ppm[slot])
			observe(goals, GOAL_OVERSHOOT, run,
				over_goal(run, slot) - 1);
	}
	if (others < 0)
		return;
	observe(goals, GOAL_THROUGHPUT, run, others);
	if (all_reach(run))
		observe(goals, GOAL_COMMON, run, others);
}

static void add_energy(struct goals *goals, const struct sweep_run *run)
{
	const struct settings *settings = &run->sweep->experiment.settings;
	const struct energy_table *table = energy_find(settings->config);
	const struct gpu_config *config = gpu_config_find(settings->config);
	double instructions = 0, lines = 0, energy;
	u32 slot;

	if (!table || !config)
		return;
	energy = (double)energy_static_pj(table, settings->session.stop_cycle,
					  config->core_mhz) -
		 (double)run->tenants[0].static_saved_pj;
	for (slot = 0; slot < run->mix->count; slot++) {
		const struct sweep_tenant *tenant = &run->tenants[slot];

		instructions += (double)tenant->window_instructions;
		lines += (double)tenant->context_lines;
		energy += (double)tenant->energy_pj;
	}
	observe(goals, GOAL_PER_JOULE, run, instructions * PJ_PER_J / energy);
	goals->contexts += lines * GPU_LINE_BYTES * config->core_mhz /
			   ((double)settings->session.stop_cycle * config->channels *
			    config->channel_bytes_per_clock *
			    config->memory_mhz);
}

static void add_case(struct goals *goals, const struct sweep_run *run)
{
	bool reached = case_reached(run);

	goals->cases++;
	observe(goals, GOAL_REACH, run, reached);
	add_energy(goals, run);
	if (reached)
		add_success(goals, run);
	else
		add_miss(goals, run);
}

/* --- JSON --- */

static struct json_object *mean_of(double sum, u32 count)
{
	return json_decimal_or_null(count, sum / (count ? count : 1));
}

static void set_suffixed(struct json_object *object, u32 figure,
			 const char *suffix, struct json_object *value)
{
	char key[64];

	snprintf(key, sizeof(key), "%s%s", figure_names[figure], suffix);
	json_set(object, key, value);
	if (figure != GOAL_PER_JOULE)
		return;
	/* The old name of the same figure */
	snprintf(key, sizeof(key), "instructions_per_watt%s", suffix);
	json_set(object, key, json_object_get(value));
}

/* Set a mean and its interval, by bootstrap over programs. */
static void set_figure(const struct sweep *sweep, struct json_object *object,
		       const struct goals *goals, u32 figure)
{
	const struct observation *values = goals->values[figure];
	u32 count = goals->counts[figure];
	struct interval interval;
	bool known = statistics_bootstrap95(values, count,
					    sweep->suite.workload_count,
					    &interval);

	set_suffixed(object, figure, "",
		     json_decimal_or_null(count,
					  statistics_observed_mean(values, count)));
	set_suffixed(object, figure, "_interval",
		     json_interval(known, &interval));
}

static void set_goals(const struct sweep *sweep, struct json_object *object,
		      const struct goals *goals)
{
	u32 i;

	json_set(object, "cases", json_u64(goals->cases));
	json_set(object, "reached", json_u64(goals->reached));
	json_set(object, "cases_common", json_u64(goals->counts[GOAL_COMMON]));
	for (i = 0; i < GOAL_FIGURES; i++)
		set_figure(sweep, object, goals, i);
	json_set(object, "preemption_loss", !goals->counts[GOAL_PER_JOULE] ?
		 NULL : mean_of(goals->contexts, goals->cases));
}

/* Set the ratio of each mean to the reference's mean, and the ratio's interval. */
static void set_ratios(const struct sweep *sweep, struct json_object *object,
		       const struct goals *goals, const struct goals *reference)
{
	struct interval interval;
	double ratio = 0;
	bool known;
	u32 i;

	for (i = 0; i < GOAL_FIGURES; i++) {
		if (i == GOAL_OVERSHOOT)
			continue;
		known = statistics_ratio95(goals->values[i], goals->counts[i],
					   reference->values[i],
					   reference->counts[i],
					   sweep->suite.workload_count, &ratio,
					   &interval);
		set_suffixed(object, i, "_ratio",
			     json_decimal_or_null(known, ratio));
		set_suffixed(object, i, "_ratio_interval",
			     json_interval(known, &interval));
	}
}

static struct json_object *missed_json(const struct goals *goals)
{
	struct json_object *array = json_object_new_array();
	u32 i;

	for (i = 0; i < ARRAY_SIZE(missed_below); i++) {
		struct json_object *row = json_object_new_object();

		json_set(row, "below_percent", json_u64(missed_below[i]));
		json_set(row, "cases", json_u64(goals->missed[i]));
		json_object_array_add(array, row);
	}
	return array;
}

/* By HSM's Eq. 2 and 3 over the window alone, as for all programs of a sweep */
static enum class_of_case class_of(const struct sweep_run *run,
				   const struct session_options *options)
{
	u32 memory = 0, slot;

	for (slot = 0; slot < run->mix->count; slot++)
		memory += sweep_class_alone(options, sweep_window(run, slot)) ==
			  SIMGPU_CLASS_MEMORY;
	if (!memory)
		return CASE_COMPUTE;
	return memory == run->mix->count ? CASE_MEMORY : CASE_BOTH;
}

/* Whether a run is a case of a policy. */
static bool is_policys(const struct sweep_run *run, u32 policy)
{
	return run->policy == policy && sweep_counts(run);
}

static void set_classes(const struct sweep *sweep, u32 policy,
			struct json_object *object)
{
	struct json_object *classes = json_object_new_object();
	struct goals goals[CASE_CLASSES] = { { .cases = 0 } };
	struct session_options options;
	u32 i;

	if (settings_options(&sweep->experiment.settings, &options))
		return;
	for (i = 0; i < sweep->run_count; i++)
		if (is_policys(&sweep->runs[i], policy))
			add_case(&goals[class_of(&sweep->runs[i], &options)],
				 &sweep->runs[i]);
	for (i = 0; i < CASE_CLASSES; i++) {
		struct json_object *part = json_object_new_object();

		set_goals(sweep, part, &goals[i]);
		free_goals(&goals[i]);
		json_set(classes, class_names[i], part);
	}
	json_set(object, "by_class", classes);
}

/* How often each program with a goal reached it */
static void set_programs(const struct sweep *sweep, u32 policy,
			 struct json_object *object)
{
	struct json_object *array = json_object_new_array();
	u32 program, i, slot;

	for (program = 0; program < sweep->suite.workload_count; program++) {
		struct json_object *row = json_object_new_object();
		u32 cases = 0, reached = 0;

		for (i = 0; i < sweep->run_count; i++) {
			const struct sweep_run *run = &sweep->runs[i];

			for (slot = 0; is_policys(run, policy) &&
			     slot < run->mix->count; slot++) {
				if (run->mix->workload[slot] != program ||
				    !run->mix->goal_ppm[slot])
					continue;
				cases++;
				reached += has_reached(run, slot);
			}
		}
		json_set_string(row, "name",
				sweep->suite.workloads[program].name);
		json_set(row, "cases", json_u64(cases));
		json_set(row, "reach", mean_of(reached, cases));
		json_object_array_add(array, row);
	}
	json_set(object, "by_program", array);
}

/* Add to the objects of by_goal, which the sweep's axes have made. */
static void set_points(const struct sweep *sweep, u32 policy,
		       struct json_object *object)
{
	struct json_object *array = json_object_object_get(object, "by_goal");
	u32 count = sweep->axes.of[SWEEP_AXIS_GOALS].count, point, i;

	for (point = 0; array && point < count; point++) {
		struct goals goals = { .cases = 0 };

		for (i = 0; i < sweep->run_count; i++) {
			const struct sweep_run *run = &sweep->runs[i];

			if (is_policys(run, policy) &&
			    sweep_axes_index(&sweep->axes, SWEEP_AXIS_GOALS,
					     run->point) == point)
				add_case(&goals, run);
		}
		set_goals(sweep, json_object_array_get_idx(array, point),
			  &goals);
		free_goals(&goals);
	}
}

static void add_policy(struct goals *goals, const struct sweep *sweep, u32 policy)
{
	u32 i;

	for (i = 0; i < sweep->run_count; i++)
		if (is_policys(&sweep->runs[i], policy))
			add_case(goals, &sweep->runs[i]);
}

void sweep_goals_json(const struct sweep *sweep, u32 policy,
		      struct json_object *object)
{
	struct goals goals = { .cases = 0 }, reference = { .cases = 0 };

	add_policy(&goals, sweep, policy);
	add_policy(&reference, sweep, sweep->reference);
	set_goals(sweep, object, &goals);
	set_ratios(sweep, object, &goals, &reference);
	json_set(object, "missed_by", missed_json(&goals));
	free_goals(&goals);
	free_goals(&reference);
	set_classes(sweep, policy, object);
	set_programs(sweep, policy, object);
	set_points(sweep, policy, object);
}
