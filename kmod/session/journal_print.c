// SPDX-License-Identifier: GPL-2.0
/* Journals as text (docs/journal.md): events made into lines. */
#include "journal_lines.h"
#include "journal_print.h"
#include "params.h"

#include <simgpu/member.h>

/* The text of a line so far; what does not fit into it is cut off. */
struct line {
	char *text;
	size_t length;
};

__printf(2, 3)
static void add(struct line *line, const char *format, ...)
{
	size_t room = JOURNAL_LINE_BYTES - line->length;
	va_list arguments;
	int wanted;

	va_start(arguments, format);
	wanted = vsnprintf(line->text + line->length, room, format, arguments);
	va_end(arguments);
	if (wanted > 0)
		line->length += (size_t)wanted < room ? (size_t)wanted :
							room - 1;
}

/* Add a string in double quotes, with \xHH for \, " and what is not printable ASCII. */
static void add_string(struct line *line, const char *string)
{
	add(line, "\"");
	for (; *string; string++) {
		unsigned char c = (unsigned char)*string;

		if (c < ' ' || c > '~' || c == '"' || c == '\\')
			add(line, "\\x%02x", c);
		else
			add(line, "%c", c);
	}
	add(line, "\"");
}

static void add_value(struct line *line, const struct journal_field *field,
		      const void *base, u64 value)
{
	switch (field->form) {
	case JOURNAL_STRING:
		return add_string(line, (const char *)base + field->offset);
	case JOURNAL_WORD:
		return add(line, "%s", field->words[value]);
	case JOURNAL_HEX:
		return add(line, "0x%0*llx", 2 * (int)field->bytes, value);
	case JOURNAL_SIGNED:
		return add(line, "%d", (s32)value);
	default:
		return add(line, "%llu", value);
	}
}

/* Whether the line of an event has a field. */
static bool add_field(struct line *line, const struct journal_field *field,
		      const void *base, bool last)
{
	u64 value = field->form == JOURNAL_STRING ? 0 :
		    member_get(base, field->offset, field->bytes);

	if ((field->when == JOURNAL_UNLESS_0 && !value) ||
	    (field->when == JOURNAL_UNLESS_NOWHERE && value == SESSION_NOWHERE) ||
	    (field->when == JOURNAL_WITH_LAST && !last))
		return false;
	add(line, " %s=", field->key);
	add_value(line, field, base, value);
	return true;
}

static void add_fields(struct line *line, const struct journal_field *fields,
		       const struct journal_event *event)
{
	bool last = true;

	for (; fields->key; fields++)
		last = add_field(line, fields, event, last);
}

static void add_decider(struct line *line, const struct journal_field *fields,
			const char *name, u32 source, u32 checksum)
{
	struct journal_event event;

	journal_name(&event, name, source, checksum);
	add_fields(line, fields, &event);
}

static void add_params(struct line *line, const char *whose,
		       const struct simgpu_param *params, const u64 *values)
{
	u32 i;

	for (i = 0; params && i < SIMGPU_PARAMS_MAX && params[i].name; i++)
		add(line, " %s.%s=%llu", whose, params[i].name, values[i]);
}

/* Those of the memory policy that were set: older journals have none. */
static void add_memory_params(struct line *line, const struct session_options *start)
{
	const struct simgpu_param *params = session_first_memory_policy(start)->params;
	u32 i;

	for (i = 0; params && i < SIMGPU_PARAMS_MAX && params[i].name; i++)
		if (start->memory_params_set >> i & 1)
			add(line, " memory.%s=%llu", params[i].name,
			    start->memory_params[i]);
}

static void add_settings(struct line *line, const struct session_options *start)
{
	session_for_each_setting(setting) {
		struct journal_field field = journal_setting_field(setting);

		if (setting->flags & SESSION_SETTING_JOURNAL)
			add_field(line, &field, start, true);
	}
}

size_t journal_print_start(char *text, const struct session_options *start,
			   u32 constants_checksum)
{
	const struct simgpu_policy *policy = start->policy;
	const struct simgpu_model *model = start->model;
	const struct simgpu_memory_policy *memory = start->memory_policy;
	struct line line = { .text = text };

	add(&line, "0 start version=%u config=", JOURNAL_VERSION);
	add_string(&line, start->config.name);
	add_settings(&line, start);
	add_decider(&line, journal_start_model, model->name, model->source,
		    model->checksum);
	add_params(&line, "model", model->params, start->model_params);
	add(&line, " constants=0x%08x", constants_checksum);
	add_decider(&line, journal_start_policy, policy->name, policy->source,
		    policy->checksum);
	add_params(&line, "policy", policy->params, start->policy_params);
	if (memory && memory->source != SIMGPU_SOURCE_BUILT_IN)
		add_decider(&line, journal_start_memory, memory->name,
			    memory->source, memory->checksum);
	add_memory_params(&line, start);
	add(&line, "\n");
	return line.length;
}

size_t journal_print_event(char *text, const struct journal_event *event)
{
	const struct journal_event_line *kind = &journal_event_lines[event->kind];
	struct line line = { .text = text };

	add(&line, "%llu %s", event->cycle, kind->name);
	add_fields(&line, kind->fields, event);
	add(&line, "\n");
	return line.length;
}

size_t journal_print_lost(char *text, u64 cycle, u64 lost)
{
	struct line line = { .text = text };

	add(&line, "%llu lost events=%llu\n", cycle, lost);
	return line.length;
}

size_t journal_print_end(char *text, u64 cycle, u64 state_hash)
{
	struct line line = { .text = text };

	add(&line, "%llu end state_hash=0x%016llx\n", cycle, state_hash);
	return line.length;
}
