// SPDX-License-Identifier: GPL-2.0
/*
 * The decoder of commands: sorts them by queue, finds the RECORD that each WAIT is for, the
 * kernel that follows each command, and where requests and steps begin.
 */
#include "trace_format.h"

/*
 * struct command_counts - what the decoded commands need memory for
 * @events: 1 + the greatest number of an event; 0: there is none
 * @requests: that end, or steps
 */
struct command_counts {
	u64 events;
	u64 requests;
};

static struct command_counts count_commands(const struct simgpu_trace_header *h)
{
	const struct simgpu_trace_command *from = section_data(h, SIMGPU_TRACE_COMMANDS);
	struct command_counts counts = { 0 };
	u64 i;

	for (i = 0; i < section_count(h, SIMGPU_TRACE_COMMANDS); i++) {
		if (!(i % 4096))
			port_pause();
		if (from[i].kind == SIMGPU_TRACE_COMMAND_RECORD ||
		    from[i].kind == SIMGPU_TRACE_COMMAND_WAIT)
			counts.events = max_t(u64, counts.events, from[i].what + 1ULL);
		counts.requests += from[i].kind == SIMGPU_TRACE_COMMAND_STEP ||
				   (from[i].kind == SIMGPU_TRACE_COMMAND_MARK &&
				    from[i].what == SIMGPU_TRACE_MARK_REQUEST);
	}
	return counts;
}

/*
 * Places of the first commands of requests or steps, and of that behind the last, in whole words
 * of 8
 */
static u64 requests_bytes(u64 requests)
{
	return requests ? (requests + 2) / 2 * sizeof(u64) : 0;
}

/**
 * trace_commands_bytes() - memory of the decoded commands
 * @h: header of a checked trace
 *
 * Return: bytes, a multiple of eight: commands, where requests or steps begin, and what sorting
 * needs.
 */
u64 trace_commands_bytes(const struct simgpu_trace_header *h)
{
	struct command_counts counts = count_commands(h);

	return section_count(h, SIMGPU_TRACE_COMMANDS) * sizeof(struct trace_command) +
	       requests_bytes(counts.requests) + counts.events * sizeof(struct trace_record);
}

static void decode_command(const struct simgpu_trace_header *h,
			   const struct simgpu_trace_command *from, struct trace_command *to)
{
	const struct simgpu_trace_allocation *allocations =
		section_data(h, SIMGPU_TRACE_ALLOCATIONS);
	const struct simgpu_trace_allocation *allocation;

	static_assert((u32)TRACE_COMMAND_REQUEST == (u32)SIMGPU_TRACE_COMMAND_REQUEST, "kinds");
	static_assert(TRACE_BATCH_MAX == SIMGPU_TRACE_BATCH_MAX, "requests of a step");
	static_assert((u32)TRACE_MARK_REQUEST == (u32)SIMGPU_TRACE_MARK_REQUEST, "marks");
	static_assert(TRACE_QUEUES_MAX == SIMGPU_TRACE_QUEUES_MAX, "queues");
	to->kind = (u8)from->kind;
	to->what = from->what;
	to->repeat = from->repeat;
	to->amount = from->amount;
	if (!trace_command_copies(to))
		return;
	allocation = &allocations[from->what];
	to->line = (u32)(allocation->base / SIMGPU_TRACE_LINE_BYTES);
	to->lines = (u32)((allocation->bytes + SIMGPU_TRACE_LINE_BYTES - 1) /
			  SIMGPU_TRACE_LINE_BYTES);
}

/* A WAIT without a RECORD before it waits for a place that its own queue has passed. */
static void find_record(struct trace_command *to, u8 queue, struct trace_record *records)
{
	struct trace_record *record = &records[to->what];

	to->queue = queue;
	if (to->kind == TRACE_COMMAND_RECORD)
		return;
	to->what = record->behind;
	if (record->behind)
		to->queue = (u8)record->queue;
}

/* How many commands each queue has, as the places behind them. */
static void place_queues(const struct simgpu_trace_header *h, struct trace *trace)
{
	const struct simgpu_trace_command *from = section_data(h, SIMGPU_TRACE_COMMANDS);
	u32 i;

	for (i = 0; i < trace->command_count; i++)
		trace->queue_first[from[i].queue + 1]++;
	trace->queues = !!trace->command_count;
	for (i = 0; i < TRACE_QUEUES_MAX; i++) {
		trace->queues |= (u32)!!trace->queue_first[i + 1] << i;
		trace->queue_first[i + 1] += trace->queue_first[i];
	}
}

/*
 * For each command, the next one behind it in its queue and request that launches a kernel, and
 * the thread blocks of all of these.
 */
static void find_kernels(struct trace *trace, struct trace_command *commands)
{
	u32 queue, i;

	for (queue = 0; queue < TRACE_QUEUES_MAX; queue++) {
		u32 next = TRACE_NO_COMMAND;
		u64 blocks = 0;

		for (i = trace->queue_first[queue + 1]; i-- > trace->queue_first[queue];) {
			if (trace_command_ends_run(&commands[i])) {
				next = TRACE_NO_COMMAND;
				blocks = 0;
			}
			commands[i].next_kernel = next;
			commands[i].rest_blocks = blocks;
			if (commands[i].kind == TRACE_COMMAND_KERNEL) {
				next = i;
				blocks += trace_command_blocks(trace, &commands[i]);
			}
			if (!(i % 4096))
				port_pause();
		}
	}
}

/* Where requests or steps begin: they are in one queue, so in the order of the section. */
static void find_requests(struct trace *trace, u32 *first)
{
	u32 i, request = 0;

	if (!trace->request_count)
		return;
	trace->request_first = first;
	for (i = 0; i < trace->command_count; i++)
		if (trace_command_ends_run(&trace->commands[i]))
			first[++request] = i + 1;
}

static void note_mark(struct trace *trace, u32 mark)
{
	trace->marks |= mark == TRACE_MARK_LATENCY;
	trace->tokens |= mark == TRACE_MARK_FIRST_TOKEN || mark == TRACE_MARK_TOKEN;
}

/* What a trace has, by a command of it. */
static void note_command(struct trace *trace, const struct trace_command *command)
{
	trace->copies |= trace_command_copies(command);
	trace->request_count += trace_command_ends_run(command);
	if (command->kind == TRACE_COMMAND_MARK)
		note_mark(trace, command->what);
	else if (command->kind == TRACE_COMMAND_STEP)
		trace->batch_most = max(trace->batch_most, command->what);
}

/**
 * trace_decode_commands() - decode the commands of a checked trace
 * @h: its header
 * @trace: gets them; has its kernels
 * @memory: trace_commands_bytes() bytes, zeroed
 */
void trace_decode_commands(const struct simgpu_trace_header *h, struct trace *trace,
			   void *memory)
{
	const struct simgpu_trace_command *from = section_data(h, SIMGPU_TRACE_COMMANDS);
	struct trace_command *commands = memory;
	u64 requests = requests_bytes(count_commands(h).requests);
	u32 next[TRACE_QUEUES_MAX], i, *first;
	struct trace_record *records;

	trace->command_count = (u32)section_count(h, SIMGPU_TRACE_COMMANDS);
	trace->commands = commands;
	first = (u32 *)&commands[trace->command_count];
	records = (struct trace_record *)((u8 *)first + requests);
	place_queues(h, trace);
	memcpy(next, trace->queue_first, sizeof(next));
	for (i = 0; i < trace->command_count; i++) {
		u32 place = next[from[i].queue]++;
		struct trace_command *to = &commands[place];

		if (!(i % 4096))
			port_pause();
		decode_command(h, &from[i], to);
		note_command(trace, to);
		if (to->kind == TRACE_COMMAND_RECORD || to->kind == TRACE_COMMAND_WAIT)
			find_record(to, (u8)from[i].queue, records);
		if (to->kind == TRACE_COMMAND_RECORD)
			records[from[i].what] = (struct trace_record) {
				.queue = from[i].queue, .behind = place + 1,
			};
	}
	find_kernels(trace, commands);
	find_requests(trace, first);
}
