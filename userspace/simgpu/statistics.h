/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What may be said of a mean: intervals over seeds and over programs, and
 * quantiles. Knows nothing of runs.
 */
#ifndef SIMGPU_STATISTICS_H
#define SIMGPU_STATISTICS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Draws of a bootstrap, and the seed that they begin from. */
#define STATISTICS_RESAMPLES	1000
#define STATISTICS_SEED		1

/**
 * struct interval - where a true mean lies with a confidence of 95%
 */
struct interval {
	double low;
	double high;
};

/**
 * struct observation - a value, and the programs that it was measured with
 * @programs: their indices; one that stands there twice counts once
 */
struct observation {
	double value;
	const uint32_t *programs;
	uint32_t program_count;
};

/* splitmix64 of one number: the same bits on every machine. */
uint64_t statistics_bits(uint64_t value);

/* 0 of nothing. */
double statistics_mean(const double *values, size_t count);

/* Of a sample, by one less than @count; 0 of fewer than two. */
double statistics_deviation(const double *values, size_t count);

/* Student's t: 97.5% of the distribution with so many degrees lie below it. */
double statistics_t975(uint32_t freedom);

/**
 * statistics_ci95() - the mean's 95% interval by Student's t
 * @values: independent ones
 * @count: how many
 * @out: set
 *
 * Return: false if there are fewer than two: then nothing is known.
 */
bool statistics_ci95(const double *values, size_t count, struct interval *out);

/**
 * statistics_quantile() - the value that a part of the values lie below
 * @values: at least one; they are sorted here
 * @count: how many
 * @part: 0 to 1
 *
 * Between two values the line through them holds (R's type 7).
 */
double statistics_quantile(double *values, size_t count, double part);

/**
 * statistics_rank_correlation() - whether two lists put things in the same order
 * @a: values
 * @b: of the same things
 * @count: how many
 * @out: set to -1 to 1 (Spearman's); equal values share the mean of their ranks
 *
 * Return: false if there are fewer than three, or all of a list are equal: then there
 * is no order.
 */
bool statistics_rank_correlation(const double *a, const double *b, size_t count,
				 double *out);

/**
 * statistics_bootstrap95() - the mean's 95% interval by bootstrap over programs
 * @observations: over which the mean is
 * @count: how many
 * @programs: number of programs that @observations' indices lie below
 * @out: set
 *
 * STATISTICS_RESAMPLES times as many programs as occur are drawn from them, with replacement. An
 * observation counts as often as its programs can be chosen from those drawn: the
 * product of how often each was. The same draws every time, from STATISTICS_SEED on.
 *
 * Return: false if fewer than three programs occur, or memory ran out.
 */
bool statistics_bootstrap95(const struct observation *observations, size_t count,
			    uint32_t programs, struct interval *out);

/* The mean of observations' values; 0 of none. */
double statistics_observed_mean(const struct observation *observations,
				size_t count);

/**
 * statistics_ratio95() - a ratio of two means, and its 95% interval by bootstrap over
 *	programs
 * @above: over which the mean above the line is
 * @above_count: how many
 * @below: and the one below it
 * @below_count: how many
 * @programs: as for statistics_bootstrap95()
 * @ratio: set
 * @out: set
 *
 * Both means are of the same draws, so that what programs add to both falls out.
 *
 * Return: false as for statistics_bootstrap95(), or if the mean below is not above zero.
 */
bool statistics_ratio95(const struct observation *above, size_t above_count,
			const struct observation *below, size_t below_count,
			uint32_t programs, double *ratio, struct interval *out);

#endif /* SIMGPU_STATISTICS_H */
