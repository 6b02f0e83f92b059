// SPDX-License-Identifier: GPL-2.0
/* The result of an experiment, filled in step by step; see run.h. */
#include <json-c/json.h>

#include "../report_fields.h"
#include "result.h"
#include "run.h"

struct result_tenant *result_add_tenant(struct result *result, u32 slot,
					const struct session_tenant_options *options,
					const struct trace *trace)
{
	struct result_tenant *tenant;

	result->tenants = grow(result->tenants, result->tenant_count + 1,
			       sizeof(*tenant));
	result->present[slot] = result->tenant_count;
	tenant = &result->tenants[result->tenant_count++];
	memset(tenant, 0, sizeof(*tenant));
	tenant->slot = slot;
	tenant->options = *options;
	tenant->trace = trace;
	tenant->checksum = trace ? trace->checksum : 0;
	return tenant;
}

void result_add_epoch(struct result *result,
		      const struct simgpu_epoch_record *record)
{
	struct result_epoch *epoch;

	if (record->slot >= SESSION_SLOTS_MAX || !result->tenant_count)
		return;
	if (result->epoch_count == result->epoch_room) {
		result->epoch_room = result->epoch_room * 2 + 64;
		result->epochs = grow(result->epochs, result->epoch_room,
				      sizeof(*epoch));
	}
	epoch = &result->epochs[result->epoch_count++];
	epoch->tenant = (u32)result->present[record->slot];
	epoch->record = *record;
}

void result_add_kernel(struct result *result,
		       const struct offline_kernel *kernel)
{
	struct result_kernel *added;

	if (result->kernel_count == RESULT_KERNELS_MAX) {
		result->kernels_lost++;
		return;
	}
	if (result->kernel_count == result->kernel_room) {
		result->kernel_room = result->kernel_room * 2 + 64;
		result->kernels = grow(result->kernels, result->kernel_room,
				       sizeof(*added));
	}
	added = &result->kernels[result->kernel_count++];
	added->tenant = (u32)result->present[kernel->slot];
	added->kernel = *kernel;
}

bool result_np(const struct result_tenant *tenant, u64 *np_ppm)
{
	bool starved = report_is_starved(&tenant->report);

	*np_ppm = starved ? 0 : tenant->report.np_run_ppm;
	return *np_ppm || starved;
}

bool result_error(const struct result_tenant *tenant)
{
	return result_predicted(tenant) && tenant->actual_known &&
	       tenant->np_actual_ppm;
}

const char *result_target_np(const struct result *result,
			     const struct result_tenant *tenant, u64 *np_ppm)
{
	bool actual = result->truth && tenant->actual_known;
	bool known = result_np(tenant, np_ppm) || actual;

	if (actual)
		*np_ppm = tenant->np_actual_ppm;
	if (tenant->options.service != SIMGPU_QOS || !known)
		return NULL;
	return actual ? "actual" : "predicted";
}

/*
 * The session counts each SM for one tenant at a time, so the means of all tenants add up
 * to the SMs that there are.
 */
u64 result_mean_sms(const struct result *result, size_t tenant)
{
	return fixed_mul_div(result->tenants[tenant].counters[SIMGPU_COUNTER_SM_CYCLES],
			     SIMGPU_PPM, result->cycle);
}

bool result_is_offline(const struct result *result)
{
	return !strcmp(result->device, "offline");
}

/* A later refusal may hide the one for which even took the policy's place. */
static void find_refused(struct result *result)
{
	size_t i;

	result->refused = refusal_spoils(&result->refusal);
	result->refused_from = result->refusal.cycle;
	for (i = 0; i < result->epoch_count; i++) {
		const struct simgpu_epoch_record *record =
			&result->epochs[i].record;

		if (!(record->flags & SIMGPU_EPOCH_FELL_BACK))
			continue;
		if (!result->refused || record->end_cycle < result->refused_from)
			result->refused_from = record->end_cycle;
		result->refused = true;
	}
}

void result_summarize(struct result *result)
{
	size_t i;
	u64 np;

	result->predicted_known = result->tenant_count;
	simgpu_metrics_begin(&result->predicted);
	for (i = 0; i < result->tenant_count; i++) {
		result->predicted_known &= result_np(&result->tenants[i], &np);
		simgpu_metrics_add(&result->predicted, np);
	}
	simgpu_metrics_end(&result->predicted);
	find_refused(result);
}

void result_free(struct result *result)
{
	free(result->tenants);
	free(result->epochs);
	free(result->kernels);
	free(result->notes);
	json_object_put(result->policy_params);
	json_object_put(result->memory_params);
	json_object_put(result->model_params);
}
