/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The inside of the simulated GPU: what holds its parts together, each of which
 * has a header. The engine's files include this one; nobody outside kmod/sim
 * does (but the unit tests).
 *
 * A cycle is worked off part by part, in a fixed order: channels, then slices
 * of the last-level cache, then SMs. A part asks for its next turn with
 * gpu_wake(); a turn that comes too early is harmless. Messages between parts
 * lie in rings that are ordered by arrival, so that the order in which parts
 * were woken never shows in a result.
 */
#ifndef SIM_SIM_H
#define SIM_SIM_H

#include "config.h"
#include "context.h"
#include "dram.h"
#include "noc.h"
#include "share.h"

/* Slots of the timing wheel: core cycles that it looks ahead. */
#define WHEEL_CYCLES		512
#define WHEEL_WORDS		(GPU_PARTS_MAX / 64)

/* struct wheel_slot - the parts that have a turn in a cycle; a cache line */
struct wheel_slot {
	u64 turns[WHEEL_WORDS];
} __aligned(64);

/*
 * struct tenant - a slot of the device
 * @trace: valid while @running, as is @kernel
 * @blocks: of the kernel's grid
 * @generation: changes when the slot is dropped, so that what is still on its
 *	way for the old tenant can be told from the new one's
 * @issue_slots: scheduler cycles that its warps held
 * @loads: MSHR entries of SMs that wait for its lines
 * @sms_active: SMs on which it has thread blocks
 * @blocks_preempted: in its queue of saved thread blocks, first in, first out
 * @queue_head: the first of them, valid while there are any
 * @queue_tail: the last
 * @next_sm: shared SM at which the search for room for its next block begins
 * @bucket_tokens: in its leaky bucket, as is @bucket_capacity
 */
struct tenant {
	const struct trace *trace;
	const struct trace_kernel *kernel;
	u32 kernel_index;
	u32 blocks;
	u32 blocks_issued;
	u32 blocks_finished;
	u8 running;
	u8 generation;
	u64 issue_slots;
	u64 loads;
	u32 sms_active;
	u32 blocks_preempted;
	u32 queue_head;
	u32 queue_tail;
	u32 next_sm;
	u32 bucket_tokens;
	u32 bucket_capacity;
	struct simgpu_counters counters;
};

/* struct gpu_shape - numbers derived from the configuration, once */
struct gpu_shape {
	u32 core_ticks;		/* time base units of a core cycle */
	u32 memory_ticks;	/* and of a memory clock */
	u64 per_core_tick;	/* their reciprocals, see divide() */
	u64 per_memory_tick;
	u32 slices_per_channel;
	u32 slice_queue;	/* places: waiting, and in the pipeline */
	u32 slice_ring;		/* the next power of two */
	u32 reply_queue;	/* cycles that a full reply queue lasts */
	bool sectored;		/* the L1, or the last-level cache */
	u16 done_mask;		/* places of slices' rings, less 1 */
	u16 inbox_mask;		/* and of channels' */
	u8 fetching;		/* kinds of requests that need the line */
	u8 packet_flits[GPU_LINE_BYTES / 4 + 1];	/* by words of data */
	u32 channel_shift;	/* log2(channels), or NONE if it is no power */
	u32 column_bits;
	u32 bank_bits;
	u32 group_shift;	/* log2(banks of a bank group) */
	u32 atd_sets;		/* sampled, of the whole cache */
	u32 mirror_sets;	/* of channel 0's slices; 0: no mirrors */
	u32 saved_blocks;	/* places in the pool */
	u32 saved_warps;
	u32 batch_cycles;	/* core cycles of a channel's batch, rounded down */
	u64 scheduler_warps;	/* those of an SM's scheduler 0 */
};

struct gpu {
	struct gpu_config config;
	struct gpu_shape shape;
	struct dram_limits limits;
	gpu_command_hook hook;
	void *hook_context;
	u64 now;
	u64 earliest;		/* cycle at which a part can be woken */
	u64 seed;
	u8 memory_priority[GPU_SLOTS_MAX];
	u64 finished;		/* slots: kernels that have ended */
	u64 dispatch;		/* slots: SMs may have room for thread blocks */
	u64 running;		/* slots with a kernel */
	u64 bucket_full;	/* slots whose next block is in the queue */
	u32 block_order;
	u32 order_slot;		/* round robin: whose turn is next */
	u32 order_sm;		/* leaky bucket: which SM's turn is next */
	bool dispatch_shared;	/* shared SMs may have room */
	u64 sample_at;		/* end of this cycle, NEVER for no samples */
	u64 sample_interval;
	u64 arrival_cycle;	/* for which @arrival_clock was computed */
	u64 arrival_clock;
	u64 occupied[WHEEL_CYCLES / 64];
	struct wheel_slot *wheel;
	u64 wake_at[GPU_PARTS_MAX];
	struct tenant *tenants;
	struct simgpu_counters *sm_counters;
	u64 *sm_issue_slots;
	struct sm_tenant *sm_tenants;	/* sms x slots */
	struct sm *sms;
	struct l1 l1[L1_KINDS];
	struct slice *slices;
	struct request *requests;	/* slices x slice_ring */
	struct llc_set *llc;		/* slices x sets */
	u32 *atd_tags;			/* slots x sampled sets x ways */
	u32 *mirror_tags;		/* slots x mirror sets x ways */
	struct channel *channels;	/* and with mirrors, one a slot */
	struct gpu_channel_counters *channel_counters;	/* channels x slots */
	struct context_pool pool;
};

/* gpu.c */
void gpu_wake_at(struct gpu *gpu, u32 part, u64 cycle);

/*
 * gpu_wake() - give a part a turn at a cycle, unless it has an earlier one
 *
 * A part that acts at this cycle may wake one that comes after it for this
 * same cycle, others from the next on.
 */
static inline void gpu_wake(struct gpu *gpu, u32 part, u64 cycle)
{
	if (cycle < gpu->earliest)
		cycle = gpu->earliest;
	if (cycle < gpu->wake_at[part])
		gpu_wake_at(gpu, part, cycle);
}

static inline u32 part_of_channel(u32 channel)
{
	return channel;
}

static inline u32 part_of_slice(u32 slice)
{
	return PARTS_SLICES + slice;
}

static inline u32 part_of_sm(u32 sm)
{
	return PARTS_SMS + sm;
}

/*
 * Division by a small number that is known beforehand: the high half of the
 * product with 2^64 / divisor, rounded up. Exact for dividends below
 * 2^64 / divisor, since the rounding adds less than 1 / divisor then.
 */
static inline u64 reciprocal(u32 divisor)
{
	return divisor == 1 ? 0 : ~0ULL / divisor + 1;
}

static inline u64 divide(u64 dividend, u64 reciprocal)
{
	if (!reciprocal)
		return dividend;
	return (u64)(((unsigned __int128)dividend * reciprocal) >> 64);
}

/* First memory clock edge at or after a core cycle, and the other way round. */
static inline u64 clock_of_cycle(const struct gpu *gpu, u64 cycle)
{
	const struct gpu_shape *shape = &gpu->shape;

	return divide(cycle * shape->core_ticks + shape->memory_ticks - 1,
		      shape->per_memory_tick);
}

static inline u64 cycle_of_clock(const struct gpu *gpu, u64 clock)
{
	const struct gpu_shape *shape = &gpu->shape;

	return divide(clock * shape->memory_ticks + shape->core_ticks - 1,
		      shape->per_core_tick);
}

static inline struct sm_tenant *sm_tenant(const struct gpu *gpu, u32 sm,
					  u32 slot)
{
	return &gpu->sm_tenants[sm * GPU_SLOTS_MAX + slot];
}

/* address.c */
static inline u32 hash_u32(u32 value)
{
	value ^= value >> 16;
	value *= 0x7feb352dU;
	value ^= value >> 15;
	value *= 0x846ca68bU;
	value ^= value >> 16;
	return value;
}

u32 address_slice(const struct gpu *gpu, u32 line);
u32 address_row(const struct gpu *gpu, u32 line, u8 *bank);

/* counters.c */
void count_request(struct gpu *gpu, u32 slice, const struct dram_done *done,
		   u32 count);
u64 refreshes_due(const struct gpu *gpu);

#endif /* SIM_SIM_H */
