// SPDX-License-Identifier: GPL-2.0
/* The subcommand that was typed; see dispatch.h. */
#include "dispatch.h"
#include "names.h"

static void print_commands(FILE *out, const struct command *commands,
			   const char *about)
{
	fprintf(out, "Usage: %s COMMAND [OPTION...]\n%s\n\n", command_words, about);
	for (; commands->name; commands++)
		fprintf(out, "  %-9s %s\n", commands->name, commands->summary);
	fprintf(out, "\n%s COMMAND --help tells more, with examples.\n", command_words);
}

static bool asks_for_help(const char *text)
{
	return !strcmp(text, "--help") || !strcmp(text, "-?") ||
	       !strcmp(text, "-h");
}

static int no_command(const struct command *commands, const char *name)
{
	struct names names = { .wanted = name };
	char where[sizeof(command_words) + 8];

	for (; commands->name; commands++)
		names_add(&names, commands->name);
	snprintf(where, sizeof(where), "%s --help", command_words);
	return names_fail(&names, "command", where);
}

int dispatch(const struct command *commands, const char *about, int argc,
	     char **argv)
{
	const struct command *command;
	const char *name = argc > 1 ? argv[1] : NULL;

	if (!name) {
		print_commands(stderr, commands, about);
		return STATUS_USAGE;
	}
	if (asks_for_help(name) || !strcmp(name, "help")) {
		print_commands(stdout, commands, about);
		return STATUS_OK;
	}
	if (!strcmp(name, "--version") || !strcmp(name, "-V")) {
		puts(argp_program_version);
		return STATUS_OK;
	}
	for (command = commands; command->name; command++) {
		size_t length = strlen(command_words);

		if (strcmp(command->name, name))
			continue;
		snprintf(command_words + length, sizeof(command_words) - length, " %s", name);
		argv[1] = command_words;
		return command->run(argc - 1, argv + 1);
	}
	return no_command(commands, name);
}
