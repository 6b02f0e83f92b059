// SPDX-License-Identifier: GPL-2.0
/* simgpu run --seeds: means of an experiment's figures over several seeds. */
#include <math.h>

#include "run.h"

/* A figure of a result, and of one of its tenants. */
typedef u64 figure(const struct result *result, size_t tenant);

static u64 ipc_of(const struct result *result, size_t tenant)
{
	return result->tenants[tenant].report.ipc_ppm;
}

static u64 np_of(const struct result *result, size_t tenant)
{
	return result->tenants[tenant].np_actual_ppm;
}

static u64 stp_of(const struct result *result, size_t tenant)
{
	return result->metrics.stp_ppm;
}

static u64 antt_of(const struct result *result, size_t tenant)
{
	return result->metrics.antt_ppm;
}

static u64 fairness_of(const struct result *result, size_t tenant)
{
	return result->metrics.fairness_ppm;
}

static u64 error_of(const struct result *result, size_t tenant)
{
	return result->error_ppm;
}

static struct result_spread spread(const struct result *results, u32 seeds,
				   figure *of, size_t tenant)
{
	double *values = grow(NULL, seeds, sizeof(*values));
	struct result_spread out = { .known = false };
	u32 i;

	for (i = 0; i < seeds; i++)
		values[i] = (double)of(&results[i], tenant) / SIMGPU_PPM;
	out.mean_ppm = (u64)llround(statistics_mean(values, seeds) * SIMGPU_PPM);
	out.known = statistics_ci95(values, seeds, &out.ci95);
	free(values);
	return out;
}

static void merge_tenant(struct result *results, u32 seeds, size_t index)
{
	struct result_tenant *tenant = &results[0].tenants[index];
	bool known = true;
	u32 i;

	tenant->ipc = spread(results, seeds, ipc_of, index);
	for (i = 0; i < seeds; i++)
		known &= results[i].tenants[index].actual_known;
	if (known)
		tenant->np_actual = spread(results, seeds, np_of, index);
}

int result_merge(struct result *results, u32 seeds)
{
	struct result *first = &results[0];
	bool error_known = true;
	size_t index;
	u32 i;

	for (i = 1; i < seeds; i++)
		if (results[i].tenant_count != first->tenant_count)
			return fail("with another seed there were other tenants");
	first->seeds = seeds;
	for (index = 0; index < first->tenant_count; index++)
		merge_tenant(results, seeds, index);
	for (i = 0; i < seeds; i++)
		error_known &= results[i].error_known;
	first->stp = spread(results, seeds, stp_of, 0);
	first->antt = spread(results, seeds, antt_of, 0);
	first->fairness = spread(results, seeds, fairness_of, 0);
	if (error_known)
		first->error = spread(results, seeds, error_of, 0);
	return STATUS_OK;
}
