// SPDX-License-Identifier: GPL-2.0
/*
 * Issuing thread blocks to SMs: which is next, and where. Preempted ones go before
 * new ones. That happens between windows: at each multiple of gpu_window() cycles,
 * and where the driver has changed something. So that an SM need not wait when a
 * block ends in between, it is given a few beforehand; where a kernel has none
 * left, all that did not begin go back and are given out anew. Only which SM runs
 * which block depends on that, but for the last ones of a kernel, which may begin
 * up to a window later.
 */
#include "sim.h"

u32 registers_of(const struct trace_kernel *kernel)
{
	return kernel->block_threads * kernel->registers_per_thread;
}

bool gpu_kernel_fits(const struct gpu_config *config,
		     const struct trace_kernel *kernel)
{
	return kernel->block_threads <= config->threads_per_sm &&
	       kernel->block_warps <= config->warps_per_sm &&
	       registers_of(kernel) <= config->registers_per_sm &&
	       kernel->shared_bytes <= config->shared_bytes_per_sm;
}

static u32 least_times(u32 most, u32 have, u32 need)
{
	return need && have / need < most ? have / need : most;
}

u32 gpu_kernel_blocks_per_sm(const struct gpu_config *config,
			     const struct trace_kernel *kernel)
{
	u32 blocks = config->blocks_per_sm;

	blocks = least_times(blocks, config->threads_per_sm,
			     kernel->block_threads);
	blocks = least_times(blocks, config->warps_per_sm, kernel->block_warps);
	blocks = least_times(blocks, config->registers_per_sm,
			     registers_of(kernel));
	return least_times(blocks, config->shared_bytes_per_sm,
			   kernel->shared_bytes);
}

/* below_limit() - whether a slot may have one more thread block on an SM */
bool below_limit(const struct gpu *gpu, u32 index, u32 slot)
{
	u32 limit = sm_tenant(gpu, index, slot)->block_limit;

	return limit == GPU_NO_LIMIT ||
	       gpu_sm_blocks(gpu, index, slot) < limit;
}

/* --- blocks that nobody has ---------------------------------------------------------- */

static u32 *returned_blocks(const struct gpu *gpu, u32 slot)
{
	return &gpu->returned[slot * gpu->config.sms * SM_RESERVE];
}

static bool has_new_block(const struct tenant *tenant)
{
	return tenant->returned || tenant->next_block < tenant->blocks;
}

static u32 take_new_block(const struct gpu *gpu, u32 slot)
{
	struct tenant *tenant = &gpu->tenants[slot];

	if (tenant->returned)
		return returned_blocks(gpu, slot)[--tenant->returned];
	return tenant->next_block++;
}

/*
 * dispatch_take_back() - take the thread blocks back that an SM has been given and
 *	that have not begun; those that it would begin last come out first
 */
void dispatch_take_back(struct gpu *gpu, u32 index)
{
	struct sm *sm = &gpu->sms[index];

	while (sm->reserved) {
		struct tenant *tenant = &gpu->tenants[sm->owner];

		returned_blocks(gpu, sm->owner)[tenant->returned++] =
			sm->reserve[sm->reserved - 1];
		sm->reserved--;
	}
}

static bool tenant_has_block(const struct tenant *tenant)
{
	return tenant->running &&
	       (tenant->blocks_preempted || has_new_block(tenant));
}

static void start_next(struct gpu *gpu, u32 index, u32 slot)
{
	u32 saved = context_take(gpu, slot);

	block_start(gpu, index, slot, saved == NO_CONTEXT ?
				      take_new_block(gpu, slot) :
				      gpu->pool.blocks[saved].index, saved);
}

/* --- SMs that have an owner ---------------------------------------------------------- */

static bool takes_from(const struct sm *sm, u32 slot)
{
	return sm->owner == slot && !sm->draining;
}

/* Start one thread block on an SM if there is one and it fits. */
static bool try_start_block(struct gpu *gpu, u32 index, u32 slot)
{
	const struct tenant *tenant = &gpu->tenants[slot];

	if (!tenant_has_block(tenant) ||
	    !block_fits(gpu, &gpu->sms[index], tenant->kernel) ||
	    !below_limit(gpu, index, slot))
		return false;
	start_next(gpu, index, slot);
	return true;
}

/*
 * Give a slot's SMs thread blocks, one an SM in turn, as GPUs do, so that a
 * small grid spreads over all of them.
 */
static void dispatch_blocks(struct gpu *gpu, u32 slot)
{
	bool started = true;
	u32 i;

	while (started) {
		started = false;
		for (i = 0; i < gpu->config.sms; i++)
			if (takes_from(&gpu->sms[i], slot) &&
			    try_start_block(gpu, i, slot))
				started = true;
	}
}

/* Give an SM a thread block beforehand, which is the last of its to begin. */
static void reserve_block(struct gpu *gpu, u32 slot, struct sm *sm)
{
	u32 i;

	for (i = sm->reserved++; i > 0; i--)
		sm->reserve[i] = sm->reserve[i - 1];
	sm->reserve[0] = take_new_block(gpu, slot);
}

/* As many as may begin before it is asked again, one an SM in turn. */
static void reserve_blocks(struct gpu *gpu, u32 slot)
{
	const struct tenant *tenant = &gpu->tenants[slot];
	u32 most, i;

	for (most = 1; most <= SM_RESERVE; most++) {
		for (i = 0; i < gpu->config.sms; i++) {
			struct sm *sm = &gpu->sms[i];

			if (!has_new_block(tenant))
				return;
			if (takes_from(sm, slot) && sm->reserved < most &&
			    sm->reserved < sm->blocks)
				reserve_block(gpu, slot, sm);
		}
	}
}

/* Hand out a slot's thread blocks to the SMs that it owns. */
static void dispatch_owned(struct gpu *gpu, u32 slot)
{
	const struct tenant *tenant = &gpu->tenants[slot];
	u32 i;

	if (tenant->next_block == tenant->blocks)
		for (i = 0; i < gpu->config.sms; i++)
			if (gpu->sms[i].owner == slot)
				dispatch_take_back(gpu, i);
	dispatch_blocks(gpu, slot);
	if (!tenant->blocks_preempted)
		reserve_blocks(gpu, slot);
}

/* --- shared SMs: whose thread block is next (STM 4.1) ----------------------------- */

static bool takes_from_all(const struct sm *sm)
{
	return sm->owner == GPU_SHARED && !sm->draining;
}

/* The first shared SM from @from on with room for a slot's block, or NONE. */
static u32 find_room(const struct gpu *gpu, u32 slot, u32 from)
{
	const struct tenant *tenant = &gpu->tenants[slot];
	u32 i;

	for (i = 0; i < gpu->config.sms; i++) {
		u32 index = (from + i) % gpu->config.sms;
		const struct sm *sm = &gpu->sms[index];

		if (takes_from_all(sm) && block_fits(gpu, sm, tenant->kernel) &&
		    below_limit(gpu, index, slot))
			return index;
	}
	return NONE;
}

/* Slots that have a block to issue and may have one more on some shared SM. */
static u64 slots_that_wait(const struct gpu *gpu)
{
	u64 waiting = 0, mask;
	u32 i;

	for (mask = gpu->running; mask; mask &= mask - 1) {
		u32 slot = lowest_bit(mask);

		if (!tenant_has_block(&gpu->tenants[slot]))
			continue;
		for (i = 0; i < gpu->config.sms; i++) {
			if (!takes_from_all(&gpu->sms[i]) ||
			    !below_limit(gpu, i, slot))
				continue;
			waiting |= 1ULL << slot;
			break;
		}
	}
	return waiting;
}

/* Let cycles of the algorithm pass until a bucket among @slots is full. */
static void fill_buckets(struct gpu *gpu, u64 slots)
{
	u32 cycles = U32_MAX;
	u64 mask;

	for (mask = slots; mask; mask &= mask - 1) {
		struct tenant *tenant = &gpu->tenants[lowest_bit(mask)];
		u32 left = tenant->bucket_tokens < tenant->bucket_capacity ?
			   tenant->bucket_capacity - tenant->bucket_tokens : 1;

		cycles = left < cycles ? left : cycles;
	}
	for (mask = slots; mask; mask &= mask - 1) {
		u32 slot = lowest_bit(mask);
		struct tenant *tenant = &gpu->tenants[slot];

		tenant->bucket_tokens += cycles;
		if (tenant->bucket_tokens < tenant->bucket_capacity)
			continue;
		tenant->bucket_tokens = 0;
		gpu->bucket_full |= 1ULL << slot;
	}
}

/* The slot at the head of the queue that the buckets fill, or NONE. */
static u32 queue_head(struct gpu *gpu)
{
	u64 slots = slots_that_wait(gpu);

	gpu->bucket_full &= slots;
	if (slots && !gpu->bucket_full)
		fill_buckets(gpu, slots);
	return slots ? lowest_bit(gpu->bucket_full) : NONE;
}

/* Whose block goes next and, in @sm, where; NONE: nobody's can. */
static u32 next_in_queue(struct gpu *gpu, u32 *sm)
{
	u32 slot = queue_head(gpu);

	if (slot == NONE)
		return NONE;
	*sm = find_room(gpu, slot, gpu->order_sm);
	if (*sm == NONE)
		return NONE;
	gpu->bucket_full &= ~(1ULL << slot);
	gpu->order_sm = (*sm + 1) % gpu->config.sms;
	return slot;
}

/* Likewise, when the slots take turns. */
static u32 next_in_turn(struct gpu *gpu, u32 *sm)
{
	u32 i;

	for (i = 0; i < GPU_SLOTS_MAX; i++) {
		u32 slot = (gpu->order_slot + i) % GPU_SLOTS_MAX;
		struct tenant *tenant = &gpu->tenants[slot];

		if (!tenant_has_block(tenant))
			continue;
		*sm = find_room(gpu, slot, tenant->next_sm);
		if (*sm == NONE)
			continue;
		gpu->order_slot = (slot + 1) % GPU_SLOTS_MAX;
		tenant->next_sm = (*sm + 1) % gpu->config.sms;
		return slot;
	}
	return NONE;
}

static void dispatch_shared(struct gpu *gpu)
{
	u32 slot, sm;

	for (;;) {
		slot = gpu->block_order == GPU_ORDER_LEAKY_BUCKET ?
		       next_in_queue(gpu, &sm) : next_in_turn(gpu, &sm);
		if (slot == NONE)
			return;
		start_next(gpu, sm, slot);
	}
}

void gpu_set_block_order(struct gpu *gpu, enum gpu_block_order order)
{
	gpu->block_order = order;
	gpu->dispatch_shared = true;
}

void gpu_set_bucket(struct gpu *gpu, u32 slot, u32 capacity)
{
	port_assert(capacity);
	gpu->tenants[slot].bucket_capacity = capacity;
}

/* --- when ---------------------------------------------------------------------------- */

/* Whether SMs have thread blocks of a slot that go back at the next window's end. */
static bool will_take_back(const struct gpu *gpu, u32 slot)
{
	const struct tenant *tenant = &gpu->tenants[slot];
	u32 i;

	if (tenant->next_block != tenant->blocks)
		return false;
	for (i = 0; i < gpu->config.sms; i++)
		if (gpu->sms[i].owner == slot && gpu->sms[i].reserved)
			return true;
	return false;
}

static void dispatch(struct gpu *gpu, u64 slots)
{
	for (slots &= gpu->running; slots; slots &= slots - 1)
		dispatch_owned(gpu, lowest_bit(slots));
	dispatch_shared(gpu);
	gpu->dispatch = 0;
	gpu->dispatch_shared = false;
}

/*
 * dispatch_waiting() - issue the thread blocks that the driver brought, or for
 *	which it made room
 */
void dispatch_waiting(struct gpu *gpu)
{
	if (gpu->dispatch || gpu->dispatch_shared)
		dispatch(gpu, gpu->dispatch);
	/* It may have changed more than that. */
	gpu->dispatch_due = true;
}

/*
 * dispatch_window() - issue thread blocks where others have ended
 *
 * Where none has, and nobody has changed anything, there is nothing to do that was
 * not done at the last window's end.
 */
void dispatch_window(struct gpu *gpu)
{
	u64 slots;

	if (!gpu->dispatch_due)
		return;
	dispatch(gpu, gpu->running);
	gpu->dispatch_due = false;
	for (slots = gpu->running; slots; slots &= slots - 1)
		gpu->dispatch_due |= will_take_back(gpu, lowest_bit(slots));
}

/* --- what SMs say of a window --------------------------------------------------------- */

static void hear_ends(struct gpu *gpu, u32 slot)
{
	struct tenant *tenant = &gpu->tenants[slot];
	u32 i;

	for (i = 0; i < gpu->views; i++) {
		struct tenant_counts *counts = &gpu->view_of[i]->counts[slot];

		gpu->dispatch_due |= counts->blocks_ended > 0;
		tenant->blocks_finished += counts->blocks_ended;
		tenant->ended_at = later(tenant->ended_at, counts->ended_at);
		counts->blocks_ended = 0;
		counts->ended_at = 0;
	}
	if (tenant->blocks_finished == tenant->blocks)
		gpu->ending |= 1ULL << slot;
}

/* The earliest cycle of what SMs have to say, but for what was @heard. */
static u64 next_notice(const struct gpu *gpu, const u8 *heard)
{
	u64 at = NEVER;
	u32 i;

	for (i = 0; i < gpu->config.sms; i++)
		if (heard[i] < gpu->sms[i].notices)
			at = sooner(at, gpu->sms[i].notice[heard[i]].at);
	return at;
}

static void hear(struct gpu *gpu, const struct notice *notice)
{
	if (notice->kind == BLOCK_SAVED)
		context_queue(gpu, notice->slot, notice->saved);
	else
		context_free(gpu, notice->saved);
}

/* Of contexts that were moved, cycle by cycle and SM by SM. */
static void hear_notices(struct gpu *gpu)
{
	u8 heard[GPU_SMS_MAX] = { 0 };
	u64 at;
	u32 i;

	while ((at = next_notice(gpu, heard)) != NEVER)
		for (i = 0; i < gpu->config.sms; i++)
			while (heard[i] < gpu->sms[i].notices &&
			       gpu->sms[i].notice[heard[i]].at == at)
				hear(gpu, &gpu->sms[i].notice[heard[i]++]);
	for (i = 0; i < gpu->config.sms; i++)
		gpu->sms[i].notices = 0;
	gpu->dispatch_due = true;
}

/*
 * dispatch_hear() - hear of the thread blocks that have ended in a window, and of
 *	those whose contexts were moved
 */
void dispatch_hear(struct gpu *gpu)
{
	bool noticed = false;
	u64 slots;
	u32 i;

	for (slots = gpu->running; slots; slots &= slots - 1)
		hear_ends(gpu, lowest_bit(slots));
	for (i = 0; i < gpu->views; i++) {
		noticed |= gpu->view_of[i]->noticed;
		gpu->view_of[i]->noticed = false;
	}
	if (noticed)
		hear_notices(gpu);
}
