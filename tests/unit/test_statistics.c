// SPDX-License-Identifier: GPL-2.0
/* Intervals and quantiles against values from tables and by hand. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <cmocka.h>

#include "../../userspace/simgpu/statistics.h"

static void near(double value, double expected, double tolerance)
{
	if (!(fabs(value - expected) <= tolerance))
		fail_msg("%.7f is not %.7f", value, expected);
}

/* From tables of Student's distribution, on both sides of where ours ends. */
static void t_is_students(void **state)
{
	static const struct {
		uint32_t freedom;
		double t;
	} known[] = {
		{ 1, 12.7062 }, { 2, 4.3027 }, { 4, 2.7764 }, { 9, 2.2622 },
		{ 19, 2.0930 }, { 29, 2.0452 }, { 30, 2.0423 }, { 31, 2.0395 },
		{ 40, 2.0211 }, { 60, 2.0003 }, { 120, 1.9799 },
		{ 1000, 1.9623 },
	};
	uint32_t i;

	for (i = 0; i < sizeof(known) / sizeof(*known); i++)
		near(statistics_t975(known[i].freedom), known[i].t, 6e-5);
	for (i = 1; i < 200; i++)
		assert_true(statistics_t975(i) > statistics_t975(i + 1));
}

/* 1 to 5: mean 3, deviation 1.5811, half 2.7764 * 1.5811 / sqrt(5). */
static void interval_of_seeds(void **state)
{
	const double values[] = { 1, 2, 3, 4, 5 };
	const double equal[] = { 0.7, 0.7, 0.7 };
	struct interval interval;

	assert_true(statistics_ci95(values, 5, &interval));
	near(interval.low, 3 - 1.963243, 1e-5);
	near(interval.high, 3 + 1.963243, 1e-5);
	assert_true(statistics_ci95(equal, 3, &interval));
	near(interval.low, 0.7, 1e-12);
	near(interval.high, 0.7, 1e-12);
	assert_true(statistics_ci95(values, 2, &interval));
	near(interval.high - interval.low, 12.706205, 1e-5);
	assert_false(statistics_ci95(values, 1, &interval));
	assert_false(statistics_ci95(values, 0, &interval));
	near(statistics_mean(values, 0), 0, 0);
}

static void quantiles(void **state)
{
	double values[] = { 40, 10, 30, 20 };
	double one[] = { 7 };

	near(statistics_quantile(values, 4, 0.5), 25, 1e-12);
	near(statistics_quantile(values, 4, 0.9), 37, 1e-12);
	near(statistics_quantile(values, 4, 0), 10, 0);
	near(statistics_quantile(values, 4, 1), 40, 0);
	near(statistics_quantile(one, 1, 0.9), 7, 0);
}

#define PROGRAMS	12

static uint32_t programs[PROGRAMS][PROGRAMS][2];
static struct observation pairs[PROGRAMS * PROGRAMS];

/* All pairs a < b; the value is what @of says. */
static size_t make_pairs(double (*of)(uint32_t a, uint32_t b))
{
	size_t count = 0;
	uint32_t a, b;

	for (a = 0; a < PROGRAMS; a++)
		for (b = a + 1; b < PROGRAMS; b++) {
			programs[a][b][0] = a;
			programs[a][b][1] = b;
			pairs[count++] = (struct observation) {
				.value = of(a, b),
				.programs = programs[a][b],
				.program_count = 2,
			};
		}
	return count;
}

static double constant(uint32_t a, uint32_t b)
{
	return 0.5;
}

static double sum_of_both(uint32_t a, uint32_t b)
{
	return a + b;
}

/*
 * A mean over pairs of what each program adds is twice the mean over programs, whose
 * error is deviation / sqrt(programs). With 12 of deviation sqrt(143 / 12), the
 * interval is 2 * 1.96 * 2 * 0.9965 = 3.9 on each side of 11, but for what pairs of
 * one program leave out.
 */
static void bootstrap_goes_over_programs(void **state)
{
	size_t count = make_pairs(sum_of_both);
	struct interval first, again;

	assert_true(statistics_bootstrap95(pairs, count, PROGRAMS, &first));
	near((first.low + first.high) / 2, 11, 0.4);
	near((first.high - first.low) / 2, 3.9, 0.6);
	assert_true(statistics_bootstrap95(pairs, count, PROGRAMS, &again));
	assert_true(first.low == again.low && first.high == again.high);
}

static void bootstrap_of_little(void **state)
{
	static const uint32_t alone[] = { 0, 0 }, three[] = { 3, 4, 5 };
	struct observation few[] = {
		{ .value = 2, .programs = alone, .program_count = 2 },
		{ .value = 4, .programs = three, .program_count = 3 },
	};
	size_t count = make_pairs(constant);
	struct interval interval;

	assert_true(statistics_bootstrap95(pairs, count, PROGRAMS, &interval));
	near(interval.low, 0.5, 1e-12);
	near(interval.high, 0.5, 1e-12);
	/* Indices that do not occur change nothing. */
	assert_true(statistics_bootstrap95(pairs, count, 1000, &interval));
	assert_false(statistics_bootstrap95(pairs, 1, PROGRAMS, &interval));
	assert_false(statistics_bootstrap95(pairs, 0, PROGRAMS, &interval));
	assert_true(statistics_bootstrap95(few, 2, PROGRAMS, &interval));
	near(interval.low, 2, 1e-12);
	near(interval.high, 4, 1e-12);
}

/* What a program adds counts in both means: twice as much is twice as much in each draw. */
static void ratios_are_of_the_same_draws(void **state)
{
	struct observation twice[PROGRAMS * PROGRAMS];
	size_t count = make_pairs(sum_of_both), i;
	struct interval interval;
	double ratio;

	for (i = 0; i < count; i++) {
		twice[i] = pairs[i];
		twice[i].value *= 2;
	}
	assert_true(statistics_ratio95(twice, count, pairs, count, PROGRAMS,
				       &ratio, &interval));
	near(ratio, 2, 1e-12);
	near(interval.low, 2, 1e-9);
	near(interval.high, 2, 1e-9);
	/* What one program adds is not known to the last digit. */
	for (i = 0; i < count; i++)
		twice[i].value = pairs[i].programs[0] ? 1 : 9;
	make_pairs(constant);
	assert_true(statistics_ratio95(twice, count, pairs, count, PROGRAMS,
				       &ratio, &interval));
	near(ratio, 2 * (11 * 9 + 55) / 66.0, 1e-12);
	assert_true(interval.low < ratio - 0.5 && interval.high > ratio + 0.5);
	for (i = 0; i < count; i++)
		pairs[i].value = 0;
	assert_false(statistics_ratio95(twice, count, pairs, count, PROGRAMS,
					&ratio, &interval));
}

/* By hand: 1 - 6 * (1 + 1) / (5 * 24); and where two share a rank. */
static void ranks_correlate(void **state)
{
	static const double a[] = { 10, 20, 30, 40, 50 };
	static const double b[] = { 1, 3, 2, 4, 5 };
	static const double down[] = { 9, 7, 5, 3, -1 };
	static const double tied[] = { 1, 2, 2, 4, 5 };
	static const double flat[] = { 3, 3, 3, 3, 3 };
	double out = 7;

	assert_true(statistics_rank_correlation(a, b, 5, &out));
	near(out, 0.9, 1e-12);
	assert_true(statistics_rank_correlation(a, down, 5, &out));
	near(out, -1, 1e-12);
	assert_true(statistics_rank_correlation(tied, tied, 5, &out));
	near(out, 1, 1e-12);
	assert_true(statistics_rank_correlation(a, tied, 5, &out));
	near(out, 0.974679434480896, 1e-12);
	assert_false(statistics_rank_correlation(a, flat, 5, &out));
	assert_false(statistics_rank_correlation(a, b, 2, &out));
	assert_false(statistics_rank_correlation(a, b, 0, &out));
}

/* The first numbers of splitmix64 from 0, as its author prints them. */
static void bits_are_splitmix(void **state)
{
	assert_true(statistics_bits(0) == 0xe220a8397b1dcdafULL);
	assert_true(statistics_bits(0x9e3779b97f4a7c15ULL) ==
		    0x6e789e6aa1b965f4ULL);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(t_is_students),
		cmocka_unit_test(interval_of_seeds),
		cmocka_unit_test(quantiles),
		cmocka_unit_test(bootstrap_goes_over_programs),
		cmocka_unit_test(bootstrap_of_little),
		cmocka_unit_test(ratios_are_of_the_same_draws),
		cmocka_unit_test(ranks_correlate),
		cmocka_unit_test(bits_are_splitmix),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests_name("statistics", tests, NULL, NULL);
}
