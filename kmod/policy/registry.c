// SPDX-License-Identifier: GPL-2.0
/* The built-in slowdown models and policies, by name. */
#include "registry.h"

static const struct simgpu_model *const models[] = {
#define MODEL(name)	&model_##name,
#define POLICY(name)
#include "list.h"
};

static const struct simgpu_policy *const policies[] = {
#define MODEL(name)
#define POLICY(name)	&policy_##name,
#include "list.h"
};

static const struct simgpu_memory_policy *const memory_policies[] = {
#define MEMORY_POLICY(name)	&memory_policy_##name,
#include "memory/list.h"
};

const struct simgpu_model *registry_model_at(unsigned int index)
{
	return index < ARRAY_SIZE(models) ? models[index] : NULL;
}

const struct simgpu_policy *registry_policy_at(unsigned int index)
{
	return index < ARRAY_SIZE(policies) ? policies[index] : NULL;
}

const struct simgpu_model *registry_model_find(const char *name)
{
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(models); i++)
		if (!strcmp(models[i]->name, name))
			return models[i];
	return NULL;
}

const struct simgpu_policy *registry_policy_find(const char *name)
{
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(policies); i++)
		if (!strcmp(policies[i]->name, name))
			return policies[i];
	return NULL;
}

const struct simgpu_memory_policy *registry_memory_policy_at(unsigned int index)
{
	return index < ARRAY_SIZE(memory_policies) ? memory_policies[index] : NULL;
}

u32 registry_memory_policy_place(const struct simgpu_memory_policy *policy)
{
	u32 i;

	for (i = 0; i < ARRAY_SIZE(memory_policies); i++)
		if (memory_policies[i] == policy)
			return i;
	return 0;
}

const struct simgpu_memory_policy *registry_memory_policy_find(const char *name)
{
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(memory_policies); i++)
		if (!strcmp(memory_policies[i]->name, name))
			return memory_policies[i];
	return NULL;
}
