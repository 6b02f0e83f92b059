// SPDX-License-Identifier: GPL-2.0
/*
 * Cgroups of tenants, and rules for them. A module cannot add files to
 * cgroups, so a rule names a cgroup by its number and stands in the device's file
 * "cgroups". A rule applies to the cgroup and all below it. A cgroup that is removed and
 * made again has another number, and needs its rule again. A banned tenant leaves a strike to
 * the next one of its cgroup.
 */
#include <linux/cgroup.h>
#include <linux/ctype.h>
#include <linux/kstrtox.h>
#include <linux/math64.h>
#include <linux/nsproxy.h>
#include <linux/sched.h>
#include <linux/string.h>
#include <linux/sysfs.h>

#include "cgroups.h"
#include "journal_room.h"
#include "observers.h"
#include "turn.h"

#ifdef CONFIG_CGROUPS

/**
 * simgpu_cgroup_get() - the caller's cgroup, of version 2
 *
 * Return: the cgroup with a reference; NULL in a kernel without cgroups.
 */
struct cgroup *simgpu_cgroup_get(void)
{
	struct cgroup *cgroup;

	rcu_read_lock();
	/* This fails only while the caller is moved away from a cgroup that is removed. */
	do {
		cgroup = task_dfl_cgroup(current);
	} while (!cgroup_tryget(cgroup));
	rcu_read_unlock();
	return cgroup;
}

/**
 * simgpu_cgroup_put() - give up a reference
 * @cgroup: the cgroup
 */
void simgpu_cgroup_put(struct cgroup *cgroup)
{
	cgroup_put(cgroup);
}

/**
 * simgpu_cgroup_id() - the number by which rules name a cgroup
 * @cgroup: the cgroup
 *
 * Return: the inode number of its directory; 0 in a kernel without cgroups.
 */
u64 simgpu_cgroup_id(const struct cgroup *cgroup)
{
	return cgroup_id(cgroup);
}

/**
 * simgpu_cgroup_path() - path of a cgroup in the caller's cgroup namespace
 * @cgroup: the cgroup
 * @path: set to the path
 * @bytes: size of @path
 *
 * Return: 0 or a negative errno.
 */
int simgpu_cgroup_path(struct cgroup *cgroup, char *path, size_t bytes)
{
	int length = cgroup_path_ns(cgroup, path, bytes,
				    current->nsproxy->cgroup_ns);

	if (length >= 0 && length >= bytes)
		return -ENAMETOOLONG;
	return min(length, 0);
}

/* The level of a cgroup; those above it have the levels from 0 on. */
static int simgpu_cgroup_level(const struct cgroup *cgroup)
{
	return cgroup->level;
}

static u64 simgpu_cgroup_id_at(struct cgroup *cgroup, int level)
{
	return cgroup_id(cgroup_ancestor(cgroup, level));
}

#else /* !CONFIG_CGROUPS */

struct cgroup *simgpu_cgroup_get(void)
{
	return NULL;
}

void simgpu_cgroup_put(struct cgroup *cgroup)
{
}

u64 simgpu_cgroup_id(const struct cgroup *cgroup)
{
	return 0;
}

int simgpu_cgroup_path(struct cgroup *cgroup, char *path, size_t bytes)
{
	return -EOPNOTSUPP;
}

/* Without cgroups there is no level, so no rule applies. */
static int simgpu_cgroup_level(const struct cgroup *cgroup)
{
	return -1;
}

static u64 simgpu_cgroup_id_at(struct cgroup *cgroup, int level)
{
	return 0;
}

#endif

/* Rules. */

static bool simgpu_cgroup_rule_is_empty(const struct simgpu_cgroup_rule *rule)
{
	return !rule->weight && rule->slots == SIMGPU_TENANTS_MAX &&
	       !memchr_inv(&rule->memory, 0, sizeof(rule->memory));
}

/* Sets one rule of a copy, or removes it. */
static int simgpu_cgroup_rule_set(struct simgpu_cgroup_rules *rules,
				  const struct simgpu_cgroup_rule *rule)
{
	u32 i;

	if (!rule->id || rule->weight > SIMGPU_WEIGHT_MAX ||
	    rule->slots > SIMGPU_TENANTS_MAX || !limits_are_good(&rule->memory))
		return -EINVAL;
	for (i = 0; i < rules->count; i++)
		if (rules->at[i].id == rule->id)
			break;
	if (!simgpu_cgroup_rule_is_empty(rule)) {
		if (i == SIMGPU_CGROUPS_MAX)
			return -ENOSPC;
		rules->at[i] = *rule;
		rules->count += i == rules->count;
	} else if (i < rules->count) {
		rules->at[i] = rules->at[--rules->count];
	}
	return 0;
}

/**
 * simgpu_cgroups_set() - set rules, all or none
 * @device: the device
 * @rules: each replaces the rule of its cgroup
 * @count: number of rules
 *
 * Return: 0, -EINVAL, -ENOSPC for more than SIMGPU_CGROUPS_MAX, -ENODEV.
 */
int simgpu_cgroups_set(struct simgpu_device *device,
		       const struct simgpu_cgroup_rule *rules, u32 count)
{
	struct simgpu_cgroup_rules fresh;
	u32 i;
	int ret;

	ret = simgpu_device_lock_to_note(device);
	if (ret)
		return ret;
	fresh = device->cgroups;
	for (i = 0; i < count && !ret; i++)
		ret = simgpu_cgroup_rule_set(&fresh, &rules[i]);
	if (!ret) {
		spin_lock(&device->publish_lock);
		device->cgroups = fresh;
		spin_unlock(&device->publish_lock);
		simgpu_cgroups_weigh(device);
	}
	simgpu_device_unlock(device);
	if (!ret)
		simgpu_tell(settings, device);
	return ret;
}

/**
 * simgpu_cgroups_read() - the rules
 * @device: the device
 * @rules: set to a copy
 *
 * Takes no lock that is held for long.
 */
void simgpu_cgroups_read(struct simgpu_device *device,
			 struct simgpu_cgroup_rules *rules)
{
	spin_lock(&device->publish_lock);
	*rules = device->cgroups;
	spin_unlock(&device->publish_lock);
}

/* Whether a tenant is in the cgroup of that number, or below it. */
static bool simgpu_is_in_cgroup(const struct simgpu_tenant *tenant, u64 id)
{
	int level = simgpu_cgroup_level(tenant->cgroup);

	for (; level >= 0; level--)
		if (simgpu_cgroup_id_at(tenant->cgroup, level) == id)
			return true;
	return false;
}

static u32 simgpu_cgroup_seated(const struct simgpu_device *device, u64 id)
{
	u32 count = 0, slot;

	for (slot = 0; slot < SESSION_SLOTS_MAX; slot++)
		if (device->slots[slot] &&
		    simgpu_is_in_cgroup(device->slots[slot], id))
			count++;
	return count;
}

/**
 * simgpu_cgroups_admit() - whether a tenant's cgroups leave it a slot
 * @tenant: a tenant without one
 *
 * Return: 0 or -EBUSY.
 */
int simgpu_cgroups_admit(const struct simgpu_tenant *tenant)
{
	const struct simgpu_device *device = tenant->device;
	u32 i;

	lockdep_assert_held(&device->lock);
	for (i = 0; i < device->cgroups.count; i++) {
		const struct simgpu_cgroup_rule *rule = &device->cgroups.at[i];

		if (simgpu_is_in_cgroup(tenant, rule->id) &&
		    simgpu_cgroup_seated(device, rule->id) >= rule->slots)
			return -EBUSY;
	}
	return 0;
}

/* Strikes. */

/* The place of a tenant's cgroup among those that are remembered, or their number. */
static u32 simgpu_struck_find(const struct simgpu_tenant *tenant)
{
	const struct simgpu_struck *struck = &tenant->device->struck;
	u64 id = simgpu_cgroup_id(tenant->cgroup);
	u32 i;

	lockdep_assert_held(&tenant->device->lock);
	for (i = 0; i < struck->count; i++)
		if (struck->id[i] == id)
			break;
	return i;
}

static void simgpu_struck_drop(struct simgpu_struck *struck, u32 at)
{
	struck->count--;
	memmove(&struck->id[at], &struck->id[at + 1],
		(struck->count - at) * sizeof(struck->id[0]));
}

/**
 * simgpu_cgroup_strike() - a banned tenant closes its file: remember its cgroup
 * @tenant: the tenant
 *
 * Cgroups are remembered by their numbers, which are not used again, so no reference is held.
 */
void simgpu_cgroup_strike(const struct simgpu_tenant *tenant)
{
	struct simgpu_struck *struck = &tenant->device->struck;

	if (!simgpu_cgroup_id(tenant->cgroup) ||
	    simgpu_struck_find(tenant) < struck->count)
		return;
	if (struck->count == SIMGPU_STRUCK_MAX)
		simgpu_struck_drop(struck, 0);
	struck->id[struck->count++] = simgpu_cgroup_id(tenant->cgroup);
}

/**
 * simgpu_cgroup_strikes() - strikes with which a tenant begins, of another one in its cgroup
 * @tenant: the tenant, which has no slot
 *
 * Return: 0 or 1.
 */
u32 simgpu_cgroup_strikes(const struct simgpu_tenant *tenant)
{
	return simgpu_struck_find(tenant) < tenant->device->struck.count;
}

/**
 * simgpu_cgroup_forget_strike() - a tenant has begun with what simgpu_cgroup_strikes() says
 * @tenant: the tenant: the next one of its cgroup begins without
 */
void simgpu_cgroup_forget_strike(const struct simgpu_tenant *tenant)
{
	struct simgpu_struck *struck = &tenant->device->struck;
	u32 at = simgpu_struck_find(tenant);

	if (at < struck->count)
		simgpu_struck_drop(struck, at);
}

/* Weights. */

/**
 * simgpu_tenant_session_options() - the options of a tenant for the session
 * @tenant: the tenant
 *
 * They include its cgroup, which policies see; but not in the session of a gang, whose
 * results must not depend on where its members run.
 *
 * Return: the options, with the tenant's own weight.
 */
struct session_tenant_options
simgpu_tenant_session_options(const struct simgpu_tenant *tenant)
{
	struct session_tenant_options options = tenant->options;

	lockdep_assert_held(&tenant->device->lock);
	if (!tenant->device->start.gang_size)
		options.cgroup = simgpu_cgroup_id(tenant->cgroup);
	return options;
}

/* Tells the session a tenant's weight: its own, or its part of its cgroups' weight. */
static void simgpu_tenant_weigh(struct simgpu_tenant *tenant, u32 weight)
{
	struct session_tenant_options options =
		simgpu_tenant_session_options(tenant);

	if (tenant->weight == weight)
		return;
	options.weight = weight;
	session_set_tenant(tenant->device->session, tenant->slot, &options);
	tenant->weight = weight;
}

/**
 * struct simgpu_shares - how weights are divided in each cgroup with a weight
 * @rules: rules with a weight
 * @sum: by rule, the sum of the weights right below it: of tenants, and of cgroups that
 *	have a weight and tenants
 * @present: by rule, whether it has tenants itself or below
 */
struct simgpu_shares {
	const struct simgpu_cgroup_rules *rules;
	u32 sum[SIMGPU_CGROUPS_MAX];
	bool present[SIMGPU_CGROUPS_MAX];
};

/* The rules with a weight that apply to a tenant, outermost first. */
static u32 simgpu_chain(const struct simgpu_cgroup_rules *rules,
			const struct simgpu_tenant *tenant, u32 *chain)
{
	int levels = simgpu_cgroup_level(tenant->cgroup), level;
	u32 count = 0, i;

	for (level = 0; level <= levels; level++) {
		u64 id = simgpu_cgroup_id_at(tenant->cgroup, level);

		for (i = 0; i < rules->count; i++)
			if (rules->at[i].id == id && rules->at[i].weight)
				chain[count++] = i;
	}
	return count;
}

static void simgpu_shares_add(struct simgpu_shares *shares,
			      const struct simgpu_tenant *tenant)
{
	u32 chain[SIMGPU_CGROUPS_MAX];
	u32 count = simgpu_chain(shares->rules, tenant, chain), i;

	for (i = 0; i < count; i++) {
		if (shares->present[chain[i]])
			continue;
		shares->present[chain[i]] = true;
		if (i)
			shares->sum[chain[i - 1]] +=
				shares->rules->at[chain[i]].weight;
	}
	if (count)
		shares->sum[chain[count - 1]] += tenant->options.weight;
}

/* A tenant's own weight, or its part of its cgroups' weight; rounded, but never 0. */
static u32 simgpu_share_of(const struct simgpu_shares *shares,
			   const struct simgpu_tenant *tenant)
{
	const struct simgpu_cgroup_rule *rules = shares->rules->at;
	u32 chain[SIMGPU_CGROUPS_MAX];
	u32 count = simgpu_chain(shares->rules, tenant, chain), i;
	u64 share_ppm;

	if (!count)
		return tenant->options.weight;
	share_ppm = (u64)rules[chain[0]].weight * SIMGPU_PPM;
	for (i = 1; i < count; i++)
		share_ppm = div_u64(share_ppm * rules[chain[i]].weight,
				    shares->sum[chain[i - 1]]);
	share_ppm = div_u64(share_ppm * tenant->options.weight,
			    shares->sum[chain[count - 1]]);
	return clamp_t(u64, div_u64(share_ppm + SIMGPU_PPM / 2, SIMGPU_PPM),
		       SIMGPU_WEIGHT_MIN, SIMGPU_WEIGHT_MAX);
}

/* The tenants of a rule's cgroup, and their limits of memory together, if it has any. */
static struct session_memory_group
simgpu_cgroup_group(const struct simgpu_device *device,
		    const struct simgpu_cgroup_rule *rule)
{
	struct session_memory_group group = { .limits = rule->memory };
	u32 slot;

	if (!memchr_inv(&rule->memory, 0, sizeof(rule->memory)))
		return group;
	for (slot = 0; slot < SESSION_SLOTS_MAX; slot++)
		if (device->slots[slot] &&
		    simgpu_is_in_cgroup(device->slots[slot], rule->id))
			group.slots |= BIT_ULL(slot);
	return group;
}

static void simgpu_cgroups_limit(struct simgpu_device *device)
{
	u32 i;

	static_assert(SESSION_MEMORY_GROUPS_MAX == SIMGPU_CGROUPS_MAX);
	for (i = 0; i < SIMGPU_CGROUPS_MAX; i++) {
		struct session_memory_group group = {};

		if (i < device->cgroups.count)
			group = simgpu_cgroup_group(device, &device->cgroups.at[i]);
		session_set_memory_group(device->session, i, &group);
	}
}

/**
 * simgpu_cgroups_weigh() - tell the session the tenants' parts of the weights of their
 *	cgroups, and the cgroups' limits of memory
 * @device: the device, whose rules, tenants or their weights have changed
 *
 * Not in the session of a gang: there, each tenant has its own weight and limits.
 */
void simgpu_cgroups_weigh(struct simgpu_device *device)
{
	struct simgpu_shares shares = { .rules = &device->cgroups };
	u32 slot;

	lockdep_assert_held(&device->lock);
	if (device->start.gang_size)
		return;
	simgpu_cgroups_limit(device);
	for (slot = 0; slot < SESSION_SLOTS_MAX; slot++)
		if (device->slots[slot])
			simgpu_shares_add(&shares, device->slots[slot]);
	for (slot = 0; slot < SESSION_SLOTS_MAX; slot++)
		if (device->slots[slot])
			simgpu_tenant_weigh(device->slots[slot],
					    simgpu_share_of(&shares,
							    device->slots[slot]));
}

/* The file: a rule a line. */

static const char *const simgpu_limit_words[] = {
	"memory_min=", "memory_low=", "memory_max=",
};

/* The limits that are set, and the line's end */
static ssize_t simgpu_emit_limits(char *buf, ssize_t length,
				  const struct session_memory_limits *limits)
{
	const u64 values[] = { limits->min, limits->low, limits->max };
	ssize_t begin = length;
	u32 i;

	for (i = 0; i < ARRAY_SIZE(values); i++)
		if (values[i])
			length += sysfs_emit_at(buf, length, " %s%llu",
						simgpu_limit_words[i], values[i]);
	return length + sysfs_emit_at(buf, length, "\n") - begin;
}

static ssize_t cgroups_show(struct device *dev, struct device_attribute *attr,
			    char *buf)
{
	struct simgpu_cgroup_rules rules;
	ssize_t length = 0;
	u32 i;

	simgpu_cgroups_read(simgpu_device_of(dev), &rules);
	for (i = 0; i < rules.count; i++) {
		length += sysfs_emit_at(buf, length, "%llu weight=%u slots=%u",
					rules.at[i].id, rules.at[i].weight,
					rules.at[i].slots);
		length += simgpu_emit_limits(buf, length, &rules.at[i].memory);
	}
	return length;
}

/* Parses "weight=100", "slots=2", or a limit of memory in bytes */
static int simgpu_cgroup_word(const char *word, struct simgpu_cgroup_rule *rule)
{
	u64 *const limits[] = { &rule->memory.min, &rule->memory.low, &rule->memory.max };
	u32 i;

	for (i = 0; i < ARRAY_SIZE(limits); i++)
		if (strstarts(word, simgpu_limit_words[i]))
			return kstrtou64(word + strlen(simgpu_limit_words[i]), 10, limits[i]);
	if (strstarts(word, "weight="))
		return kstrtou32(word + strlen("weight="), 10, &rule->weight);
	if (strstarts(word, "slots="))
		return kstrtou32(word + strlen("slots="), 10, &rule->slots);
	return -EINVAL;
}

static ssize_t cgroups_store(struct device *dev, struct device_attribute *attr,
			     const char *buf, size_t count)
{
	struct simgpu_cgroup_rule rule = { .slots = SIMGPU_TENANTS_MAX };
	char text[160], *words, *word;
	int ret;

	if (strscpy(text, buf, sizeof(text)) < 0)
		return -EINVAL;
	words = strim(text);
	word = strsep(&words, " ");
	if (kstrtou64(word, 10, &rule.id))
		return -EINVAL;
	while ((word = strsep(&words, " ")))
		if (*word && simgpu_cgroup_word(word, &rule))
			return -EINVAL;
	ret = simgpu_cgroups_set(simgpu_device_of(dev), &rule, 1);
	return ret ?: count;
}
static DEVICE_ATTR_RW(cgroups);

static struct attribute *simgpu_cgroups_attrs[] = {
	&dev_attr_cgroups.attr,
	NULL
};

const struct attribute_group simgpu_cgroups_group = {
	.attrs = simgpu_cgroups_attrs,
};
