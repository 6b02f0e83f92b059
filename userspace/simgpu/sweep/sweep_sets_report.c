// SPDX-License-Identifier: GPL-2.0
/* What policies gain over sets of programs; see sweep_sets.h. */
#include "../../offline/optimal.h"
#include "../fields.h"
#include "../interrupt.h"
#include "../json.h"
#include "../output.h"
#include "../table.h"
#include "sweep_report.h"
#include "sweep_runs.h"
#include "sweep_sets.h"
#include "sweep_sets_report.h"

/* Parts of a policy's sets: by number of programs; part 0 has all sets. */
#define PARTS		(OPTIMAL_KERNELS_MAX + 1)

/**
 * struct over - a policy compared with another one, over their common sets
 * @known: number of common sets; 0: the rest is not known
 * @gain: mean of the other's cycles / the policy's cycles - 1
 * @gain_max: greatest of these values
 * @less: mean of 1 - the policy's cycles / the other's
 */
struct over {
	u32 known;
	double gain;
	double gain_max;
	double less;
};

/**
 * struct part - a policy over some of its sets
 * @sets: with all seeds, but for those in which the policy was refused
 * @refused: these
 * @cycles: mean
 * @sequential: compared with one program after another
 * @concurrent: compared with all programs at once, under leftover
 * @searched: sets whose best schedule is known
 * @distance: mean of the policy's cycles / the best schedule's - 1
 * @planned: sets with an estimate
 * @error: mean of |estimated - cycles| / cycles
 * @ranked: there are enough estimates for @correlation
 * @correlation: correlation of the ranks of estimates and cycles
 */
struct part {
	u32 sets;
	u32 refused;
	double cycles;
	struct over sequential;
	struct over concurrent;
	u32 searched;
	double distance;
	u32 planned;
	double error;
	u32 ranked;
	double correlation;
};

/* --- figures ------------------------------------------------------------------------- */

static u32 runs_each(const struct sweep *sweep)
{
	return sweep->run_count / sweep->policy_count;
}

static bool is_of_part(const struct sweep_run *run, u32 programs)
{
	return sweep_counts(run) &&
	       (!programs || run->mix->count == programs);
}

/* The index of the first policy with that name, or policy_count if there is none */
static u32 find_policy(const struct sweep *sweep, const char *name)
{
	u32 i;

	for (i = 0; i < sweep->policy_count; i++)
		if (!strcmp(sweep->policies[i].policy, name))
			break;
	return i;
}

/* Compare two policies. Either may be missing: policy_count. */
static struct over compare(const struct sweep *sweep, u32 policy, u32 programs,
			   u32 other)
{
	u32 each = runs_each(sweep), count = 0, i;
	const struct sweep_run *runs = &sweep->runs[policy * each], *others;
	struct over over = { .known = false };

	if (policy == sweep->policy_count || other == sweep->policy_count)
		return over;
	others = &sweep->runs[other * each];
	for (i = 0; i < each; i++) {
		double gain;

		if (!is_of_part(&runs[i], programs) ||
		    !sweep_counts(&others[i]))
			continue;
		gain = (double)others[i].cycle / (double)runs[i].cycle - 1;
		over.gain += gain;
		over.less += 1 - (double)runs[i].cycle / (double)others[i].cycle;
		if (!count++ || gain > over.gain_max)
			over.gain_max = gain;
	}
	over.known = count;
	over.gain /= count ? count : 1;
	over.less /= count ? count : 1;
	return over;
}

static void fill_estimates(const struct sweep *sweep, u32 policy, u32 programs,
			   struct part *part)
{
	u32 each = runs_each(sweep), count = 0, i;
	const struct sweep_run *runs = &sweep->runs[policy * each];
	double *estimated = grow(NULL, each, sizeof(*estimated));
	double *cycles = grow(NULL, each, sizeof(*cycles));

	for (i = 0; i < each; i++) {
		if (!is_of_part(&runs[i], programs) || !runs[i].estimated)
			continue;
		estimated[count] = (double)runs[i].estimated;
		cycles[count] = (double)runs[i].cycle;
		part->error += (estimated[count] > cycles[count] ?
				estimated[count] - cycles[count] :
				cycles[count] - estimated[count]) / cycles[count];
		count++;
	}
	part->planned = count;
	part->error /= count ? count : 1;
	part->ranked = statistics_rank_correlation(estimated, cycles, count,
						   &part->correlation);
	free(estimated);
	free(cycles);
}

static struct part part_of(const struct sweep *sweep, u32 policy, u32 programs)
{
	struct over optimal = compare(sweep, find_policy(sweep, SETS_OPTIMAL),
				      programs, policy);
	u32 each = runs_each(sweep), i;
	struct part part = {
		.sequential = compare(sweep, policy, programs,
				      find_policy(sweep, "sequential")),
		.concurrent = compare(sweep, policy, programs,
				      find_policy(sweep, "concurrent")),
		.searched = optimal.known,
		.distance = optimal.gain,
	};

	for (i = policy * each; i < (policy + 1) * each; i++) {
		const struct sweep_run *run = &sweep->runs[i];

		if (run->made && (!programs || run->mix->count == programs))
			part.refused += sweep_is_refused(run);
		if (!is_of_part(run, programs))
			continue;
		part.sets++;
		part.cycles += (double)run->cycle;
	}
	part.cycles /= part.sets ? part.sets : 1;
	fill_estimates(sweep, policy, programs, &part);
	return part;
}

/* --- JSON -------------------------------------------------------------------------------- */

/* A row for a member of a comparison with another policy */
#define FIELD_OVER(key, member, over) \
	FIELD_IF(key, FIELD_DECIMAL, struct part, over.member, over.known)

static const struct field part_fields[] = {
	FIELD("sets", FIELD_U32, struct part, sets),
	FIELD_IF("cycles_mean", FIELD_DECIMAL, struct part, cycles, sets),
	FIELD_OVER("gain_over_sequential", gain, sequential),
	FIELD_OVER("gain_over_sequential_max", gain_max, sequential),
	FIELD_OVER("less_than_sequential", less, sequential),
	FIELD_OVER("gain_over_concurrent", gain, concurrent),
	FIELD_OVER("gain_over_concurrent_max", gain_max, concurrent),
	FIELD_OVER("less_than_concurrent", less, concurrent),
	FIELD_IF("distance_from_optimal", FIELD_DECIMAL, struct part, distance, searched),
	FIELD_IF("estimate_error_mean", FIELD_DECIMAL, struct part, error, planned),
	FIELD_IF("estimate_rank_correlation", FIELD_DECIMAL, struct part, correlation, ranked),
	FIELD("refused", FIELD_U32, struct part, refused),
	{ .key = NULL }
};

static struct json_object *policy_json(const struct sweep *sweep, u32 policy)
{
	struct json_object *object = json_object_new_object();
	struct json_object *array = json_object_new_array();
	struct part part = part_of(sweep, policy, 0);
	u32 programs;

	json_set_string(object, "policy", sweep->labels[policy]);
	json_set_string(object, "name", sweep->policies[policy].policy);
	json_fields(object, part_fields, &part);
	for (programs = 1; programs < PARTS; programs++) {
		struct json_object *row;

		part = part_of(sweep, policy, programs);
		if (!part.sets && !part.refused)
			continue;
		row = json_object_new_object();
		json_set(row, "kernels", json_u64(programs));
		json_fields(row, part_fields, &part);
		json_object_array_add(array, row);
	}
	json_set(object, "by_kernels", array);
	return object;
}

static int print_json(const struct sweep *sweep)
{
	struct json_object *object = json_object_new_object();
	struct json_object *array = json_object_new_array();
	u32 i;

	sweep_made_json(object, sweep);
	if (sweep->sets)
		json_set_string(object, "sets_drawn", sweep->sets);
	for (i = 0; i < sweep->policy_count; i++)
		json_object_array_add(array, policy_json(sweep, i));
	json_set(object, "policies", array);
	return json_print(object);
}

/* --- a table, and CSV ------------------------------------------------------------------------ */

typedef void print_row(const struct sweep *sweep, u32 policy, u32 programs,
		       const struct part *part, void *context);

static void for_each_part(const struct sweep *sweep, print_row *print, void *context)
{
	u32 policy, programs;

	for (policy = 0; policy < sweep->policy_count; policy++)
		for (programs = 0; programs < PARTS; programs++) {
			/* All of them last. */
			u32 of = (programs + 1) % PARTS;
			struct part part = part_of(sweep, policy, of);

			if (part.sets || part.refused)
				print(sweep, policy, of, &part, context);
		}
}

static void percent_cell(struct table *table, bool known, double value)
{
	if (known)
		table_cell(table, "%.1f%%", value * 100);
	else
		table_cell(table, "-");
}

static void table_part(const struct sweep *sweep, u32 policy, u32 programs,
		      const struct part *part, void *context)
{
	struct table *table = context;

	table_cell(table, "%s", sweep->labels[policy]);
	if (programs)
		table_cell(table, "%u", programs);
	else
		table_cell(table, "all");
	table_cell(table, "%u", part->sets);
	if (sweep_refused(sweep, SWEEP_ANY_POLICY))
		table_cell(table, "%u", part->refused);
	table_decimal(table, part->sets, part->cycles, 0);
	percent_cell(table, part->sequential.known, part->sequential.gain);
	percent_cell(table, part->sequential.known, part->sequential.gain_max);
	percent_cell(table, part->concurrent.known, part->concurrent.gain);
	percent_cell(table, part->concurrent.known, part->concurrent.gain_max);
	percent_cell(table, part->searched, part->distance);
	percent_cell(table, part->planned, part->error);
	table_decimal(table, part->ranked, part->correlation, 2);
}

static int print_table(const struct sweep *sweep)
{
	struct table *table = table_new(sweep_refused(sweep, SWEEP_ANY_POLICY) ?
		"POLICY|>PROGRAMS|>SETS|>REFUSED|>CYCLES|>OVER SEQUENTIAL|>MAX|>OVER CONCURRENT|>MAX|>FROM OPTIMAL|>ERROR|>RANKS" :
		"POLICY|>PROGRAMS|>SETS|>CYCLES|>OVER SEQUENTIAL|>MAX|>OVER CONCURRENT|>MAX|>FROM OPTIMAL|>ERROR|>RANKS");

	sweep_print_partial(sweep);
	for_each_part(sweep, table_part, table);
	table_print(table);
	return flush_output();
}

static void csv_row(const struct sweep *sweep, u32 policy, u32 programs,
		    const struct part *part, void *context)
{
	printf("%s,", sweep->labels[policy]);
	if (programs)
		printf("%u", programs);
	else
		fputs("all", stdout);
	csv_fields(stdout, part_fields, part);
	putchar('\n');
}

static int print_csv(const struct sweep *sweep)
{
	fputs("policy,kernels", stdout);
	csv_headings(stdout, part_fields);
	putchar('\n');
	for_each_part(sweep, csv_row, NULL);
	return flush_output();
}

static const struct field run_fields[] = {
	FIELD("cycles", FIELD_U64, struct sweep_run, cycle),
	FIELD_OR_0("estimated", FIELD_U64, struct sweep_run, estimated),
	{ .key = NULL }
};

/* A row for each run. */
static int write_rows(const struct sweep *sweep)
{
	char path[KEPT_PATH_BYTES];
	FILE *file;
	u32 i;

	snprintf(path, sizeof(path), "%s/sets.csv", sweep->folder);
	file = fopen(path, "w");
	if (!file)
		return fail("%s: %s", path, strerror(errno));
	fputs("policy,set,kernels,seed,cycles,estimated,refused\n", file);
	for (i = 0; i < sweep->run_count; i++) {
		const struct sweep_run *run = &sweep->runs[i];

		fprintf(file, "%s,%s,%u,%llu", sweep->labels[run->policy],
			run->mix->name, run->mix->count,
			sweep->experiment.settings.session.seed + run->seed);
		csv_fields(file, run_fields, sweep_is_refused(run) ? NULL : run);
		fprintf(file, ",%s\n", sweep_refused_text(run));
	}
	return close_file(file, path);
}

int sweep_sets_report(const struct sweep *sweep)
{
	/* The file of rows is there when they are all. */
	int ret = interrupted() ? STATUS_OK : write_rows(sweep);

	if (ret)
		return ret;
	if (sweep->json)
		return print_json(sweep);
	return sweep->csv ? print_csv(sweep) : print_table(sweep);
}
