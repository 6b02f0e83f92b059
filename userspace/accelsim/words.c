// SPDX-License-Identifier: GPL-2.0
/* Words of a line; see words.h. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "words.h"

static const char blanks[] = " \t";

const char *words_next(struct words *words)
{
	return strtok_r(NULL, blanks, &words->rest);
}

bool words_number(struct words *words, int base, int64_t *value)
{
	const char *word = words_next(words);
	char *end;

	if (!word)
		return false;
	errno = 0;
	*value = word[0] == '-' ? strtoll(word, &end, base) :
				  (int64_t)strtoull(word, &end, base);
	return !errno && !*end && end != word;
}

bool words_count(struct words *words, int64_t most, uint32_t *count)
{
	int64_t value;

	if (!words_number(words, 10, &value) || value < 0 || value > most)
		return false;
	*count = (uint32_t)value;
	return true;
}

uint32_t words_left(const struct words *words)
{
	const char *at = words->rest;
	uint32_t count = 0;

	for (;;) {
		at += strspn(at, blanks);
		if (!*at)
			return count;
		at += strcspn(at, blanks);
		count++;
	}
}
