// SPDX-License-Identifier: GPL-2.0
/* simgpu run --repeat: an experiment's figures over several seeds. */
#include <math.h>

#include "../json.h"
#include "../output.h"
#include "../table.h"
#include "run.h"
#include "run_seeds.h"

/* Stands for the whole result in place of a tenant's index */
#define WHOLE	SIZE_MAX

/* Offsets of figures */
#define OF_TENANT(member)	offsetof(struct result_tenant, member)
#define OF_RESULT(member)	offsetof(struct result, member)

static u64 figure(const struct result *result, size_t tenant, size_t at)
{
	const char *from = tenant == WHOLE ? (const char *)result :
			   (const char *)&result->tenants[tenant];

	return *(const u64 *)(from + at);
}

/* @scale: a value is the figure * @scale / SIMGPU_PPM */
static struct result_spread spread(const struct result *results, u32 seeds,
				   size_t tenant, size_t at, double scale)
{
	double *values = grow(NULL, seeds, sizeof(*values));
	struct result_spread out = { .known = false };
	u32 i;

	for (i = 0; i < seeds; i++)
		values[i] = (double)figure(&results[i], tenant, at) * scale /
			    SIMGPU_PPM;
	out.mean_ppm = (u64)llround(statistics_mean(values, seeds) * SIMGPU_PPM);
	out.deviation = statistics_deviation(values, seeds);
	out.known = statistics_ci95(values, seeds, &out.ci95);
	free(values);
	return out;
}

static struct result_spread ratio(const struct result *results, u32 seeds,
				  size_t tenant, size_t at)
{
	return spread(results, seeds, tenant, at, 1);
}

static struct result_spread cycles(const struct result *results, u32 seeds,
				   size_t tenant, size_t at)
{
	return spread(results, seeds, tenant, at, SIMGPU_PPM);
}

static void merge_tenant(struct result *results, u32 seeds, size_t index)
{
	struct result_tenant *tenant = &results[0].tenants[index];
	bool actual_known = true, predicted_known = true;
	u32 i;

	for (i = 0; i < seeds; i++) {
		const struct result_tenant *other = &results[i].tenants[index];

		actual_known &= other->actual_known;
		predicted_known &= result_predicted(other);
	}
	tenant->ipc = ratio(results, seeds, index, OF_TENANT(report.ipc_ppm));
	tenant->cycles = cycles(results, seeds, index, OF_TENANT(report.cycles));
	if (predicted_known)
		tenant->np_predicted = ratio(results, seeds, index,
					     OF_TENANT(report.np_run_ppm));
	if (actual_known)
		tenant->np_actual = ratio(results, seeds, index,
					  OF_TENANT(np_actual_ppm));
}

static void merge_metrics(struct result *results, u32 seeds)
{
	struct result *first = &results[0];
	bool error_known = true, predicted_known = true;
	bool antt_known = true, antt_predicted_known = true;
	u32 i;

	for (i = 0; i < seeds; i++) {
		error_known &= results[i].error_known;
		predicted_known &= results[i].predicted_known;
		/* It is infinite where somebody starves. */
		antt_known &= results[i].metrics.antt_ppm != 0;
		antt_predicted_known &= results[i].predicted.antt_ppm != 0;
	}
	if (first->truth) {
		first->stp = ratio(results, seeds, WHOLE, OF_RESULT(metrics.stp_ppm));
		if (antt_known)
			first->antt = ratio(results, seeds, WHOLE,
					    OF_RESULT(metrics.antt_ppm));
		first->fairness = ratio(results, seeds, WHOLE,
					OF_RESULT(metrics.fairness_ppm));
	}
	if (error_known)
		first->error = ratio(results, seeds, WHOLE, OF_RESULT(error_ppm));
	if (!predicted_known)
		return;
	first->stp_predicted = ratio(results, seeds, WHOLE,
				     OF_RESULT(predicted.stp_ppm));
	if (antt_predicted_known)
		first->antt_predicted = ratio(results, seeds, WHOLE,
					      OF_RESULT(predicted.antt_ppm));
	first->fairness_predicted = ratio(results, seeds, WHOLE,
					  OF_RESULT(predicted.fairness_ppm));
}

int result_merge(struct result *results, u32 seeds)
{
	struct result *first = &results[0];
	size_t index;
	u32 i;

	for (i = 1; i < seeds; i++) {
		if (results[i].tenant_count != first->tenant_count)
			return fail("with another seed there were other tenants");
		if (results[i].refused && !first->refused)
			first->refusal = results[i].refusal;
		first->refused |= results[i].refused;
	}
	first->seeds = seeds;
	for (index = 0; index < first->tenant_count; index++)
		merge_tenant(results, seeds, index);
	first->cycles_spread = cycles(results, seeds, WHOLE, OF_RESULT(cycle));
	merge_metrics(results, seeds);
	return STATUS_OK;
}

/* --- output --- */

void spread_json(struct json_object *object, const char *key,
		 const struct result_spread *spread)
{
	json_set_suffixed(object, key, "_deviation",
		     json_decimal_or_null(true, spread->deviation));
	json_set_suffixed(object, key, "_ci95", json_interval(true, &spread->ci95));
}

static void print_spread(struct table *table, const char *whose,
			 const char *figure, const struct result_spread *spread,
			 int places)
{
	if (!spread->known)
		return;
	table_row(table, "%s|%s|%.*f|%.*f|%.*f|%.*f", whose, figure, places,
		  ppm_ratio(spread->mean_ppm), places, spread->deviation, places,
		  spread->ci95.low, places, spread->ci95.high);
}

/* Whether a figure of some tenant differs between seeds */
static bool varies(const struct result *result)
{
	size_t i;

	for (i = 0; i < result->tenant_count; i++)
		if (result->tenants[i].ipc.deviation > 0 ||
		    result->tenants[i].cycles.deviation > 0)
			return true;
	return false;
}

void print_seeds(const struct settings *settings, const struct result *result)
{
	struct table *table = table_new(
		"OVER SEEDS|FIGURE|>MEAN|>+-|>95% FROM|>TO");
	size_t i;

	for (i = 0; i < result->tenant_count; i++) {
		const struct result_tenant *tenant = &result->tenants[i];
		const char *name = tenant->options.name;

		print_spread(table, name, "cycles", &tenant->cycles, 1);
		print_spread(table, name, "IPC", &tenant->ipc, 4);
		print_spread(table, name, "NP predicted",
			     &tenant->np_predicted, 4);
		print_spread(table, name, "NP actual", &tenant->np_actual, 4);
	}
	print_spread(table, "all", "cycles", &result->cycles_spread, 1);
	print_spread(table, "all", "STP", &result->stp, 4);
	print_spread(table, "all", "ANTT", &result->antt, 4);
	print_spread(table, "all", "fairness", &result->fairness, 4);
	print_spread(table, "all", "prediction error", &result->error, 4);
	print_spread(table, "all", "STP predicted", &result->stp_predicted, 4);
	print_spread(table, "all", "ANTT predicted", &result->antt_predicted, 4);
	print_spread(table, "all", "fairness predicted",
		     &result->fairness_predicted, 4);
	printf("\nSeeds %llu to %llu; +- is the standard deviation. What stands above and below is\nof the first seed.\n\n",
	       settings->session.seed, settings->session.seed + result->seeds - 1);
	table_print(table);
	if (!varies(result))
		puts("\nAll runs are equal: nothing in them depends on the seed.");
}
