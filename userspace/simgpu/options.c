// SPDX-License-Identifier: GPL-2.0
/* Command lines as tables; see options.h. */
#include "options.h"

#define OPTIONS_MAX	32
/* Keys of options without a letter are this plus their index; --wide has the one below. */
#define KEY_FIRST	0x20000

/* The command line that is being parsed. */
static const struct command_line *parsed;

static int option_key(const struct command_option *option)
{
	return option->key || option->kind == OPTION_OWN ? option->key :
	       KEY_FIRST + (int)(option - parsed->options);
}

static const struct command_option *find_option(int key)
{
	const struct command_option *option = parsed->options;

	for (; option->name || option->help; option++)
		if (option->kind != OPTION_OWN && option_key(option) == key)
			return option;
	return NULL;
}

static u64 ratio_value(struct argp_state *state, const char *name,
		       const char *text, u64 most_ppm)
{
	u64 value = 0;

	if (!parse_ppm(text, &value) || value > most_ppm)
		argp_error(state, "%s takes a number from 0 to %llu, not \"%s\"",
			   name, most_ppm / SIMGPU_PPM, text);
	return value;
}

static void take_option(struct argp_state *state,
			const struct command_option *option, const char *text)
{
	void *to = (char *)state->input + option->at;
	char name[SIMGPU_NAME_MAX];

	snprintf(name, sizeof(name), "--%s", option->name);
	if (option->kind == OPTION_FLAG)
		*(bool *)to = true;
	else if (option->kind == OPTION_TEXT)
		*(const char **)to = text;
	else if (option->kind == OPTION_RATIO)
		*(u64 *)to = ratio_value(state, name, text, option->most);
	else if (option->kind == OPTION_MIB)
		*(u64 *)to = option_mib(state, name, text) << 20;
	else if (option->kind == OPTION_U64)
		*(u64 *)to = option_number(state, name, text, option->least,
					   option->most);
	else
		*(u32 *)to = (u32)option_number(state, name, text, option->least,
						option->most);
	if (option->given)
		*((bool *)state->input + option->given) = true;
}

/* Store the words that are no options. */
static void take_words(struct argp_state *state)
{
	*(char ***)((char *)state->input + parsed->list) =
		state->argv + state->next;
	*(u32 *)((char *)state->input + parsed->count) =
		(u32)(state->argc - state->next);
}

static error_t parse_option(int key, char *text, struct argp_state *state)
{
	const struct command_option *option = find_option(key);

	if (option) {
		take_option(state, option, text);
		return 0;
	}
	if (key == ARGP_KEY_ARGS && parsed->list) {
		take_words(state);
		return 0;
	}
	if (key == ARGP_KEY_ARG && parsed->word) {
		if (state->arg_num)
			argp_error(state, "\"%s\" is one word too many", text);
		*(const char **)((char *)state->input + parsed->word) = text;
		return 0;
	}
	if (key == ARGP_KEY_INIT && parsed->children)
		state->child_inputs[0] = state->input;
	if (key == ARGP_KEY_NO_ARGS && parsed->no_words)
		argp_error(state, "%s", parsed->no_words);
	if (key == ARGP_KEY_ARG && !parsed->words)
		argp_error(state, "\"%s\" is one word too many", text);
	if (key == ARGP_KEY_END && parsed->check)
		parsed->check(state);
	return parsed->own ? parsed->own(key, text, state) : ARGP_ERR_UNKNOWN;
}

void parse_command_line(const struct command_line *line, int argc, char **argv,
			unsigned int flags, void *input)
{
	const struct command_option *option = line->options;
	struct argp_option options[OPTIONS_MAX] = { { 0 } }, *to = options;
	const struct argp argp = {
		.options = options,
		.parser = parse_option,
		.children = line->children,
		.args_doc = line->words,
		.doc = line->about,
	};

	parsed = line;
	for (; option->name || option->help; option++)
		*to++ = (struct argp_option) {
			option->name, option_key(option), option->argument,
			option->flags, option->help, option->group
		};
	parse_arguments(&argp, argc, argv, flags, input);
}
