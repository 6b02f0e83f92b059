// SPDX-License-Identifier: GPL-2.0
/*
 * Counters of crossbar, banks, bus, stores, shared memory, refresh and active
 * SMs, on traces by hand whose numbers are known beforehand.
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

#define WARPS		8
#define LINE		128

/* Of packets with and without a line, see derive_shape(). */
#define LINE_FLITS	((128 + 8 + 31) / 32)

static struct gpu_config config_of_flits(void)
{
	struct gpu_config config = small_config();

	config.noc_flit_bytes = 32;
	return config;
}

static void free_all(struct gpu *gpu, struct trace *trace)
{
	free(gpu);
	trace_free(trace);
}

/* --- crossbar and stores ---------------------------------------------------------- */

/* Each warp reads 6 lines of its own and writes 6, whole or in part. */
static void copies_are_counted(void **state)
{
	static const u32 lanes[] = { 32, 16 };
	struct gpu_config config = config_of_flits();
	u64 lines = 20 * WARPS * 6;
	u32 i;

	for (i = 0; i < ARRAY_SIZE(lanes); i++) {
		struct trace *trace = trace_copy(20, 6, lanes[i]);
		struct gpu *gpu = run_alone(&config, trace);
		struct simgpu_counters got = counters_of(gpu, 0), sm;
		u64 stores = 0;

		assert_int_equal(got.load_requests, lines);
		assert_int_equal(got.l1_stores, lines);
		assert_int_equal(got.noc_request_flits,
				 lines + lines * LINE_FLITS);
		/* A store is acknowledged. */
		assert_int_equal(got.noc_reply_flits,
				 lines * LINE_FLITS + lines);
		assert_int_equal(got.shared_accesses, 0);
		for (u32 j = 0; j < config.sms; j++) {
			gpu_sm_counters(gpu, j, &sm);
			stores += sm.l1_stores;
		}
		assert_int_equal(stores, lines);
		free_all(gpu, trace);
	}
}

/* A line that is in the L1 asks for nothing. */
static void hits_send_nothing(void **state)
{
	struct gpu_config config = config_of_flits();
	struct builder *b = builder_new("hits", "test");
	u32 one = builder_affine(b, 0, LINE, 4, 0, 0, 0);
	struct simgpu_counters got;
	struct trace *trace;
	struct gpu *gpu;

	builder_kernel(b, "hits", 1, 32, 32, 0);
	builder_loop(b, 50);
	builder_load(b, one, 32, 0);
	builder_loop_end(b);
	trace = trace_of(b, LINE);
	gpu = run_alone(&config, trace);
	got = counters_of(gpu, 0);
	assert_int_equal(got.l1_accesses, 50);
	assert_int_equal(got.noc_request_flits, 1);
	assert_int_equal(got.noc_reply_flits, LINE_FLITS);
	assert_int_equal(got.bank_busy_clocks, got.bank_active_clocks);
	assert_true(got.bank_busy_clocks > 0);
	free_all(gpu, trace);
}

/* A dropped tenant's replies are not the next one's. */
static void dropped_replies_are_nobodys(void **state)
{
	struct gpu_config config = config_of_flits();
	struct gpu *gpu = gpu_make(&config);
	struct trace *trace = trace_copy(200, 6, 32);
	struct simgpu_counters got;
	u64 lines = 200 * WARPS * 6;

	own(gpu, 0, config.sms, 0);
	gpu_kernel_start(gpu, 0, trace, 0);
	gpu_run(gpu, 1500);
	got = counters_of(gpu, 0);
	assert_true(got.load_requests * LINE_FLITS > got.noc_reply_flits);
	gpu_tenant_drop(gpu, 0);
	assert_int_equal(counters_of(gpu, 0).noc_reply_flits,
			 got.noc_reply_flits);
	gpu_tenant_reset_counters(gpu, 0);
	own(gpu, 0, config.sms, 0);
	gpu_kernel_start(gpu, 0, trace, 0);
	finish(gpu, 0, NULL);
	gpu_run(gpu, gpu_now(gpu) + 20000);
	got = counters_of(gpu, 0);
	assert_int_equal(got.noc_reply_flits, lines * LINE_FLITS + lines);
	assert_int_equal(got.noc_request_flits, lines + lines * LINE_FLITS);
	free_all(gpu, trace);
}

/* Nor is what a dropped tenant was about to issue anybody's. */
static void dropped_bursts_are_nobodys(void **state)
{
	struct gpu_config config = config_of_flits();
	struct gpu *gpu = gpu_make(&config);
	struct trace *trace = trace_compute(200, 6, 1000);
	struct simgpu_counters got, sm;
	u32 i;

	own(gpu, 0, config.sms, 0);
	gpu_kernel_start(gpu, 0, trace, 0);
	gpu_run(gpu, 1500);
	got = counters_of(gpu, 0);
	gpu_tenant_drop(gpu, 0);
	gpu_run(gpu, 2000);
	assert_int_equal(counters_of(gpu, 0).warp_instructions,
			 got.warp_instructions);
	for (i = 0; i < config.sms; i++) {
		gpu_sm_counters(gpu, i, &sm);
		got.warp_instructions -= sm.warp_instructions;
	}
	assert_int_equal(got.warp_instructions, 0);
	free_all(gpu, trace);
}

/* --- shared memory ------------------------------------------------------------------ */

static struct trace *trace_shared(u32 blocks)
{
	struct builder *b = builder_new("shared", "test");

	builder_kernel(b, "shared", blocks, 256, 32, 4096);
	builder_loop(b, 30);
	builder_shared(b, 3, 32, 2);
	builder_compute(b, 100, 32);
	builder_loop_end(b);
	return trace_of(b, 0);
}

/* Whole, and with quotas and context switches, which cut bursts. */
static void shared_memory_is_counted(void **state)
{
	struct gpu_config config = small_config();
	struct trace *trace = trace_shared(100);
	u64 expected = 100 * WARPS * 30 * 3;
	struct gpu *gpu = run_alone(&config, trace);
	u32 i, turn;

	assert_int_equal(counters_of(gpu, 0).shared_accesses, expected);
	free(gpu);
	gpu = gpu_make(&config);
	for (i = 0; i < config.sms; i++) {
		gpu_sm_share(gpu, i);
		gpu_sm_set_quota(gpu, i, 0, 777, 777);
	}
	gpu_kernel_start(gpu, 0, trace, 0);
	for (turn = 1; turn < 20; turn++) {
		gpu_run(gpu, turn * 500);
		gpu_sm_set_block_limit(gpu, turn % 8, 0, turn % 4,
				       GPU_PREEMPT_SWITCH);
	}
	for (i = 0; i < config.sms; i++)
		gpu_sm_set_block_limit(gpu, i, 0, GPU_NO_LIMIT,
				       GPU_PREEMPT_DRAIN);
	finish(gpu, 0, NULL);
	assert_true(counters_of(gpu, 0).preempted_blocks > 0);
	assert_int_equal(counters_of(gpu, 0).shared_accesses, expected);
	/* Contexts are stored, but no store instruction is there. */
	assert_int_equal(counters_of(gpu, 0).l1_stores, 0);
	free_all(gpu, trace);
}

/* --- SMs ------------------------------------------------------------------------------ */

static void busy_sms_are_active(void **state)
{
	struct gpu_config config = small_config();
	struct gpu *gpu = gpu_make(&config);
	struct trace *trace = trace_compute(4000, 500, 100);
	struct simgpu_counters got, sm;
	u64 before;

	own(gpu, 0, 5, 0);
	gpu_kernel_start(gpu, 0, trace, 0);
	gpu_run(gpu, 12345);
	got = counters_of(gpu, 0);
	assert_int_equal(got.sm_active_cycles, 5 * 12345);
	assert_int_equal(got.sm_active_cycles, got.sm_cycles);
	gpu_sm_counters(gpu, 4, &sm);
	assert_int_equal(sm.sm_active_cycles, 12345);
	gpu_sm_counters(gpu, 5, &sm);
	assert_int_equal(sm.sm_active_cycles, 0);
	/* Counters that begin anew in the middle. */
	gpu_tenant_reset_counters(gpu, 0);
	assert_int_equal(counters_of(gpu, 0).sm_active_cycles, 0);
	gpu_run(gpu, 12445);
	assert_int_equal(counters_of(gpu, 0).sm_active_cycles, 500);
	gpu_tenant_drop(gpu, 0);
	before = counters_of(gpu, 0).sm_active_cycles;
	gpu_run(gpu, 20000);
	assert_int_equal(counters_of(gpu, 0).sm_active_cycles, before);
	free_all(gpu, trace);
}

/* A grid of one block leaves all SMs but one idle; sharers count each. */
static void idle_sms_are_not_active(void **state)
{
	struct gpu_config config = small_config();
	struct trace *one = trace_compute(1, 500, 100);
	struct trace *many = trace_compute(4000, 500, 100);
	struct gpu *gpu = run_alone(&config, one);
	struct simgpu_counters a, b;
	u32 i;

	a = counters_of(gpu, 0);
	assert_true(a.sm_active_cycles < a.sm_cycles / 7);
	free(gpu);
	gpu = gpu_make(&config);
	for (i = 0; i < config.sms; i++)
		gpu_sm_share(gpu, i);
	for (i = 0; i < config.sms; i++)
		gpu_sm_set_block_limit(gpu, i, 0, 2, GPU_PREEMPT_DRAIN);
	gpu_kernel_start(gpu, 0, many, 0);
	gpu_kernel_start(gpu, 1, many, 0);
	gpu_run(gpu, 4000);
	a = counters_of(gpu, 0);
	b = counters_of(gpu, 1);
	assert_int_equal(a.sm_active_cycles, 8 * 4000);
	assert_int_equal(b.sm_active_cycles, 8 * 4000);
	free_all(gpu, one);
	trace_free(many);
}

/* --- refresh ---------------------------------------------------------------------------- */

static void refreshes_are_counted(void **state)
{
	struct gpu_config config = small_config();
	struct trace *trace = trace_compute(4000, 500, 100);
	struct gpu *gpu;
	u64 clocks;

	config.dram.trefi = 1000;
	gpu = gpu_make(&config);
	own(gpu, 0, config.sms, 0);
	gpu_run(gpu, 5000);
	assert_int_equal(counters_of(gpu, 0).refreshes, 0);
	gpu_kernel_start(gpu, 0, trace, 0);
	gpu_run(gpu, 50000);
	clocks = gpu_memory_clocks(gpu, 50000) / 1000 -
		 gpu_memory_clocks(gpu, 5000) / 1000;
	assert_int_equal(counters_of(gpu, 0).refreshes, clocks * 4);
	gpu_tenant_drop(gpu, 0);
	gpu_run(gpu, 90000);
	assert_int_equal(counters_of(gpu, 0).refreshes, clocks * 4);
	free_all(gpu, trace);
}

/* --- banks and bus ------------------------------------------------------------------------ */

static struct gpu_config one_channel(u32 banks)
{
	struct gpu_config config = small_config();

	config.channels = 1;
	config.llc_slices = 2;
	config.banks = banks;
	config.bank_groups = 1;
	return config;
}

/* With one bank, it works whenever any does; with 16 several at a time. */
static void banks_are_counted(void **state)
{
	struct gpu_config config = one_channel(1);
	struct trace *trace = trace_random(20, 8, 4, 1ULL << 26);
	struct gpu *gpu = run_alone(&config, trace);
	struct simgpu_counters one = counters_of(gpu, 0), many;

	assert_true(one.bank_active_clocks > 0);
	assert_int_equal(one.bank_busy_clocks, one.bank_active_clocks);
	assert_true(one.bank_active_clocks <=
		    gpu_memory_clocks(gpu, gpu_now(gpu)));
	free(gpu);
	config = one_channel(16);
	gpu = run_alone(&config, trace);
	many = counters_of(gpu, 0);
	assert_true(many.bank_busy_clocks > 4 * many.bank_active_clocks);
	assert_true(many.bank_busy_clocks <= 16 * many.bank_active_clocks);
	assert_true(many.bank_active_clocks < one.bank_active_clocks);
	free_all(gpu, trace);
}

/* A request alone: from its entry, by an activate, to its access. */
static void a_lone_request_is_exact(void **state)
{
	struct gpu_config config = one_channel(16);
	struct builder *b = builder_new("one", "test");
	u32 line = builder_affine(b, 0, LINE, 4, 0, 0, 0);
	struct simgpu_counters got;
	struct trace *trace;
	struct gpu *gpu;

	builder_kernel(b, "one", 1, 32, 32, 0);
	builder_load(b, line, 32, 0);
	trace = trace_of(b, LINE);
	gpu = run_alone(&config, trace);
	got = counters_of(gpu, 0);
	assert_int_equal(got.dram_fills, 1);
	assert_int_equal(got.bank_busy_clocks, config.dram.trcd_read);
	assert_int_equal(got.bank_active_clocks, config.dram.trcd_read);
	assert_int_equal(got.bus_wait_clocks, 0);
	free_all(gpu, trace);
}

/*
 * Nobody waits for his own data; two streams wait for each other's, where the
 * bus is narrow. (Rows cannot be opened faster than a wide one takes the lines.)
 */
static void the_bus_is_waited_for(void **state)
{
	struct gpu_config config = one_channel(16);
	struct trace *trace = trace_stream(400, 20, 1);
	struct simgpu_counters alone, a, b;
	u64 cycles = 60000;
	struct gpu *gpu;

	config.channel_bytes_per_clock = 8;
	config.dram.read_to_write = 40;
	gpu = run_alone(&config, trace);
	alone = counters_of(gpu, 0);
	assert_int_equal(alone.bus_wait_clocks, 0);
	free(gpu);
	gpu = gpu_make(&config);
	own(gpu, 0, 4, 0);
	own(gpu, 4, 4, 1);
	gpu_kernel_start(gpu, 0, trace, 0);
	gpu_kernel_start(gpu, 1, trace, 0);
	gpu_run(gpu, cycles);
	a = counters_of(gpu, 0);
	b = counters_of(gpu, 1);
	assert_true(a.bus_wait_clocks > 0);
	assert_true(b.bus_wait_clocks > 0);
	/* An access waits no longer than its bank is busy with it. */
	assert_true(a.bus_wait_clocks <= a.bank_busy_clocks);
	assert_true(b.bus_wait_clocks <= b.bank_busy_clocks);
	free_all(gpu, trace);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(copies_are_counted),
		cmocka_unit_test(hits_send_nothing),
		cmocka_unit_test(dropped_replies_are_nobodys),
		cmocka_unit_test(dropped_bursts_are_nobodys),
		cmocka_unit_test(shared_memory_is_counted),
		cmocka_unit_test(busy_sms_are_active),
		cmocka_unit_test(idle_sms_are_not_active),
		cmocka_unit_test(refreshes_are_counted),
		cmocka_unit_test(banks_are_counted),
		cmocka_unit_test(a_lone_request_is_exact),
		cmocka_unit_test(the_bus_is_waited_for),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests_name("counters", tests, NULL, NULL);
}
