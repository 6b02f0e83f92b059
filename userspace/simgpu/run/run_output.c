// SPDX-License-Identifier: GPL-2.0
/* The result of an experiment as JSON (the contract of scripts) and as tables. */
#include "../fields.h"
#include "../json.h"
#include "../made_by.h"
#include "../output.h"
#include "../queue_rows.h"
#include "../report_fields.h"
#include "../table.h"
#include "result.h"
#include "run.h"
#include "run_counters.h"
#include "run_epochs.h"
#include "run_failures.h"
#include "run_power.h"
#include "run_kernels.h"
#include "run_memory.h"
#include "run_notes.h"
#include "run_output.h"
#include "run_remarks.h"
#include "run_seeds.h"

/* --- JSON --- */

/**
 * struct epoch_row - an epoch of a tenant
 * @refused: whether even has run in the policy's place from then on, or the model failed
 */
struct epoch_row {
	struct simgpu_epoch_record record;
	const char *class;
	u32 np_known;
	u32 predicted;
	u32 first_run;
	u32 fell_back;
	u32 refused;
	u32 power_known;
};

#define ROW(key, kind, member)	FIELD(key, kind, struct epoch_row, member)
#define ROW_OR_0(key, kind, member) FIELD_OR_0(key, kind, struct epoch_row, member)

/* In JSON and CSV alike. */
static const struct field epoch_fields[] = {
	ROW("cycle", FIELD_U64, record.end_cycle),
	ROW("sms", FIELD_U32, record.sms),
	ROW("sms_next", FIELD_U32, record.sms_next),
	ROW("class", FIELD_TEXT, class),
	FIELD_IF("np", FIELD_PPM, struct epoch_row, record.np_ppm, np_known),
	ROW("ipc", FIELD_PPM, record.ipc_ppm),
	ROW("rbh", FIELD_PPM, record.rbh_ppm),
	ROW("bandwidth", FIELD_PPM, record.bandwidth_ppm),
	ROW("llc_mpki", FIELD_PPM, record.llc_mpki_ppm),
	{ .key = NULL }
};

/* Behind these. */
static const struct field epoch_json_fields[] = {
	ROW_OR_0("goal_ipc", FIELD_PPM, record.goal_ipc_ppm),
	ROW_OR_0("alpha", FIELD_PPM, record.alpha_ppm),
	ROW_OR_0("quota", FIELD_U64, record.quota),
	ROW("blocks", FIELD_U64, record.blocks),
	ROW("predicted", FIELD_TRUTH, predicted),
	ROW("first_run", FIELD_TRUTH, first_run),
	ROW("fell_back", FIELD_TRUTH, fell_back),
	{ .key = NULL }
};

static const struct field epoch_csv_fields[] = {
	ROW("predicted", FIELD_TRUTH, predicted),
	ROW("fell_back", FIELD_TRUTH, fell_back),
	ROW("refused", FIELD_TRUTH, refused),
	{ .key = NULL }
};

/* The device's, in JSON and CSV where a clock or a cap was set or the clock has changed. */
static const struct field epoch_power_fields[] = {
	ROW("mhz", FIELD_U32, record.sm_mhz),
	FIELD_IF("watts", FIELD_PPM, struct epoch_row, record.power_uw, power_known),
	{ .key = NULL }
};

static struct epoch_row epoch_row(const struct result *result,
				  const struct simgpu_epoch_record *record)
{
	return (struct epoch_row) {
		.record = *record,
		.class = class_name(record->class),
		.np_known = record->class != SIMGPU_CLASSIFIED_UNKNOWN,
		.predicted = !!(record->flags & SIMGPU_EPOCH_PREDICTED),
		.first_run = !!(record->flags & SIMGPU_EPOCH_FIRST_RUN),
		.fell_back = !!(record->flags & SIMGPU_EPOCH_FELL_BACK),
		.refused = result->refused &&
			   record->end_cycle >= result->refused_from,
		.power_known = result->power.known,
	};
}

static struct json_object *epoch_json(const struct result *result,
				      const struct simgpu_epoch_record *record)
{
	struct json_object *epoch = json_object_new_object(), *gauges;
	const struct epoch_row row = epoch_row(result, record);

	json_fields(epoch, epoch_fields, &row);
	json_set(epoch, "np_doubts", row.np_known ? json_doubts(record->np_doubts) : NULL);
	json_fields(epoch, epoch_json_fields, &row);
	gauges = gauges_json(result, record);
	if (gauges)
		json_set(epoch, "gauges", gauges);
	if (result->power.used)
		json_fields(epoch, epoch_power_fields, &row);
	return epoch;
}

static struct json_object *epochs_json(const struct result *result, size_t index)
{
	struct json_object *epochs = json_object_new_array();
	size_t i;

	for (i = 0; i < result->epoch_count; i++)
		if (result->epochs[i].tenant == index)
			json_object_array_add(epochs,
					      epoch_json(result, &result->epochs[i].record));
	return epochs;
}

/* Set a figure; with several seeds, its mean and its spread. */
static void set_figure(struct json_object *object, const char *key, bool known,
		       u64 value_ppm, const struct result_spread *spread)
{
	if (!spread->known) {
		json_set(object, key, json_ppm_or_null(known, value_ppm));
		return;
	}
	json_set(object, key, json_ppm(spread->mean_ppm));
	spread_json(object, key, spread);
}

/* Set a whole number; with several seeds, the first seed's, with the mean beside it. */
static void set_cycles(struct json_object *object, u64 cycles,
		       const struct result_spread *spread)
{
	json_set(object, "cycles", json_u64(cycles));
	if (!spread->known)
		return;
	json_set(object, "cycles_mean", json_ppm(spread->mean_ppm));
	spread_json(object, "cycles", spread);
}

/* Null without a target; otherwise the target and whether it is met. */
static void set_target(struct json_object *object, const struct result *result,
		       const struct result_tenant *tenant)
{
	u64 target = tenant->options.target_ppm, np;

	json_set(object, "target", json_ppm_or_null(
		 tenant->options.service == SIMGPU_QOS, target));
	json_set(object, "target_met", !result_target_np(result, tenant, &np) ?
		 NULL : json_object_new_boolean(np >= target));
}

static void set_flag(struct json_object *object, const char *key,
		     const struct simgpu_tenant_report *report, u32 flag)
{
	json_set(object, key, json_object_new_boolean(!!(report->flags & flag)));
}

/* Limits of managed memory, in bytes, if it has any. */
static void set_limits(struct json_object *object,
		       const struct session_memory_limits *limits)
{
	if (!limits->min && !limits->low && !limits->max)
		return;
	json_set(object, "memory_min", json_u64(limits->min));
	json_set(object, "memory_low", json_u64(limits->low));
	json_set(object, "memory_max", json_u64(limits->max));
}

static struct json_object *tenant_json(const struct result *result, size_t index)
{
	const struct result_tenant *tenant = &result->tenants[index];
	const struct simgpu_tenant_report *report = &tenant->report;
	struct json_object *object = json_object_new_object();

	json_set_string(object, "name", tenant->options.name);
	json_set_checksum(object, "trace_checksum", tenant->checksum);
	json_set(object, "weight", json_u64(tenant->options.weight));
	set_target(object, result, tenant);
	set_limits(object, &tenant->options.memory);
	if (tenant->options.p99_cycles)
		json_set(object, "p99_cycles", json_u64(tenant->options.p99_cycles));
	json_set_string(object, "class", class_name(report->class));
	json_set(object, "instructions", json_u64(report->thread_instructions));
	set_cycles(object, report->cycles, &tenant->cycles);
	report_fields_json(object, report);
	/* With several seeds this is their mean. */
	set_figure(object, "ipc", report->cycles, report->ipc_ppm, &tenant->ipc);
	json_set(object, "sms_mean", json_ppm(result_mean_sms(result, index)));
	set_figure(object, "np_predicted", result_predicted(tenant),
		   report->np_run_ppm, &tenant->np_predicted);
	json_set(object, "np_predicted_doubts", result_predicted(tenant) ?
		 json_doubts(report->np_run_doubts) : NULL);
	/* A device does not tell. */
	json_set(object, "sms_draining", result_is_offline(result) ?
		 json_u64(tenant->draining) : NULL);
	json_set(object, "queues", queues_json(report->queue,
						report->queue_count));
	json_set(object, "preempted_blocks",
		 json_u64(tenant->counters[SIMGPU_COUNTER_PREEMPTED_BLOCKS]));
	json_set(object, "context_lines",
		 json_u64(tenant->counters[SIMGPU_COUNTER_CONTEXT_LINES]));
	if (result->truth)
		set_figure(object, "np_actual", tenant->actual_known,
			   tenant->np_actual_ppm, &tenant->np_actual);
	set_flag(object, "waits_for_memory", report, SIMGPU_REPORT_WAITS_FOR_MEMORY);
	set_flag(object, "waits_for_sms", report, SIMGPU_REPORT_WAITS_FOR_SMS);
	set_flag(object, "first_run_done", report, SIMGPU_REPORT_FIRST_RUN_DONE);
	json_set(object, "counters", counters_json(tenant));
	json_set(object, "epochs", epochs_json(result, index));
	return object;
}

/* Energy of each event in pJ and static power in mW, from which energies are computed */
static struct json_object *table_json(const struct energy_table *table)
{
	struct json_object *object = json_object_new_object();
	u32 i;

	for (i = 0; i < ENERGY_ENTRIES; i++)
		json_set(object, energy_entry_names[i],
			 json_u64(table->entry[i]));
	return object;
}

/* Energy of all tenants and of static power; null for a GPU without a table */
static void set_energy(struct json_object *object,
		       const struct settings *settings,
		       const struct result *result)
{
	const struct energy_table *table = energy_find(settings->config);
	const struct gpu_config *config = gpu_config_find(settings->config);
	struct device_report report = { 0 };
	u64 events_pj = 0, instructions = 0;
	size_t i;

	for (i = 0; i < result->tenant_count; i++) {
		events_pj = fixed_add(events_pj, result->tenants[i].report.energy_pj);
		instructions += result->tenants[i].counters[0];
	}
	if (table && config)
		device_report_energy(&report,
				     fixed_above(energy_static_pj(table, result->cycle,
								  config->core_mhz),
						 result->power.static_saved_pj),
				     events_pj, instructions);
	report_energies_json(object, &report);
	json_set(object, "energy_table", table ? table_json(table) : NULL);
}

static void set_truth(struct json_object *object, const struct result *result)
{
	const struct metrics *metrics = &result->metrics;

	set_figure(object, "stp", true, metrics->stp_ppm, &result->stp);
	/* It is infinite where somebody starves. */
	set_figure(object, "antt", metrics->antt_ppm, metrics->antt_ppm,
		   &result->antt);
	set_figure(object, "fairness", true, metrics->fairness_ppm,
		   &result->fairness);
	set_figure(object, "prediction_error", result->error_known,
		   result->error_ppm, &result->error);
}

/* Null if the NP of some tenant is not predicted */
static void set_predicted(struct json_object *object,
			  const struct result *result)
{
	const struct simgpu_metrics *metrics = &result->predicted;
	bool known = result->predicted_known;
	u32 doubts = 0;
	size_t i;

	for (i = 0; i < result->tenant_count; i++)
		doubts |= result->tenants[i].report.np_run_doubts;
	set_figure(object, "stp_predicted", known, metrics->stp_ppm,
		   &result->stp_predicted);
	set_figure(object, "antt_predicted", known && metrics->antt_ppm,
		   metrics->antt_ppm,
		   &result->antt_predicted);
	set_figure(object, "fairness_predicted", known, metrics->fairness_ppm,
		   &result->fairness_predicted);
	json_set(object, "predicted_doubts", known ? json_doubts(doubts) : NULL);
}

/* NULL if nothing was refused */
static struct json_object *refusal_json(const struct session_refusal *why)
{
	struct json_object *object;

	if (why->kind == SESSION_REFUSED_NOTHING)
		return NULL;
	object = json_object_new_object();
	json_set_string(object, "kind", session_refusal_names[why->kind]);
	json_set(object, "code", json_object_new_int(why->code));
	json_set(object, "cycle", json_u64(why->cycle));
	json_set(object, "slot", why->slot == SESSION_NOWHERE ? NULL :
				 json_u64(why->slot));
	json_set(object, "sm", why->sm == SESSION_NOWHERE ? NULL :
			       json_u64(why->sm));
	json_set_string(object, "field", why->field);
	json_set_string(object, "reason", why->reason);
	return object;
}

static u64 cycles_per_second_ppm(const struct result *result)
{
	return fixed_mul_div(result->cycle, 1000000000ULL * SIMGPU_PPM,
			     result->wall_ns);
}

/* "policy_params" and "model_params". */
static void set_params(struct json_object *object,
		       const struct settings *settings,
		       const struct result *result)
{
	if (result_is_offline(result)) {
		made_by_params_json(object, settings);
		return;
	}
	json_set(object, "policy_params",
		 json_object_get(result->policy_params));
	if (result->memory_params)
		json_set(object, "memory_params",
			 json_object_get(result->memory_params));
	json_set(object, "model_params", json_object_get(result->model_params));
}

int print_result_json(const struct settings *settings,
		      const struct result *result)
{
	const struct gpu_config *config = settings_config(settings);
	struct json_object *object = json_object_new_object();
	struct json_object *tenants = json_object_new_array();
	size_t i;

	json_set_string(object, "version", made_by_version());
	json_set_string(object, "config", settings->config);
	/* Cycles a microsecond: deadlines are in the former, latencies in the latter. */
	json_set(object, "core_mhz", config ? json_u64(config->core_mhz) : NULL);
	json_set_string(object, "policy", settings->policy);
	json_set_string(object, "model", settings->model);
	set_cycles(object, result->cycle, &result->cycles_spread);
	json_set(object, "seeds", json_u64(result->seeds ? result->seeds : 1));
	made_by_settings_json(object, settings);
	json_set(object, "sms_most", settings->session.sms_most ?
		 json_u64(settings->session.sms_most) : NULL);
	set_params(object, settings, result);
	if (settings->constants)
		json_set_checksum(object, "constants_checksum",
				  port_crc32(0, settings->constants,
					     settings->constants_bytes));
	for (i = 0; i < result->tenant_count; i++)
		json_object_array_add(tenants, tenant_json(result, i));
	json_set(object, "tenants", tenants);
	set_energy(object, settings, result);
	set_predicted(object, result);
	if (result->truth)
		set_truth(object, result);
	json_set(object, "partial", json_object_new_boolean(result->partial));
	json_set(object, "refused", json_object_new_boolean(result->refused));
	json_set(object, "last_refusal", refusal_json(&result->refusal));
	json_set(object, "state_hash", json_hex(result->state_hash));
	json_set(object, "leaps", json_u64(result->sampling.leaps));
	json_set(object, "leapt_cycles", json_u64(result->sampling.leapt_cycles));
	if (*result->memory.policy)
		json_set(object, "memory", memory_json(settings, result));
	if (result->power.used)
		json_set(object, "power", power_json(result));
	json_set(object, "wall_seconds", json_ppm(result->wall_ns / 1000));
	json_set(object, "cycles_per_second",
		 json_ppm(cycles_per_second_ppm(result)));
	json_set_string(object, "device", result->device);
	/* A device does not report these. */
	json_set(object, "quota_checks", json_u64(result->quota_checks));
	json_set(object, "quota_overruns", json_u64(result->quota_overruns));
	if (result->failures.found)
		json_set(object, "failures", failures_json(result));
	if (result->notes_wanted)
		json_set(object, "notes", notes_json(result));
	json_set(object, "kernels", kernels_json(result));
	json_set(object, "kernels_lost", json_u64(result->kernels_lost));
	return json_print(object);
}

/* --- CSV --- */

/* A name may have any printable letters, also commas and quotes. */
static void print_csv_name(const char *name)
{
	putchar('"');
	for (; *name; name++) {
		if (*name == '"')
			putchar('"');
		putchar(*name);
	}
	putchar('"');
}

/* Of a tenant's whole first run, in each of its rows. */
static void print_csv_truth(const struct result_tenant *tenant)
{
	csv_ppm(stdout, result_predicted(tenant), tenant->report.np_run_ppm);
	csv_ppm(stdout, tenant->actual_known, tenant->np_actual_ppm);
	csv_ppm(stdout, result_error(tenant), tenant->error_ppm);
}

static void print_csv_epoch(const struct result *result,
			    const struct result_epoch *epoch)
{
	const struct result_tenant *tenant = &result->tenants[epoch->tenant];
	const struct epoch_row row = epoch_row(result, &epoch->record);
	char doubts[ROW_SM_LIST_BYTES];

	printf("%u,", epoch->tenant);
	print_csv_name(tenant->options.name);
	csv_fields(stdout, epoch_fields, &row);
	csv_fields(stdout, epoch_csv_fields, &row);
	doubts_text(row.record.np_doubts, doubts);
	printf(",\"%s\"", row.np_known ? doubts : "");
	if (result->power.used)
		csv_fields(stdout, epoch_power_fields, &row);
	if (result->truth)
		print_csv_truth(tenant);
	print_gauges_csv(result, &epoch->record);
	putchar('\n');
}

int print_result_csv(const struct result *result)
{
	size_t i;

	fputs("tenant,name", stdout);
	csv_headings(stdout, epoch_fields);
	csv_headings(stdout, epoch_csv_fields);
	fputs(",np_doubts", stdout);
	if (result->power.used)
		csv_headings(stdout, epoch_power_fields);
	fputs(result->truth ? ",np_predicted,np_actual,error" : "", stdout);
	print_gauges_heading(result);
	putchar('\n');
	for (i = 0; i < result->epoch_count; i++)
		print_csv_epoch(result, &result->epochs[i]);
	return flush_output();
}

/* --- tables --- */

/* Print the settings that are left out if they are 0. */
static void print_settings(const struct session_options *session)
{
	const char *before = "settings: ";

	session_for_each_setting(setting) {
		u64 value = session_setting_get(setting, session);

		if (!value || !(setting->flags & SESSION_SETTING_UNSAID_0))
			continue;
		printf("%s%s %llu", before, setting->name, value);
		before = ", ";
	}
	if (*before == ',')
		putchar('\n');
}

static void print_heading(const struct settings *settings,
			  const struct result *result)
{
	struct json_object *object = json_object_new_object();
	char *params;

	set_params(object, settings, result);
	params = made_by_params_text(object);
	json_object_put(object);
	print_paragraph("simgpu %s, %s, %s: policy %s, model %s, epochs of %llu cycles, seed %llu, kernel end %s, preemption %s",
			made_by_version(), settings->config, result->device, settings->policy,
			settings->model, settings->session.epoch_cycles,
			settings->session.seed,
			session_kernel_ends[settings->session.kernel_end],
			session_preemptions[settings->session.preemption]);
	if (params)
		print_paragraph("parameters: %s", params);
	free(params);
	if (settings->session.sms_most)
		printf("at most %u SMs for a tenant\n", settings->session.sms_most);
	print_settings(&settings->session);
	printf("%llu cycles in %.2f s (%.0f a second), state hash 0x%016llx\n\n",
	       result->cycle, (double)result->wall_ns / 1e9,
	       (double)cycles_per_second_ppm(result) / SIMGPU_PPM,
	       result->state_hash);
}

static void print_tenants(const struct result *result)
{
	struct table *table = table_new(result->truth ?
		"TENANT|CLASS|>SMS|>IPC|>RBH|>BANDWIDTH|>MPKI|>NP|>ACTUAL|>ERROR" :
		"TENANT|CLASS|>SMS|>IPC|>RBH|>BANDWIDTH|>MPKI|>NP");
	size_t i;

	for (i = 0; i < result->tenant_count; i++) {
		const struct result_tenant *tenant = &result->tenants[i];
		const struct simgpu_tenant_report *report = &tenant->report;
		bool predicted = result_predicted(tenant);

		table_row(table, "%u:%s|%s|%.1f|%.1f|%.3f|%.3f|%.2f", tenant->slot,
			  tenant->options.name, class_name(report->class),
			  ppm_ratio(result_mean_sms(result, i)),
			  ppm_ratio(report->ipc_ppm), ppm_ratio(report->rbh_ppm),
			  ppm_ratio(report->bandwidth_ppm),
			  ppm_ratio(report->llc_mpki_ppm));
		table_np(table, predicted, report->np_run_ppm,
			 report->np_run_doubts);
		if (!result->truth)
			continue;
		table_ppm(table, tenant->actual_known, tenant->np_actual_ppm,
			  3);
		table_ppm(table, result_error(tenant), tenant->error_ppm, 3);
	}
	table_print(table);
	if (!result->truth)
		return;
	printf("\nSTP %.3f, ", (double)result->metrics.stp_ppm / SIMGPU_PPM);
	if (result->metrics.antt_ppm)
		printf("ANTT %.3f", (double)result->metrics.antt_ppm / SIMGPU_PPM);
	else
		fputs("ANTT -", stdout);
	printf(", fairness %.3f", (double)result->metrics.fairness_ppm / SIMGPU_PPM);
	if (result->error_known)
		printf(", prediction error %.3f",
		       (double)result->error_ppm / SIMGPU_PPM);
	putchar('\n');
}

/* Whether some tenant has more than its one first launch */
static bool has_arrivals(const struct result *result)
{
	size_t i;

	for (i = 0; i < result->tenant_count; i++)
		if (result->tenants[i].report.launches > 1 ||
		    result->tenants[i].report.launches_waiting)
			return true;
	return false;
}

static void table_us(struct table *table, bool known, u64 ns)
{
	table_ppm(table, known, ns * (SIMGPU_PPM / 1000), 1);
}

/* How long tenants waited for SMs on which others had thread blocks. */
static void print_preemption(const struct result *result)
{
	size_t i;

	for (i = 0; i < result->tenant_count; i++) {
		const struct result_tenant *tenant = &result->tenants[i];
		const struct simgpu_tenant_report *report = &tenant->report;

		if (report->preempt_mean_ns)
			printf("%u:%s waited for SMs of others %.1f us in the mean, %.1f us for 99 of 100.\n",
			       tenant->slot, tenant->options.name,
			       (double)report->preempt_mean_ns / 1e3,
			       (double)report->preempt_p99_ns / 1e3);
	}
}

/* Copies of launches, and what crossed the link; pages that did are in the table of memory. */
static void print_copies(const struct result *result)
{
	struct table *table = table_new(
		"TENANT|>COPIED IN MiB|>COPIED OUT MiB|>COPIES|>WAITING|>RUNNING|>MEAN WAIT|>P99 us");
	bool any = false;
	size_t i;

	for (i = 0; i < result->tenant_count; i++) {
		const struct result_tenant *tenant = &result->tenants[i];
		const struct simgpu_tenant_report *report = &tenant->report;

		if (!report_has_copies(report))
			continue;
		any = true;
		table_row(table, "%u:%s|%.1f|%.1f|%llu|%llu|%llu", tenant->slot,
			  tenant->options.name,
			  (double)tenant->counters[SIMGPU_COUNTER_COPIED_IN_BYTES] / (1 << 20),
			  (double)tenant->counters[SIMGPU_COUNTER_COPIED_OUT_BYTES] / (1 << 20),
			  report->copies, report->copies_waiting, report->copies_running);
		table_us(table, report->copies, report->copy_wait_mean_ns);
		table_us(table, report->copies, report->copy_wait_p99_ns);
	}
	if (any) {
		putchar('\n');
		table_print(table);
	} else {
		table_free(table);
	}
}

/* Times to first tokens and between tokens, of those whose traces have such marks. */
static void print_tokens(const struct result *result)
{
	struct table *table = table_new(
		"TENANT|>FIRST TOKENS|>MEAN us|>P50 us|>P99 us|>TOKENS|>MEAN us|>P50 us|>P99 us|>BATCH");
	bool any = false;
	size_t i;

	for (i = 0; i < result->tenant_count; i++) {
		const struct result_tenant *tenant = &result->tenants[i];
		const struct simgpu_tenant_report *report = &tenant->report;

		if (!report->first_tokens && !report->tokens)
			continue;
		any = true;
		table_cell(table, "%u:%s", tenant->slot, tenant->options.name);
		table_cell(table, "%llu", report->first_tokens);
		table_us(table, report->first_tokens, report->ttft_mean_ns);
		table_us(table, report->first_tokens, report->ttft_p50_ns);
		table_us(table, report->first_tokens, report->ttft_p99_ns);
		table_cell(table, "%llu", report->tokens);
		table_us(table, report->tokens, report->tbt_mean_ns);
		table_us(table, report->tokens, report->tbt_p50_ns);
		table_us(table, report->tokens, report->tbt_p99_ns);
		table_ppm(table, report->batch_mean_ppm, report->batch_mean_ppm, 2);
	}
	if (any) {
		putchar('\n');
		table_print(table);
	} else {
		table_free(table);
	}
}

static void print_latencies(const struct settings *settings,
			    const struct result *result)
{
	const struct gpu_config *config = settings_config(settings);
	struct table *table = table_new(
		"TENANT|>LAUNCHES|>WAITING|>P50 us|>P95 us|>P99 us|>MEAN WAIT|>MEAN RUN|>MISSES|>GOODPUT/s");
	size_t i;

	for (i = 0; i < result->tenant_count; i++) {
		const struct result_tenant *tenant = &result->tenants[i];
		const struct simgpu_tenant_report *report = &tenant->report;
		bool known = report->launches;

		table_cell(table, "%u:%s", tenant->slot, tenant->options.name);
		table_cell(table, "%llu", report->launches);
		table_cell(table, "%llu%s", report->launches_waiting,
			   report->launches_waiting == SIMGPU_WAITING_MAX ?
			   "+" : "");
		table_us(table, known, report->latency_p50_ns);
		table_us(table, known, report->latency_p95_ns);
		table_us(table, known, report->latency_p99_ns);
		table_us(table, known, report->wait_mean_ns);
		table_us(table, known, report->run_mean_ns);
		table_cell(table, "%llu", report->deadline_misses);
		table_ppm(table, known, report->goodput_ppm, 1);
	}
	putchar('\n');
	table_print(table);
	if (config)
		printf("Deadlines are in core cycles, %u of which are a microsecond.\n",
		       config->core_mhz);
	print_preemption(result);
}

/* Whose figures these are not. */
static void print_refused(const struct settings *settings,
			  const struct result *result)
{
	const char *where = result->seeds ? " with some seed" : "";
	const struct session_refusal *why = &result->refusal;

	if (!result->refused)
		return;
	if (why->kind == SESSION_REFUSED_PREDICT)
		print_paragraph("REFUSED:%s the model %s failed, or asked for what cannot be done: what is predicted is not all that it was asked for.",
				where, settings->model);
	else
		print_paragraph("REFUSED:%s %s was refused at cycle %llu, and even ran in its place: from there on the figures are not those of %s.",
				where, settings->policy, result->refused_from,
				settings->policy);
	putchar('\n');
}

int print_result(const struct settings *settings, const struct result *result,
		 bool kernels)
{
	print_heading(settings, result);
	if (result->partial)
		printf("PARTIAL: the run was stopped before its end; the figures are of what there was.\n\n");
	print_refused(settings, result);
	print_tenants(result);
	print_notes(settings, result);
	if (*result->memory.policy)
		print_memory(settings, result);
	if (result_has_failures(result))
		print_failures(result);
	if (result->power.used)
		print_power(settings, result);
	if (has_arrivals(result))
		print_latencies(settings, result);
	print_tokens(result);
	print_copies(result);
	if (result->seeds)
		print_seeds(settings, result);
	if (kernels)
		print_kernels(result);
	if (result->epoch_count)
		print_epochs(result);
	print_gauges(result);
	if (result->notes_wanted)
		print_policy_notes(result);
	return flush_output();
}
