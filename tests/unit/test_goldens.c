// SPDX-License-Identifier: GPL-2.0
/*
 * Golden runs: many short runs of all that there is, and digests of all that they show, to
 * the bit. A line of tests/unit/goldens.txt is a run: what the device was like at its end,
 * then for each of golden_parts what was seen and said on the way.
 *
 * A digest does not say what is right, only that it is as it was: what is right is for the
 * other tests. Where one differs, either there is a mistake, or a change of results is
 * meant; then the file is written anew, and the commit says why they change.
 *
 *	test_goldens		compares, in the top folder
 *	test_goldens --print	prints the file again
 *	test_goldens WORD	prints the lines of those whose names have the word
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "goldens.h"

#define FILE_NAME	"tests/unit/goldens.txt"

static void print_result(FILE *out, const struct golden_scenario *scenario,
			 const struct golden_result *result)
{
	u32 part;

	fprintf(out, "%s hash=%016llx", scenario->name,
		(unsigned long long)result->hash);
	for (part = 0; part < GOLDEN_PARTS; part++)
		fprintf(out, " %s=%08x", golden_parts[part], result->digest[part]);
	fputc('\n', out);
}

static void print_runs(const char *word)
{
	struct golden_scenario scenario;
	struct golden_result result;
	u32 i;

	for (i = 0; golden_scenario(i, &scenario); i++) {
		if (!strstr(scenario.name, word))
			continue;
		golden_run(&scenario, &result);
		print_result(stdout, &scenario, &result);
	}
}

/* Say which parts of two lines differ; they have the same name. */
static bool differ(char *expected, char *got)
{
	char *rest, *other_rest, *name = strtok_r(expected, "\n ", &rest);
	char *other = strtok_r(got, "\n ", &other_rest);
	bool differs = false;

	while (other) {
		char *part = strtok_r(NULL, "\n ", &rest);

		other = strtok_r(NULL, "\n ", &other_rest);
		if (!other || (part && !strcmp(part, other)))
			continue;
		print_error("%s: %s instead of %s\n", name, other,
			    part ? part : "nothing");
		differs = true;
	}
	return differs;
}

static bool run_differs(const struct golden_scenario *scenario, char *expected)
{
	struct golden_result result;
	size_t name = strlen(scenario->name);
	char *line;
	size_t size;
	FILE *out;
	bool differs;

	if (strncmp(expected, scenario->name, name) || expected[name] != ' ') {
		print_error("%s has no line, or not in its place\n", scenario->name);
		return true;
	}
	golden_run(scenario, &result);
	out = open_memstream(&line, &size);
	print_result(out, scenario, &result);
	fclose(out);
	differs = differ(expected, line);
	free(line);
	return differs;
}

static void runs_are_those_of_the_file(void **state)
{
	struct golden_scenario scenario;
	FILE *file = fopen(FILE_NAME, "r");
	char expected[512];
	u32 i, differing = 0;

	assert_non_null(file);
	for (i = 0; golden_scenario(i, &scenario); i++) {
		assert_non_null(fgets(expected, sizeof(expected), file));
		differing += run_differs(&scenario, expected);
	}
	assert_null(fgets(expected, sizeof(expected), file));
	fclose(file);
	if (differing)
		fail_msg("%u of %u runs differ", differing, i);
}

/* No run leaves anything behind: as the first and as the last one it is the same. */
static void runs_do_not_depend_on_others(void **state)
{
	struct golden_result first, last, other;
	struct golden_scenario scenario;
	u32 i;

	for (i = 0; i < 3; i++) {
		assert_true(golden_scenario(i, &scenario));
		golden_run(&scenario, i ? &other : &first);
	}
	assert_true(golden_scenario(0, &scenario));
	golden_run(&scenario, &last);
	assert_memory_equal(&first, &last, sizeof(first));
}

static int make_traces(void **state)
{
	golden_traces_make();
	return 0;
}

static int free_traces(void **state)
{
	golden_traces_free();
	return 0;
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(runs_are_those_of_the_file),
		cmocka_unit_test(runs_do_not_depend_on_others),
	};

	if (argc > 1) {
		golden_traces_make();
		print_runs(strcmp(argv[1], "--print") ? argv[1] : "");
		golden_traces_free();
		return 0;
	}
	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests_name("goldens", tests, make_traces,
					   free_traces);
}
