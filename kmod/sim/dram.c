// SPDX-License-Identifier: GPL-2.0
/*
 * Memory channels: an FR-FCFS controller each, with read and write queues, an
 * open-page policy, a row-hit cap, write drain and refresh, on DRAM banks whose
 * timings are a table of {level, command before, command after, distance}.
 *
 * A channel runs ahead of the core clock, by no more than the latency of the
 * link to it: whatever could still arrive, arrives later. What it has done
 * reaches its slices, and the counters, in messages at exact core cycles; so
 * how far it ran ahead never shows.
 */
#include "sim.h"

/* --- timings ---------------------------------------------------------------- */

struct constraint {
	u8 level;
	u8 before;
	u8 after;
	u16 distance;
};

/* Note what a constraint forbids; of two for the same the longer one holds. */
static void bind(struct dram_limits *limits, const struct constraint *constraint)
{
	u32 count = limits->effects[constraint->before], i;
	struct dram_effect *effect = limits->effect[constraint->before];

	for (i = 0; i < count; i++)
		if (effect[i].level == constraint->level &&
		    effect[i].after == constraint->after)
			break;
	if (i == count)
		limits->effects[constraint->before]++;
	effect[i].level = constraint->level;
	effect[i].after = constraint->after;
	if (effect[i].distance < constraint->distance)
		effect[i].distance = constraint->distance;
}

/*
 * dram_compile() - make next-allowed distances of a standard's timings
 *
 * A request is one line: @column_accesses_per_line column accesses, tCCDl
 * apart, issued as one; READ and WRITE stand for the first. @span is the way
 * from the first access to the last.
 */
void dram_compile(const struct gpu_config *config, struct dram_limits *limits)
{
	const struct dram_timing *t = &config->dram;
	u16 accesses = config->column_accesses_per_line;
	u16 span = (accesses - 1) * t->tccd_l;
	u16 burst = GPU_LINE_BYTES / config->channel_bytes_per_clock;
	u16 write_end = t->twl + burst;
	u32 i;
	const struct constraint list[] = {
		{ DRAM_BANK, DRAM_ACTIVATE, DRAM_ACTIVATE, t->trc },
		{ DRAM_BANK, DRAM_ACTIVATE, DRAM_READ, t->trcd_read },
		{ DRAM_BANK, DRAM_ACTIVATE, DRAM_WRITE, t->trcd_write },
		{ DRAM_BANK, DRAM_ACTIVATE, DRAM_PRECHARGE, t->tras },
		{ DRAM_BANK, DRAM_READ, DRAM_PRECHARGE, span + t->trtp },
		{ DRAM_BANK, DRAM_WRITE, DRAM_PRECHARGE, write_end + t->twr },
		{ DRAM_BANK, DRAM_PRECHARGE, DRAM_ACTIVATE, t->trp },
		{ DRAM_GROUP, DRAM_ACTIVATE, DRAM_ACTIVATE, t->trrd_l },
		{ DRAM_GROUP, DRAM_READ, DRAM_READ, span + t->tccd_l },
		{ DRAM_GROUP, DRAM_WRITE, DRAM_WRITE, span + t->tccd_l },
		{ DRAM_GROUP, DRAM_WRITE, DRAM_READ, write_end + t->twtr_l },
		{ DRAM_CHANNEL, DRAM_ACTIVATE, DRAM_ACTIVATE, t->trrd_s },
		{ DRAM_CHANNEL, DRAM_READ, DRAM_READ, span + t->tccd_s },
		{ DRAM_CHANNEL, DRAM_READ, DRAM_READ, burst },
		{ DRAM_CHANNEL, DRAM_WRITE, DRAM_WRITE, span + t->tccd_s },
		{ DRAM_CHANNEL, DRAM_WRITE, DRAM_WRITE, burst },
		{ DRAM_CHANNEL, DRAM_READ, DRAM_WRITE, t->read_to_write },
		{ DRAM_CHANNEL, DRAM_WRITE, DRAM_READ, write_end + t->twtr_s },
	};

	memset(limits, 0, sizeof(*limits));
	for (i = 0; i < ARRAY_SIZE(list); i++)
		bind(limits, &list[i]);
	limits->activate_window = t->tfaw;
	limits->read_data = t->tcl + burst;
	limits->write_data = write_end;
	limits->burst = burst;
}

static u32 bank_group(const struct gpu *gpu, u32 bank)
{
	return bank >> gpu->shape.group_shift;
}

/* First clock at which the channel as a whole allows a command. */
static u64 channel_allowed_at(const struct channel *channel, u32 command)
{
	if (command == DRAM_ACTIVATE)
		return later(channel->next[command],
			     channel->window[channel->oldest_window]);
	return channel->next[command];
}

/*
 * First clock at which a bank and its group allow a command. Nothing that
 * other banks do forbids a precharge.
 */
static __always_inline u64
bank_allowed_at(const struct gpu *gpu, const struct channel *channel,
		u32 bank, u32 command)
{
	if (command == DRAM_PRECHARGE)
		return channel->bank_next[bank][command];
	return later(channel->bank_next[bank][command],
		     channel->group_next[bank_group(gpu, bank)][command]);
}

/* From now on, what a command forbids waits. */
static void forbid(const struct gpu *gpu, struct channel *channel, u32 bank,
		   u32 command, u64 clock)
{
	const struct dram_effect *effect = gpu->limits.effect[command];
	u32 count = gpu->limits.effects[command];
	u64 *next[DRAM_LEVELS] = {
		[DRAM_BANK] = channel->bank_next[bank],
		[DRAM_GROUP] = channel->group_next[bank_group(gpu, bank)],
		[DRAM_CHANNEL] = channel->next,
	};

	for (; count; count--, effect++) {
		u64 *at = &next[effect->level][effect->after];

		*at = later(*at, clock + effect->distance);
	}
}

static void issue(struct gpu *gpu, u32 index, u32 bank, u32 command, u64 clock)
{
	struct channel *channel = &gpu->channels[index];

	forbid(gpu, channel, bank, command, clock);
	if (command == DRAM_ACTIVATE) {
		channel->window[channel->oldest_window] =
			clock + gpu->limits.activate_window;
		channel->oldest_window = (channel->oldest_window + 1) % 4;
	}
	if (gpu->hook)
		gpu->hook(gpu->hook_context, index, clock, command, bank,
			  channel->row[bank]);
}

/* --- queues ------------------------------------------------------------------ */

static void queue_init(struct dram_queue *queue, u32 entries)
{
	u32 i;

	memset(queue->head, NONE, sizeof(queue->head));
	memset(queue->tail, NONE, sizeof(queue->tail));
	memset(queue->hit, NONE, sizeof(queue->hit));
	for (i = 0; i < entries; i++)
		queue->entry[i].next = i + 1;
	queue->entry[entries - 1].next = NONE;
}

/* Find a bank's oldest entry to the open row, from @from on. */
static void queue_find_hit(struct dram_queue *queue, u32 bank, u32 from, u32 row)
{
	while (from != NONE && queue->entry[from].row != row)
		from = queue->entry[from].next;
	queue->hit[bank] = from;
	if (from != NONE)
		queue->hit_banks |= 1U << bank;
	else
		queue->hit_banks &= ~(1U << bank);
}

static void queue_add(struct channel *channel, u32 mode,
		      const struct dram_request *request)
{
	struct dram_queue *queue = &channel->queue[mode];
	u32 number = queue->free, bank = request->bank;
	struct dram_entry *entry = &queue->entry[number];

	queue->free = entry->next;
	queue->count++;
	entry->row = request->row;
	entry->age = channel->age++;
	entry->bank = bank;
	entry->next = NONE;
	entry->activated = 0;
	entry->slice = request->slice;
	entry->mshr = request->mshr;
	entry->slot = request->slot;
	entry->generation = request->generation;
	if (queue->banks & (1U << bank))
		queue->entry[queue->tail[bank]].next = number;
	else
		queue->head[bank] = number;
	queue->tail[bank] = number;
	queue->banks |= 1U << bank;
	if ((channel->open & (1U << bank)) && queue->hit[bank] == NONE &&
	    channel->row[bank] == entry->row) {
		queue->hit[bank] = number;
		queue->hit_banks |= 1U << bank;
	}
}

/* Take the hit of a bank out of its queue and find the next one. */
static void queue_remove_hit(struct channel *channel, struct dram_queue *queue,
			     u32 bank)
{
	u32 number = queue->hit[bank], next = queue->entry[number].next;
	u32 before = NONE, i;

	for (i = queue->head[bank]; i != number; i = queue->entry[i].next)
		before = i;
	if (before == NONE)
		queue->head[bank] = next;
	else
		queue->entry[before].next = next;
	if (next == NONE)
		queue->tail[bank] = before;
	if (queue->head[bank] == NONE)
		queue->banks &= ~(1U << bank);
	queue_find_hit(queue, bank, next, channel->row[bank]);
	queue->entry[number].next = queue->free;
	queue->free = number;
	queue->count--;
}

static void admit(struct gpu *gpu, struct channel *channel, u32 mode, u64 clock)
{
	struct dram_inbox *inbox = &channel->inbox[mode];
	struct dram_queue *queue = &channel->queue[mode];

	while (inbox->count && queue->count < gpu->config.queue_entries &&
	       inbox->request[inbox->head].ready_clock <= clock) {
		queue_add(channel, mode, &inbox->request[inbox->head]);
		inbox->head = (inbox->head + 1) % DRAM_INBOX;
		inbox->count--;
	}
}

/* When a full queue or time keeps requests out: when the next comes in. */
static u64 next_arrival(const struct gpu *gpu, const struct channel *channel,
			u32 mode)
{
	const struct dram_inbox *inbox = &channel->inbox[mode];

	if (!inbox->count ||
	    channel->queue[mode].count == gpu->config.queue_entries)
		return NEVER;
	return inbox->request[inbox->head].ready_clock;
}

/* --- commands ----------------------------------------------------------------- */

static void close_bank(struct channel *channel, u32 bank)
{
	u32 mode;

	channel->open &= ~(1U << bank);
	for (mode = DRAM_READS; mode <= DRAM_WRITES; mode++) {
		channel->queue[mode].hit[bank] = NONE;
		channel->queue[mode].hit_banks &= ~(1U << bank);
	}
}

static void activate(struct gpu *gpu, u32 index, u32 bank, u64 clock)
{
	struct channel *channel = &gpu->channels[index];
	struct dram_queue *queue = &channel->queue[channel->mode];
	struct dram_entry *entry = &queue->entry[queue->head[bank]];
	u32 mode;

	entry->activated++;
	channel->open |= 1U << bank;
	channel->row[bank] = entry->row;
	for (mode = DRAM_READS; mode <= DRAM_WRITES; mode++) {
		queue = &channel->queue[mode];
		queue->capped &= ~(1U << bank);
		queue->bypassed[bank] = 0;
		queue_find_hit(queue, bank, queue->head[bank],
			       channel->row[bank]);
	}
	issue(gpu, index, bank, DRAM_ACTIVATE, clock);
}

/* Tell a slice that its request has been served. */
static void report_done(struct gpu *gpu, u32 index, bool write,
			const struct dram_entry *entry, u64 clock)
{
	u32 number = index * gpu->shape.slices_per_channel + entry->slice;
	struct slice *slice = &gpu->slices[number];
	u32 place = (slice->done_head + slice->done_count) %
		    ARRAY_SIZE(slice->done);
	struct dram_done *done = &slice->done[place];

	done->ready = cycle_of_clock(gpu, clock) +
		      gpu->config.llc_to_dram_latency;
	done->write = write;
	done->mshr = entry->mshr;
	done->slot = entry->slot;
	done->generation = entry->generation;
	done->activated = entry->activated;
	if (!slice->done_count++) {
		slice->done_at = done->ready;
		gpu_wake(gpu, part_of_slice(number), done->ready);
	}
}

static void serve_hit(struct gpu *gpu, u32 index, u32 bank, u64 clock)
{
	struct channel *channel = &gpu->channels[index];
	struct dram_queue *queue = &channel->queue[channel->mode];
	const struct dram_entry *entry = &queue->entry[queue->hit[bank]];
	bool write = channel->mode == DRAM_WRITES;

	if (queue->head[bank] != queue->hit[bank] && gpu->config.row_hit_cap &&
	    ++queue->bypassed[bank] >= gpu->config.row_hit_cap)
		queue->capped |= 1U << bank;
	issue(gpu, index, bank, write ? DRAM_WRITE : DRAM_READ, clock);
	report_done(gpu, index, write, entry,
		    clock + (write ? gpu->limits.write_data :
				     gpu->limits.read_data));
	queue_remove_hit(channel, queue, bank);
}

/*
 * struct choice - the oldest request that a command can serve now
 * @next: else, the first later clock at which one can be served
 */
struct choice {
	u64 next;
	u32 age;
	u8 bank;
	u8 command;
};

/*
 * Choose among banks that want @command: the oldest of @oldest, each bank's
 * entry that would be served. While the channel as a whole does not allow the
 * command, no bank is looked at.
 */
static __always_inline void consider(const struct gpu *gpu,
				     const struct channel *channel, u64 clock,
				     u32 banks, u32 command, const u8 *oldest,
				     struct choice *choice)
{
	const struct dram_queue *queue = &channel->queue[channel->mode];
	u64 at = channel_allowed_at(channel, command);

	if (!banks)
		return;
	if (at > clock) {
		choice->next = sooner(choice->next, at);
		return;
	}
	for (; banks; banks &= banks - 1) {
		u32 bank = lowest_bit(banks);
		u32 age = queue->entry[oldest[bank]].age;

		at = bank_allowed_at(gpu, channel, bank, command);
		if (at > clock) {
			choice->next = sooner(choice->next, at);
		} else if (choice->bank == NONE ||
			   (s32)(age - choice->age) < 0) {
			choice->bank = bank;
			choice->age = age;
			choice->command = command;
		}
	}
}

/* Banks whose hits may be served: the cap holds back all but the oldest. */
static u32 servable_banks(const struct dram_queue *queue)
{
	return queue->hit_banks & ~queue->capped;
}

static void choose_column(const struct gpu *gpu, const struct channel *channel,
			  u64 clock, u32 banks, struct choice *choice)
{
	u32 command = channel->mode == DRAM_WRITES ? DRAM_WRITE : DRAM_READ;

	consider(gpu, channel, clock, banks, command,
		 channel->queue[channel->mode].hit, choice);
}

/* For banks that have requests, but none that they can serve. */
static void choose_row(const struct gpu *gpu, const struct channel *channel,
		       u64 clock, struct choice *choice)
{
	const struct dram_queue *queue = &channel->queue[channel->mode];
	u32 banks = queue->banks & ~servable_banks(queue);

	consider(gpu, channel, clock, banks & ~channel->open, DRAM_ACTIVATE,
		 queue->head, choice);
	consider(gpu, channel, clock, banks & channel->open, DRAM_PRECHARGE,
		 queue->head, choice);
}

/* Writes wait until there are many of them, or no read is left. */
static u32 wanted_mode(const struct gpu_config *config,
		       const struct channel *channel)
{
	u32 reads = channel->queue[DRAM_READS].count;
	u32 writes = channel->queue[DRAM_WRITES].count;

	if (channel->mode == DRAM_READS)
		return writes >= config->write_drain_start ||
		       (writes && !reads) ? DRAM_WRITES : DRAM_READS;
	return !writes || (reads && writes <= config->write_drain_stop) ?
	       DRAM_READS : DRAM_WRITES;
}

/* Banks whose row was opened for a request that has not been served yet. */
static u32 owed_banks(const struct channel *channel)
{
	const struct dram_queue *queue = &channel->queue[channel->mode];
	u32 banks, owed = 0;

	for (banks = queue->hit_banks; banks; banks &= banks - 1) {
		u32 bank = lowest_bit(banks);

		if (queue->entry[queue->hit[bank]].activated)
			owed |= 1U << bank;
	}
	return owed;
}

/* When every bank allows a command. */
static u64 all_allowed_at(const struct gpu *gpu, const struct channel *channel,
			  u32 command)
{
	u64 at = 0;
	u32 bank;

	for (bank = 0; bank < gpu->config.banks; bank++)
		at = later(at, channel->bank_next[bank][command]);
	return at;
}

static void precharge_all(struct gpu *gpu, struct channel *channel, u64 clock)
{
	u32 bank;

	for (bank = 0; bank < gpu->config.banks; bank++) {
		if (!(channel->open & (1U << bank)))
			continue;
		close_bank(channel, bank);
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
			channel->bank_next[bank][DRAM_ACTIVATE] =
				clock + timing->trfc;
		channel->refresh_due += timing->trefi;
	}
	if (gpu->hook)
		gpu->hook(gpu->hook_context, index, clock, command, 0, 0);
	return clock + 1;
}

/*
 * One clock: at most one row and one column command. Before the controller
 * turns from reads to writes or back, it serves the requests for which it has
 * opened rows, and opens no others: else those rows were opened in vain.
 * Return: the next clock at which the commands considered now could do
 * something.
 */
static u64 step(struct gpu *gpu, u32 index, u64 clock)
{
	struct channel *channel = &gpu->channels[index];
	struct choice column = { .next = NEVER, .bank = NONE };
	struct choice row = { .next = NEVER, .bank = NONE };
	u32 mode = wanted_mode(&gpu->config, channel), owed = 0;

	if (clock >= channel->refresh_due)
		return refresh(gpu, index, clock);
	if (mode != channel->mode)
		owed = owed_banks(channel);
	if (owed) {
		choose_column(gpu, channel, clock, owed, &column);
	} else {
		channel->mode = mode;
		choose_column(gpu, channel, clock,
			      servable_banks(&channel->queue[mode]), &column);
		choose_row(gpu, channel, clock, &row);
	}
	if (column.bank != NONE)
		serve_hit(gpu, index, column.bank, clock);
	if (row.bank != NONE && row.command == DRAM_ACTIVATE)
		activate(gpu, index, row.bank, clock);
	if (row.bank != NONE && row.command == DRAM_PRECHARGE) {
		close_bank(channel, row.bank);
		issue(gpu, index, row.bank, DRAM_PRECHARGE, clock);
	}
	if (column.bank != NONE || row.bank != NONE)
		return clock + 1;
	return sooner(column.next, row.next);
}

/*
 * channel_run() - simulate a channel's clocks up to and without @until
 *
 * Everything that arrives before @until is in its inbox already.
 *
 * Return: the first clock from @until on at which it may have something to do.
 */
u64 channel_run(struct gpu *gpu, u32 index, u64 until)
{
	struct channel *channel = &gpu->channels[index];
	u64 next = channel->clock;

	while (next < until) {
		u64 clock = next;

		admit(gpu, channel, DRAM_READS, clock);
		admit(gpu, channel, DRAM_WRITES, clock);
		next = step(gpu, index, clock);
		if (clock < channel->refresh_due)
			next = sooner(next, channel->refresh_due);
		next = sooner(next, next_arrival(gpu, channel, DRAM_READS));
		next = sooner(next, next_arrival(gpu, channel, DRAM_WRITES));
		next = later(next, clock + 1);
	}
	channel->clock = until;
	return next;
}

/* --- turns and messages -------------------------------------------------------- */

/* Wake a channel so that it runs to a batch past @clock in one turn. */
static void wake_for_clock(struct gpu *gpu, u32 index, u64 clock)
{
	u64 cycle = cycle_of_clock(gpu, clock + gpu->config.channel_batch_clocks);
	u64 ahead = gpu->now + 1 + gpu->config.llc_to_dram_latency;

	gpu_wake(gpu, part_of_channel(index),
		 later(cycle, ahead) - gpu->config.llc_to_dram_latency);
}

/* The memory clock at which what is sent now arrives at a channel. */
static u64 arrival_clock(struct gpu *gpu)
{
	if (gpu->arrival_cycle != gpu->now) {
		gpu->arrival_cycle = gpu->now;
		gpu->arrival_clock =
			clock_of_cycle(gpu, gpu->now +
				       gpu->config.llc_to_dram_latency);
	}
	return gpu->arrival_clock;
}

/*
 * channel_turn() - run as far ahead as the link's latency allows
 */
void channel_turn(struct gpu *gpu, u32 index)
{
	struct channel *channel = &gpu->channels[index];
	u64 until = arrival_clock(gpu);
	u64 next;

	if (until <= channel->clock)
		next = channel->clock;
	else
		next = channel_run(gpu, index, until);
	if (channel->queue[DRAM_READS].count + channel->inbox[DRAM_READS].count +
	    channel->queue[DRAM_WRITES].count + channel->inbox[DRAM_WRITES].count)
		wake_for_clock(gpu, index, next);
}

/*
 * channel_post() - put a request into a channel's inbox
 *
 * Requests of a kind come in order of their ready_clock.
 */
void channel_post(struct gpu *gpu, u32 index, bool write,
		  const struct dram_request *request)
{
	struct dram_inbox *inbox = &gpu->channels[index].inbox[write];

	port_assert(inbox->count < DRAM_INBOX);
	inbox->request[(inbox->head + inbox->count) % DRAM_INBOX] = *request;
	inbox->count++;
}

/*
 * channel_send() - send a line's request from a slice to its channel
 * @write: a write-back, else a fill for the LLC's MSHR entry @mshr
 */
void channel_send(struct gpu *gpu, u32 slice, u32 line, bool write, u32 mshr,
		  u32 generation)
{
	u32 per_channel = gpu->shape.slices_per_channel;
	u32 channel = slice / per_channel;
	struct dram_request request;

	request.ready_clock = arrival_clock(gpu);
	request.row = address_row(gpu, line, &request.bank);
	request.slice = slice - channel * per_channel;
	request.mshr = mshr;
	request.slot = line_slot(line);
	request.generation = generation;
	channel_post(gpu, channel, write, &request);
	/* A turn within the batch's length will see it in any case. */
	if (gpu->wake_at[part_of_channel(channel)] >
	    gpu->now + gpu->shape.batch_cycles)
		wake_for_clock(gpu, channel, request.ready_clock);
}

void channel_init(struct gpu *gpu, u32 index)
{
	struct channel *channel = &gpu->channels[index];
	u32 interval = gpu->config.dram.trefi;

	channel->refresh_due = interval ? interval : NEVER;
	queue_init(&channel->queue[DRAM_READS], gpu->config.queue_entries);
	queue_init(&channel->queue[DRAM_WRITES], gpu->config.queue_entries);
}
