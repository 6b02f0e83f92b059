// SPDX-License-Identifier: GPL-2.0
/*
 * The suite wide-pairs: pairs drawn at random from the built-in programs and those of a
 * folder of traces. It tests models on many programs, also on some that they were not
 * designed with.
 */
#include <dirent.h>
#include <sys/stat.h>

#include "../../workloads/benchmarks.h"
#include "../output.h"
#include "../statistics.h"
#include "sweep_mix.h"
#include "sweep_wide.h"

/* How many pairs are drawn, and the seed, the same in every sweep. */
#define WIDE_PAIRS		300
#define WIDE_SEED		22
/* With fewer programs than this, figures of models mean little. */
#define WIDE_PROGRAMS_LEAST	50
#define WIDE_PROGRAMS_MAX	1000
/* Endings of trace files. */
static const char *const suffixes[] = { ".sgtr", ".trace" };

/**
 * struct wide_program - a program that may be drawn
 * @argument: as on a command line: its name, or its file
 * @source: where it comes from; for traces the folder that they are in
 */
struct wide_program {
	char *argument;
	char *source;
};

struct wide_programs {
	struct wide_program *of;
	u32 count;
};

static int add_program(struct wide_programs *programs, const char *argument,
		       const char *source)
{
	struct wide_program *program;

	if (programs->count == WIDE_PROGRAMS_MAX)
		return fail("%s draws from %d programs at most", WIDE_SUITE,
			    WIDE_PROGRAMS_MAX);
	programs->of = grow(programs->of, programs->count + 1,
			    sizeof(*programs->of));
	program = &programs->of[programs->count++];
	program->argument = strdup(argument);
	program->source = strdup(source);
	if (!program->argument || !program->source)
		return fail("out of memory");
	return STATUS_OK;
}

/* --- a folder of traces --- */

static bool is_trace(const char *name)
{
	size_t length = strlen(name), end, i;

	for (i = 0; i < ARRAY_SIZE(suffixes); i++) {
		end = strlen(suffixes[i]);
		if (length > end && !strcmp(name + length - end, suffixes[i]))
			return true;
	}
	return false;
}

static int by_name(const struct dirent **a, const struct dirent **b)
{
	return strcmp((*a)->d_name, (*b)->d_name);
}

static int add_folder(struct wide_programs *programs, const char *path,
		      const char *source, bool deep);

static int add_entry(struct wide_programs *programs, const char *folder,
		     const char *name, const char *source, bool deep)
{
	char path[4096];
	struct stat status;

	if (snprintf(path, sizeof(path), "%s/%s", folder, name) >=
	    (int)sizeof(path))
		return fail("%s/%s: %s", folder, name, strerror(ENAMETOOLONG));
	if (stat(path, &status))
		return fail("%s: %s", path, strerror(errno));
	if (S_ISDIR(status.st_mode) && deep && name[0] != '.')
		return add_folder(programs, path, name, false);
	if (S_ISREG(status.st_mode) && is_trace(name))
		return add_program(programs, path, source);
	return STATUS_OK;
}

/* Add files in the order of names, by bytes, so that draws are the same on every machine. */
static int add_folder(struct wide_programs *programs, const char *path,
		      const char *source, bool deep)
{
	struct dirent **entries;
	int count = scandir(path, &entries, NULL, by_name), i;
	int ret = STATUS_OK;

	if (count < 0)
		return fail("%s: %s", path, strerror(errno));
	for (i = 0; i < count; i++) {
		if (!ret)
			ret = add_entry(programs, path, entries[i]->d_name,
					source, deep);
		free(entries[i]);
	}
	free(entries);
	return ret;
}

/* Find the built-in programs, then those of the folder, if there is one. */
static int find_programs(struct wide_programs *programs, const char *traces)
{
	int ret = STATUS_OK;
	u32 i;

	for (i = 0; !ret && i < BENCHMARK_COUNT; i++)
		ret = add_program(programs, benchmarks[i].name, "built-in");
	if (!ret && traces)
		ret = add_folder(programs, traces, "traces", true);
	if (!ret && traces && programs->count == BENCHMARK_COUNT)
		ret = fail("%s has no file *.sgtr or *.trace, nor has a folder in it",
			   traces);
	return ret;
}

/* --- the lot --- */

static int by_source(const struct wide_program *a, const struct wide_program *b,
		     char *out, size_t bytes)
{
	const char *first = a->source, *second = b->source;

	if (!strcmp(first, second))
		return snprintf(out, bytes, "%s", first);
	if (strcmp(first, second) > 0) {
		first = b->source;
		second = a->source;
	}
	return snprintf(out, bytes, "%s+%s", first, second);
}

static int add_pair(struct suite *suite, const struct wide_program *a,
		    const struct wide_program *b)
{
	const char *const arguments[] = { a->argument, b->argument };
	char source[SOURCE_BYTES];

	if (by_source(a, b, source, sizeof(source)) >= (int)sizeof(source))
		return fail("%s and %s: names of folders are too long",
			    a->argument, b->argument);
	return suite_add_mix(suite, arguments, ARRAY_SIZE(arguments), source);
}

/* Draw a pair that was not drawn yet, in random order. */
static void draw_pair(u64 *state, u32 programs, bool *drawn, u32 pair[2])
{
	do {
		*state = statistics_bits(*state);
		pair[0] = (u32)(*state % programs);
		*state = statistics_bits(*state);
		pair[1] = (u32)(*state % programs);
	} while (pair[0] == pair[1] || drawn[pair[0] * programs + pair[1]]);
	drawn[pair[0] * programs + pair[1]] = true;
	drawn[pair[1] * programs + pair[0]] = true;
}

static int draw_all(struct suite *suite, const struct wide_programs *programs)
{
	bool *drawn = calloc((size_t)programs->count * programs->count,
			     sizeof(*drawn));
	u64 state = WIDE_SEED;
	int ret = STATUS_OK;
	u32 pair[2], i;

	if (!drawn)
		return fail("out of memory");
	for (i = 0; !ret && i < WIDE_PAIRS; i++) {
		draw_pair(&state, programs->count, drawn, pair);
		ret = add_pair(suite, &programs->of[pair[0]],
			       &programs->of[pair[1]]);
	}
	free(drawn);
	return ret;
}

void suite_warn_of_few(const struct sweep *sweep)
{
	u32 programs = sweep->suite.workload_count;

	if (!strcmp(sweep->suite_name, WIDE_SUITE) &&
	    programs < WIDE_PROGRAMS_LEAST)
		warn("%s has %u programs here, %d of them built in, where %d are wanted; --traces DIR adds recorded and converted ones",
		     WIDE_SUITE, programs, BENCHMARK_COUNT, WIDE_PROGRAMS_LEAST);
}

int suite_add_wide_pairs(struct suite *suite, const char *traces)
{
	struct wide_programs programs = { .count = 0 };
	int ret = find_programs(&programs, traces);
	u32 i;

	if (!ret)
		ret = draw_all(suite, &programs);
	for (i = 0; i < programs.count; i++) {
		free(programs.of[i].argument);
		free(programs.of[i].source);
	}
	free(programs.of);
	return ret;
}
