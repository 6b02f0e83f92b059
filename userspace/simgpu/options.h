/* SPDX-License-Identifier: GPL-2.0 */
/* Command lines as tables: the argument of each option, and where its value is stored. */
#ifndef SIMGPU_OPTIONS_H
#define SIMGPU_OPTIONS_H

#include "command.h"

/**
 * enum option_kind - the kind of an option's argument
 * @OPTION_OWN: the command's own parser parses it
 * @OPTION_FLAG: no argument; a bool becomes true
 * @OPTION_TEXT: any text, kept as a const char *
 * @OPTION_U32: a number, kept as a u32
 * @OPTION_U64: a number, kept as a u64
 * @OPTION_MIB: a size of memory such as 512, 512M or 1G, in MiB, kept as a u64 in bytes
 * @OPTION_RATIO: a decimal of up to six places, kept as a u64 in parts per million
 */
enum option_kind {
	OPTION_OWN,
	OPTION_FLAG,
	OPTION_TEXT,
	OPTION_U32,
	OPTION_U64,
	OPTION_MIB,
	OPTION_RATIO,
};

/**
 * struct command_option - an option of a command
 * @name: without its dashes
 * @key: its letter, or a number above 255 that the command's own parser knows; 0: none
 * @argument: name of the argument in --help; NULL: it has none
 * @help: text in --help
 * @flags: as in struct argp_option
 * @group: place in --help
 * @kind: kind of the argument
 * @at: offset of the value in the command's arguments
 * @given: offset of a bool that becomes true if the option is given; 0: there is none
 * @least: least number
 * @most: greatest number or ratio
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

/* Ends of a row, by kind; a file with a table defines AT(). */
#define TO_FLAG(member)		.kind = OPTION_FLAG, .at = AT(member)
#define TO_TEXT(member)		.kind = OPTION_TEXT, .at = AT(member)
#define TO_U32(member, from, to) \
	.kind = OPTION_U32, .at = AT(member), .least = from, .most = to
#define TO_U64(member, from, to) \
	.kind = OPTION_U64, .at = AT(member), .least = from, .most = to
#define TO_MIB(member)		.kind = OPTION_MIB, .at = AT(member)
#define TO_RATIO(member, to)	.kind = OPTION_RATIO, .at = AT(member), .most = to

/**
 * struct command_line - what may follow a command's name
 * @options: its options; the last one is empty
 * @own: called for what @options do not parse; or NULL
 * @check: called at the end, to refuse options that do not go together; or NULL
 * @children: as in struct argp; the first one has the command's own input
 * @words: name in --help of words that are no options; NULL: the command takes none
 * @no_words: message if there is no such word; NULL: words may be missing
 * @word: offset where the only word is stored, a const char *; 0: see @list
 * @list: offset where the array of words is stored; 0: words are not stored
 * @count: offset where the number of words is stored, a u32
 * @about: description in --help
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

/* parse_arguments() for a table; the values are stored in @input. */
void parse_command_line(const struct command_line *line, int argc, char **argv,
			unsigned int flags, void *input);

#endif /* SIMGPU_OPTIONS_H */
