// SPDX-License-Identifier: GPL-2.0
/*
 * Models and policies by name: the built-in ones of policy/registry.c, and those
 * that other modules register. Whoever looks one up holds the module that it
 * is in until it gives it back.
 */
#include <linux/ctype.h>
#include <linux/list.h>
#include <linux/module.h>
#include <linux/mutex.h>
#include <linux/slab.h>
#include <linux/sysfs.h>
#include <simgpu/register.h>

#include "driver.h"

/**
 * struct simgpu_plugin - a registered model or policy
 * @list: in simgpu_plugins
 * @owner: module that it is in
 * @policy: NULL for a model
 * @model: NULL for a policy
 */
struct simgpu_plugin {
	struct list_head list;
	struct module *owner;
	const struct simgpu_policy *policy;
	const struct simgpu_model *model;
};

/* In the order in which they came; a leaf. */
static DEFINE_MUTEX(simgpu_plugins_lock);
static LIST_HEAD(simgpu_plugins);

static struct simgpu_plugin *simgpu_plugin_of(const void *policy_or_model)
{
	struct simgpu_plugin *plugin;

	lockdep_assert_held(&simgpu_plugins_lock);
	list_for_each_entry(plugin, &simgpu_plugins, list)
		if (plugin->policy == policy_or_model ||
		    plugin->model == policy_or_model)
			return plugin;
	return NULL;
}

static const char *simgpu_plugin_name(const struct simgpu_plugin *plugin)
{
	return plugin->policy ? plugin->policy->name : plugin->model->name;
}

/* The registered policy, or else model, of that name. */
static struct simgpu_plugin *simgpu_plugin_find(const char *name,
						bool is_policy)
{
	struct simgpu_plugin *plugin;

	lockdep_assert_held(&simgpu_plugins_lock);
	list_for_each_entry(plugin, &simgpu_plugins, list)
		if (!plugin->model == is_policy &&
		    !strcmp(simgpu_plugin_name(plugin), name))
			return plugin;
	return NULL;
}

/**
 * simgpu_policy_get() - look up a policy
 * @name: of the policy
 *
 * Return: the policy, whose module is held, or NULL.
 */
const struct simgpu_policy *simgpu_policy_get(const char *name)
{
	const struct simgpu_policy *policy = registry_policy_find(name);
	struct simgpu_plugin *plugin;

	if (policy)
		return policy;
	mutex_lock(&simgpu_plugins_lock);
	plugin = simgpu_plugin_find(name, true);
	if (plugin && try_module_get(plugin->owner))
		policy = plugin->policy;
	mutex_unlock(&simgpu_plugins_lock);
	return policy;
}

/**
 * simgpu_model_get() - look up a model
 * @name: of the model
 *
 * Return: the model, whose module is held, or NULL.
 */
const struct simgpu_model *simgpu_model_get(const char *name)
{
	const struct simgpu_model *model = registry_model_find(name);
	struct simgpu_plugin *plugin;

	if (model)
		return model;
	mutex_lock(&simgpu_plugins_lock);
	plugin = simgpu_plugin_find(name, false);
	if (plugin && try_module_get(plugin->owner))
		model = plugin->model;
	mutex_unlock(&simgpu_plugins_lock);
	return model;
}

/**
 * simgpu_plugin_hold() - another reference to what is held already
 * @policy_or_model: either; built-in ones need none
 */
void simgpu_plugin_hold(const void *policy_or_model)
{
	struct simgpu_plugin *plugin;

	mutex_lock(&simgpu_plugins_lock);
	plugin = simgpu_plugin_of(policy_or_model);
	if (plugin)
		__module_get(plugin->owner);
	mutex_unlock(&simgpu_plugins_lock);
}

/**
 * simgpu_plugin_put() - give a reference back
 * @policy_or_model: either, or NULL
 */
void simgpu_plugin_put(const void *policy_or_model)
{
	struct simgpu_plugin *plugin = NULL;

	mutex_lock(&simgpu_plugins_lock);
	if (policy_or_model)
		plugin = simgpu_plugin_of(policy_or_model);
	if (plugin)
		module_put(plugin->owner);
	mutex_unlock(&simgpu_plugins_lock);
}

/**
 * simgpu_plugins_emit() - the names of all policies, or of all models
 * @buf: of a file in sysfs
 * @policies: which
 *
 * Return: the text's length.
 */
ssize_t simgpu_plugins_emit(char *buf, bool policies)
{
	const struct simgpu_policy *policy;
	const struct simgpu_model *model;
	struct simgpu_plugin *plugin;
	unsigned int i;
	int length = 0;

	for (i = 0; policies && (policy = registry_policy_at(i)); i++)
		length += sysfs_emit_at(buf, length, "%s%s", i ? " " : "",
					policy->name);
	for (i = 0; !policies && (model = registry_model_at(i)); i++)
		length += sysfs_emit_at(buf, length, "%s%s", i ? " " : "",
					model->name);
	mutex_lock(&simgpu_plugins_lock);
	list_for_each_entry(plugin, &simgpu_plugins, list)
		if (!plugin->model == policies)
			length += sysfs_emit_at(buf, length, " %s",
						simgpu_plugin_name(plugin));
	mutex_unlock(&simgpu_plugins_lock);
	return length + sysfs_emit_at(buf, length, "\n");
}

static bool simgpu_plugin_name_valid(const char *name)
{
	size_t i;

	for (i = 0; i < SIMGPU_NAME_BYTES && name[i]; i++)
		if (!isascii(name[i]) || !isgraph(name[i]))
			return false;
	return i && i < SIMGPU_NAME_BYTES;
}

static int simgpu_plugin_register(const struct simgpu_policy *policy,
				  const struct simgpu_model *model,
				  struct module *owner)
{
	struct simgpu_plugin *plugin = kzalloc(sizeof(*plugin), GFP_KERNEL);
	int ret = -EEXIST;
	const char *name;

	if (!plugin)
		return -ENOMEM;
	plugin->owner = owner;
	plugin->policy = policy;
	plugin->model = model;
	name = simgpu_plugin_name(plugin);
	mutex_lock(&simgpu_plugins_lock);
	if (!simgpu_plugin_find(name, policy) &&
	    !(policy ? (const void *)registry_policy_find(name) :
		       (const void *)registry_model_find(name))) {
		list_add_tail(&plugin->list, &simgpu_plugins);
		ret = 0;
	}
	mutex_unlock(&simgpu_plugins_lock);
	if (ret)
		kfree(plugin);
	return ret;
}

static void simgpu_plugin_unregister(const void *policy_or_model)
{
	struct simgpu_plugin *plugin;

	mutex_lock(&simgpu_plugins_lock);
	plugin = simgpu_plugin_of(policy_or_model);
	if (plugin)
		list_del(&plugin->list);
	mutex_unlock(&simgpu_plugins_lock);
	kfree(plugin);
}

/**
 * simgpu_register_policy() - bring in a policy; see simgpu/register.h
 * @policy: the policy
 * @owner: module that it is in
 *
 * Return: 0, -EEXIST, -EINVAL, -ENOMEM.
 */
int simgpu_register_policy(const struct simgpu_policy *policy,
			   struct module *owner)
{
	if (!policy_is_good(policy) || !simgpu_plugin_name_valid(policy->name))
		return -EINVAL;
	return simgpu_plugin_register(policy, NULL, owner);
}
EXPORT_SYMBOL_GPL(simgpu_register_policy);

/**
 * simgpu_unregister_policy() - take a policy back
 * @policy: the policy, which no device uses
 */
void simgpu_unregister_policy(const struct simgpu_policy *policy)
{
	simgpu_plugin_unregister(policy);
}
EXPORT_SYMBOL_GPL(simgpu_unregister_policy);

/**
 * simgpu_register_model() - bring in a model; see simgpu/register.h
 * @model: the model
 * @owner: module that it is in
 *
 * Return: 0, -EEXIST, -EINVAL, -ENOMEM.
 */
int simgpu_register_model(const struct simgpu_model *model,
			  struct module *owner)
{
	if (!model_is_good(model) || !simgpu_plugin_name_valid(model->name))
		return -EINVAL;
	return simgpu_plugin_register(NULL, model, owner);
}
EXPORT_SYMBOL_GPL(simgpu_register_model);

/**
 * simgpu_unregister_model() - take a model back
 * @model: the model, which no device uses
 */
void simgpu_unregister_model(const struct simgpu_model *model)
{
	simgpu_plugin_unregister(model);
}
EXPORT_SYMBOL_GPL(simgpu_unregister_model);
