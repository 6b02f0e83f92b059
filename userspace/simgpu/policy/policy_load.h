/* SPDX-License-Identifier: GPL-2.0 */
/* simgpu policy load, unload and stats. */
#ifndef SIMGPU_POLICY_LOAD_H
#define SIMGPU_POLICY_LOAD_H

#include <stdbool.h>

/**
 * policy_load() - load a policy for all devices
 * @word: path of its object, or the name of a shipped policy
 * @replace: replace the loaded policy of the same name
 *
 * Return: an exit status; a message has been printed on failure.
 */
int policy_load(const char *word, bool replace);

/**
 * policy_unload() - unload a policy
 * @name: name of the policy
 * @force: even if devices use it, which then go on with even
 *
 * Return: an exit status; a message has been printed on failure.
 */
int policy_unload(const char *name, bool force);

#endif /* SIMGPU_POLICY_LOAD_H */
