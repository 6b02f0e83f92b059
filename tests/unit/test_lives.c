// SPDX-License-Identifier: GPL-2.0
/*
 * Lives of small GPUs whose drivers do all that a driver may, at random, on configurations
 * that are seldom seen together: at each pause what is counted of tenants, SMs and channels
 * is the same, each thread block is somewhere, and in the end nothing is held any more.
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

#define TENANTS		4
#define QUEUES		2
#define STEPS		150

static struct trace *traces[5];

/*
 * struct life - a GPU, and what has happened on it
 * @resets: thread blocks may be dropped, which run twice then
 * @pauses: stop more often than the driver asks for
 * @work: by slot, thread instructions of kernels that have finished
 */
struct life {
	struct gpu *gpu;
	bool resets;
	bool pauses;
	const struct trace *running[TENANTS][QUEUES];
	u64 work[TENANTS];
};

static void set_nothing(struct gpu_config *config)
{
}

static void set_sectors(struct gpu_config *config)
{
	config->l1_sectors = 4;
	config->llc_sectors = 4;
	config->l1_write_allocate = GPU_ALLOCATE_LAZY;
	config->llc_write_allocate = GPU_ALLOCATE_LAZY;
	config->slice_arbitration = GPU_ARBITRATE_SM;
	config->noc_head_blocking = 1;
}

static void set_narrow(struct gpu_config *config)
{
	config->l1_mshrs = 5;
	config->sm_stores = 3;
	config->llc_mshrs = 3;
	config->llc_write_credits = 2;
	config->noc_queue_depth = 1;
	config->queue_entries = 4;
	config->write_drain_start = 3;
	config->write_drain_stop = 1;
	config->slice_arbitration = GPU_ARBITRATE_FIRST;
	config->noc_head_blocking = 1;
	config->slice_queue_flits = 5;
}

static void set_through(struct gpu_config *config)
{
	config->llc_sectors = 4;
	config->l1_mshrs = 7;
	config->llc_write_allocate = GPU_ALLOCATE_NONE;
	config->schedulers_per_sm = 4;
	config->warp_policy = GPU_WARP_LRR;
	config->l1c_sets = 2;
}

static void set_late(struct gpu_config *config)
{
	config->l1_sectors = 4;
	config->l1_mshrs = 6;
	config->noc_queue_depth = 2;
	config->noc_flit_bytes = 8;
	config->noc_head_blocking = 1;
	config->slice_queue_flits = 40;
	config->llc_write_allocate = GPU_ALLOCATE_ALWAYS;
	config->address_hash = GPU_HASH_IPOLY;
	config->free_contexts = 1;
}

static void set_mirrors(struct gpu_config *config)
{
	config->mirrors = 1;
	config->atd_sampling = 2;
	config->schedulers_per_sm = 1;
	config->poll_cycles = 30;
	config->channels = 3;
	config->llc_slices = 3;
	config->bank_groups = 1;
}

static void (*const kinds_of_gpu[])(struct gpu_config *config) = {
	set_nothing, set_sectors, set_narrow, set_through, set_late, set_mirrors,
};

/* --- what a driver does ---------------------------------------------------------------- */

static void hear(struct life *life)
{
	u64 slots = gpu_take_finished(life->gpu);
	u32 slot, queue;

	gpu_take_slices(life->gpu);
	gpu_take_quotas_out(life->gpu);
	for (slot = 0; slot < TENANTS; slot++) {
		u32 queues = slots >> slot & 1 ?
			     gpu_take_queues(life->gpu, slot) : 0;

		gpu_take_sliced_queues(life->gpu, slot);
		for (queue = 0; queue < QUEUES; queue++) {
			if (!(queues >> queue & 1))
				continue;
			life->work[slot] +=
				life->running[slot][queue]->kernels[0].instructions;
			life->running[slot][queue] = NULL;
		}
	}
}

static void run_to(struct life *life, u64 until)
{
	u64 now;

	while ((now = gpu_now(life->gpu)) < until) {
		if (life->pauses && until - now > 5)
			gpu_run(life->gpu, now + (until - now) / 3);
		else
			gpu_run(life->gpu, until);
		hear(life);
	}
}

static void start(struct life *life, u32 slot, u32 queue)
{
	const struct trace *trace = traces[random_below(ARRAY_SIZE(traces))];

	if (life->running[slot][queue])
		return;
	life->running[slot][queue] = trace;
	gpu_queue_start(life->gpu, slot, queue, trace, 0);
}

static void set_limits(struct life *life, u32 sm, u32 slot,
		       enum gpu_preemption mode)
{
	struct gpu *gpu = life->gpu;
	u32 queue = random_below(QUEUES);

	switch (random_below(4)) {
	case 0:
		gpu_sm_set_block_limit(gpu, sm, slot, random_below(5), mode);
		break;
	case 1:
		gpu_queue_set_issue_limit(gpu, slot, queue, random_below(9));
		break;
	case 2:
		gpu_set_shared_blocks(gpu, 1 + random_below(8));
		break;
	case 3:
		gpu_sm_set_quota(gpu, sm, slot, (s64)random_below(9000) - 900,
				 random_below(900));
		break;
	}
}

static void set_order(struct life *life, u32 slot)
{
	struct gpu *gpu = life->gpu;

	switch (random_below(6)) {
	case 0:
		gpu_set_block_order(gpu, random_below(4));
		break;
	case 1:
		gpu_set_rank(gpu, slot, random_below(3));
		break;
	case 2:
		gpu_queue_set_priority(gpu, slot, random_below(QUEUES),
				       (s32)random_below(7) - 3);
		break;
	case 3:
		gpu_set_memory_priority(gpu, slot, random_below(4));
		break;
	case 4:
		gpu_set_bucket(gpu, slot, 1 + random_below(9));
		break;
	case 5:
		gpu_set_worker_blocks(gpu, random_below(2) ? random_below(4) : 0);
		break;
	}
}

static void set_masks(struct life *life, u32 slot)
{
	const struct gpu_config *config = gpu_config(life->gpu);
	u32 queue = random_below(QUEUES);
	u64 sms[GPU_MASK_WORDS] = { random_below(256) };

	switch (random_below(4)) {
	case 0:
		gpu_set_channels(life->gpu, slot, 1 +
				 random_below((1U << config->channels) - 1));
		break;
	case 1:
		gpu_set_llc_ways(life->gpu, slot, 1 + random_below(0xffff));
		break;
	default:
		if (life->running[slot][queue])
			gpu_queue_set_mask(life->gpu, slot, queue, sms);
	}
}

static void move_sm(struct life *life, u32 sm, u32 slot, enum gpu_preemption mode)
{
	if (random_below(3))
		gpu_sm_assign(life->gpu, sm, random_below(6) ? slot :
			      GPU_NO_TENANT, mode);
	else
		gpu_sm_share(life->gpu, sm);
}

static void act(struct life *life)
{
	static const enum gpu_preemption modes[] = {
		GPU_PREEMPT_DRAIN, GPU_PREEMPT_SWITCH, GPU_PREEMPT_RESET,
	};
	u32 sm = random_below(gpu_config(life->gpu)->sms);
	u32 slot = random_below(TENANTS);
	enum gpu_preemption mode = modes[random_below(life->resets ? 3 : 2)];

	switch (random_below(8)) {
	case 0:
	case 1:
		start(life, slot, random_below(QUEUES));
		break;
	case 2:
	case 3:
		move_sm(life, sm, slot, mode);
		break;
	case 4:
		set_limits(life, sm, slot, mode);
		break;
	case 5:
		set_order(life, slot);
		break;
	case 6:
		set_masks(life, slot);
		break;
	case 7:
		gpu_set_idle_sampling(life->gpu, random_below(300));
		break;
	}
}

/* --- what holds meanwhile ---------------------------------------------------------------- */

/* Each that has begun has ended, is on an SM, or waits to go on. */
static void expect_each_block_somewhere(struct gpu *gpu)
{
	u32 slot, queue, i;

	for (slot = 0; slot < TENANTS; slot++) {
		struct gpu_kernel_status status;
		u32 here = 0, there = 0;

		for (queue = 0; queue < QUEUES; queue++) {
			gpu_queue_status(gpu, slot, queue, &status);
			/* Of one that was dropped the numbers stay. */
			if (!status.running)
				continue;
			here += status.blocks_issued - status.blocks_finished -
				status.blocks_preempted;
		}
		for (i = 0; i < gpu_config(gpu)->sms; i++)
			there += gpu_sm_blocks(gpu, i, slot);
		assert_int_equal(here, there);
	}
}

/* Of what SMs count, each belongs to a tenant: these counters, one by one. */
static const size_t of_both[] = {
#define AT(name)	offsetof(struct simgpu_counters, name)
	AT(thread_instructions), AT(warp_instructions), AT(l1_accesses),
	AT(l1_misses), AT(l1c_accesses), AT(l1c_misses),
	AT(l1_stores), AT(shared_accesses), AT(stall_memory_cycles),
	AT(stall_lsu_cycles), AT(stall_barrier_cycles),
	AT(stall_dependence_cycles), AT(stall_empty_cycles),
	AT(blocks_finished), AT(context_lines), AT(preempted_blocks),
	AT(idle_warp_samples), AT(idle_warps), AT(reset_blocks),
	AT(reset_warp_instructions), AT(reset_block_cycles),
};

static u64 counter(const struct simgpu_counters *counters, size_t offset)
{
	return *(const u64 *)((const char *)counters + offset);
}

static void expect_sums(struct gpu *gpu)
{
	u64 sums[2][ARRAY_SIZE(of_both)] = { { 0 } };
	struct simgpu_counters c;
	u32 n, i;

	for (n = 0; n < ARRAY_SIZE(of_both); n++) {
		for (i = 0; i < TENANTS; i++) {
			gpu_tenant_counters(gpu, i, &c);
			sums[0][n] += counter(&c, of_both[n]);
		}
		for (i = 0; i < gpu_config(gpu)->sms; i++) {
			gpu_sm_counters(gpu, i, &c);
			sums[1][n] += counter(&c, of_both[n]);
		}
		if (sums[0][n] != sums[1][n])
			fail_msg("counter %zu: %llu of tenants, %llu of SMs",
				 of_both[n] / 8, sums[0][n], sums[1][n]);
	}
}

/* A tenant's requests are those of all channels, and of each SM what it issued there. */
static void expect_parts_of_tenants(struct gpu *gpu)
{
	u32 slot, i;

	for (slot = 0; slot < TENANTS; slot++) {
		struct gpu_channel_counters sum = { 0 }, c;
		struct simgpu_counters tenant;
		struct gpu_sm_tenant on_sm;
		u64 instructions = 0, idle = 0;

		gpu_tenant_counters(gpu, slot, &tenant);
		for (i = 0; i < gpu_config(gpu)->channels; i++) {
			gpu_channel_counters(gpu, i, slot, &c);
			sum.requests += c.requests;
			sum.row_activates += c.row_activates;
			sum.bus_busy_clocks += c.bus_busy_clocks;
		}
		for (i = 0; i < gpu_config(gpu)->sms; i++) {
			gpu_sm_tenant(gpu, i, slot, &on_sm);
			instructions += on_sm.thread_instructions;
			idle += on_sm.idle_warps;
		}
		assert_int_equal(sum.requests,
				 tenant.dram_fills + tenant.dram_writebacks);
		assert_int_equal(sum.row_activates, tenant.row_activates);
		assert_int_equal(sum.bus_busy_clocks, tenant.bus_busy_clocks);
		assert_int_equal(instructions, tenant.thread_instructions);
		assert_int_equal(idle, tenant.idle_warps);
	}
}

/* What is counted of something is no more than that, and nothing is below zero. */
static void expect_shares(struct gpu *gpu)
{
	static const size_t shares[][2] = {
		{ AT(l1_misses), AT(l1_accesses) },
		{ AT(l1c_misses), AT(l1c_accesses) },
		{ AT(llc_misses), AT(llc_accesses) },
		{ AT(atd_accesses), AT(llc_accesses) },
		{ AT(atd_hits), AT(atd_accesses) },
		{ AT(mirror_accesses), AT(llc_accesses) },
		{ AT(row_interference), AT(row_activates) },
		{ AT(bank_active_clocks), AT(bank_busy_clocks) },
		{ AT(reset_warp_instructions), AT(warp_instructions) },
		{ AT(warp_instructions), AT(thread_instructions) },
	};
	struct simgpu_counters c;
	u32 slot, i;

	for (slot = 0; slot < TENANTS; slot++) {
		gpu_tenant_counters(gpu, slot, &c);
		for (i = 0; i < sizeof(c) / sizeof(u64); i++)
			if (((const u64 *)&c)[i] >> 40)
				fail_msg("counter %u is %llu", i,
					 ((const u64 *)&c)[i]);
		for (i = 0; i < ARRAY_SIZE(shares); i++)
			if (counter(&c, shares[i][0]) > counter(&c, shares[i][1]))
				fail_msg("share %u is more than the whole", i);
		assert_true(c.thread_instructions <= 32 * c.warp_instructions);
	}
}

static void expect_all(struct gpu *gpu)
{
	expect_shares(gpu);
	expect_each_block_somewhere(gpu);
	expect_sums(gpu);
	expect_parts_of_tenants(gpu);
}

/* --- what holds in the end --------------------------------------------------------------- */

/* Everything may run, and does to its end. */
static void let_all_end(struct life *life)
{
	const u64 all_channels = (1ULL << gpu_config(life->gpu)->channels) - 1;
	struct gpu *gpu = life->gpu;
	u32 i, slot, queue;

	gpu_set_worker_blocks(gpu, 0);
	gpu_set_block_order(gpu, GPU_ORDER_ROUND_ROBIN);
	gpu_set_shared_blocks(gpu, 32);
	gpu_set_idle_sampling(gpu, 0);
	for (slot = 0; slot < TENANTS; slot++) {
		gpu_set_channels(gpu, slot, all_channels);
		for (queue = 0; queue < QUEUES; queue++)
			gpu_queue_set_issue_limit(gpu, slot, queue, GPU_NO_LIMIT);
		for (i = 0; i < gpu_config(gpu)->sms; i++) {
			gpu_sm_set_quota(gpu, i, slot, GPU_NO_QUOTA, 0);
			gpu_sm_set_block_limit(gpu, i, slot, GPU_NO_LIMIT,
					       GPU_PREEMPT_DRAIN);
		}
	}
	for (i = 0; i < gpu_config(gpu)->sms; i++)
		gpu_sm_share(gpu, i);
	for (i = 0; i < 2000 && gpu->running; i++)
		run_to(life, gpu_now(gpu) + 5000);
	assert_int_equal(gpu->running, 0);
	run_to(life, gpu_now(gpu) + 50000);
}

static u32 list_length(const struct sm *sm, u32 first)
{
	u32 count = 0;

	for (; first != NO_MSHR; first = sm->mshr[first].next)
		count++;
	return count;
}

static void expect_idle_sm(const struct gpu *gpu, const struct sm *sm)
{
	u32 i;

	assert_int_equal(sm->blocks | sm->moving | sm->reserved, 0);
	assert_int_equal(sm->threads_used | sm->registers_used, 0);
	assert_int_equal(sm->shared_used, 0);
	assert_int_equal(hweight64(sm->free_warps), gpu->config.warps_per_sm);
	assert_int_equal(sm->ready | sm->sleeping | sm->held, 0);
	assert_int_equal(sm->lsu_waiters | sm->shared_waiters, 0);
	assert_int_equal(sm->store_waiters | sm->dependent, 0);
	assert_int_equal(sm->mshrs_used | sm->late_count | sm->late_loads, 0);
	assert_int_equal(list_length(sm, sm->mshr_free),
			 l1_entries(&gpu->config));
	assert_int_equal(list_length(sm, sm->store_free),
			 gpu->config.sm_stores);
	assert_int_equal(sm->lsu.next, sm->lsu.count);
	for (i = 0; i < SM_MSHR_BUCKETS; i++)
		assert_int_equal(sm->mshr_bucket[i], NO_MSHR);
	for (i = 0; i < gpu->config.warps_per_sm; i++)
		assert_int_equal(sm->warp_stores[i], 0);
}

static void expect_idle_memory(const struct gpu *gpu)
{
	u32 i, free, n;

	for (i = 0; i < gpu->config.llc_slices; i++) {
		const struct slice *slice = &gpu->slices[i];

		assert_int_equal(slice->request_count | slice->done_count, 0);
		assert_int_equal(slice->mshrs_used | slice->stalled, 0);
		assert_int_equal(slice->write_credits,
				 gpu->config.llc_write_credits);
		for (free = 0, n = slice->mshr_free; n != NONE; free++)
			n = slice->mshr[n].next;
		assert_int_equal(free, gpu->config.llc_mshrs);
	}
	for (i = 0; i < gpu->config.llc_slices * gpu->config.llc_sets; i++)
		assert_int_equal(gpu->llc[i].pending, 0);
	for (i = 0; i < gpu->config.channels; i++) {
		struct gpu_channel_status status;

		gpu_channel_status(gpu, i, &status);
		assert_int_equal(status.reads | status.writes, 0);
		assert_int_equal(status.arriving | status.slice_requests, 0);
		assert_int_equal(gpu->channels[i].pending, 0);
	}
}

static void expect_idle(const struct gpu *gpu)
{
	u32 i;

	for (i = 0; i < gpu->config.sms; i++)
		expect_idle_sm(gpu, &gpu->sms[i]);
	expect_idle_memory(gpu);
	for (i = 0; i < GPU_SLOTS_MAX; i++) {
		assert_int_equal(gpu->counts[i].loads, 0);
		assert_int_equal(gpu->counts[i].sms_active, 0);
	}
	assert_int_equal(gpu->pool.blocks_left, gpu->shape.saved_blocks);
	assert_int_equal(gpu->pool.warps_left, gpu->shape.saved_warps);
}

/* --- lives ------------------------------------------------------------------------------- */

static void live(struct life *life, u32 kind, u32 seed, bool resets, bool pauses,
		 void (*other)(struct life *life))
{
	struct gpu_config config = small_config();
	u32 step;

	config.sms = 6;
	kinds_of_gpu[kind](&config);
	*life = (struct life) {
		.gpu = gpu_make(&config), .resets = resets, .pauses = pauses,
	};
	random_state = 88172645463325252ULL + seed * 977 + kind;
	gpu_watch_quotas(life->gpu, true);
	for (step = 0; step < STEPS; step++) {
		u32 count = random_below(5);

		while (count--)
			act(life);
		if (other)
			other(life);
		run_to(life, gpu_now(life->gpu) + 1 + random_below(600));
		expect_all(life->gpu);
	}
}

/* Without drops and resets each instruction of each kernel is issued once. */
static void work_is_done_once_and_nothing_is_held(void **state)
{
	u32 kind, slot;

	for (kind = 0; kind < ARRAY_SIZE(kinds_of_gpu); kind++) {
		struct life life;

		live(&life, kind, 1, false, false, NULL);
		let_all_end(&life);
		expect_all(life.gpu);
		expect_idle(life.gpu);
		for (slot = 0; slot < TENANTS; slot++)
			assert_int_equal(counters_of(life.gpu, slot).thread_instructions,
					 life.work[slot]);
		free(life.gpu);
	}
}

/* Where the driver looks at the device changes nothing in it. */
static void pauses_do_not_show_in_any_life(void **state)
{
	u32 kind, pauses;

	for (kind = 0; kind < ARRAY_SIZE(kinds_of_gpu); kind++) {
		u64 hash[2];

		for (pauses = 0; pauses < 2; pauses++) {
			struct life life;

			live(&life, kind, 2, true, pauses, NULL);
			hash[pauses] = gpu_state_hash(life.gpu);
			let_all_end(&life);
			expect_idle(life.gpu);
			free(life.gpu);
		}
		assert_int_equal(hash[0], hash[1]);
	}
}

/* Now and then a tenant goes, in the midst of what it does, and another one comes. */
static void drop_one(struct life *life)
{
	u32 slot = random_below(TENANTS);

	if (random_below(6))
		return;
	gpu_tenant_drop(life->gpu, slot);
	memset(life->running[slot], 0, sizeof(life->running[slot]));
}

static void who_goes_leaves_nothing_held(void **state)
{
	u32 kind;

	for (kind = 0; kind < ARRAY_SIZE(kinds_of_gpu); kind++) {
		struct life life;

		live(&life, kind, 3, true, false, drop_one);
		let_all_end(&life);
		expect_all(life.gpu);
		expect_idle(life.gpu);
		free(life.gpu);
	}
}

static int make_traces(void **state)
{
	traces[0] = trace_compute(40, 3, 60);
	traces[1] = trace_copy(12, 5, 32);
	traces[2] = trace_copy(30, 2, 12);
	traces[3] = trace_varied(20, 2, 1 << 18);
	traces[4] = trace_random(16, 4, 5, 1 << 22);
	return 0;
}

static int free_traces(void **state)
{
	u32 i;

	for (i = 0; i < ARRAY_SIZE(traces); i++)
		trace_free(traces[i]);
	return 0;
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(work_is_done_once_and_nothing_is_held),
		cmocka_unit_test(pauses_do_not_show_in_any_life),
		cmocka_unit_test(who_goes_leaves_nothing_held),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests_name("lives", tests, make_traces,
					   free_traces);
}
