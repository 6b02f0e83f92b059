// SPDX-License-Identifier: GPL-2.0
/*
 * Integer arithmetic of simgpu/fixed.h against the compiler's 128-bit
 * integers, over edge values in all combinations and over random ones.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <cmocka.h>

#include <simgpu/fixed.h>

#define RANDOM_ROUNDS	2000000

typedef unsigned __int128 u128;

static const u64 edges[] = {
	0, 1, 2, 3, 5, 7, 31, 32, 33, 255, 256, 999999, 1000000, 1000001,
	0x7fffffffULL, 0x80000000ULL, 0x80000001ULL, 0xfffffffeULL,
	0xffffffffULL, 0x100000000ULL, 0x100000001ULL, 0x1ffffffffULL,
	0x7fffffffffffffffULL, 0x8000000000000000ULL, 0x8000000000000001ULL,
	0xaaaaaaaaaaaaaaaaULL, 0xfffffffeffffffffULL, 0xffffffff00000000ULL,
	0xfffffffffffffffeULL, 0xffffffffffffffffULL,
};

static u64 saturate(u128 value)
{
	return value > U64_MAX ? U64_MAX : (u64)value;
}

static u64 expected_mul_div(u64 a, u64 b, u64 divisor)
{
	return divisor ? saturate((u128)a * b / divisor) : 0;
}

/* xorshift64*: the same numbers on every machine. */
static u64 random_u64(u64 *state)
{
	*state ^= *state >> 12;
	*state ^= *state << 25;
	*state ^= *state >> 27;
	return *state * 0x2545f4914f6cdd1dULL;
}

/* Any width is as likely as any other. */
static u64 random_width(u64 *state)
{
	return random_u64(state) >> (random_u64(state) % 64);
}

static void edges_agree(void **state)
{
	size_t i, j, k;

	for (i = 0; i < ARRAY_SIZE(edges); i++)
		for (j = 0; j < ARRAY_SIZE(edges); j++) {
			u64 a = edges[i], b = edges[j];

			assert_int_equal(fixed_add(a, b), saturate((u128)a + b));
			assert_int_equal(fixed_mul(a, b), saturate((u128)a * b));
			assert_int_equal(fixed_ratio_ppm(a, b),
					 expected_mul_div(a, SIMGPU_PPM, b));
			for (k = 0; k < ARRAY_SIZE(edges); k++)
				assert_int_equal(fixed_mul_div(a, b, edges[k]),
						 expected_mul_div(a, b,
								  edges[k]));
		}
}

static void random_values_agree(void **state)
{
	u64 random = 0x5eed;
	u32 i;

	for (i = 0; i < RANDOM_ROUNDS; i++) {
		u64 a = random_width(&random), b = random_width(&random);
		u64 c = random_width(&random);

		assert_int_equal(fixed_add(a, b), saturate((u128)a + b));
		assert_int_equal(fixed_mul(a, b), saturate((u128)a * b));
		assert_int_equal(fixed_mul_div(a, b, c),
				 expected_mul_div(a, b, c));
		assert_int_equal(fixed_ratio_ppm(a, c),
				 expected_mul_div(a, SIMGPU_PPM, c));
	}
}

/* Quotients beside an exact multiple, where rounding would show. */
static void division_rounds_down(void **state)
{
	u64 random = 0xd1f;
	u32 i;

	for (i = 0; i < RANDOM_ROUNDS / 10; i++) {
		u64 divisor = random_width(&random) | 1;
		u64 quotient = random_width(&random);
		u128 product = (u128)divisor * quotient;

		if (product > U64_MAX || !product)
			continue;
		assert_int_equal(fixed_mul_div((u64)product, 1, divisor),
				 quotient);
		assert_int_equal(fixed_mul_div((u64)product - 1, 1, divisor),
				 divisor == 1 ? quotient - 1 :
				 expected_mul_div((u64)product - 1, 1, divisor));
		assert_int_equal(fixed_mul_div(divisor, quotient, divisor),
				 quotient);
	}
}

static void zero_divisors_are_refused(void **state)
{
	size_t i;

	for (i = 0; i < ARRAY_SIZE(edges); i++) {
		assert_int_equal(fixed_mul_div(edges[i], U64_MAX, 0), 0);
		assert_int_equal(fixed_ratio_ppm(edges[i], 0), 0);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(edges_agree),
		cmocka_unit_test(random_values_agree),
		cmocka_unit_test(division_rounds_down),
		cmocka_unit_test(zero_divisors_are_refused),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests_name("fixed", tests, NULL, NULL);
}
