/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The simulated GPU as its driver sees it: a clock to advance, and a register
 * file of controls and counters. Portable; deterministic; integers only.
 *
 * The caller hands over one block of memory. Inside there is no allocation,
 * lock, host clock or print, and no knowledge of policies or processes. A
 * tenant is a slot number. Calls are not thread-safe: the caller serializes, but
 * for gpu_take_step().
 */
#ifndef SIM_GPU_H
#define SIM_GPU_H

#include <simgpu/counters.h>
#include <simgpu/fixed.h>
#include "gpu_config.h"
#include "issue.h"
#include "place.h"

#define GPU_SLOTS_MAX		64
#define GPU_NO_TENANT		0xffU
#define GPU_PRIORITIES		4
/* Queues of a slot, each with a kernel at most; their priorities, up and down. */
#define GPU_QUEUES_MAX		8
#define GPU_QUEUE_PRIORITY_MAX	3
/* In place of an owner: several tenants may be on the SM. */
#define GPU_SHARED		0xfeU
#define GPU_NO_LIMIT		U32_MAX

enum dram_command {
	DRAM_ACTIVATE,
	DRAM_PRECHARGE,
	DRAM_READ,
	DRAM_WRITE,
	DRAM_PRECHARGE_ALL,
	DRAM_REFRESH,
	DRAM_COMMANDS
};

/**
 * typedef gpu_command_hook - sees every DRAM command
 * @context: as given to gpu_set_command_hook()
 * @channel: which channel
 * @clock: memory clock
 * @command: what; READ and WRITE are the first column access of a line, which
 *	the others follow tccd_l apart; where there are bank groups and tccd_l
 *	is more than tccd_s, they are each access
 * @bank: which bank; 0 for PRECHARGE_ALL and REFRESH
 * @row: for ACTIVATE, READ and WRITE
 *
 * Commands of one channel come in order; a channel may run ahead of another.
 */
typedef void (*gpu_command_hook)(void *context, u32 channel, u64 clock,
				 enum dram_command command, u32 bank, u32 row);

struct gpu;

/* Bytes of memory that gpu_init() needs for a checked configuration. */
size_t gpu_bytes(const struct gpu_config *config);

/**
 * gpu_init() - a cold GPU: cycle 0, empty caches, closed rows, no tenants
 * @memory: gpu_bytes() bytes, 64-byte aligned, any content
 * @config: checked; copied
 * @seed: for everything random
 *
 * Return: the GPU, which lies in @memory.
 */
struct gpu *gpu_init(void *memory, const struct gpu_config *config, u64 seed);

void gpu_set_command_hook(struct gpu *gpu, gpu_command_hook hook, void *context);

const struct gpu_config *gpu_config(const struct gpu *gpu);
/* Core cycles since gpu_init(). */
u64 gpu_now(const struct gpu *gpu);
/* Memory clocks that fit into that many core cycles. */
u64 gpu_memory_clocks(const struct gpu *gpu, u64 cycles);

/**
 * gpu_llc_hit_cycles() - how long a line takes that the last-level cache has
 * @gpu: the device
 *
 * Return: core cycles from an L1's request to the reply, with nothing in the way.
 */
u32 gpu_llc_hit_cycles(const struct gpu *gpu);

/**
 * gpu_dram_cycles() - how long a line takes that is fetched from a closed bank
 * @gpu: the device
 *
 * Return: core cycles, as gpu_llc_hit_cycles().
 */
u32 gpu_dram_cycles(const struct gpu *gpu);

/**
 * gpu_run() - advance the clock
 * @gpu: the device
 * @until: cycle to stop at, not before gpu_now()
 *
 * Stops at @until, or earlier where it finds that a kernel has finished (see
 * gpu_take_finished()): at the next multiple of gpu_window() cycles. Counters are
 * exact at the stop.
 */
void gpu_run(struct gpu *gpu, u64 until);

/**
 * gpu_window() - how often the device looks for thread blocks that have ended
 * @config: of the GPU
 *
 * An LLC hit's time: as far as its SMs and its memory can go without each other.
 * A thread block that ends makes room at once for one of those that its SM has
 * been given beforehand; all others, and those of shared SMs, begin, and kernels
 * end, at the next multiple of so many cycles.
 *
 * Return: core cycles.
 */
u32 gpu_window(const struct gpu_config *config);

/* Threads that can run a device together. */
#define GPU_VIEWS_MAX		64

/**
 * gpu_view_bytes() - memory that gpu_set_views() needs
 * @config: checked
 * @views: 1 to GPU_VIEWS_MAX
 *
 * Return: bytes; 0 for one view.
 */
size_t gpu_view_bytes(const struct gpu_config *config, u32 views);

/**
 * gpu_set_views() - how many threads may run a device together
 * @gpu: the device, which nobody runs meanwhile
 * @memory: gpu_view_bytes() bytes, 64-byte aligned, any content; the device uses
 *	it until the next call. May be NULL for one view
 * @views: 1 to GPU_VIEWS_MAX; 1 after gpu_init()
 *
 * No result depends on it.
 */
void gpu_set_views(struct gpu *gpu, void *memory, u32 views);

/* What all threads do until they meet again. */
enum gpu_step {
	GPU_STEP_DONE,		/* nothing: it is what gpu_run() would have left */
	GPU_STEP_SMS,
	GPU_STEP_MEMORY,
};

/**
 * gpu_next_step() - gpu_run() for several threads
 * @gpu: the device
 * @until: as of gpu_run(), the same in each call until it is done
 *
 * One thread calls it, while no other uses the device. Unless it is done, each
 * view takes the step then, and after all have, it is called again. So
 *
 *	while (gpu_next_step(gpu, until) != GPU_STEP_DONE)
 *		for (view = 0; view < views; view++)
 *			gpu_take_step(gpu, view);
 *
 * is gpu_run(), and the calls of the inner loop may go to as many threads. What
 * one writes others must see after it; threads are the caller's.
 *
 * Return: what to do.
 */
enum gpu_step gpu_next_step(struct gpu *gpu, u64 until);

/**
 * gpu_take_step() - a view's part of the step
 * @gpu: the device
 * @view: which; each once a step
 */
void gpu_take_step(struct gpu *gpu, u32 view);

/*
 * Slots of which a kernel has finished since the last call: an interrupt status. Of
 * which queues: gpu_take_queues().
 */
u64 gpu_take_finished(struct gpu *gpu);

/**
 * gpu_take_queues() - which queues' kernels have finished
 * @gpu: the device
 * @slot: one that gpu_take_finished() has named
 *
 * Return: a bit for each queue whose kernel has finished since the last call, and
 * that has not been given another one.
 */
u32 gpu_take_queues(struct gpu *gpu, u32 slot);

/**
 * gpu_kernel_fits() - whether an SM can hold a thread block of a kernel
 * @config: of the GPU
 * @kernel: the kernel
 *
 * Return: true if an empty SM can.
 */
bool gpu_kernel_fits(const struct gpu_config *config,
		     const struct trace_kernel *kernel);

/* Thread blocks of a kernel that an SM can run concurrently, alone. */
u32 gpu_kernel_blocks_per_sm(const struct gpu_config *config,
			     const struct trace_kernel *kernel);

/**
 * gpu_queue_start() - give a slot's idle queue a kernel; SMs begin in the next cycle
 * @gpu: the device
 * @slot: the tenant, to which the address space and all counters belong
 * @queue: below GPU_QUEUES_MAX; the kernels of several run at once
 * @trace: stays valid until the kernel finishes or the slot is dropped
 * @kernel: its index in the trace
 *
 * While a slot has several kernels, no SM is given thread blocks beforehand, as
 * gpu_window() says of them: they begin where windows end, as on shared SMs.
 */
void gpu_queue_start(struct gpu *gpu, u32 slot, u32 queue,
		     const struct trace *trace, u32 kernel);

/* The same with a slot's first queue. */
static inline void gpu_kernel_start(struct gpu *gpu, u32 slot,
				    const struct trace *trace, u32 kernel)
{
	gpu_queue_start(gpu, slot, 0, trace, kernel);
}

/**
 * gpu_queue_set_priority() - which of a slot's kernels go first
 * @gpu: the device
 * @slot: the tenant
 * @queue: below GPU_QUEUES_MAX
 * @priority: -GPU_QUEUE_PRIORITY_MAX to GPU_QUEUE_PRIORITY_MAX, the highest; 0 at
 *	first and after gpu_tenant_drop()
 *
 * While a queue's kernel has thread blocks that have not begun, none begins of a
 * queue of the same slot that has a lower priority. Those of the same priority
 * take turns. GPU_ORDER_ARRIVAL does not look at priorities.
 */
void gpu_queue_set_priority(struct gpu *gpu, u32 slot, u32 queue, s32 priority);

/**
 * gpu_set_rank() - a slot's place in GPU_ORDER_RANK
 * @gpu: the device
 * @slot: the tenant
 * @rank: 0, as at first and after gpu_tenant_drop(), is the first
 */
void gpu_set_rank(struct gpu *gpu, u32 slot, u32 rank);

/**
 * gpu_tenant_drop() - end a slot's work now, on the spot
 * @gpu: the device
 * @slot: the tenant
 *
 * Its thread blocks vanish, saved ones too, its lines leave the caches without
 * a write-back, its SMs lose their owner. Requests on their way finish unseen.
 * The slot's counters keep their values.
 */
void gpu_tenant_drop(struct gpu *gpu, u32 slot);

/* Zero a dropped or fresh slot's counters for its next tenant. */
void gpu_tenant_reset_counters(struct gpu *gpu, u32 slot);

/* How thread blocks leave an SM before their end. */
enum gpu_preemption {
	GPU_PREEMPT_DRAIN,	/* not at all: it waits until they have ended */
	GPU_PREEMPT_SWITCH,	/* their contexts are saved in memory */
	GPU_PREEMPT_RESET,	/* they are dropped, and begin again from nothing */
};

/**
 * gpu_sm_assign() - set the owner of an SM
 * @gpu: the device
 * @sm: index of the SM
 * @slot: new owner or GPU_NO_TENANT
 * @mode: how the old owner's thread blocks leave
 *
 * The old owner keeps the SM until its last thread block there has finished
 * (GPU_PREEMPT_DRAIN) or has been saved (GPU_PREEMPT_SWITCH). A later call
 * replaces an owner that waits, but the drain under way is finished; one with
 * GPU_PREEMPT_SWITCH saves what still drains. With GPU_PREEMPT_RESET it goes at
 * once, see issue.h.
 *
 * A switch stops the thread blocks at once; each scheduler ends the warp
 * instruction that it issues. When a block's loads have come its context, that
 * is its registers and its shared memory in whole lines, is stored through the
 * load/store unit, the crossbar and the last-level cache. The block then waits
 * in its tenant's queue (HSM Fig. 8) and goes on where the tenant next has
 * room, before any new one, once its context has been read back. The save area
 * is at the top of the tenant's device address space, the last line left out;
 * each saved block has a region of its own there. A trace that reaches that far
 * shares lines with it, which costs time and nothing else.
 *
 * The device can keep as many saved thread blocks and warps as four such GPUs
 * run, and smaller ones as up to 24 (context_gpus()). An SM whose blocks find no place
 * drains instead.
 */
void gpu_sm_assign(struct gpu *gpu, u32 sm, u32 slot, enum gpu_preemption mode);

/**
 * gpu_sm_share() - let all tenants use an SM (simultaneous multikernel)
 * @gpu: the device
 * @sm: index of the SM
 *
 * At once, and the owner's thread blocks stay; unless the SM drains, which is
 * finished first. gpu_sm_assign() ends it: then all blocks leave. Thread blocks
 * are issued to shared SMs in the order of gpu_set_block_order().
 *
 * Each cycle of a shared SM counts in the sm_cycles of one tenant: of one that
 * issues in it, so that each gets the part of these cycles that its issue slots
 * are of all that are in use (they take turns, each as often as it holds slots);
 * and of cycles in which nobody issues, of the tenants with a running kernel
 * whose block limit there is not 0, in turn. So tenants' sums are the SM's cycles
 * while there is any such tenant, wherever gpu_run() pauses.
 */
void gpu_sm_share(struct gpu *gpu, u32 sm);

/**
 * gpu_sm_set_block_limit() - how many thread blocks a slot may have on an SM
 * @gpu: the device
 * @sm: index of the SM
 * @slot: the tenant
 * @blocks: at a time; 0: none; GPU_NO_LIMIT, as at first: what fits
 * @mode: how those that are too many leave: GPU_PREEMPT_DRAIN lets them run to
 *	their end, GPU_PREEMPT_SWITCH saves the youngest ones, GPU_PREEMPT_RESET
 *	drops those
 *
 * The other thread blocks of the SM go on meanwhile. A limit lasts until it is
 * set again or the slot is dropped.
 */
void gpu_sm_set_block_limit(struct gpu *gpu, u32 sm, u32 slot, u32 blocks,
			    enum gpu_preemption mode);

/* In place of a quota: there is none. */
#define GPU_NO_QUOTA		((s64)(U64_MAX >> 1))
/* The greatest quota and refill, and below zero the least quota. */
#define GPU_QUOTA_MAX		0x1000000000000000LL

/**
 * gpu_sm_set_quota() - bound what a slot issues on an SM (FGQoS 3.3, 3.4)
 * @gpu: the device
 * @sm: index of the SM
 * @slot: the tenant
 * @left: thread instructions that it may still issue there, -GPU_QUOTA_MAX to
 *	GPU_QUOTA_MAX; GPU_NO_QUOTA, as at first: any number
 * @refill: 0 to GPU_QUOTA_MAX: added to what is left when every slot that has a
 *	quota and running thread blocks on the SM has come to zero or below;
 *	again, until one of them is above
 *
 * At zero or below its warps there are not picked any more. Bursts are cut, so
 * that what is left goes below zero by less than a warp instruction for all
 * schedulers together. Several schedulers take equal parts of what is left.
 *
 * The naive scheme refills best-effort tenants alone, the elastic one all;
 * rollover adds gpu_sm_quota_left() to the next @left. A quota lasts until it
 * is set again or the slot is dropped.
 */
void gpu_sm_set_quota(struct gpu *gpu, u32 sm, u32 slot, s64 left, s64 refill);

/**
 * struct gpu_quota - of a slot on an SM, as gpu_sm_set_quota() takes them
 * @left: thread instructions that it may still issue
 * @refill: added when all have used theirs up
 */
struct gpu_quota {
	s64 left;
	s64 refill;
};

/**
 * gpu_sm_set_quotas() - set several slots' quotas on an SM at once
 * @gpu: the device
 * @sm: index of the SM
 * @slots: a bit for each whose quota is set
 * @quotas: by slot
 *
 * As gpu_sm_set_quota() for each, but nothing is filled before all are set.
 */
void gpu_sm_set_quotas(struct gpu *gpu, u32 sm, u64 slots,
		       const struct gpu_quota *quotas);

/* What is left of a quota, or GPU_NO_QUOTA. */
s64 gpu_sm_quota_left(const struct gpu *gpu, u32 sm, u32 slot);

/**
 * gpu_set_idle_sampling() - count the warps that could issue but do not
 * @gpu: the device
 * @interval_cycles: from now on, every so many cycles; 0: never, as at first
 *
 * A sample takes each SM and each tenant with thread blocks on it. A warp is
 * idle (FGQoS 3.6) if it is ready, or waits for the load/store unit, and is not
 * the one that its scheduler issues; a warp that its quota or a context switch
 * holds back is not.
 */
void gpu_set_idle_sampling(struct gpu *gpu, u64 interval_cycles);

/*
 * In which order thread blocks are issued: tenants' to shared SMs, and those of a
 * tenant's kernels to its own.
 */
enum gpu_block_order {
	GPU_ORDER_ROUND_ROBIN,
	GPU_ORDER_LEAKY_BUCKET,
	GPU_ORDER_ARRIVAL,
	GPU_ORDER_RANK,
};

/**
 * gpu_set_block_order() - order of thread blocks
 * @gpu: the device
 * @order: GPU_ORDER_ROUND_ROBIN, as at first: tenants take turns, each going
 *	over the SMs in turn; one whose block fits nowhere is passed over.
 *	GPU_ORDER_LEAKY_BUCKET: one queue for all, filled by leaky buckets (STM
 *	4.1), whose blocks go to the SMs in turn; the first waits until it fits.
 *	GPU_ORDER_ARRIVAL: all blocks of the kernel that started first, then those
 *	of the next one, which gets what is left over; the first waits until it
 *	fits. GPU_ORDER_RANK: likewise by gpu_set_rank(), of one rank by
 *	gpu_queue_set_priority(), of one priority by their start
 *
 * A tenant that may not have one more block on any shared SM is passed over in each
 * order. Kernels of a tenant with several take turns, by priority, where
 * it is the tenant's turn. On its own SMs there are only these, leaky buckets are as
 * turns, and a block goes where there are fewest.
 *
 * Each cycle of the algorithm, which is not one of time, adds a token to the
 * bucket of each tenant that has a thread block to issue and is below its limit
 * on some SM. A bucket that reaches its capacity puts a block into the queue
 * and is emptied; of several, the lowest slot's is first.
 */
void gpu_set_block_order(struct gpu *gpu, enum gpu_block_order order);

/**
 * gpu_set_shared_blocks() - thread blocks on a shared SM, of all tenants together
 * @gpu: the device
 * @most: above 0; as at first, and where it is more than that, the configuration's
 *
 * No block begins on a shared SM that has as many; those that are there stay. If the
 * blocks of several kernels each take as much room as the greatest of them, so many of
 * these fit on an SM.
 */
void gpu_set_shared_blocks(struct gpu *gpu, u32 most);

/* The most thread blocks that a worker may run between two looks at the flag. */
#define GPU_WORKER_BLOCKS_MAX	1000

/**
 * gpu_set_worker_blocks() - kernels are run by workers, which look at a flag (FLEP)
 * @gpu: the device
 * @blocks: that a worker runs between two looks, to GPU_WORKER_BLOCKS_MAX; 0, as at
 *	first: there are none, and an SM that drains begins no more blocks
 *
 * A worker is a place for a thread block on an SM: it runs the blocks that come there.
 * Each look costs the poll_cycles of the configuration, in which the next block waits.
 * From an SM that drains workers leave when they look, and not before.
 */
void gpu_set_worker_blocks(struct gpu *gpu, u32 blocks);

/**
 * gpu_set_bucket() - capacity of a slot's leaky bucket
 * @gpu: the device
 * @slot: the tenant
 * @capacity: 1 and up; 1 at first. A tenant's share of the thread blocks is as
 *	1 / capacity
 */
void gpu_set_bucket(struct gpu *gpu, u32 slot, u32 capacity);

/* What an SM does about its thread blocks; the last that holds, in this order. */
enum gpu_sm_state {
	GPU_SM_RUNNING,		/* takes thread blocks, if its owner has any */
	GPU_SM_RESTORING,	/* reads back the contexts of some */
	GPU_SM_DRAINING,	/* takes none until those that it has are gone */
	GPU_SM_SAVING,		/* saves the contexts of some */
};

/**
 * gpu_set_memory_priority() - whose requests the memory controllers serve first
 * @gpu: the device
 * @slot: the tenant
 * @priority: 0 (all tenants', until set and after gpu_tenant_drop()) to 3, the
 *	highest
 *
 * Holds for requests that leave the last-level cache from now on. Of the
 * requests that a controller can serve, those of the highest priority come
 * first, then row hits, then the oldest; and it takes them in that order of
 * priority where its queue is full. A request that has waited for 8192 memory
 * clocks goes before all others. (Application-aware bandwidth partitioning,
 * HSM section 6.4; Jog et al., GPGPU-7.)
 */
void gpu_set_memory_priority(struct gpu *gpu, u32 slot, u32 priority);

/**
 * struct gpu_sm_status - a row of the SM status register table (HSM Fig. 8)
 * @owner: slot that holds the SM, GPU_SHARED or GPU_NO_TENANT
 * @next_owner: slot that it was last assigned to; differs while draining
 * @blocks: thread blocks that it holds, those that are saved or restored too
 * @state: what it does about them
 */
struct gpu_sm_status {
	u32 owner;
	u32 next_owner;
	u32 blocks;
	enum gpu_sm_state state;
};

void gpu_sm_status(const struct gpu *gpu, u32 sm, struct gpu_sm_status *out);

/**
 * struct gpu_kernel_status - a row of the kernel status register table
 * @running: whether the queue has a kernel; else the rest is of its last one
 * @kernel: its index in the trace
 * @blocks: of its grid
 * @blocks_issued: that have started
 * @blocks_finished: that have ended
 * @blocks_preempted: saved ones that wait for an SM
 * @ended_at: cycle in which the last thread block that has ended did so
 */
struct gpu_kernel_status {
	bool running;
	u32 kernel;
	u32 blocks;
	u32 blocks_issued;
	u32 blocks_finished;
	u32 blocks_preempted;
	u64 ended_at;
};

void gpu_queue_status(const struct gpu *gpu, u32 slot, u32 queue,
		      struct gpu_kernel_status *out);

/* Of a slot's first queue. */
static inline void gpu_kernel_status(const struct gpu *gpu, u32 slot,
				     struct gpu_kernel_status *out)
{
	gpu_queue_status(gpu, slot, 0, out);
}

/**
 * struct gpu_sm_tenant - the registers of a slot on an SM
 * @blocks: thread blocks that it has there
 * @block_limit: see gpu_sm_set_block_limit()
 * @quota_left: see gpu_sm_quota_left()
 * @refill: see gpu_sm_set_quota()
 * @thread_instructions: that it issued there since its counters were reset
 * @idle_warp_samples: as in &struct simgpu_counters, since then
 * @idle_warps: likewise
 */
struct gpu_sm_tenant {
	u32 blocks;
	u32 block_limit;
	s64 quota_left;
	s64 refill;
	u64 thread_instructions;
	u64 idle_warp_samples;
	u64 idle_warps;
};

void gpu_sm_tenant(const struct gpu *gpu, u32 sm, u32 slot,
		   struct gpu_sm_tenant *out);
/* Of these, what is asked for most. */
u32 gpu_sm_blocks(const struct gpu *gpu, u32 sm, u32 slot);
u32 gpu_sm_block_limit(const struct gpu *gpu, u32 sm, u32 slot);

/*
 * Event counts of a slot or of an SM (of all its tenants) since reset. What only
 * slots have (directories, mirrors, loads, the last-level cache, DRAM) is 0 for SMs.
 */
void gpu_tenant_counters(struct gpu *gpu, u32 slot, struct simgpu_counters *out);
void gpu_sm_counters(struct gpu *gpu, u32 sm, struct simgpu_counters *out);

/**
 * struct gpu_channel_counters - what a memory controller counts for a slot
 *	(HSM 4.1, Fig. 8), since the slot's counters were reset
 * @requests: lines fetched or written back
 * @row_activates: activates issued for them; its row hits are @requests -
 *	@row_activates, as everywhere
 * @bus_busy_clocks: memory clocks in which its data bus carried them
 */
struct gpu_channel_counters {
	u64 requests;
	u64 row_activates;
	u64 bus_busy_clocks;
};

void gpu_channel_counters(const struct gpu *gpu, u32 channel, u32 slot,
			  struct gpu_channel_counters *out);

/**
 * struct gpu_channel_status - how full a channel and its slices are
 * @reads: requests in the controller's read queue
 * @writes: in its write queue
 * @arriving: on their way to either
 * @slice_requests: in the request queues of its slices
 * @slice_waiting: of these, those for which the queues are too short
 */
struct gpu_channel_status {
	u32 reads;
	u32 writes;
	u32 arriving;
	u32 slice_requests;
	u32 slice_waiting;
};

void gpu_channel_status(const struct gpu *gpu, u32 channel,
			struct gpu_channel_status *out);

/**
 * hash_mix() - take a value into a hash
 * @hash: the hash so far
 * @value: any
 *
 * Return: the hash.
 */
static inline u64 hash_mix(u64 hash, u64 value)
{
	hash = (hash ^ value) * 0x9e3779b97f4a7c15ULL;
	return hash ^ (hash >> 29);
}

/**
 * hash_bytes() - take memory into a hash
 * @hash: the hash so far
 * @bytes: without holes or pointers
 * @count: of these
 *
 * Return: the hash.
 */
static inline u64 hash_bytes(u64 hash, const void *bytes, size_t count)
{
	const char *at = bytes;
	u64 word;

	for (; count >= sizeof(word); count -= sizeof(word), at += sizeof(word)) {
		memcpy(&word, at, sizeof(word));
		hash = hash_mix(hash, word);
	}
	if (!count)
		return hash;
	word = (u64)count << 56;
	memcpy(&word, at, count);
	return hash_mix(hash, word);
}

/**
 * gpu_state_hash() - a hash of everything that decides the future, and
 *	of all counters
 * @gpu: the device, which nobody runs meanwhile
 *
 * Equal for equal histories, in kernel and userspace, for every channel batch
 * size and wherever gpu_run() paused. All channels first run as far ahead as
 * they may, which is no result.
 *
 * Return: the hash.
 */
u64 gpu_state_hash(struct gpu *gpu);

#endif /* SIM_GPU_H */
