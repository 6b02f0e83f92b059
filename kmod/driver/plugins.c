// SPDX-License-Identifier: GPL-2.0
/*
 * Models, policies and memory policies by name: the built-in ones of policy/registry.c, those that
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
 * struct simgpu_plugin - a registered model, policy or memory policy
 * @list: in simgpu_plugins
 * @owner: module that it is in
 * @kind: which of them it is
 * @is: the model or the policy, which begins with its name
 * @release: frees a BPF policy without references; else NULL
 * @holders: number of references
 * @gone: it is not found any more, and stays in the list while there are references
 */
struct simgpu_plugin {
	struct list_head list;
	struct module *owner;
	enum simgpu_plugin_kind kind;
	const void *is;
	void (*release)(const void *is);
	u64 holders;
	bool gone;
};

/* In the order of registration; the lock is a leaf. */
static DEFINE_SPINLOCK(simgpu_plugins_lock);
static LIST_HEAD(simgpu_plugins);

static struct simgpu_plugin *simgpu_plugin_of(const void *is)
{
	struct simgpu_plugin *plugin;

	lockdep_assert_held(&simgpu_plugins_lock);
	list_for_each_entry(plugin, &simgpu_plugins, list)
		if (plugin->is == is)
			return plugin;
	return NULL;
}

static const char *simgpu_plugin_name(const struct simgpu_plugin *plugin)
{
	static_assert(!offsetof(struct simgpu_policy, name) &&
		      !offsetof(struct simgpu_model, name) &&
		      !offsetof(struct simgpu_memory_policy, name));
	return plugin->is;
}

static struct simgpu_plugin *simgpu_plugin_find(const char *name,
						enum simgpu_plugin_kind kind)
{
	struct simgpu_plugin *plugin;

	lockdep_assert_held(&simgpu_plugins_lock);
	list_for_each_entry(plugin, &simgpu_plugins, list)
		if (plugin->kind == kind && !plugin->gone &&
		    !strcmp(simgpu_plugin_name(plugin), name))
			return plugin;
	return NULL;
}

/* What is built in, by name or by its place; NULL if there is none. */
static const void *simgpu_built_in(const char *name, enum simgpu_plugin_kind kind)
{
	switch (kind) {
	case SIMGPU_PLUGIN_POLICY:
		return registry_policy_find(name);
	case SIMGPU_PLUGIN_MODEL:
		return registry_model_find(name);
	default:
		return registry_memory_policy_find(name);
	}
}

static const char *simgpu_built_in_name(u32 index, enum simgpu_plugin_kind kind)
{
	switch (kind) {
	case SIMGPU_PLUGIN_POLICY:
		return (const char *)registry_policy_at(index);
	case SIMGPU_PLUGIN_MODEL:
		return (const char *)registry_model_at(index);
	default:
		return (const char *)registry_memory_policy_at(index);
	}
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
		plugin->release(plugin->is);
	kfree(plugin);
}

/* What has that name, with a reference to its module, or NULL. */
static const void *simgpu_plugin_get(const char *name, enum simgpu_plugin_kind kind)
{
	const void *is = simgpu_built_in(name, kind);
	struct simgpu_plugin *plugin;

	if (is)
		return is;
	spin_lock(&simgpu_plugins_lock);
	plugin = simgpu_plugin_find(name, kind);
	if (simgpu_plugin_try(plugin))
		is = plugin->is;
	spin_unlock(&simgpu_plugins_lock);
	return is;
}

/**
 * simgpu_policy_get() - look up a policy
 * @name: name of the policy
 *
 * Return: the policy with a reference to its module, or NULL.
 */
const struct simgpu_policy *simgpu_policy_get(const char *name)
{
	return simgpu_plugin_get(name, SIMGPU_PLUGIN_POLICY);
}

/**
 * simgpu_model_get() - look up a model
 * @name: name of the model
 *
 * Return: the model with a reference to its module, or NULL.
 */
const struct simgpu_model *simgpu_model_get(const char *name)
{
	return simgpu_plugin_get(name, SIMGPU_PLUGIN_MODEL);
}

/**
 * simgpu_memory_policy_get() - look up a memory policy
 * @name: name of the memory policy
 *
 * Return: the policy with a reference to its module, or NULL.
 */
const struct simgpu_memory_policy *simgpu_memory_policy_get(const char *name)
{
	return simgpu_plugin_get(name, SIMGPU_PLUGIN_MEMORY_POLICY);
}

/**
 * simgpu_plugin_hold() - take another reference to what is held already
 * @is: a model, a policy or a memory policy; built-in ones need no reference
 */
void simgpu_plugin_hold(const void *is)
{
	struct simgpu_plugin *plugin;

	spin_lock(&simgpu_plugins_lock);
	plugin = simgpu_plugin_of(is);
	if (plugin) {
		__module_get(plugin->owner);
		plugin->holders++;
	}
	spin_unlock(&simgpu_plugins_lock);
}

/**
 * simgpu_plugin_put() - give a reference back
 * @is: a model, a policy or a memory policy, or NULL
 */
void simgpu_plugin_put(const void *is)
{
	struct simgpu_plugin *plugin = NULL;

	spin_lock(&simgpu_plugins_lock);
	if (is)
		plugin = simgpu_plugin_of(is);
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
 * @is: the policy or memory policy
 *
 * Return: true once it has been taken off the list.
 */
bool simgpu_policy_is_gone(const void *is)
{
	struct simgpu_plugin *plugin;
	bool gone;

	spin_lock(&simgpu_plugins_lock);
	plugin = simgpu_plugin_of(is);
	gone = plugin && plugin->gone;
	spin_unlock(&simgpu_plugins_lock);
	return gone;
}

/**
 * simgpu_plugins_emit() - print the names of all of a kind
 * @buf: buffer of a file in sysfs
 * @kind: which kind
 *
 * Return: the text's length.
 */
ssize_t simgpu_plugins_emit(char *buf, enum simgpu_plugin_kind kind)
{
	struct simgpu_plugin *plugin;
	const char *name;
	int length = 0;
	u32 i;

	for (i = 0; (name = simgpu_built_in_name(i, kind)); i++)
		length += sysfs_emit_at(buf, length, "%s%s", i ? " " : "", name);
	spin_lock(&simgpu_plugins_lock);
	list_for_each_entry(plugin, &simgpu_plugins, list)
		if (plugin->kind == kind && !plugin->gone)
			length += sysfs_emit_at(buf, length, " %s",
						simgpu_plugin_name(plugin));
	spin_unlock(&simgpu_plugins_lock);
	return length + sysfs_emit_at(buf, length, "\n");
}

/**
 * simgpu_plugins_emit_bpf() - print the names of the policies, memory policies too, that are BPF
 *	programs
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

/* Prints a line for each parameter, which ends with its help. */
static void simgpu_plugin_describe_params(struct seq_file *seq,
					  const struct simgpu_param *param)
{
	for (; param && param->name; param++)
		seq_printf(seq, "param %s unit %u least %llu most %llu initial %llu help %s\n",
			   param->name, param->unit, param->least, param->most,
			   param->initial, param->help ?: "");
}

/* The same of its gauges. */
static void simgpu_plugin_describe_gauges(struct seq_file *seq,
					  const struct simgpu_gauge *gauge)
{
	for (; gauge && gauge->name; gauge++)
		seq_printf(seq, "gauge %s unit %u help %s\n", gauge->name, gauge->unit,
			   gauge->help ?: "");
}

static void simgpu_plugin_describe(struct seq_file *seq,
				   const struct simgpu_policy *policy)
{
	seq_printf(seq, "policy %s source %u events 0x%x needs 0x%x state_bytes %u\n",
		   policy->name, policy->source, policy->events, policy->needs,
		   policy->state_bytes);
	simgpu_plugin_describe_params(seq, policy->params);
	simgpu_plugin_describe_gauges(seq, policy->gauges);
}

static void simgpu_plugin_describe_memory(struct seq_file *seq,
					  const struct simgpu_memory_policy *policy)
{
	seq_printf(seq, "memory_policy %s source %u events 0x%x needs 0x0 state_bytes %u\n",
		   policy->name, policy->source, policy->events,
		   policy->state_bytes);
	simgpu_plugin_describe_params(seq, policy->params);
}

/**
 * simgpu_plugins_describe() - describe the policies that are not built in
 * @seq: of a file in debugfs
 */
void simgpu_plugins_describe(struct seq_file *seq)
{
	struct simgpu_plugin *plugin;

	spin_lock(&simgpu_plugins_lock);
	list_for_each_entry(plugin, &simgpu_plugins, list) {
		if (plugin->gone)
			continue;
		if (plugin->kind == SIMGPU_PLUGIN_POLICY)
			simgpu_plugin_describe(seq, plugin->is);
		else if (plugin->kind == SIMGPU_PLUGIN_MEMORY_POLICY)
			simgpu_plugin_describe_memory(seq, plugin->is);
	}
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

static int simgpu_plugin_register(const struct simgpu_plugin *what)
{
	struct simgpu_plugin *plugin = kmemdup(what, sizeof(*what), GFP_KERNEL);
	int ret = -EEXIST;

	if (!plugin)
		return -ENOMEM;
	spin_lock(&simgpu_plugins_lock);
	if (!simgpu_plugin_find(simgpu_plugin_name(plugin), plugin->kind) &&
	    !simgpu_built_in(simgpu_plugin_name(plugin), plugin->kind)) {
		list_add_tail(&plugin->list, &simgpu_plugins);
		ret = 0;
	}
	spin_unlock(&simgpu_plugins_lock);
	if (ret)
		kfree(plugin);
	return ret;
}

static void simgpu_plugin_unregister(const void *is)
{
	struct simgpu_plugin *plugin;

	spin_lock(&simgpu_plugins_lock);
	plugin = simgpu_plugin_of(is);
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
		.kind = SIMGPU_PLUGIN_POLICY,
		.is = policy,
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
		.kind = SIMGPU_PLUGIN_MODEL,
		.is = model,
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
 * simgpu_register_memory_policy() - register a memory policy; see simgpu/register.h
 * @policy: the memory policy
 * @owner: module that it is in
 *
 * Return: 0, -EEXIST, -EINVAL, -ENOMEM.
 */
int simgpu_register_memory_policy(const struct simgpu_memory_policy *policy,
				  struct module *owner)
{
	if (!memory_policy_is_good(policy) || !simgpu_plugin_name_valid(policy->name))
		return -EINVAL;
	return simgpu_plugin_register(&(struct simgpu_plugin) {
		.owner = owner,
		.kind = SIMGPU_PLUGIN_MEMORY_POLICY,
		.is = policy,
	});
}
EXPORT_SYMBOL_GPL(simgpu_register_memory_policy);

/**
 * simgpu_unregister_memory_policy() - unregister a memory policy
 * @policy: the memory policy, which no device uses
 */
void simgpu_unregister_memory_policy(const struct simgpu_memory_policy *policy)
{
	simgpu_plugin_unregister(policy);
}
EXPORT_SYMBOL_GPL(simgpu_unregister_memory_policy);

/**
 * simgpu_bpf_policy_add() - register a policy that is a BPF program
 * @is: the policy or memory policy, with a valid name; it must stay until it is released
 * @kind: which of them it is
 * @release: frees it once it has gone and has no references
 *
 * Its link holds this module, so devices need not hold it as well.
 *
 * Return: 0, -EEXIST, -ENOMEM; on an error it is not released.
 */
int simgpu_bpf_policy_add(const void *is, enum simgpu_plugin_kind kind,
			  void (*release)(const void *is))
{
	return simgpu_plugin_register(&(struct simgpu_plugin) {
		.kind = kind,
		.is = is,
		.release = release,
	});
}

/**
 * simgpu_bpf_policy_replace() - replace a BPF policy by another
 * @old: the old policy, which is not found any more from now on
 * @new: is of the same kind, has the same name, and takes over its release(); NULL: there is
 *	none
 *
 * Callers that hold the old policy must not ask it any more.
 *
 * Return: 0 or -ENOMEM, which only happens with a new policy.
 */
int simgpu_bpf_policy_replace(const void *old, const void *new)
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
		added->kind = plugin->kind;
		added->is = new;
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
