// SPDX-License-Identifier: GPL-2.0
/* Figures of sweeps; see sweep_figures.h. */
#include <math.h>

#include "sweep_axes.h"
#include "sweep_figures.h"
#include "sweep_runs.h"

const struct sweep_figure_kind sweep_figure_kinds[SWEEP_FIGURES] = {
	[SWEEP_FAIRNESS] = { "fairness", NULL, "fairness" },
	[SWEEP_STP] = { "stp", NULL, "stp" },
	[SWEEP_ANTT] = { "antt", NULL, "antt" },
	[SWEEP_ERROR] = { "error_mean", "error_max", "error" },
	[SWEEP_ERROR_MIX] = { "error_mix_mean", "error_mix_max", "error_mix" },
	[SWEEP_ERROR_SD] = { "sd_error_mean", "sd_error_max", "sd_error" },
	[SWEEP_UNFAIRNESS] = { "unfairness_mean", NULL, "unfairness" },
	[SWEEP_ERROR_LOG] = { "error_log", NULL, NULL },
	[SWEEP_ERROR_CLASS] = { "error_class", NULL, NULL },
	[SWEEP_ERROR_LINE] = { "error_line", NULL, NULL },
	[SWEEP_ERROR_DRIFT] = { "error_drift", NULL, NULL },
	[SWEEP_ERROR_REST] = { "error_rest", NULL, NULL },
	[SWEEP_QOS_NP] = { "qos_np", NULL, "qos_np" },
	[SWEEP_QOS_NP_WHOLE] = { "qos_np_whole", NULL, "qos_np_whole" },
	[SWEEP_REACH] = { "reach", NULL, NULL },
	[SWEEP_BATCH_STP] = { "batch_stp", NULL, NULL },
	[SWEEP_LATENCY_P50] = { "latency_p50_us", NULL, NULL },
	[SWEEP_LATENCY_P95] = { "latency_p95_us", NULL, NULL },
	[SWEEP_LATENCY_P99] = { "latency_p99_us", NULL, NULL },
	[SWEEP_WAIT_MEAN] = { "wait_mean_us", NULL, NULL },
	[SWEEP_GOODPUT] = { "goodput", NULL, NULL },
	[SWEEP_PREEMPTION] = { "preemption_latency_us", NULL, NULL },
	[SWEEP_TTFT_MEAN] = { "ttft_mean_us", NULL, NULL },
	[SWEEP_TTFT_P50] = { "ttft_p50_us", NULL, NULL },
	[SWEEP_TTFT_P99] = { "ttft_p99_us", NULL, NULL },
	[SWEEP_TBT_MEAN] = { "tbt_mean_us", NULL, NULL },
	[SWEEP_TBT_P50] = { "tbt_p50_us", NULL, NULL },
	[SWEEP_TBT_P99] = { "tbt_p99_us", NULL, NULL },
	[SWEEP_BATCH_MEAN] = { "batch_mean", NULL, NULL },
};

/* --- a tenant --- */

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

/* By HSM's Eq. 2 and 3 over the whole private run, so that all models share one truth */
u32 sweep_class_alone(const struct session_options *options,
		      const struct session_figures *alone)
{
	const struct gpu_config *config = &options->config;
	u64 peak = gpu_peak_ipc(config);
	u64 line = line_ppm(options->model_params, alone->rbh_ppm), demand;

	if (!alone->ipc_ppm)
		return SIMGPU_CLASS_UNKNOWN;
	demand = fixed_mul_div(alone->bandwidth_ppm, peak * SIMGPU_PPM,
			       alone->ipc_ppm);
	return demand > line && line ? SIMGPU_CLASS_MEMORY :
				       SIMGPU_CLASS_COMPUTE;
}

/* Whether a built-in model divides tenants by HSM's line */
static bool draws_line(const char *model)
{
	return !strcmp(model, "hsm") || !strcmp(model, "hsm-atd") ||
	       !strcmp(model, "hsm-waiting");
}

static double as_ratio(u64 ppm)
{
	return (double)ppm / SIMGPU_PPM;
}

static u64 right_class_ppm(const struct sweep_tenant *tenant, u32 class_alone)
{
	switch (class_alone) {
	case SIMGPU_CLASS_MEMORY:
		return tenant->np_memory_ppm;
	case SIMGPU_CLASS_COMPUTE:
		return tenant->np_compute_ppm;
	default:
		return tenant->np_predicted_ppm;
	}
}

static void split_error(const struct session_options *options,
			const char *model, const struct sweep_tenant *tenant,
			struct verdict *out)
{
	const u64 *params = options->model_params;
	const struct session_figures *alone = &tenant->alone.figures;
	const struct error_facts facts = {
		.predicted = as_ratio(tenant->np_predicted_ppm),
		.actual = as_ratio(out->np),
		.right_class = as_ratio(right_class_ppm(tenant,
							out->class_alone)),
		.by_line = draws_line(model) &&
			   out->class_alone == SIMGPU_CLASS_MEMORY,
		.line_alone = as_ratio(line_ppm(params, alone->rbh_ppm)),
		.line_shared = as_ratio(line_ppm(params, tenant->rbh_ppm)),
		.utilization_alone = as_ratio(alone->bandwidth_ppm),
	};

	out->parts = error_split(&facts);
}

struct verdict sweep_judge(const struct session_options *options,
			   const char *model,
			   const struct sweep_tenant *tenant)
{
	struct verdict verdict = { .known = 0 };

	/* Without progress its NP is 0. */
	verdict.ran = tenant->starved;
	verdict.ran_late = tenant->starved && tenant->outlived;
	if (!tenant->instructions || !tenant->alone.cycles)
		return verdict;
	verdict.ran = 1;
	verdict.np = fixed_ratio_ppm(tenant->alone.cycles, tenant->cycles);
	verdict.ran_late = !!tenant->outlived;
	if (verdict.ran_late)
		verdict.np_late =
			fixed_ratio_ppm(tenant->alone.cycles -
					tenant->alone_late.cycles,
					tenant->cycles - tenant->late_cycles);
	verdict.class_alone = sweep_class_alone(options, &tenant->alone.figures);
	verdict.known = tenant->np_predicted_ppm && verdict.np;
	if (!verdict.known)
		return verdict;
	verdict.error = relative(tenant->np_predicted_ppm, verdict.np);
	/* |1 / P - 1 / NP| / (1 / NP) */
	verdict.error_sd = relative(verdict.np, tenant->np_predicted_ppm);
	split_error(options, model, tenant, &verdict);
	return verdict;
}

void sweep_verdicts(const struct session_options *options,
		    const struct sweep_run *run,
		    struct verdict out[MIX_TENANTS_MAX])
{
	u32 slot;

	for (slot = 0; slot < run->mix->count; slot++)
		out[slot] = sweep_judge(options,
					run->sweep->policies[run->policy].model,
					&run->tenants[slot]);
}

/* --- gathering --- */

static void add_value(struct sweep_part *part, enum sweep_figure figure,
		      const struct sweep_run *run, s64 ppm)
{
	struct sweep_sample *sample = &part->samples[figure];

	if (sample->count == sample->room) {
		sample->room = sample->room * 2 + 64;
		sample->values = grow(sample->values, sample->room,
				      sizeof(*sample->values));
	}
	sample->values[sample->count++] =
		(struct sweep_value) { .run = run, .ppm = ppm };
}

static void add_error_part(struct sweep_part *part, enum sweep_figure figure,
			   const struct sweep_run *run, double value)
{
	add_value(part, figure, run, llround(value * SIMGPU_PPM));
}

static void add_error(struct sweep_part *part, const struct sweep_run *run,
		      const struct verdict *verdict)
{
	const struct error_parts *parts = &verdict->parts;

	add_value(part, SWEEP_ERROR, run, (s64)verdict->error);
	add_value(part, SWEEP_ERROR_SD, run, (s64)verdict->error_sd);
	add_error_part(part, SWEEP_ERROR_LOG, run, parts->whole);
	add_error_part(part, SWEEP_ERROR_CLASS, run, parts->class);
	add_error_part(part, SWEEP_ERROR_LINE, run, parts->line);
	add_error_part(part, SWEEP_ERROR_DRIFT, run, parts->drift);
	add_error_part(part, SWEEP_ERROR_REST, run, parts->rest);
}

static void add_target(struct sweep_part *part, const struct sweep_run *run,
		       u64 target, const struct verdict *verdict)
{
	bool met = verdict->np_late >= target;

	part->qos_mixes++;
	part->qos_met += met;
	part->qos_near += !met && verdict->np_late >= target * 19 / 20;
	part->qos_met_whole += verdict->np >= target;
	add_value(part, SWEEP_REACH, run, met ? SIMGPU_PPM : 0);
	add_value(part, SWEEP_QOS_NP, run, (s64)verdict->np_late);
	add_value(part, SWEEP_QOS_NP_WHOLE, run, (s64)verdict->np);
}

static void add_tenant(struct sweep_part *part, const struct sweep_run *run,
		       const struct session_tenant_options *options,
		       const struct verdict *verdict)
{
	if (verdict->known)
		add_error(part, run, verdict);
	part->starved += verdict->ran && !verdict->np;
	if (options->service != SIMGPU_QOS)
		return;
	if (verdict->ran_late)
		add_target(part, run, options->target_ppm, verdict);
	else
		part->qos_unjudged += verdict->ran;
}

/* Convert nanoseconds to microseconds in ppm. */
static u64 us_ppm(u64 ns)
{
	return fixed_mul(ns, SIMGPU_PPM / 1000);
}

/* Add the figures of a tenant whose requests arrive by themselves. */
static void add_service(struct sweep_part *part, const struct sweep_run *run,
			const struct sweep_tenant *tenant)
{
	part->services++;
	part->launches += tenant->launches;
	part->deadline_misses += tenant->deadline_misses;
	if (!tenant->launches)
		return;
	add_value(part, SWEEP_LATENCY_P50, run, us_ppm(tenant->latency_p50_ns));
	add_value(part, SWEEP_LATENCY_P95, run, us_ppm(tenant->latency_p95_ns));
	add_value(part, SWEEP_LATENCY_P99, run, us_ppm(tenant->latency_p99_ns));
	add_value(part, SWEEP_WAIT_MEAN, run, us_ppm(tenant->wait_mean_ns));
	add_value(part, SWEEP_GOODPUT, run, tenant->goodput_ppm);
}

/* Add the times of a tenant's tokens, where its trace marks them. */
static void add_tokens(struct sweep_part *part, const struct sweep_run *run,
		       const struct sweep_tenant *tenant)
{
	part->first_tokens += tenant->first_tokens;
	part->tokens += tenant->tokens;
	if (tenant->first_tokens) {
		add_value(part, SWEEP_TTFT_MEAN, run, us_ppm(tenant->ttft_mean_ns));
		add_value(part, SWEEP_TTFT_P50, run, us_ppm(tenant->ttft_p50_ns));
		add_value(part, SWEEP_TTFT_P99, run, us_ppm(tenant->ttft_p99_ns));
	}
	if (tenant->tokens) {
		add_value(part, SWEEP_TBT_MEAN, run, us_ppm(tenant->tbt_mean_ns));
		add_value(part, SWEEP_TBT_P50, run, us_ppm(tenant->tbt_p50_ns));
		add_value(part, SWEEP_TBT_P99, run, us_ppm(tenant->tbt_p99_ns));
	}
	if (tenant->batch_mean_ppm)
		add_value(part, SWEEP_BATCH_MEAN, run, tenant->batch_mean_ppm);
}

static void add_paging(struct sweep_paging *sum, const struct sweep_paging *it)
{
	sum->faults += it->faults;
	sum->pages_in += it->pages_in;
	sum->pages_again += it->pages_again;
	sum->copied_in_bytes += it->copied_in_bytes;
	sum->copied_out_bytes += it->copied_out_bytes;
}

/* Themis, Eq. 11, with actual slowdowns. The slowdown of a starving tenant is infinite. */
static void add_unfairness(struct sweep_part *part, const struct sweep_run *run,
			   const struct verdict *verdicts)
{
	u64 least = U64_MAX, most = 0;
	u32 slot;

	for (slot = 0; slot < run->mix->count; slot++) {
		u64 value = U64_MAX;

		if (!verdicts[slot].ran)
			return;
		if (verdicts[slot].np)
			value = fixed_mul_div(run->mix->options[slot].weight,
					      SIMGPU_PPM * SIMGPU_PPM,
					      verdicts[slot].np);
		least = value < least ? value : least;
		most = value > most ? value : most;
	}
	add_value(part, SWEEP_UNFAIRNESS, run,
		  most == U64_MAX ? SIMGPU_PPM :
		  fixed_ratio_ppm(most - least, most));
}

/* STP of tenants without a target, in mixes where others have one (Themis, VII.D) */
static void add_batch(struct sweep_part *part, const struct sweep_run *run,
		      const struct verdict *verdicts)
{
	u64 sum = 0;
	u32 slot;

	if (!mix_has_target(run->mix))
		return;
	for (slot = 0; slot < run->mix->count; slot++)
		if (run->mix->options[slot].service != SIMGPU_QOS)
			sum = fixed_add(sum, verdicts[slot].np);
	add_value(part, SWEEP_BATCH_STP, run, sum);
}

/* Mean time from the order that an SM changes owner until it is free */
static void add_preemption(struct sweep_part *part, const struct sweep_run *run)
{
	u64 count = 0, cycles = 0;
	u32 slot;

	for (slot = 0; slot < run->mix->count; slot++) {
		count += run->tenants[slot].sm_handovers;
		cycles += run->tenants[slot].sm_handover_cycles;
	}
	if (count)
		add_value(part, SWEEP_PREEMPTION, run,
			  fixed_mul_div(cycles, SIMGPU_PPM,
					count * run->sweep->core_mhz));
}

/* Metrics of the tenants that have an NP. If one starves, ANTT is infinite; 0 stands for it. */
static void metrics_of(const struct sweep_run *run,
		       const struct verdict *verdicts, struct metrics *out)
{
	u64 nps[MIX_TENANTS_MAX];
	u32 known = 0, slot;

	for (slot = 0; slot < run->mix->count; slot++)
		if (verdicts[slot].ran)
			nps[known++] = verdicts[slot].np;
	metrics_compute(nps, known, out);
}

static void add_run(struct sweep_part *part, const struct sweep_run *run,
		    const struct verdict *verdicts)
{
	struct metrics metrics;
	u64 errors = 0;
	u32 predicted = 0, slot;

	part->mixes += run->seed == 0;
	if (sweep_is_refused(run)) {
		part->refused++;
		return;
	}
	for (slot = 0; slot < run->mix->count; slot++) {
		add_tenant(part, run, &run->mix->options[slot],
			   &verdicts[slot]);
		add_paging(&part->paging, &run->tenants[slot].paging);
		add_tokens(part, run, &run->tenants[slot]);
		if (run->mix->arrivals[slot].given)
			add_service(part, run, &run->tenants[slot]);
		if (verdicts[slot].known) {
			errors = fixed_add(errors, verdicts[slot].error);
			predicted++;
		}
	}
	metrics_of(run, verdicts, &metrics);
	add_value(part, SWEEP_FAIRNESS, run, metrics.fairness_ppm);
	add_value(part, SWEEP_STP, run, metrics.stp_ppm);
	if (metrics.antt_ppm)
		add_value(part, SWEEP_ANTT, run, metrics.antt_ppm);
	add_unfairness(part, run, verdicts);
	add_batch(part, run, verdicts);
	add_preemption(part, run);
	if (predicted)
		add_value(part, SWEEP_ERROR_MIX, run, errors / predicted);
}

/* Returns NULL for a count of 0. */
static struct sweep_part *new_parts(u32 count)
{
	struct sweep_part *parts;

	if (!count)
		return NULL;
	parts = grow(NULL, count, sizeof(*parts));
	memset(parts, 0, count * sizeof(*parts));
	return parts;
}

void sweep_summary_init(struct sweep_summary *summary, const struct sweep *sweep)
{
	u32 axis;

	memset(summary, 0, sizeof(*summary));
	for (axis = 0; axis < SWEEP_AXES; axis++)
		summary->points[axis] = new_parts(sweep->axes.of[axis].count);
	summary->sources = new_parts(sweep->suite.source_count);
}

/* A mix's category, from the class that HSM's line gives each tenant alone */
static enum mix_category category_alone(const struct sweep_run *run,
					const struct verdict *verdicts)
{
	u32 memory = 0, slot;

	for (slot = 0; slot < run->mix->count; slot++) {
		if (verdicts[slot].class_alone == SIMGPU_CLASS_UNKNOWN)
			return MIX_OTHER;
		memory += verdicts[slot].class_alone == SIMGPU_CLASS_MEMORY;
	}
	if (memory == run->mix->count)
		return MIX_MEMORY;
	return memory ? MIX_HETERO : MIX_COMPUTE;
}

/* All runs, a category, a point of each axis, a class alone, and a source */
#define SWEEP_PARTS	(SWEEP_AXES + 4)

/* Find the parts of a policy's runs to which a run belongs. Returns how many there are. */
static u32 parts_of(struct sweep_summary *summary, const struct sweep_run *run,
		    const struct verdict *verdicts,
		    struct sweep_part *out[SWEEP_PARTS])
{
	const struct sweep_axes *axes = &run->sweep->axes;
	u32 count = 0, axis;

	out[count++] = &summary->all;
	out[count++] = &summary->categories[run->mix->category];
	for (axis = 0; axis < SWEEP_AXES; axis++)
		if (summary->points[axis])
			out[count++] = &summary->points[axis][sweep_axes_index(
					axes, axis, run->point)];
	if (!summary->sources)
		return count;
	out[count++] = &summary->classes[category_alone(run, verdicts)];
	out[count++] = &summary->sources[run->mix->source];
	return count;
}

void sweep_summary_add(struct sweep_summary *summary, const struct sweep_run *run,
		       const struct verdict *verdicts)
{
	struct sweep_part *parts[SWEEP_PARTS];
	u32 count = parts_of(summary, run, verdicts, parts), i;

	for (i = 0; i < count; i++)
		add_run(parts[i], run, verdicts);
}

static void note_gain(u32 *better, double *gain, u64 after, u64 before)
{
	double more = before ? (double)after / (double)before - 1 : 0;

	*better += after > before;
	if (more > *gain)
		*gain = more;
}

void sweep_summary_compare(struct sweep_summary *summary,
			   const struct sweep_run *run,
			   const struct verdict *verdicts,
			   const struct verdict *reference)
{
	struct sweep_part *parts[SWEEP_PARTS];
	u32 count = parts_of(summary, run, verdicts, parts), i;
	struct metrics metrics, before;

	metrics_of(run, verdicts, &metrics);
	metrics_of(run, reference, &before);
	for (i = 0; i < count; i++) {
		struct sweep_improved *it = &parts[i]->improved;

		note_gain(&it->fairness, &it->fairness_gain,
			  metrics.fairness_ppm, before.fairness_ppm);
		note_gain(&it->stp, &it->stp_gain, metrics.stp_ppm,
			  before.stp_ppm);
		if (metrics.antt_ppm && before.antt_ppm)
			note_gain(&it->antt, &it->antt_gain, before.antt_ppm,
				  metrics.antt_ppm);
	}
}

/* --- estimating --- */

/* Compute the mean of each seed that has values. Returns how many seeds have some. */
static u32 mean_by_seed(const struct sweep_sample *sample, u32 seeds,
			double *means)
{
	s64 *sums = grow(NULL, seeds, sizeof(s64));
	u32 *counts = grow(NULL, seeds, sizeof(u32));
	u32 known = 0, i;

	memset(sums, 0, seeds * sizeof(s64));
	memset(counts, 0, seeds * sizeof(u32));
	for (i = 0; i < sample->count; i++) {
		u32 seed = sample->values[i].run->seed;

		sums[seed] += sample->values[i].ppm;
		counts[seed]++;
	}
	for (i = 0; i < seeds; i++)
		if (counts[i])
			means[known++] = (double)sums[i] / counts[i] /
					 SIMGPU_PPM;
	free(sums);
	free(counts);
	return known;
}

static void estimate_over_seeds(const struct sweep_sample *sample, u32 seeds,
				struct sweep_estimate *out)
{
	double *means = grow(NULL, seeds, sizeof(*means));
	u32 known = mean_by_seed(sample, seeds, means);

	out->mean = statistics_mean(means, known);
	if (out->mean > 0)
		out->mean_ppm = (u64)llround(out->mean * SIMGPU_PPM);
	out->ci95_known = statistics_ci95(means, known, &out->ci95);
	free(means);
}

struct observation sweep_observation(const struct sweep_run *run, double value)
{
	return (struct observation) {
		.value = value,
		.programs = run->mix->workload,
		.program_count = run->mix->count,
	};
}

static struct observation *observations_of(const struct sweep_sample *sample)
{
	struct observation *observations =
		grow(NULL, sample->count, sizeof(*observations));
	u32 i;

	for (i = 0; i < sample->count; i++)
		observations[i] =
			sweep_observation(sample->values[i].run,
					  (double)sample->values[i].ppm /
					  SIMGPU_PPM);
	return observations;
}

static void estimate_spread(const struct sweep_sample *sample, u32 programs,
			    struct sweep_estimate *out)
{
	struct observation *observations = observations_of(sample);
	double *values = grow(NULL, sample->count, sizeof(*values));
	u32 i;

	for (i = 0; i < sample->count; i++)
		values[i] = observations[i].value;
	out->bootstrap_known =
		statistics_bootstrap95(observations, sample->count, programs,
				       &out->bootstrap95);
	out->median = statistics_quantile(values, sample->count, 0.5);
	out->p90 = statistics_quantile(values, sample->count, 0.9);
	free(observations);
	free(values);
}

static void estimate_ratio(const struct sweep_sample *sample,
			   const struct sweep_sample *reference, u32 programs,
			   struct sweep_estimate *out)
{
	struct observation *above = observations_of(sample);
	struct observation *below = observations_of(reference);

	out->ratio_known =
		statistics_ratio95(above, sample->count, below,
				   reference->count, programs, &out->ratio,
				   &out->ratio95);
	free(above);
	free(below);
}

static void estimate(const struct sweep_sample *sample,
		     const struct sweep_sample *reference,
		     const struct sweep *sweep, struct sweep_estimate *out)
{
	u32 programs = sweep->suite.workload_count, i;

	if (!sample->count)
		return;
	out->known = true;
	for (i = 0; i < sample->count; i++)
		if (sample->values[i].ppm > (s64)out->greatest_ppm)
			out->greatest_ppm = (u64)sample->values[i].ppm;
	estimate_over_seeds(sample, (u32)sweep->seeds, out);
	estimate_spread(sample, programs, out);
	if (reference->count)
		estimate_ratio(sample, reference, programs, out);
}

static void finish_part(struct sweep_part *part,
			const struct sweep_part *reference,
			const struct sweep *sweep)
{
	u32 i;

	for (i = 0; i < SWEEP_FIGURES; i++)
		estimate(&part->samples[i], &reference->samples[i], sweep,
			 &part->figures[i]);
}

void sweep_summary_finish(struct sweep_summary *summary,
			  const struct sweep_summary *reference,
			  const struct sweep *sweep)
{
	u32 axis, i;

	finish_part(&summary->all, &reference->all, sweep);
	for (i = 0; i < MIX_CATEGORIES; i++)
		finish_part(&summary->categories[i], &reference->categories[i],
			    sweep);
	for (axis = 0; axis < SWEEP_AXES; axis++)
		for (i = 0; i < sweep->axes.of[axis].count; i++)
			finish_part(&summary->points[axis][i],
				    &reference->points[axis][i], sweep);
	for (i = 0; i < MIX_CATEGORIES; i++)
		finish_part(&summary->classes[i], &reference->classes[i], sweep);
	for (i = 0; i < sweep->suite.source_count; i++)
		finish_part(&summary->sources[i], &reference->sources[i], sweep);
}

static void free_part(struct sweep_part *part)
{
	u32 i;

	for (i = 0; i < SWEEP_FIGURES; i++)
		free(part->samples[i].values);
}

void sweep_summary_free(struct sweep_summary *summary, const struct sweep *sweep)
{
	u32 axis, i;

	free_part(&summary->all);
	for (i = 0; i < MIX_CATEGORIES; i++) {
		free_part(&summary->categories[i]);
		free_part(&summary->classes[i]);
	}
	for (i = 0; i < sweep->suite.source_count; i++)
		free_part(&summary->sources[i]);
	free(summary->sources);
	for (axis = 0; axis < SWEEP_AXES; axis++) {
		for (i = 0; i < sweep->axes.of[axis].count; i++)
			free_part(&summary->points[axis][i]);
		free(summary->points[axis]);
	}
}
