/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The simulated GPU as its driver sees it: a clock to advance, and a register
 * file of controls and counters. Portable; deterministic; integers only.
 *
 * The caller hands over one block of memory. Inside there is no allocation,
 * lock, host clock or print, and no knowledge of policies or processes. A
 * tenant is a slot number. Calls are not thread-safe: the caller serializes all
 * calls except gpu_take_step().
 */
#ifndef SIM_GPU_H
#define SIM_GPU_H

#include <simgpu/bits.h>
#include <simgpu/counters.h>
#include <simgpu/fixed.h>
#include "clock.h"
#include "gpu_config.h"
#include "issue.h"
#include "kill.h"
#include "place.h"

#define GPU_SLOTS_MAX		64
#define GPU_NO_TENANT		0xffU
#define GPU_PRIORITIES		4
/* Queues of a slot, each with at most one kernel; their priorities, up and down. */
#define GPU_QUEUES_MAX		8
#define GPU_QUEUE_PRIORITY_MAX	3
/* In place of an owner: several tenants share the SM. */
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
 * typedef gpu_command_hook - is called for every DRAM command
 * @context: as given to gpu_set_command_hook()
 * @channel: the channel
 * @clock: memory clock
 * @command: the command. READ and WRITE are the first column access of a line, and
 *	the others follow tccd_l apart; but where there are bank groups and tccd_l
 *	is more than tccd_s, the hook is called for each access
 * @bank: the bank; 0 for PRECHARGE_ALL and REFRESH
 * @row: the row, for ACTIVATE, READ and WRITE
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
 * @seed: seed of all random numbers
 *
 * Return: the GPU, which lies in @memory.
 */
struct gpu *gpu_init(void *memory, const struct gpu_config *config, u64 seed);

void gpu_set_command_hook(struct gpu *gpu, gpu_command_hook hook, void *context);

const struct gpu_config *gpu_config(const struct gpu *gpu);
/* Core cycles since gpu_init(). */
u64 gpu_now(const struct gpu *gpu);
/* Memory clocks in a number of core cycles, rounded down. */
u64 gpu_memory_clocks(const struct gpu *gpu, u64 cycles);

/**
 * gpu_llc_hit_cycles() - latency of a line that the last-level cache has
 * @gpu: the device
 *
 * Return: core cycles from an L1's request to the reply, without contention.
 */
u32 gpu_llc_hit_cycles(const struct gpu *gpu);

/**
 * gpu_dram_cycles() - latency of a line that is fetched from a closed bank
 * @gpu: the device
 *
 * Return: core cycles from an L1's request to the reply, without contention.
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
 * A window is the latency of an LLC hit: as long as SMs and memory can run without each
 * other. When a thread block ends, the next block in its SM's reserve begins at once. All
 * other blocks, and those of shared SMs, begin at the next multiple of a window, and
 * kernels end there.
 *
 * Return: core cycles.
 */
u32 gpu_window(const struct gpu_config *config);

/* Most threads that can run a device together. */
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
 * gpu_set_views() - set how many threads may run a device together
 * @gpu: the device, which no thread runs meanwhile
 * @memory: gpu_view_bytes() bytes, 64-byte aligned, any content; the device uses
 *	it until the next call. May be NULL for one view
 * @views: 1 to GPU_VIEWS_MAX; 1 after gpu_init()
 *
 * No result depends on the number of views.
 */
void gpu_set_views(struct gpu *gpu, void *memory, u32 views);

/* A step of all threads, after which they meet again. */
enum gpu_step {
	GPU_STEP_DONE,		/* no step: gpu_run() would have returned */
	GPU_STEP_SMS,
	GPU_STEP_MEMORY,
};

/**
 * gpu_next_step() - gpu_run() for several threads
 * @gpu: the device
 * @until: as for gpu_run(), the same in each call until GPU_STEP_DONE; or
 *	gpu_soonest_end(), if it is to be done sooner
 *
 * One thread calls it, while no other uses the device. Unless it is done, each
 * view then takes the step, and after all have, it is called again. So
 *
 *	while (gpu_next_step(gpu, until) != GPU_STEP_DONE)
 *		for (view = 0; view < views; view++)
 *			gpu_take_step(gpu, view);
 *
 * is gpu_run(), and the calls of the inner loop may go to as many threads. The caller
 * provides the threads, and makes each one's writes visible to the others after a step.
 *
 * Return: the step to take.
 */
enum gpu_step gpu_next_step(struct gpu *gpu, u64 until);

/**
 * gpu_soonest_end() - the first cycle at which a run can end that has begun
 * @gpu: the device; gpu_next_step() has returned a step
 *
 * Return: the cycle, from which on neither SMs nor memory have run; no later than the
 * @until of gpu_next_step().
 */
u64 gpu_soonest_end(const struct gpu *gpu);

/**
 * gpu_take_step() - a view's part of the step
 * @gpu: the device
 * @view: index of the view; each one once a step
 */
void gpu_take_step(struct gpu *gpu, u32 view);

/*
 * Slots of which a kernel has finished since the last call, a bit each: an interrupt
 * status. gpu_take_queues() says which queues.
 */
u64 gpu_take_finished(struct gpu *gpu);

/**
 * gpu_take_queues() - queues whose kernels have finished
 * @gpu: the device
 * @slot: a slot that gpu_take_finished() has returned
 *
 * Return: a bit for each queue whose kernel has finished since the last call, and
 * that has not been given another kernel.
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

/* Thread blocks of a kernel that an SM can hold if it holds no others. */
u32 gpu_kernel_blocks_per_sm(const struct gpu_config *config,
			     const struct trace_kernel *kernel);

/**
 * gpu_queue_start() - give a slot's idle queue a kernel; SMs begin in the next cycle
 * @gpu: the device
 * @slot: the tenant, which has the address space and all counters
 * @queue: below GPU_QUEUES_MAX; the kernels of several run at once
 * @trace: stays valid until the kernel finishes or the slot is dropped
 * @kernel: its index in the trace
 *
 * While a slot has several kernels, its SMs have no thread blocks in reserve: blocks
 * begin where windows end, as on shared SMs (see gpu_window()).
 */
void gpu_queue_start(struct gpu *gpu, u32 slot, u32 queue,
		     const struct trace *trace, u32 kernel);

/* gpu_queue_start() for a slot's first queue */
static inline void gpu_kernel_start(struct gpu *gpu, u32 slot,
				    const struct trace *trace, u32 kernel)
{
	gpu_queue_start(gpu, slot, 0, trace, kernel);
}

/**
 * gpu_queue_set_priority() - set which of a slot's kernels go first
 * @gpu: the device
 * @slot: the tenant
 * @queue: below GPU_QUEUES_MAX
 * @priority: -GPU_QUEUE_PRIORITY_MAX to GPU_QUEUE_PRIORITY_MAX, the highest; 0 at
 *	first and after gpu_tenant_drop()
 *
 * While a queue's kernel has thread blocks that have not begun, no block of a
 * queue of the same slot with a lower priority begins. Queues of the same priority
 * take turns. GPU_ORDER_ARRIVAL ignores priorities.
 */
void gpu_queue_set_priority(struct gpu *gpu, u32 slot, u32 queue, s32 priority);

/**
 * gpu_set_rank() - set a slot's rank for GPU_ORDER_RANK
 * @gpu: the device
 * @slot: the tenant
 * @rank: the lowest goes first; 0 at first and after gpu_tenant_drop()
 */
void gpu_set_rank(struct gpu *gpu, u32 slot, u32 rank);

/**
 * gpu_tenant_drop() - end a slot's work now, on the spot
 * @gpu: the device
 * @slot: the tenant
 *
 * Its thread blocks vanish, saved ones too. Its lines leave the caches without
 * a write-back, and its SMs lose their owner. Requests on their way finish without
 * effect. The slot's counters keep their values.
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
 * replaces an owner that still waits, but a drain under way is finished. A later call
 * with GPU_PREEMPT_SWITCH saves the blocks that still drain. With GPU_PREEMPT_RESET the
 * SM changes hands at once, see issue.h.
 *
 * With yield_ns of the configuration a switch begins so much later, and with a preempt_level
 * of kernels any way of leaving when the owner's kernels have ended that run now. Until then
 * the SM is the owner's as before, unless it has no thread block; a call that assigns the SM
 * to its owner calls that off. With a level above "within" blocks run to their end.
 *
 * A switch stops the thread blocks at once; each scheduler finishes the warp
 * instruction that it issues. When a block's loads have come, its context (its
 * registers and its shared memory in whole lines) is stored through the
 * load/store unit, the crossbar and the last-level cache. The block then waits
 * in its tenant's queue (HSM Fig. 8). It goes on where the tenant next has
 * room, before any new block, once its context has been read back. The save area
 * is at the top of the tenant's device address space, without the last line;
 * each saved block has a region of its own there. A trace that reaches that far
 * shares lines with it, which only costs time.
 *
 * The device can keep as many saved thread blocks and warps as four such GPUs
 * run, a small GPU as many as up to 24 (context_gpus()). An SM whose blocks find no place
 * drains instead.
 */
void gpu_sm_assign(struct gpu *gpu, u32 sm, u32 slot, enum gpu_preemption mode);

/**
 * typedef gpu_handover_hook - is called when a slot has got an SM that it waited for
 * @context: as given to gpu_set_handover_hook()
 * @slot: the tenant
 * @cycles: from gpu_sm_assign() until the last thread block of others had left the SM
 */
typedef void (*gpu_handover_hook)(void *context, u32 slot, u64 cycles);

/**
 * gpu_set_handover_hook() - hear how long slots wait for SMs
 * @gpu: the device
 * @hook: called for each that sm_handovers counts, by the thread that runs the device, at
 *	the end of its part of a window; NULL, the first value: nobody hears
 * @context: for @hook
 */
void gpu_set_handover_hook(struct gpu *gpu, gpu_handover_hook hook, void *context);

/**
 * gpu_sm_share() - let all tenants use an SM (simultaneous multikernel)
 * @gpu: the device
 * @sm: index of the SM
 *
 * This takes effect at once, and the owner's thread blocks stay. An SM that drains first
 * finishes that. gpu_sm_assign() ends the sharing: then all blocks leave. Thread blocks
 * are issued to shared SMs in the order of gpu_set_block_order().
 *
 * Each cycle of a shared SM counts in the sm_cycles of one tenant. In a cycle with
 * issuing warps it is one of the tenants that issue: they take turns, each as often as it
 * holds issue slots. In a cycle in which no warp issues, the tenants with a running kernel
 * and a block limit other than 0 there take turns. So the tenants' sum is the SM's cycles
 * while there is any such tenant, wherever gpu_run() pauses.
 */
void gpu_sm_share(struct gpu *gpu, u32 sm);

/**
 * gpu_sm_set_block_limit() - how many thread blocks a slot may have on an SM
 * @gpu: the device
 * @sm: index of the SM
 * @slot: the tenant
 * @blocks: most thread blocks at a time; 0: none; GPU_NO_LIMIT, the first value: as many
 *	as fit
 * @mode: how blocks above the limit leave: GPU_PREEMPT_DRAIN lets them run to
 *	their end, GPU_PREEMPT_SWITCH saves the youngest ones, GPU_PREEMPT_RESET
 *	drops the youngest ones
 *
 * The other thread blocks of the SM go on meanwhile. A limit lasts until it is
 * set again or the slot is dropped.
 */
void gpu_sm_set_block_limit(struct gpu *gpu, u32 sm, u32 slot, u32 blocks,
			    enum gpu_preemption mode);

/* In place of a quota: no quota. */
#define GPU_NO_QUOTA		((s64)(U64_MAX >> 1))
/* The greatest quota and refill; a quota is at least minus this. */
#define GPU_QUOTA_MAX		0x1000000000000000LL

/**
 * gpu_sm_set_quota() - bound what a slot issues on an SM (FGQoS 3.3, 3.4)
 * @gpu: the device
 * @sm: index of the SM
 * @slot: the tenant
 * @left: thread instructions that the slot may still issue there, -GPU_QUOTA_MAX to
 *	GPU_QUOTA_MAX; GPU_NO_QUOTA, the first value: any number
 * @refill: 0 to GPU_QUOTA_MAX: added to what is left when every slot that has a
 *	quota and running thread blocks on the SM has come to zero or below. It is added
 *	again until one of them is above zero
 *
 * At zero or below, the slot's warps are not picked on that SM. Bursts are cut, so
 * that what is left goes below zero by less than a warp instruction for all
 * schedulers together. Several schedulers take equal parts of what is left.
 *
 * FGQoS' naive scheme refills best-effort tenants alone, the elastic one all tenants;
 * rollover adds gpu_sm_quota_left() to the next @left. A quota lasts until it
 * is set again or the slot is dropped.
 */
void gpu_sm_set_quota(struct gpu *gpu, u32 sm, u32 slot, s64 left, s64 refill);

/**
 * struct gpu_quota - quota of a slot on an SM, see gpu_sm_set_quota()
 * @left: thread instructions that it may still issue
 * @refill: what is added when all slots have used theirs up
 * @at_completion: a warp instruction is subtracted when it completes, as in FGQoS 3.4.1: a
 *	load when its data has come, other instructions when their result is there. Until
 *	then the slot goes on, so that what is left goes below zero by what is under way,
 *	at most GPU_UNDER_WAY_MOST for each warp. Else it is subtracted when it issues
 */
struct gpu_quota {
	s64 left;
	s64 refill;
	bool at_completion;
};

/* Thread instructions of a warp that may be under way: 32 loads and a burst. */
#define GPU_UNDER_WAY_MOST	((32 + 64) * 32)

/**
 * gpu_sm_set_quotas() - set several slots' quotas on an SM at once
 * @gpu: the device
 * @sm: index of the SM
 * @slots: a bit for each slot whose quota is set
 * @quotas: by slot
 *
 * This is gpu_sm_set_quota() for each slot, but no refill comes before all are set.
 */
void gpu_sm_set_quotas(struct gpu *gpu, u32 sm, u64 slots,
		       const struct gpu_quota *quotas);

/*
 * Thread instructions that a slot has issued on an SM and that have not completed; 0 if its
 * quota falls when they issue, or if it has none.
 */
u64 gpu_sm_under_way(const struct gpu *gpu, u32 sm, u32 slot);

/* What is left of a quota, or GPU_NO_QUOTA. */
s64 gpu_sm_quota_left(const struct gpu *gpu, u32 sm, u32 slot);

/**
 * gpu_set_idle_sampling() - count the warps that could issue but do not
 * @gpu: the device
 * @interval_cycles: cycles between samples from now on; 0, the first value: no samples
 *
 * A sample counts on each SM for each tenant with thread blocks there. A warp is
 * idle (FGQoS 3.6) if it is ready, or waits for the load/store unit, and is not
 * the one that its scheduler issues. A warp that its quota or a context switch
 * holds back is not idle.
 */
void gpu_set_idle_sampling(struct gpu *gpu, u64 interval_cycles);

/*
 * The order in which thread blocks are issued: those of all tenants to shared SMs, and
 * those of a tenant's kernels to its own SMs.
 */
enum gpu_block_order {
	GPU_ORDER_ROUND_ROBIN,
	GPU_ORDER_LEAKY_BUCKET,
	GPU_ORDER_ARRIVAL,
	GPU_ORDER_RANK,
};

/**
 * gpu_set_block_order() - set the order of thread blocks
 * @gpu: the device
 * @order: GPU_ORDER_ROUND_ROBIN, the first value: tenants take turns, each going
 *	over the SMs in turn; a tenant whose block fits nowhere is passed over.
 *	GPU_ORDER_LEAKY_BUCKET: one queue for all, filled by leaky buckets (STM
 *	4.1), whose blocks go to the SMs in turn; the first waits until it fits.
 *	GPU_ORDER_ARRIVAL: all blocks of the kernel that started first, then those
 *	of the next one, which gets the room that is left over; the first waits until
 *	it fits. GPU_ORDER_RANK: as ARRIVAL, but first by gpu_set_rank(), then by
 *	gpu_queue_set_priority(), then by their start
 *
 * In each order, a tenant that may not have one more block on any shared SM is passed
 * over. When it is the turn of a tenant with several kernels, these take turns by
 * priority. On a tenant's own SMs there are only its kernels: leaky buckets are the same
 * as turns there, and a block goes to the SM with the fewest blocks.
 *
 * Each cycle of the leaky buckets, which takes no time, adds a token to the
 * bucket of each tenant that has a thread block to issue and is below its limit
 * on some SM. A bucket that reaches its capacity puts a block into the queue
 * and is emptied; if several do, the lowest slot's block is first.
 */
void gpu_set_block_order(struct gpu *gpu, enum gpu_block_order order);

/**
 * gpu_set_shared_blocks() - limit the thread blocks of all tenants on a shared SM
 * @gpu: the device
 * @most: above 0; at first, and if @most is above it, the configuration's limit
 *
 * No block begins on a shared SM that has that many; blocks that are there stay. For
 * kernels that are merged, @most is the number of blocks that fit if each takes as much
 * room as the greatest of them.
 */
void gpu_set_shared_blocks(struct gpu *gpu, u32 most);

/* Most thread blocks that a worker may run between two checks of the flag. */
#define GPU_WORKER_BLOCKS_MAX	1000

/**
 * gpu_set_worker_blocks() - let workers run kernels, which check a flag (FLEP)
 * @gpu: the device
 * @blocks: blocks that a worker runs between two checks, up to GPU_WORKER_BLOCKS_MAX; 0,
 *	the first value: there are no workers, and an SM that drains begins no block
 *
 * A worker is a place for a thread block on an SM: it runs the blocks that come there.
 * Each check costs the configuration's poll_cycles, for which the next block waits.
 * Workers leave an SM that drains when they check the flag, and not before.
 */
void gpu_set_worker_blocks(struct gpu *gpu, u32 blocks);

/**
 * gpu_set_bucket() - capacity of a slot's leaky bucket
 * @gpu: the device
 * @slot: the tenant
 * @capacity: 1 and up; 1 at first. A tenant's share of the thread blocks is in
 *	proportion to 1 / capacity
 */
void gpu_set_bucket(struct gpu *gpu, u32 slot, u32 capacity);

/* What an SM does about its thread blocks; if several hold, the last one counts. */
enum gpu_sm_state {
	GPU_SM_RUNNING,		/* takes thread blocks, if its owner has any */
	GPU_SM_RESTORING,	/* reads back contexts */
	GPU_SM_DRAINING,	/* takes no block until its present ones are gone */
	GPU_SM_SAVING,		/* saves contexts */
};

/**
 * gpu_set_memory_priority() - set the priority of a slot's memory requests
 * @gpu: the device
 * @slot: the tenant
 * @priority: 0 (all tenants', until set and after gpu_tenant_drop()) to 3, the
 *	highest
 *
 * It applies to requests that leave the last-level cache from now on. Among the
 * requests that a controller can serve, those of the highest priority come
 * first, then row hits, then the oldest. A full queue takes requests in the order of
 * priority, too. A request that has waited for 8192 memory
 * clocks goes before all others. (Application-aware bandwidth partitioning,
 * HSM section 6.4; Jog et al., GPGPU-7.)
 */
void gpu_set_memory_priority(struct gpu *gpu, u32 slot, u32 priority);

/**
 * struct gpu_sm_status - a row of the SM status register table (HSM Fig. 8)
 * @owner: slot that holds the SM, GPU_SHARED or GPU_NO_TENANT
 * @next_owner: slot that it was last assigned to; differs from @owner while draining
 * @blocks: thread blocks that it holds, with those being saved or restored
 * @state: &enum gpu_sm_state
 */
struct gpu_sm_status {
	u32 owner;
	u32 next_owner;
	u32 blocks;
	enum gpu_sm_state state;
};

void gpu_sm_status(const struct gpu *gpu, u32 sm, struct gpu_sm_status *out);
/* A shortcut for the @next_owner of gpu_sm_status() */
u32 gpu_sm_next_owner(const struct gpu *gpu, u32 sm);

/**
 * struct gpu_kernel_status - a row of the kernel status register table
 * @running: whether the queue has a kernel; else the rest is about its last one
 * @kernel: its index in the trace
 * @blocks: thread blocks of its grid
 * @blocks_issued: thread blocks that have started
 * @blocks_finished: thread blocks that have ended
 * @blocks_preempted: saved thread blocks that wait for an SM
 * @ended_at: cycle at which the latest end of a thread block was
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

/* gpu_queue_status() for a slot's first queue */
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
 * @thread_instructions: thread instructions that it has issued there since its counters
 *	were reset
 * @idle_warp_samples: as in &struct simgpu_counters, for this SM
 * @idle_warps: as in &struct simgpu_counters, for this SM
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
/* Shortcuts for two fields of gpu_sm_tenant(). */
u32 gpu_sm_blocks(const struct gpu *gpu, u32 sm, u32 slot);
u32 gpu_sm_block_limit(const struct gpu *gpu, u32 sm, u32 slot);

/*
 * Event counts of a slot, or of an SM over all its tenants, since their reset. Counts that
 * only slots have (directories, mirrors, loads, the last-level cache, DRAM) are 0 for SMs.
 */
void gpu_tenant_counters(struct gpu *gpu, u32 slot, struct simgpu_counters *out);
void gpu_sm_counters(struct gpu *gpu, u32 sm, struct simgpu_counters *out);

/**
 * struct gpu_channel_counters - what a memory controller counts for a slot
 *	(HSM 4.1, Fig. 8), since the slot's counters were reset
 * @requests: lines fetched or written back
 * @row_activates: activates issued for them; row hits are @requests -
 *	@row_activates, as everywhere
 * @bus_busy_clocks: memory clocks in which the data bus carried them
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
 * @writes: requests in the controller's write queue
 * @arriving: requests on their way to either queue
 * @slice_requests: requests in the queues of its slices
 * @slice_waiting: requests for which these queues have no room
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
 * hash_mix() - add a value to a hash
 * @hash: the hash so far
 * @value: any
 *
 * Return: the new hash.
 */
static inline u64 hash_mix(u64 hash, u64 value)
{
	hash = (hash ^ value) * 0x9e3779b97f4a7c15ULL;
	return hash ^ (hash >> 29);
}

/**
 * hash_bytes() - add memory to a hash
 * @hash: the hash so far
 * @bytes: memory without holes or pointers
 * @count: its bytes
 *
 * Return: the new hash.
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
 * struct hash_walk - a struct is added to a hash, from its first byte to its last
 * @hash: the hash so far
 * @at: the first byte that is not in it
 */
struct hash_walk {
	u64 hash;
	const u8 *at;
};

/**
 * hash_walk_to() - add the bytes up to an address
 * @walk: the walk; what it adds has to be whole words, except at its end
 * @to: behind the last of them
 *
 * Return: the hash so far.
 */
static inline u64 hash_walk_to(struct hash_walk *walk, const void *to)
{
	walk->hash = hash_bytes(walk->hash, walk->at, (const u8 *)to - walk->at);
	walk->at = to;
	return walk->hash;
}

/**
 * hash_walk_over() - add the bytes up to an array, and the array
 * @walk: the walk
 * @array: the array
 * @bytes: its size, a multiple of 8
 * @first: the part at its beginning that is added as it is, a multiple of 8
 * @rest: what words behind that part mostly are: only others are added, with their place
 *
 * So a hash does not depend on how much room there is for large GPUs.
 */
static inline void hash_walk_over(struct hash_walk *walk, const void *array,
				  size_t bytes, size_t first, u64 rest)
{
	size_t i;
	u64 word;

	hash_walk_to(walk, (const u8 *)array + first);
	for (i = first; i < bytes; i += sizeof(word)) {
		memcpy(&word, (const u8 *)array + i, sizeof(word));
		if (word != rest)
			walk->hash = hash_mix(hash_mix(walk->hash, i), word);
	}
	walk->at = (const u8 *)array + bytes;
}

/* hash_walk_mask() - the same of a mask of SMs: words from the third on are mostly 0 */
static inline void hash_walk_mask(struct hash_walk *walk, const u64 *sms)
{
	hash_walk_over(walk, sms, GPU_MASK_WORDS * sizeof(*sms), 2 * sizeof(*sms), 0);
}

/* hash_walk_counters() - the same of counters: those of managed memory are mostly 0 */
static inline void hash_walk_counters(struct hash_walk *walk,
				      const struct simgpu_counters *counters)
{
	hash_walk_over(walk, counters, sizeof(*counters),
		       SIMGPU_PLACE_faults * sizeof(u64), 0);
}

/**
 * gpu_state_hash() - the state hash: everything that decides the future, and
 *	all counters
 * @gpu: the device, which no thread runs meanwhile
 *
 * Equal histories have equal hashes, in kernel and userspace, for every channel batch
 * size and wherever gpu_run() paused. The call first lets all channels run as far ahead
 * as they may, which changes no result.
 *
 * Return: the hash.
 */
u64 gpu_state_hash(struct gpu *gpu);

#endif /* SIM_GPU_H */
