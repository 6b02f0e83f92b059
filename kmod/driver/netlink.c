// SPDX-License-Identifier: GPL-2.0
/*
 * The generic netlink family, which docs/netlink/simgpu.yaml describes; its
 * numbers are generated from there. Reading returns what was published last, as
 * sysfs does; writing goes through change.c and tenant.c.
 */
#include <linux/cred.h>
#include <linux/pid.h>
#include <linux/pid_namespace.h>
#include <linux/slab.h>
#include <linux/simgpu_netlink.h>
#include <net/genetlink.h>

#include "cgroups.h"
#include "change.h"
#include "device.h"
#include "device_energy.h"
#include "device_settings.h"
#include "goals.h"
#include "netlink.h"
#include "netlink_cgroups.h"
#include "netlink_epoch.h"
#include "netlink_params.h"
#include "netlink_tenant.h"
#include "observe.h"
#include "rights.h"
#include "tenant.h"
#include "turn.h"

static_assert((int)SIMGPU_DEVICE_STATE_WAITING == (int)SESSION_WAITING);
static_assert((int)SIMGPU_DEVICE_STATE_RUNNING == (int)SESSION_RUNNING);
static_assert((int)SIMGPU_DEVICE_STATE_IDLE == (int)SESSION_IDLE);
static_assert((int)SIMGPU_DEVICE_STATE_STOPPED == (int)SESSION_STOPPED);
static_assert((int)SIMGPU_DEVICE_STATE_CANCELED == (int)SESSION_CANCELED);

enum simgpu_mcgrp {
	MCGRP_EPOCHS,
	MCGRP_SETTINGS,
};

/* Its tables are at the end; the flags of its groups are set when the module is loaded. */
static struct genl_family simgpu_family;

/* Ranges are checked where a value is set. */
static const struct nla_policy
simgpu_device_get_policy[SIMGPU_A_DEVICE_INDEX + 1] = {
	[SIMGPU_A_DEVICE_INDEX] = { .type = NLA_U32 },
};

#define PARAMS	NLA_POLICY_NESTED(simgpu_netlink_params_policy)
#define NAME	{ .type = NLA_NUL_STRING, .len = SIMGPU_NAME_MAX - 1 }

/* The settings are added to these when the module is loaded. */
static struct nla_policy simgpu_device_set_policy[SIMGPU_A_DEVICE_MAX + 1] = {
	[SIMGPU_A_DEVICE_INDEX] = { .type = NLA_U32 },
	[SIMGPU_A_DEVICE_POLICY] = NAME,
	[SIMGPU_A_DEVICE_MODEL] = NAME,
	[SIMGPU_A_DEVICE_MEMORY_POLICY] = { .type = NLA_U32 },
	[SIMGPU_A_DEVICE_MEMORY_POLICY_NAME] = NAME,
	[SIMGPU_A_DEVICE_POLICY_PARAMS] = PARAMS,
	[SIMGPU_A_DEVICE_MODEL_PARAMS] = PARAMS,
	[SIMGPU_A_DEVICE_MEMORY_PARAMS] = PARAMS,
	[SIMGPU_A_DEVICE_CONSTANTS] = {
		.type = NLA_BINARY, .len = SIMGPU_CONSTANTS_BYTES_MAX
	},
	[SIMGPU_A_DEVICE_CGROUPS] =
		NLA_POLICY_NESTED(simgpu_netlink_cgroups_policy),
};

static const struct nla_policy
simgpu_tenant_get_policy[SIMGPU_A_TENANT_ID + 1] = {
	[SIMGPU_A_TENANT_DEVICE] = { .type = NLA_U32 },
	[SIMGPU_A_TENANT_ID] = { .type = NLA_U64 },
};

static const struct nla_policy
simgpu_tenant_set_policy[SIMGPU_A_TENANT_MEMORY_MAX + 1] = {
	[SIMGPU_A_TENANT_DEVICE] = { .type = NLA_U32 },
	[SIMGPU_A_TENANT_ID] = { .type = NLA_U64 },
	[SIMGPU_A_TENANT_WEIGHT] = { .type = NLA_U32 },
	[SIMGPU_A_TENANT_TARGET_PPM] = { .type = NLA_U64 },
	[SIMGPU_A_TENANT_GOAL_KIND] = { .type = NLA_U32 },
	[SIMGPU_A_TENANT_GOAL] = { .type = NLA_U64 },
	[SIMGPU_A_TENANT_SHARE_PPM] = { .type = NLA_U32 },
	[SIMGPU_A_TENANT_MEMORY_MIN] = { .type = NLA_U64 },
	[SIMGPU_A_TENANT_MEMORY_LOW] = { .type = NLA_U64 },
	[SIMGPU_A_TENANT_MEMORY_MAX] = { .type = NLA_U64 },
};

static const struct nla_policy
simgpu_epoch_get_policy[SIMGPU_A_EPOCH_DEVICE + 1] = {
	[SIMGPU_A_EPOCH_DEVICE] = { .type = NLA_U32 },
};

/*
 * The device that an attribute of the request names, with a reference. A message
 * about a device counts as a call, like an ioctl.
 */
static struct simgpu_device *simgpu_named_device(struct genl_info *info,
						 int attribute)
{
	struct simgpu_device *device;
	int ret;

	if (GENL_REQ_ATTR_CHECK(info, attribute))
		return ERR_PTR(-EINVAL);
	device = simgpu_device_find(nla_get_u32(info->attrs[attribute]));
	if (!device) {
		NL_SET_BAD_ATTR(info->extack, info->attrs[attribute]);
		return ERR_PTR(-ENODEV);
	}
	ret = simgpu_device_admit(device, SIMGPU_CALL_LIGHT);
	if (ret) {
		put_device(&device->dev);
		return ERR_PTR(ret);
	}
	return device;
}

/* Devices. */

/* Room for all parameters, and for the most rules for cgroups. */
#define DEVICE_BYTES	(2 * GENLMSG_DEFAULT_SIZE)

static int simgpu_put_figure(struct sk_buff *skb, const struct figure *figure,
			     const struct device_report *report)
{
	u64 value = figure_value(figure, report);

	return figure->unit == FIGURE_DOUBTS ?
	       nla_put_u32(skb, figure->netlink, value) :
	       nla_put_u64_64bit(skb, figure->netlink, value, SIMGPU_A_DEVICE_PAD);
}

/* Puts the figures that are known, and that the reader may know. */
static int simgpu_put_figures(struct sk_buff *skb, struct simgpu_device *device,
			      const struct simgpu_reader *reader)
{
	bool all = simgpu_may_read_all(reader);
	const struct figure *figure;
	struct device_report report;

	simgpu_device_report(device, reader, &report);
	if (!all)
		report.flags &= ~(u32)(DEVICE_ENERGY | DEVICE_MEMORY | DEVICE_CLOCK |
				      DEVICE_POWER);
	if (all && nla_put_u64_64bit(skb, SIMGPU_A_DEVICE_BYTES_HELD,
				     atomic64_read(&device->bytes_held),
				     SIMGPU_A_DEVICE_PAD))
		return -EMSGSIZE;
	each_device_figure(figure)
		if (device_figure_is_known(figure, &report) &&
		    simgpu_put_figure(skb, figure, &report))
			return -EMSGSIZE;
	return 0;
}

static int simgpu_put_settings(struct sk_buff *skb,
			       const struct simgpu_published *published)
{
	const struct session_setting *setting;
	int ret = 0;
	u32 i;

	for (i = 0; !ret && (setting = simgpu_setting(i)); i++) {
		u64 value = published->settings[i];

		if (setting->netlink)
			ret = setting->bytes == sizeof(u64) ?
			      nla_put_u64_64bit(skb, setting->netlink, value,
						SIMGPU_A_DEVICE_PAD) :
			      nla_put_u32(skb, setting->netlink, value);
	}
	return ret;
}

static int simgpu_put_published(struct sk_buff *skb,
				const struct simgpu_published *published)
{
	const struct simgpu_memory_policy *memory =
		registry_memory_policy_find(published->memory_policy);
	const u32 place = registry_memory_policy_place(memory);
	const int pad = SIMGPU_A_DEVICE_PAD;

	return nla_put_string(skb, SIMGPU_A_DEVICE_CONFIG, published->config) ||
	       nla_put_string(skb, SIMGPU_A_DEVICE_POLICY, published->policy) ||
	       nla_put_string(skb, SIMGPU_A_DEVICE_MODEL, published->model) ||
	       nla_put_u32(skb, SIMGPU_A_DEVICE_STATE, published->state) ||
	       nla_put_u64_64bit(skb, SIMGPU_A_DEVICE_CYCLE, published->cycle,
				 pad) ||
	       nla_put_u64_64bit(skb, SIMGPU_A_DEVICE_EPOCHS,
				 published->epochs, pad) ||
	       nla_put_u64_64bit(skb, SIMGPU_A_DEVICE_LEAPS,
				 published->sampling.leaps, pad) ||
	       nla_put_u64_64bit(skb, SIMGPU_A_DEVICE_LEAPT_CYCLES,
				 published->sampling.leapt_cycles, pad) ||
	       nla_put_u32(skb, SIMGPU_A_DEVICE_MEMORY_POLICY, place) ||
	       nla_put_string(skb, SIMGPU_A_DEVICE_MEMORY_POLICY_NAME,
			      published->memory_policy) ||
	       simgpu_put_settings(skb, published);
}

/* Puts a whole message of @command about the device, with what the reader may know. */
static int simgpu_put_device(struct sk_buff *skb, struct simgpu_device *device,
			     u32 portid, u32 seq, int flags, u8 command,
			     const struct simgpu_reader *reader)
{
	struct simgpu_published published = simgpu_device_published(device);
	void *header;

	header = genlmsg_put(skb, portid, seq, &simgpu_family, flags, command);
	if (!header)
		return -EMSGSIZE;
	if (nla_put_u32(skb, SIMGPU_A_DEVICE_INDEX, device->index) ||
	    simgpu_put_published(skb, &published) ||
	    simgpu_put_figures(skb, device, reader) ||
	    simgpu_netlink_put_params(skb, device) ||
	    simgpu_netlink_put_cgroups(skb, device) ||
	    simgpu_netlink_put_refusal(skb, &published.refusal)) {
		genlmsg_cancel(skb, header);
		return -EMSGSIZE;
	}
	genlmsg_end(skb, header);
	return 0;
}

/* SIMGPU_CMD_DEVICE_GET */
static int simgpu_nl_device_get(struct sk_buff *request, struct genl_info *info)
{
	const struct simgpu_reader reader = { .request = request };
	struct simgpu_device *device;
	struct sk_buff *reply;
	int ret = -ENOMEM;

	device = simgpu_named_device(info, SIMGPU_A_DEVICE_INDEX);
	if (IS_ERR(device))
		return PTR_ERR(device);
	reply = genlmsg_new(DEVICE_BYTES, GFP_KERNEL);
	if (reply)
		ret = simgpu_put_device(reply, device, info->snd_portid,
					info->snd_seq, 0,
					SIMGPU_CMD_DEVICE_GET, &reader);
	put_device(&device->dev);
	if (!ret)
		return genlmsg_reply(reply, info);
	nlmsg_free(reply);
	return ret;
}

/* SIMGPU_CMD_DEVICE_GET for all devices; args[0] is the next device. */
static int simgpu_nl_device_dump(struct sk_buff *skb,
				 struct netlink_callback *cb)
{
	const struct simgpu_reader reader = { .request = cb->skb };
	struct simgpu_device *device;
	int ret;

	for (; cb->args[0] < SIMGPU_DEVICES_MAX; cb->args[0]++) {
		device = simgpu_device_find(cb->args[0]);
		if (!device)
			continue;
		simgpu_device_admit(device, SIMGPU_CALL_LIGHT);
		ret = simgpu_put_device(skb, device,
					NETLINK_CB(cb->skb).portid,
					cb->nlh->nlmsg_seq, NLM_F_MULTI,
					SIMGPU_CMD_DEVICE_GET, &reader);
		put_device(&device->dev);
		if (ret)
			break;
	}
	return skb->len;
}

static void simgpu_take_settings(struct nlattr **attrs,
				 struct simgpu_device_change *change)
{
	const struct session_setting *setting;
	u32 i;

	for (i = 0; (setting = simgpu_setting(i)); i++) {
		const struct nlattr *attr = attrs[setting->netlink];

		if (!setting->netlink || !attr)
			continue;
		change->given |= BIT(i);
		change->settings[i] = setting->bytes == sizeof(u64) ?
				      nla_get_u64(attr) : nla_get_u32(attr);
	}
}

/* By its name, or by the place of a built-in one. */
static int simgpu_take_memory_policy(struct nlattr **attrs,
				     struct simgpu_device_change *change)
{
	const struct nlattr *name = attrs[SIMGPU_A_DEVICE_MEMORY_POLICY_NAME];
	const struct nlattr *place = attrs[SIMGPU_A_DEVICE_MEMORY_POLICY];
	const struct simgpu_memory_policy *policy;

	if (name && place)
		return -EINVAL;
	if (name)
		change->memory_policy = nla_data(name);
	if (!place)
		return 0;
	policy = registry_memory_policy_at(nla_get_u32(place));
	if (!policy)
		return -EINVAL;
	change->memory_policy = policy->name;
	return 0;
}

static int simgpu_take_change(struct nlattr **attrs,
			      struct simgpu_device_change *change,
			      struct simgpu_netlink_params *params)
{
	const struct nlattr *constants = attrs[SIMGPU_A_DEVICE_CONSTANTS];
	int ret;

	if (attrs[SIMGPU_A_DEVICE_POLICY])
		change->policy = nla_data(attrs[SIMGPU_A_DEVICE_POLICY]);
	if (attrs[SIMGPU_A_DEVICE_MODEL])
		change->model = nla_data(attrs[SIMGPU_A_DEVICE_MODEL]);
	if (constants) {
		change->constants = nla_data(constants);
		change->constants_bytes = nla_len(constants);
	}
	simgpu_take_settings(attrs, change);
	ret = simgpu_take_memory_policy(attrs, change) ?:
	      simgpu_netlink_take_params(attrs, params);
	change->params = params->at;
	change->param_count = params->count;
	return ret;
}

/* Rules for cgroups are set apart from other settings. */
static int simgpu_nl_cgroups_set(struct genl_info *info)
{
	struct simgpu_cgroup_rules rules = {};
	struct simgpu_device *device;
	int i, ret;

	for (i = 0; i < ARRAY_SIZE(simgpu_device_set_policy); i++)
		if (info->attrs[i] && i != SIMGPU_A_DEVICE_INDEX &&
		    i != SIMGPU_A_DEVICE_CGROUPS) {
			NL_SET_BAD_ATTR(info->extack, info->attrs[i]);
			return -EINVAL;
		}
	ret = simgpu_netlink_take_cgroups(info->attrs[SIMGPU_A_DEVICE_CGROUPS],
					  &rules);
	if (ret)
		return ret;
	device = simgpu_named_device(info, SIMGPU_A_DEVICE_INDEX);
	if (IS_ERR(device))
		return PTR_ERR(device);
	ret = simgpu_cgroups_set(device, rules.at, rules.count);
	put_device(&device->dev);
	return ret;
}

/* SIMGPU_CMD_DEVICE_SET */
static int simgpu_nl_device_set(struct sk_buff *request, struct genl_info *info)
{
	struct simgpu_device_change change = {};
	struct simgpu_netlink_params params = {};
	struct simgpu_device *device;
	int ret;

	if (!simgpu_may_administer(request))
		return -EPERM;
	if (info->attrs[SIMGPU_A_DEVICE_CGROUPS])
		return simgpu_nl_cgroups_set(info);
	ret = simgpu_take_change(info->attrs, &change, &params);
	if (ret)
		return ret;
	device = simgpu_named_device(info, SIMGPU_A_DEVICE_INDEX);
	if (IS_ERR(device))
		return PTR_ERR(device);
	ret = simgpu_device_change(device, &change);
	if (ret == -EINVAL)
		GENL_SET_ERR_MSG(info, "no such name, or a value out of range");
	put_device(&device->dev);
	return ret;
}

/* Tenants. */

/* Puts a whole message about a tenant for the sender of @request. */
static int simgpu_put_tenant_reply(struct sk_buff *skb, struct sk_buff *request,
				   struct simgpu_tenant *tenant, u32 seq,
				   int flags)
{
	void *header;

	header = genlmsg_put(skb, NETLINK_CB(request).portid, seq,
			     &simgpu_family, flags, SIMGPU_CMD_TENANT_GET);
	if (!header)
		return -EMSGSIZE;
	if (simgpu_netlink_put_tenant(skb, tenant, task_active_pid_ns(current),
				      simgpu_may_read(request, tenant->uid))) {
		genlmsg_cancel(skb, header);
		return -EMSGSIZE;
	}
	genlmsg_end(skb, header);
	return 0;
}

/* The tenant that the request names, with a reference. */
static struct simgpu_tenant *simgpu_named_tenant(struct genl_info *info)
{
	struct simgpu_tenant *tenant;
	struct simgpu_device *device;
	unsigned long id;

	if (GENL_REQ_ATTR_CHECK(info, SIMGPU_A_TENANT_ID))
		return ERR_PTR(-EINVAL);
	device = simgpu_named_device(info, SIMGPU_A_TENANT_DEVICE);
	if (IS_ERR(device))
		return ERR_CAST(device);
	id = nla_get_u64(info->attrs[SIMGPU_A_TENANT_ID]);
	tenant = simgpu_tenant_find(device, &id, false);
	put_device(&device->dev);
	if (!tenant) {
		NL_SET_BAD_ATTR(info->extack, info->attrs[SIMGPU_A_TENANT_ID]);
		return ERR_PTR(-ENOENT);
	}
	return tenant;
}

/* SIMGPU_CMD_TENANT_GET */
static int simgpu_nl_tenant_get(struct sk_buff *request, struct genl_info *info)
{
	struct simgpu_tenant *tenant;
	struct sk_buff *reply;
	int ret = -ENOMEM;

	tenant = simgpu_named_tenant(info);
	if (IS_ERR(tenant))
		return PTR_ERR(tenant);
	reply = genlmsg_new(GENLMSG_DEFAULT_SIZE, GFP_KERNEL);
	if (reply)
		ret = simgpu_put_tenant_reply(reply, request, tenant,
					      info->snd_seq, 0);
	kobject_put(&tenant->kobj);
	if (!ret)
		return genlmsg_reply(reply, info);
	nlmsg_free(reply);
	return ret;
}

/* Dumps the tenants of a device from number @next on; -EMSGSIZE: no more room. */
static int simgpu_dump_tenants(struct sk_buff *skb, struct netlink_callback *cb,
			       struct simgpu_device *device, long *next)
{
	struct simgpu_tenant *tenant;
	unsigned long id = *next;
	int ret;

	for (; (tenant = simgpu_tenant_find(device, &id, true)); id++) {
		ret = simgpu_put_tenant_reply(skb, cb->skb, tenant,
					      cb->nlh->nlmsg_seq, NLM_F_MULTI);
		kobject_put(&tenant->kobj);
		*next = id;
		if (ret)
			return ret;
	}
	return 0;
}

/* SIMGPU_CMD_TENANT_GET for all tenants; args[] are the next device and tenant. */
static int simgpu_nl_tenant_dump(struct sk_buff *skb,
				 struct netlink_callback *cb)
{
	struct simgpu_device *device;
	int ret;

	for (; cb->args[0] < SIMGPU_DEVICES_MAX; cb->args[0]++) {
		device = simgpu_device_find(cb->args[0]);
		if (!device)
			continue;
		simgpu_device_admit(device, SIMGPU_CALL_LIGHT);
		ret = simgpu_dump_tenants(skb, cb, device, &cb->args[1]);
		put_device(&device->dev);
		if (ret)
			break;
		cb->args[1] = 0;
	}
	return skb->len;
}

/* Whether a message has a goal; a kind without a value has the value 0. */
static bool simgpu_take_goal(const struct genl_info *info,
			     struct simgpu_goal *goal)
{
	const struct nlattr *kind = info->attrs[SIMGPU_A_TENANT_GOAL_KIND];
	const struct nlattr *value = info->attrs[SIMGPU_A_TENANT_GOAL];

	*goal = (struct simgpu_goal) { .kind = SIMGPU_GOAL_NONE };
	if (kind)
		goal->kind = nla_get_u32(kind);
	if (value)
		goal->value = nla_get_u64(value);
	return kind || value;
}

/* Limits of memory that a message has, which are kept in @limits. */
static void simgpu_take_limits(const struct genl_info *info,
			       struct session_memory_limits *limits,
			       struct simgpu_tenant_wish *wish)
{
	const struct nlattr *min = info->attrs[SIMGPU_A_TENANT_MEMORY_MIN];
	const struct nlattr *low = info->attrs[SIMGPU_A_TENANT_MEMORY_LOW];
	const struct nlattr *max = info->attrs[SIMGPU_A_TENANT_MEMORY_MAX];

	if (min) {
		limits->min = nla_get_u64(min);
		wish->memory_min = &limits->min;
	}
	if (low) {
		limits->low = nla_get_u64(low);
		wish->memory_low = &limits->low;
	}
	if (max) {
		limits->max = nla_get_u64(max);
		wish->memory_max = &limits->max;
	}
}

/* SIMGPU_CMD_TENANT_SET */
static int simgpu_nl_tenant_set(struct sk_buff *request, struct genl_info *info)
{
	struct nlattr *weight_attr = info->attrs[SIMGPU_A_TENANT_WEIGHT];
	struct nlattr *target_attr = info->attrs[SIMGPU_A_TENANT_TARGET_PPM];
	struct nlattr *share_attr = info->attrs[SIMGPU_A_TENANT_SHARE_PPM];
	struct nlattr *p99_attr = info->attrs[SIMGPU_A_TENANT_P99_CYCLES];
	struct simgpu_tenant *tenant;
	struct simgpu_tenant_wish wish = {};
	struct simgpu_goal goal;
	struct session_memory_limits limits;
	u64 target_ppm, share_ppm, p99_cycles;
	u32 weight;
	int ret;

	if (weight_attr) {
		weight = nla_get_u32(weight_attr);
		wish.weight = &weight;
	}
	if (target_attr) {
		target_ppm = nla_get_u64(target_attr);
		wish.target_ppm = &target_ppm;
	}
	if (share_attr) {
		share_ppm = nla_get_u32(share_attr);
		wish.share_ppm = &share_ppm;
	}
	if (p99_attr) {
		p99_cycles = nla_get_u64(p99_attr);
		wish.p99_cycles = &p99_cycles;
	}
	if (simgpu_take_goal(info, &goal))
		wish.goal = &goal;
	simgpu_take_limits(info, &limits, &wish);
	tenant = simgpu_named_tenant(info);
	if (IS_ERR(tenant))
		return PTR_ERR(tenant);
	ret = -EPERM;
	if (simgpu_may_change(request, tenant->uid))
		ret = simgpu_tenant_change(tenant, request, &wish);
	if (ret == -EINVAL)
		GENL_SET_ERR_MSG(info, "a value is out of range, or the tenant is no QoS tenant");
	kobject_put(&tenant->kobj);
	return ret;
}

/* Epochs. */

/* Puts a whole message of @command about a device's epoch. */
static int simgpu_put_epoch(struct sk_buff *skb, u32 index,
			    const struct simgpu_epoch *last, u32 portid,
			    u32 seq, u8 command)
{
	void *header;

	header = genlmsg_put(skb, portid, seq, &simgpu_family, 0, command);
	if (!header || simgpu_netlink_put_epoch(skb, index, last))
		return -EMSGSIZE;
	genlmsg_end(skb, header);
	return 0;
}

static struct sk_buff *simgpu_epoch_skb(const struct session_epoch *epoch)
{
	return genlmsg_new(simgpu_netlink_epoch_bytes(epoch->tenant_count,
						      epoch->gauge_count), GFP_KERNEL);
}

static struct simgpu_epoch *simgpu_last_epoch(struct simgpu_device *device)
{
	struct simgpu_epoch *last = port_alloc(sizeof(*last));

	if (!last)
		return ERR_PTR(-ENOMEM);
	spin_lock(&device->publish_lock);
	*last = *device->last_epoch;
	spin_unlock(&device->publish_lock);
	if (last->valid)
		return last;
	port_free(last);
	return ERR_PTR(-ENODATA);
}

/* SIMGPU_CMD_EPOCH_GET */
static int simgpu_nl_epoch_get(struct sk_buff *request, struct genl_info *info)
{
	struct simgpu_device *device;
	struct simgpu_epoch *last;
	struct sk_buff *reply;
	u32 index;
	int ret = -ENOMEM;

	if (!simgpu_counters_public && !simgpu_may_administer(request))
		return -EPERM;
	device = simgpu_named_device(info, SIMGPU_A_EPOCH_DEVICE);
	if (IS_ERR(device))
		return PTR_ERR(device);
	index = device->index;
	last = simgpu_last_epoch(device);
	put_device(&device->dev);
	if (IS_ERR(last))
		return PTR_ERR(last);
	reply = simgpu_epoch_skb(&last->epoch);
	if (reply)
		ret = simgpu_put_epoch(reply, index, last, info->snd_portid,
				       info->snd_seq, SIMGPU_CMD_EPOCH_GET);
	port_free(last);
	if (!ret)
		return genlmsg_reply(reply, info);
	nlmsg_free(reply);
	return ret;
}

/* The groups. */

static bool simgpu_has_listeners(enum simgpu_mcgrp group)
{
	return genl_has_listeners(&simgpu_family, &init_net, group);
}

/* Sends a message; on an error, reports a lost message to the listeners. */
static void simgpu_send(struct sk_buff *skb, int error, enum simgpu_mcgrp group)
{
	if (!error) {
		genlmsg_multicast(&simgpu_family, skb, 0, group, GFP_KERNEL);
		return;
	}
	nlmsg_free(skb);
	genl_set_err(&simgpu_family, &init_net, 0, group, ENOBUFS);
}

/* Keeps an epoch for requests for the last one. */
static void simgpu_netlink_publish_epoch(struct simgpu_device *device,
					 const struct session_epoch *epoch)
{
	struct simgpu_epoch *last = device->last_epoch;
	u32 i;

	lockdep_assert_held(&device->publish_lock);
	last->epoch = *epoch;
	for (i = 0; i < epoch->tenant_count; i++)
		last->tenants[i] = device->slots[epoch->tenants[i].slot]->id;
	last->valid = true;
}

/* Sends the epoch that has just ended to its group. */
static void simgpu_netlink_epoch(struct simgpu_device *device,
				 const struct session_epoch *epoch)
{
	const struct simgpu_epoch *last = device->last_epoch;
	struct sk_buff *skb;
	int ret = -ENOMEM;

	lockdep_assert_held(&device->lock);
	if (!simgpu_has_listeners(MCGRP_EPOCHS))
		return;
	skb = simgpu_epoch_skb(&last->epoch);
	if (skb)
		ret = simgpu_put_epoch(skb, device->index, last, 0, 0,
				       SIMGPU_CMD_EPOCH_NTF);
	simgpu_send(skb, ret, MCGRP_EPOCHS);
}

/* Tells the group that settings of a device have changed. */
static void simgpu_netlink_device_changed(struct simgpu_device *device)
{
	struct sk_buff *skb;
	const struct simgpu_reader group = { .group = true };
	int ret = -ENOMEM;

	if (!simgpu_has_listeners(MCGRP_SETTINGS))
		return;
	skb = genlmsg_new(DEVICE_BYTES, GFP_KERNEL);
	if (skb)
		ret = simgpu_put_device(skb, device, 0, 0, 0,
					SIMGPU_CMD_DEVICE_NTF, &group);
	simgpu_send(skb, ret, MCGRP_SETTINGS);
}

/* Tells the group that settings of a tenant have changed. */
static void simgpu_netlink_tenant_changed(struct simgpu_tenant *tenant)
{
	struct sk_buff *skb;
	void *header = NULL;
	int ret = -ENOMEM;

	if (!simgpu_has_listeners(MCGRP_SETTINGS))
		return;
	skb = genlmsg_new(GENLMSG_DEFAULT_SIZE, GFP_KERNEL);
	if (skb)
		header = genlmsg_put(skb, 0, 0, &simgpu_family, 0,
				     SIMGPU_CMD_TENANT_NTF);
	if (header)
		ret = simgpu_netlink_put_tenant(skb, tenant, NULL, false);
	if (!ret)
		genlmsg_end(skb, header);
	simgpu_send(skb, ret, MCGRP_SETTINGS);
}

const struct simgpu_observer simgpu_netlink_observer = {
	.publish_epoch = simgpu_netlink_publish_epoch,
	.epoch = simgpu_netlink_epoch,
	.settings = simgpu_netlink_device_changed,
	.tenant_settings = simgpu_netlink_tenant_changed,
};

#define OP(_cmd, _policy)						\
	.cmd = SIMGPU_CMD_##_cmd,					\
	.policy = _policy,						\
	.maxattr = ARRAY_SIZE(_policy) - 1

/* Rights to set are checked inside, since either of two capabilities is enough. */
static const struct genl_ops simgpu_genl_ops[] = {
	{
		OP(DEVICE_GET, simgpu_device_get_policy),
		.doit = simgpu_nl_device_get,
		.dumpit = simgpu_nl_device_dump,
	},
	{
		OP(DEVICE_SET, simgpu_device_set_policy),
		.doit = simgpu_nl_device_set,
	},
	{
		OP(TENANT_GET, simgpu_tenant_get_policy),
		.doit = simgpu_nl_tenant_get,
		.dumpit = simgpu_nl_tenant_dump,
	},
	{
		OP(TENANT_SET, simgpu_tenant_set_policy),
		.doit = simgpu_nl_tenant_set,
	},
	{
		OP(EPOCH_GET, simgpu_epoch_get_policy),
		.doit = simgpu_nl_epoch_get,
	},
};

static struct genl_multicast_group simgpu_mcgrps[] = {
	[MCGRP_EPOCHS] = { .name = SIMGPU_MCGRP_EPOCHS },
	[MCGRP_SETTINGS] = { .name = SIMGPU_MCGRP_SETTINGS },
};

static struct genl_family simgpu_family = {
	.name = SIMGPU_FAMILY_NAME,
	.version = SIMGPU_FAMILY_VERSION,
	.module = THIS_MODULE,
	.parallel_ops = true,
	.netnsok = true,
	.ops = simgpu_genl_ops,
	.n_ops = ARRAY_SIZE(simgpu_genl_ops),
	.resv_start_op = SIMGPU_CMD_DEVICE_GET,
	.mcgrps = simgpu_mcgrps,
	.n_mcgrps = ARRAY_SIZE(simgpu_mcgrps),
};

/* Attributes that are no settings, or settings that cannot change, have no type. */
static void simgpu_init_settings(void)
{
	const struct session_setting *setting;
	u32 i;

	for (i = 0; (setting = simgpu_setting(i)); i++)
		if (setting->netlink && setting->flags & SESSION_SETTING_CHANGES)
			simgpu_device_set_policy[setting->netlink].type =
				setting->bytes == sizeof(u64) ? NLA_U64 : NLA_U32;
}

/**
 * simgpu_netlink_init() - register the family
 *
 * Return: 0 or a negative errno.
 */
int simgpu_netlink_init(void)
{
	simgpu_init_settings();
	if (!simgpu_counters_public)
		simgpu_mcgrps[MCGRP_EPOCHS].flags = GENL_MCAST_CAP_NET_ADMIN;
	return genl_register_family(&simgpu_family);
}

/**
 * simgpu_netlink_exit() - unregister the family: no message comes or goes any more
 */
void simgpu_netlink_exit(void)
{
	genl_unregister_family(&simgpu_family);
}
