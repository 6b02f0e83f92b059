/* SPDX-License-Identifier: GPL-2.0 */
/* The whole journal of a session, in a row; and a session that repeats it. */
#ifndef TESTS_JOURNAL_OF_H
#define TESTS_JOURNAL_OF_H

#include "../../kmod/policy/registry.h"
#include "../../kmod/session/journal.h"
#include "../../kmod/session/journal_replay.h"

/* Valid until it is called again. */
static inline const struct journal_event *journal_of(const struct session *session,
						     u32 *count, u64 *lost)
{
	static struct journal_event *events;

	*count = session_journal_count(session, lost);
	free(events);
	events = calloc(*count + 1, sizeof(*events));
	assert_int_equal(session_journal_read(session, 0, events, *count + 1), *count);
	return events;
}

/* How many of its events the journal has lost. */
static inline u64 journal_lost(const struct session *session)
{
	u64 lost;

	session_journal_count(session, &lost);
	return lost;
}

/* The trace that an event names, of some; NULL: it names none of them. */
static inline const struct trace *trace_of_event(const struct journal_event *event,
						 const struct trace *const *traces, u32 count)
{
	u32 checksum, i;

	if (event->kind == JOURNAL_LAUNCH)
		checksum = event->launch.checksum;
	else if (event->kind == JOURNAL_COPY)
		checksum = event->copy.checksum;
	else if (event->kind == JOURNAL_ARRIVALS)
		checksum = event->arrivals.checksum;
	else
		return NULL;
	for (i = 0; i < count; i++)
		if (traces[i]->checksum == checksum)
			return traces[i];
	return NULL;
}

/* Repeat a session in a new one, as far as it has come, with built-in policies. */
static inline void replay_journal(const struct session *from, struct session *to,
				  const struct trace *const *traces, u32 trace_count)
{
	static const struct session_replay built_in = {
		.policy = registry_policy_find, .model = registry_model_find,
	};
	const struct journal_event *events;
	u32 count, i;
	u64 lost;

	events = journal_of(from, &count, &lost);
	assert_int_equal(lost, 0);
	for (i = 0; i < count; i++)
		assert_int_equal(session_replay_event(to, &events[i],
						      trace_of_event(&events[i], traces,
								     trace_count),
						      &built_in), 0);
	if (session_now(from) > session_now(to))
		session_run(to, session_now(from) - session_now(to));
}

#endif /* TESTS_JOURNAL_OF_H */
