/* SPDX-License-Identifier: GPL-2.0 */
/* Policies and models from shared objects, for runs without a device; see simgpu/plugin.h. */
#ifndef SIMGPU_COMMAND_PLUGIN_H
#define SIMGPU_COMMAND_PLUGIN_H

#include "command.h"

/* Whether --policy, --model or --memory-policy names a file: it has a '/'. */
bool plugin_is_file(const char *text);

/**
 * plugin_load() - load a policy, unless it is already loaded
 * @path: path of a shared object
 *
 * Return: the policy, which plugin_find_policy() finds from now on; NULL: a message has
 * been printed.
 */
const struct simgpu_policy *plugin_load(const char *path);
/* plugin_load() for a model. */
const struct simgpu_model *plugin_load_model(const char *path);
/* plugin_load() for a memory policy. */
const struct simgpu_memory_policy *plugin_load_memory_policy(const char *path);
/* Loads any kind; the pointers of the others become NULL; an exit status. */
int plugin_load_any(const char *path, const struct simgpu_policy **policy,
		    const struct simgpu_model **model,
		    const struct simgpu_memory_policy **memory_policy);

/* A policy, loaded or built in, by its name; NULL if there is none. */
const struct simgpu_policy *plugin_find_policy(const char *name);
const struct simgpu_model *plugin_find_model(const char *name);
const struct simgpu_memory_policy *plugin_find_memory_policy(const char *name);

/* Continues a checksum over the files that were loaded; an exit status. */
int plugin_checksum(u32 *checksum);
/* Continues a checksum over one file. */
int checksum_file(const char *path, u32 *checksum);

#endif /* SIMGPU_COMMAND_PLUGIN_H */
