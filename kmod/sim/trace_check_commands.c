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

	if (command->what)
		return COMMAND(-EINVAL, what, "is not zero");
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

static int check_command(struct checker *c, u64 index, u64 *repeats)
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
	*repeats += command->repeat;
	if (*repeats > SIMGPU_TRACE_REPEATS_MAX)
		return COMMAND(-E2BIG, repeat, "makes the sum of all more than 2^32");
	return check_kind(c, index);
}

int check_commands(struct checker *c)
{
	u64 count = section_count(c->header, SIMGPU_TRACE_COMMANDS), repeats = 0, index;
	bool time = !count;
	int ret = 0;

	for (index = 0; !ret && index < count; index++) {
		ret = check_command(c, index, &repeats);
		time |= takes_time(&c->commands[index]);
	}
	/* Repeats of such a launch would never let the device's time go on. */
	if (!ret && !time)
		return refuse_rest(c, SIMGPU_TRACE_COMMANDS,
				   "is not zero, yet no command takes time");
	return ret;
}
