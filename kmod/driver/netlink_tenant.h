/* SPDX-License-Identifier: GPL-2.0 */
#ifndef SIMGPU_NETLINK_TENANT_H
#define SIMGPU_NETLINK_TENANT_H

#include <linux/simgpu_netlink.h>
#include <net/netlink.h>

#include "tenant.h"

int simgpu_netlink_put_counters(struct sk_buff *skb, int attribute,
				const struct simgpu_counters *counters);
int simgpu_netlink_put_tenant(struct sk_buff *skb, struct simgpu_tenant *tenant,
			      struct pid_namespace *ns, bool private);

#endif /* SIMGPU_NETLINK_TENANT_H */
