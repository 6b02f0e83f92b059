// SPDX-License-Identifier: GPL-2.0
/* Journals as text (docs/journal.md): lines made into events. */
#include "journal_lines.h"
#include "journal_parse.h"
#include "number.h"
#include "params.h"

#include <simgpu/member.h>

/* Keys of a line: those of the start, with all settings and all parameters. */
#define KEYS_MAX	(12 + SESSION_SETTINGS_MAX + 3 * SIMGPU_PARAMS_MAX)

/**
 * struct field - a "key=value" that a line has
 * @value: the text behind the "=", without quotes and with escapes undone
 * @quoted: whether it stood in quotes
 */
struct field {
	char key[32];
	char value[160];
	bool quoted;
};

/**
 * struct parser - the line being read
 * @at: the next character to be read
 * @fields: number of entries of @field in use
 */
struct parser {
	const char *at;
	const struct journal_names *names;
	struct journal_line *line;
	char *reason;
	size_t room;
	u32 fields;
	struct field field[KEYS_MAX];
};

__printf(2, 3)
static int refuse_line(struct parser *parser, const char *format, ...)
{
	va_list arguments;

	va_start(arguments, format);
	vsnprintf(parser->reason, parser->room, format, arguments);
	va_end(arguments);
	return -EINVAL;
}

/* --- words, numbers and strings --- */

static int read_word(struct parser *parser, char *word, size_t room)
{
	size_t length = strcspn(parser->at, " =\n");

	if (!length || length >= room)
		return refuse_line(parser, "a word is missing or too long");
	memcpy(word, parser->at, length);
	word[length] = '\0';
	parser->at += length;
	return 0;
}

/* One character of a string in quotes; @out is set to it. */
static int read_character(struct parser *parser, char *out)
{
	char hex[3] = "";
	u64 code;

	if (*parser->at != '\\') {
		*out = *parser->at++;
		return 0;
	}
	if (parser->at[1] != 'x' || !parser->at[2] || !parser->at[3])
		return refuse_line(parser, "a string has an unknown escape");
	memcpy(hex, parser->at + 2, 2);
	if (!session_parse_number(hex, 16, &code) || !hex[1] || !code)
		return refuse_line(parser, "a string has an unknown escape");
	*out = (char)code;
	parser->at += 4;
	return 0;
}

static int read_string(struct parser *parser, struct field *field)
{
	size_t length = 0;

	field->quoted = true;
	parser->at++;
	while (*parser->at != '"') {
		if (!*parser->at || *parser->at == '\n')
			return refuse_line(parser, "a string has no end");
		if (length == sizeof(field->value) - 1)
			return refuse_line(parser, "a string is too long");
		if (read_character(parser, &field->value[length++]))
			return -EINVAL;
	}
	field->value[length] = '\0';
	parser->at++;
	return 0;
}

static int read_field(struct parser *parser)
{
	struct field *field = &parser->field[parser->fields];

	if (parser->fields == KEYS_MAX)
		return refuse_line(parser, "the line has too many keys");
	field->quoted = false;
	if (read_word(parser, field->key, sizeof(field->key)))
		return -EINVAL;
	if (*parser->at++ != '=')
		return refuse_line(parser, "\"%s\" has no value", field->key);
	parser->fields++;
	if (*parser->at == '"')
		return read_string(parser, field);
	return read_word(parser, field->value, sizeof(field->value));
}

/* --- keys of the present line --- */

static const struct field *find_any(const struct parser *parser, const char *key)
{
	u32 i;

	for (i = 0; i < parser->fields; i++)
		if (!strcmp(parser->field[i].key, key))
			return &parser->field[i];
	return NULL;
}

static const struct field *find(struct parser *parser, const char *key)
{
	const struct field *field = find_any(parser, key);

	if (!field)
		refuse_line(parser, "\"%s\" is missing", key);
	return field;
}

static bool read_word_of(const struct journal_field *wanted, const char *text, u64 *value)
{
	for (*value = wanted->least; *value <= wanted->most; (*value)++)
		if (!strcmp(text, wanted->words[*value]))
			return true;
	return false;
}

static bool is_in_range(const struct journal_field *wanted, u64 value)
{
	return value >= wanted->least && value <= wanted->most;
}

static bool read_value(const struct journal_field *wanted, const char *text, u64 *value)
{
	bool negative = wanted->form == JOURNAL_SIGNED && *text == '-';

	switch (wanted->form) {
	case JOURNAL_WORD:
		return read_word_of(wanted, text, value);
	case JOURNAL_HEX:
		return !strncmp(text, "0x", 2) && session_parse_number(text + 2, 16, value) &&
		       !(wanted->bytes < sizeof(u64) && *value >> 8 * wanted->bytes);
	default:
		if (!session_parse_number(text + negative, 10, value) ||
		    !is_in_range(wanted, *value))
			return false;
		*value = negative ? -*value : *value;
		return true;
	}
}

/* Put the value of a field that the line must have into @base. */
static int take(struct parser *parser, const struct journal_field *wanted, void *base)
{
	static const char *const not_so[] = {
		[JOURNAL_DECIMAL] = "a number in its range",
		[JOURNAL_SIGNED] = "a number in its range",
		[JOURNAL_HEX] = "of the form 0x...",
		[JOURNAL_WORD] = "one of its words",
		[JOURNAL_STRING] = "a string, or too long",
	};
	const struct field *field = find(parser, wanted->key);
	bool string = wanted->form == JOURNAL_STRING;
	u64 value = 0;

	if (!field)
		return -EINVAL;
	if (field->quoted != string ||
	    !(string ? strlen(field->value) < wanted->bytes :
		       read_value(wanted, field->value, &value)))
		return refuse_line(parser, "\"%s\" is not %s", wanted->key,
				   not_so[wanted->form]);
	if (string)
		memcpy((char *)base + wanted->offset, field->value,
		       strlen(field->value) + 1);
	else
		member_set(base, wanted->offset, wanted->bytes, value);
	return 0;
}

/* Whether the line must have a field. */
static bool is_due(const struct parser *parser, const struct journal_field *wanted,
		   bool last)
{
	if (wanted->for_people)
		return false;
	if (wanted->when == JOURNAL_WITH_LAST)
		return last;
	return wanted->when == JOURNAL_ALWAYS || find_any(parser, wanted->key);
}

static int take_fields(struct parser *parser, const struct journal_field *wanted,
		       void *base)
{
	bool due = true;

	for (; wanted->key; wanted++) {
		due = is_due(parser, wanted, due);
		if (due && take(parser, wanted, base))
			return -EINVAL;
	}
	return 0;
}

/* Read a value that is no member of a struct. */
static int take_value(struct parser *parser, const char *key, enum journal_form form,
		      u64 least, u64 most, u64 *value)
{
	const struct journal_field wanted = {
		.key = key, .bytes = sizeof(*value), .form = form,
		.least = least, .most = most,
	};

	return take(parser, &wanted, value);
}

/* --- policies and models --- */

/* The policy or model of that name here must be the one that the journal was made with. */
static int same(struct parser *parser, const char *what,
		const struct journal_event *said, struct journal_source here)
{
	if (journal_is_same(journal_source_of(said), here))
		return 0;
	if (said->source != here.source &&
	    (said->checksum == here.checksum || !said->source || !here.source))
		return refuse_line(parser, "the journal's %s \"%s\" was %s, the one here is %s",
				   what, said->name, journal_sources[said->source],
				   journal_sources[here.source]);
	return refuse_line(parser, "the %s \"%s\" here is of another source (0x%08x) than the journal's (0x%08x)",
			   what, said->name, here.checksum, said->checksum);
}

static int refuse_maps(struct parser *parser, const struct journal_event *said)
{
	if (said->source != SIMGPU_SOURCE_BPF_MAPS)
		return 0;
	return refuse_line(parser, "the policy \"%s\" kept something in maps of its own, which are not in the journal: no replay finds it",
			   said->name);
}

static int find_policy(struct parser *parser, const struct journal_event *said,
		       const struct simgpu_policy **out)
{
	if (refuse_maps(parser, said))
		return -EINVAL;
	*out = parser->names->policy(said->name);
	if (!*out)
		return refuse_line(parser, "there is no policy \"%s\" here",
				   said->name);
	return same(parser, "policy", said, (struct journal_source) {
		(*out)->source, (*out)->checksum });
}

static int find_model(struct parser *parser, const struct journal_event *said,
		      const struct simgpu_model **out)
{
	*out = parser->names->model(said->name);
	if (!*out)
		return refuse_line(parser, "there is no model \"%s\" here",
				   said->name);
	return same(parser, "model", said, (struct journal_source) {
		(*out)->source, (*out)->checksum });
}

static int find_memory_policy(struct parser *parser, const struct journal_event *said,
			      const struct simgpu_memory_policy **out)
{
	if (refuse_maps(parser, said))
		return -EINVAL;
	*out = parser->names->memory_policy ?
	       parser->names->memory_policy(said->name) : NULL;
	if (!*out)
		return refuse_line(parser, "there is no memory policy \"%s\" here",
				   said->name);
	return same(parser, "memory policy", said, (struct journal_source) {
		(*out)->source, (*out)->checksum });
}

static int take_params(struct parser *parser, const char *whose,
		       const struct simgpu_param *params, u64 *values)
{
	char key[2 * SIMGPU_NAME_BYTES];
	u32 i;

	for (i = 0; params && i < SIMGPU_PARAMS_MAX && params[i].name; i++) {
		snprintf(key, sizeof(key), "%s.%s", whose, params[i].name);
		if (take_value(parser, key, JOURNAL_DECIMAL, params[i].least,
			       params[i].most, &values[i]))
			return -EINVAL;
	}
	return 0;
}

/* The parameters of the memory policy that are there. */
static int take_memory_params(struct parser *parser, struct session_options *options)
{
	const struct simgpu_param *params = session_first_memory_policy(options)->params;
	char key[2 * SIMGPU_NAME_BYTES];
	u64 value;
	u32 i;

	for (i = 0; params && i < SIMGPU_PARAMS_MAX && params[i].name; i++) {
		snprintf(key, sizeof(key), "memory.%s", params[i].name);
		if (!find_any(parser, key))
			continue;
		if (take_value(parser, key, JOURNAL_DECIMAL, params[i].least,
			       params[i].most, &value))
			return -EINVAL;
		session_preset_memory_param(options, i, value);
	}
	return 0;
}

/* --- the kinds of lines --- */

static int take_config(struct parser *parser, struct gpu_config *config)
{
	static const struct journal_field wanted = {
		.key = "config", .form = JOURNAL_STRING, .bytes = SIMGPU_NAME_BYTES,
	};
	const struct gpu_config *found;
	char name[SIMGPU_NAME_BYTES];

	if (take(parser, &wanted, name))
		return -EINVAL;
	found = parser->names->config(name);
	if (!found)
		return refuse_line(parser, "there is no configuration \"%s\" here",
				   name);
	*config = *found;
	return 0;
}

static int take_model(struct parser *parser, struct session_options *options)
{
	struct journal_event said;

	return take_fields(parser, journal_start_model, &said) ? :
	       find_model(parser, &said, &options->model) ? :
	       take_params(parser, "model", options->model->params,
			   options->model_params);
}

static int take_policy(struct parser *parser, struct session_options *options)
{
	struct journal_event said;

	return take_fields(parser, journal_start_policy, &said) ? :
	       find_policy(parser, &said, &options->policy) ? :
	       take_params(parser, "policy", options->policy->params,
			   options->policy_params);
}

/* A built-in one is a setting. */
static int take_memory_policy(struct parser *parser, struct session_options *options)
{
	struct journal_event said;

	if (!find_any(parser, journal_start_memory->key))
		return 0;
	return take_fields(parser, journal_start_memory, &said) ? :
	       find_memory_policy(parser, &said, &options->memory_policy);
}

static int take_settings(struct parser *parser, struct session_options *options)
{
	session_for_each_setting(setting) {
		struct journal_field wanted = journal_setting_field(setting);

		if (!(setting->flags & SESSION_SETTING_JOURNAL) ||
		    !is_due(parser, &wanted, true))
			continue;
		if (take(parser, &wanted, options))
			return -EINVAL;
		if (!session_setting_fits(setting, session_setting_get(setting, options)))
			return refuse_line(parser, "\"%s\" is not a number in its range",
					   setting->name);
	}
	return 0;
}

static int take_start(struct parser *parser)
{
	struct session_options *options = &parser->line->start;
	u64 version, constants = 0;

	if (take_value(parser, "version", JOURNAL_DECIMAL, 0, U64_MAX, &version))
		return -EINVAL;
	if (version < JOURNAL_VERSION)
		return refuse_line(parser, "version %llu is of an older simgpu, whose state hashes left things out: record the run again",
				   version);
	if (version > JOURNAL_VERSION)
		return refuse_line(parser, "version %llu is not known",
				   version);
	if (take_config(parser, &options->config) || take_model(parser, options) ||
	    take_policy(parser, options) || take_settings(parser, options) ||
	    take_memory_policy(parser, options) || take_memory_params(parser, options) ||
	    take_value(parser, "constants", JOURNAL_HEX, 0, 0, &constants))
		return -EINVAL;
	parser->line->constants_checksum = (u32)constants;
	return 0;
}

static int take_event(struct parser *parser, const char *name)
{
	struct journal_event *event = &parser->line->event;
	const struct simgpu_policy *policy;
	const struct simgpu_memory_policy *memory_policy;
	const struct simgpu_model *model;
	u32 kind;

	for (kind = 0; kind < JOURNAL_KINDS; kind++)
		if (!strcmp(name, journal_event_lines[kind].name))
			break;
	if (kind == JOURNAL_KINDS)
		return refuse_line(parser, "\"%s\" is not a known kind", name);
	event->cycle = parser->line->cycle;
	event->kind = kind;
	/* A line that names no slot is of all. */
	if (kind == JOURNAL_INJECT)
		event->injection.slot = SESSION_INJECT_ANY;
	if (take_fields(parser, journal_event_lines[kind].fields, event))
		return -EINVAL;
	if (kind == JOURNAL_POLICY)
		return find_policy(parser, event, &policy);
	if (kind == JOURNAL_MEMORY_PLUGIN)
		return find_memory_policy(parser, event, &memory_policy);
	return kind == JOURNAL_MODEL ? find_model(parser, event, &model) : 0;
}

static int take_line(struct parser *parser, const char *kind)
{
	struct journal_line *line = parser->line;

	if (!strcmp(kind, "start")) {
		line->kind = JOURNAL_LINE_START;
		return take_start(parser);
	}
	if (!strcmp(kind, "end")) {
		line->kind = JOURNAL_LINE_END;
		return take_value(parser, "state_hash", JOURNAL_HEX, 0, 0,
				  &line->state_hash);
	}
	if (!strcmp(kind, "lost")) {
		line->kind = JOURNAL_LINE_LOST;
		return take_value(parser, "events", JOURNAL_DECIMAL, 0, U64_MAX,
				  &line->lost);
	}
	line->kind = JOURNAL_LINE_EVENT;
	return take_event(parser, kind);
}

static int parse_words(struct parser *parser)
{
	char cycle[24], kind[32];

	if (read_word(parser, cycle, sizeof(cycle)))
		return -EINVAL;
	if (!session_parse_number(cycle, 10, &parser->line->cycle))
		return refuse_line(parser, "the line does not begin with a cycle");
	if (*parser->at++ != ' ' || read_word(parser, kind, sizeof(kind)))
		return refuse_line(parser, "the line names no kind");
	while (*parser->at == ' ') {
		parser->at++;
		if (read_field(parser))
			return -EINVAL;
	}
	if (*parser->at != '\n')
		return refuse_line(parser, "the line is not one of a journal");
	parser->at++;
	return take_line(parser, kind);
}

int journal_parse_line(const char **text, const struct journal_names *names,
		       struct journal_line *out, char *reason, size_t room)
{
	struct parser *parser = port_alloc(sizeof(*parser));
	int ret;

	if (!parser)
		return -ENOMEM;
	memset(out, 0, sizeof(*out));
	parser->at = *text;
	parser->names = names;
	parser->line = out;
	parser->reason = reason;
	parser->room = room;
	ret = parse_words(parser);
	*text = parser->at;
	port_free(parser);
	return ret;
}
