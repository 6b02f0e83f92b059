/* SPDX-License-Identifier: GPL-2.0 */
/* Shared by the files of `simgpu stat`. */
#ifndef SIMGPU_STAT_H
#define SIMGPU_STAT_H

#include "../command.h"

/**
 * struct stat_arguments - the parsed command line
 * @epochs: with @follow, number of epochs
 * @output: file for a command's figures; NULL: standard error
 * @command: command to run, ended by NULL; NULL: show the present figures
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

#endif /* SIMGPU_STAT_H */
