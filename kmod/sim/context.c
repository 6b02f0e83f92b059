// SPDX-License-Identifier: GPL-2.0
/*
 * Contexts of thread blocks: the pool that keeps what their warps need to go
 * on, each kernel's queue of saved blocks (HSM Figure 8), and the stores and
 * reads that move registers and shared memory through an SM's load/store unit.
 * preempt.c decides which blocks leave.
 */
#include "sim.h"

static u32 context_lines(const struct trace_kernel *kernel)
{
	return (registers_of(kernel) * 4 + kernel->shared_bytes +
		GPU_LINE_BYTES - 1) / GPU_LINE_BYTES;
}

/* --- pool ----------------------------------------------------------------------- */

/* context_gpus() - how many GPUs full of thread blocks can be saved at a time */
u32 context_gpus(const struct gpu_config *config)
{
	u32 gpus = CONTEXT_WARPS / (config->sms * config->warps_per_sm);

	return max_t(u32, CONTEXT_GPUS_MIN, min_t(u32, gpus, CONTEXT_GPUS_MAX));
}

/*
 * context_shape() - how many thread blocks and warps can be saved
 *
 * There are no more blocks than regions in a tenant's save area. A region is as large as
 * an SM's registers and shared memory, so that the context of any kernel's block fits.
 */
void context_shape(const struct gpu_config *config, struct gpu_shape *shape)
{
	u32 lines = (config->registers_per_sm * 4 +
		     config->shared_bytes_per_sm + GPU_LINE_BYTES - 1) /
		    GPU_LINE_BYTES;
	u32 regions = CONTEXT_LINES_MAX / (lines ? lines : 1);
	u32 blocks = config->sms * config->blocks_per_sm;
	u32 warps = config->sms * config->warps_per_sm;
	u32 gpus = context_gpus(config);

	shape->saved_blocks = (u32)min(gpus * blocks, regions);
	shape->saved_warps = gpus * warps;
}

void context_init(struct gpu *gpu)
{
	struct context_pool *pool = &gpu->pool;
	u32 i;

	pool->blocks_left = gpu->shape.saved_blocks;
	pool->warps_left = gpu->shape.saved_warps;
	for (i = 0; i < pool->blocks_left; i++)
		pool->blocks[i].next = i + 1;
	pool->blocks[i - 1].next = NO_CONTEXT;
	for (i = 0; i < pool->warps_left; i++)
		pool->warps[i].next = i + 1;
	pool->warps[i - 1].next = NO_CONTEXT;
}

static void reserve_warps(struct context_pool *pool, struct saved_block *saved,
			  u32 warps)
{
	u32 *link = &saved->first_warp;

	for (; warps > 0; warps--) {
		*link = pool->free_warp;
		link = &pool->warps[*link].next;
		pool->free_warp = *link;
	}
	*link = NO_CONTEXT;
}

static u32 take_place(struct gpu *gpu)
{
	struct context_pool *pool = &gpu->pool;
	u32 number = pool->free_block;

	pool->free_block = pool->blocks[number].next;
	pool->blocks_left--;
	return number;
}

/*
 * context_reserve() - reserve places for thread blocks of an SM
 * @blocks: bit mask of blocks that run
 *
 * Return: false if there are not enough places; then none is reserved.
 */
bool context_reserve(struct gpu *gpu, u32 index, u32 blocks)
{
	struct context_pool *pool = &gpu->pool;
	u32 count = hweight64((u64)blocks), warps = 0, mask;

	for (mask = blocks; mask; mask &= mask - 1)
		warps += gpu->sms[index].block[lowest_bit(mask)].warps_left;
	if (count > pool->blocks_left || warps > pool->warps_left)
		return false;
	pool->warps_left -= warps;
	for (mask = blocks; mask; mask &= mask - 1) {
		struct block *block = &gpu->sms[index].block[lowest_bit(mask)];

		block->saved = take_place(gpu);
		reserve_warps(pool, &pool->blocks[block->saved],
			      block->warps_left);
	}
	return true;
}

/* context_free() - give back a place and the places of its warps */
void context_free(struct gpu *gpu, u32 number)
{
	struct context_pool *pool = &gpu->pool;
	struct saved_block *saved = &pool->blocks[number];
	u32 warp, next;

	for (warp = saved->first_warp; warp != NO_CONTEXT; warp = next) {
		next = pool->warps[warp].next;
		pool->warps[warp].next = pool->free_warp;
		pool->free_warp = warp;
		pool->warps_left++;
	}
	saved->next = pool->free_block;
	pool->free_block = number;
	pool->blocks_left++;
}

/* --- queues of saved thread blocks ------------------------------------------------ */

/* context_queue() - a kernel's saved thread block waits for an SM */
void context_queue(struct gpu *gpu, u32 grid, u32 number)
{
	struct grid *g = &gpu->grids[grid];

	if (g->blocks_preempted++)
		gpu->pool.blocks[g->saved_tail].next = number;
	else
		g->saved_head = number;
	g->saved_tail = number;
}

/*
 * context_drop() - a thread block that is dropped waits to begin again
 *
 * Return: false if there is no place for it.
 */
bool context_drop(struct gpu *gpu, const struct block *block)
{
	struct saved_block *saved;
	u32 number;

	if (!gpu->pool.blocks_left)
		return false;
	number = take_place(gpu);
	saved = &gpu->pool.blocks[number];
	saved->first_warp = NO_CONTEXT;
	saved->index = block->index;
	saved->warps_left = 0;
	saved->at_barrier = 0;
	saved->issued = 0;
	saved->cycles = 0;
	context_queue(gpu, block->grid, number);
	return true;
}

/*
 * context_take() - the saved or dropped thread block of a kernel that waits longest
 *
 * Return: its place in the pool, or NO_CONTEXT.
 */
u32 context_take(struct gpu *gpu, u32 grid)
{
	struct grid *g = &gpu->grids[grid];
	u32 number = g->saved_head;

	if (!g->blocks_preempted)
		return NO_CONTEXT;
	g->blocks_preempted--;
	g->saved_head = gpu->pool.blocks[number].next;
	return number;
}

/* context_forget_grid() - a kernel's saved thread blocks vanish */
void context_forget_grid(struct gpu *gpu, u32 grid)
{
	u32 number;

	while ((number = context_take(gpu, grid)) != NO_CONTEXT)
		context_free(gpu, number);
}

/*
 * context_forget_queue() - a slot's saved thread blocks vanish
 */
void context_forget_queue(struct gpu *gpu, u32 slot)
{
	u32 queue;

	for (queue = 0; queue < GPU_QUEUES_MAX; queue++)
		context_forget_grid(gpu, grid_number(slot, queue));
}

/*
 * context_forget() - a thread block vanishes from its SM: so do its place in
 *	the pool and what moves its context
 */
void context_forget(struct gpu *gpu, u32 index, u32 number)
{
	struct sm *sm = &gpu->sms[index];
	struct block *block = &sm->block[number];

	if (block->state == BLOCK_RUNS)
		return;
	context_free(gpu, block->saved);
	sm->moving &= ~(1U << number);
	if (sm->mover == number)
		sm->mover = NONE;
}

/* --- the state of warps ------------------------------------------------------------- */

/*
 * Nothing of the loads is kept, since they have all come. A warp that waits for a load,
 * or for the load/store unit, tries again when it goes on.
 */
static void save_warp(const struct warp *warp, struct saved_warp *saved)
{
	saved->op = warp->op;
	saved->left = warp->left;
	saved->line = warp->line;
	saved->accesses = warp->accesses;
	memcpy(saved->loop_index, warp->loop_index, sizeof(saved->loop_index));
	saved->loop_depth = warp->loop_depth;
	saved->index = warp->index;
	saved->at_barrier = warp->wait_load == WAIT_BARRIER;
}

static void restore_warp(const struct saved_warp *saved, struct warp *warp)
{
	warp->op = saved->op;
	warp->left = saved->left;
	warp->line = saved->line;
	warp->accesses = saved->accesses;
	memcpy(warp->loop_index, saved->loop_index, sizeof(saved->loop_index));
	warp->loop_depth = saved->loop_depth;
	warp->index = saved->index;
	warp->wait_load = saved->at_barrier ? WAIT_BARRIER : NONE;
}

static void save_warps(struct gpu *gpu, const struct sm *sm,
		       const struct block *block)
{
	struct context_pool *pool = &gpu->pool;
	struct saved_block *saved = &pool->blocks[block->saved];
	u32 number = saved->first_warp;
	u64 mask;

	saved->index = block->index;
	saved->warps_left = block->warps_left;
	saved->at_barrier = block->at_barrier;
	saved->issued = block_issued(sm, block);
	saved->cycles = gpu->now - block->since;
	for (mask = block->warps; mask; mask &= mask - 1) {
		save_warp(&sm->warp[lowest_bit(mask)], &pool->warps[number]);
		number = pool->warps[number].next;
	}
}

static void restore_warps(struct gpu *gpu, struct sm *sm, struct block *block)
{
	u32 number = gpu->pool.blocks[block->saved].first_warp;
	const struct grid *grid = &gpu->grids[block->grid];
	u64 mask;

	for (mask = block->warps; mask; mask &= mask - 1) {
		const struct saved_warp *saved = &gpu->pool.warps[number];
		u32 warp = lowest_bit(mask);

		restore_warp(saved, &sm->warp[warp]);
		if (grid->spins)
			warp_spin(&sm->warp[warp], grid->trace);
		if (!saved->at_barrier)
			warp_ready(sm, warp);
		number = saved->next;
	}
}

/* --- what moving costs beside the lines ------------------------------------------------ */

static u64 cycles_of(const struct gpu *gpu, u32 ns)
{
	return gpu_cycles_of_ns(gpu->config.core_mhz, ns);
}

/* context_stops() - an SM is about to stop thread blocks, to save them */
void context_stops(struct gpu *gpu, struct sm *sm)
{
	u64 at = gpu->now + cycles_of(gpu, gpu->config.save_setup_ns);

	/* What was left there when the last contexts had moved, or were dropped, is over. */
	sm->context_at = sm->moving ? max(sm->context_at, at) : at;
}

/* context_returns() - a saved thread block is about to return to an SM */
void context_returns(struct gpu *gpu, struct sm *sm)
{
	if (!sm->moving)
		sm->context_at = gpu->now +
			cycles_of(gpu, gpu->config.restore_setup_ns);
}

/* --- moving -------------------------------------------------------------------------- */

/* The load of a block's first warp that counts the lines which are read for the block. */
static struct warp_load *block_reads(struct sm *sm, const struct block *block)
{
	return &sm->warp[lowest_bit(block->warps)].load[0];
}

/* Whether any store of a block is not acknowledged yet. */
static bool stores_under_way(const struct sm *sm, const struct block *block)
{
	u64 mask;

	for (mask = block->warps; mask; mask &= mask - 1)
		if (sm->warp_stores[lowest_bit(mask)])
			return true;
	return false;
}

/*
 * The cycle from which all loads of a block have come and its stores have arrived;
 * NEVER: a reply must come first.
 */
static u64 loads_come_at(const struct sm *sm, const struct block *block)
{
	u64 at = 0, mask;
	u32 loads;

	if (stores_under_way(sm, block))
		return NEVER;
	for (mask = block->warps; mask; mask &= mask - 1) {
		const struct warp *w = &sm->warp[lowest_bit(mask)];

		for (loads = w->loads; loads; loads &= loads - 1) {
			const struct warp_load *load =
				&w->load[lowest_bit(loads)];

			if (load->pending)
				return NEVER;
			at = max(at, load->ready);
		}
	}
	return at;
}

static u32 lines_of(const struct gpu *gpu, const struct block *block)
{
	if (gpu->config.free_contexts)
		return 0;
	return context_lines(gpu->grids[block->grid].kernel);
}

/* Whether a block's context is still being read; one without lines waits for the setup alone. */
static bool reads_on(const struct gpu *gpu, const struct sm *sm,
		     const struct block *block)
{
	u32 lines = lines_of(gpu, block);

	return lines ? block->moved < lines : gpu->now < sm->context_at;
}

/* The cycle from which a block has lines for the load/store unit. */
static u64 block_moves_at(const struct gpu *gpu, const struct sm *sm, u32 number)
{
	const struct block *block = &sm->block[number];

	if (sm->mover == number)
		return 0;
	if (block->state == BLOCK_STOPS)
		return loads_come_at(sm, block);
	if (block->state == BLOCK_RESTORES && reads_on(gpu, sm, block))
		return 0;
	return NEVER;
}

/* Give the load/store unit the next lines of a context. */
static void move_lines(struct gpu *gpu, u32 index, struct block *block)
{
	struct sm *sm = &gpu->sms[index];
	struct lsu *lsu = &sm->lsu;
	u32 lines = lines_of(gpu, block), left = lines - block->moved, i;
	u32 bytes = gpu->config.context_bytes_per_cycle;
	u32 first = ((u32)block->slot << LINE_SLOT_SHIFT) + CONTEXT_TOP -
		    (block->saved + 1) * lines + block->moved;

	lsu_begin(gpu, sm, index,
		  block->state == BLOCK_SAVES ? TRACE_STORE : LSU_RESTORE,
		  lowest_bit(block->warps), 0);
	lsu->count = min_t(u32, left, GPU_LANES);
	lsu->partial = 0;
	lsu->words = GPU_LINE_BYTES / 4;
	for (i = 0; i < lsu->count; i++) {
		lsu->line[i] = first + i;
		lsu->sectors[i] = TRACE_ALL_SECTORS;
	}
	block->moved += lsu->count;
	if (bytes)
		sm->context_at = gpu->now +
				 sm_span(gpu, gpu->now,
					 (lsu->count * GPU_LINE_BYTES + bytes - 1) / bytes);
	slot_counters(gpu, block->slot)->context_lines += lsu->count;
	gpu->sm_counters[index].context_lines += lsu->count;
	if (lsu->kind == LSU_RESTORE)
		block_reads(sm, block)->pending++;
	lsu_run(gpu, index);
}

/* A block's context is in memory: it leaves the SM. */
static void block_is_saved(struct gpu *gpu, u32 index, u32 number)
{
	struct sm *sm = &gpu->sms[index];
	struct block *block = &sm->block[number];

	save_warps(gpu, sm, block);
	sm_notify(gpu, index, block->grid, BLOCK_SAVED, block->saved);
	slot_counters(gpu, block->slot)->preempted_blocks++;
	gpu->sm_counters[index].preempted_blocks++;
	sm->moving &= ~(1U << number);
	block_clear(gpu, index, block);
	sm_hold_warps(gpu, index);
	sm_settle_owner(gpu, index);
}

/* If all stores of a context have been sent and have arrived, it is saved. */
static void settle_stores(struct gpu *gpu, u32 index, u32 number)
{
	struct sm *sm = &gpu->sms[index];
	struct block *block = &sm->block[number];

	if (sm->mover != number && !stores_under_way(sm, block))
		block_is_saved(gpu, index, number);
}

/* All lines of a context have come: the block goes on, or back to its queue. */
static void settle_reads(struct gpu *gpu, u32 index, u32 number)
{
	struct sm *sm = &gpu->sms[index];
	struct block *block = &sm->block[number];
	bool returns = block->state == BLOCK_RETURNS;

	if (sm->mover == number || block_reads(sm, block)->pending)
		return;
	if (!returns && reads_on(gpu, sm, block))
		return;
	sm->moving &= ~(1U << number);
	block->state = BLOCK_RUNS;
	if (returns) {
		sm_notify(gpu, index, block->grid, BLOCK_SAVED, block->saved);
		block_clear(gpu, index, block);
		sm_settle_owner(gpu, index);
	} else {
		restore_warps(gpu, sm, block);
		sm_notify(gpu, index, block->grid, BLOCK_RESTORED, block->saved);
	}
	sm_hold_warps(gpu, index);
}

/* The block whose context is moved next, or NONE. */
static u32 choose_mover(const struct gpu *gpu, const struct sm *sm)
{
	u32 mask;

	for (mask = sm->moving; mask; mask &= mask - 1)
		if (block_moves_at(gpu, sm, lowest_bit(mask)) <= gpu->now)
			return lowest_bit(mask);
	return NONE;
}

/* Give the idle load/store unit something to do; false: no context has lines for it. */
static bool move_on(struct gpu *gpu, u32 index)
{
	struct sm *sm = &gpu->sms[index];
	struct block *block;
	u32 number;

	if (gpu->now < sm->context_at)
		return false;
	if (sm->mover == NONE) {
		sm->mover = choose_mover(gpu, sm);
		if (sm->mover == NONE)
			return false;
		block = &sm->block[sm->mover];
		if (block->state == BLOCK_STOPS)
			block->state = BLOCK_SAVES;
	}
	number = sm->mover;
	block = &sm->block[number];
	if (block->state != BLOCK_RETURNS &&
	    block->moved < lines_of(gpu, block)) {
		move_lines(gpu, index, block);
		return true;
	}
	sm->mover = NONE;
	if (block->state == BLOCK_SAVES)
		settle_stores(gpu, index, number);
	else
		settle_reads(gpu, index, number);
	return true;
}

/*
 * context_turn() - an SM's work for the contexts of its thread blocks in this
 *	cycle; contexts get the load/store unit before warps
 */
void context_turn(struct gpu *gpu, u32 index)
{
	struct sm *sm = &gpu->sms[index];
	u32 mask;

	for (mask = sm->moving; mask; mask &= mask - 1) {
		u32 number = lowest_bit(mask);

		if (sm->block[number].state >= BLOCK_RESTORES)
			settle_reads(gpu, index, number);
		else if (sm->block[number].state == BLOCK_SAVES)
			settle_stores(gpu, index, number);
	}
	while (sm->moving && lsu_idle(sm, gpu->now) && move_on(gpu, index))
		;
}

/*
 * context_next_turn() - the cycle at which an SM can go on with its contexts; NEVER if
 *	a reply or the end of the load/store unit's instruction has to come first
 */
u64 context_next_turn(const struct gpu *gpu, const struct sm *sm)
{
	u64 next = NEVER;
	u32 mask;

	if (lsu_is_held(sm))
		return NEVER;
	for (mask = sm->moving; mask; mask &= mask - 1)
		next = min(next, block_moves_at(gpu, sm, lowest_bit(mask)));
	if (next == NEVER)
		return NEVER;
	return max(max(next, sm->lsu.port_free), sm->context_at);
}
