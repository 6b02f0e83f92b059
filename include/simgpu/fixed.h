/* SPDX-License-Identifier: GPL-2.0 OR LGPL-2.1 */
/*
 * Integer arithmetic that never traps and never wraps. Ratios are in parts
 * per million (suffix _ppm): one format in the models, the UAPI, sysfs and
 * JSON, exact to six decimals.
 */
#ifndef SIMGPU_FIXED_H
#define SIMGPU_FIXED_H

#include <simgpu/port.h>

#define SIMGPU_PPM	1000000ULL

/**
 * fixed_add() - add, saturating
 * @a: any
 * @b: any
 *
 * Return: a + b; U64_MAX where that overflows.
 */
static inline u64 fixed_add(u64 a, u64 b)
{
	u64 sum;

	return __builtin_add_overflow(a, b, &sum) ? U64_MAX : sum;
}

/**
 * fixed_mul() - multiply, saturating
 * @a: any
 * @b: any
 *
 * Return: a * b; U64_MAX where that overflows.
 */
static inline u64 fixed_mul(u64 a, u64 b)
{
	u64 product;

	return __builtin_mul_overflow(a, b, &product) ? U64_MAX : product;
}

/*
 * The 128-bit quotient by long division, a bit at a time; the remainder stays
 * below the divisor, so only its top bit needs care.
 */
static inline u64 fixed_div_wide(u64 high, u64 low, u64 divisor)
{
	u64 quotient = 0;
	int bit;

	for (bit = 63; bit >= 0; bit--) {
		u64 top = high >> 63;

		high = (high << 1) | ((low >> bit) & 1);
		quotient <<= 1;
		if (top || high >= divisor) {
			high -= divisor;
			quotient |= 1;
		}
	}
	return quotient;
}

/**
 * fixed_mul_div() - multiply and divide, with a 128-bit product
 * @a: any
 * @b: any
 * @divisor: any
 *
 * Return: a * b / divisor, rounded down; U64_MAX where it overflows; 0 for a zero divisor (the
 * caller decides what a ratio to nothing means before it asks).
 */
static inline u64 fixed_mul_div(u64 a, u64 b, u64 divisor)
{
	u64 a_low = a & U32_MAX, a_high = a >> 32;
	u64 b_low = b & U32_MAX, b_high = b >> 32;
	u64 product, middle, high;

	if (!divisor)
		return 0;
	if (!__builtin_mul_overflow(a, b, &product))
		return product / divisor;
	middle = a_high * b_low + ((a_low * b_low) >> 32);
	high = a_high * b_high + (middle >> 32);
	middle = (middle & U32_MAX) + a_low * b_high;
	high += middle >> 32;
	if (high >= divisor)
		return U64_MAX;
	return fixed_div_wide(high, a * b, divisor);
}

/**
 * fixed_ratio_ppm() - a ratio in parts per million
 * @numerator: any
 * @denominator: any
 *
 * Return: as fixed_mul_div(): 0 for a zero denominator.
 */
static inline u64 fixed_ratio_ppm(u64 numerator, u64 denominator)
{
	return fixed_mul_div(numerator, SIMGPU_PPM, denominator);
}

#endif /* SIMGPU_FIXED_H */
