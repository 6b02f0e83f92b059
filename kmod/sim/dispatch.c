// SPDX-License-Identifier: GPL-2.0
/*
 * Issuing thread blocks to SMs: whether one fits, which is next, and what it
 * holds there until it ends. Preempted ones go before new ones. What happens on an
 * SM in a window is heard when the window is over (struct notice), as it was then
 * (struct place), and has a consequence a while later: the configuration's
 * dispatch_latency, which no window is longer than. What the driver does between
 * two calls of gpu_run() has it in the next cycle.
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

/* Whether an SM has room for one more thread block of a kernel. */
static bool block_fits(const struct gpu *gpu, u32 index,
		       const struct trace_kernel *kernel)
{
	const struct gpu_config *config = &gpu->config;
	const struct place *place = &gpu->places[index];

	return place->blocks < config->blocks_per_sm &&
	       place->warps + kernel->block_warps <= config->warps_per_sm &&
	       place->threads + kernel->block_threads <=
		       config->threads_per_sm &&
	       place->registers + registers_of(kernel) <=
		       config->registers_per_sm &&
	       place->shared + kernel->shared_bytes <=
		       config->shared_bytes_per_sm;
}

static void place_take(struct gpu *gpu, u32 index, u32 slot)
{
	const struct trace_kernel *kernel = gpu->tenants[slot].kernel;
	struct place *place = &gpu->places[index];

	place->blocks++;
	place->warps += kernel->block_warps;
	place->threads += kernel->block_threads;
	place->registers += registers_of(kernel);
	place->shared += kernel->shared_bytes;
	sm_tenant(gpu, index, slot)->placed++;
}

/* place_release() - free what a slot's thread block held of an SM */
void place_release(struct gpu *gpu, u32 index, u32 slot)
{
	const struct trace_kernel *kernel = gpu->tenants[slot].kernel;
	struct place *place = &gpu->places[index];

	place->blocks--;
	place->warps -= kernel->block_warps;
	place->threads -= kernel->block_threads;
	place->registers -= registers_of(kernel);
	place->shared -= kernel->shared_bytes;
	sm_tenant(gpu, index, slot)->placed--;
}

/* Send a slot's next thread block to an SM, where it begins at a cycle. */
static void send_block(struct gpu *gpu, u32 index, u32 slot, u64 at)
{
	struct tenant *tenant = &gpu->tenants[slot];
	struct sm *sm = &gpu->sms[index];
	u32 saved = context_take(gpu, slot), i = sm->arrivals++;

	place_take(gpu, index, slot);
	for (; i > 0 && sm->arrival[i - 1].at > at; i--)
		sm->arrival[i] = sm->arrival[i - 1];
	sm->arrival[i] = (struct arrival) {
		.at = at,
		.index = saved == NO_CONTEXT ? tenant->blocks_issued++ :
					       gpu->pool.blocks[saved].index,
		.saved = saved,
		.slot = slot,
	};
	sm->block_at = sm->arrival[0].at;
	sm_wake(sm, at);
}

/* Whether a slot is below its limit of thread blocks on an SM. */
static bool below_limit(const struct gpu *gpu, u32 index, u32 slot)
{
	const struct sm_tenant *tenant = sm_tenant(gpu, index, slot);

	return tenant->block_limit == GPU_NO_LIMIT ||
	       tenant->placed < tenant->block_limit;
}

static bool tenant_has_block(const struct tenant *tenant)
{
	return tenant->running && (tenant->blocks_preempted ||
				   tenant->blocks_issued < tenant->blocks);
}

/* Send one thread block to an SM if its owner has one and it fits. */
static bool try_send_block(struct gpu *gpu, u32 index, u64 at)
{
	const struct place *place = &gpu->places[index];
	const struct tenant *tenant;

	if (place->owner >= GPU_SLOTS_MAX || place->draining)
		return false;
	tenant = &gpu->tenants[place->owner];
	if (!tenant_has_block(tenant) ||
	    !block_fits(gpu, index, tenant->kernel) ||
	    !below_limit(gpu, index, place->owner))
		return false;
	send_block(gpu, index, place->owner, at);
	return true;
}

/*
 * Give a slot's SMs thread blocks, one an SM in turn, as GPUs do, so that a
 * small grid spreads over all of them.
 */
static void dispatch_blocks(struct gpu *gpu, u32 slot, u64 at)
{
	bool sent = true;
	u32 i;

	while (sent) {
		sent = false;
		for (i = 0; i < gpu->config.sms; i++)
			if (gpu->places[i].owner == slot &&
			    try_send_block(gpu, i, at))
				sent = true;
	}
}

/* --- shared SMs: whose thread block is next (STM 4.1) ----------------------------- */

static bool takes_from_all(const struct place *place)
{
	return place->owner == GPU_SHARED && !place->draining;
}

/* The first shared SM from @from on with room for a slot's block, or NONE. */
static u32 find_room(const struct gpu *gpu, u32 slot, u32 from)
{
	const struct tenant *tenant = &gpu->tenants[slot];
	u32 i;

	for (i = 0; i < gpu->config.sms; i++) {
		u32 index = (from + i) % gpu->config.sms;

		if (takes_from_all(&gpu->places[index]) &&
		    block_fits(gpu, index, tenant->kernel) &&
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
			if (!takes_from_all(&gpu->places[i]) ||
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

static void dispatch_shared(struct gpu *gpu, u64 at)
{
	u32 slot, sm;

	for (;;) {
		slot = gpu->block_order == GPU_ORDER_LEAKY_BUCKET ?
		       next_in_queue(gpu, &sm) : next_in_turn(gpu, &sm);
		if (slot == NONE)
			return;
		send_block(gpu, sm, slot, at);
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

/*
 * Issue the thread blocks of all slots in gpu->dispatch: they, or room for them,
 * came from somewhere else than their own SMs; and those of shared SMs.
 */
static void dispatch_all(struct gpu *gpu, u64 at)
{
	bool shared = gpu->dispatch || gpu->dispatch_shared;

	while (gpu->dispatch) {
		dispatch_blocks(gpu, lowest_bit(gpu->dispatch), at);
		gpu->dispatch &= gpu->dispatch - 1;
	}
	gpu->dispatch_shared = false;
	if (shared)
		dispatch_shared(gpu, at);
}

/*
 * dispatch_waiting() - issue the thread blocks for which the driver made room, or
 *	which it brought
 */
void dispatch_waiting(struct gpu *gpu)
{
	dispatch_all(gpu, gpu->now + 1);
}

/* --- what SMs say ------------------------------------------------------------------ */

/* A kernel ends when its last thread block is heard of. */
static void count_end(struct gpu *gpu, u32 slot, u64 at)
{
	struct tenant *tenant = &gpu->tenants[slot];

	if (++tenant->blocks_finished < tenant->blocks)
		return;
	tenant->ends_at = at + gpu->config.dispatch_latency;
	gpu->ending |= 1ULL << slot;
}

static void take_notice(struct gpu *gpu, u32 index, const struct notice *notice)
{
	struct place *place = &gpu->places[index];

	if (notice->kind == BLOCK_RESTORED) {
		context_free(gpu, notice->saved);
		return;
	}
	if (notice->kind == BLOCK_SAVED)
		context_queue(gpu, notice->slot, notice->saved);
	place_release(gpu, index, notice->slot);
	if (notice->kind == BLOCK_ENDED)
		count_end(gpu, notice->slot, notice->at);
	if (!place->blocks) {
		place->draining = 0;
		place->owner = gpu->sms[index].next_owner;
	}
	if (place->owner == GPU_SHARED)
		gpu->dispatch_shared = true;
	while (try_send_block(gpu, index,
			      notice->at + gpu->config.dispatch_latency))
		;
}

/* The earliest cycle of what SMs have to say, @from being heard already. */
static u64 next_notice(const struct gpu *gpu, const u8 *heard)
{
	u64 at = NEVER;
	u32 i;

	for (i = 0; i < gpu->config.sms; i++)
		if (heard[i] < gpu->sms[i].notices)
			at = sooner(at, gpu->sms[i].notice[heard[i]].at);
	return at;
}

/*
 * dispatch_notices() - hear what SMs have said in a window, cycle by cycle and SM
 *	by SM
 */
void dispatch_notices(struct gpu *gpu)
{
	u8 heard[GPU_SMS_MAX] = { 0 };
	u32 i;
	u64 at;

	while ((at = next_notice(gpu, heard)) != NEVER) {
		for (i = 0; i < gpu->config.sms; i++) {
			const struct sm *sm = &gpu->sms[i];

			while (heard[i] < sm->notices &&
			       sm->notice[heard[i]].at == at)
				take_notice(gpu, i, &sm->notice[heard[i]++]);
		}
		dispatch_all(gpu, at + gpu->config.dispatch_latency);
	}
	for (i = 0; i < gpu->config.sms; i++)
		gpu->sms[i].notices = 0;
}
