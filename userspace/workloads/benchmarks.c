// SPDX-License-Identifier: GPL-2.0
/* The table of the built-in benchmarks; see benchmarks.h. */
#include <strings.h>

#include "benchmarks.h"
#include "shipped.h"

#define BENCHMARK(_name, _title, _suite, _sets, _hsm, _themis, _build, _card_ppm) \
	{ _name, _title, _suite, _sets, CLASS_##_hsm, CLASS_##_themis, \
	  build_##_build, _card_ppm },

const struct benchmark benchmarks[BENCHMARK_COUNT_ALL] = {
#include "list.h"
};

#undef BENCHMARK

static const struct {
	const char *name;
	unsigned int sets;
} set_names[BENCHMARK_SETS] = {
	{ "hsm", SET_HSM },
	{ "fgqos", SET_FGQOS },
	{ "themis", SET_THEMIS_TRAINING | SET_THEMIS_TEST },
	{ "themis-training", SET_THEMIS_TRAINING },
	{ "themis-test", SET_THEMIS_TEST },
	{ "stm", SET_STM },
};

const struct benchmark *benchmark_find(const char *name)
{
	size_t i;

	for (i = 0; i < BENCHMARK_COUNT_ALL; i++)
		if (!strcasecmp(benchmarks[i].name, name))
			return &benchmarks[i];
	return NULL;
}

int benchmark_in_suite(const struct benchmark *benchmark, const char *suite)
{
	size_t i;

	if (!strcasecmp(suite, "all"))
		return !!benchmark->sets;
	if (!strcasecmp(suite, benchmark->suite))
		return 1;
	for (i = 0; i < BENCHMARK_SETS; i++)
		if (!strcasecmp(suite, set_names[i].name))
			return !!(benchmark->sets & set_names[i].sets);
	return 0;
}

const char *benchmark_set_name(const struct benchmark *benchmark,
			       unsigned int index)
{
	size_t i;

	for (i = 0; i < BENCHMARK_SETS; i++)
		if (benchmark->sets & set_names[i].sets && !index--)
			return set_names[i].name;
	return NULL;
}

const char *benchmark_class_name(const struct benchmark *benchmark)
{
	static const char *const names[] = {
		[CLASS_MEMORY] = "memory",
		[CLASS_COMPUTE] = "compute",
		[CLASS_BALANCED] = "balanced",
	};

	return names[benchmark->hsm ? benchmark->hsm : benchmark->themis];
}

void *benchmark_trace(const struct benchmark *benchmark, __u32 size_ppm,
		      size_t *bytes)
{
	return benchmark_trace_for(benchmark, size_ppm, NULL, NULL, bytes);
}

void *benchmark_trace_for(const struct benchmark *benchmark, __u32 size_ppm,
			  const char *config, const char *kernel, size_t *bytes)
{
	struct builder *builder = builder_new(benchmark->name,
					      "simgpu workloads 1");
	void *trace;

	if (!builder)
		return NULL;
	builder_size(builder, size_ppm);
	if (kernel)
		builder_only(builder, kernel);
	benchmark->build(builder);
	if (config && size_ppm == benchmark->card_ppm)
		shipped_add(builder, config, benchmark->name);
	trace = builder_finish(builder, 0, bytes);
	builder_free(builder);
	return trace;
}
