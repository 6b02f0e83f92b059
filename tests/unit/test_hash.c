// SPDX-License-Identifier: GPL-2.0
/*
 * The state hash: a busy device is changed field by field, and each change must
 * show. And guards: the hashes of a few runs, which say that a result changed.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <cmocka.h>

#include "device.h"
#include "find.h"
#include "small.h"
#include "traces.h"

/* --- a busy device ---------------------------------------------------------------- */

#define TENANTS		4
#define BLOCKS		2000

struct busy {
	struct gpu *gpu;
	struct trace *traces[TENANTS];
};

static void make_traces(struct busy *busy)
{
	busy->traces[0] = trace_varied(BLOCKS, 20, 1ULL << 26);
	busy->traces[1] = trace_random(BLOCKS, 200, 8, 1ULL << 26);
	busy->traces[2] = trace_compute(BLOCKS, 500, 100);
	busy->traces[3] = trace_copy(BLOCKS, 50, 16);
}

static struct gpu_config busy_config(void)
{
	struct gpu_config config = small_config();

	config.l1c_sets = 4;
	config.l1_mshrs = 32;
	config.l1_sectors = 4;
	config.atd_sampling = 4;
	config.mirrors = 1;
	/* Short queues, so that they are full. */
	config.noc_queue_depth = 2;
	config.noc_head_blocking = 1;
	config.slice_queue_flits = SLICE_QUEUE_MAX;
	config.sm_stores = 64;
	config.noc_latency = 4;
	config.llc_latency = 4;
	config.hardware_counters = 1;
	config.dram.trefi = 300;
	return config;
}

/* The same with banks that are refreshed in turn; several are at it at any time. */
static struct gpu_config in_turn_config(void)
{
	struct gpu_config config = busy_config();

	config.dram.trefi = 960;
	config.dram.trfc_bank = 200;
	config.dram.trrefd = 4;
	return config;
}

/*
 * Slots 0 to 2 share SMs, the last of them with two kernels; slot 3 has two SMs of
 * its own, of which it loses one. At first all run as they
 * like; then come limits, by which contexts are saved, and quotas.
 */
static void busy_make(struct busy *busy)
{
	static const u64 any_sm[GPU_MASK_WORDS] = { 0xff };
	struct gpu_config config = busy_config();
	struct gpu *gpu = gpu_make(&config);
	u32 i;

	busy->gpu = gpu;
	make_traces(busy);
	for (i = 0; i < 6; i++)
		gpu_sm_share(gpu, i);
	own(gpu, 6, 2, 3);
	gpu_set_worker_blocks(gpu, 3);
	gpu_set_block_order(gpu, GPU_ORDER_LEAKY_BUCKET);
	gpu_set_memory_priority(gpu, 1, 2);
	gpu_set_idle_sampling(gpu, 777);
	for (i = 0; i < TENANTS; i++) {
		gpu_set_bucket(gpu, i, i + 1);
		gpu_kernel_start(gpu, i, busy->traces[i], 0);
	}
	gpu_queue_start(gpu, 2, 5, busy->traces[1], 0);
	gpu_queue_set_mask(gpu, 2, 5, any_sm);
	gpu_run(gpu, 3000);
	for (i = 0; i < 6; i++)
		gpu_sm_set_quotas(gpu, i, 1ULL << i % 3, (const struct gpu_quota[]) {
			[0 ... 2] = { 4000, 900, i < 3 } });
	/* Its workers go on until they have looked at the flag. */
	gpu_sm_assign(gpu, 7, 0, GPU_PREEMPT_DRAIN);
}

/* Thread blocks leave by turns, and come back. */
static void busy_step(struct busy *busy, u32 step)
{
	u32 sm = step % 6, slot = step / 6 % 2;

	gpu_sm_set_block_limit(busy->gpu, sm, slot, 1 + step % 4,
			       GPU_PREEMPT_SWITCH);
	gpu_run(busy->gpu, gpu_now(busy->gpu) + 100 + step % 7);
}

static void busy_free(struct busy *busy)
{
	u32 i;

	for (i = 0; i < TENANTS; i++)
		trace_free(busy->traces[i]);
	free(busy->gpu);
}

/* --- changes ---------------------------------------------------------------------------- */

enum how {
	EACH,		/* each byte in turn: a few of its bits */
	FIRST,		/* the lowest bit: for links, flags and numbers of things */
	MORE,		/* one more */
	LESS,		/* one less */
	CLEAR,		/* the lowest bit that is set */
};

struct change {
	const char *name;
	const char *type;
	finder find;
	size_t offset;
	size_t bytes;
	enum how how;
};

/* What lies at an offset of what is found, which is no struct if @type is "". */
#define AT(how, find, type, offset, bytes) \
	{ #find " + " #offset, type, find, offset, bytes, how }
#define SIZE(type, field)	sizeof(((struct type *)0)->field)
#define FIELD(how, find, type, field) \
	{ #find "." #field, #type, find, offsetof(struct type, field), \
	  SIZE(type, field), how }

/* Everything that the hash names, but what only tells it how far to go. */
static const struct change changes[] = {
	FIELD(EACH, device, gpu, seed),
	FIELD(MORE, device, gpu, now),
	FIELD(EACH, device, gpu, memory_priority),
	FIELD(EACH, device, gpu, finished),
	FIELD(EACH, device, gpu, ending),
	FIELD(EACH, device, gpu, dispatch),
	FIELD(EACH, device, gpu, running),
	FIELD(EACH, device, gpu, bucket_full),
	FIELD(EACH, device, gpu, block_order),
	FIELD(EACH, device, gpu, shared_blocks),
	FIELD(EACH, device, gpu, worker_blocks),
	FIELD(EACH, device, gpu, config.poll_cycles),
	FIELD(EACH, device, gpu, config.free_contexts),
	FIELD(EACH, device, gpu, sliced),
	FIELD(FIRST, device, gpu, watch_quotas),
	FIELD(EACH, device, gpu, order_slot),
	FIELD(EACH, device, gpu, order_sm),
	FIELD(FIRST, device, gpu, dispatch_shared),
	FIELD(EACH, device, gpu, sample_at),
	FIELD(EACH, device, gpu, sample_interval),
	FIELD(EACH, device, gpu, limited),
	FIELD(EACH, device, gpu, quotas_out),
	FIELD(EACH, device, gpu, quotas_told),
	FIELD(EACH, device, gpu, starts),
	FIELD(EACH, grid, grid, started),
	FIELD(EACH, grid, grid, sms),
	FIELD(EACH, grid, grid, slice_told),
	FIELD(EACH, device, gpu, config.core_mhz),
	FIELD(EACH, device, gpu, config.warp_policy),
	FIELD(EACH, device, gpu, config.l1_hit_latency),
	FIELD(EACH, device, gpu, config.noc_latency),
	FIELD(EACH, device, gpu, config.row_hit_cap),
	FIELD(EACH, device, gpu, config.hardware_counters),
	FIELD(EACH, device, gpu, config.dram.trcd_read),
	FIELD(EACH, device, gpu, config.dram.read_to_write),

	FIELD(EACH, trace, trace, checksum),
	FIELD(EACH, trace, trace, bytes),
	FIELD(EACH, grid, grid, kernel_index),
	FIELD(EACH, grid, grid, blocks),
	FIELD(EACH, grid, grid, next_block),
	FIELD(MORE, grid, grid, returned),
	FIELD(EACH, grid, grid, blocks_finished),
	FIELD(EACH, grid, grid, ended_at),
	FIELD(EACH, grid, grid, issued_at),
	FIELD(EACH, grid, grid, issue_left),
	FIELD(EACH, second_grid, grid, issue_left),
	FIELD(EACH, tenant, tenant, sliced),
	FIELD(EACH, second_grid, grid, kernel_index),
	FIELD(EACH, second_grid, grid, blocks),
	FIELD(EACH, second_grid, grid, next_block),
	FIELD(MORE, second_grid, grid, returned),
	FIELD(EACH, second_grid, grid, blocks_finished),
	FIELD(EACH, second_grid, grid, ended_at),
	FIELD(EACH, second_grid, grid, issued_at),
	FIELD(FIRST, several, tenant, running),
	FIELD(EACH, several, tenant, finished),
	FIELD(EACH, several, tenant, ending),
	FIELD(EACH, several, tenant, next_queue),
	FIELD(EACH, several, tenant, rank),
	FIELD(EACH, several, tenant, priority),
	FIELD(FIRST, tenant, tenant, running),
	FIELD(EACH, tenant, tenant, generation),
	FIELD(EACH, tenant, tenant, next_sm),
	FIELD(EACH, tenant, tenant, bucket_tokens),
	FIELD(EACH, tenant, tenant, bucket_capacity),
	FIELD(EACH, tenant, tenant, channels),
	FIELD(EACH, tenant, tenant, closed_ways),
	FIELD(FIRST, grid, grid, masked), FIELD(FIRST, grid, grid, spins),
	FIELD(EACH, second_grid, grid, sms),
	FIELD(EACH, counts, tenant_counts, issue_slots),
	FIELD(EACH, counts, tenant_counts, loads),
	FIELD(EACH, counts, tenant_counts, sms_active),
	FIELD(EACH, counts, tenant_counts, counters),
	FIELD(LESS, queued, grid, blocks_preempted),
	FIELD(FIRST, queued, grid, saved_head),
	FIELD(FIRST, pool, context_pool, free_block),
	FIELD(EACH, pool, context_pool, blocks_left),
	FIELD(EACH, pool, context_pool, warps_left),
	FIELD(FIRST, saved_block, saved_block, next),
	FIELD(FIRST, saved_block, saved_block, first_warp),
	FIELD(EACH, saved_block, saved_block, index),
	FIELD(EACH, saved_block, saved_block, warps_left),
	FIELD(EACH, saved_block, saved_block, at_barrier),
	FIELD(EACH, saved_block, saved_block, issued),
	FIELD(EACH, saved_block, saved_block, cycles),
	FIELD(FIRST, saved_warp, saved_warp, next),
	FIELD(EACH, saved_warp, saved_warp, op),
	FIELD(EACH, saved_warp, saved_warp, left),
	FIELD(EACH, saved_warp, saved_warp, line),
	FIELD(EACH, saved_warp, saved_warp, accesses),
	FIELD(EACH, saved_warp, saved_warp, index),
	FIELD(FIRST, saved_warp, saved_warp, loop_depth),
	FIELD(EACH, saved_warp, saved_warp, at_barrier),
	FIELD(EACH, saved_loop, saved_warp, loop_index[0]),
	FIELD(EACH, returning_context, saved_block, index),
	FIELD(EACH, register_set, sm_tenant, block_limit),
	FIELD(EACH, register_set, sm_tenant, blocks),
	FIELD(EACH, register_set, sm_tenant, quota),
	FIELD(EACH, register_set, sm_tenant, refill),
	FIELD(EACH, register_set, sm_tenant, thread_instructions),
	FIELD(EACH, register_set, sm_tenant, idle_warp_samples),
	FIELD(EACH, register_set, sm_tenant, idle_warps),

	FIELD(EACH, sm, sm, owner),
	FIELD(EACH, sm, sm, next_owner),
	FIELD(EACH, sm, sm, blocks),
	FIELD(EACH, sm, sm, draining),
	FIELD(EACH, sm, sm, worker),
	FIELD(EACH, draining_sm, sm, asked_at),
	FIELD(EACH, sm, sm, mover),
	FIELD(EACH, sm, sm, moving),
	FIELD(EACH, sm, sm, quota_slots),
	FIELD(EACH, sm, sm, late_quotas),
	FIELD(EACH, late_load, warp_load, lanes),
	FIELD(EACH, doing_warp, warp, doing),
	FIELD(EACH, doing_warp, warp, done_at),
	FIELD(EACH, sm, sm, threads_used),
	FIELD(EACH, sm, sm, registers_used),
	FIELD(EACH, sm, sm, shared_used),
	FIELD(LESS, provided_sm, sm, reserved),
	FIELD(EACH, provided_sm, sm, reserve_grid),
	FIELD(EACH, provided_sm, sm, reserve[0]),
	FIELD(EACH, sm, sm, age),
	FIELD(EACH, sm, sm, owned_since),
	FIELD(EACH, sm, sm, split_to),
	FIELD(EACH, sm, sm, split_turn),
	FIELD(EACH, sm, sm, free_warps),
	FIELD(EACH, sm, sm, ready),
	FIELD(EACH, sm, sm, sleeping),
	FIELD(EACH, sm, sm, dependent),
	FIELD(EACH, sm, sm, lsu_waiters),
	FIELD(EACH, sm, sm, shared_waiters),
	FIELD(EACH, sm, sm, shared_at),
	FIELD(EACH, sm, sm, store_waiters),
	FIELD(EACH, sm, sm, held),
	FIELD(EACH, sm, sm, in_free),
	FIELD(EACH, sm, sm, out_free),
	FIELD(EACH, sm, sm, mshrs_used),
	FIELD(EACH, sm, sm, free_at[0]),
	FIELD(EACH, sm, sm, free_at[1]),
	FIELD(EACH, sm, sm, greedy[0]),
	FIELD(EACH, sm, sm, greedy[1]),
	FIELD(EACH, sm, sm, turn[1]),
	FIELD(EACH, sm, sm, scheduler[0].counted_to),
	FIELD(EACH, burst, scheduler, counted_to),
	FIELD(EACH, burst, scheduler, start),
	FIELD(MORE, burst, scheduler, count),
	FIELD(MORE, burst, scheduler, cycles),
	FIELD(EACH, burst, scheduler, counted),
	FIELD(EACH, burst, scheduler, lanes),
	FIELD(EACH, burst, scheduler, slot),
	FIELD(FIRST, block, block, used),
	FIELD(EACH, block, block, warps),
	FIELD(EACH, block, block, index),
	FIELD(EACH, block, block, slot),
	FIELD(EACH, second_block, block, grid),
	FIELD(EACH, block, block, warps_left),
	FIELD(EACH, block, block, at_barrier),
	FIELD(FIRST, block, block, state),
	FIELD(EACH, block, block, issued),
	FIELD(EACH, block, block, since),
	FIELD(EACH, moving_block, block, moved),
	FIELD(FIRST, moving_block, block, saved),
	FIELD(EACH, warp, warp, op),
	FIELD(EACH, warp, warp, left),
	FIELD(EACH, warp, warp, issued),
	FIELD(EACH, warp, warp, line),
	FIELD(EACH, warp, warp, accesses),
	FIELD(EACH, warp, warp, deadline),
	FIELD(FIRST, warp, warp, loop_depth),
	FIELD(EACH, warp, warp, block),
	FIELD(EACH, warp, warp, loads),
	FIELD(EACH, warp, warp, wait_load),
	FIELD(EACH, warp, warp, stall),
	FIELD(EACH, warp, warp, slot),
	FIELD(EACH, warp, warp, index),
	FIELD(EACH, warp, warp, load[0].ready),
	FIELD(EACH, warp, warp, load[0].pending),
	FIELD(EACH, loop_warp, warp, loop_index[0]),
	FIELD(EACH, loop_warp, warp, loop_index[1]),
	FIELD(EACH, warp_load, warp_load, ready),
	FIELD(EACH, warp_load, warp_load, deadline),
	FIELD(EACH, warp_load, warp_load, pending),
	AT(EACH, warp_age, "", 0, sizeof(u32)),
	AT(EACH, sleep_end, "", 0, sizeof(u64)),
	FIELD(EACH, mshr, mshr, line),
	FIELD(FIRST, mshr, mshr, waiters),
	FIELD(EACH, mshr, mshr, waiter[0]),
	/* Their bits: discard, hashed, l1 and five unused ones. */
	AT(FIRST, mshr, "mshr", offsetof(struct mshr, waiters) + 1, 1),
	AT(CLEAR, mshr, "mshr", offsetof(struct mshr, waiters) + 1, 1),
	FIELD(EACH, mshr, mshr, kind),
	FIELD(EACH, mshr, mshr, words),
	FIELD(EACH, mshr, mshr, sectors),
	FIELD(EACH, mshr, mshr, parts),
	FIELD(EACH, mshr, mshr, reserved),
	AT(FIRST, free_mshr, "", 0, 1),
	FIELD(EACH, store, mshr, line),
	FIELD(FIRST, store, mshr, waiters),
	FIELD(EACH, store, mshr, waiter[0]),
	FIELD(EACH, store, mshr, kind),
	AT(FIRST, free_store, "", 0, 1),
	AT(EACH, warp_stores, "", 0, sizeof(u16)),
	FIELD(LESS, late_sm, sm, late_count),
	AT(EACH, late, "", 0, sizeof(u16)),
	FIELD(EACH, replied_sm, sm, reply_at),
	FIELD(FIRST, reply, mshr, ready),
	FIELD(FIRST, reply, mshr, next_reply),
	FIELD(EACH, acked_sm, sm, ack_at),
	FIELD(FIRST, ack, mshr, ready),
	AT(EACH, taken_port, "", 0, sizeof(u64)),
	FIELD(LESS, lsu, lsu, count),
	FIELD(MORE, lsu, lsu, next),
	FIELD(EACH, lsu, lsu, kind),
	FIELD(EACH, lsu, lsu, warp),
	FIELD(EACH, lsu, lsu, load),
	FIELD(EACH, lsu, lsu, slot),
	FIELD(EACH, lsu, lsu, blocked),
	FIELD(EACH, lsu, lsu, words),
	AT(EACH, lsu, "lsu", offsetof(struct lsu, partial) + 3, 1),
	AT(EACH, lsu_line, "", 0, sizeof(u32)),
	AT(EACH, lsu_sectors, "", 0, 1),

	/* The order of the ways, and two of them. */
	AT(EACH, l1_words, "", 0, 16),
	AT(EACH, l1c_words, "", 0, 16),
	FIELD(EACH, slice, slice, in_free),
	FIELD(EACH, slice, slice, out_free),
	FIELD(EACH, slice, slice, request_at),
	FIELD(EACH, slice, slice, stalled),
	FIELD(EACH, slice, slice, turn),
	FIELD(EACH, slice, slice, write_credits),
	FIELD(EACH, slice, slice, mshrs_used),
	FIELD(EACH, slice, slice, left_in),
	FIELD(EACH, slice, slice, left_out),
	FIELD(EACH, slice, slice, room),
	AT(EACH, left, "", 0, sizeof(u64)),
	FIELD(FIRST, slice, slice, mshr_free),
	FIELD(LESS, asked_slice, slice, request_count),
	FIELD(FIRST, asked_slice, slice, request_head),
	FIELD(EACH, request, request, ready),
	FIELD(EACH, request, request, line),
	FIELD(EACH, request, request, kind),
	FIELD(EACH, request, request, sectors),
	FIELD(EACH, request, request, generation),
	FIELD(EACH, request, request, reply_flits),
	FIELD(EACH, request, request, flits),
	FIELD(EACH, request, request, set),
	FIELD(EACH, request, request, mail.sender),
	FIELD(EACH, request, request, mail.number),
	FIELD(EACH, sm_port, noc_port, free),
	FIELD(EACH, sm_port, noc_port, flits),
	FIELD(FIRST, sm_port, noc_port, waiting.head),
	FIELD(EACH, waiting_request, request, slice),
	FIELD(EACH, waiting_request, request, ready),
	FIELD(EACH, waiting_request, request, line),
	FIELD(EACH, waiting_request, request, flits),
	FIELD(EACH, slice_port, noc_port, free),
	FIELD(EACH, slice_port, noc_port, flits),
	FIELD(FIRST, slice_port, noc_port, waiting.head),
	/* Its departure and its flits, which share a word */
	AT(EACH, waiting_reply, "reply", sizeof(struct mail), sizeof(u32)),
	FIELD(EACH, waiting_reply, reply, mail.number),
	FIELD(EACH, waiting_reply, reply, mail.sender),
	FIELD(LESS, done_slice, slice, done_count),
	FIELD(EACH, done, dram_done, ready),
	FIELD(EACH, done, dram_done, tag),
	FIELD(EACH, done, dram_done, waited),
	FIELD(EACH, done, dram_done, bank_busy),
	FIELD(EACH, done, dram_done, bank_active),
	FIELD(EACH, done, dram_done, bus_wait),
	FIELD(EACH, done, dram_done, write),
	FIELD(EACH, done, dram_done, activated),
	FIELD(EACH, done, dram_done, reopened),
	FIELD(EACH, done, dram_done, sectors),
	FIELD(EACH, llc_mshr, llc_mshr, set),
	FIELD(EACH, llc_mshr, llc_mshr, way),
	FIELD(FIRST, llc_mshr, llc_mshr, waiters),
	FIELD(EACH, llc_mshr, llc_mshr, dirty),
	FIELD(EACH, llc_mshr, llc_mshr, generation),
	FIELD(EACH, llc_mshr, llc_mshr, next),
	FIELD(EACH, llc_mshr, llc_mshr, sector),
	FIELD(EACH, llc_mshr, llc_mshr, sm[0]),
	FIELD(EACH, llc_mshr, llc_mshr, flits[0]),
	FIELD(EACH, llc_mshr, llc_mshr, sm_mshr[0]),
	FIELD(EACH, llc_set, llc_set, order),
	FIELD(EACH, llc_set, llc_set, valid),
	FIELD(EACH, llc_set, llc_set, dirty),
	FIELD(EACH, llc_set, llc_set, pending),
	FIELD(EACH, llc_set, llc_set, tag),
	FIELD(EACH, pending_set, llc_set, mshr[0]),
	AT(EACH, atd_tags, "", 0, 16),
	AT(EACH, mirror_tags, "", 0, 16),

	FIELD(MORE, channel, channel, clock),
	FIELD(EACH, channel, channel, refresh_due),
	FIELD(EACH, channel, channel, open),
	FIELD(EACH, channel, channel, started),
	FIELD(EACH, channel, channel, mode),
	FIELD(EACH, channel, channel, next_mode),
	FIELD(EACH, channel, channel, oldest_window),
	FIELD(EACH, channel, channel, ranked),
	FIELD(EACH, channel, channel, age),
	FIELD(EACH, channel, channel, overdue_look),
	FIELD(EACH, channel, channel, next),
	FIELD(EACH, channel, channel, window),
	FIELD(EACH, channel, channel, want),
	FIELD(EACH, channel, channel, bank_next),
	FIELD(EACH, channel, channel, row),
	FIELD(EACH, channel, channel, owner),
	FIELD(EACH, channel, channel, owned_since),
	FIELD(EACH, channel, channel, closed_at),
	FIELD(EACH, channel, channel, served),
	FIELD(EACH, channel, channel, others),
	FIELD(EACH, channel, channel, fresh),
	FIELD(EACH, channel, channel, reopening[1]),
	FIELD(EACH, channel, channel, share[1][2]),
	FIELD(EACH, channel, channel, bus_data),
	FIELD(EACH, channel, channel, bus_others),
	AT(EACH, channel, "channel", offsetof(struct channel, tenant[1]),
	   offsetof(struct dram_tenant, held) + DRAM_BANKS_MAX),
	FIELD(EACH, mirror, channel, bank_next[0]),
	FIELD(EACH, mirror, channel, row),
	FIELD(EACH, queue, dram_queue, count),
	FIELD(CLEAR, queue, dram_queue, banks),
	FIELD(EACH, queue, dram_queue, capped),
	FIELD(EACH, queue, dram_queue, bypassed),
	FIELD(CLEAR, hit_queue, dram_queue, hit_banks),
	FIELD(EACH, entry, dram_entry, key),
	FIELD(EACH, entry, dram_entry, since),
	FIELD(EACH, entry, dram_entry, others_clocks),
	FIELD(EACH, entry, dram_entry, tag),
	FIELD(EACH, entry, dram_entry, activated),
	FIELD(EACH, entry, dram_entry, reopened),
	FIELD(EACH, entry, dram_entry, columns),
	FIELD(EACH, entry, dram_entry, sectors),
	FIELD(EACH, entry_link, dram_link, row),
	FIELD(EACH, mirror_entry, dram_entry, key),
	FIELD(LESS, inbox, channel, inbox[DRAM_READS].count),
	AT(EACH, arriving, "dram_request", 0, sizeof(struct dram_request)),
	AT(EACH, channel_counters, "gpu_channel_counters", 0, sizeof(struct gpu_channel_counters)),
	AT(EACH, sm_counters, "", 0, sizeof(struct simgpu_counters)),
	AT(EACH, sm_issue_slots, "", 0, sizeof(u64)),
};

/*
 * What the hash leaves out, and why; with the changes above that is every byte of every
 * struct, or every_byte_is_spoken_for() fails.
 */
#define APART(type, field) \
	{ #type "." #field, #type, offsetof(struct type, field), SIZE(type, field) }
static const struct {
	const char *name;
	const char *type;
	size_t offset;
	size_t bytes;
} apart[] = {
	/* Pointers and hooks, and what is behind them: its content is hashed. */
	APART(gpu, hook), APART(gpu, hook_context), APART(gpu, place_hook),
	APART(gpu, place_context), APART(gpu, handover_hook),
	APART(gpu, handover_context), APART(gpu, main), APART(gpu, view_of),
	APART(gpu, tenants), APART(gpu, grids), APART(gpu, channel_lists),
	APART(gpu, counts), APART(gpu, outbox), APART(gpu, reply_outbox),
	APART(gpu, cycles), APART(gpu, cycles_used), APART(gpu, sm_counters),
	APART(gpu, sm_issue_slots), APART(gpu, sm_tenants), APART(gpu, sms),
	APART(gpu, returned), APART(gpu, l1), APART(gpu, slices), APART(gpu, requests),
	APART(gpu, sm_ports), APART(gpu, slice_ports), APART(gpu, port_turns),
	APART(gpu, replies), APART(gpu, llc), APART(gpu, atd_tags),
	APART(gpu, request_stored), APART(gpu, llc_stored),
	APART(gpu, mirror_tags), APART(gpu, atd_sectors), APART(gpu, mirror_sectors), APART(gpu, channels), APART(gpu, channel_counters),
	APART(grid, trace), APART(grid, ops), APART(grid, kernel),
	APART(context_pool, blocks), APART(context_pool, warps),
	/* Computed from the configuration or from what is hashed: once, or again before use. */
	APART(gpu, shape), APART(gpu, limits), APART(gpu, bounded),
	APART(gpu, arrival_cycle), APART(gpu, arrival_clock), APART(block, position),
	APART(warp, grid), APART(sm, schedulers), APART(sm, mshr_bucket),
	APART(sm, late_loads), APART(llc_set, partial), APART(channel, inbox_mask),
	APART(channel, pending), APART(channel, key), APART(dram_queue, head),
	APART(dram_queue, tail), APART(dram_queue, hit), APART(dram_inbox, priorities),
	/* Of one call of gpu_run(), which may pause anywhere, and of its threads and windows. */
	APART(gpu, views), APART(gpu, view), APART(gpu, step), APART(gpu, step_end),
	APART(gpu, sms_done), APART(gpu, memory_done), APART(gpu, dispatch_due),
	APART(gpu, noticed), APART(gpu, yields_due), APART(gpu, handed),
	/* When to look next. A look that comes too early is harmless. */
	APART(sm, turn_at), APART(sm, next_sleeper), APART(slice, turn_at),
	APART(slice, done_at), APART(channel, turn_at), APART(channel, arrival),
	APART(channel, wake), APART(channel, look),
	/* Empty when gpu_run() returns: added to what is hashed. */
	APART(tenant_counts, blocks_ended), APART(tenant_counts, ended_at),
	APART(tenant_counts, issued_at), APART(scheduler, warp_instructions),
	APART(scheduler, thread_instructions), APART(scheduler, issue_slots),
	APART(scheduler, stalls), APART(lsu, accesses), APART(lsu, misses),
	APART(lsu, stores), APART(sm, notices), APART(sm, notice),
	/* For people, who are told when the window ends. */
	APART(sm, handed_to), APART(sm, handed_after),
	/* What late_quotas, and what warps have under way, say. */
	APART(sm, has_late), APART(sm, completing), APART(sm, complete_at),
	/* Links of lists, which are hashed in their order, and where a ring begins. */
	APART(grid, saved_tail), APART(context_pool, free_warp), APART(mshr, next),
	APART(sm, reply_head), APART(sm, reply_tail), APART(sm, ack_head),
	APART(sm, ack_tail), APART(sm, late_head), APART(sm, mshr_free),
	APART(sm, store_free), APART(slice, request_tail), APART(slice, done_head),
	APART(dram_queue, free), APART(dram_link, next), APART(dram_inbox, head),
	APART(request, mail), APART(reply, mail), APART(noc_port, waiting),
	/* Arrays and parts that are changed above by an element, or by themselves. */
	APART(gpu, config), APART(gpu, pool), APART(saved_warp, loop_index), APART(sm, free_at),
	APART(sm, greedy), APART(sm, turn), APART(sm, lsu), APART(sm, scheduler),
	APART(sm, warp_age), APART(sm, warp_wake), APART(sm, warp_stores),
	APART(sm, late), APART(sm, reserve), APART(sm, block), APART(sm, warp),
	APART(sm, mshr), APART(warp, loop_index), APART(warp, load),
	APART(mshr, waiter), APART(lsu, partial), APART(lsu, line),
	APART(lsu, sectors), APART(lsu, stored), APART(lsu, port_free), APART(slice, done), APART(slice, mshr),
	APART(slice, left),
	APART(llc_set, mshr), APART(llc_mshr, sm), APART(llc_mshr, flits),
	APART(llc_mshr, sm_mshr), APART(channel, inbox), APART(channel, reopening),
	APART(channel, share), APART(channel, tenant), APART(channel, queue),
	APART(channel, request), APART(dram_queue, link), APART(dram_queue, entry),
	APART(dram_inbox, count), APART(dram_tenant, since),
	APART(dram_tenant, bank_busy), APART(dram_tenant, bank_active),
	APART(dram_tenant, bus_wait), APART(dram_tenant, bus_data),
	APART(dram_tenant, banks), APART(dram_tenant, held),
	/* Of managed memory, whose state test_pager changes. */
	APART(gpu, managed), APART(gpu, managed_memory), APART(gpu, copies), APART(sm, faulted),
	APART(sm, has_faulted), APART(gpu, engines), APART(gpu, remote),
	/* Hashed while the clock is lowered: test_power.c. */
	APART(gpu, core_mhz), APART(gpu, unused3),
	/* Of banks that are refreshed in turn: turns_of_banks_show() changes it. */
	APART(channel, refresh_bank), APART(channel, closing), APART(channel, bank_due),
	/* Of preemption that costs time: test_switch_cost changes it. */
	APART(sm, yielding), APART(sm, yields_at), APART(sm, yields_to),
	APART(sm, context_at),
	/* Holes with a name. */
	APART(gpu, unused1), APART(gpu, unused2),
	APART(gpu, unused), APART(tenant, unused), APART(grid, unused),
	APART(saved_block, unused), APART(sm, unused1), APART(sm, unused2),
	APART(sm, unused3), APART(sm, unused4), APART(sm, unused5), APART(sm, unused6),
	APART(sm, unused7), APART(sm, unused8), APART(scheduler, unused),
	APART(block, unused),
	APART(noc_port, unused),
	APART(dram_queue, unused), APART(dram_link, unused),
	APART(dram_tenant, unused),
};

static const struct {
	const char *name;
	size_t bytes;
} types[] = {
#define TYPE(type)	{ #type, sizeof(struct type) }
	TYPE(gpu), TYPE(tenant), TYPE(grid), TYPE(tenant_counts),
	TYPE(context_pool), TYPE(saved_block), TYPE(saved_warp), TYPE(sm),
	TYPE(sm_tenant), TYPE(scheduler), TYPE(block), TYPE(warp),
	TYPE(warp_load), TYPE(mshr), TYPE(lsu), TYPE(slice), TYPE(llc_set),
	TYPE(llc_mshr), TYPE(request), TYPE(reply), TYPE(noc_port), TYPE(channel), TYPE(dram_queue),
	TYPE(dram_entry), TYPE(dram_link), TYPE(dram_inbox), TYPE(dram_tenant),
	TYPE(dram_request), TYPE(dram_done), TYPE(gpu_channel_counters),
};

static void cover(u8 *covered, const char *type, const char *of, size_t offset,
		  size_t bytes)
{
	if (!strcmp(type, of))
		memset(covered + offset, 1, bytes);
}

/* What grows has to be hashed, and changed above, or to be told why not. */
static void every_byte_is_spoken_for(void **state)
{
	u32 type, i;

	for (type = 0; type < ARRAY_SIZE(types); type++) {
		u8 *covered = calloc(1, types[type].bytes);
		const char *name = types[type].name;
		size_t byte;

		for (i = 0; i < ARRAY_SIZE(changes); i++)
			cover(covered, changes[i].type, name, changes[i].offset,
			      changes[i].bytes);
		for (i = 0; i < ARRAY_SIZE(apart); i++)
			cover(covered, apart[i].type, name, apart[i].offset,
			      apart[i].bytes);
		for (byte = 0; byte < types[type].bytes; byte++)
			if (!covered[byte])
				fail_msg("nothing is said of byte %zu of struct %s",
					 byte, name);
		free(covered);
	}
}

/* Change byte @byte of a field, or the whole of it. */
static void make_change(const struct change *change, u8 *field, size_t byte)
{
	u64 value = 0;

	if (change->how == EACH) {
		field[byte] ^= 0x51;
		return;
	}
	memcpy(&value, field, change->bytes);
	switch (change->how) {
	case FIRST:
		value ^= 1;
		break;
	case MORE:
		value++;
		break;
	case LESS:
		value--;
		break;
	default:
		value &= value - 1;
		break;
	}
	memcpy(field, &value, change->bytes);
}

/* With the red zones between its parts, which memcpy() may not touch. */
__attribute__((no_sanitize_address))
static void copy_device(void *to, const void *from, size_t bytes)
{
	volatile u64 *words = to;
	size_t i;

	for (i = 0; i < bytes / sizeof(*words); i++)
		words[i] = ((const u64 *)from)[i];
}

/* False: there is nothing of the kind in the device at this time. */
static bool try_change(struct gpu *gpu, const struct change *change,
		       const void *as_it_was, u64 hash)
{
	size_t bytes = gpu_bytes(&gpu->config), count, byte;
	u8 *found = change->find(gpu), *field = found + change->offset;
	u8 old[512];

	if (!found)
		return false;
	assert_true(change->bytes <= sizeof(old));
	memcpy(old, field, change->bytes);
	count = change->how == EACH ? change->bytes : 1;
	for (byte = 0; byte < count; byte++) {
		make_change(change, field, byte);
		if (gpu_state_hash(gpu) == hash)
			fail_msg("a change of byte %zu of %s does not show",
				 byte, change->name);
		memcpy(field, old, change->bytes);
		/* With another clock, channels have run. */
		if (change->how == MORE)
			copy_device(gpu, as_it_was, bytes);
	}
	if (gpu_state_hash(gpu) != hash)
		fail_msg("%s is not as it was", change->name);
	return true;
}

static void every_change_shows(void **state)
{
	bool seen[ARRAY_SIZE(changes)] = { false };
	struct gpu_config config = busy_config();
	size_t bytes = gpu_bytes(&config);
	void *as_it_was = malloc(bytes);
	struct busy busy;
	u32 step, i, left = ARRAY_SIZE(changes);

	busy_make(&busy);
	for (step = 0; left && step < 2000; step++) {
		u64 hash;

		busy_step(&busy, step);
		hash = gpu_state_hash(busy.gpu);
		copy_device(as_it_was, busy.gpu, bytes);
		for (i = 0; i < ARRAY_SIZE(changes); i++) {
			if (seen[i] || !try_change(busy.gpu, &changes[i],
						   as_it_was, hash))
				continue;
			seen[i] = true;
			left--;
		}
	}
	for (i = 0; i < ARRAY_SIZE(changes); i++)
		if (!seen[i])
			fail_msg("%s never was", changes[i].name);
	free(as_it_was);
	busy_free(&busy);
}

/* Not results: the name of the configuration, and how far channels run ahead. */
static void names_and_batches_do_not_show(void **state)
{
	struct busy busy;
	u64 hash;

	busy_make(&busy);
	hash = gpu_state_hash(busy.gpu);
	busy.gpu->config.name[0]++;
	busy.gpu->config.channel_batch_clocks++;
	assert_int_equal(gpu_state_hash(busy.gpu), hash);
	busy_free(&busy);
}

/* To look is no change: as often as one likes, at any time, for any batch. */
static void hashing_changes_nothing(void **state)
{
	static const u32 batches[] = { 1, 7, 16 };
	u64 first = 0;
	u32 i, step;

	for (i = 0; i < 2 * ARRAY_SIZE(batches); i++) {
		struct busy busy;

		busy_make(&busy);
		busy.gpu->config.channel_batch_clocks = batches[i / 2];
		for (step = 0; step < 200; step++) {
			busy_step(&busy, step);
			if (i % 2)
				gpu_state_hash(busy.gpu);
		}
		if (!i)
			first = gpu_state_hash(busy.gpu);
		assert_int_equal(gpu_state_hash(busy.gpu), first);
		busy_free(&busy);
	}
}

/* --- guards ------------------------------------------------------------------------------ */

static void memory_bound(struct busy *busy)
{
	own(busy->gpu, 0, 8, 1);
}

static void compute_bound(struct busy *busy)
{
	own(busy->gpu, 0, 8, 2);
}

static void partitioned(struct busy *busy)
{
	own(busy->gpu, 0, 4, 3);
	own(busy->gpu, 4, 4, 0);
}

static void shared(struct busy *busy)
{
	u32 i;

	for (i = 0; i < 8; i++)
		gpu_sm_share(busy->gpu, i);
}

static void switching(struct busy *busy)
{
	u32 i;

	own(busy->gpu, 0, 8, 3);
	gpu_run(busy->gpu, 3000);
	for (i = 0; i < 4; i++)
		gpu_sm_assign(busy->gpu, i, 1, GPU_PREEMPT_SWITCH);
}

/*
 * What a few runs of 20,000 cycles come to. A change that is meant to change no
 * result leaves these as they are. One that is meant to: look at why, then take
 * the numbers that the failed test prints, and give the reason in the commit.
 */
static const struct guard {
	const char *name;
	void (*place)(struct busy *busy);
	u64 hash;
} guards[] = {
	{ "memory_bound", memory_bound, 0xccb0cba3bb9eea49 },
	{ "compute_bound", compute_bound, 0xeaa91aa12549228f },
	{ "partitioned", partitioned, 0xb41faad5710765a1 },
	{ "shared", shared, 0x6d0dfa35acda133c },
	{ "switching", switching, 0x0ea93ab933cd0b50 },
};

static void results_are_as_they_were(void **state)
{
	u32 i, slot, failures = 0;

	for (i = 0; i < ARRAY_SIZE(guards); i++) {
		struct gpu_config config = small_config();
		struct busy busy = { .gpu = gpu_make(&config) };
		u64 hash;

		make_traces(&busy);
		for (slot = 0; slot < TENANTS; slot++)
			gpu_kernel_start(busy.gpu, slot, busy.traces[slot], 0);
		guards[i].place(&busy);
		gpu_run(busy.gpu, 20000);
		hash = gpu_state_hash(busy.gpu);
		if (hash != guards[i].hash) {
			print_message("# %s is 0x%016llx\n", guards[i].name,
				      hash);
			failures++;
		}
		busy_free(&busy);
	}
	assert_int_equal(failures, 0);
}

/* --- empty time ------------------------------------------------------------------------- */

static void count_refresh(void *context, u32 channel, u64 clock,
			  enum dram_command command, u32 bank, u32 row)
{
	*(u64 *)context += command == DRAM_REFRESH;
}

/* What decides when a bank is refreshed in its turn, and counts only where banks have turns. */
static void turns_of_banks_show(void **state)
{
	const struct gpu_config config = in_turn_config();
	struct gpu *gpu = gpu_make(&config);
	struct channel *channel = &gpu->channels[0];
	struct trace *trace = trace_copy(64, 4, 16);
	const struct {
		void *field;
		size_t bytes;
	} fields[] = {
		{ &channel->refresh_bank, sizeof(channel->refresh_bank) },
		{ &channel->closing, sizeof(channel->closing) },
		{ &channel->bank_due, sizeof(channel->bank_due) },
		{ &gpu->config.dram.trfc_bank, sizeof(gpu->config.dram.trfc_bank) },
		{ &gpu->config.dram.trrefd, sizeof(gpu->config.dram.trrefd) },
	};
	size_t i, byte;
	u64 hash;

	own(gpu, 0, 8, 0);
	gpu_kernel_start(gpu, 0, trace, 0);
	while (!channel->closing)
		gpu_run(gpu, gpu_now(gpu) + 10);
	hash = gpu_state_hash(gpu);
	for (i = 0; i < ARRAY_SIZE(fields); i++) {
		for (byte = 0; byte < fields[i].bytes; byte++) {
			u8 *at = (u8 *)fields[i].field + byte;

			*at ^= 0x51;
			assert_int_not_equal(gpu_state_hash(gpu), hash);
			*at ^= 0x51;
		}
	}
	assert_int_equal(gpu_state_hash(gpu), hash);
	gpu->config.dram.trfc_bank = 0;
	hash = gpu_state_hash(gpu);
	gpu->config.dram.trrefd++;
	channel->closing = 0;
	assert_int_equal(gpu_state_hash(gpu), hash);
	trace_free(trace);
	free(gpu);
}

static void run_kernel(struct gpu *gpu, const struct trace *trace)
{
	gpu_kernel_start(gpu, 0, trace, 0);
	while (!gpu_take_finished(gpu))
		gpu_run(gpu, gpu_now(gpu) + 1000);
}

/*
 * A channel that was idle makes up for its refreshes all at once, and who listens to its
 * commands hears of each: the device is the same after both.
 */
static void make_up_for_empty_time(const struct gpu_config config)
{
	struct trace *trace = trace_copy(64, 4, 16);
	u64 refreshes = 0, heard, gap;
	struct gpu *heard_of, *other;

	heard_of = gpu_make(&config);
	other = gpu_make(&config);
	gpu_set_command_hook(heard_of, count_refresh, &refreshes);
	own(heard_of, 0, 8, 0);
	own(other, 0, 8, 0);
	for (gap = 1; gap < 300000; gap += 1 + gap / 7) {
		run_kernel(heard_of, trace);
		run_kernel(other, trace);
		assert_int_equal(gpu_state_hash(heard_of),
				 gpu_state_hash(other));
		gpu_run(heard_of, gpu_now(heard_of) + gap);
		gpu_run(other, gpu_now(other) + gap);
	}
	heard = refreshes;
	run_kernel(heard_of, trace);
	run_kernel(other, trace);
	assert_int_equal(gpu_state_hash(heard_of), gpu_state_hash(other));
	/* All of the last gap, which nobody has looked at before. */
	assert_true(refreshes - heard > 2 * config.channels);
	trace_free(trace);
	free(heard_of);
	free(other);
}

static void empty_time_is_made_up_for(void **state)
{
	make_up_for_empty_time(busy_config());
	make_up_for_empty_time(in_turn_config());
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(empty_time_is_made_up_for),
		cmocka_unit_test(turns_of_banks_show),
		cmocka_unit_test(every_byte_is_spoken_for),
		cmocka_unit_test(every_change_shows),
		cmocka_unit_test(names_and_batches_do_not_show),
		cmocka_unit_test(hashing_changes_nothing),
		cmocka_unit_test(results_are_as_they_were),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests_name("hash", tests, NULL, NULL);
}
