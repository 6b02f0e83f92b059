// SPDX-License-Identifier: GPL-2.0
/* --inject: KIND[:KEY=VALUE,...]; see inject.h. */
#include "inject.h"

#include <simgpu/member.h>

const char inject_help[] =
	"A failure that is to happen; may be repeated. KIND is hang, address, memory, copy or lost; keys: tenant=SLOT (else each), launch=N (its N-th run of a trace), after=N (so many runs pass before), times=N (in so many runs at most), cycles=N (so long after the run's first kernel or copy began), probability=P (in each of these runs), survives=kill|sm-reset (what does not end a hang)";

/**
 * struct key - a key of an injection
 * @name: its name
 * @at: where its number is stored in &struct session_injection
 * @bytes: size of that
 * @least: the least number
 * @most: the greatest one
 * @ratio: it is a decimal, kept in parts per million
 * @words: words for its values, from 1 on, @most of them; NULL: it is a number
 */
struct key {
	const char *name;
	size_t at;
	size_t bytes;
	u64 least;
	u64 most;
	bool ratio;
	const char *const *words;
};

#define TO(member) .at = offsetof(struct session_injection, member), \
	.bytes = sizeof(((struct session_injection *)NULL)->member)

static const struct key keys[] = {
	{ "tenant", TO(slot), 0, SESSION_SLOTS_MAX - 1, false, NULL },
	{ "launch", TO(launch), 1, U64_MAX, false, NULL },
	{ "after", TO(after), 1, U64_MAX, false, NULL },
	{ "times", TO(times), 1, U64_MAX, false, NULL },
	{ "cycles", TO(after_cycles), 0, SESSION_TIMEOUT_CYCLES_MAX, false, NULL },
	{ "probability", TO(probability_ppm), 1, SIMGPU_PPM, true, NULL },
	{ "survives", TO(survives), 1, SESSION_SURVIVES - 1, false, session_survives_names },
};

static const struct key *find_key(struct argp_state *state, const char *name)
{
	size_t i;

	for (i = 0; i < ARRAY_SIZE(keys); i++)
		if (!strcmp(keys[i].name, name))
			return &keys[i];
	argp_error(state, "--inject has no key \"%s\"", name);
	return NULL;
}

static u64 value_of(struct argp_state *state, const struct key *key, const char *text)
{
	char option[64];
	u64 value;

	snprintf(option, sizeof(option), "--inject %s=", key->name);
	if (key->words)
		return key->least + option_word(state, option, key->words + key->least,
						(u32)(key->most - key->least + 1), text);
	if (!key->ratio)
		return option_number(state, option, text, key->least, key->most);
	if (!parse_ppm(text, &value) || value < key->least || value > key->most)
		argp_error(state, "%s takes a part above 0 up to 1, not \"%s\"", option, text);
	return value;
}

void inject_parse(struct argp_state *state, struct injections *list, char *text)
{
	struct session_injection injection = { .slot = SESSION_INJECT_ANY };
	char *rest, *part = strtok_r(text, ":", &rest);

	if (list->count == SESSION_INJECTIONS_MAX)
		argp_error(state, "--inject can be given %d times", SESSION_INJECTIONS_MAX);
	injection.kind = 1 + option_word(state, "--inject", session_failure_names + 1,
					 SESSION_FAILURES - 1, part ? part : "");
	while ((part = strtok_r(NULL, ",", &rest))) {
		char *value = strchr(part, '=');
		const struct key *key;

		if (!value)
			argp_error(state, "--inject takes KIND[:KEY=VALUE,...]; \"%s\" has no value",
				   part);
		*value++ = '\0';
		key = find_key(state, part);
		member_set(&injection, key->at, key->bytes, value_of(state, key, value));
	}
	if (!session_injection_is_good(&injection))
		argp_error(state, "--inject: survives= is of a hang alone");
	list->list[list->count++] = injection;
}

void inject_for_gang(const struct injections *list, struct simgpu_injection *out)
{
	u32 i;

	for (i = 0; i < list->count; i++)
		row_injection(&list->list[i], &out[i]);
}
