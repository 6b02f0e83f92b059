/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The generic netlink family with libnl, as any program would: messages, and the
 * answers to them. No expectations here.
 */
#ifndef NETLINK_CALLS_H
#define NETLINK_CALLS_H

#include <linux/simgpu_netlink.h>
#include <netlink/genl/ctrl.h>
#include <netlink/genl/genl.h>
#include <netlink/netlink.h>

#include "calls.h"

#define ATTRIBUTES_MAX	64
#define ROWS_MAX	64

/* struct answer - messages that came; attributes point into @messages */
struct answer {
	struct nl_msg *messages[ROWS_MAX];
	struct nlattr *rows[ROWS_MAX][ATTRIBUTES_MAX];
	uint8_t commands[ROWS_MAX];
	int count;
};

static inline void answer_free(struct answer *answer)
{
	while (answer->count)
		nlmsg_free(answer->messages[--answer->count]);
}

static inline int take_message(struct nl_msg *message, void *context)
{
	struct answer *answer = context;
	struct nlmsghdr *header = nlmsg_hdr(message);

	if (answer->count == ROWS_MAX)
		return NL_STOP;
	nlmsg_get(message);
	answer->messages[answer->count] = message;
	answer->commands[answer->count] = genlmsg_hdr(header)->cmd;
	genlmsg_parse(header, 0, answer->rows[answer->count],
		      ATTRIBUTES_MAX - 1, NULL);
	answer->count++;
	return NL_OK;
}

static inline int take_error(struct sockaddr_nl *address,
			     struct nlmsgerr *error, void *context)
{
	*(int *)context = error->error;
	return NL_STOP;
}

static inline int take_end(struct nl_msg *message, void *context)
{
	*(int *)context = 1;
	return NL_STOP;
}

static inline struct nl_sock *connect_family(int *family)
{
	struct nl_sock *sock = nl_socket_alloc();

	nl_socket_disable_seq_check(sock);
	if (genl_connect(sock))
		return NULL;
	/* A message about 64 tenants is some 40 KB. */
	nl_socket_set_msg_buf_size(sock, 1 << 17);
	*family = genl_ctrl_resolve(sock, SIMGPU_FAMILY_NAME);
	return sock;
}

/* Sends and takes what is answered; 0 or the kernel's negative errno. */
static inline int transact(struct nl_sock *sock, struct nl_msg *message,
			   struct answer *answer)
{
	struct nl_cb *cb = nl_cb_alloc(NL_CB_DEFAULT);
	int result = 0, ret;

	memset(answer, 0, sizeof(*answer));
	nl_cb_set(cb, NL_CB_VALID, NL_CB_CUSTOM, take_message, answer);
	nl_cb_set(cb, NL_CB_FINISH, NL_CB_CUSTOM, take_end, &result);
	nl_cb_set(cb, NL_CB_ACK, NL_CB_CUSTOM, take_end, &result);
	nl_cb_err(cb, NL_CB_CUSTOM, take_error, &result);
	ret = nl_send_auto(sock, message);
	while (ret >= 0 && !result)
		ret = nl_recvmsgs(sock, cb);
	nl_cb_put(cb);
	nlmsg_free(message);
	if (!result)
		return -EIO;
	return result == 1 ? 0 : result;
}

static inline struct nl_msg *request(int family, uint8_t command,
				     int flags)
{
	struct nl_msg *message = nlmsg_alloc();

	genlmsg_put(message, NL_AUTO_PORT, NL_AUTO_SEQ, family, 0,
		    NLM_F_REQUEST | flags, command, SIMGPU_FAMILY_VERSION);
	return message;
}

static inline int get_tenant(struct nl_sock *sock, int family, uint64_t id,
			     struct answer *answer)
{
	struct nl_msg *message = request(family, SIMGPU_CMD_TENANT_GET,
					 NLM_F_ACK);

	nla_put_u32(message, SIMGPU_A_TENANT_DEVICE, 0);
	nla_put_u64(message, SIMGPU_A_TENANT_ID, id);
	return transact(sock, message, answer);
}

/* Where only the result is asked for. */
static inline int send_setting(struct nl_sock *sock, struct nl_msg *message)
{
	struct answer answer;
	int ret = transact(sock, message, &answer);

	answer_free(&answer);
	return ret;
}

static inline int set_policy(struct nl_sock *sock, int family, const char *policy)
{
	struct nl_msg *message = request(family, SIMGPU_CMD_DEVICE_SET,
					 NLM_F_ACK);

	nla_put_u32(message, SIMGPU_A_DEVICE_INDEX, 0);
	nla_put_string(message, SIMGPU_A_DEVICE_POLICY, policy);
	return send_setting(sock, message);
}

static inline int set_weight(struct nl_sock *sock, int family, uint64_t id,
			     uint32_t weight)
{
	struct nl_msg *message = request(family, SIMGPU_CMD_TENANT_SET,
					 NLM_F_ACK);

	nla_put_u32(message, SIMGPU_A_TENANT_DEVICE, 0);
	nla_put_u64(message, SIMGPU_A_TENANT_ID, id);
	nla_put_u32(message, SIMGPU_A_TENANT_WEIGHT, weight);
	return send_setting(sock, message);
}

#endif /* NETLINK_CALLS_H */
