/* SPDX-License-Identifier: GPL-2.0 */
/* Functions that the files of userspace/offline share; no other file includes this. */
#ifndef OFFLINE_INTERNAL_H
#define OFFLINE_INTERNAL_H

#include <time.h>

#include "limit.h"
#include "offline.h"
#include "threads.h"
#include "watch.h"

/**
 * struct offline_home - a session, and what belongs to it here
 * @session: NULL while there is none
 * @observer: is called with the session's progress
 * @threads: threads that run its GPUs; NULL: the caller alone does
 * @watch: other models that watch; NULL: none
 * @model_is_slow: the model took too long, and the run ends with -ETIMEDOUT
 * @replaced: why even has taken the policy's place; of kind SESSION_REFUSED_NOTHING if it
 *	has not
 * @unpredicted: the last error that the model has returned, of the same kind if there is none
 * @running: kernels on the device, by slot and queue; without one, @kernel is NULL
 */
struct offline_home {
	struct session *session;
	const struct offline_observer *observer;
	struct threads *threads;
	struct watch *watch;
	bool model_is_slow;
	struct session_refusal replaced;
	struct session_refusal unpredicted;
	struct offline_kernel running[SESSION_SLOTS_MAX][SESSION_QUEUES_MAX];
};

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

/* Options of a run of one trace alone on all SMs, relaunched, for so many cycles. */
void offline_bench_options(const struct gpu_config *config, u64 cycles,
			   struct session_options *options);
/* Inserts a time into @count ascending ones, so that the median stands in the middle. */
void offline_insert_ns(u64 *wall_ns, u32 count, u64 value);

#endif /* OFFLINE_INTERNAL_H */
