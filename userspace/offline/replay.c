// SPDX-License-Identifier: GPL-2.0
/* Repeating a journalled run; journal.c parses the text. */
#include "internal.h"
#include "replay.h"
#include "run.h"

/* Whether an event names a trace, and which. */
static bool names_trace(const struct journal_event *event, u32 *checksum,
			u64 *bytes)
{
	switch (event->kind) {
	case JOURNAL_LAUNCH:
		*checksum = event->launch.checksum;
		*bytes = event->launch.trace_bytes;
		return true;
	case JOURNAL_COPY:
		*checksum = event->copy.checksum;
		*bytes = event->copy.trace_bytes;
		return true;
	case JOURNAL_ARRIVALS:
		*checksum = event->arrivals.checksum;
		*bytes = event->arrivals.trace_bytes;
		return true;
	default:
		return false;
	}
}

static const struct trace *find_trace(const struct journal_event *event,
				      const struct trace *const *traces,
				      u32 count)
{
	u64 bytes = 0;
	u32 checksum = 0, i;

	if (!names_trace(event, &checksum, &bytes))
		return NULL;
	for (i = 0; i < count; i++)
		if (traces[i]->checksum == checksum &&
		    traces[i]->bytes == bytes)
			return traces[i];
	return NULL;
}

/* The trace that a tenant launches first, from the events after its join. */
static const struct trace *first_trace(const struct offline_journal *journal,
				       u32 join,
				       const struct trace *const *traces,
				       u32 count)
{
	u32 slot = journal->events[join].slot, i;

	for (i = join + 1; i < journal->count; i++) {
		const struct journal_event *event = &journal->events[i];

		if (event->slot != slot)
			continue;
		if (event->kind == JOURNAL_LAUNCH ||
		    event->kind == JOURNAL_ARRIVALS)
			return find_trace(event, traces, count);
		if (event->kind == JOURNAL_LEAVE)
			break;
	}
	return NULL;
}

/**
 * struct replay - a run that is being repeated
 * @left: slots whose tenant has left; their reports are already in @result
 * @copies: traces of the different copies so far
 * @copy_count: number of these
 */
struct replay {
	const struct offline_journal *journal;
	const struct trace *const *traces;
	u32 count;
	const struct session_replay *given;
	const struct offline_observer *observer;
	struct offline_result *result;
	struct offline_home home;
	u64 left;
	struct trace **copies;
	u32 copy_count;
};

/* A tenant's last figures are those before it leaves, as in the driver. */
static void note_leaving(struct replay *replay, u32 slot)
{
	struct session_tenant_report *report = &replay->result->reports[slot];

	session_tenant_report(replay->home.session, slot, report);
	replay->left |= 1ULL << slot;
	offline_tell_running(&replay->home, slot);
	if (replay->observer->left)
		replay->observer->left(replay->observer->context, slot, report);
}

/* Make the trace of a copy, which no file has, and keep it. */
static int make_copy(struct replay *replay, const struct trace_copy *copy)
{
	u64 encoded[TRACE_COPY_BYTES / sizeof(u64)];
	struct trace_error error;
	struct trace **more;
	int ret = trace_copy_check(copy);

	if (ret)
		return ret;
	more = realloc(replay->copies, (replay->copy_count + 1) * sizeof(*more));
	if (!more)
		return -ENOMEM;
	replay->copies = more;
	trace_make_copy(copy, encoded);
	ret = offline_load_trace(encoded, sizeof(encoded), &error, &more[replay->copy_count]);
	if (!ret)
		replay->copy_count++;
	return ret;
}

/* Find the trace of a copy, which is the same for copies that are alike, or make it. */
static int trace_of_copy(struct replay *replay, const struct journal_event *event,
			 const struct trace **trace)
{
	int ret;

	*trace = find_trace(event, (const struct trace *const *)replay->copies,
			    replay->copy_count);
	if (*trace)
		return 0;
	ret = make_copy(replay, &event->copy.is);
	if (!ret)
		*trace = replay->copies[replay->copy_count - 1];
	return ret;
}

static void free_copies(struct replay *replay)
{
	while (replay->copy_count)
		offline_free_trace(replay->copies[--replay->copy_count]);
	free(replay->copies);
}

static int replay_event(struct replay *replay, u32 index)
{
	const struct journal_event *event = &replay->journal->events[index];
	const struct trace *trace = NULL;
	int ret;

	if (offline_run_until(&replay->home, event->cycle)) {
		replay->result->stopped = true;
		return 0;
	}
	if (event->kind == JOURNAL_LAUNCH || event->kind == JOURNAL_ARRIVALS) {
		trace = find_trace(event, replay->traces, replay->count);
		if (!trace)
			return -ENOENT;
	}
	if (event->kind == JOURNAL_COPY) {
		ret = trace_of_copy(replay, event, &trace);
		if (ret)
			return ret;
	}
	if (event->kind == JOURNAL_LEAVE)
		note_leaving(replay, event->slot);
	ret = session_replay_event(replay->home.session, event, trace,
				   replay->given);
	if (!ret && event->kind == JOURNAL_JOIN) {
		replay->left &= ~(1ULL << event->slot);
		offline_announce(replay->observer, event->slot, &event->tenant,
				 first_trace(replay->journal, index,
					     replay->traces, replay->count));
	}
	return ret;
}

static void finish(struct replay *replay)
{
	struct offline_result *result = replay->result;
	u32 slot;

	if (!result->stopped)
		result->stopped = offline_run_until(&replay->home,
						    replay->journal->end_cycle);
	offline_tell_end(&replay->home);
	offline_count_draining(replay->home.session, result->draining);
	result->cycle = session_now(replay->home.session);
	result->state_hash = session_state_hash(replay->home.session);
	session_sampling(replay->home.session, &result->sampling);
	session_memory_report(replay->home.session, &result->memory);
	session_failure_times(replay->home.session, &result->failures);
	session_power_so_far(replay->home.session, &result->power);
	result->refusal = *offline_refusal(&replay->home);
	for (slot = 0; slot < SESSION_SLOTS_MAX; slot++)
		if (!(replay->left & (1ULL << slot)))
			session_tenant_report(replay->home.session, slot,
					      &result->reports[slot]);
}

/* Set the constants that the journal began with, from those that were given. */
static int start_constants(const struct offline_journal *journal,
			   const struct session_replay *given,
			   struct session_options *options)
{
	if (!journal->constants_checksum)
		return 0;
	if (!given->constants ||
	    port_crc32(0, given->constants, given->constants_bytes) !=
	    journal->constants_checksum)
		return -ENODATA;
	options->constants = given->constants;
	options->constants_bytes = given->constants_bytes;
	return 0;
}

int offline_replay(const struct offline_journal *journal,
		   const struct trace *const *traces, u32 count,
		   const struct session_replay *given, u32 threads,
		   const struct offline_observer *observer,
		   struct offline_result *result, u32 *failed)
{
	struct replay replay = {
		.journal = journal,
		.traces = traces,
		.count = count,
		.given = given,
		.observer = observer,
		.result = result,
	};
	struct session_options options = journal->options;
	u64 start_ns = offline_wall_ns();
	u32 i;
	int ret;

	memset(result, 0, sizeof(*result));
	ret = start_constants(journal, given, &options);
	if (!ret)
		ret = offline_open(&replay.home, &options, observer, threads);
	for (i = 0; !ret && !result->stopped && i < journal->count; i++) {
		*failed = i;
		ret = replay_event(&replay, i);
	}
	if (!ret)
		finish(&replay);
	if (!ret && replay.home.model_is_slow)
		ret = -ETIMEDOUT;
	result->wall_ns = offline_wall_ns() - start_ns;
	offline_close(&replay.home);
	free_copies(&replay);
	return ret;
}
