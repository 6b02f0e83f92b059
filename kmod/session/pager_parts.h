/* SPDX-License-Identifier: GPL-2.0 */
/* The inside of the pager: its state. */
#ifndef SESSION_PAGER_PARTS_H
#define SESSION_PAGER_PARTS_H

#include "../policy/registry.h"
#include "../sim/pages.h"
#include "internal.h"
#include "pager.h"

#define NO_CHUNK	U32_MAX
/* Copies to the device that may be on their way; a batch waits for room. */
#define PAGER_COPIES	GPU_COPIES_MAX
/* The copy engine that it uses, if the device has any. */
#define PAGER_ENGINE	0
/* Windows for which a chunk keeps pages that have come, so that accesses find them. */
#define PAGER_KEPT_WINDOWS	2
/* Blocks that a batch fetches without faults, at most: a fault waits for them. */
#define PAGER_FETCH_BLOCKS	4
/*
 * Blocks of ranges of tenants that are looked at in a window, at most: the pages of a block may
 * all be there, and a tenant may ask for all it has again and again.
 */
#define PAGER_LOOKS		16
/* Whose turn it is to have a block fetched, if it is no tenant's: a policy's, of memory or SMs */
#define FETCH_TURN_POLICY	SESSION_SLOTS_MAX
#define FETCH_TURN_PREPARE	(SESSION_SLOTS_MAX + 1)
/* Blocks whose faults may be answered later; more are answered at once. */
#define PAGER_DELAYED		256

/* What was with a page, bits */
#define PAST_EVICTED	1	/* it was on the device before */
#define PAST_PREFETCHED	2	/* it was brought without a fault */
#define PAST_USED	4	/* and an access has found it */

PORT_NO_HOLES_BEGIN

/*
 * struct chunk - a chunk of device memory
 * @is: what policies see
 * @batch: number of the last batch that had its block
 * @pinned: it is only taken away before this cycle if no other can be
 */
struct chunk {
	struct simgpu_chunk is;
	u64 batch;
	u64 pinned;
};

/* struct copy - pages @page to @page + @count - 1 of a slot, which arrive at @at */
struct copy {
	u64 at;
	u32 slot;
	u32 page;
	u32 count;
	u32 unused;
};

/*
 * struct asked - a block of a batch, with the pages that faulted and those to bring
 * @action: &enum simgpu_memory_action
 * @us: as in struct simgpu_placement
 * @at: of a block whose faults are answered later: from which cycle on
 */
struct asked {
	u32 slot;
	u32 block;
	u32 faults;
	u32 action;
	u32 us;
	u32 unused;
	u64 at;
	u64 faulted[SIMGPU_BLOCK_WORDS];
	u64 bring[SIMGPU_BLOCK_WORDS];
};

/* struct pager_said - what the memory policy said last of tenants' chunks, by slot */
struct pager_said {
	u32 low[SESSION_SLOTS_MAX];
	u32 high[SESSION_SLOTS_MAX];
};

/* struct prefetches - ranges that a tenant has asked for and that wait, the first one first */
struct prefetches {
	u32 count;
	struct simgpu_fetch range[SESSION_PREFETCHES_MAX];
};

/*
 * struct pager_events - what decides of which events the SM policy is told
 * @epoch: number of the epoch of @pressed and @thrashed
 * @pressed: tenants of whose lost chunks it was told, a bit each
 * @thrashed: tenants of whose thrashing it was told
 * @awaited: tenants with pages that were asked for ahead, of whose coming it is to be told
 */
struct pager_events {
	u64 epoch;
	u64 pressed;
	u64 thrashed;
	u64 awaited;
};

/*
 * struct block_past - what was with a block
 * @evicted: cycle at which it was evicted, if it has not faulted since; else 0
 * @remote_until: cycle until which pages of it stay on the host; NEVER: for ever; 0: none does
 * @thrashes: as in struct simgpu_fault_block
 * @throttled: the same
 */
struct block_past {
	u64 evicted;
	u64 remote_until;
	u32 thrashes;
	u32 throttled;
};

PORT_NO_HOLES_END

#define PAGER_NEVER		U64_MAX

enum pager_state {
	PAGER_IDLE,		/* the next batch may begin at @free_at */
	PAGER_BLOCKS,		/* block @block of the batch is next, at @clock */
	PAGER_MAP,		/* its pages are mapped on the host at @clock */
	PAGER_FLUSH,		/* chunk @victim leaves the caches, from @clock on */
	PAGER_OUT,		/* a copy engine reads its pages, until @clock at least */
};

/*
 * struct pager_memory - a slot's managed memory
 * @pages: a table for the hardware
 * @past: PAST_*, by page
 * @blocks: what was with each block
 * @chunk: index of its chunk, by block, or NO_CHUNK
 * @advice: what the tenant said, &enum simgpu_memory_advice, by block
 * @tables: the memory of these; NULL: none of the slot's memory is managed
 * @resident: pages that are on the device or on their way
 * @fixed: pages that are not managed (GPU_PAGE_FIXED). All pages of a block are, or none
 */
struct pager_memory {
	struct gpu_page *pages;
	u8 *past;
	struct block_past *blocks;
	u32 *chunk;
	u8 *advice;
	struct session_tables *tables;
	u32 page_count;
	u32 block_count;
	u32 resident;
	u32 fixed;
};

/*
 * struct pager - the pager of a device
 * @clock: cycle up to which the server has worked on its batch
 * @free_at: cycle from which on the server takes a batch
 * @link_in: cycle from which on the link to the device is free
 * @link_out: the same of the link to the host
 * @batch: number of the present or last batch
 * @state: &enum pager_state
 * @blocks: blocks of the batch
 * @waited: it could not go on at @clock, and goes on when a later window ends
 * @round: blocks to serve before other tenants may join the batch: of the tenants that had some
 *	when the last ones joined, or when it began, one of each but one
 * @owed: a chunk was taken away for the next block, and several tenants have managed memory
 * @copy_head: place in @copy of the copy that arrives first, of @copies
 * @heard: how many of them have a cycle of arrival that is known. A copy's lines have to be
 *	taken by the device; before they are, its @at is the soonest
 * @outs: copies to the host that the engine has not done yet
 * @decided: blocks of the batch about which the policy was asked before
 * @delays: blocks of @delayed, whose faults are answered later, the first one first
 * @remote_next: cycle at which pages on the host have to be looked at, PAGER_NEVER for none
 * @came: pages have come since the hardware was told
 * @fetches: ranges of @fetch, the next ones to bring without faults
 * @said: what the policy said last
 * @heads: what names the kernels of which the policy was told last, by slot
 * @asking: tenants with ranges in @prefetch
 * @turn: whose block is fetched next: a slot, or FETCH_TURN_*; 0 unless tenants or the SM policy
 *	ask
 * @looks: blocks of tenants' ranges that were looked at in this window
 * @prefetch: what tenants have asked for, by slot
 * @prepares: ranges of @prepare, which the SM policy has asked for
 * @events: of which events the SM policy is told
 * @told: by slot, events that the session has not taken yet; zero wherever gpu_run() ends
 * @used: chunks of each slot
 * @asked_slot: of which tenant the policy was asked last; SESSION_NOWHERE: of kernels
 * @asked_block: of which block of it
 * @fell_back: why uvm replaces the policy; empty: it does not
 * @place: filled in anew for each use; as are @placement and @faults
 */
struct pager {
	struct_group(lasts,
		u64 clock;
		u64 free_at;
		u64 link_in;
		u64 link_out;
		u64 batch;
		u32 state;
		u32 blocks;
		u32 block;
		u32 victim;
		u32 copies;
		u32 copy_head;
		u32 heard;
		u32 outs;
		u32 decided;
		u32 delays;
		u64 remote_next;
		bool waited;
		bool owed;
		u8 round;
		u8 unused;
		u32 fetches;
		struct pager_said said;
		u64 heads[SESSION_SLOTS_MAX];
	);
	struct simgpu_fetch fetch[SIMGPU_FETCHES_MAX];
	u64 asking;
	u32 turn;
	u32 looks;
	struct prefetches prefetch[SESSION_SLOTS_MAX];
	struct simgpu_fetch prepare[SIMGPU_FETCHES_MAX];
	u32 prepares;
	struct pager_events events;
	u32 told[SESSION_SLOTS_MAX];
	u32 used[SESSION_SLOTS_MAX];
	struct session *session;
	const struct simgpu_memory_policy *policy;
	void *policy_state;
	void *gpu_memory;
	struct chunk *chunk;
	u32 chunks;
	u32 chunks_free;
	u32 block_pages;
	u32 asked_slot;
	u32 asked_block;
	bool came;
	char fell_back[128];
	struct pager_memory memory[SESSION_SLOTS_MAX];
	struct copy copy[PAGER_COPIES];
	struct gpu_fault faults[GPU_FAULT_BATCH_MAX];
	struct asked asked[GPU_FAULT_BATCH_MAX + PAGER_FETCH_BLOCKS];
	struct asked delayed[PAGER_DELAYED];
	struct simgpu_place place;
	struct simgpu_placement placement;
};

static inline const struct gpu_config *pager_config(const struct pager *pager)
{
	return &pager->session->initial.config;
}

static inline bool pager_has_engine(const struct pager *pager)
{
	return pager_config(pager)->copy_engines != 0;
}

static inline u64 pager_cycles(const struct pager *pager, u32 ns)
{
	return gpu_cycles_of_ns(pager_config(pager)->core_mhz, ns);
}

static inline u64 pager_cycles_of_us(const struct pager *pager, u32 us)
{
	return (u64)us * pager_config(pager)->core_mhz;
}

/* Free a slot's tables, which the hardware does not use any more. */
static inline void free_tables(struct pager_memory *memory)
{
	port_free(memory->tables);
	memset(memory, 0, sizeof(*memory));
}

/* Whether a page is neither on the device nor on its way. */
static inline bool page_is_away(const struct gpu_page *page)
{
	return page->state == GPU_PAGE_HOST || page->state == GPU_PAGE_DELAYED ||
	       page->state == GPU_PAGE_REMOTE;
}

/* Whether a page is on the host, and is not to stay there. */
static inline bool page_may_come(const struct gpu_page *page)
{
	return page->state == GPU_PAGE_HOST || page->state == GPU_PAGE_DELAYED;
}

static inline bool chunk_is_free(const struct chunk *chunk)
{
	return chunk->is.slot == SESSION_SLOTS_MAX;
}

/* Whether memory of a slot is managed */
static inline bool managed_is(const struct session *session, u32 slot)
{
	return session->pager && session->pager->memory[slot].page_count;
}

static inline u32 pager_page_bytes(const struct pager *pager)
{
	return pager_config(pager)->page_kb << 10;
}

static inline u64 pager_managed_bytes(const struct pager *pager, u32 slot)
{
	const struct pager_memory *memory = &pager->memory[slot];

	return (u64)(memory->page_count - memory->fixed) * pager_page_bytes(pager);
}

/* Whether all memory of a slot is managed that launches of it may access */
static inline bool managed_is_all(const struct session *session, u32 slot)
{
	return managed_is(session, slot) && !session->pager->memory[slot].fixed;
}

/* Of a slot's footprint, the bytes that are not managed: at most so many */
static inline u64 managed_leaves(const struct session *session, u32 slot, u64 footprint)
{
	const struct pager *pager = session->pager;

	return managed_is(session, slot) ?
	       min(footprint, (u64)pager->memory[slot].fixed * pager_page_bytes(pager)) :
	       footprint;
}

#endif /* SESSION_PAGER_PARTS_H */
