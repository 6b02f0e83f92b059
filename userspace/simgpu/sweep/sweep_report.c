// SPDX-License-Identifier: GPL-2.0
/*
 * What a sweep writes: a row for each tenant of each run into sweep.csv, and the
 * figures of each policy as JSON, CSV or a table.
 */
#include "../fields.h"
#include "../interrupt.h"
#include "../json.h"
#include "../made_by.h"
#include "../output.h"
#include "../table.h"
#include "sweep_axes.h"
#include "sweep_figures.h"
#include "sweep_goals.h"
#include "sweep_mix.h"
#include "sweep_report.h"
#include "sweep_requests.h"
#include "sweep_runs.h"
#include "sweep_sets.h"
#include "sweep_window.h"

/* Whether some workload has managed memory. */
static bool has_managed(const struct sweep *sweep)
{
	u32 i;

	for (i = 0; i < sweep->suite.workload_count; i++)
		if (sweep->suite.workloads[i].paged)
			return true;
	return false;
}

/* --- sweep.csv --- */

/* Of a run that was refused there are none of these. */
#define TENANT(key, kind, member) FIELD(key, kind, struct sweep_tenant, member)
#define LATENCY(key, kind, member) \
	FIELD_IF(key, kind, struct sweep_tenant, member, launches)
#define FIRST_TOKEN(key, member) \
	FIELD_IF(key, FIELD_US, struct sweep_tenant, member, first_tokens)
#define TOKEN(key, member) \
	FIELD_IF(key, FIELD_US, struct sweep_tenant, member, tokens)
#define VERDICT(key, kind, member, known) \
	FIELD_IF(key, kind, struct verdict, member, known)

static const struct field work_fields[] = {
	TENANT("instructions", FIELD_U64, instructions),
	TENANT("cycles", FIELD_U64, cycles),
	TENANT("cycles_alone", FIELD_U64, alone.cycles),
	TENANT("sms", FIELD_MILLI, sms_milli),
	FIELD_OR_0("np_predicted", FIELD_PPM, struct sweep_tenant, np_predicted_ppm),
	{ .key = NULL }
};

static const struct field verdict_fields[] = {
	VERDICT("np_actual", FIELD_PPM, np, ran),
	VERDICT("np_late", FIELD_PPM, np_late, ran_late),
	VERDICT("error", FIELD_PPM, error, known),
	VERDICT("error_class", FIELD_DECIMAL, parts.class, known),
	VERDICT("error_line", FIELD_DECIMAL, parts.line, known),
	VERDICT("error_drift", FIELD_DECIMAL, parts.drift, known),
	VERDICT("error_rest", FIELD_DECIMAL, parts.rest, known),
	{ .key = NULL }
};

static const struct field figure_fields[] = {
	TENANT("ipc", FIELD_PPM, ipc_ppm),
	TENANT("ipc_alone", FIELD_PPM, alone.figures.ipc_ppm),
	TENANT("rbh", FIELD_PPM, rbh_ppm),
	TENANT("rbh_alone", FIELD_PPM, alone.figures.rbh_ppm),
	TENANT("bandwidth", FIELD_PPM, bandwidth_ppm),
	TENANT("bandwidth_alone", FIELD_PPM, alone.figures.bandwidth_ppm),
	TENANT("llc_mpki", FIELD_PPM, llc_mpki_ppm),
	TENANT("llc_mpki_alone", FIELD_PPM, alone.figures.llc_mpki_ppm),
	TENANT("first_run_done", FIELD_U64, first_run_done),
	{ .key = NULL }
};

static const struct field launch_fields[] = {
	TENANT("launches", FIELD_U64, launches),
	TENANT("launches_waiting", FIELD_U64, launches_waiting),
	TENANT("deadline_misses", FIELD_U64, deadline_misses),
	LATENCY("goodput", FIELD_PPM, goodput_ppm),
	LATENCY("latency_p50_us", FIELD_US, latency_p50_ns),
	LATENCY("latency_p95_us", FIELD_US, latency_p95_ns),
	LATENCY("latency_p99_us", FIELD_US, latency_p99_ns),
	LATENCY("wait_mean_us", FIELD_US, wait_mean_ns),
	TENANT("first_tokens", FIELD_U64, first_tokens),
	FIRST_TOKEN("ttft_mean_us", ttft_mean_ns),
	FIRST_TOKEN("ttft_p50_us", ttft_p50_ns),
	FIRST_TOKEN("ttft_p99_us", ttft_p99_ns),
	TENANT("tokens", FIELD_U64, tokens),
	TOKEN("tbt_mean_us", tbt_mean_ns),
	TOKEN("tbt_p50_us", tbt_p50_ns),
	TOKEN("tbt_p99_us", tbt_p99_ns),
	FIELD_OR_0("batch_mean", FIELD_PPM, struct sweep_tenant, batch_mean_ppm),
	{ .key = NULL }
};

static const struct field paging_fields[] = {
	TENANT("faults", FIELD_U64, paging.faults),
	TENANT("pages_in", FIELD_U64, paging.pages_in),
	TENANT("pages_again", FIELD_U64, paging.pages_again),
	TENANT("copied_in_bytes", FIELD_U64, paging.copied_in_bytes),
	TENANT("copied_out_bytes", FIELD_U64, paging.copied_out_bytes),
	{ .key = NULL }
};

static const struct field log_fields[] = {
	VERDICT("error_log", FIELD_DECIMAL, parts.whole, known),
	{ .key = NULL }
};

static void print_axes_header(FILE *file)
{
	u32 axis;

	for (axis = 0; axis < SWEEP_AXES; axis++)
		fprintf(file, ",at_%s", sweep_axes_table[axis].key);
}

/* The run's point on one axis, @only, or on all axes: SWEEP_AXES */
static void print_axes(FILE *file, const struct sweep *sweep, u32 point, u32 only)
{
	u32 axis;

	for (axis = 0; axis < SWEEP_AXES; axis++) {
		const struct axis_point *at =
			sweep_axes_at(&sweep->axes, axis, point);

		fprintf(file, ",%s", at && (only == SWEEP_AXES || only == axis) ?
			at->text : "");
	}
}

static void print_rows_header(FILE *file)
{
	fputs("policy,mix,category,slot,workload,class,class_alone,target", file);
	csv_headings(file, work_fields);
	csv_headings(file, verdict_fields);
	csv_headings(file, figure_fields);
	fputs(",state_hash,name,model,seed,weight", file);
	print_axes_header(file);
	csv_headings(file, launch_fields);
	csv_headings(file, log_fields);
	csv_headings(file, paging_fields);
	fputs(",refused\n", file);
}

static void print_tenant(FILE *file, const struct sweep_run *run, u32 slot,
			 const struct verdict *verdict)
{
	const struct sweep *sweep = run->sweep;
	const struct contender *contender = &sweep->policies[run->policy];
	const struct session_tenant_options *options = &run->mix->options[slot];
	const struct sweep_tenant *tenant = &run->tenants[slot];
	bool refused = sweep_is_refused(run);

	fprintf(file, "%s,%s,%s,%u,%s,%s,%s", sweep->labels[run->policy],
		run->mix->name, mix_category_name(run->mix->category), slot,
		options->name, refused ? "" : class_name((u32)tenant->class),
		refused ? "" : class_name(verdict->class_alone));
	csv_ppm(file, !refused && options->service == SIMGPU_QOS,
		options->target_ppm);
	csv_fields(file, work_fields, refused ? NULL : tenant);
	csv_fields(file, verdict_fields, refused ? NULL : verdict);
	csv_fields(file, figure_fields, refused ? NULL : tenant);
	fprintf(file, ",%016llx,%s,%s,%llu,%u", run->state_hash, contender->policy,
		contender->model,
		sweep->experiment.settings.session.seed + run->seed, options->weight);
	print_axes(file, sweep, run->point, SWEEP_AXES);
	csv_fields(file, launch_fields, refused ? NULL : tenant);
	csv_fields(file, log_fields, refused ? NULL : verdict);
	csv_fields(file, paging_fields, refused ? NULL : tenant);
	fprintf(file, ",%s\n", sweep_refused_text(run));
}

/* The reference policy's run of the same mix, at the same point, with the same seed. */
static const struct sweep_run *reference_of(const struct sweep_run *run)
{
	const struct sweep *sweep = run->sweep;
	u32 each = sweep->run_count / sweep->policy_count;
	u32 index = (u32)(run - sweep->runs) % each;

	return &sweep->runs[sweep->reference * each + index];
}

/* Write all rows, and add the runs of each policy to its summary. */
static int write_rows(const struct sweep *sweep, FILE *file,
		      struct sweep_summary *summaries)
{
	struct session_options options;
	u32 i, slot;

	if (settings_options(&sweep->experiment.settings, &options))
		return STATUS_FAILED;
	print_rows_header(file);
	for (i = 0; i < sweep->run_count; i++) {
		const struct sweep_run *run = &sweep->runs[i];
		struct verdict verdicts[MIX_TENANTS_MAX];
		struct verdict reference[MIX_TENANTS_MAX];

		if (!sweep_is_whole(run))
			continue;
		sweep_verdicts(&options, run, verdicts);
		for (slot = 0; slot < run->mix->count; slot++)
			print_tenant(file, run, slot, &verdicts[slot]);
		sweep_summary_add(&summaries[run->policy], run, verdicts);
		if (sweep_is_refused(run) || !sweep_counts(reference_of(run)))
			continue;
		sweep_verdicts(&options, reference_of(run), reference);
		sweep_summary_compare(&summaries[run->policy], run, verdicts,
				      reference);
	}
	return STATUS_OK;
}

/* --- parts, in the order of all outputs --- */

/**
 * struct part_place - a part of a policy's runs
 * @category: category of mixes; MIX_CATEGORIES: all
 * @axis: axis on which the part is a point; SWEEP_AXES: the part has all points
 * @point: with an axis, one of the joint points at that point of the axis
 */
struct part_place {
	u32 policy;
	u32 category;
	u32 axis;
	u32 point;
};

typedef void print_part(const struct sweep *sweep,
			const struct part_place *place,
			const struct sweep_part *part, void *context);

/* A joint point of all axes that is at @index of one axis */
static u32 find_point(const struct sweep *sweep, u32 axis, u32 index)
{
	u32 point = 0;

	while (sweep_axes_index(&sweep->axes, axis, point) != index)
		point++;
	return point;
}

static void for_each_part(const struct sweep *sweep,
			  const struct sweep_summary *summaries,
			  print_part *print, void *context)
{
	u32 policy, i, axis;

	for (policy = 0; policy < sweep->policy_count; policy++) {
		const struct sweep_summary *summary = &summaries[policy];
		struct part_place place = { .policy = policy,
					    .axis = SWEEP_AXES };

		for (i = 0; i < MIX_CATEGORIES; i++) {
			place.category = i;
			if (summary->categories[i].mixes)
				print(sweep, &place, &summary->categories[i],
				      context);
		}
		place.category = MIX_CATEGORIES;
		for (axis = 0; axis < SWEEP_AXES; axis++) {
			place.axis = axis;
			for (i = 0; i < sweep->axes.of[axis].count; i++) {
				place.point = find_point(sweep, axis, i);
				print(sweep, &place, &summary->points[axis][i],
				      context);
			}
		}
		place.axis = SWEEP_AXES;
		print(sweep, &place, &summary->all, context);
	}
}

static const struct axis_point *point_of(const struct sweep *sweep,
					 const struct part_place *place)
{
	if (place->axis == SWEEP_AXES)
		return NULL;
	return sweep_axes_at(&sweep->axes, place->axis, place->point);
}

static const char *category_of(const struct part_place *place)
{
	return place->category == MIX_CATEGORIES ? "all" :
	       mix_category_name(place->category);
}

/* --- JSON --- */

/* Whether a figure may be below zero. */
static bool is_signed(u32 figure)
{
	return figure >= SWEEP_ERROR_LOG && figure <= SWEEP_ERROR_REST;
}

/* The name before the key of an interval over programs */
static const char *stem_of(const struct sweep_figure_kind *kind)
{
	return kind->stem ? kind->stem : kind->key;
}

static void set_figure(struct json_object *object, u32 figure,
		       const struct sweep_part *part)
{
	const struct sweep_figure_kind *kind = &sweep_figure_kinds[figure];
	const struct sweep_estimate *it = &part->figures[figure];

	json_set(object, kind->key, is_signed(figure) ?
		 json_decimal_or_null(it->known, it->mean) :
		 json_ppm_or_null(it->known, it->mean_ppm));
	if (it->ci95_known)
		json_set_suffixed(object, kind->key, "_ci95",
			     json_interval(true, &it->ci95));
	if (kind->greatest)
		json_set(object, kind->greatest,
			 json_ppm_or_null(it->known, it->greatest_ppm));
	if (kind->stem) {
		json_set_suffixed(object, kind->stem, "_median",
			     json_decimal_or_null(it->known, it->median));
		json_set_suffixed(object, kind->stem, "_p90",
			     json_decimal_or_null(it->known, it->p90));
	}
	json_set_suffixed(object, stem_of(kind), "_interval",
		     json_interval(it->bootstrap_known, &it->bootstrap95));
}

static void set_ratio(struct json_object *object, u32 figure,
		      const struct sweep_part *part)
{
	const char *stem = stem_of(&sweep_figure_kinds[figure]);
	const struct sweep_estimate *it = &part->figures[figure];

	json_set_suffixed(object, stem, "_ratio",
		     json_decimal_or_null(it->ratio_known, it->ratio));
	json_set_suffixed(object, stem, "_ratio_interval",
		     json_interval(it->ratio_known, &it->ratio95));
}

static const struct field part_fields[] = {
	FIELD("mixes", FIELD_U32, struct sweep_part, mixes),
	FIELD("refused", FIELD_U32, struct sweep_part, refused),
	FIELD("starved", FIELD_U32, struct sweep_part, starved),
	FIELD("qos_mixes", FIELD_U32, struct sweep_part, qos_mixes),
	FIELD("qos_unjudged", FIELD_U32, struct sweep_part, qos_unjudged),
	FIELD_IF("qos_met", FIELD_U32, struct sweep_part, qos_met, qos_mixes),
	FIELD_IF("qos_met_whole", FIELD_U32, struct sweep_part, qos_met_whole, qos_mixes),
	FIELD_IF("missed_under_5_percent", FIELD_U32, struct sweep_part, qos_near, qos_mixes),
	FIELD("services", FIELD_U32, struct sweep_part, services),
	FIELD("launches", FIELD_U64, struct sweep_part, launches),
	FIELD("deadline_misses", FIELD_U64, struct sweep_part, deadline_misses),
	FIELD("first_tokens", FIELD_U64, struct sweep_part, first_tokens),
	FIELD("tokens", FIELD_U64, struct sweep_part, tokens),
	/* Compared with the reference policy */
	FIELD("improved", FIELD_U32, struct sweep_part, improved.fairness),
	FIELD("improved_stp", FIELD_U32, struct sweep_part, improved.stp),
	FIELD("improved_antt", FIELD_U32, struct sweep_part, improved.antt),
	FIELD("fairness_gain_max", FIELD_DECIMAL, struct sweep_part, improved.fairness_gain),
	FIELD("stp_gain_max", FIELD_DECIMAL, struct sweep_part, improved.stp_gain),
	FIELD("antt_gain_max", FIELD_DECIMAL, struct sweep_part, improved.antt_gain),
	{ .key = NULL }
};

#define PAGING(member) \
	FIELD(#member, FIELD_U64, struct sweep_part, paging.member)

/* Sums of a part's tenants, in a sweep with managed memory */
static const struct field part_paging_fields[] = {
	PAGING(faults), PAGING(pages_in), PAGING(pages_again),
	PAGING(copied_in_bytes), PAGING(copied_out_bytes),
	{ .key = NULL }
};

static void set_error_parts(struct json_object *object,
			    const struct sweep_part *part)
{
	static const struct {
		const char *key;
		u32 figure;
	} rows[] = {
		{ "class", SWEEP_ERROR_CLASS }, { "line", SWEEP_ERROR_LINE },
		{ "drift", SWEEP_ERROR_DRIFT }, { "rest", SWEEP_ERROR_REST },
	};
	struct json_object *parts = json_object_new_object();
	u32 i;

	for (i = 0; i < ARRAY_SIZE(rows); i++) {
		const struct sweep_estimate *it =
			&part->figures[rows[i].figure];

		json_set(parts, rows[i].key,
			 json_decimal_or_null(it->known, it->mean));
	}
	json_set(object, "error_parts", parts);
}

static void set_part(struct json_object *object, const struct sweep *sweep,
		     const struct sweep_part *part)
{
	static const u32 compared[] = {
		SWEEP_FAIRNESS, SWEEP_STP, SWEEP_ANTT, SWEEP_ERROR
	};
	u32 i;

	json_fields(object, part_fields, part);
	if (has_managed(sweep))
		json_fields(object, part_paging_fields, part);
	json_set(object, "missed", part->qos_mixes ?
		 json_u64(part->qos_mixes - part->qos_met) : NULL);
	for (i = 0; i < SWEEP_FIGURES; i++)
		set_figure(object, i, part);
	set_error_parts(object, part);
	for (i = 0; i < ARRAY_SIZE(compared); i++)
		set_ratio(object, compared[i], part);
}

/* An object with a member for each of @count parts, without parts that have no mixes */
static struct json_object *parts_json(const struct sweep_part *parts, u32 count,
				      const char *name_of(const struct sweep *, u32),
				      const struct sweep *sweep)
{
	struct json_object *object = json_object_new_object();
	u32 i;

	for (i = 0; i < count; i++) {
		struct json_object *part;

		if (!parts[i].mixes)
			continue;
		part = json_object_new_object();
		set_part(part, sweep, &parts[i]);
		json_set(object, name_of(sweep, i), part);
	}
	return object;
}

static const char *category_name(const struct sweep *sweep, u32 category)
{
	(void)sweep;
	return mix_category_name(category);
}

static const char *source_name(const struct sweep *sweep, u32 source)
{
	return sweep->suite.sources[source];
}

static struct json_object *point_json(const struct axis_point *point)
{
	return point->count == 1 ? json_ppm(point->values[0]) :
				   json_object_new_string(point->text);
}

/* Figures of tenants with targets, under shorter keys */
static void set_targets(struct json_object *object, const struct sweep_part *part)
{
	struct json_object *np = NULL;

	json_object_object_get_ex(object, "qos_np", &np);
	json_set(object, "met", part->qos_mixes ? json_u64(part->qos_met) : NULL);
	json_set(object, "np_mean", json_object_get(np));
}

/* An array of the axis's points, in order */
static struct json_object *points_json(const struct sweep *sweep, u32 axis,
				       const struct sweep_part *parts)
{
	const struct axis_points *points = &sweep->axes.of[axis];
	struct json_object *array = json_object_new_array();
	u32 i;

	for (i = 0; i < points->count; i++) {
		struct json_object *part = json_object_new_object();

		json_set(part, sweep_axes_table[axis].key,
			 point_json(&points->points[i]));
		set_part(part, sweep, &parts[i]);
		if (axis == SWEEP_AXIS_TARGETS)
			set_targets(part, &parts[i]);
		json_object_array_add(array, part);
	}
	return array;
}

/* The policy's parameters, as used in its runs */
static void set_params(struct json_object *policy, const struct sweep *sweep,
		       u32 index)
{
	struct settings settings = sweep->experiment.settings;

	sweep_choose(sweep, index, &settings);
	made_by_params_json(policy, &settings);
}

static struct json_object *policy_json(const struct sweep *sweep, u32 index,
				       const struct sweep_summary *summary)
{
	struct json_object *policy = json_object_new_object();
	struct json_object *categories =
		parts_json(summary->categories, MIX_CATEGORIES, category_name, sweep);
	char name[64];
	u32 axis;

	json_set_string(policy, "policy", sweep->labels[index]);
	json_set_string(policy, "name", sweep->policies[index].policy);
	json_set_string(policy, "model", sweep->policies[index].model);
	set_params(policy, sweep, index);
	set_part(policy, sweep, &summary->all);
	json_set(policy, "by_category", categories);
	/* Older scripts read this key. */
	json_set(policy, "categories", json_object_get(categories));
	if (sweep->suite.source_count) {
		json_set(policy, "by_class_alone",
			 parts_json(summary->classes, MIX_CATEGORIES,
				    category_name, sweep));
		json_set(policy, "by_source",
			 parts_json(summary->sources,
				    sweep->suite.source_count, source_name, sweep));
	}
	for (axis = 0; axis < SWEEP_AXES; axis++) {
		if (!sweep->axes.of[axis].count)
			continue;
		snprintf(name, sizeof(name), "by_%s",
			 sweep_axes_table[axis].key);
		json_set(policy, name,
			 points_json(sweep, axis, summary->points[axis]));
	}
	if (sweep_has_goals(sweep))
		sweep_goals_json(sweep, index, policy);
	return policy;
}

static u32 count_whole(const struct sweep *sweep)
{
	u32 count = 0, i;

	for (i = 0; i < sweep->run_count; i++)
		count += sweep_is_whole(&sweep->runs[i]);
	return count;
}

void sweep_made_json(struct json_object *object, const struct sweep *sweep)
{
	const struct settings *settings = &sweep->experiment.settings;

	made_by_json(object, sweep->suite.workloads, sweep->suite.workload_count);
	made_by_settings_json(object, settings);
	json_set(object, "target", json_ppm_or_null(sweep->target_ppm,
						    sweep->target_ppm));
	json_set(object, "core_mhz", json_u64(sweep->core_mhz));
	json_set(object, "partial", json_object_new_boolean(interrupted()));
	json_set(object, "runs", json_u64(sweep->run_count));
	json_set(object, "runs_made", json_u64(count_whole(sweep)));
	json_set_string(object, "config", settings->config);
	json_set_string(object, "suite", sweep->suite_name);
	json_set(object, "every", json_u64(sweep->every));
	json_set(object, "seeds", json_u64(sweep->seeds));
	if (has_managed(sweep))
		memory_settings_json(object, settings,
				     settings_config(settings)->managed_mb,
				     memory_policy_name(settings));
}

void sweep_print_partial(const struct sweep *sweep)
{
	if (interrupted())
		printf("PARTIAL: of %u of %u runs; the sweep was stopped.\n\n",
		       count_whole(sweep), sweep->run_count);
}

static int print_json(const struct sweep *sweep,
		      const struct sweep_summary *summaries)
{
	const struct settings *settings = &sweep->experiment.settings;
	struct json_object *object = json_object_new_object();
	struct json_object *array = json_object_new_array();
	u32 i;

	sweep_made_json(object, sweep);
	json_set_string(object, "model", settings->model);
	json_set(object, "cycles", json_u64(settings->session.stop_cycle));
	json_set(object, "warmup_cycles", json_u64(sweep->warmup_cycles));
	json_set_string(object, "reference", sweep->labels[sweep->reference]);
	json_set(object, "resamples", json_u64(STATISTICS_RESAMPLES));
	json_set(object, "resamples_seed", json_u64(STATISTICS_SEED));
	for (i = 0; i < sweep->policy_count; i++)
		json_object_array_add(array,
				      policy_json(sweep, i, &summaries[i]));
	json_set(object, "policies", array);
	return json_print(object);
}

/* --- a table for people --- */

static void table_place(const struct sweep *sweep, const struct part_place *place,
			struct table *table)
{
	const struct axis_point *point = point_of(sweep, place);

	table_cell(table, "%s", sweep->labels[place->policy]);
	if (point)
		table_cell(table, "%s %s", sweep_axes_table[place->axis].key,
			   point->text);
	else
		table_cell(table, "%s", category_of(place));
}

static void table_part(const struct sweep *sweep, const struct part_place *place,
		       const struct sweep_part *part, void *context)
{
	const struct sweep_estimate *it = part->figures;
	struct table *table = context;

	table_place(sweep, place, table);
	table_cell(table, "%u", part->mixes);
	if (sweep_refused(sweep, SWEEP_ANY_POLICY))
		table_cell(table, "%u", part->refused);
	table_ppm(table, it[SWEEP_FAIRNESS].known, it[SWEEP_FAIRNESS].mean_ppm, 3);
	if (sweep->seeds > 1)
		table_interval(table, it[SWEEP_FAIRNESS].ci95_known,
			       &it[SWEEP_FAIRNESS].ci95);
	table_ppm(table, it[SWEEP_STP].known, it[SWEEP_STP].mean_ppm, 3);
	table_ppm(table, it[SWEEP_ANTT].known, it[SWEEP_ANTT].mean_ppm, 3);
	table_ppm(table, it[SWEEP_ERROR].known, it[SWEEP_ERROR].mean_ppm, 4);
	table_ppm(table, it[SWEEP_ERROR].known, it[SWEEP_ERROR].greatest_ppm, 4);
	if (part->qos_mixes)
		table_cell(table, "%u/%u", part->qos_met, part->qos_mixes);
	else
		table_cell(table, "-");
	table_ppm(table, it[SWEEP_QOS_NP].known, it[SWEEP_QOS_NP].mean_ppm, 3);
}

static void table_services(const struct sweep *sweep,
			   const struct part_place *place,
			   const struct sweep_part *part, void *context)
{
	const struct sweep_estimate *it = part->figures;
	struct table *table = context;
	u32 i;

	table_place(sweep, place, table);
	table_cell(table, "%u", part->services);
	table_cell(table, "%llu", part->launches);
	for (i = SWEEP_LATENCY_P50; i <= SWEEP_WAIT_MEAN; i++)
		table_ppm(table, it[i].known, it[i].mean_ppm, 1);
	table_cell(table, "%llu", part->deadline_misses);
	table_ppm(table, it[SWEEP_GOODPUT].known, it[SWEEP_GOODPUT].mean_ppm, 1);
}

static void table_paging(const struct sweep *sweep, const struct part_place *place,
			 const struct sweep_part *part, void *context)
{
	const struct sweep_paging *it = &part->paging;
	struct table *table = context;

	table_place(sweep, place, table);
	table_cell(table, "%llu", it->faults);
	table_cell(table, "%llu", it->pages_in);
	table_cell(table, "%llu", it->pages_again);
	table_cell(table, "%.1f", (double)it->copied_in_bytes / (1 << 20));
	table_cell(table, "%.1f", (double)it->copied_out_bytes / (1 << 20));
}

static void table_tokens(const struct sweep *sweep, const struct part_place *place,
			 const struct sweep_part *part, void *context)
{
	const struct sweep_estimate *it = part->figures;
	struct table *table = context;
	u32 i;

	table_place(sweep, place, table);
	table_cell(table, "%llu", part->first_tokens);
	for (i = SWEEP_TTFT_MEAN; i <= SWEEP_TTFT_P99; i++)
		table_ppm(table, it[i].known, it[i].mean_ppm, 1);
	table_cell(table, "%llu", part->tokens);
	for (i = SWEEP_TBT_MEAN; i <= SWEEP_BATCH_MEAN; i++)
		table_ppm(table, it[i].known, it[i].mean_ppm, 1);
}

/* Whether some tenant of any run has marked tokens. */
static bool has_tokens(const struct sweep *sweep, const struct sweep_summary *summaries)
{
	u32 i;

	for (i = 0; i < sweep->policy_count; i++)
		if (summaries[i].all.first_tokens || summaries[i].all.tokens)
			return true;
	return false;
}

/* Means over tenants of their times to first token and between tokens. */
static void print_tokens(const struct sweep *sweep, const struct sweep_summary *summaries)
{
	struct table *table = table_new(
		"POLICY|MIXES OF|>FIRST TOKENS|>MEAN us|>P50 us|>P99 us|>TOKENS|>MEAN us|>P50 us|>P99 us|>BATCH");

	for_each_part(sweep, summaries, table_tokens, table);
	putchar('\n');
	table_print(table);
}

static void print_paging(const struct sweep *sweep,
			 const struct sweep_summary *summaries)
{
	const struct settings *settings = &sweep->experiment.settings;
	const struct gpu_config *config = settings_config(settings);
	struct table *table =
		table_new("POLICY|MIXES OF|>FAULTS|>PAGES IN|>AGAIN|>MIB IN|>MIB OUT");

	putchar('\n');
	print_paragraph("Managed memory: %u MiB under %s; pages of %u KiB; sums over all tenants.",
			config->managed_mb, memory_policy_name(settings), config->page_kb);
	for_each_part(sweep, summaries, table_paging, table);
	putchar('\n');
	table_print(table);
}

static void table_details(const struct sweep *sweep,
			  const struct part_place *place,
			  const struct sweep_part *part, void *context)
{
	const struct sweep_estimate *it = part->figures;
	const struct sweep_estimate *error = &it[SWEEP_ERROR];
	struct table *table = context;
	u32 i;

	table_place(sweep, place, table);
	table_interval(table, it[SWEEP_FAIRNESS].bootstrap_known,
		       &it[SWEEP_FAIRNESS].bootstrap95);
	table_cell(table, "%u", part->improved.fairness);
	table_interval(table, error->bootstrap_known, &error->bootstrap95);
	table_decimal(table, error->known, error->median, 4);
	table_decimal(table, error->known, error->p90, 4);
	for (i = SWEEP_ERROR_LOG; i <= SWEEP_ERROR_REST; i++)
		table_decimal(table, it[i].known, it[i].mean, 4);
	if (part->qos_mixes)
		table_cell(table, "%u/%u", part->qos_met_whole, part->qos_mixes);
	else
		table_cell(table, "-");
}

/* What is promised to tenants for whom the mix says nothing, and when it is judged. */
static void print_targets(const struct sweep *sweep,
			  const struct sweep_summary *summaries)
{
	u32 unjudged = 0, i;

	if (sweep->target_ppm)
		print_paragraph("target: an NP of %.3f (%s) for one tenant of each mix without targets of its own",
				(double)sweep->target_ppm / SIMGPU_PPM,
				sweep->target_given ? "--target" :
				"the default of --target; --target 0: none");
	for (i = 0; i < sweep->policy_count; i++)
		unjudged += summaries[i].all.qos_unjudged;
	if (unjudged)
		print_paragraph("%u targets are not judged: the first runs of these tenants ended before the warm-up did, at cycle %llu (--warmup), or their runs did.",
				unjudged, sweep->warmup_cycles);
}

static struct table *new_means_table(const struct sweep *sweep)
{
	char headings[160];

	snprintf(headings, sizeof(headings),
		 "POLICY|MIXES OF|>COUNT%s|>FAIRNESS%s|>STP|>ANTT|>ERROR|>MAX|>TARGET MET|>ITS NP",
		 sweep_refused(sweep, SWEEP_ANY_POLICY) ? "|>REFUSED" : "",
		 sweep->seeds > 1 ? "|>95%" : "");
	return table_new(headings);
}

static int print_table(const struct sweep *sweep,
		       const struct sweep_summary *summaries)
{
	const struct settings *settings = &sweep->experiment.settings;
	struct table *table = new_means_table(sweep);

	print_paragraph("simgpu %s, %s: suite %s, %llu cycles, epochs of %llu, seeds from %llu, kernel end %s, preemption %s",
			made_by_version(), settings->config, sweep->suite_name,
			settings->session.stop_cycle,
			settings->session.epoch_cycles, settings->session.seed,
			session_kernel_ends[settings->session.kernel_end],
			session_preemptions[settings->session.preemption]);
	print_targets(sweep, summaries);
	putchar('\n');
	sweep_print_partial(sweep);
	for_each_part(sweep, summaries, table_part, table);
	table_print(table);
	if (sweep->details) {
		table = table_new(
			"POLICY|MIXES OF|>FAIRNESS 95%|>BETTER|>ERROR 95%|>MEDIAN|>P90|>LOG|>CLASS|>LINE|>DRIFT|>REST|>MET IN ALL");
		for_each_part(sweep, summaries, table_details, table);
		putchar('\n');
		table_print(table);
	}
	if (sweep_has_services(sweep)) {
		printf("\nDeadlines are in core cycles, %u of which are a microsecond.\n",
		       sweep->core_mhz);
		table = table_new(
			"POLICY|MIXES OF|>SERVICES|>LAUNCHES|>P50 us|>P95 us|>P99 us|>MEAN WAIT|>MISSES|>GOODPUT/s");
		for_each_part(sweep, summaries, table_services, table);
		putchar('\n');
		table_print(table);
	}
	if (has_tokens(sweep, summaries))
		print_tokens(sweep, summaries);
	if (has_managed(sweep))
		print_paging(sweep, summaries);
	return flush_output();
}

/* --- the same as CSV --- */

/* Figures that come first in a row, so they are not repeated among the others */
static bool is_leading(u32 figure)
{
	return figure <= SWEEP_ERROR || figure == SWEEP_QOS_NP;
}

/* A value, or without an estimate its heading, which has two parts. */
static void print_value(const char *stem, const char *suffix, const void *it,
			bool known, double value)
{
	if (it)
		csv_decimal(stdout, known, value);
	else
		printf(",%s%s", stem, suffix);
}

/* All values of a figure, or without an estimate their headings. */
static void print_figure(u32 figure, const struct sweep_estimate *it)
{
	static const struct sweep_estimate unknown;
	const struct sweep_figure_kind *kind = &sweep_figure_kinds[figure];
	const struct sweep_estimate *of = it ?: &unknown;
	bool interval = of->bootstrap_known;

	if (!is_leading(figure))
		print_value(kind->key, "", it, of->known, is_signed(figure) ?
			    of->mean : ppm_ratio(of->mean_ppm));
	if (!is_leading(figure) && kind->greatest)
		print_value(kind->greatest, "", it, of->known,
			    ppm_ratio(of->greatest_ppm));
	print_value(kind->key, "_ci95_low", it, of->ci95_known, of->ci95.low);
	print_value(kind->key, "_ci95_high", it, of->ci95_known, of->ci95.high);
	if (kind->stem) {
		print_value(kind->stem, "_median", it, of->known, of->median);
		print_value(kind->stem, "_p90", it, of->known, of->p90);
	}
	print_value(stem_of(kind), "_interval_low", it, interval, of->bootstrap95.low);
	print_value(stem_of(kind), "_interval_high", it, interval, of->bootstrap95.high);
}

static void print_means_header(void)
{
	u32 i;

	fputs("policy,category,mixes,fairness,stp,antt,error_mean,error_max,"
	      "qos_mixes,qos_met,qos_np,name,model,services,launches,deadline_misses",
	      stdout);
	print_axes_header(stdout);
	for (i = 0; i < SWEEP_FIGURES; i++)
		print_figure(i, NULL);
	puts(",refused");
}

static const struct field target_fields[] = {
	FIELD("qos_mixes", FIELD_U32, struct sweep_part, qos_mixes),
	FIELD_IF("qos_met", FIELD_U32, struct sweep_part, qos_met, qos_mixes),
	{ .key = NULL }
};

static void print_means(const struct sweep *sweep, const struct part_place *place,
			const struct sweep_part *part, void *context)
{
	const struct contender *policy = &sweep->policies[place->policy];
	const struct sweep_estimate *it = part->figures;
	u32 i;

	printf("%s,%s,%u", sweep->labels[place->policy], category_of(place),
	       part->mixes);
	for (i = SWEEP_FAIRNESS; i <= SWEEP_ERROR; i++)
		csv_ppm(stdout, it[i].known, it[i].mean_ppm);
	csv_ppm(stdout, it[SWEEP_ERROR].known, it[SWEEP_ERROR].greatest_ppm);
	csv_fields(stdout, target_fields, part);
	csv_ppm(stdout, it[SWEEP_QOS_NP].known, it[SWEEP_QOS_NP].mean_ppm);
	printf(",%s,%s,%u,%llu,%llu", policy->policy, policy->model,
	       part->services, part->launches, part->deadline_misses);
	if (place->axis == SWEEP_AXES)
		for (i = 0; i < SWEEP_AXES; i++)
			putchar(',');
	else
		print_axes(stdout, sweep, place->point, place->axis);
	for (i = 0; i < SWEEP_FIGURES; i++)
		print_figure(i, &it[i]);
	printf(",%u\n", part->refused);
}

static int print_csv(const struct sweep *sweep,
		     const struct sweep_summary *summaries)
{
	print_means_header();
	for_each_part(sweep, summaries, print_means, NULL);
	return flush_output();
}

/* --- all of it --- */

static int print(const struct sweep *sweep, const struct sweep_summary *summaries)
{
	if (sweep->json)
		return print_json(sweep, summaries);
	if (sweep->csv)
		return print_csv(sweep, summaries);
	return print_table(sweep, summaries);
}

static int write_file_of_rows(const struct sweep *sweep,
			      struct sweep_summary *summaries)
{
	char path[4096];
	FILE *file;
	int ret, closed;

	/* Write the file of rows only when all rows are complete. */
	snprintf(path, sizeof(path), interrupted() ? "/dev/null" :
		 "%s/sweep.csv", sweep->folder);
	file = fopen(path, "w");
	if (!file)
		return fail("%s: %s", path, strerror(errno));
	ret = write_rows(sweep, file, summaries);
	closed = close_file(file, path);
	return ret ? ret : closed;
}

int sweep_report(const struct sweep *sweep)
{
	struct sweep_summary *summaries =
		grow(NULL, sweep->policy_count, sizeof(*summaries));
	u32 i;
	int ret;

	for (i = 0; i < sweep->policy_count; i++)
		sweep_summary_init(&summaries[i], sweep);
	ret = write_file_of_rows(sweep, summaries);
	for (i = 0; i < sweep->policy_count; i++)
		sweep_summary_finish(&summaries[i],
				     &summaries[sweep->reference], sweep);
	if (!ret)
		ret = print(sweep, summaries);
	for (i = 0; i < sweep->policy_count; i++)
		sweep_summary_free(&summaries[i], sweep);
	free(summaries);
	return ret;
}
