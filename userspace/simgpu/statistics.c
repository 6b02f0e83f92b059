// SPDX-License-Identifier: GPL-2.0
/* Intervals and quantiles; see statistics.h. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include <simgpu/random.h>

#include "statistics.h"

/* Most draws: a draw in which no observation has all its programs is repeated. */
#define DRAWS_MAX	(100 * STATISTICS_RESAMPLES)

uint64_t statistics_bits(uint64_t value)
{
	return simgpu_random_mix(value + SIMGPU_RANDOM_STEP);
}

double statistics_mean(const double *values, size_t count)
{
	double sum = 0;
	size_t i;

	for (i = 0; i < count; i++)
		sum += values[i];
	return count ? sum / (double)count : 0;
}

double statistics_deviation(const double *values, size_t count)
{
	double mean = statistics_mean(values, count), squares = 0;
	size_t i;

	if (count < 2)
		return 0;
	for (i = 0; i < count; i++)
		squares += (values[i] - mean) * (values[i] - mean);
	return sqrt(squares / (double)(count - 1));
}

/* The rank of a value, from 1; equal values have the mean of their ranks. */
static double rank_of(const double *values, size_t count, size_t index)
{
	size_t below = 0, equal = 0, i;

	for (i = 0; i < count; i++) {
		below += values[i] < values[index];
		equal += values[i] == values[index];
	}
	return (double)below + ((double)equal + 1) / 2;
}

bool statistics_rank_correlation(const double *a, const double *b, size_t count,
				 double *out)
{
	double middle = ((double)count + 1) / 2, both = 0, of_a = 0, of_b = 0;
	size_t i;

	for (i = 0; count > 2 && i < count; i++) {
		double from_a = rank_of(a, count, i) - middle;
		double from_b = rank_of(b, count, i) - middle;

		both += from_a * from_b;
		of_a += from_a * from_a;
		of_b += from_b * from_b;
	}
	if (of_a == 0 || of_b == 0)
		return false;
	*out = both / sqrt(of_a * of_b);
	return true;
}

double statistics_t975(uint32_t freedom)
{
	static const double table[] = {
		INFINITY, 12.706205, 4.302653, 3.182446, 2.776445, 2.570582,
		2.446912, 2.364624, 2.306004, 2.262157, 2.228139, 2.200985,
		2.178813, 2.160369, 2.144787, 2.131450, 2.119905, 2.109816,
		2.100922, 2.093024, 2.085963, 2.079614, 2.073873, 2.068658,
		2.063899, 2.059539, 2.055529, 2.051831, 2.048407, 2.045230,
		2.042272,
	};
	const double z = 1.959964, z3 = z * z * z, z5 = z3 * z * z;
	const double z7 = z5 * z * z;
	double n = freedom;

	if (freedom < sizeof(table) / sizeof(*table))
		return table[freedom];
	/* Cornish and Fisher's expansion about the normal quantile. */
	return z + (z3 + z) / (4 * n) +
	       (5 * z5 + 16 * z3 + 3 * z) / (96 * n * n) +
	       (3 * z7 + 19 * z5 + 17 * z3 - 15 * z) / (384 * n * n * n);
}

bool statistics_ci95(const double *values, size_t count, struct interval *out)
{
	double mean = statistics_mean(values, count), half;

	if (count < 2)
		return false;
	half = statistics_t975((uint32_t)count - 1) *
	       statistics_deviation(values, count) / sqrt((double)count);
	*out = (struct interval) { .low = mean - half, .high = mean + half };
	return true;
}

static int compare(const void *a, const void *b)
{
	double left = *(const double *)a, right = *(const double *)b;

	return (left > right) - (left < right);
}

double statistics_quantile(double *values, size_t count, double part)
{
	double at = part * (double)(count - 1);
	size_t below = (size_t)at;

	qsort(values, count, sizeof(*values), compare);
	if (below + 1 >= count)
		return values[count - 1];
	return values[below] +
	       (at - (double)below) * (values[below + 1] - values[below]);
}

/* --- bootstrap --- */

/**
 * struct draws - the programs that are drawn
 * @occurring: the programs that occur
 * @drawn: by program, how often it was drawn
 * @state: state of the generator
 */
struct draws {
	uint32_t *occurring;
	uint32_t count;
	uint32_t *drawn;
	uint32_t programs;
	uint64_t state;
};

static bool is_repeated(const struct observation *observation, uint32_t at)
{
	uint32_t i;

	for (i = 0; i < at; i++)
		if (observation->programs[i] == observation->programs[at])
			return true;
	return false;
}

static void find_occurring(const struct observation *observations, size_t count,
			   struct draws *draws)
{
	size_t i;
	uint32_t k;

	for (i = 0; i < count; i++)
		for (k = 0; k < observations[i].program_count; k++)
			draws->drawn[observations[i].programs[k]] = 1;
	for (k = 0; k < draws->programs; k++)
		if (draws->drawn[k])
			draws->occurring[draws->count++] = k;
}

static void draw(struct draws *draws)
{
	uint32_t i;

	memset(draws->drawn, 0, draws->programs * sizeof(*draws->drawn));
	for (i = 0; i < draws->count; i++) {
		draws->state = statistics_bits(draws->state);
		draws->drawn[draws->occurring[draws->state % draws->count]]++;
	}
}

/* The mean over a draw; false if none of the observations has all its programs. */
static bool weighted_mean(const struct observation *observations, size_t count,
			  const uint32_t *drawn, double *mean)
{
	double sum = 0, weights = 0;
	size_t i;
	uint32_t k;

	for (i = 0; i < count; i++) {
		const struct observation *observation = &observations[i];
		double weight = 1;

		for (k = 0; k < observation->program_count; k++)
			if (!is_repeated(observation, k))
				weight *= drawn[observation->programs[k]];
		sum += weight * observation->value;
		weights += weight;
	}
	if (weights > 0)
		*mean = sum / weights;
	return weights > 0;
}

/**
 * struct sample - the observations of a mean, or of a ratio of two means
 * @of: observations of the mean, or of the numerator
 * @below: observations of the denominator; NULL: it is no ratio
 */
struct sample {
	const struct observation *of;
	size_t count;
	const struct observation *below;
	size_t below_count;
};

static bool value_of(const struct sample *sample, const uint32_t *drawn,
		     double *value)
{
	double below;

	if (!weighted_mean(sample->of, sample->count, drawn, value))
		return false;
	if (!sample->below)
		return true;
	if (!weighted_mean(sample->below, sample->below_count, drawn, &below) ||
	    !(below > 0))
		return false;
	*value /= below;
	return true;
}

static bool resample(const struct sample *sample, struct draws *draws,
		     struct interval *out)
{
	double values[STATISTICS_RESAMPLES];
	uint32_t known = 0, i;

	find_occurring(sample->of, sample->count, draws);
	if (draws->count < 3)
		return false;
	for (i = 0; i < DRAWS_MAX && known < STATISTICS_RESAMPLES; i++) {
		draw(draws);
		if (value_of(sample, draws->drawn, &values[known]))
			known++;
	}
	if (known < STATISTICS_RESAMPLES)
		return false;
	out->low = statistics_quantile(values, STATISTICS_RESAMPLES, 0.025);
	out->high = statistics_quantile(values, STATISTICS_RESAMPLES, 0.975);
	return true;
}

static bool bootstrap(const struct sample *sample, uint32_t programs,
		      struct interval *out)
{
	struct draws draws = {
		.occurring = calloc(programs + 1, sizeof(uint32_t)),
		.drawn = calloc(programs + 1, sizeof(uint32_t)),
		.programs = programs,
		.state = STATISTICS_SEED,
	};
	bool known = false;

	if (draws.occurring && draws.drawn)
		known = resample(sample, &draws, out);
	free(draws.occurring);
	free(draws.drawn);
	return known;
}

bool statistics_bootstrap95(const struct observation *observations, size_t count,
			    uint32_t programs, struct interval *out)
{
	const struct sample sample = { .of = observations, .count = count };

	return bootstrap(&sample, programs, out);
}

double statistics_observed_mean(const struct observation *observations,
				size_t count)
{
	double sum = 0;
	size_t i;

	for (i = 0; i < count; i++)
		sum += observations[i].value;
	return count ? sum / (double)count : 0;
}

bool statistics_ratio95(const struct observation *above, size_t above_count,
			const struct observation *below, size_t below_count,
			uint32_t programs, double *ratio, struct interval *out)
{
	const struct sample sample = {
		.of = above, .count = above_count,
		.below = below, .below_count = below_count,
	};
	double mean = statistics_observed_mean(below, below_count);

	if (!(mean > 0) || !bootstrap(&sample, programs, out))
		return false;
	*ratio = statistics_observed_mean(above, above_count) / mean;
	return true;
}
