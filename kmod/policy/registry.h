/* SPDX-License-Identifier: GPL-2.0 */
/* The built-in models and policies of list.h, and memory policies of memory/list.h, by name. */
#ifndef SIMGPU_REGISTRY_H
#define SIMGPU_REGISTRY_H

#include <simgpu/memory_policy.h>
#include <simgpu/model.h>
#include <simgpu/policy.h>

#define MODEL(name)	extern const struct simgpu_model model_##name;
#define POLICY(name)	extern const struct simgpu_policy policy_##name;
#include "list.h"
#define MEMORY_POLICY(name)						\
	extern const struct simgpu_memory_policy memory_policy_##name;
#include "memory/list.h"

/**
 * registry_model_at() - a built-in model by its place
 * @index: in list.h
 *
 * Return: the model; NULL past the last one.
 */
const struct simgpu_model *registry_model_at(unsigned int index);

/**
 * registry_policy_at() - a built-in policy by its place
 * @index: in list.h
 *
 * Return: the policy; NULL past the last one.
 */
const struct simgpu_policy *registry_policy_at(unsigned int index);

/**
 * registry_model_find() - a built-in model by its name
 * @name: as users write it
 *
 * Return: the model; NULL if there is none of that name.
 */
const struct simgpu_model *registry_model_find(const char *name);

/**
 * registry_policy_find() - a built-in policy by its name
 * @name: as users write it
 *
 * Return: the policy; NULL if there is none of that name.
 */
const struct simgpu_policy *registry_policy_find(const char *name);

/**
 * registry_memory_policy_at() - a built-in memory policy by its place
 * @index: in memory/list.h
 *
 * Return: the policy; NULL past the last one.
 */
const struct simgpu_memory_policy *registry_memory_policy_at(unsigned int index);

/**
 * registry_memory_policy_place() - the place of a memory policy
 * @policy: the policy
 *
 * Return: its place in memory/list.h; 0, the place of uvm, if it is not built in.
 */
u32 registry_memory_policy_place(const struct simgpu_memory_policy *policy);

/**
 * registry_memory_policy_find() - a built-in memory policy by its name
 * @name: as users write it
 *
 * Return: the policy; NULL if there is none of that name.
 */
const struct simgpu_memory_policy *registry_memory_policy_find(const char *name);

#endif /* SIMGPU_REGISTRY_H */
