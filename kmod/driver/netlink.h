/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Knobs, refusals, cgroups, tenants and epochs as netlink's attributes: between
 * netlink.c, netlink_knobs.c, netlink_cgroups.c, netlink_tenant.c and netlink_epoch.c.
 */
#ifndef SIMGPU_NETLINK_PARTS_H
#define SIMGPU_NETLINK_PARTS_H

#include <linux/simgpu_netlink.h>
#include <net/netlink.h>

#include "device.h"
#include "tenant.h"

/**
 * struct simgpu_netlink_knobs - knobs that a message sets
 * @count: how many
 * @at: the knobs; their names lie in the message
 */
struct simgpu_netlink_knobs {
	u32 count;
	struct simgpu_knob_change at[SIMGPU_KNOBS * SIMGPU_PARAMS_MAX];
};

/* Of an attribute that holds knobs. */
extern const struct nla_policy
simgpu_netlink_knobs_policy[SIMGPU_A_PARAMS_MAX + 1];

/* Of one that holds rules for cgroups. */
extern const struct nla_policy
simgpu_netlink_cgroups_policy[SIMGPU_A_CGROUPS_MAX + 1];

int simgpu_netlink_put_knobs(struct sk_buff *skb, struct simgpu_device *device);
int simgpu_netlink_put_refusal(struct sk_buff *skb,
			       const struct session_refusal *why);
int simgpu_netlink_take_knobs(struct nlattr **attrs,
			      struct simgpu_netlink_knobs *knobs);
int simgpu_netlink_put_cgroups(struct sk_buff *skb,
			       struct simgpu_device *device);
int simgpu_netlink_put_cgroup(struct sk_buff *skb,
			      struct simgpu_tenant *tenant, bool path);
int simgpu_netlink_take_cgroups(const struct nlattr *table,
				struct simgpu_cgroup_rules *rules);

int simgpu_netlink_put_counters(struct sk_buff *skb, int attribute,
				const struct simgpu_counters *counters);
int simgpu_netlink_put_tenant(struct sk_buff *skb, struct simgpu_tenant *tenant,
			      struct pid_namespace *ns, bool private);
int simgpu_netlink_put_epoch(struct sk_buff *skb, u32 index,
			     const struct simgpu_epoch *last);
size_t simgpu_netlink_epoch_bytes(u32 tenants);
int simgpu_netlink_put_metrics(struct sk_buff *skb, int fairness, int pad,
			       const struct metrics *metrics);

#endif /* SIMGPU_NETLINK_PARTS_H */
