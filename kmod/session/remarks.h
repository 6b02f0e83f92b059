/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What a policy tells of itself, for people: gauges, which are figures of each tenant, and
 * notes, which are lines about a decision. Neither is a part of the state: they decide nothing.
 */
#ifndef SESSION_REMARKS_H
#define SESSION_REMARKS_H

#include <simgpu/policy.h>

struct session;

/* Notes of a device that are kept: the last ones. */
#define SESSION_NOTES_KEPT	256
/* Room for a note as text, and for a gauge's value, with the NUL. */
#define SESSION_NOTE_TEXT_BYTES	192
#define SESSION_GAUGE_TEXT_BYTES 32

/* By SIMGPU_UNIT_*. */
extern const char *const session_unit_names[];

/**
 * struct session_gauge - name and unit of a gauge, apart from its policy, which may go
 * @name: name of the gauge
 * @unit: SIMGPU_UNIT_*
 */
struct session_gauge {
	char name[SIMGPU_NAME_BYTES];
	u32 unit;
};

/**
 * struct session_note - a note, with its decision
 * @cycle: device cycle of the decision
 * @dropped: further notes of the decision, for which there was no room
 * @said: the note; its text is printable
 */
struct session_note {
	u64 cycle;
	u32 dropped;
	struct simgpu_note_line said;
};

/**
 * struct session_notes - the last notes of a device
 * @count: notes so far
 * @at: the last of them, by their number modulo SESSION_NOTES_KEPT
 */
struct session_notes {
	u64 count;
	struct session_note at[SESSION_NOTES_KEPT];
};

/**
 * session_notes_add() - keep a note; it takes the place of the oldest one
 * @notes: zeroed at first
 * @note: the note
 */
void session_notes_add(struct session_notes *notes, const struct session_note *note);

/* The number of the oldest note that is kept; notes->count: there is none. */
static inline u64 session_notes_first(const struct session_notes *notes)
{
	return notes->count > SESSION_NOTES_KEPT ? notes->count - SESSION_NOTES_KEPT : 0;
}

/**
 * session_note_text() - a note as a line, without its cycle
 * @note: the note
 * @text: room for SESSION_NOTE_TEXT_BYTES
 */
void session_note_text(const struct session_note *note, char *text);

/**
 * session_gauge_text() - a gauge's value, as a decimal if it is a ratio
 * @unit: SIMGPU_UNIT_*
 * @value: the value, in that unit
 * @text: room for SESSION_GAUGE_TEXT_BYTES
 */
void session_gauge_text(u32 unit, s64 value, char *text);

/* Whether a table of gauges, or NULL, is as it must be: names that a key of JSON can have. */
bool session_gauges_are_good(const struct simgpu_gauge *gauges);

void remarks_ask(struct session *session);
void remarks_take(struct session *session);
void remarks_clear(struct session *session);
void remarks_forget(struct session *session, u32 slot);
u32 remarks_gauges(const struct simgpu_policy *policy, struct session_gauge *gauges);

#endif /* SESSION_REMARKS_H */
