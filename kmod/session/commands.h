/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Launches of traces with commands. Such a launch takes a part of itself into each queue that
 * its commands name: into the queue of the launch, its lead, and those behind it. It begins
 * when it is at the head of all of them, and leaves them together.
 */
#ifndef SESSION_COMMANDS_H
#define SESSION_COMMANDS_H

#include "internal.h"

/* Commands without time that a part does in a row; then it goes on in the next cycle. */
#define COMMANDS_AT_ONCE	4096

/**
 * enum part_state - what a part of a launch does
 * @PART_OVER: it has done its commands of this run; or there is no launch
 * @PART_GOES: its next command begins
 * @PART_KERNEL: a kernel is ready, is being launched or runs
 * @PART_COPIES: a copy is under way
 * @PART_WAITS: for an event
 * @PART_RESTS: for a cycle: the end of a delay
 * @PART_PAUSES: for the next cycle, to go on with the same command
 * @PART_COPY_READY: a copy could begin, and waits for the policy since @until
 */
enum part_state {
	PART_OVER,
	PART_GOES,
	PART_KERNEL,
	PART_COPIES,
	PART_WAITS,
	PART_RESTS,
	PART_PAUSES,
	PART_COPY_READY,
};

/* struct commands_walk - how the parts of a run go on
 * @trace: the trace
 * @part: of the lead and the queues behind it
 * @now: device cycle
 * @core_mhz: of the device
 * @begun: queues in which a command began that others carry out, a kernel or a copy; counted
 *	from the lead, a bit each
 * @request: number of the request, or step, that a run does which begins, modulo those of the
 *	trace
 * @marks: marks of latencies that were passed
 * @marked: device cycle of the last one of them
 * @tenant: whose times of tokens are counted; NULL: nobody's
 * @lead: the queue of the launch, for these
 */
struct commands_walk {
	const struct trace *trace;
	struct launch_part *part;
	u64 now;
	u32 core_mhz;
	u32 begun;
	u64 request;
	u32 marks;
	u64 marked;
	struct session_tenant *tenant;
	u32 lead;
};

void commands_begin(struct commands_walk *walk);
void commands_done(const struct trace *trace, struct launch_part *part, u32 queue, u64 ended);
bool commands_go(struct commands_walk *walk);
u64 commands_end(const struct commands_walk *walk);
bool commands_have_kernel(const struct commands_walk *walk);
const struct trace_command *commands_present(const struct trace *trace,
					     const struct launch_part *part);
u32 commands_next_kernel(const struct trace *trace, const struct launch_part *part);
u32 commands_first_kernel(const struct trace *trace, u32 queue, u64 request);
u64 commands_rest_blocks(const struct trace *trace, const struct launch_part *part);
u64 commands_run_blocks(const struct trace *trace, u32 queue, u64 request);

u32 commands_copies_ready(const struct session_tenant *tenant);
bool commands_any(const struct session *session);
u64 commands_hash(const struct session_tenant *tenant, u64 hash);

/* Queues of a tenant that a launch takes, a bit each: its lead's, and those behind it. */
static inline u32 launch_queues_of(const struct launch *launch, u32 lead)
{
	return launch->trace->queues ? launch->trace->queues << lead : 1U << lead;
}

#endif /* SESSION_COMMANDS_H */
