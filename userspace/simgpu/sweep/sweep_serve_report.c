// SPDX-License-Identifier: GPL-2.0
/* How services fare beside best-effort work; see sweep_serve.h. */
#include <math.h>

#include "../fields.h"
#include "../interrupt.h"
#include "../json.h"
#include "../output.h"
#include "../table.h"
#include "sweep_axes.h"
#include "sweep_report.h"
#include "sweep_runs.h"
#include "sweep_serve.h"
#include "sweep_serve_report.h"
#include "sweep_window.h"

/* For part_of(): all points */
#define ALL	U32_MAX

/**
 * struct part - some runs of a policy
 * @runs: how many
 * @refused: runs in which the policy was refused; nothing else counts them but @runs
 * @requests: that have come, in all of them
 * @unfinished: requests that have not ended
 * @late: unfinished requests whose deadline has passed
 * @timed: runs with requests that can be judged, here and alone: what follows, up to
 *	@goodput, is of these
 * @p50_us: mean over runs
 * @p99_us: mean over runs
 * @p50_over_alone: geometric mean over runs of p50 over that of the service alone
 * @p99_over_alone: geometric mean over runs of p99 over that of the service alone
 * @goodput: mean over runs of the part of requests that met their deadline
 * @shared: runs with best-effort work
 * @best_effort: mean over these of what it did, over what it does alone
 */
struct part {
	u32 runs;
	u32 refused;
	u64 requests;
	u64 unfinished;
	u64 late;
	u32 timed;
	double p50_us;
	double p99_us;
	double p50_over_alone;
	double p99_over_alone;
	double goodput;
	u32 shared;
	double best_effort;
};

/* --- figures --------------------------------------------------------------------------- */

static double best_effort(const struct sweep_run *run)
{
	const struct session_figures *alone =
		sweep_window(run, SERVE_BEST_EFFORT);
	u64 done = run->tenants[SERVE_BEST_EFFORT].useful_instructions;

	return alone->thread_instructions ?
	       (double)done / (double)alone->thread_instructions : 0;
}

static double goodput(const struct sweep_tenant *service)
{
	return (double)service->met / (double)service->judged;
}

/* Add to the sums; of ratios, the logarithms are added. */
static void add_run(struct part *part, const struct sweep_run *run)
{
	const struct sweep_tenant *service = &run->tenants[SERVE_SERVICE];
	const struct sweep_tenant *alone =
		&(run->alone ? run->alone : run)->tenants[SERVE_SERVICE];

	part->runs++;
	if (sweep_is_refused(run)) {
		part->refused++;
		return;
	}
	part->requests += service->requests;
	part->unfinished += service->unfinished;
	part->late += service->late;
	if (run->mix->count > SERVE_BEST_EFFORT) {
		part->shared++;
		part->best_effort += best_effort(run);
	}
	if (!service->judged || !alone->judged)
		return;
	part->timed++;
	part->p50_us += (double)service->p50_ns / 1000;
	part->p99_us += (double)service->p99_ns / 1000;
	part->p50_over_alone += log((double)service->p50_ns /
				    (double)alone->p50_ns);
	part->p99_over_alone += log((double)service->p99_ns /
				    (double)alone->p99_ns);
	part->goodput += goodput(service);
}

static void take_means(struct part *part)
{
	u32 timed = part->timed ? part->timed : 1;

	part->p50_us /= timed;
	part->p99_us /= timed;
	part->p50_over_alone = exp(part->p50_over_alone / timed);
	part->p99_over_alone = exp(part->p99_over_alone / timed);
	part->goodput /= timed;
	part->best_effort /= part->shared ? part->shared : 1;
}

/*
 * The runs of a policy (policy_count: of services alone) at a point or at ALL, and of
 * the mixes named @name, or of all mixes for NULL.
 */
static struct part part_of(const struct sweep *sweep, u32 policy, u32 point,
			   const char *name)
{
	u32 count = sweep->run_count + sweep->alone_count, i;
	struct part part = { 0 };

	for (i = 0; i < count; i++) {
		const struct sweep_run *run = &sweep->runs[i];

		if (run->policy == policy && sweep_is_whole(run) &&
		    (point == ALL || run->point == point) &&
		    (!name || !strcmp(run->mix->name, name)))
			add_run(&part, run);
	}
	take_means(&part);
	return part;
}

static const char *label_of(const struct sweep *sweep, u32 policy)
{
	return policy < sweep->policy_count ? sweep->labels[policy] : "alone";
}

/* The mixes of a point: the suite's, or for services alone, their own */
static const struct mix *mixes_of(const struct sweep *sweep, u32 policy, u32 *count)
{
	if (policy < sweep->policy_count) {
		*count = sweep->suite.mix_count;
		return sweep->mixes;
	}
	*count = sweep->alone_count / sweep_axes_points(&sweep->axes) /
		 (u32)sweep->seeds;
	return sweep->alone_mixes;
}

static u64 load_ppm(const struct sweep *sweep, u32 point)
{
	return sweep->mixes[point * sweep->suite.mix_count]
		.arrivals[SERVE_SERVICE].load_ppm;
}

/* --- JSON -------------------------------------------------------------------------------- */

static const struct field part_fields[] = {
	FIELD("runs", FIELD_U32, struct part, runs),
	FIELD("refused", FIELD_U32, struct part, refused),
	FIELD("requests", FIELD_U64, struct part, requests),
	FIELD("unfinished", FIELD_U64, struct part, unfinished),
	FIELD("late", FIELD_U64, struct part, late),
	FIELD_IF("p50_us", FIELD_DECIMAL, struct part, p50_us, timed),
	FIELD_IF("p99_us", FIELD_DECIMAL, struct part, p99_us, timed),
	FIELD_IF("p50_over_alone", FIELD_DECIMAL, struct part, p50_over_alone, timed),
	FIELD_IF("p99_over_alone", FIELD_DECIMAL, struct part, p99_over_alone, timed),
	FIELD_IF("goodput", FIELD_DECIMAL, struct part, goodput, timed),
	FIELD_IF("best_effort", FIELD_DECIMAL, struct part, best_effort, shared),
	{ .key = NULL }
};

/* CSV does not have the runs. */
#define CSV_FIELDS	(part_fields + 2)

static const struct field refused_fields[] = {
	FIELD("refused", FIELD_U32, struct part, refused),
	{ .key = NULL }
};

static struct json_object *pairs_json(const struct sweep *sweep, u32 policy,
				      u32 point)
{
	struct json_object *array = json_object_new_array();
	u32 count, i;
	const struct mix *mixes = mixes_of(sweep, policy, &count);

	for (i = 0; i < count; i++) {
		struct json_object *row = json_object_new_object();
		struct part part = part_of(sweep, policy, point, mixes[i].name);

		json_set_string(row, "pair", mixes[i].name);
		json_fields(row, part_fields, &part);
		json_object_array_add(array, row);
	}
	return array;
}

static struct json_object *loads_json(const struct sweep *sweep, u32 policy)
{
	struct json_object *array = json_object_new_array();
	u32 point;

	for (point = 0; point < sweep_axes_points(&sweep->axes); point++) {
		struct json_object *row = json_object_new_object();
		struct part part = part_of(sweep, policy, point, NULL);

		json_set(row, "load", json_ppm(load_ppm(sweep, point)));
		json_fields(row, part_fields, &part);
		json_set(row, "by_pair", pairs_json(sweep, policy, point));
		json_object_array_add(array, row);
	}
	return array;
}

static struct json_object *policy_json(const struct sweep *sweep, u32 policy)
{
	struct json_object *object = json_object_new_object();
	struct part part = part_of(sweep, policy, ALL, NULL);

	if (policy < sweep->policy_count) {
		const struct contender *contender = &sweep->policies[policy];

		json_set_string(object, "policy", sweep->labels[policy]);
		json_set_string(object, "name", contender->policy);
		json_set_string(object, "model", contender->model);
	}
	json_fields(object, part_fields, &part);
	json_set(object, "by_load", loads_json(sweep, policy));
	json_set(object, "by_pair", pairs_json(sweep, policy, ALL));
	return object;
}

static int print_json(const struct sweep *sweep)
{
	const struct settings *settings = &sweep->experiment.settings;
	struct json_object *object = json_object_new_object();
	struct json_object *array = json_object_new_array();
	u32 i;

	sweep_made_json(object, sweep);
	json_set(object, "cycles", json_u64(settings->session.stop_cycle));
	json_set(object, "deadline", json_ppm(sweep->deadline_ppm));
	json_set(object, "alone", policy_json(sweep, sweep->policy_count));
	for (i = 0; i < sweep->policy_count; i++)
		json_object_array_add(array, policy_json(sweep, i));
	json_set(object, "policies", array);
	return json_print(object);
}

/* --- a table, and CSV ---------------------------------------------------------------------- */

typedef void print_part(const struct sweep *sweep, u32 policy, u32 point,
			const struct part *part, void *context);

/* For each policy, at each point and at all of them; services alone come first */
static void for_each_part(const struct sweep *sweep, print_part *print,
			  void *context)
{
	u32 policies = sweep->policy_count + 1, points, i, k;

	points = sweep_axes_points(&sweep->axes);
	for (i = 0; i < policies; i++) {
		u32 policy = (i + sweep->policy_count) % policies;

		for (k = 0; k <= points; k++) {
			u32 point = k < points ? k : ALL;
			struct part part = part_of(sweep, policy, point, NULL);

			print(sweep, policy, point, &part, context);
		}
	}
}

static void load_text(const struct sweep *sweep, u32 point, char text[16])
{
	snprintf(text, 16, "%g", (double)load_ppm(sweep, point) / SIMGPU_PPM);
}

static void table_part(const struct sweep *sweep, u32 policy, u32 point,
		      const struct part *part, void *context)
{
	struct table *table = context;
	char load[16] = "all";

	if (point != ALL)
		load_text(sweep, point, load);
	table_cell(table, "%s", label_of(sweep, policy));
	table_cell(table, "%s", load);
	if (sweep_refused(sweep, SWEEP_ANY_POLICY))
		table_cell(table, "%u", part->refused);
	table_cell(table, "%llu", part->requests);
	table_cell(table, "%llu", part->unfinished);
	table_decimal(table, part->timed, part->p50_over_alone, part->p50_over_alone < 100 ? 3 : 0);
	table_decimal(table, part->timed, part->p99_over_alone, part->p99_over_alone < 100 ? 3 : 0);
	table_decimal(table, part->timed, part->goodput, part->goodput < 100 ? 3 : 0);
	table_decimal(table, part->shared, part->best_effort, part->best_effort < 100 ? 3 : 0);
}

static int print_table(const struct sweep *sweep)
{
	struct table *table = table_new(sweep_refused(sweep, SWEEP_ANY_POLICY) ?
		"POLICY|>LOAD|>REFUSED|>SENT|>OPEN|>P50/ALONE|>P99/ALONE|>GOODPUT|>OTHER" :
		"POLICY|>LOAD|>SENT|>OPEN|>P50/ALONE|>P99/ALONE|>GOODPUT|>OTHER");

	sweep_print_partial(sweep);
	for_each_part(sweep, table_part, table);
	table_print(table);
	return flush_output();
}

static void csv_row(const struct sweep *sweep, u32 policy, u32 point,
		    const struct part *part, void *context)
{
	char load[16] = "all";

	if (point != ALL)
		load_text(sweep, point, load);
	printf("%s,%s", label_of(sweep, policy), load);
	csv_fields(stdout, CSV_FIELDS, part);
	csv_fields(stdout, refused_fields, part);
	putchar('\n');
}

static int print_csv(const struct sweep *sweep)
{
	fputs("policy,load", stdout);
	csv_headings(stdout, CSV_FIELDS);
	csv_headings(stdout, refused_fields);
	putchar('\n');
	for_each_part(sweep, csv_row, NULL);
	return flush_output();
}

/* Write a row for each run. */
static int write_rows(const struct sweep *sweep)
{
	u32 count = sweep->run_count + sweep->alone_count, i;
	char path[KEPT_PATH_BYTES], load[16];
	FILE *file;

	snprintf(path, sizeof(path), "%s/serve.csv", sweep->folder);
	file = fopen(path, "w");
	if (!file)
		return fail("%s: %s", path, strerror(errno));
	fputs("policy,pair,load,seed,state_hash", file);
	csv_headings(file, CSV_FIELDS);
	fputs(",refused\n", file);
	for (i = 0; i < count; i++) {
		const struct sweep_run *run = &sweep->runs[i];
		struct part part = { 0 };

		load_text(sweep, run->point, load);
		add_run(&part, run);
		take_means(&part);
		fprintf(file, "%s,%s,%s,%llu,%016llx",
			label_of(sweep, run->policy), run->mix->name, load,
			sweep->experiment.settings.session.seed + run->seed,
			run->state_hash);
		csv_fields(file, CSV_FIELDS, part.refused ? NULL : &part);
		fprintf(file, ",%s\n", sweep_refused_text(run));
	}
	return close_file(file, path);
}

int sweep_serve_report(const struct sweep *sweep)
{
	/* Write the file of rows only when all rows are complete. */
	int ret = interrupted() ? STATUS_OK : write_rows(sweep);

	if (ret)
		return ret;
	if (sweep->json)
		return print_json(sweep);
	return sweep->csv ? print_csv(sweep) : print_table(sweep);
}
