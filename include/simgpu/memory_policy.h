/* SPDX-License-Identifier: GPL-2.0 OR LGPL-2.1 */
/*
 * The interface of a memory policy: which pages are brought for faults, and which chunks of
 * device memory are taken away first. It is pure, as the interface of an SM policy is: no
 * other input, no side effects, no allocation, no sleeping, integers only.
 */
#ifndef SIMGPU_MEMORY_POLICY_H
#define SIMGPU_MEMORY_POLICY_H

#include <simgpu/params.h>
#include <simgpu/snapshot.h>

/* Most pages of a block of 2 MiB, of 4 KiB; and the words of a mask of them. */
#define SIMGPU_BLOCK_PAGES_MAX	512
#define SIMGPU_BLOCK_WORDS	(SIMGPU_BLOCK_PAGES_MAX / 64)
/* Most blocks about which a policy is asked at a time. */
#define SIMGPU_PLACE_BLOCKS_MAX	64
/* Most ranges of pages that a policy may fetch at a time, and that kernels may want. */
#define SIMGPU_FETCHES_MAX	64
#define SIMGPU_WANTED_MAX	64

/**
 * enum simgpu_memory_advice - what a tenant says of a block of its memory
 * @SIMGPU_MEMORY_NORMAL: nothing
 * @SIMGPU_MEMORY_ON_DEVICE: it is to stay on the device
 * @SIMGPU_MEMORY_ON_HOST: it is to stay on the host
 * @SIMGPU_MEMORY_ADVICES: how many there are
 */
enum simgpu_memory_advice {
	SIMGPU_MEMORY_NORMAL,
	SIMGPU_MEMORY_ON_DEVICE,
	SIMGPU_MEMORY_ON_HOST,
	SIMGPU_MEMORY_ADVICES,
};

/**
 * struct simgpu_fault_block - a block of 2 MiB of a tenant's memory with faults
 * @slot: the tenant
 * @block: index of the block in its memory
 * @pages: pages of the block that the tenant has: all, but of its last block
 * @faults: faults in the block, those of several SMs on one page included
 * @again: pages of @faulted that had been evicted before
 * @thrashes: how often in a row it has faulted within the policy's @lapse_us of its eviction
 * @throttled: how often it was throttled meanwhile
 * @advice: &enum simgpu_memory_advice, what the tenant said of it
 * @faulted: pages that have to be brought, a bit each
 * @resident: pages that are on the device, or on their way
 * @written: pages of @resident that were written there
 */
struct simgpu_fault_block {
	u32 slot;
	u32 block;
	u32 pages;
	u32 faults;
	u32 again;
	u32 thrashes;
	u32 throttled;
	u32 advice;
	u64 faulted[SIMGPU_BLOCK_WORDS];
	u64 resident[SIMGPU_BLOCK_WORDS];
	u64 written[SIMGPU_BLOCK_WORDS];
};

/**
 * struct simgpu_place_tenant - a tenant, as the policy of its memory sees it
 * @pages: pages of its memory, if some of that is managed; 0: none is, and all else is zero.
 *	Pages that are not managed never fault, and to fetch them does nothing
 * @chunks: chunks of 2 MiB that hold blocks of it
 * @weight: 1 and up
 * @share_ppm: part of the device that it asks for; 0: it asks for none
 * @sms: SMs on which its thread blocks may begin now
 * @unused: 0
 */
struct simgpu_place_tenant {
	u32 pages;
	u32 chunks;
	u32 weight;
	u32 share_ppm;
	u32 sms;
	u32 unused;
};

/**
 * struct simgpu_wanted - pages that a kernel at the head of a queue may access, or the next one
 * @slot: the tenant
 * @first: index of the first page in its memory
 * @count: pages from there on
 * @next: 0: of the kernel at the head; 1: of the one after it
 */
struct simgpu_wanted {
	u32 slot;
	u32 first;
	u32 count;
	u32 next;
};

/**
 * struct simgpu_place - what a policy is asked about: a batch of faults, or a part of it;
 *	or, with SIMGPU_PLACE_ON_KERNELS, kernels
 * @cycle: core cycle at which the batch began
 * @chunks: chunks of 2 MiB that the device has for managed memory
 * @chunks_free: chunks that nobody uses
 * @page_bytes: bytes of a page
 * @count: blocks that are filled in; 0: it is asked about kernels
 * @block: the blocks, in the order of their first faults
 * @wanted_count: ranges that are filled in; 0: it is asked about faults
 * @slot_count: rows of @tenant up to the last one with managed memory
 * @wanted: what kernels want, each range once, by slot, and of each slot first what those at
 *	the heads of queues want
 * @tenant: by slot
 * @params: values of the policy's parameters, in the order of its table
 */
struct simgpu_place {
	u64 cycle;
	u32 chunks;
	u32 chunks_free;
	u32 page_bytes;
	u32 count;
	struct simgpu_fault_block block[SIMGPU_PLACE_BLOCKS_MAX];
	u32 wanted_count;
	u32 slot_count;
	struct simgpu_wanted wanted[SIMGPU_WANTED_MAX];
	struct simgpu_place_tenant tenant[SIMGPU_SLOTS_MAX];
	u64 params[SIMGPU_PARAMS_MAX];
};

/**
 * simgpu_block_pages() - pages of a block, but of a tenant's last one
 * @place: what a policy is asked
 *
 * Return: pages of 2 MiB.
 */
static inline u32 simgpu_block_pages(const struct simgpu_place *place)
{
	return (2U << 20) / place->page_bytes;
}

/**
 * struct simgpu_fetch - pages to bring though nobody has faulted on them
 * @slot: the tenant, which has managed memory
 * @first: index of the first page in its memory
 * @count: pages from there on, at least 1, all within its memory
 * @unused: 0
 */
struct simgpu_fetch {
	u32 slot;
	u32 first;
	u32 count;
	u32 unused;
};

/**
 * enum simgpu_memory_action - what is done about the faults of a block
 * @SIMGPU_MEMORY_MIGRATE: pages are brought to the device; or, where the tenant has given
 *	advice on the block, what that says: ON_DEVICE as PIN, ON_HOST as REMOTE, for ever
 * @SIMGPU_MEMORY_REMOTE: pages stay on the host, and are accessed over the link
 * @SIMGPU_MEMORY_THROTTLE: pages are brought later; so long the accesses wait
 * @SIMGPU_MEMORY_PIN: pages are brought, and their chunk is only taken away if no other can be
 * @SIMGPU_MEMORY_ACTIONS: how many there are
 */
enum simgpu_memory_action {
	SIMGPU_MEMORY_MIGRATE,
	SIMGPU_MEMORY_REMOTE,
	SIMGPU_MEMORY_THROTTLE,
	SIMGPU_MEMORY_PIN,
	SIMGPU_MEMORY_ACTIONS,
};

/**
 * struct simgpu_placement - what a policy answers
 * @bring: by block, the pages to bring, a bit each, below its @pages. Pages that are resident
 *	are left out, and pages that have faulted added, by the session
 * @low: by slot, chunks up to which a tenant is spared: while some tenant has more than its
 *	@low, chunks are taken from such tenants only, and from the one that needs a chunk
 *	if it is one of them. This and @high count until the next call
 * @high: by slot, chunks from which on a tenant that needs one gives up one of its own; 0:
 *	any number
 * @fetch_count: ranges of @fetch
 * @unused: 0
 * @fetch: what else to bring, after the faults that wait, in this order. They take chunks
 *	as faults do, but none that the same batch has filled. After a call about kernels they
 *	replace those that are left from before, else they come behind them; above
 *	SIMGPU_FETCHES_MAX in all, the last are dropped
 * @action: by block, &enum simgpu_memory_action
 * @us: by block, for how many microseconds pages are remote or pinned, 0: for ever; or how
 *	much later they are brought. At most SIMGPU_MEMORY_US_MAX
 */
struct simgpu_placement {
	u64 bring[SIMGPU_PLACE_BLOCKS_MAX][SIMGPU_BLOCK_WORDS];
	u32 low[SIMGPU_SLOTS_MAX];
	u32 high[SIMGPU_SLOTS_MAX];
	u32 fetch_count;
	u32 unused;
	struct simgpu_fetch fetch[SIMGPU_FETCHES_MAX];
	u32 action[SIMGPU_PLACE_BLOCKS_MAX];
	u32 us[SIMGPU_PLACE_BLOCKS_MAX];
};

#define SIMGPU_MEMORY_US_MAX	10000000

/* Why a policy is asked for a chunk's rank, bits */
#define SIMGPU_RANK_ON_ARRIVAL	1	/* pages are brought into it */
#define SIMGPU_RANK_ON_USE	2	/* it was accessed since the batch before */
/* Beside these in @events: place() is asked when other kernels come to the heads of queues. */
#define SIMGPU_PLACE_ON_KERNELS	4
#define SIMGPU_MEMORY_EVENTS	7

/**
 * struct simgpu_chunk - 2 MiB of device memory, which hold a block
 * @slot: the tenant
 * @block: index of the block in its memory
 * @began: core cycle at which it was given to the block
 * @arrived: core cycle at which pages came last, or will come
 * @used: core cycle of the batch at which accesses to it were seen last; 0: never
 * @uses: batches at which accesses to it were seen
 * @rank: its rank so far
 */
struct simgpu_chunk {
	u32 slot;
	u32 block;
	u64 began;
	u64 arrived;
	u64 used;
	u64 uses;
	u64 rank;
};

/**
 * struct simgpu_memory_policy - a memory policy
 * @name: unique among memory policies
 * @events: SIMGPU_RANK_ON_*: when @rank is asked, and SIMGPU_PLACE_ON_KERNELS. Accesses are
 *	only looked for with SIMGPU_RANK_ON_USE
 * @lapse_us: a block that faults within so many microseconds of its eviction thrashes; 0:
 *	that is not counted
 * @state_bytes: bytes that it keeps between calls, at most SIMGPU_STATE_BYTES_MAX. The
 *	session allocates, zeroes and hashes them
 * @source: SIMGPU_SOURCE_*; set by the code that loads it
 * @checksum: zlib's crc32() of its source; 0: built in, or not known
 * @place: fills @placement, which is zero, for a batch of faults. Returns 0 or a negative
 *	errno
 * @rank: the number by which victims are chosen, the lowest first; of equal ones the chunk
 *	with the lower index. It is asked for each event of @events, for at most
 *	SIMGPU_RANKS_MAX used chunks a batch; the rest keep their rank
 * @params: its parameters, up to SIMGPU_PARAMS_MAX and a row without a name; or NULL. A
 *	@rank that goes by one finds it in the state, where @place has put it
 * @about: what it is, in a line, for simgpu policy list; NULL: it does not say
 *
 * After an error or an impossible placement the policy uvm replaces it, with a reason.
 */
struct simgpu_memory_policy {
	char name[SIMGPU_NAME_BYTES];
	u32 events;
	u32 lapse_us;
	u32 state_bytes;
	u32 source;
	u32 checksum;
	int (*place)(const struct simgpu_place *place, void *state,
		     struct simgpu_placement *placement);
	u64 (*rank)(u32 event, const struct simgpu_chunk *chunk, void *state);
	const struct simgpu_param *params;
	const char *about;
};

#define SIMGPU_RANKS_MAX	1024

#endif /* SIMGPU_MEMORY_POLICY_H */
