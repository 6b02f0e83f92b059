/* SPDX-License-Identifier: GPL-2.0 */
/* The built-in models and policies of list.h, by name. */
#ifndef SIMGPU_REGISTRY_H
#define SIMGPU_REGISTRY_H

#include <simgpu/model.h>
#include <simgpu/policy.h>

#define MODEL(name)	extern const struct simgpu_model model_##name;
#define POLICY(name)	extern const struct simgpu_policy policy_##name;
#include "list.h"

/* By index, in the order in which they are listed; NULL past the last one. */
const struct simgpu_model *registry_model_at(unsigned int index);
const struct simgpu_policy *registry_policy_at(unsigned int index);
/* By name; NULL if there is none. */
const struct simgpu_model *registry_model_find(const char *name);
const struct simgpu_policy *registry_policy_find(const char *name);

#endif /* SIMGPU_REGISTRY_H */
