/* SPDX-License-Identifier: GPL-2.0 */
/* --inject: failures that an experiment is to have. */
#ifndef SIMGPU_INJECT_H
#define SIMGPU_INJECT_H

#include "command.h"
#include "experiment.h"

/* Help of the option */
extern const char inject_help[];

/* Parse the option's argument, KIND[:KEY=VALUE,...], and add it to @list; else argp's error. */
void inject_parse(struct argp_state *state, struct injections *list, const char *text);

/* The same list for a gang; @out has room for SIMGPU_INJECTIONS_MAX. */
void inject_for_gang(const struct injections *list, struct simgpu_injection *out);

#endif /* SIMGPU_INJECT_H */
