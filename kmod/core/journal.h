/* SPDX-License-Identifier: GPL-2.0 */
/* Journals as text, both ways, a line at a time; the format: docs/journal.md. */
#ifndef CORE_JOURNAL_H
#define CORE_JOURNAL_H

#include "session.h"

/* Bytes that a line needs at most, its newline and a NUL among them. */
#define JOURNAL_LINE_BYTES	2048

enum journal_line_kind {
	JOURNAL_LINE_START,
	JOURNAL_LINE_EVENT,
	JOURNAL_LINE_LOST,
	JOURNAL_LINE_END,
};

/**
 * struct journal_line - what a line says
 * @kind: &enum journal_line_kind
 * @cycle: that it begins with
 * @start: START: the options of the cold start
 * @constants_checksum: START: of the model's constants, header and payload; 0:
 *	it had none
 * @event: EVENT
 * @lost: LOST: events that found no room
 * @state_hash: END: fingerprint of the device
 */
struct journal_line {
	enum journal_line_kind kind;
	u64 cycle;
	struct session_options start;
	u32 constants_checksum;
	struct journal_event event;
	u64 lost;
	u64 state_hash;
};

/**
 * struct journal_names - where a reader finds what a journal names; NULL is
 *	returned for what is not there
 * @config: a configuration
 * @policy: a policy
 * @model: a model
 */
struct journal_names {
	const struct gpu_config *(*config)(const char *name);
	const struct simgpu_policy *(*policy)(const char *name);
	const struct simgpu_model *(*model)(const char *name);
};

/* How a journal writes the forms of goals, by &enum session_goal. */
extern const char *const journal_goals[SESSION_GOALS];

/*
 * Each prints one line into JOURNAL_LINE_BYTES, and returns its length without the
 * NUL.
 */
size_t journal_print_start(char *text, const struct session_options *start,
			   u32 constants_checksum);
size_t journal_print_event(char *text, const struct journal_event *event);
size_t journal_print_lost(char *text, u64 cycle, u64 lost);
size_t journal_print_end(char *text, u64 cycle, u64 state_hash);

/**
 * journal_parse_line() - read one line
 * @text: at its start; set to what follows its newline
 * @names: where to look
 * @out: what it says
 * @reason: a sentence, if it is refused
 * @room: bytes there
 *
 * A policy or model of the same name that is another one (built in here and a
 * plug-in there, or of another source) is refused.
 *
 * Return: 0 or -EINVAL.
 */
int journal_parse_line(const char **text, const struct journal_names *names,
		       struct journal_line *out, char *reason, size_t room);

#endif /* CORE_JOURNAL_H */
