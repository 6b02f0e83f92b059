/* SPDX-License-Identifier: GPL-2.0 */
/* simgpu policy test: short runs in many situations, and what a policy is refused for there. */
#ifndef SIMGPU_POLICY_TEST_H
#define SIMGPU_POLICY_TEST_H

#include "../command.h"

/**
 * policy_test() - run a policy in each situation, and print how that ends
 * @name: POLICY[@MODEL], or with @memory a memory policy; a name or a file with a '/'
 * @memory: it is a memory policy
 * @json: as one JSON document
 *
 * Each run is a process of its own: a policy that crashes or does not return is told, too.
 *
 * Return: an exit status; STATUS_FAILED if there is a situation that does not end well.
 */
int policy_test(const char *name, bool memory, bool json);

#endif /* SIMGPU_POLICY_TEST_H */
