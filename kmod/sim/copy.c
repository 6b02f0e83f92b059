// SPDX-License-Identifier: GPL-2.0
/*
 * Copy engines. A copy crosses the link in a time that is known beforehand. Its lines also
 * go through the device: each is a request to its slice, a store of a whole line or a read,
 * sent when the link gets to it, if the engine's port has room and an entry is free. So
 * copies and kernels are in each other's way at slices and channels.
 *
 * An engine works as an SM's load/store unit does: it sends in SMs' windows, and its port and
 * entries are those of a struct sm. It is told of copies where windows end.
 */
#include "sim.h"

static struct sm *port_of(const struct gpu *gpu, u32 engine)
{
	return &gpu->sms[gpu->config.sms + engine];
}

static struct copy_queue *queue_of(const struct gpu *gpu, u32 engine,
				   enum gpu_copy_way way)
{
	return &gpu->managed_memory->engine[engine].queue[way];
}

static struct copy_job *job_at(struct copy_queue *queue, u32 index)
{
	return &queue->job[(queue->head + index) % GPU_COPIES_MAX];
}

u64 gpu_copy_lead(const struct gpu_config *config)
{
	/* A line's sectors are looked up one after the other. */
	return 2 * gpu_window(config) + config->llc_sectors - 1;
}

/* --- answers ---------------------------------------------------------------------- */

/* An entry's line was written, or has come. */
static void take_answer(struct gpu *gpu, struct copy_queue *queue, struct mshr *mshr)
{
	struct copy_job *job = &queue->job[mshr->waiter[0]];
	bool read = mshr->kind == REQUEST_READ;

	job->waiting--;
	job->answered = mshr->ready;
	if (!mshr->discard)
		slot_counters(gpu, line_slot(mshr->line))->noc_reply_flits +=
			(gpu->config.llc_sectors > 1 ? TRACE_SECTORS : 1) *
			gpu->shape.packet_flits[read ? mshr->words : 0];
}

static void take_answers(struct gpu *gpu, u32 engine, u64 cycle)
{
	struct sm *port = port_of(gpu, engine);
	u32 number;

	while (port->ack_at <= cycle) {
		number = port->ack_head;
		pop_ack(port);
		take_answer(gpu, queue_of(gpu, engine, GPU_COPY_IN), &port->mshr[number]);
		port->mshr[number].next = port->store_free;
		port->store_free = number;
	}
	while (port->reply_at <= cycle) {
		number = port->reply_head;
		pop_reply(port);
		take_answer(gpu, queue_of(gpu, engine, GPU_COPY_OUT),
			    &port->mshr[number]);
		port->mshr[number].next = port->mshr_free;
		port->mshr_free = number;
	}
}

/* --- requests --------------------------------------------------------------------- */

/* The first free entry for a line. */
static u16 *free_entry(struct sm *port, enum gpu_copy_way way)
{
	return way == GPU_COPY_IN ? &port->store_free : &port->mshr_free;
}

/* The cycle from which on the link has a job's next line, or wants it. */
static u64 due_at(const struct gpu *gpu, const struct copy_job *job,
		  enum gpu_copy_way way)
{
	const struct gpu_config *config = &gpu->config;
	bool in = way == GPU_COPY_IN;
	u64 bytes = (u64)(job->count - job->sent - in) * GPU_LINE_BYTES;
	u64 before = gpu_copy_lead(config) + bytes * config->core_mhz /
		     (in ? config->link_in_mb_per_s : config->link_out_mb_per_s);

	return job->at - min(job->at, before);
}

/* The cycle at which a line of a way can be sent, or NEVER: that is not known yet. */
static u64 next_line(const struct gpu *gpu, u32 engine, enum gpu_copy_way way)
{
	struct copy_queue *queue = queue_of(gpu, engine, way);
	struct sm *port = port_of(gpu, engine);
	u64 at;

	if (queue->sending == queue->jobs)
		return NEVER;
	at = max(due_at(gpu, job_at(queue, queue->sending), way),
		 port_room_at(&gpu->config, port));
	if (*free_entry(port, way) == NO_MSHR)
		at = max(at, way == GPU_COPY_IN ? port->ack_at : port->reply_at);
	return at == NEVER ? NEVER : max(at, gpu->main->sms_done + 1);
}

/* Jobs that have sent all are no longer among those that send. */
static void pass_by_sent(struct copy_queue *queue)
{
	while (queue->sending < queue->jobs &&
	       job_at(queue, queue->sending)->sent ==
	       job_at(queue, queue->sending)->count)
		queue->sending++;
}

static void send_line(struct gpu *gpu, u32 engine, enum gpu_copy_way way)
{
	struct copy_queue *queue = queue_of(gpu, engine, way);
	struct copy_job *job = job_at(queue, queue->sending);
	struct sm *port = port_of(gpu, engine);
	u16 *entry = free_entry(port, way);
	u32 number = *entry;
	struct mshr *mshr = &port->mshr[number];

	*entry = mshr->next;
	mshr->line = job->line + job->sent;
	mshr->kind = way == GPU_COPY_IN ? REQUEST_COPY : REQUEST_READ;
	mshr->sectors = TRACE_ALL_SECTORS;
	mshr->parts = gpu->config.llc_sectors > 1 ? TRACE_SECTORS : 1;
	mshr->words = GPU_LINE_BYTES / 4;
	if (way == GPU_COPY_OUT)
		mshr->words /= gpu->config.llc_sectors;
	mshr->discard = 0;
	mshr->waiters = 1;
	mshr->waiter[0] = (u16)(job - queue->job);
	job->sent++;
	job->waiting++;
	pass_by_sent(queue);
	noc_send(gpu, gpu->config.sms + engine, number, gpu->now);
}

/*
 * copy_run() - send lines, and take answers, up to and with a cycle. Of two lines that can
 *	be sent at a time the one that comes in goes first
 */
void copy_run(struct gpu *gpu, u32 engine, u64 until)
{
	for (;;) {
		u64 in = next_line(gpu, engine, GPU_COPY_IN);
		u64 out = next_line(gpu, engine, GPU_COPY_OUT);

		if (min(in, out) > until)
			break;
		gpu->now = min(in, out);
		take_answers(gpu, engine, gpu->now);
		send_line(gpu, engine, in <= out ? GPU_COPY_IN : GPU_COPY_OUT);
	}
	take_answers(gpu, engine, until);
}

/* --- what the pager asks for ------------------------------------------------------ */

void gpu_copy(struct gpu *gpu, u32 engine, enum gpu_copy_way way,
	      const struct gpu_copy *copy)
{
	struct copy_queue *queue = queue_of(gpu, engine, way);

	port_assert(queue->jobs < GPU_COPIES_MAX);
	*job_at(queue, queue->jobs) = (struct copy_job) {
		.at = copy->at,
		.line = (copy->slot << LINE_SLOT_SHIFT) + copy->line,
		.count = copy->count,
	};
	queue->jobs++;
}

bool gpu_copy_done(struct gpu *gpu, u32 engine, enum gpu_copy_way way, u64 *cycle)
{
	struct copy_queue *queue = queue_of(gpu, engine, way);
	const struct copy_job *job = job_at(queue, 0);

	if (!queue->sending || job->waiting)
		return false;
	*cycle = job->answered;
	queue->head = (queue->head + 1) % GPU_COPIES_MAX;
	queue->jobs--;
	queue->sending--;
	return true;
}

static void forget_jobs(struct copy_queue *queue, u32 slot)
{
	u32 i;

	for (i = 0; i < queue->jobs; i++) {
		struct copy_job *job = job_at(queue, i);

		if (line_slot(job->line) == slot)
			job->count = job->sent;
	}
	pass_by_sent(queue);
}

/* copy_forget() - a slot is dropped: its lines are copied no more */
void copy_forget(struct gpu *gpu, u32 slot)
{
	u32 i, entry;

	for (i = 0; i < gpu->engines; i++) {
		struct sm *port = port_of(gpu, i);

		forget_jobs(queue_of(gpu, i, GPU_COPY_IN), slot);
		forget_jobs(queue_of(gpu, i, GPU_COPY_OUT), slot);
		for (entry = 0; entry < SM_ENTRIES_MAX; entry++)
			if (line_slot(port->mshr[entry].line) == slot)
				port->mshr[entry].discard = 1;
	}
}
