/* SPDX-License-Identifier: GPL-2.0 */
/* What the module says of policies that are not built in. */
#ifndef SIMGPU_LOADED_POLICY_H
#define SIMGPU_LOADED_POLICY_H

#include "../command.h"

/**
 * loaded_policy_find() - a policy that is loaded into the kernel
 * @name: of the policy
 *
 * Return: what it says of itself, valid until the next call, without a decide(); NULL
 * with errno: ENOENT if there is none, EACCES if the caller may not read it.
 */
const struct simgpu_policy *loaded_policy_find(const char *name);

#endif /* SIMGPU_LOADED_POLICY_H */
