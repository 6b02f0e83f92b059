// SPDX-License-Identifier: GPL-2.0
/*
 * Masks of channels, of ways of the last-level cache and of SMs, on a bare GPU: every
 * request, line and thread block keeps to them; a tenant with some of the channels has
 * what a GPU of these channels would give it; what is in other ways stays.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <cmocka.h>

#include "device.h"
#include "mask_checker.h"
#include "random.h"
#include "small.h"
#include "traces.h"

/* --- channels ---------------------------------------------------------------------------- */

/* A GPU with so many channels; a mask of none stands for all. */
static struct gpu *run_with(const struct gpu_config *config, u64 mask,
			    const struct trace *trace, u32 slot)
{
	struct gpu *gpu = gpu_make(config);

	if (mask)
		gpu_set_channels(gpu, slot, mask);
	own(gpu, 0, config->sms, slot);
	gpu_kernel_start(gpu, slot, trace, 0);
	finish(gpu, slot, NULL);
	gpu_run(gpu, gpu_now(gpu) + 20000);
	return gpu;
}

/* As many cycles, and the same counts, but for refreshes, which are of all channels. */
static void expect_like_smaller(const struct gpu_config *config, u64 mask,
				const struct trace *trace, u32 slot)
{
	struct gpu_config fewer = *config;
	struct simgpu_counters a, b;
	struct gpu *masked, *small;

	fewer.channels = hweight64(mask);
	fewer.llc_slices = config->llc_slices / config->channels * fewer.channels;
	/* As gpu_set_channels() says. */
	if (fewer.address_hash == GPU_HASH_IPOLY &&
	    fewer.channels & (fewer.channels - 1))
		fewer.address_hash = GPU_HASH_PAE;
	masked = run_with(config, mask, trace, slot);
	small = run_with(&fewer, 0, trace, slot);
	a = counters_of(masked, slot);
	b = counters_of(small, slot);
	a.refreshes = 0;
	b.refreshes = 0;
	assert_int_equal(ended(masked, slot), ended(small, slot));
	assert_true(a.dram_fills > 100);
	assert_memory_equal(&a, &b, sizeof(a));
	free(masked);
	free(small);
}

static void a_mask_is_a_smaller_gpu(void **state)
{
	static const u64 masks[] = { 0x1, 0xa, 0x7, 0xd, 0xf, 0x8 };
	struct trace *copy = trace_copy(64, 6, 16);
	struct trace *chance = trace_random(24, 8, 4, 1 << 22);
	struct gpu_config config = small_config();
	u32 hash, i;

	/* Ports that block take turns, by how many there are. */
	config.noc_head_blocking = 0;
	config.slice_queue_flits = 0;
	for (hash = GPU_HASH_PLAIN; hash <= GPU_HASH_IPOLY; hash++) {
		config.address_hash = hash;
		for (i = 0; i < ARRAY_SIZE(masks); i++) {
			expect_like_smaller(&config, masks[i], copy, 0);
			expect_like_smaller(&config, masks[i], chance, 63);
		}
	}
	/* Six channels, no power of two; sectors. */
	config.address_hash = GPU_HASH_PAE;
	config.channels = 6;
	config.llc_slices = 12;
	config.l1_sectors = 4;
	config.llc_sectors = 4;
	expect_like_smaller(&config, 0x2d, copy, 5);
	expect_like_smaller(&config, 0x15, chance, 1);
	trace_free(copy);
	trace_free(chance);
}

/* struct seen_row - lines of a row of a bank of a channel */
struct seen_row {
	u32 channel;
	u32 row;
	u8 bank;
	u32 slot;
	u32 lines;
};

static int compare_rows(const void *a, const void *b)
{
	return memcmp(a, b, offsetof(struct seen_row, slot));
}

/* Each row of each channel in the mask has as many lines as it can have, of one slot. */
static void rows_are_full_and_of_one_slot(void **state)
{
	static const u64 masks[] = { 0xf, 0x1, 0x6, 0xb, 0x4 };
	struct gpu_config config = small_config();
	struct gpu *gpu;
	const u32 rows = 3, per_channel = rows * config.row_lines * config.banks;
	struct seen_row *seen;
	u32 hash, slot, line, count, i;

	seen = calloc(ARRAY_SIZE(masks) * 4 * per_channel, sizeof(*seen));
	for (hash = GPU_HASH_PLAIN; hash <= GPU_HASH_IPOLY; hash++) {
		config.address_hash = hash;
		gpu = gpu_make(&config);
		count = 0;
		for (slot = 0; slot < ARRAY_SIZE(masks); slot++) {
			u32 channels = hweight64(masks[slot]);

			gpu_set_channels(gpu, slot, masks[slot]);
			for (line = 0; line < channels * per_channel; line++) {
				u32 at = slot << LINE_SLOT_SHIFT | line;
				struct seen_row *row = &seen[count++];

				memset(row, 0, sizeof(*row));
				row->channel = address_slice(gpu, at) /
					       gpu->shape.slices_per_channel;
				row->row = address_row(gpu, at, &row->bank);
				row->slot = slot;
				assert_true(masks[slot] >> row->channel & 1);
			}
		}
		qsort(seen, count, sizeof(*seen), compare_rows);
		for (i = 0; i < count; i++) {
			u32 first = i / config.row_lines * config.row_lines;

			assert_int_equal(compare_rows(&seen[i], &seen[first]), 0);
			assert_int_equal(seen[i].slot, seen[first].slot);
			if (i && first == i)
				assert_int_not_equal(compare_rows(&seen[i],
								  &seen[i - 1]),
						     0);
		}
		free(gpu);
	}
	free(seen);
}

/* --- everything at any time --------------------------------------------------------------- */

static u64 random_mask(u32 bits)
{
	u64 all = (1ULL << bits) - 1;
	u64 mask = (((u64)random_below(1U << 16) << 16) |
		    random_below(1U << 16)) & all;

	return mask ? mask : 1ULL << random_below(bits);
}

/* What was asked of channels that a slot may not use. */
static u64 requests_outside(const struct gpu *gpu, u32 slot)
{
	struct gpu_channel_counters counters;
	u64 requests = 0;
	u32 i;

	for (i = 0; i < gpu->config.channels; i++) {
		if (gpu_channels(gpu, slot) >> i & 1)
			continue;
		gpu_channel_counters(gpu, i, slot, &counters);
		requests += counters.requests;
	}
	return requests;
}

/* Masks change under load: nobody asks a channel, or fills a way, that is not his. */
static void masks_hold_while_they_change(const struct gpu_config *config, u64 seed)
{
	struct trace *traces[] = {
		trace_copy(2000, 20, 16), trace_random(2000, 20, 8, 1 << 23),
		trace_stream(2000, 20, 5), trace_copy(2000, 20, 32),
	};
	u64 outside[ARRAY_SIZE(traces)] = { 0 };
	struct gpu *gpu = gpu_make(config);
	struct mask_checker checker;
	u32 round, slot;

	random_state = seed;
	mask_checker_follow(&checker, gpu);
	for (slot = 0; slot < ARRAY_SIZE(traces); slot++) {
		own(gpu, slot * 2, 2, slot);
		gpu_kernel_start(gpu, slot, traces[slot], 0);
	}
	for (round = 0; round < 60; round++) {
		slot = random_below(ARRAY_SIZE(traces));
		gpu_set_channels(gpu, slot, random_mask(config->channels));
		outside[slot] = requests_outside(gpu, slot);
		slot = random_below(ARRAY_SIZE(traces));
		gpu_set_llc_ways(gpu, slot, (u32)random_mask(config->llc_ways));
		gpu_run(gpu, gpu_now(gpu) + 1 + random_below(1500));
		for (slot = 0; slot < ARRAY_SIZE(traces); slot++)
			assert_int_equal(requests_outside(gpu, slot),
					 outside[slot]);
	}
	assert_true(checker.requests > 5000);
	assert_true(checker.fills > 5000);
	/* They went on meanwhile. */
	for (slot = 0; slot < ARRAY_SIZE(traces); slot++)
		assert_true(counters_of(gpu, slot).dram_fills > 500);
	free(gpu);
	for (slot = 0; slot < ARRAY_SIZE(traces); slot++)
		trace_free(traces[slot]);
}

static void every_request_and_fill_keeps_to_its_mask(void **state)
{
	struct gpu_config config = small_config();
	u64 seed;

	for (seed = 1; seed <= 4; seed++) {
		config.address_hash = (u32)seed % 3;
		config.slice_arbitration = (u32)seed % 3;
		config.llc_write_allocate = seed == 2 ? GPU_ALLOCATE_ALWAYS :
					    seed == 3 ? GPU_ALLOCATE_NONE :
					    GPU_ALLOCATE_FETCH;
		config.llc_sectors = seed == 3 ? 4 : 1;
		masks_hold_while_they_change(&config, seed * 104729);
	}
}

/* The checker would see it. */
static void the_checker_sees(void **state)
{
	struct gpu_config config = small_config();
	struct trace *trace = trace_copy(64, 6, 16);
	struct gpu *gpu = gpu_make(&config);
	struct mask_checker checker = { 0 };
	struct simgpu_counters counters;

	memset(checker.channels, 0xff, sizeof(checker.channels));
	memset(checker.ways, 0xff, sizeof(checker.ways));
	gpu_set_place_hook(gpu, mask_checker_see, &checker);
	own(gpu, 0, config.sms, 0);
	gpu_kernel_start(gpu, 0, trace, 0);
	finish(gpu, 0, NULL);
	gpu_run(gpu, gpu_now(gpu) + 20000);
	counters = counters_of(gpu, 0);
	assert_int_equal(checker.requests,
			 counters.dram_fills + counters.dram_writebacks);
	assert_int_equal(checker.blocks, 64);
	assert_true(checker.fills >= counters.dram_fills);
	free(gpu);
	trace_free(trace);
}

/* --- ways ------------------------------------------------------------------------------------ */

/* A slot that reads a small region again and again, beside one that reads all of memory. */
static struct simgpu_counters beside(const struct gpu_config *config, u32 mine,
				     u32 others, bool alone)
{
	struct trace *again = trace_random(4, 400, 1, 1 << 13);
	struct trace *all = trace_random(2000, 200, 8, 1 << 26);
	struct gpu *gpu = gpu_make(config);
	struct simgpu_counters counters;

	gpu_set_llc_ways(gpu, 0, mine);
	gpu_set_llc_ways(gpu, 1, others);
	own(gpu, 0, 1, 0);
	own(gpu, 1, config->sms - 1, 1);
	gpu_kernel_start(gpu, 0, again, 0);
	if (!alone)
		gpu_kernel_start(gpu, 1, all, 0);
	finish(gpu, 0, NULL);
	counters = counters_of(gpu, 0);
	free(gpu);
	trace_free(again);
	trace_free(all);
	return counters;
}

/* With ways of its own nobody takes its lines: it misses once each, as alone. */
static void ways_keep_others_out(void **state)
{
	struct gpu_config config = small_config();
	struct simgpu_counters alone, apart, together;

	/* No L1 worth the name, so that all is asked of the last-level cache, and at once. */
	config.l1_sets = 1;
	config.l1_ways = 1;
	config.noc_head_blocking = 0;
	config.slice_queue_flits = 0;
	alone = beside(&config, 0x00ff, 0xff00, true);
	apart = beside(&config, 0x00ff, 0xff00, false);
	together = beside(&config, 0xffff, 0xffff, false);
	assert_int_equal(alone.llc_misses, (1 << 13) / GPU_LINE_BYTES);
	assert_int_equal(apart.llc_misses, alone.llc_misses);
	assert_true(together.llc_misses > 4 * apart.llc_misses);
}

/* What lies in a way that is closed now is still found there. */
static void hits_are_anywhere(void **state)
{
	struct gpu_config config = small_config();
	struct trace *trace = trace_random(4, 400, 1, 1 << 13);
	struct gpu *gpu = gpu_make(&config);
	u64 misses;

	config.l1_sets = 1;
	gpu_set_llc_ways(gpu, 0, 0x00ff);
	own(gpu, 0, 1, 0);
	gpu_kernel_start(gpu, 0, trace, 0);
	finish(gpu, 0, NULL);
	misses = counters_of(gpu, 0).llc_misses;
	gpu_set_llc_ways(gpu, 0, 0x8000);
	gpu_kernel_start(gpu, 0, trace, 0);
	finish(gpu, 0, NULL);
	assert_true(misses > 0);
	assert_int_equal(counters_of(gpu, 0).llc_misses, misses);
	free(gpu);
	trace_free(trace);
}

/* --- SMs ------------------------------------------------------------------------------------- */

static void mask_sms(struct gpu *gpu, u32 slot, u32 queue, u64 mask)
{
	const u64 sms[GPU_MASK_WORDS] = { mask };

	gpu_queue_set_mask(gpu, slot, queue, sms);
}

/* A kernel keeps to its SMs, with blocks given beforehand, too; another one to others. */
static void kernels_keep_to_their_sms(void **state)
{
	struct gpu_config config = small_config();
	struct trace *trace = trace_copy(300, 4, 32);
	struct gpu *gpu = gpu_make(&config);
	struct mask_checker checker;

	mask_checker_follow(&checker, gpu);
	own(gpu, 0, config.sms, 0);
	gpu_kernel_start(gpu, 0, trace, 0);
	mask_sms(gpu, 0, 0, 0x2c);
	checker.sms[0] = 0x2c;
	finish(gpu, 0, NULL);
	assert_int_equal(checker.blocks, 300);
	/* Side by side on one tenant's SMs. */
	gpu_queue_start(gpu, 0, 1, trace, 0);
	mask_sms(gpu, 0, 1, 0x03);
	gpu_queue_start(gpu, 0, 2, trace, 0);
	mask_sms(gpu, 0, 2, 0x0c);
	checker.sms[0] = 0x0f;
	while (gpu->running) {
		gpu_run(gpu, LONG_ENOUGH);
		gpu_take_finished(gpu);
	}
	assert_int_equal(checker.blocks, 900);
	/* The next kernel has none. */
	checker.sms[0] = 0;
	gpu_kernel_start(gpu, 0, trace, 0);
	gpu_run(gpu, gpu_now(gpu) + gpu_window(&config));
	assert_true(gpu_sm_blocks(gpu, 7, 0) > 0);
	free(gpu);
	trace_free(trace);
}

/* A mask without an SM that the slot may use does not count, until it has one. */
static void no_mask_keeps_a_kernel_from_running(void **state)
{
	struct gpu_config config = small_config();
	struct trace *trace = trace_compute(2000, 10, 50);
	struct gpu *gpu = gpu_make(&config);
	struct mask_checker checker;

	mask_checker_follow(&checker, gpu);
	own(gpu, 0, 2, 0);
	gpu_kernel_start(gpu, 0, trace, 0);
	mask_sms(gpu, 0, 0, 0xf0);
	gpu_run(gpu, 3000);
	assert_true(counters_of(gpu, 0).blocks_finished > 0);
	own(gpu, 4, 1, 0);
	gpu_run(gpu, gpu_now(gpu) + 1);
	checker.sms[0] = 0x10;
	gpu_run(gpu, gpu_now(gpu) + 20000);
	assert_int_equal(gpu_sm_blocks(gpu, 0, 0), 0);
	assert_true(gpu_sm_blocks(gpu, 4, 0) > 0);
	/* It is taken away: any will do again. */
	checker.sms[0] = 0;
	gpu_sm_assign(gpu, 4, 1, GPU_PREEMPT_SWITCH);
	finish(gpu, 0, NULL);
	assert_int_equal(counters_of(gpu, 0).blocks_finished, 2000);
	free(gpu);
	trace_free(trace);
}

/*
 * In each order: on shared SMs two tenants' masks overlap, and one whose mask leaves
 * it SMs of its own alone keeps nobody waiting on the shared ones.
 */
static void masks_hold_in_every_order(void **state)
{
	struct gpu_config config = small_config();
	struct trace *trace = trace_compute(100, 4, 50);
	enum gpu_block_order order;
	u32 i;

	for (order = GPU_ORDER_ROUND_ROBIN; order <= GPU_ORDER_RANK; order++) {
		struct gpu *gpu = gpu_make(&config);
		struct mask_checker checker;

		mask_checker_follow(&checker, gpu);
		gpu_set_block_order(gpu, order);
		for (i = 0; i < 6; i++)
			gpu_sm_share(gpu, i);
		own(gpu, 6, 2, 2);
		checker.sms[2] = 0x80;
		checker.sms[0] = 0x0f;
		checker.sms[1] = 0x3c;
		gpu_kernel_start(gpu, 2, trace, 0);
		gpu_kernel_start(gpu, 0, trace, 0);
		gpu_kernel_start(gpu, 1, trace, 0);
		for (i = 0; i < 3; i++)
			mask_sms(gpu, i, 0, checker.sms[i]);
		while (gpu->running) {
			assert_true(gpu_now(gpu) < LONG_ENOUGH);
			gpu_run(gpu, LONG_ENOUGH);
			gpu_take_finished(gpu);
		}
		assert_int_equal(checker.blocks, 300);
		/* Slot 2 had one SM; the others did not wait for it. */
		assert_true(ended(gpu, 1) < ended(gpu, 2));
		free(gpu);
	}
	trace_free(trace);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_mask_is_a_smaller_gpu),
		cmocka_unit_test(rows_are_full_and_of_one_slot),
		cmocka_unit_test(every_request_and_fill_keeps_to_its_mask),
		cmocka_unit_test(the_checker_sees),
		cmocka_unit_test(ways_keep_others_out),
		cmocka_unit_test(hits_are_anywhere),
		cmocka_unit_test(kernels_keep_to_their_sms),
		cmocka_unit_test(no_mask_keeps_a_kernel_from_running),
		cmocka_unit_test(masks_hold_in_every_order),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests_name("masks", tests, NULL, NULL);
}
