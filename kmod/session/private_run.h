/* SPDX-License-Identifier: GPL-2.0 */
/* A tenant alone on a GPU of its own, as the model oracle needs it. */
#ifndef SESSION_PRIVATE_RUN_H
#define SESSION_PRIVATE_RUN_H

#include "session.h"

struct ended;

/**
 * session_private_bytes() - memory of the private run of a tenant
 * @options: options of the session
 *
 * Return: bytes; 0 if neither the model nor the policy needs private runs.
 */
size_t session_private_bytes(const struct session_options *options);

/**
 * session_private_make() - make a private run, without a session
 * @options: options of the session for which it is made
 *
 * session_join() can make a run itself, which takes long. A caller that must not take long
 * there makes it before, for session_join_with().
 *
 * Return: the run, which session_private_free() frees; NULL without memory.
 */
struct private_run *session_private_make(const struct session_options *options);

/* Size of a private run, as session_private_bytes() counts it. */
size_t session_private_size(const struct private_run *run);

/**
 * session_private_free() - free a private run, whether it was taken over or not
 * @run: the run, or NULL
 */
void session_private_free(struct private_run *run);

/* For kmod/session alone. */
int private_run_join(struct session *session, u32 slot,
		     struct private_run *made);
void private_run_leave(struct session *session, u32 slot);
void private_run_start(struct session *session, u32 slot, u32 queue,
		       const struct trace *trace, u32 kernel);
void private_run_drop(struct session *session, u32 slot, u32 queues);
void private_run_follow(struct session *session, const struct ended *ended);
u64 private_run_cycles(const struct session *session, u32 slot);
void private_run_epoch_begin(struct session *session, u32 slot);

#endif /* SESSION_PRIVATE_RUN_H */
