// SPDX-License-Identifier: GPL-2.0
/* Rules for cgroups, in both directions, and a tenant's cgroup as attributes of netlink. */
#include <linux/slab.h>

#include "cgroups.h"
#include "device.h"
#include "netlink_cgroups.h"
#include "tenant.h"

static const struct nla_policy
simgpu_netlink_cgroup_policy[SIMGPU_A_CGROUP_MAX + 1] = {
	[SIMGPU_A_CGROUP_ID] = { .type = NLA_U64 },
	[SIMGPU_A_CGROUP_WEIGHT] = { .type = NLA_U32 },
	[SIMGPU_A_CGROUP_SLOTS] = { .type = NLA_U32 },
	[SIMGPU_A_CGROUP_MEMORY_MIN] = { .type = NLA_U64 },
	[SIMGPU_A_CGROUP_MEMORY_LOW] = { .type = NLA_U64 },
	[SIMGPU_A_CGROUP_MEMORY_MAX] = { .type = NLA_U64 },
};

const struct nla_policy
simgpu_netlink_cgroups_policy[SIMGPU_A_CGROUPS_MAX + 1] = {
	[SIMGPU_A_CGROUPS_CGROUP] =
		NLA_POLICY_NESTED(simgpu_netlink_cgroup_policy),
};

/* Puts the limits of memory that are set. */
static int simgpu_put_rule_limits(struct sk_buff *skb,
				  const struct session_memory_limits *limits)
{
	return (limits->min &&
		nla_put_u64_64bit(skb, SIMGPU_A_CGROUP_MEMORY_MIN, limits->min,
				  SIMGPU_A_CGROUP_PAD)) ||
	       (limits->low &&
		nla_put_u64_64bit(skb, SIMGPU_A_CGROUP_MEMORY_LOW, limits->low,
				  SIMGPU_A_CGROUP_PAD)) ||
	       (limits->max &&
		nla_put_u64_64bit(skb, SIMGPU_A_CGROUP_MEMORY_MAX, limits->max,
				  SIMGPU_A_CGROUP_PAD));
}

static int simgpu_put_rule(struct sk_buff *skb,
			   const struct simgpu_cgroup_rule *rule)
{
	struct nlattr *nest = nla_nest_start(skb, SIMGPU_A_CGROUPS_CGROUP);

	if (!nest ||
	    nla_put_u64_64bit(skb, SIMGPU_A_CGROUP_ID, rule->id,
			      SIMGPU_A_CGROUP_PAD) ||
	    nla_put_u32(skb, SIMGPU_A_CGROUP_WEIGHT, rule->weight) ||
	    nla_put_u32(skb, SIMGPU_A_CGROUP_SLOTS, rule->slots) ||
	    simgpu_put_rule_limits(skb, &rule->memory))
		return -EMSGSIZE;
	nla_nest_end(skb, nest);
	return 0;
}

/**
 * simgpu_netlink_put_cgroups() - put the rules for cgroups into a message
 * @skb: message about the device
 * @device: the device
 *
 * Return: 0 or -EMSGSIZE.
 */
int simgpu_netlink_put_cgroups(struct sk_buff *skb,
			       struct simgpu_device *device)
{
	struct simgpu_cgroup_rules rules;
	struct nlattr *nest;
	u32 i;

	simgpu_cgroups_read(device, &rules);
	nest = nla_nest_start(skb, SIMGPU_A_DEVICE_CGROUPS);
	if (!nest)
		return -EMSGSIZE;
	for (i = 0; i < rules.count; i++)
		if (simgpu_put_rule(skb, &rules.at[i]))
			return -EMSGSIZE;
	nla_nest_end(skb, nest);
	return 0;
}

/**
 * simgpu_netlink_put_cgroup() - put the cgroup of a tenant into a message
 * @skb: message about the tenant
 * @tenant: the tenant
 * @path: whether to add its path in the caller's namespace
 *
 * Return: 0 or -EMSGSIZE.
 */
int simgpu_netlink_put_cgroup(struct sk_buff *skb,
			      struct simgpu_tenant *tenant, bool path)
{
	char *text;
	int ret = 0;

	if (nla_put_u64_64bit(skb, SIMGPU_A_TENANT_CGROUP_ID,
			      simgpu_cgroup_id(tenant->cgroup),
			      SIMGPU_A_TENANT_PAD))
		return -EMSGSIZE;
	if (!path)
		return 0;
	text = kmalloc(SIMGPU_CGROUP_PATH_BYTES, GFP_KERNEL);
	if (text && !simgpu_cgroup_path(tenant->cgroup, text,
					SIMGPU_CGROUP_PATH_BYTES))
		ret = nla_put_string(skb, SIMGPU_A_TENANT_CGROUP, text);
	kfree(text);
	return ret;
}

static u64 simgpu_take_u64(const struct nlattr *attr)
{
	return attr ? nla_get_u64(attr) : 0;
}

static int simgpu_take_rule(const struct nlattr *nest,
			    struct simgpu_cgroup_rules *rules)
{
	struct simgpu_cgroup_rule *rule = &rules->at[rules->count];
	struct nlattr *attrs[SIMGPU_A_CGROUP_MAX + 1];
	int ret;

	if (rules->count == SIMGPU_CGROUPS_MAX)
		return -E2BIG;
	ret = nla_parse_nested(attrs, SIMGPU_A_CGROUP_MAX, nest,
			       simgpu_netlink_cgroup_policy, NULL);
	if (ret)
		return ret;
	if (!attrs[SIMGPU_A_CGROUP_ID])
		return -EINVAL;
	*rule = (struct simgpu_cgroup_rule) {
		.id = nla_get_u64(attrs[SIMGPU_A_CGROUP_ID]),
		.slots = SIMGPU_TENANTS_MAX,
		.memory = {
			.min = simgpu_take_u64(attrs[SIMGPU_A_CGROUP_MEMORY_MIN]),
			.low = simgpu_take_u64(attrs[SIMGPU_A_CGROUP_MEMORY_LOW]),
			.max = simgpu_take_u64(attrs[SIMGPU_A_CGROUP_MEMORY_MAX]),
		},
	};
	if (attrs[SIMGPU_A_CGROUP_WEIGHT])
		rule->weight = nla_get_u32(attrs[SIMGPU_A_CGROUP_WEIGHT]);
	if (attrs[SIMGPU_A_CGROUP_SLOTS])
		rule->slots = nla_get_u32(attrs[SIMGPU_A_CGROUP_SLOTS]);
	rules->count++;
	return 0;
}

/**
 * simgpu_netlink_take_cgroups() - read the rules for cgroups that a message sets
 * @table: its attribute for them, or NULL
 * @rules: zeroed; set to them
 *
 * Return: 0, -EINVAL for a rule without an id, -E2BIG for too many.
 */
int simgpu_netlink_take_cgroups(const struct nlattr *table,
				struct simgpu_cgroup_rules *rules)
{
	const struct nlattr *nest;
	int left, ret = 0;

	if (!table)
		return 0;
	nla_for_each_nested(nest, table, left) {
		if (nla_type(nest) != SIMGPU_A_CGROUPS_CGROUP)
			continue;
		ret = simgpu_take_rule(nest, rules);
		if (ret)
			break;
	}
	return ret;
}
