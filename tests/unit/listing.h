/* SPDX-License-Identifier: GPL-2.0 */
/* Listings of what the project has or says, beside the file that holds them. */
#ifndef TESTS_LISTING_H
#define TESTS_LISTING_H

#include <stdio.h>
#include <stdlib.h>

/* What a function prints is what stands in a file, line by line. */
static inline void expect_listing(const char *name, void (*print)(FILE *out))
{
	char line[256], expected[256], *text;
	FILE *file = fopen(name, "r"), *all;
	size_t size;

	assert_non_null(file);
	all = open_memstream(&text, &size);
	print(all);
	fclose(all);
	all = fmemopen(text, size, "r");
	while (fgets(line, sizeof(line), all)) {
		assert_non_null(fgets(expected, sizeof(expected), file));
		assert_string_equal(line, expected);
	}
	assert_null(fgets(expected, sizeof(expected), file));
	fclose(all);
	fclose(file);
	free(text);
}

#endif /* TESTS_LISTING_H */
