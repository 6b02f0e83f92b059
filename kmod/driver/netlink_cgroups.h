/* SPDX-License-Identifier: GPL-2.0 */
#ifndef SIMGPU_NETLINK_CGROUPS_H
#define SIMGPU_NETLINK_CGROUPS_H

#include <linux/simgpu_netlink.h>
#include <net/netlink.h>

#include "tenant.h"

/* Policy of an attribute that holds rules for cgroups. */
extern const struct nla_policy
simgpu_netlink_cgroups_policy[SIMGPU_A_CGROUPS_MAX + 1];

extern const struct nla_policy
simgpu_netlink_cgroups_policy[SIMGPU_A_CGROUPS_MAX + 1];
int simgpu_netlink_put_cgroups(struct sk_buff *skb,
			       struct simgpu_device *device);
int simgpu_netlink_put_cgroup(struct sk_buff *skb,
			      struct simgpu_tenant *tenant, bool path);
int simgpu_netlink_take_cgroups(const struct nlattr *table,
				struct simgpu_cgroup_rules *rules);

#endif /* SIMGPU_NETLINK_CGROUPS_H */
