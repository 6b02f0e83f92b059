/* SPDX-License-Identifier: GPL-2.0 */
#ifndef SIMGPU_NETLINK_EPOCH_H
#define SIMGPU_NETLINK_EPOCH_H

#include <linux/simgpu_netlink.h>
#include <net/netlink.h>

#include "device.h"

int simgpu_netlink_put_epoch(struct sk_buff *skb, u32 index,
			     const struct simgpu_epoch *last);
size_t simgpu_netlink_epoch_bytes(u32 tenants, u32 gauges);
int simgpu_netlink_put_metrics(struct sk_buff *skb, int fairness, int pad,
			       const struct metrics *metrics);

#endif /* SIMGPU_NETLINK_EPOCH_H */
