// SPDX-License-Identifier: GPL-2.0
/*
 * The validator of traces: commands. None can wait for ever: a WAIT is for a RECORD that
 * stands before it in the section, and each queue does its commands in the order of the
 * section.
 */
#include "trace_check.h"

#define COMMAND(code, field, reason) \
	ELEMENT(code, "commands", index, command, field, reason)

static int check_kernel(struct checker *c, u64 index)
{
	const struct simgpu_trace_command *command = &c->commands[index];

	if (command->what >= section_count(c->header, SIMGPU_TRACE_KERNELS))
		return COMMAND(-EINVAL, what, "is no kernel's index");
	if (command->amount)
		return COMMAND(-EINVAL, amount, "is not zero");
	return 0;
}

static int check_copy(struct checker *c, u64 index)
{
	const struct simgpu_trace_command *command = &c->commands[index];

	if (command->what >= section_count(c->header, SIMGPU_TRACE_ALLOCATIONS))
		return COMMAND(-EINVAL, what, "is no allocation's index");
	if (c->allocations[command->what].kind != SIMGPU_TRACE_DEVICE)
		return COMMAND(-EINVAL, what, "is that of a MANAGED allocation");
	if (!command->amount)
		return COMMAND(-EINVAL, amount, "is zero");
	if (command->amount > SIMGPU_TRACE_COPY_BYTES_MAX)
		return COMMAND(-E2BIG, amount, "is more than 2^40 bytes");
	return 0;
}

static int check_event(struct checker *c, u64 index)
{
	const struct simgpu_trace_command *command = &c->commands[index];

	if (command->what >= SIMGPU_TRACE_EVENTS_MAX)
		return COMMAND(-E2BIG, what, "is not below 2^16");
	if (command->amount)
		return COMMAND(-EINVAL, amount, "is not zero");
	if (command->repeat != 1)
		return COMMAND(-EINVAL, repeat, "is not 1");
	return 0;
}

static int check_delay(struct checker *c, u64 index)
{
	const struct simgpu_trace_command *command = &c->commands[index];

	if (command->what)
		return COMMAND(-EINVAL, what, "is not zero");
	if (!command->amount)
		return COMMAND(-EINVAL, amount, "is zero");
	if (command->amount > SIMGPU_TRACE_DELAY_NS_MAX)
		return COMMAND(-E2BIG, amount, "is more than 2^40 nanoseconds");
	return 0;
}

static int check_mark(struct checker *c, u64 index)
{
	const struct simgpu_trace_command *command = &c->commands[index];

	if (command->what > SIMGPU_TRACE_MARK_REQUEST)
		return COMMAND(-EINVAL, what, "is no kind of mark");
	return check_event(c, index);
}

static int check_kind(struct checker *c, u64 index)
{
	const struct simgpu_trace_command *command = &c->commands[index];

	switch (command->kind) {
	case SIMGPU_TRACE_COMMAND_KERNEL:
		return check_kernel(c, index);
	case SIMGPU_TRACE_COMMAND_COPY_IN:
	case SIMGPU_TRACE_COMMAND_COPY_OUT:
	case SIMGPU_TRACE_COMMAND_COPY:
	case SIMGPU_TRACE_COMMAND_SET:
		return check_copy(c, index);
	case SIMGPU_TRACE_COMMAND_RECORD:
	case SIMGPU_TRACE_COMMAND_WAIT:
		return check_event(c, index);
	case SIMGPU_TRACE_COMMAND_DELAY:
		return check_delay(c, index);
	case SIMGPU_TRACE_COMMAND_MARK:
		return check_mark(c, index);
	default:
		return COMMAND(-EINVAL, kind, "is unknown");
	}
}

static bool takes_time(const struct simgpu_trace_command *command)
{
	return command->kind != SIMGPU_TRACE_COMMAND_RECORD &&
	       command->kind != SIMGPU_TRACE_COMMAND_WAIT &&
	       command->kind != SIMGPU_TRACE_COMMAND_MARK;
}

static bool ends_request(const struct simgpu_trace_command *command)
{
	return command->kind == SIMGPU_TRACE_COMMAND_MARK &&
	       command->what == SIMGPU_TRACE_MARK_REQUEST;
}

/*
 * struct commands_seen - what the commands so far add up to
 * @repeats: of all of them
 * @requests: that have ended
 * @first_elsewhere: index of the first command of a queue behind the first one, from 1 on; 0: none
 * @time: whether one takes time, of the present request
 */
struct commands_seen {
	u64 repeats;
	u64 requests;
	u64 first_elsewhere;
	bool time;
};

static int check_command(struct checker *c, u64 index, struct commands_seen *seen)
{
	const struct simgpu_trace_command *command = &c->commands[index];

	if (look(c))
		return -EINTR;
	if (command->queue >= SIMGPU_TRACE_QUEUES_MAX)
		return COMMAND(-EINVAL, queue, "is not below 8");
	if (command->reserved)
		return COMMAND(-EINVAL, reserved, "is not zero");
	if (!command->repeat)
		return COMMAND(-EINVAL, repeat, "is zero");
	seen->repeats += command->repeat;
	if (seen->repeats > SIMGPU_TRACE_REPEATS_MAX)
		return COMMAND(-E2BIG, repeat, "makes the sum of all more than 2^32");
	return check_kind(c, index);
}

/* A command that was checked. Repeats of what takes no time would never let time go on. */
static int add_command(struct checker *c, u64 index, struct commands_seen *seen)
{
	const struct simgpu_trace_command *command = &c->commands[index];

	if (command->queue && !seen->first_elsewhere)
		seen->first_elsewhere = index + 1;
	seen->time |= takes_time(command);
	if (!ends_request(command))
		return 0;
	if (!seen->time)
		return COMMAND(-EINVAL, what, "ends a request without time");
	seen->time = false;
	seen->requests++;
	return 0;
}

/* Requests follow one another in one queue, and nothing stands behind them. */
static int check_requests(struct checker *c, u64 count, const struct commands_seen *seen)
{
	u64 index = seen->first_elsewhere ? seen->first_elsewhere - 1 : count - 1;
	const struct simgpu_trace_command *command = &c->commands[index];

	if (command->queue)
		return COMMAND(-EINVAL, queue, "is not 0, as requests need");
	if (!ends_request(command))
		return COMMAND(-EINVAL, kind, "stands behind the last request");
	return 0;
}

int check_commands(struct checker *c)
{
	u64 count = section_count(c->header, SIMGPU_TRACE_COMMANDS), index;
	struct commands_seen seen = { 0 };
	int ret = 0;

	for (index = 0; !ret && index < count; index++) {
		ret = check_command(c, index, &seen);
		ret = ret ? ret : add_command(c, index, &seen);
	}
	if (ret || !count)
		return ret;
	if (seen.requests)
		return check_requests(c, count, &seen);
	if (!seen.time)
		return refuse_rest(c, SIMGPU_TRACE_COMMANDS,
				   "is not zero, yet no command takes time");
	return 0;
}
