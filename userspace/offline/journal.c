// SPDX-License-Identifier: GPL-2.0
/* The text of a journal (docs/journal.md) made into events, line by line. */
#include <ctype.h>
#include <stdarg.h>

#include "offline.h"

#define KEYS_MAX	24

/**
 * struct field - a "key=value" of a line
 * @value: without quotes, escapes undone
 * @quoted: whether it stood in quotes
 */
struct field {
	char key[32];
	char value[96];
	bool quoted;
};

/**
 * struct parser - the text being read
 * @at: the next character
 * @cycle: of the present line
 * @room: of journal->events
 */
struct parser {
	const char *at;
	struct offline_journal *journal;
	struct offline_journal_error *error;
	u64 cycle;
	u32 room;
	u32 fields;
	struct field field[KEYS_MAX];
	bool ended;
};

__attribute__((format(printf, 2, 3)))
static int refuse(struct parser *parser, const char *format, ...)
{
	va_list arguments;

	va_start(arguments, format);
	vsnprintf(parser->error->reason, sizeof(parser->error->reason), format,
		  arguments);
	va_end(arguments);
	return -EINVAL;
}

/* --- words, numbers and strings --- */

static bool parse_number(const char *text, int base, u64 *value)
{
	char *end;

	if (!isxdigit((unsigned char)*text))
		return false;
	errno = 0;
	*value = strtoull(text, &end, base);
	return !errno && !*end;
}

static int read_word(struct parser *parser, char *word, size_t room)
{
	size_t length = strcspn(parser->at, " =\n");

	if (!length || length >= room)
		return refuse(parser, "a word is missing or too long");
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
		return refuse(parser, "a string has an unknown escape");
	memcpy(hex, parser->at + 2, 2);
	if (!parse_number(hex, 16, &code) || !hex[1] || !code)
		return refuse(parser, "a string has an unknown escape");
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
			return refuse(parser, "a string has no end");
		if (length == sizeof(field->value) - 1)
			return refuse(parser, "a string is too long");
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
		return refuse(parser, "the line has too many keys");
	field->quoted = false;
	if (read_word(parser, field->key, sizeof(field->key)))
		return -EINVAL;
	if (*parser->at++ != '=')
		return refuse(parser, "\"%s\" has no value", field->key);
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
		refuse(parser, "\"%s\" is missing", key);
	return field;
}

static int number_in(struct parser *parser, const char *key, u64 least,
		     u64 greatest, u64 *value)
{
	const struct field *field = find(parser, key);

	if (!field)
		return -EINVAL;
	if (field->quoted || !isdigit((unsigned char)field->value[0]) ||
	    !parse_number(field->value, 10, value) || *value < least ||
	    *value > greatest)
		return refuse(parser, "\"%s\" is not a number in its range",
			      key);
	return 0;
}

static int number(struct parser *parser, const char *key, u64 *value)
{
	return number_in(parser, key, 0, U64_MAX, value);
}

static int number32(struct parser *parser, const char *key, u64 least,
		    u64 greatest, u32 *value)
{
	u64 wide = 0;
	int ret = number_in(parser, key, least, greatest, &wide);

	*value = (u32)wide;
	return ret;
}

static int slot(struct parser *parser, u32 *value)
{
	return number32(parser, "slot", 0, SESSION_SLOTS_MAX - 1, value);
}

static int hexadecimal(struct parser *parser, const char *key, u64 *value)
{
	const struct field *field = find(parser, key);

	if (!field)
		return -EINVAL;
	if (field->quoted || strncmp(field->value, "0x", 2) ||
	    !parse_number(field->value + 2, 16, value))
		return refuse(parser, "\"%s\" is not of the form 0x...", key);
	return 0;
}

static int string(struct parser *parser, const char *key, char *value,
		  size_t room)
{
	const struct field *field = find(parser, key);

	if (!field)
		return -EINVAL;
	if (!field->quoted || strlen(field->value) >= room)
		return refuse(parser, "\"%s\" is not a string, or too long",
			      key);
	strcpy(value, field->value);
	return 0;
}

/* One of two words; @value is set to which. */
static int either(struct parser *parser, const char *key, const char *zero,
		  const char *one, u32 *value)
{
	const struct field *field = find(parser, key);

	if (!field)
		return -EINVAL;
	*value = !strcmp(field->value, one);
	if (field->quoted || (!*value && strcmp(field->value, zero)))
		return refuse(parser, "\"%s\" is not %s or %s", key, zero, one);
	return 0;
}

static int tunables(struct parser *parser, struct simgpu_tunables *out)
{
	const struct tunable *tunable;
	char key[SIMGPU_NAME_BYTES];

	for (tunable = tunables_list; tunable->name; tunable++) {
		snprintf(key, sizeof(key), "%s_ppm", tunable->name);
		if (number(parser, key, tunable_of(out, tunable)))
			return -EINVAL;
	}
	return 0;
}

/* --- the kinds of lines --- */

static int start_names(struct parser *parser, struct session_options *options)
{
	char config[SIMGPU_NAME_BYTES], model[SIMGPU_NAME_BYTES];
	char policy[SIMGPU_NAME_BYTES];
	const struct gpu_config *found;

	if (string(parser, "config", config, sizeof(config)) ||
	    string(parser, "model", model, sizeof(model)) ||
	    string(parser, "policy", policy, sizeof(policy)))
		return -EINVAL;
	found = gpu_config_find(config);
	if (!found)
		return refuse(parser, "there is no configuration \"%s\" here",
			      config);
	options->config = *found;
	options->model = registry_model_find(model);
	if (!options->model)
		return refuse(parser, "there is no model \"%s\" here", model);
	options->policy = registry_policy_find(policy);
	if (!options->policy)
		return refuse(parser, "there is no policy \"%s\" here", policy);
	return 0;
}

/* Journals from before there was a choice do not have it: they drained. */
static int start_preemption(struct parser *parser,
			    struct session_options *options)
{
	const struct field *field = find_any(parser, "preemption");

	options->preemption = SESSION_PREEMPTION_DRAIN;
	if (!field)
		return 0;
	if (field->quoted)
		return refuse(parser, "\"preemption\" is in quotes");
	if (!strcmp(field->value, "switch"))
		options->preemption = SESSION_PREEMPTION_SWITCH;
	else if (!strcmp(field->value, "adaptive"))
		options->preemption = SESSION_PREEMPTION_ADAPTIVE;
	else if (strcmp(field->value, "drain"))
		return refuse(parser,
			      "\"preemption\" is not drain, switch or adaptive");
	return 0;
}

static int parse_start(struct parser *parser)
{
	struct session_options *options = &parser->journal->options;
	u32 relaunch, kernel_end;
	u64 version;

	if (number(parser, "version", &version))
		return -EINVAL;
	if (version != 1)
		return refuse(parser, "version %llu is not known", version);
	if (start_names(parser, options) ||
	    number(parser, "seed", &options->seed) ||
	    number_in(parser, "epoch_cycles", SESSION_EPOCH_CYCLES_MIN,
		      SESSION_EPOCH_CYCLES_MAX, &options->epoch_cycles) ||
	    number(parser, "stop_cycle", &options->stop_cycle) ||
	    either(parser, "relaunch", "0", "1", &relaunch) ||
	    either(parser, "kernel_end", "even", "carry", &kernel_end) ||
	    number32(parser, "gang_size", 0, SESSION_SLOTS_MAX,
		     &options->gang_size) ||
	    tunables(parser, &options->tunables) ||
	    start_preemption(parser, options))
		return -EINVAL;
	options->relaunch = relaunch;
	options->kernel_end = kernel_end ? SESSION_KERNEL_END_CARRY :
					   SESSION_KERNEL_END_EVEN;
	return 0;
}

static int parse_tenant(struct parser *parser, struct journal_event *event)
{
	event->kind = JOURNAL_TENANT;
	if (slot(parser, &event->slot) ||
	    string(parser, "name", event->tenant.name,
		   sizeof(event->tenant.name)) ||
	    either(parser, "service", "best_effort", "qos",
		   &event->tenant.service) ||
	    number32(parser, "weight", 1, 1000, &event->tenant.weight))
		return -EINVAL;
	return number_in(parser, "target_ppm", 0, SIMGPU_PPM,
			 &event->tenant.target_ppm);
}

static int parse_join(struct parser *parser, struct journal_event *event)
{
	int ret = parse_tenant(parser, event);

	event->kind = JOURNAL_JOIN;
	return ret;
}

static int parse_launch(struct parser *parser, struct journal_event *event)
{
	u64 checksum = 0;

	event->kind = JOURNAL_LAUNCH;
	if (slot(parser, &event->slot) ||
	    number(parser, "sequence", &event->launch.sequence) ||
	    hexadecimal(parser, "checksum", &checksum) ||
	    number(parser, "bytes", &event->launch.trace_bytes) ||
	    number(parser, "repeats", &event->launch.repeats) ||
	    number(parser, "not_before_cycle", &event->launch.not_before))
		return -EINVAL;
	event->launch.checksum = (u32)checksum;
	return 0;
}

static int parse_leave(struct parser *parser, struct journal_event *event)
{
	event->kind = JOURNAL_LEAVE;
	return slot(parser, &event->slot);
}

static int parse_policy(struct parser *parser, struct journal_event *event)
{
	event->kind = JOURNAL_POLICY;
	return string(parser, "name", event->name, sizeof(event->name));
}

static int parse_model(struct parser *parser, struct journal_event *event)
{
	event->kind = JOURNAL_MODEL;
	return string(parser, "name", event->name, sizeof(event->name));
}

static int parse_tunables(struct parser *parser, struct journal_event *event)
{
	event->kind = JOURNAL_TUNABLES;
	return tunables(parser, &event->tunables);
}

static int parse_epoch_cycles(struct parser *parser, struct journal_event *event)
{
	event->kind = JOURNAL_EPOCH_CYCLES;
	return number(parser, "epoch_cycles", &event->epoch_cycles);
}

static const struct {
	const char *name;
	int (*parse)(struct parser *parser, struct journal_event *event);
} kinds[] = {
	{ "join", parse_join },
	{ "tenant", parse_tenant },
	{ "launch", parse_launch },
	{ "leave", parse_leave },
	{ "policy", parse_policy },
	{ "model", parse_model },
	{ "tunables", parse_tunables },
	{ "epoch_cycles", parse_epoch_cycles },
};

static int add_event(struct parser *parser, const struct journal_event *event)
{
	struct offline_journal *journal = parser->journal;

	if (journal->count == parser->room) {
		u32 room = parser->room ? parser->room * 2 : 64;
		struct journal_event *events =
			realloc(journal->events, room * sizeof(*events));

		if (!events)
			return -ENOMEM;
		journal->events = events;
		parser->room = room;
	}
	journal->events[journal->count++] = *event;
	return 0;
}

static int parse_kind(struct parser *parser, const char *kind)
{
	struct journal_event event = { .cycle = parser->cycle };
	u32 i;

	if (!strcmp(kind, "end")) {
		parser->ended = true;
		parser->journal->end_cycle = parser->cycle;
		return hexadecimal(parser, "state_hash",
				   &parser->journal->state_hash);
	}
	if (!strcmp(kind, "lost"))
		return number(parser, "events", &parser->journal->lost);
	for (i = 0; i < ARRAY_SIZE(kinds); i++) {
		if (strcmp(kind, kinds[i].name))
			continue;
		if (kinds[i].parse(parser, &event))
			return -EINVAL;
		return add_event(parser, &event);
	}
	return refuse(parser, "\"%s\" is not a known kind", kind);
}

static int parse_line(struct parser *parser)
{
	char cycle[24], kind[32];
	u64 before = parser->cycle;

	if (parser->ended)
		return refuse(parser, "the journal goes on after its end");
	if (read_word(parser, cycle, sizeof(cycle)))
		return -EINVAL;
	if (!isdigit((unsigned char)cycle[0]) ||
	    !parse_number(cycle, 10, &parser->cycle))
		return refuse(parser, "the line does not begin with a cycle");
	if (parser->cycle < before)
		return refuse(parser, "the cycle lies before the last line's");
	if (*parser->at++ != ' ' || read_word(parser, kind, sizeof(kind)))
		return refuse(parser, "the line names no kind");
	parser->fields = 0;
	while (*parser->at == ' ') {
		parser->at++;
		if (read_field(parser))
			return -EINVAL;
	}
	if (*parser->at != '\n')
		return refuse(parser, "the line is not one of a journal");
	parser->at++;
	if (parser->error->line > 1)
		return parse_kind(parser, kind);
	if (strcmp(kind, "start") || parser->cycle)
		return refuse(parser, "a journal begins with \"0 start\"");
	return parse_start(parser);
}

int offline_parse_journal(const char *text, struct offline_journal *out,
			  struct offline_journal_error *error)
{
	struct parser parser = { .at = text, .journal = out, .error = error };
	int ret = 0;

	memset(out, 0, sizeof(*out));
	memset(error, 0, sizeof(*error));
	while (!ret && *parser.at) {
		error->line++;
		ret = parse_line(&parser);
	}
	if (!ret && !parser.ended)
		ret = refuse(&parser, "the journal has no \"end\": it is cut off");
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
