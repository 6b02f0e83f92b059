/* SPDX-License-Identifier: GPL-2.0 */
/* simgpu policy show: properties, needs and parameters of a policy, a model or a memory policy. */
#ifndef SIMGPU_POLICY_SHOW_H
#define SIMGPU_POLICY_SHOW_H

#include <stdbool.h>

/* Some names are those of a policy and of a model: which one is looked for first. */
enum shown_first {
	SHOW_POLICY,
	SHOW_MODEL,
};

/**
 * policy_show() - print the properties of a policy or a model; else those of a memory policy
 * @first: kind to look for first
 * @name: name of a built-in one, or a file with a '/'
 * @config: GPU whose trained values a model's parameters begin with; NULL: no GPU's
 * @json: print one JSON document instead of text
 *
 * Return: an exit status; a message has been printed on failure.
 */
int policy_show(enum shown_first first, const char *name, const char *config,
		bool json);

/* Prints the built-in models, and what each needs; an exit status. */
int model_list(bool json);

#endif /* SIMGPU_POLICY_SHOW_H */
