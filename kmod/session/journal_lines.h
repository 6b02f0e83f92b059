/* SPDX-License-Identifier: GPL-2.0 */
/* What the lines of a journal say of each kind of event, for printing and for reading. */
#ifndef SESSION_JOURNAL_LINES_H
#define SESSION_JOURNAL_LINES_H

#include "journal.h"
#include "settings.h"

/* The words that a journal writes for these values, by value. */
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
	JOURNAL_WITH_LAST,	/* the line has this field if it has the one before */
	JOURNAL_UNLESS_NOWHERE,	/* the line has it unless it is SESSION_NOWHERE */
};

/**
 * struct journal_field - describes one "key=value" of a line
 * @key: the key
 * @offset: where the value stands in &struct journal_event, or in the struct of a setting
 * @bytes: size of the value; of a STRING with its NUL
 * @form: &enum journal_form
 * @when: &enum journal_when
 * @for_people: it is printed, but not read, since a replay arrives at it by itself
 * @least: the least value
 * @most: the greatest value
 * @words: of a WORD: the word for each value
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
 * struct journal_event_line - describes the lines of one kind of event
 * @name: the word that follows the cycle
 * @fields: in the order in which they are printed; one without a key ends them
 */
struct journal_event_line {
	const char *name;
	const struct journal_field *fields;
};

/* The lines of all kinds of events, by &enum journal_kind. */
extern const struct journal_event_line journal_event_lines[JOURNAL_KINDS];

/*
 * The fields by which a line "start" names a model and a policy; and a memory policy that is
 * not built in, if there is one.
 */
extern const struct journal_field journal_start_model[];
extern const struct journal_field journal_start_policy[];
extern const struct journal_field journal_start_memory[];

/* The field by which a line "start" gives @setting, a member of &struct session_options. */
struct journal_field journal_setting_field(const struct session_setting *setting);

#endif /* SESSION_JOURNAL_LINES_H */
