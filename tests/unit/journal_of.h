/* SPDX-License-Identifier: GPL-2.0 */
/* The whole journal of a session, in a row. */
#ifndef TESTS_JOURNAL_OF_H
#define TESTS_JOURNAL_OF_H

#include "../../kmod/session/journal.h"

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

#endif /* TESTS_JOURNAL_OF_H */
