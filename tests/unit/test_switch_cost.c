// SPDX-License-Identifier: GPL-2.0
/*
 * What preemption costs beside the traffic of contexts, and where it is possible: the
 * fields from preempt_level to context_bytes_per_cycle of a configuration, and that
 * a100-hw takes the time that was measured on an A100.
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

#define BLOCKS_PER_SM	8

static bool all_are_of(struct device *device, u32 slot)
{
	u32 i;

	for (i = 0; i < device->config.sms; i++)
		if (sm_of(device, i).owner != slot)
			return false;
	return true;
}

static bool all_run(struct device *device, u32 slot)
{
	u32 i;

	for (i = 0; i < device->config.sms; i++)
		if (sm_of(device, i).owner != slot || !sm_of(device, i).blocks ||
		    sm_of(device, i).state != GPU_SM_RUNNING)
			return false;
	return true;
}

/* Run until all SMs are in some state; returns the cycles that it took. */
static u64 wait_for(struct device *device, u32 slot,
		    bool (*until)(struct device *device, u32 slot))
{
	u64 from = gpu_now(device->gpu);

	while (!until(device, slot)) {
		assert_true(gpu_now(device->gpu) < LONG_ENOUGH);
		gpu_run(device->gpu, gpu_now(device->gpu) + 1);
	}
	return gpu_now(device->gpu) - from;
}

static u64 ns_of(const struct device *device, u64 cycles)
{
	return cycles * 1000 / device->config.core_mhz;
}

/* Blocks that fill SMs: BLOCKS_PER_SM take all registers and @shared bytes together. */
static struct trace *trace_full(u32 blocks, u32 shared)
{
	struct builder *b = builder_new("full", "test");

	builder_kernel(b, "full", blocks, 256, 32, shared / BLOCKS_PER_SM);
	builder_loop(b, 30000);
	builder_compute(b, 100, 32);
	builder_loop_end(b);
	return trace_of(b, 0);
}

/* Slot 0 runs on all SMs of a GPU with some costs. */
static void begin(struct device *device, const struct gpu_config *config,
		  const struct trace *trace, u64 cycles)
{
	device_make(device, config);
	own(device, 0, config->sms, 0, GPU_PREEMPT_DRAIN);
	gpu_kernel_start(device->gpu, 0, trace, 0);
	gpu_run(device->gpu, cycles);
}

static void end(struct device *device, struct trace *trace)
{
	trace_free(trace);
	device_free(device);
}

/* --- each field ---------------------------------------------------------------------- */

/* Cycles of a switch of all SMs of a small GPU, and back again. */
static u64 cycles_to_switch(const struct gpu_config *config, u64 *back)
{
	struct trace *trace = trace_compute(8 * BLOCKS_PER_SM, 1000, 100);
	struct device device;
	u64 away;

	begin(&device, config, trace, 3000);
	own(&device, 0, 8, 1, GPU_PREEMPT_SWITCH);
	away = wait_for(&device, 1, all_are_of);
	assert_int_equal(counters_of(&device, 0).preempted_blocks,
			 8 * BLOCKS_PER_SM);
	assert_int_equal(counters_of(&device, 0).context_lines,
			 config->free_contexts ? 0 :
			 8 * BLOCKS_PER_SM * BLOCK_LINES);
	own(&device, 0, 8, 0, GPU_PREEMPT_SWITCH);
	*back = wait_for(&device, 0, all_run);
	finish(&device, 1);
	assert_int_equal(counters_of(&device, 0).warp_instructions,
			 8 * BLOCKS_PER_SM * 8 * 100000ULL);
	end(&device, trace);
	return away;
}

/* 1 us at 1400 MHz each, at the beginning of the save and of the restore. */
static void setups_come_once_a_switch(void **state)
{
	struct gpu_config config = small_config();
	u64 back, usual_back, usual;

	/* Without the lines, whose time depends on what the memory does meanwhile. */
	config.free_contexts = 1;
	usual = cycles_to_switch(&config, &usual_back);
	config.save_setup_ns = 1000;
	assert_int_equal(cycles_to_switch(&config, &back), usual + 1400 - 1);
	assert_int_equal(back, usual_back);
	config.save_setup_ns = 0;
	config.restore_setup_ns = 2000;
	assert_int_equal(cycles_to_switch(&config, &back), usual);
	assert_int_equal(back, usual_back + 2800 - 1);
}

/* An SM has 256 KiB of contexts: at 8 bytes a cycle 32768 cycles, both ways. */
static void bytes_a_cycle_bound_the_rate(void **state)
{
	struct gpu_config config = small_config();
	u64 bytes = BLOCKS_PER_SM * BLOCK_LINES * 128, back;

	config.context_bytes_per_cycle = 8;
	assert_in_range(cycles_to_switch(&config, &back), bytes / 8,
			bytes / 8 + 4000);
	assert_in_range(back, bytes / 8, bytes / 8 + 4000);
	config.context_bytes_per_cycle = 4;
	assert_in_range(cycles_to_switch(&config, &back), bytes / 4,
			bytes / 4 + 4000);
}

/* Until the SMs have yielded, their owner's blocks run on, and others begin. */
static void work_goes_on_while_sms_yield(void **state)
{
	struct gpu_config config = small_config();
	struct trace *trace = trace_compute(4000, 10, 100);
	struct device device;
	u64 before, usual;

	begin(&device, &config, trace, 30000);
	own(&device, 0, 8, 1, GPU_PREEMPT_SWITCH);
	usual = wait_for(&device, 1, all_are_of);
	device_free(&device);

	config.yield_ns = 50000;
	begin(&device, &config, trace, 30000);
	before = counters_of(&device, 0).blocks_finished;
	own(&device, 0, 8, 1, GPU_PREEMPT_SWITCH);
	assert_int_equal(sm_of(&device, 3).state, GPU_SM_RUNNING);
	assert_int_equal(sm_of(&device, 3).next_owner, 1);
	assert_in_range(wait_for(&device, 1, all_are_of), 70000 + usual - 1000,
			70000 + usual + 1000);
	/* 64 at a time take 32,000 cycles: two such waves end in the 70,000 of the yield. */
	assert_in_range(counters_of(&device, 0).blocks_finished - before, 128, 192);
	assert_int_equal(counters_of(&device, 1).sm_handovers, 8);
	assert_in_range(counters_of(&device, 1).sm_handover_cycles, 8 * 70000,
			8 * (70000 + usual + 1000));
	own(&device, 0, 8, 0, GPU_PREEMPT_DRAIN);
	finish(&device, 1);
	assert_int_equal(counters_of(&device, 0).blocks_finished, 4000);
	end(&device, trace);
}

/* A switch that is called off, or becomes a drain, ends the yield. */
static void a_yield_can_be_called_off(void **state)
{
	struct gpu_config config = small_config();
	struct trace *trace = trace_compute(4000, 10, 100);
	struct device device;

	config.yield_ns = 50000;
	begin(&device, &config, trace, 30000);
	own(&device, 0, 8, 1, GPU_PREEMPT_SWITCH);
	gpu_run(device.gpu, 60000);
	own(&device, 0, 4, 0, GPU_PREEMPT_SWITCH);
	own(&device, 4, 4, 2, GPU_PREEMPT_DRAIN);
	assert_int_equal(sm_of(&device, 4).state, GPU_SM_DRAINING);
	gpu_run(device.gpu, 200000);
	assert_int_equal(counters_of(&device, 0).preempted_blocks, 0);
	assert_int_equal(sm_of(&device, 0).owner, 0);
	assert_int_equal(sm_of(&device, 0).blocks, BLOCKS_PER_SM);
	assert_int_equal(sm_of(&device, 4).owner, 2);
	/* The time counts from the last word for those that were kept in between. */
	own(&device, 0, 1, 1, GPU_PREEMPT_SWITCH);
	gpu_run(device.gpu, 260000);
	assert_int_equal(sm_of(&device, 0).owner, 0);
	gpu_run(device.gpu, 290000);
	assert_int_equal(sm_of(&device, 0).owner, 1);
	/* Whoever the SM is to go to: the owner's yield does not begin anew. */
	own(&device, 1, 1, 1, GPU_PREEMPT_SWITCH);
	gpu_run(device.gpu, 340000);
	own(&device, 1, 1, 3, GPU_PREEMPT_SWITCH);
	gpu_run(device.gpu, 380000);
	assert_int_equal(sm_of(&device, 1).owner, 3);
	end(&device, trace);
}

/* An empty SM has nothing to stop. */
static void an_idle_sm_does_not_yield(void **state)
{
	struct gpu_config config = small_config();
	struct trace *trace = trace_compute(8, 10, 100);
	struct device device;

	config.yield_ns = 50000;
	config.preempt_level = GPU_LEVEL_KERNELS;
	begin(&device, &config, trace, 20000);
	own(&device, 0, 8, 1, GPU_PREEMPT_SWITCH);
	assert_true(all_are_of(&device, 1));
	end(&device, trace);
}

/* A tenant that goes leaves no yield behind. */
static void a_drop_ends_the_yield(void **state)
{
	struct gpu_config config = small_config();
	struct trace *trace = trace_compute(4000, 10, 100);
	struct device device;

	config.yield_ns = 50000;
	begin(&device, &config, trace, 30000);
	own(&device, 0, 8, 1, GPU_PREEMPT_SWITCH);
	gpu_run(device.gpu, 40000);
	gpu_tenant_drop(device.gpu, 0);
	assert_true(all_are_of(&device, 1));
	gpu_kernel_start(device.gpu, 1, trace, 0);
	gpu_run(device.gpu, 150000);
	assert_int_equal(counters_of(&device, 1).preempted_blocks, 0);
	assert_true(all_run(&device, 1));
	end(&device, trace);
}

/* --- levels ----------------------------------------------------------------------------- */

/* Between blocks: what runs is neither saved nor dropped, and nothing begins. */
static void between_blocks_a_switch_drains(void **state)
{
	static const enum gpu_preemption modes[] = {
		GPU_PREEMPT_SWITCH, GPU_PREEMPT_RESET,
	};
	struct gpu_config config = small_config();
	u32 i;

	config.preempt_level = GPU_LEVEL_BLOCKS;
	for (i = 0; i < ARRAY_SIZE(modes); i++) {
		struct trace *trace = trace_compute(4000, 10, 100);
		struct simgpu_counters c;
		struct device device;

		begin(&device, &config, trace, 30000);
		own(&device, 0, 8, 1, modes[i]);
		assert_int_equal(sm_of(&device, 3).state, GPU_SM_DRAINING);
		assert_in_range(wait_for(&device, 1, all_are_of), 100, 34000);
		c = counters_of(&device, 0);
		assert_int_equal(c.preempted_blocks + c.reset_blocks, 0);
		assert_int_equal(c.context_lines, 0);
		end(&device, trace);
	}
}

/* Between kernels: all blocks of the kernel run, but no later kernel of its owner does. */
static void between_kernels_a_switch_waits_for_the_end(void **state)
{
	static const enum gpu_preemption modes[] = {
		GPU_PREEMPT_DRAIN, GPU_PREEMPT_SWITCH, GPU_PREEMPT_RESET,
	};
	struct gpu_config config = small_config();
	u32 i;

	config.preempt_level = GPU_LEVEL_KERNELS;
	for (i = 0; i < ARRAY_SIZE(modes); i++) {
		struct trace *trace = trace_compute(400, 10, 100);
		struct device device;

		begin(&device, &config, trace, 10000);
		own(&device, 0, 8, 1, modes[i]);
		assert_int_equal(sm_of(&device, 3).state, GPU_SM_RUNNING);
		while (!(gpu_take_finished(device.gpu) & 1)) {
			assert_true(gpu_now(device.gpu) < LONG_ENOUGH);
			gpu_run(device.gpu, LONG_ENOUGH);
		}
		assert_int_equal(counters_of(&device, 0).blocks_finished, 400);
		/* The next kernel finds no SM, even if it begins at once. */
		gpu_kernel_start(device.gpu, 0, trace, 0);
		assert_in_range(wait_for(&device, 1, all_are_of), 0, 34000);
		assert_in_range(counters_of(&device, 0).blocks_finished, 400, 464);
		assert_int_equal(counters_of(&device, 0).preempted_blocks, 0);
		assert_int_equal(counters_of(&device, 0).reset_blocks, 0);
		assert_int_equal(counters_of(&device, 1).sm_handovers, 8);
		end(&device, trace);
	}
}

/* --- the state hash ------------------------------------------------------------------------ */

/* What an SM waits for decides how the device goes on, so the hash tells it. */
static void what_sms_wait_for_is_hashed(void **state)
{
	struct gpu_config config = small_config();
	struct trace *trace = trace_compute(4000, 10, 100);
	struct device device;
	struct sm *sm;
	u64 hash;

	config.yield_ns = 5000;
	config.save_setup_ns = 5000;
	begin(&device, &config, trace, 30000);
	own(&device, 2, 1, 1, GPU_PREEMPT_SWITCH);
	gpu_run(device.gpu, 30100);
	sm = &device.gpu->sms[2];
	hash = gpu_state_hash(device.gpu);
	sm->yields_at ^= 1;
	assert_int_not_equal(gpu_state_hash(device.gpu), hash);
	sm->yields_at ^= 1;
	sm->yields_to ^= 1;
	assert_int_not_equal(gpu_state_hash(device.gpu), hash);
	sm->yields_to ^= 1;
	sm->yielding = 0;
	assert_int_not_equal(gpu_state_hash(device.gpu), hash);
	sm->yielding = 1;
	gpu_run(device.gpu, 40000);
	assert_int_equal(sm_of(&device, 2).state, GPU_SM_SAVING);
	hash = gpu_state_hash(device.gpu);
	sm->context_at ^= 1;
	assert_int_not_equal(gpu_state_hash(device.gpu), hash);
	end(&device, trace);
}

/* --- all together ------------------------------------------------------------------------ */

static void cost(struct gpu_config *config, u32 number)
{
	config->yield_ns = number % 3 * 700;
	config->save_setup_ns = number % 2 * 300;
	config->restore_setup_ns = number % 4 * 200;
	config->context_bytes_per_cycle = number % 5 * 7;
	config->preempt_level = number % 7 == 6 ? GPU_LEVEL_KERNELS :
				number % 7 == 5 ? GPU_LEVEL_BLOCKS :
						  GPU_LEVEL_WITHIN;
}

/* SMs change hands at random; returns the state hash a little after the end. */
static u64 run_disturbed(const struct gpu_config *config, struct trace **traces,
			 u64 *preempted, u64 pause)
{
	struct device device;
	u64 done = 0, hash, next = 0;
	u32 i;

	random_state = 88172645463325252ULL;
	device_make(&device, config);
	for (i = 0; i < 3; i++)
		gpu_kernel_start(device.gpu, i, traces[i], 0);
	while (done != 7) {
		assert_true(gpu_now(device.gpu) < LONG_ENOUGH);
		gpu_sm_assign(device.gpu, random_below(config->sms),
			      random_below(3),
			      random_below(5) ? GPU_PREEMPT_SWITCH :
						GPU_PREEMPT_DRAIN);
		next += random_below(3000);
		while (gpu_now(device.gpu) < next) {
			gpu_run(device.gpu, min(next, gpu_now(device.gpu) + pause));
			done |= gpu_take_finished(device.gpu);
		}
	}
	for (i = 0; i < 3; i++) {
		assert_int_equal(counters_of(&device, i).kernels_finished, 1);
		assert_int_equal(counters_of(&device, i).blocks_finished,
				 traces[i]->kernels->blocks);
		*preempted += counters_of(&device, i).preempted_blocks;
	}
	/* Every place of the pool is free again. */
	gpu_run(device.gpu, gpu_now(device.gpu) + 40000);
	assert_int_equal(device.gpu->pool.blocks_left,
			 device.gpu->shape.saved_blocks);
	assert_int_equal(device.gpu->pool.warps_left,
			 device.gpu->shape.saved_warps);
	hash = gpu_state_hash(device.gpu);
	device_free(&device);
	return hash;
}

/* Nothing is lost, whatever it costs; nor does it show where gpu_run() pauses. */
static void nothing_is_lost_and_pauses_do_not_show(void **state)
{
	struct trace *traces[] = {
		trace_pairs(40, 6), trace_copy(50, 6, 16), trace_compute(300, 4, 100),
	};
	struct gpu_config config = small_config();
	u64 preempted = 0;
	u32 number, i;

	for (number = 1; number < 15; number++) {
		u64 hash;

		cost(&config, number);
		hash = run_disturbed(&config, traces, &preempted, LONG_ENOUGH);
		if (number % 4 == 1)
			assert_int_equal(run_disturbed(&config, traces,
						       &preempted, 37), hash);
	}
	assert_true(preempted > 100);
	for (i = 0; i < 3; i++)
		trace_free(traces[i]);
}

/* --- what was measured on an A100 --------------------------------------------------------- */

/* Nanoseconds from the decision until all SMs of a full GPU have changed hands. */
static u64 ns_to_switch_all(const struct gpu_config *config, const struct trace *trace)
{
	struct device device;
	u64 ns;

	begin(&device, config, trace, 20000);
	own(&device, 0, config->sms, 1, GPU_PREEMPT_SWITCH);
	ns = ns_of(&device, wait_for(&device, 1, all_are_of));
	/* 44.3 MiB, in tenths */
	assert_in_range(counters_of(&device, 0).context_lines * 128 / 104858, 442, 444);
	print_message("# %s saves %.1f MiB in %.1f us, at most %u bytes a cycle\n",
		      config->name,
		      (double)counters_of(&device, 0).context_lines / 8192,
		      (double)ns / 1000, config->context_bytes_per_cycle);
	device_free(&device);
	return ns;
}

/*
 * 44.3 MiB of registers and shared memory are saved in 40 us, within a fifth; and work that
 * comes unannounced waits some 100 us.
 */
static void a100_takes_what_was_measured(void **state)
{
	struct gpu_config config = *gpu_config_find("a100-hw");
	u32 sms = config.sms, shared = config.shared_bytes_per_sm;
	struct trace *trace = trace_full(sms * BLOCKS_PER_SM, shared);
	struct trace *urgent = trace_full(sms, 0);
	struct device device;
	u64 saved;

	/* The switch itself, from the stop on, and without what it costs beside the lines. */
	config.yield_ns = 0;
	assert_in_range(ns_to_switch_all(&config, trace), 32000, 48000);
	config.save_setup_ns = 0;
	config.context_bytes_per_cycle = 0;
	assert_in_range(ns_to_switch_all(&config, trace), 5000, 15000);

	/* Yield and switch. */
	config = *gpu_config_find("a100-hw");
	begin(&device, &config, trace, 20000);
	gpu_kernel_start(device.gpu, 1, urgent, 0);
	own(&device, 0, sms, 1, GPU_PREEMPT_SWITCH);
	saved = ns_of(&device, wait_for(&device, 1, all_run));
	assert_in_range(saved, 80000, 120000);
	print_message("# yield and switch: %.1f us\n", (double)saved / 1000);
	trace_free(urgent);
	end(&device, trace);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(setups_come_once_a_switch),
		cmocka_unit_test(bytes_a_cycle_bound_the_rate),
		cmocka_unit_test(work_goes_on_while_sms_yield),
		cmocka_unit_test(a_yield_can_be_called_off),
		cmocka_unit_test(an_idle_sm_does_not_yield),
		cmocka_unit_test(a_drop_ends_the_yield),
		cmocka_unit_test(between_blocks_a_switch_drains),
		cmocka_unit_test(between_kernels_a_switch_waits_for_the_end),
		cmocka_unit_test(what_sms_wait_for_is_hashed),
		cmocka_unit_test(nothing_is_lost_and_pauses_do_not_show),
		cmocka_unit_test(a100_takes_what_was_measured),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests_name("switch_cost", tests, NULL, NULL);
}
