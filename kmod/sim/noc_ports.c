// SPDX-License-Identifier: GPL-2.0
/*
 * The crossbar's ports with noc_head_blocking, as in GPGPU-Sim (local_interconnect.cc): each
 * port on the way in has one queue, and its first packet waits until the port on the way out
 * takes it, while those behind it wait too, wherever they go. A port on the way out takes
 * one packet after the other. If several want it, the one whose number comes first goes,
 * counted from another port each cycle.
 *
 * SMs, and slices, put their messages into the queues of their own ports. When a side's
 * step has ended, one thread lets messages pass, cycle by cycle, up to the step's end: no
 * message that is sent later can change what happens before. What a port does is decided by
 * the cycle alone, so it does not matter where steps end.
 */
#include "sim.h"

/*
 * struct passing - one direction of the crossbar
 * @ports: its ports on the way in, of which there are @count
 * @from: messages have passed up to this cycle
 * @until: and shall now pass up to this one
 */
struct passing {
	struct gpu *gpu;
	struct noc_port *ports;
	u32 count;
	bool replies;
	u64 from;
	u64 until;
};

static __always_inline struct mail *mail_of(const struct passing *p, u32 place)
{
	return p->replies ? &p->gpu->replies[place].mail :
			    &p->gpu->requests[place].mail;
}

/* Cycles for which a message takes a port */
static __always_inline u32 flits_of(const struct passing *p, u32 place)
{
	return p->replies ? p->gpu->replies[place].flits : p->gpu->requests[place].flits;
}

/* The SM that a reply goes to: its message lies in a place of one of the SM's entries. */
static u32 sm_of(const struct gpu *gpu, u32 place)
{
	return place / (gpu->shape.sm_entries * gpu->config.llc_sectors);
}

/* The cycle at which a message can leave, if nothing is in its way. */
static __always_inline u64 ready_at(const struct passing *p, u32 place)
{
	if (!p->replies)
		return p->gpu->requests[place].ready;
	return reply_departure(&p->gpu->replies[place], p->until);
}

/* The number of the port on the way out. */
static __always_inline u32 target_of(const struct passing *p, u32 place)
{
	return p->replies ? sm_of(p->gpu, place) : p->gpu->requests[place].slice;
}

/* The cycle from which on the port on the way out takes another packet. */
static __always_inline u64 *free_of(const struct passing *p, u32 target)
{
	return p->replies ? &p->gpu->sms[target].in_free :
			    &p->gpu->slices[target].in_free;
}

/* A message passes; it is put behind those that have passed before. */
static __always_inline void deliver(const struct passing *p, u32 place, u32 target,
				    u64 cycle)
{
	struct gpu *gpu = p->gpu;
	struct mailbox *box;

	if (p->replies) {
		gpu->replies[place].departure = (u32)cycle & REPLY_DEPARTURE_MASK;
		box = &gpu->reply_outbox[target];
	} else {
		gpu->requests[place].ready = cycle;
		box = &gpu->outbox[target / gpu->shape.slices_per_channel];
	}
	mail_of(p, place)->next = NOBODY;
	if (box->head == NOBODY)
		box->head = place;
	else
		mail_of(p, box->tail)->next = place;
	box->tail = place;
}

static u64 *turns_of(const struct gpu *gpu, u64 cycle)
{
	return &gpu->port_turns[(cycle & gpu->shape.cycle_mask) *
				gpu->shape.port_words];
}

/* A port wants to send its first message at a cycle, if that is not too late. */
static __always_inline void ask(const struct passing *p, u32 port, u64 cycle)
{
	if (cycle > p->until)
		return;
	turns_of(p->gpu, cycle)[port / 64] |= 1ULL << port % 64;
}

static __always_inline void ask_for_first(const struct passing *p, u32 number)
{
	const struct noc_port *port = &p->ports[number];
	u32 place = port->waiting.head;
	u64 cycle;

	if (place == NOBODY)
		return;
	cycle = max(ready_at(p, place), port->free);
	ask(p, number, max(cycle, p->from + 1));
}

static __always_inline u32 left_flits(u64 left)
{
	return left & ((1 << LEFT_FLITS_BITS) - 1);
}

/*
 * The cycle from which on a slice's queue has room for a request. NEVER: those that leave it
 * are not known yet. Slices have worked up to noc_latency cycles before @p->until, so that
 * is later.
 */
static __always_inline u64 room_at(const struct passing *p, u32 target, u32 place)
{
	const struct slice *slice = &p->gpu->slices[target];
	u64 cycle = 0, room, need;
	u8 out;

	if (p->replies || !p->gpu->config.slice_queue_flits)
		return 0;
	need = queue_flits(&p->gpu->requests[place]);
	out = slice->left_out;
	room = slice->room;
	while (room < need) {
		if (out == slice->left_in)
			return NEVER;
		room += left_flits(slice->left[out]);
		cycle = slice->left[out++] >> LEFT_FLITS_BITS;
	}
	return cycle;
}

static __always_inline void take_room(const struct passing *p, u32 target, u32 place)
{
	struct slice *slice = &p->gpu->slices[target];
	u64 need;

	if (p->replies || !p->gpu->config.slice_queue_flits)
		return;
	need = queue_flits(&p->gpu->requests[place]);
	while (slice->room < need)
		slice->room += left_flits(slice->left[slice->left_out++]);
	slice->room -= need;
}

/*
 * A port sends its first message, if the port on the way out is free. If that took one cycle,
 * the next one may go in the same cycle to a port of a higher number, as in GPGPU-Sim's
 * iSLIP_Advance().
 */
static __always_inline void try_first(const struct passing *p, u32 number, u64 cycle)
{
	struct noc_port *port = &p->ports[number];
	u32 place = port->waiting.head, latency = p->gpu->config.noc_latency;
	u32 target = target_of(p, place), before, flits;

	do {
		const struct mail *mail = mail_of(p, place);
		u64 *out_free = free_of(p, target);
		u64 at = max(max(*out_free, cycle + latency) - latency,
			     room_at(p, target, place));

		if (at > cycle) {
			ask(p, number, at);
			return;
		}
		take_room(p, target, place);
		flits = flits_of(p, place);
		*out_free = cycle + latency + flits;
		port->free = cycle + flits;
		port->flits -= flits;
		port->waiting.head = mail->next;
		before = target;
		deliver(p, place, target, cycle);
		place = port->waiting.head;
		if (place == NOBODY)
			return;
		target = target_of(p, place);
	} while (flits == 1 && target > before && ready_at(p, place) <= cycle);
	ask_for_first(p, number);
}

/* The ports of a word whose bits are in @mask, lowest first. */
static __always_inline void try_word(const struct passing *p, u32 word, u64 mask,
				     u64 cycle)
{
	u64 *turns = &turns_of(p->gpu, cycle)[word];
	u64 wanted = *turns & mask;

	*turns &= ~mask;
	for (; wanted; wanted &= wanted - 1)
		try_first(p, word * 64 + lowest_bit(wanted), cycle);
}

static __always_inline void pass_cycle(const struct passing *p, u64 cycle)
{
	u32 words = (p->count + 63) / 64, i;
	u32 start = (u32)(cycle * 13 % p->count);
	u64 behind = ~0ULL << start % 64;

	try_word(p, start / 64, behind, cycle);
	for (i = start / 64 + 1; i < words; i++)
		try_word(p, i, ~0ULL, cycle);
	for (i = 0; i < start / 64; i++)
		try_word(p, i, ~0ULL, cycle);
	try_word(p, start / 64, ~behind, cycle);
}

static __always_inline void pass(const struct passing *p)
{
	u64 cycle;
	u32 i;

	for (i = 0; i < p->count; i++)
		if (p->ports[i].waiting.head != NOBODY)
			break;
	if (i == p->count)
		return;
	for (; i < p->count; i++)
		ask_for_first(p, i);
	for (cycle = p->from + 1; cycle <= p->until; cycle++)
		pass_cycle(p, cycle);
}

/*
 * When a window ends, SMs are told how long what waits at their ports will take at least, so
 * that they hold back more. They all stop there, wherever the driver looks at the device.
 * Slices do not; their queues end where the SMs' entries are used up.
 */
static void hold_back(const struct passing *p)
{
	u32 i;

	if (p->until % p->gpu->shape.window)
		return;
	for (i = 0; i < p->count; i++) {
		const struct noc_port *port = &p->ports[i];
		u64 *out_free = &p->gpu->sms[i].out_free;

		if (port->waiting.head != NOBODY)
			*out_free = max(*out_free, max(p->until, port->free) +
						   port->flits);
	}
}

/* noc_pass_requests() - let requests pass that SMs have sent, after cycle @from */
void noc_pass_requests(struct gpu *gpu, u64 from, u64 until)
{
	const struct passing p = {
		.gpu = gpu, .ports = gpu->sm_ports, .count = gpu->config.sms,
		.replies = false, .from = from, .until = until,
	};

	pass(&p);
	hold_back(&p);
}

/* noc_pass_replies() - let replies pass that slices have sent, after cycle @from */
void noc_pass_replies(struct gpu *gpu, u64 from, u64 until)
{
	const struct passing p = {
		.gpu = gpu, .ports = gpu->slice_ports,
		.count = gpu->config.llc_slices, .replies = true,
		.from = from, .until = until,
	};

	pass(&p);
}

/* noc_ports_wait() - whether a message waits at any port */
bool noc_ports_wait(const struct gpu *gpu)
{
	u32 i;

	for (i = 0; i < gpu->config.sms; i++)
		if (gpu->sm_ports[i].waiting.head != NOBODY)
			return true;
	for (i = 0; i < gpu->config.llc_slices; i++)
		if (gpu->slice_ports[i].waiting.head != NOBODY)
			return true;
	return false;
}

void noc_ports_init(struct gpu *gpu)
{
	u32 i;

	for (i = 0; i < gpu->config.sms; i++)
		gpu->sm_ports[i].waiting.head = NOBODY;
	for (i = 0; i < gpu->config.llc_slices; i++)
		gpu->slice_ports[i].waiting.head = NOBODY;
}
