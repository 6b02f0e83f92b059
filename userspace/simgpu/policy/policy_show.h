/* SPDX-License-Identifier: GPL-2.0 */
/* simgpu policy show: what a policy or a model is, asks for and can be told. */
#ifndef SIMGPU_POLICY_SHOW_H
#define SIMGPU_POLICY_SHOW_H

#include <stdbool.h>

/* What a name is taken for first: some are those of a policy and a model. */
enum shown_first {
	SHOW_POLICY,
	SHOW_MODEL,
};

/**
 * policy_show() - print all that is known of a policy or a model
 * @first: which of them it is if both are called so
 * @name: of one that is built in, or a file with a '/'
 * @config: whose trained values a model's knobs begin with; NULL: no GPU's
 * @json: one JSON document, no text
 *
 * Return: an exit status; what was wrong has been said.
 */
int policy_show(enum shown_first first, const char *name, const char *config,
		bool json);

/* Print the models that are built in, and what each needs; an exit status. */
int model_list(bool json);

#endif /* SIMGPU_POLICY_SHOW_H */
