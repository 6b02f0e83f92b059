// SPDX-License-Identifier: GPL-2.0
/*
 * Preemption: draining, context switches, the queues of saved thread blocks,
 * and the pool that keeps them.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <cmocka.h>

#include "preempted.h"
#include "random.h"
#include "small.h"
#include "traces.h"

static struct gpu_kernel_status kernel_of(struct device *device, u32 slot)
{
	struct gpu_kernel_status status;

	gpu_kernel_status(device->gpu, slot, &status);
	return status;
}

/* Run until an SM has changed hands; returns the cycle. */
static u64 wait_for_owner(struct device *device, u32 sm, u32 slot)
{
	while (sm_of(device, sm).owner != slot) {
		assert_true(gpu_now(device->gpu) < LONG_ENOUGH);
		gpu_run(device->gpu, gpu_now(device->gpu) + 1);
	}
	return gpu_now(device->gpu);
}

/* Every place is free again, and on its list once. */
static void pool_is_whole(struct device *device)
{
	const struct context_pool *pool = &device->gpu->pool;
	u32 count = 0, i;

	assert_int_equal(pool->blocks_left, device->gpu->shape.saved_blocks);
	assert_int_equal(pool->warps_left, device->gpu->shape.saved_warps);
	for (i = pool->free_block; i != NO_CONTEXT; i = pool->blocks[i].next)
		count++;
	assert_int_equal(count, pool->blocks_left);
	count = 0;
	for (i = pool->free_warp; i != NO_CONTEXT; i = pool->warps[i].next)
		count++;
	assert_int_equal(count, pool->warps_left);
}

/* --- traces -------------------------------------------------------------------------- */

static void atomic(struct builder *b, u32 pattern)
{
	struct simgpu_trace_op op = {
		.kind = SIMGPU_TRACE_ATOMIC, .active_lanes = 32,
		.pattern = pattern, .consume_after = 3,
	};

	builder_op(b, &op);
}

/* Everything that a warp has to remember: nested loops, barriers, atomics. */
static struct trace *trace_of_all(u32 blocks)
{
	struct simgpu_trace_pattern random = {
		.kind = SIMGPU_TRACE_RANDOM, .access_bytes = 4,
		.region_bytes = 1 << 24, .lines = 5, .seed = 3,
	};
	struct builder *b = builder_new("all", "test");
	u64 bytes = (1 << 24) + blocks * 8192ULL;
	u32 rows = builder_affine(b, 0, bytes, 4, 8192, 1024, 128);
	u32 hash = builder_pattern(b, &random);

	builder_kernel(b, "all", blocks, 192, 40, 5000);
	builder_loop(b, 3);
	builder_load(b, rows, 32, 20);
	builder_compute(b, 30, 32);
	builder_loop(b, 4);
	builder_load(b, hash, 32, 0);
	builder_compute(b, 7, 17);
	builder_barrier(b);
	atomic(b, hash);
	builder_loop_end(b);
	builder_store(b, rows, 16);
	builder_loop_end(b);
	builder_compute(b, 500, 32);
	return trace_of(b, bytes);
}

/* --- one switch ------------------------------------------------------------------------ */

/* All stop within an instruction of each scheduler, though bursts are long. */
static void a_switch_stops_at_once(void **state)
{
	struct gpu_config config = small_config();
	struct trace *trace = trace_compute(1000, 3, 30000);
	struct simgpu_counters before, after;
	struct device device;
	u64 handed;

	device_make(&device, &config);
	own(&device, 0, 2, 0, GPU_PREEMPT_DRAIN);
	gpu_kernel_start(device.gpu, 0, trace, 0);
	gpu_run(device.gpu, 12345);
	before = counters_of(&device, 0);
	assert_int_equal(before.warp_instructions, 12345 * 2 * 2);
	own(&device, 0, 1, 1, GPU_PREEMPT_SWITCH);
	assert_int_equal(sm_of(&device, 0).state, GPU_SM_SAVING);
	assert_int_equal(sm_of(&device, 0).owner, 0);
	handed = wait_for_owner(&device, 0, 1) - 12345;
	/* 8 blocks of 256 lines, 5 flits each, leave through one port. */
	assert_in_range(handed, 8 * BLOCK_LINES * 5 - 100,
			8 * BLOCK_LINES * 5 * 11 / 10);
	gpu_run(device.gpu, gpu_now(device.gpu) + 1000);
	handed += 1000;
	after = counters_of(&device, 0);
	assert_in_range(after.warp_instructions - before.warp_instructions,
			handed * 2, handed * 2 + 2);
	assert_int_equal(after.context_lines, 8 * BLOCK_LINES);
	assert_int_equal(after.preempted_blocks, 8);
	assert_int_equal(kernel_of(&device, 0).blocks_preempted, 8);
	assert_int_equal(sm_of(&device, 0).blocks, 0);
	/* Its other SM is full, so they wait; what it saved was written. */
	assert_int_equal(after.llc_accesses, 8 * BLOCK_LINES);
	/* They come before new ones, and their contexts are read first. */
	own(&device, 0, 1, 0, GPU_PREEMPT_SWITCH);
	gpu_run(device.gpu, gpu_now(device.gpu) + 1);
	assert_int_equal(kernel_of(&device, 0).blocks_preempted, 0);
	assert_int_equal(kernel_of(&device, 0).blocks_issued, 16);
	assert_int_equal(sm_of(&device, 0).state, GPU_SM_RESTORING);
	gpu_run(device.gpu, gpu_now(device.gpu) + 15000);
	assert_int_equal(sm_of(&device, 0).state, GPU_SM_RUNNING);
	after = counters_of(&device, 0);
	assert_int_equal(after.context_lines, 2 * 8 * BLOCK_LINES);
	assert_int_equal(after.llc_accesses, 2 * 8 * BLOCK_LINES);
	pool_is_whole(&device);
	trace_free(trace);
	device_free(&device);
}

/* A drain goes on until the blocks have ended; a switch cuts it short. */
static void a_switch_cuts_a_drain_short(void **state)
{
	struct gpu_config config = small_config();
	struct trace *trace = trace_compute(1000, 3, 30000);
	struct device device;

	device_make(&device, &config);
	own(&device, 0, 1, 0, GPU_PREEMPT_DRAIN);
	gpu_kernel_start(device.gpu, 0, trace, 0);
	gpu_run(device.gpu, 1000);
	own(&device, 0, 1, 1, GPU_PREEMPT_DRAIN);
	gpu_run(device.gpu, 30000);
	assert_int_equal(sm_of(&device, 0).state, GPU_SM_DRAINING);
	own(&device, 0, 1, 2, GPU_PREEMPT_SWITCH);
	assert_in_range(wait_for_owner(&device, 0, 2), 30000, 42000);
	assert_int_equal(counters_of(&device, 0).blocks_finished, 0);
	trace_free(trace);
	device_free(&device);
}

/* Preempted while its context is read, a block needs no saving again. */
static void a_restore_can_be_preempted(void **state)
{
	struct gpu_config config = small_config();
	struct trace *trace = trace_compute(8, 2, 3000);
	struct simgpu_counters c;
	struct device device;
	u64 saved;

	device_make(&device, &config);
	own(&device, 0, 1, 0, GPU_PREEMPT_DRAIN);
	gpu_kernel_start(device.gpu, 0, trace, 0);
	gpu_run(device.gpu, 500);
	own(&device, 0, 1, 1, GPU_PREEMPT_SWITCH);
	wait_for_owner(&device, 0, 1);
	own(&device, 0, 1, 0, GPU_PREEMPT_SWITCH);
	gpu_run(device.gpu, gpu_now(device.gpu) + 200);
	assert_int_equal(sm_of(&device, 0).state, GPU_SM_RESTORING);
	saved = counters_of(&device, 0).context_lines;
	assert_true(saved > 8 * BLOCK_LINES);
	own(&device, 0, 1, 1, GPU_PREEMPT_SWITCH);
	wait_for_owner(&device, 0, 1);
	assert_int_equal(kernel_of(&device, 0).blocks_preempted, 8);
	/* At most the reads that the load/store unit had already. */
	c = counters_of(&device, 0);
	assert_in_range(c.context_lines, saved, saved + 32);
	assert_int_equal(c.preempted_blocks, 8);
	own(&device, 0, 1, 0, GPU_PREEMPT_DRAIN);
	finish(&device, 1);
	c = counters_of(&device, 0);
	assert_int_equal(c.blocks_finished, 8);
	assert_int_equal(c.warp_instructions, 8 * 8 * 2 * 3000);
	pool_is_whole(&device);
	trace_free(trace);
	device_free(&device);
}

/* One block alone on one SM, preempted at a cycle; returns when it has ended. */
static u64 switch_once(const struct gpu_config *config,
		       const struct trace *trace, u64 cycle, u64 *away)
{
	struct device device;
	u64 end;

	device_make(&device, config);
	own(&device, 0, 1, 0, GPU_PREEMPT_DRAIN);
	gpu_kernel_start(device.gpu, 0, trace, 0);
	gpu_run(device.gpu, cycle);
	own(&device, 0, 1, 1, GPU_PREEMPT_SWITCH);
	*away = wait_for_owner(&device, 0, 1);
	own(&device, 0, 1, 0, GPU_PREEMPT_DRAIN);
	gpu_run(device.gpu, *away + 1);
	while (sm_of(&device, 0).state == GPU_SM_RESTORING)
		gpu_run(device.gpu, gpu_now(device.gpu) + 1);
	*away = gpu_now(device.gpu) - cycle;
	finish(&device, 1);
	end = kernel_of(&device, 0).ended_at;
	assert_int_equal(counters_of(&device, 0).blocks_finished, 1);
	device_free(&device);
	return end;
}

/* No warp passes a barrier because it was saved there. */
static void barriers_hold_through_a_switch(void **state)
{
	struct gpu_config config = small_config();
	struct builder *b = builder_new("barrier", "test");
	struct trace *trace;
	u64 away, end;
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
	end = switch_once(&config, trace, 2000, &away);
	assert_true(away > 64);
	assert_in_range(end, 10000 + away, 10010 + away);
	end = switch_once(&config, trace, 7000, &away);
	assert_in_range(end, 10000 + away, 10010 + away);
	trace_free(trace);
}

/* A block is saved when its data is there: it does not come twice. */
static void loads_come_before_the_switch(void **state)
{
	struct gpu_config config = small_config();
	struct builder *b = builder_new("hit", "test");
	struct trace *trace;
	u64 away, end;
	u32 line;

	config.l1_hit_latency = 1000;
	line = builder_affine(b, 0, 128, 4, 0, 0, 0);
	builder_kernel(b, "hit", 1, 32, 32, 0);
	builder_load(b, line, 32, 0);
	builder_compute(b, 2000, 32);
	builder_load(b, line, 32, 0);
	builder_compute(b, 1000, 32);
	trace = trace_of(b, 128);
	/* While memory brings it, and while the L1 does. */
	end = switch_once(&config, trace, 50, &away);
	assert_in_range(away, 200, 1500);
	/* Its L1 is empty then, so the other load goes to memory as well. */
	assert_in_range(end, 50 + away + 3200, 50 + away + 3500);
	end = switch_once(&config, trace, 2600, &away);
	assert_in_range(away, 1100, 2000);
	assert_in_range(end, 2600 + away + 1000, 2600 + away + 1010);
	trace_free(trace);
}

/* Contexts are real lines: enough of them are evicted and written to DRAM. */
static void contexts_take_memory_bandwidth(void **state)
{
	struct gpu_config config = small_config();
	struct trace *trace = trace_compute(64, 1, 3000);
	u32 cache = config.llc_slices * config.llc_sets * config.llc_ways;
	struct simgpu_counters c;
	struct device device;
	u32 lines;

	device_make(&device, &config);
	own(&device, 0, 8, 0, GPU_PREEMPT_DRAIN);
	gpu_kernel_start(device.gpu, 0, trace, 0);
	gpu_run(device.gpu, 500);
	own(&device, 0, 8, 1, GPU_PREEMPT_SWITCH);
	gpu_run(device.gpu, 40000);
	c = counters_of(&device, 0);
	lines = 64 * BLOCK_LINES;
	assert_int_equal(c.context_lines, lines);
	assert_in_range(c.dram_writebacks, lines - cache, lines);
	assert_int_equal(c.dram_fills, 0);
	own(&device, 0, 8, 0, GPU_PREEMPT_DRAIN);
	finish(&device, 1);
	c = counters_of(&device, 0);
	assert_in_range(c.dram_fills, lines - cache, lines);
	assert_int_equal(c.l1_accesses, 0);
	assert_int_equal(c.warp_instructions, 64 * 8 * 3000);
	trace_free(trace);
	device_free(&device);
}

/* Or they are saved and restored at no cost, where the configuration says so. */
static void free_contexts_take_none(void **state)
{
	struct gpu_config config = small_config();
	struct trace *trace = trace_compute(64, 1, 3000);
	struct simgpu_counters c;
	struct device device;

	config.free_contexts = 1;
	device_make(&device, &config);
	own(&device, 0, 8, 0, GPU_PREEMPT_DRAIN);
	gpu_kernel_start(device.gpu, 0, trace, 0);
	gpu_run(device.gpu, 500);
	own(&device, 0, 8, 1, GPU_PREEMPT_SWITCH);
	gpu_run(device.gpu, 510);
	assert_int_equal(sm_of(&device, 7).owner, 1);
	assert_int_equal(counters_of(&device, 0).preempted_blocks, 64);
	own(&device, 0, 8, 0, GPU_PREEMPT_SWITCH);
	finish(&device, 1);
	c = counters_of(&device, 0);
	assert_int_equal(c.context_lines, 0);
	assert_int_equal(c.dram_writebacks + c.dram_fills, 0);
	assert_int_equal(c.warp_instructions, 64 * 8 * 3000);
	assert_int_equal(c.blocks_finished, 64);
	pool_is_whole(&device);
	trace_free(trace);
	device_free(&device);
}

/* --- many ------------------------------------------------------------------------------- */

static void assert_same_work(const struct simgpu_counters *a,
			     const struct simgpu_counters *b)
{
	assert_int_equal(a->thread_instructions, b->thread_instructions);
	assert_int_equal(a->warp_instructions, b->warp_instructions);
	assert_int_equal(a->l1_accesses, b->l1_accesses);
	assert_int_equal(a->blocks_finished, b->blocks_finished);
	assert_int_equal(a->kernels_finished, 1);
	/* Nothing leaves this cache, so each line is fetched once: the same ones. */
	assert_int_equal(a->dram_fills, b->dram_fills);
	assert_int_equal(a->dram_writebacks, 0);
}

static struct simgpu_counters undisturbed(const struct gpu_config *config,
					  const struct trace *trace)
{
	struct simgpu_counters counters;
	struct device device;

	device_make(&device, config);
	own(&device, 0, config->sms, 0, GPU_PREEMPT_DRAIN);
	gpu_kernel_start(device.gpu, 0, trace, 0);
	finish(&device, 1);
	gpu_run(device.gpu, gpu_now(device.gpu) + 20000);
	counters = counters_of(&device, 0);
	device_free(&device);
	return counters;
}

/*
 * SMs change hands at random, by both modes, until all have ended; returns the
 * state hash a little later.
 */
static u64 run_disturbed(const struct gpu_config *config, struct trace **traces,
			 struct simgpu_counters *out, u64 seed)
{
	struct device device;
	u64 done = 0, hash;
	u32 i;

	random_state = seed;
	device_make(&device, config);
	for (i = 0; i < 4; i++)
		gpu_kernel_start(device.gpu, i, traces[i], 0);
	while (done != 15) {
		u32 sm = random_below(config->sms);

		assert_true(gpu_now(device.gpu) < LONG_ENOUGH);
		gpu_sm_assign(device.gpu, sm, random_below(4),
			      random_below(4) ? GPU_PREEMPT_SWITCH :
						GPU_PREEMPT_DRAIN);
		gpu_run(device.gpu, gpu_now(device.gpu) + random_below(1500));
		done |= gpu_take_finished(device.gpu);
	}
	gpu_run(device.gpu, gpu_now(device.gpu) + 20000);
	pool_is_whole(&device);
	for (i = 0; i < 4; i++)
		out[i] = counters_of(&device, i);
	hash = gpu_state_hash(device.gpu);
	device_free(&device);
	return hash;
}

static void nothing_is_lost_or_run_twice(void **state)
{
	struct trace *traces[] = {
		trace_of_all(40), trace_pairs(40, 6), trace_copy(50, 6, 16),
		trace_random(40, 8, 4, 1ULL << 26),
	};
	struct gpu_config config = small_config();
	struct simgpu_counters expected[4], got[4];
	u64 seed, preempted = 0;
	u32 i;

	config.llc_sets = 4096;
	for (i = 0; i < 4; i++)
		expected[i] = undisturbed(&config, traces[i]);
	for (seed = 1; seed <= 6; seed++) {
		config.warp_policy = seed % 4 == 3 ? GPU_WARP_LRR : GPU_WARP_GTO;
		config.schedulers_per_sm = 1 << seed % 3;
		run_disturbed(&config, traces, got, seed * 88172645463325252ULL);
		for (i = 0; i < 4; i++) {
			assert_same_work(&got[i], &expected[i]);
			preempted += got[i].preempted_blocks;
		}
	}
	assert_true(preempted > 500);
	for (i = 0; i < 4; i++)
		trace_free(traces[i]);
}

static void disturbed_runs_are_equal(void **state)
{
	static const u32 batches[] = { 1, 16, 16 };
	struct trace *traces[] = {
		trace_of_all(20), trace_pairs(20, 6), trace_copy(20, 6, 32),
		trace_random(20, 8, 4, 1ULL << 26),
	};
	struct gpu_config config = small_config();
	struct simgpu_counters got[4];
	u64 first = 0;
	u32 i;

	for (i = 0; i < ARRAY_SIZE(batches); i++) {
		u64 hash;

		config.channel_batch_clocks = batches[i];
		hash = run_disturbed(&config, traces, got, 4242424242ULL);
		if (!i)
			first = hash;
		assert_int_equal(hash, first);
	}
	for (i = 0; i < 4; i++)
		trace_free(traces[i]);
}

/* Where gpu_run() pauses is no result, in the midst of a switch either. */
static void pauses_do_not_show(void **state)
{
	static const u64 steps[] = { 1, 1000, 30000 };
	struct gpu_config config = small_config();
	struct trace *traces[] = {
		trace_of_all(400), trace_copy(400, 8, 16),
	};
	u64 first = 0, at;
	u32 i;

	for (i = 0; i < ARRAY_SIZE(steps); i++) {
		struct device device;

		device_make(&device, &config);
		own(&device, 0, 4, 0, GPU_PREEMPT_DRAIN);
		own(&device, 4, 4, 1, GPU_PREEMPT_DRAIN);
		gpu_kernel_start(device.gpu, 0, traces[0], 0);
		gpu_kernel_start(device.gpu, 1, traces[1], 0);
		gpu_run(device.gpu, 3000);
		own(&device, 2, 2, 1, GPU_PREEMPT_SWITCH);
		own(&device, 4, 2, 0, GPU_PREEMPT_SWITCH);
		for (at = 3000; at < 30000; at += steps[i])
			gpu_run(device.gpu, at);
		gpu_run(device.gpu, 30000);
		if (!i)
			first = gpu_state_hash(device.gpu);
		assert_int_equal(gpu_state_hash(device.gpu), first);
		assert_true(counters_of(&device, 0).preempted_blocks > 0);
		device_free(&device);
	}
	trace_free(traces[0]);
	trace_free(traces[1]);
}

/* --- resets ------------------------------------------------------------------------------ */

/* The SM is another's in the same cycle, and what was dropped is counted. */
static void a_reset_frees_an_sm_at_once(void **state)
{
	struct gpu_config config = small_config();
	struct trace *trace = trace_compute(30, 2, 3000);
	struct simgpu_counters c;
	struct device device;

	device_make(&device, &config);
	own(&device, 0, 2, 0, GPU_PREEMPT_DRAIN);
	gpu_kernel_start(device.gpu, 0, trace, 0);
	gpu_run(device.gpu, 12345);
	own(&device, 0, 1, 1, GPU_PREEMPT_RESET);
	assert_int_equal(sm_of(&device, 0).owner, 1);
	assert_int_equal(sm_of(&device, 0).blocks, 0);
	c = counters_of(&device, 0);
	assert_int_equal(c.reset_blocks, 8);
	/* Two schedulers, each with an instruction a cycle, and the one under way. */
	assert_in_range(c.reset_warp_instructions, 12345 * 2, 12345 * 2 + 2);
	assert_in_range(c.reset_block_cycles, 12344 * 8, 12345 * 8);
	assert_int_equal(kernel_of(&device, 0).blocks_preempted, 8);
	/* The dropped ones go before those that never began. */
	own(&device, 2, 1, 0, GPU_PREEMPT_DRAIN);
	gpu_run(device.gpu, gpu_now(device.gpu) + 1);
	assert_int_equal(kernel_of(&device, 0).blocks_preempted, 0);
	assert_int_equal(kernel_of(&device, 0).blocks_issued, 16);
	finish(&device, 1);
	c = counters_of(&device, 0);
	assert_int_equal(c.blocks_finished, 30);
	assert_int_equal(c.warp_instructions - c.reset_warp_instructions,
			 30 * 8 * 2 * 3000);
	assert_int_equal(c.context_lines, 0);
	assert_int_equal(c.preempted_blocks, 0);
	pool_is_whole(&device);
	trace_free(trace);
	device_free(&device);
}

/* However far it had come, a block takes its whole time again. */
static void a_reset_block_begins_from_nothing(void **state)
{
	struct gpu_config config = small_config();
	struct trace *trace = trace_of_all(1);
	u64 cycle, alone = 0;

	for (cycle = 0; cycle < 3000; cycle += 379) {
		struct device device;

		device_make(&device, &config);
		own(&device, 0, 1, 0, GPU_PREEMPT_DRAIN);
		gpu_kernel_start(device.gpu, 0, trace, 0);
		gpu_run(device.gpu, cycle);
		if (cycle) {
			own(&device, 0, 1, 1, GPU_PREEMPT_RESET);
			gpu_run(device.gpu, 20000);
			own(&device, 0, 1, 0, GPU_PREEMPT_DRAIN);
		}
		finish(&device, 1);
		if (!cycle)
			alone = kernel_of(&device, 0).ended_at;
		else
			/* Its lines may be in the last-level cache by now. */
			assert_in_range(kernel_of(&device, 0).ended_at - 20000,
					alone / 2, alone * 11 / 10);
		assert_int_equal(counters_of(&device, 0).reset_blocks, !!cycle);
		device_free(&device);
	}
	trace_free(trace);
}

/* What a context switch has begun it finishes. */
static void a_reset_leaves_contexts_alone(void **state)
{
	struct gpu_config config = small_config();
	struct trace *trace = trace_compute(8, 2, 3000);
	struct simgpu_counters c;
	struct device device;

	device_make(&device, &config);
	own(&device, 0, 1, 0, GPU_PREEMPT_DRAIN);
	gpu_kernel_start(device.gpu, 0, trace, 0);
	gpu_run(device.gpu, 500);
	own(&device, 0, 1, 1, GPU_PREEMPT_SWITCH);
	gpu_run(device.gpu, 600);
	own(&device, 0, 1, 2, GPU_PREEMPT_RESET);
	assert_int_equal(sm_of(&device, 0).state, GPU_SM_SAVING);
	wait_for_owner(&device, 0, 2);
	assert_int_equal(counters_of(&device, 0).preempted_blocks, 8);
	own(&device, 0, 1, 0, GPU_PREEMPT_SWITCH);
	gpu_run(device.gpu, gpu_now(device.gpu) + 200);
	assert_int_equal(sm_of(&device, 0).state, GPU_SM_RESTORING);
	own(&device, 0, 1, 1, GPU_PREEMPT_RESET);
	wait_for_owner(&device, 0, 1);
	assert_int_equal(kernel_of(&device, 0).blocks_preempted, 8);
	own(&device, 0, 1, 0, GPU_PREEMPT_DRAIN);
	finish(&device, 1);
	c = counters_of(&device, 0);
	assert_int_equal(c.reset_blocks, 0);
	assert_int_equal(c.warp_instructions, 8 * 8 * 2 * 3000);
	pool_is_whole(&device);
	trace_free(trace);
	device_free(&device);
}

/* Where there is no place to wait, blocks run to their end. */
static void a_reset_without_a_place_drains(void **state)
{
	struct gpu_config config = small_config();
	struct trace *trace = trace_compute(8, 2, 3000);
	struct device device;
	u32 left;

	device_make(&device, &config);
	own(&device, 0, 1, 0, GPU_PREEMPT_DRAIN);
	gpu_kernel_start(device.gpu, 0, trace, 0);
	gpu_run(device.gpu, 500);
	left = device.gpu->pool.blocks_left;
	device.gpu->pool.blocks_left = 3;
	own(&device, 0, 1, 1, GPU_PREEMPT_RESET);
	device.gpu->pool.blocks_left += left - 3;
	assert_int_equal(counters_of(&device, 0).reset_blocks, 3);
	assert_int_equal(sm_of(&device, 0).state, GPU_SM_DRAINING);
	wait_for_owner(&device, 0, 1);
	assert_int_equal(counters_of(&device, 0).blocks_finished, 5);
	own(&device, 0, 1, 0, GPU_PREEMPT_DRAIN);
	finish(&device, 1);
	assert_int_equal(counters_of(&device, 0).blocks_finished, 8);
	pool_is_whole(&device);
	trace_free(trace);
	device_free(&device);
}

/* --- limits ----------------------------------------------------------------------------- */

/* So many GPUs full can be saved; the next one has no place and drains. */
static void a_full_pool_drains(void **state)
{
	struct gpu_config config = small_config();
	struct trace *trace = trace_compute(16, 2, 3000);
	struct device device;
	u32 slot;

	config.sms = 1;
	device_make(&device, &config);
	own(&device, 0, 1, 0, GPU_PREEMPT_DRAIN);
	for (slot = 0; slot < CONTEXT_GPUS_MAX + 3; slot++)
		gpu_kernel_start(device.gpu, slot, trace, 0);
	for (slot = 1; slot < CONTEXT_GPUS_MAX + 2; slot++) {
		gpu_run(device.gpu, gpu_now(device.gpu) + gpu_window(&config));
		own(&device, 0, 1, slot, GPU_PREEMPT_SWITCH);
		assert_int_equal(sm_of(&device, 0).state,
				 slot <= CONTEXT_GPUS_MAX ? GPU_SM_SAVING :
							GPU_SM_DRAINING);
		wait_for_owner(&device, 0, slot);
	}
	for (slot = 0; slot < CONTEXT_GPUS_MAX; slot++) {
		assert_int_equal(kernel_of(&device, slot).blocks_preempted, 8);
		assert_int_equal(counters_of(&device, slot).blocks_finished, 0);
	}
	assert_int_equal(device.gpu->pool.warps_left, 0);
	assert_int_equal(kernel_of(&device, CONTEXT_GPUS_MAX).blocks_preempted, 0);
	assert_int_equal(counters_of(&device, CONTEXT_GPUS_MAX).blocks_finished, 8);
	for (slot = 0; slot < CONTEXT_GPUS_MAX + 3; slot++) {
		own(&device, 0, 1, slot, GPU_PREEMPT_DRAIN);
		finish(&device, 1ULL << slot);
		assert_int_equal(counters_of(&device, slot).warp_instructions,
				 16 * 8 * 6000);
	}
	pool_is_whole(&device);
	trace_free(trace);
	device_free(&device);
}

/* Each saved block has lines of its own, and none of them is the last. */
static void regions_lie_apart(void **state)
{
	u32 i;

	for (i = 0; gpu_config_at(i); i++) {
		const struct gpu_config *spec = gpu_config_at(i);
		u64 lines = (spec->registers_per_sm * 4ULL +
			     spec->shared_bytes_per_sm + 127) / 128;
		struct gpu_shape shape;

		context_shape(spec, &shape);
		assert_in_range(context_gpus(spec), CONTEXT_GPUS_MIN,
				CONTEXT_GPUS_MAX);
		assert_true(shape.saved_warps == context_gpus(spec) * spec->sms *
						 spec->warps_per_sm);
		assert_true(shape.saved_blocks <= context_gpus(spec) * spec->sms *
						  spec->blocks_per_sm);
		assert_true(shape.saved_blocks >= 4 * spec->sms);
		assert_true(shape.saved_blocks * lines <= CONTEXT_LINES_MAX);
		/* And the pool is small beside the rest. */
		assert_in_range(gpu_bytes(spec), 1, 28 << 20);
	}
}

/* Dropped while it saves, waits in the queue or is restored. */
static void a_drop_leaves_nothing(void **state)
{
	struct gpu_config config = small_config();
	struct trace *stays = trace_copy(60, 8, 32);
	struct trace *goes = trace_of_all(10000);
	u32 seen = 0;
	u64 cycle;

	for (cycle = 3001; cycle < 63000; cycle += 2971) {
		struct gpu_sm_status status;
		struct device device;

		device_make(&device, &config);
		own(&device, 0, 8, 1, GPU_PREEMPT_DRAIN);
		gpu_kernel_start(device.gpu, 0, stays, 0);
		gpu_kernel_start(device.gpu, 1, goes, 0);
		gpu_run(device.gpu, 3000);
		own(&device, 0, 6, 0, GPU_PREEMPT_SWITCH);
		if (cycle > 40000) {
			gpu_run(device.gpu, 40000);
			own(&device, 2, 4, 1, GPU_PREEMPT_SWITCH);
		}
		gpu_run(device.gpu, cycle);
		status = sm_of(&device, 3);
		seen |= 1U << status.state;
		if (kernel_of(&device, 1).blocks_preempted)
			seen |= 1U << 8;
		gpu_tenant_drop(device.gpu, 1);
		assert_int_equal(kernel_of(&device, 1).blocks_preempted, 0);
		own(&device, 0, 8, 0, GPU_PREEMPT_SWITCH);
		finish(&device, 1);
		gpu_run(device.gpu, gpu_now(device.gpu) + 20000);
		assert_int_equal(counters_of(&device, 0).blocks_finished, 60);
		assert_int_equal(counters_of(&device, 0).thread_instructions,
				 60ULL * 8 * 8 * 4 * 32);
		pool_is_whole(&device);
		/* The slot can be used again. */
		gpu_tenant_reset_counters(device.gpu, 1);
		own(&device, 0, 8, 1, GPU_PREEMPT_SWITCH);
		gpu_kernel_start(device.gpu, 1, stays, 0);
		finish(&device, 2);
		assert_int_equal(counters_of(&device, 1).blocks_finished, 60);
		device_free(&device);
	}
	assert_true(seen & 1U << GPU_SM_SAVING);
	assert_true(seen & 1U << GPU_SM_RESTORING);
	assert_true(seen & 1U << 8);
	trace_free(stays);
	trace_free(goes);
}

static void blocks_per_sm_are_what_fits(void **state)
{
	struct gpu_config config = small_config();
	struct trace *traces[] = {
		trace_compute(1000, 1, 100), trace_of_all(1000),
	};
	u32 i;

	for (i = 0; i < 2; i++) {
		struct device device;

		device_make(&device, &config);
		own(&device, 0, 1, 0, GPU_PREEMPT_DRAIN);
		gpu_kernel_start(device.gpu, 0, traces[i], 0);
		gpu_run(device.gpu, 1);
		assert_int_equal(sm_of(&device, 0).blocks,
				 gpu_kernel_blocks_per_sm(&config,
							  traces[i]->kernels));
		device_free(&device);
		trace_free(traces[i]);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_switch_stops_at_once),
		cmocka_unit_test(a_switch_cuts_a_drain_short),
		cmocka_unit_test(a_restore_can_be_preempted),
		cmocka_unit_test(barriers_hold_through_a_switch),
		cmocka_unit_test(loads_come_before_the_switch),
		cmocka_unit_test(contexts_take_memory_bandwidth),
		cmocka_unit_test(free_contexts_take_none),
		cmocka_unit_test(nothing_is_lost_or_run_twice),
		cmocka_unit_test(disturbed_runs_are_equal),
		cmocka_unit_test(pauses_do_not_show),
		cmocka_unit_test(a_reset_frees_an_sm_at_once),
		cmocka_unit_test(a_reset_block_begins_from_nothing),
		cmocka_unit_test(a_reset_leaves_contexts_alone),
		cmocka_unit_test(a_reset_without_a_place_drains),
		cmocka_unit_test(a_full_pool_drains),
		cmocka_unit_test(regions_lie_apart),
		cmocka_unit_test(a_drop_leaves_nothing),
		cmocka_unit_test(blocks_per_sm_are_what_fits),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests_name("preempt", tests, NULL, NULL);
}
