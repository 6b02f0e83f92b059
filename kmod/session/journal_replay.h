/* SPDX-License-Identifier: GPL-2.0 */
/* How a journal is repeated, event by event. */
#ifndef SESSION_JOURNAL_REPLAY_H
#define SESSION_JOURNAL_REPLAY_H

#include "journal.h"

/**
 * struct session_replay - finds what a journal names but does not contain
 * @policy: finds a policy by its name; it returns NULL if there is none
 * @model: finds a model by its name; likewise
 * @memory_policy: finds a memory policy that is not built in; likewise. NULL: there are none
 * @constants: header and payload of a model's constants; NULL: there are none
 * @constants_bytes: size of @constants
 * @list: finds a list of arrivals by its length and checksum; NULL: there is none.
 *	It stays valid as long as the session
 * @lists: passed to it
 */
struct session_replay {
	const struct simgpu_policy *(*policy)(const char *name);
	const struct simgpu_model *(*model)(const char *name);
	const struct simgpu_memory_policy *(*memory_policy)(const char *name);
	const void *constants;
	u32 constants_bytes;
	const u64 *(*list)(const void *lists, u64 length, u32 checksum);
	const void *lists;
};

/**
 * session_replay_event() - apply a journalled event at its cycle
 * @session: the session
 * @event: the event
 * @trace: LAUNCH, ARRIVALS, COPY: the trace that the event names, or that is made of it
 * @given: POLICY, MODEL, MEMORY_PLUGIN, CONSTANTS: where they are
 *
 * Runs the session to event->cycle first.
 *
 * Return: what the call that the event stands for returns; -ENOENT for a list that is not
 * there; -ENODATA for other constants than the event names; -EINVAL
 * if the device's time stands still before the cycle.
 */
int session_replay_event(struct session *session,
			 const struct journal_event *event,
			 const struct trace *trace,
			 const struct session_replay *given);

#endif /* SESSION_JOURNAL_REPLAY_H */
