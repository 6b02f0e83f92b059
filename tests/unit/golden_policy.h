/* SPDX-License-Identifier: GPL-2.0 */
/* Policies of the golden runs' own: see test_goldens.c. */
#ifndef TESTS_GOLDEN_POLICY_H
#define TESTS_GOLDEN_POLICY_H

#include "../../kmod/policy/registry.h"

/* Something of everything; so, and resets; and nothing but that all wait. */
extern const struct simgpu_policy golden_by_turns;
extern const struct simgpu_policy golden_resets;
extern const struct simgpu_policy golden_holds;

#endif /* TESTS_GOLDEN_POLICY_H */
