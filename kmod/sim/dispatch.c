// SPDX-License-Identifier: GPL-2.0
/*
 * Issuing thread blocks to SMs: which block is next, and on which SM. Preempted blocks go
 * before new ones.
 *
 * Blocks are issued between windows: at each multiple of gpu_window() cycles, and where
 * the driver has changed something. So that an SM need not wait for that when a block
 * ends in between, it has a few blocks in reserve. When a kernel has no other blocks left,
 * all reserves go back and are given out anew. Reserves only affect which SM runs
 * which block, except for a kernel's last blocks, which may begin up to a window later.
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

static bool has_new_block(const struct grid *grid)
{
	return grid->issue_left &&
	       (grid->returned || grid->next_block < grid->blocks);
}

/* Whether SMs have all blocks of a kernel that may begin. */
static bool none_may_begin(const struct grid *grid)
{
	return grid->next_block == grid->blocks || !grid->issue_left;
}

static u32 take_new_block(const struct gpu *gpu, u32 number)
{
	struct grid *grid = &gpu->grids[number];

	grid->issue_left -= grid->issue_left != GPU_NO_LIMIT;
	if (grid->returned)
		return returned_blocks(gpu, grid_slot(number))[--grid->returned];
	return grid->next_block++;
}

/*
 * dispatch_take_back() - take back the thread blocks in an SM's reserve; the one that
 *	would begin last comes out first
 */
void dispatch_take_back(struct gpu *gpu, u32 index)
{
	struct sm *sm = &gpu->sms[index];

	while (sm->reserved) {
		struct grid *grid = &gpu->grids[sm->reserve_grid];

		returned_blocks(gpu, sm->owner)[grid->returned++] =
			sm->reserve[sm->reserved - 1];
		grid->issue_left += grid->issue_left != GPU_NO_LIMIT;
		sm->reserved--;
	}
}

static bool grid_has_block(const struct gpu *gpu, u32 number)
{
	const struct grid *grid = &gpu->grids[number];

	return gpu->tenants[grid_slot(number)].running >> grid_queue(number) & 1 &&
	       (grid->blocks_preempted || has_new_block(grid));
}

/* A bit for each queue of a slot that has a block to issue. */
static u32 queues_that_wait(const struct gpu *gpu, u32 slot)
{
	u32 waiting = 0, mask;

	for (mask = gpu->tenants[slot].running; mask; mask &= mask - 1)
		if (grid_has_block(gpu, grid_number(slot, lowest_bit(mask))))
			waiting |= mask & -mask;
	return waiting;
}

static void start_next(struct gpu *gpu, u32 index, u32 number)
{
	u32 saved = context_take(gpu, number), block;

	if (saved == NO_CONTEXT) {
		block = take_new_block(gpu, number);
	} else {
		block = gpu->pool.blocks[saved].index;
		/* A dropped block begins from nothing. */
		if (!gpu->pool.blocks[saved].warps_left) {
			context_free(gpu, saved);
			saved = NO_CONTEXT;
		}
	}
	block_start(gpu, index, number, block, saved);
}

/* --- where --------------------------------------------------------------------------- */

/* Whether an SM gets the blocks of @owner: a slot for its own SMs, or GPU_SHARED. */
static bool takes_from(const struct sm *sm, u32 owner)
{
	return sm->owner == owner && !sm->draining;
}

/* Whether a slot may use an SM, now or when the SM has changed hands. */
static bool may_use(const struct gpu *gpu, u32 index, u32 slot)
{
	u32 owner = gpu->sms[index].next_owner;

	return owner == slot ||
	       (owner == GPU_SHARED && sm_tenant(gpu, index, slot)->block_limit);
}

static bool is_in_mask(const struct grid *grid, u32 index)
{
	return simgpu_has_bit(grid->sms, index);
}

/* A kernel's mask counts only while its slot may use one of the mask's SMs. */
static bool mask_counts(const struct gpu *gpu, u32 number)
{
	const struct grid *grid = &gpu->grids[number];
	u32 i;

	for (i = 0; grid->masked && i < gpu->config.sms; i++)
		if (is_in_mask(grid, i) && may_use(gpu, i, grid_slot(number)))
			return true;
	return false;
}

/*
 * Whether a kernel's block may begin on an SM, if it fits; @masked is what
 * mask_counts() returned for the kernel.
 */
static bool may_begin(const struct gpu *gpu, u32 index, u32 number, bool masked)
{
	return (!masked || is_in_mask(&gpu->grids[number], index)) &&
	       below_limit(gpu, index, grid_slot(number));
}

/*
 * The first SM of @owner, beginning with @from, that has room for a kernel's block, or
 * NONE. Of a slot's own SMs it is the first of those with the fewest blocks, so that its
 * kernels share an SM only if they have to.
 */
static u32 find_room(const struct gpu *gpu, u32 number, u32 owner, u32 from)
{
	const struct trace_kernel *kernel = gpu->grids[number].kernel;
	bool masked = mask_counts(gpu, number);
	u32 best = NONE, fewest = U32_MAX, i;

	for (i = 0; i < gpu->config.sms; i++) {
		u32 index = (from + i) % gpu->config.sms;
		const struct sm *sm = &gpu->sms[index];

		if (!takes_from(sm, owner) || sm->blocks >= fewest ||
		    !block_fits(gpu, sm, kernel) ||
		    !may_begin(gpu, index, number, masked))
			continue;
		if (owner == GPU_SHARED)
			return index;
		best = index;
		fewest = sm->blocks;
	}
	return best;
}

/* Whether a kernel may have one more block on some SM of @owner, if it fits. */
static bool may_place(const struct gpu *gpu, u32 number, u32 owner)
{
	bool masked = mask_counts(gpu, number);
	u32 i;

	for (i = 0; i < gpu->config.sms; i++)
		if (takes_from(&gpu->sms[i], owner) &&
		    may_begin(gpu, i, number, masked))
			return true;
	return false;
}

/* Queues of a slot with a block that may begin on some SM of @owner, if it fits. */
static u32 queues_for(const struct gpu *gpu, u32 slot, u32 owner)
{
	u32 queues = 0, mask;

	for (mask = queues_that_wait(gpu, slot); mask; mask &= mask - 1)
		if (may_place(gpu, grid_number(slot, lowest_bit(mask)), owner))
			queues |= mask & -mask;
	return queues;
}

/* --- the only kernel of a slot, on SMs of its own -------------------------------------- */

/*
 * Issue a kernel's thread blocks to its slot's SMs, one an SM in turn, as GPUs do, so
 * that a small grid spreads over all of them.
 */
static void dispatch_blocks(struct gpu *gpu, u32 number)
{
	const struct trace_kernel *kernel = gpu->grids[number].kernel;
	bool masked = mask_counts(gpu, number), started = true;
	u32 slot = grid_slot(number), i;

	while (started) {
		started = false;
		for (i = 0; i < gpu->config.sms; i++) {
			if (!takes_from(&gpu->sms[i], slot) ||
			    !grid_has_block(gpu, number) ||
			    !block_fits(gpu, &gpu->sms[i], kernel) ||
			    !may_begin(gpu, i, number, masked))
				continue;
			start_next(gpu, i, number);
			started = true;
		}
	}
}

/* Put a thread block into an SM's reserve, where it is the last to begin. */
static void reserve_block(struct gpu *gpu, u32 number, struct sm *sm)
{
	u32 i;

	for (i = sm->reserved++; i > 0; i--)
		sm->reserve[i] = sm->reserve[i - 1];
	sm->reserve[0] = take_new_block(gpu, number);
	sm->reserve_grid = number;
}

/* Whether an SM of a slot will begin one more of the slot's new thread blocks. */
static bool begins_more(const struct gpu *gpu, const struct sm *sm, u32 slot)
{
	return takes_from(sm, slot) ||
	       (gpu->worker_blocks && sm->owner == slot &&
		sm->reserved < workers_left(gpu, sm));
}

/* Fill the reserves with the blocks that may begin in a window, one an SM in turn. */
static void reserve_blocks(struct gpu *gpu, u32 number)
{
	const struct grid *grid = &gpu->grids[number];
	bool masked = mask_counts(gpu, number);
	u32 most, i;

	for (most = 1; most <= SM_RESERVE; most++) {
		for (i = 0; i < gpu->config.sms; i++) {
			struct sm *sm = &gpu->sms[i];

			if (!has_new_block(grid))
				return;
			if (begins_more(gpu, sm, grid_slot(number)) &&
			    sm->reserved < most && sm->reserved < sm->blocks &&
			    (!masked || is_in_mask(grid, i)))
				reserve_block(gpu, number, sm);
		}
	}
}

/*
 * dispatch_take_all_back() - take back the reserves of all SMs of a slot
 */
void dispatch_take_all_back(struct gpu *gpu, u32 slot)
{
	u32 i;

	for (i = 0; i < gpu->config.sms; i++)
		if (gpu->sms[i].owner == slot)
			dispatch_take_back(gpu, i);
}

/* Take back the reserves of SMs that a kernel's new mask leaves out. */
static void take_masked_back(struct gpu *gpu, u32 number)
{
	u32 i;

	if (!mask_counts(gpu, number))
		return;
	for (i = 0; i < gpu->config.sms; i++)
		if (gpu->sms[i].owner == grid_slot(number) &&
		    !is_in_mask(&gpu->grids[number], i))
			dispatch_take_back(gpu, i);
}

static void dispatch_only(struct gpu *gpu, u32 number)
{
	const struct grid *grid = &gpu->grids[number];

	take_masked_back(gpu, number);
	if (none_may_begin(grid))
		dispatch_take_all_back(gpu, grid_slot(number));
	dispatch_blocks(gpu, number);
	if (!grid->blocks_preempted)
		reserve_blocks(gpu, number);
}

/* --- several: whose thread block is next ----------------------------------------------- */

/* Of some queues of a slot, those with the highest priority. */
static u32 first_by_priority(const struct tenant *tenant, u32 queues)
{
	s32 highest = -GPU_QUEUE_PRIORITY_MAX;
	u32 first = 0, mask;

	for (mask = queues; mask; mask &= mask - 1) {
		s32 priority = tenant->priority[lowest_bit(mask)];

		if (priority > highest) {
			highest = priority;
			first = 0;
		}
		if (priority == highest)
			first |= mask & -mask;
	}
	return first;
}

/* Of some queues of a slot, the one whose turn it is. */
static u32 first_in_turn(const struct tenant *tenant, u32 queues)
{
	u32 later = queues & ~((1U << tenant->next_queue) - 1);

	return lowest_bit(later ? later : queues);
}

/*
 * The kernel of a slot whose block goes next to an SM of @owner, and in *@sm that SM;
 * NONE: no kernel of the slot can go on.
 */
static u32 next_of_slot(struct gpu *gpu, u32 slot, u32 owner, u32 from, u32 *sm)
{
	struct tenant *tenant = &gpu->tenants[slot];
	u32 queues = first_by_priority(tenant, queues_for(gpu, slot, owner));

	for (; queues; queues &= ~(1U << first_in_turn(tenant, queues))) {
		u32 queue = first_in_turn(tenant, queues);
		u32 number = grid_number(slot, queue);

		*sm = find_room(gpu, number, owner, from);
		if (*sm == NONE)
			continue;
		if (runs_several(tenant))
			tenant->next_queue = (queue + 1) % GPU_QUEUES_MAX;
		return number;
	}
	return NONE;
}

/* Slots that have a block to issue, and may have one more on some shared SM. */
static u64 slots_that_wait(const struct gpu *gpu)
{
	u64 waiting = 0, mask;

	for (mask = gpu->running; mask; mask &= mask - 1) {
		u32 slot = lowest_bit(mask);

		if (queues_for(gpu, slot, GPU_SHARED))
			waiting |= 1ULL << slot;
	}
	return waiting;
}

/* Let cycles of the leaky buckets pass until a bucket among @slots is full (STM 4.1). */
static void fill_buckets(struct gpu *gpu, u64 slots)
{
	u32 cycles = U32_MAX;
	u64 mask;

	for (mask = slots; mask; mask &= mask - 1) {
		struct tenant *tenant = &gpu->tenants[lowest_bit(mask)];
		u32 left = tenant->bucket_tokens < tenant->bucket_capacity ?
			   tenant->bucket_capacity - tenant->bucket_tokens : 1;

		cycles = min(left, cycles);
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
static u32 bucket_head(struct gpu *gpu)
{
	u64 slots = slots_that_wait(gpu);

	gpu->bucket_full &= slots;
	if (slots && !gpu->bucket_full)
		fill_buckets(gpu, slots);
	return slots ? lowest_bit(gpu->bucket_full) : NONE;
}

/* By leaky buckets: the kernel whose block goes next to a shared SM, in *@sm. */
static u32 next_by_bucket(struct gpu *gpu, u32 *sm)
{
	u32 slot = bucket_head(gpu), number;

	if (slot == NONE)
		return NONE;
	number = next_of_slot(gpu, slot, GPU_SHARED, gpu->order_sm, sm);
	if (number == NONE)
		return NONE;
	gpu->bucket_full &= ~(1ULL << slot);
	gpu->order_sm = (*sm + 1) % gpu->config.sms;
	return number;
}

/* By turns: the kernel whose block goes next to a shared SM, in *@sm. */
static u32 next_in_turn(struct gpu *gpu, u32 *sm)
{
	u32 i;

	for (i = 0; i < GPU_SLOTS_MAX; i++) {
		u32 slot = (gpu->order_slot + i) % GPU_SLOTS_MAX, number;
		struct tenant *tenant = &gpu->tenants[slot];

		number = next_of_slot(gpu, slot, GPU_SHARED, tenant->next_sm,
				      sm);
		if (number == NONE)
			continue;
		gpu->order_slot = (slot + 1) % GPU_SLOTS_MAX;
		tenant->next_sm = (*sm + 1) % gpu->config.sms;
		return number;
	}
	return NONE;
}

/* Whether a kernel goes before another one, in the order of arrival or of rank. */
static bool goes_before(const struct gpu *gpu, u32 a, u32 b)
{
	const struct tenant *of_a = &gpu->tenants[grid_slot(a)];
	const struct tenant *of_b = &gpu->tenants[grid_slot(b)];
	s32 priority_a = of_a->priority[grid_queue(a)];
	s32 priority_b = of_b->priority[grid_queue(b)];

	if (gpu->block_order == GPU_ORDER_RANK) {
		if (of_a->rank != of_b->rank)
			return of_a->rank < of_b->rank;
		if (priority_a != priority_b)
			return priority_a > priority_b;
	}
	return gpu->grids[a].started < gpu->grids[b].started;
}

/*
 * The kernel that goes before all others: @first (or NONE), or one of a slot's kernels
 * with blocks for SMs of @owner.
 */
static u32 first_of_slot(const struct gpu *gpu, u32 slot, u32 owner, u32 first)
{
	u32 mask;

	for (mask = queues_for(gpu, slot, owner); mask; mask &= mask - 1) {
		u32 number = grid_number(slot, lowest_bit(mask));

		if (first == NONE || goes_before(gpu, number, first))
			first = number;
	}
	return first;
}

/*
 * By arrival or rank: the kernel of @slots whose block goes next to an SM of @owner. The
 * first kernel is not overtaken: it waits until its block fits.
 */
static u32 next_in_order(struct gpu *gpu, u64 slots, u32 owner, u32 *sm)
{
	u32 first = NONE;

	for (; slots; slots &= slots - 1)
		first = first_of_slot(gpu, lowest_bit(slots), owner, first);
	if (first == NONE)
		return NONE;
	*sm = find_room(gpu, first, owner, gpu->order_sm);
	if (*sm == NONE)
		return NONE;
	gpu->order_sm = (*sm + 1) % gpu->config.sms;
	return first;
}

static bool is_strict(const struct gpu *gpu)
{
	return gpu->block_order == GPU_ORDER_ARRIVAL ||
	       gpu->block_order == GPU_ORDER_RANK;
}

static u32 next_shared(struct gpu *gpu, u32 *sm)
{
	if (is_strict(gpu))
		return next_in_order(gpu, slots_that_wait(gpu), GPU_SHARED, sm);
	if (gpu->block_order == GPU_ORDER_LEAKY_BUCKET)
		return next_by_bucket(gpu, sm);
	return next_in_turn(gpu, sm);
}

static void dispatch_shared(struct gpu *gpu)
{
	u32 number, sm;

	while ((number = next_shared(gpu, &sm)) != NONE)
		start_next(gpu, sm, number);
}

/* The kernel whose block goes next to an SM of the slot's own. */
static u32 next_owned(struct gpu *gpu, u32 slot, u32 *sm)
{
	struct tenant *tenant = &gpu->tenants[slot];
	u32 number;

	if (is_strict(gpu))
		return next_in_order(gpu, 1ULL << slot, slot, sm);
	number = next_of_slot(gpu, slot, slot, tenant->next_sm, sm);
	if (number != NONE)
		tenant->next_sm = (*sm + 1) % gpu->config.sms;
	return number;
}

/* Hand out a slot's thread blocks to the SMs that it owns. */
static void dispatch_owned(struct gpu *gpu, u32 slot)
{
	const struct tenant *tenant = &gpu->tenants[slot];
	u32 number, sm;

	if (!runs_several(tenant)) {
		dispatch_only(gpu, grid_number(slot,
					       lowest_bit(tenant->running)));
		return;
	}
	dispatch_take_all_back(gpu, slot);
	while ((number = next_owned(gpu, slot, &sm)) != NONE)
		start_next(gpu, sm, number);
}

void gpu_set_block_order(struct gpu *gpu, enum gpu_block_order order)
{
	gpu->block_order = order;
	gpu->dispatch_shared = true;
}

void gpu_set_shared_blocks(struct gpu *gpu, u32 most)
{
	port_assert(most);
	gpu->shared_blocks = min(most, gpu->config.blocks_per_sm);
	gpu->dispatch_shared = true;
}

void gpu_set_bucket(struct gpu *gpu, u32 slot, u32 capacity)
{
	port_assert(capacity);
	gpu->tenants[slot].bucket_capacity = capacity;
}

/* --- when ---------------------------------------------------------------------------- */

/* Whether an SM's reserve has blocks of a slot that go back at the next window's end. */
static bool will_take_back(const struct gpu *gpu, u32 slot)
{
	u32 i;

	for (i = 0; i < gpu->config.sms; i++) {
		const struct sm *sm = &gpu->sms[i];
		const struct grid *grid = &gpu->grids[sm->reserve_grid];

		if (sm->owner == slot && sm->reserved && none_may_begin(grid))
			return true;
	}
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
 * dispatch_waiting() - issue thread blocks after the driver has started kernels or made
 *	room
 */
void dispatch_waiting(struct gpu *gpu)
{
	if (gpu->dispatch || gpu->dispatch_shared)
		dispatch(gpu, gpu->dispatch);
	/* The driver may have changed other things, too. */
	gpu->dispatch_due = true;
}

/*
 * dispatch_window() - issue thread blocks where others have ended
 *
 * If no block has ended and nothing has changed, there is nothing to issue: everything
 * possible was issued at the last window's end.
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

/* Count a queue's blocks that have ended; returns whether all of its kernel's have. */
static bool hear_blocks(struct gpu *gpu, u32 slot, u32 queue)
{
	struct grid *grid = &gpu->grids[grid_number(slot, queue)];
	u32 i;

	for (i = 0; i < gpu->views; i++) {
		struct tenant_counts *counts = &gpu->view_of[i]->counts[slot];

		gpu->dispatch_due |= counts->blocks_ended[queue] > 0;
		grid->blocks_finished += counts->blocks_ended[queue];
		grid->ended_at = max(grid->ended_at, counts->ended_at[queue]);
		grid->issued_at = max(grid->issued_at,
				      counts->issued_at[queue]);
		counts->blocks_ended[queue] = 0;
		counts->ended_at[queue] = 0;
		counts->issued_at[queue] = 0;
	}
	return grid->blocks_finished == grid->blocks;
}

static void hear_ends(struct gpu *gpu, u32 slot)
{
	struct tenant *tenant = &gpu->tenants[slot];
	u32 mask;

	/* Kernels end with a window, but gpu_run() may pause within one. */
	for (mask = tenant->running & ~tenant->ending; mask; mask &= mask - 1) {
		u32 queue = lowest_bit(mask);
		const struct grid *grid = &gpu->grids[grid_number(slot, queue)];

		if (!hear_blocks(gpu, slot, queue))
			continue;
		slot_counters(gpu, slot)->drain_cycles +=
			grid->ended_at - grid->issued_at;
		tenant->ending |= 1U << queue;
		gpu->ending |= 1ULL << slot;
	}
}

/* The earliest cycle of the SMs' notices, without those in @heard. */
static u64 next_notice(const struct gpu *gpu, const u8 *heard)
{
	u64 at = NEVER;
	u32 i;

	for (i = 0; i < gpu->config.sms; i++)
		if (heard[i] < gpu->sms[i].notices)
			at = min(at, gpu->sms[i].notice[heard[i]].at);
	return at;
}

static void hear(struct gpu *gpu, const struct notice *notice)
{
	if (notice->kind == BLOCK_SAVED)
		context_queue(gpu, notice->grid, notice->saved);
	else
		context_free(gpu, notice->saved);
}

/* Take the SMs' notices about contexts, cycle by cycle and SM by SM. */
static void hear_notices(struct gpu *gpu)
{
	u8 heard[GPU_SMS_MAX];
	u64 at;
	u32 i;

	memset(heard, 0, gpu->config.sms);
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
 * dispatch_hear() - take note of thread blocks that have ended in a window, and of
 *	contexts that were moved
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
