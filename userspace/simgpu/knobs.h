/* SPDX-License-Identifier: GPL-2.0 */
/* Knobs of models and policies on the command line: --set NAME=VALUE. */
#ifndef SIMGPU_KNOBS_H
#define SIMGPU_KNOBS_H

#include "command.h"

/* Knobs that one command line can set. */
#define KNOBS_MAX	32

/**
 * struct knobs - what --set gave
 * @count: how many
 * @name: of each
 * @value: its text
 */
struct knobs {
	u32 count;
	struct {
		char name[SIMGPU_NAME_BYTES];
		char value[SIMGPU_NAME_BYTES];
	} set[KNOBS_MAX];
};

/* One --set; a text that is not NAME=VALUE ends the program with usage. */
void knobs_parse(struct argp_state *state, struct knobs *knobs, const char *text);

/**
 * knobs_apply() - set the knobs that model and policy of a session have
 * @knobs: of the command line; those that neither has are left out
 * @options: with the knobs' first values
 * @known: NULL, or a bit is set for each of @knobs that one of the two has
 *
 * Return: an exit status: a value is out of its range, and that has been said.
 */
int knobs_apply(const struct knobs *knobs, struct session_options *options,
		u32 *known);

/* Complain about knobs that are not in @known; @options tells which exist. */
int knobs_check(const struct knobs *knobs, u32 known,
		const struct session_options *options);

/* A value in its knob's unit as people write it, and the other way round. */
void knob_print(const struct simgpu_param *param, u64 value, char *text,
		size_t room);
bool knob_value(const struct simgpu_param *param, const char *text, u64 *value);

#endif /* SIMGPU_KNOBS_H */
