// SPDX-License-Identifier: GPL-2.0
/* The table of an injection's keys, and its text both ways; see injection_text.h. */
#include <simgpu/member.h>

#include "number.h"
#include "session.h"

/* A longer word is none that is known, and a longer number none that fits. */
#define WORD_BYTES	32
/* Digits behind the point of a ratio */
#define RATIO_DIGITS	6

/* How a key's value is written */
enum form {
	FORM_NUMBER,
	FORM_RATIO,	/* a decimal; kept in parts per million */
	FORM_WORD,	/* one of the key's words */
};

/**
 * struct injection_key - a key of an injection
 * @name: its name
 * @at: where its value is in &struct session_injection
 * @bytes: size of that
 * @least: the least value
 * @most: the greatest one
 * @without: the value without the key
 * @form: how the value is written
 * @words: of a word: the words by value
 */
struct injection_key {
	const char *name;
	size_t at;
	size_t bytes;
	u64 least;
	u64 most;
	u64 without;
	enum form form;
	const char *const *words;
};

#define TO(member) .at = offsetof(struct session_injection, member), \
	.bytes = sizeof(((struct session_injection *)NULL)->member)

static const struct injection_key keys[] = {
	{ "tenant", TO(slot), 0, SESSION_SLOTS_MAX - 1, .without = SESSION_INJECT_ANY },
	{ "launch", TO(launch), 1, U64_MAX },
	{ "after", TO(after), 1, U64_MAX },
	{ "times", TO(times), 1, U64_MAX },
	{ "cycles", TO(after_cycles), 0, SESSION_TIMEOUT_CYCLES_MAX },
	{ "probability", TO(probability_ppm), 1, SIMGPU_PPM, .form = FORM_RATIO },
	{ "survives", TO(survives), 1, SESSION_SURVIVES - 1, .form = FORM_WORD,
	  .words = session_survives_names },
};

__printf(2, 3)
static int refuse(char *why, const char *format, ...)
{
	va_list arguments;

	va_start(arguments, format);
	vsnprintf(why, SESSION_INJECTION_BYTES, format, arguments);
	va_end(arguments);
	return -EINVAL;
}

/* Copy a word up to one of @ends. Return: what follows it. */
static const char *take_word(const char *text, const char *ends, char word[WORD_BYTES])
{
	size_t length = strcspn(text, ends);
	size_t kept = min_t(size_t, length, WORD_BYTES - 1);

	memcpy(word, text, kept);
	word[kept] = '\0';
	return text + length;
}

static bool is_ratio(const char *text, u64 *value)
{
	char whole[WORD_BYTES], digits[RATIO_DIGITS + 1];
	const char *point = take_word(text, ".", whole);
	size_t given = *point ? strlen(point + 1) : 0;
	u64 ones, millionths = 0;

	if (!session_parse_number(whole, 10, &ones) || ones > 1 || given > RATIO_DIGITS)
		return false;
	memset(digits, '0', RATIO_DIGITS);
	digits[RATIO_DIGITS] = '\0';
	if (given)
		memcpy(digits, point + 1, given);
	if ((*point && !given) || !session_parse_number(digits, 10, &millionths))
		return false;
	*value = ones * SIMGPU_PPM + millionths;
	return true;
}

/* A list of words for people: "a, b or c". */
static void join_words(const char *const *words, u64 least, u64 most, char *all, size_t room)
{
	size_t length = 0;
	u64 i;

	for (i = least; i <= most && length < room; i++)
		length += (size_t)snprintf(all + length, room - length, "%s%s",
					   i == least ? "" : i < most ? ", " : " or ",
					   words[i]);
}

/* Find a word. Return: its place, or @most + 1. */
static u64 find_word(const char *const *words, u64 least, u64 most, const char *word)
{
	for (; least <= most; least++)
		if (!strcmp(words[least], word))
			break;
	return least;
}

static int read_value(const struct injection_key *key, const char *text, u64 *value,
		      char *why)
{
	char all[WORD_BYTES * SESSION_SURVIVES];

	switch (key->form) {
	case FORM_WORD:
		*value = find_word(key->words, key->least, key->most, text);
		if (*value <= key->most)
			return 0;
		join_words(key->words, key->least, key->most, all, sizeof(all));
		return refuse(why, "%s= is %s, not \"%s\"", key->name, all, text);
	case FORM_RATIO:
		if (is_ratio(text, value) && *value >= key->least && *value <= key->most)
			return 0;
		return refuse(why, "%s= takes a part above 0 up to 1, not \"%s\"", key->name,
			      text);
	default:
		if (session_parse_number(text, 10, value) && *value >= key->least &&
		    *value <= key->most)
			return 0;
		return refuse(why, "%s= takes a number from %llu to %llu, not \"%s\"",
			      key->name, key->least, key->most, text);
	}
}

static int read_key(const char *name, const char *text, struct session_injection *out,
		    char *why)
{
	u64 value = 0;
	size_t i;

	for (i = 0; i < ARRAY_SIZE(keys); i++) {
		if (strcmp(keys[i].name, name))
			continue;
		if (read_value(&keys[i], text, &value, why))
			return -EINVAL;
		member_set(out, keys[i].at, keys[i].bytes, value);
		return 0;
	}
	return refuse(why, "has no key \"%s\"", name);
}

static int read_kind(const char *word, struct session_injection *out, char *why)
{
	char all[WORD_BYTES * SESSION_FAILURES];
	const u64 least = SESSION_FAILURE_NONE + 1, most = SESSION_FAILURES - 1;

	out->kind = (u32)find_word(session_failure_names, least, most, word);
	if (out->kind <= most)
		return 0;
	join_words(session_failure_names, least, most, all, sizeof(all));
	return refuse(why, "is %s, not \"%s\"", all, word);
}

int session_injection_parse(const char *text, struct session_injection *out,
			    char why[SESSION_INJECTION_BYTES])
{
	struct session_injection injection = { .slot = SESSION_INJECT_ANY };
	char name[WORD_BYTES], value[WORD_BYTES];

	text = take_word(text, ":\n", name);
	if (read_kind(name, &injection, why))
		return -EINVAL;
	while (*text && *text != '\n') {
		text = take_word(text + 1, "=,\n", name);
		if (*text != '=')
			return refuse(why, "takes KIND[:KEY=VALUE,...]; \"%s\" has no value",
				      name);
		text = take_word(text + 1, ",\n", value);
		if (read_key(name, value, &injection, why))
			return -EINVAL;
	}
	if (!session_injection_is_good(&injection))
		return refuse(why, "%s: survives= is of a hang alone",
			      session_failure_names[injection.kind]);
	*out = injection;
	return 0;
}

static int print_value(const struct injection_key *key, u64 value, char *text,
		       size_t room)
{
	switch (key->form) {
	case FORM_WORD:
		return snprintf(text, room, "%s", key->words[value]);
	case FORM_RATIO:
		return snprintf(text, room, "%llu.%06llu", value / SIMGPU_PPM,
				value % SIMGPU_PPM);
	default:
		return snprintf(text, room, "%llu", value);
	}
}

void session_injection_print(const struct session_injection *injection,
			     char text[SESSION_INJECTION_BYTES])
{
	char before = ':';
	size_t length, i;

	length = (size_t)snprintf(text, SESSION_INJECTION_BYTES, "%s",
				  session_failure_names[injection->kind]);
	for (i = 0; i < ARRAY_SIZE(keys); i++) {
		u64 value = member_get(injection, keys[i].at, keys[i].bytes);

		if (value == keys[i].without)
			continue;
		length += (size_t)snprintf(text + length, SESSION_INJECTION_BYTES - length,
					   "%c%s=", before, keys[i].name);
		length += (size_t)print_value(&keys[i], value, text + length,
					      SESSION_INJECTION_BYTES - length);
		before = ',';
	}
}
