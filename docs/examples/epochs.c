// SPDX-License-Identifier: GPL-2.0
/*
 * Prints each epoch of all devices as it ends, in some twenty lines of libnl.
 * cc epochs.c $(pkg-config --cflags --libs libnl-genl-3.0)
 */
#include <stdio.h>
#include <linux/simgpu_netlink.h>
#include <netlink/genl/ctrl.h>
#include <netlink/genl/genl.h>

static int show(struct nl_msg *message, void *unused)
{
	struct nlattr *attribute, *row[SIMGPU_A_EPOCH_TENANT_MAX + 1];
	int rest;

	nlmsg_for_each_attr(attribute, nlmsg_hdr(message), GENL_HDRLEN, rest)
		if (nla_type(attribute) == SIMGPU_A_EPOCH_END_CYCLE)
			printf("an epoch ended at cycle %lu\n", nla_get_u64(attribute));
		else if (nla_type(attribute) == SIMGPU_A_EPOCH_TENANT &&
			 !nla_parse_nested(row, SIMGPU_A_EPOCH_TENANT_MAX, attribute, NULL))
			printf("tenant %lu, NP %lu ppm, SMs %u -> %u\n",
			       nla_get_u64(row[SIMGPU_A_EPOCH_TENANT_ID]),
			       row[SIMGPU_A_EPOCH_TENANT_NP_PPM] ?
			       nla_get_u64(row[SIMGPU_A_EPOCH_TENANT_NP_PPM]) : 0,
			       nla_get_u32(row[SIMGPU_A_EPOCH_TENANT_SMS]),
			       nla_get_u32(row[SIMGPU_A_EPOCH_TENANT_SMS_NEXT]));
	return NL_OK;
}

int main(void)
{
	struct nl_sock *sock = nl_socket_alloc();

	if (!sock || genl_connect(sock))
		return 1;
	nl_socket_disable_seq_check(sock);
	nl_socket_set_msg_buf_size(sock, 1 << 17);
	nl_socket_modify_cb(sock, NL_CB_VALID, NL_CB_CUSTOM, show, NULL);
	if (nl_socket_add_membership(sock, genl_ctrl_resolve_grp(sock, "simgpu", "epochs")))
		return 1;
	setlinebuf(stdout);
	puts("listening");
	while (!nl_recvmsgs_default(sock))
		;
	return 1;
}
