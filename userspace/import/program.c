// SPDX-License-Identifier: GPL-2.0
/* From a profile's activities to kernels and commands; see program.h. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "program.h"

/* Streams that are told apart */
#define STREAMS_MAX	1024

/**
 * struct item - what the host did, at one moment
 * @when: moment, of the host's clock
 * @order: place in the profile, by which equal moments are ordered
 * @activity: the activity
 * @call: the call that it comes from, or NULL
 * @event: of a RECORD: number of the event
 * @record: it is the record of an event in @activity's record_stream
 */
struct item {
	int64_t when;
	size_t order;
	const struct activity *activity;
	const struct activity *call;
	uint32_t event;
	bool record;
};

/* A call, to be found by its number */
struct call {
	int64_t correlation;
	const struct activity *activity;
};

/* The record of an event that something waits for */
struct record {
	int64_t correlation;
	const struct activity *wait;
	const struct activity *call;
	uint32_t event;
};

/**
 * struct queue - a queue while commands are made
 * @ends: when its last activity so far ended, as recorded
 * @waited: when what it waits for had ended, as recorded
 * @has_more: it has got work since the host last waited for it
 * @pending: by queue: 1 + the event that it has still to wait for, or 0
 */
struct queue {
	int64_t ends;
	int64_t waited;
	bool has_more;
	uint32_t pending[PROGRAM_QUEUES];
};

/**
 * struct maker - state of program_make()
 * @activities: the profile
 * @program: what is made
 * @calls: calls in the order of their numbers
 * @call_count: number of them
 * @records: records that something waits for, in the order of their calls' numbers
 * @record_count: number of them
 * @items: what the host did, in order
 * @item_count: number of them
 * @kernel_of: by activity: index of its kernel
 * @streams: streams in the order of their first activity
 * @queues: by number
 * @event_ends: by event: when what it stands for had ended
 * @events: events so far
 * @begins: beginning of the first activity of the GPU
 * @ends: end of the last one
 */
struct maker {
	const struct activities *activities;
	struct program *program;
	struct call *calls;
	size_t call_count;
	struct record *records;
	size_t record_count;
	struct item *items;
	size_t item_count;
	uint32_t *kernel_of;
	int64_t *streams;
	struct queue queues[PROGRAM_QUEUES];
	int64_t event_ends[PROGRAM_EVENTS];
	uint32_t events;
	int64_t begins;
	int64_t ends;
};

static bool is_on_gpu(const struct activity *activity)
{
	return activity->kind == ACTIVITY_KERNEL || activity->kind == ACTIVITY_COPY ||
	       activity->kind == ACTIVITY_SET;
}

static int64_t end_of(const struct activity *activity)
{
	return activity->start_ns + activity->duration_ns;
}

static int64_t later(int64_t a, int64_t b)
{
	return a > b ? a : b;
}

/* --- calls and records ------------------------------------------------------------------ */

static int compare_calls(const void *a, const void *b)
{
	const struct call *one = a, *other = b;

	if (one->correlation != other->correlation)
		return one->correlation < other->correlation ? -1 : 1;
	return (one->activity > other->activity) - (one->activity < other->activity);
}

/*
 * The first element with a number in a list that is ordered by numbers, each at its element's
 * beginning; NULL: there is none.
 */
static const void *find_first(const void *list, size_t count, size_t size, int64_t correlation)
{
	size_t low = 0, high = count;
	int64_t number;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		memcpy(&number, (const char *)list + middle * size, sizeof(number));
		if (number < correlation)
			low = middle + 1;
		else
			high = middle;
	}
	if (low == count)
		return NULL;
	list = (const char *)list + low * size;
	memcpy(&number, list, sizeof(number));
	return number == correlation ? list : NULL;
}

static const struct activity *find_call(const struct maker *maker, int64_t correlation)
{
	const struct call *call = find_first(maker->calls, maker->call_count, sizeof(*call),
					     correlation);

	return correlation != ACTIVITY_NONE && call ? call->activity : NULL;
}

static void collect_calls(struct maker *maker)
{
	const struct activities *from = maker->activities;
	size_t i;

	for (i = 0; i < from->count; i++)
		if (from->list[i].kind == ACTIVITY_CALL)
			maker->calls[maker->call_count++] = (struct call){
				from->list[i].correlation, &from->list[i] };
	qsort(maker->calls, maker->call_count, sizeof(*maker->calls), compare_calls);
}

static int compare_records(const void *a, const void *b)
{
	const struct record *one = a, *other = b;

	if (one->correlation != other->correlation)
		return one->correlation < other->correlation ? -1 : 1;
	return (one->wait > other->wait) - (one->wait < other->wait);
}

/* Whether the host waits at a call, and does not just look */
static bool is_blocking(const struct maker *maker, const struct activity *sync)
{
	const struct activity *call = find_call(maker, sync->correlation);

	return !call || !strstr(call->name, "Query");
}

/*
 * Waits of streams of which nothing says what they wait for: a call without a record of its
 * wait, or a record without an event.
 */
static uint64_t count_silent(const struct activities *activities)
{
	uint64_t calls = 0, waits = 0;
	size_t i;

	for (i = 0; i < activities->count; i++) {
		calls += activities->list[i].kind == ACTIVITY_CALL &&
			 strstr(activities->list[i].name, "WaitEvent");
		waits += activities->list[i].kind == ACTIVITY_WAIT;
	}
	if (calls > waits && calls - waits > activities->silent_waits)
		return calls - waits;
	return activities->silent_waits;
}

/* Records that a stream or the host waits for, each once. */
static void collect_records(struct maker *maker)
{
	const struct activities *from = maker->activities;
	size_t i, kept = 0;

	for (i = 0; i < from->count; i++) {
		const struct activity *wait = &from->list[i];

		if ((wait->kind != ACTIVITY_WAIT && wait->kind != ACTIVITY_SYNC) ||
		    wait->record == ACTIVITY_NONE ||
		    (wait->kind == ACTIVITY_SYNC && !is_blocking(maker, wait)))
			continue;
		if (!find_call(maker, wait->record)) {
			maker->program->silent_waits++;
			continue;
		}
		maker->records[maker->record_count++] = (struct record){
			wait->record, wait, find_call(maker, wait->record), 0 };
	}
	qsort(maker->records, maker->record_count, sizeof(*maker->records), compare_records);
	for (i = 0; i < maker->record_count; i++)
		if (!kept || maker->records[kept - 1].correlation != maker->records[i].correlation)
			maker->records[kept++] = maker->records[i];
	maker->record_count = kept;
}

static struct record *find_record(const struct maker *maker, int64_t correlation)
{
	const struct record *record = find_first(maker->records, maker->record_count,
						 sizeof(*record), correlation);

	return record ? &maker->records[record - maker->records] : NULL;
}

/* --- what the host did ------------------------------------------------------------------ */

static void add_item(struct maker *maker, int64_t when, const struct activity *activity,
		     const struct activity *call)
{
	maker->items[maker->item_count] = (struct item){
		when, maker->item_count, activity, call, 0, false };
	maker->item_count++;
}

static int compare_items(const void *a, const void *b)
{
	const struct item *one = a, *other = b;

	if (one->when != other->when)
		return one->when < other->when ? -1 : 1;
	return (one->order > other->order) - (one->order < other->order);
}

static void collect_item(struct maker *maker, const struct activity *activity)
{
	const struct activity *call = find_call(maker, activity->correlation);

	switch (activity->kind) {
	case ACTIVITY_KERNEL:
	case ACTIVITY_COPY:
	case ACTIVITY_SET:
	case ACTIVITY_WAIT:
		add_item(maker, call ? call->start_ns : activity->start_ns, activity, call);
		break;
	case ACTIVITY_SYNC:
		/* What the host launches after the wait depends on it. */
		if (is_blocking(maker, activity))
			add_item(maker, call ? end_of(call) : end_of(activity), activity, call);
		break;
	case ACTIVITY_MARK:
		add_item(maker, end_of(activity), activity, NULL);
		break;
	default:
		break;
	}
}

static void collect_items(struct maker *maker)
{
	const struct activities *from = maker->activities;
	size_t i;

	for (i = 0; i < maker->record_count; i++) {
		struct record *record = &maker->records[i];

		add_item(maker, record->call->start_ns, record->wait, record->call);
		maker->items[maker->item_count - 1].record = true;
	}
	for (i = 0; i < from->count; i++)
		collect_item(maker, &from->list[i]);
	qsort(maker->items, maker->item_count, sizeof(*maker->items), compare_items);
}

/* --- kernels ---------------------------------------------------------------------------- */

static bool are_alike(const struct activity *a, const struct activity *b)
{
	/* Equal names are the same text. */
	return a->name == b->name && !memcmp(a->grid, b->grid, sizeof(a->grid)) &&
	       !memcmp(a->block, b->block, sizeof(a->block)) && a->registers == b->registers &&
	       a->shared_bytes == b->shared_bytes;
}

static uint64_t hash_kernel(const struct activity *a)
{
	uint64_t hash = (uintptr_t)a->name, i;

	for (i = 0; i < 3; i++)
		hash = (hash ^ a->grid[i] ^ (uint64_t)a->block[i] << 32) * 1099511628211ULL;
	return (hash ^ a->shared_bytes) * 1099511628211ULL ^ hash >> 32;
}

/* Give each kernel of the items a number, in their order. */
static int number_kernels(struct maker *maker)
{
	struct program *program = maker->program;
	size_t size = 64, i;
	uint32_t *slots;

	while (size < 2 * maker->item_count)
		size *= 2;
	slots = calloc(size, sizeof(*slots));
	program->kernels = calloc(maker->item_count + 1, sizeof(*program->kernels));
	if (!slots || !program->kernels) {
		free(slots);
		return -ENOMEM;
	}
	for (i = 0; i < maker->item_count; i++) {
		const struct activity *activity = maker->items[i].activity;
		size_t at = hash_kernel(activity) & (size - 1);

		if (activity->kind != ACTIVITY_KERNEL)
			continue;
		while (slots[at] && !are_alike(program->kernels[slots[at] - 1].activity, activity))
			at = (at + 1) & (size - 1);
		if (!slots[at]) {
			program->kernels[program->kernel_count++].activity = activity;
			slots[at] = program->kernel_count;
		}
		maker->kernel_of[activity - maker->activities->list] = slots[at] - 1;
	}
	free(slots);
	return 0;
}

static int compare_times(const void *a, const void *b)
{
	const uint64_t *one = a, *other = b;

	return (*one > *other) - (*one < *other);
}

/* Launches, sum and median of each kernel's times. */
static int measure_kernels(struct maker *maker)
{
	struct program *program = maker->program;
	const struct activities *from = maker->activities;
	uint64_t *times = calloc(from->count + 1, sizeof(*times));
	uint64_t *next = calloc(program->kernel_count + 1, sizeof(*next));
	uint32_t kernel;
	size_t i;

	if (!times || !next) {
		free(times);
		free(next);
		return -ENOMEM;
	}
	for (i = 0; i < from->count; i++)
		if (from->list[i].kind == ACTIVITY_KERNEL)
			program->kernels[maker->kernel_of[i]].launches++;
	for (kernel = 0; kernel < program->kernel_count; kernel++)
		next[kernel + 1] = next[kernel] + program->kernels[kernel].launches;
	for (i = 0; i < from->count; i++)
		if (from->list[i].kind == ACTIVITY_KERNEL) {
			kernel = maker->kernel_of[i];
			times[next[kernel]++] = (uint64_t)from->list[i].duration_ns;
			program->kernels[kernel].total_ns += (uint64_t)from->list[i].duration_ns;
		}
	for (kernel = 0; kernel < program->kernel_count; kernel++) {
		struct program_kernel *to = &program->kernels[kernel];
		uint64_t *first = times + next[kernel] - to->launches;

		qsort(first, to->launches, sizeof(*first), compare_times);
		to->median_ns = first[(to->launches - 1) / 2];
	}
	free(times);
	free(next);
	return 0;
}

/* --- commands --------------------------------------------------------------------------- */

static struct simgpu_trace_command *add_command(struct maker *maker, uint32_t kind,
						uint32_t queue, uint32_t what, uint64_t amount)
{
	struct program *program = maker->program;
	struct simgpu_trace_command *to;

	if (program->command_count == program->command_room) {
		size_t room = program->command_room ? program->command_room * 2 : 1024;

		to = realloc(program->commands, room * sizeof(*to));
		if (!to)
			return NULL;
		program->commands = to;
		program->command_room = room;
	}
	to = &program->commands[program->command_count++];
	*to = (struct simgpu_trace_command){ .kind = (__u16)kind, .queue = (__u16)queue,
					     .what = what, .repeat = 1, .amount = amount };
	program->done[kind]++;
	return to;
}

/* Add a command; one that repeats the last one makes that one longer. */
static int put(struct maker *maker, uint32_t kind, uint32_t queue, uint32_t what, uint64_t amount)
{
	struct program *program = maker->program;
	struct simgpu_trace_command *last = program->command_count ?
		&program->commands[program->command_count - 1] : NULL;

	if (last && kind != SIMGPU_TRACE_COMMAND_RECORD && kind != SIMGPU_TRACE_COMMAND_WAIT &&
	    kind != SIMGPU_TRACE_COMMAND_MARK && last->kind == kind && last->queue == queue &&
	    last->what == what && last->amount == amount) {
		last->repeat++;
		program->done[kind]++;
		return 0;
	}
	if (program->command_count == PROGRAM_COMMANDS_MAX)
		return -E2BIG;
	return add_command(maker, kind, queue, what, amount) ? 0 : -ENOMEM;
}

/* The queue of a stream. Streams beyond the queues are folded, in turn. */
static uint32_t queue_of(struct maker *maker, int64_t stream)
{
	struct program *program = maker->program;
	uint32_t i;

	for (i = 0; i < program->streams; i++)
		if (maker->streams[i] == stream)
			return i % PROGRAM_QUEUES;
	/* Nobody has so many: a profile that is not what it seems need not be fast. */
	if (program->streams == STREAMS_MAX)
		return (uint64_t)stream % PROGRAM_QUEUES;
	maker->streams[program->streams++] = stream;
	if (program->queues < PROGRAM_QUEUES)
		program->queues++;
	return i % PROGRAM_QUEUES;
}

/* Whether a stream has had an activity so far */
static bool is_known(const struct maker *maker, int64_t stream)
{
	uint32_t i;

	for (i = 0; i < maker->program->streams; i++)
		if (maker->streams[i] == stream)
			return true;
	return false;
}

/* Record an event in a queue; its number is set. */
static int put_record(struct maker *maker, uint32_t queue, uint32_t *event)
{
	*event = maker->events++ % PROGRAM_EVENTS;
	maker->event_ends[*event] = later(maker->queues[queue].ends, maker->queues[queue].waited);
	return put(maker, SIMGPU_TRACE_COMMAND_RECORD, queue, *event, 0);
}

static int put_wait(struct maker *maker, uint32_t queue, uint32_t event)
{
	struct queue *to = &maker->queues[queue];

	to->waited = later(to->waited, maker->event_ends[event]);
	return put(maker, SIMGPU_TRACE_COMMAND_WAIT, queue, event, 0);
}

/* The host has waited for a queue: what it launches elsewhere later comes after that. */
static int put_sync(struct maker *maker, uint32_t queue)
{
	uint32_t event, other;
	int ret;

	if (!maker->queues[queue].has_more)
		return 0;
	maker->queues[queue].has_more = false;
	ret = put_record(maker, queue, &event);
	for (other = 0; other < PROGRAM_QUEUES; other++)
		if (other != queue)
			maker->queues[other].pending[queue] = event + 1;
	return ret;
}

static int put_pending(struct maker *maker, uint32_t queue)
{
	struct queue *to = &maker->queues[queue];
	uint32_t other;
	int ret = 0;

	for (other = 0; !ret && other < PROGRAM_QUEUES; other++) {
		if (to->pending[other])
			ret = put_wait(maker, queue, to->pending[other] - 1);
		to->pending[other] = 0;
	}
	return ret;
}

/* A delay, if the queue had nothing to do when the host began to launch. */
static int put_delay(struct maker *maker, uint32_t queue, const struct item *item)
{
	const struct queue *to = &maker->queues[queue];
	int64_t idle_from = later(later(to->ends, to->waited), maker->begins), gap;

	if (!item->call) {
		maker->program->without_call++;
		return 0;
	}
	gap = item->activity->start_ns - idle_from;
	if (item->call->start_ns <= idle_from || gap <= 0)
		return 0;
	if (gap > (int64_t)PROGRAM_AMOUNT_MAX)
		gap = (int64_t)PROGRAM_AMOUNT_MAX;
	maker->program->host_ns += (uint64_t)gap;
	return put(maker, SIMGPU_TRACE_COMMAND_DELAY, queue, 0, (uint64_t)gap);
}

static uint32_t copy_kind(const struct activity *activity)
{
	if (activity->kind == ACTIVITY_SET)
		return SIMGPU_TRACE_COMMAND_SET;
	if (activity->direction == ACTIVITY_TO_DEVICE)
		return SIMGPU_TRACE_COMMAND_COPY_IN;
	return activity->direction == ACTIVITY_TO_HOST ? SIMGPU_TRACE_COMMAND_COPY_OUT :
							 SIMGPU_TRACE_COMMAND_COPY;
}

static int put_work(struct maker *maker, const struct item *item)
{
	const struct activity *activity = item->activity;
	uint64_t bytes = activity->bytes ? activity->bytes : item->call ? item->call->bytes : 0;
	uint32_t queue = queue_of(maker, activity->stream);
	struct queue *to = &maker->queues[queue];
	int ret;

	if (activity->kind != ACTIVITY_KERNEL && !bytes) {
		maker->program->copies_without_bytes++;
		return 0;
	}
	ret = put_pending(maker, queue);
	if (!ret)
		ret = put_delay(maker, queue, item);
	to->ends = later(to->ends, end_of(activity));
	to->has_more = true;
	maker->ends = later(maker->ends, end_of(activity));
	if (ret)
		return ret;
	if (activity->kind == ACTIVITY_KERNEL)
		return put(maker, SIMGPU_TRACE_COMMAND_KERNEL, queue,
			   maker->kernel_of[activity - maker->activities->list], 0);
	if (bytes > PROGRAM_AMOUNT_MAX)
		bytes = PROGRAM_AMOUNT_MAX;
	if (bytes > maker->program->copy_bytes_max)
		maker->program->copy_bytes_max = bytes;
	return put(maker, copy_kind(activity), queue, 0, bytes);
}

/* What was recorded in the queue itself has ended anyway. */
static int put_stream_wait(struct maker *maker, const struct activity *wait,
			   const struct record *record)
{
	uint32_t queue = queue_of(maker, wait->stream);

	if (!record || queue == queue_of(maker, wait->record_stream))
		return 0;
	return put_wait(maker, queue, record->event);
}

/* The host has waited for an event: all other queues come after it. */
static void note_event(struct maker *maker, const struct activity *sync,
		       const struct record *record)
{
	uint32_t from = queue_of(maker, sync->record_stream), queue;

	for (queue = 0; record && queue < PROGRAM_QUEUES; queue++)
		if (queue != from)
			maker->queues[queue].pending[from] = record->event + 1;
}

/* The host has waited for a stream, or for all. */
static int put_syncs(struct maker *maker, const struct activity *sync)
{
	uint32_t queue;
	int ret = 0;

	if (sync->stream != ACTIVITY_NONE)
		return is_known(maker, sync->stream) ?
			put_sync(maker, queue_of(maker, sync->stream)) : 0;
	for (queue = 0; !ret && queue < PROGRAM_QUEUES; queue++)
		ret = put_sync(maker, queue);
	return ret;
}

/* An iteration ends in the queue whose work so far ends last. */
static int put_mark(struct maker *maker)
{
	uint32_t queue, last = 0;

	for (queue = 0; queue < PROGRAM_QUEUES; queue++)
		if (maker->queues[queue].ends > maker->queues[last].ends)
			last = queue;
	return put(maker, SIMGPU_TRACE_COMMAND_MARK, last, 0, 0);
}

static int put_item(struct maker *maker, const struct item *item)
{
	const struct activity *activity = item->activity;
	struct record *record = activity->record == ACTIVITY_NONE ? NULL :
		find_record(maker, activity->record);

	if (is_on_gpu(activity))
		return put_work(maker, item);
	if (item->record)
		return put_record(maker, queue_of(maker, activity->record_stream), &record->event);
	if (activity->kind == ACTIVITY_WAIT)
		return put_stream_wait(maker, activity, record);
	if (activity->kind == ACTIVITY_MARK)
		return put_mark(maker);
	if (activity->record == ACTIVITY_NONE)
		return put_syncs(maker, activity);
	note_event(maker, activity, record);
	return 0;
}

static int put_all(struct maker *maker)
{
	size_t i;
	int ret = 0;

	maker->begins = INT64_MAX;
	for (i = 0; i < maker->item_count; i++)
		if (is_on_gpu(maker->items[i].activity) &&
		    maker->items[i].activity->start_ns < maker->begins)
			maker->begins = maker->items[i].activity->start_ns;
	maker->ends = maker->begins;
	for (i = 0; i < PROGRAM_QUEUES; i++)
		maker->queues[i].ends = maker->queues[i].waited = maker->begins;
	for (i = 0; !ret && i < maker->item_count; i++)
		ret = put_item(maker, &maker->items[i]);
	maker->program->span_ns = (uint64_t)(maker->ends - maker->begins);
	return ret;
}

/* --- the program ------------------------------------------------------------------------ */

static int make(struct maker *maker)
{
	size_t count = maker->activities->count + 1;
	int ret;

	maker->calls = calloc(count, sizeof(*maker->calls));
	maker->records = calloc(count, sizeof(*maker->records));
	/* Waits may become an item and the record of their event. */
	maker->items = calloc(2 * count, sizeof(*maker->items));
	maker->kernel_of = calloc(count, sizeof(*maker->kernel_of));
	maker->streams = calloc(STREAMS_MAX, sizeof(*maker->streams));
	if (!maker->calls || !maker->records || !maker->items || !maker->kernel_of ||
	    !maker->streams)
		return -ENOMEM;
	maker->program->silent_waits = count_silent(maker->activities);
	collect_calls(maker);
	collect_records(maker);
	collect_items(maker);
	ret = number_kernels(maker);
	if (!ret)
		ret = measure_kernels(maker);
	return ret ? ret : put_all(maker);
}

int program_make(const struct activities *activities, struct program *program)
{
	struct maker *maker = calloc(1, sizeof(*maker));
	int ret;

	memset(program, 0, sizeof(*program));
	if (!maker)
		return -ENOMEM;
	maker->activities = activities;
	maker->program = program;
	ret = make(maker);
	free(maker->calls);
	free(maker->records);
	free(maker->items);
	free(maker->kernel_of);
	free(maker->streams);
	free(maker);
	return ret;
}

void program_free(struct program *program)
{
	free(program->kernels);
	free(program->commands);
	memset(program, 0, sizeof(*program));
}

const char *program_command_name(uint32_t kind)
{
	static const char *const names[] = {
		[SIMGPU_TRACE_COMMAND_KERNEL] = "kernel",
		[SIMGPU_TRACE_COMMAND_COPY_IN] = "copy in",
		[SIMGPU_TRACE_COMMAND_COPY_OUT] = "copy out",
		[SIMGPU_TRACE_COMMAND_COPY] = "copy",
		[SIMGPU_TRACE_COMMAND_SET] = "set",
		[SIMGPU_TRACE_COMMAND_RECORD] = "record",
		[SIMGPU_TRACE_COMMAND_WAIT] = "wait",
		[SIMGPU_TRACE_COMMAND_DELAY] = "delay",
		[SIMGPU_TRACE_COMMAND_MARK] = "mark",
		[SIMGPU_TRACE_COMMAND_STEP] = "step",
		[SIMGPU_TRACE_COMMAND_REQUEST] = "request",
	};

	return kind <= SIMGPU_TRACE_COMMAND_REQUEST && names[kind] ? names[kind] : "unknown";
}
