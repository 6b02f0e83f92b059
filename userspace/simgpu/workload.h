/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Workload arguments: NAME[:key=value,...], where NAME is a built-in workload or a trace
 * file; and reading their traces.
 */
#ifndef SIMGPU_WORKLOAD_H
#define SIMGPU_WORKLOAD_H

#include <linux/simgpu_trace.h>

#include "arrivals.h"
#include "command.h"
#include "masks.h"
#include "queues.h"

/**
 * struct workload - the workload of one tenant
 * @path: the trace's file, or the built-in workload's name
 * @name: name of the tenant; the trace's own unless the argument says otherwise
 * @weight: 1 to 1000
 * @target_ppm: NP of a QoS tenant, or 0
 * @share_ppm: part of the SMs that it asks for, or 0
 * @p99_cycles: cycles that 99 of 100 of its launches are to stay within, or 0
 * @size_ppm: part of its data that a built-in workload has; of a file SIMGPU_PPM
 * @kernel: name of the kernel of a built-in workload that is launched alone; empty: all are
 * @goal_ppm: goal as a part of what it reaches alone, or 0; workload_options()
 *	leaves this to callers that know what it reaches alone
 * @goal_ipc_ppm: goal in thread instructions a cycle, or 0
 * @arrivals: requests that come by themselves, if there are keys for them
 * @queues: queues in which its trace is launched
 * @masks: masks of the tenant
 * @managed: all of its memory is managed: pages come when they are accessed
 * @parts: names of the allocations of its trace that are managed besides those that the trace
 *	has so, with '+' between them; NULL: none
 * @paged: memory of it is managed, by @managed or by its trace
 * @prefetch: it asks for all of its pages at cycle 0
 * @advice: &enum simgpu_memory_advice, for all of its managed memory
 * @memory: limits of its managed memory
 * @bytes: contents of the trace file
 * @count: their size
 * @trace: the decoded trace; NULL until workload_decode()
 */
struct workload {
	char *path;
	char name[SIMGPU_NAME_MAX];
	char kernel[SIMGPU_TRACE_NAME_BYTES];
	u32 weight;
	u64 target_ppm;
	u64 share_ppm;
	u64 p99_cycles;
	u64 size_ppm;
	u64 goal_ppm;
	u64 goal_ipc_ppm;
	struct arrivals_words arrivals;
	struct offline_queues queues;
	struct session_masks masks;
	u64 start_cycle;
	bool managed;
	bool paged;
	bool prefetch;
	u32 advice;
	struct session_memory_limits memory;
	char *parts;
	void *bytes;
	size_t count;
	struct trace *trace;
};

/**
 * workload_read() - parse a workload argument and read its trace
 * @argument: NAME[:key=value,...], keys weight, target, share, goal, ipc, name, size, kernel,
 *	start, managed, prefetch, advise, memory_min, memory_low, memory_max and those of arrivals.h, queues.h and masks.h
 * @config: the GPU that it is for, as for read_trace()
 * @out: filled in; workload_free() frees what it holds
 *
 * Managed memory is refused where @config has no memory for it (managed_mb).
 *
 * The contents of the trace are not checked here: a device, or workload_decode(),
 * does that.
 *
 * Return: an exit status; a message has been printed on failure.
 */
int workload_read(const char *argument, const struct gpu_config *config,
		  struct workload *out);

/* workload_read() for an argument without keys. */
int workload_open(const char *path, const struct gpu_config *config,
		  struct workload *out);

/*
 * Check the trace and decode it, and check that @config, unless it is NULL, has what it
 * needs; an exit status.
 */
int workload_decode(struct workload *workload, const struct gpu_config *config);

void workload_free(struct workload *workload);

/* A whole file in 8-byte aligned memory, NUL-terminated; NULL with errno set. */
void *read_file(const char *path, size_t *count);

/* A value of --size: the size for the cards of STM. */
#define WORKLOAD_CARD_SIZE	U64_MAX

/**
 * read_trace() - a trace's bytes
 * @name: name of a built-in workload, in either case, else of a file
 * @config: the GPU that it is for, or NULL. On a GPU of the STM paper, a built-in workload
 *	of the cards' size has its profile
 * @size_ppm: part of its data that it should have, or WORKLOAD_CARD_SIZE; 0: the cards'
 *	size on the GPUs of the STM paper if it has one, elsewhere all
 * @kernel: name of the kernel of a built-in workload that is launched alone; NULL: all are
 * @count: set to their number
 *
 * Return: memory that the caller frees; NULL: a message has been printed.
 */
void *read_trace(const char *name, const struct gpu_config *config, u64 size_ppm,
		 const char *kernel, size_t *count);

/* Writes a whole file; an exit status; a message has been printed on failure. */
int write_file(const char *path, const void *bytes, size_t count);

/* The value of --name, if a trace's header can hold it. */
const char *option_trace_name(struct argp_state *state, const char *text);

/* Prints why a trace was refused. */
void explain_refusal(const char *path, u64 offset, const char *field,
		     const char *reason);

void workload_options(const struct workload *workload,
		      struct session_tenant_options *out);

/**
 * workload_advice() - what a word for advice on managed memory stands for
 * @word: device or host
 * @advice: set to &enum simgpu_memory_advice
 *
 * Return: 0, or -EINVAL for another word.
 */
int workload_advice(const char *word, u32 *advice);

#endif /* SIMGPU_WORKLOAD_H */
