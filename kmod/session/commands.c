// SPDX-License-Identifier: GPL-2.0
/*
 * How a launch goes through the commands of its trace. What is here changes parts only, and
 * starts nothing: so the session can ask beforehand what a part will come to (launch.c), on a
 * copy of them.
 */
#include "commands.h"

/* commands_present() - the command that a part does, or comes to next */
const struct trace_command *commands_present(const struct trace *trace,
					     const struct launch_part *part)
{
	return &trace->commands[part->place];
}

static bool has_passed(const struct trace *trace, const struct launch_part *part, u32 queue)
{
	return part->place == trace->queue_first[queue + 1];
}

/* A part comes to a place of its queue. */
static void come_to(const struct trace *trace, struct launch_part *part, u32 queue, u32 place)
{
	part->place = place;
	part->state = PART_GOES;
	part->left = 0;
	if (has_passed(trace, part, queue))
		part->state = PART_OVER;
	else
		part->left = commands_present(trace, part)->repeat;
}

/* The place of the first command of a queue in a run that does a request, or a step */
static u32 first_place(const struct trace *trace, u32 queue, u64 request)
{
	return trace->request_count ? trace->request_first[request % trace->request_count] :
	       trace->queue_first[queue];
}

/* commands_begin() - all parts are at the beginning of a run */
void commands_begin(struct commands_walk *walk)
{
	u32 queues = walk->trace->queues;

	for (; queues; queues &= queues - 1) {
		u32 queue = (u32)__builtin_ctz(queues);

		come_to(walk->trace, &walk->part[queue], queue,
			first_place(walk->trace, queue, walk->request));
		walk->part[queue].ended = walk->now;
	}
}

/*
 * commands_done() - what a part did has ended, once
 * @ended: in this device cycle
 */
void commands_done(const struct trace *trace, struct launch_part *part, u32 queue, u64 ended)
{
	bool over = trace_command_ends_run(commands_present(trace, part));

	part->ended = ended;
	part->state = PART_GOES;
	if (--part->left)
		return;
	come_to(trace, part, queue, part->place + 1);
	if (over)
		part->state = PART_OVER;
}

/* Whether the RECORD of a WAIT is behind the part of its queue. */
static bool is_recorded(const struct commands_walk *walk, const struct trace_command *command)
{
	const struct launch_part *part = &walk->part[command->queue];

	return part->place >= command->what;
}

/* A token ends. Other queues' marks may be of cycles that this one has behind it. */
static void count_token(struct commands_walk *walk, u32 mark, u64 cycle)
{
	struct session_tenant *tenant = walk->tenant;
	struct requests *requests = &tenant->requests[walk->lead];
	u64 end = max(cycle, requests->counted);

	times_add(mark == TRACE_MARK_TOKEN ? &tenant->tokens : &tenant->first_tokens,
		  end - requests->counted);
	requests->counted = end;
}

static void pass_mark(struct commands_walk *walk, u32 mark, u64 cycle)
{
	if (mark == TRACE_MARK_LATENCY) {
		walk->marks++;
		walk->marked = cycle;
	} else if (mark != TRACE_MARK_REQUEST && walk->tenant) {
		count_token(walk, mark, cycle);
	}
}

/* The next command of a part begins. Return: whether the part goes on at once. */
static bool begin_command(struct commands_walk *walk, u32 queue)
{
	struct launch_part *part = &walk->part[queue];
	const struct trace_command *command = commands_present(walk->trace, part);

	switch (command->kind) {
	case TRACE_COMMAND_KERNEL:
		part->state = PART_KERNEL;
		walk->begun |= 1U << queue;
		return false;
	case TRACE_COMMAND_DELAY:
		part->state = PART_RESTS;
		part->until = part->ended + gpu_cycles_of_ns(walk->core_mhz, command->amount);
		return part->until <= walk->now;
	case TRACE_COMMAND_WAIT:
		part->state = PART_WAITS;
		return is_recorded(walk, command);
	case TRACE_COMMAND_MARK:
		pass_mark(walk, command->what, part->ended);
		commands_done(walk->trace, part, queue, part->ended);
		return true;
	case TRACE_COMMAND_RECORD:
	case TRACE_COMMAND_STEP:
		commands_done(walk->trace, part, queue, part->ended);
		return true;
	default:
		part->state = PART_COPIES;
		walk->begun |= 1U << queue;
		return false;
	}
}

/* One step of a part. Return: whether there is another one now. */
static bool step(struct commands_walk *walk, u32 queue)
{
	struct launch_part *part = &walk->part[queue];

	switch (part->state) {
	case PART_GOES:
		return begin_command(walk, queue);
	case PART_WAITS:
		if (!is_recorded(walk, commands_present(walk->trace, part)))
			return false;
		commands_done(walk->trace, part, queue, walk->now);
		return true;
	case PART_RESTS:
		if (part->until > walk->now)
			return false;
		commands_done(walk->trace, part, queue, part->until);
		return true;
	case PART_PAUSES:
		if (part->until > walk->now)
			return false;
		part->state = PART_GOES;
		return true;
	default:
		return false;
	}
}

/* A part goes as far as it can now. Return: whether it moved. */
static bool go(struct commands_walk *walk, u32 queue)
{
	struct launch_part *part = &walk->part[queue];
	u32 before = part->place, steps = 0;

	while (step(walk, queue)) {
		if (++steps < COMMANDS_AT_ONCE || part->state != PART_GOES)
			continue;
		part->state = PART_PAUSES;
		part->until = walk->now + 1;
	}
	return part->place != before;
}

/*
 * commands_go() - let all parts go as far as they can now
 *
 * Each RECORD stands before its WAITs in the section, so this ends.
 *
 * Return: whether the run is over.
 */
bool commands_go(struct commands_walk *walk)
{
	bool over = true, moved;
	u32 queues;

	do {
		moved = false;
		for (queues = walk->trace->queues; queues; queues &= queues - 1)
			moved |= go(walk, (u32)__builtin_ctz(queues));
	} while (moved);
	for (queues = walk->trace->queues; queues; queues &= queues - 1)
		over &= walk->part[__builtin_ctz(queues)].state == PART_OVER;
	return over;
}

/* commands_end() - the cycle in which the last command of a run ended */
u64 commands_end(const struct commands_walk *walk)
{
	u32 queues;
	u64 end = 0;

	for (queues = walk->trace->queues; queues; queues &= queues - 1)
		end = max(end, walk->part[__builtin_ctz(queues)].ended);
	return end;
}

/* commands_have_kernel() - whether some part has a kernel */
bool commands_have_kernel(const struct commands_walk *walk)
{
	u32 queues;

	for (queues = walk->trace->queues; queues; queues &= queues - 1)
		if (walk->part[__builtin_ctz(queues)].state == PART_KERNEL)
			return true;
	return false;
}

/* Index of the kernel at a place; TRACE_NO_COMMAND: there is no such place */
static u32 kernel_at(const struct trace *trace, u32 place)
{
	return place == TRACE_NO_COMMAND ? TRACE_NO_COMMAND : trace->commands[place].what;
}

/*
 * commands_next_kernel() - the kernel that a part comes to behind its present one in this run;
 *	TRACE_NO_COMMAND: none
 */
u32 commands_next_kernel(const struct trace *trace, const struct launch_part *part)
{
	const struct trace_command *command = commands_present(trace, part);

	return part->left > 1 ? command->what : kernel_at(trace, command->next_kernel);
}

/*
 * commands_first_kernel() - the first kernel of a queue in a run that does a request, or
 *	TRACE_NO_COMMAND
 */
u32 commands_first_kernel(const struct trace *trace, u32 queue, u64 request)
{
	u32 first = first_place(trace, queue, request);

	if (first == trace->queue_first[queue + 1])
		return TRACE_NO_COMMAND;
	if (trace->commands[first].kind == TRACE_COMMAND_KERNEL)
		return trace->commands[first].what;
	return kernel_at(trace, trace->commands[first].next_kernel);
}

/* commands_rest_blocks() - thread blocks of what a part does behind its present kernel */
u64 commands_rest_blocks(const struct trace *trace, const struct launch_part *part)
{
	const struct trace_command *command = commands_present(trace, part);

	return command->rest_blocks + (command->kind != TRACE_COMMAND_KERNEL ? 0 :
	       (u64)trace->kernels[command->what].blocks * (part->left - 1));
}

/* commands_run_blocks() - thread blocks of a queue in a run that does a request */
u64 commands_run_blocks(const struct trace *trace, u32 queue, u64 request)
{
	u32 first = first_place(trace, queue, request);
	const struct trace_command *command = &trace->commands[first];

	if (first == trace->queue_first[queue + 1])
		return 0;
	return command->rest_blocks + (command->kind != TRACE_COMMAND_KERNEL ? 0 :
	       trace_command_blocks(trace, command));
}

/* commands_copies_ready() - queues of a tenant with a copy that waits for the policy, a bit each */
u32 commands_copies_ready(const struct session_tenant *tenant)
{
	u32 ready = 0, mask;

	for (mask = tenant->between; mask; mask &= mask - 1)
		if (tenant->part[__builtin_ctz(mask)].state == PART_COPY_READY)
			ready |= mask & -mask;
	return ready;
}

/* commands_any() - whether a launch with commands is at the head of any queue */
bool commands_any(const struct session *session)
{
	u32 slot, mask;

	for (slot = 0; slot < SESSION_SLOTS_MAX; slot++) {
		const struct session_tenant *tenant = &session->tenants[slot];

		for (mask = tenant->pending; mask; mask &= mask - 1)
			if (present_launch(&tenant->queue[__builtin_ctz(mask)])
			    ->trace->command_count)
				return true;
	}
	return false;
}

/* commands_hash() - add the parts of a tenant's launches to a hash, where it has any */
u64 commands_hash(const struct session_tenant *tenant, u64 hash)
{
	u32 i;

	for (i = 0; i < SESSION_QUEUES_MAX; i++) {
		const struct queue *queue = &tenant->queue[i];

		if (queue->launches && present_launch(queue)->trace->command_count)
			hash = hash_bytes(hash, &tenant->part[i], sizeof(tenant->part[i]));
	}
	return hash;
}
