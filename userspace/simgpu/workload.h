/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Workload arguments: NAME[:key=value,...], a built-in workload or a trace file,
 * and the traces that they name.
 */
#ifndef SIMGPU_WORKLOAD_H
#define SIMGPU_WORKLOAD_H

#include "arrivals.h"
#include "command.h"
#include "masks.h"
#include "queues.h"

/**
 * struct workload - what one tenant runs
 * @path: the trace's file, or the built-in workload's name
 * @name: of the tenant; the trace's own unless the argument says otherwise
 * @weight: 1 to 1000
 * @target_ppm: NP of a QoS tenant, or 0
 * @share_ppm: part of the SMs that it asks for, or 0
 * @size_ppm: part of its data that a built-in workload has; of a file SIMGPU_PPM
 * @goal_ppm: goal as a part of what it reaches alone, or 0; workload_options()
 *	leaves it to who knows that
 * @goal_ipc_ppm: goal in thread instructions a cycle, or 0
 * @arrivals: requests that come by themselves, if something was said of them
 * @queues: that its trace is launched in
 * @masks: what it keeps to
 * @bytes: the file
 * @count: its size
 * @trace: NULL until workload_decode()
 */
struct workload {
	char *path;
	char name[SIMGPU_NAME_MAX];
	u32 weight;
	u64 target_ppm;
	u64 share_ppm;
	u64 size_ppm;
	u64 goal_ppm;
	u64 goal_ipc_ppm;
	struct arrivals_words arrivals;
	struct offline_queues queues;
	struct session_masks masks;
	u64 start_cycle;
	void *bytes;
	size_t count;
	struct trace *trace;
};

/**
 * workload_read() - parse a workload argument and read its trace
 * @argument: NAME[:key=value,...], keys weight, target, share, goal, ipc, name, size, start
 *	and those of arrivals.h, queues.h and masks.h
 * @config: the GPU that it is for, as read_trace() takes it
 * @out: filled in; workload_free() frees what it holds
 *
 * What is in the trace is not checked here: a device, or workload_decode(),
 * does that.
 *
 * Return: an exit status; what was wrong has been said.
 */
int workload_read(const char *argument, const struct gpu_config *config,
		  struct workload *out);

/* The same without keys. */
int workload_open(const char *path, const struct gpu_config *config,
		  struct workload *out);

/* Check the trace and make it runnable in this process; an exit status. */
int workload_decode(struct workload *workload);

void workload_free(struct workload *workload);

/* Whole file in 8-byte aligned memory, NUL-terminated; NULL with errno set. */
void *read_file(const char *path, size_t *count);

/* Of --size: the size for the cards of STM. */
#define WORKLOAD_CARD_SIZE	U64_MAX

/**
 * read_trace() - a trace's bytes
 * @name: of a built-in workload, in letters of either case, else of a file
 * @config: the GPU that it is for, or NULL. A built-in workload that has the cards' size
 *	for a GPU of the STM paper has its profile there
 * @size_ppm: part of its data that it shall have, or WORKLOAD_CARD_SIZE; 0: that size
 *	on the GPUs of the STM paper where it has one, elsewhere all
 * @count: set to their number
 *
 * Return: memory for free(); NULL if there is none, which has been said.
 */
void *read_trace(const char *name, const struct gpu_config *config, u64 size_ppm,
		 size_t *count);

/* Write a whole file; an exit status, and what was wrong has been said. */
int write_file(const char *path, const void *bytes, size_t count);

/* The value of --name, as a trace's header can hold it. */
const char *option_trace_name(struct argp_state *state, const char *text);

/* Say why a trace was refused. */
void explain_refusal(const char *path, u64 offset, const char *field,
		     const char *reason);

void workload_options(const struct workload *workload,
		      struct session_tenant_options *out);

#endif /* SIMGPU_WORKLOAD_H */
