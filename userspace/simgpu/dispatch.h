/* SPDX-License-Identifier: GPL-2.0 */
/* Tables of subcommands. */
#ifndef SIMGPU_DISPATCH_H
#define SIMGPU_DISPATCH_H

#include "command.h"

/**
 * struct command - a subcommand
 * @name: as typed
 * @summary: what it does, in a few words
 * @run: runs it; argv[0] is all words so far ("simgpu run"), and the arguments follow;
 *	returns an exit status
 */
struct command {
	const char *name;
	const char *summary;
	int (*run)(int argc, char **argv);
};

/**
 * dispatch() - run the subcommand that argv[1] names
 * @commands: an entry without a name ends the table
 * @about: the text above the list in --help
 */
int dispatch(const struct command *commands, const char *about, int argc,
	     char **argv);

#endif /* SIMGPU_DISPATCH_H */
