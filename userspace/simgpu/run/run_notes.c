// SPDX-License-Identifier: GPL-2.0
/* Notes below a run's table: a line for each thing that the figures do not show. */
#include "../output.h"
#include "../plugin.h"
#include "../report_fields.h"
#include "../table.h"
#include "result.h"
#include "run.h"
#include "run_notes.h"

/* Whether some kernel of a tenant runs, or could. */
static bool has_kernel(const struct simgpu_tenant_report *report)
{
	u32 i;

	for (i = 0; i < report->queue_count; i++)
		if (report->queue[i].state >= SIMGPU_QUEUE_READY)
			return true;
	return false;
}

/* Why a tenant has no SM; NULL: it has SMs or no work. */
static const char *why_none(const struct simgpu_tenant_report *report)
{
	if (report->flags & SIMGPU_REPORT_WAITS_FOR_MEMORY)
		return "it waits for memory";
	if (report->flags & SIMGPU_REPORT_WAITS_FOR_SMS)
		return "others have all";
	if (!has_kernel(report))
		return NULL;
	return report->flags & SIMGPU_REPORT_HELD ? "the policy holds it" :
						    "the policy gave it none";
}

static u32 count_epochs(const struct result *result, size_t tenant, u32 flag)
{
	u32 count = 0;
	size_t i;

	for (i = 0; i < result->epoch_count; i++)
		count += result->epochs[i].tenant == tenant &&
			 (result->epochs[i].record.flags & flag) == flag;
	return count;
}

static void note_prediction(const struct settings *settings,
			    const struct result *result, size_t index)
{
	const struct result_tenant *tenant = &result->tenants[index];

	if (result_predicted(tenant))
		return;
	if (!tenant->counters[SIMGPU_COUNTER_THREAD_INSTRUCTIONS])
		print_paragraph("%u:%s has no NP: it has executed nothing.%s",
				tenant->slot, tenant->options.name,
				!tenant->trace || !tenant->trace->command_count ? "" :
				" Its trace has commands: copies, waits and delays may come before its first kernel (simgpu trace dump --commands).");
	else if (!count_epochs(result, index, 0) && result->epoch_count)
		print_paragraph("%u:%s has no NP: it had no work at the end of any epoch.",
				tenant->slot, tenant->options.name);
	else if (!count_epochs(result, index, 0))
		print_paragraph("%u:%s has no NP: the run ended before an epoch of %llu cycles did (--epoch).",
				tenant->slot, tenant->options.name,
				settings->session.epoch_cycles);
	else if (!count_epochs(result, index, SIMGPU_EPOCH_PREDICTED))
		print_paragraph("%u:%s has no NP: none of its epochs was as long as a fifth of %llu cycles (--epoch), and shorter ones are not predicted.",
				tenant->slot, tenant->options.name,
				settings->session.epoch_cycles);
	else
		print_paragraph("%u:%s has no NP: the model %s could tell none from its epochs.",
				tenant->slot, tenant->options.name,
				settings->model);
}

/* Why a predicted NP is marked with '~'. */
static void note_doubts(const struct result_tenant *tenant)
{
	static const char *const reasons[SESSION_DOUBTS] = {
		"it had SMs that it shared with others, for which the model does not hold",
		"the policy held its work for a time, which the model does not see",
		"its SMs wait for memory that others use more, and the model takes it to be held up by its SMs",
		"in some epoch it issued nothing, and what the model had said before was kept",
	};
	u32 i;

	for (i = 0; result_predicted(tenant) && i < SESSION_DOUBTS; i++)
		if (tenant->report.np_run_doubts >> i & 1)
			print_paragraph("~ The predicted NP of %u:%s may be wrong (%s): %s.",
					tenant->slot, tenant->options.name,
					session_doubt_names[i], reasons[i]);
}

/* For a model with private runs, which have no copies. */
static void note_copies(const struct settings *settings, const struct result_tenant *tenant)
{
	const struct simgpu_model *model = plugin_find_model(settings->model);

	if (model && model->needs & SIMGPU_NEEDS_PRIVATE_RUNS && result_predicted(tenant) &&
	    report_has_copies(&tenant->report))
		print_paragraph("The NP that %s says of %u:%s is of its kernels alone: the private run beside it has none of its copies, neither their time nor their lines.",
				model->name, tenant->slot, tenant->options.name);
}

/* For a policy that uses profiles: which kernels have none. */
static void note_profiles(const struct settings *settings,
			  const struct result_tenant *tenant)
{
	const struct simgpu_policy *policy = plugin_find_policy(settings->policy);
	const struct gpu_config *config = settings_config(settings);
	const struct trace *trace = tenant->trace;
	u32 missing = 0, i;

	if (!policy || !(policy->needs & SIMGPU_NEEDS_PROFILES) || !config ||
	    !trace)
		return;
	for (i = 0; i < trace->kernel_count; i++)
		missing += !trace_profile(trace, config->name, config->sms, i);
	if (missing)
		print_paragraph("%u:%s has no profile for %s of %u of its kernels, and %s does without; simgpu profile --config %s --out FILE makes them.",
				tenant->slot, tenant->options.name,
				config->name, missing, policy->name,
				config->name);
}

/* For SMs that still wait for thread blocks to end before they change hands. */
static void note_sms(const struct result *result, size_t index)
{
	const struct result_tenant *tenant = &result->tenants[index];
	const struct simgpu_tenant_report *report = &tenant->report;
	const char *why = why_none(report);

	if (!report->sms && !report->shared_sms && why)
		print_paragraph("%u:%s has no SM at the end: %s.", tenant->slot,
				tenant->options.name, why);
	if (tenant->draining)
		print_paragraph("%u:%s is still to give up %u SMs at the end: its thread blocks on them drain.",
				tenant->slot, tenant->options.name,
				tenant->draining);
}

static void note_promises(const struct result *result, size_t index)
{
	const struct result_tenant *tenant = &result->tenants[index];
	const struct simgpu_tenant_report *report = &tenant->report;
	const char *kind;
	u64 np;

	kind = result_target_np(result, tenant, &np);
	if (kind)
		print_paragraph("%u:%s has a target of %.3f: %s, with an NP of %.3f (%s).",
				tenant->slot, tenant->options.name,
				(double)tenant->options.target_ppm / SIMGPU_PPM,
				np >= tenant->options.target_ppm ? "met" :
								   "missed",
				(double)np / SIMGPU_PPM, kind);
	if (report->goal_ipc_ppm)
		print_paragraph("%u:%s has a goal of %.1f instructions a cycle: %s.",
				tenant->slot, tenant->options.name,
				(double)report->goal_ipc_ppm / SIMGPU_PPM,
				report->flags & SIMGPU_REPORT_GOAL_MET ?
				"met" : "missed");
}

/* For a policy that failed, and anything else that was refused. */
static void note_refusal(const struct settings *settings,
			 const struct result *result)
{
	const struct session_refusal *why = &result->refusal;
	u32 epochs = 0;
	size_t i;

	for (i = 0; i < result->tenant_count; i++) {
		u32 fell = count_epochs(result, i, SIMGPU_EPOCH_FELL_BACK);

		epochs = fell > epochs ? fell : epochs;
	}
	if (epochs)
		print_paragraph("In %u epochs an even split took the place of what %s had said (NEXT with '!').",
				epochs, settings->policy);
	if (why->kind != SESSION_REFUSED_NOTHING)
		print_paragraph("Refused, last at cycle %llu: %s: %s%s%s.",
				why->cycle, session_refusal_names[why->kind],
				why->field, *why->field ? ", " : "",
				why->reason);
}

/* By how much a tenant's IPC may be off at most, in percent */
static double leapt_error(const struct result *result)
{
	u64 most = 0;
	size_t i;

	for (i = 0; i < result->tenant_count; i++)
		most = max(most, (u64)result->tenants[i].report.leapt_error_ppm);
	return (double)most / 1e4;
}

/* Latencies that are estimates, since leaps passed requests */
static void note_passed(const struct result_tenant *tenant)
{
	const struct simgpu_tenant_report *report = &tenant->report;

	if (!report->launches_leapt)
		return;
	print_paragraph("%s: leaps passed %llu of %llu requests, each at its cycle. By how much requests differed that were simulated, the mean latency is between %.1f and %.1f us (95%%).",
			tenant->options.name, (u64)report->launches_leapt,
			(u64)report->launches, (double)report->latency_mean_low_ns / 1e3,
			(double)report->latency_mean_high_ns / 1e3);
	if (report->latency_p99_high_ns)
		print_paragraph("%s: the 99th percentile of its latencies is between %.1f and %.1f us (95%%).",
				tenant->options.name, (double)report->latency_p99_low_ns / 1e3,
				(double)report->latency_p99_high_ns / 1e3);
}

/* How much of the run was simulated, in sampled time. */
static void note_sampling(const struct settings *settings, const struct result *result)
{
	u64 leapt = result->sampling.leapt_cycles;

	if (!leapt && !settings->session.sampled)
		return;
	if (!leapt) {
		print_paragraph("Sampled time: all cycles were simulated, as no measurement was within %u%%, or what was measured had ended.",
				settings->session.sampled);
		return;
	}
	print_paragraph("Sampled time: %.1f%% of the cycles were simulated; %llu leaps passed the others at the rates that had been measured before them.",
			100.0 * (double)(result->cycle - leapt) /
			(double)result->cycle,
			result->sampling.leaps);
	print_paragraph("By how much these measurements differed, no tenant's IPC is off by more than %.1f%% (two standard errors).",
			leapt_error(result));
}

void print_notes(const struct settings *settings, const struct result *result)
{
	size_t i;

	note_sampling(settings, result);
	for (i = 0; i < result->tenant_count; i++) {
		note_passed(&result->tenants[i]);
		note_prediction(settings, result, i);
		note_doubts(&result->tenants[i]);
		note_copies(settings, &result->tenants[i]);
		note_sms(result, i);
		note_profiles(settings, &result->tenants[i]);
		note_promises(result, i);
	}
	note_refusal(settings, result);
}
