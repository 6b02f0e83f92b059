// SPDX-License-Identifier: GPL-2.0
/*
 * The crossbar between SMs and last-level cache slices: ports that are busy
 * until some cycle, and finite queues. A place in a slice's request queue is
 * taken when a request leaves its SM, so a full queue holds requests back in
 * the SM, and its load/store unit, and so its warps. Freed places are granted
 * to waiting SMs in turn.
 */
#include "sim.h"

static bool take_place(struct gpu *gpu, u32 sm, u32 slice)
{
	struct lsu *lsu = &gpu->sms[sm].lsu;
	struct slice *target = &gpu->slices[slice];

	if (lsu->grant == slice) {
		lsu->grant = NO_SLICE;
		return true;
	}
	if (target->credits) {
		target->credits--;
		return true;
	}
	target->waiting[sm / 64] |= 1ULL << (sm % 64);
	gpu->tenants[lsu->slot].counters.queue_full_stalls++;
	return false;
}

/*
 * noc_send() - send a request of an SM's load/store unit to its slice
 * @cycle: when it leaves the L1
 *
 * Return: LSU_GOES_ON once sent, or what holds it back; the SM is woken when
 * that has changed (LSU_SLICE) or asks again (LSU_PORT).
 */
enum lsu_block noc_send(struct gpu *gpu, u32 sm, u32 line, u32 kind, u32 mshr,
			u64 cycle)
{
	const struct gpu_config *config = &gpu->config;
	struct sm *from = &gpu->sms[sm];
	struct location location;
	struct request *request;
	struct slice *slice;
	u32 flits, index;
	u64 arrival;

	if (from->out_free > gpu->now + config->noc_queue_depth)
		return LSU_PORT;
	address_locate(gpu, line, &location);
	if (!take_place(gpu, sm, location.slice))
		return LSU_SLICE;
	slice = &gpu->slices[location.slice];
	flits = kind >= REQUEST_WRITE ? gpu->shape.write_flits :
					gpu->shape.request_flits;
	from->out_free = later(cycle, from->out_free) + flits;
	arrival = later(from->out_free - flits + config->noc_latency,
			slice->in_free);
	slice->in_free = arrival + flits;

	index = slice->request_head + slice->request_count;
	if (index >= gpu->shape.slice_queue)
		index -= gpu->shape.slice_queue;
	request = &gpu->requests[location.slice * gpu->shape.slice_queue + index];
	request->ready = arrival + config->llc_latency;
	request->line = line;
	request->kind = kind;
	request->sm = sm;
	request->mshr = mshr;
	request->generation = gpu->tenants[line_slot(line)].generation;
	if (!slice->request_count++)
		gpu_wake(gpu, part_of_slice(gpu, location.slice), request->ready);
	return LSU_GOES_ON;
}

/*
 * noc_release() - a request has left a slice's queue: grant its place
 */
void noc_release(struct gpu *gpu, u32 slice)
{
	struct slice *from = &gpu->slices[slice];
	u32 first = from->next_grant, word = first / 64, i;
	u64 mask = from->waiting[word] & ~((1ULL << (first % 64)) - 1);

	for (i = 0; i <= GPU_SMS_MAX / 64; i++) {
		if (mask) {
			u32 sm = word * 64 + lowest_bit(mask);

			from->waiting[word] &= ~(1ULL << (sm % 64));
			from->next_grant = (sm + 1) % GPU_SMS_MAX;
			gpu->sms[sm].lsu.grant = slice;
			gpu_wake(gpu, part_of_sm(gpu, sm), gpu->now);
			return;
		}
		word = (word + 1) % (GPU_SMS_MAX / 64);
		mask = from->waiting[word];
	}
	from->credits++;
}

/*
 * noc_forget() - an SM no longer wants the place that it waits for or was
 *	granted
 */
void noc_forget(struct gpu *gpu, u32 sm)
{
	struct lsu *lsu = &gpu->sms[sm].lsu;
	u32 slice;

	for (slice = 0; slice < gpu->config.llc_slices; slice++)
		gpu->slices[slice].waiting[sm / 64] &= ~(1ULL << (sm % 64));
	if (lsu->grant != NO_SLICE) {
		slice = lsu->grant;
		lsu->grant = NO_SLICE;
		noc_release(gpu, slice);
	}
}

/*
 * noc_reply_room_at() - from which cycle a slice's reply queue has room
 */
u64 noc_reply_room_at(const struct gpu *gpu, u32 slice)
{
	u64 queue = (u64)gpu->config.noc_queue_depth * gpu->shape.reply_flits;
	u64 free = gpu->slices[slice].out_free;

	return free > queue ? free - queue : 0;
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
	struct reply *reply;

	from->out_free = departure + flits;
	to->in_free = arrival + flits;
	reply = &to->reply[(to->reply_head + to->reply_count) % SM_MSHRS_MAX];
	reply->ready = arrival;
	reply->mshr = mshr;
	if (!to->reply_count++)
		gpu_wake(gpu, part_of_sm(gpu, sm), arrival);
}
