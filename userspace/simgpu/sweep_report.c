// SPDX-License-Identifier: GPL-2.0
/*
 * What follows from the runs of a sweep: each tenant's actual NP and the model's
 * error, what the error is made of, and the means over the suite.
 */
#include "output.h"
#include "sweep.h"

/**
 * struct verdict - a tenant's run beside its private one; all in ppm
 * @np: actual, over the first run (definitions.md, NP)
 * @np_late: actual, after the warm-up; 0 if the first run ended in it
 * @error: |predicted - actual| / actual
 * @error_class: the whole error, if the class is not that of the private run
 * @error_line: else for a memory-bound tenant: how far the line at the private
 *	RBH is from the private utilization
 * @error_drift: and what the change of RBH moves along the line
 * @error_rest: what is left with the true private utilization in place of the
 *	line (Eq. 5), or the true proportion of SMs (Eq. 4)
 */
struct verdict {
	bool known;
	u64 np;
	u64 np_late;
	u64 error;
	u64 error_class;
	u64 error_line;
	u64 error_drift;
	u64 error_rest;
};

static u64 relative(u64 value, u64 truth)
{
	return fixed_ratio_ppm(value > truth ? value - truth : truth - value,
			       truth);
}

static u64 line_ppm(const u64 *params, u64 rbh_ppm)
{
	return params[HSM_C2] +
	       fixed_mul_div(params[HSM_C1], rbh_ppm, SIMGPU_PPM);
}

static void split_error(const u64 *params,
			const struct sweep_tenant *tenant, u32 sms,
			struct verdict *out)
{
	const struct session_figures *alone = &tenant->alone.figures;
	u64 line = line_ppm(params, alone->rbh_ppm), np;

	if (tenant->class != tenant->alone.class) {
		out->error_class = out->error;
	} else if (tenant->class == SIMGPU_CLASS_MEMORY) {
		out->error_line = relative(line, alone->bandwidth_ppm);
		out->error_drift =
			relative(line_ppm(params, tenant->rbh_ppm), line);
		np = fixed_ratio_ppm(tenant->bandwidth_ppm,
				     alone->bandwidth_ppm);
		out->error_rest = relative(np, out->np);
	} else {
		out->error_rest = relative(tenant->sms_milli * 1000 / sms,
					   out->np);
	}
}

static struct verdict judge(const struct session_options *options,
			    const struct sweep_tenant *tenant)
{
	struct verdict verdict = { .known = false };

	if (!tenant->instructions || !tenant->alone.cycles)
		return verdict;
	verdict.np = fixed_ratio_ppm(tenant->alone.cycles, tenant->cycles);
	if (tenant->late_cycles)
		verdict.np_late =
			fixed_ratio_ppm(tenant->alone.cycles -
					tenant->alone_late.cycles,
					tenant->cycles - tenant->late_cycles);
	verdict.known = tenant->np_predicted_ppm != 0;
	if (!verdict.known)
		return verdict;
	verdict.error = relative(tenant->np_predicted_ppm, verdict.np);
	split_error(options->model_params, tenant, options->config.sms, &verdict);
	return verdict;
}

/* --- sweep.csv --- */

static void print_tenant(FILE *file, const struct sweep_run *run, u32 slot,
			 const struct verdict *verdict)
{
	const struct sweep_tenant *tenant = &run->tenants[slot];
	const struct session_tenant_options *options = &run->mix->options[slot];
	const struct session_figures *alone = &tenant->alone.figures;

	fprintf(file, "%s,%s,%s,%u,%s,%s,%s", run->policy, run->mix->name,
		mix_category_name(run->mix->category), slot, options->name,
		class_name((u32)tenant->class),
		class_name((u32)tenant->alone.class));
	csv_ppm(file, options->service == SIMGPU_QOS, options->target_ppm);
	fprintf(file, ",%llu,%llu,%llu", tenant->instructions, tenant->cycles,
		tenant->alone.cycles);
	csv_ppm(file, true, tenant->sms_milli * 1000);
	csv_ppm(file, tenant->np_predicted_ppm, tenant->np_predicted_ppm);
	csv_ppm(file, verdict->np, verdict->np);
	csv_ppm(file, verdict->np_late, verdict->np_late);
	csv_ppm(file, verdict->known, verdict->error);
	csv_ppm(file, verdict->known, verdict->error_class);
	csv_ppm(file, verdict->known, verdict->error_line);
	csv_ppm(file, verdict->known, verdict->error_drift);
	csv_ppm(file, verdict->known, verdict->error_rest);
	csv_ppm(file, true, tenant->ipc_ppm);
	csv_ppm(file, true, alone->ipc_ppm);
	csv_ppm(file, true, tenant->rbh_ppm);
	csv_ppm(file, true, alone->rbh_ppm);
	csv_ppm(file, true, tenant->bandwidth_ppm);
	csv_ppm(file, true, alone->bandwidth_ppm);
	csv_ppm(file, true, tenant->llc_mpki_ppm);
	csv_ppm(file, true, alone->llc_mpki_ppm);
	fprintf(file, ",%llu,%016llx\n", tenant->first_run_done,
		run->state_hash);
}

static const char csv_header[] =
	"policy,mix,category,slot,workload,class,class_alone,target,"
	"instructions,cycles,cycles_alone,sms,np_predicted,np_actual,np_late,"
	"error,error_class,error_line,error_drift,error_rest,"
	"ipc,ipc_alone,rbh,rbh_alone,bandwidth,bandwidth_alone,"
	"llc_mpki,llc_mpki_alone,first_run_done,state_hash\n";

/* --- means --- */

/**
 * struct mean - a sum on its way to a mean, and the greatest part of it
 */
struct mean {
	u64 sum;
	u64 count;
	u64 greatest;
};

static void mean_add(struct mean *mean, u64 value)
{
	mean->sum = fixed_add(mean->sum, value);
	mean->count++;
	if (value > mean->greatest)
		mean->greatest = value;
}

static u64 mean_of(const struct mean *mean)
{
	return mean->count ? mean->sum / mean->count : 0;
}

/**
 * struct summary - a policy over mixes
 * @error: over tenants; as are the parts that it is made of
 * @error_mix: over mixes, each the mean of its tenants
 * @qos_mixes: that have a tenant with a target
 * @qos_met: of these, where its actual NP reached it after the warm-up
 * @qos_np: that NP
 */
struct summary {
	const char *policy;
	u32 mixes;
	struct mean fairness;
	struct mean stp;
	struct mean antt;
	struct mean error;
	struct mean error_mix;
	struct mean error_class;
	struct mean error_line;
	struct mean error_drift;
	struct mean error_rest;
	u32 qos_mixes;
	u32 qos_met;
	struct mean qos_np;
};

static void add_tenant(struct summary *summary,
		       const struct session_tenant_options *options,
		       const struct verdict *verdict)
{
	if (verdict->known) {
		mean_add(&summary->error, verdict->error);
		mean_add(&summary->error_class, verdict->error_class);
		mean_add(&summary->error_line, verdict->error_line);
		mean_add(&summary->error_drift, verdict->error_drift);
		mean_add(&summary->error_rest, verdict->error_rest);
	}
	if (options->service == SIMGPU_QOS && verdict->np_late) {
		summary->qos_mixes++;
		summary->qos_met += verdict->np_late >= options->target_ppm;
		mean_add(&summary->qos_np, verdict->np_late);
	}
}

static void add_run(struct summary *summary, const struct sweep_run *run,
		    const struct verdict *verdicts)
{
	struct mean error = { 0 };
	struct metrics metrics;
	u64 nps[MIX_TENANTS_MAX];
	u32 known = 0, slot;

	for (slot = 0; slot < run->mix->count; slot++) {
		add_tenant(summary, &run->mix->options[slot], &verdicts[slot]);
		if (verdicts[slot].known)
			mean_add(&error, verdicts[slot].error);
		if (verdicts[slot].np)
			nps[known++] = verdicts[slot].np;
	}
	summary->policy = run->policy;
	summary->mixes++;
	metrics_compute(nps, known, &metrics);
	mean_add(&summary->fairness, metrics.fairness_ppm);
	mean_add(&summary->stp, metrics.stp_ppm);
	mean_add(&summary->antt, metrics.antt_ppm);
	if (error.count)
		mean_add(&summary->error_mix, mean_of(&error));
}

/* --- output --- */

static struct json_object *summary_json(const struct summary *summary)
{
	struct json_object *object = json_object_new_object();
	bool error = summary->error.count, qos = summary->qos_mixes;

	json_set(object, "mixes", json_u64(summary->mixes));
	json_set(object, "fairness", json_ppm(mean_of(&summary->fairness)));
	json_set(object, "stp", json_ppm(mean_of(&summary->stp)));
	json_set(object, "antt", json_ppm(mean_of(&summary->antt)));
	json_set(object, "error_mean",
		 json_ppm_or_null(error, mean_of(&summary->error)));
	json_set(object, "error_max",
		 json_ppm_or_null(error, summary->error.greatest));
	json_set(object, "error_mix_mean",
		 json_ppm_or_null(error, mean_of(&summary->error_mix)));
	json_set(object, "error_mix_max",
		 json_ppm_or_null(error, summary->error_mix.greatest));
	json_set(object, "error_class",
		 json_ppm_or_null(error, mean_of(&summary->error_class)));
	json_set(object, "error_line",
		 json_ppm_or_null(error, mean_of(&summary->error_line)));
	json_set(object, "error_drift",
		 json_ppm_or_null(error, mean_of(&summary->error_drift)));
	json_set(object, "error_rest",
		 json_ppm_or_null(error, mean_of(&summary->error_rest)));
	json_set(object, "qos_mixes", json_u64(summary->qos_mixes));
	json_set(object, "qos_met", json_u64(summary->qos_met));
	json_set(object, "qos_np",
		 json_ppm_or_null(qos, mean_of(&summary->qos_np)));
	return object;
}

/* The whole suite in slot MIX_CATEGORIES, after its categories. */
typedef struct summary policy_summary[MIX_CATEGORIES + 1];

static int print_json(const struct sweep *sweep, policy_summary *summaries)
{
	const struct settings *settings = &sweep->experiment.settings;
	struct json_object *object = json_object_new_object();
	struct json_object *array = json_object_new_array();
	u32 i, k;

	json_set_string(object, "config", settings->config);
	json_set_string(object, "suite", sweep->suite_name);
	json_set_string(object, "model", settings->model);
	json_set(object, "cycles", json_u64(settings->cycles));
	json_set(object, "epoch_cycles", json_u64(settings->epoch_cycles));
	json_set(object, "warmup_cycles", json_u64(sweep->warmup_cycles));
	json_set(object, "seed", json_u64(settings->seed));
	for (i = 0; i < sweep->policy_count; i++) {
		struct json_object *policy =
			summary_json(&summaries[i][MIX_CATEGORIES]);
		struct json_object *categories = json_object_new_object();

		json_set_string(policy, "policy", sweep->policies[i]);
		for (k = 0; k < MIX_CATEGORIES; k++)
			if (summaries[i][k].mixes)
				json_set(categories, mix_category_name(k),
					 summary_json(&summaries[i][k]));
		json_set(policy, "categories", categories);
		json_object_array_add(array, policy);
	}
	json_set(object, "policies", array);
	return json_print(object);
}

static void print_summary(struct table *table, const char *policy,
			  const char *category, const struct summary *summary)
{
	bool error = summary->error.count;

	table_cell(table, "%s", policy);
	table_cell(table, "%s", category);
	table_cell(table, "%u", summary->mixes);
	table_ppm(table, true, mean_of(&summary->fairness), 3);
	table_ppm(table, true, mean_of(&summary->stp), 3);
	table_ppm(table, true, mean_of(&summary->antt), 3);
	table_ppm(table, error, mean_of(&summary->error), 4);
	table_ppm(table, error, summary->error.greatest, 4);
	if (summary->qos_mixes)
		table_cell(table, "%u/%u", summary->qos_met,
			   summary->qos_mixes);
	else
		table_cell(table, "-");
	table_ppm(table, summary->qos_mixes, mean_of(&summary->qos_np), 3);
}

static int print_table(const struct sweep *sweep, policy_summary *summaries)
{
	struct table *table = table_new(
		"POLICY|MIXES OF|>COUNT|>FAIRNESS|>STP|>ANTT|>ERROR|>MAX|>TARGET MET|>ITS NP");
	u32 i, k;

	for (i = 0; i < sweep->policy_count; i++) {
		for (k = 0; k < MIX_CATEGORIES; k++)
			if (summaries[i][k].mixes)
				print_summary(table, sweep->policies[i],
					      mix_category_name(k),
					      &summaries[i][k]);
		print_summary(table, sweep->policies[i], "all",
			      &summaries[i][MIX_CATEGORIES]);
	}
	table_print(table);
	return STATUS_OK;
}

static void print_means_csv(const char *policy, const char *category,
			    const struct summary *summary)
{
	bool error = summary->error.count;

	printf("%s,%s,%u", policy, category, summary->mixes);
	csv_ppm(stdout, true, mean_of(&summary->fairness));
	csv_ppm(stdout, true, mean_of(&summary->stp));
	csv_ppm(stdout, true, mean_of(&summary->antt));
	csv_ppm(stdout, error, mean_of(&summary->error));
	csv_ppm(stdout, error, summary->error.greatest);
	printf(",%u,%u", summary->qos_mixes, summary->qos_met);
	csv_ppm(stdout, summary->qos_mixes, mean_of(&summary->qos_np));
	putchar('\n');
}

static int print_csv(const struct sweep *sweep, policy_summary *summaries)
{
	u32 i, k;

	puts("policy,category,mixes,fairness,stp,antt,error_mean,error_max,"
	     "qos_mixes,qos_met,qos_np");
	for (i = 0; i < sweep->policy_count; i++) {
		for (k = 0; k < MIX_CATEGORIES; k++)
			if (summaries[i][k].mixes)
				print_means_csv(sweep->policies[i],
						mix_category_name(k),
						&summaries[i][k]);
		print_means_csv(sweep->policies[i], "all",
				&summaries[i][MIX_CATEGORIES]);
	}
	return flush_output();
}

static int write_rows(const struct sweep *sweep, FILE *file,
		      policy_summary *summaries)
{
	struct settings settings = sweep->experiment.settings;
	struct session_options options;
	u32 i, slot;

	strcpy(settings.policy, sweep->policies[0]);
	if (settings_options(&settings, &options))
		return STATUS_FAILED;
	fputs(csv_header, file);
	for (i = 0; i < sweep->run_count; i++) {
		const struct sweep_run *run = &sweep->runs[i];
		struct summary *policy = summaries[i / sweep->suite.mix_count];
		struct verdict verdicts[MIX_TENANTS_MAX];

		for (slot = 0; slot < run->mix->count; slot++) {
			verdicts[slot] = judge(&options, &run->tenants[slot]);
			print_tenant(file, run, slot, &verdicts[slot]);
		}
		add_run(&policy[run->mix->category], run, verdicts);
		add_run(&policy[MIX_CATEGORIES], run, verdicts);
	}
	return STATUS_OK;
}

int sweep_report(const struct sweep *sweep)
{
	policy_summary *summaries = calloc(sweep->policy_count,
					   sizeof(*summaries));
	char path[4096];
	FILE *file;
	int ret;

	snprintf(path, sizeof(path), "%s/sweep.csv", sweep->folder);
	file = fopen(path, "w");
	if (!file || !summaries) {
		ret = fail("%s: %s", path, strerror(errno));
		if (file)
			fclose(file);
		free(summaries);
		return ret;
	}
	ret = write_rows(sweep, file, summaries);
	if (ferror(file) | fclose(file))
		ret = fail("%s: %s", path, strerror(errno));
	if (!ret && sweep->json)
		ret = print_json(sweep, summaries);
	else if (!ret && sweep->csv)
		ret = print_csv(sweep, summaries);
	else if (!ret)
		ret = print_table(sweep, summaries);
	free(summaries);
	return ret;
}
