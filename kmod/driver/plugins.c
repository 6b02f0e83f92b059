// SPDX-License-Identifier: GPL-2.0
/*
 * Models and policies by name: the built-in ones of policy/registry.c, those that
 * other modules register, and BPF programs. A caller that looks one up holds its module
 * until it gives the reference back. A BPF program can go at any time: then only its
 * description is held.
 */
#include <linux/ctype.h>
#include <linux/list.h>
#include <linux/module.h>
#include <linux/mutex.h>
#include <linux/seq_file.h>
#include <linux/slab.h>
#include <linux/sysfs.h>
#include <simgpu/register.h>

#include "driver.h"
#include "plugins.h"

/**
 * struct simgpu_plugin - a registered model or policy
 * @list: in simgpu_plugins
 * @owner: module that it is in
 * @policy: NULL for a model
 * @model: NULL for a policy
 * @release: frees a BPF policy without references; else NULL
 * @holders: number of references
 * @gone: it is not found any more, and stays in the list while there are references
 */
struct simgpu_plugin {
	struct list_head list;
	struct module *owner;
	const struct simgpu_policy *policy;
	const struct simgpu_model *model;
	void (*release)(const struct simgpu_policy *policy);
	u64 holders;
	bool gone;
};

/* In the order of registration; the lock is a leaf. */
static DEFINE_SPINLOCK(simgpu_plugins_lock);
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
		if (!plugin->model == is_policy && !plugin->gone &&
		    !strcmp(simgpu_plugin_name(plugin), name))
			return plugin;
	return NULL;
}

/* Takes a reference; fails if the module is being unloaded. */
static bool simgpu_plugin_try(struct simgpu_plugin *plugin)
{
	lockdep_assert_held(&simgpu_plugins_lock);
	if (!plugin || !try_module_get(plugin->owner))
		return false;
	plugin->holders++;
	return true;
}

/* Takes it off the list, to be freed, if it is gone and has no references. */
static bool simgpu_plugin_is_over(struct simgpu_plugin *plugin)
{
	lockdep_assert_held(&simgpu_plugins_lock);
	if (!plugin->gone || plugin->holders)
		return false;
	list_del(&plugin->list);
	return true;
}

static void simgpu_plugin_free(struct simgpu_plugin *plugin)
{
	if (plugin->release)
		plugin->release(plugin->policy);
	kfree(plugin);
}

/**
 * simgpu_policy_get() - look up a policy
 * @name: name of the policy
 *
 * Return: the policy with a reference to its module, or NULL.
 */
const struct simgpu_policy *simgpu_policy_get(const char *name)
{
	const struct simgpu_policy *policy = registry_policy_find(name);
	struct simgpu_plugin *plugin;

	if (policy)
		return policy;
	spin_lock(&simgpu_plugins_lock);
	plugin = simgpu_plugin_find(name, true);
	if (simgpu_plugin_try(plugin))
		policy = plugin->policy;
	spin_unlock(&simgpu_plugins_lock);
	return policy;
}

/**
 * simgpu_model_get() - look up a model
 * @name: name of the model
 *
 * Return: the model with a reference to its module, or NULL.
 */
const struct simgpu_model *simgpu_model_get(const char *name)
{
	const struct simgpu_model *model = registry_model_find(name);
	struct simgpu_plugin *plugin;

	if (model)
		return model;
	spin_lock(&simgpu_plugins_lock);
	plugin = simgpu_plugin_find(name, false);
	if (simgpu_plugin_try(plugin))
		model = plugin->model;
	spin_unlock(&simgpu_plugins_lock);
	return model;
}

/**
 * simgpu_plugin_hold() - take another reference to what is held already
 * @policy_or_model: either; built-in ones need no reference
 */
void simgpu_plugin_hold(const void *policy_or_model)
{
	struct simgpu_plugin *plugin;

	spin_lock(&simgpu_plugins_lock);
	plugin = simgpu_plugin_of(policy_or_model);
	if (plugin) {
		__module_get(plugin->owner);
		plugin->holders++;
	}
	spin_unlock(&simgpu_plugins_lock);
}

/**
 * simgpu_plugin_put() - give a reference back
 * @policy_or_model: either, or NULL
 */
void simgpu_plugin_put(const void *policy_or_model)
{
	struct simgpu_plugin *plugin = NULL;

	spin_lock(&simgpu_plugins_lock);
	if (policy_or_model)
		plugin = simgpu_plugin_of(policy_or_model);
	if (plugin) {
		plugin->holders--;
		module_put(plugin->owner);
		if (!simgpu_plugin_is_over(plugin))
			plugin = NULL;
	}
	spin_unlock(&simgpu_plugins_lock);
	if (plugin)
		simgpu_plugin_free(plugin);
}

/**
 * simgpu_policy_is_gone() - whether a policy that is held must not be asked any more
 * @policy: the policy
 *
 * Return: true once it has been taken off the list.
 */
bool simgpu_policy_is_gone(const struct simgpu_policy *policy)
{
	struct simgpu_plugin *plugin;
	bool gone;

	spin_lock(&simgpu_plugins_lock);
	plugin = simgpu_plugin_of(policy);
	gone = plugin && plugin->gone;
	spin_unlock(&simgpu_plugins_lock);
	return gone;
}

/**
 * simgpu_plugins_emit() - print the names of all policies, or of all models
 * @buf: buffer of a file in sysfs
 * @policies: whether to print policies
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
	spin_lock(&simgpu_plugins_lock);
	list_for_each_entry(plugin, &simgpu_plugins, list)
		if (!plugin->model == policies && !plugin->gone)
			length += sysfs_emit_at(buf, length, " %s",
						simgpu_plugin_name(plugin));
	spin_unlock(&simgpu_plugins_lock);
	return length + sysfs_emit_at(buf, length, "\n");
}

/**
 * simgpu_plugins_emit_bpf() - print the names of the policies that are BPF programs
 * @buf: buffer of a file in sysfs
 *
 * Return: the text's length.
 */
ssize_t simgpu_plugins_emit_bpf(char *buf)
{
	struct simgpu_plugin *plugin;
	int length = 0;

	spin_lock(&simgpu_plugins_lock);
	list_for_each_entry(plugin, &simgpu_plugins, list)
		if (plugin->release && !plugin->gone)
			length += sysfs_emit_at(buf, length, "%s%s",
						length ? " " : "",
						simgpu_plugin_name(plugin));
	spin_unlock(&simgpu_plugins_lock);
	return length + sysfs_emit_at(buf, length, "\n");
}

/* Prints a line for the policy, and one for each parameter, which ends with its help. */
static void simgpu_plugin_describe(struct seq_file *seq,
				   const struct simgpu_policy *policy)
{
	const struct simgpu_param *param = policy->params;

	seq_printf(seq, "policy %s source %u events 0x%x needs 0x%x state_bytes %u\n",
		   policy->name, policy->source, policy->events, policy->needs,
		   policy->state_bytes);
	for (; param && param->name; param++)
		seq_printf(seq, "param %s unit %u least %llu most %llu initial %llu help %s\n",
			   param->name, param->unit, param->least, param->most,
			   param->initial, param->help ?: "");
}

/**
 * simgpu_plugins_describe() - describe the policies that are not built in
 * @seq: of a file in debugfs
 */
void simgpu_plugins_describe(struct seq_file *seq)
{
	struct simgpu_plugin *plugin;

	spin_lock(&simgpu_plugins_lock);
	list_for_each_entry(plugin, &simgpu_plugins, list)
		if (plugin->policy && !plugin->gone)
			simgpu_plugin_describe(seq, plugin->policy);
	spin_unlock(&simgpu_plugins_lock);
}

/**
 * simgpu_plugin_name_valid() - whether a policy or a model may have a name
 * @name: at most SIMGPU_NAME_BYTES
 *
 * Return: true for 1 to SIMGPU_NAME_BYTES - 1 printable characters without blanks.
 */
bool simgpu_plugin_name_valid(const char *name)
{
	size_t i;

	for (i = 0; i < SIMGPU_NAME_BYTES && name[i]; i++)
		if (!isascii(name[i]) || !isgraph(name[i]))
			return false;
	return i && i < SIMGPU_NAME_BYTES;
}

/* Whether another policy, or model, has that name. */
static bool simgpu_plugin_taken(const char *name, bool is_policy)
{
	return simgpu_plugin_find(name, is_policy) ||
	       (is_policy ? (const void *)registry_policy_find(name) :
			    (const void *)registry_model_find(name));
}

static int simgpu_plugin_register(const struct simgpu_plugin *what)
{
	struct simgpu_plugin *plugin = kmemdup(what, sizeof(*what), GFP_KERNEL);
	int ret = -EEXIST;

	if (!plugin)
		return -ENOMEM;
	spin_lock(&simgpu_plugins_lock);
	if (!simgpu_plugin_taken(simgpu_plugin_name(plugin), plugin->policy)) {
		list_add_tail(&plugin->list, &simgpu_plugins);
		ret = 0;
	}
	spin_unlock(&simgpu_plugins_lock);
	if (ret)
		kfree(plugin);
	return ret;
}

static void simgpu_plugin_unregister(const void *policy_or_model)
{
	struct simgpu_plugin *plugin;

	spin_lock(&simgpu_plugins_lock);
	plugin = simgpu_plugin_of(policy_or_model);
	if (plugin)
		list_del(&plugin->list);
	spin_unlock(&simgpu_plugins_lock);
	kfree(plugin);
}

/**
 * simgpu_register_policy() - register a policy; see simgpu/register.h
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
	return simgpu_plugin_register(&(struct simgpu_plugin) {
		.owner = owner,
		.policy = policy,
	});
}
EXPORT_SYMBOL_GPL(simgpu_register_policy);

/**
 * simgpu_unregister_policy() - unregister a policy
 * @policy: the policy, which no device uses
 */
void simgpu_unregister_policy(const struct simgpu_policy *policy)
{
	simgpu_plugin_unregister(policy);
}
EXPORT_SYMBOL_GPL(simgpu_unregister_policy);

/**
 * simgpu_register_model() - register a model; see simgpu/register.h
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
	return simgpu_plugin_register(&(struct simgpu_plugin) {
		.owner = owner,
		.model = model,
	});
}
EXPORT_SYMBOL_GPL(simgpu_register_model);

/**
 * simgpu_unregister_model() - unregister a model
 * @model: the model, which no device uses
 */
void simgpu_unregister_model(const struct simgpu_model *model)
{
	simgpu_plugin_unregister(model);
}
EXPORT_SYMBOL_GPL(simgpu_unregister_model);

/**
 * simgpu_bpf_policy_add() - register a policy that is a BPF program
 * @policy: the policy, with a valid name; it must stay until it is released
 * @release: frees it once it has gone and has no references
 *
 * Its link holds this module, so devices need not hold it as well.
 *
 * Return: 0, -EEXIST, -ENOMEM; on an error it is not released.
 */
int simgpu_bpf_policy_add(const struct simgpu_policy *policy,
			  void (*release)(const struct simgpu_policy *policy))
{
	return simgpu_plugin_register(&(struct simgpu_plugin) {
		.policy = policy,
		.release = release,
	});
}

/**
 * simgpu_bpf_policy_replace() - replace a BPF policy by another
 * @old: the old policy, which is not found any more from now on
 * @new: has the same name, and takes over its release(); NULL: there is none
 *
 * Callers that hold the old policy must not ask it any more.
 *
 * Return: 0 or -ENOMEM, which only happens with a new policy.
 */
int simgpu_bpf_policy_replace(const struct simgpu_policy *old,
			      const struct simgpu_policy *new)
{
	struct simgpu_plugin *plugin, *added = NULL;

	if (new) {
		added = kzalloc(sizeof(*added), GFP_KERNEL);
		if (!added)
			return -ENOMEM;
	}
	spin_lock(&simgpu_plugins_lock);
	plugin = simgpu_plugin_of(old);
	plugin->gone = true;
	if (added) {
		added->policy = new;
		added->release = plugin->release;
		list_add_tail(&added->list, &simgpu_plugins);
	}
	if (!simgpu_plugin_is_over(plugin))
		plugin = NULL;
	spin_unlock(&simgpu_plugins_lock);
	if (plugin)
		simgpu_plugin_free(plugin);
	return 0;
}
