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
 * message that is sent later can change what happens before. Messages that have passed are
 * in order, so they go where they arrive at once, not through the lists of noc.c. What a
 * port does is decided by the cycle alone, so it does not matter where steps end.
 */
#include "sim.h"

/*
 * struct passing - one direction of the crossbar
 * @ports: its ports on the way in, of which there are @count
 * @from: messages have passed up to this cycle
 * @until: and shall now pass up to this one
 * @latency: of the crossbar
 * @per_sm: see sm_of()
 */
struct passing {
	struct gpu *gpu;
	struct noc_port *ports;
	u32 count;
	bool replies;
	u64 from;
	u64 until;
	u64 latency;
	u64 per_sm;
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

/*
 * The SM that a reply goes to: its message lies in a place of one of the SM's entries.
 * @per_sm is the reciprocal of their number, for this is asked whenever a port tries.
 */
static __always_inline u32 sm_of(const struct passing *p, u32 place)
{
	return (u32)divide(place, p->per_sm);
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
	return p->replies ? sm_of(p, place) : p->gpu->requests[place].slice;
}

/* The cycle from which on the port on the way out takes another packet. */
static __always_inline u64 *free_of(const struct passing *p, u32 target)
{
	return p->replies ? &p->gpu->sms[target].in_free :
			    &p->gpu->slices[target].in_free;
}

/* A message passes at a cycle; those to a part come in the order in which they passed. */
static __always_inline void deliver(const struct passing *p, u32 place, u32 target,
				    u64 cycle)
{
	struct gpu *gpu = p->gpu;

	if (p->replies)
		noc_reply_arrives(gpu, target, gpu->replies[place].mail.number,
				  cycle + p->latency);
	else
		request_arrives(gpu, &gpu->slices[target], place,
				cycle + p->latency);
}

static __always_inline u64 *turns_of(const struct gpu *gpu, u64 cycle)
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

static void ask_for_first(const struct passing *p, u32 number)
{
	const struct noc_port *port = &p->ports[number];
	u32 place = port->waiting.head;

	if (place == NOBODY)
		return;
	ask(p, number, max(max(ready_at(p, place), port->free), p->from + 1));
}

static __always_inline u32 left_flits(u64 left)
{
	return left & ((1 << LEFT_FLITS_BITS) - 1);
}

/*
 * Take room for a request in a slice's queue, if there is enough at @cycle. Return: the cycle
 * from which on there is. NEVER: those that leave the queue are not known yet. Slices have
 * worked up to noc_latency cycles before @p->until, so that is later.
 */
static __always_inline u64 take_room(const struct passing *p, u32 target, u32 place,
				     u64 cycle)
{
	struct slice *slice = &p->gpu->slices[target];
	u64 at = 0, room = slice->room;
	u32 need = queue_flits(&p->gpu->requests[place]);
	u8 out = slice->left_out;

	for (; room < need; out++) {
		if (out == slice->left_in)
			return NEVER;
		room += left_flits(slice->left[out]);
		at = slice->left[out] >> LEFT_FLITS_BITS;
	}
	if (at <= cycle) {
		slice->room = room - need;
		slice->left_out = out;
	}
	return at;
}

/*
 * The cycle from which on the port on the way out takes a message; if that is @cycle, or
 * sooner, there is room for it, which it takes.
 */
static __always_inline u64 accepted_at(const struct passing *p, u32 target, u32 place,
				       u64 cycle)
{
	u64 out_free = *free_of(p, target);

	if (out_free > cycle + p->latency)
		return out_free - p->latency;
	if (p->replies || !p->gpu->config.slice_queue_flits)
		return cycle;
	return take_room(p, target, place, cycle);
}

/*
 * A port sends its first message, if the port on the way out is free. If that took one cycle,
 * the next one may go in the same cycle to a port of a higher number, as in GPGPU-Sim's
 * iSLIP_Advance().
 */
static __always_inline void try_first(const struct passing *p, u32 number, u64 cycle)
{
	struct noc_port *port = &p->ports[number];
	u32 place = port->waiting.head, target = target_of(p, place);
	u32 next, before, flits;
	u64 at;

	for (;;) {
		at = accepted_at(p, target, place, cycle);
		if (at > cycle)
			break;
		flits = flits_of(p, place);
		next = mail_of(p, place)->next;
		*free_of(p, target) = cycle + p->latency + flits;
		port->free = cycle + flits;
		port->flits -= flits;
		port->waiting.head = next;
		deliver(p, place, target, cycle);
		if (next == NOBODY)
			return;
		place = next;
		before = target;
		target = target_of(p, place);
		at = max(ready_at(p, place), cycle + flits);
		if (flits > 1 || target <= before || ready_at(p, place) > cycle)
			break;
	}
	ask(p, number, at);
}

/*
 * All ports whose turn it is in a cycle, counted from the one that goes first. Of the word
 * that has it, bits from there on come first, earlier bits last.
 */
static __always_inline void pass_cycle(const struct passing *p, u64 cycle)
{
	u32 words = (p->count + 63) / 64, i;
	u32 start = (u32)(cycle * 13 % p->count), word = start / 64;
	u64 *turns = turns_of(p->gpu, cycle);
	u64 mask = ~0ULL << start % 64;

	for (i = 0; i <= words; i++) {
		u64 wanted = turns[word] & mask;

		turns[word] &= ~mask;
		for (; wanted; wanted &= wanted - 1)
			try_first(p, word * 64 + lowest_bit(wanted), cycle);
		word = word + 1 < words ? word + 1 : 0;
		mask = i + 1 < words ? ~0ULL : ~(~0ULL << start % 64);
	}
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
		.gpu = gpu, .ports = gpu->sm_ports, .count = gpu_senders(gpu),
		.replies = false, .from = from, .until = until,
		.latency = gpu->config.noc_latency,
	};

	pass(&p);
	hold_back(&p);
}

/* noc_pass_replies() - let replies pass that slices have sent, after cycle @from */
void noc_pass_replies(struct gpu *gpu, u64 from, u64 until)
{
	const struct passing p = {
		.gpu = gpu, .ports = gpu->slice_ports,
		.count = gpu->config.llc_slices + gpu->remote, .replies = true,
		.from = from, .until = until,
		.latency = gpu->config.noc_latency,
		.per_sm = reciprocal(gpu->shape.sm_entries *
				     gpu->config.llc_sectors),
	};

	pass(&p);
}

/* noc_ports_wait() - whether a message waits at any port */
bool noc_ports_wait(const struct gpu *gpu)
{
	u32 i;

	for (i = 0; i < gpu_senders(gpu); i++)
		if (gpu->sm_ports[i].waiting.head != NOBODY)
			return true;
	for (i = 0; i < slices_of(&gpu->config); i++)
		if (gpu->slice_ports[i].waiting.head != NOBODY)
			return true;
	return false;
}

void noc_ports_init(struct gpu *gpu)
{
	u32 i;

	for (i = 0; i < senders_of(&gpu->config); i++)
		gpu->sm_ports[i].waiting.head = NOBODY;
	for (i = 0; i < slices_of(&gpu->config); i++)
		gpu->slice_ports[i].waiting.head = NOBODY;
}
