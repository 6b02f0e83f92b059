// SPDX-License-Identifier: GPL-2.0
/* Parsing the text of a whole journal; kmod/session/journal.h parses a line. */
#include "journal.h"
#include "offline.h"

/**
 * struct reader - the journal that has been read so far
 * @room: entries for which journal->events has room
 */
struct reader {
	struct offline_journal *journal;
	struct offline_journal_error *error;
	u64 cycle;
	u32 room;
	bool ended;
};

static int refuse(struct reader *reader, const char *reason)
{
	snprintf(reader->error->reason, sizeof(reader->error->reason), "%s",
		 reason);
	return -EINVAL;
}

static int add_event(struct reader *reader, const struct journal_event *event)
{
	struct offline_journal *journal = reader->journal;

	if (journal->count == reader->room) {
		u32 room = reader->room ? reader->room * 2 : 64;
		struct journal_event *events =
			realloc(journal->events, room * sizeof(*events));

		if (!events)
			return -ENOMEM;
		journal->events = events;
		reader->room = room;
	}
	journal->events[journal->count++] = *event;
	return 0;
}

static int take_line(struct reader *reader, const struct journal_line *line)
{
	struct offline_journal *journal = reader->journal;

	switch (line->kind) {
	case JOURNAL_LINE_START:
		journal->options = line->start;
		journal->constants_checksum = line->constants_checksum;
		return 0;
	case JOURNAL_LINE_EVENT:
		return add_event(reader, &line->event);
	case JOURNAL_LINE_LOST:
		journal->lost = line->lost;
		return 0;
	default:
		reader->ended = true;
		journal->end_cycle = line->cycle;
		journal->state_hash = line->state_hash;
		return 0;
	}
}

static int read_line(struct reader *reader, const char **text,
		     const struct journal_names *names)
{
	struct offline_journal_error *error = reader->error;
	bool first = error->line == 1;
	struct journal_line line;
	int ret;

	if (reader->ended)
		return refuse(reader, "the journal goes on after its end");
	ret = journal_parse_line(text, names, &line, error->reason,
				 sizeof(error->reason));
	if (ret)
		return ret;
	if (first != (line.kind == JOURNAL_LINE_START) ||
	    (first && line.cycle))
		return refuse(reader, "a journal begins with \"0 start\"");
	if (line.cycle < reader->cycle)
		return refuse(reader, "the cycle lies before the last line's");
	reader->cycle = line.cycle;
	return take_line(reader, &line);
}

int offline_parse_journal(const char *text, const struct journal_names *names,
			  struct offline_journal *out,
			  struct offline_journal_error *error)
{
	struct reader reader = { .journal = out, .error = error };
	int ret = 0;

	memset(out, 0, sizeof(*out));
	memset(error, 0, sizeof(*error));
	while (!ret && *text) {
		error->line++;
		ret = read_line(&reader, &text, names);
	}
	if (!ret && !reader.ended)
		ret = refuse(&reader, "the journal has no \"end\": it is cut off");
	if (ret)
		offline_free_journal(out);
	return ret;
}

void offline_free_journal(struct offline_journal *journal)
{
	free(journal->events);
	journal->events = NULL;
	journal->count = 0;
}

const struct journal_names offline_names = {
	.config = gpu_config_find,
	.policy = registry_policy_find,
	.model = registry_model_find,
};
