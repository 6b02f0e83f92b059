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
 * @running: kernels on the device, by slot and queue; without one, @kernel is NULL
 */
struct offline_home {
	struct session *session;
	const struct offline_observer *observer;
	struct threads *threads;
	struct watch *watch;
	bool model_is_slow;
	struct session_refusal replaced;
	struct offline_kernel running[SESSION_SLOTS_MAX][SESSION_QUEUES_MAX];
};

#endif /* OFFLINE_INTERNAL_H */
