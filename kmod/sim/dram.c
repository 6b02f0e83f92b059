// SPDX-License-Identifier: GPL-2.0
/*
 * Memory channels: an FR-FCFS controller each, with read and write queues, an
 * open-page policy, a row-hit cap, write drain and refresh, on DRAM banks whose
 * timings are the table in dram_timing.h.
 *
 * A channel runs ahead of the core clock by no more than the link's latency: a request
 * that is sent later arrives later still. Its results reach slices and counters in
 * messages at exact core cycles, so how far it ran ahead never shows.
 */
#include "dram_tenants.h"
#include "dram_timing.h"

static void show(const struct gpu *gpu, u32 index, u32 bank, u32 command,
		 u64 clock)
{
	if (gpu->hook && index < gpu->config.channels)
		gpu->hook(gpu->hook_context, index, clock, command, bank,
			  gpu->channels[index].row[bank]);
}

/* --- what banks want -------------------------------------------------------- */

/* The command that grants a want. */
static u32 command_for(const struct channel *channel, u32 want)
{
	if (want == WANT_COLUMN)
		return DRAM_READ + channel->mode;
	return want == WANT_ACTIVATE ? DRAM_ACTIVATE : DRAM_PRECHARGE;
}

/* First clock at which a bank allows its want; other limits may be later. */
static u64 allowed_at(const struct channel *channel, u32 bank, u32 command)
{
	return max(channel->bank_next[command][bank], channel->next[command]);
}

static __always_inline void add_want(struct channel *channel, u32 bank, u32 want)
{
	u64 at = allowed_at(channel, bank, command_for(channel, want));

	channel->want[want] |= 1U << bank;
	channel->look[want] = min(channel->look[want], at);
}

static bool same_rank(const struct dram_entry *a, const struct dram_entry *b)
{
	return !((a->key ^ b->key) >> DRAM_RANK_SHIFT);
}

/*
 * Whether a bank's hit may be served. When the row-hit cap is reached, only the head may
 * be. While the head has a higher priority, only two other hits may be: one whose row was
 * opened for it, and one that has been served in part.
 */
static bool hit_is_next(const struct channel *channel,
			const struct dram_queue *queue, u32 bank)
{
	u32 bit = 1U << bank;
	const struct dram_entry *hit;

	if (!(queue->hit_banks & ~queue->capped & bit))
		return false;
	hit = &queue->entry[queue->hit[bank]];
	return !channel->ranked || hit->activated || channel->started & bit ||
	       same_rank(hit, &queue->entry[queue->head[bank]]);
}

/* The hit's key; if it stands in for a head of higher priority, the head's. */
static u64 hit_key(const struct channel *channel,
		   const struct dram_queue *queue, u32 bank)
{
	const struct dram_entry *head = &queue->entry[queue->head[bank]];
	const struct dram_entry *hit = &queue->entry[queue->hit[bank]];

	return !channel->ranked || same_rank(hit, head) ? hit->key : head->key;
}

/*
 * What a bank wants that is to be refreshed: to be closed, before all others, but after a hit
 * that has been served in part. Return: whether that is all.
 */
static noinline bool closing_wants(struct channel *channel, u32 bank)
{
	u32 bit = 1U << bank;

	if (channel->started & bit)
		return false;
	/* No key is lower. */
	channel->key[bank] = bank;
	if (channel->open & bit)
		add_want(channel, bank, WANT_PRECHARGE);
	return true;
}

/*
 * Find out what a bank wants, after its row or its part of the queue has
 * changed.
 */
static void bank_changed(struct channel *channel, u32 bank)
{
	const struct dram_queue *queue = &channel->queue[channel->mode];
	u32 bit = 1U << bank, want;

	for (want = 0; want < DRAM_WANTS; want++)
		channel->want[want] &= ~bit;
	if ((channel->closing & bit) && closing_wants(channel, bank))
		return;
	if (!(queue->banks & bit))
		return;
	if (hit_is_next(channel, queue, bank)) {
		channel->key[bank] = hit_key(channel, queue, bank);
		add_want(channel, bank, WANT_COLUMN);
		return;
	}
	channel->key[bank] = queue->entry[queue->head[bank]].key;
	if (channel->open & bit)
		add_want(channel, bank, WANT_PRECHARGE);
	else
		add_want(channel, bank, WANT_ACTIVATE);
}

static void all_banks_changed(struct channel *channel)
{
	u32 bank;

	memset(channel->look, 0xff, sizeof(channel->look));
	for (bank = 0; bank < DRAM_BANKS_MAX; bank++)
		bank_changed(channel, bank);
}

/* --- queues ------------------------------------------------------------------ */

static void queue_init(struct dram_queue *queue, u32 entries)
{
	u32 i;

	for (i = 0; i < entries; i++)
		queue->link[i].next = i + 1;
	queue->link[entries - 1].next = NONE;
}

/* Find a bank's first entry to the open row, from @from on. */
static void queue_find_hit(struct dram_queue *queue, u32 bank, u32 from, u32 row)
{
	while (from != NONE && queue->link[from].row != row)
		from = queue->link[from].next;
	queue->hit[bank] = from;
	if (from != NONE)
		queue->hit_banks |= 1U << bank;
	else
		queue->hit_banks &= ~(1U << bank);
}

static __always_inline u32 queue_fill(struct channel *channel,
				      struct dram_queue *queue,
				      const struct dram_request *request,
				      u64 clock)
{
	u32 number = queue->free;
	struct dram_entry *entry = &queue->entry[number];

	queue->free = queue->link[number].next;
	queue->link[number].row = request->row;
	queue->count++;
	entry->key = channel->age++ << 8 | request->bank;
	entry->since = (u32)request->ready_clock;
	entry->tag = request->tag;
	entry->others_clocks = clocks_of_others(channel, request->bank,
						request->tag.slot, clock);
	entry->activated = 0;
	entry->reopened = 0;
	entry->columns = 0;
	entry->sectors = request->sectors;
	bank_takes(channel, request->bank, request->tag.slot, clock);
	return number;
}

/*
 * Add a request of the lowest priority, behind all others of its bank. Return:
 * whether it changes what the bank wants.
 */
static __always_inline bool queue_append(struct channel *channel,
					 struct dram_queue *queue,
					 const struct dram_request *request,
					 u64 clock)
{
	u32 number = queue_fill(channel, queue, request, clock);
	u32 bank = request->bank, bit = 1U << bank;
	bool changed = true;

	queue->link[number].next = NONE;
	if (queue->banks & bit) {
		queue->link[queue->tail[bank]].next = number;
		changed = false;
	} else {
		queue->head[bank] = number;
		queue->banks |= bit;
	}
	queue->tail[bank] = number;
	if ((channel->open & ~queue->hit_banks & bit) &&
	    channel->row[bank] == request->row) {
		queue->hit[bank] = number;
		queue->hit_banks |= bit;
		changed = true;
	}
	return changed;
}

/* Put an entry into its bank's list, before the first with a greater key. */
static void queue_link(struct dram_queue *queue, u32 bank, u32 number)
{
	u64 key = queue->entry[number].key;
	u32 before = NONE, next = NONE;

	if (queue->banks & (1U << bank))
		next = queue->head[bank];
	queue->banks |= 1U << bank;
	while (next != NONE && queue->entry[next].key < key) {
		before = next;
		next = queue->link[next].next;
	}
	queue->link[number].next = next;
	if (next == NONE)
		queue->tail[bank] = number;
	if (before == NONE)
		queue->head[bank] = number;
	else
		queue->link[before].next = number;
}

/*
 * Give the highest rank to entries that have waited too long. (Only requests of higher
 * priority make others wait so long, so this is checked when such a request comes.)
 */
static void promote_overdue(struct channel *channel, struct dram_queue *queue,
			    u64 clock)
{
	u32 banks, number, next;

	for (banks = queue->banks; banks; banks &= banks - 1) {
		u32 bank = lowest_bit(banks);

		number = queue->head[bank];
		queue->banks &= ~(1U << bank);
		for (; number != NONE; number = next) {
			struct dram_entry *entry = &queue->entry[number];

			next = queue->link[number].next;
			if ((u32)clock - entry->since >= DRAM_PRIORITY_WAIT)
				entry->key &= (1ULL << DRAM_RANK_SHIFT) - 1;
			queue_link(queue, bank, number);
		}
	}
}

/* Find the hits of @banks again, except where one has been served in part. */
static void find_hits(struct channel *channel, struct dram_queue *queue,
		      u32 banks)
{
	banks &= queue->banks & channel->open;
	if (queue == &channel->queue[channel->mode])
		banks &= ~channel->started;
	for (; banks; banks &= banks - 1) {
		u32 bank = lowest_bit(banks);

		queue_find_hit(queue, bank, queue->head[bank],
			       channel->row[bank]);
	}
}

/* Add a request of higher priority, before those of lower priority. */
static bool queue_add_ranked(struct channel *channel, struct dram_queue *queue,
			     const struct dram_request *request, u64 clock)
{
	u32 number = queue_fill(channel, queue, request, clock);
	u32 bank = request->bank;
	u32 mode;

	channel->ranked = 1;
	queue->entry[number].key -= (u64)request->priority << DRAM_RANK_SHIFT;
	queue_link(queue, bank, number);
	find_hits(channel, queue, 1U << bank);
	if (clock < channel->overdue_look)
		return true;
	channel->overdue_look = clock + DRAM_PRIORITY_WAIT / 8;
	for (mode = DRAM_READS; mode <= DRAM_WRITES; mode++) {
		promote_overdue(channel, &channel->queue[mode], clock);
		find_hits(channel, &channel->queue[mode], ~0U);
	}
	all_banks_changed(channel);
	return true;
}

/* Take a bank's hit out of its queue and find the next one. */
static void queue_remove_hit(struct channel *channel, struct dram_queue *queue,
			     u32 bank)
{
	u32 number = queue->hit[bank], next = queue->link[number].next;
	u32 before = queue->head[bank];

	if (before == number) {
		queue->head[bank] = next;
		if (next == NONE)
			queue->banks &= ~(1U << bank);
	} else {
		while (queue->link[before].next != number)
			before = queue->link[before].next;
		queue->link[before].next = next;
		if (next == NONE)
			queue->tail[bank] = before;
	}
	queue_find_hit(queue, bank, next, channel->row[bank]);
	queue->link[number].next = queue->free;
	queue->free = number;
	queue->count--;
}

/*
 * Decide which queue to serve, after one has grown or shrunk: writes wait until there
 * are many of them, or no read is left.
 */
static void choose_mode(const struct gpu_config *config, struct channel *channel)
{
	u32 reads = channel->queue[DRAM_READS].count;
	u32 writes = channel->queue[DRAM_WRITES].count;

	if (!writes)
		channel->next_mode = DRAM_READS;
	else if (channel->mode == DRAM_READS)
		channel->next_mode = writes >= config->write_drain_start ||
				     !reads;
	else
		channel->next_mode = writes > config->write_drain_stop ||
				     !reads;
}

/*
 * If priorities differ, bring the request that enters its queue next to the head. It is
 * the first request of the highest priority among those that have arrived, unless the
 * head is overdue.
 */
static void choose_entering(struct channel *channel, u32 mode, u64 clock)
{
	u64 ready = inbox_at(channel, mode, 0)->ready_clock;
	struct dram_request chosen;
	u32 place, best = 0;

	if (ready > clock || ready + DRAM_PRIORITY_WAIT <= clock)
		return;
	for (place = 1; place < channel->inbox[mode].count; place++) {
		const struct dram_request *request =
			inbox_at(channel, mode, place);

		if (request->ready_clock > clock)
			break;
		if (request->priority >
		    inbox_at(channel, mode, best)->priority)
			best = place;
	}
	chosen = *inbox_at(channel, mode, best);
	for (place = best; place; place--)
		*inbox_at(channel, mode, place) =
			*inbox_at(channel, mode, place - 1);
	*inbox_at(channel, mode, 0) = chosen;
}

/* Let in requests that have arrived, while there is room. Return: the next arrival. */
static __always_inline u64 admit(struct gpu *gpu, struct channel *channel,
				 u32 mode, u64 clock)
{
	struct dram_inbox *inbox = &channel->inbox[mode];
	struct dram_queue *queue = &channel->queue[mode];
	bool changed;

	while (inbox->count && queue->count < gpu->config.queue_entries) {
		const struct dram_request *request = inbox_at(channel, mode, 0);

		if (inbox->priorities)
			choose_entering(channel, mode, clock);
		if (request->ready_clock > clock)
			return request->ready_clock;
		if (request->priority)
			changed = queue_add_ranked(channel, queue, request,
						   clock);
		else
			changed = queue_append(channel, queue, request, clock);
		if (changed && mode == channel->mode)
			bank_changed(channel, request->bank);
		inbox->priorities -= request->priority;
		/* An empty ring begins anew: its first places are in the host's caches. */
		inbox->head = --inbox->count ?
			      (inbox->head + 1) & channel->inbox_mask : 0;
	}
	return NEVER;
}

static void admit_all(struct gpu *gpu, struct channel *channel, u64 clock)
{
	u64 reads = admit(gpu, channel, DRAM_READS, clock);
	u64 writes = admit(gpu, channel, DRAM_WRITES, clock);

	channel->arrival = min(reads, writes);
	choose_mode(&gpu->config, channel);
}

/* --- commands ----------------------------------------------------------------- */

static void close_bank(struct channel *channel, u32 bank, u64 clock)
{
	u32 others = ~(1U << bank);

	channel->open &= others;
	channel->closed_at[bank] = (u32)clock;
	channel->queue[DRAM_READS].hit_banks &= others;
	channel->queue[DRAM_WRITES].hit_banks &= others;
}

/* A bank's row was opened: find its hits; none has bypassed another request yet. */
static void row_opened(struct channel *channel, struct dram_queue *queue,
		       u32 bank)
{
	queue->capped &= ~(1U << bank);
	queue->bypassed[bank] = 0;
	if (queue->banks & (1U << bank))
		queue_find_hit(queue, bank, queue->head[bank],
			       channel->row[bank]);
}

static void activate(struct gpu *gpu, u32 index, u32 bank, u64 clock)
{
	struct channel *channel = &gpu->channels[index];
	struct dram_queue *queue = &channel->queue[channel->mode];
	u32 head = queue->head[bank], row = queue->link[head].row;
	struct dram_entry *entry = &queue->entry[head];

	entry->activated++;
	if (channel->owner[bank] != entry->tag.slot)
		change_owner(channel, bank, entry, row, clock);
	channel->fresh |= 1U << bank;
	channel->open |= 1U << bank;
	channel->row[bank] = row;
	channel->bus_others[bank] = others_data(channel, entry->tag.slot);
	row_opened(channel, &channel->queue[DRAM_READS], bank);
	row_opened(channel, &channel->queue[DRAM_WRITES], bank);
	forbid(gpu, channel, bank, DRAM_ACTIVATE, clock);
	forbid_fifth(gpu, channel, clock);
	/* Its head is a hit now, so the key stays. */
	channel->want[WANT_ACTIVATE] &= ~(1U << bank);
	not_before(&channel->look[WANT_ACTIVATE], channel->next[DRAM_ACTIVATE]);
	add_want(channel, bank, WANT_COLUMN);
	show(gpu, index, bank, DRAM_ACTIVATE, clock);
}

static void precharge(struct gpu *gpu, u32 index, u32 bank, u64 clock)
{
	struct channel *channel = &gpu->channels[index];

	close_bank(channel, bank, clock);
	forbid(gpu, channel, bank, DRAM_PRECHARGE, clock);
	channel->want[WANT_PRECHARGE] &= ~(1U << bank);
	if (channel->closing & (1U << bank))
		channel->refresh_due = allowed_at(channel, bank, DRAM_ACTIVATE);
	else
		add_want(channel, bank, WANT_ACTIVATE);
	show(gpu, index, bank, DRAM_PRECHARGE, clock);
}

/* Tell a slice that its request has been served. */
static void report_done(struct gpu *gpu, u32 index, bool write,
			const struct dram_entry *entry, u32 waited, u64 clock)
{
	u32 number = index * gpu->shape.slices_per_channel + entry->tag.slice;
	struct slice *slice = &gpu->slices[number];
	struct dram_tenant *tenant =
		&gpu->channels[index].tenant[entry->tag.slot];
	u32 place = (slice->done_head + slice->done_count) &
		    gpu->shape.done_mask;
	struct dram_done *done = &slice->done[place];

	done->ready = cycle_of_clock(gpu, clock) +
		      gpu->config.llc_to_dram_latency;
	done->tag = entry->tag;
	done->waited = waited;
	done->write = write;
	done->activated = entry->activated;
	done->reopened = entry->reopened;
	done->sectors = entry->sectors;
	done->bank_busy = tenant->bank_busy;
	done->bank_active = tenant->bank_active;
	done->bus_wait = tenant->bus_wait;
	tenant->bank_busy = 0;
	tenant->bank_active = 0;
	tenant->bus_wait = 0;
	if (!write)
		__builtin_prefetch(&slice->mshr[entry->tag.mshr]);
	if (!slice->done_count++) {
		slice->done_at = done->ready;
		slice_wake(slice, done->ready);
	}
}

/* A bank's hit is done, its data is on its way: take it out of its queue. */
static void finish_hit(struct gpu *gpu, u32 index, u32 bank, u64 clock,
		       u64 data_end)
{
	struct channel *channel = &gpu->channels[index];
	u32 mode = channel->mode, cap = gpu->config.row_hit_cap;
	struct dram_queue *queue = &channel->queue[mode];
	u32 hit = queue->hit[bank];
	const struct dram_entry *entry = &queue->entry[hit];
	u32 waited = clocks_of_others(channel, bank, entry->tag.slot, clock) -
		     entry->others_clocks;

	if (queue->head[bank] != hit && cap && ++queue->bypassed[bank] >= cap)
		queue->capped |= 1U << bank;
	bank_gives(channel, bank, entry->tag.slot,
		   gpu->limits.burst_of[entry->sectors], clock);
	/* No slice waits for what a mirror serves. */
	if (index < gpu->config.channels)
		report_done(gpu, index, mode, entry, waited, data_end);
	/* If the queue was full, a request may have been waiting for a place. */
	if (queue->count == gpu->config.queue_entries && channel->inbox[mode].count)
		channel->arrival = 0;
	queue_remove_hit(channel, queue, bank);
	channel->pending--;
	bank_changed(channel, bank);
	choose_mode(&gpu->config, channel);
}

/* Count a column access of a bank's hit. Return: whether it is the last. */
static bool count_column(const struct gpu *gpu, struct channel *channel, u32 bank)
{
	struct dram_queue *queue = &channel->queue[channel->mode];
	struct dram_entry *entry = &queue->entry[queue->hit[bank]];

	if (++entry->columns == gpu->limits.columns_of[entry->sectors]) {
		channel->started &= ~(1U << bank);
		return true;
	}
	channel->started |= 1U << bank;
	add_want(channel, bank, WANT_COLUMN);
	return false;
}

/* Issue a column command for a bank's hit. */
static void serve_hit(struct gpu *gpu, u32 index, u32 bank, u64 clock)
{
	struct channel *channel = &gpu->channels[index];
	const struct dram_limits *limits = &gpu->limits;
	const struct dram_queue *queue = &channel->queue[channel->mode];
	u32 command = DRAM_READ + channel->mode;
	u64 data_end = clock;

	count_bus_wait(channel, bank, &queue->entry[queue->hit[bank]], command,
		       clock);
	if (command == DRAM_WRITE) {
		forbid(gpu, channel, bank, DRAM_WRITE, clock);
		data_end += limits->write_data;
	} else {
		forbid(gpu, channel, bank, DRAM_READ, clock);
		data_end += limits->read_data;
	}
	show(gpu, index, bank, command, clock);
	if (limits->columns == 1 || count_column(gpu, channel, bank))
		finish_hit(gpu, index, bank, clock, data_end);
	not_before(&channel->look[WANT_COLUMN], channel->next[command]);
}

/*
 * The lowest key of those @banks, which all want @command, that may have it now, or
 * NEVER. *@next is set to the first later clock at which one of the other banks may have
 * it. The channel as a whole allows the command.
 *
 * Which banks must wait is hard to predict, so there is no branch on it. For banks that
 * must wait, @since is below 0, which makes it the greatest of the unsigned numbers. If
 * all must wait, @last_since leads to NEVER.
 */
static __always_inline u64 choose(const struct channel *channel, u64 clock,
				  u64 banks, u32 command, u64 *next)
{
	const u64 *allowed = channel->bank_next[command];
	u64 best = NEVER, last_since = clock - NEVER, ready = 0;

	for (; banks; banks &= banks - 1) {
		u32 bank = lowest_bit(banks);
		u64 since = clock - allowed[bank];
		u64 waits = (u64)((s64)since >> 63);

		last_since = max(last_since, since);
		best = min(best, channel->key[bank] | waits);
		ready += waits + 1;
	}
	*next = ready > 1 ? clock + 1 : clock - last_since;
	return best;
}

/* Choose for a want, unless it is known that no bank can have it yet. */
static __always_inline u64 grant(struct channel *channel, u64 clock, u32 want,
				 u32 command)
{
	if (channel->look[want] > clock)
		return NEVER;
	return choose(channel, clock, channel->want[want], command,
		      &channel->look[want]);
}

/*
 * Banks whose row was opened for a request that has not been served yet, or whose hit has
 * been served in part.
 */
static u32 owed_banks(const struct channel *channel)
{
	const struct dram_queue *queue = &channel->queue[channel->mode];
	u32 banks, owed = channel->started;

	for (banks = channel->want[WANT_COLUMN]; banks; banks &= banks - 1) {
		u32 bank = lowest_bit(banks);

		if (queue->entry[queue->hit[bank]].activated)
			owed |= 1U << bank;
	}
	return owed;
}

/* The clock at which all banks allow a command. */
static u64 all_allowed_at(const struct gpu *gpu, const struct channel *channel,
			  u32 command)
{
	u64 at = 0;
	u32 bank;

	for (bank = 0; bank < gpu->config.banks; bank++)
		at = max(at, channel->bank_next[command][bank]);
	return at;
}

static void precharge_all(struct gpu *gpu, struct channel *channel, u64 clock)
{
	u32 bank;

	for (bank = 0; bank < gpu->config.banks; bank++) {
		if (!(channel->open & (1U << bank)))
			continue;
		close_bank(channel, bank, clock);
		forbid(gpu, channel, bank, DRAM_PRECHARGE, clock);
	}
}

/*
 * A refresh is due: close all rows, then refresh all banks at once. Return:
 * when to look again.
 */
static u64 refresh(struct gpu *gpu, u32 index, u64 clock)
{
	struct channel *channel = &gpu->channels[index];
	const struct dram_timing *timing = &gpu->config.dram;
	u32 command = channel->open ? DRAM_PRECHARGE_ALL : DRAM_REFRESH;
	u32 bank;
	u64 at;

	at = all_allowed_at(gpu, channel, channel->open ? DRAM_PRECHARGE :
							  DRAM_ACTIVATE);
	if (at > clock)
		return at;
	if (command == DRAM_PRECHARGE_ALL) {
		precharge_all(gpu, channel, clock);
	} else {
		for (bank = 0; bank < gpu->config.banks; bank++)
			channel->bank_next[DRAM_ACTIVATE][bank] =
				clock + timing->trfc;
		channel->refresh_due += timing->trefi;
		/* After the refresh no row would be open, with other tenants or without. */
		channel->fresh = 0;
		memset(channel->reopening, 0, sizeof(channel->reopening));
	}
	all_banks_changed(channel);
	if (gpu->hook && index < gpu->config.channels)
		gpu->hook(gpu->hook_context, index, clock, command, 0, 0);
	return clock + 1;
}

/* Clocks from one refresh of a channel to the next; 0: there are none. */
static u32 refresh_interval(const struct gpu_config *config)
{
	const struct dram_timing *timing = &config->dram;

	return timing->trfc_bank ? timing->trefi / config->banks : timing->trefi;
}

/* The bank is refreshed: others are neither opened nor closed in this clock. */
static void refresh_bank(struct gpu *gpu, u32 index, u32 bank, u64 clock)
{
	struct channel *channel = &gpu->channels[index];
	const struct gpu_config *config = &gpu->config;
	u32 interval = refresh_interval(config), late = (u32)clock - channel->bank_due;

	channel->bank_next[DRAM_ACTIVATE][bank] = clock + config->dram.trfc_bank;
	not_before(&channel->next[DRAM_ACTIVATE],
		   clock + max_t(u64, config->dram.trrefd, 1));
	not_before(&channel->next[DRAM_PRECHARGE], clock + 1);
	not_before(&channel->look[WANT_ACTIVATE], channel->next[DRAM_ACTIVATE]);
	not_before(&channel->look[WANT_PRECHARGE], clock + 1);
	/* After the refresh its row would not be open, with other tenants or without. */
	channel->fresh &= ~(1U << bank);
	channel->reopening[bank] = 0;
	channel->closing = 0;
	channel->refresh_bank = (bank + 1) % config->banks;
	channel->bank_due += interval;
	channel->refresh_due = clock + interval - late;
	bank_changed(channel, bank);
	show(gpu, index, bank, DRAM_REFRESH, clock);
}

/*
 * The next bank is due: it is closed before others, which go on meanwhile, and is refreshed
 * as soon as it may be.
 */
static void refresh_in_turn(struct gpu *gpu, u32 index, u64 clock)
{
	struct channel *channel = &gpu->channels[index];
	u32 bank = channel->refresh_bank;

	if (!channel->closing) {
		channel->closing = 1U << bank;
		bank_changed(channel, bank);
	}
	/* If it is open, precharge() says when to look again. */
	channel->refresh_due = channel->open & channel->closing ? NEVER :
			       allowed_at(channel, bank, DRAM_ACTIVATE);
	if (channel->refresh_due <= clock)
		refresh_bank(gpu, index, bank, clock);
}

/*
 * Before the controller turns from reads to writes or back, it serves the
 * requests for which it has opened rows, and opens no others. Otherwise these rows
 * would have been opened in vain. Return: see step().
 */
static u64 serve_owed(struct gpu *gpu, u32 index, u32 owed, u64 clock)
{
	struct channel *channel = &gpu->channels[index];
	u32 command = DRAM_READ + channel->mode;
	u64 best, next;

	if (channel->next[command] > clock)
		return min(channel->next[command], channel->refresh_due);
	best = choose(channel, clock, owed, command, &next);
	if (best == NEVER)
		return min(next, channel->refresh_due);
	serve_hit(gpu, index, best & 0xff, clock);
	return clock + 1;
}

/*
 * Grant one column and one row command, both chosen before either is issued.
 */
static void grant_commands(struct gpu *gpu, u32 index, u64 clock)
{
	struct channel *channel = &gpu->channels[index];
	u64 column = grant(channel, clock, WANT_COLUMN,
			   DRAM_READ + channel->mode);
	u64 opening = grant(channel, clock, WANT_ACTIVATE, DRAM_ACTIVATE);
	u64 closing = grant(channel, clock, WANT_PRECHARGE, DRAM_PRECHARGE);

	if (column != NEVER)
		serve_hit(gpu, index, column & 0xff, clock);
	if (opening < closing) {
		activate(gpu, index, opening & 0xff, clock);
		if (closing != NEVER)
			channel->look[WANT_PRECHARGE] = clock + 1;
	} else if (closing != NEVER) {
		precharge(gpu, index, closing & 0xff, clock);
		if (opening != NEVER)
			channel->look[WANT_ACTIVATE] = clock + 1;
	}
}

/*
 * Simulate one clock: at most one row and one column command. Return: the next clock at
 * which the commands that were considered could do something.
 */
static __always_inline u64 step(struct gpu *gpu, u32 index, u64 clock)
{
	struct channel *channel = &gpu->channels[index];

	if (clock >= channel->refresh_due) {
		if (gpu->config.dram.trfc_bank)
			refresh_in_turn(gpu, index, clock);
		else
			return channel->started ?
			       serve_owed(gpu, index, channel->started, clock) :
			       refresh(gpu, index, clock);
	}
	if (channel->next_mode != channel->mode) {
		u32 owed = owed_banks(channel);

		if (owed)
			return serve_owed(gpu, index, owed, clock);
		channel->mode = channel->next_mode;
		all_banks_changed(channel);
		choose_mode(&gpu->config, channel);
	}
	grant_commands(gpu, index, clock);
	return 0;
}

/* The next clock at which the controller turns, or a bank may get what it wants. */
static u64 next_look(const struct channel *channel)
{
	if (channel->next_mode != channel->mode)
		return 0;
	return min(min(channel->look[WANT_COLUMN], channel->refresh_due),
		      min(channel->look[WANT_ACTIVATE],
			  channel->look[WANT_PRECHARGE]));
}

/*
 * A channel without work is not simulated, so after idle time it has to make up for all
 * refreshes. All of them but the last, or but the last of each bank, would find the same
 * state, with all rows closed, and leave the same state behind. Return: the clock at which
 * to go on.
 */
static u64 pass_refreshes(const struct gpu *gpu, struct channel *channel,
			  u64 clock, u64 until)
{
	u64 end = min(until, channel->arrival), count;
	u32 interval = refresh_interval(&gpu->config);
	u32 kept = gpu->config.dram.trfc_bank ? gpu->config.banks : 0;

	/* A command hook has to see each refresh. */
	if (clock != channel->refresh_due || end <= clock || channel->open ||
	    channel->started || channel->closing || channel->queue[DRAM_READS].count ||
	    channel->queue[DRAM_WRITES].count || gpu->hook)
		return clock;
	count = (end - 1 - clock) / interval;
	count -= min_t(u64, count, kept);
	channel->refresh_due += count * interval;
	if (kept) {
		channel->bank_due = (u32)channel->refresh_due;
		channel->refresh_bank = (channel->refresh_bank + count) % kept;
	}
	return channel->refresh_due;
}

/*
 * channel_run() - simulate a channel's clocks up to and without @until
 *
 * All requests that arrive before @until are in its inbox already.
 *
 * Return: the first clock from @until on at which it may have something to do.
 */
u64 channel_run(struct gpu *gpu, u32 index, u64 until)
{
	struct channel *channel = &gpu->channels[index];
	u64 wake = channel->wake;
	u64 clock = max(channel->clock, min(wake, channel->arrival));

	while (clock < until) {
		if (channel->arrival <= clock)
			admit_all(gpu, channel, clock);
		if (clock >= channel->refresh_due)
			clock = pass_refreshes(gpu, channel, clock, until);
		wake = step(gpu, index, clock);
		/* A place may have become free in a full queue. */
		if (channel->arrival <= clock)
			admit_all(gpu, channel, clock);
		if (!wake)
			wake = next_look(channel);
		clock = max(clock + 1, min(wake, channel->arrival));
	}
	channel->clock = until;
	channel->wake = wake;
	return clock;
}

void channel_init(struct gpu *gpu, u32 index)
{
	struct channel *channel = &gpu->channels[index];
	u32 interval = refresh_interval(&gpu->config);

	channel->turn_at = NEVER;
	channel->refresh_due = interval ? interval : NEVER;
	channel->bank_due = interval;
	channel->arrival = NEVER;
	channel->inbox_mask = gpu->shape.inbox_mask;
	memset(channel->owner, NONE, sizeof(channel->owner));
	channel->age = (GPU_PRIORITIES - 1ULL) << (DRAM_RANK_SHIFT - 8);
	memset(channel->look, 0xff, sizeof(channel->look));
	queue_init(&channel->queue[DRAM_READS], gpu->config.queue_entries);
	queue_init(&channel->queue[DRAM_WRITES], gpu->config.queue_entries);
}
