/* SPDX-License-Identifier: GPL-2.0 */
/* Names that the command knows, so that it can suggest one for a mistyped name. */
#ifndef SIMGPU_NAMES_H
#define SIMGPU_NAMES_H

#include "command.h"

/**
 * struct names - the known name that is nearest to a mistyped one
 * @wanted: the name that was typed
 * @nearest: the known name nearest to it; empty if none is near
 * @distance: how many letters differ
 */
struct names {
	const char *wanted;
	char nearest[SIMGPU_NAME_BYTES];
	u32 distance;
};

/* How many letters have to be added, left out, replaced or swapped; case is ignored. */
u32 names_distance(const char *a, const char *b);

/* Compare with one known name. */
void names_add(struct names *names, const char *name);

/* Compare with all policies, models or configurations that this command has. */
void names_add_policies(struct names *names);
void names_add_models(struct names *names);
void names_add_configs(struct names *names);

/**
 * names_fail() - print that a name does not exist, and which one may have been meant
 * @names: after all known names were added
 * @what: the sort of name, such as "policy"
 * @where: command that lists all names, such as "simgpu policy list"
 *
 * Return: STATUS_USAGE.
 */
int names_fail(const struct names *names, const char *what, const char *where);

/* names_fail() for policies, models or configurations. */
int no_policy(const char *name);
int no_model(const char *name);
int no_config(const char *name);
/* names_fail() for built-in workloads; @name may also have been meant as a trace file. */
int no_workload(const char *name);

#endif /* SIMGPU_NAMES_H */
