// SPDX-License-Identifier: GPL-2.0
/* Every split of a phase: measured and estimated times; see plan_splits.h. */
#include "../../offline/run.h"
#include "../json.h"
#include "../output.h"
#include "../table.h"
#include "plan_splits.h"

/*
 * Estimates: one for each PLAN_PENALTY_*, and one for kernels on SMs of their own that
 * do not hinder each other, where the longest profile counts.
 */
#define PENALTIES	3
#define APART		PENALTIES
#define ESTIMATES	(PENALTIES + 1)

static const char *const estimate_names[ESTIMATES] = {
	[PLAN_PENALTY_UNIFORM] = "uniform",
	[PLAN_PENALTY_MEMORY] = "memory",
	[PLAN_PENALTY_NONE] = "none",
	[APART] = "apart",
};

/**
 * struct split - a way to divide the SMs
 * @choice: the kernels and their SMs
 * @measured: core cycles that they take together
 * @estimated: core cycles of each estimate
 */
struct split {
	struct plan_choice choice;
	u64 measured;
	u64 estimated[ESTIMATES];
};

/**
 * struct splits - all splits
 * @split: in the order of the first kernel's SMs, then of the second's
 * @count: number of splits
 * @alone: by kernel, measured core cycles alone on all SMs
 */
struct splits {
	struct split *split;
	u32 count;
	u64 alone[OPTIMAL_KERNELS_MAX];
};

static u64 longest(const struct plan_set *set, const struct plan_choice *choice)
{
	u64 cycles = 0;
	u32 i;

	for (i = 0; i < choice->count; i++) {
		const struct plan_kernel *kernel = &set->kernels[choice->kernel[i]];
		u32 alone = set->profiles[kernel->profile]
				.point[choice->sms[i] - 1].cycles;

		if (alone > cycles)
			cycles = alone;
	}
	return cycles;
}

static void estimate(const struct plan_set *set, struct split *split,
		     struct plan_work *work)
{
	struct plan_set with = *set;
	struct plan_estimate result;

	for (with.penalty = 0; with.penalty < PENALTIES; with.penalty++) {
		plan_estimate(&with, &split->choice, work, &result);
		split->estimated[with.penalty] = result.cycles;
	}
	split->estimated[APART] = longest(set, &split->choice);
}

static int measure_alone(const struct optimal_search *search, struct splits *splits)
{
	u32 i;
	int ret = 0;

	for (i = 0; !ret && i < search->set->count; i++) {
		struct plan_choice choice = {
			.count = 1, .kernel = { (u8)i },
			.sms = { (u16)search->set->sms },
		};

		ret = search->measure(search->context, &choice, PLAN_NEVER - 1,
				      &splits->alone[i]);
	}
	return ret;
}

static int measure_all(const struct optimal_search *search, struct splits *splits)
{
	struct plan_work *work = grow(NULL, 1, sizeof(*work));
	u32 total = optimal_splits(search->set->sms, search->set->count);
	struct plan_choice choice;
	int ret = measure_alone(search, splits);

	optimal_first_split(&choice, (1U << search->set->count) - 1,
			    search->set->sms);
	splits->split = grow(NULL, total, sizeof(*splits->split));
	do {
		struct split *split = &splits->split[splits->count];

		if (ret)
			break;
		split->choice = choice;
		estimate(search->set, split, work);
		ret = search->measure(search->context, &choice, PLAN_NEVER - 1,
				      &split->measured);
		search->progress(search->context, ++splits->count, total);
	} while (optimal_next_split(&choice));
	progress_end();
	free(work);
	return ret;
}

/* The mean of |estimate - measured| / measured, and whether both rank splits alike. */
static bool judge(const struct splits *splits, u32 index, double *error,
		  double *correlation)
{
	double *estimated = grow(NULL, splits->count, sizeof(*estimated));
	double *measured = grow(NULL, splits->count, sizeof(*measured));
	bool ranked;
	u32 i;

	*error = 0;
	for (i = 0; i < splits->count; i++) {
		estimated[i] = (double)splits->split[i].estimated[index];
		measured[i] = (double)splits->split[i].measured;
		*error += (estimated[i] > measured[i] ?
			   estimated[i] - measured[i] :
			   measured[i] - estimated[i]) / measured[i];
	}
	*error /= splits->count;
	ranked = statistics_rank_correlation(estimated, measured, splits->count,
					     correlation);
	free(estimated);
	free(measured);
	return ranked;
}

static struct json_object *split_json(const struct split *split)
{
	struct json_object *object = json_object_new_object();
	struct json_object *sms = json_object_new_array();
	struct json_object *estimated = json_object_new_object();
	u32 i;

	for (i = 0; i < split->choice.count; i++)
		json_object_array_add(sms, json_u64(split->choice.sms[i]));
	json_set(object, "sms", sms);
	json_set(object, "cycles_measured", json_u64(split->measured));
	for (i = 0; i < ESTIMATES; i++)
		json_set(estimated, estimate_names[i],
			 json_u64(split->estimated[i]));
	json_set(object, "cycles_estimated", estimated);
	return object;
}

static struct json_object *estimates_json(const struct splits *splits)
{
	struct json_object *array = json_object_new_array();
	double error, correlation = 0;
	u32 i;

	for (i = 0; i < ESTIMATES; i++) {
		struct json_object *object = json_object_new_object();
		bool ranked = judge(splits, i, &error, &correlation);

		json_set_string(object, "penalty", estimate_names[i]);
		json_set(object, "error_mean", json_decimal_or_null(true, error));
		json_set(object, "rank_correlation",
			 json_decimal_or_null(ranked, correlation));
		json_object_array_add(array, object);
	}
	return array;
}

static int print_json(const struct optimal_search *search, const char *const *names,
		      const char *config, const char *division,
		      const struct splits *splits)
{
	struct json_object *document = json_object_new_object();
	struct json_object *kernels = json_object_new_array();
	struct json_object *array = json_object_new_array();
	u32 i;

	json_set_string(document, "config", config);
	json_set_string(document, "division", division);
	for (i = 0; i < search->set->count; i++) {
		struct json_object *kernel = json_object_new_object();

		json_set_string(kernel, "name", names[i]);
		json_set(kernel, "cycles_alone", json_u64(splits->alone[i]));
		json_object_array_add(kernels, kernel);
	}
	json_set(document, "kernels", kernels);
	json_set(document, "estimates", estimates_json(splits));
	for (i = 0; i < splits->count; i++)
		json_object_array_add(array, split_json(&splits->split[i]));
	json_set(document, "splits", array);
	return json_print(document);
}

static int print_table(const struct optimal_search *search, const char *const *names,
		       const struct splits *splits)
{
	struct table *table = table_new(
		">SMS|>MEASURED|>EQ. 3|>MEMORY'S TIME|>NO PENALTY|>APART");
	double error, correlation;
	u32 i, k;

	for (i = 0; i < splits->count; i++) {
		const struct split *split = &splits->split[i];
		char sms[8 * OPTIMAL_KERNELS_MAX] = "";

		for (k = 0; k < split->choice.count; k++)
			snprintf(sms + strlen(sms), sizeof(sms) - strlen(sms),
				 "%s%u", k ? ":" : "", split->choice.sms[k]);
		table_cell(table, "%s", sms);
		table_cell(table, "%llu", split->measured);
		for (k = 0; k < ESTIMATES; k++)
			table_cell(table, "%llu", split->estimated[k]);
	}
	table_print(table);
	for (i = 0; i < search->set->count; i++)
		printf("%s alone: %llu cycles\n", names[i], splits->alone[i]);
	for (i = 0; i < ESTIMATES; i++)
		if (judge(splits, i, &error, &correlation))
			printf("%s%s: error %.1f%%, rank correlation %.3f\n",
			       i < PENALTIES ? "penalty " : "", estimate_names[i],
			       error * 100, correlation);
	return flush_output();
}

int plan_splits(const struct optimal_search *search, const char *const *names,
		const char *config, const char *division, bool json)
{
	struct splits splits = { .count = 0 };
	int ret = measure_all(search, &splits);

	if (ret)
		ret = fail("the splits cannot be measured: %s", offline_error(ret));
	else
		ret = json ? print_json(search, names, config, division, &splits) :
			     print_table(search, names, &splits);
	free(splits.split);
	return ret;
}
