// SPDX-License-Identifier: GPL-2.0
/*
 * Accesses to pages that are mapped on the host. SMs send their requests through the crossbar
 * to the link, which has a port there as a slice has, but no cache and no memory: a line
 * that is read takes the link's latency and then its time on the link to the device, one
 * that is written its time on the link to the host. Requests are taken in order, so that
 * one that reads waits for what was written before it.
 *
 * While a copy is on the link in the same direction, both have half of its rate: a line takes
 * twice its time, and the pager is told by how much later copies end (gpu_share_link()).
 */
#include "sim.h"

static struct slice *slice_of(const struct gpu *gpu)
{
	return &gpu->slices[gpu->config.llc_slices];
}

static struct remote_direction *direction_of(const struct gpu *gpu, enum remote_way way)
{
	return &gpu->managed_memory->link.direction[way];
}

static u32 rate_of(const struct gpu *gpu, enum remote_way way)
{
	return way == REMOTE_IN ? gpu->config.link_in_mb_per_s :
				  gpu->config.link_out_mb_per_s;
}

static enum remote_way way_of(const struct request *request)
{
	return request->kind >= REQUEST_REDUCE ? REMOTE_OUT : REMOTE_IN;
}

void remote_init(struct remote_link *link)
{
	u32 i;

	for (i = 0; i < REMOTE_WAYS; i++)
		link->direction[i].waiting.head = NOBODY;
}

void gpu_use_remote(struct gpu *gpu)
{
	u32 i;

	for (i = 0; i < gpu->views; i++) {
		gpu->view_of[i]->remote = true;
		gpu->view_of[i]->bounded = true;
	}
}

/* The cycle at which the first request can be taken: one that writes needs the link. */
static u64 next_request(const struct gpu *gpu)
{
	const struct slice *slice = slice_of(gpu);
	const struct request *request;
	u32 rate = rate_of(gpu, REMOTE_OUT);

	if (slice->request_head == NOBODY)
		return NEVER;
	request = &gpu->requests[slice->request_head];
	if (way_of(request) == REMOTE_IN)
		return request->ready;
	return max(request->ready,
		   (direction_of(gpu, REMOTE_OUT)->free + rate - 1) / rate);
}

/* The cycle at which the link is done with a request that it takes now. */
static u64 cross(struct gpu *gpu, const struct request *request)
{
	enum remote_way way = way_of(request);
	struct remote_direction *direction = direction_of(gpu, way);
	u32 mhz = gpu->config.core_mhz, rate = rate_of(gpu, way);
	u64 latency = gpu_cycles_of_ns(mhz, gpu->config.link_latency_ns);
	u64 from = gpu->now + (way == REMOTE_IN ? latency : 0);
	u32 bytes = gpu->config.llc_sectors > 1 ?
		    sector_count(request->sectors) * SECTOR_BYTES : GPU_LINE_BYTES;
	u64 takes = (u64)bytes * mhz;

	direction->free = max(direction->free, from * rate);
	if (direction->free < direction->copies_until * rate) {
		direction->taken += takes;
		takes *= 2;
	}
	direction->free += takes;
	return (direction->free + rate - 1) / rate;
}

static void take_request(struct gpu *gpu)
{
	struct slice *slice = slice_of(gpu);
	u32 place = slice->request_head;
	struct request *request = &gpu->requests[place];
	struct remote_direction *direction = direction_of(gpu, way_of(request));
	u32 slot = line_slot(request->line);

	leave_queue(gpu, slice, request);
	slice->request_head = request->mail.next;
	slice->request_at = slice->request_head == NOBODY ? NEVER :
			    gpu->requests[slice->request_head].ready;
	request->ready = cross(gpu, request);
	if (request->generation == gpu->tenants[slot].generation)
		gpu->managed_memory->link.lines[slot]++;
	request->mail.next = NOBODY;
	if (direction->waiting.head == NOBODY)
		direction->waiting.head = place;
	else
		gpu->requests[direction->waiting.tail].mail.next = place;
	direction->waiting.tail = place;
	direction->count++;
}

static u64 next_answer(const struct gpu *gpu, enum remote_way way)
{
	u32 place = direction_of(gpu, way)->waiting.head;

	return place == NOBODY ? NEVER : gpu->requests[place].ready;
}

/* Answer the first request of a direction. */
static void answer(struct gpu *gpu, enum remote_way way)
{
	struct remote_direction *direction = direction_of(gpu, way);
	const struct request *request = &gpu->requests[direction->waiting.head];
	u32 sectors;

	direction->waiting.head = request->mail.next;
	direction->count--;
	for (sectors = request->sectors; sectors; sectors &= sectors - 1)
		noc_reply(gpu, gpu->config.llc_slices, request->mail.sender,
			  request->mail.number, lowest_bit(sectors),
			  request->reply_flits);
}

u64 gpu_share_link(struct gpu *gpu, enum gpu_copy_way way, u64 until)
{
	static const enum remote_way ways[GPU_COPY_WAYS] = {
		[GPU_COPY_IN] = REMOTE_IN, [GPU_COPY_OUT] = REMOTE_OUT,
	};
	struct remote_direction *direction = direction_of(gpu, ways[way]);
	u32 rate = rate_of(gpu, ways[way]);
	u64 cycles = direction->taken / rate;

	if (!gpu->remote)
		return 0;
	direction->taken %= rate;
	direction->copies_until = until + cycles;
	return cycles;
}

u64 gpu_remote_lines(const struct gpu *gpu, u32 slot)
{
	return gpu->managed_memory->link.lines[slot];
}

/* remote_run() - the link's window, up to and with a cycle */
void remote_run(struct gpu *gpu, u64 until)
{
	if (has_requests(gpu, gpu->config.channels))
		noc_take_requests(gpu, gpu->config.channels);
	for (;;) {
		u64 in = next_answer(gpu, REMOTE_IN);
		u64 out = next_answer(gpu, REMOTE_OUT);
		u64 next = min(next_request(gpu), min(in, out));

		if (next > until)
			return;
		gpu->now = next;
		if (in == next)
			answer(gpu, REMOTE_IN);
		else if (out == next)
			answer(gpu, REMOTE_OUT);
		else
			take_request(gpu);
	}
}

/* remote_busy() - whether the link has anything to do */
bool remote_busy(const struct gpu *gpu)
{
	return slice_of(gpu)->request_head != NOBODY ||
	       direction_of(gpu, REMOTE_IN)->count ||
	       direction_of(gpu, REMOTE_OUT)->count;
}
