/* SPDX-License-Identifier: GPL-2.0 */
/* What BPF policies have cost. */
#ifndef SIMGPU_POLICY_STATS_H
#define SIMGPU_POLICY_STATS_H

#include "policy_load.h"

/**
 * policy_stats() - print costs, refusals and parameters of a device's policy
 * @device: the device
 * @json: print one JSON document instead of text
 *
 * Return: an exit status; a message has been printed on failure.
 */
int policy_stats(unsigned int device, bool json);

#endif /* SIMGPU_POLICY_STATS_H */
