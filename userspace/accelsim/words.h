/* SPDX-License-Identifier: GPL-2.0 */
/* The words of a line, which are taken one after the other. */
#ifndef ACCELSIM_WORDS_H
#define ACCELSIM_WORDS_H

#include <stdbool.h>
#include <stdint.h>

/* struct words - what is left of a line; taking words cuts it */
struct words {
	char *rest;
};

/* The next word, or NULL. */
const char *words_next(struct words *words);

/*
 * words_number() - take a number: with @base 10 or, with or without 0x, 16. Those below 2^63
 *	may be negative
 *
 * Return: whether there was one.
 */
bool words_number(struct words *words, int base, int64_t *value);

/* The same for a decimal number from 0 to @most. */
bool words_count(struct words *words, int64_t most, uint32_t *count);

/* How many words are left. */
uint32_t words_left(const struct words *words);

#endif /* ACCELSIM_WORDS_H */
