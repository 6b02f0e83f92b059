/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Independent runs on all cores: a number of jobs, threads that each take the next
 * job, and one line of progress for all of them.
 */
#ifndef SIMGPU_JOBS_H
#define SIMGPU_JOBS_H

#include "command.h"

struct jobs;

/**
 * jobs_run() - run some jobs, several at a time
 * @what: name of the work in the line of progress
 * @count: number of jobs
 * @workers: most jobs at a time, at least 1; the calling thread runs jobs, too
 * @run: runs the job with an index below @count; jobs begin in the order of their
 *	indices
 * @context: passed to @run
 * @total: sum of all jobs' progress
 *
 * Once the command was interrupted no further job begins.
 */
void jobs_run(const char *what, u32 count, u64 workers,
	      void (*run)(struct jobs *jobs, u32 index, void *context),
	      void *context, u64 total);

/* Adds to the progress; may be called by any job. */
void jobs_progress(struct jobs *jobs, u64 more);

/** struct jobs_watch - the progress of one job's run so far */
struct jobs_watch {
	struct jobs *jobs;
	u64 done;
};

/* An observer's progress(); @context is a struct jobs_watch. */
void jobs_follow(void *context, u64 done);
/* What was wrong with a run of @name alone. Returns STATUS_FAILED. */
int fail_alone(const char *name, int error);

/* Between these two, one job at a time, for what jobs share. */
void jobs_lock(struct jobs *jobs);
void jobs_unlock(struct jobs *jobs);

/* Cores that there are. */
u64 jobs_workers_default(void);

#endif /* SIMGPU_JOBS_H */
