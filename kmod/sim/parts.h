/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Types that every part of the simulated GPU uses: how many parts there can be, lines
 * of device memory, and the messages that parts send each other.
 */
#ifndef SIM_PARTS_H
#define SIM_PARTS_H

#include "gpu.h"

#define NEVER			U64_MAX
#define NONE			0xffU
#define NO_MSHR			0xffffU
#define NOBODY			0xffffffffU
#define NO_LINE			0xffffffffU

/* Words of 4 bytes of a sector. */
#define SECTOR_BYTES		(GPU_LINE_BYTES / TRACE_SECTORS)
#define SECTOR_WORDS		(SECTOR_BYTES / 4)

/* A device line: the slot in the top 6 bits, the tenant's line below. */
#define LINE_SLOT_SHIFT		26

#define GPU_CHANNELS_MAX	64
#define GPU_SLICES_MAX		128
#define GPU_SMS_MAX		512
#define GPU_SENDERS_MAX		(GPU_SMS_MAX + GPU_COPY_ENGINES_MAX)

struct gpu;
struct gpu_shape;

/* @value or 0, computed without a branch. */
static inline u64 if_set(bool condition, u64 value)
{
	return value & -(u64)condition;
}

static inline u32 line_slot(u32 line)
{
	return line >> LINE_SLOT_SHIFT;
}

/* The number of sectors in a mask, without a call. */
static inline u32 sector_count(u32 sectors)
{
	return 0x4332322132212110ULL >> sectors * 4 & 7;
}

static inline u32 lowest_bit(u64 mask)
{
	return (u32)__builtin_ctzll(mask);
}

/* For REQUEST_REDUCE and all after it, the reply is an acknowledgment without data. */
enum request_kind {
	REQUEST_READ,
	REQUEST_ATOMIC,
	REQUEST_REDUCE,		/* an atomic whose value is not used */
	REQUEST_WRITE,		/* the whole line */
	REQUEST_WRITE_PARTIAL,
	REQUEST_COPY,		/* the whole line, by a copy engine: it is never fetched */
};

/* Whether a request that stores does so to all bytes of its sectors. */
static inline bool writes_whole(u32 kind)
{
	return kind == REQUEST_WRITE || kind == REQUEST_COPY;
}

PORT_NO_HOLES_BEGIN

/*
 * struct mail - the beginning of a message across the crossbar. A message lies in a
 *	place of its entry in the SM, for an entry has one message at a time
 * @next: place of the next one in a list, or NOBODY
 * @sent: cycle at which it was sent (wraps), by which messages are put in order
 * @number: entry of the SM that it comes from, or goes to
 * @sender: the SM, or the slice; messages of lower ones come first
 */
struct mail {
	u32 next;
	u32 sent;
	u16 number;
	u16 sender;
};

/* struct mailbox - a list of messages, by place */
struct mailbox {
	u32 head;
	u32 tail;
};

/*
 * struct request - SM to slice
 * @ready: cycle at which it leaves the SM; in its slice's queue, the cycle from
 *	which the slice may look it up
 * @kind: &enum request_kind
 * @sectors: sectors that are still to be looked up; 1 if the cache has none
 * @generation: the tenant's generation when it was sent; a dropped tenant's differs
 * @reply_flits: flits of each of its replies
 * @flits: its own, the cycles for which it takes a port
 * @set: the line's set in its slice
 */
struct request {
	struct mail mail;
	u32 line;
	u64 ready;
	u8 slice;
	u8 kind;
	u8 sectors;
	u8 generation;
	u8 reply_flits;
	u8 flits;
	u16 set;
};

/*
 * What a request takes of its slice's queue: the cycles for which it, or what it asks for,
 * keeps a port busy.
 */
static inline u32 queue_flits(const struct request *request)
{
	return max(request->flits, request->reply_flits);
}

/*
 * How many bytes of each sector of a line stores write: a byte for each sector. Traces do not
 * always say which bytes, so stores to a sector are taken to write different ones.
 */
static inline u32 stored_bytes(u32 sectors, u32 bytes)
{
	u32 stored = 0, i;

	for (i = 0; i < TRACE_SECTORS; i++)
		if (sectors >> i & 1)
			stored |= bytes << i * 8;
	return stored;
}

/* What two stores write together; no sector has more than all of its bytes. */
static inline u32 stored_together(u32 first, u32 second)
{
	u32 sum = 0, i;

	for (i = 0; i < 32; i += 8)
		sum |= min((first >> i & 0xff) + (second >> i & 0xff),
			   (u32)SECTOR_BYTES) << i;
	return sum;
}

/* The sectors of which all bytes are written. */
static inline u32 stored_sectors(u32 stored)
{
	u32 sectors = 0, i;

	for (i = 0; i < TRACE_SECTORS; i++)
		if ((stored >> i * 8 & 0xff) == SECTOR_BYTES)
			sectors |= 1U << i;
	return sectors;
}

/*
 * struct reply - slice to SM
 * @departure: cycle at which it leaves the slice (wraps)
 * @flits: cycles for which it takes a port
 */
struct reply {
	struct mail mail;
	u32 departure : 24;
	u32 flits : 8;
};

/*
 * struct noc_port - the messages that wait at a port, with noc_head_blocking: the first of
 *	them has to go before the others can
 * @free: cycle at which the port has sent the message before
 * @flits: of all messages that wait
 */
struct noc_port {
	struct mailbox waiting;
	u64 free;
	u32 flits;
	u32 unused;
};

/* struct dram_tag - the origin of a request, which comes back with its dram_done */
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
 * @priority: its tenant's when it was sent, less than GPU_PRIORITIES
 * @sectors: number of sectors, of the line's four; 4 if the cache has none
 */
struct dram_request {
	u64 ready_clock : 52;
	u64 sectors : 4;
	u64 bank : 4;
	u64 priority : 4;
	u32 row;
	struct dram_tag tag;
};

/*
 * struct dram_done - channel to slice: a fill has arrived, a write is done
 * @waited: clocks that it waited while its bank served other tenants
 * @activated: activates that it needed
 * @sectors: as in its request
 * @reopened: activates for a row that its tenant had open before others came
 * @bank_busy: count of struct dram_tenant since its tenant's last message, as are
 *	@bank_active and @bus_wait
 */
struct dram_done {
	u64 ready;
	struct dram_tag tag;
	u32 waited;
	u32 bank_busy;
	u32 bank_active;
	u32 bus_wait;
	u8 write;
	u8 activated;
	u8 reopened;
	u8 sectors;
};

PORT_NO_HOLES_END

#endif /* SIM_PARTS_H */
