// SPDX-License-Identifier: GPL-2.0
/* Parameters, in both directions, and refusals as attributes of messages about devices. */
#include "deciders.h"
#include "device.h"
#include "netlink_params.h"
#include "tenant.h"

static_assert((int)SIMGPU_UNIT_NUMBER == 0 && SIMGPU_UNIT_RATIO == 1 &&
	      SIMGPU_UNIT_CYCLES == 2);

static const struct nla_policy
simgpu_netlink_param_policy[SIMGPU_A_PARAM_MAX + 1] = {
	[SIMGPU_A_PARAM_NAME] = {
		.type = NLA_NUL_STRING, .len = SIMGPU_NAME_MAX - 1
	},
	[SIMGPU_A_PARAM_UNIT] = { .type = NLA_U32 },
	[SIMGPU_A_PARAM_VALUE] = { .type = NLA_U64 },
};

const struct nla_policy simgpu_netlink_params_policy[SIMGPU_A_PARAMS_MAX + 1] = {
	[SIMGPU_A_PARAMS_PARAM] = NLA_POLICY_NESTED(simgpu_netlink_param_policy),
};

static int simgpu_put_param(struct sk_buff *skb, const struct simgpu_params *params,
			    u32 index)
{
	struct nlattr *nest = nla_nest_start(skb, SIMGPU_A_PARAMS_PARAM);

	if (!nest ||
	    nla_put_string(skb, SIMGPU_A_PARAM_NAME, params->at[index].name) ||
	    nla_put_u32(skb, SIMGPU_A_PARAM_UNIT, params->at[index].unit) ||
	    nla_put_u64_64bit(skb, SIMGPU_A_PARAM_VALUE,
			      params->at[index].value, SIMGPU_A_PARAM_PAD))
		return -EMSGSIZE;
	nla_nest_end(skb, nest);
	return 0;
}

static int simgpu_put_table(struct sk_buff *skb, struct simgpu_device *device,
			    enum session_param_owner whose, int attribute)
{
	struct simgpu_params params;
	struct nlattr *nest;
	u32 i;

	simgpu_params_read(device, whose, &params);
	nest = nla_nest_start(skb, attribute);
	if (!nest)
		return -EMSGSIZE;
	for (i = 0; i < params.count; i++)
		if (simgpu_put_param(skb, &params, i))
			return -EMSGSIZE;
	nla_nest_end(skb, nest);
	return 0;
}

/**
 * simgpu_netlink_put_params() - put the parameters in force into a message
 * @skb: message about the device
 * @device: the device
 *
 * Return: 0 or -EMSGSIZE.
 */
int simgpu_netlink_put_params(struct sk_buff *skb, struct simgpu_device *device)
{
	return simgpu_put_table(skb, device, SESSION_POLICY_PARAMS,
				SIMGPU_A_DEVICE_POLICY_PARAMS) ?:
	       simgpu_put_table(skb, device, SESSION_MODEL_PARAMS,
				SIMGPU_A_DEVICE_MODEL_PARAMS) ?:
	       simgpu_put_table(skb, device, SESSION_MEMORY_PARAMS,
				SIMGPU_A_DEVICE_MEMORY_PARAMS);
}

/**
 * simgpu_netlink_put_refusal() - put the last refusal into a message
 * @skb: message about the device
 * @why: the refusal, if there was one
 *
 * Return: 0 or -EMSGSIZE.
 */
int simgpu_netlink_put_refusal(struct sk_buff *skb,
			       const struct session_refusal *why)
{
	struct nlattr *nest;

	if (why->kind == SESSION_REFUSED_NOTHING)
		return 0;
	nest = nla_nest_start(skb, SIMGPU_A_DEVICE_REFUSAL);
	if (!nest ||
	    nla_put_u32(skb, SIMGPU_A_REFUSAL_KIND, why->kind) ||
	    nla_put_s32(skb, SIMGPU_A_REFUSAL_CODE, why->code) ||
	    (why->slot != SESSION_NOWHERE &&
	     nla_put_u32(skb, SIMGPU_A_REFUSAL_SLOT, why->slot)) ||
	    (why->sm != SESSION_NOWHERE &&
	     nla_put_u32(skb, SIMGPU_A_REFUSAL_SM, why->sm)) ||
	    (why->field[0] &&
	     nla_put_string(skb, SIMGPU_A_REFUSAL_FIELD, why->field)) ||
	    nla_put_string(skb, SIMGPU_A_REFUSAL_REASON, why->reason) ||
	    nla_put_u64_64bit(skb, SIMGPU_A_REFUSAL_CYCLE, why->cycle,
			      SIMGPU_A_REFUSAL_PAD))
		return -EMSGSIZE;
	nla_nest_end(skb, nest);
	return 0;
}

static int simgpu_take_param(const struct nlattr *nest, enum session_param_owner whose,
			     struct simgpu_netlink_params *params)
{
	struct simgpu_param_change *param = &params->at[params->count];
	struct nlattr *attrs[SIMGPU_A_PARAM_MAX + 1];
	int ret;

	if (params->count == ARRAY_SIZE(params->at))
		return -E2BIG;
	ret = nla_parse_nested(attrs, SIMGPU_A_PARAM_MAX, nest,
			       simgpu_netlink_param_policy, NULL);
	if (ret)
		return ret;
	if (!attrs[SIMGPU_A_PARAM_NAME] || !attrs[SIMGPU_A_PARAM_VALUE])
		return -EINVAL;
	param->whose = whose;
	param->name = nla_data(attrs[SIMGPU_A_PARAM_NAME]);
	param->value = nla_get_u64(attrs[SIMGPU_A_PARAM_VALUE]);
	params->count++;
	return 0;
}

static int simgpu_take_table(const struct nlattr *table,
			     enum session_param_owner whose,
			     struct simgpu_netlink_params *params)
{
	const struct nlattr *nest;
	int left, ret = 0;

	if (!table)
		return 0;
	nla_for_each_nested(nest, table, left) {
		if (nla_type(nest) != SIMGPU_A_PARAMS_PARAM)
			continue;
		ret = simgpu_take_param(nest, whose, params);
		if (ret)
			break;
	}
	return ret;
}

/**
 * simgpu_netlink_take_params() - read the parameters that a message sets
 * @attrs: its attributes
 * @params: zeroed; set to them
 *
 * Return: 0, -EINVAL for a parameter without name or value, -E2BIG for too many.
 */
int simgpu_netlink_take_params(struct nlattr **attrs,
			       struct simgpu_netlink_params *params)
{
	return simgpu_take_table(attrs[SIMGPU_A_DEVICE_POLICY_PARAMS],
				 SESSION_POLICY_PARAMS, params) ?:
	       simgpu_take_table(attrs[SIMGPU_A_DEVICE_MODEL_PARAMS],
				 SESSION_MODEL_PARAMS, params) ?:
	       simgpu_take_table(attrs[SIMGPU_A_DEVICE_MEMORY_PARAMS],
				 SESSION_MEMORY_PARAMS, params);
}
