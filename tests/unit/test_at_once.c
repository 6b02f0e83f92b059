// SPDX-License-Identifier: GPL-2.0
/*
 * What the driver changes takes effect at once: thread blocks that it lets begin do so in
 * the next cycle, wherever in a window that is, not where the window ends.
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

/* Neither the first nor the last: a shift the wrong way shows. */
#define SLOT	5
#define QUEUE	6
#define OTHER	1
#define THIRD	9
#define SM	2
#define SMS	8

static struct trace *small, *single, *large;

static const u64 one_sm[GPU_MASK_WORDS] = { 1 };
static const u64 all_sms[GPU_MASK_WORDS] = { 0xff };

/* struct change - of one register, for which thread blocks of SLOT wait, or OTHER's do */
struct change {
	const char *name;
	void (*begin)(struct gpu *gpu);
	void (*change)(struct gpu *gpu);
	u32 before;	/* SLOT's thread blocks on SM */
	u32 after;
};

static void share_all(struct gpu *gpu)
{
	u32 i;

	for (i = 0; i < SMS; i++)
		gpu_sm_share(gpu, i);
}

static void start(struct gpu *gpu)
{
	gpu_kernel_start(gpu, SLOT, small, 0);
}

/* --- what is waited for ------------------------------------------------------------------- */

static void own_all(struct gpu *gpu)
{
	own(gpu, 0, SMS, SLOT);
}

static void run_elsewhere(struct gpu *gpu)
{
	own(gpu, 0, 1, SLOT);
	start(gpu);
}

static void assign_sm(struct gpu *gpu)
{
	own(gpu, SM, 1, SLOT);
}

static void share_sm(struct gpu *gpu)
{
	gpu_sm_share(gpu, SM);
}

static void limit_owned(struct gpu *gpu)
{
	own_all(gpu);
	gpu_queue_set_issue_limit(gpu, SLOT, QUEUE, 2);
	gpu_queue_start(gpu, SLOT, QUEUE, small, 0);
}

static void limit_shared(struct gpu *gpu)
{
	share_all(gpu);
	gpu_queue_set_issue_limit(gpu, SLOT, QUEUE, 2);
	gpu_queue_start(gpu, SLOT, QUEUE, small, 0);
}

static void lift_limit(struct gpu *gpu)
{
	gpu_queue_set_issue_limit(gpu, SLOT, QUEUE, GPU_NO_LIMIT);
}

static void bound_owned(struct gpu *gpu)
{
	own_all(gpu);
	gpu_sm_set_block_limit(gpu, SM, SLOT, 1, GPU_PREEMPT_DRAIN);
	start(gpu);
}

static void bound_shared(struct gpu *gpu)
{
	share_all(gpu);
	gpu_sm_set_block_limit(gpu, SM, SLOT, 1, GPU_PREEMPT_DRAIN);
	start(gpu);
}

static void raise_bound(struct gpu *gpu)
{
	gpu_sm_set_block_limit(gpu, SM, SLOT, 4, GPU_PREEMPT_DRAIN);
}

static void few_shared(struct gpu *gpu)
{
	share_all(gpu);
	gpu_set_shared_blocks(gpu, 3);
	start(gpu);
}

static void more_shared(struct gpu *gpu)
{
	gpu_set_shared_blocks(gpu, 6);
}

static void mask_owned(struct gpu *gpu)
{
	own_all(gpu);
	gpu_queue_start(gpu, SLOT, QUEUE, small, 0);
	gpu_queue_set_mask(gpu, SLOT, QUEUE, one_sm);
}

static void mask_shared(struct gpu *gpu)
{
	share_all(gpu);
	gpu_queue_start(gpu, SLOT, QUEUE, small, 0);
	gpu_queue_set_mask(gpu, SLOT, QUEUE, one_sm);
}

static void widen_mask(struct gpu *gpu)
{
	gpu_queue_set_mask(gpu, SLOT, QUEUE, all_sms);
}

/* 40 warps of the third, 32 a block of the other: what is behind that would fit. */
static void wait_behind(struct gpu *gpu)
{
	gpu_sm_share(gpu, SM);
	gpu_set_block_order(gpu, GPU_ORDER_ARRIVAL);
	gpu_sm_set_block_limit(gpu, SM, THIRD, 5, GPU_PREEMPT_DRAIN);
	gpu_kernel_start(gpu, THIRD, small, 0);
	gpu_kernel_start(gpu, OTHER, large, 0);
	start(gpu);
}

static void take_turns(struct gpu *gpu)
{
	gpu_set_block_order(gpu, GPU_ORDER_ROUND_ROBIN);
}

static void wait_for_other(struct gpu *gpu)
{
	gpu_sm_share(gpu, SM);
	gpu_kernel_start(gpu, OTHER, small, 0);
	gpu_run(gpu, 1);
	start(gpu);
}

static void drop_other(struct gpu *gpu)
{
	gpu_tenant_drop(gpu, OTHER);
}

static void reset_other(struct gpu *gpu)
{
	gpu_sm_set_block_limit(gpu, SM, OTHER, 3, GPU_PREEMPT_RESET);
}

static void wait_for_owner(struct gpu *gpu)
{
	own(gpu, SM, 1, OTHER);
	gpu_kernel_start(gpu, OTHER, small, 0);
	gpu_run(gpu, 1);
	assign_sm(gpu);
	start(gpu);
}

static void reset_owner(struct gpu *gpu)
{
	gpu_sm_assign(gpu, SM, SLOT, GPU_PREEMPT_RESET);
}

/* Its only block runs on the SM before; SM has room. */
static void run_single(struct gpu *gpu)
{
	own(gpu, SM - 1, 2, SLOT);
	gpu_kernel_start(gpu, SLOT, single, 0);
}

static void take_sm_before(struct gpu *gpu)
{
	gpu_sm_assign(gpu, SM - 1, GPU_NO_TENANT, GPU_PREEMPT_RESET);
}

static const struct change changes[] = {
	{ "a kernel on its own SMs", own_all, start, 0, 8 },
	{ "a kernel on shared SMs", share_all, start, 0, 8 },
	{ "an SM", run_elsewhere, assign_sm, 0, 8 },
	{ "a shared SM", run_elsewhere, share_sm, 0, 8 },
	{ "a limit of blocks", limit_owned, lift_limit, 0, 8 },
	{ "the same, shared", limit_shared, lift_limit, 0, 8 },
	{ "an SM's limit", bound_owned, raise_bound, 1, 4 },
	{ "the same, shared", bound_shared, raise_bound, 1, 4 },
	{ "blocks of all", few_shared, more_shared, 3, 6 },
	{ "a mask", mask_owned, widen_mask, 0, 8 },
	{ "the same, shared", mask_shared, widen_mask, 0, 8 },
	{ "an order", wait_behind, take_turns, 0, 3 },
	{ "a drop, shared", wait_for_other, drop_other, 0, 8 },
	{ "a reset, shared", wait_for_other, reset_other, 0, 5 },
	{ "a drop", wait_for_owner, drop_other, 0, 8 },
	{ "a reset", wait_for_owner, reset_owner, 0, 8 },
	{ "a place after a reset", run_single, take_sm_before, 0, 1 },
};

static void thread_blocks_begin_in_the_next_cycle(void **state)
{
	struct gpu_config config = small_config();
	u64 window = gpu_window(&config);
	u32 i;

	for (i = 0; i < ARRAY_SIZE(changes); i++) {
		const struct change *c = &changes[i];
		struct gpu *gpu = gpu_make(&config);

		c->begin(gpu);
		gpu_run(gpu, 10 * window + window / 3);
		if (gpu_sm_blocks(gpu, SM, SLOT) != c->before)
			fail_msg("%s: %u before", c->name,
				 gpu_sm_blocks(gpu, SM, SLOT));
		c->change(gpu);
		gpu_run(gpu, gpu_now(gpu) + 1);
		if (gpu_sm_blocks(gpu, SM, SLOT) != c->after)
			fail_msg("%s: %u after", c->name,
				 gpu_sm_blocks(gpu, SM, SLOT));
		free(gpu);
	}
}

/* And so do their first instructions, also where a window ends and the next one begins. */
static void warps_issue_in_the_next_cycle(void **state)
{
	struct gpu_config config = small_config();
	u64 window = gpu_window(&config), at;

	for (at = window - 2; at <= window + 2; at++) {
		struct gpu *gpu = gpu_make(&config);

		own_all(gpu);
		gpu_run(gpu, at);
		start(gpu);
		gpu_run(gpu, at + 1);
		/* Each scheduler has its first warp's first instruction. */
		assert_int_equal(counters_of(gpu, SLOT).warp_instructions,
				 SMS * config.schedulers_per_sm);
		free(gpu);
	}
}

static struct trace *trace_large(void)
{
	struct builder *b = builder_new("large", "test");

	builder_kernel(b, "large", 100, 1024, 32, 0);
	builder_compute(b, 1000000, 32);
	return trace_of(b, 0);
}

static int make_traces(void **state)
{
	small = trace_compute(1000, 3, 300000);
	single = trace_compute(1, 3, 300000);
	large = trace_large();
	return 0;
}

static int free_traces(void **state)
{
	trace_free(small);
	trace_free(single);
	trace_free(large);
	return 0;
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(thread_blocks_begin_in_the_next_cycle),
		cmocka_unit_test(warps_issue_in_the_next_cycle),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests_name("at_once", tests, make_traces,
					   free_traces);
}
