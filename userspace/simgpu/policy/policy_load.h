/* SPDX-License-Identifier: GPL-2.0 */
/* simgpu policy load, unload and stats. */
#ifndef SIMGPU_POLICY_LOAD_H
#define SIMGPU_POLICY_LOAD_H

#include <stdbool.h>

/**
 * policy_load() - bring a policy to all devices
 * @word: its object's path, or the name of one that is shipped
 * @replace: in the place of the one of its name
 *
 * Return: an exit status; what was wrong has been said.
 */
int policy_load(const char *word, bool replace);

/**
 * policy_unload() - take one back
 * @name: of the policy
 * @force: though devices use it, which then go on with even
 *
 * Return: an exit status; what was wrong has been said.
 */
int policy_unload(const char *name, bool force);

/**
 * policy_stats() - print what a device's policy has cost, was refused and is set to
 * @device: the device
 * @json: one JSON document, no text
 *
 * Return: an exit status; what was wrong has been said.
 */
int policy_stats(unsigned int device, bool json);

#endif /* SIMGPU_POLICY_LOAD_H */
