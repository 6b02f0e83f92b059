/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Figures of a sweep's runs: each tenant's actual NP and the model's error, and the
 * figures of each policy over all its runs and over parts of them.
 */
#ifndef SIMGPU_SWEEP_FIGURES_H
#define SIMGPU_SWEEP_FIGURES_H

#include "../statistics.h"
#include "sweep_error.h"
#include "sweep.h"

/* SIMGPU_CLASS_* of figures alone, by the line of the model in @options */
u32 sweep_class_alone(const struct session_options *options,
		      const struct session_figures *alone);

/**
 * struct verdict - a tenant's run beside its private one; all in ppm
 * @known: whether there was a prediction, and so an error; 1 or 0, as @ran and @ran_late
 * @class_alone: by HSM's line over the whole private run, whatever the model is
 * @ran: whether there is an NP: not of a tenant none of whose requests has come
 * @np: actual, over the first run (docs/glossary.md, NP); 0 of a tenant that had work and issued
 *	nothing
 * @ran_late: whether there is one after the warm-up, which the first run has outlived
 * @np_late: actual, after the warm-up
 * @error: |predicted - actual| / actual
 * @error_sd: the same of slowdowns, 1 / NP (Themis, Eq. 2)
 * @parts: what the error is made of
 */
struct verdict {
	u32 known;
	u32 class_alone;
	u32 ran;
	u32 ran_late;
	u64 np;
	u64 np_late;
	u64 error;
	u64 error_sd;
	struct error_parts parts;
};

/* Judge a tenant of a run under @model. */
struct verdict sweep_judge(const struct session_options *options,
			   const char *model,
			   const struct sweep_tenant *tenant);

/*
 * Figures of runs. Errors and targets are of tenants or of mixes. Latencies, in
 * microseconds, and goodput are of tenants whose requests arrive by themselves, once a
 * request has ended. Preemption, in microseconds, is of mixes in which an SM changed
 * owner. Times to first token and between tokens, in microseconds, are of tenants that
 * have marked tokens.
 */
enum sweep_figure {
	SWEEP_FAIRNESS,
	SWEEP_STP,
	SWEEP_ANTT,
	SWEEP_ERROR,
	SWEEP_ERROR_MIX,
	SWEEP_ERROR_SD,
	SWEEP_UNFAIRNESS,
	SWEEP_ERROR_LOG,	/* this and the next four may be below zero */
	SWEEP_ERROR_CLASS,
	SWEEP_ERROR_LINE,
	SWEEP_ERROR_DRIFT,
	SWEEP_ERROR_REST,
	SWEEP_QOS_NP,
	SWEEP_QOS_NP_WHOLE,
	SWEEP_REACH,
	SWEEP_BATCH_STP,
	SWEEP_LATENCY_P50,
	SWEEP_LATENCY_P95,
	SWEEP_LATENCY_P99,
	SWEEP_WAIT_MEAN,
	SWEEP_GOODPUT,
	SWEEP_PREEMPTION,
	SWEEP_TTFT_MEAN,
	SWEEP_TTFT_P50,
	SWEEP_TTFT_P99,
	SWEEP_TBT_MEAN,
	SWEEP_TBT_P50,
	SWEEP_TBT_P99,
	SWEEP_BATCH_MEAN,
	SWEEP_FIGURES
};

/**
 * struct sweep_figure_kind - a row of the table of figures
 * @key: key of the mean; intervals over seeds are named after it
 * @greatest: key of the greatest value; NULL: it is not printed
 * @stem: name of intervals over programs, median and p90; NULL: median and p90 are not
 *	printed, and the interval is named after @key
 */
struct sweep_figure_kind {
	const char *key;
	const char *greatest;
	const char *stem;
};

extern const struct sweep_figure_kind sweep_figure_kinds[SWEEP_FIGURES];

/**
 * struct sweep_estimate - estimates of a figure
 * @known: some run has the figure
 * @mean_ppm: mean; with several seeds the mean of their means. 0 for figures that may be
 *	negative
 * @mean: mean with its sign
 * @ci95_known: there were several seeds
 * @ci95: Student's interval over the means of the seeds
 * @median: median over runs or tenants
 * @p90: 90th percentile over runs or tenants
 * @bootstrap_known: there were enough programs
 * @bootstrap95: interval over programs
 * @ratio_known: the reference has the figure, and there were enough programs
 * @ratio: mean divided by the reference's mean
 * @ratio95: interval of @ratio over programs
 */
struct sweep_estimate {
	bool known;
	u64 mean_ppm;
	double mean;
	u64 greatest_ppm;
	bool ci95_known;
	struct interval ci95;
	double median;
	double p90;
	bool bootstrap_known;
	struct interval bootstrap95;
	bool ratio_known;
	double ratio;
	struct interval ratio95;
};

/**
 * struct sweep_value - a figure of a run, or of one of its tenants
 */
struct sweep_value {
	const struct sweep_run *run;
	s64 ppm;
};

/**
 * struct sweep_sample - all values of a figure
 */
struct sweep_sample {
	struct sweep_value *values;
	u32 count;
	u32 room;
};

/**
 * struct sweep_improved - runs that are better than the reference policy's run of the same
 *	mix, at the same point and with the same seed
 * @fairness: runs with greater fairness
 * @stp: runs with greater STP
 * @antt: runs with less ANTT
 * @fairness_gain: greatest fairness divided by the reference's, less 1
 * @stp_gain: greatest STP divided by the reference's, less 1
 * @antt_gain: greatest ANTT of the reference divided by the run's, less 1
 */
struct sweep_improved {
	u32 fairness;
	u32 stp;
	u32 antt;
	double fairness_gain;
	double stp_gain;
	double antt_gain;
};

/**
 * struct sweep_part - a policy over some of its runs
 * @mixes: at their points, with one seed
 * @refused: runs whose figures are not those of the policy and its model, with all seeds;
 *	nothing else counts them but @mixes
 * @improved: runs beside the reference's, with all seeds
 * @starved: tenants with an NP of 0, with all seeds
 * @qos_mixes: tenants with a target that is judged, with all seeds
 * @qos_unjudged: tenants with a target whose first run did not outlive the warm-up
 * @qos_met: @qos_mixes whose actual NP reached the target after the warm-up
 * @qos_near: those that missed it by less than 5% of it
 * @qos_met_whole: @qos_mixes whose actual NP over the whole first run reached the target
 * @services: tenants whose requests come by themselves, with all seeds
 * @launches: launches of @services that have ended
 * @deadline_misses: of @launches
 * @first_tokens: first tokens of all tenants' requests, with all seeds
 * @tokens: their further tokens
 * @paging: sums of all tenants, with all seeds
 */
struct sweep_part {
	u32 mixes;
	u32 refused;
	u32 starved;
	u32 qos_mixes;
	u32 qos_unjudged;
	u32 qos_met;
	u32 qos_near;
	u32 qos_met_whole;
	struct sweep_improved improved;
	u32 services;
	u64 launches;
	u64 deadline_misses;
	u64 first_tokens;
	u64 tokens;
	struct sweep_paging paging;
	struct sweep_sample samples[SWEEP_FIGURES];
	struct sweep_estimate figures[SWEEP_FIGURES];
};

/**
 * struct sweep_summary - a policy over all runs, and the same runs in parts
 * @points: by axis, a part for each of its points
 * @classes: by the classes of a mix's tenants alone, indexed by category; filled if the
 *	suite has sources
 * @sources: by source, if the suite has sources
 */
struct sweep_summary {
	struct sweep_part all;
	struct sweep_part categories[MIX_CATEGORIES];
	struct sweep_part *points[SWEEP_AXES];
	struct sweep_part classes[MIX_CATEGORIES];
	struct sweep_part *sources;
};

/* Both: the runs of one policy */
void sweep_summary_init(struct sweep_summary *summary, const struct sweep *sweep);
void sweep_summary_add(struct sweep_summary *summary, const struct sweep_run *run,
		       const struct verdict *verdicts);
/* Called for all policies when all runs are added */
void sweep_summary_finish(struct sweep_summary *summary,
			  const struct sweep_summary *reference,
			  const struct sweep *sweep);
void sweep_summary_free(struct sweep_summary *summary,
			const struct sweep *sweep);

/**
 * sweep_verdicts() - judge all tenants of a run
 * @options: options of the sweep
 * @out: set, by slot
 */
void sweep_verdicts(const struct session_options *options,
		    const struct sweep_run *run,
		    struct verdict out[MIX_TENANTS_MAX]);

/* Compare a run with the reference's run of the same mix. */
void sweep_summary_compare(struct sweep_summary *summary,
			   const struct sweep_run *run,
			   const struct verdict *verdicts,
			   const struct verdict *reference);

/* A value of a run, with the programs of its mix. */
struct observation sweep_observation(const struct sweep_run *run, double value);

#endif /* SIMGPU_SWEEP_FIGURES_H */
