/* SPDX-License-Identifier: GPL-2.0 */
/* A run over several seeds. */
#ifndef SIMGPU_RUN_SEEDS_H
#define SIMGPU_RUN_SEEDS_H

#include "run.h"

/* Merges the results of all seeds into the first one; an exit status. */
int result_merge(struct result *results, u32 seeds);

/* Over seeds (run_seeds.c): deviation and interval of a figure; and a table of all. */
void spread_json(struct json_object *object, const char *key,
		 const struct result_spread *spread);
void print_seeds(const struct settings *settings, const struct result *result);

#endif /* SIMGPU_RUN_SEEDS_H */
