// SPDX-License-Identifier: GPL-2.0
/* The journal: every external event with the device cycle at which it took effect. */
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
	       kind == JOURNAL_LEAVE || kind == JOURNAL_MASKS || kind == JOURNAL_PREFETCH ||
	       kind == JOURNAL_TIMEOUT || kind == JOURNAL_HINT || kind == JOURNAL_ADVISE ||
	       kind == JOURNAL_COPY;
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
 * journal_tenant() - a tenant has changed its options
 *
 * If nothing has used the options that it set last, their event gets the new options: the
 * old ones had no effect.
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

/* journal_fallback() - note session->refusal, for which a policy was just replaced */
void journal_fallback(struct session *session)
{
	struct journal_event *event = journal_add(session, JOURNAL_FALLBACK, 0);

	event->fallback.kind = session->refusal.kind;
	event->fallback.code = session->refusal.code;
	event->fallback.slot = session->refusal.slot;
	event->fallback.sm = session->refusal.sm;
	memcpy(event->fallback.field, session->refusal.field,
	       sizeof(event->fallback.field));
	memcpy(event->fallback.reason, session->refusal.reason,
	       sizeof(event->fallback.reason) - 1);
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
