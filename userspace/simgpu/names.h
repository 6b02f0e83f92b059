/* SPDX-License-Identifier: GPL-2.0 */
/* Names that a command knows, to suggest one where another was typed. */
#ifndef SIMGPU_NAMES_H
#define SIMGPU_NAMES_H

#include "command.h"

/**
 * struct names - those of one sort, beside one that is not among them
 * @wanted: that was typed
 * @nearest: the one most like it; empty if none is
 * @distance: letters to change in it
 */
struct names {
	const char *wanted;
	char nearest[SIMGPU_NAME_BYTES];
	u32 distance;
};

/* How many letters are to be added, left out, replaced or swapped, in either case. */
u32 names_distance(const char *a, const char *b);

/* One of those that there are. */
void names_add(struct names *names, const char *name);

/* All of the policies, models or configurations that this command has. */
void names_add_policies(struct names *names);
void names_add_models(struct names *names);
void names_add_configs(struct names *names);

/**
 * names_fail() - say that there is no such name, and which one may have been meant
 * @names: what there is
 * @what: they are, such as "policy"
 * @where: lists them all, such as "simgpu policy list"
 *
 * Return: STATUS_USAGE.
 */
int names_fail(const struct names *names, const char *what, const char *where);

/* names_fail() of all policies, models or configurations. */
int no_policy(const char *name);
int no_model(const char *name);
int no_config(const char *name);
/* names_fail() of the built-in workloads; @name may also have been meant as a trace file. */
int no_workload(const char *name);

#endif /* SIMGPU_NAMES_H */
