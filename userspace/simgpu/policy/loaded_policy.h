/* SPDX-License-Identifier: GPL-2.0 */
/* Policies that are loaded into the kernel, as the module describes them. */
#ifndef SIMGPU_LOADED_POLICY_H
#define SIMGPU_LOADED_POLICY_H

#include "../command.h"

/**
 * loaded_policy_find() - a policy that is loaded into the kernel
 * @name: name of the policy
 *
 * Return: its description, without a decide(), valid until the next call; NULL
 * with errno: ENOENT if there is none, EACCES if the caller may not read it.
 */
const struct simgpu_policy *loaded_policy_find(const char *name);

/* The same for a memory policy. */
const struct simgpu_memory_policy *loaded_memory_policy_find(const char *name);

#endif /* SIMGPU_LOADED_POLICY_H */
