/* SPDX-License-Identifier: GPL-2.0 */
/* What the parts of `simgpu stat` share. */
#ifndef SIMGPU_STAT_H
#define SIMGPU_STAT_H

#include "../command.h"

/**
 * struct stat_arguments - the parsed command line
 * @epochs: with @follow: how many
 * @output: file for a command's figures; NULL: standard error
 * @command: to run, ended by NULL; NULL: show what is there now
 */
struct stat_arguments {
	unsigned int device;
	bool device_given;
	bool json;
	bool follow;
	u64 epochs;
	const char *output;
	char **command;
};

/* Run a command and print what its tenants got; its exit status. */
int stat_run(const struct stat_arguments *arguments);

#endif /* SIMGPU_STAT_H */
