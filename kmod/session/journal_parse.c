// SPDX-License-Identifier: GPL-2.0
/* Journals as text (docs/journal.md): lines made into events. */
#include "journal_parse.h"
#include "settings.h"

/* Keys of a line: those of the start, with all settings and all knobs. */
#define KEYS_MAX	(9 + SESSION_SETTINGS_MAX + 2 * SIMGPU_PARAMS_MAX)

/**
 * struct field - a "key=value" of a line
 * @value: without quotes, escapes undone
 * @quoted: whether it stood in quotes
 */
struct field {
	char key[32];
	char value[160];
	bool quoted;
};

/**
 * struct parser - the line being read
 * @at: the next character
 * @fields: how many of @field are set
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

static int digit_of(char c)
{
	if (c >= '0' && c <= '9')
		return c - '0';
	if (c >= 'a' && c <= 'f')
		return c - 'a' + 10;
	if (c >= 'A' && c <= 'F')
		return c - 'A' + 10;
	return 16;
}

/* Digits to the text's end, without a sign, that fit. */
static bool parse_number(const char *text, u32 base, u64 *value)
{
	u64 number = 0;

	if (!*text)
		return false;
	for (; *text; text++) {
		u32 digit = (u32)digit_of(*text);

		if (digit >= base ||
		    __builtin_mul_overflow(number, base, &number) ||
		    __builtin_add_overflow(number, digit, &number))
			return false;
	}
	*value = number;
	return true;
}

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
	if (!parse_number(hex, 16, &code) || !hex[1] || !code)
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

static int number_in(struct parser *parser, const char *key, u64 least,
		     u64 greatest, u64 *value)
{
	const struct field *field = find(parser, key);

	if (!field)
		return -EINVAL;
	if (field->quoted || !parse_number(field->value, 10, value) || *value < least ||
	    *value > greatest)
		return refuse_line(parser, "\"%s\" is not a number in its range",
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
		return refuse_line(parser, "\"%s\" is not of the form 0x...", key);
	return 0;
}

static int string(struct parser *parser, const char *key, char *value,
		  size_t room)
{
	const struct field *field = find(parser, key);

	if (!field)
		return -EINVAL;
	if (!field->quoted || strlen(field->value) >= room)
		return refuse_line(parser, "\"%s\" is not a string, or too long",
			      key);
	memcpy(value, field->value, strlen(field->value) + 1);
	return 0;
}

/* One of some words; @value is set to which. */
static int one_of(struct parser *parser, const char *key,
		  const char *const *words, u32 count, u32 *value)
{
	const struct field *field = find(parser, key);
	u32 i;

	if (!field)
		return -EINVAL;
	for (i = 0; i < count && !field->quoted; i++) {
		if (!strcmp(field->value, words[i])) {
			*value = i;
			return 0;
		}
	}
	return refuse_line(parser, "\"%s\" is not one of its words", key);
}

#define ONE_OF(parser, key, words, value)	\
	one_of(parser, key, words, ARRAY_SIZE(words), value)

/* --- the kinds of lines --- */

static const char *const services[] = { "best_effort", "qos" };

/* A policy or a model, and what stands behind its name. */
struct decider {
	char name[SIMGPU_NAME_BYTES];
	struct journal_source of;
};

static int decider(struct parser *parser, const char *key, struct decider *out)
{
	char source[SIMGPU_NAME_BYTES], sum[SIMGPU_NAME_BYTES];
	u64 checksum = 0;

	snprintf(source, sizeof(source), "%s_source", key);
	snprintf(sum, sizeof(sum), "%s_checksum", key);
	if (string(parser, key, out->name, sizeof(out->name)) ||
	    ONE_OF(parser, source, journal_sources, &out->of.source) ||
	    hexadecimal(parser, sum, &checksum))
		return -EINVAL;
	out->of.checksum = (u32)checksum;
	return 0;
}

/* The one of that name here has to be the one that the journal means. */
static int same(struct parser *parser, const char *what,
		const struct decider *said, struct journal_source here)
{
	if (journal_is_same(said->of, here))
		return 0;
	if (said->of.source != here.source &&
	    (said->of.checksum == here.checksum || !said->of.source ||
	     !here.source))
		return refuse_line(parser, "the journal's %s \"%s\" was %s, the one here is %s",
				   what, said->name, journal_sources[said->of.source],
				   journal_sources[here.source]);
	return refuse_line(parser, "the %s \"%s\" here is of another source (0x%08x) than the journal's (0x%08x)",
			   what, said->name, here.checksum, said->of.checksum);
}

static int find_policy(struct parser *parser, const struct decider *said,
		       const struct simgpu_policy **out)
{
	if (said->of.source == SIMGPU_SOURCE_BPF_MAPS)
		return refuse_line(parser, "the policy \"%s\" kept something in maps of its own, which are not in the journal: no replay finds it",
				   said->name);
	*out = parser->names->policy(said->name);
	if (!*out)
		return refuse_line(parser, "there is no policy \"%s\" here",
				   said->name);
	return same(parser, "policy", said, (struct journal_source) {
		(*out)->source, (*out)->checksum });
}

static int find_model(struct parser *parser, const struct decider *said,
		      const struct simgpu_model **out)
{
	*out = parser->names->model(said->name);
	if (!*out)
		return refuse_line(parser, "there is no model \"%s\" here",
				   said->name);
	return same(parser, "model", said, (struct journal_source) {
		(*out)->source, (*out)->checksum });
}

static int knobs(struct parser *parser, const char *whose,
		 const struct simgpu_param *params, u64 *values)
{
	char key[2 * SIMGPU_NAME_BYTES];
	u32 i;

	for (i = 0; params && i < SIMGPU_PARAMS_MAX && params[i].name; i++) {
		snprintf(key, sizeof(key), "%s.%s", whose, params[i].name);
		if (number_in(parser, key, params[i].least, params[i].most,
			      &values[i]))
			return -EINVAL;
	}
	return 0;
}

static int start_names(struct parser *parser, struct session_options *options)
{
	struct decider model = { .name = "" }, policy = { .name = "" };
	char config[SIMGPU_NAME_BYTES];
	const struct gpu_config *found;

	if (string(parser, "config", config, sizeof(config)) ||
	    decider(parser, "model", &model) ||
	    decider(parser, "policy", &policy))
		return -EINVAL;
	found = parser->names->config(config);
	if (!found)
		return refuse_line(parser,
				   "there is no configuration \"%s\" here",
				   config);
	options->config = *found;
	if (find_model(parser, &model, &options->model) ||
	    find_policy(parser, &policy, &options->policy) ||
	    knobs(parser, "model", options->model->params,
		  options->model_params))
		return -EINVAL;
	return knobs(parser, "policy", options->policy->params,
		     options->policy_params);
}

/* The value of a setting that the line has. */
static int setting_value(struct parser *parser,
			 const struct session_setting *setting, u64 *value)
{
	u32 word = 0;
	int ret;

	if (setting->words) {
		ret = one_of(parser, setting->name, setting->words,
			     (u32)setting->most + 1, &word);
		*value = word;
		return ret;
	}
	if (number(parser, setting->name, value))
		return -EINVAL;
	if (!session_setting_fits(setting, *value) ||
	    (!*value && setting->flags & SESSION_SETTING_UNSAID_0))
		return refuse_line(parser, "\"%s\" is not a number in its range",
				   setting->name);
	return 0;
}

static int start_settings(struct parser *parser, struct session_options *options)
{
	u64 value = 0;

	session_for_each_setting(setting) {
		if (!(setting->flags & SESSION_SETTING_JOURNAL) ||
		    (setting->flags & SESSION_SETTING_UNSAID_0 &&
		     !find_any(parser, setting->name)))
			continue;
		if (setting_value(parser, setting, &value))
			return -EINVAL;
		session_setting_set(setting, options, value);
	}
	return 0;
}

static int parse_start(struct parser *parser)
{
	struct session_options *options = &parser->line->start;
	u64 version, constants = 0;

	if (number(parser, "version", &version))
		return -EINVAL;
	if (version < 3)
		return refuse_line(parser, "version %llu is of an older simgpu, whose state hashes left things out: record the run again",
				   version);
	if (version > 3)
		return refuse_line(parser, "version %llu is not known",
				   version);
	if (start_names(parser, options) || start_settings(parser, options) ||
	    hexadecimal(parser, "constants", &constants))
		return -EINVAL;
	parser->line->constants_checksum = (u32)constants;
	return 0;
}

static int parse_tenant(struct parser *parser, struct journal_event *event)
{
	event->kind = JOURNAL_TENANT;
	if (slot(parser, &event->slot) ||
	    string(parser, "name", event->tenant.name,
		   sizeof(event->tenant.name)) ||
	    ONE_OF(parser, "service", services, &event->tenant.service) ||
	    number32(parser, "weight", 1, SESSION_WEIGHT_MAX,
		     &event->tenant.weight))
		return -EINVAL;
	if (find_any(parser, "cgroup") &&
	    number_in(parser, "cgroup", 1, U64_MAX, &event->tenant.cgroup))
		return -EINVAL;
	if (find_any(parser, "share_ppm") &&
	    number32(parser, "share_ppm", 1, SIMGPU_PPM,
		     &event->tenant.share_ppm))
		return -EINVAL;
	if (find_any(parser, "goal_kind") &&
	    (ONE_OF(parser, "goal_kind", journal_goals,
		    &event->tenant.goal_kind) ||
	     number_in(parser, "goal", 1, U64_MAX, &event->tenant.goal)))
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

/* -@most to @most */
static bool signed_number(const struct field *field, u32 most, s32 *value)
{
	bool negative = *field->value == '-';
	u64 size;

	if (field->quoted ||
	    !parse_number(field->value + negative, 10, &size) || size > most)
		return false;
	*value = negative ? -(s32)size : (s32)size;
	return true;
}

/* In which queue a launch is, what it waits for and may suffer: absent if usual. */
static int parse_order(struct parser *parser, struct journal_event *event)
{
	char key[] = "wait0";
	u32 queue = 0, more = 0, idempotent = 0;

	if (find_any(parser, "queue") &&
	    number32(parser, "queue", 0, SESSION_QUEUES_MAX - 1, &queue))
		return -EINVAL;
	if (find_any(parser, "more") && number32(parser, "more", 0, 1, &more))
		return -EINVAL;
	if (find_any(parser, "idempotent") &&
	    number32(parser, "idempotent", 0, 1, &idempotent))
		return -EINVAL;
	for (; key[4] < '0' + SESSION_WAITS_MAX; key[4]++)
		if (find_any(parser, key) &&
		    number(parser, key, &event->launch.wait[key[4] - '0']))
			return -EINVAL;
	event->launch.queue = (u8)queue;
	event->launch.more = more;
	event->launch.idempotent = idempotent;
	return 0;
}

/* A mask of SMs, of which a launch's may be absent. */
static int parse_sms(struct parser *parser, bool absent,
		     u64 sms[SESSION_MASK_WORDS])
{
	char key[] = "sms0";
	u32 i;

	for (i = 0; i < SESSION_MASK_WORDS; i++, key[3]++)
		if (!(absent && !find_any(parser, key)) &&
		    hexadecimal(parser, key, &sms[i]))
			return -EINVAL;
	return 0;
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
	/* Absent if there is none. */
	if (find_any(parser, "deadline_cycle") &&
	    number(parser, "deadline_cycle", &event->launch.deadline))
		return -EINVAL;
	if (parse_sms(parser, true, event->launch.sms))
		return -EINVAL;
	return parse_order(parser, event);
}

static int parse_queue(struct parser *parser, struct journal_event *event)
{
	const struct field *field;

	event->kind = JOURNAL_QUEUE;
	if (slot(parser, &event->slot) ||
	    number32(parser, "queue", 0, SESSION_QUEUES_MAX - 1,
		     &event->queue.number))
		return -EINVAL;
	field = find(parser, "priority");
	if (!field)
		return -EINVAL;
	if (!signed_number(field, SESSION_QUEUE_PRIORITY_MAX,
			   &event->queue.priority))
		return refuse_line(parser,
				   "\"priority\" is not a number in its range");
	return 0;
}

/* Whether the device has what they name is seen where they are set. */
static int parse_masks(struct parser *parser, struct journal_event *event)
{
	event->kind = JOURNAL_MASKS;
	if (slot(parser, &event->slot) ||
	    parse_sms(parser, false, event->masks.sms) ||
	    hexadecimal(parser, "channels", &event->masks.channels))
		return -EINVAL;
	return hexadecimal(parser, "llc_ways", &event->masks.llc_ways);
}

static int parse_plan(struct parser *parser, struct arrivals_plan *plan)
{
	if (ONE_OF(parser, "kind", journal_arrivals, &plan->kind) ||
	    number32(parser, "launches", 1, ARRIVALS_LAUNCHES_MAX,
		     &plan->launches) ||
	    number_in(parser, "requests", 1, ARRIVALS_REQUESTS_MAX,
		      &plan->requests) ||
	    number(parser, "seed", &plan->seed) ||
	    number(parser, "rate", &plan->rate) ||
	    number(parser, "every_cycles", &plan->every_cycles))
		return -EINVAL;
	return number(parser, "deadline_cycles", &plan->deadline_cycles);
}

static int parse_arrivals(struct parser *parser, struct journal_event *event)
{
	u64 checksum = 0, list = 0;

	event->kind = JOURNAL_ARRIVALS;
	if (slot(parser, &event->slot) ||
	    number(parser, "sequence", &event->arrivals.sequence) ||
	    hexadecimal(parser, "checksum", &checksum) ||
	    number(parser, "bytes", &event->arrivals.trace_bytes) ||
	    parse_plan(parser, &event->arrivals.plan) ||
	    hexadecimal(parser, "list", &list))
		return -EINVAL;
	event->arrivals.checksum = (u32)checksum;
	event->arrivals.list_checksum = (u32)list;
	return 0;
}

static int parse_leave(struct parser *parser, struct journal_event *event)
{
	event->kind = JOURNAL_LEAVE;
	return slot(parser, &event->slot);
}

static int parse_name(struct parser *parser, struct journal_event *event,
		      struct decider *said)
{
	if (decider(parser, "name", said))
		return -EINVAL;
	memcpy(event->name, said->name, sizeof(event->name));
	event->source = said->of.source;
	event->checksum = said->of.checksum;
	return 0;
}

static int parse_policy(struct parser *parser, struct journal_event *event)
{
	const struct simgpu_policy *unused;
	struct decider said = { .name = "" };

	event->kind = JOURNAL_POLICY;
	return parse_name(parser, event, &said) ? :
	       find_policy(parser, &said, &unused);
}

static int parse_model(struct parser *parser, struct journal_event *event)
{
	const struct simgpu_model *unused;
	struct decider said = { .name = "" };

	event->kind = JOURNAL_MODEL;
	return parse_name(parser, event, &said) ? :
	       find_model(parser, &said, &unused);
}

static int parse_param(struct parser *parser, struct journal_event *event)
{
	if (string(parser, "name", event->name, sizeof(event->name)))
		return -EINVAL;
	return number(parser, "value", &event->value);
}

static int parse_model_param(struct parser *parser, struct journal_event *event)
{
	event->kind = JOURNAL_MODEL_PARAM;
	return parse_param(parser, event);
}

static int parse_policy_param(struct parser *parser,
			      struct journal_event *event)
{
	event->kind = JOURNAL_POLICY_PARAM;
	return parse_param(parser, event);
}

static int parse_constants(struct parser *parser, struct journal_event *event)
{
	u64 checksum = 0;

	event->kind = JOURNAL_CONSTANTS;
	if (number32(parser, "bytes", 1, SIMGPU_CONSTANTS_BYTES_MAX,
		     &event->constants.bytes) ||
	    hexadecimal(parser, "checksum", &checksum))
		return -EINVAL;
	event->constants.checksum = (u32)checksum;
	return 0;
}

static int parse_epoch_cycles(struct parser *parser, struct journal_event *event)
{
	event->kind = JOURNAL_EPOCH_CYCLES;
	return number(parser, "epoch_cycles", &event->epoch_cycles);
}

/* What it says is for people. */
static int parse_fallback(struct parser *parser, struct journal_event *event)
{
	event->kind = JOURNAL_FALLBACK;
	return string(parser, "reason", event->fallback.reason,
		      sizeof(event->fallback.reason));
}

static const struct {
	const char *name;
	int (*parse)(struct parser *parser, struct journal_event *event);
} kinds[] = {
	{ "join", parse_join },
	{ "tenant", parse_tenant },
	{ "launch", parse_launch },
	{ "queue", parse_queue },
	{ "arrivals", parse_arrivals },
	{ "leave", parse_leave },
	{ "policy", parse_policy },
	{ "model", parse_model },
	{ "model_param", parse_model_param },
	{ "policy_param", parse_policy_param },
	{ "constants", parse_constants },
	{ "epoch_cycles", parse_epoch_cycles },
	{ "fallback", parse_fallback },
	{ "masks", parse_masks },
};

static int parse_kind(struct parser *parser, const char *kind)
{
	struct journal_line *line = parser->line;
	u32 i;

	if (!strcmp(kind, "start")) {
		line->kind = JOURNAL_LINE_START;
		return parse_start(parser);
	}
	if (!strcmp(kind, "end")) {
		line->kind = JOURNAL_LINE_END;
		return hexadecimal(parser, "state_hash", &line->state_hash);
	}
	if (!strcmp(kind, "lost")) {
		line->kind = JOURNAL_LINE_LOST;
		return number(parser, "events", &line->lost);
	}
	line->kind = JOURNAL_LINE_EVENT;
	line->event.cycle = line->cycle;
	for (i = 0; i < ARRAY_SIZE(kinds); i++)
		if (!strcmp(kind, kinds[i].name))
			return kinds[i].parse(parser, &line->event);
	return refuse_line(parser, "\"%s\" is not a known kind", kind);
}

static int parse_words(struct parser *parser)
{
	char cycle[24], kind[32];

	if (read_word(parser, cycle, sizeof(cycle)))
		return -EINVAL;
	if (!parse_number(cycle, 10, &parser->line->cycle))
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
	return parse_kind(parser, kind);
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
