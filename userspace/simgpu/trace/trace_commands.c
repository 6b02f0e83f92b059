// SPDX-License-Identifier: GPL-2.0
/* The commands of a trace, for people; see trace_commands.h. */
#include "../../import/program.h"
#include "../json.h"
#include "../output.h"
#include "../table.h"
#include "trace_commands.h"
#include "trace_view.h"

#define KINDS	(SIMGPU_TRACE_COMMAND_REQUEST + 1)

/* struct sum - the commands of a kind that a queue has */
struct sum {
	u64 count;
	u64 repeats;
	u64 amount;
};

/* What an amount is counted in */
static const char *unit_of(u32 kind)
{
	if (kind == SIMGPU_TRACE_COMMAND_DELAY)
		return "ns";
	if (kind == SIMGPU_TRACE_COMMAND_STEP)
		return "tokens of context";
	if (kind == SIMGPU_TRACE_COMMAND_REQUEST)
		return "tokens generated";
	return kind >= SIMGPU_TRACE_COMMAND_COPY_IN && kind <= SIMGPU_TRACE_COMMAND_SET ?
	       "bytes" : "";
}

static void add_up(const struct view *view, struct sum sums[SIMGPU_TRACE_QUEUES_MAX][KINDS])
{
	u64 i;

	memset(sums, 0, SIMGPU_TRACE_QUEUES_MAX * sizeof(sums[0]));
	for (i = 0; i < section_count(view, SIMGPU_TRACE_COMMANDS); i++) {
		const struct simgpu_trace_command *command = &view->commands[i];
		struct sum *sum = &sums[command->queue][command->kind];

		sum->count++;
		sum->repeats += command->repeat;
		/* 2^32 repeats of 2^40 bytes, or nanoseconds, do not fit. */
		sum->amount = fixed_add(sum->amount,
					fixed_mul(command->amount, command->repeat));
	}
}

struct json_object *commands_json(const struct view *view)
{
	struct sum sums[SIMGPU_TRACE_QUEUES_MAX][KINDS];
	struct json_object *array = json_object_new_array();
	u32 queue, kind;

	add_up(view, sums);
	for (queue = 0; queue < SIMGPU_TRACE_QUEUES_MAX; queue++) {
		for (kind = 0; kind < KINDS; kind++) {
			const struct sum *sum = &sums[queue][kind];
			struct json_object *object;

			if (!sum->count)
				continue;
			object = json_object_new_object();
			json_set(object, "queue", json_u64(queue));
			json_set_string(object, "kind", program_command_name(kind));
			json_set(object, "count", json_u64(sum->count));
			json_set(object, "repeats", json_u64(sum->repeats));
			json_set(object, "amount", json_u64(sum->amount));
			json_object_array_add(array, object);
		}
	}
	return array;
}

void commands_print(const struct view *view)
{
	struct table *table = table_new(">QUEUE|COMMANDS|>COUNT|>REPEATS|>AMOUNT|UNIT");
	struct sum sums[SIMGPU_TRACE_QUEUES_MAX][KINDS];
	u32 queue, kind;

	add_up(view, sums);
	for (queue = 0; queue < SIMGPU_TRACE_QUEUES_MAX; queue++) {
		for (kind = 0; kind < KINDS; kind++) {
			const struct sum *sum = &sums[queue][kind];

			if (sum->count)
				table_row(table, "%u|%s|%llu|%llu|%llu|%s", queue,
					  program_command_name(kind), sum->count, sum->repeats,
					  sum->amount, unit_of(kind));
		}
	}
	putchar('\n');
	table_print(table);
}

/* What a mark ends, behind the word; an iteration goes without saying. */
static const char *const mark_names[] = {
	[SIMGPU_TRACE_MARK_LATENCY] = "",
	[SIMGPU_TRACE_MARK_FIRST_TOKEN] = "  first token",
	[SIMGPU_TRACE_MARK_TOKEN] = "  token",
	[SIMGPU_TRACE_MARK_REQUEST] = "  request",
};

static void dump_one(const struct view *view, u64 index)
{
	const struct simgpu_trace_command *command = &view->commands[index];

	printf("%6llu  queue %u  %-*s", index, command->queue,
	       command->kind == SIMGPU_TRACE_COMMAND_MARK ? 0 : 8,
	       program_command_name(command->kind));
	switch (command->kind) {
	case SIMGPU_TRACE_COMMAND_KERNEL:
		print_escaped(stdout, "  %u \"%s\"", command->what,
			      view->kernels[command->what].name);
		break;
	case SIMGPU_TRACE_COMMAND_RECORD:
	case SIMGPU_TRACE_COMMAND_WAIT:
		printf("  event %u", command->what);
		break;
	case SIMGPU_TRACE_COMMAND_DELAY:
		printf("  %llu ns", command->amount);
		break;
	case SIMGPU_TRACE_COMMAND_MARK:
		printf("%s", mark_names[command->what]);
		break;
	case SIMGPU_TRACE_COMMAND_STEP:
		if (command->what)
			printf("  decode of %u with %llu tokens of context", command->what,
			       command->amount);
		else
			printf("  prefill of %llu tokens", command->amount);
		break;
	case SIMGPU_TRACE_COMMAND_REQUEST:
		printf("  %u tokens of context, %llu generated", command->what, command->amount);
		break;
	default:
		print_escaped(stdout, "  %llu bytes, allocation %u \"%s\"", command->amount,
			      command->what, view->allocations[command->what].name);
	}
	if (command->repeat > 1)
		printf(", %u times", command->repeat);
	putchar('\n');
}

void commands_dump(const struct view *view)
{
	u64 i;

	for (i = 0; i < section_count(view, SIMGPU_TRACE_COMMANDS); i++)
		dump_one(view, i);
}
