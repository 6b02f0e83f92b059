/* SPDX-License-Identifier: GPL-2.0 */
/* A device's journal, run again offline. */
#ifndef OFFLINE_REPLAY_H
#define OFFLINE_REPLAY_H

#include "offline.h"

/**
 * offline_replay() - repeat a journalled run up to its end
 * @journal: parsed, without lost events
 * @traces: the traces that its launches name, in any order
 * @count: number of traces
 * @given: where policies and models that it changes to are looked up, and the constants
 *	that it names
 * @threads: as in &struct offline_experiment
 * @observer: is called with the progress
 * @result: filled in; the caller compares its state_hash with the journal's. Reports of
 *	slots whose tenant has left are the tenant's last ones
 * @failed: set to the index of the event that could not be repeated
 *
 * Return: 0; -ENOENT if a trace is missing, -ENODATA if constants are; -EINVAL if an event
 * cannot be repeated; another negative errno.
 */
int offline_replay(const struct offline_journal *journal,
		   const struct trace *const *traces, u32 count,
		   const struct session_replay *given, u32 threads,
		   const struct offline_observer *observer,
		   struct offline_result *result, u32 *failed);

#endif /* OFFLINE_REPLAY_H */
