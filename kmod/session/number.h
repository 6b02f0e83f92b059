/* SPDX-License-Identifier: GPL-2.0 */
/* Numbers in texts that the session reads: journals, and injections. */
#ifndef SESSION_NUMBER_H
#define SESSION_NUMBER_H

#include <simgpu/port.h>

static inline int digit_of(char c)
{
	if (c >= '0' && c <= '9')
		return c - '0';
	if (c >= 'a' && c <= 'f')
		return c - 'a' + 10;
	if (c >= 'A' && c <= 'F')
		return c - 'A' + 10;
	return 16;
}

/**
 * session_parse_number() - read a number without a sign
 * @text: all of it is the number
 * @base: at most 16
 * @value: set to it
 *
 * Return: whether it is one that fits into 64 bits.
 */
static inline bool session_parse_number(const char *text, u32 base, u64 *value)
{
	u64 number = 0;

	if (!*text)
		return false;
	for (; *text; text++) {
		u32 digit = (u32)digit_of(*text);

		if (digit >= base ||
		    __builtin_mul_overflow(number, base, &number) ||
		    __builtin_add_overflow(number, digit, &number))
			return false;
	}
	*value = number;
	return true;
}

#endif /* SESSION_NUMBER_H */
