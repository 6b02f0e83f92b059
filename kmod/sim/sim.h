/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The inside of the simulated GPU: the structs that hold its parts together. Each part
 * has a header. All files of kmod/sim include this one; outside kmod/sim only the unit
 * tests do.
 *
 * The device has two sides: SMs, and memory channels with their slices of the
 * last-level cache. A message from one to the other takes a while, so each side
 * can run some cycles ahead of what it has heard from the other: the sides take
 * turns, a window of cycles each (step.c). In a window every SM, and every
 * channel with its slices, is independent: it reads data that only changes
 * between windows, and writes only its own. So several threads can share the
 * work, and one thread finds a part's state in its caches for a whole window.
 * Thread blocks are issued between windows, at fixed cycles (dispatch.c).
 * Messages are put in order by cycle and sender, so that neither threads nor
 * windows ever show in a result.
 */
#ifndef SIM_SIM_H
#define SIM_SIM_H

#include "config.h"
#include "context.h"
#include "copy.h"
#include "dram.h"
#include "fault.h"
#include "noc.h"
#include "share.h"

PORT_NO_HOLES_BEGIN

/*
 * struct grid - the thread blocks of the kernel that a slot's queue has, or had; it
 *	does not change in a window
 * @trace: the kernel's trace, valid while it runs; @ops and @kernel point into it
 * @started: how many kernels started on the device before this one
 * @ended_at: cycle of the latest end of a thread block
 * @issued_at: cycle of the latest end of a warp, not counting its stores
 * @next_block: the first block that no SM has been given
 * @returned: number of earlier blocks that SMs have given back, see gpu->returned
 * @masked: its blocks may begin on the SMs of @sms only, see gpu_queue_set_mask()
 * @blocks_preempted: blocks in its queue of saved thread blocks, first in, first out
 * @saved_head: the first of them, valid while there are any
 * @saved_tail: the last of them
 * @issue_left: blocks that may still be given to SMs, or GPU_NO_LIMIT
 * @slice_told: the driver knows, or need not know, that the slice is over
 * @spins: its warps spin, whatever their programs say, see gpu_queue_spin()
 * @lasts: the part that the state hash takes whole. Outside it are the trace, of which
 *	the hash takes the checksum, and the links of the queue, which it follows
 */
struct grid {
	const struct trace *trace;
	const struct trace_op *ops;
	const struct trace_kernel *kernel;
	u32 saved_head;
	u32 saved_tail;
	struct_group(lasts,
		u64 started;
		u64 ended_at;
		u64 issued_at;
		u64 sms[GPU_MASK_WORDS];
		u32 kernel_index;
		u32 blocks;
		u32 blocks_finished;
		u32 next_block;
		u32 returned;
		u32 blocks_preempted;
		u32 issue_left;
		bool slice_told;
		bool masked;
		bool spins;
		u8 unused;
	);
};

/*
 * struct tenant - a slot of the device; it does not change in a window
 * @running: queues that have a kernel, a bit each
 * @ending: queues of @running whose thread blocks have all ended
 * @finished: queues whose kernel's end the driver has not taken yet
 * @sliced: queues whose slice's end the driver has not taken yet
 * @generation: changes when the slot is dropped, so that messages to the old tenant
 *	can be told from those to the new one
 * @next_queue: queue whose turn is next, if several run
 * @next_sm: SM at which the search for room for its next block begins
 * @bucket_tokens: tokens in its leaky bucket; @bucket_capacity is the bucket's size
 * @rank: see gpu_set_rank()
 * @priority: by queue
 * @channels: channels that have its lines, listed by channel_list(); 0: all
 * @closed_ways: ways of the last-level cache where none of its lines is put, four bits
 *	each
 */
struct tenant {
	u64 channels;
	u64 closed_ways;
	u32 next_queue;
	u32 next_sm;
	u32 bucket_tokens;
	u32 bucket_capacity;
	u32 rank;
	s8 priority[GPU_QUEUES_MAX];
	u8 running;
	u8 ending;
	u8 finished;
	u8 sliced;
	u8 generation;
	u8 unused[7];
};

PORT_NO_HOLES_END

/*
 * struct tenant_counts - counts of a slot. The last three are moved elsewhere when a
 *	window ends, so the state hash leaves them out
 * @issue_slots: scheduler cycles that its warps held
 * @loads: MSHR entries of SMs that wait for its lines
 * @sms_active: SMs on which it has thread blocks
 * @blocks_ended: by queue, blocks that have ended and dispatch.c has not counted yet
 * @ended_at: cycle of the latest of these ends
 * @issued_at: cycle of the latest end of a warp
 */
struct tenant_counts {
	struct simgpu_counters counters;
	u64 issue_slots;
	u64 loads;
	u64 sms_active;
	u64 blocks_ended[GPU_QUEUES_MAX];
	u64 ended_at[GPU_QUEUES_MAX];
	u64 issued_at[GPU_QUEUES_MAX];
};

/* struct gpu_shape - numbers derived from the configuration, once */
struct gpu_shape {
	u32 core_ticks;		/* time base units of a core cycle */
	u32 memory_ticks;	/* time base units of a memory clock */
	u64 per_core_tick;	/* reciprocals of these, see divide() */
	u64 per_memory_tick;
	u32 slices_per_channel;
	u32 slice_queue;	/* requests that wait, or are in the pipeline */
	u32 sm_entries;		/* entries of an SM, for misses and for stores */
	u32 sm_ahead;		/* cycles that SMs may be ahead of memory */
	u32 memory_ahead;	/* cycles that memory may be ahead of SMs */
	u32 window;		/* see gpu_window() */
	u32 cycle_mask;		/* lists of struct gpu's @cycles, less 1 */
	u32 per_set;		/* 2^32 / sets of a slice, rounded up */
	u32 port_words;		/* words of a mask of ports */
	u32 reply_queue;	/* cycles that a full reply queue lasts */
	bool sectored;		/* the L1 or the last-level cache has sectors */
	u16 done_mask;		/* places of slices' rings, less 1 */
	u16 inbox_mask;		/* places of channels' rings, less 1 */
	u8 fetching;		/* kinds of requests that need the line */
	u8 packet_flits[GPU_LINE_BYTES / 4 + 1];	/* by words of data */
	u32 channel_shift;	/* log2(channels), or NONE if it is no power of two */
	u32 column_bits;
	u32 bank_bits;
	u32 group_shift;	/* log2(banks of a bank group) */
	u32 atd_sets;		/* sampled sets of the whole cache */
	u32 mirror_sets;	/* sets of channel 0's slices; 0: no mirrors */
	u32 saved_blocks;	/* places in the pool */
	u32 saved_warps;
	u32 batch_cycles;	/* core cycles of a channel's batch, rounded down */
	u64 scheduler_warps;	/* warps of an SM's scheduler 0 */
};

PORT_NO_HOLES_BEGIN

/*
 * struct gpu - the device, as one thread sees it. If there are several threads, each
 *	but the first has a copy, with a clock and counts of its own. Everything
 *	that they share lies behind pointers
 * @main: the first view
 * @bounded: some slot may not use all channels or ways, pages may be on the host, or there
 *	is a @place_hook: only then masks and pages are looked at
 * @handed: an SM of this view has @handed_to
 * @views: number of views, the first one included
 * @view: index of this view
 * @view_of: all views; only in @main
 * @now: cycle of the part that has its turn; between calls of gpu_run(), of all
 * @step: the present step, up to and with the cycle @step_end
 * @sms_done: cycle up to which SMs have run
 * @memory_done: cycle up to which channels and slices have run
 * @starts: kernels that have started
 * @grids: by slot and queue, see grid_number()
 * @channel_lists: by slot, see channel_list()
 * @counts: by slot; the counts of all views are added up when gpu_run() ends
 * @outbox: requests, by channel
 * @reply_outbox: replies, by SM
 * @cycles: for sorting messages: a list for each cycle of a window. A list has
 *	messages if its bit in @cycles_used is set
 * @sm_ports: messages that wait at SMs, with noc_head_blocking
 * @slice_ports: messages that wait at slices
 * @port_turns: by cycle of a window, a mask of ports whose turn it is (noc_ports.c)
 * @noticed: an SM of this view has a notice
 * @yields_due: some SM may be yielding, at which preempt.c looks when a window ends
 * @dispatch_due: there may be thread blocks to issue at the window's end
 * @remote: pages may be mapped on the host: the link, a slice behind the others, may have
 *	requests (remote.c)
 * @core_mhz: clock of the SMs while it is lowered; 0: it is the configuration's (clock.h)
 * @engines: copy engines that work, see gpu_set_pager() and gpu_set_copies(); their ports
 *	follow those of the SMs in @sms, @sm_ports, @requests and @replies
 * @managed: slots with managed memory
 * @managed_memory: their pages, and the faults of SMs; NULL before gpu_set_pager()
 * @copies: copies of commands; NULL before gpu_set_copies()
 * @lasts: the part that the state hash takes whole
 * @requests: by place: SMs x entries
 * @replies: SMs x entries x sectors of the last-level cache
 */
struct gpu {
	struct gpu_config config;
	struct gpu_shape shape;
	struct dram_limits limits;
	bool bounded;
	bool handed;
	u8 unused1[4];
	gpu_command_hook hook;
	void *hook_context;
	gpu_place_hook place_hook;
	void *place_context;
	gpu_handover_hook handover_hook;
	void *handover_context;
	struct gpu *main;
	struct gpu **view_of;
	u32 views;
	u32 view;
	u64 now;
	enum gpu_step step;
	u32 unused2;
	u64 step_end;
	u64 sms_done;
	u64 memory_done;
	struct_group(lasts,
		u64 seed;
		u8 memory_priority[GPU_SLOTS_MAX];
		u64 finished;		/* slots: kernels that have ended */
		u64 ending;		/* slots: all thread blocks of a kernel have ended */
		u64 dispatch;		/* slots: SMs may have room for thread blocks */
		u64 running;		/* slots with a kernel */
		u64 limited;		/* slots with an issue limit */
		u64 sliced;		/* slots: slices that are over */
		u64 quotas_out;		/* slots: quotas that are used up */
		u64 quotas_told;	/* slots: were so at the last look */
		u64 bucket_full;	/* slots whose next block is in the queue */
		u64 starts;
		u64 sample_at;		/* end of this cycle, NEVER for no samples */
		u64 sample_interval;
		u32 block_order;
		u32 shared_blocks;	/* most blocks of all tenants on a shared SM */
		u32 worker_blocks;	/* blocks between two checks; 0: no workers */
		u32 order_slot;		/* round robin: slot whose turn is next */
		u32 order_sm;		/* leaky bucket: SM whose turn is next */
		bool dispatch_shared;	/* shared SMs may have room */
		bool watch_quotas;
		u8 unused[2];
	);
	bool dispatch_due;
	bool noticed;
	bool remote;
	bool yields_due;
	u32 engines;
	u32 core_mhz;
	u32 unused3;
	u64 arrival_cycle;	/* cycle for which @arrival_clock was computed */
	u64 arrival_clock;
	u64 managed;
	struct managed *managed_memory;
	struct copy_commands *copies;
	struct tenant *tenants;
	struct grid *grids;
	u8 *channel_lists;
	struct tenant_counts *counts;
	struct mailbox *outbox;
	struct mailbox *reply_outbox;
	struct mailbox *cycles;
	u64 *cycles_used;
	struct simgpu_counters *sm_counters;
	u64 *sm_issue_slots;
	struct sm_tenant *sm_tenants;	/* sms x slots */
	struct sm *sms;
	/* Blocks that SMs gave back: slots x sms x SM_RESERVE, for a slot's only kernel. */
	u32 *returned;
	struct l1 l1[L1_KINDS];
	struct slice *slices;
	struct noc_port *sm_ports;
	struct noc_port *slice_ports;
	u64 *port_turns;
	struct request *requests;
	u32 *request_stored;		/* of stores, with llc_sectors: stored_bytes() */
	struct reply *replies;
	struct llc_set *llc;		/* slices x sets */
	u32 *llc_stored;			/* of ways, with llc_sectors: stored_bytes() */
	u32 *atd_tags;			/* slots x sampled sets x ways */
	u32 *mirror_tags;		/* slots x mirror sets x ways */
	struct tag_sectors *atd_sectors;	/* of each tag, with llc_sectors */
	struct tag_sectors *mirror_sectors;
	struct channel *channels;	/* and the mirrors', one a slot */
	struct gpu_channel_counters *channel_counters;	/* channels x slots */
	struct context_pool pool;
};

PORT_NO_HOLES_END

/*
 * A part asks for its next turn. A turn that comes too early is harmless; a part
 * wakes other parts for a later cycle only.
 */
static inline void sm_wake(struct sm *sm, u64 cycle)
{
	sm->turn_at = min(sm->turn_at, cycle);
}

static inline void slice_wake(struct slice *slice, u64 cycle)
{
	slice->turn_at = min(slice->turn_at, cycle);
}

static inline void channel_wake(struct channel *channel, u64 cycle)
{
	channel->turn_at = min(channel->turn_at, cycle);
}

/* Whether a request that does not find its line, or its sector of it, fetches it. */
static inline bool llc_fetches(const struct gpu *gpu, u32 kind)
{
	return gpu->shape.fetching >> kind & 1;
}

/* SMs and copy engines: there is room for all, since memory may become managed later. */
static inline u32 senders_of(const struct gpu_config *config)
{
	return config->sms + config->copy_engines;
}

/* Slices, and the link to the host, which SMs see as one. */
static inline u32 slices_of(const struct gpu_config *config)
{
	return config->llc_slices + 1;
}

/* SMs and copy engines, which send requests to slices. */
static inline u32 gpu_senders(const struct gpu *gpu)
{
	return gpu->config.sms + gpu->engines;
}

static inline struct simgpu_counters *slot_counters(const struct gpu *gpu, u32 slot)
{
	return &gpu->counts[slot].counters;
}

/* A request arrives at its slice, and enters its queue. */
static inline void request_arrives(struct gpu *gpu, struct slice *slice, u32 place,
				   u64 arrival)
{
	struct request *request = &gpu->requests[place];

	request->ready = arrival + gpu->config.llc_latency;
	request->mail.next = NOBODY;
	if (slice->request_head == NOBODY)
		slice->request_head = place;
	else
		gpu->requests[slice->request_tail].mail.next = place;
	slice->request_tail = place;
	slice->request_count++;
	/* If no request is held up by those before it, all earlier ones may be waiting. */
	if (slice->request_head == place ||
	    (gpu->config.slice_arbitration != GPU_ARBITRATE_ORDER &&
	     slice->request_at == NEVER)) {
		slice->request_at = request->ready;
		slice_wake(slice, request->ready);
	}
}

/*
 * A request leaves its slice's queue. The ports learn it as late as a reply would. Each flit
 * of room has an entry of its own at most, so that there are enough.
 */
static inline void leave_queue(const struct gpu *gpu, struct slice *slice,
			       const struct request *request)
{
	u64 cycle = gpu->now + gpu->config.noc_latency;

	slice->request_count--;
	if (gpu->config.slice_queue_flits)
		slice->left[slice->left_in++] =
			cycle << LEFT_FLITS_BITS | queue_flits(request);
}

/* Whether any view has messages for a channel's slices, or for an SM. */
static inline bool has_requests(const struct gpu *gpu, u32 channel)
{
	u32 i;

	for (i = 0; i < gpu->views; i++)
		if (gpu->main->view_of[i]->outbox[channel].head != NOBODY)
			return true;
	return false;
}

static inline bool has_replies(const struct gpu *gpu, u32 sm)
{
	u32 i;

	for (i = 0; i < gpu->views; i++)
		if (gpu->main->view_of[i]->reply_outbox[sm].head != NOBODY)
			return true;
	return false;
}

/*
 * Division by a small number that is known beforehand: the high half of the
 * product with 2^64 / divisor, rounded up. It is exact for dividends below
 * 2^64 / divisor, since for these the rounding adds less than 1 / divisor.
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

/*
 * clock.c: while the clock of the SMs is lowered, device time goes on in cycles of the highest
 * clock. Cycle k of the SMs begins in the first one of these in which k / @core_mhz is over.
 */
u64 clock_ticks(const struct gpu *gpu, u64 cycle);
u64 clock_span(const struct gpu *gpu, u64 from, u64 cycles);
u64 clock_seen(const struct gpu *gpu, u64 cycle);

/* How long @cycles cycles of the SMs take from @from on, in which one of them begins. */
static __always_inline u64 sm_span(const struct gpu *gpu, u64 from, u64 cycles)
{
	return __builtin_expect(!gpu->core_mhz, 1) ? cycles :
						     clock_span(gpu, from, cycles);
}

static inline u32 grid_number(u32 slot, u32 queue)
{
	return slot * GPU_QUEUES_MAX + queue;
}

static inline u32 grid_slot(u32 number)
{
	return number / GPU_QUEUES_MAX;
}

static inline u32 grid_queue(u32 number)
{
	return number % GPU_QUEUES_MAX;
}

/* Whether a slot has more than one kernel. */
static inline bool runs_several(const struct tenant *tenant)
{
	return tenant->running & (tenant->running - 1);
}

/* The list of the channels that a slot may use, if not all, the lowest first. */
static inline u8 *channel_list(const struct gpu *gpu, u32 slot)
{
	return &gpu->channel_lists[slot * gpu->config.channels];
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

u32 address_place(const struct gpu *gpu, u32 line, u16 *set);

static inline u32 address_slice(const struct gpu *gpu, u32 line)
{
	u16 set;

	return address_place(gpu, line, &set);
}

u32 address_row(const struct gpu *gpu, u32 line, u8 *bank);

/* place.c; tell_place() may only be called while @bounded. */
void tell_place(const struct gpu *gpu, u32 slot, enum gpu_place place, u32 index);
void masks_forget(struct gpu *gpu, u32 slot);

/* counters.c */
void count_request(struct gpu *gpu, u32 slice, const struct dram_done *done,
		   u32 count);
u64 refreshes_due(const struct gpu *gpu);

#endif /* SIM_SIM_H */
