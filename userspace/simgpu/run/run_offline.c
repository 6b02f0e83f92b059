// SPDX-License-Identifier: GPL-2.0
/*
 * simgpu run in this process: whole experiments, journals, and the private
 * runs behind --truth, which a device's experiments need as well.
 */
#include "../../offline/journal.h"
#include "../../offline/replay.h"
#include "../../offline/run.h"
#include "../interrupt.h"
#include "../masks.h"
#include "../plugin.h"
#include "../report_fields.h"
#include "result.h"
#include "run.h"
#include "run_offline.h"
#include "run_remarks.h"
#include "timeline.h"

static void fill_report(struct result_tenant *tenant,
			const struct session_tenant_report *report)
{
	row_report(report, &tenant->report);
	/* A counter's number is the place of its field. */
	memcpy(tenant->counters, &report->counters, sizeof(tenant->counters));
}

/* --- observers --- */

/* Cycles between two looks at the owners of SMs, for the timeline */
#define LOOK_CYCLES	1000

/** struct watch - a run in progress, its length, and its policy's notes */
struct watch {
	struct result *result;
	u64 cycles;
	struct session_notes notes;
};

static void on_epoch(void *context, const struct session_epoch *epoch)
{
	struct watch *watch = context;
	struct simgpu_epoch_record record;
	u32 i;

	remarks_take_names(watch->result, epoch);
	if (watch->result->timeline)
		timeline_epoch(watch->result->timeline, epoch);
	for (i = 0; i < epoch->tenant_count; i++) {
		row_epoch(epoch, &epoch->tenants[i], &record);
		result_add_epoch(watch->result, &record);
	}
}

static void on_tenant(void *context, u32 slot,
		      const struct session_tenant_options *options,
		      const struct trace *trace)
{
	struct watch *watch = context;

	result_add_tenant(watch->result, slot, options, trace);
	if (watch->result->timeline)
		timeline_tenant(watch->result->timeline, slot, options->name);
}

static void on_kernel(void *context, const struct offline_kernel *kernel)
{
	struct result *result = ((struct watch *)context)->result;

	result_add_kernel(result, kernel);
	if (result->timeline)
		timeline_kernel(result->timeline, kernel);
}

static void on_note(void *context, const struct session_note *note)
{
	struct watch *watch = context;

	session_notes_add(&watch->notes, note);
	if (watch->result->timeline)
		timeline_note(watch->result->timeline, note);
}

static void on_preempt(void *context, u64 cycle, u32 sm, u32 from, u32 to,
		       u32 how)
{
	timeline_preempt(((struct watch *)context)->result->timeline, cycle, sm,
			 from, to, how);
}

static void on_leap(void *context, u64 from, u64 until)
{
	timeline_leap(((struct watch *)context)->result->timeline, from, until);
}

static void on_look(void *context, u64 cycle, const struct gpu *gpu)
{
	timeline_look(((struct watch *)context)->result->timeline, cycle, gpu);
}

static void on_left(void *context, u32 slot,
		    const struct session_tenant_report *report)
{
	struct result *result = ((struct watch *)context)->result;

	fill_report(&result->tenants[result->present[slot]], report);
}

static void on_progress(void *context, u64 cycle)
{
	const struct watch *watch = context;

	progress("simulating", cycle, watch->cycles);
}

static struct offline_observer observe(struct watch *watch)
{
	struct offline_observer observer = {
		.context = watch,
		.epoch = on_epoch,
		.tenant = on_tenant,
		.left = on_left,
		.progress = on_progress,
		.stop = interrupted,
		.kernel = on_kernel,
		.note = on_note,
	};

	if (watch->result->timeline) {
		observer.preempt = on_preempt;
		observer.leap = on_leap;
		observer.look = on_look;
		observer.look_cycles = LOOK_CYCLES;
	}
	return observer;
}

static void complete(const struct watch *watch, const struct offline_result *from)
{
	struct result *result = watch->result;
	size_t i;

	progress_end();
	strcpy(result->device, "offline");
	result->cycle = from->cycle;
	result->state_hash = from->state_hash;
	result->sampling = from->sampling;
	result->memory = from->memory;
	result->failures = from->failures;
	result->power = from->power;
	result->wall_ns = from->wall_ns;
	result->refusal = from->refusal;
	result->quota_checks = from->quota_checks;
	result->quota_overruns = from->quota_overruns;
	result->partial = from->stopped;
	if (result->notes_wanted)
		remarks_take_notes(result, &watch->notes);
	for (i = 0; i < result->tenant_count; i++) {
		struct result_tenant *tenant = &result->tenants[i];

		if (result->present[tenant->slot] == i)
			fill_report(tenant, &from->reports[tenant->slot]);
		if (result->present[tenant->slot] == i)
			tenant->draining = from->draining[tenant->slot];
	}
	result->complete = true;
}

/* --- whole experiments --- */

static int fail_threads(void)
{
	return fail("so many threads cannot be started here; --threads takes fewer, too");
}

static int explain_run(int error)
{
	switch (error) {
	case 0:
		return STATUS_OK;
	case -EAGAIN:
		return fail_threads();
	case -ENOMEM:
		return fail("out of memory");
	default:
		return fail("the experiment cannot be run: %s",
			    offline_error(error));
	}
}

/*
 * Find a tenant's goal. A goal relative to what the tenant does alone needs its run alone
 * in an equal window, which is made here. Other goals are only checked.
 */
static int find_goal(const struct settings *settings,
		     const struct workload *workload, u32 slot,
		     const struct session_options *options,
		     struct session_tenant_options *tenant)
{
	struct offline_tenant alone = { .trace = NULL };
	u64 peak = gpu_peak_ipc(&options->config);
	struct session_figures figures;
	int ret;

	if (tenant->goal_kind == SESSION_GOAL_IPC && tenant->goal > peak * SIMGPU_PPM)
		return fail_usage("%s: ipc=%.12g is more than all SMs of %s can issue, %llu instructions a cycle",
				  workload->name,
				  (double)tenant->goal / SIMGPU_PPM,
				  options->config.name, peak);
	if (!workload->goal_ppm)
		return STATUS_OK;
	if (!settings->session.stop_cycle)
		return fail_usage("goal=%llu.%06llu is a part of what %s does alone in --cycles, which are missing",
				  workload->goal_ppm / SIMGPU_PPM,
				  workload->goal_ppm % SIMGPU_PPM,
				  workload->name);
	alone.trace = workload->trace;
	alone.queues = workload->queues;
	alone.managed = workload->managed;
	ret = offline_alone_window(options, slot, &alone, settings->session.stop_cycle,
				   settings->threads, &interrupt_observer,
				   &figures);
	if (ret == -EINTR)
		return fail("stopped by %s before the run began",
			    interrupt_name());
	if (ret)
		return fail("%s: its run alone failed: %s", workload->name,
			    offline_error(ret));
	tenant->goal_kind = SESSION_GOAL_IPC;
	tenant->goal = offline_goal_ipc_ppm(workload->goal_ppm, &figures);
	if (!tenant->goal)
		return fail("%s issues nothing alone in %llu cycles: a part of that is no goal",
			    workload->name, settings->session.stop_cycle);
	return STATUS_OK;
}

int run_offline(const struct settings *settings,
		const struct workload *workloads, u32 count,
		struct result *result)
{
	struct offline_experiment *experiment = calloc(1, sizeof(*experiment));
	struct offline_result *outcome = calloc(1, sizeof(*outcome));
	struct watch watch = { .result = result, .cycles = settings->session.stop_cycle };
	struct offline_observer observer = observe(&watch);
	int ret = STATUS_FAILED;
	u32 i;

	if (!experiment || !outcome) {
		fail("out of memory");
		goto out;
	}
	if (settings_options(settings, &experiment->options))
		goto out;
	if (result->timeline)
		timeline_begin(result->timeline, &experiment->options.config);
	experiment->threads = settings->threads;
	experiment->count = count;
	experiment->injection_count = settings->injections.count;
	memcpy(experiment->injections, settings->injections.list,
	       sizeof(experiment->injections));
	for (i = 0; i < count; i++) {
		workload_options(&workloads[i], &experiment->tenants[i].options);
		ret = find_goal(settings, &workloads[i], i,
				&experiment->options,
				&experiment->tenants[i].options);
		if (ret)
			goto out;
		experiment->tenants[i].trace = workloads[i].trace;
		experiment->tenants[i].arrives = workloads[i].arrivals.given;
		experiment->tenants[i].arrivals = workloads[i].arrivals.plan;
		experiment->tenants[i].queues = workloads[i].queues;
		experiment->tenants[i].masks = workloads[i].masks;
		experiment->tenants[i].start_cycle = workloads[i].start_cycle;
		experiment->tenants[i].managed = workloads[i].managed;
		experiment->tenants[i].prefetch = workloads[i].prefetch;
		experiment->tenants[i].advice = workloads[i].advice;
		ret = masks_check(workloads[i].name, &experiment->options.config,
				  &workloads[i].masks, &workloads[i].queues);
		if (ret)
			goto out;
	}
	ret = explain_run(offline_run(experiment, &observer, outcome));
	if (!ret)
		complete(&watch, outcome);
out:
	free(experiment);
	free(outcome);
	return ret;
}

/* --- journals --- */

static void settings_of(const struct offline_journal *journal,
			struct settings *settings)
{
	const struct session_options *options = &journal->options;

	strcpy(settings->config, options->config.name);
	strcpy(settings->policy, options->policy->name);
	strcpy(settings->model, options->model->name);
	session_settings_copy(&settings->session, options);
}

static int read_journal(const char *path, struct offline_journal *journal)
{
	const struct journal_names names = {
		.config = gpu_config_find,
		.policy = plugin_find_policy,
		.model = plugin_find_model,
		.memory_policy = plugin_find_memory_policy,
	};
	struct offline_journal_error error;
	size_t count;
	char *text = read_file(path, &count);
	int ret;

	if (!text)
		return fail("%s: %s", path, strerror(errno));
	ret = offline_parse_journal(text, &names, journal, &error);
	free(text);
	if (ret == -ENOMEM)
		return fail("out of memory");
	if (ret)
		return fail("%s, line %u: %s", path, error.line, error.reason);
	if (journal->lost) {
		offline_free_journal(journal);
		return fail("%s: %llu events found no room in this journal, so it cannot be repeated",
			    path, journal->lost);
	}
	return STATUS_OK;
}

static int explain_replay(const char *path, const struct offline_journal *journal,
			  u32 failed, int error)
{
	const struct journal_event *event = &journal->events[failed];

	if (!error)
		return STATUS_OK;
	if (error == -ENOENT && event->kind == JOURNAL_LAUNCH)
		return fail("%s: no workload is the trace with checksum 0x%08x and %llu bytes",
			    path, event->launch.checksum,
			    event->launch.trace_bytes);
	if (error == -ENOENT && event->kind == JOURNAL_ARRIVALS)
		return fail("%s: no workload is the trace with checksum 0x%08x and %llu bytes, or none has the list of arrivals 0x%08x",
			    path, event->arrivals.checksum,
			    event->arrivals.trace_bytes,
			    event->arrivals.list_checksum);
	if (error == -ENODATA)
		return fail("%s: it has other constants of the model than --constants, or needs some",
			    path);
	if (error == -ENOMEM)
		return fail("out of memory");
	/* At first no tenant can have too many launches, so -EAGAIN is about threads. */
	if (error == -EAGAIN && !failed)
		return fail_threads();
	return fail("%s, line %u: the event cannot be repeated here: %s", path,
		    failed + 2, offline_error(error));
}

static int compare_hash(const char *path, const struct offline_journal *journal,
			const struct result *result)
{
	if (result->cycle != journal->end_cycle)
		return fail("%s: the run ends at cycle %llu here, at %llu in the journal",
			    path, result->cycle, journal->end_cycle);
	if (result->state_hash != journal->state_hash)
		return fail("%s: the state hash is 0x%016llx here, 0x%016llx in the journal",
			    path, result->state_hash, journal->state_hash);
	return STATUS_OK;
}

/** struct lists - the lists of arrivals that the workloads name */
struct lists {
	const struct workload *workloads;
	u32 count;
};

static const u64 *find_list(const void *context, u64 length, u32 checksum)
{
	const struct lists *lists = context;
	u32 i;

	for (i = 0; i < lists->count; i++) {
		const struct arrivals_words *words =
			&lists->workloads[i].arrivals;

		if (words->list_count == length && words->list &&
		    port_crc32(0, words->list, length * sizeof(u64)) == checksum)
			return words->list;
	}
	return NULL;
}

static int replay(const char *path, const struct settings *settings,
		  const struct offline_journal *journal,
		  const struct workload *workloads, u32 count,
		  struct result *result)
{
	const struct trace *traces[SESSION_SLOTS_MAX];
	const struct lists lists = { workloads, count };
	struct offline_result *outcome = calloc(1, sizeof(*outcome));
	struct watch watch = { .result = result,
			       .cycles = journal->end_cycle };
	const struct session_replay given = {
		.policy = plugin_find_policy,
		.model = plugin_find_model,
		.memory_policy = plugin_find_memory_policy,
		.constants = settings->constants,
		.constants_bytes = settings->constants_bytes,
		.list = find_list,
		.lists = &lists,
	};
	struct offline_observer observer = observe(&watch);
	u32 i, failed = 0;
	int ret;

	if (!outcome)
		return fail("out of memory");
	if (result->timeline)
		timeline_begin(result->timeline, &journal->options.config);
	for (i = 0; i < count; i++)
		traces[i] = workloads[i].trace;
	ret = offline_replay(journal, traces, count, &given, settings->threads,
			     &observer, outcome, &failed);
	ret = explain_replay(path, journal, failed, ret);
	if (!ret) {
		complete(&watch, outcome);
		ret = result->partial ? STATUS_OK :
					compare_hash(path, journal, result);
	}
	free(outcome);
	return ret;
}

int run_journal_config(const char *path, struct gpu_config *out)
{
	struct offline_journal journal;
	int ret = read_journal(path, &journal);

	if (ret)
		return ret;
	*out = journal.options.config;
	offline_free_journal(&journal);
	return STATUS_OK;
}

int run_journal(const char *path, struct settings *settings,
		const struct workload *workloads, u32 count,
		struct result *result)
{
	struct offline_journal journal;
	int ret = read_journal(path, &journal);
	u32 i;

	if (ret)
		return ret;
	settings_of(&journal, settings);
	for (i = 0; i < journal.count; i++) {
		const struct journal_event *event = &journal.events[i];

		result->queued |= (event->kind == JOURNAL_LAUNCH && event->launch.queue) ||
				  (event->kind == JOURNAL_COPY && event->copy.queue);
	}
	ret = settings_check_threads(settings, &journal.options.config);
	if (!ret)
		ret = replay(path, settings, &journal, workloads, count, result);
	offline_free_journal(&journal);
	return ret;
}

/* --- truth --- */

/** struct private_run - the private run in progress, for the line of progress */
struct private_run {
	const char *name;
	u64 instructions;
};

static void on_private_progress(void *context, u64 done)
{
	const struct private_run *run = context;
	char what[SIMGPU_NAME_MAX + 16];

	snprintf(what, sizeof(what), "%s alone", run->name);
	progress(what, done, run->instructions);
}

/*
 * NP = shared IPC / private IPC over the same instructions. This is the cycles alone
 * divided by the cycles shared.
 */
static int find_actual(const struct offline_experiment *experiment,
		       struct result_tenant *tenant)
{
	struct private_run run = {
		.name = tenant->options.name,
		.instructions = tenant->report.thread_instructions,
	};
	const struct offline_observer observer = {
		.context = &run,
		.progress = on_private_progress,
		.stop = interrupted,
	};
	struct offline_mark mark = { .instructions = run.instructions };
	u64 predicted = tenant->report.np_run_ppm, actual;
	int ret;

	/* Without progress its NP is 0, as in a sweep. */
	tenant->actual_known = report_is_starved(&tenant->report);
	/* What it issued while it hung it does not issue alone. */
	if (!run.instructions || !tenant->trace || report_has_failed(&tenant->report))
		return STATUS_OK;
	ret = offline_private_run(experiment, tenant->slot, &mark, 1,
				  &observer);
	progress_end();
	if (ret && ret != -EINTR)
		return fail("%s: its private run failed: %s", run.name,
			    strerror(-ret));
	if (ret)
		return STATUS_OK;
	actual = fixed_ratio_ppm(mark.cycles, tenant->report.cycles);
	tenant->actual_known = true;
	tenant->np_actual_ppm = actual;
	tenant->error_ppm = fixed_ratio_ppm(predicted > actual ?
					    predicted - actual :
					    actual - predicted, actual);
	return STATUS_OK;
}

/* Compute metrics over actual NPs, and the mean error of tenants with a prediction. */
static int summarize(struct result *result)
{
	u64 *nps = calloc(result->tenant_count + 1, sizeof(*nps));
	u64 errors = 0, predicted = 0;
	u32 known = 0;
	size_t i;

	if (!nps)
		return fail("out of memory");
	for (i = 0; i < result->tenant_count; i++) {
		const struct result_tenant *tenant = &result->tenants[i];

		if (!tenant->actual_known)
			continue;
		nps[known++] = tenant->np_actual_ppm;
		if (!result_error(tenant))
			continue;
		errors = fixed_add(errors, tenant->error_ppm);
		predicted++;
	}
	metrics_compute(nps, known, &result->metrics);
	result->error_known = predicted != 0;
	result->error_ppm = predicted ? errors / predicted : 0;
	result->truth = true;
	free(nps);
	return STATUS_OK;
}

int run_truth(const struct settings *settings, const struct workload *workloads,
	      struct result *result)
{
	struct offline_experiment *experiment = calloc(1, sizeof(*experiment));
	int ret;
	size_t i;

	if (result->queued)
		ret = fail("a journal does not say how a tenant's queues would run alone");
	else if (!experiment)
		ret = fail("out of memory");
	else
		ret = settings_options(settings, &experiment->options);
	for (i = 0; !ret && !interrupted() && i < result->tenant_count; i++) {
		struct result_tenant *tenant = &result->tenants[i];
		struct offline_tenant *alone =
			&experiment->tenants[tenant->slot];

		experiment->threads = settings->threads;
		alone->options = tenant->options;
		alone->trace = tenant->trace;
		if (workloads) {
			alone->queues = workloads[i].queues;
			alone->managed = workloads[i].managed;
			alone->arrivals.batching = workloads[i].arrivals.plan.batching;
		}
		memset(alone->queues.sms, 0, sizeof(alone->queues.sms));
		ret = find_actual(experiment, tenant);
	}
	free(experiment);
	/* STP needs all tenants, and some are missing. */
	if (interrupted())
		result->partial = true;
	return ret || result->partial ? ret : summarize(result);
}
