// SPDX-License-Identifier: GPL-2.0
/*
 * Goals of tenants as users say them: a word and a number in sysfs, attributes of
 * netlink, and who may ask for how much.
 */
#include <linux/string.h>

#include "device.h"
#include "goals.h"
#include "tenant.h"

static const char *const simgpu_goal_words[] = {
	[SIMGPU_GOAL_NONE] = "none",
	[SIMGPU_GOAL_IPC] = "ipc",
	[SIMGPU_GOAL_KERNEL_TIME] = "kernel_time",
	[SIMGPU_GOAL_RATE] = "rate",
};

static_assert(ARRAY_SIZE(simgpu_goal_words) == SESSION_GOALS, "goals");

/* The number behind a word: a decimal, or nanoseconds. */
static int simgpu_goal_value(const char *text, struct simgpu_goal *goal)
{
	if (goal->kind == SIMGPU_GOAL_KERNEL_TIME)
		return kstrtou64(text, 10, &goal->value) ? -EINVAL : 0;
	return simgpu_parse_ppm(text, &goal->value);
}

/**
 * simgpu_goal_parse() - a goal as sysfs takes it
 * @text: "none", "ipc 120.5", "kernel_time 16600000" (ns) or "rate 60", and nothing
 *	else
 * @goal: set to it
 *
 * Return: 0 or -EINVAL.
 */
int simgpu_goal_parse(const char *text, struct simgpu_goal *goal)
{
	u32 kind;

	*goal = (struct simgpu_goal) { .kind = SIMGPU_GOAL_NONE };
	if (sysfs_streq(text, simgpu_goal_words[SIMGPU_GOAL_NONE]))
		return 0;
	for (kind = SIMGPU_GOAL_IPC; kind < SESSION_GOALS; kind++) {
		size_t length = strlen(simgpu_goal_words[kind]);

		if (strncmp(text, simgpu_goal_words[kind], length) ||
		    text[length] != ' ')
			continue;
		goal->kind = kind;
		return simgpu_goal_value(text + length + 1, goal);
	}
	return -EINVAL;
}

/**
 * simgpu_goal_emit() - the same the other way round
 * @buf: a page
 * @options: of the tenant
 *
 * Return: bytes written.
 */
ssize_t simgpu_goal_emit(char *buf, const struct session_tenant_options *options)
{
	const char *word = simgpu_goal_words[options->goal_kind];
	u64 goal = options->goal;

	switch (options->goal_kind) {
	case SIMGPU_GOAL_NONE:
		return sysfs_emit(buf, "%s\n", word);
	case SIMGPU_GOAL_KERNEL_TIME:
		return sysfs_emit(buf, "%s %llu\n", word, goal);
	default:
		return sysfs_emit(buf, "%s %llu.%06llu\n", word,
				  goal / SIMGPU_PPM, goal % SIMGPU_PPM);
	}
}

/* Thread instructions a cycle that a GPU can issue. */
static u64 simgpu_peak_ipc_ppm(const struct gpu_config *config)
{
	return (u64)config->sms * config->schedulers_per_sm * GPU_LANES *
	       SIMGPU_PPM;
}

/**
 * simgpu_goal_valid() - whether a tenant could have the goal of its options
 * @options: all of them
 * @config: of the GPU on which it would get a slot
 *
 * Return: whether kind, value and service go together.
 */
bool simgpu_goal_valid(const struct session_tenant_options *options,
		       const struct gpu_config *config)
{
	if (options->goal_kind == SIMGPU_GOAL_NONE)
		return !options->goal;
	if (options->goal_kind >= SESSION_GOALS || !options->goal ||
	    options->service != SIMGPU_QOS)
		return false;
	return options->goal_kind != SIMGPU_GOAL_IPC ||
	       options->goal <= simgpu_peak_ipc_ppm(config);
}

/**
 * simgpu_goal_claimed_ppm() - how much of a GPU a goal asks for
 * @options: of the tenant
 * @config: of the GPU
 *
 * What a kernel's time or a rate asks for depends on the kernel: all of it, to be on the
 * safe side.
 *
 * Return: parts per million of the peak; 0 without a goal.
 */
u64 simgpu_goal_claimed_ppm(const struct session_tenant_options *options,
			    const struct gpu_config *config)
{
	if (options->goal_kind == SIMGPU_GOAL_NONE)
		return 0;
	if (options->goal_kind != SIMGPU_GOAL_IPC)
		return SIMGPU_PPM;
	return fixed_ratio_ppm(options->goal, simgpu_peak_ipc_ppm(config));
}

/**
 * simgpu_netlink_put_goal() - a tenant's goal, which others may know as its target
 * @skb: the message
 * @options: of the tenant
 *
 * Return: 0 or -EMSGSIZE.
 */
int simgpu_netlink_put_goal(struct sk_buff *skb,
			    const struct session_tenant_options *options)
{
	return nla_put_u32(skb, SIMGPU_A_TENANT_GOAL_KIND,
			   options->goal_kind) ||
	       nla_put_u64_64bit(skb, SIMGPU_A_TENANT_GOAL, options->goal,
				 SIMGPU_A_TENANT_PAD) ? -EMSGSIZE : 0;
}

/**
 * simgpu_netlink_put_goal_figures() - what has become of it
 * @skb: the message
 * @report: of the tenant
 *
 * Return: 0 or -EMSGSIZE.
 */
int simgpu_netlink_put_goal_figures(struct sk_buff *skb,
				    const struct simgpu_tenant_report *report)
{
	const int pad = SIMGPU_A_TENANT_PAD;

	if (!report->goal_ipc_ppm)
		return 0;
	return nla_put_u64_64bit(skb, SIMGPU_A_TENANT_GOAL_IPC_PPM,
				 report->goal_ipc_ppm, pad) ||
	       nla_put_u32(skb, SIMGPU_A_TENANT_GOAL_MET,
			   !!(report->flags & SIMGPU_REPORT_GOAL_MET)) ?
	       -EMSGSIZE : 0;
}

/**
 * simgpu_netlink_goal() - the goal of a message
 * @info: the message
 * @goal: set to it
 *
 * Return: whether it has one; a kind without a value is one of 0.
 */
bool simgpu_netlink_goal(const struct genl_info *info, struct simgpu_goal *goal)
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
