// SPDX-License-Identifier: GPL-2.0
/*
 * Row directories: they see each DRAM request of the sampled channels once, find
 * the rows of a tenant's last requests and no older ones, see no other tenant's,
 * and change nothing.
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

static struct gpu_config watched(u32 sampling)
{
	struct gpu_config config = small_config();

	config.row_sampling = sampling;
	return config;
}

/* Fills and write-backs: what is sent to the channels has come back by the end. */
static void each_request_is_seen_once(void **state)
{
	struct gpu_config config = watched(1);
	struct trace *trace = trace_copy(100, 20, 32);
	struct gpu *gpu = run_alone(&config, trace);
	struct simgpu_counters c = counters_of(gpu, 0);

	assert_true(c.dram_writebacks > 1000 && c.dram_fills > 1000);
	assert_int_equal(c.row_samples, c.dram_fills + c.dram_writebacks);
	assert_true(c.row_repeats <= c.row_samples);
	free(gpu);
	trace_free(trace);
}

/*
 * Every pair of lines of a stream lies in a row, and a row has several pairs: a
 * tenant that reads them all misses in the directory about once a row. A
 * tenant that reads lines at random of a large region never hits.
 */
static void locality_is_the_programs(void **state)
{
	struct gpu_config config = watched(1);
	struct trace *stream = trace_stream(4, 400, 4);
	struct trace *random = trace_random(200, 20, 4, 1ULL << 32);
	struct gpu *gpu = run_alone(&config, stream);
	struct simgpu_counters c = counters_of(gpu, 0);

	assert_true(c.row_repeats * 2 >= c.row_samples);
	free(gpu);
	gpu = run_alone(&config, random);
	c = counters_of(gpu, 0);
	assert_true(c.row_samples > 10000);
	assert_true(c.row_repeats * 50 < c.row_samples);
	free(gpu);
	trace_free(stream);
	trace_free(random);
}

/* A line a time apart by @others lines of other rows, over and over. */
static struct trace *trace_round(u32 others)
{
	struct simgpu_trace_pattern pattern = {
		.kind = SIMGPU_TRACE_AFFINE, .access_bytes = 4,
		.region_bytes = 1ULL << 32,
	};
	struct builder *b = builder_new("round", "test");

	/* One warp; each trip another line of each row, which no cache has. */
	builder_kernel(b, "round", 1, 32, 32, 0);
	builder_loop(b, 2);
	builder_loop(b, others);
	pattern.loop_stride[0] = GPU_LINE_BYTES;
	pattern.loop_stride[1] = 1 << 20;
	builder_load(b, builder_pattern(b, &pattern), 32, 0);
	builder_loop_end(b);
	builder_loop_end(b);
	return trace_of(b, 1ULL << 32);
}

/* Within the window a row is found again, beyond it it is not. */
static void the_window_is_two_queues(void **state)
{
	struct gpu_config config = watched(1);
	struct trace *near, *far;
	struct simgpu_counters c;
	struct gpu *gpu;

	config.channels = 1;
	config.llc_slices = 2;
	config.queue_entries = 16;
	config.write_drain_start = 8;
	config.write_drain_stop = 2;
	near = trace_round(32);
	far = trace_round(33);
	gpu = run_alone(&config, near);
	c = counters_of(gpu, 0);
	assert_int_equal(c.row_samples, 64);
	assert_int_equal(c.row_repeats, 32);
	free(gpu);
	gpu = run_alone(&config, far);
	c = counters_of(gpu, 0);
	assert_int_equal(c.row_samples, 66);
	assert_int_equal(c.row_repeats, 0);
	free(gpu);
	trace_free(near);
	trace_free(far);
}

static void only_sampled_channels_are_seen(void **state)
{
	struct gpu_config all = watched(1), some = watched(4);
	struct trace *trace = trace_stream(200, 40, 4);
	struct gpu *a = run_alone(&all, trace), *b = run_alone(&some, trace);
	u64 seen = counters_of(b, 0).row_samples;
	u64 requests = counters_of(a, 0).row_samples;

	/* One channel of four; the hash spreads them evenly. */
	assert_in_range(seen * 4, requests * 9 / 10, requests * 11 / 10);
	free(a);
	free(b);
	trace_free(trace);
}

/* Beside a tenant that thrashes, the directory sees the same sequence. */
static void others_are_not_seen(void **state)
{
	struct gpu_config config = watched(1);
	struct trace *stream = trace_stream(4, 400, 4);
	struct trace *random = trace_random(400, 40, 8, 1ULL << 32);
	struct gpu *gpu = gpu_make(&config);
	struct simgpu_counters alone, beside;

	own(gpu, 0, 4, 0);
	gpu_kernel_start(gpu, 0, stream, 0);
	finish(gpu, 0, NULL);
	alone = counters_of(gpu, 0);
	free(gpu);
	gpu = gpu_make(&config);
	own(gpu, 0, 4, 0);
	own(gpu, 4, 4, 1);
	gpu_kernel_start(gpu, 0, stream, 0);
	gpu_kernel_start(gpu, 1, random, 0);
	finish(gpu, 0, random);
	beside = counters_of(gpu, 0);
	assert_int_equal(beside.row_samples, alone.row_samples);
	/* The row buffers see much more of the other one than this may. */
	assert_true(beside.row_activates > alone.row_activates * 3 / 2);
	assert_in_range(beside.row_repeats, alone.row_repeats * 9 / 10,
			alone.row_repeats * 11 / 10);
	gpu_tenant_drop(gpu, 0);
	assert_int_equal(gpu->rowdirs[0].windows[0].rows[0], 0);
	free(gpu);
	trace_free(stream);
	trace_free(random);
}

static void they_change_nothing(void **state)
{
	struct gpu_config off = watched(0), on = watched(2);
	struct trace *trace = trace_copy(200, 20, 32);
	struct gpu *a = run_alone(&off, trace), *b = run_alone(&on, trace);
	struct simgpu_counters x = counters_of(a, 0), y = counters_of(b, 0);

	assert_int_equal(x.row_samples, 0);
	assert_true(y.row_samples);
	y.row_samples = y.row_repeats = 0;
	assert_memory_equal(&x, &y, sizeof(x));
	assert_int_equal(gpu_now(a), gpu_now(b));
	free(a);
	free(b);
	trace_free(trace);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(each_request_is_seen_once),
		cmocka_unit_test(locality_is_the_programs),
		cmocka_unit_test(the_window_is_two_queues),
		cmocka_unit_test(only_sampled_channels_are_seen),
		cmocka_unit_test(others_are_not_seen),
		cmocka_unit_test(they_change_nothing),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests_name("rowdir", tests, NULL, NULL);
}
