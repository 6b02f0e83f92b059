// SPDX-License-Identifier: GPL-2.0
/*
 * The crossbar between SMs and last-level cache slices: ports that are busy
 * until some cycle, and finite queues. A place in a slice's request queue is
 * taken when a request leaves its SM. A read that finds none waits in its L1
 * MSHR entry, and the load/store unit goes on to other slices (virtual output
 * queues: one full slice does not hold up the traffic to all others). So reads
 * push back when the entries run out, and then on the load/store unit and the
 * warps. A store has no entry: it waits in the load/store unit. Freed places
 * are given out first come, first served.
 */
#include "sim.h"

/* In place of an MSHR entry: the store in the load/store unit. */
#define STORE		SM_MSHRS_MAX

/* Who waits: an SM and its MSHR entry or STORE, as one number. */
static u32 waiter_id(u32 sm, u32 mshr)
{
	return sm * (SM_MSHRS_MAX + 1) + mshr;
}

static u32 *next_in_line(const struct gpu *gpu, u32 id)
{
	struct sm *sm = &gpu->sms[id / (SM_MSHRS_MAX + 1)];

	return &sm->mshr[id % (SM_MSHRS_MAX + 1)].next_in_line;
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

static void leave_line(struct gpu *gpu, struct slice *slice, u32 id)
{
	u32 *link = &slice->wait_head, before = NOBODY;

	while (*link != id) {
		before = *link;
		link = next_in_line(gpu, before);
	}
	*link = *next_in_line(gpu, id);
	if (slice->wait_tail == id)
		slice->wait_tail = before;
	slice->wait_count--;
}

/* Send a request that has a place: it leaves at @cycle or when the port can. */
static void transmit(struct gpu *gpu, u32 sm, u32 index, u32 line, u32 kind,
		     u32 mshr, u64 cycle)
{
	const struct gpu_config *config = &gpu->config;
	struct sm *from = &gpu->sms[sm];
	struct slice *slice = &gpu->slices[index];
	u32 flits = kind >= REQUEST_WRITE ? gpu->shape.write_flits :
					    gpu->shape.request_flits;
	struct tenant *tenant = &gpu->tenants[line_slot(line)];
	u32 ring = gpu->shape.slice_ring, place;
	struct request *request;
	u64 arrival;

	from->out_free = later(cycle, from->out_free) + flits;
	arrival = later(from->out_free - flits + config->noc_latency,
			slice->in_free);
	slice->in_free = arrival + flits;
	place = (slice->request_head + slice->request_count) & (ring - 1);
	request = &gpu->requests[index * ring + place];
	request->ready = arrival + config->llc_latency;
	request->line = line;
	request->kind = kind;
	request->sm = sm;
	request->mshr = mshr;
	request->generation = tenant->generation;
	tenant->counters.noc_request_flits += flits;
	if (!slice->request_count++) {
		slice->request_at = request->ready;
		gpu_wake(gpu, part_of_slice(index), request->ready);
	}
}

/*
 * noc_send() - send a request of an SM's load/store unit to its slice
 * @mshr: its MSHR entry; any for a store
 * @cycle: when it leaves the L1
 *
 * Return: LSU_GOES_ON once it is sent or waits in its MSHR entry; else what
 * holds it back. The SM is woken when that has changed (LSU_SLICE) or asks
 * again (LSU_PORT).
 */
enum lsu_block noc_send(struct gpu *gpu, u32 sm, u32 line, u32 kind, u32 mshr,
			u64 cycle)
{
	bool store = kind >= REQUEST_WRITE;
	struct lsu *lsu = &gpu->sms[sm].lsu;
	struct slice *slice;
	u32 index;

	if (gpu->sms[sm].out_free > gpu->now + gpu->config.noc_queue_depth)
		return LSU_PORT;
	index = address_slice(gpu, line);
	slice = &gpu->slices[index];
	if (lsu->grant == index) {
		lsu->grant = NO_SLICE;
	} else if (slice->credits) {
		slice->credits--;
	} else {
		wait_in_line(gpu, slice, waiter_id(sm, store ? STORE : mshr));
		gpu->tenants[lsu->slot].counters.queue_full_stalls++;
		return store ? LSU_SLICE : LSU_GOES_ON;
	}
	transmit(gpu, sm, index, line, kind, mshr, cycle);
	return LSU_GOES_ON;
}

/* Give a freed place to a waiter; false: it no longer wants one. */
static bool grant(struct gpu *gpu, u32 index, u32 id)
{
	u32 sm = id / (SM_MSHRS_MAX + 1), number = id % (SM_MSHRS_MAX + 1);
	const struct mshr *mshr = &gpu->sms[sm].mshr[number];

	if (number == STORE) {
		gpu->sms[sm].lsu.grant = index;
		gpu_wake(gpu, part_of_sm(sm), gpu->now);
		return true;
	}
	/* Its tenant was dropped. */
	if (!mshr->waiters) {
		mshr_release(gpu, sm, number, gpu->now);
		return false;
	}
	transmit(gpu, sm, index, mshr->line,
		 mshr->hashed ? REQUEST_READ : REQUEST_ATOMIC, number, gpu->now);
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

/*
 * noc_forget() - an SM's load/store unit drops the store for which it waits
 *	for a place, or was granted one
 */
void noc_forget(struct gpu *gpu, u32 sm)
{
	struct lsu *lsu = &gpu->sms[sm].lsu;
	u32 slice = lsu->grant;

	if (slice != NO_SLICE) {
		lsu->grant = NO_SLICE;
		noc_release(gpu, slice);
	} else if (lsu->blocked == LSU_SLICE) {
		slice = address_slice(gpu, lsu->line[lsu->next]);
		leave_line(gpu, &gpu->slices[slice], waiter_id(sm, STORE));
	}
}

/*
 * noc_reply() - send a line from a slice to an SM's L1 MSHR entry
 */
void noc_reply(struct gpu *gpu, u32 slice, u32 sm, u32 mshr)
{
	struct slice *from = &gpu->slices[slice];
	struct sm *to = &gpu->sms[sm];
	u32 flits = gpu->shape.reply_flits;
	u64 departure = later(gpu->now, from->out_free);
	u64 arrival = later(departure + gpu->config.noc_latency, to->in_free);

	from->out_free = departure + flits;
	to->in_free = arrival + flits;
	to->mshr[mshr].ready = arrival;
	__builtin_prefetch(&to->warp[to->mshr[mshr].waiter[0] / WARP_LOADS]);
	__builtin_prefetch(l1_set(&gpu->l1[to->mshr[mshr].l1], sm,
				  to->mshr[mshr].line));
	if (to->reply_at == NEVER) {
		to->reply_head = mshr;
		to->reply_at = arrival;
		gpu_wake(gpu, part_of_sm(sm), sm_wants_reply(to, arrival));
	} else {
		to->mshr[to->reply_tail].next_reply = mshr;
	}
	to->reply_tail = mshr;
}
