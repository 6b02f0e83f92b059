// SPDX-License-Identifier: GPL-2.0
/*
 * The registers of a bare GPU: they say what was written, to their limits and no further;
 * a slot that is dropped leaves none of it; and what is written takes effect at once.
 */
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>
#include <cmocka.h>

#include "device.h"
#include "small.h"
#include "traces.h"

/* Neither the first nor the last: a shift the wrong way shows. */
#define SLOT	5

/* --- limits ------------------------------------------------------------------------------- */

enum reg {
	CHANNELS, WAYS, LEFT, REFILL, PRIORITY, QUEUE_PRIORITY, PRIORITY_QUEUE,
	MASK_QUEUE, LIMIT_QUEUE, START_QUEUE, SHARED_BLOCKS, BUCKET, WORKER_BLOCKS,
};

/* struct bounds - of a register's values */
struct bounds {
	enum reg reg;
	s64 least;
	s64 most;
};

static struct trace *idle_trace;

static void write_register(struct gpu *gpu, enum reg reg, s64 value)
{
	const u64 sms[GPU_MASK_WORDS] = { 1 };

	switch (reg) {
	case CHANNELS:
		gpu_set_channels(gpu, SLOT, (u64)value);
		break;
	case WAYS:
		gpu_set_llc_ways(gpu, SLOT, (u32)value);
		break;
	case LEFT:
		gpu_sm_set_quota(gpu, 1, SLOT, value, 0);
		break;
	case REFILL:
		gpu_sm_set_quota(gpu, 1, SLOT, 0, value);
		break;
	case PRIORITY:
		gpu_set_memory_priority(gpu, SLOT, (u32)value);
		break;
	case QUEUE_PRIORITY:
		gpu_queue_set_priority(gpu, SLOT, 1, (s32)value);
		break;
	case PRIORITY_QUEUE:
		gpu_queue_set_priority(gpu, SLOT, (u32)value, 0);
		break;
	case MASK_QUEUE:
		gpu_queue_set_mask(gpu, SLOT, (u32)value, sms);
		break;
	case LIMIT_QUEUE:
		gpu_queue_set_issue_limit(gpu, SLOT, (u32)value, 1);
		break;
	case START_QUEUE:
		gpu_queue_start(gpu, SLOT, (u32)value, idle_trace, 0);
		break;
	case SHARED_BLOCKS:
		gpu_set_shared_blocks(gpu, (u32)value);
		break;
	case BUCKET:
		gpu_set_bucket(gpu, SLOT, (u32)value);
		break;
	case WORKER_BLOCKS:
		gpu_set_worker_blocks(gpu, (u32)value);
		break;
	}
}

/* Whether the assertion for a value that is none ends the process. */
static bool is_caught(struct gpu *gpu, enum reg reg, s64 value)
{
	pid_t child;
	int status;

	fflush(NULL);
	child = fork();
	assert_true(child >= 0);
	if (!child) {
		signal(SIGABRT, SIG_DFL);
		if (!freopen("/dev/null", "w", stderr))
			_exit(2);
		write_register(gpu, reg, value);
		_exit(0);
	}
	assert_int_equal(waitpid(child, &status, 0), child);
	return WIFSIGNALED(status) && WTERMSIG(status) == SIGABRT;
}

/* Of small_config(): 4 channels, 16 ways. Queue 0 has a kernel, so it may not start one. */
static const struct bounds bounds[] = {
	{ CHANNELS, 1, 0xf }, { WAYS, 1, 0xffff },
	{ LEFT, -GPU_QUOTA_MAX, GPU_QUOTA_MAX }, { REFILL, 0, GPU_QUOTA_MAX },
	{ PRIORITY, 0, GPU_PRIORITIES - 1 },
	{ QUEUE_PRIORITY, -GPU_QUEUE_PRIORITY_MAX, GPU_QUEUE_PRIORITY_MAX },
	{ PRIORITY_QUEUE, 0, GPU_QUEUES_MAX - 1 }, { MASK_QUEUE, 0, 0 },
	{ LIMIT_QUEUE, 0, GPU_QUEUES_MAX - 1 },
	{ START_QUEUE, 1, GPU_QUEUES_MAX - 1 }, { SHARED_BLOCKS, 1, U32_MAX },
	{ BUCKET, 1, U32_MAX }, { WORKER_BLOCKS, 0, GPU_WORKER_BLOCKS_MAX },
};

static void drivers_that_err_are_caught(void **state)
{
	struct gpu_config config = small_config();
	u32 i;

	idle_trace = trace_compute(1, 1, 1);
	for (i = 0; i < ARRAY_SIZE(bounds); i++) {
		const struct bounds *b = &bounds[i];
		struct gpu *gpu = gpu_make(&config);

		gpu_kernel_start(gpu, SLOT, idle_trace, 0);
		/* 32 bits hold no more, and zero, not all of them, is less than 1. */
		if (b->most != U32_MAX && !is_caught(gpu, b->reg, b->most + 1))
			fail_msg("row %u: one more is not caught", i);
		if ((b->least || b->reg == REFILL) &&
		    !is_caught(gpu, b->reg, b->least - 1))
			fail_msg("row %u: one less is not caught", i);
		write_register(gpu, b->reg, b->most);
		if (b->reg != START_QUEUE)
			write_register(gpu, b->reg, b->least);
		free(gpu);
	}
	trace_free(idle_trace);
}

/* --- what they say -------------------------------------------------------------------------- */

static void masks_say_what_was_written(void **state)
{
	static const u64 channels[] = { 0x1, 0xf, 0x8, 0x6, 0xf };
	static const u32 ways[] = { 0x1, 0xffff, 0x8000, 0x7ffe, 0xffff };
	struct gpu_config config = small_config();
	struct gpu *gpu = gpu_make(&config);
	u32 i;

	assert_int_equal(gpu_channels(gpu, SLOT), 0xf);
	assert_int_equal(gpu_llc_ways(gpu, SLOT), 0xffff);
	for (i = 0; i < ARRAY_SIZE(ways); i++) {
		gpu_set_channels(gpu, SLOT, channels[i]);
		gpu_set_llc_ways(gpu, SLOT, ways[i]);
		assert_int_equal(gpu_channels(gpu, SLOT), channels[i]);
		assert_int_equal(gpu_llc_ways(gpu, SLOT), ways[i]);
		assert_int_equal(gpu_channels(gpu, SLOT - 1), 0xf);
		assert_int_equal(gpu_llc_ways(gpu, SLOT + 1), 0xffff);
	}
	gpu_set_channels(gpu, SLOT, 0x2);
	gpu_set_llc_ways(gpu, SLOT, 0x4);
	gpu_tenant_drop(gpu, SLOT);
	assert_int_equal(gpu_channels(gpu, SLOT), 0xf);
	assert_int_equal(gpu_llc_ways(gpu, SLOT), 0xffff);
	free(gpu);
}

/* The next tenant of a slot finds its registers as the first one did. */
static void a_drop_leaves_no_register(void **state)
{
	static const enum reg regs[] = {
		WAYS, LEFT, REFILL, PRIORITY, QUEUE_PRIORITY, LIMIT_QUEUE, BUCKET,
	};
	struct gpu_config config = small_config();
	struct gpu *without = gpu_make(&config), *with;
	u32 i;

	gpu_tenant_drop(without, SLOT);
	for (i = 0; i < ARRAY_SIZE(regs); i++) {
		with = gpu_make(&config);
		write_register(with, regs[i], 3);
		assert_int_not_equal(gpu_state_hash(with),
				     gpu_state_hash(without));
		gpu_tenant_drop(with, SLOT);
		if (gpu_state_hash(with) != gpu_state_hash(without))
			fail_msg("register %u stays", regs[i]);
		free(with);
	}
	with = gpu_make(&config);
	gpu_set_rank(with, SLOT, 7);
	gpu_sm_set_block_limit(with, 3, SLOT, 2, GPU_PREEMPT_DRAIN);
	gpu_tenant_drop(with, SLOT);
	assert_int_equal(with->tenants[SLOT].rank, 0);
	assert_int_equal(with->tenants[SLOT].bucket_capacity, 1);
	assert_int_equal(with->tenants[SLOT].bucket_tokens, 0);
	assert_int_equal(gpu_sm_block_limit(with, 3, SLOT), GPU_NO_LIMIT);
	free(with);
	free(without);
}

/* Nor whose turn it was among its queues, which SM's, and how full its bucket is. */
static void a_drop_leaves_no_turn(void **state)
{
	struct gpu_config config = small_config();
	struct trace *trace = trace_compute(1000, 3, 100);
	struct gpu *gpu = gpu_make(&config);
	const struct tenant *tenant = &gpu->tenants[SLOT];
	u32 i;

	for (i = 0; i < 3; i++)
		gpu_sm_share(gpu, i);
	gpu_set_bucket(gpu, SLOT, 7);
	gpu_set_bucket(gpu, 1, 2);
	gpu_queue_start(gpu, SLOT, 0, trace, 0);
	gpu_queue_start(gpu, SLOT, 6, trace, 0);
	gpu_kernel_start(gpu, 1, trace, 0);
	gpu_run(gpu, 1000);
	gpu_set_block_order(gpu, GPU_ORDER_LEAKY_BUCKET);
	for (i = 0; i < 100 && !tenant->bucket_tokens; i++)
		gpu_run(gpu, gpu_now(gpu) + 300);
	assert_int_not_equal(tenant->next_queue, 0);
	assert_int_not_equal(tenant->next_sm, 0);
	assert_int_not_equal(tenant->bucket_tokens, 0);
	gpu_tenant_drop(gpu, SLOT);
	assert_int_equal(tenant->next_queue, 0);
	assert_int_equal(tenant->next_sm, 0);
	assert_int_equal(tenant->bucket_tokens, 0);
	assert_int_equal(tenant->bucket_capacity, 1);
	free(gpu);
	trace_free(trace);
}

/* --- what they do --------------------------------------------------------------------------- */

/* A mask that grows lets waiting thread blocks begin at the next boundary. */
static void a_wider_mask_is_seen_at_once(void **state)
{
	const u64 one[GPU_MASK_WORDS] = { 1 }, all[GPU_MASK_WORDS] = { 0xff };
	struct gpu_config config = small_config();
	struct trace *trace = trace_compute(1000, 3, 30000);
	struct gpu *gpu = gpu_make(&config);
	u32 i;

	own(gpu, 0, config.sms, SLOT);
	gpu_kernel_start(gpu, SLOT, trace, 0);
	gpu_queue_set_mask(gpu, SLOT, 0, one);
	gpu_run(gpu, 5000);
	for (i = 1; i < config.sms; i++)
		assert_int_equal(gpu_sm_blocks(gpu, i, SLOT), 0);
	gpu_queue_set_mask(gpu, SLOT, 0, all);
	gpu_run(gpu, 5000 + 2 * gpu_window(&config));
	for (i = 1; i < config.sms; i++)
		assert_int_equal(gpu_sm_blocks(gpu, i, SLOT), 8);
	free(gpu);
	trace_free(trace);
}

/* Lines that have other places now are in no directory and no mirror any more. */
static void new_channels_empty_what_stands_for_the_cache(void **state)
{
	struct trace *trace = trace_random(4000, 20, 2, 1 << 16);
	u32 mirrors, i, tags, used;

	for (mirrors = 0; mirrors < 2; mirrors++) {
		struct gpu_config config = small_config();
		const u32 *tag;
		struct gpu *gpu;

		config.atd_sampling = !mirrors;
		config.mirrors = mirrors;
		gpu = gpu_make(&config);
		own(gpu, 0, config.sms, 0);
		gpu_kernel_start(gpu, 0, trace, 0);
		gpu_run(gpu, 5000);
		tag = mirrors ? gpu->mirror_tags : gpu->atd_tags;
		tags = mirrors ? gpu->shape.mirror_sets * config.llc_ways :
				 config.llc_slices * config.llc_sets *
				 config.llc_ways;
		for (used = 0, i = 0; i < tags; i++)
			used += tag[i] != 0;
		assert_true(used > 100);
		gpu_set_channels(gpu, 0, 0x3);
		for (i = 0; i < tags; i++)
			assert_int_equal(tag[i], 0);
		free(gpu);
	}
	trace_free(trace);
}

/* The last instruction's worth of a quota is one, of its 32 lanes; none is none. */
static void a_quota_of_one_is_an_instruction(void **state)
{
	static const s64 left[] = { -1, 0, 1, 32, 33, 64, 65 };
	struct gpu_config config = small_config();
	struct trace *trace = trace_compute(8, 3, 30000);
	struct gpu_sm_tenant registers;
	u32 i;

	config.sms = 1;
	for (i = 0; i < ARRAY_SIZE(left); i++) {
		struct gpu *gpu = gpu_make(&config);
		s64 issued = left[i] > 0 ? (left[i] + 31) / 32 * 32 : 0;

		/* Alone on the SM, and with warps that are counted already. */
		gpu_sm_share(gpu, 0);
		gpu_kernel_start(gpu, SLOT, trace, 0);
		gpu_sm_set_quota(gpu, 0, SLOT, left[i], 0);
		gpu_run(gpu, 3000);
		gpu_sm_tenant(gpu, 0, SLOT, &registers);
		assert_in_range(registers.thread_instructions, issued,
				issued ? issued + 31 : 0);
		gpu_sm_set_quota(gpu, 0, SLOT, left[i], 0);
		gpu_run(gpu, 6000);
		gpu_sm_tenant(gpu, 0, SLOT, &registers);
		assert_true((s64)registers.thread_instructions >= 2 * issued);
		free(gpu);
	}
	trace_free(trace);
}

/* Each quota that is given is told once when it is out, whoever's it is. */
static void a_quota_is_told_each_time(void **state)
{
	struct gpu_config config = small_config();
	struct trace *trace = trace_compute(8, 3, 30000);
	struct gpu *gpu;
	u32 i;

	config.sms = 1;
	gpu = gpu_make(&config);
	gpu_sm_share(gpu, 0);
	gpu_watch_quotas(gpu, true);
	gpu_sm_set_quota(gpu, 0, SLOT, 640, 0);
	gpu_kernel_start(gpu, SLOT, trace, 0);
	for (i = 0; i < 4; i++) {
		gpu_run(gpu, gpu_now(gpu) + 10 * gpu_window(&config));
		assert_int_equal(gpu_take_quotas_out(gpu), 1ULL << SLOT);
		gpu_run(gpu, gpu_now(gpu) + 10 * gpu_window(&config));
		assert_int_equal(gpu_take_quotas_out(gpu), 0);
		/* So little that no boundary sees it. */
		gpu_sm_set_quota(gpu, 0, SLOT, 1, 0);
	}
	free(gpu);
	trace_free(trace);
}

/* Who waits for the room that a dropped one had gets it at the next boundary. */
static void room_of_the_dropped_is_given_at_once(void **state)
{
	struct gpu_config config = small_config();
	struct trace *trace = trace_compute(1000, 3, 30000);
	struct gpu *gpu;

	config.sms = 1;
	gpu = gpu_make(&config);
	gpu_sm_share(gpu, 0);
	gpu_kernel_start(gpu, SLOT, trace, 0);
	gpu_run(gpu, 1000);
	gpu_kernel_start(gpu, 1, trace, 0);
	gpu_run(gpu, 3000);
	assert_int_equal(gpu_sm_blocks(gpu, 0, SLOT), 8);
	assert_int_equal(gpu_sm_blocks(gpu, 0, 1), 0);
	gpu_tenant_drop(gpu, SLOT);
	gpu_run(gpu, 3000 + 2 * gpu_window(&config));
	assert_int_equal(gpu_sm_blocks(gpu, 0, 1), 8);
	free(gpu);
	trace_free(trace);
}

/* --- the pool of contexts -------------------------------------------------------------------- */

/* 24 GPUs full of a small one, 4 of a large one, between them 20480 warps. */
static void the_pool_holds_some_gpus_full(void **state)
{
	static const struct {
		u32 sms;
		u32 warps;
		u32 gpus;
	} cases[] = {
		{ 1, 64, 24 }, { 13, 64, 24 }, { 14, 64, 22 }, { 20, 64, 16 },
		{ 53, 64, 6 }, { 64, 64, 5 }, { 65, 64, 4 }, { 80, 64, 4 },
		{ 128, 64, 4 }, { 17, 48, 24 }, { 18, 48, 23 }, { 100, 48, 4 },
	};
	u32 i;

	for (i = 0; i < ARRAY_SIZE(cases); i++) {
		struct gpu_config config = small_config();
		struct gpu_shape shape;

		config.sms = cases[i].sms;
		config.warps_per_sm = cases[i].warps;
		config.registers_per_sm = 1024;
		config.shared_bytes_per_sm = 128;
		assert_int_equal(context_gpus(&config), cases[i].gpus);
		context_shape(&config, &shape);
		assert_int_equal(shape.saved_warps, cases[i].gpus *
				 cases[i].sms * cases[i].warps);
		assert_int_equal(shape.saved_blocks, cases[i].gpus *
				 cases[i].sms * config.blocks_per_sm);
	}
}

/* Or as many thread blocks as have a region of the save area, each an SM's context. */
static void every_block_of_the_pool_has_a_region(void **state)
{
	struct gpu_config config = small_config();
	struct gpu_shape shape;

	config.sms = 128;
	config.blocks_per_sm = 32;
	config.registers_per_sm = 1 << 20;
	config.shared_bytes_per_sm = 1 << 20;
	context_shape(&config, &shape);
	/* 5 MB are 40960 lines, and of 2^25 lines 819 have as many. */
	assert_int_equal(shape.saved_blocks, 819);
	/* A byte more is a line more. */
	config.registers_per_sm = (1 << 19) - 32;
	config.shared_bytes_per_sm = 0;
	context_shape(&config, &shape);
	assert_int_equal(shape.saved_blocks, (1 << 25) / (16384 - 1));
	config.shared_bytes_per_sm = 1;
	context_shape(&config, &shape);
	assert_int_equal(shape.saved_blocks, (1 << 25) / 16384);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(drivers_that_err_are_caught),
		cmocka_unit_test(masks_say_what_was_written),
		cmocka_unit_test(a_drop_leaves_no_register),
		cmocka_unit_test(a_drop_leaves_no_turn),
		cmocka_unit_test(a_wider_mask_is_seen_at_once),
		cmocka_unit_test(new_channels_empty_what_stands_for_the_cache),
		cmocka_unit_test(a_quota_of_one_is_an_instruction),
		cmocka_unit_test(a_quota_is_told_each_time),
		cmocka_unit_test(room_of_the_dropped_is_given_at_once),
		cmocka_unit_test(the_pool_holds_some_gpus_full),
		cmocka_unit_test(every_block_of_the_pool_has_a_region),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests_name("registers", tests, NULL, NULL);
}
