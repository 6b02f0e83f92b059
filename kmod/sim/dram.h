/* SPDX-License-Identifier: GPL-2.0 */
/* Memory channels: each has a controller and its DRAM. */
#ifndef SIM_DRAM_H
#define SIM_DRAM_H

#include "parts.h"

#define DRAM_BANKS_MAX		16
#define DRAM_GROUPS_MAX		4
#define DRAM_QUEUE_MAX		64

enum dram_level {
	DRAM_BANK,
	DRAM_GROUP,
	DRAM_CHANNEL,
	DRAM_LEVELS
};

/* Commands that timings constrain: ACTIVATE, PRECHARGE, READ, WRITE. */
#define DRAM_BOUND	4

/*
 * struct dram_limits - a configuration's timings, precomputed
 * @distance: least clocks from one command to another, by level; 0: none, or
 *	no more than a wider level asks
 * @read_data: clocks from a line's last READ to the end of its data
 * @write_data: clocks from a line's last WRITE to the end of its data
 * @burst: data bus clocks of a line
 * @burst_of: data bus clocks of a request, by its sectors
 * @group_banks: banks of a bank group
 * @columns: column commands of a line
 * @columns_of: column commands of a request, by its sectors
 */
struct dram_limits {
	u16 distance[DRAM_LEVELS][DRAM_BOUND][DRAM_BOUND];
	u16 activate_window;	/* at most four activates in so many clocks */
	u16 read_data;
	u16 write_data;
	u16 burst;
	u16 burst_of[TRACE_SECTORS + 1];
	u8 group_banks;
	u8 columns;
	u8 columns_of[TRACE_SECTORS + 1];
};

/* The upper bits of an entry's key are its rank, 0 for the highest. */
#define DRAM_RANK_SHIFT		60

/* After so many memory clocks a request goes before all others, of whatever priority. */
#define DRAM_PRIORITY_WAIT	8192

PORT_NO_HOLES_BEGIN

/*
 * struct dram_link - the part of an entry that a search for rows reads
 * @next: next entry of its bank, in the order of their keys; or in the free list
 */
struct dram_link {
	u32 row;
	u8 next;
	u8 unused[3];
};

/*
 * struct dram_entry - a request in a channel's queue
 * @key: the entry with the least key is served first. It is made of the rank (0 for the
 *	highest priority), the age, and the bank in the lowest byte
 * @since: memory clock of its arrival (wraps)
 * @activated: how often its row had to be opened for it
 * @reopened: see struct dram_done
 * @columns: column commands that it has had, where a line needs several
 * @sectors: as in its request
 * @others_clocks: clocks of other tenants at its bank when it entered the queue
 */
struct dram_entry {
	u64 key;
	u32 since;
	u32 others_clocks;
	struct dram_tag tag;
	u8 activated;
	u8 reopened;
	u8 columns;
	u8 sectors;
};

/*
 * struct dram_queue - reads or writes, and by bank what FR-FCFS looks for
 * @banks: banks with an entry
 * @hit_banks: banks with a hit, an entry to the open row
 * @capped: banks whose hits must wait for an older request (row-hit cap)
 * @bypassed: hits served since the activate while an older request waited
 * @head: by bank, the entry with the least key: the oldest, if all have the same
 *	priority
 * @tail: by bank, the entry with the greatest key
 * @hit: by bank, the hit with the least key
 */
struct dram_queue {
	u8 count;
	u8 free;
	u8 unused[2];
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

/* Most places of an inbox; a configuration uses as many as it needs, at least 256. */
#define DRAM_INBOX	512

/*
 * struct dram_inbox - requests on their way to a queue, in order of arrival
 * @head: place of the first request in the ring
 * @priorities: sum of the priorities of all of them
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
 * before an activate for another tenant, which it serves from then on.
 *
 * struct dram_share - a tenant at a bank, when the bank last served it
 * @row: row that the tenant had open
 * @clocks: clocks for which the bank has served the tenant (wraps)
 */
struct dram_share {
	u32 row;
	u32 clocks;
};

/*
 * struct dram_tenant - a tenant's requests at a channel, and its counts since the
 *	tenant's last dram_done, which carried the earlier ones
 * @since: clock up to which the banks are counted (wraps)
 * @bank_busy: sum over banks of the clocks in which they held requests of it
 * @bank_active: clocks in which any bank held requests of it
 * @bus_wait: clocks for which its accesses waited for other tenants' data
 * @bus_data: clocks of its own data on the bus, since the start (wraps)
 * @banks: banks that hold requests of it
 * @held: by bank, number of these requests
 */
struct dram_tenant {
	u32 since;
	u32 bank_busy;
	u32 bank_active;
	u32 bus_wait;
	u32 bus_data;
	u8 banks;
	u8 held[DRAM_BANKS_MAX];
	u8 unused[3];
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
 * @turn_at: core cycle of its next turn
 * @arrival: clock at which the next request can enter
 * @pending: requests in queues and inboxes
 * @inbox_mask: places of the rings @request that are used, less 1
 * @clock: next memory clock to simulate
 * @refresh_due: memory clock from which a refresh goes before all else; where banks are
 *	refreshed in turn, the first one at which to look after the next bank
 * @refresh_bank: where banks are refreshed in turn, the next one
 * @bank_due: memory clock at which its refresh is due (wraps)
 * @closing: this bank alone, from then on until it is refreshed: nothing opens it
 * @wake: first clock at which there may be something else to do
 * @look: by want, the first clock at which a bank may get what it wants; it may
 *	be too early
 * @want: by want, the banks that have it, for the queue of @mode
 * @open: banks with an open row
 * @started: banks whose hit has been served in part
 * @mode: DRAM_READS or DRAM_WRITES: the queue that is served
 * @next_mode: the queue that will be served next
 * @ranked: entries may differ in priority
 * @age: key of the next entry of the lowest priority, without its bank
 * @overdue_look: clock from which to look for overdue entries
 * @next: by command, the first clock that the channel as a whole allows
 * @key: by bank, key of the entry for which it wants something
 * @bank_next: by command and bank, the first clock that the bank allows
 * @row: by bank, the open row
 * @owner: by bank, the tenant that it serves, or has served last; or NONE
 * @owned_since: by bank, clock of the first activate for its owner (wraps)
 * @closed_at: by bank, clock of the last precharge (wraps)
 * @served: by bank, clocks in which it served all earlier owners (wraps)
 * @others: by bank, clocks of @served that were not for its owner (wraps)
 * @fresh: banks with an activate since the last refresh
 * @reopening: by bank, slots whose @row was closed because of other tenants
 * @share: by bank and slot
 * @bus_data: clocks of data on the bus, of all tenants (wraps)
 * @bus_others: by bank, clocks of @bus_data that were not its owner's, at the
 *	bank's last activate or column access (wraps)
 * @tenant: by slot
 * @window: next allowed activate after each of the last four (tFAW)
 * @oldest_window: the entry of @window that binds next
 * @request: rings of @inbox
 */
struct channel {
	/* What an arriving request touches. */
	u64 turn_at;
	u64 arrival;
	u16 pending;
	u16 inbox_mask;
	struct dram_inbox inbox[2];
	u32 refresh_bank;
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
	u32 closing;
	u64 reopening[DRAM_BANKS_MAX];
	struct dram_share share[DRAM_BANKS_MAX][GPU_SLOTS_MAX];
	u32 bus_data;
	u32 bus_others[DRAM_BANKS_MAX];
	struct dram_tenant tenant[GPU_SLOTS_MAX];
	u32 bank_due;
	struct dram_queue queue[2];
	struct dram_request request[2][DRAM_INBOX] __aligned(64);
} __aligned(64);

PORT_NO_HOLES_END

/* The request at a place of an inbox, counted from the first one. */
static inline struct dram_request *inbox_at(struct channel *channel, u32 mode,
					    u32 place)
{
	return &channel->request[mode][(channel->inbox[mode].head + place) &
				       channel->inbox_mask];
}

/* dram_timing.c */
void dram_compile(const struct gpu_config *config, struct dram_limits *limits);

/* dram.c */
void channel_init(struct gpu *gpu, u32 channel);
u64 channel_run(struct gpu *gpu, u32 channel, u64 until);

/* dram_link.c */
void channel_turn(struct gpu *gpu, u32 channel);
void channel_send(struct gpu *gpu, u32 slice, u32 line, u32 mode, u32 sectors,
		  u32 mshr, u32 generation);
void channel_post(struct gpu *gpu, u32 channel, bool write,
		  const struct dram_request *request);

#endif /* SIM_DRAM_H */
