/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Statistics of means: intervals over seeds and over programs, and
 * quantiles. This file knows nothing about runs.
 */
#ifndef SIMGPU_STATISTICS_H
#define SIMGPU_STATISTICS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Number of draws of a bootstrap, and their seed. */
#define STATISTICS_RESAMPLES	1000
#define STATISTICS_SEED		1

/**
 * struct interval - where a true mean lies, with a confidence of 95%
 */
struct interval {
	double low;
	double high;
};

/**
 * struct observation - a value, and the programs that it was measured with
 * @programs: their indices; a program that stands there twice counts once
 */
struct observation {
	double value;
	const uint32_t *programs;
	uint32_t program_count;
};

/* splitmix64 of one number: the same bits on every machine. */
uint64_t statistics_bits(uint64_t value);

/* The mean; 0 of no values. */
double statistics_mean(const double *values, size_t count);

/* A sample's standard deviation (divided by @count - 1); 0 of fewer than two values. */
double statistics_deviation(const double *values, size_t count);

/* Student's t: 97.5% of the distribution with @freedom degrees lies below it. */
double statistics_t975(uint32_t freedom);

/**
 * statistics_ci95() - the mean's 95% interval by Student's t
 * @values: independent values
 * @count: number of values
 * @out: set
 *
 * Return: false if there are fewer than two values: then the interval is unknown.
 */
bool statistics_ci95(const double *values, size_t count, struct interval *out);

/**
 * statistics_quantile() - the value below which a part of the values lies
 * @values: at least one; they are sorted here
 * @count: number of values
 * @part: 0 to 1
 *
 * Between two values it is interpolated linearly (R's type 7).
 */
double statistics_quantile(double *values, size_t count, double part);

/**
 * statistics_rank_correlation() - whether two lists put things in the same order
 * @a: values
 * @b: values of the same things
 * @count: number of things
 * @out: set to -1 to 1 (Spearman's); equal values share the mean of their ranks
 *
 * Return: false if there are fewer than three values, or all values of a list are equal:
 * then there is no order.
 */
bool statistics_rank_correlation(const double *a, const double *b, size_t count,
				 double *out);

/**
 * statistics_bootstrap95() - the mean's 95% interval by bootstrap over programs
 * @observations: the mean is over these
 * @count: number of observations
 * @programs: number of programs; indices in @observations are below it
 * @out: set
 *
 * As many programs as occur are drawn from these, with replacement, STATISTICS_RESAMPLES
 * times. An observation counts as often as its programs can be chosen from the drawn
 * ones: the product of how often each was drawn. The draws are the same every time, from
 * STATISTICS_SEED on.
 *
 * Return: false if fewer than three programs occur, or memory ran out.
 */
bool statistics_bootstrap95(const struct observation *observations, size_t count,
			    uint32_t programs, struct interval *out);

/* The mean of the observations' values; 0 of none. */
double statistics_observed_mean(const struct observation *observations,
				size_t count);

/**
 * statistics_ratio95() - a ratio of two means, and its 95% interval by bootstrap over
 *	programs
 * @above: observations of the numerator
 * @above_count: number of these
 * @below: observations of the denominator
 * @below_count: number of these
 * @programs: as for statistics_bootstrap95()
 * @ratio: set
 * @out: set
 *
 * Both means use the same draws, so that influences of a program on both cancel out.
 *
 * Return: false as for statistics_bootstrap95(), or if the denominator is not above zero.
 */
bool statistics_ratio95(const struct observation *above, size_t above_count,
			const struct observation *below, size_t below_count,
			uint32_t programs, double *ratio, struct interval *out);

#endif /* SIMGPU_STATISTICS_H */
