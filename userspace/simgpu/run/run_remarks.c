// SPDX-License-Identifier: GPL-2.0
/* What a run's policy told of itself; see run_remarks.h. */
#include "../json.h"
#include "../output.h"
#include "../table.h"
#include "run.h"
#include "run_remarks.h"

#define NOTES_FILE	"/sys/kernel/debug/simgpu/simgpu%u/notes"

/* --- names of gauges ------------------------------------------------------------------------ */

void remarks_take_names(struct result *result, const struct session_epoch *epoch)
{
	if (result->gauge_count || !epoch->gauge_count)
		return;
	result->gauge_count = epoch->gauge_count;
	memcpy(result->gauges, epoch->gauges, sizeof(result->gauges));
}

static bool parse_name(const char *line, struct session_gauge *gauge)
{
	char unit[SIMGPU_NAME_BYTES];

	if (sscanf(line, "%31s %31s", gauge->name, unit) != 2)
		return false;
	for (gauge->unit = 0; gauge->unit <= SIMGPU_UNIT_CYCLES; gauge->unit++)
		if (!strcmp(unit, session_unit_names[gauge->unit]))
			return true;
	return false;
}

void remarks_read_names(struct result *result, unsigned int device)
{
	char text[SIMGPU_VALUE_BYTES], *line, *rest = text;
	u32 count = 0;

	if (result->gauge_count ||
	    simgpu_read_device_value(device, "policy_gauges", text, sizeof(text)))
		return;
	while (count < SIMGPU_GAUGES_MAX && (line = strsep(&rest, "\n")) &&
	       parse_name(line, &result->gauges[count]))
		count++;
	result->gauge_count = count;
}

/* How many gauges of an epoch have a name here. */
static u32 gauges_of(const struct result *result,
		     const struct simgpu_epoch_record *record)
{
	return min(record->gauge_count, result->gauge_count);
}

/* --- gauges --------------------------------------------------------------------------------- */

struct json_object *gauges_json(const struct result *result,
				const struct simgpu_epoch_record *record)
{
	struct json_object *object;
	char text[SESSION_GAUGE_TEXT_BYTES];
	u32 count = gauges_of(result, record), i;

	if (!count)
		return NULL;
	object = json_object_new_object();
	for (i = 0; i < count; i++) {
		const struct session_gauge *gauge = &result->gauges[i];

		session_gauge_text(gauge->unit, record->gauges[i], text);
		json_set(object, gauge->name, gauge->unit == SIMGPU_UNIT_RATIO ?
			 json_object_new_double_s(strtod(text, NULL), text) :
			 json_object_new_int64(record->gauges[i]));
	}
	return object;
}

void print_gauges_heading(const struct result *result)
{
	u32 i;

	for (i = 0; i < result->gauge_count; i++)
		printf(",gauge_%s", result->gauges[i].name);
}

void print_gauges_csv(const struct result *result,
		      const struct simgpu_epoch_record *record)
{
	char text[SESSION_GAUGE_TEXT_BYTES];
	u32 i;

	for (i = 0; i < result->gauge_count; i++) {
		text[0] = '\0';
		if (i < record->gauge_count)
			session_gauge_text(result->gauges[i].unit, record->gauges[i],
					   text);
		printf(",%s", text);
	}
}

static void gauge_cell(struct table *table, u32 unit, s64 value)
{
	char text[SESSION_GAUGE_TEXT_BYTES];

	session_gauge_text(unit, value, text);
	table_cell(table, "%s", text);
}

/* Adds a row for a gauge of a tenant, over all epochs that have it. */
static void add_row(struct table *table, const struct result *result, u32 tenant, u32 at)
{
	const struct result_tenant *whose = &result->tenants[tenant];
	s64 least = 0, most = 0, last = 0;
	bool any = false;
	size_t i;

	for (i = 0; i < result->epoch_count; i++) {
		const struct simgpu_epoch_record *record = &result->epochs[i].record;

		if (result->epochs[i].tenant != tenant || at >= record->gauge_count)
			continue;
		last = record->gauges[at];
		least = any ? min(least, last) : last;
		most = any ? max(most, last) : last;
		any = true;
	}
	if (!any)
		return;
	table_row(table, "%s|%u:%s", result->gauges[at].name, whose->slot,
		  whose->options.name);
	gauge_cell(table, result->gauges[at].unit, least);
	gauge_cell(table, result->gauges[at].unit, most);
	gauge_cell(table, result->gauges[at].unit, last);
}

void print_gauges(const struct result *result)
{
	struct table *table;
	u32 at, tenant;

	if (!result->gauge_count)
		return;
	table = table_new("GAUGE|TENANT|>LEAST|>MOST|>LAST");
	for (at = 0; at < result->gauge_count; at++)
		for (tenant = 0; tenant < result->tenant_count; tenant++)
			add_row(table, result, tenant, at);
	putchar('\n');
	table_print(table);
}

/* --- notes ---------------------------------------------------------------------------------- */

static void add_note(struct result *result, u64 cycle, const char *text)
{
	struct result_note *note;

	result->notes = grow(result->notes, result->note_count + 1, sizeof(*note));
	note = &result->notes[result->note_count++];
	note->cycle = cycle;
	snprintf(note->text, sizeof(note->text), "%s", text);
}

void remarks_take_notes(struct result *result, const struct session_notes *notes)
{
	char text[SESSION_NOTE_TEXT_BYTES];
	u64 i;

	for (i = session_notes_first(notes); i < notes->count; i++) {
		session_note_text(&notes->at[i % SESSION_NOTES_KEPT], text);
		add_note(result, notes->at[i % SESSION_NOTES_KEPT].cycle, text);
	}
}

int remarks_read_notes(struct result *result, unsigned int device)
{
	char path[64], line[SESSION_NOTE_TEXT_BYTES + 32];
	unsigned long long cycle;
	FILE *file;
	int at;

	snprintf(path, sizeof(path), NOTES_FILE, device);
	file = fopen(path, "r");
	if (!file)
		return fail("%s: %s", path, errno == EACCES ?
			    "only root may read a policy's notes" : strerror(errno));
	while (fgets(line, sizeof(line), file)) {
		line[strcspn(line, "\n")] = '\0';
		if (sscanf(line, "%llu %n", &cycle, &at) == 1)
			add_note(result, cycle, line + at);
	}
	fclose(file);
	return STATUS_OK;
}

struct json_object *notes_json(const struct result *result)
{
	struct json_object *array = json_object_new_array();
	size_t i;

	for (i = 0; i < result->note_count; i++) {
		struct json_object *note = json_object_new_object();

		json_set(note, "cycle", json_u64(result->notes[i].cycle));
		json_set_string(note, "text", result->notes[i].text);
		json_object_array_add(array, note);
	}
	return array;
}

void print_policy_notes(const struct result *result)
{
	struct table *table;
	size_t i;

	putchar('\n');
	if (!result->note_count) {
		puts("The policy has written no notes.");
		return;
	}
	table = table_new(">CYCLE|NOTE");
	for (i = 0; i < result->note_count; i++) {
		table_cell(table, "%llu", result->notes[i].cycle);
		table_cell(table, "%s", result->notes[i].text);
	}
	table_print(table);
	if (result->note_count == SESSION_NOTES_KEPT)
		printf("No more than the last %d notes are kept.\n", SESSION_NOTES_KEPT);
}
