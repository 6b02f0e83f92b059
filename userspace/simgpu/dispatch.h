/* SPDX-License-Identifier: GPL-2.0 */
/* Tables of subcommands, of which one is run. */
#ifndef SIMGPU_DISPATCH_H
#define SIMGPU_DISPATCH_H

#include "command.h"

/**
 * struct command - a subcommand
 * @name: as typed
 * @summary: what it does, in a few words
 * @run: gets the arguments from the subcommand's name on, which stands there
 *	with all words before it ("simgpu run"); returns an exit status
 */
struct command {
	const char *name;
	const char *summary;
	int (*run)(int argc, char **argv);
};

/**
 * dispatch() - run the subcommand that argv[1] names
 * @commands: ended by an entry without a name
 * @about: what stands above the list in --help
 */
int dispatch(const struct command *commands, const char *about, int argc,
	     char **argv);

#endif /* SIMGPU_DISPATCH_H */
