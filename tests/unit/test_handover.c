// SPDX-License-Identifier: GPL-2.0
/*
 * SMs that change hands, and a tenant that is dropped meanwhile: who gives them or who
 * gets them, by draining and by saving contexts. What stays runs to its end, each
 * thread block once, and the SMs are the survivor's or nobody's.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "device.h"
#include "small.h"
#include "traces.h"

/* More than all SMs hold at a time. */
#define BLOCKS		96
#define TRIPS		40
#define BURST		100
/* Eight warps a block, that run TRIPS bursts. */
#define INSTRUCTIONS	((u64)BLOCKS * 8 * TRIPS * BURST)

static void assert_owners(const struct gpu *gpu, u32 owner, u32 next)
{
	struct gpu_sm_status status;
	u32 sm;

	for (sm = 0; sm < 8; sm++) {
		gpu_sm_status(gpu, sm, &status);
		assert_int_equal(status.owner, owner);
		assert_int_equal(status.next_owner, next);
	}
}

static void give_all(struct gpu *gpu, u32 slot, enum gpu_preemption how)
{
	u32 sm;

	for (sm = 0; sm < 8; sm++)
		gpu_sm_assign(gpu, sm, slot, how);
}

/* Slot 0 runs on all SMs and has begun to give them to slot 1. */
static struct gpu *handing_over(const struct gpu_config *config,
				const struct trace *trace, enum gpu_preemption how)
{
	struct gpu *gpu = gpu_make(config);

	own(gpu, 0, config->sms, 0);
	gpu_kernel_start(gpu, 0, trace, 0);
	gpu_kernel_start(gpu, 1, trace, 0);
	gpu_run(gpu, 1000);
	give_all(gpu, 1, how);
	gpu_run(gpu, gpu_now(gpu) + gpu_window(config));
	assert_owners(gpu, 0, 1);
	return gpu;
}

static void assert_whole(struct gpu *gpu, u32 slot)
{
	struct simgpu_counters counters = counters_of(gpu, slot);

	assert_int_equal(counters.kernels_finished, 1);
	assert_int_equal(counters.blocks_finished, BLOCKS);
	assert_int_equal(counters.warp_instructions, INSTRUCTIONS);
}

static void who_gets_them_is_dropped(const struct gpu_config *config,
				     enum gpu_preemption how)
{
	struct trace *trace = trace_compute(BLOCKS, TRIPS, BURST);
	struct gpu *gpu = handing_over(config, trace, how);
	struct simgpu_counters counters;
	u64 held;

	gpu_tenant_drop(gpu, 1);
	assert_owners(gpu, 0, GPU_NO_TENANT);
	/* What is on the SMs ends or is saved; then nobody has them. */
	gpu_run(gpu, gpu_now(gpu) + 1000000);
	assert_owners(gpu, GPU_NO_TENANT, GPU_NO_TENANT);
	counters = counters_of(gpu, 0);
	held = counters.sm_cycles;
	assert_true(counters.blocks_finished < BLOCKS);
	gpu_run(gpu, gpu_now(gpu) + 1000);
	assert_int_equal(counters_of(gpu, 0).sm_cycles, held);
	assert_int_equal(counters_of(gpu, 1).sm_cycles, 0);
	assert_int_equal(counters_of(gpu, 1).warp_instructions, 0);

	give_all(gpu, 0, how);
	assert_owners(gpu, 0, 0);
	finish(gpu, 0, NULL);
	assert_whole(gpu, 0);
	free(gpu);
	trace_free(trace);
}

static void who_gives_them_is_dropped(const struct gpu_config *config,
				      enum gpu_preemption how)
{
	struct trace *trace = trace_compute(BLOCKS, TRIPS, BURST);
	struct gpu *gpu = handing_over(config, trace, how);
	u64 instructions, held;

	gpu_tenant_drop(gpu, 0);
	assert_owners(gpu, 1, 1);
	instructions = counters_of(gpu, 0).warp_instructions;
	held = counters_of(gpu, 0).sm_cycles;
	assert_true(instructions < INSTRUCTIONS);
	finish(gpu, 1, NULL);
	assert_whole(gpu, 1);
	assert_int_equal(counters_of(gpu, 0).warp_instructions, instructions);
	assert_int_equal(counters_of(gpu, 0).sm_cycles, held);
	assert_int_equal(counters_of(gpu, 0).kernels_finished, 0);

	/* Who comes into the slot begins anew. */
	gpu_kernel_start(gpu, 0, trace, 0);
	give_all(gpu, 0, how);
	assert_owners(gpu, 0, 0);
	finish(gpu, 0, NULL);
	assert_int_equal(counters_of(gpu, 0).warp_instructions,
			 instructions + INSTRUCTIONS);
	free(gpu);
	trace_free(trace);
}

static void both_ways_of_both(void **state)
{
	static const enum gpu_preemption ways[] = {
		GPU_PREEMPT_DRAIN, GPU_PREEMPT_SWITCH,
	};
	struct gpu_config config = small_config();
	u32 i;

	for (i = 0; i < ARRAY_SIZE(ways); i++) {
		who_gets_them_is_dropped(&config, ways[i]);
		who_gives_them_is_dropped(&config, ways[i]);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(both_ways_of_both),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
