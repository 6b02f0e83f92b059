// SPDX-License-Identifier: GPL-2.0
/*
 * The journal: every external event with the device cycle at which it took
 * effect, and its replay.
 */
#include "internal.h"
#include "journal.h"

struct journal_chunk *journal_chunk_alloc(void)
{
	struct journal_chunk *chunk = port_alloc(JOURNAL_CHUNK_BYTES);

	if (chunk)
		chunk->room = JOURNAL_CHUNK_EVENTS;
	return chunk;
}

/* journal_init() - room for each owner's share, and for a chunk of others' events */
int journal_init(struct session *session)
{
	struct journal *journal = &session->journal;
	u32 room = JOURNAL_OWNERS * SESSION_JOURNAL_SHARE + JOURNAL_CHUNK_EVENTS;

	journal->first = port_alloc(sizeof(*journal->first) +
				    room * sizeof(journal->first->events[0]));
	if (!journal->first)
		return -ENOMEM;
	journal->first->room = room;
	journal->last = journal->first;
	journal->room = room;
	journal->kept = JOURNAL_OWNERS * SESSION_JOURNAL_SHARE;
	return 0;
}

void journal_free(struct session *session)
{
	struct journal_chunk *chunk = session->journal.first, *next;

	for (; chunk; chunk = next) {
		next = chunk->next;
		port_free(chunk);
	}
}

static bool is_of_a_tenant(enum journal_kind kind)
{
	return kind == JOURNAL_JOIN || kind == JOURNAL_TENANT ||
	       kind == JOURNAL_LAUNCH || kind == JOURNAL_QUEUE || kind == JOURNAL_ARRIVALS ||
	       kind == JOURNAL_LEAVE || kind == JOURNAL_MASKS;
}

/* Another chunk, of whoever causes the event. */
static bool grow(struct session *session)
{
	struct journal *journal = &session->journal;
	struct journal_chunk *chunk, *last = journal->last;

	chunk = session->hooks.journal_chunk ?
		session->hooks.journal_chunk(session->hooks.context) :
		journal_chunk_alloc();
	if (!chunk)
		return false;
	while (last->next)
		last = last->next;
	last->next = chunk;
	journal->room += chunk->room;
	return true;
}

/* Room that is for everybody, or that may be added; then the owner's share. */
static bool take_room(struct session *session, enum journal_kind kind, u32 slot)
{
	struct journal *journal = &session->journal;
	u32 owner = is_of_a_tenant(kind) ? slot : SESSION_SLOTS_MAX;

	if (journal->room - journal->count > journal->kept || grow(session))
		return true;
	if (journal->shares[owner] == SESSION_JOURNAL_SHARE)
		return false;
	journal->shares[owner]++;
	journal->kept--;
	return true;
}

static struct journal_event *next_event(struct journal *journal)
{
	if (journal->last->count == journal->last->room)
		journal->last = journal->last->next;
	journal->count++;
	return &journal->last->events[journal->last->count++];
}

/*
 * journal_add() - note an event now
 *
 * Return: the event, to be filled in; never NULL: what finds no room is counted
 * as lost, and its event is none of the journal.
 */
struct journal_event *journal_add(struct session *session,
				  enum journal_kind kind, u32 slot)
{
	struct journal *journal = &session->journal;
	struct journal_event *event = &journal->spill;

	if (take_room(session, kind, slot))
		event = next_event(journal);
	else
		journal->lost++;
	memset(event, 0, sizeof(*event));
	event->cycle = session_now(session);
	event->kind = kind;
	event->slot = slot;
	return event;
}

/*
 * journal_tenant() - a tenant has changed what it says of itself
 *
 * If nobody has seen what it said last, that is as if it had never been: its
 * event says the new words.
 */
void journal_tenant(struct session *session, u32 slot,
		    const struct session_tenant_options *options)
{
	struct session_tenant *tenant = &session->tenants[slot];
	struct journal_event *event = tenant->unseen;

	if (!event) {
		event = journal_add(session, JOURNAL_TENANT, slot);
		if (event != &session->journal.spill)
			tenant->unseen = event;
	}
	event->tenant = *options;
}

/* journal_name() - which policy or model an event is about */
void journal_name(struct journal_event *event, const char *name, u32 source,
		  u32 checksum)
{
	snprintf(event->name, sizeof(event->name), "%s", name);
	event->source = source;
	event->checksum = checksum;
}

u32 session_journal_count(const struct session *session, u64 *lost)
{
	*lost = session->journal.lost;
	return session->journal.count;
}

u32 session_journal_room(const struct session *session)
{
	return session->journal.room;
}

u32 session_journal_read(const struct session *session, u32 first,
			 struct journal_event *events, u32 most)
{
	const struct journal_chunk *chunk = session->journal.first;
	u32 count = 0, i;

	for (; chunk && count < most; chunk = chunk->next) {
		for (i = first; i < chunk->count && count < most; i++)
			events[count++] = chunk->events[i];
		first -= min(first, chunk->count);
	}
	return count;
}

static int replay_launch(struct session *session,
			 const struct journal_event *event,
			 const struct trace *trace)
{
	struct session_launch_options options = {
		.trace = trace,
		.repeats = event->launch.repeats,
		.not_before = event->launch.not_before,
		.deadline = event->launch.deadline,
		.queue = event->launch.queue,
		.more = event->launch.more,
		.idempotent = event->launch.idempotent,
	};
	u64 sequence;
	int ret;

	if (!trace || trace->checksum != event->launch.checksum ||
	    trace->bytes != event->launch.trace_bytes)
		return -EINVAL;
	memcpy(options.wait, event->launch.wait, sizeof(options.wait));
	memcpy(options.sms, event->launch.sms, sizeof(options.sms));
	ret = session_launch_with(session, event->slot, &options, &sequence);
	if (!ret && sequence != event->launch.sequence)
		return -EINVAL;
	return ret;
}

static int replay_arrivals(struct session *session,
			   const struct journal_event *event,
			   const struct trace *trace,
			   const struct session_replay *given)
{
	struct arrivals_plan plan = event->arrivals.plan;
	u64 sequence;
	int ret;

	if (!trace || trace->checksum != event->arrivals.checksum ||
	    trace->bytes != event->arrivals.trace_bytes)
		return -EINVAL;
	if (plan.kind == ARRIVALS_LIST) {
		plan.list = given->list ?
			    given->list(given->lists, plan.requests,
					event->arrivals.list_checksum) : NULL;
		if (!plan.list)
			return -ENOENT;
	}
	ret = session_arrivals(session, event->slot, trace, &plan, &sequence);
	if (!ret && sequence != event->arrivals.sequence)
		return -EINVAL;
	return ret;
}

bool journal_is_same(struct journal_source said, struct journal_source here)
{
	if (said.checksum != here.checksum)
		return false;
	return said.source == here.source ||
	       (said.checksum && said.source != SIMGPU_SOURCE_BUILT_IN &&
		here.source != SIMGPU_SOURCE_BUILT_IN);
}

struct journal_source journal_source_of(const struct journal_event *event)
{
	return (struct journal_source) { event->source, event->checksum };
}

static int replay_policy(struct session *session,
			 const struct journal_event *event,
			 const struct session_replay *given)
{
	const struct simgpu_policy *policy = given->policy(event->name);

	if (!policy ||
	    !journal_is_same(journal_source_of(event), (struct journal_source) {
			policy->source, policy->checksum }))
		return -EINVAL;
	session_set_policy(session, policy);
	return 0;
}

static int replay_model(struct session *session,
			const struct journal_event *event,
			const struct session_replay *given)
{
	const struct simgpu_model *model = given->model(event->name);

	if (!model ||
	    !journal_is_same(journal_source_of(event), (struct journal_source) {
			model->source, model->checksum }))
		return -EINVAL;
	session_set_model(session, model);
	return 0;
}

static int replay_constants(struct session *session,
			    const struct journal_event *event,
			    const struct session_replay *given)
{
	if (!given->constants ||
	    given->constants_bytes != event->constants.bytes ||
	    port_crc32(0, given->constants, given->constants_bytes) !=
	    event->constants.checksum)
		return -ENODATA;
	return session_set_constants(session, given->constants,
				     given->constants_bytes);
}

int session_replay_event(struct session *session,
			 const struct journal_event *event,
			 const struct trace *trace,
			 const struct session_replay *given)
{
	u64 now = session_now(session);
	int ret;

	if (event->cycle < now)
		return -EINVAL;
	if (event->cycle > now) {
		session_run(session, event->cycle - now);
		if (session_now(session) != event->cycle)
			return -EINVAL;
	}
	switch (event->kind) {
	case JOURNAL_JOIN:
		ret = session_join(session, event->slot, &event->tenant);
		return ret < 0 ? ret : 0;
	case JOURNAL_TENANT:
		return session_set_tenant(session, event->slot, &event->tenant);
	case JOURNAL_LAUNCH:
		return replay_launch(session, event, trace);
	case JOURNAL_QUEUE:
		return session_set_queue(session, event->slot,
					 event->queue.number,
					 event->queue.priority);
	case JOURNAL_MASKS:
		return session_set_masks(session, event->slot, &event->masks);
	case JOURNAL_ARRIVALS:
		return replay_arrivals(session, event, trace, given);
	case JOURNAL_LEAVE:
		session_leave(session, event->slot);
		return 0;
	case JOURNAL_POLICY:
		return replay_policy(session, event, given);
	case JOURNAL_MODEL:
		return replay_model(session, event, given);
	case JOURNAL_CONSTANTS:
		return replay_constants(session, event, given);
	case JOURNAL_MODEL_PARAM:
		return session_set_param(session, SESSION_MODEL_KNOBS,
					 event->name, event->value);
	case JOURNAL_POLICY_PARAM:
		return session_set_param(session, SESSION_POLICY_KNOBS,
					 event->name, event->value);
	case JOURNAL_EPOCH_CYCLES:
		return session_set_epoch_cycles(session, event->epoch_cycles);
	case JOURNAL_FALLBACK:
		return 0;
	default:
		return -EINVAL;
	}
}
