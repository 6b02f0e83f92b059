// SPDX-License-Identifier: GPL-2.0
/* Netlink messages about a tenant: its settings, figures, launches and counters. */
#include <linux/pid.h>

#include "device.h"
#include "netlink_cgroups.h"
#include "netlink_tenant.h"
#include "report.h"
#include "tenant.h"

#define COUNTERS_FIRST	SIMGPU_A_COUNTERS_THREAD_INSTRUCTIONS
#define COUNTERS	(SIMGPU_A_COUNTERS_MAX - COUNTERS_FIRST + 1)

/* The number of an attribute follows from its counter's: both come from one list. */
static_assert(COUNTERS == SIMGPU_COUNTER_COUNT);

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

/* Puts a goal, which all may know, like a target. */
static int simgpu_put_goal(struct sk_buff *skb,
			   const struct session_tenant_options *options)
{
	return nla_put_u32(skb, SIMGPU_A_TENANT_GOAL_KIND,
			   options->goal_kind) ||
	       nla_put_u64_64bit(skb, SIMGPU_A_TENANT_GOAL, options->goal,
				 SIMGPU_A_TENANT_PAD);
}

/* Puts limits of its memory, which all may know, like a weight. */
static int simgpu_put_limits(struct sk_buff *skb,
			     const struct session_memory_limits *limits)
{
	return nla_put_u64_64bit(skb, SIMGPU_A_TENANT_MEMORY_MIN, limits->min,
				 SIMGPU_A_TENANT_PAD) ||
	       nla_put_u64_64bit(skb, SIMGPU_A_TENANT_MEMORY_LOW, limits->low,
				 SIMGPU_A_TENANT_PAD) ||
	       nla_put_u64_64bit(skb, SIMGPU_A_TENANT_MEMORY_MAX, limits->max,
				 SIMGPU_A_TENANT_PAD);
}

/* Puts what all users may know of a tenant. */
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
	       nla_put_u64_64bit(skb, SIMGPU_A_TENANT_P99_CYCLES,
				 options->p99_cycles, SIMGPU_A_TENANT_PAD) ||
	       simgpu_put_limits(skb, &options->memory) ||
	       simgpu_put_goal(skb, options);
}

static int simgpu_put_figure(struct sk_buff *skb, const struct figure *figure,
			     const struct simgpu_tenant_report *report)
{
	const int pad = figure->in_latency ? SIMGPU_A_LATENCY_PAD :
					     SIMGPU_A_TENANT_PAD;
	u64 value = figure_value(figure, report);
	char list[ROW_SM_LIST_BYTES];

	switch ((enum figure_unit)figure->unit) {
	case FIGURE_SMS:
	case FIGURE_BITS:
		figure_text(figure, report, list);
		return nla_put_string(skb, figure->netlink, list);
	case FIGURE_SMALL:
	case FIGURE_TRUTH:
	case FIGURE_DOUBTS:
		return nla_put_u32(skb, figure->netlink, value);
	case FIGURE_SIGNED:
		return nla_put_s64(skb, figure->netlink, value, pad);
	default:
		return nla_put_u64_64bit(skb, figure->netlink, value, pad);
	}
}

/* Puts the figures that are known, of the tenant or of the nest of latencies. */
static int simgpu_put_figures(struct sk_buff *skb, bool in_latency,
			      const struct simgpu_tenant_report *report)
{
	const struct figure *figure;

	each_figure(figure)
		if (figure->in_latency == in_latency &&
		    figure_is_known(figure, report) &&
		    simgpu_put_figure(skb, figure, report))
			return -EMSGSIZE;
	return 0;
}

static int simgpu_put_latency(struct sk_buff *skb,
			      const struct simgpu_tenant_report *report)
{
	struct nlattr *nest = nla_nest_start(skb, SIMGPU_A_TENANT_LATENCY);

	if (!nest || simgpu_put_figures(skb, true, report))
		return -EMSGSIZE;
	nla_nest_end(skb, nest);
	return 0;
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

/* Puts what only the tenant's user and administrators may know. */
static int
simgpu_put_tenant_private(struct sk_buff *skb,
			  const struct simgpu_tenant_published *published)
{
	struct simgpu_tenant_report shown;

	simgpu_tenant_shown(published, &shown);
	if (nla_put_u32(skb, SIMGPU_A_TENANT_CLASS, published->class) ||
	    (published->class != SIMGPU_CLASS_UNKNOWN &&
	     nla_put_u64_64bit(skb, SIMGPU_A_TENANT_NP_PPM, published->np_ppm,
			       SIMGPU_A_TENANT_PAD)) ||
	    simgpu_put_figures(skb, false, &shown) ||
	    simgpu_put_latency(skb, &shown))
		return -EMSGSIZE;
	if (published->slot == SIMGPU_NO_SLOT)
		return 0;
	return simgpu_put_queues(skb, &shown) ?:
	       simgpu_netlink_put_counters(skb, SIMGPU_A_TENANT_COUNTERS,
					   &published->counters);
}

/*
 * Puts the attributes of a tenant; @ns: namespace of the reader; NULL: for a group, where
 * anybody may listen.
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
