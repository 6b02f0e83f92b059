// SPDX-License-Identifier: GPL-2.0
/*
 * The built-in workloads: found by name, small, the same each time, accepted by
 * the validator, and running on hbm80 from the first cycle. How they compare
 * with HSM's Table 2 is for tests/command/calibrate, which takes minutes.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <cmocka.h>

#include "../../userspace/offline/offline.h"
#include "../../userspace/offline/profile.h"
#include "../../userspace/offline/run.h"
#include "../../userspace/workloads/benchmarks.h"
#include "../../userspace/workloads/shipped.h"

/* "A few kilobytes" */
#define BYTES_MAX	(20 << 10)
/* Long enough for every kind of access of a first thread block. */
#define CYCLES		3000

static void test_find(void **state)
{
	u32 i;

	for (i = 0; i < BENCHMARK_COUNT_ALL; i++)
		assert_ptr_equal(benchmark_find(benchmarks[i].name),
				 &benchmarks[i]);
	assert_ptr_equal(benchmark_find("mri-q"), &benchmarks[14]);
	assert_null(benchmark_find(""));
	assert_null(benchmark_find("LB"));
	assert_null(benchmark_find("LBMS"));
}

static u32 in_suite(const char *suite)
{
	u32 count = 0, i;

	for (i = 0; i < BENCHMARK_COUNT_ALL; i++)
		count += benchmark_in_suite(&benchmarks[i], suite) != 0;
	return count;
}

/* As many as the papers' tables have, and the programs' own suites. */
static void test_suites(void **state)
{
	assert_int_equal(in_suite("hsm"), 15);
	assert_int_equal(in_suite("fgqos"), 10);
	assert_int_equal(in_suite("themis"), 22);
	assert_int_equal(in_suite("themis-training"), 15);
	assert_int_equal(in_suite("themis-test"), 7);
	assert_int_equal(in_suite("STM"), 9);
	assert_int_equal(in_suite("all"), BENCHMARK_COUNT);
	assert_int_equal(in_suite("llama"), 12);
	assert_int_equal(in_suite("paging"), 4);
	assert_int_equal(in_suite("llama") + in_suite("paging"),
			 BENCHMARK_COUNT_ALL - BENCHMARK_COUNT);
	assert_int_equal(in_suite("mars"), 1);
	assert_int_equal(in_suite("Parboil"), 10);
	assert_int_equal(in_suite("Rodinia") + in_suite("CUDA SDK") +
			 in_suite("PolyBench"), BENCHMARK_COUNT - 11);
	assert_int_equal(in_suite("nope"), 0);
	assert_string_equal(benchmark_set_name(benchmark_find("TPACF"), 0),
			    "fgqos");
	assert_string_equal(benchmark_set_name(benchmark_find("TPACF"), 2),
			    "themis-test");
	assert_null(benchmark_set_name(benchmark_find("TPACF"), 3));
}

/* Every one is in a paper's set, and has the class that the paper's table says. */
static void test_classes(void **state)
{
	u32 hsm[CLASS_BALANCED + 1] = { 0 }, themis[CLASS_BALANCED + 1] = { 0 };
	u32 i;

	for (i = 0; i < BENCHMARK_COUNT; i++) {
		const struct benchmark *b = &benchmarks[i];

		assert_non_null(benchmark_set_name(b, 0));
		assert_int_equal(b->hsm != CLASS_UNSAID,
				 benchmark_in_suite(b, "hsm"));
		assert_int_equal(b->themis != CLASS_UNSAID,
				 benchmark_in_suite(b, "themis"));
		hsm[b->hsm]++;
		themis[b->themis]++;
	}
	assert_int_equal(hsm[CLASS_MEMORY], 10);
	assert_int_equal(hsm[CLASS_COMPUTE], 5);
	assert_int_equal(themis[CLASS_COMPUTE], 5);
	assert_int_equal(themis[CLASS_BALANCED], 7);
	assert_int_equal(themis[CLASS_MEMORY], 10);
	assert_string_equal(benchmark_class_name(benchmark_find("SRAD")),
			    "memory");
	assert_string_equal(benchmark_class_name(benchmark_find("SRAD1")),
			    "balanced");
	assert_null(benchmark_class_name(benchmark_find("VA")));
}

static void test_traces(void **state)
{
	struct trace_error error = { 0 };
	size_t bytes, again;
	u64 memory_bytes;
	u32 i;

	for (i = 0; i < BENCHMARK_COUNT_ALL; i++) {
		void *trace = benchmark_trace(&benchmarks[i], SIMGPU_PPM, &bytes);
		void *copy = benchmark_trace(&benchmarks[i], SIMGPU_PPM, &again);

		assert_non_null(trace);
		assert_non_null(copy);
		if (trace_check(trace, bytes, &memory_bytes, &error))
			fail_msg("%s: %s %s", benchmarks[i].name, error.field,
				 error.reason);
		assert_in_range(bytes, 1, BYTES_MAX);
		assert_int_equal(bytes, again);
		assert_memory_equal(trace, copy, bytes);
		free(trace);
		free(copy);
	}
}

/* The operators of the language model are good traces with any number of tokens. */
static void test_tokens(void **state)
{
	static const u32 sizes[] = { 1, 15625, 31250, 46875, 62500, 250000, 734375 };
	struct trace_error error;
	u64 memory_bytes;
	size_t bytes, i, j;

	for (i = BENCHMARK_COUNT; i < BENCHMARK_COUNT_ALL; i++)
		for (j = 0; j < ARRAY_SIZE(sizes); j++) {
			void *trace = benchmark_trace(&benchmarks[i], sizes[j], &bytes);

			assert_non_null(trace);
			if (trace_check(trace, bytes, &memory_bytes, &error))
				fail_msg("%s of size %u: %s %s", benchmarks[i].name, sizes[j],
					 error.field, error.reason);
			free(trace);
		}
}

static struct trace *load(const struct benchmark *benchmark)
{
	struct trace_error error;
	struct trace *trace = NULL;
	size_t bytes;
	void *encoded = benchmark_trace(benchmark, SIMGPU_PPM, &bytes);

	assert_int_equal(offline_load_trace(encoded, bytes, &error, &trace), 0);
	free(encoded);
	return trace;
}

/* Products for Hopper need more shared memory than other GPUs have. */
static const char *gpu_of(const struct benchmark *benchmark)
{
	return strstr(benchmark->name, "-SM90") ? "h100" : "hbm80";
}

static void run(const struct benchmark *benchmark,
		struct offline_result *result)
{
	static const struct offline_observer nobody;
	struct offline_experiment *experiment = calloc(1, sizeof(*experiment));
	struct trace *trace = load(benchmark);

	experiment->options = (struct session_options) {
		.config = *gpu_config_find(gpu_of(benchmark)),
		.model = registry_model_find("hsm"),
		.policy = registry_policy_find("even"),
		.seed = 1,
		.epoch_cycles = SESSION_EPOCH_CYCLES_DEFAULT,
		.stop_cycle = CYCLES,
		.relaunch = true,
	};
	session_default_params(&experiment->options);
	experiment->count = 1;
	experiment->tenants[0].options.weight = 1;
	strcpy(experiment->tenants[0].options.name, benchmark->name);
	experiment->tenants[0].trace = trace;
	assert_int_equal(offline_run(experiment, &nobody, result), 0);
	offline_free_trace(trace);
	free(experiment);
}

static void test_run(void **state)
{
	struct offline_result *result = calloc(1, sizeof(*result));
	u32 i;

	for (i = 0; i < BENCHMARK_COUNT_ALL; i++) {
		const struct simgpu_counters *counters =
			&result->reports[0].counters;

		run(&benchmarks[i], result);
		assert_int_equal(result->cycle, CYCLES);
		if (!counters->thread_instructions || !counters->llc_accesses)
			fail_msg("%s does nothing", benchmarks[i].name);
		assert_false(result->reports[0].first_run_done);
	}
	free(result);
}

/* --- shipped profiles --- */

/* At the size for the cards. */
static struct trace *load_card(const char *name, const char *config)
{
	const struct benchmark *benchmark = benchmark_find(name);
	struct trace_error error = { 0 };
	struct trace *trace = NULL;
	size_t bytes;
	void *encoded = benchmark_trace_for(benchmark, benchmark->card_ppm, config,
					    NULL, &bytes);

	if (offline_load_trace(encoded, bytes, &error, &trace))
		fail_msg("%s on %s: %s %s; tools/shipped-profiles measures anew", name,
			 config, error.field, error.reason);
	free(encoded);
	return trace;
}

static const char *const cards[] = { "gtx480", "c2070", "gtx680", "k20" };

/* Of every kernel of the nine programs on every card, and on no other GPU. */
static void test_shipped(void **state)
{
	u32 card, i, kernel;

	for (i = 0; i < BENCHMARK_COUNT; i++) {
		for (card = 0; card < ARRAY_SIZE(cards) && benchmarks[i].card_ppm; card++) {
			const struct gpu_config *config = gpu_config_find(cards[card]);
			struct trace *trace = load_card(benchmarks[i].name, cards[card]);

			assert_int_equal(trace->profile_count, trace->kernel_count);
			for (kernel = 0; kernel < trace->kernel_count; kernel++)
				assert_non_null(trace_profile(trace, config->name,
							      config->sms, kernel));
			offline_free_trace(trace);
		}
	}
	for (card = 0; card < ARRAY_SIZE(cards); card++)
		assert_true(shipped_is_card(cards[card]));
	assert_false(shipped_is_card("hbm80"));
}

/* No other part of the data, and no other GPU, has one. */
static void test_unshipped(void **state)
{
	const struct benchmark *va = benchmark_find("VA");
	size_t bytes, again;
	void *whole = benchmark_trace(va, SIMGPU_PPM, &bytes);
	void *same = benchmark_trace_for(va, SIMGPU_PPM, "gtx480", NULL,
					 &again);
	struct trace *trace = load_card("VA", "hbm80");

	assert_int_equal(bytes, again);
	assert_memory_equal(whole, same, bytes);
	assert_int_equal(trace->profile_count, 0);
	offline_free_trace(trace);
	free(whole);
	free(same);
}

static struct trace *load_kernel(const struct benchmark *benchmark, u32 size,
				 const char *kernel)
{
	struct trace_error error = { 0 };
	struct trace *trace = NULL;
	size_t bytes;
	void *encoded = benchmark_trace_for(benchmark, size, "gtx480", kernel, &bytes);

	assert_non_null(encoded);
	assert_int_equal(offline_load_trace(encoded, bytes, &error, &trace), 0);
	free(encoded);
	return trace;
}

/* A kernel's instructions, and its profile if it has one, are those that it has alone. */
static void assert_same_kernel(const struct trace *all, u32 index, const struct trace *one)
{
	const struct trace_kernel *a = &all->kernels[index], *b = &one->kernels[0];
	const struct trace_op *from = &all->ops[a->programs[0]];
	const struct trace_op *to = &one->ops[b->programs[0]];
	const struct trace_point *points, *same;

	assert_string_equal(a->name, b->name);
	assert_memory_equal(a->grid, b->grid, sizeof(a->grid));
	assert_int_equal(a->block_threads, b->block_threads);
	assert_true(a->instructions == b->instructions);
	do {
		struct trace_op op = *to++;

		/* Where a loop begins is counted from the first kernel's first op. */
		if (op.kind == TRACE_LOOP_END)
			op.body = from->body;
		assert_memory_equal(from, &op, sizeof(op));
	} while (from++->kind != TRACE_END);
	points = trace_profile(all, "gtx480", 15, index);
	same = trace_profile(one, "gtx480", 15, 0);
	assert_int_equal(!points, !same);
	if (points)
		assert_memory_equal(points, same, 15 * sizeof(*points));
}

/* Each kernel of a benchmark can be had alone: the first one of its name. */
static void test_kernels_alone(void **state)
{
	u32 i, j, first;

	for (i = 0; i < BENCHMARK_COUNT; i++) {
		const struct benchmark *benchmark = &benchmarks[i];
		u32 size = benchmark->card_ppm ? benchmark->card_ppm : SIMGPU_PPM;
		struct trace *all = load_kernel(benchmark, size, NULL);
		size_t bytes;

		for (j = 0; j < all->kernel_count; j++) {
			const char *name = all->kernels[j].name;
			struct trace *one;

			for (first = 0; strcmp(all->kernels[first].name, name);)
				first++;
			if (first < j)
				continue;
			one = load_kernel(benchmark, size, name);
			assert_int_equal(one->kernel_count, 1);
			assert_same_kernel(all, j, one);
			offline_free_trace(one);
		}
		offline_free_trace(all);
		assert_null(benchmark_trace_for(benchmark, size, NULL, "none", &bytes));
	}
}

static void measure_again(const char *card, const char *name, u32 kernel, u32 sms)
{
	const struct gpu_config *config = gpu_config_find(card);
	struct trace *trace = load_card(name, card);
	const struct trace_point *shipped =
		&trace_profile(trace, card, config->sms, kernel)[sms - 1];
	struct simgpu_profile_point point;

	assert_int_equal(offline_profile(config, trace, kernel, sms, 1, &point), 0);
	if (point.cycles != shipped->cycles ||
	    point.bandwidth_ppm != shipped->bandwidth_ppm)
		fail_msg("%s on %u SMs of %s takes %u cycles, %u ppm of the bandwidth, not %u, %u: run tools/shipped-profiles",
			 name, sms, card, point.cycles, point.bandwidth_ppm,
			 shipped->cycles, shipped->bandwidth_ppm);
	offline_free_trace(trace);
}

/* What is shipped is what the engine says. */
static void test_shipped_points(void **state)
{
	measure_again("gtx480", "VA", 0, 1);
	measure_again("gtx480", "VA", 0, 7);
	measure_again("gtx480", "VA", 0, 15);
	measure_again("gtx480", "BINO", 0, 1);
	measure_again("gtx480", "BINO", 0, 7);
	measure_again("gtx480", "BINO", 0, 15);
	measure_again("c2070", "SCAN", 2, 9);
	measure_again("gtx680", "FWT", 1, 3);
	measure_again("k20", "HIST64", 0, 13);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_find),
		cmocka_unit_test(test_suites),
		cmocka_unit_test(test_classes),
		cmocka_unit_test(test_traces),
		cmocka_unit_test(test_tokens),
		cmocka_unit_test(test_run),
		cmocka_unit_test(test_shipped),
		cmocka_unit_test(test_unshipped),
		cmocka_unit_test(test_kernels_alone),
		cmocka_unit_test(test_shipped_points),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests_name("workloads", tests, NULL, NULL);
}
