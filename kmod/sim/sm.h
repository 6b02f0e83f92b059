/* SPDX-License-Identifier: GPL-2.0 */
/*
 * A streaming multiprocessor: its warps, schedulers, thread blocks and load/store
 * unit; and the functions that place, end, preempt and run them.
 */
#ifndef SIM_SM_H
#define SIM_SM_H

#include "cache.h"

/* In wait_load of a warp: it waits at the barrier of its thread block. */
#define WAIT_BARRIER		0xfeU
/* In wait_load of a warp: it waits for its thread block's context. */
#define WAIT_CONTEXT		0xfdU

#define SM_WARPS_MAX		64
#define SM_BLOCKS_MAX		32
#define SM_SCHEDULERS_MAX	4
#define SM_MSHRS_MAX		512
#define SM_STORES_MAX		512
/* Most sectors that wait in an L1's last bank, as in SM7_QV100: see lsu.c. */
#define SM_LATE_MAX		20
/* An SM's entries: first those for misses, with late ones, then those for stores. */
#define SM_FIRST_STORE		(SM_MSHRS_MAX + SM_LATE_MAX)
#define SM_ENTRIES_MAX		(SM_FIRST_STORE + SM_STORES_MAX)
#define SM_MSHR_BUCKETS		256
/* Most loads of a warp whose data may be outstanding. */
#define WARP_LOADS		32

/* The reason why a warp waits, or waited last. */
enum stall {
	STALL_EMPTY,		/* it has not issued yet */
	STALL_MEMORY,
	STALL_LSU,
	STALL_BARRIER,
	STALL_DEPENDENCE,
	/* For its last stores: it issues no more, so this is not counted. */
	STALL_ENDED,
	STALL_FAULT,		/* for a page */
	STALLS
};

PORT_NO_HOLES_BEGIN

/*
 * struct warp_load - a load whose data may still be on its way
 * @ready: cycle at which the lines that hit are there
 * @deadline: the warp's instruction count at which it must have the data
 * @pending: lines that have not arrived, plus 1 while the LSU works on it
 * @lanes: thread instructions to subtract from a quota when it completes; else 0
 */
struct warp_load {
	u64 ready;
	u32 deadline;
	u16 pending;
	u16 lanes;
};

/*
 * struct warp - a resident warp
 * @op: next op, index in the trace
 * @left: warp instructions left of a compute op that has begun; 0: not begun
 * @issued: warp instructions so far (wraps; only differences count)
 * @line: index of its next recorded line
 * @accesses: random accesses so far
 * @loop_index: index of each open loop, outermost first
 * @loop_depth: number of open loops
 * @block: its thread block's place on the SM
 * @index: its number in its thread block
 * @deadline: the least deadline of its @loads, or an earlier count: then the least
 *	one is searched when that count is reached
 * @loads: bit mask of @load entries in use
 * @wait_load: the entry that it waits for, or NONE
 * @stall: &enum stall
 * @slot: slot of the tenant, as in its block
 * @grid: its kernel, as in its block
 * @doing: thread instructions beside loads to subtract from a quota when they complete,
 *	in the cycle @done_at; else 0
 */
struct warp {
	u32 op;
	u32 left;
	u32 issued;
	u32 line;
	u32 accesses;
	u32 loop_index[TRACE_LOOP_DEPTH_MAX];
	u32 loads;
	u8 loop_depth;
	u8 block;
	u8 wait_load;
	u8 stall;
	u8 slot;
	u8 index;
	u16 grid;
	u32 deadline;
	/* All fields above and the first load, the usual one, fill a cache line. */
	u32 doing;
	struct warp_load load[WARP_LOADS];
	u64 done_at;
} __aligned(64);

/*
 * struct scheduler - a warp scheduler and the burst that it issues: instruction i
 *	in the cycle @start + i * @cycles / @count
 * @start: cycle of the burst's first instruction
 * @counted_to: cycle up to which the issue slot's use is counted
 * @warp_instructions: counted, but not yet added to the counters of @slot and
 *	the SM; nor are @thread_instructions and @issue_slots
 * @stalls: cycles in which no warp could issue, by &enum stall; not yet added
 * @count: instructions of the burst
 * @counted: instructions of the burst that are counted
 * @cycles: cycles for which the burst holds the issue slot
 */
struct scheduler {
	u64 start;
	u64 counted_to;
	u64 warp_instructions;
	u64 thread_instructions;
	u64 issue_slots;
	u64 stalls[STALLS];
	u32 count;
	u32 counted;
	u32 cycles;
	u8 lanes;
	u8 slot;
	u16 unused;
};

enum block_state {
	BLOCK_RUNS,
	BLOCK_STOPS,		/* it will be saved when its loads have come */
	BLOCK_SAVES,		/* its context is being stored */
	BLOCK_RESTORES,		/* its context is being read */
	BLOCK_RETURNS,		/* preempted during that: it goes back to the queue */
};

/*
 * struct block - a resident thread block
 * @state: &enum block_state
 * @grid: its kernel, see grid_number()
 * @moved: lines of its context that the load/store unit has been given
 * @saved: its place in the pool, unless it runs
 * @issued: warp instructions of its warps that have ended, or were saved
 * @since: cycle in which it came, less the cycles that it was on SMs before
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
	u8 unused;
	u16 grid;
	u32 moved;
	u32 saved;
	u64 issued;
	u64 since;
};

/*
 * struct mshr - a request that waits for its reply: a miss of an L1 and the
 *	loads that wait for it, an atomic, or a store
 * @ready: once the reply is on its way: cycle at which it arrives
 * @next: next entry of its bucket, or of the free list
 * @next_reply: entry whose reply comes after this one's
 * @waiters: number of waiters; 0 once its tenant is gone
 * @discard: do not fill the L1: atomics, and tenants that are gone
 * @hashed: in a bucket: loads are, atomics are not
 * @l1: &enum l1_kind; a line may miss in both L1s
 * @kind: &enum request_kind
 * @words: words of 4 bytes that it or its reply carries, or for atomics both
 * @sectors: sectors of the line, a bit each; all if lines have no sectors
 * @parts: replies that are still to come
 * @waiter: warp * WARP_LOADS + load; of a store its warp
 * @reserved: the way that it keeps in the L1 (l1_big_reserve()); 0: none
 */
struct mshr {
	u64 ready;
	u32 line;
	u16 next;
	u16 next_reply;
	u8 waiters;
	u8 discard : 1;
	u8 hashed : 1;
	u8 l1 : 1;
	u8 unused1 : 5;
	u8 kind;
	u8 words;
	u8 sectors;
	u8 parts;
	u16 waiter[MSHR_MERGES];
	u16 reserved;
};

enum lsu_block {
	LSU_GOES_ON,
	LSU_MSHR,	/* until a fill frees an entry */
	LSU_STORES,	/* until an acknowledgment frees an entry for stores */
	LSU_PORT,	/* until the injection queue has room */
	LSU_FAULTS,	/* until the pager has taken faults of the SM */
};

/*
 * struct lsu - the load/store unit: one warp instruction at a time
 * @port_free: cycle at which the L1 port takes the next line
 * @partial: lines of which a store covers only a part, a bit each
 * @next: line to send next; @count when idle
 * @blocked: &enum lsu_block, why it cannot go on
 * @words: words of 4 bytes that each of its requests carries
 * @accesses: by &enum l1_kind, not yet added to the counters of @slot and the
 *	SM; nor are @misses
 * @stores: lines of stores, not yet added either
 * @line: lines of the instruction
 * @sectors: sectors of each line that the instruction touches and that are still to
 *	be sent; only if an L1 or the last-level cache has sectors
 * @stored: what the instruction stores in each line, see stored_bytes(); only with
 *	sectors, too
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
	u8 words;
	u32 accesses[L1_KINDS];
	u32 misses[L1_KINDS];
	u32 stores;
	u32 line[GPU_LANES];
	u8 sectors[GPU_LANES];
	u32 stored[GPU_LANES];
};

/* What an SM has taken in its turn: data, or acknowledgments of stores. */
#define CAME_DATA	1U
#define CAME_ACK	2U

/* In kind of the load/store unit: it reads a saved context. */
#define LSU_RESTORE	0xffU
/* In kind of the load/store unit: an atomic whose value is not used. */
#define LSU_REDUCE	0xfeU

/* What an SM reports about a thread block whose context it has moved. */
enum notice_kind {
	BLOCK_SAVED,		/* the block has left the SM */
	BLOCK_RESTORED,		/* its place in the pool is free */
};

/* struct notice - @at: cycle at which it is reported; @saved: place in the pool */
struct notice {
	u64 at;
	u32 saved;
	u16 grid;
	u8 kind;
	u8 unused;
};

/* Most notices in a window: a block may be restored and saved again. */
#define SM_NOTICES_MAX		(2 * SM_BLOCKS_MAX)
/* Most thread blocks in an SM's reserve, which begin when there is room. */
#define SM_RESERVE		8

/*
 * struct sm - a streaming multiprocessor; fields that most turns touch come first,
 *	in two cache lines
 * @turn_at: cycle of its next turn
 * @ready: warps that could issue, those that issue now included
 * @sleeping: warps with a @warp_wake
 * @dependent: warps of @sleeping that wait for a result, not for data
 * @lsu_waiters: warps that wait for the load/store unit
 * @shared_waiters: warps that wait for shared memory
 * @next_sleeper: the first @warp_wake
 * @held: warps that must not issue
 * @free_at: cycle at which a scheduler's issue slot is free again
 * @shared_at: cycle at which shared memory, one unit, is free again
 * @reply_at: cycle at which the first reply with data arrives, NEVER if none
 *	is coming
 * @ack_at: cycle at which the first acknowledgment of a store arrives. These have a
 *	list of their own because mostly no warp waits for one
 * @store_waiters: warps that have ended except for their stores
 * @in_free: cycle at which the reply port is free; @out_free: the request port
 * @reply_head: the MSHR entry of the first reply; @reply_tail: of the last
 * @ack_head: the entry of the first acknowledgment; @ack_tail: of the last
 * @store_free: first free entry for a store
 * @greedy: the warp that issued last, which goes on while it can (GTO)
 * @turn: the warp after which a scheduler looks for the next one (LRR)
 * @has_late: 1 if @late_quotas has any slot
 * @has_faulted: 1 if @faulted has any warp, or the unit has no room to note a fault
 * @late_head: first of the entries whose requests wait in the L1's last bank,
 *	@late_count of them, in the ring @late
 * @late_loads: those of them that are not stores; they do not count as MSHR entries
 * @age: age of the next warp that comes
 * @reserve: thread blocks of its owner that begin when there is room, @reserved
 *	of them, the last one first; all of the kernel @reserve_grid
 * @notice: notices that have not been taken yet, @notices of them
 * @draining: no thread block comes until it is empty, except those that its workers run
 *	before they check their flag (workers.c)
 * @split_to: cycle up to which a shared SM's cycles have been given to tenants
 * @split_turn: how many were given, by the number of issue slots in use
 * @worker: by place of a thread block, how many have begun there since its worker has
 *	checked its flag; only while the device has workers
 * @yielding: another owner was assigned, but the blocks run on and others come, until the
 *	cycle @yields_at and until no kernel of its owner runs that was among the first
 *	@yields_to to start on the device
 * @asked_at: while @draining or @yielding, cycle at which another owner was assigned
 * @handed_to: 1 + slot that has got the SM in this window, @handed_after cycles after it was
 *	asked for, since other blocks had to leave; 0: none, or it was told
 * @context_at: while @moving, cycle from which the next lines of contexts may move
 * @late_quotas: slots of @quota_slots whose instructions are subtracted when they complete
 * @faulted: warps with lines that wait for a page (fault.h); they are held
 * @completing: warps with an instruction that completes at a known cycle, and perhaps others
 * @complete_at: cycle of the next turn for that, NEVER if there is none
 */
struct sm {
	u64 turn_at;
	u64 ready;
	u64 sleeping;
	u64 dependent;
	u64 lsu_waiters;
	u64 shared_waiters;
	u64 next_sleeper;
	u64 free_at[SM_SCHEDULERS_MAX];
	u64 held;
	u64 shared_at;
	u64 reply_at;
	u64 ack_at;
	u64 store_waiters;
	u64 in_free;
	u64 out_free;
	u8 schedulers;		/* a power of two */
	u8 unused1;
	u16 reply_head;
	u16 reply_tail;
	u16 mshr_free;
	u16 mshrs_used;
	u16 ack_head;
	u16 ack_tail;
	u16 store_free;
	u8 late_head;
	u8 late_count;
	u8 late_loads;
	u8 greedy[SM_SCHEDULERS_MAX];
	u8 turn[SM_SCHEDULERS_MAX];
	u8 has_late;
	u8 has_faulted;
	u8 unused2[3];
	struct lsu lsu;
	struct scheduler scheduler[SM_SCHEDULERS_MAX];
	u8 owner;
	u8 next_owner;
	u8 blocks;
	u8 draining;
	u8 mover;		/* block whose context the LSU moves, or NONE */
	u8 yielding;
	u8 handed_to;
	u8 unused3[1];
	u32 moving;		/* blocks that do not run */
	u32 unused4;
	u64 quota_slots;	/* slots with a quota */
	u16 threads_used;
	u16 unused5;
	u32 registers_used;
	u32 shared_used;
	u8 reserved;
	u8 notices;
	u16 reserve_grid;
	u32 age;
	u32 unused6;
	u64 owned_since;
	u64 split_to;
	u64 split_turn[SM_SCHEDULERS_MAX + 1];
	u64 free_warps;
	u32 warp_age[SM_WARPS_MAX];
	u64 warp_wake[SM_WARPS_MAX];	/* cycle at which it wakes */
	/* Store lines without acknowledgment, plus 1 while the load/store unit has a store. */
	u16 warp_stores[SM_WARPS_MAX];
	u16 late[SM_LATE_MAX];
	u16 mshr_bucket[SM_MSHR_BUCKETS];
	u32 reserve[SM_RESERVE];
	struct notice notice[SM_NOTICES_MAX];
	u16 worker[SM_BLOCKS_MAX];
	u64 asked_at;
	struct block block[SM_BLOCKS_MAX];
	u64 late_quotas;
	u64 faulted;
	u64 yields_at;
	u64 yields_to;
	u64 context_at;
	u64 handed_after;
	u8 unused7[24];
	struct warp warp[SM_WARPS_MAX];
	struct mshr mshr[SM_ENTRIES_MAX];
	u64 completing;
	u64 complete_at;
	u8 unused8[16];
} __aligned(64);

PORT_NO_HOLES_END

/* address.c */
/* Computes the lines of a warp's access, coalesced; returns how many. */
u32 address_lines(struct gpu *gpu, struct sm *sm, u32 warp,
		  const struct trace_op *op, struct lsu *lsu);

/* lsu.c */
void lsu_account(struct gpu *gpu, u32 sm);
void lsu_run(struct gpu *gpu, u32 sm);
void lsu_retry(struct gpu *gpu, u32 sm, u32 came);
void lsu_take_reply(struct gpu *gpu, u32 sm);
void lsu_take_ack(struct gpu *gpu, u32 sm);
void lsu_send_late(struct gpu *gpu, u32 sm);
void lsu_forget(struct gpu *gpu, u32 sm, u64 warps);
void mshr_release(struct gpu *gpu, u32 sm, u32 number, u64 cycle);

/* Whether the unit's requests of a kind are to be acknowledged. */
static inline bool is_store(u32 kind)
{
	return kind == TRACE_STORE || kind == LSU_REDUCE;
}

/*
 * lsu_begin() - give the idle unit an instruction of a warp; the caller fills in its
 *	lines next, by address_lines() or otherwise
 */
static inline void lsu_begin(struct gpu *gpu, struct sm *sm, u32 index, u32 kind,
			     u32 warp, u32 load)
{
	struct lsu *lsu = &sm->lsu;
	u32 slot = sm->warp[warp].slot;

	if (lsu->slot != slot)
		lsu_account(gpu, index);
	lsu->kind = kind;
	lsu->warp = warp;
	lsu->load = load;
	lsu->slot = slot;
	lsu->next = 0;
	sm->warp_stores[warp] += is_store(kind);
}

/* Number of entries for misses: more if there are late ones. */
static inline u32 l1_entries(const struct gpu_config *config)
{
	return config->l1_mshrs + (config->l1_sectors > 1 ? SM_LATE_MAX : 0);
}

/* Whether an L1 already waits for as many lines as it may. */
static inline bool mshrs_are_full(const struct gpu_config *config,
				  const struct sm *sm)
{
	return sm->mshrs_used >= config->l1_mshrs + sm->late_loads;
}

static inline bool lsu_idle(const struct sm *sm, u64 now)
{
	/* Without a branch on the first condition, which is hard to predict. */
	return (sm->lsu.next == sm->lsu.count) & (sm->lsu.port_free <= now);
}

/* Whether the load/store unit is held back. */
static inline bool lsu_is_held(const struct sm *sm)
{
	return sm->lsu.next < sm->lsu.count;
}

/* What the load/store unit, which is held back, can go on with: CAME_*, or nothing. */
static inline u32 lsu_waits_for(const struct sm *sm)
{
	return is_store(sm->lsu.kind) ? if_set(sm->lsu.blocked == LSU_STORES, CAME_ACK) :
					CAME_DATA;
}

/* The cycle from which the injection queue at a request port has room. */
static inline u64 port_room_at(const struct gpu_config *config, const struct sm *sm)
{
	return max_t(u64, sm->out_free, config->noc_queue_depth) - config->noc_queue_depth;
}

/* The first reply, or acknowledgment, is being taken. */
static inline void pop_reply(struct sm *sm)
{
	u32 number = sm->reply_head;

	sm->reply_head = sm->mshr[number].next_reply;
	sm->reply_at = number == sm->reply_tail ?
		       NEVER : sm->mshr[sm->reply_head].ready;
}

static inline void pop_ack(struct sm *sm)
{
	u32 number = sm->ack_head;

	sm->ack_head = sm->mshr[number].next_reply;
	sm->ack_at = number == sm->ack_tail ?
		     NEVER : sm->mshr[sm->ack_head].ready;
}

/* A warp goes over to the program without an end (struct trace). */
static inline void warp_spin(struct warp *warp, const struct trace *trace)
{
	warp->op = trace->spin;
	warp->left = 0;
	warp->loop_depth = 0;
}

/* burst.c */
void sm_account(struct gpu *gpu, u32 sm);
void flush_scheduler(struct gpu *gpu, u32 index, struct scheduler *s);
void burst_cut(struct gpu *gpu, struct sm *sm, u32 number);
void count_shared(struct gpu *gpu, const struct sm *sm, u32 slot, s64 accesses);

/* sm.c */
void sm_init(struct gpu *gpu, u32 sm);
void sm_turn(struct gpu *gpu, u32 sm);
void sm_take_events(struct gpu *gpu, u32 sm, u64 cycle);
u64 sm_wants_reply(const struct sm *sm, u64 arrival, u32 came);
bool sm_wants_acks(const struct sm *sm);
void sm_drop_tenant(struct gpu *gpu, u32 sm, u32 slot);
void warp_ready(struct sm *sm, u32 warp);
u64 sm_idle_warps(const struct sm *sm, u64 cycle);

static inline void warp_unready(struct sm *sm, u32 warp, enum stall why)
{
	sm->ready &= ~(1ULL << warp);
	sm->warp[warp].stall = why;
}

static inline void warp_sleep(struct sm *sm, u32 warp, u64 until, enum stall why)
{
	warp_unready(sm, warp, why);
	sm->warp_wake[warp] = until;
	sm->sleeping |= 1ULL << warp;
	if (why == STALL_DEPENDENCE)
		sm->dependent |= 1ULL << warp;
	if (until < sm->next_sleeper)
		sm->next_sleeper = until;
}

/* block.c */
bool block_fits(const struct gpu *gpu, const struct sm *sm,
		const struct trace_kernel *kernel);
void block_becomes(const struct gpu *gpu, struct block *block, u32 number);
void block_start(struct gpu *gpu, u32 sm, u32 grid, u32 index, u32 saved);
void block_start_at(struct gpu *gpu, u32 sm, u32 place, u32 grid, u32 index,
		    u32 saved);
u64 block_issued(const struct sm *sm, const struct block *block);
void block_clear(struct gpu *gpu, u32 sm, struct block *block);
void block_finish(struct gpu *gpu, u32 sm, u32 block);
void sm_refill(struct gpu *gpu, u32 sm);
void sm_notify(struct gpu *gpu, u32 sm, u32 grid, enum notice_kind kind,
	       u32 saved);

/* dispatch.c */
u32 registers_of(const struct trace_kernel *kernel);
bool below_limit(const struct gpu *gpu, u32 sm, u32 slot);
void dispatch_waiting(struct gpu *gpu);
void dispatch_window(struct gpu *gpu);
void dispatch_take_back(struct gpu *gpu, u32 sm);
void dispatch_take_all_back(struct gpu *gpu, u32 slot);
void dispatch_hear(struct gpu *gpu);

/* workers.c */
void worker_begins(const struct gpu *gpu, struct sm *sm, u32 place);
void worker_goes_on(struct gpu *gpu, u32 sm, u32 place);
u32 workers_left(const struct gpu *gpu, const struct sm *sm);
void workers_begin(struct sm *sm);
void workers_stop(struct sm *sm);

/* issue.c */
void issue_forget(struct gpu *gpu, u32 slot);
void issue_window(struct gpu *gpu);

/* preempt.c */
void sm_settle_owner(struct gpu *gpu, u32 sm);
void sm_hold_warps(struct gpu *gpu, u32 sm);
void sm_cut_bursts(struct gpu *gpu, u32 sm, u64 warps);
void sm_free_schedulers(struct gpu *gpu, u32 sm, u64 warps);
void sm_reset_blocks(struct gpu *gpu, u32 sm, u32 blocks);
u32 sm_used_blocks(const struct sm *sm);
void preempt_window(struct gpu *gpu);
void preempt_hear(struct gpu *gpu);

#endif /* SIM_SM_H */
