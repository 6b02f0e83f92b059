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

/*
 * Queues of an engine, in the order in which they go first of those with a line at the same
 * time: the pager's of each way, then those of commands, which the first engine has alone.
 */
#define QUEUES		(2 * GPU_COPY_WAYS)
/* In an entry's waiter, beside the job's place: it is of a queue of commands */
#define OF_COMMANDS	GPU_COPIES_MAX

static enum gpu_copy_way way_of(u32 queue)
{
	return queue % GPU_COPY_WAYS;
}

/* A queue of an engine; NULL: it has none of this kind. */
static struct copy_queue *queue_of(const struct gpu *gpu, u32 engine, u32 queue)
{
	if (queue < GPU_COPY_WAYS)
		return gpu->managed_memory ?
		       &gpu->managed_memory->engine[engine].queue[queue] : NULL;
	return gpu->copies && !engine ? &gpu->copies->queue[way_of(queue)] : NULL;
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
static void take_answer(struct gpu *gpu, u32 engine, struct mshr *mshr)
{
	bool read = mshr->kind == REQUEST_READ;
	u32 number = (read ? GPU_COPY_OUT : GPU_COPY_IN) +
		     (mshr->waiter[0] & OF_COMMANDS ? GPU_COPY_WAYS : 0);
	struct copy_queue *queue = queue_of(gpu, engine, number);
	struct copy_job *job = &queue->job[mshr->waiter[0] % GPU_COPIES_MAX];

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
		take_answer(gpu, engine, &port->mshr[number]);
		port->mshr[number].next = port->store_free;
		port->store_free = number;
	}
	while (port->reply_at <= cycle) {
		number = port->reply_head;
		pop_reply(port);
		take_answer(gpu, engine, &port->mshr[number]);
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

/* The cycle at which a line of a queue can be sent, or NEVER: that is not known yet. */
static u64 next_line(const struct gpu *gpu, u32 engine, u32 number)
{
	struct copy_queue *queue = queue_of(gpu, engine, number);
	enum gpu_copy_way way = way_of(number);
	struct sm *port = port_of(gpu, engine);
	u64 at;

	if (!queue || queue->sending == queue->jobs)
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

static void send_line(struct gpu *gpu, u32 engine, u32 index)
{
	struct copy_queue *queue = queue_of(gpu, engine, index);
	enum gpu_copy_way way = way_of(index);
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
	mshr->waiter[0] = (u16)((job - queue->job) | (index < GPU_COPY_WAYS ? 0 : OF_COMMANDS));
	job->sent++;
	job->waiting++;
	pass_by_sent(queue);
	noc_send(gpu, gpu->config.sms + engine, number, gpu->now);
}

/* The queue with the line that can be sent first, and when: NEVER: none is known yet. */
static u32 first_queue(const struct gpu *gpu, u32 engine, u64 *at)
{
	u32 first = 0, i;

	*at = NEVER;
	for (i = 0; i < QUEUES; i++) {
		u64 next = next_line(gpu, engine, i);

		if (next >= *at)
			continue;
		*at = next;
		first = i;
	}
	return first;
}

/*
 * copy_run() - send lines, and take answers, up to and with a cycle. Of two lines that can
 *	be sent at a time the one that comes in goes first
 */
void copy_run(struct gpu *gpu, u32 engine, u64 until)
{
	u32 queue;
	u64 at;

	for (;;) {
		queue = first_queue(gpu, engine, &at);
		if (at > until)
			break;
		gpu->now = at;
		take_answers(gpu, engine, gpu->now);
		send_line(gpu, engine, queue);
	}
	take_answers(gpu, engine, until);
}

/* --- what the pager and commands ask for ------------------------------------------ */

static void add_job(struct copy_queue *queue, const struct gpu_copy *copy)
{
	port_assert(queue->jobs < GPU_COPIES_MAX);
	*job_at(queue, queue->jobs) = (struct copy_job) {
		.at = copy->at,
		.line = (copy->slot << LINE_SLOT_SHIFT) + copy->line,
		.count = copy->count,
	};
	queue->jobs++;
}

static bool take_job(struct copy_queue *queue, u64 *cycle)
{
	const struct copy_job *job = job_at(queue, 0);

	if (!queue->sending || job->waiting)
		return false;
	*cycle = job->answered;
	queue->head = (queue->head + 1) % GPU_COPIES_MAX;
	queue->jobs--;
	queue->sending--;
	return true;
}

void gpu_copy(struct gpu *gpu, u32 engine, enum gpu_copy_way way,
	      const struct gpu_copy *copy)
{
	add_job(queue_of(gpu, engine, way), copy);
}

bool gpu_copy_done(struct gpu *gpu, u32 engine, enum gpu_copy_way way, u64 *cycle)
{
	return take_job(queue_of(gpu, engine, way), cycle);
}

size_t gpu_copies_bytes(const struct gpu_config *config)
{
	return config->copy_engines ? sizeof(struct copy_commands) : 0;
}

void gpu_set_copies(struct gpu *gpu, void *memory)
{
	gpu->copies = memory;
	gpu->engines = gpu->config.copy_engines;
}

void gpu_command_copy(struct gpu *gpu, enum gpu_copy_way way, const struct gpu_copy *copy)
{
	add_job(&gpu->copies->queue[way], copy);
}

bool gpu_command_copy_done(struct gpu *gpu, enum gpu_copy_way way, u64 *cycle)
{
	return take_job(&gpu->copies->queue[way], cycle);
}

/* copies_busy() - whether copies of commands are under way, also if no kernel runs */
bool copies_busy(const struct gpu *gpu)
{
	return gpu->copies && (gpu->copies->queue[GPU_COPY_IN].jobs ||
			       gpu->copies->queue[GPU_COPY_OUT].jobs);
}

static void forget_jobs(struct copy_queue *queue, u32 slot)
{
	u32 i;

	if (!queue)
		return;

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
	u32 i, entry, number;

	for (i = 0; i < gpu->engines; i++) {
		struct sm *port = port_of(gpu, i);

		for (number = 0; number < QUEUES; number++)
			forget_jobs(queue_of(gpu, i, number), slot);
		for (entry = 0; entry < SM_ENTRIES_MAX; entry++)
			if (line_slot(port->mshr[entry].line) == slot)
				port->mshr[entry].discard = 1;
	}
}
