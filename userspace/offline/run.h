/* SPDX-License-Identifier: GPL-2.0 */
/* Sessions of this process, and runs of experiments. */
#ifndef OFFLINE_RUN_H
#define OFFLINE_RUN_H

#include "internal.h"

/**
 * offline_open() - make a session
 * @home: filled in; it stays where it is until offline_close()
 * @options: options of the session
 * @observer: must live as long as the session
 * @threads: number of threads that run it; 0: as 1
 *
 * Return: 0; or an errno of session_create() or threads_create(): then nothing is left.
 */
int offline_open(struct offline_home *home,
		 const struct session_options *options,
		 const struct offline_observer *observer, u32 threads);

/* Closes a session; may be called for one that could not be opened, too. */
void offline_close(struct offline_home *home);

/*
 * Runs until @cycle, or nothing is left to run, or the observer stops it, or the model
 * takes too long; true in the last two cases.
 */
bool offline_run_until(struct offline_home *home, u64 cycle);

/*
 * Why the figures of a run so far are not those of its policy and model: first what the
 * policy did, then what the session has refused last, then an error of the model.
 */
const struct session_refusal *offline_refusal(const struct offline_home *home);

/* Reports a slot's kernels that are on the device while its tenant leaves. */
void offline_tell_running(struct offline_home *home, u32 slot);

/* Reports the kernels that are on the device at the end of a run. */
void offline_tell_end(struct offline_home *home);

/* Counts the SMs that drain, by the slot that still holds them. */
void offline_count_draining(struct session *session,
			    u32 draining[SESSION_SLOTS_MAX]);
void offline_announce(const struct offline_observer *observer, u32 slot,
		      const struct session_tenant_options *options,
		      const struct trace *trace);

/**
 * offline_queues_order() - the order in which the launches have to be made
 * @queues: any
 * @order: filled in with queues, each behind those that it waits for, the lowest first
 *
 * Return: how many; fewer than there are if some wait for one another in a circle,
 * or for queues that do not exist.
 */
u32 offline_queues_order(const struct offline_queues *queues,
			 u8 order[SESSION_QUEUES_MAX]);

/**
 * offline_load_trace() - decode a trace file's bytes
 * @bytes: the file, 8-byte aligned; may be freed afterwards
 * @count: its size
 * @error: filled in if the trace is refused (-EINVAL, -E2BIG)
 * @out: set to the trace, which offline_free_trace() frees
 *
 * Return: 0, -EINVAL, -E2BIG or -ENOMEM.
 */
int offline_load_trace(const void *bytes, size_t count,
		       struct trace_error *error, struct trace **out);
void offline_free_trace(struct trace *trace);

/**
 * offline_run() - run an experiment to its stop cycle, or without one until
 *	all launches have ended
 * @experiment: the experiment
 * @observer: is called with its progress
 * @result: filled in
 *
 * Return: 0; a negative errno if the options are bad (-EINVAL), a thread block
 * does not fit on an SM (-E2BIG), no further thread can be started (-EAGAIN), or
 * memory ran out.
 */
int offline_run(const struct offline_experiment *experiment,
		const struct offline_observer *observer,
		struct offline_result *result);

/**
 * offline_run_one() - run a trace as the only tenant of a GPU
 * @options: options of the experiment
 * @tenant: the tenant
 * @threads: as in &struct offline_experiment
 * @observer: is called with its progress
 * @report: set to the tenant's report
 * @wall_ns: set to the host time that it took
 *
 * Return: see offline_run().
 */
int offline_run_one(const struct session_options *options,
		    const struct offline_tenant *tenant, u32 threads,
		    const struct offline_observer *observer,
		    struct session_tenant_report *report, u64 *wall_ns);

/**
 * offline_private_run() - how long a tenant takes alone
 * @experiment: the shared experiment
 * @slot: the tenant
 * @marks: in order of @instructions, such as the number that the
 *	tenant's first run executed in shared mode; the rest is filled in
 * @count: number of marks
 * @observer: its @progress gets the number of instructions so far; it may stop the run
 *
 * Private mode (docs/glossary.md, Actual NP): the same configuration and seed,
 * the tenant alone in its slot with all SMs, from device cycle 0. One run serves
 * all shared runs of the tenant in that slot, whatever their policy.
 *
 * The answers are exact: the first cycle at whose end the tenant has executed
 * @instructions or more. The clock is advanced by no more than the remaining
 * instructions divided by the GPU's peak rate, so it cannot pass that cycle;
 * near it the steps are single cycles. The last cycle may execute more than
 * the last mark asks for, at most one cycle's worth. If the mark's instructions are all
 * that the tenant has, the answer is the cycle at which its last kernel ends: the shared
 * first run, which executed as many, was measured up to that point, too.
 *
 * Return: 0; -ENODATA if its run has fewer instructions; -EINTR if it was stopped; another
 * negative errno, see offline_run().
 */
int offline_private_run(const struct offline_experiment *experiment, u32 slot,
			struct offline_mark *marks, u32 count,
			const struct offline_observer *observer);

/**
 * offline_alone_window() - figures of a tenant alone over a span of time
 * @options: options of the shared experiment
 * @slot: the tenant's slot
 * @tenant: its trace, which runs again and again, and queues; the rest is ignored
 * @cycles: the span, from device cycle 0
 * @threads: as in &struct offline_experiment
 * @observer: may stop the run
 * @figures: set to those of the whole span
 *
 * Return: 0, -EINTR if it was stopped, or a negative errno, see offline_run().
 */
int offline_alone_window(const struct session_options *options, u32 slot,
			 const struct offline_tenant *tenant, u64 cycles,
			 u32 threads, const struct offline_observer *observer,
			 struct session_figures *figures);

/**
 * offline_alone_cycles() - how long a request takes alone on the GPU
 * @options: options of the experiment
 * @trace: trace of the request
 * @launches: how often the trace runs
 * @threads: as in &struct offline_experiment
 * @observer: may stop the run
 * @cycles: set to the core cycles from its arrival to its end, of a trace with requests to
 *	the mean over these
 *
 * Return: 0, -EINTR if it was stopped, or a negative errno, see offline_run().
 */
int offline_alone_cycles(const struct session_options *options,
			 const struct trace *trace, u64 launches, u32 threads,
			 const struct offline_observer *observer, u64 *cycles);

/* Why an experiment could not be run, from a negative errno that a function here returned. */
const char *offline_error(int error);

/* Host time in nanoseconds, from an arbitrary start. */
u64 offline_wall_ns(void);

#endif /* OFFLINE_RUN_H */
