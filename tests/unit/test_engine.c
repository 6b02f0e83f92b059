// SPDX-License-Identifier: GPL-2.0
/*
 * The simulated GPU as a whole: exact counts, determinism, conservation,
 * ownership of SMs, dropped tenants, back-pressure.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <cmocka.h>

#include "../../kmod/sim/gpu.h"
#include "traces.h"

#define BLOCK_WARPS	8
#define LONG_ENOUGH	20000000ULL

/** struct device - a GPU and the commands that its channels issued */
struct device {
	struct gpu *gpu;
	void *memory;
	u64 commands[DRAM_COMMANDS];
};

static void count_command(void *context, u32 channel, u64 clock,
			  enum dram_command command, u32 bank, u32 row)
{
	struct device *device = context;

	device->commands[command]++;
}

static struct gpu_config default_config(void)
{
	return *gpu_config_find("hbm80");
}

static void device_make(struct device *device, const struct gpu_config *config)
{
	const char *field;

	memset(device, 0, sizeof(*device));
	assert_int_equal(gpu_config_check(config, &field), 0);
	device->memory = aligned_alloc(64, (gpu_bytes(config) + 63) & ~63UL);
	/* Old contents must not matter. */
	memset(device->memory, 0x5a, gpu_bytes(config));
	device->gpu = gpu_init(device->memory, config, 1);
	gpu_set_command_hook(device->gpu, count_command, device);
}

static void device_free(struct device *device)
{
	free(device->memory);
}

static void own(struct device *device, u32 first, u32 count, u32 slot)
{
	u32 i;

	for (i = first; i < first + count; i++)
		gpu_sm_assign(device->gpu, i, slot, GPU_PREEMPT_DRAIN);
}

/* Run until the slots in @mask have finished; checks that they do. */
static void finish(struct device *device, u64 mask)
{
	u64 done = 0;

	while ((done & mask) != mask) {
		assert_true(gpu_now(device->gpu) < LONG_ENOUGH);
		gpu_run(device->gpu, LONG_ENOUGH);
		done |= gpu_take_finished(device->gpu);
	}
}

static struct simgpu_counters counters_of(struct device *device, u32 slot)
{
	struct simgpu_counters counters;

	gpu_tenant_counters(device->gpu, slot, &counters);
	return counters;
}

static u64 ended(struct device *device, u32 slot)
{
	struct gpu_kernel_status status;

	gpu_kernel_status(device->gpu, slot, &status);
	return status.ended_at;
}

/* One tenant alone on all SMs, to its end. */
static struct simgpu_counters run_alone(const struct gpu_config *config,
					const struct trace *trace, u64 *cycles,
					u64 *hash)
{
	struct simgpu_counters counters;
	struct device device;

	device_make(&device, config);
	own(&device, 0, config->sms, 0);
	gpu_kernel_start(device.gpu, 0, trace, 0);
	finish(&device, 1);
	/* Let what is still on its way come to rest. */
	gpu_run(device.gpu, gpu_now(device.gpu) + 20000);
	counters = counters_of(&device, 0);
	if (cycles)
		*cycles = ended(&device, 0);
	if (hash)
		*hash = gpu_state_hash(device.gpu);
	device_free(&device);
	return counters;
}

static void counts_are_exact(void **state)
{
	struct gpu_config config = default_config();
	struct trace *trace = trace_stream(500, 8, 3);
	u64 warps = 500 * BLOCK_WARPS;
	struct simgpu_counters c = run_alone(&config, trace, NULL, NULL);

	assert_int_equal(c.warp_instructions, warps * 8 * (1 + 3));
	assert_int_equal(c.thread_instructions, warps * 8 * (1 + 3) * 32);
	assert_int_equal(c.l1_accesses, warps * 8);
	assert_int_equal(c.l1_misses, warps * 8);
	assert_int_equal(c.llc_accesses, warps * 8);
	assert_int_equal(c.llc_misses, warps * 8);
	assert_int_equal(c.dram_fills, warps * 8);
	assert_int_equal(c.dram_writebacks, 0);
	assert_int_equal(c.bus_busy_clocks, warps * 8 * 2);
	assert_int_equal(c.blocks_finished, 500);
	assert_int_equal(c.kernels_finished, 1);
	trace_free(trace);
}

/*
 * Stores of whole lines fetch nothing, those of parts their lines; all stores fetch where
 * the cache always does.
 */
static void stores_fetch_only_what_they_must(void **state)
{
	struct gpu_config config = default_config();
	struct trace *full = trace_copy(400, 8, 32);
	struct trace *partial = trace_copy(400, 8, 16);
	u64 lines = 400 * BLOCK_WARPS * 8;
	struct simgpu_counters c;

	config.llc_write_allocate = GPU_ALLOCATE_ALWAYS;
	c = run_alone(&config, full, NULL, NULL);
	assert_int_equal(c.dram_fills, 2 * lines);
	config.llc_write_allocate = GPU_ALLOCATE_FETCH;
	c = run_alone(&config, full, NULL, NULL);
	assert_int_equal(c.dram_fills, lines);
	assert_int_equal(c.llc_accesses, 2 * lines);
	c = run_alone(&config, partial, NULL, NULL);
	assert_int_equal(c.dram_fills, 2 * lines);
	assert_int_equal(c.thread_instructions,
			 lines * (32 + 2 * 32 + 16));
	trace_free(full);
	trace_free(partial);
}

static void dirty_lines_are_written_back(void **state)
{
	struct gpu_config config = default_config();
	/* Twice the cache's size in dirty lines: half of them must go. */
	u32 cache_lines = config.llc_slices * config.llc_sets * config.llc_ways;
	u32 blocks = 2 * cache_lines / (BLOCK_WARPS * 8);
	struct trace *trace = trace_copy(blocks, 8, 32);
	struct simgpu_counters c = run_alone(&config, trace, NULL, NULL);
	u64 written = (u64)blocks * BLOCK_WARPS * 8;

	assert_in_range(c.dram_writebacks, written - cache_lines, written);
	assert_in_range(c.dram_writebacks, written / 2, written);
	trace_free(trace);
}

static void runs_are_equal(void **state)
{
	struct gpu_config config = default_config();
	struct trace *trace = trace_random(300, 10, 4, 1ULL << 28);
	u64 cycles[2], hash[2];

	run_alone(&config, trace, &cycles[0], &hash[0]);
	run_alone(&config, trace, &cycles[1], &hash[1]);
	assert_int_equal(cycles[0], cycles[1]);
	assert_int_equal(hash[0], hash[1]);
	trace_free(trace);
}

/* How far a channel runs ahead is no result, nor is where gpu_run() pauses. */
static void batches_do_not_show(void **state)
{
	static const u32 batches[] = { 1, 2, 7, 16 };
	struct trace *traces[] = {
		trace_stream(300, 8, 2), trace_copy(300, 8, 16),
		trace_random(200, 10, 4, 1ULL << 28),
	};
	struct gpu_config config = default_config();
	u32 i, j;

	for (i = 0; i < ARRAY_SIZE(traces); i++) {
		u64 hash, first = 0;

		for (j = 0; j < ARRAY_SIZE(batches); j++) {
			config.channel_batch_clocks = batches[j];
			run_alone(&config, traces[i], NULL, &hash);
			if (!j)
				first = hash;
			assert_int_equal(hash, first);
		}
		trace_free(traces[i]);
	}
}

static void expect_pauses_do_not_show(const struct gpu_config *config)
{
	struct trace *trace = trace_copy(400, 8, 32);
	u64 steps[] = { 1, 13, 1000, 30000 }, first = 0, at;
	u32 i;

	for (i = 0; i < ARRAY_SIZE(steps); i++) {
		struct device device;

		device_make(&device, config);
		own(&device, 0, config->sms, 0);
		gpu_kernel_start(device.gpu, 0, trace, 0);
		for (at = steps[i]; at < 6000; at += steps[i])
			gpu_run(device.gpu, at);
		gpu_run(device.gpu, 6000);
		if (!i)
			first = gpu_state_hash(device.gpu);
		assert_int_equal(gpu_state_hash(device.gpu), first);
		device_free(&device);
	}
	trace_free(trace);
}

static void pauses_do_not_show(void **state)
{
	struct gpu_config config = default_config();

	expect_pauses_do_not_show(&config);
	config.noc_head_blocking = 1;
	expect_pauses_do_not_show(&config);
	config.slice_queue_flits = 40;
	expect_pauses_do_not_show(&config);
}

/* Also where nobody runs, and writes of those who did are still under way. */
static void pauses_of_an_empty_device_do_not_show(void **state)
{
	struct gpu_config config = default_config();
	struct trace *trace = trace_copy(80, 8, 32);
	u64 steps[] = { 77, 3001, 2000000 }, first = 0, at;
	u32 i;

	for (i = 0; i < ARRAY_SIZE(steps); i++) {
		struct device device;

		device_make(&device, &config);
		own(&device, 0, config.sms, 0);
		gpu_kernel_start(device.gpu, 0, trace, 0);
		while (!gpu_take_finished(device.gpu))
			gpu_run(device.gpu, 100000);
		for (at = gpu_now(device.gpu) + steps[i]; at < 1500000;
		     at += steps[i])
			gpu_run(device.gpu, at);
		gpu_run(device.gpu, 1500000);
		gpu_kernel_start(device.gpu, 0, trace, 0);
		gpu_run(device.gpu, 1502000);
		if (!i)
			first = gpu_state_hash(device.gpu);
		assert_int_equal(gpu_state_hash(device.gpu), first);
		device_free(&device);
	}
	trace_free(trace);
}

/* What tenants count, SMs and DRAM commands count too. */
static void counters_add_up(void **state)
{
	struct gpu_config config = default_config();
	struct trace *traces[] = {
		trace_copy(300, 8, 32), trace_random(200, 10, 4, 1ULL << 28),
		trace_compute(200, 50, 20),
	};
	struct simgpu_counters sum = { 0 }, sms = { 0 };
	struct device device;
	u32 i;

	device_make(&device, &config);
	own(&device, 0, 30, 0);
	own(&device, 30, 30, 1);
	own(&device, 60, 20, 2);
	for (i = 0; i < 3; i++)
		gpu_kernel_start(device.gpu, i, traces[i], 0);
	finish(&device, 7);
	gpu_run(device.gpu, gpu_now(device.gpu) + 20000);
	for (i = 0; i < 3; i++) {
		struct simgpu_counters c = counters_of(&device, i);

		sum.thread_instructions += c.thread_instructions;
		sum.warp_instructions += c.warp_instructions;
		sum.l1_misses += c.l1_misses;
		sum.sm_cycles += c.sm_cycles;
		sum.idle_cycles += c.idle_cycles;
		sum.stall_memory_cycles += c.stall_memory_cycles;
		sum.blocks_finished += c.blocks_finished;
		sum.dram_fills += c.dram_fills;
		sum.dram_writebacks += c.dram_writebacks;
		sum.row_activates += c.row_activates;
	}
	for (i = 0; i < config.sms; i++) {
		struct simgpu_counters c;

		gpu_sm_counters(device.gpu, i, &c);
		sms.thread_instructions += c.thread_instructions;
		sms.warp_instructions += c.warp_instructions;
		sms.l1_misses += c.l1_misses;
		sms.sm_cycles += c.sm_cycles;
		sms.idle_cycles += c.idle_cycles;
		sms.stall_memory_cycles += c.stall_memory_cycles;
		sms.blocks_finished += c.blocks_finished;
	}
	assert_int_equal(sum.thread_instructions, sms.thread_instructions);
	assert_int_equal(sum.warp_instructions, sms.warp_instructions);
	assert_int_equal(sum.l1_misses, sms.l1_misses);
	assert_int_equal(sum.sm_cycles, sms.sm_cycles);
	assert_int_equal(sum.idle_cycles, sms.idle_cycles);
	assert_int_equal(sum.stall_memory_cycles, sms.stall_memory_cycles);
	assert_in_range(sum.stall_memory_cycles, 1, sum.idle_cycles);
	assert_int_equal(sum.blocks_finished, 700);
	assert_int_equal(sms.blocks_finished, 700);
	assert_int_equal(sum.sm_cycles, config.sms * gpu_now(device.gpu));
	assert_int_equal(sum.dram_fills, device.commands[DRAM_READ]);
	assert_int_equal(sum.dram_writebacks, device.commands[DRAM_WRITE]);
	assert_int_equal(sum.row_activates, device.commands[DRAM_ACTIVATE]);
	for (i = 0; i < 3; i++)
		trace_free(traces[i]);
	device_free(&device);
}

/* Insight 2 of HSM: a compute-bound kernel's speed is linear in its SMs. */
static void compute_scales_with_sms(void **state)
{
	static const u32 counts[] = { 10, 20, 40, 80 };
	struct gpu_config config = default_config();
	struct trace *trace = trace_compute(100000, 100, 20);
	u32 i;

	for (i = 0; i < ARRAY_SIZE(counts); i++) {
		struct simgpu_counters c;
		struct device device;

		device_make(&device, &config);
		own(&device, 0, counts[i], 0);
		gpu_kernel_start(device.gpu, 0, trace, 0);
		gpu_run(device.gpu, 50000);
		c = counters_of(&device, 0);
		/* Two schedulers of 32 lanes an SM, nearly always busy. */
		assert_in_range(c.thread_instructions,
				50000ULL * counts[i] * 64 * 99 / 100,
				50000ULL * counts[i] * 64);
		device_free(&device);
	}
	trace_free(trace);
}

/* Peak is reached to the instruction while every scheduler has work. */
static void partial_bursts_are_counted(void **state)
{
	struct gpu_config config = default_config();
	struct trace *trace = trace_compute(100000, 1, 1000000);
	struct simgpu_counters c;
	struct device device;
	u32 i;

	device_make(&device, &config);
	own(&device, 0, 80, 0);
	gpu_kernel_start(device.gpu, 0, trace, 0);
	for (i = 1; i < 200; i++) {
		gpu_run(device.gpu, i * 37);
		c = counters_of(&device, 0);
		assert_int_equal(c.warp_instructions, i * 37 * 80 * 2);
		assert_int_equal(c.idle_cycles, 0);
	}
	trace_free(trace);
	device_free(&device);
}

/* Two loads in flight take little longer than one; dependent ones, twice. */
static void loads_overlap_as_the_program_says(void **state)
{
	struct gpu_config config = default_config();
	u64 cycles[3];
	u32 i;

	for (i = 0; i < 3; i++) {
		struct builder *b = builder_new("loads", "test");
		u32 a = builder_affine(b, 0, 1 << 20, 4, 0, 0, 0);
		u32 c = builder_affine(b, 1 << 20, 1 << 20, 4, 0, 0, 0);
		struct trace *trace;

		builder_kernel(b, "loads", 1, 32, 32, 0);
		builder_load(b, a, 32, i == 1 ? 1 : 0);
		if (i)
			builder_load(b, c, 32, 0);
		builder_compute(b, 1, 32);
		trace = trace_of(b, 2 << 20);
		run_alone(&config, trace, &cycles[i], NULL);
		trace_free(trace);
	}
	assert_in_range(cycles[1], cycles[0], cycles[0] + 20);
	assert_in_range(cycles[2], 2 * cycles[0] - 20, 2 * cycles[0] + 20);
}

/*
 * Two warps of one scheduler compute 1000 instructions each: greedy, the older
 * one is done after 1000 cycles; in turn, neither is before 1999.
 */
static void warps_are_picked_as_configured(void **state)
{
	static const u64 expected[] = { 1000, 1999 };
	struct gpu_config config = default_config();
	struct builder *b = builder_new("two", "test");
	struct trace *trace;
	u32 policy;

	config.sms = 1;
	config.schedulers_per_sm = 1;
	builder_kernel(b, "two", 2, 32, 32, 0);
	builder_compute(b, 1000, 32);
	trace = trace_of(b, 0);
	for (policy = GPU_WARP_GTO; policy <= GPU_WARP_LRR; policy++) {
		struct device device;

		config.warp_policy = policy;
		device_make(&device, &config);
		own(&device, 0, 1, 0);
		gpu_kernel_start(device.gpu, 0, trace, 0);
		while (!counters_of(&device, 0).blocks_finished)
			gpu_run(device.gpu, gpu_now(device.gpu) + 1);
		assert_in_range(gpu_now(device.gpu), expected[policy],
				expected[policy] + 3);
		finish(&device, 1);
		assert_in_range(ended(&device, 0), 2000, 2002);
		device_free(&device);
	}
	trace_free(trace);
}

/* No warp passes a barrier before the slowest of its block has come. */
static void barriers_hold(void **state)
{
	struct gpu_config config = default_config();
	struct builder *b = builder_new("barrier", "test");
	struct trace *trace;
	u64 cycles;
	u32 i;

	builder_kernel(b, "barrier", 1, 64, 32, 0);
	builder_compute(b, 5000, 32);
	builder_barrier(b);
	builder_compute(b, 1, 32);
	builder_program(b);
	builder_compute(b, 1, 32);
	builder_barrier(b);
	builder_compute(b, 5000, 32);
	for (i = 0; i < 2; i++)
		builder_warp(b, i, 0);
	trace = trace_of(b, 0);
	run_alone(&config, trace, &cycles, NULL);
	assert_in_range(cycles, 10000, 10010);
	trace_free(trace);
}

/* A pattern whose 32 lanes touch 32 lines. */
static u32 scattered(struct builder *b)
{
	const struct simgpu_trace_pattern pattern = {
		.kind = SIMGPU_TRACE_AFFINE, .access_bytes = 4,
		.region_bytes = 1 << 20, .lane_stride = 4096,
	};

	return builder_pattern(b, &pattern);
}

/* One SM; what its one or two thread blocks of 64 threads leave in its counters. */
static struct simgpu_counters stalls_of(struct trace *trace)
{
	struct gpu_config config = default_config();
	struct simgpu_counters c;
	struct device device;

	config.sms = 1;
	device_make(&device, &config);
	own(&device, 0, 1, 0);
	gpu_kernel_start(device.gpu, 0, trace, 0);
	finish(&device, 1);
	c = counters_of(&device, 0);
	device_free(&device);
	trace_free(trace);
	return c;
}

/* A scheduler's idle cycles go to what the warp that ends them waited for. */
static void stalls_have_their_causes(void **state)
{
	struct builder *b = builder_new("memory", "test");
	u32 pattern = builder_affine(b, 0, 1 << 20, 4, 0, 128, 0);
	struct simgpu_counters c;

	/* Two warps, one a scheduler, each waits for its line. */
	builder_kernel(b, "memory", 1, 64, 32, 0);
	builder_load(b, pattern, 32, 0);
	builder_compute(b, 1, 32);
	c = stalls_of(trace_of(b, 1 << 20));
	assert_in_range(c.stall_memory_cycles, 600, 2 * 1000);
	/* The second warp may find the load/store unit busy for a cycle. */
	assert_in_range(c.stall_lsu_cycles, 0, 1);
	assert_int_equal(c.stall_barrier_cycles, 0);
	assert_int_equal(c.stall_empty_cycles, 0);
	/*
	 * The warp whose line came first has ended before the other; and in the
	 * end both wait until it is found that they have.
	 */
	assert_in_range(c.idle_cycles - c.stall_memory_cycles -
			c.stall_lsu_cycles, 0,
			20 + 2 * gpu_window(gpu_config_find("hbm80")));

	/* The second warp of the block waits 4999 cycles for the first. */
	b = builder_new("barrier", "test");
	builder_kernel(b, "barrier", 1, 64, 32, 0);
	builder_compute(b, 5000, 32);
	builder_barrier(b);
	builder_compute(b, 1, 32);
	builder_program(b);
	builder_compute(b, 1, 32);
	builder_barrier(b);
	builder_compute(b, 1, 32);
	builder_warp(b, 0, 0);
	builder_warp(b, 1, 0);
	c = stalls_of(trace_of(b, 0));
	assert_in_range(c.stall_barrier_cycles, 4998, 5000);
	assert_int_equal(c.stall_memory_cycles + c.stall_lsu_cycles, 0);

	/* Two warps store 32 lines an access: the unit takes them one by one. */
	b = builder_new("lsu", "test");
	builder_kernel(b, "lsu", 1, 64, 32, 0);
	builder_loop(b, 10);
	builder_op(b, &(struct simgpu_trace_op) {
		.kind = SIMGPU_TRACE_STORE, .active_lanes = 32,
		.pattern = scattered(b),
	});
	builder_loop_end(b);
	c = stalls_of(trace_of(b, 1 << 20));
	assert_in_range(c.stall_lsu_cycles, 2 * 9 * 31, U64_MAX);
	assert_int_equal(c.stall_memory_cycles + c.stall_barrier_cycles, 0);

	/* No room for the second block: the SM is empty for a cycle or two. */
	b = builder_new("empty", "test");
	builder_kernel(b, "empty", 2, 64, 32, 96 << 10);
	builder_compute(b, 100, 32);
	c = stalls_of(trace_of(b, 0));
	assert_in_range(c.stall_empty_cycles, 1, 2 * 3);
	assert_int_equal(c.stall_memory_cycles + c.stall_lsu_cycles, 0);
}

/* A draining SM finishes its thread blocks before it changes hands. */
static void preemption_drains(void **state)
{
	struct gpu_config config = default_config();
	struct trace *slow = trace_compute(100000, 1, 30000);
	struct gpu_sm_status status;
	struct simgpu_counters c;
	struct device device;
	u64 before;

	device_make(&device, &config);
	own(&device, 0, 80, 0);
	gpu_kernel_start(device.gpu, 0, slow, 0);
	gpu_kernel_start(device.gpu, 1, slow, 0);
	gpu_run(device.gpu, 1000);
	own(&device, 40, 40, 1);
	gpu_sm_status(device.gpu, 40, &status);
	assert_int_equal(status.owner, 0);
	assert_int_equal(status.next_owner, 1);
	assert_int_equal(status.blocks, 8);
	/* 8 blocks of 8 warps on 2 schedulers: 32 bursts each, one by one. */
	gpu_run(device.gpu, 32 * 30000 - 10);
	gpu_sm_status(device.gpu, 40, &status);
	assert_int_equal(status.owner, 0);
	c = counters_of(&device, 0);
	before = c.blocks_finished;
	gpu_run(device.gpu, 32 * 30000 + 10);
	gpu_sm_status(device.gpu, 40, &status);
	assert_int_equal(status.owner, 1);
	c = counters_of(&device, 0);
	/* The last scheduler turns of all 80 SMs end the remaining blocks. */
	assert_true(c.blocks_finished > before);
	assert_int_equal(c.blocks_finished, 80 * 8);
	c = counters_of(&device, 1);
	assert_in_range(c.sm_cycles, 40 * 9, 40 * 11);
	/* The new owner's blocks come when a window begins. */
	gpu_run(device.gpu, 32 * 30000 + gpu_window(&config));
	gpu_sm_status(device.gpu, 40, &status);
	assert_int_equal(status.blocks, 8);
	trace_free(slow);
	device_free(&device);
}

/* A dropped tenant takes nothing of the others with it and leaves nothing. */
static void dropping_leaves_the_others_whole(void **state)
{
	struct gpu_config config = default_config();
	struct trace *stays = trace_copy(600, 8, 32);
	struct trace *goes = trace_copy(100000, 8, 16);
	struct simgpu_counters c, frozen;
	struct device device;
	u64 cycle;

	for (cycle = 500; cycle < 12000; cycle += 997) {
		device_make(&device, &config);
		own(&device, 0, 40, 0);
		own(&device, 40, 40, 1);
		gpu_kernel_start(device.gpu, 0, stays, 0);
		gpu_kernel_start(device.gpu, 1, goes, 0);
		gpu_run(device.gpu, cycle);
		gpu_tenant_drop(device.gpu, 1);
		frozen = counters_of(&device, 1);
		/* Its SMs are free at once, for the other one. */
		own(&device, 40, 40, 0);
		finish(&device, 1);
		gpu_run(device.gpu, gpu_now(device.gpu) + 20000);
		c = counters_of(&device, 0);
		assert_int_equal(c.blocks_finished, 600);
		assert_int_equal(c.thread_instructions,
				 600ULL * BLOCK_WARPS * 8 * 4 * 32);
		c = counters_of(&device, 1);
		assert_memory_equal(&c, &frozen, sizeof(c));
		/* The slot can be used again. */
		gpu_tenant_reset_counters(device.gpu, 1);
		own(&device, 0, 80, 1);
		gpu_kernel_start(device.gpu, 1, stays, 0);
		finish(&device, 2);
		c = counters_of(&device, 1);
		assert_int_equal(c.blocks_finished, 600);
		device_free(&device);
	}
	trace_free(stays);
	trace_free(goes);
}

/* Tiny queues everywhere: slower, stalls counted, nothing lost. */
static void back_pressure_loses_nothing(void **state)
{
	struct gpu_config wide = default_config(), tight = wide;
	struct trace *trace = trace_copy(300, 8, 16);
	u64 lines = 300 * BLOCK_WARPS * 8, fast, slow;
	struct simgpu_counters c;

	tight.noc_queue_depth = 1;
	tight.noc_latency = 1;
	tight.llc_latency = 1;
	tight.llc_mshrs = 1;
	tight.llc_write_credits = 1;
	tight.l1_mshrs = 2;
	tight.queue_entries = 2;
	tight.write_drain_start = 2;
	tight.write_drain_stop = 0;
	run_alone(&wide, trace, &fast, NULL);
	c = run_alone(&tight, trace, &slow, NULL);
	assert_true(slow > fast);
	assert_true(c.queue_full_stalls > 0);
	assert_int_equal(c.blocks_finished, 300);
	assert_int_equal(c.llc_accesses, 2 * lines);
	assert_true(c.dram_fills >= 2 * lines);
	trace_free(trace);
}

/* A warp an SM, all at one line, which it reads, or writes in part. */
static struct trace *trace_one_line(u32 blocks, bool writes)
{
	struct builder *b = builder_new("one line", "test");
	u32 line = builder_affine(b, 0, GPU_LINE_BYTES, 4, 0, 0, 0);

	builder_kernel(b, "one line", blocks, 32, 32, 0);
	if (writes)
		builder_store(b, line, 16);
	else
		builder_load(b, line, 32, 0);
	return trace_of(b, GPU_LINE_BYTES);
}

/* Who finds a line on its way has hit: only the first access fetches it. */
static void a_line_misses_once(void **state)
{
	struct gpu_config config = default_config();
	u32 writes;

	for (writes = 0; writes < 2; writes++) {
		struct trace *trace = trace_one_line(config.sms, writes);
		struct simgpu_counters c = run_alone(&config, trace, NULL,
						     NULL);

		assert_int_equal(c.llc_accesses, config.sms);
		assert_int_equal(c.llc_misses, 1);
		assert_int_equal(c.dram_fills, 1);
		trace_free(trace);
	}
}

/* All channels work: a stream's load is balanced (device-model.md, Traps). */
static u64 reads_of_channel[64];

static void count_channel(void *context, u32 channel, u64 clock,
			  enum dram_command command, u32 bank, u32 row)
{
	reads_of_channel[channel] += command == DRAM_READ;
}

static void channels_are_balanced(void **state)
{
	static const s64 strides[] = { 128, 256, 4096, 8192, 65536, 1 << 20 };
	struct gpu_config config = default_config();
	u32 i, channel;

	for (i = 0; i < ARRAY_SIZE(strides); i++) {
		struct builder *b = builder_new("stride", "test");
		u64 most = 0, bytes = (u64)strides[i] * 4096;
		struct device device;
		struct trace *trace;
		u32 pattern;

		pattern = builder_affine(b, 0, bytes, 4, strides[i], 0, 0);
		builder_kernel(b, "stride", 4096, 32, 32, 0);
		builder_load(b, pattern, 32, 0);
		trace = trace_of(b, bytes);
		device_make(&device, &config);
		gpu_set_command_hook(device.gpu, count_channel, NULL);
		memset(reads_of_channel, 0, sizeof(reads_of_channel));
		own(&device, 0, 80, 0);
		gpu_kernel_start(device.gpu, 0, trace, 0);
		finish(&device, 1);
		for (channel = 0; channel < config.channels; channel++)
			if (reads_of_channel[channel] > most)
				most = reads_of_channel[channel];
		/* The mean is 128; an even hash keeps the most below 1.5 x. */
		assert_in_range(most, 128, 192);
		trace_free(trace);
		device_free(&device);
	}
}

/*
 * Random reads with all warps resident: now and then a slice's queue fills. It
 * must not hold up the others, or the whole device slows down to its pace, and
 * stays there. RBH is near 0.2, so the channels deliver near 0.46 of peak. (Where the first
 * request at a port does hold up others, they deliver 0.43.)
 */
static void a_full_slice_holds_up_no_other(void **state)
{
	struct gpu_config config = default_config();
	struct trace *trace = trace_pairs(4000, 16);
	struct simgpu_counters before, after;
	struct device device;
	u64 busy, clocks;

	config.noc_head_blocking = 0;
	config.slice_queue_flits = 0;
	device_make(&device, &config);
	own(&device, 0, 80, 0);
	gpu_kernel_start(device.gpu, 0, trace, 0);
	gpu_run(device.gpu, 180000);
	before = counters_of(&device, 0);
	gpu_run(device.gpu, 260000);
	after = counters_of(&device, 0);
	busy = after.bus_busy_clocks - before.bus_busy_clocks;
	clocks = gpu_memory_clocks(device.gpu, 80000) * config.channels;
	assert_in_range(fixed_ratio_ppm(busy, clocks), 445000, 470000);
	/* It did fill. */
	assert_true(after.queue_full_stalls > before.queue_full_stalls);
	trace_free(trace);
	device_free(&device);
}

static void the_default_fits_its_memory(void **state)
{
	struct gpu_config config = default_config();

	/* device-model.md: 64 MB with four tenants; the goal is 16 MB. */
	assert_in_range(gpu_bytes(&config), 1, 16 << 20);
}

static void bad_configurations_name_their_field(void **state)
{
	static const struct {
		size_t offset;
		u32 value;
		const char *field;
	} bad[] = {
		{ offsetof(struct gpu_config, sms), 0, "sms" },
		{ offsetof(struct gpu_config, sms), 513, "sms" },
		{ offsetof(struct gpu_config, l1_sets), 3, "l1_sets" },
		{ offsetof(struct gpu_config, banks), 12, "banks" },
		{ offsetof(struct gpu_config, llc_slices), 33, "llc_slices" },
		{ offsetof(struct gpu_config, write_drain_stop), 32,
		  "write_drain_stop" },
		{ offsetof(struct gpu_config, channel_batch_clocks), 40,
		  "channel_batch_clocks" },
	};
	u32 i;

	for (i = 0; i < ARRAY_SIZE(bad); i++) {
		struct gpu_config config = default_config();
		const char *field;

		*(u32 *)((char *)&config + bad[i].offset) = bad[i].value;
		assert_int_equal(gpu_config_check(&config, &field), -EINVAL);
		assert_string_equal(field, bad[i].field);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(counts_are_exact),
		cmocka_unit_test(stores_fetch_only_what_they_must),
		cmocka_unit_test(a_line_misses_once),
		cmocka_unit_test(dirty_lines_are_written_back),
		cmocka_unit_test(runs_are_equal),
		cmocka_unit_test(batches_do_not_show),
		cmocka_unit_test(pauses_do_not_show),
		cmocka_unit_test(pauses_of_an_empty_device_do_not_show),
		cmocka_unit_test(counters_add_up),
		cmocka_unit_test(compute_scales_with_sms),
		cmocka_unit_test(partial_bursts_are_counted),
		cmocka_unit_test(loads_overlap_as_the_program_says),
		cmocka_unit_test(warps_are_picked_as_configured),
		cmocka_unit_test(barriers_hold),
		cmocka_unit_test(stalls_have_their_causes),
		cmocka_unit_test(preemption_drains),
		cmocka_unit_test(dropping_leaves_the_others_whole),
		cmocka_unit_test(back_pressure_loses_nothing),
		cmocka_unit_test(channels_are_balanced),
		cmocka_unit_test(a_full_slice_holds_up_no_other),
		cmocka_unit_test(the_default_fits_its_memory),
		cmocka_unit_test(bad_configurations_name_their_field),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests_name("engine", tests, NULL, NULL);
}
