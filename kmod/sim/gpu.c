// SPDX-License-Identifier: GPL-2.0
/* The life of the device, of its kernels and tenants. Its clock is in step.c. */
#include "sim.h"

/* --- memory --------------------------------------------------------------------- */

/*
 * Cuts the caller's block of memory into arrays, with a red zone behind each array;
 * without memory it only adds up sizes.
 */
struct carver {
	u8 *memory;
	size_t used;
};

static void *carve(struct carver *carver, size_t count, size_t bytes)
{
	size_t at = carver->used, end = at + count * bytes;

	carver->used = ((end + 63) & ~(size_t)63) + PORT_RED_ZONE;
	if (!carver->memory)
		return NULL;
	port_forbid(carver->memory + end, carver->used - end);
	return carver->memory + at;
}

static u32 log2_or_none(u32 value)
{
	return value & (value - 1) ? NONE : lowest_bit(value);
}

static u32 greatest_divisor(u32 a, u32 b)
{
	while (b) {
		u32 rest = a % b;

		a = b;
		b = rest;
	}
	return a;
}

/* The mask of a ring with places for @needed, and for at least @least (a power of two). */
static u32 ring_mask(u32 needed, u32 least)
{
	while (least < needed)
		least *= 2;
	return least - 1;
}

static void derive_shape(const struct gpu_config *config, struct gpu_shape *shape)
{
	u32 common = greatest_divisor(config->core_mhz, config->memory_mhz);
	u32 i;

	/* A core cycle of 1/core_mhz is memory_mhz / common units long. */
	shape->core_ticks = config->memory_mhz / common;
	shape->memory_ticks = config->core_mhz / common;
	shape->per_core_tick = reciprocal(shape->core_ticks);
	shape->per_memory_tick = reciprocal(shape->memory_ticks);
	shape->slices_per_channel = config->llc_slices / config->channels;
	shape->slice_queue = config->noc_queue_depth + config->noc_latency +
			     config->llc_latency;
	shape->sm_entries = l1_entries(config) + config->sm_stores;
	/* A message that is sent later arrives later. */
	shape->sm_ahead = config->noc_latency;
	shape->memory_ahead = config->noc_latency + config->llc_latency;
	shape->window = gpu_window(config);
	shape->cycle_mask = ring_mask(shape->window + 1, 64);
	shape->port_words = (max(senders_of(config), slices_of(config)) + 63) / 64;
	shape->sectored = config->l1_sectors > 1 || config->llc_sectors > 1;
	/* As few places as possible: all of them are used in turn, and take cache lines. */
	shape->done_mask = ring_mask(config->llc_mshrs +
				     config->llc_write_credits, 1);
	shape->inbox_mask = ring_mask(shape->slices_per_channel *
				      max(config->llc_mshrs,
					  config->llc_write_credits), 256);
	shape->fetching = 1 << REQUEST_READ | 1 << REQUEST_ATOMIC |
			  1 << REQUEST_REDUCE;
	if (config->llc_write_allocate == GPU_ALLOCATE_FETCH ||
	    config->llc_write_allocate == GPU_ALLOCATE_ALWAYS)
		shape->fetching |= 1 << REQUEST_WRITE_PARTIAL;
	if (config->llc_write_allocate == GPU_ALLOCATE_ALWAYS)
		shape->fetching |= 1 << REQUEST_WRITE;
	shape->packet_flits[0] = 1;
	for (i = 1; i < ARRAY_SIZE(shape->packet_flits); i++)
		shape->packet_flits[i] =
			(i * 4 + PACKET_CONTROL_BYTES + config->noc_flit_bytes -
			 1) / config->noc_flit_bytes;
	shape->reply_queue = config->noc_queue_depth *
			     shape->packet_flits[GPU_LINE_BYTES / 4];
	shape->channel_shift = log2_or_none(config->channels);
	shape->column_bits = log2_or_none(config->row_lines) - 1;
	shape->bank_bits = log2_or_none(config->banks);
	shape->per_set = ~0U / config->llc_sets + 1;
	shape->group_shift = log2_or_none(config->banks / config->bank_groups);
	shape->atd_sets = atd_sets(config);
	shape->mirror_sets = mirror_sets(config);
	shape->batch_cycles = config->channel_batch_clocks *
			      shape->memory_ticks / shape->core_ticks;
	context_shape(config, shape);
	/* A scheduler has every @schedulers_per_sm-th warp. */
	shape->scheduler_warps = ~0ULL;
	for (i = 1; i < config->schedulers_per_sm; i *= 2)
		shape->scheduler_warps &= ~0ULL / ((1ULL << i) + 1);
}

/* Cut an array of @count elements; its address goes to the field if there is a GPU. */
#define CARVE(carver, gpu, field, count) \
	do { \
		void *array = carve(carver, count, sizeof(*(gpu)->field)); \
		if (gpu) \
			(gpu)->field = array; \
	} while (0)

static void lay_out_l1(struct carver *carver, struct l1 *l1, u32 sms, u32 sets,
		       u32 ways, u32 sectors)
{
	u32 valid = (sizeof(struct l1_set) / sizeof(u32) + ways + 1) & ~1U;
	u32 end = valid + (sectors > 1 ? sizeof(u64) / sizeof(u32) : 0);
	/* A multiple of eight words, so that sets touch as few cache lines as possible. */
	u32 set_words = (end + 7) & ~7U;
	u32 big_sets = 0;
	u32 *words;

	if (ways > CACHE_WAYS_MAX) {
		set_words = l1_big_words(sets, ways);
		big_sets = sets;
		sets = 1;
	}
	words = carve(carver, (size_t)sms * sets * set_words, sizeof(*words));
	if (l1)
		*l1 = (struct l1) {
			.words = words, .sets = sets, .ways = ways,
			.set_words = set_words, .sectors = sectors,
			.valid = valid, .big_sets = big_sets,
		};
}

/* The arrays that each view has for itself. */
static void lay_out_view(struct carver *carver, struct gpu *view,
			 const struct gpu_config *config)
{
	u32 cycles = ring_mask(gpu_window(config) + 1, 64) + 1;

	CARVE(carver, view, counts, GPU_SLOTS_MAX);
	/* The link to the host is behind the channels. */
	CARVE(carver, view, outbox, config->channels + 1);
	CARVE(carver, view, reply_outbox, senders_of(config));
	CARVE(carver, view, cycles, cycles);
	CARVE(carver, view, cycles_used, cycles / 64);
}

/*
 * The views of all threads but the first, whose view is the device itself. Their table
 * comes first.
 */
static struct gpu **lay_out_views(struct carver *carver, u32 views,
				  const struct gpu_config *config)
{
	struct gpu **table = carve(carver, views, sizeof(*table));
	u32 i;

	for (i = 1; i < views; i++) {
		struct gpu *view = carve(carver, 1, sizeof(*view));

		lay_out_view(carver, view, config);
		if (table)
			table[i] = view;
	}
	return table;
}

size_t gpu_view_bytes(const struct gpu_config *config, u32 views)
{
	struct carver carver = { 0 };

	lay_out_views(&carver, views, config);
	return carver.used;
}

static void empty_boxes(struct mailbox *boxes, u32 count)
{
	u32 i;

	for (i = 0; i < count; i++)
		boxes[i].head = NOBODY;
}

void gpu_set_views(struct gpu *gpu, void *memory, u32 views)
{
	struct carver carver = { .memory = memory };
	u32 i;

	port_assert(views && views <= GPU_VIEWS_MAX);
	gpu->main = gpu;
	gpu->views = views;
	gpu->view_of = &gpu->main;
	if (views > 1) {
		port_allow(memory, gpu_view_bytes(&gpu->config, views));
		memset(memory, 0, gpu_view_bytes(&gpu->config, views));
		gpu->view_of = lay_out_views(&carver, views, &gpu->config);
		gpu->view_of[0] = gpu;
	}
	for (i = 0; i < views; i++) {
		empty_boxes(gpu->view_of[i]->outbox, gpu->config.channels + 1);
		empty_boxes(gpu->view_of[i]->reply_outbox, senders_of(&gpu->config));
	}
}

static struct gpu *lay_out(struct carver *carver, const struct gpu_config *config)
{
	struct gpu *gpu = carve(carver, 1, sizeof(*gpu));
	size_t sms = config->sms, slices = config->llc_slices;
	size_t senders = senders_of(config);
	struct gpu_shape shape;

	derive_shape(config, &shape);
	if (gpu)
		gpu->shape = shape;
	lay_out_view(carver, gpu, config);
	CARVE(carver, gpu, tenants, GPU_SLOTS_MAX);
	CARVE(carver, gpu, grids, GPU_SLOTS_MAX * GPU_QUEUES_MAX);
	CARVE(carver, gpu, channel_lists,
	      (size_t)GPU_SLOTS_MAX * config->channels);
	CARVE(carver, gpu, returned, GPU_SLOTS_MAX * sms * SM_RESERVE);
	CARVE(carver, gpu, sm_counters, sms);
	CARVE(carver, gpu, sm_issue_slots, sms);
	CARVE(carver, gpu, sm_tenants, sms * GPU_SLOTS_MAX);
	CARVE(carver, gpu, sms, senders);
	lay_out_l1(carver, gpu ? &gpu->l1[L1_DATA] : NULL, config->sms,
		   config->l1_sets, config->l1_ways, config->l1_sectors);
	lay_out_l1(carver, gpu ? &gpu->l1[L1_CONSTANT] : NULL, config->sms,
		   config->l1c_sets, config->l1c_ways, 1);
	CARVE(carver, gpu, slices, slices_of(config));
	CARVE(carver, gpu, sm_ports, senders);
	CARVE(carver, gpu, slice_ports, slices_of(config));
	CARVE(carver, gpu, port_turns, (size_t)(shape.cycle_mask + 1U) *
				       shape.port_words);
	CARVE(carver, gpu, requests, senders * shape.sm_entries);
	CARVE(carver, gpu, replies, senders * shape.sm_entries * config->llc_sectors);
	CARVE(carver, gpu, llc, slices * config->llc_sets);
	if (config->llc_sectors > 1) {
		CARVE(carver, gpu, request_stored, senders * shape.sm_entries);
		CARVE(carver, gpu, llc_stored,
		      slices * config->llc_sets * config->llc_ways);
	}
	CARVE(carver, gpu, atd_tags,
	      GPU_SLOTS_MAX * shape.atd_sets * config->llc_ways);
	CARVE(carver, gpu, mirror_tags,
	      GPU_SLOTS_MAX * shape.mirror_sets * config->llc_ways);
	if (config->llc_sectors > 1) {
		CARVE(carver, gpu, atd_sectors,
		      GPU_SLOTS_MAX * shape.atd_sets * config->llc_ways);
		CARVE(carver, gpu, mirror_sectors,
		      GPU_SLOTS_MAX * shape.mirror_sets * config->llc_ways);
	}
	CARVE(carver, gpu, channels,
	      config->channels + (config->mirrors ? GPU_SLOTS_MAX : 0));
	CARVE(carver, gpu, channel_counters,
	      (size_t)config->channels * GPU_SLOTS_MAX);
	CARVE(carver, gpu, pool.blocks, shape.saved_blocks);
	CARVE(carver, gpu, pool.warps, shape.saved_warps);
	return gpu;
}

size_t gpu_bytes(const struct gpu_config *config)
{
	struct carver carver = { 0 };

	lay_out(&carver, config);
	return carver.used;
}

struct gpu *gpu_init(void *memory, const struct gpu_config *config, u64 seed)
{
	struct carver carver = { .memory = memory };
	struct gpu *gpu;
	u32 i;

	port_allow(memory, gpu_bytes(config));
	memset(memory, 0, gpu_bytes(config));
	gpu = lay_out(&carver, config);
	gpu->config = *config;
	gpu->seed = seed;
	gpu->arrival_cycle = NEVER;
	gpu->shared_blocks = config->blocks_per_sm;
	dram_compile(config, &gpu->limits);
	gpu_set_views(gpu, NULL, 1);
	for (i = 0; i < senders_of(config); i++)
		sm_init(gpu, i);
	cache_init(gpu);
	noc_ports_init(gpu);
	for (i = 0; i < config->channels; i++)
		channel_init(gpu, i);
	for (i = 0; i < GPU_SLOTS_MAX; i++)
		mirror_drop(gpu, i);
	context_init(gpu);
	share_init(gpu);
	return gpu;
}

void gpu_set_command_hook(struct gpu *gpu, gpu_command_hook hook, void *context)
{
	gpu->hook = hook;
	gpu->hook_context = context;
}

const struct gpu_config *gpu_config(const struct gpu *gpu)
{
	return &gpu->config;
}

u64 gpu_now(const struct gpu *gpu)
{
	return gpu->now;
}

u64 gpu_memory_clocks(const struct gpu *gpu, u64 cycles)
{
	return cycles * gpu->shape.core_ticks / gpu->shape.memory_ticks;
}

u32 gpu_window(const struct gpu_config *config)
{
	return 2 * config->noc_latency + config->llc_latency;
}

u32 gpu_llc_hit_cycles(const struct gpu *gpu)
{
	return gpu_window(&gpu->config);
}

u32 gpu_dram_cycles(const struct gpu *gpu)
{
	u32 clocks = gpu->config.dram.trcd_read + gpu->limits.read_data;

	return gpu_llc_hit_cycles(gpu) + 2 * gpu->config.llc_to_dram_latency +
	       (u32)cycle_of_clock(gpu, clocks);
}

/* --- kernels ----------------------------------------------------------------------- */

u64 gpu_take_finished(struct gpu *gpu)
{
	u64 finished = gpu->finished;

	gpu->finished = 0;
	return finished;
}

u32 gpu_take_queues(struct gpu *gpu, u32 slot)
{
	u32 finished = gpu->tenants[slot].finished;

	gpu->tenants[slot].finished = 0;
	return finished;
}

void gpu_queue_start(struct gpu *gpu, u32 slot, u32 queue,
		     const struct trace *trace, u32 kernel)
{
	struct grid *grid = &gpu->grids[grid_number(slot, queue)];
	struct tenant *tenant = &gpu->tenants[slot];

	port_assert(queue < GPU_QUEUES_MAX && !(tenant->running >> queue & 1));
	trace_time(trace, gpu->config.unit);
	grid->trace = trace;
	grid->ops = trace->ops;
	grid->kernel = &trace->kernels[kernel];
	grid->started = gpu->starts++;
	grid->kernel_index = kernel;
	grid->blocks = grid->kernel->blocks;
	grid->next_block = 0;
	grid->returned = 0;
	grid->blocks_finished = 0;
	grid->issued_at = 0;
	grid->masked = false;
	grid->spins = false;
	tenant->finished &= ~(1U << queue);
	if (!tenant->running) {
		slot_counters(gpu, slot)->refreshes -= refreshes_due(gpu);
		tenant->bucket_tokens = 0;
	}
	tenant->running |= 1U << queue;
	gpu->running |= 1ULL << slot;
	gpu->dispatch |= 1ULL << slot;
}

void gpu_tenant_drop(struct gpu *gpu, u32 slot)
{
	struct tenant *tenant = &gpu->tenants[slot];
	struct tenant_counts *counts = &gpu->counts[slot];
	u32 i;

	for (i = 0; i < gpu->config.sms; i++) {
		struct sm *sm = &gpu->sms[i];

		if (sm->owner != slot && sm->next_owner != slot &&
		    sm->owner != GPU_SHARED)
			continue;
		sm_drop_tenant(gpu, i, slot);
		if (sm->next_owner == slot)
			sm->next_owner = GPU_NO_TENANT;
		sm_settle_owner(gpu, i);
		if (sm->owner < GPU_SLOTS_MAX)
			gpu->dispatch |= 1ULL << sm->owner;
		/* Other slots' blocks may have waited for the room that it had. */
		if (sm->owner == GPU_SHARED) {
			l1_drop(gpu, i, slot << LINE_SLOT_SHIFT,
				1U << LINE_SLOT_SHIFT);
			sm_wake(sm, gpu->now + 1);
		}
	}
	fault_drop(gpu, slot);
	share_forget(gpu, slot);
	context_forget_queue(gpu, slot);
	counts->counters.load_cycles += counts->loads * gpu->now;
	counts->loads = 0;
	counts->counters.refreshes += tenant->running ? refreshes_due(gpu) : 0;
	tenant->running = 0;
	tenant->ending = 0;
	tenant->finished = 0;
	for (i = 0; i < GPU_QUEUES_MAX; i++)
		gpu->grids[grid_number(slot, i)].returned = 0;
	gpu->running &= ~(1ULL << slot);
	tenant->generation++;
	gpu->memory_priority[slot] = 0;
	masks_forget(gpu, slot);
	gpu->finished &= ~(1ULL << slot);
	gpu->ending &= ~(1ULL << slot);
	gpu->dispatch &= ~(1ULL << slot);
	llc_drop(gpu, slot);
	atd_drop(gpu, slot);
	mirror_drop(gpu, slot);
}

void gpu_set_memory_priority(struct gpu *gpu, u32 slot, u32 priority)
{
	port_assert(priority < GPU_PRIORITIES);
	gpu->memory_priority[slot] = priority;
}

void gpu_queue_set_priority(struct gpu *gpu, u32 slot, u32 queue, s32 priority)
{
	port_assert(queue < GPU_QUEUES_MAX &&
		    priority >= -GPU_QUEUE_PRIORITY_MAX &&
		    priority <= GPU_QUEUE_PRIORITY_MAX);
	gpu->tenants[slot].priority[queue] = (s8)priority;
}

void gpu_set_rank(struct gpu *gpu, u32 slot, u32 rank)
{
	gpu->tenants[slot].rank = rank;
}

/* Thread blocks of a queue's kernel that have begun. */
static u32 blocks_issued(const struct gpu *gpu, u32 number)
{
	const struct grid *grid = &gpu->grids[number];
	u32 blocks = grid->next_block - grid->returned, i;

	for (i = 0; i < gpu->config.sms; i++)
		if (gpu->sms[i].reserve_grid == number)
			blocks -= gpu->sms[i].reserved;
	return blocks;
}

void gpu_queue_status(const struct gpu *gpu, u32 slot, u32 queue,
		      struct gpu_kernel_status *out)
{
	const struct grid *grid = &gpu->grids[grid_number(slot, queue)];

	out->running = gpu->tenants[slot].running >> queue & 1;
	out->kernel = grid->kernel_index;
	out->blocks = grid->blocks;
	out->blocks_issued = blocks_issued(gpu, grid_number(slot, queue));
	out->blocks_finished = grid->blocks_finished;
	out->blocks_preempted = grid->blocks_preempted;
	out->ended_at = grid->ended_at;
}
