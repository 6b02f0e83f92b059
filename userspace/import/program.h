/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What a profiled program did, as kernels, each once, and the commands of a trace
 * (docs/trace-format.md, Commands).
 */
#ifndef IMPORT_PROGRAM_H
#define IMPORT_PROGRAM_H

#include <linux/simgpu_trace.h>

#include "activities.h"

/* Queues of a tenant, among which streams are divided */
#define PROGRAM_QUEUES		8
#define PROGRAM_COMMANDS_MAX	(1U << 20)
/* Numbers of events; beyond them numbers are used again. */
#define PROGRAM_EVENTS		(1U << 16)
/* Most bytes of a copy; and the longest delay, in nanoseconds: 18 minutes */
#define PROGRAM_AMOUNT_MAX	(1ULL << 40)
#define PROGRAM_KINDS		(SIMGPU_TRACE_COMMAND_MARK + 1)

/**
 * struct program_kernel - a kernel that differs from all others in name, grid, block,
 *	registers or shared memory
 * @activity: its first launch
 * @launches: how often it was launched
 * @median_ns: median of its recorded times
 * @total_ns: their sum
 */
struct program_kernel {
	const struct activity *activity;
	uint64_t launches;
	uint64_t median_ns;
	uint64_t total_ns;
};

/**
 * struct program - a program
 * @kernels: kernels in the order in which the host launched them first
 * @kernel_count: number of them
 * @commands: commands in the order of the host; of a kernel's, @what is the index in @kernels
 * @command_count: number of them
 * @command_room: elements that @commands has room for
 * @done: by kind of command: how often it is done
 * @streams: streams with activities of the GPU
 * @queues: queues that these became
 * @copy_bytes_max: bytes of the largest copy
 * @copies_without_bytes: copies that were left out, since nothing says their size
 * @without_call: activities of the GPU whose launch the profile does not have; they have
 *	no delay before them
 * @silent_waits: waits that were left out, since nothing says what for
 * @host_ns: sum of all delays
 * @span_ns: from the first activity of the GPU to the end of the last one
 */
struct program {
	struct program_kernel *kernels;
	uint32_t kernel_count;
	struct simgpu_trace_command *commands;
	size_t command_count;
	size_t command_room;
	uint64_t done[PROGRAM_KINDS];
	uint32_t streams;
	uint32_t queues;
	uint64_t copy_bytes_max;
	uint64_t copies_without_bytes;
	uint64_t without_call;
	uint64_t silent_waits;
	uint64_t host_ns;
	uint64_t span_ns;
};

/**
 * program_make() - make kernels and commands of a profile
 * @activities: a profile that activities_check() finds good
 * @program: filled in; program_free() frees what it holds, after a failure, too
 *
 * Commands stand in the order of the host's calls. A queue waits
 *
 * - for an event that its stream waited for;
 * - for what the host waited for before it launched;
 * - for the host, by a delay, where all that came before had ended when the host began to
 *   launch: then the recorded gap counts.
 *
 * An iteration ends in the queue whose work of it ended last.
 *
 * Return: 0; -ENOMEM; -E2BIG if there are more commands than a trace can have.
 */
int program_make(const struct activities *activities, struct program *program);
void program_free(struct program *program);

/* Name of a kind of commands, such as "copy in". */
const char *program_command_name(uint32_t kind);

#endif /* IMPORT_PROGRAM_H */
