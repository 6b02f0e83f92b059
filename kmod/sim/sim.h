/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The inside of the simulated GPU: its parts, and what they call of each
 * other. Nobody outside kmod/sim includes this (but the unit tests).
 *
 * A cycle is worked off part by part, in a fixed order: channels, then slices
 * of the last-level cache, then SMs. A part asks for its next turn with
 * gpu_wake(); a turn that comes too early is harmless. Messages between parts
 * lie in rings that are ordered by arrival, so that the order in which parts
 * were woken never shows in a result.
 */
#ifndef SIM_SIM_H
#define SIM_SIM_H

#include "gpu.h"

#define NEVER			U64_MAX
#define NONE			0xffU
#define NOBODY			0xffffU
#define NO_LINE			0xffffffffU
/* In wait_load of a warp: at the barrier of its thread block. */
#define WAIT_BARRIER		0xfeU
/* Likewise: its thread block's context is not there yet. */
#define WAIT_CONTEXT		0xfdU

/* A device line: the slot in the top 6 bits, the tenant's line below. */
#define LINE_SLOT_SHIFT		26

#define SM_WARPS_MAX		64
#define SM_BLOCKS_MAX		32
#define SM_SCHEDULERS_MAX	4
#define SM_MSHRS_MAX		128
#define SM_MSHR_BUCKETS		256
/* Misses on a pending line that one MSHR entry can hold, as GPGPU-Sim's 8. */
#define MSHR_MERGES		8
/* Loads of a warp whose data may be outstanding. */
#define WARP_LOADS		8
#define CACHE_WAYS_MAX		16
#define LLC_MSHRS_MAX		64
#define LLC_WRITES_MAX		64
#define DRAM_BANKS_MAX		16
#define DRAM_GROUPS_MAX		4
#define DRAM_QUEUE_MAX		64
/* Tags of a tenant's auxiliary directories: 64 tenants' take 4 MB. */
#define ATD_TAGS_MAX		16384
/* Likewise of its mirror. */
#define MIRROR_TAGS_MAX		16384
#define GPU_CHANNELS_MAX	64
#define GPU_SLICES_MAX		128
#define GPU_SMS_MAX		128

/* Slots of the timing wheel: core cycles that it looks ahead. */
#define WHEEL_CYCLES		512
/* Parts by number, in the order of their turns; each kind in words of its own. */
#define PARTS_SLICES		GPU_CHANNELS_MAX
#define PARTS_SMS		(PARTS_SLICES + GPU_SLICES_MAX)
#define GPU_PARTS_MAX		(PARTS_SMS + GPU_SMS_MAX)
#define WHEEL_WORDS		(GPU_PARTS_MAX / 64)

/* --- messages ----------------------------------------------------------- */

enum request_kind {
	REQUEST_READ,
	REQUEST_ATOMIC,
	REQUEST_WRITE,		/* the whole line */
	REQUEST_WRITE_PARTIAL,
};

/*
 * struct request - SM to slice
 * @ready: cycle at which the slice may look it up
 * @generation: of the tenant when it was sent; a dropped tenant's differs
 */
struct request {
	u64 ready;
	u32 line;
	u8 kind;
	u8 sm;
	u8 mshr;
	u8 generation;
};

/* struct dram_tag - whose a request is: what comes back with its dram_done */
struct dram_tag {
	u8 slice;	/* of the channel */
	u8 mshr;	/* reads */
	u8 slot;
	u8 generation;
};

/*
 * struct dram_request - slice to channel
 * @ready_clock: memory clock of its arrival
 * @bank: less than DRAM_BANKS_MAX
 * @priority: of its tenant when it was sent, less than GPU_PRIORITIES
 */
struct dram_request {
	u64 ready_clock : 56;
	u64 bank : 4;
	u64 priority : 4;
	u32 row;
	struct dram_tag tag;
};

/*
 * struct dram_done - channel to slice: a fill has come, a write has gone
 * @waited: clocks that it waited while its bank served other tenants
 * @activated: activates that it needed
 * @reopened: of these, for a row that its tenant had open before others came
 */
struct dram_done {
	u64 ready;
	struct dram_tag tag;
	u32 waited;
	u8 write;
	u8 activated;
	u8 reopened;
};

/* --- streaming multiprocessor ------------------------------------------- */

/* What a warp waits for, or waited for last. */
enum stall {
	STALL_EMPTY,		/* it has not issued yet */
	STALL_MEMORY,
	STALL_LSU,
	STALL_BARRIER,
	STALLS
};

/*
 * struct warp_load - a load whose data may still be on its way
 * @ready: cycle at which the lines that hit are there
 * @deadline: the warp's instruction count at which it must have the data
 * @pending: lines that have not arrived, plus 1 while the LSU works on it
 */
struct warp_load {
	u64 ready;
	u32 deadline;
	u16 pending;
};

/*
 * struct warp - a resident warp
 * @op: next op, index in the trace
 * @left: warp instructions left of a compute op that has begun; 0: not begun
 * @issued: warp instructions so far (wraps; only differences count)
 * @line: next of its recorded lines
 * @accesses: random accesses so far
 * @loop_index: of each open loop, outermost first
 * @loop_depth: open loops
 * @block: thread block slot of the SM
 * @index: in its thread block
 * @deadline: the least one of its @loads, or an earlier count: then it is looked
 *	for when that count is reached
 * @loads: bit mask of @load entries in use
 * @wait_load: the entry that it waits for, or NONE
 * @stall: &enum stall
 * @slot: of the tenant, as in its block
 */
struct warp {
	u32 op;
	u32 left;
	u32 issued;
	u32 line;
	u32 accesses;
	u32 loop_index[TRACE_LOOP_DEPTH_MAX];
	u8 loop_depth;
	u8 block;
	u8 loads;
	u8 wait_load;
	u8 stall;
	u8 slot;
	u8 index;
	u32 deadline;
	/* All above and the first load, the usual one, fill a cache line. */
	struct warp_load load[WARP_LOADS];
} __aligned(64);

/*
 * struct scheduler - a warp scheduler and the burst that it issues
 * @start: cycle of the burst's first instruction that is not yet counted
 * @counted_to: cycle up to which the issue slot's use is counted
 * @warp_instructions: counted, but not yet added to the counters of @slot and
 *	the SM; as are @thread_instructions and @issue_slots
 * @stalls: cycles in which no warp could issue, by &enum stall; not yet added
 * @count: the burst's instructions that are not yet counted
 */
struct scheduler {
	u64 start;
	u64 counted_to;
	u64 warp_instructions;
	u64 thread_instructions;
	u64 issue_slots;
	u64 stalls[STALLS];
	u32 count;
	u16 issue_cycles;
	u8 lanes;
	u8 slot;
};

enum block_state {
	BLOCK_RUNS,
	BLOCK_STOPS,		/* to be saved, when its loads have come */
	BLOCK_SAVES,		/* its context is being stored */
	BLOCK_RESTORES,		/* its context is being read */
	BLOCK_RETURNS,		/* preempted in that: back to the queue */
};

/*
 * struct block - a resident thread block
 * @state: &enum block_state
 * @moved: lines of its context that the load/store unit was given
 * @saved: its place in the pool, unless it runs
 */
struct block {
	u64 warps;
	u32 position[3];
	u32 index;
	u8 slot;
	u8 used;
	u8 warps_left;
	u8 at_barrier;
	u8 state;
	u32 moved;
	u32 saved;
};

/* An SM's L1s: loads look up one, constant loads the other. */
enum l1_kind {
	L1_DATA,
	L1_CONSTANT,
	L1_KINDS
};

/*
 * struct mshr - a miss of an L1 and the loads that wait for it
 * @ready: once the reply is on its way: cycle at which it arrives
 * @next_in_line: before it could be sent: who waits after it (noc.c)
 * @next: in its bucket, or in the free list
 * @next_reply: entry whose reply comes after this one's
 * @discard: do not fill: atomics, and tenants that are gone
 * @hashed: in a bucket: loads are, atomics are not
 * @l1: &enum l1_kind, of which L1; a line may miss in both
 * @waiter: warp * WARP_LOADS + load
 */
struct mshr {
	union {
		u64 ready;
		u16 next_in_line;
	};
	u32 line;
	u8 next;
	u8 next_reply;
	u8 waiters;
	u8 discard : 1;
	u8 hashed : 1;
	u8 l1 : 1;
	u16 waiter[MSHR_MERGES];
};

enum lsu_block {
	LSU_GOES_ON,
	LSU_MSHR,	/* until a fill frees an entry */
	LSU_SLICE,	/* a store, until the slice grants a place in its queue */
	LSU_PORT,	/* until the injection queue has drained a little */
};

/*
 * struct lsu - the load/store unit: one warp instruction at a time
 * @port_free: cycle at which the L1 port takes the next line
 * @partial: lines that a store covers in part, by bit
 * @next: line to send next; @count when idle
 * @blocked: why it cannot go on
 * @grant: slice in whose queue a place is kept for it, or NO_SLICE
 * @accesses: by &enum l1_kind, not yet added to the counters of @slot and the
 *	SM; as are @misses
 * @line: its lines
 */
struct lsu {
	u64 port_free;
	u32 partial;
	u8 count;
	u8 next;
	u8 kind;
	u8 warp;
	u8 load;
	u8 slot;
	u8 blocked;
	u8 grant;
	u32 accesses[L1_KINDS];
	u32 misses[L1_KINDS];
	u32 line[GPU_LANES];
};

#define NO_SLICE	0xffU
/* In kind of the load/store unit: reads of a saved context. */
#define LSU_RESTORE	0xffU

/*
 * struct sm_tenant - a slot on an SM, as struct gpu_sm_tenant has it
 * @quota: what is left of it without the bursts under way
 */
struct sm_tenant {
	u32 block_limit;
	s64 quota;
	s64 refill;
	u64 thread_instructions;
	u64 idle_warp_samples;
	u64 idle_warps;
};

/*
 * struct sm - a streaming multiprocessor; what most turns touch comes first,
 *	in two cache lines
 * @ready: warps that could issue, those that issue now included
 * @sleeping: warps with a @warp_wake
 * @lsu_waiters: warps that wait for the load/store unit
 * @next_sleeper: the first @warp_wake
 * @held: warps that must not issue
 * @free_at: cycle at which a scheduler's issue slot is free again
 * @reply_at: cycle at which the first reply arrives, NEVER if none is coming
 * @in_free: reply port; @out_free: request port
 * @reply_head: the MSHR entry of the first reply; @reply_tail: of the last
 * @greedy: the warp that issued last, which goes on while it can (GTO)
 * @turn: the warp after which a scheduler looks for the next one (LRR)
 * @age: of the next warp
 * @draining: gets no thread blocks until it is empty
 */
struct sm {
	u64 ready;
	u64 sleeping;
	u64 lsu_waiters;
	u64 next_sleeper;
	u64 free_at[SM_SCHEDULERS_MAX];
	u64 held;
	u64 reply_at;
	u64 in_free;
	u64 out_free;
	u8 schedulers;		/* a power of two */
	u8 reply_head;
	u8 reply_tail;
	u8 mshr_free;
	u8 mshrs_used;
	u8 greedy[SM_SCHEDULERS_MAX];
	u8 turn[SM_SCHEDULERS_MAX];
	struct lsu lsu;
	struct scheduler scheduler[SM_SCHEDULERS_MAX];
	u8 owner;
	u8 next_owner;
	u8 blocks;
	u8 draining;
	u8 mover;		/* block whose context the LSU moves, or NONE */
	u32 moving;		/* blocks that do not run */
	u64 quota_slots;	/* slots with a quota */
	u16 threads_used;
	u32 registers_used;
	u32 shared_used;
	u32 age;
	u64 owned_since;
	u64 free_warps;
	u32 warp_age[SM_WARPS_MAX];
	u64 warp_wake[SM_WARPS_MAX];	/* cycle at which it wakes */
	u8 mshr_bucket[SM_MSHR_BUCKETS];
	struct block block[SM_BLOCKS_MAX];
	/* The last one stands for the store in the load/store unit (noc.c). */
	struct mshr mshr[SM_MSHRS_MAX + 1];
	struct warp warp[SM_WARPS_MAX];
} __aligned(64);

/*
 * struct l1_set - of an SM's L1: tags only, nothing is dirty
 * @order: the ways, see lru_touch()
 */
struct l1_set {
	u64 order;
	u32 tag[];
};

/*
 * struct l1 - the SMs' L1s of one kind
 * @words: SMs x sets, each @set_words long
 * @sets: of an SM's, a power of two; 0: every access hits
 * @ways: of a set
 */
struct l1 {
	u32 *words;
	u32 sets;
	u32 ways;
	u32 set_words;
};

/* --- last-level cache ---------------------------------------------------- */

/*
 * struct llc_set - of a slice; two cache lines
 * @partial: a byte of each way's tag
 * @order: the ways, see lru_touch()
 * @dirty: ways that hold a written line
 * @pending: ways whose line is being fetched
 * @mshr: by which MSHR entry
 * @tag: NO_LINE for an empty way
 */
struct llc_set {
	u64 partial[CACHE_WAYS_MAX / 8];
	u64 order;
	u16 dirty;
	u16 pending;
	u8 mshr[CACHE_WAYS_MAX];
	u32 tag[CACHE_WAYS_MAX] __aligned(64);
} __aligned(64);

/* struct llc_mshr - a fetch and the SMs that wait for it */
struct llc_mshr {
	u16 set;
	u8 way;
	u8 waiters;
	u8 dirty;
	u8 generation;
	u8 next_free;
	u8 sm[MSHR_MERGES];
	u8 sm_mshr[MSHR_MERGES];
};

/*
 * struct slice - a slice of the last-level cache
 * @credits: places left in its request queue (struct gpu_shape.slice_queue)
 * @wait_head: first of those who wait for a place (noc.c), NOBODY for none
 * @wait_tail: last of them
 * @wait_count: how many
 * @request_at: cycle at which the first request may be looked up; NEVER if
 *	there is none or it is @stalled
 * @done_at: cycle at which the first completion arrives, NEVER if none comes
 * @stalled: the request at the head waits for an MSHR, a way or a write credit
 */
struct slice {
	u64 request_at;
	u64 done_at;
	u64 in_free;
	u64 out_free;
	u16 credits;
	u16 wait_head;
	u16 wait_tail;
	u16 wait_count;
	u16 request_head;
	u16 request_count;
	u8 stalled;
	u8 write_credits;
	u8 mshr_free;
	u8 mshrs_used;
	u8 done_head;
	u16 done_count;
	struct dram_done done[LLC_MSHRS_MAX + LLC_WRITES_MAX];
	struct llc_mshr mshr[LLC_MSHRS_MAX];
};

/* --- memory channel ------------------------------------------------------ */

enum dram_level {
	DRAM_BANK,
	DRAM_GROUP,
	DRAM_CHANNEL,
	DRAM_LEVELS
};

/* Commands that constraints bind: ACTIVATE, PRECHARGE, READ, WRITE. */
#define DRAM_BOUND	4

/*
 * struct dram_limits - a configuration's timings, compiled
 * @distance: least clocks from one command to another, by level; 0: none, or
 *	none beyond what a wider level asks
 * @read_data: from a line's last READ to the end of its data
 * @write_data: likewise
 * @burst: data bus clocks of a line
 * @group_banks: banks of a bank group
 * @columns: column commands of a line
 */
struct dram_limits {
	u16 distance[DRAM_LEVELS][DRAM_BOUND][DRAM_BOUND];
	u16 activate_window;	/* four activates within it */
	u16 read_data;
	u16 write_data;
	u16 burst;
	u8 group_banks;
	u8 columns;
};

/* Of an entry's key: from this bit on its rank, the least for the highest. */
#define DRAM_RANK_SHIFT		60

/* Memory clocks after which a request goes before all, of whatever priority. */
#define DRAM_PRIORITY_WAIT	8192

/*
 * struct dram_link - of an entry, what a search for rows looks at
 * @next: of its bank, in order of their keys; or in the free list
 */
struct dram_link {
	u32 row;
	u8 next;
};

/*
 * struct dram_entry - a request in a channel's queue
 * @key: the smaller, the sooner it is its turn: its rank (0 for the highest
 *	priority), its age, and its bank in the lowest byte
 * @since: memory clock of its arrival (wraps)
 * @activated: times that its row had to be opened for it
 * @reopened: see struct dram_done
 * @columns: column commands that it has had, where a line needs several
 * @others_clocks: of other tenants at its bank, when it came into the queue
 */
struct dram_entry {
	u64 key;
	u32 since;
	u32 others_clocks;
	struct dram_tag tag;
	u8 activated;
	u8 reopened;
	u8 columns;
};

/*
 * struct dram_queue - reads or writes, and per bank what FR-FCFS asks
 * @banks: banks with an entry
 * @hit_banks: banks with a hit, an entry to the open row
 * @capped: banks whose hits must wait for an older request (row-hit cap)
 * @bypassed: hits served since the activate while an older request waited
 * @head: entry of a bank with the least key: the oldest, if all have the same
 *	priority
 * @tail: with the greatest
 * @hit: hit with the least
 */
struct dram_queue {
	u8 count;
	u8 free;
	u32 banks;
	u32 hit_banks;
	u32 capped;
	u8 bypassed[DRAM_BANKS_MAX];
	u8 head[DRAM_BANKS_MAX];
	u8 tail[DRAM_BANKS_MAX];
	u8 hit[DRAM_BANKS_MAX];
	struct dram_link link[DRAM_QUEUE_MAX];
	struct dram_entry entry[DRAM_QUEUE_MAX];
};

#define DRAM_INBOX	256

/*
 * struct dram_inbox - requests on their way to a queue, in order of arrival
 * @head: place of the first in the ring
 * @priorities: of all of them, added up
 */
struct dram_inbox {
	u16 head;
	u16 count;
	u32 priorities;
};

#define DRAM_READS	0
#define DRAM_WRITES	1

/*
 * A bank serves a tenant from the first activate for it to the last precharge
 * before one for another; then that one.
 *
 * struct dram_share - a tenant's at a bank, as of when it last gave it up
 * @row: that it had open
 * @clocks: in which the bank has served it (wraps)
 */
struct dram_share {
	u32 row;
	u32 clocks;
};

/* What a bank wants: to open a row, to close it, to serve a hit; or nothing. */
enum dram_want {
	WANT_ACTIVATE,
	WANT_PRECHARGE,
	WANT_COLUMN,
	DRAM_WANTS
};

/*
 * struct channel - a memory controller and its DRAM
 * @arrival: clock at which the next request can come in
 * @pending: requests in queues and inboxes
 * @clock: next memory clock to simulate
 * @refresh_due: memory clock from which a refresh goes before all else
 * @wake: first clock at which there may be something else to do
 * @look: by want, the first clock at which it may be granted to a bank; it may
 *	be too early
 * @want: by want, the banks that have it; in the queue of @mode
 * @open: banks with an open row
 * @started: banks whose hit has been served in part
 * @mode: DRAM_READS or DRAM_WRITES, which queue is served
 * @next_mode: which queue it is to be
 * @ranked: entries may differ in priority
 * @age: of the next entry of the lowest priority, with its rank
 * @overdue_look: clock from which it is time to look for overdue entries
 * @next: by command, the first clock that the channel as a whole allows
 * @key: by bank, of the entry for which it wants something
 * @bank_next: by command and bank, the first clock that the bank allows
 * @row: that is open
 * @owner: by bank, the tenant that it serves, or has served last; or NONE
 * @owned_since: by bank, clock of the first activate for it (wraps)
 * @closed_at: by bank, clock of the last precharge (wraps)
 * @served: by bank, clocks in which it served all tenants before (wraps)
 * @others: by bank, clocks of @served that were not for its owner (wraps)
 * @fresh: banks with an activate since the last refresh
 * @reopening: by bank, slots whose @row is closed because of others
 * @share: by bank and slot
 * @window: next allowed activate after each of the last four (tFAW)
 * @oldest_window: the entry of @window that binds next
 * @request: rings of @inbox
 */
struct channel {
	/* What a request touches that comes in. */
	u64 arrival;
	u16 pending;
	struct dram_inbox inbox[2];
	u64 clock;
	u64 refresh_due;
	u64 wake;
	u64 look[DRAM_WANTS];
	u32 want[DRAM_WANTS];
	u32 open;
	u32 started;
	u8 mode;
	u8 next_mode;
	u8 oldest_window;
	u8 ranked;
	u64 age;
	u64 overdue_look;
	u64 next[DRAM_BOUND];
	u64 window[4];
	u64 key[DRAM_BANKS_MAX];
	u64 bank_next[DRAM_BOUND][DRAM_BANKS_MAX];
	u32 row[DRAM_BANKS_MAX];
	u8 owner[DRAM_BANKS_MAX];
	u32 owned_since[DRAM_BANKS_MAX];
	u32 closed_at[DRAM_BANKS_MAX];
	u32 served[DRAM_BANKS_MAX];
	u32 others[DRAM_BANKS_MAX];
	u32 fresh;
	u64 reopening[DRAM_BANKS_MAX];
	struct dram_share share[DRAM_BANKS_MAX][GPU_SLOTS_MAX];
	struct dram_queue queue[2];
	struct dram_request request[2][DRAM_INBOX] __aligned(64);
} __aligned(64);

/* --- saved thread blocks --------------------------------------------------- */

/* GPUs full of thread blocks and warps that can be saved at a time. */
#define CONTEXT_GPUS		4
/* The save area of a tenant: the top lines of its space but for the last. */
#define CONTEXT_LINES_MAX	0x2000000U
#define CONTEXT_TOP		((1U << LINE_SLOT_SHIFT) - 1)
#define NO_CONTEXT		U32_MAX

/*
 * struct saved_block - a thread block that has left its SM, or is leaving
 * @next: in its tenant's queue, or in the free list
 * @first_warp: of its warps, in order of their index
 */
struct saved_block {
	u32 next;
	u32 first_warp;
	u32 index;
	u8 warps_left;
	u8 at_barrier;
};

/* struct saved_warp - what a warp needs to go on; @next: of its block */
struct saved_warp {
	u32 next;
	u32 op;
	u32 left;
	u32 line;
	u32 accesses;
	u32 loop_index[TRACE_LOOP_DEPTH_MAX];
	u16 index;
	u8 loop_depth;
	u8 at_barrier;
};

/*
 * struct context_pool - places for saved thread blocks and their warps
 * @free_block: first free of @blocks, NO_CONTEXT for none
 * @free_warp: first free of @warps
 * @blocks_left: free ones that nobody has reserved, as are @warps_left
 */
struct context_pool {
	struct saved_block *blocks;
	struct saved_warp *warps;
	u32 free_block;
	u32 free_warp;
	u32 blocks_left;
	u32 warps_left;
};

/* --- the whole ----------------------------------------------------------- */

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
	u32 request_flits;
	u32 write_flits;
	u32 reply_flits;
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

/* spec_*.c */
extern const struct gpu_config spec_hbm80;
extern const struct gpu_config spec_gddr5_40;
extern const struct gpu_config spec_themis60;
extern const struct gpu_config spec_fg16;
extern const struct gpu_config spec_fg56;
extern const struct gpu_config spec_gtx480;
extern const struct gpu_config spec_c2070;
extern const struct gpu_config spec_gtx680;
extern const struct gpu_config spec_k20;

/* config.c */
#define CONFIG_FIELDS_MAX	64

/*
 * struct config_field - a field of struct gpu_config
 * @name: as users write it, such as "sms" or "dram.trc"
 * @offset: in the struct
 * @bytes: of the field, 2 or 4
 * @least: value that it may have
 * @greatest: likewise
 */
struct config_field {
	const char *name;
	size_t offset;
	size_t bytes;
	u32 least;
	u32 greatest;
};

/* All fields but the name, by index; NULL past the last. */
const struct config_field *config_field_at(u32 index);
u32 config_get(const struct gpu_config *config, const struct config_field *field);
void config_set(struct gpu_config *config, const struct config_field *field,
		u32 value);
/* gpu_config_check() with a reason, which reads on from the field's name. */
int config_check(const struct gpu_config *config, const char **field,
		 const char **reason);

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

static inline u64 later(u64 a, u64 b)
{
	return a > b ? a : b;
}

static inline u64 sooner(u64 a, u64 b)
{
	return a < b ? a : b;
}

/* @value or 0, without a branch. */
static inline u64 if_set(bool condition, u64 value)
{
	return value & -(u64)condition;
}

static inline u32 line_slot(u32 line)
{
	return line >> LINE_SLOT_SHIFT;
}

static inline u32 lowest_bit(u64 mask)
{
	return (u32)__builtin_ctzll(mask);
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
/* The lines of a warp's access, coalesced; returns how many. */
u32 address_lines(struct gpu *gpu, struct sm *sm, u32 warp,
		  const struct trace_op *op, struct lsu *lsu);

/* cache.c */
void cache_init(struct gpu *gpu);
struct l1_set *l1_set(const struct l1 *l1, u32 sm, u32 line);
bool l1_lookup(const struct l1 *l1, u32 sm, u32 line);
void l1_fill(const struct l1 *l1, u32 sm, u32 line);
void l1_flush(struct gpu *gpu, u32 sm);
void l1_drop(struct gpu *gpu, u32 sm, u32 slot);
void slice_turn(struct gpu *gpu, u32 slice);
void llc_drop(struct gpu *gpu, u32 slot);

/*
 * Of a set of directories and mirrors, which lie in the order of use: put a tag in
 * front; those before @way grow older by one, @way's goes.
 */
static inline void tags_put_first(u32 *tags, u32 way, u32 tag)
{
	for (; way > 0; way--)
		tags[way] = tags[way - 1];
	tags[0] = tag;
}

/* atd.c */
u32 atd_sets(const struct gpu_config *config);
/* The next two: with atd_sampling only. */
void atd_access(struct gpu *gpu, u32 set, u32 line, bool pending);
void atd_fill(struct gpu *gpu, u32 set, u32 line);
void atd_drop(struct gpu *gpu, u32 slot);

/* mirror.c */
u32 mirror_sets(const struct gpu_config *config);
/* With mirrors only; @set is one of channel 0's. */
void mirror_access(struct gpu *gpu, u32 set, u32 line, u32 kind);
void mirror_drop(struct gpu *gpu, u32 slot);

/* noc.c */
enum lsu_block noc_send(struct gpu *gpu, u32 sm, u32 line, u32 kind, u32 mshr,
			u64 cycle);
void noc_reply(struct gpu *gpu, u32 slice, u32 sm, u32 mshr);
void noc_release(struct gpu *gpu, u32 slice);
void noc_forget(struct gpu *gpu, u32 sm);

/* dram.c */
void dram_compile(const struct gpu_config *config, struct dram_limits *limits);
void channel_init(struct gpu *gpu, u32 channel);
void channel_send(struct gpu *gpu, u32 slice, u32 line, bool write, u32 mshr,
		  u32 generation);
void channel_turn(struct gpu *gpu, u32 channel);
u64 channel_run(struct gpu *gpu, u32 channel, u64 until);
void channel_post(struct gpu *gpu, u32 channel, bool write,
		  const struct dram_request *request);

/* counters.c */
void count_request(struct gpu *gpu, u32 slice, const struct dram_done *done);

/* lsu.c */
void lsu_account(struct gpu *gpu, u32 sm);
void lsu_begin(struct gpu *gpu, u32 sm, u32 kind, u32 warp, u32 load);
void lsu_run(struct gpu *gpu, u32 sm);
void lsu_retry(struct gpu *gpu, u32 sm, bool mshr_changed);
void lsu_take_reply(struct gpu *gpu, u32 sm);
void mshr_release(struct gpu *gpu, u32 sm, u32 number, u64 cycle);

static inline bool lsu_idle(const struct sm *sm, u64 now)
{
	/* Without a branch on the first, which is hard to predict. */
	return (sm->lsu.next == sm->lsu.count) & (sm->lsu.port_free <= now);
}

/* sm.c */
void sm_init(struct gpu *gpu, u32 sm);
void sm_turn(struct gpu *gpu, u32 sm);
void sm_take_events(struct gpu *gpu, u32 sm, u64 cycle);
u64 sm_wants_reply(const struct sm *sm, u64 arrival);
void sm_account(struct gpu *gpu, u32 sm);
void sm_drop_tenant(struct gpu *gpu, u32 sm, u32 slot);
void warp_ready(struct sm *sm, u32 warp);
void burst_cut(struct gpu *gpu, struct sm *sm, u32 number);
u64 sm_idle_warps(const struct gpu *gpu, const struct sm *sm);
void block_clear(struct sm *sm, const struct trace_kernel *kernel,
		 struct block *block);

/* dispatch.c */
u32 registers_of(const struct trace_kernel *kernel);
void sm_refill(struct gpu *gpu, u32 sm);
void dispatch_waiting(struct gpu *gpu);
void block_release(struct sm *sm, const struct trace_kernel *kernel,
		   struct block *block);
void block_finish(struct gpu *gpu, u32 sm, u32 block);

/* preempt.c */
u32 sm_blocks_of(const struct sm *sm, u32 slot);
void sm_settle_owner(struct gpu *gpu, u32 sm);
void sm_hold_warps(struct gpu *gpu, u32 sm);
void sm_cut_bursts(struct gpu *gpu, u32 sm, u64 warps);

/* share.c */
void share_init(struct gpu *gpu);
void share_account(struct gpu *gpu, u32 sm, u64 cycles);
void share_account_all(struct gpu *gpu);
void share_forget(struct gpu *gpu, u32 slot);

/* quota.c */
bool quota_is_out(const struct gpu *gpu, u32 sm, u32 slot);
u32 quota_cut(const struct gpu *gpu, u32 sm, u32 slot, u32 count, u32 lanes);
void quota_charge(struct gpu *gpu, u32 sm, u32 slot, s64 instructions);
void quota_refill(struct gpu *gpu, u32 sm);
void idle_sample(struct gpu *gpu);

/* context.c */
void context_shape(const struct gpu_config *config, struct gpu_shape *shape);
void context_init(struct gpu *gpu);
bool context_reserve(struct gpu *gpu, u32 sm, u32 blocks);
void context_save(struct gpu *gpu, u32 sm, u32 block);
u32 context_take(struct gpu *gpu, u32 slot);
void context_turn(struct gpu *gpu, u32 sm);
u64 context_next_turn(const struct gpu *gpu, const struct sm *sm);
void context_forget(struct gpu *gpu, u32 sm, u32 block);
void context_forget_queue(struct gpu *gpu, u32 slot);

#endif /* SIM_SIM_H */
