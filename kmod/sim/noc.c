// SPDX-License-Identifier: GPL-2.0
/*
 * The crossbar between SMs and last-level cache slices: ports that are busy
 * until some cycle, and finite queues. A place in a slice's request queue is
 * taken when a request leaves its SM. One that finds none waits in its entry in
 * the SM, and the load/store unit goes on to other slices (virtual output
 * queues: one full slice does not hold up the traffic to all others). So slices
 * push back when an SM's entries run out, and then on its load/store unit and
 * its warps. Freed places are given out first come, first served.
 */
#include "sim.h"

/* Who waits: an SM and its entry, as one number. */
static u32 waiter_id(u32 sm, u32 number)
{
	return sm * SM_ENTRIES_MAX + number;
}

static u32 *next_in_line(const struct gpu *gpu, u32 id)
{
	struct sm *sm = &gpu->sms[id / SM_ENTRIES_MAX];

	return &sm->mshr[id % SM_ENTRIES_MAX].next_in_line;
}

/*
 * noc_next_in_line() - who waits for a slice's place after another, as numbers
 *	that begin with its wait_head
 */
u32 noc_next_in_line(const struct gpu *gpu, u32 id)
{
	return *next_in_line(gpu, id);
}

static void wait_in_line(struct gpu *gpu, struct slice *slice, u32 id)
{
	*next_in_line(gpu, id) = NOBODY;
	if (slice->wait_head == NOBODY)
		slice->wait_head = id;
	else
		*next_in_line(gpu, slice->wait_tail) = id;
	slice->wait_tail = id;
	slice->wait_count++;
}

/* Send a request that has a place: it leaves at @cycle or when the port can. */
static void transmit(struct gpu *gpu, u32 sm, u32 index, u32 number, u64 cycle)
{
	const struct gpu_config *config = &gpu->config;
	struct sm *from = &gpu->sms[sm];
	const struct mshr *mshr = &from->mshr[number];
	struct slice *slice = &gpu->slices[index];
	u32 words = mshr->kind == REQUEST_READ ? 0 : mshr->words;
	u32 flits = gpu->shape.packet_flits[words];
	struct tenant *tenant = &gpu->tenants[line_slot(mshr->line)];
	u32 ring = gpu->shape.slice_ring, place;
	struct request *request;
	u64 arrival;

	from->out_free = later(cycle, from->out_free) + flits;
	arrival = later(from->out_free - flits + config->noc_latency,
			slice->in_free);
	slice->in_free = arrival + flits;
	place = (slice->request_head + slice->request_count) & (ring - 1);
	request = &gpu->requests[index * ring + place];
	*request = (struct request) {
		.ready = arrival + config->llc_latency,
		.generation = tenant->generation,
		.line = mshr->line,
		.mshr = number,
		.sm = sm,
		.kind = mshr->kind,
		.sectors = config->llc_sectors > 1 ? mshr->sectors : 1,
	};
	tenant->counters.noc_request_flits += flits;
	/* Where none is held up by those before it, they may all be waiting. */
	if (!slice->request_count++ ||
	    (config->slice_arbitration != GPU_ARBITRATE_ORDER &&
	     slice->request_at == NEVER)) {
		slice->request_at = request->ready;
		gpu_wake(gpu, part_of_slice(index), request->ready);
	}
}

/*
 * noc_send() - send the request of an SM's entry to its slice, or have it wait
 *	for a place there; the port is not full, its caller has looked
 * @cycle: when it leaves the L1
 */
void noc_send(struct gpu *gpu, u32 sm, u32 number, u64 cycle)
{
	u32 line = gpu->sms[sm].mshr[number].line;
	u32 index = address_slice(gpu, line);
	struct slice *slice = &gpu->slices[index];

	if (slice->credits) {
		slice->credits--;
		transmit(gpu, sm, index, number, cycle);
	} else {
		wait_in_line(gpu, slice, waiter_id(sm, number));
		gpu->tenants[line_slot(line)].counters.queue_full_stalls++;
	}
}

/* Give a freed place to a waiter; false: it no longer wants one. */
static bool grant(struct gpu *gpu, u32 index, u32 id)
{
	u32 sm = id / SM_ENTRIES_MAX, number = id % SM_ENTRIES_MAX;

	/* Its tenant was dropped. */
	if (!gpu->sms[sm].mshr[number].waiters) {
		mshr_release(gpu, sm, number, gpu->now);
		return false;
	}
	transmit(gpu, sm, index, number, gpu->now);
	return true;
}

/*
 * noc_release() - a request has left a slice's queue: who waits for its place?
 */
void noc_release(struct gpu *gpu, u32 index)
{
	struct slice *slice = &gpu->slices[index];
	u32 id;

	while (slice->wait_head != NOBODY) {
		id = slice->wait_head;
		slice->wait_head = *next_in_line(gpu, id);
		slice->wait_count--;
		if (grant(gpu, index, id))
			return;
	}
	slice->credits++;
}

/* A reply with data, for which loads wait. */
static void add_reply(struct gpu *gpu, u32 sm, u32 number, u64 arrival)
{
	struct sm *to = &gpu->sms[sm];
	const struct mshr *mshr = &to->mshr[number];

	__builtin_prefetch(&to->warp[mshr->waiter[0] / WARP_LOADS]);
	__builtin_prefetch(l1_set(&gpu->l1[mshr->l1], sm, mshr->line));
	if (to->reply_at == NEVER) {
		to->reply_head = number;
		to->reply_at = arrival;
		gpu_wake(gpu, part_of_sm(sm), sm_wants_reply(to, arrival));
	} else {
		to->mshr[to->reply_tail].next_reply = number;
	}
	to->reply_tail = number;
}

/* An acknowledgment, which may lie until the SM has a turn anyway. */
static void add_ack(struct gpu *gpu, u32 sm, u32 number, u64 arrival)
{
	struct sm *to = &gpu->sms[sm];

	if (to->ack_at == NEVER) {
		to->ack_head = number;
		to->ack_at = arrival;
		if (sm_wants_acks(to))
			gpu_wake(gpu, part_of_sm(sm),
				 sm_wants_reply(to, arrival));
	} else {
		to->mshr[to->ack_tail].next_reply = number;
	}
	to->ack_tail = number;
}

/*
 * noc_reply() - answer the request of an SM's entry from a slice; where that is
 *	for several sectors, one of them
 */
void noc_reply(struct gpu *gpu, u32 slice, u32 sm, u32 number)
{
	struct slice *from = &gpu->slices[slice];
	struct sm *to = &gpu->sms[sm];
	struct mshr *mshr = &to->mshr[number];
	bool ack = mshr->kind >= REQUEST_REDUCE;
	u32 flits = gpu->shape.packet_flits[ack ? 0 : mshr->words];
	u64 departure = later(gpu->now, from->out_free);
	u64 arrival = later(departure + gpu->config.noc_latency, to->in_free);

	from->out_free = departure + flits;
	to->in_free = arrival + flits;
	mshr->ready = arrival;
	if (--mshr->parts)
		return;
	if (ack)
		add_ack(gpu, sm, number, arrival);
	else
		add_reply(gpu, sm, number, arrival);
}
