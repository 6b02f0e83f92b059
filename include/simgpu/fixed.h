/* SPDX-License-Identifier: GPL-2.0 OR LGPL-2.1 */
/*
 * Integer arithmetic that never traps and never wraps. Ratios are in parts
 * per million (suffix _ppm): one format in the models, the UAPI, sysfs and
 * JSON, exact to six decimals.
 */
#ifndef SIMGPU_FIXED_H
#define SIMGPU_FIXED_H

#include <simgpu/loops.h>

#define SIMGPU_PPM	1000000ULL

/**
 * fixed_add() - add, saturating
 * @a: any
 * @b: any
 *
 * Return: a + b; U64_MAX where that overflows.
 */
simgpu_apart u64 fixed_add(u64 a, u64 b)
{
	u64 sum;

	return __builtin_add_overflow(a, b, &sum) ? U64_MAX : sum;
}

/**
 * fixed_mul_high() - the upper half of a 128-bit product
 * @a: any
 * @b: any
 *
 * The product is computed by halves: BPF has neither 128-bit products nor a
 * multiplication that reports overflow.
 *
 * Return: a * b / 2^64, rounded down; 0 if a * b fits in 64 bits.
 */
static inline u64 fixed_mul_high(u64 a, u64 b)
{
	u64 a_low = a & U32_MAX, a_high = a >> 32;
	u64 b_low = b & U32_MAX, b_high = b >> 32;
	u64 middle = a_high * b_low + ((a_low * b_low) >> 32);
	u64 high = a_high * b_high + (middle >> 32);

	middle = (middle & U32_MAX) + a_low * b_high;
	return high + (middle >> 32);
}

/**
 * fixed_mul() - multiply, saturating
 * @a: any
 * @b: any
 *
 * Return: a * b; U64_MAX where that overflows.
 */
simgpu_apart u64 fixed_mul(u64 a, u64 b)
{
	return fixed_mul_high(a, b) ? U64_MAX : a * b;
}

/*
 * The 128-bit quotient by long division, a bit at a time. The remainder stays below the
 * divisor, so only its top bit needs care. Bits of the quotient move into @low where bits
 * of the dividend move out. The loop is a plain one: the verifier of BPF walks it once,
 * with fixed_mul_div(), and it runs three times as fast in BPF as simgpu_each().
 */
static inline u64 fixed_div_wide(u64 high, u64 low, u64 divisor)
{
	u32 bit;

	for (bit = 0; bit < 64; bit++) {
		u64 top = high >> 63;

		high = (high << 1) | (low >> 63);
		low <<= 1;
		if (top || high >= divisor) {
			high -= divisor;
			low |= 1;
		}
	}
	return low;
}

/**
 * fixed_mul_div() - multiply and divide, with a 128-bit product
 * @a: any
 * @b: any
 * @divisor: any
 *
 * Return: a * b / divisor, rounded down; U64_MAX where it overflows; 0 for a zero divisor,
 * so callers for which a ratio to nothing means something else check the divisor first.
 */
simgpu_apart u64 fixed_mul_div(u64 a, u64 b, u64 divisor)
{
	u64 high;

	if (!divisor)
		return 0;
	high = fixed_mul_high(a, b);
	if (!high)
		return a * b / divisor;
	if (high >= divisor)
		return U64_MAX;
	return fixed_div_wide(high, a * b, divisor);
}

/**
 * fixed_above() - by how much a number is above another
 * @number: any
 * @other: any
 *
 * Return: the difference, 0 where @number is the smaller one.
 */
static inline u64 fixed_above(u64 number, u64 other)
{
	return number > other ? number - other : 0;
}

/**
 * fixed_apart() - how far two numbers are apart
 * @a: any
 * @b: any
 *
 * Return: the greater one less the other.
 */
static inline u64 fixed_apart(u64 a, u64 b)
{
	return a > b ? a - b : b - a;
}

/**
 * fixed_ratio_ppm() - a ratio in parts per million
 * @numerator: any
 * @denominator: any
 *
 * Return: the ratio, rounded down; 0 for a zero denominator.
 */
static inline u64 fixed_ratio_ppm(u64 numerator, u64 denominator)
{
	return fixed_mul_div(numerator, SIMGPU_PPM, denominator);
}

/**
 * fixed_sqrt() - a square root
 * @square: any
 *
 * Return: the greatest number whose square is at most @square.
 */
static inline u64 fixed_sqrt(u64 square)
{
	u64 root = 0, bit;

	for (bit = 1ULL << 31; bit; bit >>= 1)
		if ((root + bit) * (root + bit) <= square)
			root += bit;
	return root;
}

#endif /* SIMGPU_FIXED_H */
