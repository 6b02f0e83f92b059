/* SPDX-License-Identifier: GPL-2.0 */
#ifndef SIMGPU_NETLINK_PARAMS_H
#define SIMGPU_NETLINK_PARAMS_H

#include <linux/simgpu_netlink.h>
#include <net/netlink.h>

#include "device.h"

/**
 * struct simgpu_netlink_params - parameters that a message sets
 * @count: number of parameters
 * @at: the parameters; their names are in the message
 */
struct simgpu_netlink_params {
	u32 count;
	struct simgpu_param_change at[SIMGPU_PARAMS * SIMGPU_PARAMS_MAX];
};

/* Policy of an attribute that holds parameters. */
extern const struct nla_policy
simgpu_netlink_params_policy[SIMGPU_A_PARAMS_MAX + 1];

int simgpu_netlink_put_params(struct sk_buff *skb, struct simgpu_device *device);
int simgpu_netlink_put_refusal(struct sk_buff *skb,
			       const struct session_refusal *why);
int simgpu_netlink_take_params(struct nlattr **attrs,
			       struct simgpu_netlink_params *params);

#endif /* SIMGPU_NETLINK_PARAMS_H */
