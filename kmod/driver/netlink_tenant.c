// SPDX-License-Identifier: GPL-2.0
/* What netlink says of a tenant: its settings, figures, launches and counters. */
#include <linux/pid.h>

#include "netlink.h"

#define COUNTERS_FIRST	SIMGPU_A_COUNTERS_THREAD_INSTRUCTIONS
#define COUNTERS	(SIMGPU_A_COUNTERS_MAX - COUNTERS_FIRST + 1)

/* An attribute's place among them is its counter's number: both come from one list. */
static_assert(COUNTERS == SIMGPU_COUNTER_COUNT);

/* Attributes of launches are in the order of their fields. */
#define LATENCIES	(SIMGPU_A_LATENCY_MAX - SIMGPU_A_LATENCY_LAUNCHES + 1)
static_assert(offsetofend(struct simgpu_tenant_report, run_mean_ns) -
	      offsetof(struct simgpu_tenant_report, launches) ==
	      LATENCIES * sizeof(u64));
static_assert(offsetof(struct simgpu_tenant_report, goodput_ppm) -
	      offsetof(struct simgpu_tenant_report, launches) ==
	      (SIMGPU_A_LATENCY_GOODPUT_PPM - SIMGPU_A_LATENCY_LAUNCHES) *
	      sizeof(u64));

int simgpu_netlink_put_counters(struct sk_buff *skb, int attribute,
				const struct simgpu_counters *counters)
{
	const u64 *values = (const u64 *)counters;
	struct nlattr *nest;
	int i;

	nest = nla_nest_start(skb, attribute);
	if (!nest)
		return -EMSGSIZE;
	for (i = 0; i < COUNTERS; i++)
		if (nla_put_u64_64bit(skb, COUNTERS_FIRST + i, values[i],
				      SIMGPU_A_COUNTERS_PAD))
			return -EMSGSIZE;
	nla_nest_end(skb, nest);
	return 0;
}

/* A goal, which others may know as the target. */
static int simgpu_put_goal(struct sk_buff *skb,
			   const struct session_tenant_options *options)
{
	return nla_put_u32(skb, SIMGPU_A_TENANT_GOAL_KIND,
			   options->goal_kind) ||
	       nla_put_u64_64bit(skb, SIMGPU_A_TENANT_GOAL, options->goal,
				 SIMGPU_A_TENANT_PAD);
}

/* What has become of it. */
static int simgpu_put_goal_figures(struct sk_buff *skb,
				   const struct simgpu_tenant_report *report)
{
	const int pad = SIMGPU_A_TENANT_PAD;

	if (!report->goal_ipc_ppm)
		return 0;
	return nla_put_u64_64bit(skb, SIMGPU_A_TENANT_GOAL_IPC_PPM,
				 report->goal_ipc_ppm, pad) ||
	       nla_put_u64_64bit(skb, SIMGPU_A_TENANT_GOAL_INSTRUCTIONS,
				 report->goal_instructions, pad) ||
	       nla_put_u64_64bit(skb, SIMGPU_A_TENANT_GOAL_PROMISED,
				 report->goal_promised, pad) ||
	       nla_put_u32(skb, SIMGPU_A_TENANT_GOAL_MET,
			   !!(report->flags & SIMGPU_REPORT_GOAL_MET)) ?
	       -EMSGSIZE : 0;
}

/* What others may know of a tenant. */
static int
simgpu_put_tenant_public(struct sk_buff *skb,
			 const struct simgpu_tenant_published *published)
{
	const struct session_tenant_options *options = &published->options;

	return nla_put_string(skb, SIMGPU_A_TENANT_NAME, options->name) ||
	       (published->slot != SIMGPU_NO_SLOT &&
		nla_put_u32(skb, SIMGPU_A_TENANT_SLOT, published->slot)) ||
	       nla_put_u32(skb, SIMGPU_A_TENANT_SERVICE, options->service) ||
	       nla_put_u32(skb, SIMGPU_A_TENANT_WEIGHT, options->weight) ||
	       nla_put_u64_64bit(skb, SIMGPU_A_TENANT_TARGET_PPM,
				 options->target_ppm, SIMGPU_A_TENANT_PAD) ||
	       nla_put_u32(skb, SIMGPU_A_TENANT_SHARE_PPM,
			   options->share_ppm) ||
	       simgpu_put_goal(skb, options);
}

static int simgpu_put_tenant_figures(struct sk_buff *skb,
				     const struct session_figures *figures)
{
	const int pad = SIMGPU_A_TENANT_PAD;

	return nla_put_u64_64bit(skb, SIMGPU_A_TENANT_IPC_PPM,
				 figures->ipc_ppm, pad) ||
	       nla_put_u64_64bit(skb, SIMGPU_A_TENANT_RBH_PPM,
				 figures->rbh_ppm, pad) ||
	       nla_put_u64_64bit(skb, SIMGPU_A_TENANT_BANDWIDTH_PPM,
				 figures->bandwidth_ppm, pad) ||
	       nla_put_u64_64bit(skb, SIMGPU_A_TENANT_LLC_MPKI_PPM,
				 figures->llc_mpki_ppm, pad);
}

/* Times only once a launch has ended. */
static int simgpu_put_latency(struct sk_buff *skb,
			      const struct simgpu_tenant_report *report)
{
	struct nlattr *nest = nla_nest_start(skb, SIMGPU_A_TENANT_LATENCY);
	const u64 *values = &report->launches;
	int count = report->launches ? LATENCIES : 3;
	int i;

	if (!nest)
		return -EMSGSIZE;
	for (i = 0; i < count; i++)
		if (nla_put_u64_64bit(skb, SIMGPU_A_LATENCY_LAUNCHES + i,
				      values[i], SIMGPU_A_LATENCY_PAD))
			return -EMSGSIZE;
	nla_nest_end(skb, nest);
	return 0;
}

/* On shared SMs, once a policy has set quotas. */
static int simgpu_put_quota(struct sk_buff *skb,
			    const struct simgpu_tenant_report *report)
{
	const int pad = SIMGPU_A_TENANT_PAD;

	if (report->flags & SIMGPU_REPORT_QUOTA &&
	    nla_put_s64(skb, SIMGPU_A_TENANT_QUOTA_LEFT, report->quota_left,
			pad))
		return -EMSGSIZE;
	if (report->quota &&
	    nla_put_u64_64bit(skb, SIMGPU_A_TENANT_QUOTA, report->quota, pad))
		return -EMSGSIZE;
	if (!report->quota_used_ppm)
		return 0;
	return nla_put_u64_64bit(skb, SIMGPU_A_TENANT_QUOTA_USED_PPM,
				 report->quota_used_ppm, pad) ||
	       nla_put_u64_64bit(skb, SIMGPU_A_TENANT_BLOCKS_PER_SM_PPM,
				 report->blocks_per_sm_ppm, pad) ||
	       nla_put_u64_64bit(skb, SIMGPU_A_TENANT_IDLE_BLOCKS_PPM,
				 report->idle_blocks_ppm, pad) ?
	       -EMSGSIZE : 0;
}

/* Its SMs, its thread blocks on them, and what they cost. */
static int simgpu_put_shares(struct sk_buff *skb,
			     const struct simgpu_tenant_report *report)
{
	const int pad = SIMGPU_A_TENANT_PAD;
	char own[ROW_SM_LIST_BYTES], sharing[ROW_SM_LIST_BYTES];

	row_sm_list(report->own_sms, own);
	row_sm_list(report->sharing_sms, sharing);
	if (nla_put_string(skb, SIMGPU_A_TENANT_SM_LIST, own) ||
	    nla_put_string(skb, SIMGPU_A_TENANT_SHARED_SM_LIST, sharing) ||
	    nla_put_u64_64bit(skb, SIMGPU_A_TENANT_BLOCKS, report->blocks,
			      pad) ||
	    (report->flags & SIMGPU_REPORT_ENERGY &&
	     nla_put_u64_64bit(skb, SIMGPU_A_TENANT_ENERGY_PJ,
			       report->energy_pj, pad)))
		return -EMSGSIZE;
	return simgpu_put_quota(skb, report);
}

/* A list of what it keeps to; nothing where that is everything. */
static int simgpu_put_mask(struct sk_buff *skb, int attribute, const char *list)
{
	return *list && nla_put_string(skb, attribute, list) ? -EMSGSIZE : 0;
}

static int simgpu_put_masks(struct sk_buff *skb,
			    const struct simgpu_tenant_report *report)
{
	char list[ROW_SM_LIST_BYTES];
	int ret;

	row_sm_list(report->mask_sms, list);
	ret = simgpu_put_mask(skb, SIMGPU_A_TENANT_SM_MASK, list);
	row_bit_list(report->mask_channels, list);
	ret = ret ?: simgpu_put_mask(skb, SIMGPU_A_TENANT_CHANNEL_MASK, list);
	row_bit_list(report->mask_llc_ways, list);
	return ret ?: simgpu_put_mask(skb, SIMGPU_A_TENANT_LLC_WAY_MASK, list);
}

static int simgpu_put_queue(struct sk_buff *skb, u32 number,
			    const struct simgpu_queue_report *queue)
{
	struct nlattr *nest = nla_nest_start(skb, SIMGPU_A_QUEUES_QUEUE);

	if (!nest || nla_put_u32(skb, SIMGPU_A_QUEUE_NUMBER, number) ||
	    nla_put_u32(skb, SIMGPU_A_QUEUE_STATE, queue->state) ||
	    nla_put_s32(skb, SIMGPU_A_QUEUE_PRIORITY, queue->priority) ||
	    nla_put_u32(skb, SIMGPU_A_QUEUE_WAITING, queue->waiting) ||
	    nla_put_u32(skb, SIMGPU_A_QUEUE_KERNEL, queue->kernel))
		return -EMSGSIZE;
	nla_nest_end(skb, nest);
	return 0;
}

static int simgpu_put_queues(struct sk_buff *skb,
			     const struct simgpu_tenant_report *report)
{
	struct nlattr *nest = nla_nest_start(skb, SIMGPU_A_TENANT_QUEUES);
	u32 i;

	if (!nest)
		return -EMSGSIZE;
	for (i = 0; i < report->queue_count; i++)
		if (simgpu_put_queue(skb, i, &report->queue[i]))
			return -EMSGSIZE;
	nla_nest_end(skb, nest);
	return 0;
}

/* What only its user and administrators may know. */
static int
simgpu_put_tenant_private(struct sk_buff *skb,
			  const struct simgpu_tenant_published *published)
{
	if (nla_put_u32(skb, SIMGPU_A_TENANT_SMS, published->sms) ||
	    nla_put_u32(skb, SIMGPU_A_TENANT_SHARED_SMS,
			published->shared_sms) ||
	    nla_put_u32(skb, SIMGPU_A_TENANT_HELD, published->held) ||
	    nla_put_u32(skb, SIMGPU_A_TENANT_CLASS, published->class) ||
	    (published->class != SIMGPU_CLASS_UNKNOWN &&
	     nla_put_u64_64bit(skb, SIMGPU_A_TENANT_NP_PPM, published->np_ppm,
			       SIMGPU_A_TENANT_PAD)))
		return -EMSGSIZE;
	if (published->figures_valid &&
	    simgpu_put_tenant_figures(skb, &published->figures))
		return -EMSGSIZE;
	if (published->slot == SIMGPU_NO_SLOT)
		return 0;
	return simgpu_put_goal_figures(skb, &published->report) ?:
	       simgpu_put_latency(skb, &published->report) ?:
	       simgpu_put_queues(skb, &published->report) ?:
	       simgpu_put_shares(skb, &published->report) ?:
	       simgpu_put_masks(skb, &published->report) ?:
	       simgpu_netlink_put_counters(skb, SIMGPU_A_TENANT_COUNTERS,
					   &published->counters);
}

/*
 * The attributes of a tenant; @ns: of who reads, NULL: a group, which may hold
 * anybody.
 */
int simgpu_netlink_put_tenant(struct sk_buff *skb, struct simgpu_tenant *tenant,
			      struct pid_namespace *ns, bool private)
{
	pid_t pid = ns ? pid_nr_ns(tenant->pid, ns) : pid_nr(tenant->pid);
	struct simgpu_tenant_published published;

	simgpu_tenant_published(tenant, &published);
	if (nla_put_u32(skb, SIMGPU_A_TENANT_DEVICE, tenant->device->index) ||
	    nla_put_u64_64bit(skb, SIMGPU_A_TENANT_ID, tenant->id,
			      SIMGPU_A_TENANT_PAD) ||
	    nla_put_u32(skb, SIMGPU_A_TENANT_PID, pid) ||
	    simgpu_netlink_put_cgroup(skb, tenant, ns) ||
	    simgpu_put_tenant_public(skb, &published) ||
	    (private && simgpu_put_tenant_private(skb, &published)))
		return -EMSGSIZE;
	return 0;
}
