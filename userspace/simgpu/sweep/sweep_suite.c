// SPDX-License-Identifier: GPL-2.0
/*
 * Suites of mixes: a table of the named ones, and a user's own from a file. A new suite
 * is a row of the table and the function that adds its mixes.
 */
#include <unistd.h>

#include "../../workloads/benchmarks.h"
#include "../json.h"
#include "../output.h"
#include "../statistics.h"
#include "../table.h"
#include "sweep_mix.h"
#include "sweep_suite.h"
#include "sweep_wide.h"

/* Four-program mixes; HSM does not say which ones it ran, nor how many. */
#define QUADS	30

/* --- HSM's --- */

/* Programs of Table 2, in its order: the ten memory-bound ones come first. */
#define TABLE2		15
#define TABLE2_MEMORY	10

/* Kinds of pairs: two memory-bound programs, two compute-bound ones, one of each. */
#define MEMORY		(1U << 0)
#define COMPUTE		(1U << 1)
#define HETERO		(1U << 2)

static int add_named(struct suite *suite, const u32 *indices, u32 count)
{
	struct mix *mix = mix_add(suite);
	u32 i;

	for (i = 0; i < count; i++)
		if (mix_add_tenant(suite, mix, benchmarks[indices[i]].name))
			return STATUS_FAILED;
	mix->category = mix_categorize(suite, mix);
	return STATUS_OK;
}

/* @kinds: kinds of pairs to add: MEMORY, COMPUTE and HETERO */
static int add_pairs(struct suite *suite, u32 kinds)
{
	u32 pair[2];

	for (pair[0] = 0; pair[0] < TABLE2; pair[0]++) {
		for (pair[1] = pair[0] + 1; pair[1] < TABLE2; pair[1]++) {
			bool first = pair[0] < TABLE2_MEMORY;
			bool second = pair[1] < TABLE2_MEMORY;

			if (!(kinds & (first != second ? HETERO :
				       first ? MEMORY : COMPUTE)))
				continue;
			if (add_named(suite, pair, 2))
				return STATUS_FAILED;
		}
	}
	return STATUS_OK;
}

static bool has(const u32 *indices, u32 count, u32 index)
{
	u32 i;

	for (i = 0; i < count; i++)
		if (indices[i] == index)
			return true;
	return false;
}

/*
 * Mixes of four different programs: in turn four memory-bound ones, three and one
 * compute-bound, two and two. They are drawn with a fixed seed, so that the suite is the
 * same in every sweep.
 */
static int add_quads(struct suite *suite, u32 which)
{
	u64 state = 4;
	u32 i, k;

	for (i = 0; i < QUADS; i++) {
		u32 memory = 4 - i % 3, quad[4];

		for (k = 0; k < 4; k++) {
			do {
				state = statistics_bits(state);
				quad[k] = k < memory ? state % TABLE2_MEMORY :
					  TABLE2_MEMORY +
					  state % (TABLE2 - TABLE2_MEMORY);
			} while (has(quad, k, quad[k]));
		}
		if (add_named(suite, quad, 4))
			return STATUS_FAILED;
	}
	return STATUS_OK;
}

/* --- Themis' --- */

/* The paper runs 150 mixes of four programs, and does not say which. */
#define THEMIS_QUADS	150
#define THEMIS_TESTS	7

/* The programs that Themis' model is tested with, in the order of the table. */
static void find_tests(u32 tests[THEMIS_TESTS])
{
	u32 count = 0, i;

	for (i = 0; i < BENCHMARK_COUNT && count < THEMIS_TESTS; i++)
		if (benchmarks[i].sets & SET_THEMIS_TEST)
			tests[count++] = i;
}

/* All ordered mixes of @count test programs, also of a program with itself. */
static int add_tests(struct suite *suite, u32 count)
{
	u32 tests[THEMIS_TESTS], mix[MIX_TENANTS_MAX], mixes = 1, i, k;

	find_tests(tests);
	for (i = 0; i < count; i++)
		mixes *= THEMIS_TESTS;
	for (i = 0; i < mixes; i++) {
		u32 rest = i;

		for (k = count; k; k--) {
			mix[k - 1] = tests[rest % THEMIS_TESTS];
			rest /= THEMIS_TESTS;
		}
		if (add_named(suite, mix, count))
			return STATUS_FAILED;
	}
	return STATUS_OK;
}

/* Mixes of four drawn with a fixed seed; a program may come twice. */
static int add_test_quads(struct suite *suite, u32 which)
{
	u32 tests[THEMIS_TESTS], quad[4], i, k;
	u64 state = THEMIS_QUADS;

	find_tests(tests);
	for (i = 0; i < THEMIS_QUADS; i++) {
		for (k = 0; k < 4; k++) {
			state = statistics_bits(state);
			quad[k] = tests[state % THEMIS_TESTS];
		}
		if (add_named(suite, quad, 4))
			return STATUS_FAILED;
	}
	return STATUS_OK;
}

/* --- fine-grained QoS' --- */

#define FGQOS_PROGRAMS	10
/* The paper runs 60 of 360 trios, and does not say which. */
#define FGQOS_TRIOS	60
/* Target of tenants with a goal if --goals is not given. */
#define FGQOS_TARGET	800000

/* The ten programs of Parboil, in the order of the table. */
static void find_parboil(u32 programs[FGQOS_PROGRAMS])
{
	u32 count = 0, i;

	for (i = 0; i < BENCHMARK_COUNT && count < FGQOS_PROGRAMS; i++)
		if (benchmarks[i].sets & SET_FGQOS)
			programs[count++] = i;
}

/* Gives targets to the first @count tenants of the last mix. */
static void promise_first(struct suite *suite, u32 count)
{
	struct mix *mix = &suite->mixes[suite->mix_count - 1];
	u32 slot;

	for (slot = 0; slot < count; slot++) {
		mix->options[slot].service = SIMGPU_QOS;
		mix->options[slot].target_ppm = FGQOS_TARGET;
	}
}

static int add_fgqos_pairs(struct suite *suite, u32 which)
{
	u32 programs[FGQOS_PROGRAMS], pair[2], i;

	find_parboil(programs);
	for (i = 0; i < FGQOS_PROGRAMS * FGQOS_PROGRAMS; i++) {
		if (i / FGQOS_PROGRAMS == i % FGQOS_PROGRAMS)
			continue;
		pair[0] = programs[i / FGQOS_PROGRAMS];
		pair[1] = programs[i % FGQOS_PROGRAMS];
		if (add_named(suite, pair, 2))
			return STATUS_FAILED;
		promise_first(suite, 1);
	}
	return STATUS_OK;
}

/*
 * Trios drawn with a fixed seed: each program is first in six trios and, if two have
 * goals, second in six; no trio comes twice.
 */
static int add_fgqos_trios(struct suite *suite, u32 goals)
{
	u32 programs[FGQOS_PROGRAMS], trios[FGQOS_TRIOS][3], count = 0, i;
	u64 state = FGQOS_TRIOS;

	find_parboil(programs);
	while (count < FGQOS_TRIOS) {
		u32 *trio = trios[count], round = count / FGQOS_PROGRAMS;
		bool taken = false;

		/* Each round rotates the ten programs by another step: 1, 2, 3, 4, 6, 7. */
		state = statistics_bits(state);
		trio[0] = count % FGQOS_PROGRAMS;
		trio[1] = (trio[0] + 1 + round + (round > 3)) % FGQOS_PROGRAMS;
		trio[2] = (u32)(state % FGQOS_PROGRAMS);
		taken = trio[2] == trio[0] || trio[2] == trio[1];
		for (i = 0; i < count && !taken; i++)
			taken = !memcmp(trios[i], trio, sizeof(trios[i]));
		count += !taken;
	}
	for (i = 0; i < FGQOS_TRIOS; i++) {
		u32 mix[3] = { programs[trios[i][0]], programs[trios[i][1]],
			       programs[trios[i][2]] };

		if (add_named(suite, mix, 3))
			return STATUS_FAILED;
		promise_first(suite, goals);
	}
	return STATUS_OK;
}

/* --- spatial-temporal multitasking's --- */

#define STM_PROGRAMS	9
/* The largest sets for which the optimum is searched. */
#define STM_SET_MOST	5

/* What the paper calls a kernel: a whole program, or the longest of its kernels. */
enum stm_unit {
	STM_PROGRAM,
	STM_KERNEL,
	STM_UNITS
};

/*
 * In the order in which the paper names them. One is memory-bound if it keeps half of
 * gtx480's memory busy alone (Figure 1), as a program and as a kernel. Programs have the
 * size of the cards. Kernels have at least ten waves of thread blocks (of BH and HIST256 the
 * program itself has no more than 480 and 240 blocks), take about a million cycles alone or
 * more, and 300 MB at most, so that five of them fit.
 */
static const struct {
	const char *argument[STM_UNITS];
	bool memory;
} stm_programs[STM_PROGRAMS] = {
	{ { "VA:size=card", "VA:kernel=VecAdd,size=0.09" }, true },
	{ { "BINO:size=card", "BINO:kernel=binomialOptions,size=0.5" }, false },
	{ { "BH:size=card", "BH:kernel=BlackScholesGPU,size=1" }, true },
	{ { "HIST256:size=card", "HIST256:kernel=histogram256Kernel,size=0.2" },
	  false },
	{ { "MERGESORT:size=card",
	    "MERGESORT:kernel=mergeElementaryIntervals,size=0.25" }, false },
	{ { "SCAN:size=card", "SCAN:kernel=scanExclusiveShared,size=0.25" }, true },
	{ { "HIST64:size=card", "HIST64:kernel=histogram64Kernel,size=0.25" },
	  false },
	{ { "MONTECARLO:size=card",
	    "MONTECARLO:kernel=MonteCarloOneBlockPerOption,size=0.6" }, false },
	{ { "FWT:size=card", "FWT:kernel=fwtBatch2Kernel,size=0.5" }, true },
};

static int add_stm_set(struct suite *suite, u32 programs, enum stm_unit unit)
{
	struct mix *mix = mix_add(suite);
	u32 i;

	for (i = 0; i < STM_PROGRAMS; i++)
		if (programs >> i & 1 &&
		    mix_add_tenant(suite, mix, stm_programs[i].argument[unit]))
			return STATUS_FAILED;
	mix->category = MIX_HETERO;
	return STATUS_OK;
}

/* All sets of two to five programs, the small ones first, with both classes in them. */
static int add_stm_sets(struct suite *suite, u32 which)
{
	u32 memory = 0, count, set, i;

	for (i = 0; i < STM_PROGRAMS; i++)
		memory |= (u32)stm_programs[i].memory << i;
	for (count = 2; count <= STM_SET_MOST; count++)
		for (set = 0; set < 1U << STM_PROGRAMS; set++)
			if ((u32)__builtin_popcount(set) == count &&
			    set & memory && set & ~memory &&
			    add_stm_set(suite, set, which))
				return STATUS_FAILED;
	suite->once = true;
	return STATUS_OK;
}

/* --- services beside best-effort work --- */

/* The load if --load is not given. */
#define SERVE_LOAD	"load=0.5"

/* Requests of 11,000 to 107,000 cycles alone on hbm80. */
static const char *const serve_services[] = {
	"SCAN:size=0.01," SERVE_LOAD, "FWT:size=0.005," SERVE_LOAD,
	"BH:size=0.1," SERVE_LOAD, "HIST64:size=0.01," SERVE_LOAD,
	"MERGESORT:size=0.001," SERVE_LOAD,
};

/* One program of each class; reef can reset all of them, since they may run twice. */
static const char *const serve_best_effort[] = {
	"DXTC:idempotent=1", "SC:idempotent=1",
};

static int add_serve_pairs(struct suite *suite, u32 which)
{
	u32 service, other;

	for (service = 0; service < ARRAY_SIZE(serve_services); service++) {
		for (other = 0; other < ARRAY_SIZE(serve_best_effort); other++) {
			struct mix *mix = mix_add(suite);

			if (mix_add_tenant(suite, mix, serve_services[service]) ||
			    mix_add_tenant(suite, mix, serve_best_effort[other]))
				return STATUS_FAILED;
			mix->category = mix_categorize(suite, mix);
		}
	}
	suite->serves = true;
	return STATUS_OK;
}

/* --- a user's --- */

/* Adds a mix from a line: workloads, separated by blanks; # begins a comment. */
static int add_line(struct suite *suite, char *line)
{
	char *rest = line, *word;
	struct mix *mix = NULL;

	line[strcspn(line, "#\n")] = '\0';
	while ((word = strsep(&rest, " \t\r"))) {
		if (!*word)
			continue;
		if (!mix)
			mix = mix_add(suite);
		if (mix_add_tenant(suite, mix, word))
			return STATUS_FAILED;
	}
	if (mix)
		mix->category = mix_categorize(suite, mix);
	return STATUS_OK;
}

static int add_file(struct suite *suite, const char *path)
{
	size_t count;
	char *text = read_file(path, &count), *rest = text, *line;
	u32 number = 0;
	int ret = STATUS_OK;

	if (!text)
		return fail("%s: %s", path, strerror(errno));
	while (!ret && (line = strsep(&rest, "\n"))) {
		number++;
		ret = add_line(suite, line);
		if (ret)
			ret = fail("%s, line %u", path, number);
	}
	free(text);
	if (!ret && !suite->mix_count)
		ret = fail("%s has no mix", path);
	return ret;
}

/* --- the table --- */

static int add_wide_pairs(struct suite *suite, u32 which)
{
	return suite_add_wide_pairs(suite, NULL);
}

/*
 * The named suites: what --list-suites prints, the function that adds the mixes, its
 * argument, and whether the first tenant has priority.
 */
static const struct suite_row {
	const char *name;
	const char *description;
	int (*add)(struct suite *suite, u32 which);
	u32 which;
	bool first;
} suites[] = {
	{ "hsm-pairs", "all pairs of the 15 programs of HSM's Table 2",
	  add_pairs, MEMORY | COMPUTE | HETERO, false },
	{ "hsm-memory", "of these the pairs of two memory-bound programs",
	  add_pairs, MEMORY, false },
	{ "hsm-compute", "the pairs of two compute-bound programs",
	  add_pairs, COMPUTE, false },
	{ "hsm-hetero", "the pairs of one of each kind",
	  add_pairs, HETERO, false },
	{ "hsm-quads", "four of the 15 each, drawn with a fixed seed",
	  add_quads, 0, false },
	{ "themis-pairs", "ordered pairs of the 7 test programs of Themis' Table III",
	  add_tests, 2, true },
	{ "themis-trios", "ordered trios of these", add_tests, 3, true },
	{ "themis-quads", "150 of four of these, drawn with a fixed seed",
	  add_test_quads, 0, true },
	{ "fgqos-pairs", "ordered pairs of the 10 programs of fine-grained QoS, the first with a goal",
	  add_fgqos_pairs, 0, true },
	{ "fgqos-trios-1", "60 trios of these, drawn with a fixed seed, the first with a goal",
	  add_fgqos_trios, 1, true },
	{ "fgqos-trios-2", "the same with goals for the first two",
	  add_fgqos_trios, 2, true },
	{ "stm-sets", "sets of 2 to 5 of the 9 programs of spatial-temporal multitasking, of both kinds, each run once",
	  add_stm_sets, STM_PROGRAM, true },
	{ "stm-kernel-sets", "the same sets of the longest kernel of each of these programs, in sizes of ten waves of thread blocks",
	  add_stm_sets, STM_KERNEL, true },
	{ "serve-pairs", "5 services whose requests come at a load, the first tenant, beside 2 best-effort programs each",
	  add_serve_pairs, 0, true },
	{ WIDE_SUITE, "300 pairs of all 40 programs and those of --traces, drawn with a fixed seed",
	  add_wide_pairs, 0, false },
};

static int no_suite(const char *name)
{
	char names[1024] = "";
	u32 i;

	for (i = 0; i < ARRAY_SIZE(suites); i++)
		snprintf(names + strlen(names), sizeof(names) - strlen(names),
			 "%s%s", i ? ", " : "", suites[i].name);
	return fail("there is no suite and no file \"%s\"; suites: %s", name,
		    names);
}

static int add_suite(struct suite *suite, const char *name, const char *traces)
{
	u32 i;

	if (traces && strcmp(name, WIDE_SUITE))
		return fail_usage("--traces is for the suite %s", WIDE_SUITE);
	if (traces)
		return suite_add_wide_pairs(suite, traces);
	for (i = 0; i < ARRAY_SIZE(suites); i++)
		if (!strcmp(suites[i].name, name))
			return suites[i].add(suite, suites[i].which);
	if (!strchr(name, '/') && access(name, F_OK))
		return no_suite(name);
	return add_file(suite, name);
}

/* Whether the suite's order of tenants says which one has priority. */
static bool first_has_priority(const char *name)
{
	u32 i;

	for (i = 0; i < ARRAY_SIZE(suites); i++)
		if (!strcmp(suites[i].name, name))
			return suites[i].first;
	return false;
}

int suite_load(const char *name, const char *traces, u64 seed,
	       const struct gpu_config *config, struct suite *out)
{
	bool first = first_has_priority(name);
	u32 i;
	int ret;

	memset(out, 0, sizeof(*out));
	out->config = config;
	ret = add_suite(out, name, traces);
	for (i = 0; !ret && !first && i < out->mix_count; i++)
		mix_find_priority(out, seed, i);
	return ret;
}

static int list_json(const u32 *counts)
{
	struct json_object *object = json_object_new_object();
	struct json_object *array = json_object_new_array();
	u32 i;

	for (i = 0; i < ARRAY_SIZE(suites); i++) {
		struct json_object *row = json_object_new_object();

		json_set_string(row, "name", suites[i].name);
		json_set(row, "mixes", json_u64(counts[i]));
		json_set_string(row, "description", suites[i].description);
		json_object_array_add(array, row);
	}
	json_set(object, "suites", array);
	return json_print(object);
}

int suite_list(bool json)
{
	struct table *table;
	u32 counts[ARRAY_SIZE(suites)], i;

	for (i = 0; i < ARRAY_SIZE(suites); i++) {
		struct suite suite;
		int ret = suite_load(suites[i].name, NULL, 0, NULL, &suite);

		if (ret)
			return ret;
		counts[i] = suite.mix_count;
		suite_free(&suite);
	}
	if (json)
		return list_json(counts);
	table = table_new("SUITE|>MIXES|WHAT");
	for (i = 0; i < ARRAY_SIZE(suites); i++) {
		table_cell(table, "%s", suites[i].name);
		table_cell(table, "%u", counts[i]);
		table_cell(table, "%s", suites[i].description);
	}
	table_print(table);
	return flush_output();
}

void suite_thin(struct suite *suite, u32 every)
{
	u32 count = 0, i;

	for (i = 0; i < suite->mix_count; i += every)
		suite->mixes[count++] = suite->mixes[i];
	suite->mix_count = count;
}

void suite_free(struct suite *suite)
{
	u32 i;

	for (i = 0; i < suite->workload_count; i++)
		workload_free(&suite->workloads[i]);
	for (i = 0; i < suite->list_count; i++)
		free(suite->lists[i]);
	free(suite->lists);
	free(suite->sources);
	free(suite->workloads);
	free(suite->mixes);
	memset(suite, 0, sizeof(*suite));
}
