// SPDX-License-Identifier: GPL-2.0
/* An epoch of a device as attributes of a netlink message; see netlink.h. */
#include "device.h"
#include "netlink_epoch.h"
#include "netlink_tenant.h"
#include "tenant.h"

static_assert((int)SIMGPU_EPOCH_FLAGS_PREDICTED == SIMGPU_EPOCH_PREDICTED);
static_assert((int)SIMGPU_EPOCH_FLAGS_FELL_BACK == SIMGPU_EPOCH_FELL_BACK);
static_assert((int)SIMGPU_NP_DOUBTS_SHARED_SMS == SIMGPU_DOUBT_SHARED_SMS);
static_assert((int)SIMGPU_NP_DOUBTS_HELD == SIMGPU_DOUBT_HELD);
static_assert((int)SIMGPU_NP_DOUBTS_MEMORY_WAITS == SIMGPU_DOUBT_MEMORY_WAITS);
static_assert((int)SIMGPU_NP_DOUBTS_OLD == SIMGPU_DOUBT_OLD);

static int simgpu_put_row_figures(struct sk_buff *skb,
				  const struct simgpu_epoch_record *record)
{
	const int pad = SIMGPU_A_EPOCH_TENANT_PAD;

	return nla_put_u64_64bit(skb, SIMGPU_A_EPOCH_TENANT_IPC_PPM,
				 record->ipc_ppm, pad) ||
	       nla_put_u64_64bit(skb, SIMGPU_A_EPOCH_TENANT_RBH_PPM,
				 record->rbh_ppm, pad) ||
	       nla_put_u64_64bit(skb, SIMGPU_A_EPOCH_TENANT_BANDWIDTH_PPM,
				 record->bandwidth_ppm, pad) ||
	       nla_put_u64_64bit(skb, SIMGPU_A_EPOCH_TENANT_LLC_MPKI_PPM,
				 record->llc_mpki_ppm, pad);
}

/* Puts figures of shared SMs and of a goal. */
static int simgpu_put_epoch_goal(struct sk_buff *skb,
				 const struct simgpu_epoch_record *record)
{
	const int pad = SIMGPU_A_EPOCH_TENANT_PAD;

	if (record->goal_ipc_ppm &&
	    (nla_put_u64_64bit(skb, SIMGPU_A_EPOCH_TENANT_GOAL_IPC_PPM,
			       record->goal_ipc_ppm, pad) ||
	     nla_put_u64_64bit(skb, SIMGPU_A_EPOCH_TENANT_ALPHA_PPM,
			       record->alpha_ppm, pad)))
		return -EMSGSIZE;
	if (record->quota &&
	    (nla_put_u64_64bit(skb, SIMGPU_A_EPOCH_TENANT_QUOTA, record->quota,
			       pad) ||
	     nla_put_u64_64bit(skb, SIMGPU_A_EPOCH_TENANT_BLOCKS,
			       record->blocks, pad)))
		return -EMSGSIZE;
	return 0;
}

/* A message for each gauge has its name and unit, so that it needs no other to be read. */
static int simgpu_put_epoch_gauges(struct sk_buff *skb, const struct session_epoch *epoch,
				   const struct session_epoch_tenant *row)
{
	u32 i;

	for (i = 0; i < epoch->gauge_count; i++) {
		const struct session_gauge *gauge = &epoch->gauges[i];
		struct nlattr *nest = nla_nest_start(skb, SIMGPU_A_EPOCH_TENANT_GAUGE);

		if (!nest ||
		    nla_put_string(skb, SIMGPU_A_GAUGE_NAME, gauge->name) ||
		    nla_put_u32(skb, SIMGPU_A_GAUGE_UNIT, gauge->unit) ||
		    nla_put_s64(skb, SIMGPU_A_GAUGE_VALUE, row->gauges[i],
				SIMGPU_A_GAUGE_PAD))
			return -EMSGSIZE;
		nla_nest_end(skb, nest);
	}
	return 0;
}

static int simgpu_put_epoch_tenant(struct sk_buff *skb, u64 id,
				   const struct session_epoch *epoch,
				   const struct session_epoch_tenant *row)
{
	struct nlattr *nest = nla_nest_start(skb, SIMGPU_A_EPOCH_TENANT);
	struct simgpu_epoch_record record;

	row_epoch(epoch, row, &record);
	if (!nest ||
	    nla_put_u64_64bit(skb, SIMGPU_A_EPOCH_TENANT_ID, id,
			      SIMGPU_A_EPOCH_TENANT_PAD) ||
	    nla_put_u32(skb, SIMGPU_A_EPOCH_TENANT_SLOT, record.slot) ||
	    nla_put_u32(skb, SIMGPU_A_EPOCH_TENANT_SMS, record.sms) ||
	    nla_put_u32(skb, SIMGPU_A_EPOCH_TENANT_SMS_NEXT, record.sms_next) ||
	    nla_put_u32(skb, SIMGPU_A_EPOCH_TENANT_CLASS, record.class) ||
	    (record.class != SIMGPU_CLASSIFIED_UNKNOWN &&
	     nla_put_u64_64bit(skb, SIMGPU_A_EPOCH_TENANT_NP_PPM, record.np_ppm,
			       SIMGPU_A_EPOCH_TENANT_PAD)) ||
	    nla_put_u32(skb, SIMGPU_A_EPOCH_TENANT_NP_DOUBTS, record.np_doubts) ||
	    simgpu_put_row_figures(skb, &record) ||
	    simgpu_put_epoch_goal(skb, &record) ||
	    simgpu_put_epoch_gauges(skb, epoch, row) ||
	    simgpu_netlink_put_counters(skb, SIMGPU_A_EPOCH_TENANT_COUNTERS,
					&row->counters))
		return -EMSGSIZE;
	nla_nest_end(skb, nest);
	return 0;
}

/* A device and an epoch both have fairness, STP and ANTT in a row. */
static_assert(SIMGPU_A_EPOCH_STP_PPM - SIMGPU_A_EPOCH_FAIRNESS_PPM == 1);
static_assert(SIMGPU_A_EPOCH_ANTT_PPM - SIMGPU_A_EPOCH_FAIRNESS_PPM == 2);
static_assert(SIMGPU_A_DEVICE_STP_PPM - SIMGPU_A_DEVICE_FAIRNESS_PPM == 1);
static_assert(SIMGPU_A_DEVICE_ANTT_PPM - SIMGPU_A_DEVICE_FAIRNESS_PPM == 2);

/**
 * simgpu_netlink_put_metrics() - put metrics of a device or an epoch into a message
 * @skb: the message
 * @fairness: the attribute for fairness; those for STP and ANTT follow
 * @pad: the attribute that aligns them
 * @metrics: the metrics
 *
 * Return: 0, or another value if the message has no room for them.
 */
int simgpu_netlink_put_metrics(struct sk_buff *skb, int fairness, int pad,
			       const struct metrics *metrics)
{
	return nla_put_u64_64bit(skb, fairness, metrics->fairness_ppm, pad) ||
	       nla_put_u64_64bit(skb, fairness + 1, metrics->stp_ppm, pad) ||
	       nla_put_u64_64bit(skb, fairness + 2, metrics->antt_ppm, pad);
}

static int simgpu_put_epoch_head(struct sk_buff *skb, u32 index,
				 const struct session_epoch *epoch)
{
	const int pad = SIMGPU_A_EPOCH_PAD;
	u32 flags = 0;

	if (epoch->predicted)
		flags |= SIMGPU_EPOCH_FLAGS_PREDICTED;
	if (epoch->fell_back)
		flags |= SIMGPU_EPOCH_FLAGS_FELL_BACK;
	return nla_put_u32(skb, SIMGPU_A_EPOCH_DEVICE, index) ||
	       nla_put_u64_64bit(skb, SIMGPU_A_EPOCH_INDEX, epoch->index,
				 pad) ||
	       nla_put_u64_64bit(skb, SIMGPU_A_EPOCH_START_CYCLE,
				 epoch->start_cycle, pad) ||
	       nla_put_u64_64bit(skb, SIMGPU_A_EPOCH_END_CYCLE,
				 epoch->end_cycle, pad) ||
	       nla_put_u32(skb, SIMGPU_A_EPOCH_FLAGS, flags) ||
	       (epoch->metrics.stp_ppm &&
		simgpu_netlink_put_metrics(skb, SIMGPU_A_EPOCH_FAIRNESS_PPM,
					   pad, &epoch->metrics));
}

/**
 * simgpu_netlink_put_epoch() - put an epoch into a message
 * @skb: the message
 * @index: the device's number
 * @last: the epoch, and the tenants of its rows
 *
 * Return: 0, or -EMSGSIZE if the message has no room for it.
 */
int simgpu_netlink_put_epoch(struct sk_buff *skb, u32 index,
			     const struct simgpu_epoch *last)
{
	const struct session_epoch *epoch = &last->epoch;
	u32 i;

	if (simgpu_put_epoch_head(skb, index, epoch))
		return -EMSGSIZE;
	for (i = 0; i < epoch->tenant_count; i++)
		if (simgpu_put_epoch_tenant(skb, last->tenants[i], epoch,
					    &epoch->tenants[i]))
			return -EMSGSIZE;
	return 0;
}

/**
 * simgpu_netlink_epoch_bytes() - the room that an epoch takes in a message
 * @tenants: number of its tenants
 * @gauges: number of its policy's gauges
 *
 * Return: bytes, if each number takes as much as a u64.
 */
size_t simgpu_netlink_epoch_bytes(u32 tenants, u32 gauges)
{
	size_t number = nla_total_size_64bit(sizeof(u64));
	size_t gauge = nla_total_size(nla_total_size(SIMGPU_NAME_BYTES) + 2 * number);
	size_t tenant = nla_total_size(SIMGPU_A_EPOCH_TENANT_MAX * number +
				       nla_total_size(SIMGPU_COUNTER_COUNT *
						      number) +
				       gauges * gauge);

	return SIMGPU_A_EPOCH_MAX * number + tenants * tenant;
}
