// SPDX-License-Identifier: GPL-2.0
/*
 * Several kernels of one tenant at once, on a bare GPU: all their thread blocks run,
 * each once; what is counted is the tenant's; and the orders in which blocks of
 * several kernels are issued, block by block.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <cmocka.h>

#include "device.h"
#include "random.h"
#include "small.h"
#include "traces.h"

static struct gpu_kernel_status status_of(const struct gpu *gpu, u32 slot, u32 queue)
{
	struct gpu_kernel_status status;

	gpu_queue_status(gpu, slot, queue, &status);
	return status;
}

/* --- several kernels of a tenant -------------------------------------------------------- */

/* Run until nobody has a kernel; which queues of slot 0 ended, in order. */
static u32 run_out(struct gpu *gpu, u8 *order)
{
	u32 count = 0;

	while (gpu->running) {
		u32 queues;

		assert_true(gpu_now(gpu) < LONG_ENOUGH);
		gpu_run(gpu, LONG_ENOUGH);
		if (!(gpu_take_finished(gpu) & 1))
			continue;
		queues = gpu_take_queues(gpu, 0);
		assert_int_not_equal(queues, 0);
		for (; queues; queues &= queues - 1)
			order[count++] = (u8)__builtin_ctz(queues);
	}
	return count;
}

/* A long kernel that leaves most SMs idle, and short ones that get those. */
static void kernels_of_a_tenant_overlap(void **state)
{
	struct gpu_config config = small_config();
	struct trace *lengthy = trace_compute(2, 50, 400);
	struct trace *brief = trace_compute(3, 5, 100);
	struct gpu *gpu = gpu_make(&config);
	u8 order[GPU_QUEUES_MAX];
	u64 first;

	own(gpu, 0, config.sms, 0);
	gpu_queue_start(gpu, 0, 2, lengthy, 0);
	gpu_queue_start(gpu, 0, 7, brief, 0);
	gpu_queue_start(gpu, 0, 0, brief, 0);
	gpu_run(gpu, gpu_window(&config));
	assert_int_equal(status_of(gpu, 0, 2).blocks_issued, 2);
	assert_int_equal(status_of(gpu, 0, 7).blocks_issued, 3);
	assert_int_equal(status_of(gpu, 0, 0).blocks_issued, 3);
	assert_false(status_of(gpu, 0, 1).running);
	assert_int_equal(run_out(gpu, order), 3);
	assert_int_equal(order[2], 2);
	first = status_of(gpu, 0, 2).ended_at;
	assert_true(status_of(gpu, 0, 7).ended_at < first);
	assert_true(status_of(gpu, 0, 0).ended_at < first);
	assert_int_equal(counters_of(gpu, 0).kernels_finished, 3);
	assert_int_equal(counters_of(gpu, 0).blocks_finished, 8);
	assert_int_equal(counters_of(gpu, 0).warp_instructions,
			 8 * (2 * 50 * 400 + 2 * 3 * 5 * 100));
	free(gpu);
	trace_free(lengthy);
	trace_free(brief);
}

/* A kernel that comes later gets the SMs on which nothing runs, while there are any. */
static void the_emptiest_sms_go_first(void **state)
{
	struct gpu_config config = small_config();
	struct trace *two = trace_compute(2, 50, 400);
	struct trace *six = trace_compute(6, 50, 400);
	struct gpu *gpu = gpu_make(&config);
	u32 i;

	own(gpu, 0, config.sms, 0);
	gpu_queue_start(gpu, 0, 0, two, 0);
	gpu_run(gpu, gpu_window(&config));
	gpu_queue_start(gpu, 0, 1, six, 0);
	gpu_run(gpu, 2 * gpu_window(&config));
	for (i = 0; i < config.sms; i++)
		assert_int_equal(gpu_sm_blocks(gpu, i, 0), 1);
	free(gpu);
	trace_free(two);
	trace_free(six);
}

/* A kernel in another queue than the first takes as long, and counts as much. */
static void any_queue_will_do(void **state)
{
	struct gpu_config config = small_config();
	struct trace *trace = trace_copy(300, 10, 32);
	struct simgpu_counters first = { 0 }, counters;
	u64 cycles = 0;
	u32 queue;

	for (queue = 0; queue < GPU_QUEUES_MAX; queue += 7) {
		struct gpu *gpu = gpu_make(&config);
		u8 order[GPU_QUEUES_MAX];

		own(gpu, 0, config.sms, 0);
		gpu_queue_start(gpu, 0, queue, trace, 0);
		assert_int_equal(run_out(gpu, order), 1);
		counters = counters_of(gpu, 0);
		if (!queue) {
			first = counters;
			cycles = gpu_now(gpu);
		}
		assert_int_equal(gpu_now(gpu), cycles);
		assert_memory_equal(&counters, &first, sizeof(first));
		free(gpu);
	}
	trace_free(trace);
}

/* --- the order of thread blocks -------------------------------------------------------- */

#define ORDER_MAX	400

/* Grids whose thread blocks were issued one after the other; returns how many. */
static u32 order_of(struct gpu *gpu, u16 *order, u32 most)
{
	u32 had[GPU_SLOTS_MAX * GPU_QUEUES_MAX] = { 0 }, count = 0, i;

	while (count < most) {
		assert_true(gpu_now(gpu) < LONG_ENOUGH);
		gpu_run(gpu, gpu_now(gpu) + 1);
		gpu_take_finished(gpu);
		for (i = 0; i < ARRAY_SIZE(had); i++) {
			u32 issued = status_of(gpu, grid_slot(i),
					       grid_queue(i)).blocks_issued;

			for (; had[i] < issued; had[i]++)
				order[count++] = (u16)i;
		}
	}
	return count;
}

/* SMs that hold a block each. */
static struct gpu_config one_block_config(u32 sms)
{
	struct gpu_config config = small_config();

	config.sms = sms;
	config.blocks_per_sm = 1;
	return config;
}

static void share_all(struct gpu *gpu)
{
	u32 i;

	for (i = 0; i < gpu->config.sms; i++)
		gpu_sm_share(gpu, i);
}

static void expect_order(struct gpu *gpu, const u16 *expected, u32 count)
{
	u16 order[ORDER_MAX];
	u32 i;

	assert_int_equal(order_of(gpu, order, count), count);
	for (i = 0; i < count; i++)
		assert_int_equal(order[i], expected[i]);
}

#define G(slot, queue)	((slot) * GPU_QUEUES_MAX + (queue))

/* Queues of a tenant take turns as tenants do, on its own SMs and on shared ones. */
static void queues_take_turns(void **state)
{
	static const u16 alone[] = {
		G(0, 0), G(0, 3), G(0, 6), G(0, 0), G(0, 3), G(0, 6),
	};
	static const u16 both[] = {
		G(0, 0), G(1, 1), G(0, 3), G(1, 1), G(0, 6), G(1, 1), G(0, 0),
	};
	struct gpu_config config = one_block_config(1);
	struct trace *trace = trace_compute(40, 1, 2);
	u32 shared;

	for (shared = 0; shared < 2; shared++) {
		struct gpu *gpu = gpu_make(&config);

		gpu_queue_start(gpu, 0, 0, trace, 0);
		gpu_queue_start(gpu, 0, 3, trace, 0);
		gpu_queue_start(gpu, 0, 6, trace, 0);
		if (shared) {
			share_all(gpu);
			gpu_queue_start(gpu, 1, 1, trace, 0);
			expect_order(gpu, both, ARRAY_SIZE(both));
		} else {
			own(gpu, 0, 1, 0);
			expect_order(gpu, alone, ARRAY_SIZE(alone));
		}
		free(gpu);
	}
	trace_free(trace);
}

/* No block of a queue begins while one of a higher priority has any left. */
static void priorities_go_first(void **state)
{
	static const u16 expected[] = {
		G(0, 5), G(0, 5), G(0, 5), G(0, 0), G(0, 2), G(0, 0), G(0, 2),
		G(0, 0), G(0, 2), G(0, 1), G(0, 1), G(0, 1),
	};
	struct gpu_config config = one_block_config(1);
	struct trace *trace = trace_compute(3, 1, 2);
	struct gpu *gpu = gpu_make(&config);

	own(gpu, 0, 1, 0);
	gpu_queue_set_priority(gpu, 0, 1, -3);
	gpu_queue_set_priority(gpu, 0, 5, 3);
	gpu_queue_start(gpu, 0, 0, trace, 0);
	gpu_queue_start(gpu, 0, 1, trace, 0);
	gpu_queue_start(gpu, 0, 2, trace, 0);
	gpu_queue_start(gpu, 0, 5, trace, 0);
	expect_order(gpu, expected, ARRAY_SIZE(expected));
	free(gpu);
	trace_free(trace);
}

/* Left-over: each kernel gets what those before it leave, whoever's it is. */
static void leave_over(const u16 *started, bool shared)
{
	struct gpu_config config = one_block_config(1);
	struct trace *trace = trace_compute(3, 1, 2);
	struct gpu *gpu = gpu_make(&config);
	u16 expected[12];
	u32 i;

	gpu_set_block_order(gpu, GPU_ORDER_ARRIVAL);
	if (shared)
		share_all(gpu);
	else
		own(gpu, 0, 1, grid_slot(started[0]));
	for (i = 0; i < ARRAY_SIZE(expected); i++) {
		u16 grid = started[i / 3];

		if (i % 3 == 0)
			gpu_queue_start(gpu, grid_slot(grid), grid_queue(grid),
					trace, 0);
		expected[i] = grid;
	}
	expect_order(gpu, expected, ARRAY_SIZE(expected));
	free(gpu);
	trace_free(trace);
}

static void arrivals_leave_over(void **state)
{
	static const u16 of_three[] = { G(2, 0), G(0, 4), G(1, 0), G(0, 1) };
	static const u16 of_one[] = { G(2, 6), G(2, 0), G(2, 7), G(2, 3) };

	leave_over(of_three, true);
	leave_over(of_one, true);
	leave_over(of_one, false);
}

/*
 * What is in front waits until it fits, though another one's would: a large block
 * is not kept out by small ones that came later.
 */
static void the_first_waits_until_it_fits(void **state)
{
	struct gpu_config config = small_config();
	struct trace *small = trace_compute(60, 1, 3000);
	struct trace *large;
	struct builder *b = builder_new("large", "test");
	struct gpu *gpu;
	u32 order;

	builder_kernel(b, "large", 4, 1024, 32, 0);
	builder_compute(b, 10, 32);
	large = trace_of(b, 1 << 20);
	config.sms = 1;
	config.threads_per_sm = 1024;
	config.warps_per_sm = 32;
	for (order = GPU_ORDER_ROUND_ROBIN; order <= GPU_ORDER_ARRIVAL;
	     order += GPU_ORDER_ARRIVAL) {
		gpu = gpu_make(&config);
		share_all(gpu);
		gpu_set_block_order(gpu, order);
		gpu_kernel_start(gpu, 1, small, 0);
		gpu_run(gpu, gpu_window(&config));
		gpu_kernel_start(gpu, 0, large, 0);
		gpu_kernel_start(gpu, 2, small, 0);
		while (!status_of(gpu, 0, 0).blocks_issued) {
			assert_true(gpu_now(gpu) < LONG_ENOUGH);
			gpu_run(gpu, gpu_now(gpu) + gpu_window(&config));
			gpu_take_finished(gpu);
		}
		/* By turns, small ones fill each gap until there are none. */
		assert_int_equal(status_of(gpu, 1, 0).blocks_issued, 60);
		assert_int_equal(status_of(gpu, 2, 0).blocks_issued,
				 order == GPU_ORDER_ARRIVAL ? 0 : 60);
		free(gpu);
	}
	trace_free(small);
	trace_free(large);
}

/* By rank, then by priority of the queue, then as they came. */
static void ranks_go_first(void **state)
{
	static const u16 expected[] = {
		G(1, 2), G(1, 2), G(1, 0), G(1, 0), G(1, 1), G(1, 1),
		G(2, 0), G(2, 0), G(0, 0), G(0, 0),
	};
	struct gpu_config config = one_block_config(1);
	struct trace *trace = trace_compute(2, 1, 2);
	struct gpu *gpu = gpu_make(&config);

	share_all(gpu);
	gpu_set_block_order(gpu, GPU_ORDER_RANK);
	gpu_set_rank(gpu, 0, 7);
	gpu_set_rank(gpu, 2, 7);
	gpu_set_rank(gpu, 1, 3);
	gpu_queue_set_priority(gpu, 1, 2, 1);
	gpu_kernel_start(gpu, 2, trace, 0);
	gpu_kernel_start(gpu, 0, trace, 0);
	gpu_queue_start(gpu, 1, 0, trace, 0);
	gpu_queue_start(gpu, 1, 1, trace, 0);
	gpu_queue_start(gpu, 1, 2, trace, 0);
	expect_order(gpu, expected, ARRAY_SIZE(expected));
	free(gpu);
	trace_free(trace);
}

/* Who may place no block on any shared SM keeps nobody waiting. */
static void the_bounded_are_passed_over(void **state)
{
	static const u16 expected[] = { G(1, 0), G(1, 0), G(1, 0) };
	struct gpu_config config = one_block_config(2);
	struct trace *trace = trace_compute(3, 1, 2);
	struct gpu *gpu = gpu_make(&config);
	u32 i;

	share_all(gpu);
	gpu_set_block_order(gpu, GPU_ORDER_ARRIVAL);
	for (i = 0; i < config.sms; i++)
		gpu_sm_set_block_limit(gpu, i, 0, 0, GPU_PREEMPT_DRAIN);
	gpu_kernel_start(gpu, 0, trace, 0);
	gpu_kernel_start(gpu, 1, trace, 0);
	expect_order(gpu, expected, ARRAY_SIZE(expected));
	free(gpu);
	trace_free(trace);
}

/* --- anything at any time ---------------------------------------------------------------- */

#define SLOTS		4
#define KINDS		4

/*
 * struct storm - a device to which everything happens
 * @blocks: thread blocks of the kernels that each slot was given
 * @instructions: warp instructions of these
 * @slices: that have ended
 * @resets: thread blocks that were dropped
 */
struct storm {
	struct gpu *gpu;
	struct trace *traces[KINDS];
	u64 worth[KINDS];
	u64 blocks[SLOTS];
	u64 instructions[SLOTS];
	u64 slices;
	u64 resets;
};

static u64 work_of(const struct gpu_config *config, const struct trace *trace)
{
	struct gpu *gpu = run_alone(config, trace);
	u64 worth = counters_of(gpu, 0).warp_instructions;

	free(gpu);
	return worth;
}

/* Some SMs, channels or ways, perhaps none that the slot can use. */
static void mask_something(struct gpu *gpu, u32 slot)
{
	const u64 sms[GPU_MASK_WORDS] = { random_below(256) };
	u32 queue = random_below(GPU_QUEUES_MAX);

	switch (random_below(3)) {
	case 0:
		gpu_set_channels(gpu, slot, 1 + random_below(15));
		break;
	case 1:
		gpu_set_llc_ways(gpu, slot, 1 + random_below(65535));
		break;
	default:
		if (status_of(gpu, slot, queue).running)
			gpu_queue_set_mask(gpu, slot, queue, sms);
	}
}

/* Give an idle queue a kernel. */
static void begin_one(struct storm *storm)
{
	u32 slot = random_below(SLOTS), queue = random_below(GPU_QUEUES_MAX);
	u32 kind = random_below(KINDS);

	if (status_of(storm->gpu, slot, queue).running)
		return;
	gpu_queue_start(storm->gpu, slot, queue, storm->traces[kind], 0);
	storm->blocks[slot] += storm->traces[kind]->kernels[0].blocks;
	storm->instructions[slot] += storm->worth[kind];
}

static void disturb(struct storm *storm)
{
	struct gpu *gpu = storm->gpu;
	u32 sm = random_below(gpu->config.sms), slot = random_below(SLOTS);

	switch (random_below(9)) {
	case 0:
		gpu_sm_share(gpu, sm);
		break;
	case 1:
		gpu_sm_assign(gpu, sm, slot, random_below(3));
		break;
	case 2:
		gpu_sm_set_block_limit(gpu, sm, slot, random_below(4) ?
				       GPU_NO_LIMIT : 1, 1 + random_below(2));
		break;
	case 3:
		gpu_set_block_order(gpu, random_below(GPU_ORDER_RANK + 1));
		break;
	case 4:
		gpu_set_rank(gpu, slot, random_below(3));
		break;
	case 8:
		mask_something(gpu, slot);
		break;
	case 5:
		gpu_queue_set_priority(gpu, slot, random_below(GPU_QUEUES_MAX),
				       (s32)random_below(7) - 3);
		break;
	case 6:
		gpu_queue_set_issue_limit(gpu, slot, random_below(GPU_QUEUES_MAX),
					  random_below(3) ? random_below(30) :
					  GPU_NO_LIMIT);
		break;
	default:
		begin_one(storm);
	}
}

/* A step for the GPU, in one or several views. */
static void go_on(struct gpu *gpu, u64 cycles)
{
	u64 until = gpu_now(gpu) + cycles;
	u32 view;

	while (gpu_next_step(gpu, until) != GPU_STEP_DONE)
		for (view = gpu->views; view > 0; view--)
			gpu_take_step(gpu, view - 1);
}

/* Everybody may place blocks somewhere, until all have ended. */
static void finish_all(struct storm *storm)
{
	struct gpu *gpu = storm->gpu;
	u32 i, slot;

	share_all(gpu);
	for (i = 0; i < gpu->config.sms; i++)
		for (slot = 0; slot < SLOTS; slot++)
			gpu_sm_set_block_limit(gpu, i, slot, GPU_NO_LIMIT,
					       GPU_PREEMPT_DRAIN);
	for (i = 0; i < SLOTS * GPU_QUEUES_MAX; i++)
		gpu_queue_set_issue_limit(gpu, grid_slot(i), grid_queue(i),
					  GPU_NO_LIMIT);
	while (gpu->running) {
		assert_true(gpu_now(gpu) < LONG_ENOUGH);
		go_on(gpu, 5000);
		gpu_take_finished(gpu);
	}
}

static u64 blow(struct storm *storm, const struct gpu_config *config, u64 seed,
		u32 views)
{
	size_t bytes = gpu_view_bytes(config, views);
	void *memory = bytes ? aligned_alloc(64, (bytes + 63) & ~63UL) : NULL;
	u64 hash = 0, slots;
	u32 i;

	random_state = seed;
	storm->gpu = gpu_make(config);
	memset(storm->blocks, 0, sizeof(storm->blocks));
	memset(storm->instructions, 0, sizeof(storm->instructions));
	gpu_set_views(storm->gpu, memory, views);
	for (i = 0; i < 300; i++) {
		disturb(storm);
		if (random_below(2))
			go_on(storm->gpu, 1 + random_below(400));
		hash = hash_mix(hash, gpu_state_hash(storm->gpu));
		for (slots = gpu_take_finished(storm->gpu); slots;
		     slots &= slots - 1)
			gpu_take_queues(storm->gpu, (u32)__builtin_ctzll(slots));
		for (slots = gpu_take_slices(storm->gpu); slots;
		     slots &= slots - 1)
			storm->slices += hweight64((u64)gpu_take_sliced_queues(storm->gpu,
					  (u32)__builtin_ctzll(slots)));
	}
	finish_all(storm);
	for (i = 0; i < SLOTS; i++) {
		struct simgpu_counters counters = counters_of(storm->gpu, i);

		assert_int_equal(counters.blocks_finished, storm->blocks[i]);
		assert_int_equal(counters.warp_instructions -
				 counters.reset_warp_instructions,
				 storm->instructions[i]);
		storm->resets += counters.reset_blocks;
	}
	hash = hash_mix(hash, gpu_state_hash(storm->gpu));
	free(storm->gpu);
	free(memory);
	return hash;
}

/* Sectors, and short queues, so that requests wait in SMs. */
static void crowd(struct gpu_config *config)
{
	config->l1_sectors = 4;
	config->l1_write_allocate = GPU_ALLOCATE_LAZY;
	config->l1_mshrs = 32;
	config->sm_stores = 64;
	config->noc_queue_depth = 2;
}

/* No block is lost and none runs twice, and threads do not show. */
static void storms_lose_nothing(void **state)
{
	struct gpu_config config = small_config();
	struct storm storm = {
		.traces = {
			trace_compute(30, 2, 50), trace_copy(40, 3, 16),
			trace_random(25, 4, 4, 1 << 22), trace_stream(60, 2, 5),
		},
	};
	u64 seed;
	u32 i;

	for (i = 0; i < KINDS; i++)
		storm.worth[i] = work_of(&config, storm.traces[i]);
	for (seed = 1; seed <= 24; seed++) {
		u64 hash;

		if (seed == 7)
			crowd(&config);
		hash = blow(&storm, &config, seed * 7919, 1);
		assert_true(blow(&storm, &config, seed * 7919, 3) == hash);
	}
	print_message("# %u slices ended, %u blocks dropped\n",
		      (u32)storm.slices, (u32)storm.resets);
	assert_true(storm.resets > 100);
	assert_true(storm.slices > 0);
	for (i = 0; i < KINDS; i++)
		trace_free(storm.traces[i]);
}

/* Dropped in the midst: nothing of any kernel remains, and the slot is as new. */
static void a_drop_ends_all_kernels(void **state)
{
	struct gpu_config config = small_config();
	struct trace *trace = trace_copy(200, 20, 32);
	struct gpu *gpu = gpu_make(&config);
	u32 queue, i;

	own(gpu, 0, 4, 0);
	for (queue = 0; queue < GPU_QUEUES_MAX; queue++) {
		gpu_queue_set_priority(gpu, 0, queue, 1);
		gpu_queue_start(gpu, 0, queue, trace, 0);
	}
	gpu_run(gpu, 5000);
	own(gpu, 4, 4, 1);
	gpu_sm_assign(gpu, 0, 1, GPU_PREEMPT_SWITCH);
	gpu_run(gpu, 20000);
	gpu_tenant_drop(gpu, 0);
	for (i = 0; i < config.sms; i++)
		assert_int_equal(gpu_sm_blocks(gpu, i, 0), 0);
	for (queue = 0; queue < GPU_QUEUES_MAX; queue++) {
		assert_false(status_of(gpu, 0, queue).running);
		assert_int_equal(status_of(gpu, 0, queue).blocks_preempted, 0);
		assert_int_equal(gpu->tenants[0].priority[queue], 0);
	}
	assert_int_equal(gpu->pool.blocks_left, gpu->shape.saved_blocks);
	assert_int_equal(gpu->pool.warps_left, gpu->shape.saved_warps);
	own(gpu, 0, 4, 0);
	gpu_queue_start(gpu, 0, 1, trace, 0);
	while (!gpu_take_finished(gpu)) {
		assert_true(gpu_now(gpu) < LONG_ENOUGH);
		gpu_run(gpu, LONG_ENOUGH);
	}
	assert_int_equal(gpu_take_queues(gpu, 0), 2);
	free(gpu);
	trace_free(trace);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(kernels_of_a_tenant_overlap),
		cmocka_unit_test(the_emptiest_sms_go_first),
		cmocka_unit_test(any_queue_will_do),
		cmocka_unit_test(queues_take_turns),
		cmocka_unit_test(priorities_go_first),
		cmocka_unit_test(arrivals_leave_over),
		cmocka_unit_test(the_first_waits_until_it_fits),
		cmocka_unit_test(ranks_go_first),
		cmocka_unit_test(the_bounded_are_passed_over),
		cmocka_unit_test(storms_lose_nothing),
		cmocka_unit_test(a_drop_ends_all_kernels),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests_name("grids", tests, NULL, NULL);
}
