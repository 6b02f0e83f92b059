/* SPDX-License-Identifier: GPL-2.0 */
/* Parameters of models and policies on the command line: --set NAME=VALUE. */
#ifndef SIMGPU_PARAM_TEXT_H
#define SIMGPU_PARAM_TEXT_H

#include "command.h"

/* Most parameters that one command line can set. */
#define SET_PARAMS_MAX	32

/**
 * struct set_params - parameters of models and policies that --set gave
 * @count: number of parameters
 * @name: name of each
 * @value: text of its value
 */
struct set_params {
	u32 count;
	struct {
		char name[SIMGPU_NAME_BYTES];
		char value[SIMGPU_NAME_BYTES];
	} set[SET_PARAMS_MAX];
};

/* Parses one --set; a text that is not NAME=VALUE ends the program with usage. */
void set_params_parse(struct argp_state *state, struct set_params *params,
		      const char *text);

/**
 * set_params_apply() - set the parameters that model and policy of a session have
 * @params: of the command line; parameters that neither has are left out
 * @options: has the parameters' first values
 * @known: NULL, or a bit is set for each of @params that one of the two has
 *
 * Return: an exit status; if a value is out of its range, a message has said so.
 */
int set_params_apply(const struct set_params *params,
		     struct session_options *options, u32 *known);

/* Refuse parameters that are not in @known; @options says which exist. */
int set_params_check(const struct set_params *params, u32 known,
		     const struct session_options *options);

/* Print a value in its parameter's unit for users, and parse such a text. */
void param_print(const struct simgpu_param *param, u64 value, char *text,
		 size_t room);
bool param_value(const struct simgpu_param *param, const char *text, u64 *value);

#endif /* SIMGPU_PARAM_TEXT_H */
