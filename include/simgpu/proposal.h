/* SPDX-License-Identifier: GPL-2.0 OR LGPL-2.1 */
/*
 * A policy's answer: plain and fixed in size, like the snapshot. The session checks a
 * proposal as a whole, and applies it as a whole or not at all. Parts whose flag is not
 * set stay as they are.
 */
#ifndef SIMGPU_PROPOSAL_H
#define SIMGPU_PROPOSAL_H

#include <simgpu/snapshot.h>

/* In @flags of a proposal: which parts are filled in. */
#define SIMGPU_SAYS_OWNERS	(1U << 0)	/* @owner, and @sharers of shared SMs */
#define SIMGPU_SAYS_MEMORY_PRIORITY (1U << 1)	/* @memory_priority */
#define SIMGPU_SAYS_HOLD	(1U << 2)	/* @hold */
#define SIMGPU_SAYS_BLOCK_LIMITS (1U << 3)	/* @block_limit */
#define SIMGPU_SAYS_QUOTAS	(1U << 4)	/* @quota, @refill, @quota_flags */
#define SIMGPU_SAYS_BLOCK_ORDER	(1U << 5)	/* @block_order, @bucket */
#define SIMGPU_SAYS_PREEMPTION	(1U << 6)	/* @preemption */
#define SIMGPU_SAYS_IDLE_SAMPLES (1U << 7)	/* @idle_sample_cycles */
#define SIMGPU_SAYS_ISSUE_LIMITS (1U << 8)	/* @issue_limit */
#define SIMGPU_SAYS_RANKS	(1U << 9)	/* @rank */
#define SIMGPU_SAYS_CHANNELS	(1U << 10)	/* @channels */
#define SIMGPU_SAYS_LLC_WAYS	(1U << 11)	/* @llc_ways */
#define SIMGPU_SAYS_HOLD_QUEUES	(1U << 12)	/* @hold_queues */
#define SIMGPU_SAYS_SM_BLOCKS	(1U << 13)	/* @sm_blocks */
#define SIMGPU_SAYS_WORKERS	(1U << 14)	/* @worker_blocks */
#define SIMGPU_SAYS_MEMORY	(1U << 15)	/* @memory_min, @memory_low, @memory_max */
#define SIMGPU_SAYS_RECOVERY	(1U << 16)	/* @recovery */
#define SIMGPU_SAYS_CLOCK	(1U << 17)	/* @clock_mhz */
#define SIMGPU_SAYS_PREPARE	(1U << 18)	/* @prepare */
#define SIMGPU_SAYS_HOLD_COPIES	(1U << 19)	/* @hold_copies */
#define SIMGPU_SAYS_COPY_PRIORITY (1U << 20)	/* @copy_priority */
#define SIMGPU_SAYS_KNOWN	(0xffU | SIMGPU_SAYS_ISSUE_LIMITS | \
				 SIMGPU_SAYS_RANKS | SIMGPU_SAYS_CHANNELS | \
				 SIMGPU_SAYS_LLC_WAYS | SIMGPU_SAYS_HOLD_QUEUES | \
				 SIMGPU_SAYS_SM_BLOCKS | SIMGPU_SAYS_WORKERS | \
				 SIMGPU_SAYS_MEMORY | SIMGPU_SAYS_RECOVERY | \
				 SIMGPU_SAYS_CLOCK | SIMGPU_SAYS_PREPARE | \
				 SIMGPU_SAYS_HOLD_COPIES | SIMGPU_SAYS_COPY_PRIORITY)

/* The highest memory priority. */
#define SIMGPU_MEMORY_PRIORITY_MAX	3U
/* The highest priority of copies. */
#define SIMGPU_COPY_PRIORITY_MAX	3U
/* In @owner: no tenant. */
#define SIMGPU_NO_OWNER		0xffU
/* In @owner: the tenants of @sharers. */
#define SIMGPU_SHARED		0xfeU
/* In @block_limit: as many as fit. */
#define SIMGPU_ANY_BLOCKS	0xffU

/* In @issue_limit: the present limit stays. */
#define SIMGPU_KEEP_ISSUE_LIMIT	U32_MAX

/* In @quota_flags. */
#define SIMGPU_QUOTA_BY_BLOCKS	(1U << 0)	/* divided by thread blocks, see @quota */
#define SIMGPU_QUOTA_KEEP	(1U << 1)	/* add what is left of the last quota */
/* With KEEP: add what is left only if it is above zero: debts are forgiven (FGQoS 3.4.4). */
#define SIMGPU_QUOTA_UNUSED	(1U << 2)
/* Charge a warp instruction when it completes, not when it issues (FGQoS 3.4.1). */
#define SIMGPU_QUOTA_AT_COMPLETION (1U << 3)
#define SIMGPU_QUOTA_FLAGS	0xfU		/* all of them */
/* The greatest @quota and @refill. */
#define SIMGPU_QUOTA_MAX	(1LL << 60)

/*
 * In @block_order: in which order thread blocks of several tenants come to shared SMs, and
 * those of several kernels of a tenant to its own SMs. On its own SMs, leaky buckets work
 * like turns.
 */
#define SIMGPU_ORDER_ROUND_ROBIN	0	/* by turns */
#define SIMGPU_ORDER_LEAKY_BUCKET	1	/* interleaved by @bucket */
/*
 * All thread blocks of the kernel that started first, then those of the next one, which
 * gets the room that is left over. Later kernels wait until the first one fits.
 */
#define SIMGPU_ORDER_ARRIVAL		2
/* As ARRIVAL, but first by @rank, then by the queue's priority, then by arrival. */
#define SIMGPU_ORDER_RANK		3
/* The greatest capacity of a bucket. */
#define SIMGPU_BUCKET_MAX	1000000U

/* In @preemption: how thread blocks leave an SM. */
#define SIMGPU_LEAVE_DRAIN	0	/* they run to their end */
#define SIMGPU_LEAVE_SWITCH	1	/* their contexts are saved */
#define SIMGPU_LEAVE_ADAPTIVE	2	/* drain or switch, by SM (HSM 4.2) */
/*
 * Thread blocks are dropped, and begin again from nothing; for tenants all of whose
 * kernels are SIMGPU_KERNEL_IDEMPOTENT.
 */
#define SIMGPU_LEAVE_RESET	3

/*
 * In @recovery: what is done about a queue's launch that has failed.
 */
#define SIMGPU_RECOVER_AS_USUAL		0	/* what is done if no policy is asked */
#define SIMGPU_RECOVER_WAIT		1	/* the timeout once more; not after a fault */
#define SIMGPU_RECOVER_KILL		2	/* end the launch */
#define SIMGPU_RECOVER_KILL_TENANT	3	/* end all launches of the tenant, and ban it */
#define SIMGPU_RECOVER_RESET_SMS	4	/* reset the SMs that have its thread blocks */
#define SIMGPU_RECOVER_RESET_DEVICE	5	/* reset the device */

/* The greatest @worker_blocks. */
#define SIMGPU_WORKER_BLOCKS_MAX	1000U

/* The shortest interval of idle samples, in core cycles. */
#define SIMGPU_IDLE_SAMPLE_CYCLES_MIN	10U

/* In @gauges: the present value stays. */
#define SIMGPU_KEEP_GAUGE	(-9223372036854775807LL - 1)

/* Bytes of a note's text, with the NUL at its end. */
#define SIMGPU_NOTE_BYTES	64
/* Most numbers of a note. */
#define SIMGPU_NOTE_NUMBERS	4U
/* Most notes of a call; those beyond are counted and dropped. */
#define SIMGPU_NOTES_MAX	4U

/**
 * struct simgpu_note_line - a line that a policy writes about its decision; see simgpu_note()
 * @text: NUL-terminated
 * @count: how many of @numbers there are, at most SIMGPU_NOTE_NUMBERS
 * @reserved: zero
 * @numbers: shown behind the text
 */
struct simgpu_note_line {
	char text[SIMGPU_NOTE_BYTES];
	u32 count;
	u32 reserved;
	s64 numbers[SIMGPU_NOTE_NUMBERS];
};

/**
 * struct simgpu_proposal - a policy's answer
 * @flags: SIMGPU_SAYS_*
 * @hold: a bit for each slot: tenants whose kernels do not start, and that may be
 *	without an SM although they have work. It stays until the policy says it anew
 * @wake_cycle: device cycle at which a policy that lists SIMGPU_ON_WAKE is
 *	asked again, at least SIMGPU_WAKE_CYCLES_MIN ahead, or the one that it has
 *	named already; 0: not before another of its events. It replaces the last
 *	call's
 * @sms: SM count by slot; before the call, the present counts of SMs of its own. It
 *	counts without SIMGPU_SAYS_OWNERS, and then no SM is shared: 0 for
 *	inactive tenants, at least 1 for active ones that are not held while
 *	there are enough SMs, in sum at most the device's. Where TPCs have several
 *	SMs it is rounded to whole TPCs, at least one each
 * @owner: with SIMGPU_SAYS_OWNERS, the slot that owns each SM, SIMGPU_NO_OWNER
 *	or SIMGPU_SHARED; the counts are then ignored. All SMs of a TPC have the same
 *	owner and sharers. Before the call, the present owners
 * @sharers: for each shared SM, a bit for each slot that may place thread blocks
 *	there, at least one. Before the call, the present sharers
 * @memory_priority: by slot, 0 to SIMGPU_MEMORY_PRIORITY_MAX: memory controllers serve
 *	requests of the highest priority first
 * @block_limit: by SM and slot, how many thread blocks the tenant may have there at
 *	a time, or SIMGPU_ANY_BLOCKS. It counts on shared SMs only. Thread blocks
 *	above the limit leave as @preemption says
 * @quota: by slot, thread instructions that the tenant may issue on each of its shared
 *	SMs, until the quota is set again; SIMGPU_NO_QUOTA: any number. With
 *	SIMGPU_QUOTA_BY_BLOCKS it is the sum over its shared SMs: each SM gets a part
 *	in proportion to the tenant's thread blocks there (FGQoS 3.4, Eq. 1)
 * @refill: by slot, what is added to the rest on an SM when all tenants that have a
 *	quota and run there have used theirs up; 0: nothing. Divided like @quota
 * @quota_flags: by slot, SIMGPU_QUOTA_*
 * @block_order: SIMGPU_ORDER_*
 * @bucket: by slot, with SIMGPU_ORDER_LEAKY_BUCKET, capacity of its bucket, 1 to
 *	SIMGPU_BUCKET_MAX: shares of blocks are in proportion to 1 / capacity (STM 4.1)
 * @preemption: SIMGPU_LEAVE_*; until a policy sets it, the session's own setting
 * @idle_sample_cycles: between two samples of idle warps; 0: none are taken
 * @issue_limit: by slot and queue, how many thread blocks its kernels may begin from
 *	now on; 0: any number; SIMGPU_KEEP_ISSUE_LIMIT, as before the call: the
 *	present limit stays. When that many have begun, and all that have begun have
 *	ended, SIMGPU_ON_SLICE_END comes, and none begins until a new limit is set
 * @rank: by slot, with SIMGPU_ORDER_RANK: the lowest goes first. Until a policy sets
 *	ranks all are 0
 * @channels: by slot, a bit for each memory channel that has its lines: at least one,
 *	and only channels of the device. Until a policy sets it, all channels. Each
 *	change empties the last-level cache of the slot's lines. A tenant's own mask
 *	narrows it
 * @llc_ways: by slot, a bit for each way of the last-level cache in which its lines
 *	are put. Until a policy sets it, all ways. Lines in other ways stay until they
 *	are replaced. A tenant's own mask narrows it
 * @hold_queues: by slot, a bit for each queue whose kernels do not start, beside
 *	@hold. It stays until the policy says it anew. A tenant that is to be without an
 *	SM needs @hold, too, even if all of its queues are held
 * @sm_blocks: thread blocks of all tenants together up to which a shared SM begins more,
 *	1 to the configuration's; 0, the first value: as many as fit. Thread blocks that
 *	are there already stay
 * @worker_blocks: thread blocks that a kernel's worker runs before it checks again
 *	whether another tenant wants its SM, 1 to SIMGPU_WORKER_BLOCKS_MAX; each
 *	check costs the configuration's poll_cycles (FLEP). 0, the first value: kernels
 *	have no workers, and thread blocks leave an SM that drains when they end. It
 *	counts on SMs that the tenant alone has, while it runs one kernel
 * @memory_min: by slot, bytes of managed memory, rounded up to chunks of 2 MiB, below which
 *	nobody else's need takes device memory from the tenant. In sum, and with a chunk
 *	for each tenant that has none, at most the device's; 0 for slots without a tenant.
 *	This and the next two mean what the dmem cgroup's min, low and max do
 * @memory_low: by slot, the same, while some tenant has more than its @memory_low
 * @memory_max: by slot, bytes, rounded down to chunks, at least one, beyond which the tenant
 *	gives up memory of its own for what it needs; at least @memory_min; 0, the first
 *	value: any number. Memory that it has above that stays until then
 * @recovery: by slot and queue, SIMGPU_RECOVER_*, for queues with a @failure in the
 *	snapshot; 0 for all others, and before the call
 * @clock_mhz: what the clock of the SMs is to be: one of @clocks of the snapshot; 0, the first
 *	value: the highest. A lower one that the device's setting or its power cap asks for
 *	wins. It stays until the policy says it anew
 * @prepare: a bit for each slot with managed memory: what the kernels at the heads of its
 *	queues may access is brought, then what those behind them may, as a tenant's own
 *	prefetches are: behind faults, and without taking a chunk that the same batch has
 *	filled. If the sets of these tenants are larger than the memory, each has an even
 *	part of it; none gets more than its maximum. It replaces what is left of an earlier
 *	decision for the same tenants. 0 before the call
 * @hold_copies: by slot, a bit for each queue whose copies do not begin; all bits: the tenant's.
 *	Copies that have begun go on. It stays until the policy says it anew; but a copy that
 *	it keeps for the session's hold_cycles ends the policy
 * @copy_priority: by slot, 0 to SIMGPU_COPY_PRIORITY_MAX: of copies that take the same way,
 *	those of the highest priority go on first, others when these have no bytes left. Until
 *	a policy sets it all are 0, and copies take turns
 * @gauges: by slot, values of the gauges of the policy's table, in its order, for people.
 *	Before the call all are SIMGPU_KEEP_GAUGE, if it has any: what the policy leaves
 *	keeps its last value, which was 0 at first. They are taken from each answer, also
 *	from one that is refused, and decide nothing
 * @note_count: notes that the call has written; 0 before it. More than SIMGPU_NOTES_MAX
 *	tells how many found no room
 * @unused: zero
 * @notes: those notes
 */
struct simgpu_proposal {
	u32 flags;
	u32 block_order;
	u32 preemption;
	u32 idle_sample_cycles;
	u64 hold;
	u64 wake_cycle;
	u32 sms[SIMGPU_SLOTS_MAX];
	u8 owner[SIMGPU_SMS_MAX];
	u64 sharers[SIMGPU_SMS_MAX];
	u8 memory_priority[SIMGPU_SLOTS_MAX];
	u8 block_limit[SIMGPU_SMS_MAX][SIMGPU_SLOTS_MAX];
	s64 quota[SIMGPU_SLOTS_MAX];
	s64 refill[SIMGPU_SLOTS_MAX];
	u32 quota_flags[SIMGPU_SLOTS_MAX];
	u32 bucket[SIMGPU_SLOTS_MAX];
	u32 issue_limit[SIMGPU_SLOTS_MAX][SIMGPU_QUEUES_MAX];
	u32 rank[SIMGPU_SLOTS_MAX];
	u64 channels[SIMGPU_SLOTS_MAX];
	u32 llc_ways[SIMGPU_SLOTS_MAX];
	u8 hold_queues[SIMGPU_SLOTS_MAX];
	u32 sm_blocks;
	u32 worker_blocks;
	u64 memory_min[SIMGPU_SLOTS_MAX];
	u64 memory_low[SIMGPU_SLOTS_MAX];
	u64 memory_max[SIMGPU_SLOTS_MAX];
	u8 recovery[SIMGPU_SLOTS_MAX][SIMGPU_QUEUES_MAX];
	u64 clock_mhz;
	u64 prepare;
	u8 hold_copies[SIMGPU_SLOTS_MAX];
	u8 copy_priority[SIMGPU_SLOTS_MAX];
	/* What follows is for people, and decides nothing. */
	s64 gauges[SIMGPU_SLOTS_MAX][SIMGPU_GAUGES_MAX];
	u32 note_count;
	u32 unused;
	struct simgpu_note_line notes[SIMGPU_NOTES_MAX];
};

static_assert(sizeof(struct simgpu_note_line) == 104, "no padding");
static_assert(sizeof(struct simgpu_proposal) == 53216, "no padding");

/*
 * The place of a further note, with its count of numbers; NULL: there is no room, and it
 * is counted.
 */
static __always_inline struct simgpu_note_line *
simgpu_note_begin(struct simgpu_proposal *proposal, u32 numbers)
{
	u32 at = proposal->note_count++;
	struct simgpu_note_line *note;

	if (at >= SIMGPU_NOTES_MAX)
		return NULL;
	note = &proposal->notes[simgpu_index(at, SIMGPU_NOTES_MAX)];
	note->count = numbers;
	return note;
}

/**
 * simgpu_note() - write a line about this decision, for people
 * @its_proposal: the proposal of the call
 * @its_text: a string constant, at most SIMGPU_NOTE_BYTES - 1 letters
 *
 * Up to SIMGPU_NOTE_NUMBERS numbers follow, which are shown behind the text. A device keeps the
 * last notes with the cycle of their decision. A note is no event and no part of the state: it
 * changes nothing, and a journal's replay writes it again.
 */
#define simgpu_note(its_proposal, its_text, ...) do {			\
	const s64 _numbers[] = { __VA_ARGS__ };				\
	struct simgpu_note_line *_note =					\
		simgpu_note_begin(its_proposal,				\
				  sizeof(_numbers) / sizeof(s64));	\
									\
	static_assert(sizeof(_numbers) / sizeof(s64) <=			\
		      SIMGPU_NOTE_NUMBERS, "a note has few numbers");	\
	static_assert(sizeof(its_text) <= SIMGPU_NOTE_BYTES,		\
		      "a note's text is short");			\
	if (_note) {							\
		__builtin_memcpy(_note->text, "" its_text,		\
				 sizeof(its_text));			\
		__builtin_memcpy(_note->numbers, _numbers,		\
				 sizeof(_numbers));			\
	}								\
} while (0)

#endif /* SIMGPU_PROPOSAL_H */
