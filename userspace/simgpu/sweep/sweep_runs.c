// SPDX-License-Identifier: GPL-2.0
/* The runs of a sweep's mixes; see sweep.h. */
#include "../../offline/run.h"
#include "../interrupt.h"
#include "../../offline/watch.h"
#include "../report_fields.h"
#include "sweep_alone.h"
#include "sweep_axes.h"
#include "sweep_requests.h"
#include "sweep_runs.h"
#include "sweep_serve.h"
#include "sweep_sets.h"
#include "sweep_window.h"

#define FIELD(name) offsetof(struct sweep_tenant, name)

static const size_t run_fields[] = {
	FIELD(instructions), FIELD(cycles), FIELD(ipc_ppm), FIELD(rbh_ppm),
	FIELD(bandwidth_ppm), FIELD(llc_mpki_ppm), FIELD(sms_milli),
	FIELD(class), FIELD(np_predicted_ppm), FIELD(first_run_done),
	FIELD(late_instructions), FIELD(late_cycles),
	FIELD(window_instructions), FIELD(energy_pj), FIELD(context_lines),
	FIELD(launches), FIELD(launches_waiting), FIELD(deadline_misses),
	FIELD(goodput_ppm), FIELD(latency_p50_ns), FIELD(latency_p95_ns),
	FIELD(latency_p99_ns), FIELD(wait_mean_ns),
	FIELD(first_tokens), FIELD(ttft_mean_ns), FIELD(ttft_p50_ns), FIELD(ttft_p99_ns),
	FIELD(tokens), FIELD(tbt_mean_ns), FIELD(tbt_p50_ns), FIELD(tbt_p99_ns),
	FIELD(batch_mean_ppm),
	FIELD(sm_handovers), FIELD(sm_handover_cycles),
	FIELD(useful_instructions), FIELD(requests), FIELD(unfinished),
	FIELD(late), FIELD(met), FIELD(judged), FIELD(p50_ns), FIELD(p99_ns),
	FIELD(paging.faults), FIELD(paging.pages_in), FIELD(paging.pages_again),
	FIELD(paging.copied_in_bytes), FIELD(paging.copied_out_bytes),
	FIELD(memory_replaced), FIELD(static_saved_pj),
	FIELD(refused), FIELD(starved), FIELD(outlived), FIELD(np_memory_ppm), FIELD(np_compute_ppm),
	FIELD(np_memory_part_ppm),
};

static const char *label_of(const struct sweep_run *run)
{
	return sweep_serve_is_alone(run) ? "alone" :
					   run->sweep->labels[run->policy];
}

/* The policy's name for the key of the kept figures */
static const char *policy_of(const struct sweep_run *run)
{
	return sweep_serve_is_alone(run) ? "alone" :
	       run->sweep->policies[run->policy].policy;
}

/* With --split, proportional keeps the split that was given. */
static int run_options(const struct sweep_run *run,
		       struct session_options *options)
{
	const struct sweep *sweep = run->sweep;
	struct settings settings = sweep->experiment.settings;

	if (sweep_serve_is_alone(run))
		return sweep_alone_options(sweep, run->seed, options);
	sweep_choose(sweep, run->policy, &settings);
	if (sweep_axes_split(&sweep->axes))
		strcpy(settings.policy, "proportional");
	settings.session.seed += run->seed;
	if (run->mix->kernel_end_given)
		settings.session.kernel_end =
			(enum session_kernel_end)run->mix->kernel_end;
	return settings_options(&settings, options);
}

static void describe_settings(const struct session_options *options,
			      struct kept *out)
{
	session_for_each_setting(setting)
		kept_append(out, " %s=%llu", setting->name,
			    session_setting_get(setting, options));
}

static void describe_params(const struct simgpu_param *params, const u64 *values,
			   struct kept *out)
{
	u32 i;

	for (i = 0; params && params[i].name; i++)
		kept_append(out, " %s=%llu", params[i].name, values[i]);
}

static void describe_arrivals(const struct sweep *sweep,
			      const struct arrivals_words *words,
			      struct kept *out)
{
	const struct arrivals_plan *plan = &words->plan;

	if (!words->given)
		return;
	kept_append(out, " arrivals=%u/%llu/%llu load=%llu requests=%llu launches=%u deadline=%llu",
		    plan->kind, plan->rate, plan->every_cycles, words->load_ppm,
		    plan->requests, arrivals_launches(words),
		    plan->deadline_cycles);
	if (words->load_ppm && !plan->deadline_cycles && sweep->deadline_ppm)
		kept_append(out, " times=%llu", sweep->deadline_ppm);
	if (plan->hint_cycles)
		kept_append(out, " hint=%llu", plan->hint_cycles);
	if (plan->batching)
		kept_append(out, " batching=%u", plan->batching);
	if (words->list)
		kept_append(out, " list=%llu/%08x", words->list_count,
			    kept_checksum(words->list, words->list_count *
						       sizeof(u64)));
}

/* Those of the memory policy that were set. */
static void describe_memory_params(const struct session_options *options, struct kept *out)
{
	const struct simgpu_param *params = session_first_memory_policy(options)->params;
	u32 i;

	for (i = 0; params && i < SIMGPU_PARAMS_MAX && params[i].name; i++)
		if (options->memory_params_set >> i & 1)
			kept_append(out, " memory.%s=%llu", params[i].name,
				    options->memory_params[i]);
}

/* Describe a tenant's options and masks for the key of the kept figures. */
static void describe_tenant(const struct sweep_run *run, u32 slot,
			    struct kept *out)
{
	const struct mix *mix = run->mix;
	const struct session_tenant_options *options = &mix->options[slot];
	const struct session_masks *masks = &mix->masks[slot];
	const struct offline_queues *queues =
		&run->sweep->suite.workloads[mix->workload[slot]].queues;

	kept_append(out, "weight=%u target=%llu ", options->weight,
		    options->target_ppm);
	if (options->share_ppm)
		kept_append(out, "share=%u ", options->share_ppm);
	if (options->p99_cycles)
		kept_append(out, "p99=%llu ", options->p99_cycles);
	if (options->goal_kind)
		kept_append(out, "goal=%u/%llu ", options->goal_kind,
			    options->goal);
	if (options->memory.min || options->memory.low || options->memory.max)
		kept_append(out, "limits=%llu/%llu/%llu ", options->memory.min,
			    options->memory.low, options->memory.max);
	if (masks_given(masks, queues))
		kept_append(out, "masks=%08x/%08x ",
			    kept_checksum(masks, sizeof(*masks)),
			    kept_checksum(queues->sms, sizeof(queues->sms)));
	if (queues->idempotent)
		kept_append(out, "idempotent ");
	if (mix->start_cycle[slot])
		kept_append(out, "start=%llu ", mix->start_cycle[slot]);
}

/* Describe all that determines a run; the file of its figures is named by it. */
static void describe(const struct sweep_run *run,
		     const struct session_options *options, struct kept *out)
{
	const struct mix *mix = run->mix;
	u32 slot;

	kept_append(out, "policy=%s/%s model=%s warmup=%llu",
		    policy_of(run), options->policy->name, options->model->name,
		    run->sweep->warmup_cycles);
	describe_settings(options, out);
	describe_params(options->policy->params, options->policy_params, out);
	describe_params(options->model->params, options->model_params, out);
	describe_memory_params(options, out);
	if (options->constants)
		kept_append(out, " constants=%08x",
			    port_crc32(0, options->constants,
				       options->constants_bytes));
	if (options->memory_policy)
		kept_append(out, " memory=%s", options->memory_policy->name);
	for (slot = 0; slot < mix->count; slot++) {
		kept_append(out, " [");
		describe_tenant(run, slot, out);
		sweep_describe_alone(run->sweep, options, mix->workload[slot],
				     slot, out);
		if (mix->goal_ppm[slot])
			kept_append(out, " goal=%llu", mix->goal_ppm[slot]);
		describe_arrivals(run->sweep, &mix->arrivals[slot], out);
		kept_append(out, "]");
	}
}

static void locate(const struct sweep_run *run,
		   const struct session_options *options, struct kept *kept)
{
	describe(run, options, kept);
	kept_locate(kept, run->sweep->folder, "runs", run->mix->name);
}

static bool read_run(struct sweep_run *run, const struct kept *kept)
{
	FILE *file = kept_open(kept);
	bool good;
	u32 slot;

	if (!file)
		return false;
	good = fscanf(file, "state_hash=%llx cycle=%llu estimated=%llu\n",
		      &run->state_hash, &run->cycle, &run->estimated) == 3;
	for (slot = 0; good && slot < run->mix->count; slot++)
		good = kept_read_row(file, &run->tenants[slot], run_fields,
				     ARRAY_SIZE(run_fields));
	fclose(file);
	return good;
}

static int write_run(const struct sweep_run *run, struct kept *kept)
{
	FILE *file = kept_create(kept);
	u32 slot;

	if (!file)
		return -errno;
	fprintf(file, "state_hash=%016llx cycle=%llu estimated=%llu\n",
		run->state_hash, run->cycle, run->estimated);
	for (slot = 0; slot < run->mix->count; slot++)
		kept_write_row(file, &run->tenants[slot], run_fields,
			       ARRAY_SIZE(run_fields));
	return kept_close(file, kept);
}

/**
 * struct watch - a run in progress
 * @cycle: how far the run is
 * @ends: ends of the service's requests; NULL if the suite has no services
 */
struct watch {
	struct jobs *jobs;
	struct sweep_run *run;
	u64 cycle;
	struct serve_ends *ends;
};

static void on_progress(void *context, u64 cycle)
{
	struct watch *watch = context;

	if (!watch->run->sweep->suite.once)
		jobs_progress(watch->jobs, cycle - watch->cycle);
	watch->cycle = cycle;
}

/* Add up the epochs before the end of the warm-up. */
static void on_epoch(void *context, const struct session_epoch *epoch)
{
	const struct watch *watch = context;
	u64 warmup = watch->run->sweep->warmup_cycles;
	u32 i;

	if (epoch->start_cycle >= warmup)
		return;
	for (i = 0; i < epoch->tenant_count; i++) {
		const struct session_epoch_tenant *row = &epoch->tenants[i];
		struct sweep_tenant *tenant = &watch->run->tenants[row->slot];
		u64 begin = watch->run->mix->start_cycle[row->slot];

		if (!row->first_run)
			continue;
		if (begin < epoch->start_cycle)
			begin = epoch->start_cycle;
		tenant->late_instructions += row->counters.thread_instructions;
		tenant->late_cycles += epoch->end_cycle - begin;
	}
}

static void on_kernel(void *context, const struct offline_kernel *kernel)
{
	const struct watch *watch = context;

	serve_ends_add(watch->ends, kernel);
}

static void on_passed(void *context, u32 slot, u64 sequence, u64 start, u64 end)
{
	const struct watch *watch = context;

	serve_ends_pass(watch->ends, slot, end);
}

static void fill_latency(struct sweep_tenant *tenant,
			 const struct session_tenant_report *report)
{
	const struct latency_figures *latency = &report->latency;

	tenant->launches = latency->launches;
	tenant->launches_waiting = report->waiting;
	tenant->deadline_misses = latency->deadline_misses;
	tenant->goodput_ppm = latency->goodput_ppm;
	tenant->latency_p50_ns = latency->latency_p50_ns;
	tenant->latency_p95_ns = latency->latency_p95_ns;
	tenant->latency_p99_ns = latency->latency_p99_ns;
	tenant->wait_mean_ns = latency->wait_mean_ns;
	tenant->first_tokens = report->first_tokens.count;
	tenant->ttft_mean_ns = report->first_tokens.mean_ns;
	tenant->ttft_p50_ns = report->first_tokens.p50_ns;
	tenant->ttft_p99_ns = report->first_tokens.p99_ns;
	tenant->tokens = report->tokens.count;
	tenant->tbt_mean_ns = report->tokens.mean_ns;
	tenant->tbt_p50_ns = report->tokens.p50_ns;
	tenant->tbt_p99_ns = report->tokens.p99_ns;
	tenant->batch_mean_ppm = report->batch_ppm;
}

/* Thread instructions without those of reset thread blocks, which are issued again */
static u64 useful_instructions(const struct simgpu_counters *counters)
{
	u64 kept = counters->warp_instructions -
		   counters->reset_warp_instructions;

	if (!counters->warp_instructions)
		return 0;
	return fixed_mul_div(counters->thread_instructions, kept,
			     counters->warp_instructions);
}

static void fill_predicted(struct sweep_tenant *tenant,
			   const struct session_np_figures *np)
{
	tenant->np_predicted_ppm = np->run_ppm;
	tenant->np_memory_ppm = np->memory_ppm;
	tenant->np_compute_ppm = np->compute_ppm;
	tenant->np_memory_part_ppm = np->memory_part_ppm;
}

/* What there is of its first run after the warm-up, which may be no progress. */
static void fill_late(struct sweep_tenant *tenant, const struct sweep_run *run,
		      const struct session_tenant_report *report)
{
	struct simgpu_tenant_report row;

	row_report(report, &row);
	tenant->starved = report_is_starved(&row);
	tenant->outlived = tenant->starved ?
			   run->cycle > run->sweep->warmup_cycles :
			   tenant->cycles > tenant->late_cycles;
	if (!tenant->outlived)
		tenant->late_instructions = tenant->late_cycles = 0;
}

static void fill_paging(struct sweep_paging *paging,
			const struct simgpu_counters *counters)
{
	paging->faults = counters->faults;
	paging->pages_in = counters->pages_in;
	paging->pages_again = counters->pages_again;
	paging->copied_in_bytes = counters->copied_in_bytes;
	paging->copied_out_bytes = counters->copied_out_bytes;
}

static void fill_tenant(const struct sweep_run *run, struct sweep_tenant *tenant,
			const struct session_tenant_report *report)
{
	const struct session_figures *figures = &report->figures;
	u64 cycle = run->cycle;

	tenant->instructions = figures->thread_instructions;
	tenant->cycles = figures->cycles;
	tenant->ipc_ppm = figures->ipc_ppm;
	tenant->rbh_ppm = figures->rbh_ppm;
	tenant->bandwidth_ppm = figures->bandwidth_ppm;
	tenant->llc_mpki_ppm = figures->llc_mpki_ppm;
	tenant->sms_milli = fixed_mul_div(report->counters.sm_cycles, 1000,
					  cycle);
	tenant->class = report->class;
	fill_predicted(tenant, &report->np_run);
	tenant->first_run_done = report->first_run_done;
	tenant->window_instructions = report->counters.thread_instructions;
	tenant->useful_instructions = useful_instructions(&report->counters);
	tenant->context_lines = report->counters.context_lines;
	tenant->sm_handovers = report->counters.sm_handovers;
	tenant->sm_handover_cycles = report->counters.sm_handover_cycles;
	tenant->energy_pj = report->energy_pj;
	fill_paging(&tenant->paging, &report->counters);
	fill_latency(tenant, report);
	fill_late(tenant, run, report);
}

/**
 * struct group - a run that is made, and the runs that differ from it only in the model
 * @count: number of @runs
 * @runs: the other runs, whose models watch the run that is made
 * @options: options of @runs
 */
struct group {
	u32 count;
	struct sweep_run *runs[OFFLINE_WATCHED_MAX];
	struct session_options options[OFFLINE_WATCHED_MAX];
};

/* The run under policy @policy that is like @run in all else */
static struct sweep_run *under_policy(const struct sweep_run *run, u32 policy)
{
	const struct sweep *sweep = run->sweep;
	u32 each = sweep->run_count / sweep->policy_count;
	u32 index = (u32)(run - sweep->runs);

	return &sweep->runs[policy * each + index % each];
}

static int find_group(const struct sweep_run *run, struct group *group)
{
	u32 i;

	group->count = 0;
	for (i = run->policy + 1; i < run->sweep->policy_count; i++) {
		struct sweep_run *other = under_policy(run, i);

		if (other->watches != run)
			continue;
		if (run_options(other, &group->options[group->count]))
			return -EINVAL;
		group->runs[group->count++] = other;
	}
	return 0;
}

/*
 * All is as in the run that was made, but for what the model has said: that of the other
 * one may have failed where this one did not, or the other way round.
 */
static int take_watched(const struct sweep_run *made, struct sweep_run *run,
			const struct session_options *options,
			const struct offline_watched *said, struct kept *kept)
{
	u32 slot;

	run->state_hash = made->state_hash;
	run->cycle = made->cycle;
	run->estimated = made->estimated;
	memcpy(run->tenants, made->tenants, sizeof(run->tenants));
	for (slot = 0; slot < run->mix->count; slot++) {
		run->tenants[slot].class = said[slot].class;
		fill_predicted(&run->tenants[slot], &said[slot].np_run);
	}
	if (run->tenants[0].refused == SESSION_REFUSED_PREDICT)
		run->tenants[0].refused = SESSION_REFUSED_NOTHING;
	if (said[0].failed && !sweep_is_refused(run))
		run->tenants[0].refused = SESSION_REFUSED_PREDICT;
	memset(kept, 0, sizeof(*kept));
	locate(run, options, kept);
	return write_run(run, kept);
}

static void set_goal(const struct sweep_run *run, u32 slot,
		     struct session_tenant_options *options)
{
	u64 part = run->mix->goal_ppm[slot];

	if (!part)
		return;
	options->goal = offline_goal_ipc_ppm(part, sweep_window(run, slot));
	options->goal_kind = SESSION_GOAL_IPC;
}

static int simulate(struct watch *watch, const struct session_options *options,
		    const struct group *group,
		    struct offline_experiment *experiment,
		    struct offline_result *result)
{
	const struct offline_observer observer = {
		.context = watch, .epoch = on_epoch, .progress = on_progress,
		.stop = interrupted,
		.kernel = watch->ends ? on_kernel : NULL,
		.passed = watch->ends ? on_passed : NULL,
	};
	struct sweep_run *run = watch->run;
	const struct mix *mix = run->mix;
	u32 slot, i;
	int ret;

	if (run->sweep->suite.once)
		sweep_sets_estimate(run, options);
	experiment->options = *options;
	experiment->threads = run->sweep->experiment.settings.threads;
	experiment->count = mix->count;
	experiment->watched_count = group->count;
	for (i = 0; i < group->count; i++)
		experiment->watched[i] = &group->options[i];
	for (slot = 0; slot < mix->count; slot++) {
		const struct workload *workload =
			&run->sweep->suite.workloads[mix->workload[slot]];
		struct offline_tenant *tenant = &experiment->tenants[slot];

		tenant->options = mix->options[slot];
		set_goal(run, slot, &tenant->options);
		tenant->trace = workload->trace;
		tenant->queues = workload->queues;
		tenant->masks = mix->masks[slot];
		tenant->start_cycle = mix->start_cycle[slot];
		tenant->managed = workload->managed;
		tenant->arrives = mix->arrivals[slot].given;
		if (tenant->arrives &&
		    sweep_arrivals(run, slot, options, &tenant->arrivals))
			return -EINVAL;
	}
	ret = offline_run(experiment, &observer, result);
	if (ret || result->stopped)
		return ret ? ret : -EINTR;
	run->state_hash = result->state_hash;
	run->cycle = result->cycle;
	for (slot = 0; slot < mix->count; slot++)
		fill_tenant(run, &run->tenants[slot], &result->reports[slot]);
	if (refusal_spoils(&result->refusal))
		run->tenants[0].refused = result->refusal.kind;
	run->tenants[0].static_saved_pj = result->power.static_saved_pj;
	run->tenants[0].memory_replaced = *result->memory.fell_back != '\0';
	if (watch->ends)
		ret = sweep_serve_judge(run, watch->ends,
					&experiment->tenants[SERVE_SERVICE].arrivals,
					options->config.core_mhz);
	/* If the accounts of quotas are wrong, the figures are not valid. */
	return result->quota_overruns ? -EOVERFLOW : ret;
}

static const struct trace *service_trace(const struct sweep_run *run)
{
	u32 workload = run->mix->workload[SERVE_SERVICE];

	return run->sweep->suite.workloads[workload].trace;
}

/* Keep the figures of a run and of the runs in its group. */
static int keep(struct sweep_run *run, const struct session_options *options,
		const struct group *group, const struct offline_result *result,
		struct kept *kept)
{
	int ret;
	u32 i;

	locate(run, options, kept);
	ret = write_run(run, kept);
	run->made = !ret;
	for (i = 0; !ret && i < group->count; i++) {
		ret = take_watched(run, group->runs[i], &group->options[i],
				   result->watched[i], kept);
		group->runs[i]->made = !ret;
	}
	return ret;
}

/* What is needed to make a run */
struct workshop {
	struct offline_experiment experiment;
	struct offline_result result;
	struct session_options options;
	struct group group;
	struct kept kept;
};

static int make_run(struct watch *watch, struct workshop *shop)
{
	struct sweep_run *run = watch->run;
	int ret;

	if (run_options(run, &shop->options) || find_group(run, &shop->group))
		return -EINVAL;
	if (sweep_sets_is_optimal(run))
		ret = sweep_sets_optimal(run, &shop->options);
	else
		ret = simulate(watch, &shop->options, &shop->group,
			       &shop->experiment, &shop->result);
	return ret ? ret : keep(run, &shop->options, &shop->group,
				&shop->result, &shop->kept);
}

static void run_mix(struct jobs *jobs, u32 index, void *context)
{
	struct sweep_work *work = context;
	struct sweep_run *run = &work->sweep->runs[work->todo[index]];
	struct watch watch = { .jobs = jobs, .run = run };
	struct workshop *shop = calloc(1, sizeof(*shop));
	int ret = -ENOMEM;

	memset(run->tenants, 0, sizeof(run->tenants));
	if (run->sweep->suite.serves)
		watch.ends = serve_ends_new(service_trace(run));
	if (shop)
		ret = make_run(&watch, shop);
	if (ret)
		sweep_report_failure(jobs, work, label_of(run), run->mix->name,
				     ret);
	/* These runs end by themselves, so their length is not known; count runs instead. */
	if (work->sweep->suite.once)
		jobs_progress(jobs, 1);
	serve_ends_free(watch.ends);
	free(shop);
}

static bool is_done(struct sweep_run *run)
{
	struct kept *kept = calloc(1, sizeof(*kept));
	struct session_options options;
	bool done = false;

	if (kept && !run_options(run, &options)) {
		locate(run, &options, kept);
		done = read_run(run, kept);
	}
	free(kept);
	run->made = done;
	return done;
}

bool sweep_is_whole(const struct sweep_run *run)
{
	const struct suite *suite = &run->sweep->suite;
	u32 slot;

	if (!run->made || suite->once)
		return run->made;
	if (suite->serves)
		return !run->alone || run->alone->made;
	for (slot = 0; slot < run->mix->count; slot++)
		if (run->tenants[slot].instructions &&
		    !run->tenants[slot].alone.cycles)
			return false;
	return true;
}

bool sweep_is_refused(const struct sweep_run *run)
{
	return run->tenants[0].refused != SESSION_REFUSED_NOTHING ||
	       run->tenants[0].memory_replaced;
}

u32 sweep_refused(const struct sweep *sweep, u32 policy)
{
	u32 count = 0, i;

	for (i = 0; i < sweep->run_count; i++)
		count += (policy == SWEEP_ANY_POLICY ||
			  policy == sweep->runs[i].policy) &&
			 sweep->runs[i].made && sweep_is_refused(&sweep->runs[i]);
	return count;
}

const char *sweep_refused_text(const struct sweep_run *run)
{
	if (run->tenants[0].refused != SESSION_REFUSED_NOTHING)
		return session_refusal_names[run->tenants[0].refused];
	return run->tenants[0].memory_replaced ? "memory policy" : "";
}

bool sweep_counts(const struct sweep_run *run)
{
	return sweep_is_whole(run) && !sweep_is_refused(run);
}

/*
 * A run that is to be made anyway, of the same mix, under a policy that does not look
 * at predictions: the model of this one can look on. NULL: there is none.
 */
static struct sweep_run *find_watched(const struct sweep_run *run)
{
	const struct sweep *sweep = run->sweep;
	struct session_options own, others;
	u32 i;

	if (sweep->suite.once || sweep->suite.serves || run_options(run, &own))
		return NULL;
	for (i = 0; i < run->policy; i++) {
		struct sweep_run *other = under_policy(run, i);
		u32 index = (u32)(other - sweep->runs);

		if (!other->made && !other->watches &&
		    index % sweep->parts == sweep->part &&
		    run->policy - i <= OFFLINE_WATCHED_MAX &&
		    !run_options(other, &others) &&
		    watch_allows(&others, &own))
			return other;
	}
	return NULL;
}

/* Whether a run has to be made by itself */
static bool is_to_be_made(struct sweep *sweep, u32 index)
{
	struct sweep_run *run = &sweep->runs[index];

	if (is_done(run) || !sweep_is_of_part(sweep, index))
		return false;
	if (index < sweep->run_count)
		run->watches = find_watched(run);
	return !run->watches;
}

static int run_mixes(struct sweep *sweep)
{
	struct sweep_work work = { .sweep = sweep };
	u64 each = sweep->suite.once ? 1 : sweep->experiment.settings.session.stop_cycle;
	u32 count = sweep->run_count + sweep->alone_count, i;

	work.todo = calloc(count, sizeof(*work.todo));
	if (!work.todo)
		return fail("out of memory");
	/* Runs that others are compared with come first: services alone. */
	for (i = 0; i < count; i++) {
		u32 index = (i + sweep->run_count) % count;

		if (is_to_be_made(sweep, index))
			work.todo[work.todo_count++] = index;
	}
	if (work.todo_count)
		warn("%u runs, %u of them to be made", count, work.todo_count);
	jobs_run("mixes", work.todo_count, sweep->workers, run_mix, &work,
		 each * work.todo_count);
	free(work.todo);
	return work.failed ? STATUS_FAILED : STATUS_OK;
}

int sweep_run_all(struct sweep *sweep)
{
	if (kept_make_folder(sweep->folder, "") ||
	    kept_make_folder(sweep->folder, "runs") ||
	    kept_make_folder(sweep->folder, "windows") ||
	    kept_make_folder(sweep->folder, "private") ||
	    kept_make_folder(sweep->folder, "requests") ||
	    (sweep->suite.once && sweep_sets_profile(sweep) &&
	     !interrupted()) ||
	    sweep_find_requests(sweep) || sweep_find_windows(sweep))
		return STATUS_FAILED;
	if (run_mixes(sweep))
		return STATUS_FAILED;
	return sweep->incomplete || sweep->suite.once || sweep->suite.serves ?
	       STATUS_OK : sweep_find_truth(sweep);
}
