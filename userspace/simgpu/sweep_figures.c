// SPDX-License-Identifier: GPL-2.0
/* Figures of sweeps; see sweep_figures.h. */
#include <math.h>

#include "sweep_figures.h"

const struct sweep_figure_kind sweep_figure_kinds[SWEEP_FIGURES] = {
	[SWEEP_FAIRNESS] = { "fairness", NULL, "fairness" },
	[SWEEP_STP] = { "stp", NULL, "stp" },
	[SWEEP_ANTT] = { "antt", NULL, "antt" },
	[SWEEP_ERROR] = { "error_mean", "error_max", "error" },
	[SWEEP_ERROR_MIX] = { "error_mix_mean", "error_mix_max", "error_mix" },
	[SWEEP_ERROR_SD] = { "sd_error_mean", "sd_error_max", "sd_error" },
	[SWEEP_UNFAIRNESS] = { "unfairness_mean", NULL, "unfairness" },
	[SWEEP_ERROR_CLASS] = { "error_class", NULL, NULL },
	[SWEEP_ERROR_LINE] = { "error_line", NULL, NULL },
	[SWEEP_ERROR_DRIFT] = { "error_drift", NULL, NULL },
	[SWEEP_ERROR_REST] = { "error_rest", NULL, NULL },
	[SWEEP_QOS_NP] = { "qos_np", NULL, "qos_np" },
	[SWEEP_REACH] = { "reach", NULL, NULL },
	[SWEEP_BATCH_STP] = { "batch_stp", NULL, NULL },
	[SWEEP_LATENCY_P50] = { "latency_p50_us", NULL, NULL },
	[SWEEP_LATENCY_P95] = { "latency_p95_us", NULL, NULL },
	[SWEEP_LATENCY_P99] = { "latency_p99_us", NULL, NULL },
	[SWEEP_WAIT_MEAN] = { "wait_mean_us", NULL, NULL },
	[SWEEP_GOODPUT] = { "goodput", NULL, NULL },
	[SWEEP_PREEMPTION] = { "preemption_latency_us", NULL, NULL },
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

/* HSM's Eq. 2 and 3 over the whole private run: the same truth for every model. */
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

static void split_error(const struct session_options *options,
			const struct sweep_tenant *tenant, struct verdict *out)
{
	const u64 *params = options->model_params;
	const struct session_figures *alone = &tenant->alone.figures;
	u64 line = line_ppm(params, alone->rbh_ppm), np;

	if (tenant->class != out->class_alone) {
		out->error_class = out->error;
	} else if (tenant->class == SIMGPU_CLASS_MEMORY) {
		out->error_line = relative(line, alone->bandwidth_ppm);
		out->error_drift =
			relative(line_ppm(params, tenant->rbh_ppm), line);
		np = fixed_ratio_ppm(tenant->bandwidth_ppm,
				     alone->bandwidth_ppm);
		out->error_rest = relative(np, out->np);
	} else {
		out->error_rest = relative(tenant->sms_milli * 1000 /
					   options->config.sms, out->np);
	}
}

struct verdict sweep_judge(const struct session_options *options,
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
	verdict.class_alone = sweep_class_alone(options, &tenant->alone.figures);
	verdict.known = tenant->np_predicted_ppm != 0;
	if (!verdict.known)
		return verdict;
	verdict.error = relative(tenant->np_predicted_ppm, verdict.np);
	/* |1 / P - 1 / NP| / (1 / NP) */
	verdict.error_sd = relative(verdict.np, tenant->np_predicted_ppm);
	split_error(options, tenant, &verdict);
	return verdict;
}

/* --- gathering --- */

static void add_value(struct sweep_part *part, enum sweep_figure figure,
		      const struct sweep_run *run, u64 ppm)
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

static void add_tenant(struct sweep_part *part, const struct sweep_run *run,
		       const struct session_tenant_options *options,
		       const struct verdict *verdict)
{
	if (verdict->known) {
		add_value(part, SWEEP_ERROR, run, verdict->error);
		add_value(part, SWEEP_ERROR_SD, run, verdict->error_sd);
		add_value(part, SWEEP_ERROR_CLASS, run, verdict->error_class);
		add_value(part, SWEEP_ERROR_LINE, run, verdict->error_line);
		add_value(part, SWEEP_ERROR_DRIFT, run, verdict->error_drift);
		add_value(part, SWEEP_ERROR_REST, run, verdict->error_rest);
	}
	if (options->service == SIMGPU_QOS && verdict->np_late) {
		bool met = verdict->np_late >= options->target_ppm;

		part->qos_mixes++;
		part->qos_met += met;
		part->qos_near += !met && verdict->np_late >=
				  options->target_ppm * 19 / 20;
		add_value(part, SWEEP_REACH, run, met ? SIMGPU_PPM : 0);
		add_value(part, SWEEP_QOS_NP, run, verdict->np_late);
	}
}

/* Nanoseconds as parts per million of microseconds. */
static u64 us_ppm(u64 ns)
{
	return fixed_mul(ns, SIMGPU_PPM / 1000);
}

/* A tenant whose requests come by themselves. */
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

/* Themis, Eq. 11, by actual slowdowns; 0 where an NP is not known. */
static u64 unfairness(const struct sweep_run *run, const struct verdict *verdicts)
{
	u64 least = U64_MAX, most = 0;
	u32 slot;

	for (slot = 0; slot < run->mix->count; slot++) {
		u64 value;

		if (!verdicts[slot].np)
			return 0;
		value = fixed_mul_div(run->mix->options[slot].weight,
				      SIMGPU_PPM * SIMGPU_PPM,
				      verdicts[slot].np);
		least = value < least ? value : least;
		most = value > most ? value : most;
	}
	return fixed_ratio_ppm(most - least, most);
}

/* Progress of those without a target, where others have one (Themis, VII.D). */
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

/* How long SMs that changed hands were waited for, on average. */
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

static void add_run(struct sweep_part *part, const struct sweep_run *run,
		    const struct verdict *verdicts)
{
	struct metrics metrics;
	u64 nps[MIX_TENANTS_MAX], errors = 0;
	u32 known = 0, predicted = 0, slot;

	for (slot = 0; slot < run->mix->count; slot++) {
		add_tenant(part, run, &run->mix->options[slot],
			   &verdicts[slot]);
		if (run->mix->arrivals[slot].given)
			add_service(part, run, &run->tenants[slot]);
		if (verdicts[slot].np)
			nps[known++] = verdicts[slot].np;
		if (verdicts[slot].known) {
			errors = fixed_add(errors, verdicts[slot].error);
			predicted++;
		}
	}
	metrics_compute(nps, known, &metrics);
	part->mixes += run->seed == 0;
	add_value(part, SWEEP_FAIRNESS, run, metrics.fairness_ppm);
	add_value(part, SWEEP_STP, run, metrics.stp_ppm);
	add_value(part, SWEEP_ANTT, run, metrics.antt_ppm);
	add_value(part, SWEEP_UNFAIRNESS, run, unfairness(run, verdicts));
	add_batch(part, run, verdicts);
	add_preemption(part, run);
	if (predicted)
		add_value(part, SWEEP_ERROR_MIX, run, errors / predicted);
}

void sweep_summary_init(struct sweep_summary *summary, const struct sweep *sweep)
{
	u32 axis;

	memset(summary, 0, sizeof(*summary));
	for (axis = 0; axis < SWEEP_AXES; axis++) {
		u32 count = sweep->axes.of[axis].count;

		if (!count)
			continue;
		summary->points[axis] =
			grow(NULL, count, sizeof(struct sweep_part));
		memset(summary->points[axis], 0,
		       count * sizeof(struct sweep_part));
	}
}

void sweep_summary_add(struct sweep_summary *summary, const struct sweep_run *run,
		       const struct verdict *verdicts)
{
	const struct sweep_axes *axes = &run->sweep->axes;
	u32 axis;

	add_run(&summary->all, run, verdicts);
	add_run(&summary->categories[run->mix->category], run, verdicts);
	for (axis = 0; axis < SWEEP_AXES; axis++)
		if (summary->points[axis])
			add_run(&summary->points[axis][sweep_axes_index(
					axes, axis, run->point)],
				run, verdicts);
}

/* --- estimating --- */

/* The mean of each seed that has a value; how many there are. */
static u32 mean_by_seed(const struct sweep_sample *sample, u32 seeds,
			double *means)
{
	u64 *sums = grow(NULL, seeds, sizeof(u64));
	u32 *counts = grow(NULL, seeds, sizeof(u32));
	u32 known = 0, i;

	memset(sums, 0, seeds * sizeof(u64));
	memset(counts, 0, seeds * sizeof(u32));
	for (i = 0; i < sample->count; i++) {
		u32 seed = sample->values[i].run->seed;

		sums[seed] = fixed_add(sums[seed], sample->values[i].ppm);
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

	out->mean_ppm = (u64)llround(statistics_mean(means, known) *
				     SIMGPU_PPM);
	out->ci95_known = statistics_ci95(means, known, &out->ci95);
	free(means);
}

static void estimate_spread(const struct sweep_sample *sample, u32 programs,
			    struct sweep_estimate *out)
{
	struct observation *observations =
		grow(NULL, sample->count, sizeof(*observations));
	double *values = grow(NULL, sample->count, sizeof(*values));
	u32 i;

	for (i = 0; i < sample->count; i++) {
		const struct mix *mix = sample->values[i].run->mix;

		values[i] = (double)sample->values[i].ppm / SIMGPU_PPM;
		observations[i] = (struct observation) {
			.value = values[i],
			.programs = mix->workload,
			.program_count = mix->count,
		};
	}
	out->bootstrap_known =
		statistics_bootstrap95(observations, sample->count, programs,
				       &out->bootstrap95);
	out->median = statistics_quantile(values, sample->count, 0.5);
	out->p90 = statistics_quantile(values, sample->count, 0.9);
	free(observations);
	free(values);
}

static void estimate(struct sweep_sample *sample, const struct sweep *sweep,
		     struct sweep_estimate *out)
{
	u32 i;

	if (!sample->count)
		return;
	out->known = true;
	for (i = 0; i < sample->count; i++)
		if (sample->values[i].ppm > out->greatest_ppm)
			out->greatest_ppm = sample->values[i].ppm;
	estimate_over_seeds(sample, (u32)sweep->seeds, out);
	estimate_spread(sample, sweep->suite.workload_count, out);
	free(sample->values);
	memset(sample, 0, sizeof(*sample));
}

static void finish_part(struct sweep_part *part, const struct sweep *sweep)
{
	u32 i;

	for (i = 0; i < SWEEP_FIGURES; i++)
		estimate(&part->samples[i], sweep, &part->figures[i]);
}

void sweep_summary_finish(struct sweep_summary *summary,
			  const struct sweep *sweep)
{
	u32 axis, i;

	finish_part(&summary->all, sweep);
	for (i = 0; i < MIX_CATEGORIES; i++)
		finish_part(&summary->categories[i], sweep);
	for (axis = 0; axis < SWEEP_AXES; axis++)
		for (i = 0; i < sweep->axes.of[axis].count; i++)
			finish_part(&summary->points[axis][i], sweep);
}

void sweep_summary_free(struct sweep_summary *summary)
{
	u32 axis;

	for (axis = 0; axis < SWEEP_AXES; axis++)
		free(summary->points[axis]);
}
