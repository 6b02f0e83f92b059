// SPDX-License-Identifier: GPL-2.0
/*
 * Auxiliary tag directories: the last-level cache's own hits when alone, the
 * private run's when not, and nothing at all when off.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <cmocka.h>

#include "device.h"
#include "small.h"
#include "traces.h"

/* Lines of the small GPU's last-level cache: 256 KB. */
#define SMALL_LINES	(8 * 16 * 16)

/* Random reads, then stores of whole lines and of parts, all in one region. */
static struct trace *trace_mixed(u32 blocks, u32 trips)
{
	u64 bytes = 2 * SMALL_LINES * GPU_LINE_BYTES;
	struct simgpu_trace_pattern pattern = {
		.kind = SIMGPU_TRACE_RANDOM, .access_bytes = 4,
		.region_bytes = bytes, .lines = 3, .seed = 5,
	};
	struct builder *b = builder_new("mixed", "test");
	u32 reads = builder_pattern(b, &pattern), whole, part;

	pattern.access_bytes = GPU_LINE_BYTES;
	pattern.seed = 6;
	whole = builder_pattern(b, &pattern);
	pattern.access_bytes = 64;
	pattern.seed = 8;
	part = builder_pattern(b, &pattern);
	builder_kernel(b, "mixed", blocks, 256, 32, 0);
	builder_loop(b, trips);
	builder_load(b, reads, 32, 2);
	builder_store(b, whole, 32);
	builder_store(b, part, 32);
	builder_loop_end(b);
	return trace_of(b, bytes);
}

/* Reads of which about half hit; reads and writes; many reads at once. */
static void make_traces(struct trace **traces)
{
	traces[0] = trace_random(400, 20, 2, 2 * SMALL_LINES * GPU_LINE_BYTES);
	traces[1] = trace_mixed(200, 8);
	traces[2] = trace_random(200, 10, 16, SMALL_LINES * GPU_LINE_BYTES);
}

static void free_traces(struct trace **traces)
{
	u32 i;

	for (i = 0; i < 3; i++)
		trace_free(traces[i]);
}

/* Every set sampled: each access and each hit of the cache, no more, no less. */
static void alone_it_counts_the_caches_hits(void **state)
{
	struct gpu_config config = small_config();
	struct trace *traces[3];
	u32 i;

	config.atd_sampling = 1;
	make_traces(traces);
	/* Whole lines, fetched for parts or always; sectors that stores fetch, and do not. */
	for (i = 0; i < 4 * ARRAY_SIZE(traces); i++) {
		static const u32 allocates[] = {
			GPU_ALLOCATE_FETCH, GPU_ALLOCATE_ALWAYS, GPU_ALLOCATE_FETCH,
			GPU_ALLOCATE_LAZY,
		};
		struct simgpu_counters c;
		struct gpu *gpu;

		config.llc_sectors = i / 3 < 2 ? 1 : 4;
		config.llc_write_allocate = allocates[i / 3];
		gpu = run_alone(&config, traces[i % 3]);
		c = counters_of(gpu, 0);

		assert_true(c.atd_hits > c.atd_accesses / 10);
		assert_int_equal(c.atd_accesses, c.llc_accesses);
		assert_int_equal(c.atd_accesses - c.atd_hits, c.llc_misses);
		free(gpu);
	}
	free_traces(traces);
}

/* The same lines in the same order of use, in every sampled set. */
static void expect_equal_set(const struct gpu *gpu, u32 sampled, u32 set)
{
	u32 ways = gpu->config.llc_ways, rank;

	for (rank = 0; rank < ways; rank++) {
		u32 way = (gpu->llc[set].order >> (rank * 4)) & 15;
		u32 line = gpu->llc[set].tag[way];
		u32 tag = gpu->atd_tags[sampled * ways + rank];

		if (line == NO_LINE)
			assert_int_equal(tag, 0);
		else
			assert_int_equal(tag, line | 1U << 31);
	}
}

static void alone_it_holds_the_caches_lines(void **state)
{
	static const u32 samplings[] = { 1, 3, 4, 128, 4096 };
	struct gpu_config config = small_config();
	u32 sets = config.llc_slices * config.llc_sets, i, set;
	struct trace *traces[3];

	make_traces(traces);
	for (i = 0; i < ARRAY_SIZE(samplings); i++) {
		struct simgpu_counters c;
		struct gpu *gpu;

		config.atd_sampling = samplings[i];
		config.llc_sectors = i & 1 ? 4 : 1;
		gpu = run_alone(&config, traces[i % 3]);
		c = counters_of(gpu, 0);
		for (set = 0; set < sets; set += samplings[i])
			expect_equal_set(gpu, set / samplings[i], set);
		/* A fair share of the accesses: the sets are hashed. */
		if (samplings[i] < sets)
			assert_in_range(c.atd_accesses * samplings[i],
					c.llc_accesses * 9 / 10,
					c.llc_accesses * 11 / 10);
		free(gpu);
	}
	free_traces(traces);
}

static u64 miss_ppm(u64 accesses, u64 hits)
{
	return SIMGPU_PPM - fixed_ratio_ppm(hits, accesses);
}

/*
 * A co-runner that streams takes the cache away from a tenant that reuses it:
 * the cache misses far more, the directory predicts the rate still that the
 * tenant has on the same SMs with the cache to itself.
 */
static void a_corunner_does_not_show(void **state)
{
	struct gpu_config config = small_config();
	struct trace *reuse = trace_random(400, 20, 2,
					   SMALL_LINES * GPU_LINE_BYTES * 5 / 4);
	struct trace *thrash = trace_stream(2000, 16, 1);
	u64 alone, shared, predicted;
	struct simgpu_counters c;
	struct gpu *gpu;

	config.atd_sampling = 4;
	gpu = gpu_make(&config);
	own(gpu, 0, config.sms / 2, 0);
	gpu_kernel_start(gpu, 0, reuse, 0);
	finish(gpu, 0, NULL);
	c = counters_of(gpu, 0);
	alone = fixed_ratio_ppm(c.llc_misses, c.llc_accesses);
	free(gpu);

	gpu = gpu_make(&config);
	own(gpu, 0, config.sms / 2, 0);
	own(gpu, config.sms / 2, config.sms / 2, 1);
	gpu_kernel_start(gpu, 0, reuse, 0);
	gpu_kernel_start(gpu, 1, thrash, 0);
	finish(gpu, 0, thrash);
	c = counters_of(gpu, 0);
	shared = fixed_ratio_ppm(c.llc_misses, c.llc_accesses);
	predicted = miss_ppm(c.atd_accesses, c.atd_hits);
	print_message("# miss rate alone %llu, shared %llu, predicted %llu ppm\n",
		      alone, shared, predicted);
	assert_true(shared > alone * 13 / 10);
	assert_in_range(predicted, alone * 97 / 100, alone * 103 / 100);
	free(gpu);
	trace_free(reuse);
	trace_free(thrash);
}

/* As aggressively as HSM 4.1 samples: 8 sets of the whole cache. */
static void few_sets_are_enough(void **state)
{
	struct gpu_config config = *gpu_config_find("hbm80");
	struct trace *trace = trace_random(800, 40, 4, 12ULL << 20);
	struct simgpu_counters c;
	struct gpu *gpu;

	config.atd_sampling = config.llc_slices * config.llc_sets / 8;
	gpu = run_alone(&config, trace);
	c = counters_of(gpu, 0);
	assert_int_equal(gpu->shape.atd_sets, 8);
	assert_in_range(miss_ppm(c.atd_accesses, c.atd_hits),
			fixed_ratio_ppm(c.llc_misses, c.llc_accesses) * 9 / 10,
			fixed_ratio_ppm(c.llc_misses, c.llc_accesses) * 11 / 10);
	free(gpu);
	trace_free(trace);
}

/* Counting changes nothing but the counts; off, it costs no memory. */
static void it_decides_nothing(void **state)
{
	struct gpu_config off = small_config(), on = off;
	struct trace *trace = trace_copy(200, 8, 16);
	struct gpu *with, *without;
	struct simgpu_counters a, b;

	on.atd_sampling = 1;
	assert_int_equal(gpu_bytes(&on) - gpu_bytes(&off),
			 GPU_SLOTS_MAX * SMALL_LINES * 4);
	without = run_alone(&off, trace);
	with = run_alone(&on, trace);
	assert_int_equal(gpu_now(with), gpu_now(without));
	a = counters_of(without, 0);
	b = counters_of(with, 0);
	assert_int_equal(a.atd_accesses, 0);
	b.atd_accesses = 0;
	b.atd_hits = 0;
	assert_memory_equal(&a, &b, sizeof(a));
	/* What a directory holds is part of the device's state. */
	assert_int_not_equal(gpu_state_hash(with), gpu_state_hash(without));
	free(with);
	free(without);
	trace_free(trace);
}

/* A slot's next tenant finds an empty directory. */
static void dropping_empties_it(void **state)
{
	struct gpu_config config = small_config();
	struct trace *trace = trace_random(400, 20, 2,
					   2 * SMALL_LINES * GPU_LINE_BYTES);
	u32 tags = SMALL_LINES, i, used = 0, others = 0;
	struct gpu *gpu;

	config.atd_sampling = 1;
	gpu = gpu_make(&config);
	own(gpu, 0, 4, 0);
	own(gpu, 4, 4, 1);
	gpu_kernel_start(gpu, 0, trace, 0);
	gpu_kernel_start(gpu, 1, trace, 0);
	gpu_run(gpu, 5000);
	gpu_tenant_drop(gpu, 0);
	/* What was on its way for it is not let in either. */
	gpu_run(gpu, 10000);
	for (i = 0; i < tags; i++) {
		used += gpu->atd_tags[i] != 0;
		others += gpu->atd_tags[tags + i] != 0;
	}
	assert_int_equal(used, 0);
	assert_true(others > 100);
	/* Every line of the slot's next tenant is its first. */
	gpu_tenant_reset_counters(gpu, 0);
	own(gpu, 0, 4, 0);
	gpu_kernel_start(gpu, 0, trace, 0);
	gpu_run(gpu, 10500);
	assert_true(counters_of(gpu, 0).atd_accesses > 100);
	assert_true(counters_of(gpu, 0).atd_hits * 5 <
		    counters_of(gpu, 0).atd_accesses);
	free(gpu);
	trace_free(trace);
}

/* A few MB for 64 tenants of the default; more is refused, with the field. */
static void memory_is_bounded(void **state)
{
	struct gpu_config config = *gpu_config_find("hbm80");
	size_t off = gpu_bytes(&config);
	const char *field;

	config.atd_sampling = 3;
	assert_int_equal(gpu_config_check(&config, &field), 0);
	assert_int_equal(gpu_bytes(&config) - off, 4 << 20);
	config.atd_sampling = 2;
	assert_int_equal(gpu_config_check(&config, &field), -EINVAL);
	assert_string_equal(field, "atd_sampling");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(alone_it_counts_the_caches_hits),
		cmocka_unit_test(alone_it_holds_the_caches_lines),
		cmocka_unit_test(a_corunner_does_not_show),
		cmocka_unit_test(few_sets_are_enough),
		cmocka_unit_test(it_decides_nothing),
		cmocka_unit_test(dropping_empties_it),
		cmocka_unit_test(memory_is_bounded),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests_name("atd", tests, NULL, NULL);
}
