// SPDX-License-Identifier: GPL-2.0
/*
 * Mirrors: they see a tenant's own accesses, need the time that a full channel
 * needs alone, and decide nothing. And the latency of loads, which the model
 * that reads mirrors reads beside them.
 */
#include <stdarg.h>
#include <setjmp.h>
#include <stddef.h>
#include <stdlib.h>
#include <cmocka.h>

#include "../../userspace/workloads/builder.h"
#include "device.h"
#include "small.h"
#include "traces.h"

/* Lines of the small GPU's last-level cache: 256 KB. */
#define SMALL_LINES	(8 * 16 * 16)

static struct gpu_config mirrored(void)
{
	struct gpu_config config = small_config();

	config.mirrors = 1;
	return config;
}

/* Some cycles of tenant 0 on the first @sms SMs, of tenant 1 on the others. */
static struct gpu *run_for(const struct gpu_config *config,
			   const struct trace *trace, u32 sms,
			   const struct trace *other, u64 cycles)
{
	struct gpu *gpu = gpu_make(config);

	own(gpu, 0, sms, 0);
	gpu_kernel_start(gpu, 0, trace, 0);
	if (other) {
		own(gpu, sms, config->sms - sms, 1);
		gpu_kernel_start(gpu, 1, other, 0);
	}
	gpu_run(gpu, cycles);
	assert_int_equal(gpu_now(gpu), cycles);
	return gpu;
}

static u64 share_ppm(u64 part, u64 whole)
{
	return fixed_ratio_ppm(part, whole);
}

/* What fills the channels alone takes the mirror all the time that there is. */
static void a_full_channel_is_busy_all_the_time(void **state)
{
	struct gpu_config config = mirrored();
	struct trace *traces[] = {
		trace_random(100000, 100, 4, 1ULL << 32),
		trace_copy(4000, 200, 32),
	};
	u32 i;

	/* Whole lines, fetched for parts or always; sectors. */
	for (i = 0; i < 3 * ARRAY_SIZE(traces); i++) {
		struct simgpu_counters c;
		struct gpu *gpu;
		u64 clocks;

		config.llc_write_allocate = i / 2 == 1 ? GPU_ALLOCATE_ALWAYS :
							 GPU_ALLOCATE_FETCH;
		config.llc_sectors = i / 2 == 2 ? 4 : 1;
		gpu = run_for(&config, traces[i % 2], config.sms, NULL, 200000);
		c = counters_of(gpu, 0);
		clocks = gpu_memory_clocks(gpu, 200000);
		assert_in_range(c.mirror_accesses * config.channels,
				c.llc_accesses * 9 / 10,
				c.llc_accesses * 11 / 10);
		assert_in_range(share_ppm(c.mirror_requests * config.channels,
					  simgpu_dram_requests(&c)),
				SIMGPU_PPM * 9 / 10, SIMGPU_PPM * 11 / 10);
		assert_in_range(c.mirror_clocks, clocks * 85 / 100,
				clocks * 115 / 100);
		free(gpu);
	}
	for (i = 0; i < ARRAY_SIZE(traces); i++)
		trace_free(traces[i]);
}

static void a_compute_bound_tenant_needs_none_of_it(void **state)
{
	struct gpu_config config = mirrored();
	struct trace *trace = trace_compute(100000, 1000, 32);
	struct gpu *gpu = run_for(&config, trace, config.sms, NULL, 50000);

	assert_true(counters_of(gpu, 0).thread_instructions > 0);
	assert_int_equal(counters_of(gpu, 0).mirror_clocks, 0);
	free(gpu);
	trace_free(trace);
}

/*
 * Beside a tenant that streams, the cache misses far more often; the mirror as
 * often as the cache does alone.
 */
static void a_corunner_does_not_show(void **state)
{
	struct gpu_config config = mirrored();
	struct trace *reuse = trace_random(100000, 40, 2,
					   SMALL_LINES * GPU_LINE_BYTES * 5 / 4);
	struct trace *thrash = trace_stream(4000, 200, 1);
	struct gpu *alone = run_for(&config, reuse, 4, NULL, 200000);
	struct gpu *beside = run_for(&config, reuse, 4, thrash, 200000);
	struct simgpu_counters a = counters_of(alone, 0);
	struct simgpu_counters b = counters_of(beside, 0);
	u64 misses = share_ppm(a.llc_misses, a.llc_accesses);

	assert_true(share_ppm(b.llc_misses, b.llc_accesses) > misses * 13 / 10);
	assert_in_range(share_ppm(b.mirror_requests, b.mirror_accesses),
			misses * 9 / 10, misses * 11 / 10);
	free(alone);
	free(beside);
	trace_free(reuse);
	trace_free(thrash);
}

static void forget_mirror(struct simgpu_counters *counters)
{
	counters->mirror_accesses = 0;
	counters->mirror_requests = 0;
	counters->mirror_clocks = 0;
}

static void see_command(void *context, u32 channel, u64 clock, u32 command,
			u32 bank, u32 row)
{
	u32 *greatest = context;

	if (channel > *greatest)
		*greatest = channel;
}

/* Mirrors change nothing but their counts, and nobody sees their commands. */
static void they_decide_nothing(void **state)
{
	struct gpu_config off = small_config(), on = mirrored();
	struct trace *trace = trace_copy(200, 8, 16);
	struct gpu *with, *without = run_alone(&off, trace);
	struct simgpu_counters a = counters_of(without, 0), b;
	u32 greatest = 0;

	with = gpu_make(&on);
	gpu_set_command_hook(with, see_command, &greatest);
	own(with, 0, on.sms, 0);
	gpu_kernel_start(with, 0, trace, 0);
	finish(with, 0, NULL);
	gpu_run(with, gpu_now(with) + 20000);
	b = counters_of(with, 0);
	assert_int_equal(gpu_now(with), gpu_now(without));
	assert_int_equal(a.mirror_accesses, 0);
	assert_true(b.mirror_requests > 100);
	assert_int_equal(greatest, on.channels - 1);
	forget_mirror(&b);
	assert_memory_equal(&a, &b, sizeof(a));
	/* What they hold is part of the device's state. */
	assert_int_not_equal(gpu_state_hash(with), gpu_state_hash(without));
	free(with);
	free(without);
	trace_free(trace);
}

/* A slot's next tenant finds an empty mirror, whose clock begins at 0. */
static void dropping_begins_anew(void **state)
{
	struct gpu_config config = mirrored();
	struct trace *trace = trace_copy(4000, 200, 32);
	struct gpu *gpu = run_for(&config, trace, config.sms, NULL, 50000);
	u32 tags = gpu->shape.mirror_sets * config.llc_ways, used = 0, i;

	for (i = 0; i < tags; i++)
		used += gpu->mirror_tags[i] != 0;
	assert_true(used > tags / 2);
	assert_true(gpu->channels[config.channels].clock > 0);
	gpu_tenant_drop(gpu, 0);
	for (i = 0; i < tags; i++)
		assert_int_equal(gpu->mirror_tags[i], 0);
	assert_int_equal(gpu->channels[config.channels].clock, 0);
	assert_int_equal(gpu->channels[config.channels].pending, 0);
	free(gpu);
	trace_free(trace);
}

static void every_configuration_can_have_them(void **state)
{
	const struct gpu_config *built_in;
	struct gpu_config config;
	const char *field = NULL;
	u32 i;

	for (i = 0; (built_in = gpu_config_at(i)); i++) {
		config = *built_in;
		config.mirrors = 1;
		assert_int_equal(gpu_config_check(&config, &field), 0);
	}
	assert_true(i > 5);
	config = mirrored();
	config.llc_sets = 4096;
	assert_int_equal(gpu_config_check(&config, &field), -EINVAL);
	assert_string_equal(field, "mirrors");
}

/* --- the latency of loads --- */

/* One warp that reads one line after the other, each of another row; twice. */
static struct trace *trace_chain(u32 lines)
{
	struct simgpu_trace_pattern pattern = {
		.kind = SIMGPU_TRACE_AFFINE, .access_bytes = 4,
		.region_bytes = 1ULL << 32,
	};
	struct builder *b = builder_new("chain", "test");

	builder_kernel(b, "chain", 1, 32, 32, 0);
	builder_loop(b, 2);
	builder_loop(b, lines);
	pattern.loop_stride[1] = 1 << 16;
	builder_load(b, builder_pattern(b, &pattern), 32, 0);
	builder_loop_end(b);
	builder_loop_end(b);
	return trace_of(b, 1ULL << 32);
}

/*
 * Lines that come from DRAM the first time and from the last-level cache the
 * second time, with nothing in the way but refresh and rows left open.
 */
static void a_lone_load_takes_what_the_snapshot_says(void **state)
{
	const struct gpu_config *config = gpu_config_find("hbm80");
	const u32 lines = 1000;
	struct trace *trace = trace_chain(lines);
	struct gpu *gpu = run_alone(config, trace);
	struct simgpu_counters c = counters_of(gpu, 0);
	u64 hits = c.llc_accesses - c.llc_misses;
	u64 least = hits * gpu_llc_hit_cycles(gpu) +
		    c.llc_misses * gpu_dram_cycles(gpu);
	/* Core cycles of a precharge. */
	u64 precharge = config->dram.trp * config->core_mhz /
			config->memory_mhz;

	assert_int_equal(c.load_requests, 2 * lines);
	assert_int_equal(c.llc_accesses, 2 * lines);
	assert_true(hits > lines * 9 / 10 && c.llc_misses >= lines);
	assert_in_range(c.load_cycles, least,
			least + c.llc_misses * (precharge + 10));
	free(gpu);
	trace_free(trace);
}

/* While a load is under way, the time grows with the clock. */
static void loads_under_way_are_counted_up_to_now(void **state)
{
	const struct gpu_config *config = gpu_config_find("hbm80");
	struct trace *trace = trace_chain(1);
	struct gpu *gpu = gpu_make(config);
	u64 cycle, before = 0;

	own(gpu, 0, 1, 0);
	gpu_kernel_start(gpu, 0, trace, 0);
	while (!counters_of(gpu, 0).load_requests)
		gpu_run(gpu, gpu_now(gpu) + 1);
	for (cycle = 0; cycle < 100; cycle += 10) {
		u64 cycles = counters_of(gpu, 0).load_cycles;

		assert_int_equal(cycles, cycle ? before + 10 : cycles);
		before = cycles;
		gpu_run(gpu, gpu_now(gpu) + 10);
	}
	/* It ends with its tenant, not when the line comes. */
	gpu_tenant_drop(gpu, 0);
	before = counters_of(gpu, 0).load_cycles;
	gpu_run(gpu, gpu_now(gpu) + 10000);
	assert_int_equal(counters_of(gpu, 0).load_cycles, before);
	free(gpu);
	trace_free(trace);
}

/* One warp that reads, then writes a line, or not; so often. */
static struct trace *trace_with_end(bool stores)
{
	struct simgpu_trace_pattern pattern = {
		.kind = SIMGPU_TRACE_AFFINE, .access_bytes = 4,
		.region_bytes = 1 << 20,
		.lane_stride = 4,
	};
	struct builder *b = builder_new("end", "test");

	builder_kernel(b, "end", 1, 32, 32, 0);
	builder_compute(b, 50, 32);
	if (stores)
		builder_store(b, builder_pattern(b, &pattern), 32);
	else
		builder_load(b, builder_pattern(b, &pattern), 32, 0);
	return trace_of(b, 1 << 20);
}

/*
 * An idle GPU acknowledges a store after as long as it answers a load that hits; who
 * only reads has ended when it has issued all.
 */
static void kernels_wait_for_their_last_stores(void **state)
{
	struct gpu_config config = *gpu_config_find("hbm80");
	u32 stores;

	/* A store of a whole line that misses asks nothing of the memory. */
	config.llc_write_allocate = GPU_ALLOCATE_FETCH;

	for (stores = 0; stores < 2; stores++) {
		struct trace *trace = trace_with_end(stores);
		struct gpu *gpu = run_alone(&config, trace);
		u64 once = counters_of(gpu, 0).drain_cycles, hit = gpu_llc_hit_cycles(gpu);

		assert_in_range(once, stores ? hit * 9 / 10 : 0,
				stores ? hit * 11 / 10 : 0);
		gpu_kernel_start(gpu, 0, trace, 0);
		gpu_run(gpu, gpu_now(gpu) + 10000);
		assert_in_range(counters_of(gpu, 0).drain_cycles,
				stores ? 2 * once - 20 : 0, stores ? 2 * once + 20 : 0);
		free(gpu);
		trace_free(trace);
	}
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_full_channel_is_busy_all_the_time),
		cmocka_unit_test(a_compute_bound_tenant_needs_none_of_it),
		cmocka_unit_test(a_corunner_does_not_show),
		cmocka_unit_test(they_decide_nothing),
		cmocka_unit_test(dropping_begins_anew),
		cmocka_unit_test(every_configuration_can_have_them),
		cmocka_unit_test(a_lone_load_takes_what_the_snapshot_says),
		cmocka_unit_test(loads_under_way_are_counted_up_to_now),
		cmocka_unit_test(kernels_wait_for_their_last_stores),
	};

	return cmocka_run_group_tests_name("mirror", tests, NULL, NULL);
}
