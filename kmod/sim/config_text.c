// SPDX-License-Identifier: GPL-2.0
/*
 * Configurations as text: reading what a user wrote, with an error that names
 * line, field and reason, and writing. config.c has the fields and their ranges.
 */
#include "sim.h"

/* struct word - a piece of the text, without a NUL */
struct word {
	const char *at;
	size_t length;
};

/*
 * struct parser - a text that is being read
 * @rest: the text that has not been read
 * @line: number of the line that is being read, from 1
 * @base_line: number of the "base" line, or 0
 * @name_line: number of the "name" line, or 0
 * @field_line: number of each field's line, or 0
 * @statements: lines so far that are not empty
 */
struct parser {
	struct word rest;
	struct gpu_config config;
	struct config_error *error;
	u32 line;
	u32 base_line;
	u32 name_line;
	u32 statements;
	u32 field_line[CONFIG_FIELDS_MAX];
};

/* --- words ---------------------------------------------------------------------- */

static bool is_blank(char c)
{
	return c == ' ' || c == '\t' || c == '\r';
}

static bool is_digit(char c)
{
	return c >= '0' && c <= '9';
}

static bool is_name_character(char c)
{
	return is_digit(c) || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
	       c == '_' || c == '-' || c == '.';
}

static struct word trim(struct word word)
{
	while (word.length && is_blank(word.at[0])) {
		word.at++;
		word.length--;
	}
	while (word.length && is_blank(word.at[word.length - 1]))
		word.length--;
	return word;
}

/* Split a word at a character, which is dropped; false if the word does not have it. */
static bool split(struct word word, char at, struct word *before,
		  struct word *after)
{
	size_t i = 0;

	while (i < word.length && word.at[i] != at)
		i++;
	*before = (struct word) { word.at, i };
	if (i == word.length) {
		*after = (struct word) { word.at + i, 0 };
		return false;
	}
	*after = (struct word) { word.at + i + 1, word.length - i - 1 };
	return true;
}

static bool is(struct word word, const char *text)
{
	return word.length == strlen(text) && !memcmp(word.at, text, word.length);
}

/* Digits only; a number that no field could hold is U32_MAX. */
static bool read_number(struct word word, u32 *value)
{
	u64 number = 0;
	size_t i;

	for (i = 0; i < word.length; i++) {
		if (!is_digit(word.at[i]))
			return false;
		number = number * 10 + (u64)(word.at[i] - '0');
		number = min_t(u64, number, U32_MAX);
	}
	*value = (u32)number;
	return word.length != 0;
}

/* --- refusals ------------------------------------------------------------------- */

static int refuse(struct parser *parser, u32 line, struct word field,
		  const char *reason)
{
	struct config_error *error = parser->error;
	size_t length = field.length, i;

	if (length > sizeof(error->field) - 1)
		length = sizeof(error->field) - 1;
	memset(error, 0, sizeof(*error));
	error->line = line;
	/* A name goes to terminals and logs, so only some characters are allowed. */
	for (i = 0; i < length; i++)
		error->field[i] = field.at[i] > ' ' && field.at[i] <= '~' ?
				  field.at[i] : '?';
	snprintf(error->reason, sizeof(error->reason), "%s", reason);
	return -EINVAL;
}

static struct word word_of(const char *text)
{
	return (struct word) { text, strlen(text) };
}

/* --- lines ---------------------------------------------------------------------- */

static int parse_base(struct parser *parser, struct word name, struct word value)
{
	const struct gpu_config *base;
	u32 i;

	if (parser->base_line)
		return refuse(parser, parser->line, name, "is given twice");
	if (parser->statements)
		return refuse(parser, parser->line, name, "must come first");
	for (i = 0; (base = gpu_config_at(i)); i++)
		if (is(value, base->name))
			break;
	if (!base)
		return refuse(parser, parser->line, name,
			      "is not the name of a shipped configuration");
	parser->config = *base;
	parser->base_line = parser->line;
	return 0;
}

static int parse_name(struct parser *parser, struct word name, struct word value)
{
	char *to = parser->config.name;
	size_t i;

	if (parser->name_line)
		return refuse(parser, parser->line, name, "is given twice");
	if (value.length >= sizeof(parser->config.name))
		return refuse(parser, parser->line, name,
			      "is longer than 31 characters");
	for (i = 0; i < value.length; i++)
		if (!is_name_character(value.at[i]))
			return refuse(parser, parser->line, name,
				      "may have letters, digits, '_', '-' and '.'");
	memset(to, 0, sizeof(parser->config.name));
	memcpy(to, value.at, value.length);
	parser->name_line = parser->line;
	return 0;
}

/* A value by its number, or by its word if it has one. */
static bool read_value(const struct config_field *field, struct word text,
		       u32 *value)
{
	u32 i;

	for (i = field->least; field->words && i <= field->greatest; i++) {
		if (is(text, field->words[i])) {
			*value = i;
			return true;
		}
	}
	return read_number(text, value);
}

static int parse_field(struct parser *parser, struct word name,
		       struct word text)
{
	const struct config_field *field;
	char reason[64];
	u32 i, value;

	for (i = 0; (field = config_field_at(i)); i++)
		if (is(name, field->name))
			break;
	if (!field)
		return refuse(parser, parser->line, name,
			      "is not the name of a field");
	if (parser->field_line[i])
		return refuse(parser, parser->line, name, "is given twice");
	if (!read_value(field, text, &value))
		return refuse(parser, parser->line, name, field->words ?
			      "is neither one of its words nor a number" :
			      "is not a number in decimal digits");
	if (value < field->least || value > field->greatest) {
		snprintf(reason, sizeof(reason), "must be %u to %u",
			 field->least, field->greatest);
		return refuse(parser, parser->line, name, reason);
	}
	config_set(&parser->config, field, value);
	parser->field_line[i] = parser->line;
	return 0;
}

static int parse_line(struct parser *parser, struct word line)
{
	struct word name, value, comment;
	bool has_value;
	int ret;

	split(line, '#', &line, &comment);
	line = trim(line);
	if (!line.length)
		return 0;
	has_value = split(line, '=', &name, &value);
	name = trim(name);
	value = trim(value);
	if (!has_value || !name.length)
		return refuse(parser, parser->line, name,
			      "is not of the form name = value");
	if (!value.length)
		return refuse(parser, parser->line, name, "has no value");
	if (is(name, "base"))
		ret = parse_base(parser, name, value);
	else if (is(name, "name"))
		ret = parse_name(parser, name, value);
	else
		ret = parse_field(parser, name, value);
	parser->statements++;
	return ret;
}

/* --- the whole ------------------------------------------------------------------ */

/* The configuration from which a text of some name takes the fields that it may leave out. */
static const struct gpu_config *default_of(const char *name)
{
	const struct gpu_config *shipped = gpu_config_find(name);

	return shipped ? shipped : gpu_config_at(0);
}

static int find_missing(struct parser *parser)
{
	const struct gpu_config *usual = default_of(parser->config.name);
	const struct config_field *field;
	u32 i;

	if (parser->base_line)
		return 0;
	for (i = 0; (field = config_field_at(i)); i++)
		if (!parser->field_line[i] && config_field_may_lack(field))
			config_set(&parser->config, field, config_get(usual, field));
		else if (!parser->field_line[i])
			return refuse(parser, 0, word_of(field->name),
				      "is missing, and there is no base");
	return 0;
}

static int check_values(struct parser *parser)
{
	const struct config_field *field;
	const char *name, *reason;
	u32 i;

	if (!config_check(&parser->config, &name, &reason))
		return 0;
	for (i = 0; (field = config_field_at(i)); i++)
		if (!strcmp(field->name, name))
			break;
	return refuse(parser, parser->field_line[i], word_of(name), reason);
}

/* Results name their configuration, so no other one may have a shipped one's name. */
static int check_name(struct parser *parser)
{
	const struct gpu_config *shipped;
	const struct config_field *field;
	u32 i;

	if (!parser->name_line) {
		memset(parser->config.name, 0, sizeof(parser->config.name));
		memcpy(parser->config.name, "custom", sizeof("custom"));
		return 0;
	}
	shipped = gpu_config_find(parser->config.name);
	for (i = 0; shipped && (field = config_field_at(i)); i++)
		if (config_get(shipped, field) !=
		    config_get(&parser->config, field))
			return refuse(parser, parser->name_line, word_of("name"),
				      "is of a shipped configuration, whose values differ");
	return 0;
}

int gpu_config_parse(const char *text, size_t length, struct gpu_config *config,
		     struct config_error *error)
{
	struct parser parser = {
		.rest = { text, length },
		.error = error,
	};
	struct word line;
	bool more = true;

	while (more) {
		parser.line++;
		more = split(parser.rest, '\n', &line, &parser.rest);
		if (parse_line(&parser, line))
			return -EINVAL;
	}
	if (find_missing(&parser) || check_values(&parser) ||
	    check_name(&parser))
		return -EINVAL;
	*config = parser.config;
	return 0;
}

size_t gpu_config_print(const struct gpu_config *config, char *text, size_t room)
{
	const struct gpu_config *usual = default_of(config->name);
	const struct config_field *field;
	size_t used;
	u32 i;

	used = (size_t)snprintf(text, room, "name = %s\n", config->name);
	for (i = 0; (field = config_field_at(i)); i++) {
		size_t left = used < room ? room - used : 0;
		char *at = left ? text + used : NULL;
		u32 value = config_get(config, field);

		if (config_field_may_lack(field) && value == config_get(usual, field))
			continue;
		if (field->words)
			used += (size_t)snprintf(at, left, "%s = %s\n",
						 field->name,
						 field->words[value]);
		else
			used += (size_t)snprintf(at, left, "%s = %u\n",
						 field->name, value);
	}
	return used;
}
