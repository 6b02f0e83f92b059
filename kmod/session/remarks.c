// SPDX-License-Identifier: GPL-2.0
/* Gauges and notes: what a policy tells of itself; see remarks.h. */
#include "internal.h"
#include "remarks.h"

const char *const session_unit_names[] = {
	[SIMGPU_UNIT_NUMBER] = "number",
	[SIMGPU_UNIT_RATIO] = "ratio",
	[SIMGPU_UNIT_CYCLES] = "cycles",
};

static u32 count_gauges(const struct simgpu_policy *policy)
{
	u32 count = 0;

	while (policy->gauges && count < SIMGPU_GAUGES_MAX && policy->gauges[count].name)
		count++;
	return count;
}

static bool name_is_good(const char *name)
{
	size_t length = strspn(name, "abcdefghijklmnopqrstuvwxyz0123456789_");

	return length && length < SIMGPU_NAME_BYTES && !name[length];
}

bool session_gauges_are_good(const struct simgpu_gauge *gauges)
{
	u32 i, j;

	for (i = 0; gauges && gauges[i].name; i++) {
		if (i == SIMGPU_GAUGES_MAX || gauges[i].unit > SIMGPU_UNIT_CYCLES ||
		    !name_is_good(gauges[i].name))
			return false;
		for (j = 0; j < i; j++)
			if (!strcmp(gauges[i].name, gauges[j].name))
				return false;
	}
	return true;
}

/*
 * remarks_gauges() - names and units of a policy's gauges
 * @gauges: room for SIMGPU_GAUGES_MAX
 *
 * Return: how many there are.
 */
u32 remarks_gauges(const struct simgpu_policy *policy, struct session_gauge *gauges)
{
	u32 count = count_gauges(policy), i;

	for (i = 0; i < count; i++) {
		snprintf(gauges[i].name, sizeof(gauges[i].name), "%s",
			 policy->gauges[i].name);
		gauges[i].unit = policy->gauges[i].unit;
	}
	return count;
}

/* remarks_ask() - prepare the proposal's remarks before the policy is asked */
void remarks_ask(struct session *session)
{
	struct simgpu_proposal *proposal = &session->proposal;
	u32 count = count_gauges(session->policy), slot, i;

	for (slot = 0; slot < SESSION_SLOTS_MAX; slot++)
		for (i = 0; i < count; i++)
			proposal->gauges[slot][i] = SIMGPU_KEEP_GAUGE;
}

static void take_gauges(struct session *session, u32 count)
{
	struct simgpu_proposal *proposal = &session->proposal;
	u32 slot, i;

	for (slot = 0; slot < SESSION_SLOTS_MAX; slot++)
		for (i = 0; i < count; i++)
			if (proposal->gauges[slot][i] != SIMGPU_KEEP_GAUGE)
				session->gauges[slot][i] = proposal->gauges[slot][i];
}

/* A policy may write any bytes; what people see is one line. */
static void make_printable(struct simgpu_note_line *note)
{
	u32 i;

	note->text[SIMGPU_NOTE_BYTES - 1] = '\0';
	for (i = 0; note->text[i]; i++)
		if (note->text[i] < ' ' || note->text[i] > '~')
			note->text[i] = '?';
	note->count = min(note->count, SIMGPU_NOTE_NUMBERS);
}

static void take_notes(struct session *session)
{
	struct simgpu_proposal *proposal = &session->proposal;
	u32 count = min(proposal->note_count, SIMGPU_NOTES_MAX), i;

	for (i = 0; session->hooks.note && i < count; i++) {
		struct session_note note = {
			.cycle = session_now(session),
			.said = proposal->notes[i],
		};

		if (i == SIMGPU_NOTES_MAX - 1)
			note.dropped = proposal->note_count - count;
		make_printable(&note.said);
		session->hooks.note(session->hooks.context, &note);
	}
}

/*
 * remarks_take() - take the remarks out of the policy's answer, good or bad
 *
 * None are left in the proposal, which may be pending and is hashed then.
 */
void remarks_take(struct session *session)
{
	struct simgpu_proposal *proposal = &session->proposal;
	u32 count = count_gauges(session->policy);

	if (count || proposal->note_count) {
		take_gauges(session, count);
		take_notes(session);
	}
	memset(proposal->gauges, 0, sizeof(proposal->gauges));
	memset(proposal->notes, 0, sizeof(proposal->notes));
	proposal->note_count = 0;
	proposal->unused = 0;
}

/* remarks_clear() - another policy comes: no gauge has a value */
void remarks_clear(struct session *session)
{
	memset(session->gauges, 0, sizeof(session->gauges));
}

/* remarks_forget() - another tenant comes to a slot */
void remarks_forget(struct session *session, u32 slot)
{
	memset(session->gauges[slot], 0, sizeof(session->gauges[slot]));
}

/* --- for people --------------------------------------------------------------------------- */

void session_notes_add(struct session_notes *notes, const struct session_note *note)
{
	notes->at[notes->count++ % SESSION_NOTES_KEPT] = *note;
}

void session_note_text(const struct session_note *note, char *text)
{
	int length = snprintf(text, SESSION_NOTE_TEXT_BYTES, "%s", note->said.text);
	u32 i;

	for (i = 0; i < note->said.count; i++)
		length += snprintf(text + length, SESSION_NOTE_TEXT_BYTES - (size_t)length,
				   " %lld", note->said.numbers[i]);
	if (note->dropped)
		snprintf(text + length, SESSION_NOTE_TEXT_BYTES - (size_t)length,
			 " (%u more were dropped)", note->dropped);
}

/* @value may be the least s64, whose negative there is not. */
void session_gauge_text(u32 unit, s64 value, char *text)
{
	u64 size = value < 0 ? 0 - (u64)value : (u64)value;
	const char *sign = value < 0 ? "-" : "";

	if (unit == SIMGPU_UNIT_RATIO)
		snprintf(text, SESSION_GAUGE_TEXT_BYTES, "%s%llu.%06llu", sign,
			 size / SIMGPU_PPM, size % SIMGPU_PPM);
	else
		snprintf(text, SESSION_GAUGE_TEXT_BYTES, "%lld", value);
}
