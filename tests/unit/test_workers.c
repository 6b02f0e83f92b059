// SPDX-License-Identifier: GPL-2.0
/*
 * Workers (FLEP): whose SM is wanted leaves when it looks at the flag, each look costs
 * poll_cycles, and nothing is lost or run twice.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <cmocka.h>

#include "../../kmod/sim/sim.h"
#include "device.h"
#include "small.h"
#include "traces.h"

#define BLOCKS		400U
/* Cycles of a look, where it costs some. */
#define POLL		500U

static u64 blocks_ended(struct gpu *gpu, u32 slot)
{
	return counters_of(gpu, slot).blocks_finished;
}

static u32 owner_of(struct gpu *gpu, u32 sm)
{
	struct gpu_sm_status status;

	gpu_sm_status(gpu, sm, &status);
	return status.owner;
}

/* Run until an SM has changed hands; Return: the cycles that it took. */
static u64 wait_for_owner(struct gpu *gpu, u32 sm, u32 slot)
{
	u64 from = gpu_now(gpu);

	while (owner_of(gpu, sm) != slot) {
		assert_true(gpu_now(gpu) < LONG_ENOUGH);
		gpu_run(gpu, gpu_now(gpu) + 1);
	}
	return gpu_now(gpu) - from;
}

static struct gpu_config config_of(u32 sms, u32 blocks_per_sm, u32 poll_cycles)
{
	struct gpu_config config = small_config();

	config.sms = sms;
	config.blocks_per_sm = blocks_per_sm;
	config.poll_cycles = poll_cycles;
	return config;
}

/*
 * Of an SM with two places, at most one of slot 0's blocks a worker each, it takes the
 * SM when @before blocks have ended. Return: how many have ended when it has gone.
 */
static u64 ended_when_it_left(u32 worker_blocks, u64 before, u64 *cycles)
{
	struct gpu_config config = config_of(1, 2, 0);
	struct trace *trace = trace_compute(BLOCKS, 4, 50);
	struct gpu *gpu = gpu_make(&config);
	struct simgpu_counters next;
	u64 ended;

	gpu_set_worker_blocks(gpu, worker_blocks);
	own(gpu, 0, 1, 0);
	gpu_kernel_start(gpu, 0, trace, 0);
	while (blocks_ended(gpu, 0) < before)
		gpu_run(gpu, gpu_now(gpu) + 1);
	own(gpu, 0, 1, 1);
	*cycles = wait_for_owner(gpu, 0, 1);
	next = counters_of(gpu, 1);
	ended = blocks_ended(gpu, 0);
	assert_int_equal(next.sm_handovers, 1);
	/* gpu_run() has come a cycle further than the last block's end. */
	assert_in_range(next.sm_handover_cycles, *cycles - 1, *cycles);
	trace_free(trace);
	free(gpu);
	return ended;
}

/* All of equal length, so that both places' workers are equally far. */
static void workers_leave_when_they_look(void **state)
{
	static const u32 worker_blocks[] = { 1, 2, 5, 16, 33 };
	u64 before, cycles, hardware;
	u32 i;

	for (before = 2; before < 40; before += 12) {
		assert_in_range(ended_when_it_left(0, before, &hardware),
				before + 1, before + 2);
		for (i = 0; i < ARRAY_SIZE(worker_blocks); i++) {
			u64 each = 2 * worker_blocks[i];
			u64 ended = ended_when_it_left(worker_blocks[i], before,
						       &cycles);

			/* As many as there are between two looks, or some of it. */
			assert_int_equal(ended % each, 0);
			assert_in_range(ended, before, before + each);
			if (worker_blocks[i] == 1)
				assert_int_equal(cycles, hardware);
			else
				assert_true(cycles >= hardware);
		}
	}
}

static u64 cycles_alone(const struct trace *trace, u32 worker_blocks, u32 poll_cycles)
{
	struct gpu_config config = config_of(1, 1, poll_cycles);
	struct gpu *gpu = gpu_make(&config);
	u64 cycles;

	gpu_set_worker_blocks(gpu, worker_blocks);
	own(gpu, 0, 1, 0);
	gpu_kernel_start(gpu, 0, trace, 0);
	finish(gpu, 0, NULL);
	cycles = ended(gpu, 0);
	free(gpu);
	return cycles;
}

/* On one place, where nothing hides it; the first look comes after as many blocks. */
static void each_look_costs(void **state)
{
	struct trace *trace = trace_compute(BLOCKS, 4, 50);
	u64 without = cycles_alone(trace, 0, POLL);
	u32 each;

	assert_int_equal(cycles_alone(trace, 7, 0), without);
	for (each = 1; each < 100; each = each * 3 + 1)
		assert_int_equal(cycles_alone(trace, each, POLL),
				 without + (BLOCKS - 1) / each * POLL);
	trace_free(trace);
}

/* What others do about it does not wait: contexts are saved, blocks are dropped. */
static void the_hardware_does_not_wait_for_a_look(void **state)
{
	static const enum gpu_preemption modes[] = {
		GPU_PREEMPT_SWITCH, GPU_PREEMPT_RESET,
	};
	struct trace *trace = trace_compute(40, 40, 500);
	u32 i;

	for (i = 0; i < ARRAY_SIZE(modes); i++) {
		struct gpu_config config = config_of(2, 2, 0);
		struct gpu *gpu = gpu_make(&config);

		gpu_set_worker_blocks(gpu, GPU_WORKER_BLOCKS_MAX);
		own(gpu, 0, 2, 0);
		gpu_kernel_start(gpu, 0, trace, 0);
		gpu_run(gpu, 5000);
		gpu_sm_assign(gpu, 1, 1, modes[i]);
		wait_for_owner(gpu, 1, 1);
		assert_int_equal(blocks_ended(gpu, 0), 0);
		finish(gpu, 0, NULL);
		assert_int_equal(blocks_ended(gpu, 0), 40);
		free(gpu);
	}
	trace_free(trace);
}

/* A kernel that ends meanwhile has no more: the SM goes when its last block ends. */
static void a_kernel_that_ends_hands_its_sm_over(void **state)
{
	struct gpu_config config = config_of(2, 2, 0);
	struct trace *trace = trace_compute(20, 4, 50);
	struct gpu *gpu = gpu_make(&config);

	gpu_set_worker_blocks(gpu, 1000);
	own(gpu, 0, 2, 0);
	gpu_kernel_start(gpu, 0, trace, 0);
	gpu_run(gpu, 100);
	own(gpu, 1, 1, 1);
	finish(gpu, 0, NULL);
	assert_int_equal(owner_of(gpu, 1), 1);
	/* Both SMs' workers went on to the end. */
	assert_true(blocks_ended(gpu, 0) == 20);
	assert_in_range(gpu->sm_counters[1].blocks_finished, 8, 12);
	trace_free(trace);
	free(gpu);
}

/* Of several kernels of a tenant each leaves with the block that it runs. */
static void several_kernels_leave_at_a_blocks_end(void **state)
{
	struct gpu_config config = config_of(1, 2, 0);
	struct trace *trace = trace_compute(BLOCKS, 4, 50);
	struct gpu *gpu = gpu_make(&config);
	u64 before;

	gpu_set_worker_blocks(gpu, 1000);
	own(gpu, 0, 1, 0);
	gpu_kernel_start(gpu, 0, trace, 0);
	gpu_queue_start(gpu, 0, 1, trace, 0);
	gpu_run(gpu, 10000);
	before = blocks_ended(gpu, 0);
	own(gpu, 0, 1, 1);
	wait_for_owner(gpu, 0, 1);
	assert_in_range(blocks_ended(gpu, 0) - before, 1, 2);
	trace_free(trace);
	free(gpu);
}

/* SMs go to and fro between two tenants, in all ways, and workers change. */
static u64 run_disturbed(struct trace *const traces[2], u64 seed, u64 step)
{
	struct gpu_config config = config_of(8, 8, 100);
	struct gpu *gpu = gpu_make(&config);
	u64 done = 0, hash, turn, at;

	own(gpu, 0, 4, 0);
	own(gpu, 4, 4, 1);
	gpu_kernel_start(gpu, 0, traces[0], 0);
	gpu_kernel_start(gpu, 1, traces[1], 0);
	for (turn = 1; (done & 3) != 3; turn++) {
		assert_true(gpu_now(gpu) < LONG_ENOUGH);
		seed = seed * 6364136223846793005ULL + 1442695040888963407ULL;
		if (turn % 8 == 1)
			gpu_set_worker_blocks(gpu, seed >> 40 & 7);
		gpu_sm_assign(gpu, seed >> 33 & 7, seed >> 36 & 1,
			      seed >> 50 & 7 ? GPU_PREEMPT_DRAIN :
					       GPU_PREEMPT_SWITCH);
		/* One SM each at least. */
		gpu_sm_assign(gpu, 0, 0, GPU_PREEMPT_DRAIN);
		gpu_sm_assign(gpu, 7, 1, GPU_PREEMPT_DRAIN);
		for (at = (turn - 1) * 700 + step; at < turn * 700; at += step)
			gpu_run(gpu, at);
		gpu_run(gpu, turn * 700);
		done |= gpu_take_finished(gpu);
	}
	assert_int_equal(blocks_ended(gpu, 0), BLOCKS);
	assert_int_equal(blocks_ended(gpu, 1), BLOCKS);
	hash = gpu_state_hash(gpu);
	free(gpu);
	return hash;
}

static void nothing_is_lost_or_run_twice(void **state)
{
	struct trace *traces[2] = {
		trace_compute(BLOCKS, 20, 30), trace_copy(BLOCKS, 20, 16),
	};
	u64 seed;

	for (seed = 1; seed <= 4; seed++)
		assert_int_equal(run_disturbed(traces, seed, 700),
				 run_disturbed(traces, seed, 60 + seed));
	trace_free(traces[0]);
	trace_free(traces[1]);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(workers_leave_when_they_look),
		cmocka_unit_test(each_look_costs),
		cmocka_unit_test(the_hardware_does_not_wait_for_a_look),
		cmocka_unit_test(a_kernel_that_ends_hands_its_sm_over),
		cmocka_unit_test(several_kernels_leave_at_a_blocks_end),
		cmocka_unit_test(nothing_is_lost_or_run_twice),
	};

	return cmocka_run_group_tests_name("workers", tests, NULL, NULL);
}
