/* SPDX-License-Identifier: GPL-2.0 */
/* Command lines as tables: what each option's argument is, and where its value goes. */
#ifndef SIMGPU_OPTIONS_H
#define SIMGPU_OPTIONS_H

#include "command.h"

/**
 * enum option_kind - what an option's argument is
 * @OPTION_OWN: the command's own parser takes it
 * @OPTION_FLAG: there is none; a bool becomes true
 * @OPTION_TEXT: any text, kept as a const char *
 * @OPTION_U32: a number, kept as a u32
 * @OPTION_U64: a number, kept as a u64
 * @OPTION_RATIO: a decimal of up to six places, kept as a u64 in parts per million
 */
enum option_kind {
	OPTION_OWN,
	OPTION_FLAG,
	OPTION_TEXT,
	OPTION_U32,
	OPTION_U64,
	OPTION_RATIO,
};

/**
 * struct command_option - an option of a command
 * @name: without its dashes
 * @key: its letter, or a number above 255 that the command's own parser knows; 0: neither
 * @argument: what --help calls the argument; NULL: it has none
 * @help: what --help says of it
 * @flags: as those of struct argp_option
 * @group: place in --help
 * @kind: what its argument is
 * @at: where its value goes, in the command's arguments
 * @given: where a bool stands there that becomes true with it; 0: there is none
 * @least: of a number
 * @most: of a number or a ratio
 */
struct command_option {
	const char *name;
	int key;
	const char *argument;
	const char *help;
	int flags;
	int group;
	enum option_kind kind;
	size_t at;
	size_t given;
	u64 least;
	u64 most;
};

/* Ends of a row, by kind; a file with a table says what AT() is. */
#define TO_FLAG(member)		.kind = OPTION_FLAG, .at = AT(member)
#define TO_TEXT(member)		.kind = OPTION_TEXT, .at = AT(member)
#define TO_U32(member, from, to) \
	.kind = OPTION_U32, .at = AT(member), .least = from, .most = to
#define TO_U64(member, from, to) \
	.kind = OPTION_U64, .at = AT(member), .least = from, .most = to
#define TO_RATIO(member, to)	.kind = OPTION_RATIO, .at = AT(member), .most = to

/**
 * struct command_line - what may stand behind a command's name
 * @options: its options; the last one is empty
 * @own: called for what @options do not take; or NULL
 * @check: called at the end, to refuse what does not go together; or NULL
 * @children: as in struct argp; the first one has the command's own input
 * @words: what --help calls the words that are no options; NULL: it takes none
 * @no_words: what is wrong where there is no such word; NULL: nothing
 * @word: where the one word goes that there may be, a const char *; 0: see @list
 * @list: where their array goes, if they are kept as they are; 0: they are not
 * @count: where their number goes, a u32
 * @about: what --help says of the command
 */
struct command_line {
	const struct command_option *options;
	argp_parser_t own;
	void (*check)(struct argp_state *state);
	const struct argp_child *children;
	const char *words;
	const char *no_words;
	size_t word;
	size_t list;
	size_t count;
	const char *about;
};

/* parse_arguments() of a table; @input is where the values go. */
void parse_command_line(const struct command_line *line, int argc, char **argv,
			unsigned int flags, void *input);

#endif /* SIMGPU_OPTIONS_H */
