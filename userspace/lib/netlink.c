// SPDX-License-Identifier: LGPL-2.1
/*
 * The generic netlink family, by libnl: settings of devices and tenants, and
 * the epochs as they end. docs/netlink/simgpu.yaml describes the messages.
 */
#include <errno.h>
#include <poll.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <linux/simgpu_netlink.h>
#include <netlink/genl/ctrl.h>
#include <netlink/genl/genl.h>
#include <netlink/netlink.h>

#include "simgpu.h"

/* A message about 64 tenants takes some 40 KB. */
#define MESSAGE_BYTES	(1 << 17)
/* Room for messages while a listener is busy: some 100 messages about 64 tenants. */
#define QUEUE_BYTES	(4 << 20)

#define COUNTERS_FIRST	SIMGPU_A_COUNTERS_THREAD_INSTRUCTIONS
#define COUNTERS	(SIMGPU_A_COUNTERS_MAX - COUNTERS_FIRST + 1)

_Static_assert(COUNTERS == SIMGPU_COUNTER_COUNT &&
	       COUNTERS <= SIMGPU_NETLINK_COUNTERS,
	       "an attribute's place is its counter's number");

/*
 * struct simgpu_netlink - a connection
 * @epoch: where the next epoch is stored; NULL: it has come, or none is waited for
 * @change: where the next change is stored; NULL: it has come, or none is waited for
 */
struct simgpu_netlink {
	struct nl_sock *sock;
	int family;
	struct simgpu_netlink_epoch *epoch;
	struct simgpu_netlink_change *change;
};

/* struct outcome - how a request ended: @error is valid once it is @done */
struct outcome {
	bool done;
	int error;
};

static int on_error(struct sockaddr_nl *address, struct nlmsgerr *error,
		    void *context)
{
	struct outcome *outcome = context;

	(void)address;
	outcome->done = true;
	outcome->error = error->error;
	return NL_STOP;
}

static int on_ack(struct nl_msg *message, void *context)
{
	struct outcome *outcome = context;

	(void)message;
	outcome->done = true;
	return NL_STOP;
}

/* Sends a request whose only answer is an errno, and frees it. */
static int request(struct simgpu_netlink *netlink, struct nl_msg *message)
{
	struct nl_cb *cb = nl_cb_alloc(NL_CB_DEFAULT);
	struct outcome outcome = { .done = false };
	int ret = -NLE_NOMEM;

	if (cb) {
		nl_cb_set(cb, NL_CB_ACK, NL_CB_CUSTOM, on_ack, &outcome);
		nl_cb_err(cb, NL_CB_CUSTOM, on_error, &outcome);
		ret = nl_send_auto(netlink->sock, message);
		while (ret >= 0 && !outcome.done)
			ret = nl_recvmsgs(netlink->sock, cb);
		nl_cb_put(cb);
	}
	nlmsg_free(message);
	return outcome.done ? outcome.error : -EIO;
}

static struct nl_msg *new_request(struct simgpu_netlink *netlink,
				  uint8_t command)
{
	struct nl_msg *message = nlmsg_alloc();

	if (message && !genlmsg_put(message, NL_AUTO_PORT, NL_AUTO_SEQ,
				    netlink->family, 0,
				    NLM_F_REQUEST | NLM_F_ACK, command,
				    SIMGPU_FAMILY_VERSION)) {
		nlmsg_free(message);
		message = NULL;
	}
	return message;
}

int simgpu_netlink_open(struct simgpu_netlink **out)
{
	struct simgpu_netlink *netlink = calloc(1, sizeof(*netlink));
	int ret = -ENOMEM;

	if (!netlink)
		return ret;
	netlink->sock = nl_socket_alloc();
	if (!netlink->sock)
		goto err_free;
	ret = -EPROTONOSUPPORT;
	if (genl_connect(netlink->sock))
		goto err_sock;
	nl_socket_set_msg_buf_size(netlink->sock, MESSAGE_BYTES);
	nl_socket_set_buffer_size(netlink->sock, QUEUE_BYTES, 0);
	/* Notifications have sequence numbers that are not this socket's. */
	nl_socket_disable_seq_check(netlink->sock);
	ret = -ENOENT;
	netlink->family = genl_ctrl_resolve(netlink->sock, SIMGPU_FAMILY_NAME);
	if (netlink->family < 0)
		goto err_sock;
	*out = netlink;
	return 0;

err_sock:
	nl_socket_free(netlink->sock);
err_free:
	free(netlink);
	return ret;
}

void simgpu_netlink_close(struct simgpu_netlink *netlink)
{
	nl_socket_free(netlink->sock);
	free(netlink);
}

int simgpu_netlink_fd(const struct simgpu_netlink *netlink)
{
	return nl_socket_get_fd(netlink->sock);
}

int simgpu_netlink_set_policy(struct simgpu_netlink *netlink,
			      unsigned int device, const char *policy,
			      const char *model)
{
	struct nl_msg *message = new_request(netlink, SIMGPU_CMD_DEVICE_SET);

	if (!message)
		return -ENOMEM;
	nla_put_u32(message, SIMGPU_A_DEVICE_INDEX, device);
	if (policy)
		nla_put_string(message, SIMGPU_A_DEVICE_POLICY, policy);
	if (model)
		nla_put_string(message, SIMGPU_A_DEVICE_MODEL, model);
	return request(netlink, message);
}

int simgpu_netlink_set_tenant(struct simgpu_netlink *netlink,
			      unsigned int device, uint64_t id,
			      const uint32_t *weight,
			      const uint64_t *target_ppm)
{
	struct nl_msg *message = new_request(netlink, SIMGPU_CMD_TENANT_SET);

	if (!message)
		return -ENOMEM;
	nla_put_u32(message, SIMGPU_A_TENANT_DEVICE, device);
	nla_put_u64(message, SIMGPU_A_TENANT_ID, id);
	if (weight)
		nla_put_u32(message, SIMGPU_A_TENANT_WEIGHT, *weight);
	if (target_ppm)
		nla_put_u64(message, SIMGPU_A_TENANT_TARGET_PPM, *target_ppm);
	return request(netlink, message);
}

static uint64_t get_u64(struct nlattr *attribute)
{
	return attribute ? nla_get_u64(attribute) : 0;
}

static uint32_t get_u32(struct nlattr *attribute)
{
	return attribute ? nla_get_u32(attribute) : 0;
}

static void parse_counters(struct nlattr *nest, uint64_t *counters)
{
	struct nlattr *attributes[SIMGPU_A_COUNTERS_MAX + 1];
	int i;

	if (!nest || nla_parse_nested(attributes, SIMGPU_A_COUNTERS_MAX, nest,
				      NULL))
		return;
	for (i = 0; i < COUNTERS; i++)
		counters[i] = get_u64(attributes[COUNTERS_FIRST + i]);
}

/* Each tenant has the same gauges, in the same order. */
static void parse_gauge(struct nlattr *nest, struct simgpu_netlink_gauge *gauge,
			int64_t *value)
{
	struct nlattr *attributes[SIMGPU_A_GAUGE_MAX + 1];

	memset(gauge, 0, sizeof(*gauge));
	if (nla_parse_nested(attributes, SIMGPU_A_GAUGE_MAX, nest, NULL))
		return;
	if (attributes[SIMGPU_A_GAUGE_NAME])
		nla_strlcpy(gauge->name, attributes[SIMGPU_A_GAUGE_NAME],
			    sizeof(gauge->name));
	gauge->unit = get_u32(attributes[SIMGPU_A_GAUGE_UNIT]);
	*value = (int64_t)get_u64(attributes[SIMGPU_A_GAUGE_VALUE]);
}

static void parse_gauges(struct nlattr *nest, struct simgpu_netlink_epoch *epoch,
			 struct simgpu_netlink_epoch_tenant *tenant)
{
	struct nlattr *attribute;
	uint32_t count = 0;
	int rest;

	nla_for_each_nested(attribute, nest, rest)
		if (nla_type(attribute) == SIMGPU_A_EPOCH_TENANT_GAUGE &&
		    count < SIMGPU_EPOCH_GAUGES) {
			parse_gauge(attribute, &epoch->gauges[count],
				    &tenant->gauges[count]);
			count++;
		}
	epoch->gauge_count = count;
}

static void parse_tenant(struct nlattr *nest, struct simgpu_netlink_epoch *epoch,
			 struct simgpu_netlink_epoch_tenant *tenant)
{
	struct nlattr *attributes[SIMGPU_A_EPOCH_TENANT_MAX + 1];

	memset(tenant, 0, sizeof(*tenant));
	if (nla_parse_nested(attributes, SIMGPU_A_EPOCH_TENANT_MAX, nest, NULL))
		return;
	tenant->id = get_u64(attributes[SIMGPU_A_EPOCH_TENANT_ID]);
	tenant->slot = get_u32(attributes[SIMGPU_A_EPOCH_TENANT_SLOT]);
	tenant->sms = get_u32(attributes[SIMGPU_A_EPOCH_TENANT_SMS]);
	tenant->sms_next = get_u32(attributes[SIMGPU_A_EPOCH_TENANT_SMS_NEXT]);
	tenant->class = get_u32(attributes[SIMGPU_A_EPOCH_TENANT_CLASS]);
	tenant->np_ppm = get_u64(attributes[SIMGPU_A_EPOCH_TENANT_NP_PPM]);
	tenant->np_doubts = get_u32(attributes[SIMGPU_A_EPOCH_TENANT_NP_DOUBTS]);
	tenant->ipc_ppm = get_u64(attributes[SIMGPU_A_EPOCH_TENANT_IPC_PPM]);
	tenant->rbh_ppm = get_u64(attributes[SIMGPU_A_EPOCH_TENANT_RBH_PPM]);
	tenant->bandwidth_ppm =
		get_u64(attributes[SIMGPU_A_EPOCH_TENANT_BANDWIDTH_PPM]);
	tenant->llc_mpki_ppm =
		get_u64(attributes[SIMGPU_A_EPOCH_TENANT_LLC_MPKI_PPM]);
	parse_counters(attributes[SIMGPU_A_EPOCH_TENANT_COUNTERS],
		       tenant->counters);
	parse_gauges(nest, epoch, tenant);
}

static void parse_epoch(struct nlmsghdr *header, struct nlattr **attributes,
			struct simgpu_netlink_epoch *epoch)
{
	struct nlattr *attribute;
	int rest;

	epoch->device = get_u32(attributes[SIMGPU_A_EPOCH_DEVICE]);
	epoch->flags = get_u32(attributes[SIMGPU_A_EPOCH_FLAGS]);
	epoch->index = get_u64(attributes[SIMGPU_A_EPOCH_INDEX]);
	epoch->start_cycle = get_u64(attributes[SIMGPU_A_EPOCH_START_CYCLE]);
	epoch->end_cycle = get_u64(attributes[SIMGPU_A_EPOCH_END_CYCLE]);
	epoch->fairness_ppm = get_u64(attributes[SIMGPU_A_EPOCH_FAIRNESS_PPM]);
	epoch->stp_ppm = get_u64(attributes[SIMGPU_A_EPOCH_STP_PPM]);
	epoch->antt_ppm = get_u64(attributes[SIMGPU_A_EPOCH_ANTT_PPM]);
	epoch->tenant_count = 0;
	epoch->gauge_count = 0;
	nlmsg_for_each_attr(attribute, header, GENL_HDRLEN, rest)
		if (nla_type(attribute) == SIMGPU_A_EPOCH_TENANT &&
		    epoch->tenant_count < SIMGPU_TENANTS_MAX)
			parse_tenant(attribute, epoch,
				     &epoch->tenants[epoch->tenant_count++]);
}

static void parse_change(struct nlattr **attributes, bool of_tenant,
			 struct simgpu_netlink_change *change)
{
	memset(change, 0, sizeof(*change));
	change->of_tenant = of_tenant;
	if (!of_tenant) {
		change->device = get_u32(attributes[SIMGPU_A_DEVICE_INDEX]);
		return;
	}
	change->device = get_u32(attributes[SIMGPU_A_TENANT_DEVICE]);
	change->tenant = get_u64(attributes[SIMGPU_A_TENANT_ID]);
	change->pid = (int32_t)get_u32(attributes[SIMGPU_A_TENANT_PID]);
}

static int on_epoch(struct simgpu_netlink *netlink, struct nlmsghdr *header)
{
	struct nlattr *attributes[SIMGPU_A_EPOCH_MAX + 1];

	if (!netlink->epoch ||
	    genlmsg_parse(header, 0, attributes, SIMGPU_A_EPOCH_MAX, NULL))
		return NL_SKIP;
	parse_epoch(header, attributes, netlink->epoch);
	netlink->epoch = NULL;
	return NL_OK;
}

static int on_change(struct simgpu_netlink *netlink, struct nlmsghdr *header,
		     bool of_tenant)
{
	struct nlattr *attributes[SIMGPU_A_DEVICE_MAX + SIMGPU_A_TENANT_MAX + 1];
	int last = of_tenant ? SIMGPU_A_TENANT_MAX : SIMGPU_A_DEVICE_MAX;

	if (!netlink->change ||
	    genlmsg_parse(header, 0, attributes, last, NULL))
		return NL_SKIP;
	parse_change(attributes, of_tenant, netlink->change);
	netlink->change = NULL;
	return NL_OK;
}

static int on_message(struct nl_msg *message, void *context)
{
	struct nlmsghdr *header = nlmsg_hdr(message);

	switch (genlmsg_hdr(header)->cmd) {
	case SIMGPU_CMD_EPOCH_NTF:
		return on_epoch(context, header);
	case SIMGPU_CMD_DEVICE_NTF:
		return on_change(context, header, false);
	case SIMGPU_CMD_TENANT_NTF:
		return on_change(context, header, true);
	default:
		return NL_SKIP;
	}
}

static int join(struct simgpu_netlink *netlink, const char *name)
{
	int group = genl_ctrl_resolve_grp(netlink->sock, SIMGPU_FAMILY_NAME,
					  name);

	if (group < 0)
		return -ENOENT;
	nl_socket_modify_cb(netlink->sock, NL_CB_VALID, NL_CB_CUSTOM,
			    on_message, netlink);
	return nl_socket_add_membership(netlink->sock, group) ? -EPERM : 0;
}

int simgpu_netlink_listen(struct simgpu_netlink *netlink)
{
	return join(netlink, SIMGPU_MCGRP_EPOCHS);
}

int simgpu_netlink_listen_changes(struct simgpu_netlink *netlink)
{
	return join(netlink, SIMGPU_MCGRP_SETTINGS);
}

/* Receives one message, whether it was asked for or not. */
static int receive(struct simgpu_netlink *netlink, int timeout_ms)
{
	struct pollfd pollfd = { .fd = simgpu_netlink_fd(netlink),
				 .events = POLLIN };
	int ret = poll(&pollfd, 1, timeout_ms);

	if (ret <= 0)
		return ret ? -errno : -ETIMEDOUT;
	ret = nl_recvmsgs_default(netlink->sock);
	if (ret < 0)
		return ret == -NLE_NOMEM ? -ENOBUFS : -EIO;
	return 0;
}

int simgpu_netlink_next_epoch(struct simgpu_netlink *netlink, int timeout_ms,
			      struct simgpu_netlink_epoch *epoch)
{
	int ret = 0;

	netlink->epoch = epoch;
	while (!ret && netlink->epoch)
		ret = receive(netlink, timeout_ms);
	netlink->epoch = NULL;
	return ret;
}

int simgpu_netlink_next_change(struct simgpu_netlink *netlink, int timeout_ms,
			       struct simgpu_netlink_change *change)
{
	int ret = 0;

	netlink->change = change;
	while (!ret && netlink->change)
		ret = receive(netlink, timeout_ms);
	netlink->change = NULL;
	return ret;
}
