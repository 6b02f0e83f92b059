/* SPDX-License-Identifier: GPL-2.0 */
/* How long a plug-in may take for an answer, and that a signal ends it. */
#ifndef OFFLINE_LIMIT_H
#define OFFLINE_LIMIT_H

#include "../../kmod/session/session.h"

/**
 * limit_decide() - ask a policy, one second of the processor at most
 * @stop: whether the run is to stop; asked in a signal handler. NULL: never
 *
 * Only plug-ins are held to it: what is built in ends. A policy that was cut off has
 * left @state and @proposal as they were at that moment.
 *
 * Return: what it returned; -ETIMEDOUT if it took longer, -ECANCELED if the run is to
 * stop; -EAGAIN or -ENOMEM if there is no timer.
 */
int limit_decide(bool (*stop)(void), const struct simgpu_policy *policy,
		 const struct simgpu_snapshot *snapshot, void *state,
		 struct simgpu_proposal *proposal);
/* The same of a model. */
int limit_predict(bool (*stop)(void), const struct simgpu_model *model,
		  const struct simgpu_snapshot *snapshot, const void *constants,
		  void *state, struct simgpu_prediction *prediction);
/* The same of a memory policy that is not built in. */
int limit_place(bool (*stop)(void), const struct simgpu_memory_policy *policy,
		const struct simgpu_place *place, void *state,
		struct simgpu_placement *placement);
int limit_rank(bool (*stop)(void), const struct simgpu_memory_policy *policy, u32 event,
	       const struct simgpu_chunk *chunk, void *state, u64 *rank);

#endif /* OFFLINE_LIMIT_H */
