/* SPDX-License-Identifier: GPL-2.0 */
/* What the lines of a journal say of each kind of event, for printing and for reading. */
#ifndef SESSION_JOURNAL_LINES_H
#define SESSION_JOURNAL_LINES_H

#include "journal.h"
#include "settings.h"

/* How a journal writes these, by their numbers. */
extern const char *const journal_goals[SESSION_GOALS];
extern const char *const journal_sources[SIMGPU_SOURCES];
extern const char *const journal_arrivals[ARRIVALS_KINDS];

enum journal_form {
	JOURNAL_DECIMAL,
	JOURNAL_SIGNED,		/* -most to most */
	JOURNAL_HEX,		/* 0x, and all digits of its width */
	JOURNAL_WORD,		/* one of words[least..most] */
	JOURNAL_STRING,		/* in quotes */
};

enum journal_when {
	JOURNAL_ALWAYS,
	JOURNAL_UNLESS_0,
	JOURNAL_WITH_LAST,	/* if the line has the field before this one */
	JOURNAL_UNLESS_NOWHERE,	/* unless it is SESSION_NOWHERE */
};

/**
 * struct journal_field - a "key=value" of a line
 * @key: the key
 * @offset: of the value in &struct journal_event, or in the struct of a setting
 * @bytes: of the value; of a STRING, with its NUL
 * @form: &enum journal_form
 * @when: &enum journal_when
 * @for_people: printed, but not read: a replay comes to it by itself
 * @least: the least value
 * @most: the greatest value
 * @words: WORD: by value
 */
struct journal_field {
	const char *key;
	u32 offset;
	u32 bytes;
	enum journal_form form;
	enum journal_when when;
	bool for_people;
	u64 least;
	u64 most;
	const char *const *words;
};

/**
 * struct journal_event_line - the lines of one kind of event
 * @name: the word behind the cycle
 * @fields: in the order in which they are printed; one without a key ends them
 */
struct journal_event_line {
	const char *name;
	const struct journal_field *fields;
};

/* By &enum journal_kind. */
extern const struct journal_event_line journal_event_lines[JOURNAL_KINDS];

/* How "start" says which model and policy there are, as event->name, source, checksum. */
extern const struct journal_field journal_start_model[];
extern const struct journal_field journal_start_policy[];

/* How "start" says @setting, which stands in &struct session_options. */
struct journal_field journal_setting_field(const struct session_setting *setting);

#endif /* SESSION_JOURNAL_LINES_H */
