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

/* Of a STEP or REQUEST */
static int check_tokens(struct checker *c, u64 index)
{
	const struct simgpu_trace_command *command = &c->commands[index];

	if (!command->amount)
		return COMMAND(-EINVAL, amount, "is zero");
	if (command->amount > SIMGPU_TRACE_CONTEXT_MAX)
		return COMMAND(-E2BIG, amount, "is more than 2^20 tokens");
	if (command->repeat != 1)
		return COMMAND(-EINVAL, repeat, "is not 1");
	return 0;
}

static int check_step(struct checker *c, u64 index)
{
	const struct simgpu_trace_command *command = &c->commands[index];

	if (command->what > SIMGPU_TRACE_BATCH_MAX)
		return COMMAND(-E2BIG, what, "is more than 64 requests");
	return check_tokens(c, index);
}

static int check_request(struct checker *c, u64 index)
{
	const struct simgpu_trace_command *command = &c->commands[index];

	if (!command->what)
		return COMMAND(-EINVAL, what, "is zero");
	if (command->what > SIMGPU_TRACE_CONTEXT_MAX)
		return COMMAND(-E2BIG, what, "is more than 2^20 tokens");
	return check_tokens(c, index);
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
	case SIMGPU_TRACE_COMMAND_STEP:
		return check_step(c, index);
	case SIMGPU_TRACE_COMMAND_REQUEST:
		return check_request(c, index);
	default:
		return COMMAND(-EINVAL, kind, "is unknown");
	}
}

static bool takes_time(const struct simgpu_trace_command *command)
{
	return command->kind <= SIMGPU_TRACE_COMMAND_SET ||
	       command->kind == SIMGPU_TRACE_COMMAND_DELAY;
}

static bool ends_request(const struct simgpu_trace_command *command)
{
	return command->kind == SIMGPU_TRACE_COMMAND_MARK &&
	       command->what == SIMGPU_TRACE_MARK_REQUEST;
}

static bool is_step(const struct simgpu_trace_command *command)
{
	return command->kind == SIMGPU_TRACE_COMMAND_STEP;
}

static bool is_listed(const struct simgpu_trace_command *command)
{
	return command->kind == SIMGPU_TRACE_COMMAND_REQUEST;
}

/*
 * struct commands_seen - what the commands so far add up to
 * @repeats: of all of them
 * @requests: that have ended
 * @prefills: STEPs that are one
 * @decodes: the others
 * @first_elsewhere: index of the first command of a queue behind the first one, from 1 on; 0: none
 * @first_mark: index of the first MARK, from 1 on; 0: none
 * @time: whether one takes time, of the present request or step
 */
struct commands_seen {
	u64 repeats;
	u64 requests;
	u64 prefills;
	u64 decodes;
	u64 first_elsewhere;
	u64 first_mark;
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

/* A STEP that was checked */
static int add_step(struct checker *c, u64 index, struct commands_seen *seen)
{
	const struct simgpu_trace_command *command = &c->commands[index];

	if (command->what)
		seen->decodes++;
	else
		seen->prefills++;
	if (seen->decodes + seen->prefills > SIMGPU_TRACE_STEPS_MAX)
		return COMMAND(-E2BIG, kind, "is one STEP more than 1024");
	return 0;
}

/* REQUESTs stand behind the last STEP, and nothing else does. */
static int check_place(struct checker *c, u64 index)
{
	const struct simgpu_trace_command *command = &c->commands[index];
	const struct simgpu_trace_command *before = index ? command - 1 : NULL;

	if (is_listed(command) && !(before && (is_step(before) || is_listed(before))))
		return COMMAND(-EINVAL, kind, "is a REQUEST that follows no STEP");
	if (!is_listed(command) && before && is_listed(before))
		return COMMAND(-EINVAL, kind, "stands behind a REQUEST");
	return 0;
}

/* A command that was checked. Repeats of what takes no time would never let time go on. */
static int add_command(struct checker *c, u64 index, struct commands_seen *seen)
{
	const struct simgpu_trace_command *command = &c->commands[index];
	int ret = check_place(c, index);

	if (command->queue && !seen->first_elsewhere)
		seen->first_elsewhere = index + 1;
	if (command->kind == SIMGPU_TRACE_COMMAND_MARK && !seen->first_mark)
		seen->first_mark = index + 1;
	seen->time |= takes_time(command);
	if (ret || (!ends_request(command) && !is_step(command)))
		return ret;
	if (!seen->time)
		return COMMAND(-EINVAL, what, is_step(command) ? "ends a step without time" :
			       "ends a request without time");
	seen->time = false;
	seen->requests += ends_request(command);
	return is_step(command) ? add_step(c, index, seen) : 0;
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

/* So do steps; the service that batches needs some of both kinds, and counts tokens itself. */
static int check_steps(struct checker *c, u64 count, const struct commands_seen *seen)
{
	u64 index = seen->first_elsewhere ? seen->first_elsewhere - 1 :
		    seen->first_mark ? seen->first_mark - 1 : count - 1;
	const struct simgpu_trace_command *command = &c->commands[index];

	if (command->queue)
		return COMMAND(-EINVAL, queue, "is not 0, as steps need");
	if (seen->first_mark)
		return COMMAND(-EINVAL, kind, "is a MARK, which goes without STEPs");
	if (!is_listed(command))
		return COMMAND(-EINVAL, kind, "is no REQUEST, with which STEPs end");
	if (!seen->prefills || !seen->decodes)
		return refuse_rest(c, SIMGPU_TRACE_COMMANDS,
				   "is not zero, yet no STEP is a prefill, or all are");
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
	if (seen.prefills || seen.decodes)
		return check_steps(c, count, &seen);
	if (seen.requests)
		return check_requests(c, count, &seen);
	if (!seen.time)
		return refuse_rest(c, SIMGPU_TRACE_COMMANDS,
				   "is not zero, yet no command takes time");
	return 0;
}
