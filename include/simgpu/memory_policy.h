/* SPDX-License-Identifier: GPL-2.0 OR LGPL-2.1 */
/*
 * The interface of a memory policy: which pages are brought for faults, and which chunks of
 * device memory are taken away first. It is pure, as the interface of an SM policy is: no
 * other input, no side effects, no allocation, no sleeping, integers only.
 */
#ifndef SIMGPU_MEMORY_POLICY_H
#define SIMGPU_MEMORY_POLICY_H

#include <simgpu/snapshot.h>

/* Most pages of a block of 2 MiB, of 4 KiB; and the words of a mask of them. */
#define SIMGPU_BLOCK_PAGES_MAX	512
#define SIMGPU_BLOCK_WORDS	(SIMGPU_BLOCK_PAGES_MAX / 64)
/* Most blocks about which a policy is asked at a time. */
#define SIMGPU_PLACE_BLOCKS_MAX	64

/**
 * struct simgpu_fault_block - a block of 2 MiB of a tenant's memory with faults
 * @slot: the tenant
 * @block: index of the block in its memory
 * @pages: pages of the block that the tenant has: all, but of its last block
 * @faults: faults in the block, those of several SMs on one page included
 * @again: pages of @faulted that had been evicted before
 * @thrashes: how often in a row it has faulted within the policy's @lapse_us of its eviction
 * @throttled: how often it was throttled meanwhile
 * @unused: 0
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
	u32 unused;
	u64 faulted[SIMGPU_BLOCK_WORDS];
	u64 resident[SIMGPU_BLOCK_WORDS];
	u64 written[SIMGPU_BLOCK_WORDS];
};

/**
 * struct simgpu_place - what a policy is asked about: a batch of faults, or a part of it
 * @cycle: core cycle at which the batch began
 * @chunks: chunks of 2 MiB that the device has for managed memory
 * @chunks_free: chunks that nobody uses
 * @page_bytes: bytes of a page
 * @count: blocks that are filled in
 * @block: the blocks, in the order of their first faults
 */
struct simgpu_place {
	u64 cycle;
	u32 chunks;
	u32 chunks_free;
	u32 page_bytes;
	u32 count;
	struct simgpu_fault_block block[SIMGPU_PLACE_BLOCKS_MAX];
};

/**
 * enum simgpu_memory_action - what is done about the faults of a block
 * @SIMGPU_MEMORY_MIGRATE: pages are brought to the device
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
 * @action: by block, &enum simgpu_memory_action
 * @us: by block, for how many microseconds pages are remote or pinned, 0: for ever; or how
 *	much later they are brought. At most SIMGPU_MEMORY_US_MAX
 */
struct simgpu_placement {
	u64 bring[SIMGPU_PLACE_BLOCKS_MAX][SIMGPU_BLOCK_WORDS];
	u32 action[SIMGPU_PLACE_BLOCKS_MAX];
	u32 us[SIMGPU_PLACE_BLOCKS_MAX];
};

#define SIMGPU_MEMORY_US_MAX	10000000

/* Why a policy is asked for a chunk's rank, bits */
#define SIMGPU_RANK_ON_ARRIVAL	1	/* pages are brought into it */
#define SIMGPU_RANK_ON_USE	2	/* it was accessed since the batch before */

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
 * @events: SIMGPU_RANK_ON_*: when @rank is asked. Accesses are only looked for with
 *	SIMGPU_RANK_ON_USE
 * @lapse_us: a block that faults within so many microseconds of its eviction thrashes; 0:
 *	that is not counted
 * @state_bytes: bytes that it keeps between calls, at most SIMGPU_STATE_BYTES_MAX. The
 *	session allocates, zeroes and hashes them
 * @place: fills @placement, which is zero, for a batch of faults. Returns 0 or a negative
 *	errno
 * @rank: the number by which victims are chosen, the lowest first; of equal ones the chunk
 *	with the lower index. It is asked for each event of @events, for at most
 *	SIMGPU_RANKS_MAX used chunks a batch; the rest keep their rank
 *
 * After an error or an impossible placement the policy uvm replaces it, with a reason.
 */
struct simgpu_memory_policy {
	char name[SIMGPU_NAME_BYTES];
	u32 events;
	u32 lapse_us;
	u32 state_bytes;
	int (*place)(const struct simgpu_place *place, void *state,
		     struct simgpu_placement *placement);
	u64 (*rank)(u32 event, const struct simgpu_chunk *chunk, void *state);
};

#define SIMGPU_RANKS_MAX	1024

#endif /* SIMGPU_MEMORY_POLICY_H */
