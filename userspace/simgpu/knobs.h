/* SPDX-License-Identifier: GPL-2.0 */
/* Knobs of models and policies on the command line: --set NAME=VALUE. */
#ifndef SIMGPU_KNOBS_H
#define SIMGPU_KNOBS_H

#include "command.h"

/* Most parameters that one command line can set. */
#define KNOBS_MAX	32

/**
 * struct knobs - parameters of models and policies that --set gave
 * @count: number of parameters
 * @name: name of each
 * @value: text of its value
 */
struct knobs {
	u32 count;
	struct {
		char name[SIMGPU_NAME_BYTES];
		char value[SIMGPU_NAME_BYTES];
	} set[KNOBS_MAX];
};

/* Parses one --set; a text that is not NAME=VALUE ends the program with usage. */
void knobs_parse(struct argp_state *state, struct knobs *knobs, const char *text);

/**
 * knobs_apply() - set the parameters that model and policy of a session have
 * @knobs: of the command line; parameters that neither has are left out
 * @options: has the parameters' first values
 * @known: NULL, or a bit is set for each of @knobs that one of the two has
 *
 * Return: an exit status; if a value is out of its range, a message has said so.
 */
int knobs_apply(const struct knobs *knobs, struct session_options *options,
		u32 *known);

/* Refuse parameters that are not in @known; @options says which exist. */
int knobs_check(const struct knobs *knobs, u32 known,
		const struct session_options *options);

/* Print a value in its parameter's unit for users, and parse such a text. */
void knob_print(const struct simgpu_param *param, u64 value, char *text,
		size_t room);
bool knob_value(const struct simgpu_param *param, const char *text, u64 *value);

#endif /* SIMGPU_KNOBS_H */
